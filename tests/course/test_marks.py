"""What an assignment makes of a report: points, and what being late costs."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.course.assignment import Amount, Assignment, LateRule
from grader.course.marks import apportioned, points_by_check, shared_out, time_of, weighted
from grader.errors import AssignmentError
from grader.model import Deduction, Outcome

DUE = datetime(2026, 11, 20, 22, 59, tzinfo=UTC)
TEN_PERCENT = LateRule(Amount(10, is_percent=True))
THOUSANDTHS = st.integers(0, 200_000).map(lambda n: n / 1000)
POINTS = st.one_of(st.sampled_from([1.0, 2.0, 0.5, 1 / 3, 0.1]), THOUSANDTHS)


def of(*exercises, **fields):
    return Assignment("One", exercises or ("softmax",), **fields)


def points_in(report):
    return [v.check.max_points for v in report.verdicts]


class TestWeights:
    def test_scale_an_exercise(self, report, verdict):
        """Its checks keep their proportions."""
        one = report(softmax=[verdict(points=1), verdict(Outcome.FAILED, 3)], masks=[verdict()])
        found = weighted(one, of("softmax", "masks", weights={"softmax": 10}))

        assert points_in(found) == [2.5, 7.5, 1]
        assert (found.score, found.max_score) == (3.5, 11)

    def test_are_a_suites_own_without(self, report, verdict):
        """Nothing is changed."""
        one = report(softmax=[verdict(points=1 / 3), verdict(points=0.1)])

        assert points_in(weighted(one, of())) == [1 / 3, 0.1]

    def test_do_not_count_what_was_skipped(self, report, verdict):
        """The exercise is worth the same on a machine without a GPU."""
        one = report(softmax=[verdict(points=1), verdict(Outcome.SKIPPED, 3), verdict(points=1)])
        found = weighted(one, of(weights={"softmax": 5}))

        assert [v.max_points for v in found.verdicts] == [2.5, 0, 2.5]

    def test_count_what_has_no_verdict(self, report, verdict):
        """There is no mark, and the others are worth what they will be worth."""
        one = report(softmax=[verdict(), verdict(Outcome.INTERNAL)])
        found = weighted(one, of(weights={"softmax": 4}))

        assert (points_in(found), found.score, found.max_score) == ([2, 2], None, 4)

    def test_of_nothing_are_practice(self, report, verdict):
        """An exercise may be worth 0."""
        found = weighted(report(softmax=[verdict()]), of(weights={"softmax": 0}))

        assert (found.score, found.max_score) == (0, 0)


class TestChecks:
    def test_that_are_dropped_are_nowhere(self, report, verdict):
        """With all their parameters, on every device."""
        names = ("test_a", "test_a[3]", "test_ab")
        one = report(softmax=[verdict(name=name) for name in names])
        found = weighted(one, of(dropped=frozenset({"softmax.test_a"})))

        assert [v.check.name for v in found.verdicts] == ["test_ab"]
        assert found.max_score == 1

    def test_have_the_points_that_are_given(self, report, verdict):
        """Whoever passes all of them has all of them."""
        one = report(softmax=[verdict(name="test_a"), verdict(name="test_b")])
        found = weighted(one, of(points={"softmax.test_a": 10}))

        assert (points_in(found), found.score, found.max_score) == ([10, 1], 11, 11)

    def test_are_reweighted_before_the_exercise_is(self, report, verdict):
        """The exercise is worth what it is worth."""
        one = report(softmax=[verdict(name="test_a"), verdict(name="test_b")])
        given = {"points": {"softmax.test_a": 3}, "weights": {"softmax": 8}}

        assert points_in(weighted(one, of(**given))) == [6, 2]


class TestTheCore:
    def test_has_its_share_of_the_exercise(self, report, verdict, of_the_core):
        """Within both parts checks keep their proportions."""
        core = [of_the_core(verdict(points=1)), of_the_core(verdict(points=3))]
        one = report(softmax=[*core, verdict(Outcome.FAILED, points=1)])
        found = weighted(one, of(weights={"softmax": 10}, core_percent=60))

        assert points_in(found) == [1.5, 4.5, 4]
        assert (found.score, found.max_score) == (6, 10)

    def test_has_its_share_of_a_suites_own_points(self, report, verdict, of_the_core):
        """All together are worth what they are worth."""
        one = report(softmax=[of_the_core(verdict(points=1)), verdict(points=4)])

        assert points_in(weighted(one, of(core_percent=80))) == [4, 1]

    @pytest.mark.parametrize(("percent", "points"), [(100, [5, 0]), (0, [0, 5])])
    def test_may_be_all_or_nothing(self, report, verdict, of_the_core, percent, points):
        """What is robust is practice then, or the core is."""
        one = report(softmax=[of_the_core(verdict(points=1)), verdict(points=4)])

        assert points_in(weighted(one, of(core_percent=percent))) == points

    def test_leaves_all_to_the_rest_where_there_is_none(self, report, verdict):
        """No exercise is worth less for it."""
        one = report(softmax=[verdict(points=1), verdict(points=4)])

        assert points_in(weighted(one, of(core_percent=80))) == [1, 4]

    @given(st.lists(st.tuples(POINTS, st.booleans()), min_size=1), THOUSANDTHS, st.integers(0, 100))
    def test_and_the_rest_are_the_whole(self, checks, weight, percent):
        """To the last thousandth."""
        points, is_core = [p for p, _ in checks], [core for _, core in checks]
        found = shared_out(points, is_core, weight, percent)

        assert sum(map(Fraction, map(str, found))) == (Fraction(str(weight)) if any(points) else 0)


class TestBeforeHandingIn:
    POINTS = {"test_a": 1.0, "test_b": 3.0, "test_c": 2.0}

    def test_checks_are_worth_what_they_will_be(self, report, verdict):
        """The same points that a report then has."""
        given = {"dropped": frozenset({"softmax.test_c"}), "points": {"softmax.test_a": 2}}
        for weights in ({}, {"softmax": 10}):
            task = of(**given, weights=weights)
            one = report(softmax=[verdict(points=p, name=name) for name, p in self.POINTS.items()])
            found = points_by_check(self.POINTS, "softmax", task)

            assert list(found) == ["test_a", "test_b"]
            assert list(found.values()) == points_in(weighted(one, task))

    def test_the_core_has_its_share(self, report, verdict, of_the_core):
        """The same points that a report then has."""
        task, core = of(core_percent=50), {"test_a"}
        one = [verdict(points=p, name=name) for name, p in self.POINTS.items()]
        one = [of_the_core(v) if v.check.name in core else v for v in one]
        found = points_by_check(self.POINTS, "softmax", task, core)

        assert list(found.values()) == points_in(weighted(report(softmax=one), task))

    def test_checks_of_other_exercises_are_worth_nothing(self):
        """They may be needed all the same."""
        assert set(points_by_check(self.POINTS, "masks", of()).values()) == {0}


class TestExercises:
    def test_of_others_are_left_out(self, report, verdict):
        """The run may have graded more."""
        found = weighted(report(softmax=[verdict()], masks=[verdict()]), of("masks"))

        assert [e.name for e in found.exercises] == ["masks"]

    def test_that_were_not_graded_make_no_mark(self, report, verdict):
        """A smaller maximum would be somebody's better mark."""
        with pytest.raises(AssignmentError, match="masks was not graded"):
            weighted(report(softmax=[verdict()]), of("softmax", "masks"))


