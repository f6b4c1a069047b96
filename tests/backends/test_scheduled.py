"""A scheduler's workers grade as we do; one of them may be killed on the way."""

from __future__ import annotations

import shutil
import time
from contextlib import closing
from dataclasses import replace

import pytest

from grader.backends.scheduled import scheduled
from grader.course.catalog import load_catalog
from grader.course.course import find_course
from grader.errors import GraderError, OtherConditions
from grader.model import Submission
from grader.pipeline import grade_all

# What a client does when the connection to a worker that was killed breaks.
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")

RIGHT = "import time\n\ntime.sleep(0.2)\n\n\ndef double(x):\n    return x + x\n"
WRONG = RIGHT.replace("+", "*")


@pytest.fixture
def checkout(toy):
    """The toy course with the package in it, as it is installed on another machine."""
    package = find_course().root / "grader"
    shutil.copytree(
        package, toy.root / "grader", dirs_exist_ok=True,
        ignore=lambda folder, names: {"suites", "__pycache__"} & set(names),
    )  # fmt: skip
    return toy


def own_class(number):
    texts = [RIGHT, WRONG]
    names = [f"student{n}" for n in range(number)]
    return [Submission(name, name, {"toy": texts[n % 2]}) for n, name in enumerate(names)]


def without_time(report):
    exercises = tuple(
        replace(one, verdicts=tuple(replace(verdict, seconds=0.0) for verdict in one.verdicts))
        for one in report.exercises
    )
    return replace(report, graded_at="", exercises=exercises)


class TestAScheduler:
    def test_s_workers_grade_as_we_do(self, checkout, sandbox, cluster):
        """One is killed on the way: everybody has a report, the same as here but for times. And
        the one that is left refuses to grade for a course that is not its own.
        """
        address, workers = cluster(checkout.root, 2)
        exercises = list(load_catalog(checkout).values())

        def graded(**options):
            submissions = own_class(10)
            return grade_all(checkout, exercises, submissions, sandbox, seed=3, **options)

        here, found = [without_time(report) for report in graded()], []
        with closing(graded(scheduler=address)) as reports:
            for report in reports:
                found.append(without_time(report))
                if len(found) == 2:
                    workers[0].kill()

        assert sorted(found, key=lambda report: report.submission) == here

        exercises = [replace(exercises[0], forbids=("sum",))]
        with (
            pytest.raises(OtherConditions, match="another catalog"),
            closing(graded(scheduler=address)) as reports,
        ):
            next(reports)

    def test_that_is_not_there_is_told(self, monkeypatch):
        """Soon, and in a sentence."""
        monkeypatch.setattr("grader.backends.scheduled.CONNECT_SECONDS", 1)
        started = time.monotonic()
        with (
            pytest.raises(GraderError, match="No scheduler answers at tcp:"),
            scheduled("tcp://127.0.0.1:9"),
        ):
            pass

        assert time.monotonic() - started < 10
