"""A notebook that was handed in, untrusted bytes, -> the text of a module.

Nothing here runs or parses code. Of a notebook only the solution cells count, found by grade id;
all else comes from our own page. What is odd about a notebook is written down, cell by cell.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from grader.bridges.exercise_cells import Cell, CellKind
from grader.bridges.notebook import KERNEL
from grader.collect import MAX_SOURCE_BYTES
from grader.model import Submission

MAX_NOTEBOOK_BYTES = 128 << 20
LOUD_BYTES = 1 << 20

# Cell magics after which the rest of the cell is still Python.
_PYTHON_MAGICS = ("%%time", "%%timeit", "%%capture", "%%prun", "%%python", "%%python3")
_MAGIC = re.compile(
    r"^[%!?]|^\s+(%(time|timeit|prun|matplotlib|pip|run|debug|pdb|load_ext|autoreload|env)\b|!\w)"
    r"|^\s*[A-Za-z_][\w.]*\?{1,2}\s*$"
)
_ASSIGNED = re.compile(r"^\s*[A-Za-z_]\w*\s*=\s*(%[A-Za-z]|!\s*\w)")


@dataclass(frozen=True)
class HandedIn:
    """One notebook: the text of its cells by grade id; ``problem`` if it is no notebook at all."""

    cells: Mapping[str, str] = field(default_factory=dict)
    problem: str = ""
    oddities: tuple[str, ...] = ()


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

    def in_cells(self, text: str, exercise: str) -> str:
        """``softmax.py, line 30`` is ``cell softmax, line 12`` to who wrote a notebook."""

        def place(found: re.Match[str]) -> str:
            name, line = self.place(int(found[1]))
            return f"cell {name}, line {line}"

        return re.sub(rf"\b{exercise}\.py, line (\d{{1,9}})\b", place, text)


def read_notebook(path: Path) -> HandedIn:
    """Whatever these bytes are, the answer is a record; a link is not followed."""
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
        with open(descriptor, "rb") as file:
            raw = file.read(MAX_NOTEBOOK_BYTES + 1)
    except OSError as error:
        return HandedIn(problem=f"{path.name} cannot be read: {error.strerror}.")
    if len(raw) > MAX_NOTEBOOK_BYTES:
        limit = MAX_NOTEBOOK_BYTES >> 20
        return HandedIn(problem=f"{path.name} is larger than {limit} MiB: clear its outputs.")
    try:
        notebook = json.loads(raw.decode("utf-8-sig"))
    except json.JSONDecodeError as error:
        said = f"{error.msg} in line {error.lineno}"
        return HandedIn(problem=f"{path.name} is not a notebook: no JSON ({said}).")
    except (ValueError, RecursionError) as error:
        return HandedIn(problem=f"{path.name} is not a notebook ({type(error).__name__}).")
    if not isinstance(notebook, dict) or not isinstance(notebook.get("cells"), list):
        return HandedIn(problem=f"{path.name} is not a notebook of format 4: it has no cells.")
    return HandedIn(_by_grade_id(notebook["cells"]), oddities=tuple(_oddities(notebook, len(raw))))


def _by_grade_id(cells: Sequence[Any]) -> dict[str, str]:
    """A cell that was split or copied counts as all of its parts, one after another."""
    found: dict[str, str] = {}
    for cell in cells:
        name = _dig(cell, "metadata", "nbgrader", "grade_id")
        source = _dig(cell, "source")
        if isinstance(source, list):
            source = "".join(part for part in source if isinstance(part, str))
        if isinstance(name, str) and isinstance(source, str):
            source = source.encode("utf-8", "replace").decode()  # JSON can hold half characters
            source = source.replace("\r\n", "\n").replace("\r", "\n")
            found[name] = f"{found[name]}\n{source}" if name in found else source
    return found


def _oddities(notebook: Mapping[str, Any], size: int) -> list[str]:
    """What is worth telling and changes no mark."""
    told = []
    if size > LOUD_BYTES:
        told.append(f"The notebook was {size / 2**20:.0f} MiB large; its outputs were dropped.")
    kernel = _dig(notebook, "metadata", "kernelspec", "name")
    if kernel is not None and kernel != KERNEL["name"]:
        said = str(kernel)[:40]
        told.append(f"Its kernel was {said!r}; the checks run in Python all the same.")
    own = [cell for cell in notebook["cells"] if _is_own_code(cell)]
    if own:
        told.append(f"{len(own)} code cells of your own were left out: only the given ones count.")
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
            told[name] = "This cell was missing from the notebook; it has been restored."
        elif handed_in.cells[name].strip() != text.strip():
            told[name] = "This cell had been changed; it has been restored."
    return told


def _solution(name: str, handed_in: HandedIn, told: list[str]) -> str:
    if name not in handed_in.cells:
        told.append("This cell was missing from the notebook, so nothing of it could be graded.")
        return ""
    lines = handed_in.cells[name].split("\n")
    first = next((line.strip() for line in lines if line.strip()), "")
    if first.startswith("%%") and first.split()[0] not in _PYTHON_MAGICS:
        told.append(f"{first[:60]!r} makes this cell something else than Python: it was not run.")
        return "\n".join(f"# {line}" for line in lines)
    for index, line in enumerate(lines):
        if line.startswith("from __future__ import"):
            lines[index] = f"# {line}"  # the page has its own, and Python wants it at the very top
        elif _MAGIC.match(line) or _ASSIGNED.match(line):
            indent = line[: len(line) - len(line.lstrip())]
            lines[index] = f"{indent}pass  # {line.strip()}"
            said = f"{line.strip()[:60]!r} is a command to the notebook: it was not run."
            told.append(f"Line {index + 1}: {said}")
    return "\n".join(lines)


def submission_of(
    pages: Mapping[str, Sequence[Cell]], folder: Path, student: str
) -> tuple[Submission, dict[str, HandedIn], dict[str, Module]]:
    """All notebooks of one student, as one submission: they may import one another."""
    submission = Submission(student, student, files={}, problems={})
    files: dict[str, str] = {}
    problems: dict[str, str] = {}
    handed: dict[str, HandedIn] = {}
    modules: dict[str, Module] = {}
    for name, cells in pages.items():
        path = folder / f"{name}.ipynb"
        if not path.exists() and not path.is_symlink():
            continue
        handed[name] = read_notebook(path)
        modules[name] = module_of(cells, handed[name])
        if handed[name].problem:
            problems[name] = handed[name].problem
        elif len(modules[name].text.encode("utf-8", "replace")) > MAX_SOURCE_BYTES:
            problems[name] = f"The code in {path.name} is larger than {MAX_SOURCE_BYTES >> 20} MiB."
        else:
            files[name] = modules[name].text
    return replace(submission, files=files, problems=problems), handed, modules
