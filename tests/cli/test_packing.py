"""`grader pack`, wherever somebody works, and `grader verify` where it is collected."""

from __future__ import annotations

import zipfile

import pytest

from grader.cli import collecting, packing, verifying
from grader.collect.reasons import PACK
from grader.course.catalog import load_catalog
from grader.course.claims import Claims, written
from grader.course.course import VARIABLE, Course
from grader.course.release import untouched
from grader.course.released import Facts, write_facts
from grader.errors import GraderError, LearnerError
from grader.learner.workspace import start
from grader.release.folder import catalog_text
from tests.collect.downloads import zip_of

MINE = "def double(x):\n    return x + x\n"


@pytest.fixture
def released(toy, tmp_path):
    """The folder that students get, without what only a check reads."""
    given = Course(tmp_path / "given")
    for folder in (given.practice / "pages", given.exercises):
        folder.mkdir(parents=True)
        (folder / "toy.py").write_text(untouched(toy, "toy"))
    given.catalog.write_text(catalog_text(toy, ["toy"]))
    facts = Facts("Sheet 1", "0", "2", {"toy": 1}, {"toy": 1.0}, {"toy": 1}, {"toy": "5e"})
    write_facts(given.root, Facts(**{**vars(facts), "asked": ("toy",), "due": "2026-01-02T03Z"}))
    (given.exercises / "README.md").write_text("The map.")
    return given


@pytest.fixture
def stand(monkeypatch):
    """``stand(folder)``: that is where the command is typed."""

    def stand(folder, course=None):
        monkeypatch.chdir(folder)
        if course is None:
            monkeypatch.delenv(VARIABLE, raising=False)
        else:
            monkeypatch.setenv(VARIABLE, str(course.root))

    return stand


def names(path):
    with zipfile.ZipFile(path) as archive:
        return set(archive.namelist())


class TestPack:
    def test_in_a_folder_that_was_started(self, toy, tmp_path, stand, capsys):
        """The file lies where the command was typed; all is in it."""
        own = start(toy, load_catalog(toy), tmp_path / "mein Heft λ")
        own.page("toy").write_text(MINE)
        stand(own.folder)
        status = packing.pack([], None, None)
        said = capsys.readouterr().out

        assert status == 0
        assert names(own.folder / "toy.zip") == {"toy.py", PACK}
        assert "✓ toy\nNothing is missed." in said

    def test_in_a_checkout(self, toy, stand, capsys):
        """Of its exercises, from its root."""
        toy.exercises.joinpath("toy.py").write_text(MINE + "def f(:\n")
        stand(toy.root)
        status = packing.pack(["toy.py"], None, toy.root / "mine.zip")

        assert status == 1
        assert names(toy.root / "mine.zip") == {"toy.py", PACK}
        assert "✗ toy is not Python (line 3" in capsys.readouterr().out

    def test_in_a_released_folder(self, released, stand, capsys):
        """Called as its assignment, which says when it is due."""
        (released.exercises / "toy.py").write_text(MINE)
        stand(released.root)
        status = packing.pack([], None, None)

        assert status == 0
        assert names(released.root / "sheet-1.zip") == {"toy.py", PACK}
        assert capsys.readouterr().out.endswith("It was due 2026-01-02 03:00 +0000.\n")

    def test_in_a_folder_of_notebooks(self, released, tmp_path, stand, toy):
        """Whose course is named."""
        from grader.bridges.exercise_cells import exercise_cells
        from grader.bridges.notebook import notebook_text

        text = notebook_text(exercise_cells(toy, load_catalog(toy)["toy"]))
        own = tmp_path / "ps1"
        own.mkdir()
        (own / "toy.ipynb").write_text(text)
        stand(own, released)

        assert packing.pack([], None, None) == 0
        assert names(own / "sheet-1.zip") == {"toy.ipynb", PACK}

    def test_nothing_is_written_of_nothing(self, released, stand):
        """Nor into a folder that is not there."""
        stand(released.root)
        with pytest.raises(LearnerError, match="nothing was packed"):
            packing.pack([], None, None)

        assert list(released.root.glob("*.zip")) == []

    def test_a_place_that_takes_no_file_is_said(self, released, stand):
        """In a sentence."""
        (released.exercises / "toy.py").write_text(MINE)
        stand(released.root)

        with pytest.raises(LearnerError, match="cannot be written"):
            packing.pack([], None, released.root / "release.toml" / "mine.zip")


class TestVerify:
    @pytest.fixture
    def download(self, toy, released, tmp_path, stand):
        """Ann's pack of the released folder, Ben's modules, and what Cleo made up."""
        (released.exercises / "toy.py").write_text(MINE)
        stand(released.root)
        packing.pack([], None, tmp_path / "class" / "ann.zip")
        (tmp_path / "class" / "ben").mkdir()
        (tmp_path / "class" / "ben" / "toy.py").write_text(MINE)
        made_up = {"toy.py": MINE, PACK: "x"}
        (tmp_path / "class" / "cleo.zip").write_bytes(zip_of(made_up))
        stand(tmp_path, toy)
        return tmp_path / "class"

    def test_tells_what_each_says_of_itself(self, download, capsys):
        """And what of it is not so here; no mark depends on it."""
        capsys.readouterr()
        status = verifying.verify(download, None, None, None)
        said = " ".join(capsys.readouterr().out.split())

        assert status == 1
        assert "ann Sheet 1 0 0.1.0 no ben no pack cleo not understood" in said
        assert "differs ann: the folder was released from other suites" in said
        assert "No mark depends on it" in said

    def test_compares_with_what_was_given_away(self, download, released, capsys):
        """Then nothing is guessed of the catalog and the practice."""
        (released.practice / "toy.sealed").write_bytes(b"new")
        capsys.readouterr()
        verifying.verify(download, released.root, None, None)
        said = " ".join(capsys.readouterr().out.split())

        assert "differs ann: the practice is not that of your folder: toy" in said
        assert "--release" not in said

    def test_all_as_it_is_here_is_status_0(self, toy, tmp_path, stand, capsys):
        """For a script."""
        own = start(toy, load_catalog(toy), tmp_path / "own")
        own.page("toy").write_text(MINE)
        stand(own.folder)
        packing.pack([], None, None)

        assert verifying.verify(own.folder / "toy.zip", None, None, None) == 0

    def test_what_is_claimed_is_no_part_of_what_is_graded(self, toy, tmp_path, stand):
        """The same submission, whatever its pack says."""
        stand(tmp_path, toy)
        claims = [written(Claims("1", "toys", files={"toy": "sha"})), "mark = 100"]
        found = []
        for text in claims:
            (tmp_path / "ann.zip").write_bytes(zip_of({"toy.py": MINE, PACK: text}))
            found.append(list(collecting.found_in(tmp_path / "ann.zip", load_catalog(toy))))

        assert found[0] == found[1]

    def test_refuses_a_folder_that_was_not_released(self, toy, tmp_path, stand):
        """In a sentence."""
        stand(tmp_path, toy)

        with pytest.raises(GraderError, match=r"no release\.toml"):
            verifying.verify(tmp_path, toy.root, None, None)


def test_both_are_commands(grader, tmp_path):
    """As a person types them."""
    done = [grader(command, "--help", cwd=tmp_path) for command in ("pack", "verify")]

    assert [one.returncode for one in done] == [0, 0]
    assert "hand in" in done[0].stdout
    assert "No mark depends on it" in " ".join(done[1].stdout.split())
