"""Questions: what attention does, what it costs, and why it is built the way it is.

Idea
----

Thirty-three questions about what you have built. Each is a function of the numbers that it asks
about, and the numbers are drawn afresh for every student. So an answer is not a number but the way
to it: write that down as code. You may try things out before you answer, with torch or on paper.

How to answer
-------------

A numeric question returns a number. "log" is the natural logarithm throughout.

A choice question puts up five statements, A to E, and returns the letters of every statement that
holds for the numbers given, as one string: "ACE", or "" if none holds. Some statements hold
always, some never, and the others depend on the numbers.

Worked example
--------------

A question about a number n could be

    A. n is even.    B. n + n is even.    C. n is larger than 100.

A and C depend on n, B holds always. The function ``letters`` below puts the answer together:

>>> n = 7
>>> letters(A=n % 2 == 0, B=True, C=n > 100)
'B'

What is graded
--------------

The order of the letters does not matter, nor does upper or lower case; a letter stands at most
once, and nothing stands in between. Statements are meant exactly, without rounding, and nobody asks
for numbers so close to a threshold that rounding decides. Where an answer is wrong you are told
which letter, and why.

The points of a choice question count by letter. A letter is right if it is right for all numbers
that are asked. Each wrong one takes the same part of the points away, and the parts are such that
an answer which is the same for all numbers earns nothing.

What to know before
-------------------

Some questions compare attention with what came before it. The page ``before_attention`` builds all
three; in short:

- A *recurrent network* (RNN) reads one token after another. Its *cell* makes a new state of the
  last state and the next token, so the state has a fixed size, however long the text is. An *LSTM*
  is an RNN whose gates decide what of the state is kept.
- A *convolution* makes each output from a few neighbours: ``kernel`` tokens next to one another.
  Layers on top of each other see further.
- O(n^2 d) says how a cost grows: twice as many tokens n make it four times as large, twice the
  width d twice as large. Constant factors are left out.

Translation by networks began with two RNNs: an encoder, whose last state had to hold the whole
sentence, and a decoder. Attention was invented to let the decoder look at all states of the encoder
(Bahdanau, Cho, Bengio 2015). The Transformer kept the attention and left the RNNs out.

Look further
------------

Vaswani et al. 2017, "Attention Is All You Need": section 3 for what things do, section 4 and its
table 1 for what they cost.
Bahdanau, Cho, Bengio 2015, "Neural Machine Translation by Jointly Learning to Align and Translate".
"""

from __future__ import annotations

import math


def letters(**holds: bool) -> str:
    """The names of the statements that hold, as one string. This one is given.

    >>> letters(A=True, B=2 > 3, C=3 > 2)
    'AC'
    """
    return "".join(letter for letter, true in holds.items() if true)


# Scores and weights -------------------------------------------------------------------------------


def score_standard_deviation(d_k: int, sigma: float, scaled: bool) -> float:
    """The standard deviation of a score q . k, divided by sqrt(d_k) if ``scaled``.

    q and k have ``d_k`` numbers each. All are independent, with the mean 0 and the standard
    deviation ``sigma``. What is the variance of one product q_i * k_i? Of the sum of d_k of them?

    Source: Vaswani et al. 2017, section 3.2.1, footnote 4.

    >>> score_standard_deviation(64, 1.0, scaled=False)
    8.0
    >>> score_standard_deviation(64, 1.0, scaled=True)
    1.0
    """
    # TODO: step 1 of 8
    raise NotImplementedError("questions: replace this line")


def scaling_statements(d_k: int) -> str:
    """Why sqrt(d_k)? The ``d_k`` numbers of each query and key are independent standard normal.

    A. The variance of the score q . k is d_k.
    B. Each product q_i * k_i is normal again, being a product of two normal numbers.
    C. Divided by d_k instead of sqrt(d_k), scores would have a standard deviation below 0.1.
    D. For one query and two keys, the unscaled scores differ by more than 20, as a root mean
       square (that is, the standard deviation of q . k_1 - q . k_2 is more than 20).
    E. Of two tokens, one has the weight w. Whatever gradients g_1 and g_2, not equal, the two
       weights receive, the same in both cases: the gradient of its score is larger in magnitude
       at w = 0.99 than at w = 0.6.

    Source: Vaswani et al. 2017, section 3.2.1 and footnote 4.
    """
    # TODO: after the core, steps 1 to 8
    raise NotImplementedError("questions: replace this line")


