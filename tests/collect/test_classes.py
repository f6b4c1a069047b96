"""A download is a class, in every shape and however it is packed."""

from __future__ import annotations

import lzma

import pytest

from grader.collect import collect
from grader.errors import CollectError
from grader.report.words import told
from tests.collect.downloads import (
    KNOWN,
    SHAPES,
    TWO,
    download,
    every_packing,
    modules,
    notes,
    reasons,
    tar_of,
    zip_of,
)


class TestEveryShape:
    @every_packing
    @pytest.mark.parametrize("shape", SHAPES)
    def test_gives_every_student_their_modules(self, tmp_path, shape, packing):
        """Two students never become one, and one never becomes two."""
        files, expected = SHAPES[shape]
        found = collect(download(tmp_path, packing, files), KNOWN)

        assert modules(found) == expected

    @every_packing
    def test_says_what_the_platform_says(self, tmp_path, packing):
        """Who is late, and the id; both are taken out of the name."""
        files, _ = SHAPES["Canvas"]
        ann, ben = collect(download(tmp_path, packing, files), KNOWN)

        assert (ann.student, ann.student_id, ann.late) == ("ann", "1", True)
        assert (ben.student, ben.student_id, ben.late) == ("ben", "2", False)

    @every_packing
    def test_may_have_a_folder_around_it(self, tmp_path, packing):
        """As whoever unpacks an archive gets."""
        files, expected = SHAPES["Moodle"]
        around = {f"ps1 download/{name}": text for name, text in files.items()}

        assert modules(collect(download(tmp_path, packing, around), KNOWN)) == expected

    @every_packing
    @pytest.mark.parametrize("shape", ["a zip each", "a tar each", "a file for each exercise"])
    def test_of_files_may_have_a_folder_around_it(self, tmp_path, shape, packing):
        """Archives beside one another are students', also in a folder that is alone."""
        around = {f"download/{name}": text for name, text in SHAPES[shape][0].items()}

        assert modules(collect(download(tmp_path, packing, around), KNOWN)) == TWO

    def test_may_be_opened_further_in(self, tmp_path):
        """The path in a report leads to that one submission, also in an archive."""
        place = download(tmp_path, "zip", SHAPES["Canvas"][0])
        ann, _ = collect(place, KNOWN)

        assert modules(collect(tmp_path / ann.path, KNOWN)) == {"ann": TWO["ann"]}


class TestAnArchiveByItself:
    @pytest.mark.parametrize("packing", ["zip", "tar", "tgz"])
    @pytest.mark.parametrize("folder", ["", "hw/", "hw/exercises/", "a/b/"])
    def test_with_the_modules_of_one_is_one(self, tmp_path, packing, folder):
        """Whatever folder lies around them."""
        files = {f"{folder}softmax.py": "a", f"{folder}attention.py": "b"}
        found = collect(download(tmp_path, packing, files), KNOWN)

        assert modules(found) == {"class": {"softmax": "a", "attention": "b"}}

    def test_may_spell_names_without_saying_how(self, tmp_path):
        """Archivers of macOS write UTF-8 and do not set the flag that says so."""
        raw = bytearray(zip_of({"प्रिया/softmax.py": "a", "José/softmax.py": "b"}))
        for mark, at in ((b"PK\x03\x04", 7), (b"PK\x01\x02", 9)):
            begin = raw.find(mark)
            while begin >= 0:
                raw[begin + at] &= 0xF7  # bit 11 of the flags
                begin = raw.find(mark, begin + 1)
        (tmp_path / "class.zip").write_bytes(raw)

        assert set(modules(collect(tmp_path / "class.zip", KNOWN))) == {"José", "प्रिया"}

    @pytest.mark.parametrize("packing", ["tar", "tar.gz", "tar.bz2", "tar.xz"])
    def test_that_is_damaged_is_a_problem(self, tmp_path, packing):
        """And no end of the run."""
        path = download(tmp_path, packing, {"softmax.py": "a" * 5000})
        path.write_bytes(path.read_bytes()[:60])
        (found,) = collect(path, KNOWN)

        assert "cannot be unpacked" in told(found.problems["softmax"]).rationale

    @pytest.mark.parametrize("packing", ["tgz", "tar.bz2", "tar.xz"])
    def test_that_unpacks_to_far_too_much_is_not_read(self, tmp_path, monkeypatch, packing):
        """A tar has no list: what lies behind a bomb could be found only by unpacking it."""
        monkeypatch.setattr("grader.collect.tars.MAX_TAR_BYTES", 100_000)
        path = download(tmp_path, packing, {"a.bin": b"\0" * 500_000, "softmax.py": "a"})
        (found,) = collect(path, KNOWN)

        assert "unpacks to far too much" in told(found.problems["softmax"]).rationale

    def test_that_needs_much_memory_is_not_read(self, tmp_path, monkeypatch):
        """An .xz file says how much itself, up to gigabytes."""
        monkeypatch.setattr("grader.collect.tars.MAX_XZ_MEMORY", 1 << 20)
        (found,) = collect(download(tmp_path, "tar.xz", {"softmax.py": "a"}), KNOWN)

        assert "Memory usage limit" in told(found.problems["softmax"]).rationale

    def test_may_be_packed_in_pieces(self, tmp_path):
        """As `xz --threads` and some platforms do, with zeros at the end."""
        whole = tar_of({"ann/softmax.py": "a" * 50_000, "ben/softmax.py": "b"})
        pieces = [lzma.compress(whole[at : at + 30_000]) for at in range(0, len(whole), 30_000)]
        (tmp_path / "class.tar.xz").write_bytes(b"".join([*pieces, bytes(8)]))
        found = collect(tmp_path / "class.tar.xz", KNOWN)

        assert modules(found) == {"ann": {"softmax": "a" * 50_000}, "ben": {"softmax": "b"}}

    @pytest.mark.parametrize("packing", ["zip", "tar"])
    def test_of_a_project_is_one(self, tmp_path, packing):
        """What GitHub packs of a repository, with the modules wherever they lie."""
        files = {
            "ps1-main/README.md": "", "ps1-main/setup.py": "", "ps1-main/docs/conf.py": "",
            "ps1-main/src/ps1/softmax.py": "a", "ps1-main/tests/test_softmax.py": "",
            "ps1-main/notebooks/softmax.ipynb": "",
        }  # fmt: skip
        found = collect(download(tmp_path, packing, files), KNOWN)

        assert modules(found) == {"class": {"softmax": "a"}}

    @every_packing
    def test_of_a_class_is_one_even_if_only_one_has_work(self, tmp_path, packing):
        """Nobody else's files are taken for that student's."""
        files = {"ann/softmax.py": "a", "ben/softmax.ipynb": "", "cleo/a/b/c/d/softmax.py": "c"}
        found = collect(download(tmp_path, packing, files), KNOWN)

        assert modules(found) == {"ann": {"softmax": "a"}, "ben": {}, "cleo": {"softmax": "c"}}


