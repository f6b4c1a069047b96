"""What a pack says of itself: with which versions it was made, in which folder, and of what.

Anybody can write this. It is read strictly, shown to people as what it is, and decides nothing.
"""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from grader import __version__
from grader.course.course import Course
from grader.course.released import as_toml, read_facts
from grader.course.suite_digests import suite_digests

SCHEMA = "pack/v1"
NOTEBOOK = "notebook"
MAX_CHARACTERS = 200  # of a name or a digest
MAX_ENTRIES = 1000


@dataclass(frozen=True)
class Claims:
    """``grader`` packed it; ``course`` and ``version`` are the course's. Of a folder that was given
    away: its ``assignment``, by which version of grader it was ``released_by``, the digest of its
    ``catalog``, and by exercise the ``stamps`` that it has and digests of the ``practice`` that
    lies there. Of a whole course the stamps are digests of its suites. ``files`` are digests of
    the modules by name, or ``NOTEBOOK``: what else is in such a module comes from the course.
    """

    grader: str
    course: str = ""
    version: str = ""
    assignment: str = ""
    released_by: str = ""
    catalog: str = ""
    stamps: Mapping[str, str] = field(default_factory=dict)
    practice: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)


def claims_of(course: Course, files: Mapping[str, str]) -> Claims:
    """What can be said of a pack that is made here, of modules with these digests."""
    about, catalog = course.about, digest(course.catalog.read_bytes())
    name = about.name or about.title
    if not course.is_released:
        stamps = suite_digests(course)
        return Claims(__version__, name, about.version, "", "", catalog, stamps, {}, files)
    facts, practice = read_facts(course.root), practice_digests(course)
    return Claims(
        __version__, name, about.version, facts.title, facts.grader, catalog, facts.stamps,
        practice, files,
    )  # fmt: skip


def practice_digests(course: Course) -> dict[str, str]:
    """By exercise, of all that lies in ``practice`` for it."""
    paths: dict[str, list[Path]] = {}
    for path in sorted(course.practice.rglob("*.*")):
        if path.is_file():
            paths.setdefault(path.stem, []).append(path)
    return {name: digest(*(path.read_bytes() for path in those)) for name, those in paths.items()}


def digest(*parts: bytes) -> str:
    """Of all parts, and of where one ends."""
    whole = hashlib.sha256()
    for raw in parts:
        whole.update(f"{len(raw)}:".encode() + raw)
    return f"sha256:{whole.hexdigest()}"


def written(claims: Claims) -> str:
    """As TOML."""
    return as_toml({"schema": SCHEMA, **vars(claims)})


def read_claims(text: str) -> Claims | None:
    """The claims in untrusted text; None where it says none that are understood."""
    try:
        form = tomllib.loads(text)
    except (ValueError, RecursionError):
        return None
    if form.pop("schema", None) != SCHEMA or "grader" not in form:
        return None
    known = {one.name: dict if one.default_factory is dict else str for one in fields(Claims)}
    if not all(key in known and _is_sane(value, known[key]) for key, value in form.items()):
        return None
    return Claims(**form)


def _is_sane(value: Any, kind: type[Any]) -> bool:
    if type(value) is not kind:
        return False
    if isinstance(value, str):
        return len(value) <= MAX_CHARACTERS
    return len(value) <= MAX_ENTRIES and all(
        _is_sane(one, str) for one in (*value, *value.values())
    )
