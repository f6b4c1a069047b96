"""Is the idea of an exercise there? Only what decides that is asked, and asking ends at a no."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from grader.examiner.finding import find
from grader.examiner.suite import Suite
from grader.model import Verdict
from grader.programs.program import Program
from grader.report.parts import is_right

_CPU = "cpu"


def has_the_core_alone(suite: Suite, program: Program, seed: int) -> bool:
    """Whether all core checks are right, those that are asked again with other values as well;
    where none is marked as core, whether all checks are.

    What else is asked again (other dtypes) decides nothing here, nor does any other check.
    """
    core = [one.check.name for one in suite.checks if one.check.core]
    only = core or [one.check.name for one in suite.checks]
    found = find(_without_dtypes(suite, only), program, seed, [_CPU], only, _is_lost)
    return len(found) == len(only) and not _is_lost([one.verdict for one in found])


def _is_lost(found: Sequence[Verdict]) -> bool:
    return not all(map(is_right, found))


def _without_dtypes(suite: Suite, only: Sequence[str]) -> Suite:
    """As far as its last check that is of ``only``: what is asked again in one check depends on
    those before it, and on no other. Without dtypes only where not all is asked.
    """
    last = max(number for number, one in enumerate(suite.checks) if one.check.name in only)
    if len(only) == len(suite.checks):
        return suite
    exercise = replace(suite.exercise, dtypes=())
    return replace(
        suite, exercise=exercise, checks=suite.checks[: last + 1], repeated={}, _shared={}
    )
