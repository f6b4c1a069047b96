"""Solution text -> stub text. The only place that knows the markers.

Between ``# BEGIN SOLUTION`` and ``# END SOLUTION`` (each alone on its line) everything is cut and
replaced by a TODO that raises ``NotImplementedError``, at the marker's own indentation. All other
lines pass through untouched, so the stub is the same page as the solution.
"""

from __future__ import annotations

from grader.errors import MarkerError

BEGIN, END = "# BEGIN SOLUTION", "# END SOLUTION"
TODO = "# TODO: your code here"
_RAISE = "raise NotImplementedError("
REPLACE = "replace this line"  # by it, what nobody wrote yet is known


def stub_text(solution: str, name: str) -> str:
    """The stub of the exercise ``name``; raises ``MarkerError`` when markers do not pair up."""
    lines: list[str] = []
    opened_at = 0
    regions = 0
    for number, line in enumerate(_lines(solution), start=1):
        mark = line.strip()
        if mark == BEGIN:
            if opened_at:
                raise MarkerError(f"{name}.py, line {number}: {BEGIN} inside line {opened_at}'s.")
            opened_at = number
            regions += 1
            indent = line[: len(line) - len(line.lstrip())]
            lines.append(f"{indent}{TODO}")
            lines.append(f'{indent}{_RAISE}"{name}: {REPLACE}")')
        elif mark == END:
            if not opened_at:
                raise MarkerError(f"{name}.py, line {number}: {END} without {BEGIN} before it.")
            opened_at = 0
        elif not opened_at:
            lines.append(line)
    if opened_at:
        raise MarkerError(f"{name}.py, line {opened_at}: {BEGIN} is never closed by {END}.")
    if not regions:
        raise MarkerError(f"{name}.py has no {BEGIN}: a stub of it would be the solution.")
    return "\n".join(lines) + "\n"


def marked_again(stub: str) -> str:
    """A stub with the markers where its bodies were cut, and the TODO between them."""
    lines: list[str] = []
    for line in _lines(stub):
        indent = line[: len(line) - len(line.lstrip())]
        if line.strip() == TODO:
            lines.append(f"{indent}{BEGIN}")
        lines.append(line)
        if _is_cut(line, lines):
            lines.append(f"{indent}{END}")
    return "\n".join(lines) + "\n"


def _is_cut(line: str, before: list[str]) -> bool:
    """Whether it is the line that stands for a body."""
    begun = len(before) > 1 and before[-2].strip() == TODO
    return begun and line.lstrip().startswith(_RAISE)


def left_to_write(text: str) -> int:
    """How many bodies of a page, or of a notebook of it, are still what they were given as."""
    lines = (line.strip() for line in text.splitlines())
    return sum(line.startswith(_RAISE) and REPLACE in line for line in lines)


def without_markers(solution: str) -> str:
    """The solution as a program of its own."""
    lines = [line for line in _lines(solution) if line.strip() not in (BEGIN, END)]
    return "\n".join(lines) + "\n"


def _lines(text: str) -> list[str]:
    """Unlike ``str.splitlines``, this leaves form feeds and their like inside a line."""
    return text.removesuffix("\n").split("\n")
