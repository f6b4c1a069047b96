"""What stopped a check -> outcome and cause, as data."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Any

import pytest

from grader.errors import (
    DeadlinePassed,
    GraderError,
    NotAskedAgain,
    OutOfMemory,
    OutputFlood,
    OwnLine,
    ProtocolViolation,
    Raised,
    SubmissionRaised,
    TooMuchReturned,
    WorkerDied,
    WorkerFailure,
    WorkerLost,
)
from grader.examiner.exceptions import recognised
from grader.examiner.exchanged import exchanging
from grader.examiner.surroundings import NOWHERE, Surroundings
from grader.model import Cause, Fact, Outcome, Place
from grader.programs.failure import BudgetSpent, CheckFailed, CheckSkipped, NotHandedIn, finding_of
from grader.programs.hung import MOST_HANGS
from grader.report.words import said
from grader.sandbox.describe import DID_YOU_MEAN
from grader.sandbox.protocol import printable
from grader.sandbox.temporary import MAX_BYTES, MAX_FILES, OVERFULL

MAX_TOLD = 2000

Found = tuple[Outcome, Cause]


def explain(
    error: BaseException,
    module: str,
    seconds: float,
    known: Collection[str],
    around: Surroundings = NOWHERE,
) -> Found:
    """Outcome and cause for what a check raised, safe to show. ``known`` names all exercises, and
    ``around`` is what an exception is told with.
    """
    outcome, cause = _explained(error, module, seconds, known, around.of_exercise(module))
    return outcome, _safe(replace(cause, facts={**cause.facts, **_asked(error)}))


def _asked(error: BaseException) -> dict[str, Fact]:
    """In which of the check's comparisons it went wrong, and in which ways that was asked."""
    if not isinstance(error, GraderError):
        return {}
    ways: dict[str, Fact] = {"asked_again": error.asked_again} if error.asked_again else {}
    return ways if error.step is None else {"step": error.step, **ways}


def _explained(
    error: BaseException,
    module: str,
    seconds: float,
    known: Collection[str],
    around: Surroundings,
) -> Found:
    if isinstance(error, pytest.skip.Exception):
        return Outcome.SKIPPED, said(str(error))
    if isinstance(error, CheckSkipped):
        return Outcome.SKIPPED, error.cause
    if isinstance(error, CheckFailed):
        cause = _of_nothing(error.cause, around)
        return Outcome.FAILED, _asked_in_vain(_with_sizes(cause, around), around)
    if isinstance(error, AssertionError):
        return Outcome.FAILED, said(finding_of(error))
    if isinstance(error, BudgetSpent):
        spent = Outcome.TIMEOUT if error.cause.kind == "budget" else Outcome.ERROR
        return spent, error.cause
    if isinstance(error, NotHandedIn):
        return Outcome.ERROR, error.cause
    if isinstance(error, SubmissionRaised):
        return _raised(error, module, known, around)
    if isinstance(error, WorkerFailure):
        return _worker_failed(error, module, seconds, around)
    return Outcome.INTERNAL, Cause("internal", {"said": f"{type(error).__name__}: {error}"[:500]})


def _of_nothing(cause: Cause, around: Surroundings) -> Cause:
    """Where None came back, which function of the submission's lacks its ``return``."""
    if cause.kind != "kind" or cause.facts.get("got_kind") != ("nothing",):
        return cause
    called: Any = cause.facts["call"]
    name = around.own_name(called) if called else ""
    line = around.line_of(name)
    if not line.line or around.returns_none(line):
        return cause
    kind = "returns_nothing" if around.never_returns(line) else "returns_none"
    if kind == "returns_none" and not around.falls_through(line):
        return replace(cause, kind="none_set_inside" if around.nests_functions() else "none_among")
    facts = {**cause.facts, "name": name}
    word, near = _misspelt(called, around, line) if kind == "returns_none" else ("", "")
    if near:
        kind, facts = "returns_none_for_word", facts | {"word": word, "near": near}
    return Cause(kind, facts, _place(line))


def _with_sizes(cause: Cause, around: Surroundings) -> Cause:
    """What the page calls the sizes with which a layer is made whose parameters are wrong."""
    call: Any = cause.facts.get("call") if cause.kind == "parameters" else None
    if not call:
        return cause
    sizes: Fact = {str(size): name for size, name in around.sizes([call]).items()}
    return replace(cause, facts={**cause.facts, "sizes": sizes})


