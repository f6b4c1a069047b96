"""The fixture ``compare`` puts one question to a submission and to the reference."""

from __future__ import annotations

import pytest
import torch

from grader.errors import SubmissionRaised
from grader.examiner.compare import bound, first_of
from grader.programs.client import Client
from grader.programs.failure import CheckFailed
from grader.programs.kinds import call_of, kinds_in


def double(x):
    return x * 2


class TestImplementations:
    def test_that_raise_are_described(self, x, cause_of):
        """An exception in the answer is the answer's, not the check's."""
        with pytest.raises(SubmissionRaised, match="ZeroDivisionError"):
            cause_of(double, lambda x: 1 / 0, x)

    def test_in_workers_are_compared_alike(self, load, x, compare_with):
        """It makes no difference where an answer comes from."""
        right = load("def f(x): return x + x")
        wrong = load("def f(x): return x * x")
        compare_with(double, Client(right.perform, "m", ["f"]))(lambda impl: impl.f(x), wrt=[x])
        with pytest.raises(CheckFailed, match="returned other values: all 24 values differ"):
            compare_with(double, Client(wrong.perform, "m", ["f"]))(lambda impl: impl.f(x))


class TestAnAnswer:
    def test_is_judged_as_it_came_first(self, x, compare_with, opened):
        """What is judged a second time, with more room, is the very same answer: one that is
        always late would have the right one by then. What is asked after that is for advice."""
        given = [torch.zeros(4, 6)]

        def late(x):
            given.append(x * 2)
            return given[-2]

        compare = compare_with(double, opened(late))
        with pytest.raises(CheckFailed, match="returned other values") as failed:
            compare.f(x)

        assert "left_to_chance" not in failed.value.cause.facts

    def test_that_chance_has_made_is_told_as_that(self, x, compare_with, opened):
        """Another one whenever it is asked for, by far more than rounding."""
        by_chance = compare_with(double, opened(lambda x: 2 * torch.dropout(x, 0.5, train=True)))
        steady = compare_with(double, opened(lambda x: 3 * x))
        found = []
        for compare in (by_chance, steady):
            with pytest.raises(CheckFailed) as failed:
                compare.f(x)
            found.append("left_to_chance" in failed.value.cause.facts)

        assert found == [True, False]

    def test_of_tokens_may_be_drawn(self, x, compare_with, opened):
        """That is noted, for who asks less often draws others, and no word is said of it."""
        drawn = compare_with(lambda x: x > 9, opened(lambda x: torch.rand(4, 6) > 0.5))
        steady = compare_with(lambda x: x > 9, opened(lambda x: x < 9))
        found = []
        for compare in (drawn, steady):
            with pytest.raises(CheckFailed) as failed:
                compare.f(x)
            found.append((failed.value.by_chance, "left_to_chance" in failed.value.cause.facts))

        assert found == [(True, False), (False, False)]


class TestTheShortForm:
    """``compare.f(x)`` is one call of ``f``."""

    def test_compares_one_call(self, x, compare_with, opened):
        """With arguments by place and by name, of which the submission has its own copies."""

        def power(x, *, times):
            return x * times

        compare_with(power, opened(lambda x, *, times: times * x)).f(x, times=3)
        with pytest.raises(CheckFailed, match=r"f\(tensor \(4, 6\), times=3\) returned other"):
            compare_with(power, opened(lambda x, *, times: 2 * x)).f(x, times=3)

    def test_compares_gradients_where_it_is_told(self, x, compare_with, opened):
        """``wrt`` is for the comparison, and not an argument of the call."""
        compare = compare_with(double, opened(lambda x: x + x.detach()))
        compare.f(x)
        with pytest.raises(CheckFailed, match="another gradient for input 1"):
            compare.f(x, wrt=[x])


class TestTheFirst:
    """What is tried elsewhere is the first comparison that came out."""

    def test_is_kept_with_its_calls(self, x, compare_with, opened):
        """And not a later one."""
        compare = compare_with(double, opened(double))
        compare.f(x)
        compare(lambda impl: impl.f(impl.f(x)))
        probe, calls = first_of(compare)

        assert probe(Echo()) == (x,)
        assert calls == kinds_in(call_of("f", [x], {}))

    def test_is_none_as_long_as_nothing_came_out(self, x, compare_with, opened):
        """A wrong answer is told for what it is."""
        compare = compare_with(double, opened(lambda x: x * 3))
        with pytest.raises(CheckFailed):
            compare.f(x)

        assert first_of(compare) is None


class Echo:
    """An implementation that answers with what it was asked."""

    def f(self, *args, **kwargs):
        return (*args, *kwargs.items()) if kwargs else args


class TestBound:
    """A probe is asked again when its check has long gone on."""

    def test_keeps_the_variables_of_a_loop(self):
        """As they were when it was bound."""
        probes, late = [], []
        for n in (1, 2, 3):

            def probe(impl):
                return impl.f(n)  # noqa: B023

            probes.append(bound(probe))
            late.append(probe)

        assert [probe(Echo()) for probe in probes] == [(1,), (2,), (3,)]
        assert [probe(Echo()) for probe in late] == [(3,), (3,), (3,)]

    def test_keeps_those_of_the_functions_it_calls(self):
        """However deep they are nested."""
        probes = []
        for n in (1, 2):

            def inner():
                return n  # noqa: B023

            def outer():
                return inner()

            probes.append(bound(lambda impl: impl.f(outer())))

        assert [probe(Echo()) for probe in probes] == [(1,), (2,)]

    def test_bears_functions_that_call_themselves(self):
        """And each other."""

        def even(n):
            return n == 0 or odd(n - 1)

        def odd(n):
            return n != 0 and even(n - 1)

        assert bound(lambda impl: impl.f(even(10), odd(10)))(Echo()) == (True, False)

    def test_keeps_what_a_function_takes(self):
        """Defaults, by place and by name, and its name."""
        factor = 2

        def probe(impl, x=1, *, y=3):
            return impl.f(factor * x, y=y)

        again = bound(probe)

        assert again(Echo()) == (2, ("y", 3))
        assert again(Echo(), 5, y=6) == (10, ("y", 6))
        assert again.__name__ == "probe"

    def test_is_the_very_function_where_nothing_can_change(self):
        """One without variables around it, and whatever is no plain function."""

        def alone(impl):
            return impl.f(1)

        assert bound(alone) is alone
        assert bound(Echo().f).__func__ is Echo.f

    def test_bears_variables_that_are_not_set_yet(self):
        """A branch that was not taken may speak of what the check has not made so far."""

        def probe(impl):
            return impl.f(1) if impl else impl.f(later)

        again = bound(probe)
        later = 2

        assert again(Echo()) == (1,)
