"""ONNX and int8: fp32 graphs under work/onnx, the quantized ones in the model folders."""

from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper
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


def quantize(source: Path, target: Path, per_channel: bool = True) -> Path:
    """Weights of products and embeddings to int8, activations by their range at run time."""
    target.parent.mkdir(parents=True, exist_ok=True)
    quantize_dynamic(
        source,
        target,
        op_types_to_quantize=["MatMul", "Gather"],
        per_channel=per_channel,
        reduce_range=False,
        weight_type=QuantType.QInt8,
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


def export_scorer(scorer: Scorer, target: Path) -> Path:
    for layer in scorer.tower.layers:
        layer.add = apart
    return write(PairScorer(scorer), "logits", target)


def export_encoder(encoder: Encoder, target: Path) -> Path:
    for layer in encoder.layers:
        layer.add = apart
    return write(LastHiddenState(encoder), "last_hidden_state", target)
