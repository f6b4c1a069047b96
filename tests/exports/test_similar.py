"""Near-identical submissions of a run, from its reports and the text that it kept."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from markupsafe import escape

from grader.course.markers import without_markers
from grader.exports.class_page import class_page
from grader.exports.class_report import class_report, to_json
from grader.exports.kept import Kept
from grader.exports.similar import similar
from grader.model import Submission
from grader.runs.reading import Run
from grader.runs.texts import digests_of, folder_of, write_texts

OWN = """\
def own(x):
    total = x.new_zeros(3)
    for row in x.unbind(-2):
        total = total + row.clamp(min=0).square().mean(-1, keepdim=True)
        total[..., 0] -= row.roll(1, dims=-1).cumsum(-1).amax()
    shifted = total.flatten(1).repeat(2, 1).index_fill(0, x.argmax(), 7)
    return shifted.addcmul(total, x.tril().neg(), value=2).logical_not()
"""


@pytest.fixture
def kept(tmp_path, course, report, verdict):
    """``kept(ann={"softmax": text})``: the reports of a run, and what it kept."""

    def kept(**class_):
        reports = []
        for name, files in class_.items():
            submission = Submission(name, name, files)
            write_texts(submission, tmp_path)
            graded = report(name, **{module: [verdict()] for module in files})
            reports.append(replace(graded, digests=digests_of(submission)))
        return reports, Kept(tmp_path, course)

    return kept


@pytest.fixture
def solution(course):
    """Our solution to attention, as everybody can read it."""
    return course.solution("attention").read_text(encoding="utf-8")


def page(reports, kept):
    return class_page(class_report(Run(tuple(reports)), kept))


class TestPairs:
    def test_are_named_with_what_they_share(self, kept):
        """In every module, with the lines of both sides."""
        found = similar(*kept(ann={"attention": OWN}, ben={"attention": OWN.replace("total", "t")}))
        (near,) = found.near

        assert (near.module, near.pair.left, near.pair.right) == ("attention", "ann", "ben")
        assert [line.text for line in near.lines[1] if line.is_shared][
            1
        ] == "    t = x.new_zeros(3)"
        assert [(one.group.submissions, one.modules) for one in found.groups] == [
            (("ann", "ben"), ("attention",)),
        ]  # fmt: skip

    def test_in_several_modules_are_one_group(self, kept):
        """In the order of the exercises."""
        files = {"masks": OWN, "attention": OWN}
        found = similar(*kept(ann=files, ben=files, eve={"attention": "x = 1\n"}))

        assert [(one.group.submissions, one.modules) for one in found.groups] == [
            (("ann", "ben"), ("masks", "attention")),
        ]  # fmt: skip
        assert found.too_small == {}


class TestOurSolution:
    def test_handed_in_is_told(self, kept, solution):
        """With its markers, or without."""
        bare = without_markers(solution)
        found = similar(*kept(ann={"attention": solution}, ben={"attention": bare}))

        assert [(one.pair.left, one.pair.right) for one in found.near] == [("ben", ""), ("ann", "")]
        assert [one.pair.left_share for one in found.near] == [1, 1]

    def test_never_stands_on_the_page(self, kept, solution):
        """Of a copy with a line of its own the rest is shown, of our text not a line."""
        renamed = without_markers(solution).replace("scores", "mine").replace("past", "gone")
        text = page(*kept(ann={"attention": renamed}))

        assert "our published solution" in text
        assert "mine = q @ k.mT * scale" in text
        assert "scores = q @ k.mT * scale" not in text


class TestWhatIsNotKept:
    def test_is_said_of_the_run(self, report, verdict, course, tmp_path):
        """A run of an older version has reports alone."""
        reports = [report(softmax=[verdict()])]

        assert similar(reports, Kept(tmp_path, course)) is None
        assert "is not kept beside these reports" in page(reports, Kept(tmp_path, course))

    def test_is_said_of_a_submission(self, kept):
        """A text that somebody changed since is not what was graded."""
        reports, run = kept(ann={"attention": OWN}, ben={"attention": OWN})
        (folder_of(run.run, "ben") / "attention.py").write_text("x = 1\n")
        found = similar(reports, run)

        assert (found.near, found.unread) == ((), ("ben",))

    def test_is_said_where_there_are_no_solutions(self, kept):
        """An installation without the course still compares the class."""
        reports, run = kept(ann={"attention": OWN}, ben={"attention": OWN})
        text = page(reports, Kept(run.run))

        assert "this installation holds neither" in text
        assert "attention: <bdi>ann</bdi> 100 %, <bdi>ben</bdi> 100 %, the same text" in text


class TestThePage:
    def test_is_honest_about_what_it_cannot_tell(self, kept, course):
        """Who wrote a line or two is counted, and a text that is cut is named."""
        begun = course.stub("softmax").read_text(encoding="utf-8")
        begun = begun.replace(
            'raise NotImplementedError("softmax: replace this line")',
            "return x.exp() / x.exp().sum(dim, keepdim=True)",
            1,
        )
        text = page(*kept(ann={"softmax": begun}, ben={"masks": "x = y.exp() + 1\n" * 30_000}))

        assert "None is near another one" in text
        assert "softmax (1 submission)" in text
        assert "very long: <bdi>ben: masks</bdi>" in text
        assert "evidence, and never a verdict" in text

    @pytest.mark.parametrize(
        "hostile", ["<script>alert(1)</script>", "</bdi></details>", "{{ 7 * 7 }}"]
    )
    def test_shows_code_as_text(self, kept, hostile):
        """Whatever stands in a line."""
        code = OWN.replace("def own(x):", f"def own(x):  # {hostile}")
        text = page(*kept(ann={"attention": code}, ben={"attention": code}))

        assert str(escape(hostile)) in text
        assert text.count("<details>") == text.count("</details>") == 1

    def test_becomes_json(self, kept):
        """For programs: pairs, groups and lines."""
        reports, run = kept(ann={"attention": OWN}, ben={"attention": OWN})
        form = json.loads(json.dumps(to_json(class_report(Run(tuple(reports)), run))))

        assert form["similar"]["near"][0]["pair"]["same"] is True
        assert form["similar"]["groups"][0]["group"]["submissions"] == ["ann", "ben"]
