"""Stage `rank`: the reranker. The six layers of MiniLM, which rank as they are, and a token-matching head learn the order of two teachers.

The target of a list is the weighted sum of two teachers' cosines, with right passages lifted and wrong ones lowered. The questions of a batch and
all its candidates are of one pool, so that golden sets show a question the other chunks of its own documents.
"""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional

import bases
from bm25 import Bm25
from encoder import cached_ids, load_bert, save_whole, tokenizer
from texts import rows
from measures import ndcg
from paths import work
from questions import PASSAGES, QUERIES
from scorer import NEW_PARTS, Scorer, logits, side
from training import PROCESS, begin, fit

LAYERS = [0, 1, 2, 3, 4, 5]
INNER = 1536
# What the lowest layers know of words holds for texts of any kind.
FROZEN_LAYERS = 2
STEPS = 2200
RATE = 1.2e-4
QUERY_TOKENS = 64
# Passages of chunks are longer: a batch has fewer questions.
SHORT = {"tokens": 96, "queries": 12, "own": 5}
LONG = {"tokens": 176, "queries": 7, "own": 6}
SHORT_POOLS = {"general", "hotpot"}
OTHERS = 7
POOLS = {
    "general": 0.55,
    "debian": 0.15,
    "chunking": 0.06,
    "hotpot": 0.04,
    "contractnli": 0.06,
    "api-reference": 0.05,
    "handbook": 0.045,
    "policy": 0.045,
}
# How often a question is drawn, by its source; questions that people wrote, in `general`: 3.
DRAWN = {"keywords": 1.0, "definition": 1.0, "heading": 1.0, "contractnli": 1.0, "golden": 12.0, "unanswered": 1.0}
# The mean of both teachers, twice as much of the better one, in the units of MiniLM's cosine times 25; the constant gives equal mean.
MINILM_SCALE, BGE_SCALE, ZERO = 10.0, 41.0, 30.0
COSINE_SCALE = 20.0
LIFT = {True: 2.0, False: 5.0}
# Questions that should tell a passage from the others of its document.
SAME_DOCUMENT = {"golden", "written", "unanswered"}
WEAK = {"keywords", "definition", "heading"}
DEPTH = 24
TEACHERS = {"minilm": MINILM_SCALE, "bge": BGE_SCALE}
CHECKPOINT = work("ranked.checkpoint.pt")
FINAL = work("ranked.pt")


def candidates_of(stage: str) -> Path:
    return work(f"{stage}-candidates.npz")


def usual_size(pool: str) -> dict[str, int]:
    return SHORT if pool in SHORT_POOLS else LONG


