"""Which modules a text imports."""

from __future__ import annotations

import re
from collections.abc import Mapping

# Read with a pattern and not with Python's parser, which a hostile file can crash.
_IMPORT = re.compile(r"^[ \t]*(?:from[ \t]+(\w+)[ \t]+import\b|import[ \t]+([^#\n]+))", re.M)


def own_modules(files: Mapping[str, str], name: str) -> set[str]:
    """The modules among ``files`` that ``name`` imports, directly or through one another.

    ``files`` maps module names to their text.
    """
    found: set[str] = set()
    waiting = [name]
    while waiting:
        for imported in _imports(files.get(waiting.pop(), "")) & files.keys() - found - {name}:
            found.add(imported)
            waiting.append(imported)
    return found


def _imports(text: str) -> set[str]:
    names: set[str] = set()
    for source, several in _IMPORT.findall(text):
        names |= {source} if source else {part.strip().split(" ")[0] for part in several.split(",")}
    return names
