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

t is computed in float64, where rounding is far below the tolerance. ``true_norm``,
``true_attention`` and ``true_heads`` are given below; for softmax take torch's own. c is called the
*cotangent*: it says how much each number of the result counts.

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
...     x = 100 * noise(2, 3, 5)
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

>>> x = noise(2, 3).requires_grad_()
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
  accepted twice. Draw from a ``torch.Generator`` of your own, as ``noise`` does. torch's own random
  numbers are not to be seeded (``torch.manual_seed``).
- It calls the function at most 50 times, with tensors on the CPU. They have at most five axes, with
  at most 32 numbers along each of the last two and at most 8 along each of the others; whole
  numbers are at most 512. Small inputs show nearly every mistake. Only for a causal mask ask once
  for some hundred positions: small ones do not show how far somebody can count.

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
these errors. So 2e-5 is wide enough for right functions, and a hundred times smaller than most
mistakes. bfloat16 has 8 bits, 4e-3 of a number, and a right function may compute in it from the
first step to the last: 3e-2 is right there. With 1e-9, or with ``torch.equal``, right functions are
rejected; with 0.5 wrong ones live on. If a mistake is too small to be seen, make the mistake
larger, and not the tolerance smaller: an eps of 1e-5 is hidden in a row of variance 1, but not in a
row of variance 1e-5. For float64 take the tolerance of float32, since a function may compute in
float32 inside.

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

# Given: tools -------------------------------------------------------------------------------------


def noise(*sizes: int, seed: int = 0, dtype: torch.dtype = torch.float32) -> Tensor:
    """Random numbers of mean 0 and variance 1, the same ones for the same arguments.

    >>> torch.equal(noise(2, 3, seed=5), noise(2, 3, seed=5))
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


def leaf_of(x: Tensor, dtype: torch.dtype | None = None) -> Tensor:
    """A copy of x of its own, in the same layout, whose gradient can be asked for; a mask of bools
    is only copied.

    >>> leaf_of(torch.ones(2)).requires_grad, leaf_of(torch.ones(2) > 0).requires_grad
    (True, False)
    """
    copy = x.detach().clone()
    return copy.to(dtype or x.dtype).requires_grad_() if x.is_floating_point() else copy


def some_keys(*sizes: int, seed: int = 0) -> Tensor:
    """A mask that hides about half of the keys; the first one is never hidden.

    >>> some_keys(2, 3, seed=1)
    tensor([[ True,  True,  True],
            [ True, False, False]])
    """
    mask = noise(*sizes, seed=seed) > 0
    mask[..., 0] = True
    return mask


def queries_keys_values(
    *front: int, sizes: tuple[int, int, int, int], dtype: torch.dtype = torch.float32
) -> list[Tensor]:
    """Queries, keys and values, with the axes ``front`` before the last two, and (Tq, Tk, d_k, d_v)
    as ``sizes``.

    >>> [tuple(x.shape) for x in queries_keys_values(2, sizes=(3, 5, 7, 4))]
    [(2, 3, 7), (2, 5, 7), (2, 5, 4)]
    """
    queries, keys, width, value_width = sizes
    shapes = ((queries, width), (keys, width), (keys, value_width))
    return [noise(*front, *s, seed=seed, dtype=dtype) for seed, s in enumerate(shapes)]


def inputs_of_heads(
    heads: int = 2,
    lengths: tuple[int, int, int] = (2, 3, 5),
    given: tuple[int, int, int] = (7, 9, 8),
    inner: tuple[int, int, int] = (3, 4, 6),
    biases: str = "qkvo",
    grown: float = 1.0,
    dtype: torch.dtype = torch.float32,
) -> list[Tensor | int | None]:
    """query, key, value, w_q, w_k, w_v, w_o, the number of heads, and the four biases, None for
    those not named. The query is ``grown`` times as large, so that scores become large.

    ``lengths`` are B, Tq and Tk, ``given`` the widths of query, key and value, and ``inner`` those
    of one head's keys, of its values, and of the result.
    """
    batch, queries, keys = lengths
    wide = (inner[0] * heads, inner[0] * heads, inner[1] * heads, inner[2])
    shapes = [(batch, n, w) for n, w in zip((queries, keys, keys), given, strict=True)]
    shapes += list(zip(wide, (*given, wide[2]), strict=True)) + [(n,) for n in wide]
    query, *others = (0.5 * noise(*s, seed=seed, dtype=dtype) for seed, s in enumerate(shapes))
    shifts = (b if name in biases else None for name, b in zip("qkvo", others[6:], strict=True))
    return [grown * query, *others[:6], heads, *shifts]


# Given: the truths --------------------------------------------------------------------------------


def true_norm(x: Tensor, weight: Tensor, bias: Tensor | None, eps: float) -> Tensor:
    """The truth of a layer norm, for float64: torch's own."""
    return F.layer_norm(x, x.shape[-1:], weight, bias, eps)


