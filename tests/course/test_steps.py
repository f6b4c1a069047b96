"""A stub says in its TODOs in which order its parts are best written."""

from __future__ import annotations

import pytest

from grader.course.catalog import load_catalog
from grader.course.markers import stub_text
from grader.errors import CatalogError

PAGE = """\
def f(x):
    # BEGIN SOLUTION
    return x
    # END SOLUTION


class C:
    def __init__(self):
        # BEGIN SOLUTION
        self.x = 1
        # END SOLUTION

    def forward(self):
        # BEGIN SOLUTION
        return self.x
        # END SOLUTION

    def more(self):
        # BEGIN SOLUTION
        return 2
        # END SOLUTION
"""


def todos(*steps):
    """The comments of the stub, in order."""
    stub = stub_text(PAGE, "page", steps)
    return [line.strip() for line in stub.splitlines() if line.strip().startswith("#")]


class TestATodo:
    def test_is_a_step(self):
        """Of its function, or of its class with all its methods."""
        assert todos("C", "f") == ["# TODO: step 2 of 2", *["# TODO: step 1 of 2"] * 3]

    def test_may_take_several_steps(self):
        """One after another."""
        assert todos("f: plain", "f: with a mask")[:2] == [
            "# TODO: step 1 of 2, plain",
            "#       step 2 of 2, with a mask",
        ]

    def test_of_a_method_is_its_own(self):
        """How an object is made belongs to the first step of its class; what no step names comes
        after all of them."""
        assert todos("f", "C.forward: plain", "C.forward: masked")[1:] == [
            "# TODO: step 2 of 3",
            "# TODO: step 2 of 3, plain",
            "#       step 3 of 3, masked",
            "# TODO: after the core, steps 1 to 3",
        ]

    def test_of_no_step_says_what_it_always_said(self):
        """A course need not have steps."""
        assert todos() == ["# TODO: your code here"] * 4


def test_a_step_names_something_of_its_page(toy):
    """A slip is told, with what may be meant."""
    toy.catalog.write_text(f'{toy.catalog.read_text()}steps = ["duble: x"]\n')

    with pytest.raises(CatalogError, match=r"the step 'duble: x' of 'toy'.*Did you mean 'double'"):
        load_catalog(toy)
