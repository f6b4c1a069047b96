"""What a course says there is to see in an exercise: its ``scene.py``, found and proved."""

from __future__ import annotations

from collections.abc import Iterator

from grader.course.course import Course
from grader.course.fault import Fault
from grader.errors import GraderError, SuiteError
from grader.model import Exercise
from grader.pictures import words
from grader.pictures.panels import Panel, Scene
from grader.pictures.seen import Right, rights
from grader.programs.page import load_by_path


def scene_of(course: Course, exercise: str) -> Scene:
    """What there is to see. Raises ``GraderError`` where there is nothing, and says why if the
    course does; ``SuiteError`` for a file that is no scene.
    """
    found = _said(course, exercise)
    if isinstance(found, Scene):
        return found
    form = words.NO_PICTURE_FOR if found else words.NO_PICTURE
    raise GraderError(form.format(exercise=exercise, why=found))


def has_scene(course: Course, exercise: str) -> bool:
    """Whether there is anything to see; raises ``SuiteError`` for a file that is no scene."""
    found = _said(course, exercise)
    return isinstance(found, Scene) and bool(found.panels)


def _said(course: Course, exercise: str) -> Scene | str:
    """The scene, or why there is none: nothing without a file.

    What stays at home must not be needed in a folder that is given away, so nothing that lies
    beside the file can be imported.
    """
    path = course.scene(exercise)
    if not path.is_file():
        return ""
    names = vars(load_by_path(path, siblings=path.parents[1]))
    found = names.get("SCENE", names.get("NO_PICTURE"))
    if not isinstance(found, Scene | str):
        shown = course.home(exercise).shown(path)
        raise SuiteError(f'{shown} defines neither SCENE = Scene(...) nor NO_PICTURE = "why"')
    return found


def prove_scene(course: Course, exercise: Exercise) -> list[Fault]:
    """The reference answers every panel, and what it answers fits the panel's axes."""
    try:
        if not has_scene(course, exercise.name):
            return []
        scene = scene_of(course, exercise.name)
        asked = rights(course, exercise, scene)
        unfit = [text for panel, right, _ in asked for text in _unfit(panel, right)]
        return [Fault(text, _TO_DO).of(exercise.name) for text in unfit]
    except Exception as error:  # a scene may raise anything, as any code may
        said = error if isinstance(error, SuiteError) else f"{type(error).__name__}: {error}"
        return [Fault(f"the picture of {exercise.name} cannot be drawn: {said}", _TO_DO)]


_TO_DO = (
    "Mend it in scene.py: a panel's function returns a matrix, of rows along `y` and columns along "
    "`x`. `grader show NAME` draws it; without the file there is no picture."
)


def _unfit(panel: Panel, right: Right) -> Iterator[str]:
    """What does not fit, in sentences."""
    shape = right.numbers.shape
    if len(shape) != 2:
        yield f"the panel {panel.title!r} is no matrix: its shape is {shape}"
        return
    for what, count, size in (
        ("rows", len(panel.y.ticks), shape[0]),
        ("rows", len(panel.lines), shape[0]),
        ("columns", len(panel.x.ticks), shape[1]),
        ("columns", len(panel.x.values), shape[1]),
    ):
        if count not in (0, size):
            yield f"the panel {panel.title!r} has {size} {what}, and names for {count}"
