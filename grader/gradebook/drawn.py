"""Ids drawn by chance, which say nothing about the student."""

from __future__ import annotations

import secrets
from collections.abc import Collection

# No vowels, which would make words, and of 0 O D, 1 I L, 2 Z, 5 S, 6 G, 8 B, U V none or one: they
# are read for one another, by hand as well.
ALPHABET = "34679CDFHJKMNPQRTVWXY"
_HALF = 3  # 21^6 are 86 million: nobody finds a student's by trying


def drawn_id(taken: Collection[str]) -> str:
    """For example ``K7Q-3FM``, and none of those that are ``taken``."""
    while True:
        found = f"{_part()}-{_part()}"
        if found not in taken:
            return found


def _part() -> str:
    return "".join(secrets.choice(ALPHABET) for _ in range(_HALF))
