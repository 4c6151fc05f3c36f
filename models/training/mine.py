"""Stage `mine`: for every query its hard candidates, by BM25 and by the teacher, over all passages."""

import numpy as np

from bm25 import Bm25
from encoder import read_texts
from make_texts import PASSAGES, QUERIES
from paths import work

DEPTH = 24
BLOCK = 1024
CANDIDATES = work("candidates.npz")


def best(scores: np.ndarray) -> np.ndarray:
    """Indices of the DEPTH best columns, best first."""
    top = np.argpartition(-scores, DEPTH, axis=1)[:, :DEPTH]
    return np.take_along_axis(top, np.argsort(-np.take_along_axis(scores, top, 1), axis=1, kind="stable"), 1)


def main() -> None:
    queries, passages = read_texts(QUERIES), read_texts(PASSAGES)
    index = Bm25(passages)
    asked = np.load(work("vectors/minilm-queries.npy")).astype(np.float32)
    stored = np.load(work("vectors/minilm-passages.npy")).astype(np.float32)
    lexical, dense = [], []
    for start in range(0, len(queries), BLOCK):
        lexical.append(best(index.scores(queries[start : start + BLOCK])))
        dense.append(best(asked[start : start + BLOCK] @ stored.T))
    lexical, dense = np.concatenate(lexical), np.concatenate(dense)
    np.savez(CANDIDATES, lexical=lexical.astype(np.int32), dense=dense.astype(np.int32))
    print(f"{len(queries)} queries, {DEPTH} candidates each by BM25 and by the teacher", flush=True)


if __name__ == "__main__":
    main()
