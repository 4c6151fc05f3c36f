"""What both training runs share: a decaying rate, bf16 on CPU, two processes, and checkpoints a killed run goes on from.

One process a core, gradients averaged once a step: on a busy machine that beats one process with two threads, which
meet at a barrier in every product.
"""

import os
import time
from collections.abc import Callable
from pathlib import Path

import torch
from torch import distributed, nn

PROCESSES = int(os.environ.get("WORLD_SIZE", "1"))
PROCESS = int(os.environ.get("RANK", "0"))


def begin() -> None:
    torch.set_num_threads(1 if PROCESSES > 1 else os.cpu_count() or 1)
    if PROCESSES > 1:
        distributed.init_process_group("gloo")


def optimizer(model: nn.Module, rate: float) -> torch.optim.Optimizer:
    trained = [value for value in model.parameters() if value.requires_grad]
    groups = [
        {"params": [value for value in trained if value.ndim > 1], "weight_decay": 0.01},
        {"params": [value for value in trained if value.ndim <= 1], "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(groups, lr=rate, betas=(0.9, 0.98), fused=True)


def share_gradients(model: nn.Module) -> None:
    if PROCESSES == 1:
        return
    gradients = [value.grad for value in model.parameters() if value.grad is not None]
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
    examine: Callable[[], float] | None = None,
    every: int = 100,
) -> None:
    """Runs the steps from the checkpoint's to `steps`; `loss_of(number)` gets a number that no other process or step gets.

    With `examine` (higher is better) the model ends in the best state seen, else in the last.
    """
    chooser = optimizer(model, rate)
    first, best, best_state = 0, float("-inf"), None
    if checkpoint.exists():
        saved = torch.load(checkpoint, weights_only=True)
        model.load_state_dict(saved["model"])
        chooser.load_state_dict(saved["chooser"])
        first, best, best_state = saved["step"], saved["best"], saved["best_state"]
    started, total, seen = time.time(), 0.0, 0
    for step in range(first, steps):
        scale = min(1.0, (step + 1) / (0.05 * steps)) * max(0.02, 1 - step / steps)
        for group in chooser.param_groups:
            group["lr"] = rate * scale
        with torch.autocast("cpu", torch.bfloat16):
            loss = loss_of(step * PROCESSES + PROCESS)
        loss.backward()
        share_gradients(model)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        chooser.step()
        chooser.zero_grad(set_to_none=True)
        total, seen = total + loss.item(), seen + 1
        if PROCESS == 0 and ((step + 1) % every == 0 or step + 1 == steps):
            score = examine() if examine else float(step)
            if score > best:
                best, best_state = score, {key: value.clone() for key, value in model.state_dict().items()}
            state = {"model": model.state_dict(), "chooser": chooser.state_dict()}
            torch.save({**state, "step": step + 1, "best": best, "best_state": best_state}, checkpoint)
            pace = (time.time() - started) / (step + 1 - first)
            print(f"{name} {step + 1}/{steps} loss {total / seen:.4f} score {score:.4f} {pace:.2f} s/step", flush=True)
            total, seen = 0.0, 0
    if best_state:
        model.load_state_dict(best_state)