@given(st.lists(POINTS, min_size=1, max_size=40), THOUSANDTHS)
def test_parts_add_up_exactly(points, worth):
    """In thousandths, each less than one of them away from its proportion."""
    parts = apportioned(points, worth)
    whole = sum(map(Fraction, points))
    exact = [
        Fraction(p) * Fraction(round(worth * 1000), 1000) / whole if whole else 0 for p in points
    ]

    assert sum(round(part * 1000) for part in parts) == (round(worth * 1000) if whole else 0)
    assert all(
        abs(Fraction(part) - share) < Fraction(1001, 10**6)
        for part, share in zip(parts, exact, strict=True)
    )
    assert all(part == round(part, 3) for part in parts)


NAMES = ("softmax", "masks", "heads")
CHECKS = st.lists(st.tuples(POINTS, st.sampled_from(Outcome)), min_size=1, max_size=12)
SUITES = st.dictionaries(st.sampled_from(NAMES), CHECKS, min_size=1)
WEIGHTS = st.dictionaries(st.sampled_from(NAMES), THOUSANDTHS)
OWN = st.dictionaries(
    st.sampled_from([f"{name}.test_{n}" for name in NAMES for n in range(4)]), POINTS
)
AMOUNTS = st.builds(Amount, st.integers(0, 100), st.booleans())
RULES = st.builds(
    LateRule, AMOUNTS, st.none() | AMOUNTS, st.integers(0, 100), st.none() | st.integers(0, 5)
)
MINUTES = st.integers(-100, 20_000)