def _asked_in_vain(cause: Cause, around: Surroundings) -> Cause:
    """Where another operation fails behind a condition of the page that should have refused."""
    place = cause.place
    if cause.kind != "refused_by_accident" or place is None or place.file != f"{around.module}.py":
        return cause
    asked = around.asked_above(OwnLine(place.file, place.line))
    more: dict[str, Fact] = {"condition": asked.text, "set_at": asked.line}
    return (
        replace(cause, kind="asked_in_vain", facts={**cause.facts, **more}) if asked.line else cause
    )


def _misspelt(call: Mapping[str, Any], around: Surroundings, line: OwnLine) -> tuple[str, str]:
    """A text that a call was given and that stands nowhere in the code of the function, and what
    looks like it there.
    """
    given = [form[1] for form in (*call["args"], *call["kwargs"].values()) if form[0] == "plain"]
    words = [text[1:-1] for text in given if re.fullmatch(r"'[^'\\]+'", text)]
    return next(((w, near) for w in words if (near := around.resembling_text(w, line))), ("", ""))


_SYNTAX = ("SyntaxError", "IndentationError", "TabError")

# The first that applies says what an exception means; any other is told as it is.
_RAISED: Mapping[str, tuple[Outcome, Callable[[Raised], bool]]] = {
    "unwritten": (Outcome.FAILED, lambda raised: raised.from_a_stub),
    "syntax": (Outcome.ERROR, lambda raised: raised.type_name in _SYNTAX),
    "exits": (Outcome.ERROR, lambda raised: raised.type_name == "SystemExit"),
    "memory": (Outcome.MEMORY, lambda raised: raised.memory),
    "forbidden": (Outcome.FAILED, lambda raised: raised.type_name == "NotAllowedHere"),
}


def _raised(
    error: SubmissionRaised, module: str, known: Collection[str], around: Surroundings
) -> Found:
    raised = error.raised
    if missing := _missing_exercise(raised, known):
        return Outcome.BLOCKED, Cause("needs_missing", {"module": module, "other": missing})
    other = raised.last.file.removesuffix(".py")
    if other in known and other != module and not _exchanges(raised, module, around):
        return Outcome.BLOCKED, _of_other(error, module, other, around)
    return _meaning(error, module, around)


def _exchanges(raised: Raised, module: str, around: Surroundings) -> bool:
    """Whether a line of the module itself hands on arguments in the wrong order."""
    found = exchanging(raised, around)
    return found is not None and found[0].file == f"{module}.py"


def _meaning(error: SubmissionRaised, module: str, around: Surroundings) -> Found:
    """What an exception means, told with the learner's own line; one that nobody knows as it is."""
    raised, facts = error.raised, _facts(error.raised, module, around)
    if given := around.given_within(raised):
        facts["given"] = given
    swapped = exchanging(raised, around)
    own = swapped[0] if swapped else around.own_line(raised.lines)
    facts |= {"held": dict(own.held)} if own.held else {}
    facts |= _callers(raised, own, around)
    place = _place(own)
    for kind, (outcome, applies) in _RAISED.items():
        if applies(raised):
            return outcome, Cause(kind, facts, place)
    if swapped:
        _, one = swapped
        facts |= {"name": one.name, "signature": one.called, "takes": one.takes}
        return Outcome.ERROR, Cause("arguments_exchanged", facts, place)
    if meant := recognised(raised, around, error.calls):
        kind, more = meant
        facts["call"] = error.calls[-1] if error.calls else None
        return Outcome.ERROR, Cause(kind, facts | more, place or _place(around.named_by(raised)))
    if given and raised.by_hand:
        return Outcome.ERROR, Cause("refused_by_given", facts, place)
    return Outcome.ERROR, Cause("raised_on_import" if error.importing else "raised", facts, place)


def _callers(raised: Raised, own: OwnLine, around: Surroundings) -> dict[str, Fact]:
    """The lines of the same module through which the function that raised was called, the nearest
    first, each with the function or class of the page that it calls.
    """
    found: list[Fact] = []
    before = raised.lines[: raised.lines.index(own)] if own in raised.lines else ()
    within = _of_page(own, around)
    for line in reversed([line for line in before if line.file == own.file]):
        signature = around.signature(within)
        callee = within.removesuffix(".forward").removesuffix(".__init__")
        if signature is None:
            break
        if _of_page(line, around) != within:
            called: dict[str, Fact] = {"file": line.file, "line": line.line, "text": line.text}
            known: dict[str, Fact] = {"callee": callee, "signature": signature.shown}
            found.append(called | known | {"held": dict(line.held)})
            within = _of_page(line, around)
    return {"callers": tuple(found)} if found else {}


