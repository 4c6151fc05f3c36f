"""Stages `widen` and `widen-on`: the reranker goes on with questions about more kinds of documents (`domains.py`), beside those of `sharpen`, and with texts as it reads them. The
second round has a larger share of the older questions. As in `sharpen`, what ships is the mean of the weights before and after."""

import sys
from dataclasses import dataclass
from pathlib import Path

import torch

import sharpen
from domains import MOST_TOKENS, NEW, WIDER
from paths import work
from rank import Pools
from sharpen import LIFT, TEACHERS, ZERO, asked_pools, mean_of, of_one, shared, train
from shipped import shipped_weights
from texts import rows
from training import PROCESS, begin

CHUNKS = {"tokens": MOST_TOKENS, "queries": 4, "own": 7, "more": 12}
WRITTEN = {**sharpen.LONG, "queries": 5, "own": 7, "more": 10}


@dataclass(frozen=True)
class Round:
    """@param before the weights that it starts from; @param shares of the batches: older questions, written ones, new ones"""

    before: Path
    steps: int
    rate: float
    shares: tuple[float, float, float]
    first_number: int


ROUNDS = {
    "widen": Round(sharpen.FINAL, 650, 5e-5, (0.25, 0.3, 0.45), 1_000_000),
    "widen-on": Round(work("widen.pt"), 1400, 5e-5, (0.4, 0.3, 0.3), 2_000_000),
}
# What ships.
LAST = "widen-on"
FINAL = work(f"{LAST}.pt")


def main(stage: str) -> None:
    chosen = ROUNDS[stage]
    of_older, of_written, of_new = chosen.shares
    new_pools = {row["pool"] for row in rows(NEW[0])}
    asked = asked_pools(WIDER)
    written = {pool: count for pool, count in asked.items() if pool not in new_pools}
    new = {pool: count for pool, count in asked.items() if pool in new_pools}
    older = {pool: of_older * share / sum(sharpen.OLDER.values()) for pool, share in sharpen.OLDER.items()}
    shares = of_one({**older, **shared(of_written, written), **shared(of_new, new)})

    def size_of(pool: str) -> dict[str, int]:
        return CHUNKS if pool in new else WRITTEN if pool in written else sharpen.size_of(pool)

    pools = Pools(stage, WIDER, shares, TEACHERS, ZERO, size_of, LIFT)
    # Without the earlier stages it starts from what has shipped.
    start = torch.load(chosen.before, weights_only=True) if chosen.before.exists() else shipped_weights()
    after = train(pools, WIDER, start, chosen.steps, chosen.rate, chosen.first_number)
    if PROCESS == 0:
        torch.save(after, work(f"{stage}.last.pt"))
        torch.save(mean_of(start, after), work(f"{stage}.pt"))


if __name__ == "__main__":
    begin()
    main(sys.argv[1])
