"""Everything that can go wrong, as one tree. Each class says in one sentence what happened."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple


class GraderError(Exception):
    """The root: catch this to catch whatever this package raises on purpose.

    ``asked_again`` are the ways in which a probe was asked when it went wrong, if it had gone well
    before; ``step`` is which of a check's comparisons it was, counted from 0.
    """

    asked_again: tuple[str, ...] = ()
    step: int | None = None


class CatalogError(GraderError):
    """``catalog.toml`` says something that cannot be true."""


class AssignmentError(GraderError):
    """``assignment.toml`` says something that cannot be true."""


class MarkerError(GraderError):
    """A solution's BEGIN SOLUTION / END SOLUTION markers do not pair up."""


class CollectError(GraderError):
    """The place named holds no submission at all."""


class LearnerError(GraderError):
    """A learner asked for something that cannot be done now; says what can be done instead."""


class CourseNotFound(GraderError):
    """There is no checkout with exercises, solutions and suites to work from."""


class OtherForm(CourseNotFound):
    """What was released by another version is written otherwise than this one reads it."""


class ReportError(GraderError):
    """What should be a report cannot be read back as one."""


class GradebookError(GraderError):
    """The gradebook cannot be opened, or cannot do what was asked of it."""


class IsolationRefused(GraderError):
    """This machine cannot isolate submissions well enough for marks."""


class SandboxError(GraderError):
    """No worker could be started: our failure, never the submission's."""


class JobLost(GraderError):
    """The process that did a job ended before the job was done, every time it was tried."""


class OtherConditions(GraderError):
    """A process that was to grade has other suites or versions than the run it would work for."""


class SuiteError(GraderError):
    """A suite, a reference or a bank of misconceptions is itself broken."""


class WorkerFailure(GraderError):
    """A worker did not answer a request as agreed; the worker is of no further use.

    ``importing`` says that the request was to import the submission's module, ``calls`` which were
    made until then, the last one last; ``waited_seconds`` how long an answer was waited for that
    was asked ahead.
    """

    importing = False
    waited_seconds = 0.0
    calls: tuple[Any, ...] = ()


class DeadlinePassed(WorkerFailure):
    """The worker had not answered when the check's time was up."""


class NotAskedAgain(DeadlinePassed):
    """What was to be called has let deadlines pass before, and was not called once more."""


class WorkerDied(WorkerFailure):
    """The worker's process ended before it answered; ``ended`` says how, see ``Session``."""

    ended = ("unknown", "")


class OutOfMemory(WorkerFailure):
    """The kernel ended the worker because it took more memory than it may have."""


class WorkerLost(WorkerFailure):
    """The worker was ended, stopped or starved from outside: it is not shown to be the submission's
    failure.
    """


class ProtocolViolation(WorkerFailure):
    """The worker sent bytes that are not a reply."""


class OutputFlood(WorkerFailure):
    """The worker printed more than one check is allowed to print."""


class TooMuchReturned(WorkerFailure):
    """The worker's answers together are larger than those to one check are allowed to be."""


class AnswerTooLarge(GraderError):
    """One answer is larger than what may come back from a worker."""


Held = tuple[int, ...] | float | None  # the shape of a tensor or an array, a number, or None


class OwnLine(NamedTuple):
    """A line of the submission's own: ``file``, ``line`` counted from 1, what stands there, and
    the function it belongs to, ``Class.method`` or ``function``; empty outside of any. ``held`` is
    what names in it stood for when it raised, as far as the worker tells.

    ``line`` is 0, and there is no text, when only the file is known.
    """

    file: str
    line: int = 0
    text: str = ""
    within: str = ""
    held: tuple[tuple[str, Held], ...] = ()


@dataclass(frozen=True)
class Raised:
    """An exception raised by a submission, as plain text: nothing in it is trusted.

    ``lines`` are the submission's own in the traceback, each once, the last one last. ``by_hand``:
    a ``raise`` or ``assert`` of its own, in words of its own.
    """

    type_name: str
    message: str
    lines: tuple[OwnLine, ...] = ()
    memory: bool = False
    by_hand: bool = False

    @property
    def last(self) -> OwnLine:
        """The submission's last line in the traceback; an empty one when there is none."""
        return self.lines[-1] if self.lines else OwnLine("")

    @property
    def from_a_stub(self) -> bool:
        """Whether a stub's own line raised this, and not, say, torch."""
        unwritten = self.type_name == "NotImplementedError"
        return unwritten and (self.by_hand or "NotImplementedError" in self.last.text)

    def __str__(self) -> str:
        last = self.last
        place = f" ({last.file}, line {last.line}: {last.text})" if last.line else ""
        return f"{self.type_name}: {self.message}{place}"


class SubmissionRaised(GraderError):
    """The submission's own code raised an exception, perhaps while it was imported.

    ``calls`` are those that were made until then, the last one last; see ``kinds.call_of``.
    """

    importing = False

    def __init__(self, raised: Raised, calls: Sequence[Any] = ()) -> None:
        super().__init__(str(raised))
        self.raised = raised
        self.calls = tuple(calls)


class ValueMissing(SubmissionRaised):
    """It looked at a value on the meta device, which has none: the probe says nothing about it."""


class EnoughCompared(GraderError):
    """The last comparison that was wanted of a check is made: the rest of it is left out."""
