"""What the questions call true is true, whatever numbers are drawn."""

from __future__ import annotations

import inspect

from grader.course.catalog import load_catalog
from grader.course.course import find_course
from grader.examiner.collection import collected
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
        names = ("parallel", "order", "family", "norm_place")
        in_full = {f"{name}_statements" for name in names}
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
            earned = {v.check.name for v in found if v.points > 0}
            assert not earned & {f"test_{name}" for name in names}, who

    def test_points_count_by_letter(self, page, truth):
        """Of a right answer with one letter wrong most or half of the points are left, whichever
        the letter is; with all of them wrong, nothing."""
        reference, suite = (
            names_of(page),
            collected(COURSE).of(load_catalog(COURSE)["questions"]),
        )
        for question, checked in ((q, f"test_{q}") for q in questions_of(truth)):
            programs = {
                turned: reference | {question: turning(reference[question], turned)}
                for turned in (*"ABCDE", "ABCDE")
            }
            only = {turned: {checked} for turned in programs}
            found = examine_programs(suite, programs, diagnosed=False, only=only)
            points = {turned: verdict.points for turned, (verdict,) in found.items()}

            assert points.pop("ABCDE") == 0, question
            assert 1.0 <= points["A"] < 2.0, question
            assert len(set(points.values())) == 1, question


def turning(question, letters):
    """The question's answer with these letters the wrong way round."""
    return lambda *case: "".join(set(letters) ^ set(question(*case)))
