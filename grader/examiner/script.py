"""A transcript -> a script of plain torch, which asks a submission the same without this package.

Saved beside what was handed in and run with plain Python, it fails where the check failed and is
silent about a right answer. It holds what is right, so it is for instructors alone.
"""

from __future__ import annotations

import inspect
import itertools
import keyword
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from grader.examiner import script_parts
from grader.examiner.check_run import CheckCase
from grader.examiner.expected import Readings
from grader.examiner.judge import Tolerance, tolerance
from grader.examiner.literals import literal
from grader.examiner.transcript import Exchange, Transcript, transcript_of
from grader.model import Outcome, Verdict
from grader.sandbox.protocol import Built, Generator, Leaf, Object, Result

_ORDER = ("packed", "close", "form", "check", "refused", "load", "gradients", "Recorder")
_NEEDS = {"check": {"close", "form"}}
_OF_VALUES = ("kind", "shape", "dtype", "device", "numbers", "nan", "value", "input_changed")
_NOT_SHOWN = {
    "slow": "time", "large": "memory", "budget": "time", "forbidden": "a forbidden operation",
    "killed_for_memory": "memory", "memory": "memory",
}  # fmt: skip


@dataclass(frozen=True)
class Script:
    """Its ``text``; what it holds against the reference, and how near each must come: relative to
    max(1, |expected|), and absolute; and whether it is ``of_one_comparison`` or of a whole check.
    """

    text: str
    tolerances: tuple[tuple[str, float, float], ...]
    of_one_comparison: bool


def script_of(case: CheckCase, verdict: Verdict, about: Sequence[str] = ()) -> Script:
    """The script for what ``verdict`` found; ``about`` are remarks at its top."""
    transcript = transcript_of(case, verdict.cause)
    writer = _Writer(case, verdict, transcript)
    body = writer.written()
    notes = [*about, "", *_what_it_shows(case, verdict, transcript)]
    head = "\n".join(f"# {line}".rstrip() for note in notes for line in _wrapped(note))
    used = _with_needs(writer.used | ({"packed"} if "packed(" in body else set()))
    parts = [_source(name) for name in _ORDER if name in used]
    called = ", ".join(sorted(writer.called))
    imported = f"from {case.suite.exercise.name} import {called}\n" if called else ""
    seeded = f"torch.manual_seed({transcript.seed})  # as the worker's random numbers began"
    if not imported:
        imported = f"import {case.suite.exercise.name}\n"
    lines = [head, *_imports(body + "".join(parts)), "", seeded, imported, *parts, body]
    text = "\n".join(lines).rstrip() + f'\n\nprint("{_END}")\n'
    return Script(text, tuple(writer.tolerances), transcript.of_one_comparison)


_EXACT = Tolerance(0.0, 0.0)
_END = "Nothing differs."
_ONE = (
    "This is the comparison in which it failed. Save it beside {module}.py and run it with Python: "
    "it stops where the answer differs."
)
_WHOLE = (
    "The check asserts a property, so all that it asks is asked here, and every answer that is not "
    "left to chance is held against the reference's. The check itself says:"
)
_UNSEEN = "What failed is {what}, and a script cannot show that: it asks the same calls."


def _what_it_shows(case: CheckCase, verdict: Verdict, transcript: Transcript) -> Iterator[str]:
    module, kind = case.suite.exercise.name, verdict.cause.kind if verdict.cause else ""
    if transcript.of_one_comparison:
        yield _ONE.format(module=module)
    else:
        yield _WHOLE
        yield ""
        yield from inspect.getsource(case.collected.function).rstrip().splitlines()
    if kind in _NOT_SHOWN:
        yield ""
        yield _UNSEEN.format(what=_NOT_SHOWN[kind])


def _wrapped(note: str) -> list[str]:
    """A remark in lines; code as it stands."""
    is_code = note.startswith((" ", "def ", "@")) or not note
    return [note] if is_code else textwrap.wrap(note, 96, break_long_words=False)


