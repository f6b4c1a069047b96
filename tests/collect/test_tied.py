"""Submissions are tied to the students of a roster, and who handed in nothing is shown."""

from __future__ import annotations

import unicodedata

import pytest

from grader.collect.found import Collected
from grader.collect.roster import Enrolled
from grader.collect.tied import tied
from grader.model import Submission

CLASS = [
    Enrolled("Lee, Ann", ("12345", "s1", "alee")),
    Enrolled("O'Brien, Seán", ("12346", "s2", "sobrien")),
]


def handed_in(student, student_id=""):
    return Submission(student, student, {}, path=f"class/{student}", student_id=student_id)


def tied_to(roster, *submissions):
    return tied(Collected(submissions), roster)


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
    def test_by_id_or_name(self, submission):
        """However the platform and the file system spell it."""
        found = tied_to(CLASS, submission)

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
            "several of the roster may be meant, and nothing tells which of them: "
            "Wei Chen (1), Wei Chen (2)"
        ]
        assert found.absent == ("Wei Chen (1)",)

    def test_groups(self):
        """Who handed in together with others handed in."""
        roster = [Enrolled("Ann Lee", ("1",)), Enrolled("Zoë", ("2",)), Enrolled("Dan", ("3",))]
        found = tied_to(roster, handed_in("Ann Lee, Zoë"))

        assert found.absent == ("Dan (3)",)
        assert found.notes == ()

    def test_a_last_name_and_a_first_name_as_one(self):
        """Also where two of the class are called so, each."""
        roster = [Enrolled("Lee", ("1",)), Enrolled("Ann", ("2",))]
        found = tied_to(roster, handed_in("Lee, Ann"))

        assert found.absent == ("Lee (1)", "Ann (2)")

    def test_groups_also_where_one_of_them_has_an_id(self):
        """Which is the group's then: nobody of it gets lost."""
        roster = [Enrolled("Ann Lee", ("1",)), Enrolled("Zoë", ("2",))]
        found = tied_to(roster, handed_in("Ann Lee, Zoë", "2"))

        assert found.absent == ()
        assert found[0].student == "Ann Lee, Zoë"

    def test_nobody_where_an_id_contradicts_the_name(self):
        """Whoever renamed that folder: these are two people."""
        found = tied_to(CLASS, handed_in("Ann Lee", "12346"))

        assert [note.says for note in found.notes] == [
            "several of the roster may be meant, and nothing tells which of them: "
            "Lee, Ann (12345), O'Brien, Seán (12346)"
        ]
        assert (found[0].student, found[0].student_id) == ("Ann Lee", "12346")

    @pytest.mark.parametrize(("name", "owner"), [("ps1-ann-lee", "1"), ("ps1-b-lee", "2")])
    def test_clones_by_the_whole_name_of_their_user(self, name, owner):
        """A user's name may hold a dash, and then its end may be another user's."""
        roster = [Enrolled("Ann", ("1", "ann-lee")), Enrolled("Bo", ("2", "lee"))]

        assert tied_to(roster, handed_in(name))[0].student_id == owner

    def test_a_report_by_the_id_it_begins_with(self):
        """If there is a digit in it: others may have a user's name for a first name."""
        roster = [Enrolled("Ann Lee", ("ab12", "ann"))]
        found = tied_to(roster, handed_in("ab12_my_report"), handed_in("ann_berg"))

        assert [one.student_id for one in found] == ["ab12", ""]

    def test_tells_what_does_not_fit(self):
        """Who is not on the roster, and who has two submissions, is for a person to look at."""
        roster = [Enrolled("Ann Lee", ("1",))]
        found = tied_to(roster, handed_in("Ann Lee", "1"), handed_in("ann lee"), handed_in("Eve"))

        assert [(note.path, note.says) for note in found.notes] == [
            ("class/ann lee", "the roster's Ann Lee has more than one submission"),
            ("class/Eve", "nobody of the roster has this id or name"),
        ]
        assert [one.student for one in found] == ["Ann Lee", "Ann Lee", "Eve"]
