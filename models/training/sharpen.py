"""Stage `sharpen`: the reranker goes on with questions whose answers are known by the sentence (`written.py`), beside the questions of `rank`, and with its best
stretches in the logit. What ships is the mean of the weights before and after, which is better than both (docs/decisions/0090; Wortsman et al. 2022, Robust fine-tuning of
zero-shot models).

Lists of passages have bge's order as target, with what answers lifted and what does not lowered; the candidates of a written question are of its package or
company, as one tenant's documents are. Lists of sentences have labels alone: the sentences that answer among the others of their passage. In other batches the passage
is read as a whole, and the tokens of its sentences are matched as stowage does when it cuts a chunk.
"""

import json
from collections import Counter
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional

import bases
import rank
from encoder import padded, token_ids, tokenizer
from parts import KEPT_OUT, sentence_tokens, word_matches
from paths import work
from rank import NEW_PARTS, Pools
from scorer import MATCH, Scorer, logits, side
from texts import rows
from training import PROCESS, begin, fit
from written import POOL_PREFIX, SHARPEN_PASSAGES, SHARPEN_QUERIES

START = rank.FINAL
STEPS = 1350
RATE = 6e-5
FROZEN_LAYERS = 3
TEACHERS, ZERO = {"bge": 51.0}, 33.0
# Of the logit with its stretches, beside the targets: of the scales tried, the one whose order is nearest to them before training.
SCALE = 0.35
LIFT = {True: 2.0, False: 7.0}
# More candidates of its own for each question than in `rank`.
SHORT, LONG = {"tokens": 96, "queries": 9, "own": 7}, {"tokens": 176, "queries": 6, "own": 8}
# Shares of the batches.
SENTENCES, PARTS, WRITTEN_SHARE = 0.1, 0.15, 0.5
IN_PASSAGES = 16
PASSAGE_TOKENS = 256
# How stowage weighs the match of a sentence: part_match of package.py, and src/pack/sentences/best-set.ts for the words.
MAX_SIMILARITY, COSINE, WORDS = 12.2, 9.0, 0.37
PARTS_WEIGHT = 0.5
OLDER = {
    "general": 0.14,
    "debian": 0.03,
    "chunking": 0.026,
    "hotpot": 0.017,
    "contractnli": 0.026,
    "api-reference": 0.022,
    "handbook": 0.0195,
    "policy": 0.0195,
}
# A pool needs this many questions and passages.
FEWEST_QUESTIONS = 12
SENTENCE_TOKENS = 80
OWN_SENTENCES, LISTED_SENTENCES, LISTS = 7, 12, 12
ANSWERS, ELSEWHERE = 4.0, -1.0
# Questions whose answers are looked at each time; 240 would take two minutes.
EXAMINED = 40
FINAL = work("sharpened.pt")


def learned(row: dict) -> bool:
    """Written questions of packages that judge the reranker are not."""
    package = row["pool"].removeprefix(POOL_PREFIX)
    return row["pool"] != package and package not in KEPT_OUT and not package.startswith("company")


def asked_pools(sources: tuple[Path, Path]) -> dict[str, int]:
    """How many questions each written pool has to learn, of those that have enough questions and passages. @param sources files of questions and passages"""
    asked = Counter(row["pool"] for row in rows(sources[0]) if learned(row) and row["split"] == "train")
    sizes = Counter(row["pool"] for row in rows(sources[1]))
    return {pool: count for pool, count in asked.items() if count >= FEWEST_QUESTIONS and sizes[pool] > rank.DEPTH}


def shared(share: float, asked: dict[str, int]) -> dict[str, float]:
    """A share of the batches of passages, each pool with as much of it as it has questions."""
    return {pool: share * count / sum(asked.values()) for pool, count in asked.items()}


def of_one(whole: dict[str, float]) -> dict[str, float]:
    return {pool: share / sum(whole.values()) for pool, share in whole.items()}


