"""A learner's folder: started, touched, started again."""

from __future__ import annotations

import pytest

from grader.course.catalog import load_catalog
from grader.errors import LearnerError
from grader.learner.desk import Desk, find_desk, start
from grader.learner.pairs import pairs


@pytest.fixture
def desk(toy, tmp_path):
    return start(toy, load_catalog(toy), tmp_path / "mein Heft λ")


class TestStart:
    def test_a_stub_and_the_map_lie_there(self, desk):
        """And the first exercise is at hand."""
        assert "TODO" in desk.text("toy")
        assert (desk.folder / "README.md").exists()
        assert desk.current(desk.progress.load()) == "toy"

    def test_it_never_overwrites(self, desk):
        """A second start changes nothing and says where to go on."""
        desk.page("toy").write_text("my work")

        with pytest.raises(LearnerError, match=r"started in .* already, and nothing was changed"):
            start(desk.house, desk.catalog, desk.folder)
        assert desk.text("toy") == "my work"

    def test_other_peoples_files_are_kept(self, toy, tmp_path):
        """A folder that holds a page of that name is refused."""
        (tmp_path / "toy.py").write_text("something else")

        with pytest.raises(LearnerError, match=r"already holds toy\.py"):
            start(toy, load_catalog(toy), tmp_path)

    def test_a_file_in_the_way_is_said(self, toy, tmp_path):
        """DIR is a file: one sentence."""
        (tmp_path / "file").write_text("")

        with pytest.raises(LearnerError, match="cannot be made"):
            start(toy, load_catalog(toy), tmp_path / "file")


class TestTouched:
    def test_a_stub_is_untouched(self, desk):
        """Also one that an editor has given other line ends."""
        desk.page("toy").write_bytes(desk.text("toy").replace("\n", "\r\n").encode())

        assert desk.touched == []

    def test_work_is_touched(self, desk):
        """Also work that is not UTF-8."""
        desk.page("toy").write_bytes(b"\xff")

        assert [exercise.name for exercise in desk.touched] == ["toy"]


class TestReset:
    def test_the_old_page_is_kept_beside(self, desk):
        """Each time under a new name."""
        names = []
        for text in ("one", "two"):
            desk.page("toy").write_text(text)
            names.append(desk.reset("toy").name)

        assert names == ["toy.py.old-1", "toy.py.old-2"]
        assert (desk.folder / "toy.py.old-1").read_text() == "one"
        assert "TODO" in desk.text("toy")

    def test_a_page_that_is_gone_comes_back(self, desk):
        """There is nothing to keep then."""
        desk.page("toy").unlink()

        assert desk.reset("toy") is None
        assert "TODO" in desk.text("toy")


class TestFind:
    def test_a_strange_folder_says_how_to_start(self, toy, tmp_path, monkeypatch):
        """Nobody's clone is touched from afar."""
        monkeypatch.chdir(tmp_path)

        with pytest.raises(LearnerError, match="grader start DIR"):
            find_desk(toy, load_catalog(toy))

    def test_inside_a_clone_its_exercises_are_meant(self, toy, monkeypatch):
        """From its root as well."""
        monkeypatch.chdir(toy.root)

        assert find_desk(toy, load_catalog(toy)) == Desk(toy, load_catalog(toy), toy.exercises)

    def test_an_unknown_exercise_has_a_near_name(self, desk):
        """With the command that lists them."""
        with pytest.raises(LearnerError, match=r"Did you mean 'toy'\? `grader list`"):
            desk.exercise("toi")


class TestPairs:
    def test_only_what_was_to_be_written_is_shown(self):
        """Functions and methods by name, without their docstrings; given code is left out."""
        solution = '''\
def given(x):
    return x


class Layer:
    def forward(self, x):
        """Twice."""
        # BEGIN SOLUTION
        return x + x
        # END SOLUTION
'''
        own = "class Layer:\n    def forward(self, x):\n        # mine\n        return 2 * x\n"
        (pair,) = pairs(own, solution)

        assert (pair.name, pair.own, pair.solution) == (
            "Layer.forward",
            "# mine\nreturn 2 * x",
            "return x + x",
        )

    def test_a_page_that_does_not_parse_leaves_its_side_empty(self):
        """It passed once; now it may be anything."""
        (pair,) = pairs("def f(", "def f():\n    # BEGIN SOLUTION\n    pass\n    # END SOLUTION\n")

        assert pair.own == ""
