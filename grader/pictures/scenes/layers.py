"""Positions, residuals, and the layers of encoder and decoder: who is heard how strongly."""

from __future__ import annotations

from typing import Any

import torch

from grader.pictures.panels import Axis, Panel, PanelKind, Props, Scene, normal, reach, shaped
from grader.pictures.scenes.attention import WORDS, T
from grader.programs.observe import gradient, torch_module
from grader.programs.proxy import Implementation, ModuleProxy

FROM = Axis("depends on", ticks=WORDS)
OUT = Axis("output", ticks=WORDS)

# Positions ----------------------------------------------------------------------------------------

_STEP = torch.tensor([0.0] * 6 + [2.0] * 6)[None, :, None].expand(1, 12, 8).contiguous()


def _encoded(impl: Implementation, props: Props) -> Any:
    return shaped(impl.PositionalEncoding(8, dropout=0.0, max_len=16)(_STEP), 1, 12, 8)[0]


_POSITIONS = Scene(
    "Each position has a row of its own: fast waves on the left, slow ones on the right.",
    (
        Panel(
            "sinusoidal_encoding(64, 16)",
            PanelKind.SIGNED,
            lambda impl, props: impl.sinusoidal_encoding(64, 16),
            Axis("column"),
            Axis("position"),
        ),
        Panel(
            "PositionalEncoding(x): x is 0 first, then 2",
            PanelKind.SIGNED,
            _encoded,
            Axis("column"),
            Axis("position"),
        ),
        Panel(
            "pe_shift_matrix(1, 8): turns each pair by its own angle",
            PanelKind.SIGNED,
            lambda impl, props: impl.pe_shift_matrix(1, 8),
            Axis("column"),
            Axis("row"),
        ),
    ),
)

# Residual -----------------------------------------------------------------------------------------

_WIDTH, _DEPTH = 6, 8
_MODES = {"pre-norm": True, "post-norm": False}


def _branch(seed: int) -> Any:
    """A linear sub-layer, a module of torch's."""
    weight = normal(_WIDTH, _WIDTH, seed=seed) / _WIDTH**0.5
    return torch_module(
        "Linear", _WIDTH, _WIDTH, weights={"weight": weight, "bias": torch.zeros(_WIDTH)}
    )


def _connection(impl: Implementation, norm_first: bool) -> ModuleProxy:
    layer: ModuleProxy = impl.SublayerConnection(_WIDTH, 0.0, norm_first=norm_first)
    layer.load({"norm.weight": torch.ones(_WIDTH), "norm.bias": torch.zeros(_WIDTH)})
    return layer


def _connected(norm_first: bool) -> Any:
    x = normal(4, _WIDTH, seed=52) * 2 + 1
    return lambda impl, props: _connection(impl, norm_first)(x, _branch(51))


def _gradients(impl: Implementation, props: Props) -> Any:
    """How much of the gradient at the end of so many connections arrives at the beginning."""
    x = normal(16, _WIDTH, seed=53).requires_grad_()
    signs = normal(16, _WIDTH, seed=54)
    found = []
    for norm_first in _MODES.values():
        layer, out, sizes = _connection(impl, norm_first), x, [1.0]
        for depth in range(_DEPTH):
            out = shaped(layer(out, _branch(510 + depth)), 16, _WIDTH)
            grad = gradient(impl, out, signs, x)
            sizes.append(0.0 if grad is None else float(grad.norm() / signs.norm()))
        found.append(sizes)
    return torch.tensor(found)


_RESIDUAL = Scene(
    "What comes in runs straight past the sub-layer, and so do gradients, backwards.",
    (
        *(
            Panel(
                f"{mode}, with a linear sub-layer",
                PanelKind.SIGNED,
                _connected(norm_first),
                Axis("feature"),
                Axis("token"),
            )
            for mode, norm_first in _MODES.items()
        ),
        Panel(
            "how much gradient gets through",
            PanelKind.CURVES,
            _gradients,
            Axis("connections", values=tuple(map(float, range(_DEPTH + 1)))),
            Axis("gradient"),
            ("pre", "post"),
        ),
    ),
)

