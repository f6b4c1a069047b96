"""Answers of plain Python that are short enough to be shown whole: texts, ids, pairs, counts."""

from __future__ import annotations

from typing import Any

from grader.sandbox.protocol import printable

_MOST_ITEMS = 16
_MOST_LETTERS = 200  # of one text among them
_MOST_SHOWN = 400  # characters


def is_shown_whole(value: Any) -> bool:
    """Whether this is a short sequence or dict of whole numbers, texts and bytes, or of short
    sequences of these. Floats are not: they are compared up to rounding, one by one.
    """
    if isinstance(value, dict):
        return len(value) <= _MOST_ITEMS and all(map(_is_plain, value.values()))
    if not isinstance(value, (list, tuple)) or len(value) > _MOST_ITEMS:
        return False
    return all(_is_plain(item) or is_shown_whole(item) for item in value)


def shown(value: Any) -> str:
    """As Python writes it, on one line, of a dict the keys in order."""
    if isinstance(value, dict):
        value = dict(sorted(value.items(), key=lambda pair: repr(pair[0])))
    return printable(repr(value), _MOST_SHOWN)


def _is_plain(value: Any) -> bool:
    if isinstance(value, (str, bytes)):
        return len(value) <= _MOST_LETTERS
    return value is None or isinstance(value, int)
