"""The meta device in place of a GPU: what would fail there, and what only fails here.

Meta tensors have shapes and no values. So reading a value fails, which on a GPU it does not: a
program that looks for NaN or for an index out of range is right. And some operations let tensors on
the CPU pass that CUDA would not: matrix products, embeddings, `gather`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

# What torch says when a value is needed: as a number or a bool, for a size, or in an f-string.
_NO_VALUE = re.compile(
    r"item\(\) cannot be called on meta|no fake impl or Meta kernel|from the 'Meta' backend|"
    r"raises unimplemented by default, as a correct data-independent|"
    r"cannot repeat_interleave a meta tensor|unsupported format string passed to Tensor"
)
_COPIES = frozenset(["copy_", "_to_copy", "set_"])
_BY_INDEX = frozenset("index _unsafe_index index_put index_put_ _index_put_impl_".split())


def reads_a_value(message: str) -> bool:
    """Whether torch's error says that a value was needed where there is none."""
    return _NO_VALUE.search(message) is not None


class OneDevice(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Refuses what CUDA would: operations on tensors here and elsewhere, but for single numbers,
    copies, and indices, which CUDA takes to where the tensor is that they index.
    """

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """Newer versions of torch ask; a yes would import its compiler, a second's work."""
        return False

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        name = func.overloadpacket.__name__
        if name not in _COPIES and _is_mixed(_of_one_place(name, args), kwargs):
            raise RuntimeError(
                "Expected all tensors to be on the same device, but found at least two devices, "
                f"meta and cpu! ({name})"
            )
        return func(*args, **kwargs)


def _of_one_place(name: str, args: Any) -> Any:
    """The arguments that must lie together."""
    indexes = name in _BY_INDEX and len(args) > 1 and args[0].device.type == "meta"
    return (args[0], *args[2:]) if indexes else args


def _is_mixed(*given: Any) -> bool:
    tensors = list(_tensors(given))
    here = any(tensor.device.type == "cpu" and tensor.dim() for tensor in tensors)
    return here and any(tensor.device.type == "meta" for tensor in tensors)


def _tensors(value: Any) -> Iterator[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _tensors(item)
    elif isinstance(value, Mapping):
        yield from _tensors(tuple(value.values()))