class Pools:
    """Questions, passages, the teachers' vectors and mined candidates of a stage, and the batches drawn from them."""

    def __init__(
        self,
        stage: str,
        sources: tuple[Path, Path],
        shares: dict[str, float],
        teachers: dict[str, float],
        zero: float,
        size_of: Callable[[str], dict[str, int]] = usual_size,
        lift: dict[bool, float] = LIFT,
    ) -> None:
        """
        @param sources files of questions and passages; @param teachers the scale of each one's cosine; @param zero what is taken off their sum
        @param size_of a batch of the pool; @param lift of right passages, by whether the pair is a weak one
        """
        self.stage, self.shares, self.teachers, self.zero = stage, shares, teachers, zero
        self.size_of, self.lift = size_of, lift
        words = tokenizer(bases.MINILM)
        self.queries, passages = map(list, map(rows, sources))
        self.query_ids = cached_ids(words, sources[0], QUERY_TOKENS)
        self.passage_ids = [ids[1:] for ids in cached_ids(words, sources[1], max(size_of(pool)["tokens"] for pool in shares) + 1)]
        self.vectors = {
            name: [np.load(work(f"vectors/{name}-{source.stem}.npy")) for source in sources]
            for name in teachers
        }
        self.document = [row["doc"] for row in passages]
        self.members = {pool: np.array([row["id"] for row in passages if row["pool"] == pool]) for pool in shares}
        self.asked = {pool: np.array([row["id"] for row in self.queries if row["pool"] == pool]) for pool in shares}
        self.mined = self.mine([row["text"] for row in passages])
        self.dev = [row["id"] for row in self.queries if row["split"] == "dev" and row["right"]]
        self.train, self.weight, self.about = {}, {}, {}
        for pool, numbers in self.asked.items():
            self.train[pool] = np.array([number for number in numbers if self.queries[number]["split"] == "train"])
            weight = np.array([DRAWN.get(self.queries[number]["source"], 3.0) for number in self.train[pool]])
            self.weight[pool] = weight / weight.sum()

    def mine(self, texts: list[str]) -> dict[str, np.ndarray]:
        """The best candidates of each question in its own pool, by BM25 and by the teachers; kept beside the questions."""
        kept = candidates_of(self.stage)
        if not kept.exists():
            found = {name: np.zeros((len(self.queries), DEPTH), np.int32) for name in ("lexical", "dense")}
            for pool, members in self.members.items():
                index = Bm25([texts[one] for one in members])
                for part in np.array_split(self.asked[pool], 1 + len(self.asked[pool]) // 512):
                    lexical = index.scores([self.queries[one]["text"] for one in part])
                    found["lexical"][part] = members[best(lexical)]
                    found["dense"][part] = members[best(self.taught(part, np.broadcast_to(members, (len(part), len(members)))))]
            save_whole(kept, found)
        return dict(np.load(kept))

    def taught(self, queries: np.ndarray, passages: np.ndarray) -> np.ndarray:
        """The teachers' target, [queries, candidates]."""
        total = np.full(passages.shape, -self.zero, np.float32)
        shared = passages.strides[0] == 0
        for name, scale in self.teachers.items():
            asked, stored = (vectors.astype(np.float32) for vectors in (self.vectors[name][0][queries], self.vectors[name][1][passages[0] if shared else passages]))
            total += scale * (asked @ stored.T if shared else np.einsum("qd,qcd->qc", asked, stored))
        return total

    def own(self, number: int, count: int, chance: np.random.Generator) -> list[int]:
        """What answers (two at most), what does not, then hard candidates by the teachers, by BM25 and of the same document."""
        row = self.queries[number]
        chosen = [*chance.permutation(row["right"])[:2].astype(int).tolist(), *row["wrong"]]
        barred = {*row["right"], *row["partial"], *chosen}
        dense, lexical = self.mined["dense"][number], self.mined["lexical"][number]
        listed = [dense[0], *chance.permutation(dense[:12])[:1], *chance.permutation(lexical[:12])[:1]]
        homes = {self.document[one] for one in row["right"] or row["wrong"]}
        if row["source"] in SAME_DOCUMENT:
            near = [one for one in self.members[row["pool"]] if self.document[one] in homes]
            listed += chance.permutation(near)[:1].tolist()
        listed += [*chance.permutation(dense)[:1], *chance.permutation(lexical)[:1], *chance.permutation(dense)]
        for candidate in map(int, listed):
            if candidate not in barred:
                chosen.append(candidate)
                barred.add(candidate)
        return chosen[:count]

    def batch(self, number: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
        """Question numbers, the batch's passages, for each question the places in that list (its own first), and the longest passage."""
        chance = np.random.default_rng(5000 + number)
        pool = chance.choice(list(self.shares), p=list(self.shares.values()))
        size = self.size_of(pool)
        queries = chance.choice(self.train[pool], size["queries"], replace=False, p=self.weight[pool])
        own = [self.own(query, size["own"], chance) for query in queries]
        passages = np.array(own).reshape(-1)
        _, first = np.unique(passages, return_index=True)
        places = []
        # Other questions that these passages answer: reading a passage takes most of the time.
        more = [one for one in self.answered_by(pool, passages) if one not in set(queries)]
        more = chance.permutation(np.array(more, int))[: size.get("more", 0)]
        for index, query in enumerate(queries):
            row = self.queries[query]
            mine = np.arange(size["own"]) + size["own"] * index
            barred = [*own[index], *row["right"], *row["partial"]]
            free = first[~np.isin(passages[first], barred)]
            places.append(np.concatenate([mine, chance.choice(free, OTHERS, replace=False)]))
        for query in more:
            row = self.queries[query]
            right = first[np.isin(passages[first], row["right"])]
            free = first[~np.isin(passages[first], [*row["right"], *row["partial"]])]
            listed = np.concatenate([right, chance.permutation(free)])
            places.append(listed[: size["own"] + OTHERS])
        return np.concatenate([queries, more]), passages, np.array(places), size["tokens"]

    def answered_by(self, pool: str, passages: np.ndarray) -> list[int]:
        """The questions to learn that passages answer."""
        if pool not in self.about:
            self.about[pool] = {}
            for number in self.train[pool]:
                for one in self.queries[number]["right"]:
                    self.about[pool].setdefault(one, []).append(int(number))
        return [number for one in np.unique(passages) for number in self.about[pool].get(one, [])]

    def target(self, queries: np.ndarray, candidates: np.ndarray) -> torch.Tensor:
        target = self.taught(queries, candidates)
        for index, query in enumerate(queries):
            row = self.queries[query]
            lift = self.lift[row["source"] in WEAK]
            target[index, np.isin(candidates[index], row["right"])] += lift
            target[index, np.isin(candidates[index], row["wrong"])] -= lift
        return torch.from_numpy(target)

    def unit(self, queries: np.ndarray, passages: np.ndarray) -> torch.Tensor:
        """MiniLM's unit vectors of a batch, queries first."""
        both = [vectors[chosen] for vectors, chosen in zip(self.vectors["minilm"], (queries, passages), strict=True)]
        return functional.normalize(torch.from_numpy(np.concatenate(both).astype(np.float32)), dim=-1)


def best(scores: np.ndarray) -> np.ndarray:
    """Indices of the DEPTH best columns, best first."""
    top = np.argpartition(-scores, DEPTH, axis=1)[:, :DEPTH]
    return np.take_along_axis(top, np.argsort(-np.take_along_axis(scores, top, 1), axis=1, kind="stable"), 1)


def distance(student: torch.Tensor, teacher: torch.Tensor) -> torch.Tensor:
    """Angle to the teacher's vector, and the batch's similarities, which are what a ranking sees."""
    angle = 1 - functional.cosine_similarity(student, teacher).mean()
    return 10 * angle + 20 * functional.mse_loss(student @ student.T, teacher @ teacher.T)


def examine(model: Scorer, pools: Pools, count: int = 240, stretches: bool = False) -> float:
    """nDCG@10 of the labelled passage among BM25's 14 and the teachers' 7 best, on held-out questions."""
    values = []
    with torch.inference_mode():
        for number in pools.dev[:: max(1, len(pools.dev) // count)]:
            right = pools.queries[number]["right"][0]
            lists = [pools.mined["lexical"][number, :14].tolist(), pools.mined["dense"][number, :7].tolist()]
            candidates = list(dict.fromkeys([*lists[0], *lists[1], right]))
            prepared = side(model, [pools.passage_ids[one][: SHORT["tokens"]] for one in candidates])
            scores = logits(model, [pools.query_ids[number]], prepared, torch.arange(len(candidates))[None], stretches)[0][0]
            order = scores.argsort(descending=True, stable=True).tolist()
            values.append(ndcg([float(candidates[one] == right) for one in order], [1.0]))
    return float(np.mean(values))


def main() -> None:
    pools = Pools("rank", (QUERIES, PASSAGES), POOLS, TEACHERS, ZERO)
    torch.manual_seed(3)
    model = Scorer(len(LAYERS), INNER)
    tower = model.tower
    tower.load_state_dict(load_bert(bases.MINILM, LAYERS).state_dict())
    for part in (tower.words, tower.positions, tower.types, tower.norm, *tower.layers[:FROZEN_LAYERS]):
        part.requires_grad_(False)

    def loss_of(number: int) -> torch.Tensor:
        queries, passages, places, longest = pools.batch(number)
        prepared = side(model, [pools.passage_ids[one][:longest] for one in passages])
        found, asked = logits(model, [pools.query_ids[one] for one in queries], prepared, torch.from_numpy(places))
        target = pools.target(queries, passages[places])
        order = functional.kl_div(found.log_softmax(-1), target.softmax(-1), reduction="batchmean")
        level = functional.smooth_l1_loss(found, target)
        # The mean vectors alone, over all passages of the batch: what the encoder itself should rank like.
        whole = pools.taught(queries, np.broadcast_to(passages, (len(queries), len(passages))))
        alone = COSINE_SCALE * asked @ prepared[0].T
        vectors = functional.kl_div(alone.log_softmax(-1), torch.from_numpy(whole).softmax(-1), reduction="batchmean")
        apart = distance(torch.cat([asked, prepared[0]]), pools.unit(queries, passages))
        return order + 0.02 * level + 0.3 * vectors + 0.1 * apart

    if PROCESS == 0:
        counts = {pool: [len(numbers), len(pools.members[pool])] for pool, numbers in pools.train.items()}
        print(json.dumps({"questions and passages": counts, "before": examine(model, pools)}), flush=True)
    fit("rank", model, STEPS, RATE, loss_of, CHECKPOINT, lambda: examine(model, pools), 200, NEW_PARTS)
    if PROCESS == 0:
        torch.save(model.state_dict(), FINAL)


if __name__ == "__main__":
    begin()
    main()
