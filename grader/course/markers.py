"""Solution text -> stub text. The only place that knows the markers.

Between ``# BEGIN SOLUTION`` and ``# END SOLUTION`` (each alone on its line) everything is cut and
replaced by a TODO that raises ``NotImplementedError``, at the marker's own indentation. All other
lines pass through untouched, so the stub is the same page as the solution.
"""

from __future__ import annotations

from grader.errors import MarkerError

BEGIN, END = "# BEGIN SOLUTION", "# END SOLUTION"
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
            lines.append(f"{indent}# TODO: your code here")
            lines.append(f"{indent}{replaced_by(name)}")
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


def replaced_by(name: str) -> str:
    """The statement in a stub that stands for a solution's body."""
    return f'raise NotImplementedError("{name}: {REPLACE}")'


def without_markers(solution: str) -> str:
    """The solution as a program of its own."""
    lines = [line for line in _lines(solution) if line.strip() not in (BEGIN, END)]
    return "\n".join(lines) + "\n"


def _lines(text: str) -> list[str]:
    """Unlike ``str.splitlines``, this leaves form feeds and their like inside a line."""
    return text.removesuffix("\n").split("\n")
