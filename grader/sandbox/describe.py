"""An exception of the submission's as plain values, so that it can be told on the other side."""

from __future__ import annotations

from typing import Any

Values = dict[str, Any]

_OWN = "<submission>/"
MAX_LINES = 24  # of the submission's in one traceback, each told once


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
    return {
        "type_name": type(error).__name__,
        "message": message[:2000],
        "memory": no_memory,
        "lines": [[file, line] for file, line in _own_lines(error)],
    }


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
