"""Statements whose result nothing takes: a call of what only returns, or something reckoned."""

from __future__ import annotations

import re
from collections.abc import Iterator

import torch

from grader.examiner.functions_in import Function
from grader.model import Fact

_CALL = re.compile(r"((?:\w+\.)*)(\w+)\(.*\)$")
_REST = re.compile(r"\([^()]*\)|\[[^][]*\]|\{[^{}]*\}")  # what stands in the innermost brackets
_SIDE = r"[~-]?[\w.]+"
_OPERATOR = r"[ ]*(?:[-+*/@%&|^<>]|//|\*\*|<=|>=|==|!=)[ ]*"
_WORDS = r"(?!(?:return|assert|yield|await|raise|del|not|lambda|import|global|from)\b)"
_RECKONED = re.compile(rf"{_WORDS}{_SIDE}(?:{_OPERATOR}{_SIDE})+")

# What a tensor's methods and torch's functions return, and do not leave in their argument; without
# what lists and dicts have as well, which may change them.
_KINDS = (list, dict, set)
_PURE = {n for n in dir(torch.Tensor) if n[0] != "_" and n[-1] != "_"} - {
    *(name for kind in _KINDS for name in dir(kind)),
    "to", "cpu", "cuda", "xpu", "float", "double", "half", "bfloat16", "type",  # change a module
    "log",  # of a logger
    "backward", "register_hook", "register_post_accumulate_grad_hook", "retain_grad",
    "requires_grad", "share_memory", "map", "apply", "set", "data", "grad", "resize", "resize_as",
}  # fmt: skip
_OF_TORCH = ("torch.", "F.", "nn.functional.", "torch.nn.functional.")
_NOT_OF_TORCH = re.compile(r"manual_seed|seed|set_|no_grad|save|use_|_assert|compile")


def thrown(
    function: Function, own: frozenset[str], pure: frozenset[str]
) -> Iterator[dict[str, Fact]]:
    """Calls of what only returns, as statements: of torch's functions, of those of the page that
    are ``pure``, and of modules that are ``own``, or that a loop over them hands out.
    """
    handed_out = _handed_out(function, own)
    for line in function.statements:
        found = _CALL.match(line.text)
        if not found or not line.is_closed or not is_one_call(line.text):
            continue
        owner, name = found[1], found[2]
        if owner == "self.":
            returns = name in own
        elif owner in _OF_TORCH:
            returns = not (name.endswith("_") or _NOT_OF_TORCH.match(name))
        else:
            returns = name in (_PURE if owner else pure | handed_out)
        if returns:
            yield {"kind": "thrown", "line": line.number, "name": f"{owner}{name}"}


def _handed_out(function: Function, own: frozenset[str]) -> frozenset[str]:
    """The names that loops over what is on self give: ``for block in self.blocks``."""
    loops = (_OVER_OWN.match(line.text) for line in function.statements)
    names = (found[1] for found in loops if found and own.intersection(_ON_SELF.findall(found[2])))
    return frozenset(name for many in names for name in re.findall(r"\w+", many))


_OVER_OWN = re.compile(r"for[ ]+(.+?)[ ]+in[ ]+(.*):$")
_ON_SELF = re.compile(r"\bself\.(\w+)")


def reckoned(function: Function) -> Iterator[dict[str, Fact]]:
    """What is reckoned, as a statement: ``result & mask``."""
    for line in function.statements:
        if line.is_closed and _RECKONED.fullmatch(_bare(line.text)):
            yield {"kind": "reckoned", "line": line.number, "name": line.text}


def _bare(text: str) -> str:
    """With a word for whatever stands in brackets."""
    while (less := _REST.sub("_", text)) != text:
        text = less
    return text


def is_one_call(text: str) -> bool:
    """Whether its first bracket closes at its end, and nothing is done with what is returned."""
    depth = 0
    for at, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if letter == ")" and depth == 0:
            return at == len(text) - 1
    return False
