"""What to predict about circuits before writing the tools."""

from __future__ import annotations

import torch

from grader.check import Answer, Predictions

predict = Predictions()


def _one_weight(size, row, key):
    """A map with a single weight in it."""
    maps = torch.zeros(size, size)
    maps[row, key] = 1.0
    return maps


@predict(period=(3, 4, 5, 6), place=(0, 1, 2))
def where_an_induction_head_looks(page, period, place):
    """A text of 2 * {period} tokens repeats its first half. At which place does an induction head
    look from place {period} + {place}? (Places are counted from 0.)"""
    row = period + place
    looks = [
        key
        for key in range(2 * period)
        if page.induction_score(_one_weight(2 * period, row, key), period) > 0
    ]
    return Answer(
        looks[0],
        f"The same token stood at place {place}. The head looks at what followed it there.",
        {
            place: "That is where the same token stood. The head looks at what followed it, for "
            "that is what it predicts.",
            row - 1: "That is the previous token: so looks a previous-token head.",
            row + 1: "This place is in the future, which no head of a GPT sees.",
        },
    )


@predict(tokens=(2, 3, 4, 5))
def score_of_an_even_head(page, tokens):
    """An empty head gives all places that it may see the same weight. What is its
    previous_token_score in a text of {tokens} tokens? (Place i sees i + 1 places.)"""
    even = torch.ones(tokens, tokens).tril()
    score = float(page.previous_token_score(even / even.sum(-1, keepdim=True)))
    terms = " + ".join(f"1/{i + 1}" for i in range(1, tokens))
    return Answer(
        score,
        f"({terms}) / {tokens - 1}: place i gives 1 / (i + 1) to the place before it, and place 0 "
        "does not count.",
        {
            score * (tokens - 1) / tokens: "Place 0 has no place before it, so it does not count: "
            f"the sum is divided by {tokens - 1}.",
            1 / tokens: "The places before it see fewer tokens, so their weights are larger.",
            0.0: "It looks at all places alike, so also at the one before.",
        },
    )


@predict(layers=(2, 4, 6), heads=(2, 3, 4))
def shares_of_a_logit(page, layers, heads):
    """A GPT has {layers} blocks with {heads} heads each. Into how many shares does
    direct_logit_attribution split a logit?"""
    model = page.GPT(4, 4, layers, heads, heads * 2)
    shares = page.direct_logit_attribution(model, torch.tensor([[1, 2]]), 0)
    return Answer(
        len(shares),
        f"Token vectors, position vectors, {layers} * {heads} heads, {layers} networks, and what "
        "is the same for every text.",
        {
            layers * heads: "The networks add to x as well, and so do the embeddings.",
            layers * (heads + 1): "Before the first block x is not empty, and biases have a share.",
            layers * (heads + 1) + 2: "The biases have a share of their own.",
            layers * 2 + 3: "Each head has a share of its own.",
        },
    )


@predict(layer=(0, 1), head=(0, 1))
def what_is_left_without_a_head(page, layer, head):
    """The hand-made model reads dabcdabc, and d would come next. Which letter does it say without
    head {layer}.{head}: c or d? (Head 0.0 looks one place back, 1.0 is the induction head; 0.1 and
    1.1 are empty. The last letter itself, c, is in x too.)"""
    logits = page.ablate(page.hand_made_model(), page.tokens_of("dabcdabc"), layer, head)
    said = page.LETTERS[int(logits[0, -1].argmax())]
    why = (
        "An empty head adds nothing, so nothing is missing."
        if head
        else "The second head asks for places that have this letter before them, and the first one "
        "writes that down. Without either of them c, the last letter itself, is all there is in x."
    )
    return Answer(said, why, {"d" if said == "c" else "c": why})
