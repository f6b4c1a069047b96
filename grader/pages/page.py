"""A page of the course, as HTML that is complete in itself."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from markupsafe import Markup

from grader.course.course import Course
from grader.course.release import untouched
from grader.model import Exercise
from grader.pages import words
from grader.pages.formula import mathml
from grader.pages.prose import Block, Section, blocks, sections

_FORMULA = "Formula"  # the section whose indented lines are formulas
_GAP = re.compile(r"\s*\|\s*|\s{2,}")  # between two columns
_ART = re.compile(r"--|\+-|\s\|\s*$|^\s*\||\.\s\.", re.M)  # drawn with signs, not written
_MOST_COLUMNS = 6
_INLINE = re.compile(
    r"`{1,2}([^`]+)`{1,2}|\*\*(\S(?:.*?\S)?)\*\*|(?<![\w*])\*(\S(?:[^*]*?\S)?)\*(?![\w*])"
)


@dataclass(frozen=True)
class Part:
    """A function, a class or a method: how it is written, and what it says."""

    name: str
    signature: str
    told: Section
    depth: int = 0


def page_html(course: Course, exercise: Exercise) -> str:
    """The page of ``exercise`` as its stub has it, with its figures; hints are not shown."""
    text = untouched(course, exercise.name)
    tree = ast.parse(text)
    first, *others = sections(ast.get_docstring(tree) or "")
    return _template().render(
        exercise=exercise,
        lead=first,
        sections=others,
        parts=list(_parts(tree, text.split("\n"))),
        words=words,
        figures=functools.partial(_figure, course, exercise.name),
    )


def _parts(tree: ast.AST, lines: list[str], depth: int = 0) -> Iterator[Part]:
    """What is documented on the page, in its order."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and (told := ast.get_docstring(node)):
            until = node.body[0].lineno - 1
            signature = "\n".join(line[4 * depth :] for line in lines[node.lineno - 1 : until])
            yield Part(node.name, signature, Section("", tuple(blocks(told))), depth)
        if isinstance(node, ast.ClassDef):
            yield from _parts(node, lines, depth + 1)


def _figure(course: Course, name: str, block: Block) -> Markup:
    """The figure, or its words where the file is not there."""
    figure, alt = block.lines
    path = course.figure(name, figure)
    if not path.is_file():
        return Markup('<p class="quiet">{}</p>').format(alt)
    return Markup(path.read_text(encoding="utf-8"))


def inline(text: str) -> Markup:
    """Code, strong and emphasised words; all else is text."""
    return Markup(_INLINE.sub(_marked, escape(text, quote=False)))


def _marked(found: re.Match[str]) -> str:
    for tag, inside in zip(("code", "strong", "em"), found.groups(), strict=True):
        if inside is not None:
            return f"<{tag}>{inside}</{tag}>"
    return found[0]


def formulas(section: Section, block: Block) -> list[list[Markup]] | None:
    """The lines of a formula, column by column; None for what is not one."""
    text = "\n".join(block.lines)
    if section.title != _FORMULA or _ART.search(text):
        return None
    cells = [list(_cells(line)) for line in block.lines]
    starts = sorted({start for row in cells for start, _ in row})
    if len(starts) > _MOST_COLUMNS or not any(mathml(c) for row in cells for _, c in row):
        return None
    if len(cells) == 1 and all("=" in cell for _, cell in cells[0]):  # side by side for width alone
        return [[_cell(cell.rstrip(","))] for _, cell in cells[0]]
    rows = [dict(row) for row in cells]
    return [[_cell(row.get(start, "")) for start in _filled(starts, row)] for row in rows]


def _filled(starts: list[int], row: Mapping[int, str]) -> list[int]:
    """The columns of a row; the last one that holds anything takes what is left of the line."""
    return [start for start in starts if start <= max(row, default=-1)]


def _cells(line: str) -> Iterator[tuple[int, str]]:
    """The columns of a line: where each starts, and what it holds. A sign of equality goes on with
    what stands before it: the gap is there to line up several of them.
    """
    place, waiting = 0, (0, "")
    for found in [*_GAP.finditer(line.rstrip()), None]:
        end = found.start() if found else len(line.rstrip())
        cell = line[place:end].strip()
        if cell.startswith("=") and waiting[1]:
            waiting = (waiting[0], f"{waiting[1]} {cell}")
        elif cell:
            if waiting[1]:
                yield waiting
            waiting = (place, cell)
        place = found.end() if found else end
    if waiting[1]:
        yield waiting


def _cell(text: str) -> Markup:
    if text.endswith(":"):
        return Markup('<span class="label">{}</span>').format(inline(text))
    typeset = mathml(text)
    if typeset or not text:
        return Markup(typeset or "")
    return Markup('<div class="told">{}</div>').format(inline(text))


def prompts(block: Block) -> list[Mapping[str, str]]:
    """The lines of an example: what is typed, and what is printed."""
    return [
        {"kind": "typed" if line.startswith((">>>", "...")) else "printed", "text": shown}
        for line in block.lines
        for shown in ["" if line == "<BLANKLINE>" else line]
    ]


@functools.cache
def _template() -> Template:
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"inline": inline, "prompts": prompts}
    environment.globals |= {"formulas": formulas}
    return environment.get_template("page.html")
