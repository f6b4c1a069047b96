"""A probe asked again: of the same object or of a copy, of other values, in another mode or dtype.

A probe is stated once. Asked again, its calls are the same, and so are its sizes; what differs is
said in one word each, its *way*:

others      other values of the same shape, weights included
flipped     again other values, inputs only: an object keeps the weights it has
layout      inputs that are transposed or expanded views
same_object the module that was made at the first asking, used once more; with others, loaded with
            other weights before
beside      after another object of the class was made, with other weights
copied      a deep copy of the module, made after its weights were loaded
restored    a second module of the same arguments, which loads the first one's state_dict
eval        the module after ``eval()``
float64, bfloat16, float16   inputs of this dtype, and the module after ``to(dtype)``

Both sides are asked alike, so the reference says what is right in each way. One more word, which is
no way of its own: with ``values`` only values are asked for, and no gradients.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import torch

from grader.programs.client import Client
from grader.programs.gradients import Gradients
from grader.programs.proxy import Implementation, ModuleProxy, object_of
from grader.sandbox.protocol import TORCH_DTYPES

Probe = Callable[[Implementation], Any]
How = tuple[str, ...]

FIRST: How = ()
WAYS = (
    "others", "flipped", "layout", "same_object", "beside", "copied", "restored", "eval",
    "float64", "bfloat16", "float16",
)  # fmt: skip
OTHER_VALUES = {"others", "flipped"}


class Repeated:
    """One probe, which one client is asked several times.

    ``wanted`` are the inputs whose gradients are wanted, ``wrt`` the same as they were at the last
    asking; ``inputs`` are the tensors of the first one, weights included.
    """

    def __init__(self, client: Client, probe: Probe, wrt: Sequence[torch.Tensor]) -> None:
        self.client, self.probe, self.wanted = client, probe, wrt
        self.wrt: list[torch.Tensor] = []
        self.made: list[ModuleProxy | None] = []
        self.inputs: list[torch.Tensor] = []
        self._last = FIRST

    def ask(self, how: How = FIRST) -> Any:
        """The answer; objects that were made at earlier askings stay until the next first one."""
        if "beside" in how:
            self._ask(("others",))
        return self._ask(how)

    def gradients(
        self, outputs: Sequence[torch.Tensor], cotangents: Sequence[torch.Tensor]
    ) -> Gradients:
        """Backward from outputs of the last asking; to parameters only if it was the first one,
        for sending them takes longer than all the rest.
        """
        first = self._last == FIRST
        return self.client.gradients(outputs, cotangents, self.wrt, of_parameters=first)

    def _ask(self, how: How) -> Any:
        self._last = how
        asking = _Asking(self.client, how, self.made if "same_object" in how else [])
        self.wrt = [asking.changed(tensor) for tensor in self.wanted]
        self.client.begin(self.wrt, forget="all" if how == FIRST else "given")
        value = self.probe(_Asked(self.client, asking))
        if how == FIRST:
            self.made, self.inputs = asking.made, asking.inputs
        return value


class _Asking:
    """What a probe's calls become when it is asked in some way."""

    def __init__(self, client: Client, how: How, before: Sequence[ModuleProxy | None]) -> None:
        self.client, self.how = client, frozenset(how)
        self.made: list[ModuleProxy | None] = []
        self.inputs: list[torch.Tensor] = []
        self.dtype = next((TORCH_DTYPES[word] for word in how if word in TORCH_DTYPES), None)
        self._before = before
        self._changed: dict[int, tuple[Any, Any]] = {}

    def call(self, name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """What the module's function or class returns; a module that was made before is reused."""
        at = len(self.made)
        known = self._before[at] if at < len(self._before) else None
        if known is not None:
            self.made.append(known)
            return _AskedModule(self, known, None, keeps_weights="others" not in self.how)
        args, kwargs = self.all_changed(list(args)), self.all_changed(dict(kwargs))
        value = self.client.call(name, args, kwargs)
        module = value if isinstance(value, ModuleProxy) else None
        self.made.append(module)
        if module is None:
            return value
        return _AskedModule(self, module, lambda: self.client.call(name, args, kwargs))

    def ready(self, module: ModuleProxy, make: Callable[[], Any] | None) -> ModuleProxy:
        """The module to be used in the place of one that has its weights; ``make`` makes another
        of the same arguments, unless it was made at an earlier asking.
        """
        if make is not None and "copied" in self.how:
            module = module.deepcopy()
        source, evaluates = None, "eval" in self.how
        if make is not None and "restored" in self.how:
            source, module = object_of(module).number, make()
        if source is not None or evaluates or self.dtype is not None:
            number = object_of(module).number
            asked = {"source": source, "evaluates": evaluates, "dtype": self.dtype}
            self.client.ask("make_ready", number=number, **asked)
        return module

    def all_changed(self, value: Any) -> Any:
        """The same for all inputs within a value."""
        if isinstance(value, (torch.Tensor, np.ndarray)):
            return self.changed(value)
        if type(value) in (list, tuple):
            return type(value)(self.all_changed(item) for item in value)
        if type(value) is dict:
            return {key: self.all_changed(item) for key, item in value.items()}
        return value.used() if isinstance(value, _AskedModule) else value

    def changed(self, value: Any, *, weights: bool = False) -> Any:
        """An input as it is in this way of asking; what an earlier call returned stays."""
        if not isinstance(value, (torch.Tensor, np.ndarray)) or self.client.gave(value):
            return value
        if id(value) not in self._changed:
            if isinstance(value, torch.Tensor):
                self.inputs.append(value)
            self._changed[id(value)] = (value, self._other(value, weights))
        return self._changed[id(value)][1]

    def _other(self, value: Any, weights: bool) -> Any:
        if not self.how:
            return value
        if "others" in self.how:
            value = _rolled(value)
        if weights or not isinstance(value, torch.Tensor):
            return value
        grad, value = value.requires_grad, value.detach()
        if "flipped" in self.how:
            value = value.flip(tuple(range(value.ndim)))
        if self.dtype is not None and value.is_floating_point():
            value = value.to(self.dtype)
        if "layout" in self.how:
            value = _strided(value, expanded=len(self._changed) % 2 == 1)
        return value.requires_grad_(grad)


class _Asked(Implementation):
    """The implementation as the probe sees it."""

    def __init__(self, client: Client, asking: _Asking) -> None:
        super().__init__(client)
        self._asking = asking

    def __getattr__(self, name: str) -> Callable[..., Any]:
        asking = self._asking
        return lambda *args, **kwargs: asking.call(name, args, kwargs)


class _AskedModule(ModuleProxy):
    """A module as the probe sees it: loaded as ever, made ready when it is first used."""

    def __init__(
        self,
        asking: _Asking,
        module: ModuleProxy,
        make: Callable[[], Any] | None,
        *,
        keeps_weights: bool = False,
    ) -> None:
        found = object_of(module)
        super().__init__(asking.client, found.number, found.type_name)
        self._asking, self._module, self._make, self._is_ready = asking, module, make, False
        self._keeps_weights = keeps_weights

    def used(self) -> _AskedModule:
        """This module, ready."""
        if not self._is_ready:
            self._is_ready = True
            self._number = object_of(self._asking.ready(self._module, self._make)).number
        return self

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        changed = self._asking.all_changed
        return ModuleProxy.__call__(self.used(), *changed(args), **changed(kwargs))

    def __getattr__(self, name: str) -> Callable[..., Any]:
        super().__getattr__(name)  # what belongs to tensors is refused here
        changed = self._asking.all_changed

        def called(*args: Any, **kwargs: Any) -> Any:
            method = ModuleProxy.__getattr__(self.used(), name)
            return method(*changed(args), **changed(kwargs))

        return called

    def deepcopy(self) -> ModuleProxy:
        return _AskedModule(self._asking, ModuleProxy.deepcopy(self.used()), None)

    def load(self, weights: Mapping[str, torch.Tensor]) -> None:
        """A module that was made at an earlier asking keeps the weights it has."""
        if not self._keeps_weights:
            changed = {k: self._asking.changed(w, weights=True) for k, w in weights.items()}
            super().load(changed)


def asks_for_gradients(how: How) -> bool:
    """Whether an answer is differentiated as well."""
    return "values" not in how


def _rolled(value: Any) -> Any:
    """The same numbers at other places: every row of a mask has as many allowed as some row had. A
    single number has no other place: it becomes a smaller one.
    """
    axes = tuple(range(value.ndim))
    if isinstance(value, np.ndarray):
        return np.roll(value, (1,) * value.ndim, axes) if axes else value
    if not axes:
        smaller = value.detach() * 0.75 if value.is_floating_point() else value.detach()
        return smaller.requires_grad_(value.requires_grad)
    return value.detach().roll((1,) * value.ndim, axes).requires_grad_(value.requires_grad)


def _strided(value: torch.Tensor, *, expanded: bool) -> torch.Tensor:
    """A view that is not contiguous: the first item of the first axis for all, or transposed."""
    if value.ndim < 2 or value.numel() < 2:
        return value
    if expanded and value.ndim > 2:
        return value[:1].expand_as(value)
    return value.mT.contiguous().mT
