"""Which grader this is, and which course it would work on."""

from __future__ import annotations

from collections.abc import Iterator

from grader import __version__
from grader.course.course import Course, find_course
from grader.course.released import read_facts
from grader.errors import GraderError


def versions() -> Iterator[str]:
    """A line for each; a course that cannot be used here says why."""
    yield f"grader {__version__}"
    try:
        yield f"course {_shown(find_course())}"
    except GraderError as error:
        yield f"no course: {error}"


def _shown(course: Course) -> str:
    by = f", released by grader {read_facts(course.root).grader}" if course.is_released else ""
    return f"{course.about.shown or 'without a name'} in {course.root}{by}"
