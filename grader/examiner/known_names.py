"""Names that everybody knows of libraries: which line imports them, and where else they stand."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

# What a learner writes bare and `math` or `torch` would give.
OF_MATH = frozenset("inf nan pi sqrt exp log log2 log10 ceil floor tanh cos sin prod".split())

# Each by the line that imports it.
IMPORTED_BY = {
    "F": "import torch.nn.functional as F",
    "nn": "from torch import nn",
    "np": "import numpy as np",
    "Tensor": "from torch import Tensor",
    "partial": "from functools import partial",
    "Counter": "from collections import Counter",
    "defaultdict": "from collections import defaultdict",
} | {
    name: f"import {name}"
    for name in "collections copy functools heapq itertools math operator random re torch".split()
}

# What numpy's arrays, lists or other libraries call otherwise.
_INSTEAD = {
    "astype": "x.to(dtype)",
    "copy": "x.clone()",
    "append": "torch.cat([x, y])",
    "concatenate": "torch.cat([x, y])",
    "array": "torch.tensor(...)",
    "len": "len(x)",
    "length": "len(x)",
    "float32": "x.float()",
    "float64": "x.double()",
    "int64": "x.long()",
}


def instead_of(name: str, library: str) -> str:
    """How that is written which ``library`` (``torch``, ``Tensor`` ...) does not have by this name,
    though another part of torch does; empty if none.
    """
    if library == "torch.nn":
        layers = {layer.lower(): layer for layer in vars(nn) if layer[0].isupper()}
        if name.lower().replace("_", "") in layers:
            return f"nn.{layers[name.lower().replace('_', '')]}(...)"
    if name in _INSTEAD:
        return _INSTEAD[name]
    for prefix, holder in (("torch", torch), ("F", F), ("nn", nn)):
        if not name.startswith("_") and callable(getattr(holder, name, None)):
            return f"{prefix}.{name}(...)"
    return f"x.{name}(...)" if callable(getattr(Tensor, name, None)) else ""
