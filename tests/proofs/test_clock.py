"""The proof that every clocked check of the house is fair and tight, raced in real workers."""

from __future__ import annotations

import math
import os
import statistics
import subprocess
import sys
from pathlib import Path

import pytest

from grader.course.catalog import load_catalog
from grader.course.course import find_course
from grader.examiner.check_run import CheckRun, case_of
from grader.examiner.collection import collected, undisturbed
from grader.model import Submission
from grader.programs.failure import CheckFailed
from grader.programs.program import SubmissionProgram

COURSE = find_course()
CATALOG = load_catalog(COURSE)
REPEATED = (Path(__file__).parent / "repeated.py").read_text()
LEAST_SECONDS, LEAST_SHARE = 0.002, 0.4
TRIES = 3

# The word is looked for first, so that not every process collects every suite.
each_exercise = pytest.mark.parametrize(
    "name", [name for name in CATALOG if "faster_than" in COURSE.suite(name).read_text()]
)


def clocked_checks(suite):
    return [check for check in suite.checks if check.clocked]


@pytest.fixture
def raced(sandbox):
    """``raced(suite, check, times)``: what stopped the check when the reference's work is done so
    many times, and the race.
    """
    if sandbox.isolation != "full":
        pytest.skip("the clock of this machine's workers is not the kernel's")

    def raced(suite, check, times):
        name, texts = suite.exercise.name, COURSE.solution_texts
        page = f"{texts[name]}\n\n{REPEATED}\n\n_repeat(globals(), {times})\n"
        program = SubmissionProgram(Submission(name, name, texts | {name: page}), sandbox)
        run = CheckRun(case_of(suite, check, times, "cpu", "ann"), program)
        with undisturbed():
            error = run.run()
        program.close()
        return error, run.race

    return raced


def test_some_checks_are_clocked():
    """Or nothing below proves anything."""
    assert clocked_checks(collected(COURSE).of(CATALOG["attention"]))


@each_exercise
def test_the_work_done_once_passes(name, raced):
    """The reference itself, handed in; and what it computes is long enough to be measured: 2 ms or
    more, and on an idle machine no less than what it takes to bring its inputs and answers across,
    which is measured beside it and taken off. Other tests that use the memory at the same time make
    that seem longer than it is: so two fifths are enough, in the best of three races.
    """
    suite = collected(COURSE).of(CATALOG[name])
    for check in clocked_checks(suite):
        shares = []
        while not shares or (shares[-1] < LEAST_SHARE and len(shares) < TRIES):
            error, race = raced(suite, check, 1)
            computed = [turn.theirs.cpu - turn.transport.cpu for turn in race.turns]
            shares.append(statistics.median(turn.computing_share for turn in race.turns))

            assert error is None, check.check.name
            assert statistics.median(computed) >= LEAST_SECONDS, check.check.name
        assert shares[-1] >= LEAST_SHARE, check.check.name


def test_races_side_by_side_wrong_nobody():
    """Two at a time: each has a core of its own, and right programs pass. The benchmark does this
    a thousand times.
    """
    script = COURSE.root / "tests" / "benchmarks" / "races.py"
    command = [sys.executable, str(script), "--races", "6", "--jobs", "2", "--busy", "0"]
    settings = os.environ | {"PYTHONPATH": str(COURSE.root)}
    said = subprocess.run(command, env=settings, capture_output=True, text=True, check=True).stdout

    assert said.splitlines()[-1] == "0.000 s in which two held one core; 6 passed"


@each_exercise
def test_the_work_done_more_often_than_the_limit_allows_fails(name, raced):
    """Twice where 1.5 times are allowed, four times where three are. A race that others disturb
    lets too much pass rather than too little: so it is run again, at most twice.
    """
    suite = collected(COURSE).of(CATALOG[name])
    for check in clocked_checks(suite):
        limit = raced(suite, check, 1)[1].measured.limit
        times = math.floor(limit) + 1
        errors = (raced(suite, check, times)[0] for _ in range(TRIES))
        error = next((error for error in errors if error is not None), None)

        assert isinstance(error, CheckFailed), check.check.name
        assert error.cause.kind == "slow", check.check.name
