"""What the failures of one function have in common, as facts; ``report.words`` makes a sentence.

Only what is true of all of them is said: every comparison of the function that failed must show it.
Where nothing is, what can be read off one shape or dtype is told of that one.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from grader.examiner.difference import LEAST_NUMBERS
from grader.model import Cause, Fact, Outcome, Verdict

Pattern = Mapping[str, Fact]

_GRADIENTS = ("gradient", "detached", "no_gradient")
_SAME = 1e-2  # relative: two factors that are the same one
_LARGE = 100
_LOGARITHMS = {"log10": math.log(10), "log2": math.log(2)}
_COUNT = re.compile(r"[1-9]\d{0,30}")
_OTHER_VALUES = ("others", "flipped")
_OTHER_FLOATS = ("float64", "float16", "bfloat16")
# What was wanted, and what came.
_KINDS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "list_for_tensor": (("tensor", "list"),),
    "list_for_array": (("array", "list"),),
    "several_for_one": (("tensor", "tuple"), ("array", "tuple")),
    "array_for_tensor": (("tensor", "array"),),
    "tensor_for_array": (("array", "tensor"),),
    "number_for_tensor": (("tensor", "float"), ("tensor", "int")),
    "text_for_plain": (("plain", "str"),),
    "several_numbers": (("number", "array"), ("number", "tensor")),
    "no_dict": (("dict", "tuple"), ("dict", "list")),
    "tensor_for_list": (("values", "tensor"), ("sequence", "tensor")),
}
_GRADIENT_OF_NAN: Pattern = {"kind": "gradient_of_nan"}
_BY_CHANCE: Pattern = {"kind": "left_to_chance"}
_COMPARED = (*_GRADIENTS, "numbers", "nan", "dtype", "device", "shape", "kind", "value")


def patterns(found: Sequence[tuple[str, Verdict]]) -> list[Pattern]:
    """What each verdict belongs to, given the function that it is of; mostly nothing."""
    by_function: dict[str, Pattern] = {}
    for name in {name for name, _ in found if name}:
        verdicts = [verdict for of, verdict in found if of == name]
        by_function[name] = _pattern(verdicts)
    return [
        _of_compared(by_function.get(name, {}), verdict)
        if _is_compared(verdict)
        else _of_again(verdict)
        for name, verdict in found
    ]


def _of_compared(common: Pattern, verdict: Verdict) -> Pattern:
    """What is ``common`` to all, unless it is a form, which nobody has seen in so few numbers."""
    is_few = verdict.cause is not None and _is_few(verdict.cause)
    return _of_one(verdict) if not common or (is_few and "form" in common) else common


def _is_compared(verdict: Verdict) -> bool:
    """What was right when it was asked first has its pattern in how it was asked again."""
    cause = verdict.cause
    if verdict.outcome is not Outcome.FAILED or cause is None:
        return False
    return cause.kind in _COMPARED and "asked_again" not in cause.facts


def _pattern(verdicts: Sequence[Verdict]) -> Pattern:
    causes = [v.cause for v in verdicts if v.cause is not None and _is_compared(v)]
    if not causes:
        return {}
    passed = any(verdict.outcome is Outcome.PASSED for verdict in verdicts)
    return next((told for find in _FINDERS if (told := find(causes, passed))), {})


def _of_one(verdict: Verdict) -> Pattern:
    """What chance has made, how this shape comes from the right one, that a truth value is wanted,
    that inputs were too large, or how NaN is made.
    """
    facts: Mapping[str, Any] = verdict.cause.facts if verdict.cause else {}
    kind = verdict.cause.kind if verdict.cause else ""
    if "left_to_chance" in facts:
        return _BY_CHANCE
    if kind == "dtype":
        return {"kind": "wants_bool"} if facts.get("wanted") == "bool" else _dtype_lost(facts)
    if kind == "kind":
        return _of_kinds(facts["wanted_kind"], facts["got_kind"])
    if "beyond" in facts:
        return {"kind": "beyond_log" if "of_log" in facts else "beyond", **facts["beyond"]}
    if kind == "gradient" and "nan" in str(facts.get("got", "")):
        return _GRADIENT_OF_NAN
    if kind == "nan":
        return not_a_number(facts)
    if kind == "gradient_shape":
        return {"kind": "made_in_another_shape"}
    if kind != "shape":
        return {}
    wanted, got = _sizes(facts.get("wanted", "")), _sizes(facts.get("got", ""))
    return shape_pattern(wanted, got) or shape_of_inputs(wanted, got, facts.get("call"))


def _of_again(verdict: Verdict) -> Pattern:
    """Of what was right when it was asked first, what the other asking alone explains; and of what
    was not compared how NaN is made.
    """
    cause = verdict.cause
    if verdict.outcome is not Outcome.FAILED or cause is None:
        return {}
    facts: Mapping[str, Any] = cause.facts
    if cause.kind == "nan" or (cause.kind == "not_finite" and facts["got"] == "nan"):
        return not_a_number(facts)
    if cause.kind == "dtype":
        return _dtype_lost(facts)
    known = cause.kind in ("numbers", "value") and "left_to_chance" not in facts
    fixed = known and set(facts.get("asked_again", ())) & set(_OTHER_VALUES)
    return {"kind": "fixed_values"} if fixed else {}


def not_a_number(facts: Mapping[str, Any]) -> Pattern:
    """NaN, and whether it is all of the answer, or a mask has a part in it."""
    if facts.get("difference", {}).get("total") == 1:
        return {
            "kind": "not_a_number_of_a_mean" if facts.get("averaged") else "not_a_number_in_one"
        }
    return {"kind": "not_a_number_of_masks" if facts.get("masked") else "not_a_number"}


def _dtype_lost(facts: Mapping[str, Any]) -> Pattern:
    """float32 in the place of another dtype: torch makes it where nobody says another one, and a
    module's plain attribute keeps it.
    """
    if facts.get("got") != "float32" or facts.get("wanted") not in _OTHER_FLOATS:
        return {}
    call = facts.get("call") or {}
    of_module = call.get("of") != call.get("name") and "asked_again" in facts
    kind = "float32_in_module" if of_module else "always_float32"
    return {"kind": kind, "wanted": facts["wanted"]}


def _of_kinds(wanted: Sequence[Any], got: Sequence[Any]) -> Pattern:
    """How one kind of value commonly comes to stand in the place of another."""
    if tuple(wanted) == ("plain", "bytes") and got[1:] == ("str",):
        return {"kind": "text_for_bytes"}
    if wanted[0] == "tensor" and got[0] == "sequence" and got[-1] == 1:
        return {"kind": "list_of_one"}
    kinds = (wanted[0], got[1] if got[0] in ("sequence", "plain") else got[0])
    found = next((name for name, pairs in _KINDS.items() if kinds in pairs), "")
    return {"kind": found} if found else {}


def _sizes(shape: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", shape)))


def shape_pattern(wanted: tuple[int, ...], got: tuple[int, ...]) -> Pattern:
    """One axis of size 1 too many, or too few; an axis that is gone, axes in another order, or all
    of them in one.
    """
    if size := _left_over(got, wanted):
        return {"kind": "one_axis_too_many" if size == 1 else "axis_too_many", "size": size}
    if size := _left_over(wanted, got):
        if size == 1:
            return {"kind": "one_axis_missing", "size": size}
        return {"kind": "axis_paired" if size in got else "axis_gone", "size": size}
    if wanted != got and sorted(wanted) == sorted(got):
        return {"kind": "axes_in_another_order"}
    if len(wanted) > 1 and got == (math.prod(wanted),):
        return {"kind": "flattened"}
    if len(got) == len(wanted) + 1 and math.prod(got) == math.prod(wanted):
        return {"kind": "axis_split"}
    return {}


def shape_of_inputs(wanted: tuple[int, ...], got: tuple[int, ...], call: Any) -> Pattern:
    """A shape that an input has, or that is left of one where another axis went than should."""
    given = (*call["args"], *call["kwargs"].values()) if isinstance(call, Mapping) else ()
    shapes = {tuple(form[1]) for form in given if form[0] in ("tensor", "array", "bool")}
    if len(wanted) != len(got):
        return {}
    lost = {(whole, one) for whole in shapes if (one := _left_over(whole, got))}
    for whole, size in lost:
        if (right := _left_over(whole, wanted)) and right != size:
            return {"kind": "other_axis_gone", "size": size, "right": right, "of": whole}
    is_method = "." in call["name"] if shapes else False  # what it keeps decides there
    known = got in shapes and wanted not in shapes and not is_method
    return {"kind": "shape_of_input"} if known else {}


def _left_over(longer: tuple[int, ...], shorter: tuple[int, ...]) -> int:
    """The size of the one axis without which the longer shape is the shorter one; 0 if there is
    none, or if it may be one of several sizes.
    """
    cut = {n: longer[:n] + longer[n + 1 :] for n in range(len(longer))}
    sizes = {longer[n] for n, rest in cut.items() if rest == shorter}
    return sizes.pop() if len(sizes) == 1 else 0


def _left_to_chance(causes: Sequence[Cause], passed: bool) -> Pattern:
    """Two askings of the same gave other numbers: nothing else that is seen in them counts."""
    by_chance = any("left_to_chance" in cause.facts for cause in causes)
    return _BY_CHANCE if by_chance else {}


def _only_gradient(causes: Sequence[Cause], passed: bool) -> Pattern:
    """Values are compared before gradients: where these differ, the values were right."""
    if any(cause.kind not in _GRADIENTS for cause in causes):
        return {}
    if all("nan" in str(cause.facts.get("got", "")) for cause in causes):
        return _GRADIENT_OF_NAN
    leaves = sorted({leaf for cause in causes if (leaf := cause.facts.get("leaf"))}, key=repr)
    form = _common_form(causes)
    if form.get("form") == "factor":
        return {"kind": "gradient_factor", **form}
    if any(cause.kind == "detached" for cause in causes):
        return {"kind": "gradient_gone"}
    if form.get("form") == "zeros" or any(cause.kind == "no_gradient" for cause in causes):
        return {"kind": "gradient_missing", "leaves": tuple(leaves)}
    return {"kind": "only_gradient", "leaves": tuple(leaves)}


def _only_dtype(causes: Sequence[Cause], passed: bool) -> Pattern:
    if not passed or {cause.kind for cause in causes} != {"dtype"}:
        return {}
    return {"kind": "only_dtype"}


def _form(causes: Sequence[Cause], passed: bool) -> Pattern:
    form = _common_form(causes)
    return {"kind": form["form"], **form} if form else {}


def _common_form(causes: Sequence[Cause]) -> Pattern:
    """How all wrong numbers come from the right ones, if always in the same way; of a few numbers
    that cannot be said.
    """
    forms = [_difference(cause).get("form") or {} for cause in causes if not _is_few(cause)]
    first: Any = forms[0] if forms else {}
    if not first or any(form.get("form") != first["form"] for form in forms):
        return {}
    same = all(_near(form.get(key), first[key]) for form in forms for key in first if key != "form")
    if not same and first["form"] == "factor":
        return {"form": "factors"}
    return first if same else {}


def _is_few(cause: Cause) -> bool:
    return bool(_difference(cause).get("total", LEAST_NUMBERS) < LEAST_NUMBERS)


def _factor_of_counts(causes: Sequence[Cause], passed: bool) -> Pattern:
    """Each whole number is the right one times, or divided by, one and the same whole number."""
    if passed or any(cause.kind != "value" for cause in causes):
        return {}
    pairs = [(cause.facts.get("wanted", ""), cause.facts.get("got", "")) for cause in causes]
    if not all(_COUNT.fullmatch(str(count)) for pair in pairs for count in pair):
        return {}
    factors = {Fraction(int(str(got)), int(str(wanted))) for wanted, got in pairs}
    factor = factors.pop()
    if len(pairs) == 1 and max(int(str(count)) for count in pairs[0]) < _LARGE:
        return {}  # places and ids, of which many are multiples of others
    if factors or 1 not in factor.as_integer_ratio():
        return {}
    return {"kind": "times" if factor > 1 else "divided", "count": max(factor.as_integer_ratio())}


def _other_logarithm(causes: Sequence[Cause], passed: bool) -> Pattern:
    """All numbers are those that another logarithm gives, of 10 or of 2."""
    factors = [_factor(cause) for cause in causes]
    for name, base in _LOGARITHMS.items():
        if all(factor and math.isclose(factor * base, 1.0, rel_tol=1e-3) for factor in factors):
            return {"kind": "other_logarithm", "name": name}
    return {}


def _factor(cause: Cause) -> float:
    """By what the right number, or all of them, were multiplied; 0 where that is not known."""
    form = _difference(cause).get("form") or {}
    if form.get("form") == "factor":
        return float(form["factor"])
    numbers = [str(cause.facts.get(name, "")) for name in ("wanted", "got")]
    if cause.kind not in ("numbers", "value") or not all(map(_DECIMAL.fullmatch, numbers)):
        return 0.0
    wanted, got = map(float, numbers)
    return got / wanted if wanted else 0.0


_DECIMAL = re.compile(r"-?\d+\.\d{2,}")


def _near(one: Any, other: Any) -> bool:
    return isinstance(one, float) and math.isclose(one, other, rel_tol=_SAME)


def _place(causes: Sequence[Cause], passed: bool) -> Pattern:
    """Only the last, only the first, or all but the first along one axis, every time."""
    if any(cause.kind not in ("numbers", "nan", "gradient") for cause in causes):
        return {}
    places = [set(_places(_difference(cause))) for cause in causes]
    common = sorted(set.intersection(*places))
    if not common:
        return {}
    kind, axis = common[0]
    return {"kind": kind, "axis": axis}


def _places(difference: Mapping[str, Any]) -> list[tuple[str, int]]:
    found = []
    for axis in difference.get("axes", ()):
        size, indices, stretch = axis.get("size", 0), tuple(axis["indices"]), axis["stretch"]
        where = range(stretch[0], stretch[1] + 1) if stretch else indices
        if axis["more"] and not stretch:
            continue
        names = {
            "from_second": range(1, size),
            "only_last": range(size - 1, size),
            "only_first": range(1),
        }
        found += [(name, axis["axis"]) for name, r in names.items() if tuple(where) == tuple(r)]
    return found


def _difference(cause: Cause) -> Mapping[str, Any]:
    found: Mapping[str, Any] = cause.facts.get("difference", {})  # type: ignore[assignment]
    return found


_FINDERS: tuple[Callable[[Sequence[Cause], bool], Pattern], ...] = (
    _left_to_chance,
    _only_gradient,
    _only_dtype,
    _other_logarithm,
    _form,
    _factor_of_counts,
    _place,
)
