"""What two spellings of one name have in common, which student an input is drawn for, and what a
name that is none may have been meant for.
"""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Iterable


def folded(text: str) -> str:
    """A name or id with its letters composed, without regard to case and the number of spaces."""
    lower = unicodedata.normalize("NFC", text).casefold()
    return " ".join(unicodedata.normalize("NFC", lower).split())


def drawn_for(student: str, student_id: str) -> str:
    """What ``per_student`` checks draw from: the same, whoever renames a folder.

    It is the platform's id, or the roster's; where there is none, the name, ``folded``.
    """
    return f"id {student_id}" if student_id else f"name {folded(student)}"


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """' Did you mean ...?' for a near miss, otherwise nothing."""
    close = difflib.get_close_matches(word, list(known), n=1)
    return f" Did you mean {close[0]!r}?" if close else ""
