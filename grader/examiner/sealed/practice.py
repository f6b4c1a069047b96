"""An exercise's sealed practice: one file with the checks that are let out, and the names and
sentences of the misconceptions that they recognise.

``checks`` hold, each: the record of the check, its deadline, what it asks, what is right, and the
fingerprint of how every misconception fails it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from grader.course.course import Course
from grader.errors import SuiteError
from grader.examiner.expected import tensors_of
from grader.examiner.question import Known
from grader.examiner.sealed.codec import read, written
from grader.examiner.sealed.drawn import COTANGENTS, Law, together
from grader.examiner.sealed.replay import replaying
from grader.examiner.sealed.right import opened_known, sealed_known
from grader.examiner.sealed.script import Recording
from grader.examiner.sealed.suite import SealedSuite
from grader.examiner.suite import CollectedCheck, Shared
from grader.model import Exercise
from grader.programs.bank import Entry
from grader.programs.failure import Evidence
from grader.programs.fingerprint import fingerprint
from grader.programs.sketch import TooMuch


def sealed(suite: SealedSuite, recordings: Mapping[str, Recording]) -> bytes:
    """The bytes of the file for a suite and the ``recordings`` of its checks."""
    chosen = {one.check.name: recordings[one.check.name] for one in suite.checks}
    checks = [_sealed_check(suite, one, chosen[one.check.name]) for one in suite.checks]
    known = [one for name in chosen for one in suite.settled[name].known.values()]
    resting = {name: sorted(used) for name, used in suite.resting.items()}
    whole = {"checks": checks, "entries": suite.entries, "resting": resting}
    return written(whole, drawn_for(chosen.values(), known))


def drawn_for(recordings: Iterable[Recording], known: Iterable[Known]) -> dict[Law, int]:
    """By law, how many numbers were drawn, as inputs and as cotangents of what is ``known``."""
    drawn = together(*(one.drawn for one in recordings))
    right = [one for k in known for one in (*k.right.values(), *k.alone.values()) if one.attached]
    sizes = [sum(t.numel() for t in tensors_of(one.value.native)) for one in right]
    return drawn | ({Law("normal", stream=COTANGENTS): max(sizes)} if sizes else {})


def opened(course: Course, exercise: Exercise, known: Mapping[str, Exercise]) -> SealedSuite:
    """The suite in an exercise's file; raises ``SuiteError`` with what to do about it."""
    path = course.practice / f"{exercise.name}.sealed"
    if not path.is_file():
        raise SuiteError(f"practice/{path.name} is missing: unpack what you were given once more.")
    try:
        whole = read(path.read_bytes())
        checks = [_opened_check(kept, whole["entries"]) for kept in whole["checks"]]
        resting = {name: frozenset(used) for name, used in whole["resting"].items()}
    except SuiteError as error:
        raise SuiteError(
            f"practice/{path.name} cannot be read, {error}: unpack what you were given once more."
        ) from None
    return SealedSuite(
        course, exercise, known, tuple(one for one, _ in checks),
        entries=whole["entries"],
        settled={one.check.name: shared for one, shared in checks},
        resting=resting,
    )  # fmt: skip


def _sealed_check(suite: SealedSuite, one: CollectedCheck, recording: Recording) -> dict[str, Any]:
    shared = suite.settled[one.check.name]
    names = {entry.name for entry in suite.entries}
    return {
        "check": one.check,
        "seconds": one.seconds,
        "recording": replace(recording, drawn={}),
        "known": {step: sealed_known(known) for step, known in shared.known.items()},
        "answers": {
            name: _sealed_evidence(evidence)
            for name, evidence in shared.answers.items()
            if evidence is not None and name in names
        },
    }


def _opened_check(
    kept: Mapping[str, Any], entries: Sequence[Entry]
) -> tuple[CollectedCheck, Shared]:
    none = dict.fromkeys((entry.name for entry in entries), None)
    known = {step: opened_known(one) for step, one in kept["known"].items()}
    check = CollectedCheck(kept["check"], replaying(kept["recording"]), seconds=kept["seconds"])
    return check, Shared(known, none | kept["answers"])


def _sealed_evidence(evidence: Evidence) -> Evidence:
    if isinstance(evidence.actual, TooMuch):
        return evidence
    return Evidence(evidence.kind, evidence.step, fingerprint(evidence.actual))
