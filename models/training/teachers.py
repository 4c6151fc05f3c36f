"""Stage `teach`: the teacher's unit vectors for every passage and query, written in resumable shards."""

import os
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch

import bases
from encoder import length_batches, load_bert, padded, pooled, read_texts, token_ids, tokenizer
from make_texts import PASSAGES, QUERIES
from paths import work

SHARD = 4096
TOKENS_A_BATCH = 4096


def minilm_teacher() -> Callable[[list[str]], np.ndarray]:
    model = load_bert(bases.MINILM, [0, 1, 2, 3, 4, 5]).to(torch.bfloat16).eval()
    return batched(bases.MINILM, lambda ids, mask: pooled(model(ids, mask).float(), mask), 192, 0)


def batched(folder: Path, vectors, longest: int, fill: int) -> Callable[[list[str]], np.ndarray]:
    words = tokenizer(folder)

    @torch.inference_mode()
    def encode(texts: list[str]) -> np.ndarray:
        rows = token_ids(words, texts, longest)
        result = None
        for batch in length_batches([len(row) for row in rows], TOKENS_A_BATCH):
            ids, mask = padded([rows[index] for index in batch], fill)
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
    for source in (QUERIES, PASSAGES):
        label("minilm", minilm_teacher, source)


if __name__ == "__main__":
    torch.set_num_threads(max(1, (os.cpu_count() or 2) // 2))
    main()
