"""The examples of a page, run on what a student's notebook defines."""

from __future__ import annotations

import sys

from grader.bridges.kernel import examples


class TestExamples:
    def test_that_come_out(self, capsys, monkeypatch):
        """A tick and the name."""
        monkeypatch.setattr(sys.modules["__main__"], "double", lambda x: 2 * x, raising=False)
        examples("double", ">>> double(2)\n4\n")

        assert capsys.readouterr().out == "✓ double gives what its examples say.\n"

    def test_that_do_not(self, capsys, monkeypatch):
        """The first line that differs, what was expected, what came."""
        monkeypatch.setattr(sys.modules["__main__"], "double", lambda x: x, raising=False)
        examples("double", ">>> double(0)\n0\n>>> double(2)\n4\n>>> double(3)\n6\n")
        said = capsys.readouterr().out

        assert "double(2) gave something else." in said
        assert "expected  4" in said
        assert "got       2" in said

    def test_of_a_stub(self, capsys, monkeypatch):
        """What is not written yet is called that, without a traceback."""
        names: dict[str, object] = {}
        exec("def double(x):\n    raise NotImplementedError('replace this line')", names)
        monkeypatch.setattr(sys.modules["__main__"], "double", names["double"], raising=False)
        examples("double", ">>> double(2)\n4\n")

        assert "Not written yet: double." in capsys.readouterr().out
