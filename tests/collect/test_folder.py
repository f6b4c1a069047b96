"""A folder as it was handed in, with whatever lies in it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from grader.collect import Ignored, collect
from grader.collect.folder import MAX_LEVELS
from grader.report.words import told

KNOWN = ("softmax", "attention")


def put(folder, **files):
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)
    return folder


def words(submission):
    return {name: told(problem).rationale for name, problem in submission.problems.items()}


class TestFolders:
    @pytest.mark.parametrize("inner", ["ann", "ann/ann", "hand in/exercises"])
    def test_within_folders_are_looked_into(self, tmp_path, inner):
        """Unpacking an archive often makes a folder in a folder."""
        put(tmp_path / "ann" / inner, softmax="a")
        (submission,) = collect(tmp_path, KNOWN)

        assert submission.files == {"softmax": "a"}

    def test_are_looked_into_no_deeper_than_the_modules_lie(self, tmp_path):
        """What lies below is named, and not read."""
        put(tmp_path / "ann", softmax="a")
        put(tmp_path / "ann" / "old", softmax="older")
        put(tmp_path / "ann" / ".git", softmax="oldest")
        found = collect(tmp_path, KNOWN)

        assert found[0].files == {"softmax": "a"}
        assert set(found.ignored) == {
            Ignored(f"{tmp_path}/ann/old", "the modules lie further out"),
            Ignored(f"{tmp_path}/ann/.git", "its name begins with . or _"),
        }

    def test_that_go_too_deep_are_named(self, tmp_path):
        """A chain of folders without an end is not followed to it."""
        put(tmp_path / "ann" / "/".join("d" * 30), softmax="a")
        found = collect(tmp_path, KNOWN)

        assert found[0].files == {}
        assert found.ignored[0].reason == f"it lies deeper than {MAX_LEVELS} folders"

    def test_with_too_many_files_are_read_in_part(self, tmp_path, monkeypatch):
        """So many entries are looked at, and it is said that there were more."""
        monkeypatch.setattr("grader.collect.folder.MAX_ENTRIES", 20)
        folder = put(tmp_path / "ann")
        for number in range(21):
            (folder / f"{number}.txt").touch()
        found = collect(tmp_path, KNOWN)

        assert found.ignored[0].reason == (
            "of more than 20 files and folders the rest was not looked at"
        )
        assert len(found.ignored) == 21

    def test_with_a_module_twice_say_so(self, tmp_path):
        """Which of them counts is for a person to say."""
        put(tmp_path / "ann" / "a", softmax="1")
        put(tmp_path / "ann" / "b", softmax="2", attention="3")
        (submission,) = collect(tmp_path, KNOWN)

        assert submission.files == {"attention": "3"}
        assert words(submission) == {
            "softmax": "softmax.py was handed in more than once: a/softmax.py, b/softmax.py."
        }


class TestWhatIsNoFile:
    @pytest.mark.timeout(20)
    def test_is_a_problem_of_its_module(self, tmp_path):
        """A named pipe in the place of a module would hold up the whole class."""
        put(tmp_path / "ann", attention="a")
        os.mkfifo(tmp_path / "ann" / "softmax.py")
        (submission,) = collect(tmp_path, KNOWN)

        assert submission.files == {"attention": "a"}
        assert words(submission) == {
            "softmax": "softmax.py cannot be read: it is a named pipe, not a file."
        }

    @pytest.mark.timeout(20)
    @pytest.mark.parametrize("name", ["pipe.py", "pipe.zip", "pipe"])
    def test_is_no_submission(self, tmp_path, name):
        """It is named, and everybody else is graded."""
        put(tmp_path / "zoe", softmax="z")
        os.mkfifo(tmp_path / name)
        found = collect(tmp_path, KNOWN)

        assert [s.name for s in found] == ["zoe"]
        assert found.ignored == (Ignored(str(tmp_path / name), "it is a named pipe"),)


class TestRights:
    """An instructor is rarely root."""

    @pytest.fixture
    def among_others(self, tmp_path, monkeypatch):
        """A class with one good submission; relative, since nobody else may enter our folder."""
        monkeypatch.chdir(tmp_path)
        Path("class").mkdir()
        put(Path("class/zoe"), softmax="z")
        monkeypatch.chdir("class")
        yield
        for path in Path().iterdir():
            path.chmod(0o700)

    def test_that_lack_for_a_file_cost_that_file(self, among_others, without_rights):
        """The others of the same student are read."""
        put(Path("ann"), softmax="a", attention="b")
        Path("ann/softmax.py").chmod(0)
        with without_rights():
            ann, zoe = collect(Path(), KNOWN)

        assert ann.files == {"attention": "b"}
        assert words(ann) == {"softmax": "softmax.py cannot be read: Permission denied."}
        assert zoe.files == {"softmax": "z"}

    @pytest.mark.parametrize("mode", [0, 0o444])
    def test_that_lack_for_a_folder_cost_that_student(self, among_others, mode, without_rights):
        """Whether it cannot be listed or, without x, nothing in it can be reached."""
        put(Path("ann"), softmax="a").chmod(mode)
        with without_rights():
            ann, zoe = collect(Path(), KNOWN)

        assert ann.files == {}
        assert "cannot be read: Permission denied" in words(ann)["softmax"]
        assert zoe.files == {"softmax": "z"}

    @pytest.mark.parametrize("name", ["ann.py", "ann.zip"])
    def test_that_lack_for_a_single_file_cost_that_student(
        self, among_others, name, without_rights
    ):
        """Every exercise says why."""
        Path(name).write_text("a")
        Path(name).chmod(0)
        with without_rights():
            ann, zoe = collect(Path(), KNOWN)

        assert set(words(ann).values()) == {f"{name} cannot be read: Permission denied."}
        assert zoe.files == {"softmax": "z"}
