"""Weights by hand: a transformer that works, and nobody trained it.

Idea
----

Training finds weights, but it does not say what they do. Here it is the other way round: the model
is given, and you write its weights so that it does what the page asks for. Who has done that can
read what the weights of a trained model do.

The model is small: attention layers with one head each, no norms, no feed-forward network. The
function ``forward`` below is all of it, and your weights are run in it: read it first.

Formula
-------

For a text of T letters, with d numbers for each letter:

    x            = wte[letters] + wpe[0 .. T-1]                  (T, d)
    q, k, v      = x @ c_attn + c_attn_bias, cut in three        (T, d) each
    attention    = softmax(q k^T / sqrt(d)), causal              (T, T)
    x            = x + attention @ v @ c_proj + c_proj_bias      once for every layer
    logits       = x wte^T                                       (T, V)

Worked example
--------------

A model for the letters a and b and texts of up to three letters, which always predicts the first
letter of the text. Give every fact a column of x of its own: "this is an a", "this is a b", "this
stands at place 0", and so on. Such rows of zeros with a single 1 are called *one-hot*.

>>> a, b, p0, p1, p2 = range(5)  # what the five columns mean
>>> wte, wpe = np.eye(5)[[a, b]], np.eye(5)[[p0, p1, p2]]
>>> print(wte[[1, 0, 0]] + wpe)  # x for the text baa: columns a, b, p0, p1, p2
[[0. 1. 1. 0. 0.]
 [1. 0. 0. 1. 0.]
 [1. 0. 0. 0. 1.]]

Row i of c_attn belongs to column i of x. It has three parts of d numbers: what a 1 in that column
adds to the query, to the key and to the value.

>>> q, k, v, c_proj = np.zeros((4, 5, 5))
>>> q[[p0, p1, p2], p0] = 100  # at every place, the query asks for column p0
>>> k[p0, p0] = 1  # and place 0 alone has it in its key
>>> v[[a, b], [a, b]] = 1  # the value is the letter
>>> c_proj[[a, b], [a, b]] = 2  # written back into the letters' columns, twice as large
>>> c_attn = np.concatenate([q, k, v], axis=1)
>>> print(c_attn.astype(int))
[[  0   0   0   0   0   0   0   0   0   0   1   0   0   0   0]
 [  0   0   0   0   0   0   0   0   0   0   0   1   0   0   0]
 [  0   0 100   0   0   0   0   1   0   0   0   0   0   0   0]
 [  0   0 100   0   0   0   0   0   0   0   0   0   0   0   0]
 [  0   0 100   0   0   0   0   0   0   0   0   0   0   0   0]]

A score is 100 / sqrt(5) = 44.7 at place 0 and 0 elsewhere, so nearly all weight goes to place 0:

>>> weights = {"wte": wte, "wpe": wpe, "layers.0.c_attn": c_attn, "layers.0.c_proj": c_proj}
>>> logits, attention = forward(weights, tokens_of("baa"))
>>> print(attention[0].round(2))
[[1. 0. 0.]
 [1. 0. 0.]
 [1. 0. 0.]]

x holds the last letter, worth 1 in its own logit. What is written is worth 2, and wins:

>>> print(logits.round(2))  # columns: a, b
[[0. 3.]
 [1. 2.]
 [1. 2.]]

What is graded
--------------

Four functions, each of which returns weights: a dict of numpy arrays by name. For V letters, N
positions and width d:

    wte                     (V, d)      one row per letter: what it looks like
    wpe                     (N, d)      one row per position, at least as many as there are letters
                                        in a text
    layers.0.c_attn         (d, 3 d)    queries, keys and values of x side by side: x @ c_attn
    layers.0.c_attn_bias    (3 d,)      may be left out, which means zeros
    layers.0.c_proj         (d, d)      what is written back into x: the answer (attention @ values)
                                        times this matrix is added to x
    layers.0.c_proj_bias    (d,)        may be left out
    layers.1.c_attn ...                 further layers, if there are any

The width is yours to choose, up to 256, and so is which column means what, and how large numbers
are; up to 8 layers. All that counts is what the model predicts, and where the page asks for it,
where it attends. All numbers are finite, no name is made up. Every call returns weights that are
right, whatever was called before.

A letter is predicted when its logit is above every other, by more than a millionth of the largest
logit. Nothing is ever asked at the first position of a text, nor where the text leaves open what
comes next.

Why it is like this
-------------------

Why large numbers? Softmax turns a gap between scores into a ratio of weights: a gap of 5 gives 148
to 1, a gap of 45 leaves nothing for the others that could be seen.

Why must what is written be larger than 1? The residual connection keeps the last letter in x. This
helps deep models to be trained, but here the old letter competes with the prediction.

Why is there no feed-forward network? Attention alone can look something up and copy it, and that is
all these tasks need. It cannot compute with what it finds: for that a model has its network.

Look further
------------

Theia Vogel 2023, "I made a transformer by hand (no training!)": where ``aab_weights`` comes from.
Elhage et al. 2021, "A Mathematical Framework for Transformer Circuits".
Olsson et al. 2022, "In-context Learning and Induction Heads": such heads in trained models.
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

    These logits are of weights whose largest number is 1024. Yours may be of another size:

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
    comes a: the last two letters say what comes next. (Nothing is asked after a single letter.)

    One layer will do. Give each letter and each position columns of their own. Let the query of
    token i ask for the positions i - 1 and i, so that half of its attention goes to each. Let the
    value part of c_attn make +1 of an a and -1 of a b, in one column of the values. Then the
    averages tell the cases apart: 1 after aa, and 0 after ab and ba. A bias can say what is to come
    after 0. What is written back must be larger than what is in x already, for x still holds the
    last letter itself, and its logit with it.

    Graded after every text of two to five letters cut out of aabaabaab...

    Source: Vogel 2023.

    >>> [complete(aab_weights(), text, 1)[-1] for text in ("aa", "ab", "ba", "abaab")]
    ['b', 'a', 'a', 'a']
    """
    # BEGIN SOLUTION
    position, letter, value = slice(0, 5), slice(5, 7), 7
    query, key, say = np.zeros((3, 8, 8))
    query[position, position] = 1024 * (np.eye(5) + np.eye(5, k=-1))
    key[position, position] = np.eye(5)
    say[letter, value] = [1, -1]
    write, bias = np.zeros((8, 8)), np.zeros(8)
    write[value, letter] = [-1024, 1024]
    bias[letter] = [1024, 0]
    return {
        "wte": np.eye(8)[letter],
        "wpe": np.eye(8)[position],
        "layers.0.c_attn": np.hstack([query, key, say]),
        "layers.0.c_proj": write,
        "layers.0.c_proj_bias": bias,
    }
    # END SOLUTION


