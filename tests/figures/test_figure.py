"""Shapes become an SVG: the same bytes every time, and all of it on the paper."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pytest

from grader.course.catalog import load_catalog
from grader.course.course import find_course
from grader.course.figures import drawn_figures
from grader.figures import WIDTH, Figure, number

COURSE = find_course()
FIGURES = {
    p.stem: t for name in load_catalog(COURSE) for p, t in drawn_figures(COURSE, name).items()
}
SVG = "{http://www.w3.org/2000/svg}"
WIDEST = 0.62  # of the font's size: the mean width of a letter in a wide font, DejaVu Sans
KILOBYTES = 32


class TestAFigure:
    def test_says_in_words_what_is_to_be_seen(self):
        """Whoever cannot see it hears the words."""
        root = ET.fromstring(Figure(10).svg("weights & <shares>"))

        assert root.find(f"{SVG}title").text == "weights & <shares>"
        assert root.get("role") == "img"

    def test_takes_words_as_they_are(self):
        """No word becomes a tag."""
        figure = Figure(10)
        figure.text(0, 0, "a < b & c")

        assert ET.fromstring(figure.svg("")).find(f"{SVG}text").text == "a < b & c"

    @pytest.mark.parametrize(
        ("tip", "points"),
        [
            ((0, 20), "0,20 4,13 -4,13"),
            ((0, -20), "0,-20 -4,-13 4,-13"),
            ((20, 0), "20,0 13,4 13,-4"),
        ],
    )
    def test_points_its_arrows_where_they_go(self, tip, points):
        """Down, up, and to the right."""
        figure = Figure(10)
        figure.arrow((0, 0), tip)

        assert f'points="{points}"' in figure.svg("")

    def test_makes_a_share_as_dark_as_it_is_large(self):
        """And writes light on dark; what is below zero has the other colour."""
        figure = Figure(10)
        figure.shares(0, 0, [[0.25, -1.0]])
        light, dark = re.findall(r"fill:var\(--(\w)\);fill-opacity:([\d.]+)", figure.svg(""))

        assert (light, dark) == (("a", "0.25"), ("b", "1.00"))
        assert re.findall(r'<text class="([\w ]+)"', figure.svg("")) == ["small", "small on"]

    def test_rounds_what_machines_may_differ_by(self):
        """One decimal: the bytes are the same anywhere."""
        assert [number(value) for value in (2.0, 2.04, 1 / 3)] == ["2", "2", "0.3"]


class TestTheFiguresOfThisCourse:
    @pytest.mark.parametrize("name", FIGURES)
    def test_are_on_the_paper(self, name):
        """No word and no shape leaves it, also in a wide font."""
        root = ET.fromstring(FIGURES[name])
        *_, height = map(float, root.get("viewBox").split())
        outside = [
            element
            for element in root.iter()
            for left, top, right, bottom in [_room(element)]
            if left < -1 or right > WIDTH + 1 or top < -1 or bottom > height + 1
        ]

        assert [ET.tostring(element) for element in outside] == []

    @pytest.mark.parametrize("name", FIGURES)
    def test_are_small(self, name):
        """A page stays a small file."""
        assert len(FIGURES[name].encode()) < KILOBYTES << 10


def _room(element):
    """What an element takes: left, top, right, bottom."""
    if element.tag == f"{SVG}text":
        size = 11.5 if "small" in (element.get("class") or "") else 13.0
        x, y, wide = (
            float(element.get("x")),
            float(element.get("y")),
            WIDEST * size * len(element.text),
        )
        left = x - wide * {"start": 0, "middle": 0.5, "end": 1}[element.get("text-anchor")]
        return left, y - size, left + wide, y
    if element.tag == f"{SVG}rect" and element.get("x"):
        x, y, wide, tall = (float(element.get(key)) for key in ("x", "y", "width", "height"))
        return x, y, x + wide, y + tall
    if element.get("points"):
        xs, ys = zip(*_points(element), strict=True)
        return min(xs), min(ys), max(xs), max(ys)
    return 0, 0, 0, 0


def _points(element):
    return [tuple(map(float, pair.split(","))) for pair in element.get("points").split()]
