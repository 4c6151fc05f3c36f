"""Where things lie. WORK holds everything that can be made again; nothing in it is committed."""

import os
from pathlib import Path

TRAINING = Path(__file__).resolve().parent
MODELS = TRAINING.parent
WORK = Path(os.environ.get("STOWAGE_TRAINING_WORK", TRAINING / "work"))
DATA = Path(os.environ.get("STOWAGE_DATA", MODELS.parent.parent / "shared" / "data"))

RERANKER = MODELS / "stowage-reranker"
EMBEDDER = MODELS / "all-MiniLM-L6-v2"


def work(name: str) -> Path:
    path = WORK / name
    path.parent.mkdir(parents=True, exist_ok=True)
    return path
