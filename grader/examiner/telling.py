"""What was found, told: as a known mistake, as the pattern in it, or with a hint."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Any

from grader.examiner.behind import refuted_behind
from grader.examiner.causes import handed_over, refused_there
from grader.examiner.collection import undisturbed
from grader.examiner.diagnosis import RestsOn, recognise
from grader.examiner.evidence import brief
from grader.examiner.finding import Finding
from grader.examiner.on_the_way import as_far_as_written, recognised_on_the_way
from grader.examiner.pattern import patterns
from grader.examiner.suite import Suite
from grader.examiner.two_at_once import two_at_once
from grader.model import Cause, Exercise, Fact, Outcome, Place, Verdict, function_of
from grader.programs.bank import Entry

# What is found of an answer that is of the right kind: then a hint on the idea may help. A check
# that says in its own words what is wrong needs none.
_OF_THE_IDEA = ("numbers", "nan", "value", "shape", "one_number", "not_finite")
_OF_AN_ANSWER = (*_OF_THE_IDEA, "kind", "keys", "dtype")
_NOTHING = "None"
_UNWRITTEN = "unwritten"  # which no slip raises
_MOST_OFTEN = 2  # what is often wrong, where no more can be
# What leads to the mistake better than what is often wrong, or speaks of something else.
_LEADS = {"asked_again", "also_changed", "used_and_wrong", "pattern", "near"}


def diagnose(
    suite: Suite,
    found: Sequence[Finding],
    unwritten: Collection[str] = (),
    calls: RestsOn | None = None,
) -> list[Verdict]:
    """What failed is compared with the misconceptions when the whole exercise is known, but for
    those of functions that are ``unwritten``; what none explains is told the pattern in it, or a
    hint of the very function. ``calls`` are the other functions that each one of the text speaks
    of; where there is no text, those of the solution.
    """
    if all(finding.shown is None for finding in found):
        return [finding.verdict for finding in found]
    left = {*unwritten, *(name.removesuffix(".__init__") for name in unwritten)}
    bank = [entry for entry in suite.misconceptions if entry.of not in left]
    return taught(suite, found, bank, calls)


def taught(
    suite: Suite, found: Sequence[Finding], bank: Sequence[Entry], calls: RestsOn | None = None
) -> list[Verdict]:
    """The same with another bank."""
    calls = suite.rests_on if calls is None else calls
    cases = [finding.case for finding in found if finding.case is not None]
    with undisturbed():
        near = recognise(cases, bank, suite.rests_on, calls)
        refuted = refuted_behind(cases, near)
        bank = [entry for entry in bank if entry.key not in refuted]
        whole = recognise(cases, bank, suite.rests_on, calls) if refuted else near
        named = _beside(found, whole)
        failed = [f.case is not None and f.case.evidence is not None for f in found]
        unsure = any(no and entry is None for no, entry in zip(failed, named, strict=True))
        written = not any(f.verdict.cause and f.verdict.cause.kind == _UNWRITTEN for f in found)
        known = any(named)
        both = two_at_once(cases, bank, calls, one_is_known=known) if unsure and written else None
        if both is None:
            named = _beside(found, recognised_on_the_way(suite, cases, bank, whole))
        else:
            named = [
                both.behind(f.case) if f.case and no else None
                for f, no in zip(found, failed, strict=True)
            ]
        found, named = _later(suite, found, named)
    found = [_of_the_caller(f, found) for f in found]
    unknown = [f for f, entry in zip(found, named, strict=True) if not entry and not _is_late(f)]
    lacking = _without_the_idea(found)
    told = iter(patterns([(f.case.of if f.case else "", f.verdict) for f in unknown]))
    return [
        _named(finding, entry, both or entry)
        if entry is not None
        else finding.verdict
        if _is_late(finding)
        else _guided(
            suite,
            found,
            finding,
            calls,
            _near(_unnamed(suite.exercise, finding, next(told), lacking), like),
        )
        for finding, entry, like in zip(found, named, _beside(found, near), strict=True)
    ]


def _later(
    suite: Suite, found: Sequence[Finding], named: Sequence[Entry | None]
) -> tuple[list[Finding], list[Entry | None]]:
    """What fails only because steps are not written yet says up to which one the page stands; what
    does not, that it is no matter of steps. A known mistake may be no more than a step not done,
    and is none where a step before that one raises that it is not written.
    """
    asked = [(f.case, entry) for f, entry in zip(found, named, strict=True) if f.case]
    cases, entries = [case for case, _ in asked], [entry for _, entry in asked]
    steps = iter(as_far_as_written(suite, cases, entries))
    written = [next(steps) if finding.case else None for finding in found]
    undone = _undone(found, named, written)
    named = [None if entry and entry.key in undone else entry for entry in named]
    return list(map(_up_to, found, named, written)), named


def _undone(
    found: Sequence[Finding], named: Sequence[Entry | None], written: Sequence[str | None]
) -> set[str]:
    """Those that are named for what is not done alone, behind a step that is not written."""
    steps = [f.case.step if f.case else 0 for f in found]
    causes = [f.verdict.cause for f in found]
    unwritten = [n for n, c in zip(steps, causes, strict=True) if n and c and c.kind == _UNWRITTEN]
    if not unwritten:
        return set()
    places = [
        (entry.key, bool(step) and (not n or n > min(unwritten)))
        for n, entry, step in zip(steps, named, written, strict=True)
        if entry
    ]
    return {key for key, _ in places} - {key for key, is_undone in places if not is_undone}


def _up_to(finding: Finding, entry: Entry | None, step: str | None) -> Finding:
    verdict = finding.verdict
    if step is None or verdict.cause is None or (entry and not step):
        return finding
    name = "not_done_after" if entry else "written_up_to"
    fact: dict[str, Fact] = {name: step} if step else {"of_no_step": True}
    told = replace(verdict.cause, facts={**verdict.cause.facts, **fact})
    return replace(finding, verdict=replace(verdict, cause=told))


def _is_late(finding: Finding) -> bool:
    cause = finding.verdict.cause
    return cause is not None and "written_up_to" in cause.facts


def _of_the_caller(finding: Finding, found: Sequence[Finding]) -> Finding:
    """What was raised in another function of the page, all of whose checks pass, is told as the
    doing of the line that called it; and so on, from the inside to the outside.
    """
    cause = finding.verdict.cause
    of = finding.case.of if finding.case else ""
    if cause is not None and cause.because is not None and cause.kind == "needs_unready":
        reason = cause.because  # told if the other module turns out to be right
        told = _within(reason, reason.because or reason, of, found)
        cause = replace(cause, because=told) if told else cause
    elif cause is not None:
        cause = _within(cause, cause, of, found) or cause
    return replace(finding, verdict=replace(finding.verdict, cause=cause))


def _within(cause: Cause, because: Cause, of: str, found: Sequence[Finding]) -> Cause | None:
    callers: Any = cause.facts.get("callers", ())
    blamed = list(takewhile(lambda c: c["callee"] != of and _is_right(c["callee"], found), callers))
    if not blamed:
        return None
    caller = blamed[-1]
    facts = {name: fact for name, fact in cause.facts.items() if name != "callers"}
    facts |= {"other": caller["callee"], "signature": caller["signature"], "held": caller["held"]}
    place = Place(caller["file"], caller["line"], caller["text"])
    kind = handed_over(because, "callers_within", caller["text"])
    return Cause(kind, facts, place, because=refused_there(because))


def _is_right(name: str, found: Sequence[Finding]) -> bool:
    """Whether all checks of a function, or of the step that it is, pass, and there are some."""
    own = [f.passed for f in found if f.case and name in (f.case.of, f.verdict.check.step)]
    return bool(own) and all(own)


def _beside(found: Sequence[Finding], of_cases: Iterable[Entry | None]) -> list[Entry | None]:
    """What is known of each case, beside the findings; of what was not run, nothing."""
    entries = iter(of_cases)
    return [next(entries) if finding.case else None for finding in found]


def _without_the_idea(found: Sequence[Finding]) -> frozenset[str]:
    """Those functions that fail in a check of the core, or are in none."""
    core = [f for f in found if f.verdict.check.core and f.case is not None]
    wrong = {f.case.of for f in core if f.case and not (f.case.passed or f.verdict.right_at_first)}
    return frozenset(
        {f.case.of for f in found if f.case} - {f.case.of for f in core if f.case} | wrong
    )


def _near(verdict: Verdict, like: Entry | None) -> Verdict:
    """With what is told of the mistake that it is ``like`` where it fails, and not behind that."""
    cause = verdict.cause
    if cause is None or like is None or verdict.outcome is not Outcome.FAILED:
        return verdict
    return replace(verdict, cause=replace(cause, facts={**cause.facts, "near": like.sentence}))


def _guided(
    suite: Suite,
    found: Sequence[Finding],
    finding: Finding,
    calls: RestsOn,
    verdict: Verdict,
) -> Verdict:
    """With what else may lead to a mistake that nobody knows."""
    return _often(suite, found, finding, _resting(found, finding, calls, verdict))


def _resting(
    found: Sequence[Finding], finding: Finding, calls: RestsOn, verdict: Verdict
) -> Verdict:
    """With the functions of the same page that it may call, or classes of which it was given
    objects, that are wrong in their core or give other numbers as soon as they are asked, or when
    they are asked with an option that was used here: these are to be mended first, those first
    that the others call. Who calls this very function may be wrong because of it. Of what was
    raised in a line, those that the line calls.
    """
    cause, of = verdict.cause, finding.case.of if finding.case else ""
    if cause is None or "asked_again" in cause.facts:
        return verdict
    speaks = cause.kind == "said" and not cause.facts.get("advice")
    line = cause.place.text if cause.place and cause.kind not in _OF_THE_IDEA else ""
    if not (speaks or line or cause.kind in _OF_THE_IDEA):
        return verdict
    at_once = [f for f in found if not f.verdict.right_at_first]
    options = _options(verdict)
    wrong = {
        f.case.of
        for f in at_once
        if (f.verdict.check.core or options & _options(f.verdict) or _is_of_numbers(f.verdict))
        and f.case
        and f.case.evidence is not None
    }
    beside = finding.case.beside if finding.case else frozenset[str]()
    below = wrong & (calls.get(of, frozenset()) | beside) - {of}
    below = {name for name in below if of not in calls.get(name, ())}
    below = {name for name in below if not line or re.search(rf"(?<![\w.]){name}\(", line)}
    lowest = {name for name in below if below.isdisjoint(calls.get(name, frozenset()) - {name})}
    if not below:
        return verdict
    told = replace(cause, facts={**cause.facts, "used_and_wrong": tuple(sorted(lowest or below))})
    return replace(verdict, cause=told, lesson="")  # a hint on this function would lead away


def _is_of_numbers(verdict: Verdict) -> bool:
    cause = verdict.cause
    return (
        cause is not None
        and cause.kind in ("numbers", "value")
        and "asked_again" not in cause.facts
    )


def _often(suite: Suite, found: Sequence[Finding], finding: Finding, verdict: Verdict) -> Verdict:
    """With the mistakes that fail this check alone, if these are few and nothing else of the very
    function is wrong. It gives other answers than they do: so it is said that they are frequent,
    and not that it is one of them.
    """
    cause, case = verdict.cause, finding.case
    if cause is None or case is None or cause.kind not in _OF_AN_ANSWER or verdict.lesson:
        return verdict
    if _LEADS & cause.facts.keys():
        return verdict
    mine = {f.verdict.check.name for f in found if f.case and f.case.of == case.of and not f.passed}
    here = [e for e in suite.misconceptions if function_of(e.of) == function_of(case.of)]
    said = dict.fromkeys(e.sentence for e in here if e.caught_by == (verdict.check.name,))
    if mine != {verdict.check.name} or not 0 < len(said) <= _MOST_OFTEN:
        return verdict
    return replace(verdict, cause=replace(cause, facts={**cause.facts, "often": tuple(said)}))


def _options(verdict: Verdict) -> frozenset[str]:
    """The names of the arguments that the call that went wrong was given by name."""
    call: Any = verdict.cause.facts.get("call") if verdict.cause else None
    return frozenset(call["kwargs"]) if call else frozenset()


def _named(finding: Finding, entry: Entry, made: Entry) -> Verdict:
    """With its sentence, and with the answer of the page ``made`` with it, and perhaps with one
    more, beside the submission's: so a mark is defended. What is as the page gave it has not begun.
    """
    verdict, case = finding.verdict, finding.case
    if verdict.cause is not None and entry.is_as_given:
        facts = {**verdict.cause.facts, "as_given": True}
        verdict = replace(verdict, cause=replace(verdict.cause, facts=facts))
    mine, its = (case.evidence, case.answer_of(made)) if case else (None, None)
    if verdict.cause is not None and mine is not None and its is not None:
        answers = {"submission": brief(mine.actual), "misconception": brief(its.actual)}
        facts = {**verdict.cause.facts, "answers": answers}
        verdict = replace(verdict, cause=replace(verdict.cause, facts=facts))
    cause = verdict.cause and refused_there(verdict.cause)  # what is wrong is told already
    return replace(
        verdict, misconception=entry.name, lesson=entry.sentence, settled=True, cause=cause
    )


def _unnamed(
    exercise: Exercise, finding: Finding, pattern: Mapping[str, Fact], lacking: frozenset[str]
) -> Verdict:
    """With the pattern that it belongs to, or the first hint of its function. Whoever raised an
    exception or returned nothing has not come as far as the idea; who was right at first has it;
    and where the function is not ``lacking`` it, a hint on the idea would lead away from what is
    wrong. A check that says in its own words how to go on needs no hint either.
    """
    verdict, cause = finding.verdict, finding.verdict.cause
    if cause is None or verdict.outcome is not Outcome.FAILED:
        return verdict
    if pattern:
        return replace(verdict, cause=replace(cause, facts={**cause.facts, "pattern": pattern}))
    returned = cause.kind in _OF_THE_IDEA and cause.facts.get("got") != _NOTHING
    speaks = cause.kind == "said" and not cause.facts.get("advice")
    if {"asked_again", "also_changed"} & cause.facts.keys() or not (returned or speaks):
        return verdict
    of = finding.case.of if finding.case and returned else ""
    of = of if of in lacking else ""
    return replace(verdict, lesson=exercise.hint_of(of, verdict.check.step))
