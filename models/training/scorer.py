"""The reranker: both texts pass the same layers, each seeing only itself, then the query's tokens read the passage.

Keeping the segments apart in the lower layers (as PreTTR does) lets the model start from a sentence encoder, so it
ranks like one before the first training step, and lets one training batch score every query against every passage.
On top of the encoder's cosine come token matches (ColBERT's MaxSim on states and on plain word vectors, the second a
learned BM25) and one narrow cross-attention from query tokens to passage tokens. The exported graph adds how well the best
stretches of the passage match, which is chosen and not trained.
"""

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from encoder import HIDDEN, MASKED, Encoder, padded

MATCH = 128
CROSS_HEADS = 4
FEATURES = 7
# Numbers that processors add up together, at most.
BLOCK = 8
# Of texts, by their length, when many are read at once.
GROUPS = 4
# Tokens of the stretches of a passage that are matched for themselves, and what the best one of each length adds to the logit: `near` times its MaxSim on states, and
# `same` times that on word vectors. They are chosen, not learned (docs/decisions/0088).
STRETCHES = (16, 48)
NEAR, SAME = 16.7, 11.1
# Stretches begin at each fourth token, and so most of their maxima are of a quarter of the numbers (docs/decisions/0109).
STEP = 4
# Below any cosine, also with what `interact` adds where there is no token.
ABSENT = -4.0
# What the encoder does not bring along.
NEW_PARTS = ("query_side", "text_side", "weigh", "cross", "blend", "hidden", "bend")


class Cross(nn.Module):
    """Query tokens attend to passage tokens in a narrow space and judge what they found, one number a token."""

    def __init__(self) -> None:
        super().__init__()
        self.judge = nn.Linear(3 * MATCH, MATCH)
        self.verdict = nn.Linear(MATCH, 1)

    def forward(
        self, asked: torch.Tensor, own: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, bias: torch.Tensor
    ) -> torch.Tensor:
        """
        asked [batch, heads, query length, width of a head]; own [batch, query length, MATCH]; keys, values [batch, heads, passage length, width of a head]; bias
        over the passage [batch, 1, 1, passage length].
        """
        scores = torch.matmul(asked, keys.transpose(-1, -2))
        found = torch.matmul(torch.softmax(scores + bias, dim=-1), values).transpose(1, 2).flatten(2)
        for_own, for_found, for_both = self.judge.weight.split(MATCH, dim=1)
        of_own = torch.matmul(own, for_own.T) + self.judge.bias
        seen = torch.matmul(torch.cat([found, own * found], dim=-1), torch.cat([for_found, for_both], dim=1).T)
        return rowwise(self.verdict.weight, self.verdict.bias, functional.gelu(of_own + seen))


