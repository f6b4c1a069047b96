"""Right answers to ``multi_head_attention`` that are written differently."""

from __future__ import annotations

import logging
import math

import torch
from torch import nn
from torch.nn.functional import dropout, linear
from torch.utils.checkpoint import checkpoint

from grader.check import variant


def _bias(mask, is_causal, scores):
    """0 where a query may attend, a very negative number elsewhere."""
    rows, columns = scores.shape[-2:]
    bias = scores.new_zeros(rows, columns)
    if is_causal:
        future = torch.arange(columns, device=scores.device) > torch.arange(
            rows, device=scores.device
        ).unsqueeze(1)
        bias = bias.masked_fill(future, torch.finfo(scores.dtype).min)
    if mask is not None:
        bias = bias.masked_fill(mask.logical_not(), torch.finfo(scores.dtype).min)
    return bias


def _attention(q, k, v, allowed=None, p=0.0):
    """What the learner's own scaled_dot_product_attention does: True = may attend."""
    scores = q @ k.transpose(-2, -1) * q.size(-1) ** -0.5
    if allowed is not None:
        scores = scores.masked_fill(allowed.logical_not(), -torch.inf)
    return torch.dropout(torch.softmax(scores, dim=-1), p, train=True) @ v


def _both(mask, is_causal, length, device):
    if is_causal:
        past = torch.ones(length, length, dtype=torch.bool, device=device).tril()
        return past if mask is None else past & mask
    return mask


# The function -------------------------------------------------------------------------------------


@variant(of="multi_head_attention")
def head_by_head(
    query, key, value, w_q, w_k, w_v, w_o, num_heads,
    b_q=None, b_k=None, b_v=None, b_o=None, mask=None, is_causal=False,
):  # fmt: skip
    d, d_v = w_q.shape[0] // num_heads, w_v.shape[0] // num_heads
    q, k, v = linear(query, w_q, b_q), linear(key, w_k, b_k), linear(value, w_v, b_v)
    answers = []
    for h in range(num_heads):
        mine, values = slice(h * d, (h + 1) * d), slice(h * d_v, (h + 1) * d_v)
        scores = q[..., mine] @ k[..., mine].transpose(1, 2) / math.sqrt(d)
        allowed = torch.ones(query.shape[1], key.shape[1], dtype=torch.bool, device=query.device)
        if is_causal:
            allowed = allowed.tril()
        if mask is not None and mask.dim() == 4:
            allowed = allowed & mask[:, min(h, mask.shape[1] - 1)]
        elif mask is not None:
            allowed = allowed & mask
        lowest = torch.finfo(scores.dtype).min
        answers.append(scores.masked_fill(~allowed, lowest).softmax(-1) @ v[..., values])
    return linear(torch.cat(answers, dim=-1), w_o, b_o)


@variant(of="multi_head_attention")
def with_einsum(
    query, key, value, w_q, w_k, w_v, w_o, num_heads,
    b_q=None, b_k=None, b_v=None, b_o=None, mask=None, is_causal=False,
):  # fmt: skip
    q = torch.einsum("btc,hdc->bhtd", query, w_q.unflatten(0, (num_heads, -1)))
    k = torch.einsum("btc,hdc->bhtd", key, w_k.unflatten(0, (num_heads, -1)))
    v = torch.einsum("btc,hdc->bhtd", value, w_v.unflatten(0, (num_heads, -1)))
    if b_q is not None:
        q = q + b_q.view(num_heads, 1, -1)
    if b_k is not None:
        k = k + b_k.view(num_heads, 1, -1)
    if b_v is not None:
        v = v + b_v.view(num_heads, 1, -1)
    scores = torch.einsum("bhid,bhjd->bhij", q, k) * q.shape[-1] ** -0.5
    weights = torch.softmax(scores + _bias(mask, is_causal, scores), dim=-1)
    out = torch.einsum("bhij,bhjd,ohd->bio", weights, v, w_o.unflatten(1, (num_heads, -1)))
    return out if b_o is None else out + b_o


