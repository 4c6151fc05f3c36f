"""Stage `parts`: how well a sentence of a passage must match a question to hold its answer (docs/decisions/0086).

The logit of a sentence is a sum of three figures: MaxSim of its token-matching vectors, the cosine of its mean vector with that of the question, and the BM25
of its words. Their weights maximize the likelihood of the sentences that answer the written questions, among the other sentences of the passage. The packages
of the check sets and the invented companies are kept out. The first two weights belong in `part_match` of package.py, the third in
src/pack/sentences/best-set.ts.
"""

import json
import math
import random
import re

import numpy as np
import torch
from tokenizers import Tokenizer
from torch.nn import functional

import bases
import rank
from encoder import tokenizer
from paths import work
from scorer import MATCH, Scorer
from texts import rows
from written import POOL_PREFIX, SHARPEN_PASSAGES, SHARPEN_QUERIES

# Golden sets of these judge stowage on documents that nothing was fitted on (written-goldens.ts).
KEPT_OUT = """bind9-doc borgbackup-doc buildbot-doc crmsh-doc debian-faq debian-policy developers-reference exim4-doc-html git-doc haproxy-doc ironic-doc
kicad-doc-en keystone-doc libvirt-doc lilypond-doc-html mailman3-doc octave-doc openvswitch-doc patroni-doc pgpool2 postfix-doc python-celery-doc
python-flask-doc python-sqlalchemy-doc slurm-wlm-doc varnish-doc zsh-doc""".split()
STOPWORDS = set(
    "a an the of to in on for and or is are was were be been do does did how what which who when where why can could should would will may must i you we "
    "they it its this that these those with by from at as if not no my your our their has have had there".split()
)
WORD = re.compile(r"[a-z0-9_]+")
ENDING = re.compile(r"(ing|ed|es|s)$")
K1 = 1.2
QUERY_TOKENS, PASSAGE_TOKENS = 64, 400
# Makes the three figures about equally large for the optimizer.
SCALES = torch.tensor([10.0, 10.0, 0.2])
EPOCHS, BATCH, RATE = 3, 64, 1e-2
ROOMS = (0.35, 0.5, 0.7)


def terms(text: str) -> list[str]:
    words = (word for word in WORD.findall(text.lower()) if word not in STOPWORDS)
    return [ENDING.sub("", word) if len(word) > 4 else word for word in words]


def word_matches(question: str, sentences: list[str]) -> list[float]:
    """BM25 without length norm, the sentences of the passage as documents."""
    held = [terms(sentence) for sentence in sentences]
    total = [0.0] * len(sentences)
    for term in dict.fromkeys(terms(question)):
        holders = sum(term in words for words in held)
        idf = math.log(1 + (len(sentences) - holders + 0.5) / (holders + 0.5))
        for at, words in enumerate(held):
            count = words.count(term)
            total[at] += idf * count * (K1 + 1) / (count + K1)
    return total


def sentence_tokens(words: Tokenizer, path: str, sentences: list[str], most: int) -> tuple[list[int], list[torch.Tensor]]:
    """The tokens of a passage, and which of them are of each sentence."""
    encoded = words.encode(f"{path}\n{' '.join(sentences)}", add_special_tokens=False)
    ids, starts = encoded.ids[:most], torch.tensor([start for start, _ in encoded.offsets[:most]])
    ends = np.cumsum([len(path) + 1, *[len(sentence) + 1 for sentence in sentences]])
    return ids, [(starts >= int(start)) & (starts < int(end)) for start, end in zip(ends[:-1], ends[1:], strict=True)]


class Reader:
    """The shipped reranker, as stowage reads one text alone."""

    def __init__(self) -> None:
        self.model = Scorer(len(rank.LAYERS), rank.INNER)
        self.model.load_state_dict(torch.load(work("widen-on.pt"), weights_only=True))
        self.model.eval()
        self.words = tokenizer(bases.MINILM)
        self.cls, self.sep = self.words.token_to_id("[CLS]"), self.words.token_to_id("[SEP]")

    def states(self, ids: list[int], first_position: int) -> torch.Tensor:
        row = torch.tensor([ids])
        return self.model.encode(row, torch.ones_like(row), first_position)[1][0]

    def question(self, text: str) -> tuple[torch.Tensor, torch.Tensor]:
        """Vectors of the tokens, and their importance, which sums to 1."""
        ids = self.words.encode(text, add_special_tokens=False).ids[: QUERY_TOKENS - 2]
        states = self.states([self.cls, *ids, self.sep], 0)
        importance = functional.softplus(self.model.weigh(states))[:, 0]
        return self.model.query_side(states), importance / importance.sum()

    def passage(self, path: str, sentences: list[str]) -> tuple[torch.Tensor, list[torch.Tensor]]:
        """Vectors of the tokens, and which of them are of each sentence."""
        ids, own = sentence_tokens(self.words, path, sentences, PASSAGE_TOKENS)
        return self.model.text_side(self.states([*ids, self.sep], 1)[:-1]), own


