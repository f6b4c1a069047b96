"""Packs among what was handed in: read as any archive, whatever became of them on the way."""

from __future__ import annotations

import json

import pytest

from grader.collect import collect, collect_one
from grader.collect.packs import MAX_CLAIMS_BYTES, UNREADABLE
from grader.collect.reasons import NOBODYS, PACK, PACKED_AGAIN, is_pack
from tests.collect.downloads import (
    KNOWN,
    METADATA,
    download,
    every_packing,
    modules,
    reasons,
    tar_of,
    zip_of,
)

CLAIMS = 'schema = "pack/v1"\n'
EARLIER = CLAIMS + 'grader = "0"\n'
FILES = {"softmax.py": "a", "helper.py": "h", PACK: CLAIMS}
MINE = zip_of(FILES)
FIRST_TRY = zip_of({"softmax.py": "stub", "attention.py": "aa", PACK: EARLIER})
BEN = {"softmax": "b"}


def within(folder, files=FILES):
    return {f"{folder}{name}": text for name, text in files.items()}


# What becomes of ann's pack until it is collected, beside somebody else's module.
SHAPES = {
    "a pack each": {"ann.zip": MINE, "ben.py": "b", "ben.zip": zip_of({"softmax.py": "b"})},
    "renamed by Canvas": {"ann_LATE_1_90_ps-1-2.zip": MINE, "ben_2_91_softmax.py": "b"},
    "opened before Canvas": {**within("ann_1_90_"), "ben_2_91_softmax.py": "b"},
    "numbered by Canvas": {
        "ann_1_90_softmax-1.py": "a", "ann_1_91_grader-pack-1.toml": CLAIMS,
        "ann_1_92_helper.py": "h", "ben_2_91_softmax.py": "b",
    },
    "Moodle": {
        "ann_1_assignsubmission_file_/ps (1).zip": MINE,
        "ben_2_assignsubmission_file_/softmax.py": "b",
    },
    "Moodle without folders": {
        "ann_1_assignsubmission_file_ps.zip": MINE, "ben_2_assignsubmission_file_softmax.py": "b",
    },
    "nbgrader": {"submitted/ann/ps/ps.zip": MINE, "submitted/ben/ps/softmax.py": "b"},
    "a zip in a zip": {"ann.zip": zip_of({"PS.ZIP": MINE}), "ben/softmax.py": "b"},
    "a zip in a tar": {"ann.tgz": tar_of({"x/ps.zip": MINE}, "w:gz"), "ben/softmax.py": "b"},
    "unpacked": {**within("ann/"), "ben/softmax.py": "b"},
    "unpacked into a folder": {**within("ann/ps/"), "ben/softmax.py": "b"},
    "packed anew on macOS": {
        "ann.zip": zip_of({**within("ps/"), "__MACOSX/ps/._softmax.py": b"\0\5"}),
        "ben/softmax.py": "b",
    },
    "a text file, says the browser": {
        "ann/softmax.py.txt": "a", "ann/helper.py": "h", f"ann/{PACK}.txt": CLAIMS,
        "ben/softmax.py": "b",
    },
}  # fmt: skip


def claims(found):
    """By the name of the submission."""
    names = {one.path: one.name for one in found}
    return {names[path]: text for path, text in found.claims.items()}


class TestOnItsWay:
    @pytest.mark.parametrize("packing", ["folder", "zip", "tgz"])
    @pytest.mark.parametrize("shape", SHAPES)
    def test_it_stays_whole(self, tmp_path, shape, packing):
        """Its modules, and what it claims; nobody hears that a file of it is not graded."""
        found = collect(download(tmp_path, packing, SHAPES[shape]), KNOWN)
        ann = next(one for one in found if one.name == "ann")

        assert {name: ann.files[name] for name in ("softmax", "helper")} == {
            "softmax": "a", "helper": "h",
        }  # fmt: skip
        assert claims(found) == {"ann": CLAIMS}
        assert [name for name in reasons(found) if "pack" in name] == []

    def test_by_itself_it_is_one_submission(self, tmp_path):
        """As somebody looks at it alone."""
        path = tmp_path / "ps.zip"
        path.write_bytes(MINE)
        found = collect(path, KNOWN)

        assert modules(found) == {"ps": {"softmax": "a"}}
        assert claims(found) == {"ps": CLAIMS}

    def test_gradescope_opens_it(self, tmp_path):
        """The student is named by the platform."""
        files = {**within("submission_11/"), "submission_metadata.yml": METADATA}
        found = collect(download(tmp_path, "zip", files), KNOWN)

        assert claims(found) == {"Ann Lee": CLAIMS}


