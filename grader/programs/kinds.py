"""What a student would call a value."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch


def kind_name(value: Any) -> str:
    """What a student would call this value."""
    if isinstance(value, torch.Tensor):
        return "a tensor"
    if isinstance(value, np.ndarray):
        return "a numpy array"
    if isinstance(value, (list, tuple)):
        return f"a {type(value).__name__} of {len(value)} values"
    return {"NoneType": "None (is a `return` missing?)"}.get(
        type(value).__name__, f"a value of type {type(value).__name__}"
    )
