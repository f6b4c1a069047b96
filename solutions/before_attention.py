"""Before attention: a memory of fixed size forgets, and looking things up does not.

Idea
----

The first neural networks that translated text read it with a *recurrent network* (RNN): one token
after the other, with a row of numbers, the *state*, as their only memory. Its size is fixed. So the
last state had to hold the whole sentence, however long it was, and long sentences were translated
badly. Attention was invented as the way out: keep the states of all tokens, and look up in them
whatever is needed, whenever it is needed. The Transformer keeps the attention and leaves the
recurrent network out.

Formula
-------

Three ways in which a token can learn of the tokens before it. x_t is the row of token t:

    recurrent network:   state_t = tanh(x_t W_in + state_{t-1} W_state)
    convolution:         y_t = x_t K_0 + x_{t-1} K_1 + ... + x_{t-k+1} K_{k-1}
    lookup (attention):  answer = sum_j weight_j value_j
                         weights = softmax(key_j . query)

How does the result for the last of five tokens, x4, learn of the first one, x0?

    recurrent network    x0 in state_0 -> state_1 -> state_2 -> state_3 -> state_4
    convolution, k = 3   x0 -> y_2 -> z_4        (y: the first layer, z: the second)
    attention            x0 -> answer

[Figure ways: three networks over the tokens x0 to x4, with the way from x0 to the last result drawn
thick. In the recurrent network it leads through all states, from state 0 to state 4. With two
layers of convolutions it leads to y 2 and from there to z 4, which sees all five tokens: y 2, y 3
and y 4 see three of them each. In attention a single step leads from every token to the answer.]

Worked example
--------------

A recurrent network whose state is one number. The first token is 1, and all others are 0. W_in is 1
and W_state is 0.5, so each step keeps about half of the state:

>>> x = torch.tensor([[1.0], [0.0], [0.0], [0.0], [0.0], [0.0]])
>>> w_in, w_state = torch.tensor([[1.0]]), torch.tensor([[0.5]])
>>> torch.tanh(x[0] @ w_in)  # the first state: before it there was none, which counts as 0
tensor([0.7616])
>>> torch.tanh(x[1] @ w_in + 0.7616 * w_state[0])  # the second one
tensor([0.3634])
>>> states = recurrent_states(x, w_in, w_state)
>>> states.T
tensor([[0.7616, 0.3634, 0.1797, 0.0896, 0.0448, 0.0224]])

The last state has nearly forgotten the first token: 0.0224 is left of 0.7616. After 20 tokens one
millionth would be left. (A larger W_state does not save it: if it is above 1, the first token holds
its place in the state, and all later ones hardly change it.)

Now a lookup instead. All six states are kept, as *values*. Each has a *key* by which it is found,
here a row with a 1 at its own place, and a *query* says what is wanted: here the first one.

>>> keys = torch.eye(6)
>>> query = torch.tensor([5.0, 0.0, 0.0, 0.0, 0.0, 0.0])
>>> torch.softmax(keys @ query, dim=0)  # the weights of the six states
tensor([0.9674, 0.0065, 0.0065, 0.0065, 0.0065, 0.0065])
>>> soft_lookup(query, keys, states)
tensor([0.7413])

0.7413 of 0.7616 has come back; with a thousand tokens in between it would be found as well, given a
larger query. And what is looked up is not fixed: another query finds another token.

[Figure lookup: the six states 0.76, 0.36, 0.18, 0.09, 0.04 and 0.02. The last one alone holds 0.02
of 0.76. Below, the weights of a lookup in all of them, 0.97 for the first state and 0.01 for each
of the others: weights times states give 0.74 of 0.76.]

What is graded
--------------

Eight short functions. The three that compute with tensors (``recurrent_states``,
``causal_convolution`` and ``soft_lookup``) return the dtype and the device of their inputs, let
gradients flow back to all of them, and change none. Loops over tokens and torch.softmax are welcome
here. The five that count take Python's own numbers. What they return is an int: 2, not 2.0.

Why it is like this
-------------------

Why tanh? It keeps each number of the state between -1 and 1, so that a state cannot grow without
end while the text is read.

Why is forgetting so hard to avoid? What reaches the last state from the first token has passed
through every step. If each step keeps a share of 0.9 of it, less than 1 % is left after 44 steps.
The gradient, by which the network learns, fades on the same way back. An *LSTM* (long short-term
memory) is a recurrent network with *gates*, which decide for each number of the state whether it is
kept. It forgets much more slowly, but its state still has a fixed size, and the way is as long.

What about speed? A recurrent network cannot begin with token 5 before it has done with token 4, not
even in training, where all tokens are known. A convolution or an attention layer works on all
tokens at once: its *sequential operations* are one. (When a model writes, each token must have been
chosen before the next one can be. Then nobody is faster in this sense.)

Are recurrent networks gone? No. RWKV (Peng et al. 2023) and Mamba (Gu, Dao 2023) have a state of
fixed size again, so that writing a token costs the same, however long the text is. Their steps are
made so that in training all tokens can be computed together. What does not fit into the state is
forgotten by them as well.

And convolutions? They see a few neighbours only. Each further layer adds k - 1 tokens, so distant
tokens need many layers. (*Dilated* convolutions leave out more and more tokens in between, layer by
layer, and need fewer: about the logarithm of the distance. Those here are not dilated.)

What does attention cost? Every token is compared with every other one. Table 1 of "Attention Is All
You Need" sums it up for one layer and n tokens of d numbers each. O(n^2 d) says how the number of
operations grows: twice as many tokens, four times as many operations. Constant factors are left
out.

    layer             operations    sequential operations   longest path
    recurrent         O(n d^2)      O(n)                    O(n)
    convolution       O(k n d^2)    O(1)                    O(n / k), if not dilated
    self-attention    O(n^2 d)      O(1)                    O(1)

(*Self-attention*: the tokens of one text look things up in each other.) The *longest path* counts
the steps that information takes between the two tokens that are furthest apart. For a sentence of
20 tokens, 512 numbers wide, self-attention takes 25 times fewer operations than a recurrent layer;
for a book of 10,000 tokens, 20 times more. And all keys and values must be kept, which
is a memory that grows with the text: the very thing that the state was not.

Look further
------------

Sutskever, Vinyals, Le 2014, "Sequence to Sequence Learning with Neural Networks": two recurrent
networks translate, through one vector. Bahdanau, Cho, Bengio 2015, "Neural Machine Translation by
Jointly Learning to Align and Translate": the lookup that ended it. Vaswani et al. 2017, "Attention
Is All You Need", section 4: the comparison. The next page, ``attention_by_hand``, begins with what
is left when the recurrent network is gone.
"""

