"""The files of a class as platforms pack them, and the rosters that they give.

Sources: Canvas LMS, lib/content_zipper.rb; Moodle, mod/assign/classes/downloader.php; Gradescope's
export of submissions; Classroom 50, `gh teacher download`; nbgrader's folder of a course.
"""

from __future__ import annotations

import datetime
import json
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence

from tests.collect.downloads import tar_of, zip_of
from tests.collect.students import NOTHING, UNREAD, Student

Files = dict[str, str | bytes]
Rows = list[list[str]]

DUE = datetime.datetime(2026, 11, 20, 23, 59, tzinfo=datetime.timezone(datetime.timedelta(hours=1)))
PDF = b"%PDF-1.4"
COLUMN = "PS 1 (4711)"
NOBODY = "Nobody"  # is on every roster and hands in nothing


def handed_in(student: Student) -> datetime.datetime:
    return DUE + datetime.timedelta(hours=student.hours_late)


# What one student has -----------------------------------------------------------------------------


def modules(student: Student, *, before: bool = False) -> Files:
    """``{"softmax.py": text}``; of what counts, or of what was handed in ``before``."""
    works = student.earlier if before else student.works
    marked = {name: student.marked(name, before=before) for name in works}
    found = {f"{name}.py": work.text(marked[name]) for name, work in works.items()}
    return {"answers.pdf": PDF} if student.handed_in == UNREAD and not before else {**found}


def notebooks(student: Student, *, before: bool = False) -> Files:
    works = student.earlier if before else student.works
    marked = {name: student.marked(name, before=before) for name in works}
    found = {f"{name}.ipynb": work.notebook(marked[name]) for name, work in works.items()}
    return {"answers.pdf": PDF} if student.handed_in == UNREAD and not before else {**found}


def within(folder: str, files: Files) -> Files:
    return {f"{folder}/{name}": text for name, text in files.items()}


def those(students: Sequence[Student]) -> Iterator[Student]:
    return (student for student in students if student.handed_in != NOTHING)


# Canvas -------------------------------------------------------------------------------------------


def _canvas_name(student: Student) -> str:
    late = "_LATE" if student.late else ""
    whole = f"{student.sortable.lower()}{late}_{student.canvas}"
    return "".join(c for c in whole if c == "_" or c.isalnum() or unicodedata.category(c)[0] == "M")


def canvas(students: Sequence[Student], made: Callable[..., Files] = modules) -> Files:
    """Who hands in a file again has ``softmax-1.py``, or the same name under a later number. The
    numbers of uploads pass a power of ten on the way.
    """
    found: Files = {}
    upload = 99_999 - len(students)
    for student in those(students):
        again = made(student, before=True)
        for name, text in [*again.items(), *made(student).items()]:
            upload += 1
            shown = name
            if name in again and student.number % 2 and text != again[name]:
                shown = name.replace(".", "-1.")
            found[f"{_canvas_name(student)}_{upload}_{shown}"] = text
        if made is modules and student.handed_in == UNREAD and student.number % 2:  # no file
            del found[f"{_canvas_name(student)}_{upload}_answers.pdf"]
            found[f"{_canvas_name(student)}_text.html"] = "<p>done</p>"
    return found


def canvas_notebooks(students: Sequence[Student]) -> Files:
    return canvas(students, notebooks)


def canvas_zips(students: Sequence[Student]) -> Files:
    """Each student uploads an archive, as their own machine makes it."""
    found: Files = {}
    for student in those(students):
        inner = modules(student)
        folder = ("", "hw/", "Homework 1/src/")[student.number % 3]
        junk: Files = {f"__MACOSX/._{name}": b"\0\5\x16\7" for name in inner}
        whole = {f"{folder}{name}": text for name, text in inner.items()}
        archive = zip_of(whole | junk | {f"{folder}.DS_Store": b"\0"})
        found[f"{_canvas_name(student)}_{student.number + 700}_my hw (1).zip"] = archive
    return found


def of_canvas(students: Sequence[Student]) -> Rows:
    rows = [["Student", "ID", "SIS User ID", "SIS Login ID", "Section", COLUMN]]
    rows += [["    Points Possible", "", "", "", "", "100"]]
    rows += [[s.sortable, s.canvas, s.sis, s.login, "A", ""] for s in students]
    return [
        *rows,
        ["King, Nobody", "1", "s1", "nobody", "A", ""],
        ["Student, Test", "", "", "", "A", ""],
    ]


