"""Stage `questions`: what the reranker learns from, in pools of passages in which each question looks for its answer.

- `general`: labelled pairs, half of SciFact's train claims, dictionaries. Half of the labelled passages carry their title, as stowage's do.
- `debian`: sections of documentation with their heading paths, in pieces as long as stowage's chunks.
- golden sets: their documents in stowage's own chunks, with the questions of the training half only (`spans.ts`).

docs-rag, isharoth and dl19 are never read here. The labelled pairs hold every question of contractnli: those of the other half go.
"""

import json
import random
import subprocess
from collections.abc import Iterator

from debian import documentation
from dictionaries import definitions
from texts import ASKED, held_out, keyword_query, pieces, rows
from paths import DATA, MODELS, work

SPANS = work("spans.jsonl")
PASSAGES = work("rerank-passages.jsonl")
QUERIES = work("rerank-queries.jsonl")

OWN_SETS = [MODELS.parent / "test/goldens" / name for name in ("api-reference", "handbook", "policy")]
PUBLIC_SETS = [DATA / name for name in ("chunking", "hotpot", "contractnli")]
FILES_PER_PACKAGE = 150
SECTION_QUOTA = 4_500
SECTION_CHARACTERS = 750
DEFINITION_QUOTA = 3_000
ABSTRACT_QUOTA = 2_000
KEYWORD_SHARE = 0.35


def cut_goldens() -> list[dict]:
    if not SPANS.exists():
        command = ["npx", "tsx", "models/training/spans.ts", str(SPANS), *map(str, [*PUBLIC_SETS, *OWN_SETS])]
        subprocess.run(command, cwd=MODELS.parent, check=True)
    return list(rows(SPANS))


def labelled(trained_on: set[str]) -> Iterator[tuple[dict, str]]:
    """Training pairs with their passages. @param trained_on the contractnli questions of the training half"""
    other_half = {row["query"] for row in rows(DATA / "contractnli/queries.jsonl")} - trained_on
    for row in rows(DATA / "train/pairs.jsonl"):
        if row["query"] not in other_half:
            yield row, row.get("positive") or row["negative"]


def main() -> None:
    chance = random.Random(17)
    passages: dict[tuple[str, str], dict] = {}
    queries: list[dict] = []

    def passage(pool: str, text: str, doc: str = "") -> int:
        row = {"id": len(passages), "pool": pool, "doc": doc, "text": text}
        return passages.setdefault((pool, text), row)["id"]

    def query(pool: str, text: str, source: str, right=(), wrong=(), partial=(), split: str = "train") -> None:
        marks = {"right": list(right), "wrong": list(wrong), "partial": list(partial)}
        queries.append({"id": len(queries), "pool": pool, "source": source, "split": split, "text": text, **marks})

    spans = cut_goldens()
    trained_on = {row["query"] for row in spans if row["set"] == "contractnli" and "query" in row}
    for row, text in labelled(trained_on):
        titled = row["title"] and row["set"] != "contractnli" and chance.random() < 0.5
        number = passage("general", f"{row['title']}\n{text}" if titled else text)
        split = "dev" if held_out(row["query"], 0.1) else "train"
        marks = {"wrong": [number]} if "negative" in row else {"right": [number]}
        query("general", row["query"], row["set"], split=split, **marks)

    claims = [row for row in rows(DATA / "scifact/queries.jsonl") if not held_out(row["id"], 0.5)]
    abstracts = {row["doc_id"]: f"{row['title']}. {row['text']}" for row in rows(DATA / "scifact/corpus.jsonl")}
    for row in claims:
        query("general", row["query"], "scifact", [passage("general", abstracts[gold["doc_id"]]) for gold in row["gold"]])
    for text in chance.sample(sorted(abstracts.values()), ABSTRACT_QUOTA):
        passage("general", text)

    entries = list(definitions())
    for _, headword, text in chance.sample(entries, DEFINITION_QUOTA):
        query("general", chance.choice(ASKED).format(headword.lower()), "definition", [passage("general", text[:700])])

    sections = [section for section in documentation(FILES_PER_PACKAGE) if pieces(section[2], SECTION_CHARACTERS)]
    for package, titles, text in chance.sample(sections, SECTION_QUOTA):
        parts = pieces(text, SECTION_CHARACTERS)
        path = " > ".join(titles[-3:])
        number = passage("debian", f"{path}\n{parts[0]}", package)
        title = titles[-1] if len(titles) == 1 or len(titles[-1]) > 25 else f"{titles[-2]} {titles[-1]}"
        if chance.random() < 0.5 and 8 < len(title) < 120:
            query("debian", title, "heading", [number])

    numbers: list[int] = []
    for row in spans:
        if "chunks" in row:
            numbers = [passage(row["set"], chunk["text"], chunk["doc"]) for chunk in row["chunks"]]
        else:
            right, partial = ([numbers[at] for at in row[key]] for key in ("right", "partial"))
            query(row["set"], row["query"], "golden", right, partial=partial)

    for row in list(passages.values()):
        if chance.random() < KEYWORD_SHARE:
            text = keyword_query(row["text"], chance)
            if text:
                query(row["pool"], text, "keywords", [row["id"]])

    for path, content in ((PASSAGES, passages.values()), (QUERIES, queries)):
        with path.open("w", encoding="utf-8") as out:
            out.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in content)
    print(f"{len(passages)} passages, {len(queries)} queries", flush=True)


if __name__ == "__main__":
    main()
