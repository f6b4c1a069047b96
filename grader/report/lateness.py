"""What being late costs, in words: for the student, and for who has to decide."""

from __future__ import annotations

from datetime import datetime

from grader.model import Deduction, Report

LATE = (
    "Handed in late, on day {days} after {due}: of {earned} points {deducted} are taken off, and "
    "{score} are left."
)
CLOSED = (
    "Handed in too late to count: on day {days} after {due}. Of {earned} points {deducted} are "
    "taken off."
)
UNKNOWN = "late, as the platform says, and nobody knows by how much: nothing is taken off"


def deduction_words(report: Report) -> str:
    """What a student is told; empty where nothing is taken off, and where there is no mark yet."""
    deduction, score = report.deduction, report.score
    if deduction is None or deduction.days is None or score is None:
        return ""
    return (CLOSED if deduction.closed else LATE).format(
        days=deduction.days,
        due=_shown(deduction),
        earned=f"{report.earned:g}",
        deducted=f"{report.deducted:g}",
        score=f"{score:g}",
    )


def undecided(report: Report) -> list[str]:
    """What an instructor is told of who is late without a known time."""
    is_open = report.deduction is not None and report.deduction.days is None
    return [UNKNOWN] if is_open else []


def _shown(deduction: Deduction) -> str:
    """For example ``2026-11-20, 23:59 (UTC+01:00)``; seconds only where they say something."""
    due = datetime.fromisoformat(deduction.due).replace(microsecond=0)
    clock, zone = f"{due:%H:%M:%S}".removesuffix(":00"), due.isoformat()[19:]
    return f"{due:%Y-%m-%d}, {clock} (UTC{'' if zone == '+00:00' else zone})"
