"""Turns REST-shaped requests into calls on the reference engine, and its answers into REST-shaped JSON."""

import uuid

import qdrant_edge as q

BIG = 1000


def filter_(body):
    if body is None:
        return None
    known = {"must", "should", "must_not", "min_should"}
    assert set(body) <= known, body
    one_or_many = lambda value: None if value is None else [condition(c) for c in (value if isinstance(value, list) else [value])]
    minimum = body.get("min_should")
    return q.Filter(
        must=one_or_many(body.get("must")),
        should=one_or_many(body.get("should")),
        must_not=one_or_many(body.get("must_not")),
        min_should=minimum and q.MinShould([condition(c) for c in minimum["conditions"]], minimum["min_count"]),
    )


def condition(body):
    if "key" in body:
        extra = {name: body[name] for name in ("is_empty", "is_null") if name in body}
        return q.FieldCondition(
            body["key"],
            match=match(body["match"]) if "match" in body else None,
            range=range_(body["range"]) if "range" in body else None,
            geo_radius=geo_radius(body["geo_radius"]) if "geo_radius" in body else None,
            geo_bounding_box=geo_box(body["geo_bounding_box"]) if "geo_bounding_box" in body else None,
            geo_polygon=geo_polygon(body["geo_polygon"]) if "geo_polygon" in body else None,
            values_count=q.ValuesCount(**body["values_count"]) if "values_count" in body else None,
            **extra,
        )
    if "is_empty" in body:
        return q.IsEmptyCondition(body["is_empty"]["key"])
    if "is_null" in body:
        return q.IsNullCondition(body["is_null"]["key"])
    if "has_id" in body:
        return q.HasIdCondition({to_id(i) for i in body["has_id"]})
    if "has_vector" in body:
        return q.HasVectorCondition(body["has_vector"])
    if "nested" in body:
        return q.NestedCondition(body["nested"]["key"], filter_(body["nested"]["filter"]))
    return filter_(body)


def geo_point(body):
    return q.GeoPoint(body["lon"], body["lat"])


def geo_radius(body):
    return q.GeoRadius(geo_point(body["center"]), body["radius"])


def geo_box(body):
    return q.GeoBoundingBox(geo_point(body["top_left"]), geo_point(body["bottom_right"]))


def geo_polygon(body):
    ring = lambda line: [geo_point(p) for p in line["points"]]
    return q.GeoPolygon(ring(body["exterior"]), [ring(line) for line in body.get("interiors", [])])


def order_by(body):
    if body is None:
        return None
    options = {"key": body} if isinstance(body, str) else dict(body)
    if "direction" in options:
        options["direction"] = q.Direction.Asc if options["direction"] == "asc" else q.Direction.Desc
    return q.OrderBy(**options)


def match(body):
    ((kind, value),) = body.items()
    kinds = {
        "value": q.MatchValue,
        "text": q.MatchText,
        "text_any": q.MatchTextAny,
        "phrase": q.MatchPhrase,
        "any": q.MatchAny,
        "except": q.MatchExcept,
    }
    return kinds[kind](value)


def range_(body):
    return q.RangeDateTime(**body) if any(isinstance(v, str) for v in body.values()) else q.RangeFloat(**body)


def to_id(value):
    return uuid.UUID(value) if isinstance(value, str) else value


def from_id(value):
    return value if isinstance(value, int) else str(value)


def to_vector(value):
    return q.SparseVector(value["indices"], value["values"]) if isinstance(value, dict) else value


def from_vector(value):
    if isinstance(value, dict):
        return {name: from_vector(part) for name, part in sorted(value.items())}
    return value if isinstance(value, list) else {"indices": list(value.indices), "values": list(value.values)}


