"""One check, and one run of it by one program: the only road on which a check is run.

Submissions, references, variants and misconceptions all come this way.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import pytest
import torch

from grader.errors import EnoughCompared, GraderError, ValueMissing
from grader.examiner.compare import Compare, first_of, seen_in
from grader.examiner.device_advice import advice, tried_elsewhere, with_its_maker
from grader.examiner.evidence import shown_by
from grader.examiner.gpu_gives_up import would_give_up
from grader.examiner.patience import TookTooLong, patience_for
from grader.examiner.race import Race
from grader.examiner.rehearsal import NoRace, Noted, kinds_noted
from grader.examiner.rounds import NO_ROUNDS
from grader.examiner.sealed.replay import Sealed
from grader.examiner.suite import CollectedCheck, Repeats, Shared, Suite
from grader.model import Cause, Measured
from grader.programs.again import OTHER_VALUES, WAYS, Probe
from grader.programs.bank import Entry
from grader.programs.client import Client
from grader.programs.draw import Draw, derive_seed
from grader.programs.failure import CheckFailed, Evidence
from grader.programs.program import LocalProgram, Opening, Program, StandIn, SubmissionProgram
from grader.programs.proxy import Implementation
from grader.sandbox.protocol import printable

First = tuple[Probe, frozenset[Any]]  # a probe, and the kinds of its calls
_MOST_TRIALS = 3  # of one exercise elsewhere: a meta tensor's operation is Python, and slow


@dataclass(frozen=True)
class CheckCase:
    """A check on one device, with the inputs that ``seed`` gives and what is known of them."""

    suite: Suite
    collected: CollectedCheck
    device: str
    seed: int
    shared: Shared
    again: bool = True  # what is answered rightly is asked again
    told: bool = True  # what is found is told to somebody, and not only compared
    closely: bool = True  # what fails when it is asked again is asked in every way alone
    last: int | None = None  # the last comparison that is made, when not all are
    behind: int | None = None  # the last one that is not made, when the first ones are not

    @property
    def opening(self) -> Opening:
        """What a program is opened for, to run this."""
        return Opening(self.suite.exercise, self.collected.seconds, self.seed, self.device)

    @property
    def step(self) -> int:
        """Which step of the page the check belongs to, from 1; 0 if to none."""
        steps, own = self.suite.exercise.steps, self.collected.check.step
        return 1 + steps.index(own) if own in steps else 0

    def answer_of(self, entry: Entry, *, closely: bool = True) -> Evidence | None:
        """How a misconception fails the check in the submission's place, None if it does not;
        worked out once a run. In which single way it fails what is asked again takes longest, and
        is only found out ``closely``: what failed when it was asked first is like none of these.
        """
        answers, rough = self.shared.answers, self.shared.rough
        if entry.key not in answers or (closely and entry.key in rough):
            case = replace(self, closely=closely)
            error = case.rerun(entry.applied_to(self.suite.reference))
            found = answers[entry.key] = shown_by(error and self.blamed(error))
            is_rough = found is not None and found.is_repeated and not closely
            (rough.add if is_rough else rough.discard)(entry.key)
        return answers[entry.key]

    def answer_until(self, step: int, entry: Entry) -> Evidence | None:
        """How a misconception fails a comparison up to this ``step`` if nothing is asked again:
        sooner known than its answer, and what it does not show so it does not show at all.
        """
        answers, until = self.shared.answers, self.shared.until
        if entry.key in answers:
            return answers[entry.key]
        if (entry.key, step) not in until:
            case = replace(self, again=False, last=step)
            error = case.rerun(entry.applied_to(self.suite.reference))
            found = until[entry.key, step] = shown_by(error and self.blamed(error))
            if getattr(error, "step", None) == 0:  # before anything would have been asked again
                answers[entry.key] = found
        return until[entry.key, step]

    def seen_behind(self, step: int, program: Program) -> Mapping[int, Evidence | None]:
        """What is found in the comparisons behind this ``step``, each made once."""
        run = CheckRun(replace(self, again=False, told=False, behind=step), program)
        try:
            run.run()
        finally:
            program.close()
        return seen_in(run.compare) if "compare" in vars(run) else {}

    def answers_behind(self, step: int, entry: Entry) -> Mapping[int, Evidence | None]:
        """The same of a misconception, as far as it comes in its time."""
        found = self.shared.behind
        if (entry.key, step) not in found:
            program = StandIn(entry.applied_to(self.suite.reference))
            seen: Mapping[int, Evidence | None] = {}
            with patience_for(self.collected.seconds):
                seen = self.seen_behind(step, program)
            found[entry.key, step] = seen
        return found[entry.key, step]

    def blamed(self, error: BaseException) -> BaseException:
        """An accident in a check's own code is the submission's doing if the reference, in its
        place, lets the check pass: then it returned something the check cannot use.
        """
        if isinstance(error, pytest.fail.Exception):
            return AssertionError(str(error))
        expected = (GraderError, AssertionError, pytest.skip.Exception)
        if isinstance(error, expected) or not isinstance(error, Exception):
            return error
        if self.rerun(self.suite.reference) is not None:
            return error
        said = f"{type(error).__name__}: {printable(str(error), 200)}"
        return CheckFailed(Cause("unusable", {"said": said}), Evidence("unusable", 0, said))

    def also_changed(self, run: CheckRun) -> tuple[str, ...]:
        """The inputs that a program has changed in place, unless the reference changes some too."""
        if not run.changed_inputs:
            return ()
        reference = CheckRun(self, LocalProgram(self.suite.reference))
        reference.run()
        return () if reference.changed_inputs else run.changed_inputs

    @property
    def on_the_cpu(self) -> CheckCase:
        """The same check with the same inputs, there."""
        shared = self.suite.shared(self.collected.check.name, "cpu", self.seed)
        return replace(self, device="cpu", shared=shared)

    def rerun(self, names: Mapping[str, Any]) -> BaseException | None:
        """What stops the check with another program of ours in the submission's place. One that
        does not end is stopped in its own time, and nothing is known of it.
        """
        if self.device != "cpu" and not self.collected.measures:
            error = self.on_the_cpu.rerun(names)
            if would_give_up(error):
                return error
        stopped: BaseException | None = None
        with patience_for(self.collected.seconds) as patience:
            stopped = CheckRun(replace(self, told=False), StandIn(names)).run()
        return TookTooLong() if patience.is_over else stopped


def case_of(
    suite: Suite,
    collected: CollectedCheck,
    seed: int,
    device: str,
    student: str,
    *,
    again: bool = True,
    told: bool = True,
) -> CheckCase:
    """A check as it is put to a student, in a run with ``seed``."""
    name = collected.check.name
    own = derive_seed(seed, suite.exercise.name, name)
    if collected.per_student:
        own = derive_seed(own, student)
        return CheckCase(suite, collected, device, own, Shared(), again, told)
    shared = suite.shared(name, device, own)
    return CheckCase(suite, collected, device, own, shared, again, told)


class CheckRun:
    """One run of one check by one program; what the check asks for is made when it is asked for."""

    def __init__(self, case: CheckCase, program: Program) -> None:
        self._case, self._program = case, program
        self.called = False  # before that, nothing that goes wrong is the check's own accident

    def run(self) -> BaseException | None:
        """Call the check; returns what stopped it."""
        collected = self._case.collected
        try:
            fixtures = {n: make(self) for n, make in FIXTURES.items() if n in collected.asks_for}
            self.called = True
            with made_on(self._case.device):
                collected.function(**fixtures, **collected.parameters)
        except (ValueMissing, EnoughCompared):
            return None  # it went no further, and what it found until then was right
        except (Exception, pytest.fail.Exception, pytest.skip.Exception) as error:
            return _alone(error)
        return None

    @cached_property
    def opened(self) -> Client:
        """The program's module, loaded."""
        return self._program.open(self._case.opening)

    def open(self) -> None:
        """Have it loaded, if it is not yet."""
        _ = self.opened

    @cached_property
    def first(self) -> First | None:
        """What was answered first, rightly; known once the check is over."""
        return first_of(self.compare) if "compare" in vars(self) else None

    @property
    def changed_inputs(self) -> tuple[str, ...]:
        """The inputs that are no longer what they were, since the last comparison began."""
        return tuple(self.opened.changed_inputs()) if "opened" in vars(self) else ()

    @property
    def measured(self) -> Measured | None:
        """What a race found, if there was one."""
        return self.race.measured if "race" in vars(self) else None

    def asked_by(self, error: BaseException | None) -> str:
        """The public name of the program's that gave what is wrong, or else was called last; empty
        before any call, and where it is about all that were.
        """
        return str(self.call_of(error).get("of", ""))

    def call_of(self, error: BaseException | None) -> Mapping[str, Any]:
        """The call that gave what is wrong, or else the last one; nothing where there is none."""
        facts = error.cause.facts if isinstance(error, CheckFailed) else {}
        if "of_all" in facts:
            return {}
        told = facts.get("call")
        calls = self.opened.calls if "opened" in vars(self) else []
        return told if isinstance(told, Mapping) else calls[-1] if calls else {}

    @property
    def asked(self) -> frozenset[str]:
        """The public names of the program's that were called since the last comparison began, and
        the classes whose objects were handed on.
        """
        calls = self.opened.calls if "opened" in vars(self) else []
        return self.handed_on | {str(call["of"]) for call in calls}

    @property
    def handed_on(self) -> frozenset[str]:
        """The classes of the program's whose objects were given to its other functions."""
        return frozenset(self.opened.handed_on if "opened" in vars(self) else ())

    # The fixtures -----------------------------------------------------------------------------

    @cached_property
    def compare(self) -> Compare:
        case = self._case
        references = case.suite.references_on(case.device)
        rounds = NO_ROUNDS
        if case.again:
            rounds = case.suite.rounds(case.collected, repeated_in(case.suite, case.device))
        known = case.shared.known
        return Compare(
            self.opened,
            references,
            case.seed,
            known,
            rounds,
            told=case.told,
            closely=case.closely,
            last=case.last,
            behind=case.behind,
        )

    @property
    def sealed(self) -> Sealed:
        case = self._case
        return Sealed(self.opened, case.shared.known, case.seed, again=case.again)

    @property
    def submission(self) -> Implementation:
        self.opened.begin()
        return Implementation(self.opened)

    @property
    def draw(self) -> Draw:
        return self._case.suite.drawing(self._case.seed, self._case.device)

    @property
    def reference(self) -> Implementation:
        opening = Opening(self._case.suite.exercise, device=self._case.device)
        return Implementation(LocalProgram(self._case.suite.reference).open(opening))

    @property
    def given(self) -> Implementation:
        """The stub, in which some bodies may be given: in this process."""
        opening = Opening(self._case.suite.exercise, device=self._case.device)
        return Implementation(LocalProgram(self._case.suite.given).open(opening))

    @property
    def device(self) -> str:
        return self._case.device

    @cached_property
    def race(self) -> Race:
        """The program beside the reference, each in a fresh worker if the program is in one."""
        suite = self._case.suite
        reference = self._program.beside(suite.reference, suite.course.solution_texts)
        here = isinstance(self._program, LocalProgram)  # a process that grows meanwhile
        weighed = [] if here else self._case.shared.weighed
        return Race(self._program, reference, self._case.opening, weighed)

    # Advice -----------------------------------------------------------------------------------

    def is_to_be_tried(self, tried: list[frozenset[Any]]) -> bool:
        """Whether to see what it would do on a GPU: not where its calls are of kinds already
        ``tried`` in the exercise, nor ever so often.
        """
        if self.first is None or len(tried) >= _MOST_TRIALS:
            return False
        _, calls = self.first
        if calls <= frozenset().union(*tried):
            return False
        tried.append(calls)
        return True

    def advice(self) -> Cause | None:
        """Whether what was compared would fail on a GPU; mostly nothing. The program is opened
        afresh, for other checks may have been run meanwhile.
        """
        assert self.first is not None, "nothing was compared"
        probe, calls = self.first
        suite, known = self._case.suite, self._case.shared.elsewhere
        if calls not in known:
            known[calls] = tried_elsewhere(suite.references_on("cpu").native, probe)
        if not known[calls].devices:
            return None
        try:
            client = self._program.open(self._case.opening)
            found = advice(tried_elsewhere(client, probe), known[calls])
            program = self._program
            files = program.submission.files if isinstance(program, SubmissionProgram) else {}
            return with_its_maker(found, files)
        except GraderError:  # nothing is left of what it may take, or its worker died
            return None
        finally:
            self._program.close()