class TestPackedAgain:
    @pytest.mark.parametrize(
        ("first", "later"),
        [
            ("ann_1_90_ps-1.zip", "ann_1_95_ps-1-1.zip"),
            ("ann_1_90_ps.zip", "ann_1_95_ps.zip"),
            ("ann/ps.zip", "ann/ps (1).zip"),
            ("ann_1_95_ps-9.zip", "ann_1_90_ps-10.zip"),
        ],
    )
    @every_packing
    def test_the_later_one_counts(self, tmp_path, first, later, packing):
        """Also of its claims."""
        files = {first: zip_of({"softmax.py": "stub", PACK: EARLIER}), later: MINE}
        beside = {"ben_2_9_softmax.py": "b"} if "_" in first else {"ben/softmax.py": "b"}
        found = collect(download(tmp_path, packing, files | beside), KNOWN)

        assert modules(found) == {"ann": {"softmax": "a"}, "ben": BEN}
        assert claims(found) == {"ann": CLAIMS}

    def test_a_notebook_stands_for_the_page_before(self, tmp_path):
        """Somebody went on there, and what is imported now is in the later pack."""
        cell = {"cell_type": "code", "source": "b", "metadata": {"nbgrader": {"grade_id": "s"}}}
        later = zip_of({"softmax.ipynb": json.dumps({"cells": [cell]}), PACK: CLAIMS})
        files = {"ann/a.zip": MINE, "ann/a-1.zip": later, "ben/softmax.py": "b"}
        place = download(tmp_path, "folder", files)
        found = collect(place, KNOWN, pages=lambda name: [("s", None)])

        assert found[0].files == {"softmax": "b\n"}

    def test_what_only_the_earlier_one_has_stays(self, tmp_path):
        """Two packs may be of two assignments; the rest of the earlier one is told."""
        files = {"ann/a.zip": FIRST_TRY, "ann/a-1.zip": MINE, "ben/softmax.py": "b"}
        found = collect(download(tmp_path, "folder", files), KNOWN)

        assert modules(found)["ann"] == {"softmax": "a", "attention": "aa"}
        assert reasons(found) == {"softmax.py": PACKED_AGAIN}

    def test_archives_that_are_no_packs_contradict_each_other(self, tmp_path):
        """Nothing says which of them is meant."""
        plain = [zip_of({"softmax.py": text}) for text in "ab"]
        files = {"ann/a.zip": plain[0], "ann/a-1.zip": plain[1], "ben/softmax.py": "b"}
        found = collect(download(tmp_path, "folder", files), KNOWN)

        assert {one.name: one.problems["softmax"].kind for one in found if one.problems} == {
            "ann": "several"
        }


class TestClaims:
    @pytest.mark.parametrize("raw", [b"", b"#" * (MAX_CLAIMS_BYTES + 1)], ids=["none", "too many"])
    def test_are_no_longer_than_need_be(self, tmp_path, raw):
        """Nobody's machine is filled with them."""
        files = {"ann/softmax.py": "a", f"ann/{PACK}": raw, "ben/softmax.py": "b"}

        assert claims(collect(download(tmp_path, "zip", files), KNOWN)) == {"ann": UNREADABLE}

    def test_alone_are_no_submission_of_anything(self, tmp_path):
        """They are no text of a module, whatever is handed in with them."""
        files = {f"ann_1_90_{PACK}": CLAIMS, "ben_2_91_softmax.py": "b"}
        found = collect(download(tmp_path, "zip", files), KNOWN)

        assert modules(found) == {"ann": {}, "ben": BEN}

    def test_beside_students_are_nobodys(self, tmp_path):
        """They make no student of their own."""
        files = {PACK: CLAIMS, "ann/softmax.py": "a", "ben/softmax.py": "b"}
        found = collect(download(tmp_path, "zip", files), KNOWN)

        assert [one.name for one in found] == ["ann", "ben"]
        assert reasons(found) == {PACK: NOBODYS}

    @pytest.mark.parametrize("name", ["my-grader-pack.toml", "grader-pack.toml.py", "pack.toml"])
    def test_are_known_by_their_name(self, name):
        """Another file is what it is."""
        assert not is_pack(name)


class TestOnesOwnFolder:
    def test_a_pack_is_no_work(self, tmp_path):
        """What was packed once does not stand for a page that is gone."""
        folder = download(tmp_path, "folder", {"attention.py": "aa", "ps.zip": MINE})

        assert collect_one(folder, KNOWN).files == {"attention": "aa"}

    def test_a_pack_alone_is(self, tmp_path):
        """Whoever looks at what was handed in sees it."""
        folder = download(tmp_path, "folder", {"ps.zip": MINE})

        assert collect_one(folder, KNOWN).files == {"softmax": "a", "helper": "h"}
