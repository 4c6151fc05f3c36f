"""The requests, in REST shape. Each is `(group, name, route, request)`."""

from dataset import point_id

DENSE = [0.31, -0.22, 0.75, 0.12, -0.5, 0.4, 0.05, -0.33]
OTHER = [-0.6, 0.1, 0.2, 0.9, 0.3, -0.1, 0.45, 0.2]
FOUR = [0.4, -0.9, 0.25, 0.6]
SPARSE = {"indices": [3, 11, 17, 29, 38], "values": [1.0, 0.5, 2.0, 0.25, 1.5]}
WORDS = {"text": "grain ship near the lighthouse", "model": "qdrant/bm25"}
MORE_WORDS = {"text": "repaired cranes, barges and tides", "model": "qdrant/bm25"}
UUID_ID = point_id(7)

RED = {"must": [{"key": "tag", "match": {"value": "red"}}]}
LOW = {"key": "rank", "range": {"lte": 4}}

dense_leaf = {"query": DENSE, "using": "dense", "limit": 20}
other_leaf = {"query": OTHER, "using": "dense", "limit": 15}
words_leaf = {"query": WORDS, "using": "words", "limit": 20}
sparse_leaf = {"query": SPARSE, "using": "plain", "limit": 12}
euclid_leaf = {"query": FOUR, "using": "euclid", "limit": 9}


