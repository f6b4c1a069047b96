"""`grader show`, as a person types it."""

from __future__ import annotations

import os
import shutil

import pytest

from grader.course.course import find_course

COURSE = find_course()
SAMPLES = COURSE.root / "tests" / "submissions"


@pytest.fixture
def show(python_m):
    """``show("attention", cwd=folder)``: what the command printed, and its exit status."""

    def show(*arguments, cwd=COURSE.root, **environment):
        settings = {"PYTHONPATH": str(COURSE.root)} | environment
        told = ["show", *map(str, arguments)]
        return python_m("grader", *told, cwd=cwd, env=os.environ | settings)

    return show


class TestShow:
    def test_writes_a_picture(self, show, tmp_path):
        """NAME.png where one stands, with a line for each panel; exit status 0."""
        pytest.importorskip("matplotlib")
        folder = tmp_path / "meine Übung λ"
        folder.mkdir()
        shutil.copy(SAMPLES / "no_scaling" / "attention.py", folder)
        done = show("attention", cwd=folder)

        assert done.returncode == 0, done.stderr
        assert (folder / "attention.png").read_bytes().startswith(b"\x89PNG")
        assert "✗ weights, is_causal=True" in done.stdout
        assert "Differs by up to 0.29, most at query “man”" in done.stdout
        assert "Written: attention.png. It shows some cases; `grader check attention` decides." in (
            done.stdout
        )

    def test_takes_a_folder_and_a_file(self, show, tmp_path):
        """--folder and --out."""
        pytest.importorskip("matplotlib")
        out = tmp_path / "picture.png"
        done = show("dropout", "--folder", SAMPLES / "perfect", "--out", out)

        assert done.returncode == 0, done.stderr
        assert out.stat().st_size > 10_000
        assert "✗" not in done.stdout

    def test_refuses_in_a_sentence(self, show, tmp_path):
        """Exit status 2: an unknown exercise, one without a picture, a place that is not there."""
        unknown, none = show("softmx"), show("parameter_counts")

        assert (unknown.returncode, none.returncode) == (2, 2)
        assert "Did you mean 'softmax'?" in unknown.stderr
        assert none.stderr.startswith("grader: There is no picture of 'parameter_counts': ")

    def test_a_place_that_cannot_be_written(self, show, tmp_path):
        """Exit status 2, and why."""
        pytest.importorskip("matplotlib")
        done = show("dropout", "--folder", SAMPLES / "perfect", "--out", tmp_path / "no" / "x.png")

        assert done.returncode == 2
        assert "x.png cannot be written: No such file or directory." in done.stderr

    def test_without_matplotlib(self, show, tmp_path):
        """Exit status 2, and the command that installs it; nothing is run for nothing."""
        (tmp_path / "matplotlib.py").write_text("raise ImportError('not here')\n")
        paths = os.pathsep.join([str(tmp_path), str(COURSE.root)])
        done = show("dropout", "--folder", SAMPLES / "perfect", cwd=tmp_path, PYTHONPATH=paths)

        assert done.returncode == 2
        assert done.stderr.strip() == (
            "grader: Pictures are drawn with matplotlib, which is not installed: "
            "`pip install matplotlib`."
        )
