"""GPT: a Transformer that continues a text.

Idea
----

A language model reads the beginning of a text and says for every token how likely it is to come
next. GPT is such a model: a stack of equal blocks, each with causal attention and a feed-forward
network. It is a decoder without an encoder, so nothing is left for cross-attention to look at.

Every position predicts the token after it. One pass over T tokens therefore makes T predictions,
and in training all of them are compared with the text at once:

    idx       (B, T)               token numbers
     |        token vectors + position vectors
    x         (B, T, n_embd)
     |        n_layer blocks, each of which adds to x twice
    x         (B, T, n_embd)
     |        norm, then one more matrix
    logits    (B, T, vocab_size)   one number for each token that could come next

[Figure block: on the left the model: token vectors plus positions, n_layer blocks, a norm, a
matrix, logits. On the right one block: beside a straight way two branches that end in a plus, norm
and causal attention, then norm and feed-forward.]

Formula
-------

    x      = token vectors + position vectors
    x      = block(x), once for every block
    logits = norm(x) W^T

*Logits* are numbers of any size, one for each token of the vocabulary. Softmax turns them into
probabilities. The loss of one position is the *cross-entropy*: minus the logarithm of the
probability that the model gave to the token which really came next, the *target*:

    loss = -log(p_target),  p = softmax(logits)

Worked example
--------------

A vocabulary of three tokens. These are the logits at one position, and token 2 comes next:

>>> logits = torch.tensor([0.0, 1.0, 3.0])
>>> torch.softmax(logits, dim=-1)
tensor([0.0420, 0.1142, 0.8438])
>>> round(-math.log(0.8438), 3)  # a likely target costs little
0.17
>>> cross_entropy(logits, torch.tensor(2))  # torch does both steps, and takes logits
tensor(0.1698)
>>> round(-math.log(0.0420), 2)  # had token 0 come next, the loss would have been larger
3.17

The targets are the text itself, moved by one place. To learn from "to be or not to":

    idx        to   be   or   not
    targets    be   or   not  to

What is graded
--------------

First ``Block``, then ``GPT`` without targets, then the loss, then counting. When these are right,
the numbers that a model starts with (in ``__init__`` once more, where no TODO stands for them), and
cropping. Look at the result after each.

Attention, norm, feed-forward network and residual connection are imported from your own earlier
exercises. If one of them is wrong or not written yet, what fails here because of it is *blocked*,
and says which one comes first. How they are made and, in the second line of each, called:

    LayerNorm(d_model, eps=1e-05, bias=True)
        (x)
    MultiHeadAttention(d_model, num_heads, dropout=0.0, bias=True, ...)
        (query, key=None, value=None, mask=None, is_causal=False, need_weights=False)
    PositionwiseFeedForward(d_model, d_ff, dropout=0.1, activation="relu", *, bias=True, ...)
        (x)
    SublayerConnection(d_model, dropout, norm_first=True)
        (x, sublayer)

The attention answers with a tensor, and with a pair only if need_weights is True. activation="gelu"
is the exact GELU.

Nothing but dropout depends on the mode (train or eval). Apart from what can be learned, nothing is
remembered between calls, and no model knows of another. Nothing here sets the seed of
torch's random generator: a program that needs the same numbers twice does that itself.

Why it is like this
-------------------

Why a norm at the end? The blocks are pre-norm: they add to x and never normalise x itself, so its
numbers grow from block to block. The last norm brings them back to one size before the logits.

Why tie the weights? A row of the token table says what a token means when it is read; a row of the
last matrix says which x calls for this token. Both describe the same token, so one table can do
both. In GPT-2 small this saves 50,257 * 768 = 38.6 million of 163 million numbers.

Why 0.02 / sqrt(2 n_layer) at the start? At the end x is the sum of 2 n_layer branches. Variances of
independent summands add up, so the standard deviation of the sum would grow with sqrt(2 n_layer).
Dividing each branch by that keeps the sum as large as one branch. The paper of GPT-2 says
1 / sqrt(N), where N is "the number of residual layers"; that these are two in each block, 2 n_layer
in all, is how nanoGPT reads it.

Why are positions learned? A table of ``block_size`` rows is simple, and was found to be about as
good as sinusoids. The price: the model cannot read more than ``block_size`` tokens.

How does such a model write? Take the logits of the last position, choose a token by them, append
it, and ask again. The page ``sampling`` does that, with your GPT if you like.

Look further
------------

Radford et al. 2018, "Improving Language Understanding by Generative Pre-Training", section 3.1;
Radford et al. 2019, "Language Models are Unsupervised Multitask Learners", section 2.3 (GPT-2).
Press and Wolf 2017, "Using the Output Embedding to Improve Language Models" (tied weights).
Raschka 2024, "Build a Large Language Model (From Scratch)", chapter 4, builds the same model.
"""

from __future__ import annotations

import math

import torch
from feed_forward import PositionwiseFeedForward
from jaxtyping import Float, Int
from layer_norm import LayerNorm
from multi_head_attention import MultiHeadAttention
from residual import SublayerConnection
from torch import Tensor, nn
from torch.nn.functional import cross_entropy


