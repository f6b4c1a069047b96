"""A notebook that was handed in, untrusted bytes, -> the text of a module.

Nothing here runs or parses code. Of a notebook only the solution cells count, found by grade id;
all else comes from our own page. What is odd about a notebook is written down, cell by cell.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from grader.bridges import words
from grader.bridges.exercise_cells import Cell, CellKind
from grader.bridges.found_instead import found_instead
from grader.bridges.notebook import KERNEL
from grader.bridges.own_cells import names_defined_in
from grader.collect import MAX_SOURCE_BYTES, MAX_SUBMISSION_BYTES, read_at_most
from grader.collect.modules import NotRead
from grader.collect.notebook import (
    MAX_NOTEBOOK_BYTES,
    as_python,
    by_grade_id,
    dig,
    document,
    joined,
    own_cells,
)
from grader.model import Cause, Fact, Place, Submission
from grader.report.words import Spot, in_file

LOUD_BYTES = 1 << 20
OTHER_NAME = "other_name"  # the kind of cause where a notebook lies there under another name only


@dataclass(frozen=True)
class HandedIn:
    """One notebook: the text of its cells by grade id; ``problem`` if it is no notebook at all;
    ``own_names`` are defined in cells that the student added.
    """

    cells: Mapping[str, str] = field(default_factory=dict)
    problem: Cause | None = None
    oddities: tuple[str, ...] = ()
    own_names: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Module:
    """A module made of cells; ``starts`` are the lines where they begin, ``notes`` are by cell."""

    text: str
    starts: tuple[tuple[int, str], ...]
    notes: Mapping[str, tuple[str, ...]]

    def place(self, line: int) -> tuple[str, int]:
        """The cell that a line of the module stands in, and the line within it."""
        start, name = max(pair for pair in self.starts if pair[0] <= max(line, 1))
        return name, line - start + 1

    def spot(self, exercise: str) -> Spot:
        """``softmax.py, line 30`` is ``cell softmax, line 12`` to those who wrote a notebook."""

        def spot(place: Place) -> str:
            if place.file != f"{exercise}.py":
                return in_file(place)
            name, line = self.place(place.line)
            return words.IN_CELL.format(cell=name, line=line)

        return spot


def read_notebook(path: Path) -> HandedIn:
    """Whatever these bytes are, the answer is a record; a link is not followed."""
    try:
        raw = read_at_most(path, MAX_NOTEBOOK_BYTES)
    except OSError as error:
        return _none(path, "unreadable", said=error.strerror)
    try:
        notebook = document(raw)
        own = own_cells(notebook)
        odd = tuple(_oddities(notebook, len(raw), len(own)))
        return HandedIn(by_grade_id(notebook), None, odd, names_defined_in(own))
    except NotRead as refused:
        return _none(path, refused.kind, **refused.facts)


def _none(path: Path, kind: str, **facts: Fact) -> HandedIn:
    return HandedIn(problem=Cause(kind, {"module": path.stem, "name": path.name, **facts}))


def _oddities(notebook: Mapping[str, Any], size: int, own_count: int) -> list[str]:
    """What is worth telling and changes no mark."""
    told = []
    if size > LOUD_BYTES:
        told.append(words.LOUD.format(mib=size >> 20))
    kernel = dig(notebook, "metadata", "kernelspec", "name")
    if kernel is not None and kernel != KERNEL["name"]:
        told.append(words.OTHER_KERNEL.format(kernel=str(kernel)[:40]))
    if own_count:
        told.append(words.OWN_CELLS.format(count=own_count))
    return told


def module_of(cells: Sequence[Cell], handed_in: HandedIn) -> Module:
    """Our page with the student's solution cells in it."""
    parts: list[str] = []
    starts: list[tuple[int, str]] = []
    notes: dict[str, tuple[str, ...]] = {}
    line = 1
    for cell in cells:
        if cell.kind in (CellKind.GIVEN, CellKind.SOLUTION):
            told: list[str] = []
            text = (
                cell.text if cell.kind is CellKind.GIVEN else _solution(cell.name, handed_in, told)
            )
            starts.append((line, cell.name))
            parts.append(text)
            line += text.count("\n") + 3
            notes[cell.name] = tuple(told)
    return Module(joined(parts), tuple(starts), notes)


def changed_cells(restored: Mapping[str, str], handed_in: HandedIn) -> dict[str, str]:
    """What was done to the cells that are not to be edited; they have been restored."""
    told = {}
    for name, text in restored.items():
        if name not in handed_in.cells:
            told[name] = words.CELL_WAS_MISSING
        elif handed_in.cells[name].strip() != text.strip():
            told[name] = words.CELL_WAS_CHANGED
    return told


def _solution(name: str, handed_in: HandedIn, told: list[str]) -> str:
    if name not in handed_in.cells:
        told.append(words.SOLUTION_IS_MISSING)
        return ""
    found = as_python(handed_in.cells[name])
    if found.foreign:
        told.append(words.NO_PYTHON.format(line=found.foreign[:60]))
    for number, line in found.commands:
        told.append(words.NOTEBOOK_COMMAND.format(number=number, line=line[:60]))
    return found.text


def _too_large(path: Path, size: int, left: int) -> Cause | None:
    """Why a notebook's code of ``size`` bytes is not taken, where only ``left`` may follow."""
    if size > MAX_SOURCE_BYTES:
        return _none(path, "much_code", mib=MAX_SOURCE_BYTES >> 20).problem
    return (
        _none(path, "too_large_together", mib=MAX_SUBMISSION_BYTES >> 20).problem
        if size > left
        else None
    )


def submission_of(
    pages: Mapping[str, Sequence[Cell]], folder: Path, student: str
) -> tuple[Submission, dict[str, HandedIn], dict[str, Module]]:
    """All notebooks of one student, as one submission: they may import one another.

    Their code has the limits of modules: 1 MiB each, 4 MiB together.
    """
    left = MAX_SUBMISSION_BYTES
    submission = Submission(student, student, files={}, problems={})
    files: dict[str, str] = {}
    problems = {
        name: Cause(OTHER_NAME, {"module": name, "name": found})
        for name, found in found_instead(folder, pages).items()
    }
    handed: dict[str, HandedIn] = {}
    modules: dict[str, Module] = {}
    for name, cells in pages.items():
        path = folder / f"{name}.ipynb"
        if not path.exists() and not path.is_symlink():
            continue
        handed[name] = read_notebook(path)
        modules[name] = module_of(cells, handed[name])
        size = len(modules[name].text.encode("utf-8", "replace"))
        problem = handed[name].problem or _too_large(path, size, left)
        if problem is not None:
            problems[name] = problem
        else:
            files[name], left = modules[name].text, left - size
    return replace(submission, files=files, problems=problems), handed, modules