class _Rehearsal(CheckRun):
    """A run by the reference in which nothing is compared, and noted what would be."""

    @cached_property
    def compare(self) -> Noted:  # type: ignore[override]
        return Noted(self.opened)

    @property
    def race(self) -> NoRace:  # type: ignore[override]
        return NoRace()


def is_right_at_first(case: CheckCase, program: Program, error: BaseException) -> bool:
    """Whether a core check that failed when it was asked again passes if it is asked once. What is
    wrong for other values of the same shape was right by luck.
    """
    ways = set(getattr(error, "asked_again", ()))
    if not case.collected.check.core or not ways or ways & OTHER_VALUES:
        return False
    return CheckRun(replace(case, again=False), program).run() is None


def repeated_in(suite: Suite, device: str) -> Mapping[str, Repeats]:
    """What each check asks again: every kind of call once, by the first that makes it.

    That is found out with the reference, so it is the same for every program, and for one check
    alone.
    """
    if device not in suite.repeated:
        with torch.random.fork_rng(devices=[]):  # a program draws the same whoever was first
            suite.repeated[device] = _rehearsed(suite, device)
    return suite.repeated[device]


def _rehearsed(suite: Suite, device: str) -> Mapping[str, Repeats]:
    seen: frozenset[Any] = frozenset()
    found: dict[str, Repeats] = {}
    for collected in suite.checks:
        case = CheckCase(suite, collected, device, 0, Shared())
        rehearsal = _Rehearsal(case, LocalProgram(suite.reference))
        if "compare" in collected.asks_for and not collected.without >= set(WAYS):
            rehearsal.run()
        kinds = kinds_noted(rehearsal.compare)
        names = frozenset(name for name, *_ in kinds) - {name for name, *_ in seen}
        found[collected.check.name] = Repeats(kinds - seen, names)
        seen |= frozenset() if collected.without else kinds  # another asks in all ways
    return found


def _alone(error: BaseException) -> BaseException:
    """Without its traceback and what came before: their frames hold all that was returned."""
    error.__traceback__ = error.__context__ = error.__cause__ = None
    return error


FIXTURES: Mapping[str, Callable[[CheckRun], Any]] = {
    "compare": lambda run: run.compare,
    "sealed": lambda run: run.sealed,
    "submission": lambda run: run.submission,
    "draw": lambda run: run.draw,
    "reference": lambda run: run.reference,
    "given": lambda run: run.given,
    "device": lambda run: run.device,
    "faster_than": lambda run: run.race.faster_than,
    "leaner_than": lambda run: run.race.leaner_than,
}


@contextlib.contextmanager
def made_on(device: str) -> Iterator[None]:
    """Within the block a check makes its tensors on ``device`` unless it says otherwise."""
    if device == "cpu":
        yield
        return
    torch.set_default_device(device)
    try:
        yield
    finally:
        torch.set_default_device(None)
