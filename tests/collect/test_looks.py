"""How folders look: students beside one another, or what one student made."""

from __future__ import annotations

import pytest

from grader.collect import collect
from tests.collect.downloads import KNOWN, download, every_packing, modules, reasons


class TestAFolder:
    @every_packing
    @pytest.mark.parametrize("other", ["softmax", "attention"])
    def test_may_be_two_in_a_folder(self, tmp_path, packing, other):
        """Two names never become one submission."""
        files = {"hw1/Ann Lee/softmax.py": "a", f"hw1/Ben/{other}.py": "b", "list.csv": ""}
        found = collect(download(tmp_path, packing, files), KNOWN)

        assert modules(found) == {"Ann Lee": {"softmax": "a"}, "Ben": {other: "b"}}

    @every_packing
    def test_may_be_two_in_a_folder_with_a_note(self, tmp_path, packing):
        """No project has two names with the same exercise."""
        files = {"hw1/Ann Lee/softmax.py": "a", "hw1/Ben/softmax.py": "b", "hw1/README.txt": ""}
        found = collect(download(tmp_path, packing, files), KNOWN)

        assert modules(found) == {"Ann Lee": {"softmax": "a"}, "Ben": {"softmax": "b"}}

    @pytest.mark.parametrize(
        "folders", [("week 1", "week2"), ("v1", "final"), ("softmax", "rest of it/src")]
    )
    def test_is_none_of_one_students_folders(self, tmp_path, folders):
        """Weeks, tries and exercises are nobody's names."""
        files = {f"ann/{folders[0]}/softmax.py": "a", f"ann/{folders[1]}/attention.py": "b"}
        found = collect(download(tmp_path, "folder", files), KNOWN)

        assert [one.name for one in found] == ["ann"]

    @every_packing
    def test_keeps_names_that_begin_with_an_underscore(self, tmp_path, packing):
        """They are names as others are, but for what people call their drafts."""
        files = {"_under 1030/softmax.py": "a", "ben/softmax.py": "b", "_drafts/softmax.py": "no",
                 "__pycache__/softmax.py": "no", "_media/x.txt": ""}  # fmt: skip
        found = collect(download(tmp_path, packing, files), KNOWN)

        assert modules(found) == {"_under 1030": {"softmax": "a"}, "ben": {"softmax": "b"}}
        assert reasons(found).keys() == {"_drafts", "__pycache__", "_media"}
