"""Right answers to ``attention`` that are written differently."""

from __future__ import annotations

import functools
import logging
import math

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint

from grader.check import variant

log = logging.getLogger(__name__)


@variant(of="scaled_dot_product_attention")
def through_einsum(
    q, k, v, mask=None, *, dropout_p=0.0, is_causal=False, scale=None, training=False
):
    scale = q.size(-1) ** -0.5 if scale is None else scale
    scores = torch.einsum("...qd,...kd->...qk", q, k) * scale
    if mask is not None and mask.dtype == torch.bool:
        scores = torch.where(mask, scores, torch.finfo(scores.dtype).min)
    elif mask is not None:
        scores = scores + mask
    if is_causal:
        later = torch.ones(q.size(-2), k.size(-2), device=q.device).triu(1).bool()
        scores = scores.masked_fill(later, torch.finfo(scores.dtype).min)
    weights = F.softmax(scores, dim=-1)
    return torch.einsum("...qk,...kd->...qd", F.dropout(weights, dropout_p, training), v), weights


@variant(of="scaled_dot_product_attention")
def everything_additive(
    q, k, v, mask=None, *, dropout_p=0.0, is_causal=False, scale=None, training=False
):
    queries, keys = q.shape[-2], k.shape[-2]
    bias = torch.zeros(queries, keys, dtype=q.dtype, device=q.device)
    if is_causal:
        bias = bias.masked_fill(bias.new_ones(queries, keys).tril() == 0, float("-inf"))
    if mask is not None:
        if mask.dtype == torch.bool:
            bias = bias.masked_fill(mask.logical_not(), float("-inf"))
        else:
            bias = bias + mask
    factor = 1 / math.sqrt(q.size(-1)) if scale is None else scale
    weights = torch.softmax(torch.matmul(q, k.transpose(-2, -1)) * factor + bias, dim=-1)
    return torch.matmul(torch.dropout(weights, dropout_p, training), v), weights


@variant(of="scaled_dot_product_attention")
def minus_a_billion(
    q, k, v, mask=None, *, dropout_p=0.0, is_causal=False, scale=None, training=False
):
    if scale is None:
        scale = 1.0 / k.shape[-1] ** 0.5
    scores = (q * scale).matmul(k.swapaxes(-1, -2))
    if is_causal:
        steps = torch.arange(q.shape[-2], device=q.device)
        scores = scores.masked_fill(steps[None, :] > steps[:, None], -1e9)
    if mask is not None:
        scores = scores.masked_fill(~mask, -1e9) if mask.dtype is torch.bool else scores + mask
    weights = nn.Softmax(dim=-1)(scores)
    used = nn.Dropout(dropout_p)(weights) if training else weights
    return used.matmul(v), weights


@variant(of="scaled_dot_product_attention")
def minus_ten_thousand_added(
    q, k, v, mask=None, *, dropout_p=0.0, is_causal=False, scale=None, training=False
):
    factor = q.size(-1) ** -0.5 if scale is None else scale
    scores = torch.mul(q @ k.mT, factor)
    if is_causal:
        triangle = torch.triu(torch.ones_like(scores[..., :, :]), diagonal=1)
        scores = scores + triangle * -1e4
    if mask is not None:
        if mask.is_floating_point():
            scores = scores + mask
        else:
            scores = scores + (1.0 - mask.to(scores.dtype)) * -1e4
    weights = scores.softmax(dim=-1)
    return F.dropout(weights, p=dropout_p, training=training) @ v, weights


@variant(of="scaled_dot_product_attention")
def own_softmax_and_own_dropout(
    q, k, v, mask=None, *, dropout_p=0.0, is_causal=False, scale=None, training=False
):
    scores = q @ k.transpose(-1, -2)
    scores = scores / math.sqrt(k.shape[-1]) if scale is None else scores * scale
    allowed = None
    if is_causal:
        allowed = torch.ones(q.shape[-2], k.shape[-2], device=q.device).cumsum(-1)
        allowed = allowed <= torch.arange(1, q.shape[-2] + 1, device=q.device)[:, None]
    if mask is not None and mask.dtype == torch.bool:
        allowed = mask if allowed is None else mask & allowed
    elif mask is not None:
        scores = scores + mask
    if allowed is not None:
        scores = scores.masked_fill(~allowed, -math.inf)
    top = scores.detach().amax(-1, keepdim=True)
    exponentials = (scores - top).exp()
    weights = exponentials / exponentials.sum(-1, keepdim=True)
    used = weights
    if training and dropout_p > 0:
        keep = torch.empty_like(weights).bernoulli_(1 - dropout_p)
        used = weights * keep / (1 - dropout_p)
    return used @ v, weights


