"""An exception of the submission's as plain values, so that it can be told on the other side."""

from __future__ import annotations

import difflib
import dis
import sys
from collections.abc import Iterator
from types import FrameType
from typing import Any

import numpy as np
import torch

Values = dict[str, Any]

_OWN = "<submission>/"
MAX_LINES = 24  # of the submission's in one traceback, each told once
MAX_HELD = 40  # names of one line
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
        "lines": [[file, line, held] for (file, line), held in _own_lines(error).items()],
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


def _own_lines(error: BaseException) -> dict[tuple[str, int], list[list[Any]]]:
    """File and line, and what names held there. In a deep recursion the same few come again and
    again.
    """
    if isinstance(error, SyntaxError) and (error.filename or "").startswith(_OWN):
        return {(str(error.filename).removeprefix(_OWN), error.lineno or 0): []}
    seen: dict[tuple[str, int], FrameType] = {}
    step = error.__traceback__
    while step is not None:
        filename = step.tb_frame.f_code.co_filename
        if filename.startswith(_OWN):
            line = filename.removeprefix(_OWN), step.tb_lineno
            seen.pop(line, None)
            seen[line] = step.tb_frame
        step = step.tb_next
    return {line: _held(seen[line]) for line in list(seen)[-MAX_LINES:]}


def _held(frame: FrameType) -> list[list[Any]]:
    """What an own function's names stand for: tensors and arrays by their shapes, numbers, None;
    and what ``self`` holds.
    """
    if frame.f_code.co_name == "<module>":
        return []
    found: dict[str, Any] = {}
    for name, value in (*frame.f_locals.items(), *_on_self(frame.f_locals.get("self"))):
        if type(value) in (torch.Tensor, torch.nn.Parameter, np.ndarray):
            found[name] = list(value.shape)
        elif value is None or (type(value) in (int, float) and abs(value) < 1 << 31):
            found[name] = value
    return [[name, value] for name, value in found.items()][:MAX_HELD]


def _on_self(module: Any) -> Iterator[tuple[str, Any]]:
    """Parameters, buffers and what else is set on a module, each as ``self.name``."""
    if not isinstance(module, torch.nn.Module):
        return
    own = object.__getattribute__(module, "__dict__")
    for values in (own, own.get("_parameters"), own.get("_buffers")):
        for name, value in values.items() if type(values) is dict else ():
            yield f"self.{name}", value
