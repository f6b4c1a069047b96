"""How much work a call is, counted in torch's own dispatcher and not with a clock.

The count is made in the worker's process, so a submission that sets out to could hide work from
it, by leaving torch or by switching the dispatcher's modes off. It serves checks that teach, not
ones that must resist: whoever hides a loop from the counter has written it on purpose and earns
that one check. Where that must not be, a check races against the reference and is clocked from
outside (``examiner/race.py``), as in ``attention``, which the other exercises build on.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode


class OperationCounter(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Counts operations on tensors by name, and the elements of the largest tensor that is made.

    Views move no numbers and are counted apart: a loop of them is a loop all the same.
    """

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.operations: dict[str, int] = {}
        self.largest = self.views = 0

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """Newer versions of torch ask; a yes would import its compiler, a second's work."""
        return False

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        if func.is_view:
            self.views += 1
        elif func.overloadpacket is not torch.ops.aten.detach:
            name = func.overloadpacket.__name__.rstrip("_")
            self.operations[name] = self.operations.get(name, 0) + 1
            given = {id(part) for part in args}  # what is written in place is not made
            for part in result if isinstance(result, (tuple, list)) else (result,):
                if isinstance(part, torch.Tensor) and id(part) not in given:
                    self.largest = max(self.largest, part.numel())
        return result