@variant(of="scaled_dot_product_attention")
def softmax_in_float32(
    q, k, v, mask=None, *, dropout_p=0.0, is_causal=False, scale=None, training=False
):
    if scale is None:
        scale = math.pow(q.size(-1), -0.5)
    scores = scale * (q @ k.transpose(-2, -1))
    if is_causal:
        past = torch.tril(torch.ones(q.size(-2), k.size(-2), device=q.device))
        scores = scores.masked_fill(past == 0, float("-inf"))
    if mask is not None:
        if mask.dtype == torch.bool:
            scores = scores.masked_fill(mask == False, float("-inf"))  # noqa: E712
        else:
            scores = scores + mask
    weights = F.softmax(scores.float(), dim=-1).type_as(q)
    return F.dropout(weights, dropout_p, training=training) @ v, weights


@variant(of="scaled_dot_product_attention")
def everything_in_float32(
    q, k, v, mask=None, *, dropout_p=0.0, is_causal=False, scale=None, training=False
):
    dtype, device = q.dtype, q.device
    q, k, v = q.float(), k.float(), v.float()
    scores = q @ k.mT * (q.shape[-1] ** -0.5 if scale is None else scale)
    if mask is not None:
        if mask.dtype == torch.bool:
            scores = scores.where(mask, -torch.inf)
        else:
            scores = scores + mask.float()
    if is_causal:
        past = torch.ones(scores.shape[-2:], dtype=torch.bool, device=device).tril_()
        scores = scores.where(past, -torch.inf)
    weights = scores.softmax(-1)
    out = F.dropout(weights, dropout_p, training) @ v
    return out.to(dtype), weights.to(dtype)


@variant(of="scaled_dot_product_attention")
def fourth_root_on_both(
    q, k, v, mask=None, *, dropout_p=0.0, is_causal=False, scale=None, training=False
):
    root = (q.shape[-1] ** -0.5 if scale is None else scale) ** 0.5
    scores = (q * root) @ (k * root).mT
    if is_causal:
        later = scores.new_full(scores.shape[-2:], -torch.inf).triu(1)
        scores = scores + later
    if mask is not None:
        if mask.dtype == torch.bool:
            mask = torch.zeros_like(mask, dtype=q.dtype).masked_fill_(~mask, -torch.inf)
        scores = scores + mask
    weights = torch.exp(F.log_softmax(scores, dim=-1))
    return torch.dropout(weights, dropout_p, training) @ v, weights


@variant(of="scaled_dot_product_attention")
def masked_before_scaling(
    q, k, v, mask=None, *, dropout_p=0.0, is_causal=False, scale=None, training=False
):
    scores = q @ k.mT
    allowed = torch.ones(scores.shape[-2:], dtype=torch.bool, device=q.device)
    if is_causal:
        allowed = torch.tril(allowed)
    if mask is not None and mask.dtype == torch.bool:
        allowed = allowed & mask
    if scale is None:
        scale = torch.rsqrt(torch.tensor(float(q.shape[-1])))
    if is_causal or mask is not None:
        scores = scores.masked_fill(~allowed, -torch.inf)
    scores = scores * scale
    if mask is not None and mask.dtype != torch.bool:
        scores = scores + mask
    weights = torch.softmax(scores, -1)
    used = weights.clone()
    if training:
        used[torch.rand_like(used) < dropout_p] = 0.0
        used = used / (1 - dropout_p)
    return [torch.matmul(used, v), weights]


@variant(of="scaled_dot_product_attention")
def folded_into_one_batch(
    q, k, v, mask=None, *, dropout_p=0.0, is_causal=False, scale=None, training=False
):
    leading, queries, keys = q.shape[:-2], q.shape[-2], k.shape[-2]
    flat_q, flat_k, flat_v = (t.reshape(-1, *t.shape[-2:]) for t in (q, k, v))
    factor = q.shape[-1] ** -0.5 if scale is None else scale
    scores = torch.bmm(flat_q, flat_k.transpose(1, 2)).mul(factor)
    scores = scores.view(*leading, queries, keys)
    if mask is not None:
        scores = scores + (mask.to(q.dtype).log() if mask.dtype == torch.bool else mask)
    if is_causal:
        scores += torch.full((queries, keys), -1e9, dtype=q.dtype, device=q.device).triu(1)
    weights = torch.softmax(scores, dim=-1)
    used = F.dropout(weights, p=dropout_p, training=training).reshape(-1, queries, keys)
    return torch.bmm(used, flat_v).view(*leading, queries, v.shape[-1]), weights


