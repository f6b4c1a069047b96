"""What to predict about the loss before writing it."""

from __future__ import annotations

import math

import torch

from grader.check import Answer, Predictions

predict = Predictions()


def _logits(*probabilities):
    """Of each row two tokens, the first with this probability."""
    first = torch.tensor(probabilities)
    return torch.stack([first, 1 - first], dim=-1).log()


@predict(p=(0.5, 0.25, 0.1, 0.01))
def one_target(page, p):
    """The model gave the target the probability {p}. What is the loss of this position? (You may
    use a calculator.)"""
    return Answer(
        float(page.cross_entropy(_logits(p), torch.tensor([0]))),
        f"-log({p}), with the natural logarithm.",
        {
            1 - p: "This is how far the probability is from 1. The loss is minus its logarithm, "
            "and grows without end as the probability falls to 0.",
            -math.log2(p): "This is the logarithm to base 2. The loss is measured with the natural "
            "one.",
            -math.log10(p): "This is the logarithm to base 10. The loss is measured with the "
            "natural one.",
            math.log(p): "The logarithm of a probability is negative. The loss is minus that.",
        },
    )


@predict(counted=(2, 4, 6), ignored=(3, 5))
def what_is_ignored(page, counted, ignored):
    """{counted} positions cost 3 each. The targets of {ignored} more are ignore_index, for there is
    only padding. What is the loss of the batch?"""
    logits = _logits(*[math.exp(-3)] * (counted + ignored)).double()
    targets = torch.tensor([0] * counted + [-100] * ignored)
    return Answer(
        round(float(page.cross_entropy(logits, targets)), 3),
        f"The mean is over the {counted} targets that count. Padding changes nothing.",
        {
            3.0 * counted / (counted + ignored): "Here the sum is divided by all positions. Then "
            "more padding would make a smaller loss, and the model would be no better.",
            3.0 * counted: "This is the sum. The loss is the mean over the targets that count.",
        },
    )


@predict(p=(0.1, 0.25, 0.4, 0.8))
def gradient_of_the_target(page, p):
    """One position, and the target has the probability {p}. What is the gradient of the loss for
    the logit of the target?"""
    return Answer(
        float(page.cross_entropy_backward(_logits(p), torch.tensor([0]))[0, 0]),
        f"softmax(z) - y, and y is 1 here: {p} - 1. Descent makes this logit larger, and the more, "
        "the less likely the target was.",
        {
            p: "So it is for a token that is not the target. At the target 1 is subtracted.",
            1 - p: "The sign is the other way round: if this logit grows, the loss falls.",
            -1 / p: "This is the derivative of -log(p) for p. From the logit to p leads a softmax, "
            "whose derivative is a factor.",
        },
    )


@predict(epsilon=(0.1, 0.2, 0.3))
def smoothed_to_zero(page, epsilon):
    """With label_smoothing = {epsilon} and a vocabulary of four tokens: are there logits with which
    the loss is nearly 0?"""
    target = torch.tensor([1])
    best = page.smoothed_targets(target, 4, epsilon).log()
    least = float(page.cross_entropy(best, target, label_smoothing=epsilon))
    return Answer(
        least < 0.01,
        f"The best logits are those whose softmax is the smoothed target. There it is {least:.2f}, "
        "the entropy of that target. Logits that are surer cost more.",
        {
            True: "Without smoothing, a very large logit of the target brings the loss near 0. "
            "Smoothed, the target gives every other token a share too, and a model that gives them "
            "next to nothing pays for it."
        },
    )


@predict(one_in=((2, 8), (4, 16), (3, 12), (5, 20)))
def perplexity_of_two(page, one_in):
    """A text has two targets. The model gave them the probabilities 1/{one_in[0]} and
    1/{one_in[1]}. What is the perplexity?"""
    few, many = one_in
    logits = _logits(1 / few, 1 / many)
    return Answer(
        float(page.perplexity(logits, torch.tensor([0, 0]))),
        f"exp of the mean of log({few}) and log({many}): the square root of {few} * {many}.",
        {
            (few + many) / 2: "This is the mean of the exponentials. The mean is taken first, of "
            "the logarithms, and the exponential after that.",
            (math.log(few) + math.log(many)) / 2: "This is the mean loss. The perplexity is its "
            "exponential.",
            float(few * many): "This is the exponential of the sum of both losses. Of their mean, "
            "says the page.",
        },
    )
