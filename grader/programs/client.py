"""Performs calls on one implementation and remembers what went in and came out.

Tensors are leaves by identity: one passed twice is one leaf, and one that came out of an earlier
call is handed back as that very result, so gradients flow through a chain of calls.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import torch

from grader.errors import ProtocolViolation, SubmissionRaised, ValueMissing, WorkerFailure
from grader.model import Cause, Fact
from grader.programs.draw import SeededGenerator
from grader.programs.failure import CheckFailed, Evidence, too_much
from grader.programs.givers import Givers, Path
from grader.programs.gradients import Gradients, read_gradients
from grader.programs.kinds import PLACE, call_of, kinds_in, labels_of
from grader.programs.proxy import (
    Implementation,
    ModuleProxy,
    TorchModule,
    object_of,
    performer_of,
)
from grader.programs.under_test import UnderTest
from grader.programs.work import Work, reported_work
from grader.sandbox.elsewhere import reads_a_value
from grader.sandbox.own_text import raised_from
from grader.sandbox.protocol import (
    EXCEPTION,
    KEY,
    Asked,
    Built,
    Generator,
    Leaf,
    Object,
    Refused,
    Result,
)

Perform = Callable[[dict[str, Any]], dict[str, Any]]


class Client:
    """Calls one implementation; modules are put on ``device``, and generators are made there."""

    def __init__(
        self, perform: Perform, module: str, names: Sequence[str], device: str = "cpu"
    ) -> None:
        self._perform = perform
        self.module = module
        self.names = names
        self.device = device
        self.calls: list[dict[str, Fact]] = []
        self._numbers: dict[int, Leaf | Generator | Built | Asked] = {}
        self._labels: dict[int, str] = {}
        self._origins: dict[int, Result] = {}
        self._givers = Givers()
        self._owners: dict[int, str] = {}
        self.handed_on: set[str] = set()  # the classes whose objects were arguments
        self._kept: list[Any] = []
        self._changed: set[int] = set()
        self._containers: set[str] = set()  # the names of arguments
        self._wrt: set[int] = set()
        self._used, self._fresh = False, ""
        self._on_meta = False  # something of the probe at hand is there
        self.work: Work | None = None
        self.autocast: torch.dtype | None = None
        self.text_of: Callable[[str], str] = lambda name: ""  # as it was handed in
        self.idle = False  # calls only bring inputs there and an earlier answer back
        self.elsewhere = False  # inputs and modules go to the meta device, as if it were a GPU

    def kinds_of_calls(self) -> frozenset[Any]:
        """What was called, and with which kinds of arguments: see ``kinds_in``."""
        return frozenset[Any]().union(*map(kinds_in, self.calls))

    def begin(self, wrt: Sequence[torch.Tensor] = (), *, forget: str = "all") -> None:
        """Start over: earlier inputs and results are forgotten, and modules handed in (``given``),
        and objects too (``all``), unless only the ``inputs`` and results are to be.
        """
        self._fresh = ("leaves" if self.idle else forget) if self._used else ""
        self.calls.clear()
        for memory in (self._numbers, self._labels, self._origins):
            memory.clear()
        self._givers.clear()
        if forget == "all":
            self._owners.clear()
        self._kept.clear()
        self._changed.clear()
        self._containers.clear()
        self._on_meta = False
        self._wrt = {id(tensor) for tensor in wrt}

    def call(
        self, name: str, args: Sequence[Any], kwargs: Mapping[str, Any], device: str = ""
    ) -> Any:
        """Call the function or class ``name`` of the module; its tensors are made on ``device``."""
        if name not in self.names:
            raise CheckFailed(
                Cause("undefined", {"module": self.module, "name": name}),
                Evidence("undefined", 0, name),
            )
        self.calls.append(call_of(name, args, kwargs))
        request = {"op": "call", "name": name, "device": device}
        self._on_meta |= self.elsewhere or device == "meta"
        if self.elsewhere:
            request["moved_to"] = "meta"
        elif self.device != "cpu" and not device:
            request["moved_to"] = self.device
        return self._called(request, args, kwargs)

    def call_object(
        self, number: int, name: str, args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> Any:
        """Call the method ``name`` of an object made earlier."""
        method = "" if name == "__call__" else f".{name}"
        self.calls.append(call_of(method, args, kwargs, self._owners.get(number, "")))
        return self._called({"op": "call_object", "number": number, "name": name}, args, kwargs)

    def ask(self, op: str, **request: Any) -> Any:
        """One of the engine's questions about an object."""
        packed = {key: self._pack(value, key) for key, value in request.items()}
        return self._request({"op": op} | packed).get("value")

    def gradients(
        self,
        outputs: Sequence[torch.Tensor],
        cotangents: Sequence[torch.Tensor],
        wrt: Sequence[torch.Tensor],
        *,
        of_parameters: bool = True,
    ) -> Gradients:
        """Backward from ``outputs``, weighted by ``cotangents``, to ``wrt`` and all parameters.

        Raises ``CheckFailed`` (``in_parts``) if one of them came out of no call: the graph is over
        there.
        """
        if not all(map(self.gave, outputs)):
            raise CheckFailed(Cause("in_parts"), Evidence("in_parts", 0, None))
        reply = self._request(
            {
                "op": "differentiate",
                "outputs": [self._origins[id(output)] for output in outputs],
                "cotangents": list(cotangents),
                "wrt": [self._pack(tensor, "input") for tensor in wrt],
                "of_parameters": of_parameters,
            }
        )
        return read_gradients(reply, len(outputs), len(wrt))

    def copy(self, number: int) -> Any:
        """A deep copy of an object made earlier."""
        copy = self._value_of(self._request({"op": "deepcopy", "number": number}))
        if isinstance(copy, ModuleProxy):
            self._owners[object_of(copy).number] = self._owners.get(number, "")
        return copy

    def gave(self, value: Any) -> bool:
        """Whether this very value came out of a call since the last beginning."""
        return id(value) in self._origins

    def origin(self, value: Any) -> Result | None:
        """Of which call's result this very value is a part, if it is of any."""
        return self._origins.get(id(value))

    def call_that_gave(self, value: Any) -> dict[str, Fact] | None:
        """The call that returned this very value; for another one, the last call."""
        return self.call_that_gave_part(value, ())[0]

    def call_that_gave_part(self, whole: Any, at: Path) -> tuple[dict[str, Fact] | None, Path]:
        """The same of what stands ``at`` a place in a whole, and where that is in the call's own
        result.
        """
        return self._givers.of(whole, at) or (self.calls[-1] if self.calls else None, at)

    def largest_given(self) -> float:
        """The largest finite magnitude in the tensors that calls were given; 0 without any."""
        given = (value for value in self._kept if isinstance(self._numbers.get(id(value)), Leaf))
        tensors = (torch.as_tensor(value) for value in given)
        floats = (t for t in tensors if t.is_floating_point() and t.device.type != "meta")
        finite = (t[t.isfinite()] for t in floats)
        return max((float(t.abs().max()) for t in finite if t.numel()), default=0.0)

    def changed_inputs(self) -> list[str]:
        """The names of the inputs that some call has changed."""
        tensors = {self._labels[n] for n in self._changed if n in self._labels}
        return sorted(tensors | self._containers)

    def _called(
        self, request: dict[str, Any], args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> Any:
        if self.idle:
            request = {"op": "carry", "answer": Result(len(self.calls) - 1)}
        request["args"] = [self._pack(a, PLACE.format(i)) for i, a in enumerate(args, start=1)]
        request["kwargs"] = {key: self._pack(value, key) for key, value in kwargs.items()}
        if self.work is not None:
            request["counted"] = True
        if self.autocast is not None and not self.idle:
            request["autocast"] = self.device, self.autocast
        reply = self._request(request)
        if self.work is not None:
            self.work = self.work + reported_work(reply)
        changed = reply.get("changed")
        if type(changed) is not list or any(type(number) is not int for number in changed):
            raise ProtocolViolation("the worker did not say which inputs changed")
        self._changed.update(changed)
        self._containers |= labels_of(reply.get("containers", []), len(args), kwargs)
        if reply.get("seeds") is True:
            call = self.calls[-1]
            where = [call["of"], call["name"]]
            raise CheckFailed(Cause("seeds", {"call": call}), Evidence("seeds", 0, where))
        return self._value_of(reply)

    def _value_of(self, reply: dict[str, Any]) -> Any:
        if type(reply.get("number")) is not int or "value" not in reply:
            raise ProtocolViolation("the worker's reply holds no value")
        return self._register(reply["value"], Result(reply["number"]))

    def _request(self, request: dict[str, Any]) -> dict[str, Any]:
        if self._fresh:
            request["fresh"], self._fresh = self._fresh, ""
        self._used = True
        try:
            reply = self._perform(request)
        except WorkerFailure as failure:
            failure.calls = tuple(self.calls)
            raise
        if "raised" in reply:
            raised = raised_from(reply["raised"])
            if self._on_meta and reads_a_value(raised.message):
                raise ValueMissing(raised, self.calls)
            raise SubmissionRaised(raised, self.calls)
        if "too_large" in reply:
            raise too_much(self.calls[-1] if self.calls else None)
        return reply

    def _pack(self, value: Any, label: str) -> Any:
        if isinstance(value, (torch.Tensor, np.ndarray)):
            return self._origins.get(id(value)) or self._leaf(value, label)
        if isinstance(value, SeededGenerator):
            self._kept.append(value)
            generator = Generator(len(self._numbers), value.seed, self.device)
            return self._numbers.setdefault(id(value), generator)
        if isinstance(value, TorchModule):
            return self._built(value)
        if isinstance(value, UnderTest):
            self._kept.append(value)
            asked = Asked(len(self._numbers), value.answer)
            return self._numbers.setdefault(id(value), asked)
        if isinstance(value, ModuleProxy):
            self.handed_on.add(self._owners.get(object_of(value).number, ""))
            return object_of(value)
        if isinstance(value, (list, tuple)):
            return type(value)(self._pack(item, label) for item in value)
        if isinstance(value, dict):
            return {key: self._pack(item, label) for key, item in value.items()}
        self._on_meta |= value in ("meta", torch.device("meta"))
        return value

    def seen(self, module: TorchModule) -> Any:
        """The inputs that a module handed in has been called with."""
        reply = self._request({"op": "seen", "built": self._built(module)})
        return self._value_of(reply)

    def _built(self, module: TorchModule) -> Built:
        known = self._numbers.get(id(module))
        if isinstance(known, Built):
            return known
        self._kept.append(module)
        weights, number = tuple(module.weights.items()), len(self._numbers)
        built = Built(number, module.type_name, module.args, weights, self.device)
        self._numbers[id(module)] = built
        return built

    def _leaf(self, value: Any, label: str) -> Leaf:
        known = self._numbers.get(id(value))
        if isinstance(known, Leaf):
            return known
        number = len(self._numbers)
        self._kept.append(value)
        self._labels[number] = label
        self._numbers[id(value)] = Leaf(number)
        wants = id(value) in self._wrt or getattr(value, "requires_grad", False)
        sent = value.detach() if isinstance(value, torch.Tensor) else value
        if self.elsewhere and isinstance(sent, torch.Tensor):
            sent = sent.to("meta")
        self._on_meta |= isinstance(sent, torch.Tensor) and sent.device.type == "meta"
        return Leaf(number, sent, wants)

    def _register(self, value: Any, origin: Result, at: Path = ()) -> Any:
        if isinstance(value, Refused):
            kind = _kind_of_refused(value.type_name)
            raise CheckFailed(
                Cause(kind, {"call": self.calls[-1], "refused": value.type_name}),
                Evidence("refused", len(self.calls), value.type_name),
            )
        if isinstance(value, Object):
            owner = str(self.calls[-1]["of"]) if self.calls else ""
            self._owners.setdefault(value.number, owner)
            return self._given(ModuleProxy(self, value.number, value.type_name), at)
        if isinstance(value, (torch.Tensor, np.ndarray)):
            self._origins[id(value)] = origin
        elif isinstance(value, (list, tuple)):
            parts = [
                self._register(item, Result(origin.number, (*origin.path, n)), (*at, ("item", n)))
                for n, item in enumerate(value)
            ]
            value = type(value)(parts)
        elif isinstance(value, dict):
            value = {
                key: self._register(
                    item, Result(origin.number, (*origin.path, key)), (*at, ("key", repr(key)))
                )
                for key, item in value.items()
            }
        return self._given(value, at)

    def _given(self, value: Any, at: Path) -> Any:
        """The value, kept, so that no other gets its id; and who gave it, and where."""
        self._kept.append(value)
        if self.calls:
            self._givers.note(value, self.calls[-1], at)
        return value


def client_of(proxy: Implementation | ModuleProxy) -> Client:
    """The client behind a proxy, for questions that are no calls."""
    client = performer_of(proxy)
    assert isinstance(client, Client)
    return client


def _kind_of_refused(name: str) -> str:
    if name.startswith(EXCEPTION):
        return "exception"
    return "refused_key" if name.startswith(KEY) else "refused"
