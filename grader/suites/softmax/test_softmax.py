"""Hidden checks of ``softmax``."""

from __future__ import annotations

import pytest
import torch

from grader.check import pairs, usable, work_of

AXES = (0, -1, 1, 2, -2, -3)  # of a tensor with three


@pytest.mark.core("softmax")
@pytest.mark.public
@pytest.mark.kept("the page's own example, for a first answer")
@pytest.mark.rests_on(">>> softmax(torch.tensor([1.0, 2.0, 3.0])) tensor([0.0900, 0.2447, 0.6652])")
def test_example(compare):
    """The weights of the scores 1, 2, 3 are 0.0900, 0.2447 and 0.6652."""
    compare.softmax(torch.tensor([1.0, 2.0, 3.0]))


@pytest.mark.core("softmax")
@pytest.mark.points(2)
@pytest.mark.rests_on("weights that sum to one along dim", "works along any axis dim")
def test_normalises_the_axis_asked_for(compare, draw):
    """Weights sum to one along `dim`, whichever axis that is; the last one if none is named."""
    x, cube = draw.normal(3, 4, 5), draw.normal(4, 4, 4)
    compare.softmax(x, wrt=[x])
    for dim in AXES[:2]:
        compare.softmax(x, dim=dim, wrt=[x])
    compare(lambda impl: [impl.softmax(x, dim=dim) for dim in AXES[2:]], wrt=[x])
    compare(lambda impl: [impl.softmax(cube, dim=dim) for dim in (0, 1, -2)])


@pytest.mark.points(2)
@pytest.mark.rests_on("scores of any size must come out finite")
def test_large_scores_do_not_overflow(compare, draw):
    """Scores near 500, -500 and 10000 give the same weights as scores near 0."""
    for offset in (500.0, -500.0, 1e4):
        x = (draw.normal(3, 7) + offset).requires_grad_()
        compare.softmax(x, wrt=[x])


@pytest.mark.rests_on("subtract the row's maximum first, and no exponential ever overflows")
def test_each_row_is_stabilised_by_its_own_maximum(compare, draw):
    """Rows of very different size in one tensor all come out right."""
    x = draw.normal(4, 6) + torch.tensor([[0.0], [600.0], [-600.0], [90.0]])
    compare.softmax(x, wrt=[x])
    # Whoever subtracts the mean fails where one score is far above, who the minimum in both rows.
    x = draw.normal(2, 6)
    x[0, 2], x[1, 2] = 130.0, -130.0
    compare.softmax(x)


@pytest.mark.rests_on(
    "a score of -inf gets the weight 0, as long as one score along dim is finite",
    "a score of -inf adds nothing to the sum",
    "a score of -inf stays -inf",
)
def test_minus_infinity_gets_no_weight(compare, submission, draw):
    """A score of -inf gets exactly the weight 0, and all belongs to a score that alone is finite;
    it adds nothing to logsumexp, and log_softmax leaves it at -inf."""
    x = draw.normal(3, 5)
    x[0, 1:] = -torch.inf
    x[1, ::2] = -torch.inf
    compare.softmax(x, wrt=[x])
    share = usable(submission, submission.softmax(x), x.shape)[0, 0].item()
    assert share > 1 - 5e-7, f"the only finite score has the weight {share:.8f}: that is not all"
    compare.logsumexp(x)
    compare.log_softmax(x)


@pytest.mark.asked_once("three axes are asked again, where views differ more")
@pytest.mark.rests_on("inputs may have any number of axes, and may be transposed")
def test_any_number_of_axes(compare, reference, draw):
    """One axis, four axes and axes of size 1 work alike, in all four functions."""
    for shape in ((6,), (2, 3, 4, 5), (1, 1)):
        x, g = draw.normal(*shape), draw.normal(*shape)
        compare.softmax(x, dim=0, wrt=[x])
        compare(lambda impl: (impl.logsumexp(x, dim=0), impl.log_softmax(x, dim=0)))
        compare.softmax_backward(g, reference.softmax(x, 0), dim=0)


