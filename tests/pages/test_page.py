"""A page is one file of HTML that needs nothing else, and gives nothing away."""

from __future__ import annotations

import html
import re
import shutil
import subprocess

import pytest

from grader.course.catalog import load_catalog
from grader.course.course import find_course
from grader.pages import page_html
from grader.pages.page import formulas, inline
from grader.pages.prose import Block, Section

COURSE = find_course()
CATALOG = load_catalog(COURSE)
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


class TestAPage:
    @pytest.mark.parametrize("name", CATALOG)
    def test_is_complete_in_itself(self, name):
        """It loads nothing and runs nothing; every figure that it names is in it."""
        page = page_html(COURSE, CATALOG[name])

        assert not re.search(r"<(script|link|img|iframe|object)\b|\bsrc=|\bhref=|url\(", page)
        assert "default-src 'none'" in page
        assert "[Figure" not in page
        assert page.count("<svg") == len(
            list(COURSE.exercises.glob(f"figures/{name}_*.svg"))
        ) - sum(
            len(list(COURSE.exercises.glob(f"figures/{other}_*.svg")))
            for other in CATALOG
            if other.startswith(f"{name}_")
        )

    def test_says_what_it_takes_and_gives(self):
        """From the catalog; not the hints."""
        page = page_html(COURSE, CATALOG["softmax"])

        assert "level 1 of 5 · about 30 minutes" in page
        assert "exponentials and logarithms" in page
        assert not any(html.escape(h.says, quote=False) in page for h in CATALOG["softmax"].hints)

    def test_holds_no_solution(self, toy):
        """Signatures and docstrings alone."""
        page = page_html(toy, load_catalog(toy)["toy"])

        assert "def double(x):" in page
        assert "x + x" not in page
        assert "NotImplementedError" not in page

    def test_without_the_files_has_the_words(self, toy):
        """Where a figure was not generated yet."""
        path = toy.solution("toy")
        path.write_text(
            path.read_text().replace('"""A toy."""', '"""A toy.\n\n[Figure a: <b>.]\n"""')
        )
        page = page_html(toy, load_catalog(toy)["toy"])

        assert '<p class="quiet">&lt;b&gt;.</p>' in page


class TestWords:
    @pytest.mark.parametrize(
        ("text", "shown"),
        [
            ("``a < b`` and `c`", "<code>a &lt; b</code> and <code>c</code>"),
            ("an *embedding*, **True**", "an <em>embedding</em>, <strong>True</strong>"),
            ("4 * 4 * 2", "4 * 4 * 2"),
            ("<script>", "&lt;script&gt;"),
        ],
    )
    def test_are_marked_as_in_the_text(self, text, shown):
        """All else is text, whatever it holds."""
        assert inline(text) == shown


class TestFormulas:
    def rows(self, *lines, title="Formula"):
        found = formulas(Section(title, ()), Block("literal", lines))
        return found and [len(row) for row in found]

    def test_are_set_in_columns(self):
        """What lines up in the text does so in the browser; a gap before = is no column."""
        assert self.rows("a:  x = 1      if b", "    y   = 2") == [3, 2]

    def test_side_by_side_go_below_one_another(self):
        """A phone has no room for several."""
        assert self.rows("q = x W,  k = x V") == [1, 1]

    @pytest.mark.parametrize("line", ["a --> b", "  |  x", "x . . x"])
    def test_drawings_are_none(self, line):
        """They keep their signs where they are."""
        assert self.rows(line) is None

    def test_stand_in_their_section(self):
        """Elsewhere what is indented may be a program."""
        assert self.rows("a = b", title="Worked example") is None


class TestInABrowser:
    @pytest.mark.parametrize("width", [360, 1280])
    def test_nothing_is_wider_than_the_screen(self, tmp_path, width):
        """On a phone as on a desk: what is wide scrolls by itself."""
        program = next(filter(None, map(shutil.which, BROWSERS)), None)
        if program is None:
            pytest.skip("no Chromium or Chrome is installed")
        page = html.escape(page_html(COURSE, CATALOG["heads"]))
        outside = tmp_path / "outside.html"
        outside.write_text(
            f'<iframe style="width:{width}px;height:600px;border:0" srcdoc="{page}"></iframe>'
            "<script>"
            "document.querySelector('iframe').onload = e => { const d = e.target.contentDocument;"
            "document.title = 'wider by ' + (d.documentElement.scrollWidth"
            " - d.documentElement.clientWidth); };</script>",
            encoding="utf-8",
        )
        command = [
            program,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--dump-dom",
            outside.as_uri(),
        ]
        done = subprocess.run(command, capture_output=True, timeout=120, check=True)

        assert b"<title>wider by 0</title>" in done.stdout
