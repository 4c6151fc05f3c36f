"""Stage `written`: questions that a language model wrote while reading passages, and the passages: documentation, articles, licences, and documents of invented companies.

`written/questions.tsv` names a passage by a hash of its text, the sentences of it that answer, and the question. The sentence 0 means that a reader might
expect the answer there, but the passage does not give it. A passage that a newer package no longer has is left out, with its questions. They are added to
those of `questions`, each package or company a pool of its own, and bge-small reads them all.
"""

import hashlib
import json
import random
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from debian import PACKAGES, english, fetch, page_sections
from paths import DATA, TRAINING, WORK, work
from questions import PASSAGES, QUERIES as RANK_QUERIES
from teachers import BGE_ASKS, bge_teacher, label
from texts import SENTENCE, held_out, rows

SHARPEN_PASSAGES = work("sharpen-passages.jsonl")
SHARPEN_QUERIES = work("sharpen-queries.jsonl")
POOL_PREFIX = "written "
HELD_OUT = 0.07
QUESTIONS = TRAINING / "written/questions.tsv"
COMPANIES = TRAINING / "written/companies"
LICENCES = Path("/usr/share/common-licenses")
MORE_PACKAGES = """barbican-doc borgbackup-doc buildbot-doc cinder-doc crmsh-doc debian-faq debian-policy designate-doc exim4-doc-html fai-doc
frr-doc ganeti-doc heat-doc ironic-doc keystone-doc kicad-doc-en libvirt-doc lilypond-doc-html live-manual-html mailman3-doc neutron-doc
octave-doc openvswitch-doc patroni-doc pgpool2 postfix-doc python-flask-doc python-sqlalchemy-doc r-doc-html shorewall-doc slurm-wlm-doc
varnish-doc zsh-doc""".split()
ARTICLES = {"nq", "covidqa", "xquad", "clapnq", "doc2dial"}
ARTICLE_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z0-9\"'(])|\n+")
COMPANY_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z0-9\"'(*])|\n+")
CHARACTERS = 800
LONGEST_SENTENCE = 700
LARGEST_PAGE = 1_500_000
# Passages that no question asks for, of each package: what a search confuses with the right ones.
NEIGHBOURS, OTHERS = 200, 60


@dataclass(frozen=True)
class Passage:
    pool: str
    doc: str
    path: str
    sentences: tuple[str, ...]

    @property
    def text(self) -> str:
        return f"{self.path}\n{' '.join(self.sentences)}"

    @property
    def name(self) -> str:
        return hashlib.sha256(self.text.encode()).hexdigest()[:10]


@dataclass(frozen=True)
class Question:
    passage: str
    text: str
    # Places of the sentences that answer, from 0; empty when none does.
    evidence: tuple[int, ...]


def cut(sentences: Iterable[str], characters: int = CHARACTERS) -> Iterator[tuple[str, ...]]:
    """Sentences packed up to `characters`."""
    packed: list[str] = []
    for sentence in filter(None, map(str.strip, sentences)):
        if packed and sum(map(len, packed)) + len(sentence) > characters:
            yield tuple(packed)
            packed = []
        packed.append(sentence[:LONGEST_SENTENCE])
    if packed:
        yield tuple(packed)


def is_prose(sentences: tuple[str, ...]) -> bool:
    text = " ".join(sentences)
    letters = sum(one.isalpha() or one == " " for one in text) / len(text)
    closed = sum(one[-1] in ".!?:)" for one in sentences)
    return len(sentences) >= 3 and 300 < len(text) < 1300 and letters >= 0.87 and 2 * closed >= len(sentences)


def documentation() -> Iterator[Passage]:
    for package in [*PACKAGES, *MORE_PACKAGES]:
        for page in sorted(one for one in fetch(package).rglob("*.*htm*") if one.is_file() and english(one)):
            raw = page.read_bytes()
            for titles, text in page_sections(raw) if len(raw) <= LARGEST_PAGE else ():
                for sentences in filter(is_prose, cut(SENTENCE.split(text))):
                    yield Passage(package, str(page.relative_to(WORK)), " > ".join(titles[-3:]), sentences)


def articles() -> Iterator[Passage]:
    for row in rows(DATA / "train/pairs.jsonl"):
        text = row.get("positive") or row["negative"]
        if row["set"] in ARTICLES:
            sentences = tuple(filter(None, map(str.strip, ARTICLE_SENTENCE.split(text))))
            if len(sentences) >= 3 and 250 < len(text) < 1600:
                yield Passage("articles", row["title"], row["title"], sentences)


