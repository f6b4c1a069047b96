"""One comparison of a check, asked and not judged; and what torch computed meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from grader.errors import EnoughCompared
from grader.examiner.check_run import CheckCase, CheckRun
from grader.examiner.expected import tensors_of
from grader.programs.again import FIRST, Probe, Repeated
from grader.programs.client import Client
from grader.programs.program import Program

_MOST_NUMBERS, _MOST_NOTED = 1 << 16, 3_000  # of one value, and of these


def answer_to(case: CheckCase, step: int, program: Program) -> list[torch.Tensor] | None:
    """What a program answers to one comparison of a check; None if it does not get there."""
    run = _Listening(case, program, step)
    try:
        error = run.run()
    finally:
        program.close()
    return run.heard if error is None else None


class _Listening(CheckRun):
    """A run in which one comparison is asked for, and nothing judged."""

    def __init__(self, case: CheckCase, program: Program, step: int) -> None:
        super().__init__(case, program)
        self._step = step

    @cached_property
    def compare(self) -> _Listener:  # type: ignore[override]
        return _Listener(self.opened, self._step)

    @property
    def heard(self) -> list[torch.Tensor] | None:
        return self.compare.answer if "compare" in vars(self) else None


class _Listener:
    """What stands for ``compare``."""

    def __init__(self, client: Client, step: int) -> None:
        self.answer: list[torch.Tensor] | None = None
        self._client, self._left = client, step

    def __call__(self, probe: Probe, wrt: Sequence[torch.Tensor] = ()) -> None:
        self._left -= 1
        if self._left < 0:
            self.answer = tensors_of(Repeated(self._client, probe, ()).ask(FIRST))
            raise EnoughCompared

    def __getattr__(self, name: str) -> Callable[..., None]:
        def listened(*args: Any, wrt: Sequence[torch.Tensor] = (), **kwargs: Any) -> None:
            self(lambda impl: getattr(impl, name)(*args, **kwargs), wrt)

        return listened


class Noting(TorchFunctionMode):
    """All that torch's functions are given and return within the block; of fewer numbers than
    ``least`` nothing.
    """

    def __init__(self, least: int) -> None:
        super().__init__()
        self._least = least
        self.noted: list[torch.Tensor] = []

    def __torch_function__(
        self, function: Any, types: Any, args: Any = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        result = function(*args, **(kwargs or {}))
        for tensor in tensors_of([args, result]):
            if self._least <= tensor.numel() <= _MOST_NUMBERS and len(self.noted) < _MOST_NOTED:
                self.noted.append(tensor.detach().clone())
        return result
