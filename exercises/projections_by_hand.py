"""Projections by hand: queries, keys and values of six words, and a mask, all in numbers.

Idea
----

On the page ``attention_by_hand`` each token's row was used three times: it was compared with the
other rows, the other rows were compared with it, and it was mixed into the results. In a
Transformer each of these uses has a matrix of its own. The matrices turn the row of a token into
its *query* (what it looks for), its *key* (what it is found by) and its *value* (what it gives).
A product with such a matrix is called a *projection*. The numbers in the three matrices are what a
model learns; on this page they are given.

Formula
-------

    queries  = x W_query                    | (T, d_k)
    keys     = x W_key                      | (T, d_k)
    values   = x W_value                    | (T, d_v)
    scores   = queries keys^T               | (T, T)   | how well does key j fit query i?
    weights  = softmax(scores / sqrt(d_k))  | (T, T)   | the share of token j for token i
    contexts = weights values               | (T, d_v) | row i is the mixture for token i

x has one row for each of the T tokens, d_in numbers wide. W_query and W_key have the shape (d_in,
d_k), and W_value has the shape (d_in, d_v). So d_k is the width of queries and keys.

Worked example: one word
------------------------

The sentence is "Your journey starts with one step", with three numbers for each word. The matrices
of this page make two numbers of them. Here is the row of the second word, and its query:

>>> JOURNEY[1]
tensor([0.5500, 0.8700, 0.6600])
>>> query = JOURNEY[1] @ W_QUERY  # first number: 0.55 * 0.2961 + 0.87 * 0.2517 + 0.66 * 0.0740
>>> query
tensor([0.4306, 1.4551])

Each word has a key and a value, too. The score of "journey" for itself is the dot product of its
query and its key:

>>> keys, values = JOURNEY @ W_KEY, JOURNEY @ W_VALUE
>>> keys.shape, values.shape
(torch.Size([6, 2]), torch.Size([6, 2]))
>>> keys[1]
tensor([0.4433, 1.1419])
>>> query @ keys[1]  # 0.4306 * 0.4433 + 1.4551 * 1.1419
tensor(1.8524)

Its scores with all six words, its weights, and its context vector:

>>> scores = torch.stack([query @ key for key in keys])
>>> scores
tensor([1.2705, 1.8524, 1.8111, 1.0795, 0.5577, 1.5440])
>>> weights = torch.softmax(scores / 2**0.5, dim=-1)  # d_k is 2
>>> weights
tensor([0.1500, 0.2264, 0.2199, 0.1311, 0.0906, 0.1820])
>>> sum(weights[j] * values[j] for j in range(6))
tensor([0.3061, 0.8210])

[Figure one_word: the rows of x go through W_query, W_key and W_value. The query of the word
journey, (0.43, 1.46), and the keys of all six words give six scores. Divided by sqrt(2), and after
a softmax, these are the weights, the larger the darker. Weights times values give the context of
journey, (0.31, 0.82).]

Worked example: hiding the future
---------------------------------

A model that writes a text must not look at words that come later. So the weights of later words
have to be 0. The example takes other matrices (``LINEARS`` below). It calls functions that you
will write; what they print stands here already. There are two ways, and five matrices show them.
The first matrix holds the weights of all words for all words:

>>> matrices = matrices_of_linears(LINEARS)
>>> w_query, w_key = matrices["W_query"], matrices["W_key"]
>>> all_weights = attention_weights(JOURNEY, w_query, w_key)
>>> all_weights
tensor([[0.1921, 0.1646, 0.1652, 0.1550, 0.1721, 0.1510],
        [0.2041, 0.1659, 0.1662, 0.1496, 0.1665, 0.1477],
        [0.2036, 0.1659, 0.1662, 0.1498, 0.1664, 0.1480],
        [0.1869, 0.1667, 0.1668, 0.1571, 0.1661, 0.1564],
        [0.1830, 0.1669, 0.1670, 0.1588, 0.1658, 0.1585],
        [0.1935, 0.1663, 0.1666, 0.1542, 0.1666, 0.1529]])

Row i belongs to word i, and it may look at the words 0 to i: at itself and at those before it. The
second matrix has ones there. ``torch.tril`` sets everything above the diagonal to 0:

>>> ones = torch.tril(torch.ones(6, 6))
>>> ones
tensor([[1., 0., 0., 0., 0., 0.],
        [1., 1., 0., 0., 0., 0.],
        [1., 1., 1., 0., 0., 0.],
        [1., 1., 1., 1., 0., 0.],
        [1., 1., 1., 1., 1., 0.],
        [1., 1., 1., 1., 1., 1.]])

The product, element by element, has zeros for all later words. But its rows no longer sum to one:

>>> masked = all_weights * ones
>>> masked
tensor([[0.1921, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000],
        [0.2041, 0.1659, 0.0000, 0.0000, 0.0000, 0.0000],
        [0.2036, 0.1659, 0.1662, 0.0000, 0.0000, 0.0000],
        [0.1869, 0.1667, 0.1668, 0.1571, 0.0000, 0.0000],
        [0.1830, 0.1669, 0.1670, 0.1588, 0.1658, 0.0000],
        [0.1935, 0.1663, 0.1666, 0.1542, 0.1666, 0.1529]])
>>> masked.sum(dim=-1)
tensor([0.1921, 0.3700, 0.5357, 0.6775, 0.8415, 1.0000])

Divided by these sums, they do again:

>>> renormalized_past(all_weights)
tensor([[1.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000],
        [0.5517, 0.4483, 0.0000, 0.0000, 0.0000, 0.0000],
        [0.3800, 0.3097, 0.3103, 0.0000, 0.0000, 0.0000],
        [0.2758, 0.2460, 0.2462, 0.2319, 0.0000, 0.0000],
        [0.2175, 0.1983, 0.1984, 0.1888, 0.1971, 0.0000],
        [0.1935, 0.1663, 0.1666, 0.1542, 0.1666, 0.1529]])

[Figure hiding: two tables of weights with a row for each word, the larger the darker. In the first,
the weights above the diagonal are 0, and the sums of the rows grow from 0.19 to 1. In the second,
each row is divided by its sum. All rows sum to 1; the first word has all of its weight for itself.]

The second way is shorter, and it is the one that is used. It replaces the scores of later words by
-inf before the softmax. exp(-inf) is 0, so these words add nothing to the sum that softmax divides
by. This is the last of the five matrices. Divided by sqrt(d_k), its softmax has the rows that the
first way gave; here is row 1:

>>> hidden = hide_future(attention_scores(JOURNEY, w_query, w_key))
>>> hidden
tensor([[0.2899,   -inf,   -inf,   -inf,   -inf,   -inf],
        [0.4656, 0.1723,   -inf,   -inf,   -inf,   -inf],
        [0.4594, 0.1703, 0.1731,   -inf,   -inf,   -inf],
        [0.2642, 0.1024, 0.1036, 0.0186,   -inf,   -inf],
        [0.2183, 0.0874, 0.0882, 0.0177, 0.0786,   -inf],
        [0.3408, 0.1270, 0.1290, 0.0198, 0.1290, 0.0078]])
>>> torch.softmax(hidden / 2**0.5, dim=-1)[1]
tensor([0.5517, 0.4483, 0.0000, 0.0000, 0.0000, 0.0000])

What is graded
--------------

Nine short functions, in the order of this file; the last one may wait. They take and return torch
tensors, or dictionaries, lists and numbers where a function says so. Results have the dtype and the
device of what they are made from, gradients flow back, and no input is changed. You may call
your own functions from others.

Write it yourself: ``F.scaled_dot_product_attention`` and ``nn.MultiheadAttention`` are not
available here, under any name. ``torch.softmax`` is welcome here.

Why it is like this
-------------------

Why a matrix for the queries and another one for the keys? With one matrix for both, the score of
token i for token j would equal the score of j for i. But a noun may need its adjective more than
the adjective needs the noun. Here "journey" has the score 0.5577 for "one", and "one" has the score
0.8819 for "journey".

Why a matrix for the values? What a token is found by need not be what it gives to others.

Why is the score divided by sqrt(d_k)? It is a sum of d_k products. If these are independent and of
similar size, their sum grows like sqrt(d_k). Without the division, the scores of wide keys would
lie far apart, and softmax would give nearly all of the weight to one token. The page ``attention``
says more.

Why are the first way and the second way equal? Softmax divides exponentials by their sum. If all
weights that remain are divided by what remains of the sum, the old sum cancels. But the first way
fails where later words had all of the weight: what remains is then 0, or rounds to 0, and 0 / 0 is
no number. The second way never looks at later words at all.

Look further
------------

Raschka, Build a Large Language Model (From Scratch), 2024: sections 3.4 and 3.5.1 print the numbers
of this page. Vaswani et al. 2017, "Attention Is All You Need", section 3.2.1, has the formula. The
next page, ``masks``, makes masks for any batch; ``self_attention`` makes modules of these
functions.
"""

