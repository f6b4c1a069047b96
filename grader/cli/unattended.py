"""Grading where nobody types anything: one submission, on a platform or in a job of it.

What students get is written to the platform's own file; where grading went wrong, there is no mark
in it. What is printed on Gradescope, instructors alone see; the log of a job is the student's.
"""

from __future__ import annotations

import contextlib
import os
import traceback
from collections.abc import Iterator
from pathlib import Path

from grader.cli import screen
from grader.cli.assigning import Plan, planned
from grader.cli.collecting import pages_of
from grader.cli.doctor import doctor
from grader.cli.instructor import UNFINISHED, walls
from grader.collect import submitted
from grader.collect.gradescope import submitter
from grader.collect.shapes import Whose
from grader.course.assignment import FILE_NAME
from grader.course.catalog import load_catalog
from grader.course.course import Course, find_course
from grader.course.marks import weighted
from grader.errors import GraderError, IsolationRefused
from grader.exports.classroom50 import classroom50 as as_result
from grader.exports.formats import as_json
from grader.exports.gradescope import gradescope as as_results
from grader.exports.markdown import markdown
from grader.model import Report
from grader.pipeline import conditions, grade_all
from grader.platforms.gradescope import METADATA, RESULTS, SUBMISSION, no_mark
from grader.report.files import write_whole
from grader.sandbox.launch import Sandbox, describe_layers, open_sandbox


def gradescope(root: Path, hidden: str, isolation: str | None) -> int:
    """Write ``results.json`` below ``root``, whatever happens; returns the exit status."""
    try:
        report = _graded(root / SUBMISSION, _submitter(root / METADATA), isolation, shown=True)
    except Exception as error:
        write_whole(root / RESULTS, no_mark())
        if isinstance(error, IsolationRefused):
            doctor()  # which layer is missing, and why
        if isinstance(error, GraderError):
            raise
        traceback.print_exc()
        return UNFINISHED
    write_whole(root / RESULTS, as_json(as_results(report, hidden)) or "")
    return UNFINISHED if report.without_verdict else 0


def classroom50(checkout: Path, isolation: str | None) -> int:
    """Write ``result.json`` and ``release-body.md`` into ``checkout``; returns the exit status,
    which is not 0 where there is no mark.
    """
    owner = os.environ.get("OWNER") or os.environ.get("USERNAME") or checkout.resolve().name
    report = _graded(checkout, Whose(owner, owner), isolation)
    result = as_json(as_result(report, os.environ))
    write_whole(checkout / "release-body.md", markdown(report))
    if result is None:
        return UNFINISHED
    write_whole(checkout / "result.json", result)
    return 0


def _submitter(metadata: Path) -> Whose:
    with contextlib.suppress(OSError):
        return submitter(metadata.read_bytes())
    return submitter(b"")


def _graded(folder: Path, whose: Whose, isolation: str | None, *, shown: bool = False) -> Report:
    """The report, weighted by the assignment beside the course."""
    course = find_course()
    catalog = load_catalog(course)
    plan = planned(course, catalog, course.root.parent / FILE_NAME, (), None, None)
    found = submitted(folder, catalog, whose, pages_of(catalog))
    with _walls(course, isolation, plan) as sandbox:
        agreed = conditions(course, sandbox, plan.seed, plan.devices, plan.limits)
        (raw,) = grade_all(
            course, plan.exercises, found, sandbox,
            seed=agreed.seed, devices=agreed.devices, limits=plan.limits,
        )  # fmt: skip
    assert plan.assignment is not None
    report = weighted(raw, plan.assignment)
    if shown:
        screen.class_table([report])
        screen.notes(found.notes, screen.MOST_IGNORED)
        screen.not_graded(found.ignored)
    return report


@contextlib.contextmanager
def _walls(course: Course, isolation: str | None, plan: Plan) -> Iterator[Sandbox]:
    """As for marks; practice, which holds no secret, is run under whatever there is."""
    if not course.is_released:
        with walls(course, isolation, plan.devices, plan.limits) as sandbox:
            yield sandbox
        return
    opened = open_sandbox(isolation, memory_mib=plan.limits.memory_mib)
    with contextlib.closing(opened) as sandbox:
        screen.say(f"Practice of {course.about.shown}, under {describe_layers(sandbox)}.")
        yield sandbox
