"""A class in the shape of every platform: whose everything is, and which attempt counts."""

from __future__ import annotations

import pytest

from grader.collect import collect, read_roster, tied
from tests.collect.downloads import download
from tests.collect.platforms import NOBODY, PLATFORMS, table
from tests.collect.students import BROKEN, SLIP, STUB, VARIANT, Cell, Work, a_class

STUDENTS = 17  # one of each script
KNOWN = ("softmax", "attention", "multi_head_attention")
PAGES = dict.fromkeys(KNOWN, (("given-1", "import torch"), ("solution", None)))
WORKS = [
    Work(name, kind, "", (Cell("given-1", "import torch", False), Cell("solution", kind, True)))
    for name in KNOWN
    for kind in (VARIANT, SLIP, STUB, BROKEN)
]


@pytest.fixture(params=PLATFORMS)
def platform(request):
    return PLATFORMS[request.param]


def found_in(platform, students, place):
    """All that is collected, with the roster."""
    roster = place / "roster.csv"
    roster.write_text(table(platform.roster(students)), encoding="utf-8")
    place = download(place, platform.packing, platform.files(students))
    return tied(collect(place, KNOWN, pages=PAGES.get), read_roster(roster))


@pytest.mark.parametrize("seed", [1])
class TestAClass:
    def test_is_found_whole(self, platform, seed, tmp_path):
        """Nobody is missing and nobody comes twice, under the name and id of the roster, and with
        what the platform says of the time.
        """
        students = a_class(STUDENTS, WORKS, seed)
        found = found_in(platform, students, tmp_path)

        assert sorted((s.student_id, s.student, s.late, s.handed_in) for s in found) == sorted(
            (e.id, e.name, e.late, e.handed_in) for e in platform.expected(students).values()
        )

    def test_has_its_last_attempts(self, platform, seed, tmp_path):
        """Each exercise is the student's own, and what they handed in last."""
        students = a_class(STUDENTS, WORKS, seed)
        found = {s.student_id: s for s in found_in(platform, students, tmp_path)}

        for number, expected in platform.expected(students).items():
            marks = {n: expected.student.marked(n) for n in expected.student.works}
            texts = {n: t.rpartition("# ")[2].strip() for n, t in found[number].files.items()}
            assert {n: texts[n] for n in texts if n in KNOWN} == marks

    def test_tells_who_is_absent(self, platform, seed, tmp_path):
        """And of those who are there nobody is doubtful."""
        students = a_class(STUDENTS, WORKS, seed)
        found = found_in(platform, students, tmp_path)
        doubts = [note.says for note in found.notes if "roster" in note.says]

        assert {who for who in found.absent if NOBODY not in who} == platform.absent(students)
        assert [NOBODY in who for who in found.absent].count(True) == 1
        assert doubts == []

    def test_has_a_reason_for_what_is_not_graded(self, platform, seed, tmp_path):
        """Who handed in no module that is read is told why."""
        students = a_class(STUDENTS, WORKS, seed)
        found = found_in(platform, students, tmp_path)
        there = {one.student_id: one for one in found}
        told = [one.path for one in found.ignored]

        for expected in platform.expected(students).values():
            one = there[expected.id]
            assert expected.student.works or not set(KNOWN) & set(one.files)
            if expected.is_unread:
                assert one.problems or any(path.startswith(one.path) for path in told)
