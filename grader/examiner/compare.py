"""The fixture ``compare``: the submission and the reference are asked the same."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from grader.examiner.expected import Expected, Probe, Readings, expect
from grader.examiner.judge import Judge
from grader.programs.client import Client
from grader.programs.draw import derive_seed
from grader.programs.failure import CheckFailed


class Compare:
    """The fixture: ``compare(probe, wrt=...)`` asks the submission and the reference the same."""

    def __init__(
        self,
        program: Client,
        reference: Readings,
        seed: int,
        known: dict[int, Expected],
    ) -> None:
        self._program, self._reference = program, reference
        self._seed, self._known = seed, known
        self._step = 0
        self.first: tuple[Probe, frozenset[str]] | None = None

    def __call__(self, probe: Probe, wrt: Sequence[torch.Tensor] = ()) -> None:
        """Raises ``CheckFailed`` when the answers differ.

        ``probe`` calls the implementation it is given. ``wrt`` lists inputs whose gradients are
        compared too, under a random cotangent; parameters of modules always are.
        """
        step, self._step = self._step, self._step + 1
        if step not in self._known:
            self._known[step] = self._expected(probe, wrt, step, nudge=False)
        state = torch.get_rng_state()
        try:
            Judge(self._program, self._known[step], step).judge(probe, wrt)
        except CheckFailed:
            if self._known[step].nudged:
                raise
            self._known[step] = self._expected(probe, wrt, step, nudge=True)
            torch.set_rng_state(state)
            Judge(self._program, self._known[step], step).judge(probe, wrt)
        self.first = self.first or (probe, self._program.kinds_of_calls())

    def _expected(
        self, probe: Probe, wrt: Sequence[torch.Tensor], step: int, *, nudge: bool
    ) -> Expected:
        state = torch.get_rng_state()
        seed = derive_seed(self._seed, "cotangent", step)
        expected = expect(probe, wrt, self._reference, seed, nudge=nudge)
        torch.set_rng_state(state)  # a program of ours draws the same whoever was first
        return expected