def licences() -> Iterator[Passage]:
    for file in sorted(LICENCES.iterdir()):
        paragraphs = (" ".join(one.split()) for one in re.split(r"\n\s*\n", file.read_text(errors="replace")))
        packed: list[str] = []
        for sentence in (one for paragraph in paragraphs for one in ARTICLE_SENTENCE.split(paragraph) if one):
            if len(packed) >= 3 and sum(map(len, packed)) + len(sentence) > 900:
                yield Passage("licences", file.name, file.name, tuple(packed))
                packed = []
            packed.append(sentence)
        if len(packed) >= 3:
            yield Passage("licences", file.name, file.name, tuple(packed))


def companies() -> Iterator[Passage]:
    """Sections of Markdown, a list item or a table row a sentence. The number before a file's name is its company."""
    for file in sorted(COMPANIES.glob("*.md")):
        headings: list[str] = []
        lines: list[str] = []

        def passages(headings=headings, lines=lines, file=file) -> Iterator[Passage]:
            for sentences in cut(part for line in lines for part in COMPANY_SENTENCE.split(line)):
                yield Passage(f"company {file.name[:2]}", file.stem, " > ".join(headings), sentences)

        for line in filter(None, map(str.strip, file.read_text(encoding="utf-8").splitlines())):
            heading = re.match(r"(#+)\s+(.*)", line)
            if heading:
                yield from passages()
                lines.clear()
                headings[len(heading[1]) - 1 :] = [heading[2]]
            elif not re.fullmatch(r"[|:\- ]+", line):
                lines.append(line)
        yield from passages()


def questions(file: Path = QUESTIONS) -> Iterator[Question]:
    for line in file.read_text(encoding="utf-8").splitlines():
        passage, sentences, text = line.split("\t")
        numbers = [int(number) for number in sentences.split(",")]
        yield Question(passage, text, tuple(number - 1 for number in numbers if number > 0))


def asked_passages() -> tuple[list[Passage], list[Question]]:
    """The passages that questions are about, with some of the same and of other pages, and their questions."""
    asked = {question.passage for question in questions()}
    chance = random.Random(3)
    kept: dict[str, Passage] = {}
    rest: dict[str, dict[str, Passage]] = defaultdict(dict)
    for source in (documentation(), articles(), licences(), companies()):
        for passage in source:
            if passage.name in asked or passage.pool.startswith("company"):
                kept[passage.name] = passage
            elif passage.pool != "articles":
                rest[passage.pool][passage.text[:120]] = passage
    pages = {(passage.pool, passage.doc) for passage in kept.values()}
    for pool, passages in sorted(rest.items()):
        near = [one for one in passages.values() if (pool, one.doc) in pages]
        far = [one for one in passages.values() if (pool, one.doc) not in pages]
        for part, most in ((near, NEIGHBOURS), (far, OTHERS)):
            kept |= {one.name: one for one in chance.sample(part, min(most, len(part)))}
    return list(kept.values()), [question for question in questions() if question.passage in kept]


def main() -> None:
    passages, queries = list(rows(PASSAGES)), list(rows(RANK_QUERIES))
    written, asked = asked_passages()
    numbers = {}
    for one in written:
        numbers[one.name] = len(passages)
        texts = {"doc": one.doc, "text": one.text, "path": one.path, "sentences": one.sentences}
        passages.append({"id": len(passages), "pool": POOL_PREFIX + one.pool, **texts})
    pools = {one.name: POOL_PREFIX + one.pool for one in written}
    for one in asked:
        mark, source = ("right", "written") if one.evidence else ("wrong", "unanswered")
        marks = {"right": [], "wrong": [], "partial": [], mark: [numbers[one.passage]], "evidence": one.evidence}
        split = "dev" if held_out(one.passage, HELD_OUT) else "train"
        queries.append({"id": len(queries), "pool": pools[one.passage], "source": source, "split": split, "text": one.text, **marks})
    for path, content in ((SHARPEN_PASSAGES, passages), (SHARPEN_QUERIES, queries)):
        with path.open("w", encoding="utf-8") as out:
            out.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in content)
    print(f"{len(written)} passages, {len(asked)} questions, {len(list(questions())) - len(asked)} without their passage", flush=True)
    label("bge", lambda: bge_teacher(BGE_ASKS), SHARPEN_QUERIES)
    label("bge", lambda: bge_teacher(""), SHARPEN_PASSAGES)


if __name__ == "__main__":
    main()