@variant(of="scaled_dot_product_attention")
def zeros_where_nothing_is_allowed(
    q, k, v, mask=None, *, dropout_p=0.0, is_causal=False, scale=None, training=False
):
    scores = q @ k.mT * (q.shape[-1] ** -0.5 if scale is None else scale)
    allowed = torch.ones_like(scores, dtype=torch.bool)
    if is_causal:
        allowed = allowed.tril()
    if mask is not None and mask.dtype == torch.bool:
        allowed = allowed & mask
    elif mask is not None:
        scores = scores + mask
    scores = scores.masked_fill(~allowed, -torch.inf)
    weights = scores.softmax(-1).nan_to_num(0.0)
    return F.dropout(weights, dropout_p, training) @ v, weights


@variant(of="scaled_dot_product_attention")
def batch_by_batch(
    q, k, v, mask=None, *, dropout_p=0.0, is_causal=False, scale=None, training=False
):
    """A loop over heads and batches costs little: each turn is a whole matrix product."""
    leading, shape = q.shape[:-2], (*q.shape[:-1], k.shape[-2])
    factor = q.shape[-1] ** -0.5 if scale is None else scale
    past = torch.ones(shape[-2:], dtype=torch.bool, device=q.device).tril()
    pairs = zip(*(t.reshape(-1, *t.shape[-2:]) for t in (q, k)), strict=True)
    scores = torch.stack([one @ other.mT for one, other in pairs]).reshape(shape) * factor
    if mask is not None:
        scores = scores.masked_fill(~mask, -1e9) if mask.dtype == torch.bool else scores + mask
    weights = (scores.masked_fill(~past, -torch.inf) if is_causal else scores).softmax(-1)
    used = F.dropout(weights, dropout_p, training).reshape(-1, *shape[-2:])
    rows = [one @ other for one, other in zip(used, v.reshape(-1, *v.shape[-2:]), strict=True)]
    return torch.stack(rows).reshape(*leading, q.shape[-2], v.shape[-1]), weights


@variant(of="scaled_dot_product_attention")
def sixteen_queries_at_a_time(
    q, k, v, mask=None, *, dropout_p=0.0, is_causal=False, scale=None, training=False
):
    factor = q.shape[-1] ** -0.5 if scale is None else scale
    allowed = None
    if is_causal:
        allowed = torch.ones(q.shape[-2], k.shape[-2], dtype=torch.bool, device=q.device).tril()
    if mask is not None and mask.dtype == torch.bool:
        allowed = mask if allowed is None else allowed & mask
    scores = torch.cat([part @ k.mT for part in (q * factor).split(16, dim=-2)], dim=-2)
    if mask is not None and mask.dtype != torch.bool:
        scores = scores + mask
    if allowed is not None:
        scores = scores.masked_fill(~allowed, -torch.inf)
    weights = scores.softmax(-1)
    used = F.dropout(weights, dropout_p, training)
    return torch.cat([part @ v for part in used.split(16, dim=-2)], dim=-2), weights


@variant(of="scaled_dot_product_attention")
def refuses_rows_without_a_key(
    q, k, v, mask=None, *, dropout_p=0.0, is_causal=False, scale=None, training=False
):
    bias = torch.zeros((), dtype=q.dtype, device=q.device).expand(q.shape[-2], k.shape[-2])
    if mask is not None and mask.dtype == torch.bool:
        bias = torch.where(mask, bias, float("-inf"))
    elif mask is not None:
        bias = bias + mask
    if is_causal:
        bias = bias + torch.full_like(bias[..., :, :], float("-inf")).triu(diagonal=1)
    if torch.isinf(bias).all(dim=-1).any():
        raise ValueError("a query may attend to no key")
    factor = scale if scale is not None else q.shape[-1] ** -0.5
    scores = torch.matmul(q, k.transpose(-2, -1)) * factor
    weights = torch.softmax(scores + bias, dim=-1)
    return F.dropout(weights, dropout_p, training=training) @ v, weights


