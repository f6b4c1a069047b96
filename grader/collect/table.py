"""A table that a platform or a person wrote, as CSV; cells are kept as they are."""

from __future__ import annotations

import csv
import io
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.collect.names import shown
from grader.collect.regular import read_at_most
from grader.errors import CollectError
from grader.spelling import folded

MAX_BYTES = 8 << 20  # tens of thousands of students with all their marks
SEPARATORS = ",;\t"  # Excel writes the second in half of Europe


@dataclass(frozen=True)
class Table:
    """Its heading, its rows, all equally long, and what separates its cells."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    separator: str = ","

    def index(self, name: str) -> int | None:
        """The place of a column; None without it. Raises ``CollectError`` if there are two."""
        found = [place for place, title in enumerate(self.head) if title.strip() == name]
        if len(found) > 1:
            raise CollectError(f"the roster has {len(found)} columns {name!r}: which one is meant?")
        return found[0] if found else None


def read_table(path: Path, titles: Iterable[str] = ()) -> Table:
    """The table in a CSV file in UTF-8, without its empty lines.

    What separates cells is the sign that makes most of ``titles`` out of the first line, of equals
    the one it has most of. Raises ``CollectError``, also for a file without any line.
    """
    try:
        raw = read_at_most(path.resolve(), MAX_BYTES)  # a link that an instructor names is followed
    except OSError as error:
        raise CollectError(f"{shown(path)} cannot be read ({error.strerror}).") from error
    if len(raw) > MAX_BYTES:
        raise CollectError(f"{shown(path)} is no roster: it is larger than {MAX_BYTES >> 20} MiB.")
    try:
        text = raw.decode("utf-8-sig")
        separator = _separator(text, frozenset(titles))
        rows = [row for row in _rows(text, separator) if row]
    except (UnicodeDecodeError, csv.Error) as error:
        raise CollectError(f"{shown(path)} is no CSV in UTF-8 ({error}).") from error
    width = max(map(len, rows), default=0)
    head, *others = [(*row, *[""] * (width - len(row))) for row in rows] or [()]
    return Table(head, tuple(others), separator)


def _rows(text: str, separator: str) -> list[list[str]]:
    """Strictly: a file that was cut off within quotes is none."""
    return list(csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True))


def _separator(text: str, titles: frozenset[str]) -> str:
    line = text.lstrip("\r\n").partition("\n")[0]

    def likely(separator: str) -> tuple[int, int]:
        cells = next(csv.reader([line], delimiter=separator), [])
        return sum(letters(cell) in titles for cell in cells), line.count(separator)

    return max(SEPARATORS, key=likely)


def written(rows: Iterable[Sequence[str]], separator: str) -> str:
    """The table as text. Cells are as the platform wrote them: it must find its own names again."""
    text = io.StringIO()
    csv.writer(text, delimiter=separator).writerows(rows)
    return text.getvalue()


def letters(text: str) -> str:
    """A name or a heading as platforms may spell it: no spaces, signs or capitals; marks that
    combine are part of a letter.
    """
    composed = folded(text)
    return "".join(c for c in composed if c.isalnum() or unicodedata.category(c)[0] == "M")
