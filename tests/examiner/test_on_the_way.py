"""A mistake in one step is named while the steps behind it are not written yet."""

from __future__ import annotations

from dataclasses import replace

import pytest

from grader.course.catalog import load_catalog
from grader.course.course import find_course
from grader.examiner.collection import collected
from grader.examiner.examination import examine
from grader.examiner.finding import find
from grader.examiner.follow_through import followed
from grader.examiner.on_the_way import bare, recognised_on_the_way
from grader.model import Outcome
from grader.programs.bank import Slip
from grader.programs.program import LocalProgram

COURSE = find_course()
CATALOG = load_catalog(COURSE)


@pytest.fixture(scope="module")
def attention():
    return collected(COURSE, [CATALOG["attention"]]).of(CATALOG["attention"])


def unfinished(suite, name, step):
    """The answers of a misconception on a page that is written up to a step."""
    stage = next(stage for stage in suite.stages if stage.step.endswith(step))
    (entry,) = stage.unfinished([e for e in suite.misconceptions if e.name == name])
    program = LocalProgram(entry.applied_to(suite.reference))
    return examine(suite, program, 7, only=unclocked(suite), advised=False)


def unclocked(suite):
    return [collected.check.name for collected in suite.checks if not collected.clocked]


@pytest.mark.parametrize("name", ["mask_inverted", "mask_after_softmax"])
def test_is_named_where_its_own_step_fails(attention, name):
    """What is not written yet has no name, and nothing of it is carried."""
    found = unfinished(attention, name, "a boolean mask")
    own = {v.misconception for v in found if v.check.step.endswith("a boolean mask")}
    others = {v.misconception for v in found if v.check.step and v.check.step not in own}

    assert own == {name}
    assert others - {name} == {None}
    carried = followed(found, attention.misconceptions)
    assert Outcome.CARRIED not in {verdict.outcome for verdict in carried}


def test_what_is_written_is_named_where_it_is_not_robust(attention):
    """A scale of 0.0 belongs to the first step, and is asked beside masks that are not written."""
    stages = [s for s in attention.stages if s.step.endswith("the plain formula")]
    entries = [e for e in attention.misconceptions if e.name == "scale_zero_not_given"]
    (entry,) = (one for stage in stages for one in stage.unfinished(entries))
    program = LocalProgram(entry.applied_to(attention.reference))
    found = examine(attention, program, 7, only=unclocked(attention), advised=False)

    assert {v.check.name for v in found if v.misconception == "scale_zero_not_given"} == {
        "test_custom_scale"
    }


@pytest.mark.parametrize(
    "exercise", [name for name in CATALOG if COURSE.misconceptions(name).exists()]
)
def test_every_stage_is_a_program(exercise):
    """With one misconception in four, where it leaves a place for it."""
    suite = collected(COURSE, [CATALOG[exercise]]).of(CATALOG[exercise])
    for stage in suite.stages:
        assert stage.step in CATALOG[exercise].steps
        made = stage.unfinished(suite.misconceptions[::4])
        assert all(isinstance(entry, Slip) for entry in made)
        assert made


def test_who_is_right_so_far_is_accused_of_nothing():
    """Also where the checks of the step at hand ask for more than was written: of a loss without
    its mean, a mistake in the smoothing, which comes later, is none.
    """
    suite = collected(COURSE, [CATALOG["loss"]]).of(CATALOG["loss"])
    stage = next(s for s in suite.stages if "clamp" in str(s.slips) and s.slips[-1][1] == "")
    smoothing = next(e for e in suite.misconceptions if e.name == "smoothing_takes_only")
    page = LocalProgram(bare(suite, stage).applied_to(suite.reference))
    cases = [f.case for f in find(suite, page, 7, only=unclocked(suite)) if f.case]
    steps = {case.check for case in cases if case.evidence and case.step == 1}
    entry = replace(smoothing, caught_by=tuple(steps))
    named = recognised_on_the_way(suite, cases, [entry], [None] * len(cases))

    assert steps
    assert set(named) == {None}
