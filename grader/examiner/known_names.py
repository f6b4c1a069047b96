"""Names that everybody gives to a library's parts: a page that uses one has not imported it."""

from __future__ import annotations

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
