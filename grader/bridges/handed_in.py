"""A notebook that was handed in, untrusted bytes, -> the text of a module.

Nothing here runs or parses code. Of a notebook only the solution cells count, found by grade id;
all else comes from our own page. What is odd about a notebook is written down, cell by cell.
"""

from __future__ import annotations

import json
import re
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
from grader.model import Cause, Fact, Place, Submission
from grader.report.words import Spot, in_file

MAX_NOTEBOOK_BYTES = 128 << 20
LOUD_BYTES = 1 << 20
# What is not text between quotes becomes lists and numbers, up to thirty times as large in memory.
MAX_STRUCTURE_BYTES = 16 << 20
MAX_STRINGS = 2_000_000
OTHER_NAME = "other_name"  # the kind of cause where a notebook lies there under another name only

# Cell magics after which the rest of the cell is still Python.
_PYTHON_MAGICS = ("%%time", "%%timeit", "%%capture", "%%prun", "%%python", "%%python3")
_MAGIC = re.compile(
    r"^[%!?]|^\s+(%(time|timeit|prun|matplotlib|pip|run|debug|pdb|load_ext|autoreload|env)\b|!\w)"
    r"|^\s*[A-Za-z_][\w.]*\?{1,2}\s*$"
)
_ASSIGNED = re.compile(r"^\s*[A-Za-z_]\w*\s*=\s*(%[A-Za-z]|!\s*\w)")


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
    if len(raw) > MAX_NOTEBOOK_BYTES:
        return _none(path, "loud_notebook", mib=MAX_NOTEBOOK_BYTES >> 20)
    if len(raw) > MAX_STRUCTURE_BYTES and not _is_mostly_text(raw):
        return _none(path, "crowded_notebook")
    try:
        notebook = json.loads(raw.decode("utf-8-sig"))
    except json.JSONDecodeError as error:
        said = words.IN_LINE.format(said=error.msg, line=error.lineno)
        return _none(path, "no_json", said=said)
    except (ValueError, RecursionError) as error:
        return _none(path, "no_notebook", said=type(error).__name__)
    if not isinstance(notebook, dict) or not isinstance(notebook.get("cells"), list):
        return _none(path, "no_cells")
    cells = _by_grade_id(notebook["cells"])
    if cells is None:
        return _none(path, "much_code", mib=MAX_SOURCE_BYTES >> 20)
    own = [cell for cell in notebook["cells"] if _is_own_code(cell)]
    names = names_defined_in(_source(cell) or "" for cell in own)
    return HandedIn(cells, None, tuple(_oddities(notebook, len(raw), len(own))), names)


def _is_mostly_text(raw: bytes) -> bool:
    """Whether there are no more strings, and no more bytes beside them, than a notebook needs."""
    bare = raw.replace(b"\\\\", b"").replace(b'\\"', b"")
    if bare.count(b'"') > 2 * MAX_STRINGS:
        return False
    return sum(map(len, bare.split(b'"')[::2])) <= MAX_STRUCTURE_BYTES


def _none(path: Path, kind: str, **facts: Fact) -> HandedIn:
    return HandedIn(problem=Cause(kind, {"module": path.stem, "name": path.name, **facts}))


def _by_grade_id(cells: Sequence[Any]) -> dict[str, str] | None:
    """A cell that was split or copied counts as all of its parts, one after another.

    None where all of them are larger than a module may be. They are joined once: with many parts,
    joining each to those before it would take minutes.
    """
    found: dict[str, list[str]] = {}
    left = MAX_SOURCE_BYTES
    for cell in cells:
        name = _dig(cell, "metadata", "nbgrader", "grade_id")
        if isinstance(name, str) and (source := _source(cell)) is not None:
            left -= len(source) + 1
            if left < 0:
                return None
            found.setdefault(name, []).append(source)
    return {name: "\n".join(parts) for name, parts in found.items()}


def _source(cell: Any) -> str | None:
    source = _dig(cell, "source")
    if isinstance(source, list):
        source = "".join(part for part in source if isinstance(part, str))
    if not isinstance(source, str):
        return None
    source = source.encode("utf-8", "replace").decode()  # JSON can hold half characters
    return source.replace("\r\n", "\n").replace("\r", "\n")


def _oddities(notebook: Mapping[str, Any], size: int, own_cells: int) -> list[str]:
    """What is worth telling and changes no mark."""
    told = []
    if size > LOUD_BYTES:
        told.append(words.LOUD.format(mib=size >> 20))
    kernel = _dig(notebook, "metadata", "kernelspec", "name")
    if kernel is not None and kernel != KERNEL["name"]:
        told.append(words.OTHER_KERNEL.format(kernel=str(kernel)[:40]))
    if own_cells:
        told.append(words.OWN_CELLS.format(count=own_cells))
    return told


def _is_own_code(cell: Any) -> bool:
    named = isinstance(_dig(cell, "metadata", "nbgrader", "grade_id"), str)
    return not named and _dig(cell, "cell_type") == "code" and bool(_dig(cell, "source"))


def _dig(value: Any, *keys: str) -> Any:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


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
    return Module("\n\n\n".join(parts) + "\n", tuple(starts), notes)


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
    lines = handed_in.cells[name].split("\n")
    first = next((line.strip() for line in lines if line.strip()), "")
    if first.startswith("%%") and first.split()[0] not in _PYTHON_MAGICS:
        told.append(words.NO_PYTHON.format(line=first[:60]))
        return "\n".join(f"# {line}" for line in lines)
    for index, line in enumerate(lines):
        if line.startswith("from __future__ import"):
            lines[index] = f"# {line}"  # the page has its own, and Python wants it at the very top
        elif _MAGIC.match(line) or _ASSIGNED.match(line):
            indent = line[: len(line) - len(line.lstrip())]
            lines[index] = f"{indent}pass  # {line.strip()}"
            told.append(words.NOTEBOOK_COMMAND.format(number=index + 1, line=line.strip()[:60]))
    return "\n".join(lines)


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
