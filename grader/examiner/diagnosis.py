"""Which misconception gives this very answer?

When a check fails, it is run again with each misconception of the exercise in the submission's
place, on the same inputs. One that fails in the same comparison with the same numbers, or with
the same words, is the diagnosis.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import torch

from grader.errors import SubmissionRaised
from grader.examiner.bank import Entry
from grader.examiner.failure import CheckFailed, Evidence, finding_of

AnswerOf = Callable[[Entry], Evidence | None]
_PLAIN = (bool, int, str, torch.dtype, torch.device)


def evidence_of(error: BaseException | None) -> Evidence | None:
    """What can be compared of a failure; None when it tells nothing about the method used."""
    if isinstance(error, CheckFailed):
        return error.evidence
    if isinstance(error, SubmissionRaised):
        raised = error.raised
        if raised.from_a_stub or raised.type_name in ("NameError", "SyntaxError"):
            return None
        return Evidence("raised", 0, f"{raised.type_name}: {raised.message}")
    if isinstance(error, AssertionError):
        return Evidence("said", 0, finding_of(error))
    return None


def diagnose(error: BaseException, entries: Iterable[Entry], answer_of: AnswerOf) -> Entry | None:
    """The first misconception that fails as ``error`` did, or None.

    ``answer_of`` tells how a misconception fails the check; None if it does not.
    """
    evidence = evidence_of(error)
    if evidence is None:
        return None
    for entry in entries:
        found = answer_of(entry)
        if found is not None and same_evidence(evidence, found):
            return entry
    return None


def same_evidence(one: Evidence, other: Evidence) -> bool:
    """Same kind of difference, at the same place in the check, with the same answer."""
    return one.kind == other.kind and one.step == other.step and alike(one.actual, other.actual)


def alike(one: Any, other: Any) -> bool:
    """Equal up to rounding, through nested values."""
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
    if one.device.type == "meta" or not one.is_floating_point():
        return one.device.type == "meta" or bool(torch.equal(one, other))
    low = one.dtype in (torch.float16, torch.bfloat16)
    tolerance = 2e-2 if low else 1e-4
    return torch.allclose(
        one.double(), other.double(), rtol=tolerance, atol=tolerance / 10, equal_nan=True
    )
