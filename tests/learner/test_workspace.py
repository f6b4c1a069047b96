"""A learner's folder: started, touched, started again."""

from __future__ import annotations

from dataclasses import replace

import pytest

from grader.course.catalog import load_catalog
from grader.errors import LearnerError
from grader.learner.progress import Progress, Standing, digest_of
from grader.learner.workspace import Workspace, find_workspace, start


class TestStart:
    def test_a_stub_and_the_map_lie_there(self, workspace):
        """And the first exercise is at hand."""
        assert "TODO" in workspace.text("toy")
        assert (workspace.folder / "README.md").exists()
        assert workspace.current(workspace.progress.load()) == "toy"

    def test_it_never_overwrites(self, workspace):
        """A second start changes nothing and says where to go on."""
        workspace.page("toy").write_text("my work")

        with pytest.raises(LearnerError, match=r"started in .* already, and nothing was changed"):
            start(workspace.course, workspace.catalog, workspace.folder)
        assert workspace.text("toy") == "my work"

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
    def test_a_stub_is_untouched(self, workspace):
        """Also one that an editor has given other line ends."""
        workspace.page("toy").write_bytes(workspace.text("toy").replace("\n", "\r\n").encode())

        assert workspace.touched == []

    def test_work_is_touched(self, workspace):
        """Also work that is not UTF-8."""
        workspace.page("toy").write_bytes(b"\xff")

        assert [exercise.name for exercise in workspace.touched] == ["toy"]


class TestReset:
    def test_the_old_page_is_kept_beside(self, workspace):
        """Each time under a new name."""
        names = []
        for text in ("one", "two"):
            workspace.page("toy").write_text(text)
            names.append(workspace.reset("toy").name)

        assert names == ["toy.py.old-1", "toy.py.old-2"]
        assert (workspace.folder / "toy.py.old-1").read_text() == "one"
        assert "TODO" in workspace.text("toy")

    def test_a_page_that_is_gone_comes_back(self, workspace):
        """There is nothing to keep then."""
        workspace.page("toy").unlink()

        assert workspace.reset("toy") is None
        assert "TODO" in workspace.text("toy")


class TestFind:
    def test_a_strange_folder_says_how_to_start(self, toy, tmp_path, monkeypatch):
        """Nobody's clone is touched from afar."""
        monkeypatch.chdir(tmp_path)

        with pytest.raises(LearnerError, match="grader start DIR"):
            find_workspace(toy, load_catalog(toy))

    def test_inside_a_clone_its_exercises_are_meant(self, toy, monkeypatch):
        """From its root as well."""
        monkeypatch.chdir(toy.root)

        assert find_workspace(toy, load_catalog(toy)) == Workspace(
            toy, load_catalog(toy), toy.exercises
        )

    def test_an_unknown_exercise_has_a_near_name(self, workspace):
        """With the command that lists them."""
        with pytest.raises(LearnerError, match=r"Did you mean 'toy'\? `grader list`"):
            workspace.exercise("toi")


class TestWhatIsNotWrittenYet:
    def test_is_the_first_function_with_a_todo(self, workspace):
        """In the order of the page; in a class it is the class."""
        todo = 'raise NotImplementedError("toy: replace this line")'
        page = workspace.page("toy")
        page.write_text(f"def f():\n    return 1\n\n\nclass C:\n    def g(self):\n        {todo}\n")

        assert workspace.unwritten("toy") == "C"

    def test_is_nothing_once_all_is_written(self, workspace):
        """Nor where there is no page."""
        workspace.page("toy").write_text("def double(x):\n    return 2 * x\n")
        written = workspace.unwritten("toy")
        workspace.page("toy").unlink()

        assert (written, workspace.unwritten("toy")) == ("", "")


class TestWhereAFunctionBegins:
    def test_is_its_own_line(self, workspace):
        """Of no other whose name begins alike, and nowhere if it is gone."""
        page = "import math\n\n\ndef doubled(x):\n    pass\n\n\ndef double(x):\n    pass\n"
        workspace.page("toy").write_text(page)

        assert workspace.beginning("toy", "double") == "toy.py:8"
        assert workspace.beginning("toy", "halve") == workspace.beginning("toy", "") == ""


class TestWhatComesNext:
    def test_is_the_next_core_and_then_what_is_not_done(self, workspace):
        """Round, and nothing at the end."""
        both = replace(workspace, catalog=dict.fromkeys(("a", "b"), workspace.catalog["toy"]))
        core, done = Standing(core=True), Standing(core=True, done=True)
        standings = [{"a": core}, {"a": core, "b": core}, {"a": done, "b": core}]
        standings.append({"a": done, "b": done})

        assert [both.next_open(Progress("a", one), after="a") for one in standings] == [
            "b",
            "b",
            "b",
            "",
        ]


class TestRight:
    """What need not be examined again for what is built on it."""

    TEXTS = {"base": "B = 1\n", "built": "from base import B\n", "alone": "A = 1\n"}

    def progress(self, **texts):
        """All of these have passed."""
        standings = {name: Standing(done=True, digest=digest_of(t)) for name, t in texts.items()}
        return Progress(standings=standings)

    def test_is_what_passed_and_is_as_it_was(self, workspace):
        """Of two pages one was changed since."""
        progress = self.progress(base="B = 1\n", alone="A = 2\n")

        assert workspace.right(progress, self.TEXTS) == {"base"}

    def test_is_nothing_that_imports_what_was_changed(self, workspace):
        """It may do something else now."""
        progress = self.progress(**{**self.TEXTS, "base": "B = 2\n"})

        assert workspace.right(progress, self.TEXTS) == {"alone"}

    def test_is_nothing_that_fails(self, workspace):
        """Nor what was never checked."""
        progress = self.progress(**self.TEXTS)
        failing = replace(progress.of("base"), done=False)

        assert workspace.right(progress, self.TEXTS) == {"base", "built", "alone"}
        assert workspace.right(progress.with_standing("base", failing), self.TEXTS) == {"alone"}
