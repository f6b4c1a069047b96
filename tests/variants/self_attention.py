"""Right answers to ``self_attention`` that are written differently."""

from __future__ import annotations

import functools
import math

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint

from grader.check import variant


@variant(of="SelfAttention_v1")
class V1ThroughEinsum(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.d_out = d_out
        self.W_query = nn.Parameter(torch.randn(d_in, d_out) / math.sqrt(d_in))
        self.W_key = nn.Parameter(torch.randn(d_in, d_out) / math.sqrt(d_in))
        self.W_value = nn.Parameter(torch.randn(d_in, d_out) / math.sqrt(d_in))

    def forward(self, x):
        queries = torch.einsum("...ti,io->...to", x, self.W_query) * self.d_out**-0.5
        keys = torch.einsum("...ti,io->...to", x, self.W_key)
        values = torch.einsum("...ti,io->...to", x, self.W_value)
        weights = torch.softmax(torch.einsum("...qo,...ko->...qk", queries, keys), dim=-1)
        return torch.einsum("...qk,...ko->...qo", weights, values)


@variant(of="SelfAttention_v1")
class V1NormalisedAtTheEnd(nn.Module):
    """The sum of the exponentials is divided by once the values are averaged."""

    def __init__(self, d_in: int, d_out: int):
        super().__init__()
        for name in ("W_value", "W_key", "W_query"):
            matrix = nn.Parameter(torch.empty(d_in, d_out))
            self.register_parameter(name, nn.init.xavier_uniform_(matrix))

    def forward(self, x):
        q, k, v = (F.linear(x, w.t()) for w in (self.W_query, self.W_key, self.W_value))
        scores = torch.matmul(q, k.mT).div(k.size(-1) ** 0.5)
        exponentials = (scores - scores.amax(-1, keepdim=True)).exp()
        return (exponentials @ v) / exponentials.sum(-1, keepdim=True)


@variant(of="SelfAttention_v1")
class V1SequenceBySequence(nn.Module):
    """A loop over the batch, and the scores of eight queries at a time."""

    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, d_out))
        self.W_value = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        if x.ndim > 2:
            return torch.stack([self(sequence) for sequence in x])
        q, k, v = x @ self.W_query, x @ self.W_key, x @ self.W_value
        scores = torch.cat([part @ k.T for part in q.split(8)]) / k.shape[-1] ** 0.5
        return torch.softmax(scores, dim=-1) @ v


@variant(of="SelfAttention_v1")
class V1LooksAtEverything(nn.Module):
    """Types, sizes and numbers are looked at, and told of."""

    def __init__(self, d_in: int, d_out: int):
        super().__init__()
        assert d_in > 0 and d_out > 0
        for name in ("W_query", "W_key", "W_value"):
            matrix = nn.Parameter(torch.empty(d_in, d_out))
            nn.init.kaiming_uniform_(matrix, a=math.sqrt(5))
            setattr(self, name, matrix)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if not isinstance(x, torch.Tensor):
            raise TypeError("x must be a tensor")
        assert x.ndim >= 2 and x.size(-1) == self.W_query.size(0), x.shape
        assert torch.isfinite(x).all(), "x holds NaN or infinity"
        queries, keys, values = (x.matmul(w) for w in (self.W_query, self.W_key, self.W_value))
        weights = F.softmax(queries @ keys.mT / keys.size(-1) ** 0.5, dim=-1)
        print("row sums", weights.sum(-1).min(), weights.sum(-1).max())
        out = weights @ values
        if bool(out.isnan().any()):
            raise RuntimeError("NaN comes out")
        return out


@variant(of="SelfAttention_v2")
class V2Checkpointed(nn.Module):
    """The attention is computed again in backward, to save memory."""

    def __init__(self, d_in, d_out, qkv_bias=False):
        super().__init__()
        for name in ("W_query", "W_key", "W_value"):
            setattr(self, name, nn.Linear(d_in, d_out, bias=qkv_bias))

    def forward(self, x):
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        if torch.is_grad_enabled() and self.training:
            return checkpoint(self._attend, q, k, v, use_reentrant=False)
        return self._attend(q, k, v)

    @staticmethod
    def _attend(q, k, v):
        scores = torch.einsum("...qd,...kd->...qk", q, k) / math.sqrt(k.shape[-1])
        return torch.einsum("...qk,...kd->...qd", scores.softmax(-1), v)