from __future__ import annotations

import math

import torch
from jaxtyping import Float
from torch import Tensor

JOURNEY = torch.tensor(
    [
        [0.43, 0.15, 0.89],  # Your
        [0.55, 0.87, 0.66],  # journey
        [0.57, 0.85, 0.64],  # starts
        [0.22, 0.58, 0.33],  # with
        [0.77, 0.25, 0.10],  # one
        [0.05, 0.80, 0.55],  # step
    ]
)

# The matrices of section 3.4.1 of the book, of shape (d_in, d_out): (3, 2).
W_QUERY = torch.tensor([[0.296112, 0.516562], [0.251671, 0.688557], [0.073972, 0.866522]])
W_KEY = torch.tensor([[0.136580, 0.102479], [0.184056, 0.726447], [0.315254, 0.687107]])
W_VALUE = torch.tensor([[0.075635, 0.196638], [0.316412, 0.401740], [0.118568, 0.827395]])

# What three ``nn.Linear(3, 2, bias=False)`` hold in section 3.5.1, each of shape (d_out, d_in).
LINEARS = {
    "W_query.weight": torch.tensor(
        [[0.316059, 0.456809, 0.511835], [-0.168285, -0.337877, -0.091774]]
    ),
    "W_key.weight": torch.tensor(
        [[0.405806, -0.470421, 0.236805], [0.213361, -0.260051, -0.510543]]
    ),
    "W_value.weight": torch.tensor(
        [[0.252570, -0.141478, -0.196181], [0.519107, -0.085168, -0.204327]]
    ),
}


