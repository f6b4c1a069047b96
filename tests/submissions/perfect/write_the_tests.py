"""Write the tests: programs that tell right functions from wrong ones.

Idea
----

Every page before this one was graded by tests that somebody else had written. Here you write them.
A *test* is a program that calls a function and looks at what comes back. If it finds a fault it
raises an ``AssertionError``. If it finds none it returns nothing.

A good test does two things. It *rejects* every wrong function, and it *accepts* every right one.
The second is easily forgotten. A function can be written in many ways: one person fills in -inf,
another -1e9, and both are right. A test that demands one of these ways is itself wrong.

How good is a test? One can measure it: hand it many wrong functions and count how many it rejects.
Each of them is a right function with one small mistake in it. This is called *mutation testing*.

[Figure sieve: functions come in on the left, right ones as circles and wrong ones as crosses. The
test stands in the middle. A good test lets all circles through and none of the crosses. A test
that is too loose lets crosses through, and one that is too strict keeps circles back.]

Formula
-------

A function f is compared with a truth t, on inputs x:

    largest |f(x) - t(x)| <= tolerance * (1 + largest |t(x)|)

    c is random, of the shape of f(x)
    gradient of f = d sum(c * f(x)) / dx, compared with that of t in the same way

t is computed in float64, where rounding is far below the tolerance. c is called the *cotangent*: it
says how much each number of the result counts.

Worked example
--------------

A first test of a softmax, as one would write it:

>>> def first_test(softmax):
...     x = torch.ones(3, 3)
...     assert torch.allclose(softmax(x).sum(-1), torch.ones(3))

Here are two wrong functions. The test accepts both:

>>> first_test(softmax_over_the_rows)
>>> first_test(softmax_without_maximum)

``softmax_over_the_rows`` always works along the first axis. But the matrix is square, and all its
numbers are equal, so no axis differs from any other. ``softmax_without_maximum`` is right for small
scores, and the test has no large ones. A second test has sizes that differ, numbers that differ,
and large numbers:

>>> def second_test(softmax):
...     x = 100 * drawn(2, 3, 5)
...     wanted = torch.softmax(x.double(), -1)
...     assert (softmax(x).double() - wanted).abs().max() < 1e-5

>>> rejects(second_test, softmax_over_the_rows), rejects(second_test, softmax_without_maximum)
(True, True)
>>> rejects(second_test, lambda x: torch.softmax(x, -1))
False
>>> rejects(second_test, lambda x: "weights")
Traceback (most recent call last):
    ...
AttributeError: 'str' object has no attribute 'double'

The last function returns no tensor at all, and the test ends with an exception that says so by
accident. A test shall say it itself, by an ``AssertionError``: first ask ``isinstance(y, Tensor)``.

Now the gradient. The sum of a row of weights is always 1, so it does not depend on the scores at
all. Its gradient is zero for every softmax, right or wrong:

>>> x = drawn(2, 3).requires_grad_()
>>> torch.softmax(x, -1).sum().backward()
>>> bool(x.grad.abs().max() < 1e-6)
True

With a random cotangent c, (c * y).sum(), each number counts differently, and nothing cancels.

What is graded
--------------

Five functions, in the order of this file. Each is handed a function and tests it. Graded is what
your test rejects and what it accepts:

- Wrong functions. Five of them stand on this page: ``WRONG`` lists them. Many more are hidden, and
  you are told which kind of mistake lives on, and how many of that kind, but never which. Each kind
  counts by itself, so half of the kinds earn about half of the points.
- Right functions, in many styles. While your test rejects a single one of them, it earns no points
  at all, whatever else it finds.
- A test raises ``AssertionError`` and nothing else, or returns None. Wrong functions may raise
  exceptions of their own, return None, or return a tensor of a shape that nobody expects: a test
  says ``AssertionError`` there too.
- It gives the same answer every time: a function that is tested twice is rejected twice, or
  accepted twice. Draw from a ``torch.Generator`` of your own, as ``drawn`` does. torch's own random
  numbers are not to be seeded (``torch.manual_seed``).
- It calls the function at most 50 times, with tensors on the CPU. They have at most five axes, with
  at most 32 numbers along the last two and at most 8 along the others; whole numbers are at most
  512. Small inputs show a mistake as well as large ones.

The function is *opaque*. You can call it, and you can go backward through what it returns. But it
has no name and no source, and all of it is computed somewhere else. Positions and names of
arguments are as in the exercises. Gradients are there once: a gradient of a gradient cannot be
asked for.

All of torch is welcome as the truth: ``torch.softmax``, ``F.layer_norm`` and the rest.

These kinds of mistakes are among the hidden ones:

- axes: another axis, sizes that are confused, too few or too many axes
- values: another formula, a factor or a sign
- scale: a wrong factor on the scores
- extremes: scores that overflow, rows far from zero, a small eps that is forgotten
- masks: the wrong keys, at the wrong place, or only together with another option
- options: an argument that is ignored, or that switches off another one
- dropout: too much, too little, rescaled wrongly, or not at random
- gradient: a result that has left the graph, or a part of it
- dtype: float64 or bfloat16 that comes back as something else, or not at all
- calls: a function that remembers an earlier call, or changes its inputs

Why it is like this
-------------------

Why sizes that differ? If queries, keys and widths are all 4, sqrt(d_k) is sqrt(T_k), and a
transposed matrix has the right shape. Take 2, 3, 5, 7. But once, let them be equal: some functions
guess from sizes, and guess wrong only where two of them coincide.

Why a tolerance with a reason? Two right functions add up in another order, and so they round
differently. float32 has 24 bits, which is 6e-8 of a number, and a sum of ten products has a few of
these errors. So 2e-5 is wide enough for any right function, and a hundred times smaller than
most mistakes. bfloat16 has 8 bits, 4e-3 of a number: 2e-2 or 5e-2 is right there. With 1e-9, or with
``torch.equal``, right functions are rejected; with 0.5 wrong ones live on. If a mistake is too small
to be seen, make the mistake larger, and not the tolerance smaller: an eps of 1e-5 is hidden in a
row of variance 1, but not in a row of variance 1e-5. For float64 take the tolerance of float32,
since a function may compute in float32 inside.

Why more than once? Some functions remember what they saw. Call them again with other numbers of
the same shape, and they answer with the old ones. And compare the inputs before and after: a
function that writes into them is wrong, although its result is right.

Why the truth from somewhere else? A test that compares f(x) with f(x) finds nothing, whatever f is.

Look further
------------

DeMillo, Lipton, Sayward 1978, "Hints on Test Data Selection: Help for the Practicing Programmer":
where the idea of counting rejected mistakes comes from.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor

# Given: a tool or two, and wrong functions to try your tests with ---------------------------------


def drawn(*sizes: int, seed: int = 0, dtype: torch.dtype = torch.float32) -> Tensor:
    """Random numbers of mean 0 and variance 1, the same ones for the same arguments.

    >>> torch.equal(drawn(2, 3, seed=5), drawn(2, 3, seed=5))
    True
    """
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(sizes, generator=generator, dtype=torch.float64).to(dtype)


def rejects(
    check: Callable[[Callable[..., object]], None], function: Callable[..., object]
) -> bool:
    """Whether a test finds a fault with a function.

    >>> rejects(lambda function: None, torch.softmax)
    False
    """
    try:
        check(function)
    except AssertionError:
        return True
    return False


def mask_of_the_future(q_len: int, k_len: int | None = None) -> Tensor:
    """A wrong causal mask: every token sees itself and its future."""
    k_len = q_len if k_len is None else k_len
    return torch.ones(q_len, k_len, dtype=torch.bool).triu(k_len - q_len)


def softmax_over_the_rows(x: Tensor, dim: int = -1) -> Tensor:
    """A wrong softmax: it always works along the first axis."""
    return torch.softmax(x, 0)


def softmax_without_maximum(x: Tensor, dim: int = -1) -> Tensor:
    """A wrong softmax: exp overflows for scores above 88."""
    return x.exp() / x.exp().sum(dim, keepdim=True)


def norm_without_eps(x: Tensor, weight: Tensor, bias: Tensor | None, eps: float) -> Tensor:
    """A wrong layer norm: eps is forgotten."""
    return F.layer_norm(x, x.shape[-1:], weight, bias, eps=0.0)


def attention_without_scale(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    mask: Tensor | None = None,
    *,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    training: bool = False,
) -> tuple[Tensor, Tensor]:
    """A wrong attention: the scores are not divided by sqrt(d_k)."""
    scores = q @ k.mT * (1.0 if scale is None else scale)
    if is_causal:
        past = torch.ones(scores.shape[-2:], dtype=torch.bool).tril()
        scores = scores.masked_fill(~past, -torch.inf)
    if mask is not None:
        boolean = mask.dtype == torch.bool
        scores = scores.masked_fill(~mask, -torch.inf) if boolean else scores + mask
    weights = scores.softmax(-1)
    return torch.dropout(weights, dropout_p, training) @ v, weights


def heads_without_a_bias(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    w_q: Tensor,
    w_k: Tensor,
    w_v: Tensor,
    w_o: Tensor,
    num_heads: int,
    b_q: Tensor | None = None,
    b_k: Tensor | None = None,
    b_v: Tensor | None = None,
    b_o: Tensor | None = None,
    mask: Tensor | None = None,
    is_causal: bool = False,
) -> Tensor:
    """A wrong multi-head attention: b_o is never added."""
    q, k, v = (
        F.linear(x, w, b).unflatten(-1, (num_heads, -1)).transpose(1, 2)
        for x, w, b in ((query, w_q, b_q), (key, w_k, b_k), (value, w_v, b_v))
    )
    scores = q @ k.mT / math.sqrt(q.shape[-1])
    if is_causal:
        past = torch.ones(scores.shape[-2:], dtype=torch.bool).tril()
        scores = scores.masked_fill(~past, -torch.inf)
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    return F.linear((scores.softmax(-1) @ v).transpose(1, 2).flatten(2), w_o)


WRONG = {
    "check_causal_mask": [mask_of_the_future],
    "check_softmax": [softmax_over_the_rows, softmax_without_maximum],
    "check_layer_norm": [norm_without_eps],
    "check_attention": [attention_without_scale],
    "check_multi_head_attention": [heads_without_a_bias],
}


# Yours --------------------------------------------------------------------------------------------


def check_causal_mask(causal_mask: Callable[..., Tensor]) -> None:
    """Test a causal mask, ``causal_mask(q_len, k_len=None)``.

    It is a bool tensor of shape (q_len, k_len), and True where query i may attend to key j, which
    is j <= i + k_len - q_len. None for ``k_len``, or left out, means ``q_len``. ``k_len`` is at
    least ``q_len``, and 1 is the smallest size. On which device the mask is made is not tested.

    Raises:
        AssertionError: the mask is wrong.

    Source: the page ``masks``.

    >>> rejects(check_causal_mask, mask_of_the_future)
    True
    """
    for sizes in [(5,), (3,), (3, 7), (3, 9), (4, 4), (1,), (1, 6), (6, None), (300,)]:
        mask = _called(causal_mask, *sizes)
        rows, columns = sizes[0], sizes[-1] or sizes[0]
        wanted = torch.arange(columns) <= torch.arange(rows)[:, None] + columns - rows
        assert isinstance(mask, Tensor) and mask.dtype == torch.bool, "a mask is a bool tensor"
        assert torch.equal(mask, wanted), f"wrong for {sizes}"


def _called(function: Callable[..., object], *args: object, **options: object) -> object:
    """What a function returns; whatever it raises is a fault of the function's."""
    try:
        return function(*args, **options)
    except Exception as error:
        raise AssertionError(f"it raises {error!r}") from error


