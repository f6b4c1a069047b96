"""Right answers to ``projections_by_hand`` that are written differently."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import nn

from grader.check import variant


@variant(of="projection")
def project_row_by_row(x, w):
    return torch.stack([row @ w for row in x])


@variant(of="projection")
def project_by_linear(x, w):
    return F.linear(x, w.T)


@variant(of="projection")
def project_by_einsum(x, w):
    return torch.einsum("ti,io->to", x, w)


@variant(of="attention_scores")
def scores_in_two_loops(x, w_query, w_key):
    queries, keys = x @ w_query, x @ w_key
    return torch.stack([torch.stack([q.dot(k) for k in keys]) for q in queries])


@variant(of="attention_scores")
def scores_by_one_matrix(x, w_query, w_key):
    return x @ (w_query @ w_key.T) @ x.T


@variant(of="attention_scores")
def scores_as_in_the_book(x, w_query, w_key):
    query, keys = torch.matmul(x, w_query), torch.matmul(x, w_key)
    attn_scores = torch.empty(x.shape[0], x.shape[0], dtype=x.dtype, device=x.device)
    for i, x_i in enumerate(query):
        attn_scores[i] = x_i @ keys.T
    return attn_scores


@variant(of="attention_weights")
def weights_scaled_by_a_power(x, w_query, w_key):
    keys = x @ w_key
    return torch.softmax(x @ w_query @ keys.mT / keys.shape[-1] ** 0.5, dim=1)


@variant(of="attention_weights")
def weights_of_scaled_queries(x, w_query, w_key):
    queries = x @ w_query * (1 / math.sqrt(w_query.size(1)))
    return (queries @ (x @ w_key).transpose(0, 1)).softmax(-1)


@variant(of="attention_weights")
def weights_by_exponentials(x, w_query, w_key):
    scores = x @ w_query @ (x @ w_key).T / math.sqrt(w_key.shape[1])
    exponentials = (scores - scores.amax(-1, keepdim=True)).exp()
    return exponentials / exponentials.sum(-1, keepdim=True)


@variant(of="context_vectors")
def contexts_token_by_token(x, w_query, w_key, w_value):
    keys, values = x @ w_key, x @ w_value
    contexts = []
    for row in x:
        scores = keys @ (row @ w_query)
        weights = torch.softmax(scores / keys.shape[-1] ** 0.5, dim=0)
        contexts.append(sum(w * v for w, v in zip(weights, values, strict=True)))
    return torch.stack(contexts)


@variant(of="context_vectors")
def contexts_projected_at_the_end(x, w_query, w_key, w_value):
    scores = (x @ w_query) @ (x @ w_key).T / math.sqrt(w_key.shape[-1])
    return nn.Softmax(dim=-1)(scores) @ x @ w_value


@variant(of="context_vectors")
def contexts_by_einsum(x, w_query, w_key, w_value):
    q, k, v = (torch.einsum("ti,io->to", x, w) for w in (w_query, w_key, w_value))
    weights = torch.softmax(torch.einsum("qd,kd->qk", q, k) / k.shape[-1] ** 0.5, -1)
    return torch.einsum("qk,kd->qd", weights, v)


@variant(of="matrices_of_linears")
def matrices_by_their_keys(linears):
    return {key.removesuffix(".weight"): weight.T for key, weight in linears.items()}


@variant(of="matrices_of_linears")
def matrices_one_by_one(linears):
    return {
        "W_query": linears["W_query.weight"].transpose(0, 1).contiguous(),
        "W_key": linears["W_key.weight"].t().clone(),
        "W_value": torch.stack(list(linears["W_value.weight"].unbind(1))),
    }


@variant(of="renormalized_past")
def past_by_ones(weights):
    ones = torch.tril(torch.ones(len(weights), len(weights))).to(weights)
    masked = weights * ones
    return masked / masked.sum(dim=1, keepdim=True)


@variant(of="renormalized_past")
def past_row_by_row(weights):
    rows = []
    for i, row in enumerate(weights):
        kept = row[: i + 1]
        rows.append(F.pad(kept / kept.sum(), (0, len(row) - i - 1)))
    return torch.stack(rows)


@variant(of="renormalized_past")
def past_by_cumulated_sums(weights):
    sums = weights.cumsum(-1).diagonal()
    return torch.tril(weights) / sums[:, None]


@variant(of="hide_future")
def future_by_where(scores):
    place = torch.arange(len(scores), device=scores.device)
    return torch.where(place <= place[:, None], scores, float("-inf"))


@variant(of="hide_future")
def future_as_in_the_book(scores):
    mask = torch.triu(torch.ones(scores.shape[0], scores.shape[0]), diagonal=1).to(scores.device)
    return scores.masked_fill(mask.bool(), -torch.inf)


@variant(of="hide_future")
def future_added(scores):
    ban = torch.full_like(scores, float("-inf"), requires_grad=False).triu(1)
    return scores + ban


@variant(of="hide_future")
def future_filled_row_by_row(scores):
    hidden = scores.clone()
    for i in range(len(hidden)):
        hidden[i, i + 1 :] = -math.inf
    return hidden


@variant(of="heads_side_by_side")
def heads_in_a_loop(x, heads):
    result = x.new_empty(len(x), 0)
    for w_query, w_key, w_value in heads:
        scores = (x @ w_query) @ (x @ w_key).T / math.sqrt(w_query.shape[1])
        result = torch.cat((result, scores.softmax(-1) @ x @ w_value), dim=1)
    return result


@variant(of="heads_side_by_side")
def heads_by_hstack(x, heads):
    def head(w_query, w_key, w_value):
        q, k = x @ w_query, x @ w_key
        return torch.softmax(q @ k.T / k.size(-1) ** 0.5, dim=-1) @ (x @ w_value)

    return torch.hstack([head(*triple) for triple in heads])


@variant(of="head_width")
def width_by_divmod(width, num_heads):
    each, left = divmod(width, num_heads)
    assert left == 0, "a column is left over"
    return each
