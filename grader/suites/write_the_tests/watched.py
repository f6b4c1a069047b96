"""A function under test of which is noted how it was called last, and what it raised."""

from __future__ import annotations

import inspect

import torch

from grader.check import UnderTest, kind_name, printable

DTYPES = (torch.float32, torch.float64, torch.bfloat16)
LONGEST_CALL = 300  # letters


class Watched(UnderTest):
    """Afterwards ``failed`` holds the exception that the function itself raised in its last call,
    or on the way back from it; ``last`` the arguments of that call, and ``returned`` its result.
    """

    def __init__(self, function):
        super().__init__(self._called)
        self.watched, self.last, self.failed = function, ((), {}), {}
        self.returned = None

    def _called(self, *args, **kwargs):
        self.last, self.returned = (args, kwargs), None
        self.returned = self.watched(*args, **kwargs)
        return self.returned

    def answer(self, request):
        reply = super().answer(request)
        self.failed = reply.get("raised", {})
        return reply

    def raised(self, raised):
        """Whether this exception is the function's own, which a test has let through."""
        same = self.failed.get("type_name") == raised.type_name
        return same and self.failed["message"][:50] in raised.message

    def call(self, name):
        """The last call, in words: shapes for tensors, and names where they are known."""
        args, kwargs = self.last
        names = [*inspect.signature(self.watched).parameters][: len(args)] if len(args) > 2 else []
        named = [*zip(names, args, strict=True)] if len(names) == len(args) else []
        placed = [] if named else [_word(value) for value in args]
        told = [*placed, *(f"{key}={_word(value)}" for key, value in [*named, *kwargs.items()])]
        return _short(f"{name}({', '.join(told)})", LONGEST_CALL)

    def answer_in_words(self):
        """What the last call returned: kinds, shapes and dtypes."""
        if isinstance(self.returned, (tuple, list)):
            parts = " and ".join(_result(value) for value in self.returned)
            return f"a {type(self.returned).__name__} of {parts}"
        return _result(self.returned)

    def message(self, name):
        own = getattr(self.watched, "__name__", name)
        return _short(f"{self.failed['type_name']}: {self.failed['message'].replace(own, name)}")

    def is_coarse(self):
        """Whether its last call had to do with bfloat16."""
        args, kwargs = self.last
        given = (*args, *kwargs.values())
        return any(isinstance(x, torch.Tensor) and x.dtype == torch.bfloat16 for x in given)

    def not_promised(self, rule):
        """What the page leaves open, or forbids to ask, about the last call; or nothing."""
        args, kwargs = self.last
        try:
            given = inspect.signature(self.watched).bind(*args, **kwargs)
            given.apply_defaults()
            return rule(**given.arguments)
        except Exception:  # arguments may be anything
            return ""


def _word(value):
    if not isinstance(value, torch.Tensor):
        return repr(value)
    kind = "" if value.dtype == torch.float32 else f" of {str(value.dtype).removeprefix('torch.')}"
    return f"tensor {tuple(value.shape)}{kind}"


def _result(value):
    if not isinstance(value, torch.Tensor):
        return kind_name(value)
    return f"a tensor {tuple(value.shape)} of {str(value.dtype).removeprefix('torch.')}"


def _short(text, longest=160):
    return printable(text.splitlines()[0] if text else "", longest)


# What a page does not promise ---------------------------------------------------------------------


def of_mask(q_len, k_len=None):
    if k_len is not None and k_len < q_len:
        return "k_len is less than q_len there, and the page says that it is at least as large"
    return "a size is 0 there, and the page says that 1 is the smallest" if q_len < 1 else ""


def of_softmax(x, dim=-1):
    if bool((x == -torch.inf).all(dim).any()):
        return "all scores of a row are -inf there, and the page says that another one is finite"
    return _of_dtype(x)


def of_norm(x, weight, bias, eps):
    if eps == 0 and bool((x.double().var(-1, correction=0) == 0).any()):
        return "a row of equal numbers meets an eps of 0 there, which is 0 / 0"
    return _of_dtype(x)


def of_attention(q, k, v, mask=None, is_causal=False, scale=None, **_):
    queries, keys = q.shape[-2], k.shape[-2]
    if is_causal and queries != keys:
        return "is_causal is given there with Tq other than Tk, and the page has it for Tq = Tk"
    if scale == 0 and (is_causal or mask is not None):
        return (
            "a scale of 0.0 meets a mask or is_causal there, which the page says not to test: -inf "
            "* 0 is NaN, so whoever masks before multiplying by the scale returns NaN, and is right"
        )
    return _of_dtype(q) or _of_places(mask, is_causal, queries, keys)


def of_heads(query, key, value, *_, mask=None, is_causal=False, **__):
    if any(x.ndim != 3 for x in (query, key, value)):
        return "query, key or value has not three axes there, and the page says three"
    if mask is not None and (mask.dtype != torch.bool or mask.ndim not in (2, 4)):
        return "the mask there is not boolean with two axes or four, as the page says"
    if is_causal and query.shape[1] != key.shape[1]:
        return "is_causal is given there with Tq other than Tk, and the page has it for Tq = Tk"
    return _of_dtype(query) or _of_places(mask, is_causal, query.shape[1], key.shape[1])


def _of_places(mask, is_causal, queries, keys):
    allowed = torch.ones(queries, keys, dtype=torch.bool)
    allowed = allowed.tril() if is_causal else allowed
    if mask is not None:
        allowed = allowed & (mask if mask.dtype == torch.bool else mask > -torch.inf)
    if bool(allowed.any(-1).all()):
        return ""
    return (
        "a query may attend to no key there, and the page says that this is not to be tested: NaN "
        "and zeros are both right. Let each query keep a key"
    )


def _of_dtype(x):
    if x.dtype in DTYPES:
        return ""
    return f"{x.dtype} is given there, and the page has float32, float64 and bfloat16"


RULES = {
    "check_causal_mask": of_mask,
    "check_softmax": of_softmax,
    "check_layer_norm": of_norm,
    "check_attention": of_attention,
    "check_multi_head_attention": of_heads,
}
