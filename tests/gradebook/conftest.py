"""Gradebooks in a temporary folder, and reports to be put into them."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from grader.gradebook.book import Gradebook
from grader.model import Outcome


@pytest.fixture(scope="session")
def empty(tmp_path_factory):
    """The file of a new gradebook, made once: its tables take longer than most tests."""
    path = tmp_path_factory.mktemp("empty") / "book.sqlite"
    return Path(Gradebook(str(path), may_be_new=True).shown)


@pytest.fixture
def book(empty, tmp_path):
    """A new gradebook, in a file."""
    return Gradebook(str(shutil.copy(empty, tmp_path / "book.sqlite")))


@pytest.fixture(scope="session")
def handed_in(report, verdict):
    """``handed_in("ann", softmax=2, masks=None)``: a report with these points, each of 4; None
    stands for no verdict. The text that was graded is told apart by ``text``.
    """

    def handed_in(name="ann", student=None, text="", graded_at=None, fields=None, **points):
        exercises = {
            exercise: [
                *[verdict(Outcome.PASSED, 1.0)] * (score or 0),
                *[verdict(Outcome.INTERNAL if score is None else Outcome.FAILED, 1.0)]
                * (4 - (score or 0)),
            ]
            for exercise, score in points.items()
        }
        one = report(name, student, **exercises)
        one = replace(one, digests={"softmax": f"sha256:{name}{text}"}, **(fields or {}))
        return replace(one, graded_at=graded_at) if graded_at else one

    return handed_in


@pytest.fixture
def add(book):
    """``add("ps1", *reports)`` takes them in."""

    def add(assignment, *reports, counts=None):
        return book.add(reports, assignment, f"runs/{assignment}", "head", counts)

    return add


@pytest.fixture
def marks(book):
    """``marks()``: the marks by student and assignment."""
    return lambda: {(one.student.name, one.assignment.name): one.mark for one in book.standings()}