class Block(nn.Module):
    """One layer of the stack: causal attention, then a feed-forward network, both pre-norm.

    x = x + dropout(attention(norm_1(x)))
    x = x + dropout(w_2(gelu(w_1(norm_2(x)))))

    Each line is a ``SublayerConnection``, which holds its norm. That of the page ``residual`` has a
    bias always, so give each connection your own ``LayerNorm`` in its place, with a bias or without
    one: ``connection.norm = LayerNorm(...)``. The second branch is a ``PositionwiseFeedForward``,
    with biases or without them.

    A position attends to itself and to those before it. The GELU is the exact one, with the error
    function (GPT-2 used the approximation by tanh). The norms have eps = 1e-5.

    Dropout, with probability ``dropout`` (0 <= dropout < 1), acts in train mode only, and in three
    places: on the attention weights, and on what each of the two branches adds to x. Nothing is
    dropped inside the feed-forward network. Every number is dropped on its own, and afresh in every
    call: no sentence, head, position or column shares its zeros with another.

    Parameters; with ``bias=False`` there are none called bias:

    - residual1.norm.weight, residual1.norm.bias (d_model,): norm_1 above; residual2.norm likewise
    - attention.w_q.weight (d_model, d_model), attention.w_q.bias (d_model,); the same for w_k,
      w_v and w_o: all as in ``MultiHeadAttention``
    - feed_forward.w_1.weight (d_ff, d_model), feed_forward.w_1.bias (d_ff,)
    - feed_forward.w_2.weight (d_model, d_ff), feed_forward.w_2.bias (d_model,)

    Source: Radford et al. 2019, section 2.3; Hendrycks and Gimpel 2016 (GELU).

    All weights and biases are 0 but two biases, so the branches add 10 and 100, whatever x is:

    >>> block = Block(4, num_heads=2, d_ff=8)
    >>> for weights in block.parameters():
    ...     _ = nn.init.zeros_(weights)
    >>> _ = nn.init.constant_(block.attention.w_o.bias, 10.0)
    >>> _ = nn.init.constant_(block.feed_forward.w_2.bias, 100.0)
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
    """A language model: token numbers in, logits for the next token out, at every position.

    x = dropout(token_embedding[idx] + position_embedding[0 .. T-1]), without any factor; then the
    ``n_layer`` blocks, in order, each with ``n_head`` heads and d_ff = 4 n_embd; then one more
    norm, of eps = 1e-5 as well; then a projection without bias to the logits of the ``vocab_size``
    tokens. Dropout in train mode only, with the same probability everywhere. Every number is
    dropped on its own, as in a ``Block``.

    Parameters; with ``bias=False`` there are none called bias:

    - token_embedding.weight (vocab_size, n_embd)
    - position_embedding.weight (block_size, n_embd)
    - blocks.0.residual1.norm.weight and so on: those of each ``Block``
    - norm.weight, norm.bias (n_embd,)
    - head.weight (vocab_size, n_embd), if ``tie_weights`` is False

    With ``tie_weights`` the logits are made with token_embedding.weight: one Parameter, counted
    once and trained from both sides. Whether the state_dict also lists it as head.weight is up to
    you. In a deep copy of the model it is still one Parameter, and not the original's.

    At the start, norms have weight 1 and bias 0, all other biases are 0, and matrices and tables
    are drawn from a normal distribution with mean 0 and standard deviation 0.02; those that lead
    back into x (attention.w_o.weight and w_2.weight of each block) with 0.02 / sqrt(2 n_layer).
    Every matrix is drawn on its own, and afresh in every model. This can wait until the core is
    done, which loads numbers of its own.

    The model can be built under ``torch.device("meta")``. On this device tensors have shapes but no
    numbers, so a model of any size can be made and counted without memory. A model moved by
    ``.to(...)`` works on the other device and in the other dtype.

    Source: Radford et al. 2019, section 2.3; Press and Wolf 2017 (tied weights).

    40 + 32 numbers in the tables, 244 in each of two blocks and 8 in the last norm:

    >>> model = GPT(vocab_size=10, block_size=8, n_layer=2, n_head=2, n_embd=4)
    >>> model.get_num_params(), model.get_num_params(non_embedding=True)
    (568, 536)

    A model whose weights are all zero gives each of 10 tokens the same logit, and so the
    probability 1/10. Its loss is -log(1/10) = log(10):

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
        are returned as they are, no softmax; they and the loss have the dtype of the model.

        ``targets[b, t]`` is the token that should follow ``idx[b, t]``: whoever calls has moved
        them by one place already. A target may be -100, which is torch's mark for "nothing is asked
        here": for padding, or for a question whose answer alone is to be learned. The loss is the
        mean cross-entropy over all targets of the batch that are not -100; a target of -100 is not
        asked for, and has no share in the mean. If all are -100, the loss is 0 and, after
        backward(), so are all gradients. Both tensors are int64, may be views of other tensors, and
        are left as they are.

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
        # TODO: after the core, steps 1 to 4
        raise NotImplementedError("gpt: replace this line")
