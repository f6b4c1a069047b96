"""Predictions as a learner sees them: a page of questions, and the line on which one answers."""

from __future__ import annotations

import contextlib
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from grader.errors import LearnerError
from grader.learner import words
from grader.learner.answers import Answers, keep_answers, read_answers
from grader.learner.lines import Line, hung
from grader.learner.watch_state import Page, WatchState
from grader.programs.sealed_answer import DIGITS, MAX_LENGTH, SHAPE, WHOLE, YES_OR_NO, Asked, judged

_FORMS = {
    SHAPE: words.FORM_SHAPE,
    WHOLE: words.FORM_WHOLE,
    DIGITS: words.FORM_DIGITS,
    YES_OR_NO: words.FORM_YES_OR_NO,
}
_INDENT = "   "
_BACKSPACE = ("\x7f", "\b")


def is_right(asked: Asked, typed: str) -> bool:
    """Whether a question is answered, and rightly."""
    found = judged(asked, typed)
    return found is not None and found.right


def question_lines(asked: Asked, number: int, typed: str, width: int) -> list[Line]:
    """One question with its answer, if there is one, and what is said to that."""
    form = _FORMS.get(asked.form, asked.form)
    said = words.PREDICTION.format(number=number, question=asked.question)
    lines = [Line(part) for part in textwrap.wrap(said, width, subsequent_indent=_INDENT)]
    answer = words.ANSWER_AS.format(form=form)
    lines += [Line(part, "dim") for part in textwrap.wrap(answer, width, initial_indent=_INDENT)]
    return lines + (verdict_lines(asked, typed, width) if typed else [])


def verdict_lines(asked: Asked, typed: str, width: int) -> list[Line]:
    """What is said to an answer."""
    found = judged(asked, typed)
    if found is None:
        form = _FORMS.get(asked.form, asked.form)
        said = words.NO_SUCH_FORM.format(typed=typed, form=form)
        return hung(said, width)
    says = found.says or words.TRY_IT_OUT
    template = words.PREDICTED_RIGHT if found.right else words.PREDICTED_WRONG
    return hung(template.format(typed=typed, says=says), width)


@dataclass
class Asking(Page):
    """All questions of an exercise, of which number ``at`` is being answered, counted from 0."""

    keys: str = words.ASKING_KEYS
    exercise: str = ""
    asked: Sequence[Asked] = ()
    folder: Path = field(default_factory=Path)
    answers: Answers = field(default_factory=Answers)
    at: int = 0
    typed: str = ""
    notice: str = ""

    def typed_for(self, place: int) -> str:
        """The answer to a question that is kept, or nothing."""
        return self.answers.given.get((self.exercise, place + 1), "")

    def shown(self, width: int) -> list[Line]:
        """The questions in their order, and the line that is typed under the one at hand; the page
        is scrolled to it.
        """
        lines = [*hung(words.ASKED_BEFORE.format(name=self.exercise), width), Line("")]
        for place, asked in enumerate(self.asked):
            begin = len(lines)
            lines += question_lines(asked, place + 1, self.typed_for(place), width)
            if place == self.at:
                room = max(1, width - len(words.TYPING.format(typed="")))
                lines.append(Line(words.TYPING.format(typed=self.typed[-room:]), "hint"))
                self.top = max(0, begin - 2)
            lines.append(Line(""))
        return lines + hung(self.notice, width)

    def press(self, key: str) -> bool:
        """Answer a key; False for one that leaves the page."""
        if key == "escape":
            return False
        if key == "enter":
            self._entered()
        elif key in ("up", "down"):
            self._move(1 if key == "down" else -1)
        elif key in _BACKSPACE:
            self.typed = self.typed[:-1]
        elif len(key) == 1 and key.isprintable() and len(self.typed) < MAX_LENGTH:
            self.typed += key
        return True

    def _entered(self) -> None:
        """An answer is kept and judged; the next question follows where it is right, or where
        nothing was typed.
        """
        typed, self.typed, self.notice = self.typed.strip(), "", ""
        if typed:
            self.answers = self.answers.with_answer(self.exercise, self.at + 1, typed)
            try:
                keep_answers(self.folder, self.answers)
            except LearnerError as error:
                self.notice = str(error)
        if not typed or is_right(self.asked[self.at], typed):
            self._move(1)

    def _move(self, steps: int) -> None:
        self.at, self.typed = max(0, min(self.at + steps, len(self.asked) - 1)), ""


def open_asking(state: WatchState) -> None:
    """Put the questions of the exercise at hand on the screen, at the first that is open."""
    from grader.programs.predictions import drawn

    folder, name = state.workspace.folder, state.name
    answers = read_answers(folder)
    asked = drawn(state.workspace.course, name, answers.number)
    if not asked:
        state.say(words.NOTHING_TO_PREDICT.format(name=name))
        return
    asking = Asking(lambda _: [], exercise=name, asked=asked, folder=folder, answers=answers)
    asking.lines = asking.shown
    is_open = (i for i, one in enumerate(asked) if not is_right(one, asking.typed_for(i)))
    asking.at = next(is_open, 0)
    with contextlib.suppress(LearnerError):  # that it cannot be kept is said to the first answer
        keep_answers(folder, answers)
    state.open(asking)
