"""Running suites: pytest is started once, in this process, and only with what it needs."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import pytest
import torch

from grader.course.house import House
from grader.course.suite_text import suite_path
from grader.errors import SuiteError
from grader.examiner.plugin import DEFAULT_SECONDS, Examiner, Turn
from grader.model import Exercise

Work = Callable[[], Iterator[Turn]]

_OPTIONS = (
    "-p", "pytest_timeout", "--capture=no", "--assert=plain", "--import-mode=importlib",
    "--noconftest",
)  # fmt: skip
_NOT_NEEDED = (
    "cacheprovider", "terminal", "logging", "faulthandler", "doctest", "junitxml", "warnings",
    "unraisableexception", "threadexception",
)  # fmt: skip


def examine(
    house: House,
    exercises: Sequence[Exercise],
    seed: int,
    work: Work,
    *,
    devices: Sequence[str] = ("cpu",),
    diagnosed: bool = True,
    advised: bool = True,
) -> None:
    """Collect the suites of ``exercises`` and take every turn that ``work`` yields.

    Every check runs once per device. The verdicts of an exercise are handed over together. With
    ``diagnosed``, failed checks are compared with the misconceptions; if ``advised``, passed ones
    are tried as if on a GPU. Raises ``SuiteError`` when the suites cannot be collected, and
    whatever ``work`` or the receiver of a verdict raises.
    """
    examiner = Examiner(
        house, exercises, seed, work, devices=devices, diagnosed=diagnosed, advised=advised
    )
    paths = [str(suite_path(house, exercise.name)) for exercise in exercises]
    options = [f"--rootdir={house.suites}", f"-c{os.devnull}", "-o", f"timeout={DEFAULT_SECONDS}"]
    without = [option for name in _NOT_NEEDED for option in ("-p", f"no:{name}")]
    for exercise in exercises:  # what an earlier run of this process collected may be out of date
        sys.modules.pop(f"{exercise.name}.test_{exercise.name}", None)
    with _own_settings():
        status = pytest.main([*_OPTIONS, *without, *options, *paths], plugins=[examiner])
    if examiner.failure is not None:
        raise examiner.failure
    if status != pytest.ExitCode.OK:
        raise SuiteError(f"the suites could not be collected (pytest: {status!r})")


@contextmanager
def _own_settings() -> Iterator[None]:
    """One thread, no plugins from elsewhere, and a program's warnings are no errors, whatever the
    caller has set; his settings are put back.
    """
    names = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": ""}
    before = {name: os.environ.get(name) for name in names}
    threads, state = torch.get_num_threads(), torch.get_rng_state()
    os.environ.update(names)
    torch.set_num_threads(1)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        torch.set_num_threads(threads)
        torch.set_rng_state(state)
        for name, value in before.items():
            os.environ.pop(name, None) if value is None else os.environ.update({name: value})
