"""The six words of the page: scores, weights, and the two ways to hide the future."""

from __future__ import annotations

from typing import Any

import torch

from grader.pictures.panels import Axis, Panel, PanelKind, Props, Scene
from grader.programs.proxy import Implementation

_JOURNEY = ("Your", "journey", "starts", "with", "one", "step")
_KEYS, _QUERIES = Axis("key", ticks=_JOURNEY), Axis("query", ticks=_JOURNEY)
_LARGER = 3.0  # so that weights differ enough to be seen


def _given(props: Props) -> tuple[Any, Any, Any]:
    """The sentence and two matrices of the page."""
    page = props.reference
    return page["JOURNEY"], _LARGER * page["W_QUERY"], page["W_KEY"]


def _weights(impl: Implementation, props: Props) -> Any:
    return impl.attention_weights(*_given(props))


def _past(impl: Implementation, props: Props) -> Any:
    return impl.renormalized_past(_SHARES)


def _hidden(impl: Implementation, props: Props) -> Any:
    return impl.hide_future(_SHARES).exp()


_SHARES = torch.softmax(torch.linspace(0.0, 3.0, 36).reshape(6, 6).sin(), dim=-1)

SCENE = Scene(
    "Queries meet keys; what comes later gets no weight.",
    (
        Panel("attention_weights: rows sum to 1", PanelKind.SHARES, _weights, _KEYS, _QUERIES),
        Panel(
            "renormalized_past: zeros above the diagonal, rows sum to 1",
            PanelKind.SHARES,
            _past,
            _KEYS,
            _QUERIES,
        ),
        Panel(
            "hide_future: exp of the scores, 0 where they are -inf",
            PanelKind.SHARES,
            _hidden,
            _KEYS,
            _QUERIES,
        ),
    ),
)
