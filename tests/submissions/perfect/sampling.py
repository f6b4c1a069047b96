"""Sampling: from the logits of a model to a text.

Idea
----

A language model gives every token a number that says how well it would continue the text. It does
not choose one. To write, choose a token by these numbers, append it to the text, and ask again.

How to choose? If it is always the best one, the text is dull and soon repeats itself. If one draws
by the probabilities, the text is lively, but a nonsensical word comes every few lines: there are
very many unlikely tokens, and together they are not so unlikely. So one draws by probabilities that
are changed a little: a *temperature* sharpens them, or only the best tokens are left (*top-k*,
*top-p*).

Formula
-------

    p = softmax(z / T)

z are the logits of the next token, T is the temperature. Top-k leaves the k tokens with the largest
logits. Top-p leaves the most probable tokens, as few as it takes for their probabilities to add up
to p. A token that is removed gets the logit -inf, and so the probability 0. A softmax makes the
probabilities of the others sum to 1 again.

Worked example
--------------

Four tokens with the logits 3, 2, 1, 0, and their probabilities:

>>> z = torch.tensor([3.0, 2.0, 1.0, 0.0])
>>> torch.softmax(z, dim=-1)
tensor([0.6439, 0.2369, 0.0871, 0.0321])

A temperature of 0.5 doubles all differences, so the best token gets more. With 2 it gets less:

>>> torch.softmax(z / 0.5, dim=-1), torch.softmax(z / 2, dim=-1)
(tensor([0.8650, 0.1171, 0.0158, 0.0021]), tensor([0.4551, 0.2760, 0.1674, 0.1015]))

Top-k with k = 2 leaves 0.6439 and 0.2369, divided by their sum 0.8808. Top-p with p = 0.9 goes
through the probabilities from the largest to the smallest and adds them up: 0.6439, 0.8808, 0.9679.
The third one reaches 0.9, so three tokens stay.

>>> two = torch.tensor([3.0, 2.0, -torch.inf, -torch.inf])
>>> torch.softmax(two, dim=-1)
tensor([0.7311, 0.2689, 0.0000, 0.0000])

[Figure ways: the four tokens as bars, five times. As they are: 0.64, 0.24, 0.09, 0.03. Temperature
0.5 makes them sharper: 0.86, 0.12, 0.02, 0.00. Temperature 2 makes them flatter: 0.46, 0.28, 0.17,
0.10. Top-k with k = 2 leaves 0.73 and 0.27. Top-p with p = 0.9 leaves 0.67, 0.24 and 0.09, for the
sums are 0.64, 0.88 and 0.97.]

What is graded
--------------

Five functions, in the order of this file. What comes in a later step may raise NotImplementedError
until then, or be ignored. ``TinyModel``, the model of the checks, is given. The vocabulary is the
last axis, and before it there may be any number of axes, also none: every row is treated by itself.
Logits may be -inf, which is a token that was removed already, but one or more of each row are
finite. They are float32 or float64, may be views of other tensors, and stay as they were.

What is drawn is judged by how often each token comes: by 20,000 draws and a chi-squared test with
a threshold that a right program misses once in a million times. Which token a seed gives is left to
you.

``torch.softmax``, ``torch.topk``, ``torch.sort``, ``torch.argmax`` and ``torch.multinomial`` are
welcome here.

Why it is like this
-------------------

Why a temperature? The name is from physics, where this formula says how probable a state of energy
-z is in a body of temperature T: when it is cold, only the best states are left. T = 0 is the
limit, in which all probability lies on the largest logit (*greedy* choice); the formula itself
would divide by 0 there.

Why top-p as well? A fixed k does not fit all places. After "the capital of France is" one token is
right, and k = 50 lets 49 wrong ones in. After "she was" hundreds are right, and k = 50 cuts off
most. The sum of probabilities adapts: few tokens where the model is sure, many where it is not.

Why -inf? A removed token must have the probability 0. A logit of 0 does not give that: exp(0) is 1,
more than what many tokens have that were left.

Why switch the mode? In train mode dropout acts: random parts of the model are left out in every
step, and the text is worse. Whoever calls ``generate`` in the midst of a training, to see how it
goes, wants the model back in the mode it was in. (And no gradients are needed: under
``torch.no_grad()`` nothing is kept for them.)

Why only the last ``block_size`` tokens? A model with a table of positions has seen no more of them.
What stood before is forgotten. Each new token here costs a pass over the whole context; a cache of
keys and values, as in real programs, saves most of that and changes no number.

Look further
------------

Holtzman, Buys, Du, Forbes, Choi 2020, "The Curious Case of Neural Text Degeneration" (top-p, and
what is wrong with the best token); Fan, Lewis, Dauphin 2018, "Hierarchical Neural Story Generation"
(top-k); Ackley, Hinton, Sejnowski 1985, "A Learning Algorithm for Boltzmann Machines"
(temperature). With your ``GPT`` in the place of the ``TinyModel``, trained on a text you like,
``generate`` writes: the ``GPT`` returns a pair of logits and loss as the ``TinyModel`` does.
"""