def _of_page(line: OwnLine, around: Surroundings) -> str:
    """The function of the page that a line belongs to, also where it is in a function within it."""
    within = line.within
    while within and around.signature(within) is None:
        within = within.rpartition(".")[0]
    return within or line.within


def _of_other(error: SubmissionRaised, module: str, other: str, around: Surroundings) -> Cause:
    """An exception in another of the submission's modules. ``because`` is what it is if that module
    turns out to be right: then the caller handed it what it cannot use.
    """
    raised, facts = error.raised, _facts(error.raised, module, around) | {"other": other}
    _, reason = _meaning(error, other, around.of_exercise(other))
    reason = refused_there(reason)
    own = [line for line in raised.lines if line.file == f"{module}.py"]
    if reason.kind == "no_return" and own and around.without_return(own[-1]):
        caller = replace(reason, facts={**reason.facts, "held": {}}, place=_place(own[-1]))
        return Cause("needs_unready", facts, _place(raised.last), because=caller)
    last = around.own_line(own)
    signature = _called_from(last, raised, around)
    signature = signature or around.of_exercise(other).signature_of(raised.lines)
    kind = handed_over(reason, "callers" if signature else "callers_of_own", last.text)
    facts |= {"signature": signature} | _callers(raised, last, around)
    caller = Cause(kind, facts, _place(last), reason)
    return Cause("needs_unready", facts, _place(raised.last), because=caller)


def _called_from(line: OwnLine, raised: Raised, around: Surroundings) -> str:
    """The signature of what a line calls: of another page, the first that is entered after it."""
    after = raised.lines[raised.lines.index(line) + 1 :] if line in raised.lines else ()
    if not after or after[0].file == line.file:
        return ""
    around = around.of_exercise(after[0].file.removesuffix(".py"))
    within = _of_page(after[0], around)
    signature = around.signature(within)
    if signature is None:
        return ""
    owner, _, method = within.rpartition(".")
    return f"{owner}.{signature.shown}" if owner and method != "__init__" else signature.shown


def refused_there(reason: Cause) -> Cause:
    """A refusal of the learner's own is right where the caller is wrong."""
    own = reason.kind.startswith("own_refusal")
    return replace(reason, kind="refused_there") if own else reason


def handed_over(reason: Cause, kind: str, line: str) -> str:
    """The kind of what a call in a ``line`` hands over that cannot be used; a tuple is seldom
    meant, be it handed over or returned by a function that is.
    """
    if reason.kind not in ("pair_for_tensor", "named_pair"):
        return kind
    return "pair_returned" if re.search(r"\blambda\b", line) else "pair_handed_over"


def _facts(raised: Raised, module: str, around: Surroundings) -> dict[str, Fact]:
    said, _, _ = raised.message.partition(DID_YOU_MEAN)  # which is told in words of its own
    return {
        "module": module,
        "said": f"{raised.type_name}: {said}".rstrip(": "),
        "message": raised.message,
        "gib": around.memory_gib,
    }


def _place(line: OwnLine) -> Place | None:
    return Place(line.file, line.line, line.text) if line.line else None


def _missing_exercise(raised: Raised, known: Collection[str]) -> str:
    if raised.type_name != "ModuleNotFoundError":
        return ""
    quoted = raised.message.split("'")
    return quoted[1] if len(quoted) > 1 and quoted[1] in known else ""


def _worker_failed(
    error: WorkerFailure, module: str, seconds: float, around: Surroundings
) -> Found:
    facts: dict[str, Fact] = {"importing": module if error.importing else "", "said": str(error)}
    if isinstance(error, NotAskedAgain):
        name = around.own_name(error.calls[-1])
        facts = {"name": name, "times": MOST_HANGS}
        return Outcome.TIMEOUT, Cause("hung_before", facts, _place(around.line_of(name)))
    if isinstance(error, DeadlinePassed):
        place = around.line_of(around.own_name(error.calls[-1])) if error.calls else OwnLine("")
        return Outcome.TIMEOUT, Cause("timeout", facts | {"seconds": seconds}, _place(place))
    if isinstance(error, OutOfMemory):
        return Outcome.MEMORY, Cause("killed_for_memory", facts | {"gib": around.memory_gib})
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
