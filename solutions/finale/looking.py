"""What heads attend to while a model reads: asked of the attention modules themselves."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from grader.finale import Map, Setting


@contextlib.contextmanager
def _listening(model: nn.Module, kind: type, found: dict[str, Tensor]) -> Iterator[None]:
    def asked(name: str) -> Callable[..., None]:
        def again(module: Any, given: Any, named: Any, result: Any) -> None:
            _, weights = module.forward(*given, **{**named, "need_weights": True})
            found[name] = weights[0].detach().float().cpu()

        return again

    hooks = [
        module.register_forward_hook(asked(name), with_kwargs=True)
        for name, module in model.named_modules()
        if isinstance(module, kind)
    ]
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()


def looked_at(model: nn.Module, setting: Setting, reads: Callable[[], object]) -> dict[str, Tensor]:
    """By the name of each attention module: who looked at whom, (H, Tq, Tk), in the last call of
    the first sentence.
    """
    found: dict[str, Tensor] = {}
    kind = setting.pages["multi_head_attention"].MultiHeadAttention
    with torch.set_grad_enabled(False), _listening(model, kind, found):
        reads()
    return found


def head_maps(
    found: Tensor, title: str, rows: Sequence[str], columns: Sequence[str], first: int = 1
) -> list[Map]:
    """One for each head; ``title`` has a place for its number, of which ``first`` is the first."""
    marks = ["␣" if letter == " " else letter for letter in columns]
    left = ["␣" if letter == " " else letter for letter in rows]
    return [
        Map(title.format(head=number), left, marks, [[round(v, 3) for v in row] for row in head])
        for number, head in enumerate(found.tolist(), start=first)
    ]
