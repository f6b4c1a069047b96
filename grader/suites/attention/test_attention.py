"""Hidden checks of ``attention``."""

from __future__ import annotations

import pytest
import torch

from grader.examiner.implementation import gradient


@pytest.mark.public
@pytest.mark.stands("the numbers of the chapter, for a first answer")
def test_example(compare, device):
    """Three tokens [1, 0], [.5, .5], [0, 1] attend to each other as printed: .4555, .3199, .2246."""
    x = torch.tensor([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]], device=device)
    compare(lambda impl: impl.scaled_dot_product_attention(x, x, x))


@pytest.mark.points(2)
def test_queries_average_values(compare, draw):
    """Each query averages the values, under weights that sum to one over the keys."""
    for queries, keys in ((3, 5), (5, 3), (6, 6)):
        q, k, v = draw.normal(2, queries, 4), draw.normal(2, keys, 4), draw.normal(2, keys, 7)
        compare(
            lambda impl, q=q, k=k, v=v: impl.scaled_dot_product_attention(q, k, v), wrt=[q, k, v]
        )


@pytest.mark.points(2)
def test_divides_by_sqrt_of_key_width(compare, draw):
    """Scores are divided by sqrt(d_k): not by d_k, and not by a root of any other size."""
    for width in (64, 12, 1):
        q, k, v = draw.normal(2, 3, width), draw.normal(2, 5, width), draw.normal(2, 5, 7)
        compare(
            lambda impl, q=q, k=k, v=v: impl.scaled_dot_product_attention(q, k, v), wrt=[q, k, v]
        )


def test_custom_scale(compare, draw):
    """`scale` takes the place of 1 / sqrt(d_k), also with a mask, and also when it is 0.0."""
    q, k, v = draw.normal(2, 3, 4), draw.normal(2, 5, 4), draw.normal(2, 5, 7)
    mask = draw.booleans(3, 5)
    mask[:, 0] = True
    bias = draw.normal(3, 5, scale=2.0)
    for scale in (1.7, 0.3, 0.0):
        compare(
            lambda impl, scale=scale: impl.scaled_dot_product_attention(q, k, v, scale=scale),
            wrt=[q, k, v],
        )
    compare(lambda impl: impl.scaled_dot_product_attention(q, k, v, mask=mask, scale=1.7))
    compare(lambda impl: impl.scaled_dot_product_attention(q, k, v, mask=bias, scale=1.7))


def test_any_number_of_axes(compare, draw):
    """Two axes, four axes with heads, and five axes work like three."""
    for leading in ((), (2, 3), (2, 1, 3)):
        q, k = draw.normal(*leading, 5, 4), draw.normal(*leading, 6, 4)
        v = draw.normal(*leading, 6, 7)
        compare(
            lambda impl, q=q, k=k, v=v: impl.scaled_dot_product_attention(q, k, v), wrt=[q, k, v]
        )


def test_axes_of_size_one(compare, draw):
    """One query, one key, one batch, one feature: the axis of size 1 stays where it is."""
    for sizes in ((2, 1, 5, 4, 7), (2, 5, 1, 4, 7), (1, 3, 5, 4, 1), (1, 1, 1, 4, 7)):
        batch, queries, keys, width, value_width = sizes
        q, k = draw.normal(batch, queries, width), draw.normal(batch, keys, width)
        v = draw.normal(batch, keys, value_width)
        compare(
            lambda impl, q=q, k=k, v=v: impl.scaled_dot_product_attention(q, k, v), wrt=[q, k, v]
        )
    q, k, v = draw.normal(2, 1, 4), draw.normal(2, 1, 4), draw.normal(2, 1, 7)
    compare(lambda impl: impl.scaled_dot_product_attention(q, k, v, is_causal=True))


@pytest.mark.points(2)
def test_boolean_mask(compare, draw):
    """Where the mask is False the key gets no weight, and the row still sums to one."""
    q, k, v = draw.normal(2, 3, 4), draw.normal(2, 5, 4), draw.normal(2, 5, 7)
    for shape in ((3, 5), (2, 3, 5)):
        mask = draw.booleans(*shape)
        mask[..., 2] = True
        mask[..., 0, 4] = False
        compare(
            lambda impl, mask=mask: impl.scaled_dot_product_attention(q, k, v, mask=mask),
            wrt=[q, k, v],
        )


