"""One wrong module costs its own marks, and says of the models built on it what to mend first."""

from __future__ import annotations

import pytest

from grader.collect import collect
from grader.course.catalog import load_catalog, select
from grader.course.course import find_course
from grader.model import Outcome, Submission
from grader.pipeline import grade_all
from grader.report.feedback import words_of

COURSE = find_course()
CATALOG = load_catalog(COURSE)
(PERFECT,) = collect(COURSE.root / "tests" / "submissions" / "perfect", CATALOG)
SLIPS = {
    "attention": ("* scale", "* 1.0"),
    "multi_head_attention": ("/ math.sqrt(q.shape[-1])", ""),
    "encoder": ("self.residual2(", "self.residual1("),
    "residual": ("return x + self.dropout", "return self.dropout"),
    "feed_forward": ("self.activation(self.w_1(x))", "torch.tanh(self.w_1(x))"),
}


@pytest.fixture(scope="module")
def graded(sandbox):
    """``graded(wrong, *names)``: the verdicts by exercise on a submission wrong in one module."""

    def graded(wrong, *names):
        right, slip = SLIPS[wrong]
        text = PERFECT.files[wrong]
        assert right in text
        files = PERFECT.files | {wrong: text.replace(right, slip)}
        submission = Submission("ada", "ada", files)
        (report,) = grade_all(COURSE, select(CATALOG, names), [submission], sandbox, seed=11)
        return {exercise.name: exercise for exercise in report.exercises}

    return graded


def test_wiring_is_graded_as_wiring(graded):
    """With only the attention wrong, everything but the attention keeps its marks."""
    wiring = ("encoder", "decoder", "transformer", "gpt")
    found = graded("attention", "attention", *wiring)

    assert found["attention"].score < found["attention"].max_score
    assert all(found[name].score == found[name].max_score > 0 for name in wiring)


@pytest.mark.parametrize(
    ("wrong", "capstone", "alone"),
    [
        ("multi_head_attention", "gpt", True),
        ("multi_head_attention", "encoder", False),
        ("feed_forward", "encoder", True),
        ("residual", "decoder", True),
        ("encoder", "transformer", False),
    ],
)
def test_a_capstone_says_what_to_mend_first(graded, wrong, capstone, alone):
    """Its failed checks are blocked by the wrong module, also when that was not asked for."""
    found = graded(wrong, capstone, *([] if alone else [wrong]))[capstone]
    unearned = [verdict for verdict in found.verdicts if not verdict.points]

    assert unearned
    assert {verdict.outcome for verdict in unearned} == {Outcome.BLOCKED}
    assert {words_of(verdict).help for verdict in unearned} == {f"Mend {wrong} first."}
    assert f"your `{wrong}`" in words_of(unearned[0]).rationale


def test_a_wrong_module_leaves_the_other_capstone_alone(graded):
    """A GPT is not built on encoders."""
    found = graded("encoder", "gpt")["gpt"]

    assert found.score == found.max_score
