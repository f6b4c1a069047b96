"""A check rests on words of its page, or of exercises/README.md."""

from __future__ import annotations

import pytest

from grader.course.rests import unsaid

SUITE = '''\
import pytest

@pytest.mark.rests_on({words})
def test_doubles(compare, draw):
    """Every number is doubled."""
'''
PAGE = '''\
"""A toy, whose every ``number``
is doubled. A check of every number is doubled."""

# Never change the input, which
# is the caller's.


def double(x):
    """Twice ``x``."""
    # BEGIN SOLUTION
    # here nothing is said to students
    return x + x
    # END SOLUTION
'''


@pytest.fixture
def found(toy):
    """``found(words)`` are the findings on a check that rests on them."""

    def found(*words, suite=SUITE):
        toy.solution("toy").write_text(PAGE)
        (toy.exercises / "README.md").write_text("All functions keep the device.\n| not | this |")
        toy.suite("toy").write_text(suite.format(words=", ".join(map(repr, words))))
        return unsaid(toy, "toy")

    return found


class TestWords:
    @pytest.mark.parametrize(
        "words",
        [
            "whose every number is doubled",
            "Whose every `number`\n is doubled",
            "never change the input, which is the caller's",
            "all functions keep the device",
        ],
    )
    def test_that_stand_there_are_enough(self, found, words):
        """However they are broken into lines and quoted; a sentence may be begun in its midst."""
        assert found(words) == []

    @pytest.mark.parametrize(
        "words",
        [
            "whose every number is tripled",
            "here nothing is said to students",
            "hose every number is doubled",
            "whose every number is double",
            "every number Is doubled. A",
            "| not | this |",
        ],
    )
    def test_that_do_not_stand_there_are_found(self, found, words):
        """Neither a solution's body nor the table of exercises says anything."""
        (finding,) = found(words)

        assert finding.startswith("toy: test_doubles rests on ")
        assert "neither on the page nor" in finding

    def test_that_are_few_are_found(self, found):
        """They would stand on any page."""
        (finding,) = found("number is doubled")

        assert "fewer than 4 words" in finding

    def test_that_are_the_docstring_are_found(self, found):
        """Who copies it to the page has explained nothing."""
        (finding,) = found("every number is doubled.".capitalize())

        assert "rests on its own docstring" in finding

    def test_are_each_looked_for(self, found):
        """One of two that is missing is found."""
        assert len(found("whose every number is doubled", "whose every number is tripled")) == 1


class TestACheck:
    def test_without_words_is_found(self, found):
        """Others of the suite have some."""
        suite = SUITE + "\ndef test_more():\n    pass\n"

        assert found("whose every number is doubled", suite=suite) == [
            "toy: test_more rests on no words of the page"
        ]

    def test_without_any_in_the_suite_is_told_once(self, found):
        """A suite that is not marked yet has one finding, not one for each check."""
        suite = "def test_one(): pass\ndef test_two(): pass\n"

        assert found(suite=suite) == ["toy: no check says on which words of the page it rests"]