def size_of(pool: str) -> dict[str, int]:
    return SHORT if pool in rank.SHORT_POOLS else LONG


class Sentences:
    """Lists of sentences of one passage, and of other passages' sentences."""

    def __init__(self, sources: tuple[Path, Path]) -> None:
        self.words = tokenizer(bases.MINILM)
        passages = {row["id"]: row for row in rows(sources[1]) if len(row.get("sentences", ())) >= 3}
        self.cases = [
            (row["id"], set(row["evidence"]), passages[row["right"][0]])
            for row in rows(sources[0])
            if row.get("evidence") and row["split"] == "train" and row["right"][0] in passages and learned(row)
        ]

    def batch(self, chance: np.random.Generator) -> tuple[list[int], list[list[int]], np.ndarray, torch.Tensor]:
        """Questions, the ids of the batch's sentences, their places in the list of each question, and its targets."""
        texts, own = [], []
        chosen = [self.cases[number] for number in chance.choice(len(self.cases), LISTS, replace=False)]
        for _, evidence, passage in chosen:
            places = range(len(passage["sentences"]))
            answers = [place for place in places if place in evidence][:3]
            rest = chance.permutation([place for place in places if place not in evidence])
            listed = [*answers, *rest[: OWN_SENTENCES - len(answers)].astype(int)]
            own.append((len(texts), [place in evidence for place in listed]))
            texts += [f"{passage['path']}\n{passage['sentences'][place]}" for place in listed]
        places, targets = [], []
        for first, answers in own:
            mine = range(first, first + len(answers))
            others = [place for place in range(len(texts)) if place not in mine]
            filled = chance.choice(others, LISTED_SENTENCES - len(answers), replace=False)
            places.append([*mine, *filled])
            targets.append([ANSWERS * answer for answer in answers] + [ELSEWHERE] * len(filled))
        ids = [row[1:] for row in token_ids(self.words, texts, SENTENCE_TOKENS)]
        return [number for number, _, _ in chosen], ids, np.array(places), torch.tensor(targets)


class InPassages:
    """Passages with their sentences, of which some answer: what chooses the sentences of a cut chunk."""

    def __init__(self, sentences: Sentences, queries: Path) -> None:
        self.words, self.cases = sentences.words, sentences.cases
        self.texts = {row["id"]: row["text"] for row in rows(queries)}
        self.sep = self.words.token_to_id("[SEP]")

    def batch(self, chance: np.random.Generator) -> tuple[list[int], list[list[int]], list[tuple[torch.Tensor, torch.Tensor, torch.Tensor]]]:
        """Questions, the ids of their passages, and of each: which tokens are of which sentence [sentences, tokens], the match of its words, and which answer."""
        numbers, ids, marks = [], [], []
        for at in chance.choice(len(self.cases), IN_PASSAGES, replace=False):
            number, evidence, passage = self.cases[at]
            listed, own = sentence_tokens(self.words, passage["path"], passage["sentences"], PASSAGE_TOKENS)
            kept = [place for place, mask in enumerate(own) if mask.any()]
            answers = torch.tensor([place in evidence for place in kept])
            if not answers.any():
                continue
            words = torch.tensor(word_matches(self.texts[number], passage["sentences"]))[kept]
            numbers.append(number)
            ids.append([*listed, self.sep])
            marks.append((torch.stack([own[place] for place in kept]), words, answers))
        return numbers, ids, marks