class TestWhatIsNotGraded:
    def test_has_a_reason(self, tmp_path):
        """Earlier attempts, online texts, and what belongs to nobody."""
        files = SHAPES["Canvas"][0] | {"softmax.py": "stray", "cleo_3_94_essay.pdf": ""}
        found = collect(download(tmp_path, "folder", files), KNOWN)

        assert {
            one.path.removeprefix(f"{tmp_path}/class/"): one.reason for one in found.ignored
        } == {
            "ann_1/softmax.py": "it is an earlier attempt: softmax-1.py counts",
            "softmax.py": "it lies beside the submissions, and nothing says whose it is",
            "cleo_3_94_essay.pdf": "it is no Python file",
        }
        assert notes(found) == {"softmax-1.py": "graded as softmax.py"}

    @pytest.mark.parametrize("name", ["hw.rar", "hw.7z", "softmax.ipynb", "report.pdf"])
    @every_packing
    def test_is_a_row_of_its_student(self, tmp_path, packing, name):
        """Never an absence."""
        files = {
            "ann_1_assignsubmission_file_/softmax.py": "a",
            f"ben_2_assignsubmission_file_/{name}": "?",
        }
        ann, ben = collect(download(tmp_path, packing, files), KNOWN)

        assert (ann.files, ben.files) == ({"softmax": "a"}, {})
        assert f"{name} cannot be read" in told(ben.problems["softmax"]).rationale

    def test_is_an_online_text_alone(self, tmp_path):
        """Whoever wrote only a text handed in no module, and is in the table."""
        files = {
            "ann_1_assignsubmission_file_/softmax.py": "a",
            "ben_2_assignsubmission_onlinetext_/onlinetext.html": "hello",
        }
        found = collect(download(tmp_path, "folder", files), KNOWN)

        assert modules(found) == {"ann": {"softmax": "a"}, "ben": {}}


class TestUndecided:
    def test_folders_of_different_exercises_are_told(self, tmp_path):
        """They are students' folders, or one student's weeks: a person is asked to look."""
        files = {"week1/softmax.py": "a", "week2/attention.py": "b"}
        found = collect(download(tmp_path, "zip", files), KNOWN)

        assert set(modules(found)) == {"week1", "week2"}
        assert "no two of its folders hold the same exercise" in found.notes[0].says

    @every_packing
    def test_many_copies_of_one_module_are_nobodys(self, tmp_path, packing):
        """Attempts of one student, or the work of many: nobody's mark is made of either."""
        files = {f"softmax_{number}.py": str(number) for number in range(30)}
        with pytest.raises(CollectError, match="nothing says whose it is"):
            collect(download(tmp_path, packing, files), KNOWN)

    def test_a_list_of_names_that_cannot_be_read_is_told(self, tmp_path):
        """The folders keep the names they have."""
        files = {"submission_1/softmax.py": "a", "submission_metadata.yml": "!!python/object:os"}
        found = collect(download(tmp_path, "folder", files), KNOWN)

        assert modules(found) == {"submission_1": {"softmax": "a"}}
        assert "its names were not read" in reasons(found)["submission_metadata.yml"]

    @pytest.mark.parametrize("name", ["{}.ipynb", "{}/a.ipynb", "{}_1_2_a.ipynb"])
    @every_packing
    def test_only_what_is_not_read_is_no_class(self, tmp_path, packing, name):
        """A class of notebooks is refused in one sentence, not given a zero each."""
        files = {name.format("ann"): "", name.format("ben"): ""}
        with pytest.raises(CollectError, match="it is a notebook"):
            collect(download(tmp_path, packing, files), KNOWN)
