"""What points are for: a line ``words of the idea: check_a check_b`` for each idea."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from grader.errors import CatalogError
from grader.model import Exercise, Idea

MOST_CHARACTERS = 50  # of the words: they stand in one line with points and other ideas


def read_ideas(name: str, lines: Sequence[Any]) -> tuple[Idea, ...]:
    """Those of an exercise; raises ``CatalogError``. Words alone are what a released course has."""
    ideas = tuple(_idea(name, line) for line in lines)
    words = [idea.words for idea in ideas]
    for twice in (one for one in words if words.count(one) > 1):
        raise CatalogError(f"catalog.toml: {name!r} has the idea {twice!r} twice. Join them.")
    return ideas


def _idea(name: str, line: Any) -> Idea:
    words, colon, checks = line.partition(":") if type(line) is str else ("", "", "")
    if not words.strip() or (colon and not checks.strip()):
        raise CatalogError(
            f"catalog.toml: an idea of {name!r} must be a line such as "
            f'"every dtype: bfloat16 float64", words and then names of checks, not {line!r}.'
        )
    if len(words) > MOST_CHARACTERS:
        raise CatalogError(
            f"catalog.toml: the idea {words!r} of {name!r} has {len(words)} characters. "
            f"Say it in {MOST_CHARACTERS}."
        )
    return Idea(words.strip(), tuple(checks.split()))


def bare(check: str) -> str:
    """The name of a check as an idea names it: without ``test_`` and parameters."""
    return check.removeprefix("test_").partition("[")[0]


def idea_of(exercise: Exercise, check: str) -> str:
    """In words, what the points of a check are for; empty where the catalog does not say."""
    return next((idea.words for idea in exercise.ideas if bare(check) in idea.checks), "")


def words_alone(lines: Iterable[str]) -> list[str]:
    """What may be given away: no name of a check."""
    return [line.partition(":")[0].strip() for line in lines]
