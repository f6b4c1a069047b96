"""What is said of the value at which a function goes wrong; ``examiner.first_wrong`` finds it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from grader.model import Place

FOLLOWED = "Followed step by step{where}: {what}"
GOES_ON = (
    "what is returned in {spot} is a value that the reference has on its way, and does more with. "
    "Which step is missing, or is not taken in this case?"
)
MADE_OF = (
    "`{after}` is still what the reference has on its way. `{name}`, made of it in {spot}, is the "
    "first that is not: is another step meant there, or another value to begin with?"
)
NAN_BEGINS = (
    "NaN begins in `{name}` in {spot}, and nothing that this is made from holds one. NaN is made "
    "by 0 / 0, inf - inf, inf / inf and 0 * inf."
)
OF_INFINITY = (
    "NaN begins in `{name}` in {spot}, which is made from what is infinite already: `{infinite}`."
)
BEGINS = (
    "`{name}` in {spot} is the first that the reference has not on its way: begin to look there."
)
BESIDE = (
    "of what is made from the numbers given, `{name}` in {spot} is the first that the reference "
    "has not on its way. Look there, and at `{beside}` in {beside_spot}: does it speak of the "
    "right places?"
)
MADE_OF_BESIDE = (
    "`{after}` is still what the reference has on its way. `{name}`, made of it in {spot}, is not. "
    "Look there, and at `{beside}` in {beside_spot}: does it speak of the right places?"
)
COMES_NEAR = (
    "`{name}` in {spot} is nearly what the reference has, but another way begins before "
    "it{beginning}. Look at both."
)
ELSEWHERE = " in another check"
BEGINNING = ", with `{first}` in {spot}"
CHANGES = (
    "`{name}` is at first what the reference has on its way, and no longer when it comes to "
    "{spot}: what changes it in between?"
)
FORMS = {
    "factor": "It is what the reference has, times {factor:.3g}.",
    "offset": "It is what the reference has, and {offset:.3g} more in every place.",
    "transposed": "It is the transpose of what the reference has.",
}


def first_wrong_words(found: Any, spot: Callable[[Place], str]) -> str:
    """Which value it is, and how it comes from a right one; empty if none is known."""
    if not found:
        return ""
    leaves = MADE_OF if "after" in found else BEGINS
    beside_spot = ""
    if "beside" in found:
        leaves = MADE_OF_BESIDE if "after" in found else BESIDE
        beside_spot = spot(Place(found["file"], found["beside_line"], ""))
    begins = OF_INFINITY if "infinite" in found else NAN_BEGINS
    said = {
        "goes_on": GOES_ON,
        "nan_begins": begins,
        "leaves": leaves,
        "comes_near": COMES_NEAR,
        "changes": CHANGES,
    }
    at = spot(Place(found["file"], found["line"], ""))
    beginning = ""
    if "first" in found:
        first = spot(Place(found["file"], found["first_line"], ""))
        beginning = BEGINNING.format(first=found["first"], spot=first)
    where = ELSEWHERE if "elsewhere" in found else ""
    places = {"spot": at, "beginning": beginning, "beside_spot": beside_spot}
    sentence = FOLLOWED.format(where=where, what=said[found["kind"]].format(**places, **found))
    return f"{sentence} {FORMS.get(found.get('form', ''), '').format(**found)}".strip()
