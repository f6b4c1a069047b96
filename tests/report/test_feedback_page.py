"""The page for a student: the words of the feedback, whole in itself, whatever was handed in."""

from __future__ import annotations

import base64
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from grader.model import (
    Cause,
    Check,
    Conditions,
    ExerciseReport,
    Measured,
    Outcome,
    Report,
    Verdict,
)
from grader.report.export import write_feedback
from grader.report.feedback import exercise_lines
from grader.report.feedback_page import feedback_page, with_code
from grader.report.picture import Picture
from grader.report.words import said as in_words

CAUSE = in_words("It differs.", "1 2", "1 3", "Look there.")
PICTURE = Picture(b"\x89PNG", (("✗ weights", "Differs by up to 0.29."), ("✓ result", "Fine.")))
CONDITIONS = Conditions(987654321, "full", ("seccomp",), ("cpu",), {}, {"softmax": "sha256:abc"})


def verdict(outcome=Outcome.FAILED, cause=CAUSE, *, exercise="softmax", sentence="It is.", **rest):
    check = Check(exercise, "test_secret_name", sentence, 2.0)
    return Verdict(check, outcome, cause=cause, **rest)


def report(*verdicts, student="Ann Lee"):
    names = dict.fromkeys(v.check.exercise for v in verdicts)
    found = [ExerciseReport(n, tuple(v for v in verdicts if v.check.exercise == n)) for n in names]
    return Report("ann", student, "2026-01-02T03:04:05Z", CONDITIONS, tuple(found))


class Page(HTMLParser):
    """A page as a browser takes it: its tags with their attributes, and its text."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.tags, self.attributes, self.texts, self._style = [], [], [], False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, [name for name, _ in attributes]))
        self.attributes += [(tag, name, value) for name, value in attributes]
        self._style = tag == "style"

    def handle_endtag(self, tag):
        self.tags.append(("/" + tag, []))
        self._style = False

    def handle_data(self, data):
        if not self._style:
            self.texts.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.texts).split())

    def values(self, tag, name):
        return [value for t, n, value in self.attributes if (t, n) == (tag, name)]


class TestWhatItSays:
    def test_score_and_student(self):
        """Whose page it is, how much it is worth, and when it was graded."""
        said = Page(feedback_page(report(verdict(Outcome.PASSED, None), verdict()))).text

        assert "Feedback for Ann Lee" in said
        assert "2 of 4 points" in said
        assert "Graded 2026-01-02, 03:04:05 UTC · submission ann" in said

    def test_no_number_without_a_verdict(self):
        """Neither 0 nor a part of the points, and at the top whose fault it is not."""
        cause = Cause("internal", {"said": "SandboxError: gone"})
        broken = verdict(Outcome.INTERNAL, cause, exercise="masks")
        said = Page(feedback_page(report(verdict(Outcome.PASSED, None), broken))).text

        assert "– of 4 points" in said
        assert "1 check has no verdict: this is not your fault, and your instructor" in said
        assert "! masks – / 2" in said
        assert "✓ softmax 2 / 2" in said

    def test_every_word_of_the_feedback(self):
        """The words are those that `grader check` prints, grouped in the same way."""
        broken = [
            verdict(Outcome.ERROR, in_words("Gone."), sentence=f"Rule {n}.") for n in range(3)
        ]
        passed = verdict(
            Outcome.PASSED, None, sentence="Fine.", advice=in_words("Mind the device.")
        )
        report_ = report(passed, verdict(output="a\nb"), *broken)
        said = Page(feedback_page(report_)).text
        lines = exercise_lines(report_.exercises[0])[1:]
        words = [re.sub(r"^\s*(expected|got|[✓✗→|])?\s*", "", line) for line in lines]

        assert [word for word in words if word not in said] == []
        assert "The same stops 2 more checks." in said
        assert "Rule 1." not in said

    def test_one_section_for_each_exercise(self):
        """With its score, and a way to it from the top."""
        page = Page(feedback_page(report(verdict(), verdict(exercise="masks"))))

        assert page.values("section", "id") == ["softmax", "masks"]
        assert page.values("a", "href") == ["#softmax", "#masks"]

    def test_each_check_has_a_number_and_points(self):
        """``2.1`` is the first one of the second exercise; those that are told together with
        another are named by theirs.
        """
        broken = [verdict(Outcome.ERROR, in_words("Gone."), exercise="masks") for _ in range(3)]
        page = Page(feedback_page(report(verdict(Outcome.PASSED, None), *broken)))

        assert "1.1 It is. 2 / 2" in page.text
        assert "2.1 It is. (error) 0 / 2" in page.text
        assert "The same stops 2 more checks. (2.2, 2.3)" in page.text

    def test_points_that_are_not_known(self):
        """No number where there is no verdict, and nothing where the check was skipped."""
        cause = Cause("internal", {"said": "SandboxError: gone"})
        page = Page(
            feedback_page(report(verdict(Outcome.INTERNAL, cause), verdict(Outcome.SKIPPED, None)))
        )

        assert "1.1 It is. (no verdict) – / 2" in page.text
        assert page.text.count("/ 2") == 2  # the check's, and its exercise's

    def test_which_text_was_graded_with_what(self):
        """So that both sides of a dispute speak of the same; the suites' version is nobody's."""
        versions = {"grader": "1.2", "torch": "2.9"}
        conditions = replace(CONDITIONS, versions=versions)
        digests = {"softmax": "sha256:d1", "other": "sha256:d2"}
        said = feedback_page(replace(report(verdict()), conditions=conditions, digests=digests))

        assert "grader 1.2 · torch 2.9" in Page(said).text
        assert "softmax.py sha256:d1" in Page(said).text
        assert "sha256:abc" not in said
        assert "sha256:d2" not in said

    def test_how_to_appeal(self):
        """In the instructor's words, if there are any; they are text."""
        said = Page(feedback_page(report(verdict()), appeal="Write to <ta@u.edu> with the number."))

        assert "Write to <ta@u.edu> with the number." in said.text

    def test_nothing_but_the_whitelist(self):
        """No name of a hidden check, no seed, walls or suites, and nothing refused or suspected."""
        measured = Measured("time", 0.04, 0.04, 0.04, 1.5, suspicious=True)
        odd = verdict(
            Outcome.PASSED, None, refused=("os.fork()",), measured=measured, misconception="squares"
        )
        text = feedback_page(report(odd, verdict()))
        secret = ["test_secret_name", "987654321", "seccomp", "sha256", "fork", "suspicious"]

        assert [word for word in [*secret, "squares"] if word in text] == []


