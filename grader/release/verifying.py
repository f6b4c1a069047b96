"""What a pack claims, held against what an instructor has now.

A claim is shown as a claim: anybody can write one. What is computed here of the course and of what
was handed in is true; what a pack says of the folder that it was made in may be.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from grader import __version__
from grader.course.catalog import load_catalog
from grader.course.claims import NOTEBOOK, Claims, digest, practice_digests
from grader.course.course import Course
from grader.course.released import Facts, read_facts
from grader.course.suite_digests import suite_digests
from grader.errors import GraderError
from grader.model import Submission
from grader.release import words
from grader.release.folder import catalog_text, stamps_of
from grader.runs.texts import digests_of

MOST_NAMES = 6  # in one sentence


@dataclass(frozen=True)
class Given:
    """What the instructor gave away, as it is now: the folder, if it was named, and the title of
    the assignment, if it is known.
    """

    folder: Course | None = None
    title: str = ""

    @property
    def facts(self) -> Facts | None:
        return read_facts(self.folder.root) if self.folder else None


def given(folder: Path | None, title: str) -> Given:
    """Raises ``GraderError`` for a ``folder`` that was not released."""
    if folder is None:
        return Given(None, title)
    course = Course(folder)
    if not course.is_released:
        raise GraderError(words.NOT_RELEASED.format(folder=folder))
    return Given(course, title or read_facts(folder).title)


class Verifier:
    """Says of each pack what in it is not as the instructor has it."""

    def __init__(self, course: Course, mine: Given) -> None:
        if course.is_released:
            raise GraderError(words.VERIFY_AT_HOME.format(folder=course.root))
        self._course, self._mine, self._about = course, mine, course.about
        self._catalog = load_catalog(course)
        self._practice = practice_digests(mine.folder) if mine.folder else {}
        self._stamps = functools.cache(self._stamps_by)

    def differences(self, claims: Claims, submission: Submission) -> list[str]:
        """One sentence for each, the largest first; none where all is as the instructor has it."""
        return [*self._of_course(claims), *self._of_folder(claims), *_of_files(claims, submission)]

    def _of_course(self, claims: Claims) -> Iterator[str]:
        about = self._about
        if claims.course != (about.name or about.title):
            yield words.OTHER_COURSE.format(claimed=claims.course or words.NAMELESS)
        if claims.version != about.version:
            yield words.OTHER_COURSE_VERSION.format(claimed=claims.version, mine=about.version)
        if claims.grader != __version__:
            yield words.OTHER_GRADER.format(claimed=claims.grader, mine=__version__)
        if unknown := [name for name in claims.stamps if name not in self._catalog]:
            yield words.UNKNOWN_EXERCISES.format(names=_some(unknown))
        known = self._stamps(claims.released_by)
        others = [n for n in claims.stamps if n in known and claims.stamps[n] not in known[n]]
        if others:
            sentence = words.OTHER_PRACTICE if claims.released_by else words.OTHER_SUITES
            yield sentence.format(names=_some(others))

    def _stamps_by(self, version: str) -> Mapping[str, tuple[str, ...]]:
        """By exercise, those that would be right of a folder that this version of grader released,
        with or without checks that are no examples; without a version, of this course.
        """
        if not version:
            return {name: (stamp,) for name, stamp in suite_digests(self._course).items()}
        exercises = self._catalog.values()
        both = [
            stamps_of(self._course, exercises, examples_only=few, version=version)
            for few in (False, True)
        ]
        return {name: tuple(one[name] for one in both) for name in self._catalog}

    def _of_folder(self, claims: Claims) -> Iterator[str]:
        if self._mine.title and claims.assignment != self._mine.title:
            claimed = claims.assignment or words.WHOLE_COURSE
            yield words.OTHER_ASSIGNMENT.format(claimed=claimed)
        facts = self._mine.facts
        if facts and claims.released_by != facts.grader:
            claimed = claims.released_by or words.NO_VERSION
            yield words.OTHER_RELEASE.format(claimed=claimed, mine=facts.grader)
        if claims.catalog != self._catalog_digest(claims):
            yield words.OTHER_CATALOG
        changed = [n for n, one in self._practice.items() if claims.practice.get(n) != one]
        if changed:
            yield words.PRACTICE_CHANGED.format(names=_some(changed))

    def _catalog_digest(self, claims: Claims) -> str:
        """Of the catalog that a folder with these exercises has."""
        if self._mine.folder:
            return digest(self._mine.folder.catalog.read_bytes())
        if not claims.released_by:
            return digest(self._course.catalog.read_bytes())
        return digest(catalog_text(self._course, claims.stamps).encode())


def _of_files(claims: Claims, submission: Submission) -> Iterator[str]:
    """What was handed in is not what was packed."""
    there = digests_of(submission)
    gone = [name for name in claims.files if name not in there]
    added = [name for name in there if name not in claims.files]
    changed = [
        name for name, one in there.items() if claims.files.get(name, one) not in (one, NOTEBOOK)
    ]
    sentences = ((words.FILES_CHANGED, changed), (words.FILES_GONE, gone))
    for sentence, names in (*sentences, (words.FILES_ADDED, added)):
        if names:
            yield sentence.format(names=_some(names))


def _some(names: Iterable[str]) -> str:
    every = list(names)
    more = words.AND_MORE.format(count=len(every) - MOST_NAMES) if len(every) > MOST_NAMES else ""
    return ", ".join(every[:MOST_NAMES]) + more
