"""Stage `widen`: the reranker goes on with questions about more kinds of documents (`domains.py`), beside those of `sharpen`, and with texts as it reads them. As there, what ships is
the mean of the weights before and after."""

import torch

import sharpen
from domains import MOST_TOKENS, NEW, WIDER
from paths import work
from rank import Pools
from sharpen import LIFT, TEACHERS, ZERO, asked_pools, mean_of, of_one, shared, train
from shipped import shipped_weights
from texts import rows
from training import PROCESS, begin

STEPS = 650
RATE = 5e-5
OLDER_SHARE, WRITTEN_SHARE, NEW_SHARE = 0.25, 0.3, 0.45
CHUNKS = {"tokens": MOST_TOKENS, "queries": 4, "own": 7, "more": 12}
WRITTEN = {**sharpen.LONG, "queries": 5, "own": 7, "more": 10}
FIRST_NUMBER = 1_000_000
FINAL = work("widened.pt")


def main() -> None:
    new_pools = {row["pool"] for row in rows(NEW[0])}
    asked = asked_pools(WIDER)
    written = {pool: count for pool, count in asked.items() if pool not in new_pools}
    new = {pool: count for pool, count in asked.items() if pool in new_pools}
    older = {pool: OLDER_SHARE * share / sum(sharpen.OLDER.values()) for pool, share in sharpen.OLDER.items()}
    shares = of_one({**older, **shared(WRITTEN_SHARE, written), **shared(NEW_SHARE, new)})

    def size_of(pool: str) -> dict[str, int]:
        return CHUNKS if pool in new else WRITTEN if pool in written else sharpen.size_of(pool)

    pools = Pools("widen", WIDER, shares, TEACHERS, ZERO, size_of, LIFT)
    # Without the earlier stages it starts from what has shipped.
    start = torch.load(sharpen.FINAL, weights_only=True) if sharpen.FINAL.exists() else shipped_weights()
    after = train(pools, WIDER, start, STEPS, RATE, FIRST_NUMBER)
    if PROCESS == 0:
        torch.save(after, work("widened.last.pt"))
        torch.save(mean_of(start, after), FINAL)


if __name__ == "__main__":
    begin()
    main()