def similarity_statements(x_length: float, y_length: float, cosine: float) -> str:
    """Two tokens x and y with these two different norms, and this cosine between them.

    ``x_length`` and ``y_length`` are the norms (Euclidean lengths): the roots of x . x and y . y.
    So x . y = x_length * y_length * cosine.

    Scores are plain dot products, queries and keys are the tokens themselves, and each token's
    weights are the softmax of its two scores.

    A. The score of x for y equals the score of y for x.
    B. x gives itself a higher score than it gives y.
    C. The two scores of x are its weights: the shares of its attention.
    D. The weight of x for y equals the weight of y for x.
    E. y gives itself a higher score than it gives x.

    Source: Vaswani et al. 2017, section 3.2.1, eq. (1), without projections and scale.
    """
    # TODO: after the core, steps 1 to 8
    raise NotImplementedError("questions: replace this line")


def largest_weight(tokens: int, gap: float) -> float:
    """The softmax weight of a score that stands ``gap`` above the ``tokens`` - 1 others.

    The others are all equal; 0 <= gap <= 50.

    Source: Vaswani et al. 2017, section 3.2.1, eq. (1).

    >>> round(largest_weight(4, gap=math.log(9)), 4)  # 9 shares of 12
    0.75
    """
    # TODO: step 2 of 8
    raise NotImplementedError("questions: replace this line")


def gap_for_weight(tokens: int, weight: float) -> float:
    """How far above the others must a score stand for this weight? Undoes ``largest_weight``.

    The other ``tokens`` - 1 >= 1 scores are all equal, and 0 < weight < 1. A weight below
    1 / tokens has a negative gap.

    Source: Vaswani et al. 2017, section 3.2.1, eq. (1), solved for a score.

    >>> round(gap_for_weight(4, weight=0.75), 4)  # log 9
    2.1972
    """
    # TODO: step 3 of 8
    raise NotImplementedError("questions: replace this line")


def entropy_of_weights(tokens: int, largest: float) -> float:
    """The entropy -sum_j w_j log w_j of weights of which one is ``largest``, in nats.

    Entropy says how spread the weights are: 0 if one token has all the weight, log n if n tokens
    have equal weights. The other ``tokens`` - 1 >= 1 tokens share the rest equally. 0 log 0 counts
    as 0, and 1 / tokens <= largest <= 1.

    Source: Shannon 1948, "A Mathematical Theory of Communication", section 6.

    >>> round(entropy_of_weights(3, largest=0.5), 4)  # of the weights 1/2, 1/4, 1/4: 1.5 log 2
    1.0397
    """
    # TODO: step 4 of 8
    raise NotImplementedError("questions: replace this line")


def long_context_statements(tokens: int, gap: float) -> str:
    """Does a long context hurt a softmax? One score stands ``gap`` > 0 above all others.

    The other ``tokens`` - 1 scores are equal; there are more than two tokens.

    A. The weights sum to more than one if there are enough tokens.
    B. The outstanding token gets more than half of the attention.
    C. Among ten times as many tokens (10 * tokens in all), with the same gap, its weight would be
       less than half of what it is.
    D. If all scores were equal, twice as many tokens would double the entropy of the weights.
    E. All scores multiplied by 2, the outstanding token would get a larger weight.

    Source: Vaswani et al. 2017, section 3.2.1, eq. (1).
    """
    # TODO: after the core, steps 1 to 8
    raise NotImplementedError("questions: replace this line")


def temperature_statements(temperature: float) -> str:
    """What does a temperature do? The logits 2 and 0 are divided by ``temperature`` > 0.

    They are those of two tokens, and the softmax of the divided logits gives their probabilities.
    Without a temperature means with 1.

    A. The token with the larger logit is still the more probable one.
    B. It has a probability of more than 0.9.
    C. The two probabilities are closer to one another than without a temperature.
    D. The nearer the temperature is to 0, the nearer are both probabilities to 1/2.
    E. With 5 added to both logits before the division, the probabilities would be others.

    Source: Hinton, Vinyals, Dean 2015, "Distilling the Knowledge in a Neural Network", section 2.
    """
    # TODO: after the core, steps 1 to 8
    raise NotImplementedError("questions: replace this line")


