"""Whose report it is."""

from __future__ import annotations

import pytest

from grader.errors import GradebookError
from grader.gradebook.identity import described, the_student


@pytest.fixture
def students(book):
    """``students()``: who is in the gradebook, as they are told apart."""
    return lambda: sorted({described(one.student) for one in book.standings()})


def known_as(number):
    return {"student_id": number}


class TestAStudent:
    def test_is_known_by_the_platform_s_id(self, add, handed_in, students):
        """Whatever the name is spelled like; a name that differs is told."""
        add("ps1", handed_in("ann", "Ann Lee", fields=known_as("S7"), softmax=1))
        taken = add("ps2", handed_in("ann", "Ann Lee-Kim", fields=known_as("s7"), softmax=1))

        assert students() == ["Ann Lee (id S7)"]
        assert taken.notes == ("ann: id s7 is Ann Lee (id S7) in the gradebook, and Ann Lee-Kim "
                               "in the run",)  # fmt: skip

    @pytest.mark.parametrize(
        ("first", "then"),
        [("José", "Jose\u0301"), ("ANN LEE", "Ann  Lee"), ("Straße", "STRASSE"), ("李明", "李明")],
    )
    def test_is_known_by_name_without(self, add, handed_in, students, first, then):
        """Composed or not, in capitals or not; the same every time, so nothing is told."""
        add("ps1", handed_in(first, softmax=1))
        taken = add("ps2", handed_in(then, softmax=1))

        assert students() == [first]
        assert taken.notes == ()

    def test_with_another_id_is_another_one(self, add, handed_in, students):
        """Two Wei Chens in one class are usual; that there are two is told."""
        wei = [handed_in(f"wei {n}", "Wei Chen", fields=known_as(n), softmax=1) for n in "12"]
        taken = add("ps1", *wei)

        assert students() == ["Wei Chen (id 1)", "Wei Chen (id 2)"]
        assert taken.notes == ("wei 2: a student of their own; the gradebook has the same name for "
                               "Wei Chen (id 1)",)  # fmt: skip

    def test_with_another_submission_beside_it_is_another_one(self, add, handed_in, students):
        """Where no platform gave ids; and both are found again in the next run."""
        wei = [handed_in(name, "Wei Chen", softmax=1) for name in ("Wei Chen", "Wei Chen 2")]
        first, second = add("ps1", *wei), add("ps2", *wei)

        assert students() == ["Wei Chen", "Wei Chen (submission Wei Chen 2)"]
        assert (len(first.notes), second.notes) == (1, ())

    def test_who_gets_an_id_later_stays_one(self, add, handed_in, students):
        """The class was graded with a roster from the second time on; what was guessed is told."""
        add("ps1", handed_in("ann", "Ann Lee", softmax=1))
        taken = add("ps2", handed_in("x", "Ann Lee", fields=known_as("7"), softmax=1))

        assert students() == ["Ann Lee (id 7)"]
        assert taken.notes == (
            "x: taken for Ann Lee (submission ann), who alone has this name, here and in the run",
        )

    def test_who_comes_without_the_id_stays_one(self, add, handed_in, students):
        """One student graded again by hand, without the roster."""
        add("ps1", handed_in("ann", "Ann Lee", fields=known_as("7"), softmax=1))
        taken = add("ps1", handed_in("again", "Ann Lee", softmax=2))

        assert students() == ["Ann Lee (id 7)"]
        assert len(taken.notes) == 1

    def test_is_not_guessed_among_several(self, add, handed_in, students):
        """A mark in a wrong row is worse than one more row."""
        add("ps1", *[handed_in(name, "Wei Chen", softmax=1) for name in ("a", "b")])
        taken = add("ps2", handed_in("c", "Wei Chen", fields=known_as("7"), softmax=1))
        shown = ["Wei Chen (id 7)", "Wei Chen (submission a)", "Wei Chen (submission b)"]

        assert students() == shown
        assert (
            "the same name for Wei Chen (submission a), Wei Chen (submission b)" in (taken.notes[0])
        )

    def test_is_not_guessed_among_several_of_the_run(self, add, handed_in, students):
        """One of two new ones is the old one, and nobody knows which."""
        add("ps1", handed_in("a", "Wei Chen", softmax=1))
        wei = [handed_in(f"w{n}", "Wei Chen", fields=known_as(n), softmax=1) for n in "12"]
        taken = add("ps2", *wei)

        assert len(students()) == 3
        assert len(taken.notes) == 2


class TestACall:
    @pytest.fixture
    def class_of_three(self, add, handed_in, book):
        """Two of them are namesakes."""
        add(
            "ps1",
            handed_in("ann", "Ann Lee", fields=known_as("S7"), softmax=1),
            handed_in("Wei Chen", softmax=1),
            handed_in("wei 2", "Wei Chen", softmax=1),
        )
        return [one.student for one in book.standings()]

    @pytest.mark.parametrize("called", ["Ann Lee", "ann  lee", "s7", "ann"])
    def test_finds_one(self, class_of_three, called):
        """By name, id or submission, in capitals or not."""
        assert the_student(class_of_three, called).platform_id == "S7"

    def test_finds_by_drawn_id(self, class_of_three):
        """Namesakes too."""
        for student in class_of_three:
            assert the_student(class_of_three, student.drawn.lower()) is student

    def test_of_namesakes_is_refused(self, class_of_three):
        """With what tells them apart."""
        with pytest.raises(GradebookError, match=r"several: Wei Chen; Wei Chen \(submission wei"):
            the_student(class_of_three, "Wei Chen")

    @pytest.mark.parametrize("called", ["Bob", "", " "])
    def test_of_nobody_is_refused(self, class_of_three, called):
        """An id that nobody has is not that of all who have none."""
        with pytest.raises(GradebookError, match="Nobody in the gradebook"):
            the_student(class_of_three, called)
