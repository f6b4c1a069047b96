"""Where known heads look, what the lens reads, and what each part adds to a logit."""

from __future__ import annotations

from typing import Any

import torch

from grader.pictures.panels import Axis, Panel, PanelKind, Props, Scene, shaped
from grader.programs.proxy import Implementation

_TEXT, _OTHER = "dabcdabc", "dabcaabc"
_SHARES = ("embedding", "position", "head 0.0", "head 0.1", "network 0", "head 1.0", "head 1.1")


def _ids(text: str) -> torch.Tensor:
    return torch.tensor([["abcd".index(letter) for letter in text]])


def _map(layer: int) -> Any:
    def ask(impl: Implementation, props: Props) -> Any:
        maps = impl.attention_maps(impl.hand_made_model(), _ids(_TEXT))
        return shaped(maps, 2, 1, 2, 8, 8)[layer, 0, 0]

    return ask


def _lens(impl: Implementation, props: Props) -> Any:
    """At the last place: after which block does it know that d comes next?"""
    lens = impl.logit_lens(impl.hand_made_model(), _ids(_TEXT))
    return shaped(lens, 3, 1, 8, 4)[:, 0, -1]


def _shares(impl: Implementation, props: Props) -> Any:
    """Of the four letters at the last place."""
    model, rows = impl.hand_made_model(), []
    for token in range(4):
        shares = impl.direct_logit_attribution(model, _ids(_TEXT), token)
        rows.append(torch.stack([shaped(shares[name], 1, 8)[0, -1] for name in _SHARES]))
    return torch.stack(rows)


def _without(impl: Implementation, props: Props) -> Any:
    """The logits of the last place, without one head after another."""
    model, text = impl.hand_made_model(), _ids(_TEXT)
    heads = ((0, 0), (0, 1), (1, 0), (1, 1))
    found = [impl.ablate(model, text, layer, head) for layer, head in heads]
    return torch.stack([shaped(logits, 1, 8, 4)[0, -1] for logits in found])


def _patched(impl: Implementation, props: Props) -> Any:
    """The logit of d at the last place, for a patch at each layer and place."""
    model, rows = impl.hand_made_model(), []
    for layer in range(3):
        found = [impl.patch(model, _ids(_TEXT), _ids(_OTHER), layer, place) for place in range(8)]
        rows.append(torch.stack([shaped(logits, 1, 8, 4)[0, -1, 3] for logits in found]))
    return torch.stack(rows)


_LETTERS = Axis("next", ticks=tuple("abcd"))
_PLACES = tuple(_TEXT)

SCENE = Scene(
    "The hand-made model reads dabcdabc, and d comes next: which parts say so, from which x on?",
    (
        Panel(
            "attention_maps: head 0.0",
            PanelKind.SHARES,
            _map(0),
            Axis("looks at", ticks=_PLACES),
            Axis("place", ticks=_PLACES),
        ),
        Panel(
            "attention_maps: head 1.0",
            PanelKind.SHARES,
            _map(1),
            Axis("looks at", ticks=_PLACES),
            Axis("place", ticks=_PLACES),
        ),
        Panel(
            "logit_lens: logits at the last place",
            PanelKind.NUMBERS,
            _lens,
            _LETTERS,
            Axis("x", ticks=("x_0", "x_1", "x_2")),
        ),
        Panel(
            "direct_logit_attribution: shares at the last place",
            PanelKind.SIGNED,
            _shares,
            Axis("part", ticks=_SHARES),
            Axis("logit of", ticks=tuple("abcd")),
        ),
        Panel(
            "ablate: logits at the last place without a head",
            PanelKind.NUMBERS,
            _without,
            _LETTERS,
            Axis("without", ticks=("0.0", "0.1", "1.0", "1.1")),
        ),
        Panel(
            "patch: the logit of d after dabcaabc",
            PanelKind.SIGNED,
            _patched,
            Axis("place", ticks=tuple(_OTHER)),
            Axis("layer", ticks=("x_0", "x_1", "x_2")),
        ),
    ),
)
