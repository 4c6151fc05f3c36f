"""Stage `texts`: every passage and query that the teachers label, and the split that keeps the test sets out.

docs-rag, chunking and dl19 are never read here. Of scifact the claims with an odd id hash stay out; of the training
pairs one in ten.
"""

import hashlib
import json
import random
import re
from collections.abc import Iterator

from debian import documentation
from dictionaries import definitions
from paths import DATA, work

PASSAGES = work("passages.jsonl")
QUERIES = work("queries.jsonl")

SECTION_QUOTA = 13_000
DEFINITION_QUOTA = 7_000
KEYWORD_QUOTA = 12_000
PASSAGE_CHARACTERS = 700
SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z0-9])|\n+")
STOPWORDS = set(
    "a an and are as at be been but by can could did do does for from had has have how i if in into is it its may "
    "more no not of on one or our see she he should so some such than that the their them then there these they "
    "this those to use used using was we were what when where which who will with would you your".split()
)
ASKED = ["what is {}", "what is {}", "define {}", "{} definition", "{}", "what does {} mean", "meaning of {}"]


def held_out(key: str, share: float) -> bool:
    """A stable split: the same key falls on the same side in every run."""
    return int(hashlib.sha256(key.encode()).hexdigest()[:8], 16) / 0xFFFFFFFF < share


def rows(path) -> Iterator[dict]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def pieces(text: str, size: int = PASSAGE_CHARACTERS) -> list[str]:
    """Sentences packed up to `size` characters."""
    packed = [""]
    for sentence in SENTENCE.split(text):
        if len(packed[-1]) + len(sentence) > size and packed[-1]:
            packed.append("")
        packed[-1] = f"{packed[-1]} {sentence}".strip()[: 2 * size]
    return [piece for piece in packed if len(piece) > 60]


def keyword_query(text: str, chance: random.Random) -> str | None:
    """A search-box query out of one sentence: some of its content words, in order."""
    sentences = [s for s in SENTENCE.split(text) if 50 < len(s) < 300]
    if not sentences:
        return None
    words = re.findall(r"[\w'-]+", chance.choice(sentences).lower())
    content = [word for word in words if word not in STOPWORDS and len(word) > 2 and not word.isdigit()]
    if len(content) < 3:
        return None
    wanted = chance.randint(2, min(6, len(content)))
    start = chance.randint(0, len(content) - wanted)
    return " ".join(content[start : start + wanted])


def labelled() -> Iterator[tuple[str, str, str, str]]:
    """(source, split, query, passage) of the human-made pairs."""
    for row in rows(DATA / "train/pairs.jsonl"):
        split = "dev" if held_out(row["query"], 0.1) else "train"
        passage = row.get("positive") or row["negative"]
        yield row["set"] + ("" if "positive" in row else "-negative"), split, row["query"], passage
    for name in ("scifact", "hotpot"):
        corpus = {row["doc_id"]: row for row in rows(DATA / name / "corpus.jsonl")}
        for row in rows(DATA / name / "queries.jsonl"):
            if name == "scifact" and held_out(row["id"], 0.5):
                continue
            for gold in row["gold"]:
                document = corpus[gold["doc_id"]]
                yield name, "train", row["query"], f"{document['title']}. {document['text']}"[: 3 * PASSAGE_CHARACTERS]


def main() -> None:
    chance = random.Random(7)
    passages: dict[str, dict] = {}
    queries: list[dict] = []

    def passage(text: str, source: str) -> int:
        return passages.setdefault(text, {"id": len(passages), "source": source, "text": text})["id"]

    def query(text: str, source: str, positive: int | None, split: str = "train", negative: int | None = None) -> None:
        row = {"id": len(queries), "source": source, "split": split, "text": text, "positive": positive, "negative": negative}
        queries.append(row)

    for source, split, text, answer in labelled():
        number = passage(answer, source)
        wrong = source.endswith("-negative")
        query(text, source, None if wrong else number, split, number if wrong else None)
    for name in ("scifact", "hotpot"):
        for row in rows(DATA / name / "corpus.jsonl"):
            passage(f"{row['title']}. {row['text']}"[: 3 * PASSAGE_CHARACTERS], name)
            if name == "scifact" and chance.random() < 0.5:
                query(row["title"], "scifact-title", None)

    sections = list(documentation())
    chance.shuffle(sections)
    used = 0
    for package, titles, text in sections:
        parts = pieces(text)
        if used < SECTION_QUOTA and parts:
            used += 1
            number = passage(parts[0], package)
            title = titles[-1] if len(titles) == 1 or len(titles[-1]) > 25 else f"{titles[-2]} {titles[-1]}"
            if chance.random() < 0.6 and 8 < len(title) < 120:
                query(title, "heading", number)

    entries = list(definitions())
    chance.shuffle(entries)
    for package, headword, text in entries[:DEFINITION_QUOTA]:
        query(chance.choice(ASKED).format(headword.lower()), "definition", passage(text[:PASSAGE_CHARACTERS], package))

    everything = list(passages.values())
    for row in chance.sample(everything, min(KEYWORD_QUOTA, len(everything))):
        text = keyword_query(row["text"], chance)
        if text:
            query(text, "keywords", row["id"])

    for path, content in ((PASSAGES, everything), (QUERIES, queries)):
        with path.open("w", encoding="utf-8") as out:
            out.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in content)
    print(f"{len(everything)} passages, {len(queries)} queries", flush=True)


if __name__ == "__main__":
    main()