def check_softmax(softmax: Callable[..., Tensor]) -> None:
    """Test a softmax, ``softmax(x, dim=-1)``.

    It is exp(x) divided by its sum along ``dim``, for tensors of one or more axes and any layout
    (a transposed view, for example). Scores of any size come out finite, and rows may lie far
    apart. A score of -inf gets the weight 0, as long as another along ``dim`` is finite. The result
    has the dtype of x, which is float32, float64 or bfloat16. Gradients flow back to x, which stays
    as it was, and no call remembers an earlier one.

    Raises:
        AssertionError: the softmax is wrong.

    Source: the page ``softmax``.

    >>> [rejects(check_softmax, wrong) for wrong in WRONG["check_softmax"]]
    [True, True]
    """
    for seed, dtype in enumerate([torch.float32, torch.float64, torch.bfloat16]):
        for dim in (0, 1, -1):
            _compare(softmax, torch.softmax, [drawn(3, 2, 5, seed=seed, dtype=dtype)], dim=dim)
    rows = 1000 * torch.tensor([[-1.0], [0.0], [1.0]])  # far apart
    hidden = drawn(3, 4).masked_fill(torch.eye(3, 4) > 0, -torch.inf)
    cases = [drawn(4, 3).T, drawn(7), drawn(3, 3), 300 * drawn(3, 4), rows + drawn(3, 4), hidden]
    for x in [*cases, drawn(2, 3, 2, 5)]:
        _compare(softmax, lambda x: torch.softmax(x, -1), [x])