@pytest.mark.points(2)
def test_masks_that_broadcast(compare, draw):
    """A mask per head, per batch, per key or one for all: (B, H, Tq, Tk), (B, 1, 1, Tk), (Tq, Tk)."""
    q, k, v = draw.normal(2, 3, 5, 4), draw.normal(2, 3, 6, 4), draw.normal(2, 3, 6, 7)
    for shape in ((2, 3, 5, 6), (2, 1, 1, 6), (5, 6), (1, 3, 5, 6), (3, 1, 6), (6,)):
        mask = draw.booleans(*shape)
        mask[..., 3] = True
        mask[..., 1] = False
        bias = torch.zeros(shape, device=mask.device).masked_fill(~mask, -torch.inf)
        bias = bias + draw.normal(*shape)
        for given in (mask, bias):
            compare(
                lambda impl, given=given: impl.scaled_dot_product_attention(q, k, v, given),
                wrt=[q, k, v],
            )


@pytest.mark.points(2)
def test_additive_mask(compare, draw):
    """A mask of floats is added to the scaled scores: it shifts them, and -inf or -1e9 forbids."""
    q, k, v = draw.normal(2, 3, 16), draw.normal(2, 5, 16), draw.normal(2, 5, 7)
    bias = draw.normal(3, 5, scale=3.0)
    hard, large, zero = bias.clone(), bias.clone(), torch.zeros_like(bias)
    hard[0, 3] = hard[1, :2] = -torch.inf
    large[0, 3] = large[1, :2] = -1e9
    zero[2, 4] = zero[0, 1] = -torch.inf
    for mask in (bias, hard, large, zero):
        compare(
            lambda impl, mask=mask: impl.scaled_dot_product_attention(q, k, v, mask=mask),
            wrt=[q, k, v],
        )


@pytest.mark.points(2)
def test_forbidden_keys_that_dominate(compare, draw):
    """A forbidden key gets no weight even if its score is 600 above all allowed ones."""
    allowed = draw.booleans(4, 6)
    allowed[:, 1], allowed[:, 3] = True, False
    pattern = torch.where(allowed, -300.0, 300.0) * 4  # the width is 16, so scores are +-300
    q = torch.cat([pattern, draw.normal(4, 10, scale=2.0)], dim=-1)
    k = torch.cat([torch.eye(6, device=q.device), draw.normal(6, 10, scale=2.0)], dim=-1)
    v = draw.normal(6, 7)
    bias = torch.zeros_like(pattern[:, :6]).masked_fill(~allowed, -torch.inf)
    for mask in (allowed, bias):
        compare(
            lambda impl, mask=mask: impl.scaled_dot_product_attention(q, k, v, mask=mask),
            wrt=[q, k, v],
        )


def test_large_scores(compare, draw):
    """Rows of scores near 400, near -400 and near 0, side by side, all come out finite and exact."""
    q, k, v = draw.normal(2, 3, 4), draw.normal(2, 5, 4), draw.normal(2, 5, 7)
    q[..., 0] = torch.tensor([400.0, -400.0, 0.0], device=q.device)
    k[..., 0] = 2.0
    compare(lambda impl: impl.scaled_dot_product_attention(q, k, v), wrt=[q, k, v])


@pytest.mark.points(2)
def test_causal(compare, draw):
    """With is_causal, position i attends to the keys 0 to i and to none after it."""
    for shape in ((2, 5), (5,), (2, 3, 6)):
        q, k, v = draw.normal(*shape, 4), draw.normal(*shape, 4), draw.normal(*shape, 7)
        compare(
            lambda impl, q=q, k=k, v=v: impl.scaled_dot_product_attention(q, k, v, is_causal=True),
            wrt=[q, k, v],
        )


