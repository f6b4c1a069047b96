"""What an engine holds: inputs, results and objects; how requests speak of them, and what of them
can leave.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch

from grader.sandbox.asked import Ask, OpaqueFunction
from grader.sandbox.describe import Values
from grader.sandbox.inputs import copied, received, same
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
    may_be_key,
)

_PLAIN = (bool, int, float, str, bytes, type(None), torch.dtype, torch.device)


class Recorder(torch.nn.Module):
    """A module handed to the submission; it keeps its inputs to tell how it was used."""

    def __init__(self, inner: torch.nn.Module) -> None:
        super().__init__()
        self.inner = inner
        self.seen: list[torch.Tensor] = []

    def forward(self, *inputs: torch.Tensor) -> torch.Tensor:
        self.seen += inputs
        output: torch.Tensor = self.inner(*inputs)
        return output


def outline(value: Any) -> Any:
    """Which things nested containers hold, for ``is_outlined``; of anything else nothing."""
    if isinstance(value, dict):
        return {key: (item, outline(item)) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [(item, outline(item)) for item in value]
    return None


def is_outlined(value: Any, before: Any) -> bool:
    """Whether the containers still hold the very things they did: a change of one of these does not
    count here.
    """
    if isinstance(value, dict):
        same = value.keys() == before.keys()
        return same and all(_is_as_before(item, before[key]) for key, item in value.items())
    if isinstance(value, (list, tuple)):
        return len(value) == len(before) and all(map(_is_as_before, value, before))
    return True


def _is_as_before(item: Any, before: tuple[Any, Any]) -> bool:
    same, inner = before
    return item is same and is_outlined(item, inner)


def _kind_of(value: Any) -> str:
    """What is told of a value that cannot leave: its class, or that it is an exception."""
    kind = value if isinstance(value, type) else type(value)
    if issubclass(kind, BaseException):
        return EXCEPTION + kind.__name__
    return type(value).__name__


class Store:
    """The memory of one engine; ``dtype`` and ``nudge`` are how its inputs are received, and
    ``names`` those of its module, whose own classes make objects that stay. ``ask`` carries
    questions to the other side, where there is another.
    """

    def __init__(
        self,
        dtype: torch.dtype | None,
        nudge: int,
        names: Mapping[str, Any],
        ask: Ask | None = None,
    ) -> None:
        self.dtype, self.nudge, self.names, self.ask = dtype, nudge, names, ask
        self.forget("all")

    def forget(self, what: str) -> None:
        """Forget the ``leaves``; with them results (``inputs``); with these the modules handed in
        (``given``); or objects too (``all``).
        """
        self.leaves: dict[int, Any] = {}
        self.pristine: dict[int, Any] = {}
        if what == "leaves":
            return
        self.results: dict[int, Any] = {}
        if what == "inputs":
            return
        self.built: dict[int, Recorder] = {}
        if what == "given":
            return
        self.objects: dict[int, Any] = {}
        self.meta = False

    def answer(self, value: Any) -> Values:
        """Keep a result; its number, what of it can leave, and which inputs have changed."""
        number = len(self.results)
        self.results[number] = value
        changed = [n for n, kept in self.pristine.items() if not same(kept, self.leaves[n])]
        return {"number": number, "value": self._pack(value), "changed": changed}

    def unpack(self, value: Any) -> Any:
        """What a request speaks of: inputs, results and objects by their numbers."""
        match value:
            case Leaf():
                return self._leaf(value)
            case Generator():
                return self._generator(value)
            case Built():
                return self.built_of(value)
            case Asked():
                ask = value.answer or self.ask
                assert ask is not None
                return OpaqueFunction(value.number, ask)
            case Result():
                found = self.results[value.number]
                for key in value.path:
                    found = found[key]
                return found
            case Object():
                return self.objects[value.number]
            case "meta":
                self.meta = True
            case list():
                return [self.unpack(item) for item in value]
            case tuple():
                return tuple(self.unpack(item) for item in value)
            case dict():
                return {key: self.unpack(item) for key, item in value.items()}
        return value

    def _leaf(self, leaf: Leaf) -> Any:
        """An input, and a copy of it that nothing has changed."""
        value = self.taken_in(leaf)
        if leaf.number not in self.pristine:
            self.pristine[leaf.number] = copied(value)
        return value

    def taken_in(self, leaf: Leaf) -> Any:
        """The same for weights, which the submission does not get to see."""
        if leaf.number not in self.leaves:
            value = received(leaf.value, self.dtype, nudge=self.nudge)
            self.meta |= isinstance(value, torch.Tensor) and value.device.type == "meta"
            if leaf.requires_grad:
                value.requires_grad_()
            self.leaves[leaf.number] = value
        return self.leaves[leaf.number]

    def _generator(self, form: Generator) -> torch.Generator:
        if -1 - form.number not in self.leaves:
            generator = torch.Generator(form.device)
            generator.manual_seed(form.seed)
            self.leaves[-1 - form.number] = generator
        found: torch.Generator = self.leaves[-1 - form.number]
        return found

    def built_of(self, form: Built) -> Recorder:
        if form.number not in self.built:
            module = getattr(torch.nn, form.type_name)(*form.args)
            module.load_state_dict(dict(form.weights))
            self.built[form.number] = Recorder(module.to(form.device, self.dtype))
        return self.built[form.number]

    def _pack(self, value: Any) -> Any:
        """What of a value can leave: the rest stays here as an ``Object``, or is refused."""
        if isinstance(value, torch.nn.Module):
            return self._object(value)
        if isinstance(value, tuple):
            return tuple(self._pack(item) for item in value)
        if isinstance(value, list):
            return [self._pack(item) for item in value]
        if isinstance(value, dict):
            strange = next((key for key in value if not may_be_key(key)), None)
            if strange is not None:
                return Refused(f"{KEY}of type {type(strange).__name__}")
            return {key: self._pack(item) for key, item in value.items()}
        if type(value) in (torch.Tensor, torch.nn.Parameter):
            return value.detach().clone()
        if type(value) is np.ndarray or isinstance(value, np.generic):
            return np.array(value)
        if type(value) in _PLAIN:
            return value
        stays = not isinstance(value, (torch.Tensor, BaseException))
        if stays and self._is_of_the_module(type(value)):
            return self._object(value)
        return Refused(_kind_of(value))

    def _object(self, value: Any) -> Object:
        """It stays here: by its number it is asked for more."""
        known = [number for number, other in self.objects.items() if other is value]
        number = known[0] if known else len(self.objects)
        self.objects[number] = value
        return Object(number, type(value).__name__)

    def _is_of_the_module(self, kind: type) -> bool:
        """Whether this is one of the module's own classes, such as an optimizer."""
        return any(thing is kind for thing in self.names.values())

    def all_parameters(self) -> dict[str, torch.nn.Parameter]:
        named: dict[str, torch.nn.Parameter] = {}
        for number, value in (*self.objects.items(), *self.built.items()):
            if isinstance(value, torch.nn.Module):
                named |= {f"{number}.{key}": p for key, p in value.named_parameters()}
        return named

    def aliases(self, named: Mapping[str, torch.nn.Parameter]) -> dict[str, str]:
        """Other names of parameters that have several, and the one they have among ``named``."""
        first = {id(p): key for key, p in named.items()}
        return {
            f"{number}.{key}": first[id(p)]
            for number, value in (*self.objects.items(), *self.built.items())
            if isinstance(value, torch.nn.Module)
            for key, p in value.named_parameters(remove_duplicate=False)
            if first[id(p)] != f"{number}.{key}"
        }