@variant(of="SelfAttention_v2")
class V2InFloat32(nn.Module):
    def __init__(self, d_in, d_out, qkv_bias=False):
        super().__init__()
        self.d_out = d_out
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)

    def forward(self, x):
        keys = self.W_key(x)
        queries = self.W_query(x)
        values = self.W_value(x)
        attn_scores = torch.matmul(queries, keys.transpose(-2, -1)) / self.d_out**0.5
        attn_weights = nn.functional.softmax(attn_scores.float(), dim=-1).type_as(attn_scores)
        return torch.matmul(attn_weights, values)


@variant(of="SelfAttention_v2")
class V2WithOneProduct(nn.Module):
    def __init__(self, d_in, d_out, qkv_bias=False):
        super().__init__()
        self.W_query, self.W_key, self.W_value = (
            nn.Linear(d_in, d_out, qkv_bias) for _ in range(3)
        )

    def forward(self, x):
        layers = (self.W_query, self.W_key, self.W_value)
        weight = torch.cat([layer.weight for layer in layers])
        bias = None
        if self.W_query.bias is not None:
            bias = torch.cat([layer.bias for layer in layers])
        q, k, v = F.linear(x, weight, bias).chunk(3, dim=-1)
        root = k.shape[-1] ** -0.25
        return F.softmax((q * root) @ (k * root).mT, -1) @ v


@variant(of="SelfAttention_v2")
class V2WithoutKeyBias(nn.Module):
    """The bias of the keys adds the same to all scores of a row, so leaving it out is right."""

    def __init__(self, d_in, d_out, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, qkv_bias)

    def forward(self, x):
        keys = x @ self.W_key.weight.mT
        scores = self.W_query(x) @ keys.mT * keys.size(-1) ** -0.5
        return scores.softmax(-1) @ self.W_value(x)


@variant(of="CausalAttention")
class CausalAsInTheChapter(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        self.d_out = d_out
        self.context_length = context_length
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), 1))

    def forward(self, x):
        num_tokens = x.shape[1]
        if num_tokens > self.context_length:
            raise ValueError("the input is longer than the context")
        keys = self.W_key(x)
        queries = self.W_query(x)
        values = self.W_value(x)
        attn_scores = queries @ keys.transpose(1, 2)
        attn_scores.masked_fill_(self.mask.bool()[:num_tokens, :num_tokens], -torch.inf)
        attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
        attn_weights = self.dropout(attn_weights)
        return attn_weights @ values


@variant(of="CausalAttention")
class CausalByTheLogarithm(nn.Module):
    """The weights are e to their logarithms, and the future's is -inf."""

    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        self.context_length, self.p = context_length, dropout
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)

    def forward(self, x):
        assert x.size(1) <= self.context_length, "too long"
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        p = self.p if self.training else 0.0
        future = q.new_ones(x.size(1), x.size(1), dtype=torch.bool).triu(diagonal=1)
        scores = torch.baddbmm(q.new_zeros(()), q, k.mT, alpha=k.size(-1) ** -0.5)
        scores = scores.masked_fill(future, -torch.inf)
        return torch.dropout(F.log_softmax(scores, dim=-1).exp(), p, train=True) @ v


@functools.cache
def _future(length, device):
    return torch.ones(length, length, dtype=torch.bool, device=device).triu(1)


@variant(of="CausalAttention")
class CausalCachedMask(nn.Module):
    """The mask is kept for all layers, by its length and device: its content depends on no more."""

    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        assert 0.0 <= dropout < 1.0
        self.context_length = context_length
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.dropout = nn.Dropout(dropout)
        self.apply(self._start)

    @staticmethod
    def _start(module):
        if isinstance(module, nn.Linear):
            nn.init.normal_(module.weight, mean=0.0, std=0.02)
            if module.bias is not None:
                nn.init.zeros_(module.bias)

    def forward(self, x):
        batch, length, _ = x.size()
        if length > self.context_length:
            raise ValueError(f"cannot forward {length} tokens, block size {self.context_length}")
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
        att = att.masked_fill(_future(length, x.device), float("-inf"))
        y = self.dropout(F.softmax(att, dim=-1)) @ v
        assert y.shape[:2] == (batch, length)
        return y


@variant(of="CausalAttention")
class CausalMaskGrows(nn.Module):
    """A mask that is made when it is first needed, and made anew when a longer one is."""

    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        self.context_length, self.scale, self.past = context_length, d_out**-0.5, None
        self.W_query, self.W_key, self.W_value = (
            nn.Linear(d_in, d_out, bias=qkv_bias) for _ in range(3)
        )
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        length = x.shape[-2]
        if length > self.context_length:
            raise ValueError("too long")
        if self.past is None or len(self.past) < length or self.past.device != x.device:
            self.past = torch.ones(length, length, device=x.device).tril().bool()
        scores = self.W_query(x) @ self.W_key(x).mT * self.scale
        scores = scores.where(self.past[:length, :length], -torch.inf)
        return self.dropout(scores.softmax(-1)) @ self.W_value(x)


