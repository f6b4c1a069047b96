"""What is said beside what went wrong: that a probe was answered rightly at first, and wrongly when
it was asked again; that inputs were changed; that another function is not right yet.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

WRONG_AGAIN = "Right the first time, but wrong {ways}: {rationale}"
ONLY_CHANGED = (
    "Its input ({names}) was changed in place: mend that first. What else this check finds may "
    "come of that."
)
ALSO_CHANGED = (
    "Its input ({names}) was changed in place: mend that first, for the rest may follow from it. "
    "{rationale}"
)
NOT_YET = "{names} of this file is not right yet: if this calls it, mend that first."
NONE_YET = "{names} of this file are not right yet: if this calls them, mend these first."
WAYS: Mapping[str, str] = {
    "others": "for other values of the same shape",
    "flipped": "for other values of the same shape",
    "layout": "for inputs that are transposed or expanded views",
    "same_object": "when the same object is called a second time",
    "beside": "once another object of the class exists",
    "copied": "in a deep copy of the object",
    "restored": "in a second object that loads the first one's state_dict",
    "eval": "in eval mode",
    "float64": "in float64",
    "bfloat16": "in bfloat16",
    "float16": "in float16",
}


def with_changed_inputs(names: Any, rationale: str, *, in_words: bool = False) -> str:
    """The sentence, and that inputs are no longer what they were, unless it says so itself. What a
    check says ``in_words`` of its own is left out: with other inputs than it knows of, it may be
    deceived.
    """
    if "in place" in rationale:
        return rationale
    said = ONLY_CHANGED if in_words else ALSO_CHANGED
    return said.format(names=", ".join(names), rationale=rationale)


def with_wrong_functions(names: Any, rationale: str) -> str:
    """The sentence, and that what it may be made from is not right yet."""
    said = " and ".join(f"`{name}`" for name in names)
    return _and_then(rationale, (NOT_YET if len(names) == 1 else NONE_YET).format(names=said))


def _and_then(rationale: str, more: str) -> str:
    end = "" if rationale.endswith((".", "!", "?")) else "."
    return f"{rationale}{end} {more}"


def when_asked_again(how: Any, rationale: str) -> str:
    """The sentence with the ways in which it was asked, each in words."""
    ways = " and ".join(WAYS[way] for way in how if way in WAYS)
    return WRONG_AGAIN.format(ways=ways, rationale=rationale)
