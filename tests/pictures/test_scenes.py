"""Every exercise has something to see, and it fits what is drawn."""

from __future__ import annotations

import numpy as np
import pytest

from grader.course.catalog import load_catalog
from grader.course.course import find_course
from grader.pictures import NO_PICTURE, SCENES

COURSE = find_course()
CATALOG = load_catalog(COURSE)


class TestScenes:
    def test_every_exercise_has_one_or_says_why_not(self):
        """In the catalog's words, without overlap."""
        assert set(SCENES) | set(NO_PICTURE) == set(CATALOG)
        assert not set(SCENES) & set(NO_PICTURE)

    @pytest.mark.parametrize("exercise", SCENES)
    def test_a_right_answer_is_as_expected(self, exercise, perfect):
        """The perfect sample differs nowhere, and nothing expected is NaN or infinite."""
        seen = perfect(exercise)

        assert [(one.panel.title, one.verdict) for one in seen if one.differs] == []
        assert all(np.isfinite(one.expected).all() for one in seen)

    @pytest.mark.parametrize("exercise", SCENES)
    def test_a_stub_shows_what_is_expected_and_says_what_to_do(self, exercise, sample, seen_of):
        """There is nothing of the learner's yet, but words."""
        seen = seen_of(exercise, sample("untouched"))

        assert all(one.yours is None and one.difference is None for one in seen)
        assert all(one.differs for one in seen)
        assert all("Replace that line" in one.verdict for one in seen) or all(
            "not ready" in one.verdict for one in seen
        ), [one.verdict for one in seen]

    @pytest.mark.parametrize("exercise", SCENES)
    def test_axes_fit_what_is_drawn(self, exercise, perfect):
        """As many names and points as there are rows and columns."""
        for one in perfect(exercise):
            rows, columns = one.expected.shape
            panel = one.panel

            assert len(panel.lines) in (0, rows), panel.title
            assert len(panel.y.ticks) in (0, rows), panel.title
            assert len(panel.x.ticks) in (0, columns), panel.title
            assert len(panel.x.values) in (0, columns), panel.title


def test_hidden_inputs_are_not_drawn():
    """Scenes know nothing of the suites; only who looks for them knows that a course's own lie
    there.
    """
    folder = COURSE.root / "grader" / "pictures"
    texts = {path: path.read_text(encoding="utf-8") for path in folder.rglob("*.py")}

    assert [path for path, text in texts.items() if "suites" in text] == [folder / "__init__.py"]
