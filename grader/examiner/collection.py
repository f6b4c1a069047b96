"""pytest collects the suites, once; from then on a check is a function to call.

Marks of a check: ``core(step)``, ``points(n)``, ``public``, ``per_student``, ``kept(why)``,
``asked_once(why, *ways)``, ``rests_on(words)``, which only ``course/rests.py`` reads, and
pytest-timeout's ``timeout(seconds)``, its deadline.
"""

from __future__ import annotations

import gc
import inspect
import os
import sys
import threading
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
import torch

from grader.course.catalog import load_catalog
from grader.course.course import Course
from grader.course.ideas import idea_of
from grader.course.suite_text import suite_path
from grader.errors import SuiteError
from grader.examiner.check_run import FIXTURES
from grader.examiner.sealed.practice import opened
from grader.examiner.suite import CollectedCheck, Suite
from grader.model import Check, Exercise
from grader.programs.again import WAYS
from grader.spelling import did_you_mean

DEFAULT_SECONDS = 5.0
MARKS = (
    "core(step): asks for the idea, in this step of the exercise's; all others ask for robustness",
    "points(n): what the check is worth (default 1)",
    "public: shown to students before they hand in",
    "per_student: `draw` differs between students",
    "kept(because): why a check stays that no misconception needs",
    "asked_once(because, *ways): why its probes are not asked again, in all ways or in these",
    "rests_on(*words): words of the page, or of exercises/README.md, that demand what is checked",
    "timeout(seconds): how long the check may take",
)
_OPTIONS = (
    "--collect-only", "--capture=no", "--assert=plain", "--import-mode=importlib", "--noconftest",
)  # fmt: skip
_NOT_NEEDED = (
    "cacheprovider", "terminal", "logging", "faulthandler", "doctest", "junitxml", "warnings",
    "unraisableexception", "threadexception",
)  # fmt: skip


class Suites:
    """The suites of a course by exercise; one that was not collected yet is when asked for."""

    def __init__(self, course: Course) -> None:
        self.course = course
        self.catalog = load_catalog(course)
        self._suites: dict[str, Suite] = {}

    def of(self, exercise: Exercise) -> Suite:
        """Raises ``SuiteError`` when it cannot be collected."""
        if exercise.name not in self._suites:
            self.collect([exercise])
        return self._suites[exercise.name]

    def of_path(self, path: Path) -> Suite:
        """The suite whose file this is."""
        return self.of(self.catalog[path.parent.name])

    def collect(self, exercises: Iterable[Exercise]) -> None:
        """Collect several in one go, which is quicker than one by one."""
        if self.course.is_released:
            self._suites |= {e.name: opened(self.course, e, self.catalog) for e in exercises}
            return
        names = [exercise.name for exercise in exercises]
        self._suites |= {name: self._suite(name, []) for name in names}
        self.take(_items(self.course, names))

    def take(self, items: Iterable[pytest.Function]) -> None:
        """Take over what pytest has found."""
        by_exercise: dict[str, list[CollectedCheck]] = {}
        for item in items:
            name = item.path.parent.name
            found = collected_check(item, self.catalog[name])
            by_exercise.setdefault(name, []).append(found)
        self._suites |= {name: self._suite(name, checks) for name, checks in by_exercise.items()}

    def _suite(self, name: str, checks: Sequence[CollectedCheck]) -> Suite:
        return Suite(self.course, self.catalog[name], self.catalog, tuple(checks))


def collected(course: Course, exercises: Iterable[Exercise] = ()) -> Suites:
    """The suites of a course, those of ``exercises`` already collected."""
    suites = Suites(course)
    suites.collect(exercises)
    if not gc.get_freeze_count():  # what is loaded by now stays: to go through torch again and
        gc.freeze()  # again for what could be collected takes a fifth of a process's time
    return suites


