"""What a suite's text says of its checks is read without running it."""

from __future__ import annotations

import pytest

from grader.course.suite_text import read_suite, suite_points
from grader.errors import SuiteError


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

    @pytest.mark.parametrize("mark", ["core", "points", "kept", "rests_on"])
    def test_are_told_of_a_name_in_a_mark(self, toy, mark):
        """Its value is not known where the suite is not run: which mark, of which check, where."""
        named = f"@pytest.mark.{mark}(STEP)"
        toy.suite("toy").write_text(self.SUITE.replace("@pytest.mark.points(2.5)", named))

        with pytest.raises(SuiteError, match="write the words or the number itself") as error:
            read_suite(toy, "toy")

        place = toy.shown(toy.suite("toy"))
        assert str(error.value).startswith(
            f"{place}, line 5: the mark {mark} of test_first holds 'STEP'"
        )

    def test_may_hold_names_in_other_marks(self, toy):
        """What pytest alone reads may be whatever pytest takes."""
        toy.suite("toy").write_text(self.SUITE.replace("[1, 2]", "NUMBERS"))

        assert [check.name for check in read_suite(toy, "toy")] == ["test_first", "test_second"]