def _compare(
    function: Callable[..., object],
    truth: Callable[..., object],
    inputs: list[Tensor | None],
    **options: object,
) -> None:
    """Values, gradients, dtypes, and inputs that stay as they were."""
    given = [_leaf(x, x.dtype) if x is not None else None for x in inputs]
    exact = [_leaf(x, torch.float64) if x is not None else None for x in inputs]
    results = _called(function, *given, **options)
    truths = truth(*exact, **options)
    if not isinstance(truths, tuple):
        results, truths = (results,), (truths,)
    assert isinstance(results, tuple | list), "it returns no pair"
    assert len(results) == len(truths), "it returns something else"
    for result, wanted in zip(results, truths, strict=True):
        assert isinstance(result, Tensor), "it returns no tensor"
        assert result.dtype == inputs[0].dtype, "its dtype is another one"
        assert result.requires_grad, "it has left the graph"
        _close(result, wanted, inputs[0].dtype)
        weights = drawn(*wanted.shape, seed=1)
        _called((result * weights).sum().backward, retain_graph=True)
        (wanted * weights).sum().backward(retain_graph=True)
    for x, leaf, other in zip(inputs, given, exact, strict=True):
        assert x is None or torch.equal(leaf, x), "it changes its inputs"
        if x is not None and other.grad is not None:
            found = torch.zeros_like(x) if leaf.grad is None else leaf.grad
            _close(found, other.grad, inputs[0].dtype)


