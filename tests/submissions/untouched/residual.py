"""The residual connection: a layer adds to what it got, instead of replacing it.

A deep network is hard to train when every layer must pass on all that came before it. A residual
connection does the passing on: the input runs straight past the sub-layer, and what the sub-layer
found is added to it. A sub-layer that has found nothing yet does no harm, and gradients reach the
first layer unweakened.

Where the normalisation stands is a matter of taste with consequences. The first Transformer put it
after the sum (post-norm); most since put it at the beginning of the branch (pre-norm), so that the
straight way stays untouched:

    pre-norm:   x + dropout(sublayer(norm(x)))
    post-norm:  norm(x + dropout(sublayer(x)))

Source: He et al. 2016, "Deep Residual Learning"; Vaswani et al. 2017, sections 3.1 and 5.4
(post-norm); Xiong et al. 2020, "On Layer Normalization in the Transformer Architecture" (both).
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from jaxtyping import Float
from torch import Tensor, nn


class SublayerConnection(nn.Module):
    """One sub-layer with its residual connection, its layer norm and its dropout.

    ``norm_first`` says where the norm stands: True for pre-norm, False for post-norm (above).

    The sub-layer is handed to each call. It may be anything that can be called with a tensor and
    returns one of the same shape, and it is called once: with norm(x) in pre-norm, with x itself
    in post-norm. Neither x nor what the sub-layer returned is changed in place.

    Dropout, with probability ``dropout``, falls on what the sub-layer returned, each number on its
    own, anew at every call, and on nothing else. What is kept is divided by 1 - ``dropout``.
    Dropout acts in training mode only, and ``dropout=1.0`` drops the whole branch. The result has
    the shape and the dtype of x, which may have any number of axes.

    The norm is a ``torch.nn.LayerNorm`` over the last axis, of width ``d_model`` and with eps =
    1e-5, or your own that gives the same. Every connection has one norm of its own.

    Parameters:
        norm.weight: (d_model,), starts at ones.
        norm.bias: (d_model,), starts at zeros.

    Source: Vaswani et al. 2017, sections 3.1 and 5.4; Xiong et al. 2020, figure 1.

    >>> x = torch.tensor([[0.0, 2.0, 4.0, 6.0]])  # norm(x) is -1.34, -0.45, 0.45, 1.34
    >>> SublayerConnection(4, dropout=0.0)(x, torch.relu).detach()
    tensor([[0.0000, 2.0000, 4.4472, 7.3416]])
    >>> SublayerConnection(4, dropout=0.0, norm_first=False)(x, torch.relu).detach()
    tensor([[-1.3416, -0.4472,  0.4472,  1.3416]])
    """

    def __init__(self, d_model: int, dropout: float, norm_first: bool = True) -> None:
        # TODO: step 1 of 3
        raise NotImplementedError("residual: replace this line")

    def forward(
        self, x: Float[Tensor, "... d"], sublayer: Callable[[Tensor], Tensor]
    ) -> Float[Tensor, "... d"]:
        # TODO: step 1 of 3, pre-norm
        #       step 2 of 3, post-norm
        #       step 3 of 3, dropout
        raise NotImplementedError("residual: replace this line")
