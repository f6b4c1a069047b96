"""The class report as a page: complete in itself, on a screen, a phone and paper."""

from __future__ import annotations

import html
import re
import shutil
import subprocess

import pytest

from grader.course.course import find_course
from grader.exports.class_page import class_page
from grader.exports.class_report import class_report
from grader.exports.kept import Kept
from grader.model import Outcome
from grader.runs.reading import Run, read_run

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
HOSTILE = ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "{{ 7 * 7 }}", "</table>"]


def page(*reports, problems=()):
    return class_page(class_report(Run(tuple(reports), tuple(problems))))


def whole_page(out):
    """The page of a real run, with all that can stand on it."""
    run = read_run(out)
    return class_page(class_report(run, Kept(out, find_course()), run))


def tags(text):
    return re.findall(r"<[a-z/!][^>]*>", text)


def of(report, verdict, text):
    """A class in which ``text`` comes in wherever somebody can write."""
    wrong = verdict(
        Outcome.FAILED, sentence=text, misconception=text, lesson=text, refused=(text,), name=text
    )
    return page(report(text, softmax=[wrong]), problems=[text])


class TestThePage:
    def test_of_a_real_class(self, graded):
        """Says what the class report says, in every part."""
        out, _ = graded
        text = whole_page(out)

        assert re.findall(r'<section id="(\w+)"', text) == [
            "totals", "look", "moves", "misconceptions", "exercises", "checks", "similar",
        ]  # fmt: skip
        assert "6 submissions, 6 with a mark" in text
        assert "Your output always normalises the last axis" in text
        assert "Nobody passes" not in text
        assert "As in <bdi>wrong_axis</bdi>" in text
        assert "softmax: <bdi>perfect</bdi> 100 %, our published solution 100 %" in text
        assert "0 of 6 marks moved." in text

    def test_shows_few_of_many_attempts(self, report, verdict):
        """A loop makes hundreds; how many there are is said."""
        tried = verdict(refused=tuple(f"os.kill({n}, 9)" for n in range(300)))
        text = page(report(softmax=[tried]))

        assert text.count("os.kill(") == 5
        assert "and 295 more" in text

    def test_of_nobody(self):
        """Has dashes where there is no number."""
        assert "Mean – %, median – %." in page()

    def test_says_the_formula_and_its_sources(self):
        """Who reads the numbers must be able to look them up."""
        assert all(word in page() for word in ("cov(x, R)", "Henrysson 1963", "Ebel &amp; Frisbie"))

    def test_is_complete_in_itself(self, graded):
        """It loads nothing and runs nothing, and would not if it were told to."""
        text = whole_page(graded[0])

        assert not re.search(r"<(script|link|img|iframe|object|base)\b|\bsrc=|\bhref=|url\(", text)
        assert "default-src 'none'; style-src 'unsafe-inline'" in text

    @pytest.mark.parametrize("text", HOSTILE)
    def test_shows_what_others_wrote_as_text(self, report, verdict, text):
        """The tags are those of a harmless class."""
        found = of(report, verdict, text)

        assert tags(found) == tags(of(report, verdict, "harmless"))
        assert (
            html.escape(text, quote=True).replace("&#x27;", "&#39;").replace("&quot;", "&#34;")
            in found
        )


@pytest.fixture(scope="module")
def browser():
    """``browser("--dump-dom", file)``: what a real browser says, without a window."""
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        pytest.skip("no Chromium or Chrome is installed")

    def browser(*arguments, errors=False):
        command = [program, "--headless", "--no-sandbox", "--disable-gpu", *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, timeout=120, check=True)
        return (done.stderr if errors else done.stdout).decode()

    return browser


def console(browser, source):
    """What the browser writes to its console while it shows a page."""
    said = browser("--dump-dom", "--enable-logging=stderr", "--v=0", source.as_uri(), errors=True)
    return [line for line in said.splitlines() if ":CONSOLE" in line]


# The page's own policy runs no script, so it is measured from outside, in a frame of that width.
MEASURE = """\
<!DOCTYPE html><iframe style="border:0; width:{width}px; height:600px" srcdoc="{page}"></iframe>
<script>
document.querySelector("iframe").onload = event => {{
  const inside = event.target.contentDocument;
  const head = inside.querySelector(".stacked thead");
  const whole = inside.documentElement;
  document.title = [whole.scrollWidth - whole.clientWidth,
    inside.defaultView.getComputedStyle(head).display].join(" ");
}};
</script>
"""


class TestInABrowser:
    @pytest.mark.parametrize(
        ("width", "display"), [(320, "none"), (390, "none"), (1280, "table-header-group")]
    )
    def test_nothing_is_wider_than_the_screen(self, browser, graded, tmp_path, width, display):
        """On a phone a row of a table is a block, on a desk it is a row."""
        text = whole_page(graded[0]).replace("<details>", "<details open>")
        outside = tmp_path / "outside.html"
        outside.write_text(MEASURE.format(width=width, page=html.escape(text)), encoding="utf-8")
        shown = browser("--dump-dom", "--virtual-time-budget=5000", outside.as_uri())
        (title,) = re.findall("<title>(.*)</title>", shown.partition("<iframe")[0])

        assert title == f"0 {display}"

    def test_it_has_nothing_to_complain_of(self, browser, graded, tmp_path):
        """The browser's console is empty: no style is refused, and nothing is looked for."""
        source = tmp_path / "class.html"
        source.write_text(whole_page(graded[0]), encoding="utf-8")

        assert console(browser, source) == []

    def test_what_it_complains_of_is_found(self, browser, tmp_path):
        """Or the check above would see nothing."""
        source = tmp_path / "bad.html"
        source.write_text(page().replace("</main>", "<script>alert(1)</script></main>"), "utf-8")

        assert len(console(browser, source)) == 1

    def test_it_can_be_printed(self, browser, graded, tmp_path):
        """On a few pages of paper."""
        source = tmp_path / "class.html"
        source.write_text(whole_page(graded[0]), encoding="utf-8")
        browser(f"--print-to-pdf={tmp_path / 'class.pdf'}", source.as_uri())
        pdf = (tmp_path / "class.pdf").read_bytes()

        assert pdf.startswith(b"%PDF")
        assert 1 <= len(re.findall(rb"/Type\s*/Page\b", pdf)) <= 4
