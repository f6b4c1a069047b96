"""``exercises/catalog.toml`` -> Exercise records, in teaching order.

The catalog names what a machine cannot find out by itself. The functions and classes of an
exercise are read from its stub, so they are written down once.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from grader.course.about import about, parsed
from grader.course.course import Course
from grader.course.ideas import read_ideas
from grader.course.steps import step_of
from grader.errors import CatalogError
from grader.model import Exercise, Hint
from grader.spelling import did_you_mean

_REQUIRED = {"title": str, "source": str, "hints": list}
_LISTS = ("needs", "forbids", "welcomes", "dtypes", "before", "afterwards", "steps", "ideas")
_OPTIONAL: dict[str, type] = dict.fromkeys(_LISTS, list) | {"points": dict, "question": str}
_OPTIONAL |= dict.fromkeys(("level", "minutes", "sittings"), int)
_LEAST_AND_MOST = {"level": (1, 5), "minutes": (1, math.inf), "sittings": (1, math.inf)}


def load_catalog(course: Course) -> dict[str, Exercise]:
    """All exercises by name, in teaching order; raises ``CatalogError`` on any slip."""
    table = listed(course)
    exercises = {
        name: _exercise(name, entry, _defined_names(course.page(name)))
        for name, entry in table.items()
    }
    _check_needs(exercises)
    return exercises


def listed(course: Course) -> dict[str, Any]:
    """What the table of contents says, by exercise, as it stands there; raises ``CatalogError``.

    Those of a course that this one extends come first; what this one says of them goes before what
    that one says.
    """
    text = course.catalog.read_text(encoding="utf-8")
    head = about(text)  # what is wrong with it is said first
    own = {name: entry for name, entry in parsed(text).items() if type(entry) is dict}
    _, *others = course.line  # all of it: a course may extend one that extends it
    extended = others[0] if others else None
    theirs = _taken(listed(extended), head.takes) if extended else {}
    theirs = {name: entry for name, entry in theirs.items() if course.home(name) != course}
    return {name: entry | own.get(name, {}) for name, entry in theirs.items()} | {
        name: entry for name, entry in own.items() if name not in theirs
    }


def _taken(theirs: Mapping[str, Any], takes: Sequence[str]) -> dict[str, Any]:
    for name in takes:
        if name not in theirs:
            raise CatalogError(
                f"catalog.toml: 'takes' names {name!r}, which is no exercise of the course that "
                f"this one extends.{did_you_mean(name, theirs)}"
            )
    return {name: entry for name, entry in theirs.items() if name in takes or not takes}


def select(catalog: Mapping[str, Exercise], names: Iterable[str]) -> list[Exercise]:
    """The exercises called ``names``, in teaching order; all of them when none is named."""
    wanted = set(names)
    for name in sorted(wanted - set(catalog)):
        near = did_you_mean(name, catalog)
        raise CatalogError(f"{name!r} is not an exercise.{near} `grader list` shows them all.")
    return [exercise for exercise in catalog.values() if not wanted or exercise.name in wanted]


def _exercise(name: str, entry: Mapping[str, Any], names: tuple[str, ...]) -> Exercise:
    known = _REQUIRED | _OPTIONAL
    for key, value in entry.items():
        if key not in known:
            raise CatalogError(
                f"catalog.toml: {name!r} has the unknown key {key!r}.{did_you_mean(key, known)}"
            )
        if type(value) is not known[key]:
            raise CatalogError(
                f"catalog.toml: {key!r} of {name!r} must be of type {known[key].__name__}, "
                f"not {type(value).__name__}."
            )
    for key in _REQUIRED.keys() - entry.keys():
        raise CatalogError(f"catalog.toml: {name!r} lacks {key!r}. Add it.")
    _check_numbers(name, entry)
    for both in set(entry.get("forbids", [])) & set(entry.get("welcomes", [])):
        raise CatalogError(f"catalog.toml: {name!r} both forbids and welcomes {both!r}.")
    fields: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in entry.items()}
    fields["points"] = _points(name, entry.get("points", {}))
    steps = entry.get("steps", ())
    fields["hints"] = tuple(_hint(name, hint, names, steps) for hint in entry["hints"])
    fields["steps"] = tuple(_step(name, step, names) for step in entry.get("steps", []))
    fields["ideas"] = read_ideas(name, entry.get("ideas", ()))
    return Exercise(name=name, names=names, **fields)


def _check_numbers(name: str, entry: Mapping[str, Any]) -> None:
    for key, (least, most) in _LEAST_AND_MOST.items():
        if not least <= entry.get(key, least) <= most:
            bounds = f"from {least} to {most}" if most < math.inf else f"{least} or more"
            raise CatalogError(
                f"catalog.toml: {key!r} of {name!r} must be a number, {bounds}, not {entry[key]}."
            )


def _points(name: str, points: Mapping[str, Any]) -> tuple[tuple[str, float], ...]:
    for check, worth in points.items():
        if type(worth) not in (int, float) or not 0 <= worth < math.inf:
            raise CatalogError(
                f"catalog.toml: {check!r} of {name!r} must be worth a number, 0 or more, "
                f"not {worth!r}."
            )
    return tuple((check, float(worth)) for check, worth in points.items())


def _hint(name: str, entry: Any, names: tuple[str, ...], steps: Sequence[str] = ()) -> Hint:
    """A hint is a sentence, or a table that also says of which functions it is. On a page of one
    function there is no other that it could be of.
    """
    if type(entry) is str:
        return Hint(entry, names if len(names) == 1 else ())
    if type(entry) is not dict or entry.keys() - {"step", "unasked"} != {"of", "says"}:
        raise CatalogError(
            f"catalog.toml: a hint of {name!r} must be a sentence, or a table such as "
            '{ of = ["f"], says = "..." }.'
        )
    for function in entry["of"]:
        if function not in names:
            raise CatalogError(
                f"catalog.toml: a hint of {name!r} is of {function!r}, which its page does not "
                f"define.{did_you_mean(function, names)}"
            )
    if entry.get("step", "") not in ("", *steps):
        raise CatalogError(
            f"catalog.toml: a hint of {name!r} is on the step {entry['step']!r}, which is none of "
            f"its 'steps'.{did_you_mean(str(entry['step']), steps)}"
        )
    return Hint(
        entry["says"], tuple(entry["of"]), entry.get("step", ""), entry.get("unasked") is True
    )


def _step(name: str, step: Any, names: tuple[str, ...]) -> str:
    """A function, class or method of the page, or one and what of it: ``f: with a mask``."""
    of = step_of(step).partition(".")[0] if type(step) is str else ""
    if of not in names:
        raise CatalogError(
            f"catalog.toml: the step {step!r} of {name!r} must name a function or class of its page"
            f', alone or as in "{names[0] if names else "f"}: with a mask".'
            f"{did_you_mean(of, names)}"
        )
    return str(step)


def _check_needs(exercises: Mapping[str, Exercise]) -> None:
    """What an exercise needs must come before it, which also rules out cycles."""
    before: set[str] = set()
    for exercise in exercises.values():
        for need in exercise.needs:
            if need not in exercises:
                raise CatalogError(
                    f"catalog.toml: {exercise.name!r} needs {need!r}, which is not an exercise."
                    f"{did_you_mean(need, exercises)}"
                )
            if need not in before:
                raise CatalogError(
                    f"catalog.toml: {exercise.name!r} needs {need!r}, which must come before it. "
                    "Move one of them."
                )
        before.add(exercise.name)


def _defined_names(path: Path) -> tuple[str, ...]:
    if not path.exists():
        place = f"{path.parent.name}/{path.name}"
        raise CatalogError(
            f"catalog.toml: {path.stem!r} has no file {place}, which it is checked against. "
            f"Put it there (`git restore {place}`), or take {path.stem!r} out of the catalog."
        )
    try:
        return top_level_names(path.read_text(encoding="utf-8"))
    except (SyntaxError, UnicodeDecodeError) as error:
        raise CatalogError(not_python(path, error)) from error


def not_python(path: Path, error: SyntaxError | UnicodeDecodeError) -> str:
    """Which line of an author's file is in the way."""
    if isinstance(error, UnicodeDecodeError):
        return f"{path.parent.name}/{path.name} is not UTF-8, as Python must be: save it as that."
    said = f"{path.parent.name}/{path.name}, line {error.lineno}, is not Python: {error.msg}."
    return f"{said} Mend it: nothing can be checked before."


def top_level_names(source: str) -> tuple[str, ...]:
    """The public functions and classes a module defines; raises ``SyntaxError``."""
    kinds = (ast.FunctionDef, ast.ClassDef)
    body = ast.parse(source).body
    return tuple(n.name for n in body if isinstance(n, kinds) and not n.name.startswith("_"))
