"""Training: from a stream of tokens to a model that has learned from it.

Idea
----

A model starts with random numbers. *Training* changes these numbers, a little in every step, so
that the loss on a text becomes smaller. A step takes some pieces of the text, a *batch*; computes
the loss of the model on them, and the gradient of the loss for every parameter; and gives the
gradients to an *optimizer*, which moves the parameters.

Few lines do all this. But a mistake in them seldom stops the program: a loss is printed and falls,
and the model has learned something else, or nothing. So this page also says how one notices that.

Formula
-------

    L = sum_i n_i L_i / sum_i n_i
    w = w - lr dL/dw

The first line joins several small batches into one: L_i is the mean loss of batch number i, n_i is
the number of its targets that count, and L is the mean loss over all targets of all batches. The
second is the simplest step there is, *gradient descent*: w is a parameter, dL/dw its gradient, and
lr the *learning rate*, a small number that says how far a step goes.

Worked example
--------------

A stream of eight tokens, and pieces of T = 3 tokens. The piece that begins at place 2, and its
targets, the same tokens one place further on:

>>> data = torch.tensor([7, 3, 1, 4, 1, 5, 9, 2])
>>> data[2:5], data[3:6]
(tensor([1, 4, 1]), tensor([4, 1, 5]))

A piece may begin at the places 0, 1, 2, 3 and 4. At 5 it would end with the last token, and the
target of that one is not there. So there are N - T places to begin at: 8 - 3 = 5.

Two batches, of 3 targets with the mean loss 2.0, and of 1 target with the loss 1.0:

>>> (3 * 2.0 + 1 * 1.0) / (3 + 1)
1.75

The mean of the two means would be 1.5: the one target would count as much as the three together.

[Figure windows: the stream 7 3 1 4 1 5 9 2. Below it the inputs 1 4 1, which begin at place 2, and
below these the targets 4 1 5, which begin at place 3. A bracket shows the places 0 to 4, at which a
piece may begin.]

What is graded
--------------

Five functions, in the order of this file. Given are two models to try them with, ``TinyModel`` and
``CopyModel``, and ``GradientDescent``, an optimizer. As a ``GPT`` does, a model takes ``model(idx,
targets)`` and returns a pair, of which the second is the mean loss over all targets that are
not -100. Where no target counts, it is 0.

Tokens are int64. Inputs may be views of other tensors, and stay as they were. Losses are returned
as Python floats, not as tensors.

Which places a seed gives is left to you. They are judged by how often each place comes: by 20,000
draws and a chi-squared test with a threshold that a right program misses once in a million times.
Checks that train do so for 60 steps at most, which takes less than a second.

``torch.optim.AdamW`` and ``nn.utils.clip_grad_norm_`` are welcome here.

Why it is like this
-------------------

Why does every position have a target? The model is causal: what it says at a position depends on
the tokens up to there. So one piece of T tokens asks it T questions, and each answer is compared
with what really came next. That the true tokens are given to it, and not those it would have
written itself, is called *teacher forcing*.

Why at any place? If every piece began with a line of the text, place 0 would always hold the first
word of a line. The model would learn that too. The loss would be good; but whoever lets it write
more than T tokens shows it pieces that begin anywhere, and it has never seen one.

Why several batches in a step? A large batch gives a better gradient, but may not fit into memory.
Gradients are sums, and ``backward()`` adds to what is in ``.grad`` already. So the gradient of one
large batch is collected from several small ones: *gradient accumulation*. For the same reason
gradients must be cleared before the next step: ``optimizer.zero_grad()``.

Why clip? A few strange lines can have a gradient that is a hundred times larger than usual, and one
such step undoes much of what was learned. *Clipping* makes the gradient shorter where it is too
long, and keeps its direction.

What is it good for? A model that predicts the next token of very many texts has to learn much
about language and about the world, and nobody needs to write down any answers. This is called
*pre-training*. Afterwards it is trained on fewer and chosen texts (*fine-tuning*), and on what
people judge to be good answers (Ouyang et al. 2022). The larger the model and the text, the lower
is the loss, by simple *scaling laws* (Kaplan et al. 2020). And some tasks were seen to be solved by
large models only, which is called *emergence* (Wei et al. 2022).

How do I know that it learns what it should? Three tests, from the quickest to the best:

- Before the first step the loss is near log(V), see the page ``loss``. Much less is suspicious.
- Train on random tokens, so many that they cannot be learned by heart. Nothing in them tells the
  next one, so the loss must stay near log(V). If it falls below, the model sees its targets: they
  equal the inputs, or a mask is missing.
- Train on a text with a simple rule, then let the model write, and compare what it wrote with the
  rule, token by token. A low loss is no proof: with a missing mask the loss is excellent, because
  each answer can be copied from the next position. While the model writes there is none. Nor does a
  high loss prove anything: in the *copy task* the rows are some random tokens, a mark, and the same
  tokens once more, such as 3 1 5 2 0 3 1 5 2. Nobody can guess the first half, so the loss stays
  above 1; and the model copies without a mistake. With targets that equal the inputs the loss falls
  below 0.1, and it copies no row.

[Figure canary: two curves of the loss over 60 steps, for V = 2 tokens. On aabaab it falls from
0.69 to 0.06. On random tokens it stays near log(2) = 0.69.]

Look further
------------

Vaswani et al. 2017, section 5.1 (batches) and 5.3 (the optimizer). Radford et al. 2018, section
3.1, eq. (1): the loss of a language model. Williams and Zipser 1989, "A Learning Algorithm for
Continually Running Fully Recurrent Neural Networks" (teacher forcing). Pascanu, Mikolov, Bengio
2013, "On the difficulty of training recurrent neural networks", section 3.2 (clipping). Loshchilov
and Hutter 2019, "Decoupled Weight Decay Regularization" (AdamW). With your ``GPT`` in the place of
the ``TinyModel``, ``fit`` trains it on any text whose letters you turn into numbers.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn.functional import cross_entropy


class TinyModel(nn.Module):
    """A language model to try things with, complete as it is: two tables, and dropout.

    It sees two tokens, the present one and the one before it: logits[b, t] = now.weight[idx[b, t]]
    + before.weight[idx[b, t - 1]]; at t = 0 the second part is left out. Like ``GPT`` it returns a
    pair, logits and loss. It also counts its calls that kept a graph for ``backward()``.

    >>> model = TinyModel(vocab_size=7)
    >>> logits, loss = model(torch.tensor([[3, 1, 4]]), torch.tensor([[1, 4, -100]]))
    >>> logits.shape, loss.shape, model.count_graphs()
    (torch.Size([1, 3, 7]), torch.Size([]), 1)
    """

    def __init__(self, vocab_size: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.now = nn.Embedding(vocab_size, vocab_size)
        self.before = nn.Embedding(vocab_size, vocab_size)
        self.dropout = nn.Dropout(dropout)
        self.graphs = 0

    def forward(
        self, idx: Int[Tensor, "B T"], targets: Int[Tensor, "B T"] | None = None
    ) -> tuple[Float[Tensor, "B T V"], Float[Tensor, ""] | None]:
        earlier = nn.functional.pad(self.before(idx[:, :-1]), (0, 0, 1, 0))
        logits = self.dropout(self.now(idx) + earlier)
        self.graphs += int(logits.requires_grad)
        if targets is None:
            return logits, None
        total = cross_entropy(logits.flatten(0, 1), targets.flatten(), reduction="sum")
        return logits, total / (targets != -100).sum().clamp(min=1)

    def count_graphs(self) -> int:
        return self.graphs


class CopyModel(nn.Module):
    """Another one, which can learn to copy, complete as it is: attention by place alone.

    logits[b, t] = sum over s <= t of w[t, s] * table.weight[idx[b, s]], and row t of w is the
    softmax of places[t, 0], ..., places[t, t]. So where a position looks follows from where it
    stands, and not from the tokens there. A text has at most ``tokens`` tokens.

    >>> model = CopyModel(vocab_size=6, tokens=8)
    >>> logits, loss = model(torch.tensor([[3, 1, 4]]), torch.tensor([[1, 4, -100]]))
    >>> logits.shape, loss.shape
    (torch.Size([1, 3, 6]), torch.Size([]))

    These weights copy three tokens: from the mark 0 on, position t looks at position t - 3 alone.
    Nobody gives the model the second half: each token that it writes is its next input.

    >>> model = CopyModel(vocab_size=6, tokens=6)
    >>> model.table.weight.data = torch.eye(6)
    >>> model.places.data = 99 * torch.eye(6).roll(3, 0)
    >>> text = torch.tensor([[3, 1, 5, 0]])
    >>> for _ in range(3):
    ...     logits, _ = model(text)
    ...     text = torch.cat([text, logits[:, -1:].argmax(-1)], dim=1)
    >>> text
    tensor([[3, 1, 5, 0, 3, 1, 5]])
    """

    def __init__(self, vocab_size: int, tokens: int) -> None:
        super().__init__()
        self.table = nn.Embedding(vocab_size, vocab_size)
        self.places = nn.Parameter(torch.zeros(tokens, tokens))

    def forward(
        self, idx: Int[Tensor, "B T"], targets: Int[Tensor, "B T"] | None = None
    ) -> tuple[Float[Tensor, "B T V"], Float[Tensor, ""] | None]:
        count = idx.shape[1]
        later = torch.ones(count, count, dtype=torch.bool, device=idx.device).triu(1)
        scores = self.places[:count, :count].masked_fill(later, -torch.inf)
        logits = scores.softmax(-1) @ self.table(idx)
        if targets is None:
            return logits, None
        total = cross_entropy(logits.flatten(0, 1), targets.flatten(), reduction="sum")
        return logits, total / (targets != -100).sum().clamp(min=1)


class GradientDescent:
    """The simplest optimizer, complete as it is: w = w - lr * gradient, for all parameters.

    >>> model = TinyModel(vocab_size=2)
    >>> optimizer = GradientDescent(model, lr=0.5)
    >>> weight = model.now.weight
    >>> weight.data, weight.grad = torch.zeros(2, 2), torch.tensor([[1.0, -1.0], [0.0, 4.0]])
    >>> optimizer.step()
    >>> weight.detach()
    tensor([[-0.5000,  0.5000],
            [ 0.0000, -2.0000]])
    """

    def __init__(self, model: nn.Module, lr: float) -> None:
        self.weights, self.lr = list(model.parameters()), lr

    @torch.no_grad()
    def step(self) -> None:
        for weight in self.weights:
            if weight.grad is not None:
                weight -= self.lr * weight.grad

    def zero_grad(self) -> None:
        for weight in self.weights:
            weight.grad = None


def next_token_batch(
    data: Int[Tensor, "N"], batch: int, tokens: int, generator: torch.Generator
) -> tuple[Int[Tensor, "B T"], Int[Tensor, "B T"]]:
    """``batch`` random pieces of the stream ``data``, of T = ``tokens`` tokens each, and their
    targets: a pair (inputs, targets).

    targets[b, t] is the token that stands one place after inputs[b, t] in the stream. A piece may
    begin at any of the N - T places 0, 1, ..., N - T - 1, each with the same probability; every
    piece is drawn independently of the others, so the same one may come twice.

    All that is random comes from ``generator``, and not from torch's global one: two generators
    with the same seed give the same pieces, other seeds and later calls give others.

    Raises:
        ValueError: the stream has T tokens or fewer, so there is no piece with its targets.

    Source: Radford et al. 2018, section 3.1.

    Four tokens hold one piece of three tokens:

    >>> next_token_batch(torch.tensor([1, 4, 1, 5]), 2, 3, torch.Generator())
    (tensor([[1, 4, 1],
            [1, 4, 1]]), tensor([[4, 1, 5],
            [4, 1, 5]]))
    """
    # TODO: step 1 of 7
    raise NotImplementedError("training: replace this line")


def teacher_forcing(
    tgt: Int[Tensor, "B T"], pad_id: int
) -> tuple[Int[Tensor, "B T-1"], Int[Tensor, "B T-1"]]:
    """Whole sentences, made into what a decoder is given and what it should answer: a pair (inputs,
    targets).

    The inputs are all tokens but the last, the targets all but the first. Shorter sentences are
    filled up at their end with ``pad_id``. Nobody wants to learn that, so where ``pad_id`` would be
    the target, the target is -100, which has no share in the loss. The inputs keep it.

    Source: Vaswani et al. 2017, section 3.1 ("offset by one position"); Williams and Zipser 1989.

    Here 1 begins a sentence, 2 ends it, and 0 fills it up:

    >>> teacher_forcing(torch.tensor([[1, 5, 7, 2], [1, 6, 2, 0]]), pad_id=0)
    (tensor([[1, 5, 7],
            [1, 6, 2]]), tensor([[   5,    7,    2],
            [   6,    2, -100]]))
    """
    # TODO: step 2 of 7
    raise NotImplementedError("training: replace this line")


def train_step(
    model: nn.Module,
    batches: list[tuple[Tensor, Tensor]],
    optimizer: Any,
    max_norm: float | None = None,
) -> float:
    """One step of the optimizer, on all ``batches`` together; returns their loss before the step.

    Each batch is a pair (inputs, targets). They need not have the same shape. Together they count
    as one batch: the loss is the mean over all targets that are not -100, in whichever batch they
    stand, see the formula at the top, and gradients are those of this loss. If no target counts,
    the loss and all gradients are 0.

    Gradients of earlier calls do not count: ``zero_grad()`` clears those that the optimizer moves,
    and if it holds a part of the model only, nothing is asked of the gradients of the rest. With
    ``max_norm`` the gradient of all batches is clipped: its *norm* is the root of the sum of the
    squares of all its numbers, of all parameters together, which are the model's. If the norm is
    larger than ``max_norm``, all gradients are multiplied by max_norm / norm, and else by nothing.

    Of the optimizer only ``step()`` and ``zero_grad()`` are used, so one of torch and one of your
    own will do. A parameter may have no gradient (None), because it is frozen or had no part in the
    loss: it stays as it is. The mode of the model, train or eval, stays as it is too.

    Source: Pascanu et al. 2013, section 3.2 (clipping).

    A model of zeros says 1/2 for each of two tokens, and its loss is log(2). A step towards the
    target 1 makes it smaller:

    >>> model = TinyModel(vocab_size=2)
    >>> for weight in model.parameters():
    ...     _ = nn.init.zeros_(weight)
    >>> idx, targets = torch.tensor([[0]]), torch.tensor([[1]])
    >>> loss = train_step(model, [(idx, targets)], GradientDescent(model, lr=1.0))
    >>> round(loss, 4), round(model(idx, targets)[1].item(), 4)
    (0.6931, 0.3133)
    """
    # TODO: step 3 of 7, one batch
    #       step 4 of 7, several batches
    #       step 5 of 7, max_norm
    raise NotImplementedError("training: replace this line")


def evaluate(model: nn.Module, batches: Iterable[tuple[Tensor, Tensor]]) -> float:
    """The mean loss of the model over all targets of all ``batches`` that are not -100.

    It is as in ``train_step``: every target counts the same, whichever batch it stands in, and if
    none counts, the loss is 0. ``batches`` may be large, and is gone through once.

    The model is in eval mode meanwhile, so nothing is dropped. Afterwards every part of it
    (``model.modules()``) is in the mode in which it came: one part may have been in eval mode while
    all others were in train mode. The model is called without keeping a graph, see
    ``torch.no_grad``, and no parameter changes.

    Source: Srivastava et al. 2014, section 1 (no dropout at test time).

    >>> model = TinyModel(vocab_size=4, dropout=0.5)
    >>> for weight in model.parameters():
    ...     _ = nn.init.zeros_(weight)
    >>> round(evaluate(model, [(torch.tensor([[0, 1]]), torch.tensor([[1, 2]]))]), 4)  # log(4)
    1.3863
    >>> model.training, model.count_graphs()
    (True, 0)
    """
    # TODO: step 6 of 7
    raise NotImplementedError("training: replace this line")


def fit(
    model: nn.Module,
    data: Int[Tensor, "N"],
    steps: int,
    *,
    batch: int,
    tokens: int,
    lr: float,
    generator: torch.Generator,
) -> list[float]:
    """Trains the model on the stream ``data``; returns the loss of every step, before that step.

    The model is put into train mode, and stays in it. Each of the ``steps`` draws one batch,
    ``next_token_batch(data, batch, tokens, generator)``, and makes a ``train_step`` with it,
    without clipping. All steps have one optimizer, which remembers what it needs from step to step:
    AdamW with the learning rate ``lr``, and all else as ``torch.optim.AdamW`` has it unless told
    otherwise.

    Source: Radford et al. 2018, section 3.1; Loshchilov and Hutter 2019, algorithm 2.

    In this text two a are followed by a b, and a b by two a. Trained on it, a model of zeros
    continues the text by itself: each token is the one with the largest logit.

    >>> data = torch.tensor([0, 0, 1] * 20)
    >>> model = TinyModel(vocab_size=2)
    >>> for weight in model.parameters():
    ...     _ = nn.init.zeros_(weight)
    >>> generator = torch.Generator().manual_seed(3)
    >>> losses = fit(model, data, 60, batch=4, tokens=12, lr=0.2, generator=generator)
    >>> len(losses), round(losses[0], 4), losses[-1] < 0.1
    (60, 0.6931, True)
    >>> text = torch.tensor([[0, 0]])
    >>> for _ in range(7):
    ...     text = torch.cat([text, model(text)[0][:, -1:].argmax(-1)], dim=1)
    >>> "".join("ab"[token] for token in text[0])
    'aabaabaab'
    """
    # TODO: step 7 of 7
    raise NotImplementedError("training: replace this line")
