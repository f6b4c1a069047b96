"""What a check sees of a module, wherever it runs: in this process or in a worker.

A check calls ``impl.softmax(x)`` and need not know where it runs. ``impl`` stands for the
reference, a misconception or a submission; only who performs the requests differs. Every public
name of a proxy belongs to the program behind it, so what is not a call is asked from outside, with
the functions below and those in ``observe``.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import torch
from torch import nn

from grader.errors import ProtocolViolation
from grader.model import Cause, Fact
from grader.programs.failure import CheckFailed, Evidence
from grader.sandbox.protocol import Object, printable

_MOST_COMPLAINTS, _MOST_PARAMETERS = 12, 200

# What a check asks of tensors only. A module that came instead must not answer for one: it is the
# submission's, and may say yes to `equal` whatever it is compared with.
_OF_TENSORS = frozenset(n for n in dir(torch.Tensor) if n[:1] != "_") - frozenset(dir(nn.Module))


class Performer(Protocol):
    """Performs what a proxy is asked; there is one, ``client.Client``."""

    def call(
        self, name: str, args: Sequence[Any], kwargs: Mapping[str, Any], device: str = ""
    ) -> Any: ...

    def call_object(
        self, number: int, name: str, args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> Any: ...

    def ask(self, op: str, **request: Any) -> Any: ...

    def copy(self, number: int) -> Any: ...

    def call_that_gave(self, value: Any) -> dict[str, Fact] | None: ...


class Implementation:
    """The module as a check sees it: ``impl.name(...)`` calls ``name`` wherever it lives."""

    def __init__(self, client: Performer, device: str = "") -> None:
        self._client, self._device = client, device

    def __getattr__(self, name: str) -> Callable[..., Any]:
        client, device = self._client, self._device
        return lambda *args, **kwargs: client.call(name, args, kwargs, device)


class ModuleProxy:
    """A module made by an implementation: call it, or call its methods."""

    def __init__(self, client: Performer, number: int, type_name: str) -> None:
        self._client, self._number, self._type_name = client, number, type_name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._client.call_object(self._number, "__call__", args, kwargs)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name in _OF_TENSORS:
            raise self._no_tensor()
        client, number = self._client, self._number
        return lambda *args, **kwargs: client.call_object(number, name, args, kwargs)

    def parameters(self) -> dict[str, torch.Tensor]:
        """The module's parameters by name."""
        return self._tensors("parameters")

    def buffers(self) -> dict[str, torch.Tensor]:
        """The module's buffers by name."""
        return self._tensors("buffers")

    def loose_tensors(self) -> list[str]:
        """Attributes holding a tensor that is neither parameter nor buffer."""
        names = self._client.ask("loose_tensors", number=self._number)
        return [name for name in names if type(name) is str]

    def hooks(self) -> list[str]:
        """The parts on which hooks stand, by name: one for each hook."""
        names = self._client.ask("hooks", number=self._number)
        return [name for name in names if type(name) is str]

    def load(self, weights: Mapping[str, torch.Tensor]) -> None:
        """Set all parameters; a name or shape that does not fit fails the check in words."""
        found = self._client.ask("load", number=self._number, weights=dict(weights))
        wanted = {name: tuple(tensor.shape) for name, tensor in weights.items()}
        complaints = _complaints(found, wanted)
        if any(complaint["what"] == "missing" for complaint in complaints):
            complaints = _with_plain(complaints, self.loose_tensors())
        if complaints:
            wrong = {complaint["name"] for complaint in complaints}
            got = _shapes(self.parameters())
            made = self._client.call_that_gave(self) or {}
            facts: dict[str, Fact] = {
                "type_name": self._type_name,
                "call": made or None,
                "made_with": made.get("kwargs") or {},
                "complaints": _once(complaints, found["again"]),
                "wanted_parameters": {k: shape for k, shape in wanted.items() if k in wrong},
                "got_parameters": {k: shape for k, shape in got.items() if k in wrong},
            }
            seen = [complaints, sorted(self.loose_tensors())]  # a Parameter forgotten, or all of it
            raise CheckFailed(Cause("parameters", facts), Evidence("parameters", 0, seen))

    def deepcopy(self) -> ModuleProxy:
        """A deep copy of the module, made where the module is."""
        copy: ModuleProxy = self._client.copy(self._number)
        return copy

    def _no_tensor(self) -> CheckFailed:
        got = ("plain", self._type_name)
        call = self._client.call_that_gave(self)
        facts = {"call": call, "at": (), "wanted_kind": ("tensor",), "got_kind": got}
        return CheckFailed(Cause("kind", facts), Evidence("kind", 0, self._type_name))

    def _tensors(self, op: str) -> dict[str, torch.Tensor]:
        found = self._client.ask(op, number=self._number)
        named = found.items() if isinstance(found, dict) else [("", found)]
        if not all(isinstance(tensor, torch.Tensor) for _, tensor in named):
            raise ProtocolViolation(f"the worker's {op} are not tensors by name")
        tensors: dict[str, torch.Tensor] = found
        return tensors


