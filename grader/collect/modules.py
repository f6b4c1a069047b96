"""What was found of one submission so far, within its limits."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field

from grader.collect.layout import Layout, Name, spelled
from grader.collect.names import clean_name, shown
from grader.collect.near import SUFFIX, patient_of
from grader.collect.reasons import PATIENT_STAYS, is_work
from grader.collect.shapes import Whose
from grader.model import Cause, Fact, Submission

MAX_SOURCE_BYTES = 1 << 20
MAX_SUBMISSION_BYTES = 4 << 20
MAX_MODULES = 200
MAX_IGNORED = 50  # named one by one; of a checkout with all its tools nobody wants to read


_REASONS = {
    "too_large": f"it is larger than {MAX_SOURCE_BYTES >> 20} MiB",
    "too_large_together": f"all files with it are larger than {MAX_SUBMISSION_BYTES >> 20} MiB",
    "not_utf8": "it is not UTF-8 text",
    "several": "it was handed in more than once",
    "a_link": "it is a link; links are not followed",
}


@dataclass(frozen=True)
class Ignored:
    """Something that lay there and is not graded: where, and why not."""

    path: str
    reason: str


@dataclass(frozen=True)
class Note:
    """Something that is graded, and what a person should know about how it was found."""

    path: str
    says: str


class NotRead(Exception):
    """A file could not be read; ``kind`` is that of the cause, ``facts`` are its own."""

    def __init__(self, kind: str, **facts: Fact) -> None:
        super().__init__(kind)
        self.kind, self.facts = kind, facts


@dataclass
class Modules:
    """The modules of one submission, by name; ``path`` is where all of it lies, ``is_file`` whether
    that is a file by itself. In one's ``own`` folder ``softmax-2.py`` is a draft, and no platform's
    mark of a later attempt. ``sources`` are the files that modules were read from, ``claims`` what
    a pack says of itself.
    """

    path: str
    known: Collection[str]
    is_file: bool = False
    own: bool = False
    claims: str = ""
    files: dict[str, str] = field(default_factory=dict)
    problems: dict[str, Cause] = field(default_factory=dict)
    sources: dict[str, Name] = field(default_factory=dict)
    notes: list[Note] = field(default_factory=list)
    _unread: list[tuple[str, str, str]] = field(default_factory=list)
    _ignored: list[Ignored] = field(default_factory=list)
    _more_ignored: int = 0
    _bytes: int = 0

    def fill(self, layout: Layout, read: Callable[[str, Name], bytes]) -> None:
        """Read what was chosen; ``read(module, name)`` gives its text, or raises ``NotRead``. The
        exercises come before others.
        """
        for name, reason in layout.ignored.items():
            self.ignore(spelled(name), reason)
        for name, says in layout.told.items():
            path = self.path if self.is_file else f"{self.path}/{shown(spelled(name))}"
            self.notes.append(Note(path, says))
        for module, names in layout.several.items():
            self.refuse("several", module, places=tuple(map(spelled, names)))
        modules = sorted(layout.chosen, key=lambda module: (module not in self.known, module))
        for module in modules[:MAX_MODULES]:
            self._take(module, layout.chosen[module], read)
        for module in modules[MAX_MODULES:]:
            reason = f"it is one of more than {MAX_MODULES} modules"
            self.ignore(spelled(layout.chosen[module]), reason)

    def _take(self, module: str, name: Name, read: Callable[[str, Name], bytes]) -> None:
        self.sources[module] = name
        if (mended := patient_of(module, self.known)) and not self.own:
            self.ignore(spelled(name), PATIENT_STAYS.format(name=mended))
        try:
            self.add(module, read(module, name), name[-1])
        except NotRead as refused:
            self.refuse(refused.kind, module, name[-1], **refused.facts)

    def add(self, module: str, raw: bytes, name: str = "") -> None:
        """``raw`` is the text of ``module``; ``name`` is the file's, where that is not its own."""
        if len(raw) > MAX_SOURCE_BYTES:
            self.refuse("too_large", module, name, mib=MAX_SOURCE_BYTES >> 20)
        elif self._bytes + len(raw) > MAX_SUBMISSION_BYTES:
            self.refuse("too_large_together", module, name, mib=MAX_SUBMISSION_BYTES >> 20)
        else:
            self._bytes += len(raw)
            try:
                self.files[module] = raw.decode("utf-8-sig")
            except UnicodeDecodeError as error:
                self.refuse("not_utf8", module, name, byte=error.start)

    def add_to_all(self, raw: bytes, name: str) -> None:
        """One file stands for every exercise, and counts once."""
        for module in self.known:
            self._bytes = 0
            self.add(module, raw, name)

    def refuse(self, kind: str, module: str, name: str = "", **facts: Fact) -> None:
        """``module`` cannot be read; ``name`` is the file's, where that is not its own."""
        name = clean_name(name or f"{module}{SUFFIX}")
        self.problems.setdefault(module, Cause(kind, {"module": module, "name": name, **facts}))
        if module not in self.known:  # no check of its own will say so
            self.ignore(name, _REASONS.get(kind, f"it cannot be read: {facts.get('said', '')}"))

    def refuse_all(self, kind: str, name: str, said: str = "", **facts: Fact) -> None:
        """Nothing of the submission can be read: every exercise says so."""
        for module in self.known:
            self.refuse(kind, module, name, said=said, **facts)

    def unread(self, kind: str, name: str, said: str) -> None:
        """A file that may hold work and cannot be read: told, and where nothing else was handed in
        the reason for which nothing is graded.
        """
        self._unread.append((kind, name, said))
        self.ignore(name, f"it cannot be unpacked: {said}" if kind == "not_unpacked" else said)

    def unread_or_ignore(self, name: str, reason: str) -> None:
        """What cannot be graded; work of another kind counts as unread."""
        if is_work(name):
            self.unread("unreadable", name, reason)
        else:
            self.ignore(name, reason)

    def ignore(self, name: str, reason: str) -> None:
        """What lies within the submission under ``name`` is not graded."""
        if len(self._ignored) < MAX_IGNORED:
            path = self.path if self.is_file else f"{self.path}/{shown(name)}"
            self._ignored.append(Ignored(path, reason))
        else:
            self._more_ignored += 1

    @property
    def ignored(self) -> list[Ignored]:
        more = Ignored(self.path, f"and {self._more_ignored} more files and folders in it")
        return [*self._ignored, more] if self._more_ignored else list(self._ignored)

    @property
    def claims_by_path(self) -> dict[str, str]:
        return {self.path: self.claims} if self.claims else {}

    def submission(self, whose: Whose) -> Submission:
        """All of it, under the student's name; of what could not be read every exercise says so."""
        if self._unread and not self.files and not self.problems:
            self.refuse_all(*self._unread[0])
        student = clean_name(whose.student)
        return Submission(
            name=student,
            student=student,
            files=self.files,
            problems=self.problems,
            path=self.path,
            student_id=whose.id,
            late=whose.late,
            handed_in=whose.handed_in,
        )