@variant(of="CausalAttention")
class CausalMaskPerCall(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        self.context_length, self.drop = context_length, dropout
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)

    def forward(self, x):
        steps = torch.arange(x.shape[1], device=x.device)
        if len(steps) > self.context_length:
            raise ValueError(f"at most {self.context_length} tokens")
        scores = torch.bmm(self.W_query(x), self.W_key(x).mT) / math.sqrt(self.W_key.out_features)
        scores = torch.where(steps[:, None] >= steps, scores, torch.finfo(scores.dtype).min)
        weights = F.dropout(scores.softmax(-1), p=self.drop, training=self.training)
        return torch.bmm(weights, self.W_value(x))


@variant(of="CausalAttention")
class CausalAdditiveBuffer(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.attn_dropout = nn.Dropout(p=dropout)
        later = torch.full((1, context_length, context_length), float("-inf")).triu(1)
        self.register_buffer("bias", later, persistent=False)

    def forward(self, x):
        length = x.size(1)
        if length > self.bias.size(-1):
            raise ValueError("context too short")
        scores = self.W_query(x).matmul(self.W_key(x).swapaxes(-2, -1))
        scores = scores * self.W_key.out_features**-0.5 + self.bias[:, :length, :length]
        return self.attn_dropout(F.softmax(scores, dim=-1)).matmul(self.W_value(x))


@variant(of="CausalAttention")
class CausalOwnDropout(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        self.context_length, self.keep = context_length, 1.0 - dropout
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.register_buffer("allowed", torch.ones(context_length, context_length).tril())

    def forward(self, x):
        length = x.shape[-2]
        if not length <= self.context_length:
            raise ValueError(length)
        scores = (self.W_query(x) @ self.W_key(x).transpose(-1, -2)) / self.W_key.out_features**0.5
        scores = scores.masked_fill(self.allowed[:length, :length] == 0, -1e9)
        exponentials = torch.exp(scores - scores.max(dim=-1, keepdim=True).values)
        weights = exponentials / exponentials.sum(dim=-1, keepdim=True)
        if self.training and self.keep < 1:
            weights = weights * torch.bernoulli(torch.full_like(weights, self.keep)) / self.keep
        return weights @ self.W_value(x)


@variant(of="CausalAttention")
class CausalListOfLists(nn.Module):
    """Keeps the last weights for a look at them, and its mask as a list of lists."""

    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.dropout = nn.Dropout(dropout) if dropout > 0 else nn.Identity()
        self.later = [[j > i for j in range(context_length)] for i in range(context_length)]
        self.attn = None

    def forward(self, x):
        length = x.shape[1]
        if length > len(self.later):
            raise ValueError("more tokens than the context holds")
        later = torch.tensor([row[:length] for row in self.later[:length]], device=x.device)
        q, k, v = (layer(x) for layer in (self.W_query, self.W_key, self.W_value))
        scores = torch.stack([one @ other.T for one, other in zip(q, k, strict=True)])
        scores = scores.masked_fill(later, float("-inf")) / math.sqrt(q.shape[-1])
        self.attn = scores.softmax(dim=-1)
        return self.dropout(self.attn) @ v


class _OneHead(nn.Module):
    """What is the same with a mask and without."""

    def __init__(self, d_in, d_out, qkv_bias=False):
        super().__init__()
        for name in ("W_query", "W_key", "W_value"):
            setattr(self, name, nn.Linear(d_in, d_out, qkv_bias))

    def weigh(self, scores):
        return scores.softmax(dim=-1)

    def forward(self, x):
        q, k, v = (getattr(self, name)(x) for name in ("W_query", "W_key", "W_value"))
        return self.weigh(q.matmul(k.mT).div(math.sqrt(q.size(-1)))).matmul(v)


@variant(of="CausalAttention")
class CausalInherits(_OneHead):
    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__(d_in, d_out, qkv_bias)
        self.context_length, self.p = context_length, dropout

    def weigh(self, scores):
        size = scores.shape[-1]
        if size > self.context_length:
            raise ValueError(f"{size} tokens, but at most {self.context_length}")
        i = torch.arange(size, device=scores.device)
        scores = torch.where(i[:, None] < i, -torch.inf, scores)
        return nn.functional.dropout(super().weigh(scores), self.p, self.training)
