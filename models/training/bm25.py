"""BM25 as sparse products: k1 1.2, b .75, light plural stripping."""

import re

import numpy as np
from scipy import sparse

WORD = re.compile(r"[a-z0-9]+")


def terms(text: str) -> list[str]:
    words = WORD.findall(text.lower())
    return [word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word for word in words]


class Bm25:
    def __init__(self, texts: list[str], k1: float = 1.2, b: float = 0.75) -> None:
        self.vocabulary: dict[str, int] = {}
        counts = self.count(texts, grow=True)
        lengths = np.asarray(counts.sum(1)).ravel()
        norm = k1 * (1 - b + b * lengths / lengths.mean())
        frequency = np.bincount(counts.indices, minlength=counts.shape[1])
        idf = np.log(1 + (len(texts) - frequency + 0.5) / (frequency + 0.5))
        per_row = np.repeat(norm, np.diff(counts.indptr))
        counts.data = counts.data * (k1 + 1) / (counts.data + per_row) * idf[counts.indices]
        self.weights = counts.T.tocsr()

    def count(self, texts: list[str], grow: bool = False) -> sparse.csr_matrix:
        rows, columns = [], []
        for row, text in enumerate(texts):
            for term in terms(text):
                column = self.vocabulary.setdefault(term, len(self.vocabulary)) if grow else self.vocabulary.get(term)
                if column is not None:
                    rows.append(row)
                    columns.append(column)
        shape = (len(texts), len(self.vocabulary))
        return sparse.csr_matrix((np.ones(len(rows), np.float32), (rows, columns)), shape=shape)

    def scores(self, queries: list[str]) -> np.ndarray:
        """Dense [queries, documents]."""
        return (self.count(queries) @ self.weights).toarray()