def true_attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    mask: Tensor | None = None,
    *,
    is_causal: bool = False,
    scale: float | None = None,
    dropout_p: float = 0.0,
    training: bool = False,
) -> tuple[Tensor, Tensor]:
    """The truth of attention without dropout: ``dropout_p`` and ``training`` change nothing."""
    scores = q @ k.mT * (1 / math.sqrt(q.shape[-1]) if scale is None else scale)
    if is_causal:
        scores = scores + torch.full(scores.shape[-2:], -torch.inf).triu(1)
    if mask is not None and mask.dtype == torch.bool:
        mask = torch.zeros(mask.shape).masked_fill(~mask, -torch.inf)
    weights = (scores if mask is None else scores + mask).softmax(-1)
    return weights @ v, weights


def true_heads(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    w_q: Tensor,
    w_k: Tensor,
    w_v: Tensor,
    w_o: Tensor,
    heads: int,
    b_q: Tensor | None = None,
    b_k: Tensor | None = None,
    b_v: Tensor | None = None,
    b_o: Tensor | None = None,
    mask: Tensor | None = None,
    is_causal: bool = False,
) -> Tensor:
    """The truth of multi-head attention: one head after another."""
    pairs = ((query, w_q, b_q), (key, w_k, b_k), (value, w_v, b_v))
    parts = zip(*(F.linear(x, w, b).chunk(heads, -1) for x, w, b in pairs), strict=True)
    found = []
    for head, (q, k, v) in enumerate(parts):
        own = mask[:, min(head, mask.shape[1] - 1)] if mask is not None and mask.ndim == 4 else mask
        found.append(true_attention(q, k, v, own, is_causal=is_causal)[0])
    return F.linear(torch.cat(found, -1), w_o, b_o)


# Given: wrong functions ---------------------------------------------------------------------------


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
    for sizes in _SIZES:
        mask = _called(causal_mask, *sizes)
        rows, columns = sizes[0], sizes[-1] or sizes[0]
        wanted = torch.arange(columns) <= torch.arange(rows)[:, None] + columns - rows
        assert isinstance(mask, Tensor) and mask.dtype == torch.bool, "a mask is a bool tensor"
        assert torch.equal(mask, wanted), f"wrong for {sizes}"


# What a function returns; whatever it raises is a fault of the function's.
def _called(function: Callable[..., object], *args: object, **options: object) -> object:
    try:
        return function(*args, **options)
    except Exception as error:
        raise AssertionError(f"it raises {error!r}") from error


# (q_len,) or (q_len, k_len). Twice 3 queries, for those who remember; 300 are more than 8 bits.
_SIZES = [(5,), (3,), (3, 7), (3, 9), (4, 4), (1,), (1, 6), (6, None), (300,)]
_DTYPES = (torch.float32, torch.float64, torch.bfloat16)


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
    for x, dim in _SCORES:
        _compare(softmax, torch.softmax, [x], dim=dim)
    last = _SCORES[0][0]
    _compare(softmax, lambda x: torch.softmax(x, -1), [last])


