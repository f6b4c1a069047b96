"""What somebody has written -> the one file that they hand in.

It holds the modules that were asked for, their notebooks, what these import of one's own, and what
it was made with. The same work gives the same bytes, on every machine.
"""

from __future__ import annotations

import io
import json
import re
import unicodedata
import zipfile
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path

from grader.collect import own_work, read_at_most
from grader.collect.layout import Name, spelled
from grader.collect.modules import Modules
from grader.collect.near import NOTEBOOK as NOTEBOOK_SUFFIX
from grader.collect.near import SUFFIX, is_notebook, is_source, meant, patient_of, stem_of
from grader.collect.notebook import MAX_NOTEBOOK_BYTES, Pages, dig
from grader.collect.reasons import PACK, is_archive, is_work
from grader.course.claims import NOTEBOOK, claims_of, written
from grader.course.imports import own_modules
from grader.course.markers import left_to_mend, left_to_write, raising_alike
from grader.course.release import untouched
from grader.errors import LearnerError
from grader.learner import words
from grader.learner.workspace import Workspace
from grader.model import Exercise
from grader.report.words import told
from grader.runs.texts import digest_of

MAX_NAME_CHARACTERS = 60  # of the file; platforms put a name and numbers before it
_MODE = 0o100644 << 16  # a plain file, as Unix writes it into an archive


@dataclass(frozen=True)
class Pack:
    """The ``files`` of a pack, by name, with the ``modules`` made of them. Of the exercises that
    were asked for, or are imported, ``as_given`` are still what they were given as; ``absent`` are
    not there at all, ``unread`` is why others cannot be read, and ``left_out`` why other work is
    not in it.
    """

    files: Mapping[str, bytes]
    modules: Mapping[str, str]
    as_given: Sequence[str]
    absent: Sequence[str]
    unread: Mapping[str, str]
    left_out: Mapping[str, str]

    @property
    def archive(self) -> bytes:
        """Stored, not packed tighter: that would differ from one zlib to another."""
        raw = io.BytesIO()
        with zipfile.ZipFile(raw, "w") as archive:
            for name in sorted(self.files):
                entry = zipfile.ZipInfo(name)
                entry.create_system, entry.external_attr = 3, _MODE  # as on Unix
                archive.writestr(entry, self.files[name])
        return raw.getvalue()


def packed(workspace: Workspace, asked: Iterable[Exercise], pages: Pages) -> Pack:
    """The work on these exercises; raises ``LearnerError`` where there is none."""
    work, given = _work(workspace, pages)
    names = [exercise.name for exercise in asked]
    wanted = _wanted(work, given, names)
    used = sorted(wanted & work.files.keys())
    unread = {n: told(cause).rationale for n, cause in work.problems.items() if n in wanted}
    if not work.files.keys() & set(names):
        why = " ".join(["", *unread.values()])
        raise LearnerError(words.NOTHING_TO_PACK.format(folder=workspace.folder, why=why))
    return Pack(
        dict([_claims(workspace, work, used), *(_file(workspace, work, one) for one in used)]),
        {module: work.files[module] for module in used},
        [name for name in workspace.catalog if name in given & wanted],
        [name for name in names if name not in {*work.files, *unread, *given}],
        unread,
        dict(_left_out(work, workspace.catalog, wanted)),
    )


def _wanted(work: Modules, given: Iterable[str], names: Iterable[str]) -> set[str]:
    """The exercises, what `grader clinic` made of them, and all modules of one's own that these
    import, whatever became of them.
    """
    there = {**work.files, **dict.fromkeys([*given, *work.problems], "")}
    names = list(names)
    asked = [*names, *(one for one in there if patient_of(one, work.known) in names)]
    return set().union(*({name} | own_modules(there, name) for name in asked))


def file_name(title: str) -> str:
    """How the pack of a course or an assignment is called: in letters that every platform keeps."""
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    return f"{re.sub(r'[^a-z0-9]+', '-', plain)[:MAX_NAME_CHARACTERS].strip('-') or 'pack'}.zip"


