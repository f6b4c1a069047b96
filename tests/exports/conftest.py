"""Reports made by hand, a run on the disk, and one that was really graded."""

from __future__ import annotations

import shutil

import pytest

from grader.cli import instructor
from grader.course.course import find_course
from grader.model import Check, Conditions, ExerciseReport, Outcome, Report, Verdict
from grader.report.record import write_report
from grader.report.words import said

SEED = 987654321
CONDITIONS = Conditions(SEED, "full", ("seccomp",), ("cpu",), {"suites": "sha256:abc"})
SAMPLES = "perfect wrong_axis reads_the_solutions writes_a_file untouched syntax_error".split()


@pytest.fixture(scope="session")
def verdict():
    """``verdict(Outcome.FAILED, 2.0)``: what became of one check."""

    def verdict(outcome=Outcome.PASSED, points=1.0, name="test_it", **fields):
        if outcome not in (Outcome.PASSED, Outcome.SKIPPED) and "cause" not in fields:
            fields["cause"] = said("It differs.", "1 2", "1 3", "Look there.")
        check = Check("", name, fields.pop("sentence", "It is."), points)
        return Verdict(check, outcome, **fields)

    return verdict


@pytest.fixture(scope="session")
def report():
    """``report("ann", softmax=[...])``: these exercises, each by its verdicts."""

    def report(name="ann", student=None, path="", **exercises):
        found = []
        for exercise, verdicts in exercises.items():
            those = (_moved(one, exercise) for one in verdicts)
            found.append(ExerciseReport(exercise, tuple(those)))
        when = "2026-01-02T03:04:05Z"
        return Report(name, student or name, when, CONDITIONS, tuple(found), path)

    return report


def _moved(verdict, exercise):
    check = verdict.check
    moved = Check(exercise, check.name, check.sentence, check.max_points, False, check.device)
    return Verdict(**{**vars(verdict), "check": moved})


@pytest.fixture
def run(tmp_path):
    """``run(*reports)``: the folder that `grader grade` leaves."""

    def run(*reports):
        for one in reports:
            write_report(one, tmp_path / "run")
        return tmp_path / "run"

    return run


@pytest.fixture(scope="session")
def graded(tmp_path_factory):
    """The folder of a real run over some samples, and of what was handed in."""
    folder = tmp_path_factory.mktemp("class") / "autumn"
    out = tmp_path_factory.mktemp("out") / "run"
    for name in SAMPLES:
        shutil.copytree(find_course().root / "tests" / "submissions" / name, folder / name)
    extras = instructor.Extras()
    instructor.grade(folder, out, ["softmax"], SEED, "process", "cpu", extras)
    return out, folder
