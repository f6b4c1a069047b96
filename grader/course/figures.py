"""The figures of a page: named in its text, drawn beside its solution, kept beside its stub.

A page says, as a paragraph of a docstring::

    [Figure flow: queries meet keys, and the weights that come out average the values.]

``solutions/figures/NAME.py`` holds ``FIGURES = {"flow": function}``, each of which returns a
``grader.figures.Figure``, and ``exercises/figures/NAME_flow.svg`` is generated from both: the words
are the figure's alternative text. So who reads the file has the words, and who reads the page in a
browser the figure.
"""

from __future__ import annotations

import ast
import re
import runpy
from pathlib import Path

from grader.course.course import Course
from grader.errors import MarkerError

_NAMED = re.compile(r"\[Figure (\w+): (.*?)\]\s*\Z", re.S)


def figure_in(paragraph: str) -> tuple[str, str] | None:
    """The name and the words of the figure that a paragraph is."""
    found = _NAMED.match(paragraph.strip())
    return (found[1], " ".join(found[2].split())) if found else None


def figures_of(page: str) -> dict[str, str]:
    """The figures that a page names in its docstrings: by name, in words."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    nodes = [node for node in ast.walk(ast.parse(page)) if isinstance(node, documented)]
    paragraphs = [p for node in nodes for p in re.split(r"\n\s*\n", ast.get_docstring(node) or "")]
    return dict(found for p in paragraphs if (found := figure_in(p)))


def figures_there(course: Course, name: str) -> dict[str, str]:
    """The figures of a page whose files are there: SVG, by name."""
    named = figures_of(course.page(name).read_text(encoding="utf-8"))
    paths = {figure: course.figure(name, figure) for figure in named}
    return {figure: p.read_text(encoding="utf-8") for figure, p in paths.items() if p.is_file()}


def drawn_figures(course: Course, name: str) -> dict[Path, str]:
    """The files of a page's figures, by path; raises ``MarkerError`` where page and drawings do not
    name the same.
    """
    told = figures_of(course.solution(name).read_text(encoding="utf-8"))
    path = course.drawings(name)
    drawings = runpy.run_path(str(path)).get("FIGURES", {}) if path.is_file() else {}
    if set(told) != set(drawings):
        raise MarkerError(
            f"{name}.py names the figures {sorted(told)}, and {course.shown(path)} draws "
            f"{sorted(drawings)}: name each on the page as [Figure NAME: what is to be seen.]"
        )
    return {course.figure(name, key): drawings[key]().svg(told[key]) for key in drawings}
