"""The loss: how wrong a language model is, as one number.

Idea
----

A language model gives every token of its vocabulary a number, the *logit* of that token; softmax
turns the logits into probabilities. Then the next token of the text is looked at: the *target*.
The loss is small where the target was likely, and large where it was not. Training does nothing
but make this number smaller.

Formula
-------

    p = softmax(z)
    L = -log(p_y) = log(sum_j exp(z_j)) - z_y

z are the logits of one position, one for each of the V tokens, y is the target there, L is the loss
of this one target, and log is the natural logarithm. This is the *cross-entropy*. The loss of a
batch is the mean over its targets.

Worked example
--------------

A vocabulary of three tokens. At one position the model gives them the logits 2, 1 and 0:

>>> z = torch.tensor([2.0, 1.0, 0.0])
>>> z.exp(), z.exp().sum(), z.exp().sum().log()
(tensor([7.3891, 2.7183, 1.0000]), tensor(11.1073), tensor(2.4076))

This logarithm, 2.4076, minus the logit of the target is the loss. Here it is for each of the three
tokens as the target. A likely target costs little:

>>> 2.4076 - z
tensor([0.4076, 1.4076, 2.4076])

Three positions with these logits, and the targets 0, 0 and 2: (0.4076 + 0.4076 + 2.4076) / 3.

>>> round((0.4076 + 0.4076 + 2.4076) / 3, 4)
1.0743

[Figure cost: the tokens a, b and c with the logits 2, 1 and 0. Softmax makes the probabilities
0.67, 0.24 and 0.09 of them. Below, the curve of -log p falls steeply, and is 0 at p = 1. On it lie
the losses: 0.41 if the target is a, 1.41 if it is b, 2.41 if it is c.]

What is graded
--------------

Five functions, in the order of this file. In all of them the vocabulary is the last axis, of
``logits`` and of probabilities; ``targets`` has the axes before it, however many these are, also
none. Targets are int64. Inputs may be views of other tensors, and stay as they were. The result has
the dtype and the device of the logits, or of ``p`` and ``log_q``, which share theirs. All rows are
done at once: the number of torch operations does not depend on how many there are, and no tensor is
made that is larger than the logits. What comes in a later step may raise NotImplementedError until
then, or be ignored.

Write it yourself: ``F.cross_entropy``, ``nn.CrossEntropyLoss``, ``F.nll_loss``, ``nn.NLLLoss``,
``F.kl_div`` and ``nn.KLDivLoss`` are not available here, under any name.
``torch.logsumexp``, ``torch.log_softmax`` and ``torch.softmax`` are welcome here.

Why it is like this
-------------------

Why the logarithm? The probability of a whole text is the product of the probabilities of its
tokens. A product of thousands of small numbers is 0 in any float; the logarithm makes a sum of it.
And the less likely the target was, the more it costs: 0.69 with the probability 0.5, and 6.9 with
0.001.

What is a good loss? A model that knows nothing gives all V tokens the same logit, and its loss is
log(V): 10.82 for the 50,257 tokens of GPT-2. Look at that number first when a training begins. It
should start there and fall. *Perplexity*, the exponential of the loss, is easier to read: a model
of perplexity 20 is as unsure as if it had to guess among 20 equally likely tokens.

Why is the gradient so simple? How does the loss change with a logit? The first part, log(sum_j
exp(z_j)), has the derivative exp(z_i) / sum_j exp(z_j), which is p_i. The second part, -z_y, has -1
at the target and 0 elsewhere. So the gradient is p - y, where y stands for the row that is 1 at the
target and 0 elsewhere: what the model said, minus what is right. Every row of it sums to 0.

Why smooth? The loss falls as long as p_y grows, and reaches 0 only at an infinite logit. So
training drives p_y ever nearer to 1, also where the text could have gone on in another way. A
smoothed target divides a small share epsilon equally among all tokens. Then some finite logits are
the best ones: those whose softmax is that target. The loss is not 0 there: it is the *entropy* of
the smoothed target q, which is -sum_j q_j log q_j. Vaswani et al. 2017 smooth with epsilon = 0.1:
perplexity becomes worse, the translations better.

[Figure smoothing: with epsilon = 0.3 the target 1, 0, 0 becomes 0.8, 0.1, 0.1. Below, two losses
while the logit of the target grows from 0 to 8 and those of both others stay 0. Not smoothed, the
loss falls towards 0. Smoothed, it falls to 0.64 at the logit 2.08 and rises from there on.]

The cross-entropy of any two distributions p and q is -sum_j p_j log q_j; with a row p that is 1 at
the target this is -log q_y, the loss from above. The *Kullback-Leibler divergence* KL(p, q) says
how far q is from p: it is this cross-entropy minus the entropy of p. The entropy of the targets
does not depend on the model, so what makes one smaller makes the other smaller.

Look further
------------

Goodfellow, Bengio, Courville, Deep Learning (2016): section 3.13 on entropy and divergence, section
6.2.2.3 on the loss of a softmax. Szegedy et al. 2016, "Rethinking the Inception Architecture for
Computer Vision", section 7: smoothed targets. Vaswani et al. 2017, section 5.4.
The ``GPT`` of the page before calls torch's ``cross_entropy``; yours can take its place.
"""