def projection(
    x: Float[Tensor, "T d_in"], w: Float[Tensor, "d_in d_out"]
) -> Float[Tensor, "T d_out"]:
    """The projection of every token: row i of the result is row i of x, times the matrix w.

    Source: Raschka 2024, section 3.4.1.

    >>> projection(JOURNEY, W_QUERY)[1]
    tensor([0.4306, 1.4551])
    """
    # TODO: step 1 of 8
    raise NotImplementedError("projections_by_hand: replace this line")


def attention_scores(
    x: Float[Tensor, "T d_in"],
    w_query: Float[Tensor, "d_in d_k"],
    w_key: Float[Tensor, "d_in d_k"],
) -> Float[Tensor, "T T"]:
    """How well every key fits every query: their dot products.

    scores_ij = query_i . key_j,  in one product: scores = queries keys^T

    Row i belongs to query i. Nothing is scaled or normalised here.

    Source: Raschka 2024, section 3.4.1.

    >>> attention_scores(JOURNEY, W_QUERY, W_KEY)[1]
    tensor([1.2705, 1.8524, 1.8111, 1.0795, 0.5577, 1.5440])
    """
    # TODO: step 2 of 8
    raise NotImplementedError("projections_by_hand: replace this line")


def attention_weights(
    x: Float[Tensor, "T d_in"],
    w_query: Float[Tensor, "d_in d_k"],
    w_key: Float[Tensor, "d_in d_k"],
) -> Float[Tensor, "T T"]:
    """The share of every token for every token: row i holds the shares for token i.

    weights = softmax(scores / sqrt(d_k)),  along the last axis

    d_k is the width of a key: neither the width of x nor the number of tokens.

    Source: Vaswani et al. 2017, section 3.2.1, eq. (1); Raschka 2024, section 3.4.1.

    >>> attention_weights(JOURNEY, W_QUERY, W_KEY)[1]
    tensor([0.1500, 0.2264, 0.2199, 0.1311, 0.0906, 0.1820])
    """
    # TODO: step 3 of 8
    raise NotImplementedError("projections_by_hand: replace this line")


def context_vectors(
    x: Float[Tensor, "T d_in"],
    w_query: Float[Tensor, "d_in d_k"],
    w_key: Float[Tensor, "d_in d_k"],
    w_value: Float[Tensor, "d_in d_v"],
) -> Float[Tensor, "T d_v"]:
    """The context vector of every token: the values of all tokens, mixed by its weights.

    contexts_i = sum_j weights_ij value_j

    Values may be wider or narrower than keys.

    Source: Vaswani et al. 2017, section 3.2.1, eq. (1); Raschka 2024, section 3.4.

    >>> context_vectors(JOURNEY, W_QUERY, W_KEY, W_VALUE)
    tensor([[0.2996, 0.8053],
            [0.3061, 0.8210],
            [0.3058, 0.8203],
            [0.2948, 0.7939],
            [0.2927, 0.7891],
            [0.2990, 0.8040]])
    """
    # TODO: step 4 of 8
    raise NotImplementedError("projections_by_hand: replace this line")


