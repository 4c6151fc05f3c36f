"""Stage `domains`: questions that a language model wrote about stowage's own chunks, as the reranker reads them (`cut.ts`): of source code and READMEs of Debian packages, and of
invented documents with many tables about finance, medicine, contracts, products and people (`written/documents`, a folder a pool).

They are added to the questions and passages of `written`, and bge-small reads them. A passage that is cut otherwise today is left out with its questions.
"""

import json
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

import bases
from encoder import tokenizer
from paths import MODELS, TRAINING, work
from sources import lay_out
from teachers import BGE_ASKS, bge_teacher, label
from texts import held_out, rows
from written import HELD_OUT, POOL_PREFIX, SHARPEN_PASSAGES, SHARPEN_QUERIES, questions

QUESTIONS = TRAINING / "written/questions-of-chunks.tsv"
DOCUMENTS = TRAINING / "written/documents"
# Of a passage, that the training reads: a chunk of a table has many.
MOST_TOKENS = 256
NEW = work("domain-queries.jsonl"), work("domain-passages.jsonl")
# Those of `written` and the new ones.
WIDER = work("wider-queries.jsonl"), work("wider-passages.jsonl")


def passages() -> Iterator[dict]:
    """Rows of cut.ts with their pool."""
    invented = sorted(one for one in DOCUMENTS.iterdir() if one.is_dir())
    for folder in [*invented, *lay_out()]:
        target = work(f"cut/{folder.name}.jsonl")
        subprocess.run(["npx", "tsx", "models/training/cut.ts", str(target), str(folder)], cwd=MODELS.parent, check=True)
        for row in rows(target):
            yield {**row, "pool": POOL_PREFIX + folder.name}


def new_rows(first_passage: int, first_query: int) -> tuple[list[dict], list[dict]]:
    """Questions and passages as the training reads them, numbered on from the older ones."""
    cut: dict[str, dict] = {}
    for row in passages():
        cut.setdefault(row["name"], {**row, "id": first_passage + len(cut)})
    asked = []
    words = tokenizer(bases.MINILM)
    for question in questions(QUESTIONS):
        if question.passage in cut and is_within(words, cut[question.passage], question.evidence):
            passage = cut[question.passage]
            mark, source = ("right", "written") if question.evidence else ("wrong", "unanswered")
            marks = {"right": [], "wrong": [], "partial": [], mark: [passage["id"]], "evidence": question.evidence}
            split = "dev" if held_out(question.passage, HELD_OUT) else "train"
            asked.append({"id": first_query + len(asked), "pool": passage["pool"], "source": source, "split": split, "text": question.text, **marks})
    texts = [
        {"id": row["id"], "pool": row["pool"], "doc": row["doc"], "text": f"{row['path']}\n{' '.join(row['sentences'])}", "path": row["path"], "sentences": row["sentences"]}
        for row in cut.values()
    ]
    return asked, texts


def is_within(words: Tokenizer, passage: dict, evidence: tuple[int, ...]) -> bool:
    """Whether the training, which reads the beginning of a passage, sees an answer of it."""
    seen = f"{passage['path']}\n{' '.join(passage['sentences'][: min(evidence, default=0) + 1])}"
    return len(words.encode(seen, add_special_tokens=False).ids) <= MOST_TOKENS


def put(path: Path, content: list[dict]) -> None:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in content), encoding="utf-8")


def main() -> None:
    older = list(rows(SHARPEN_QUERIES)), list(rows(SHARPEN_PASSAGES))
    added = new_rows(len(older[1]), len(older[0]))
    for asks, stage, old, new, new_path, path in zip((BGE_ASKS, ""), (SHARPEN_QUERIES, SHARPEN_PASSAGES), older, added, NEW, WIDER, strict=True):
        put(new_path, new)
        put(path, old + new)
        label("bge", lambda asks=asks: bge_teacher(asks), new_path)
        vectors = [np.load(work(f"vectors/bge-{one.stem}.npy")) for one in (stage, new_path)]
        np.save(work(f"vectors/bge-{path.stem}.npy"), np.concatenate(vectors))
    print(dict(Counter(row["pool"] for row in added[0])), f"{len(added[1])} passages", flush=True)


if __name__ == "__main__":
    main()
