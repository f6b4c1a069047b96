"""What stopped a check -> outcome and cause, in words a student understands."""

from __future__ import annotations

from collections.abc import Collection

from grader.errors import (
    DeadlinePassed,
    OutputFlood,
    ProtocolViolation,
    Raised,
    SubmissionRaised,
    WorkerDied,
    WorkerFailure,
)
from grader.model import Cause, Outcome
from grader.programs.failure import CheckFailed, NotHandedIn, finding_of
from grader.sandbox.session import DEFAULT_MEMORY_MIB, Session


def explain(
    error: BaseException,
    module: str,
    seconds: float,
    session: Session | None,
    known: Collection[str],
) -> tuple[Outcome, Cause]:
    """Outcome and cause for what a check raised. ``known`` names all exercises."""
    importing = "while importing" in getattr(error, "__notes__", ())
    if isinstance(error, CheckFailed):
        return Outcome.FAILED, error.cause
    if isinstance(error, AssertionError):
        return Outcome.FAILED, Cause(finding_of(error))
    if isinstance(error, NotHandedIn):
        return Outcome.ERROR, Cause(str(error), f"a readable {module}.py", "", "Add the file.")
    if isinstance(error, SubmissionRaised):
        return _raised(error.raised, module, importing, known)
    if isinstance(error, WorkerFailure):
        return _worker_failed(error, module, seconds, importing, session)
    return Outcome.INTERNAL, Cause(
        "The grader itself failed on this check; it is not the submission's fault.",
        actual=f"{type(error).__name__}: {error}"[:500],
        help="Tell your instructor.",
    )


def _raised(
    raised: Raised, module: str, importing: bool, known: Collection[str]
) -> tuple[Outcome, Cause]:
    place = f"{raised.file}, line {raised.line}" if raised.line else f"{module}.py"
    shown = f"`{raised.text}`" if raised.text else ""
    said = f"{raised.type_name}: {raised.message}".rstrip(": ")
    other = raised.file.removesuffix(".py")
    if missing := _missing_exercise(raised, known):
        return Outcome.BLOCKED, Cause(
            f"{module}.py imports your `{missing}`, which is not in the submission.",
            help=f"Hand in {missing}.py as well.",
        )
    if other in known and other != module:
        return Outcome.BLOCKED, Cause(
            f"This uses your `{other}`, which is not ready: {place} raises {said}.",
            help=f"Mend {other} first.",
        )
    if raised.from_a_stub:
        return Outcome.FAILED, Cause(
            f"Not written yet: {place} still holds {shown or 'the stub'}.",
            help="Replace that line with your solution.",
        )
    if raised.type_name in ("SyntaxError", "IndentationError", "TabError"):
        return Outcome.ERROR, Cause(
            f"Python cannot read {place}: {raised.message}.", actual=shown, help="Mend that line."
        )
    if raised.type_name == "SystemExit":
        return Outcome.ERROR, Cause(
            f"{place} ends the program with {raised.message}.",
            actual=shown,
            help="Functions return values; take the call out.",
        )
    if raised.memory:
        return Outcome.MEMORY, Cause(
            f"{place} asks for more memory than there is for a submission "
            f"({DEFAULT_MEMORY_MIB >> 10} GiB).",
            actual=shown or said,
            help="Look for a tensor that is far larger than the inputs.",
        )
    if raised.type_name == "NotAllowedHere":
        return Outcome.FAILED, Cause(f"{place}: {raised.message}.", actual=shown)
    doing = f"Importing {module}.py" if importing else "The call"
    return Outcome.ERROR, Cause(f"{doing} raised {said} ({place}).", "a value", shown or said)


def _missing_exercise(raised: Raised, known: Collection[str]) -> str:
    if raised.type_name != "ModuleNotFoundError":
        return ""
    quoted = raised.message.split("'")
    return quoted[1] if len(quoted) > 1 and quoted[1] in known else ""


def _worker_failed(
    error: WorkerFailure, module: str, seconds: float, importing: bool, session: Session | None
) -> tuple[Outcome, Cause]:
    doing = f"importing {module}.py" if importing else "this check"
    if isinstance(error, DeadlinePassed):
        return Outcome.TIMEOUT, Cause(
            f"No answer within {seconds:g} s for {doing}.",
            help="Look for a loop that never ends.",
        )
    if isinstance(error, OutputFlood):
        return Outcome.ERROR, Cause(
            f"Printing without end in {doing}: {error}.", help="Print less."
        )
    if isinstance(error, WorkerDied):
        ended = session.how_it_ended() if session is not None else "its process ended"
        return Outcome.ERROR, Cause(
            f"Your code ended its own process during {doing}: {ended}.",
            help="Take out os._exit, or look for what crashes native code.",
        )
    assert isinstance(error, ProtocolViolation)
    return Outcome.ERROR, Cause(
        f"What came back in {doing} is not an answer: {error}.",
        help="Return plain tensors and leave the grader's channel alone.",
    )
