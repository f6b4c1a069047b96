"""A roster ties submissions to students, and shows who handed in nothing."""

from __future__ import annotations

import unicodedata

import pytest

from grader.collect.place import Collected
from grader.collect.roster import Enrolled, read_roster, tied
from grader.errors import CollectError
from grader.model import Submission

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


def handed_in(student, student_id=""):
    return Submission(student, student, {}, path=f"class/{student}", student_id=student_id)


def tied_to(roster, *submissions):
    return tied(Collected(submissions), roster)


class TestRosters:
    @pytest.mark.parametrize(
        ("text", "names"),
        [
            (CANVAS, ["Lee, Ann", "O'Brien, Seán"]),
            (MOODLE, ["Ann Lee", "Seán O'Brien"]),
            (PARTICIPANTS, ["Ann Lee", "Seán O'Brien"]),
            ("12345,Ann Lee\n12346,Seán O'Brien\n", ["Ann Lee", "Seán O'Brien"]),
            ("id,name\n12345,Ann Lee\n12346,Seán O'Brien\n", ["Ann Lee", "Seán O'Brien"]),
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


class TestTied:
    @pytest.mark.parametrize(
        "submission",
        [
            handed_in("obrienseán", "12346"),
            handed_in("obrienseán"),
            handed_in("Seán O'Brien"),
            handed_in(unicodedata.normalize("NFD", "seán o'brien")),
            handed_in("Participant 12346", "12346"),
            handed_in("s2"),
            handed_in("ps1-sobrien"),
        ],
    )
    def test_by_id_or_name(self, roster, submission):
        """However the platform and the file system spell it."""
        found = tied_to(roster(CANVAS), submission)

        assert (found[0].student, found[0].student_id) == ("O'Brien, Seán", "12346")
        assert found[0].name == submission.name
        assert found.absent == ("Lee, Ann (12345)",)
        assert found.notes == ()

    def test_nobody_by_chance(self):
        """Two of one name are told apart by their ids, or not at all."""
        namesakes = [Enrolled("Wei Chen", ("1",)), Enrolled("Wei Chen", ("2",))]
        found = tied_to(namesakes, handed_in("Wei Chen", "2"), handed_in("Wei Chen"))

        assert [one.student_id for one in found] == ["2", ""]
        assert [note.says for note in found.notes] == [
            "several of the roster have this name, and no id tells which of them it is"
        ]
        assert found.absent == ("Wei Chen (1)",)

    def test_groups(self):
        """Who handed in together with others handed in."""
        roster = [Enrolled("Ann Lee", ("1",)), Enrolled("Zoë", ("2",)), Enrolled("Dan", ("3",))]
        found = tied_to(roster, handed_in("Ann Lee, Zoë"))

        assert found.absent == ("Dan (3)",)
        assert found.notes == ()

    def test_tells_what_does_not_fit(self):
        """Who is not on the roster, and who has two submissions, is for a person to look at."""
        roster = [Enrolled("Ann Lee", ("1",))]
        found = tied_to(roster, handed_in("Ann Lee", "1"), handed_in("ann lee"), handed_in("Eve"))

        assert [(note.path, note.says) for note in found.notes] == [
            ("class/ann lee", "the roster's Ann Lee has more than one submission"),
            ("class/Eve", "nobody of the roster has this id or name"),
        ]
        assert [one.student for one in found] == ["Ann Lee", "Ann Lee", "Eve"]
