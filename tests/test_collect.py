"""Whatever lies in the folder of an instructor becomes submissions, and nothing of it is run."""

from __future__ import annotations

import os
import zipfile

import pytest

from grader.collect import MAX_MODULES, MAX_SOURCE_BYTES, collect
from grader.errors import CollectError
from grader.report.words import told

KNOWN = ("softmax", "attention")


def put(folder, **files):
    """Write ``softmax="text"`` as ``softmax.py``; returns the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / f"{name}.py").write_bytes(text if isinstance(text, bytes) else text.encode())
    return folder


def zipped(path, entries, method=zipfile.ZIP_DEFLATED):
    """Write an archive of ``{"softmax.py": "text"}``; returns its path."""
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, text in entries.items():
            archive.writestr(name, text)
    return path


def words(submission):
    """What is said of each module that could not be read."""
    return {name: told(problem).rationale for name, problem in submission.problems.items()}


class TestPlaces:
    def test_a_folder_of_folders_is_a_class(self, tmp_path):
        """Every folder is a submission of its own, in the order of their names."""
        put(tmp_path / "ben", softmax="b")
        put(tmp_path / "ann", softmax="a", attention="aa")
        found = collect(tmp_path, KNOWN)

        assert [s.name for s in found] == ["ann", "ben"]
        assert found[0].files == {"softmax": "a", "attention": "aa"}
        assert found[0].student == "ann"

    def test_a_folder_of_modules_is_one_submission(self, tmp_path):
        """A folder that holds modules itself is a submission itself."""
        put(tmp_path / "ann", softmax="a", notes="n")
        (submission,) = collect(tmp_path / "ann", KNOWN)

        assert submission.name == "ann"
        assert submission.files == {"softmax": "a", "notes": "n"}

    def test_a_checkout_is_one_submission(self, tmp_path):
        """Where there is a folder called exercises, the modules are in there."""
        put(tmp_path / "ann" / "exercises", softmax="a")
        put(tmp_path / "ann", setup="not this")
        (submission,) = collect(tmp_path / "ann", KNOWN)

        assert submission.name == "ann"
        assert submission.files == {"softmax": "a"}

    def test_a_file_named_like_an_exercise_is_that_module(self, tmp_path):
        """softmax.py is softmax."""
        put(tmp_path, softmax="a")
        (submission,) = collect(tmp_path / "softmax.py", KNOWN)

        assert submission.files == {"softmax": "a"}

    def test_a_file_of_any_other_name_stands_for_every_exercise(self, tmp_path):
        """ann.py may hold all that was asked for."""
        put(tmp_path, ann="a")
        (submission,) = collect(tmp_path / "ann.py", KNOWN)

        assert submission.name == "ann"
        assert submission.files == {"softmax": "a", "attention": "a"}

    def test_kinds_may_be_mixed(self, tmp_path):
        """Folders, archives and files lie side by side; anything else is passed over."""
        put(tmp_path / "ann", softmax="a")
        zipped(tmp_path / "ben.zip", {"softmax.py": "b"})
        put(tmp_path, cleo="c")
        for name in (".git", "__pycache__", "_drafts"):
            put(tmp_path / name, softmax="no")
        (tmp_path / "grades.csv").write_text("no")
        found = collect(tmp_path, KNOWN)

        assert [s.name for s in found] == ["ann", "ben", "cleo"]

    def test_an_empty_folder_is_an_empty_submission(self, tmp_path):
        """Somebody who handed in nothing is still in the table."""
        (tmp_path / "ann").mkdir()
        (submission,) = collect(tmp_path, KNOWN)

        assert (submission.name, submission.files) == ("ann", {})

    @pytest.mark.parametrize(
        ("name", "complaint"),
        [
            ("nowhere", "nowhere does not exist"),
            ("empty", "empty holds no submissions: expected folders, .zip archives or .py files"),
            ("essay.pdf", "essay.pdf is neither a folder nor a .py file nor a .zip archive"),
        ],
    )
    def test_without_submissions_are_refused(self, tmp_path, name, complaint):
        """An instructor who mistyped a path is told so."""
        (tmp_path / "empty").mkdir()
        (tmp_path / "essay.pdf").write_text("")

        with pytest.raises(CollectError, match=complaint):
            collect(tmp_path / name, KNOWN)


class TestNames:
    @pytest.mark.parametrize(
        ("name", "expected"),
        [
            ("Ann Lee", "Ann Lee"),
            ("Zoë", "Zoë"),
            ("ann@uni.edu", "ann@uni.edu"),
            ("a;b|c", "a_b_c"),
            ("=cmd()", "_cmd__"),
            ("line\nbreak", "line_break"),
            ("\x1b[2J", "__2J"),
            ("<b>", "_b_"),
            ("$(rm)", "__rm_"),
            ("\udcff", "_"),
        ],
    )
    def test_are_made_harmless(self, tmp_path, name, expected):
        """A name ends up in a table, a path and a page: what could do harm there is replaced."""
        put(tmp_path / name, softmax="a")
        (submission,) = collect(tmp_path, KNOWN)

        assert (submission.name, submission.student) == (expected, expected)

    def test_that_are_alike_are_told_apart(self, tmp_path):
        """Two submissions never share a report, also where case does not count in file names."""
        put(tmp_path, Ann="1")
        put(tmp_path / "ann", softmax="2")
        zipped(tmp_path / "ann.zip", {"softmax.py": "3"})
        found = collect(tmp_path, KNOWN)

        assert [s.files["softmax"] for s in found] == ["1", "2", "3"]
        assert [s.name for s in found] == ["Ann", "ann 2", "ann 3"]
        assert [s.student for s in found] == ["Ann", "ann", "ann"]


class TestFiles:
    def test_may_begin_with_a_byte_order_mark(self, tmp_path):
        """What Windows editors put in front of a file is no part of it."""
        put(tmp_path / "ann", softmax=b"\xef\xbb\xbfx = 1")
        (submission,) = collect(tmp_path, KNOWN)

        assert submission.files == {"softmax": "x = 1"}

    def test_that_are_no_text_are_problems(self, tmp_path):
        """One unreadable module leaves the others as they are."""
        put(tmp_path / "ann", softmax=b"ok = '\xff\xfe'", attention="a")
        (submission,) = collect(tmp_path, KNOWN)

        assert submission.files == {"attention": "a"}
        assert words(submission) == {"softmax": "softmax.py is not UTF-8 text (byte 6)."}

    def test_that_are_too_large_are_problems(self, tmp_path):
        """A file is read up to a limit, which is named."""
        put(tmp_path / "ann", softmax=b"#" * (MAX_SOURCE_BYTES + 1), attention=b"#" * 100)
        (submission,) = collect(tmp_path, KNOWN)

        assert list(submission.files) == ["attention"]
        assert words(submission) == {"softmax": "softmax.py is larger than 1 MiB."}

    def test_may_be_as_large_as_the_limit(self, tmp_path):
        """The limit itself is allowed."""
        put(tmp_path / "ann", softmax=b"#" * MAX_SOURCE_BYTES)
        (submission,) = collect(tmp_path, KNOWN)

        assert len(submission.files["softmax"]) == MAX_SOURCE_BYTES

    def test_that_may_not_be_read_are_problems(self, tmp_path, monkeypatch):
        """A file without the right to read it does not stop the rest of the class."""
        put(tmp_path / "ann", softmax="a")

        def refuse(*args):
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr(os, "open", refuse)
        (submission,) = collect(tmp_path, KNOWN)

        assert words(submission) == {"softmax": "softmax.py cannot be read: Permission denied."}

    def test_are_counted(self, tmp_path):
        """No more modules are read than anybody writes."""
        put(tmp_path / "ann", **{f"m{i}": "" for i in range(MAX_MODULES + 50)})
        (submission,) = collect(tmp_path, KNOWN)

        assert len(submission.files) == MAX_MODULES

    def test_that_are_pipes_are_passed_over(self, tmp_path):
        """A named pipe would hold up the whole class."""
        put(tmp_path / "ann", attention="a")
        os.mkfifo(tmp_path / "ann" / "softmax.py")
        (submission,) = collect(tmp_path, KNOWN)

        assert submission.files == {"attention": "a"}


class TestLinks:
    @pytest.fixture
    def secret(self, tmp_path):
        return put(tmp_path / "secret", softmax="the solution") / "softmax.py"

    def test_to_files_are_problems(self, tmp_path, secret):
        """A link could point at a solution: it is not followed, and said to be none."""
        put(tmp_path / "class" / "ann", attention="a")
        (tmp_path / "class" / "ann" / "softmax.py").symlink_to(secret)
        (submission,) = collect(tmp_path / "class", KNOWN)

        assert submission.files == {"attention": "a"}
        assert words(submission) == {"softmax": "softmax.py is a link; links are not followed."}

    def test_to_nowhere_are_problems_too(self, tmp_path):
        """A broken link is a link."""
        put(tmp_path / "class" / "ann", attention="a")
        (tmp_path / "class" / "ann" / "softmax.py").symlink_to("/nowhere")
        (submission,) = collect(tmp_path / "class", KNOWN)

        assert set(submission.problems) == {"softmax"}

    @pytest.mark.parametrize("name", ["eve", "eve.py", "eve.zip"])
    def test_in_place_of_submissions_are_passed_over(self, tmp_path, secret, name):
        """A link is no submission, whatever it points at."""
        put(tmp_path / "class" / "ann", softmax="a")
        target = secret.parent if name == "eve" else secret
        (tmp_path / "class" / name).symlink_to(target)
        found = collect(tmp_path / "class", KNOWN)

        assert [s.name for s in found] == ["ann"]

    def test_in_place_of_the_folder_exercises_are_not_followed(self, tmp_path, secret):
        """Not even a whole folder can be borrowed."""
        put(tmp_path / "ann", softmax="a")
        (tmp_path / "ann" / "exercises").symlink_to(secret.parent)
        (submission,) = collect(tmp_path / "ann", KNOWN)

        assert submission.files == {"softmax": "a"}

    def test_named_by_the_instructor_are_refused(self, tmp_path, secret):
        """A single file that is a link is refused in words."""
        (tmp_path / "ann.py").symlink_to(secret)
        with pytest.raises(CollectError, match="is a link; links are not followed"):
            collect(tmp_path / "ann.py", KNOWN)