def scoring(shard, query, using, limit):
    """A query in REST shape as the engine's scoring query, with the ids that it names as examples."""
    if query is None:
        return None, []
    if not isinstance(query, dict) or "indices" in query or "text" in query:
        vector, ids = target(shard, query, using)
        return q.Query.Nearest(vector, using), ids
    if "nearest" in query:
        vector, ids = target(shard, query["nearest"], using)
        if "mmr" not in query:
            return q.Query.Nearest(vector, using), ids
        mmr = query["mmr"]
        return q.Mmr(vector, 1 - mmr.get("diversity", 0.5), mmr.get("candidates_limit", limit), using), ids
    if "fusion" in query:
        return (q.Fusion.Rrf(2) if query["fusion"] == "rrf" else q.Fusion.Dbsf()), []
    if "rrf" in query:
        return q.Fusion.Rrf(query["rrf"].get("k", 2), query["rrf"].get("weights")), []
    recommend = query["recommend"]
    positive, ids_p = zip(*[target(shard, t, using) for t in recommend.get("positive", [])] or [((), [])])
    negative, ids_n = zip(*[target(shard, t, using) for t in recommend.get("negative", [])] or [((), [])])
    ids = sum(ids_p, []) + sum(ids_n, [])
    positive, negative = [v for v in positive if len(v)], [v for v in negative if len(v)]
    mean = lambda vs: [sum(column) / len(vs) for column in zip(*vs)]
    liked = mean(positive)
    wanted = [2 * a - b for a, b in zip(liked, mean(negative))] if negative else liked
    return q.Query.Nearest(wanted, using), ids


def target(shard, value, using):
    if isinstance(value, dict) and "text" in value:
        return q.Bm25().embed_query(value["text"]), []
    if isinstance(value, (int, str)):
        (record,) = shard.retrieve([to_id(value)], False, True)
        return record.vector[using], [value]
    return to_vector(value), []


def prefetch(shard, body, ids):
    limit = body.get("limit", 10)
    query, named = scoring(shard, body.get("query"), body.get("using", ""), limit)
    ids += named
    inner = [prefetch(shard, p, ids) for p in as_list(body.get("prefetch"))]
    return dict(limit=limit, query=query, prefetches=inner, filter=body.get("filter"), score_threshold=body.get("score_threshold"))


def as_list(value):
    return [] if value is None else value if isinstance(value, list) else [value]


def query_request(shard, body, limit, offset):
    ids = []
    query, named = scoring(shard, body.get("query"), body.get("using", ""), limit + offset)
    ids += named
    stages = [prefetch(shard, p, ids) for p in as_list(body.get("prefetch"))]
    return q.QueryRequest(
        limit=limit,
        offset=offset,
        query=query,
        prefetches=[stage(s, body.get("filter"), ids) for s in stages],
        with_vector=body.get("with_vector", False),
        with_payload=payload_selector(body.get("with_payload", False)),
        filter=filter_(narrowed(body.get("filter"), None, ids)),
        score_threshold=body.get("score_threshold"),
    )


def stage(parts, inherited, ids):
    """A prefetch whose leaves carry the filters above them and leave out the examples, as the server's planner does."""
    own = {"must": [f for f in (inherited, parts["filter"]) if f]} if inherited or parts["filter"] else None
    inner = [stage(p, own, ids) for p in parts["prefetches"]]
    return q.Prefetch(**{**parts, "prefetches": inner, "filter": filter_(narrowed(own, None, ids))})


def narrowed(own, inherited, ids):
    must = [f for f in (own, inherited) if f]
    if not must and not ids:
        return None
    return {"must": must, **({"must_not": [{"has_id": ids}]} if ids else {})}


def payload_selector(value):
    if isinstance(value, dict):
        return q.PayloadSelector.Include(value["include"]) if "include" in value else q.PayloadSelector.Exclude(value["exclude"])
    return value


def record(point, with_score, with_vector=True):
    result = {"id": from_id(point.id)}
    if with_score:
        result["score"] = point.score
    if point.payload is not None:
        result["payload"] = point.payload
    if with_vector and point.vector is not None:
        result["vector"] = from_vector(point.vector)
    return result
