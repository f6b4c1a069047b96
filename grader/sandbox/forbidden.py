"""What an exercise forbids: torch's own version of what it asks for, under whatever name.

torch has many names for one thing. torch.softmax, Tensor.softmax, F.softmax, nn.Softmax,
torch.special.softmax, torch.ops.aten.softmax and a compiled script all end in the same operation of
torch's dispatcher, and there it is taken away: in place of its kernels stands one that refuses. No
Python object leads back to the kernels, and no other operation becomes slower, so what is forbidden
is forbidden in every check, clocked ones included.

Two kinds of things are no operation. A function that torch has written in Python is replaced in
torch's modules; a class refuses to be made, which also holds for its subclasses and for a class
that was loaded again, and its methods refuse. A formula that a submission brings with it is its
own, wherever it is from.

Source: torch.library.Library, "Extending dispatcher" in PyTorch's documentation.
"""

from __future__ import annotations

import ctypes
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from types import FunctionType
from typing import Any

import torch
from torch._jit_internal import FunctionModifiers

_ATTENTION = (
    "scaled_dot_product",
    "scaled_dot_attention",
    "flash_attention",
    "efficient_attention",
    "cudnn_attention",
    "math_attention",
    "multi_head_attention",
)
Attribute = tuple[Any, str, Any]  # whose, its name, and what it is
# Operations that do the same under a name that does not hold the forbidden word. With one-hot
# keys and values attention gives back the softmax of any scores.
_RELATIVES = {
    "softmax": ("logcumsumexp", *_ATTENTION),
    "scaled_dot_product_attention": _ATTENTION,
    "gelu": ("_addmm_activation",),
    "MultiheadAttention": ("multi_head_attention",),
    "TransformerEncoderLayer": ("_transformer_encoder_layer_fwd",),
    "Adam": ("adam",),
    "AdamW": ("adamw",),
    "clip_grad_norm_": ("clip_grad", "get_total_norm"),
}
# What forbidden classes are made with: the modules of torch.nn, and the optimizers.
_BEGINNINGS = (torch.nn.Module, torch.optim.Optimizer)
# The first stands for every device and layout that has kernels of its own, the second for
# operations that are made of others; the others are asked by whoever names a device's kernels.
_CUDA = ("CUDA",) if torch.version.cuda or torch.version.hip else ()
_KEYS = ("BackendSelect", "CompositeImplicitAutograd", "CPU", *_CUDA)
_SENTENCE = "does this exercise for you: write it yourself here"


class NotAllowedHere(RuntimeError):
    """The submission called torch's own version of what the exercise asks for."""


@contextmanager
def forbidden(names: Sequence[str]) -> Iterator[None]:
    """Within the block torch's ``names`` raise ``NotAllowedHere``: "torch.softmax",
    "F.layer_norm" or, for a class, "nn.MultiheadAttention".
    """
    libraries = _without_kernels(operations(names))
    originals = _put([*_for_functions(names), *_for_classes(names)])
    try:
        yield
    finally:
        libraries.clear()  # then torch's own kernels are there again
        _put(reversed(originals))


_for_good: set[str] = set()


def forbid_for_good(names: Sequence[str]) -> None:
    """The same for the rest of this process, which serves one exercise. Nothing is kept that leads
    back: the libraries must live on, but nobody holds them.
    """
    _all_operations(), _all_functions(), _all_classes()  # kept for the workers forked from here
    if new := sorted(set(names) - _for_good):
        for library in _without_kernels(operations(new)):
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(library))
        _put([*_for_functions(new), *_for_classes(new)])
        _for_good.update(new)


def as_refusal(error: BaseException) -> BaseException:
    """A refusal again, where a script has made another exception of it."""
    if type(error) not in (RuntimeError, OSError):
        return error
    try:
        said = re.search(rf"\S+ {_SENTENCE}", str(error))
    except Exception:  # its text may be an object of the submission's
        return error
    return NotAllowedHere(said.group()).with_traceback(error.__traceback__) if said else error


def operations(names: Sequence[str]) -> dict[str, str]:
    """The dispatcher's operations, with their overloads, that do what one of ``names`` does."""
    which = _which(names)
    found = _lines_with(_all_operations(), names)
    return {full: name for full in found if (name := which(_bare(full)))}


def functions(names: Sequence[str]) -> dict[tuple[str, str], str]:
    """The same of torch's Python functions, by module and name."""
    which = _which(names)
    places = (line.split(" ") for line in _lines_with(_all_functions(), names))
    return {(title, key): name for title, key in places if (name := which(key))}


def classes(names: Sequence[str]) -> list[type]:
    """The classes of torch that ``names`` stand for: layer_norm is also LayerNorm."""
    words = sorted({_class_word(name) for name in names})
    return [thing for word in words for thing in _all_classes().get(word, ())]


