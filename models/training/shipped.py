"""The weights of the shipped reranker, as they are in its int8 graph: where further training starts when the earlier stages were not run."""

import re
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper

import rank
from paths import RERANKER
from scorer import FEATURES, Scorer

PREFIX = "scorer."
TABLE = re.compile(r"scorer\.(tower\.(?:words|positions)\.weight)_quantized")
PRODUCT = re.compile(r"/(.+)/MatMul_quant")


def shipped_weights(path: Path = RERANKER / "onnx/model_quantized.onnx") -> dict[str, torch.Tensor]:
    """The state of a `Scorer`. Weights of products and tables are those that int8 has kept."""
    graph = onnx.load(str(path)).graph
    held = {one.name: numpy_helper.to_array(one) for one in graph.initializer}

    def exact(name: str) -> np.ndarray:
        return (held[f"{name}_quantized"].astype(np.float32) - held[f"{name}_zero_point"].astype(np.float32)) * held[f"{name}_scale"]

    found = {name.removeprefix(PREFIX): value for name, value in held.items() if name.startswith(PREFIX)}
    found = {name: value for name, value in found.items() if not name.endswith(("_quantized", "_scale", "_zero_point"))}
    for name in held:
        if table := TABLE.fullmatch(name):
            found[table[1]] = exact(f"{PREFIX}{table[1]}")
    for node in graph.node:
        if product := PRODUCT.fullmatch(node.name):
            part = product[1].replace("/", ".")
            found[f"{'tower.' if part.startswith('layers') else ''}{part}.weight"] = exact(node.input[1].removesuffix("_quantized")).T
    state = Scorer(len(rank.LAYERS), rank.INNER).state_dict()
    # Folded by the exporter: the first of both kinds of tokens, and two layers that were widened to whole blocks.
    kind, blend, hidden = (next(value for name, value in held.items() if re.fullmatch(rf"onnx::{part}", name) and value.shape == shape)
                           for part, shape in ((r"Add_\d+", (384,)), (r"Mul_\d+", (1, 8)), (r"Mul_\d+", (32, 8))))
    found |= {"tower.types.weight": np.stack([kind, kind]), "blend.weight": blend[:, :FEATURES], "hidden.weight": hidden[:, :FEATURES]}
    missing = state.keys() ^ found.keys()
    if missing:
        raise ValueError(f"{path} and the scorer differ in {', '.join(sorted(missing))}")
    return {name: torch.from_numpy(np.array(found[name])).reshape(value.shape) for name, value in state.items()}
