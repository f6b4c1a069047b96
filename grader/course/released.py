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

from grader.errors import CourseNotFound

FILE_NAME = "release.toml"


@dataclass(frozen=True)
class Facts:
    """By exercise: how many ``checks`` are let out, their ``points``, how many stay ``at_home``,
    and the ``stamps`` of what they were made of. ``grader`` and ``torch`` are versions. ``asked``
    are the exercises of an assignment, without what they only need, and ``due`` is when (ISO 8601).
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
    """Those of a released folder; raises ``CourseNotFound`` if they cannot be read."""
    try:
        form = tomllib.loads((root / FILE_NAME).read_text(encoding="utf-8"))
        return Facts(**{**form, "asked": tuple(form.get("asked", ()))})
    except (OSError, ValueError, TypeError) as error:
        raise CourseNotFound(
            f"{root / FILE_NAME} cannot be read: unpack what you were given once more."
        ) from error


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
