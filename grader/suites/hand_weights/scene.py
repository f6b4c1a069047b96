"""What a model predicts whose weights were set by hand, and where it looks."""

from __future__ import annotations

from typing import Any

import numpy as np

from grader.model import Cause
from grader.pictures.panels import Axis, Panel, PanelKind, Props, Scene
from grader.programs.failure import CheckFailed
from grader.programs.kinds import kind_of
from grader.programs.proxy import Implementation

_LETTERS = "abcd"


def _run(props: Props, weights: Any, text: str) -> tuple[np.ndarray, np.ndarray]:
    """The page's own model with the weights handed in; only numbers come from the submission."""
    if not isinstance(weights, dict):
        raise CheckFailed(Cause("no_dict", {"got_kind": kind_of(weights)}))
    arrays = {str(name): np.asarray(value, dtype=np.float64) for name, value in weights.items()}
    if len(arrays) > 40 or any(array.size > 1 << 18 for array in arrays.values()):
        raise ValueError("more weights than the page allows")
    ids = [_LETTERS.index(letter) for letter in text]
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        found: tuple[np.ndarray, np.ndarray] = props.reference["forward"](arrays, ids)
    return found


def _predicted(props: Props, weights: Any, text: str, asked: slice) -> np.ndarray:
    """Which letter is predicted at each place that is asked about.

    It is the one whose logit is above every other by as much as the page asks for, if there is one.
    """
    logits, _ = _run(props, weights, text)
    second, first = np.sort(logits[asked], axis=-1)[:, -2:].T
    margin = 1e-6 * np.abs(logits[asked]).max(axis=-1)
    clear = (first - second > margin)[:, None]
    predicted: np.ndarray = clear & (logits[asked] == first[:, None])
    return predicted


def _attended(name: str, text: str, layer: int) -> Any:
    def ask(impl: Implementation, props: Props) -> Any:
        return _run(props, getattr(impl, name)(), text)[1][layer]

    return ask


def _after(text: str, start: int) -> Axis:
    """Places by the text read so far, or its end."""
    return Axis("after", ticks=tuple(text[: n + 1][-5:] for n in range(start, len(text))))


def _previous(impl: Implementation, props: Props) -> Any:
    """Row 0 has nobody but itself, so it is left out."""
    return _run(props, impl.previous_token_head(), "dabcc")[1][0][1:] >= 0.9


SCENE = Scene(
    "Which letter comes next, and where the model looked to know it.",
    (
        Panel(
            "aab_weights: predictions while reading aabaa",
            PanelKind.MASK,
            lambda impl, props: _predicted(props, impl.aab_weights(), "aabaa", slice(1, None)),
            Axis("next", ticks=("a", "b")),
            _after("aabaa", 1),
            verb="predicts",
        ),
        Panel(
            "aab_weights: attention in layer 0",
            PanelKind.SHARES,
            _attended("aab_weights", "aabaa", 0),
            Axis("looks at", ticks=tuple("aabaa")),
            Axis("place", ticks=tuple("aabaa")),
            free=True,
        ),
        Panel(
            "periodic_weights(“dab”): predictions",
            PanelKind.MASK,
            lambda impl, props: _predicted(
                props, impl.periodic_weights("dab"), "bdabdab", slice(2, None)
            ),
            Axis("next", ticks=tuple(_LETTERS)),
            _after("bdabdab", 2),
            verb="predicts",
        ),
        Panel(
            "previous_token_head: weights of 0.9 or more",
            PanelKind.MASK,
            _previous,
            Axis("looks at", ticks=tuple("dabcc")),
            Axis("place", ticks=tuple("abcc")),
            verb="looks at",
        ),
        Panel(
            "induction_head: attention in layer 1, over bcdab",
            PanelKind.SHARES,
            _attended("induction_head", "bcdab", 1),
            Axis("looks at", ticks=tuple("bcdab")),
            Axis("place", ticks=tuple("bcdab")),
            free=True,
        ),
        Panel(
            "induction_head: after bcdab comes c",
            PanelKind.MASK,
            lambda impl, props: _predicted(props, impl.induction_head(), "bcdab", slice(4, None)),
            Axis("next", ticks=tuple(_LETTERS)),
            Axis("after", ticks=("bcdab",)),
            verb="predicts",
        ),
    ),
)
