"""An exception of the submission's as plain values, so that it can be told on the other side."""

from __future__ import annotations

import difflib
import dis
import sys
from typing import Any

Values = dict[str, Any]

_OWN = "<submission>/"
MAX_LINES = 24  # of the submission's in one traceback, each told once
_NEAR = 0.75  # how much of two names must be the same, for one to be a slip of the other
_OTHERS = sys.stdlib_module_names | {"torch", "numpy", "sympy", "jaxtyping", "grader"}
_RAISE = dis.opmap["RAISE_VARARGS"]
DID_YOU_MEAN = ". Did you mean: "


def describe(error: BaseException) -> Values:
    """An exception as plain values, with the submission's own lines in its traceback, each once,
    the last one last.
    """
    try:
        message = str(error)
    except Exception:
        message = ""
    no_memory = isinstance(error, MemoryError) or "can't allocate memory" in message
    if isinstance(error, SystemExit):
        message = f"sys.exit({error.code!r})"
    if isinstance(error, SyntaxError):
        message = str(error.msg)
    if isinstance(error, AttributeError):
        message += _meant(error, message)
    return {
        "type_name": type(error).__name__,
        "message": message[:2000],
        "memory": no_memory,
        "by_hand": _is_by_hand(error),
        "lines": [[file, line] for file, line in _own_lines(error)],
    }


def _is_by_hand(error: BaseException) -> bool:
    """Whether an own statement raised it, ``raise`` or ``assert``, and no library."""
    step = error.__traceback__
    while step is not None and step.tb_next is not None:
        step = step.tb_next
    if step is None:
        return False
    of = str(step.tb_frame.f_globals.get("__name__")).partition(".")[0]
    return step.tb_frame.f_code.co_code[step.tb_lasti] == _RAISE and of not in _OTHERS


def _meant(error: AttributeError, message: str) -> str:
    """What Python says beside the message where it prints a traceback: the name that is nearest."""
    if not isinstance(error.name, str) or "Did you mean" in message:
        return ""
    try:
        near = difflib.get_close_matches(error.name, dir(error.obj), 1, _NEAR)
    except Exception:  # in a __dir__ of the submission's
        return ""
    return f"{DID_YOU_MEAN}{near[0]!r}?" if near else ""


def _own_lines(error: BaseException) -> list[tuple[str, int]]:
    """File and line. In a deep recursion the same few come again and again."""
    if isinstance(error, SyntaxError) and (error.filename or "").startswith(_OWN):
        return [(str(error.filename).removeprefix(_OWN), error.lineno or 0)]
    seen: dict[tuple[str, int], None] = {}
    step = error.__traceback__
    while step is not None:
        filename = step.tb_frame.f_code.co_filename
        if filename.startswith(_OWN):
            line = filename.removeprefix(_OWN), step.tb_lineno
            seen.pop(line, None)
            seen[line] = None
        step = step.tb_next
    return list(seen)[-MAX_LINES:]
