"""Causes -> words: whatever the judge says to a student is made here, out of data.

The sentence for every kind of cause stands in ``sentences``; its facts are worded below.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from grader.model import Cause, Fact, Place, Report, Verdict
from grader.report.asked_again import when_asked_again, with_changed_inputs, with_wrong_functions
from grader.report.calls import call_words, cut, options_words
from grader.report.complaints import complaints_words, remedies
from grader.report.patterns import leaf_words
from grader.report.sentences import SENTENCES
from grader.report.told import Told

Spot = Callable[[Place], str]

NO_NUMBER = "–"
TRANSPOSED = {
    "tensor": ".T, or .transpose(-2, -1) where there are more axes",
    "array": ".T, or np.swapaxes(x, -2, -1) where there are more axes",
}
ONE_WITHOUT = "1 check has no verdict: this is not your fault, and your instructor will repeat it."
SOME_WITHOUT = (
    "{count} checks have no verdict: this is not your fault, and your instructor will repeat them."
)


def in_file(place: Place) -> str:
    """How a line is spoken of, unless somebody knows better, as a notebook does."""
    return f"{place.file}, line {place.line}"


def said(text: str, expected: str = "", actual: str = "", advice: str = "") -> Cause:
    """A cause in somebody's own words: a suite's, or those of an old report."""
    facts: dict[str, Fact] = {
        "text": text,
        "expected": expected,
        "actual": actual,
        "advice": advice,
    }
    return Cause("said", facts)


def told(cause: Cause, spot: Spot = in_file) -> Told:
    """The words for a cause; ``spot`` says how a line of the submission's is spoken of."""
    template = SENTENCES[cause.kind]
    words = _facts(cause)
    words |= _of_place(cause, spot) | _of_reason(cause, spot) | _remedies(cause)
    parts = (template.rationale, template.expected, template.actual, template.help)
    found = Told(*(part.format_map(words) for part in parts))
    rationale = found.rationale
    if again := cause.facts.get("asked_again"):
        rationale = when_asked_again(again, rationale)
    if changed := cause.facts.get("also_changed"):
        in_words = cause.kind == "said"
        rationale = with_changed_inputs(changed, rationale, in_words=in_words)
    if used := cause.facts.get("used_and_wrong"):
        rationale = with_wrong_functions(used, rationale)
    return replace(found, rationale=rationale)


def worded(template: str, cause: Cause, **more: str) -> str:
    """``template`` with the facts of a cause."""
    return template.format_map(_facts(cause) | more)


_WITHOUT = {  # that fact
    "turned": TRANSPOSED["tensor"],
    "made_with": "",
    "together": "",
    "made_there": "Something here is made on the CPU.",
}


def _facts(cause: Cause) -> dict[str, str]:
    said = {name: _WORDED.get(name, str)(fact) for name, fact in cause.facts.items()}
    return {**_WITHOUT, **said}


def score_words(score: float | None) -> str:
    """A score to the hundredth of a point; where there is no verdict, there is no number."""
    return NO_NUMBER if score is None else f"{round(score, 2):g}"


def without_verdict(count: int) -> str:
    """What a student is told of ``count`` checks on which the grader itself failed."""
    return ONE_WITHOUT if count == 1 else SOME_WITHOUT.format(count=count)


def unjudged(report: Report) -> list[str]:
    """What has no verdict, ``exercise: check`` each, for who is to repeat it."""
    return [f"{v.check.exercise}: {v.check.name}{on_device(v)}" for v in report.without_verdict]


def on_device(verdict: Verdict) -> str:
    """Where a check ran, unless that was the CPU."""
    return "" if verdict.check.device == "cpu" else f" [{verdict.check.device}]"


def suspicion(verdict: Verdict) -> str:
    """What a person is told who should look at a submission that is too fast."""
    measured = verdict.measured
    assert measured is not None
    return f"{verdict.check.exercise}: {measured.ratio:.2f} times the reference's {measured.what}"


# Facts in words -----------------------------------------------------------------------------------


def kind_words(form: Any) -> str:
    """A kind of value, as ``programs.kinds.kind_of`` gives it."""
    kind, *more = form
    if kind == "sequence":
        return f"a {more[0]} of {_values(more[1])}"
    if kind == "values":
        return f"a tuple or list of {_values(more[0])}"
    if kind == "dict":
        return f"a dict with the keys [{', '.join(more[0])}]"
    if kind == "plain":
        return f"a value of type {more[0]}"
    return _KINDS[kind]


def _values(count: int) -> str:
    return "1 value" if count == 1 else f"{count} values"


_KINDS = {
    "tensor": "a tensor",
    "array": "a numpy array",
    "number": "a number",
    "nothing": "None (is a `return` missing?)",
}


def _refused(name: str) -> str:
    """What the worker would not hand over; of some values it says more than their class."""
    return name if " " in name else f"a value of type {name}"


def _path(steps: Any) -> str:
    """Where in a nested value, from its inside to its outside: ``in item 0 of item 1``."""
    said = " of ".join(f"{kind} {n}" for kind, n in steps[::-1])
    return f" {'in' if steps[-1][0] == 'item' else 'at'} {said}" if said else ""


def _difference(found: Any) -> str:
    """For example: ``12 of 30 values differ, only at 1 to 4 along axis 1; first at [0, 1, 2]``."""
    count, total, first = found["count"], found["total"], list(found["first"])
    if total == 1:
        return "the value differs"
    amount = f"all {total} values differ" if count == total else f"{count} of {total} values differ"
    axes = [_along(**axis) for axis in found["axes"]]
    places = f", only at {' and '.join(axes)}" if axes else ""
    return f"{amount}{places}; first at {first}"


