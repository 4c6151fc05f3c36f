"""Stages `teach` and `label`: the teachers' unit vectors for every passage and query, written in resumable shards.

`teach` labels the texts of `texts` by MiniLM. `label` labels those of `questions` by MiniLM and by bge-small, whose mean ranks better than MiniLM.
"""

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional

import bases
import questions
from encoder import length_batches, load_bert, padded, pooled, read_texts, token_ids, tokenizer
from make_texts import PASSAGES, QUERIES
from paths import work
from running import INPUTS, session

SHARD = 4096
TOKENS_A_BATCH = 4096
LONGEST = {"teach": 192, "label": 176}
BGE_ASKS = "Represent this sentence for searching relevant passages: "


def minilm_teacher(longest: int = LONGEST["teach"]) -> Callable[[list[str]], np.ndarray]:
    model = load_bert(bases.MINILM, [0, 1, 2, 3, 4, 5]).to(torch.bfloat16).eval()
    return batched(bases.MINILM, lambda ids, mask: pooled(model(ids, mask).float(), mask), longest)


def bge_teacher(longest: int = LONGEST["label"], asks: str = "") -> Callable[[list[str]], np.ndarray]:
    """The state of [CLS]. @param asks what a question begins with"""
    run = session(bases.BGE / "model.onnx", torch.get_num_threads())

    def vectors(ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        arrays = (ids.numpy(), mask.numpy(), np.zeros(ids.shape, np.int64))
        states = run.run(None, dict(zip(INPUTS, arrays, strict=True)))[0]
        return functional.normalize(torch.from_numpy(states[:, 0]), dim=-1)

    encode = batched(bases.BGE, vectors, longest)
    return lambda texts: encode([asks + text for text in texts])


def batched(folder: Path, vectors: Callable, longest: int) -> Callable[[list[str]], np.ndarray]:
    words = tokenizer(folder)

    @torch.inference_mode()
    def encode(texts: list[str]) -> np.ndarray:
        rows = token_ids(words, texts, longest)
        result = None
        for batch in length_batches([len(row) for row in rows], TOKENS_A_BATCH):
            ids, mask = padded([rows[index] for index in batch])
            part = vectors(ids, mask).numpy().astype(np.float16)
            if result is None:
                result = np.zeros((len(texts), part.shape[1]), np.float16)
            result[batch] = part
        return result

    return encode


def label(name: str, make: Callable, source: Path) -> None:
    """Vectors of the texts in `source`, kept as work/vectors/<teacher>-<source>.npy."""
    target = work(f"vectors/{name}-{source.stem}.npy")
    if target.exists():
        return
    texts, encode = read_texts(source), make()
    shards, started = [], time.time()
    for start in range(0, len(texts), SHARD):
        shard = work(f"vectors/{name}-{source.stem}-{start}.part.npy")
        if not shard.exists():
            np.save(shard, encode(texts[start : start + SHARD]))
            print(f"{name} {source.stem} {start + SHARD}/{len(texts)} {time.time() - started:.0f} s", flush=True)
        shards.append(shard)
    np.save(target, np.concatenate([np.load(shard) for shard in shards]))
    for shard in shards:
        shard.unlink()


def main(stage: str) -> None:
    if stage == "teach":
        for source in (QUERIES, PASSAGES):
            label("minilm", minilm_teacher, source)
        return
    longest = LONGEST[stage]
    for source, asks in ((questions.QUERIES, BGE_ASKS), (questions.PASSAGES, "")):
        label("minilm", lambda: minilm_teacher(longest), source)
        label("bge", lambda asks=asks: bge_teacher(longest, asks), source)


if __name__ == "__main__":
    torch.set_num_threads(max(1, (os.cpu_count() or 2) // 2))
    main(*sys.argv[1:])