def part_loss(model: Scorer, asked: list[list[int]], ids: list[list[int]], marks: list) -> torch.Tensor:
    """Of the likelihood of the sentences that answer, as stowage computes it (src/pack/sentences/best-set.ts)."""
    query_ids, query_mask = padded(asked)
    query_states = model.encode(query_ids, query_mask, 0)[1]
    importance = functional.softplus(model.weigh(query_states).float())[..., 0] * query_mask
    importance = importance / importance.sum(1, keepdim=True)
    queries = model.query_side(query_states).float()
    meaning = functional.normalize((queries * query_mask[..., None]).sum(1), dim=-1)
    passage_ids, passage_mask = padded(ids)
    found = model.text_side(model.encode(passage_ids, passage_mask, 1)[1]).float()
    near = functional.normalize(queries[..., :MATCH], dim=-1) @ functional.normalize(found[..., :MATCH], dim=-1).transpose(1, 2)
    total = torch.zeros(())
    for at, (own, words, answers) in enumerate(marks):
        length = own.shape[1]
        best = near[at].float()[:, None, :length].masked_fill(~own, -2.0).amax(-1)
        similarity = importance[at] @ best
        means = functional.normalize(own.float() @ found[at, :length], dim=-1)
        scores = MAX_SIMILARITY * similarity + COSINE * (means @ meaning[at]) + WORDS * words
        total = total - scores.log_softmax(0)[answers].mean()
    return total / max(1, len(marks))


def mean_of(before: dict[str, torch.Tensor], after: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    return {name: (before[name] + after[name]) / 2 for name in before}


def train(pools: Pools, sources: tuple[Path, Path], start: dict[str, torch.Tensor], steps: int, rate: float, first_number: int) -> dict[str, torch.Tensor]:
    """
    The weights after training on the pools and on their sentences.

    @param sources files of questions and passages; @param first_number of the batches, so that stages draw other ones
    """
    sentences = Sentences(sources)
    in_passages = InPassages(sentences, sources[0])
    torch.manual_seed(4)
    model = Scorer(len(rank.LAYERS), rank.INNER)
    model.load_state_dict(start)
    tower = model.tower
    for part in (tower.words, tower.positions, tower.types, tower.norm, *tower.layers[:FROZEN_LAYERS]):
        part.requires_grad_(False)

    def loss_of(number: int) -> torch.Tensor:
        number += first_number
        chance = np.random.default_rng(90_000 + number)
        drawn = chance.random()
        if drawn < PARTS:
            queries, ids, marks = in_passages.batch(chance)
            return PARTS_WEIGHT * part_loss(model, [pools.query_ids[one] for one in queries], ids, marks)
        of_sentences = drawn < PARTS + SENTENCES
        if of_sentences:
            queries, ids, places, target = sentences.batch(chance)
        else:
            queries, passages, places, longest = pools.batch(number)
            ids, target = [pools.passage_ids[one][:longest] for one in passages], pools.target(queries, passages[places])
        found = logits(model, [pools.query_ids[one] for one in queries], side(model, ids), torch.from_numpy(places), stretches=True)[0] * SCALE
        order = functional.kl_div(found.log_softmax(-1), target.softmax(-1), reduction="batchmean")
        if of_sentences:
            return order
        level = functional.smooth_l1_loss(found - found.mean(), target - target.mean())
        return order + 0.02 * level

    if PROCESS == 0:
        print(json.dumps({"pools": len(pools.shares), "lists of sentences": len(sentences.cases)}), flush=True)
    checkpoint = work(f"{pools.stage}.checkpoint.pt")
    fit(pools.stage, model, steps, rate, loss_of, checkpoint, lambda: rank.examine(model, pools, EXAMINED, stretches=True), 130, NEW_PARTS)
    return model.state_dict()


def main() -> None:
    sources = SHARPEN_QUERIES, SHARPEN_PASSAGES
    shares = of_one({**OLDER, **shared(WRITTEN_SHARE, asked_pools(sources))})
    pools = Pools("sharpen", sources, shares, TEACHERS, ZERO, size_of, LIFT)
    start = torch.load(START, weights_only=True)
    after = train(pools, sources, start, STEPS, RATE, 0)
    if PROCESS == 0:
        torch.save(mean_of(start, after), FINAL)


if __name__ == "__main__":
    begin()
    main()
