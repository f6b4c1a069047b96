"""What a page defines, and what of it rests on what."""

from __future__ import annotations

from grader.course.page_names import given_names, used_within

PAGE = """
def _given(x):
    return x


def one(x):
    # BEGIN SOLUTION
    return _own(x)


def _own(x):
    return _given(x) + 1
    # END SOLUTION


class Layer:
    def forward(self, x):
        # BEGIN SOLUTION
        return one(x)
        # END SOLUTION
"""


def test_what_rests_on_what_is_found_through_others():
    """A layer on a function rests on what that is made from."""
    assert used_within(PAGE) == {
        "_given": frozenset(),
        "one": {"_own", "_given"},
        "_own": {"_given"},
        "Layer": {"one", "_own", "_given"},
    }


def test_what_is_given_stands_outside_of_bodies():
    """What the solution wrote for itself is nothing that a student is given."""
    assert given_names(PAGE) == {"_given"}
