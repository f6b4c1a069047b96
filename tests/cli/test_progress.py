"""How far a class has come: a bar on a terminal, lines elsewhere."""

from __future__ import annotations

import io
import itertools
import re

import pytest
from rich.console import Console

from grader.cli import progress
from grader.model import Submission

NAMES = ["ann", "bob", "eve", "zoë"]


@pytest.fixture
def shown(report, monkeypatch):
    """``shown(order, jobs, terminal, every)``: what is written while reports come in that order,
    one ``every`` so many seconds.
    """

    def shown(order=NAMES, jobs=1, terminal=False, every=10.0):
        clock = itertools.count(step=every)
        monkeypatch.setattr(progress.time, "monotonic", lambda: last[0])
        last = [0.0]

        def coming():
            for name in order:
                last[0] = next(clock) + every
                yield report(name)

        written = io.StringIO()
        console = Console(file=written, force_terminal=terminal, width=80)
        submissions = [Submission(name, name, {}) for name in sorted(order)]
        reports = list(progress.shown(coming(), submissions, jobs, console))
        assert [one.submission for one in reports] == list(order)
        return written.getvalue()

    return shown


class TestLines:
    def test_tell_how_far_it_is(self, shown):
        """How many, at what rate, how long the rest will take, and who is being waited for."""
        assert shown().splitlines() == [
            "1 of 4 graded, 6/min, 0:00:30 left; waiting for bob",
            "2 of 4 graded, 6/min, 0:00:20 left; waiting for eve",
            "3 of 4 graded, 6/min, 0:00:10 left; waiting for zoë",
        ]

    def test_come_now_and_then(self, shown):
        """Every five seconds, not for every report; a small class needs none."""
        many = [f"s{number:02}" for number in range(40)]

        assert [line.split(" ")[0] for line in shown(many, every=0.5).splitlines()] == [
            "10", "20", "30",
        ]  # fmt: skip
        assert "2.0/s" in shown(many, every=0.5)
        assert shown(every=0.5) == ""

    def test_name_those_who_take_long(self, shown):
        """Side by side, whoever came first and is not done: as many as are graded at a time."""
        lines = shown(["bob", "eve", "zoë", "ann"], jobs=2).splitlines()

        assert [line.partition("waiting for ")[2] for line in lines] == [
            "ann, eve",
            "ann, zoë",
            "ann",
        ]


class TestTheBar:
    def test_tells_the_same(self, shown):
        """On one line of 80 columns."""
        plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown(terminal=True))

        assert "zoë" in plain
        assert "3/4" in plain
        assert "6/min, 0:00:10 left" in plain
        assert max(map(len, re.split(r"[\r\n]", plain))) <= 80

    @pytest.mark.parametrize("terminal", [True, False])
    def test_takes_any_name(self, shown, terminal):
        """Markup or a line end in a name would end the class, or make a line of its own."""
        text = shown(["a", "b[/x]\nc"], terminal=terminal)

        assert "b[/x]⏎c" in text
