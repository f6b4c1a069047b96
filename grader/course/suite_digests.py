"""Which suite gave a mark: a digest for every exercise, of all that its marks come from.

That is its suite and bank, its solution with those that these import, and what the catalog says of
torch. Other exercises decide nothing about it, however they are changed; where a submission imports
its own other modules, whoever compares digests must look at theirs as well.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from grader.course.catalog import listed
from grader.course.course import Course
from grader.course.imports import own_modules
from grader.course.released import read_facts

_DECIDE = ("forbids", "welcomes", "dtypes", "points")  # titles, sources and hints are words alone
_SUITE = ""  # no module is called so


def suite_digests(course: Course) -> dict[str, str]:
    """By exercise, for all in the catalog; raises ``CatalogError``."""
    solutions = course.solution_texts
    return {
        name: _digest(_parts(course, name, entry, solutions))
        for name, entry in listed(course).items()
    }


def _parts(
    course: Course, name: str, entry: Mapping[str, Any], solutions: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """What has an influence, each with its name."""
    yield "catalog", json.dumps({key: entry.get(key, []) for key in _DECIDE})
    if course.is_released:
        yield "practice", read_facts(course.root).stamps.get(name, "")
        return
    programs = {_place(course, path): _text(path) for path in _programs(course, name)}
    yield from programs.items()
    suite = "\n".join([f"import {name}", *programs.values()])
    for used in sorted(own_modules({**solutions, _SUITE: suite}, _SUITE)):
        yield _place(course, course.solution(used)), solutions[used]


def _programs(course: Course, name: str) -> list[Path]:
    """Pictures and predictions give no marks."""
    others = {course.scene(name), course.predictions(name)}
    return sorted({*course.suite(name).parent.rglob("*.py")} - others)


def _place(course: Course, path: Path) -> str:
    """From the folder on of the course that it belongs to, wherever that lies."""
    return next(one.shown(path) for one in course.line if path.is_relative_to(one.root))


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _digest(parts: Iterator[tuple[str, str]]) -> str:
    digest = hashlib.sha256()
    for part in parts:
        for text in part:
            raw = text.encode()
            digest.update(f"{len(raw)}:".encode() + raw)
    return f"sha256:{digest.hexdigest()}"
