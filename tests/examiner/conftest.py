"""An exercise of one function, how its answers are compared, and suites made for one test."""

from __future__ import annotations

import pytest
import torch

from grader.examiner.compare import Compare
from grader.examiner.expected import Readings
from grader.model import Exercise
from grader.programs.draw import Draw
from grader.programs.failure import CheckFailed
from grader.programs.program import LocalProgram, Opening
from grader.report.words import told

EXERCISE = Exercise("page", "A page", "nowhere", ("f",))


@pytest.fixture
def x():
    return Draw(3).normal(4, 6)


@pytest.fixture
def opened():
    """``opened(f)`` is a caller of the page that defines ``f``."""

    def opened(f, dtype=None, **options):
        return LocalProgram({"f": f}, dtype, **options).open(Opening(EXERCISE))

    return opened


@pytest.fixture
def compare_with(opened):
    """The fixture ``compare`` for a caller, measured against ``reference``."""

    def compare_with(reference, client):
        high = torch.float64
        nudged = tuple(opened(reference, high, nudge=way) for way in (1, 2))
        readings = Readings(opened(reference, high), opened(reference), nudged)
        return Compare(client, readings, 1, {})

    return compare_with


@pytest.fixture
def cause_of(opened, compare_with):
    """Why ``answer`` is not the right one; None when it is."""

    def cause_of(reference, answer, *inputs, wrt=()):
        compare = compare_with(reference, opened(answer))
        try:
            compare(lambda impl: impl.f(*inputs), wrt=wrt)
        except CheckFailed as failure:
            return failure.evidence.kind, told(failure.cause)
        return None

    return cause_of