def _leaf(x: Tensor, dtype: torch.dtype) -> Tensor:
    """A copy of its own; a transposed one stays transposed, and a mask a mask."""
    copy = x.detach().clone()
    return copy.to(dtype).requires_grad_() if x.is_floating_point() else copy


def _close(actual: Tensor, wanted: Tensor, dtype: torch.dtype) -> None:
    """float64 may be computed in float32 inside; bfloat16 has 8 bits."""
    assert actual.shape == wanted.shape, f"{tuple(actual.shape)}, not {tuple(wanted.shape)}"
    tolerance = 3e-2 if dtype == torch.bfloat16 else 2e-5
    far = (actual.double() - wanted).abs().max() / (1 + wanted.abs().max())
    assert bool(far <= tolerance), "other values"


def check_layer_norm(layer_norm: Callable[..., Tensor]) -> None:
    """Test a layer norm, ``layer_norm(x, weight, bias, eps)``.

    y = (x - mean(x)) / sqrt(var(x) + eps) * weight + bias, over the last axis, of any number of
    axes; the variance is divided by d, not by d - 1. ``bias`` may be None. Rows far from zero
    (mean 1000, variance 1) come out as accurately as float32 can hold such rows. A row of equal
    numbers becomes ``bias``, and its gradient is finite. The result has the dtype of x (float32,
    float64 or bfloat16); ``weight`` and ``bias`` may be float32 where x is bfloat16. Gradients flow
    back to x, weight and bias, and the inputs stay as they were.

    Raises:
        AssertionError: the norm is wrong.

    Source: the page ``layer_norm``.

    >>> rejects(check_layer_norm, norm_without_eps)
    True
    """
    for seed, dtype in enumerate([torch.float32, torch.float64, torch.bfloat16]):
        x, weight, bias = (drawn(*s, seed=seed, dtype=dtype) for s in ((2, 3, 5), (5,), (5,)))
        _compare(lambda *some: layer_norm(*some, 0.1), _norm(0.1), [x, weight, bias])
    weight, bias = drawn(4, seed=1), drawn(4, seed=2)
    cases = [(drawn(3, 4), 0.0), (drawn(4), 1e-2), (drawn(4, 4), 1e-2), (drawn(2, 3, 2, 4), 1e-2)]
    cases += [(1e-3 * drawn(3, 4), 1e-5), (1e-4 * drawn(3, 4), 1e-9), (1e6 * drawn(3, 4), 1e-5)]
    cases += [(torch.ones(3, 4), 1e-5), (drawn(4, 3).T, 0.1), (drawn(2, 1, 4), 0.1)]
    cases += [(drawn(3, 2, 4).transpose(0, 1), 0.1)]
    for x, eps in cases:
        _compare(lambda *some: layer_norm(*some, eps), _norm(eps), [x, weight, bias])
        _compare(lambda x, w: layer_norm(x, w, None, eps), _norm(eps), [x, weight])
    far = 1000 + drawn(3, 4)
    result = _called(layer_norm, far, weight, bias, 1e-5)
    _close(result, _norm(1e-5)(far.double(), weight.double(), bias.double()), torch.bfloat16)
    half = (100 + 2 * drawn(3, 4)).bfloat16()
    _compare(
        lambda *some: layer_norm(*some, 0.1), _norm(0.1), [drawn(3, 4).bfloat16(), weight, bias]
    )
    wanted = _norm(1e-5)(half.double(), weight.double(), bias.double())
    _close(_called(layer_norm, half, weight, bias, 1e-5), wanted, torch.bfloat16)


