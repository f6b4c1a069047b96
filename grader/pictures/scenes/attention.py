"""Who attends to whom: attention by hand, masks, attention, self-attention, heads."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from grader.pictures.panels import Axis, Panel, PanelKind, Props, Scene, normal, part, shaped
from grader.programs.proxy import Implementation

WORDS = ("a", "dog", "bit", "the", "man")
T = len(WORDS)
ASKS = Axis("query", ticks=WORDS)
ANSWERS = Axis("key", ticks=WORDS)

# Attention by hand --------------------------------------------------------------------------------

_JOURNEY = ("Your", "journey", "starts", "with", "one", "step")


def _journey(props: Props) -> np.ndarray:
    """The sentence of the page."""
    sentence: np.ndarray = props.reference["JOURNEY"]
    return sentence


_BY_HAND = Scene(
    "Scores, made into shares, mix the words into contexts.",
    (
        Panel(
            "attention_scores: how alike two words are",
            PanelKind.SHARES,
            lambda impl, props: impl.attention_scores(_journey(props)),
            Axis("word", ticks=_JOURNEY),
            Axis("word", ticks=_JOURNEY),
        ),
        Panel(
            "attention_weights, scale=4: rows sum to 1",
            PanelKind.SHARES,
            lambda impl, props: impl.attention_weights(_journey(props), scale=4.0),
            Axis("attended", ticks=_JOURNEY),
            Axis("word", ticks=_JOURNEY),
        ),
        Panel(
            "context_vectors: what each word takes away",
            PanelKind.SHARES,
            lambda impl, props: impl.context_vectors(_journey(props)),
            Axis("feature"),
            Axis("word", ticks=_JOURNEY),
        ),
    ),
)

# Masks --------------------------------------------------------------------------------------------

_IDS = torch.tensor([[5, 8, 2, 7, 3], [6, 4, 9, 0, 0], [3, 0, 0, 0, 0]])
_FIRST_GONE = torch.tensor([False, True, True, True, True])


def _combined(impl: Implementation, props: Props) -> Any:
    past = torch.ones(T, T, dtype=torch.bool).tril()
    return impl.combine_masks(past, _FIRST_GONE)


def _masked(impl: Implementation, props: Props) -> Any:
    past = torch.ones(T, T, dtype=torch.bool).tril()
    return impl.masked_softmax(normal(T, T, seed=6), past & _FIRST_GONE)


_MASKS = Scene(
    "True = may attend. A row asks, a column answers.",
    (
        Panel(
            "causal_mask(5): nobody sees the future",
            PanelKind.MASK,
            lambda impl, props: impl.causal_mask(T),
            ANSWERS,
            ASKS,
        ),
        Panel(
            "causal_mask(2, 5): the last two of five ask",
            PanelKind.MASK,
            lambda impl, props: impl.causal_mask(2, T),
            ANSWERS,
            Axis("query", ticks=WORDS[3:]),
        ),
        Panel(
            "padding_mask: three sentences, 5, 3 and 1 words long",
            PanelKind.MASK,
            lambda impl, props: shaped(impl.padding_mask(_IDS, 0), 3, 1, 1, T)[:, 0, 0],
            Axis("key"),
            Axis("sentence"),
        ),
        Panel(
            "combine_masks: no future, and nobody sees “a”",
            PanelKind.MASK,
            _combined,
            ANSWERS,
            ASKS,
        ),
        Panel(
            "masked_softmax under that mask: “a” may see nothing",
            PanelKind.SHARES,
            _masked,
            ANSWERS,
            ASKS,
        ),
    ),
)

# Attention ----------------------------------------------------------------------------------------

_Q, _K, _V = (normal(T, 8, seed=seed) * size for seed, size in ((11, 1.5), (12, 1.5), (13, 1.0)))
_SEEN = torch.tensor([True, True, True, True, False])


def _attend(impl: Implementation, which: int, **options: Any) -> Any:
    found = impl.scaled_dot_product_attention(_Q, _K, _V[:, :6], **options)
    return part(found, which, "out, weights")


_ATTENTION = Scene(
    "Each query shares out one unit of attention among the keys.",
    (
        Panel(
            "weights, everybody may attend to everybody",
            PanelKind.SHARES,
            lambda impl, props: _attend(impl, 1),
            ANSWERS,
            ASKS,
        ),
        Panel(
            "weights, is_causal=True",
            PanelKind.SHARES,
            lambda impl, props: _attend(impl, 1, is_causal=True),
            ANSWERS,
            ASKS,
        ),
        Panel(
            "weights, mask: “man” may not be attended to",
            PanelKind.SHARES,
            lambda impl, props: _attend(impl, 1, mask=_SEEN),
            ANSWERS,
            ASKS,
        ),
        Panel(
            "out: the values, averaged",
            PanelKind.SIGNED,
            lambda impl, props: _attend(impl, 0),
            Axis("feature"),
            ASKS,
        ),
    ),
)

# Self-attention -----------------------------------------------------------------------------------

# Five columns say what a word is, five more which one it is. Queries and keys are made of the
# first; the values hand on the others, so that the output is the attention itself.
_SENTENCE = torch.cat([normal(T, T, seed=21), torch.eye(T)], dim=-1)
_NOTHING = torch.zeros(T, T)
_MATRICES = {
    "W_query": torch.cat([normal(T, T, seed=22), _NOTHING]),
    "W_key": torch.cat([normal(T, T, seed=23), _NOTHING]),
    "W_value": torch.cat([_NOTHING, torch.eye(T)]),
}
_LINEAR = {f"{name}.weight": matrix.T.contiguous() for name, matrix in _MATRICES.items()}


def _self_attention(impl: Implementation, props: Props) -> Any:
    layer = impl.SelfAttention_v1(2 * T, T)
    layer.load(_MATRICES)
    return layer(_SENTENCE)


def _self_attention_v2(impl: Implementation, props: Props) -> Any:
    layer = impl.SelfAttention_v2(2 * T, T)
    layer.load(_LINEAR)
    return layer(_SENTENCE)


def _causal_attention(impl: Implementation, props: Props) -> Any:
    layer = impl.CausalAttention(2 * T, T, context_length=8, dropout=0.0)
    layer.load(_LINEAR)
    return shaped(layer(_SENTENCE[None]), 1, T, T)[0]


_SELF_ATTENTION = Scene(
    "Values that say which word they are make the attention visible.",
    tuple(
        Panel(title, PanelKind.SHARES, ask, ANSWERS, ASKS)
        for title, ask in (
            ("SelfAttention_v1", _self_attention),
            ("SelfAttention_v2: the same matrices, transposed", _self_attention_v2),
            ("CausalAttention: no word sees the ones after it", _causal_attention),
        )
    ),
)

# Heads --------------------------------------------------------------------------------------------

# Tens are the token, ones the column, so that a number says where it came from.
_ADDRESSES = torch.tensor([[10.0 * t + c for c in range(6)] for t in range(2)])
_BY_HEAD = torch.stack([_ADDRESSES[:, :3], _ADDRESSES[:, 3:]])
_DISTANCES = torch.arange(-3.0, 4.0).expand(4, 7).contiguous()
_TOKENS = ("0", "1", "2", "3")


def _side_by_side(impl: Implementation, props: Props) -> Any:
    """The scores of two heads beside one another."""
    return torch.cat(list(shaped(impl.head_scores(normal(2, 4, 3, seed=26)), 2, 4, 4)), dim=-1)


def _blocks(impl: Implementation, props: Props) -> Any:
    q, k = normal(6, 4, seed=24), normal(6, 4, seed=25)
    return impl.block_diag_attention(q, k, torch.eye(6), 2)


_HEADS = Scene(
    "Where each number goes. 13 is token 1, column 3.",
    (
        Panel(
            "split_heads of two tokens, six columns, two heads",
            PanelKind.NUMBERS,
            lambda impl, props: shaped(impl.split_heads(_ADDRESSES, 2), 2, 2, 3).flatten(0, 1),
            Axis("its column"),
            Axis("", ticks=("h0 t0", "h0 t1", "h1 t0", "h1 t1")),
        ),
        Panel(
            "merge_heads: and back",
            PanelKind.NUMBERS,
            lambda impl, props: impl.merge_heads(_BY_HEAD),
            Axis("column"),
            Axis("", ticks=("t0", "t1")),
        ),
        Panel(
            "head_scores: two heads beside one another",
            PanelKind.SIGNED,
            _side_by_side,
            Axis("token", ticks=("", "head 0", "", "", "", "head 1", "", ""), every=4),
            Axis("token", ticks=_TOKENS),
        ),
        Panel(
            "relative_shift: by distance becomes by position",
            PanelKind.NUMBERS,
            lambda impl, props: impl.relative_shift(_DISTANCES),
            Axis("key", ticks=_TOKENS),
            Axis("query", ticks=_TOKENS),
        ),
        Panel(
            "block_diag_attention, blocks of 2: the weights",
            PanelKind.SHARES,
            _blocks,
            Axis("key"),
            Axis("query"),
        ),
    ),
)

# Multi-head attention -----------------------------------------------------------------------------

_H = 3
_MODEL = 12


def _head(number: int) -> Panel:
    def ask(impl: Implementation, props: Props) -> Any:
        layer = props.load(impl.MultiHeadAttention(_MODEL, _H), gain=1.6)
        found = layer(normal(1, T, _MODEL, seed=31), need_weights=True)
        return shaped(part(found, 1, "result, weights"), 1, _H, T, T)[0, number]

    return Panel(
        f"MultiHeadAttention, weights of head {number}", PanelKind.SHARES, ask, ANSWERS, ASKS
    )


def _all_heads(impl: Implementation, props: Props) -> Any:
    """Values that say which word they are, and no mixing, as in self-attention above."""
    w_q, w_k = (torch.cat([normal(_H * 4, T, seed=s), torch.zeros(_H * 4, T)], 1) for s in (32, 33))
    w_v = torch.cat([torch.zeros(_H * T, T), torch.eye(T).repeat(_H, 1)], 1)
    x = _SENTENCE[None]
    mix = torch.eye(_H * T)
    found = impl.multi_head_attention(x, x, x, w_q, w_k, w_v, mix, _H, is_causal=True)
    return shaped(found, 1, T, _H * T)[0]


def _wrapper(impl: Implementation, props: Props) -> Any:
    layer = impl.MultiHeadAttentionWrapper(2 * T, T, context_length=8, dropout=0.0, num_heads=_H)
    weights = {}
    for head in range(_H):
        for name, seed in (("query", 34), ("key", 44)):
            weights[f"heads.{head}.W_{name}.weight"] = torch.cat(
                [normal(T, T, seed=seed + head), _NOTHING], 1
            )
        weights[f"heads.{head}.W_value.weight"] = torch.cat([_NOTHING, torch.eye(T)], 1)
    layer.load(weights)
    return shaped(layer(_SENTENCE[None]), 1, T, _H * T)[0]


_NAMES = tuple(f"h{n // T}" if n % T == T // 2 else "" for n in range(_H * T))
_THREE = Axis("key", ticks=_NAMES, every=T)
_MULTI_HEAD = Scene(
    "Every head shares out its attention in its own way.",
    (
        *map(_head, range(_H)),
        Panel("multi_head_attention, is_causal=True", PanelKind.SHARES, _all_heads, _THREE, ASKS),
        Panel("MultiHeadAttentionWrapper", PanelKind.SHARES, _wrapper, _THREE, ASKS),
    ),
)

ATTENTION = {
    "attention_by_hand": _BY_HAND,
    "masks": _MASKS,
    "attention": _ATTENTION,
    "self_attention": _SELF_ATTENTION,
    "heads": _HEADS,
    "multi_head_attention": _MULTI_HEAD,
}
