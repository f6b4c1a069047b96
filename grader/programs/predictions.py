"""What a course asks before the code is written: its ``predictions.py``, drawn and sealed.

A prediction is a function. Its docstring is the question, with fields for the numbers that are
drawn for each learner; what it returns is computed, mostly by the reference::

    from grader.check import Answer, Predictions

    predict = Predictions()

    @predict(rows=range(3, 9))
    def sum_of_all(page, rows):
        '''A softmax along the last axis of a ({rows}, 4) matrix: what do all weights sum to?'''
        total = page.softmax(torch.zeros(rows, 4)).sum()
        return Answer(round(total.item()), "Every row sums to one.", {1: "Each row does."})
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from types import ModuleType
from typing import Any

from grader.course.course import Course
from grader.course.fault import Fault
from grader.errors import SuiteError
from grader.programs.draw import Draw, derive_seed
from grader.programs.page import load_by_path
from grader.programs.sealed_answer import Asked, form_of, readings, sealed

DRAWINGS = 8  # that a folder holds which is given away: there nothing is drawn any more
MAX_NUMBER = 1_000_000  # a learner's own, from which all is drawn


@dataclass(frozen=True)
class Answer:
    """What is ``right`` (a bool, a whole number, a float, a shape as a tuple, or words), and
    ``because`` of what. ``wrong`` says to each answer with a typical reason what a good teacher
    would; of words, these are all that there are to choose from.
    """

    right: Any
    because: str
    wrong: Mapping[Any, str] = field(default_factory=dict)


_Predicts = Callable[..., Answer]


class Predictions:
    """The predictions of one exercise, in the order of the file."""

    def __init__(self) -> None:
        self._known: list[tuple[_Predicts, Mapping[str, Sequence[Any]]]] = []

    def __call__(self, **drawn: Sequence[Any]) -> Callable[[_Predicts], _Predicts]:
        """Add a function of the reference and of what is drawn: one of each sequence."""

        def add(predicts: _Predicts) -> _Predicts:
            self._known.append((predicts, drawn))
            return predicts

        return add

    def asked(self, page: ModuleType, number: int) -> list[Asked]:
        """All of them, for the learner with this number; raises whatever they raise."""
        return [_asked(one, drawn, page, number) for one, drawn in self._known]


def drawn(course: Course, exercise: str, number: int) -> list[Asked]:
    """What is asked about an exercise; nothing where a course has no predictions about it.

    Raises ``SuiteError`` for a file that cannot be read, or a prediction that cannot be answered.
    """
    path = course.predictions(exercise)
    if not path.is_file():
        return []
    if course.is_released:
        drawings = json.loads(path.read_text(encoding="utf-8"))
        return [Asked(**form) for form in drawings[number % len(drawings)]]
    names = vars(load_by_path(path))
    found = [value for value in names.values() if isinstance(value, Predictions)]
    if len(found) != 1:
        raise SuiteError(f"{course.shown(path)} defines no `predict = Predictions()`, or several")
    return found[0].asked(load_by_path(course.solution(exercise)), number)


def drawings(course: Course, exercise: str) -> bytes:
    """What a folder that is given away holds of an exercise; empty if nothing is asked."""
    made = [drawn(course, exercise, number) for number in range(DRAWINGS)]
    forms = [[asdict(asked) for asked in one] for one in made]
    return json.dumps(forms, indent=1).encode() if any(made) else b""


def prove_predictions(course: Course, exercise: str, numbers: int = 20) -> list[Fault]:
    """Every one can be put to learners with other numbers, and its own answer is judged right."""
    try:
        made = [asked for number in range(numbers) for asked in drawn(course, exercise, number)]
    except Exception as error:  # a prediction may raise anything, as any code may
        said = error if isinstance(error, SuiteError) else f"{type(error).__name__}: {error}"
        return [Fault(f"the predictions of {exercise} cannot be asked: {said}", _TO_DO)]
    questions = {asked.question for asked in made if "{" in asked.question}
    return [Fault(f"{exercise} asks with a field in it: {said}", _TO_DO) for said in questions]


_TO_DO = (
    "Mend it in predictions.py: a prediction is a function of the page and of what is drawn, has a "
    "question, and returns an Answer. Without the file nothing is asked."
)


def _asked(
    predicts: _Predicts, ranges: Mapping[str, Sequence[Any]], page: ModuleType, number: int
) -> Asked:
    name = predicts.__name__
    draw = Draw(derive_seed(number, page.__name__, name))
    values = {
        key: options[int(draw.integers(0, len(options), ()))] for key, options in ranges.items()
    }
    answer = predicts(page, **values)
    salt = f"{derive_seed(name, repr(values)):016x}"  # who has drawn the same is asked the same
    question = " ".join((inspect.getdoc(predicts) or "").format(**values).split())
    form = form_of(answer.right) or " / ".join(sorted({answer.right, *answer.wrong})).lower()
    said: dict[str, str] = {}
    for value, text in [(answer.right, answer.because), *answer.wrong.items()]:
        written = readings(form, _written(value))
        if not (question and text.strip() and written):
            raise SuiteError(f"{name} has no question, no sentence, or the answer {value!r} in it")
        digest, mixed = sealed(salt, written[0], value is answer.right, " ".join(text.split()))
        said.setdefault(digest, mixed)  # where a wrong answer is right by chance, it is right
    return Asked(question, form, salt, dict(sorted(said.items())))


def _written(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)
