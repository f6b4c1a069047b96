"""What the checks of a suite find in a program, before it is diagnosed."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

from grader.errors import SubmissionRaised, WorkerFailure
from grader.examiner.case import AnswerOf, Behind, Case
from grader.examiner.causes import explain
from grader.examiner.check_run import CheckCase, CheckRun, case_of, is_right_at_first
from grader.examiner.collection import undisturbed
from grader.examiner.evidence import evidence_of, is_strong, shown_by
from grader.examiner.gpu_gives_up import has_given_up, require_answers
from grader.examiner.known_pass import found_before, remember
from grader.examiner.loose_ends import loose_ends
from grader.examiner.patience import SHARE
from grader.examiner.second import Passed, Second
from grader.examiner.suite import CollectedCheck, Suite
from grader.examiner.surroundings import Surroundings
from grader.model import Cause, Outcome, Verdict
from grader.programs.bank import Entry
from grader.programs.failure import CheckFailed, Evidence
from grader.programs.program import IMPORT_SECONDS, LocalProgram, Program, SubmissionProgram
from grader.sandbox.devices import is_here

TRIES = 3  # of a check, before it is left without a verdict

# What code that leads nowhere may explain.
_EXPLAINED = (
    "numbers", "nan", "value", "shape", "kind", "said", "one_number", "not_finite", "seen_before",
    "gradient", "detached", "no_gradient", "gradient_shape", "not_refused", "unusable",
)  # fmt: skip

_OF_MASKS = ("inf", "_mask", "mask(", "masks(", "masked_fill", "tril", "triu")
_OF_GRADIENTS = ("gradient", "detached", "no_gradient")

Stop = Callable[[Sequence[Verdict]], bool]


def never(found: Sequence[Verdict]) -> bool:
    """Take every check."""
    return False


def lent(program: Program, device: str, *, alone: bool = False) -> AbstractContextManager[None]:
    """A GPU, of which nobody may make use while somebody else measures on it."""
    lender = program.cores
    return nullcontext() if lender is None else lender.device(device, alone=alone)


@dataclass(frozen=True)
class Finding:
    """The verdict on one check, not yet diagnosed; ``case`` is there when it was run, and ``shown``
    when it failed: what that shows. ``asked`` are the functions and classes that it called last.
    """

    verdict: Verdict
    case: Case | None = None
    shown: Evidence | None = None
    asked: frozenset[str] = frozenset()

    @property
    def passed(self) -> bool:
        return self.verdict.outcome is Outcome.PASSED


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
    second: Second | None = None,
) -> list[Finding]:
    """What the checks of a suite find in a program, every check once per device; without ``again``
    no probe is asked more than once.

    The core comes first, for whoever waits, then the rest and what advice there is, and what
    measures last: it needs another worker, for which the one that serves the others ends. Memory
    comes before time, for one that has worked holds more. The verdicts stand in the suite's order.

    If the program is that of a misconception, ``entry``, what it shows here is what it will be
    recognised by: nobody need run it again. A ``second`` examiner helps with all but what measures.
    """
    chosen = [c for c in suite.checks if only is None or c.check.name in only]
    chosen.sort(key=lambda one: (one.measures, one.clocked, not one.check.core))
    found: list[Finding] = []
    tried: list[frozenset[str]] = []

    def is_enough() -> bool:
        return stop([finding.verdict for finding in found])

    with undisturbed():
        for measures, turn in itertools.groupby(chosen, key=lambda collected: collected.measures):
            to_try: dict[int, CheckRun] = {}  # by their place in what was found
            helper = None if measures or tuple(devices) != ("cpu",) else second
            for collected, device, known in _in_turn(
                suite, program, turn, devices, helper, is_enough
            ):
                if is_enough():
                    to_try.clear()
                    if helper is not None:
                        helper.leave_off()
                    helper = None
                    break
                case = case_of(
                    suite, collected, seed, device, program.student, again=again, told=entry is None
                )
                if known is not None:
                    found.append(_passed_elsewhere(case, known))
                    continue
                finding, run = found_in(case, program)
                if advised and finding.passed and run.is_to_be_tried(tried):
                    to_try[len(found)] = run
                found.append(finding)
                if entry is not None:
                    case.shared.answers[entry.name] = finding.shown
            if advised and helper is not None:
                helper.advise()
            for number, run in to_try.items():
                found[number] = with_advice(found[number], run, program)
            if advised and helper is not None:
                found = _told_advice(found, helper.advice(is_enough))
    place = {collected.check.name: number for number, collected in enumerate(suite.checks)}
    found.sort(key=lambda finding: place[finding.verdict.check.name])
    return _told_in_passing(program, suite.exercise.name, found)


def _in_turn(
    suite: Suite,
    program: Program,
    turn: Iterable[CollectedCheck],
    devices: Sequence[str],
    helper: Second | None,
    is_enough: Callable[[], bool],
) -> Iterator[tuple[CollectedCheck, str, Passed | None]]:
    """The checks as they are to be run, and with those that a ``helper`` has taken what passed; the
    core to its end before any other.
    """
    for _, group in itertools.groupby(turn, key=lambda one: one.check.core):
        checks = list(group)
        if helper is None or not isinstance(program, SubmissionProgram):
            yield from ((one, device, None) for one in checks for device in devices)
            continue
        helper.begin(suite, program, [one.check.name for one in checks])
        rest: list[int] = []
        for place, collected in enumerate(checks):
            if helper.leaves(place):
                yield collected, "cpu", None
            else:
                rest.append(place)
        passes = helper.passes(is_enough) if rest else {}
        yield from ((checks[place], "cpu", passes.get(place)) for place in rest)


def _told_advice(found: Sequence[Finding], advice: Mapping[str, Cause]) -> list[Finding]:
    return [
        replace(one, verdict=replace(one.verdict, advice=advice[one.verdict.check.name]))
        if one.verdict.check.name in advice
        else one
        for one in found
    ]


def with_advice(finding: Finding, run: CheckRun, program: Program) -> Finding:
    """The same with what to say of it on a GPU, while one is lent where it was found."""
    with lent(program, finding.verdict.check.device):
        return replace(finding, verdict=replace(finding.verdict, advice=run.advice()))


def _told_in_passing(program: Program, name: str, found: list[Finding]) -> list[Finding]:
    """With advice on the whole module in the first check that passed, if it has none yet."""
    advice = _advice_on(program, name)
    passed = [n for n, one in enumerate(found) if one.passed]
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


def found_in(case: CheckCase, program: Program) -> tuple[Finding, CheckRun]:
    """Run a check; one that a worker leaves without a verdict is tried again in another."""
    run = CheckRun(case, program)
    if not is_here(case.device):
        check = replace(case.collected.check, device=case.device)
        return Finding(Verdict(check, Outcome.SKIPPED, cause=Cause("no_gpu"))), run
    for _ in range(1 if isinstance(program, LocalProgram) else TRIES):
        with lent(program, case.device, alone=case.collected.weighs):
            run = CheckRun(case, program)
            finding = _attempt(case, program, run)
        if finding.verdict.outcome is not Outcome.INTERNAL:
            break
        require_answers(case.device)
    return finding, run


def _passed_elsewhere(case: CheckCase, known: Passed) -> Finding:
    name = known.verdict.check.name
    answer_of = partial(case.answer_of, closely=False)
    there = Case(
        name,
        None,
        answer_of,
        of=known.of,
        beside=known.beside,
        passed=True,
        contradicts=True,
        seconds=known.verdict.seconds,
        step=case.step,
    )
    return Finding(known.verdict, there, asked=known.asked)


def _attempt(case: CheckCase, program: Program, run: CheckRun) -> Finding:
    started = time.perf_counter()
    try:
        known = found_before(case, run, program)
        if known is not None:
            seconds = round(time.perf_counter() - started, 4)
            return replace(known, verdict=replace(known.verdict, seconds=seconds))
        finding = _found(case, program, run)
        remember(case, run, program, finding)
        return finding
    finally:
        program.close()


def _found(case: CheckCase, program: Program, run: CheckRun) -> Finding:
    started = time.perf_counter()
    error = run.run()
    if has_given_up(error):
        there = CheckRun(case.on_the_cpu, program)
        said = there.run()
        run, error = (there, said) if said is not None else (run, error)
    if error is not None and run.called:
        error = case.blamed(error)
    seconds = round(time.perf_counter() - started, 4)
    verdict = replace(_verdict(case, run, program, error), seconds=seconds)
    verdict = _with_changed_inputs(verdict, case, run)
    if error is not None:
        verdict = replace(verdict, right_at_first=is_right_at_first(case, program, error))
    evidence = evidence_of(error)
    passed = verdict.outcome is Outcome.PASSED
    return Finding(
        verdict,
        Case(
            verdict.check.name,
            evidence,
            partial(case.answer_of, closely=evidence is not None and evidence.is_repeated),
            of=run.asked_by(error),
            beside=run.handed_on,
            is_strong=is_strong(evidence, verdict.cause),
            passed=passed,
            contradicts=passed and not case.collected.clocked,
            clocked=case.collected.clocked,
            seconds=seconds,
            step=0 if verdict.right_at_first else case.step,
            sooner_known=_sooner_known(case, error, evidence),
            behind=_behind(case, program, error, evidence),
        ),
        shown_by(error),
        run.asked,
    )


def _sooner_known(
    case: CheckCase, error: BaseException | None, evidence: Evidence | None
) -> AnswerOf | None:
    """How a misconception fails the check up to the comparison in which this went wrong, when that
    was asked first, and chance, of which what is asked again takes its part, plays none in it.
    """
    step = _step_of(error, evidence)
    return None if step is None else partial(case.answer_until, step)


def _behind(
    case: CheckCase, program: Program, error: BaseException | None, evidence: Evidence | None
) -> Behind | None:
    """What the same check compares after that, if it does. What that takes is not charged."""
    step = _step_of(error, evidence)
    if step is None or case.collected.clocked:
        return None
    here, name = case if case.device == "cpu" else case.on_the_cpu, case.suite.exercise.name
    if isinstance(program, SubmissionProgram):
        text, seconds = program.submission.files[name], SHARE * case.collected.seconds
        program = program.with_text(name, text, seconds)
    seen = cache(partial(here.seen_behind, step, program))
    return Behind(seen, partial(here.answers_behind, step))


def _step_of(error: BaseException | None, evidence: Evidence | None) -> int | None:
    """The comparison in which this went wrong, if it did when that was asked first, and not by
    chance.
    """
    if evidence is None or evidence.is_repeated:
        return None
    if isinstance(error, CheckFailed) and error.by_chance:
        return None
    return getattr(error, "step", None)


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
    if outcome is Outcome.FAILED and cause.kind in _EXPLAINED and not settled:
        cause = _with_loose_ends(cause, run.call_of(error), case, program)
    return replace(verdict, outcome=outcome, cause=cause, settled=settled)


def _with_loose_ends(
    cause: Cause, call: Mapping[str, Any], case: CheckCase, program: Program
) -> Cause:
    """With the learner's own function that was called, and what leads nowhere in it."""
    of = str(call.get("of", ""))
    cause = replace(cause, facts={**cause.facts, "of": of}) if of else cause
    around = _around(case, program).of_exercise(case.suite.exercise.name)
    if "beyond" in cause.facts and around.files and not around.may_take_exp():
        cause = replace(cause, facts={n: f for n, f in cause.facts.items() if n != "beyond"})
    if (
        "beyond" in cause.facts
        and around.speaks_of(of, "log(")
        and around.speaks_of(of, "softmax(")
    ):
        cause = replace(cause, facts={**cause.facts, "of_log": True})
    if cause.kind in ("nan", "not_finite") and around.speaks_of(of, "mean()"):
        cause = replace(cause, facts={**cause.facts, "averaged": True})
    if cause.kind in ("nan", "not_finite") and around.speaks_of(of, *_OF_MASKS):
        cause = replace(cause, facts={**cause.facts, "masked": True})
    graph = cause.kind in _OF_GRADIENTS
    ends = loose_ends(around, of, call, graph=graph) if of and around.files else ()
    return replace(cause, facts={**cause.facts, "loose_ends": ends}) if ends else cause


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


def _unwritten(error: BaseException) -> bool:
    return isinstance(error, SubmissionRaised) and error.raised.from_a_stub
