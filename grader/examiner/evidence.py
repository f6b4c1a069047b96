"""What a failure shows of the method used, how much that weighs, and when two show the same."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from grader.errors import SubmissionRaised
from grader.examiner.patience import TookTooLong
from grader.model import Cause
from grader.programs.failure import CheckFailed, Evidence, finding_of
from grader.programs.fingerprint import is_of
from grader.programs.sketch import Fingerprint, Sketch, Sort, TooMuch, close
from grader.sandbox.forbidden import NotAllowedHere

UNTOLD = Evidence("untold", 0, TooMuch())  # of a failure that tells nothing: like no other

_PLAIN = (bool, int, str, bytes, torch.dtype, torch.device, Sort)
_ENOUGH = 3  # different wrong numbers: of fewer, two mistakes may give the same
_ENOUGH_TEXTS = 8  # of more than one letter
_COMMON = (0.0, 0.5, 1.0, 2.0)  # single numbers that many mistakes give, with either sign
_SIXTEEN_BITS = 0.03  # of the largest number
_SAID, _FIRST_WORDS = "said", 3
_SHOWN, _LETTERS = 6, 200  # of an answer
_COMMON_COUNTS = 12  # whole numbers up to here may be the number of anything


def evidence_of(error: BaseException | None) -> Evidence | None:
    """What can be compared of a failure; None when it tells nothing about the method used."""
    if isinstance(error, CheckFailed):
        return error.evidence
    if isinstance(error, SubmissionRaised):
        raised = error.raised
        if raised.from_a_stub or raised.type_name in ("NameError", "SyntaxError"):
            return None
        if raised.type_name == NotAllowedHere.__name__:
            return UNTOLD  # misconceptions are asked where nothing is forbidden
        again = error.asked_again
        said = re.sub(r"\b0x[0-9a-f]+", "0x", raised.message)  # sizes tell two mistakes apart
        said = re.sub(r"(shape '\[[^\]]*), -?\d+\]'", r"\1]'", said)  # the last one may be -1
        said = re.sub(r"(?<=subscript )[a-zA-Z](?= has size)", "i", said)  # any letter will do
        if raised.type_name == ZeroDivisionError.__name__:
            said = ""  # Python has several words for it
        if raised.by_hand:
            said = ""  # two people say the same in other words
        return Evidence("raised", (0, *again) if again else 0, f"{raised.type_name}: {said}")
    if isinstance(error, AssertionError):
        return Evidence(_SAID, 0, finding_of(error))
    return None


def shown_by(error: BaseException | None) -> Evidence | None:
    """The same of a misconception, of which must also be known that it fails: None for one that
    passes, is skipped, or meets with an accident of ours.
    """
    is_own = isinstance(error, (CheckFailed, SubmissionRaised, AssertionError, TookTooLong))
    return (evidence_of(error) or UNTOLD) if is_own else None


def is_strong(evidence: Evidence | None, cause: Cause | None) -> bool:
    """Whether hardly another mistake shows this: several different wrong numbers, or a single one
    that is not met everywhere; or many different texts.
    """
    if evidence is None or cause is None:
        return False
    difference: Any = cause.facts.get("difference")
    if difference is not None and difference["total"] >= _ENOUGH:
        return bool(difference["distinct"] >= _ENOUGH)
    if evidence.kind == "value" and len(set(_texts(evidence.actual))) >= _ENOUGH_TEXTS:
        return True
    return evidence.kind in ("numbers", "value", "finding") and _is_telling(evidence.actual)


def _texts(value: Any) -> Iterator[str | bytes]:
    if isinstance(value, (list, tuple)):
        for part in value:
            yield from _texts(part)
    elif isinstance(value, (str, bytes)) and len(value) > 1:
        yield value


def _is_telling(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return any(map(_is_telling, value))
    if isinstance(value, dict):
        return any(map(_is_telling, value.values()))
    if isinstance(value, torch.Tensor) and value.device.type != "meta":
        numbers = value.flatten().tolist()
        return any(map(_is_telling, numbers)) if value.numel() < _ENOUGH else len(set(numbers)) > 2
    if isinstance(value, float):
        return math.isfinite(value) and abs(value) not in _COMMON
    return type(value) is int and abs(value) > _COMMON_COUNTS


_ANYBODYS = re.compile(
    r"IndexError:\slist\s(?:assignment\s)?index\sout\sof\srange|IndexError:\spop\s.*"
    r"|RecursionError:.*"
)


def is_anybodys(evidence: Evidence) -> bool:
    """Whether it is an exception that says neither of what nor how large, as a place that a list
    does not have: any mistake may end so.
    """
    return evidence.kind == "raised" and bool(_ANYBODYS.fullmatch(str(evidence.actual)))


def is_like_none(evidence: Evidence) -> bool:
    """Whether no misconception shows the same, whatever it is: each defines all of its page."""
    return isinstance(evidence.actual, TooMuch) or evidence.kind == "undefined"


def same_evidence(one: Evidence, other: Evidence) -> bool:
    """Same kind of difference, at the same place in the check, with the same answer."""
    return one.kind == other.kind and one.step == other.step and alike(one.actual, other.actual)


def said_alike(one: Evidence, other: Evidence) -> bool:
    """Whether a check says of both what begins alike. What it found in numbers drawn by chance, as
    those of dropout, differs from run to run in which of them it counts up.
    """
    texts = one.actual, other.actual
    if not (one.kind == other.kind == _SAID and one.step == other.step):
        return False
    first, second = (str(text).split()[:_FIRST_WORDS] for text in texts)
    return first == second


def nearly_same(one: Evidence, other: Evidence) -> bool:
    """Whether the numbers of two answers of one shape lie no further apart than rounding in 16 bits
    may bring them.
    """
    if not (one.kind == other.kind == "numbers" and one.step == other.step):
        return False
    first, second = numbers_of(one.actual), numbers_of(other.actual)
    if first is None or second is None or first.shape != second.shape or not first.numel():
        return False
    size = second.abs().max()
    return bool(size.isfinite() and ((first - second).abs().max() <= _SIXTEEN_BITS * size))


def numbers_of(answer: Any) -> torch.Tensor | None:
    """All in one row; None where one is no tensor, or is kept as less than itself."""
    if isinstance(answer, (list, tuple)):
        parts = [numbers_of(item) for item in answer]
        there = [part for part in parts if part is not None]
        return torch.cat(there) if there and len(there) == len(parts) else None
    if isinstance(answer, np.ndarray):
        answer = torch.from_numpy(answer)
    if not isinstance(answer, torch.Tensor) or answer.is_meta or not answer.is_floating_point():
        return None
    return answer.detach().cpu().double().flatten()


def alike(one: Any, other: Any) -> bool:
    """Equal up to rounding, through nested values."""
    if isinstance(one, TooMuch) or isinstance(other, TooMuch):
        return False
    if isinstance(other, Fingerprint):
        return is_of(other, one)
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


def brief(value: Any) -> str:
    """The beginning of an answer, for a person to compare: its first numbers, or words."""
    if isinstance(value, Sketch):
        return brief(value.numbers)
    if isinstance(value, Fingerprint):
        return brief(torch.tensor(value.numbers))
    if isinstance(value, np.ndarray):
        return brief(torch.from_numpy(value))
    if isinstance(value, torch.Tensor):
        return "on meta" if value.is_meta else brief(value.detach().flatten()[:_SHOWN].tolist())
    if isinstance(value, dict):
        return brief(list(value.values()))
    if isinstance(value, (list, tuple)):
        shown = ", ".join(map(brief, value[:_SHOWN]))
        return f"{shown}, ..." if len(value) > _SHOWN else shown
    return f"{value:.5g}" if isinstance(value, float) else str(value)[:_LETTERS]


def _alike_tensors(one: torch.Tensor, other: torch.Tensor) -> bool:
    if one.shape != other.shape or one.dtype != other.dtype or one.device != other.device:
        return False
    return one.device.type == "meta" or close(one, other)
