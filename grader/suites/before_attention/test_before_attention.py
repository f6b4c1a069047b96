"""Hidden checks of ``before_attention``."""

from __future__ import annotations

import pytest
import torch

from grader.check import finding

LAYERS = ("recurrent", "convolution", "self-attention")


def is_an_int(name, count):
    """Asserts that what was counted comes back as 2, not as 2.0."""
    if isinstance(count, float):
        raise finding(
            f"{name} returned {count}, which is a float.",
            f"an int: {count:.0f}",
            help="What is counted is whole: // divides without a rest, and math.floor, math.ceil "
            "and int() make an int of a float.",
        )


# A memory of fixed size ---------------------------------------------------------------------------


@pytest.mark.core("recurrent_states")
@pytest.mark.public
@pytest.mark.points(3)
@pytest.mark.rests_on(
    "state_t = tanh(x_t W_in + state_{t-1} W_state)", "before the first token the state is 0"
)
def test_states_of_any_sentence(compare, draw):
    """Each state is the tanh of the token's row times W_in plus the last state times W_state."""
    x, w_in = torch.tensor([[1.0], [0.0], [-1.0]]), torch.tensor([[1.0, 0.0]])
    compare.recurrent_states(x, w_in, torch.tensor([[0.0, 1.0], [0.5, 0.0]]))
    for tokens, d, h in ((5, 3, 4), (3, 4, 2), (4, 4, 4)):
        given = draw.normal(tokens, d), draw.normal(d, h), draw.normal(h, h)
        compare.recurrent_states(*given, wrt=list(given))


@pytest.mark.rests_on("row t: after token t")
def test_the_state_after_one_token(compare, draw):
    """A text of one token has one state, and it knows nothing of W_state."""
    given = draw.normal(1, 3), draw.normal(3, 4), draw.normal(4, 4)
    compare.recurrent_states(*given, wrt=list(given))


@pytest.mark.core("steps_to_forget")
@pytest.mark.points(2)
@pytest.mark.kept("plain cases; the other check asks for the edges")
@pytest.mark.rests_on(
    "the smallest whole number n with factor^n < share", "what they return is an int: 2, not 2.0"
)
def test_steps_until_less_than_a_share_is_left(compare, submission):
    """Counted are the steps until less than the share is left: 44 for 0.9 and 0.01."""
    for factor, share in ((0.9, 0.01), (0.5, 0.3), (0.99, 0.2), (0.3, 0.04), (0.7, 0.6)):
        compare.steps_to_forget(factor, share)
    is_an_int("steps_to_forget", submission.steps_to_forget(0.5, 0.3))


@pytest.mark.rests_on("the smallest whole number n with factor^n < share")
def test_steps_at_the_edges(compare):
    """One step may be enough; and where exactly the share is left, one more is needed."""
    for factor, share in ((0.1, 0.5), (0.5, 0.25), (0.5, 0.5), (0.999, 0.9985)):
        compare.steps_to_forget(factor, share)
    # Floats hold these powers exactly, and quotients of logarithms, to any base, do not end at n.
    for factor, n in ((0.625, 5), (0.625, 6), (0.9375, 5), (0.84375, 3), (0.6875, 7)):
        compare.steps_to_forget(factor, factor**n)


# A few neighbours ---------------------------------------------------------------------------------


@pytest.mark.core("causal_convolution")
@pytest.mark.public
@pytest.mark.points(3)
@pytest.mark.kept("the formula; the other check asks for a beginning that is nearly all")
@pytest.mark.rests_on("y_t = x_t K_0 + x_{t-1} K_1 + ... + x_{t-k+1} K_{k-1}")
def test_convolution_of_any_sentence(compare, draw):
    """Each row is made of its own token and the k - 1 before it, each with its own matrix."""
    readable = torch.tensor([1.0, 10.0, 100.0]).reshape(3, 1, 1)
    compare.causal_convolution(torch.tensor([[1.0], [2.0], [3.0], [4.0]]), readable)
    for tokens, k, d, c in ((6, 3, 2, 4), (5, 2, 4, 3), (4, 4, 4, 4), (7, 1, 3, 2)):
        x, kernel = draw.normal(tokens, d), draw.normal(k, d, c)
        compare.causal_convolution(x, kernel, wrt=[x, kernel])


