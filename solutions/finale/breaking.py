"""One part of a model made wrong on purpose, whoever wrote it: by hooks on its modules.

Modules are known by the classes of the pages, so nothing of the learner's files is changed.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor, nn

from grader.finale import Setting


def broken(model: nn.Module, setting: Setting, heads: int, probe: Callable[[], Tensor]) -> bool:
    """Break ``model`` in what the setting names; whether ``probe`` gives something else then.

    What is no part of the model, the schedule of the learning rate, is broken elsewhere.
    """
    breaks = {
        "causal": _see_the_future,
        "positions": _forget_positions,
        "residual": _replace_x,
        "scale": functools.partial(_undo_the_scale, heads=heads),
        "norm": _normalise_nothing,
    }
    if setting.broken not in breaks:
        return True
    with torch.set_grad_enabled(False):
        before = probe()
        breaks[setting.broken](model, setting)
        return not torch.equal(before, probe())


def _of(model: nn.Module, setting: Setting, page: str, name: str) -> Iterator[nn.Module]:
    """The modules of a page's class, those of torch's with the same name among them."""
    kinds = [getattr(setting.pages.get(page), name, None), getattr(nn, name, None)]
    known = tuple(one for one in kinds if isinstance(one, type))
    return (module for module in model.modules() if isinstance(module, known))


def _see_the_future(model: nn.Module, setting: Setting) -> None:
    def without(module: nn.Module, given: tuple[Any, ...], named: dict[str, Any]) -> Any:
        kept = tuple(None if _is_square(one) else one for one in given[3:])
        rest = {name: None if _is_square(one) else one for name, one in named.items()}
        kept = tuple(False if one is True else one for one in kept[:2]) + kept[2:]
        return (*given[:3], *kept), {**rest, "is_causal": False} if "is_causal" in rest else rest

    for module in _of(model, setting, "multi_head_attention", "MultiHeadAttention"):
        module.register_forward_pre_hook(without, with_kwargs=True)


def _is_square(mask: Any) -> bool:
    """Whether it says for each position what it may see; one that hides padding has one row."""
    is_mask = isinstance(mask, Tensor) and not mask.is_floating_point()
    return is_mask and mask.ndim >= 2 and mask.shape[-2] > 1


def _forget_positions(model: nn.Module, setting: Setting) -> None:
    table = getattr(model, "position_embedding", None)
    if table is not None:
        table.weight.data.zero_()
        table.weight.requires_grad_(False)
    for module in _of(model, setting, "positional_encoding", "PositionalEncoding"):
        module.register_forward_hook(lambda module, given, result: given[0])


def _replace_x(model: nn.Module, setting: Setting) -> None:
    for module in _of(model, setting, "residual", "SublayerConnection"):
        module.register_forward_hook(lambda module, given, result: result - given[0])


def _undo_the_scale(model: nn.Module, setting: Setting, heads: int) -> None:
    for module in _of(model, setting, "multi_head_attention", "MultiHeadAttention"):
        queries: Any = module.w_q
        factor = math.sqrt(queries.weight.shape[0] / heads)
        queries.register_forward_hook(lambda module, given, result, f=factor: result * f)


def _normalise_nothing(model: nn.Module, setting: Setting) -> None:
    for module in _of(model, setting, "layer_norm", "LayerNorm"):
        module.register_forward_hook(lambda module, given, result: given[0])