def split_heads(states: torch.Tensor, parts: int) -> torch.Tensor:
    """[batch, length, parts × MATCH] to [parts, batch, heads, length, width of a head]. No size is left open, because a text can have no tokens."""
    batch, length = states.shape[:2]
    return states.view(batch, length, parts, CROSS_HEADS, MATCH // CROSS_HEADS).permute(2, 0, 3, 1, 4)


def mean(states: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Unit mean vectors, [batch, HIDDEN]."""
    weights = mask / mask.sum(1, keepdim=True).clamp(min=1.0)
    summed = torch.matmul(weights.unsqueeze(1), states).squeeze(1)
    return summed / torch.linalg.vector_norm(summed, dim=-1, keepdim=True).clamp(min=1e-6)


def rowwise(weight: torch.Tensor, bias: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
    """What a small layer makes of rows of whole blocks, by sums over rows: the bits of a matrix product would depend on the number of rows."""
    return (rows.unsqueeze(-2) * weight).sum(-1) + bias


def log1p(values: torch.Tensor) -> torch.Tensor:
    """log(1 + x) of [.., 1], in blocks: the bits of a logarithm depend on whether it is computed in a block or behind the last one."""
    return torch.log1p(values * torch.ones(2 * BLOCK))[..., :1]


def largest_in_steps(values: torch.Tensor) -> torch.Tensor:
    """The largest value of each STEP places, and after them as many absent ones as let the last stretch begin with any of them. A MaxPool takes several times as long."""
    rest = (-values.shape[-1]) % STEP
    filled = functional.pad(values, (0, STRETCHES[-1] - STEP + rest), value=ABSENT)
    return filled.unflatten(-1, (-1, STEP)).amax(-1)


def widened(values: torch.Tensor, before: int, width: int) -> torch.Tensor:
    """Of the largest values of `before` places from each place on, those of `width` places."""
    while before < width:
        step = min(before, width - before)
        values = torch.maximum(values[..., :-step], values[..., step:])
        before += step
    return values


def best_stretch(near: torch.Tensor, same: torch.Tensor, importance: torch.Tensor) -> torch.Tensor:
    """
    How well the best stretches match, [batch]: a long passage can match each word of a question somewhere, and answer it nowhere. Near and same are the cosines
    [batch, query length, passage length], and below -2 where the passage has no token, as behind its end.
    """
    weights = torch.cat([importance[:, 0] * NEAR, importance[:, 1] * SAME], dim=1).transpose(1, 2)
    found = largest_in_steps(torch.cat([near, same], dim=1))
    total = torch.zeros(1)
    for before, width in zip((STEP, *STRETCHES), STRETCHES, strict=False):
        found = widened(found, before // STEP, width // STEP)
        total = total + torch.matmul(weights, found).amax((1, 2))
    return total


def inverse_lengths(states: torch.Tensor) -> torch.Tensor:
    """1 / length of each row, [batch, length]."""
    return 1.0 / torch.linalg.vector_norm(states, dim=-1).clamp(min=1e-6)


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

    def query_parts(self, words: torch.Tensor, states: torch.Tensor, mask: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """All that a query gives to its pairs, in the order that `interact` takes."""
        weights = mask.float()
        match, asked, own = self.query_side(states).split(MATCH, dim=-1)
        scales = inverse_lengths(match.float()).unsqueeze(-1), inverse_lengths(words.float()).unsqueeze(1)
        importance = functional.softplus(self.weigh(states).float()) * weights.unsqueeze(-1)
        importance = (importance / importance.sum(1, keepdim=True).clamp(min=1e-6)).transpose(1, 2).unsqueeze(3)
        size = torch.log(weights.sum(1, keepdim=True).clamp(min=1.0)) - 2.5
        asked = split_heads(asked, 1)[0] * (MATCH // CROSS_HEADS) ** -0.5
        return mean(states.float(), weights), match.float(), words.float(), *scales, asked, own, importance, size

    def passage_side(self, words: torch.Tensor, states: torch.Tensor, mask: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """All that a passage gives to its pairs. Zeros at its end, in each of it, change nothing."""
        weights = mask.float()
        found = self.text_side(states)
        matched = found[..., :MATCH]
        _, keys, values = split_heads(found, 3).unbind(0)
        scales = ((inverse_lengths(value.float()) * weights).unsqueeze(1) for value in (matched, words))
        length = torch.log(weights.sum(1, keepdim=True).clamp(min=1.0)) - 4.5
        return mean(states.float(), weights), matched.float(), words.float(), *scales, keys, values, weights.unsqueeze(1), length

    def interact(
        self, words: torch.Tensor, states: torch.Tensor, mask: torch.Tensor, passage: tuple, stretches: bool = False
    ) -> torch.Tensor:
        """
        Logits [batch] of aligned queries and passages. Cut from the rest, one query goes with any number of passages.
        `stretches` adds `best_stretch`; the weights were trained without it.
        """
        vector, matched, passage_words, matched_scale, words_scale, keys, values, present, length = passage
        asked_vector, match, own_words, match_scale, own_scale, asked, own, importance, size = self.query_parts(words, states, mask)
        absent = present * 4.0 - 4.0
        near = torch.matmul(match * match_scale, matched.transpose(1, 2)) * matched_scale + absent
        # Word vectors are integers in the exported model, and of their products this order is the faster one. A row of them depends on the query and on the token's id.
        products = torch.matmul(passage_words, own_words.transpose(1, 2)) * own_scale
        same = products.transpose(1, 2) * words_scale + absent
        repeats = log1p(torch.sigmoid(30.0 * same - 25.5).sum(-1, keepdim=True))
        judged = self.cross(asked, own, keys, values, absent.unsqueeze(1) * (-MASKED / 4.0)).float()
        seen = torch.cat([near.amax(-1, keepdim=True), same.amax(-1, keepdim=True), repeats, judged], dim=-1)
        cosine = (asked_vector * vector).sum(-1, keepdim=True)
        totals = torch.matmul(seen.transpose(1, 2).unsqueeze(2), importance).flatten(1)
        filled = size + length * torch.zeros(1 + BLOCK - FEATURES)
        features = torch.cat([cosine, totals, length, filled], dim=-1)
        # What stands behind the features to fill the block meets weights of zero.
        blend, hidden = (
            torch.cat([layer.weight, torch.zeros(layer.out_features, BLOCK - FEATURES)], dim=1) for layer in (self.blend, self.hidden)
        )
        bent = rowwise(self.bend.weight, self.bend.bias, torch.tanh(rowwise(hidden, self.hidden.bias, features)))
        learned = (rowwise(blend, self.blend.bias, features) + bent)[..., 0]
        return learned + best_stretch(near, same, importance) if stretches else learned


def encoded(model: Scorer, rows: list[list[int]], first_position: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Word vectors, states and mask of texts. They pass the layers in groups of similar length: beside a long text, a short one would be mostly filler."""
    width = padded(rows)[0].shape[1]
    order = sorted(range(len(rows)), key=lambda row: len(rows[row]))
    parts = []
    for group in np.array_split(order, GROUPS) if len(rows) > GROUPS else [order]:
        ids, mask = padded([rows[row] for row in group])
        parts.append([functional.pad(part, (0, 0, 0, width - ids.shape[1])) for part in (*model.encode(ids, mask, first_position), mask[..., None])])
    back = torch.tensor(order).argsort()
    words, states, mask = (torch.cat(listed).index_select(0, back) for listed in zip(*parts, strict=True))
    return words, states, mask[..., 0]


def side(model: Scorer, passages: list[list[int]]) -> tuple[torch.Tensor, ...]:
    """What `interact` needs of passages. In the pair layout [CLS] belongs to the query, so a passage goes without it and begins at place 1."""
    words, states, mask = encoded(model, passages, 1)
    return model.passage_side(words, states, mask.float())


def logits(
    model: Scorer, queries: list[list[int]], passages: tuple, places: torch.Tensor, stretches: bool = False
) -> tuple[torch.Tensor, torch.Tensor]:
    """[queries, candidates] for the passages that `places` names, and the queries' unit vectors."""
    ids, mask = padded(queries)
    words, states = model.encode(ids, mask, 0)
    repeated = [value.repeat_interleave(places.shape[1], 0) for value in (words, states, mask)]
    chosen = tuple(value[places.flatten()] for value in passages)
    return model.interact(*repeated, chosen, stretches).view(places.shape).float(), mean(states.float(), mask.float())


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
        return model.interact(*chosen, side, stretches=True).unsqueeze(-1)
