"""What was seen becomes a PNG, whatever the numbers and words. How it looks, people judge."""

from __future__ import annotations

import struct
from dataclasses import replace

import numpy as np
import pytest

from grader.course.catalog import load_catalog
from grader.course.course import find_course
from grader.pictures import drawn, has_scene, picture, scene_of

COURSE = find_course()
CATALOG = load_catalog(COURSE)


class TestDrawing:
    @pytest.fixture(autouse=True)
    def _needs_matplotlib(self):
        pytest.importorskip("matplotlib")

    @pytest.mark.parametrize("exercise", [name for name in CATALOG if has_scene(COURSE, name)][::2])
    def test_is_a_png(self, exercise, perfect, chunks):
        """Whole, and 980 pixels wide: 80 mm at 311 dots per inch."""
        image = drawn(CATALOG[exercise], scene_of(COURSE, exercise), perfect(exercise))
        kinds = chunks(image)
        width, height = struct.unpack(">II", kinds[b"IHDR"][:8])

        assert image.startswith(b"\x89PNG\r\n\x1a\n")
        assert b"IEND" in kinds
        assert width == 980
        assert 400 < height < 2500

    @pytest.mark.parametrize("exercise", ["feed_forward", "hand_weights"])
    def test_of_a_stub_is_one_too(self, exercise, sandbox, sample, chunks):
        """The same function, start to end, for curves and for maps."""
        image = picture(COURSE, exercise, sample("untouched"), sandbox).png

        assert b"IEND" in chunks(image)

    def test_says_the_same_in_words(self, sandbox, sample):
        """For each panel its title with a sign, and its verdict; lines can be spoken of otherwise,
        and then stand in the picture as well.
        """
        untouched = sample("untouched")
        panels = scene_of(COURSE, "softmax").panels
        plain = picture(COURSE, "softmax", untouched, sandbox)
        other = picture(COURSE, "softmax", untouched, sandbox, lambda place: "cell 3")

        assert [title[:2] for title, _ in plain.panels] == ["✗ "] * len(panels)
        assert "softmax.py, line" in plain.lines[1]
        assert "softmax.py" not in other.lines[1]
        assert "cell 3 still holds" in other.lines[1]
        assert plain.png != other.png

    def test_is_the_same_every_time(self, sandbox, sample):
        """Nothing in it is random, and no date is kept."""
        first, second = (picture(COURSE, "dropout", sample("perfect"), sandbox) for _ in range(2))

        assert first == second

    @pytest.mark.parametrize(
        ("exercise", "huge"),
        [("softmax", 1e9), ("masks", float("nan")), ("heads", float("inf")), ("softmax", -5.0)],
    )
    def test_bears_any_numbers(self, exercise, huge, perfect):
        """NaN, infinity, far too large and negative ones, on shares, masks and matrices."""
        wild = [replace(o, yours=np.full_like(o.expected, huge)) for o in perfect(exercise)]

        assert drawn(CATALOG[exercise], scene_of(COURSE, exercise), wild)

    def test_words_are_drawn_as_they_are(self, perfect):
        """Neither mathematics between dollar signs nor letters that the font lacks stop it."""
        words = "$\\frac{ 漢字 \x07" + "x" * 500
        odd = [replace(one, yours=None, why=words) for one in perfect("dropout")]

        assert drawn(CATALOG["dropout"], scene_of(COURSE, "dropout"), odd)
