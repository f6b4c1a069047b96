"""Right answers to ``write_the_tests`` that are written differently."""

from __future__ import annotations

import torch
import torch.nn.functional as F
import write_the_tests as page

from grader.check import variant

DTYPES = (torch.float32, torch.float64, torch.bfloat16)


@variant(of="check_causal_mask")
def mask_by_mask_in_loops(causal_mask):
    """Every pair is looked at by itself, and faults are raised, not asserted."""
    for q_len, k_len in [(3, 5), (3, 3), (1, 4), (6, 6), (3, 8), (200, 201)]:
        try:
            mask = causal_mask(q_len, k_len)
            rows = mask.tolist() if mask.dtype is torch.bool else None
        except Exception as error:
            raise AssertionError("no mask") from error
        if rows != [[j <= i + k_len - q_len for j in range(k_len)] for i in range(q_len)]:
            raise AssertionError(f"{q_len} queries, {k_len} keys")
    try:
        left_out, none = causal_mask(4), causal_mask(5, None)
    except Exception as error:
        raise AssertionError("k_len is needed") from error
    for mask, size in ((left_out, 4), (none, 5)):
        if (
            not isinstance(mask, torch.Tensor)
            or mask.tolist() != torch.ones(size, size).tril().eq(1).tolist()
        ):
            raise AssertionError("a square")


@variant(of="check_causal_mask")
def mask_by_testing(causal_mask):
    """torch.testing raises AssertionErrors of its own, also for what is no tensor."""
    for size in (1, 2, 7, 150):
        wanted = torch.ones(size, size + 2).tril(2) > 0
        same(answer(causal_mask, size, size + 2), wanted)
        same(answer(causal_mask, size, size + 3), torch.ones(size, size + 3).tril(3) > 0)
        same(answer(causal_mask, size), wanted[:, 2:])
        same(answer(causal_mask, size, k_len=size), wanted[:, 2:])


def answer(function, *args, **options):
    try:
        found = function(*args, **options)
    except Exception as error:
        raise AssertionError("it cannot be called") from error
    return found


def same(found, wanted, **tolerances):
    assert isinstance(found, torch.Tensor)
    torch.testing.assert_close(found.detach(), wanted, **tolerances)


@variant(of="check_softmax")
def softmax_by_formulas(softmax):
    """Both the weights and their gradient by hand."""
    cases = [(page.noise(2, 5, 3, seed=4, dtype=t), d) for t in DTYPES for d in (-3, 1, 2)]
    cases += [(page.noise(2, 5, 3, seed=5), 1), (page.noise(6), 0), (page.noise(5, 5), 0)]
    cases += [(page.noise(5, 2, seed=1).T, -1), (page.noise(2, 2, 3, 2), 1)]
    far = page.noise(2, 6) + torch.tensor([[800.0], [-800.0]])
    dark = page.noise(2, 6)
    dark[0, 1] = dark[1, 4] = -torch.inf
    cases += [(500 * page.noise(4, 6), 1), (far, 1), (dark, 1)]
    for x, dim in [*cases, (page.noise(3, 4), None)]:
        given = page.leaf_of(x)
        y = answer(softmax, given) if dim is None else answer(softmax, given, dim)
        exact, dim = x.double(), -1 if dim is None else dim
        weights = (exact - exact.amax(dim, keepdim=True)).exp()
        weights = weights / weights.sum(dim, keepdim=True)
        loose = {"atol": 2e-2 if x.dtype is torch.bfloat16 else 3e-5, "rtol": 0.0}
        same(y, weights.to(x.dtype), **loose)
        assert y.requires_grad and torch.equal(given, x)
        c = page.noise(*y.shape, seed=9).to(x.dtype)
        (gradient,) = answer(torch.autograd.grad, (y * c).sum(), given)
        c = c.double()
        wanted = weights * (c - (c * weights).sum(dim, keepdim=True))
        same(gradient, wanted.to(x.dtype), **{**loose, "atol": 3 * loose["atol"]})


@variant(of="check_softmax")
def softmax_with_the_tables_of_the_page(softmax):
    """Whatever goes wrong on the way is a fault of the function's."""
    try:
        page.check_softmax(softmax)
    except Exception as error:
        raise AssertionError("wrong") from error


