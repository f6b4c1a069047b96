"""torch.compile where there is no compiler: what it is given is run as it is.

A compiler is a process, writes files and takes seconds, none of which a worker has. So compiling
gives back what it was given, and it is told that it was asked for. ``torch._dynamo``, which finds
out what to compile, takes over a second to import, and parts of torch ask it for a word only
(checkpointing, optimizers): a stand-in gives it, until somebody asks for more.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import torch

from grader.sandbox.meta import put_stand_in

_asked: list[bool] = []


def was_compiling_asked_for() -> bool:
    """Whether something has been compiled, or would have been, in this process."""
    return bool(_asked)


def run_uncompiled() -> None:
    """For the rest of this process."""
    vars(torch)["compile"] = vars(torch.compiler)["compile"] = compiled
    vars(torch.compiler)["disable"] = as_it_is
    module: Any = torch.nn.Module
    module.compile = _in_place
    config = SimpleNamespace(error_on_nested_fx_trace=False)
    answers: dict[str, Callable[..., Any]] = {
        "disable": as_it_is,
        "optimize": lambda *args, **kwargs: compiled,
        "is_compiling": lambda: False,
        "reset": lambda: None,
        "graph_break": lambda *args, **kwargs: None,
        "mark_dynamic": lambda *args, **kwargs: None,
        "mark_static": lambda *args, **kwargs: None,
        "allow_in_graph": as_it_is,
    }
    put_stand_in("torch._dynamo", answers, config=config)


def compiled(model: Any = None, *args: Any, **kwargs: Any) -> Any:
    """In place of ``torch.compile``, called or as a decorator, with arguments or without."""
    if model is None:
        return compiled
    _asked.append(True)
    return model


def _in_place(self: Any, *args: Any, **kwargs: Any) -> None:
    compiled(self)


def as_it_is(fn: Any = None, *args: Any, **kwargs: Any) -> Any:
    """A decorator, with arguments or without, that changes nothing."""
    return (lambda function: function) if fn is None else fn
