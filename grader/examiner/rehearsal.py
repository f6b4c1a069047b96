"""What stands for ``compare`` and for a race when the reference rehearses a check."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from grader.examiner.rounds import can_be_others
from grader.programs.again import FIRST, Probe, Repeated
from grader.programs.client import Client


class Noted:
    """Asks once, judges nothing, and notes what kinds of calls are made that can be repeated."""

    def __init__(self, reference: Client) -> None:
        self._reference = reference
        self._kinds: frozenset[Any] = frozenset()

    def __call__(self, probe: Probe, wrt: Sequence[torch.Tensor] = ()) -> None:
        asked = Repeated(self._reference, probe, wrt)
        asked.ask(FIRST)
        if can_be_others(asked):
            self._kinds |= self._reference.kinds_of_calls()

    def __getattr__(self, name: str) -> Callable[..., None]:
        def noted(*args: Any, wrt: Sequence[torch.Tensor] = (), **kwargs: Any) -> None:
            self(lambda impl: getattr(impl, name)(*args, **kwargs), wrt)

        return noted


def kinds_noted(noted: Noted) -> frozenset[Any]:
    """The kinds of calls that were made."""
    return noted._kinds


class NoRace:
    """Nothing is measured."""

    measured = None

    def faster_than(self, *asked: Any, **said: Any) -> None: ...

    def leaner_than(self, *asked: Any) -> None: ...
