"""A failed answer is told the misconception that explains it, and what passed, and no other."""

from __future__ import annotations

import pytest
import torch

from grader.errors import OwnLine, Raised, SubmissionRaised, SuiteError
from grader.examiner.case import Case
from grader.examiner.diagnosis import recognise
from grader.examiner.evidence import UNTOLD, evidence_of, shown_by
from grader.programs.bank import Entry
from grader.programs.failure import CheckFailed, Evidence
from grader.report.words import said

ONES = torch.ones(2, 3)
CHECKS = ("one", "two", "three", "four", "five")


def failed(actual, kind="value", step=0):
    return CheckFailed(said("It differs."), Evidence(kind, step, actual))


def raised(type_name, message=""):
    return SubmissionRaised(Raised(type_name, message, (OwnLine("m.py", 1, f"raise {type_name}"),)))


def gives(*values):
    return [None if value is None else failed(ONES * value) for value in values]


def says(*sentences):
    return [None if text is None else AssertionError(text) for text in sentences]


def cases_of(submission, answers, of, clocked=(), beside=(), steps=(0, 0, 0, 0, 0)):
    """A subject is written as its error in each check; ``of`` are the functions the checks ask.
    Numbers are strong evidence, sentences are weak.
    """
    return [
        Case(
            check,
            evidence_of(error),
            lambda entry, check=check: shown_by(answers[entry.name][check]),
            of=function,
            beside=frozenset(beside),
            is_strong=isinstance(error, CheckFailed),
            passed=error is None,
            contradicts=error is None and check not in clocked,
            step=step,
        )
        for check, error, function, step in zip(CHECKS, submission, of, steps, strict=False)
    ]


def named(submission, *bank, of="ffff", rests_on=None, calls=None, **more):
    """Who is named in each check. A bank's entry is its name, the checks that claim to catch it,
    and its error in each.
    """
    entries = [
        Entry(name=name, sentence=f"You {name}.", caught_by=claimed) for name, claimed, _ in bank
    ]
    answers = {name: dict(zip(CHECKS, errors, strict=False)) for name, _, errors in bank}
    cases = cases_of(submission, answers, of, **more)
    return [entry and entry.name for entry in recognise(cases, entries, rests_on, calls)]


