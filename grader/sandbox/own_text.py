"""A submission's own text, as the grader holds it: what a module of it can import, what it is sent
as, and what is believed of an exception that is said to come from it.
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from grader.errors import Held, OwnLine, ProtocolViolation, Raised
from grader.sandbox.describe import MAX_HELD, MAX_LINES
from grader.sandbox.protocol import MAX_AXES, printable

Texts = Mapping[str, str]
Packed = Mapping[str, np.ndarray[Any, Any]]

_WORD = re.compile(r"\w+")
_NAMED = re.compile(r"(?<![\w.])(?:self\.)?[^\W\d]\w*(?![\w(]|\s*=(?!=))")  # none called or set
_CALLED = re.compile(r"(?<![\w.])(?:self\.)?[^\W\d]\w*(?=\()")
_CLOSING = ")]}#"  # a line that begins so ends a signature or says nothing
_OPENS = re.compile(r"[ \t]*(?:async[ \t]+def|def|class)[ \t]+(\w+)")


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
            waiting += texts.keys() & _words(texts[name])
    return found


@functools.lru_cache(maxsize=64)
def _words(text: str) -> frozenset[str]:
    """Of the modules of one submission, which every exercise's worker is asked about."""
    return frozenset(_WORD.findall(text))


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
    kinds = {"type_name": str, "message": str, "lines": list, "memory": bool, "by_hand": bool}
    for key, kind in kinds.items():
        if type(form.get(key)) is not kind:
            raise ProtocolViolation(f"an exception whose {key} is missing")
    return Raised(
        type_name=printable(form["type_name"], 80),
        message=printable(form["message"], 1000),
        lines=tuple(line for line in form["lines"] if isinstance(line, OwnLine)),
        memory=form["memory"],
        by_hand=form["by_hand"],
    )


def placed(form: Any, texts: Texts) -> Any:
    """The description with lines that exist: of ``texts``, and with what stands there here.

    A worker may say what it likes: lines elsewhere are left out, and so is the claim that a module
    is missing which is there, or which no text speaks of.
    """
    if type(form) is not dict:
        return form
    said = form.get("lines")
    found = [_line(texts, line) for line in said[-MAX_LINES:]] if type(said) is list else None
    lines = found if found is None else [line for line in found if line is not None]
    name = form.get("type_name")
    if name == "ModuleNotFoundError" and not _may_be_missing(texts, form.get("message")):
        name = "ImportError"
    return form | {"lines": lines, "type_name": name}


def own_lines(text: str) -> list[str]:
    """The lines of a text, as Python counts them."""
    return re.split(r"\r\n|\r|\n", text)


def _line(texts: Texts, said: Any) -> OwnLine | None:
    """A line of the submission's; of a file that it does not have, none."""
    if type(said) not in (list, tuple) or len(said) not in (2, 3):
        return None
    file, line, *held = said
    if type(file) is not str or type(line) is not int:
        return None
    text = texts.get(file.removesuffix(".py"))
    if text is None:
        return None
    lines = own_lines(text)
    if not 0 < line <= len(lines):
        return OwnLine(printable(file, 80))
    shown = printable(lines[line - 1].strip(), 160)
    asked = condition(lines, line)
    named = f"{lines[asked - 1]} {shown}" if asked else shown
    names = _held(held[0], named) if held else ()
    return OwnLine(printable(file, 80), line, shown, within(lines, line), names)


def _held(said: Any, text: str) -> tuple[tuple[str, Held], ...]:
    """What the names in a line are said to have stood for, in the order in which they stand there;
    of others, nothing. What is called and is a number is why it raised.
    """
    pairs = said[:MAX_HELD] if type(said) is list else []
    found = {pair[0]: pair[1] for pair in pairs if _is_held(pair)}
    called = [name for name in _CALLED.findall(text) if type(found.get(name)) in (int, float)]
    names = dict.fromkeys((*_NAMED.findall(text), *called))
    return tuple((name, _as_held(found[name])) for name in names if name in found)


def _is_held(pair: Any) -> bool:
    if type(pair) is not list or len(pair) != 2 or type(pair[0]) is not str:
        return False
    value = pair[1]
    if value is None or (type(value) is float and math.isfinite(value)):
        return True
    sizes = value if type(value) is list else [value]
    return len(sizes) <= MAX_AXES and all(type(n) is int and abs(n) < 1 << 31 for n in sizes)


def _as_held(value: Any) -> Held:
    return tuple(value) if type(value) is list else value


def condition(lines: list[str], line: int) -> int:
    """The line of the ``if`` right above a line that raises, under which it stands; 0 if there is
    none.
    """
    if not 1 < line <= len(lines):
        return 0
    text, above = lines[line - 1], lines[line - 2]
    asks = re.match(r"[ \t]*(?:if|elif)\b.*:[ \t]*(?:#.*)?$", above)
    return line - 1 if text.lstrip().startswith("raise") and asks else 0


def within(lines: list[str], line: int) -> str:
    """The function that a line belongs to, told by indentation: ``Class.method``, ``function``, or
    one within these, ``Class.method.inner``.

    Not parsed, which a hostile text can crash.
    """
    names: list[str] = []
    margin = _margin(lines[line - 1])
    for text in reversed(lines[: line - 1]):
        if margin == 0 or len(names) == 3:
            break
        if text.strip() and _margin(text) < margin and text.strip()[0] not in _CLOSING:
            margin = _margin(text)
            if opened := _OPENS.match(text):
                names.insert(0, printable(opened.group(1), 80))
    return ".".join(names)


def _margin(text: str) -> int:
    return len(text) - len(text.lstrip())


def _may_be_missing(texts: Texts, message: Any) -> bool:
    quoted = message.split("'") if type(message) is str else []
    name = quoted[1].partition(".")[0] if len(quoted) > 1 else ""
    return name not in texts and any(name in _words(text) for text in texts.values())
