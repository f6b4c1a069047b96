"""What there is to see of ``spread``."""

from __future__ import annotations

import torch

from grader.pictures.panels import Axis, Panel, PanelKind, Scene

_SAMPLE = torch.tensor([2.0, 4, 4, 4, 5, 5, 7, 9])

SCENE = Scene(
    "In units of its own spread, a sample lies around zero.",
    (
        Panel(
            "standardized: 2, 4, 4, 4, 5, 5, 7, 9",
            PanelKind.NUMBERS,
            lambda impl, props: impl.standardized(_SAMPLE)[None],
            Axis("number"),
            Axis("sample"),
        ),
    ),
)
