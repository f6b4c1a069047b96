"""Find the slip: ten programs that run, and are wrong in one place.

Idea
----

Most wrong programs about tensors do not stop with an error. They return a tensor of the right shape
with wrong numbers in it, and a training goes on with that for days. So debugging is a craft of its
own: to ask such questions that the answer leaves only half of the program under suspicion. Here are
ten functions with one wrong place each. Their mistakes are taken from real programs and lectures.

How to look
-----------

1. Say what is right, in one sentence, before you read the code. The docstring does it here.
2. Make the input small: one row, two tokens, one head, a width of 2 or 3. Choose numbers for which
   you know the result: zeros, equal numbers, the unit matrix, a weight of 0 that switches a part
   off.
3. Look at shapes first. Give every size a number of its own: with 4 tokens of width 4 in 4 heads,
   an axis taken for another one is never noticed. Then make two sizes equal, and see what vanishes.
4. Change one number of the input. Which outputs move? Which ones should not? A token that sees the
   future, a sentence of the batch that depends on its neighbour: both show at once.
5. Ask for gradients. A parameter whose gradient is None or 0 takes no part.
6. Call it twice, and in both modes. What differs between two equal calls was drawn at random.
7. Look at the loss before the first step. A model that knows nothing has the loss ln V for V
   tokens. Ask also how small the loss can ever get.
8. Where an error is raised is where two things met that did not fit. The mistake is often made
   earlier, where one of them was computed.

A look in the middle is worth most: it says in which half the mistake is.

[Figure halves: a program as a row of six steps. Before the first look all six are suspected. The
value after step 3 is right, so steps 4 to 6 are left. The value after step 5 is wrong already, and
one more look leaves step 4 alone.]

Worked example
--------------

Softmax along the wrong axis. "The rows of my attention weights should sum to 1." A square input of
equal scores does not show it:

>>> torch.zeros(2, 2).softmax(0)
tensor([[0.5000, 0.5000],
        [0.5000, 0.5000]])

Two sizes that differ do, at one glance: these rows sum to 1.5.

>>> torch.zeros(2, 3).softmax(0)
tensor([[0.5000, 0.5000, 0.5000],
        [0.5000, 0.5000, 0.5000]])

The cause is one number, and so is the cure: the axis is -1. Other changes make the sum right as
well, such as a division of each row by its sum afterwards. They mend what was seen, and leave the
mistake where it is.

[Figure sizes: the same wrong softmax of two inputs. With 2 queries and 2 keys all weights are 0.50,
and the rows sum to 1. With 2 queries and 3 keys all are 0.50 as well, and the rows sum to 1.5.]

What is graded
--------------

Ten functions are given below, each with one wrong place. For each of them you write three things.

- Mend the function where it stands. It must then do what its docstring says, for all shapes.
  Change as little as you can: one statement is wrong, and at most two may differ from what was
  given. Comments, blank lines, ``assert`` and ``print`` do not count.
- ``symptom_NAME`` returns the arguments of one call, as a tuple, on which the given function and
  the mended one differ clearly, by more than a thousandth: the symptom. A given function that
  raises an error there differs as well. The input is small: the tensors hold no more numbers in
  all than the docstring says. Numbers lie between -100 and 100, whole numbers that are arguments
  themselves between 0 and 64, and what a docstring demands, such as p < 1, holds here too. All
  right programs must agree on it: what the page leaves open, or what rounding decides, is no
  symptom.
- ``causes`` names the cause of each, by one letter of A to E. Five right letters may be luck:
  each one beyond these counts.

What you write returns new values in each call, and changes no input. Torch is welcome here as a
whole: ``F.layer_norm``, ``F.softmax``, ``F.dropout`` and ``F.cross_entropy`` are all allowed.

Why it is like this
-------------------

Why few statements? Who writes a function anew may lose the mistake without having found it, and
makes it again the next day. And in a program of a thousand lines nobody starts anew.

Why a symptom? An input that shows a mistake is a test. It proves that the mistake was there, and
that it is gone. It must be small, so that all numbers can be followed by eye; and it must not blame
a right program, or nobody trusts the test.

Why the cause? What was seen and what is wrong are two things. The same NaN may come from a division
by 0, from the root of a negative number, or from a row without keys. Take away the NaN by
``nan_to_num``, and the cause stays.

Look further
------------

Karpathy 2019, "A Recipe for Training Neural Networks": his steps 1 to 3 are a list of such looks.
Zeller, "Why Programs Fail" (2nd edition, 2009): symptom, cause, and how to halve what is between.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor

# Values -------------------------------------------------------------------------------------------


def norm(
    x: Float[Tensor, "... d"],
    weight: Float[Tensor, "d"],
    bias: Float[Tensor, "d"],
    eps: float = 1e-5,
) -> Float[Tensor, "... d"]:
    """Layer normalization along the last axis.

    y = (x - mean) / sqrt(variance + eps) * weight + bias

    The variance is the mean of the squared distances from the mean. Rows may lie far from 0: their
    mean may be 300 and their variance 1.

    What was seen: with a width of 512 the numbers agree with those of another program to three
    digits. With a width of 4 they are all too small, by a seventh or so.

    A. ``eps`` stands outside of the root.
    B. The mean runs along the wrong axis.
    C. ``weight`` and ``bias`` are exchanged.
    D. The variance is divided by d - 1 instead of d.
    E. ``eps`` is too large for small widths.

    Source: Ba et al. 2016, "Layer Normalization", eq. (3).

    >>> norm(torch.tensor([[1.0, 3.0]]), torch.ones(2), torch.zeros(2), eps=0.0)
    tensor([[-1.,  1.]])
    """
    mean = x.mean(-1, keepdim=True)
    variance = x.var(-1, keepdim=True, unbiased=False)
    return (x - mean) / (variance + eps).sqrt() * weight + bias


def positions(length: int, d_model: int) -> Float[Tensor, "length d_model"]:
    """The sinusoidal encoding of the positions 0 to length - 1; d_model is even.

    PE(p, 2i) = sin(p / 10000^(2i / d_model))
    PE(p, 2i + 1) = cos(p / 10000^(2i / d_model))

    i counts the pairs of columns, from 0 on.

    What was seen: a picture of 50 positions and 32 columns. In the left columns there are waves. In
    the right half every column looks like one colour from the first position to the last.

    A. Sine and cosine are exchanged.
    B. The exponent is made of the number of the column, instead of the number of its pair.
    C. The positions begin with 1.
    D. The base 10000 is too small for 50 positions.
    E. The exponent is divided by the wrong width.

    Source: Vaswani et al. 2017, section 3.5.

    >>> positions(2, 4)
    tensor([[0.0000, 1.0000, 0.0000, 1.0000],
            [0.8415, 0.5403, 0.0100, 0.9999]])
    """
    position = torch.arange(length).unsqueeze(1)
    column = torch.arange(d_model)
    exponent = column // 2 * 2 / d_model
    angle = position / 10000**exponent
    return torch.where(column % 2 == 0, angle.sin(), angle.cos())


# Silent wiring ------------------------------------------------------------------------------------


def sublayer(
    x: Float[Tensor, "... d"],
    weight: Float[Tensor, "d"],
    bias: Float[Tensor, "d"],
    w1: Float[Tensor, "d h"],
    w2: Float[Tensor, "h d"],
) -> Float[Tensor, "... d"]:
    """A feed-forward network as a pre-norm sub-layer: x + relu(norm(x) w1) w2.

    norm is ``F.layer_norm`` with ``weight`` and ``bias``.

    What was seen: as a test, w2 was set to 0, so that the layer adds nothing. But then x did not
    come out as it went in. Everything else looks healthy, and the model learns, though slowly once
    there are many layers.

    A. The norm is applied after the network instead of before it.
    B. The order of w1 and w2 is wrong.
    C. The residual starts from the normalised x instead of x itself.
    D. The network has no bias, so that w2 = 0 is no fair test.
    E. relu is applied to the sum.

    Source: Xiong et al. 2020, "On Layer Normalization in the Transformer Architecture", figure 1.

    >>> x, one = torch.tensor([[1.0, 3.0]]), torch.eye(2)
    >>> sublayer(x, torch.ones(2), torch.zeros(2), one, one).round(decimals=2)
    tensor([[1., 4.]])
    """
    normed = F.layer_norm(x, x.shape[-1:], weight, bias)
    hidden = (normed @ w1).relu()
    return x + hidden @ w2


def encoder_layer(
    x: Float[Tensor, "... T d"],
    w_q: Float[Tensor, "d k"],
    w_k: Float[Tensor, "d k"],
    w_v: Float[Tensor, "d d"],
    w1: Float[Tensor, "d h"],
    w2: Float[Tensor, "h d"],
) -> Float[Tensor, "... T d"]:
    """A post-norm encoder layer with one head: attention, then feed-forward.

    a = norm(x + softmax(q k^T / sqrt(k)) v)
    y = norm(a + relu(a w1) w2)

    q, k and v are x w_q, x w_k and x w_v. norm is ``F.layer_norm`` without weight and bias.

    What was seen: the loss falls, but not below that of a model without feed-forward networks.
    After ``backward()`` the gradients of w1 and w2 are None in every layer.

    A. The learning rate of w1 and w2 is too small.
    B. The hidden units of relu are all dead.
    C. The norm's gradient vanishes.
    D. w1 and w2 are left out of the optimizer.
    E. What the feed-forward network computes is never used.

    Source: Vaswani et al. 2017, section 3.1.

    >>> x, none = torch.tensor([[0.0, 3.0, 3.0]]), torch.zeros(3, 3)
    >>> encoder_layer(x, none, none, none, none, none)
    tensor([[-1.4142,  0.7071,  0.7071]])
    """
    scores = (x @ w_q) @ (x @ w_k).mT / w_q.shape[-1] ** 0.5
    attended = F.layer_norm(x + scores.softmax(-1) @ (x @ w_v), x.shape[-1:])
    fed = attended + (attended @ w1).relu() @ w2
    return F.layer_norm(fed, x.shape[-1:])


# Masks and leaks ----------------------------------------------------------------------------------


def causal_weights(scores: Float[Tensor, "... Q K"]) -> Float[Tensor, "... Q K"]:
    """Attention weights of Q queries over K keys, K >= Q, without a look into the future.

    The queries are the last Q of the K tokens: the last query sees all keys, the one before it all
    but the last key, and so on.

    What was seen: the training is right. Then the keys of earlier tokens are kept, and each new
    token comes as a single query. From then on the text is nonsense: every new token attends to the
    first token alone.

    A. The softmax runs along the wrong axis.
    B. The mask is counted from the first key instead of from the last one.
    C. The mask is upside down: the future is seen, and the past is hidden.
    D. A diagonal is missing: a token does not see itself.
    E. Kept keys are not normalised again.

    Source: Vaswani et al. 2017, section 3.2.3.

    >>> causal_weights(torch.zeros(2, 3))
    tensor([[0.5000, 0.5000, 0.0000],
            [0.3333, 0.3333, 0.3333]])
    """
    q_len, k_len = scores.shape[-2:]
    allowed = torch.ones(q_len, k_len, dtype=torch.bool, device=scores.device)
    allowed = allowed.tril(k_len - q_len)
    return scores.masked_fill(~allowed, -torch.inf).softmax(-1)


def attend(
    q: Float[Tensor, "... Q d"],
    k: Float[Tensor, "... K d"],
    v: Float[Tensor, "... K e"],
    allowed: Bool[Tensor, "... Q K"],
) -> Float[Tensor, "... Q e"]:
    """Attention to the keys that are ``allowed`` (True = may attend), whose weights sum to 1.

    Every query has an allowed key. Scores may have any size: one of a key that is not allowed may
    be larger than all others by hundreds.

    What was seen: a sentence with much padding gives smaller outputs than the same sentence without
    padding. The sum of the weights that are left is 0.6 in one row and 0.3 in another.

    A. The mask is applied to the weights, after the softmax.
    B. The mask has the wrong polarity.
    C. The scores are divided by the wrong root.
    D. The values of the padding are not 0.
    E. The mask is not broadcast to all queries.

    Source: Vaswani et al. 2017, section 3.2.3.

    >>> v = torch.tensor([[6.0], [2.0], [7.0]])
    >>> attend(torch.zeros(1, 1), torch.zeros(3, 1), v, torch.tensor([[True, True, False]]))
    tensor([[4.]])
    """
    scores = q @ k.mT / q.shape[-1] ** 0.5
    weights = scores.masked_fill(~allowed, -torch.inf).softmax(-1)
    return weights @ v


# Shapes that agree by luck ------------------------------------------------------------------------


def cross(
    x: Float[Tensor, "B T d"],
    memory: Float[Tensor, "B S m"],
    w_q: Float[Tensor, "d n"],
    w_k: Float[Tensor, "m n"],
    w_v: Float[Tensor, "m n"],
    heads: int,
) -> Float[Tensor, "B T n"]:
    """Cross-attention: queries from x, keys and values from ``memory``, in ``heads`` heads.

    What was seen: ``RuntimeError`` in the line that computes ``q @ k.mT``, or in a line shortly
    before, as soon as the two sentences have different lengths. With equal lengths there was never
    an error.

    A. The line that raises lacks a transpose.
    B. heads does not divide n.
    C. Queries and keys are exchanged.
    D. Keys and values are cut into as many tokens as there are queries.
    E. memory must be padded to the length of x.

    Source: Vaswani et al. 2017, sections 3.2.2 and 3.2.3.

    >>> x, memory, one = torch.zeros(1, 1, 1), torch.tensor([[[2.0], [4.0]]]), torch.ones(1, 1)
    >>> cross(x, memory, one, one, one, heads=1)
    tensor([[[3.]]])
    """
    batch, q_len = x.shape[:2]
    k_len = memory.shape[1]
    q = (x @ w_q).view(batch, q_len, heads, -1).transpose(1, 2)
    keys, values = memory @ w_k, memory @ w_v
    k, v = (t.view(batch, k_len, heads, -1).transpose(1, 2) for t in (keys, values))
    weights = (q @ k.mT / q.shape[-1] ** 0.5).softmax(-1)
    return (weights @ v).transpose(1, 2).flatten(2)


def next_probabilities(logits: Float[Tensor, "B T V"]) -> Float[Tensor, "B V"]:
    """For each text of a batch the probabilities of the token that follows its last one.

    What was seen: with one text every token has the probability 1. With two texts the probabilities
    are below 1, and change with the text that happens to be in the batch as well.

    A. The first position is taken instead of the last one.
    B. The logits are probabilities already.
    C. The softmax runs along the batch.
    D. The softmax runs along the positions.
    E. A temperature is missing.

    Source: Vaswani et al. 2017, section 3.4.

    >>> next_probabilities(torch.zeros(1, 3, 2))
    tensor([[0.5000, 0.5000]])
    """
    probabilities = logits.softmax(-1)
    return probabilities[:, -1]


# State, mode and training -------------------------------------------------------------------------


def feed_forward(
    x: Float[Tensor, "... d"],
    w1: Float[Tensor, "d h"],
    w2: Float[Tensor, "h e"],
    p: float,
    training: bool,
) -> Float[Tensor, "... e"]:
    """relu(x w1) w2, where dropout with the probability p < 1 acts on the hidden units in training.

    Where ``training`` is False, nothing is dropped. In training the units that are kept are divided
    by 1 - p, as ``F.dropout`` does it.

    What was seen: a finished model is asked the same question twice, in eval mode, and gives two
    answers.

    A. Dropout acts on the output instead of the hidden units.
    B. The mode never reaches the dropout.
    C. The units that are kept are not divided by 1 - p.
    D. p is the probability to keep a unit, not to drop it.
    E. The random generator has no seed.

    Source: Vaswani et al. 2017, sections 3.3 and 5.4; Srivastava et al. 2014.

    >>> x, one = torch.tensor([[2.0, -1.0]]), torch.eye(2)
    >>> feed_forward(x, one, one, p=0.5, training=False)
    tensor([[2., 0.]])
    """
    hidden = (x @ w1).relu()
    hidden = F.dropout(hidden, p, training)
    return hidden @ w2


def loss(logits: Float[Tensor, "B T V"], tokens: Int[Tensor, "B T"]) -> Float[Tensor, ""]:
    """The mean cross-entropy of a language model: each position predicts the token after it.

    The logits of the last position are not used, and nothing predicts the first token.

    What was seen: with 5 tokens the loss begins at 1.61 = ln 5, as it should. Then it sinks to 0.90
    and stays there, though the model is right every time by then.

    A. Position t is compared with token t, which the model has just read.
    B. The loss is a sum instead of a mean.
    C. The padding is counted.
    D. The learning rate is too large near the end.
    E. The softmax is taken twice.

    Source: Goodfellow et al. 2016, section 6.2.2.3.

    >>> loss(torch.zeros(1, 2, 5), torch.tensor([[0, 3]]))
    tensor(1.6094)
    """
    predicted, wanted = logits[:, :-1], tokens[:, 1:]
    log_p = predicted.log_softmax(-1)
    return -log_p.gather(-1, wanted.unsqueeze(-1)).mean()


# Symptoms -----------------------------------------------------------------------------------------


def symptom_norm() -> tuple[Tensor, ...]:
    """``x``, ``weight`` and ``bias`` that show it, with at most 9 numbers in all."""
    return torch.arange(2.0), torch.ones(2), torch.zeros(2)


def symptom_positions() -> tuple[int, int]:
    """``length`` and ``d_model`` that show it: a table of at most 4 numbers."""
    return 2, 2


def symptom_sublayer() -> tuple[Tensor, ...]:
    """``x``, ``weight``, ``bias``, ``w1`` and ``w2`` that show it, with at most 16 numbers."""
    x, nothing = torch.arange(2.0), torch.zeros(2, 2)
    return x, torch.ones(2), torch.zeros(2), nothing, nothing


def symptom_encoder_layer() -> tuple[Tensor, ...]:
    """All six arguments, so that they show it, with at most 48 numbers in all."""
    x, nothing = torch.arange(3.0).view(1, 3), torch.zeros(3, 3)
    return x, nothing, nothing, nothing, x.T, torch.eye(3)[:1]


def symptom_causal_weights() -> tuple[Tensor]:
    """``scores`` that show it, at most 6 numbers. A tuple of one is written ``(scores,)``."""
    return (torch.zeros(1, 2),)


def symptom_attend() -> tuple[Tensor, ...]:
    """``q``, ``k``, ``v`` and ``allowed`` that show it, with at most 12 numbers in all."""
    zeros = torch.zeros(2, 1)
    return zeros[:1], zeros, torch.ones(2, 1), torch.tensor([[True, False]])


def symptom_cross() -> tuple[Tensor | int, ...]:
    """All six arguments, so that they show it, with at most 16 numbers in the tensors."""
    one = torch.ones(1, 1)
    return torch.ones(1, 1, 1), torch.ones(1, 2, 1), one, one, one, 1


def symptom_next_probabilities() -> tuple[Tensor]:
    """``logits`` that show it, at most 4 numbers."""
    return (torch.zeros(1, 1, 2),)


def symptom_feed_forward() -> tuple[Tensor | float | bool, ...]:
    """All five arguments, so that they show it, with at most 12 numbers in the tensors. It must
    show the fault each time it is run.
    """
    one = torch.ones(1, 1)
    return one, one, one, 0.5, False


def symptom_loss() -> tuple[Tensor, Tensor]:
    """``logits`` and ``tokens`` that show it, with at most 12 numbers in all."""
    return torch.arange(4.0).view(1, 2, 2), torch.ones(1, 2, dtype=torch.long)


# Causes -------------------------------------------------------------------------------------------


def causes() -> dict[str, str]:
    """By the name of each function the letter of its cause; all ten of them.

    What does the letter explain? All that was seen must follow from it, and nothing else.

    >>> sorted(causes())[:3]
    ['attend', 'causal_weights', 'cross']
    """
    return {
        "norm": "D",
        "positions": "B",
        "sublayer": "C",
        "encoder_layer": "E",
        "causal_weights": "B",
        "attend": "A",
        "cross": "D",
        "next_probabilities": "C",
        "feed_forward": "B",
        "loss": "E",
    }