@variant(of="multi_head_attention")
def with_an_attention_of_its_own(
    query, key, value, w_q, w_k, w_v, w_o, num_heads,
    b_q=None, b_k=None, b_v=None, b_o=None, mask=None, is_causal=False,
):  # fmt: skip
    batch = query.size(0)
    q = linear(query, w_q, b_q).view(batch, query.size(1), num_heads, -1).transpose(1, 2)
    k = linear(key, w_k, b_k).view(batch, key.size(1), num_heads, -1).transpose(1, 2)
    v = linear(value, w_v, b_v).view(batch, value.size(1), num_heads, -1).transpose(1, 2)
    allowed = _both(mask, is_causal, query.size(1), query.device)
    out = _attention(q, k, v, allowed)
    out = out.transpose(1, 2).contiguous().view(batch, query.size(1), -1)
    return linear(out, w_o, b_o)


@variant(of="multi_head_attention")
def heads_folded_into_the_batch(
    query, key, value, w_q, w_k, w_v, w_o, num_heads,
    b_q=None, b_k=None, b_v=None, b_o=None, mask=None, is_causal=False,
):  # fmt: skip
    def fold(x):
        return torch.cat(x.chunk(num_heads, dim=2), dim=0)

    q, k, v = linear(query, w_q, b_q), linear(key, w_k, b_k), linear(value, w_v, b_v)
    q, k, v = fold(q / math.sqrt(q.shape[-1] / num_heads)), fold(k), fold(v)
    scores = torch.bmm(q, k.permute(0, 2, 1))
    allowed = _both(mask, is_causal, query.shape[1], query.device)
    if allowed is not None:
        full = (len(query), num_heads, query.shape[1], key.shape[1])
        allowed = allowed.expand(full).transpose(0, 1).flatten(0, 1)
        scores = torch.where(allowed, scores, torch.finfo(scores.dtype).min)
    out = torch.bmm(torch.softmax(scores, 2), v)
    return linear(torch.cat(out.split(len(query), dim=0), dim=2), w_o, b_o)


@variant(of="multi_head_attention")
def projections_summed(
    query, key, value, w_q, w_k, w_v, w_o, num_heads,
    b_q=None, b_k=None, b_v=None, b_o=None, mask=None, is_causal=False,
):  # fmt: skip
    """Head by head through w_o, without the key's bias, which changes nothing."""
    parts = [w.chunk(num_heads) for w in (w_q, w_k, w_v)] + [w_o.chunk(num_heads, dim=1)]
    b_qs = [None] * num_heads if b_q is None else b_q.chunk(num_heads)
    b_vs = [None] * num_heads if b_v is None else b_v.chunk(num_heads)
    out = torch.zeros((), dtype=query.dtype, device=query.device)
    for h, (m_q, m_k, m_v, m_o) in enumerate(zip(*parts, strict=True)):
        q, k, v = linear(query, m_q, b_qs[h]), linear(key, m_k), linear(value, m_v, b_vs[h])
        scores = q.float() @ k.float().mT / math.sqrt(len(m_q))
        own = mask[:, min(h, mask.shape[1] - 1)] if mask is not None and mask.ndim == 4 else mask
        weights = (scores + _bias(own, is_causal, scores)).softmax(-1).type_as(v)
        out = out + linear(weights @ v, m_o)
    return out if b_o is None else out + b_o


@variant(of="multi_head_attention")
def forbidden_rows_become_zero(
    query, key, value, w_q, w_k, w_v, w_o, num_heads,
    b_q=None, b_k=None, b_v=None, b_o=None, mask=None, is_causal=False,
):  # fmt: skip
    def projected(x, w, b):
        y = x @ w.t()
        y = y if b is None else y + b
        return y.reshape(x.shape[0], x.shape[1], num_heads, -1).permute(0, 2, 1, 3)

    q, k, v = projected(query, w_q, b_q), projected(key, w_k, b_k), projected(value, w_v, b_v)
    scores = torch.matmul(q, k.transpose(-2, -1)).div(q.size(-1) ** 0.5)
    allowed = _both(mask, is_causal, query.shape[1], query.device)
    if allowed is not None:
        scores = scores.masked_fill(allowed == 0, float("-inf"))
    weights = torch.nan_to_num(torch.softmax(scores, dim=-1), nan=0.0)
    out = (weights @ v).permute(0, 2, 1, 3).reshape(query.shape[0], query.shape[1], -1)
    return linear(out, w_o, b_o)


