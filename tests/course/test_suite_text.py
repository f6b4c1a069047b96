"""What a suite's text says of its checks is read without running it."""

from __future__ import annotations

from grader.course.suite_text import read_suite, suite_points


class TestSuiteTexts:
    SUITE = '''\
import pytest

def helper(): ...

@pytest.mark.points(2.5)
@pytest.mark.public
def test_first(compare):
    """One."""

@pytest.mark.kept("because")
@pytest.mark.parametrize("n", [1, 2])
def test_second(compare, n):
    """Two."""
'''

    def test_are_read_without_running_them(self, toy):
        """Points, publicity and reasons are read off the marks."""
        toy.suite("toy").write_text(self.SUITE)
        first, second = read_suite(toy, "toy")

        assert (first.name, first.points, first.public) == ("test_first", 2.5, True)
        assert (second.name, second.points, second.public) == ("test_second", 1.0, False)
        assert (first.kept, second.kept) == ("", "because")

    def test_add_up(self, toy):
        """A suite is worth the sum of its checks."""
        toy.suite("toy").write_text(self.SUITE.replace('@pytest.mark.parametrize("n", [1, 2])', ""))

        assert suite_points(toy, "toy") == 3.5

    def test_say_what_checks_rest_on(self, toy):
        """Words may be broken into pieces, and be several."""
        mark = '@pytest.mark.rests_on("one " "and", "two")\n'
        toy.suite("toy").write_text(self.SUITE.replace("@pytest.mark.points(2.5)\n", mark))
        first, second = read_suite(toy, "toy")

        assert (first.rests_on, second.rests_on) == (("one and", "two"), ())
