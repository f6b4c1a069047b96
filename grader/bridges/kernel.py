"""What the cells of a student's notebook call. Nothing here needs nbgrader; without a checkout of
the course the examples still run, and what cannot be done says so in a sentence.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator

from grader.bridges import words
from grader.bridges.examples import examples
from grader.bridges.finder import import_notebooks
from grader.bridges.validation import validate
from grader.course.course import find_course
from grader.errors import CourseNotFound, GraderError
from grader.report.picture import Picture

__all__ = ["check", "examples", "import_notebooks", "show", "validate"]


def check(exercise: str) -> None:
    """In a checkout of the course, what ``grader check`` says of the cells run so far."""
    with _told_in_a_sentence(words.ONLY_EXAMPLES):
        for line in _checked(exercise):
            print(line)


def show(exercise: str) -> None:
    """In a checkout of the course, what ``grader show`` draws of the cells run so far, and below
    it the same in words.
    """
    with _told_in_a_sentence(words.NO_CHECKOUT):
        picture = _seen(exercise)
        _display(picture)
        for line in picture.lines:
            print(line)
        print(words.CHECKS_DECIDE)


@contextlib.contextmanager
def _told_in_a_sentence(without_checkout: str) -> Iterator[None]:
    """Errors of ours are no tracebacks to a student."""
    try:
        yield
    except CourseNotFound:
        print(without_checkout)
    except GraderError as error:
        print(str(error).replace("`pip install", "`%pip install"))  # as a cell takes it


# Torch and the examiner are imported where there is a checkout to use them on.


def _checked(exercise: str) -> list[str]:
    course = find_course()
    from grader.bridges.own_cells import told_of_missed
    from grader.bridges.so_far import so_far
    from grader.pipeline import grade_all
    from grader.report.feedback import exercise_lines
    from grader.sandbox.launch import open_sandbox

    mine = so_far(course, exercise)
    with contextlib.closing(open_sandbox()) as sandbox:
        (report,) = grade_all(course, [mine.exercise], [mine.submission], sandbox)
    notes = [f"! {name}: {note}" for name, told in mine.module.notes.items() for note in told]
    missed = [told_of_missed(v, mine.own_names) for v in report.exercises[0].verdicts]
    notes += [f"! {text}" for text in dict.fromkeys(itertools.chain(*missed))]
    return notes + exercise_lines(report.exercises[0], mine.spot)


def _seen(exercise: str) -> Picture:
    course = find_course()
    from grader.bridges.so_far import so_far
    from grader.pictures import picture, require_matplotlib, scene_of
    from grader.sandbox.launch import open_sandbox

    mine = so_far(course, exercise)
    scene_of(course, exercise)
    require_matplotlib()
    with contextlib.closing(open_sandbox()) as sandbox:
        return picture(course, exercise, mine.submission, sandbox, mine.spot)


def _display(picture: Picture) -> None:
    """Inline; where there is no notebook, the words below are all that can be shown."""
    try:
        from IPython.display import Image, display
    except ImportError:
        return
    display(Image(picture.png, width=picture.width, alt=picture.alt))
