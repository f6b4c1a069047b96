"""Common exceptions -> kinds of cause, with what the surroundings tell beside the message."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from grader.errors import Raised
from grader.examiner.call_exception_table import OF_CALLS
from grader.examiner.exception_table import OF_TENSORS
from grader.examiner.known_exception import TAKES_NOTHING
from grader.examiner.known_names import IMPORTED_BY, OF_MATH, instead_of
from grader.examiner.python_exception_table import OF_PYTHON
from grader.examiner.shapes import (
    counted_from_the_front,
    index_of_the_whole,
    lost_axis,
    may_be_product,
    other_factor,
    two_rows,
)
from grader.examiner.surroundings import Surroundings, nearest
from grader.model import Fact

Facts = dict[str, Fact]
Recognised: TypeAlias = tuple[str, Facts] | None

_TABLE = (*OF_TENSORS, *OF_CALLS, *OF_PYTHON)


def recognised(
    raised: Raised, around: Surroundings, calls: tuple[Mapping[str, Any], ...] = ()
) -> Recognised:
    """The kind of an exception and what is known of it; None for one that is not in the table."""
    for known in _TABLE:
        if match := known.match(raised):
            facts: Facts = {name: value for name, value in match.groupdict().items() if value}
            refine = _REFINED.get(known.kind, _as_it_is)
            return refine(known.kind, facts | _sizes(facts, around, calls), raised, around)
    return None


# The groups of the table's patterns that hold sizes, and not, say, the number of an axis.
_SIZES = ("inner", "outer", "a", "b", "shape", "target", "wanted", "got", "size")


def _sizes(facts: Facts, around: Surroundings, calls: tuple[Mapping[str, Any], ...]) -> Facts:
    """The page's names for those sizes that the message speaks of."""
    told = " ".join(str(facts[name]) for name in _SIZES if name in facts)
    said = {int(digits) for digits in re.findall(r"\d{1,9}", told)}
    named = around.sizes(calls)
    return {"sizes": {str(size): named[size] for size in sorted(said & named.keys())}}


# What the surroundings tell beside the message ----------------------------------------------------

_Refine = Callable[[str, Facts, Raised, Surroundings], Recognised]


def _as_it_is(kind: str, facts: Facts, raised: Raised, around: Surroundings) -> Recognised:
    return kind, facts


def _product(kind: str, facts: Facts, raised: Raised, around: Surroundings) -> Recognised:
    """A product that fits once the right side is transposed is told so."""
    own = around.own_line(raised.lines)
    if "inner" in facts and "outer" in facts and (names := other_factor(own)):
        return "matmul_other", facts | names
    if "columns" in facts and facts["inner"] == facts["columns"]:
        weight = ".weight" in own.text
        return "matmul_of_linear" if weight else "matmul_transposed", facts
    if "columns" in facts and facts["rows"] == facts["outer"]:
        return "matmul_left", facts
    return ("matmul", facts) if "inner" in facts else ("matmul_unsized", facts)


def _unfit(kind: str, facts: Facts, raised: Raised, around: Surroundings) -> Recognised:
    """What stands in a line in which shapes do not fit: a mask, a transpose in a product, or a
    ``*`` without ``@``, where a product may be meant.
    """
    own = around.own_line(raised.lines)
    line = own.text
    if kind == "broadcast" and not _PRODUCT.search(line) and (names := lost_axis(own)):
        return "broadcast_axis_lost", facts | names
    if kind == "broadcast" and (rows := two_rows(own)):
        return "broadcast_two_rows", facts | rows
    if kind == "broadcast" and (name := around.can_keep(own)):
        return "broadcast_keepdim_of_own", facts | {"name": name}
    if _STAR.search(line) and "@" not in line and may_be_product(own):
        return f"{kind}_by_star", facts
    if kind == "broadcast" and ".masked_fill" in line and not _COMPARES.search(line):
        return "broadcast_mask", facts
    if kind == "broadcast" and _PRODUCT.search(line):
        found = "broadcast_transposed" if _TURNS_FRONT.search(line) else "broadcast_in_product"
        return found, facts
    return kind, facts


