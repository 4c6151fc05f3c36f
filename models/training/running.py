"""Exported models at work: what the measures use, and the same inputs the product builds."""

from pathlib import Path

import numpy as np
import onnxruntime

from encoder import length_batches, padded, token_ids, tokenizer

INPUTS = ("input_ids", "attention_mask", "token_type_ids")


def session(path: Path, threads: int = 1) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


class DenseModel:
    """Unit vectors by mean pooling over an exported encoder."""

    def __init__(self, path: Path, folder: Path, longest: int = 256) -> None:
        self.run, self.words, self.longest = session(path), tokenizer(folder), longest

    def __call__(self, texts: list[str]) -> np.ndarray:
        rows = token_ids(self.words, texts, self.longest)
        result = np.zeros((len(texts), 384), np.float32)
        for batch in length_batches([len(row) for row in rows], 2048):
            ids, mask = (value.numpy() for value in padded([rows[index] for index in batch]))
            states = self.run.run(None, dict(zip(INPUTS, (ids, mask, np.zeros_like(ids)), strict=True)))[0]
            summed = (states * mask[..., None]).sum(1)
            result[batch] = summed / np.linalg.norm(summed, axis=1, keepdims=True)
        return result


class PairModel:
    """Logits of (query, passage) pairs, one pair a run, as the product does."""

    def __init__(self, path: Path, folder: Path, longest: int = 256, query_longest: int = 64) -> None:
        self.run, self.words = session(path), tokenizer(folder)
        self.longest, self.query_longest = longest, query_longest

    def inputs(self, query: list[int], passage: list[int]) -> dict[str, np.ndarray]:
        ids = np.array([[*query, *passage[1:]]], np.int64)
        types = np.zeros_like(ids)
        types[:, len(query) :] = 1
        return dict(zip(INPUTS, (ids, np.ones_like(ids), types), strict=True))

    def __call__(self, query: str, passages: list[str]) -> np.ndarray:
        asked = token_ids(self.words, [query], self.query_longest)[0]
        answers = token_ids(self.words, passages, self.longest - len(asked) + 1)
        return np.array([self.run.run(None, self.inputs(asked, answer))[0][0, 0] for answer in answers])
