"""Pages in one archive, to be handed back: the same bytes for the same pages, names for everybody.

In Moodle's shape every page lies in a folder ``Ann Lee_12345_assignsubmission_file_``, as in the
download; "Upload multiple feedback files in a zip" takes that. Source: Moodle,
mod/assign/feedback/file/importziplib.php, ``is_valid_filename_for_import``.
"""

from __future__ import annotations

import io
import re
import unicodedata
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePath

from grader.model import Report

_FIRST_DAY = (1980, 1, 1, 0, 0, 0)  # archives know no earlier one
_READABLE = 0o100644 << 16
# What Windows refuses in a name, or takes for a device.
_FORBIDDEN = re.compile(r'[<>:"|?*\\\x00-\x1f\x7f]')
_DEVICES = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)
_MOODLE_FOLDER = "{name}_{id}_assignsubmission_file_"
MOODLE_PAGE = "feedback.html"


def zipped(pages: Mapping[PurePath, str]) -> bytes:
    """An archive of the pages, under names that no two of them share on any system."""
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w", zipfile.ZIP_DEFLATED) as archive:
        ordered = sorted(pages, key=str)
        for path, name in zip(ordered, _told_apart(ordered), strict=True):
            entry = zipfile.ZipInfo(name, _FIRST_DAY)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, _READABLE
            entry.create_system = 3  # Unix, wherever it is made
            archive.writestr(entry, pages[path].encode())
    return memory.getvalue()


def moodle_folder(report: Report) -> str:
    """Where Moodle looks for the feedback; empty where the participant's number is not known."""
    if not re.fullmatch(r"[0-9]+", report.student_id):
        return ""
    bare = re.sub(r"[_/]+", " ", report.student).strip() or "student"
    return _MOODLE_FOLDER.format(name=bare, id=report.student_id)


def _told_apart(paths: Iterable[PurePath]) -> Iterator[str]:
    """A name for each; capitals and accents written in two ways do not tell two apart."""
    taken: set[str] = set()
    for path in paths:
        safe = PurePath(*map(_safe, path.parts))
        number, name = 1, safe
        while _key(name) in taken:
            number += 1
            name = safe.with_name(f"{safe.stem} ({number}){safe.suffix}")
        taken.add(_key(name))
        yield name.as_posix()


def _key(path: PurePath) -> str:
    return unicodedata.normalize("NFC", path.as_posix()).casefold()


def _safe(part: str) -> str:
    """A name that Windows, macOS and Linux take."""
    bare = _FORBIDDEN.sub("_", unicodedata.normalize("NFC", part)).rstrip(". ") or "_"
    return f"_{bare}" if _DEVICES.fullmatch(bare) else bare
