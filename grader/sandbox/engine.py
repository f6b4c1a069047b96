"""One loaded module and the objects it made, answering requests: call this, take gradients.

In a worker the engine holds the submission. On the trusted side the very same engine holds the
reference or a misconception, so that both sides mean the same thing by every request.
"""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import torch

from grader.sandbox.counter import OperationCounter
from grader.sandbox.describe import Values, describe
from grader.sandbox.inputs import copied, received, same
from grader.sandbox.meta import without_compiler
from grader.sandbox.protocol import Built, Generator, Leaf, Object, Refused, Result

# Bound before a submission can rebind it.
_grad = torch.autograd.grad
_PLAIN = (bool, int, float, str, type(None), torch.dtype, torch.device)


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


class Engine:
    """One implementation of an exercise, and the objects it made.

    ``dtype`` makes it a reference: floating inputs and modules are cast to it at the boundary.
    ``nudge`` also moves every floating input by about one rounding error of its own dtype, which
    shows how far right answers may lie apart.
    """

    def __init__(
        self, names: Mapping[str, Any], dtype: torch.dtype | None = None, *, nudge: int = 0
    ) -> None:
        self.names = names
        self.dtype = dtype
        self.nudge = nudge
        self._forget("all")

    def _forget(self, what: str) -> None:
        """Forget inputs and results; with ``all`` the objects as well."""
        self.leaves: dict[int, Any] = {}
        self.pristine: dict[int, Any] = {}
        self.results: dict[int, Any] = {}
        if what == "inputs":
            return
        self.objects: dict[int, Any] = {}
        self.built: dict[int, Recorder] = {}
        self.meta = False

    def perform(self, request: Values) -> Values:
        """Answer one request; an exception of the submission's is an answer too.

        A ``fresh`` one forgets first: earlier inputs and results, or all there is.
        """
        operation: Callable[..., Values] = getattr(self, request["op"])
        arguments = {key: value for key, value in request.items() if key not in ("op", "fresh")}
        if "fresh" in request:
            self._forget(request["fresh"])
        try:
            with _cpu_by_default():
                return operation(**arguments)
        except BaseException as error:
            return {"raised": describe(error)}

    # What may be asked ------------------------------------------------------------------------

    def call(
        self,
        name: str,
        args: Sequence[Any],
        kwargs: Values,
        device: str = "",
        moved_to: str = "",
        **how: Any,
    ) -> Values:
        """Call a function or class of the module. Returns the value, the result's number and the
        numbers of the inputs that are no longer what was sent.

        ``device``, if given, is where tensors are made that name none; a module it makes is
        ``moved_to`` a device afterwards. ``how`` is as for ``_call``.
        """
        self.meta |= device == "meta"
        with torch.device(device) if device else contextlib.nullcontext():
            answer = self._call(self.names[name], args, kwargs, **how)
        if moved_to and isinstance(answer["value"], Object):
            self.objects[answer["value"].number].to(moved_to)
        return answer

    def call_object(
        self, number: int, name: str, args: Sequence[Any], kwargs: Values, **how: Any
    ) -> Values:
        """Call a method of an object made earlier; ``how`` is as for ``_call``."""
        method = getattr(self.objects[number], name)
        if self.dtype is not None and name == "to":
            args = [value for value in args if not isinstance(value, torch.dtype)]
            if not args and not kwargs:
                return self._answer(self.objects[number])
        return self._call(method, args, kwargs, **how)

    def deepcopy(self, number: int) -> Values:
        """A deep copy of an object made earlier."""
        return self._answer(copy.deepcopy(self.objects[number]))

    def parameters(self, number: int) -> Values:
        """A module's named parameters."""
        return {"value": dict(self.objects[number].named_parameters())}

    def buffers(self, number: int) -> Values:
        """A module's named buffers."""
        return {"value": dict(self.objects[number].named_buffers())}

    def loose_tensors(self, number: int) -> Values:
        """Attributes that hold a tensor which is neither a parameter nor a buffer."""
        modules = self.objects[number].named_modules()
        return {
            "value": [
                f"{prefix}.{name}".lstrip(".")
                for prefix, module in modules
                for name, value in vars(module).items()
                if isinstance(value, torch.Tensor)
            ]
        }

    def load(self, number: int, weights: Mapping[str, Any]) -> Values:
        """Copy ``weights`` into a module's parameters; says which names did not match."""
        own = dict(self.objects[number].named_parameters(remove_duplicate=False))
        given = self._unpack(weights)
        wrong = [k for k in given if k in own and own[k].shape != given[k].shape]
        with torch.no_grad():
            for key in given.keys() & own.keys() - set(wrong):
                own[key].copy_(given[key])
        loaded = {id(own[key]) for key in given.keys() & own.keys()}
        missing = [key for key in own if id(own[key]) not in loaded]  # a tied one has two names
        unexpected = [key for key in given if key not in own]
        shapes = {key: list(own[key].shape) for key in wrong}
        return {"value": {"missing": missing, "unexpected": unexpected, "shapes": shapes}}

    def differentiate(
        self, outputs: Sequence[Result], cotangents: Sequence[Any], wrt: Sequence[Leaf]
    ) -> Values:
        """Vector-Jacobian products of earlier results for ``wrt`` and for all parameters.

        ``attached`` says for each output whether a graph leads to it.
        """
        live = [self._unpack(output) for output in outputs]
        attached = [tensor.requires_grad for tensor in live]
        leaves = [self._unpack(leaf) for leaf in wrt]
        named = self._all_parameters()
        sources = leaves + list(named.values())
        pairs = [(t, g) for t, g, ok in zip(live, cotangents, attached, strict=True) if ok]
        gradients: Sequence[Any] = [None] * len(sources)
        if pairs and sources:
            # A scalar needs no cotangent of its own: autograd.grad would import sympy for one.
            with torch.enable_grad():
                total = sum((t * g.to(t.device, t.dtype)).sum() for t, g in pairs)
            gradients = _grad(total, sources, retain_graph=True, allow_unused=True)
        return {
            "attached": attached,
            "leaves": list(gradients[: len(leaves)]),
            "parameters": dict(zip(named, gradients[len(leaves) :], strict=True)),
            "aliases": self._aliases(),
        }

    def seen(self, built: Built) -> Values:
        """What a module we handed in has been called with, call by call."""
        return self._answer(list(self._built(built).seen))

    # How it is answered -----------------------------------------------------------------------

    def _call(
        self,
        function: Any,
        args: Sequence[Any],
        kwargs: Values,
        counted: bool = False,
        autocast: tuple[str, torch.dtype] | None = None,
    ) -> Values:
        """Call; a ``counted`` call also tells how much work it was, and one with ``autocast`` runs
        under it: device and dtype. A reference cast to another dtype is left as it is.
        """
        positional, named = self._unpack(list(args)), self._unpack(dict(kwargs))
        counter = OperationCounter()
        with contextlib.ExitStack() as around:
            around.enter_context(torch.enable_grad())
            if self.meta:
                around.enter_context(without_compiler())
            if autocast is not None and self.dtype is None:
                around.enter_context(torch.autocast(autocast[0], autocast[1]))
            if counted:
                around.enter_context(counter)
            value = function(*positional, **named)
        if isinstance(value, torch.nn.Module) and self.dtype is not None:
            value = value.to(self.dtype)
        answer = self._answer(value)
        if counted:
            answer["work"] = {"operations": counter.operations, "largest": counter.largest}
        return answer

    def _answer(self, value: Any) -> Values:
        number = len(self.results)
        self.results[number] = value
        changed = [n for n, kept in self.pristine.items() if not same(kept, self.leaves[n])]
        return {"number": number, "value": self._pack(value), "changed": changed}

    def _unpack(self, value: Any) -> Any:
        match value:
            case Leaf():
                return self._leaf(value)
            case Generator():
                return self._generator(value)
            case Built():
                return self._built(value)
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
                return [self._unpack(item) for item in value]
            case tuple():
                return tuple(self._unpack(item) for item in value)
            case dict():
                return {key: self._unpack(item) for key, item in value.items()}
        return value

    def _leaf(self, leaf: Leaf) -> Any:
        if leaf.number not in self.leaves:
            value = received(leaf.value, self.dtype, nudge=self.nudge)
            self.meta |= isinstance(value, torch.Tensor) and value.device.type == "meta"
            self.pristine[leaf.number] = copied(value)
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

    def _built(self, form: Built) -> Recorder:
        if form.number not in self.built:
            module = getattr(torch.nn, form.type_name)(*form.args)
            module.load_state_dict(dict(form.weights))
            self.built[form.number] = Recorder(module.to(form.device, self.dtype))
        return self.built[form.number]

    def _pack(self, value: Any) -> Any:
        """What of a value can leave: the rest stays here as an ``Object``, or is refused."""
        if isinstance(value, torch.nn.Module):
            known = [number for number, module in self.objects.items() if module is value]
            number = known[0] if known else len(self.objects)
            self.objects[number] = value
            return Object(number, type(value).__name__)
        if isinstance(value, tuple):
            return tuple(self._pack(item) for item in value)
        if isinstance(value, list):
            return [self._pack(item) for item in value]
        if isinstance(value, dict):
            return {key: self._pack(item) for key, item in value.items()}
        if type(value) in (torch.Tensor, torch.nn.Parameter):
            return value.detach().clone()
        if type(value) is np.ndarray or isinstance(value, np.generic):
            return np.array(value)
        if type(value) in _PLAIN:
            return value
        return Refused(type(value).__name__)

    def _all_parameters(self) -> dict[str, torch.nn.Parameter]:
        named: dict[str, torch.nn.Parameter] = {}
        for number, value in (*self.objects.items(), *self.built.items()):
            if isinstance(value, torch.nn.Module):
                named |= {f"{number}.{key}": p for key, p in value.named_parameters()}
        return named

    def _aliases(self) -> dict[str, str]:
        """Other names of parameters that have several, and the name they are listed by."""
        first: dict[int, str] = {id(p): key for key, p in self._all_parameters().items()}
        return {
            f"{number}.{key}": first[id(p)]
            for number, value in (*self.objects.items(), *self.built.items())
            if isinstance(value, torch.nn.Module)
            for key, p in value.named_parameters(remove_duplicate=False)
            if first[id(p)] != f"{number}.{key}"
        }


@contextlib.contextmanager
def _cpu_by_default() -> Iterator[None]:
    """A check on a GPU makes its tensors there by default: what it calls must not rely on it."""
    chosen = torch.get_default_device()
    if chosen.type == "cpu":
        yield
        return
    torch.set_default_device(None)
    try:
        yield
    finally:
        torch.set_default_device(chosen)
