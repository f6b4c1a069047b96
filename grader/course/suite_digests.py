"""Which suite gave a mark: a digest for every exercise, of all that its marks come from.

That is its suite and bank, its solution with those that these import, and what the catalog says of
torch. Other exercises decide nothing about it, however they are changed, but for those whose banks
a program of the suite says it reads: ``READS_BANKS_OF = ("masks", "softmax")``. Where a submission
imports its own other modules, whoever compares digests must look at theirs as well.
"""

from __future__ import annotations

import ast
import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from grader.course.catalog import listed, not_python
from grader.course.course import Course
from grader.course.imports import own_modules
from grader.course.released import read_facts
from grader.errors import CatalogError

_DECIDE = ("forbids", "welcomes", "dtypes", "points")  # titles, sources and hints are words alone
_SUITE = ""  # no module is called so
READS_BANKS_OF = "READS_BANKS_OF"  # in a program of a suite: of which exercises it reads the banks


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
    own = _programs(course, name)
    read = sorted({other for path in own for other in _read(course, path)})
    paths = [*own, *(_bank(course, name, other) for other in read)]
    programs = {_place(course, path): _text(path) for path in paths}
    yield from programs.items()
    suite = "\n".join([*(f"import {page}" for page in (name, *read)), *programs.values()])
    for used in sorted(own_modules({**solutions, _SUITE: suite}, _SUITE)):
        yield _place(course, course.solution(used)), solutions[used]


def _programs(course: Course, name: str) -> list[Path]:
    """Pictures and predictions give no marks."""
    others = {course.scene(name), course.predictions(name)}
    return sorted({*course.suite(name).parent.rglob("*.py")} - others)


def _read(course: Course, path: Path) -> Iterator[str]:
    """The exercises whose banks, slips of their pages, a program says it reads. Few say so: what
    does not hold the word need not be parsed.
    """
    text = _text(path)
    if READS_BANKS_OF not in text:
        return
    try:
        body = ast.parse(text).body
    except SyntaxError as error:
        raise CatalogError(not_python(path, error)) from error
    for node in body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == READS_BANKS_OF:
            try:
                yield from map(str, ast.literal_eval(node.value))
            except ValueError:
                raise CatalogError(
                    f"{course.shown(path)}, line {node.lineno}: {READS_BANKS_OF} is read before "
                    "the suite is run. Write the names of exercises themselves."
                ) from None


def _bank(course: Course, name: str, other: str) -> Path:
    path = course.misconceptions(other)
    if not path.exists():
        raise CatalogError(f"The suite of {name!r} reads the bank of {other!r}, which has none.")
    return path


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
