"""Stages `calibrate` and `calibrate-candidate`: temperature and bias that make sigmoid(logit / temperature + bias) a probability of being right.

Fitted on half of the held-out questions of the training sets, its error measured on the other half. A question's pairs
are its labelled passage and its best BM25 and teacher candidates, as a reranker meets them; unlabelled ones count as wrong.
"""

import json
import sys
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

import questions
import sharpen
from make_texts import PASSAGES, QUERIES, rows
from measures import calibration_error
from mine import CANDIDATES
from package import CANDIDATE, VERSIONS
from paths import RERANKER
from running import PairModel

QUESTIONS = 400
LISTED = 6


def pairs(folder: Path, sources: tuple[Path, Path, Path]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Logits, truth and question number of the held-out pairs."""
    model = PairModel(folder / "onnx/model_quantized.onnx", folder)
    passages = [row["text"] for row in rows(sources[0])]
    mined = np.load(sources[2])
    asked = [row for row in rows(sources[1]) if row["split"] == "dev" and right_of(row) is not None][:QUESTIONS]
    logits, truth, owner = [], [], []
    for row in asked:
        lists = [mined[name][row["id"], :LISTED].tolist() for name in ("lexical", "dense")]
        listed = list(dict.fromkeys([right_of(row), *lists[0], *lists[1]]))
        logits.append(model(row["text"], [passages[one] for one in listed]))
        truth.append(np.array([one == right_of(row) for one in listed], float))
        owner.append(np.full(len(listed), row["id"]))
    return np.concatenate(logits), np.concatenate(truth), np.concatenate(owner)


def right_of(row: dict) -> int | None:
    return row["positive"] if "positive" in row else next(iter(row["right"]), None)


def probability(logits: np.ndarray, temperature: float, bias: float) -> np.ndarray:
    return 1 / (1 + np.exp(-(logits / temperature + bias)))


def main(folder: Path, sources: tuple[Path, Path, Path]) -> None:
    logits, truth, owner = pairs(folder, sources)
    fitted = owner % 2 == 0

    def surprise(free: np.ndarray) -> float:
        guess = probability(logits[fitted], np.exp(free[0]), free[1]).clip(1e-7, 1 - 1e-7)
        return float(-(truth[fitted] * np.log(guess) + (1 - truth[fitted]) * np.log(1 - guess)).mean())

    free = minimize(surprise, np.array([1.0, -1.0]), method="Nelder-Mead").x
    temperature, bias = float(np.exp(free[0])), float(free[1])
    rest = ~fitted
    content = {
        "model_id": f"{folder.name}@{VERSIONS[folder.name]}",
        "temperature": round(temperature, 4),
        "bias": round(bias, 4),
        "ece": round(calibration_error(probability(logits[rest], temperature, bias), truth[rest]), 4),
        "ece_before": round(calibration_error(probability(logits[rest], 1.0, 0.0), truth[rest]), 4),
        "pairs": len(logits),
    }
    (folder / "calibration.json").write_text(json.dumps(content, indent=2) + "\n")
    print(json.dumps(content), flush=True)


if __name__ == "__main__":
    if sys.argv[1:] == ["candidate"]:
        main(CANDIDATE, (questions.PASSAGES, questions.QUERIES, sharpen.CANDIDATES))
    else:
        main(RERANKER, (PASSAGES, QUERIES, CANDIDATES))
