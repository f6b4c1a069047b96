"""What to predict about tests before writing them."""

from __future__ import annotations

import torch

from grader.check import Answer, Predictions

predict = Predictions()


@predict(rows=(2, 3, 4), columns=(5, 6, 7))
def gradient_of_a_plain_sum(page, rows, columns):
    """y = softmax(x) along the last axis of a ({rows}, {columns}) matrix, and y.sum().backward().
    What is the largest number in x.grad, apart from rounding?"""
    x = page.noise(rows, columns).requires_grad_()
    torch.softmax(x, -1).sum().backward()
    return Answer(
        round(float(x.grad.abs().max()), 3),
        "Every row sums to 1 whatever x is, so the sum does not change with x. A test that goes "
        "backward from it sees no difference between right and wrong gradients.",
        {
            1.0: "Each weight has the gradient 1, as seen from the sum. But x moves all weights of "
            "a row at once, and what one gains the others lose.",
        },
    )


@predict(size=(2, 3, 4, 5))
def one_size_for_all(page, size):
    """A wrong attention divides the scores by sqrt(d_v), the width of the values. You try it with
    {size} queries, {size} keys, and queries, keys and values that are all {size} wide. Can your
    test find the mistake?"""
    q, k, v = page.queries_keys_values(sizes=(size, size, size, size))
    right, _ = page.true_attention(q, k, v)
    wrong, _ = page.true_attention(q, k, v, scale=v.shape[-1] ** -0.5)
    return Answer(
        bool((right - wrong).abs().max() > 1e-6),
        "sqrt(d_v) is sqrt(d_k) there, and both functions compute the same. Sizes that differ find "
        "it at once.",
    )


@predict(digits=(3, 4, 5))
def not_a_number(page, digits):
    """A function returns NaN everywhere. A test says `if far > 1e-{digits}: raise AssertionError`,
    where far is the largest difference from the truth. Is the function rejected?"""
    return Answer(
        bool(torch.tensor(torch.nan) > 10.0**-digits),
        "A comparison with NaN is always False, so nothing is raised. `assert far <= tolerance` "
        "asks the other way round, and NaN fails it.",
    )


@predict(right=(10, 20, 50), share=(80, 90, 99))
def too_strict(page, right, share):
    """Your test rejects {share} of 100 wrong functions, and accepts all but one of {right} right
    ones. How many of its points does it earn here, in percent?"""
    return Answer(
        0,
        "While a single right function is rejected, a test earns nothing: nobody can work with one "
        "that says no to what is right.",
        {share: "So it would be if right functions did not count."},
    )
