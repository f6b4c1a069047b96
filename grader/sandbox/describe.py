"""An exception of the submission's as plain values, so that it can be told on the other side."""

from __future__ import annotations

import linecache
from typing import Any

Values = dict[str, Any]


def describe(error: BaseException) -> Values:
    """An exception as plain values, with the last line of the submission's own in its traceback."""
    place = _own_place(error)
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
        **place,
    }


def _own_place(error: BaseException) -> Values:
    if isinstance(error, SyntaxError) and (error.filename or "").startswith("<submission>"):
        name = str(error.filename).removeprefix("<submission>/")
        return {"file": name, "line": error.lineno or 0, "text": (error.text or "").strip()[:200]}
    place: Values = {"file": "", "line": 0, "text": ""}
    step = error.__traceback__
    while step is not None:
        filename = step.tb_frame.f_code.co_filename
        if filename.startswith("<submission>/"):
            text = linecache.getline(filename, step.tb_lineno).strip()[:200]
            name = filename.removeprefix("<submission>/")
            place = {"file": name, "line": step.tb_lineno, "text": text}
        step = step.tb_next
    return place