@variant(of="multi_head_attention")
def one_product_and_assertions(
    query, key, value, w_q, w_k, w_v, w_o, num_heads,
    b_q=None, b_k=None, b_v=None, b_o=None, mask=None, is_causal=False,
):  # fmt: skip
    """Self-attention projects once; types, sizes and values are looked at."""
    if mask is not None and mask.dtype != torch.bool:
        raise TypeError("the mask must be boolean")
    assert len(w_q) % num_heads == 0 and len(w_v) % num_heads == 0
    assert query.isfinite().all(), "the query is not finite"
    sizes = (len(w_q), len(w_k), len(w_v))
    if query is key and key is value:
        together = linear(query, torch.cat([w_q, w_k, w_v]))
        q, k, v = together.split(sizes, dim=-1)
    else:
        q, k, v = query @ w_q.T, key @ w_k.T, value @ w_v.T
    q, k, v = (x if b is None else x + b for x, b in ((q, b_q), (k, b_k), (v, b_v)))
    q, k, v = (x.reshape(*x.shape[:2], num_heads, -1).swapaxes(1, 2) for x in (q, k, v))
    logging.getLogger(__name__).info("scores of %s", tuple(q.shape))
    scores = torch.einsum("bhqd,bhkd->bhqk", q * q.shape[-1] ** -0.5, k)
    allowed = _both(mask, is_causal, query.shape[1], query.device)
    if allowed is not None and not bool(allowed.all()):
        scores = torch.where(allowed, scores, -math.inf)
    weights = (scores - scores.amax(-1, keepdim=True).detach()).exp()
    out = (weights @ v) / weights.sum(-1, keepdim=True)
    return linear(out.swapaxes(1, 2).flatten(-2), w_o, b_o)


# The layer ----------------------------------------------------------------------------------------


class _Projections(nn.Module):
    def __init__(
        self, d_model, num_heads, dropout=0.0, bias=True,
        *, kdim=None, vdim=None, d_inner=None, d_out=None, out_bias=None,
    ):  # fmt: skip
        super().__init__()
        inner, d_out, kdim, vdim = (
            d_model if width is None else width for width in (d_inner, d_out, kdim, vdim)
        )
        assert inner % num_heads == 0, "the width of all heads must be divisible by num_heads"
        out_bias = bias if out_bias is None else out_bias
        self.h, self.p, self.inner = num_heads, dropout, inner
        self.w_o = nn.Linear(inner, d_out, bias=out_bias)
        self.w_v = nn.Linear(vdim, inner, bias=bias)
        self.w_k = nn.Linear(kdim, inner, bias=bias)
        self.w_q = nn.Linear(d_model, inner, bias=bias)


@variant(of="MultiHeadAttention")
class KeepsItsWeights(_Projections):
    """Built in another order, with a dropout layer and an attribute for the last weights."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.attn = None
        self.attn_drop = nn.Dropout(p=self.p)
        self.scale = torch.tensor(self.inner / self.h).sqrt()

    def forward(self, query, key=None, value=None, mask=None, is_causal=False, need_weights=False):
        if key is None:
            key = query
        if value is None:
            value = key
        batch, length = query.shape[0], query.shape[1]
        q = self.w_q(query).view(batch, -1, self.h, self.inner // self.h).transpose(1, 2)
        k = self.w_k(key).view(batch, -1, self.h, self.inner // self.h).transpose(1, 2)
        v = self.w_v(value).view(batch, -1, self.h, self.inner // self.h).transpose(1, 2)
        scores = torch.matmul(q, k.transpose(-2, -1)) / self.scale
        if mask is not None:
            scores = scores.masked_fill(mask == 0, float("-inf"))
        if is_causal:
            future = torch.triu(torch.ones_like(scores, dtype=torch.bool), diagonal=1)
            scores.masked_fill_(future, float("-inf"))
        self.attn = torch.softmax(scores, dim=-1)
        out = torch.matmul(self.attn_drop(self.attn), v)
        out = self.w_o(out.transpose(1, 2).contiguous().view(batch, length, self.inner))
        if need_weights:
            return out, self.attn
        return out


@variant(of="MultiHeadAttention")
class WeightsOnlyWhenAskedFor(_Projections):
    """An attention that keeps its weights for itself; they are computed again when asked for."""

    def forward(self, query, key=None, value=None, mask=None, is_causal=False, need_weights=False):
        key = query if key is None else key
        value = key if value is None else value
        heads = (self.w_q(query), self.w_k(key), self.w_v(value))
        q, k, v = (x.unflatten(2, (self.h, -1)).transpose(1, 2) for x in heads)
        allowed = _both(mask, is_causal, query.shape[1], query.device)
        p = self.p if self.training else 0.0
        out = _attention(q, k, v, allowed, p)
        out = self.w_o(out.transpose(1, 2).flatten(2))
        if not need_weights:
            return out
        scores = q @ k.mT * (self.inner // self.h) ** -0.5
        if allowed is not None:
            scores = scores.masked_fill(~allowed, -torch.inf)
        return out, scores.softmax(-1)


@variant(of="MultiHeadAttention")
class TokensFirst(_Projections):
    """Tokens first, and heads folded into the sentences, as torch's own layer goes about it."""

    def forward(self, query, key=None, value=None, mask=None, is_causal=False, need_weights=False):
        key = query if key is None else key
        value = key if value is None else value
        batch, length, width = len(query), query.shape[1], self.inner // self.h

        def folded(x):
            return x.transpose(0, 1).reshape(-1, batch * self.h, width).transpose(0, 1)

        q, k, v = (folded(x) for x in (self.w_q(query), self.w_k(key), self.w_v(value)))
        bias = q.new_zeros(batch * self.h, length, k.shape[1])
        allowed = _both(mask, is_causal, length, query.device)
        if allowed is not None:
            full = (batch, self.h, length, k.shape[1])
            bias = bias.masked_fill(~allowed.expand(full).flatten(0, 1), -torch.inf)
        weights = torch.baddbmm(bias, q / math.sqrt(width), k.mT).softmax(dim=-1)
        heads = torch.bmm(dropout(weights, self.p, self.training), v)
        out = self.w_o(heads.transpose(0, 1).reshape(length, batch, self.inner)).transpose(0, 1)
        return (out, weights.unflatten(0, (batch, self.h))) if need_weights else out


