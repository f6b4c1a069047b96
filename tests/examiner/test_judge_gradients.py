"""Right values are not enough: gradients are compared too, and inputs must be as they were."""

from __future__ import annotations

import pytest
import torch

from grader.errors import SuiteError
from grader.examiner.evidence import same_evidence
from grader.programs.draw import Draw
from grader.programs.failure import CheckFailed
from grader.report.words import told


def double(x):
    return x * 2


class TestGradients:
    def test_are_compared(self, x, cause_of):
        """Right values with another gradient are told from wrong values."""

        def answer(x):
            return x + x.detach()

        kind, cause = cause_of(double, answer, x, wrt=[x])

        assert kind == "gradient"
        assert "has right values, but another gradient for input 1: all 24" in cause.rationale

    def test_are_compared_per_input(self, x, cause_of):
        """The input whose gradient is wrong is named by its number."""
        w = Draw(8).normal(4, 6)
        kind, cause = cause_of(lambda x, w: x * w, lambda x, w: x * w.detach(), x, w, wrt=[x, w])

        assert kind == "gradient"
        assert "another gradient for input 2" in cause.rationale

    @pytest.mark.parametrize(
        "made", [lambda y: y[-1], lambda y: (y, y * 2), lambda y: {"sum": y.sum()}]
    )
    def test_are_not_asked_of_what_a_probe_makes(self, x, opened, compare_with, made):
        """A tensor that no call returned has no graph: the author is told what to do instead."""
        compare = compare_with(double, opened(double))
        with pytest.raises(SuiteError, match=r"as f\(x\)\[-1\] or f\(x\) \* 2.*\.tolist\(\)"):
            compare(lambda impl: made(impl.f(x)), wrt=[x])

    def test_are_left_out_where_a_probe_makes_numbers(self, x, opened, compare_with):
        """Plain numbers, which the message speaks of, are compared all the same."""

        def last(impl):
            return impl.f(x)[-1].tolist()

        compare_with(double, opened(double))(last, wrt=[x])
        with pytest.raises(CheckFailed, match="returned other values in item 0"):
            compare_with(double, opened(lambda x: x * 3))(last, wrt=[x])

    def test_show_all_that_are_wrong(self, x, opened, compare_with):
        """One gradient of zero looks like any other: whose they are is evidence."""
        w = Draw(8).normal(4, 6)

        def shown(answer):
            compare = compare_with(lambda x, w: x * w, opened(answer))
            with pytest.raises(CheckFailed) as failure:
                compare(lambda impl: impl.f(x, w), wrt=[x, w])
            return failure.value.evidence

        first, second, both = (
            shown(answer)
            for answer in (
                lambda x, w: x.detach() * w,
                lambda x, w: x * w.detach(),
                lambda x, w: x.detach() * w.detach() + 0 * (x + w),
            )
        )

        assert same_evidence(first, shown(lambda x, w: x.data * w))
        assert not same_evidence(first, second)
        assert not same_evidence(first, both)

    def test_need_a_graph(self, x, cause_of):
        """A tensor that was detached is told from one with a wrong gradient."""
        kind, cause = cause_of(double, lambda x: (x * 2).detach(), x, wrt=[x])

        assert kind == "detached"
        assert "has left the graph" in cause.rationale
        assert cause.actual == "none (detached)"

    def test_are_asked_for_only_where_there_are_any(self, x, cause_of):
        """Whole numbers have no gradient, nor do inputs nobody asks about."""
        assert cause_of(lambda x: x.argmax(-1), lambda x: x.argmax(-1), x, wrt=[x]) is None
        assert cause_of(double, lambda x: (x * 2).detach(), x) is None

    def test_that_are_zero_may_be_absent(self, x, cause_of):
        """An input that does not matter has the gradient zero, said or unsaid."""
        w = Draw(8).normal(4, 6)

        assert cause_of(lambda x, w: x * 2, lambda x, w: x * 2 + w * 0, x, w, wrt=[x, w]) is None
        assert cause_of(lambda x, w: x * 2 + w * 0, lambda x, w: x * 2, x, w, wrt=[x, w]) is None

    def test_that_should_not_be_there_are_found(self, x, cause_of):
        """An input that must not matter has no gradient but zero."""
        w = Draw(8).normal(4, 6)
        kind, cause = cause_of(
            lambda x, w: x * 2, lambda x, w: x * 2 + (w - w.detach()), x, w, wrt=[x, w]
        )

        assert (kind, "input 2" in cause.rationale) == ("gradient", True)

    def test_flow_through_a_chain_of_calls(self, x, compare_with, opened):
        """What one call returned may be handed to the next; it is one graph."""
        reference, right, wrong = (
            (lambda x: x.sin()),
            torch.sin,
            (lambda x: x.detach().sin() + 0 * x),
        )
        for answer, expected in ((right, None), (wrong, "gradient")):
            compare = compare_with(reference, opened(answer))
            try:
                compare(lambda impl: impl.f(impl.f(x)), wrt=[x])
                found = None
            except CheckFailed as failure:
                found = failure.evidence.kind

            assert found == expected

    def test_of_parameters_are_always_compared(self, x, compare_with, opened):
        """A module's parameters need not be listed, and are called by their names."""

        class Right(torch.nn.Linear):
            def forward(self, x):
                return super().forward(x)

        class Wrong(torch.nn.Linear):
            def forward(self, x):
                return torch.nn.functional.linear(x, self.weight, self.bias.detach())

        def probe(impl):
            layer = impl.f(6, 2)
            layer.load({"weight": torch.ones(2, 6), "bias": torch.zeros(2)})
            return layer(x)

        compare_with(Right, opened(Right))(probe)
        with pytest.raises(CheckFailed) as caught:
            compare_with(Right, opened(Wrong))(probe)

        assert "another gradient for parameter bias" in told(caught.value.cause).rationale


class TestInputs:
    @pytest.mark.parametrize("change", ["mul_(2)", "zero_()", "t_()", "relu_()"])
    def test_must_stay_as_they_were(self, x, change, cause_of):
        """An answer that is right but spoils its input is not accepted."""

        def answer(x):
            y = x * 2
            eval(f"x.{change}")
            return y

        kind, cause = cause_of(double, answer, x)

        assert kind == "input_changed"

    def test_so_must_containers(self, x, cause_of):
        """Who empties the caller's dictionary has changed it, though no tensor is another."""
        kind, cause = cause_of(lambda d: d["x"] * 2, lambda d: d.pop("x") * 2, {"x": x})

        assert kind == "input_changed"
        assert "changed its input (argument 1) in place" in cause.rationale
        assert "changed its input (argument 1) in place" in cause.rationale

    def test_are_called_by_their_place_or_name(self, x, compare_with, opened):
        """The input that was changed is named as the caller names it."""

        def answer(x, other):
            other.zero_()
            return x * 2

        compare = compare_with(lambda x, other: x * 2, opened(answer))
        with pytest.raises(CheckFailed, match=r"changed its input \(other\) in place"):
            compare(lambda impl: impl.f(x, other=torch.ones(2)))

    def test_may_hold_nan(self, cause_of):
        """A NaN in an input is not a change of it."""
        x = torch.tensor([torch.nan, 1.0])

        assert cause_of(lambda x: x.nan_to_num() * 2, lambda x: x.nan_to_num() * 2, x) is None

    def test_are_the_checks_own_again_for_the_next(self, x, cause_of):
        """What an answer did to its copy of an input is unknown to the check."""
        before = x.clone()
        cause_of(double, lambda x: x.zero_(), x)

        assert before.equal(x)
