"""What inputs and targets are, and what a step moves."""

from __future__ import annotations

from typing import Any

import torch

from grader.pictures.panels import Axis, Panel, PanelKind, Props, Scene, shaped
from grader.programs.draw import SeededGenerator
from grader.programs.proxy import Implementation

_STREAM = torch.tensor([7, 3, 1, 4, 1, 5])  # one token more than a piece: there is only one
_SENTENCES = torch.tensor([[1, 5, 7, 2], [1, 6, 2, 0], [1, 2, 0, 0]])
_IDX, _TARGETS = torch.tensor([[0, 1, 2, 3]]), torch.tensor([[1, 2, 3, -100]])
_PLACES = tuple("12345")
_TOKENS = tuple("abcd")


def _both(answer: Any, rows: int, columns: int) -> torch.Tensor:
    inputs, targets = answer
    halves = (shaped(inputs, rows, columns), shaped(targets, rows, columns))
    return torch.cat(halves).double()


def _piece(impl: Implementation, props: Props) -> torch.Tensor:
    return _both(impl.next_token_batch(_STREAM, 1, 5, SeededGenerator(7)), 1, 5)


def _forced(impl: Implementation, props: Props) -> torch.Tensor:
    return _both(impl.teacher_forcing(_SENTENCES, 0), 3, 3)


def _moved(impl: Implementation, props: Props) -> torch.Tensor:
    model = impl.TinyModel(4)
    model.load({"now.weight": torch.zeros(4, 4), "before.weight": torch.zeros(4, 4)})
    impl.train_step(model, [(_IDX, _TARGETS)], impl.GradientDescent(model, 3.0))
    return shaped(model(torch.arange(4)[:, None])[0], 4, 1, 4)[:, 0]


SCENE = Scene(
    "The targets are the inputs, one place further; and a step moves logits towards them.",
    (
        Panel(
            "next_token_batch: the only piece of 7 3 1 4 1 5",
            PanelKind.NUMBERS,
            _piece,
            Axis("place", ticks=_PLACES),
            Axis("", ticks=("inputs", "targets")),
        ),
        Panel(
            "teacher_forcing: three sentences, 0 fills them up",
            PanelKind.NUMBERS,
            _forced,
            Axis("place", ticks=_PLACES[:3]),
            Axis("", ticks=tuple(f"{name} {n}" for name in ("input", "target") for n in (1, 2, 3))),
        ),
        Panel(
            "train_step: logits after a step; a b c should be followed by b c d",
            PanelKind.SIGNED,
            _moved,
            Axis("next token", ticks=_TOKENS),
            Axis("token", ticks=_TOKENS),
        ),
    ),
)
