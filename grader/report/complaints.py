"""What is said of parameters whose names or shapes are not those of the page."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

_Shapes = Mapping[str, Sequence[int]]
_NONE: _Shapes = {}
_MOST = 6  # are named one by one

_SAID = {
    "missing": "there is no parameter {name}",
    "plain": "self.{name} is a plain tensor and no parameter",
    "extra": "there is a parameter {name} too many",
    "extra_tied": "there is one Parameter too many: {name} and {other} are the same one, and share "
    "it with no other",
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
_SIZE = "One size of `{name}` is {now}, and should be {should}: look at where it is made."
_TIMES = (2, 3, 4)
_LIST = (
    "Is self.{name} a plain list? In one torch finds no parameters: make it nn.ModuleList([...])."
)
_NO_BIAS = "`{name}` is made with a bias, and here it is to have none: hand that option on to it."
_OPTION = (
    "`{name}` is there, but made with another option: look at the call that makes it, or what it "
    "is in, and at the order of its arguments."
)
_RENAMED = "The page calls `{name}` what is called `{own}` in yours: use its name."
_ALL_RENAMED = (
    "As many are missing as are too many, of the same shapes. Are they the same ones under names "
    "of your own? Use the page's: {names}."
)


def complaints_words(complaints: Any) -> str:
    """Each in a few words; of very many the first ones."""
    said = [_words(complaint) for complaint in complaints]
    more = len(said) - _MOST
    return "; ".join([*said[:_MOST], f"and so on, {more} more"] if more > 1 else said)


def _words(complaint: Mapping[str, Any]) -> str:
    what = complaint["what"] + "_tied" * ("other" in complaint)
    return _SAID[what].format_map({**complaint, "shape": tuple(complaint["shape"])})


def remedies(
    complaints: Any, wanted: _Shapes, sizes: Mapping[str, str], there: _Shapes = _NONE
) -> str:
    """What to do: for what commonly goes wrong in one way, that alone. ``wanted`` are the shapes by
    the parameters' names, those that are ``there`` as well, and ``sizes`` what the page calls the
    sizes with which it was made.
    """
    if common := next(_common(complaints), "") or _renamed(complaints, wanted, there):
        return common
    whats = {complaint["what"] for complaint in complaints}
    said = {what: text for what, text in _REMEDIES.items() if what in whats}
    if named := next(_named(complaints, wanted, sizes), ""):
        said["shape"] = named
    return " ".join(said.values())


def _named(
    complaints: Any, wanted: Mapping[str, Sequence[int]], sizes: Mapping[str, str]
) -> Iterator[str]:
    """Of a wrong shape the size that is wrong, by the page's names for this and the right one."""
    for complaint in complaints:
        name, got = complaint["name"], tuple(complaint["shape"])
        right = tuple(wanted.get(name, ()))
        if complaint["what"] != "shape" or len(got) != len(right):
            continue
        pairs = [(a, b) for a, b in zip(got, right, strict=True) if a != b]
        if len(pairs) == 1 and (should := _expression(pairs[0][1], sizes)):
            is_now = _expression(pairs[0][0], sizes)
            now = f"{is_now}, {pairs[0][0]}" if is_now else str(pairs[0][0])
            yield _SIZE.format(name=name, now=now, should=f"{should}, {pairs[0][1]}")


def _expression(size: int, sizes: Mapping[str, str]) -> str:
    """What a size is in the page's names: one of them or a few times one, if that is sure."""
    if str(size) in sizes:
        return sizes[str(size)]
    found = [f"{k} * {name}" for n, name in sizes.items() for k in _TIMES if k * int(n) == size]
    return found[0] if len(found) == 1 else ""


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
    alone = len(complaints) == len(extra)
    if extra and alone and all(name.endswith(".bias") for name in extra):
        yield _NO_BIAS.format(name=extra[0].removesuffix(".bias"))


def _renamed(complaints: Any, wanted: _Shapes, there: _Shapes) -> str:
    """Where what is missing is there under other names: as many, of the same shapes."""
    missing, extra = (
        [c["name"] for c in complaints if c["what"] == what] for what in ("missing", "extra")
    )
    theirs, own = (dict.fromkeys(n.partition(".")[0] for n in names) for names in (missing, extra))
    shapes = [
        [tuple(of.get(name, ())) for name in names]
        for of, names in ((wanted, missing), (there, extra))
    ]
    alone = missing and len(missing) + len(extra) == len(complaints)
    if not alone or theirs.keys() & own.keys() or len(theirs) != len(own):
        return ""
    if sorted(shapes[0]) != sorted(shapes[1]) or () in shapes[0]:
        return ""
    if len(theirs) == 1:
        return _RENAMED.format(name=next(iter(theirs)), own=next(iter(own)))
    return _ALL_RENAMED.format(names=" ".join(f"`{name}`" for name in theirs))


def _is_whole(missing: list[str]) -> bool:
    """Whether weights are missing too, and not only what an option takes away."""
    return any(not name.endswith("bias") for name in missing)
