"""A roster is read in the form that each platform gives it."""

from __future__ import annotations

import pytest

from grader.collect.roster import read_roster, read_roster_table
from grader.errors import CollectError

CANVAS = """\ufeffStudent,ID,SIS User ID,SIS Login ID,Section,Homework 1 (77)
    Points Possible,,,,,10
"Lee, Ann",12345,s1,alee,A,
"O'Brien, Seán",12346,s2,sobrien,A,
"Student, Test",99,,,A,
"""
MOODLE = """Identifier;Full name;Email address;Status
Participant 12345;Ann Lee;ann@uni.edu;Submitted
Participant 12346;Seán O'Brien;sean@uni.edu;No submission
"""
PARTICIPANTS = """First name,Last name,ID number,Email address
Ann,Lee,12345,ann@uni.edu
Seán,O'Brien,12346,sean@uni.edu
"""


@pytest.fixture
def roster(tmp_path):
    """``roster(text)`` reads it."""

    def roster(text):
        (tmp_path / "roster.csv").write_text(text, encoding="utf-8")
        return read_roster(tmp_path / "roster.csv")

    return roster


class TestRosters:
    @pytest.mark.parametrize(
        ("text", "names"),
        [
            (CANVAS, ["Lee, Ann", "O'Brien, Seán"]),
            (MOODLE, ["Ann Lee", "Seán O'Brien"]),
            (PARTICIPANTS, ["Ann Lee", "Seán O'Brien"]),
            ("12345,Ann Lee\n12346,Seán O'Brien\n", ["Ann Lee", "Seán O'Brien"]),
            ("id,name\n12345,Ann Lee\n12346,Seán O'Brien\n", ["Ann Lee", "Seán O'Brien"]),
            ("Student;ID;a, b, c, d (77)\nAnn Lee;12345\nBo;12346\n", ["Ann Lee", "Bo"]),
            ("identifier,github_username,name\n12345,a,\n12346,b,Bo\n", ["12345", "Bo"]),
        ],
    )
    def test_of_every_platform_are_read(self, roster, text, names):
        """With names and ids; rows that are no students are left out."""
        found = roster(text)

        assert [who.name for who in found] == names
        assert [who.id for who in found] == ["12345", "12346"]

    @pytest.mark.parametrize("text", ["", "\n\n", "x\n", "id,name\n"])
    def test_without_anybody_are_refused(self, roster, text):
        """An instructor who named another file is told so."""
        with pytest.raises(CollectError, match=r"roster\.csv names nobody"):
            roster(text)

    def test_that_are_no_text_are_refused(self, tmp_path):
        """In a sentence."""
        (tmp_path / "roster.csv").write_bytes(b"id,name\n1,\xff")
        with pytest.raises(CollectError, match="no CSV in UTF-8"):
            read_roster(tmp_path / "roster.csv")

    def test_that_were_cut_off_are_refused(self, roster):
        """Half of a class is no class."""
        with pytest.raises(CollectError, match="no CSV"):
            roster('id,name\n1,Ann\n2,"Bo')

    def test_that_are_too_large_are_refused(self, roster, monkeypatch):
        """And never read in part."""
        monkeypatch.setattr("grader.collect.table.MAX_BYTES", 20)
        with pytest.raises(CollectError, match="it is larger than"):
            roster("id,name\n12345,Ann Lee\n")

    def test_may_be_links(self, tmp_path):
        """An instructor named it: it is no part of what was handed in."""
        (tmp_path / "there.csv").write_text("id,name\n1,Ann\n")
        (tmp_path / "roster.csv").symlink_to(tmp_path / "there.csv")

        assert [who.id for who in read_roster(tmp_path / "roster.csv")] == ["1"]

    def test_know_further_names(self, roster):
        """Where the last name begins is said, or every place is tried."""
        (said,) = roster("First name,Last name\nAnn Bo,van Ek\n")
        (guessed,) = roster("id,name\n1,Ann Bo van Ek\n")

        assert "vanekannbo" in said.spellings & guessed.spellings


class TestTables:
    def test_are_kept_as_they_are(self, tmp_path):
        """But for empty lines: what a platform wrote, it reads again."""
        text = 'Student,ID\r\n\r\n    Points Possible,\r\n"Lee, Ann",1\r\n'
        (tmp_path / "table.csv").write_bytes(b"\xef\xbb\xbf" + text.encode())
        table = read_roster_table(tmp_path / "table.csv")

        assert table.head == ("Student", "ID")
        assert table.rows == (("    Points Possible", ""), ("Lee, Ann", "1"))