def perplexity(likely: float, tokens: int, vocabulary: int) -> float:
    """The perplexity of a model on a text of ``tokens`` + 1 tokens.

    At ``tokens`` >= 1 places it gave the token that came the probability ``likely`` (0 < likely
    <= 1), at one place it guessed: all ``vocabulary`` tokens had the same probability.

    The loss is the mean, over all places, of -log of the probability of the token that came, and
    the perplexity is e^loss: among how many equally probable tokens would one have to guess, for
    the same loss?

    Source: Jelinek et al. 1977, "Perplexity: a measure of the difficulty of speech recognition
    tasks".

    >>> perplexity(0.5, tokens=2, vocabulary=16)  # the third root of 2 * 2 * 16
    4.0
    """
    # TODO: step 5 of 8
    raise NotImplementedError("questions: replace this line")


def divergence_statements(right: float, model: float) -> str:
    """How far is a model from what is right? Two tokens can come next, token 1 or token 2.

    In a share ``right`` of all texts that begin so, token 1 comes next, in all others token 2. The
    model gives token 1 the probability ``model``, and token 2 the rest. Both numbers lie between 0
    and 1 and are not equal; log is the natural logarithm.

    A. The differences between the model's probabilities and the right ones, added up over both
       tokens, give 0.
    B. The cross-entropy of the two, -sum_j right_j log model_j, is more than log 2.
    C. A model that gives token 1 exactly the probability ``right`` has the cross-entropy 0.
    D. The Kullback-Leibler divergence of the model from what is right is more than 0.
    E. If the model gave token 1 a little more, the cross-entropy would be smaller.

    Source: Goodfellow, Bengio, Courville, Deep Learning (2016), section 3.13.
    """
    # TODO: after the core, steps 1 to 8
    raise NotImplementedError("questions: replace this line")


# Steps: far and in parallel -----------------------------------------------------------------------


def sequential_steps(model: str, phase: str, source: int, target: int) -> int:
    """How many steps must follow one another to process a pair of sentences?

    ``model`` is "recurrent" (an encoder and a decoder, both RNNs) or "transformer". ``source``
    tokens are read by the encoder, then ``target`` tokens (the end token among them) are put out
    by the decoder. In the ``phase`` "training" the correct target tokens are known and fed in; in
    "generation" each one must have been chosen before the next can be computed.

    One step of an RNN is its cell applied to one token. One step of the Transformer is one pass
    through the encoder or one through the decoder, over as many positions as can be computed
    together; layers are not counted, and the encoder's result is kept.

    Source: Vaswani et al. 2017, section 4, table 1, column "sequential operations".

    >>> sequential_steps("recurrent", "generation", source=5, target=7)
    12
    """
    # TODO: step 6 of 8
    raise NotImplementedError("questions: replace this line")


def parallel_statements(part: str, phase: str) -> str:
    """What is parallel when? ``part``: a Transformer's "encoder" or "decoder".

    ``phase`` is "training" (with the correct target tokens fed in) or "generation" (a new sentence,
    put out token by token).

    A. One pass through this part is enough for a whole sentence, however long.
    B. Its layers are computed at the same time: each of them reads the embeddings.
    C. Its input holds the correct tokens that follow a position, and only a mask hides them.
    D. Its input holds tokens that the model itself has chosen.
    E. One of its attentions takes keys and values from the other part.

    Source: Vaswani et al. 2017, sections 3.1 and 3.2.3.
    """
    # TODO: after the core, steps 1 to 8
    raise NotImplementedError("questions: replace this line")


def family_statements(family: str) -> str:
    """Which kind of Transformer has what? Three families share the layers that you have built.

    ``family`` is "encoder-only", "decoder-only" or "encoder-decoder" (as in the first paper).

    A. A causal mask keeps tokens of its text, or of one of its two texts, from seeing later ones.
    B. It has cross-attention; T5 is of this family.
    C. BERT is of this family.
    D. GPT-2 and Llama are of this family.
    E. In one of its stacks, a token may attend to tokens that stand after it.

    Source: Raffel et al. 2020, "Exploring the Limits of Transfer Learning with a Unified
    Text-to-Text Transformer", section 3.2.1.
    """
    # TODO: after the core, steps 1 to 8
    raise NotImplementedError("questions: replace this line")


