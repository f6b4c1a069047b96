"""Deep copies of torch's modules in a fifth of the time: a stack of layers is made of nothing else,
and to diagnose one makes a thousand stacks.

A module is mostly empty dicts of hooks, which ``copy.deepcopy`` takes apart and puts together again
one by one. Here they are made anew. All else is copied as it always is.
"""

from __future__ import annotations

import copy
from collections import OrderedDict
from typing import Any

import torch
from torch import nn
from torch.nn.utils.parametrize import is_parametrized

_THEMSELVES = (type(None), bool, int, float, str, torch.dtype, torch.device)
_CONTAINERS = (dict, OrderedDict, list, set, tuple)
_HOW_TO_COPY = ("__setstate__", "__getstate__", "__reduce_ex__", "__reduce__")


def copy_modules_quickly() -> None:
    """From now on, in this process; no submission runs here."""
    nn.Module.__deepcopy__ = _copied  # type: ignore[attr-defined]


def _copied(module: nn.Module, memo: dict[int, Any]) -> Any:
    kind = type(module)
    own = any(getattr(kind, name) is not getattr(nn.Module, name) for name in _HOW_TO_COPY)
    if own and not is_parametrized(module):  # of these torch refuses to be asked for the state
        return copy._reconstruct(module, memo, *module.__reduce_ex__(4))  # type: ignore[attr-defined]
    made = memo[id(module)] = kind.__new__(kind)
    for name, value in vars(module).items():
        vars(made)[name] = _copied_value(value, memo)
    return made


def _copied_value(value: Any, memo: dict[int, Any]) -> Any:
    kind = type(value)
    if kind in _THEMSELVES:
        return value
    if kind in _CONTAINERS and not value:
        return kind()
    return copy.deepcopy(value, memo)
