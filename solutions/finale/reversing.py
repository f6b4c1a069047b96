"""An encoder and a decoder that write words backwards."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import torch
from torch import Tensor, nn

from grader.finale import Map, Setting

from .breaking import broken
from .looking import head_maps, looked_at
from .stepping import Stepper, seeded

PAD, BEGIN, END = 0, 1, 2
LETTERS = "abcdefghijklmnopqrstuvwxyz"
LONGEST, SHORTEST = 7, 3
SHOWN = ("brillig", "toves", "mimsy", "wabe")
HEADS, BATCH, PEAK = 2, 64, 5e-3


class Joined(nn.Module):
    """A Transformer that takes source and target side by side, as a training step hands them."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, idx: Tensor) -> Tensor:
        logits: Tensor = self.model(idx[:, :LONGEST], idx[:, LONGEST:])
        return logits


class Reversing:
    """Words of 3 to 7 random letters in, the same backwards out."""

    def __init__(self, setting: Setting) -> None:
        self._setting = setting
        self._dice = seeded(setting.seed)
        sizes = (3 + len(LETTERS), 3 + len(LETTERS), 32, HEADS, 1, 1, 64)
        made = setting.pages["transformer"].Transformer(*sizes, dropout=0.0, norm_first=True)
        self._model = made.to(setting.device)
        self.unbroken = not broken(self._model, setting, HEADS, self._probe)
        self._stepper = Stepper(setting, Joined(self._model), PEAK)
        numbers = sum(weights.numel() for weights in self._model.parameters())
        self.facts = f"{numbers:,} numbers to learn, from words of {SHORTEST} to {LONGEST} letters"

    def step(self) -> float:
        self._model.train()
        source, target = _words(BATCH, self._dice)
        both = torch.cat([source, target[:, :-1]], dim=1).to(self._setting.device)
        wanted = target[:, 1:].masked_fill(target[:, 1:] == PAD, -100)
        return self._stepper.step(both, wanted.to(self._setting.device))

    def sample(self, seed: int) -> str:
        found = self._reversed(torch.stack([_numbers(word) for word in SHOWN]))
        pairs = zip(SHOWN, found, strict=True)
        return "\n".join(f"{w} → {r} {'✓' if r == w[::-1] else '✗'}" for w, r in pairs)

    def score(self) -> tuple[float, str]:
        source, target = _words(200, seeded(self._setting.seed + 1))
        found = self._reversed(source)
        right = sum(one == _word(row[1:]) for one, row in zip(found, target, strict=True))
        return right / 200, f"of 200 words that it was never shown, {right} are right"

    def letters(self, prompt: str, temperature: float, seed: int) -> Iterator[str]:
        """Backwards, and no further; of a word that is too long, its beginning."""
        word = "".join(letter for letter in prompt.lower() if letter in LETTERS)[:LONGEST]
        yield " → "
        yield from self._reversed(_numbers(word or SHOWN[0])[None])[0]

    def maps(self) -> list[Map]:
        word = SHOWN[0]
        source = _numbers(word)[None].to(self._setting.device)
        start = torch.tensor([[BEGIN]], device=self._setting.device)
        target = torch.cat([start, _numbers(word[::-1])[None].to(self._setting.device)], dim=1)
        self._model.eval()
        found = looked_at(self._model, self._setting, lambda: self._model(source, target))
        crossing = [w for w in found.values() if w.shape[-2] != w.shape[-1]]
        rows = word[::-1] + "."
        return head_maps(crossing[-1], "cross-attention {head}", rows, word)

    def state(self) -> dict[str, Any]:
        return {
            "model": self._model.state_dict(),
            "stepper": self._stepper.state(),
            "dice": self._dice.get_state(),
        }

    def load(self, state: Mapping[str, Any]) -> None:
        self._model.load_state_dict(state["model"])
        self._stepper.load(state["stepper"])
        self._dice.set_state(state["dice"].cpu())

    def _reversed(self, source: Tensor) -> list[str]:
        """Letter by letter, the likeliest each time."""
        self._model.eval()
        source = source.to(self._setting.device)
        target = torch.full((len(source), 1), BEGIN, device=source.device)
        for _ in range(LONGEST + 1):
            with torch.set_grad_enabled(False):
                logits = self._model(source, target)
            target = torch.cat([target, logits[:, -1:].argmax(dim=-1)], dim=1)
        return [_word(row[1:]) for row in target]

    def _probe(self) -> Tensor:
        source, target = _words(4, seeded(0))
        where = self._setting.device
        logits: Tensor = self._model(source.to(where), target.to(where))
        return logits


def _words(count: int, dice: torch.Generator) -> tuple[Tensor, Tensor]:
    """Random words, (count, 7), and how they are written backwards, (count, 9): begin, letters,
    end, pads.
    """
    lengths = torch.randint(SHORTEST, LONGEST + 1, (count, 1), generator=dice)
    source = torch.randint(3, 3 + len(LETTERS), (count, LONGEST), generator=dice)
    place = torch.arange(LONGEST)
    source = source.masked_fill(place >= lengths, PAD)
    turned = source.gather(1, (lengths - 1 - place).clamp(min=0)).masked_fill(place >= lengths, PAD)
    target = torch.full((count, LONGEST + 2), PAD)
    target[:, 0], target[:, 1:-1] = BEGIN, turned
    target.scatter_(1, lengths + 1, END)
    return source, target


def _numbers(word: str) -> Tensor:
    """(7,), filled up with pads."""
    numbers = [3 + LETTERS.index(letter) for letter in word]
    return torch.tensor(numbers + [PAD] * (LONGEST - len(numbers)))


def _word(row: Tensor) -> str:
    """Up to the end, or the first pad."""
    found = ""
    for number in row.tolist():
        if number in (PAD, END):
            break
        found += LETTERS[number - 3] if number > END else "?"
    return found