def queries():
    yield "dense", "cosine", {"query": DENSE, "using": "dense", "limit": 10}
    yield "dense", "default limit", {"query": DENSE, "using": "dense"}
    yield "dense", "nearest object", {"query": {"nearest": OTHER}, "using": "dense", "limit": 7}
    yield "dense", "dot", {"query": FOUR, "using": "dot", "limit": 12}
    yield "dense", "euclid ascends", {"query": FOUR, "using": "euclid", "limit": 12}
    yield "dense", "offset", {"query": DENSE, "using": "dense", "limit": 5, "offset": 7}
    yield "dense", "offset past the end", {"query": DENSE, "using": "dense", "limit": 5, "offset": 500}
    yield "dense", "filtered", {"query": DENSE, "using": "dense", "limit": 10, "filter": RED}
    yield "dense", "threshold", {"query": DENSE, "using": "dense", "limit": 50, "score_threshold": 0.2}
    yield "dense", "threshold on dot", {"query": FOUR, "using": "dot", "limit": 50, "score_threshold": 0.0}
    yield "dense", "threshold on euclid", {"query": FOUR, "using": "euclid", "limit": 50, "score_threshold": 1.2}
    yield "dense", "payload and vectors", {"query": DENSE, "using": "dense", "limit": 4, "with_payload": True, "with_vector": True}
    yield "dense", "some vectors", {"query": DENSE, "using": "dense", "limit": 4, "with_vector": ["dot", "words"]}
    yield "dense", "payload keys", {"query": DENSE, "using": "dense", "limit": 6, "with_payload": ["ship.crew.count", "tag", "absent"]}
    yield "dense", "payload keys in arrays", {"query": DENSE, "using": "dense", "limit": 12, "with_payload": {"include": ["cargo[].kind", "sizes"]}}
    yield "dense", "payload without keys", {"query": DENSE, "using": "dense", "limit": 12, "with_payload": {"exclude": ["ship.crew", "text", "worded", "phrased", "spaced", "prefixed", "cargo[].tons"]}}
    yield "dense", "payload keys that go on behind a value", {"query": DENSE, "using": "dense", "limit": 12, "with_payload": ["tag.shade", "note[].kind", "sizes[0]", "ship.crew.count.men", "cargo.kind", "place.lon.degrees"]}
    yield "dense", "by id", {"query": 12, "using": "dense", "limit": 8}
    yield "dense", "by uuid", {"query": UUID_ID, "using": "dense", "limit": 8}
    yield "dense", "by large id", {"query": 18446744073709551615, "using": "dense", "limit": 8}
    yield "dense", "recommend average", {"query": {"recommend": {"positive": [2, 3], "negative": [5]}}, "using": "dense", "limit": 8}
    yield "dense", "mmr", {"query": {"nearest": DENSE, "mmr": {"diversity": 0.5, "candidates_limit": 30}}, "using": "dense", "limit": 8}
    yield "dense", "mmr far", {"query": {"nearest": DENSE, "mmr": {"diversity": 0.9, "candidates_limit": 64}}, "using": "dense", "limit": 10}
    yield "dense", "mmr without diversity", {"query": {"nearest": OTHER, "mmr": {"diversity": 0.0, "candidates_limit": 20}}, "using": "dense", "limit": 6}
    yield "dense", "mmr default candidates", {"query": {"nearest": OTHER, "mmr": {}}, "using": "dense", "limit": 6}
    yield "dense", "mmr on euclid", {"query": {"nearest": FOUR, "mmr": {"diversity": 0.4, "candidates_limit": 25}}, "using": "euclid", "limit": 6}
    yield "dense", "mmr over prefetch", {"prefetch": dense_leaf, "query": {"nearest": OTHER, "mmr": {"diversity": 0.5, "candidates_limit": 15}}, "using": "dense", "limit": 6}

    yield "sparse", "plain", {"query": SPARSE, "using": "plain", "limit": 15}
    yield "sparse", "unsorted query", {"query": {"indices": [29, 3, 38], "values": [2, 1, 0.5]}, "using": "plain", "limit": 15}
    yield "sparse", "negative scores stay", {"query": {"indices": [3, 11, 17], "values": [-1, 1, -2]}, "using": "plain", "limit": 60}
    yield "sparse", "nothing shared", {"query": {"indices": [900], "values": [1]}, "using": "plain", "limit": 5}
    yield "sparse", "filtered", {"query": SPARSE, "using": "plain", "limit": 15, "filter": RED}
    yield "sparse", "threshold", {"query": SPARSE, "using": "plain", "limit": 60, "score_threshold": 1.0}
    yield "sparse", "by id", {"query": 1, "using": "plain", "limit": 6}
    yield "sparse", "bm25 with idf", {"query": WORDS, "using": "words", "limit": 20}
    yield "sparse", "bm25 with idf, other words", {"query": MORE_WORDS, "using": "words", "limit": 20}
    yield "sparse", "bm25 filtered keeps global idf", {"query": WORDS, "using": "words", "limit": 20, "filter": RED}
    yield "sparse", "threshold at a score", {"query": {"indices": [0], "values": [1]}, "using": "plain", "limit": 60, "score_threshold": 1.875}
    yield "sparse", "bm25 threshold", {"query": WORDS, "using": "words", "limit": 60, "score_threshold": 2.0}
    yield "sparse", "vectors of hits", {"query": SPARSE, "using": "plain", "limit": 3, "with_vector": ["plain"]}

    both = [dense_leaf, words_leaf]
    yield "fusion", "rrf", {"prefetch": both, "query": {"fusion": "rrf"}, "limit": 12}
    yield "fusion", "rrf offset", {"prefetch": both, "query": {"fusion": "rrf"}, "limit": 6, "offset": 4}
    yield "fusion", "rrf k 61", {"prefetch": both, "query": {"rrf": {"k": 61}}, "limit": 12}
    yield "fusion", "rrf k 1", {"prefetch": both, "query": {"rrf": {"k": 1}}, "limit": 12}
    yield "fusion", "rrf weights", {"prefetch": both, "query": {"rrf": {"k": 2, "weights": [3.0, 1.0]}}, "limit": 12}
    yield "fusion", "rrf weights and k", {"prefetch": [dense_leaf, words_leaf, sparse_leaf], "query": {"rrf": {"k": 20, "weights": [0.7, 0.3, 1.5]}}, "limit": 15}
    yield "fusion", "rrf weight zero", {"prefetch": both, "query": {"rrf": {"weights": [1.0, 0.0]}}, "limit": 30}
    yield "fusion", "rrf of three", {"prefetch": [dense_leaf, other_leaf, sparse_leaf], "query": {"fusion": "rrf"}, "limit": 20}
    yield "fusion", "rrf filtered at root", {"prefetch": both, "query": {"fusion": "rrf"}, "limit": 12, "filter": RED}
    yield "fusion", "rrf filtered below", {"prefetch": [{**dense_leaf, "filter": RED}, words_leaf], "query": {"fusion": "rrf"}, "limit": 12}
    yield "fusion", "rrf filtered twice", {"prefetch": [{**dense_leaf, "filter": {"must": [LOW]}}, words_leaf], "query": {"fusion": "rrf"}, "filter": RED, "limit": 12}
    yield "fusion", "rrf threshold", {"prefetch": both, "query": {"fusion": "rrf"}, "limit": 40, "score_threshold": 0.2}
    yield "fusion", "rrf threshold below", {"prefetch": [{**dense_leaf, "score_threshold": 0.3}, words_leaf], "query": {"fusion": "rrf"}, "limit": 40}
    yield "fusion", "rrf default prefetch limit", {"prefetch": [{"query": DENSE, "using": "dense"}, {"query": WORDS, "using": "words"}], "query": {"fusion": "rrf"}, "limit": 30}
    yield "fusion", "rrf by id", {"prefetch": [{"query": 12, "using": "dense", "limit": 10}, {"query": 2, "using": "words", "limit": 10}], "query": {"fusion": "rrf"}, "limit": 20}
    yield "fusion", "one prefetch, not a list", {"prefetch": dense_leaf, "query": {"fusion": "rrf"}, "limit": 5}
    yield "fusion", "dbsf", {"prefetch": both, "query": {"fusion": "dbsf"}, "limit": 12}
    yield "fusion", "dbsf of three", {"prefetch": [dense_leaf, words_leaf, sparse_leaf], "query": {"fusion": "dbsf"}, "limit": 15}
    yield "fusion", "dbsf of one hit", {"prefetch": [{**dense_leaf, "limit": 1}, words_leaf], "query": {"fusion": "dbsf"}, "limit": 12}
    yield "fusion", "dbsf of two hits", {"prefetch": [{**dense_leaf, "limit": 2}, words_leaf], "query": {"fusion": "dbsf"}, "limit": 12}
    yield "fusion", "rrf threshold at a score", {"prefetch": dense_leaf, "query": {"fusion": "rrf"}, "limit": 12, "score_threshold": 0.25}
    yield "fusion", "dbsf over distances", {"prefetch": [euclid_leaf, dense_leaf], "query": {"fusion": "dbsf"}, "limit": 12}
    yield "fusion", "dbsf threshold", {"prefetch": both, "query": {"fusion": "dbsf"}, "limit": 30, "score_threshold": 0.6}
    yield "fusion", "rescoring", {"prefetch": [words_leaf, other_leaf], "query": DENSE, "using": "dense", "limit": 10}
    yield "fusion", "rescoring by words", {"prefetch": dense_leaf, "query": MORE_WORDS, "using": "words", "limit": 10}
    yield "fusion", "rescoring threshold", {"prefetch": [words_leaf, other_leaf], "query": DENSE, "using": "dense", "limit": 40, "score_threshold": 0.1}
    yield "fusion", "nested", {"prefetch": [{"prefetch": {**dense_leaf, "limit": 30}, "query": FOUR, "using": "dot", "limit": 10}, words_leaf], "query": {"fusion": "rrf"}, "limit": 15}
    yield "fusion", "nested filtered above", {"prefetch": [{"prefetch": {**dense_leaf, "limit": 30}, "query": FOUR, "using": "dot", "limit": 10, "filter": {"must": [LOW]}}, words_leaf], "query": {"fusion": "rrf"}, "limit": 15}
    yield "fusion", "scrolling prefetch rescored", {"prefetch": {"filter": RED, "limit": 999}, "query": DENSE, "using": "dense", "limit": 8}
    yield "fusion", "no query", {"limit": 5, "with_payload": ["zeta"]}
    yield "fusion", "no query, filtered, offset", {"limit": 4, "offset": 3, "filter": RED}


