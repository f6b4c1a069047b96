"""An archive that was handed in is read within bounds, and never unpacked anywhere."""

from __future__ import annotations

import io
import random
import zipfile

import pytest

from grader.collect import MAX_MODULES, collect
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
    @pytest.mark.parametrize("folder", ["", "homework/", "ann/work/exercises/", "C:\\work/"])
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
            (submission,) = collect(tmp_path / "ann.zip", KNOWN)

            assert submission.name == "ann"

    def test_hold_no_links(self, tmp_path):
        """An archived link is a file that holds a path; it leads nowhere."""
        entry = zipfile.ZipInfo("softmax.py")
        entry.external_attr = 0o120777 << 16
        zipped(tmp_path / "ann.zip", {entry: "/etc/passwd"})
        (submission,) = collect(tmp_path, KNOWN)

        assert submission.files == {"softmax": "/etc/passwd"}
