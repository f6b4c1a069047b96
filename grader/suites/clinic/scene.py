"""What four of the programs return: as given, there is a difference to be seen."""

from __future__ import annotations

from typing import Any

import torch

from grader.pictures.panels import Axis, Panel, PanelKind, Props, Scene, normal
from grader.programs.proxy import Implementation

_ALLOWED = torch.tensor([[True, True, False, False], [True, True, True, False]])


def _attended(impl: Implementation, props: Props) -> Any:
    """The weights themselves: the values are the unit matrix."""
    return impl.attend(normal(2, 3, seed=1), normal(4, 3, seed=2), torch.eye(4), _ALLOWED)


SCENE = Scene(
    "Where the given program and the right one differ is the first thing to look at.",
    (
        Panel(
            "positions(24, 16)",
            PanelKind.SIGNED,
            lambda impl, props: impl.positions(24, 16),
            Axis("column"),
            Axis("position"),
        ),
        Panel(
            "causal_weights of 3 queries and 6 keys, all scores 0",
            PanelKind.SHARES,
            lambda impl, props: impl.causal_weights(torch.zeros(3, 6)),
            Axis("key"),
            Axis("query"),
        ),
        Panel(
            "weights of attend: 2 queries, 4 keys, of which the last ones are padding",
            PanelKind.NUMBERS,
            _attended,
            Axis("key"),
            Axis("query"),
        ),
        Panel(
            "next_probabilities: 3 texts, 5 tokens",
            PanelKind.NUMBERS,
            lambda impl, props: impl.next_probabilities(normal(3, 2, 5, seed=4)),
            Axis("token", ticks=tuple("abcde")),
            Axis("text"),
        ),
    ),
)
