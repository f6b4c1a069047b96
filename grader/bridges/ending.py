"""The model at the end of a course, made of what a notebook's cells and its neighbours define."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from grader.bridges.shown import show_lines
from grader.bridges.so_far import so_far, unfinished
from grader.course.catalog import load_catalog
from grader.course.course import Course
from grader.course.release import untouched
from grader.errors import GraderError
from grader.finale import words
from grader.finale.drawn import picture
from grader.finale.here import told
from grader.finale.order import Order
from grader.finale.pages import load_finale
from grader.finale.plan import Finale, Map, Task
from grader.finale.ready import cast, pages_of, whose
from grader.model import Exercise, Submission

FOLDER = "trained"
_DRAWN_EVERY = 20  # steps
_PIXELS = 510  # half as large again as on a phone


def train(course: Course, name: str, broken: str, seed: int, steps: int) -> None:
    """Show the loss while it falls, and at the end what heads attend to and what was written.

    Raises ``GraderError`` for what cannot be trained.
    """
    if not (course.finale / "__init__.py").is_file():
        raise GraderError(words.NO_FINALE)
    catalog, finale = load_catalog(course), load_finale(course.finale)
    seen_in = finale.broken(broken).seen_in if broken else ""
    task = finale.task(name or seen_in)
    names = pages_of(task, catalog)
    with tempfile.TemporaryDirectory() as folder:
        ready = _ready(course, [catalog[page] for page in names])
        mine = {page: Path(folder, f"{page}.py") for page in ready}
        for page, path in mine.items():
            path.write_text(ready[page], encoding="utf-8")
        found = cast(course, names, mine)
        show_lines([*whose(finale, task, found, catalog)])
        order = Order(
            str(course.finale),
            found.mine,
            found.ours,
            task.name,
            broken=broken,
            seed=seed,
            steps=steps,
            out=str(Path(FOLDER).resolve()),
        )
        _shown(finale, task, order, Path(folder))


def _ready(course: Course, exercises: list[Exercise]) -> dict[str, str]:
    """The text of each page that is right in its core."""
    files = _files(course, exercises)
    written = [e for e in exercises if e.name in files and _is_touched(course, e, files[e.name])]
    if not written:
        return {}
    from grader.finale.core import right_ones
    from grader.sandbox.launch import open_sandbox

    submission = Submission("notebook", "notebook", files)
    with contextlib.closing(open_sandbox()) as sandbox:
        found = dict(right_ones(course, written, submission, sandbox))
    return {name: files[name] for name, right in found.items() if right}


def _files(course: Course, exercises: list[Exercise]) -> dict[str, str]:
    """Of notebooks as last saved; of what the cells of this session define, as it was run."""
    files: dict[str, str] = dict(so_far(course, exercises[0].name).submission.files)
    for exercise in exercises:
        if not unfinished(course, exercise):
            files[exercise.name] = so_far(course, exercise.name).submission.files[exercise.name]
    return files


def _is_touched(course: Course, exercise: Exercise, text: str) -> bool:
    return text.split() != untouched(course, exercise.name).split()


def _shown(finale: Finale, task: Task, order: Order, folder: Path) -> None:
    costs: dict[str, list[float]] = {}
    ends: dict[str, dict[str, Any]] = {}
    with _drawing() as draw:
        for what in told(order, folder, print):
            if what["kind"] == "step":
                costs.setdefault(what["run"], []).append(what["cost"])
                if what["step"] % _DRAWN_EVERY == 0 and what["step"] > 1:
                    draw(picture(_named(costs, order.broken), []))
            elif what["kind"] == "end":
                ends[what["run"]] = what
        maps = [Map(**one) for one in ends[order.broken]["maps"]]
        draw(picture(_named(costs, order.broken), maps))
    show_lines([line for run, end in ends.items() for line in _lines(task, order, run, end)])
    if order.broken:
        show_lines([finale.broken(order.broken).why])


def _named(costs: dict[str, list[float]], broken: str) -> dict[str, list[float]]:
    """The curves by what they are called beside one another."""
    if not broken:
        return costs
    return {words.BROKEN.format(name=n) if n else words.WHOLE: line for n, line in costs.items()}


def _lines(task: Task, order: Order, run: str, end: dict[str, Any]) -> list[str]:
    name = words.BROKEN.format(name=run) if run else words.WHOLE if order.broken else task.name
    last = end["costs"][-20:]
    said = words.SCORE.format(name=name, cost=sum(last) / len(last), says=end["says"])
    return [said, words.WRITES, *(f"  {line}" for line in end["text"].split("\n"))]


@contextlib.contextmanager
def _drawing() -> Iterator[Any]:
    """``draw(svg)`` puts a picture in the place of the one before it; without IPython, nowhere."""
    try:
        from IPython.display import SVG, display
    except ImportError:
        yield lambda svg: None
        return
    place: list[Any] = []

    def draw(svg: str) -> None:
        if place and place[0] is not None:
            place[0].update(SVG(_as_wide(svg)))
        else:
            place[:] = [display(SVG(_as_wide(svg)), display_id=True)]

    yield draw


def _as_wide(svg: str) -> str:
    """Not as wide as the cell: letters would be as large as headings."""
    return svg.replace("<svg ", f'<svg width="{_PIXELS}" ', 1)
