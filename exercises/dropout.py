"""Dropout: a network that cannot rely on any single number.

While it learns, each number is set to zero with probability ``p``, and nobody knows which. To
keep the average as it was, the survivors grow in return. Once the network has learned, nothing
is dropped and nothing grows:

    training:    y_i = 0              with probability p
                 y_i = x_i / (1 - p)  otherwise
    evaluation:  y_i = x_i

Growing the survivors while training, rather than shrinking everything in evaluation, is called
inverted dropout; it is what everybody uses today.

Write it yourself: ``F.dropout`` and ``nn.Dropout`` are not available here, under any name.
``torch.bernoulli`` is welcome here.

Source: Srivastava, Hinton, Krizhevsky, Sutskever, Salakhutdinov 2014, "Dropout", section 4 (and
section 10 for the factor 1 / (1 - p) during training).
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

    In training every element is dropped or kept independently of all others, and every call
    draws a fresh mask. Gradients pass through the mask that the values went through, with the
    same factor. Out of training the values of ``x`` come back, whatever ``p`` is (``x`` itself
    or a copy).

    The ends of the range are ordinary values: ``p = 0`` keeps everything, and ``p = 1`` makes
    everything zero, without NaN, and so is the gradient.

    With a ``generator`` the mask comes from it: two generators with the same seed give the same
    mask, other seeds and later calls give other masks. Without one the mask comes from torch's
    global generator. Torch's global generator is never reseeded.

    The result has the shape, the dtype and the device of ``x``, and ``x`` stays as it was.

    Raises:
        ValueError: ``p`` is less than 0 or greater than 1, in training or not.

    Source: Srivastava et al. 2014, section 10.

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
    around it. The layer has no parameters. Each layer drops with the ``p`` it was made with. Every
    call draws a fresh mask, and two layers draw different ones, also when one is a deep copy of the
    other. Making a layer does not seed torch's global generator.

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
