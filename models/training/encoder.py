"""A BERT encoder of any depth with one fused query-key-value product, and the text side of it."""

import json
import os
import time
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer
from torch import nn
from torch.nn import functional

HIDDEN = 384
HEADS = 12
POSITIONS = 512
VOCABULARY = 30522
# Far enough below any score to vanish, near enough that softmax meets no denormals, which cost it three times its time.
MASKED = -50.0

CHOSEN = "STOWAGE_TRAINING_NUMBERS"


def fastest() -> torch.dtype:
    """The kind of numbers whose products are the fastest: some processors have bfloat16 and float16 that are, others emulate them, up to 50 times slower than float32."""
    seconds = {}
    for kind in (torch.float32, torch.bfloat16, torch.float16):
        rows, weights = torch.ones(512, HIDDEN, dtype=kind), torch.ones(HIDDEN, 4 * HIDDEN, dtype=kind)
        rows @ weights
        started = time.perf_counter()
        for _ in range(3):
            rows @ weights
        seconds[kind] = time.perf_counter() - started
    return min(seconds, key=seconds.__getitem__)


# All processes of a training run must have the same.
FAST = getattr(torch, os.environ[CHOSEN]) if CHOSEN in os.environ else fastest()


def attend(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    """Plain products: on CPU the fused kernel's backward pass costs more than all the rest of a layer."""
    scores = torch.matmul(query * query.shape[-1] ** -0.5, key.transpose(-1, -2))
    return torch.matmul(torch.softmax(scores + bias.to(scores.dtype), dim=-1), value)


class Layer(nn.Module):
    add = staticmethod(torch.add)

    def __init__(self, hidden: int = HIDDEN, inner: int = 4 * HIDDEN, heads: int = HEADS) -> None:
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(hidden, 3 * hidden)
        self.out = nn.Linear(hidden, hidden)
        self.norm_attention = nn.LayerNorm(hidden, eps=1e-12)
        self.up = nn.Linear(hidden, inner)
        self.down = nn.Linear(inner, hidden)
        self.norm_output = nn.LayerNorm(hidden, eps=1e-12)

    def forward(self, states: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        batch, length, hidden = states.shape
        split = self.qkv(states).view(batch, length, 3, self.heads, hidden // self.heads).permute(2, 0, 3, 1, 4)
        mixed = attend(split[0], split[1], split[2], bias)
        states = self.norm_attention(self.add(states, self.out(mixed.transpose(1, 2).reshape(batch, length, hidden))))
        return self.norm_output(self.add(states, self.down(functional.gelu(self.up(states)))))


class Encoder(nn.Module):
    """Token ids and an additive attention bias [batch, 1, 1 or length, length] in, states [batch, length, 384] out."""

    def __init__(self, depth: int, inner: int = 4 * HIDDEN) -> None:
        super().__init__()
        self.words = nn.Embedding(VOCABULARY, HIDDEN)
        self.positions = nn.Embedding(POSITIONS, HIDDEN)
        self.types = nn.Embedding(2, HIDDEN)
        self.norm = nn.LayerNorm(HIDDEN, eps=1e-12)
        self.layers = nn.ModuleList(Layer(inner=inner) for _ in range(depth))

    def embed(self, words: torch.Tensor, positions: torch.Tensor) -> torch.Tensor:
        return self.norm(words + self.positions(positions) + self.types.weight[0])

    def forward(self, ids: torch.Tensor, mask: torch.Tensor, first_position: int = 0) -> torch.Tensor:
        positions = torch.arange(ids.shape[1]).unsqueeze(0) + first_position
        bias = (1.0 - mask[:, None, None, :].float()) * MASKED
        states = self.embed(self.words(ids), positions)
        for layer in self.layers:
            states = layer(states, bias)
        return states


def load_bert(folder: Path, keep: list[int]) -> Encoder:
    """An encoder from published BERT weights with only the layers `keep`, in that order."""
    weights = {name.removeprefix("bert."): value for name, value in load_file(folder / "model.safetensors").items()}
    model = Encoder(len(keep))
    state = {
        "words.weight": weights["embeddings.word_embeddings.weight"],
        "positions.weight": weights["embeddings.position_embeddings.weight"],
        "types.weight": weights["embeddings.token_type_embeddings.weight"],
        "norm.weight": weights["embeddings.LayerNorm.weight"],
        "norm.bias": weights["embeddings.LayerNorm.bias"],
    }
    for new, old in enumerate(keep):
        source = f"encoder.layer.{old}."
        for part in ("weight", "bias"):
            attention = [weights[f"{source}attention.self.{name}.{part}"] for name in ("query", "key", "value")]
            state[f"layers.{new}.qkv.{part}"] = torch.cat(attention)
            state[f"layers.{new}.out.{part}"] = weights[f"{source}attention.output.dense.{part}"]
            state[f"layers.{new}.norm_attention.{part}"] = weights[f"{source}attention.output.LayerNorm.{part}"]
            state[f"layers.{new}.up.{part}"] = weights[f"{source}intermediate.dense.{part}"]
            state[f"layers.{new}.down.{part}"] = weights[f"{source}output.dense.{part}"]
            state[f"layers.{new}.norm_output.{part}"] = weights[f"{source}output.LayerNorm.{part}"]
    model.load_state_dict({name: value.float() for name, value in state.items()})
    return model


def pooled(states: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Mean over the unmasked tokens, unit length."""
    weights = mask.unsqueeze(-1).to(states.dtype)
    return functional.normalize((states * weights).sum(1) / weights.sum(1).clamp(min=1e-6), dim=-1)


def tokenizer(folder: Path) -> Tokenizer:
    """The folder's tokenizer without its stored truncation and padding."""
    loaded = Tokenizer.from_file(str(folder / "tokenizer.json"))
    loaded.no_truncation()
    loaded.no_padding()
    return loaded


def token_ids(words: Tokenizer, texts: list[str], longest: int) -> list[list[int]]:
    """Ids with [CLS] and [SEP], cut to `longest` and still closed by [SEP]."""
    encoded = words.encode_batch_fast(texts)
    return [one.ids if len(one.ids) <= longest else one.ids[: longest - 1] + one.ids[-1:] for one in encoded]


def cached_ids(words: Tokenizer, source: Path, longest: int) -> list[list[int]]:
    """Ids of the texts in a stored file, kept beside it: every process of a training run starts by needing them."""
    kept = source.with_suffix(".ids.npz")
    if not kept.exists():
        rows = token_ids(words, read_texts(source), POSITIONS)
        flat = np.concatenate([np.array(row, np.uint16) for row in rows])
        save_whole(kept, {"flat": flat, "ends": np.cumsum([len(row) for row in rows])})
    stored = np.load(kept)
    rows = [part.tolist() for part in np.split(stored["flat"], stored["ends"][:-1])]
    return [row if len(row) <= longest else row[: longest - 1] + row[-1:] for row in rows]


def save_whole(path: Path, arrays: dict[str, np.ndarray]) -> None:
    """Each process of a training run writes a file of its own and moves it, so that none reads half of one."""
    own = path.with_suffix(f".{os.getpid()}.npz")
    np.savez(own, **arrays)
    own.replace(path)


def rounded(length: int) -> int:
    """Up to the next multiple of 16: few distinct shapes keep the matrix kernels' caches warm."""
    return -(-length // 16) * 16


def padded(rows: list[list[int]], fill: int = 0) -> tuple[torch.Tensor, torch.Tensor]:
    width = rounded(max(len(row) for row in rows))
    ids = torch.full((len(rows), width), fill, dtype=torch.long)
    mask = torch.zeros(len(rows), width, dtype=torch.long)
    for index, row in enumerate(rows):
        ids[index, : len(row)] = torch.tensor(row)
        mask[index, : len(row)] = 1
    return ids, mask


def length_batches(lengths: list[int], tokens: int) -> list[list[int]]:
    """Indices grouped by similar length, about `tokens` padded tokens a batch."""
    batches: list[list[int]] = [[]]
    for index in np.argsort(lengths, kind="stable")[::-1].tolist():
        if batches[-1] and (len(batches[-1]) + 1) * rounded(lengths[batches[-1][0]]) > tokens:
            batches.append([])
        batches[-1].append(index)
    return batches


def read_texts(path: Path) -> list[str]:
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line)["text"] for line in lines]