def periodic_weights(pattern: str) -> Weights:
    """A model that continues ``pattern``, repeated for ever, whichever letter a text begins with.

    Patterns have two to six letters out of a, b, c and d; wte has four rows, one for each letter
    in this order, also for those that do not occur. Texts have up to 12 letters.

    With p = len(pattern), the next letter is the one that stood p places before it. So it is the
    first of the last p letters: the head must look back p - 1 places from the last one, and copy.

        pattern abcd, p = 4      a  b  c  d  a  b  [c]
                                       ^        |        from the last b, 3 places back: c
                                       +--------+

    To count letters, as ``aab_weights`` does, is not enough here: abcd and abdc have the same ones.

    Graded after every text of p to 12 letters cut out of the repeated pattern.

    >>> complete(periodic_weights("aaab"), "aaba", 8)
    'aabaaabaaaba'
    >>> complete(periodic_weights("dab"), "bda", 5)
    'bdabdabd'
    """
    # BEGIN SOLUTION
    back = len(pattern) - 1
    letter, position = slice(0, 4), slice(4, 16)
    query, key, value, write = np.zeros((4, 16, 16))
    query[position, position] = 1024 * np.eye(12, k=-back)
    key[position, position] = np.eye(12)
    value[letter, letter] = np.eye(4)
    write[letter, letter] = 2 * np.eye(4)  # twice, as x holds the last letter once
    return {
        "wte": np.eye(16)[letter],
        "wpe": np.eye(16)[position],
        "layers.0.c_attn": np.hstack([query, key, value]),
        "layers.0.c_proj": write,
    }
    # END SOLUTION


def previous_token_head() -> Weights:
    """A model whose first layer attends to the letter before, whatever the letters are.

    wte has four rows, for a, b, c and d; texts have 2 to 12 letters. In layer 0 each row of the
    attention but the first has a weight of at least 0.9 on the place before: row i on i - 1. (Row
    0 can attend to itself only.) What the model predicts does not matter.

    Trained models have such heads in early layers; ``induction_head`` below shows what for.

    Source: Olsson et al. 2022 (the name); Elhage et al. 2021, "Two-layer attention-only
    transformers".

    >>> _, attention = forward(previous_token_head(), tokens_of("dabc"))
    >>> print(attention[0].round(2))
    [[1. 0. 0. 0.]
     [1. 0. 0. 0.]
     [0. 1. 0. 0.]
     [0. 0. 1. 0.]]
    """
    # BEGIN SOLUTION
    return periodic_weights("ab")  # what repeats after two letters stood one place back
    # END SOLUTION


def induction_head() -> Weights:
    """A model that has seen A followed by B, meets A again, and predicts B.

    wte has four rows, for a, b, c and d. Graded after every kind of text of 3 to 12 letters whose
    last letter stands in it exactly once before, at any place: predicted is the letter that
    followed it there. After abca comes b, also after cabdda and after cdabda; after caa comes a.

    It takes two layers. The first tells every place which letter came before it, in columns kept
    for that. In the second, the query of the last letter asks for places that came after a letter
    like itself, and what stands there is copied, however many other letters there are:

        text                          c   a   b   d   a
        layer 0 adds: letter before   c   c   a   b   d
        layer 1: after a stood ...            ^       |    so b is copied, and predicted
                                              +-------+

    Row 0 of the first layer can attend to itself only, so the first place is marked as if its own
    letter came before it. See to it that the second layer does not copy from there because of that.

    Source: Elhage et al. 2021, "Induction heads"; Olsson et al. 2022.

    >>> [complete(induction_head(), text, 1)[-1] for text in ("abca", "cdabda", "caa")]
    ['b', 'b', 'a']
    """
    # BEGIN SOLUTION
    letter, position, before = slice(0, 4), slice(4, 16), slice(16, 20)
    first_place = 4
    query, key, value, write = np.zeros((4, 2, 20, 20))

    query[0, position, position] = 1024 * np.eye(12, k=-1)
    key[0, position, position] = np.eye(12)
    value[0, letter, before] = np.eye(4)
    write[0, before, before] = np.eye(4)

    query[1, letter, before] = 1024 * np.eye(4)
    key[1, before, before] = np.eye(4)
    key[1, first_place, before] = -1
    value[1, letter, letter] = np.eye(4)
    write[1, letter, letter] = 2 * np.eye(4)

    return {
        "wte": np.eye(20)[letter],
        "wpe": np.eye(20)[position],
        "layers.0.c_attn": np.hstack([query[0], key[0], value[0]]),
        "layers.0.c_proj": write[0],
        "layers.1.c_attn": np.hstack([query[1], key[1], value[1]]),
        "layers.1.c_proj": write[1],
    }
    # END SOLUTION
