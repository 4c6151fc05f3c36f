"""The reranker: both texts pass the same layers, each seeing only itself, then the query's tokens read the passage.

Keeping the segments apart in the lower layers (as PreTTR does) lets the model start from a sentence encoder, so it
ranks like one before the first training step, and lets one training batch score every query against every passage.
On top of the encoder's cosine come token matches (ColBERT's MaxSim on states and on plain word vectors, the second a
learned BM25) and one narrow cross-attention from query tokens to passage tokens.
"""

import torch
from torch import nn
from torch.nn import functional

from encoder import HIDDEN, MASKED, Encoder, attend, padded

MATCH = 128
CROSS_HEADS = 4
FEATURES = 7
# What the encoder does not bring along.
NEW_PARTS = ("query_side", "text_side", "weigh", "cross", "blend", "hidden", "bend")


class Cross(nn.Module):
    """Query tokens attend to passage tokens in a narrow space and judge what they found, one number a token."""

    def __init__(self) -> None:
        super().__init__()
        self.judge = nn.Linear(3 * MATCH, MATCH)
        self.verdict = nn.Linear(MATCH, 1)

    def forward(
        self, asked: torch.Tensor, own: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, mask: torch.Tensor
    ) -> torch.Tensor:
        """asked, own: [batch, query length, MATCH]; keys, values: [batch, passage length, MATCH]; mask of the passage."""
        bias = ((1.0 - mask[:, None, None, :]) * MASKED)
        read = attend(heads(asked), heads(keys), heads(values), bias)
        found = read.transpose(1, 2).reshape(asked.shape)
        return self.verdict(functional.gelu(self.judge(torch.cat([own, found, own * found], dim=-1)))).squeeze(-1)


