"""What to predict about the questions before writing it."""

from __future__ import annotations

import math

from grader.check import Answer, Predictions

predict = Predictions()


@predict(d_k=(16, 64, 144), sigma=(0.5, 2.0))
def deviation(page, d_k, sigma):
    """q and k have {d_k} independent numbers of mean 0 and standard deviation {sigma}. What is the
    standard deviation of q . k / sqrt({d_k})?"""
    return Answer(
        page.score_standard_deviation(d_k, sigma, scaled=True),
        "sigma squared: the division takes out the width, and nothing else.",
        {
            1.0: "That is so for sigma = 1 only.",
            sigma: "Both factors bring a sigma.",
            math.sqrt(d_k) * sigma**2: "That is before the division.",
        },
    )


@predict(tokens=(10, 100, 1000))
def longer_context(page, tokens):
    """A row has {tokens} scores: one of them is 5, all others are 0. In a second row there are ten
    times as many: again one is 5, and all others are 0. Beside the first row, the softmax weight of
    the 5 is then: larger, smaller, or the same?"""
    now, later = page.largest_weight(tokens, 5.0), page.largest_weight(10 * tokens, 5.0)
    return Answer(
        "smaller" if later < now else "larger",
        "Each of the others takes its share, however small.",
        {
            "the same": "The gap stays, but the sum that divides it grows with every token.",
            "larger": "More tokens share the same one.",
        },
    )


@predict(source=(5, 8), target=(6, 9))
def steps_of_training(page, source, target):
    """A Transformer trains on a pair of {source} and {target} tokens. How many passes must follow
    one another, through encoder and decoder?"""
    return Answer(
        page.sequential_steps("transformer", "training", source, target),
        "One through the encoder, one through the decoder: all positions at once.",
        {
            source + target: "So many steps takes a recurrent network.",
            1 + target: "So it is in generation. In training the target is known.",
            1: "The decoder needs what the encoder has made.",
        },
    )


@predict(temperature=(0.1, 0.2, 0.3))
def cold(page, temperature):
    """Logits 2 and 0 are divided by the temperature {temperature}. The larger probability becomes:
    larger, smaller, or the same?"""
    return Answer(
        "larger" if 2 / temperature > 2 else "smaller",
        "The gap is divided by less than one: it grows. Near 0 the largest logit takes all.",
        {
            "smaller": "A high temperature makes all alike; a low one decides.",
            "the same": "Only an added constant leaves a softmax as it is.",
        },
    )