# Moodle -------------------------------------------------------------------------------------------


def _moodle_name(student: Student) -> str:
    return re.sub(r"[&<>\"`|':\\/]", "", f"{student.name}_{student.moodle}")


def moodle(students: Sequence[Student], end: str = "", of: str = "/") -> Files:
    """A folder for each student and kind of answer; some wrote a text as well."""
    found: Files = {}
    for student in those(students):
        at = f"{_moodle_name(student)}_assignsubmission_"
        found |= {f"{at}file{end}{of}{name}": text for name, text in modules(student).items()}
        if student.number % 3 == 0:
            found[f"{at}onlinetext{end}{of}onlinetext.html"] = "<p>done</p>"
    return found


def moodle_flat(students: Sequence[Student]) -> Files:
    return moodle(students, of="_")


def moodle_zips(students: Sequence[Student]) -> Files:
    """Up to Moodle 4 the names of folders end with a line below."""
    return {
        f"{_moodle_name(student)}_assignsubmission_file_/work.zip": zip_of(
            within("work", modules(student))
        )
        for student in those(students)
    }


def of_moodle(students: Sequence[Student]) -> Rows:
    head = ["Identifier", "Full name", "Email address", "Status", "Grade", "Maximum Grade"]
    rows = [
        [f"Participant {s.moodle}", s.name, f"{s.login}@uni.edu", "Submitted", "", "100"]
        for s in students
    ]
    return [head, *rows, ["Participant 1", "Nobody King", "nobody@uni.edu", "", "", "100"]]


# Gradescope, GitHub, Classroom 50 -----------------------------------------------------------------


def gradescope(students: Sequence[Student]) -> Files:
    found: Files = {}
    lines = ["---"]
    pacific = datetime.timezone(datetime.timedelta(hours=-8))
    for student in those(students):
        folder = f"submission_{student.number + 55_000}"
        found |= within(f"assignment_7_export/{folder}", modules(student))
        time = f"{handed_in(student).astimezone(pacific):%Y-%m-%d %H:%M:%S}.123456000 -08:00"
        plain = student.number % 2 and student.name[0].isalpha() and "'" not in student.name
        name = student.name if plain else "'{}'".format(student.name.replace("'", "''"))
        lines += [f"{folder}:", "  :submitters:", f"  - :name: {name}"]
        lines += [f"    :sid: {student.sis}", f"    :email: {student.login}@uni.edu"]
        lines += [f"  :created_at: {time}", "  :score: 0.0", "  :results:", "    :name: nobody"]
    return {"assignment_7_export/submission_metadata.yml": "\n".join(lines) + "\n", **found}


def of_gradescope(students: Sequence[Student]) -> Rows:
    rows = [[s.first, s.last, s.sis, f"{s.login}@uni.edu"] for s in students]
    head = ["First Name", "Last Name", "SID", "Email"]
    return [head, *rows, ["Nobody", "King", "s1", "nobody@uni.edu"]]


def _clone(student: Student) -> Files:
    """Modules wherever they lie in a repository; those that were there before lie in ``old``."""
    at = ("", "exercises/", "src/ps1/", "ps1/")[student.number % 4]
    found = {f"{at}{name}": text for name, text in modules(student).items()}
    found |= {f"{at}old/{name}": text for name, text in modules(student, before=True).items()}
    around: Files = {"README.md": "# PS 1", "setup.py": "", "tests/test_it.py": ""}
    return {**found, **around, ".git/HEAD": "ref: x", ".github/workflows/grade.yml": ""}


def clones(students: Sequence[Student]) -> Files:
    found: Files = {}
    for student in students:
        found |= within(f"ps1-submissions/ps1-{student.github}", _clone(student))
    return found


def of_github(students: Sequence[Student]) -> Rows:
    rows = [[s.sis, s.github, s.canvas, s.name] for s in students]
    head = ["identifier", "github_username", "github_id", "name"]
    return [head, *rows, ["s1", "nobody", "1", "Nobody King"]]