@variant(of="check_layer_norm")
def norm_against_its_formula(layer_norm):
    """The gradient is compared along one random direction for each input."""
    weight, bias = 1 + page.noise(6, seed=1), page.noise(6, seed=2)
    rows = [(page.noise(5, 6), 0.5), (page.noise(6, 6), 0.2), (page.noise(2, 3, 1, 6), 0.3)]
    rows += [(page.noise(6), 0.5), (page.noise(6, 5).T, 0.5), (torch.ones(4, 6), 1e-5)]
    rows += [
        (1e-3 * page.noise(4, 6), 0.0),
        (1e-4 * page.noise(4, 6), 1e-9),
        (1e5 * page.noise(4, 6), 1e-5),
    ]
    rows += [(page.noise(4, 1, 6), 0.1), (page.noise(3, 4, 6).transpose(0, 1), 0.1)]
    rows += [(page.noise(3, 4, 6, dtype=t), 0.4) for t in DTYPES[1:]]
    for x, eps in rows:
        for shift in (bias, None):
            compare_norm(layer_norm, [x, weight.to(x.dtype), shift], eps)
    flat = answer(layer_norm, torch.full((2, 6), 3.0), weight, bias, 1e-5)
    same(flat, bias.expand(2, 6))
    far = 1000 + page.noise(5, 6)
    wanted = F.layer_norm(far.double(), (6,), weight.double(), bias.double(), 1e-5)
    same(answer(layer_norm, far, weight, bias, 1e-5), wanted.float(), atol=5e-3, rtol=0.0)
    half = (64 + page.noise(5, 6)).bfloat16()
    wanted = F.layer_norm(half.double(), (6,), weight.double(), bias.double(), 1e-5)
    same(answer(layer_norm, half, weight, bias, 1e-5), wanted.bfloat16(), atol=0.05, rtol=0.0)


def compare_norm(layer_norm, inputs, eps):
    given = [None if x is None else page.leaf_of(x) for x in inputs]
    if given[2] is not None and given[0].dtype is torch.bfloat16:
        given[1:] = [page.leaf_of(x.float()) for x in inputs[1:]]
    elif given[2] is not None:
        given[2] = page.leaf_of(inputs[2].to(inputs[0].dtype))
    exact = [None if x is None else page.leaf_of(x.detach(), torch.float64) for x in given]
    y = answer(layer_norm, *given, eps)
    centred = exact[0] - exact[0].mean(-1, keepdim=True)
    wanted = centred / (centred.pow(2).mean(-1, keepdim=True) + eps).sqrt() * exact[1]
    wanted = wanted if exact[2] is None else wanted + exact[2]
    loose = 5e-2 if inputs[0].dtype is torch.bfloat16 else 1e-4
    same(y, wanted.detach().to(inputs[0].dtype), atol=loose, rtol=loose)
    assert y.requires_grad and torch.equal(given[0], inputs[0])
    c = page.noise(*wanted.shape, seed=8)
    (wanted * c).sum().backward()
    answer((y * c).sum().backward)
    for mine, true in zip(given, exact, strict=True):
        if mine is not None:
            size = float(true.grad.abs().max())
            assert mine.grad is not None
            same(mine.grad.double(), true.grad, atol=loose * (size + 1e-9), rtol=loose)


@variant(of="check_attention")
def attention_by_the_tables_turned_round(attention):
    """The page's inputs in another order, and counted dropouts before them."""
    for p, front, options in reversed(page._DROPOUTS):
        page._drops(attention, p, front, options)
    for inputs, options in reversed(page._ATTENTIONS):
        page._compare(attention, page.true_attention, inputs, **options)


@variant(of="check_attention")
def attention_with_its_own_catch(attention):
    """One try around everything, and a second opinion by torch's own attention."""
    try:
        q, k, v = page.queries_keys_values(2, sizes=(3, 6, 5, 4))
        mask = page.some_keys(3, 6)
        out, _ = attention(q, k, v, mask)
        page._close(out, F.scaled_dot_product_attention(q, k, v, mask).double(), q.dtype)
        page.check_attention(attention)
    except Exception as error:
        raise AssertionError(repr(error)) from error


@variant(of="check_multi_head_attention")
def heads_against_torch(multi_head_attention):
    """nn.MultiheadAttention where it has an answer; its masks are the other way round."""
    x = page.noise(2, 4, 6)
    layer = torch.nn.MultiheadAttention(6, 2, batch_first=True)
    w_q, w_k, w_v, w_o = page.noise(4, 6, 6, seed=3).unbind()
    with torch.no_grad():
        layer.in_proj_weight.copy_(torch.cat([w_q, w_k, w_v]))
        layer.in_proj_bias.zero_()
        layer.out_proj.weight.copy_(w_o)
        layer.out_proj.bias.zero_()
        mask = page.some_keys(4, 4)
        wanted, _ = layer(x, x, x, attn_mask=~mask)
    found = answer(multi_head_attention, x, x, x, w_q, w_k, w_v, w_o, 2, mask=mask)
    same(found, wanted, atol=1e-4, rtol=1e-4)
    page.check_multi_head_attention(multi_head_attention)


@variant(of="check_multi_head_attention")
def heads_one_input_after_another(multi_head_attention):
    cases = list(page._HEADS)
    while cases:
        inputs, options = cases.pop()
        page._compare(multi_head_attention, page.true_heads, inputs, **options)