class TestOne:
    def test_is_named_wherever_it_fails_alike(self):
        """The misconception with these very answers."""
        square, cube = ("square", ("one",), gives(2, 2, 2)), ("cube", ("one",), gives(3, 3, None))

        assert named(gives(3, 3, None), square, cube) == ["cube", "cube", None]

    def test_is_the_first_of_equals(self):
        """Where nothing tells two apart, and the numbers are theirs, the bank's order decides."""
        square, cube = ("square", ("one",), gives(2, 2, 2)), ("cube", ("one",), gives(2, 2, 2))

        assert named(gives(2, 2, 2), square, cube) == ["square"] * 3

    def test_would_fail_no_check_that_was_passed(self):
        """A submission that passes a check is not the program that fails it, claimed or not."""
        square = ("square", ("one",), gives(2, 2, None))

        assert named(gives(2, None, None), square) == [None, None, None]

    def test_is_not_contradicted_by_a_clock(self):
        """A clocked check is not run again for a diagnosis."""
        square = ("square", ("one",), gives(2, 2, None))

        assert named(gives(2, None, None), square, clocked=["two"])[0] == "square"

    def test_is_not_contradicted_by_an_accident(self):
        """What cannot be compared, in the misconception's place, says nothing."""
        square = ("square", ("one",), [*gives(2), SuiteError("ours"), None])

        assert named(gives(2, None, None), square)[0] == "square"

    @pytest.mark.parametrize("accident", [SuiteError("ours"), raised("NameError", "x")])
    def test_need_not_explain_what_tells_nothing(self, accident):
        """A check without a comparable outcome is neither for it nor against it."""
        square = ("square", ("one",), gives(2, 2, None))

        assert named([*gives(2), accident, None], square) == ["square", None, None]

    def test_leaves_nothing_of_its_function_unexplained(self):
        """One equal answer beside others is chance."""
        square = ("square", ("one",), gives(2, None, None))

        assert named(gives(2, 5, None), square) == [None, None, None]

    def test_leaves_nothing_unexplained_of_what_it_is_made_from(self):
        """A layer on a wrong function is not what is wrong."""
        square = ("square", ("one",), gives(2, None, None))
        found = named(gives(2, 5, None), square, of=("Layer", "f", "f"), rests_on={"Layer": {"f"}})

        assert found == [None, None, None]

    def test_leaves_nothing_unexplained_of_what_it_is_given(self):
        """A stack of layers is not what is wrong while the layers are."""
        square = ("square", ("one",), gives(2, None, None))
        found = named(gives(2, 5, None), square, of=("Stack", "Layer", "Layer"), beside=["Layer"])

        assert found == [None, None, None]

    def test_is_named_beside_what_is_wrong_elsewhere(self):
        """Functions that have nothing to do with one another are told apart."""
        square = ("square", ("one",), gives(2, None, None))

        assert named(gives(2, 5, None), square, of=("f", "g", "g")) == ["square", None, None]

    def test_fails_nothing_in_another_way(self):
        """With other numbers in another function it is another mistake."""
        square = ("square", ("one",), gives(2, 3, None))

        assert named(gives(2, 5, None), square, of=("f", "g", "g")) == [None, None, None]

    def test_is_none_where_none_fits(self):
        """A mistake nobody has described is told as it is."""
        square = ("square", ("one",), gives(2, 2, 2))
        ours = ("ours", ("one",), [SuiteError("ours")] * 3)

        assert named(gives(7, None, None), square, ours) == [None, None, None]

    @pytest.mark.parametrize(("evidence", "passed"), [(None, True), (None, False), (UNTOLD, False)])
    def test_is_not_even_run_without_evidence(self, evidence, passed):
        """Where nothing can be compared there is nothing to find out."""

        def rerun(entry):
            raise AssertionError("was run")

        entry = Entry(name="square", sentence="You square.", caught_by=("one",))
        case = Case("one", evidence, rerun, passed=passed, contradicts=passed)

        assert recognise([case], [entry]) == [None]

    @pytest.mark.parametrize(
        ("said", "is_named"),
        [("IndexError: list index out of range", False), ("KeyError: 'b'", True)],
    )
    def test_is_not_known_by_what_any_mistake_may_raise(self, said, is_named):
        """A place that a list does not have says nothing of the reason."""
        entry = Entry(name="square", sentence="You square.", caught_by=("one",))
        raised = Evidence("raised", 0, said)
        case = Case("one", raised, lambda entry: raised)

        assert recognise([case], [entry]) == [entry if is_named else None]

    @pytest.mark.parametrize(("many", "is_named"), [(8, True), (7, False)])
    def test_that_is_weak_may_show_nearly_all_of_many(self, many, is_named):
        """What comes after a mistake depends on how the rest is written; of few that is no sign."""
        entry = Entry(name="square", sentence="You square.", caught_by=("0",))
        one, other = (Evidence("raised", 0, f"KeyError: '{key}'") for key in "ab")
        cases = [Case(str(n), one, lambda entry: one, of="f") for n in range(many)]
        last = Case("last", one, lambda entry: other, of="f")
        named = [entry] * many if is_named else [None] * many

        assert recognise([*cases, last], [entry]) == [*named, None]

    @pytest.mark.parametrize("sooner", [None, Evidence("value", 0, 3.0)])
    def test_is_not_asked_for_all_where_a_part_tells(self, sooner):
        """Who answers otherwise in the comparison that failed does not show the failure."""

        def answer_of(entry):
            raise AssertionError("was run")

        entry = Entry(name="square", sentence="You square.", caught_by=("one",))
        failed = Evidence("value", 0, 2.0)
        case = Case("one", failed, answer_of, is_strong=True, sooner_known=lambda entry: sooner)

        assert recognise([case], [entry]) == [None]

    @pytest.mark.parametrize(("step", "value", "named"), [(1, 2.0, True), (0, 5.0, False)])
    def test_must_show_all_of_it_where_a_part_tells_nothing(self, step, value, named):
        """The same in the comparison that failed; but it may be stopped before that."""
        entry = Entry(name="square", sentence="You square.", caught_by=("one",))
        failed, found = Evidence("value", 1, 2.0), Evidence("value", step, value)
        case = Case("one", failed, lambda _: found, is_strong=True, sooner_known=lambda _: failed)

        assert recognise([case], [entry]) == [entry if named else None]

    def test_is_asked_first_where_that_is_quick(self):
        """The first check that speaks against it is enough."""
        asked = []

        def answer(name):
            def answer_of(entry):
                asked.append(name)
                return Evidence("value", 0, 2.0)

            return answer_of

        cases = [
            Case("slow", None, answer("slow"), passed=True, contradicts=True, seconds=2.0),
            Case("one", Evidence("value", 0, 2.0), answer("one"), is_strong=True),
            Case("quick", None, answer("quick"), passed=True, contradicts=True, seconds=0.1),
        ]
        entry = Entry(name="square", sentence="You square.", caught_by=("one",))

        assert recognise(cases, [entry]) == [None, None, None]
        assert asked[-1] == "quick"
        assert "slow" not in asked


