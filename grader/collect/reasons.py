"""Why something that lies in a download is not graded."""

from __future__ import annotations

import re
from pathlib import Path

from grader.collect.near import is_notebook, is_source
from grader.collect.regular import kind_of

A_LINK = "it is a link; links are not followed"
HIDDEN = "its name begins with . or _"
NOTEBOOK = "it is a notebook, and another file stands for its exercise"
NO_NOTEBOOK = "it is no notebook that can be read"
NOTEBOOKS = "it is a notebook: `grader nbgrader` grades these"
NO_SOLUTION_CELLS = "it has none of the cells in which solutions to this exercise are written"
OWN_CELLS = "{count} cells with code that were added to it are not graded"
OTHER_ARCHIVE = "of archives only .zip, .tar and .tar.gz, .tar.bz2 or .tar.xz are read"
NO_PYTHON = "it is no Python file"
PATIENT_STAYS = (
    "no mark is made of it here: `grader patients {name} DOWNLOAD` shows whether it is mended"
)
NOT_DEEPER = "the modules lie further out"
RESULTS = "results are written there"
ONLINE_TEXT = "it is an online text, and no file"
NOBODYS = "it lies beside the submissions, and nothing says whose it is"
SAME_FILE_AGAIN = "the same name was handed in later, and that counts"
NOT_SUBMITTED = "of a course of nbgrader only the folder submitted is graded"
ONE_OR_MANY = (
    "no two of its folders hold the same exercise, and each was taken for a student's; if all is "
    "of one student, put them into one folder"
)
EACH_FILE = (
    "no file in it is called as an exercise, and each was taken for a student's with every exercise"
)
STUDENTS_BELOW = "it looks like a class: each part of it was taken for a student's"
NO_TIME = "its timestamp.txt holds no time that is understood: when it was handed in is unknown"

PACKED_AGAIN = "the same student packed again later, and that counts"

PACK = "grader-pack.toml"  # in what `grader pack` makes: what that says of itself
_PACK = re.compile(r"grader-pack([-_ ]?\(?\d{1,2}\)?)?\.toml(\.txt)?", re.IGNORECASE)
GZIPPED, BZIPPED = (".tar.gz", ".tgz"), (".tar.bz2", ".tbz2", ".tbz")
XZIPPED = (".tar.xz", ".txz")
_READ = (".zip", ".tar", *GZIPPED, *BZIPPED, *XZIPPED)
_NOT_READ = (".gz", ".bz2", ".xz", ".7z", ".rar")
_WORK = (".pdf", ".doc", ".docx", ".odt", ".rtf")


def is_archive(name: str) -> bool:
    """Whether it is an archive of a kind that is read."""
    return name.lower().endswith(_READ)


def stem_of_file(name: str) -> str:
    """``ann.tar.gz`` is ``ann``."""
    lower = name.lower()
    cut = next((s for s in (".tar.gz", ".tar.bz2", ".tar.xz") if lower.endswith(s)), "")
    return name[: -len(cut)] if cut else name.rpartition(".")[0] or name


def is_pack(name: str) -> bool:
    """Whether it says what a pack was made with, also as platforms and browsers call it then."""
    return _PACK.fullmatch(name) is not None


def ends_as_pack(name: str) -> bool:
    """Whether it may be that, behind a student's name that a platform put before it."""
    return any(is_pack(name[at + 1 :]) for at, sign in enumerate(name) if sign == "_")


def is_work(name: str) -> bool:
    """Whether somebody may have handed this in, although it may be that it cannot be graded."""
    return is_notebook(name) or name.lower().endswith((*_NOT_READ, *_WORK))


def reason_for_name(name: str) -> str:
    """Why a regular file of this name is not graded; empty if it may be."""
    if is_source(name) or is_archive(name) or is_pack(name):
        return ""
    return OTHER_ARCHIVE if name.lower().endswith(_NOT_READ) else NO_PYTHON


def reason_for(path: Path) -> str:
    """Why what lies at ``path`` is not graded; empty if it may be."""
    try:
        kind = kind_of(path)
    except OSError as error:
        return f"it cannot be read: {error.strerror}"
    if kind != "a file":
        return A_LINK if kind == "a link" else f"it is {kind}"
    return reason_for_name(path.name)
