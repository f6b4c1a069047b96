"""What authors do: begin, generate the stubs and prove the course."""

from __future__ import annotations

import contextlib
import os
import shlex
from collections.abc import Callable, Sequence
from functools import cache
from itertools import groupby
from pathlib import Path

from grader.cli import screen
from grader.course import scaffold
from grader.course.catalog import load_catalog, select
from grader.course.course import Course, find_course
from grader.course.fault import Fault, unreadable
from grader.course.release import stale_files, write_stubs
from grader.course.rests import unsaid
from grader.errors import SuiteError
from grader.examiner.slip_trial import Trials
from grader.model import Exercise
from grader.pictures import prove_scene
from grader.programs.examples import prove_examples
from grader.programs.predictions import prove_predictions
from grader.proof import (
    Judged,
    asked_again,
    faults_in,
    judged,
    marking_scheme,
    prove_house,
    prove_variants,
    prove_whole,
)
from grader.proof_costs import cost_faults, costs_among
from grader.proof_costs import costs as costs_in
from grader.proof_costs import said as said_of
from grader.proof_slips import survivor, try_slips


def new_course(folder: Path, extends: str) -> None:
    """Make a course, and say how it goes on."""
    if Path(extends).is_dir() and extends:
        extends = os.path.relpath(Path(extends).resolve(), folder.resolve())
    course = scaffold.new_course(folder, extends)
    screen.say(f"A course of one exercise lies in {folder} now; README.md says what is where.")
    _say_next(course, f"cd {shlex.quote(str(folder))}", scaffold.FIRST)


def new_exercise(name: str) -> None:
    """Add an exercise to the course, and say what its author writes where."""
    course = find_course()
    paths = scaffold.new_exercise(course, name)
    screen.say(f"{name} is an exercise of {course.about.shown or course.root} now, a small one:")
    for path, what in zip(paths, _TO_WRITE, strict=True):
        screen.say(f"  {course.shown(path)}: {what}")
    _say_next(course, "", name)


_TO_WRITE = (
    "the page; what stands between the markers is the solution, and cut out of the stub",
    "the hidden checks",
    "wrong answers that you expect, each with what a good teacher would say",
    "right answers in other styles, which must pass",
    "title, source and hints, at its end",
)


def _say_next(course: Course, first: str, name: str) -> None:
    screen.say("Next:")
    for command, what in (
        (first, ""),
        (f"grader dev check {name}", "it holds already"),
        ("grader dev stubs", "after every change of a solution or the catalog"),
        ("grader grade tests/submissions", "a perfect and an untouched sample, graded"),
    ):
        if command:
            screen.code(f"  {command:<40} {f'# {what}' if what else ''}".rstrip())


def stubs(check: bool) -> int:
    """Write the stubs, or with ``check`` only say which are not as generated."""
    course = find_course()
    changed = stale_files(course) if check else write_stubs(course)
    for path in changed:
        done = "differs" if check else "written" if path.exists() else "removed"
        screen.say(f"{done}: {course.shown(path)}")
    if not changed:
        screen.say("The stubs are as generated from the solutions.")
    return 1 if check and changed else 0


def check(names: Sequence[str]) -> int:
    """Run the proofs; returns 1 if any finds something."""
    course = find_course()
    if missing := prove_whole(course):
        return _told(missing)
    findings, catalog = _found_by(lambda: prove_house(course)), load_catalog(course)
    if not all(course.stub(name).exists() for name in catalog):  # a proof is that they earn nothing
        return _told(findings)
    for exercise in select(catalog, names):
        if course.home(exercise.name) != course and exercise.name not in names:
            continue  # it is proved where it comes from
        findings += _proved(course, exercise)
    return _told(list(dict.fromkeys(findings)))


def _proved(course: Course, exercise: Exercise) -> list[Fault]:
    """What is found in an exercise, said by a sign, and in which ways the harness asks again."""
    judge = cache(lambda: judged(course, exercise))
    found = _faults(course, exercise, judge)
    screen.say(f"{'✗' if found else '✓'} {exercise.name}")
    with contextlib.suppress(SuiteError):  # which is among what was found
        for words, points in marking_scheme(course, exercise).items():
            screen.say(f"    {points:g} for {words}")
        if costs := costs_among(judge()):
            screen.say(f"    {said_of(costs)}")
        for name, ways in asked_again(course, exercise).items():
            screen.say(f"    {name} is asked again: {', '.join(ways) or 'never'}")
    return found


def _faults(course: Course, exercise: Exercise, judge: Callable[[], Judged]) -> list[Fault]:
    """What is found on its page, in its suite, its bank, its right answers, its picture and its
    predictions; once, where several proofs find that something cannot be read. ``judge`` examines
    the bank.
    """
    variants = course.variants(exercise.name)
    proofs: list[Callable[[], list[Fault]]] = [
        lambda: prove_examples(course, exercise.name),
        lambda: faults_in(judge()) + cost_faults(judge()),
        lambda: prove_variants(course, exercise, variants) if variants.exists() else [],
        lambda: unsaid(course, exercise.name),
        lambda: prove_scene(course, exercise),
        lambda: prove_predictions(course, exercise.name),
    ]
    return list(dict.fromkeys(fault for proof in proofs for fault in _found_by(proof)))


def _found_by(proof: Callable[[], list[Fault]]) -> list[Fault]:
    try:
        return proof()
    except SuiteError as error:
        return [unreadable(str(error))]


def _told(findings: Sequence[Fault]) -> int:
    for to_do, alike in groupby(findings, key=lambda finding: finding.to_do):
        for finding in alike:
            screen.say(f"✗ {finding}")
        screen.note(f"    {to_do}")
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


def costs(names: Sequence[str]) -> int:
    """What known mistakes cost, exercise by exercise; those that cost too much or too little are
    named, and of an exercise that was asked for, all. Returns 1 if there are any.
    """
    course, unfair = find_course(), 0
    for exercise in select(load_catalog(course), names):
        found = costs_in(course, exercise)
        odd = [cost for cost in found if not cost.is_fair]
        unfair += len(odd)
        screen.say(f"{'✗' if odd else '✓'} {exercise.name}: {said_of(found)}")
        shown = found if exercise.name in names else odd
        rows = [[f"{c.strict:.0%}", f"{c.followed:.0%}", c.name] for c in shown]
        if rows:
            screen.table(["strictly", "follow-through", "misconception"], rows)
    return 1 if unfair else 0
