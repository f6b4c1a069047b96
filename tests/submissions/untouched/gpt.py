"""GPT: a Transformer that only continues.

Leave out the encoder and what looks at it, and a stack of causal blocks remains. Every position
predicts the token after it, so one pass over T tokens answers T questions at once:

    x      = token vectors + position vectors
    x      = block(x), once for every block
    logits = norm(x) W^T

Here you put together what you have built: attention, norm and activation are imported from your
own earlier exercises.

Nothing but dropout depends on the mode (train or eval). Apart from what can be learned, nothing is
remembered between calls, and no model knows of another. Nothing here seeds torch's random
generator: who wants the same numbers twice seeds it before.

Source: Radford et al. 2018, "Improving Language Understanding by Generative Pre-Training",
section 3.1; Radford et al. 2019, "Language Models are Unsupervised Multitask Learners",
section 2.3.
"""

from __future__ import annotations

import math

import torch
from feed_forward import gelu
from jaxtyping import Float, Int
from layer_norm import LayerNorm
from multi_head_attention import MultiHeadAttention
from torch import Tensor, nn
from torch.nn.functional import cross_entropy


class Block(nn.Module):
    """One layer of the stack: causal attention, then a feed-forward network, both pre-norm.

    x = x + dropout(attention(norm_1(x)))
    x = x + dropout(w_2(gelu(w_1(norm_2(x)))))

    A position attends to itself and to those before it. The GELU is the exact one, with the error
    function (GPT-2 used the approximation by tanh). The norms have eps = 1e-5.

    Dropout, with probability ``dropout`` (0 <= dropout < 1), acts in train mode only, and in three
    places: on the attention weights, and on what each of the two branches adds to x. Nothing is
    dropped inside the feed-forward network. Every number is dropped on its own, and afresh in every
    call: no sentence, head, position or column shares its zeros with another.

    Parameters; with ``bias=False`` there are none called bias:

    - norm_1.weight, norm_1.bias (d_model,); the same for norm_2
    - attention.w_q.weight (d_model, d_model), attention.w_q.bias (d_model,); the same for w_k,
      w_v and w_o: all as in ``MultiHeadAttention``
    - w_1.weight (d_ff, d_model), w_1.bias (d_ff,)
    - w_2.weight (d_model, d_ff), w_2.bias (d_model,)

    Source: Radford et al. 2019, section 2.3; Hendrycks and Gimpel 2016 (GELU).

    Without any weights but two biases, the branches add 10 and 100, whatever x is:

    >>> block = Block(4, num_heads=2, d_ff=8)
    >>> for weights in block.parameters():
    ...     _ = nn.init.zeros_(weights)
    >>> _ = nn.init.constant_(block.attention.w_o.bias, 10.0)
    >>> _ = nn.init.constant_(block.w_2.bias, 100.0)
    >>> block(torch.tensor([[[1.0, 2.0, 3.0, 4.0]]])).detach()
    tensor([[[111., 112., 113., 114.]]])
    """

    def __init__(
        self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.0, bias: bool = True
    ) -> None:
        # TODO: step 1 of 4
        raise NotImplementedError("gpt: replace this line")

    def forward(self, x: Float[Tensor, "B T d_model"]) -> Float[Tensor, "B T d_model"]:
        # TODO: step 1 of 4
        raise NotImplementedError("gpt: replace this line")


