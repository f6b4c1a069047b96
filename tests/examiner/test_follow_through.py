"""A mistake costs what it is worth, and what follows from it costs nothing."""

from __future__ import annotations

import pytest

from grader.examiner.follow_through import followed
from grader.model import Cause, Check, ExerciseReport, Measured, Outcome, Verdict
from grader.programs.bank import Entry

NO_SCALE = Entry(name="no_scale", sentence="Divide.", caught_by=("test_1",))
NO_MASK = Entry(name="no_mask", sentence="Mask.", caught_by=("test_2",))
ALL_WRONG = Entry(name="all_wrong", sentence="Think.", caught_by=("test_1", "test_2", "test_3"))
BANK = [NO_SCALE, NO_MASK, ALL_WRONG]


def verdict(number, name=None, outcome=Outcome.FAILED, kind="numbers", points=2.0, **more):
    check = Check("attention", f"test_{number}", "It holds.", points)
    cause = None if outcome is Outcome.PASSED else Cause(kind, more.pop("facts", {}))
    return Verdict(check, outcome, misconception=name, cause=cause, **more)


def passed(*numbers, **more):
    return [verdict(number, outcome=Outcome.PASSED, **more) for number in numbers]


def cost(verdicts):
    """What is lost with follow-through."""
    report = ExerciseReport("attention", tuple(followed(verdicts, BANK)))
    return round(report.max_score - report.followed_points, 9)


def outcomes(verdicts):
    return [str(one.outcome) for one in followed(verdicts, BANK)]


class TestOne:
    FOUND = [*(verdict(n, "no_scale") for n in (1, 2, 3, 4)), *passed(*range(5, 11))]

    def test_costs_the_checks_that_it_is_about(self):
        """All else that fails with it is carried."""
        assert outcomes(self.FOUND) == ["failed", *["carried"] * 3, *["passed"] * 6]
        assert cost(self.FOUND) == 2

    def test_leaves_strict_points_as_they_are(self):
        """Both scores stand in the report."""
        report = ExerciseReport("attention", tuple(followed(self.FOUND, BANK)))

        assert (report.strict_points, report.followed_points, report.score, report.max_score) == (
            12,
            18,
            18,
            20,
        )

    def test_costs_a_twentieth_at_least(self):
        """One of what is carried pays the rest, in tenths of a point."""
        found = [verdict(1, "no_scale", points=0.5), verdict(2, "no_scale"), *passed(*range(3, 14))]

        assert cost(found) == 1.3  # of 24.5
        assert outcomes(found)[:2] == ["failed", "carried"]

    def test_costs_a_quarter_at_most(self):
        """What it is about gets the rest back, and has failed all the same."""
        found = [*(verdict(n, "all_wrong") for n in (1, 2, 3)), *passed(4)]

        assert cost(found) == 2
        assert outcomes(found) == ["failed"] * 3 + ["passed"]

    def test_costs_no_more_than_it_does_strictly(self):
        """A check that is worth little."""
        assert cost([verdict(1, "no_scale", points=0.1), *passed(*range(2, 20))]) == 0.1

    def test_carries_a_race_that_was_lost_by_a_wrong_answer(self):
        """How fast a wrong answer is, nobody knows."""
        found = [*self.FOUND[:-1], verdict(10, kind="wrong_when_timed")]

        assert outcomes(found)[-1] == "carried"
        assert cost(found) == 2

    def test_gives_back_what_a_part_of_a_check_has_earned_already(self):
        """It was not lost."""
        found = [verdict(1, "no_scale"), verdict(2, "no_scale", facts={"earned": 0.75})]
        carried = followed([*found, *passed(*range(3, 11))], BANK)[1]

        assert (carried.strict_points, carried.followed_points) == (1.5, 2)


class TestTwo:
    def test_cost_their_sum(self):
        """Each what it is about, and nothing what both make fail."""
        found = [verdict(1, "no_scale"), verdict(2, "no_mask"), verdict(3, "no_mask")]

        assert cost([*found, *passed(*range(4, 21))]) == 4

    def test_are_the_most(self):
        """Whoever makes three is marked strictly."""
        names = ("no_scale", "no_mask", "all_wrong")
        found = [verdict(n, name) for n, name in enumerate(names, start=1)]

        assert cost([*found, *passed(4, 5)]) == 6


class TestNothing:
    """Is carried: every check that failed costs its points."""

    @pytest.mark.parametrize(
        "spoiled",
        [
            verdict(9),
            verdict(9, "unheard_of"),
            verdict(9, "no_scale", Outcome.TIMEOUT),
            verdict(9, "no_scale", Outcome.MEMORY),
            verdict(9, "no_scale", Outcome.BLOCKED),
            verdict(9, "no_scale", refused=("open a file",)),
            verdict(9, outcome=Outcome.INTERNAL),
        ],
        ids=lambda one: f"{one.outcome} {one.misconception} {one.cause.kind} {one.refused}",
    )
    def test_beside(self, spoiled):
        """What is unexplained, hangs, is refused, or lacks the idea."""
        found = [verdict(1, "no_scale"), verdict(2, "no_scale"), spoiled, *passed(4, 5, 6)]

        assert followed(found, BANK) == found

    def test_beside_what_is_suspiciously_fast(self):
        """A person looks at that first."""
        fast = Measured("time", 0.1, 0.1, 0.1, 3.0, suspicious=True)
        found = [verdict(1, "no_scale"), verdict(2, "no_scale"), *passed(3, measured=fast)]

        assert followed(found, BANK) == found

    def test_where_most_answers_are_one_number(self):
        """A constant lacks the idea, whatever it equals."""
        found = [verdict(n, "no_scale", kind="one_number") for n in (1, 2)]
        found += [verdict(3, "no_scale"), *passed(4, 5)]

        assert followed(found, BANK) == found

    def test_where_nothing_is_right(self):
        """Then it is no slip."""
        found = [verdict(1, "no_scale"), verdict(2, "no_scale")]

        assert followed(found, BANK) == found
