"""How much a submission may take, of time, bytes and memory, and what a slow import costs."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace

import pytest

from grader.examiner.collection import collected
from grader.examiner.examination import examine
from grader.model import Exercise, Outcome, Submission
from grader.programs import program as programs
from grader.programs.budget import Limits
from grader.programs.failure import BudgetSpent
from grader.programs.program import Opening, SubmissionProgram
from grader.programs.proxy import Implementation
from grader.report.feedback import words_of
from grader.sandbox.launch import open_sandbox

TOY = Exercise(name="toy", title="A toy", source="nowhere", names=("double",))
OTHER = replace(TOY, name="other")
FIRST = "test_doubles"
SLOW = """
import time

loaded = time.monotonic()
time.sleep({})


def double(x):
    return x + x


def when():
    return loaded
"""


@pytest.fixture
def submitted(sandbox):
    """``submitted(text)``: a submission with this text in two modules, perhaps with limits."""
    opened = []

    def submitted(text, **limits):
        submission = Submission("ann", "ann", {"toy": text, "other": text})
        opened.append(SubmissionProgram(submission, sandbox, limits=Limits(**limits)))
        return opened[-1]

    yield submitted
    for program in opened:
        program.close()


class TestTime:
    def test_of_an_exercise_has_an_end(self, submitted):
        """Its further checks are not run; other exercises have their own time."""
        program = submitted(SLOW.format(0.2), exercise_seconds=0.1)
        program.open(Opening(TOY, 5.0))
        with pytest.raises(BudgetSpent, match=r"^Not run: this exercise has used up its time, 0.1"):
            program.open(Opening(TOY, 5.0))

        assert program.open(Opening(OTHER, 5.0))

    def test_of_a_submission_has_an_end(self, submitted):
        """Whatever its exercises may still have left."""
        program = submitted(SLOW.format(0.2), submission_seconds=0.1)
        program.open(Opening(TOY, 5.0))
        with pytest.raises(BudgetSpent, match="this submission has used up its time"):
            program.open(Opening(OTHER, 5.0))

    def test_that_is_spent_costs_the_check(self, toy, submitted):
        """A deadline that has passed, for all that was not run: no point, and a reason."""
        suite = collected(toy).of(replace(TOY))
        first, *others = examine(suite, submitted(SLOW.format(0.2), exercise_seconds=0.1), 5)

        assert first.outcome is Outcome.PASSED
        assert [(v.outcome, v.cause.kind) for v in others] == [(Outcome.TIMEOUT, "budget")]


class TestBytes:
    def test_of_a_submission_have_an_end(self, submitted):
        """Counted over all its workers."""
        program = submitted(
            "import torch\ndef double(x): return torch.zeros(1 << 19)\n", submission_bytes=1 << 20
        )
        Implementation(program.open(Opening(TOY, 5.0))).double(1)
        with pytest.raises(BudgetSpent, match="has sent all that it may"):
            program.open(Opening(OTHER, 5.0))


HOLDS = "import torch\ndef double(x): return float(torch.ones({} << 18).sum())\n"  # MiB


class TestMemory:
    @pytest.fixture
    def roomy(self):
        """A sandbox whose workers may take half of the usual."""
        with closing(open_sandbox(memory_mib=512)) as sandbox:
            if sandbox.isolation != "full":
                pytest.skip("the portable sandbox limits no memory")
            yield sandbox

    def test_is_the_worker_s(self, toy, roomy):
        """What does not fit is told with the limit that held; what fits is computed."""
        suite, limits = collected(toy).of(replace(TOY)), Limits(memory_mib=512)
        small, large = (
            examine(
                suite, SubmissionProgram(handed_in(size), roomy, limits=limits), 5, only=[FIRST]
            )
            for size in (100, 700)
        )

        assert small[0].cause.kind == "kind"  # a number, where a tensor is asked for
        assert (large[0].outcome, large[0].cause.kind) == (Outcome.MEMORY, "memory")
        assert "more memory than there is for a submission (0.5 GiB)" in (
            words_of(large[0]).rationale
        )


def handed_in(size):
    """Takes so many MiB."""
    return Submission("ann", "ann", {"toy": HOLDS.format(size)})


class TestSlowImports:
    def test_are_made_twice(self, submitted, monkeypatch):
        """The second time tells slow work from slow libraries; from then on a worker finds the
        module as it is.
        """
        monkeypatch.setattr(programs, "SLOW_IMPORT_SECONDS", 0.1)
        slow, quick = submitted(SLOW.format(0.2)), submitted(SLOW.format(0.0))
        loaded = [
            [Implementation(program.open(Opening(TOY, 5.0))).when() for _ in range(3)]
            for program in (slow, quick)
        ]

        assert [len(set(times)) for times in loaded] == [2, 3]

    def test_are_told(self, toy, submitted, monkeypatch):
        """Once, where the exercise first passes; no mark is lost by it."""
        monkeypatch.setattr(programs, "SLOW_IMPORT_SECONDS", 0.1)
        found = examine(collected(toy).of(TOY), submitted(SLOW.format(0.2)), 5)

        assert {verdict.outcome for verdict in found} == {Outcome.PASSED}
        assert [verdict.advice and verdict.advice.kind for verdict in found] == [
            "slow_import",
            None,
        ]
