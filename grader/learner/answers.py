"""A learner's answers to predictions, in a file of theirs that they may edit as well.

A line is an answer, ``softmax 2: no``, or whatever else the learner likes to note there. The first
says from which number theirs are drawn, so that it stays when the folder is moved.
"""

from __future__ import annotations

import contextlib
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from grader.errors import LearnerError
from grader.learner import words
from grader.learner.workspace import write_whole
from grader.programs.predictions import MAX_NUMBER
from grader.programs.sealed_answer import MAX_LENGTH

FILE_NAME = "predictions.txt"
_ANSWER = re.compile(r"\s*(\w+) +(\d{1,3}) *: *(.*\S)\s*")
_NUMBER = re.compile(r"\d{1,6}")

_Key = tuple[str, int]


@dataclass(frozen=True)
class Answers:
    """The file's ``lines``; the last answer to a question counts."""

    lines: tuple[str, ...] = ()

    @property
    def number(self) -> int:
        """From which this learner's numbers are drawn."""
        found = _NUMBER.search(self.lines[0]) if self.lines else None
        return int(found[0]) if found else 0

    @property
    def given(self) -> Mapping[_Key, str]:
        """What was typed, by exercise and number of the question."""
        found = map(_ANSWER.fullmatch, self.lines)
        return {(line[1], int(line[2])): _bounded(line[3]) for line in found if line}

    def with_answer(self, exercise: str, question: int, typed: str) -> Answers:
        """The same file with this answer in the place of an earlier one, or at its end."""
        new = f"{exercise} {question}: {_bounded(typed.strip())}"
        places = [
            place
            for place, line in enumerate(map(_ANSWER.fullmatch, self.lines))
            if line and (line[1], int(line[2])) == (exercise, question)
        ]
        if not places:
            return replace(self, lines=(*self.lines, new))
        lines = [*self.lines]
        lines[places[-1]] = new
        return replace(self, lines=tuple(lines))


def read_answers(folder: Path) -> Answers:
    """Those in a learner's folder; a new learner has none, and a number of their own."""
    with contextlib.suppress(OSError):
        raw = (folder / FILE_NAME).read_bytes()
        return Answers(tuple(raw.decode("utf-8-sig", errors="replace").splitlines()))
    number = secrets.randbelow(MAX_NUMBER)
    return Answers((words.PREDICTIONS_HEAD.format(number=number),))


def keep_answers(folder: Path, answers: Answers) -> None:
    """Write them; raises ``LearnerError`` where the folder takes no files."""
    try:
        write_whole(folder / FILE_NAME, "".join(f"{line}\n" for line in answers.lines))
    except OSError as error:
        path = folder / FILE_NAME
        said = words.NOT_KEPT_THERE.format(path=path, said=error.strerror)
        raise LearnerError(said) from error


def _bounded(typed: str) -> str:
    """As a terminal can show it."""
    return "".join(sign for sign in typed[:MAX_LENGTH] if sign.isprintable())