def prefix_statements(given: int, written: int) -> str:
    """Can one stack read a text and write the answer? A *prefix language model* does.

    Its text begins with ``given`` tokens, the prefix, and it has written ``written`` >= 1 tokens
    after them. Each token of the prefix may attend to the whole prefix. Each token that was written
    may attend to the prefix, to those written before it, and to itself. All go through the same
    layers. GLM works like this; T5 and BART have an encoder and a decoder instead.

    A. It needs cross-attention, so that what is written may depend on the prefix.
    B. Of all pairs of a query and a key, more than three quarters are allowed.
    C. Its mask allows more pairs than a causal mask of the same size does.
    D. The first token of the prefix may attend to the last token that was written.
    E. Within the prefix every token may attend to every other one, as in an encoder.

    Source: Raffel et al. 2020, "Exploring the Limits of Transfer Learning with a Unified
    Text-to-Text Transformer", section 3.2.1; Du et al. 2022, "GLM: General Language Model
    Pretraining with Autoregressive Blank Infilling".
    """
    # TODO: after the core, steps 1 to 8
    raise NotImplementedError("questions: replace this line")


def path_length(layer: str, distance: int, kernel: int) -> int:
    """The fewest hops that bring information from position i to position i + ``distance``.

    In one hop it can get, in a "recurrent" layer: to the next position; in a causal
    "convolution": ``kernel`` - 1 positions further at most, for each output sees itself and the
    kernel - 1 positions before it; in "self-attention": from any position to any later one.
    Hops through several layers add up. ``distance`` >= 1, ``kernel`` >= 2.

    Source: Vaswani et al. 2017, section 4, the text about contiguous kernels, where the number of
    layers grows as n / k. (Table 1 has a logarithm for convolutions: it means dilated ones, whose
    inputs stand further apart in every layer. Those here are not dilated.)

    >>> path_length("convolution", distance=7, kernel=3)  # 2 + 2 + 2 + 1
    4
    """
    # TODO: step 7 of 8
    raise NotImplementedError("questions: replace this line")


def distance_statements(distance: int, kernel: int) -> str:
    """What does it take to connect two tokens that stand ``distance`` apart?

    A. One layer of (unmasked) self-attention connects them directly, whatever the distance.
    B. In an RNN whose every step multiplies the gradient by 0.9, less than 1 % of it is left
       after ``distance`` steps.
    C. Four causal convolutions of width ``kernel``, one on top of the other, connect them (hops
       as in ``path_length``).
    D. An LSTM connects them in a single step, thanks to its gates.
    E. Without positional encodings, the later of two equal words gets a lower score from a token
       in front of both, because it is further away.

    Source: Vaswani et al. 2017, section 4; Bengio, Simard, Frasconi 1994.
    """
    # TODO: after the core, steps 1 to 8
    raise NotImplementedError("questions: replace this line")


# Cost and size ------------------------------------------------------------------------------------


def operations_per_layer(layer: str, tokens: int, width: int, kernel: int) -> int:
    """The operations of a layer as table 1 counts them: the product inside the O(...), bare.

    ``layer`` is "self-attention", "recurrent" or "convolution" (over ``kernel`` neighbours), on
    ``tokens`` tokens of ``width`` numbers. No constant factors, no projections of q, k and v.

    Source: Vaswani et al. 2017, section 4, table 1, column "complexity per layer".

    >>> operations_per_layer("convolution", tokens=10, width=4, kernel=3)
    480
    """
    # TODO: step 8 of 8
    raise NotImplementedError("questions: replace this line")


def cost_statements(tokens: int, width: int) -> str:
    """What does self-attention cost, for ``tokens`` tokens of ``width`` numbers?

    A. As table 1 counts, a self-attention layer takes fewer operations than a recurrent one.
    B. Twice as many tokens take four times the operations that table 1 counts for self-attention.
    C. The causal mask is what makes self-attention quadratic: without it, the cost would grow in
       proportion to the number of tokens.
    D. All scores of one head, kept in float32, take more than 1 MiB (2^20 bytes).
    E. The projections for q, k, v and the output (4 n d^2 multiplications, n tokens, width d)
       take more than all scores and weighted sums together (2 n^2 d).

    Source: Vaswani et al. 2017, section 4, table 1.
    """
    # TODO: after the core, steps 1 to 8
    raise NotImplementedError("questions: replace this line")


