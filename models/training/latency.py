"""Stage `latency`: 50 pairs of about 130 tokens, one a run, one thread, beside a six-layer MiniLM in the same rounds."""

import json
import time

import numpy as np
import torch
from torch import nn

import bases
from encoder import HIDDEN, load_bert
from export import LastHiddenState, quantize, write
from paths import RERANKER, work
from running import INPUTS, session

PAIRS = 50
ROUNDS = 12
QUERY = 13


class SixLayers(nn.Module):
    """The shape of ms-marco-MiniLM-L-6: pooler and head are random, speed is all that is asked of it."""

    def __init__(self) -> None:
        super().__init__()
        self.body = LastHiddenState(load_bert(bases.MINILM, [0, 1, 2, 3, 4, 5]))
        self.pooler = nn.Linear(HIDDEN, HIDDEN)
        self.head = nn.Linear(HIDDEN, 1)

    def forward(self, ids: torch.Tensor, attention: torch.Tensor, types: torch.Tensor) -> torch.Tensor:
        return self.head(torch.tanh(self.pooler(self.body(ids, attention, types)[:, 0])))


def main() -> None:
    reference = work("onnx/six-layers.int8.onnx")
    if not reference.exists():
        quantize(write(SixLayers(), "logits", work("onnx/six-layers.onnx")), reference)
    runs = {"stowage-reranker": session(RERANKER / "onnx/model_quantized.onnx"), "six layers": session(reference)}
    chance = np.random.default_rng(0)
    inputs = []
    for length in chance.uniform(65, 195, PAIRS).astype(int):
        types = np.zeros((1, length), np.int64)
        types[:, QUERY:] = 1
        arrays = (chance.integers(1000, 20000, (1, length)), np.ones((1, length), np.int64), types)
        inputs.append(dict(zip(INPUTS, arrays, strict=True)))
    wall: dict[str, list[float]] = {name: [] for name in runs}
    busy: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(ROUNDS):
        for name, model in runs.items():
            started, used = time.perf_counter(), time.process_time()
            for one in inputs:
                model.run(None, one)
            wall[name].append(1000 * (time.perf_counter() - started))
            busy[name].append(1000 * (time.process_time() - used))
    found = {
        name: {"wall ms median": round(float(np.median(wall[name]))), "cpu ms median": round(float(np.median(busy[name])))}
        | {"cpu ms least": round(min(busy[name]))}
        for name in runs
    }
    ratios = [one / other for one, other in zip(busy["stowage-reranker"], busy["six layers"], strict=True)]
    found["cpu ratio, median of rounds"] = round(float(np.median(ratios)), 3)
    work("latency.json").write_text(json.dumps(found, indent=1))
    print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
