"""What a script is made of: the functions here are copied into it as they stand.

They use torch and the standard library and nothing of this package, so that a script runs wherever
torch does.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Callable, Mapping
from typing import Any

import torch


def packed(dtype: torch.dtype, shape: tuple[int, ...], data: str) -> torch.Tensor:
    """The very tensor that was packed: its bytes, compressed, as text."""
    content = bytearray(zlib.decompress(base64.b85decode(data)))
    return torch.frombuffer(content, dtype=dtype).reshape(shape)


def close(actual: torch.Tensor, expected: torch.Tensor, within: tuple[float, float]) -> Any:
    """Which numbers are no further from the exact ones than rounding explains."""
    if expected.dtype != torch.float64 or within == (0.0, 0.0):
        return (actual == expected) | (actual != actual) & (expected != expected)
    actual, (relative, absolute) = actual.detach().double(), within
    room = relative * expected.abs().clamp(min=1) + absolute
    near = (actual - expected).abs() <= room
    return torch.where(expected.isinf(), actual == expected, near)


def check(
    what: str, actual: Any, expected: Any, dtype: Any, within: tuple[float, float] = (0.0, 0.0)
) -> None:
    """Show both, and fail if they differ; `within` is the tolerance, relative and absolute."""
    print(f"{what}\n  expected {expected}\n  actual   {actual}")
    if dtype is None:
        actual = actual.item() if hasattr(actual, "item") else actual
        if isinstance(expected, float):
            actual, expected = (
                torch.tensor(float(actual)),
                torch.tensor(expected, dtype=torch.float64),
            )
            assert close(actual, expected, within), f"{what}: the number is another"
        assert isinstance(expected, torch.Tensor) or actual == expected, f"{what}: {actual!r}"
        return
    form(what, actual, tuple(expected.shape), dtype)
    right = close(torch.as_tensor(actual), expected, within)
    wrong = int((~right).sum())
    assert not wrong, f"{what}: {wrong} of {right.numel()} values differ"


def form(what: str, actual: Any, shape: tuple[int, ...], dtype: Any) -> None:
    """Fail if this is no tensor (or, where the dtype is numpy's, no array) of this shape."""
    kind = "torch" if isinstance(dtype, torch.dtype) else "numpy"
    named = type(actual).__name__
    assert type(actual).__module__.startswith(kind), f"{what}: a value of type {named}"
    assert tuple(actual.shape) == shape, f"{what}: shape {tuple(actual.shape)}, not {shape}"
    assert str(actual.dtype) == str(dtype), f"{what}: dtype {actual.dtype}, not {dtype}"


def refused(what: str, call: Callable[[], Any]) -> None:
    """Fail unless the call is refused."""
    try:
        answer = call()
    except (ValueError, AssertionError, TypeError) as error:
        print(f"{what}\n  refused: {error}")
        return
    raise AssertionError(f"{what}: accepted, with the answer {answer!r}")


def load(module: torch.nn.Module, weights: Mapping[str, torch.Tensor]) -> None:
    """Copy the weights into the module's parameters, whose names and shapes must be these."""
    own = dict(module.named_parameters(remove_duplicate=False))
    there = {name: tuple(parameter.shape) for name, parameter in own.items()}
    wanted = {name: tuple(weight.shape) for name, weight in weights.items()}
    loaded = {id(own[name]) for name in weights if name in own}
    fits = all(there.get(name) == shape for name, shape in wanted.items())
    whole = all(id(parameter) in loaded for parameter in own.values())
    assert fits and whole, f"the parameters are {there}, expected are {wanted}"
    with torch.no_grad():
        for name, weight in weights.items():
            own[name].copy_(weight)


def gradients(total: torch.Tensor, sources: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """The gradient for each of them; zero where none flows back."""
    assert total.requires_grad, "no gradient flows back: the answer has left the graph"
    found = torch.autograd.grad(total, list(sources.values()), retain_graph=True, allow_unused=True)
    pairs = zip(sources.items(), found, strict=True)
    return {name: torch.zeros_like(t) if g is None else g for (name, t), g in pairs}


class Recorder(torch.nn.Module):
    """A module that is handed in, and keeps what it is called with."""

    def __init__(self, inner: torch.nn.Module, weights: Mapping[str, torch.Tensor]) -> None:
        super().__init__()
        self.inner = inner
        self.inner.load_state_dict(dict(weights))
        self.seen: list[torch.Tensor] = []

    def forward(self, *inputs: torch.Tensor) -> Any:
        self.seen += inputs
        return self.inner(*inputs)
