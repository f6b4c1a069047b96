"""Wrong answers to ``write_the_tests``: its page with a slip, and what the author is told."""

from __future__ import annotations

from grader.check import Bank

wrong = Bank()
