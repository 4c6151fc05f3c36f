"""Stage `label`: the unit vectors of two teachers, MiniLM and bge-small, for every passage and question, written in resumable shards.

Their mean ranks better than MiniLM alone.
"""

import os
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional

import bases
from encoder import FAST, length_batches, load_bert, padded, pooled, read_texts, token_ids, tokenizer
from paths import work
from questions import PASSAGES, QUERIES
from running import INPUTS, session

SHARD = 4096
TOKENS_A_BATCH = 4096
LONGEST = 176
BGE_ASKS = "Represent this sentence for searching relevant passages: "


def minilm_teacher() -> Callable[[list[str]], np.ndarray]:
    model = load_bert(bases.MINILM, [0, 1, 2, 3, 4, 5]).to(FAST).eval()
    return batched(bases.MINILM, lambda ids, mask: pooled(model(ids, mask).float(), mask))


def bge_teacher(asks: str) -> Callable[[list[str]], np.ndarray]:
    """The state of [CLS]. @param asks what a question begins with"""
    run = session(bases.BGE / "model.onnx", torch.get_num_threads())

    def vectors(ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        arrays = (ids.numpy(), mask.numpy(), np.zeros(ids.shape, np.int64))
        states = run.run(None, dict(zip(INPUTS, arrays, strict=True)))[0]
        return functional.normalize(torch.from_numpy(states[:, 0]), dim=-1)

    encode = batched(bases.BGE, vectors)
    return lambda texts: encode([asks + text for text in texts])


def batched(folder: Path, vectors: Callable) -> Callable[[list[str]], np.ndarray]:
    words = tokenizer(folder)

    @torch.inference_mode()
    def encode(texts: list[str]) -> np.ndarray:
        rows = token_ids(words, texts, LONGEST)
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


def main() -> None:
    for source, asks in ((QUERIES, BGE_ASKS), (PASSAGES, "")):
        label("minilm", minilm_teacher, source)
        label("bge", lambda asks=asks: bge_teacher(asks), source)


if __name__ == "__main__":
    torch.set_num_threads(max(1, (os.cpu_count() or 2) // 2))
    main()
