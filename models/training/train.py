"""Stage `train`: one set of layers becomes both models.

A step scores each query against its own positive and mined hard candidates and against some of its neighbours'. The
scorer's target is the softmax of the teacher's cosine, with the labelled passage lifted and a labelled non-answer
pushed down; the same layers' mean vectors go on being pulled to the teacher's, so that they stay an embedder.
"""

import json

import numpy as np
import torch
from torch.nn import functional

import bases
from distil import FINAL as DISTILLED
from distil import INNER, KEPT_LAYERS, distance
from encoder import cached_ids, padded, tokenizer
from make_texts import PASSAGES, QUERIES, rows
from measures import ndcg
from mine import CANDIDATES
from paths import work
from scorer import Scorer, mean
from training import PROCESS, PROCESSES, begin, fit

CLS = 101
QUERIES_A_BATCH = 12
OTHERS = 7
STEPS = 600
RATE = 3e-4
PASSAGE_TOKENS = 96
QUERY_TOKENS = 32
TEACHER_SCALE = 25.0
TEACHER_ZERO = 9.0
WEAK = {"heading", "definition", "keywords", "scifact-title"}
LIFT = {True: 2.0, False: 5.0}
NEW_PARTS = ("query_side", "text_side", "weigh", "cross", "blend", "hidden", "bend")
CHECKPOINT = work("trained.checkpoint.pt")
FINAL = work("trained.pt")


