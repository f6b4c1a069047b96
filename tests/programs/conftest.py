"""Programs of ours, in this process and in a worker: it must make no difference."""

from __future__ import annotations

import pytest

from grader.course.catalog import load_catalog
from grader.model import Submission
from grader.programs.program import LocalProgram, Opening, SubmissionProgram
from grader.programs.proxy import Implementation


@pytest.fixture(params=["here", "in a worker"])
def impl_of(request, toy, sandbox):
    """``impl_of(source)`` is a module of ours as a check sees it."""
    exercise = load_catalog(toy)["toy"]
    programs = []

    def impl_of(source):
        if request.param == "here":
            names = {}
            exec(source, names)
            programs.append(LocalProgram(names))
        else:
            submission = Submission("ada", "ada", {"toy": source})
            programs.append(SubmissionProgram(submission, sandbox))
        return Implementation(programs[-1].open(Opening(exercise, 5.0, 1)))

    yield impl_of
    for program in programs:
        program.close()
