"""What an answer must be before a property of it can say anything.

NaN differs from NaN, an empty tensor has every property there is, and one number everywhere has
most of them: a check that asserts a property asks first whether there is an answer at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from grader.model import Cause, Fact
from grader.programs.client import client_of
from grader.programs.failure import CheckFailed, Evidence
from grader.programs.kinds import kind_of
from grader.programs.proxy import Implementation, ModuleProxy

Reason = tuple[str, dict[str, Fact]]


def usable(
    impl: Implementation | ModuleProxy,
    value: Any,
    shape: Sequence[int],
    dtype: torch.dtype = torch.float32,
    *,
    varied: bool = True,
    unlike: Sequence[torch.Tensor] = (),
) -> torch.Tensor:
    """``value`` itself, an answer of ``impl``: a tensor of ``shape`` and ``dtype``, all finite; if
    ``varied``, not one number throughout; and none of ``unlike``.

    ``unlike`` are inputs that must not come back as they are. Raises ``CheckFailed``, whose cause
    names the call that gave ``value``.
    """
    reason = _form(value, shape, dtype) or _numbers(value, varied, unlike)
    if reason is None:
        found: torch.Tensor = value
        return found
    client, (kind, facts) = client_of(impl), reason
    cause = Cause(kind, {"call": client.call_that_gave(value), "at": (), **facts})
    raise CheckFailed(cause, Evidence(kind, len(client.calls), dict(facts)))


def _form(value: Any, shape: Sequence[int], dtype: torch.dtype) -> Reason | None:
    if type(value) is not torch.Tensor:
        return "kind", {"wanted_kind": ("tensor",), "got_kind": kind_of(value)}
    if tuple(value.shape) != tuple(shape):
        return "shape", {"wanted": str(tuple(shape)), "got": str(tuple(value.shape))}
    if value.dtype != dtype:
        return "dtype", {"wanted": _name(dtype), "got": _name(value.dtype)}
    return None


def _numbers(value: torch.Tensor, varied: bool, unlike: Sequence[torch.Tensor]) -> Reason | None:
    if value.is_meta or not value.numel():
        return None
    strange = value[~value.isfinite()]
    if strange.numel():
        return "not_finite", {"got": str(strange[0].item())}
    first = value.flatten()[0]
    if varied and value.numel() > 1 and bool((value == first).all()):
        return "one_number", {"got": f"{first.item():.4g}"}
    if any(value.shape == other.shape and bool((value == other).all()) for other in unlike):
        return "seen_before", {}
    return None


def _name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")
