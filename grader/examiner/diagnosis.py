"""Which misconception gives this very answer?

When a check fails, it is run again with misconceptions of the exercise in the submission's place,
on the same inputs. One that fails in the same comparison with the same numbers, or with the same
words, is the diagnosis.

There may be a hundred, so not every one is tried in every check: first those that would fail all
the checks that are said to catch them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from grader.errors import SubmissionRaised
from grader.programs.bank import Entry
from grader.programs.failure import CheckFailed, Evidence, finding_of
from grader.programs.sketch import Sketch, Sort, TooMuch, close

AnswerOf = Callable[[Entry], Evidence | None]
_PLAIN = (bool, int, str, torch.dtype, torch.device, Sort)


@dataclass(frozen=True)
class Case:
    """A failed check: its name, what can be compared of the failure, and how a misconception would
    fail it.

    ``answer_of`` gives None for a misconception that does not fail it.
    """

    check: str
    evidence: Evidence | None
    answer_of: AnswerOf


def recognise(cases: Sequence[Case], entries: Iterable[Entry]) -> list[Entry | None]:
    """The misconception behind each of a submission's failed checks in one exercise, if known.

    A misconception is suspected if the submission fails every check that is said to catch it, and
    most of them just as it does. Where several explain a check, it is the one that explains most.
    """
    by_check = {case.check: case for case in cases}

    def explains(entry: Entry, case: Case) -> bool:
        if case.evidence is None:
            return False
        found = case.answer_of(entry)
        return found is not None and same_evidence(case.evidence, found)

    def is_suspected(entry: Entry) -> bool:
        if not by_check.keys() >= set(entry.caught_by):
            return False
        shown = sum(explains(entry, by_check[name]) for name in entry.caught_by)
        return 2 * shown > len(entry.caught_by)

    suspects = [entry for entry in entries if is_suspected(entry)]
    explained = {entry.name: [explains(entry, case) for case in cases] for entry in suspects}
    suspects.sort(key=lambda entry: -sum(explained[entry.name]))
    return [
        next((entry for entry in suspects if explained[entry.name][index]), None)
        for index in range(len(cases))
    ]


def evidence_of(error: BaseException | None) -> Evidence | None:
    """What can be compared of a failure; None when it tells nothing about the method used."""
    if isinstance(error, CheckFailed):
        return error.evidence
    if isinstance(error, SubmissionRaised):
        raised = error.raised
        if raised.from_a_stub or raised.type_name in ("NameError", "SyntaxError"):
            return None
        said = re.sub(r"\d+", "0", raised.message)  # sizes differ from input to input
        return Evidence("raised", 0, f"{raised.type_name}: {said}")
    if isinstance(error, AssertionError):
        return Evidence("said", 0, finding_of(error))
    return None


def same_evidence(one: Evidence, other: Evidence) -> bool:
    """Same kind of difference, at the same place in the check, with the same answer."""
    return one.kind == other.kind and one.step == other.step and alike(one.actual, other.actual)


def alike(one: Any, other: Any) -> bool:
    """Equal up to rounding, through nested values."""
    if isinstance(one, TooMuch):
        return False
    if isinstance(one, Sketch) and isinstance(other, Sketch):
        return one.is_like(other)
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        pairs = list(zip(one, other, strict=False))
        return len(one) == len(other) and all(alike(a, b) for a, b in pairs)
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(alike(one[k], other[k]) for k in one)
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return one.dtype == other.dtype and alike(torch.from_numpy(one), torch.from_numpy(other))
    if isinstance(one, torch.Tensor) and isinstance(other, torch.Tensor):
        return _alike_tensors(one, other)
    if isinstance(one, float) and isinstance(other, float):
        both_nan = math.isnan(one) and math.isnan(other)
        return both_nan or math.isclose(one, other, rel_tol=1e-5, abs_tol=1e-5)
    return type(one) is type(other) and (one == other or not isinstance(one, _PLAIN))


def _alike_tensors(one: torch.Tensor, other: torch.Tensor) -> bool:
    if one.shape != other.shape or one.dtype != other.dtype or one.device != other.device:
        return False
    return one.device.type == "meta" or close(one, other)
