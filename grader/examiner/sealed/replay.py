"""A check as data, put to a program: the same comparisons, judged as everywhere, and the same
questions about answers.

What is right was worked out at home and is ``known``; nobody is asked for it here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from grader.errors import GraderError, ValueMissing
from grader.examiner.expected import NO_GRADIENTS
from grader.examiner.question import Known, Question
from grader.examiner.rounds import ask_again
from grader.examiner.sealed.playing import Playing, probe_of
from grader.examiner.sealed.script import Compared, Decision, Path, Recording, Refusals, Script
from grader.programs.client import Client
from grader.programs.proxy import Implementation


class Sealed:
    """The fixture ``sealed`` of checks that are data."""

    def __init__(
        self, program: Client, known: Mapping[int, Known], seed: int, *, again: bool = True
    ) -> None:
        self._program, self._known, self._seed, self._again = program, known, seed, again

    def put(self, recording: Recording) -> None:
        """Raises ``CheckFailed``, ``AssertionError`` or what the program raised, at the first
        difference.
        """
        self._program.begin()
        playing = Playing(recording.inputs, Implementation(self._program))
        path: Path | None = recording.path
        while path is not None:
            path = self._follow(path, playing, recording)

    def _follow(self, path: Path, playing: Playing, recording: Recording) -> Path | None:
        """To the end, or to where another path begins."""
        for item in path.items:
            if isinstance(item, Compared):
                self._compare(recording.comparisons[item.number], item.number)
            elif isinstance(item, Refusals):
                playing.put(item)
            elif not isinstance(item, Decision):
                playing.take(item)
            elif item.otherwise is not None and playing.leaves_at(item):
                playing.inputs = [*playing.inputs[: item.before], *item.inputs]
                return item.otherwise
        if path.said is not None:
            raise AssertionError(playing.said(path.said))
        return None

    def _compare(self, script: Script, step: int) -> None:
        question = question_of(script, step, self._seed, self._known[step])
        asked = question.put_to(self._program)
        try:
            question.first(asked)
            if self._again and question.known.rounds:
                ask_again(question, asked, question.known.rounds)
        except ValueMissing:
            return  # on the meta device there are no values
        except GraderError as error:
            error.step = step
            raise


def question_of(script: Script, step: int, seed: int, known: Known) -> Question:
    """A comparison as a question to which all answers are known."""
    return Question(NO_GRADIENTS, probe_of(script), script.wanted, step, seed, known)


def replaying(recording: Recording) -> Callable[[Sealed], None]:
    """The function of a check that asks this."""

    def check(sealed: Sealed) -> None:
        sealed.put(recording)

    return check
