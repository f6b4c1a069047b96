"""Times of platforms, in one form."""

from __future__ import annotations

import pytest

from grader.collect.times import iso


class TestTimes:
    @pytest.mark.parametrize(
        ("written", "expected"),
        [
            ("2026-01-31 23:59:00.000000000 Z", "2026-01-31T23:59:00Z"),
            ("2026-01-31 23:59:00.999999 UTC\n", "2026-01-31T23:59:00Z"),
            ("2026-01-31 23:59:00.000000000 -07:00", "2026-02-01T06:59:00Z"),
            ("2026-01-31T23:59:00.365935+0530", "2026-01-31T18:29:00Z"),
            ("2026-01-31 23:59:00", "2026-01-31T23:59:00Z"),
        ],
    )
    def test_are_in_utc(self, written, expected):
        """With a zone or without, to the second."""
        assert iso(written) == expected

    @pytest.mark.parametrize(
        "written",
        [
            "",
            "yesterday",
            "2026-13-31 23:59:00",
            "2026-01-31 23:59:00 CEST",
            "0001-01-01 00:00:00 +09:00",
        ],
    )
    def test_that_are_not_understood_are_none(self, written):
        """A zone's letters may mean several: nobody is late by a guess."""
        assert iso(written) == ""
