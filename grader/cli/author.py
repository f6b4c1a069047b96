"""What authors do: generate the stubs and prove the house."""

from __future__ import annotations

from collections.abc import Sequence

from grader.cli import screen
from grader.course.catalog import load_catalog, select
from grader.course.house import find_house
from grader.course.release import stale_files, write_stubs
from grader.proof import prove_exercise, prove_house


def stubs(check: bool) -> int:
    """Write the stubs, or with ``check`` only say which are not as generated."""
    house = find_house()
    changed = stale_files(house) if check else write_stubs(house)
    for path in changed:
        screen.say(f"{'differs' if check else 'written'}: {path.relative_to(house.root)}")
    if not changed:
        screen.say("The stubs are as generated from the solutions.")
    return 1 if check and changed else 0


def check(names: Sequence[str]) -> int:
    """Run the proofs; returns 1 if any finds something."""
    house = find_house()
    findings = prove_house(house)
    for exercise in select(load_catalog(house), names):
        found = prove_exercise(house, exercise)
        screen.say(f"{'✗' if found else '✓'} {exercise.name}")
        findings += found
    for finding in findings:
        screen.say(f"  {finding}")
    return 1 if findings else 0
