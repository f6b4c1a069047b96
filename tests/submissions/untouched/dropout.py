"""Dropout: training in which some numbers are set to zero at random.

Idea
----

While a network is trained, dropout sets each number of a tensor to zero with probability ``p``.
Which ones is drawn anew in every step. So the network cannot rely on any single number, and learns
to use several of them for the same purpose. Once it is trained, nothing is dropped.

[Figure scaling: the numbers 2, 4, 6. In training with p = 0.5, the first and the third stay and are
divided by 0.5, the second is dropped: 4, 0, 12. In evaluation they stay 2, 4, 6.]

Formula
-------

    training:    y_i = 0              with probability p
                 y_i = x_i / (1 - p)  otherwise
    evaluation:  y_i = x_i

x_i is a number of the input, y_i the number at the same place of the result.

Worked example
--------------

Three numbers and p = 0.5. A random number between 0 and 1 is drawn for each of them; where it is
less than p, which happens with probability p, the number is dropped. Survivors are divided by 0.5.

>>> x = torch.tensor([2.0, 4.0, 6.0])
>>> drawn = torch.tensor([0.7, 0.2, 0.9])
>>> survives = drawn >= 0.5
>>> survives
tensor([ True, False,  True])
>>> torch.where(survives, x / 0.5, 0.0)
tensor([ 4.,  0., 12.])

For p = 1 this would divide by 0, though nothing is kept: think about what is right there.

What is graded
--------------

A function, which is told whether this is training, and a layer, which has two modes for it.

Write it yourself: ``F.dropout`` and ``nn.Dropout`` are not available here, under any name.
``torch.bernoulli`` is welcome here.

Why it is like this
-------------------

Why does it help? A network with many weights can learn its training data by heart. Numbers in it
then serve only in combination with certain other numbers. Such combinations do not work any more
when any part of them may be missing, and what each number says has to be useful by itself. One can
also see it as training very many smaller networks at once, which share their weights.

Why divide by 1 - p? What comes next in the network adds up many of these numbers, and should find
sums of the same size in training and in evaluation. Divided by 1 - p, the average stays the same:
p * 0 + (1 - p) * x_i / (1 - p) = x_i. In the example 2 becomes 4 or 0, each half of the time.

Why in training? One could as well drop without a factor in training, and multiply by 1 - p in
evaluation. With the factor in training (inverted dropout), a trained model needs no dropout at all,
and this is how it is done today.

Where is it used? In a Transformer, whose parts have pages of their own, it stands on the attention
weights, on the result of each attention and of each feed-forward network, and on the sum of
embeddings and positions. Vaswani et al. 2017 use p = 0.1 in their base model; their section 5.4
names all of these places but the weights, which section 6.3 mentions and the authors' code shows.

Look further
------------

Srivastava, Hinton, Krizhevsky, Sutskever, Salakhutdinov 2014, "Dropout: A Simple Way to Prevent
Neural Networks from Overfitting", section 4, and section 10 for the factor in training. Take care:
in that paper p is the probability to keep a number, so its factor is 1 / p.
"""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor, nn


def dropout(
    x: Float[Tensor, "..."],
    p: float,
    training: bool,
    generator: torch.Generator | None = None,
) -> Float[Tensor, "..."]:
    """Each element of ``x`` dropped with probability ``p``, the survivors times 1 / (1 - p).

    ``x`` may have any number of axes and lie in memory in any way: transposed or expanded.

    In training every element is dropped or kept independently of all others, and every call draws a
    fresh mask (which says for each element whether it is kept). Gradients pass through the mask
    that the values went through, with the same factor. Out of training the values of ``x`` come
    back, whatever ``p`` is (``x`` itself or a copy).

    The ends of the range are ordinary values: ``p = 0`` keeps everything, and ``p = 1`` makes
    everything zero, without NaN, and so is the gradient (which may be missing then).

    A ``torch.Generator`` is a source of random numbers that starts from a seed, a new one always
    from the same. With a ``generator`` the mask comes from it: two generators with the same seed
    give the same mask, other seeds and later calls give other masks. Without one the mask comes
    from torch's global generator. Torch's global generator is never reseeded: that would change
    what the rest of the program draws.

    The result has the shape, the dtype and the device of ``x``, and ``x`` stays as it was.

    Raises:
        ValueError: ``p`` is less than 0 or greater than 1, in training or not.

    Source: Srivastava et al. 2014, section 10 (where p is the probability to keep).

    Of a thousand ones, dropped with p = 0.75, only zeros and fours remain, for 1 / 0.25 = 4. Which
    ones is left to chance: one seed may give other numbers on another machine.

    >>> dropout(torch.tensor([1.0, 2.0, 3.0]), 0.5, training=False)
    tensor([1., 2., 3.])
    >>> sorted(set(dropout(torch.ones(1000), 0.75, training=True).tolist()))
    [0.0, 4.0]
    """
    # TODO: step 1 of 2
    raise NotImplementedError("dropout: replace this line")


class Dropout(nn.Module):
    """``dropout`` as a layer, which drops in train mode only.

    A module starts in train mode; ``eval()`` and ``train()`` switch, its own or those of a module
    around it. Every module keeps its mode in the attribute ``training``. The layer has no
    parameters. Each layer drops with the ``p`` it was made with. Every call draws a fresh mask, and
    two layers draw different ones, also when one is a deep copy of the other. Making a layer does
    not seed torch's global generator.

    Raises:
        ValueError: ``p`` is less than 0 or greater than 1, when the layer is made.

    >>> layer = Dropout(0.75)
    >>> sorted(set(layer(torch.ones(1000)).tolist()))
    [0.0, 4.0]
    >>> layer.eval()(torch.tensor([1.0, 2.0]))
    tensor([1., 2.])
    """

    def __init__(self, p: float) -> None:
        # TODO: step 2 of 2
        raise NotImplementedError("dropout: replace this line")

    def forward(self, x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
        # TODO: step 2 of 2
        raise NotImplementedError("dropout: replace this line")
