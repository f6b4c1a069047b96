"""Two slips that hide one another are found by a page that has both."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest
import torch

from grader.course.catalog import load_catalog
from grader.course.course import find_course
from grader.errors import SuiteError
from grader.examiner.case import Case
from grader.examiner.collection import collected
from grader.examiner.finding import find
from grader.examiner.follow_through import followed
from grader.examiner.telling import taught
from grader.examiner.two_at_once import Both, _is_of_a_caller, _shows_all, _with_others
from grader.model import Outcome
from grader.programs.bank import Slip
from grader.programs.failure import Evidence
from grader.programs.page import Page
from grader.programs.program import LocalProgram, StandIn

COURSE = find_course()
SEED = 5
PAIR = ("epsilon_in_the_denominator", "log_softmax_ignores_dim")
CALLER = ("log_softmax", "logsumexp")


@pytest.fixture(scope="module")
def suite():
    exercise = load_catalog(COURSE)["softmax"]
    return collected(COURSE, [exercise]).of(exercise)


@pytest.fixture
def told(suite):
    """``told(text)`` are the verdicts on the page softmax with this text."""
    page = Page(COURSE.solution("softmax"))
    only = [c.check.name for c in suite.checks if not c.measures]

    def told(text):
        program = LocalProgram(partial(page.program, page.compiled(text)))
        return taught(suite, find(suite, program, SEED, only=only), suite.misconceptions)

    return told


@pytest.fixture
def text(suite):
    """The page with both."""
    one, other = (next(e for e in suite.misconceptions if e.name == name) for name in PAIR)
    return one.together_with(other)


def names(verdicts):
    return {v.misconception for v in verdicts if v.outcome is not Outcome.PASSED}


def test_both_are_named(told, text, suite):
    """So they are carried as two mistakes."""
    verdicts = told(text)

    assert names(verdicts) == set(PAIR)
    assert "carried" in {
        str(verdict.outcome) for verdict in followed(verdicts, suite.misconceptions)
    }


def test_neither_shows_all_of_it(told, text, monkeypatch):
    """Alone, one of them is not seen."""
    monkeypatch.setattr("grader.examiner.telling.two_at_once", lambda *cases, **known: None)

    assert not names(told(text)) >= set(PAIR)


HIDDEN = [
    # None of which stands by itself.
    ("softmax", "one_sum_for_the_whole_tensor", "weights_subtracted"),
    # Seen alone in what neither is about.
    ("softmax", "sum_of_the_first_axis", "sign_flipped"),
    # Seen alone in one number.
    ("softmax", "logsumexp_overflows", "sum_along_the_last_axis"),
    # Seen alone only in the second telling check.
    ("softmax", "maximum_not_taken_out", "logsumexp_of_the_whole_tensor"),
    # What the second is about the first shows as well: it is told where it takes both.
    ("projections_by_hand", "queries_and_keys_exchanged", "divided_by_root_of_two"),
    # Numbers in a wrong shape.
    ("projections_by_hand", "result_transposed", "divided_by_root_of_input_width"),
    ("attention_by_hand", "compares_columns", "mean_subtracted"),
    # What the first is about, the second shows; all evidence is weak.
    ("dropout", "random_numbers_made_of_x", "drops_only_where_gradients_are"),
    # One is seen more than all others, and the partner is far down in the bank.
    ("positional_encoding", "first_row_zero", "goes_on_counting"),
    # Tokens that are drawn, of which nearly always the same one is.
    ("sampling", "k_logits_among_zeros", "end_as_the_last_of_the_prompt"),
]


@pytest.mark.parametrize(("name", "one", "other"), HIDDEN, ids=map(" ".join, HIDDEN))
def test_both_are_named_where_hardly_anything_shows_one_alone(name, one, other):
    """A page with both answers as the submission does, throughout."""
    exercise = load_catalog(COURSE)[name]
    suite = collected(COURSE, [exercise]).of(exercise)
    known = {entry.name: entry for entry in suite.misconceptions}
    text = known[one].together_with(known[other])
    only = [c.check.name for c in suite.checks if not c.measures]
    found = find(suite, StandIn(partial(known[one].page.program, text)), SEED, only=only)

    assert names(taught(suite, found, suite.misconceptions)) == {one, other}


def test_who_shows_what_is_left_is_tried_first(suite):
    """By itself, and wherever in the bank; before those that are said to be caught by it. Those in
    the place of the first one are not tried.
    """
    one, *rest = (entry for entry in suite.misconceptions if isinstance(entry, Slip))
    others = [other for other in rest if Both(name="", one=one, other=other).is_possible]
    check = others[0].caught_by[0]
    numbers = Evidence("value", 0, 2.0)
    left = Case(check, numbers, lambda entry: numbers if entry is others[-1] else None)
    tried = [both.other for both in _with_others(one, [left], [one, *others])]

    assert tried[:2] == [others[-1], others[0]]
    assert len(tried) == len(others) < len(rest)


@pytest.mark.parametrize(("number", "is_sign"), [(2.0, True), (float("-inf"), False)])
def test_infinities_alone_are_no_sign_of_a_second_one(suite, number, is_sign):
    """Many mistakes would give them."""
    one, *rest = (entry for entry in suite.misconceptions if isinstance(entry, Slip))
    other = next(other for other in rest if Both(name="", one=one, other=other).is_possible)
    both = Both(name="both", one=one, other=other)
    numbers = Evidence("numbers", 0, torch.tensor([float("inf"), number]))
    left = Case("left", numbers, lambda entry: numbers if entry is both else None)

    assert _shows_all(both, [left]) is is_sign


def test_two_that_are_no_program_together_are_no_pair(suite):
    """Whatever is raised when it is read or run."""
    (one, *_) = (e for e in suite.misconceptions if e.of == "softmax")
    page = replace(one, name="mine", slips=(("return ", "assert False\n    return return "),))
    both = Both(name="mine and other", one=page, other=replace(page, name="other", slips=()))

    with pytest.raises(SuiteError):
        both.applied_to({})


def test_one_that_calls_what_the_other_is_about_is_no_pair(suite):
    """It is wrong with that, whatever it is like itself."""
    slips = [next(e for e in suite.misconceptions if e.of == of) for of in CALLER]
    both = Both(name="both", one=slips[0], other=slips[1])

    assert _is_of_a_caller(both, {CALLER[0]: frozenset([CALLER[1]])})
    assert not _is_of_a_caller(both, {CALLER[0]: frozenset(), CALLER[1]: frozenset(["exp"])})


def test_a_third_mistake_is_not_explained(told, text):
    """Nothing may be left over."""
    third = text.replace("return y * (grad_out - weighted)", "return y * (grad_out - 2 * weighted)")

    assert third != text
    assert None in names(told(third))


def test_the_answer_of_both_is_kept(told, text):
    """Beside the submission's, which is the same: so a mark is defended."""
    answers = [v.cause.facts["answers"] for v in told(text) if v.misconception]

    assert len(answers) > 2
    assert all(one["submission"] == one["misconception"] for one in answers)


