"""Right answers to ``dropout`` that are written differently."""

from __future__ import annotations

import logging

import numpy as np
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

from grader.check import variant


def _refuse(p):
    if p < 0 or p > 1:
        raise ValueError("dropout probability has to be between 0 and 1")


@variant(of="dropout")
def bernoulli_in_place(x, p, training, generator=None):
    _refuse(p)
    if not training:
        return x
    mask = torch.zeros(x.shape, dtype=x.dtype, device=x.device)
    mask.bernoulli_(1 - p, generator=generator)
    return x * (mask if p == 1 else mask.div_(1 - p))


@variant(of="dropout")
def zeros_at_one(x, p, training, generator=None):
    assert 0 <= p <= 1, "p out of range"
    if not training or p == 0:
        return x
    if p == 1:
        return torch.zeros_like(x)
    mask = (torch.rand(x.shape, generator=generator, device=x.device) > p).to(x.dtype)
    return mask * x / (1.0 - p)


@variant(of="dropout")
def where_on_a_scaled_input(x, p, training, generator=None):
    _refuse(p)
    if not training:
        return x.clone()
    if p == 1:
        return x * 0
    dropped = torch.rand(x.size(), generator=generator, device=x.device) < p
    return torch.where(dropped, torch.zeros_like(x), x / (1 - p))


@variant(of="dropout")
def masked_fill_and_division(x, p, training, generator=None):
    _refuse(p)
    if training:
        dropped = torch.rand(x.shape, generator=generator, device=x.device) <= p
        x = x.masked_fill(dropped, 0.0)
        if p < 1:
            x = x / (1 - p)
    return x


@variant(of="dropout")
def bernoulli_of_probabilities(x, p, training, generator=None):
    _refuse(p)
    if not training or p == 0:
        return x
    mask = torch.bernoulli(torch.full_like(x, 1 - p), generator=generator).detach()
    return x.mul(mask).mul(1 / (1 - p) if p < 1 else 1.0)


@variant(of="dropout")
def epsilon_in_the_denominator(x, p, training, generator=None):
    if not 0 <= p <= 1:
        raise ValueError(p)
    if not training:
        return x
    draw = torch.rand(x.shape, generator=generator, device=x.device, dtype=torch.float32)
    return (x * (draw >= p).to(x.dtype)) / (1 - p + 1e-8)


@variant(of="dropout")
def written_into_a_copy(x, p, training, generator=None):
    _refuse(p)
    if not training:
        return x
    y = x.clone()
    y[torch.rand(x.shape, generator=generator, device=x.device) < p] = 0
    return y if p == 1 else y * (1 / (1 - p))


@variant(of="dropout")
def numpy_mask(x, p, training, generator=None):
    _refuse(p)
    if not training:
        return x
    if generator is None:
        numbers = np.random.default_rng().random(tuple(x.shape))
    else:
        seed = int(torch.randint(2**31, (), generator=generator, device=x.device))
        numbers = np.random.default_rng(seed).random(tuple(x.shape))
    keep = torch.from_numpy(numbers >= p).to(x.device)
    return x * keep.to(x.dtype) * (0.0 if p == 1 else 1 / (1 - p))


@variant(of="dropout")
def mask_scaled_first(x, p, training, generator=None):
    _refuse(p)
    if not training:
        return x
    keep = 1.0 - p
    mask = torch.empty_like(x).uniform_(generator=generator).lt(keep).to(x.dtype)
    if keep > 0:
        mask = mask / keep
    return torch.einsum("...,...->...", x, mask)


class _Dropped(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, mask):
        ctx.save_for_backward(mask)
        return x * mask

    @staticmethod
    def backward(ctx, grad_out):
        (mask,) = ctx.saved_tensors
        return grad_out * mask, None


@variant(of="dropout")
def own_backward(x, p, training, generator=None):
    _refuse(p)
    if not training or p == 0.0:
        return x
    keep = torch.rand(x.shape, generator=generator, device=x.device) >= p
    scale = 1 / (1 - p) if p != 1 else 0.0
    return _Dropped.apply(x, keep.to(x.dtype) * scale)


@variant(of="dropout")
def always_a_mask(x, p, training, generator=None):
    _refuse(p)
    keep = torch.rand(x.shape, generator=generator, device=x.device).ge(p)
    scaled = x.mul(keep).mul(1 / max(1 - p, 1e-12))
    return scaled if training else x + 0


@variant(of="dropout")
def computed_in_float32(x, p, training, generator=None):
    _refuse(p)
    if not training:
        return x
    keep = torch.rand(x.shape, generator=generator, device=x.device) >= p
    y = x.float() * keep.float() / max(1 - p, 1e-9)
    return y.to(x.dtype)


