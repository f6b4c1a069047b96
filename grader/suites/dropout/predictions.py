"""What to predict about dropout before writing it."""

from __future__ import annotations

import torch

from grader.check import Answer, Predictions

predict = Predictions()


@predict(p=(0.2, 0.5, 0.75, 0.9), value=(2, 3, 4))
def survivors(page, p, value):
    """Dropout with p = {p}, in training. An element {value} survives. What is it afterwards?"""
    x = torch.full((1000,), float(value))
    return Answer(
        float(page.dropout(x, p, training=True).max()),
        f"It is divided by 1 - {p}, so that the mean stays what it was.",
        {
            float(value): "Survivors are made larger, or else the sum would shrink in training.",
            value * (1 - p): "The other way round: survivors stand in for those that are gone, "
            "and grow.",
            value / p: "p is the probability to drop. What survives is divided by the probability "
            "to survive, 1 - p.",
        },
    )


@predict(p=(0.2, 0.5, 0.8), value=(2, 5, 7))
def mean_of_many(page, p, value):
    """An element {value} goes through dropout with p = {p} very many times, in training. What is
    the mean of all results?"""
    return Answer(
        float((1 - p) * page.dropout(torch.full((1000,), float(value)), p, training=True).max()),
        "A zero with probability p, value / (1 - p) with probability 1 - p: the mean is kept.",
        {
            value * (1 - p): "So it would be without the factor 1 / (1 - p). The factor is there "
            "to keep the mean.",
            value / (1 - p): "This is each survivor. The zeros count in the mean as well.",
            0.0: "Only the dropped ones are zero.",
        },
    )


@predict(p=(0.3, 0.6, 0.9))
def in_eval(page, p):
    """Dropout with p = {p}, after eval(): what does an element 4 become?"""
    return Answer(
        float(page.dropout(torch.tensor([4.0]), p, training=False)[0]),
        "Out of training nothing is dropped and nothing is scaled: that was done in training.",
        {
            4 * (1 - p): "The first paper scaled here. Since the survivors are scaled in training, "
            "nothing is left to do.",
            4 / (1 - p): "The factor belongs to training only.",
            0.0: "Out of training nothing is dropped.",
        },
    )


@predict(p=(0.1, 0.5))
def the_same_twice(page, p):
    """The same tensor of a thousand ones goes through dropout with p = {p} twice, in training. Are
    both results the same?"""
    x = torch.ones(1000)
    once, twice = (page.dropout(x, p, training=True) for _ in range(2))
    return Answer(
        once.equal(twice),
        "Every call draws a fresh mask. A mask that stays would only be a smaller network.",
        {True: "Each call draws anew which elements are dropped."},
    )


@predict(weight=(0.6, 0.8, 0.9), p=(0.5, 0.6))
def a_large_weight(page, weight, p):
    """One key has the attention weight {weight}, and dropout with p = {p} falls on the weights, in
    training. What is the largest number that may become of this weight?"""
    many = page.dropout(torch.full((1000,), weight), p, training=True)
    return Answer(
        float(many.max()),
        "Dropout draws without looking at what is large: a weight becomes 0, or grows by the "
        "factor 1 / (1 - p). It sets no limit to a weight.",
        {
            weight: "This is what goes in. What is not dropped is divided by 1 - p.",
            1.0: "After dropout the weights of a row need not sum to one, and one of them may be "
            "larger than 1.",
            0.0: "So small it may become. And if it is not dropped?",
        },
    )