def figures(question: tuple, passage: tuple, words: list[float]) -> torch.Tensor:
    """[sentences, 3]: MaxSim, cosine, words."""
    (asked, importance), (found, own) = question, passage
    near = functional.normalize(asked[:, :MATCH], dim=-1) @ functional.normalize(found[:, :MATCH], dim=-1).T
    meaning = functional.normalize(asked.mean(0), dim=0)
    listed = []
    for at, mask in enumerate(own):
        if mask.any():
            similarity = (near[:, mask].amax(1) * importance).sum().item()
            listed.append([similarity, (functional.normalize(found[mask].mean(0), dim=0) @ meaning).item(), words[at]])
        else:
            listed.append([0.0, 0.0, words[at]])
    return torch.tensor(listed)


def cases() -> tuple[list[tuple], list[tuple]]:
    """(figures, sentences that answer, tokens of the sentences) of the questions to fit, and of those kept out."""
    reader = Reader()
    passages = list(rows(SHARPEN_PASSAGES))
    read: dict[int, tuple] = {}
    sides: tuple[list, list] = ([], [])
    with torch.inference_mode():
        for row in rows(SHARPEN_QUERIES):
            if row["source"] != "written" or not row["evidence"]:
                continue
            number = row["right"][0]
            sentences = passages[number]["sentences"]
            if number not in read:
                read[number] = reader.passage(passages[number]["path"], sentences)
            found = figures(reader.question(row["text"]), read[number], word_matches(row["text"], sentences))
            package = row["pool"].removeprefix(POOL_PREFIX)
            kept_out = package in KEPT_OUT or package.startswith("company")
            sides[kept_out].append((found, row["evidence"], [int(mask.sum()) for mask in read[number][1]]))
    return sides


def fit(listed: list[tuple]) -> torch.Tensor:
    weights = torch.full((3,), 0.5, requires_grad=True)
    optimizer = torch.optim.AdamW([weights], lr=RATE)
    chance = np.random.default_rng(0)
    for _ in range(EPOCHS):
        for batch in np.array_split(chance.permutation(len(listed)), len(listed) // BATCH):
            logs = [((listed[at][0] * SCALES) @ weights).log_softmax(0)[listed[at][1]].mean() for at in batch]
            optimizer.zero_grad()
            (-torch.stack(logs).mean()).backward()
            optimizer.step()
    return weights.detach() * SCALES


def held(listed: list[tuple], weights: torch.Tensor) -> dict[str, float]:
    """How often the likeliest run of sentences that has a share of the tokens holds all that answer, in percent."""
    shares = {}
    for room in ROOMS:
        hits = []
        for found, evidence, tokens in listed:
            chances = (found @ weights).softmax(0)
            runs = [(a, b) for a in range(len(tokens)) for b in range(a + 1, len(tokens) + 1) if sum(tokens[a:b]) <= room * sum(tokens)]
            if runs:
                first, end = max(runs, key=lambda run: float(chances[run[0] : run[1]].sum()))
                hits.append(all(first <= one < end for one in evidence))
        shares[f"{room:.2f}"] = round(100 * float(np.mean(hits)), 1)
    return shares


def main() -> None:
    torch.manual_seed(0)
    fitted, rest = cases()
    weights = fit(fitted)
    checked = random.Random(0).sample(rest, 1500)
    content = {
        "questions": len(fitted),
        "max_similarity": round(float(weights[0]), 2),
        "cosine": round(float(weights[1]), 2),
        "words": round(float(weights[2]), 3),
        "kept out": {"words alone": held(checked, torch.tensor([0.0, 0.0, 1.0])), "all": held(checked, weights)},
    }
    work("parts.json").write_text(json.dumps(content, indent=2) + "\n")
    print(json.dumps(content), flush=True)


if __name__ == "__main__":
    torch.set_num_threads(1)
    main()