@variant(of="MultiHeadAttention")
class HeadByHead(_Projections):
    """One head at a time, the softmax in float32, and w_o summed over the heads."""

    def forward(self, query, key=None, value=None, mask=None, is_causal=False, need_weights=False):
        key = query if key is None else key
        value = key if value is None else value
        d = self.inner // self.h
        q, k, v = self.w_q(query), self.w_k(key), self.w_v(value)
        out, shown = 0, []
        for h in range(self.h):
            own = slice(h * d, (h + 1) * d)
            scores = (q[..., own] * d**-0.25) @ (k[..., own] * d**-0.25).mT
            mine = (
                mask[:, min(h, mask.shape[1] - 1)] if mask is not None and mask.ndim > 2 else mask
            )
            scores = scores + _bias(mine, is_causal, scores)
            shown.append(scores.float().softmax(-1).to(scores.dtype))
            used = dropout(shown[-1], p=self.p, training=self.training)
            out = out + linear(used @ v[..., own], self.w_o.weight[:, own])
        out = out if self.w_o.bias is None else out + self.w_o.bias
        return (out, torch.stack(shown, dim=1)) if need_weights else out


@variant(of="MultiHeadAttention")
class KeepsAGrowingMask(_Projections):
    """The causal mask is made once for the longest sentence so far; one product for q, k and v."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.past = torch.ones(0, 0, dtype=torch.bool)
        for layer in (self.w_q, self.w_k, self.w_v, self.w_o):
            nn.init.xavier_uniform_(layer.weight)
            if layer.bias is not None:
                nn.init.zeros_(layer.bias)

    def forward(self, query, key=None, value=None, mask=None, is_causal=False, need_weights=False):
        assert query.isfinite().all()
        if key is None and value is None and self.w_k.in_features == self.w_v.in_features:
            layers = (self.w_q, self.w_k, self.w_v)
            bias = None if self.w_q.bias is None else torch.cat([one.bias for one in layers])
            weight = torch.cat([one.weight for one in layers])
            heads = linear(query, weight, bias).chunk(3, dim=-1)
        else:
            key = query if key is None else key
            heads = (self.w_q(query), self.w_k(key), self.w_v(key if value is None else value))
        q, k, v = (x.unflatten(2, (self.h, -1)).transpose(1, 2) for x in heads)
        scores = q @ k.mT / math.sqrt(q.shape[-1])
        if is_causal:
            length = query.shape[1]
            if len(self.past) < length or self.past.device != query.device:
                self.past = torch.ones(length, length, dtype=torch.bool, device=query.device).tril()
            scores = scores.masked_fill(~self.past[:length, :length], -torch.inf)
        if mask is not None:
            scores = scores.masked_fill(~mask, -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        assert ((weights >= 0) & (weights <= 1)).all()
        out = self.w_o((dropout(weights, self.p, self.training) @ v).transpose(1, 2).flatten(2))
        return (out, weights) if need_weights else out


@variant(of="MultiHeadAttention")
class ComputedAgainInTheBackward(TokensFirst):
    """With checkpoint, and nanoGPT's start."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.apply(self._init_weights)

    @staticmethod
    def _init_weights(module):
        if isinstance(module, nn.Linear):
            nn.init.normal_(module.weight, mean=0.0, std=0.02)

    def forward(self, query, key=None, value=None, mask=None, is_causal=False, need_weights=False):
        given = (query, key, value, mask, is_causal, need_weights)
        return checkpoint(super().forward, *given, use_reentrant=False)


