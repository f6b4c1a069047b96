"""Names that torch and Python look for letter by letter: an argument's, ``x.sum(keep_dim=True)``,
and a method's, ``def _init_(self)``.
"""

from __future__ import annotations

import inspect
import re
from functools import lru_cache

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from grader.errors import Raised
from grader.examiner.functions_in import arguments, functions_in
from grader.examiner.known_exception import WRONG_KEYWORD
from grader.examiner.refined import Recognised
from grader.examiner.surroundings import Surroundings, nearest

_CALL = re.compile(r"((?:\w+\.)*)(\w+)\(|\.(\w+)\(")
_KEYWORD = re.compile(r"([^\W\d]\w*)[ \t]*=(?!=)")
_HOLDERS = {"torch.": torch, "F.": F, "torch.nn.functional.": F, "nn.functional.": F, "nn.": nn}
_HOLDERS |= {"torch.nn.": nn, "torch.special.": torch.special, "torch.linalg.": torch.linalg}
_OTHERS = re.compile(r"(?:self|cls|super|np|math|numpy)\b")
_LEAST = 0.6  # of the letters in common, to be taken for a slip
_MEANT = {"axis": "dim", "rate": "p", "prob": "p", "probability": "p"}


def misnamed_method(owner: str, meant: str, around: Surroundings) -> Recognised:
    """A method of the class ``owner`` of the module at hand whose name is nearly ``meant``, which
    the class lacks.
    """
    functions = {f.name: f for f in functions_in(around.files.get(around.module, ""))}
    for name, function in functions.items() if f"{owner}.{meant}" not in functions else ():
        before, _, last = name.rpartition(".")
        if before == owner and nearest(last.strip("_"), [meant.strip("_")]):
            line = function.lines[0].number
            return "method_misnamed", {"owner": owner, "name": last, "set_at": line, "near": meant}
    return None


def misnamed_argument(raised: Raised, line: str) -> Recognised:
    """An argument by a name that no argument of torch's function has, where that was refused."""
    known = WRONG_KEYWORD.search(raised.message) if raised.type_name == "TypeError" else None
    found = _unknown_keyword(line) if known else None
    if known is None or found is None or known[1] not in (None, found[1]):
        return None
    name, keyword, near = found
    kind = "keyword_near" if near else "keyword_unknown"
    return kind, {"name": name, "keyword": keyword, "near": near}


def _unknown_keyword(line: str) -> tuple[str, str, str] | None:
    """What is called in ``line``, the name of an argument that it does not have, and the one that
    is nearest, or empty. None where every name is known, or the function is none of torch's.
    """
    for found in _CALL.finditer(line):
        owner, name = found[1] or "", found[2] or found[3]
        if (not owner and not found[3]) or _OTHERS.match(owner):
            continue  # a function of the page, or of another library
        known = _names_of(owner if owner in _HOLDERS else "", name)
        for given in (arguments(line[found.end() :]) or ()) if known else ():
            keyword = _KEYWORD.match(given)
            if keyword and keyword[1] not in known:
                meant = _MEANT.get(keyword[1], "")
                near = meant if meant in known else nearest(keyword[1], sorted(known), _LEAST)
                return name, keyword[1], near
    return None


@lru_cache(maxsize=256)
def _names_of(owner: str, name: str) -> frozenset[str]:
    """The arguments of a function or class of torch's, or without an ``owner`` of a tensor's
    method; nothing where its documentation does not say them.
    """
    thing = getattr(_HOLDERS.get(owner, Tensor), name, None)
    if thing is None or name.startswith("_"):
        return frozenset()
    try:
        signature = inspect.signature(thing)
    except (TypeError, ValueError):
        return _documented(name, thing.__doc__ or "")
    kinds = {parameter.kind for parameter in signature.parameters.values()}
    if inspect.Parameter.VAR_KEYWORD in kinds or inspect.Parameter.VAR_POSITIONAL in kinds:
        return _documented(name, thing.__doc__ or "")
    return frozenset(signature.parameters)


def _documented(name: str, text: str) -> frozenset[str]:
    """Those that the signatures in a documentation name. numpy's names for them work as well."""
    heads = re.findall(
        rf"(?<![\w.]){re.escape(name)}\(([^()]*(?:\([^()]*\)[^()]*)*)\)", text[:4000]
    )
    words = {word for head in heads for word in re.findall(r"([a-z_]\w*)\s*(?=[=,:]|$)", head)}
    aliases = {"axis", "keepdims", "x"} if words & {"dim", "keepdim", "input"} else set()
    return frozenset(words | aliases)
