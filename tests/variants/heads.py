"""Right answers to ``heads`` that are written differently."""

from __future__ import annotations

import logging
import math

import torch
from torch.nn.functional import pad, scaled_dot_product_attention
from torch.utils.checkpoint import checkpoint

from grader.check import variant


@variant(of="split_heads")
def chunked(x, num_heads):
    if x.size(-1) % num_heads != 0:
        raise ValueError(f"{num_heads} heads do not fit a width of {x.size(-1)}")
    return torch.stack(x.chunk(num_heads, dim=-1), dim=-3)


@variant(of="split_heads")
def viewed_and_made_contiguous(x, num_heads):
    assert x.shape[-1] % num_heads == 0, "the heads must divide the width"
    x = x.contiguous()
    x = x.view(*x.shape[:-1], num_heads, x.shape[-1] // num_heads)
    return x.transpose(-2, -3).contiguous()


@variant(of="split_heads")
def unflattened(x, num_heads):
    width, rest = divmod(x.shape[-1], num_heads)
    if rest:
        raise ValueError("not divisible")
    return x.unflatten(-1, (num_heads, width)).swapaxes(-3, -2)


@variant(of="split_heads")
def unfolded(x, num_heads):
    d = x.shape[-1] // num_heads
    if d * num_heads != x.shape[-1]:
        raise ValueError("not divisible")
    return x.unfold(-1, d, d).movedim(-2, -3)


@variant(of="split_heads")
def looped(x, num_heads):
    if x.shape[-1] % num_heads:
        raise ValueError("not divisible")
    d = x.shape[-1] // num_heads
    out = x.new_empty(*x.shape[:-2], num_heads, x.shape[-2], d)
    for h in range(num_heads):
        out[..., h, :, :] = x[..., :, h * d : (h + 1) * d]
    return out


@variant(of="split_heads")
def through_the_rows(x, num_heads):
    if x.shape[-1] % num_heads:
        raise ValueError("not divisible")
    columns = x.mT.reshape(*x.shape[:-2], num_heads, -1, x.shape[-2])
    return columns.mT


@variant(of="merge_heads")
def concatenated(x):
    return torch.cat(x.unbind(dim=-3), dim=-1)


@variant(of="merge_heads")
def viewed(x):
    x = x.transpose(-3, -2).contiguous()
    return x.view(*x.shape[:-2], x.shape[-2] * x.shape[-1])


@variant(of="merge_heads")
def looped_over_heads(x):
    *leading, heads, length, d = x.shape
    out = torch.zeros(*leading, length, heads * d, dtype=x.dtype, device=x.device)
    for h in range(heads):
        out[..., h * d : (h + 1) * d] = x[..., h, :, :]
    return out


@variant(of="merge_heads")
def through_the_columns(x):
    return x.mT.flatten(-3, -2).mT


@variant(of="head_scores")
def einsum_of_scores(a):
    return torch.einsum("...id,...jd->...ij", a, a)


@variant(of="head_scores")
def matmul_of_swapped(a):
    return torch.matmul(a, a.transpose(-1, -2))


@variant(of="head_scores")
def broadcast_and_summed(a):
    return (a.unsqueeze(-2) * a.unsqueeze(-3)).sum(dim=-1)


@variant(of="head_scores")
def folded_into_the_batch(a):
    flat = a.reshape(-1, *a.shape[-2:])
    return torch.bmm(flat, flat.transpose(1, 2)).reshape(*a.shape[:-1], a.shape[-2])


@variant(of="head_values")
def einsum_of_values(weights, v):
    return torch.einsum("...ij,...jd->...id", weights, v)


@variant(of="head_values")
def summed_over_keys(weights, v):
    return (weights[..., None] * v[..., None, :, :]).sum(-2)


@variant(of="split_heads")
def looked_at_and_permuted(x, num_heads):
    if not isinstance(x, torch.Tensor):
        raise TypeError("x must be a tensor")
    assert isinstance(num_heads, int) and num_heads > 0
    if x.size(-1) % num_heads:
        raise ValueError(f"{x.size(-1)=} is not divisible by {num_heads=}")
    assert bool(x.isfinite().all()), "x holds NaN or infinity"
    x = x.reshape(*x.shape[:-1], num_heads, -1)
    order = [*range(x.ndim - 3), x.ndim - 2, x.ndim - 3, x.ndim - 1]
    print("split", tuple(x.shape), "mean", x.mean())
    return x.permute(order)


@variant(of="merge_heads")
def looked_at_and_reshaped(x):
    assert x.ndim >= 3
    heads, length, d = x.shape[-3:]
    merged = x.movedim(-3, -2).reshape(*x.shape[:-3], length, heads * d)
    if merged.numel() and float(merged.abs().max()) > 1e6:
        logging.getLogger(__name__).warning("large values")
    return merged


@variant(of="head_values")
def checkpointed(weights, v):
    return checkpoint(torch.matmul, weights, v, use_reentrant=False)


@variant(of="relative_shift")
def strided_by_hand(x):
    """Each row of what is contiguous begins one number earlier than the one before."""
    *leading, length, width = x.shape
    flat = x.reshape(-1, length * width)
    rows = flat.unfold(-1, length, 1)[:, length - 1 :: max(width - 1, 1)][:, :length]
    return rows.reshape(*leading, length, length)


@variant(of="relative_shift")
def taken_along_the_rows(x):
    length = x.shape[-2]
    steps = torch.arange(length, device=x.device)
    index = (steps[None, :] - steps[:, None] + length - 1).expand(*x.shape[:-2], -1, -1)
    return torch.take_along_dim(x, index, dim=-1)


@variant(of="relative_shift")
def gathered(x):
    length = x.size(-2)
    i = torch.arange(length, device=x.device)
    index = i.unsqueeze(0) - i.unsqueeze(1) + (length - 1)
    return torch.gather(x, -1, index.expand(*x.shape[:-1], length))


@variant(of="relative_shift")
def padded_and_reshaped(x):
    *leading, length, width = x.shape
    flat = pad(x, (0, 1)).reshape(*leading, -1)
    flat = flat[..., length - 1 : length - 1 + length * width]
    return flat.reshape(*leading, length, width)[..., :length]


@variant(of="relative_shift")
def diagonal_of_windows(x):
    windows = x.unfold(-1, x.shape[-2], 1)  # row, first column, key
    return windows.flip(-2).diagonal(dim1=-3, dim2=-2).mT


@variant(of="block_diag_attention")
def masked(q, k, v, block):
    part = torch.arange(q.shape[-2], device=q.device).div(block, rounding_mode="floor")
    scores = torch.einsum("...id,...jd->...ij", q, k) * q.shape[-1] ** -0.5
    scores = scores.masked_fill(part[:, None] != part[None, :], torch.finfo(q.dtype).min)
    return torch.softmax(scores, dim=-1) @ v


@variant(of="block_diag_attention")
def masked_additively(q, k, v, block):
    blocks = q.shape[-2] // block
    ones = torch.ones(block, block, dtype=torch.bool, device=q.device)
    allowed = torch.block_diag(*[ones] * blocks)
    bias = torch.zeros(allowed.shape, dtype=q.dtype, device=q.device)
    bias = bias.masked_fill(~allowed, -1e4)
    return (q / math.sqrt(q.shape[-1]) @ k.mT + bias).softmax(-1) @ v


@variant(of="head_values")
def head_by_head(weights, v):
    pairs = zip(weights.unbind(-3), v.unbind(-3), strict=True)
    return torch.stack([one @ other for one, other in pairs], dim=-3)


@variant(of="block_diag_attention")
def block_by_block(q, k, v, block):
    done = []
    for a, b, c in zip(q.split(block, -2), k.split(block, -2), v.split(block, -2), strict=True):
        done.append((a @ b.mT / math.sqrt(a.shape[-1])).softmax(-1) @ c)
    return torch.cat(done, dim=-2)


@variant(of="block_diag_attention")
def fused(q, k, v, block):
    shape = v.shape
    q, k, v = (x.reshape(*x.shape[:-2], -1, block, x.shape[-1]) for x in (q, k, v))
    return scaled_dot_product_attention(q, k, v).reshape(shape)


@variant(of="block_diag_attention")
def softmax_in_float32(q, k, v, block):
    q, k, v = (x.unflatten(-2, (-1, block)) for x in (q, k, v))
    scores = (q.float() @ k.float().mT) / q.shape[-1] ** 0.5
    return (scores.softmax(-1).type_as(v) @ v).flatten(-3, -2)
