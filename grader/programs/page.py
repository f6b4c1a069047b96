"""Files that nobody imports by name: pages, banks, and the programs made of a page's text."""

from __future__ import annotations

import importlib.util
import os
import re
import sys
import time
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from grader.errors import GraderError, SuiteError

_SETTLED_SECONDS = 2.0


class Page:
    """A solution, and the programs that its text becomes by a slip. What it imports of its folder
    is taken from ``neighbours``, or else imported and added to them.
    """

    def __init__(self, path: Path, neighbours: dict[str, ModuleType] | None = None) -> None:
        self.path = path
        self.text = path.read_text(encoding="utf-8")
        self._neighbours: dict[str, ModuleType] = {} if neighbours is None else neighbours

    def with_slips(self, of: str, slips: Sequence[tuple[str, str]], text: str = "") -> str:
        """The text in which the first place that holds the old words of a slip, sought from where
        the function, class or ``Class.method`` called ``of`` begins, holds the new ones; one slip
        after another. ``text`` may have slips already. Raises ``SuiteError`` when there is no such
        place.
        """
        text = text or self.text
        for old, new in slips:
            at = text.find(old, _begin(text, of)) if old else -1
            if at < 0:
                raise SuiteError(
                    f"after the beginning of {of} the page does not hold {old!r}. Copy the words "
                    "from the solution, as they stand there."
                )
            text = text[:at] + new + text[at + len(old) :]
        return text

    def compiled(self, text: str) -> CodeType:
        """The code of ``text``, as if the page held it."""
        return compile(text, f"<{self.path.stem}>", "exec", dont_inherit=True)

    def program(self, page: str | CodeType) -> dict[str, Any]:
        """The names that a text, or its code, defines in the page's place."""
        module = ModuleType(self.path.stem)
        with _importing_from(self.path.parent, self._neighbours):
            exec(self.compiled(page) if isinstance(page, str) else page, vars(module))
        return vars(module)


def _begin(text: str, of: str) -> int:
    begin, end = 0, len(text)
    for depth, name in enumerate(of.split(".")):
        indent = "    " * depth
        found = re.compile(rf"^{indent}(def|class) {name}\b", re.M).search(text, begin, end)
        if found is None:
            raise SuiteError(f"the page defines no {of}")
        begin = found.start()
        after = re.compile(rf"^(?!{indent}[ )\n])", re.M).search(text, found.end(), end)
        end = after.start() if after else end
    return begin


def load_by_path(path: Path, siblings: Path | None = None) -> ModuleType:
    """Import a file nobody imports by name; raises ``SuiteError`` when there is none, or it cannot
    be imported.

    What it imports by bare name is looked for in the folder ``siblings`` first, its own without
    one: so a capstone finds the modules it assembles, the reference's or the stub's.
    """
    if not path.exists():
        raise SuiteError(f"there is no {path.parent.name}/{path.name}")
    name = f"_by_path_{path.parent.name}_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path, loader=_Loader(name, str(path)))
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with _importing_from(siblings or path.parent, {}):
        try:
            spec.loader.exec_module(module)
        except GraderError:
            raise
        except Exception as error:
            raise SuiteError(
                f"{path.parent.name}/{path.name} cannot be imported: {_said(error, path)}"
            ) from error
    return module


class _Loader(SourceFileLoader):
    """Python takes a file for unchanged that is as long as before and of the same second: what was
    written just now is compiled anew, and its code is not kept.
    """

    def get_code(self, fullname: str) -> CodeType | None:
        if time.time() - os.path.getmtime(self.path) > _SETTLED_SECONDS:
            return super().get_code(fullname)
        return self.source_to_code(self.get_data(self.path), self.path)


def _said(error: Exception, path: Path) -> str:
    """The last line of the file in a traceback, and the exception."""
    if isinstance(error, SyntaxError) and error.filename == str(path):
        return f"line {error.lineno}: {error.msg}. Nothing can be proved before that is mended."
    lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == str(path)]
    return f"{f'line {lines[-1]}: ' if lines else ''}{type(error).__name__}: {error}"


@contextmanager
def _importing_from(folder: Path, kept: dict[str, ModuleType]) -> Iterator[None]:
    """Modules of ``folder`` can be imported by bare name, and leave no trace but in ``kept``, from
    where they are taken the next time.
    """
    names = [path.stem for path in folder.glob("*.py")]
    aside = {name: sys.modules.pop(name) for name in names if name in sys.modules}
    sys.modules.update(kept)
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        kept.update({name: sys.modules.pop(name) for name in names if name in sys.modules})
        sys.modules.update(aside)
