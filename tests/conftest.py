"""What many tests share: the checkout, one sandbox for the whole run, a course of one exercise,
reports made by hand.
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from hypothesis import settings

from grader.course.catalog import load_catalog
from grader.course.course import Course, find_course
from grader.examiner.collection import collected
from grader.model import Check, Conditions, ExerciseReport, Outcome, Report, Verdict
from grader.report.record import write_report
from grader.report.words import said
from grader.sandbox.launch import Sandbox, open_sandbox
from grader.sandbox.session import Session
from tests.preloaded import Preloaded, ordinary

Load = Callable[..., Session]
NOBODY = 65534

# Tests run side by side: threads of their own would only wait for one another. And they make many
# objects: to look for garbage among them as often as Python does takes a twentieth of the time.
torch.set_num_threads(1)
gc.set_threshold(20_000, 20, 20)

# The same examples in every run, however busy the machine.
settings.register_profile("steady", deadline=None, derandomize=True, database=None)
settings.register_profile("long", deadline=None, max_examples=5_000, database=None)
settings.load_profile("steady")


def pytest_addoption(parser: pytest.Parser) -> None:
    """How much is proved: what a normal run leaves out is asked for."""
    parser.addoption("--seeds", type=int, default=0, help="draw all inputs with so many more")
    parser.addoption("--losses", type=int, default=5, help="so many processes are lost")
    parser.addoption("--kills", type=int, default=2, help="a run is killed so many times")
    parser.addoption("--all-variants", action="store_true", help="all of them on the fake GPU too")
    parser.addoption("--all-misconceptions", action="store_true", help="also of the largest banks")
    parser.addoption("--all-slips", action="store_true", help="every automatic slip")
    parser.addoption("--all-lazy", action="store_true", help="every lazy program in every check")


def pytest_xdist_auto_num_workers() -> int:
    """Two processes more than there are cores: some test is always waiting for a deadline."""
    return len(os.sched_getaffinity(0)) + 2 if hasattr(os, "sched_getaffinity") else 2


LONGEST = ["test_other_device.py", "test_samples.py", "test_suites.py"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest first: then all processes end at the same time."""
    place = {name: number for number, name in enumerate(LONGEST)}
    items.sort(key=lambda item: place.get(item.path.name, len(LONGEST)))


TOY = {
    "exercises/catalog.toml": """\
[toy]
title = "A toy"
source = "nowhere"
hints = ["Twice x is x + x."]
""",
    "solutions/toy.py": '''\
"""A toy."""


def double(x):
    """Twice ``x``."""
    # BEGIN SOLUTION
    return x + x
    # END SOLUTION
''',
    "grader/suites/toy/test_toy.py": '''\
def test_doubles(compare, draw):
    """Every number is doubled, and so is its gradient."""
    x = draw.normal(2, 3)
    compare(lambda impl: impl.double(x), wrt=[x])


def test_leaves_its_input_alone(submission, draw):
    """The input is as it was."""
    x = draw.normal(4)
    assert submission.double(x).equal(2 * x), "not doubled"
''',
    "grader/suites/toy/misconceptions.py": """\
from grader.check import Bank

wrong = Bank()
wrong("double", "squares", "doubles", "You square.", "x + x", "x * x")
""",
}


@pytest.fixture(scope="session")
def python_m() -> Iterator[Callable[..., subprocess.CompletedProcess[str]]]:
    """``python_m("grader", "list", cwd=folder, env=os.environ)``: a process of its own."""
    if sys.platform != "linux":
        yield ordinary
        return
    with closing(Preloaded()) as preloaded:
        yield preloaded


@pytest.fixture(scope="session")
def course() -> Course:
    """The checkout these tests belong to."""
    return find_course()


@pytest.fixture
def toy(tmp_path: Path) -> Course:
    """A course of one exercise, ``toy``, which asks for ``double(x)``; its stubs do not exist."""
    return toy_course(tmp_path / "toy")


@pytest.fixture(scope="session")
def toy_in() -> Callable[[Path], Course]:
    """``toy_in(folder)`` is the course of one exercise for several tests together."""
    return toy_course


def toy_course(root: Path) -> Course:
    for name, text in TOY.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return Course(root)


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Sandbox]:
    """The best sandbox of this machine, started once."""
    with closing(open_sandbox()) as sandbox:
        yield sandbox


@pytest.fixture
def without_rights() -> Callable[[], AbstractContextManager[None]]:
    """``with without_rights():`` as an ordinary user, whom a file's permissions stop."""

    @contextmanager
    def without_rights() -> Iterator[None]:
        if os.geteuid() != 0:
            yield
            return
        os.seteuid(NOBODY)
        try:
            yield
        finally:
            os.seteuid(0)

    return without_rights


@pytest.fixture(scope="session")
def descendants() -> Callable[[int], list[int]]:
    """``descendants(pid)``: all processes that it has started, and those that they have."""

    def descendants(pid: int) -> list[int]:
        parents = {}
        for entry in Path("/proc").glob("[0-9]*/stat"):
            with suppress(OSError):
                fields = entry.read_text().rpartition(")")[2].split()
                parents[int(entry.parent.name)] = int(fields[1])
        found = {pid}
        while more := {child for child, parent in parents.items() if parent in found} - found:
            found |= more
        return sorted(found - {pid})

    return descendants


@pytest.fixture
def load(sandbox: Sandbox) -> Iterator[Load]:
    """``load(source)`` puts a module called ``m`` into a fresh worker, for at most 5 seconds."""
    sessions: list[Session] = []

    def load(source: str, seconds: float = 5.0, **options: object) -> Session:
        session = sandbox.open()
        sessions.append(session)
        session.allow_seconds(seconds)
        session.load({"m": source}, "m", **options)
        return session

    yield load
    for session in sessions:
        session.close()


SUITES = {name: f"sha256:{name}" for name in ("toy", "softmax", "masks", "attention")}
CONDITIONS = Conditions(987654321, "full", ("seccomp",), ("cpu",), {"grader": "1"}, SUITES)


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
    moved = replace(verdict.check, exercise=exercise, public=False)
    return Verdict(**{**vars(verdict), "check": moved})


@pytest.fixture(scope="session")
def of_the_core():
    """``of_the_core(verdict, step)``: the same on a check of the core."""

    def of_the_core(verdict, step="", **fields):
        return replace(verdict, check=replace(verdict.check, core=True, step=step), **fields)

    return of_the_core


@pytest.fixture
def run(tmp_path):
    """``run(*reports)``: the folder that `grader grade` leaves."""

    def run(*reports):
        for one in reports:
            write_report(one, tmp_path / "run")
        return tmp_path / "run"

    return run


@pytest.fixture
def suite_of(toy):
    """``suite_of(checks)``: the toy's suite with this text, and perhaps another page or bank."""

    def suite_of(checks, page=None, bank=None):
        for path, text in (
            (toy.suite("toy"), checks),
            (toy.solution("toy"), page),
            (toy.misconceptions("toy"), bank),
        ):
            if text is not None:
                path.write_text(text)
        return collected(toy).of(load_catalog(toy)["toy"])

    return suite_of