def _with_needs(used: Iterable[str]) -> set[str]:
    return {name for one in used for name in {one, *_NEEDS.get(one, ())}}


def _source(name: str) -> str:
    return f"\n{inspect.getsource(getattr(script_parts, name))}"


def _imports(text: str) -> list[str]:
    """What of the standard library the text speaks of, and torch."""
    lines = ["from __future__ import annotations", ""]
    modules = ("base64", "copy", "faulthandler", "zlib")
    lines += [f"import {name}" for name in modules if f"{name}." in text]
    types = [n for n in ("Callable", "Mapping") if f"{n}[" in text]
    lines += [f"from collections.abc import {', '.join(types)}"] if types else []
    names = [name for name in ("inf", "nan") if re.search(rf"\b{name}\b", text)]
    lines += [f"from math import {', '.join(names)}"] if names else []
    lines += ["from typing import Any"] if "Any" in text else []
    return [*lines, "", "import torch"]


class _Writer:
    """One statement after another; ``called`` are the names of the submission's that are used, and
    ``used`` those of the parts.
    """

    def __init__(self, case: CheckCase, verdict: Verdict, transcript: Transcript) -> None:
        self._case, self._verdict, self._transcript = case, verdict, transcript
        self._kind = verdict.cause.kind if verdict.cause else ""
        self.called: set[str] = set()
        self.used: set[str] = set()
        self.tolerances: list[tuple[str, float, float]] = []
        self._lines: list[str] = []
        self._taken: set[str] = {"torch", "copy", "inf", "nan", *_ORDER, *case.suite.reference}
        self._leaves: dict[int, str] = {}
        self._results: dict[int, str] = {}
        self._objects: dict[int, str] = {}
        self._built: dict[int, str] = {}
        self._is_last = False

    def written(self) -> str:
        """All statements."""
        exchanges = self._transcript.exchanges
        begins = [n for n, one in enumerate(exchanges) if one.request.get("fresh")]
        last = max(begins, default=0) if self._transcript.of_one_comparison else 0
        if self._verdict.outcome is Outcome.TIMEOUT:
            seconds = self._case.collected.seconds
            self._lines.append(f"faulthandler.dump_traceback_later({seconds:g}, exit=True)")
        for number, exchange in enumerate(exchanges):
            self._is_last = number >= last
            self._forget(exchange.request.get("fresh", ""))
            getattr(self, f"_{exchange.request['op']}")(exchange.request, exchange)
        if self._kind == "input_changed":
            self._inputs_are_unchanged()
        if self._kind == "seeds":
            self._lines.append(
                f'assert torch.initial_seed() == {self._transcript.seed}, "it seeds torch"'
            )
        return "\n".join(self._lines)

    # Requests -------------------------------------------------------------------------------------

    def _call(self, request: Mapping[str, Any], exchange: Exchange) -> None:
        name = request["name"]
        self.called.add(name)
        moved = f".to({request['moved_to']!r})" if request.get("moved_to") else ""
        names = _parameters(self._case.suite.reference.get(name))
        self._asked(name, names, request, exchange, moved)

    def _call_object(self, request: Mapping[str, Any], exchange: Exchange) -> None:
        owner, name = self._objects[request["number"]], request["name"]
        callee = owner if name == "__call__" else f"{owner}.{name}"
        self._asked(callee, ("x", "y", "z"), request, exchange)

    def _asked(
        self,
        callee: str,
        names: Sequence[str],
        request: Mapping[str, Any],
        exchange: Exchange,
        moved: str = "",
    ) -> None:
        given = itertools.chain(names, itertools.repeat("x"))
        args = [self._value(arg, name) for arg, name in zip(request["args"], given, strict=False)]
        args += [f"{k}={self._value(v, k)}" for k, v in request["kwargs"].items()]
        call, native = f"{callee}({', '.join(args)})", exchange.reply.native
        if "raised" in native:
            self.used.add("refused")
            self._lines.append(f"refused({call!r}, lambda: {call})")
            return
        is_module = isinstance(native["value"], Object)
        variable = self._name(_snake(native["value"].type_name) if is_module else "answer")
        moved = moved if is_module else ""
        self._lines += _within(request, f"{variable} = {call}{moved}")
        self._results[native["number"]] = variable
        if is_module:
            self._objects[native["value"].number] = variable
        else:
            self._hold_answer(variable, call, exchange)

    def _load(self, request: Mapping[str, Any], exchange: Exchange) -> None:
        self.used.add("load")
        weights = {key: self._value(value, key) for key, value in request["weights"].items()}
        named = ", ".join(f"{key!r}: {value}" for key, value in weights.items())
        self._lines.append(f"load({self._objects[request['number']]}, {{{named}}})")

    def _make_ready(self, request: Mapping[str, Any], exchange: Exchange) -> None:
        module = self._objects[request["number"]]
        if request["source"] is not None:
            source = self._objects[request["source"]]
            self._lines.append(f"{module}.load_state_dict({source}.state_dict())")
        if request["evaluates"]:
            self._lines.append(f"{module}.eval()")
        if request["dtype"] is not None:
            self._lines.append(f"{module}.to({request['dtype']})")

    def _deepcopy(self, request: Mapping[str, Any], exchange: Exchange) -> None:
        native = exchange.reply.native
        variable = self._name("copied")
        self._lines.append(f"{variable} = copy.deepcopy({self._objects[request['number']]})")
        self._results[native["number"]] = self._objects[native["value"].number] = variable

    def _parameters(self, request: Mapping[str, Any], exchange: Exchange) -> None:
        self._tensors("parameters", request, exchange)

    def _buffers(self, request: Mapping[str, Any], exchange: Exchange) -> None:
        module = self._objects[request["number"]]
        self._lines.append(
            f"print({module + ' has the buffers'!r}, dict({module}.named_buffers()))"
        )

    def _tensors(self, what: str, request: Mapping[str, Any], exchange: Exchange) -> None:
        module, found = self._objects[request["number"]], self._name(what)
        self._lines.append(f"{found} = dict({module}.named_{what}())")
        self._hold(found, f"{what} of {module}", exchange.reply.item("value"), exchange.varies)

    def _loose_tensors(self, request: Mapping[str, Any], exchange: Exchange) -> None:
        module = self._objects[request["number"]]
        self._lines.append(f"print({module!r}, 'holds', sorted(vars({module})))")

    def _seen(self, request: Mapping[str, Any], exchange: Exchange) -> None:
        variable = self._name("seen")
        self._lines.append(f"{variable} = list({self._value(request['built'], 'built')}.seen)")
        self._results[exchange.reply.native["number"]] = variable
        self._hold_answer(variable, variable, exchange)

    def _differentiate(self, request: Mapping[str, Any], exchange: Exchange) -> None:
        if self._kind in _OF_VALUES or "raised" in exchange.reply.native:
            return
        outputs = [self._value(output, "answer") for output in request["outputs"]]
        weights = [self._value(tensor, "cotangent") for tensor in request["cotangents"]]
        leaves = [self._value(leaf, "x") for leaf in request["wrt"]]
        reply = exchange.reply
        named = {name: self._parameter(name) for name in reply.native["parameters"]}
        sources = {name: name for name in leaves} | {text: text for text in named.values()}
        if not sources or not any(reply.native["attached"]):
            return
        self.used |= {"gradients", "check"}
        pairs = list(zip(outputs, weights, strict=True))
        for output, _ in pairs:
            self._lines.append(f'assert {output}.requires_grad, "{output} has left the graph"')
        total = " + ".join(f"({output} * {weight}).sum()" for output, weight in pairs)
        found = self._name("found")
        listed = ", ".join(f"{name!r}: {text}" for name, text in sources.items())
        self._lines += [f"{found} = gradients({total}, {{{listed}}})"]
        readings = [reply.item("leaves").item(n) for n in range(len(leaves))]
        readings += [reply.item("parameters").item(name) for name in named]
        for name, wanted in zip([*leaves, *named.values()], readings, strict=True):
            if isinstance(wanted.native, torch.Tensor):
                what = f"the gradient for {name}"
                self._hold(f"{found}[{name!r}]", what, wanted, exchange.varies)

    # Answers --------------------------------------------------------------------------------------

    def _hold_answer(self, variable: str, call: str, exchange: Exchange) -> None:
        """Against the reference's: all of it, or the parts that the comparison looked at."""
        if not self._is_last:
            return
        judged, number = self._transcript.judged, exchange.reply.native["number"]
        value = exchange.reply.item("value")
        paths = (
            [()] if judged is None else sorted(one.path for one in judged if one.number == number)
        )
        if len(paths) == _count(value.native):
            paths = [()]
        for path in paths:
            expression, part = variable, value
            for key in path:
                expression, part = f"{expression}[{key!r}]", part.item(key)
            self._hold(expression, f"{call}{expression[len(variable) :]}", part, exchange.varies)

    def _hold(self, expression: str, what: str, wanted: Readings[Any], varies: bool) -> None:
        native = wanted.native
        if isinstance(native, (list, tuple)):
            count = f"len({expression}) == {len(native)}"
            self._lines.append(f"assert isinstance({expression}, (list, tuple)) and {count}")
            for index in range(len(native)):
                part = wanted.item(index)
                self._hold(f"{expression}[{index}]", f"{what}[{index}]", part, varies)
        elif isinstance(native, dict):
            self._lines.append(f"assert list({expression}) == {list(native)!r}, {what!r}")
            for key in native:
                part = wanted.item(key)
                self._hold(f"{expression}[{key!r}]", f"{what}[{key!r}]", part, varies)
        elif isinstance(native, (torch.Tensor, np.ndarray)):
            self._hold_tensor(expression, what, wanted, varies)
        elif not varies and not isinstance(native, Object):
            self._hold_plain(expression, what, wanted)

    def _hold_tensor(self, expression: str, what: str, wanted: Readings[Any], varies: bool) -> None:
        native, array = wanted.native, isinstance(wanted.native, np.ndarray)
        dtype = f'"{native.dtype}"' if array else str(native.dtype)
        if varies or (not array and native.is_meta):
            self.used.add("form")
            self._lines.append(f"form({what!r}, {expression}, {tuple(native.shape)}, {dtype})")
            return
        tensors = wanted.mapped(lambda v: torch.from_numpy(np.array(v)) if array else v.detach())
        within, right = _EXACT, tensors.native
        if tensors.native.is_floating_point():
            within, right = tolerance(tensors), tensors.exact.double()
        self._check(what, expression, literal(right), dtype, within)

    def _hold_plain(self, expression: str, what: str, wanted: Readings[Any]) -> None:
        within, right = _EXACT, wanted.native
        if isinstance(right, float):
            numbers = wanted.mapped(lambda v: torch.tensor(v, dtype=torch.float64))
            within, right = tolerance(numbers), wanted.exact
        self._check(what, expression, literal(right), "None", within)

    def _check(
        self, what: str, expression: str, right: str, dtype: str, within: tuple[float, float]
    ) -> None:
        self.used.add("check")
        self.tolerances.append((what, within[0], within[1]))
        room = "" if not any(within) else f", ({within[0]:.3g}, {within[1]:.3g})"
        self._lines.append(f"check({what!r}, {expression},\n{right}, {dtype}{room})")

    def _inputs_are_unchanged(self) -> None:
        for name in self._leaves.values():
            what = f"{name} was changed in place"
            self._lines.append(f"assert torch.equal({name}, {name}_before), {what!r}")

    # Values ---------------------------------------------------------------------------------------

    def _value(self, value: Any, hint: str) -> str:
        """The value as an expression; what it needs is written before."""
        match value:
            case Leaf():
                return self._leaf(value, hint)
            case Result():
                return self._results[value.number] + "".join(f"[{key!r}]" for key in value.path)
            case Object():
                return self._objects[value.number]
            case Generator():
                made = f"torch.Generator({value.device!r}).manual_seed({value.seed})"
                return self._known(self._leaves, -1 - value.number, "generator", lambda: made)
            case Built():
                return self._known(self._built, value.number, "built", lambda: self._made(value))
            case list() | tuple():
                inner = ", ".join(self._value(item, hint) for item in value)
                comma = "," if len(value) == 1 else ""
                return f"[{inner}]" if isinstance(value, list) else f"({inner}{comma})"
            case dict():
                pairs = (f"{key!r}: {self._value(item, str(key))}" for key, item in value.items())
                return f"{{{', '.join(pairs)}}}"
            case torch.Tensor() | np.ndarray():
                variable = self._name(hint)
                self._lines.append(f"{variable} = {literal(value)}")
                return variable
        return literal(value)

    def _leaf(self, leaf: Leaf, hint: str) -> str:
        grad = ".requires_grad_()" if leaf.requires_grad else ""
        known = leaf.number in self._leaves
        name = self._known(self._leaves, leaf.number, hint, lambda: f"{literal(leaf.value)}{grad}")
        if not known and self._kind == "input_changed" and not isinstance(leaf.value, np.ndarray):
            self._lines.append(f"{name}_before = {name}.detach().clone()")
        return name

    def _made(self, built: Built) -> str:
        self.used.add("Recorder")
        args = ", ".join(map(literal, built.args))
        weights = self._value(dict(built.weights), "weights")
        return f"Recorder(torch.nn.{built.type_name}({args}), {weights}).to({built.device!r})"

    def _known(self, known: dict[int, str], number: int, hint: str, made: Callable[[], str]) -> str:
        if number not in known:
            text = made()
            known[number] = self._name(hint)
            self._lines.append(f"{known[number]} = {text}")
        return known[number]

    def _parameter(self, name: str) -> str:
        number, _, key = name.partition(".")
        owner = self._objects.get(int(number)) or self._built[int(number)]
        return f"dict({owner}.named_parameters())[{key!r}]"

    def _name(self, hint: str) -> str:
        """A name that is not taken yet."""
        bare = re.sub(r"\W", "_", hint).strip("_") or "x"
        bare = f"{bare}_" if keyword.iskeyword(bare) or bare[0].isdigit() else bare
        names = itertools.chain([bare], (f"{bare}_{n}" for n in itertools.count(2)))
        free = next(name for name in names if name not in self._taken)
        self._taken.add(free)
        return free

    def _forget(self, what: str) -> None:
        """As an engine does: see ``Store.forget``."""
        if what:
            self._leaves = {}
        if what in ("inputs", "given", "all"):
            self._results = {}
        if what in ("given", "all"):
            self._built = {}
        if what == "all":
            self._objects = {}


def _within(request: Mapping[str, Any], statement: str) -> list[str]:
    """The statement on the device and under the autocast that the request names."""
    around = [f'with torch.device("{request["device"]}"):'] if request.get("device") else []
    if request.get("autocast"):
        device, dtype = request["autocast"]
        around.append(f"with torch.autocast({device!r}, {dtype}):")
    lines = [*around, statement]
    return ["    " * depth + line for depth, line in enumerate(lines)]


def _parameters(function: Any) -> tuple[str, ...]:
    """What the page calls the arguments of a function or class, in order."""
    try:
        return tuple(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return ()


def _count(value: Any) -> int:
    """How many tensors a value holds."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return sum(map(_count, value))
    return int(isinstance(value, torch.Tensor))


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
