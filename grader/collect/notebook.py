"""A notebook that was handed in, untrusted bytes, -> the text of a module.

Nothing here runs or parses code. Of a notebook only the solution cells count, found by their grade
ids; all else comes from the course's own page.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from grader.collect.modules import MAX_SOURCE_BYTES, NotRead
from grader.collect.reasons import NO_SOLUTION_CELLS

MAX_NOTEBOOK_BYTES = 128 << 20
# What is not text between quotes becomes lists and numbers, up to thirty times as large in memory.
MAX_STRUCTURE_BYTES = 16 << 20
MAX_STRINGS = 2_000_000

# The cells of an exercise that make its module, in their order: the grade id, and the course's own
# text, or None for a solution, which is the student's.
Page: TypeAlias = Sequence[tuple[str, str | None]]
Pages: TypeAlias = Callable[[str], Page]

# Cell magics after which the rest of the cell is still Python.
_PYTHON_MAGICS = ("%%time", "%%timeit", "%%capture", "%%prun", "%%python", "%%python3")
_MAGIC = re.compile(
    r"^[%!?]|^\s+(%(time|timeit|prun|matplotlib|pip|run|debug|pdb|load_ext|autoreload|env)\b|!\w)"
    r"|^\s*[A-Za-z_][\w.]*\?{1,2}\s*$"
)
_ASSIGNED = re.compile(r"^\s*[A-Za-z_]\w*\s*=\s*(%[A-Za-z]|!\s*\w)")


def document(raw: bytes) -> Mapping[str, Any]:
    """The notebook as JSON, with its list of cells; raises ``NotRead`` for what is none."""
    if len(raw) > MAX_NOTEBOOK_BYTES:
        raise NotRead("loud_notebook", mib=MAX_NOTEBOOK_BYTES >> 20)
    if len(raw) > MAX_STRUCTURE_BYTES and not _is_mostly_text(raw):
        raise NotRead("crowded_notebook")
    try:
        notebook = json.loads(raw.decode("utf-8-sig"))
    except json.JSONDecodeError as error:
        raise NotRead("no_json", said=f"{error.msg} in line {error.lineno}") from None
    except (ValueError, RecursionError) as error:
        raise NotRead("no_notebook", said=type(error).__name__) from None
    if not isinstance(notebook, dict) or not isinstance(notebook.get("cells"), list):
        raise NotRead("no_cells")
    return notebook


def _is_mostly_text(raw: bytes) -> bool:
    """Whether there are no more strings, and no more bytes beside them, than a notebook needs."""
    bare = raw.replace(b"\\\\", b"").replace(b'\\"', b"")
    if bare.count(b'"') > 2 * MAX_STRINGS:
        return False
    return sum(map(len, bare.split(b'"')[::2])) <= MAX_STRUCTURE_BYTES


def by_grade_id(notebook: Mapping[str, Any]) -> dict[str, str]:
    """A cell that was split or copied counts as all of its parts, one after another.

    Raises ``NotRead`` where all of them are larger than a module may be. They are joined once: with
    many parts, joining each to those before it would take minutes.
    """
    found: dict[str, list[str]] = {}
    left = MAX_SOURCE_BYTES
    for cell in notebook["cells"]:
        name = dig(cell, "metadata", "nbgrader", "grade_id")
        if isinstance(name, str) and (source := _source(cell)) is not None:
            left -= len(source) + 1
            if left < 0:
                raise NotRead("much_code", mib=MAX_SOURCE_BYTES >> 20)
            found.setdefault(name, []).append(source)
    return {name: "\n".join(parts) for name, parts in found.items()}


def _source(cell: Any) -> str | None:
    source = dig(cell, "source")
    if isinstance(source, list):
        source = "".join(part for part in source if isinstance(part, str))
    if not isinstance(source, str):
        return None
    source = source.encode("utf-8", "replace").decode()  # JSON can hold half characters
    return source.replace("\r\n", "\n").replace("\r", "\n")


def own_cells(notebook: Mapping[str, Any]) -> list[str]:
    """The text of those cells with code that somebody added."""
    return [_source(cell) or "" for cell in notebook["cells"] if _is_own_code(cell)]


def _is_own_code(cell: Any) -> bool:
    named = isinstance(dig(cell, "metadata", "nbgrader", "grade_id"), str)
    return not named and dig(cell, "cell_type") == "code" and bool(dig(cell, "source"))


def dig(value: Any, *keys: str) -> Any:
    """What lies in dicts within one another; None where there is nothing."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


@dataclass(frozen=True)
class Python:
    """A solution cell as Python, line by line. ``foreign`` is the line that makes the whole cell
    something else, ``commands`` are lines for the notebook alone, counted from 1; none is run.
    """

    text: str
    foreign: str = ""
    commands: tuple[tuple[int, str], ...] = ()


def as_python(source: str) -> Python:
    """The cell without what only a notebook understands."""
    lines = source.split("\n")
    first = next((line.strip() for line in lines if line.strip()), "")
    if first.startswith("%%") and first.split()[0] not in _PYTHON_MAGICS:
        return Python("\n".join(f"# {line}" for line in lines), foreign=first)
    commands = []
    for index, line in enumerate(lines):
        if line.startswith("from __future__ import"):
            lines[index] = f"# {line}"  # the page has its own, and Python wants it at the very top
        elif _MAGIC.match(line) or _ASSIGNED.match(line):
            indent = line[: len(line) - len(line.lstrip())]
            lines[index] = f"{indent}pass  # {line.strip()}"
            commands.append((index + 1, line.strip()))
    return Python("\n".join(lines), commands=tuple(commands))


def joined(parts: Sequence[str]) -> str:
    """The module made of cells."""
    return "\n\n\n".join(parts) + "\n"


def module_in(notebook: Mapping[str, Any], page: Page) -> str:
    """The page with the notebook's solutions in it; raises ``NotRead`` where there are none."""
    cells = by_grade_id(notebook)
    if not solutions_in(cells, page):
        raise NotRead("unreadable", said=NO_SOLUTION_CELLS)
    return joined([as_python(cells.get(n, "")).text if own is None else own for n, own in page])


def solutions_in(cells: Mapping[str, str], page: Page) -> float:
    """How many of the page's solutions there are, from 0 to 1."""
    names = [name for name, own in page if own is None]
    return sum(name in cells for name in names) / max(len(names), 1)
