"""What to predict about recurrent states, convolutions and lookups before writing them."""

from __future__ import annotations

import torch

from grader.check import Answer, Predictions

predict = Predictions()


@predict(tokens=range(30, 61, 10), width=(4, 8, 16))
def numbers_in_the_last_state(page, tokens, width):
    """A recurrent network has read {tokens} tokens of 3 numbers each. Its state is {width} numbers
    wide. Of how many numbers is the last state, the only one that is kept?"""
    states = page.recurrent_states(
        torch.zeros(tokens, 3), torch.zeros(3, width), torch.zeros(width, width)
    )
    return Answer(
        states[-1].numel(),
        f"The state is {width} numbers wide after every token: all {tokens} must fit into it.",
        {
            tokens * width: "That is all states together. Only the last one is kept.",
            tokens: "The state does not grow with the text.",
            tokens * 3: "That is the text itself. It has been squeezed into one state.",
        },
    )


@predict(kernel_size=(3, 4, 5), layers=(3, 4, 6))
def tokens_seen(page, kernel_size, layers):
    """{layers} causal convolutions stand on top of each other, each with a kernel of {kernel_size}
    tokens. How many tokens, its own included, take part in one output of the last one?"""
    return Answer(
        page.receptive_field(kernel_size, layers),
        f"Every layer adds {kernel_size - 1} tokens to the output's own one.",
        {
            kernel_size * layers: f"The kernels overlap: of its {kernel_size} tokens a layer has "
            "one already, and adds the others.",
            kernel_size**layers: "So fast it grows with dilated convolutions only. Neighbours see "
            "nearly the same tokens, and each layer adds a few.",
            layers * (kernel_size - 1): "These are the tokens before it. Its own one takes part "
            "as well.",
        },
    )


@predict(layer=("recurrent", "convolution", "self-attention"), tokens=(50, 100, 200))
def one_after_the_other(page, layer, tokens):
    """In training all {tokens} tokens of a text are known. How many steps of one layer must follow
    one another, if the layer is: {layer}?"""
    other = 1 if layer == "recurrent" else tokens
    return Answer(
        page.sequential_operations(layer, tokens),
        "Each state needs the one before it."
        if layer == "recurrent"
        else "Every output is made of the inputs alone: all can be computed at the same time.",
        {
            other: "Each state is computed from the state before it, so no two at once."
            if layer == "recurrent"
            else "No output needs another output of the same layer, so none has to wait.",
        },
    )


@predict(width=(64, 128, 256), times=(2, 4))
def fewer_operations(page, width, times):
    """Tokens are {width} numbers wide. For a text of {times} * {width} tokens: which layer takes
    fewer operations?"""
    tokens = times * width
    counts = {
        layer: page.operations_per_layer(layer, tokens, width, kernel_size=3)
        for layer in ("recurrent", "self-attention")
    }
    return Answer(
        min(counts, key=counts.__getitem__),
        "n d^2 against n^2 d: with more tokens than numbers in each, n^2 d is the larger one.",
        {
            "self-attention": "That holds for short texts. Attention compares every token with "
            f"every other one: n^2 d is {times} times n d^2 here.",
        },
    )


@predict(first=(2, 4, 6), second=(8, 10, 12))
def lookup_between_two(page, first, second):
    """Two keys fit a query equally well. Their values are {first} and {second}. What does a soft
    lookup return?"""
    keys, values = torch.ones(2, 1), torch.tensor([[first], [second]]).float()
    return Answer(
        float(page.soft_lookup(torch.ones(1), keys, values)),
        "Equal scores give equal weights, and the answer is the average.",
        {
            float(first): "Not the first that fits: both are mixed, with weights of 0.5.",
            float(second): "Not one of the two: both are mixed, with weights of 0.5.",
            float(first + second): "The weights sum to one: this is an average, and no sum.",
        },
    )
