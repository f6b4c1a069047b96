"""Checks that somebody has passed: who gives the very same answers passes them too.

What a check finds follows from what it is answered, and most right programs answer byte for byte
as others have. Their answers need no judging, and what they are asked no drawing and no packing.
Whoever answers otherwise, if only in the last digit, is judged as ever, and asked nothing twice.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from grader.errors import GraderError
from grader.programs.program import Program, SubmissionProgram
from grader.sandbox.exchange import Tape

if TYPE_CHECKING:
    from grader.examiner.check_run import CheckCase, CheckRun, First
    from grader.examiner.finding import Finding

_MOST = 8  # of one check: programs that answer in as many ways


@dataclass(frozen=True)
class KnownPass:
    """What was asked and answered, what was found, and the probe that was answered first."""

    tape: Tape
    finding: Finding
    first: First | None


def found_before(case: CheckCase, run: CheckRun, program: Program) -> Finding | None:
    """What was found of who gave the very same answers as this program does, if anybody did and
    passed. Otherwise a tape runs with the check.
    """
    if not (isinstance(program, SubmissionProgram) and _may_be_known(case)):
        return None
    try:
        run.open()
    except GraderError:
        return None  # the check will meet it too
    session = program.session
    assert session is not None
    passes = case.shared.passes if not program.has_hung else []
    tape = session.ask_ahead([known.tape for known in passes])
    for known in passes:
        if known.tape is tape:
            run.first = known.first
            return known.finding
    session.begin_tape()
    return None


def remember(case: CheckCase, run: CheckRun, program: Program, finding: Finding) -> None:
    """Keep what was found, if the check was passed and answers were all that it went by."""
    tape, passes = program.session.tape if program.session else None, case.shared.passes
    if finding.passed and tape is not None and len(passes) < _MOST:
        for known in passes[:1]:
            tape.share(known.tape)
        passes.append(KnownPass(tape, finding, run.first))


def _may_be_known(case: CheckCase) -> bool:
    """Nothing is measured, the inputs are the same for everybody, and all of it is asked."""
    collected = case.collected
    own = collected.measures or collected.per_student
    return not own and case.again and case.last is None