class TestWeakEvidence:
    def test_names_who_alone_explains_it_all(self):
        """A sentence that only one in the bank brings about, throughout."""
        square = ("square", ("one",), says("No.", "No.", None))
        cube = ("cube", ("one",), says("No.", None, None))

        assert named(says("No.", "No.", None), square, cube) == ["square", "square", None]

    def test_names_nobody_where_two_show_the_same(self):
        """NaN, zeros, an exception: many mistakes give them."""
        square, cube = (
            (name, ("one",), [raised("ValueError", "x"), None, None]) for name in ("square", "cube")
        )

        assert named([raised("ValueError", "x"), None, None], square, cube) == [None] * 3

    def test_names_one_of_two_if_what_passed_speaks_against_the_other(self):
        """The rival need not be one that the submission could be."""
        square = ("square", ("one",), says("No.", None, None))
        cube = ("cube", ("one",), says("No.", None, "No."))

        assert named(says("No.", None, None), square, cube) == ["square", None, None]

    def test_names_nobody_beside_unexplained_numbers(self):
        """An equal sentence explains nothing while the comparisons fail otherwise."""
        square = ("square", ("one",), says("No.", None, None))

        assert named([*says("No."), *gives(5, 6)], square) == [None] * 3

    @pytest.mark.parametrize("rests_on", [{"g": {"f"}}, {"f": {"_h"}, "g": {"_h"}}])
    def test_names_nobody_while_something_near_is_unexplained(self, rests_on):
        """What is made from the function, or from the same private one, fails as well: why?"""
        square = ("square", ("one",), says("No.", None, None))
        found = named(says("No.", "Else.", None), square, of=("f", "g", "g"), rests_on=rests_on)

        assert found == [None] * 3


class TestTwo:
    def test_are_named_where_each_shows_the_failure(self):
        """Neither explains the other's, and both would fail where neither shows it."""
        square = ("square", ("one",), gives(2, None, 4))
        cube = ("cube", ("two",), gives(None, 3, 9))

        assert named(gives(2, 3, 36), square, cube) == ["square", "cube", None]

    def test_may_both_fail_a_check_that_ends_with_the_first(self):
        """Of a check of several functions the first wrong answer is seen, and no other."""
        square = ("square", ("one",), gives(2, 2, None, 4))
        cube = ("cube", ("three",), gives(None, 3, 3, 9))

        found = named(gives(2, 2, 3, 36), square, cube, of="ffgh")
        assert found == ["square", "square", "cube", None]

    def test_are_not_named_where_only_one_fails_what_neither_shows(self):
        """The other has no part in it, and so it would look as that one alone."""
        square = ("square", ("one",), gives(2, None, 4))
        cube = ("cube", ("two",), gives(None, 3, None))

        assert named(gives(2, 3, 36), square, cube) == [None] * 3

    def test_are_not_named_if_one_would_fail_what_passed(self):
        """Together they explain too much."""
        square = ("square", ("one",), gives(2, None, 4))
        cube = ("cube", ("two",), gives(None, 3, 9))

        assert named(gives(2, 3, None), square, cube) == [None] * 3

    def test_are_not_named_on_one_and_the_same_failure(self):
        """Two that look alike there are rivals, and not partners."""
        square = ("square", ("one",), gives(2, 2, None))
        cube = ("cube", ("one",), gives(2, None, 2))

        assert named(gives(2, 2, 2), square, cube) == [None] * 3

    def test_are_not_named_while_a_third_thing_is_wrong(self):
        """What neither would fail is explained by neither."""
        square = ("square", ("one",), gives(2, None, None))
        cube = ("cube", ("two",), gives(None, 3, None))

        assert named(gives(2, 3, 5), square, cube) == [None] * 3

    def test_need_strong_evidence(self):
        """With sentences anything could be put together."""
        square = ("square", ("one",), says("No.", None, "Both."))
        cube = ("cube", ("two",), says(None, "Never.", "Other."))

        assert named(says("No.", "Never.", "Third."), square, cube) == [None] * 3


