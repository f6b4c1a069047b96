"""Every exercise has something to see, and it fits what is drawn."""

from __future__ import annotations

import ast

import numpy as np
import pytest

from grader.course.catalog import load_catalog
from grader.course.course import find_course
from grader.course.markers import left_to_mend
from grader.course.release import untouched
from grader.course.suite_digests import suite_digests
from grader.errors import GraderError, SuiteError
from grader.pictures import has_scene, prove_scene, scene_of

COURSE = find_course()
CATALOG = load_catalog(COURSE)
INSTALLED = {"__future__", "typing", "collections", "math", "grader", "torch", "numpy"}
HEAD = """
import torch
from grader.pictures.panels import Axis, Panel, PanelKind, Scene
"""
PANEL = """Panel("twice", PanelKind.NUMBERS, lambda impl, props: impl.double(torch.tensor(
    [[1., 2]])), Axis("column"), Axis("row", ticks=("x",)))"""
SCENES = [name for name in CATALOG if has_scene(COURSE, name)]
GIVEN = [name for name in SCENES if left_to_mend(untouched(COURSE, name))]
WITHOUT = [name for name in CATALOG if name not in SCENES]


class TestScenes:
    def test_there_are_some(self):
        """The tests below would pass without any."""
        assert len(SCENES) > len(WITHOUT) > 0

    @pytest.mark.parametrize("exercise", WITHOUT)
    def test_every_exercise_has_one_or_says_why_not(self, exercise):
        """In words of the course's own."""
        with pytest.raises(GraderError, match=f"no picture of '{exercise}': .*grader check"):
            scene_of(COURSE, exercise)

    @pytest.mark.parametrize("exercise", SCENES)
    def test_a_right_answer_is_as_expected(self, exercise, perfect):
        """The perfect sample differs nowhere, and nothing expected is NaN or infinite."""
        seen = perfect(exercise)

        assert [(one.panel.title, one.verdict) for one in seen if one.differs] == []
        assert all(np.isfinite(one.expected).all() for one in seen)

    @pytest.mark.parametrize("exercise", GIVEN)
    def test_what_is_given_is_seen_beside_what_is_right(self, exercise, sample, seen_of):
        """Every panel of a stub that is to be mended shows a difference."""
        seen = seen_of(exercise, sample("untouched"))

        assert all(one.yours is not None and one.differs for one in seen)

    @pytest.mark.parametrize("exercise", [name for name in SCENES if name not in GIVEN])
    def test_a_stub_shows_what_is_expected_and_says_what_to_do(self, exercise, sample, seen_of):
        """There is nothing of the learner's yet, but words."""
        seen = seen_of(exercise, sample("untouched"))

        assert all(one.yours is None and one.difference is None for one in seen)
        assert all(one.differs for one in seen)
        assert all("Replace that line" in one.verdict for one in seen) or all(
            "not ready" in one.verdict for one in seen
        ), [one.verdict for one in seen]

    @pytest.mark.parametrize("exercise", SCENES)
    def test_axes_fit_what_is_drawn(self, exercise):
        """As many names and points as there are rows and columns."""
        assert prove_scene(COURSE, CATALOG[exercise]) == []

    @pytest.mark.parametrize("exercise", CATALOG)
    def test_needs_nothing_that_stays_at_home(self, exercise):
        """A scene is given away, where there is no suite: it imports what is installed."""
        tree = ast.parse(COURSE.scene(exercise).read_text(encoding="utf-8"))
        named = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
        named |= {a.name for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names}

        assert {name.partition(".")[0] for name in named} <= INSTALLED


@pytest.fixture
def scene(toy):
    """``scene(text)`` writes the toy's ``scene.py``."""

    def scene(text):
        toy.scene("toy").write_text(f"{HEAD}\n{text}")
        return toy

    return scene


class TestASceneOfACoursesOwn:
    def test_need_not_be_there(self, toy):
        """Nothing is drawn, and nothing is wrong."""
        assert not has_scene(toy, "toy")
        assert prove_scene(toy, load_catalog(toy)["toy"]) == []

    def test_is_found_beside_its_suite(self, scene):
        """By its name."""
        course = scene(f"SCENE = Scene('Doubled.', ({PANEL},))")

        assert scene_of(course, "toy").lesson == "Doubled."
        assert prove_scene(course, load_catalog(course)["toy"]) == []

    def test_gives_no_marks(self, toy, scene):
        """Who changes a picture grades nobody again."""
        before = suite_digests(toy)
        scene("SCENE = Scene('Doubled.', ())")

        assert suite_digests(toy) == before

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("", "suites/toy/scene.py defines neither SCENE"),
            ("import test_toy", "No module named 'test_toy'"),
            ("SCENE = 1 / 0", "division by zero"),
        ],
    )
    def test_that_is_none_says_so(self, scene, text, said):
        """Where it lies, and what is wrong with it."""
        with pytest.raises(SuiteError, match=said):
            has_scene(scene(text), "toy")

    @pytest.mark.parametrize(
        ("panel", "said"),
        [
            (PANEL.replace("[1., 2]]", "[1., 2], [3, 4]]"), "has 2 rows, and names for 1"),
            (PANEL.replace("[[1., 2]]", "[1., 2]"), "is no matrix"),
            (PANEL.replace("impl.double", "impl.treble"), "treble"),
        ],
    )
    def test_is_proved(self, scene, panel, said):
        """A finding says what does not fit, and what to do about it."""
        course = scene(f"SCENE = Scene('Doubled.', ({panel},))")
        (fault,) = prove_scene(course, load_catalog(course)["toy"])

        assert said in fault
        assert "scene.py" in fault.to_do
