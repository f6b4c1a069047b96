"""A class in the shape of every platform: whose everything is, and which attempt counts.

``tests/benchmarks/mixed_class.py`` grades such classes.
"""

from __future__ import annotations

import pytest

from grader.collect import collect, read_roster, tied
from tests.collect.downloads import download
from tests.collect.packed import NOBODY
from tests.collect.platforms import PLATFORMS, table
from tests.collect.students import BROKEN, SLIP, STUB, VARIANT, Cell, Work, a_class

STUDENTS, SEED = 17, 1  # one of each script
KNOWN = ("softmax", "attention", "multi_head_attention")
PAGES = dict.fromkeys(KNOWN, (("given-1", "import torch"), ("solution", None)))
WORKS = [
    Work(name, kind, "", (Cell("given-1", "import torch", False), Cell("solution", kind, True)))
    for name in KNOWN
    for kind in (VARIANT, SLIP, STUB, BROKEN)
]


@pytest.fixture(scope="module")
def students():
    return a_class(STUDENTS, WORKS, SEED)


@pytest.fixture(scope="module", params=PLATFORMS)
def platform(request):
    return PLATFORMS[request.param]


@pytest.fixture(scope="module")
def found(platform, students, tmp_path_factory):
    """All that is collected, with the roster."""
    place = tmp_path_factory.mktemp("class")
    roster = place / "roster.csv"
    roster.write_text(table(platform.roster(students)), encoding="utf-8")
    there = download(place, platform.packing, platform.files(students))
    return tied(collect(there, KNOWN, pages=PAGES.get), read_roster(roster))


class TestAClass:
    def test_is_found_whole(self, platform, students, found):
        """Nobody is missing and nobody comes twice, under the name and id of the roster, and with
        what the platform says of the time.
        """
        expected = platform.expected(students).values()

        assert sorted((s.student_id, s.student, s.late, s.handed_in) for s in found) == sorted(
            (one.id, one.name, one.late, one.handed_in) for one in expected
        )

    def test_has_its_last_attempts(self, platform, students, found):
        """Each exercise is the student's own, and what they handed in last."""
        there = {one.student_id: one for one in found}
        marks = {
            number: {name: text.rpartition("# ")[2].strip() for name, text in one.files.items()}
            for number, one in there.items()
        }

        for number, one in platform.expected(students).items():
            mine = {name: marks[number][name] for name in KNOWN if name in marks[number]}
            assert mine == {name: one.student.marked(name) for name in one.student.works}

    def test_tells_who_is_absent(self, platform, students, found):
        """And of those who are there nobody is doubtful."""
        doubts = [note.says for note in found.notes if "roster" in note.says]

        assert {who for who in found.absent if NOBODY not in who} == platform.absent(students)
        assert [NOBODY in who for who in found.absent].count(True) == 1
        assert doubts == []

    def test_has_a_reason_for_what_is_not_graded(self, platform, students, found):
        """Whoever handed in something that is not read is told why."""
        there = {one.student_id: one for one in found}
        told = [one.path for one in found.ignored]

        for one in platform.expected(students).values():
            path = there[one.id].path
            assert not one.is_unread or any(ignored.startswith(path) for ignored in told)
