"""Right answers to ``feed_forward`` that are written differently."""

from __future__ import annotations

import logging
import math

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint

from grader.check import variant


def _gelu(x, approximate="none"):
    if approximate == "tanh":
        inner = math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)
        return x * (1 + inner.tanh()) * 0.5
    return x * (1 + (x * math.sqrt(0.5)).erf()) * 0.5


def _relu(x):
    return x.clamp(min=0)


def _silu(x):
    return x.sigmoid().mul(x)


@variant(of="gelu")
def by_methods(x, approximate="none"):
    return _gelu(x, approximate=approximate)


@variant(of="gelu")
def from_the_normal_distribution(x, approximate="none"):
    if approximate == "none":
        return x * torch.special.ndtr(x)
    inner = 0.7978845608028654 * (x + 0.044715 * torch.pow(x, 3))
    return x * (0.5 + 0.5 * torch.tanh(inner))


@variant(of="gelu")
def from_erfc_and_sigmoid(x, approximate="none"):
    if approximate == "tanh":
        u = math.sqrt(2 / math.pi) * x * (1 + 0.044715 * x * x)
        return x * torch.sigmoid(2 * u)
    return 0.5 * x * torch.erfc(-x * 0.5**0.5)


@variant(of="gelu")
def in_float32(x, approximate="none"):
    z = x.float()
    if approximate == "tanh":
        y = 0.5 * z * (1 + ((2 / math.pi) ** 0.5 * (z + 0.044715 * z.pow(3))).tanh())
    else:
        y = z * 0.5 * (1 + torch.erf(z / 2**0.5))
    return y.type_as(x)


@variant(of="gelu")
def with_tensor_constants(x, approximate="none"):
    two = torch.tensor(2.0, dtype=x.dtype, device=x.device)
    if approximate == "tanh":
        factor = torch.sqrt(two / math.pi)
        return x / 2 * (1 + torch.tanh(factor * (x + 0.044715 * x**3)))
    return x / 2 * (1 + torch.erf(x / torch.sqrt(two)))


@variant(of="gelu")
def looks_at_its_input(x, approximate="none"):
    """Type checks, a log, and a branch on values."""
    if not isinstance(x, torch.Tensor) or not x.is_floating_point():
        raise TypeError("gelu takes a tensor of floating point numbers")
    assert approximate in ("none", "tanh"), approximate
    logging.getLogger(__name__).debug("gelu of %s", tuple(x.shape))
    if bool((x > 1e6).all()):
        return x.clone()
    return _gelu(x, approximate)


@variant(of="silu")
def by_methods_of_the_tensor(x):
    return _silu(x)


@variant(of="silu")
def in_place_on_a_copy(x):
    return x.clone().mul(x.sigmoid())


@variant(of="silu")
def by_tanh(x):
    return 0.5 * x * (1 + torch.tanh(0.5 * x))


@variant(of="silu")
def two_safe_halves(x):
    e = torch.exp(-x.abs())
    return x * torch.where(x >= 0, 1 / (1 + e), e / (1 + e))


@variant(of="silu")
def from_logsigmoid(x):
    return x * torch.exp(F.logsigmoid(x))


class Gelu(nn.Module):
    def forward(self, x):
        return _gelu(x)


@variant(of="PositionwiseFeedForward")
class ModulesAsActivations(nn.Module):
    def __init__(
        self, d_model, d_ff, dropout=0.1, activation="relu", *, bias=True, drop_output=False
    ):
        super().__init__()
        self.w_1 = nn.Linear(d_model, d_ff, bias=bias)
        self.w_2 = nn.Linear(d_ff, d_model, bias=bias)
        if activation == "relu":
            self.act = nn.ReLU(inplace=True)
        elif activation == "gelu":
            self.act = Gelu()
        else:
            raise ValueError(activation)
        drop = nn.Dropout(p=dropout) if dropout > 0 else nn.Identity()
        self.drop, self.drop_last = (nn.Identity(), drop) if drop_output else (drop, nn.Identity())

    def forward(self, x):
        h = self.w_1(x)
        h = self.act(h)
        h = self.drop(h)
        return self.drop_last(self.w_2(h))