from __future__ import annotations

from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn


class TinyModel(nn.Module):
    """A language model to try things with, complete as it is: two tables, and dropout.

    The logits after a token depend on that token and on its place in the context:
    logits[b, t] = tokens.weight[idx[b, t]] + places.weight[t]. Like ``GPT`` it returns a pair,
    logits and loss, and takes no more than ``block_size`` tokens.

    >>> model = TinyModel(vocab_size=7, block_size=5)
    >>> logits, loss = model(torch.tensor([[3, 1, 4]]))
    >>> logits.shape, loss
    (torch.Size([1, 3, 7]), None)
    """

    def __init__(self, vocab_size: int, block_size: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.tokens = nn.Embedding(vocab_size, vocab_size)
        self.places = nn.Embedding(block_size, vocab_size)
        self.dropout = nn.Dropout(dropout)

    def forward(self, idx: Int[Tensor, "B T"]) -> tuple[Float[Tensor, "B T V"], None]:
        if idx.shape[1] > self.places.num_embeddings:
            raise ValueError(f"{idx.shape[1]} tokens are more than block_size")
        places = self.places.weight[: idx.shape[1]]
        return self.dropout(self.tokens(idx) + places), None


def apply_temperature(logits: Float[Tensor, "... V"], temperature: float) -> Float[Tensor, "... V"]:
    """The logits divided by the temperature.

    Temperature 0 is the greedy choice: the largest logit of each row stays as it is, and all others
    become -inf. Where several are the largest, it is the first of them.

    Raises:
        ValueError: ``temperature`` is less than 0.

    Source: Ackley et al. 1985, eq. (5).

    >>> apply_temperature(torch.tensor([3.0, 2.0, 1.0]), 0.5)
    tensor([6., 4., 2.])
    >>> apply_temperature(torch.tensor([1.0, 3.0, 3.0]), 0.0)
    tensor([-inf, 3., -inf])
    """
    if temperature < 0:
        raise ValueError(f"a temperature is 0 or larger, not {temperature}")
    if temperature > 0:
        return logits / temperature
    first = logits.argmax(-1, keepdim=True)
    stays = torch.zeros_like(logits, dtype=torch.bool).scatter(-1, first, True)
    return logits.masked_fill(~stays, -torch.inf)


def top_k_filter(logits: Float[Tensor, "... V"], k: int) -> Float[Tensor, "... V"]:
    """The logits, with -inf in the place of all that are smaller than the k-th largest of the row.

    What stays, stays as it is. Logits equal to the k-th largest all stay, so there may be more than
    k. With k >= V all stay.

    Raises:
        ValueError: ``k`` is less than 1.

    Source: Fan et al. 2018.

    >>> top_k_filter(torch.tensor([1.0, 3.0, 0.0, 2.0]), 2)
    tensor([-inf, 3., -inf, 2.])
    >>> top_k_filter(torch.tensor([2.0, 3.0, 0.0, 2.0]), 2)
    tensor([2., 3., -inf, 2.])
    """
    if k < 1:
        raise ValueError(f"at least one token must stay, not {k}")
    smallest = logits.topk(min(k, logits.shape[-1]), dim=-1).values[..., -1:]
    return logits.masked_fill(logits < smallest, -torch.inf)


def top_p_filter(logits: Float[Tensor, "... V"], p: float) -> Float[Tensor, "... V"]:
    """The logits, with -inf in the place of all that are not among the most probable tokens.

    Which are these? Go through the probabilities of the row from the largest to the smallest, of
    equal ones the first comes first, and add them up. The token with which the sum reaches p is the
    last one that stays. So at least one stays. With p = 1 all do, also where rounding lets the sum
    reach 1 before the end. What stays, stays as it is.

    Raises:
        ValueError: ``p`` is not in 0 < p <= 1.

    Source: Holtzman et al. 2020, section 3.

    Probabilities 0.3, 0.1 and 0.6. One token reaches 0.5; for 0.8 it takes two:

    >>> z = torch.tensor([0.3, 0.1, 0.6]).log()
    >>> torch.softmax(top_p_filter(z, 0.5), dim=-1)
    tensor([0., 0., 1.])
    >>> torch.softmax(top_p_filter(z, 0.8), dim=-1)
    tensor([0.3333, 0.0000, 0.6667])
    """
    if not 0 < p <= 1:
        raise ValueError(f"a share is larger than 0 and at most 1, not {p}")
    if p == 1:
        return logits
    ordered, order = logits.sort(dim=-1, descending=True, stable=True)
    shares = ordered.softmax(-1)
    before = shares.cumsum(-1) - shares
    stays = torch.zeros_like(logits, dtype=torch.bool).scatter(-1, order, before < p)
    return logits.masked_fill(~stays, -torch.inf)


def sample(
    logits: Float[Tensor, "... V"],
    *,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
    generator: torch.Generator | None = None,
) -> Int[Tensor, "..."]:
    """One token for every row, drawn by the probabilities that are left: an int64 tensor.

    First the temperature, then top-k, then top-p, on what top-k has left; what is None is left out.
    Then each row draws by the softmax of its logits, independently of all other rows, and afresh in
    every call.

    With a ``generator`` the draws come from it: two generators with the same seed give the same
    tokens, other seeds and later calls give others. Without one they come from torch's global
    generator.

    Raises:
        ValueError: one of the functions above refuses its option; 0 is not None. (With a
            temperature of 0, whether top_k and top_p are looked at is left open.)

    Source: Holtzman et al. 2020, section 3.

    >>> z = torch.tensor([[0.0, 1.0, 5.0], [3.0, 2.0, 1.0]])
    >>> sample(z, temperature=0.0)
    tensor([2, 0])
    >>> sample(z, top_k=1)
    tensor([2, 0])
    """
    logits = apply_temperature(logits, temperature)
    if top_k is not None:
        logits = top_k_filter(logits, top_k)
    if top_p is not None:
        logits = top_p_filter(logits, top_p)
    p = logits.softmax(-1).reshape(-1, logits.shape[-1])
    return torch.multinomial(p, 1, generator=generator).reshape(logits.shape[:-1])


def generate(
    model: nn.Module,
    idx: Int[Tensor, "B T"],
    max_new_tokens: int,
    *,
    block_size: int | None = None,
    eos_id: int | None = None,
    **how: Any,
) -> Int[Tensor, "B T+n"]:
    """The texts ``idx``, continued by up to ``max_new_tokens`` tokens, one after another.

    ``model(context)`` returns a pair, of which the first are the logits of all positions,
    (B, T, V). The next token is sampled from those of the last position: ``sample(..., **how)``,
    where ``how`` may hold temperature, top_k, top_p and generator.

    With a ``block_size`` the model sees the last ``block_size`` tokens of the text at most.

    With an ``eos_id`` (end of sequence) a row that has drawn this token has ended: all that follows
    in it is ``eos_id``. The loop stops as soon as all rows have ended, so n may be less than
    ``max_new_tokens``. An ``eos_id`` in the prompt ends nothing.

    The model is in eval mode meanwhile, and afterwards in the mode in which it came. (Who has set
    one of its parts to another mode finds it in that of the model: nothing else is asked.) ``idx``
    stays as it was, and stands unchanged at the beginning of the result.

    Source: Radford et al. 2019, section 2 (a text as a product of next tokens).

    A model that says after token i: i + 1.

    >>> model = TinyModel(vocab_size=4, block_size=3)
    >>> _ = nn.init.zeros_(model.places.weight)
    >>> model.tokens.weight.data = torch.eye(4).roll(1, 1)
    >>> generate(model, torch.tensor([[0], [2]]), 5, block_size=3, temperature=0.0)
    tensor([[0, 1, 2, 3, 0, 1],
            [2, 3, 0, 1, 2, 3]])
    >>> generate(model, torch.tensor([[0], [2]]), 5, block_size=3, eos_id=3, temperature=0.0)
    tensor([[0, 1, 2, 3],
            [2, 3, 3, 3]])
    """
    was_training = model.training
    model.eval()
    ended = torch.zeros(idx.shape[0], dtype=torch.bool, device=idx.device)
    for _ in range(max_new_tokens):
        context = idx if block_size is None else idx[:, -block_size:]
        with torch.no_grad():
            logits, _ = model(context)
        token = sample(logits[:, -1], **how)
        if eos_id is not None:
            token = token.masked_fill(ended, eos_id)
            ended = ended | (token == eos_id)
        idx = torch.cat([idx, token.unsqueeze(-1)], dim=-1)
        if ended.all():
            break
    model.train(was_training)
    return idx
