"""What students may see is a whitelist, in every format that is made for them."""

from __future__ import annotations

import ast
from dataclasses import replace

import pytest

from grader.course.course import find_course
from grader.exports.formats import PAGES
from grader.exports.students import for_students
from grader.model import Measured, Outcome
from grader.runs.reading import read_run

CONTEXT = {"CLASSROOM": "nlp", "ASSIGNMENT": "ps1"}


class TestWhatIsSeen:
    def test_is_sentences_points_and_what_to_do(self, report, verdict):
        """By exercise and check, numbered; a misconception by its sentence."""
        known = verdict(Outcome.FAILED, 2.0, misconception="squares", lesson="You square.")
        seen = for_students(report(softmax=[verdict()], masks=[known]))
        (first,), (second,) = (exercise.checks for exercise in seen.exercises)

        assert (first.number, first.sentence, first.points) == ("1.1", "It is.", 1.0)
        assert (second.number, second.points, second.max_points) == ("2.1", 0.0, 2.0)
        assert (second.rationale, second.expected, second.actual) == ("It differs.", "1 2", "1 3")
        assert second.help == "You square."

    def test_is_nothing_else(self, report, verdict):
        """No name of a check or a misconception, no seed, no walls, no path, nothing that was
        printed, refused or suspected.
        """
        measured = Measured("time", 0.04, 0.04, 0.04, 1.5, suspicious=True)
        odd = verdict(
            Outcome.FAILED, name="test_secret", misconception="squares", lesson="You square.",
            output="tensor([3.14])", refused=("os.fork()",), measured=measured,
        )  # fmt: skip
        one = replace(report(softmax=[odd], path="/home/ta/ann.zip"), digests={"softmax": "d1"})
        text = repr(for_students(one))
        secret = (
            "test_secret squares 3.14 fork suspicious 987654321 seccomp sha256 /home d1".split()
        )

        assert [word for word in secret if word in text] == []

    def test_has_no_number_without_a_verdict(self, report, verdict):
        """Neither for the check nor its exercise nor in all; and it says whose fault it is not."""
        seen = for_students(report(softmax=[verdict(), verdict(Outcome.INTERNAL)]))
        (exercise,) = seen.exercises

        assert [check.points for check in exercise.checks] == [1.0, None]
        assert (exercise.score, seen.score) == (None, None)
        assert "not your fault" in seen.notice

    def test_has_no_number_for_what_was_skipped(self, report, verdict):
        """It counts as if it were not there."""
        seen = for_students(report(softmax=[verdict(), verdict(Outcome.SKIPPED, 5.0)]))
        skipped = seen.exercises[0].checks[1]

        assert (skipped.points, skipped.max_points) == (None, 0.0)
        assert (seen.score, seen.max_score) == (1.0, 1.0)


class TestARealClass:
    @pytest.mark.parametrize("name", PAGES)
    def test_sees_no_secret(self, graded, name):
        """Not the seed, no line and no name of the hidden checks, and no place on this machine."""
        out, folder = graded
        suite = find_course().suite("softmax").read_text(encoding="utf-8")
        secrets = [str(folder), str(out), str(find_course().root), "987654321", *code_of(suite)]
        pages = [PAGES[name](report, CONTEXT) for report in read_run(out).reports]
        found = {secret for secret in secrets for page in pages if secret in page}

        assert len(pages) == 6
        assert len(secrets) > 50
        assert found == set()


def code_of(suite):
    """The names of checks, and every line of them that is no docstring and long enough to know."""
    tree = ast.parse(suite)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            yield node.name
            for statement in node.body[1:]:
                lines = ast.get_source_segment(suite, statement).splitlines()
                yield from (line.strip() for line in lines if len(line.strip()) > 20)
