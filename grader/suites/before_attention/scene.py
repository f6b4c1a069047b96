"""What is left of the first token, and what each place of a convolution sees."""

from __future__ import annotations

from typing import Any

import torch

from grader.pictures.panels import Axis, Panel, PanelKind, Props, Scene
from grader.programs.proxy import Implementation

_TOKENS = 12
_FIRST = torch.eye(_TOKENS)[:, :1]  # the first token is 1, all others are 0
_KEPT = (0.3, 0.6, 0.9)


def _forgotten(impl: Implementation, props: Props) -> Any:
    once = torch.ones(1, 1)
    states = [impl.recurrent_states(_FIRST, once, once * kept)[:, 0] for kept in _KEPT]
    return torch.stack(states)


def _seen(impl: Implementation, props: Props) -> Any:
    kernel = torch.tensor([1.0, 0.7, 0.4]).reshape(3, 1, 1) * torch.eye(_TOKENS)
    return impl.causal_convolution(torch.eye(_TOKENS), kernel)


def _found(impl: Implementation, props: Props) -> Any:
    tokens = torch.eye(_TOKENS)
    return torch.stack([impl.soft_lookup(3 * query, tokens, tokens) for query in tokens])


SCENE = Scene(
    "A state forgets, a convolution sees a few neighbours, a lookup finds what it asks for.",
    (
        Panel(
            "recurrent_states: what is left of the first token, for three W_state",
            PanelKind.CURVES,
            _forgotten,
            Axis("token", values=tuple(map(float, range(_TOKENS)))),
            Axis("state"),
            lines=tuple(map(str, _KEPT)),
        ),
        Panel(
            "causal_convolution, k = 3: which tokens take part in which row",
            PanelKind.SHARES,
            _seen,
            Axis("token"),
            Axis("row"),
        ),
        Panel(
            "soft_lookup: where each of twelve queries finds its answer",
            PanelKind.SHARES,
            _found,
            Axis("token"),
            Axis("query"),
        ),
    ),
)
