"""One exercise: its checks are run, and what failed is diagnosed."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import ExitStack

from grader.examiner.finding import Finding, Stop, find, lent, never
from grader.examiner.functions_in import calls_in, functions_in
from grader.examiner.suite import Suite
from grader.examiner.telling import diagnose
from grader.model import Verdict
from grader.programs.program import Program, SubmissionProgram


def examine(
    suite: Suite,
    program: Program,
    seed: int,
    *,
    devices: Sequence[str] = ("cpu",),
    only: Collection[str] | None = None,
    stop: Stop = never,
    diagnosed: bool = True,
    advised: bool = True,
) -> list[Verdict]:
    """The verdicts of a suite on a program, every check once per device.

    ``only`` names some checks; ``stop`` is asked before every one, with the verdicts so far,
    whether to leave out the rest. With ``diagnosed``, failed checks are compared with the
    misconceptions; if ``advised``, passed ones are tried as if on a GPU.
    """
    found = find(suite, program, seed, devices, only, stop, advised=advised)
    if not diagnosed:
        return [f.verdict for f in found]
    return diagnosed_by(suite, program, found, devices)


def diagnosed_by(
    suite: Suite, program: Program, found: Sequence[Finding], devices: Sequence[str]
) -> list[Verdict]:
    """The verdicts on what was found, while devices are lent as they were then."""
    with ExitStack() as stack:
        for device in devices:
            stack.enter_context(lent(program, device))
        if not isinstance(program, SubmissionProgram):
            return diagnose(suite, found)
        text = program.submission.files.get(suite.exercise.name, "")
        return diagnose(suite, found, _unwritten(text), calls_in(text))


def _unwritten(text: str) -> frozenset[str]:
    """The functions of a submission's page that do nothing but raise: these answer as no
    misconception does. One of which some steps are written does more.
    """
    functions = functions_in(text)
    return frozenset(f.name for f in functions if f.begins_with("NotImplementedError"))