def sliding_window_statements(tokens: int, window: int, layers: int) -> str:
    """A remedy for n^2: each token attends to itself and the ``window`` - 1 tokens before it.

    So it is in all ``layers`` layers of a model that reads ``tokens`` > ``window`` >= 2 tokens.
    Hidden scores are not computed. (Another remedy, Linformer, mixes all keys, and all values, to
    a fixed number of rows: Wang et al. 2020.)

    A. One token more means ``window`` scores more in each head, however long the text is.
    B. What the model returns for the last token may depend on the first token.
    C. While it writes, the keys and values of all earlier tokens must be kept.
    D. A head computes less than a fifth of the scores of a causal one without a window.
    E. The weights inside of a window sum to less than one: the rest stands outside of it.

    Source: Beltagy, Peters, Cohan 2020, "Longformer: The Long-Document Transformer", section 3.1.
    """
    # TODO: after the core, steps 1 to 8
    raise NotImplementedError("questions: replace this line")


def heads_statements(d_model: int, num_heads: int) -> str:
    """Multi-head attention with ``num_heads`` heads, each d_model / num_heads wide, no biases.

    A. W^Q, W^K, W^V and W^O together, of all heads, hold 4 * d_model^2 numbers.
    B. Twice as many heads (each half as wide) need twice as many parameters.
    C. The scores of each head are divided by 8.
    D. For 100 tokens, all heads together have more attention weights (one for each head, query
       and key) than W^Q has numbers (of all heads together).
    E. The query of every head is made from all d_model numbers of a token, not from a slice.

    Source: Vaswani et al. 2017, section 3.2.2.
    """
    # TODO: after the core, steps 1 to 8
    raise NotImplementedError("questions: replace this line")


def wrapper_d_out(width: int, num_heads: int) -> int:
    """The ``d_out`` for which ``MultiHeadAttentionWrapper`` gives contexts of ``width`` numbers.

    The wrapper puts ``num_heads`` whole heads side by side, and each of them gives ``d_out``
    numbers. ``width`` is a multiple of ``num_heads``.

    Source: Raschka, Build a Large Language Model (From Scratch), 2024, exercise 3.2.

    >>> wrapper_d_out(12, num_heads=3)
    4
    """
    # TODO: after the core, steps 1 to 8
    raise NotImplementedError("questions: replace this line")


def output_projection_statements(d_model: int, num_heads: int) -> str:
    """What is W^O for? ``num_heads`` heads, each d_model / num_heads wide, are put side by side.

    With W^O, this is multiplied by a d_model x d_model matrix; without W^O it is the result.

    A. Without W^O, the result has d_model numbers for each token all the same.
    B. Without W^O, fewer than 100 of the d_model numbers of a result depend on the first head.
    C. With W^O, each number of a result may depend on all heads.
    D. For each head, its part of W^V and its part of W^O could be multiplied into one matrix of
       d_model x d_model, with the same results. These matrices, of all heads together, would hold
       more numbers than W^V and W^O together.
    E. W^O has more numbers than W^Q has (of all heads together).

    Source: Vaswani et al. 2017, section 3.2.2.
    """
    # TODO: after the core, steps 1 to 8
    raise NotImplementedError("questions: replace this line")


def training_bytes(parameters: int, optimizer: str, mixed: bool) -> int:
    """What training keeps for the parameters of a model: weights, gradients, optimizer. In bytes.

    ``optimizer`` is "sgd", which keeps nothing more, "momentum", which keeps one number for each
    parameter, or "adam", which keeps two. A number in float32 takes 4 bytes. If ``mixed`` (mixed
    precision), weights and gradients are kept in 16 bits, the optimizer's numbers in float32, and
    a float32 copy of the weights as well, to which the small steps are added. What is kept of the
    activations is not counted.

    Source: Rajbhandari et al. 2020, "ZeRO: Memory Optimizations Toward Training Trillion Parameter
    Models", section 3.1.

    >>> training_bytes(1_000, "adam", mixed=True)
    16000
    """
    # TODO: after the core, steps 1 to 8
    raise NotImplementedError("questions: replace this line")


