"""Reports become attempts, each once."""

from __future__ import annotations

from dataclasses import replace

import pytest

from grader.errors import GradebookError


class TestARun:
    def test_taken_in_twice_changes_nothing(self, add, handed_in, book):
        """Whoever is not sure does it again."""
        reports = [handed_in("ann", softmax=3), handed_in("ben", softmax=None)]
        first = add("ps1", *reports)
        before = book.history("ann").attempts
        second = add("ps1", *reports)

        assert (first.new, first.known) == (2, 0)
        assert (second.new, second.known) == (0, 2)
        assert [one.id for one in book.history("ann").attempts] == [one.id for one in before]

    def test_keeps_what_a_mark_rests_on(self, add, handed_in, book):
        """Whose, when, with which seed, of which text, and where its report is."""
        fields = {"student_id": "7", "late": True, "handed_in": "2026-01-01T10:00:00+01:00"}
        add("ps1", handed_in("ann", fields=fields, softmax=3, masks=1))
        (found,) = book.history("7").attempts

        assert (found.submission, found.late, found.handed_in) == ("ann", True, fields["handed_in"])
        assert (found.seed, found.graded_at) == ("987654321", "2026-01-02T03:04:05Z")
        assert (found.score, found.max_score, found.run) == (4.0, 8.0, "runs/ps1")
        assert found.digests == {"softmax": "sha256:ann"}
        assert len(found.digest) == len("sha256:") + 64
        assert [(e.name, e.score, e.max_score) for e in found.exercises] == [
            ("softmax", 3.0, 4.0),
            ("masks", 1.0, 4.0),
        ]

    def test_without_verdict_has_no_number(self, add, handed_in, book):
        """Neither in the exercise nor in the whole."""
        add("ps1", handed_in("ann", softmax=None, masks=4))
        (found,) = book.history("ann").attempts

        assert found.score is None
        assert [one.score for one in found.exercises] == [None, 4.0]

    def test_weighed_anew_is_kept_beside(self, add, handed_in, marks, verdict, report):
        """The same grading with other weights; weighed back, it counts as it did at first."""
        first = handed_in("ann", softmax=3)
        other = replace(first, exercises=handed_in("ann", softmax=1).exercises)
        found = []
        for one in (first, other, first, first):
            add("ps1", one)
            found.append(marks()["ann", "ps1"])

        assert found == [3.0, 1.0, 3.0, 3.0]

    def test_of_other_exercises_is_told(self, add, handed_in):
        """It may belong to another assignment."""
        add("ps1", handed_in("ann", softmax=1, masks=1))
        taken = add("ps1", handed_in("ben", softmax=1, dropout=1))

        assert taken.notes == (
            "masks: in this assignment so far, but not in this run",
            "dropout: in this run, but not in this assignment so far",
        )

    def test_goes_into_the_assignment_however_it_is_spelled(self, add, handed_in, marks):
        """``PS1`` is no second one."""
        add("Übung  1", handed_in("ann", softmax=1))
        add("ÜBUNG 1", handed_in("ben", softmax=2))

        assert marks() == {("ann", "Übung 1"): 1.0, ("ben", "Übung 1"): 2.0}

    @pytest.mark.parametrize(("name", "counts"), [(" ", None), ("ps1", "worst")])
    def test_is_refused_without_a_name_or_a_rule(self, add, handed_in, book, name, counts):
        """And nothing of it is kept."""
        with pytest.raises(GradebookError):
            add(name, handed_in("ann", softmax=1), counts=counts)

        assert book.standings() == []