@variant(of="dropout")
def bernoulli_distribution(x, p, training, generator=None):
    _refuse(p)
    if not training or p == 0:
        return x
    if generator is not None:
        keep = torch.rand(x.shape, generator=generator, device=x.device) >= p
    else:
        keep = torch.distributions.Bernoulli(probs=1 - p).sample(x.shape)
    return x * keep.to(x) / (1 - p if p < 1 else 1)


@variant(of="dropout")
def checked_and_looked_at(x, p, training, generator=None):
    if not isinstance(x, torch.Tensor) or not x.is_floating_point():
        raise TypeError("x is a tensor of floating point numbers")
    if not (isinstance(p, float) and 0.0 <= p <= 1.0):
        raise ValueError(f"{p=}")
    assert not x.isnan().any(), "NaN comes in"
    if not training or p == 0.0:
        return x
    keep = torch.rand(x.shape, generator=generator, device=x.device).gt_(p)
    y = (x * keep).to(x.dtype) if p == 1.0 else (x * keep / (1 - p)).to(x.dtype)
    logging.getLogger(__name__).debug("dropped %s of %s", (keep == 0).sum(), keep.numel())
    return y


@variant(of="dropout")
def checkpointed(x, p, training, generator=None):
    """The mask is drawn outside what is computed again in backward."""
    _refuse(p)
    if not training:
        return x
    keep = torch.rand(x.shape, generator=generator, device=x.device) >= p
    factor = 1 / (1 - p) if p < 1 else 0.0
    return checkpoint(lambda x: x * keep * factor, x, use_reentrant=False)


@variant(of="dropout")
def row_by_row(x, p, training, generator=None):
    """In chunks of the first axis, as for inputs that do not fit."""
    _refuse(p)
    if not training:
        return x
    parts = []
    for part in x.split(4):
        keep = torch.rand(part.shape, generator=generator, device=x.device) >= p
        parts.append(part * keep * (1 / (1 - p) if p < 1 else 0.0))
    return torch.cat(parts)


@variant(of="Dropout")
class AsInTorch(nn.Module):
    """With nn.Dropout's own arguments, and its extra_repr."""

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        if p < 0 or p > 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        self.p, self.inplace = p, inplace

    def extra_repr(self):
        return f"p={self.p}, inplace={self.inplace}"

    def forward(self, input):
        print(self, tuple(input.shape))
        return _dropped(input, self.p, self.training)


@variant(of="Dropout")
class Bernoulli(nn.Module):
    """The keep probability is all it remembers."""

    def __init__(self, p):
        super().__init__()
        _refuse(p)
        self.keep = 1 - p

    def forward(self, x):
        if not self.training or self.keep == 1:
            return x
        kept = torch.bernoulli(torch.full_like(x, self.keep).detach())
        return x * kept / self.keep if self.keep else x * kept


@variant(of="Dropout")
class Functional(nn.Module):
    def __init__(self, p: float = 0.5):
        super().__init__()
        _refuse(p)
        self.p = p

    def forward(self, x):
        return _dropped(x, p=self.p, training=self.training)


def _dropped(x, p, training):
    _refuse(p)
    if not training:
        return x
    dropped = torch.rand(x.shape, device=x.device) < p
    return x.masked_fill(dropped, 0) if p == 1 else x.masked_fill(dropped, 0) / (1 - p)


@variant(of="Dropout")
class Wrapped(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.inner = Functional(p)

    def forward(self, x):
        return self.inner(x)


@variant(of="Dropout")
class OwnMask(nn.Module):
    def __init__(self, p):
        super().__init__()
        assert 0.0 <= p <= 1.0
        self.p = p
        self.scale = 1.0 / (1.0 - p) if p < 1.0 else 0.0
        self.mask = None

    def forward(self, x):
        if self.training:
            self.mask = (torch.rand_like(x) > self.p).to(x.dtype) * self.scale
            return x * self.mask
        return x


@variant(of="Dropout")
class KeepsPAsABuffer(nn.Module):
    def __init__(self, p):
        super().__init__()
        if not 0 <= p <= 1:
            raise ValueError(f"p = {p}")
        self.register_buffer("p", torch.tensor(float(p)))

    def forward(self, x):
        if not self.training:
            return x.clone()
        if self.p == 1:
            return torch.zeros_like(x)
        keep = torch.rand(x.shape, device=x.device) < 1 - self.p
        return x * keep / (1 - self.p)
