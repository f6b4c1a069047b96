"""An archive that was handed in is read within bounds, and never unpacked anywhere."""

from __future__ import annotations

import io
import random
import warnings
import zipfile

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from grader.collect import MAX_MODULES, MAX_SOURCE_BYTES, MAX_SUBMISSION_BYTES, collect
from grader.collect.modules import MAX_IGNORED
from grader.report.words import told

KNOWN = ("softmax", "attention")


def zipped(path, entries, method=zipfile.ZIP_DEFLATED):
    """Write an archive of ``{"softmax.py": "text"}``; returns its path."""
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, text in entries.items():
            archive.writestr(name, text)
    return path


def words(submission):
    """What is said of each module that could not be read."""
    return {name: told(problem).rationale for name, problem in submission.problems.items()}


class TestArchives:
    @pytest.mark.parametrize("folder", ["", "homework/", "ann/week 3/exercises/", "C:\\homework/"])
    def test_may_hold_a_folder(self, tmp_path, folder):
        """The outermost folder with modules in it is the submission."""
        entries = {f"{folder}softmax.py": "a", f"{folder}deeper/softmax.py": "no", "x.txt": "no"}
        zipped(tmp_path / "ann.zip", entries)
        (submission,) = collect(tmp_path, KNOWN)

        assert submission.name == "ann"
        assert submission.files == {"softmax": "a"}

    def test_may_come_from_a_mac(self, tmp_path):
        """What macOS adds to archives is no module."""
        zipped(tmp_path / "ann.zip", {"__MACOSX/softmax.py": "no", "hw/softmax.py": "a"})
        (submission,) = collect(tmp_path, KNOWN)

        assert submission.files == {"softmax": "a"}

    @pytest.mark.parametrize("name", ["../../softmax.py", "/softmax.py", "/etc/../softmax.py"])
    def test_cannot_name_a_place(self, tmp_path, name):
        """Nothing is unpacked anywhere: a path in an archive is no more than a name."""
        zipped(tmp_path / "class.zip", {name: "a"})
        (submission,) = collect(tmp_path / "class.zip", KNOWN)

        assert submission.files == {"softmax": "a"}
        assert list(tmp_path.iterdir()) == [tmp_path / "class.zip"]

    def test_that_unpack_to_far_too_much_are_not_unpacked(self, tmp_path):
        """A bomb is read up to the limit of a file, and no further."""
        zipped(tmp_path / "ann.zip", {"softmax.py": b"#" * (64 << 20), "attention.py": "a"})
        (submission,) = collect(tmp_path, KNOWN)

        assert submission.files == {"attention": "a"}
        assert words(submission) == {"softmax": "softmax.py is larger than 1 MiB."}

    def test_hold_no_more_modules_than_folders(self, tmp_path):
        """The number of modules is bounded as well."""
        zipped(tmp_path / "ann.zip", {f"m{i}.py": "" for i in range(MAX_MODULES + 50)})
        (submission,) = collect(tmp_path, KNOWN)

        assert len(submission.files) == MAX_MODULES

    @pytest.mark.parametrize("raw", [b"", b"PK\x03\x04", b"this is no archive" * 50])
    def test_that_are_none_are_problems(self, tmp_path, raw):
        """What cannot be unpacked is a problem of that submission alone."""
        (tmp_path / "ann.zip").write_bytes(raw)
        (tmp_path / "ben").mkdir()
        (tmp_path / "ben" / "softmax.py").write_text("b")
        ann, ben = collect(tmp_path, KNOWN)

        assert set(ann.problems) == set(KNOWN)
        assert "ann.zip cannot be unpacked" in words(ann)["softmax"]
        assert ben.files == {"softmax": "b"}

    def test_that_need_a_password_are_problems(self, tmp_path):
        """Nobody is asked for a password while a class is graded."""
        raw = bytearray(zipped(tmp_path / "ann.zip", {"softmax.py": "a"}).read_bytes())
        raw[6] |= 1
        raw[raw.index(b"PK\x01\x02") + 8] |= 1
        (tmp_path / "ann.zip").write_bytes(raw)
        (submission,) = collect(tmp_path, KNOWN)

        assert "password" in words(submission)["softmax"]

    @pytest.mark.parametrize(
        "method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]
    )
    def test_that_are_damaged_never_stop_the_class(self, tmp_path, method):
        """Whatever is wrong with the bytes, there is a submission, with a problem or without."""
        whole = zipped(io.BytesIO(), {"softmax.py": "x = 1\n" * 40, "b.py": "2" * 90}, method)
        dice = random.Random(3)
        for _ in range(250):
            raw = bytearray(whole.getvalue())
            for _ in range(dice.randint(1, 3)):
                raw[dice.randrange(len(raw))] = dice.randrange(256)
            (tmp_path / "ann.zip").write_bytes(raw[: dice.choice([len(raw), dice.randrange(500)])])
            (submission,) = collect(tmp_path, KNOWN)

            assert submission.name == "ann"

    @pytest.mark.parametrize("name", ["hw\\softmax.py", "hw\\exercises\\softmax.py"])
    def test_may_come_from_windows(self, tmp_path, name):
        """Some of its archivers write backslashes between folders."""
        zipped(tmp_path / "ann.zip", {name: "a", "hw\\notes.txt": "n"})
        (submission,) = collect(tmp_path, KNOWN)

        assert submission.files == {"softmax": "a"}

    def test_may_hold_helpers_outside_of_the_exercises(self, tmp_path):
        """The exercises count, and the helper is named."""
        zipped(tmp_path / "ann.zip", {"utils.py": "u", "exercises/softmax.py": "a"})
        found = collect(tmp_path, KNOWN)

        assert found[0].files == {"softmax": "a"}
        assert [one.path for one in found.ignored] == [f"{tmp_path}/ann.zip/utils.py"]

    def test_with_a_module_in_two_folders_say_so(self, tmp_path):
        """The last one must not win by chance."""
        zipped(tmp_path / "ann.zip", {"a/softmax.py": "1", "b/softmax.py": "2"})
        (submission,) = collect(tmp_path, KNOWN)

        assert submission.files == {}
        assert "more than once: a/softmax.py, b/softmax.py" in words(submission)["softmax"]

    def test_unpack_to_no_more_than_a_submission(self, tmp_path):
        """A hundred files of 1 MiB are 110 KB as an archive."""
        zipped(tmp_path / "ann.zip", {f"m{n}.py": b"\0" * MAX_SOURCE_BYTES for n in range(100)})
        (submission,) = collect(tmp_path, KNOWN)

        assert sum(map(len, submission.files.values())) == MAX_SUBMISSION_BYTES

    @pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
    def test_of_rare_compression_are_not_unpacked(self, tmp_path, method):
        """Python unpacks these without a limit: a few kilobytes would be gigabytes."""
        zipped(tmp_path / "ann.zip", {"softmax.py": b"#" * (64 << 20)}, method)
        (submission,) = collect(tmp_path, KNOWN)

        assert "its compression is not that of an ordinary .zip" in words(submission)["softmax"]

    def test_may_hold_tens_of_thousands_of_files(self, tmp_path):
        """A whole environment packed with the work."""
        path, rest = tmp_path / "ann.zip", {f"env/{n}.txt": "" for n in range(20_000)}
        zipped(path, {"softmax.py": "a"} | rest, zipfile.ZIP_STORED)
        found = collect(tmp_path, KNOWN)

        assert found[0].files == {"softmax": "a"}
        assert len(found.ignored) == MAX_IGNORED + 1

    def test_that_list_too_many_files_are_not_read(self, tmp_path, monkeypatch):
        """What the list claims to be is not even loaded."""
        monkeypatch.setattr("grader.collect.bounded.MAX_ENTRY_LIST_BYTES", 70_000)
        zipped(tmp_path / "ann.zip", {"softmax.py": "a"} | {f"{n}.txt": "" for n in range(2000)})
        (submission,) = collect(tmp_path, KNOWN)

        assert "it lists too many files" in words(submission)["softmax"]

    def test_lose_only_the_file_that_is_damaged(self, tmp_path):
        """The others of the same archive are graded."""
        path = zipped(
            tmp_path / "ann.zip", {"softmax.py": "a" * 99, "attention.py": "b"}, zipfile.ZIP_STORED
        )
        path.write_bytes(path.read_bytes().replace(b"a" * 99, b"c" * 99))
        (submission,) = collect(tmp_path, KNOWN)

        assert submission.files == {"attention": "b"}
        assert "softmax.py cannot be unpacked: Bad CRC-32" in words(submission)["softmax"]

    @given(
        st.binary(max_size=400),
        st.lists(st.tuples(st.text(max_size=12), st.binary(max_size=30)), max_size=4),
    )
    @settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
    def test_are_always_a_submission(self, tmp_path, noise, entries):
        """Whatever the bytes and whatever the names in them."""
        whole = io.BytesIO()
        with zipfile.ZipFile(whole, "w") as archive, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # two entries may have one name
            for name, raw in entries:
                archive.writestr(f"{name}.py", raw)
        for raw in (whole.getvalue(), whole.getvalue() + noise, noise + whole.getvalue(), noise):
            (tmp_path / "ann.zip").write_bytes(raw)
            (submission,) = collect(tmp_path, KNOWN)

            assert submission.name == "ann"
            assert all(name.isidentifier() for name in submission.files)

    def test_hold_no_links(self, tmp_path):
        """An archived link is a file that holds a path; it leads nowhere."""
        entry = zipfile.ZipInfo("softmax.py")
        entry.external_attr = 0o120777 << 16
        zipped(tmp_path / "ann.zip", {entry: "/etc/passwd"})
        (submission,) = collect(tmp_path, KNOWN)

        assert submission.files == {"softmax": "/etc/passwd"}