from __future__ import annotations

import torch
from jaxtyping import Float, Int
from torch import Tensor


def cross_entropy(
    logits: Float[Tensor, "... V"],
    targets: Int[Tensor, "..."],
    ignore_index: int = -100,
    label_smoothing: float = 0.0,
) -> Float[Tensor, ""]:
    """The mean loss over all targets that count, as one number.

    loss = logsumexp(z) - z_y

    Logits of any size give a finite loss. A logit may be -inf, which means that this token cannot
    come: it changes nothing, as long as it is not the target and nothing is smoothed.

    A target that equals ``ignore_index`` does not count: for padding, or for what the model is not
    asked. Its logits have no influence, neither on the value nor on a gradient, however large they
    are (as long as one of them is finite), and it has no share in the mean, which is over the
    targets that are left, wherever in the batch they stand.
    ``ignore_index`` may be any whole number, a token of the vocabulary too. If no target counts,
    the loss is 0 and, after backward(), so is the gradient.

    With ``label_smoothing`` = epsilon, 0 <= epsilon <= 1, the target is the row of
    ``smoothed_targets``, and the loss of one target becomes

    loss = (1 - epsilon) (logsumexp(z) - z_y) + epsilon (logsumexp(z) - mean_j z_j)

    Source: Goodfellow et al. 2016, section 6.2.2.3; Szegedy et al. 2016, section 7.

    The logits 2, 1, 0 and the targets 0, 0, 2; then the last target does not count; then the target
    0 alone, smoothed: 0.7 * 0.4076 + 0.3 * 1.4076.

    >>> z = torch.tensor([2.0, 1.0, 0.0])
    >>> cross_entropy(z.expand(3, 3), torch.tensor([0, 0, 2]))
    tensor(1.0743)
    >>> cross_entropy(z.expand(3, 3), torch.tensor([0, 0, -100]))
    tensor(0.4076)
    >>> cross_entropy(z, torch.tensor(0), label_smoothing=0.3)
    tensor(0.7076)
    >>> cross_entropy(torch.zeros(1, 50257), torch.tensor([11]))
    tensor(10.8249)
    """
    # TODO: step 1 of 7, every target counts
    #       step 2 of 7, ignore_index
    #       step 4 of 7, label_smoothing
    raise NotImplementedError("loss: replace this line")


