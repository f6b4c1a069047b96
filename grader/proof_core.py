"""Is the core of an exercise told apart from what makes it robust, and can it be told wrong?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from grader.course.fault import (
    Fault,
    harmless,
    step_nowhere,
    step_without_check,
    unknown_step,
    without_core,
)
from grader.course.release import untouched
from grader.course.steps import NUMBERED
from grader.examiner.suite import Suite
from grader.model import Verdict
from grader.report.parts import is_right


def core_faults(suite: Suite, by_misconception: Sequence[Sequence[Verdict]]) -> list[Fault]:
    """Every exercise has a core, every step of it a check, and every check of it a misconception
    that fails it when it is asked first.
    """
    core = [collected.check for collected in suite.checks if collected.check.core]
    if not core:
        return [without_core()]
    wrong = {v.check.name for found in by_misconception for v in found if not is_right(v)}
    found = [harmless(check.name) for check in core if check.name not in wrong]
    return [*found, *_of_steps(suite, {check.step for check in core})]


def _of_steps(suite: Suite, named: set[str]) -> Iterator[Fault]:
    """The catalog and the suite speak of the same steps, and the stub says where each is."""
    steps = suite.exercise.steps or ("",)
    yield from (step_without_check(step) for step in steps if step not in named)
    yield from (unknown_step(step) for step in sorted(named - set(steps)))
    stub = untouched(suite.course, suite.exercise.name)
    for number, step in enumerate(suite.exercise.steps, start=1):
        if NUMBERED.format(number=number, total=len(steps)) not in stub:
            yield step_nowhere(step)