# Values, gradients, dtypes, and inputs that stay as they were.
def _compare(
    function: Callable[..., object],
    truth: Callable[..., object],
    inputs: list[Tensor | int | None],
    **options: object,
) -> None:
    given = [leaf_of(x) if isinstance(x, Tensor) else x for x in inputs]
    exact = [leaf_of(x, torch.float64) if isinstance(x, Tensor) else x for x in inputs]
    results = _called(function, *given, **options)
    truths = truth(*exact, **options)
    if not isinstance(truths, tuple):
        results, truths = (results,), (truths,)
    assert isinstance(results, tuple | list) and len(results) == len(truths), "it is no pair"
    for result, wanted in zip(results, truths, strict=True):
        _close(result, wanted, inputs[0].dtype)
        assert result.requires_grad, "it has left the graph"
        weights = noise(*wanted.shape)
        _called((result * weights).sum().backward, retain_graph=True)
        (wanted * weights).sum().backward(retain_graph=True)
    for x, same, other in zip(inputs, given, exact, strict=True):
        if isinstance(x, Tensor):
            assert torch.equal(x, same), "it changes its inputs"
            if other.grad is not None:
                gradient = torch.zeros_like(x) if same.grad is None else same.grad
                _close(gradient, other.grad, x.dtype)


# The same kind, dtype and shape, and the same values up to rounding.
def _close(actual: object, wanted: Tensor, dtype: torch.dtype) -> None:
    assert isinstance(actual, Tensor) and actual.dtype == dtype, f"it is no tensor of {dtype}"
    assert actual.shape == wanted.shape, f"{tuple(actual.shape)}, not {tuple(wanted.shape)}"
    far = (actual - wanted).abs().max() / (1 + wanted.abs().max())
    assert bool(far <= _TOLERANCES[dtype]), "other values"


# float64 may be computed in float32 inside; bfloat16 has 8 bits.
_TOLERANCES = {torch.float32: 2e-5, torch.float64: 2e-5, torch.bfloat16: 3e-2}

_ROWS = 1000 * torch.tensor([[-1.0], [0.0], [1.0]])  # far apart
_HIDDEN = noise(3, 4).masked_fill(torch.eye(3, 4) > 0, -torch.inf)
_SCORES = [(noise(3, 2, 5, dtype=dtype), dim) for dtype in _DTYPES for dim in (0, 1, -1)]
_SCORES += [(noise(3, 2, 5, seed=1), 1), (noise(4, 3).T, 1), (noise(7), 0), (noise(3, 3), 0)]
_SCORES += [(300 * noise(3, 4), 1), (_ROWS + noise(3, 4), 1), (_HIDDEN, 1)]
_SCORES += [(noise(2, 3, 2, 5), 2)]


def check_layer_norm(layer_norm: Callable[..., Tensor]) -> None:
    """Test a layer norm, ``layer_norm(x, weight, bias, eps)``.

    y = (x - mean(x)) / sqrt(var(x) + eps) * weight + bias, over the last axis, of any number of
    axes; the variance is divided by d, not by d - 1. ``eps`` is whatever is given: also 0, or 1e-9
    for rows as small as 1e-4. ``bias`` may be None. Rows far from zero (mean 1000, variance 1) come
    out as accurately as float32 can hold such rows. A row of equal numbers becomes ``bias``, and
    its gradient is finite, if ``eps`` is not 0. The result has the dtype of x (float32, float64 or
    bfloat16); ``weight`` and ``bias`` may be float32 where x is bfloat16. Gradients flow back to x,
    weight and bias, and the inputs stay as they were.

    Raises:
        AssertionError: the norm is wrong.

    Source: the page ``layer_norm``.

    >>> rejects(check_layer_norm, norm_without_eps)
    True
    """
    for inputs, eps in _ROWS_AND_EPS:
        _compare(layer_norm, true_norm, inputs, eps=eps)
    for x in _FAR:
        result = _called(layer_norm, x, _WEIGHT, _BIAS, _EPS)
        wanted = true_norm(x.double(), _WEIGHT.double(), _BIAS.double(), _EPS)
        assert isinstance(result, Tensor) and result.dtype == x.dtype, "its dtype is another one"
        _close(result.bfloat16(), wanted, torch.bfloat16)


