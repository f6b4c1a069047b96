"""Meta tensors, which show on which device things are made, without torch's compiler.

Operations on them ask torch's compiler and its symbolic shapes whether anything is being compiled
or symbolic, and importing the two takes over a second. Plain sizes have plain answers, so two
stand-ins give them at once; whatever they do not know is asked of the real module after all.
"""

from __future__ import annotations

import importlib
import operator
import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from types import ModuleType
from typing import Any

Answers = Mapping[str, Callable[..., Any]]


class _Nothing:
    """A class that nothing is an instance of."""


_STAND_INS: dict[str, Answers] = {
    "torch._dynamo": {"disable": lambda fn=None, *args, **kwargs: fn or (lambda fn: fn)},
    "sympy": {"Basic": _Nothing},
    "torch.fx.experimental.symbolic_shapes": {
        "expect_true": bool,
        "guard_or_false": bool,
        "guard_or_true": bool,
        "guard_size_oblivious": bool,
        "statically_known_true": bool,
        "guarding_hint_or_throw": operator.index,
        "has_guarding_hint": lambda size: True,
        "is_nested_int": lambda size: False,
        "sym_eq": operator.eq,
        "sym_and": lambda *values: all(values),
        "sym_or": lambda *values: any(values),
    },
}


@contextmanager
def without_compiler() -> Iterator[None]:
    """Within the block the stand-ins are in place, unless the real modules already are."""
    added = [name for name in _STAND_INS if name not in sys.modules]
    for name in added:
        sys.modules[name] = _stand_in(name, _STAND_INS[name])
    try:
        yield
    finally:
        for name in added:
            if isinstance(sys.modules.get(name), _StandIn):
                del sys.modules[name]


def put_stand_in(name: str, answers: Answers, **more: Any) -> None:
    """In place of a package for good, or until somebody asks what it does not know, or for a
    module of it.
    """
    module = sys.modules[name] = _stand_in(name, answers, ["__path__"])
    vars(module).update(more)


class _StandIn(ModuleType):
    pass


def _stand_in(name: str, answers: Answers, asked: Collection[str] = ()) -> _StandIn:
    def ask_the_real_one(attribute: str) -> Any:
        if attribute.startswith("__") and attribute not in asked:
            raise AttributeError(attribute)
        sys.modules.pop(name, None)
        return getattr(importlib.import_module(name), attribute)

    module = _StandIn(name)
    vars(module).update(answers, __getattr__=ask_the_real_one)
    return module
