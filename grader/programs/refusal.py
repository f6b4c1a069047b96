"""Whether a program refuses what its page says it refuses: one rule for the whole house.

A page says ``ValueError``; an ``AssertionError`` or a ``TypeError`` counts as well, as
exercises/README.md says. What counts is a decision of the program: a ``raise`` or an ``assert`` of
its own. An exception that torch or Python raises over what was never looked at is an accident,
which other sizes may not have. Python's own ``index`` is none: to say with a ValueError what is not
in a text, a list or a tuple is what it is for.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import torch

from grader.errors import Raised, SubmissionRaised
from grader.model import Cause, Fact, Place
from grader.programs.failure import CheckFailed, Evidence

Call = Callable[[], Any]
_MANY = 8  # parts of an answer are not told one by one

_LOOKED_UP = ("KeyError", "AttributeError")
_REFUSALS = ("ValueError", "AssertionError", "TypeError")
# The last line of the program's own: one that refuses, or one that was at something else. A line in
# the midst of a statement over several lines is neither, and believed.
_DECIDES = re.compile(r"(^|[:;]\s*)(raise|assert)\b|\b_?(assert|check)\w*\(")
_RAISES = re.compile(r"(^|[:;]\s*)raise\b")
_NOT_IN_IT = re.compile(r"\bnot\s(?:found|in\s(?:list|tuple))$")
_RETURNED = re.compile(r"__init__\(\)\sshould\sreturn")  # Python's words, where `raise` was meant
_ACTS = re.compile(
    r"(return|yield|if|elif|else|for|while|with|try|del|lambda|import|from)\b"
    r"|[\w.,\s\[\]*()]+\s([-+*/@%&|^]|//|\*\*)?=\s|[\w.]+\("
)


def refuses(call: Call, what: str, *more: Any) -> None:
    """Assert that ``call()`` is refused; ``what`` completes the sentence "... is accepted".

    Further calls and words, in pairs, must be refused as well; one sentence tells of all that are
    accepted. Raises ``CheckFailed``, or what the stub raised.
    """
    pairs = [(call, what), *zip(more[::2], more[1::2], strict=True)]
    answers = {said: _answer(attempt, said) for attempt, said in pairs}
    accepted = {said: answer for said, answer in answers.items() if answer is not None}
    if accepted:
        facts: dict[str, Fact] = {
            "cases": tuple(accepted),
            "got": " and ".join(dict.fromkeys(accepted.values())),
        }
        raise CheckFailed(Cause("not_refused", facts), Evidence("not_refused", 0, str(accepted)))


def _answer(call: Call, what: str) -> str | None:
    """What came back, in words; nothing if it was refused."""
    try:
        answer = call()
    except SubmissionRaised as error:
        if error.raised.from_a_stub or error.raised.type_name == "NotImplementedError":
            raise
        if not _is_refusal(error.raised):
            raise _accident(error.raised, what) from None
        return None
    return _described(answer)


def _described(answer: Any) -> str:
    if isinstance(answer, (tuple, list)):
        if len(answer) > _MANY:
            return f"a {type(answer).__name__} of {len(answer)}"
        return ", ".join(map(_described, answer)) or "nothing"
    return f"shape {tuple(answer.shape)}" if isinstance(answer, torch.Tensor) else "an answer"


def _is_refusal(raised: Raised) -> bool:
    if raised.type_name not in _REFUSALS or _RETURNED.search(raised.message):
        return False
    if ".index(" in raised.last.text and _NOT_IN_IT.search(raised.message):
        return True
    return bool(_DECIDES.search(raised.last.text)) or not _ACTS.match(raised.last.text)


def _accident(raised: Raised, what: str) -> CheckFailed:
    last = raised.last
    place = Place(last.file, last.line, last.text) if last.line else None
    said = f"{raised.type_name}: {raised.message}"
    if _RETURNED.search(raised.message):
        cause = Cause("returned_by_init", {"cases": (what,), "said": said})
        return CheckFailed(cause, Evidence("refused_by_accident", 0, f"{what}: returned"))
    facts: dict[str, Fact] = {"cases": (what,), "error": raised.type_name, "said": said}
    kind = "refused_with_another" if _RAISES.search(last.text) else "refused_by_accident"
    # By a name that is not there it is known how that was looked up; all else is an accident, too.
    how = f"{what}: {raised.type_name}" if raised.type_name in _LOOKED_UP else what
    seen = Evidence("refused_by_accident", 0, how)
    return CheckFailed(Cause(kind, facts, place), seen)
