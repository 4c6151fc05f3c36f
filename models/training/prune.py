"""Narrower feed-forward parts: keep the neurons that move a layer's output most on sample texts."""

import torch
from torch.nn import functional

from encoder import Encoder, padded


@torch.no_grad()
def narrowed(model: Encoder, samples: list[list[int]], inner: int) -> Encoder:
    """A copy of `model` with `inner` feed-forward neurons a layer."""
    ids, mask = padded(samples)
    activity: dict[int, torch.Tensor] = {}
    hooks = [
        layer.up.register_forward_hook(
            lambda _, __, out, number=number: activity.update({number: functional.gelu(out)[mask.bool()].abs().mean(0)})
        )
        for number, layer in enumerate(model.layers)
    ]
    model(ids, mask)
    for hook in hooks:
        hook.remove()
    state = dict(model.state_dict())
    for number, layer in enumerate(model.layers):
        moved = activity[number] * layer.down.weight.norm(dim=0)
        kept = moved.topk(inner).indices.sort().values
        state[f"layers.{number}.up.weight"] = layer.up.weight[kept]
        state[f"layers.{number}.up.bias"] = layer.up.bias[kept]
        state[f"layers.{number}.down.weight"] = layer.down.weight[:, kept]
    smaller = Encoder(len(model.layers), inner)
    smaller.load_state_dict(state)
    return smaller
