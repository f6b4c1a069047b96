"""A stub is its solution with the marked bodies cut out, and otherwise the same page."""

from __future__ import annotations

import pytest

from grader.course.markers import (
    given_instead,
    left_to_mend,
    left_to_write,
    marked_again,
    stub_text,
    without_markers,
)
from grader.errors import MarkerError

SOLUTION = '''\
"""A page."""

import torch


class Layer(torch.nn.Module):
    """Two methods."""

    def first(self, x):
        """Say something."""
        # BEGIN SOLUTION
        y = x + 1

        return y
        # END SOLUTION

    def second(self, x):
        # BEGIN SOLUTION
        return x
        # END SOLUTION


# BEGIN SOLUTION
TABLE = {}
# END SOLUTION
'''

STUB = '''\
"""A page."""

import torch


class Layer(torch.nn.Module):
    """Two methods."""

    def first(self, x):
        """Say something."""
        # TODO: your code here
        raise NotImplementedError("page: replace this line")

    def second(self, x):
        # TODO: your code here
        raise NotImplementedError("page: replace this line")


# TODO: your code here
raise NotImplementedError("page: replace this line")
'''


def test_regions_are_cut_at_their_own_indentation():
    """Every region gives way to a TODO that raises, where the region stood."""
    assert stub_text(SOLUTION, "page") == STUB


def test_nothing_of_a_region_is_left():
    """No line of a solution shows through."""
    stub = stub_text(SOLUTION, "page")

    assert "x + 1" not in stub
    assert "TABLE" not in stub
    assert "SOLUTION" not in stub


def test_what_merely_mentions_a_marker_is_no_marker():
    """A marker stands alone on its line."""
    line = "x = 1  # BEGIN SOLUTION is a marker"
    stub = stub_text(f"{line}\n# BEGIN SOLUTION\n# END SOLUTION\n", "page")

    assert stub.splitlines()[0] == line


@pytest.mark.parametrize("odd", ["\f", "\x1c", "\u2028", "\x85", "\v"])
def test_other_lines_pass_through_untouched(odd):
    """Only a line's end ends a line, not every character that Unicode counts as one."""
    line = f"text = 'one{odd}two'"
    solution = f"{line}\n# BEGIN SOLUTION\nx = 1\n# END SOLUTION\n\n\n"

    assert stub_text(solution, "page").startswith(f"{line}\n# TODO")
    assert stub_text(solution, "page").endswith('line")\n\n\n')
    assert without_markers(solution) == f"{line}\nx = 1\n\n\n"


def test_a_solution_without_its_markers_is_a_program():
    """Everything but the markers is kept."""
    program = without_markers(SOLUTION)

    assert program == "".join(
        line for line in SOLUTION.splitlines(keepends=True) if "SOLUTION" not in line
    )


@pytest.mark.parametrize(
    ("solution", "complaint"),
    [
        ("x = 1\n", "page.py has no # BEGIN SOLUTION: a stub of it would be the solution."),
        ("", "page.py has no # BEGIN SOLUTION"),
        ("\n# BEGIN SOLUTION\nx = 1\n", "page.py, line 2: # BEGIN SOLUTION is never closed"),
        ("x\n# END SOLUTION\n", "page.py, line 2: # END SOLUTION without # BEGIN SOLUTION"),
        (
            "# BEGIN SOLUTION\n\n# BEGIN SOLUTION\n# END SOLUTION\n# END SOLUTION\n",
            "page.py, line 3: # BEGIN SOLUTION inside line 1's.",
        ),
        (
            "# BEGIN SOLUTION\n# END SOLUTION\n# END SOLUTION\n",
            "page.py, line 3: # END SOLUTION without",
        ),
    ],
)
def test_markers_must_pair_up(solution, complaint):
    """A page whose markers do not pair up would give a solution away, so it is refused."""
    with pytest.raises(MarkerError) as caught:
        stub_text(solution, "page")

    assert str(caught.value).startswith(complaint)


class TestAStub:
    def test_shows_where_it_was_cut(self):
        """With its markers again, and the TODO between them, the same stub comes of it."""
        marked = marked_again(stub_text(SOLUTION, "page"))

        assert marked.count("# BEGIN SOLUTION") == marked.count("# END SOLUTION") == 3
        assert stub_text(marked, "page") == stub_text(SOLUTION, "page")

    def test_says_how_much_is_left_to_write(self):
        """By its bodies, and not by what somebody says about them."""
        stub = stub_text(SOLUTION, "page")
        begun = stub.replace('raise NotImplementedError("page: replace this line")', "return 1", 1)

        assert left_to_write(stub) == 3
        assert left_to_write(begun) == 2
        assert left_to_write("# replace this line\nraise NotImplementedError()") == 0


MENDED = '''\
def shift(x):
    """Add one."""
    # BEGIN SOLUTION
    y = x + 1
    # GIVEN: y = x
    # GIVEN: y = y - 1

    z = y
    # GIVEN:
    return y
    # END SOLUTION


def other(x):
    # BEGIN SOLUTION
    return x
    # END SOLUTION
'''

TO_MEND = '''\
def shift(x):
    """Add one."""
    # TODO: your code here
    # what follows is given: mend it
    y = x
    y = y - 1

    return y


def other(x):
    # TODO: your code here
    raise NotImplementedError("page: replace this line")
'''


class TestABodyThatIsGiven:
    def test_stands_in_the_stub_with_its_slip(self):
        """Lines that say what is given stand in the place of the one above them."""
        assert stub_text(MENDED, "page") == TO_MEND

    def test_leaves_no_trace_in_the_solution(self):
        """A perfect program does not tell what others are given."""
        program = without_markers(MENDED)

        assert "GIVEN" not in program
        assert "y - 1" not in program
        assert "y = x + 1" in program

    def test_is_marked_again(self):
        """From the first line that is given to the last one of the function, and no further."""
        marked = marked_again(TO_MEND)

        assert marked.count("# BEGIN SOLUTION") == marked.count("# END SOLUTION") == 2
        assert "    return y\n    # END SOLUTION\n\n\ndef other" in marked
        assert without_markers(marked) == TO_MEND

    def test_stands_instead_of_its_region_for_those_who_cut_the_others(self):
        """As in the stub; regions that are to be emptied stay."""
        instead = given_instead(MENDED)

        assert instead.partition("def other")[0] == TO_MEND.partition("def other")[0]
        assert instead.partition("def other")[2] == MENDED.partition("def other")[2]
        assert given_instead(SOLUTION) == SOLUTION

    def test_is_counted_apart(self):
        """It is not to be written, but to be mended."""
        assert left_to_write(TO_MEND) == 1
        assert left_to_mend(TO_MEND) == 1
        assert left_to_mend(STUB) == 0

    def test_words_elsewhere_are_no_mark(self):
        """In a string, behind code, or outside of a region the words mean nothing."""
        page = "# GIVEN: x\n# BEGIN SOLUTION\ny = 1  # GIVEN: y = 2\n# END SOLUTION\n"

        assert "raise NotImplementedError" in stub_text(page, "page")
