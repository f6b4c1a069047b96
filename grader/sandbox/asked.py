"""A function that a submission may call and not see: every call of it is answered elsewhere.

In a worker the question crosses the wall, and the code that answers stays on the trusted side; so
do the graphs of its answers, and backward is a question too.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from torch.autograd.function import once_differentiable

from grader.sandbox.describe import Values
from grader.sandbox.protocol import Result

Ask = Callable[[Values], Values]


class OpaqueFunction:
    """What the submission is handed. It has neither a name nor a source of its own.

    Tensors are sent with their strides. Those that a call has changed are changed here as well.
    """

    __slots__ = ("_ask", "_number")

    def __init__(self, number: int, ask: Ask) -> None:
        self._number, self._ask = number, ask

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        inputs: list[torch.Tensor] = []
        form = _taken_apart([list(args), kwargs], inputs)
        request = {"op": "call", "number": self._number, "form": form}
        reply = self._asked(request | {"tensors": [_sent(tensor) for tensor in inputs]})
        for place, after in reply["changed"].items():
            with torch.no_grad():
                inputs[place].copy_(after)
        return _put_together(reply["value"], self._with_graph(reply, inputs))

    def __iter__(self) -> Iterator[Any]:
        """What it answers, one after another, up to the first None. That can be gone through once,
        as a generator: what was answered is gone.
        """
        return iter(self, None)

    def _with_graph(self, reply: Values, inputs: Sequence[torch.Tensor]) -> Sequence[torch.Tensor]:
        """The tensors of an answer; those that a graph leads to over there have one here."""
        outputs, attached = list(reply["tensors"]), reply["attached"]
        live = [place for place, has_graph in enumerate(attached) if has_graph]
        if live:
            made = _Answered.apply(  # type: ignore[no-untyped-call]
                self, reply["call"], [outputs[place] for place in live], live, *inputs
            )
            for place, output in zip(live, made, strict=True):
                outputs[place] = output
        return outputs

    def backward(
        self, call: int, live: Sequence[int], cotangents: Sequence[torch.Tensor | None]
    ) -> Sequence[torch.Tensor | None]:
        """The gradients of all inputs of a call, for these of its outputs."""
        weights = [[p, g] for p, g in zip(live, cotangents, strict=True) if g is not None]
        request = {"op": "backward", "number": self._number, "call": call, "cotangents": weights}
        gradients: Sequence[torch.Tensor | None] = self._asked(request)["gradients"]
        return gradients

    def _asked(self, request: Values) -> Values:
        reply = self._ask(request)
        if "raised" in reply:
            raise _error(**reply["raised"])
        return reply


class _Answered(torch.autograd.Function):
    """A step of a graph whose other end is elsewhere."""

    @staticmethod
    def forward(
        ctx: Any,
        function: OpaqueFunction,
        call: int,
        outputs: Sequence[torch.Tensor],
        live: Sequence[int],
        *inputs: torch.Tensor,
    ) -> tuple[torch.Tensor, ...]:
        ctx.function, ctx.call, ctx.live = function, call, live
        ctx.set_materialize_grads(False)
        return tuple(outputs)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *cotangents: torch.Tensor | None) -> tuple[Any, ...]:
        gradients = ctx.function.backward(ctx.call, ctx.live, cotangents)
        return None, None, None, None, *gradients


# What is said of one that is asked for more, as in "'Callable' object has no attribute 'train'".
OpaqueFunction.__name__ = OpaqueFunction.__qualname__ = "Callable"


def _sent(tensor: torch.Tensor) -> Values:
    """A tensor as it lies in memory: an expanded one is sent once."""
    shape, strides = list(tensor.shape), list(tensor.stride())
    reach = 1 + sum((n - 1) * s for n, s in zip(shape, strides, strict=True))
    memory = tensor.detach().as_strided((reach if tensor.numel() else 0,), (1,))
    wanted = tensor.requires_grad and torch.is_grad_enabled()
    return {"memory": memory, "shape": shape, "strides": strides, "requires_grad": wanted}


def _taken_apart(value: Any, tensors: list[torch.Tensor]) -> Any:
    """The same tree with a number in the place of each tensor."""
    if isinstance(value, torch.Tensor):
        tensors.append(value)
        return Result(len(tensors) - 1)
    if isinstance(value, (list, tuple)):
        return [_taken_apart(item, tensors) for item in value]
    if isinstance(value, dict):
        return {key: _taken_apart(item, tensors) for key, item in value.items()}
    return value


def _put_together(value: Any, tensors: Sequence[torch.Tensor]) -> Any:
    if isinstance(value, Result):
        return tensors[value.number]
    if isinstance(value, (list, tuple)):
        return type(value)(_put_together(item, tensors) for item in value)
    return value


def _error(type_name: str, message: str) -> Exception:
    """What was raised elsewhere, as far as Python knows its kind."""
    kind = getattr(builtins, type_name, None)
    known = isinstance(kind, type) and issubclass(kind, Exception)
    return kind(message) if known else RuntimeError(message)  # type: ignore[misc]
