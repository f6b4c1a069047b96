"""Hints in a notebook, one more in every call; what was shown is known while its kernel runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from grader.bridges import words
from grader.bridges.examples import wrong
from grader.bridges.so_far import unfinished
from grader.course.catalog import load_catalog, select
from grader.course.course import Course
from grader.errors import CatalogError
from grader.model import Exercise, Hint
from grader.spelling import did_you_mean

_shown: Counter[tuple[str, str]] = Counter()
_counted: set[str] = set()  # exercises whose hints were counted: who runs all cells asked for none


def one_more(course: Course, name: str, function: str = "") -> list[str]:
    """The hints on ``function`` so far, and one more; raises ``CatalogError`` for a wrong name."""
    (exercise,) = select(load_catalog(course), [name])
    if function and function not in exercise.names:
        near = did_you_mean(function, exercise.names)
        said = words.NO_SUCH_FUNCTION.format(exercise=name, function=function, near=near)
        raise CatalogError(said)
    if not function and name not in _counted:
        _counted.add(name)
        return _how_many(exercise)
    of = function or _at_hand(course, exercise)
    hints, key = exercise.hints_of(of), (name, of)
    _shown[key] += 1
    lines = _lines(hints[: _shown[key]], len(hints), of)
    return lines if _shown[key] <= len(hints) else [*lines, words.NO_MORE_HINTS.format(of=of)]


def _at_hand(course: Course, exercise: Exercise) -> str:
    """The function that is not written yet, or whose examples do not come out, or the first."""
    doubtful = [unfinished(course, exercise), *(name for name in exercise.names if name in wrong)]
    return next(filter(None, doubtful), exercise.names[0])


def _how_many(exercise: Exercise) -> list[str]:
    own = {name: len(exercise.hints_of(name)) for name in exercise.names}
    told = words.HINTS_THERE_ARE.format(exercise=exercise.name, function=exercise.names[-1])
    return [told, *(words.HINTS_OF.format(of=of, count=n) for of, n in own.items() if n)]


def _lines(hints: Sequence[Hint], count: int, of: str) -> list[str]:
    return [
        words.HINT.format(number=number, count=count, of=of, says=hint.says)
        for number, hint in enumerate(hints, start=1)
    ]
