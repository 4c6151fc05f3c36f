"""Dictionary entries from Debian as (headword, definition): stand-ins for the "what is X" questions people ask."""

import gzip
import re
from collections.abc import Iterator

from debian import fetch

DICTIONARIES = {"dict-foldoc": "foldoc", "dict-wn": "wn", "dict-gcide": "gcide"}
MARKUP = [
    (re.compile(r"\[[^\]]*\]"), " "),
    (re.compile(r"\\[^\\]*\\"), " "),
    (re.compile(r"<[a-z ,]+>"), " "),
    (re.compile(r"\([\d-]+\)"), " "),
    (re.compile(r"https?:\S+"), " "),
    (re.compile(r"[{}]"), ""),
    (re.compile(r"\s+"), " "),
]


def clean(text: str) -> str:
    for pattern, replacement in MARKUP:
        text = pattern.sub(replacement, text)
    return text.strip(" ,.;") + "."


def entries(package: str) -> Iterator[tuple[str, str]]:
    """An entry is a headword in column 0 and indented lines below it."""
    name = DICTIONARIES[package]
    path = fetch(package) / f"usr/share/dictd/{name}.dict.dz"
    headword, body = "", []
    with gzip.open(path, "rt", encoding="utf-8", errors="replace") as lines:
        for line in lines:
            if line[:1].isalpha():
                if headword and body:
                    yield headword, clean(" ".join(body))
                headword, _, rest = line.strip().partition(" \\")
                body = []
                if rest:
                    body.append(rest.split("\\")[-1])
            elif line.startswith(" "):
                body.append(line.strip())
    if headword and body:
        yield headword, clean(" ".join(body))


def definitions() -> Iterator[tuple[str, str, str]]:
    """(package, headword, "headword: definition") with at least a sentence to match."""
    for package in DICTIONARIES:
        for headword, text in entries(package):
            if 60 <= len(text) <= 1500 and 3 <= len(headword) <= 40:
                yield package, headword, f"{headword}: {text}"