def _along(axis: int, last: bool, stretch: Any, indices: Any, more: bool, size: int = 0) -> str:
    name = "the last axis" if last and axis else f"axis {axis}"
    if stretch:
        return f"{stretch[0]} to {stretch[1]} along {name}"
    return f"{', '.join(map(str, indices))}{' ...' if more else ''} along {name}"


def _remedies(cause: Cause) -> dict[str, str]:
    complaints: Any = cause.facts.get("complaints", ())
    wanted: Any = cause.facts.get("wanted_parameters", {})
    sizes: Any = cause.facts.get("sizes", {})
    there: Any = cause.facts.get("got_parameters", {})
    return {"remedies": remedies(complaints, wanted, sizes, there)}


def _keys(keys: Mapping[str, Any]) -> str:
    said = {"missing": "{names} missing", "surplus": "{names} not asked for"}
    return "; ".join(
        text.format(names=f"{', '.join(keys[kind])} {'is' if len(keys[kind]) == 1 else 'are'}")
        for kind, text in said.items()
        if keys[kind]
    )


def _parameters(parameters: Mapping[str, Any]) -> str:
    said = ", ".join(f"{name} {tuple(shape)}" for name, shape in parameters.items())
    return said or "no such parameter"


def _options(given: Mapping[str, Any]) -> str:
    """The arguments by name with which an object was made: ``, made with bias=False,``."""
    said = options_words(given)
    return f", made with {_and(said)}," if said else ""


def _together(calls: int) -> str:
    """Gradients of several calls are asked for at once: theirs are summed."""
    before = calls - 1
    if not before:
        return ""
    return f", together with the {before} call{'s' * (before > 1)} before it,"


def _sizes(sizes: Mapping[str, str]) -> str:
    """What the page calls the sizes that were just spoken of; with a space before, if it does."""
    said = [_SIZE.format(size=size, name=name) for size, name in sizes.items()]
    return f" {_HERE.format(sizes=_and(said))}" if said else ""


def _and(parts: Sequence[str]) -> str:
    *others, last = parts
    return f"{', '.join(others)} and {last}" if others else last


_SIZE = "{name} is {size}"
_HERE = "Here {sizes}."
_INSIDE = ", inside `{name}`, which was given"
_MOST_HELD = 6  # names of one line
_MOST_SAID = 240  # characters of an exception's own words: some of torch's list every overload


def _ended(how: Any) -> str:
    kind, number = how
    if kind == "signal":
        return f"its process was ended by the signal {number}"
    if kind == "exit":
        return f"its process ended by itself, with exit status {number}"
    return "it left the grader's channel" if kind == "hung_up" else "its process ended"


def _doing(module: Any) -> str:
    return f"importing {module}.py" if module else "this check"


def _number(digits: int) -> Callable[[Any], str]:
    return lambda value: f"{value:.{digits}f}"


_WORDED: Mapping[str, Callable[[Any], str]] = {
    "call": call_words,
    "at": _path,
    "got_kind": kind_words,
    "wanted_kind": kind_words,
    "refused": _refused,
    "difference": _difference,
    "keys": _keys,
    "turned": TRANSPOSED.__getitem__,
    "made_with": _options,
    "made_there": lambda text: f"`{text}` makes a tensor on the CPU.",
    "leaf": leaf_words,
    "together": _together,
    "sizes": _sizes,
    "names": ", ".join,
    "others": lambda names: " and your ".join(f"`{name}`" for name in names),
    "cases": " and ".join,
    "places": ", ".join,
    "complaints": complaints_words,
    "wanted_parameters": _parameters,
    "got_parameters": _parameters,
    "ended": _ended,
    "importing": _doing,
    "seconds": "{:g}".format,
    "limit": "{:g}".format,
    "ratio": _number(2),
    "about": _number(1),
    "low": _number(2),
    "high": _number(2),
}


def _of_place(cause: Cause, spot: Spot) -> dict[str, str]:
    """``place`` is a line or at least a file; ``code`` is what stands there, or what was said."""
    place, said = cause.place, str(cause.facts.get("said", ""))
    if place is None:
        module = cause.facts.get("module", "")
        return {
            "place": f"{module}.py",
            "code": "",
            "code_or_said": said,
            "whose": "Your code",
            "at_place": "",
            "held": "",
            "inside": "",
            "raised": f"{module}.py: {_short(said)}",
        }
    code, where = f"`{place.text}`" if place.text else "", spot(place)
    whose = f"{code} ({where})" if code else where
    given = cause.facts.get("given")
    inside = _INSIDE.format(name=given) if given else ""
    return {
        "place": where,
        "code": code,
        "code_or_said": code or said,
        "whose": whose,
        "at_place": f", at {whose}",
        "held": _held(cause.facts.get("held")),
        "inside": inside,
        "raised": f"{where}{inside}: {_short(said)}",
    }


def _held(found: Any) -> str:
    """What stands for what in a line, alike ones together: ``, where x is (2, 3) and y None``."""
    names: dict[str, list[str]] = {}
    for name, held in list((found or {}).items())[:_MOST_HELD]:
        form = tuple(held) if isinstance(held, (tuple, list)) else held
        names.setdefault(f"{form:.6g}" if isinstance(form, float) else str(form), []).append(name)
    said = [
        f"{_and(alike)} {'is' if len(alike) == 1 else 'are'} {form}"
        for form, alike in names.items()
    ]
    return f", where {_and(said)}" if said else ""


def _short(said: str) -> str:
    return cut(said.rstrip(". "), _MOST_SAID)


def _of_reason(cause: Cause, spot: Spot) -> dict[str, str]:
    reason = Told("") if cause.because is None else told(cause.because, spot)
    return {"because": reason.rationale, "because_expected": reason.expected}
