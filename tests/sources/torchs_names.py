"""Torch's own stacks under the names of ours: the same weights, called after own parts."""

from __future__ import annotations

import re
from collections.abc import Mapping

from torch import Tensor

OURS = {
    r"\blinear([12])\.": r"feed_forward.w_\1.",
    r"\bnorm([123])\.": r"residual\1.norm.",
    r"\bout_proj\.": "w_o.",
}
THREE = re.compile(r"\bin_proj_(weight|bias)$")


def in_our_names(torchs: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Torch's keeps the matrices of queries, keys and values in one piece."""
    ours = {}
    for name, values in torchs.items():
        for pattern, new in OURS.items():
            name = re.sub(pattern, new, name)
        parts = [THREE.sub(rf"w_{part}.\1", name) for part in "qkv"]
        pieces = dict(zip(parts, values.chunk(3), strict=True)) if THREE.search(name) else {}
        ours |= pieces or {name: values}
    return ours