def made(report, verdict, suites, outcome=None):
    """A report of these checks, all with one outcome if one is given."""
    return report(
        **{
            name: [
                verdict(outcome or own, points, f"test_{n}")
                for n, (points, own) in enumerate(checks)
            ]
            for name, checks in suites.items()
        }
    )


class TestAnyAssignment:
    @given(SUITES, WEIGHTS, OWN)
    def test_leaves_a_perfect_report_perfect(self, report, verdict, suites, weights, own):
        """All points there are, exactly, and of an exercise exactly its weight."""
        one = made(report, verdict, suites, Outcome.PASSED)
        found = weighted(one, of(*suites, weights=weights, points=own))

        assert found.score == found.max_score
        for exercise in found.exercises:
            if exercise.max_score and exercise.name in weights:
                assert exercise.score == exercise.max_score == weights[exercise.name]

    @given(SUITES, WEIGHTS, OWN, RULES, MINUTES)
    def test_gives_marks_within_bounds(self, report, verdict, suites, weights, own, rule, minutes):
        """And the exercises without what is taken off are the whole."""
        one = made(report, verdict, suites)
        one = replace(one, handed_in=(DUE + timedelta(minutes=minutes)).isoformat())
        found = weighted(one, of(*suites, weights=weights, points=own, due=DUE, late=rule))
        exercises = sum(Fraction(exercise.earned) for exercise in found.exercises)

        assert (found.score is None) == (one.score is None)
        assert 0 <= found.deducted <= found.earned <= found.max_score
        assert found.score is None or 0 <= found.score <= found.max_score
        assert found.score is None or found.score == pytest.approx(
            exercises - Fraction(found.deducted)
        )


def late(report, verdict, after, rule=TEN_PERCENT, earned=15, **fields):
    """The deduction of somebody who earned so many of 20 points, so long after the due date."""
    checks = [verdict(points=earned), verdict(Outcome.FAILED, 20 - earned)]
    one = replace(report(softmax=checks), handed_in=(DUE + after).isoformat(), **fields)
    return weighted(one, of(due=DUE, late=rule))


