"""Reports that were written before causes were data are still read."""

from __future__ import annotations

import json
from pathlib import Path

from grader.report.record import from_json, read_report, to_json


class TestVersionOne:
    FILE = Path(__file__).with_name("version_1.json")

    def test_is_still_read(self):
        """Marks, outcomes and names are those of the file."""
        form, found = json.loads(self.FILE.read_text("utf-8")), read_report(self.FILE)
        checks = [check for exercise in form["exercises"] for check in exercise["checks"]]

        assert (found.submission, found.score, found.max_score) == (
            form["submission"],
            form["score"],
            form["max_score"],
        )
        assert [v.outcome.value for v in found.verdicts] == [c["outcome"] for c in checks]
        assert [v.misconception for v in found.verdicts] == [c["misconception"] for c in checks]

    def test_says_what_it_said(self):
        """It knew its causes only in words, and these words come out again."""
        form, found = json.loads(self.FILE.read_text("utf-8")), to_json(read_report(self.FILE))
        pairs = [
            (before["cause"], after["cause"])
            for one, other in zip(form["exercises"], found["exercises"], strict=True)
            for before, after in zip(one["checks"], other["checks"], strict=True)
        ]

        assert any(before for before, _ in pairs)
        assert all(
            (before is None and after is None) or before.items() <= after.items()
            for before, after in pairs
        )

    def test_wrote_a_number_where_there_was_no_verdict(self):
        """It is not read: a check without a verdict has no score, whichever version wrote it."""
        form = json.loads(self.FILE.read_text("utf-8"))
        form["exercises"][0]["checks"][0]["outcome"] = "internal"
        found = from_json(form)

        assert isinstance(form["score"], float)
        assert (found.score, found.exercises[0].score) == (None, None)
