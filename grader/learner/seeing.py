"""What a failed check looks like: yours, expected, and where they differ."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from grader.course.course import Course
from grader.errors import GraderError
from grader.learner import words
from grader.learner.lines import Line, hung, wrapped
from grader.model import Exercise, Verdict
from grader.pictures import Scene, Seen, drawn, has_scene, scene_of
from grader.pictures.about import panels_about
from grader.pictures.blocks import block_rows
from grader.pictures.panels import Panel

_CAN_BE_SEEN = (
    "numbers",
    "nan",
    "said",
)  # kinds of causes: of values, and of what must hold of them


def panels_on(course: Course, exercise: str, verdict: Verdict, function: str) -> tuple[Panel, ...]:
    """The panels of the exercise's picture that ask ``function``, where the verdict is about its
    values; none where there is nothing to see.
    """
    cause = verdict.cause
    scene = _scene(course, exercise) if cause and cause.kind in _CAN_BE_SEEN else None
    return panels_about(scene, function) if scene else ()


@lru_cache(maxsize=64)
def _scene(course: Course, exercise: str) -> Scene | None:
    """A scene that cannot be read is the author's concern: here there is just no picture."""
    try:
        return scene_of(course, exercise) if has_scene(course, exercise) else None
    except GraderError:
        return None


def seen_lines(seen: Sequence[Seen], note: str, width: int) -> list[Line]:
    """Panel by panel, what differs in full and the rest by name; ``note`` ends it."""
    lines: list[Line] = []
    for one in seen:
        if one.differs:
            lines += [*hung(f"{one.sign} {one.panel.title}", width), *hung(one.verdict, width)]
            lines += [Line(row.text, "bad" * row.wrong) for row in block_rows(one, width)]
            lines.append(Line(""))
    titles = "; ".join(one.panel.title for one in seen if not one.differs)
    said = words.ALSO_AS_EXPECTED if lines else words.ALL_AS_EXPECTED
    lines += hung(said.format(titles=titles), width) if titles else []
    return [*lines, *wrapped(note, width, "hint")]


def filed(exercise: Exercise, scene: Scene, seen: Sequence[Seen], path: Path, width: int) -> str:
    """A file with what a terminal of this width cannot show, if there is any; says where it is."""
    if all(block_rows(one, width) or one.yours is None for one in seen if one.differs):
        return ""
    try:
        path.write_bytes(drawn(exercise, scene, list(seen)))
    except GraderError as error:  # without matplotlib
        return str(error)
    except OSError as error:
        return words.CANNOT_BE_WRITTEN.format(path=path, said=error.strerror)
    return words.DRAWN_IN.format(path=path)
