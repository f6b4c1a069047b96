"""The pytest plugin: hidden suites are ordinary pytest files, run here against one subject after
another. They are collected once, however many submissions there are.

Fixtures: see ``bench.Seat``. Marks: ``points(n)``, ``public``, ``per_student``, ``stands(why)``.
A check's deadline is its pytest-timeout mark. The trusted side never runs a submission's code, so
the deadline is kept by not waiting any longer, and always holds.
"""

from __future__ import annotations

import inspect
import itertools
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import pytest
from _pytest.runner import runtestprotocol

from grader.course.catalog import load_catalog
from grader.course.house import House
from grader.errors import SubmissionRaised, SuiteError
from grader.examiner.bank import Entry
from grader.examiner.bench import Bench, Memory, Seat, Suite, made_on
from grader.examiner.diagnosis import Case, recognise
from grader.examiner.draw import derive_seed
from grader.examiner.subject import IMPORT_SECONDS, Subject
from grader.examiner.wording import explain
from grader.model import Cause, Check, Exercise, Outcome, Verdict
from grader.sandbox.devices import is_here
from grader.sandbox.protocol import printable

DEFAULT_SECONDS = 5.0
MAX_TOLD = 2000


Stop = Callable[[Sequence[Verdict]], bool]


def never(found: Sequence[Verdict]) -> bool:
    """Take every check."""
    return False


@dataclass(frozen=True)
class Turn:
    """Whom to examine in what, and who takes the verdicts; ``checks`` names some, None all.

    ``stop`` is asked before every check, with the verdicts so far, whether to leave out the rest.
    """

    subject: Subject
    exercise: Exercise
    take: Callable[[Verdict], None]
    checks: Collection[str] | None = None
    stop: Stop = never


@dataclass(frozen=True)
class Finding:
    """The verdict on one check; ``case`` is there when something stopped it."""

    verdict: Verdict
    case: Case | None = None


