"""What a course says of itself, at the top of its catalog: before the first exercise.

name = "transformer-exercises"       # what others call it, who extend it
title = "Exercises on the Transformer"
version = "1.0"
engine = ">=0.1"                     # which versions of grader it works with
extends = "../transformer-exercises" # another course, whose exercises are this one's too
takes = ["softmax", "masks"]         # only these of them
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any

from packaging.specifiers import InvalidSpecifier, SpecifierSet

from grader import __version__
from grader.errors import CatalogError
from grader.spelling import did_you_mean


@dataclass(frozen=True)
class About:
    """The head of a catalog; all of it may be left out.

    ``preface`` is what the map of the exercises says of this course alone, in Markdown; ``ending``
    what a learner reads who has done them all.
    """

    name: str = ""
    title: str = ""
    version: str = ""
    engine: str = ""
    extends: str = ""
    takes: tuple[str, ...] = ()
    preface: str = ""
    ending: str = ""

    @property
    def shown(self) -> str:
        """For a report: the name, or else the title, and the version."""
        return _shown(vars(self))


def _shown(head: Mapping[str, Any]) -> str:
    parts = (head.get("name") or head.get("title"), head.get("version"))
    return " ".join(str(part) for part in parts if part)


KEYS = tuple(field.name for field in fields(About))


def about(text: str) -> About:
    """What a catalog's head says; raises ``CatalogError`` for what cannot be true."""
    head = {key: value for key, value in parsed(text).items() if type(value) is not dict}
    _require_engine(head)  # first: other versions may know other keys
    for key, value in head.items():
        if key not in KEYS:
            raise CatalogError(
                f"catalog.toml: {key!r} must be a table: write [{key}] above it."
                f"{did_you_mean(key, KEYS)}"
            )
        expected = list if key == "takes" else str
        if type(value) is not expected:
            raise CatalogError(
                f"catalog.toml: {key!r} must be of type {expected.__name__}, "
                f"not {type(value).__name__}."
            )
    if "takes" in head and "extends" not in head:
        raise CatalogError(
            "catalog.toml: 'takes' chooses exercises of the course that 'extends' names. Name it."
        )
    return About(**{**head, "takes": tuple(head.get("takes", ()))})


@lru_cache(maxsize=16)
def parsed(text: str) -> Mapping[str, Any]:
    """A catalog's text as it stands there, not to be changed; raises ``CatalogError``."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise CatalogError(f"catalog.toml is not TOML: {error}") from error


def _require_engine(head: Mapping[str, Any]) -> None:
    engine = str(head.get("engine", ""))
    try:
        fits = SpecifierSet(engine).contains(__version__, prereleases=True)
    except InvalidSpecifier as error:
        raise CatalogError(
            f"catalog.toml: engine = {engine!r} is no range of versions. "
            'Write one as engine = ">=0.1, <2".'
        ) from error
    if not fits:
        name = f" ({shown})" if (shown := _shown(head)) else ""
        raise CatalogError(
            f"This course{name} needs grader {engine}, and this is {__version__}. "
            "Install a version that fits, or ask who gave you the course for one that fits this."
        )