_WEIGHT, _BIAS, _EPS = noise(4, seed=1), noise(4, seed=2), 1e-5
_FAR = (1000 + noise(3, 4), (100 + 2 * noise(3, 4)).bfloat16())  # most digits are the mean's
_CASES = [(noise(3, 4), 0.0), (noise(4), 0.1), (noise(4, 4), 0.1), (noise(2, 3, 2, 4), 0.1)]
_CASES += [(1e-4 * noise(3, 4), 1e-9), (1e6 * noise(3, 4), 1e-5), (torch.ones(3, 4), 1e-5)]
_CASES += [(noise(2, 1, 4), 0.1), (noise(3, 2, 4).transpose(0, 1), 0.1)]
_ROWS_AND_EPS = [([x, _WEIGHT, bias], eps) for x, eps in _CASES for bias in (_BIAS, None)]
_ROWS_AND_EPS += [
    ([x.to(dtype) for x in (noise(3, 4), _WEIGHT, _BIAS)], 0.1) for dtype in _DTYPES[1:]
]


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
    for inputs, options in _ATTENTIONS:
        _compare(attention, true_attention, inputs, **options)
    for p, front, options in _DROPOUTS:
        _drops(attention, p, front, options)


# Dropout falls on each weight by itself. The values are unit vectors, which show the weights, and
# a column of ones, which shows their sum.
def _drops(
    attention: Callable[..., object], p: float, front: tuple[int, ...], options: dict[str, object]
) -> None:
    q, k, _ = queries_keys_values(*front, sizes=_SQUARE)
    q.requires_grad_()
    weights = true_attention(q, k, _UNITS, **options)[1]
    kept = []
    for _ in _TWICE:
        found = _called(
            attention, q, k, _UNITS.expand(*front, -1, -1), dropout_p=p, training=True, **options
        )
        assert isinstance(found, tuple | list) and len(found) == 2, "it returns no pair"
        out, before = found
        _close(before, weights, q.dtype)
        shape = (*front, *_UNITS.shape)
        assert isinstance(out, Tensor) and out.shape == shape, "out is no such tensor"
        kept.append(out[..., :-1] != 0)
        wanted = (weights * kept[-1] / (1 - p)) @ _UNITS
        _close(out, wanted, q.dtype)
        _close(_gradient(out, q), _gradient(wanted, q), q.dtype)
    seen = (weights > _NOTHING).expand(len(kept), *weights.shape)
    _at_random(torch.stack(kept), seen, p)


# The share that is kept, and how often neighbours along an axis have the same fate.
def _at_random(kept: Tensor, seen: Tensor, p: float) -> None:
    share = kept[seen].double().mean()
    assert abs(share - (1 - p)) < _SHARE_OFF, "another share is dropped"
    for axis in range(kept.ndim):
        alike = (kept == kept.roll(1, axis))[seen & seen.roll(1, axis)].double().mean()
        assert abs(alike - (p * p + (1 - p) ** 2)) < _ALIKE_OFF, "weights are dropped together"


# That of x, for a random cotangent.
def _gradient(y: Tensor, x: Tensor) -> Tensor | None:
    assert y.requires_grad, "it has left the graph"
    x.grad = None
    _called((y * noise(*y.shape)).sum().backward, retain_graph=True)
    return x.grad