def test_future_keys_that_dominate(compare, draw):
    """With is_causal, a later key gets no weight even if its score is far above all earlier ones."""
    q, k, v = draw.normal(2, 5, 4), draw.normal(2, 5, 4), draw.normal(2, 5, 7)
    q[..., 0] = 2.0
    k[..., 0] = torch.linspace(-400.0, 60.0, 5, device=k.device)
    compare(
        lambda impl: impl.scaled_dot_product_attention(q, k, v, is_causal=True), wrt=[q, k, v]
    )


@pytest.mark.points(2)
def test_causal_together_with_a_mask(compare, draw):
    """With is_causal and a mask, a key must be allowed by both; additive masks still shift."""
    q, k, v = draw.normal(2, 3, 5, 4), draw.normal(2, 3, 5, 4), draw.normal(2, 3, 5, 7)
    for shape in ((5, 5), (2, 1, 1, 5), (2, 3, 5, 5)):
        mask = draw.booleans(*shape)
        mask[..., 0], mask[..., 1], mask[..., 2] = True, False, True
        bias = torch.zeros(shape, device=mask.device).masked_fill(~mask, -torch.inf)
        bias = bias + draw.normal(*shape)
        for given in (mask, bias):
            compare(
                lambda impl, given=given: impl.scaled_dot_product_attention(
                    q, k, v, mask=given, is_causal=True
                ),
                wrt=[q, k, v],
            )


def test_keeps_the_dtype(compare, draw):
    """float64 and bfloat16 in give the same out, with and without masks."""
    for dtype in (torch.float64, torch.bfloat16):
        q, k = draw.normal(2, 5, 4, dtype=dtype), draw.normal(2, 5, 4, dtype=dtype)
        v, bias = draw.normal(2, 5, 7, dtype=dtype), draw.normal(5, 5, dtype=dtype)
        mask = draw.booleans(5, 5)
        mask[:, 0] = True
        for given in (None, mask, bias):
            for is_causal in (False, True):
                compare(
                    lambda impl, q=q, k=k, v=v, given=given, is_causal=is_causal: (
                        impl.scaled_dot_product_attention(q, k, v, given, is_causal=is_causal)
                    )
                )


def test_works_where_its_inputs_are(compare, draw):
    """What you make yourself, the causal mask for one, is made on the device of the inputs."""
    q, k = draw.normal(2, 5, 4).to("meta"), draw.normal(2, 5, 4).to("meta")
    v = draw.normal(2, 5, 7).to("meta")
    compare(lambda impl: impl.scaled_dot_product_attention(q, k, v, is_causal=True))


def test_any_layout(compare, draw):
    """Transposed, sliced and expanded inputs work like contiguous ones."""
    q = draw.normal(2, 5, 3, 4).transpose(1, 2)
    k = draw.normal(2, 3, 4, 6).transpose(-2, -1)
    v = draw.normal(2, 1, 6, 14)[..., ::2].expand(2, 3, 6, 7)
    compare(lambda impl: impl.scaled_dot_product_attention(q, k, v), wrt=[q, k, v])
    mask = draw.booleans(2, 1, 6, 5).transpose(-2, -1).expand(2, 3, 5, 6) | torch.eye(
        5, 6, dtype=torch.bool, device=q.device
    )
    compare(lambda impl: impl.scaled_dot_product_attention(q, k, v, mask))


def test_leaves_its_inputs_alone(compare, draw):
    """q, k, v and the mask are the same after the call as before it."""
    q, k, v = draw.normal(2, 5, 4), draw.normal(2, 5, 4), draw.normal(2, 5, 7)
    mask = draw.booleans(5, 5)
    mask[:, 0] = True
    mask[0, 3] = True
    for given in (None, mask, draw.normal(5, 5)):
        compare(
            lambda impl, given=given: impl.scaled_dot_product_attention(
                q, k, v, given, is_causal=True
            )
        )


P = 0.25


def _dropped(draw, submission, p=P):
    """One training call whose first columns show the dropped weights, and what it should be.

    The values are [I | random]: ``out[..., :Tk]`` are the very weights the values met.
    """
    q, k = draw.normal(2, 3, 24, 4), draw.normal(2, 3, 29, 4)
    v = torch.cat([torch.eye(29).expand(2, 3, 29, 29), torch.randn_like(k)], dim=-1)
    return q, k, v
