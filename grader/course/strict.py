"""Values of a TOML file, read strictly: what is not as it should be is one sentence.

Every function takes ``where`` the value stands, which begins the sentence, and raises
``AssignmentError``: what was expected, what was found, what to write.
"""

from __future__ import annotations

import datetime
import math
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NoReturn

from grader.errors import AssignmentError
from grader.spelling import did_you_mean

DECIMALS = 3  # of points: as fine as platforms and gradebooks show them, and finer
_MOMENT = "a date and time with its zone, as 2026-11-20T23:59:00+01:00"


def read_toml(path: Path) -> tuple[Mapping[str, Any], str]:
    """The table in a file, and its text."""
    try:
        if not path.is_file():  # a named pipe would be waited for
            raise AssignmentError(f"{path} is no file: name the assignment.toml to grade by.")
        text = path.read_bytes().decode("utf-8-sig")  # as Windows' editors begin it
        return tomllib.loads(text), text
    except OSError as error:
        raise AssignmentError(f"{path} cannot be read ({error.strerror}).") from error
    except UnicodeDecodeError as error:
        raise AssignmentError(f"{path} is not UTF-8, as TOML must be: save it as that.") from error
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise AssignmentError(f"{path} is not TOML: {error}.") from error


def table(where: str, value: Any) -> Mapping[str, Any]:
    """A table with any keys."""
    if type(value) is not dict:
        _refuse(where, "a table", value)
    return value


def require_keys(where: str, form: Mapping[str, Any], known: Iterable[str]) -> None:
    """No key but the known ones."""
    known = list(known)
    for key in form:
        if key not in known:
            near = did_you_mean(key, known) or f" There are {', '.join(known)}."
            raise AssignmentError(f"{where}: the key {key!r} is unknown.{near}")


def text(where: str, value: Any) -> str:
    """A text that says something."""
    if type(value) is not str or not value.strip():
        _refuse(where, "a text in quotes", value)
    return value


def names(where: str, value: Any) -> tuple[str, ...]:
    """A list of different texts, at least one."""
    if type(value) is not list or not value:
        _refuse(where, 'a list of names, as ["one", "another"]', value)
    found = tuple(text(f"{where}: a name in the list", item) for item in value)
    for name in found:
        if found.count(name) > 1:
            raise AssignmentError(f"{where}: {name!r} stands in the list twice. Take one out.")
    return found


def amount(where: str, value: Any, most: float = math.inf) -> float:
    """A number from 0 to ``most``, with three decimals at most."""
    limit = "0 or more" if most == math.inf else f"from 0 to {most:g}"
    if not _is_number(value) or not 0 <= value <= most:
        _refuse(where, f"a number, {limit}", value)
    if round(value, DECIMALS) != value:
        _refuse(where, f"a number with {DECIMALS} decimals at most", value)
    return float(value)


def positive(where: str, value: Any) -> float:
    """A number above 0."""
    if not _is_number(value) or value <= 0:
        _refuse(where, "a number above 0", value)
    return float(value)


def whole(where: str, value: Any, least: int = 0, most: float = math.inf) -> int:
    """A whole number from ``least`` to ``most``."""
    limit = f"{least} or more" if most == math.inf else f"from {least} to {most}"
    if type(value) is not int or not least <= value <= most:
        _refuse(where, f"a whole number, {limit}", value)
    return value


def moment(where: str, value: Any) -> datetime.datetime:
    """A time that is the same everywhere: with its zone."""
    if not isinstance(value, datetime.datetime) or value.tzinfo is None:
        _refuse(where, _MOMENT, value)
    return value


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and math.isfinite(value)


def _refuse(where: str, expected: str, value: Any) -> NoReturn:
    raise AssignmentError(f"{where} must be {expected}, not {_shown(value)}.")


def _shown(value: Any) -> str:
    """For example ``the text '3'`` and ``2026-11-20 23:59:00, a time without its zone``."""
    match value:
        case bool():
            return str(value).lower()
        case str():
            return f"the text {value!r}"
        case datetime.datetime():
            return f"{value}, a time without its zone"
        case datetime.date() | datetime.time():
            return f"{value} alone"
        case list():
            return "a list" if value else "an empty list"
        case dict():
            return "a table"
    return str(value)
