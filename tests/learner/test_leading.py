"""The watch screen leads through the core step by step, and only then to what makes it robust."""

from __future__ import annotations

from dataclasses import replace

import pytest

from grader.learner.lines import Size
from grader.learner.progress import Progress, Standing
from grader.learner.view import Sight, main_lines
from grader.model import Cause, Exercise, Hint, Outcome, Place
from grader.report.words import said

STEPS = ("f: plain", "f: with a mask", "g")
TOY = Exercise("toy", "A toy", "nowhere", ("f", "g"), steps=STEPS)
WRONG = Outcome.FAILED


@pytest.fixture
def screen(report, verdict, of_the_core):
    """``screen(plain, mask, g, rest, fast)``: the lines about a check of each step and two robust
    ones, which became of these."""

    def screen(*outcomes, standing=None, causes=None, **sight):
        sentences = ("It is plain.", "It is masked.", "It is g.", "It is exact.", "It is fast.")
        found = [
            verdict(outcome, sentence=one, cause=(causes or {}).get(place, said(one)))
            for place, (one, outcome) in enumerate(zip(sentences, outcomes, strict=True))
        ]
        core = [of_the_core(v, step) for v, step in zip(found, STEPS, strict=False)]
        (one,) = report(toy=[*found[3:], *core[::-1]]).exercises
        progress = Progress("toy", {"toy": standing or Standing()})
        lines = main_lines(Sight(TOY, "toy.py:5", progress, ["toy"], one, **sight), Size(80, 40))
        return [line.text for line in lines]

    return screen


class TestBeforeTheCoreIsRight:
    def test_the_step_at_hand_is_named(self, screen):
        """The first that is not right, in the catalog's order."""
        assert "Step 2 of 3: with a mask (f)" in screen(Outcome.PASSED, WRONG, WRONG, WRONG, WRONG)
        assert "Step 3 of 3: g" in screen(*[Outcome.PASSED] * 2, *[WRONG] * 3)

    def test_nothing_else_is_told(self, screen):
        """How much is left is said, and no failure of it."""
        lines = screen(*[WRONG] * 5)

        assert "✗ It is plain." in lines
        assert not [s for s in ("masked", "It is g", "exact", "fast") if s in "\n".join(lines)]
        assert "2 more checks of the core come after this, 2 robust checks come later. m shows" in (
            "\n".join(lines)
        )

    def test_what_is_wrong_before_a_step_that_waits_is_told(self, screen):
        """Of a step that is not written yet there is little to tell."""
        waiting = Cause("unwritten", {"code": "raise"}, Place("toy.py", 5))
        lines = screen(Outcome.PASSED, *[WRONG] * 4, causes={1: waiting, 2: waiting})
        shown = "\n".join(lines)

        assert shown.index("✗ It is masked.") < shown.index("✗ It is exact.")
        assert "1 more check of the core comes after this, 1 robust check comes later." in shown

    def test_both_parts_are_counted(self, screen):
        """And the points of all."""
        (line,) = [line for line in screen(Outcome.PASSED, *[WRONG] * 4) if "core 1" in line]

        assert line == "core 1 of 3 right, robust 0 of 2, 1 of 5 points"

    def test_there_is_no_way_on(self, screen):
        """The key is not shown."""
        assert not [line for line in screen(*[WRONG] * 5) if "n next" in line]


class TestAfterwards:
    def test_the_rest_is_told_as_ever(self, screen):
        """With what was done, and the choice to go on."""
        lines = screen(*[Outcome.PASSED] * 3, WRONG, WRONG, standing=Standing(core=True))

        assert "✓ The core is right: you have the idea. n goes on, or make it robust:" in lines
        assert [line for line in lines if line.startswith("✗")] == [
            "✗ It is exact.",
            "✗ It is fast.",
        ]
        assert not [line for line in lines if line.startswith("Step")]
        assert [line for line in lines if "n next" in line]

    def test_the_bar_shows_both(self, screen):
        """Cores that are right, and exercises that are done."""
        lines = screen(*[Outcome.PASSED] * 3, WRONG, WRONG, standing=Standing(core=True))

        assert f"{'▒' * 20} 1 of 1 cores right, 0 of 1 exercises done" in lines


class TestAHint:
    def test_is_that_of_the_function_at_hand(self):
        """One on what is right by now is shown no longer."""
        toy = replace(TOY, hints=(Hint("Of f.", ("f",)), Hint("Of g.", ("g",))))

        def shown(function, *numbers):
            progress = Progress("toy", {"toy": Standing(hints=numbers)})
            sight = Sight(toy, "toy.py:5", progress, ["toy"], function=function)
            text = "\n".join(line.text for line in main_lines(sight, Size(80, 40)))
            return [said for said in ("Of f.", "Of g.", "h hint", "h next hint") if said in text]

        assert shown("f", 1) == ["Of f."]
        assert shown("g", 1) == ["h hint"]
        assert shown("g", 1, 2) == ["Of g."]
