"""How much of the full house does a student see who has only what was released?

    python tests/benchmarks/released.py                  # all exercises: half an hour
    python tests/benchmarks/released.py softmax masks

Every misconception is examined by its suite and by the sealed practice made of it, written to its
file and read back. Counted are the checks that are let out, the right variants that are accepted,
the misconceptions that are rejected and those that are named as in the full house; every other one
is printed.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import torch

from grader.course.catalog import load_catalog, select
from grader.course.course import Course, find_course
from grader.examiner.finding import find
from grader.examiner.sealed.practice import opened, sealed
from grader.examiner.sealed.suite import SealedSuite
from grader.examiner.telling import diagnose
from grader.model import Outcome, Verdict
from grader.programs.bank import Entry, load_bank
from grader.programs.program import StandIn
from grader.release.folder import PRACTICE_SEED
from grader.release.trial import Trial, tried


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("exercises", nargs="*")
    options = parser.parse_args()
    torch.set_num_threads(1)
    course, total = find_course(), Counter[str]()
    catalog = load_catalog(course)
    for exercise in select(catalog, options.exercises):
        variants = load_bank(course.variants(exercise.name), course.solution(exercise.name))
        with contextlib.redirect_stdout(io.StringIO()):  # some variants print
            trial = tried(course, exercise, variants, PRACTICE_SEED)
            raw = sealed(trial.suite, trial.recordings)
            suite = reopened(trial, raw)
            differing = [
                *rejected(trial, suite, variants, total),
                *differences(trial, suite, total),
            ]
        total.update(checks=len(trial.whole.checks), released=len(trial.recordings), bytes=len(raw))
        print(
            f"{exercise.name}: {len(trial.recordings)} of {len(trial.whole.checks)} checks, {total}"
        )
        for name, why in trial.at_home.items():
            print(f"    {name} stays at home: {why}")
        for line in differing:
            print(f"    {line}")
        sys.stdout.flush()
    return 0


def reopened(trial: Trial, raw: bytes) -> SealedSuite:
    """The suite as a student's program reads it."""
    with tempfile.TemporaryDirectory() as folder:
        course = Course(Path(folder))
        course.practice.mkdir()
        (course.practice / f"{trial.whole.exercise.name}.sealed").write_bytes(raw)
        return opened(course, trial.whole.exercise, trial.whole.known)


def rejected(
    trial: Trial, suite: SealedSuite, variants: Sequence[Entry], total: Counter[str]
) -> Iterator[str]:
    """Right programs that are told to be wrong, by another seed than that of the trial."""
    for entry in variants:
        program = StandIn(partial(entry.applied_to, trial.whole.reference))
        found = find(suite, program, PRACTICE_SEED + 1)
        failed = [f.verdict.check.name for f in found if f.verdict.outcome is not Outcome.PASSED]
        total.update(right=1, accepted=not failed)
        if failed:
            yield f"{entry.name} IS RIGHT, and rejected by {failed}"


def differences(trial: Trial, suite: SealedSuite, total: Counter[str]) -> Iterator[str]:
    """What is named otherwise than in the full house."""
    for entry in trial.whole.misconceptions:
        program = StandIn(partial(entry.applied_to, trial.whole.reference))
        there = diagnose(suite, find(suite, program, PRACTICE_SEED))
        here = told(diagnose(trial.whole, trial.full[entry.name]))
        total["misconceptions"] += 1
        total["rejected"] += any(v.outcome is not Outcome.PASSED for v in there)
        total["named the same"] += here == told(there)
        total["named falsely"] += not told(there) <= here
        if here != told(there):
            yield f"{entry.name}: {sorted(here)} here and {sorted(told(there))} there"


def told(verdicts: Sequence[Verdict]) -> set[str]:
    """The misconceptions that a student is told."""
    return {v.misconception for v in verdicts if v.misconception}


if __name__ == "__main__":
    sys.exit(main())
