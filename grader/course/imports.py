"""Which modules a text imports, and which of them one of its functions uses."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping

# Read with patterns and not with Python's parser, which a hostile file can crash.
_IMPORT = re.compile(r"^[ \t]*(?:from[ \t]+(\w+)[ \t]+import\b|import[ \t]+([^#\n]+))", re.M)
_TAKEN = re.compile(r"from[ \t]+(\w+)[ \t]+import\b\s*\(?([\w\s,]*)\)?")
_NO_CODE = re.compile(r'"""(?:.|\n)*?"""|\'\'\'(?:.|\n)*?\'\'\'|#.*')
_STATEMENT = re.compile(r"^(?=[^\s)\]}@])", re.M)
_DEFINES = re.compile(r"(?:(?:async[ \t]+)?def|class)[ \t]+(\w+)|(\w+)[ \t]*(?::[^=\n]*)?=")

ALL = "*"  # names of a module


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


def names_behind(
    files: Mapping[str, str], name: str, asked: Collection[str]
) -> dict[str, frozenset[str]]:
    """Those of ``own_modules`` that the functions and classes ``asked`` of ``name`` use, themselves
    or through others, and which names of each; all where what is used cannot be told, as where one
    of them is not defined there as usual. ``ALL`` is in a set that stands for all names.
    """
    found: dict[str, frozenset[str]] = {}
    waiting = [(name, frozenset(asked) or frozenset([ALL]))]
    while waiting:
        module, names = waiting.pop()
        if names <= found.get(module, frozenset()) or ALL in found.get(module, ()):
            continue
        reached, used = _use(files.get(module, ""), names)
        found[module] = found.get(module, frozenset()) | reached
        waiting += [(o, of_it) for o, of_it in used if o in files and o != name]
    del found[name]
    return found


def _use(
    text: str, names: frozenset[str]
) -> tuple[frozenset[str], list[tuple[str, frozenset[str]]]]:
    """Which names of a text these ``names`` of it reach, and which names of which modules."""
    blocks: dict[str, str] = {}
    for made, block in _statements(text):
        blocks[made] = blocks.get(made, "") + block
    if not blocks.keys() >= names:
        everything = frozenset([ALL])
        return everything, [(module, everything) for module in _imports(text)]
    reached, waiting = set(names), list(names)
    while waiting:
        block = blocks[waiting.pop()]
        if _TAKEN.fullmatch(block.strip()):  # the other names of an import are not used by it
            continue
        words = set(re.findall(r"\w+", block)) & blocks.keys() - reached
        reached |= words
        waiting += words
    return frozenset(reached), [one for made in reached for one in _taken(made, blocks[made])]


def _taken(made: str, block: str) -> list[tuple[str, frozenset[str]]]:
    """What the statements that make a name import: that name alone, if they are one import."""
    taken = _TAKEN.fullmatch(block.strip())
    if taken is not None and "as" not in taken[2].split():
        return [(taken[1], frozenset([made]))]
    return [(module, frozenset([ALL])) for module in _imports(block)]


def _statements(text: str) -> Iterator[tuple[str, str]]:
    """The statements of a module, each by the name that it makes; one import can make several."""
    for statement in _STATEMENT.split(_NO_CODE.sub("", text)):
        if _IMPORT.match(statement):
            names = re.split(r"\bimport\b", statement, maxsplit=1)[1]
            for made in set(re.findall(r"\w+", names)) - {"as"}:
                yield made, statement
        elif found := _DEFINES.match(statement):
            yield found[1] or found[2], statement
