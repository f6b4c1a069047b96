"""The trusted end of one worker: sends requests, believes nothing, keeps the clock."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from grader.errors import (
    DeadlinePassed,
    OutOfMemory,
    OutputFlood,
    ProtocolViolation,
    SubmissionRaised,
    WorkerDied,
    WorkerFailure,
    WorkerLost,
)
from grader.sandbox.channel import Channel
from grader.sandbox.deadline import Deadline
from grader.sandbox.devices import gave_up
from grader.sandbox.exchange import Exchange, Tape
from grader.sandbox.own_text import importable, packed, placed, raised_from
from grader.sandbox.process_stats import ProcessStats
from grader.sandbox.protocol import MAX_CHECK_BYTES, Asked, printable, require

START_SECONDS = 120
DEFAULT_MEMORY_MIB = 1024
MAX_PRINTED_BYTES = 1 << 20
KEPT_PRINTED = 4000
MAX_NOTES = 64
_OVER = {"type_name": "RuntimeError", "message": "this function can no longer be called"}

# The signals that a submission's own doing ends in; whoever sends another is outside.
_ONES_OWN = "SIGSEGV SIGBUS SIGFPE SIGILL SIGSYS SIGTRAP SIGABRT SIGXCPU SIGXFSZ".split()


class Session:
    """One worker, used for one check.

    Any ``WorkerFailure`` ends the session: the worker is killed and ``failed`` keeps the reason.
    """

    def __init__(self, worker: Worker, end: Callable[[bool], None]) -> None:
        self.channel = worker.channel
        self.deadline: Deadline | None = None
        self.printed = ""
        self.printed_bytes = 0
        self.refused: list[str] = []
        self.reloaded = False  # the worker had loaded the module before, and the libraries it needs
        self.gave_up = False  # the worker can compute nothing more on its GPU
        self.uncompiled = False  # it asked for torch.compile, which does nothing there
        self.failed: WorkerFailure | None = None
        self._worker, self._end = worker, end
        self._exchange = Exchange(worker.channel)
        self._ended: tuple[str, str] | None = None
        self._spent, self._received = 0.0, worker.channel.received_bytes

    def load(
        self,
        sources: Mapping[str, str],
        module: str,
        forbids: Sequence[str] = (),
        seed: int = 0,
        *,
        again: bool = False,
    ) -> list[str]:
        """Have the worker import ``module``, afresh unless it was loaded before and will do
        ``again``; returns the names it defines.

        Raises ``SubmissionRaised`` when the module's own code fails.
        """
        self.allow_bytes()
        self.reloaded = self._worker.sources is sources and self._worker.module == module
        sent = packed(self._worker.texts) if self._worker.turn_to(sources, module) else None
        request = {"op": "import", "sources": sent, "module": module, "again": again}
        reply = self.perform(request | {"forbids": list(forbids), "seed": seed})
        if "raised" in reply:
            raise SubmissionRaised(raised_from(reply["raised"]))
        names = reply.get("value")
        if type(names) is not list:
            raise ProtocolViolation("the worker did not say what the module defines")
        return [name for name in names if type(name) is str]

    def perform(self, request: dict[str, Any]) -> dict[str, Any]:
        """Send one request and wait for its reply; raises a ``WorkerFailure`` if none comes."""
        if self.failed is not None:
            raise self.failed
        if self.deadline is None:
            return self._perform(request)
        self.deadline.go_on()
        try:
            return self._perform(request)
        finally:
            self.deadline.pause()

    def ask_ahead(self, tapes: Sequence[Tape]) -> Tape | None:
        """Put to the worker, once it has loaded the module, what is on some ``tapes`` of a check;
        returns the one whose every answer it gave. Where it gave others, or none, the check is to
        be made: ``perform`` has the answers.
        """
        assert self.deadline is not None
        return self._exchange.ask_ahead(tapes, self.deadline)

    def begin_tape(self) -> None:
        """From now on requests and answers are noted."""
        self._exchange.tape = Tape()

    def spoil_tape(self) -> None:
        """The check depends on more than on what it was answered."""
        if self._exchange.tape is not None:
            self._exchange.tape.spoiled = True

    @property
    def tape(self) -> Tape | None:
        """What was noted, if it is all that there was."""
        tape, aside = self._exchange.tape, self.printed or self.refused or self.uncompiled
        return tape if tape is not None and tape.whole and not aside else None

    def _perform(self, request: dict[str, Any]) -> dict[str, Any]:
        try:
            self._exchange.send(request, self.deadline)
            while True:
                message = self._exchange.receive(self.deadline)
                if "printed" in message:
                    self._note_printed(message["printed"])
                elif "refused" in message:
                    self._note_refused(message["refused"])
                elif "asks" in message:
                    self.spoil_tape()
                    self._answer(message["asks"], request)
                elif "raised" in message:
                    raised = placed(message["raised"], self._worker.texts)
                    self._note_raised(raised)
                    return message | {"raised": raised}
                else:
                    self.uncompiled |= message.get("uncompiled") is True
                    return message
        except WorkerFailure as failure:
            self.failed = self._judged(failure)
            self.close()
            raise self.failed from None

    def _answer(self, asks: Any, request: Mapping[str, Any]) -> None:
        """Answer what the worker asks about a function that this request handed it. What that
        takes is no time of the worker's.
        """
        require(type(asks) is dict and type(asks.get("number")) is int, "a question")
        given = (*request.get("args", ()), *request.get("kwargs", {}).values())
        functions = {one.number: one.answer for one in given if isinstance(one, Asked)}
        answer = functions.get(asks["number"])
        if self.deadline is not None:
            self.deadline.pause()
        reply = answer(asks) if answer else {"raised": dict(_OVER)}
        if self.deadline is not None:
            self.deadline.go_on()
        self.channel.send({"answer": reply}, self.deadline)

    def _judged(self, failure: WorkerFailure) -> WorkerFailure:
        """The failure, or a ``WorkerLost`` where it comes from outside, or may."""
        if isinstance(failure, WorkerDied):
            failure.ended = self.how_it_ended()
            kind, which = failure.ended
            if self._worker.out_of_memory():
                return OutOfMemory("the kernel ended the worker's process")
            if kind == "unknown" or (kind == "signal" and which not in _ONES_OWN):
                return WorkerLost(f"the worker's process ended: {kind} {which}".rstrip())
        if isinstance(failure, DeadlinePassed) and self.stats.works:
            with contextlib.suppress(OSError):  # it ended meanwhile
                if self.stats.is_stopped():
                    return WorkerLost("the worker's process was stopped")
        return failure

    def how_it_ended(self) -> tuple[str, str]:
        """How the worker's process ended: by a ``signal`` and which, with an ``exit`` status and
        which, by having ``hung_up`` before we ended it, or ``unknown``.
        """
        if self._ended is None:
            self._ended = self._told(*self._worker.fate())
        return self._ended

    def _told(self, status: int | None, by_us: bool) -> tuple[str, str]:
        if status is None:
            return "unknown", ""
        if by_us and self.failed is None:
            return "hung_up", ""
        if number := status & 0x7F:
            names = {known.value: known.name for known in signal.Signals}
            return "signal", names.get(number, str(number))
        return "exit", str(status >> 8)

    @property
    def stats(self) -> ProcessStats:
        """What the kernel knows of the worker's process."""
        return self._worker.stats

    def close(self) -> None:
        """End the use of the worker: it is killed, whatever it is doing, unless it is healthy and
        kept for its owner's next check.
        """
        self._end(self.failed is None and not self.gave_up)

    def interrupt(self) -> None:
        """End the worker from another thread: whoever waits for its answer learns that it died."""
        with contextlib.suppress(OSError):  # it ended meanwhile
            self._worker.stats.end()

    def allow_seconds(self, seconds: float) -> None:
        """Until then the worker may take its time; what it has spent before does not count."""
        self._spent = self.spent_seconds
        self.deadline = Deadline(seconds, self.stats)
        self.deadline.pause()

    def allow_bytes(self) -> None:
        """From now on the worker may answer as much as in a whole check."""
        self.channel.allow_bytes(MAX_CHECK_BYTES)

    @property
    def spent_seconds(self) -> float:
        """How long the worker was waited for so far, less what was spent waiting for a core."""
        return self._spent + (self.deadline.spent() if self.deadline else 0.0)

    @property
    def received_bytes(self) -> int:
        """How much has come from the worker in this session."""
        return self.channel.received_bytes - self._received

    def _note_printed(self, text: Any) -> None:
        if type(text) is not str:
            raise ProtocolViolation("the worker printed something that is not text")
        self.printed_bytes += len(text)
        self.printed = printable(self.printed + text, KEPT_PRINTED, lines=True)
        if self.printed_bytes > MAX_PRINTED_BYTES:
            raise OutputFlood(f"more than {MAX_PRINTED_BYTES >> 20} MiB printed in one check")

    def _note_raised(self, form: Any) -> None:
        said = form.get("message") if type(form) is dict else None
        self.gave_up |= type(said) is str and gave_up(said)

    def _note_refused(self, text: Any) -> None:
        if type(text) is not str or len(self.refused) >= MAX_NOTES:
            raise ProtocolViolation("the worker sent too many notes, or one that is not text")
        self.refused.append(printable(text, 200))


