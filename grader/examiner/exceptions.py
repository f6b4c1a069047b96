"""Common exceptions -> kinds of cause, with what the surroundings tell beside the message."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from grader.errors import OwnLine, Raised
from grader.examiner.call_exception_table import OF_CALLS
from grader.examiner.exception_table import OF_TENSORS
from grader.examiner.known_exception import TAKES_NOTHING
from grader.examiner.known_names import IMPORTED_BY, OF_MATH, instead_of
from grader.examiner.loose_ends import IDENTITY
from grader.examiner.misnamed import misnamed_argument, misnamed_method
from grader.examiner.python_exception_table import OF_PYTHON
from grader.examiner.refined import Facts, Recognised, Refine
from grader.examiner.shape_exceptions import OF_SHAPES
from grader.examiner.surroundings import Surroundings, nearest

_TABLE = (*OF_TENSORS, *OF_CALLS, *OF_PYTHON)


def recognised(
    raised: Raised, around: Surroundings, calls: tuple[Mapping[str, Any], ...] = ()
) -> Recognised:
    """The kind of an exception and what is known of it; None for one that is not in the table."""
    same = IDENTITY.search(around.own_line(raised.lines).text)
    if same and "'bool' object" in raised.message:
        return "identity", {"name": same[0]}
    if found := misnamed_argument(raised, around.own_line(raised.lines).text):
        return found
    if raised.type_name in ("TypeError", "RuntimeError") and (
        found := _class_called(raised, around)
    ):
        return found
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


def _as_it_is(kind: str, facts: Facts, raised: Raised, around: Surroundings) -> Recognised:
    return kind, facts


def _number_of_many(kind: str, facts: Facts, raised: Raised, around: Surroundings) -> Recognised:
    text = around.own_line(raised.lines).text
    if re.search(r"\btorch\.(?:as_)?tensor\(", text):
        return "tensor_of_tensors", facts
    if chosen := re.search(r"\.(arg(?:max|min))\((?:dim[ ]*=[ ]*)?0\)", text):
        return "number_of_argmax", facts | {"name": chosen[1]}
    used = re.search(r"\bmath\.(\w+)\(", text)
    return ("math_of_tensor", facts | {"name": used.group(1)}) if used else (kind, facts)


def _none(kind: str, facts: Facts, raised: Raised, around: Surroundings) -> Recognised:
    """Who is called, or handed on to be called, and never returns; not who is still at work."""
    busy = {line.within.rpartition(".")[2] for line in raised.lines}
    found = (around.without_return(line) for line in reversed(raised.lines))
    forgetful = next((name for name in found if name and name not in busy), "")
    if forgetful:
        return "no_return", facts | {"name": forgetful}
    own = around.own_line(raised.lines)
    if re.search(r"\w\.grad\b", own.text):
        return "none_as_gradient", facts
    names = [name for name, held in own.held if held is None]
    if len(names) != 1:
        return kind, facts
    if around.takes(own, names[0]):
        return "none_given", facts | {"name": names[0]}
    where = around.sets_to_none(own, names[0])
    more: Facts = {"name": names[0], "set": where.text, "set_at": where.line}
    return ("none_on_self", facts | more) if where.line else (kind, facts)


def _truth(kind: str, facts: Facts, raised: Raised, around: Surroundings) -> Recognised:
    """Which word of Python stands where tensors want a sign."""
    line = around.own_line(raised.lines).text
    if re.match(r"(?:if|elif|while)\b", line):
        return kind, facts
    if re.search(r"\bnot\s+(?!in\b)", line):
        return "truth_not", facts
    if joined := re.search(r"\b(and|or)\b", line):
        return "truth_joined", facts | {"name": joined[1]}
    of_python = re.search(r"(?<![\w.])(all|any|max|min|sorted|bool)\(", line)
    return ("truth_by_python", facts | {"name": of_python[1]}) if of_python else (kind, facts)


def _not_callable(kind: str, facts: Facts, raised: Raised, around: Surroundings) -> Recognised:
    """What was set on self as it was given: a word or a number that a function or layer is made of,
    a matrix; a part of torch that holds functions; a tensor.
    """
    own, got = around.own_line(raised.lines), str(facts.get("got"))
    if not own.line and (hides := around.hides_a_method()).line:
        more: Facts = {"name": hides.within, "set": hides.text, "set_at": hides.line}
        return "method_hidden", facts | more
    held = dict(own.held)
    names = re.findall(r"\b((?:self\.)?[A-Za-z_]\w*)\(", own.text)
    if got == "module":
        parts = re.findall(r"\btorch(?:\.\w+)+(?=\()", own.text)
        return ("module_called", facts | {"name": parts[0]}) if parts else (kind, facts)
    if got == "Tensor":
        tensors = [name for name in names if isinstance(held.get(name), tuple)]
        return ("tensor_called", facts | {"name": tensors[0]}) if tensors else (kind, facts)
    of_self = [name for name in names if name.startswith("self.")]
    numbers = [name for name in of_self if name in held]
    name = next(iter(numbers or of_self), "").removeprefix("self.")
    found = _CALLED_AS_GIVEN.get(got)
    return (found, facts | {"name": name}) if name and found else (kind, facts)


_CALLED_AS_GIVEN = {
    "str": "word_called",
    "float": "number_called",
    "int": "number_called",
    "Parameter": "parameter_called",
}


def _layer(kind: str, facts: Facts, raised: Raised, around: Surroundings) -> Recognised:
    """Who keeps a class and not a layer of it makes one wherever it is called."""
    name = str(facts.get("handed") or facts.get("left") or facts.get("got"))
    where = around.without_brackets(around.own_line(raised.lines), name)
    more: Facts = {"name": name, "set": where.text, "set_at": where.line}
    return ("class_for_layer", facts | more) if where.line else (kind, facts)


def _class_called(raised: Raised, around: Surroundings) -> Recognised:
    """Who keeps a class of torch's on self, and calls it as a layer: whatever it then says."""
    own = around.own_line(raised.lines)
    text = around.files.get(own.file.removesuffix(".py"), "")
    for name in re.findall(r"\bself\.(\w+)\(", own.text):
        kept = re.search(rf"^[ \t]*self\.{name}[ \t]*={_CLASS_ALONE}", text, re.MULTILINE)
        where = around.without_brackets(own, kept[1]) if kept else OwnLine("")
        if kept and where.line:
            more: Facts = {"name": kept[1], "set": where.text, "set_at": where.line}
            return "class_for_layer", more
    return None


