"""Weights by hand: a transformer that works, and nobody trained it.

Here the model is given, and you write its weights. It is a small one: attention layers with one
head each, no norms, no feed-forward network, and logits from the embedding itself. ``forward``
below is all of it, and it is what your weights are run in: read it first.

Weights are a dict of numpy arrays by name. For V letters, N positions and width d:

    wte                     (V, d)      one row per letter: what it looks like
    wpe                     (N, d)      one row per position, at least as many as there are letters
                                        in a text
    layers.0.c_attn         (d, 3 d)    queries, keys and values of x side by side: x @ c_attn
    layers.0.c_attn_bias    (3 d,)      may be left out, which means zeros
    layers.0.c_proj         (d, d)      what is written back into x
    layers.0.c_proj_bias    (d,)        may be left out
    layers.1.c_attn ...                 further layers, if there are any

Row i of c_attn belongs to column i of x, and has three parts of d numbers: what a 1 in that column
adds to the query, to the key and to the value. With d = 3, where column 0 says "this is an a",
c_attn[0] = [0, 0, 9, 9, 0, 0, 0, 1, 0] gives every a the query 0, 0, 9, the key 9, 0, 0 and the
value 0, 1, 0.

The width is yours to choose, up to 256, and so is which column means what, and how large numbers
are; up to 8 layers. All that counts is what the model predicts, and where the page asks for it,
where it attends. All numbers are finite, no name is made up. Every call returns weights that are
right, whatever was called before.

A letter is predicted when its logit is above every other, by more than a millionth of the largest
logit. Nothing is ever asked at the first position of a text, nor where the text leaves open what
comes next.

Source: Theia Vogel 2023, "I made a transformer by hand (no training!)"; Elhage et al. 2021, "A
Mathematical Framework for Transformer Circuits".
"""

from __future__ import annotations

import math

import numpy as np
from jaxtyping import Float

Array = np.ndarray
Weights = dict[str, Array]

LETTERS = "abcd"
LONGEST = 12  # letters in a text, except for aab_weights, where it is 5


def forward(
    weights: Weights, tokens: list[int]
) -> tuple[Float[Array, "T V"], Float[Array, "L T T"]]:
    """The model: logits for every position, and every layer's attention, row i for token i.

    >>> logits, attention = forward(aab_weights(), tokens_of("aabaa"))
    >>> print(logits.astype(int))
    [[   1 1024]
     [   1 1024]
     [1024    1]
     [1025    0]
     [   1 1024]]
    >>> print(attention[0].round(2))
    [[1.  0.  0.  0.  0. ]
     [0.5 0.5 0.  0.  0. ]
     [0.  0.5 0.5 0.  0. ]
     [0.  0.  0.5 0.5 0. ]
     [0.  0.  0.  0.5 0.5]]
    """
    x = weights["wte"][tokens] + weights["wpe"][: len(tokens)]
    may_attend = np.tril(np.ones((len(tokens), len(tokens)), dtype=bool))
    patterns = []
    while f"layers.{len(patterns)}.c_attn" in weights:
        layer = f"layers.{len(patterns)}"
        qkv = x @ weights[f"{layer}.c_attn"] + weights.get(f"{layer}.c_attn_bias", 0.0)
        q, k, v = np.split(qkv, 3, axis=-1)
        scores = np.where(may_attend, q @ k.T / math.sqrt(x.shape[-1]), -np.inf)
        exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
        attention = exponentials / exponentials.sum(axis=-1, keepdims=True)
        written = attention @ v @ weights[f"{layer}.c_proj"]
        x = x + written + weights.get(f"{layer}.c_proj_bias", 0.0)
        patterns.append(attention)
    return x @ weights["wte"].T, np.stack(patterns)


def tokens_of(text: str) -> list[int]:
    """Letters as numbers: a is 0, b is 1, c is 2, d is 3."""
    return [LETTERS.index(letter) for letter in text]


