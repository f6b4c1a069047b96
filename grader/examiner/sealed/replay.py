"""A check as data, put to a program: the same comparisons, judged as everywhere.

What is right was worked out at home and is ``known``; nobody is asked for it here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from grader.errors import GraderError, ValueMissing
from grader.examiner.expected import NO_GRADIENTS
from grader.examiner.judge import Judge
from grader.examiner.question import Known, Question
from grader.examiner.rounds import ask_again
from grader.examiner.sealed.script import Comparison, Event, Refusals
from grader.programs.again import FIRST
from grader.programs.client import Client
from grader.programs.proxy import Implementation


class Sealed:
    """The fixture ``sealed`` of checks that are data."""

    def __init__(
        self, program: Client, known: Mapping[int, Known], seed: int, *, again: bool = True
    ) -> None:
        self._program, self._known, self._seed, self._again = program, known, seed, again

    def put(self, events: Sequence[Event]) -> None:
        """Raises ``CheckFailed``, or what the program raised, at the first difference."""
        for step, event in enumerate(events):
            try:
                self._put(event, step)
            except ValueMissing:
                continue  # on the meta device there are no values
            except GraderError as error:
                error.step = step
                raise

    def _put(self, event: Event, step: int) -> None:
        if isinstance(event, Refusals):
            self._program.begin()
            event.put_to(Implementation(self._program))
            return
        question = question_of(event, step, self._seed, self._known[step])
        asked = question.put_to(self._program)
        if event.is_loose:
            Judge(asked, question.known.right[FIRST], step).judge_value(asked.ask(FIRST))
            return
        question.first(asked)
        if self._again and question.known.rounds:
            ask_again(question, asked, question.known.rounds)


def question_of(event: Comparison, step: int, seed: int, known: Known) -> Question:
    """A comparison as a question to which all answers are known."""
    script = event.script
    return Question(NO_GRADIENTS, script, script.wanted, step, seed, known)


def replaying(events: Sequence[Event]) -> Callable[[Sealed], None]:
    """The function of a check that asks this."""

    def check(sealed: Sealed) -> None:
        sealed.put(events)

    return check
