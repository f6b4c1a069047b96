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
    """The page at ``path`` where pages below it, in teaching order, hold misconceptions: one each,
    or two.
    """

    path: Path
    below: Sequence[tuple[Path, Sequence[Entry]]]

    def applied_to(self, reference: Mapping[str, Any]) -> dict[str, Any]:
        return self._page.program(self._page.text)

    @cached_property
    def _page(self) -> Page:
        """One below may be built on another; what is not wrong is made of what is. Raises
        ``SuiteError`` if two slips are in one place.
        """
        wrong: dict[str, ModuleType] = {}
        for path, entries in self.below:
            module = ModuleType(path.stem)
            vars(module).update(_wrong(Page(path, dict(wrong)), entries))
            wrong[path.stem] = module
        return Page(self.path, wrong)


def _wrong(page: Page, entries: Sequence[Entry]) -> dict[str, Any]:
    slips = [entry for entry in entries if isinstance(entry, Slip)]
    text = slips[0].together_with(slips[1]) if len(slips) > 1 else page.text
    names = page.program(slips[0].text if len(slips) == 1 else text)
    for entry in entries:
        if not isinstance(entry, Slip):
            names = entry.applied_to(names)
    return names
