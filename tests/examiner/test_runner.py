"""One side of a race: what may run when, and what is carried without being computed."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from grader.errors import SandboxError
from grader.examiner import runner as runner_module
from grader.examiner.runner import ReferenceRunner
from grader.model import Exercise
from grader.programs.program import LocalProgram, Opening

OPENING = Opening(Exercise("toy", "A toy", "nowhere", ("double", "half")), 5.0)


class Counting:
    """A program of two functions that counts its calls."""

    def __init__(self):
        self.calls = 0

    def double(self, x):
        self.calls += 1
        return 2 * x

    def half(self, x):
        self.calls += 1
        return x / 2


@pytest.fixture
def counting():
    return Counting()


@pytest.fixture
def runner(counting):
    """The reference's side, with that program, in this process."""
    names = {"double": counting.double, "half": counting.half}
    runner = ReferenceRunner(LocalProgram(names), OPENING)
    runner.prepare(lambda impl: impl)
    return runner


class TestCarrying:
    @pytest.fixture
    def answered(self):
        """The answers to every call of the probe, and the probe itself."""
        answers = []

        def probe(impl, x):
            answers.append((impl.double(x), impl.half(x)))
            return answers[-1]

        return answers, probe

    def test_computes_nothing(self, runner, counting, answered):
        """Two calls of a probe are two calls, and none when it is carried."""
        _, probe = answered
        runner.run(probe, [[torch.ones(3)]])
        runner.carry(probe, [[torch.zeros(3)]])
        runner.carry(probe, [[torch.zeros(3)], [torch.zeros(3)]])

        assert counting.calls == 2

    def test_answers_what_was_answered_last(self, runner, answered):
        """Every call of a probe its own answer: as many bytes come back as from the real one."""
        answers, probe = answered
        runner.run(probe, [[torch.ones(3)]])
        runner.carry(probe, [[torch.zeros(3)]])

        assert [t.tolist() for t in answers[1]] == [[2.0] * 3, [0.5] * 3]

    def test_is_over_with_it(self, runner, counting, answered):
        """The next call is computed again."""
        answers, probe = answered
        runner.run(probe, [[torch.ones(3)]])
        runner.carry(probe, [[torch.zeros(3)]])
        runner.run(probe, [[torch.zeros(3)]])

        assert counting.calls == 4
        assert answers[-1][0].tolist() == [0.0] * 3


class TestTheReference:
    def test_that_raises_is_our_accident(self, runner):
        """A submission cannot be blamed for it."""
        with pytest.raises(SandboxError, match="the reference did not finish its race"):
            runner.run(lambda impl, x: impl.double(), [[torch.ones(3)]])


class TestOnAGpu:
    """Its driver is played here."""

    def test_a_kept_worker_is_gone_before_anything_is_counted(self, counting, monkeypatch):
        """Opening another one makes room for it: 500 MiB more are free than while it was kept."""
        free = [200 << 20]

        class Keeping(LocalProgram):
            def open(self, opening):
                free[0] = 700 << 20
                return super().open(opening)

        for name in ("free_gpu_bytes", "settled"):
            monkeypatch.setattr(runner_module, name, lambda told: free[0])
        program = Keeping({"double": counting.double, "half": counting.half})
        runner = ReferenceRunner(program, replace(OPENING, device="cuda"))
        runner.prepare(lambda impl: impl)
        monkeypatch.setattr(runner, "run", lambda probe, batch: ([None], None))
        _, need = runner.weigh(lambda impl: None, [])

        assert need.held == 0
