"""A download is a class, in every shape and however it is packed."""

from __future__ import annotations

import lzma

import pytest

from grader.collect import collect
from grader.errors import CollectError
from grader.report.words import told
from tests.collect.downloads import (
    KNOWN,
    TWO,
    download,
    every_packing,
    modules,
    notes,
    reasons,
    tar_of,
    zip_of,
)

METADATA = """---
submission_11:
  :submitters:
  - :name: Ann Lee
    :sid: '101'
    :email: ann@uni.edu
  :created_at: 2026-01-01 00:00:00.000000000 Z
  :score: 3.0
  :results:
    :name: nobody
submission_12:
  :submitters:
  - :name: "Jos\\u00e9 D\\xEDaz"
    :sid:
  - :name: 'Mary O''Brien'
    :sid: '103'
"""


SHAPES = {
    "a folder each": (
        {"ann/softmax.py": "a", "ann/attention.py": "aa", "ben/softmax.py": "b"}, TWO,
    ),
    "a zip each": (
        {"ann.zip": zip_of({"hw/softmax.py": "a", "hw/attention.py": "aa"}),
         "ben.zip": zip_of({"softmax.py": "b"})}, TWO,
    ),
    "a tar each": (
        {"ann.tar.gz": tar_of({"softmax.py": "a", "attention.py": "aa"}, "w:gz"),
         "ben.tar": tar_of({"softmax.py": "b"})}, TWO,
    ),
    "a file for each exercise": (
        {"ann_softmax.py": "a", "ann_attention.py": "aa", "ben_softmax.py": "b"}, TWO,
    ),
    "archives in archives": (
        {"ann.zip": zip_of({"w.tar.gz": tar_of({"softmax.py": "a"}, "w:gz"),
                            "hw.zip": zip_of({"x.zip": zip_of({"attention.py": "aa"})})}),
         "ben.zip": zip_of({"ben.zip": zip_of({"hw/softmax.py": "b"})})},
        TWO,
    ),
    "clones": (
        {"ann/setup.py": "", "ann/src/ps1/softmax.py": "a", "ann/src/ps1/attention.py": "aa",
         "ben/setup.py": "", "ben/exercises/softmax.py": "b", "ben/README.md": ""}, TWO,
    ),
    "Canvas": (
        {"ann_LATE_1_90_softmax-1.py": "a", "ann_LATE_1_80_softmax.py": "stub",
         "ann_LATE_1_91_attention.py": "aa", "ben_2_92_softmax.py": "b"}, TWO,
    ),
    "Canvas, a zip each": (
        {"ann_1_90_hw.zip": zip_of({"hw/softmax.py": "a", "hw/attention.py": "aa"}),
         "ben_2_92_ps1.zip": zip_of({"softmax.py": "b"})}, TWO,
    ),
    "Moodle": (
        {"ann_1_assignsubmission_file_/softmax.py": "a",
         "ann_1_assignsubmission_file_/attention.py": "aa",
         "ann_1_assignsubmission_onlinetext_/onlinetext.html": "<p>done</p>",
         "ben_2_assignsubmission_file_/softmax.py": "b"}, TWO,
    ),
    "Moodle, a zip in each folder": (
        {"ann_1_assignsubmission_file_/hw.zip": zip_of({"softmax.py": "a", "attention.py": "aa"}),
         "ben_2_assignsubmission_file_/ps.zip": zip_of({"ps/softmax.py": "b"})}, TWO,
    ),
    "Moodle without folders": (
        {"ann_1_assignsubmission_file_softmax.py": "a",
         "ann_1_assignsubmission_file_attention.py": "aa",
         "ben_2_assignsubmission_file_softmax.py": "b"}, TWO,
    ),
    "nbgrader": (
        {"submitted/ann/ps1/softmax.py": "a", "submitted/ann/ps1/attention.py": "aa",
         "submitted/ann/ps1/timestamp.txt": "", "submitted/ben/ps1/softmax.py": "b",
         "source/ps1/softmax.py": "solution", "gradebook.db": ""}, TWO,
    ),
    "a stray module beside": (
        {"ann/softmax.py": "a", "ann/attention.py": "aa", "ben/softmax.py": "b",
         "softmax.py": "stray"}, TWO,
    ),
    "a stray folder exercises beside": (
        {"ann/softmax.py": "a", "ann/attention.py": "aa", "ben/softmax.py": "b",
         "exercises/softmax.py": "stub"}, TWO,
    ),
    "a list beside the folder around it": (
        {"hw 1/ann/softmax.py": "a", "hw 1/ann/attention.py": "aa", "hw 1/ben/softmax.py": "b",
         "hw 1/cleo/softmax.py": "c", "README.txt": ""}, TWO | {"cleo": {"softmax": "c"}},
    ),
    "ids in the names of files": (
        {"101_softmax.py": "a", "101_attention.py": "aa", "102_softmax.py": "b",
         "103_softmax.py": "c"},
        {"101": TWO["ann"], "102": TWO["ben"], "103": {"softmax": "c"}},
    ),
    "ids behind the exercise": (
        {"softmax_101.py": "a", "softmax_102.py": "b", "softmax_103.py": "c"},
        {f"softmax_{n}": {"softmax": text} for n, text in zip((101, 102, 103), "abc", strict=True)},
    ),
    "Gradescope": (
        {"assignment_7_export/submission_11/softmax.py": "a",
         "assignment_7_export/submission_12/softmax.py": "b",
         "assignment_7_export/submission_metadata.yml": METADATA},
        {"Ann Lee": {"softmax": "a"}, "José Díaz, Mary O'Brien": {"softmax": "b"}},
    ),
}  # fmt: skip


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

    @every_packing
    @pytest.mark.parametrize(
        ("shape", "times"),
        [
            ("Gradescope", ["2026-01-01T00:00:00Z", ""]),
            ("nbgrader", ["2026-01-31T22:00:00Z", ""]),
            ("a folder each", ["", ""]),
        ],
    )
    def test_says_when_it_was_handed_in(self, tmp_path, shape, times, packing):
        """If the platform says so: a file in a student's own folder is the student's word."""
        stamp = "2026-01-31 22:00:00.5 UTC"
        where = {"nbgrader": "submitted/ann/ps1", "a folder each": "ann/ps1"}.get(shape)
        files = SHAPES[shape][0] | ({f"{where}/timestamp.txt": stamp} if where else {})
        found = collect(download(tmp_path, packing, files), KNOWN)

        assert [one.handed_in for one in found] == times
        assert shape != "nbgrader" or "timestamp.txt" not in reasons(found)

    def test_says_that_a_time_is_not_understood(self, tmp_path):
        """Rather than nothing."""
        files = {"submitted/ann/ps1/softmax.py": "a", "submitted/ann/ps1/timestamp.txt": "noon"}
        found = collect(download(tmp_path, "folder", files) / "submitted", KNOWN)

        assert found[0].handed_in == ""
        assert "holds no time that is understood" in notes(found)["ann"]

    @every_packing
    @pytest.mark.parametrize("other", ["softmax", "attention"])
    def test_may_be_two_in_a_folder(self, tmp_path, packing, other):
        """Two names never become one submission."""
        files = {"hw1/Ann Lee/softmax.py": "a", f"hw1/Ben/{other}.py": "b", "list.csv": ""}
        found = collect(download(tmp_path, packing, files), KNOWN)

        assert modules(found) == {"Ann Lee": {"softmax": "a"}, "Ben": {other: "b"}}

    @pytest.mark.parametrize(
        "folders", [("week 1", "week2"), ("v1", "final"), ("softmax", "rest of it/src")]
    )
    def test_is_none_of_one_students_folders(self, tmp_path, folders):
        """Weeks, tries and exercises are nobody's names."""
        files = {f"ann/{folders[0]}/softmax.py": "a", f"ann/{folders[1]}/attention.py": "b"}
        found = collect(download(tmp_path, "folder", files), KNOWN)

        assert [one.name for one in found] == ["ann"]

    @every_packing
    def test_may_be_two_in_a_folder_with_a_note(self, tmp_path, packing):
        """No project has two names with the same exercise."""
        files = {"hw1/Ann Lee/softmax.py": "a", "hw1/Ben/softmax.py": "b", "hw1/README.txt": ""}
        found = collect(download(tmp_path, packing, files), KNOWN)

        assert modules(found) == {"Ann Lee": {"softmax": "a"}, "Ben": {"softmax": "b"}}

    @every_packing
    def test_keeps_names_that_begin_with_an_underscore(self, tmp_path, packing):
        """They are names as others are, but for what people call their drafts."""
        files = {"_under 1030/softmax.py": "a", "ben/softmax.py": "b", "_drafts/softmax.py": "no",
                 "__pycache__/softmax.py": "no", "_media/x.txt": ""}  # fmt: skip
        found = collect(download(tmp_path, packing, files), KNOWN)

        assert modules(found) == {"_under 1030": {"softmax": "a"}, "ben": {"softmax": "b"}}
        assert reasons(found).keys() == {"_drafts", "__pycache__", "_media"}

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
