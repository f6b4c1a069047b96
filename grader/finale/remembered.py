"""What was found of a learner's pages need not be found again of the same texts."""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from grader import __version__
from grader.course.course import Course
from grader.course.imports import own_modules
from grader.course.suite_digests import suite_digests

FILE_NAME = "ready.json"  # in the folder of what was trained


def digests(course: Course, files: Mapping[str, str], names: Iterable[str]) -> dict[str, str]:
    """By page, a hash over all that decides: its text, those that it imports, and its suite."""
    suites = suite_digests(course)
    found = {}
    for name in names:
        used = [name, *sorted(own_modules(files, name))]
        parts = (__version__, suites[name], [(one, files.get(one, "")) for one in used])
        found[name] = hashlib.sha256(repr(parts).encode()).hexdigest()[:16]
    return found


def remembered(folder: Path, now: Mapping[str, str]) -> dict[str, bool]:
    """What was found earlier of the pages whose digests are those of ``now``."""
    known = _read(folder / FILE_NAME)
    return {
        name: known[name][digest]
        for name, digest in now.items()
        if type(known.get(name, {}).get(digest)) is bool
    }


def remember(folder: Path, now: Mapping[str, str], found: Mapping[str, bool]) -> None:
    """For the next time; what cannot be kept is found out again then."""
    known = _read(folder / FILE_NAME) | {name: {now[name]: right} for name, right in found.items()}
    with contextlib.suppress(OSError):
        folder.mkdir(exist_ok=True)
        (folder / FILE_NAME).write_text(json.dumps(known, indent=1), encoding="utf-8")


def _read(path: Path) -> dict[str, dict[str, bool]]:
    try:
        known = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    if not isinstance(known, dict):
        return {}
    return {name: one for name, one in known.items() if isinstance(one, dict)}