class GPT(nn.Module):
    """A language model: token numbers in, scores for the next token out, at every position.

    x = dropout(token_embedding[idx] + position_embedding[0 .. T-1]), without any factor; then the
    ``n_layer`` blocks, in order, each with ``n_head`` heads and d_ff = 4 n_embd; then one more
    norm, of eps = 1e-5 as well; then a projection without bias on the scores of the ``vocab_size``
    tokens. Dropout in train mode only, with the same probability everywhere. Every number is
    dropped on its own, as in a ``Block``.

    Parameters; with ``bias=False`` there are none called bias:

    - token_embedding.weight (vocab_size, n_embd)
    - position_embedding.weight (block_size, n_embd)
    - blocks.0.norm_1.weight and so on: those of each ``Block``
    - norm.weight, norm.bias (n_embd,)
    - head.weight (vocab_size, n_embd), if ``tie_weights`` is False

    With ``tie_weights`` the scores are made with token_embedding.weight: one Parameter, counted
    once and trained from both sides. Whether it can also be found under the name head.weight is up
    to you. It is still one in a deep copy of the model, which is not tied to the original.

    At the start, norms have weight 1 and bias 0, all other biases are 0, and matrices and tables
    are drawn from a normal distribution with mean 0 and standard deviation 0.02; those that lead
    back into x (attention.w_o.weight and w_2.weight of each block) with 0.02 / sqrt(2 n_layer), for
    2 n_layer branches are added up in x. Every matrix is drawn on its own, and afresh in every
    model.

    The model can be built under ``torch.device("meta")``, where no memory is needed, and a model
    moved by ``.to(...)`` works on the other device and in the other dtype.

    Source: Radford et al. 2019, section 2.3; Press and Wolf 2017 (tied weights).

    40 + 32 numbers in the tables, 244 in each of two blocks and 8 in the last norm:

    >>> model = GPT(vocab_size=10, block_size=8, n_layer=2, n_head=2, n_embd=4)
    >>> model.get_num_params(), model.get_num_params(non_embedding=True)
    (568, 536)

    Who has learned nothing gives each of 10 tokens the same score, and loses log(10):

    >>> for weights in model.parameters():
    ...     _ = nn.init.zeros_(weights)
    >>> logits, loss = model(torch.tensor([[3, 1, 4]]), torch.tensor([[1, 4, 1]]))
    >>> logits.shape, round(loss.item(), 4)
    (torch.Size([1, 3, 10]), 2.3026)
    """

    def __init__(
        self,
        vocab_size: int,
        block_size: int,
        n_layer: int,
        n_head: int,
        n_embd: int,
        dropout: float = 0.0,
        bias: bool = True,
        tie_weights: bool = True,
    ) -> None:
        # TODO: step 2 of 4
        raise NotImplementedError("gpt: replace this line")

    def forward(
        self, idx: Int[Tensor, "B T"], targets: Int[Tensor, "B T"] | None = None
    ) -> tuple[Float[Tensor, "B T vocab_size"], Float[Tensor, ""] | None]:
        """The logits of all positions, and the loss, which is None without targets.

        Token numbers are any number from 0 to vocab_size - 1 (GPT-2 has 50,257 of them). Logits
        are scores as they are, no softmax; they and the loss have the dtype of the model.
        ``targets[b, t]`` is the token that should follow ``idx[b, t]``: whoever calls has shifted
        them already. The loss is the mean cross-entropy over all targets of the batch that are not
        -100; a target of -100 is not asked for, and has no share in the mean. If all are -100, the
        loss is 0 and, after backward(), so are all gradients. Both tensors are int64, may be views
        of other tensors, and are left as they are.

        Raises:
            ValueError: T is more than ``block_size``.
        """
        # TODO: step 2 of 4, the logits
        #       step 3 of 4, the loss
        raise NotImplementedError("gpt: replace this line")

    def get_num_params(self, non_embedding: bool = False) -> int:
        """How many numbers there are to learn, each counted once.

        ``non_embedding`` leaves out the table of positions. The table of tokens stays in, because
        it also makes the logits (and so it does if the weights are not tied).
        """
        # TODO: step 4 of 4
        raise NotImplementedError("gpt: replace this line")

    def crop_block_size(self, n: int) -> None:
        """Keep the first ``n`` positions only, for shorter texts; what was learned stays.

        ``position_embedding.weight`` becomes an (n, n_embd) Parameter with the first n of its rows,
        and from then on ``n`` is the ``block_size``. It may share memory with the old table, or
        not. All else stays: neither the mode nor what is tied changes.

        Raises:
            ValueError: ``n`` is more than ``block_size``; the model stays as it was.
        """
        # TODO: your code here
        raise NotImplementedError("gpt: replace this line")