_COMPARES = re.compile(r"\.masked_fill\([^,]*[<>]")
_PRODUCT = re.compile(r"@|\bmatmul\(")
# A transpose that moves the axes in front, or may.
_TURNS_FRONT = re.compile(r"\.T\b|\.t\(\)|\btranspose\(\s*0|\bpermute\(")
# A single * between two things, and none before the arguments of a call.
_STAR = re.compile(r"[\w)\]]\s*\*(?!\*)\s*[\w(]")


def _number_of_many(kind: str, facts: Facts, raised: Raised, around: Surroundings) -> Recognised:
    used = re.search(r"\bmath\.(\w+)\(", around.own_line(raised.lines).text)
    return ("math_of_tensor", facts | {"name": used.group(1)}) if used else (kind, facts)


def _none(kind: str, facts: Facts, raised: Raised, around: Surroundings) -> Recognised:
    """Who is called, or handed on to be called, and never returns; not who is still at work."""
    busy = {line.within.rpartition(".")[2] for line in raised.lines}
    found = (around.without_return(line) for line in reversed(raised.lines))
    forgetful = next((name for name in found if name and name not in busy), "")
    if forgetful:
        return "no_return", facts | {"name": forgetful}
    own = around.own_line(raised.lines)
    names = [name for name, held in own.held if held is None]
    if len(names) != 1:
        return kind, facts
    if around.takes(own, names[0]):
        return "none_given", facts | {"name": names[0]}
    where = around.sets_to_none(own, names[0])
    more: Facts = {"name": names[0], "set": where.text, "set_at": where.line}
    return ("none_on_self", facts | more) if where.line else (kind, facts)


def _next_place(kind: str, facts: Facts, raised: Raised, around: Surroundings) -> Recognised:
    """Who asks for the place behind i forgets that the last one has none."""
    if kind == "index_of_list" and _SIZE_OF.search(around.own_line(raised.lines).text):
        return "shape_too_short", facts
    asked = _NEXT.search(around.own_line(raised.lines).text)
    if kind == "index_of_axis" and _EVERY_ROW.search(around.own_line(raised.lines).text):
        return "index_for_each_row", facts
    if kind == "index_of_axis" and (name := index_of_the_whole(around.own_line(raised.lines))):
        return "index_of_the_whole", facts | {"name": name}
    if kind == "index_of_axis" and (name := counted_from_the_front(around.own_line(raised.lines))):
        return "index_from_the_front", facts | {"name": name}
    if asked is None or facts.get("index") != facts.get("size"):
        return kind, facts
    return "index_behind_the_last", facts | {"next": f"{asked[1]} + 1"}


_SIZE_OF = re.compile(r"\.shape\[-?\d+\]|\.size\(\)\[-?\d+\]")
# All rows, and then a name: it may stand for a place in each row.
_EVERY_ROW = re.compile(r"\[(?::|\.\.\.),\s*[a-z]\w{2,}\]")
_NEXT = re.compile(r"\[(?:[^\]]*[\s,])?(\w+)\s*\+\s*1\s*[\],]")


def _index(kind: str, facts: Facts, raised: Raised, around: Surroundings) -> Recognised:
    """Who asks a table of positions with token numbers."""
    asked = _POSITIONS_OF_TOKENS.search(around.own_line(raised.lines).text)
    return ("index_of_positions", facts) if asked else (kind, facts)


_POSITIONS_OF_TOKENS = re.compile(r"\b\w*pos\w*\(\s*(?:idx|ids|tokens?|x|input_ids|inputs?)\s*\)")


def _truth(kind: str, facts: Facts, raised: Raised, around: Surroundings) -> Recognised:
    """Which word of Python stands where tensors want a sign."""
    line = around.own_line(raised.lines).text
    if re.match(r"(?:if|elif|while)\b", line):
        return kind, facts
    if re.search(r"\bnot\s+(?!in\b)", line):
        return "truth_not", facts
    joined = re.search(r"\b(and|or)\b", line)
    return ("truth_joined", facts | {"name": joined[1]}) if joined else (kind, facts)