WEAK = ("not_scaled", "accepts_negative_p")


@pytest.fixture(scope="module")
def dropout():
    exercise = load_catalog(COURSE)["dropout"]
    return collected(COURSE, [exercise]).of(exercise)


@pytest.fixture(scope="module")
def found(dropout):
    """What is found of the page with both."""
    one, other = (next(e for e in dropout.misconceptions if e.name == name) for name in WEAK)
    program = LocalProgram(partial(one.page.program, one.together_with(other)))
    return find(dropout, program, SEED)


class TestWhereAllEvidenceIsWeak:
    """What dropout's checks say of chance are sentences, which more than one mistake may give."""

    def test_both_are_named_if_no_other_pair_shows_the_same(self, dropout, found):
        assert names(taught(dropout, found, dropout.misconceptions)) == set(WEAK)

    def test_neither_is_if_another_pair_does(self, dropout, found):
        """Then nobody knows which of them it is."""
        twins = [replace(e, name=f"{e.name}_too") for e in dropout.misconceptions if e.name in WEAK]

        assert names(taught(dropout, found, [*dropout.misconceptions, *twins])) == {None}

    def test_neither_is_if_one_is_unknown(self, dropout, found):
        """Half of an explanation is none."""
        for left in WEAK:
            known = [entry for entry in dropout.misconceptions if entry.name != left]
            assert not names(taught(dropout, found, known)) - {None, *WEAK}
