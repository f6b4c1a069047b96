"""Banks of programs: misconceptions, which must be rejected, and variants, which must not.

A bank is a Python file whose functions and classes stand in for one function or class of the
reference. The decorators below say which, and what a good teacher would say about it.
"""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

from grader.errors import SuiteError

_Program = TypeVar("_Program", bound=Callable[..., Any])
_MARK = "__bank_entry__"


@dataclass(frozen=True)
class Entry:
    """A program that replaces ``of``. Variants have no sentence and are caught by nothing."""

    name: str
    of: str
    program: Callable[..., Any]
    sentence: str = ""
    caught_by: tuple[str, ...] = ()

    def applied_to(self, names: dict[str, Any]) -> dict[str, Any]:
        return names | {self.of: self.program}


def misconception(
    *, of: str, sentence: str, caught_by: tuple[str, ...]
) -> Callable[[_Program], _Program]:
    """Mark a wrong program. ``sentence`` is what its author is told; ``caught_by`` names checks."""

    def mark(program: _Program) -> _Program:
        name = _snake_case(program.__name__)
        setattr(program, _MARK, Entry(name, of, program, sentence, caught_by))
        return program

    return mark


def variant(*, of: str) -> Callable[[_Program], _Program]:
    """Mark a right program that is written differently from the reference."""

    def mark(program: _Program) -> _Program:
        setattr(program, _MARK, Entry(_snake_case(program.__name__), of, program))
        return program

    return mark


def load_bank(path: Path, siblings: Path | None = None) -> list[Entry]:
    """The entries of a bank, in the order of the file; ``siblings`` as in ``load_by_path``."""
    values = vars(load_by_path(path, siblings)).values()
    entries: list[Entry] = [vars(v)[_MARK] for v in values if _MARK in getattr(v, "__dict__", {})]
    for entry in entries:
        if not isinstance(entry.program, type):
            entry.program.__name__ = entry.of
    return entries


def load_by_path(path: Path, siblings: Path | None = None) -> ModuleType:
    """Import a file nobody imports by name; raises ``SuiteError`` when there is none.

    What it imports by bare name is looked for in the folder ``siblings`` first, its own without
    one: so a capstone finds the modules it assembles, the reference's or the stub's.
    """
    if not path.exists():
        raise SuiteError(f"there is no {path.parent.name}/{path.name}")
    spec = importlib.util.spec_from_file_location(f"_by_path_{path.parent.name}_{path.stem}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with _importing_from(siblings or path.parent):
        spec.loader.exec_module(module)
    return module


@contextmanager
def _importing_from(folder: Path) -> Iterator[None]:
    """Modules of ``folder`` can be imported by bare name, and leave no trace afterwards."""
    names = [path.stem for path in folder.glob("*.py")]
    aside = {name: sys.modules.pop(name) for name in names if name in sys.modules}
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        for name in names:
            sys.modules.pop(name, None)
        sys.modules.update(aside)


def _snake_case(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
