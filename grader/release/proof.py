"""The proof that a released folder holds nothing that must stay at home, whatever files are called.

What must stay: lines of solution bodies, of programs in banks, and of suites; sentences of checks
that are not let out. Every file is read, packed ones unpacked, and searched for all of them.
"""

from __future__ import annotations

import ast
import contextlib
import lzma
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from grader.course.catalog import load_catalog
from grader.course.course import Course
from grader.course.release import untouched
from grader.course.suite_text import read_suite
from grader.examiner.sealed.codec import read
from grader.examiner.sealed.script import sentences_of
from grader.release import words

LEAST = 16  # characters: a shorter line, `return x @ y`, is nobody's secret


def leaks(course: Course, folder: Path, said: Iterable[str] = ()) -> list[str]:
    """A sentence for each line of ``folder`` that must not be there; none means proved. Sentences
    that are ``said`` anyway need not be in it yet.
    """
    lines = sorted(secret_lines(course, folder, said))
    found: list[str] = []
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        text, place = _Searched(_text_of(path)), path.relative_to(folder).as_posix()
        found += [words.LEAK.format(path=place, line=line) for line in lines if line in text]
    return found


def secret_lines(course: Course, folder: Path, said: Iterable[str] = ()) -> set[str]:
    """All that must not be in ``folder``, line by line. What a page prints anyway is no secret, be
    it a name that a suite has in quotes, nor what a sentence that is let out says of a slip.
    """
    catalog = load_catalog(course)
    open_to_all = [path.read_text(encoding="utf-8") for path in _open_to_all(course)]
    pages = [untouched(course, name) for name in catalog]
    printed = _Searched("\n".join([*open_to_all, *pages, *said, *_released_sentences(folder)]))
    secret = {check.sentence for name in catalog for check in read_suite(course, name)}
    for name in catalog:
        secret |= set(_lines(course.solution(name).read_text(encoding="utf-8")))
        secret |= set(_code(course.suite(name))) | set(_slips(course.misconceptions(name)))
        secret |= set(_code(course.misconceptions(name)))
        if course.predictions(name).exists():
            secret |= set(_code(course.predictions(name)))
    return {line for line in secret if line.strip("\"',") not in printed}


class _Searched:
    """A text in which many lines are sought: whether it may hold one, its beginning says."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._beginnings = {text[at : at + LEAST] for at in range(len(text))}

    def __contains__(self, line: str) -> bool:
        may = len(line) < LEAST or line[:LEAST] in self._beginnings
        return may and line in self._text


def _open_to_all(course: Course) -> list[Path]:
    paths = [path for one in course.line for path in (one.exercises / "README.md", one.catalog)]
    return [path for path in paths if path.exists()]


def _lines(text: str) -> Iterator[str]:
    for line in text.splitlines():
        if len(line.strip()) >= LEAST:
            yield line.strip()


def _code(path: Path) -> Iterator[str]:
    """The lines of a file's functions, without docstrings."""
    raw = path.read_bytes()
    rows = raw.splitlines(keepends=True)
    for node in ast.walk(ast.parse(raw)):
        if isinstance(node, ast.FunctionDef):
            for statement in node.body[1 if ast.get_docstring(node) else 0 :]:
                yield from _lines(_segment(rows, statement))


def _segment(rows: list[bytes], node: ast.stmt) -> str:
    """As ``ast.get_source_segment``, which splits the whole text anew for every statement."""
    found = rows[node.lineno - 1 : node.end_lineno]
    found[-1] = found[-1][: node.end_col_offset]
    found[0] = found[0][node.col_offset :]
    return b"".join(found).decode()


def _slips(path: Path) -> Iterator[str]:
    """The lines that slips take away and put in."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id == "wrong"
        ):
            for part in node.args[4:]:
                if isinstance(part, ast.Constant) and isinstance(part.value, str):
                    yield from _lines(part.value)


def _released_sentences(folder: Path) -> Iterator[str]:
    """Of checks and of misconceptions, and what checks say in the end: as they are, and as a line
    of a suite holds them.
    """
    for path in sorted(folder.rglob("*.sealed")):
        practice = read(path.read_bytes())
        yield from (entry.sentence for entry in practice["entries"])
        for one in practice["checks"]:
            yield one["check"].sentence
            for said in sentences_of(one["recording"].path):
                yield from (said, f'"{said}"', f'"{said}",')


def _text_of(path: Path) -> str:
    """All that can be read in a file, with line breaks and quotes as they were before JSON."""
    raw = path.read_bytes()
    for unpacked in (lzma.decompress, zlib.decompress):
        with contextlib.suppress(zlib.error, lzma.LZMAError):
            text = unpacked(raw).decode("utf-8", errors="replace")
            return text.replace("\\n", "\n").replace('\\"', '"').replace("\\\\", "\\")
    return raw.decode("utf-8", errors="replace")