class TestInPart:
    """Something else is wrong with the same function, and need not be known."""

    SQUARE = ("square", ("one",), gives(2, 2, 3, None))

    @pytest.mark.parametrize(
        "gap",
        [
            raised("ValueError", "x"),
            failed(ONES, "dtype"),
            failed(ONES, "shape"),
            failed(ONES * 5, "numbers", (0, "float64")),
        ],
    )
    def test_is_named_beside_a_gap(self, gap):
        """An exception, a dtype, a shape, or what was right at first, in another check."""
        found = named([*gives(2, 2, 5), gap], self.SQUARE)

        assert found == ["square", "square", None, None]

    def test_leaves_no_numbers_that_it_would_not_give(self):
        """Where it would have been right, wrong numbers are another mistake's."""
        assert (
            named(gives(2, 2, None, 5), ("square", ("one",), gives(2, 2, None, None))) == [None] * 4
        )

    def test_fails_nothing_in_another_way_unless_a_gap_is_seen(self):
        """Other numbers than its own have a reason, which shows elsewhere as well."""
        assert named(gives(2, 2, 5, None), self.SQUARE) == [None] * 4

    @pytest.mark.parametrize(
        "answers", [[*gives(2, 5, 5), failed(ONES, "dtype")], [*gives(2), *[raised("E", "x")] * 3]]
    )
    def test_shows_more_than_it_leaves(self, answers):
        """One equal answer beside others, or beside as many exceptions, is chance."""
        square = ("square", ("one",), gives(2, 3, 3, None))

        assert named(answers, square)[0] is None

    @pytest.mark.parametrize(("kind", "name"), [("dtype", "square"), ("shape", None)])
    def test_is_named_beside_what_leaves_the_numbers_of_its_parts(self, kind, name):
        """A layer may be wrong by itself while its function only returns another dtype."""
        square = ("square", ("one",), gives(2, 2, None))
        answers = [*gives(2, 2), failed(ONES, kind)]
        found = named(answers, square, of=("Layer", "Layer", "f"), rests_on={"Layer": {"f"}})

        assert found == [name, name, None]

    def test_needs_strong_evidence(self):
        """An equal sentence beside an exception tells nothing."""
        square = ("square", ("one",), says("No.", "No.", None))

        assert named([*says("No.", "No."), raised("E", "x")], square) == [None] * 3


class TestAtHand:
    """What is wrong in the first step that is, while later ones are not written."""

    STEPS = (1, 1, 1, 2)
    SQUARE = ("square", ("two",), gives(2, 2, 2, 3))

    def test_is_named_whatever_a_later_step_lacks(self):
        """Its numbers are another mistake's, or nobody's."""
        found = named(gives(2, 2, 2, 5), self.SQUARE, steps=self.STEPS)

        assert found == ["square", "square", "square", None]

    def test_is_named_before_anything_else_is_written(self):
        """Where it would give other numbers by then."""
        square = ("square", ("one",), gives(2, 3, 3, 3))

        assert named(gives(2, 5, 6, 7), square, steps=(1, 2, 3, 0)) == ["square", *[None] * 3]

    def test_would_fail_nearly_all_that_is_wrong(self):
        """A narrow mistake is not named in the place of a wide one, which fails more."""
        square = ("square", ("two",), gives(2, 2, None, None))

        assert named(gives(2, 2, 5, 6), square, steps=(1, 1, 2, 2)) == [None] * 4

    def test_is_all_that_is_wrong_in_it(self):
        """Two thirds of a step are no evidence."""
        square = ("square", ("two",), gives(2, 2, 3, 2))

        assert named(gives(2, 2, 5, 2), square, steps=(1, 1, 1, 1)) == [None] * 4

    def test_is_not_named_once_all_steps_are_right(self):
        """Then what is wrong elsewhere must be explained as well."""
        assert named(gives(2, 2, 2, 6), self.SQUARE, steps=(1, 1, 1, 0)) == [None] * 4

    def test_is_not_named_where_two_show_the_same(self):
        """Of equals none is known to be the one."""
        cube = ("cube", ("two",), gives(2, 2, 2, 4))

        assert named(gives(2, 2, 2, 5), self.SQUARE, cube, steps=self.STEPS) == [None] * 4

    def test_would_fail_nothing_that_was_passed(self):
        """A step before it speaks against it."""
        square = ("square", ("two",), gives(9, 2, 2, 3))

        assert named(gives(None, 2, 2, 5), square, steps=self.STEPS)[0] is None

    def test_needs_strong_evidence(self):
        """Sentences are given by many."""
        square = ("square", ("two",), says("No.", "No.", "No.", None))

        assert named(says("No.", "No.", "No.", "Not."), square, steps=self.STEPS)[3] is None


