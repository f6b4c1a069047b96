"""The pages that a model is made of: each from where it lies, whoever wrote it."""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

from grader.errors import GraderError
from grader.finale.plan import Finale, Task

_PACKAGE = "finale_of_this_course"


def load_finale(folder: Path) -> Finale:
    """What the course says in ``folder``, a package whose ``FINALE`` is it."""
    place = folder / "__init__.py"
    spec = importlib.util.spec_from_file_location(
        _PACKAGE, place, submodule_search_locations=[str(folder)]
    )
    if spec is None or spec.loader is None:
        raise GraderError(str(place))
    module = importlib.util.module_from_spec(spec)
    sys.modules[_PACKAGE] = module
    spec.loader.exec_module(module)
    found: Finale = module.FINALE
    return found


class PagesFinder(importlib.abc.MetaPathFinder):
    """Let ``import NAME`` find the page of that name where ``paths`` says."""

    def __init__(self, paths: Mapping[str, str]) -> None:
        self._paths = paths

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """The page's, of names that are pages."""
        place = self._paths.get(name)
        return importlib.util.spec_from_file_location(name, place) if place else None


def taken(finale: Finale, task: Task, paths: Mapping[str, str]) -> dict[str, Any]:
    """A module for each part of ``task``: of ``paths``, or torch's own functions in its place.

    Raises whatever a page raises when it is imported.
    """
    sys.meta_path.insert(0, PagesFinder(paths))
    pages: dict[str, Any] = {}
    for name in (*task.parts, *task.optional):
        instead = finale.part(name).instead
        if name in paths:
            pages[name] = importlib.import_module(name)
        elif instead is not None:
            pages[name] = SimpleNamespace(**{n: _named(place) for n, place in instead.items()})
    return pages


def _named(place: str) -> Any:
    """What ``module:name`` names."""
    module, _, name = place.partition(":")
    return getattr(importlib.import_module(module), name)
