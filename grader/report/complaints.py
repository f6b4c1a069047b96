"""What is said of parameters whose names or shapes are not those of the page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

_MOST = 6  # are named one by one

_SAID = {
    "missing": "there is no parameter {name}",
    "plain": "self.{name} is a plain tensor and no parameter",
    "extra": "there is a parameter {name} too many",
    "turned": "{name} has shape {shape}, which is the other way round",
    "shape": "{name} has shape {shape}",
}
_REMEDIES = {
    "plain": "Wrap it in nn.Parameter(...): only then is it learned, saved and moved.",
    "turned": "Exchange the two sizes where it is made: nn.Linear(a, b) has a weight of shape "
    "(b, a), and nn.Embedding(a, b) one of shape (a, b).",
    "missing": "Make in __init__ what is missing, and set it on self: a bare name is gone when "
    "__init__ ends.",
    "extra": "Take out what is too much.",
    "shape": "Look at the sizes that it is made with.",
}
_LINEAR = (
    "`{name}` is an nn.Linear, which multiplies and has a bias. A table whose rows are looked up "
    "is an nn.Embedding(rows, width)."
)
_LAYER = "`{name}` is a layer, and is to be the parameter itself: nn.Parameter(...)."
_LIST = (
    "Is self.{name} a plain list? In one torch finds no parameters: make it nn.ModuleList([...])."
)
_OPTION = (
    "`{name}` is there, but made with another option: look at the call that makes it, or what it "
    "is in, and at the order of its arguments."
)


def complaints_words(complaints: Any) -> str:
    """Each in a few words; of very many the first ones."""
    said = [_SAID[c["what"]].format(name=c["name"], shape=tuple(c["shape"])) for c in complaints]
    more = len(said) - _MOST
    return "; ".join([*said[:_MOST], f"and so on, {more} more"] if more > 1 else said)


def remedies(complaints: Any) -> str:
    """What to do: for what commonly goes wrong in one way, that alone."""
    if common := next(_common(complaints), ""):
        return common
    whats = {complaint["what"] for complaint in complaints}
    return " ".join(said for what, said in _REMEDIES.items() if what in whats)


def _common(complaints: Any) -> Iterator[str]:
    names = {what: [c["name"] for c in complaints if c["what"] == what] for what in _SAID}
    missing, extra = names["missing"], names["extra"]
    for name in names["turned"]:
        owner = name.removesuffix(".weight")
        if f"{owner}.bias" in extra:
            yield _LINEAR.format(name=owner)
    for name in missing:
        if f"{name}.weight" in extra:
            yield _LAYER.format(name=name)
    numbered = {found[1] for name in missing if (found := re.match(r"(\w+)\.\d+\.", name))}
    everything = all(re.match(r"\w+\.\d+\.", name) for name in missing)
    if len(numbered) == 1 and everything and not extra and _is_whole(missing):
        yield _LIST.format(name=numbered.pop())
    if missing and not extra and all(name.endswith(".bias") for name in missing):
        yield _OPTION.format(name=missing[0].removesuffix(".bias"))


def _is_whole(missing: list[str]) -> bool:
    """Whether weights are missing too, and not only what an option takes away."""
    return any(not name.endswith("bias") for name in missing)
