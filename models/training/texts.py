"""Texts cut, sampled and split: what the questions of the training and the golden sets have in common."""

import hashlib
import json
import random
import re
from collections.abc import Iterator

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


def pieces(text: str, size: int) -> list[str]:
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