_CLASS_ALONE = r"[ \t]*(?:torch\.)?nn\.([A-Z]\w*)[ \t]*(?:#.*)?$"


def _not_iterable(kind: str, facts: Facts, raised: Raised, around: Surroundings) -> Recognised:
    """Who makes an optimizer of a model, or clips it, means its parameters."""
    optimizer = _OPTIMIZER.search(around.own_line(raised.lines).text)
    return ("optimizer_of_model", facts) if optimizer else (kind, facts)


_OPTIMIZER = re.compile(r"\b(?:SGD|Adam\w*|RMSprop|optim\.\w+|clip_grad_\w+)\(")


def _numpy(kind: str, facts: Facts, raised: Raised, around: Surroundings) -> Recognised:
    if product := _PRODUCT_OF_NUMPY.search(around.own_line(raised.lines).text):
        return "numpy_product", facts | {"name": product[0]}
    helper = around.helper("np", "torch")
    if _JOINED_BY_NUMPY.search(around.own_line(raised.lines).text):
        kind, facts = "numpy_joins", {name: fact for name, fact in facts.items() if name != "got"}
    return (f"{kind}_with_helper", facts | {"name": helper}) if helper else (kind, facts)


_JOINED_BY_NUMPY = re.compile(r"\b(?:np|numpy)\.(?:as)?array\(")
_PRODUCT_OF_NUMPY = re.compile(r"\b(?:np|numpy)\.(?:dot|matmul|inner)\b")


def _subscripted(kind: str, facts: Facts, raised: Raised, around: Surroundings) -> Recognised:
    """A thing of the page's that hands its values out has no places either."""
    return ("one_pass" if around.signature("__next__", str(facts["got"])) else kind), facts


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
    if TAKES_NOTHING.search(raised.message) and (
        found := misnamed_method(name.removesuffix(".__init__"), "__init__", around)
    ):
        return found
    if name.endswith((".train", ".eval")) and around.defines(name):
        return "method_of_torch_replaced", facts
    signature = around.signature(name) or around.signature_elsewhere(name)
    if re.search(rf"\b(?:torch|F|nn|np|math)\.(?:\w+\.)*{re.escape(name)}\(", line):
        return "arguments_of_library", facts
    if signature is None:
        return (kind if around.defines(name) else "arguments_of_library"), facts
    ours = "arguments_of_page" if not raised.lines else "arguments_by_page"
    return ours, facts | {"signature": signature.shown}


