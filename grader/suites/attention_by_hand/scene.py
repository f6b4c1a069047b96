"""The page's own sentence: scores, weights, contexts."""

from __future__ import annotations

import numpy as np

from grader.pictures.panels import Axis, Panel, PanelKind, Props, Scene

_JOURNEY = ("Your", "journey", "starts", "with", "one", "step")


def _journey(props: Props) -> np.ndarray:
    """The sentence of the page."""
    sentence: np.ndarray = props.reference["JOURNEY"]
    return sentence


SCENE = Scene(
    "Scores, made into shares, mix the words into contexts.",
    (
        Panel(
            "attention_scores: how alike two words are",
            PanelKind.SHARES,
            lambda impl, props: impl.attention_scores(_journey(props)),
            Axis("word", ticks=_JOURNEY),
            Axis("word", ticks=_JOURNEY),
        ),
        Panel(
            "attention_weights, scale=4: rows sum to 1",
            PanelKind.SHARES,
            lambda impl, props: impl.attention_weights(_journey(props), scale=4.0),
            Axis("attended", ticks=_JOURNEY),
            Axis("word", ticks=_JOURNEY),
        ),
        Panel(
            "context_vectors: what each word takes away",
            PanelKind.SHARES,
            lambda impl, props: impl.context_vectors(_journey(props)),
            Axis("feature"),
            Axis("word", ticks=_JOURNEY),
        ),
    ),
)