# The wrapper --------------------------------------------------------------------------------------


class _CausalAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        self.d_out = d_out
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.dropout = nn.Dropout(dropout)
        mask = torch.triu(torch.ones(context_length, context_length), diagonal=1)
        self.register_buffer("mask", mask)

    def forward(self, x):
        _, num_tokens, _ = x.shape
        if num_tokens > self.mask.shape[0]:
            raise ValueError(f"{num_tokens} tokens, but context_length is {len(self.mask)}")
        keys, queries, values = self.W_key(x), self.W_query(x), self.W_value(x)
        scores = queries @ keys.transpose(1, 2)
        scores.masked_fill_(self.mask.bool()[:num_tokens, :num_tokens], -torch.inf)
        weights = torch.softmax(scores / keys.shape[-1] ** 0.5, dim=-1)
        return self.dropout(weights) @ values


@variant(of="MultiHeadAttentionWrapper")
class AsInTheBook(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        self.heads = nn.ModuleList(
            [
                _CausalAttention(d_in, d_out, context_length, dropout, qkv_bias)
                for _ in range(num_heads)
            ]
        )

    def forward(self, x):
        return torch.cat([head(x) for head in self.heads], dim=-1)


class _FreeHead(nn.Module):
    def __init__(self, d_in, d_out, p):
        super().__init__()
        self.W_value, self.W_key, self.W_query = (
            nn.Linear(d_in, d_out, bias=False) for _ in range(3)
        )
        self.p = p

    def forward(self, x):
        p = self.p if self.training else 0.0
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        return _attention(q, k, v, _both(None, True, x.size(1), x.device), p)


@variant(of="MultiHeadAttentionWrapper")
class StackedAndFlattened(nn.Module):
    """The length is looked at once, in the wrapper; no mask is kept."""

    def __init__(self, d_in, d_out, context_length, dropout, num_heads):
        super().__init__()
        self.context_length = context_length
        self.heads = nn.ModuleList()
        for _ in range(num_heads):
            self.heads.append(_FreeHead(d_in, d_out, dropout))

    def forward(self, x):
        assert x.size(1) <= self.context_length, "the sentence is too long"
        return torch.stack([head(x) for head in self.heads], dim=2).flatten(2)


@variant(of="MultiHeadAttentionWrapper")
class AllHeadsAtOnce(nn.Module):
    """The heads only hold the weights; the work is done for all of them together."""

    def __init__(self, d_in, d_out, context_length, dropout, num_heads):
        super().__init__()
        self.heads = nn.ModuleList(
            _CausalAttention(d_in, d_out, context_length, dropout) for _ in range(num_heads)
        )
        bias = torch.full((context_length, context_length), -torch.inf).triu(1)
        self.register_buffer("bias", bias, persistent=False)
        self.p = dropout

    def forward(self, x):
        if x.shape[-2] > len(self.bias):
            raise ValueError("too long")
        length = x.shape[-2]
        q, k, v = (
            x.unsqueeze(1) @ torch.stack([getattr(h, name).weight for h in self.heads]).mT
            for name in ("W_query", "W_key", "W_value")
        )
        scores = q @ k.mT / math.sqrt(q.shape[-1]) + self.bias[:length, :length]
        weights = dropout(scores.softmax(-1), self.p, self.training)
        return (weights @ v).transpose(1, 2).flatten(2)


@variant(of="MultiHeadAttentionWrapper")
class LooksAtItsValues(AsInTheBook):
    """With assertions about what goes in and comes out."""

    def forward(self, x):
        assert x.ndim == 3 and not x.isnan().any(), "(B, T, d_in), without NaN"
        parts = [head(x) for head in self.heads]
        if any(bool(part.isinf().any()) for part in parts):
            raise ValueError("a head overflows")
        return torch.cat(parts, dim=-1)
