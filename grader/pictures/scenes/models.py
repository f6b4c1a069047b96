"""Whole models: what the Transformer and the GPT look at and predict, and weights set by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from grader.model import Cause
from grader.pictures.panels import (
    Axis,
    Panel,
    PanelKind,
    Props,
    Scene,
    normal,
    part,
    reach,
    reach_of_tokens,
    shaped,
)
from grader.pictures.scenes.attention import WORDS, T
from grader.pictures.scenes.layers import FROM, OUT
from grader.programs.failure import CheckFailed
from grader.programs.kinds import kind_of
from grader.programs.proxy import Implementation, ModuleProxy

# Transformer --------------------------------------------------------------------------------------

_SOURCE = ("ein", "Hund", "biss", "ihn", "·")
_TARGET = ("«", "a", "dog", "bit", "him")
_SRC, _TGT = [3, 4, 5, 6, 0], [1, 2, 4, 6, 7]
_VOCABULARY = ("·", "«", "a", "the", "dog", "cat", "bit", "him")


def _transformer(impl: Implementation, props: Props) -> tuple[ModuleProxy, Any]:
    model = impl.Transformer(
        7,
        8,
        d_model=8,
        num_heads=2,
        num_encoder_layers=2,
        num_decoder_layers=2,
        d_ff=16,
        dropout=0.0,
        max_len=16,
    )
    props.load(model, gain=1.5)
    return model, shaped(model(torch.tensor([_SRC]), torch.tensor([_TGT])), 1, T, 8)


def _looks_at(table: str, ids: list[int]) -> Any:
    def ask(impl: Implementation, props: Props) -> Any:
        model, logits = _transformer(impl, props)
        return reach_of_tokens(model, logits, table, ids)

    return ask


_NEXT = Axis("next", ticks=_VOCABULARY)
_TRANSFORMER = Scene(
    "What each prediction rests on: « begins a sentence, · is padding.",
    (
        Panel(
            "the target: what is written so far",
            PanelKind.SHARES,
            _looks_at("tgt_embedding.embedding.weight", _TGT),
            Axis("depends on", ticks=_TARGET),
            Axis("after", ticks=_TARGET),
        ),
        Panel(
            "the source: all of it, but for the padding",
            PanelKind.SHARES,
            _looks_at("src_embedding.embedding.weight", _SRC),
            Axis("depends on", ticks=_SOURCE),
            Axis("after", ticks=_TARGET),
        ),
        Panel(
            "softmax of the logits (nobody trained this model)",
            PanelKind.SHARES,
            lambda impl, props: _transformer(impl, props)[1][0].softmax(-1),
            _NEXT,
            Axis("after", ticks=_TARGET),
        ),
    ),
)

# GPT ----------------------------------------------------------------------------------------------

_IDS = [0, 2, 3, 1, 4]
_LEXICON = ("a", "the", "dog", "bit", "man", "cat", "saw")


def _gpt(impl: Implementation, props: Props) -> tuple[ModuleProxy, Any]:
    model = impl.GPT(7, 8, n_layer=2, n_head=2, n_embd=8, tie_weights=False)
    props.load(model, gain=1.5)
    logits = part(model(torch.tensor([_IDS])), 0, "logits, loss")
    return model, shaped(logits, 1, T, 7)


def _gpt_reach(impl: Implementation, props: Props) -> Any:
    model, logits = _gpt(impl, props)
    return reach_of_tokens(model, logits, "token_embedding.weight", _IDS)


def _block(impl: Implementation, props: Props) -> Any:
    block = props.load(impl.Block(8, num_heads=2, d_ff=32), gain=1.5)
    return reach(impl, lambda x: block(x), normal(T, 8, seed=71))


_GPT = Scene(
    "How strongly each output depends on each word: never on a later one.",
    (
        Panel("Block", PanelKind.SHARES, _block, FROM, OUT),
        Panel("GPT, two blocks: from word to logits", PanelKind.SHARES, _gpt_reach, FROM, OUT),
        Panel(
            "softmax of the logits (nobody trained this model)",
            PanelKind.SHARES,
            lambda impl, props: _gpt(impl, props)[1][0].softmax(-1),
            Axis("next", ticks=_LEXICON),
            Axis("after", ticks=WORDS),
        ),
    ),
)

# Weights by hand ----------------------------------------------------------------------------------

_LETTERS = "abcd"


def _run(props: Props, weights: Any, text: str) -> tuple[np.ndarray, np.ndarray]:
    """The page's own model with the weights handed in; only numbers come from the submission."""
    if not isinstance(weights, dict):
        raise CheckFailed(Cause("no_dict", {"got_kind": kind_of(weights)}))
    arrays = {str(name): np.asarray(value, dtype=np.float64) for name, value in weights.items()}
    if len(arrays) > 40 or any(array.size > 1 << 18 for array in arrays.values()):
        raise ValueError("more weights than the page allows")
    ids = [_LETTERS.index(letter) for letter in text]
    with np.errstate(all="ignore"):
        logits, attention = props.reference["forward"](arrays, ids)
    return logits, attention


