"""Circuits: look into a model, and find out which part does what.

Idea
----

A trained model is a few tables of numbers, and nobody wrote them. How does it find the next token?
Two kinds of tools answer that. With the first you *read*: where does a head attend, what would the
model say after half of its layers, how much does each part add to a logit? With the second you
*change* one thing and see what becomes of the result: remove a head, or exchange what the model
knows at one place. What changes the result was needed for it.

The parts of a model that do something together are called a *circuit*. The best known one is made
of two heads. A *previous-token head* tells every token which one came before it. An *induction
head* in a later layer uses that: it has seen A followed by B, meets A again, and says B.

A tool can be wrong as well. So try it first on a model whose answer is known: ``hand_made_model``
below is a GPT whose weights were written by hand, and it holds just this circuit.

Formula
-------

In a GPT every part adds to x. This sum is called the *residual stream*:

    x_0     = token vector + position vector
    x_(l+1) = x_l + heads of block l + b_o + network of block l,      l = 0 .. L-1
    logits  = norm(x_L) W_U^T

b_o is the bias ``w_o.bias``. The network reads the stream behind the heads, x_l with all that they
and b_o have added, through norm_2, ``residual2.norm``. W_U is the last matrix, with a row for each
token: ``head.weight``, or ``token_embedding.weight`` where the two are tied, for then a model need
not have a head. norm_1 is the norm before attention, ``residual1.norm``. With y = norm_1(x_l), the
attention weights A_h of head h, and the d columns of w_o.weight that belong to it:

    result of head h = A_h (y W_v,h^T + b_v,h) W_o,h^T                       (T, n_embd)

The last norm is no sum: it divides by sqrt(var(x_L) + eps). But take that number as it is in this
call, *frozen*, and the norm is a sum too. So a logit is a sum of shares, one for each part c:

    u       = (row of W_U for the token) * norm.weight
    share_c = sum of (c - mean(c)) * u / sqrt(var(x_L) + eps)
    logit   = sum of all shares + norm.bias . (row of W_U)

[Figure stream: the residual stream as a thick line from x_0 at the top down to the last norm and
the matrix W_U. In each of two blocks the heads and then the network read it, and add to it. Words
say where each tool looks: maps and ablation at the heads, shares at what is added, a patch at x_1
and x_2, and the lens where norm and matrix are applied to x_0, x_1 and x_2.]

Worked example
--------------

The text dabc twice. The hand-made model has two blocks with two heads each. Head 0 of block 0 is
the previous-token head, head 0 of block 1 the induction head. Both heads number 1 are empty: their
weights are zero, so they look at all places alike and add nothing.

>>> model, text = hand_made_model(), tokens_of("dabcdabc")
>>> maps = attention_maps(model, text)
>>> maps.shape  # block, text, head, query, key
torch.Size([2, 1, 2, 8, 8])
>>> maps[0, 0, 0].argmax(-1).tolist()  # every place looks one place back
[0, 0, 1, 2, 3, 4, 5, 6]
>>> maps[1, 0, 0, 4:].argmax(-1).tolist()  # the second d looks at the first a, and so on
[1, 2, 3, 4]

[Figure heads: two maps of 8 by 8 for the text dabcdabc. Above the previous-token head: each row
looks one place back. Below the induction head: in the second half, which is framed, each row looks
at the place after the same letter.]

Which number says "this is such a head"? The mean weight at the places where it should be:

>>> previous_token_score(maps)[:, 0].round(decimals=2)  # a row for each block
tensor([[1.0000, 0.2500],
        [0.1200, 0.2500]])
>>> induction_score(maps, period=4)[:, 0].round(decimals=2)
tensor([[0.0000, 0.1600],
        [1.0000, 0.1600]])

At the last place stands c, and the model says that d comes next. Which parts make these logits?

>>> model(text)[0][0, 7].detach().round(decimals=1)  # of a, b, c and d
tensor([0., 0., 3., 6.])
>>> for token in (2, 3):
...     shares = direct_logit_attribution(model, text, token)
...     print({part: round(y[0, 7].item()) for part, y in shares.items() if y[0, 7].abs() > 0.1})
{'embedding': 3}
{'head 1.0': 6}

Without the previous-token head the induction head finds nothing, and c says c:

>>> ablate(model, text, layer=0, head=0)[0, 7].argmax().item()
2

What is graded
--------------

Nine functions. Eight are the core (the idea itself), in the order of this file, and
``previous_token_score`` may wait until they are done. ``hand_made_model``, ``tokens_of`` and
``undisturbed`` are given. The models are GPTs, made by your page ``gpt``, with biases or without,
with tied weights or not. They have the parts that this page names: ``token_embedding``,
``position_embedding``, ``blocks`` (each with ``residual1.norm``, ``attention``, ``residual2.norm``
and ``feed_forward``), ``norm``, and the last matrix. Layers, heads, places and tokens are counted
from 0.

Whoever looks must not disturb. Every function reads the model in eval mode, and leaves it in the
mode in which it came. No parameter is changed, no hook stays behind, and the next call of the model
gives what it would have given before. Results have no history for a backward pass. What stands
within ``with undisturbed(model):`` has the right mode, and keeps no history. ``idx`` is an int64
tensor, and inputs stay as they were. Results have the dtype of the model, float32 or float64.

``torch.softmax``, ``torch.einsum`` and ``torch.diagonal`` are welcome here. So are hooks.

If your GPT is wrong or not written yet, what fails here because of it is *blocked*.

Why it is like this
-------------------

Why walk through the model by hand? The functions below call its parts one after another, as its
``forward`` does, so every number in between is at hand. The other way is a *hook*: a function that
torch calls whenever a module was called, and which may replace the result. It needs no knowledge of
``forward``, but a hook that is not removed stays in the model, and a part that is not called as a
module (a weight that is used by its name) has none that fires. You may use either. As a hook has
a context manager, it is removed in any case:

>>> with model.blocks[0].register_forward_hook(lambda block, given, x: x * 0):
...     print(model(text)[0].abs().max().item())
0.0

Why does the lens use the last norm? The last matrix was trained on what this norm gives. Numbers of
another size would make other logits.

Why is the scale frozen? If each part were normalised by itself, small parts would count as much as
large ones, and the shares would not add up to the logit. With a frozen scale they do. A share says
how much of this logit a part adds directly. It does not say what the logit would be without this
part, for then later parts would read something else. That is what ``ablate`` is for.

Why replace by the mean? Zero may be a number that the rest of the model has never seen from this
head. The mean removes what differs from place to place, and keeps what is always there.

Why exchange, and not remove? Two texts that differ in one thing differ in the model by that thing
only. If x of the first text, put into the second one at one place of one layer, brings the first
answer back, what decides was there.

Do high scores prove what a head is for? No. They say where it looks in texts of this kind. What it
does there is asked by a change, and the answer holds for the texts that were tried.

Look further
------------

Elhage et al. 2021, "A Mathematical Framework for Transformer Circuits": the residual stream as a
sum, and induction heads. Olsson et al. 2022, "In-context Learning and Induction Heads": scores.
nostalgebraist 2020, "interpreting GPT: the logit lens". Meng et al. 2022, "Locating and Editing
Factual Associations in GPT", section 2: states of one run put into another. Heimersheim and Nanda
2024, "How to use and interpret activation patching": what may be concluded from it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from gpt import GPT
from jaxtyping import Float, Int
from torch import Tensor, nn

LETTERS = "abcd"
EPS = 1e-5  # of all norms of a GPT


@contextmanager
def undisturbed(model: nn.Module) -> Iterator[None]:
    """Within the block the model is in eval mode and no history is kept; then all is as before.

    >>> model = hand_made_model().train()
    >>> with undisturbed(model):
    ...     print(model.training, torch.is_grad_enabled())
    False False
    >>> model.training
    True
    """
    modes = {part: part.training for part in model.modules()}
    model.eval()
    try:
        with torch.no_grad():
            yield
    finally:
        for part, mode in modes.items():
            part.training = mode


def tokens_of(text: str) -> Int[Tensor, "1 T"]:
    """One text as token numbers: a is 0, b is 1, c is 2, d is 3."""
    return torch.tensor([[LETTERS.index(letter) for letter in text]])


def hand_made_model() -> GPT:
    """A GPT for texts of up to 8 letters with an induction circuit, complete as it is.

    x has 16 columns with a meaning: four say which letter this is, eight at which place it stands,
    and four which letter came before. 16 more hold the same with the other sign, so that the mean
    that a norm subtracts is 0. The heads are those of the page ``hand_weights``. The networks add
    nothing.
    """
    model = GPT(vocab_size=4, block_size=8, n_layer=2, n_head=2, n_embd=32, bias=False)
    letter, place, before = list(range(4)), list(range(4, 12)), list(range(12, 16))
    both = torch.cat([torch.eye(16), -torch.eye(16)], dim=1)
    first, second = (block.attention for block in model.blocks)
    with torch.no_grad():
        for weights in model.parameters():
            weights.fill_(float(weights.ndim == 1))  # norms 1, all else 0
        model.token_embedding.weight.copy_(both[letter])
        model.position_embedding.weight.copy_(both[place])
        # Row: a number of the head. Column: what of x it is made of. Norms make a 1 larger: sqrt(8)
        # with two of 16 columns in use, sqrt(16 / 3) with three.
        first.w_q.weight[place[:-1], place[1:]] = 1024.0
        first.w_k.weight[place, place] = 1.0
        first.w_v.weight[before, letter] = 8**-0.5
        second.w_q.weight[before, letter] = 1024.0
        second.w_k.weight[before, before] = 1.0
        second.w_k.weight[before, place[0]] = -1.0  # no letter came before the first place
        second.w_v.weight[letter, letter] = 2 * (16 / 3) ** -0.5
        for attention in (first, second):
            attention.w_o.weight[:, :16].copy_(both.T)
    return model


def residual_stream(model: GPT, idx: Int[Tensor, "B T"]) -> Float[Tensor, "L+1 B T n_embd"]:
    """x before the first block, and after every block: x_0, x_1, ..., x_L.

    x_0 is the sum of token vectors and position vectors. The last norm is not part of it.

    Source: Elhage et al. 2021, "The residual stream as a communication channel".

    >>> stream = residual_stream(hand_made_model(), tokens_of("dab"))
    >>> stream[0, 0, 1, :16].int().tolist()  # a at place 1
    [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    >>> stream[1, 0, 1, :16].round().int().tolist()  # and d came before
    [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]
    """
    # BEGIN SOLUTION
    with undisturbed(model):
        stream = [model.token_embedding(idx) + model.position_embedding.weight[: idx.shape[1]]]
        for block in model.blocks:
            stream.append(block(stream[-1]))
    return torch.stack(stream)
    # END SOLUTION


def attention_maps(model: GPT, idx: Int[Tensor, "B T"]) -> Float[Tensor, "L B H T T"]:
    """The attention weights of every block and head: row i says where place i looks.

    What attention reads in block l is norm_1(x_l), with the norm ``residual1.norm`` of the block.
    Your ``MultiHeadAttention`` returns the weights if it is asked with ``need_weights``; the blocks
    of a GPT ask it with ``is_causal=True``.

    Source: Vaswani et al. 2017, section 3.2.1; Elhage et al. 2021.

    >>> attention_maps(hand_made_model(), tokens_of("dab"))[:, 0, :, 2].round(decimals=2)
    tensor([[[0.0000, 1.0000, 0.0000],
             [0.3300, 0.3300, 0.3300]],
    <BLANKLINE>
            [[0.0000, 0.5000, 0.5000],
             [0.3300, 0.3300, 0.3300]]])
    """
    # BEGIN SOLUTION
    stream = residual_stream(model, idx)
    with undisturbed(model):
        return torch.stack([_attended(b, x)[1] for b, x in zip(model.blocks, stream, strict=False)])


def _attended(block: nn.Module, x: Tensor) -> tuple[Tensor, Tensor]:
    """What the attention of a block adds to x, and its weights."""
    return block.attention(block.residual1.norm(x), is_causal=True, need_weights=True)
    # END SOLUTION


def head_results(model: GPT, idx: Int[Tensor, "B T"], layer: int) -> Float[Tensor, "H B T n_embd"]:
    """What each head of block ``layer`` adds to x: A_h (y W_v,h^T + b_v,h) W_o,h^T.

    H is the number of maps that ``attention_maps`` has for a text in each block. With
    d = n_embd / H, head h owns the rows h d to (h + 1) d - 1 of w_v.weight, the same numbers of
    w_v.bias, and the same columns of w_o.weight. The sum over all heads, plus w_o.bias, is what
    attention adds. Models made with ``bias=False`` have no such biases.

    Source: Elhage et al. 2021, "Attention heads are independent and additive".

    >>> found = head_results(hand_made_model(), tokens_of("dab"), layer=0)
    >>> found[0, 0, 1, :16].round().int().tolist()  # head 0 writes at place 1: d came before
    [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]
    """
    # BEGIN SOLUTION
    block, x = model.blocks[layer], residual_stream(model, idx)[layer]
    with undisturbed(model):
        weights = _attended(block, x)[1]
        values = block.attention.w_v(block.residual1.norm(x))
        found = weights @ values.unflatten(-1, (weights.shape[1], -1)).transpose(1, 2)
        columns = block.attention.w_o.weight.unflatten(-1, (weights.shape[1], -1))
        return torch.einsum("bhtd,nhd->hbtn", found, columns)
    # END SOLUTION


def logit_lens(model: GPT, idx: Int[Tensor, "B T"]) -> Float[Tensor, "L+1 B T V"]:
    """The logits that the model would give if it ended after 0, 1, ..., L blocks.

    The last norm and the last matrix are applied to every x_l. The last entry is what the model
    says.

    Source: nostalgebraist 2020.

    >>> lens = logit_lens(hand_made_model(), tokens_of("dabcdabc"))
    >>> lens[:, 0, 7].argmax(-1).tolist()  # c says c until the last block; then d comes next
    [2, 2, 3]
    """
    # BEGIN SOLUTION
    stream = residual_stream(model, idx)
    with undisturbed(model):
        return model.head(model.norm(stream))
    # END SOLUTION


def direct_logit_attribution(
    model: GPT, idx: Int[Tensor, "B T"], token: int
) -> dict[str, Float[Tensor, "B T"]]:
    """How much each part adds to the logit of ``token``, at every place.

    The scale of the last norm, sqrt(var(x_L) + eps), is frozen: that of the whole x_L, for every
    part, and var divides by n_embd. eps is 1e-5. All shares add up to the logit, to 1e-4. Each has
    the shape (B, T), also one that is the same for every text, or 0. The keys:

    - "embedding", "position": the token vectors and the position vectors
    - "head l.h", such as "head 1.0": head h of block l, as in ``head_results``
    - "network l": the feed-forward network of block l, its biases included
    - "bias": what no other key has: w_o.bias of all blocks, and the bias of the last norm. In a
      model without biases it is 0.

    Source: Elhage et al. 2021, "Residual stream and direct paths"; Heimersheim and Nanda 2024 on
    what frozen scales mean.

    >>> shares = direct_logit_attribution(hand_made_model(), tokens_of("dab"), token=1)
    >>> list(shares)[:5]
    ['embedding', 'position', 'head 0.0', 'head 0.1', 'network 0']
    >>> sum(shares.values())[0].round(decimals=1).tolist()  # logits of b
    [0.0, 0.0, 6.0]
    """
    # BEGIN SOLUTION
    stream = residual_stream(model, idx)
    parts = _parts(model, idx, stream)
    with undisturbed(model):
        row = model.head.weight[token]
        direction = row * model.norm.weight
        direction = direction - direction.mean()  # instead of the mean of every part
        scale = (stream[-1].var(-1, unbiased=False) + EPS).sqrt()
        shares = {name: part @ direction / scale for name, part in parts.items()}
        if model.norm.bias is not None:
            shares["bias"] = shares["bias"] + row @ model.norm.bias
    return shares


def _parts(model: GPT, idx: Tensor, stream: Tensor) -> dict[str, Tensor]:
    """What is added to x, by name: the sum of all is the last x."""
    positions = model.position_embedding.weight[: idx.shape[1]].detach()
    parts = {"embedding": model.token_embedding(idx).detach()}
    parts["position"] = positions.expand_as(stream[0])
    bias = torch.zeros_like(stream[0])
    for layer, block in enumerate(model.blocks):
        for head, found in enumerate(head_results(model, idx, layer)):
            parts[f"head {layer}.{head}"] = found
        with undisturbed(model):
            attended = stream[layer] + _attended(block, stream[layer])[0]
            parts[f"network {layer}"] = block.feed_forward(block.residual2.norm(attended))
            if block.attention.w_o.bias is not None:
                bias = bias + block.attention.w_o.bias
    return parts | {"bias": bias}
    # END SOLUTION


def previous_token_score(maps: Float[Tensor, "... T T"]) -> Float[Tensor, "..."]:
    """How much attention goes one place back: the mean of maps[i, i - 1] over i = 1 .. T - 1.

    Place 0 has no place before it, and does not count. There may be any number of axes before the
    last two, also none.

    Raises:
        ValueError: there is one place only.

    Source: Olsson et al. 2022 (the name).

    >>> previous_token_score(torch.tensor([[1.0, 0.0, 0.0], [0.9, 0.1, 0.0], [0.2, 0.5, 0.3]]))
    tensor(0.7000)
    """
    # BEGIN SOLUTION
    if maps.shape[-1] < 2:
        raise ValueError("a text of one token has no previous one")
    return maps.diagonal(-1, -2, -1).mean(-1)
    # END SOLUTION


def induction_score(maps: Float[Tensor, "... 2P 2P"], period: int) -> Float[Tensor, "..."]:
    """How much attention goes to what followed the same token before.

    The maps are those of a text of 2 P tokens whose second half repeats the first, with P =
    ``period``. The token of place i stood at place i - P, and what followed it at i - P + 1. The
    score is the mean of maps[i, i - P + 1] over the second half, i = P .. 2 P - 1. There may be any
    number of axes before the last two, also none.

    Raises:
        ValueError: the maps are not 2 P wide.

    Source: Olsson et al. 2022 (the prefix-matching score).

    The tokens 5 6 5 6, P = 2. Place 2 should look at place 1, and place 3 at place 2:

    >>> maps = torch.eye(4)
    >>> maps[2] = torch.tensor([0.1, 0.6, 0.3, 0.0])
    >>> maps[3] = torch.tensor([0.1, 0.1, 0.4, 0.4])
    >>> induction_score(maps, period=2)
    tensor(0.5000)
    """
    # BEGIN SOLUTION
    if maps.shape[-1] != 2 * period:
        raise ValueError(f"{maps.shape[-1]} places are not twice {period}")
    return maps[..., period:, :].diagonal(1, -2, -1).mean(-1)
    # END SOLUTION


def ablate(
    model: GPT, idx: Int[Tensor, "B T"], layer: int, head: int, how: str = "zero"
) -> Float[Tensor, "B T V"]:
    """The logits of the model without one head: what it adds to x is replaced.

    Args:
        how: "zero": the head adds nothing. "mean": at every place of every text it adds the mean of
            its results over all places of all texts of ``idx``.

    Only what this head adds is replaced; all that comes after it reads the new x. w_o.bias belongs
    to no head, and stays.

    Raises:
        ValueError: ``how`` is neither "zero" nor "mean".

    Source: Heimersheim and Nanda 2024 (zero and mean ablation).

    >>> model, text = hand_made_model(), tokens_of("dabcdabc")
    >>> ablate(model, text, layer=1, head=1).argmax(-1).tolist()  # an empty head: as before
    [[3, 0, 1, 2, 0, 1, 2, 3]]
    >>> ablate(model, text, layer=1, head=0).argmax(-1).tolist()  # each letter says itself
    [[3, 0, 1, 2, 3, 0, 1, 2]]
    """
    # BEGIN SOLUTION
    if how not in ("zero", "mean"):
        raise ValueError(f"a head is replaced by zero or by its mean, not by {how!r}")
    block, x = model.blocks[layer], residual_stream(model, idx)[layer]
    gone = head_results(model, idx, layer)[head]
    instead = gone.mean((0, 1)) if how == "mean" else torch.zeros_like(gone)
    with undisturbed(model):
        x = x + _attended(block, x)[0] - gone + instead
        x = x + block.feed_forward(block.residual2.norm(x))
    return _finished(model, x, layer + 1)


def _finished(model: GPT, x: Tensor, layer: int) -> Tensor:
    """The logits, where x is what block ``layer`` reads."""
    with undisturbed(model):
        for block in model.blocks[layer:]:
            x = block(x)
        return model.head(model.norm(x))
    # END SOLUTION


def patch(
    model: GPT,
    clean: Int[Tensor, "B T"],
    corrupted: Int[Tensor, "B T"],
    layer: int,
    position: int,
) -> Float[Tensor, "B T V"]:
    """The logits for ``corrupted``, with one x from ``clean``.

    Both texts have the same shape. The model reads ``corrupted``. But at ``position``, x_layer is
    that of ``clean``; the blocks from ``layer`` on work with that. For layer 0 this is what goes
    into the first block, and for layer L, after the last block, what goes into the last norm. All
    other places keep their x, and change only by what they read from this one.

    Source: Meng et al. 2022, section 2.

    In dabcaabc an a follows the c, so a is predicted at the end. With x of d at place 4 it is d
    again. After block 1 it is too late for that: the last place has looked already.

    >>> model, clean, corrupted = hand_made_model(), tokens_of("dabcdabc"), tokens_of("dabcaabc")
    >>> [patch(model, clean, corrupted, layer, 4)[0, 7].argmax().item() for layer in (0, 1, 2)]
    [3, 3, 0]
    """
    # BEGIN SOLUTION
    x = residual_stream(model, corrupted)[layer].clone()
    x[:, position] = residual_stream(model, clean)[layer][:, position]
    return _finished(model, x, layer)
    # END SOLUTION
