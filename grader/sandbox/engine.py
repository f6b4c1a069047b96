"""One loaded module, answering requests: call this, take gradients.

In a worker the engine holds the submission. On the trusted side the very same engine holds the
reference or a misconception, so that both sides mean the same thing by every request.
"""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import torch

from grader.sandbox import spare_memory
from grader.sandbox.asked import Ask
from grader.sandbox.counter import OperationCounter
from grader.sandbox.describe import Values, describe
from grader.sandbox.devices import given_up_over
from grader.sandbox.elsewhere import OneDevice
from grader.sandbox.forbidden import as_refusal
from grader.sandbox.meta import without_compiler
from grader.sandbox.protocol import Built, Leaf, Object, Result
from grader.sandbox.store import Store, is_outlined, outline

# Bound before a submission can rebind them.
_grad, _seed = torch.autograd.grad, torch.default_generator.initial_seed
_empty = torch.empty  # a hundredth of the time that torch.get_default_device takes


class Engine:
    """One implementation of an exercise, and the objects it made.

    ``dtype`` makes it a reference: floating inputs and modules are cast to it at the boundary.
    ``nudge`` also moves every floating input by about one rounding error of its own dtype, which
    shows how far right answers may lie apart. ``ask`` asks the trusted side about functions that
    are answered there.
    """

    def __init__(
        self,
        names: Mapping[str, Any],
        dtype: torch.dtype | None = None,
        *,
        nudge: int = 0,
        ask: Ask | None = None,
    ) -> None:
        self.names = names
        self.dtype = dtype
        self.store = Store(dtype, nudge, names, ask)
        self._keeps_graphs = True
        self._has_seeded = False  # also in a call that has raised, which nobody looks at further

    def perform(self, request: Values) -> Values:
        """Answer one request; an exception of the submission's is an answer too.

        A ``fresh`` one forgets first: earlier inputs and results, or all there is.
        """
        operation: Callable[..., Values] = getattr(self, request["op"])
        arguments = {key: value for key, value in request.items() if key not in ("op", "fresh")}
        if "fresh" in request:
            self.store.forget(request["fresh"])
            self._keeps_graphs = True
        try:
            with _cpu_by_default():
                return operation(**arguments)
        except BaseException as error:
            return {"raised": describe(given_up_over() or as_refusal(error))}

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
        self.store.meta |= device == "meta"
        with torch.device(device) if device not in ("", "cpu") else contextlib.nullcontext():
            answer = self._call(self.names[name], args, kwargs, **how)
        if moved_to and isinstance(answer["value"], Object):
            made = self.store.objects[answer["value"].number]
            if isinstance(made, torch.nn.Module):
                made.to(moved_to)
        return answer

    def call_object(
        self, number: int, name: str, args: Sequence[Any], kwargs: Values, **how: Any
    ) -> Values:
        """Call a method of an object made earlier; ``how`` is as for ``_call``."""
        method = getattr(self.store.objects[number], name)
        if self.dtype is not None and name == "to":
            args = [value for value in args if not isinstance(value, torch.dtype)]
            if not args and not kwargs:
                return self.store.answer(self.store.objects[number])
        return self._call(method, args, kwargs, **how)

    def deepcopy(self, number: int) -> Values:
        """A deep copy of a module made earlier. Of another object it is the object itself: an
        optimizer moves a model's parameters, and a copy of it would move copies.
        """
        made = self.store.objects[number]
        copied = copy.deepcopy(made) if isinstance(made, torch.nn.Module) else made
        return self.store.answer(copied)

    def make_ready(
        self, number: int, source: int | None, evaluates: bool, dtype: torch.dtype | None
    ) -> Values:
        """Have a module load what another one of its class, the ``source``, keeps in its
        ``state_dict``; put it in eval mode; and cast it: each if asked for. What is no module has
        neither a mode nor a dtype.
        """
        module = self.store.objects[number]
        if source is not None and hasattr(module, "load_state_dict"):
            module.load_state_dict(self.store.objects[source].state_dict())
        if not isinstance(module, torch.nn.Module):
            return {"value": None}
        if evaluates:
            module.eval()
        if dtype is not None and self.dtype is None:
            module.to(dtype)
        return {"value": None}

    def parameters(self, number: int) -> Values:
        """A module's named parameters."""
        return {"value": dict(self.store.objects[number].named_parameters())}

    def buffers(self, number: int) -> Values:
        """A module's named buffers."""
        return {"value": dict(self.store.objects[number].named_buffers())}

    def loose_tensors(self, number: int) -> Values:
        """Attributes that hold a tensor which is neither a parameter nor a buffer."""
        modules = self.store.objects[number].named_modules()
        return {
            "value": [
                f"{prefix}.{name}".lstrip(".")
                for prefix, module in modules
                for name, value in vars(module).items()
                if isinstance(value, torch.Tensor)
            ]
        }

    def hooks(self, number: int) -> Values:
        """The parts of a module on which hooks stand, by name: one for each hook."""
        modules = self.store.objects[number].named_modules()
        return {
            "value": [
                prefix
                for prefix, module in modules
                for kind in ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks")
                for _ in getattr(module, kind)
            ]
        }

    def load(self, number: int, weights: Mapping[str, Any]) -> Values:
        """Copy ``weights`` into a module's parameters; says which names did not match."""
        own = dict(self.store.objects[number].named_parameters(remove_duplicate=False))
        given = {
            key: self.store.taken_in(value) if isinstance(value, Leaf) else self.store.unpack(value)
            for key, value in weights.items()
        }
        wrong = [k for k in given if k in own and own[k].shape != given[k].shape]
        with torch.no_grad():
            for key in given:  # in order: where one has two names, the last value stays
                if key in own and key not in wrong:
                    own[key].copy_(given[key])
        loaded = {id(own[key]) for key in given.keys() & own.keys()}
        missing = [key for key in own if id(own[key]) not in loaded]  # a tied one has two names
        first = {id(own[key]): key for key in reversed(missing)}
        again = [key for key in missing if first[id(own[key])] != key]
        unexpected = [key for key in given if key not in own]
        shapes = {key: list(own[key].shape) for key in wrong}
        found = {"missing": missing, "again": again, "unexpected": unexpected, "shapes": shapes}
        return {"value": found}

    def differentiate(
        self,
        outputs: Sequence[Result],
        cotangents: Sequence[Any],
        wrt: Sequence[Leaf],
        of_parameters: bool = True,
    ) -> Values:
        """Vector-Jacobian products of earlier results for ``wrt`` and, unless it is said otherwise,
        for all parameters.

        ``attached`` says for each output whether a graph leads to it. What is frozen (it does not
        require a gradient) has none.
        """
        live = [self.store.unpack(output) for output in outputs]
        attached = [tensor.requires_grad for tensor in live]
        leaves = [self.store.unpack(leaf) for leaf in wrt]
        named = self.store.all_parameters() if of_parameters else {}
        sources = leaves + list(named.values())
        learning = [place for place, tensor in enumerate(sources) if tensor.requires_grad]
        pairs = [(t, g) for t, g, ok in zip(live, cotangents, attached, strict=True) if ok]
        gradients: list[Any] = [None] * len(sources)
        if pairs and learning:
            # A scalar needs no cotangent of its own: autograd.grad would import sympy for one.
            # So would one that a submission's own backward asks for, as checkpointing does.
            with torch.enable_grad(), without_compiler():
                total = sum((t * g.to(t.device, t.dtype)).sum() for t, g in pairs)
                wanted = [sources[place] for place in learning]
                found = _grad(total, wanted, retain_graph=True, allow_unused=True)
            for place, gradient in zip(learning, found, strict=True):
                gradients[place] = gradient
        return {
            "attached": attached,
            "leaves": gradients[: len(leaves)],
            "parameters": dict(zip(named, gradients[len(leaves) :], strict=True)),
            "aliases": self.store.aliases(named) if of_parameters else {},
        }

    def carry(self, args: Sequence[Any], kwargs: Values, answer: Result) -> Values:
        """All of a call but the call: inputs are received, and an earlier result is answered."""
        self.store.unpack(list(args)), self.store.unpack(dict(kwargs))
        return self.store.answer(self.store.unpack(answer))

    def give_back(self) -> Values:
        """Memory that was freed here and is kept for later goes back to the system."""
        spare_memory.give_back()
        return {"value": None}

    def seen(self, built: Built) -> Values:
        """What a module we handed in has been called with, call by call."""
        return self.store.answer(list(self.store.built_of(built).seen))

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
        under it: device and dtype. A reference cast to another dtype is left as it is. Told are
        also the arguments, by place or name, whose dicts or lists hold other things than before.
        """
        positional, named = self.store.unpack(list(args)), self.store.unpack(dict(kwargs))
        given = {**dict(enumerate(positional)), **named}
        if isinstance(function, type):
            given = {}  # an object may complete what it is made of, as torch's optimizers do
        outlines = {key: outline(value) for key, value in given.items()}
        counter, seed = OperationCounter(), _seed()
        with contextlib.ExitStack() as around:
            around.enter_context(torch.set_grad_enabled(self._keeps_graphs))
            if self.store.meta:
                around.enter_context(without_compiler())
                around.enter_context(OneDevice())  # type: ignore[no-untyped-call]
            if autocast is not None and self.dtype is None:
                around.enter_context(torch.autocast(autocast[0], autocast[1]))
            if counted:
                around.enter_context(counter)
            try:
                value = function(*positional, **named)
            finally:
                self._has_seeded |= _seed() != seed
            self._keeps_graphs = torch.is_grad_enabled()  # as it would be for the caller
        if isinstance(value, torch.nn.Module) and self.dtype is not None:
            value = value.to(self.dtype)
        answer = self.store.answer(value) | {"seeds": self._has_seeded}
        emptied = [key for key, value in given.items() if not is_outlined(value, outlines[key])]
        if emptied:
            answer["containers"] = emptied
        if counted:
            answer["work"] = {
                "operations": counter.operations,
                "views": counter.views,
                "largest": counter.largest,
            }
        return answer


@contextlib.contextmanager
def _cpu_by_default() -> Iterator[None]:
    """A check on a GPU makes its tensors there by default: what it calls must not rely on it."""
    chosen = _empty(0).device
    if chosen.type == "cpu":
        yield
        return
    torch.set_default_device(None)
    try:
        yield
    finally:
        torch.set_default_device(chosen)
