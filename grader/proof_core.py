"""Is the core of an exercise told apart from what makes it robust, and can it be told wrong?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from grader.course.fault import Fault
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
        return [_without_core()]
    wrong = {v.check.name for found in by_misconception for v in found if not is_right(v)}
    found = [_harmless(check.name) for check in core if check.name not in wrong]
    return [*found, *_of_steps(suite, {check.step for check in core})]


def _of_steps(suite: Suite, named: set[str]) -> Iterator[Fault]:
    """The catalog and the suite speak of the same steps, and the stub says where each is."""
    steps = suite.exercise.steps or ("",)
    yield from (_without_check(step) for step in steps if step not in named)
    yield from (_unknown(step) for step in sorted(named - set(steps)))
    stub = untouched(suite.course, suite.exercise.name)
    for number, step in enumerate(suite.exercise.steps, start=1):
        if NUMBERED.format(number=number, total=len(steps)) not in stub:
            yield _nowhere(step)


def _without_core() -> Fault:
    return Fault(
        "no check is marked as core",
        "Put @pytest.mark.core above the three to eight checks that ask for the idea and nothing "
        "else: a learner is led to these first.",
    )


def _harmless(check: str) -> Fault:
    return Fault(
        f"{check} is core, and no misconception fails it when it is asked first",
        "Add the misconception of somebody who lacks the idea; or take the mark off.",
    )


def _without_check(step: str) -> Fault:
    return Fault(
        f"the step {step!r} has no core check"
        if step
        else "core checks name steps, and there are none in the catalog",
        "Name it in the mark of a check, @pytest.mark.core(STEP), as `steps` in the catalog does; "
        "or let both speak of none.",
    )


def _unknown(step: str) -> Fault:
    return Fault(
        f"a core check is of the step {step!r}, which the catalog does not name"
        if step
        else "a core check names no step, and the catalog has some",
        "Write it in `steps` of the exercise in exercises/catalog.toml, where the order is; or "
        "correct the mark.",
    )


def _nowhere(step: str) -> Fault:
    return Fault(
        f"no TODO of the stub is of the step {step!r}",
        "Let it name a function, a class or a `Class.method` whose body is cut out.",
    )
