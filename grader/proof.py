"""The proofs: is the house in order, and is every suite a fair judge?

Each function returns findings, one sentence each, with what to do about it; none means proved. The
same proofs serve ``grader dev check`` and the project's own tests.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

from grader.course.catalog import listed, load_catalog
from grader.course.course import Course
from grader.course.fault import (
    Fault,
    earned_by_the_stub,
    missing_file,
    not_caught,
    stale_file,
    stray,
    unclaimed,
    unnamed,
    unneeded,
)
from grader.course.policy import policy_of, policy_on
from grader.course.release import stale_files, untouched
from grader.examiner.collection import collected
from grader.examiner.examination import examine
from grader.examiner.finding import Finding, find
from grader.examiner.suite import Suite
from grader.examiner.telling import diagnose
from grader.model import Exercise, Outcome, Verdict
from grader.programs.again import WAYS
from grader.programs.bank import Entry, load_bank
from grader.programs.page import Page
from grader.programs.program import Names, StandIn
from grader.proof_core import core_faults
from grader.proof_ideas import idea_faults, points_of_ideas
from grader.report.feedback import words_of
from grader.report.words import told
from grader.sandbox.forbidden import forbidden

SEED = 20_170_612
Programs = Mapping[str, Names]


def prove_house(course: Course) -> list[Fault]:
    """Mirror: every exercise has its four files, generated ones are fresh, nothing strays; and of
    torch a page forbids and welcomes what the catalog does.
    """
    if missing := prove_whole(course):  # what is generated is made of these
        return missing
    catalog = load_catalog(course)
    findings = [stale_file(course.shown(path)) for path in stale_files(course)]
    findings += _unsaid(course, catalog)
    folders = {path.parent.name for path in course.suites.glob("*/test_*.py")}
    pages = {path.stem for path in course.solutions.glob("*.py")}
    return findings + [stray(name) for name in sorted((folders | pages) - set(catalog))]


def prove_whole(course: Course) -> list[Fault]:
    """What must be written by hand is there."""
    places = (course.solution, course.suite, course.misconceptions)
    paths = [place(name) for name in listed(course) for place in places]
    return [missing_file(course.shown(path)) for path in paths if not path.exists()]


def asked_again(course: Course, exercise: Exercise) -> dict[str, list[str]]:
    """In which ways the harness asks each function and class of an exercise again, in order."""
    suite = collected(course, [exercise]).of(exercise)
    examine_programs(suite, {"reference": suite.reference}, diagnosed=False)
    ways = suite.asked_again()
    return {name: [way for way in WAYS if way in found] for name, found in ways.items()}


def marking_scheme(course: Course, exercise: Exercise) -> dict[str, float]:
    """How many points each idea of an exercise has."""
    return points_of_ideas(collected(course, [exercise]).of(exercise))


@dataclass(frozen=True)
class Judged:
    """What an exercise's checks say of the stub, the reference, and every entry of its bank, or of
    one in so many: then it is not ``whole``.
    """

    suite: Suite
    bank: Sequence[Entry]
    verdicts: Mapping[str, Sequence[Verdict]]
    whole: bool


def judged(
    course: Course, exercise: Exercise, seed: int = SEED, device: str = "cpu", share: int = 1
) -> Judged:
    """Examine them; of the misconceptions one in ``share``."""
    suite = collected(course, [exercise]).of(exercise)
    page = course.solution(exercise.name)
    bank = load_bank(course.misconceptions(exercise.name), page)[::share]
    stub = _stub(course, exercise.name)
    verdicts = examine_programs(
        suite, {"stub": stub, "reference": suite.reference}, seed, device=device
    )
    found = {e.name: _shown(suite, e, seed, device, again=not e.sentence) for e in bank}
    verdicts |= {name: diagnose(suite, shown) for name, shown in found.items()}
    # What asking once does not show or name: all of these first, for they may be like one another.
    unsure = [e for e in bank if e.sentence and _uncaught(e, verdicts[e.name])]
    found = {e.name: _shown(suite, e, seed, device, again=True) for e in unsure}
    verdicts |= {name: diagnose(suite, shown) for name, shown in found.items()}
    return Judged(suite, bank, verdicts, share == 1)


def prove_exercise(
    course: Course, exercise: Exercise, seed: int = SEED, device: str = "cpu", share: int = 1
) -> list[Fault]:
    """The reference earns everything, the stub nothing; every misconception is caught by the
    checks that claim it and named to its author; every check is needed, and the core told apart.

    Of the misconceptions one in ``share`` is tried; which checks are needed, only all of them show.
    """
    return faults_in(judged(course, exercise, seed, device, share))


def faults_in(judged: Judged) -> list[Fault]:
    """What ``prove_exercise`` says of it."""
    verdicts = judged.verdicts
    findings = _rejections("the reference", verdicts["reference"])
    findings += [earned_by_the_stub(v.check.name) for v in verdicts["stub"] if v.points]
    for entry in judged.bank:
        right = _rejections(f"the variant {entry.name} in the bank", verdicts[entry.name])
        findings += _uncaught(entry, verdicts[entry.name]) if entry.sentence else right
    findings += idea_faults(judged.suite)
    if judged.whole:
        by_misconception = [verdicts[entry.name] for entry in judged.bank]
        findings += _unneeded(judged.suite, by_misconception)
        findings += core_faults(judged.suite, by_misconception)
    return [finding.of(judged.suite.exercise.name) for finding in findings]


def prove_variants(
    course: Course,
    exercise: Exercise,
    path: Path,
    seed: int = SEED,
    device: str = "cpu",
    share: int = 1,
) -> list[Fault]:
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
    who = {name: f"variant {name} in {path.parent.name}/{path.name}" for name in programs}
    who["reference"] = "the reference, without what it forbids,"
    findings = [f for name, found in verdicts.items() for f in _rejections(who[name], found)]
    given = [(name, v) for name, found in verdicts.items() for v in found if v.advice]
    return findings + [_advised(name, v) for name, v in given]


def prove_seed(course: Course, exercise: Exercise, path: Path, seed: int) -> list[Fault]:
    """Whatever inputs are drawn: reference and variants pass, misconceptions fail where claimed.

    Each variant and misconception is tried with every eighth seed.
    """
    suite = collected(course, [exercise]).of(exercise)
    variants = load_bank(path, course.solution(exercise.name))[seed % 8 :: 8]
    right = {f"variant {e.name}": e.applied_to(suite.reference) for e in variants}
    right["the reference"] = suite.reference
    misconceptions = suite.misconceptions[(seed - 1) % 8 :: 8]
    wrong = {e.name: partial(e.applied_to, suite.reference) for e in misconceptions}
    claimed = {e.name: e.caught_by for e in misconceptions}
    passing = examine_programs(suite, right, seed, diagnosed=False)
    failing = examine_programs(suite, wrong, seed, diagnosed=False, only=claimed)
    findings = [f for who, found in passing.items() for f in _rejections(who, found)]
    return findings + [
        not_caught(name, v.check.name)
        for name in failing
        for v in failing[name]
        if v.outcome is Outcome.PASSED
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
                StandIn(names),
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


def _unsaid(course: Course, catalog: Mapping[str, Exercise]) -> list[Fault]:
    pages = {name: course.solution(name) for name in catalog}
    return [
        Fault(
            f"{course.shown(page)} says {said} of torch at its top, the catalog {policy}",
            "Write what the catalog says into the docstring at the top of the page, word for word; "
            "or change `forbids` and `welcomes` in the catalog.",
        )
        for name, page in pages.items()
        if (said := policy_on(page)) != (policy := policy_of(catalog[name]))
    ]


def _stub(course: Course, name: str) -> dict[str, Any]:
    """As it would be generated now: what an older file earns is no fault of the suite's."""
    return Page(course.stub(name)).program(untouched(course, name))


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
    program = StandIn(partial(entry.applied_to, suite.reference))
    with _quiet():
        return find(suite, program, seed, [device], only, entry=entry, again=again)


