"""Who is in the class, from a CSV -> whose the submissions are, and who handed in nothing.

Read are Canvas' gradebook, Moodle's grading worksheet and its list of participants, GitHub
Classroom's roster, and any table of two columns, id and name.
"""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from grader.collect.modules import Note
from grader.collect.names import shown
from grader.collect.place import Collected
from grader.collect.regular import read_at_most
from grader.errors import CollectError
from grader.model import Submission

MAX_BYTES = 8 << 20  # tens of thousands of students with all their marks
NOT_ENROLLED = "nobody of the roster has this id or name"
NAMESAKES = "several of the roster have this name, and no id tells which of them it is"
TWICE = "the roster's {name} has more than one submission"

# The columns of ids, the platform's own first, and those of names; all in lower case.
_IDS = (
    "id", "identifier", "sis user id", "sis login id", "id number", "student id", "student_id",
    "sid", "username", "github_username", "login", "email address", "email",
)  # fmt: skip
_NAMES = ("student", "full name", "name", "student name", "full_name")
_FIRST = ("first name", "first_name", "given name")
_LAST = ("last name", "last_name", "surname", "family name")
_NO_STUDENT = ("points possible", "student, test", "test student")  # rows that Canvas adds
_PARTICIPANT = re.compile(r"\D*\s(\d+)")  # Moodle: "Participant 12345"


@dataclass(frozen=True)
class Enrolled:
    """One student of the class; ``ids`` are all that the roster knows, the platform's own first."""

    name: str
    ids: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        return self.ids[0] if self.ids else ""

    @property
    def spellings(self) -> frozenset[str]:
        """As platforms write the name: ``Ann Lee``, ``Lee, Ann`` and ``leeann``."""
        last, comma, first = (part.strip() for part in self.name.partition(","))
        if not comma:
            first, _, last = self.name.strip().rpartition(" ")
        whole = {self.name, f"{first} {last}", f"{last} {first}", f"{last}, {first}"}
        squeezed = {_squeezed(last + first), _squeezed(first + last)}
        return frozenset({folded(one) for one in whole | squeezed} - {""})


def folded(text: str) -> str:
    """Composed, without regard to case and the number of spaces."""
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())


def _squeezed(name: str) -> str:
    """Canvas' files have the letters, marks and digits of a name alone."""
    kept = (c for c in unicodedata.normalize("NFC", name) if unicodedata.category(c)[0] in "LMN")
    return "".join(kept)


def read_roster(path: Path) -> tuple[Enrolled, ...]:
    """The students in the order of the file; raises ``CollectError`` for what is no roster."""
    try:
        raw = read_at_most(path, MAX_BYTES)
        text = raw.decode("utf-8-sig")
        rows = [row for row in csv.reader(io.StringIO(text), delimiter=_delimiter(text)) if row]
    except OSError as error:
        raise CollectError(f"{shown(path)} cannot be read ({error.strerror}).") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise CollectError(f"{shown(path)} is no CSV in UTF-8 ({error}).") from error
    found = tuple(dict.fromkeys(_enrolled(rows)))
    if not found:
        raise CollectError(
            f"{shown(path)} names nobody: expected the CSV of Canvas or Moodle, or two columns, "
            "id and name."
        )
    return found


def _delimiter(text: str) -> str:
    """The sign that the first line has most of: Excel writes ``;`` in half of Europe."""
    line = text.partition("\n")[0]
    return max(",;\t", key=line.count)


def _enrolled(rows: Sequence[Sequence[str]]) -> Iterable[Enrolled]:
    first = rows[0] if rows else []
    head = {name.strip().lower(): at for at, name in reversed(list(enumerate(first)))}
    has_head = any(name in head for name in (*_NAMES, *_LAST, *_IDS))
    if not has_head:
        head = {"id": 0, "name": 1}
    for row in rows[has_head:]:
        cells = {name: row[at].strip() for name, at in head.items() if at < len(row)}
        ids = tuple(dict.fromkeys(_id(cells[key]) for key in _IDS if cells.get(key)))
        name = _name(cells)
        if name and folded(name) not in _NO_STUDENT:
            yield Enrolled(name, ids)


def _name(cells: Mapping[str, str]) -> str:
    whole = next((cells[key] for key in _NAMES if cells.get(key)), "")
    first = next((cells[key] for key in _FIRST if cells.get(key)), "")
    last = next((cells[key] for key in _LAST if cells.get(key)), "")
    return whole or f"{first} {last}".strip()


def _id(text: str) -> str:
    participant = _PARTICIPANT.fullmatch(text)
    return participant[1] if participant else text


def tied(found: Collected, roster: Sequence[Enrolled]) -> Collected:
    """``found`` with the names and ids of the roster; told are those who are not on it, and those
    who handed in nothing.
    """
    index = _Index(roster)
    submissions, notes, owners = [], list(found.notes), []
    for submission in found:
        who, why = index.of(submission)
        group = index.group(submission) if who is None else []
        if group:
            owners += group
            submissions.append(submission)
            continue
        if who is None:
            notes.append(Note(submission.path, why))
            submissions.append(submission)
            continue
        if who in owners:
            notes.append(Note(submission.path, TWICE.format(name=who.name)))
        owners.append(who)
        submissions.append(replace(submission, student=who.name, student_id=who.id))
    absent = tuple(_shown(who) for who in roster if who not in owners)
    return replace(found, submissions=tuple(submissions), notes=tuple(notes), absent=absent)


def _shown(who: Enrolled) -> str:
    return f"{who.name} ({who.id})" if who.id else who.name


class _Index:
    """The roster by ids and by spellings."""

    def __init__(self, roster: Sequence[Enrolled]) -> None:
        self._by_id: dict[str, list[Enrolled]] = {}
        self._by_name: dict[str, list[Enrolled]] = {}
        for who in roster:
            for one in who.ids:
                self._by_id.setdefault(folded(one), []).append(who)
            for spelling in who.spellings:
                self._by_name.setdefault(spelling, []).append(who)

    def group(self, submission: Submission) -> list[Enrolled]:
        """Those who handed in together, as Gradescope lists them, if all are on the roster."""
        members = submission.student.split(", ")
        found = [self._by_name.get(folded(member), []) for member in members]
        return [one[0] for one in found] if all(len(one) == 1 for one in found) else []

    def of(self, submission: Submission) -> tuple[Enrolled | None, str]:
        """Whose it is, or why nobody can tell: by the id, by the name, by an id in the name."""
        name = folded(submission.student)
        after = name.rpartition("-")[2]  # a clone of GitHub Classroom: ASSIGNMENT-USER
        for found in (
            self._by_id.get(folded(submission.student_id), []),
            self._by_name.get(name, []),
            self._by_id.get(name, []),
            self._by_id.get(after, []) if after != name else [],
        ):
            if len(found) == 1:
                return found[0], ""
            if found:
                return None, NAMESAKES
        return None, NOT_ENROLLED