def require_free(path: Path) -> None:
    """Raises ``LearnerError`` where something else than a pack would be overwritten."""
    if path.suffix.lower() != ".zip":
        raise LearnerError(words.NO_ZIP.format(path=path))
    if not path.exists():
        return
    try:
        with zipfile.ZipFile(path) as archive:
            is_pack = PACK in archive.namelist()
    except (OSError, zipfile.BadZipFile):
        is_pack = False
    if not is_pack:
        raise LearnerError(words.NO_PACK_THERE.format(path=path))


def _work(workspace: Workspace, pages: Pages) -> tuple[Modules, set[str]]:
    """What was written, and the exercises of which there is only what was given."""
    given: set[str] = set()

    def is_given(name: str, raw: bytes) -> bool:
        is_stub = not workspace.differs(name, raw.decode("utf-8-sig", "replace"))
        given.update([name] if is_stub else [])
        return is_stub

    work = own_work(workspace.folder, workspace.catalog, pages, is_given)
    for name in workspace.catalog.keys() & work.files.keys():
        if _is_notebook(work, name) and _is_unwritten(workspace, name, work.files[name]):
            given.add(name)
            del work.files[name]
    return work, given - work.files.keys()


def _is_unwritten(workspace: Workspace, name: str, text: str) -> bool:
    """Whether a notebook lacks all bodies, and holds those that are given as they are; its text is
    never that of the stub.
    """
    stub = untouched(workspace.course, name)
    if left_to_write(text) < left_to_write(stub) or not left_to_mend(stub):
        return left_to_write(text) >= left_to_write(stub)
    from grader.programs.given import statements_apart  # imports torch, which few packs need

    return statements_apart(raising_alike(stub), raising_alike(text)) == 0


def _source(work: Modules, module: str) -> Name:
    return work.sources.get(module, (module + SUFFIX,))


def _is_notebook(work: Modules, module: str) -> bool:
    return is_notebook(_source(work, module)[-1])


def _file(workspace: Workspace, work: Modules, module: str) -> tuple[str, bytes]:
    """A module as it is called when it is imported; a notebook without its outputs."""
    source = _source(work, module)
    path = workspace.folder.joinpath(*source)
    if not _is_notebook(work, module) or not path.is_file():
        return module + SUFFIX, work.files[module].encode()
    named = meant(source[-1], work.known) is not None
    name = module + NOTEBOOK_SUFFIX if named else source[-1]
    return name, without_outputs(read_at_most(path, MAX_NOTEBOOK_BYTES))


def without_outputs(raw: bytes) -> bytes:
    """A notebook's cells as they were written: outputs and settings tell of a machine."""
    notebook = json.loads(raw.decode("utf-8-sig"))
    for cell in filter(lambda cell: isinstance(cell, dict), notebook["cells"]):
        marks = dig(cell, "metadata", "nbgrader")
        cell["metadata"] = {"nbgrader": marks} if marks else {}
        if cell.get("cell_type") == "code":
            cell |= {"outputs": [], "execution_count": None}
    notebook["metadata"] = {}
    return (json.dumps(notebook, indent=1, ensure_ascii=False) + "\n").encode("utf-8", "replace")


def _claims(workspace: Workspace, work: Modules, used: Iterable[str]) -> tuple[str, bytes]:
    digests = {
        module: NOTEBOOK if _is_notebook(work, module) else digest_of(work.files[module])
        for module in used
    }
    return PACK, written(claims_of(workspace.course, digests)).encode()


def _left_out(
    work: Modules, catalog: Mapping[str, Exercise], wanted: Set[str]
) -> Iterable[tuple[str, str]]:
    """What may be work and is not in the pack, with the reason; other exercises are not told, nor
    what cannot be read of those ``wanted``.
    """
    for module in sorted(work.files.keys() - wanted - catalog.keys()):
        yield spelled(_source(work, module)), words.NOT_IMPORTED
    for one in work.ignored:
        name = one.path.removeprefix(f"{work.path}/")
        may_be_work = is_source(name) or is_archive(name) or is_work(name)
        if may_be_work and stem_of(name) not in work.problems.keys() & wanted:
            yield name, one.reason