def collected_check(item: pytest.Function, exercise: Exercise | None = None) -> CollectedCheck:
    """The record of a check that pytest found; what the course says of its points, and what these
    are for, is in its ``exercise``.

    Raises ``SuiteError`` for one that cannot be run.
    """
    sentence = inspect.getdoc(item.function)
    if not sentence:
        raise SuiteError(
            f"{item.nodeid} has no docstring: a check must say its rule. Write the sentence that a "
            "student reads."
        )
    parameters = dict(item.callspec.params) if hasattr(item, "callspec") else {}
    asked = inspect.signature(item.function).parameters.keys()
    unknown = asked - parameters.keys() - FIXTURES.keys()
    if unknown:
        name = sorted(unknown)[0]
        near = did_you_mean(name, FIXTURES) or f" There are {', '.join(FIXTURES)}."
        raise SuiteError(f"{item.nodeid} asks for the unknown fixture {name!r}.{near}")
    worth = dict(exercise.points) if exercise else {}
    points, timeout, kept, once, core = map(
        item.get_closest_marker, ("points", "timeout", "kept", "asked_once", "core")
    )
    return CollectedCheck(
        Check(
            exercise=item.path.parent.name,
            name=item.name,
            sentence=" ".join(sentence.split()),
            max_points=worth.get(item.originalname, float(points.args[0]) if points else 1.0),
            public=item.get_closest_marker("public") is not None,
            core=core is not None,
            step=str(core.args[0]) if core and core.args else "",
            idea=idea_of(exercise, item.name) if exercise else "",
        ),
        item.function,
        parameters,
        seconds=float(timeout.args[0]) if timeout else DEFAULT_SECONDS,
        per_student=item.get_closest_marker("per_student") is not None,
        kept=str(kept.args[0]) if kept else "",
        without=frozenset(once.args[1:] or WAYS) if once else frozenset(),
    )


class _Collector:
    """The plugin that takes what pytest has found, and what it could not read."""

    def __init__(self) -> None:
        self.items: list[pytest.Function] = []
        self.problems: list[str] = []
        self.ended: BaseException | None = None

    @pytest.hookimpl
    def pytest_configure(self, config: pytest.Config) -> None:
        for mark in MARKS:
            config.addinivalue_line("markers", mark)

    @pytest.hookimpl
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        self.items += [item for item in items if isinstance(item, pytest.Function)]

    @pytest.hookimpl
    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.problems.append(f"{report.nodeid}: {report.longreprtext.strip()}")

    def pytest_internalerror(self, excinfo: pytest.ExceptionInfo[BaseException]) -> bool:
        """Somebody ends the program while it collects: pytest would print its own traceback."""
        self.ended = excinfo.value
        return isinstance(self.ended, (SystemExit, KeyboardInterrupt))


def _items(course: Course, names: Sequence[str]) -> list[pytest.Function]:
    """Of each course in line its own, for pytest is told where the suites of one lie."""
    homes = {name: course.home(name) for name in names}
    return [
        item
        for home in dict.fromkeys(homes.values())
        for item in _items_at(home, [name for name in names if homes[name] == home])
    ]


def _items_at(course: Course, names: Sequence[str]) -> list[pytest.Function]:
    paths = [str(suite_path(course, name)) for name in names]
    # pytest lists every folder from here down; one further up may not be ours to read
    options = [f"--rootdir={course.suites}", f"--confcutdir={course.suites}", f"-c{os.devnull}"]
    without = [option for name in _NOT_NEEDED for option in ("-p", f"no:{name}")]
    collector = _Collector()
    with _one_at_a_time, _only_what_is_needed(), undisturbed():
        for name in names:  # what an earlier collection of this process imported may be out of date
            sys.modules.pop(f"{name}.test_{name}", None)
        status = pytest.main([*_OPTIONS, *without, *options, *paths], plugins=[collector])
    if isinstance(collector.ended, (SystemExit, KeyboardInterrupt)):
        raise collector.ended
    if status not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        said = "; ".join(collector.problems) or repr(status)
        raise SuiteError(f"the suites could not be collected: {said}")
    return collector.items


_one_at_a_time = threading.Lock()  # of the threads: two would share what pytest is importing


@contextmanager
def _only_what_is_needed() -> Iterator[None]:
    """No plugins from elsewhere and no options of the caller's; both are put back."""
    names = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": ""}
    before = {name: os.environ.get(name) for name in names}
    os.environ.update(names)
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name, None) if value is None else os.environ.update({name: value})


@contextmanager
def undisturbed() -> Iterator[None]:
    """One thread, a random state of its own, and a program's warnings are no errors, whatever the
    caller has set; his settings are put back.
    """
    threads, state = torch.get_num_threads(), torch.get_rng_state()
    torch.set_num_threads(1)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        torch.set_num_threads(threads)
        torch.set_rng_state(state)
