"""How far a learner has come: frozen records, and one small file that survives accidents."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from grader.errors import LearnerError
from grader.learner import words
from grader.model import ExerciseReport
from grader.report.parts import DONE, has_the_core

SCHEMA = "progress/v1"
FILE_NAME = ".grader.json"
LOCK_SECONDS = 10.0
_NOTHING: Mapping[str, Any] = {"points": 0.0, "done": False, "digest": "", "core": False}


@dataclass(frozen=True)
class Standing:
    """One exercise: ``done`` is what the last check said, and ``core`` what it said of the core;
    ``passed_at`` is when one first passed.

    ``digest`` is of the text last checked, so that the same text is one attempt. ``points`` are
    None where the last check came to no verdict. ``hints`` are the numbers of those that were
    shown, counted from 1, in the order in which they were.
    """

    attempts: int = 0
    points: float | None = 0.0
    max_points: float = 0.0
    hints: tuple[int, ...] = ()
    done: bool = False
    passed_at: str = ""
    digest: str = ""
    core: bool = False


@dataclass(frozen=True)
class Progress:
    """All exercises that were ever tried, and the one at hand."""

    current: str = ""
    standings: Mapping[str, Standing] = field(default_factory=dict)

    def of(self, name: str) -> Standing:
        return self.standings.get(name, Standing())

    def at(self, name: str) -> Progress:
        """The same, with ``name`` at hand."""
        return replace(self, current=name)

    def with_standing(self, name: str, standing: Standing) -> Progress:
        return replace(self, standings={**self.standings, name: standing})

    def checked(self, report: ExerciseReport, text: str, now: str) -> Progress:
        """After a check of ``text``, which is no untouched stub."""
        before, digest = self.of(report.name), digest_of(text)
        done = passed(report)
        standing = replace(
            before,
            attempts=before.attempts + (digest != before.digest),
            points=report.score,
            max_points=report.max_score,
            done=done,
            passed_at=before.passed_at or (now if done else ""),
            digest=digest,
            core=has_the_core(report),
        )
        return self.with_standing(report.name, standing)

    def hinted(self, name: str, number: int) -> Progress:
        """After the hint of this number was shown."""
        before = self.of(name)
        return self.with_standing(name, replace(before, hints=(*before.hints, number)))

    def reset(self, name: str) -> Progress:
        """After starting again: what was tried and shown is remembered, the points are not."""
        return self.with_standing(name, replace(self.of(name), **_NOTHING))


def digest_of(text: str) -> str:
    """A name for a text, as progress keeps it."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def passed(report: ExerciseReport) -> bool:
    """Whether there were checks and none of them failed."""
    return bool(report.verdicts) and all(v.outcome in DONE for v in report.verdicts)


def total(standings: Iterable[Standing]) -> float | None:
    """The points of all; None while those of one are not known."""
    points = [standing.points for standing in standings]
    known = [number for number in points if number is not None]
    return sum(known) if len(known) == len(points) else None