def _predicted(props: Props, weights: Any, text: str, asked: slice) -> np.ndarray:
    """Which letter is predicted at each place that is asked about.

    It is the one whose logit is above every other by as much as the page asks for, if there is one.
    """
    logits, _ = _run(props, weights, text)
    second, first = np.sort(logits[asked], axis=-1)[:, -2:].T
    margin = 1e-6 * np.abs(logits[asked]).max(axis=-1)
    clear = (first - second > margin)[:, None]
    predicted: np.ndarray = clear & (logits[asked] == first[:, None])
    return predicted


def _attended(name: str, text: str, layer: int) -> Any:
    def ask(impl: Implementation, props: Props) -> Any:
        return _run(props, getattr(impl, name)(), text)[1][layer]

    return ask


def _after(text: str, start: int) -> Axis:
    """Places by the text read so far, or its end."""
    return Axis("after", ticks=tuple(text[: n + 1][-5:] for n in range(start, len(text))))


def _previous(impl: Implementation, props: Props) -> Any:
    """Row 0 has nobody but itself, so it is left out."""
    return _run(props, impl.previous_token_head(), "dabcc")[1][0][1:] >= 0.9


_HAND_WEIGHTS = Scene(
    "Which letter comes next, and where the model looked to know it.",
    (
        Panel(
            "aab_weights: predictions while reading aabaa",
            PanelKind.MASK,
            lambda impl, props: _predicted(props, impl.aab_weights(), "aabaa", slice(1, None)),
            Axis("next", ticks=("a", "b")),
            _after("aabaa", 1),
        ),
        Panel(
            "aab_weights: attention in layer 0",
            PanelKind.SHARES,
            _attended("aab_weights", "aabaa", 0),
            Axis("looks at", ticks=tuple("aabaa")),
            Axis("place", ticks=tuple("aabaa")),
            free=True,
        ),
        Panel(
            "periodic_weights(“dab”): predictions",
            PanelKind.MASK,
            lambda impl, props: _predicted(
                props, impl.periodic_weights("dab"), "bdabdab", slice(2, None)
            ),
            Axis("next", ticks=tuple(_LETTERS)),
            _after("bdabdab", 2),
        ),
        Panel(
            "previous_token_head: weights of 0.9 or more",
            PanelKind.MASK,
            _previous,
            Axis("looks at", ticks=tuple("dabcc")),
            Axis("place", ticks=tuple("abcc")),
        ),
        Panel(
            "induction_head: attention in layer 1, over bcdab",
            PanelKind.SHARES,
            _attended("induction_head", "bcdab", 1),
            Axis("looks at", ticks=tuple("bcdab")),
            Axis("place", ticks=tuple("bcdab")),
            free=True,
        ),
        Panel(
            "induction_head: after bcdab comes c",
            PanelKind.MASK,
            lambda impl, props: _predicted(props, impl.induction_head(), "bcdab", slice(4, None)),
            Axis("next", ticks=tuple(_LETTERS)),
            Axis("after", ticks=("bcdab",)),
        ),
    ),
)

MODELS = {"transformer": _TRANSFORMER, "gpt": _GPT, "hand_weights": _HAND_WEIGHTS}
