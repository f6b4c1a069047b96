"""Reading letter by letter: with the learner's cache where it is ready, else all again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor, nn

from grader.finale import Setting


class Reader:
    """Logits of what comes next, for a text that grows. ``sizes`` are those of the model: letters,
    positions, layers, heads, width.
    """

    def __init__(self, model: nn.Module, setting: Setting, sizes: tuple[int, ...]) -> None:
        self._model, self._setting, self._sizes = model, setting, sizes
        self._block = sizes[1]

    @property
    def cached(self) -> bool:
        """A broken model is read as it is."""
        return "kv_cache" in self._setting.pages and not self._setting.broken

    def rows(self, read: list[int]) -> Iterator[Tensor]:
        """One row of logits after another; between two of them the caller appends to ``read``."""
        return self._from_cache(read) if self.cached else self._again(read)

    def _again(self, read: list[int]) -> Iterator[Tensor]:
        while True:
            with torch.set_grad_enabled(False):
                logits = self._model(self._idx(read[-self._block :]))[0]
            yield logits[0, -1]

    def _from_cache(self, read: list[int]) -> Iterator[Tensor]:
        """Each letter goes through the model once. When all positions are taken, the later half of
        what was read is read again, at the first positions.
        """
        model: Any = self._setting.pages["kv_cache"].CachedGPT(*self._sizes)
        model.load_state_dict(self._model.state_dict())
        model = model.to(self._setting.device).eval()
        caches, held, new = model.new_caches(1), 0, read[-self._block :]
        while True:
            if held + len(new) > self._block:
                caches, held, new = model.new_caches(1), 0, read[-self._block // 2 :]
            with torch.set_grad_enabled(False):
                logits = model(self._idx(new), caches)
            held, length = held + len(new), len(read)
            yield logits[0, -1]
            new = read[length:]

    def _idx(self, tokens: list[int]) -> Tensor:
        return torch.tensor([tokens], device=self._setting.device)