def training_operations(parameters: int, tokens: int, part: str) -> int:
    """About how many multiplications and additions does a training take? Each counts as one.

    A model has ``parameters`` numbers in its matrices, and reads ``tokens`` tokens in all. In the
    "forward" ``part`` each number is multiplied once for each token, and the product is added to a
    sum. The "backward" part takes two products of that size for each matrix: one for the gradient
    of its numbers, one for that of its input. "both" is all of it. The scores of attention, which
    no parameter takes part in, are not counted, nor are norms and activations.

    Source: Kaplan et al. 2020, "Scaling Laws for Neural Language Models", section 2.1. The same
    paper finds how the loss falls as models, texts and computation grow: its *scaling laws*.

    >>> training_operations(1_000, tokens=10, part="both")
    60000
    """
    # TODO: after the core, steps 1 to 8
    raise NotImplementedError("questions: replace this line")


def block_statements(d_model: int, d_ff: int) -> str:
    """One encoder layer: attention, feed-forward network, a layer norm for each of the two.

    A. The two matrices of the feed-forward network hold more numbers than the four of attention.
    B. A layer norm takes its mean and its variance over all tokens of a batch, one of each for
       every one of the d_model columns.
    C. The feed-forward network passes information from one token to another.
    D. With d_model doubled and d_ff kept, the feed-forward matrices double and the attention
       matrices grow fourfold.
    E. Both layer norms together (a weight and a bias of d_model numbers each) have less than 1 %
       of the numbers in the four matrices of attention.

    Source: Vaswani et al. 2017, sections 3.1 and 3.3.
    """
    # TODO: after the core, steps 1 to 8
    raise NotImplementedError("questions: replace this line")


def norm_place_statements(norm_first: bool) -> str:
    """Where does the layer norm stand? A stack of layers, all pre-norm or all post-norm.

    If ``norm_first``, every sub-layer is x + Sublayer(LayerNorm(x)); if not, it is
    LayerNorm(x + Sublayer(x)). Norms have a weight of 1 and a bias of 0. Behind the last layer
    stands no norm of the stack's own.

    A. A sub-layer that returns zeros leaves every x as it is.
    B. What leaves a layer has in each row the mean 0 and (nearly) the variance 1, however large x
       was.
    C. From the output back to the embeddings leads a way of sums alone, on which no norm stands.
    D. The result for a token depends on the other sentences of the batch, through the norms.
    E. The first paper had its norms there.

    Source: Vaswani et al. 2017, section 3.1; Xiong et al. 2020, "On Layer Normalization in the
    Transformer Architecture".
    """
    # TODO: after the core, steps 1 to 8
    raise NotImplementedError("questions: replace this line")


def batch_norm_statements(sentences: int, tokens: int) -> str:
    """Why no batch norm? A batch of ``sentences`` sentences of ``tokens`` tokens, d_model = 512.

    In training, a batch norm takes the mean and the variance of each of the 512 columns over all
    tokens of the batch. A layer norm takes those of each token over its 512 numbers.

    A. The layer norm computes more means than the batch norm.
    B. With the layer norm, a token's result depends on the other tokens of the batch.
    C. With the batch norm, in training, a token's result depends on the other tokens of the batch.
    D. Each mean of the batch norm is taken over more than 1000 numbers.
    E. Out of training, when one sentence is read alone, the layer norm needs means that were kept
       from training.

    Source: Ba, Kiros, Hinton 2016, "Layer Normalization"; Ioffe and Szegedy 2015, "Batch
    Normalization".
    """
    # TODO: after the core, steps 1 to 8
    raise NotImplementedError("questions: replace this line")


def dropout_statements(p: float, phase: str) -> str:
    """Where does dropout stand? With the probability ``p`` to drop, 0 < p < 1.

    ``phase`` is "training" or "evaluation" (after ``eval()``). A Transformer as in the first paper,
    in which attention weights are dropped as well, as in the authors' code.

    A. The weights by which the values are averaged sum to one for every query.
    B. The dropout layer of a sub-layer, which drops or lets all through, stands behind it: what the
       sub-layer returns goes through the layer before x is added.
    C. On its way past the sub-layer, x itself goes through a dropout layer, too.
    D. Numbers that go through a dropout and are not dropped become more than 1.5 times as large.
    E. A weight that was dropped is shared out among the other keys of its query, so that these
       weights sum to what they would without dropout.

    Source: Vaswani et al. 2017, section 5.4; Srivastava et al. 2014.
    """
    # TODO: after the core, steps 1 to 8
    raise NotImplementedError("questions: replace this line")


# Order and masks ----------------------------------------------------------------------------------


