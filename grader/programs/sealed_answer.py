"""A question with its numbers put in, and what is said to each answer, without the answers.

What is said is kept under a digest of the answer that it is said to, and can be read with that
answer only. So a folder that is given away may hold it: nobody reads an answer there by accident.
(It can be found by trying all, and no mark depends on it.)

What a learner types is compared as text. Nothing of it is run.
"""

from __future__ import annotations

import base64
import hashlib
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import count, islice
from typing import Any

SHAPE, WHOLE, DIGITS, YES_OR_NO = "shape", "whole", "digits", "yes_or_no"
MAX_LENGTH = 100  # characters of an answer
_NEAR = [step / 1000 for step in sorted(range(-10, 11), key=abs)]  # 1 %: three digits are enough
_TRUE, _FALSE = ("yes", "y", "true"), ("no", "n", "false")
_NUMBER = re.compile(r"[+-]?(\d[\d_,]*\.?\d*|\.\d+|inf|nan)(e[+-]?\d{1,3})?")


@dataclass(frozen=True)
class Asked:
    """One question. ``form`` is that of its answer, one of the above or words with `` / `` between
    them, and ``said`` what belongs to each answer, by its digest.
    """

    question: str
    form: str
    salt: str
    said: Mapping[str, str]


@dataclass(frozen=True)
class Judged:
    """Whether an answer is right, and what is said to it; nothing to one that nobody foresaw."""

    right: bool
    says: str = ""


def form_of(answer: Any) -> str:
    """The form in which an answer of this type is given; words have none of their own."""
    match answer:
        case bool():
            return YES_OR_NO
        case int():
            return WHOLE
        case float():
            return DIGITS
        case tuple():
            return SHAPE
    return ""


def sealed(salt: str, answer: str, right: bool, text: str) -> tuple[str, str]:
    """The digest of an answer, as ``readings`` gives it, and the text that it opens."""
    key = _key(salt, answer)
    return _digest(key), base64.b64encode(_mixed(key, f"{'+-'[not right]}{text}".encode())).decode()


def judged(asked: Asked, typed: str) -> Judged | None:
    """What is said to an answer; None if it has not the form of one."""
    found = readings(asked.form, typed)
    for answer in found:
        key = _key(asked.salt, answer)
        if (text := asked.said.get(_digest(key))) is not None:
            opened = _mixed(key, base64.b64decode(text)).decode()
            return Judged(opened[0] == "+", opened[1:])
    return Judged(False) if found else None


def readings(form: str, typed: str) -> tuple[str, ...]:
    """What was typed, in the one form in which it is compared; several for a number whose last
    digits are left open, the nearest first; none if it is no answer of this form.
    """
    text = typed.strip().lower()[:MAX_LENGTH]
    if form == SHAPE:
        return _shape(text)
    if form == YES_OR_NO:
        return ("yes",) * (text in _TRUE) or ("no",) * (text in _FALSE)
    if form in (WHOLE, DIGITS):
        number = _number(text)
        return () if number is None else _whole(number) if form == WHOLE else _near(number)
    return _word(form.split(" / "), text)


def _word(words: list[str], text: str) -> tuple[str, ...]:
    """The words that were typed, or the only ones that begin so or hold the word typed."""
    if text in words:
        return (text,)
    meant = [said for said in words if text and (said.startswith(text) or text in said.split())]
    return tuple(meant) if len(meant) == 1 else ()


def _shape(text: str) -> tuple[str, ...]:
    bare = text.removeprefix("torch.size")
    if not re.fullmatch(r"[\d\s,x×()\[\]]*", bare) or not (bare.strip()):
        return ()
    return (" ".join(str(int(size)) for size in re.findall(r"\d{1,18}", bare)),)


def _number(text: str) -> float | None:
    """The value of ``2``, ``-0.5``, ``1,000``, ``3e-4``, ``inf``, ``nan``, ``50 %`` and ``2/3``."""
    if text.endswith("%"):
        part = _number(text[:-1].strip())
        return None if part is None else part / 100
    parts = [part.strip() for part in text.split("/")]
    if len(parts) > 2 or not all(_NUMBER.fullmatch(part) for part in parts):
        return None
    over, *under = (float(part.replace(",", "").replace("_", "")) for part in parts)
    return over / under[0] if under and under[0] else None if under else over


def _whole(number: float) -> tuple[str, ...]:
    if not math.isfinite(number):
        return (str(number),)
    return (str(int(number)),) if number == int(number) else ()


def _near(number: float) -> tuple[str, ...]:
    """With three digits, of the number itself and of those within a hundredth of it."""
    if not math.isfinite(number) or number == 0:
        return (str(number + 0.0),)
    return tuple(dict.fromkeys(f"{number * (1 + step):.2e}" for step in _NEAR))


def _key(salt: str, answer: str) -> bytes:
    return hashlib.sha256(f"{salt}\n{answer}".encode()).digest()


def _digest(key: bytes) -> str:
    return hashlib.sha256(b"digest" + key).hexdigest()[:12]


def _mixed(key: bytes, text: bytes) -> bytes:
    """The text under a stream of bytes made of the key; done twice, the text."""
    blocks = (hashlib.sha256(key + number.to_bytes(4, "big")).digest() for number in count())
    stream = b"".join(islice(blocks, len(text) // 32 + 1))
    return bytes(one ^ other for one, other in zip(text, stream, strict=False))
