"""A function of ours that a submission tests: it calls it and never sees it.

Only tensors and plain values come from the submission. All are looked at before anything is
computed with them, and small sizes keep what they cost here small.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import torch

from grader.sandbox.describe import Values
from grader.sandbox.inputs import copied, same
from grader.sandbox.protocol import Refused, Result, require

MOST_CALLS = 50
MOST_AXES = 5
MOST_ALONG_THE_LAST_TWO, MOST_ALONG_OTHERS = 32, 8  # whatever is broadcast, it is some megabytes
LARGEST_WHOLE_NUMBER = 512

_PLAIN = (bool, int, float, str, type(None), torch.dtype)


class BrokenRule(Exception):
    """The submission asked what it may not ask."""


class UnderTest:
    """``function`` as a submission may be handed it. Its random numbers come from ``seed``.

    Afterwards ``calls`` says how often it was called, and ``broken`` which rule was not kept.
    """

    def __init__(self, function: Callable[..., Any], *, seed: int = 0) -> None:
        self._function, self._seed = function, seed
        self._graphs: list[tuple[list[torch.Tensor], list[torch.Tensor]]] = []
        self.calls = 0
        self.broken = ""

    def answer(self, request: Mapping[str, Any]) -> Values:
        """Answer a call, or a backward; what is raised over it is an answer too."""
        try:
            with torch.enable_grad(), _on_the_cpu():
                if request.get("op") == "call":
                    return self._call(request)
                return self._backward(request)
        except BrokenRule as rule:
            self.broken = self.broken or str(rule)
            return {"raised": {"type_name": "RuntimeError", "message": str(rule)}}
        except Exception as error:
            raised = {"type_name": type(error).__name__, "message": str(error)[:300]}
            return {"raised": raised}

    def _call(self, request: Mapping[str, Any]) -> Values:
        self.calls += 1
        _demand(self.calls <= MOST_CALLS, f"it is called more than {MOST_CALLS} times")
        sent: Any = request.get("tensors")
        form: Any = request.get("form")
        require(type(sent) is list, "the tensors of a call")
        inputs = [_received(one) for one in sent]
        require(type(form) is list and len(form) == 2, "the arguments of a call")
        args, kwargs = _filled(form, inputs)
        require(type(args) is list and type(kwargs) is dict, "the arguments of a call")
        before = [copied(tensor) for tensor in inputs]
        with _random_numbers_of_its_own(self._seed + self.calls):
            value = self._function(*args, **kwargs)
        outputs: list[torch.Tensor] = []
        tree = _parts_of(value, outputs)
        self._graphs.append((inputs, outputs))
        pairs = enumerate(zip(before, inputs, strict=True))
        return {
            "value": tree,
            "call": len(self._graphs) - 1,
            "tensors": [tensor.detach().clone() for tensor in outputs],
            "attached": [tensor.requires_grad for tensor in outputs],
            "changed": {at: now.detach().clone() for at, (was, now) in pairs if not same(was, now)},
        }

    def _backward(self, request: Mapping[str, Any]) -> Values:
        call: Any = request.get("call")
        weights: Any = request.get("cotangents")
        require(type(call) is int and 0 <= call < len(self._graphs), "the number of a call")
        require(type(weights) is list, "cotangents")
        inputs, outputs = self._graphs[call]
        total: Any = sum(_weighted(outputs, pair) for pair in weights)
        sources = [tensor for tensor in inputs if tensor.requires_grad]
        found: list[torch.Tensor | None] = [None] * len(sources)
        if isinstance(total, torch.Tensor) and sources:
            gradients = torch.autograd.grad(total, sources, retain_graph=True, allow_unused=True)
            found = [None if g is None else g.detach().clone() for g in gradients]
        given = iter(found)
        return {"gradients": [next(given) if t.requires_grad else None for t in inputs]}


def _on_the_cpu() -> AbstractContextManager[Any]:
    """Where all of this is, also if the check itself is made on a GPU. Saying so costs a fifth."""
    here = torch.get_default_device().type == "cpu"
    return nullcontext() if here else torch.device("cpu")


def _weighted(outputs: Sequence[torch.Tensor], pair: Any) -> torch.Tensor:
    require(type(pair) is list and len(pair) == 2 and type(pair[0]) is int, "a cotangent")
    require(0 <= pair[0] < len(outputs) and isinstance(pair[1], torch.Tensor), "a cotangent")
    output, weight = outputs[pair[0]], pair[1].detach()
    require(output.shape == weight.shape, "a cotangent of another shape")
    weighted: torch.Tensor = output * weight.to(output.dtype)
    return weighted.sum()


def _received(sent: Any) -> torch.Tensor:
    """A tensor of the submission's, in memory of its own; believed is nothing."""
    require(type(sent) is dict and isinstance(sent.get("memory"), torch.Tensor), "a tensor")
    memory, shape, strides = sent["memory"], sent.get("shape"), sent.get("strides")
    for sizes in (shape, strides):
        require(type(sizes) is list and all(type(n) is int and n >= 0 for n in sizes), "sizes")
    require(len(shape) == len(strides) and memory.ndim == 1, "as many strides as sizes")
    _demand(len(shape) <= MOST_AXES, f"it is given a tensor of more than {MOST_AXES} axes")
    small = all(size <= MOST_ALONG_OTHERS for size in shape[:-2])
    small = small and all(size <= MOST_ALONG_THE_LAST_TWO for size in shape[-2:])
    _demand(small, f"it is given a tensor of shape {tuple(shape)}, which is too large")
    _demand(memory.device.type == "cpu", "it is given a tensor that is not on the CPU")
    reach = 1 + sum((n - 1) * s for n, s in zip(shape, strides, strict=True))
    require(0 in shape or reach <= len(memory), "memory that was not sent")
    tensor: torch.Tensor = memory.detach().clone().as_strided(shape, strides)
    return tensor.requires_grad_(tensor.is_floating_point() and sent.get("requires_grad") is True)


def _filled(form: Any, inputs: Sequence[torch.Tensor]) -> Any:
    """Arguments of a call, from a tree with a number in the place of each tensor."""
    if isinstance(form, Result):
        require(0 <= form.number < len(inputs) and not form.path, "the number of a tensor")
        return inputs[form.number]
    if type(form) is list:
        return [_filled(item, inputs) for item in form]
    if type(form) is dict:
        require(all(type(key) is str for key in form), "the name of an argument")
        return {key: _filled(item, inputs) for key, item in form.items()}
    _demand(isinstance(form, _PLAIN), "it is given what is neither a tensor nor a plain value")
    if type(form) is int:
        large = f"it is given a whole number above {LARGEST_WHOLE_NUMBER}"
        _demand(abs(form) <= LARGEST_WHOLE_NUMBER, large)
    return form


def _parts_of(value: Any, tensors: list[torch.Tensor]) -> Any:
    """What can leave of an answer, with a number in the place of each tensor."""
    if type(value) in (torch.Tensor, torch.nn.Parameter):
        tensors.append(value)
        return Result(len(tensors) - 1)
    if isinstance(value, (list, tuple)):
        kind = list if isinstance(value, list) else tuple
        return kind(_parts_of(item, tensors) for item in value)
    return value if isinstance(value, _PLAIN) else Refused(type(value).__name__)


def _demand(kept: bool, what: str) -> None:
    if not kept:
        raise BrokenRule(what)


@contextmanager
def _random_numbers_of_its_own(seed: int) -> Iterator[None]:
    """torch's own random numbers stay as they were."""
    before = torch.get_rng_state()
    torch.default_generator.manual_seed(seed)
    try:
        yield
    finally:
        torch.set_rng_state(before)