@pytest.mark.rests_on("also where k is larger than T", "there is one row for every token")
def test_a_kernel_longer_than_the_text(compare, draw):
    """What would stand before the first token counts as zeros, also if it is nearly everything."""
    for tokens, k in ((2, 5), (1, 3), (3, 4), (3, 7)):
        x, kernel = draw.normal(tokens, 3), draw.normal(k, 3, 4)
        compare.causal_convolution(x, kernel, wrt=[x, kernel])


# Counting -----------------------------------------------------------------------------------------


@pytest.mark.core("receptive_field")
@pytest.mark.rests_on(
    "a token and the kernel_size - 1 before it", "what they return is an int: 2, not 2.0"
)
def test_the_receptive_field(compare, submission):
    """Each layer adds kernel_size - 1 tokens to the one that looks."""
    for kernel_size, layers in ((2, 1), (2, 4), (3, 2), (5, 3), (4, 7), (1, 6), (3, 0)):
        compare.receptive_field(kernel_size, layers)
    is_an_int("receptive_field", submission.receptive_field(3, 2))


@pytest.mark.core("sequential_operations")
@pytest.mark.rests_on(
    "one step is whatever can be computed at the same time",
    "what they return is an int: 2, not 2.0",
)
def test_sequential_operations(compare, submission):
    """A recurrent layer takes one step for each token, the other two take one for all."""
    for layer in reversed(LAYERS):  # one that knows no layer by its name fails at the last
        for tokens in (20, 7, 1):
            compare.sequential_operations(layer, tokens)
    for layer in LAYERS:
        is_an_int("sequential_operations", submission.sequential_operations(layer, 20))


@pytest.mark.core("longest_path")
@pytest.mark.points(2)
@pytest.mark.rests_on(
    "the fewest steps that bring information from the first token to the last",
    "what they return is an int: 2, not 2.0",
)
def test_the_longest_path(compare, submission):
    """The first token reaches the last in n - 1 steps, in one, or by kernel_size - 1 at a time."""
    for tokens, kernel_size in ((12, 3), (5, 3), (9, 4), (12, 2), (8, 6), (2, 3), (100, 8)):
        for layer in LAYERS:
            compare.longest_path(layer, tokens, kernel_size)
    for layer in LAYERS:
        is_an_int("longest_path", submission.longest_path(layer, 5, 3))


@pytest.mark.core("operations_per_layer")
@pytest.mark.points(2)
@pytest.mark.rests_on(
    "what stands in O(...), as a number", "what they return is an int: 2, not 2.0"
)
def test_operations(compare, submission):
    """n d^2 for a recurrent layer, k times that for a convolution, n^2 d for self-attention."""
    for tokens, width, kernel_size in ((10, 4, 3), (7, 30, 5), (2000, 512, 2)):
        for layer in LAYERS:
            compare.operations_per_layer(layer, tokens, width, kernel_size)
    for layer in LAYERS:
        is_an_int("operations_per_layer", submission.operations_per_layer(layer, 10, 4, 3))


# The way out --------------------------------------------------------------------------------------


@pytest.mark.core("soft_lookup")
@pytest.mark.public
@pytest.mark.points(2)
@pytest.mark.rests_on(
    "score_j = key_j . query, weights = softmax(scores), answer = sum_j weight_j value_j"
)
def test_lookup_among_any_keys(compare, draw):
    """The answer is the sum of all values, each times the softmax weight of its key's score."""
    keys = torch.tensor([[50.0, 0.0], [50.0, 0.0], [0.0, 50.0]])
    values = torch.tensor([[10.0, 1.0], [20.0, 1.0], [90.0, 1.0]])
    compare.soft_lookup(torch.tensor([1.0, 0.0]), keys, values)
    for tokens, d, c in ((5, 3, 4), (3, 4, 2), (4, 4, 4), (1, 3, 2)):
        given = draw.normal(d), draw.normal(tokens, d), draw.normal(tokens, c)
        compare.soft_lookup(*given, wrt=list(given))


@pytest.mark.rests_on("scores of several hundred must not overflow")
def test_lookup_with_large_scores(compare, draw):
    """Scores near 400 and -400 give a finite answer."""
    query, keys = draw.normal(3), draw.normal(5, 3)
    query[0], keys[:, 0] = 20.0, torch.tensor([20.0, 19.9, -20.0, 20.1, 0.0]).to(keys)
    values = draw.normal(5, 2)
    compare.soft_lookup(query, keys, values)
    compare.soft_lookup(-query, keys[2:3], values[2:3])
