"""What stopped a check -> outcome and cause, as data."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace

import pytest

from grader.errors import (
    DeadlinePassed,
    OutOfMemory,
    OutputFlood,
    ProtocolViolation,
    Raised,
    SubmissionRaised,
    TooMuchReturned,
    WorkerDied,
    WorkerFailure,
    WorkerLost,
)
from grader.model import Cause, Fact, Outcome, Place
from grader.programs.failure import BudgetSpent, CheckFailed, CheckSkipped, NotHandedIn, finding_of
from grader.report.words import said
from grader.sandbox.protocol import printable
from grader.sandbox.session import DEFAULT_MEMORY_MIB
from grader.sandbox.temporary import MAX_BYTES, MAX_FILES, OVERFULL

MAX_TOLD = 2000

Found = tuple[Outcome, Cause]


def explain(
    error: BaseException,
    module: str,
    seconds: float,
    known: Collection[str],
) -> Found:
    """Outcome and cause for what a check raised, safe to show. ``known`` names all exercises."""
    outcome, cause = _explained(error, module, seconds, known)
    return outcome, _safe(cause)


def _explained(
    error: BaseException,
    module: str,
    seconds: float,
    known: Collection[str],
) -> Found:
    if isinstance(error, pytest.skip.Exception):
        return Outcome.SKIPPED, said(str(error))
    if isinstance(error, CheckSkipped):
        return Outcome.SKIPPED, error.cause
    if isinstance(error, CheckFailed):
        return Outcome.FAILED, error.cause
    if isinstance(error, AssertionError):
        return Outcome.FAILED, said(finding_of(error))
    if isinstance(error, BudgetSpent):
        spent = Outcome.TIMEOUT if error.cause.kind == "budget" else Outcome.ERROR
        return spent, error.cause
    if isinstance(error, NotHandedIn):
        return Outcome.ERROR, error.cause
    if isinstance(error, SubmissionRaised):
        return _raised(error.raised, module, error.importing, known)
    if isinstance(error, WorkerFailure):
        return _worker_failed(error, module, seconds)
    return Outcome.INTERNAL, Cause("internal", {"said": f"{type(error).__name__}: {error}"[:500]})


_SYNTAX = ("SyntaxError", "IndentationError", "TabError")

# The first that applies says what an exception means; any other is told as it is.
_RAISED: Mapping[str, tuple[Outcome, Callable[[Raised], bool]]] = {
    "unwritten": (Outcome.FAILED, lambda raised: raised.from_a_stub),
    "syntax": (Outcome.ERROR, lambda raised: raised.type_name in _SYNTAX),
    "exits": (Outcome.ERROR, lambda raised: raised.type_name == "SystemExit"),
    "memory": (Outcome.MEMORY, lambda raised: raised.memory),
    "forbidden": (Outcome.FAILED, lambda raised: raised.type_name == "NotAllowedHere"),
}


def _raised(raised: Raised, module: str, importing: bool, known: Collection[str]) -> Found:
    place = Place(raised.file, raised.line, raised.text) if raised.line else None
    facts: dict[str, Fact] = {
        "module": module,
        "said": f"{raised.type_name}: {raised.message}".rstrip(": "),
        "message": raised.message,
        "gib": DEFAULT_MEMORY_MIB >> 10,
    }
    other = raised.file.removesuffix(".py")
    if missing := _missing_exercise(raised, known):
        return Outcome.BLOCKED, Cause("needs_missing", {"module": module, "other": missing})
    if other in known and other != module:
        return Outcome.BLOCKED, Cause("needs_unready", facts | {"other": other}, place)
    for kind, (outcome, applies) in _RAISED.items():
        if applies(raised):
            return outcome, Cause(kind, facts, place)
    return Outcome.ERROR, Cause("raised_on_import" if importing else "raised", facts, place)


def _missing_exercise(raised: Raised, known: Collection[str]) -> str:
    if raised.type_name != "ModuleNotFoundError":
        return ""
    quoted = raised.message.split("'")
    return quoted[1] if len(quoted) > 1 and quoted[1] in known else ""


def _worker_failed(error: WorkerFailure, module: str, seconds: float) -> Found:
    facts: dict[str, Fact] = {"importing": module if error.importing else "", "said": str(error)}
    if isinstance(error, DeadlinePassed):
        return Outcome.TIMEOUT, Cause("timeout", facts | {"seconds": seconds})
    if isinstance(error, OutOfMemory):
        return Outcome.MEMORY, Cause("killed_for_memory", facts | {"gib": DEFAULT_MEMORY_MIB >> 10})
    if isinstance(error, OutputFlood):
        return Outcome.ERROR, Cause("flood", facts)
    if isinstance(error, TooMuchReturned):
        return Outcome.ERROR, Cause("too_much_in_all", facts)
    if isinstance(error, WorkerDied) and error.ended == ("exit", str(OVERFULL)):
        return Outcome.ERROR, Cause(
            "overfull", facts | {"mib": MAX_BYTES >> 20, "files": MAX_FILES}
        )
    if isinstance(error, WorkerDied):
        return Outcome.ERROR, Cause("died", facts | {"ended": error.ended})
    if isinstance(error, WorkerLost):
        return Outcome.INTERNAL, Cause("lost", facts)
    assert isinstance(error, ProtocolViolation)
    return Outcome.ERROR, Cause("violation", facts)


def _safe(cause: Cause) -> Cause:
    """What a submission returned or raised may be among the facts."""
    return replace(cause, facts={name: _printable(fact) for name, fact in cause.facts.items()})


def _printable(fact: Fact) -> Fact:
    if isinstance(fact, str):
        return printable(fact, MAX_TOLD)
    if isinstance(fact, tuple):
        return tuple(map(_printable, fact))
    if isinstance(fact, Mapping):
        return {printable(name, MAX_TOLD): _printable(value) for name, value in fact.items()}
    return fact
