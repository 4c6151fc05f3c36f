"""ONNX and int8: fp32 graphs under work/onnx, the quantized ones in the model folders."""

from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic
from torch import nn

from encoder import MASKED, Encoder
from scorer import PairScorer, Scorer

OPSET = 14
AXES = {0: "batch", 1: "sequence"}
INPUTS = ["input_ids", "attention_mask", "token_type_ids"]


class LastHiddenState(nn.Module):
    """The encoder with the inputs and the output that feature-extraction pipelines expect."""

    def __init__(self, encoder: Encoder) -> None:
        super().__init__()
        self.encoder = encoder

    def forward(self, ids: torch.Tensor, attention: torch.Tensor, types: torch.Tensor) -> torch.Tensor:
        encoder = self.encoder
        positions = (torch.cumsum(torch.ones_like(ids), 1) - 1).clamp(max=511)
        states = encoder.norm(encoder.words(ids) + encoder.positions(positions) + encoder.types(types))
        bias = (1.0 - attention[:, None, None, :].float()) * MASKED
        for layer in encoder.layers:
            states = layer(states, bias)
        return states


def apart(states: torch.Tensor, change: torch.Tensor) -> torch.Tensor:
    """A sum that is no Add: ONNX Runtime 1.31 fuses Add and LayerNormalization into a kernel several times slower."""
    return states - (-change)


def write(model: nn.Module, output: str, target: Path) -> Path:
    target.parent.mkdir(parents=True, exist_ok=True)
    ids = torch.randint(1000, 9000, (2, 24))
    types = torch.zeros_like(ids)
    types[:, 9:] = 1
    axes = {**{name: AXES for name in INPUTS}, output: {0: "batch"} if output == "logits" else AXES}
    torch.onnx.export(
        model.float().eval(),
        (ids, torch.ones_like(ids), types),
        str(target),
        input_names=INPUTS,
        output_names=[output],
        dynamic_axes=axes,
        opset_version=OPSET,
        dynamo=False,
    )
    return target


def quantize(source: Path, target: Path, exact: tuple[str, ...] = ()) -> Path:
    """Weights of products and embeddings to int8, activations by their range at run time. `exact`: modules that stay as they are."""
    target.parent.mkdir(parents=True, exist_ok=True)
    names = [node.name for node in onnx.load(str(source)).graph.node if node.name.startswith(tuple(f"/{module}/" for module in exact))]
    quantize_dynamic(
        source,
        target,
        op_types_to_quantize=["MatMul", "Gather"],
        per_channel=True,
        reduce_range=False,
        weight_type=QuantType.QInt8,
        # A Gemm becomes a MatMul and an Add before.
        nodes_to_exclude=[*names, *(f"{name}_MatMul" for name in names)],
        extra_options={"MatMulConstBOnly": True},
    )
    onnx.checker.check_model(str(target))
    return target


def make_unsigned(target: Path) -> None:
    """
    Writes the weights of integer products as uint8: 128 more, with a zero point of 128 more, which is the same number. Without VNNI, ONNX Runtime multiplies uint8
    by int8 in 16 bits, and sums of two products saturate; uint8 by uint8 is exact on every processor.
    """
    model = onnx.load(str(target))
    weights = {weight.name: weight for weight in model.graph.initializer}
    for node in model.graph.node:
        if node.op_type != "MatMulInteger":
            continue
        for name in (node.input[1], node.input[3]):
            values = numpy_helper.to_array(weights[name])
            if values.dtype == np.int8:
                shifted = (values.astype(np.int16) + 128).astype(np.uint8)
                weights[name].CopyFrom(numpy_helper.from_array(shifted, name))
    onnx.save(model, str(target))


def multiply_words_as_integers(target: Path) -> None:
    """
    Both word vectors of a product come from one table of int8 with one scale. So their product is one of integers, which is exact and faster than that of
    floats (docs/decisions/0087): s(a - z) · s(b - z) = s² (a - z)(b - z).
    """
    model = onnx.load(str(target))
    graph = model.graph
    producers = {output: node for node in graph.node for output in node.output}

    def origin(name: str) -> onnx.NodeProto:
        """The node that computes a tensor, past casts, which change nothing here."""
        while producers[name].op_type == "Cast":
            name = producers[name].input[0]
        return producers[name]

    for product in [node for node in graph.node if node.op_type == "MatMul" and node.input[0] in producers]:
        words = origin(product.input[0])
        turned = producers.get(product.input[1])
        if words.op_type != "DequantizeLinear" or turned is None or turned.op_type != "Transpose":
            continue
        chosen = origin(turned.input[0])
        table, scale, zero = words.input
        own = [f"{product.name}/{name}" for name in ("chosen", "turned", "integer", "float", "square")]
        nodes = [
            helper.make_node("Gather", [table, chosen.input[1]], own[:1], name=own[0], axis=1),
            helper.make_node("Transpose", own[:1], own[1:2], name=own[1], perm=[0, 2, 1]),
            helper.make_node("MatMulInteger", [table, own[1], zero, zero], own[2:3], name=own[2]),
            helper.make_node("Cast", own[2:3], own[3:4], name=own[3], to=onnx.TensorProto.FLOAT),
            helper.make_node("Mul", [scale, scale], own[4:5], name=own[4]),
            helper.make_node("Mul", own[3:5], product.output, name=f"{product.name}/scaled"),
        ]
        at = list(graph.node).index(product)
        graph.node.remove(product)
        for node in reversed(nodes):
            graph.node.insert(at, node)
    onnx.checker.check_model(model)
    onnx.save(model, str(target))


def export_scorer(scorer: Scorer, target: Path) -> Path:
    for layer in scorer.tower.layers:
        layer.add = apart
    return write(PairScorer(scorer), "logits", target)


def export_encoder(encoder: Encoder, target: Path) -> Path:
    for layer in encoder.layers:
        layer.add = apart
    return write(LastHiddenState(encoder), "last_hidden_state", target)
