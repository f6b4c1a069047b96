"""What a check sees of a module, wherever it runs: in this process or in a worker.

A check calls ``impl.softmax(x)`` and need not know where it runs. ``impl`` stands for the
reference, a misconception or a submission; only the function that performs requests differs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch

from grader.errors import ProtocolViolation
from grader.model import Cause
from grader.programs.failure import CheckFailed, Evidence
from grader.programs.work import Work
from grader.sandbox.protocol import printable

if TYPE_CHECKING:
    from grader.programs.client import Client


class Implementation:
    """The module as a check sees it: ``impl.name(...)`` calls ``name`` wherever it lives."""

    def __init__(self, client: Client, device: str = "") -> None:
        self._client, self._device = client, device

    def __getattr__(self, name: str) -> Callable[..., Any]:
        client, device = self._client, self._device
        return lambda *args, **kwargs: client.call(name, args, kwargs, device)


class ModuleProxy:
    """A module made by an implementation: call it, or call its methods."""

    def __init__(self, client: Client, number: int, type_name: str) -> None:
        self._client, self._number, self._type_name = client, number, type_name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._client.call_object(self._number, "__call__", args, kwargs)

    def __getattr__(self, name: str) -> Callable[..., Any]:
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

    def load(self, weights: Mapping[str, torch.Tensor]) -> None:
        """Set all parameters; a name or shape that does not fit fails the check in words."""
        found = self._client.ask("load", number=self._number, weights=dict(weights))
        complaints = _complaints(found)
        if complaints:
            raise CheckFailed(
                Cause(
                    f"The parameters of {self._type_name} do not have the documented names and "
                    f"shapes: {'; '.join(complaints)}.",
                    expected=", ".join(f"{k} {tuple(v.shape)}" for k, v in weights.items()),
                    actual=", ".join(f"{k} {tuple(v.shape)}" for k, v in self.parameters().items()),
                    help="Name the parameters as the class's docstring does.",
                ),
                Evidence("parameters", 0, complaints),
            )

    def deepcopy(self) -> ModuleProxy:
        """A deep copy of the module, made where the module is."""
        copy: ModuleProxy = self._client.copy(self._number)
        return copy

    def _tensors(self, op: str) -> dict[str, torch.Tensor]:
        found = self._client.ask(op, number=self._number)
        if type(found) is not dict or not all(isinstance(t, torch.Tensor) for t in found.values()):
            raise ProtocolViolation(f"the worker's {op} are not tensors by name")
        return found


@dataclass(frozen=True, eq=False)
class TorchModule:
    """A module of ``torch.nn`` that a check hands in; see ``torch_module``."""

    type_name: str
    args: tuple[Any, ...]
    weights: Mapping[str, torch.Tensor]


def torch_module(
    type_name: str, *args: Any, weights: Mapping[str, torch.Tensor] | None = None
) -> TorchModule:
    """``torch.nn.<type_name>(*args)`` with ``weights``, made wherever the implementation runs.

    Pass it as an argument; ``inputs_of`` tells afterwards what it was called with.
    """
    return TorchModule(type_name, args, dict(weights or {}))


def on_meta(impl: Implementation) -> Implementation:
    """The same module, making its tensors on the meta device: shapes without memory."""
    return Implementation(impl._client, "meta")


@contextmanager
def autocast(impl: Implementation, dtype: torch.dtype) -> Iterator[None]:
    """Within the block calls run under ``torch.autocast`` with ``dtype``; a reference in float64
    does not, so the answers of one in float32 show what accuracy is left.
    """
    impl._client.autocast = dtype
    try:
        yield
    finally:
        impl._client.autocast = None


def inputs_of(impl: Implementation, module: TorchModule) -> Any:
    """The tensors a handed-in module has been called with, in order: one per call and argument."""
    return impl._client.seen(module)


def gradient(
    impl: Implementation,
    output: torch.Tensor,
    cotangent: torch.Tensor,
    wrt: torch.Tensor,
) -> torch.Tensor | None:
    """The gradient of ``(output * cotangent).sum()`` for an input drawn with ``grad=True``."""
    return impl._client.gradients([output], [cotangent], [wrt]).leaves[0]


def parameter_gradient(
    layer: ModuleProxy, output: torch.Tensor, cotangent: torch.Tensor, name: str
) -> torch.Tensor | None:
    """The gradient of ``(output * cotangent).sum()`` for the parameter ``name`` of ``layer``."""
    gradients = layer._client.gradients([output], [cotangent], [])
    return gradients.of_parameter(f"{layer._number}.{name}")


def gradient_by_shape(
    impl: Implementation, output: torch.Tensor, cotangent: torch.Tensor, shape: Sequence[int]
) -> torch.Tensor:
    """The gradient of ``(output * cotangent).sum()`` for the parameters of ``shape``, added up:
    that of a table that may be tied, whichever of its names it is listed by.
    """
    named = impl._client.gradients([output], [cotangent], []).parameters
    found = [g for g in named.values() if g is not None and g.shape == tuple(shape)]
    return sum(found, torch.zeros(*shape, device=output.device))


def work_of(impl: Implementation, probe: Callable[[Implementation], Any]) -> Work:
    """How much work the implementation's calls in ``probe`` are: counted, not timed."""
    client = impl._client
    client.begin()
    client.work = Work({}, 0)
    try:
        probe(impl)
        return client.work
    finally:
        client.work = None


def _complaints(found: Any) -> list[str]:
    kinds = {"missing": list, "unexpected": list, "shapes": dict}
    if type(found) is not dict or any(type(found.get(k)) is not t for k, t in kinds.items()):
        raise ProtocolViolation("the worker did not say how loading went")
    said = [f"there is no parameter {name}" for name in found["unexpected"]]
    said += [f"there is a parameter {name} too many" for name in found["missing"]]
    said += [f"{name} has shape {tuple(shape)}" for name, shape in found["shapes"].items()]
    return [printable(text, 200) for text in said[:12]]
