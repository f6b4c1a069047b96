"""Beam search: the most probable text, as far as it can be found.

Idea
----

A language model says how probable each next token is. So every text has a probability: the product
of those of its tokens. Which text is the most probable one? To take the best token in every step
(*greedy search*) does not find it: a good first token may lead to places where nothing goes on
well. To try out all texts finds it, but there are far too many of them.

Beam search is in between. It keeps several beginnings of texts, the *hypotheses*, and continues all
of them by one token in each round. Of all continuations together the best few are kept, and all
others are given up. How many are kept is the *beam size*.

Formula
-------

    log p(y) = sum_t log p(y_t | y_1 ... y_(t-1))
    score(y) = log p(y) / lp(n)
    lp(n) = ((5 + n) / 6) ** alpha

y is a hypothesis of n tokens, log is the natural logarithm, and lp is the *length penalty*. With
alpha = 0 it is 1, and the score is the log-probability.

Worked example
--------------

Three tokens: 0 is written "." and ends a text, 1 is "a", and 2 is "b". What comes next depends on
the token before; the first row says how a text begins. The ``TableModel`` below makes a model of
this table:

>>> table = [[0.10, 0.50, 0.40], [0.20, 0.45, 0.35], [0.90, 0.06, 0.04]]
>>> model = TableModel(vocab_size=3)
>>> model.table.data = torch.tensor(table).log()

Greedy search takes a (0.5), then a again (0.45), and again. After three tokens the text has the
probability 0.5 * 0.45 * 0.45 = 0.101.

Beam search with beam size 2. Round 1: of ".", "a" and "b" the best two are kept, a with 0.5 and b
with 0.4. Round 2: each of them has three continuations, which makes six:

>>> [[round(first * p, 3) for p in table[row]] for first, row in ((0.5, 1), (0.4, 2))]
[[0.1, 0.225, 0.175], [0.36, 0.024, 0.016]]

The best two are "b." with 0.36 and "aa" with 0.225. "b." ends with the token that ends a text, so
it is *finished*. "aa" is still *open*. But however it goes on, its probability only becomes
smaller. So the search is over: "b." has 0.36, more than three times that of the greedy text.

[Figure tree: two rounds of the search. From the beginning lead lines to ".", 0.1, which is given
up, and to a, 0.5, and b, 0.4, which are kept. From a lead lines to "a.", 0.1, "aa", 0.225, and
"ab", 0.175; from b to "b.", 0.36, "ba", 0.024, and "bb", 0.016. Of these six, "b." and "aa" are
kept: "b." is finished, and "aa" is open.]

What is graded
--------------

Three functions, in the order of this file. ``TableModel``, the model of the checks, is given.

The model is asked by calling ``step(last, state)``. ``last`` holds the last token of each of N
hypotheses, an int64 tensor of shape (N,), on any device; of the empty hypothesis it is ``bos``
(beginning of sequence). ``state`` is all that the model remembers of these hypotheses. It is None
in the first call; afterwards it is what the call before returned. ``step`` returns a pair:

- the log-probabilities of the next token, float32 or float64 of shape (N, V), of which some may be
  -inf: such a token cannot come there;
- the new state, a tensor with N as its first axis. Row i belongs to hypothesis i.

What else is in a state is the model's affair. But the next call has other hypotheses, and row i of
the state must belong to hypothesis i again. So pick the rows: if hypothesis i continues the old
hypothesis ``parents[i]``, its state is ``state[parents]``. Whoever hands over None begins anew: the
model then knows the last token alone, which is enough for a ``TableModel`` of ``memory`` 1.

A hypothesis is returned as a pair: its tokens, a list of Python's ints, and its score, a float. The
tokens are those after ``bos``. ``eos`` (end of sequence), where it ended, is one of them. ``bos``
and ``eos`` may be the same number: the ``bos`` at the beginning ends nothing.

``beam_size``, ``max_len`` and ``n_best`` are 1 or more, ``alpha`` is 0 or more. Programs for beam
search differ in small things, and then find other texts. Here the rules of ``beam_search``, below,
are graded as they stand. Nobody asks for sums or scores so near to one another that rounding
decides; but some are exactly equal. All functions of torch are welcome, and so is plain Python.

Why it is like this
-------------------

Why not try out all? With V tokens there are V^n texts of n tokens: with 50,257 tokens and n = 4
more than 6 * 10^18. But if the beam size is so large that nothing is ever given up, beam search
does try out all. And with beam size 1 it is greedy search. So both ends are known, which is a good
test of a program.

Why logarithms? Two hundred tokens with a probability of 1/64 each: their product is 64^-200, about
10^-361, and in a float that is 0. The sum of the logarithms is -832, which is no trouble.

Why a length penalty? Every token makes the log-probability smaller, so the short texts win. In a
translation they are too short. Divided by its length, a sum would become a mean, and then long
texts win; the penalty with alpha between 0 and 1 lies in between. Log-probabilities are negative:
to divide by a larger number makes the score larger. Vaswani et al. 2017 took a beam size of 4 and
alpha = 0.6. Within a round all hypotheses have the same length, so the penalty changes nothing
there. It counts where finished ones of different lengths are compared.

Why a state? After "the cat" the model has read "the" already. Real models keep what they computed
for it (the keys and values of attention), so that a step reads one token, and not the whole text.
That memory has a row for each hypothesis. In every round some hypotheses are given up, and others
have several continuations. If the rows stay as they are, hypothesis 2 goes on with the memory of
another text. The program runs, and its texts are a little worse: a mistake that is hard to see.

Look further
------------

Sutskever, Vinyals, Le 2014, "Sequence to Sequence Learning with Neural Networks", section 3.2: the
search as it is built here. Wu et al. 2016, "Google's Neural Machine Translation System", section 7,
eq. (14): the length penalty. Vaswani et al. 2017, section 6.1. Stahlberg, Byrne 2019, "On NMT
Search Errors and Model Errors: Cat Got Your Tongue?": they search exactly, and often the most
probable translation of all is the empty one.

Your ``GPT`` can take the place of the ``TableModel``. Its state is the text itself:

    def step(last, state):
        last = last.unsqueeze(1)
        text = last if state is None else torch.cat([state, last], dim=1)
        logits, _ = model(text)
        return logits[:, -1].log_softmax(-1), text
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

Step = Callable[
    [Int[Tensor, "N"], Tensor | None],
    tuple[Float[Tensor, "N V"], Tensor],
]
Hypothesis = tuple[list[int], float]


class TableModel(nn.Module):
    """A language model to search with, complete as it is: a table of logits.

    What comes next depends on the last ``memory`` tokens: the log-probabilities after the tokens i
    and j are log_softmax(table[i, j]) if memory is 2. The text begins as if ``bos`` had been read
    ``memory`` times. The state is all tokens that were read, (N, T).

    ``rows_asked()`` lists how many rows each call had, since the model was made.

    >>> model = TableModel(vocab_size=3)
    >>> log_probs, state = model(torch.tensor([0]))
    >>> log_probs.exp(), state
    (tensor([[0.3333, 0.3333, 0.3333]]), tensor([[0]]))
    >>> model(torch.tensor([2, 1]), state[[0, 0]])[1]
    tensor([[0, 2],
            [0, 1]])
    >>> model.rows_asked()
    [1, 2]
    """

    def __init__(self, vocab_size: int, memory: int = 1) -> None:
        super().__init__()
        self.table = nn.Parameter(torch.zeros((vocab_size,) * (memory + 1)))
        self.memory = memory
        self._rows: list[int] = []

    def rows_asked(self) -> list[int]:
        return list(self._rows)

    @torch.no_grad()
    def forward(
        self, last: Int[Tensor, "N"], state: Int[Tensor, "N T"] | None = None
    ) -> tuple[Float[Tensor, "N V"], Int[Tensor, "N T+1"]]:
        if last.ndim != 1:
            raise ValueError(
                f"last has the shape {tuple(last.shape)}, and not (N,): it has one axis, also if "
                "there is one row alone, as in torch.tensor([token])"
            )
        self._rows.append(len(last))
        last = last.to(self.table.device).unsqueeze(1)
        if state is None:
            read = last.repeat(1, self.memory)
        elif len(state) != len(last):
            raise ValueError(
                f"{len(last)} tokens, but {len(state)} rows of the state: each token needs the row "
                "of the hypothesis that it continues, and finished ones have neither"
            )
        else:
            read = torch.cat([state, last], dim=1)
        recent = read[:, -self.memory :].unbind(1)
        return self.table[recent].log_softmax(-1), read


def length_penalty(length: int, alpha: float) -> float:
    """By what the log-probability of a hypothesis of ``length`` tokens is divided.

    lp(n) = ((5 + n) / 6) ** alpha

    Source: Wu et al. 2016, section 7, eq. (14).

    One token gives 1, whatever alpha is. Seven tokens give 2 ** alpha:

    >>> length_penalty(1, 0.6), length_penalty(7, 0.0), length_penalty(7, 1.0)
    (1.0, 1.0, 2.0)
    >>> length_penalty(7, 0.5) == 2**0.5
    True
    """
    # BEGIN SOLUTION
    return ((5 + length) / 6) ** alpha
    # END SOLUTION


def greedy_search(step: Step, bos: int, eos: int, max_len: int) -> Hypothesis:
    """The text that has the most probable token in every place, and its log-probability.

    Of equally probable tokens it is the smallest. The text ends with the first ``eos``, or when it
    has ``max_len`` tokens. ``step`` is called once for each token, with one row, and is handed the
    state that its last call returned.

    Source: Sutskever et al. 2014, section 3.2 (a beam of size 1).

    The worked example, and log(0.5 * 0.45 * 0.45):

    >>> model = TableModel(vocab_size=3)
    >>> model.table.data = torch.tensor([[0.1, 0.5, 0.4], [0.2, 0.45, 0.35], [0.9, 0.06, 0.04]])
    >>> model.table.data = model.table.data.log()
    >>> tokens, score = greedy_search(model, bos=0, eos=0, max_len=3)
    >>> tokens, round(score, 4)
    ([1, 1, 1], -2.2902)
    """
    # BEGIN SOLUTION
    tokens: list[int] = []
    total, last, state = 0.0, bos, None
    for _ in range(max_len):
        log_probs, state = step(torch.tensor([last]), state)
        last = int(log_probs[0].argmax())
        total += float(log_probs[0, last])
        tokens.append(last)
        if last == eos:
            break
    return tokens, total
    # END SOLUTION


def beam_search(
    step: Step,
    bos: int,
    eos: int,
    *,
    beam_size: int,
    max_len: int,
    alpha: float = 0.0,
    n_best: int = 1,
) -> list[Hypothesis]:
    """The ``n_best`` hypotheses with the largest scores that a beam of ``beam_size`` finds.

    In the beginning one hypothesis is open, the empty one, with the log-probability 0. Then come
    rounds:

    1. ``step`` is called once, for all open hypotheses, and for no others. So it is called with at
       most ``beam_size`` rows, and at most ``max_len`` times.
    2. Each open hypothesis has V continuations, one token longer. The log-probability of a
       continuation is that of the hypothesis plus that of the token. Of the continuations of all
       open hypotheses together, the ``beam_size`` with the largest log-probabilities are kept, and
       the others are given up. One with the log-probability -inf is never kept, so there may be
       fewer.
    3. A kept one is finished if its last token is ``eos``, or if it has ``max_len`` tokens. It gets
       its score and leaves the beam for good: it is not continued, and takes nobody's place in
       later rounds. The other kept ones are the open ones of the next round.

    The search ends when none is open. It also ends after a round in which it is known that no open
    one can come among the ``n_best`` any more. No token makes a log-probability larger. So an open
    one with log-probability s ends with a score of s / length_penalty(max_len, alpha) at most. If
    ``n_best`` finished ones have scores larger than that, for every open one, the search ends.

    The result is the ``n_best`` finished ones with the largest scores, whenever they were finished,
    the largest score first; or all, if these are fewer.

    In a round (2.) and in the result: of equal ones, the one whose tokens are lexicographically
    smaller comes first, as Python compares lists, [1, 2, 0] < [1, 3].

    Source: Sutskever et al. 2014, section 3.2; Wu et al. 2016, section 7, eq. (14).

    The worked example; and log(0.36), of two tokens, divided by (7 / 6) ** 0.6:

    >>> model = TableModel(vocab_size=3)
    >>> model.table.data = torch.tensor([[0.1, 0.5, 0.4], [0.2, 0.45, 0.35], [0.9, 0.06, 0.04]])
    >>> model.table.data = model.table.data.log()
    >>> [(tokens, score)] = beam_search(model, bos=0, eos=0, beam_size=2, max_len=3)
    >>> tokens, round(score, 4), model.rows_asked()
    ([2, 0], -1.0217, [1, 2])
    >>> [(tokens, score)] = beam_search(model, bos=0, eos=0, beam_size=2, max_len=3, alpha=0.6)
    >>> tokens, round(score, 4)
    ([2, 0], -0.9314)

    All three of the texts that are found, which takes a third round:

    >>> best = beam_search(model, bos=0, eos=0, beam_size=2, max_len=3, n_best=3)
    >>> [(tokens, round(score, 4)) for tokens, score in best]
    [([2, 0], -1.0217), ([1, 1, 1], -2.2902), ([1, 1, 2], -2.5415)]
    """
    # BEGIN SOLUTION
    beam: list[Hypothesis] = [([], 0.0)]  # the open ones, each with its log-probability
    finished: list[Hypothesis] = []
    state = None
    for length in range(1, max_len + 1):
        last = [tokens[-1] if tokens else bos for tokens, _ in beam]
        log_probs, state = step(torch.tensor(last), state)
        continuations = [
            ([*tokens, token], total + log_p, parent)
            for parent, (tokens, total) in enumerate(beam)
            for token, log_p in enumerate(log_probs[parent].tolist())
            if log_p > -torch.inf
        ]
        continuations.sort(key=lambda one: (-one[1], one[0]))
        parents, beam = [], []
        for tokens, total, parent in continuations[:beam_size]:
            if tokens[-1] == eos or length == max_len:
                finished.append((tokens, total / length_penalty(length, alpha)))
            else:
                beam.append((tokens, total))
                parents.append(parent)
        finished.sort(key=lambda one: (-one[1], one[0]))
        finished = finished[:n_best]
        if not beam:
            break
        bound = beam[0][1] / length_penalty(max_len, alpha)
        if len(finished) == n_best and finished[-1][1] > bound:
            break
        state = state[parents]
    return finished
    # END SOLUTION
