"""Reading letter by letter: with the learner's cache where it is ready, else all again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor, nn

from grader.finale import Setting


class Reader:
    """Logits of what comes next, for a text that grows."""

    def __init__(self, model: nn.Module, setting: Setting, block: int, heads: int) -> None:
        self._model, self._setting, self._block, self._heads = model, setting, block, heads
        page = setting.pages.get("kv_cache")
        self._page = None if setting.broken else page

    @property
    def cached(self) -> bool:
        return self._page is not None

    def rows(self, read: list[int]) -> Iterator[Tensor]:
        """One row of logits after another; between two of them the caller appends to ``read``."""
        return self._from_cache(read) if self.cached else self._again(read)

    def _again(self, read: list[int]) -> Iterator[Tensor]:
        while True:
            idx = torch.tensor([read[-self._block :]], device=self._setting.device)
            with torch.no_grad():
                logits = self._model(idx)[0]
            yield logits[0, -1]

    def _from_cache(self, read: list[int]) -> Iterator[Tensor]:
        """Each letter is read once. When all positions are taken, the later half of the window is
        read again, from the first position on.
        """
        layers, known = self._layers(), 0
        new = read[-self._block :]
        while True:
            if known + len(new) > self._block:
                for _, memory in layers:
                    memory.reset()
                known, new = 0, read[-self._block // 2 :]
            logits = self._through(layers, new, known)
            known += len(new)
            length = len(read)
            yield logits
            new = read[length:]

    def _layers(self) -> list[tuple[Any, Any]]:
        """For each block its attention, made able to remember, and an empty memory."""
        assert self._page is not None
        found = []
        for block in self._model.blocks:  # type: ignore[union-attr]
            theirs = block.attention
            width, heads = theirs.w_q.weight.shape[0], self._heads
            attention = self._page.CachedAttention(width, heads).to(self._setting.device)
            attention.load_state_dict(theirs.state_dict())
            where = {"device": self._setting.device}
            memory = self._page.KVCache(1, heads, self._block, width // heads, **where)
            found.append((attention.eval(), memory))
        return found

    def _through(self, layers: list[tuple[Any, Any]], new: list[int], known: int) -> Tensor:
        """The model's way, with the places where it reads the text's middle."""
        model: Any = self._model
        tokens = torch.tensor([new], device=self._setting.device)
        places = torch.arange(known, known + len(new), device=self._setting.device)
        with torch.no_grad():
            x = model.token_embedding(tokens) + model.position_embedding(places)
            for block, (attention, memory) in zip(model.blocks, layers, strict=True):
                x = block.residual1(x, lambda y, a=attention, m=memory: a(y, m))
                x = block.residual2(x, block.feed_forward)
            last: Tensor = model.norm(x[:, -1])
            return (last @ model.token_embedding.weight.T)[0]
