"""Right functions in several styles, of which a test must accept every one."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F

# causal_mask --------------------------------------------------------------------------------------


def mask_by_positions(q_len, k_len=None):
    k_len = q_len if k_len is None else k_len
    return torch.arange(k_len) <= torch.arange(k_len - q_len, k_len)[:, None]


def mask_by_the_upper_triangle(q_len, k_len=None):
    k_len = k_len or q_len
    return ~torch.ones(q_len, k_len).triu(k_len - q_len + 1).bool()


def mask_cut_out_of_a_square(q_len, k_len=None):
    """A view into a larger tensor."""
    k_len = k_len or q_len
    return torch.ones(k_len + 3, k_len + 2, dtype=torch.bool).tril()[k_len - q_len : k_len, :k_len]


def mask_from_lists(q_len, k_len=None):
    k_len = q_len if k_len is None else k_len
    return torch.tensor([[j <= i + k_len - q_len for j in range(k_len)] for i in range(q_len)])


def mask_turned(q_len, k_len=None):
    """Its memory lies column by column."""
    return mask_by_positions(q_len, k_len).T.contiguous().T


# softmax ------------------------------------------------------------------------------------------


def softmax_of_torch(x, dim=-1):
    return torch.softmax(x, dim)


def softmax_in_float32(x, dim=-1):
    return torch.softmax(x.float(), dim).to(x.dtype)


def softmax_by_hand(x, dim=-1):
    e = (x - x.amax(dim, keepdim=True)).exp()
    return e / e.sum(dim, keepdim=True)


def softmax_from_the_logarithm(x, dim=-1):
    return (x - x.logsumexp(dim, keepdim=True)).exp()


def softmax_in_base_two(x, dim=-1):
    z = torch.exp2((x - x.detach().amax(dim, keepdim=True)) * math.log2(math.e))
    return z * z.sum(dim, keepdim=True).reciprocal()


def softmax_turned(x, dim=-1):
    y = x.movedim(dim, 0)
    e = torch.stack([torch.exp(row - y.max(0).values) for row in y])
    return (e / e.sum(0)).movedim(0, dim)


# layer_norm ---------------------------------------------------------------------------------------


def norm_of_torch(x, weight, bias, eps):
    wide = torch.promote_types(x.dtype, torch.float32)
    bias = bias if bias is None else bias.to(wide)
    return F.layer_norm(x.to(wide), x.shape[-1:], weight.to(wide), bias, eps).to(x.dtype)


def norm_in_float64(x, weight, bias, eps):
    y = x.double()
    y = y - y.mean(-1, keepdim=True)
    y = y * torch.rsqrt(y.pow(2).mean(-1, keepdim=True) + eps) * weight.double()
    return (y if bias is None else y + bias.double()).to(x.dtype)


def norm_in_float32(x, weight, bias, eps):
    mean = x.float().mean(-1, keepdim=True)
    variance = x.float().var(-1, keepdim=True, correction=0)
    y = (x.float() - mean) / torch.sqrt(variance + eps) * weight.float()
    return (y if bias is None else y + bias.float()).to(x.dtype)


def norm_without_keepdim(x, weight, bias, eps):
    wide = x.to(torch.promote_types(x.dtype, torch.float32))
    centred = wide - wide.mean(-1)[..., None]
    spread = (torch.einsum("...i,...i->...", centred, centred) / x.shape[-1] + eps).sqrt()
    y = torch.einsum("...i,...,i->...i", centred, 1 / spread, weight.to(wide.dtype))
    return (y + bias if bias is not None else y).to(x.dtype)


def norm_with_the_bias_first(x, weight, bias, eps):
    """The bias divided by the weight would do as well; here both are joined by addcmul."""
    plain = norm_in_float32(x, torch.ones_like(weight), None, eps)
    if x.dtype != torch.float32:
        return norm_in_float32(x, weight, bias, eps)
    return plain * weight if bias is None else torch.addcmul(bias, plain, weight)


# attention ----------------------------------------------------------------------------------------


def _allowed(mask, is_causal, queries, keys):
    """What a mask and the causal rule allow, as one tensor of bools, and what is added."""
    allowed = torch.ones(queries, keys, dtype=torch.bool)
    if is_causal:
        allowed = allowed.tril()
    if mask is not None and mask.dtype == torch.bool:
        return allowed & mask, 0.0
    return allowed, 0.0 if mask is None else mask


def _styled(fill, *, listed=False, in_float32=False, before=False):
    """Attention that forbids with ``fill``; ``before`` the product queries are scaled."""

    def attention(
        q, k, v, mask=None, *, dropout_p=0.0, is_causal=False, scale=None, training=False
    ):
        scale = q.size(-1) ** -0.5 if scale is None else scale
        allowed, added = _allowed(mask, is_causal, q.shape[-2], k.shape[-2])
        scores = (q * scale) @ k.mT if before else torch.einsum("...qd,...kd->...qk", q, k) * scale
        scores = (scores + added).masked_fill(~allowed, fill)
        weights = scores.float().softmax(-1).to(q.dtype) if in_float32 else scores.softmax(-1)
        out = F.dropout(weights, dropout_p, training) @ v
        return [out, weights] if listed else (out, weights)

    return attention


def attention_with_zeros_for_nothing(
    q, k, v, mask=None, *, dropout_p=0.0, is_causal=False, scale=None, training=False
):
    """Rows without a key become zeros; dropout by comparing random numbers."""
    allowed, added = _allowed(mask, is_causal, q.shape[-2], k.shape[-2])
    scores = q @ k.transpose(-2, -1) * (1 / math.sqrt(q.shape[-1]) if scale is None else scale)
    scores = torch.where(allowed, scores + added, -torch.inf)
    weights = scores.softmax(-1).nan_to_num(0.0)
    used = weights
    if training and dropout_p:
        kept = torch.rand(weights.shape) >= dropout_p
        used = torch.where(kept, weights / (1 - dropout_p), 0.0)
    return used @ v, weights


def attention_scaled_at_last(
    q, k, v, mask=None, *, dropout_p=0.0, is_causal=False, scale=None, training=False
):
    """What is masked already is multiplied by the scale: -inf * 0 is NaN, for a scale of 0.0 with a
    mask, which the page leaves open. Of a negative scale inf is -inf in the end."""
    scale = q.shape[-1] ** -0.5 if scale is None else scale
    allowed, added = _allowed(mask, is_causal, q.shape[-2], k.shape[-2])
    wide = torch.promote_types(q.dtype, torch.float32)
    scores = q.to(wide) @ k.to(wide).mT
    if isinstance(added, torch.Tensor):
        scores = scores + added.to(wide) / scale
    scores = scores.masked_fill(~allowed, -math.copysign(math.inf, scale)) * scale
    weights = scores.softmax(-1).to(q.dtype)
    return F.dropout(weights, dropout_p, training) @ v, weights


# multi_head_attention -----------------------------------------------------------------------------


def heads_in_a_loop(
    query, key, value, w_q, w_k, w_v, w_o, num_heads, b_q=None, b_k=None, b_v=None, b_o=None,
    mask=None, is_causal=False,
):  # fmt: skip
    """One head after another, and their results projected one by one. b_k shifts all scores of a
    query alike, so it is left out."""
    total = 0.0
    parts = (w.chunk(num_heads) for w in (w_q, w_k, w_v))
    shifts = (b if b is None else b.chunk(num_heads) for b in (b_q, b_v))
    b_qs, b_vs = ([None] * num_heads if b is None else b for b in shifts)
    for h, (one_q, one_k, one_v) in enumerate(zip(*parts, strict=True)):
        q = F.linear(query, one_q, b_qs[h])
        k, v = F.linear(key, one_k), F.linear(value, one_v, b_vs[h])
        own = mask if mask is None or mask.ndim < 4 else mask[:, h % mask.shape[1]]
        allowed, _ = _allowed(own, is_causal, q.shape[1], k.shape[1])
        scores = (q @ k.mT / math.sqrt(q.shape[-1])).masked_fill(~allowed, -torch.inf)
        total = total + scores.softmax(-1) @ v @ w_o.chunk(num_heads, dim=1)[h].T
    return total if b_o is None else total + b_o


def heads_by_einsum(
    query, key, value, w_q, w_k, w_v, w_o, num_heads, b_q=None, b_k=None, b_v=None, b_o=None,
    mask=None, is_causal=False,
):  # fmt: skip
    q, k, v = (
        (x @ w.T + (0 if b is None else b)).unflatten(-1, (num_heads, -1))
        for x, w, b in ((query, w_q, b_q), (key, w_k, b_k), (value, w_v, b_v))
    )
    allowed, _ = _allowed(mask, is_causal, q.shape[1], k.shape[1])
    scores = torch.einsum("bqhd,bkhd->bhqk", q, k) * q.shape[-1] ** -0.5
    weights = scores.masked_fill(~allowed, torch.finfo(scores.dtype).min).softmax(-1)
    out = torch.einsum("bhqk,bkhd,ohd->bqo", weights, v, w_o.unflatten(-1, (num_heads, -1)))
    return out if b_o is None else out + b_o


def heads_folded_into_the_batch(
    query, key, value, w_q, w_k, w_v, w_o, num_heads, b_q=None, b_k=None, b_v=None, b_o=None,
    mask=None, is_causal=False,
):  # fmt: skip
    def split(x, w, b):
        y = F.linear(x, w, b)
        return y.view(*y.shape[:2], num_heads, -1).transpose(1, 2).flatten(0, 1)

    q, k, v = split(query, w_q, b_q), split(key, w_k, b_k), split(value, w_v, b_v)
    allowed, _ = _allowed(mask, is_causal, q.shape[1], k.shape[1])
    allowed = allowed.expand(len(query), num_heads, q.shape[1], k.shape[1]).flatten(0, 1)
    scores = torch.bmm(q / math.sqrt(q.shape[-1]), k.mT).masked_fill(~allowed, -1e9)
    found = torch.bmm(scores.softmax(-1), v).unflatten(0, (-1, num_heads))
    return F.linear(found.transpose(1, 2).flatten(2), w_o, b_o)


RIGHT = {
    "check_causal_mask": [
        mask_by_positions,
        mask_by_the_upper_triangle,
        mask_cut_out_of_a_square,
        mask_from_lists,
        mask_turned,
    ],
    "check_softmax": [
        softmax_of_torch,
        softmax_in_float32,
        softmax_by_hand,
        softmax_from_the_logarithm,
        softmax_in_base_two,
        softmax_turned,
    ],
    "check_layer_norm": [
        norm_of_torch,
        norm_in_float64,
        norm_in_float32,
        norm_without_keepdim,
        norm_with_the_bias_first,
    ],
    "check_attention": [
        _styled(-1e9, before=True),
        _styled(-torch.inf, listed=True, in_float32=True),
        attention_with_zeros_for_nothing,
        attention_scaled_at_last,
    ],
    "check_multi_head_attention": [
        heads_in_a_loop,
        heads_by_einsum,
        heads_folded_into_the_batch,
    ],
}
