"""Curves and maps, as characters and as pictures."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

from grader.figures import WIDTH
from grader.finale.curve import curve, smoothed
from grader.finale.drawn import picture
from grader.finale.plan import Map


class TestCurve:
    def test_falls_from_the_top_to_the_bottom(self):
        """A dot in each column, joined."""
        lines = curve([2.0, 1.0, 0.0], 3, 3, 2, 2.0)

        assert [len(line) for line in lines] == [3, 3]
        assert lines[0][0] != "⠀"
        assert lines[0][-1] == "⠀"
        assert lines[1][-1] != "⠀"

    def test_what_was_not_reached_is_empty(self):
        """Half of the steps are half of the width."""
        (line,) = curve([1.0] * 5, 10, 4, 1, 1.0)

        assert line == "⠉⠉⠀⠀"

    def test_without_a_height_it_lies_at_the_bottom(self):
        """A loss of 0 from the beginning."""
        assert curve([0.0, 0.0], 2, 1, 1, 0.0) == ["⣀"]

    def test_means_are_taken_of_many(self):
        """So that a line of some hundred points is drawn."""
        assert smoothed([1.0, 3.0, 5.0, 7.0], 2) == [2.0, 6.0]
        assert smoothed([1.0, 3.0], 5) == [1.0, 3.0]


class TestPicture:
    maps = [Map(f"map {n}", "ab", "abc", [[1.0, 0.0, 0.0], [0.2, 0.3, 0.5]]) for n in range(3)]

    def test_is_an_svg_that_says_what_is_seen(self):
        """The same bytes each time."""
        drawn = picture({"": [3.0, 2.0, 1.0]}, self.maps)

        assert ET.fromstring(drawn).tag.endswith("svg")
        assert "The loss over 3 steps, from 3.00 to 1.000. Below it: map 0, map 1, map 2." in drawn
        assert drawn == picture({"": [3.0, 2.0, 1.0]}, self.maps)

    def test_stays_on_the_paper(self):
        """Every cell of every map."""
        drawn = picture({"whole": [1.0] * 300, "broken": [2.0] * 300}, self.maps)
        height = float(re.search(r'viewBox="0 0 \S+ (\S+)"', drawn)[1])
        boxes = re.findall(r'x="(\S+)" y="(\S+)" width="(\S+)" height="(\S+)"', drawn)

        assert len(boxes) == 3 * 6
        assert all(float(x) + float(w) <= WIDTH for x, _, w, _ in boxes)
        assert all(float(y) + float(h) <= height for _, y, _, h in boxes)
        assert drawn.count("<polyline") == 3
