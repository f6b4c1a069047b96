"""Tokens -> fingerprints of a text, by winnowing.

Every run of ``K`` tokens has a hash; of each ``W`` in a row the smallest is kept, the rightmost
where two are equal. So whatever two texts share for ``K + W - 1`` tokens in a row shows, and what
they share for fewer than ``K`` never does.

Source: Schleimer, Wilkerson & Aiken 2003, "Winnowing: local algorithms for document
fingerprinting", section 3, figure 5.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence

from grader.similarity.tokens import Token

K = 9  # tokens: about a line. Shorter runs are the same in all programs
W = 4


def grams(found: Sequence[Token]) -> list[int]:
    """The hash of every run of ``K`` tokens, the same in every process."""
    # Python draws the hash of a text anew in every process, but never that of numbers.
    numbers = [zlib.crc32(token.word.encode(errors="replace")) for token in found]
    return [hash(tuple(numbers[i : i + K])) for i in range(len(numbers) - K + 1)]


def winnowed(hashes: Sequence[int]) -> frozenset[int]:
    """The fingerprints among them; of fewer than ``W`` the smallest."""
    windows = range(max(len(hashes) - W + 1, min(len(hashes), 1)))
    return frozenset(min(hashes[i : i + W]) for i in windows)
