"""A gradebook that Canvas exported comes back with one column filled, and nothing else changed."""

from __future__ import annotations

import csv
from dataclasses import replace

import pytest

from grader.collect.roster import read_roster_table
from grader.errors import GraderError
from grader.exports.canvas import canvas
from grader.model import Outcome

HEAD = "Student,ID,SIS User ID,SIS Login ID,Section,Softmax (77),Other (78),Final Score"
GRADEBOOK = f"""\
{HEAD}
,,,,,Manual Posting,,
    Points Possible,,,,,20,5,(read only)
"Lee, Ann",101,u1,ann.lee@x.edu,A,,4,80
"Müller, Bén",102,u2,ben@x.edu,A,3,5,90
"O'Neil, Zoë",103,u3,zoe@x.edu,B,1,,70
"Student, Test",109,,,A,,,
"""


@pytest.fixture
def gradebook(tmp_path):
    """``gradebook(text)``: the roster in a file with this text."""

    def gradebook(text=GRADEBOOK):
        path = tmp_path / "gradebook.csv"
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return read_roster_table(path)

    return gradebook


def rows(text, separator=","):
    return list(csv.reader(text.splitlines(), delimiter=separator))


@pytest.fixture
def of(report, verdict):
    """``of("ann", 7)``: a submission with so many of 20 points."""

    def of(name, points, path="", student=None):
        rest = [verdict(Outcome.FAILED, 20.0 - points)] if points < 20 else []
        return report(name, student=student, path=path, softmax=[verdict(points=points), *rest])

    return of


class TestTheGradebook:
    def test_is_filled_in_one_column(self, gradebook, of):
        """By what Canvas calls the student; every other cell and row is as it was."""
        found = canvas(gradebook(), [of("Ann Lee", 7.0)], "Softmax", scale=False)
        before, after = rows(GRADEBOOK), rows(found.text)

        assert after[3][5] == "7"
        after[3][5] = before[3][5]
        assert after == before

    @pytest.mark.parametrize(
        "name",
        [
            "Lee, Ann", "Ann Lee", "ann lee", "leeann", "101", "u1", "ann.lee@x.edu", "ann.lee",
            "leeann_101_55_softmax.py", "x_LATE_101_102_softmax.py",
        ],
    )  # fmt: skip
    def test_knows_a_student_by_any_name(self, gradebook, of, name):
        """The number in a file's name is the first one: the second is the submission's."""
        found = canvas(gradebook(), [of(name, 7.0)], "Softmax", scale=False)

        assert rows(found.text)[3][5] == "7"

    @pytest.mark.parametrize("name", ["Be\u0301n Mu\u0308ller", "bén müller", "müllerbén"])
    def test_knows_letters_however_they_are_composed(self, gradebook, of, name):
        """macOS parts them."""
        found = canvas(gradebook(), [of(name, 7.0)], "Softmax", scale=False)

        assert rows(found.text)[4][5] == "7"

    def test_knows_the_name_of_the_file_as_well(self, gradebook, of):
        """Where the student's name was taken out of it."""
        one = of("x", 7.0, path="/class/neilzo_103_9_softmax (1).py")
        found = canvas(gradebook(), [one], "Softmax", scale=False)

        assert rows(found.text)[5][5] == "7"

    def test_leaves_what_it_says_nothing_about(self, gradebook, of, report, verdict):
        """An empty cell would delete the mark that Canvas has: who is not in the run, and who has
        no verdict, keeps what was there, and both are named.
        """
        unjudged = report("Bén Müller", softmax=[verdict(Outcome.INTERNAL, 20.0)])
        found = canvas(gradebook(), [unjudged], "Softmax", scale=False)

        assert [row[5] for row in rows(found.text)[3:]] == ["", "3", "1", ""]
        assert found.problems == ("Bén Müller: no mark, a check has no verdict",)
        assert found.remarks == (
            "Lee, Ann: in the roster, but not in the run",
            "O'Neil, Zoë: in the roster, but not in the run",
            "Student, Test: in the roster, but not in the run",
        )

    def test_says_who_is_not_in_it(self, gradebook, of):
        """And writes that mark nowhere."""
        found = canvas(gradebook(), [of("Cleo", 7.0)], "Softmax", scale=False)

        assert rows(found.text) == rows(GRADEBOOK)
        assert found.problems == ("Cleo: is not in the roster",)

    def test_never_guesses(self, gradebook, of):
        """Two students of one name, and two submissions of one student, get no mark by that."""
        twins = GRADEBOOK + '"Lee, Ann",104,u4,al@x.edu,B,,,\n'
        one = canvas(gradebook(twins), [of("Ann Lee", 7.0)], "Softmax", scale=False)
        two = canvas(gradebook(), [of("u1", 7.0), of("Ann Lee", 9.0)], "Softmax", scale=False)

        assert rows(one.text) == rows(twins)
        assert one.problems == ("Ann Lee: fits several rows of the roster",)
        assert rows(two.text) == rows(GRADEBOOK)
        assert two.problems == ("u1, Ann Lee: all of them fit Lee, Ann, so none was written",)

    def test_believes_no_number_against_a_name(self, gradebook, of):
        """Whoever named that file: these are two people."""
        one = of("Ann Lee", 7.0, path="/class/annlee_102_9_softmax.py")
        found = canvas(gradebook(), [one], "Softmax", scale=False)

        assert rows(found.text) == rows(GRADEBOOK)
        assert found.problems == ("Ann Lee: fits several rows of the roster",)

    def test_knows_the_id_that_a_report_holds(self, gradebook, of):
        """It is the platform's own, and surer than any name."""
        one = replace(of("annette", 7.0), student_id="101")
        found = canvas(gradebook(), [one], "Softmax", scale=False)

        assert rows(found.text)[3][5] == "7"

    def test_gives_a_group_the_same_mark(self, gradebook, of):
        """Each member has a row; one who is not in the roster leaves the whole to a person."""
        both = of("Ann Lee, Bén Müller", 7.0)
        found = canvas(gradebook(), [both], "Softmax", scale=False)
        other = canvas(gradebook(), [of("Ann Lee, Cleo", 7.0)], "Softmax", scale=False)

        assert [row[5] for row in rows(found.text)[3:]] == ["7", "7", "1", ""]
        assert rows(other.text) == rows(GRADEBOOK)
        assert other.problems == ("Ann Lee, Cleo: is not in the roster",)

    def test_tells_twins_by_their_ids(self, gradebook, of):
        """An id is surer than a name."""
        twins = GRADEBOOK + '"Lee, Ann",104,u4,al@x.edu,B,,,\n'
        found = canvas(gradebook(twins), [of("Ann Lee", 7.0, "/c/leeann_104_9_x.py")], "Softmax",
                       scale=False)  # fmt: skip

        assert [row[5] for row in rows(found.text)[3:]] == ["", "3", "1", "", "7"]

    def test_may_have_semicolons_and_a_byte_order_mark(self, gradebook, of):
        """As Canvas writes it where commas are decimal."""
        text = "\ufeff" + GRADEBOOK.replace('"', "").replace(", ", " ").replace(",", ";")
        found = canvas(gradebook(text), [of("101", 7.5)], "Softmax (77)", scale=False)

        assert rows(found.text, ";")[0][0] == "Student"
        assert rows(found.text, ";")[3][5] == "7.5"