@pytest.mark.core("logsumexp")
@pytest.mark.points(3)
@pytest.mark.rests_on(
    "the logarithm of the sum of exponentials along dim",
    "keepdim keeps the reduced axis with size 1, otherwise it is removed",
)
def test_logsumexp_along_any_axis(compare, draw):
    """logsumexp is the logarithm of the summed exponentials, and keepdim keeps the axis."""
    x = draw.normal(3, 4, 5)
    first = {"dim": 0, "keepdim": True}, {"dim": -1, "keepdim": False}
    rest = [row for row in pairs(dim=AXES, keepdim=(False, True)) if row not in first]
    for row in first:
        compare.logsumexp(x, **row, wrt=[x])
    compare(lambda impl: [impl.logsumexp(x, **row) for row in rest], wrt=[x])
    compare.logsumexp(x)
    for shape, dim in (((3, 1, 5), 0), ((4, 1, 5), -1)):
        compare.logsumexp(draw.normal(*shape), dim=dim)  # what is of size 1 and not reduced stays


@pytest.mark.rests_on("sum of exponentials along dim, for scores of any size")
def test_logsumexp_of_large_scores(compare, draw):
    """logsumexp of scores near 700 and -700, side by side, is finite."""
    x = draw.normal(3, 6) + torch.tensor([[700.0], [-700.0], [0.0]])
    compare.logsumexp(x, wrt=[x])


@pytest.mark.core("log_softmax")
@pytest.mark.points(2)
@pytest.mark.rests_on("the logarithm of softmax(x, dim)", "works along any axis dim")
def test_log_softmax_along_any_axis(compare, draw):
    """log_softmax is the logarithm of softmax along the same axis."""
    x = draw.normal(3, 4, 5)
    for dim in AXES[:2]:
        compare.log_softmax(x, dim=dim, wrt=[x])
    compare(lambda impl: [impl.log_softmax(x, dim=dim) for dim in AXES[2:]], wrt=[x])
    compare.log_softmax(x)


@pytest.mark.rests_on("finite even where the weight itself rounds to 0")
def test_log_softmax_of_tiny_weights(compare, draw):
    """Where a weight is too small for a float, its logarithm is still right."""
    order = draw.normal(4, 6).argsort(dim=-1)
    x = 1000.0 * order - 2500.0 + draw.normal(4, 6, scale=50.0)  # no two are near each other
    compare.log_softmax(x, wrt=[x])


@pytest.mark.core("softmax_backward")
@pytest.mark.points(3)
@pytest.mark.rests_on("grad_x_i = y_i * (grad_out_i - sum_j grad_out_j * y_j)")
def test_backward_couples_all_scores(compare, reference, draw):
    """The gradient for x is y * (g - sum(g * y)), along the axis asked for."""
    for dim in AXES:
        y = reference.softmax(draw.normal(3, 4, 5), dim)
        g = draw.normal(3, 4, 5, scale=3.0)
        compare.softmax_backward(g, y, dim=dim)
    compare.softmax_backward(g, y, wrt=[g, y])


@pytest.mark.rests_on("the number of torch operations does not depend on how many there are")
def test_all_rows_at_once(compare, submission, draw):
    """No Python loop over rows: each torch operation has a price of its own, and one along `dim`
    does all rows, be they 8 or 32."""

    def operations(name, tensors, dim):
        shape = list(tensors[0].shape)
        if name == "logsumexp":
            del shape[dim]

        def answer(impl):
            return usable(impl, getattr(impl, name)(*tensors, dim=dim), shape)

        return work_of(submission, answer).operations

    for name in ("softmax", "logsumexp", "log_softmax", "softmax_backward"):
        inputs = 2 if name == "softmax_backward" else 1
        right = [draw.normal(3, 5) for _ in range(inputs)]  # right first, then fast
        for dim in (-1, 0):
            getattr(compare, name)(*right, dim=dim)
        for few, many, dim in (((8, 5), (32, 5), -1), ((5, 8), (5, 32), 0)):
            first, second = (
                operations(name, [draw.normal(*shape) for _ in range(inputs)], dim)
                for shape in (few, many)
            )
            assert second - first < 24, (
                f"{name}: the number of torch operations grows with the number of rows"
            )


@pytest.mark.rests_on("never build the matrix of all derivatives")
def test_backward_builds_no_matrix(compare, submission, reference, draw):
    """For a row of n scores the gradient takes memory for n numbers, not for the n x n matrix of
    all derivatives: 50,000 words would make it 10 GB."""
    y, g = reference.softmax(draw.normal(3, 40)), draw.normal(3, 40)
    for dim in (-1, 0):  # right first, then lean
        compare.softmax_backward(g, y, dim=dim)
    work = work_of(submission, lambda impl: impl.softmax_backward(g, y))
    assert work.largest < 3 * 40 * 40, "the matrices of all derivatives are built, for all rows"
    assert work.largest < 40 * 40, "the matrix of all derivatives is built, row after row"
