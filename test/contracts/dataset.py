"""The collection that the reference requests run against: 64 points about a harbour, every value written by a seeded generator."""

import random

SCHEMA = {
    "vectors": {
        "dense": {"size": 8, "distance": "Cosine"},
        "dot": {"size": 4, "distance": "Dot"},
        "euclid": {"size": 4, "distance": "Euclid"},
    },
    "sparse_vectors": {"words": {"modifier": "idf"}, "plain": {}},
}

INDEXES = [
    ("tag", "keyword"),
    ("rank", "integer"),
    ("price", "float"),
    ("sizes", "integer"),
    ("when", "datetime"),
    ("zeta", "integer"),
    ("worded", {"type": "text", "tokenizer": "word", "lowercase": True}),
    ("phrased", {"type": "text", "tokenizer": "word", "phrase_matching": True}),
    ("spaced", {"type": "text", "tokenizer": "whitespace", "lowercase": False}),
]

SUBJECTS = ["grain ship", "pilot boat", "harbour master", "tide table", "North quay", "signal lamp", "rope store", "ice breaker"]
VERBS = ["waits near", "tows", "inspects", "records", "repairs", "lights", "blocks", "passes"]
OBJECTS = ["the old lighthouse", "a row of barges", "berth 12-B", "the customs office", "the repaired crane", "café stalls", "its own anchor", "the storm gate"]
PLACES = [
    {"lon": 10.7522, "lat": 59.9139},
    {"lon": 5.3221, "lat": 60.3913},
    {"lon": 9.9937, "lat": 53.5511},
    {"lon": 23.6470, "lat": 37.9420},
    {"lon": 4.4777, "lat": 51.9244},
    {"lon": 178.4419, "lat": -18.1416},
    {"lon": -179.5, "lat": -16.5},
    {"lon": -79.5199, "lat": 8.9824},
    {"lon": 10.0, "lat": 91.0},
]


def points(encode_document):
    """Builds the points; `encode_document` is the reference engine's BM25 encoder (text to indices and values)."""
    rng = random.Random(20240611)

    def vector(size):
        return [round(rng.uniform(-1, 1), 3) for _ in range(size)]

    result = []
    for i in range(64):
        text = f"{SUBJECTS[i % 8]} {VERBS[(i * 3 + i // 8) % 8]} {OBJECTS[(i * 5 + i // 16) % 8]}."
        if i % 4 == 1:
            text += f" The {SUBJECTS[(i + 3) % 8]} {VERBS[i % 8]} {OBJECTS[(i + 1) % 8]}, then the {SUBJECTS[i % 8]} rests."
        vectors = {"dense": vector(8)}
        if i % 5 != 0:
            vectors["dot"] = vector(4)
        if i % 3 != 0:
            vectors["euclid"] = vector(4)
        if i % 6 != 5:
            # A little apart from one another: equal scores would leave the ranks below a fusion to chance.
            encoded = encode_document(text)
            vectors["words"] = {**encoded, "values": [round(v * (1 - i / 1000), 6) for v in encoded["values"]]}
        if i % 2 == 0:
            dims = sorted(rng.sample(range(40), 6))
            vectors["plain"] = {"indices": dims, "values": [round(rng.uniform(-0.5, 2), 3) for _ in dims]}
        result.append({"id": point_id(i), "vector": vectors, "payload": payload(i, text, rng)})
    return result


def point_id(i):
    if i % 16 == 7:
        return f"0b5c8e1a-00{i:02d}-4f00-9a00-c0ffee0000{i:02d}"
    if i == 40:
        return 18446744073709551615
    if i == 41:
        return 9007199254740993
    return i + 1


def payload(i, text, rng):
    body = {"zeta": i, "text": text, "worded": text, "phrased": text, "spaced": text, "prefixed": text}
    body["tag"] = ["red", "green", "blue"][i % 3] if i % 10 else ["red", "blue"]
    if i % 4:
        body["rank"] = i % 9
    if i % 4 == 2:
        body["price"] = float(i // 2)
    elif i % 4 == 3:
        body["price"] = round(rng.uniform(0, 50), 4)
    if i % 3:
        body["open"] = i % 2 == 0
    if i % 6 == 0:
        body["note"] = None
    elif i % 6 == 1:
        body["note"] = []
    elif i % 6 == 2:
        body["note"] = [None, "x"]
    elif i % 6 == 3:
        body["note"] = ""
    body["sizes"] = [[i % 5, (i + 2) % 5], [], [3], i % 5][i % 4]
    body["when"] = ["2024-03-%02dT10:00:00Z" % (i % 28 + 1), "2024-03-%02d" % (i % 28 + 1), "2024-03-%02dT12:30:00.25+02:00" % (i % 28 + 1)][i % 3]
    body["ship"] = {"flag": ["NO", "DE", "GR", "PA"][i % 4], "crew": {"count": i % 12, "langs": ["en", "no"][: i % 3]}}
    if i % 7:
        body["place"] = PLACES[i % len(PLACES)] if i % 5 else [PLACES[i % len(PLACES)], PLACES[(i + 4) % len(PLACES)]]
    body["cargo"] = [
        {"kind": ["grain", "coal", "fish"][(i + k) % 3], "tons": (i * 7 + k * 5) % 20, "tags": ["dry", "wet"][: (i + k) % 3]}
        for k in range(i % 4)
    ]
    body["quoted.key"] = i % 2
    return body