class ProgressFile:
    """The file in a learner's folder. The last good state is kept beside it as ``.bak``.

    Several graders may share it: each change is made to what the file says at that moment, alone.
    ``notices`` collects, in a learner's words, what had to be set aside.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE_NAME
        self.backup = folder / f"{FILE_NAME}.bak"
        self.notices: list[str] = []

    @property
    def exists(self) -> bool:
        """Whether progress was ever kept here."""
        return self.path.exists() or self.backup.exists()

    def load(self) -> Progress:
        """What the file says; a damaged one is set aside and its backup used."""
        if not self.exists:
            return Progress()
        with self._alone():
            return self._loaded()

    def save(self, progress: Progress) -> None:
        """Replace the file in one step; raises ``LearnerError`` when the folder takes no files."""
        with self._alone():
            self._saved(progress)

    def change(self, how: Callable[[Progress], Progress]) -> Progress:
        """Load, change, save if that made a difference."""
        if not self.exists and how(Progress()) == Progress():
            return Progress()
        with self._alone():
            before = self._loaded()
            after = how(before)
            if after != before:
                self._saved(after)
            return after

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        """Keep other graders from reading or writing the file meanwhile.

        Where there can be no lock (a folder that takes no files, a file system without locks) it
        goes on without.
        """
        from filelock import FileLock, Timeout  # slow to import, and only needed here

        with contextlib.ExitStack() as stack:
            try:
                if self.path.parent.is_dir():  # a lock would make the folder
                    stack.enter_context(FileLock(f"{self.path}.lock", LOCK_SECONDS))
            except Timeout:
                said = words.HELD.format(path=self.path, seconds=LOCK_SECONDS)
                raise LearnerError(said) from None
            except (OSError, NotImplementedError):
                pass
            yield

    def _loaded(self) -> Progress:
        try:
            return _parsed(self.path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return self._from_backup() or Progress()
        except (ValueError, RecursionError):
            return self._rescued()
        except OSError as error:
            said = words.UNREADABLE.format(path=self.path, said=error.strerror)
            raise LearnerError(said) from error

    def _saved(self, progress: Progress) -> None:
        form = {"schema": SCHEMA, **dataclasses.asdict(progress)}
        beside = self.path.with_name(f"{FILE_NAME}.{os.getpid()}.new")
        try:
            if self.path.exists():  # it stays where it is: somebody may be looking for it
                shutil.copyfile(self.path, beside)
                os.replace(beside, self.backup)
            with beside.open("w", encoding="utf-8") as file:
                json.dump(form, file, indent=1, ensure_ascii=False)
                file.flush()
                os.fsync(file.fileno())
            os.replace(beside, self.path)
        except OSError as error:
            with contextlib.suppress(OSError):
                beside.unlink(missing_ok=True)
            said = words.NOT_KEPT.format(path=self.path, said=error.strerror)
            raise LearnerError(said) from error

    def _rescued(self) -> Progress:
        aside = self._free_name()
        try:
            os.replace(self.path, aside)
        except OSError as error:
            said = words.CANNOT_BE_SET_ASIDE.format(path=self.path, said=error.strerror)
            raise LearnerError(said) from error
        progress = self._from_backup()
        notice = words.DAMAGED if progress is None else words.DAMAGED_WITH_COPY
        self.notices.append(notice.format(aside=aside.name))
        return progress or Progress()

    def _from_backup(self) -> Progress | None:
        with contextlib.suppress(OSError, ValueError, RecursionError):
            return _parsed(self.backup.read_text(encoding="utf-8"))
        return None

    def _free_name(self) -> Path:
        number = 1
        while (aside := self.path.with_name(f"{FILE_NAME}.damaged-{number}")).exists():
            number += 1
        return aside


def _parsed(text: str) -> Progress:
    """Raises ``ValueError`` unless every field is of its type."""
    match json.loads(text):
        case {"schema": kind, "current": str(name), "standings": dict(forms)} if kind == SCHEMA:
            return Progress(name, {name: _standing(form) for name, form in forms.items()})
    raise ValueError(text)


def _standing(form: Any) -> Standing:
    fields = {f.name: type(f.default) for f in dataclasses.fields(Standing)}
    if isinstance(form, dict):
        form = {"core": form.get("done")} | form  # nobody spoke of a core before
        form["hints"] = _numbers(form.get("hints"))
    if not isinstance(form, dict) or form.keys() != fields.keys():
        raise ValueError(form)
    for name, kind in fields.items():
        if name == "points" and form[name] is None:
            continue  # no verdict
        if type(form[name]) is not kind and not (kind is float and type(form[name]) is int):
            raise ValueError(name)
    return Standing(**form)


def _numbers(hints: Any) -> Any:
    """As a tuple; at first only their number was kept, for they were shown in order."""
    if type(hints) is int:
        return tuple(range(1, hints + 1))
    is_numbers = isinstance(hints, list) and all(type(number) is int for number in hints)
    return tuple(hints) if is_numbers else hints