class TestThePicture:
    def test_is_in_the_page(self):
        """As a data URI, in the section of its exercise, with its words for who cannot see it."""
        both = report(verdict(), verdict(exercise="masks"))
        text = feedback_page(both, {"masks": PICTURE})
        page = Page(text)
        (source,), (alt,) = page.values("img", "src"), page.values("img", "alt")

        assert base64.b64decode(source.removeprefix("data:image/png;base64,")) == PICTURE.png
        assert alt == (
            "Yours, expected and the difference. ✗ weights: Differs by up to 0.29. ✓ result: Fine."
        )
        assert text.index('id="masks"') < text.index("<img")

    def test_is_not_needed(self):
        """Without pictures, there is no empty frame."""
        assert "<figure" not in feedback_page(report(verdict()))


class TestThePage:
    def test_is_complete_in_itself(self):
        """It loads nothing, runs nothing, and would not if it were told to."""
        page = Page(feedback_page(report(verdict()), {"softmax": PICTURE}))
        outside = [v for _, n, v in page.attributes if n in ("src", "href") and v[0] != "#"]
        policies = page.values("meta", "content")

        assert all(value.startswith("data:image/png;base64,") for value in outside)
        assert not {tag for tag, _ in page.tags} & {"script", "link", "iframe", "object", "base"}
        assert "default-src 'none'; img-src data:; style-src 'unsafe-inline'" in policies

    def test_is_light_and_dark_and_is_printed_light(self):
        """Dark colours are for screens alone."""
        text = feedback_page(report(verdict()))

        assert "@media screen and (prefers-color-scheme: dark)" in text
        assert "@media print" in text

    def test_is_written_beside_the_reports(self, tmp_path):
        """feedback/<submission>.html; a second run leaves one page."""
        for _ in range(2):
            path = write_feedback(report(verdict()), {}, tmp_path)

        assert path == tmp_path / "feedback" / "ann.html"
        assert list(path.parent.iterdir()) == [path]
        assert "Ann Lee" in path.read_text(encoding="utf-8")


HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "</pre></main></body></html>",
    "</title><style>*{display:none}</style>",
    "{{ 7 * 7 }}{% raw %}",
    "`<b>`, `</code>`, `",
    "<!-- ",
    "&lt;script&gt; &amp; &#60;b&#62;",
    "]]><svg/onload=alert(1)>",
]


PLACES = 9  # the title, the heading, four fields of a cause and one of another, print, advice


def plain(text):
    """Without spaces and the backticks that mark code."""
    return re.sub(r"[\s`]", "", text)


class TestUntrustedText:
    @pytest.mark.parametrize("text", HOSTILE)
    def test_stays_text(self, text):
        """Wherever it comes in, the page has the same tags and attributes as with harmless text,
        and shows it letter by letter.
        """
        hostile, harmless = self._page(text), self._page("x" + "`" * text.count("`"))

        assert hostile.tags == harmless.tags
        assert plain(hostile.text).count(plain(text)) == PLACES

    @pytest.mark.parametrize("text", HOSTILE)
    def test_stays_text_in_an_attribute(self, text):
        """Words of a picture quote what the submission raised."""
        picture = Picture(b"", ((f"✗ {text}", text),))
        page = Page(feedback_page(report(verdict()), {"softmax": picture}))

        assert page.values("img", "alt") == [
            f"Yours, expected and the difference. ✗ {text}: {text}"
        ]

    def _page(self, text):
        """``text`` in every field that a submission can reach, and in its name."""
        cause = in_words(text, text, text, text)
        alone = verdict(
            Outcome.ERROR, in_words("Why.", actual=text), sentence="Two.", advice=in_words(text)
        )
        odd = report(verdict(cause=cause, output=text), alone, student=text)
        return Page(feedback_page(replace(odd, submission=odd.student)))

    @pytest.mark.parametrize("text", ["a `b` c", "no code", "one ` alone", "`<b>` & `c`"])
    def test_between_backticks_is_code(self, text):
        """Pairs are code, what has no partner stays as it is, and all is escaped."""
        marked = str(with_code(text))

        assert marked.count("<code>") == (text.count("`") // 2 if text.count("`") % 2 == 0 else 0)
        assert "<b>" not in marked
