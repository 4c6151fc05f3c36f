"""Tells stowage the question of a search, from any program that uses qdrant-client.

Once, where the client is made (or taken from a framework, which makes one of its own):

    client = add_question_headers(QdrantClient(url="http://stowage:6433"))

And around whatever searches, also deep inside of a framework:

    with asking("How many barges does the north berth take?"):
        client.query_points("docs", query=vector, limit=8)

qdrant-client 1.19 and later can do the first part itself. Then this is enough:

    with qdrant_client.context_headers.headers(question_headers(question)):
        client.query_points("docs", query=vector, limit=8)
"""

from contextlib import contextmanager
from contextvars import ContextVar
from typing import Dict, Iterator, Optional
from urllib.parse import quote

# Common proxies refuse a longer line of a header.
LONGEST_HEADER = 8_000

_headers: ContextVar[Dict[str, str]] = ContextVar("qdrant_question", default={})


def question_headers(question: str, session_id: Optional[str] = None) -> Dict[str, str]:
    """The headers that name a question: percent-encoded UTF-8, cut between characters when it is very long."""
    encoded = ""
    for character in question.strip():
        # Half of a surrogate pair cannot be encoded; it becomes a question mark.
        following = quote(character.encode("utf-8", "replace"), safe="")
        if len(encoded) + len(following) > LONGEST_HEADER:
            break
        encoded += following
    headers = {"x-stowage-query": encoded} if encoded else {}
    if session_id and len(session_id) <= 200 and session_id.isascii() and session_id.isprintable():
        headers["x-stowage-session"] = session_id
    return headers


@contextmanager
def asking(question: str, session_id: Optional[str] = None) -> Iterator[None]:
    """Every request inside carries the question. Threads and tasks do not see the questions of others."""
    token = _headers.set(question_headers(question, session_id))
    try:
        yield
    finally:
        _headers.reset(token)


def add_question_headers(client):
    """Prepares a QdrantClient or an AsyncQdrantClient, in place, and returns it."""

    def send(request, call_next):
        request.headers.update(_headers.get())
        return call_next(request)

    async def send_async(request, call_next):
        request.headers.update(_headers.get())
        return await call_next(request)

    is_async = type(client).__name__.startswith("Async")
    client.http.client.add_middleware(send_async if is_async else send)
    return client
