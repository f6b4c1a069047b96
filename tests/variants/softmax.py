"""Right answers to ``softmax`` that are written differently."""

from __future__ import annotations

import math

import torch

from grader.check import variant


@variant(of="softmax")
def in_float64(x, dim=-1):
    e = torch.exp(x.double() - x.double().amax(dim=dim, keepdim=True))
    return (e * e.sum(dim=dim, keepdim=True).reciprocal()).to(x.dtype)


@variant(of="softmax")
def from_logsumexp(x, dim=-1):
    top = x.amax(dim=dim, keepdim=True)
    return (x - top - (x - top).exp().sum(dim=dim, keepdim=True).log()).exp()


@variant(of="softmax")
def in_float32(x, dim=-1):
    wide = x.float()
    e = torch.exp(wide - torch.max(wide, dim=dim, keepdim=True)[0])
    return torch.div(e, e.sum(dim=dim, keepdim=True)).type_as(x)


@variant(of="softmax")
def shifted_by_a_detached_maximum(x, dim=-1):
    top = x.detach().max(dim=dim, keepdim=True).values
    e = torch.exp(x - top)
    return e.div(torch.sum(e, dim=dim, keepdim=True))


@variant(of="softmax")
def moved_to_the_last_axis(x, dim=-1):
    y = x.movedim(dim, -1)
    e = torch.exp(y - torch.amax(y, -1, keepdim=True))
    return torch.einsum("...i,...->...i", e, 1 / e.sum(-1)).movedim(-1, dim)


@variant(of="softmax")
def base_two_with_the_right_factor(x, dim=-1):
    z = (x - x.amax(dim, keepdim=True)) * math.log2(math.e)
    e = torch.exp2(z)
    return e / e.sum(dim, keepdim=True)


@variant(of="softmax")
def looped_along_dim(x, dim=-1):
    y = x.movedim(dim, 0)
    top = y[0]
    for row in y[1:]:
        top = torch.maximum(top, row)
    exponentials = [torch.exp(row - top) for row in y]
    total = sum(exponentials)
    return torch.stack([e / total for e in exponentials]).movedim(0, dim)


@variant(of="log_softmax")
def log_softmax_by_pairs(x, dim=-1):
    rows = x.unbind(dim)
    total = rows[0]
    for row in rows[1:]:
        total = torch.logaddexp(total, row)
    return x - total.unsqueeze(dim)


@variant(of="log_softmax")
def shifted_first(x, dim=-1):
    z = x - x.max(dim, keepdim=True)[0]
    return z - z.exp().sum(dim, keepdim=True).log()


@variant(of="logsumexp")
def logsumexp_on_the_last_axis(x, dim=-1, keepdim=False):
    y = x.movedim(dim, -1)
    top = y.amax(-1)
    total = top + torch.einsum("...i->...", torch.exp(y - top[..., None])).log()
    return total.unsqueeze(dim) if keepdim else total


@variant(of="logsumexp")
def squeezed_at_the_end(x, dim=-1, keepdim=False):
    top = x.max(dim=dim, keepdim=True).values.detach()
    total = torch.log(torch.sum(torch.exp(x - top), dim=dim, keepdim=True)) + top
    return total if keepdim else torch.squeeze(total, dim)


@variant(of="softmax_backward")
def from_two_products(grad_out, y, dim=-1):
    product = grad_out * y
    return product - y * product.sum(dim=dim, keepdim=True)


@variant(of="softmax_backward")
def through_einsum(grad_out, y, dim=-1):
    g, w = grad_out.movedim(dim, -1), y.movedim(dim, -1)
    inner = torch.einsum("...i,...i->...", g, w)
    return ((g - inner[..., None]) * w).movedim(-1, dim)


@variant(of="softmax_backward")
def through_a_dot_product(grad_out, y, dim=-1):
    return (grad_out - torch.linalg.vecdot(grad_out, y, dim=dim).unsqueeze(dim)).mul(y)


@variant(of="softmax_backward")
def looped_along_dim_backward(grad_out, y, dim=-1):
    """Slow, but no more memory than y, and no loop over rows."""
    pairs = list(zip(grad_out.unbind(dim), y.unbind(dim), strict=True))
    total = sum(g * w for g, w in pairs)
    return torch.stack([w * (g - total) for g, w in pairs], dim=dim)


@variant(of="softmax")
def looked_at_on_the_way(x, dim=-1):
    """Type checks and assertions, as in code that is being debugged."""
    if not isinstance(x, torch.Tensor) or not x.is_floating_point():
        raise TypeError("scores are a tensor of floats")
    assert not x.isnan().any(), x
    e = (x - x.max(dim, keepdim=True).values).exp()
    total = e.sum(dim, keepdim=True)
    assert float(total.detach().min()) >= 1.0
    print("largest weight:", (1 / total).max().item())
    return e / total


@variant(of="softmax")
def online_in_chunks(x, dim=-1):
    """The running maximum and sum of tiled attention, two scores at a time."""
    top, total = None, None
    for chunk in x.split(2, dim):
        new = chunk.amax(dim, keepdim=True)
        if top is None:
            top, total = new, (chunk - new).exp().sum(dim, keepdim=True)
            continue
        both = torch.maximum(top, new)
        kept = torch.where(top == both, torch.ones_like(total), (top - both).exp())
        safe = both.masked_fill(both == -torch.inf, 0.0)
        total, top = total * kept + (chunk - safe).exp().sum(dim, keepdim=True), both
    return (x - top).exp() / total


@variant(of="log_softmax")
def log_softmax_with_a_detached_maximum(x, dim=-1):
    top = x.amax(dim, keepdim=True).detach()
    return x - top - torch.log(torch.exp(x - top).sum(dim, keepdim=True))


class _Softmax(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, dim):
        e = torch.exp(x - x.amax(dim, keepdim=True))
        y = e / e.sum(dim, keepdim=True)
        ctx.save_for_backward(y)
        ctx.dim = dim
        return y

    @staticmethod
    def backward(ctx, grad_out):
        (y,) = ctx.saved_tensors
        return y * (grad_out - (grad_out * y).sum(ctx.dim, keepdim=True)), None


@variant(of="softmax")
def with_a_backward_of_its_own(x, dim=-1):
    return _Softmax.apply(x, dim)
