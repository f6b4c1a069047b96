"""What the cells of a student's notebook call. Nothing here needs nbgrader, and what was released
of a course is enough. Without any the examples still run, and what cannot be done says so in a
sentence.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator

from grader import __version__
from grader.bridges import words
from grader.bridges.examples import examples
from grader.bridges.finder import import_notebooks
from grader.bridges.shown import show_lines
from grader.bridges.validation import validate
from grader.course.course import Course, find_course
from grader.course.released import read_facts
from grader.errors import CourseNotFound, GraderError
from grader.report.picture import Picture

__all__ = ["check", "examples", "hint", "import_notebooks", "show", "train", "validate"]


def check(exercise: str) -> None:
    """Where the course is, or what was released of it: what ``grader check`` says of the cells run
    so far.
    """
    with _told_in_a_sentence(words.ONLY_EXAMPLES):
        show_lines(_checked(exercise))


def show(exercise: str) -> None:
    """There, too, what ``grader show`` draws of the cells run so far, and below it the same in
    words.
    """
    with _told_in_a_sentence(words.NO_COURSE):
        picture = _seen(exercise)
        _display(picture)
        show_lines([*picture.lines, words.CHECKS_DECIDE])


def hint(exercise: str, function: str = "") -> None:
    """There, too, one more hint in every call: on ``function``, or else on the first one that is
    not written yet, or whose examples do not come out. The first call says how many there are.
    """
    with _told_in_a_sentence(words.NO_HINTS_HERE):
        from grader.bridges.hinting import one_more

        show_lines(one_more(find_course(), exercise, function))


def train(task: str = "", *, broken: str = "", seed: int = 0, steps: int = 0) -> None:
    """There, too, what ``grader train`` shows: a model of what the cells and the notebooks beside
    define learns, in a process of its own. ``broken`` names a part that is broken beside it.
    """
    with _told_in_a_sentence(words.NO_TRAINING):
        course = find_course()
        from grader.bridges import ending

        ending.train(course, task, broken, seed, steps)


@contextlib.contextmanager
def _told_in_a_sentence(without_course: str) -> Iterator[None]:
    """Errors of ours are no tracebacks to a student."""
    try:
        yield
    except CourseNotFound:
        show_lines([without_course])
    except GraderError as error:
        show_lines([str(error).replace("`pip install", "`%pip install")])  # as a cell takes it
    except KeyboardInterrupt:
        show_lines([words.STOPPED])


# Torch and the examiner are imported where there is a course to use them on.


def _checked(exercise: str) -> list[str]:
    course = find_course()
    from grader.bridges.own_cells import told_of_missed
    from grader.bridges.so_far import so_far
    from grader.pipeline import grade_all
    from grader.report.closing import closing_lines
    from grader.report.feedback import exercise_lines
    from grader.sandbox.launch import open_sandbox

    mine = so_far(course, exercise)
    with contextlib.closing(open_sandbox()) as sandbox:
        (report,) = grade_all(course, [mine.exercise], [mine.submission], sandbox, mends=True)
    notes = [f"! {name}: {note}" for name, told in mine.module.notes.items() for note in told]
    missed = [told_of_missed(v, mine.own_names) for v in report.exercises[0].verdicts]
    notes += [f"! {text}" for text in dict.fromkeys(itertools.chain(*missed))]
    return (
        notes
        + exercise_lines(report.exercises[0], mine.spot, mine.exercise.steps)
        + closing_lines(mine.exercise, report.exercises[0])
        + _of_practice(course, exercise)
    )


def _of_practice(course: Course, exercise: str) -> list[str]:
    """What is asked elsewhere, and whether what was released is of another version."""
    if not course.is_released:
        return []
    facts = read_facts(course.root)
    more, told = facts.at_home.get(exercise, 0), []
    if more:
        told.append(words.AT_HOME.format(count=more))
    if facts.grader != __version__:
        told.append(words.OTHER_VERSION.format(wanted=facts.grader, found=__version__))
    return told


def _seen(exercise: str) -> Picture:
    course = find_course()
    from grader.bridges.so_far import so_far
    from grader.pictures import picture, require_matplotlib, scene_of
    from grader.sandbox.launch import open_sandbox

    mine = so_far(course, exercise)
    scene_of(course, exercise)
    require_matplotlib()
    with contextlib.closing(open_sandbox()) as sandbox:
        return picture(course, exercise, mine.submission, sandbox, mine.spot)


def _display(picture: Picture) -> None:
    """Inline; where there is no notebook, the words below are all that can be shown."""
    try:
        from IPython.display import Image, display
    except ImportError:
        return
    display(Image(picture.png, width=picture.width, alt=picture.alt))