class Examiner:
    """Registered with pytest for one run; ``work`` says whom to examine in what."""

    def __init__(
        self,
        house: House,
        exercises: Iterable[Exercise],
        seed: int,
        work: Callable[[], Iterator[Turn]],
        *,
        devices: Sequence[str] = ("cpu",),
        diagnosed: bool = True,
        advised: bool = True,
    ) -> None:
        self.suites = {e.name: Suite(house, e) for e in exercises}
        self.known = load_catalog(house)
        self.memories: dict[tuple[str, str], Memory] = {}
        self.seed = seed
        self.work = work
        self.devices = devices
        self.diagnosed = diagnosed
        self.advised = advised
        self.failure: BaseException | None = None
        self.seconds = DEFAULT_SECONDS
        self._subject: Subject | None = None
        self._bench: Bench | None = None
        self._seat: Seat | None = None
        self._stopped_by: BaseException | None = None
        self._tried: list[frozenset[str]] = []

    # pytest's hooks ---------------------------------------------------------------------------

    @pytest.hookimpl
    def pytest_configure(self, config: pytest.Config) -> None:
        config.addinivalue_line("markers", "points(n): what the check is worth (default 1)")
        config.addinivalue_line("markers", "public: shown to students before they hand in")
        config.addinivalue_line("markers", "per_student: `draw` differs between students")
        config.addinivalue_line(
            "markers", "stands(because): why a check stays that no misconception needs"
        )

    @pytest.hookimpl
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        for item in items:
            assert isinstance(item, pytest.Function)
            self.suites[item.path.parent.name].items.append(item)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        if session.testsfailed:
            return False
        try:
            for turn in self.work():
                for verdict in self._take(turn):
                    turn.take(verdict)
        except BaseException as error:
            self.failure = error
        return True

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> bool:
        runtestprotocol(item, log=False, nextitem=None)
        return True

    @pytest.hookimpl(optionalhook=True)
    def pytest_timeout_set_timer(self, item: pytest.Item, settings: Any) -> bool:
        self.seconds = settings.timeout
        return True

    @pytest.hookimpl(optionalhook=True)
    def pytest_timeout_cancel_timer(self, item: pytest.Item) -> bool:
        return True

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> pytest.TestReport:
        """Keep what stopped the check; pytest's own report would spend a tenth of a second on a
        traceback that nobody reads.
        """
        assert call.when != "collect"
        if call.excinfo is not None and self._stopped_by is None:
            error = call.excinfo.value
            judging = self._bench if call.when == "call" else None
            self._stopped_by = error if judging is None else judging.blamed(error)
        outcome: Literal["passed", "failed"] = "failed" if call.excinfo else "passed"
        return pytest.TestReport(item.nodeid, item.location, {}, outcome, None, call.when)

    @pytest.fixture
    def compare(self) -> Any:
        return self._fixture("compare")

    @pytest.fixture
    def submission(self) -> Any:
        return self._fixture("submission")

    @pytest.fixture
    def draw(self) -> Any:
        return self._fixture("draw")

    @pytest.fixture
    def reference(self) -> Any:
        return self._fixture("reference")

    @pytest.fixture
    def device(self) -> Any:
        return self._fixture("device")

    @pytest.fixture
    def faster_than(self) -> Any:
        return self._fixture("faster_than")

    @pytest.fixture
    def leaner_than(self) -> Any:
        return self._fixture("leaner_than")

    def _fixture(self, name: str) -> Any:
        if self._bench is None or self._subject is None:
            raise SuiteError("a fixture was asked for outside a check")
        if self._seat is None:  # now that pytest-timeout has said how long the check may take
            self._seat = Seat(self._bench, self._subject, self.seconds)
        return self._seat.fixture(name)

    # One exercise, check by check -------------------------------------------------------------

    def _take(self, turn: Turn) -> list[Verdict]:
        """All verdicts of a turn; what failed is diagnosed when the whole exercise is known."""
        self._tried = []
        items = self.suites[turn.exercise.name].items
        chosen = [item for item in items if turn.checks is None or item.name in turn.checks]
        found: list[Finding] = []
        for item, device in itertools.product(chosen, self.devices):
            if turn.stop([finding.verdict for finding in found]):
                break
            found.append(self._examine(turn.subject, item, device))
        cases = [finding.case for finding in found if finding.case is not None]
        bank = self.suites[turn.exercise.name].misconceptions if cases and self.diagnosed else []
        entries = iter(recognise(cases, bank))
        return [self._advised(f.verdict, next(entries) if f.case else None) for f in found]

    def _examine(self, subject: Subject, item: pytest.Function, device: str) -> Finding:
        """Run a check; one without a verdict of its own is tried a second time."""
        check = check_of(item, self.suites[item.path.parent.name].exercise, device)
        if not is_here(device):
            cause = Cause("There is no GPU here.")
            return Finding(Verdict(check, Outcome.SKIPPED, cause=cause))
        finding = self._attempt(subject, item, check)
        if finding.verdict.outcome is Outcome.INTERNAL:
            finding = self._attempt(subject, item, check)
        return finding

    def _attempt(self, subject: Subject, item: pytest.Function, check: Check) -> Finding:
        suite = self.suites[check.exercise]
        seed = derive_seed(self.seed, check.exercise, check.name)
        memory = self.memories.setdefault((item.nodeid, check.device), Memory())
        if item.get_closest_marker("per_student"):
            seed, memory = derive_seed(seed, subject.student), Memory()
        bench = self._bench = Bench(suite, item, seed, memory, check.device)
        self._subject, self._seat, self._stopped_by = subject, None, None
        started = time.perf_counter()
        with made_on(check.device):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
        verdict = self._verdict(subject, check, time.perf_counter() - started)
        subject.close()
        error = self._stopped_by
        return Finding(verdict, None if error is None else bench.case(error))

    def _verdict(self, subject: Subject, check: Check, seconds: float) -> Verdict:
        session = subject.session
        printed = session.printed if session else ""
        refused = tuple(session.refused) if session else ()
        error = self._stopped_by
        measured = self._seat.measured if self._seat is not None else None
        if error is None:
            seat = self._seat if self.advised else None
            advice = seat.advice(self._tried) if seat is not None else ""
            passed = Verdict(check, Outcome.PASSED, seconds, output=printed, refused=refused)
            return replace(passed, measured=measured, advice=advice)
        if isinstance(error, pytest.skip.Exception):
            cause = Cause(str(error))
            return Verdict(check, Outcome.SKIPPED, seconds, cause=cause, output=printed)
        importing = "while importing" in getattr(error, "__notes__", ())
        limit = IMPORT_SECONDS if importing else self.seconds
        outcome, cause = explain(error, check.exercise, limit, session, self.known)
        settled = importing or _unwritten(error)
        return Verdict(check, outcome, seconds, None, cause, printed, refused, settled, measured)

    def _advised(self, verdict: Verdict, entry: Entry | None) -> Verdict:
        """With the recognised misconception's name and sentence, or the exercise's first hint.

        What a submission returned may be quoted in the cause, so it is made safe to show.
        """
        cause, hints = verdict.cause, self.suites[verdict.check.exercise].exercise.hints
        if cause is None:
            return verdict
        advice = entry.sentence if entry else cause.help
        if not advice and verdict.outcome is Outcome.FAILED and hints:
            advice = f"Hint: {hints[0]}"
        told = (cause.rationale, cause.expected, cause.actual, advice)
        cause = Cause(*(printable(text, MAX_TOLD) for text in told))
        if entry is None:
            return replace(verdict, cause=cause)
        return replace(verdict, cause=cause, misconception=entry.name, settled=True)


def _unwritten(error: BaseException) -> bool:
    return isinstance(error, SubmissionRaised) and error.raised.from_a_stub


def check_of(item: pytest.Function, exercise: Exercise, device: str) -> Check:
    """The record of a collected check; its docstring must be there."""
    sentence = inspect.getdoc(item.function)
    if not sentence:
        raise SuiteError(f"{item.nodeid} has no docstring: a check must say its rule")
    points = item.get_closest_marker("points")
    return Check(
        exercise=exercise.name,
        name=item.name,
        sentence=" ".join(sentence.split()),
        max_points=float(points.args[0]) if points else 1.0,
        public=item.get_closest_marker("public") is not None,
        device=device,
    )
