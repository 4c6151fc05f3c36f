"""Stage `measure`: the tables of the model cards, from the exported int8 files (and fp32 for the parity rows)."""

import argparse
import json

import numpy as np

import goldens
from bm25 import Bm25
from measures import minmax, ndcg, shown
from paths import EMBEDDER, RERANKER, work
from running import DenseModel, PairModel

BLENDS = (0.3, 0.5, 0.7, 1.0)
DEPTH = {"scifact": 100, "docs-rag": 50, "chunking": 50}
# Reranking is the slow part of measuring: of the larger sets every so many-th query.
EVERY = {"scifact": 8, "docs-rag": 1, "chunking": 2}
RERANKED = {
    "docs-rag": lambda: goldens.chunked("docs-rag"),
    "chunking": lambda: goldens.chunked("chunking"),
    "scifact": lambda: goldens.scifact(held_out_only=True),
}


def ideal(relevant: dict[int, float]) -> list[float]:
    return list(relevant.values())


def golden_sets() -> list[goldens.Golden]:
    return [goldens.chunked("docs-rag"), goldens.chunked("chunking"), goldens.scifact()]


def judged(order: np.ndarray, relevant: dict[int, float]) -> list[float]:
    return [relevant.get(int(one), 0.0) for one in order]


def ranking_rows(golden: goldens.Golden, scores: np.ndarray) -> dict[str, str]:
    orders = np.argsort(-scores, axis=1, kind="stable")[:, :100]
    pairs = list(zip(orders, golden.relevant, golden.share, strict=True))
    return {
        "nDCG@10": shown([ndcg(judged(order, right), ideal(right)) for order, right, _ in pairs]),
        "recall@5": shown([sum(share.get(int(one), 0.0) for one in order[:5]) for order, _, share in pairs]),
        "recall@100": shown([sum(share.get(int(one), 0.0) for one in order) for order, _, share in pairs]),
    }


def dense_table(models: dict[str, DenseModel]) -> dict:
    table = {}
    for golden in golden_sets():
        lexical = Bm25(golden.passages).scores(golden.queries)
        found = {"bm25": ranking_rows(golden, lexical)}
        for name, model in models.items():
            cosine = model(golden.queries) @ model(golden.passages).T
            found[name] = ranking_rows(golden, cosine)
            scaled = [np.apply_along_axis(minmax, 1, both) for both in (lexical, cosine)]
            for weight in (0.3, 0.5, 0.7):
                found[f"hybrid {weight} {name}"] = ranking_rows(golden, (1 - weight) * scaled[0] + weight * scaled[1])
            print(golden.name, name, json.dumps(found[name]), flush=True)
        table[golden.name] = {"queries": len(golden.queries), "passages": len(golden.passages), **found}
    return table


def dl19_table(rerankers: dict[str, PairModel], dense: dict[str, DenseModel]) -> dict:
    """nDCG@10 of BM25's top 100 in each order; the ideal is over every judged passage."""
    rows = goldens.dl19()
    values: dict[str, list[float]] = {"first stage": []}
    for row in rows:
        texts = [passage["text"] for passage in row["passages"]]
        scores = {"first stage": -np.arange(len(texts), dtype=float)}
        scores |= {name: model(row["query"], texts) for name, model in rerankers.items()}
        scores |= {name: model(texts) @ model([row["query"]])[0] for name, model in dense.items()}
        for name, score in scores.items():
            order = np.argsort(-score, kind="stable")
            grades = [row["passages"][one]["grade"] for one in order]
            values.setdefault(name, []).append(ndcg(grades, list(row["judged_relevant"].values())))
    return {"queries": len(rows), **{name: shown(one) for name, one in values.items()}}


def rerank_table(golden: goldens.Golden, model: PairModel, dense: DenseModel) -> dict:
    """The reranker over BM25's list and, but for scifact, over the hybrid list, at several blend weights."""
    lexical = Bm25(golden.passages).scores(golden.queries)
    cosine = None if golden.name == "scifact" else dense(golden.queries) @ dense(golden.passages).T
    kept = range(0, len(golden.queries), EVERY[golden.name])
    values: dict[str, list[tuple[float, float]]] = {}
    for number in kept:
        lists = {"bm25": lexical[number]}
        if cosine is not None:
            lists["hybrid"] = 0.5 * minmax(lexical[number]) + 0.5 * minmax(cosine[number])
        tops = {name: np.argsort(-one, kind="stable")[: DEPTH[golden.name]] for name, one in lists.items()}
        union = np.unique(np.concatenate(list(tops.values())))
        logit = dict(zip(union.tolist(), model(golden.queries[number], [golden.passages[i] for i in union]), strict=True))
        right, share = golden.relevant[number], golden.share[number]
        for name, top in tops.items():
            first, second = minmax(lists[name][top]), minmax(np.array([logit[int(one)] for one in top]))
            for weight in (0.0, *BLENDS):
                order = top[np.argsort(-((1 - weight) * first + weight * second), kind="stable")]
                row = ndcg(judged(order, right), ideal(right)), sum(share.get(int(one), 0.0) for one in order[:5])
                values.setdefault(f"{name} w={weight}", []).append(row)
    table: dict = {"queries": len(list(kept))}
    for name, found in values.items():
        base = values[f"{name.split()[0]} w=0.0"]
        table[name] = {
            "nDCG@10": shown([one[0] for one in found]),
            "recall@5": shown([one[1] for one in found]),
            "nDCG@10 gain": shown([one[0] - other[0] for one, other in zip(found, base, strict=True)]),
        }
    return table


def keep(name: str, table: dict) -> None:
    work(f"measured-{name}.json").write_text(json.dumps(table, indent=1))
    print(json.dumps(table, indent=1), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("tables", nargs="*", default=["dense", "dl19", *(f"rerank-{name}" for name in RERANKED)])
    chosen = parser.parse_args().tables
    embedder = DenseModel(EMBEDDER / "onnx/model_quantized.onnx", EMBEDDER)
    if "dense" in chosen:
        keep("dense", dense_table({EMBEDDER.name: embedder}))
    if "dl19" in chosen:
        int8 = PairModel(RERANKER / "onnx/model_quantized.onnx", RERANKER)
        fp32 = PairModel(work("onnx/reranker.onnx"), RERANKER)
        pairs = {"stowage-reranker int8": int8, "stowage-reranker fp32": fp32}
        vectors = {EMBEDDER.name: embedder}
        keep("dl19", dl19_table(pairs, vectors))
    for name, make in RERANKED.items():
        if f"rerank-{name}" in chosen:
            reranker = PairModel(RERANKER / "onnx/model_quantized.onnx", RERANKER)
            keep(f"rerank-{name}", rerank_table(make(), reranker, embedder))


if __name__ == "__main__":
    main()
