"""What is said of the one change that is enough; ``examiner.mending`` finds it by trying."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from grader.model import Place

ENOUGH = "Tried out: one change in {spot} is enough, and nothing fails here any more. {change}"
EVERYWHERE = (
    "Tried out: one change in {spot}, and the same wherever the same stands in this function "
    "({more}), is enough, and nothing fails here any more. {change}"
)
ORDINALS = ("first", "second", "third", "fourth")
WHICH = "Of those in this line it is the {which}."

CHANGES = {
    "axis": "It is the axis of `{name}`.",
    "axis_from_the_end": "It is the axis of `{name}`: counted from the end, -1, -2 and so on, "
    "which one is meant, however many axes stand in front?",
    "axes_from_the_end": "It is the axes of `{name}`: counted from the front, they fit one number "
    "of axes only. Which two are meant, counted from the end, -1, -2 and so on?",
    "no_axis": "`{name}` is asked without an axis, so over all numbers at once.",
    "keepdim": "It is whether `{name}` keeps its axis, with size 1 (keepdim).",
    "transposed": "At `{name}` it is how the axes lie: which side is to be transposed there, and "
    "which is not?",
    "sides": "It is which side of `{name}` something stands on, or what the brackets around it "
    "hold together.",
    "operator": "It is the operator: another one than `{name}`.",
    "function": "It is the function: another one of the kind of `{name}`.",
    "order": "It is the order of what stands in `{name}`.",
    "sign": "It is the sign of `{name}`.",
    "turned": "Turn `{name}` round, so that True is False.",
    "number": "It is the number `{name}`.",
    "too_small": "It is the number `{name}`: a larger one is meant there.",
    "too_large": "It is the number `{name}`: a smaller one is meant there.",
    "power": "It is the power of `{name}`: its square, its root, or one divided by it.",
    "more": "Something is still to be done with what `{name}` gives: a root, a logarithm, or exp.",
    "nested": "It is the order of two steps in `{name}`: the other one comes first.",
    "missing": "Something is missing at `{name}`: which step of the formula is not done there?",
    "correction": "It is what `{name}` divides the sum of the squares by.",
    "bound": "`{name}` begins or ends in a wrong place, or counts from a wrong one.",
    "left_out": "`{name}` is too much there.",
    "part_left_out": "`{name}` is too much there.",
    "comparison": "It is the comparison: another one than `{name}`.",
    "condition": "It is the condition with `{name}`: when is which side meant?",
    "in_place": "`{name}` changes its tensor in place: make a new one.",
    "dtype": "It is the dtype of `{name}`.",
    "name": "It is the name `{name}`: another one is meant there.",
    "unused": "`{name}` is not used in the function yet, and belongs there.",
    "line_left_out": "The line `{name}` is too much.",
    "line_too_much": "The line `{name}` is too much.",
    "always": "If `{name}` were always true, all would be right: so what is done where it is false "
    "is wrong, or not needed.",
    "never": "If `{name}` were never true, all would be right: so what is done where it is true is "
    "wrong, or not needed.",
    "one_case": "What is done where `{name}`, is wrong, or not needed: with the other case alone "
    "all would be right.",
    "returned": "Something else is to be returned than `{name}`, or a part of it, or more than it.",
}


def mend_words(mend: Any, spot: Callable[[Place], str]) -> str:
    """Where one change is enough, and of what kind; short of the change itself."""
    if not mend:
        return ""
    change = CHANGES[mend["kind"]].format(name=mend["name"])
    at, more = spot(Place(mend["file"], mend["line"], "")), mend.get("more", 0)
    if (before := mend.get("before")) is not None and before < len(ORDINALS):
        change = f"{change} {WHICH.format(which=ORDINALS[before])}"
    if not more:
        return ENOUGH.format(spot=at, change=change)
    places = f"{more} more place{'s' * (more > 1)}"
    return EVERYWHERE.format(spot=at, more=places, change=change)
