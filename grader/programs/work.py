"""How much work an implementation's calls are, as its engine counted it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from grader.errors import ProtocolViolation
from grader.sandbox.protocol import printable


@dataclass(frozen=True)
class Work:
    """How much work calls were: operations on tensors by name, views apart, and the elements of the
    largest tensor they made.
    """

    by_name: Mapping[str, int]
    largest: int
    views: int = 0

    @property
    def operations(self) -> int:
        return sum(self.by_name.values())

    def of(self, *names: str) -> int:
        """The operations of these names."""
        return sum(self.by_name.get(name, 0) for name in names)

    @property
    def steps(self) -> int:
        """Operations and views: what grows with the rounds of a Python loop, whatever it does."""
        return self.operations + self.views

    def __add__(self, other: Work) -> Work:
        names = self.by_name.keys() | other.by_name.keys()
        total = {name: self.by_name.get(name, 0) + other.by_name.get(name, 0) for name in names}
        return Work(total, max(self.largest, other.largest), self.views + other.views)


def reported_work(reply: dict[str, Any]) -> Work:
    """The work that a reply tells of; raises ``ProtocolViolation`` when it tells none."""
    form = reply.get("work")
    if type(form) is not dict or any(type(form.get(k)) is not int for k in ("largest", "views")):
        raise ProtocolViolation("the worker did not say how much work it was")
    counts = form.get("operations")
    if type(counts) is not dict or any(type(n) is not int or n < 0 for n in counts.values()):
        raise ProtocolViolation("the worker did not count its operations")
    named = {printable(str(name), 40): n for name, n in counts.items()}
    return Work(named, form["largest"], form["views"])
