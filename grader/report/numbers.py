"""What a student calls a check: its exercise's place in the report, and its own in the exercise."""

from __future__ import annotations

from collections.abc import Iterator

from grader.model import Report, Verdict


def numbered(report: Report) -> Iterator[tuple[str, Verdict]]:
    """Every verdict with its number: ``2.1`` is the first check of the second exercise."""
    for place, exercise in enumerate(report.exercises, start=1):
        for number, verdict in enumerate(exercise.verdicts, start=1):
            yield f"{place}.{number}", verdict
