"""What to predict about weights by hand before writing it."""

from __future__ import annotations

import numpy as np

from grader.check import Answer, Predictions

predict = Predictions()


@predict(text=("aab", "aba", "aabaa"), more=(1, 2, 4))
def the_pattern(page, text, more):
    """The pattern is aabaabaab..., and the model goes on with it wherever a text breaks off. It
    is given the text {text}, and writes on. Which is the letter number {more} of those that it
    writes (1 is the first)?"""
    return Answer(
        page.complete(page.aab_weights(), text, more)[-1],
        "After aa comes b, after ab and ba comes a.",
        dict.fromkeys("ab", "Write the pattern down and count: aabaabaab."),
    )


@predict(text=("abab", "aabaa", "baa"))
def shape_of_logits(page, text):
    """The text {text} goes into aab_weights(), which knows two letters. What is the shape of the
    logits?"""
    logits, _ = page.forward(page.aab_weights(), page.tokens_of(text))
    return Answer(
        logits.shape,
        "At every place a number for each letter.",
        {
            (2,): "A letter is predicted at every place, not only after the last.",
            (len(text), len(text)): "That is the shape of a layer's attention.",
            (len(text), 4): "This model has two letters, so wte has two rows.",
        },
    )


@predict(gap=(2, 5, 10))
def how_sharp(page, gap):
    """Of two keys, one has a score {gap} above the other. What is its weight?"""
    return Answer(
        float(np.exp(gap) / (np.exp(gap) + 1)),
        "A gap of scores is a ratio of weights, e^gap to 1. Large weights by hand make it decided.",
        {
            1.0: "Never quite: a softmax gives no key exactly nothing.",
            float(gap / (gap + 1)): "The ratio is e^gap to 1, not gap to 1.",
        },
    )


@predict(letters=("abcd", "dacb", "cabd"))
def nothing_before(page, letters):
    """A head attends to the letter before. To how many letters may the first letter of {letters}
    attend?"""
    _, attention = page.forward(page.previous_token_head(), page.tokens_of(letters))
    return Answer(
        int((attention[0][0] > 0).sum()),
        "To itself alone: whatever its scores are, all its weight is there.",
        {
            0: "Weights sum to one, so they go somewhere: the letter itself is always allowed.",
            len(letters): "The mask is causal: the letters after it are hidden.",
        },
    )


@predict(written=(0.5, 0.8))
def too_little_written(page, written):
    """x holds the last letter, worth 1 in its own logit. A layer writes the next letter, another
    one, with {written}. Which has the larger logit: the last letter, or the next?"""
    logits = np.array([1.0, written])
    return Answer(
        ("the last letter", "the next")[int(logits.argmax())],
        "The residual connection keeps the old letter: what is written must be larger than 1.",
        {"the next": "The residual connection keeps the last letter, with 1. It wins here."},
    )
