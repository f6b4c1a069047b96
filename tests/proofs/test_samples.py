"""What becomes of the sample submissions, whose names say what they are.

Each is graded once, in real workers, and the table below is the truth that must be found.
"""

from __future__ import annotations

import contextlib
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from grader.backends.cores import Cores
from grader.collect import collect
from grader.course.catalog import load_catalog
from grader.course.course import find_course
from grader.examiner.collection import collected
from grader.model import Outcome
from grader.pipeline import Run, conditions, grade_all, grade_one
from grader.report.feedback import words_of
from grader.report.record import to_json
from grader.sandbox.launch import open_sandbox

FOLDER = Path(__file__).parents[1] / "submissions"
SEED = 7

FULL, NONE = "full", "none"
CARRIED = ("carried", "failed")  # one slip costs one idea


@dataclass(frozen=True)
class Truth:
    """What is true of one exercise of a sample.

    ``outcomes`` are exactly those of the checks that did not pass; each of ``says`` stands in what
    the student reads; ``refused`` names what was tried in vain.
    """

    exercise: str
    score: str = "part"
    outcomes: tuple[str, ...] = ("failed",)
    misconception: str = ""
    says: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()


TABLE = {
    "no_scaling": Truth(
        "attention",
        outcomes=CARRIED,
        misconception="no_scaling",
        says=("Your output equals attention without the division by sqrt(d_k)",),
    ),
    "wrong_axis": Truth(
        "softmax", outcomes=CARRIED, misconception="ignores_dim", says=("the caller chose `dim`",)
    ),
    "mask_after_softmax": Truth("masks", outcomes=CARRIED, misconception="masked_afterwards"),
    "dropout_not_scaled": Truth("dropout", outcomes=CARRIED, misconception="not_scaled"),
    "syntax_error": Truth(
        "softmax", NONE, ("error",), says=("softmax.py, line 5", "'(' was never closed")
    ),
    "loops_forever": Truth(
        "softmax", outcomes=("timeout",), says=("No answer within 5 s", "a loop that never ends")
    ),
    "exits_zero": Truth(
        "softmax", outcomes=("error", "failed"), says=("ended its own process", "exit status 0")
    ),
    "eats_memory": Truth(
        "softmax", outcomes=("memory",), says=("softmax.py, line 5", "more memory")
    ),
    "prints_forever": Truth("softmax", outcomes=("error",), says=("Printing without end",)),
    "reads_the_solutions": Truth(
        "softmax",
        NONE,
        says=("defines no `softmax`",),
        refused=(
            "open('../solutions/softmax.py')",
            "open('../../../grader/suites/softmax/test_softmax.py')",
            "open('../perfect/softmax.py')",
            "open('/etc/passwd')",
            "open('/proc/self/environ')",
        ),
    ),
    "patches_torch": Truth("softmax", NONE, says=("returned other values",)),
    "opens_a_socket": Truth(
        "softmax", NONE, ("error", "failed"), refused=("socket.getaddrinfo('127.0.0.1', 80)",)
    ),
    "forks": Truth(
        "softmax",
        NONE,
        ("error", "failed"),
        says=("not allowed in an exercise: os.fork()",),
        refused=("os.fork()", "subprocess.Popen('/bin/sh', ['/bin/sh', '-c', 'id'])"),
    ),
    "kills_its_parent": Truth("softmax", NONE, refused=("os.kill(1, 9)", "os.kill(-1, 9)")),
    "writes_a_file": Truth("softmax", NONE, ("error",), refused=("open('grades.csv')",)),
    "returns_a_subclass": Truth("softmax", NONE, says=("returned a value of type Agreeable",)),
    "slow_import": Truth(
        "softmax", NONE, ("timeout",), says=("No answer within 10 s for importing softmax.py",)
    ),
    "deep_recursion": Truth("softmax", outcomes=("error", "failed"), says=("RecursionError",)),
    "not_utf8": Truth("softmax", NONE, ("error",), says=("softmax.py is not UTF-8 text",)),
    "missing_function": Truth("softmax", says=("defines no `logsumexp`",)),
    "import_error": Truth("softmax", NONE, ("error",), says=("No module named 'a_package",)),
    "wrong_types": Truth(
        "softmax",
        NONE,
        ("error", "failed"),
        says=(
            "a list of 3 values where a tensor",
            "returned None",
            "End `log_softmax` with return",
        ),
    ),
    "uses_a_broken_softmax": Truth(
        "attention", NONE, ("blocked",), says=("Do softmax first", "your `softmax`")
    ),
}


