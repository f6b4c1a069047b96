"""matplotlib in a worker: it is to know its own fonts, and to look for no others.

When it is imported for the first time it starts a timer, which is a thread, asks the program
fc-list and walks through the system's folders, none of which a worker has or needs. Then it writes
down what it found, into its temporary folder.
"""

from __future__ import annotations

import contextlib
import importlib.abc
import importlib.machinery
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from types import ModuleType
from typing import Any

_MODULE = "matplotlib.font_manager"


class FontFinder(importlib.abc.MetaPathFinder):
    """Stands before Python's own finders, and lets one module be run without looking around."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name != _MODULE:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            run = spec.loader.exec_module

            def exec_module(module: ModuleType) -> None:
                with _own_fonts_only(os.path.dirname(str(spec.origin))):
                    run(module)

            vars(spec.loader)["exec_module"] = exec_module
        return spec


def find_own_fonts_only() -> None:
    """For the rest of this process."""
    sys.meta_path.insert(0, FontFinder())


@contextlib.contextmanager
def _own_fonts_only(package: str) -> Iterator[None]:
    walk = os.walk

    def walk_own(top: Any, *args: Any, **kwargs: Any) -> Any:
        return walk(top, *args, **kwargs) if str(top).startswith(package) else iter(())

    here: list[tuple[Any, str, Any]] = [
        (os, "walk", walk_own),
        (subprocess, "check_output", _not_here),
        (threading, "Timer", _NoTimer),
    ]
    before = [(holder, name, getattr(holder, name)) for holder, name, _ in here]
    try:
        _put(here)
        yield
    finally:
        _put(before)


def _put(things: list[tuple[Any, str, Any]]) -> None:
    for holder, name, thing in things:
        setattr(holder, name, thing)


def _not_here(*args: Any, **kwargs: Any) -> Any:
    raise FileNotFoundError("no program is run here")


class _NoTimer:
    """Its warning that this takes long is never given."""

    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

    def start(self) -> None: ...

    def cancel(self) -> None: ...
