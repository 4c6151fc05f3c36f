"""A training run: a decaying rate, the numbers of `encoder.py`, two processes, and checkpoints a killed run goes on from.

One process a core, gradients averaged once a step: on a busy machine that beats one process with two threads, which
meet at a barrier in every product.
"""

import os
import time
from collections.abc import Callable
from pathlib import Path

import torch
from torch import distributed, nn

from encoder import FAST

PROCESSES = int(os.environ.get("WORLD_SIZE", "1"))
PROCESS = int(os.environ.get("RANK", "0"))
NEW_PART_RATE = 4.0
# Small gradients vanish in float16.
LOSS_SCALE = 256.0 if FAST == torch.float16 else 1.0


def begin() -> None:
    torch.set_num_threads(1 if PROCESSES > 1 else os.cpu_count() or 1)
    if PROCESSES > 1:
        distributed.init_process_group("gloo")


def optimizer(model: nn.Module, rate: float, new_parts: tuple[str, ...]) -> torch.optim.Optimizer:
    """Parts named in `new_parts` start from nothing and learn faster; biases and norms decay nothing."""
    groups: dict[tuple[float, float], list[nn.Parameter]] = {}
    for name, value in model.named_parameters():
        if value.requires_grad:
            key = (NEW_PART_RATE if name.startswith(new_parts) else 1.0, 0.01 if value.ndim > 1 else 0.0)
            groups.setdefault(key, []).append(value)
    listed = [{"params": part, "scale": scale, "weight_decay": decay} for (scale, decay), part in groups.items()]
    return torch.optim.AdamW(listed, lr=rate, betas=(0.9, 0.98), fused=True)


def share_gradients(model: nn.Module) -> None:
    """A part that one process did not use has a gradient of zero there."""
    if PROCESSES == 1:
        return
    trained = [value for value in model.parameters() if value.requires_grad]
    for value in trained:
        if value.grad is None:
            value.grad = torch.zeros_like(value)
    gradients = [value.grad for value in trained if value.grad is not None]
    flat = torch.cat([gradient.flatten() for gradient in gradients])
    distributed.all_reduce(flat)
    flat /= PROCESSES
    start = 0
    for gradient in gradients:
        gradient.copy_(flat[start : start + gradient.numel()].view_as(gradient))
        start += gradient.numel()


def fit(
    name: str,
    model: nn.Module,
    steps: int,
    rate: float,
    loss_of: Callable[[int], torch.Tensor],
    checkpoint: Path,
    examine: Callable[[], float],
    every: int,
    new_parts: tuple[str, ...],
) -> None:
    """Runs the steps that the checkpoint has not; `loss_of(number)` gets a number that no other process or step gets.

    The model ends in its last state. What `examine` measures is printed, and no state is chosen by it.
    """
    chooser, first = optimizer(model, rate, new_parts), 0
    if checkpoint.exists():
        saved = torch.load(checkpoint, weights_only=True)
        model.load_state_dict(saved["model"])
        chooser.load_state_dict(saved["chooser"])
        first = saved["step"]
    started, total, seen = time.time(), 0.0, 0
    for step in range(first, steps):
        scale = min(1.0, (step + 1) / (0.05 * steps)) * max(0.02, 1 - step / steps)
        for group in chooser.param_groups:
            group["lr"] = rate * scale * group["scale"]
        with torch.autocast("cpu", FAST, enabled=FAST != torch.float32):
            loss = loss_of(step * PROCESSES + PROCESS)
        (loss * LOSS_SCALE).backward()
        share_gradients(model)
        for value in model.parameters():
            if value.grad is not None:
                value.grad /= LOSS_SCALE
        # A step whose gradients have no number in float16 is left out.
        if nn.utils.clip_grad_norm_(model.parameters(), 1.0).isfinite():
            chooser.step()
        chooser.zero_grad(set_to_none=True)
        total, seen = total + loss.item(), seen + 1
        if PROCESS == 0 and ((step + 1) % every == 0 or step + 1 == steps):
            torch.save({"model": model.state_dict(), "chooser": chooser.state_dict(), "step": step + 1}, checkpoint)
            pace = (time.time() - started) / (step + 1 - first)
            print(f"{name} {step + 1}/{steps} loss {total / seen:.4f} score {examine():.4f} {pace:.2f} s/step", flush=True)
            total, seen = 0.0, 0
