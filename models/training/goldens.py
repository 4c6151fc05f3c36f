"""The test sets as passages with grades: what the measured tables stand on. Nothing here is trained on."""

import json
import re
from dataclasses import dataclass

import numpy as np

from texts import held_out, rows
from paths import DATA

CHUNK_WORDS = 150
SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")


@dataclass
class Golden:
    """Queries over one list of passages; `relevant[query]` maps passage index to grade, `spans` gives what it covers."""

    name: str
    passages: list[str]
    queries: list[str]
    relevant: list[dict[int, float]]
    share: list[dict[int, float]]


def chunks(text: str) -> list[tuple[int, int]]:
    """Runs of whole sentences of about 200 tokens (150 words) that tile the text."""
    starts = [0] + [match.end() for match in SENTENCE_END.finditer(text)] + [len(text)]
    spans, start, words = [], 0, 0
    for left, right in zip(starts, starts[1:], strict=False):
        size = len(text[left:right].split())
        if words + size > CHUNK_WORDS and left > start:
            spans.append((start, left))
            start, words = left, 0
        words += size
    return spans + [(start, len(text))]


def chunked(name: str) -> Golden:
    """A chunk is right when at least half of it, or half of a gold span, is gold; shares add up to the covered gold."""
    passages, places = [], {}
    for row in rows(DATA / name / "corpus.jsonl"):
        # Offsets in the golden files are UTF-16 code units.
        text = row["text"].encode("utf-16-le")
        plain = row["text"] if len(text) == 2 * len(row["text"]) else None
        whole = plain if plain is not None else "".join(chr(u) for u in np.frombuffer(text, "<u2"))
        for start, end in chunks(whole):
            places.setdefault(row["doc_id"], []).append((len(passages), start, end))
            passages.append(whole[start:end].encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace"))
    queries, relevant, share = [], [], []
    for row in rows(DATA / name / "queries.jsonl"):
        grades, covered = {}, {}
        total = sum(gold["end"] - gold["start"] for gold in row["gold"])
        for gold in row["gold"]:
            for index, start, end in places[gold["doc_id"]]:
                both = min(end, gold["end"]) - max(start, gold["start"])
                if both > 0:
                    covered[index] = covered.get(index, 0.0) + both / total
                    if both >= 0.5 * min(end - start, gold["end"] - gold["start"]):
                        grades[index] = 1.0
        queries.append(row["query"])
        relevant.append(grades)
        share.append(covered)
    return Golden(name, passages, queries, relevant, share)


def scifact(held_out_only: bool = False) -> Golden:
    numbers, passages = {}, []
    for row in rows(DATA / "scifact/corpus.jsonl"):
        numbers[row["doc_id"]] = len(passages)
        passages.append(f"{row['title']}. {row['text']}")
    kept = [row for row in rows(DATA / "scifact/queries.jsonl") if not held_out_only or held_out(row["id"], 0.5)]
    relevant = [{numbers[gold["doc_id"]]: 1.0 for gold in row["gold"]} for row in kept]
    share = [{key: 1 / len(one) for key in one} for one in relevant]
    return Golden("scifact", passages, [row["query"] for row in kept], relevant, share)


def dl19() -> list[dict]:
    with (DATA / "dl19/candidates.jsonl").open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]