@pytest.fixture(scope="module")
def report_of():
    """``report_of(name)`` of a sample, all of which are graded in one run; no check of it ends as
    our own failure.
    """
    course = find_course()
    catalog = load_catalog(course)
    submissions = {one.name: one for one in collect(FOLDER, catalog)}
    suites = collected(course)
    with contextlib.closing(open_sandbox()) as sandbox:
        if sandbox.isolation != "full":
            pytest.skip("this machine offers no full isolation")
        agreed = conditions(course, sandbox, SEED, ["cpu"])
        run = Run(list(catalog.values()), sandbox, agreed, Cores())

        @cache
        def report_of(name):
            report = grade_one(suites, run, submissions[name])
            assert [v for v in report.verdicts if v.outcome is Outcome.INTERNAL] == []
            return report

        yield report_of


def test_every_sample_has_its_truth():
    """No sample without a row, no row without a sample."""
    names = {path.name for path in FOLDER.iterdir()}

    assert names == {*TABLE, "perfect", "untouched"}


def test_perfect_has_full_marks(report_of):
    """The right answers earn every point."""
    report = report_of("perfect")

    assert report.score == report.max_score > 0


def test_untouched_has_none(report_of):
    """Stubs earn nothing, and are told so: that they are not written, or what they are built on.
    Only of the clinic, whose stub holds what is to be mended, something is computed.
    """
    report = report_of("untouched")
    told = [words_of(v).rationale for v in report.verdicts if v.check.exercise != "clinic"]

    assert report.score == 0
    assert all(v.outcome is not Outcome.PASSED for v in report.verdicts)
    assert len(told) > 600
    assert not [said for said in told if not re.match("Not written yet|.*is not ready", said)]


@pytest.mark.parametrize("name", TABLE)
def test_sample_gets_what_its_name_says(report_of, name):
    """Score, outcomes, misconception, words and refusals are those of the table."""
    truth, report = TABLE[name], report_of(name)
    (exercise,) = [e for e in report.exercises if e.name == truth.exercise]
    broken = [v for v in exercise.verdicts if v.outcome is not Outcome.PASSED]
    words = " ".join(f"{w.rationale} {w.actual} {w.help}" for w in map(words_of, broken))

    assert {v.outcome.value for v in broken} == set(truth.outcomes)
    assert truth.misconception in {"", *(v.misconception for v in broken)}
    assert [text for text in truth.says if text not in words] == []
    assert [text for text in truth.refused if text not in report.refused] == []
    if truth.score == NONE:
        assert exercise.score == 0
    else:
        assert 0 < exercise.score < exercise.max_score


def test_a_broken_module_costs_only_itself(report_of):
    """A syntax error in one module leaves the marks of another."""
    report = report_of("syntax_error")
    (dropout,) = [e for e in report.exercises if e.name == "dropout"]

    assert dropout.score == dropout.max_score > 0


def test_nothing_was_stolen(report_of):
    """The thief's own print-out says that it found nothing."""
    printed = {v.output.strip() for v in report_of("reads_the_solutions").verdicts}

    assert "stolen: 0 environment: 0" in printed


def test_the_same_seed_gives_the_same_report():
    """Same submission, seed and suite: the same report but for the seconds and the date."""

    def graded():
        course = find_course()
        catalog = load_catalog(course)
        exercises = [catalog["softmax"], catalog["dropout"]]
        (submission,) = collect(FOLDER / "wrong_axis", catalog)
        with contextlib.closing(open_sandbox()) as sandbox:
            (report,) = grade_all(course, exercises, [submission], sandbox, seed=SEED)
        form = to_json(report)
        del form["graded_at"]
        for exercise in form["exercises"]:
            for check in exercise["checks"]:
                del check["seconds"]
        return form

    assert graded() == graded()
