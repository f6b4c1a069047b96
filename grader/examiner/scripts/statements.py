"""Requests of a transcript -> statements of a script."""

from __future__ import annotations

import inspect
import itertools
import re
from collections.abc import Mapping, Sequence
from typing import Any

import torch

from grader.examiner.check_run import CheckCase
from grader.examiner.scripts.assertions import Assertions
from grader.examiner.scripts.expressions import Expressions
from grader.examiner.scripts.transcript import Exchange, Transcript
from grader.model import Outcome, Verdict
from grader.sandbox.protocol import Object

_OF_VALUES = ("kind", "shape", "dtype", "device", "numbers", "nan", "value", "input_changed")


class Statements:
    """All of them; ``called`` are the names of the submission's that are used."""

    def __init__(self, case: CheckCase, verdict: Verdict, transcript: Transcript) -> None:
        self._case, self._verdict, self._transcript = case, verdict, transcript
        self._kind = verdict.cause.kind if verdict.cause else ""
        keep = self._kind == "input_changed"
        self.out = Expressions(case.suite.reference, keep_inputs=keep)
        self.held = Assertions(self.out, transcript.judged)
        self.called: set[str] = set()
        self._plain: set[int] = set()  # objects that are no modules, such as optimizers
        self._is_last = False

    def written(self) -> str:
        """The text; of a comparison that is repeated only the last answer is held."""
        exchanges, lines = self._transcript.exchanges, self.out.lines
        begins = [n for n, one in enumerate(exchanges) if one.request.get("fresh")]
        last = max(begins, default=0) if self._transcript.of_one_comparison else 0
        if self._verdict.outcome is Outcome.TIMEOUT:
            seconds = self._case.collected.seconds
            lines.append(f"faulthandler.dump_traceback_later({seconds:g}, exit=True)")
        for number, exchange in enumerate(exchanges):
            self._is_last = number >= last
            self.out.forget(exchange.request.get("fresh", ""))
            getattr(self, f"_{exchange.request['op']}")(exchange.request, exchange)
        self.out.hold_inputs()
        if self._kind == "seeds":
            lines.append(
                f"assert torch.initial_seed() == {self._transcript.seed}, 'it seeds torch'"
            )
        return "\n".join(lines)

    def _call(self, request: Mapping[str, Any], exchange: Exchange) -> None:
        name = request["name"]
        self.called.add(name)
        callee = self._case.suite.reference.get(name)
        moves = request.get("moved_to") and _makes_modules(callee)
        moved = f".to({request['moved_to']!r})" if moves else ""
        names = _parameters(callee)
        self._asked(name, names, request, exchange, moved)

    def _call_object(self, request: Mapping[str, Any], exchange: Exchange) -> None:
        owner, name = self.out.objects[request["number"]], request["name"]
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
        args = [
            self.out.value(arg, name) for arg, name in zip(request["args"], given, strict=False)
        ]
        args += [f"{k}={self.out.value(v, k)}" for k, v in request["kwargs"].items()]
        call, native = f"{callee}({', '.join(args)})", exchange.reply.native
        if "raised" in native:
            self.out.used.add("refused")
            self.out.lines.append(f"refused({call!r}, lambda: {call})")
            return
        made = native["value"] if isinstance(native["value"], Object) else None
        variable = self.out.name(_snake(made.type_name) if made else "answer")
        moved = moved if made and self._is_module(made) else ""
        self.out.lines += _within(request, f"{variable} = {call}{moved}")
        self.out.results[native["number"]] = variable
        if made:
            self.out.objects[made.number] = variable
            self._plain |= set() if self._is_module(made) else {made.number}
        else:
            self._hold(variable, call, exchange)

    def _is_module(self, made: Object) -> bool:
        kind = self._case.suite.reference.get(made.type_name)
        return not isinstance(kind, type) or issubclass(kind, torch.nn.Module)

    def _load(self, request: Mapping[str, Any], exchange: Exchange) -> None:
        self.out.used.add("load")
        weights = {key: self.out.value(value, key) for key, value in request["weights"].items()}
        named = ", ".join(f"{key!r}: {value}" for key, value in weights.items())
        self.out.lines.append(f"load({self.out.objects[request['number']]}, {{{named}}})")

    def _make_ready(self, request: Mapping[str, Any], exchange: Exchange) -> None:
        module = self.out.objects[request["number"]]
        if request["source"] is not None:
            source = self.out.objects[request["source"]]
            self.out.lines.append(f"{module}.load_state_dict({source}.state_dict())")
        if request["number"] in self._plain:
            return
        if request["evaluates"]:
            self.out.lines.append(f"{module}.eval()")
        if request["dtype"] is not None:
            self.out.lines.append(f"{module}.to({request['dtype']})")

    def _deepcopy(self, request: Mapping[str, Any], exchange: Exchange) -> None:
        native = exchange.reply.native
        variable = self.out.name("copied")
        self.out.lines.append(f"{variable} = copy.deepcopy({self.out.objects[request['number']]})")
        self.out.results[native["number"]] = self.out.objects[native["value"].number] = variable

    def _parameters(self, request: Mapping[str, Any], exchange: Exchange) -> None:
        self._tensors("parameters", request, exchange)

    def _buffers(self, request: Mapping[str, Any], exchange: Exchange) -> None:
        module = self.out.objects[request["number"]]
        self.out.lines.append(
            f"print({module + ' has the buffers'!r}, dict({module}.named_buffers()))"
        )

    def _tensors(self, what: str, request: Mapping[str, Any], exchange: Exchange) -> None:
        module, found = self.out.objects[request["number"]], self.out.name(what)
        self.out.lines.append(f"{found} = dict({module}.named_{what}())")
        self.held.hold(found, f"{what} of {module}", exchange.reply.item("value"), exchange.varies)

    def _loose_tensors(self, request: Mapping[str, Any], exchange: Exchange) -> None:
        module = self.out.objects[request["number"]]
        self.out.lines.append(f"print({module!r}, 'holds', sorted(vars({module})))")

    def _hooks(self, request: Mapping[str, Any], exchange: Exchange) -> None:
        module = self.out.objects[request["number"]]
        self.out.lines.append(
            f"print([name for name, part in {module}.named_modules() if part._forward_hooks])"
        )

    def _seen(self, request: Mapping[str, Any], exchange: Exchange) -> None:
        variable = self.out.name("seen")
        self.out.lines.append(
            f"{variable} = list({self.out.value(request['built'], 'built')}.seen)"
        )
        self.out.results[exchange.reply.native["number"]] = variable
        self._hold(variable, variable, exchange)

    def _differentiate(self, request: Mapping[str, Any], exchange: Exchange) -> None:
        if self._kind in _OF_VALUES or "raised" in exchange.reply.native:
            return
        outputs = [self.out.value(output, "answer") for output in request["outputs"]]
        weights = [self.out.value(tensor, "cotangent") for tensor in request["cotangents"]]
        leaves = [self.out.value(leaf, "x") for leaf in request["wrt"]]
        reply = exchange.reply
        named = {name: self.out.parameter(name) for name in reply.native["parameters"]}
        sources = {name: name for name in leaves} | {text: text for text in named.values()}
        if not sources or not any(reply.native["attached"]):
            return
        self.out.used |= {"gradients", "check"}
        pairs = list(zip(outputs, weights, strict=True))
        for output, _ in pairs:
            self.out.lines.append(f'assert {output}.requires_grad, "{output} has left the graph"')
        total = " + ".join(f"({output} * {weight}).sum()" for output, weight in pairs)
        found = self.out.name("found")
        listed = ", ".join(f"{name!r}: {text}" for name, text in sources.items())
        self.out.lines += [f"{found} = gradients({total}, {{{listed}}})"]
        readings = [reply.item("leaves").item(n) for n in range(len(leaves))]
        readings += [reply.item("parameters").item(name) for name in named]
        for name, wanted in zip([*leaves, *named.values()], readings, strict=True):
            if isinstance(wanted.native, torch.Tensor):
                what = f"the gradient for {name}"
                self.held.hold(f"{found}[{name!r}]", what, wanted, exchange.varies)

    def _hold(self, variable: str, call: str, exchange: Exchange) -> None:
        if self._is_last:
            self.held.hold_answer(variable, call, exchange)


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


def _makes_modules(function: Any) -> bool:
    """Whether what a call of it gives can be moved to a device: an optimizer's class makes none."""
    return not isinstance(function, type) or issubclass(function, torch.nn.Module)


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