def _not_callable(kind: str, facts: Facts, raised: Raised, around: Surroundings) -> Recognised:
    """What was set on self as it was given: a word or a number that a function or layer is made
    of.
    """
    called = re.search(r"\bself\.(\w+)\(", around.own_line(raised.lines).text)
    found = _CALLED_AS_GIVEN.get(str(facts.get("got")))
    return (found, facts | {"name": called[1]}) if called and found else (kind, facts)


_CALLED_AS_GIVEN = {"str": "word_called", "float": "number_called", "int": "number_called"}


def _unpacked(kind: str, facts: Facts, raised: Raised, around: Surroundings) -> Recognised:
    """What is taken apart is a shape, or what a call returned, or anything else."""
    text = around.own_line(raised.lines).text
    if _OF_SHAPE.search(text):
        return "unpacked_shape", facts
    return ("unpacked_call" if _OF_CALL.search(text) else kind), facts


_OF_SHAPE = re.compile(r",.*=\s*[\w.]+\.(?:shape|size\(\))\s*(?:#.*)?$")
# Of what is their own, and not of what torch and Python take apart by themselves.
_OF_CALL = re.compile(
    r"^[^=(]*,[^=(]*=\s*(?:self\.)?(?!(?:zip|enumerate|map|sorted|torch|F|nn)\b)\w+(?:\[\w+\])?\("
)


def _not_iterable(kind: str, facts: Facts, raised: Raised, around: Surroundings) -> Recognised:
    """Who makes an optimizer of a model means its parameters."""
    optimizer = _OPTIMIZER.search(around.own_line(raised.lines).text)
    return ("optimizer_of_model", facts) if optimizer else (kind, facts)


_OPTIMIZER = re.compile(r"\b(?:SGD|Adam\w*|RMSprop|optim\.\w+)\(")


def _numpy(kind: str, facts: Facts, raised: Raised, around: Surroundings) -> Recognised:
    helper = around.helper("np", "torch")
    return (f"{kind}_with_helper", facts | {"name": helper}) if helper else (kind, facts)


def _stretched(kind: str, facts: Facts, raised: Raised, around: Surroundings) -> Recognised:
    """What is written into a part of a tensor that was made too small, or in another order."""
    own = around.own_line(raised.lines)
    found = re.match(r"((?:self\.)?\w+)\[.*\][ \t]*=(?!=)", own.text)
    held = dict(own.held).get(found[1]) if found else None
    more: Facts = {"name": found[1] if found else "", "whole": str(held)}
    return ("written_slice", facts | more) if isinstance(held, tuple) else (kind, facts)


def _named_pair(kind: str, facts: Facts, raised: Raised, around: Surroundings) -> Recognised:
    helper = around.helper("np", "torch") if facts.get("name") == "max" else ""
    return ("named_pair_with_helper", facts | {"helper": helper}) if helper else (kind, facts)


def _arguments(kind: str, facts: Facts, raised: Raised, around: Surroundings) -> Recognised:
    """Of a function on the page: if no line of the submission calls it, the page's caller does."""
    line, name = around.own_line(raised.lines).text, str(facts["name"])
    if re.search(r"super\([^)]*\)\.__init__\(\s*[^\s)]", line) and TAKES_NOTHING.search(
        raised.message
    ):
        return "arguments_of_super", facts
    if name.endswith("register_buffer"):
        return "register_buffer", facts
    signature = around.signature(name)
    if re.search(rf"\b(?:torch|F|nn|np|math)\.(?:\w+\.)*{re.escape(name)}\(", line):
        return "arguments_of_library", facts
    if signature is None:
        return (kind if around.defines(name) else "arguments_of_library"), facts
    ours = "arguments_of_page" if not raised.lines else "arguments_by_page"
    return ours, facts | {"signature": signature.shown}


