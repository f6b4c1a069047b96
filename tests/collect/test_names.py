"""Names stay as they are, as far as file systems and terminals can take them."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from grader.collect import collect
from grader.collect.names import clean_name, shown, told_apart
from grader.model import Submission
from tests.collect.downloads import KNOWN, download, modules, zip_of


class TestCleanNames:
    @pytest.mark.parametrize(
        "name",
        ["Ann Lee", "Zoë", "ann@uni.edu", "O'Brien", "d’Arc", "नेहा",
         "می\u200cخواهم", "Lee (2)", "a;b", "=1+1", "[bold]"],
    )  # fmt: skip
    def test_keep_what_belongs_to_a_name(self, name):
        """Combining marks, apostrophes and joiners are part of how people spell themselves."""
        assert clean_name(name) == name

    def test_are_composed(self):
        """macOS takes letters and accents apart; a roster does not."""
        apart = unicodedata.normalize("NFD", "café")

        assert len(apart) == 5
        assert clean_name(apart) == "café"

    @pytest.mark.parametrize(
        ("name", "expected"),
        [
            ("a|b", "a_b"),
            ("a\\b", "a_b"),
            ("line\nbreak", "line_break"),
            ("\x1b[2J", "_[2J"),
            ("<b>", "_b_"),
            ("\u202etxt.exe", "_txt.exe"),
            ("\udcff", "_"),
            ("no\u00a0break", "no break"),
            (".hidden", "_hidden"),
            ("..", "_."),
            (" ", "_"),
        ],
    )
    def test_lose_what_could_do_harm(self, name, expected):
        """What moves a cursor, turns a line round, or leads to another place is replaced."""
        assert clean_name(name) == expected

    @given(st.text(st.characters(exclude_categories=()), max_size=40))
    def test_are_safe_whatever_they_were(self, name):
        """One line, no path, never empty, and cleaning twice changes nothing."""
        clean = clean_name(name)

        assert clean
        assert len(clean.splitlines()) == 1
        assert not set(clean) & set("/\0\x1b\\")
        assert clean.encode()
        assert clean_name(clean) == clean


def test_a_path_can_always_be_written(tmp_path):
    """Linux takes bytes that are no text for a name; they are spelled out."""
    path = shown(tmp_path / "b\udcffc")

    assert path == f"{tmp_path}/b\\xffc"
    assert json.dumps(path).encode()


NAMES = st.text(st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), min_size=1)


class TestNoTwoStudents:
    @given(st.lists(st.tuples(NAMES, st.sampled_from(["", "1", "2"])), max_size=8))
    def test_share_a_name(self, students):
        """However they are spelled, and on every file system."""
        submissions = [Submission(name, name, {}, student_id=id) for name, id in students]
        names = [one.name for one in told_apart(submissions)]

        assert len({unicodedata.normalize("NFKC", name).casefold() for name in names}) == len(names)

    @given(st.lists(st.integers(1, 30), min_size=1, max_size=6, unique=True), st.data())
    @settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
    def test_become_one(self, tmp_path, ids, data):
        """As many submissions as students, also of one name, each with its own text."""
        who = st.sampled_from(["Wei Chen", "प्रिया शर्मा", "प्रीया शर्मा", "O'Brien", "José", "José"])
        files = {f"{data.draw(who)}_{id}_assignsubmission_file_/softmax.py": str(id) for id in ids}
        (tmp_path / "class.zip").write_bytes(zip_of(files))
        found = collect(tmp_path / "class.zip", KNOWN)

        assert {one.student_id: one.files["softmax"] for one in found} == {
            str(id): str(id) for id in ids
        }
        assert len({one.name for one in found}) == len(ids)

    def test_of_one_name_lose_their_ids(self, tmp_path):
        """The id stands in the name only where it is needed."""
        files = {
            "Wei Chen_1_assignsubmission_file_/softmax.py": "a",
            "Wei Chen_2_assignsubmission_file_/softmax.py": "b",
            "Zoë_3_assignsubmission_file_/softmax.py": "z",
        }
        found = collect(download(tmp_path, "zip", files), KNOWN)

        assert [one.name for one in found] == ["Wei Chen 1", "Wei Chen 2", "Zoë"]
        assert [one.student for one in found] == ["Wei Chen", "Wei Chen", "Zoë"]

    def test_have_names_too_long_for_a_tar(self, tmp_path):
        """Names of 252 bytes and more are names."""
        long = "é" * 126
        files = {f"{long}/softmax.py": "a", f"{long}x/softmax.py": "b"}

        assert set(modules(collect(download(tmp_path, "zip", files), KNOWN))) == {long, long + "x"}

    def test_have_names_that_a_file_system_takes_for_one(self, tmp_path):
        """Two submissions never share a report, also where case does not count in file names."""
        files = {"Ann.py": "1", "ann/softmax.py": "2", "ann.zip": zip_of({"softmax.py": "3"})}
        found = collect(download(tmp_path, "folder", files), KNOWN)

        assert [s.files["softmax"] for s in found] == ["1", "2", "3"]
        assert [s.name for s in found] == ["Ann", "ann 2", "ann 3"]
        assert [s.student for s in found] == ["Ann", "ann", "ann"]
