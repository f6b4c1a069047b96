"""What to predict about sampling before writing it."""

from __future__ import annotations

import math

import torch

from grader.check import Answer, Predictions

predict = Predictions()

_SHARES = (0.5, 0.25, 0.15, 0.1)


@predict(gap=(1, 2), temperature=(0.5, 2.0, 4.0))
def two_tokens(page, gap, temperature):
    """Two tokens have the logits {gap} and 0. What is the probability of the first one at the
    temperature {temperature}? (You may use a calculator.)"""
    z = torch.tensor([float(gap), 0.0])
    return Answer(
        float(page.apply_temperature(z, temperature).softmax(-1)[0]),
        f"The difference of the logits becomes {gap} / {temperature}. The smaller it is, the "
        "nearer both tokens come to 0.5.",
        {
            1 / (1 + math.exp(-gap)): "This is the probability at the temperature 1.",
            1 / (1 + math.exp(-gap * temperature)): "Here the logits are multiplied by the "
            "temperature. They are divided by it: heat makes the tokens more alike.",
            1 / (1 + math.exp(-gap)) / temperature: "Not the probability is divided by the "
            "temperature: the logits are, and softmax comes after that.",
        },
    )


@predict(k=(1, 2, 3))
def share_after_top_k(page, k):
    """Four tokens have the probabilities 0.5, 0.25, 0.15 and 0.1. What is the probability of the
    first one after top-k with k = {k}?"""
    z = torch.tensor(_SHARES).log()
    return Answer(
        float(page.top_k_filter(z, k).softmax(-1)[0]),
        f"0.5, divided by the sum of the {k} largest: what is left sums to 1 again.",
        {
            0.5: "The others are gone, so what is left must grow until it sums to 1 again.",
            1 / k: "The tokens that stay are not equally likely: their proportions are kept.",
        },
    )


@predict(p=(0.4, 0.6, 0.8, 0.95))
def tokens_of_top_p(page, p):
    """Four tokens have the probabilities 0.5, 0.25, 0.15 and 0.1. How many of them stay after top-p
    with p = {p}?"""
    stay = int(page.top_p_filter(torch.tensor(_SHARES).log(), p).isfinite().sum())
    below = "At least one token stays, also if it is larger than p by itself."
    return Answer(
        stay,
        f"The sums are 0.5, 0.75, 0.9 and 1. Number {stay} is the first that reaches {p}, and that "
        "token stays too.",
        {
            stay - 1: below
            if stay == 1
            else f"These tokens together have less than {p}. The one with which {p} is reached "
            "stays as well.",
            stay + 1: f"{p} was reached before the last of these: it is not needed.",
        },
    )


@predict(logit=(-1, -2, -3))
def zero_instead(page, logit):
    """Two tokens have the logits {logit} and {logit} - 1. The second one is to be removed, but its
    logit is set to 0, not to -inf. What is its probability then?"""
    z = torch.tensor([float(logit), 0.0])
    return Answer(
        float(page.apply_temperature(z, 1.0).softmax(-1)[1]),
        f"1 / (1 + e^{logit}): exp(0) is 1, and more than the exponential of a negative logit. The "
        "token that was to go is the likeliest now.",
        {
            0.0: "Its logit is 0, and not its probability: exp(0) is 1.",
            0.5: "Both would need the same logit for that.",
            1 / (1 + math.exp(1)): "That was its probability before: only the difference counted, "
            "and that was 1.",
        },
    )


@predict(batch=(2, 3), prompt=(3, 5), n=(4, 6))
def shape_of_a_text(page, batch, prompt, n):
    """{batch} prompts of {prompt} tokens each, {n} new tokens, a block_size of 4 and no eos_id:
    what is the shape of what generate returns?"""
    model = page.TinyModel(vocab_size=9, block_size=4)
    idx = torch.ones(batch, prompt, dtype=torch.int64)
    return Answer(
        tuple(page.generate(model, idx, n, block_size=4).shape),
        "The prompt, and behind it what is new. block_size only says how much of it the model sees "
        "in each step.",
        {
            (batch, n): "The prompt stands at the beginning of the result.",
            (batch, 4): "block_size cuts what the model sees, and not the text.",
            (batch, prompt): "The text grows by a token in each step.",
        },
    )