def heads(states: torch.Tensor) -> torch.Tensor:
    batch, length, width = states.shape
    return states.view(batch, length, CROSS_HEADS, width // CROSS_HEADS).transpose(1, 2)


def mean(states: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Unit mean vectors, [batch, HIDDEN]."""
    weights = mask / mask.sum(1, keepdim=True).clamp(min=1.0)
    summed = torch.matmul(weights.unsqueeze(1), states).squeeze(1)
    return summed / torch.linalg.vector_norm(summed, dim=-1, keepdim=True).clamp(min=1e-6)


def cosines(query: torch.Tensor, passage: torch.Tensor) -> torch.Tensor:
    """Every query token against every passage token; norms are divided out of the small product, not the states."""
    lengths = torch.linalg.vector_norm(query, dim=-1).unsqueeze(2), torch.linalg.vector_norm(passage, dim=-1).unsqueeze(1)
    return torch.matmul(query, passage.transpose(1, 2)) / (lengths[0] * lengths[1]).clamp(min=1e-6)


class Scorer(nn.Module):
    def __init__(self, depth: int, inner: int) -> None:
        super().__init__()
        self.tower = Encoder(depth, inner)
        self.query_side = nn.Linear(HIDDEN, 3 * MATCH)
        self.text_side = nn.Linear(HIDDEN, 3 * MATCH)
        self.weigh = nn.Linear(HIDDEN, 4)
        self.cross = Cross()
        self.blend = nn.Linear(FEATURES, 1)
        self.hidden = nn.Linear(FEATURES, 32)
        self.bend = nn.Linear(32, 1)
        with torch.no_grad():
            nn.init.orthogonal_(self.text_side.weight)
            self.query_side.weight.copy_(self.text_side.weight)
            self.query_side.bias.copy_(self.text_side.bias)
            self.weigh.weight.mul_(0.1)
            self.cross.verdict.weight.mul_(0.1)
            self.bend.weight.zero_()
            self.blend.weight.copy_(torch.tensor([[12.0, 4.0, 4.0, 1.0, 1.0, 0.0, 0.0]]))
            self.blend.bias.fill_(-8.0)

    def encode(self, ids: torch.Tensor, mask: torch.Tensor, first_position: int) -> tuple[torch.Tensor, torch.Tensor]:
        """Word vectors and states of texts alone in their row; passages start at position 1, the place 0 is a query's [CLS]."""
        positions = torch.arange(ids.shape[1]).unsqueeze(0) + first_position
        words = self.tower.words(ids)
        states = self.layers(self.tower.embed(words, positions), (1.0 - mask[:, None, None, :].float()) * MASKED)
        return words, states

    def layers(self, states: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        for layer in self.tower.layers:
            states = layer(states, bias)
        return states

    def passage_side(self, words: torch.Tensor, states: torch.Tensor, mask: torch.Tensor) -> tuple[torch.Tensor, ...]:
        weights = mask.float()
        matched, keys, values = self.text_side(states).chunk(3, dim=-1)
        return mean(states.float(), weights), matched.float(), words.float(), keys, values, weights

    def interact(self, words: torch.Tensor, states: torch.Tensor, mask: torch.Tensor, passage: tuple) -> torch.Tensor:
        """Logits [batch] of aligned queries and passages."""
        vector, matched, passage_words, keys, values, passage_mask = passage
        match, asked, own = self.query_side(states).chunk(3, dim=-1)
        weights = mask.float()
        absent = (passage_mask.unsqueeze(1) - 1.0) * 4.0
        near = cosines(match.float(), matched) + absent
        same = cosines(words.float(), passage_words) + absent
        best, exact = near.amax(-1), same.amax(-1)
        repeats = torch.log1p(torch.sigmoid(30.0 * (same - 0.85)).sum(-1))
        importance = functional.softplus(self.weigh(states).float()) * weights.unsqueeze(-1)
        importance = importance / importance.sum(1, keepdim=True).clamp(min=1e-6)
        judged = self.cross(asked, own, keys, values, passage_mask).float()
        cosine = (mean(states.float(), weights) * vector).sum(-1)
        length = torch.log(passage_mask.sum(1).clamp(min=1.0)) - 4.5
        size = torch.log(weights.sum(1).clamp(min=1.0)) - 2.5
        seen = [best, exact, repeats, judged]
        totals = [(value * importance[..., index]).sum(1) for index, value in enumerate(seen)]
        features = torch.stack([cosine, *totals, length, size], dim=-1)
        return (self.blend(features) + self.bend(torch.tanh(self.hidden(features)))).squeeze(-1)


def side(model: Scorer, passages: list[list[int]]) -> tuple[torch.Tensor, ...]:
    """What `interact` needs of passages. In the pair layout [CLS] belongs to the query, so a passage goes without it and begins at place 1."""
    ids, mask = padded(passages)
    words, states = model.encode(ids, mask, 1)
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


class PairScorer(nn.Module):
    """The exported graph: BERT pair inputs ([CLS] query [SEP] passage [SEP]) to `logits` [batch, 1]."""

    def __init__(self, scorer: Scorer) -> None:
        super().__init__()
        self.scorer = scorer

    def forward(self, ids: torch.Tensor, attention: torch.Tensor, types: torch.Tensor) -> torch.Tensor:
        model = self.scorer
        passage = (types * attention).float()
        query = attention.float() - passage
        places = torch.cumsum(torch.ones_like(ids), 1) - 1
        positions = (places - types * (query.sum(1, keepdim=True).long() - 1)).clamp(min=0, max=511)
        segment = attention + types * attention
        bias = torch.where(segment[:, None, :, None] == segment[:, None, None, :], 0.0, MASKED)
        words = model.tower.words(ids)
        states = model.layers(model.tower.embed(words, positions), bias)
        side = model.passage_side(words, states, passage)
        first = torch.arange(query.sum(1).max().long())
        chosen = [value.index_select(1, first) for value in (words, states, query)]
        return model.interact(*chosen, side).unsqueeze(-1)
