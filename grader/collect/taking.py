"""Files of one submission -> its modules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from grader.collect.archive import expanded
from grader.collect.layout import Name, layout_of, spelled
from grader.collect.modules import MAX_MODULES, MAX_SOURCE_BYTES, Modules, Note, NotRead
from grader.collect.near import LOOSE, is_notebook, meant
from grader.collect.notebook import (
    MAX_NOTEBOOK_BYTES,
    Pages,
    by_grade_id,
    document,
    module_in,
    own_cells,
    solutions_in,
)
from grader.collect.packs import settled
from grader.collect.reasons import (
    NO_NOTEBOOK,
    NO_SOLUTION_CELLS,
    NOTEBOOK,
    NOTEBOOKS,
    OWN_CELLS,
)
from grader.collect.tree import Read

MAX_NOTEBOOKS_BYTES = 2 * MAX_NOTEBOOK_BYTES  # of those of one submission together


class Taking:
    """Takes the modules of one submission; without ``pages`` no notebook is read."""

    def __init__(self, modules: Modules, pages: Pages | None) -> None:
        self._modules, self._pages = modules, pages
        self._left = MAX_NOTEBOOKS_BYTES
        self._nameless: dict[str, str] = {}

    def take_all(self, files: Mapping[Name, Read], alone: bool = False) -> None:
        """The modules among ``files``, and in the archives among these; ``alone`` says that one
        archive is the whole submission.
        """
        found = settled(expanded(files, self._modules, alone), self._modules)
        others = [name for name in found if self._is_other_notebook(name)]
        layout = layout_of(found.keys() - set(others), self._modules.known, self._modules.own)
        self._modules.fill(layout, lambda module, name: self._text(module, name, found[name]))
        for name in sorted(others)[:MAX_MODULES]:
            try:
                self._take_notebook(name, found[name])
            except NotRead:
                self._modules.unread_or_ignore(spelled(name), NO_NOTEBOOK)
        for name in sorted(others)[MAX_MODULES:]:
            self._modules.ignore(spelled(name), f"it is one of more than {MAX_MODULES} notebooks")

    def _is_other_notebook(self, name: Name) -> bool:
        """Whether its name does not say which exercise it is, or nobody asks."""
        named = self._pages is not None and meant(name[-1], self._modules.known) is not None
        return is_notebook(name[-1]) and not named

    def _text(self, module: str, name: Name, read: Read) -> bytes:
        if not is_notebook(name[-1]) or self._pages is None:
            return read(MAX_SOURCE_BYTES)
        notebook = document(self._held(read))
        text = module_in(notebook, self._pages(module))
        self._tell(name[-1], len(own_cells(notebook)))
        return text.encode()

    def _held(self, read: Read) -> bytes:
        raw = read(min(MAX_NOTEBOOK_BYTES, max(self._left, 0)))
        self._left -= len(raw)
        if self._left < 0:
            raise NotRead("loud_notebook", mib=MAX_NOTEBOOK_BYTES >> 20)
        return raw

    def _tell(self, name: str, own: int) -> None:
        if own:
            modules = self._modules
            path = modules.path if modules.is_file else f"{modules.path}/{name}"
            modules.notes.append(Note(path, OWN_CELLS.format(count=own)))

    def take_file(self, name: str, read: Read) -> None:
        """``softmax.py`` is that module; a file whose name says nothing stands for every exercise,
        a notebook for those whose cells it has.
        """
        found = meant(name, self._modules.known)
        try:
            if found is not None:
                self._modules.add(found[0], self._text(found[0], (name,), read), name)
            elif is_notebook(name):
                self._take_notebook((name,), read)
            else:
                self._modules.add_to_all(read(MAX_SOURCE_BYTES), name)
        except NotRead as refused:
            self._modules.refuse_all(refused.kind, name, **_facts(refused))
        if found is not None and found[1].kind == LOOSE:
            self._modules.notes.append(Note(self._modules.path, f"graded as {found[0]}.py"))

    def _take_notebook(self, name: Name, read: Read) -> None:
        """As the exercises that it has most of the cells of, if nothing else stands for them."""
        if self._pages is None:
            self._modules.unread_or_ignore(spelled(name), NOTEBOOKS)
            return
        notebook = document(self._held(read))
        meant_ones = self._exercises_in(notebook, self._pages)
        there = {*self._modules.files, *self._modules.problems} - self._nameless.keys()
        for module in meant_ones - there:
            self._add(module, name, module_in(notebook, self._pages(module)))
        if not meant_ones - there:
            reason = NOTEBOOK if meant_ones else NO_SOLUTION_CELLS
            self._modules.unread_or_ignore(spelled(name), reason)

    def _exercises_in(self, notebook: Mapping[str, Any], pages: Pages) -> set[str]:
        cells = by_grade_id(notebook)
        shares = {one: solutions_in(cells, pages(one)) for one in self._modules.known}
        most = max(shares.values(), default=0)
        return {one for one, share in shares.items() if share == most > 0}

    def _add(self, module: str, name: Name, text: str) -> None:
        """A second notebook for the same exercise: nobody can say which of them counts."""
        first = self._nameless.setdefault(module, spelled(name))
        if first == spelled(name):
            self._modules.sources[module] = name
            self._modules.add(module, text.encode(), name[-1])
        else:
            self._modules.files.pop(module, None)
            self._modules.refuse("several", module, places=(first, spelled(name)))


def _facts(refused: NotRead) -> dict[str, str]:
    return {key: str(value) for key, value in refused.facts.items()}
