"""A submission's own text, as the grader holds it: what a module of it can import, what it is sent
as, and what is believed of an exception that is said to come from it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from grader.errors import ProtocolViolation, Raised
from grader.sandbox.protocol import printable

Texts = Mapping[str, str]
Packed = Mapping[str, np.ndarray[Any, Any]]

_WORD = re.compile(r"\w+")


def importable(texts: Texts, module: str) -> dict[str, str]:
    """``module`` and those of the submission's modules that it may import, however it does so:
    their names stand as words in its text, or in theirs.
    """
    found: dict[str, str] = {}
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name in texts and name not in found:
            found[name] = texts[name]
            waiting += texts.keys() & set(_WORD.findall(texts[name]))
    return found


def packed(texts: Texts) -> Packed:
    """As raw bytes, which cross the wall as they are; in JSON each may become six."""
    raw = {name: text.encode("utf-8", "surrogatepass") for name, text in texts.items()}
    return {name: np.frombuffer(data, np.uint8) for name, data in raw.items()}


def unpacked(packed: Packed) -> Texts:
    """The inverse, in the worker."""
    return {name: raw.tobytes().decode("utf-8", "surrogatepass") for name, raw in packed.items()}


def raised_from(form: Any) -> Raised:
    """Read an untrusted description of an exception; raises ``ProtocolViolation`` if it is none."""
    if type(form) is not dict:
        raise ProtocolViolation("an exception that is not described")
    kinds = {"type_name": str, "message": str, "file": str, "line": int, "text": str}
    kinds["memory"] = bool
    for key, kind in kinds.items():
        if type(form.get(key)) is not kind:
            raise ProtocolViolation(f"an exception whose {key} is missing")
    return Raised(
        type_name=printable(form["type_name"], 80),
        message=printable(form["message"], 1000),
        file=printable(form["file"], 80),
        line=form["line"],
        text=printable(form["text"], 160),
        memory=form["memory"],
    )


def placed(form: Any, texts: Texts) -> Any:
    """The description with a place that exists: a line of ``texts``, and what stands there here.

    A worker may say what it likes: a place elsewhere is left out, and so is the claim that a module
    is missing which is there, or which no text speaks of.
    """
    if type(form) is not dict:
        return form
    place = _line(texts, form.get("file"), form.get("line"))
    name = form.get("type_name")
    if name == "ModuleNotFoundError" and not _may_be_missing(texts, form.get("message")):
        name = "ImportError"
    return form | place | {"type_name": name}


def _line(texts: Texts, file: Any, line: Any) -> dict[str, Any]:
    """A line of the submission's; of a file that it does not have, none."""
    nowhere = {"file": "", "line": 0, "text": ""}
    if type(file) is not str or type(line) is not int:
        return nowhere
    text = texts.get(file.removesuffix(".py"))
    if text is None:
        return nowhere
    lines = re.split(r"\r\n|\r|\n", text)  # as Python counts them
    if not 0 < line <= len(lines):
        return nowhere | {"file": file}
    return {"file": file, "line": line, "text": lines[line - 1].strip()}


def _may_be_missing(texts: Texts, message: Any) -> bool:
    quoted = message.split("'") if type(message) is str else []
    name = quoted[1].partition(".")[0] if len(quoted) > 1 else ""
    return name not in texts and any(name in _WORD.findall(text) for text in texts.values())
