"""How queries share out attention among keys."""

from __future__ import annotations

from typing import Any

import torch

from grader.pictures.panels import Axis, Panel, PanelKind, Scene, normal, part
from grader.pictures.sentence import KEYS, QUERIES, T
from grader.programs.proxy import Implementation

_Q, _K, _V = (normal(T, 8, seed=seed) * size for seed, size in ((11, 1.5), (12, 1.5), (13, 1.0)))
_SEEN = torch.tensor([True, True, True, True, False])


def _attend(impl: Implementation, which: int, **options: Any) -> Any:
    found = impl.scaled_dot_product_attention(_Q, _K, _V[:, :6], **options)
    return part(found, which, "out, weights")


SCENE = Scene(
    "Each query shares out one unit of attention among the keys.",
    (
        Panel(
            "weights, everybody may attend to everybody",
            PanelKind.SHARES,
            lambda impl, props: _attend(impl, 1),
            KEYS,
            QUERIES,
        ),
        Panel(
            "weights, is_causal=True",
            PanelKind.SHARES,
            lambda impl, props: _attend(impl, 1, is_causal=True),
            KEYS,
            QUERIES,
        ),
        Panel(
            "weights, mask: “man” may not be attended to",
            PanelKind.SHARES,
            lambda impl, props: _attend(impl, 1, mask=_SEEN),
            KEYS,
            QUERIES,
        ),
        Panel(
            "out: the values, averaged",
            PanelKind.SIGNED,
            lambda impl, props: _attend(impl, 0),
            Axis("feature"),
            QUERIES,
        ),
    ),
)
