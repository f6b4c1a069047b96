"""One exercise: its checks are run, and what failed is diagnosed."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass, replace

from grader.errors import SubmissionRaised, WorkerFailure
from grader.examiner.causes import explain
from grader.examiner.check_run import CheckCase, CheckRun, case_of, is_right_at_first
from grader.examiner.collection import undisturbed
from grader.examiner.diagnosis import Case, recognise
from grader.examiner.evidence import brief, evidence_of, is_strong, shown_by
from grader.examiner.on_the_way import recognised_on_the_way
from grader.examiner.pattern import patterns
from grader.examiner.suite import Suite
from grader.examiner.surroundings import Surroundings
from grader.examiner.two_at_once import two_at_once
from grader.model import Cause, Exercise, Fact, Outcome, Verdict
from grader.programs.bank import Entry
from grader.programs.failure import Evidence
from grader.programs.program import IMPORT_SECONDS, LocalProgram, Program, SubmissionProgram
from grader.sandbox.devices import is_here

TRIES = 3  # of a check, before it is left without a verdict

# What is found of an answer that is of the right kind: then a hint on the idea may help. A check
# that says in its own words what is wrong needs none.
_OF_THE_IDEA = ("numbers", "nan", "value", "shape", "one_number", "not_finite")
_NOTHING = "None"

Stop = Callable[[Sequence[Verdict]], bool]


def never(found: Sequence[Verdict]) -> bool:
    """Take every check."""
    return False


def examine(
    suite: Suite,
    program: Program,
    seed: int,
    *,
    devices: Sequence[str] = ("cpu",),
    only: Collection[str] | None = None,
    stop: Stop = never,
    diagnosed: bool = True,
    advised: bool = True,
) -> list[Verdict]:
    """The verdicts of a suite on a program, every check once per device.

    ``only`` names some checks; ``stop`` is asked before every one, with the verdicts so far,
    whether to leave out the rest. With ``diagnosed``, failed checks are compared with the
    misconceptions; if ``advised``, passed ones are tried as if on a GPU.
    """
    found = find(suite, program, seed, devices, only, stop, advised=advised)
    if not diagnosed:
        return [f.verdict for f in found]
    return diagnosed_by(suite, program, found, devices)


def diagnosed_by(
    suite: Suite, program: Program, found: Sequence[Finding], devices: Sequence[str]
) -> list[Verdict]:
    """The verdicts on what was found, while devices are lent as they were then."""
    with ExitStack() as stack:
        for device in devices:
            stack.enter_context(_lent(program, device))
        return diagnose(suite, found)


def _lent(program: Program, device: str, *, alone: bool = False) -> AbstractContextManager[None]:
    """A GPU, of which nobody may make use while somebody else measures on it."""
    lender = program.cores
    return nullcontext() if lender is None else lender.device(device, alone=alone)


@dataclass(frozen=True)
class Finding:
    """The verdict on one check, not yet diagnosed; ``case`` is there when it was run, and ``shown``
    when it failed: what that shows.
    """

    verdict: Verdict
    case: Case | None = None
    shown: Evidence | None = None


def find(
    suite: Suite,
    program: Program,
    seed: int,
    devices: Sequence[str] = ("cpu",),
    only: Collection[str] | None = None,
    stop: Stop = never,
    *,
    advised: bool = False,
    entry: Entry | None = None,
    again: bool = True,
) -> list[Finding]:
    """What the checks of a suite find in a program, every check once per device; without ``again``
    no probe is asked more than once.

    The core comes first, for whoever waits, and what measures last: it needs a fresh worker, for
    which the one that serves the others ends. The verdicts stand in the suite's order.

    If the program is that of a misconception, ``entry``, what it shows here is what it will be
    recognised by: nobody need run it again.
    """
    chosen = [c for c in suite.checks if only is None or c.check.name in only]
    chosen.sort(key=lambda collected: (collected.measures, not collected.check.core))
    found: list[Finding] = []
    tried: list[frozenset[str]] | None = [] if advised else None
    with undisturbed():
        for collected, device in itertools.product(chosen, devices):
            if stop([finding.verdict for finding in found]):
                break
            case = case_of(suite, collected, seed, device, program.student, again=again)
            found.append(_finding(case, program, tried))
            if entry is not None:
                case.shared.answers[entry.name] = found[-1].shown
    place = {collected.check.name: number for number, collected in enumerate(suite.checks)}
    found.sort(key=lambda finding: place[finding.verdict.check.name])
    return _told_in_passing(program, suite.exercise.name, found)


def _told_in_passing(program: Program, name: str, found: list[Finding]) -> list[Finding]:
    """With advice on the whole module in the first check that passed, if it has none yet."""
    advice = _advice_on(program, name)
    passed = [n for n, one in enumerate(found) if one.verdict.outcome is Outcome.PASSED]
    if advice is not None and passed and found[passed[0]].verdict.advice is None:
        first = found[passed[0]]
        found[passed[0]] = replace(first, verdict=replace(first.verdict, advice=advice))
    return found


def _advice_on(program: Program, name: str) -> Cause | None:
    if not isinstance(program, SubmissionProgram):
        return None
    if name in program.slow_imports:
        return Cause("slow_import", {"seconds": round(program.slow_imports[name], 1)})
    return Cause("uncompiled") if program.asked_for_a_compiler(name) else None


def diagnose(suite: Suite, found: Sequence[Finding]) -> list[Verdict]:
    """What failed is compared with the misconceptions when the whole exercise is known; what none
    explains is told the pattern in it, or a hint of the very function.
    """
    if all(finding.shown is None for finding in found):
        return [finding.verdict for finding in found]
    return taught(suite, found, suite.misconceptions)


def taught(suite: Suite, found: Sequence[Finding], bank: Sequence[Entry]) -> list[Verdict]:
    """The same with another bank."""
    cases = [finding.case for finding in found if finding.case is not None]
    with undisturbed():
        whole = recognise(cases, bank, suite.rests_on)
        named = _beside(found, whole)
        failed = [f.case is not None and f.case.evidence is not None for f in found]
        unsure = any(no and entry is None for no, entry in zip(failed, named, strict=True))
        both = two_at_once(cases, bank, one_is_known=any(named)) if unsure else None
        if both is None:
            named = _beside(found, recognised_on_the_way(suite, cases, bank, whole))
    if both is not None:
        named = [
            both.behind(f.case) if f.case and no else None
            for f, no in zip(found, failed, strict=True)
        ]
    unknown = [f for f, entry in zip(found, named, strict=True) if entry is None]
    lacking = _without_the_idea(found)
    told = iter(patterns([(f.case.of if f.case else "", f.verdict) for f in unknown]))
    return [
        _named(finding, entry, both or entry)
        if entry is not None
        else _resting(suite, found, finding, _unnamed(suite.exercise, finding, next(told), lacking))
        for finding, entry in zip(found, named, strict=True)
    ]


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


def _resting(suite: Suite, found: Sequence[Finding], finding: Finding, verdict: Verdict) -> Verdict:
    """With the functions of the same page that it may call, and that are wrong in their core."""
    cause, of = verdict.cause, finding.case.of if finding.case else ""
    if cause is None or cause.kind not in _OF_THE_IDEA or "asked_again" in cause.facts:
        return verdict
    core = [f for f in found if f.verdict.check.core and not f.verdict.right_at_first]
    wrong = {f.case.of for f in core if f.case and f.case.evidence is not None}
    names = tuple(sorted(wrong & suite.rests_on.get(of, frozenset()) - {of}))
    if not names:
        return verdict
    return replace(verdict, cause=replace(cause, facts={**cause.facts, "used_and_wrong": names}))


def _finding(case: CheckCase, program: Program, tried: list[frozenset[str]] | None) -> Finding:
    """Run a check; one that a worker leaves without a verdict is tried again in another."""
    if not is_here(case.device):
        check = replace(case.collected.check, device=case.device)
        return Finding(Verdict(check, Outcome.SKIPPED, cause=Cause("no_gpu")))
    for _ in range(1 if isinstance(program, LocalProgram) else TRIES):
        with _lent(program, case.device, alone=case.collected.measures):
            finding = _attempt(case, program, tried)
        if finding.verdict.outcome is not Outcome.INTERNAL:
            break
    return finding


def _attempt(case: CheckCase, program: Program, tried: list[frozenset[str]] | None) -> Finding:
    run = CheckRun(case, program)
    started = time.perf_counter()
    try:
        error = run.run()
        if error is not None and run.called:
            error = case.blamed(error)
        verdict = _verdict(case, run, program, error)
        verdict = replace(verdict, seconds=round(time.perf_counter() - started, 4))
        if error is None and tried is not None:
            verdict = replace(verdict, advice=run.advice(tried))
        verdict = _with_changed_inputs(verdict, case, run)
        if error is not None:
            verdict = replace(verdict, right_at_first=is_right_at_first(case, program, error))
    finally:
        program.close()
    evidence = evidence_of(error)
    passed = verdict.outcome is Outcome.PASSED
    return Finding(
        verdict,
        Case(
            verdict.check.name,
            evidence,
            case.answer_of,
            of=run.asked_by(error),
            beside=run.handed_on,
            is_strong=is_strong(evidence, verdict.cause),
            passed=passed,
            contradicts=passed and not case.collected.clocked,
            seconds=verdict.seconds,
            step=0 if verdict.right_at_first else case.step,
        ),
        shown_by(error),
    )


def _verdict(
    case: CheckCase, run: CheckRun, program: Program, error: BaseException | None
) -> Verdict:
    """What one run of a check has found."""
    session = program.session
    verdict = Verdict(
        replace(case.collected.check, device=case.device),
        Outcome.PASSED,
        output=session.printed if session else "",
        refused=tuple(session.refused) if session else (),
        measured=run.measured,
    )
    if error is None:
        return verdict
    exercise = case.suite.exercise.name
    importing = isinstance(error, (SubmissionRaised, WorkerFailure)) and error.importing
    limit = IMPORT_SECONDS if importing else case.collected.seconds
    outcome, cause = explain(error, exercise, limit, case.suite.known, _around(case, program))
    settled = importing or _unwritten(error)
    return replace(verdict, outcome=outcome, cause=cause, settled=settled)


def _with_changed_inputs(verdict: Verdict, case: CheckCase, run: CheckRun) -> Verdict:
    """What was found wrong may come of an input that is no longer what it was: told as well."""
    cause = verdict.cause
    if verdict.outcome is not Outcome.FAILED or cause is None or cause.kind == "input_changed":
        return verdict
    names = case.also_changed(run)
    facts = {**cause.facts, "also_changed": names} if names else cause.facts
    return replace(verdict, cause=replace(cause, facts=facts))


def _around(case: CheckCase, program: Program) -> Surroundings:
    if not isinstance(program, SubmissionProgram):
        return Surroundings(case.suite.course)
    files, memory_mib = program.submission.files, program.memory_mib
    return Surroundings(case.suite.course, files, memory_mib=memory_mib)


def _named(finding: Finding, entry: Entry, made: Entry) -> Verdict:
    """With its sentence, and with the answer of the page ``made`` with it, and perhaps with one
    more, beside the submission's: so a mark is defended.
    """
    verdict, case = finding.verdict, finding.case
    mine, its = (case.evidence, case.answer_of(made)) if case else (None, None)
    if verdict.cause is not None and mine is not None and its is not None:
        answers = {"submission": brief(mine.actual), "misconception": brief(its.actual)}
        facts = {**verdict.cause.facts, "answers": answers}
        verdict = replace(verdict, cause=replace(verdict.cause, facts=facts))
    return replace(verdict, misconception=entry.name, lesson=entry.sentence, settled=True)


def _unnamed(
    exercise: Exercise, finding: Finding, pattern: Mapping[str, Fact], lacking: frozenset[str]
) -> Verdict:
    """With the pattern that it belongs to, or the first hint of its function. Whoever raised an
    exception or returned nothing has not come as far as the idea; and where the function is not
    ``lacking`` it, a hint on the idea would lead away from what is wrong.
    """
    verdict, cause = finding.verdict, finding.verdict.cause
    if cause is None or verdict.outcome is not Outcome.FAILED:
        return verdict
    if pattern:
        return replace(verdict, cause=replace(cause, facts={**cause.facts, "pattern": pattern}))
    returned = cause.kind in _OF_THE_IDEA and cause.facts.get("got") != _NOTHING
    has_the_idea = "asked_again" in cause.facts  # it was right when it was asked first
    of = finding.case.of if finding.case and returned and not has_the_idea else ""
    of = of if of in lacking else ""
    return replace(verdict, lesson=exercise.hint_of(of, verdict.check.step))


def _unwritten(error: BaseException) -> bool:
    return isinstance(error, SubmissionRaised) and error.raised.from_a_stub
