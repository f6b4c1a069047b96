"""What authors do: generate the stubs and prove the course."""

from __future__ import annotations

from collections.abc import Sequence

from grader.cli import screen
from grader.course.catalog import load_catalog, select
from grader.course.course import find_course
from grader.course.release import stale_files, write_stubs
from grader.proof import prove_exercise, prove_house


def stubs(check: bool) -> int:
    """Write the stubs, or with ``check`` only say which are not as generated."""
    course = find_course()
    changed = stale_files(course) if check else write_stubs(course)
    for path in changed:
        screen.say(f"{'differs' if check else 'written'}: {path.relative_to(course.root)}")
    if not changed:
        screen.say("The stubs are as generated from the solutions.")
    return 1 if check and changed else 0


def check(names: Sequence[str]) -> int:
    """Run the proofs; returns 1 if any finds something."""
    course = find_course()
    findings = prove_house(course)
    for exercise in select(load_catalog(course), names):
        found = prove_exercise(course, exercise)
        screen.say(f"{'✗' if found else '✓'} {exercise.name}")
        findings += found
    for finding in findings:
        screen.say(f"  {finding}")
    return 1 if findings else 0
