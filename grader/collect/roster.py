"""Who is in the class, from a CSV.

Read are Canvas' gradebook, Moodle's grading worksheet and its list of participants, GitHub
Classroom's roster, and any table of two columns, id and name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.collect.names import shown
from grader.collect.table import Table, letters, read_table
from grader.errors import CollectError

# Headings, with letters and digits only: of ids, the platform's own first, and of names.
IDS = (
    "id", "identifier", "sisuserid", "sisloginid", "sislogin", "idnumber", "studentid", "sid",
    "username", "githubusername", "login", "emailaddress", "email",
)  # fmt: skip
NAMES = ("student", "fullname", "name", "studentname")
FIRST = ("firstname", "givenname")
LAST = ("lastname", "surname", "familyname")
_TITLES = (*IDS, *NAMES, *FIRST, *LAST)
_NO_STUDENT = ("pointspossible", "studenttest", "teststudent")  # rows that Canvas adds
_PARTICIPANT = re.compile(r"\D*\s(\d+)")  # Moodle: "Participant 12345"
_WITHOUT_HEADING = ("id", "name")


@dataclass(frozen=True)
class Enrolled:
    """One student of the class; ``ids`` are all that the roster knows, the platform's own first,
    ``also`` are further names. Without a name the first id stands for it.
    """

    name: str
    ids: tuple[str, ...] = ()
    also: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        return self.ids[0] if self.ids else ""

    @property
    def spellings(self) -> frozenset[str]:
        """As platforms write the name, in letters alone: ``Ann Lee``, ``Lee, Ann`` and ``leeann``
        are two of these, and so are all ways to put the last names first.
        """
        turned = (one for name in (self.name, *self.also) for one in _turned(name))
        return frozenset(map(letters, turned)) - {""}


def _turned(name: str) -> Iterator[str]:
    """From where the last name may begin, to the beginning: ``Ann van Ek`` is ``van Ek Ann``."""
    words = name.replace(",", " ").split()
    return (" ".join([*words[at:], *words[:at]]) for at in range(max(len(words), 1)))


def read_roster(path: Path) -> tuple[Enrolled, ...]:
    """The students in the order of the file; raises ``CollectError`` for what is no roster."""
    table = as_roster(read_table(path, _TITLES))
    every = (enrolled(table, row) for row in table.rows)
    found = tuple(dict.fromkeys(w for w in every if w and letters(w.name) not in _NO_STUDENT))
    if not found:
        raise CollectError(
            f"{shown(path)} names nobody: expected the CSV of Canvas or Moodle, or two columns, "
            "id and name."
        )
    return found


def read_roster_table(path: Path) -> Table:
    """The same file as a table, whose columns can be filled; raises ``CollectError``."""
    table = read_table(path, _TITLES)
    if not table.head:
        raise CollectError(f"{shown(path)} is empty: export the roster once more.")
    return table


def as_roster(table: Table) -> Table:
    """With a heading, if it has none that is known: then its columns are id and name."""
    if any(letters(title) in _TITLES for title in table.head):
        return table
    rows = [row for row in (table.head, *table.rows) if all(cell.strip() for cell in row[:2])]
    both = tuple(row[:2] for row in rows if len(row) > 1)
    return Table(_WITHOUT_HEADING, both, table.separator)


def enrolled(table: Table, row: Sequence[str]) -> Enrolled | None:
    """The student of a row; None where it names nobody, and no id."""
    cells = [(letters(title), text.strip()) for title, text in zip(table.head, row, strict=True)]
    ids = tuple(dict.fromkeys(map(as_id, _said(cells, IDS))))
    first, last = " ".join(_said(cells, FIRST)), " ".join(_said(cells, LAST))
    whole = _said(cells, NAMES)
    parts = (f"{first} {last}", f"{last} {first}")
    names = [*whole, *(part.strip() for part in parts if part.strip()), *ids]
    if not names:
        return None
    also = dict.fromkeys(name for name in names[1:] if name not in ids)
    return Enrolled(names[0], ids, tuple(also))


def as_id(text: str) -> str:
    """``Participant 12345``, in whatever language, is ``12345``."""
    participant = _PARTICIPANT.fullmatch(text.strip())
    return participant[1] if participant else text


def _said(cells: Sequence[tuple[str, str]], titles: Sequence[str]) -> tuple[str, ...]:
    """What stands under these titles, in their order."""
    found = [text for wanted in titles for title, text in cells if title == wanted and text]
    return tuple(dict.fromkeys(found))
