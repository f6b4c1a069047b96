"""A patient: the page of an exercise with one misconception of its bank in it, to be mended.

Which one it is follows from an exercise, a level and a seed, so nothing needs to be kept: these
three stand at the top of the file, and tell nobody what is wrong.
"""

from __future__ import annotations

import random
import re
import textwrap
from dataclasses import dataclass
from functools import cached_property

from grader.course.catalog import listed
from grader.course.course import Course
from grader.course.markers import without_markers
from grader.course.suite_text import core_checks
from grader.errors import LearnerError
from grader.learner import words
from grader.model import Submission
from grader.programs.bank import Slip, load_bank
from grader.programs.draw import derive_seed
from grader.programs.given import statements_apart

_MOST_CHANGED = 2  # statements, where there is such a slip: others are more another program
_HEAD = "# grader clinic {exercise} --level {level} --seed {seed}"
_READ = re.compile(r"# grader clinic (\w+) --level ([0-3]) --seed (\d{1,19})\s*$")


@dataclass(frozen=True)
class Patient:
    """The page of ``exercise`` with the slip of ``entry``; level 0 is any."""

    course: Course
    exercise: str
    level: int
    seed: int
    entry: Slip

    @cached_property
    def text(self) -> str:
        """The wrong page, as a program of its own."""
        return without_markers(self.entry.text)

    @property
    def smallest(self) -> int:
        """How many statements its slip has changed."""
        return _smallest(self.entry)

    def changed_in(self, text: str) -> int:
        """How many statements of it are others in ``text``, or are gone."""
        return statements_apart(self.text, text)

    def file(self, seen: str) -> str:
        """What a learner gets: how it was drawn, what was ``seen``, and the page."""
        head = _HEAD.format(exercise=self.exercise, level=self.level, seed=self.seed)
        told = textwrap.wrap(words.WHAT_WAS_SEEN.format(seen=seen), 98)
        return "\n".join([head, "#", *(f"# {line}" for line in told), self.text])


def drawn(course: Course, exercise: str, level: int, seed: int) -> Patient:
    """The patient of this level and seed; raises ``LearnerError`` where there is no bank, or
    nothing of this level in it.
    """
    if course.is_released:
        raise LearnerError(words.NO_BANK_HERE)
    found = [entry for entry, own in _levels(course, exercise) if level in (0, own)]
    if not found:
        raise LearnerError(words.NO_PATIENT.format(name=exercise, level=level))
    order = random.Random(derive_seed("patient", exercise, level, seed)).sample(found, len(found))
    small = (entry for entry in order if _smallest(entry) <= _MOST_CHANGED)
    return Patient(course, exercise, level, seed, next(small, order[0]))


def seed_for(student: str) -> int:
    """The seed of a student: the same in every run, and another one for each."""
    return derive_seed("patient", student)


def patient_in(course: Course, text: str) -> Patient:
    """Which patient a file was; raises ``LearnerError`` if its first lines do not say so."""
    for line in text.splitlines()[:5]:
        if (found := _READ.match(line)) and found[1] in listed(course):
            return drawn(course, found[1], int(found[2]), int(found[3]))
    raise LearnerError(words.NO_PATIENT_THERE)


def mended(course: Course, name: str, text: str) -> Submission:
    """A patient's file as a submission: in the place of its page, beside the right other pages."""
    pages = {page: without_markers(whole) for page, whole in course.solution_texts.items()}
    return Submission("patient", "patient", pages | {name: text})


def level_of(entry: Slip, core: frozenset[str]) -> int:
    """How hard a misconception is to see: 3 if one check catches it, and none of the core; 2 if one
    check does, or two outside of the core; 1 if more do. The bank says it, and nothing is run.
    """
    few, seen_at_once = len(entry.caught_by), core & set(entry.caught_by)
    if few == 1 and not seen_at_once:
        return 3
    return 2 if few == 1 or (few == 2 and not seen_at_once) else 1


def _levels(course: Course, exercise: str) -> list[tuple[Slip, int]]:
    """The misconceptions that are slips of the page, by name, each with its level."""
    bank = load_bank(course.misconceptions(exercise), course.solution(exercise))
    core = core_checks(course, exercise)
    slips = sorted((e for e in bank if isinstance(e, Slip)), key=lambda entry: entry.name)
    return [(entry, level_of(entry, core)) for entry in slips if entry.sentence]


def _smallest(entry: Slip) -> int:
    """How many statements its slip has changed."""
    return statements_apart(entry.text, entry.page.text)
