"""Stage `calibrate`: temperature and bias that make sigmoid(logit / temperature + bias) a probability of being right.

Fitted on half of the held-out questions of the training sets, its error measured on the other half. A question's pairs
are its labelled passage and its best BM25 and teacher candidates, as a reranker meets them; unlabelled ones count as wrong.
"""

import json

import numpy as np
from scipy.optimize import minimize

import widen
from texts import rows
from measures import calibration_error
from package import MODEL_IDS
from paths import RERANKER
from questions import PASSAGES, QUERIES
from rank import candidates_of
from running import PairModel

QUESTIONS = 400
LISTED = 6


def pairs() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Logits, truth and question number of the held-out pairs."""
    model = PairModel(RERANKER / "onnx/model_quantized.onnx", RERANKER)
    passages = [row["text"] for row in rows(PASSAGES)]
    mined = np.load(candidates_of(widen.LAST))
    asked = [row for row in rows(QUERIES) if row["split"] == "dev" and row["right"]][:QUESTIONS]
    logits, truth, owner = [], [], []
    for row in asked:
        lists = [mined[name][row["id"], :LISTED].tolist() for name in ("lexical", "dense")]
        listed = list(dict.fromkeys([row["right"][0], *lists[0], *lists[1]]))
        logits.append(model(row["text"], [passages[one] for one in listed]))
        truth.append(np.array([one == row["right"][0] for one in listed], float))
        owner.append(np.full(len(listed), row["id"]))
    return np.concatenate(logits), np.concatenate(truth), np.concatenate(owner)


def probability(logits: np.ndarray, temperature: float, bias: float) -> np.ndarray:
    return 1 / (1 + np.exp(-(logits / temperature + bias)))


def main() -> None:
    logits, truth, owner = pairs()
    fitted = owner % 2 == 0

    def surprise(free: np.ndarray) -> float:
        guess = probability(logits[fitted], np.exp(free[0]), free[1]).clip(1e-7, 1 - 1e-7)
        return float(-(truth[fitted] * np.log(guess) + (1 - truth[fitted]) * np.log(1 - guess)).mean())

    free = minimize(surprise, np.array([1.0, -1.0]), method="Nelder-Mead").x
    temperature, bias = float(np.exp(free[0])), float(free[1])
    rest = ~fitted
    content = {
        "model_id": MODEL_IDS[RERANKER],
        "temperature": round(temperature, 4),
        "bias": round(bias, 4),
        "ece": round(calibration_error(probability(logits[rest], temperature, bias), truth[rest]), 4),
        "ece_before": round(calibration_error(probability(logits[rest], 1.0, 0.0), truth[rest]), 4),
        "pairs": len(logits),
    }
    (RERANKER / "calibration.json").write_text(json.dumps(content, indent=2) + "\n")
    print(json.dumps(content), flush=True)


if __name__ == "__main__":
    main()