from __future__ import annotations

import math

import torch
from jaxtyping import Float
from torch import Tensor


def recurrent_states(
    x: Float[Tensor, "T d"], w_in: Float[Tensor, "d h"], w_state: Float[Tensor, "h h"]
) -> Float[Tensor, "T h"]:
    """The states of a recurrent network that reads x token by token. Row t: after token t.

    state_t = tanh(x_t W_in + state_{t-1} W_state)

    Before the first token the state is 0. Each state is h numbers wide, however many tokens there
    are; the last row is all that a translator of this kind knew of the sentence.

    Source: Elman 1990, "Finding Structure in Time", in the usual form with tanh.

    >>> x, w_in = torch.tensor([[1.0], [0.0], [-1.0]]), torch.tensor([[1.0, 0.0]])
    >>> recurrent_states(x, w_in, w_state=torch.tensor([[0.0, 1.0], [0.5, 0.0]]))
    tensor([[ 0.7616,  0.0000],
            [ 0.0000,  0.6420],
            [-0.5909,  0.0000]])
    """
    # BEGIN SOLUTION
    states = [x.new_zeros(w_state.shape[0])]
    for token in x:
        states.append(torch.tanh(token @ w_in + states[-1] @ w_state))
    return torch.stack(states[1:])
    # END SOLUTION


def steps_to_forget(factor: float, share: float) -> int:
    """After how many steps is less than ``share`` left, if each step keeps ``factor`` of it?

    The smallest whole number n with factor^n < share, where 0 < factor < 1 and 0 < share < 1.

    Source: Bengio, Simard, Frasconi 1994, "Learning Long-Term Dependencies with Gradient Descent Is
    Difficult".

    >>> steps_to_forget(factor=0.9, share=0.01)  # 0.9^43 = 0.0108, 0.9^44 = 0.0097
    44
    >>> steps_to_forget(factor=0.5, share=0.3)  # 0.5, then 0.25
    2
    """
    # BEGIN SOLUTION
    steps, left = 1, factor
    while left >= share:
        steps, left = steps + 1, left * factor
    return steps
    # END SOLUTION


def causal_convolution(
    x: Float[Tensor, "T d"], kernel: Float[Tensor, "k d c"]
) -> Float[Tensor, "T c"]:
    """Each token's row is made from its own row and those of the k - 1 tokens before it.

    y_t = x_t K_0 + x_{t-1} K_1 + ... + x_{t-k+1} K_{k-1}

    K_j is ``kernel[j]``, the matrix for the token that stands j places back. *Causal* means that no
    token sees a later one. There is one row for every token: the tokens that would stand before the
    first one count as zeros, also where k is larger than T.

    Source: van den Oord et al. 2016, "WaveNet: A Generative Model for Raw Audio", section 2.1.

    With the kernel 1, 10, 100, one can read off which tokens took part:

    >>> kernel = torch.tensor([1.0, 10.0, 100.0]).reshape(3, 1, 1)
    >>> causal_convolution(torch.tensor([[1.0], [2.0], [3.0], [4.0]]), kernel).T
    tensor([[  1.,  12., 123., 234.]])
    """
    # BEGIN SOLUTION
    tokens, reach = len(x), len(kernel) - 1
    padded = torch.cat([x.new_zeros(reach, x.shape[1]), x])
    return sum(padded[reach - j : reach - j + tokens] @ kernel[j] for j in range(reach + 1))
    # END SOLUTION


