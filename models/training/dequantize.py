"""The reranker's weights back from a model folder: int8 products times their scales. The frozen word and position tables come from MiniLM itself.

`python dequantize.py FOLDER` leaves them as `trained.pt`, where `sharpen` begins, and says how far its logits are from the file's.
"""

import re
import sys
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from scipy.stats import spearmanr

import bases
from distil import INNER, KEPT_LAYERS
from encoder import load_bert, token_ids, tokenizer
from make_texts import rows
from questions import PASSAGES, QUERIES
from running import PairModel
from scorer import PairScorer, Scorer
from train import FINAL


def product(graph: onnx.GraphProto, stored: dict[str, np.ndarray]) -> dict[str, torch.Tensor]:
    """Weights of the quantized products by the names of their modules."""
    found = {}
    for node in graph.node:
        if node.op_type == "MatMulInteger" and node.input[1] in stored:
            base = node.input[1].removesuffix("_quantized")
            name = re.sub(r"/(MatMul|Gemm_MatMul)_quant$", "", node.name).strip("/").replace("/", ".")
            exact = (stored[node.input[1]].astype(np.float32) - stored[f"{base}_zero_point"]) * stored[f"{base}_scale"]
            key = f"tower.{name}" if name.startswith("layers") else name
            found[f"{key}.weight"] = torch.from_numpy(exact.T.copy())
    return found


def scorer(file: Path) -> Scorer:
    graph = onnx.load(str(file)).graph
    stored = {one.name: numpy_helper.to_array(one) for one in graph.initializer}
    plain = {name.removeprefix("scorer."): torch.from_numpy(value.copy()) for name, value in stored.items() if name.startswith("scorer.")}
    tables = {f"tower.{name}": value for name, value in load_bert(bases.MINILM, []).state_dict().items() if "norm" not in name}
    model = Scorer(len(KEPT_LAYERS), INNER)
    known = model.state_dict().keys()
    state = {**tables, **{name: value for name, value in plain.items() if name in known}, **product(graph, stored)}
    model.load_state_dict(state)
    return model


def main(folder: Path) -> None:
    file = folder / "onnx/model_quantized.onnx"
    model = scorer(file).eval()
    torch.save(model.state_dict(), FINAL)
    stored, pair, words = PairModel(file, folder), PairScorer(model), tokenizer(folder)
    queries = [row["text"] for row in list(rows(QUERIES))[::1500]]
    passages = [row["text"] for row in list(rows(PASSAGES))[::1000]]
    exact, small = [], []
    with torch.inference_mode():
        for query in queries:
            small.append(stored(query, passages))
            asked = token_ids(words, [query], stored.query_longest)[0]
            for answer in token_ids(words, passages, stored.longest - len(asked) + 1):
                exact.append(pair(*map(torch.from_numpy, stored.inputs(asked, answer).values())).item())
    small = np.concatenate(small)
    apart = np.abs(np.array(exact) - small)
    print(f"{len(exact)} pairs: Spearman {spearmanr(exact, small).statistic:.4f}, mean difference {apart.mean():.3f}, greatest {apart.max():.3f}")


if __name__ == "__main__":
    torch.set_num_threads(1)
    main(Path(sys.argv[1]))
