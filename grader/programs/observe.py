"""What a check can find out about a program beyond what its calls return."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import torch

from grader.errors import SubmissionRaised
from grader.model import Cause
from grader.programs.client import client_of
from grader.programs.failure import CheckFailed, Evidence
from grader.programs.proxy import Implementation, ModuleProxy, TorchModule, object_of
from grader.programs.usable import usable
from grader.programs.work import Work


def torch_module(
    type_name: str, *args: Any, weights: Mapping[str, torch.Tensor] | None = None
) -> TorchModule:
    """``torch.nn.<type_name>(*args)`` with ``weights``, made wherever the implementation runs.

    Pass it as an argument; ``inputs_of`` tells afterwards what it was called with.
    """
    return TorchModule(type_name, args, dict(weights or {}))


def on_meta(impl: Implementation) -> Implementation:
    """The same module, making its tensors on the meta device: shapes without memory."""
    return Implementation(client_of(impl), "meta")


@contextmanager
def autocast(impl: Implementation, dtype: torch.dtype) -> Iterator[None]:
    """Within the block calls run under ``torch.autocast`` with ``dtype``; a reference in float64
    does not, so the answers of one in float32 show what accuracy is left.
    """
    client = client_of(impl)
    client.autocast = dtype
    try:
        yield
    finally:
        client.autocast = None


@contextmanager
def on_one_device(whose: str) -> Iterator[None]:
    """Within the block, where inputs lie on the meta device, what fails because a tensor is on the
    CPU is told as that; ``whose`` it is, in the words of the page.
    """
    try:
        yield
    except SubmissionRaised as error:
        if "meta" not in error.raised.message:
            raise
        said = error.raised.message.partition("\n")[0]
        evidence = Evidence("left_on_cpu", 0, [whose, said])
        raise CheckFailed(Cause("left_on_cpu", {"name": whose, "said": said}), evidence) from None


def inputs_of(impl: Implementation, module: TorchModule) -> Any:
    """The tensors a handed-in module has been called with, in order: one per call and argument."""
    return client_of(impl).seen(module)


def gradient(
    impl: Implementation,
    output: torch.Tensor,
    cotangent: torch.Tensor,
    wrt: torch.Tensor,
) -> torch.Tensor | None:
    """The gradient of ``(output * cotangent).sum()`` for an input drawn with ``grad=True``."""
    return client_of(impl).gradients([output], [cotangent], [wrt]).leaves[0]


def parameter_gradient(
    layer: ModuleProxy, output: torch.Tensor, cotangent: torch.Tensor, name: str
) -> torch.Tensor | None:
    """The gradient of ``(output * cotangent).sum()`` for the parameter ``name`` of ``layer``."""
    gradients = client_of(layer).gradients([output], [cotangent], [])
    return gradients.of_parameter(f"{object_of(layer).number}.{name}")


def gradient_by_shape(
    impl: Implementation, output: torch.Tensor, cotangent: torch.Tensor, shape: Sequence[int]
) -> torch.Tensor:
    """The gradient of ``(output * cotangent).sum()`` for the parameters of ``shape``, added up:
    that of a table that may be tied, whichever of its names it is listed by.

    Raises ``CheckFailed`` if the output is no answer of the cotangent's shape and dtype.
    """
    output = usable(impl, output, cotangent.shape, cotangent.dtype)
    named = client_of(impl).gradients([output], [cotangent], []).parameters
    found = [g for g in named.values() if g is not None and g.shape == tuple(shape)]
    return sum(found, torch.zeros(*shape, device=output.device))


def work_of(impl: Implementation, probe: Callable[[Implementation], Any]) -> Work:
    """How much work the implementation's calls in ``probe`` are: counted, not timed.

    Earlier inputs and results are forgotten. Objects are not: what an object does later can be
    counted apart from what it did at first.
    """
    client = client_of(impl)
    client.begin(forget="given")
    client.work = Work({}, 0)
    try:
        probe(impl)
        return client.work
    finally:
        client.work = None
