"""What the cells of a student's notebook show, of the cells that were run so far."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace

import pytest

from grader.bridges.kernel import check, show
from grader.errors import CourseNotFound


class _Display(ModuleType):
    """IPython's part in it: what was displayed, and with what."""

    def __init__(self):
        super().__init__("IPython.display")
        self.shown = []

    def Image(self, data, **options):
        return data, options

    def display(self, shown):
        self.shown.append(shown)


@pytest.fixture
def display(monkeypatch, tmp_path):
    """A notebook in an empty folder; what it displays."""
    fake = _Display()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "IPython.display", fake)
    return fake


@pytest.fixture
def run_cells(monkeypatch, display):
    """The cells of this session, as they were typed."""

    def run_cells(*texts):
        history = SimpleNamespace(input_hist_raw=["", *texts])
        here = sys.modules["__main__"]
        shell = SimpleNamespace(history_manager=history)
        monkeypatch.setattr(here, "get_ipython", lambda: shell, raising=False)

    return run_cells


class TestAStudentsPicture:
    def test_is_of_the_cells_run_so_far(self, run_cells, display, capsys):
        """Inline, with its words for who cannot see it, and the words of the command below."""
        pytest.importorskip("matplotlib")
        first = "def softmax(x, dim=-1):\n    return x"
        run_cells(first, first.replace("return x", "return 1 / 0"), "softmax(2)")
        show("softmax")
        said = capsys.readouterr().out
        ((png, options),) = display.shown

        assert png.startswith(b"\x89PNG")
        assert "ZeroDivisionError" in options["alt"]
        assert said.startswith("✗ softmax of the scores x, 0 and 1\n    Something is divided by 0.")
        assert "cell softmax, line 2: ZeroDivisionError" in said

    def test_without_matplotlib(self, run_cells, display, capsys, monkeypatch):
        """One sentence, with what to type into a cell."""
        run_cells("x = 1")
        monkeypatch.setitem(sys.modules, "matplotlib", None)
        show("softmax")

        assert capsys.readouterr().out == (
            "Pictures are drawn with matplotlib, which is not installed: "
            "`%pip install matplotlib`.\n"
        )

    @pytest.mark.parametrize(
        ("name", "says"),
        [
            ("questions", "There is no picture of 'questions': its answers are numbers"),
            ("softmx", "'softmx' is not an exercise. Did you mean 'softmax'?"),
        ],
    )
    def test_where_there_is_none(self, name, says, run_cells, display, capsys):
        """One sentence, and nothing is shown."""
        run_cells("x = 1")
        show(name)
        said = capsys.readouterr().out

        assert said.startswith(says)
        assert said.count("\n") == 1
        assert display.shown == []

    @pytest.mark.parametrize("call", [show, check])
    def test_without_a_checkout(self, call, display, capsys, monkeypatch):
        """One sentence, which says where it can be had."""

        def nowhere():
            raise CourseNotFound("no")

        monkeypatch.setattr("grader.bridges.kernel.find_course", nowhere)
        call("softmax")
        said = capsys.readouterr().out

        assert said.count("\n") == 1
        assert said.startswith(
            ("Pictures are drawn where the course is", "The examples above are what")
        )

    def test_outside_a_notebook(self, monkeypatch, capsys, tmp_path):
        """The words, without a picture."""
        pytest.importorskip("matplotlib")
        monkeypatch.chdir(tmp_path)
        monkeypatch.setitem(sys.modules, "IPython.display", None)
        show("residual")

        assert capsys.readouterr().out.startswith("✗ ")