# What there is in torch. A worker is forked from a process that has listed it, and every object it
# only looks at is a page of memory to copy: thousands of strings took it 20 ms, one text takes one.


@cache
def _all_operations() -> str:
    """A line each."""
    return "".join(f"{name}\n" for name in sorted(torch._C._dispatch_get_all_op_names()))


@cache
def _all_functions() -> str:
    """Of the modules that torch loads by itself: a line each, of module and function."""
    return "".join(
        f"{title} {key}\n"
        for title, module in list(sys.modules.items())
        if title.startswith("torch.")
        for key, value in list(vars(module).items())
        if type(value) is FunctionType
    )


@cache
def _all_classes() -> Mapping[str, Sequence[type]]:
    """Those of torch.nn and torch.optim by their word."""
    things = [*vars(torch.nn).values(), *vars(torch.optim).values()]
    known = [thing for thing in things if isinstance(thing, type)]
    words = {_class_word(thing.__name__) for thing in known}
    return {word: [t for t in known if _class_word(t.__name__) == word] for word in words}


def _lines_with(text: str, names: Sequence[str]) -> Iterator[str]:
    """The lines in which a word of the ``names`` stands: twice, where two of them do."""
    for word in {word for name in names for word in _words(name)}:
        end = 0
        while (at := text.find(word, end)) >= 0:
            end = text.find("\n", at)
            yield text[text.rfind("\n", 0, at) + 1 : end]


def _which(names: Sequence[str]) -> Callable[[str], str]:
    """Tells to which of ``names`` another one belongs, or nothing: to the longest it contains."""
    words = {word: name for name in reversed(names) for word in _words(name)}
    ordered = sorted(words, key=len, reverse=True)
    return lambda bare: next((words[word] for word in ordered if word in bare), "")


def _words(name: str) -> tuple[str, ...]:
    word = name.rpartition(".")[2]
    return (*(() if word[0].isupper() else (word,)), *_RELATIVES.get(word, ()))


def _bare(full: str) -> str:
    """aten::softmax.int -> softmax"""
    return full.rpartition("::")[2].partition(".")[0]


def _class_word(name: str) -> str:
    return name.rpartition(".")[2].replace("_", "").lower()


@cache
def _refusing(name: str) -> Callable[..., Any]:
    """One for all that a name stands for: a new object is a page of memory too."""

    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise NotAllowedHere(f"{name} {_SENTENCE}")

    # A script that calls it keeps the call as it is, or complains of it by this name.
    refuse.__annotations__.clear()
    refuse._torchscript_modifier = FunctionModifiers.IGNORE  # type: ignore[attr-defined]
    refuse.__qualname__ = f"{name} {_SENTENCE}"
    return refuse


def _without_kernels(taken: Mapping[str, str]) -> list[Any]:
    """Replaces the kernels of operations as long as the libraries that come back are held."""
    spaces = sorted({full.partition("::")[0] for full in taken})
    libraries = {space: torch._C._dispatch_library("IMPL", space, "") for space in spaces}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch remarks that a kernel is replaced
        for full, name in taken.items():
            space, _, overload = full.partition("::")
            for key in _KEYS:
                libraries[space].impl(overload, key, _refusing(name))
    return list(libraries.values())


def _put(things: Iterable[Attribute]) -> list[Attribute]:
    """Set attributes, and give back what they were."""
    before = []
    for holder, key, thing in things:
        before.append((holder, key, getattr(holder, key)))
        setattr(holder, key, thing)
    return before


def _for_functions(names: Sequence[str]) -> Iterator[Attribute]:
    for (title, key), name in functions(names).items():
        yield sys.modules[title], key, _refusing(name)


def _for_classes(names: Sequence[str]) -> Iterator[Attribute]:
    """No method can be lent to another class, and none is made, also of a class that was loaded
    again: every module of torch's begins with nn.Module's __init__.
    """
    for kind in classes(names):
        for key, method in list(vars(kind).items()):
            if type(method) is FunctionType:
                yield kind, key, _refusing(_said_of(kind))
    if names:
        words = frozenset(_class_word(name) for name in names)
        yield from ((kind, "__init__", _beginning(kind.__init__, words)) for kind in _BEGINNINGS)


def _beginning(original: Callable[..., None], words: frozenset[str]) -> Callable[..., None]:
    def begin(self: Any, *args: Any, **kwargs: Any) -> None:
        for kind in type(self).__mro__:
            if kind.__module__.startswith("torch.") and _class_word(kind.__name__) in words:
                raise NotAllowedHere(f"{_said_of(kind)} {_SENTENCE}")
        original(self, *args, **kwargs)

    return begin


def _said_of(kind: type) -> str:
    """nn.LayerNorm, torch.optim.AdamW"""
    return f"{'torch.optim' if issubclass(kind, torch.optim.Optimizer) else 'nn'}.{kind.__name__}"