_SQUARE, _UNITS = (31, 31, 8, 32), torch.cat([torch.eye(31), torch.ones(31, 1)], dim=1)
_TWICE, _NOTHING = range(2), 1e-9
_SHARE_OFF, _ALIKE_OFF = 0.03, 0.1  # of 7000 weights: five standard deviations and more
_DROPOUTS = [
    (0.8, (2, 2), {}),
    (0.8, (2, 2), {"is_causal": True}),
    (0.8, (2, 2), {"mask": some_keys(31, 31)}),
    (0.8, (2, 2), {"scale": 0.0}),
    (0.2, (3,), {"is_causal": True, "mask": noise(31, 31), "scale": 0.3}),
]
_PLAIN = [*queries_keys_values(2, sizes=(5, 5, 7, 4)), noise(5, 5)]
_ATTENTIONS = [([x.to(dtype) for x in _PLAIN], {"is_causal": True}) for dtype in _DTYPES]
for _front in [(), (2, 3), (2, 1, 2)]:
    _some = queries_keys_values(*_front, sizes=(3, 5, 7, 4))
    _turned = [
        x.transpose(0, -1).contiguous().transpose(0, -1) for x in (300 * _some[0], *_some[1:])
    ]
    _ATTENTIONS += [(_some, {}), (_turned, {"scale": 0.9})]
_ATTENTIONS += [(queries_keys_values(1, sizes=(1, 1, 2, 3)), {})]
_ATTENTIONS += [(queries_keys_values(2, sizes=(4, 4, 3, 2)), {"scale": 0.0})]
_LARGE, *_OTHERS = queries_keys_values(2, 3, sizes=(4, 4, 7, 5))
_MASKS = [
    (some_keys(4, 4), {"scale": 0.7}),
    (some_keys(4, 4, seed=1), {"is_causal": True, "scale": 1.7}),
    (some_keys(2, 1, 4, 4), {"is_causal": True}),
    (some_keys(3, 1, 4), {"training": True}),
    (some_keys(2, 3, 4, 4), {"dropout_p": 0.4}),
    (noise(4, 4), {"scale": 0.7}),
    (noise(4, 4, seed=1), {"is_causal": True, "training": True}),
]
_ATTENTIONS += [([30 * _LARGE, *_OTHERS, mask], options) for mask, options in _MASKS]
_EQUAL = queries_keys_values(4, 4, sizes=(4, 4, 4, 4))
for _mask in (some_keys(4, 4), some_keys(4)):
    _ATTENTIONS += [([*_EQUAL, _mask], {}), ([*(x[0] for x in _EQUAL), _mask], {})]


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
    for inputs, options in _HEADS:
        _compare(multi_head_attention, true_heads, inputs, **options)


_PLACES = (some_keys(3, 5), some_keys(2, 1, 1, 5), some_keys(2, 2, 3, 5), some_keys(3, 5, seed=1))
_HEADS = [(inputs_of_heads(dtype=dtype), {}) for dtype in _DTYPES[1:]]
_HEADS += [(inputs_of_heads(biases=some), {}) for some in ("", "qvo", "k", "q", "v", "o")]
_HEADS += [([*inputs_of_heads(grown=60), mask], {}) for mask in _PLACES]
_HEADS += [(inputs_of_heads(heads, (1, 1, heads)), {}) for heads in (1, 3)]
_SAME = inputs_of_heads(2, (4, 4, 4), (4, 4, 4), (2, 2, 4))
_HEADS += [([*_SAME, mask], {}) for mask in (some_keys(4, 4), some_keys(4, 1, 1, 4))]
_QUERY, *_KEPT = inputs_of_heads(3, (2, 4, 4), grown=60)
_HEADS += [
    ([_QUERY.mT.contiguous().mT, *_KEPT, mask], {"is_causal": True})
    for mask in (None, some_keys(4, 4), some_keys(2, 3, 4, 4))
]
