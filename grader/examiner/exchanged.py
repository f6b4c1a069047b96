"""Arguments in each other's places: a call hands on by its name what another argument is called.

``LayerNorm(d_model, bias)`` sets eps, where the page says ``LayerNorm(d_model, eps=1e-5,
bias=True)``; ``layer_norm(x, weight, eps, bias)`` exchanges two. Told by words, for a hostile text
must not be parsed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from grader.errors import OwnLine, Raised
from grader.examiner.functions_in import arguments
from grader.examiner.printed import Signature
from grader.examiner.surroundings import Surroundings

_CALL = re.compile(r"(?<![\w.])((?:self\.|super\(\)\.)?)([^\W\d]\w*)\(")
_NAME = re.compile(r"(?:self\.)?([^\W\d]\w*)")
_CONSTANT = re.compile(r"[\"'\d]|-\d|(?:True|False|None)$")
_DEFINES = re.compile(r"(?:async[ \t]+)?(?:def|class)[ \t]")


class Exchanged(NamedTuple):
    """In ``line`` the argument ``name`` is given in the place of ``takes`` to what is ``called``,
    whose signature is shown.
    """

    line: int
    name: str
    takes: str
    called: str


def exchanged(
    lines: Iterable[tuple[int, str]], within: str, around: Surroundings
) -> Iterator[Exchanged]:
    """Of the calls in these lines of the function ``within`` of the module at hand."""
    for number, text in lines:
        for found in _CALL.finditer(text if not _DEFINES.match(text) else ""):
            given = arguments(text[found.end() :])
            signature = _signature(found[1], found[2], within, around) if given else None
            if given and signature:
                yield from _in_call(number, given, signature)


def exchanging(raised: Raised, around: Surroundings) -> tuple[OwnLine, Exchanged] | None:
    """The innermost line on the way that hands on an argument in the place of another. What is not
    written yet has another reason.
    """
    for line in reversed(raised.lines if not raised.from_a_stub else ()):
        there = around.of_exercise(line.file.removesuffix(".py"))
        for one in exchanged([(line.line, line.text)], line.within, there):
            return line, one
    return None


def _in_call(number: int, given: list[str], signature: Signature) -> Iterator[Exchanged]:
    """Exchanged are two, or one that stands in the place of another, which nobody gives; or two
    masks, of which one has another name here.
    """
    named = {text.partition("=")[0].strip() for text in given if re.match(r"\w+\s*=(?!=)", text)}
    names = [found[1] if (found := _NAME.fullmatch(text)) else "" for text in given]
    wanted = list(signature.axes)
    for place, (name, takes) in enumerate(zip(names, wanted, strict=False)):
        if name == takes or name not in wanted or name in named:
            continue
        own = wanted.index(name)
        there = names[own] if own < len(names) else ""
        is_constant = own < len(names) and _CONSTANT.match(given[own]) is not None
        is_swapped = there == takes or is_constant or _is_a_third(there, name, takes, wanted)
        if is_swapped or (own >= len(names) and place > 0 and takes not in named):
            yield Exchanged(number, name, takes, signature.shown)
            return


def _is_a_third(there: str, name: str, takes: str, wanted: Sequence[str]) -> bool:
    """Whether ``there`` is unknown to who is called, and all three are, say, masks."""
    kinds = [one.rpartition("_") for one in (there, name, takes)]
    return there not in wanted and len({kind for *_, kind in kinds}) == 1 and all(kinds[0])


def _signature(owner: str, name: str, within: str, around: Surroundings) -> Signature | None:
    """Of a function or class of this page, or of another that is imported; of a method; of the
    class that this one extends.
    """
    own_class = within.partition(".")[0] if "." in within else ""
    if owner == "self.":
        own = around.printed(around.module).called(f"{own_class}.{name}") if own_class else None
        return own or _of_a_part(name, around)
    if owner:
        name = around.base_of(own_class) if name == "__init__" and own_class else ""
    module = around.where_from(name) if name else ""
    return around.printed(module).called(name) if module else None


def _of_a_part(name: str, around: Surroundings) -> Signature | None:
    """Of ``self.decoder``, which the text makes by ``self.decoder = Decoder(...)``."""
    text = around.files.get(around.module, "")
    kinds = set(re.findall(rf"self\.{re.escape(name)}[ \t]*=[ \t]*([^\W\d]\w*)\(", text))
    kind = kinds.pop() if len(kinds) == 1 else ""
    module = around.where_from(kind) if kind else ""
    return around.printed(module).called("", kind) if module else None