def classroom50(students: Sequence[Student]) -> Files:
    found: Files = {"scores.csv": "username,score\n"}
    for student in students:
        result: Files = {"result.json": json.dumps({"score": 0}), "results.json": "[]"}
        found |= within(f"ml-ps1-{student.github}", _clone(student) | result)
    return within("ml-ps1_submissions_2026_11_21_T_09_00_00", found)


def of_classroom50(students: Sequence[Student]) -> Rows:
    rows = [[s.github, s.first, s.last, f"{s.login}@uni.edu", "", s.canvas] for s in students]
    head = ["username", "first_name", "last_name", "email", "section", "github_id"]
    return [head, *rows, ["nobody", "Nobody", "King", "nobody@uni.edu", "", "1"]]


# nbgrader -----------------------------------------------------------------------------------------


def nbgrader(students: Sequence[Student], made: Callable[..., Files] = modules) -> Files:
    found: Files = {"source/ps1/softmax.py": "solution", "gradebook.db": b"", "header.ipynb": "{}"}
    for student in those(students):
        at = f"submitted/{student.login}/ps1"
        time = handed_in(student).astimezone(datetime.UTC)
        found |= within(at, made(student))
        found[f"{at}/timestamp.txt"] = f"{time:%Y-%m-%d %H:%M:%S}.654321 UTC"
    return found


def nbgrader_notebooks(students: Sequence[Student]) -> Files:
    return nbgrader(students, notebooks)


def of_nbgrader(students: Sequence[Student]) -> Rows:
    rows = [[s.login, s.first, s.last, f"{s.login}@uni.edu"] for s in students]
    head = ["id", "first_name", "last_name", "email"]
    return [head, *rows, ["nobody", "Nobody", "King", "nobody@uni.edu"]]


# By hand ------------------------------------------------------------------------------------------


def flat(students: Sequence[Student]) -> Files:
    return {
        f"{student.login}_{name}": text
        for student in those(students)
        for name, text in modules(student).items()
    }


def folders(students: Sequence[Student]) -> Files:
    """Called as the students; who has a namesake by an id. macOS takes letters apart (NFD)."""
    found: Files = {}
    for student in those(students):
        called = unicodedata.normalize("NFD", student.sis if student.namesake else student.name)
        inner = ("", "hw 1/", "hw/src/")[student.number % 3]
        mine = {f"{inner}{name}": text for name, text in modules(student).items()}
        old = within(f"{inner}old", modules(student, before=True))
        found |= within(f"PS 1/{called}", mine | old)
    return found


def archives(students: Sequence[Student]) -> Files:
    """A zip or tar of each student, with another one in it."""
    found: Files = {}
    for student in those(students):
        inner = zip_of(modules(student))
        if student.number % 2:
            inner = tar_of(within("src", modules(student)), "w:gz")
        kind = "tar.gz" if student.number % 2 else "zip"
        found[f"{student.login}.zip"] = zip_of({f"PS 1/hw.{kind}": inner})
    return found


_SPELLINGS = (
    "{name} (1).py|{name} (2).py", "{name}-1.py|{name}-2.py", "old/{name}.py|{Name}.py",
    "{name}_v1.py|{name}_final_v2.py", "{name}_old.py|{name}.py.txt", "old/{name}.py|{NAME}.PY",
    "{name}_backup.py|my_{name}.py",
)  # fmt: skip


def spelled_otherwise(students: Sequence[Student]) -> Files:
    """As browsers, platforms and people change names; the second one of each pair counts."""
    found: Files = {}
    for student in those(students):
        pair = _SPELLINGS[student.number % len(_SPELLINGS)].split("|")
        for before, spelling in zip((True, False), pair, strict=True):
            for file, text in modules(student, before=before).items():
                name = file.removesuffix(".py")
                shown = spelling.format(name=name, Name=name.capitalize(), NAME=name.upper())
                found[f"{student.sis}/{file if file == 'answers.pdf' else shown}"] = text
    return found


def by(key: str) -> Callable[[Sequence[Student]], Rows]:
    """A roster of two columns, without any heading."""

    def roster(students: Sequence[Student]) -> Rows:
        return [*([getattr(s, key), s.name] for s in students), ["nobody", "Nobody King"]]

    return roster