def _rejections(who: str, verdicts: Sequence[Verdict]) -> list[Fault]:
    wrong = [v for v in verdicts if v.outcome not in (Outcome.PASSED, Outcome.SKIPPED)]
    return [
        _no_verdict(who, v)
        if v.outcome is Outcome.INTERNAL
        else Fault(
            f"{who} fails {v.check.name}: {_why(v)}",
            "If it is right, the check asks for more than its page does: let it ask for less, or "
            "say it on the page. If it is not, mend it, or make a misconception of it.",
        )
        for v in wrong
    ]


def _no_verdict(who: str, verdict: Verdict) -> Fault:
    """What a student is told of this, that it is not their fault, helps no author."""
    return Fault(
        f"{who} gets no verdict in {verdict.check.name}: {words_of(verdict).actual}",
        "Something of the check itself failed on it: does it ask for what the page has, as the "
        "page has it? `pytest` on the suite shows where.",
    )


def _why(verdict: Verdict) -> str:
    words = words_of(verdict)
    compared = f" Expected {words.expected}, got {words.actual}." if words.actual else ""
    return f"{words.rationale}{compared}"


def _advised(name: str, verdict: Verdict) -> Fault:
    advice = told(verdict.advice).rationale if verdict.advice else ""
    return Fault(
        f"variant {name} is advised: {advice}",
        "Students who write it so are told that it would fail on a GPU. If it would, let the "
        "variant make its tensors where its arguments are; if not, the check's inputs mislead.",
    )


def _uncaught(entry: Entry, verdicts: Sequence[Verdict]) -> list[Fault]:
    failed = _failed(verdicts)
    findings = [not_caught(entry.name, name) for name in entry.caught_by if name not in failed]
    if not entry.caught_by:
        findings.append(unclaimed(entry.name))
    if failed and entry.name not in {v.misconception for v in verdicts}:
        findings.append(unnamed(entry.name))
    return findings + [
        _no_verdict(entry.name, v) for v in verdicts if v.outcome is Outcome.INTERNAL
    ]


def _failed(verdicts: Sequence[Verdict]) -> set[str]:
    """The checks that caught something; one that could not be made here has caught nothing."""
    return {v.check.name for v in verdicts if v.outcome not in (Outcome.PASSED, Outcome.SKIPPED)}


def _unneeded(suite: Suite, by_misconception: Sequence[Sequence[Verdict]]) -> list[Fault]:
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
        unneeded(collected.check.name)
        for collected in suite.checks
        if collected.check.name not in needed and not collected.kept
    ]
