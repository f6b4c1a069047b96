"""A patient is drawn, found again by its first lines, and judged."""

from __future__ import annotations

import pytest

from grader.course.course import Course, find_course
from grader.course.markers import without_markers
from grader.course.released import Facts, write_facts
from grader.course.suite_text import core_checks
from grader.errors import LearnerError
from grader.examiner.collection import collected
from grader.learner.patients import drawn, level_of, mended, patient_in, seed_for
from grader.pipeline import grade_all

COURSE = find_course()
SOFTMAX = without_markers(COURSE.solution("softmax").read_text(encoding="utf-8"))
STUDENTS = [f"student-{number:02}" for number in range(20)]


class TestAPatient:
    def test_is_the_page_with_one_slip(self):
        """At most two statements differ from the right page, and at least one."""
        for seed in range(30):
            found = drawn(COURSE, "softmax", 0, seed)

            assert found.text != SOFTMAX
            assert 1 <= found.smallest <= 2
            assert found.changed_in(found.text) == 0
            assert found.changed_in(SOFTMAX) == found.smallest

    def test_is_known_by_its_first_lines(self):
        """They say how it was drawn, and neither its name nor its sentence."""
        found = drawn(COURSE, "softmax", 2, 7)
        text = found.file("rows sum to 3.")

        assert patient_in(COURSE, text).entry.name == found.entry.name
        assert patient_in(COURSE, text).text == found.text
        assert "What was seen: rows sum to 3." in text
        assert found.entry.name not in text
        assert found.entry.sentence not in " ".join(text.split())
        assert "SOLUTION" not in text

    @pytest.mark.parametrize(
        "head",
        [
            "",
            "# grader clinic softmax\n",
            "# grader clinic ../x --level",
            "# grader clinic nothing --level 0 --seed 1\n",
        ],
    )
    def test_without_its_first_lines_is_nobodys(self, head):
        """Nothing is guessed."""
        with pytest.raises(LearnerError, match="how it was drawn"):
            patient_in(COURSE, head + SOFTMAX)

    def test_is_of_the_level_that_was_asked_for(self):
        """Levels are known from the bank alone, and each of them has patients somewhere."""
        core = core_checks(COURSE, "layer_norm")
        for level in (1, 2, 3):
            for seed in range(5):
                found = drawn(COURSE, "layer_norm", level, seed)

                assert level_of(found.entry, core) == level

    def test_of_a_level_that_is_empty_is_refused(self):
        """In a sentence that says what to do."""
        with pytest.raises(LearnerError, match="of level 9"):
            drawn(COURSE, "softmax", 9, 1)

    def test_needs_the_whole_house(self, tmp_path):
        """A folder that was given away holds no bank."""
        given = Course(tmp_path)
        write_facts(tmp_path, Facts("Given away", "1", "1"))

        with pytest.raises(LearnerError, match="whole house"):
            drawn(given, "softmax", 0, 1)


class TestAClass:
    def test_is_drawn_alike_each_time(self):
        """Twenty students, twice: the same patients, and not one for all."""
        once, again = (
            [drawn(COURSE, "softmax", 0, seed_for(student)).file("x.") for student in STUDENTS]
            for _ in range(2)
        )

        assert once == again
        assert len(set(once)) == len(STUDENTS)
        assert len({text.partition(chr(10))[2] for text in once}) > 8

    def test_is_graded_alike_each_time(self, sandbox):
        """Half of them mend theirs, half leave it; both runs give the same verdicts."""
        suites = collected(COURSE)
        catalog = suites.catalog
        drawn_ = [drawn(COURSE, "softmax", 0, seed_for(student)) for student in STUDENTS]
        work = [SOFTMAX if n % 2 else patient.text for n, patient in enumerate(drawn_)]
        runs = []
        for _ in range(2):
            handed_in = [mended(COURSE, "softmax", text) for text in work]
            reports = grade_all(COURSE, [catalog["softmax"]], handed_in, sandbox, seed=5)
            runs.append([[(v.check.name, v.outcome) for v in r.verdicts] for r in reports])

        assert runs[0] == runs[1]
        passed = [all(outcome == "passed" for _, outcome in found) for found in runs[0]]
        assert passed == [bool(number % 2) for number in range(20)]