CONDITIONS = {
    "keyword": {"key": "tag", "match": {"value": "red"}},
    "keyword no index": {"key": "ship.flag", "match": {"value": "GR"}},
    "integer": {"key": "rank", "match": {"value": 5}},
    "integer does not match float": {"key": "price", "match": {"value": 5}},
    "integer in array": {"key": "sizes", "match": {"value": 3}},
    "nested path": {"key": "ship.crew.count", "match": {"value": 7}},
    "quoted path": {"key": '"quoted.key"', "match": {"value": 1}},
    "path into array needs brackets": {"key": "cargo.kind", "match": {"value": "coal"}},
    "path through array": {"key": "cargo[].kind", "match": {"value": "coal"}},
    "path to element": {"key": "cargo[1].kind", "match": {"value": "coal"}},
    "path to scalar element": {"key": "sizes[0]", "match": {"value": 3}},
    "path to all elements": {"key": "sizes[]", "match": {"value": 3}},
    "path through two arrays": {"key": "cargo[].tags[]", "match": {"value": "wet"}},
    "path to arrays in array": {"key": "cargo[].tags", "match": {"value": "wet"}},
    "missing path": {"key": "nowhere.at.all", "match": {"value": 1}},
    "any of words": {"key": "tag", "match": {"any": ["green", "blue"]}},
    "any of numbers": {"key": "rank", "match": {"any": [1, 8, 77]}},
    "any of none": {"key": "tag", "match": {"any": []}},
    "except words": {"key": "tag", "match": {"except": ["red"]}},
    "except numbers": {"key": "rank", "match": {"except": [1, 2, 3]}},
    "except on mixed types": {"key": "open", "match": {"except": ["red"]}},
    "except in array": {"key": "sizes", "match": {"except": [3]}},
    "except none": {"key": "rank", "match": {"except": []}},
    "text, indexed": {"key": "worded", "match": {"text": "boat PILOT"}},
    "text, indexed, part of a word": {"key": "worded", "match": {"text": "lighthou"}},
    "text, indexed, punctuation": {"key": "worded", "match": {"text": "12 b!"}},
    "text, indexed, accents": {"key": "worded", "match": {"text": "CAFÉ"}},
    "text, indexed, empty": {"key": "worded", "match": {"text": " "}},
    "text by whitespace": {"key": "spaced", "match": {"text": "North 12-B."}},
    "text by whitespace, case": {"key": "spaced", "match": {"text": "north"}},
    "text on non-text": {"key": "rank", "match": {"text": "5"}},
    "any word, indexed": {"key": "worded", "match": {"text_any": "barges CRANE xyz"}},
    "phrase, indexed": {"key": "phrased", "match": {"phrase": "Old lighthouse"}},
    "phrase, indexed, wrong order": {"key": "phrased", "match": {"phrase": "lighthouse old"}},
    "phrase, indexed, apart": {"key": "phrased", "match": {"phrase": "grain lighthouse"}},
    "phrase in a plain text index": {"key": "worded", "match": {"phrase": "old lighthouse"}},
    "range": {"key": "price", "range": {"gt": 4, "lte": 21.5}},
    "range on integers": {"key": "rank", "range": {"gte": 3, "lt": 6}},
    "range on arrays": {"key": "sizes", "range": {"gt": 3}},
    "range unbounded": {"key": "price", "range": {}},
    "range on text": {"key": "tag", "range": {"gt": 0}},
    "range on times": {"key": "when", "range": {"gte": "2024-03-05T10:30:00Z", "lt": "2024-03-12"}},
    "range on times, zone": {"key": "when", "range": {"gt": "2024-03-10T10:30:00Z", "lte": "2024-03-20T12:30:00.250+02:00"}},
    "range on times of numbers": {"key": "rank", "range": {"gte": "2024-03-05T10:30:00Z"}},
    "values count": {"key": "cargo", "values_count": {"gte": 2}},
    "values count of scalars": {"key": "sizes", "values_count": {"gte": 1, "lte": 1}},
    "values count through array": {"key": "cargo[].tags", "values_count": {"gt": 1}},
    "is empty": {"is_empty": {"key": "note"}},
    "is empty inside": {"is_empty": {"key": "cargo[].tags"}},
    "is empty of missing": {"is_empty": {"key": "rank"}},
    "is null of missing": {"is_null": {"key": "rank"}},
    "is empty as field condition": {"key": "note", "is_empty": True},
    "is not empty as field condition": {"key": "note", "is_empty": False},
    "is null as field condition": {"key": "note", "is_null": True},
    "is not null as field condition": {"key": "note", "is_null": False},
    "is empty as field condition, inside": {"key": "cargo[].tags", "is_empty": True},
    "is not empty as field condition, inside": {"key": "cargo[].tags", "is_empty": False},
    "except and null": {"key": "note", "match": {"except": ["y"]}},
    "id in nested": {"nested": {"key": "cargo", "filter": {"must": [{"has_id": list(range(50))}]}}},
    "geo radius": {"key": "place", "geo_radius": {"center": {"lon": 10.75, "lat": 59.91}, "radius": 250000.0}},
    "geo radius of nothing": {"key": "place", "geo_radius": {"center": {"lon": 10.75, "lat": 59.91}, "radius": 0.0}},
    "geo radius over the date line": {"key": "place", "geo_radius": {"center": {"lon": 179.9, "lat": -17.0}, "radius": 300000.0}},
    "geo bounding box": {"key": "place", "geo_bounding_box": {"top_left": {"lon": 4.0, "lat": 62.0}, "bottom_right": {"lon": 12.0, "lat": 53.0}}},
    "geo bounding box over the date line": {"key": "place", "geo_bounding_box": {"top_left": {"lon": 170.0, "lat": 0.0}, "bottom_right": {"lon": -170.0, "lat": -30.0}}},
    "geo polygon": {"key": "place", "geo_polygon": {"exterior": {"points": [{"lon": 0.0, "lat": 50.0}, {"lon": 14.0, "lat": 52.0}, {"lon": 9.0, "lat": 63.0}, {"lon": 0.0, "lat": 50.0}]}}},
    "geo polygon with a hole": {"key": "place", "geo_polygon": {"exterior": {"points": [{"lon": -20.0, "lat": 40.0}, {"lon": 30.0, "lat": 40.0}, {"lon": 30.0, "lat": 70.0}, {"lon": -20.0, "lat": 70.0}, {"lon": -20.0, "lat": 40.0}]}, "interiors": [{"points": [{"lon": 3.0, "lat": 51.0}, {"lon": 12.0, "lat": 51.0}, {"lon": 12.0, "lat": 61.0}, {"lon": 3.0, "lat": 61.0}, {"lon": 3.0, "lat": 51.0}]}]}},
    "geo on something else": {"key": "tag", "geo_radius": {"center": {"lon": 10.75, "lat": 59.91}, "radius": 1e9}},
    "has id": {"has_id": [3, 41, UUID_ID, 18446744073709551615, 9007199254740993]},
    "has vector": {"has_vector": "euclid"},
    "has sparse vector": {"has_vector": "plain"},
    "has unknown vector": {"has_vector": "nothing"},
    "nested": {"nested": {"key": "cargo", "filter": {"must": [{"key": "kind", "match": {"value": "coal"}}, {"key": "tons", "range": {"gte": 10}}]}}},
    "nested with brackets": {"nested": {"key": "cargo[]", "filter": {"must": [{"key": "kind", "match": {"value": "coal"}}, {"key": "tons", "range": {"gte": 10}}]}}},
    "nested on an object": {"nested": {"key": "ship", "filter": {"must": [{"key": "flag", "match": {"value": "GR"}}]}}},
    "nested must not": {"nested": {"key": "cargo", "filter": {"must_not": [{"key": "kind", "match": {"value": "coal"}}]}}},
    "nested emptiness": {"nested": {"key": "cargo", "filter": {"must": [{"is_empty": {"key": "tags"}}]}}},
}