@variant(of="PositionwiseFeedForward")
class Functional(nn.Module):
    def __init__(
        self, d_model: int, d_ff: int, dropout: float = 0.1, activation: str = "relu",
        bias: bool = True, drop_output: bool = False,
    ):  # fmt: skip
        super().__init__()
        assert activation in {"relu", "gelu"}, activation
        self.w_2 = nn.Linear(d_ff, d_model, bias=bias)
        self.w_1 = nn.Linear(d_model, d_ff, bias=bias)
        self.p, self.last = (0.0, dropout) if drop_output else (dropout, 0.0)
        self.activation = {"relu": F.relu, "gelu": _gelu}[activation]

    def forward(self, x):
        h = self.activation(F.linear(x, self.w_1.weight, self.w_1.bias))
        h = F.dropout(h, p=self.p, training=self.training)
        h = h @ self.w_2.weight.T
        h = h if self.w_2.bias is None else h + self.w_2.bias
        return F.dropout(h, p=self.last, training=self.training)


@variant(of="PositionwiseFeedForward")
class RefusesWhenCalled(nn.Module):
    def __init__(
        self, d_model, d_ff, dropout=0.1, activation="relu", *, bias=True, drop_output=False
    ):
        super().__init__()
        self.w_1, self.w_2 = nn.Linear(d_model, d_ff, bias), nn.Linear(d_ff, d_model, bias)
        self.dropout, self.activation = nn.Dropout(dropout), activation
        self.drop_output = drop_output

    def forward(self, x):
        h = self.w_1(x)
        if self.activation == "relu":
            h = torch.clamp_min(h, 0)
        elif self.activation == "gelu":
            h = 0.5 * h * (1 + torch.erf(h / math.sqrt(2)))
        else:
            raise ValueError(f"unknown activation: {self.activation}")
        if not self.drop_output:
            return self.w_2(self.dropout(h))
        return self.dropout(self.w_2(h))


@variant(of="PositionwiseFeedForward")
class FlattensTheTokens(nn.Module):
    def __init__(
        self, d_model, d_ff, dropout=0.1, activation="relu", *, bias=True, drop_output=False
    ):
        super().__init__()
        if activation.lower() not in ("relu", "gelu"):
            raise ValueError(activation)
        self.w_1 = nn.Linear(d_model, d_ff, bias=bias)
        self.w_2 = nn.Linear(d_ff, d_model, bias=bias)
        self.dropout, self.drop_output = nn.Dropout(dropout), drop_output
        self.relu = activation.lower() == "relu"

    def forward(self, x):
        tokens = x.reshape(-1, x.size(-1))
        h = self.w_1(tokens)
        h = torch.maximum(h, torch.zeros_like(h)) if self.relu else _gelu(h)
        h = h if self.drop_output else self.dropout(h)
        h = self.w_2(h).reshape(x.shape)
        return self.dropout(h) if self.drop_output else h


@variant(of="PositionwiseFeedForward")
class OwnLinearLayers(nn.Module):
    class Affine(nn.Module):
        def __init__(self, d_in, d_out, bias):
            super().__init__()
            self.weight = nn.Parameter(torch.randn(d_out, d_in) * 0.02)
            self.register_parameter("bias", nn.Parameter(torch.zeros(d_out)) if bias else None)

        def forward(self, x):
            y = torch.einsum("...i,oi->...o", x, self.weight)
            return y if self.bias is None else y + self.bias

    def __init__(
        self, d_model, d_ff, dropout=0.1, activation="relu", *, bias=True, drop_output=False
    ):
        super().__init__()
        if activation not in ["relu", "gelu"]:
            raise ValueError("activation must be relu or gelu")
        self.w_1 = self.Affine(d_model, d_ff, bias)
        self.w_2 = self.Affine(d_ff, d_model, bias)
        self.dropout, self.after = dropout, drop_output
        self.kind = activation

    def dropped(self, h):
        if self.training and self.dropout:
            return h * (torch.rand_like(h) > self.dropout) / (1 - self.dropout)
        return h

    def forward(self, x):
        h = globals()[f"_{self.kind}"](self.w_1(x))
        return self.dropped(self.w_2(h)) if self.after else self.w_2(self.dropped(h))


