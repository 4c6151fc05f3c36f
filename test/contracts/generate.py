"""Writes the reference answers beside this file: `python generate.py` with requirements.txt installed.

Every answer comes from the real engine. Where the REST server does a step before the engine (resolving ids of examples,
averaging them, pushing filters down into prefetches), rest_to_edge.py does it and the case says `"source": "engine+plan"`;
a few answers that the engine cannot give are computed from the payloads, `"source": "formula"` (see cases.py).
"""

import itertools
import json
import pathlib
import tempfile

import qdrant_edge as q

import dataset
import rest_to_edge as edge
from cases import FORMULAS, PATCH, PAYLOAD_KEYS, PAYLOADS, TEXTS, cases

HERE = pathlib.Path(__file__).parent
DISTANCES = {"Cosine": q.Distance.Cosine, "Dot": q.Distance.Dot, "Euclid": q.Distance.Euclid}
TOKENIZERS = {"word": q.TokenizerType.Word, "whitespace": q.TokenizerType.Whitespace}


def encode(vector):
    return {"indices": list(vector.indices), "values": list(vector.values)}


def build(folder):
    vectors = {name: q.EdgeVectorParams(v["size"], DISTANCES[v["distance"]]) for name, v in dataset.SCHEMA["vectors"].items()}
    sparse = {
        name: q.EdgeSparseVectorParams(modifier=q.Modifier.Idf if v.get("modifier") else None)
        for name, v in dataset.SCHEMA["sparse_vectors"].items()
    }
    shard = q.EdgeShard.create(folder, q.EdgeConfig(vectors, sparse))
    points = dataset.points(lambda text: encode(q.Bm25().embed_document(text)))
    for field, schema in dataset.INDEXES:
        shard.update(q.UpdateOperation.create_field_index(field, index(schema)))
    shard.update(
        q.UpdateOperation.upsert_points(
            [q.Point(edge.to_id(p["id"]), {n: edge.to_vector(v) for n, v in p["vector"].items()}, p["payload"]) for p in points]
        )
    )
    return shard, points


def index(schema):
    if schema == "keyword":
        return q.PayloadSchemaType.Keyword
    simple = {"integer": q.PayloadSchemaType.Integer, "float": q.PayloadSchemaType.Float, "datetime": q.PayloadSchemaType.Datetime}
    if schema in ("integer", "float", "datetime"):
        return simple[schema]
    options = {k: v for k, v in schema.items() if k != "type"}
    return q.TextIndexParams(**{**options, "tokenizer": TOKENIZERS[schema["tokenizer"]]})


def run_query(shard, request):
    """The whole ranking, so that ties at the cut can be judged; what `limit` and `offset` leave of it is checked here."""
    limit, offset = request.get("limit", 10), request.get("offset", 0)
    for leaf in edge.as_list(request.get("prefetch")):
        if leaf.get("query") is not None and "prefetch" not in leaf:
            scores = [p.score for p in shard.query(edge.query_request(shard, {**leaf, "filter": leaf.get("filter")}, edge.BIG, 0))]
            assert len(set(scores)) == len(scores), ("a tie below a fusion leaves its ranks to chance", request)
    cut = shard.query(edge.query_request(shard, request, limit, offset))
    if "mmr" in json.dumps(request):
        return {"points": [edge.record(p, True, with_vector="with_vector" in request) for p in cut]}
    ranking = shard.query(edge.query_request(shard, request, edge.BIG, 0))
    expected = [p.score for p in ranking][offset : offset + limit]
    assert [p.score for p in cut] == expected, (request, [p.score for p in cut], expected)
    last = expected[-1] if expected else None
    judged = [p for i, p in enumerate(ranking) if i < offset + limit or p.score == last]
    # The engine leaves ties in any order; one order here keeps a second run from changing the file.
    ties = (sorted(group, key=lambda p: str(p.id)) for _, group in itertools.groupby(judged, key=lambda p: p.score))
    return {"ranking": [edge.record(p, True) for group in ties for p in group]}