def order_statements(positions: bool, causal: bool) -> str:
    """What does attention know of order? One self-attention layer, any weights.

    ``positions``: a sinusoidal encoding has been added to the embeddings, the place of a word
    deciding which row. ``causal``: each token attends to itself and those before it only. A
    statement holds if it is true for every sentence and every choice of weights.

    A. The words in another order give the outputs in that same other order, otherwise unchanged.
    B. Attention without positions and without a mask sees the order of the words, for the rows
       of x stand in order.
    C. The last word's output stays as it is if the words before it change places.
    D. The first word's output stays as it is if the words after it are replaced by others.
    E. Two equal words of a sentence have equal keys.

    Source: Vaswani et al. 2017, section 3.5.
    """
    # TODO: after the core, steps 1 to 8
    raise NotImplementedError("questions: replace this line")


def position_statements(tokens: int, max_len: int, vocabulary: int) -> str:
    """How far do positions reach? A text has ``tokens`` tokens, the vocabulary ``vocabulary``.

    Positions are vectors as wide as the embeddings, and are added to them. They are either computed
    from sines and cosines, or looked up in a learned table of ``max_len`` rows.

    A. The learned table has a row for every token of this text.
    B. Sines and cosines give every token of this text a vector of its own position.
    C. The learned table has more numbers than the table of embeddings.
    D. With a larger vocabulary, the learned table would serve longer texts.
    E. In the first paper, the translations with one kind were much better than with the other.

    Source: Vaswani et al. 2017, section 3.5 and table 3, row E.
    """
    # TODO: after the core, steps 1 to 8
    raise NotImplementedError("questions: replace this line")


def mask_statements(tokens: int, position: int) -> str:
    """The causal mask, for ``tokens`` tokens in a decoder; positions are counted from 0.

    A. For ``position``, more than half of all ``tokens`` keys are forbidden.
    B. With equal scores, ``position`` gives itself a weight of more than 0.1.
    C. Forbidden weights set to 0 after the softmax give the same weights, in every row, as scores
       of -inf before it.
    D. Without the mask, a decoder in training could read the answers off its own input.
    E. In generation, the newest token may attend to every token there is: its row of the mask
       forbids nothing.

    Source: Vaswani et al. 2017, section 3.2.3.
    """
    # TODO: after the core, steps 1 to 8
    raise NotImplementedError("questions: replace this line")


# A transformer by hand ----------------------------------------------------------------------------


def window_statements(position: int, window: int, score: float) -> str:
    """A head made by hand that looks back ``window`` >= 2 tokens, itself included.

    There are 8 tokens, at the positions 0 to 7, and keys and queries of 8 numbers. The key of
    token j holds 1 at j and 0 elsewhere. The query of token i holds ``score`` > 0 at i and at the
    window - 1 places before it, as far as they exist, and 0 elsewhere. Scores are q . k, without
    scale and mask. The statements are about the query at ``position`` >= 1.

    A. If the keys were made as the queries are, its weights would still be equal over its window.
    B. Exactly ``window`` keys share its highest score.
    C. All keys outside its window together, if there are any, get less than 1 % of its attention.
    D. Without a causal mask, later tokens would share its highest score.
    E. With ``score`` doubled, the weights inside its window are still equal to one another.

    Source: Vaswani et al. 2017, section 3.2.1: queries and keys have projections of their own.
    """
    # TODO: after the core, steps 1 to 8
    raise NotImplementedError("questions: replace this line")


def residual_statements(scale: float) -> str:
    """Does the residual drown the branch? A network by hand goes on with a a b a a b a a b ...

    After "aa" comes b, after "ab" and "ba" comes a. The two logits, for a and for b, are the sum
    of the residual, which still holds the last token (1 for it, 0 for the other), and of the
    branch, which holds ``scale`` > 0 for the right next token and 0 for the other. The network
    answers with the token of the larger logit.

    A. After "ba" it answers right.
    B. After "aa" it answers right.
    C. Only a scale of 1024 or more gives three right answers out of three.
    D. Without the residual, all three answers would be right.
    E. After "ab", the softmax of the logits gives the right token more than 99 %.

    Source: Vaswani et al. 2017, section 3.1: x + Sublayer(x).
    """
    # TODO: after the core, steps 1 to 8
    raise NotImplementedError("questions: replace this line")
