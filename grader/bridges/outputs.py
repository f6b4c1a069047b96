"""Verdicts and pictures -> the outputs of a notebook's cells, where nbgrader finds marks and words.

It reads marks from a cell's output: an error or anything on stderr is 0, a number is that many
points, and *silence is full marks*. So every grade cell gets either its exact points as its result,
or an error; the latter has no automatic mark and waits for a person.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from nbformat import NotebookNode, from_dict

from grader.bridges import words
from grader.bridges.exercise_cells import CHECK_ALL
from grader.bridges.handed_in import Module
from grader.bridges.shown import bundle
from grader.course.strict import DECIMALS
from grader.model import ExerciseReport, Outcome, Verdict
from grader.report.feedback import standing_lines, verdict_lines, words_of
from grader.report.picture import Picture
from grader.report.words import Spot, in_file
from grader.report.words import told as told_of

MAX_TOLD = 10_000
SETTLED = frozenset(Outcome) - {Outcome.INTERNAL, Outcome.SKIPPED}


@dataclass(frozen=True)
class Told:
    """What is said beside the verdicts, by cell, and where lines of the module are."""

    exercise: str
    module: Module | None
    notes: Mapping[str, Sequence[str]]

    @property
    def spot(self) -> Spot:
        """How a line of the module is spoken of."""
        return self.module.spot(self.exercise) if self.module else in_file


def fill(nb: NotebookNode, verdicts: Mapping[str, Verdict], told: Told) -> list[str]:
    """Give every cell its outputs; returns the grade cells that have no verdict."""
    without: list[str] = []
    standing = _standing(nb, verdicts, told.exercise)
    for number, cell in enumerate(nb.cells, start=1):
        marks = cell.metadata.get("nbgrader", {})
        if cell.cell_type != "code":
            continue
        name = marks.get("grade_id", "")
        said = [f"! {note}" for note in told.notes.get(name, ())]
        said += standing if name == CHECK_ALL else []
        cell.outputs = [_said(said)] if said else []
        cell.execution_count = None
        if marks.get("grade") and not marks.get("solution"):
            verdict = verdicts.get(name)
            if verdict is not None:
                said += _words(verdict, told.spot)
            cell.outputs = [_said(said)] if said else []
            if verdict is None or verdict.outcome not in SETTLED:
                without.append(name)
                cell.outputs.append(_no_verdict(verdict))
            else:
                cell.execution_count = number
                cell.outputs.append(_points(verdict, float(marks.get("points", 0)), number))
    return without


def hang(nb: NotebookNode, picture: Picture) -> None:
    """Put a picture where a student's own ``show`` would be: after the check of everything."""
    for cell in nb.cells:
        if cell.metadata.get("nbgrader", {}).get("grade_id") == CHECK_ALL:
            cell.outputs += [_drawn(picture), _said(picture.lines)]


def _standing(nb: NotebookNode, verdicts: Mapping[str, Verdict], exercise: str) -> list[str]:
    """The points of the core and of all else, as the instructor's cells count them."""
    worth = {
        marks.get("grade_id", ""): float(marks.get("points", 0))
        for marks in (cell.metadata.get("nbgrader", {}) for cell in nb.cells)
        if marks.get("grade") and not marks.get("solution")
    }
    counted = [
        replace(verdict, check=replace(verdict.check, max_points=worth[name]))
        for name, verdict in verdicts.items()
        if name in worth
    ]
    return standing_lines(ExerciseReport(exercise, tuple(counted)))


def _drawn(picture: Picture) -> NotebookNode:
    png = base64.b64encode(picture.png).decode()
    metadata = {"image/png": {"width": picture.width, "alt": picture.alt}}
    data = {"image/png": png, "text/plain": picture.alt}
    return from_dict({"output_type": "display_data", "data": data, "metadata": metadata})


def _words(verdict: Verdict, spot: Spot) -> list[str]:
    lines = verdict_lines(verdict, spot)
    if verdict.misconception:
        lines.append(f"    {words.MISCONCEPTION.format(name=verdict.misconception)}")
    if verdict.advice is not None:
        lines.append(f"    → {told_of(verdict.advice, spot).rationale}")
    return "\n".join(lines)[:MAX_TOLD].split("\n")


def _said(lines: Sequence[str]) -> NotebookNode:
    return from_dict({"output_type": "display_data", "data": bundle(lines), "metadata": {}})


def _points(verdict: Verdict, worth: float, number: int) -> NotebookNode:
    """What was earned of all that the instructor's cell is worth, whatever the suite says; and
    nothing else that nbgrader could take for a mark.
    """
    most = verdict.check.max_points
    part = verdict.points / most if most else float(verdict.outcome is Outcome.PASSED)
    data = {"text/plain": repr(round(worth * part, DECIMALS))}
    result = {"output_type": "execute_result", "execution_count": number}
    return from_dict(result | {"data": data, "metadata": {}})


def _no_verdict(verdict: Verdict | None) -> NotebookNode:
    if verdict is None:
        why = words.NO_SUCH_CHECK
    else:
        why = words_of(verdict).rationale or verdict.outcome.value
    said = words.NO_MARK.format(why=why)
    error = {"output_type": "error", "ename": "NoVerdict", "evalue": said, "traceback": [said]}
    return from_dict(error)