def smoothed_targets(
    targets: Int[Tensor, "..."], vocab_size: int, epsilon: float
) -> Float[Tensor, "... V"]:
    """Each target as a row of probabilities: all tokens share ``epsilon``.

    q_j = epsilon / V        for every token j
    q_y = epsilon / V + (1 - epsilon)        for the target y

    V is ``vocab_size``. The rest, 1 - epsilon, is the target's, which has its part of epsilon as
    well. (Some programs share epsilon among the V - 1 other tokens only; then the target has
    1 - epsilon.) Each row sums to 1. Rows are float32, on the device of the targets, all of which
    are tokens of the vocabulary.

    Source: Szegedy et al. 2016, section 7.

    >>> smoothed_targets(torch.tensor([0, 2]), vocab_size=3, epsilon=0.3)
    tensor([[0.8000, 0.1000, 0.1000],
            [0.1000, 0.1000, 0.8000]])
    """
    # TODO: step 3 of 7
    raise NotImplementedError("loss: replace this line")


def kl_divergence(p: Float[Tensor, "... V"], log_q: Float[Tensor, "... V"]) -> Float[Tensor, "..."]:
    """How far the distribution q is from p, for every row; given are p and the logarithm of q.

    KL(p, q) = sum_j p_j (log p_j - log q_j)

    It is 0 where both are equal, and otherwise larger than 0. KL(p, q) and KL(q, p) differ. A token
    with p_j = 0 adds 0 to the sum, whatever log q_j is, -inf too, and its log q_j gets the gradient
    0. (The gradient for p is asked only where all p_j are larger than 0.) Where p_j is larger than
    0 and log q_j is -inf, the divergence is infinite.

    Source: Goodfellow et al. 2016, eq. (3.50).

    0.5 log(0.5 / 0.25) + 0.5 log(0.5 / 0.75) = 0.3466 - 0.2027:

    >>> kl_divergence(torch.tensor([0.5, 0.5]), torch.tensor([0.25, 0.75]).log())
    tensor(0.1438)
    >>> kl_divergence(torch.tensor([1.0, 0.0]), torch.tensor([1.0, 0.0]).log())
    tensor(0.)
    """
    # TODO: step 5 of 7
    raise NotImplementedError("loss: replace this line")


def perplexity(
    logits: Float[Tensor, "... V"], targets: Int[Tensor, "..."], ignore_index: int = -100
) -> Float[Tensor, ""]:
    """The exponential of the mean loss over all targets that count.

    It says among how many equally likely tokens a guess would be as hard. The mean is taken before
    the exponential. If no target counts, the perplexity is 1.

    Source: Jelinek, Mercer, Bahl, Baker 1977, "Perplexity - a measure of the difficulty of speech
    recognition tasks".

    Four equal logits: one of four. Then the example from above: exp(1.0743).

    >>> perplexity(torch.zeros(1, 4), torch.tensor([3]))
    tensor(4.)
    >>> perplexity(torch.tensor([2.0, 1.0, 0.0]).expand(3, 3), torch.tensor([0, 0, 2]))
    tensor(2.9279)
    """
    # TODO: step 6 of 7
    raise NotImplementedError("loss: replace this line")


def cross_entropy_backward(
    logits: Float[Tensor, "... V"], targets: Int[Tensor, "..."], ignore_index: int = -100
) -> Float[Tensor, "... V"]:
    """The gradient of ``cross_entropy`` (without smoothing) for the logits, written out by hand.

    gradient = (softmax(z) - y) / n

    y is 1 at the target and 0 elsewhere, and n is the number of targets that count. Rows whose
    target does not count are 0; if none counts, all are. Finite logits may have any size here as
    well. (autograd gives the same numbers, and is not forbidden. The exercise is to do without it.)

    Source: Goodfellow et al. 2016, section 6.2.2.3.

    softmax of 2, 1, 0 is 0.6652, 0.2447, 0.0900. The first of the two targets is 0, the second does
    not count:

    >>> z = torch.tensor([2.0, 1.0, 0.0]).expand(2, 3)
    >>> cross_entropy_backward(z, torch.tensor([0, -100]))
    tensor([[-0.3348,  0.2447,  0.0900],
            [ 0.0000,  0.0000,  0.0000]])
    """
    # TODO: step 7 of 7
    raise NotImplementedError("loss: replace this line")
