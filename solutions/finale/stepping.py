"""One step of training, with the learner's loss, optimiser and schedule where they are ready."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from grader.finale import Setting

LARGEST_NORM = 1.0  # to which gradients are clipped
DECAY = 0.1


class WithLoss(nn.Module):
    """A model and a loss as one, in the form that a training step asks: (logits, loss)."""

    def __init__(self, model: nn.Module, loss: Any) -> None:
        super().__init__()
        self.model, self._loss = model, loss

    def forward(self, idx: Tensor, targets: Tensor | None = None) -> tuple[Tensor, Tensor | None]:
        found = self.model(idx)
        logits = found[0] if isinstance(found, tuple) else found
        if targets is not None:
            return logits, self._loss(logits.flatten(0, -2), targets.reshape(-1))
        return (logits, None)


class Stepper:
    """Loss, gradients, clipping, learning rate and AdamW: ``step`` does all of it once."""

    def __init__(self, setting: Setting, model: nn.Module, peak: float) -> None:
        self._pages, self._peak, self._steps = setting.pages, peak, setting.steps
        self._warmup = 1 if setting.broken == "warmup" else max(1, setting.steps // 20)
        self._model = WithLoss(model, self._pages["loss"].cross_entropy)
        optimiser = self._pages["optimizer"]
        groups = getattr(optimiser, "parameter_groups", None)
        what = groups(model, DECAY) if groups else model.parameters()
        self._optimiser = optimiser.AdamW(what, lr=peak, betas=(0.9, 0.99), weight_decay=DECAY)
        self._done = 0

    def step(self, idx: Tensor, targets: Tensor) -> float:
        """The loss before the step."""
        rate = self._rate()
        for group in getattr(self._optimiser, "param_groups", ()):
            group["lr"] = rate
        if not hasattr(self._optimiser, "param_groups"):
            self._optimiser.lr = rate
        self._done += 1
        one_step = getattr(self._pages["training"], "train_step", self._own_step)
        return float(one_step(self._model, [(idx, targets)], self._optimiser, LARGEST_NORM))

    def _own_step(
        self, model: nn.Module, batches: list[tuple[Tensor, Tensor]], optimiser: Any, largest: float
    ) -> float:
        """Where the page of the training step is not ready."""
        optimiser.zero_grad()
        ((idx, targets),) = batches
        _, loss = model(idx, targets)
        loss.backward()
        # a list: whoever goes through the parameters twice finds them both times
        self._pages["optimizer"].clip_grad_norm([*model.parameters()], largest)
        optimiser.step()
        return float(loss.detach())

    def _rate(self) -> float:
        """Up to the peak in a straight line, then down as half a cosine to a tenth of it."""
        floor = self._peak / 10
        theirs = getattr(self._pages["optimizer"], "cosine_lr", None)
        if theirs is not None:
            rate = theirs(self._done, self._peak, self._warmup, self._steps, floor)
            return float(rate)
        if self._done < self._warmup:
            return self._peak * (self._done + 1) / self._warmup
        way = (self._done - self._warmup) / max(1, self._steps - self._warmup)
        return floor + (self._peak - floor) * (1 + math.cos(min(1.0, way) * math.pi)) / 2

    def state(self) -> dict[str, Any]:
        """What the next steps depend on, beside the model."""
        return {"done": self._done, "optimiser": self._optimiser.state_dict()}

    def load(self, state: Mapping[str, Any]) -> None:
        """The reverse of ``state``."""
        self._done = int(state["done"])
        self._optimiser.load_state_dict(state["optimiser"])


def drawn(
    setting: Setting, stream: Tensor, batch: int, tokens: int, dice: torch.Generator
) -> tuple[Tensor, Tensor]:
    """Windows of a stream and what follows in each place: (batch, tokens) both, on the device."""
    theirs = getattr(setting.pages["training"], "next_token_batch", None)
    if theirs is not None:
        idx, targets = theirs(stream, batch, tokens, dice)
    else:
        starts = torch.randint(len(stream) - tokens, (batch, 1), generator=dice)
        places = starts + torch.arange(tokens)
        idx, targets = stream[places], stream[places + 1]
    return idx.to(setting.device), targets.to(setting.device)


def chosen(setting: Setting, logits: Tensor, temperature: float, dice: torch.Generator) -> int:
    """One token of a row of logits, with the learner's sampling where it is ready."""
    logits = logits.detach().float().cpu()
    if theirs := getattr(setting.pages["sampling"], "sample", None):
        return int(theirs(logits[None], temperature=temperature, generator=dice)[0])
    if temperature == 0:
        return int(logits.argmax())
    shares = torch.softmax(logits.div(temperature), -1)
    return int(torch.multinomial(shares, 1, generator=dice))


def seeded(seed: int) -> torch.Generator:
    """Random numbers of one's own: on the CPU, so that they are the same for every device."""
    dice = torch.Generator()
    dice.manual_seed(seed)
    return dice
