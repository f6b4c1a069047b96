"""Submissions written to cheat the clock gain nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.course.catalog import load_catalog
from grader.model import Outcome, Submission
from grader.pipeline import grade_all

ATTACKS = sorted((Path(__file__).parents[1] / "attacks" / "programs").glob("*.py"))
SUITE = '''
import pytest


@pytest.mark.timeout(30)
def test_is_fast(faster_than, draw):
    """It takes no longer than half as long again as the reference."""
    faster_than(1.5, lambda impl, x: impl.double(x), lambda: [draw.normal(60, 300)])
'''
SOLUTION = '''
import torch

EYE = torch.eye(300)


def double(x):
    """Twice ``x``, the long way."""
    # BEGIN SOLUTION
    for _ in range(40):
        x = x @ EYE
    return x + x
    # END SOLUTION
'''


@pytest.mark.parametrize("path", ATTACKS, ids=lambda path: path.stem)
def test_attacks_on_the_clock(toy, sandbox, path):
    """All of them do twice the reference's work, one way or another, and only ``honest`` passes."""
    if sandbox.isolation != "full":
        pytest.skip("the clock of this machine's workers is not the kernel's")
    (toy.root / "solutions/toy.py").write_text(SOLUTION)
    (toy.root / "grader/suites/toy/test_toy.py").write_text(SUITE)
    submission = Submission(path.stem, path.stem, {"toy": path.read_text()})
    exercises = list(load_catalog(toy).values())
    (report,) = grade_all(toy, exercises, [submission], sandbox, seed=9)
    (verdict,) = report.verdicts

    assert (verdict.outcome is Outcome.PASSED) is (path.stem == "honest"), verdict.cause
    assert verdict.outcome is not Outcome.INTERNAL
