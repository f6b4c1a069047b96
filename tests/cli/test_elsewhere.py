"""What is said where a package for a platform is made."""

from __future__ import annotations

import pytest

from grader.cli import elsewhere
from grader.course.course import VARIABLE
from grader.course.released import Facts, write_facts
from grader.errors import GraderError


@pytest.fixture(autouse=True)
def _in_the_toy(toy, monkeypatch):
    monkeypatch.setenv(VARIABLE, str(toy.root))


@pytest.fixture
def assignment(tmp_path):
    """``assignment(lines)``: the file of one on the toy."""

    def assignment(lines):
        path = tmp_path / "assignment.toml"
        path.write_text(f'title = "Toys"\nexercises = ["toy"]\n{lines}')
        return path

    return assignment


class TestForGradescope:
    def build(self, folder, assignment=None, hidden="visible", name="a.zip"):
        elsewhere.gradescope(folder / name, [], assignment, hidden, None)

    def test_says_what_the_container_needs(self, tmp_path, assignment, capsys):
        """What a submission may take, and some more, in halves of a gigabyte."""
        self.build(
            tmp_path, assignment("limits.memory_mib = 3072\nlimits.submission_seconds = 600")
        )

        assert "give the container 3.5 GB and 12 minutes" in capsys.readouterr().out

    @pytest.mark.parametrize(
        ("hidden", "said"), [("visible", False), ("points", False), ("after_due_date", True)]
    )
    def test_says_when_students_see_no_total(self, tmp_path, capsys, hidden, said):
        """Gradescope's own rule."""
        self.build(tmp_path, hidden=hidden)

        assert ("no total" in capsys.readouterr().out) == said

    def test_must_be_an_archive(self, tmp_path):
        """Gradescope takes nothing else."""
        with pytest.raises(GraderError, match=r"a\.zip"):
            self.build(tmp_path, name="a.tar")

    def test_has_no_gpu(self, tmp_path, assignment):
        """What asks for one is refused before anybody hands in."""
        with pytest.raises(GraderError, match="no GPU"):
            self.build(tmp_path, assignment('devices = ["cpu", "cuda"]'))

    def test_needs_the_whole_course(self, toy, tmp_path):
        """What students get has too few checks for marks."""
        write_facts(toy.root, Facts("Toys", "1", "2"))

        with pytest.raises(GraderError, match="is what students get"):
            self.build(tmp_path)


class TestForClassroom50:
    def test_gives_nothing_away_unasked(self, tmp_path):
        """A course with solutions is refused, and what to do is said."""
        with pytest.raises(GraderError, match="grader release"):
            elsewhere.classroom50(tmp_path / "out", [], None, None, with_solutions=False)
        assert not (tmp_path / "out").exists()

    def test_gives_all_away_on_demand(self, tmp_path):
        """Whoever says so knows it."""
        elsewhere.classroom50(tmp_path / "out", [], None, None, with_solutions=True)

        assert (tmp_path / "out" / "course" / "solutions" / "toy.py").exists()


def test_a_recipe_says_how_to_begin(tmp_path, capsys):
    """The command to type."""
    elsewhere.container(tmp_path / "image")

    assert "docker build --tag grader" in capsys.readouterr().out
    assert (tmp_path / "image" / "Dockerfile").exists()
