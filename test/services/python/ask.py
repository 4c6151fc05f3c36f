"""Asks a running stowage by examples/python, and prints the name and the trace of each search as a line of JSON."""

import asyncio
import json
import sys
from contextvars import ContextVar, copy_context
from threading import Thread

from qdrant_client import AsyncQdrantClient, QdrantClient, context_headers

url, examples = sys.argv[1:]
sys.path.insert(0, examples)
from qdrant_question import add_question_headers, asking, question_headers  # noqa: E402

name = ContextVar("name")


def tell(request, response):
    if request.url.path.endswith("/points/query"):
        print(json.dumps({"name": name.get(), "trace_id": response.headers.get("x-stowage-trace-id")}))
    return response


def look(request, call_next):
    return tell(request, call_next(request))


async def look_async(request, call_next):
    return tell(request, await call_next(request))


def connect(kind, middleware):
    client = kind(url=url, check_compatibility=False)
    client.http.client.add_middleware(middleware)
    return client


def search(client, called):
    name.set(called)
    return client.query_points("docs", query=[1.0, 0.0], limit=2)


client = add_question_headers(connect(QdrantClient, look))
assert len(search(client, "before").points) == 2
with asking("How deep is the harbour? 🌊\n100 %", "session-1"):
    search(client, "sync")
with asking("outer"):
    with asking("inner"):
        search(client, "nested")
    search(client, "outer")
for called, question in [("blank", " \n"), ("surrogate", "tide \ud83d"), ("long", "潮" * 100_000)]:
    with asking(question):
        search(client, called)
with asking("of a thread"):
    own = Thread(target=search, args=(client, "thread"))
    copied = Thread(target=copy_context().run, args=(search, client, "thread with the context"))
    for thread in (own, copied):
        thread.start()
        thread.join()
search(client, "after")
with context_headers.headers(question_headers("own headers")):
    search(connect(QdrantClient, look), "own headers of 1.19")


async def ask_together():
    client = add_question_headers(connect(AsyncQdrantClient, look_async))

    async def ask(number):
        await asyncio.sleep(0)
        if number % 5 == 0:
            return await search(client, f"async {number}")
        with asking(f"question {number}"):
            return await search(client, f"async {number}")

    await asyncio.gather(*(ask(number) for number in range(1, 16)))


asyncio.run(ask_together())
