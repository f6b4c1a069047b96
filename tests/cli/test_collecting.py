"""`grader collect`: who handed in what, before anything runs."""

from __future__ import annotations

import zipfile

import pytest

from grader.cli import collecting, instructor
from grader.course.course import find_course

COURSE = find_course()
SAMPLES = COURSE.root / "tests" / "submissions"
RIGHT = (SAMPLES / "perfect" / "softmax.py").read_text(encoding="utf-8")
ROSTER = 'Student,ID\n"Lee, Ann",1\n"O\'Brien, Ben",2\n"Dee, Dan",9\n'


@pytest.fixture
def download(tmp_path):
    """A class as Canvas packs it, with a roster beside."""
    files = {
        "leeann_LATE_1_71_softmax-1.py": RIGHT,
        "leeann_LATE_1_70_softmax.py": "raise SystemExit('this is run by nobody')",
        "obrienben_2_72_softmax.py": RIGHT,
        "cleo_3_73_essay.pdf": "",
    }
    with zipfile.ZipFile(tmp_path / "class.zip", "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    (tmp_path / "roster.csv").write_text(ROSTER, encoding="utf-8")
    return tmp_path / "class.zip"


class TestCollect:
    def test_shows_who_handed_in_what(self, download, grader):
        """And who is late, what is not graded, and who handed in nothing."""
        options = ["--exercises", "softmax", "--roster", download.parent / "roster.csv"]
        done = grader("collect", "class.zip", *options, cwd=download.parent)
        lines = [line.split() for line in done.stdout.splitlines()]
        said = done.stdout.replace("\n    ", "")

        assert done.returncode == 0, done.stderr
        assert ["leeann", "Lee,", "Ann", "1", "late", "softmax"] in lines
        assert ["obrienben", "O'Brien,", "Ben", "2", "softmax"] in lines
        assert ["cleo", "3", "none", "can", "be", "read"] in lines
        assert "not graded  class.zip/leeann_1/softmax.py: it is an earlier attempt" in said
        assert "not graded  class.zip/cleo_3_73_essay.pdf: it is no Python file" in said
        assert "nobody of the roster has this id or name" in said
        assert "handed in nothing  Dee, Dan (9)" in said

    def test_refuses_in_a_sentence(self, download, grader):
        """A roster that is none, or a place where nothing lies."""
        for options in ([download, "--roster", download], [download.parent / "nowhere"]):
            done = grader("collect", *options)

            assert done.returncode == 2
            assert done.stderr.count("\n") == 1

    def test_is_what_is_graded(self, download, tmp_path, capsys):
        """The same submissions, with the same modules."""
        found = collecting.found_in(download, ("softmax",))
        extras = instructor.Extras()
        status = instructor.grade(
            download, tmp_path / "out", ["softmax"], 5, "process", "cpu", extras
        )
        grades = (tmp_path / "out" / "grades.csv").read_text(encoding="utf-8").splitlines()

        assert status == 0
        assert [line.split('"')[1] for line in grades[1:]] == [one.name for one in found]
        assert [line.split('"')[5] for line in grades[1:]] == ["0", "20", "20"]