def complete(weights: Weights, text: str, letters: int) -> str:
    """``text`` with so many letters more, each predicted from as many as the model has places for.

    >>> complete(aab_weights(), "aa", 10)
    'aabaabaabaab'
    """
    for _ in range(letters):
        seen = text[-len(weights["wpe"]) :]
        logits, _ = forward(weights, tokens_of(seen))
        text += LETTERS[int(logits[-1].argmax())]
    return text


def aab_weights() -> Weights:
    """A model that continues aabaabaab..., whichever letter of it a text begins with.

    Two letters, so wte has two rows; texts have up to five. After aa comes b, after ab and ba
    comes a: the last two letters say what comes next, and position 0 says nothing.

    One layer will do. Give each letter and each position columns of their own. Let token i ask for
    the positions i - 1 and i, so that it attends to both by half; let an a say +1 and a b say -1
    in a column kept for it; then aa adds up to 1, ab and ba to 0. What is written back must drown
    what is already there, since x still holds the last letter itself, and its logit with it.

    Graded after every text of two to five letters cut out of aabaabaab...

    Source: Vogel 2023.

    >>> [complete(aab_weights(), text, 1)[-1] for text in ("aa", "ab", "ba", "abaab")]
    ['b', 'a', 'a', 'a']
    """
    # TODO: step 1 of 4
    raise NotImplementedError("hand_weights: replace this line")


def periodic_weights(pattern: str) -> Weights:
    """A model that continues ``pattern``, repeated for ever, whichever letter a text begins with.

    Patterns have two to six letters out of a, b, c and d; wte has four rows, one for each letter
    in this order, also for those that do not occur. Texts have up to 12 letters.

    Where the last p letters are known, p = len(pattern), so is the next: it is the first of them.
    Counting letters as in ``aab_weights`` is of no use here, for abcd and abdc count alike, and
    looking back p - 1 places is.

    Graded after every text of p to 12 letters cut out of the repeated pattern.

    >>> complete(periodic_weights("aaab"), "aaba", 8)
    'aabaaabaaaba'
    >>> complete(periodic_weights("dab"), "bda", 5)
    'bdabdabd'
    """
    # TODO: step 2 of 4
    raise NotImplementedError("hand_weights: replace this line")


def previous_token_head() -> Weights:
    """A model whose first layer attends to the letter before, whatever the letters are.

    wte has four rows, for a, b, c and d; texts have 2 to 12 letters. In layer 0 each row of the
    attention but the first has a weight of at least 0.9 on the place before: row i on i - 1. (Row
    0 has nobody but itself to attend to.) What the model predicts does not matter.

    Source: Elhage et al. 2021, "Two-layer attention-only transformers".

    >>> _, attention = forward(previous_token_head(), tokens_of("dabc"))
    >>> print(attention[0].round(2))
    [[1. 0. 0. 0.]
     [1. 0. 0. 0.]
     [0. 1. 0. 0.]
     [0. 0. 1. 0.]]
    """
    # TODO: step 3 of 4
    raise NotImplementedError("hand_weights: replace this line")


def induction_head() -> Weights:
    """A model that has seen A followed by B, meets A again, and predicts B.

    wte has four rows, for a, b, c and d. Graded after every kind of text of 3 to 12 letters whose
    last letter stands in it exactly once before, at any place: predicted is the letter that
    followed it there. After abca comes b, also after cabdda and after cdabda; after caa comes a.

    It takes two layers. The first tells every place which letter came before it, in columns kept
    for that. In the second, the last letter asks for places that came after a letter like itself,
    and copies what stands there, however many other letters there are.

    Row 0 of the first layer attends to itself, so that the first place takes itself for a letter
    that follows itself. See to it that the second layer does not copy from there because of that.

    Source: Elhage et al. 2021, "Induction heads"; Olsson et al. 2022.

    >>> [complete(induction_head(), text, 1)[-1] for text in ("abca", "cdabda", "caa")]
    ['b', 'b', 'a']
    """
    # TODO: step 4 of 4
    raise NotImplementedError("hand_weights: replace this line")
