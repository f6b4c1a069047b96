"""What a learner reads of a pack: one line for everything that is missed."""

from __future__ import annotations

import datetime

import pytest

from grader.collect import Collected, Ignored
from grader.learner.pack_lines import due_words, is_missed, pack_lines
from grader.learner.packing import Pack
from grader.model import Cause, Exercise, Submission

CATALOG = {name: Exercise(name, name, "", ()) for name in ("softmax", "masks", "heads")}
NOT_UTF8 = {"module": "softmax", "name": "softmax.py", "byte": 7}
RIGHT = "def softmax(x): ...\n"


def pack_of(modules, **fields):
    return Pack(**{"files": {}, "modules": modules, "as_given": [], "absent": [], "unread": {},
                   "left_out": {}, **fields})  # fmt: skip


def lines_of(modules, ignored=(), notes=(), problems=(), found=None, **fields):
    texts = modules if found is None else found
    one = Submission("ann", "ann", texts, dict(problems), "p.zip")
    collected = Collected((one,), tuple(ignored), tuple(notes))
    return pack_lines(pack_of(modules, **fields), collected, CATALOG, 100)


class TestLines:
    def test_what_is_found_is_in_it(self):
        """Exercises first, then what they import."""
        lines = lines_of({"a_helper": "x = 1", "softmax": RIGHT})

        assert [line.text for line in lines] == [
            "  ✓ softmax", "  ✓ a_helper.py, which is imported there",
        ]  # fmt: skip
        assert not is_missed(lines)

    @pytest.mark.parametrize("text", ["def f(:", "x = '\0'", "(" * 100_000, "if x:\n  y\n z"])
    def test_what_does_not_parse_is_missed(self, text):
        """With the line, whatever Python says to it."""
        lines = lines_of({"softmax": text})

        assert lines[0].text.startswith("  ✗ softmax is not Python (")
        assert is_missed(lines)

    def test_the_line_that_does_not_parse_is_shown(self):
        """A notebook has other numbers of lines."""
        (first, *_) = lines_of({"softmax": "x = 1\ndef f(:\n"})

        assert "line 2: invalid syntax: def f(:" in first.text

    def test_bodies_that_are_left_are_counted(self):
        """A page that was begun."""
        text = f'{RIGHT}raise NotImplementedError("softmax: replace this line")\n'
        lines = lines_of({"softmax": text})

        assert [line.text for line in lines] == ["  ! softmax: still to be written in it: 1"]
        assert is_missed(lines)

    @pytest.mark.parametrize(
        ("fields", "said"),
        [
            ({"as_given": ["masks", "heads"]}, "! still as given, and not packed: masks, heads"),
            ({"absent": ["masks"]}, "✗ not in this folder: masks"),
            ({"unread": {"masks": "masks.py is larger than 1 MiB."}}, "✗ masks.py is larger"),
            ({"ignored": [Ignored("p.zip/x.py", "why")]}, "! packed, and not graded: x.py: why"),
            ({"found": {}}, "✗ softmax is in it, and is not found"),
            (
                {
                    "problems": {
                        "softmax": Cause(
                            "not_utf8", {"module": "softmax", "name": "softmax.py", "byte": 7}
                        )
                    }
                },
                "✗ softmax.py is not UTF-8 text (byte 7).",
            ),
        ],
    )
    def test_what_is_missed_is_said(self, fields, said):
        """With its reason."""
        lines = lines_of({"softmax": RIGHT}, **fields)

        assert [line.text for line in lines if said in line.text]
        assert is_missed(lines)

    def test_what_was_left_out_on_purpose_is_not_missed(self):
        """Somebody's notes are their own."""
        lines = lines_of({"softmax": RIGHT}, left_out={"notes.py": "nothing imports it"})

        assert lines[-1].text == "  · not packed: notes.py: nothing imports it"
        assert not is_missed(lines)

    def test_what_is_taken_for_several_is_said(self):
        """Many files of nearly one name look like a class."""
        found = Collected(tuple(Submission(name, name, {}) for name in "ab"))
        lines = pack_lines(pack_of({"softmax": RIGHT}), found, CATALOG, 100)

        assert "taken for 2 submissions" in lines[0].text


class TestDue:
    NOW = datetime.datetime(2026, 11, 20, 12, tzinfo=datetime.UTC)

    @pytest.mark.parametrize(
        ("due", "said"),
        [
            ("2026-11-20T23:59:00+01:00", "Due 2026-11-20 23:59 +0100."),
            ("2026-11-20T11:59:00+00:00", "It was due 2026-11-20 11:59 +0000."),
            ("", ""),
            ("soon", ""),
            ("2026-11-20T23:59:00", ""),
        ],
    )
    def test_is_said_where_it_is_known(self, due, said):
        """With its zone; nothing is guessed."""
        assert due_words(due, self.NOW) == said