# Not from the engine. qdrant-edge already follows Qdrant 1.20 in two conditions where the servers of 1.18, which the embedded
# engine stands in for, answer otherwise: a missing key has no count, and `is_null` does not look into lists. Its Python binding turns booleans into integers; and without a text index qdrant-edge already follows
# Qdrant 1.20, which tokenises, where the servers up to 1.19, which the embedded engine stands in for, look for substrings.
FORMULAS = {
    "values count of none": ({"key": "rank", "values_count": {"lt": 1}}, lambda p: False),
    "values count of null": ({"key": "note", "values_count": {"lt": 1}}, lambda p: "note" in p and p["note"] in (None, [])),
    "values count and a missing key": ({"key": "price", "values_count": {"gte": 0}}, lambda p: "price" in p),
    "is null": ({"is_null": {"key": "note"}}, lambda p: "note" in p and p["note"] is None),
    "bool": ({"key": "open", "match": {"value": True}}, lambda p: p.get("open") is True),
    "bool, false": ({"key": "open", "match": {"value": False}}, lambda p: p.get("open") is False),
    "text, no index": ({"key": "text", "match": {"text": "pilot boat"}}, lambda p: "pilot boat" in p["text"]),
    "text, no index, case": ({"key": "text", "match": {"text": "Pilot"}}, lambda p: "Pilot" in p["text"]),
    "text, no index, part of a word": ({"key": "text", "match": {"text": "lighthou"}}, lambda p: "lighthou" in p["text"]),
    "any word, no index": ({"key": "text", "match": {"text_any": "BARGES cran"}}, lambda p: "BARGES" in p["text"] or "cran" in p["text"]),
    "phrase, no index": ({"key": "text", "match": {"phrase": "old lighthouse"}}, lambda p: "old lighthouse" in p["text"]),
}