class TestTheColumn:
    def test_is_made_where_there_is_none(self, gradebook, of):
        """Canvas makes an assignment of a title without a number; it needs its points."""
        found = rows(canvas(gradebook(), [of("101", 7.0)], "New", scale=False).text)

        assert [row[8] for row in found] == ["New", "", "20", "7", "", "", ""]

    def test_is_made_with_the_row_of_points(self, gradebook, of):
        """In a roster that has none."""
        roster = gradebook(f"{HEAD}\nAnn,101,,,,,,\n")
        found = rows(canvas(roster, [of("101", 7.0)], "New", scale=False).text)

        assert found[1][0] == "    Points Possible"
        assert [row[8] for row in found] == ["New", "20", "7"]

    def test_is_scaled_when_asked(self, gradebook, of):
        """Without it, that the points differ is said."""
        text = GRADEBOOK.replace(",20,5,", ",50,5,")
        plain = canvas(gradebook(text), [of("101", 7.0)], "Softmax", scale=False)
        scaled = canvas(gradebook(text), [of("101", 7.0)], "Softmax", scale=True)

        assert rows(plain.text)[3][5] == "7"
        assert any("worth 50 points and the run 20" in note for note in plain.remarks)
        assert rows(scaled.text)[3][5] == "17.5"
        assert not any("worth" in note for note in scaled.remarks)

    @pytest.mark.parametrize(
        ("text", "assignment", "why"),
        [
            ("Name,Mark\nAnn,1\n", "Softmax", "no gradebook of Canvas"),
            (GRADEBOOK, "Final Score", "read only"),
            (GRADEBOOK.replace("Other (78)", "Softmax (78)"), "Softmax", "with its number"),
            (GRADEBOOK.replace("Other (78)", "Softmax (77)"), "Softmax (77)", "2 columns"),
        ],
    )
    def test_is_refused_in_a_sentence(self, gradebook, of, text, assignment, why):
        """Before a mark stands in a wrong one."""
        with pytest.raises(GraderError, match=why):
            canvas(gradebook(text), [of("101", 7.0)], assignment, scale=False)


class TestARoster:
    @pytest.mark.parametrize("content", [b"", b"Student,ID\n\xff\xfe,1\n", b'Student,ID\n"Ann,1'])
    def test_that_is_no_table_is_refused(self, gradebook, content):
        """Empty, in another encoding, cut off."""
        with pytest.raises(GraderError, match=r"gradebook\.csv"):
            gradebook(content)

    def test_must_exist(self, tmp_path):
        """In a sentence too."""
        with pytest.raises(GraderError, match="cannot be read"):
            read_roster_table(tmp_path / "none.csv")
