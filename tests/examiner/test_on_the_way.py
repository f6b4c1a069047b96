"""A mistake in one step is named while the steps behind it are not written yet."""

from __future__ import annotations

from dataclasses import replace

import pytest

from grader.course.catalog import load_catalog
from grader.course.course import find_course
from grader.examiner.case import Case
from grader.examiner.collection import collected
from grader.examiner.examination import examine
from grader.examiner.finding import find
from grader.examiner.follow_through import followed
from grader.examiner.on_the_way import as_far_as_written, bare, recognised_on_the_way
from grader.model import Outcome
from grader.programs.bank import Slip
from grader.programs.failure import Evidence
from grader.programs.program import LocalProgram
from grader.report.parts import is_unwritten

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


def test_nothing_waits_for_steps_that_are_right(attention):
    """A slip in the boolean mask, with the causal rule behind it: all that fails is that."""
    found = unfinished(attention, "scores_times_mask", "dropout")
    failed = [v for v in found if v.outcome is not Outcome.PASSED]

    assert {v.misconception for v in failed} == {"scores_times_mask"}
    assert not any(map(is_unwritten, failed))
    carried = followed(found, attention.misconceptions)
    assert Outcome.CARRIED in {verdict.outcome for verdict in carried}


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


@pytest.fixture(scope="module")
def optimizer():
    return collected(COURSE, [CATALOG["optimizer"]]).of(CATALOG["optimizer"])


def up_to(suite, step, name=""):
    """What is found of a page that is written up to a step, with a misconception if one is named;
    but for the checks that save, which take long.
    """
    stage = next(stage for stage in suite.stages if stage.step.endswith(step))
    made = stage.unfinished([e for e in suite.misconceptions if e.name == name])
    (entry,) = made or [bare(suite, stage)]
    program = LocalProgram(entry.applied_to(suite.reference))
    asked = [name for name in unclocked(suite) if "state" not in name and "goes" not in name]
    return examine(suite, program, 7, only=asked, advised=False)


def test_what_fails_for_want_of_later_steps_waits(optimizer):
    """Of the core and of the rest, and nothing that passes."""
    stage = next(stage for stage in optimizer.stages if stage.step.endswith("running averages"))
    page = LocalProgram(bare(optimizer, stage).applied_to(optimizer.reference))
    later = "bias_correction", "weight_decay", "groups", "gradients_stay"
    asked = ["test_running_averages", *(f"test_{name}" for name in later)]
    cases = [found.case for found in find(optimizer, page, 7, only=asked) if found.case]

    steps = as_far_as_written(optimizer, cases, [None] * len(cases))
    assert [case.check for case in cases if case.passed] == asked[:1]
    assert dict(zip((case.check for case in cases), steps, strict=True)) == {
        asked[0]: None,
        **dict.fromkeys(asked[1:], stage.step),
    }


def test_what_fails_for_a_slip_and_want_of_later_steps_waits_for_both(optimizer):
    found = up_to(optimizer, "running averages", "gradient_for_its_square")
    named = {v.check.name for v in found if v.misconception}

    assert named
    assert all(v.misconception or is_unwritten(v) for v in found if v.outcome is Outcome.FAILED)


def test_where_nothing_is_left_to_do_nothing_waits(optimizer):
    """The very numbers of an earlier stage, where all steps are right: then it is another slip. So
    it is where the page that is written so far would pass."""
    numbers = Evidence("value", 0, 2.0)
    case = Case("test_groups", numbers, lambda entry: numbers, is_strong=True)
    done = [Case(f"c{n}", None, lambda entry: None, passed=True, step=n) for n in range(1, 9)]
    open_step = replace(done[5], passed=False)

    assert as_far_as_written(optimizer, [case, *done], [None] * 9)[0] is None
    beside = [case, *done[:5], open_step, *done[6:]]
    assert as_far_as_written(optimizer, beside, [None] * 9)[0].endswith("bias correction")
    otherwise = replace(case, answer_of=lambda entry: None)
    assert as_far_as_written(optimizer, [otherwise, *beside[1:]], [None] * 9)[0] == ""


def test_a_later_step_that_fails_otherwise_is_written(optimizer):
    """What is right up to a step, and wrong in the next one in a way of its own, waits for none."""
    numbers, others = Evidence("value", 0, 2.0), Evidence("value", 0, 3.0)
    case = Case("test_groups", numbers, lambda entry: numbers, is_strong=True)
    steps = optimizer.exercise.steps
    done = [
        Case(f"c{n}", None, lambda entry: None, step.partition(":")[0], passed=True, step=n)
        for n, step in enumerate(steps, 1)
    ]
    late = steps.index(next(step for step in steps if step.endswith("bias correction")))
    next_one = replace(done[late + 1], passed=False, evidence=numbers, is_strong=True)

    def told(seen):
        answers = replace(next_one, answer_of=lambda entry: seen)
        cases = [case, *done[: late + 1], answers, *done[late + 2 :]]
        return as_far_as_written(optimizer, cases, [None] * len(cases))[0]

    assert told(numbers).endswith("bias correction")
    assert not told(others)


def test_what_another_stage_leaves_out_for_nothing_is_no_later_step():
    """A page is written up to pre-norm with dropout or without: once the step of dropout is right,
    who leaves it out has slipped."""
    suite = collected(COURSE, [CATALOG["residual"]]).of(CATALOG["residual"])
    _, barest = (stage for stage in suite.stages if stage.step.endswith("pre-norm"))
    numbers = Evidence("value", 0, 2.0)

    def of_the_barest(entry):
        return numbers if entry.key == bare(suite, barest).key else None

    case = Case("test_luck", numbers, of_the_barest, is_strong=True)
    step = Case("c1", None, lambda entry: None, passed=True, step=1)
    post_norm = replace(step, check="c2", step=2, passed=False)
    dropout = replace(step, check="c3", step=3, answer_of=of_the_barest)
    dropout_to_do = replace(dropout, passed=False)

    def written(*others):
        return as_far_as_written(suite, [case, step, *others], [None] * 4)[0]

    assert written(post_norm, dropout_to_do).endswith("pre-norm")
    assert written(post_norm, dropout) == ""


@pytest.mark.parametrize(
    ("post_norm", "named"),
    [("raise NotImplementedError", set()), ("return self.norm(x + sublayer(x))", {"no_dropout"})],
)
def test_a_step_behind_one_that_raises_is_no_mistake(post_norm, named):
    """Of a connection without dropout, which comes last: where post-norm is not written either,
    nobody has forgotten it.
    """
    suite = collected(COURSE, [CATALOG["residual"]]).of(CATALOG["residual"])
    text = COURSE.solution_texts["residual"].replace("self.dropout(sublayer", "(sublayer")
    written = text.replace("return self.norm(x + (sublayer(x)))", post_norm)
    names = {"__name__": "residual"}
    exec(compile(written, "residual.py", "exec"), names)
    found = examine(suite, LocalProgram(names), 7, only=unclocked(suite), advised=False)

    assert written != text
    assert {verdict.misconception for verdict in found if verdict.misconception} == named
