"""One wrong module costs its own marks, and says of the models built on it what to mend first."""

from __future__ import annotations

import pytest

from grader.backends.cores import Cores
from grader.collect import collect
from grader.course.catalog import load_catalog
from grader.course.course import find_course
from grader.examiner.collection import collected
from grader.model import Outcome, Submission
from grader.pipeline import Run, conditions, grade_one
from grader.report.feedback import words_of
from grader.report.follow_through import follow_words

COURSE = find_course()
CATALOG = load_catalog(COURSE)
(PERFECT,) = collect(COURSE.root / "tests" / "submissions" / "perfect", CATALOG)
SLIPS = {
    "attention": ("* scale", "* 1.0"),
    "multi_head_attention": ("/ math.sqrt(q.shape[-1])", "/ math.sqrt(q.shape[-1] + 0.5)"),
    "feed_forward": ("self.activation(self.w_1(x))", "torch.tanh(self.w_1(x))"),
}
KNOWN = {
    "encoder": ("self.residual2(", "self.residual1("),
    "multi_head_attention": ("/ math.sqrt(q.shape[-1])", ""),
    "residual": ("x + self.dropout(", "self.dropout("),
}


@pytest.fixture(scope="module")
def graded(sandbox):
    """``graded(wrong, *names)``: the reports by exercise on a submission with these slips.

    All are graded in one run, as those of a class are: what a misconception answers is worked out
    once.
    """
    run = Run(list(CATALOG.values()), sandbox, conditions(COURSE, sandbox, 11, ["cpu"]), Cores())
    suites = collected(COURSE)

    def graded(wrong, *names):
        files = dict(PERFECT.files)
        for module, (right, slip) in wrong.items():
            assert right in files[module]
            files[module] = files[module].replace(right, slip)
        report = grade_one(suites, run, Submission("ada", "ada", files), names)
        return {exercise.name: exercise for exercise in report.exercises}

    return graded


def test_wiring_is_graded_as_wiring(graded):
    """With only the attention wrong, everything but the attention keeps its marks."""
    wiring = ("encoder", "gpt")
    found = graded({"attention": SLIPS["attention"]}, "attention", *wiring)

    assert found["attention"].score < found["attention"].max_score
    assert all(found[name].score == found[name].max_score > 0 for name in wiring)


@pytest.mark.parametrize(
    ("wrong", "capstone", "alone"),
    [
        ("multi_head_attention", "encoder", True),
        ("feed_forward", "encoder", False),
    ],
)
def test_a_capstone_says_what_to_mend_first(graded, wrong, capstone, alone):
    """Its failed checks are blocked by the wrong module, also when that was not asked for."""
    found = graded({wrong: SLIPS[wrong]}, capstone, *([] if alone else [wrong]))[capstone]
    unearned = [verdict for verdict in found.verdicts if not verdict.points]

    assert unearned
    assert {verdict.outcome for verdict in unearned} == {Outcome.BLOCKED}
    assert {words_of(verdict).help for verdict in unearned} == {f"Mend {wrong} first."}
    assert f"your `{wrong}`" in words_of(unearned[0]).rationale


def test_a_function_that_is_not_used_blocks_nothing(graded):
    """A gradient by hand that is wrong is no reason why a model is, which never asks for it."""
    slips = {"layer_norm": ("(h - h.mean", "(h + h.mean"), "encoder": KNOWN["encoder"]}
    found = graded(slips, "layer_norm", "encoder")

    assert found["layer_norm"].score < found["layer_norm"].max_score
    assert Outcome.BLOCKED not in {verdict.outcome for verdict in found["encoder"].verdicts}
    assert any(verdict.misconception for verdict in found["encoder"].verdicts)


def test_a_wrong_module_leaves_the_other_capstone_alone(graded):
    """A GPT is not built on encoders."""
    found = graded({"encoder": KNOWN["encoder"]}, "gpt")["gpt"]

    assert found.score == found.max_score


class TestAKnownMistakeBelow:
    """It is paid for where it was made."""

    def test_costs_nothing_above(self, graded):
        """Whose wiring is right: strictly it has lost its points."""
        wrong = "multi_head_attention"
        found = graded({wrong: KNOWN[wrong]}, wrong, "encoder")
        above, below = found["encoder"], found[wrong]

        assert {str(verdict.outcome) for verdict in above.verdicts} == {"passed", "carried"}
        assert above.score == above.max_score > above.strict_points
        assert below.score < below.max_score
        (said, strictly) = follow_words(above)
        assert f"only because of your `{wrong}`" in said
        assert f"{above.strict_points:g} of {above.max_score:g}" in strictly

    def test_is_not_all_that_is_wrong_above(self, graded):
        """With a mistake of its own beside it, nothing is explained: it is blocked as before."""
        slips = {
            "multi_head_attention": KNOWN["multi_head_attention"],
            "encoder": KNOWN["encoder"],
        }
        found = graded(slips, "encoder")["encoder"]

        assert "carried" not in {str(verdict.outcome) for verdict in found.verdicts}
        assert found.score == found.strict_points < found.max_score

    def test_gives_nothing_to_what_is_not_written(self, graded):
        """An encoder that only calls what is below, and hands back what that gives."""
        slips = {
            "multi_head_attention": KNOWN["multi_head_attention"],
            "encoder": (
                "        x = self.residual1",
                "        return x\n        x = self.residual1",
            ),
        }
        found = graded(slips, "encoder")["encoder"]

        assert found.score == found.strict_points < 0.5 * found.max_score

    def test_is_one_of_two(self, graded):
        """Two modules below, the one wrong in two functions: both are named."""
        slips = {name: KNOWN[name] for name in ("multi_head_attention", "residual")}
        found = graded(slips, "encoder")["encoder"]

        assert found.score == found.max_score > found.strict_points
        assert "`multi_head_attention` and your `residual`" in follow_words(found)[0]