# Encoder and decoder ------------------------------------------------------------------------------

_SIZES = (8, 2, 16)  # d_model, num_heads, d_ff
_X = normal(T, 8, seed=63)
_MEMORY = normal(4, 8, seed=62)
_SOURCE = ("ein", "Hund", "biss", "·")
_PAST = torch.ones(T, T, dtype=torch.bool).tril()
_NO_MAN = torch.tensor([True, True, True, True, False])[None]
_NO_PAD = torch.tensor([True, True, True, False])[None]


def _encoder_layer(norm_first: bool, mask: torch.Tensor | None) -> Any:
    def ask(impl: Implementation, props: Props) -> Any:
        layer = impl.EncoderLayer(*_SIZES, dropout=0.0, norm_first=norm_first)
        props.load(layer, gain=1.2)
        return reach(impl, lambda x: layer(x, mask), _X)

    return ask


def _encoder(impl: Implementation, props: Props) -> Any:
    layer = impl.EncoderLayer(*_SIZES, dropout=0.0, norm_first=True)
    weights = {"weight": torch.ones(8), "bias": torch.zeros(8)}
    norm = torch_module("LayerNorm", 8, weights=weights)
    stack = props.load(impl.Encoder(layer, 3, norm), gain=1.2)
    return reach(impl, lambda x: stack(x, _NO_MAN), _X)


_ENCODER = Scene(
    "How strongly each output depends on each input: whom a word has heard.",
    (
        Panel("EncoderLayer, post-norm", PanelKind.SHARES, _encoder_layer(False, None), FROM, OUT),
        Panel(
            "EncoderLayer, pre-norm, causal mask",
            PanelKind.SHARES,
            _encoder_layer(True, _PAST),
            FROM,
            OUT,
        ),
        Panel(
            "Encoder, 3 layers and a norm: nobody may attend to “man”",
            PanelKind.SHARES,
            _encoder,
            FROM,
            OUT,
        ),
    ),
)


def _decoder_layer(impl: Implementation, props: Props) -> ModuleProxy:
    layer: ModuleProxy = impl.DecoderLayer(*_SIZES, dropout=0.0, norm_first=True)
    return props.load(layer, gain=1.5)


def _own(impl: Implementation, props: Props) -> Any:
    layer, memory = _decoder_layer(impl, props), _MEMORY.expand(8, 4, 8).contiguous()
    return reach(impl, lambda x: layer(x, memory, _PAST, None), _X)


def _across(impl: Implementation, props: Props) -> Any:
    layer, x = _decoder_layer(impl, props), _X.expand(8, T, 8).contiguous()
    return reach(impl, lambda memory: layer(x, memory, _PAST, _NO_PAD), _MEMORY, T)


def _decoder(impl: Implementation, props: Props) -> Any:
    layer = impl.DecoderLayer(*_SIZES, dropout=0.0)
    stack = props.load(impl.Decoder(layer, 3), gain=1.2)
    x = _X.expand(8, T, 8).contiguous()
    return reach(impl, lambda memory: stack(x, memory, _PAST, _NO_PAD), _MEMORY, T)


_DECODER = Scene(
    "How strongly each output depends on target and memory. · is padding.",
    (
        Panel("DecoderLayer, causal: the target itself", PanelKind.SHARES, _own, FROM, OUT),
        Panel(
            "DecoderLayer: the memory, padding hidden",
            PanelKind.SHARES,
            _across,
            Axis("depends on", ticks=_SOURCE),
            OUT,
        ),
        Panel(
            "Decoder, 3 layers, post-norm: the memory",
            PanelKind.SHARES,
            _decoder,
            Axis("depends on", ticks=_SOURCE),
            OUT,
        ),
    ),
)

LAYERS = {
    "positional_encoding": _POSITIONS,
    "residual": _RESIDUAL,
    "encoder": _ENCODER,
    "decoder": _DECODER,
}