def run_scroll(shard, request):
    offset = request.get("offset")
    points, following = shard.scroll(
        q.ScrollRequest(
            offset=None if offset is None else edge.to_id(offset),
            limit=request.get("limit", 10),
            filter=edge.filter_(request.get("filter")),
            with_payload=edge.payload_selector(request.get("with_payload", True)),
            with_vector=request.get("with_vector", False),
            order_by=edge.order_by(request.get("order_by")),
        )
    )
    ordered = "order_by" in request
    if ordered:
        # The engine leaves ties in any order; the server orders them by id, in the direction of the values.
        backwards = isinstance(request["order_by"], dict) and request["order_by"].get("direction") == "desc"
        rank = lambda p: (isinstance(edge.from_id(p.id), str), edge.from_id(p.id))
        groups = itertools.groupby(points, key=lambda p: p.order_value)
        points = [p for _, group in groups for p in sorted(group, key=rank, reverse=backwards)]
    record = lambda p: {**edge.record(p, False), **({"order_value": p.order_value} if ordered else {})}
    return {"points": [record(p) for p in points], "next_page_offset": None if following is None else edge.from_id(following)}


def run_count(shard, request):
    return {"count": shard.count(q.CountRequest(exact=True, filter=edge.filter_(request.get("filter"))))}


def run_retrieve(shard, request):
    points = shard.retrieve([edge.to_id(i) for i in request["ids"]], request.get("with_payload", True), request.get("with_vector", False))
    return [edge.record(p, False) for p in points]


def run_payload_writes(shard):
    """What setting and deleting payload at each key makes of each payload, on one point that is put back each time."""
    rows = []
    for before in PAYLOADS:
        for key in [None, *PAYLOAD_KEYS]:
            for operation in ("set", "delete"):
                if operation == "delete" and key is None:
                    continue
                shard.update(q.UpdateOperation.upsert_points([q.Point(999, {}, before)]))
                write = q.UpdateOperation.set_payload([999], PATCH, key) if operation == "set" else q.UpdateOperation.delete_payload([999], [key])
                shard.update(write)
                (point,) = shard.retrieve([999], True, False)
                rows.append({"before": before, "operation": operation, "key": key, "after": point.payload, **({"patch": PATCH} if operation == "set" else {})})
    return rows


RUN = {"query": run_query, "scroll": run_scroll, "count": run_count, "retrieve": run_retrieve}


def planned(request):
    query = json.dumps([request.get("query"), request.get("prefetch")])
    return "prefetch" in request or "recommend" in query or isinstance(request.get("query"), (int, str))


def main():
    with tempfile.TemporaryDirectory() as folder:
        shard, points = build(folder)
        groups = {}
        for group, name, route, request in cases():
            expected = RUN[route](shard, request)
            source = "engine+plan" if route == "query" and planned(request) else "engine"
            groups.setdefault(group, []).append({"name": name, "route": route, "source": source, "request": request, "expected": expected})
        for name, (condition, holds) in FORMULAS.items():
            ids = [p["id"] for p in sorted(points, key=lambda p: (isinstance(p["id"], str), p["id"])) if holds(p["payload"])]
            request = {"filter": {"must": [condition]}, "limit": 100, "with_payload": False}
            expected = {"points": [{"id": i} for i in ids], "next_page_offset": None}
            groups["filters"].append({"name": name, "route": "scroll", "source": "formula", "request": request, "expected": expected})
        documents = [{"text": t, "document": encode(q.Bm25().embed_document(t)), "query": encode(q.Bm25().embed_query(t))} for t in TEXTS]
        writes = run_payload_writes(shard)
        shard.close()
    write("dataset", {"schema": dataset.SCHEMA, "indexes": [{"field_name": f, "field_schema": s} for f, s in dataset.INDEXES], "points": points})
    write("bm25", documents)
    write("payload-writes", writes)
    for group, entries in groups.items():
        write(group, entries)
        print(group, len(entries))


def write(name, value):
    """One entry per line: a change in one answer is one line of a diff."""
    if isinstance(value, list):
        text = "[\n" + ",\n".join(json.dumps(entry, ensure_ascii=False) for entry in value) + "\n]\n"
    else:
        rows = ",\n".join(json.dumps(point, ensure_ascii=False) for point in value["points"])
        head = ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in value.items() if k != "points")
        text = "{\n" + head + ',\n"points": [\n' + rows + "\n]\n}\n"
    (HERE / f"{name}.json").write_text(text, encoding="utf-8")


main()