def matrices_of_linears(
    linears: dict[str, Float[Tensor, "d_out d_in"]],
) -> dict[str, Float[Tensor, "d_in d_out"]]:
    """The matrices of this page that do what three layers of ``nn.Linear`` do.

    ``nn.Linear(d_in, d_out, bias=False)`` is torch's layer for a projection. It keeps its matrix as
    ``weight`` of shape (d_out, d_in), and computes x weight^T. This page computes x W.

    Args:
        linears: under "W_query.weight", "W_key.weight" and "W_value.weight" the weights of three
            such layers, in this order. The names are those of a ``state_dict`` (the dictionary in
            which torch keeps what a model has learned).

    Returns:
        under "W_query", "W_key" and "W_value" the matrix W of each, in this order.

    Source: Raschka 2024, exercise 3.1, which copies the weights of one class into another.

    >>> matrices = matrices_of_linears(LINEARS)
    >>> {name: tuple(matrix.shape) for name, matrix in matrices.items()}
    {'W_query': (3, 2), 'W_key': (3, 2), 'W_value': (3, 2)}
    >>> torch.nn.functional.linear(JOURNEY[1], LINEARS["W_query.weight"])
    tensor([ 0.9091, -0.4471])
    >>> projection(JOURNEY, matrices["W_query"])[1]
    tensor([ 0.9091, -0.4471])
    >>> context_vectors(JOURNEY, *matrices.values())[0]
    tensor([-0.0739,  0.0713])
    """
    # TODO: step 5 of 8
    raise NotImplementedError("projections_by_hand: replace this line")


def renormalized_past(weights: Float[Tensor, "T T"]) -> Float[Tensor, "T T"]:
    """The first way to hide the future: weights are set to 0, and what is left is divided.

    Row i keeps the weights of the tokens 0 to i, its own among them; the weights of later tokens
    become 0. Then each row is divided by its sum, so that it sums to one again.

    Source: Raschka 2024, section 3.5.1.

    >>> renormalized_past(torch.tensor([[0.2, 0.8], [0.3, 0.7]]))
    tensor([[1.0000, 0.0000],
            [0.3000, 0.7000]])
    """
    # TODO: step 6 of 8
    raise NotImplementedError("projections_by_hand: replace this line")


def hide_future(scores: Float[Tensor, "T T"]) -> Float[Tensor, "T T"]:
    """The second way: every score for a later token becomes -inf, and softmax does the rest.

    Row i keeps its scores for the tokens 0 to i as they are. Scores may be any finite numbers,
    also 0.

    Source: Vaswani et al. 2017, section 3.2.3; Raschka 2024, section 3.5.1.

    >>> hide_future(torch.tensor([[5.0, 6.0], [0.0, 8.0]]))
    tensor([[5., -inf],
            [0., 8.]])
    """
    # TODO: step 7 of 8
    raise NotImplementedError("projections_by_hand: replace this line")


def heads_side_by_side(
    x: Float[Tensor, "T d_in"],
    heads: list[tuple[Tensor, Tensor, Tensor]],
) -> Float[Tensor, "T d_all"]:
    """Several attentions over the same tokens, and their context vectors next to one another.

    Each *head* is a triple (w_query, w_key, w_value) with context vectors of its own. A row of the
    result begins with the first head's context vector of this token; the second head's follows, and
    so on. So its width is the sum of the heads' widths d_v, which may differ.

    Source: Raschka 2024, section 3.6.1, without a mask; Vaswani et al. 2017, section 3.2.2.

    >>> first, second = (W_QUERY, W_KEY, W_VALUE), (W_KEY, W_QUERY, W_VALUE[:, :1])
    >>> heads_side_by_side(JOURNEY, [first, second])[1]
    tensor([0.3061, 0.8210, 0.3015])
    """
    # TODO: step 8 of 8
    raise NotImplementedError("projections_by_hand: replace this line")


def head_width(width: int, num_heads: int) -> int:
    """How wide must each of ``num_heads`` equal heads be, side by side ``width`` numbers wide?

    The book asks: two heads are to give two numbers for each token. Which d_out does each need?
    A layer is made with it, so it is an int: 64, not 64.0.

    Raises:
        ValueError: no whole number of columns is right. (Both numbers are 1 or more.)

    Source: Raschka 2024, exercise 3.2.

    >>> head_width(2, num_heads=2)
    1
    >>> head_width(768, num_heads=12)
    64
    """
    # TODO: after the core, steps 1 to 8
    raise NotImplementedError("projections_by_hand: replace this line")
