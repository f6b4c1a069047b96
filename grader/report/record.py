"""Reports <-> JSON: the one place that knows the form, in which a report is kept and read back.

Version 2 keeps a cause as data, and beside it the words that were made of it, for programs that
want no more than these. Version 1, which knew words only, is still read.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from grader.errors import ReportError
from grader.model import (
    Cause,
    Check,
    Conditions,
    ExerciseReport,
    Fact,
    Measured,
    Outcome,
    Place,
    Report,
    Verdict,
)
from grader.report.feedback import words_of
from grader.report.files import file_name, write_whole
from grader.report.words import said, told

SCHEMA = "report/v2"
READABLE = ("report/v1", SCHEMA)


def to_json(report: Report) -> dict[str, Any]:
    """The report as plain values, which ``json`` can write; a score without a verdict is null."""
    return {
        "schema": SCHEMA,
        "submission": report.submission,
        "student": report.student,
        "student_id": report.student_id,
        "handed_in": report.handed_in,
        "late": report.late,
        "graded_at": report.graded_at,
        "path": report.path,
        "digests": dict(report.digests),
        **conditions_form(report.conditions),
        "score": report.score,
        "strict_score": report.strict_score,
        "follow_through_score": report.followed_score,
        "max_score": report.max_score,
        "refused": list(report.refused),
        "exercises": [_exercise_form(exercise) for exercise in report.exercises],
    }


def from_json(form: Mapping[str, Any]) -> Report:
    """The report that these values were made of; raises ``ReportError`` when they are none."""
    schema = form.get("schema") if isinstance(form, Mapping) else None
    if schema not in READABLE:
        raise ReportError(f"this is no report: its schema is {schema!r}, not one of {READABLE}")
    try:
        return _report(form)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ReportError(f"this report is damaged: {type(error).__name__}: {error}") from error


def write_report(report: Report, folder: Path) -> Path:
    """``folder/reports/<submission>.json``, written whole or not at all."""
    path = folder / "reports" / file_name(report.submission, ".json")
    text = json.dumps(to_json(report), indent=2, ensure_ascii=False, allow_nan=False)
    write_whole(path, text + "\n")
    return path


def read_report(path: Path) -> Report:
    """The report kept in a file; raises ``ReportError`` when there is none."""
    try:
        form = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ReportError(f"{path} holds no report: {error}") from error
    return from_json(form)


def conditions_form(conditions: Conditions) -> dict[str, Any]:
    """Under what a run was made, as plain values."""
    return {
        "seed": conditions.seed,
        "isolation": conditions.isolation,
        "layers": list(conditions.layers),
        "devices": list(conditions.devices),
        "versions": dict(conditions.versions),
        "suites": dict(conditions.suites),
        "limits": dict(conditions.limits),
    }


def conditions_from(form: Mapping[str, Any]) -> Conditions:
    """The inverse; raises ``KeyError``, ``TypeError`` or ``ValueError``."""
    return Conditions(
        seed=form["seed"],
        isolation=form["isolation"],
        layers=tuple(form["layers"]),
        devices=tuple(form["devices"]),
        versions=dict(form["versions"]),
        suites=dict(form.get("suites", {})),
        limits=dict(form.get("limits", {})),
    )


def _exercise_form(exercise: ExerciseReport) -> dict[str, Any]:
    return {
        "name": exercise.name,
        "score": exercise.score,
        "strict_score": None if exercise.score is None else exercise.strict_points,
        "follow_through_score": None if exercise.score is None else exercise.followed_points,
        "max_score": exercise.max_score,
        "checks": [_verdict_form(verdict) for verdict in exercise.verdicts],
    }


def _verdict_form(verdict: Verdict) -> dict[str, Any]:
    check, cause, advice = verdict.check, verdict.cause, verdict.advice
    return {
        "name": check.name,
        "sentence": check.sentence,
        "outcome": verdict.outcome.value,
        "points": verdict.points,
        "max_points": verdict.max_points,
        "worth": check.max_points,
        "carried": verdict.carried,
        "device": check.device,
        "seconds": verdict.seconds,
        "public": check.public,
        "core": check.core,
        "step": check.step,
        "idea": check.idea,
        "misconception": verdict.misconception,
        "lesson": verdict.lesson,
        "cause": None if cause is None else cause_form(cause) | _words(cause, verdict),
        "settled": verdict.settled,
        "right_at_first": verdict.right_at_first,
        "measured": None if verdict.measured is None else asdict(verdict.measured),
        "advice": None if advice is None else cause_form(advice) | {"said": told(advice).rationale},
        "output": verdict.output,
        "refused": list(verdict.refused),
    }


def cause_form(cause: Cause) -> dict[str, Any]:
    """A cause as plain values, without the words that can be made of it."""
    return {
        "kind": cause.kind,
        "facts": _plain(cause.facts),
        "place": None if cause.place is None else asdict(cause.place),
        "because": None if cause.because is None else cause_form(cause.because),
    }


def _words(cause: Cause, verdict: Verdict) -> dict[str, str]:
    return asdict(told(cause)) | {"help": words_of(verdict).help}


def _plain(fact: Fact) -> Any:
    if isinstance(fact, Mapping):
        return {name: _plain(value) for name, value in fact.items()}
    return [_plain(item) for item in fact] if isinstance(fact, tuple) else fact


# Reading ------------------------------------------------------------------------------------------


def _report(form: Mapping[str, Any]) -> Report:
    return Report(
        submission=form["submission"],
        student=form["student"],
        student_id=form.get("student_id", ""),
        handed_in=form.get("handed_in", ""),
        late=form.get("late", False),
        graded_at=form["graded_at"],
        path=form.get("path", ""),
        digests=dict(form.get("digests", {})),
        conditions=conditions_from(form),
        exercises=tuple(
            ExerciseReport(e["name"], tuple(_verdict(e["name"], v) for v in e["checks"]))
            for e in form["exercises"]
        ),
    )


def _verdict(exercise: str, form: Mapping[str, Any]) -> Verdict:
    measured, misconception = form.get("measured"), form["misconception"]
    return Verdict(
        check=Check(
            exercise,
            form["name"],
            form["sentence"],
            form.get("worth", form["max_points"]),
            form["public"],
            form["device"],
            form.get("core", False),
            form.get("step", ""),
            form.get("idea", ""),
        ),
        outcome=Outcome(form["outcome"]),
        seconds=form["seconds"],
        misconception=misconception,
        lesson=form.get("lesson", _first_version_help(form) if misconception else ""),
        cause=cause_from(form["cause"]),
        output=form.get("output", ""),
        refused=tuple(form.get("refused", ())),
        settled=form.get("settled", False),
        measured=None if measured is None else Measured(**measured),
        advice=_advice(form.get("advice")),
        right_at_first=form.get("right_at_first", False),
        carried=form.get("carried", 0.0),
    )


def cause_from(form: Mapping[str, Any] | None) -> Cause | None:
    """The cause that these values were made of, in any version."""
    if form is None:
        return None
    if "kind" not in form:  # version 1
        return said(form["rationale"], form["expected"], form["actual"], form["help"])
    place = None if form["place"] is None else Place(**form["place"])
    return Cause(form["kind"], _facts(form["facts"]), place, cause_from(form["because"]))


def _advice(form: Any) -> Cause | None:
    if isinstance(form, str):  # version 1
        return said(form) if form else None
    return cause_from(form)


def _first_version_help(form: Mapping[str, Any]) -> str:
    return str(form["cause"]["help"]) if form["cause"] else ""


def _facts(form: Mapping[str, Any]) -> dict[str, Fact]:
    return {name: _fact(value) for name, value in form.items()}


def _fact(form: Any) -> Fact:
    if isinstance(form, Mapping):
        return _facts(form)
    return tuple(map(_fact, form)) if isinstance(form, list) else form
