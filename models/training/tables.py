"""Prints the measured figures as the tables of the model cards."""

import json

from paths import RERANKER, work


def read(name: str) -> dict:
    path = work(name)
    return json.loads(path.read_text()) if path.exists() else {}


def table(head: list[str], lines: list[list[str]]) -> None:
    print("| " + " | ".join(head) + " |\n|" + " --- |" * len(head))
    for line in lines:
        print("| " + " | ".join(str(cell) for cell in line) + " |")
    print()


def main() -> None:
    for name, found in read("measured-dense.json").items():
        lines = [[order, *row.values()] for order, row in found.items() if isinstance(row, dict)]
        title = f"{name} ({found['queries']} queries, {found['passages']} passages)"
        table([title, "nDCG@10", "recall@5", "recall@100"], lines)
    dl19 = read("measured-dl19.json")
    table(["DL19, 43 queries", "nDCG@10"], [[key, value] for key, value in dl19.items() if key != "queries"])
    for name in ("docs-rag", "chunking", "scifact"):
        found = read(f"measured-rerank-{name}.json")
        lines = [[order, *row.values()] for order, row in found.items() if isinstance(row, dict)]
        table([f"{name} ({found.get('queries')} queries)", "nDCG@10", "recall@5", "nDCG@10 gain"], lines)
    for file in ("latency.json", "parity-all-MiniLM-L6-v2.json", "parity-stowage-reranker.json"):
        print(file, json.dumps(read(file)), "\n")
    print((RERANKER / "calibration.json").read_text())


if __name__ == "__main__":
    main()
