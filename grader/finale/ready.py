"""Which pages a model is made of, and whose: the learner's where they are right in their core."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from grader.course.course import Course
from grader.course.imports import own_modules
from grader.errors import LearnerError
from grader.finale import words
from grader.finale.plan import Finale, Task
from grader.model import Exercise


@dataclass(frozen=True)
class Cast:
    """Where each page lies: ``mine`` are the learner's, ``ours`` the course's own."""

    mine: Mapping[str, str]
    ours: Mapping[str, str]

    @property
    def paths(self) -> dict[str, str]:
        return {**self.ours, **self.mine}


def pages_of(task: Task, catalog: Mapping[str, Exercise]) -> list[str]:
    """The pages of its parts and all that these need, in teaching order."""
    names = {name for name in (*task.parts, *task.optional) if name in catalog}
    for name in reversed(list(catalog)):
        names |= set(catalog[name].needs) if name in names else set()
    return [name for name in catalog if name in names]


def reached(
    course: Course, task: Task, names: Collection[str], texts: Mapping[str, str]
) -> list[str]:
    """Those of ``names`` that take part: the parts, and what they import, be they the learner's, of
    ``texts``, or the course's.
    """
    ours = {} if course.is_released else course.solution_texts
    both = {name: f"{texts.get(name, '')}\n{ours.get(name, '')}" for name in names}
    taking = {*task.parts, *task.optional} & set(names)
    taking |= {used for part in set(taking) for used in own_modules(both, part)}
    return [name for name in names if name in taking]


def cast(course: Course, names: Iterable[str], mine: Mapping[str, Path]) -> Cast:
    """``mine`` are those of the learner's pages that are ready; the others are the course's, where
    it has them.
    """
    left = [name for name in names if name not in mine]
    ours = {} if course.is_released else {name: course.solution(name) for name in left}
    return Cast(
        {name: str(path) for name, path in mine.items()},
        {name: str(path) for name, path in ours.items() if path.is_file()},
    )


def whose(finale: Finale, task: Task, found: Cast, known: Collection[str]) -> Iterator[str]:
    """Line by line whose each part is. Parts that are no exercise here are not spoken of.

    Raises ``LearnerError`` where one is missing that nothing can stand in for.
    """
    _require(finale, task, found, known)
    parts = [name for name in task.parts if name in known]
    mine = sum(name in found.mine for name in parts)
    yield words.COUNTED.format(mine=mine, all=len(parts))
    for name in parts:
        said = words.YOURS if name in found.mine else words.OURS
        said = said if name in found.paths else words.TORCHS
        part = finale.part(name)
        yield said.format(says=part.says, page=name, stands_in=part.stands_in)
    for name in task.optional:
        if name in known and name not in found.mine:
            said = words.OURS if name in found.ours else words.WITHOUT
            yield said.format(says=finale.part(name).says, page=name)


def _require(finale: Finale, task: Task, found: Cast, known: Collection[str]) -> None:
    missing = [n for n in task.parts if n not in found.paths and finale.part(n).instead is None]
    absent = [name for name in missing if name not in known]
    if absent:
        raise LearnerError(words.ABSENT.format(what=task.name, pages=", ".join(absent)))
    if missing:
        raise LearnerError(words.NEEDED.format(what=task.name, pages=", ".join(missing)))
