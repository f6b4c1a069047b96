"""Solution text -> stub text. The only place that knows the markers.

Between ``# BEGIN SOLUTION`` and ``# END SOLUTION`` (each alone on its line) everything is cut and
replaced by a TODO that raises ``NotImplementedError``, at the marker's own indentation. All other
lines pass through untouched, so the stub is the same page as the solution.

A body can be given instead, with a slip in it that is to be found: ``# GIVEN: words``, within the
region, says what the stub holds in the place of the line right above. Several in a row are several
lines in the place of that one; without words, the line is left out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from grader.course.steps import todo_lines
from grader.errors import MarkerError

BEGIN, END = "# BEGIN SOLUTION", "# END SOLUTION"
GIVEN = "# GIVEN:"
MEND = "# what follows is given: mend it"  # in a stub, right above a body that is given
_RAISE = "raise NotImplementedError("
REPLACE = "replace this line"  # by it, what nobody wrote yet is known
_EMPTY = re.compile(rf"{re.escape(_RAISE)}.*{re.escape(REPLACE)}.*")
_DEFINES = re.compile(r"(?:def|class) (\w+)")  # at the top of a page
_METHOD = re.compile(r"    def (\w+)")
# What stands for a body: a TODO, of one line or of several steps, and the line that raises.
_CUT = re.compile(rf"^([ \t]*)# TODO: .*\n(?:\1#  .*\n)*\1{re.escape(_RAISE)}.*$", re.M)
# A body that is given goes on as long as its lines are indented.
_KEPT = re.compile(
    rf"^([ \t]+)# TODO: .*\n(?:\1#  .*\n)*\1{re.escape(MEND)}\n(?:(?:[ \t]*\n)*\1.*\n)*", re.M
)


@lru_cache(maxsize=128)  # asked for with every line that a program raised in
def stub_text(solution: str, name: str, steps: tuple[str, ...] = ()) -> str:
    """The stub of the exercise ``name``; raises ``MarkerError`` when markers do not pair up.

    Its TODOs say which of the exercise's ``steps`` they are.
    """
    lines: list[str] = []
    within = method = ""
    opened_at = 0
    regions = 0
    for number, line in enumerate(_lines(solution), start=1):
        mark = line.strip()
        if found := _DEFINES.match(line):
            within, method = found[1], ""
        elif found := _METHOD.match(line):
            method = found[1]
        if mark == BEGIN:
            if opened_at:
                raise MarkerError(f"{name}.py, line {number}: {BEGIN} inside line {opened_at}'s.")
            opened_at = number
            regions += 1
            indent = line[: len(line) - len(line.lstrip())]
            lines += todo_lines(steps, within, method, indent)
            body: list[str] = []
        elif mark == END:
            if not opened_at:
                raise MarkerError(f"{name}.py, line {number}: {END} without {BEGIN} before it.")
            given = _given(body)
            lines += [indent + MEND, *given] if given else [f'{indent}{_RAISE}"{name}: {REPLACE}")']
            opened_at = 0
        else:
            (body if opened_at else lines).append(line)
    if opened_at:
        raise MarkerError(f"{name}.py, line {opened_at}: {BEGIN} is never closed by {END}.")
    if not regions:
        raise MarkerError(f"{name}.py has no {BEGIN}: a stub of it would be the solution.")
    return "\n".join(lines) + "\n"


def marked_again(stub: str) -> str:
    """A stub with the markers where its bodies were cut, or given, and the TODO between them."""
    cut = _CUT.sub(lambda cut: f"{cut[1]}{BEGIN}\n{cut[0]}\n{cut[1]}{END}", stub)
    return _KEPT.sub(lambda kept: f"{kept[1]}{BEGIN}\n{kept[0]}{kept[1]}{END}\n", cut)


def given_instead(solution: str) -> str:
    """A solution whose bodies that are given stand as a stub holds them; all other regions stay,
    for whoever cuts these.
    """
    lines: list[str] = []
    begun: list[int] = []  # where the region is that was not ended yet
    for line in _lines(solution):
        lines.append(line)
        if line.strip() == BEGIN:
            begun = [len(lines) - 1]
        elif line.strip() == END and begun:
            (at,) = begun
            indent = line[: len(line) - len(line.lstrip())]
            if given := _given(lines[at + 1 : -1]):
                lines[at:] = [*todo_lines((), "", "", indent), indent + MEND, *given]
            begun = []
    return "\n".join(lines) + ("\n" if solution.endswith("\n") else "")


def left_to_write(text: str) -> int:
    """How many bodies of a page, or of a notebook of it, are still what they were given as."""
    lines = (line.strip() for line in text.splitlines())
    return sum(line.startswith(_RAISE) and REPLACE in line for line in lines)


def raising_alike(text: str) -> str:
    """A page, or a notebook of it, in which whoever emptied the bodies has used the same words."""
    return _EMPTY.sub(f'{_RAISE}"{REPLACE}")', text)


def left_to_mend(stub: str) -> int:
    """How many bodies a stub gives."""
    return sum(line.strip() == MEND for line in stub.splitlines())


def without_markers(solution: str) -> str:
    """The solution as a program of its own."""
    kept = (line for line in _lines(solution) if line.strip() not in (BEGIN, END))
    lines = [line for line in kept if not line.strip().startswith(GIVEN)]
    return "\n".join(lines) + "\n"


def _given(body: Sequence[str]) -> list[str]:
    """What is given of a body, in which some line must say so; of any other, nothing."""
    lines: list[str] = []
    replaces = False
    for line in body:
        indent, mark, words = line.partition(GIVEN)
        if not mark or indent.strip():
            lines.append(line)
            replaces = True
            continue
        if replaces:
            lines.pop()
        replaces = False
        lines += [indent + words.strip()] if words.strip() else []
    return lines if lines != list(body) else []


def _lines(text: str) -> list[str]:
    """Unlike ``str.splitlines``, this leaves form feeds and their like inside a line."""
    return text.removesuffix("\n").split("\n")
