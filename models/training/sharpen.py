"""Stage `sharpen`, not a part of the shipped model (docs/decisions/0084): the reranker goes on with questions whose answers are known by the sentence
(`written.py`), beside the questions of `rank`.

Lists of passages have bge's order as target, with what answers lifted and what does not lowered; the candidates of a written question are of its package or
company, as one tenant's documents are. Lists of sentences have labels alone: the sentences that answer among the others of their passage.
"""

import json
import os

import numpy as np
import torch
from torch.nn import functional

import bases
import rank
from encoder import token_ids, tokenizer
from paths import work
from rank import NEW_PARTS, Pools
from scorer import Scorer, logits, side
from texts import rows
from training import PROCESS, begin, fit
from written import POOL_PREFIX, SHARPEN_PASSAGES, SHARPEN_QUERIES

START = rank.FINAL
STEPS = int(os.environ.get("SHARPEN_STEPS", "540"))
RATE = 6e-5
FROZEN_LAYERS = 3
TEACHERS, ZERO = {"bge": 51.0}, 33.0
# Shares of the batches.
SENTENCES, WRITTEN_SHARE = 0.2, 0.5
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
CHECKPOINT = work("sharpened.checkpoint.pt")
FINAL = work("sharpened.pt")


def shares() -> dict[str, float]:
    """Of each pool among the batches of passages; a written pool has as much as it has questions."""
    asked: dict[str, int] = {}
    for row in rows(SHARPEN_QUERIES):
        if row["pool"].startswith(POOL_PREFIX) and row["split"] == "train":
            asked[row["pool"]] = asked.get(row["pool"], 0) + 1
    sizes: dict[str, int] = {}
    for row in rows(SHARPEN_PASSAGES):
        sizes[row["pool"]] = sizes.get(row["pool"], 0) + 1
    asked = {pool: count for pool, count in asked.items() if count >= FEWEST_QUESTIONS and sizes[pool] > rank.DEPTH}
    whole = {**OLDER, **{pool: WRITTEN_SHARE * count / sum(asked.values()) for pool, count in asked.items()}}
    return {pool: share / sum(whole.values()) for pool, share in whole.items()}


class Sentences:
    """Lists of sentences of one passage, and of other passages' sentences."""

    def __init__(self) -> None:
        self.words = tokenizer(bases.MINILM)
        passages = {row["id"]: row for row in rows(SHARPEN_PASSAGES) if len(row.get("sentences", ())) >= 3}
        self.cases = [
            (row["id"], set(row["evidence"]), passages[row["right"][0]])
            for row in rows(SHARPEN_QUERIES)
            if row.get("evidence") and row["split"] == "train" and row["right"][0] in passages
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


def main() -> None:
    pools, sentences = Pools("sharpen", (SHARPEN_QUERIES, SHARPEN_PASSAGES), shares(), TEACHERS, ZERO), Sentences()
    torch.manual_seed(4)
    model = Scorer(len(rank.LAYERS), rank.INNER)
    model.load_state_dict(torch.load(START, weights_only=True))
    tower = model.tower
    for part in (tower.words, tower.positions, tower.types, tower.norm, *tower.layers[:FROZEN_LAYERS]):
        part.requires_grad_(False)

    def loss_of(number: int) -> torch.Tensor:
        chance = np.random.default_rng(90_000 + number)
        of_sentences = chance.random() < SENTENCES
        if of_sentences:
            queries, ids, places, target = sentences.batch(chance)
        else:
            queries, passages, places, longest = pools.batch(number)
            ids, target = [pools.passage_ids[one][:longest] for one in passages], pools.target(queries, passages[places])
        found = logits(model, [pools.query_ids[one] for one in queries], side(model, ids), torch.from_numpy(places))[0]
        order = functional.kl_div(found.log_softmax(-1), target.softmax(-1), reduction="batchmean")
        if of_sentences:
            return order
        level = functional.smooth_l1_loss(found - found.mean(), target - target.mean())
        return order + 0.02 * level

    if PROCESS == 0:
        print(json.dumps({"pools": len(pools.shares), "lists of sentences": len(sentences.cases)}), flush=True)
    fit("sharpen", model, STEPS, RATE, loss_of, CHECKPOINT, lambda: rank.examine(model, pools), 200, NEW_PARTS)
    if PROCESS == 0:
        torch.save(model.state_dict(), FINAL)


if __name__ == "__main__":
    begin()
    main()
