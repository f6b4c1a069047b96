"""Is the idea of a page there? It is asked of a learner's files before a model is made of them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator

from grader.course.course import Course
from grader.examiner.collection import collected
from grader.examiner.core_alone import has_the_core_alone
from grader.model import Exercise, Submission
from grader.programs.draw import new_seed
from grader.programs.program import SubmissionProgram
from grader.sandbox.launch import Sandbox


def right_ones(
    course: Course, exercises: Iterable[Exercise], submission: Submission, sandbox: Sandbox
) -> Iterator[tuple[str, bool]]:
    """By exercise, whether its core is right."""
    exercises = list(exercises)
    suites, seed = collected(course, exercises), new_seed()
    program = SubmissionProgram(submission, sandbox)
    with contextlib.closing(program):
        for exercise in exercises:
            yield exercise.name, has_the_core_alone(suites.of(exercise), program, seed)
