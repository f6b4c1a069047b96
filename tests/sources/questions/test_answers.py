"""What the questions call true is true, whatever numbers are drawn."""

from __future__ import annotations

import inspect

from grader.course.catalog import load_catalog
from grader.course.course import find_course
from grader.examiner.collection import collected
from grader.model import Outcome
from grader.proof import examine_programs, names_of

COURSE = find_course()
SEEDS = range(1, 31)


def questions_of(truth):
    return {n: f for n, f in vars(truth).items() if n.endswith("_statements")}


class TestAnswers:
    """Solution, suite and drawn cases agree, and nobody gets by without looking at the numbers."""

    def test_the_page_says_what_the_suite_holds_true(self, page, truth, cases_of):
        for question, holds in questions_of(truth).items():
            for seed in SEEDS:
                for case in cases_of(question, seed):
                    expected = page.letters(**holds(*case))

                    assert getattr(page, question)(*case) == expected, (question, case)

    def test_whatever_depends_on_the_numbers_is_seen_true_and_false(self, truth, cases_of):
        """With every seed, at least two statements a question, no two of them always alike."""
        for question, holds in questions_of(truth).items():
            moving = set()
            for seed in SEEDS:
                seen = [holds(*case) for case in cases_of(question, seed)]
                moving |= {k for k in "ABCDE" if len({answer[k] for answer in seen}) == 2}
            for seed in SEEDS:
                seen = [holds(*case) for case in cases_of(question, seed)]

                assert len(moving) >= 2, question
                assert all(len({answer[k] for answer in seen}) == 2 for k in moving), question

    def test_questions_differ_between_students(self, cases_of, truth):
        """Where the numbers are drawn: the few yes-or-no questions are asked in full."""
        in_full = {"parallel_statements", "order_statements", "family_statements"}
        for question in questions_of(truth).keys() - in_full:
            drawn = {tuple(cases_of(question, seed)) for seed in SEEDS}

            assert len(drawn) > 10, question

    def test_every_statement_is_there_to_read(self, page, truth):
        for question in questions_of(truth):
            text = inspect.getdoc(getattr(page, question))

            assert all(f"\n{letter}. " in text for letter in "ABCDE"), question

    def test_no_constant_answer_earns_a_point(self, page, truth):
        """All 32 answers to each question, and the page's example for each number."""
        reference = names_of(page)
        letters = ["".join(k for i, k in enumerate("ABCDE") if n >> i & 1) for n in range(32)]
        names = list(questions_of(truth))
        constants = {
            f"always {answer!r}": reference | dict.fromkeys(names, lambda *_, a=answer: a)
            for answer in letters
        }
        suite = collected(COURSE).of(load_catalog(COURSE)["questions"])
        verdicts = examine_programs(suite, constants, diagnosed=False)

        for who, found in verdicts.items():
            passed = {v.check.name for v in found if v.outcome is Outcome.PASSED}
            assert not passed & {f"test_{name}" for name in names}, who
