"""Memory that this process has freed and its allocators keep for later."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable

import torch

# Bound before a submission can rebind them. Of all C libraries glibc alone has this one.
_trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
_gpu_has_started: Callable[[], bool] = torch.cuda.is_initialized
_empty_gpu_cache: Callable[[], None] = torch.cuda.empty_cache


def give_back() -> None:
    """Return it to the system: whoever needs it next takes it anew, and that shows."""
    if _trim is not None:
        _trim(0)
    if _gpu_has_started():
        _empty_gpu_cache()
