"""Plain pytest over the suites, in a process of its own, as an author types it."""

from __future__ import annotations

import os
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass

import pytest

from grader.collect import collect
from grader.course.catalog import load_catalog
from grader.course.course import Course
from grader.pipeline import grade_all
from grader.report.feedback import verdict_lines

SEED = 20170612
COURSE = {
    "exercises/catalog.toml": """\
[toy]
title = "A toy"
source = "nowhere"
hints = ["Twice x is x + x."]

[endless]
title = "A toy that never ends"
source = "nowhere"
hints = ["Wait."]
""",
    "solutions/toy.py": '''\
"""A toy."""


def double(x):
    """Twice ``x``."""
    # BEGIN SOLUTION
    return x + x
    # END SOLUTION


def half(x):
    """Half of ``x``."""
    # BEGIN SOLUTION
    return x / 2
    # END SOLUTION
''',
    "solutions/endless.py": '''\
"""A toy that ends long after its deadline."""

import time


def double(x):
    """Twice ``x``."""
    # BEGIN SOLUTION
    end = time.monotonic() + 1.6
    while time.monotonic() < end:
        pass
    return x + x
    # END SOLUTION
''',
    "grader/suites/conftest.py": "from grader.examiner.by_hand import *\n",
    "grader/suites/toy/misconceptions.py": """\
from grader.check import Bank

wrong = Bank()
wrong("double", "squares", "doubles", "You square.", "x + x", "x * x")
""",
    "grader/suites/endless/misconceptions.py": "",
    "grader/suites/toy/test_toy.py": '''\
import pytest


@pytest.mark.points(2)
def test_doubles(compare, draw):
    """Every number is doubled, and so is its gradient."""
    x = draw.normal(2, 3)
    compare(lambda impl: impl.double(x), wrt=[x])


@pytest.mark.parametrize("n", [2, 3])
def test_halves(submission, n):
    """Every number is halved."""
    found = submission.half(n)
    assert found == n / 2, f"half of {n} is not {found}"


def test_says_what_was_drawn(submission, draw):
    """What is drawn follows from the seed."""
    x = draw.normal(1)
    found = submission.half(x)
    assert found.equal(x / 2), f"drawn {float(x):.6f}"


def test_is_made_on_mars(submission):
    """It can be made elsewhere."""
    pytest.skip("there is no Mars here")
''',
    "grader/suites/endless/test_endless.py": '''\
import pytest


@pytest.mark.timeout(1)
def test_ends(submission):
    """It ends."""
    assert submission.double(1) == 2, "another"


@pytest.mark.timeout(1)
def test_ends_when_compared(compare):
    """It ends."""
    compare.double(1.0)
''',
    "handed_in/toy.py": """\
import os

import torch


def double(x):
    return x * x


def half(x):
    if isinstance(x, int) and x == 3:
        os._exit(0)
    return x / 2 if isinstance(x, int) else x / 3
""",
}


@dataclass(frozen=True)
class Case:
    """One check as pytest has written it down."""

    properties: dict[str, str]
    said: str


@dataclass(frozen=True)
class Run:
    """What came of one command."""

    status: int
    text: str
    cases: dict[str, Case]


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    root = tmp_path_factory.mktemp("by_hand")
    for name, text in COURSE.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


@pytest.fixture(scope="module")
def by_hand(root, python_m):
    """``by_hand("toy", "-x")`` runs pytest over a suite, with these options."""

    def by_hand(suite, *options):
        xml = root / "found.xml"
        told = [f"grader/suites/{suite}", f"--junitxml={xml}", *options]
        done = python_m("pytest", *told, cwd=root, env=os.environ | {"PYTEST_ADDOPTS": ""})
        return Run(done.returncode, done.stdout + done.stderr, _cases(xml))

    return by_hand


def _cases(path):
    found = {}
    for case in ElementTree.parse(path).iter("testcase"):
        properties = {p.get("name"): p.get("value") for p in case.iter("property")}
        said = [node.text or node.get("message") for node in case if node.tag != "properties"]
        found[case.get("name")] = Case(properties, said[0] if said else "")
    return found


@pytest.fixture(scope="module")
def examined(by_hand):
    """A submission by hand, all of it."""
    return by_hand("toy", "--submission", "handed_in", "--seed", str(SEED))


