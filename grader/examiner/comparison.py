"""The fixture ``compare``: the submission and the reference are asked the same."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from grader.examiner.caller import Caller
from grader.examiner.draw import derive_seed
from grader.examiner.expected import Expected, Probe, Trio, expect
from grader.examiner.failure import CheckFailed
from grader.examiner.judge import Judge


class Compare:
    """The fixture: ``compare(probe, wrt=...)`` asks the submission and the reference the same."""

    def __init__(
        self,
        subject: Caller,
        reference: Trio,
        seed: int,
        known: dict[int, Expected],
    ) -> None:
        self._subject, self._reference = subject, reference
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
            Judge(self._subject, self._known[step], step).judge(probe, wrt)
        except CheckFailed:
            if self._known[step].nudged:
                raise
            self._known[step] = self._expected(probe, wrt, step, nudge=True)
            torch.set_rng_state(state)
            Judge(self._subject, self._known[step], step).judge(probe, wrt)
        self.first = self.first or (probe, self._subject.kinds_of_calls())

    def _expected(
        self, probe: Probe, wrt: Sequence[torch.Tensor], step: int, *, nudge: bool
    ) -> Expected:
        state = torch.get_rng_state()
        seed = derive_seed(self._seed, "cotangent", step)
        expected = expect(probe, wrt, self._reference, seed, nudge=nudge)
        torch.set_rng_state(state)  # a program of ours draws the same whoever was first
        return expected
