"""Who may attend to whom."""

from __future__ import annotations

from typing import Any

import torch

from grader.pictures.panels import Axis, Panel, PanelKind, Props, Scene, normal, shaped
from grader.pictures.sentence import KEYS, QUERIES, WORDS, T
from grader.programs.proxy import Implementation

_IDS = torch.tensor([[5, 8, 2, 7, 3], [6, 4, 9, 0, 0], [3, 0, 0, 0, 0]])
_FIRST_GONE = torch.tensor([False, True, True, True, True])


def _combined(impl: Implementation, props: Props) -> Any:
    past = torch.ones(T, T, dtype=torch.bool).tril()
    return impl.combine_masks(past, _FIRST_GONE)


def _masked(impl: Implementation, props: Props) -> Any:
    past = torch.ones(T, T, dtype=torch.bool).tril()
    return impl.masked_softmax(normal(T, T, seed=6), past & _FIRST_GONE)


SCENE = Scene(
    "True = may attend. A row asks, a column answers.",
    (
        Panel(
            "causal_mask(5): nobody sees the future",
            PanelKind.MASK,
            lambda impl, props: impl.causal_mask(T),
            KEYS,
            QUERIES,
        ),
        Panel(
            "causal_mask(2, 5): the last two of five ask",
            PanelKind.MASK,
            lambda impl, props: impl.causal_mask(2, T),
            KEYS,
            Axis("query", ticks=WORDS[3:]),
        ),
        Panel(
            "padding_mask: three sentences, 5, 3 and 1 words long",
            PanelKind.MASK,
            lambda impl, props: shaped(impl.padding_mask(_IDS, 0), 3, 1, 1, T)[:, 0, 0],
            Axis("key"),
            Axis("sentence"),
        ),
        Panel(
            "combine_masks: no future, and nobody sees “a”",
            PanelKind.MASK,
            _combined,
            KEYS,
            QUERIES,
        ),
        Panel(
            "masked_softmax under that mask: “a” may see nothing",
            PanelKind.SHARES,
            _masked,
            KEYS,
            QUERIES,
        ),
    ),
)
