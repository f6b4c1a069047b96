"""What differs can be seen: offered with one key where it is a picture, drawn in the terminal."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from grader.course.catalog import load_catalog
from grader.learner import seeing
from grader.learner.seeing import filed, seen_lines
from grader.model import Cause, Check, Outcome, Verdict
from grader.pictures.panels import Axis, Panel, PanelKind, Scene
from grader.pictures.seen import Seen

SCENE = """
import torch
from grader.pictures.panels import Axis, Panel, PanelKind, Scene


def _row(impl, props):
    return impl.double(torch.arange(3.0)[None])


def _zeros(impl, props):
    return 0 * _row(impl, props)


def _other(impl, props):
    return impl.other(torch.arange(3.0)[None])


SCENE = Scene(
    "Twice as much.",
    (
        Panel("0, 1, 2", PanelKind.NUMBERS, _row, Axis("x"), Axis("y")),
        Panel("zeros", PanelKind.NUMBERS, _zeros, Axis("x"), Axis("y")),
        Panel("not about it", PanelKind.NUMBERS, _other, Axis("x"), Axis("y")),
    ),
)
"""
SQUARES = "def double(x):\n    return x * x\n"
RAISES = "def double(x):\n    raise ValueError\n"
MASK = Panel("a mask", PanelKind.MASK, lambda impl, props: None, Axis("key"), Axis("query"))
CURVE = replace(MASK, title="a curve", kind=PanelKind.CURVES, x=Axis("x", values=(0.0, 1.0)))


@pytest.fixture
def drawn_toy(toy, workspace):
    """The toy has a picture."""
    toy.scene("toy").write_text(SCENE)
    seeing._scene.cache_clear()
    return toy


def seen(panel, yours, expected):
    return Seen(panel, np.array(expected, dtype=float), "a", np.array(yours, dtype=float), "a")


class TestOffering:
    def test_wrong_numbers_are_offered_and_drawn(self, drawn_toy, sit, save):
        """p asks the panels about the wrong function, and no other; what is right is folded."""
        *_, offered, shown = sit(save(SQUARES), "p")

        assert "p draws what differs." in offered and "p picture" in offered
        assert "✗ 0, 1, 2" in shown
        assert "wrong here" in shown
        assert "✓ As expected: zeros." in shown
        assert "not about it" not in shown

    def test_an_error_is_not_offered(self, drawn_toy, sit, save):
        """There is nothing to see; the key says what draws all of it."""
        *_, offered, said = sit(save(RAISES), "p")

        assert "p picture" not in offered
        assert "There is no picture of this. `grader show toy`" in said

    def test_nor_is_anything_without_a_picture(self, toy, sit, save):
        """Most of the screen is as ever."""
        seeing._scene.cache_clear()
        *_, shown = sit(save(SQUARES))

        assert "p picture" not in shown

    def test_a_picture_that_cannot_be_read_is_none(self, drawn_toy, sit, save):
        """It costs nobody the sitting."""
        drawn_toy.scene("toy").write_text("SCENE = 7\n")
        *_, shown = sit(save(SQUARES))

        assert "p picture" not in shown
        assert "checks pass" in shown


class TestPanels:
    @pytest.mark.parametrize(("kind", "count"), [("numbers", 2), ("said", 2), ("shape", 0)])
    def test_are_those_of_values(self, drawn_toy, kind, count):
        """A wrong shape is better said than drawn."""
        verdict = Verdict(Check("toy", "t", "It is."), Outcome.FAILED, cause=Cause(kind))

        assert len(seeing.panels_on(drawn_toy, "toy", verdict, "double")) == count
        assert seeing.panels_on(drawn_toy, "toy", verdict, "elsewhere") == ()


class TestLines:
    def test_say_when_nothing_differs(self):
        """What fails is then another case than the picture's."""
        (line,) = seen_lines([seen(MASK, [[1]], [[1]])], "", 80)

        assert (
            line.text == "✓ Nothing differs in this picture, so what fails is another case: a mask."
        )

    def test_mark_the_rows_that_are_wrong(self):
        """They are red."""
        lines = seen_lines([seen(MASK, [[1, 0], [1, 1]], [[1, 0], [0, 1]])], "", 80)
        rows = [line for line in lines if line.text.startswith(("0    ", "1    "))]

        assert [line.style for line in rows] == ["", "bad"]


class TestAFile:
    def test_is_written_of_what_a_terminal_cannot_show(self, toy, tmp_path):
        """Curves, and matrices wider than it."""
        pytest.importorskip("matplotlib")
        exercise, path = load_catalog(toy)["toy"], tmp_path / "toy.png"
        curve = seen(replace(CURVE, lines=("y",)), [[0, 1]], [[0, 2]])

        assert filed(exercise, Scene("", ()), [seen(MASK, [[1]], [[0]])], path, 80) == ""
        assert str(path) in filed(exercise, Scene("", ()), [curve], path, 80)
        assert path.read_bytes().startswith(b"\x89PNG")

    def test_that_cannot_be_written_is_said(self, toy, tmp_path):
        """And nothing breaks."""
        pytest.importorskip("matplotlib")
        curve = seen(replace(CURVE, lines=("y",)), [[0, 1]], [[0, 2]])
        said = filed(
            load_catalog(toy)["toy"], Scene("", ()), [curve], tmp_path / "no" / "x.png", 80
        )

        assert "cannot be written" in said
