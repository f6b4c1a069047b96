"""What a released folder says of itself: for which version, which exercises, and how much of them.

It names no check that stays at home, only how many there are.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from grader import __version__
from grader.errors import CourseNotFound, OtherForm

FILE_NAME = "release.toml"
FORM = 5  # of this file and of the practice: one more whenever what was released cannot be read


@dataclass(frozen=True)
class Facts:
    """By exercise: how many ``checks`` are let out, their ``points``, how many stay ``at_home``,
    and the ``stamps`` of what they were made of. ``grader`` and ``torch`` are versions. ``asked``
    are the exercises of an assignment, without what they only need, and ``due`` is when (ISO 8601).
    ``form`` is that in which all of it is written.
    """

    title: str
    grader: str
    torch: str
    checks: Mapping[str, int] = field(default_factory=dict)
    points: Mapping[str, float] = field(default_factory=dict)
    at_home: Mapping[str, int] = field(default_factory=dict)
    stamps: Mapping[str, str] = field(default_factory=dict)
    asked: tuple[str, ...] = ()
    due: str = ""
    form: int = FORM

    def adding(self, name: str, checks: int, points: float, at_home: int, stamp: str) -> Facts:
        """With what was let out of an exercise."""
        return replace(
            self,
            checks={**self.checks, name: checks},
            points={**self.points, name: points},
            at_home={**self.at_home, name: at_home},
            stamps={**self.stamps, name: stamp},
        )

    def like(self, other: Facts, name: str) -> Facts:
        """With what another release says of an exercise."""
        checks, points = other.checks[name], other.points[name]
        return self.adding(name, checks, points, other.at_home[name], other.stamps[name])


def read_facts(root: Path) -> Facts:
    """Those of a released folder; raises ``CourseNotFound`` if they cannot be read, and
    ``OtherForm`` if another version has written it in its own way.
    """
    try:
        facts = tomllib.loads((root / FILE_NAME).read_text(encoding="utf-8"))
        _require_form(root, facts)
        return Facts(**{**facts, "asked": tuple(facts.get("asked", ()))})
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise CourseNotFound(
            f"{root / FILE_NAME} cannot be read: unpack what you were given once more."
        ) from error


def _require_form(root: Path, facts: Mapping[str, Any]) -> None:
    """Earlier versions did not say it."""
    if facts.get("form", 0) != FORM:
        made_by = facts["grader"]
        raise OtherForm(
            f"{root} was released by grader {made_by}, in another form than this version, "
            f"{__version__}, reads. It must be released anew: ask whoever gave it to you to run "
            f"`grader release` with grader {__version__}, and what you wrote stays as it is."
            + (f" Or install grader {made_by}." if made_by != __version__ else "")
        )


def write_facts(root: Path, facts: Facts) -> None:
    """Say it in a folder."""
    (root / FILE_NAME).write_text(as_toml(vars(facts)), encoding="utf-8")


def as_toml(form: Mapping[str, Any]) -> str:
    """Values before tables, as TOML wants them."""
    tables = {key: table for key, table in form.items() if isinstance(table, Mapping)}
    lines = [f"{key} = {_toml(value)}" for key, value in form.items() if key not in tables]
    for key, table in tables.items():
        lines += ["", f"[{key}]", *(f"{name} = {_toml(value)}" for name, value in table.items())]
    return "\n".join(lines) + "\n"


def _toml(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_toml(key)} = {_toml(one)}" for key, one in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")  # else TOML is the same
