"""What an answer must be before a property of it can say anything.

NaN differs from NaN, an empty tensor has every property there is, and one number everywhere has
most of them: a check that asserts a property asks first whether there is an answer at all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

import torch

from grader.model import Cause, Fact
from grader.programs.client import client_of
from grader.programs.failure import CheckFailed, Evidence
from grader.programs.kinds import kind_of
from grader.programs.proxy import Implementation, ModuleProxy


def usable(
    impl: Implementation | ModuleProxy,
    value: Any,
    shape: Sequence[int],
    dtype: torch.dtype = torch.float32,
    *,
    unlike: Sequence[torch.Tensor] = (),
) -> torch.Tensor:
    """``value`` itself, an answer of ``impl``: a tensor of ``shape`` and floating ``dtype``, all of
    it finite, not one number throughout, and none of the tensors ``unlike``.

    ``unlike`` are inputs that must not come back as they are, and answers to other inputs. Raises
    ``CheckFailed``, which says what the call returned that gave ``value``.
    """
    call = client_of(impl).call_that_gave(value)
    if type(value) is not torch.Tensor:
        _fail(value, "kind", call, wanted_kind=("tensor",), got_kind=kind_of(value))
    if tuple(value.shape) != tuple(shape):
        _fail(value, "shape", call, wanted=str(tuple(shape)), got=str(tuple(value.shape)))
    if value.dtype != dtype:
        _fail(value, "dtype", call, wanted=_name(dtype), got=_name(value.dtype))
    if not value.is_meta:
        _look_at_numbers(value, unlike, call)
    return value


def _look_at_numbers(
    value: torch.Tensor, unlike: Sequence[torch.Tensor], call: Mapping[str, Fact] | None
) -> None:
    strange = value[~value.isfinite()]
    if strange.numel():
        _fail(value, "not_finite", call, got=str(strange[0].item()))
    if value.numel() > 1 and bool((value == value.flatten()[0]).all()):
        _fail(value, "one_number", call, got=f"{value.flatten()[0].item():.4g}")
    if any(value.shape == other.shape and bool((value == other).all()) for other in unlike):
        _fail(value, "seen_before", call)


def _fail(value: Any, kind: str, call: Mapping[str, Fact] | None, **facts: Fact) -> NoReturn:
    raise CheckFailed(Cause(kind, {"call": call, "at": (), **facts}), Evidence(kind, 0, value))


def _name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")