@pytest.fixture(scope="module")
def verdicts(root, sandbox):
    """``verdicts(seed)``: what `grade_all` finds of it, by check."""

    def verdicts(seed):
        course = Course(root)
        catalog = load_catalog(course)
        (submission,) = collect(root / "handed_in", catalog)
        (report,) = grade_all(course, [catalog["toy"]], [submission], sandbox, seed=seed)
        return {verdict.check.name: verdict for verdict in report.verdicts}

    return verdicts


class TestASubmission:
    def test_gets_the_verdicts_of_the_grader(self, examined, verdicts):
        """Every check: outcome, points, misconception."""
        expected = {
            name: {"outcome": v.outcome.value, "points": str(v.points)}
            | ({"misconception": v.misconception} if v.misconception else {})
            for name, v in verdicts(SEED).items()
        }

        assert {name: case.properties for name, case in examined.cases.items()} == expected
        assert {found["outcome"] for found in expected.values()} == {
            "failed", "passed", "error", "skipped",
        }  # fmt: skip
        assert expected["test_doubles"]["misconception"] == "squares"

    def test_is_told_the_words_of_the_grader(self, examined, verdicts):
        """What failed says what a student reads, and nothing of pytest's own."""
        said = {name: case.said for name, case in examined.cases.items()}
        expected = {
            name: "\n".join(verdict_lines(verdict)) if verdict.max_points else said[name]
            for name, verdict in verdicts(SEED).items()
            if not verdict.points
        }

        assert {name: text for name, text in said.items() if text} == expected
        assert "there is no Mars here" in said["test_is_made_on_mars"]

    def test_fails_the_run(self, examined):
        """As any failed test does."""
        assert examined.status == pytest.ExitCode.TESTS_FAILED

    def test_is_given_the_inputs_of_an_earlier_run(self, examined, verdicts):
        """By its seed; another seed draws others."""
        name = "test_says_what_was_drawn"
        others = "\n".join(verdict_lines(verdicts(SEED + 1)[name]))

        assert "drawn" in examined.cases[name].said
        assert examined.cases[name].said != others


class TestChoosing:
    def test_examines_what_is_chosen(self, by_hand):
        """``-k`` leaves the others out, and what is left is diagnosed as before."""
        run = by_hand("toy", "--submission", "handed_in", "-k", "doubles or (halves and 2)")

        assert {name: case.properties["outcome"] for name, case in run.cases.items()} == {
            "test_doubles": "failed",
            "test_halves[2]": "passed",
        }
        assert run.cases["test_doubles"].properties["misconception"] == "squares"

    def test_ends_at_the_first_failure(self, by_hand):
        """``-x``."""
        run = by_hand("toy", "--submission", "handed_in", "-x")

        assert list(run.cases) == ["test_doubles"]
        assert run.status == pytest.ExitCode.TESTS_FAILED

    def test_of_the_seed_0_is_a_choice(self, by_hand, verdicts):
        """It is a seed like any other."""
        name = "test_says_what_was_drawn"
        run = by_hand("toy", "--submission", "handed_in", "--seed", "0", "-k", name)

        assert run.cases[name].said == "\n".join(verdict_lines(verdicts(0)[name]))


@pytest.fixture(scope="module")
def endless(by_hand):
    """What becomes of a reference that goes on after its deadline."""
    pytest.importorskip("pytest_timeout")
    return by_hand("endless")


class TestTheReference:
    def test_passes(self, by_hand):
        """Without a submission it is what is examined, here and now."""
        run = by_hand("toy")
        outcomes = {name: case.properties["outcome"] for name, case in run.cases.items()}

        assert run.status == pytest.ExitCode.OK, run.text
        assert outcomes.pop("test_is_made_on_mars") == "skipped"
        assert set(outcomes.values()) == {"passed"}

    def test_that_never_ends_is_ended(self, endless):
        """pytest-timeout keeps the check's deadline."""
        assert endless.status == pytest.ExitCode.TESTS_FAILED
        assert "Timeout (>1.0s)" in endless.cases["test_ends"].said

    def test_that_never_ends_is_ended_when_compared(self, endless):
        """Also where its answer is what is expected."""
        assert "Timeout (>1.0s)" in endless.cases["test_ends_when_compared"].said
