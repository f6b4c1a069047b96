"""Whatever lies in the folder of an instructor becomes submissions, and nothing of it is run."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

import pytest

from grader.collect import MAX_MODULES, MAX_SOURCE_BYTES, Ignored, collect
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
        """Folders, archives and files lie side by side; anything else is named as not graded."""
        put(tmp_path / "ann", softmax="a")
        zipped(tmp_path / "ben.zip", {"softmax.py": "b"})
        put(tmp_path, cleo="c")
        for name in (".git", "__pycache__", "_drafts"):
            put(tmp_path / name, softmax="no")
        (tmp_path / "grades.csv").write_text("no")
        found = collect(tmp_path, KNOWN)

        assert [s.name for s in found] == ["ann", "ben", "cleo"]
        assert [Path(one.path).name for one in found.ignored] == [
            ".git", "__pycache__", "_drafts", "grades.csv",
        ]  # fmt: skip

    def test_an_empty_folder_is_an_empty_submission(self, tmp_path):
        """Somebody who handed in nothing is still in the table."""
        (tmp_path / "ann").mkdir()
        (submission,) = collect(tmp_path, KNOWN)

        assert (submission.name, submission.files) == ("ann", {})

    def test_that_hold_only_what_is_not_read_say_why(self, tmp_path):
        """An instructor sees at once what went wrong with the download."""
        (tmp_path / "class.rar").write_bytes(b"")

        with pytest.raises(CollectError, match=r"class.rar: of archives only .zip, .tar and .tar"):
            collect(tmp_path, KNOWN)

    @pytest.mark.parametrize("there", [Path(), None])
    def test_do_not_count_the_results(self, tmp_path, monkeypatch, there):
        """Who stands in the folder of the class often writes them there, and grades again."""
        put(tmp_path / "ann", softmax="a")
        (tmp_path / "results").mkdir()
        monkeypatch.chdir(tmp_path)
        found = collect(there or tmp_path, KNOWN, Path("results"))

        assert [s.name for s in found] == ["ann"]
        assert [one.reason for one in found.ignored] == ["results are written there"]

    def test_that_are_no_files_are_refused(self, tmp_path):
        """A named pipe would hold up the grader for ever."""
        os.mkfifo(tmp_path / "pipe.py")

        with pytest.raises(CollectError, match=r"neither a folder nor a \.py file"):
            collect(tmp_path / "pipe.py", KNOWN)

    def test_are_called_by_their_own_name(self, tmp_path, monkeypatch):
        """Also where the instructor stands in the folder."""
        monkeypatch.chdir(put(tmp_path / "ann", softmax="a"))
        (submission,) = collect(Path(), KNOWN)

        assert submission.name == "ann"

    @pytest.mark.parametrize("name", ["SOFTMAX.PY", "Softmax.py", "softmax.Py"])
    def test_spell_suffixes_as_they_like(self, tmp_path, name):
        """Windows does not care for case."""
        (tmp_path / "ann").mkdir()
        (tmp_path / "ann" / name).write_text("a")
        zipped(tmp_path / "ben.ZIP", {name: "b"})
        ann, ben = collect(tmp_path, KNOWN)

        assert (ann.files, ben.files) == ({"softmax": "a"}, {"softmax": "b"})

    @pytest.mark.parametrize(
        ("name", "reason"),
        [
            (".hidden.py", "its name begins with . or _"),
            ("_draft", "its name begins with . or _"),
            ("roster.csv", "it is no Python file"),
        ],
    )
    def test_leave_out_nothing_in_silence(self, tmp_path, name, reason):
        """Whatever is not graded is named, with its reason."""
        put(tmp_path / "zoe", softmax="z")
        (tmp_path / name).write_text("")

        assert collect(tmp_path, KNOWN).ignored == (Ignored(str(tmp_path / name), reason),)

    def test_leave_out_what_an_earlier_run_wrote(self, tmp_path):
        """It holds the text of everybody, and would be one more submission."""
        put(tmp_path / "zoe", softmax="z")
        put(tmp_path / "run" / "submissions" / "zoe", softmax="z")
        for name in ("settings.json", "journal.jsonl"):
            (tmp_path / "run" / name).write_text("")
        found = collect(tmp_path, KNOWN)

        assert [one.name for one in found] == ["zoe"]
        assert found.ignored == (Ignored(str(tmp_path / "run"), "results are written there"),)

    @pytest.mark.parametrize(
        ("name", "reason"),
        [
            ("ann.7z", "of archives only .zip, .tar and .tar.gz, .tar.bz2 or .tar.xz are read"),
            ("ann.xz", "of archives only .zip, .tar and .tar.gz, .tar.bz2 or .tar.xz are read"),
            ("ann.ipynb", "it is a notebook: `grader nbgrader` grades these"),
            ("ann.pdf", "it is no Python file"),
        ],
    )
    def test_leave_out_nobody_in_silence(self, tmp_path, name, reason):
        """Who handed in what cannot be read has a row of their own that says so."""
        put(tmp_path / "zoe", softmax="z")
        (tmp_path / name).write_text("")
        ann, zoe = collect(tmp_path, KNOWN)

        assert (ann.name, zoe.files) == ("ann", {"softmax": "z"})
        assert set(words(ann).values()) == {f"{name} cannot be read: {reason}."}

    @pytest.mark.parametrize(
        ("name", "complaint"),
        [
            ("nowhere", "nowhere does not exist"),
            (
                "empty",
                "empty holds no submissions: expected folders, .zip or .tar archives or .py files",
            ),
            (
                "essay.pdf",
                "essay.pdf is neither a folder nor a .py file nor a .zip or .tar archive",
            ),
        ],
    )
    def test_without_submissions_are_refused(self, tmp_path, name, complaint):
        """An instructor who mistyped a path is told so."""
        (tmp_path / "empty").mkdir()
        (tmp_path / "essay.pdf").write_text("")

        with pytest.raises(CollectError, match=complaint):
            collect(tmp_path / name, KNOWN)


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
        """A link is no submission, whatever it points at, and is named as what it is."""
        put(tmp_path / "class" / "ann", softmax="a")
        target = secret.parent if name == "eve" else secret
        (tmp_path / "class" / name).symlink_to(target)
        found = collect(tmp_path / "class", KNOWN)

        assert [s.name for s in found] == ["ann"]
        assert found.ignored == (
            Ignored(str(tmp_path / "class" / name), "it is a link; links are not followed"),
        )

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
