"""Stage `distil`: three narrowed layers of MiniLM-L6 begin to give the six layers' vectors; `train` goes on from there.

Every other batch goes without its [CLS], positions kept: so the reranker can read the passage of a pair, where that
token belongs to the query.
"""

import numpy as np
import torch
from torch.nn import functional

import bases
from encoder import Encoder, cached_ids, load_bert, padded, pooled, rounded, tokenizer
from make_texts import PASSAGES, QUERIES
from paths import work
from prune import narrowed
from training import PROCESS, PROCESSES, begin, fit

KEPT_LAYERS = [0, 2, 5]
INNER = 1024
LONGEST = 128
TOKENS_A_BATCH = 4096
EPOCHS = 1
RATE = 4e-4
# The rate falls as if a whole epoch were coming: the second stage takes over while it is still high.
STOP = 200
CHECKPOINT = work("distilled.checkpoint.pt")
FINAL = work("distilled.pt")


def steps_by_length(lengths: list[int], chance: np.random.Generator) -> list[np.ndarray]:
    """One epoch: shuffled, then batched with texts of like length, about TOKENS_A_BATCH each."""
    order = chance.permutation(len(lengths))
    order = order[np.argsort([rounded(lengths[index]) for index in order], kind="stable")]
    batches, start = [], 0
    while start < len(order):
        size = max(8, TOKENS_A_BATCH // rounded(lengths[order[start]]))
        batches.append(order[start : start + size])
        start += size
    return [batches[index] for index in chance.permutation(len(batches))]


def distance(student: torch.Tensor, teacher: torch.Tensor) -> torch.Tensor:
    """Angle to the teacher's vector, and the batch's similarities, which are what a ranking sees."""
    angle = 1 - functional.cosine_similarity(student, teacher).mean()
    return 10 * angle + 20 * functional.mse_loss(student @ student.T, teacher @ teacher.T)


def main() -> None:
    names = [path.stem for path in (QUERIES, PASSAGES)]
    teacher = torch.from_numpy(np.concatenate([np.load(work(f"vectors/minilm-{name}.npy")) for name in names]))
    words = tokenizer(bases.MINILM)
    rows = [row for path in (QUERIES, PASSAGES) for row in cached_ids(words, path, LONGEST)]
    chance = np.random.default_rng(11)
    unseen = chance.permutation(len(rows))[:512]
    kept = np.setdiff1d(np.arange(len(rows)), unseen)
    lengths = [len(rows[index]) for index in kept]
    batches = [batch for _ in range(EPOCHS) for batch in steps_by_length(lengths, chance)]
    steps = len(batches) // PROCESSES
    samples = [rows[index] for index in kept[-4096::8] if len(rows[index]) > 24]
    model: Encoder = narrowed(load_bert(bases.MINILM, KEPT_LAYERS), samples, INNER)
    for part in (model.words, model.positions, model.types):
        part.requires_grad_(False)

    def forward(indices: np.ndarray, first: int = 0) -> torch.Tensor:
        ids, mask = padded([rows[index][first:] for index in indices])
        return pooled(model(ids, mask, first).float(), mask)

    def loss_of(step: int) -> torch.Tensor:
        indices = kept[batches[step]]
        first = (step // PROCESSES) % 2
        return distance(forward(indices, first), functional.normalize(teacher[indices].float(), dim=-1))

    def examine() -> float:
        with torch.inference_mode():
            parts = [functional.cosine_similarity(forward(part), teacher[part].float()) for part in unseen.reshape(8, -1)]
        return torch.cat(parts).mean().item()

    if PROCESS == 0:
        print(f"{len(rows)} texts, {STOP} steps, cosine before training {examine():.4f}", flush=True)
    fit("distil", model, steps, RATE, loss_of, CHECKPOINT, examine, stop=STOP)
    if PROCESS == 0:
        torch.save(model.state_dict(), FINAL)


if __name__ == "__main__":
    begin()
    main()
