"""What the cells of a student's notebook show, of the cells that were run so far."""

from __future__ import annotations

import sys
from dataclasses import replace
from types import ModuleType, SimpleNamespace

import pytest

from grader import __version__
from grader.bridges.kernel import _of_practice, check, hint, show
from grader.course.course import Course
from grader.course.released import Facts, write_facts
from grader.errors import CourseNotFound


class _Display(ModuleType):
    """IPython's part in it: what was displayed, and with what."""

    def __init__(self):
        super().__init__("IPython.display")
        self.shown = []
        self.said = []

    def Image(self, data, **options):
        return data, options

    def display(self, shown, raw=False):
        (self.said if raw else self.shown).append(shown)

    @property
    def text(self):
        """All that was said, as plain text."""
        return "".join(f"{bundle['text/plain']}\n" for bundle in self.said)


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
    def test_is_of_the_cells_run_so_far(self, run_cells, display):
        """Inline, with its words for who cannot see it, and the words of the command below."""
        pytest.importorskip("matplotlib")
        first = "def softmax(x, dim=-1):\n    return x"
        run_cells(first, first.replace("return x", "return 1 / 0"), "softmax(2)")
        show("softmax")
        said = display.text
        ((png, options),) = display.shown

        assert png.startswith(b"\x89PNG")
        assert "ZeroDivisionError" in options["alt"]
        assert said.startswith("✗ softmax of the scores x, 0 and 1\n    Something is divided by 0.")
        assert "cell softmax, line 2: ZeroDivisionError" in said

    def test_without_matplotlib(self, run_cells, display, monkeypatch):
        """One sentence, with what to type into a cell."""
        run_cells("x = 1")
        monkeypatch.setitem(sys.modules, "matplotlib", None)
        show("softmax")

        assert display.text == (
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
    def test_where_there_is_none(self, name, says, run_cells, display):
        """One sentence, and nothing is shown."""
        run_cells("x = 1")
        show(name)
        said = display.text

        assert said.startswith(says)
        assert said.count("\n") == 1
        assert display.shown == []

    @pytest.mark.parametrize("call", [show, check, hint])
    def test_without_a_checkout(self, call, display, capsys, monkeypatch):
        """One sentence, which says where it can be had."""

        def nowhere():
            raise CourseNotFound("no")

        monkeypatch.setattr("grader.bridges.kernel.find_course", nowhere)
        call("softmax")
        said = capsys.readouterr().out

        assert said.count("\n") == 1
        assert said.startswith(
            (
                "Pictures are drawn where",
                "The examples above are what",
                "Hints come with the course",
            )
        )

    def test_outside_a_notebook(self, monkeypatch, capsys, tmp_path):
        """The words, without a picture."""
        pytest.importorskip("matplotlib")
        monkeypatch.chdir(tmp_path)
        monkeypatch.setitem(sys.modules, "IPython.display", None)
        show("residual")

        assert capsys.readouterr().out.startswith("✗ ")


class TestACheck:
    def test_shows_our_words_and_no_traceback(self, run_cells, display, capsys):
        """What a submission raised is told as HTML, as plain text beside it, and never raised."""
        run_cells("def softmax(x, dim=-1):\n    return 1 / 0")
        check("softmax")
        (told,) = display.said

        assert "✗" in told["text/html"]
        assert "Something is divided by 0." in told["text/plain"]
        assert "Core: 0 of 5 right" in told["text/plain"]
        assert capsys.readouterr() == ("", "")

    def test_can_be_stopped(self, display, run_cells, monkeypatch):
        """By the button of a notebook; one sentence says what that means."""

        def stopped(exercise):
            raise KeyboardInterrupt

        run_cells("x = 1")
        monkeypatch.setattr("grader.bridges.kernel._checked", stopped)
        check("softmax")

        assert display.text == "Stopped: nothing was decided.\n"


class TestWhatWasReleased:
    """A folder without solutions and suites is enough; what it lacks is told."""

    @pytest.fixture
    def released(self, tmp_path):
        """``released(at_home=3)``: a folder that says so of itself."""

        def released(**facts):
            write_facts(tmp_path, replace(Facts("Toys", __version__, "2"), **facts))
            return Course(tmp_path)

        return released

    def test_tells_how_many_checks_stay_at_home(self, released):
        """Nobody who passes all takes that for full marks."""
        told = _of_practice(released(at_home={"toy": 3}), "toy")

        assert told == ["Checked when you have handed in: 3 more."]

    def test_says_nothing_where_all_is_there(self, released, toy):
        """Released whole, or a course of its own."""
        assert _of_practice(released(at_home={"toy": 0}), "toy") == []
        assert _of_practice(toy, "toy") == []

    def test_tells_of_another_version(self, released):
        """Whose words may be others."""
        (told,) = _of_practice(released(grader="0.0.1"), "toy")

        assert "for grader 0.0.1" in told