@dataclass(frozen=True, eq=False)
class TorchModule:
    """A module of ``torch.nn`` that a check hands in; see ``observe.torch_module``."""

    type_name: str
    args: tuple[Any, ...]
    weights: Mapping[str, torch.Tensor]


def performer_of(proxy: Implementation | ModuleProxy) -> Performer:
    """Who performs what the proxy is asked."""
    return proxy._client


def object_of(proxy: ModuleProxy) -> Object:
    """The module behind the proxy, as both sides speak of it."""
    return Object(proxy._number, proxy._type_name)


def _shapes(parameters: Mapping[str, torch.Tensor]) -> dict[str, Fact]:
    """Of the first parameters: an untrusted worker may say that there are thousands."""
    first = itertools.islice(parameters.items(), _MOST_PARAMETERS)
    return {printable(str(name), 100): tuple(tensor.shape) for name, tensor in first}


def _complaints(found: Any, wanted: Mapping[str, tuple[int, ...]]) -> tuple[dict[str, Fact], ...]:
    """What is wrong with a module's parameters, as an untrusted worker says.

    A ``turned`` one has the shape that is ``wanted``, the other way round. Where there are many,
    something of each kind is told: one that is missing beside one too many may have another name.
    """
    kinds = {"missing": list, "again": list, "unexpected": list, "shapes": dict}
    if type(found) is not dict or any(type(found.get(k)) is not t for k, t in kinds.items()):
        raise ProtocolViolation("the worker did not say how loading went")
    missing = [("missing", name, ()) for name in found["unexpected"]]
    extra = [("extra", name, ()) for name in found["missing"]]
    others = [
        ("turned" if tuple(shape)[::-1] == wanted.get(name) else "shape", name, tuple(shape))
        for name, shape in found["shapes"].items()
    ]
    kinds_there = [kind for kind in (missing, extra, others) if kind]
    return tuple(
        {"what": what, "name": printable(str(name), 100), "shape": shape}
        for kind in kinds_there
        for what, name, shape in kind[: _MOST_COMPLAINTS // len(kinds_there)]
    )


def _once(
    complaints: tuple[dict[str, Fact], ...], again: Sequence[str]
) -> tuple[dict[str, Fact], ...]:
    """Of a parameter too many that has two names, the first, with the other."""
    told = tuple(c for c in complaints if c["what"] != "extra" or c["name"] not in again)
    extra = [c["name"] for c in told if c["what"] == "extra"]
    if len(extra) == 1 and again:
        other = printable(str(again[0]), 100)
        told = tuple(c | {"other": other} if c["what"] == "extra" else c for c in told)
    return told or complaints


def _with_plain(
    complaints: tuple[dict[str, Fact], ...], loose: Sequence[str]
) -> tuple[dict[str, Fact], ...]:
    """Of a missing parameter that is there as a ``plain`` tensor, that is said."""
    return tuple(
        c | {"what": "plain"} if c["what"] == "missing" and c["name"] in loose else c
        for c in complaints
    )
