"""What two spellings of one name have in common, and which student an input is drawn for."""

from __future__ import annotations

import unicodedata


def folded(text: str) -> str:
    """A name or id with its letters composed, without regard to case and the number of spaces."""
    lower = unicodedata.normalize("NFC", text).casefold()
    return " ".join(unicodedata.normalize("NFC", lower).split())


def drawn_for(student: str, student_id: str) -> str:
    """What ``per_student`` checks draw from: the same, whoever renames a folder.

    It is the platform's id, or the roster's; where there is none, the name, ``folded``.
    """
    return f"id {student_id}" if student_id else f"name {folded(student)}"
