"""A suite whose checks are data: no reference, no bank, and all that these would have said."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from grader.examiner.suite import Shared, Suite
from grader.programs.bank import Entry, Stage


@dataclass
class SealedSuite(Suite):
    """``entries`` are the names and sentences of the bank; ``settled``, by check, what is right and
    how each misconception fails; ``resting`` what functions are made from.
    """

    entries: list[Entry] = field(default_factory=list)
    settled: dict[str, Shared] = field(default_factory=dict)
    resting: dict[str, frozenset[str]] = field(default_factory=dict)

    @property
    def reference(self) -> dict[str, Any]:
        return {}

    @property
    def misconceptions(self) -> list[Entry]:
        return self.entries

    @property
    def stages(self) -> list[Stage]:
        return []

    @property
    def rests_on(self) -> dict[str, frozenset[str]]:
        return self.resting

    def shared(self, check: str, device: str, seed: int) -> Shared:
        """What is known of a check, which holds for its own inputs, whatever the seed."""
        return self.settled[check]