def _norm(eps: float) -> Callable[..., Tensor]:
    """torch's own layer norm."""
    return lambda x, weight, bias=None: F.layer_norm(x, x.shape[-1:], weight, bias, eps)


def check_attention(attention: Callable[..., tuple[Tensor, Tensor]]) -> None:
    """Test scaled dot-product attention.

    ``attention(q, k, v, mask=None, *, dropout_p=0.0, is_causal=False, scale=None, training=False)``
    returns ``(out, weights)``, a tuple or a list, as on the page ``attention``:

    weights = softmax(scale * q @ k^T + mask),  out = weights @ v

    Any number of axes in front, or none. ``scale`` is 1 / sqrt(d_k) unless it is given. 0.0 is a
    factor like any other, but not to be tested together with a mask or ``is_causal``, for -inf * 0
    is NaN. A boolean mask is True where a query may attend, a mask of floats is added to the scaled
    scores, and both are broadcast to (..., Tq, Tk). With ``is_causal`` (for Tq = Tk) position i
    attends to 0 ... i only, and a mask must allow it too. Forbidden keys get no weight, however
    large their scores. While ``training``, each weight by itself is set to 0 with the probability
    ``dropout_p``, and divided by 1 - dropout_p otherwise, afresh in each call; the weights returned
    are those before. No option changes what another one means. Dtypes, gradients (to a mask of
    floats as well), inputs and calls: as for ``check_softmax``.

    A query that may attend to no key is not to be tested: NaN and zeros are both right there.

    Raises:
        AssertionError: the attention is wrong.

    Source: the page ``attention``.

    >>> rejects(check_attention, attention_without_scale)
    True
    """
    for dtype in (torch.float32, torch.float64, torch.bfloat16):
        inputs = _queries(2, sizes=(5, 5, 7, 4), dtype=dtype)
        _compare(attention, _attended, [*inputs, drawn(5, 5, dtype=dtype)], is_causal=True)
        _compare(attention, _attended, [*inputs, _keys(5, 5)])
    fronts = [(), (2, 3), (2, 1, 2)]
    for front in fronts:
        q, k, v = _queries(*front, sizes=(3, 5, 7, 4))
        _compare(attention, _attended, [q, k, v])
        turned = [x.transpose(0, -1).contiguous().transpose(0, -1) for x in (300 * q, k, v)]
        _compare(attention, _attended, turned, scale=0.9)
    for sizes in [(1, 1, 2, 3), (5, 2, 12, 12)]:
        _compare(attention, _attended, _queries(1, sizes=sizes))
    _compare(attention, _attended, _queries(2, sizes=(4, 4, 3, 2)), scale=0.0)
    q, k, v = _queries(2, 3, sizes=(4, 4, 7, 5))
    masks = [_keys(4, 4), _keys(2, 1, 4, 4, seed=1), drawn(4, 4), _keys(4), _keys(3, 1, 4)]
    options = [{"scale": 0.7}, {"is_causal": True, "scale": 1.7}, {"is_causal": True}]
    options += [{"training": True}, {"dropout_p": 0.4}]
    for number, mask in enumerate([*masks, _keys(2, 3, 4, 4), drawn(2, 3, 4, 4)]):
        for chosen in (options[number % 5], options[(number + 2) % 5]):
            _compare(attention, _attended, [30 * q, k, v, mask], **chosen)
    _compare(attention, _attended, [*_queries(4, sizes=(4, 4, 4, 4)), _keys(4, 4)])
    _compare(attention, _attended, [*_queries(4, 4, sizes=(4, 4, 4, 4)), _keys(4, 4)])
    for chosen in ({}, {"is_causal": True}, {"mask": _keys(31, 31)}, {"scale": 0.0}):
        _drops(attention, 0.8, 2, 2, **chosen)
    _drops(attention, 0.1, 3, is_causal=True, mask=drawn(31, 31), scale=0.3)


