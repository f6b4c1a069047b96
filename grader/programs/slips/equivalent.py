"""``equivalent.toml`` beside a suite: automatic slips that leave the program right, and why.

One table for every slip, as ``grader dev slips`` prints it::

    [[equivalent]]
    function = "softmax"
    before = "shifted = x - x.amax(dim, keepdim=True)"
    after = "shifted = x - x.amax(dim, keepdim=True).detach()"
    why = "The maximum cancels, and its gradient with it."

``after`` may be a list, when one reason serves several. ``place`` says which, if a function has the
same line more than once. Other lines of the page may change: a slip is found by its words.
"""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader.errors import SuiteError
from grader.programs.slips.automatic import AutomaticSlip, Key

_KEYS: dict[str, tuple[type, ...]] = {
    "function": (str,), "before": (str,), "after": (str, list), "why": (str,), "place": (int,),
}  # fmt: skip


@dataclass(frozen=True)
class Mark:
    """A slip that is said to leave the program right."""

    key: Key
    why: str

    def __str__(self) -> str:
        function, before, after, place = self.key
        return f"{function}: {before!r} -> {after!r}" + (f" (place {place})" if place > 1 else "")


def load_marks(path: Path) -> list[Mark]:
    """The marks in the order of the file, none if there is no file; raises ``SuiteError`` for one
    that cannot be read.
    """
    if not path.exists():
        return []
    where = f"{path.parent.name}/{path.name}"
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8")).get("equivalent", [])
    except tomllib.TOMLDecodeError as error:
        raise SuiteError(f"{where} is not TOML: {error}") from error
    return [mark for table in tables for mark in _marks(table, where)]


def as_table(slip: AutomaticSlip) -> str:
    """A table for the file, whose reason is still to be written."""
    lines = [f"{key} = {_quoted(getattr(slip, key))}" for key in ("function", "before", "after")]
    if slip.place > 1:
        lines.append(f"place = {slip.place}")
    return "\n".join(["[[equivalent]]", *lines, 'why = ""'])


def _marks(table: dict[str, Any], where: str) -> list[Mark]:
    wrong = [
        key for key, kind in _KEYS.items() if key in table and not isinstance(table[key], kind)
    ]
    missing = {"function", "before", "after"} - table.keys()
    for key in sorted({*wrong, *missing, *(table.keys() - _KEYS.keys())}):
        raise SuiteError(f"{where}: in {table} there is something wrong with {key!r}")
    afters = table["after"] if isinstance(table["after"], list) else [table["after"]]
    function, before, place = table["function"], table["before"], table.get("place", 1)
    why = " ".join(table.get("why", "").split())
    return [Mark((function, before, after, place), why) for after in afters]


def _quoted(text: str) -> str:
    plain = "'" not in text and text.isprintable()
    return f"'{text}'" if plain and ('"' in text or "\\" in text) else json.dumps(text)
