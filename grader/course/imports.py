"""Which modules a text imports, and which of them one of its functions uses."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping

# Read with patterns and not with Python's parser, which a hostile file can crash.
_IMPORT = re.compile(r"^[ \t]*(?:from[ \t]+(\w+)[ \t]+import\b|import[ \t]+([^#\n]+))", re.M)
_NO_CODE = re.compile(r'"""(?:.|\n)*?"""|\'\'\'(?:.|\n)*?\'\'\'|#.*')
_STATEMENT = re.compile(r"^(?=[^\s)\]}@])", re.M)
_DEFINES = re.compile(r"(?:(?:async[ \t]+)?def|class)[ \t]+(\w+)|(\w+)[ \t]*(?::[^=\n]*)?=")


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


def modules_behind(files: Mapping[str, str], name: str, asked: Collection[str]) -> set[str]:
    """Those of ``own_modules`` that the functions and classes ``asked`` of ``name`` use, themselves
    or through others of that page; all where one of them is not defined there as usual.
    """
    blocks: dict[str, str] = {}
    for made, block in _statements(files.get(name, "")):
        blocks[made] = blocks.get(made, "") + block
    if not asked or not blocks.keys() >= set(asked):
        return own_modules(files, name)
    reached, waiting = set(asked), list(asked)
    while waiting:
        words = set(re.findall(r"\w+", blocks[waiting.pop()])) & blocks.keys() - reached
        reached |= words
        waiting += words
    used = _imports("\n".join(blocks[made] for made in reached)) & files.keys() - {name}
    return used | {other for module in used for other in own_modules(files, module)} - {name}


def _statements(text: str) -> Iterator[tuple[str, str]]:
    """The statements of a module, each by the name that it makes; one import can make several."""
    for statement in _STATEMENT.split(_NO_CODE.sub("", text)):
        if _IMPORT.match(statement):
            names = re.split(r"\bimport\b", statement, maxsplit=1)[1]
            for made in set(re.findall(r"\w+", names)) - {"as"}:
                yield made, statement
        elif found := _DEFINES.match(statement):
            yield found[1] or found[2], statement
