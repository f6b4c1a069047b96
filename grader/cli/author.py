"""What authors do: generate the stubs and prove the course."""

from __future__ import annotations

from collections.abc import Sequence

from grader.cli import screen
from grader.course.catalog import load_catalog, select
from grader.course.course import find_course
from grader.course.release import stale_files, write_stubs
from grader.course.rests import unsaid
from grader.examiner.slip_trial import Trials
from grader.proof import asked_again, prove_exercise, prove_house
from grader.proof_slips import survivor, try_slips


def stubs(check: bool) -> int:
    """Write the stubs, or with ``check`` only say which are not as generated."""
    course = find_course()
    changed = stale_files(course) if check else write_stubs(course)
    for path in changed:
        screen.say(f"{'differs' if check else 'written'}: {course.shown(path)}")
    if not changed:
        screen.say("The stubs are as generated from the solutions.")
    return 1 if check and changed else 0


def check(names: Sequence[str]) -> int:
    """Run the proofs; returns 1 if any finds something."""
    course = find_course()
    findings = prove_house(course)
    for exercise in select(load_catalog(course), names):
        found = prove_exercise(course, exercise) + unsaid(course, exercise.name)
        screen.say(f"{'✗' if found else '✓'} {exercise.name}")
        for name, ways in asked_again(course, exercise).items():
            screen.say(f"    {name} is asked again: {', '.join(ways) or 'never'}")
        findings += found
    for finding in findings:
        screen.say(f"  {finding}")
    return 1 if findings else 0


def slips(names: Sequence[str], jobs: int, share: int) -> int:
    """Try automatic slips; survivors are printed as they go into ``equivalent.toml``. Returns 1 if
    one is unexplained, or a mark is no longer true.
    """
    course, wrong = find_course(), 0
    with Trials(course, jobs) as trials:
        for exercise in select(load_catalog(course), names):
            found = try_slips(course, exercise, trials, share)
            screen.say(
                f"{'✗' if found.findings else '✓'} {found.exercise}: {found.made} made, "
                f"{found.rejected} rejected, {found.equivalent} marked equivalent, "
                f"{len(found.unexplained)} unexplained"
            )
            for slip in found.unexplained:
                print(f"\n{survivor(course, found.exercise, slip)}")
            for fault in found.faults:
                screen.say(f"  {fault}")
            wrong += len(found.findings)
    return 1 if wrong else 0