class TestNearlyAll:
    """What shows all of the first step that is wrong, and fails a few other checks otherwise."""

    STEPS = (1, 0, 0, 0, 0)

    def rows(self, *values):
        return [failed(torch.tensor([1.0, 2.0, 3.0]) * value, "numbers") for value in values]

    def test_is_named_beside_another_mistake(self):
        """In the step at hand nothing else is wrong."""
        bank = ("slip", ("one",), self.rows(2, 2, 2, 2, 5))

        assert named(self.rows(2, 2, 2, 2, 7), bank, of="fffff", steps=self.STEPS)[0] == "slip"

    def test_is_not_named_where_it_fails_more_otherwise(self):
        """Then it is another."""
        bank = ("slip", ("one",), self.rows(2, 2, 2, 5, 5))

        assert named(self.rows(2, 2, 2, 7, 7), bank, of="fffff", steps=self.STEPS)[0] is None

    def test_is_not_named_of_what_is_counted(self):
        """Two mistakes may count the same."""
        bank = ("slip", ("one",), gives(2, 2, 2, 2, 5))

        assert named(gives(2, 2, 2, 2, 7), bank, of="fffff", steps=self.STEPS)[0] is None


class TestWhatIsCountedUpByChance:
    """Numbers drawn by chance differ from run to run in which of them a check counts up."""

    def test_belongs_to_who_has_strong_evidence(self):
        """It need only begin alike."""
        found = [failed(ONES), AssertionError("in training numbers have another mean")]
        bank = ("slip", ("one",), [failed(ONES), AssertionError("in training numbers spread")])

        assert named(found, bank) == ["slip", "slip"]

    def test_is_no_evidence_by_itself(self):
        """Nor is another sentence, for anybody."""
        alone = [None, AssertionError("in training numbers have another mean")]
        other = [failed(ONES), AssertionError("rows sum to 2")]
        weak = ("slip", ("two",), [None, AssertionError("in training numbers spread")])
        bank = ("slip", ("one",), [failed(ONES), AssertionError("in training numbers spread")])

        assert named(alone, weak) == [None, None]
        assert named(other, bank) == [None, None]


class TestAFailureOfNoFunction:
    """A check that is about all functions alike: two of them are wrong, each in a known way."""

    OF = ("f", "g", "")

    def bank(self, first, second):
        alike = AssertionError("not all are right")
        one = ("one_thing", ("one", "three"), [first, None, alike])
        other = ("another", ("two", "three"), [None, second, alike])
        return [first, second, alike], one, other

    def test_hinders_nobody_from_being_named(self):
        submission, one, other = self.bank(*gives(2, 3))

        assert named(submission, one, other, of=self.OF)[:2] == ["one_thing", "another"]

    def test_makes_no_rivals_of_weak_ones(self):
        """Their sentences are of two functions."""
        submission, one, other = self.bank(*says("f is wrong", "g is wrong"))

        assert named(submission, one, other, of=self.OF)[:2] == ["one_thing", "another"]
        assert named(submission, one, other, of="fgg")[:2] != ["one_thing", "another"]


class TestOfItsFunctions:
    """A slip in what two functions share, made in one of them alone."""

    SHARED = ("shared", ("one",), gives(2, 2, 3, 3))

    def test_is_named_where_only_the_other_function_speaks_against_it(self):
        """That one is right, and shares nothing any more."""
        assert named(gives(2, 2, None, None), self.SHARED, of="ffgg") == ["shared"] * 2 + [None] * 2

    def test_would_fail_nothing_of_its_own_that_was_passed(self):
        """Then it is another mistake."""
        assert named(gives(2, None, None, None), self.SHARED, of="ffgg") == [None] * 4

    def test_needs_strong_evidence(self):
        """A sentence fits many."""
        weak = ("weak", ("one",), says("No.", "No.", "No.", "No."))

        assert named([*says("No.", "No."), None, None], weak, of="ffgg") == [None] * 4

    def test_comes_after_who_is_contradicted_by_nothing(self):
        """Its own name is the better one."""
        alone = ("alone", ("one",), gives(2, 2, None, None))

        assert named(gives(2, 2, None, None), self.SHARED, alone, of="ffgg")[0] == "alone"


