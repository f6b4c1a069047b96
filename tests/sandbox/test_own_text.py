"""A submission's text is sent as bytes, as far as it can be imported, and looked up here."""

from __future__ import annotations

import pytest

from grader.errors import OwnLine, ProtocolViolation
from grader.sandbox.describe import MAX_LINES
from grader.sandbox.own_text import importable, packed, placed, raised_from, unpacked

TEXTS = {"a": "import b\nx = 1", "b": "from c import y", "c": "y = 2\r\nz = 3", "d": "import a"}


def raised(file="a.py", line=2, **changes):
    form = {
        "type_name": "ValueError",
        "message": "no",
        "lines": [[file, line]],
        "memory": False,
        "by_hand": False,
    }
    return form | changes


def found(form, texts=TEXTS):
    """The lines that are believed."""
    return raised_from(placed(form, texts)).lines


class TestImportable:
    @pytest.mark.parametrize(
        ("module", "expected"),
        [("a", "abc"), ("b", "bc"), ("c", "c"), ("d", "abcd"), ("nowhere", "")],
    )
    def test_are_what_a_text_names(self, module, expected):
        """Directly, or through one another."""
        assert sorted(importable(TEXTS, module)) == list(expected)

    @pytest.mark.parametrize(
        "text", ["__import__('b')", "import_module('b', None)", "import os, b as c", "#b"]
    )
    def test_are_found_however_they_are_imported(self, text):
        """The name stands there as a word, whatever else does."""
        assert "b" in importable(TEXTS | {"m": text}, "m")

    def test_may_go_round(self):
        """Two modules that import each other are two modules."""
        texts = {"a": "import b", "b": "import a"}

        assert importable(texts, "a") == texts


class TestPacked:
    def test_texts_cross_unchanged(self):
        """Also such as no file could hold."""
        texts = {"m": "é\0\ud800🙂\r\n", "empty": ""}

        assert unpacked(packed(texts)) == texts

    def test_are_as_large_as_they_are(self):
        """One byte for one letter, also where JSON would need six."""
        assert packed({"m": "\0" * 1000})["m"].nbytes == 1000


class TestPlaces:
    def test_are_read_here(self):
        """What stands in the line is the submission's text, whatever the worker says."""
        assert found(raised()) == (OwnLine("a.py", 2, "x = 1"),)
        assert found(raised(file="c.py")) == (OwnLine("c.py", 2, "z = 3"),)

    @pytest.mark.parametrize(
        "where", [{"file": "masks.py"}, {"file": ""}, {"file": 3}, {"line": "1"}, {"line": None}]
    )
    def test_elsewhere_are_not_believed(self, where):
        """A module that was not handed in, or is not used here, raised nothing."""
        assert found(raised(**where)) == ()

    @pytest.mark.parametrize("lines", [["a.py", 2], [["a.py"]], [["a.py", 1, [], 2]], [None], [{}]])
    def test_of_another_form_are_left_out(self, lines):
        """A line is a file and a number."""
        assert found(raised(lines=lines)) == ()

    @pytest.mark.parametrize("line", [0, -1, 3, 2**70])
    def test_beyond_the_file_are_only_the_file(self, line):
        """As where Python itself knows no line."""
        assert found(raised(line=line)) == (OwnLine("a.py"),)

    def test_are_bounded(self):
        """Of ever so many lines the last ones are kept."""
        lines = [["a.py", 1]] * 500 + [["c.py", 1]]

        assert len(found(raised(lines=lines))) == MAX_LINES
        assert found(raised(lines=lines))[-1].file == "c.py"

    @pytest.mark.parametrize(
        ("line", "expected"),
        [(1, ""), (3, "f"), (8, "g"), (12, "M.forward"), (13, "M"), (14, "")],
    )
    def test_know_their_function(self, line, expected):
        """By indentation, over blank lines and signatures of several lines."""
        text = (
            "x = 1\ndef f(x):\n    return x\n\ndef g(\n    x,\n):\n    return x\n"
            "class M:\n    def forward(self):\n\n        return 1\n    y = 2\nz = 3"
        )
        (line,) = found(raised(line=line), {"a": text})

        assert line.within == expected

    def test_know_the_method_around_their_function(self):
        """So what a class does is known to be its own, also in a function within."""
        text = "class M:\n    def forward(self):\n        def inner(y):\n            return y\n"
        (line,) = found(raised(line=4), {"a": text})

        assert line.within == "M.forward.inner"

    @pytest.mark.parametrize(
        ("message", "expected"),
        [
            ("No module named 'numpy'", "ModuleNotFoundError"),
            ("No module named 'masks'", "ImportError"),
            ("No module named 'c'", "ImportError"),
            ("", "ImportError"),
            (None, "ImportError"),
        ],
    )
    def test_of_missing_modules_are_in_the_text(self, message, expected):
        """A module that is there, or that no text speaks of, is not missing."""
        texts = TEXTS | {"a": "import numpy\nimport c"}
        form = raised(type_name="ModuleNotFoundError", message=message)

        assert placed(form, texts)["type_name"] == expected

    @pytest.mark.parametrize("form", [None, [], "text", {}, {"file": []}])
    def test_of_nothing_are_left_to_who_reads_them(self, form):
        """A description that is none stays one."""
        with pytest.raises(ProtocolViolation):
            raised_from(placed(form, TEXTS))


class TestWhatNamesHeld:
    TEXT = {"a": "y = self.w * x[i] + f(z) - q.shape"}

    def held(self, said):
        ((line,),) = [found(raised(line=1, lines=[["a.py", 1, said]]), self.TEXT)]
        return dict(line.held)

    def test_is_told_of_the_names_in_the_line(self):
        """In the order in which they stand there; not of what is set, called or another's."""
        said = [["x", [2, 3]], ["i", 4], ["self.w", []], ["z", None], ["q", [1]]]
        said += [["y", [2]], ["f", [1]], ["shape", 2], ["other", 3], ["w", 5]]

        assert self.held(said) == {"self.w": (), "x": (2, 3), "i": 4, "z": None, "q": (1,)}
        assert list(self.held(said)) == ["self.w", "x", "i", "z", "q"]

    def test_is_told_of_a_number_that_is_called(self):
        """It is why the line raised."""
        assert self.held([["f", 0.5]]) == {"f": 0.5}

    @pytest.mark.parametrize(
        "said",
        [
            "x",
            [["x"]],
            [["x", "(2, 3)"]],
            [["x", [2, "3"]]],
            [["x", [[2]]]],
            [["x", float("nan")]],
            [["x", True]],
            [["x", 1 << 40]],
            [["x", [1] * 9]],
            [[1, 2]],
            [None],
        ],
    )
    def test_of_another_form_is_left_out(self, said):
        """The line itself is not."""
        assert self.held(said) == {}

    def test_is_told_of_the_condition_above_a_refusal(self):
        """Which may be wrong, and which the line that raises says nothing of."""
        text = {"a": "def f(p):\n    if p > 1:\n        raise ValueError\n"}
        ((line,),) = [found(raised(line=3, lines=[["a.py", 3, [["p", 1.5]]]]), text)]

        assert line.held == (("p", 1.5),)
