"""Who is on the roster is in the gradebook, and nobody twice."""

from __future__ import annotations

import pytest

from grader.collect.roster import Enrolled


@pytest.fixture
def enrol(book, handed_in):
    """``enrol(Enrolled(...), ...)``: what is told, when ann's work is taken in beside them."""

    def enrol(*roster, **fields):
        ann = handed_in("ann", "Ann Lee", softmax=3, fields=fields)
        return book.add([ann], "ps1", "runs/ps1", "head", roster=roster)

    return enrol


class TestTheRoster:
    def test_has_a_row_for_each(self, enrol, marks, book):
        """Nothing handed in is 0 points, here and in totals."""
        taken = enrol(Enrolled("Ann Lee", ("7",)), Enrolled("Ben Ek", ("8",)), student_id="7")

        assert (taken.new, taken.absent, taken.notes) == (1, 1, ())
        assert marks() == {("Ann Lee", "ps1"): 3.0, ("Ben Ek", "ps1"): 0.0}
        assert [(t.points, t.worth) for t in book.totals()] == [(3.0, 4.0), (0.0, 4.0)]
        assert book.standings()[1].is_missing

    @pytest.mark.parametrize(
        "who",
        [
            Enrolled("Ann Lee", ("7",)),
            Enrolled("Lee, Ann"),
            Enrolled("Somebody", ("SIS1", "7")),
            Enrolled("ANN LEE", ("9",)),
        ],
    )
    def test_adds_nobody_who_is_there(self, enrol, marks, who):
        """By one of the ids, or by name, however it is spelled."""
        taken = enrol(who, student_id="7" if "7" in who.ids else "")

        assert taken.absent == 0
        assert list(marks()) == [("Ann Lee", "ps1")]

    def test_adds_each_once(self, enrol, marks):
        """Whoever takes the run in again, with the same roster."""
        found = [enrol(Enrolled("Ben Ek", ("8",))).absent for _ in range(2)]

        assert found == [1, 0]
        assert len(marks()) == 2

    def test_adds_none_who_might_be_there(self, enrol, marks):
        """Two Ann Lees, and nothing tells which of them handed in: that is said."""
        taken = enrol(Enrolled("Ann Lee", ("7",)), Enrolled("Ann Lee", ("8",)))

        assert list(marks()) == [("Ann Lee", "ps1")]
        assert "several of the roster may be meant" in taken.notes[0]

    def test_is_known_when_something_comes(self, enrol, add, handed_in, marks):
        """Under the same id, or the same name without one."""
        enrol(Enrolled("Ben Ek", ("8",)), Enrolled("Cyd Ma"))
        add("ps1", handed_in("ben", "Ben Ek", softmax=2, fields={"student_id": "8"}))
        add("ps1", handed_in("Cyd Ma", softmax=1))

        assert marks() == {
            ("Ann Lee", "ps1"): 3.0, ("Ben Ek", "ps1"): 2.0, ("Cyd Ma", "ps1"): 1.0,
        }  # fmt: skip