@dataclass(eq=False)
class Worker:
    """One worker as its sandbox holds it. ``kill`` ends it, however often it is called; ``fate`` is
    how its process ended, as ``os.waitpid`` says it, and whether only because it was asked for.

    ``texts`` are those it was sent last, out of ``sources``, to load ``module``. ``out_of_memory``
    says whether the kernel ended it for its memory, where it has a control group; also after
    ``kill``.
    """

    channel: Channel
    kill: Callable[[], None]
    fate: Callable[[], tuple[int | None, bool]]
    stats: ProcessStats
    sources: Mapping[str, str] | None = None
    module: str = ""
    texts: Mapping[str, str] = field(default_factory=dict)
    out_of_memory: Callable[[], bool] = lambda: False

    def turn_to(self, sources: Mapping[str, str], module: str) -> bool:
        """Have it load ``module`` next; returns whether it must be sent the ``texts`` for that."""
        if self.sources is sources and self.module == module:
            return False
        self.sources, self.module = sources, module
        self.texts = importable(sources, module)
        return True


class Keeper:
    """Hands out workers: a fresh one, or the healthy one that the same owner used last.

    A worker used again imports the module afresh. It is never handed to another owner, and one
    that crashed, hung or misbehaved is never handed to anybody.
    """

    def __init__(self, fresh: Callable[[Sequence[str]], Worker]) -> None:
        self._fresh = fresh
        self._kept: tuple[str, Worker] | None = None

    def open(self, owner: str, forbids: Sequence[str] = ()) -> Session:
        """A session for ``owner``; without one, the worker is fresh and used once."""
        worker = self._take(owner, forbids)

        def end(healthy: bool) -> None:
            if healthy and owner:
                self.drop()
                self._kept = (owner, worker)
            else:
                worker.kill()

        return Session(worker, end)

    def drop(self) -> None:
        """End the worker that is kept, if there is one."""
        if self._kept is not None:
            self._kept[1].kill()
            self._kept = None

    def _take(self, owner: str, forbids: Sequence[str]) -> Worker:
        if self._kept is not None and self._kept[0] == owner:
            worker, self._kept = self._kept[1], None
            if worker.stats.is_held:  # by who has measured
                worker.stats.go()
            return worker
        self.drop()
        return self._fresh(forbids)
