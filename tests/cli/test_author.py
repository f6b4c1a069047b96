"""`grader dev`: what authors are told."""

from __future__ import annotations


class TestStubs:
    def test_are_as_generated(self, grader):
        """`grader dev stubs --check` finds nothing in a fresh checkout."""
        done = grader("dev", "stubs", "--check")

        assert done.returncode == 0, done.stdout