def receptive_field(kernel_size: int, layers: int) -> int:
    """How many tokens, itself included, take part in one output of stacked causal convolutions?

    Each of the ``layers`` sees ``kernel_size`` tokens of the layer below: a token and the
    kernel_size - 1 before it. The first layer reads the text. No layer means the token alone.

    Source: van den Oord et al. 2016, section 2.1.

    >>> [receptive_field(kernel_size=2, layers=layers) for layers in (1, 2, 3, 4)]
    [2, 3, 4, 5]
    >>> receptive_field(kernel_size=3, layers=2)
    5
    """
    # BEGIN SOLUTION
    return layers * (kernel_size - 1) + 1
    # END SOLUTION


def sequential_operations(layer: str, tokens: int) -> int:
    """How many steps of one layer must follow one another, if all tokens of its input are known?

    ``layer`` is "recurrent", "convolution" or "self-attention". One step is whatever can be
    computed at the same time, for one token or for many. As in table 1 of the paper, the parts of a
    single lookup (scores, softmax, sum) are one step together: their number does not grow with the
    tokens.

    Source: Vaswani et al. 2017, section 4, table 1, column "sequential operations".

    >>> sequential_operations("recurrent", tokens=20)
    20
    """
    # BEGIN SOLUTION
    return tokens if layer == "recurrent" else 1
    # END SOLUTION


def longest_path(layer: str, tokens: int, kernel_size: int) -> int:
    """The fewest steps that bring information from the first token to the last.

    How far does one step bring it? A "recurrent" layer: to the next token. A "convolution": at most
    kernel_size - 1 tokens further (the next step is in the next layer). "self-attention": to any
    token. There are at least two tokens, and kernel_size is at least 2.

    Source: Vaswani et al. 2017, section 4: the text about contiguous kernels.

    >>> longest_path("convolution", tokens=5, kernel_size=3)  # x0 -> y_2 -> z_4
    2
    >>> longest_path("convolution", tokens=11, kernel_size=4)  # 3 + 3 + 3 + 1
    4
    """
    # BEGIN SOLUTION
    reach = {"recurrent": 1, "convolution": kernel_size - 1, "self-attention": tokens}[layer]
    return math.ceil((tokens - 1) / reach)
    # END SOLUTION


def operations_per_layer(layer: str, tokens: int, width: int, kernel_size: int) -> int:
    """The operations of one layer as table 1 counts them: what stands in O(...), as a number.

    Tokens are ``width`` numbers wide. No constant factors, and in self-attention no projections.

    Source: Vaswani et al. 2017, section 4, table 1, column "complexity per layer".

    >>> operations_per_layer("convolution", tokens=10, width=4, kernel_size=3)  # 3 * 10 * 4^2
    480
    >>> operations_per_layer("self-attention", 20, 512, 3)
    204800
    >>> operations_per_layer("recurrent", 20, 512, 3)  # 25 times as many
    5242880
    >>> operations_per_layer("self-attention", 10_000, 512, 3)
    51200000000
    >>> operations_per_layer("recurrent", 10_000, 512, 3)  # 20 times fewer
    2621440000
    """
    # BEGIN SOLUTION
    if layer == "self-attention":
        return tokens**2 * width
    return tokens * width**2 * (kernel_size if layer == "convolution" else 1)
    # END SOLUTION


def soft_lookup(
    query: Float[Tensor, "d"], keys: Float[Tensor, "T d"], values: Float[Tensor, "T c"]
) -> Float[Tensor, "c"]:
    """Attention for one query: the average of all values, weighted by how well their keys fit.

    score_j = key_j . query,  weights = softmax(scores),  answer = sum_j weight_j value_j

    Scores are taken as they are, without a scale. Scores of several hundred must not overflow.

    Source: Bahdanau, Cho, Bengio 2015, section 3.1, eq. (5) and (6); with dot products as scores:
    Luong, Pham, Manning 2015, "Effective Approaches to Attention-based Neural Machine Translation".

    Where two keys fit alike and the third one fits badly, the answer lies between two values:

    >>> keys = torch.tensor([[50.0, 0.0], [50.0, 0.0], [0.0, 50.0]])
    >>> values = torch.tensor([[10.0, 1.0], [20.0, 1.0], [90.0, 1.0]])
    >>> soft_lookup(torch.tensor([1.0, 0.0]), keys, values)
    tensor([15.,  1.])
    """
    # BEGIN SOLUTION
    weights = torch.softmax(keys @ query, dim=0)
    return weights @ values
    # END SOLUTION
