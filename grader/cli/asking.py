"""``grader ask``: the predictions of an exercise, asked and answered without the watch screen."""

from __future__ import annotations

from grader.cli.learn import show, tell, width
from grader.course.catalog import load_catalog
from grader.course.course import find_course
from grader.errors import LearnerError
from grader.learner import words
from grader.learner import workspace as workspaces
from grader.learner.answers import keep_answers, read_answers
from grader.learner.asking import question_lines
from grader.learner.lines import Line
from grader.programs.predictions import drawn


def ask(name: str | None, number: int | None, typed: str) -> None:
    """Show all questions with what is said to their answers; or keep an answer, and show that one.

    Raises ``LearnerError`` where there is no such question, or the folder takes no files.
    """
    course = find_course()
    workspace = workspaces.find_workspace(course, load_catalog(course))
    exercise = workspace.exercise(name or workspace.current(workspace.progress.load())).name
    answers = read_answers(workspace.folder)
    asked = drawn(course, exercise, answers.number)
    if not asked:
        raise LearnerError(words.NOTHING_TO_PREDICT.format(name=exercise))
    if number is not None and not 1 <= number <= len(asked):
        said = words.NO_SUCH_QUESTION.format(name=exercise, count=len(asked), number=number)
        raise LearnerError(said)
    if number is not None and typed:
        answers = answers.with_answer(exercise, number, typed)
    if typed or workspace.keeps_progress:
        keep_answers(workspace.folder, answers)
    for place in [number] if number else range(1, len(asked) + 1):
        given = answers.given.get((exercise, place), "")
        show([*question_lines(asked[place - 1], place, given, width()), Line("")])
    if not typed:
        tell(words.HOW_TO_ANSWER.format(name=exercise))
