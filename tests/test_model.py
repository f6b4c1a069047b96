"""The nouns say what belongs together."""

from __future__ import annotations

import unicodedata

import pytest

from grader.model import Submission


def of(student, student_id="", name="x"):
    return Submission(name, student, {}, student_id=student_id).drawn_for


class TestWhatIsDrawnForAStudent:
    @pytest.mark.parametrize(
        "spelling", ["josé díaz", "JOSÉ  DÍAZ ", unicodedata.normalize("NFD", "José Díaz")]
    )
    def test_depends_on_no_spelling(self, spelling):
        """Whoever renames or copies a folder changes no question."""
        assert of(spelling, name="another") == of("José Díaz")

    def test_depends_on_the_id_alone_where_there_is_one(self):
        """Also once a roster has given the name as it is written there."""
        assert of("leeann", "7") == of("Lee, Ann", "7") != of("Lee, Ann", "8")

    def test_differs_from_student_to_student(self):
        """A name is no id."""
        assert len({of("Ann"), of("Ben"), of("Anne"), of("7"), of("Ann", "7")}) == 5