def _no_forward(kind: str, facts: Facts, raised: Raised, around: Surroundings) -> Recognised:
    return misnamed_method(str(facts["owner"]), "forward", around) or (kind, facts)


def _attribute(kind: str, facts: Facts, raised: Raised, around: Surroundings) -> Recognised:
    owner, name = str(facts.get("owner", "")), str(facts["name"])
    if owner == "bool":
        return "attribute_of_bool", facts
    line = around.own_line(raised.lines).text
    if name == "forward" and _CALLS_FORWARD.search(line):
        return "attribute_forward", facts
    if _MADE_ALREADY.fullmatch(f"{owner}.{name}"):
        return "text_already", facts
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
    if own and around.is_function(name):
        return "attribute_is_function", facts
    if own:
        return ("attribute_near" if near else "attribute_of_own"), facts | {"near": near}
    if near:
        return "attribute_nearly", facts | {"near": near, "owner": facts.get("library", owner)}
    library = str(facts.get("library", owner))
    if library in _OF_TORCH and (instead := instead_of(name, library)):
        return "attribute_elsewhere", facts | {"owner": library, "instead": instead}
    return ("attribute_of_library" if "library" in facts else "attribute"), facts


def _not_called(kind: str, facts: Facts, raised: Raised, around: Surroundings) -> Recognised:
    """A function is called, and not its forward."""
    if _CALLS_FORWARD.search(around.own_line(raised.lines).text):
        return "attribute_forward", facts | {"owner": facts["got"]}
    return kind, facts


_MADE_ALREADY = re.compile(r"bytes\.encode|str\.decode")
_CALLS_FORWARD = re.compile(r"\w\.forward\(")
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
    own = around.own_line(raised.lines)
    if near := around.argument_alike(own, name) or around.resembling(name):
        return "undefined_near", facts | {"near": near}
    in_class = "." in own.within
    return ("undefined_in_class" if in_class else kind), facts


def _key(kind: str, facts: Facts, raised: Raised, around: Surroundings) -> Recognised:
    """A text that is nearly a key: of a text the message shows it as it is written."""
    near = around.resembling_text(str(facts["name"]).strip("'"))
    return ("key_near", facts | {"near": near}) if near else (kind, facts)


def _out_of_range(kind: str, facts: Facts, raised: Raised, around: Surroundings) -> Recognised:
    """Who takes the logarithm of what is one already, by its name; logits are none. Or of 0."""
    line = around.own_line(raised.lines)
    if taken := _LOG_OF_LOG.search(line.text):
        return "log_of_log", facts | {"name": taken[1]}
    taken = _LOG_OF_NAME.search(line.text)
    if taken and dict(line.held).get(taken[1]) == 0:
        return "log_of_zero", facts | {"name": taken[1]}
    return kind, facts


_LOG_OF_NAME = re.compile(r"\blog(?:2|10)?\(\s*((?:self\.)?\w+)\s*\)")
_LOG_OF_LOG = re.compile(r"\blog(?:2|10|1p)?\(\s*(?:float\()?((?:[\w.]*[._])?log(?!it)\w*)")


def _assertion(kind: str, facts: Facts, raised: Raised, around: Surroundings) -> Recognised:
    own = around.own_line(raised.lines).text.startswith(("assert", "raise"))
    return (kind, facts) if own else None


_REFINED: Mapping[str, Refine] = OF_SHAPES | {
    "number_of_many": _number_of_many,
    "truth_of_many": _truth,
    "not_callable": _not_callable,
    "not_called": _not_called,
    "none": _none,
    "not_iterable": _not_iterable,
    "not_subscriptable": _subscripted,
    "layer_for_tensor": _layer,
    "named_pair": _named_pair,
    "numpy_of_graph": _numpy,
    "array_for_tensor": _numpy,
    "arguments": _arguments,
    "no_forward": _no_forward,
    "attribute": _attribute,
    "undefined_name": _name,
    "key": _key,
    "out_of_range": _out_of_range,
    "own_assertion": _assertion,
    "own_refusal": _refusal,
}
