"""A right page, built on other pages of which some hold a known mistake."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any

from grader.programs.bank import Entry, Slip
from grader.programs.page import Page


@dataclass(frozen=True, kw_only=True)
class Inherited(Entry):
    """The page at ``path`` where pages below it, in teaching order, hold a misconception each."""

    path: Path
    below: Sequence[tuple[Path, Entry]]

    def applied_to(self, reference: Mapping[str, Any]) -> dict[str, Any]:
        return self._page.program(self._page.text)

    @cached_property
    def _page(self) -> Page:
        """One below may be built on another; what is not wrong is made of what is."""
        wrong: dict[str, ModuleType] = {}
        for path, entry in self.below:
            page = Page(path, dict(wrong))
            text = entry.text if isinstance(entry, Slip) else page.text
            names = page.program(text)
            module = wrong[path.stem] = ModuleType(path.stem)
            vars(module).update(names if isinstance(entry, Slip) else entry.applied_to(names))
        return Page(self.path, wrong)
