"""Ids drawn by chance, which say nothing about the student."""

from __future__ import annotations

import secrets
from collections.abc import Collection

# No vowels, which would make words, and none of 0 O, 1 I L, which are read for one another.
ALPHABET = "23456789BCDFGHJKMNPQRSTVWXYZ"
_HALF = 3  # 28^6 are 480 million: nobody finds a student's by trying


def drawn_id(taken: Collection[str]) -> str:
    """For example ``K7Q-2FM``, and none of those that are ``taken``."""
    while True:
        found = f"{_part()}-{_part()}"
        if found not in taken:
            return found


def _part() -> str:
    return "".join(secrets.choice(ALPHABET) for _ in range(_HALF))