RED_CONDITION, EARLY, GREEK = CONDITIONS["keyword"], {"key": "zeta", "range": {"lt": 30}}, CONDITIONS["keyword no index"]

FILTERS = {
    "empty filter": {},
    "lone condition": {"must": RED_CONDITION},
    "must of two": {"must": [RED_CONDITION, EARLY]},
    "should": {"should": [EARLY, GREEK]},
    "should of none": {"should": []},
    "must not": {"must_not": [RED_CONDITION, GREEK]},
    "all clauses": {"must": [EARLY], "should": [RED_CONDITION, GREEK], "must_not": [LOW]},
    "min should": {"min_should": {"conditions": [RED_CONDITION, EARLY, GREEK, LOW], "min_count": 2}},
    "min should of none": {"min_should": {"conditions": [RED_CONDITION], "min_count": 0}},
    "filter in filter": {"must": [{"should": [RED_CONDITION, {"must": [EARLY, {"must_not": [LOW]}]}]}], "must_not": [{"must": [GREEK, LOW]}]},
    "not missing": {"must_not": [{"key": "nowhere", "match": {"value": 1}}]},
}


def cases():
    for group, name, request in queries():
        yield group, name, "query", request
    for name, condition in CONDITIONS.items():
        yield "filters", name, "scroll", {"filter": {"must": [condition]}, "limit": 100, "with_payload": False}
        yield "filters", f"not: {name}", "count", {"filter": {"must_not": [condition]}, "exact": True}
    for name, filter_ in FILTERS.items():
        yield "filters", name, "scroll", {"filter": filter_, "limit": 100, "with_payload": False}
    yield "reads", "scroll by default", "scroll", {}
    yield "reads", "scroll page", "scroll", {"limit": 7, "offset": 20, "with_payload": ["zeta"], "with_vector": ["dense"]}
    yield "reads", "scroll from a uuid", "scroll", {"limit": 2, "offset": UUID_ID, "with_payload": False}
    yield "reads", "scroll over the large ids", "scroll", {"limit": 3, "offset": 64, "with_payload": {"include": ["zeta"]}}
    yield "reads", "scroll filtered from an absent id", "scroll", {"limit": 5, "offset": 30, "filter": RED, "with_payload": False}
    for direction in ("asc", "desc"):
        for key in ("rank", "price", "sizes", "when"):
            yield "order-by", f"{key} {direction}", "scroll", {"order_by": {"key": key, "direction": direction}, "limit": 100, "with_payload": [key]}
    yield "order-by", "by its name only", "scroll", {"order_by": "zeta", "limit": 7, "with_payload": False}
    yield "order-by", "from a number on", "scroll", {"order_by": {"key": "rank", "start_from": 4}, "limit": 100, "with_payload": ["rank"]}
    yield "order-by", "from a number down", "scroll", {"order_by": {"key": "price", "direction": "desc", "start_from": 21.5}, "limit": 100, "with_payload": ["price"]}
    yield "order-by", "from a time on", "scroll", {"order_by": {"key": "when", "start_from": "2024-03-12T00:00:00Z"}, "limit": 100, "with_payload": ["when"]}
    yield "order-by", "filtered", "scroll", {"order_by": "price", "filter": RED, "limit": 100, "with_payload": ["price"]}
    yield "reads", "count all", "count", {"exact": True}
    yield "reads", "count filtered", "count", {"filter": RED, "exact": True}
    yield "reads", "retrieve", "retrieve", {"ids": [5, 9999, 18446744073709551615, UUID_ID, 3], "with_payload": True, "with_vector": True}
    yield "reads", "retrieve bare", "retrieve", {"ids": [9007199254740993, 2], "with_payload": False}


TEXTS = [
    "The harbour master's office, open 09:30–17:45; naïve café-goers queue (berth 12-B).",
    "Running runners ran; generously generated generations, skies dying lying.",
    "grain grain grain ship ship",
    "ALL CAPS NOT stop-words: the a of and",
    "",
    "e=mc² 1,234.5 v1.18.0 İstanbul straße 北京 привет мир",
]

PAYLOADS = [{}, {"a": 1}, {"a": {"b": 1, "n": 2}}, {"a": [1, {"b": 2}, [3]]}, {"a": [], "b": 5}, {"a": None}, {"a": {"b": [{"c": 1}, {"c": 2, "b": 0}]}}]
PAYLOAD_KEYS = ["a", "a[0]", "a[1]", "a[5]", "a[]", "a[].b", "a[0].b", "a.b", "a.b[0]", "a.b[]", "a.b[0].c", "a.b[].c", "x.y", "x[0]", "x[].y", "a[0][0]", "a[][]", "a[2][0]"]
PATCH = {"n": 9, "b": None}