def _queries(
    *front: int, sizes: tuple[int, ...], dtype: torch.dtype = torch.float32
) -> list[Tensor]:
    """Queries, keys and values: of (Tq, Tk, d_k, d_v) as ``sizes``."""
    queries, keys, width, value_width = sizes
    shapes = ((queries, width), (keys, width), (keys, value_width))
    return [drawn(*front, *s, seed=seed, dtype=dtype) for seed, s in enumerate(shapes)]


def _keys(*sizes: int, seed: int = 0) -> Tensor:
    """A mask that hides about half of the keys; the first one is always seen."""
    mask = drawn(*sizes, seed=seed) > 0
    mask[..., 0] = True
    return mask


def _attended(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    mask: Tensor | None = None,
    is_causal: bool = False,
    scale: float | None = None,
    **_: object,
) -> tuple[Tensor, Tensor]:
    """The truth, without dropout."""
    scores = q @ k.mT * (1 / math.sqrt(q.shape[-1]) if scale is None else scale)
    if is_causal:
        scores = scores + torch.full(scores.shape[-2:], -torch.inf).triu(1)
    if mask is not None and mask.dtype == torch.bool:
        mask = torch.zeros(mask.shape).masked_fill(~mask, -torch.inf)
    weights = (scores if mask is None else scores + mask).softmax(-1)
    return weights @ v, weights


def _drops(attention: Callable[..., object], p: float, *front: int, **options: object) -> None:
    """Dropout falls on each weight by itself. The values are unit vectors, which show the weights,
    and a column of ones, which shows their sum."""
    q, k, _ = _queries(*front, sizes=(31, 31, 8, 32))
    q.requires_grad_()
    v = torch.cat([torch.eye(31), torch.ones(31, 1)], dim=-1).expand(*front, 31, 32)
    wanted = _attended(q, k, v, **options)[1]
    allowed = wanted.expand(2, *wanted.shape) > 1e-9
    drops = []
    for _ in range(2):
        found = _called(attention, q, k, v, dropout_p=p, training=True, **options)
        assert isinstance(found, tuple | list) and len(found) == 2, "it returns no pair"
        out, weights = found
        assert isinstance(out, Tensor) and isinstance(weights, Tensor), "it returns no tensors"
        _close(weights, wanted.double(), torch.float32)
        drops.append(out[..., :31] != 0)
        exact = (wanted * drops[-1] / (1 - p)) @ v
        _close(out, exact.double(), torch.float32)
        found, true = (_gradient(y, q) for y in (out, exact))
        _close(found, true.double(), torch.float32)
    kept = torch.stack(drops)
    assert abs(float(kept[allowed].double().mean()) - (1 - p)) < 0.03, "another share is dropped"
    for axis in range(kept.ndim):
        seen = allowed & allowed.roll(1, axis)
        alike = (kept == kept.roll(1, axis))[seen].double().mean()
        assert abs(float(alike) - (p * p + (1 - p) ** 2)) < 0.1, "weights are dropped together"


def _gradient(y: Tensor, x: Tensor) -> Tensor:
    """That of x, for a random cotangent."""
    assert y.requires_grad, "it has left the graph"
    x.grad = None
    _called((y * drawn(*y.shape, seed=1)).sum().backward, retain_graph=True)
    assert x.grad is not None, "an input has no gradient"
    return x.grad


