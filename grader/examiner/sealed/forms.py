"""Of what form an answer is: its kind, shape and dtype, without its values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from grader.model import Cause, Fact
from grader.programs.client import Client
from grader.programs.failure import CheckFailed, Evidence
from grader.programs.kinds import kind_of
from grader.programs.proxy import ModuleProxy

Form = Any  # plain values: what a file can hold


def form_of(value: Any) -> Form:
    """That of an answer. Numbers are alike, and so are words; yes and no if they are equal."""
    if isinstance(value, torch.Tensor):
        return ("tensor", _dtype(value), tuple(value.shape))
    if isinstance(value, np.ndarray):
        return ("array", _dtype(value), tuple(value.shape))
    if isinstance(value, (list, tuple)):
        return ("items", *map(form_of, value))
    if isinstance(value, dict):
        return ("keys", *((str(key), form_of(item)) for key, item in value.items()))
    if isinstance(value, ModuleProxy):
        return ("module",)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return ("number",)
    return ("text",) if isinstance(value, str) else ("value", repr(value))


def require_form(client: Client, value: Any, form: Form) -> None:
    """Raises ``CheckFailed`` for the first difference, as a judge says it."""
    _require(client, value, value, form)


def _require(client: Client, whole: Any, value: Any, form: Form) -> None:
    found = form_of(value)
    is_number = isinstance(value, torch.Tensor) and not value.ndim and form == ("number",)
    if found == form or is_number:
        return

    def fail(kind: str, **facts: Fact) -> None:
        facts = {"call": client.call_that_gave(value), "at": (), **facts}
        raise CheckFailed(Cause(kind, facts), Evidence(kind, len(client.calls), repr(found)))

    if found[0] != form[0] or found[0] == "value":
        _fail_of_kind(fail, value, form)
    elif form[0] in ("tensor", "array"):
        _, dtype, shape = form
        if found[2] != shape:
            fail("shape", wanted=str(shape), got=str(found[2]))
        fail("dtype", wanted=dtype, got=found[1])
    else:
        _require_parts(client, whole, value, form, fail)


def _require_parts(
    client: Client, whole: Any, value: Any, form: Form, fail: Callable[..., None]
) -> None:
    if form[0] == "items":
        if len(value) != len(form) - 1:
            fail("kind", wanted_kind=("values", len(form) - 1), got_kind=kind_of(value))
        for item, part in zip(value, form[1:], strict=True):
            _require(client, whole, item, part)
        return
    names = tuple(name for name, _ in form[1:])
    if sorted(map(str, value)) != sorted(names):
        fail("kind", wanted_kind=("dict", tuple(map(repr, names))), got_kind=kind_of(value))
    parts = dict(form[1:])
    for key, item in value.items():
        _require(client, whole, item, parts[str(key)])


def _fail_of_kind(fail: Callable[..., None], value: Any, form: Form) -> None:
    if form[0] == "value":
        fail("value", wanted=form[1], got=repr(value))
    kinds: dict[str, tuple[Fact, ...]] = {
        "tensor": ("tensor",),
        "array": ("array",),
        "items": ("values", len(form) - 1),
        "keys": ("dict", tuple(repr(name) for name, _ in form[1:]) if form[0] == "keys" else ()),
        "number": ("number",),
        "module": ("plain", "Module"),
        "text": ("plain", "str"),
    }
    fail("kind", wanted_kind=kinds[form[0]], got_kind=kind_of(value))


def _dtype(value: Any) -> str:
    return str(value.dtype).removeprefix("torch.")
