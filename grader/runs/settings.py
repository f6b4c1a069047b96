"""Under what a run is made. It is kept before anything is graded, for its seed is secret and drawn
once: whatever ends the run, it goes on with the same inputs.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader.errors import GraderError, ReportError
from grader.model import Conditions, Report
from grader.programs.draw import new_seed
from grader.report.files import write_whole
from grader.report.record import conditions_form, conditions_from

FILE = "settings.json"
SCHEMA = "settings/v1"


@dataclass(frozen=True)
class Settings:
    """What all reports of a run have in common."""

    conditions: Conditions
    exercises: tuple[str, ...]

    def differ_from(self, other: Settings) -> tuple[str, ...]:
        """In what: none of it must, if two reports are to be compared. Layers need not be the same,
        for ``isolation`` says what they are worth.
        """
        found = _differing(self.conditions, other.conditions)
        found += ["exercises"] if self.exercises != other.exercises else []
        suites = [n for n in self.exercises if not self.same_suite(n, other.conditions)]
        return (*found, f"suites ({', '.join(suites)})") if suites else tuple(found)

    def same_suite(self, exercise: str, other: Conditions) -> bool:
        """Whether the same suite was asked then; of an older version's reports that is not known,
        and counts as another.
        """
        digest = self.conditions.suites.get(exercise)
        return digest is not None and digest == other.suites.get(exercise)

    def same_but_for_suites(self, report: Report) -> bool:
        """Whether an exercise of a report whose suite is the same need not be graded again."""
        return not _differing(self.conditions, report.conditions)

    def made(self, report: Report) -> bool:
        """Whether a report was made under these."""
        exercises = tuple(exercise.name for exercise in report.exercises)
        return not self.differ_from(Settings(report.conditions, exercises))


_COMPARED = ("seed", "isolation", "devices", "limits")


def _differing(one: Conditions, other: Conditions) -> list[str]:
    different = [name for name in _COMPARED if getattr(one, name) != getattr(other, name)]
    return different + ["versions"] * (_deciding(one) != _deciding(other))


def _deciding(conditions: Conditions) -> dict[str, str]:
    """What the course is called decides nothing: its suites do, and each has its digest."""
    return {name: text for name, text in conditions.versions.items() if name != "course"}


def write_settings(settings: Settings, run: Path) -> None:
    """``run/settings.json``, whole or not at all."""
    form = {
        "schema": SCHEMA,
        **conditions_form(settings.conditions),
        "exercises": list(settings.exercises),
    }
    write_whole(run / FILE, json.dumps(form, indent=2, ensure_ascii=False) + "\n")


def read_settings(run: Path) -> Settings | None:
    """What an earlier command wrote there; None if none did. Raises ``ReportError`` for a file that
    is damaged: another seed must not be drawn in silence.
    """
    path = run / FILE
    if not path.exists():
        return None
    try:
        return _settings(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise ReportError(
            f"{path} cannot be read ({type(error).__name__}: {error}). It holds the seed of this "
            "run: restore it, or choose another folder for --out."
        ) from error


def _settings(form: Mapping[str, Any]) -> Settings:
    if form["schema"] != SCHEMA or type(form["seed"]) is not int:
        raise ValueError(f"it is not in the form {SCHEMA}")
    return Settings(conditions_from(form), tuple(form["exercises"]))


def seed_of(begun: Settings | None, asked: int | None) -> int:
    """The seed to grade with: the run's, the one that was asked for, or a new secret one.

    Raises ``GraderError`` for another one than the run's: students would be compared who were asked
    different things.
    """
    if begun is None:
        return new_seed() if asked is None else asked
    if asked not in (None, begun.conditions.seed):
        raise GraderError(
            "The run in this folder was begun with another seed. Leave --seed out to go on with "
            "that one, or choose another folder for --out to grade everybody with this one."
        )
    return begun.conditions.seed
