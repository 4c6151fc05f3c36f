"""Ranking measures and their bootstrap intervals."""

import math
from collections.abc import Sequence

import numpy as np


def ndcg(grades: Sequence[float], ideal: Sequence[float], k: int = 10) -> float:
    """nDCG@k with linear gain over log2(rank + 1), as trec_eval does; `ideal` holds all judged grades."""
    best = sum(grade / math.log2(rank + 2) for rank, grade in enumerate(sorted(ideal, reverse=True)[:k]))
    return sum(grade / math.log2(rank + 2) for rank, grade in enumerate(grades[:k])) / best if best else 0.0


def interval(values: Sequence[float], draws: int = 2000) -> tuple[float, float, float]:
    """Mean and its 95 % bootstrap interval over queries."""
    values = np.asarray(values, float)
    chance = np.random.default_rng(5)
    means = values[chance.integers(0, len(values), (draws, len(values)))].mean(1)
    return float(values.mean()), float(np.quantile(means, 0.025)), float(np.quantile(means, 0.975))


def shown(values: Sequence[float]) -> str:
    mean, low, high = interval(values)
    return f"{mean:.3f} [{low:.3f}, {high:.3f}]"


def minmax(values: np.ndarray) -> np.ndarray:
    low, high = values.min(), values.max()
    return (values - low) / (high - low) if high > low else np.zeros_like(values)


def calibration_error(probability: np.ndarray, truth: np.ndarray, bins: int = 10) -> float:
    """Expected calibration error over bins of equal size."""
    order = np.argsort(probability)
    parts = zip(np.array_split(probability[order], bins), np.array_split(truth[order], bins), strict=True)
    return float(sum(len(p) * abs(p.mean() - t.mean()) for p, t in parts) / len(probability))