def _attribute(kind: str, facts: Facts, raised: Raised, around: Surroundings) -> Recognised:
    owner, name = str(facts.get("owner", "")), str(facts["name"])
    if owner == "bool":
        return "attribute_of_bool", facts
    line = around.own_line(raised.lines).text
    if owner in ("int", "float") and name == "detach" and "Parameter(" in line:
        return "parameter_of_number", facts
    own = bool(owner and around.line_of(owner).line)
    if own and around.takes(around.own_line(raised.lines), name):
        return "attribute_is_argument", facts
    near = around.resembling(name, owner) if owner else ""
    known = around.set_on_bases(owner) if own else around.set_on_self(owner)
    if known and not (own and near):
        return _of_other_page(facts, name, known)
    near = near or str(facts.get("near", ""))
    if own:
        return ("attribute_near" if near else "attribute_of_own"), facts | {"near": near}
    if near:
        return "attribute_nearly", facts | {"near": near, "owner": facts.get("library", owner)}
    library = str(facts.get("library", owner))
    if library in _OF_TORCH and (instead := instead_of(name, library)):
        return "attribute_elsewhere", facts | {"owner": library, "instead": instead}
    return ("attribute_of_library" if "library" in facts else "attribute"), facts


_OF_TORCH = ("Tensor", "torch", "torch.nn", "torch.nn.functional")


def _of_other_page(facts: Facts, name: str, known: tuple[str, ...]) -> Recognised:
    """Of a class that the submission defines elsewhere: the name that is meant, or all there are.
    Who asks for a number of something does not mean the thing itself.
    """
    alike = [one for one in known if _counts(one) == _counts(name)]
    if near := nearest(name, alike):
        return "attribute_nearly", facts | {"near": near}
    return "attribute_of_other_page", facts | {"names": known}


def _counts(name: str) -> bool:
    return name.startswith(("n_", "num_"))


def _refusal(kind: str, facts: Facts, raised: Raised, around: Surroundings) -> Recognised:
    """A value that an own line refuses, and no line that the page gave."""
    own = around.own_line(raised.lines)
    if not own.text.startswith("raise") or around.given_within(raised):
        return None
    condition = around.condition_of(own)
    return ("own_refusal_if", facts | {"condition": condition}) if condition else (kind, facts)


def _name(kind: str, facts: Facts, raised: Raised, around: Surroundings) -> Recognised:
    name = str(facts["name"])
    if name in OF_MATH:
        return "undefined_of_math", facts
    if name in IMPORTED_BY:
        return "undefined_module", facts | {"imported": IMPORTED_BY[name]}
    if near := around.resembling(name):
        return "undefined_near", facts | {"near": near}
    in_class = "." in around.own_line(raised.lines).within
    return ("undefined_in_class" if in_class else kind), facts


def _key(kind: str, facts: Facts, raised: Raised, around: Surroundings) -> Recognised:
    """A text that is nearly a key: of a text the message shows it as it is written."""
    near = around.resembling_text(str(facts["name"]).strip("'"))
    return ("key_near", facts | {"near": near}) if near else (kind, facts)


def _assertion(kind: str, facts: Facts, raised: Raised, around: Surroundings) -> Recognised:
    own = around.own_line(raised.lines).text.startswith(("assert", "raise"))
    return (kind, facts) if own else None


_REFINED: Mapping[str, _Refine] = {
    "matmul": _product,
    "broadcast": _unfit,
    "broadcast_shapes": _unfit,
    "number_of_many": _number_of_many,
    "index_of_axis": _next_place,
    "index": _index,
    "truth_of_many": _truth,
    "not_callable": _not_callable,
    "index_of_list": _next_place,
    "none": _none,
    "not_iterable": _not_iterable,
    "unpacked": _unpacked,
    "named_pair": _named_pair,
    "expand": _stretched,
    "numpy_of_graph": _numpy,
    "array_for_tensor": _numpy,
    "arguments": _arguments,
    "attribute": _attribute,
    "undefined_name": _name,
    "key": _key,
    "own_assertion": _assertion,
    "own_refusal": _refusal,
}