class TestButForCallers:
    """Of ``f`` the first two checks, of ``g`` the others; ``g`` of the submission calls ``f``."""

    OWN = gives(2, 2, 7, 8)
    CALLS = {"g": frozenset("f")}

    @pytest.mark.parametrize("there", [(None, None), (5, None), (5, 6)])
    def test_is_named_whatever_calls_it_gives(self, there):
        """On the page of the misconception something else is called there, or nothing."""
        found = named(
            self.OWN, ("slip", ("one",), gives(2, 2, *there)), of="ffgg", calls=self.CALLS,
            rests_on={"f": frozenset(["_part"]), "g": frozenset(["_part"])},
        )  # fmt: skip
        assert found == ["slip", "slip", None, None]

    def test_is_named_whatever_calls_what_calls_it_gives(self):
        """``h`` calls ``g``, which calls ``f``."""
        calls = self.CALLS | {"h": frozenset("g")}
        found = named(
            self.OWN, ("slip", ("one",), gives(2, 2, 5, 6)), of="ffgh", calls=calls,
            rests_on={"f": frozenset(["_part"]), "h": frozenset(["_part"])},
        )  # fmt: skip
        assert found == ["slip", "slip", None, None]

    def test_is_not_named_where_no_call_is_seen(self):
        """Then what is left is another mistake in what both share."""
        shared = {"f": frozenset(["_part"]), "g": frozenset(["_part"])}
        found = named(
            self.OWN, ("slip", ("one",), gives(2, 2, 5, 6)), of="ffgg", rests_on=shared, calls={}
        )
        assert found == [None] * 4

    def test_shows_all_that_is_wrong_with_the_function_itself(self):
        """Of which no part is left to another mistake."""
        found = named(self.OWN, ("slip", ("one",), gives(2, 3, 5, 6)), of="ffgg", calls=self.CALLS)
        assert found == [None] * 4

    def test_would_fail_nothing_of_its_own_that_was_passed(self):
        """What the caller has passed says nothing."""
        slip = ("slip", ("one",), gives(2, 2, 5, 6))
        calls = self.CALLS | {"h": frozenset("f")}

        assert named(gives(2, None, 7, 8), slip, of="ffgg", calls=calls) == [None] * 4
        found = named(gives(2, 2, 7, None), slip, of="ffgh", calls=calls)
        assert found == ["slip", "slip", None, None]

    def test_is_spoken_against_by_no_caller_of_which_it_shows_something(self):
        """Nor does what else this caller has passed."""
        found = named(
            gives(2, 2, 2, None, 8), ("slip", ("one",), gives(2, 2, 2, 9, 6)), of="ffggh",
            calls=self.CALLS | {"h": frozenset("f")},
        )  # fmt: skip
        assert found == ["slip"] * 3 + [None] * 2

    def test_needs_strong_evidence_of_its_own(self):
        """A sentence in the function, and nothing but its callers' numbers."""
        found = named(
            says("no", "no", None) + gives(8),
            ("slip", ("one",), says("no", "no", None) + gives(6)),
            of="fffg", calls=self.CALLS,
        )  # fmt: skip
        assert found == [None] * 4


class TestRounding:
    """The same slip in 16 bits is rounded otherwise by each who makes it."""

    def rows(self, *values):
        return [failed(torch.tensor([1.0, 2.0, 3.0]) * value, "numbers") for value in values]

    def test_tells_nobody_apart_in_few_failures(self):
        """Four others are shown exactly."""
        nearly = ("nearly", ("one",), self.rows(2, 2, 2, 2, 2.02))
        far = ("far", ("one",), self.rows(2, 2, 2, 2, 2.2))

        assert named(self.rows(2, 2, 2, 2, 2), nearly, of="fffff") == ["nearly"] * 5
        assert named(self.rows(2, 2, 2, 2, 2), far, of="fffff") == [None] * 5

    def test_is_no_excuse_in_many(self):
        """Then the numbers are others."""
        nearly = ("nearly", ("one",), self.rows(2, 2, 2, 2.02, 2.02))

        assert named(self.rows(2, 2, 2, 2, 2), nearly, of="fffff") == [None] * 5
