"""A GPT that learns letters: aabaab..., a poem by heart, or any text."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from grader.finale import Learning, Look, Map, Setting

from .breaking import broken
from .cached import Reader
from .inside import MOST_LETTERS, inside
from .looking import head_maps, looked_at
from .stepping import Stepper, chosen, drawn, seeded

TEXT = Path(__file__).with_name("jabberwocky.txt")


@dataclass(frozen=True)
class Plan:
    """Sizes and rates, found by trying: what learns within a minute on one core. A text is asked
    ``asked`` times for its next letter at the end. ``shown`` is what the pictures are of.
    """

    block: int
    layers: int
    heads: int
    width: int
    batch: int
    peak: float
    prompt: str
    shown: str
    length: int = 100
    least: int = 8  # letters to see before one is asked for the next
    temperature: float = 0.8


class Alphabet:
    """Letters as numbers, where the page of the tokeniser is not ready."""

    def __init__(self, text: str) -> None:
        self._letters = sorted(set(text))

    def encode(self, text: str) -> list[int]:
        return [self._letters.index(letter) for letter in text]

    def decode(self, ids: list[int]) -> str:
        return "".join(self._letters[number] for number in ids)


class Letters:
    """A GPT, a text, and what it makes of it."""

    def __init__(self, setting: Setting, plan: Plan, text: str, held_out: str = "") -> None:
        self._setting, self._plan, self._text = setting, plan, text
        self._alphabet = set(text + held_out)
        letters = getattr(setting.pages["tokenizer"], "CharTokenizer", Alphabet)
        self._tokens = letters(text + held_out)
        self._stream = torch.tensor(self._tokens.encode(text))
        self._asked = torch.tensor(self._tokens.encode(held_out)) if held_out else self._stream
        self._dice = seeded(setting.seed)
        sizes = (len(self._alphabet), plan.block, plan.layers, plan.heads, plan.width)
        self._model = setting.pages["gpt"].GPT(*sizes).to(setting.device)
        self.unbroken = not broken(self._model, setting, plan.heads, self._probe)
        self._stepper = Stepper(setting, self._model, plan.peak)
        self._reader = Reader(self._model, setting, sizes)
        numbers = sum(weights.numel() for weights in self._model.parameters())
        self.facts = f"{numbers:,} numbers to learn, {len(text):,} letters to learn from"

    @property
    def cached(self) -> bool:
        """Whether it reads with the learner's cache."""
        return self._reader.cached

    def step(self) -> float:
        self._model.train()
        plan = self._plan
        batch = drawn(self._setting, self._stream, plan.batch, plan.block, self._dice)
        return self._stepper.step(*batch)

    def sample(self, seed: int) -> str:
        plan = self._plan
        letters = self.letters(plan.prompt, plan.temperature, seed)
        return plan.prompt + "".join(itertools.islice(letters, plan.length))

    def letters(self, prompt: str, temperature: float, seed: int) -> Iterator[str]:
        """What it has never seen is left out of the prompt."""
        self._model.eval()
        known = "".join(letter for letter in prompt if letter in self._alphabet)
        read = self._tokens.encode(known or self._text[0])
        dice = seeded(seed)
        for logits in self._reader.rows(read):
            token = chosen(self._setting, logits, temperature, dice)
            read.append(token)
            yield self._tokens.decode([token])

    def score(self) -> tuple[float, str]:
        """Asked letter by letter, with nothing to see of what comes: windows of several lengths,
        the last position of each.
        """
        self._model.eval()
        right = total = 0
        loss = 0.0
        lengths = range(self._plan.least, self._plan.block + 1, max(1, self._plan.block // 8))
        for tokens in lengths:
            dice = seeded(tokens)
            idx, targets = drawn(self._setting, self._asked, 32, tokens, dice)
            with torch.set_grad_enabled(False):
                logits, _ = self._model(idx)
            shares = torch.log_softmax(logits[:, -1].float(), dim=-1)
            loss -= float(shares.gather(1, targets[:, -1:]).sum())
            right += int((shares.argmax(dim=-1) == targets[:, -1]).sum())
            total += len(idx)
        said = f"asked letter by letter, {right} of {total} next letters right"
        return right / total, f"{said}, loss {loss / total:.2f}"

    def maps(self) -> list[Map]:
        shown = "".join(letter for letter in self._plan.shown if letter in self._alphabet)
        found = looked_at(self._model, self._setting, lambda: self._model(self._idx(shown)))
        return [
            one
            for layer, weights in enumerate(found.values(), start=1)
            for one in head_maps(weights, self._title(layer), shown, shown)
        ]

    def look(self, prompt: str) -> Look:
        """The end of the prompt, as many letters as can be drawn."""
        known = "".join(letter for letter in prompt if letter in self._alphabet)
        read = known if len(known) > 1 else self._plan.shown
        idx = self._idx(read[-min(MOST_LETTERS, self._plan.block) :])
        period = min(idx.shape[1], self._plan.block // 2)
        page = self._setting.pages["circuits"]
        return inside(page, self._model, idx, period, lambda token: self._tokens.decode([token]))

    def _title(self, layer: int) -> str:
        if self._plan.layers == self._plan.heads == 1:
            return "trained"
        return f"layer {layer}, head {{head}}"

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

    def _idx(self, text: str) -> Tensor:
        return torch.tensor([self._tokens.encode(text)], device=self._setting.device)

    def _probe(self) -> Tensor:
        tokens = self._stream[: self._plan.block][None].to(self._setting.device)
        logits: Tensor = self._model(tokens)[0]
        return logits


class Aab(Letters):
    """Beside it, the model whose weights somebody wrote by hand, where the page is ready."""

    def maps(self) -> list[Map]:
        mine = super().maps()
        page = self._setting.pages.get("hand_weights")
        if page is None:
            return mine
        text = self._plan.shown
        _, attention = page.forward(page.aab_weights(), page.tokens_of(text))
        by_hand = head_maps(torch.tensor(attention), "by hand", text, text)
        return [
            Map(one.title, one.rows, one.columns, one.shares, said)
            for one, said in zip([*mine, *by_hand], (_FOUND, _MEANT), strict=False)
        ]


_FOUND = "What training found: any weights that tell aa from ab and ba will do."
_MEANT = "What you meant: half of the weight on each of the last two letters."


def poem(setting: Setting) -> Learning:
    """Jabberwocky by heart."""
    plan = Plan(64, 2, 4, 64, 16, 4e-3, '"Beware the J', "The vorpal b", length=120)
    return Letters(setting, plan, TEXT.read_text(encoding="utf-8"))


def aab(setting: Setting) -> Learning:
    """The smallest: two letters, and two of them to look back to."""
    plan = Plan(5, 1, 1, 8, 32, 5e-3, "aa", "aabaa", length=28, least=2, temperature=0.0)
    return Aab(setting, plan, "aab" * 40)


def any_text(setting: Setting) -> Learning:
    """Of a long text the last tenth is kept back, to be asked about at the end."""
    text = setting.text
    cut = len(text) - len(text) // 10 if len(text) >= 5000 else len(text)
    plan = Plan(64, 2, 4, 64, 16, 4e-3, text[:12], text[:12], length=120)
    return Letters(setting, plan, text[:cut], text[cut:])