class Pairs:
    """Queries, passages, teacher's vectors and mined candidates, and the batches drawn from them."""

    def __init__(self) -> None:
        words = tokenizer(bases.MINILM)
        self.queries = list(rows(QUERIES))
        self.query_ids = cached_ids(words, QUERIES, QUERY_TOKENS)
        # A passage goes without [CLS]: in the pair layout that token belongs to the query.
        self.passage_ids = [ids[1:] for ids in cached_ids(words, PASSAGES, PASSAGE_TOKENS)]
        self.vectors = [np.load(work(f"vectors/minilm-{kind}.npy")) for kind in ("queries", "passages")]
        mined = np.load(CANDIDATES)
        self.lexical, self.dense = mined["lexical"], mined["dense"]
        self.train = np.array([row["id"] for row in self.queries if row["split"] == "train"])
        # Questions that people wrote are few: they come three times as often.
        weight = np.array([1.0 if self.queries[number]["source"] in WEAK else 3.0 for number in self.train])
        self.weight = weight / weight.sum()
        self.dev = [row["id"] for row in self.queries if row["split"] == "dev" and row["positive"] is not None]

    def teacher(self, queries: np.ndarray, passages: np.ndarray) -> torch.Tensor:
        """The teacher's cosine, [queries, candidates]."""
        asked, stored = (vectors[chosen].astype(np.float32) for vectors, chosen in zip(self.vectors, (queries, passages)))
        return torch.from_numpy(np.einsum("qd,qcd->qc", asked, stored))

    def taught(self, queries: np.ndarray, passages: np.ndarray) -> torch.Tensor:
        """The teacher's unit vectors of a batch, queries first."""
        both = np.concatenate([self.vectors[0][queries], self.vectors[1][passages]]).astype(np.float32)
        return functional.normalize(torch.from_numpy(both), dim=-1)

    def own(self, number: int, chance: np.random.Generator) -> list[int]:
        """Positive if there is one, a labelled wrong passage, then hard candidates by the teacher and by BM25: five."""
        row = self.queries[number]
        chosen = [row[key] for key in ("positive", "negative") if row[key] is not None]
        dense, lexical = chance.permutation(self.dense[number]), chance.permutation(self.lexical[number, :12])
        for candidate in [self.dense[number, 0], dense[0], lexical[0], dense[1], lexical[1], *dense[2:]]:
            if candidate not in chosen:
                chosen.append(int(candidate))
        return chosen[:5]

    def batch(self, number: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Query numbers, the batch's passage numbers and, for each query, places in that list (its own first)."""
        chance = np.random.default_rng(1000 + number)
        queries = chance.choice(self.train, QUERIES_A_BATCH, replace=False, p=self.weight)
        own = np.array([self.own(query, chance) for query in queries])
        passages = own.reshape(-1)
        places = []
        for index in range(len(queries)):
            mine = np.arange(5) + 5 * index
            free = np.setdiff1d(np.arange(len(passages)), np.flatnonzero(np.isin(passages, own[index])))
            places.append(np.concatenate([mine, chance.choice(free, OTHERS, replace=False)]))
        return queries, passages, np.array(places)


def side(model: Scorer, passages: list[list[int]], first_position: int = 1) -> tuple[torch.Tensor, ...]:
    ids, mask = padded(passages)
    words, states = model.encode(ids, mask, first_position)
    return model.passage_side(words, states, mask.float())


def logits(
    model: Scorer, queries: list[list[int]], passages: tuple, places: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """[queries, candidates] for the passages that `places` names, and the queries' unit vectors."""
    ids, mask = padded(queries)
    words, states = model.encode(ids, mask, 0)
    repeated = [value.repeat_interleave(places.shape[1], 0) for value in (words, states, mask)]
    chosen = tuple(value[places.flatten()] for value in passages)
    return model.interact(*repeated, chosen).view(places.shape).float(), mean(states.float(), mask.float())


def examine(model: Scorer, pairs: Pairs, count: int = 140) -> float:
    """nDCG@10 of the labelled passage among BM25's 14 and the teacher's 7 best, on held-out questions."""
    values = []
    with torch.inference_mode(), torch.autocast("cpu", torch.bfloat16):
        for number in pairs.dev[:: max(1, len(pairs.dev) // count)]:
            right = pairs.queries[number]["positive"]
            listed = dict.fromkeys([*pairs.lexical[number, :14].tolist(), *pairs.dense[number, :7].tolist(), right])
            candidates = list(listed)
            prepared = side(model, [pairs.passage_ids[one] for one in candidates])
            scores = logits(model, [pairs.query_ids[number]], prepared, torch.arange(len(candidates))[None])[0][0]
            order = scores.argsort(descending=True, stable=True).tolist()
            values.append(ndcg([float(candidates[one] == right) for one in order], [1.0]))
    return float(np.mean(values))


def main() -> None:
    pairs = Pairs()
    torch.manual_seed(3)
    model = Scorer(len(KEPT_LAYERS), INNER)
    model.tower.load_state_dict(torch.load(DISTILLED, weights_only=True))
    for part in (model.tower.words, model.tower.positions, model.tower.types):
        part.requires_grad_(False)

    def loss_of(number: int) -> torch.Tensor:
        queries, passages, places = pairs.batch(number)
        # One batch in four has its passages as the embedder sees them, with their own [CLS].
        whole = number // PROCESSES % 4 == 0
        texts = [[CLS] * whole + pairs.passage_ids[one] for one in passages]
        prepared = side(model, texts, 0 if whole else 1)
        found, asked = logits(model, [pairs.query_ids[one] for one in queries], prepared, torch.from_numpy(places))
        candidates = passages[places]
        target = TEACHER_SCALE * pairs.teacher(queries, candidates) - TEACHER_ZERO
        for index, query in enumerate(queries):
            row = pairs.queries[query]
            if row["positive"] is not None:
                target[index, torch.from_numpy(candidates[index] == row["positive"])] += LIFT[row["source"] in WEAK]
            if row["negative"] is not None:
                target[index, torch.from_numpy(candidates[index] == row["negative"])] -= LIFT[False]
        order = functional.kl_div(found.log_softmax(-1), target.softmax(-1), reduction="batchmean")
        level = functional.smooth_l1_loss(found, target)
        apart = distance(torch.cat([asked, prepared[0]]), pairs.taught(queries, passages))
        return order + 0.02 * level + apart

    if PROCESS == 0:
        print(json.dumps({"train": len(pairs.train), "dev": len(pairs.dev)}), flush=True)
    fit("train", model, STEPS, RATE, loss_of, CHECKPOINT, lambda: examine(model, pairs), every=120, new_parts=NEW_PARTS)
    if PROCESS == 0:
        torch.save(model.state_dict(), FINAL)


if __name__ == "__main__":
    begin()
    main()