class TestBeingLate:
    @pytest.mark.parametrize(
        ("after", "days", "score"),
        [
            (timedelta(seconds=1), 1, 13),
            (timedelta(days=1), 1, 13),
            (timedelta(days=1, seconds=1), 2, 11),
            (timedelta(days=7), 7, 1),
            (timedelta(days=8), 8, 0),
            (timedelta(days=400), 400, 0),
        ],
    )
    def test_costs_something_every_day_that_begins(self, report, verdict, after, days, score):
        """Percent are of all points, so that a day costs everybody the same; no mark is below 0."""
        found = late(report, verdict, after)

        assert (found.deduction.days, found.score, found.earned) == (days, score, 15)
        assert found.exercises[0].score == 15

    @pytest.mark.parametrize("after", [timedelta(0), timedelta(days=-3)])
    def test_begins_after_the_due_date(self, report, verdict, after):
        """Whatever the platform says, which does not know this file."""
        assert late(report, verdict, after, late=True).deduction is None

    def test_begins_after_the_grace(self, report, verdict):
        """Then the first day begins."""
        rule = replace(TEN_PERCENT, grace_minutes=15)
        times = [timedelta(minutes=15), timedelta(minutes=16), timedelta(days=1, minutes=15)]

        assert [late(report, verdict, t, rule).score for t in times] == [15, 13, 13]

    @pytest.mark.parametrize("most", [Amount(25, is_percent=True), Amount(5, is_percent=False)])
    def test_costs_so_much_at_most(self, report, verdict, most):
        """In percent of all points, or in points."""
        rule = replace(TEN_PERCENT, at_most=most)

        assert [late(report, verdict, timedelta(days=n), rule).deducted for n in (2, 3, 9)] == [
            4,
            5,
            5,
        ]

    def test_costs_points(self, report, verdict):
        """Where the rule says points."""
        rule = LateRule(Amount(0.5, is_percent=False))

        assert late(report, verdict, timedelta(days=3), rule).score == 13.5

    def test_counts_nothing_in_the_end(self, report, verdict):
        """The last day is the last that counts, also where a most was given."""
        rule = replace(TEN_PERCENT, at_most=Amount(10, is_percent=True), not_after_days=2)
        two, three = (late(report, verdict, timedelta(days=n), rule) for n in (2, 3))

        assert (two.score, two.deduction.closed) == (13, False)
        assert (three.score, three.deduction.closed, three.deducted) == (0, True, 15)

    def test_is_counted_from_ones_own_date(self, report, verdict):
        """An extension is by id, or by name."""
        one = replace(
            report(softmax=[verdict()]), student_id="4711", student="Ann Lee",
            handed_in=(DUE + timedelta(days=3)).isoformat(),
        )  # fmt: skip
        for name in ("4711", "ann lee", "Lee"):
            task = of(due=DUE, late=TEN_PERCENT, extensions={name: DUE + timedelta(days=2)})
            found = weighted(one, task).deduction

            assert found.days == (3 if name == "Lee" else 1)

    def test_without_a_known_time_is_for_a_person(self, report, verdict):
        """Nothing is taken off without a word; who is not said to be late is not late."""
        for handed_in in ("", "yesterday", "2026-11-22T00:00:00"):
            one = replace(report(softmax=[verdict()]), handed_in=handed_in)
            task = of(due=DUE, late=TEN_PERCENT)
            said = weighted(replace(one, late=True), task)

            assert said.deduction == Deduction(DUE.isoformat(), None)
            assert (said.score, said.deducted) == (1, 0)
            assert weighted(one, task).deduction is None

    def test_costs_nothing_without_a_rule(self, report, verdict):
        """A due date alone says until when."""
        one = replace(report(softmax=[verdict()]), handed_in="2030-01-01T00:00:00Z", late=True)

        assert weighted(one, of(due=DUE)).deduction is None

    def test_is_no_mark_without_a_verdict(self, report, verdict):
        """What is not known stays unknown."""
        one = replace(report(softmax=[verdict(Outcome.INTERNAL)]), handed_in="2026-11-22T00:00:00Z")

        assert weighted(one, of(due=DUE, late=TEN_PERCENT)).score is None


def test_times_have_a_zone():
    """One of no zone could be anywhere within a day."""
    assert time_of("2026-11-20T23:59:00+01:00") == time_of("2026-11-20T22:59:00Z") == DUE
    assert time_of("2026-11-20T23:59:00") is None


class TestFollowThrough:
    @pytest.fixture
    def one(self, report, verdict):
        """A mistake about one check of 20, which costs its 2 points; 8 are carried."""
        failed = verdict(Outcome.FAILED, 2, "test_a", misconception="squares")
        carried = verdict(Outcome.CARRIED, 8, "test_b", misconception="squares")
        return report(softmax=[failed, replace(carried, carried=1.0), verdict(points=10)])

    def test_counts_unless_the_assignment_says_otherwise(self, one):
        """In proportion, whatever the exercise is worth."""
        found = weighted(one, of(weights={"softmax": 10}))

        assert (found.score, found.strict_score, found.followed_score) == (9, 5, 9)
        assert found.verdicts[1].outcome is Outcome.CARRIED

    def test_is_shown_beside_strict_marks(self, one):
        """What was carried has failed, and both scores are there."""
        found = weighted(one, of(marks="strict"))

        assert (found.score, found.strict_score, found.followed_score) == (10, 10, 18)
        assert found.verdicts[1].outcome is Outcome.FAILED

    def test_costs_a_twentieth_where_its_own_checks_are_dropped(self, one):
        """A mistake is not free because nobody asks for it by name."""
        found = weighted(one, of(dropped=frozenset({"softmax.test_a"})))

        assert (found.score, found.max_score) == (17.1, 18)
