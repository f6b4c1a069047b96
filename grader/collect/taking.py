"""Files of one submission -> its modules."""

from __future__ import annotations

from collections.abc import Mapping

from grader.collect.archive import expanded
from grader.collect.layout import Name, layout_of
from grader.collect.modules import MAX_SOURCE_BYTES, Modules, Note
from grader.collect.near import LOOSE, meant
from grader.collect.tree import Read


def take_all(files: Mapping[Name, Read], modules: Modules, alone: bool = False) -> None:
    """The modules among ``files``, and in the archives among these; ``alone`` says that one archive
    is the whole submission.
    """
    found = expanded(files, modules, alone)
    layout = layout_of(found, modules.known, modules.own)
    modules.fill(layout, lambda name: found[name](MAX_SOURCE_BYTES))


def take_file(name: str, read: Read, modules: Modules) -> None:
    """``softmax.py`` is that module; a file whose name says nothing stands for every exercise.

    Raises ``NotRead``.
    """
    found = meant(name, modules.known)
    raw = read(MAX_SOURCE_BYTES)
    if found is None:
        modules.add_to_all(raw, name)
        return
    modules.add(found[0], raw, name)
    if found[1].kind == LOOSE:
        modules.notes.append(Note(modules.path, f"graded as {found[0]}.py"))
