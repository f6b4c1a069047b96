"""The folder that students get: pages, practice, catalog, and a README that says how to begin.

Everything is made of the course, so a folder that was released before is brought up to date by the
same command; an exercise of which nothing has changed is not tried again.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import shutil
import tempfile
import zipfile
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import torch

from grader import DISTRIBUTION, __version__
from grader.backends.in_flight import as_done
from grader.backends.processes import processes
from grader.course.catalog import listed, load_catalog
from grader.course.course import Course
from grader.course.ideas import words_alone
from grader.course.release import map_text
from grader.course.released import FORM, Facts, as_toml, read_facts, write_facts
from grader.course.suite_digests import suite_digests
from grader.errors import GraderError, OtherForm
from grader.examiner.sealed.practice import sealed
from grader.model import Exercise
from grader.pictures import has_scene, scene_of
from grader.pictures.seen import sealed_scene
from grader.programs.bank import load_bank
from grader.release import words
from grader.release.plain import write, write_plain
from grader.release.proof import leaks
from grader.release.trial import Which, tried

PRACTICE_SEED = 31_415_926  # of practice inputs; marks are given with another one


@dataclass(frozen=True)
class Wanted:
    """What is released, ``which`` of its checks. ``asked`` and ``due`` are an assignment's: which
    of the exercises, and when (ISO 8601).
    """

    exercises: Sequence[Exercise]
    title: str
    which: Which = Which.ALL
    asked: tuple[str, ...] = ()
    due: str = ""


@dataclass(frozen=True)
class LetOut:
    """One exercise: its practice and scene as bytes, how many checks and points these are, and why
    the others stay ``at_home``. Without bytes it is as it was.
    """

    name: str
    checks: int = 0
    points: float = 0.0
    practice: bytes = b""
    scene: bytes = b""
    at_home: Mapping[str, str] = field(default_factory=dict)


def with_needs(catalog: Mapping[str, Exercise], chosen: Iterable[Exercise]) -> list[Exercise]:
    """The exercises and all that they are built on, in teaching order."""
    names = {exercise.name for exercise in chosen}
    for exercise in reversed(list(catalog.values())):
        names |= set(exercise.needs) if exercise.name in names else set()
    return [exercise for name, exercise in catalog.items() if name in names]


def release(course: Course, wanted: Wanted, folder: Path, jobs: int = 1) -> Iterator[LetOut]:
    """Write ``folder`` and the archive beside it; yields each exercise when it is done.

    Raises ``GraderError`` for a folder that holds something else, and where what must stay at home
    would be let out; then there is no archive.
    """
    known = _facts_of(folder)
    stamps = stamps_of(course, wanted.exercises, wanted.which)
    facts = Facts(wanted.title, __version__, torch.__version__, asked=wanted.asked, due=wanted.due)
    open_ones = [e.name for e in wanted.exercises if known.stamps.get(e.name) != stamps[e.name]]
    if open_ones:
        _require_plain(course, wanted.exercises)
    (folder / "practice").mkdir(parents=True, exist_ok=True)
    for exercise in wanted.exercises:
        if exercise.name not in open_ones:
            facts = facts.like(known, exercise.name)
            yield LetOut(exercise.name)
    with processes(jobs) as place:
        job = partial(_let_out, str(course.root), wanted.which)
        for name, done in as_done(place, job, open_ones):
            one = done.result()
            write(folder / "practice" / f"{name}.sealed", one.practice)
            write(folder / "practice" / f"{name}.scene", one.scene)
            facts = facts.adding(name, one.checks, one.points, len(one.at_home), stamps[name])
            write_facts(folder, facts)
            yield one
    _write_pages(course, wanted, folder, facts)
    _require_none(leaks(course, folder))
    _zip(folder)


def _require_plain(course: Course, exercises: Sequence[Exercise]) -> None:
    """That nothing plain gives away what must stay at home, before the long part begins. Sentences
    of misconceptions may yet be let out.
    """
    banks = [load_bank(course.misconceptions(e.name), course.solution(e.name)) for e in exercises]
    said = [entry.sentence for bank in banks for entry in bank]
    with tempfile.TemporaryDirectory() as scratch:
        write_plain(course, [exercise.name for exercise in exercises], Path(scratch))
        _require_none(leaks(course, Path(scratch), said))


def _require_none(found: Sequence[str]) -> None:
    if found:
        raise GraderError(words.LEAKED.format(leaks="; ".join(found[:3])))


def archive_of(folder: Path) -> Path:
    """The archive beside a released folder."""
    return folder.with_name(f"{folder.name}.zip")


def _facts_of(folder: Path) -> Facts:
    """What is known of an earlier release there; of one in another form all is made anew."""
    if not folder.exists() or not any(folder.iterdir()):
        return Facts("", "", "")
    if not Course(folder).is_released:
        raise GraderError(words.TAKEN.format(folder=folder))
    try:
        return read_facts(folder)
    except OtherForm:
        return Facts("", "", "")


def _let_out(root: str, which: Which, name: str) -> LetOut:
    """One exercise, in a process of its own."""
    course = Course(Path(root))
    catalog = load_catalog(course)
    path = course.variants(name)
    variants = load_bank(path, course.solution(name)) if path.exists() else []
    with contextlib.redirect_stdout(io.StringIO()):  # a right program may print
        trial = tried(course, catalog[name], variants, PRACTICE_SEED, which)
    return LetOut(
        name,
        len(trial.recordings),
        sum(one.check.max_points for one in trial.suite.checks),
        sealed(trial.suite, trial.recordings),
        _scene(course, catalog[name]),
        trial.at_home,
    )


def _scene(course: Course, exercise: Exercise) -> bytes:
    """What is right in its picture."""
    if not has_scene(course, exercise.name):
        return b""
    return sealed_scene(course, exercise, scene_of(course, exercise.name))


def stamps_of(
    course: Course,
    exercises: Iterable[Exercise],
    which: Which,
    version: str = __version__,
) -> dict[str, str]:
    """By exercise: a hash over all that its practice is made of, and by which version of grader."""
    digests = suite_digests(course)
    stamps = {}
    for exercise in exercises:
        paths = (course.variants(exercise.name), course.scene(exercise.name))
        texts = [path.read_text(encoding="utf-8") if path.exists() else "" for path in paths]
        parts = (exercise, which, version, FORM, digests[exercise.name], texts)
        stamps[exercise.name] = hashlib.sha256(repr(parts).encode()).hexdigest()[:16]
    return stamps


# Pages --------------------------------------------------------------------------------------------


def _write_pages(course: Course, wanted: Wanted, folder: Path, facts: Facts) -> None:
    released = [e for e in wanted.exercises if facts.checks.get(e.name)]
    if not released:
        names = ", ".join(e.name for e in wanted.exercises)
        raise GraderError(words.EMPTY.format(names=names))
    chosen = [exercise.name for exercise in wanted.exercises]
    _remove_others(folder, chosen)
    write_plain(course, chosen, folder)
    named = {e.name: e for e in wanted.exercises}
    points = {name: facts.points.get(name, 0.0) for name in named}
    write(folder / "exercises" / "README.md", map_text(course, named, points).encode())
    write(folder / "exercises" / "catalog.toml", catalog_text(course, named).encode())
    write(folder / "README.md", _readme(wanted, facts).encode())
    write_facts(folder, facts)


def _remove_others(folder: Path, names: Sequence[str]) -> None:
    """What an earlier release wrote of exercises that are not in this one."""
    for path in (*folder.glob("practice/*.*"), *folder.glob("practice/*/*.*")):
        if path.stem not in names:
            path.unlink()
            (folder / "exercises" / f"{path.stem}.py").unlink(missing_ok=True)


def catalog_text(course: Course, names: Container[str]) -> str:
    """The head and some entries, with those of the courses that it extends. What checks are worth
    stands in the practice: a table of points would name those that stay at home, and so would the
    ideas, of which only the words are given away.
    """
    head = replace(course.about, extends="", takes=())
    entries = {
        name: {
            key: words_alone(value) if key == "ideas" else value
            for key, value in entry.items()
            if key != "points"
        }
        for name, entry in listed(course).items()
        if name in names
    }
    return as_toml({key: value for key, value in vars(head).items() if value} | entries)


def _readme(wanted: Wanted, facts: Facts) -> str:
    out = sum(facts.checks.values())
    return words.README.format(
        title=wanted.title,
        grader=__version__,
        distribution=DISTRIBUTION,
        first=wanted.exercises[0].name,
        out=out,
        all=out + sum(facts.at_home.values()),
    )


def _zip(folder: Path) -> None:
    """The same bytes of the same files: no times."""
    beside = archive_of(folder).with_suffix(".new")
    with zipfile.ZipFile(beside, "w") as archive:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            name = f"{folder.name}/{path.relative_to(folder).as_posix()}"
            archive.writestr(zipfile.ZipInfo(name), path.read_bytes(), zipfile.ZIP_DEFLATED)
    shutil.move(beside, archive_of(folder))
