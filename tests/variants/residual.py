"""Right answers to ``residual`` that are written differently."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint

from grader.check import variant


@variant(of="SublayerConnection")
class BranchFirst(nn.Module):
    """The branch on the left of the sum, the mode asked twice."""

    def __init__(self, d_model, dropout, norm_first=True):
        super().__init__()
        self.norm = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(p=dropout)
        self.pre = bool(norm_first)

    def forward(self, x, sublayer):
        residual = x
        h = self.norm(x) if self.pre else x
        h = self.drop(sublayer(h)) + residual
        return h if self.pre else self.norm(h)


@variant(of="SublayerConnection")
class FunctionalDropout(nn.Module):
    def __init__(self, d_model, dropout, norm_first=True):
        super().__init__()
        self.p, self.norm_first = dropout, norm_first
        self.norm = nn.LayerNorm((d_model,), eps=1e-5)

    def forward(self, x, sublayer):
        before, after = (self.norm, _same) if self.norm_first else (_same, self.norm)
        branch = F.dropout(sublayer(before(x)), p=self.p, training=self.training)
        return after(torch.add(x, branch))


def _same(x):
    return x


@variant(of="SublayerConnection")
class OwnMask(nn.Module):
    """Dropout written by hand, with p = 0 and p = 1 as cases of their own."""

    def __init__(self, d_model, dropout, norm_first=True):
        super().__init__()
        self.norm = nn.LayerNorm(d_model)
        self.rate = dropout
        self.norm_first = norm_first

    def dropped(self, h):
        if not self.training or self.rate == 0:
            return h
        if self.rate == 1:
            return torch.zeros_like(h)
        keep = torch.bernoulli(torch.full_like(h, 1 - self.rate))
        return h * keep.div(1 - self.rate)

    def forward(self, x, sublayer):
        if not self.norm_first:
            return self.norm(x + self.dropped(sublayer(x)))
        return x + self.dropped(sublayer(self.norm(x)))


@variant(of="SublayerConnection")
class OwnNorm(nn.Module):
    def __init__(self, d_model, dropout, norm_first=True):
        super().__init__()
        self.norm = HandWrittenNorm(d_model)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(self, x, sublayer):
        if self.norm_first:
            normed = self.norm(x)
            return x + self.dropout(sublayer(normed))
        return self.norm(x + self.dropout(sublayer(x)))


class HandWrittenNorm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.bias = nn.Parameter(torch.zeros(width))

    def forward(self, x):
        variance, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
        return self.weight * (x - mean) * torch.rsqrt(variance + 1e-5) + self.bias


@variant(of="SublayerConnection")
class TwoMethods(nn.Module):
    """The mode is chosen once, when the connection is made."""

    def __init__(self, d_model, dropout, norm_first=True):
        super().__init__()
        self.norm = nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout) if dropout > 0 else nn.Identity()
        self.forward = self.pre_norm if norm_first else self.post_norm

    def pre_norm(self, x, sublayer):
        return x + self.dropout(sublayer(self.norm(x)))

    def post_norm(self, x, sublayer):
        return self.norm(x + self.dropout(sublayer(x)))


@variant(of="SublayerConnection")
class CopyOfX(nn.Module):
    """A copy of x may be changed in place."""

    def __init__(self, d_model, dropout, norm_first=True):
        super().__init__()
        self.norm, self.dropout = nn.LayerNorm(d_model), nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(self, x, sublayer):
        total = x.clone()
        total += self.dropout(sublayer(self.norm(x) if self.norm_first else x))
        return total if self.norm_first else self.norm(total)


@variant(of="SublayerConnection")
class ModulesInADictionary(nn.ModuleDict):
    def __init__(self, d_model, dropout, norm_first=True):
        super().__init__({"norm": nn.LayerNorm(d_model), "dropout": nn.Dropout(dropout)})
        self.norm_first = norm_first

    def forward(self, x, sublayer):
        norm, dropout = self["norm"], self["dropout"]
        if self.norm_first:
            return dropout(sublayer(norm(x))).add(x)
        return norm(dropout(sublayer(x)).add(x))


@variant(of="SublayerConnection")
class DropsACopyInPlace(nn.Module):
    """What is nobody else's may be changed in place."""

    def __init__(self, d_model, dropout, norm_first=True):
        super().__init__()
        self.norm = nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout, inplace=True)
        self.norm_first = norm_first

    def forward(self, x, sublayer):
        if self.norm_first:
            return x + self.dropout(sublayer(self.norm(x)).clone())
        return self.norm(self.dropout(sublayer(x).clone()).add_(x))


@variant(of="SublayerConnection")
class MultipliedMask(nn.Module):
    """Dropout of ones, times the branch."""

    def __init__(self, d_model, dropout, norm_first=True):
        super().__init__()
        self.norm = nn.LayerNorm(d_model)
        self.mask = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(self, x, sublayer):
        h = sublayer(self.norm(x)) if self.norm_first else sublayer(x)
        y = x + h * self.mask(torch.ones_like(h))
        return y if self.norm_first else self.norm(y)


@variant(of="SublayerConnection")
class LookedAt(nn.Module):
    """Type checks, assertions and prints, as in code that is being debugged."""

    def __init__(self, d_model, dropout, norm_first=True):
        super().__init__()
        if not 0.0 <= dropout <= 1.0:
            raise ValueError("dropout is a probability")
        self.norm, self.dropout = nn.LayerNorm(d_model), nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(self, x, sublayer):
        assert x.isfinite().all(), "x"
        h = sublayer(self.norm(x) if self.norm_first else x)
        if h.shape != x.shape:
            raise ValueError(f"the sub-layer returned {h.shape}")
        y = x + self.dropout(h)
        print("largest:", float(y.detach().abs().max()))
        return y if self.norm_first else self.norm(y)


@variant(of="SublayerConnection")
class InTheStyleOfLlama(nn.Module):
    """Residual kept aside; the branch computed in a function of its own."""

    def __init__(self, d_model: int, dropout: float, norm_first: bool = True):
        super().__init__()
        self.norm = nn.LayerNorm(d_model, eps=1e-5)
        self.p = dropout
        self.norm_first = norm_first

    def _branch(self, hidden, sublayer):
        hidden = sublayer(hidden)
        keep = torch.rand(hidden.shape, device=hidden.device) >= self.p
        if not self.training or self.p == 0.0:
            return hidden
        return torch.where(keep, hidden / max(1.0 - self.p, 1e-6), torch.zeros_like(hidden))

    def forward(self, x, sublayer):
        residual, hidden = x, x
        if self.norm_first:
            hidden = self.norm(hidden)
        hidden = residual + self._branch(hidden, sublayer)
        return hidden if self.norm_first else self.norm(hidden)


@variant(of="SublayerConnection")
class Checkpointed(nn.Module):
    """The branch is computed again in the backward pass."""

    def __init__(self, d_model, dropout, norm_first=True):
        super().__init__()
        self.norm, self.dropout = nn.LayerNorm(d_model), nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(self, x, sublayer):
        before = self.norm if self.norm_first else nn.Identity()
        branch = sublayer(checkpoint(before, x, use_reentrant=False))
        y = x + self.dropout(branch)
        return y if self.norm_first else self.norm(y)
