"""What is said of code that leads nowhere; ``examiner.loose_ends`` finds it."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from grader.model import Place

_ENDS = {
    "thrown": "In {spot} nothing takes what `{name}(...)` returns: it changes nothing by itself. "
    "Give the result a name and go on with that, or return it.",
    "reckoned": "In {spot} nothing takes what `{name}` gives: such a line changes nothing. Give "
    "it a name and go on with that, or return it.",
    "first_round": "In {spot} `{name}` stands inside of the loop: its first round is the last one.",
    "last_round": "In {spot} every round of the loop sets `{name}` anew, and nothing in the loop "
    "uses it: only that of the last round is returned. Collect them, in a list or in their places.",
    "halves": "In {spot} `{name}` is a division: ** binds before /. The power needs brackets, or "
    "is 0.5.",
    "swallowed": "`{name}` in {spot} also catches the AssertionError of an `assert` in its `try`, "
    "and lets it be: what says no is lost. Keep the assert out of the try, or raise again.",
    "assert_of_a_tuple": "In {spot} the `assert` is of a tuple, the condition and its message "
    "together, and a tuple is always true: leave the outer brackets out.",
    "always_drops": "In {spot} torch's function `{name}` drops whether the model is trained or "
    "not: hand it training=..., which is True unless it is told otherwise.",
    "own_share": "`{name}(...)` in {spot} is not handed `{option}`, and takes its own, {own}.",
    "made_anew": "In {spot} every call makes `{name}(...)` anew, so neither eval() nor training "
    "reaches it: make it once, in `__init__`.",
    "deaf": "In {spot} `lambda {name}: ...` makes no use of `{name}`, which is what it is given: "
    "then what was done to that is lost.",
    "method_as_flag": "`{name}` in {spot} is a method, and a method counts as true: whether the "
    "model is trained says self.training.",
    "identity": "`{name}` in {spot} asks whether two names are one and the same object, which "
    "equal numbers need not be: == and != compare values.",
    "strange_word": "In {spot} `{name}` is compared with '{word}', and that is none of the words "
    "of the page.",
    "exchanged": "In {spot} `{name}` stands where `{called}` takes `{takes}`.",
    "cut": "`{name}` in {spot}: no gradient flows through that.",
    "one_layer_twice": "`{name}` are one and the same layer ({spot}): make two.",
    "one_list_twice": "`{name}` are two names of one and the same thing ({spot}): make two.",
    "one_list_often": "`{name} ...` in {spot} holds one and the same list several times: write "
    "[[] for _ in range(...)].",
    "unused_argument": "The argument `{name}` is never used ({spot}).",
    "unused_name": "`{name}` is made in {spot} and never used.",
}
_AGAIN = "The same stands in {spot}."
CERTAIN = (
    "reckoned",
    "thrown",
    "first_round",
    "halves",
    "swallowed",
    "assert_of_a_tuple",
    "always_drops",
    "made_anew",
    "own_share",
    "one_layer_twice",
    "one_list_twice",
    "one_list_often",
    "method_as_flag",
    "strange_word",
    "exchanged",
)  # which are wrong whatever else is
UNUSED = ("unused_name",)
# What a lesson says by itself, if it has these words: then the place is enough.
_SAID_BY = {"always_drops": "training=", "one_layer_twice": "one and the same"}
_HERE = "In {spot}:"


def loose_words(
    ends: Any,
    spot: Callable[[Place], str],
    kinds: Collection[str] = _ENDS.keys(),
    lesson: str = "",
) -> str:
    """A sentence for each of these kinds, before a ``lesson`` if there is one; where the same
    stands twice, the place is enough.
    """
    said: dict[str, list[str]] = {}
    for end in ends or ():
        if end["kind"] in kinds:
            here = spot(Place(end["file"], end["line"], ""))
            told = said.setdefault(repr({**end, "line": 0}), [])
            is_said = _SAID_BY.get(end["kind"], lesson + " ") in lesson
            words = _AGAIN if told else _HERE if is_said else _ENDS[end["kind"]]
            told.append(words.format_map({**end, "spot": here}))
    return " ".join(sentence for told in said.values() for sentence in told)
