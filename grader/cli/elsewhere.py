"""What instructors take to a platform: packages in which their course grades by itself."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from grader.cli import screen
from grader.cli.assigning import Plan, planned
from grader.course.catalog import load_catalog
from grader.course.course import Course, find_course
from grader.errors import GraderError
from grader.exports.gradescope import HIDES_THE_TOTAL
from grader.platforms import classroom50 as classroom
from grader.platforms import container as image
from grader.platforms import gradescope as scope
from grader.platforms.packed import assignment_file, course_files, write_folder
from grader.programs.budget import Limits
from grader.report.files import write_whole

# Beside what a submission may take. With half a core, a right one of this whole course took 600 MiB
# and a minute, its own needs among them.
_OWN_MIB, _OWN_SECONDS = 512, 120


def gradescope(
    archive: Path,
    names: Sequence[str],
    assignment: Path | None,
    hidden: str,
    isolation: str | None,
) -> None:
    """Write the autograder, and say what must be set there."""
    if archive.suffix != ".zip":
        raise GraderError(f"{archive} is to be an archive: call it {archive.stem}.zip.")
    course = find_course()
    if course.is_released:
        raise GraderError(
            f"{course.root} is what students get: most checks are at home. Name the course that it "
            "was made from: --course DIR."
        )
    plan = _planned(course, names, assignment)
    raw = scope.archive(_files(course, plan), hidden, isolation)
    write_whole(archive, raw)
    screen.say(f"Written: {archive} ({len(raw) / (1 << 20):.1f} MiB). It holds all solutions.")
    screen.say("Upload it there under Configure Autograder, on the newest Ubuntu that is offered.")
    gigabytes, minutes = _container_needs(plan.limits)
    screen.say(
        f"Under Settings, give the container {gigabytes:g} GB and {minutes} minutes at least: what "
        "a submission may take, and what the grader takes beside it."
    )
    screen.say(
        "Before the first student, hand in a right answer yourself: what is printed says which "
        "walls stand there. Without full isolation there is no mark, unless --isolation process."
    )
    if hidden in HIDES_THE_TOTAL:
        screen.say("Until hidden checks are shown, Gradescope shows students no total either.")


def classroom50(
    folder: Path,
    names: Sequence[str],
    assignment: Path | None,
    isolation: str | None,
    *,
    with_solutions: bool,
) -> None:
    """Write the folder, and say where it belongs."""
    course = find_course()
    if not course.is_released and not with_solutions:
        raise GraderError(
            "What Classroom 50 grades with, students can fetch: this course holds solutions and "
            "hidden checks. Release it (`grader release DIR`) and name that: --course DIR. Marks "
            "are then given at home. To give all away, add --with-solutions."
        )
    plan = _planned(course, names, assignment)
    write_folder(folder, classroom.folder(_files(course, plan), isolation))
    screen.say(f"Written: {folder}. In your classroom50 repository it is")
    screen.say("  CLASSROOM/autograders/ASSIGNMENT")
    screen.say(f"Add the assignment with --runtime {folder / 'runtime.json'}.")
    if course.is_released:
        screen.say(
            "It grades the practice that was let out, in the student's own repository, where "
            "nothing is secret. For marks, `grader grade` the clones at home, with every check; "
            "`grader export classroom50` writes the same file."
        )


def container(folder: Path) -> None:
    """Write the recipe, and say how it is built."""
    course = find_course()
    write_folder(folder, image.folder(course, course_files(course)))
    screen.say(f"Written: {folder}. The first lines of its Dockerfile say how to use it:")
    screen.say(f"  docker build --tag grader {folder} && docker run --rm grader")


def _container_needs(limits: Limits) -> tuple[float, int]:
    """Gigabytes, in halves as Gradescope has them, and minutes."""
    gigabytes = math.ceil((limits.memory_mib + _OWN_MIB) / 512) / 2
    return gigabytes, math.ceil((limits.submission_seconds + _OWN_SECONDS) / 60)


def _planned(course: Course, names: Sequence[str], assignment: Path | None) -> Plan:
    """Raises ``GraderError`` where course and assignment do not fit, or a GPU is needed."""
    plan = planned(course, load_catalog(course), assignment, names, None, None)
    if plan.devices != ("cpu",):
        raise GraderError("There is no GPU on this platform: leave devices out of the file.")
    return plan


def _files(course: Course, plan: Plan) -> dict[str, bytes]:
    """Course and assignment."""
    title = course.about.title or course.about.name or course.root.name
    exercises = [exercise.name for exercise in plan.exercises]
    return {**course_files(course), **assignment_file(title, exercises, plan.assignment)}