@variant(of="SwiGLU")
class StepByStep(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.w1 = nn.Linear(d_model, d_ff, bias=False)
        self.w3 = nn.Linear(d_model, d_ff, bias=False)
        self.w2 = nn.Linear(d_ff, d_model, bias=False)

    def forward(self, x):
        gate = self.w1(x)
        gate = gate * torch.sigmoid(gate)
        up = self.w3(x)
        return self.w2(up * gate)


@variant(of="SwiGLU")
class OneProductForBoth(StepByStep):
    def forward(self, x):
        both = F.linear(x, torch.cat([self.w1.weight, self.w3.weight]))
        gate, up = both.chunk(2, dim=-1)
        return F.linear(_silu(gate).mul_(up), self.w2.weight)


@variant(of="SwiGLU")
class WithEinsum(StepByStep):
    def forward(self, x):
        gate = torch.einsum("...d,fd->...f", x, self.w1.weight)
        up = torch.einsum("...d,fd->...f", x, self.w3.weight)
        return torch.einsum("...f,df->...d", _silu(gate) * up, self.w2.weight)


@variant(of="SwiGLU")
class SiluInFloat32(StepByStep):
    def forward(self, x):
        gate = self.w1(x)
        return self.w2(_silu(gate.float()).to(gate.dtype) * self.w3(x))


@variant(of="PositionwiseFeedForward")
class AnnotatedTransformer(nn.Module):
    """As in The Annotated Transformer, with a look at the values on the way."""

    def __init__(
        self, d_model, d_ff, dropout=0.1, activation="relu", *, bias=True, drop_output=False
    ):
        super().__init__()
        if activation not in ("relu", "gelu"):
            raise ValueError(f"no such activation: {activation}")
        self.w_1 = nn.Linear(d_model, d_ff, bias=bias)
        self.w_2 = nn.Linear(d_ff, d_model, bias=bias)
        self.dropout = nn.Dropout(0.0 if drop_output else dropout)
        self.resid_dropout = nn.Dropout(dropout if drop_output else 0.0)
        self.activation = activation

    def forward(self, x):
        assert x.isfinite().all(), "the input is not finite"
        inner = self.w_1(x)
        inner = inner.relu() if self.activation == "relu" else _gelu(inner)
        out = self.resid_dropout(self.w_2(self.dropout(inner)))
        assert not out.isnan().any()
        return out


@variant(of="PositionwiseFeedForward")
class GptStart(AnnotatedTransformer):
    """nanoGPT's start, N(0, 0.02) and zeros; the backward computes the inner layer again."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.apply(self._init_weights)

    def _init_weights(self, module):
        if isinstance(module, nn.Linear):
            torch.nn.init.normal_(module.weight, mean=0.0, std=0.02)
            if module.bias is not None:
                torch.nn.init.zeros_(module.bias)

    def forward(self, x):
        return checkpoint(super().forward, x, use_reentrant=False)


@variant(of="SwiGLU")
class XavierStart(StepByStep):
    """Llama's way to write it, with Xavier's start."""

    def __init__(self, d_model, d_ff):
        super().__init__(d_model, d_ff)
        for matrix in self.parameters():
            nn.init.xavier_uniform_(matrix)

    def forward(self, x):
        if x.shape[-1] != self.w1.in_features:
            raise ValueError("another width")
        return self.w2(_silu(self.w1(x)).mul(self.w3(x)))
