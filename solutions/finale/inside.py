"""Inside of a trained GPT, looked at with the tools of the page ``circuits``."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor

from grader.finale import Look

from .looking import head_maps

MOST_LETTERS = 16  # more would not be read in a picture
_MOST_PARTS, _MOST_HEADS = 6, 3


def inside(page: Any, model: Any, idx: Tensor, period: int, decode: Callable[[int], str]) -> Look:
    """``idx`` is one text, (1, T); ``period`` letters of it are read twice for induction scores.
    ``page`` is ``circuits``, and ``decode`` says what a token is in words.
    """
    maps = page.attention_maps(model, idx)
    text = [decode(token) for token in idx[0].tolist()]
    lines = [
        *_lens(page, model, idx, text, decode),
        *_shares(page, model, idx, decode),
        *_without(page, model, idx, decode),
        *_kinds(page, model, idx, maps, period),
    ]
    drawn = [
        one
        for layer, found in enumerate(maps[:, 0].float().cpu())
        for one in head_maps(found, f"head {layer}.{{head}}", text, text, first=0)
    ]
    return Look(lines, drawn)


def _said(logits: Tensor) -> int:
    return int(logits[0, -1].argmax())


def _lens(
    page: Any, model: Any, idx: Tensor, text: list[str], decode: Callable[[int], str]
) -> Iterator[str]:
    lens = page.logit_lens(model, idx)
    yield f"It reads “{''.join(text)}”. What would it say next after"
    for blocks, logits in enumerate(lens):
        token = _said(logits)
        share = float(logits[0, -1].softmax(-1)[token])
        yield f"  {blocks} blocks: “{decode(token)}”, with probability {share:.2f}"


def _shares(page: Any, model: Any, idx: Tensor, decode: Callable[[int], str]) -> Iterator[str]:
    logits = page.logit_lens(model, idx)[-1]
    token = _said(logits)
    shares = page.direct_logit_attribution(model, idx, token)
    last = {name: float(share[0, -1]) for name, share in shares.items()}
    yield f"Its logit of “{decode(token)}” is {float(logits[0, -1, token]):.2f}. Largest shares:"
    for name in sorted(last, key=lambda name: -abs(last[name]))[:_MOST_PARTS]:
        yield f"  {name}: {last[name]:+.2f}"


def _without(page: Any, model: Any, idx: Tensor, decode: Callable[[int], str]) -> Iterator[str]:
    logits = page.logit_lens(model, idx)[-1]
    token = _said(logits)
    shares = {}
    for layer, number in _heads(page, model, idx):
        left = page.ablate(model, idx, layer, number)[0, -1].softmax(-1)
        shares[f"head {layer}.{number}"] = float(left[token])
    yield f"Its probability of “{decode(token)}” falls most without one of these:"
    for name in sorted(shares, key=lambda name: shares[name])[:_MOST_HEADS]:
        yield f"  {name}: {float(logits[0, -1].softmax(-1)[token]):.2f} → {shares[name]:.2f}"


def _kinds(page: Any, model: Any, idx: Tensor, maps: Tensor, period: int) -> Iterator[str]:
    twice = torch.cat([idx[:, :period], idx[:, :period]], dim=1)
    previous = page.previous_token_score(maps)[:, 0]
    induced = page.induction_score(page.attention_maps(model, twice), period)[:, 0]
    followed = "at what followed the same letter"
    for said, scores in (("one place back", previous), (followed, induced)):
        layer, head = divmod(int(scores.argmax()), scores.shape[1])
        yield f"Looks most {said}: head {layer}.{head}, score {float(scores.max()):.2f}"


def _heads(page: Any, model: Any, idx: Tensor) -> Iterator[tuple[int, int]]:
    layers, _, heads = page.attention_maps(model, idx[:, :1]).shape[:3]
    return itertools.product(range(layers), range(heads))