def check_multi_head_attention(multi_head_attention: Callable[..., Tensor]) -> None:
    """Test multi-head attention.

    ``multi_head_attention(query, key, value, w_q, w_k, w_v, w_o, num_heads, b_q=None, b_k=None,
    b_v=None, b_o=None, mask=None, is_causal=False)`` returns the result alone, (B, Tq, d_out), as
    on the page ``multi_head_attention``. query, key and value have three axes. All widths may
    differ, and so may the lengths Tq and Tk. Each bias may be None whatever the others are. A
    boolean mask, True = may attend, has two axes, (Tq, Tk), or four, (B, H, Tq, Tk), each of which
    may have size 1. Everything else is as for ``check_attention``, but there is no dropout.

    The gradient of b_k is zero, for b_k adds the same number to all scores of a query. So a right
    function may use b_k or leave it out: then its gradient is None.

    Raises:
        AssertionError: the attention is wrong.

    Source: the page ``multi_head_attention``.

    >>> rejects(check_multi_head_attention, heads_without_a_bias)
    True
    """
    for dtype in (torch.float32, torch.float64, torch.bfloat16):
        _compare_heads(multi_head_attention, dtype=dtype)
    for biases in ("", "qvo", "k", "q", "v", "o"):
        _compare_heads(multi_head_attention, biases=biases, grown=60)
    for mask in (_keys(3, 5), _keys(2, 1, 1, 5), _keys(2, 2, 3, 5), _keys(2, 2, 3, 5, seed=1)):
        _compare_heads(multi_head_attention, mask=mask, grown=60)
    for mask in (None, _keys(4, 4), _keys(2, 3, 4, 4)):
        sizes = {"heads": 3, "lengths": (2, 4, 4), "mask": mask, "is_causal": True}
        _compare_heads(multi_head_attention, **sizes)
    for heads in (1, 3):
        _compare_heads(multi_head_attention, heads=heads, lengths=(1, 1, heads))
    for mask in (None, _keys(4, 4), _keys(4, 1, 1, 4)):
        equal = {"lengths": (4, 4, 4), "given": (4, 4, 4), "inner": (2, 2, 4)}
        _compare_heads(multi_head_attention, mask=mask, grown=60, **equal)


def _compare_heads(
    function: Callable[..., object],
    *,
    heads: int = 2,
    lengths: tuple[int, int, int] = (2, 3, 5),
    given: tuple[int, int, int] = (7, 9, 8),
    inner: tuple[int, int, int] = (3, 4, 6),
    mask: Tensor | None = None,
    biases: str = "qkvo",
    is_causal: bool = False,
    grown: float = 1,
    dtype: torch.dtype = torch.float32,
) -> None:
    """``lengths`` are B, Tq and Tk, ``given`` the widths of query, key and value, and ``inner``
    those of a head's keys, its values, and the result."""
    batch, queries, keys = lengths
    wide = (inner[0] * heads, inner[0] * heads, inner[1] * heads, inner[2])
    shapes = [(batch, n, w) for n, w in zip((queries, keys, keys), given, strict=True)]
    shapes += list(zip(wide, (*given, wide[2]), strict=True)) + [(n,) for n in wide]
    tensors = [0.5 * drawn(*s, seed=seed, dtype=dtype) for seed, s in enumerate(shapes)]
    tensors[0] = (grown * tensors[0]).mT.contiguous().mT
    chosen = [b if name in biases else None for name, b in zip("qkvo", tensors[7:], strict=True)]

    def ordered(call: Callable[..., object]) -> Callable[..., object]:
        return lambda *some: call(*some[:7], heads, *some[7:], is_causal=is_causal)

    _compare(ordered(function), ordered(_heads), [*tensors[:7], *chosen, mask])


def _heads(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    w_q: Tensor,
    w_k: Tensor,
    w_v: Tensor,
    w_o: Tensor,
    heads: int,
    b_q: Tensor | None,
    b_k: Tensor | None,
    b_v: Tensor | None,
    b_o: Tensor | None,
    mask: Tensor | None,
    is_causal: bool,
) -> Tensor:
    """The truth: one head after another."""
    pairs = ((query, w_q, b_q), (key, w_k, b_k), (value, w_v, b_v))
    parts = zip(*(F.linear(x, w, b).chunk(heads, -1) for x, w, b in pairs), strict=True)
    found = []
    for head, (q, k, v) in enumerate(parts):
        own = mask[:, min(head, mask.shape[1] - 1)] if mask is not None and mask.ndim == 4 else mask
        found.append(_attended(q, k, v, own, is_causal)[0])
    return F.linear(torch.cat(found, -1), w_o, b_o)
