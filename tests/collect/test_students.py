"""What the platform says beside the files belongs to each student's submission."""

from __future__ import annotations

import pytest

from grader.collect import collect
from tests.collect.downloads import KNOWN, SHAPES, download, every_packing, notes, reasons


class TestTimes:
    @every_packing
    @pytest.mark.parametrize(
        ("shape", "times"),
        [
            ("Gradescope", ["2026-01-01T00:00:00Z", ""]),
            ("nbgrader", ["2026-01-31T22:00:00Z", ""]),
            ("a folder each", ["", ""]),
        ],
    )
    def test_says_when_it_was_handed_in(self, tmp_path, shape, times, packing):
        """If the platform says so: a file in a student's own folder is the student's word."""
        stamp = "2026-01-31 22:00:00.5 UTC"
        where = {"nbgrader": "submitted/ann/ps1", "a folder each": "ann/ps1"}.get(shape)
        files = SHAPES[shape][0] | ({f"{where}/timestamp.txt": stamp} if where else {})
        found = collect(download(tmp_path, packing, files), KNOWN)

        assert [one.handed_in for one in found] == times
        assert shape != "nbgrader" or "timestamp.txt" not in reasons(found)

    def test_says_that_a_time_is_not_understood(self, tmp_path):
        """Rather than nothing."""
        files = {"submitted/ann/ps1/softmax.py": "a", "submitted/ann/ps1/timestamp.txt": "noon"}
        found = collect(download(tmp_path, "folder", files) / "submitted", KNOWN)

        assert found[0].handed_in == ""
        assert "holds no time that is understood" in notes(found)["ann"]
