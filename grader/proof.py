"""The proofs: is the house in order, and is every suite a fair judge?

Each function returns findings, one sentence each; none means proved. The same proofs serve
``grader dev check`` and the project's own tests.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

from grader.course.catalog import listed, load_catalog
from grader.course.course import Course
from grader.course.policy import policy_of, policy_on
from grader.course.release import stale_files
from grader.examiner.collection import collected
from grader.examiner.examination import Finding, diagnose, examine, find
from grader.examiner.suite import Suite
from grader.model import Exercise, Outcome, Verdict
from grader.programs.again import WAYS
from grader.programs.bank import Entry, load_bank
from grader.programs.page import load_by_path
from grader.programs.program import LocalProgram, Names
from grader.sandbox.forbidden import forbidden

SEED = 20_170_612
Programs = Mapping[str, Names]


def prove_house(course: Course) -> list[str]:
    """Mirror: every exercise has its four files, generated ones are fresh, nothing strays; and of
    torch a page forbids and welcomes what the catalog does.
    """
    places = (course.solution, course.suite, course.misconceptions)
    paths = [place(name) for name in listed(course) for place in places]
    missing = [f"{course.shown(p)} is missing" for p in paths if not p.exists()]
    if missing:  # what is generated is made of these
        return missing
    catalog = load_catalog(course)
    findings = [f"{course.shown(p)} is not as generated" for p in stale_files(course)]
    findings += _unsaid(course, catalog)
    folders = {path.parent.name for path in course.suites.glob("*/test_*.py")}
    pages = {path.stem for path in course.solutions.glob("*.py")}
    findings += [
        f"{name} is not in the catalog" for name in sorted((folders | pages) - set(catalog))
    ]
    return findings


def asked_again(course: Course, exercise: Exercise) -> dict[str, list[str]]:
    """In which ways the harness asks each function and class of an exercise again, in order."""
    suite = collected(course, [exercise]).of(exercise)
    examine_programs(suite, {"reference": suite.reference}, diagnosed=False)
    ways = suite.asked_again()
    return {name: [way for way in WAYS if way in found] for name, found in ways.items()}


def prove_exercise(
    course: Course, exercise: Exercise, seed: int = SEED, device: str = "cpu", share: int = 1
) -> list[str]:
    """The reference earns everything, the stub nothing; every misconception is caught by the
    checks that claim it and named to its author; and every check is needed.

    Of the misconceptions one in ``share`` is tried; which checks are needed, only all of them show.
    """
    suite = collected(course, [exercise]).of(exercise)
    page = course.solution(exercise.name)
    bank = load_bank(course.misconceptions(exercise.name), page)[::share]
    stub = names_of(load_by_path(course.stub(exercise.name)))
    verdicts = examine_programs(
        suite, {"stub": stub, "reference": suite.reference}, seed, device=device
    )
    found = {e.name: _shown(suite, e, seed, device, again=not e.sentence) for e in bank}
    verdicts |= {name: diagnose(suite, shown) for name, shown in found.items()}
    # What asking once does not show or name: all of these first, for they may be like one another.
    unsure = [e for e in bank if e.sentence and _uncaught(e, verdicts[e.name])]
    found = {e.name: _shown(suite, e, seed, device, again=True) for e in unsure}
    verdicts |= {name: diagnose(suite, shown) for name, shown in found.items()}
    findings = _rejections("the reference", verdicts["reference"])
    findings += [f"the stub earns {v.check.name}" for v in verdicts["stub"] if v.points]
    for entry in bank:
        right = _rejections(f"the variant {entry.name} in the bank", verdicts[entry.name])
        findings += _uncaught(entry, verdicts[entry.name]) if entry.sentence else right
    findings += _unneeded(suite, [verdicts[e.name] for e in bank]) if share == 1 else []
    return [f"{exercise.name}: {finding}" for finding in findings]


def prove_variants(
    course: Course,
    exercise: Exercise,
    path: Path,
    seed: int = SEED,
    device: str = "cpu",
    share: int = 1,
) -> list[str]:
    """Every right variant in the bank at ``path`` earns every point, and so does the reference,
    without what the exercise forbids; on the CPU none is told that it would fail elsewhere.

    Of the variants one in ``share`` is tried.
    """
    suite = collected(course, [exercise]).of(exercise)
    bank = load_bank(path, course.solution(exercise.name))[::share]
    programs = {entry.name: entry.applied_to(suite.reference) for entry in bank}
    programs["reference"] = suite.reference
    advised = device == "cpu"
    with forbidden(exercise.forbids):
        verdicts = examine_programs(suite, programs, seed, advised=advised, device=device)
    findings = [
        f for name, found in verdicts.items() for f in _rejections(f"variant {name}", found)
    ]
    given = [(name, v) for name, found in verdicts.items() for v in found if v.advice]
    return findings + [f"variant {name} is advised: {v.advice}" for name, v in given]


def prove_seed(course: Course, exercise: Exercise, path: Path, seed: int) -> list[str]:
    """Whatever inputs are drawn: reference and variants pass, misconceptions fail where claimed.

    Each is tried with every fourth seed.
    """
    suite = collected(course, [exercise]).of(exercise)
    variants = load_bank(path, course.solution(exercise.name))[seed % 4 :: 4]
    right = {f"variant {e.name}": e.applied_to(suite.reference) for e in variants}
    right["the reference"] = suite.reference
    misconceptions = suite.misconceptions[(seed - 1) % 4 :: 4]
    wrong = {e.name: partial(e.applied_to, suite.reference) for e in misconceptions}
    claimed = {e.name: e.caught_by for e in misconceptions}
    passing = examine_programs(suite, right, seed, diagnosed=False)
    failing = examine_programs(suite, wrong, seed, diagnosed=False, only=claimed)
    findings = [f for who, found in passing.items() for f in _rejections(who, found)]
    return findings + [
        f"{name} is not caught by {v.check.name}"
        for name in failing
        for v in failing[name]
        if v.points
    ]


def examine_programs(
    suite: Suite,
    programs: Programs,
    seed: int = SEED,
    *,
    diagnosed: bool = True,
    advised: bool = False,
    only: Mapping[str, Collection[str]] | None = None,
    device: str = "cpu",
) -> dict[str, list[Verdict]]:
    """The verdicts on programs of ours, in this process; ``only`` limits the checks of some."""
    limited = only or {}
    with _quiet():
        return {
            name: examine(
                suite,
                LocalProgram(names),
                seed,
                devices=[device],
                only=limited.get(name),
                diagnosed=diagnosed,
                advised=advised,
            )
            for name, names in programs.items()
        }


def _quiet() -> contextlib.redirect_stdout[io.StringIO]:
    """Programs of ours may print, as a learner's do."""
    return contextlib.redirect_stdout(io.StringIO())