@variant(of="scaled_dot_product_attention")
def as_in_the_annotated_transformer(
    query, key, value, mask=None, *, dropout_p=0.0, is_causal=False, scale=None, training=False
):
    d_k = query.size(-1)
    scores = torch.matmul(query, key.transpose(-2, -1))
    scores = scores / math.sqrt(d_k) if scale is None else scores * scale
    if is_causal:
        attn_shape = (1, query.size(-2), key.size(-2))
        subsequent = torch.triu(torch.ones(attn_shape, device=query.device), diagonal=1)
        subsequent = subsequent.type(torch.uint8) == 0
        scores = scores.masked_fill((subsequent == 0)[0], -1e9)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -1e9) if mask.dtype == torch.bool else scores + mask
    p_attn = scores.softmax(dim=-1)
    dropout = nn.Dropout(p=dropout_p).train(training)
    return torch.matmul(dropout(p_attn), value), p_attn


@variant(of="scaled_dot_product_attention")
def as_in_the_documentation_of_torch(
    query, key, value, mask=None, *, dropout_p=0.0, is_causal=False, scale=None, training=False
):
    L, S = query.size(-2), key.size(-2)
    scale_factor = 1 / math.sqrt(query.size(-1)) if scale is None else scale
    attn_bias = torch.zeros(L, S, dtype=query.dtype, device=query.device)
    if is_causal:
        temp_mask = torch.ones(L, S, dtype=torch.bool, device=query.device).tril(diagonal=0)
        attn_bias.masked_fill_(temp_mask.logical_not(), float("-inf"))
    if mask is not None:
        if mask.dtype == torch.bool:
            attn_bias = attn_bias.masked_fill(mask.logical_not(), float("-inf"))
        else:
            attn_bias = mask + attn_bias
    attn_weight = query @ key.transpose(-2, -1) * scale_factor
    attn_weight = attn_weight + attn_bias
    attn_weight = torch.softmax(attn_weight, dim=-1)
    return torch.dropout(attn_weight, dropout_p, train=training) @ value, attn_weight


@functools.lru_cache(maxsize=16)
def _past(length, device):
    return torch.ones(length, length, dtype=torch.bool, device=device).tril()


@variant(of="scaled_dot_product_attention")
def with_assertions_and_a_cached_triangle(
    q, k, v, mask=None, *, dropout_p=0.0, is_causal=False, scale=None, training=False
):
    assert q.shape[-1] == k.shape[-1], (q.shape, k.shape)
    assert k.shape[-2] == v.shape[-2]
    assert 0 <= dropout_p < 1
    assert q.isfinite().all() and k.isfinite().all() and v.isfinite().all()
    scores = torch.einsum("...qd,...kd->...qk", q, k)
    scores *= q.shape[-1] ** -0.5 if scale is None else scale
    if is_causal:
        scores = scores.masked_fill(~_past(q.shape[-2], q.device), float("-inf"))
    if mask is not None:
        if mask.dtype == torch.bool:
            if not mask.any(dim=-1).all():
                log.warning("a query may attend to no key")
            scores = torch.where(mask, scores, float("-inf"))
        else:
            scores = scores + mask
    weights = F.softmax(scores, dim=-1)
    assert not weights.isnan().any()
    assert torch.allclose(weights.sum(-1), torch.ones_like(weights[..., 0]), atol=0.05)
    dropped = F.dropout(weights, dropout_p) if training and dropout_p > 0 else weights
    return torch.einsum("...qk,...kd->...qd", dropped, v), weights


@variant(of="scaled_dot_product_attention")
def under_a_checkpoint(
    q, k, v, mask=None, *, dropout_p=0.0, is_causal=False, scale=None, training=False
):
    allowed = torch.ones(q.shape[-2], k.shape[-2], dtype=torch.bool, device=q.device)
    allowed = allowed.tril() if is_causal else allowed
    bias = mask if mask is not None and mask.is_floating_point() else None
    if mask is not None and bias is None:
        allowed = allowed & mask
    factor = q.shape[-1] ** -0.5 if scale is None else scale

    def weights_of(q, k, bias):
        scores = q @ k.mT * factor
        scores = scores if bias is None else scores + bias
        return scores.masked_fill(~allowed, torch.finfo(scores.dtype).min).softmax(-1)

    weights = checkpoint(weights_of, q, k, bias, use_reentrant=False)
    return F.dropout(weights, dropout_p, training) @ v, weights
