"""Seeing: what a learner's code computed, what was expected, and the difference, as a picture.

``panels.py`` says what a picture is made of, and a course what each of its exercises shows, which
``scenes.py`` finds. ``seen.py`` asks both sides, ``draw.py`` draws. The learner's code runs in a
worker, as everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from grader.course.catalog import load_catalog, select
from grader.course.course import Course
from grader.errors import GraderError
from grader.model import Exercise, ExerciseReport, Submission
from grader.pictures.draw import draw, require_matplotlib
from grader.pictures.panels import Scene
from grader.pictures.scenes import has_scene, prove_scene, scene_of
from grader.pictures.seen import Seen, look
from grader.programs.program import SubmissionProgram
from grader.report.picture import Picture
from grader.report.words import Spot, in_file
from grader.sandbox.launch import Sandbox

__all__ = [
    "Scene",
    "Seen",
    "drawn",
    "has_scene",
    "look",
    "picture",
    "picture_of",
    "prove_scene",
    "require_matplotlib",
    "scene_of",
    "wrong_first",
]


def picture(
    course: Course,
    exercise: str,
    submission: Submission,
    sandbox: Sandbox,
    spot: Spot = in_file,
) -> Picture:
    """The picture of ``exercise``: for a file, a notebook, or feedback.

    ``spot`` says how a line of the submission's is spoken of. Raises ``GraderError`` where there is
    nothing to draw, or without matplotlib.
    """
    (entry,) = select(load_catalog(course), [exercise])
    scene = scene_of(course, exercise)
    require_matplotlib()
    seen = wrong_first(look(course, entry, scene, SubmissionProgram(submission, sandbox), spot))
    panels = tuple((f"{one.sign} {one.panel.title}", one.verdict) for one in seen)
    return Picture(drawn(entry, scene, seen), panels)


def wrong_first(seen: Iterable[Seen]) -> list[Seen]:
    """What is to be mended stands at the top, what is as expected at the end."""
    return sorted(seen, key=lambda one: (not one.differs, one.right))


def picture_of(
    course: Course,
    exercise: ExerciseReport,
    submission: Submission,
    sandbox: Sandbox,
    on_problem: Callable[[str, str], None] = lambda exercise, why: None,
    spot: Spot = in_file,
) -> Picture | None:
    """What was handed in and lost points, drawn; of anything else there is none.

    Whatever goes wrong costs the picture and nothing else, and ``on_problem`` is told.
    """
    name, lost = exercise.name, exercise.earned < exercise.max_score
    if not lost or name not in submission.files:
        return None
    try:
        if has_scene(course, name):
            return picture(course, name, submission, sandbox, spot)
    except GraderError as error:
        on_problem(name, str(error))
    except Exception as error:  # it was drawn from untrusted numbers and words
        on_problem(name, f"{type(error).__name__}: {error}")
    return None


def drawn(exercise: Exercise, scene: Scene, seen: list[Seen]) -> bytes:
    """The PNG of what was seen."""
    return draw(exercise.title, scene.lesson, seen)