def _unsaid(course: Course, catalog: Mapping[str, Exercise]) -> list[str]:
    pages = {name: course.solution(name) for name in catalog}
    return [
        f"{course.shown(page)} says {said} of torch at its top, the catalog {policy}"
        for name, page in pages.items()
        if (said := policy_on(page)) != (policy := policy_of(catalog[name]))
    ]


def names_of(module: ModuleType) -> dict[str, Any]:
    """A module's names, as a program."""
    return dict(vars(module))


def _shown(suite: Suite, entry: Entry, seed: int, device: str, *, again: bool) -> list[Finding]:
    """What the checks find in a misconception. Clocked ones, which take long and are evidence for
    nothing, are made where they are said to catch it.
    """
    only = [
        collected.check.name
        for collected in suite.checks
        if not collected.clocked or collected.check.name in entry.caught_by
    ]
    program = LocalProgram(partial(entry.applied_to, suite.reference))
    with _quiet():
        return find(suite, program, seed, [device], only, entry=entry, again=again)


def _rejections(who: str, verdicts: Sequence[Verdict]) -> list[str]:
    wrong = [v for v in verdicts if v.outcome not in (Outcome.PASSED, Outcome.SKIPPED)]
    return [f"{who} fails {v.check.name}: {v.cause}" for v in wrong]


def _uncaught(entry: Entry, verdicts: Sequence[Verdict]) -> list[str]:
    failed = _failed(verdicts)
    findings = [
        f"{entry.name} is not caught by {name}" for name in entry.caught_by if name not in failed
    ]
    if not entry.caught_by:
        findings.append(f"{entry.name} names no check that catches it")
    if failed and entry.name not in {v.misconception for v in verdicts}:
        findings.append(f"{entry.name} is caught but not named")
    findings += [
        f"{entry.name} gets no verdict in {v.check.name}: {v.cause}"
        for v in verdicts
        if v.outcome is Outcome.INTERNAL
    ]
    return findings


def _failed(verdicts: Sequence[Verdict]) -> set[str]:
    """The checks that caught something; one that could not be made here has caught nothing."""
    return {v.check.name for v in verdicts if v.outcome not in (Outcome.PASSED, Outcome.SKIPPED)}


def _unneeded(suite: Suite, by_misconception: Sequence[Sequence[Verdict]]) -> list[str]:
    """Checks without which every misconception would still be caught.

    That a clocked check failed as well says nothing: others' work may have disturbed it.
    """
    clocked = {collected.check.name for collected in suite.checks if collected.clocked}
    needed: set[str] = set()
    for verdicts in by_misconception:
        failed = _failed(verdicts)
        alone = failed - clocked or failed
        needed |= alone if len(alone) == 1 else set()
    return [
        f"{collected.check.name} catches nothing alone, and does not say why it is kept"
        for collected in suite.checks
        if collected.check.name not in needed and not collected.kept
    ]
