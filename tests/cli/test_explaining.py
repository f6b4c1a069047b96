"""`grader explain`: all that answers a student who asks why, and nothing that is not known."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from grader import __version__
from grader.cli import explaining
from grader.cli.explaining import Wishes, explain, is_same
from grader.course.catalog import load_catalog
from grader.course.suite_digests import suite_digests
from grader.errors import GraderError
from grader.examiner.collection import collected
from grader.examiner.examination import examine
from grader.model import Cause, Check, Conditions, ExerciseReport, Outcome, Report, Verdict
from grader.programs.page import load_by_path
from grader.programs.program import LocalProgram
from grader.report.record import write_report
from grader.runs.reading import read_run
from grader.runs.texts import digest_of

WRONG = "def double(x):\n    return x * x\n"
SEED = 123456789
HERE = {"grader": __version__, "torch": torch.__version__}


@pytest.fixture
def toy_run(toy, tmp_path, monkeypatch):
    """``toy_run(report's fields)``: a run with the report on a program that squares, as the toy's
    suite finds it, beside the text that was graded.
    """
    monkeypatch.setattr(explaining, "find_course", lambda: toy)
    folder = tmp_path / "run" / "submissions" / "ann"
    folder.mkdir(parents=True)
    path = folder / "toy.py"
    path.write_text(WRONG)
    suite = collected(toy).of(load_catalog(toy)["toy"])
    verdicts = examine(suite, LocalProgram(dict(vars(load_by_path(path)))), SEED)
    conditions = Conditions(SEED, "full", ("seccomp",), ("cpu",), HERE, suite_digests(toy))
    found = Report(
        "ann", "Ann Lee", "2026-01-02T03:04:05Z", conditions,
        (ExerciseReport("toy", tuple(verdicts)),), digests={"toy": digest_of(WRONG)},
    )  # fmt: skip

    def toy_run(**fields):
        write_report(replace(found, **fields), tmp_path / "run")
        return tmp_path / "run"

    return toy_run


def said(capsys):
    return " ".join(capsys.readouterr().out.split())


class TestExplain:
    def test_says_it_all(self, toy_run, capsys):
        """Sentence, points, seed, what came, the misconception, their lines, the check, how near an
        answer must come, and the calls.
        """
        status = explain(toy_run(), "Ann", "1.1", Wishes())
        text = said(capsys)
        told = [
            "toy.test_doubles", "Every number is doubled", "failed 0/1 points", str(SEED),
            "squares", "You square.", "all 6 values differ", "> 2 return x * x", "in toy.py",
            "compare(lambda impl: impl.double(x), wrt=[x])", "tolerance of double(x)",
            "from toy import double", "x = torch.tensor([[", digest_of(WRONG)[:20],
        ]  # fmt: skip

        assert status == 0
        assert [words for words in told if words not in text] == []

    def test_lists_what_failed(self, toy_run, capsys):
        """Without a check: what a student may ask about, by number."""
        explain(toy_run(), "ann", None, Wishes())
        text = said(capsys)

        assert "Ann Lee (ann): 0 of 2 points" in text
        assert "1.1 failed 0/1 toy.test_doubles" in text
        assert "1.2 failed 0/1 toy.test_leaves_its_input_alone" in text

    def test_tells_the_core_from_the_rest(self, toy_run, of_the_core, capsys):
        """In the list and of one check, with its step."""
        (toy,) = read_run(toy_run()).reports[0].exercises
        first, *rest = toy.verdicts
        verdicts = (of_the_core(first, "double: any number"), *rest)
        run = toy_run(exercises=(ExerciseReport("toy", verdicts),))
        explain(run, "ann", None, Wishes())
        explain(run, "ann", "1.1", Wishes())
        text = said(capsys)

        assert "1.1 failed 0/1 core toy.test_doubles" in text
        assert "1.2 failed 0/1 robust toy.test_leaves_its_input_alone" in text
        assert "part core, double: any number" in text

    def test_writes_the_script_alone(self, toy_run, tmp_path, capsys):
        """Into a file, for who wants to run it."""
        path = tmp_path / "why.py"
        explain(toy_run(), "ann", "doubles", Wishes(script=path))

        assert "from toy import double" in path.read_text()
        assert "You square" not in said(capsys)

    @pytest.mark.parametrize(
        ("versions", "suites", "what"),
        [
            ({"torch": "another"}, {}, "torch was another"),
            ({"grader": "another"}, {}, "grader was another"),
            ({}, {"toy": "another"}, "the suite of toy was another"),
            ({"suites": "one for all"}, None, "the suite of toy was not known"),
        ],
    )
    def test_says_first_what_cannot_be_made_again(self, toy_run, capsys, versions, suites, what):
        """Under another torch or grader, or another suite, other numbers would be drawn: there is
        no script, and the rest is told. Reports of older versions know one digest for all suites.
        """
        known = suite_digests(explaining.find_course())
        then = {} if suites is None else known | suites
        conditions = Conditions(SEED, "full", (), ("cpu",), HERE | versions, then)
        status = explain(toy_run(conditions=conditions), "ann", "1.1", Wishes())
        text = said(capsys)

        assert status == explaining.UNFINISHED
        assert text.startswith(f"! The inputs cannot be made again: {what} at the time")
        assert "You square." in text
        assert "torch.tensor" not in text

    def test_heeds_no_other_exercise(self, toy_run, capsys):
        """Its suite was mended since: this one asks as it did."""
        others = suite_digests(explaining.find_course()) | {"other": "another"}
        conditions = Conditions(SEED, "full", (), ("cpu",), HERE, others)

        assert explain(toy_run(conditions=conditions), "ann", "1.1", Wishes()) == 0
        assert "x = torch.tensor([[" in said(capsys)

    def test_says_that_the_text_is_another(self, toy_run, capsys):
        """What was changed since is not shown as what was graded."""
        run = toy_run()
        (run / "submissions" / "ann" / "toy.py").write_text(WRONG + "# later\n")
        explain(run, "ann", "1.1", Wishes())
        text = said(capsys)

        assert "was changed since" in text
        assert "return x * x" not in text


class TestRunningItAgain:
    def test_says_that_it_is_the_same(self, toy_run, capsys):
        """Of this check alone, on the text that was graded, in a worker."""
        explain(toy_run(), "ann", "1.1", Wishes(rerun=True, isolation="process"))

        assert "run again: failed, which is the same as in the report." in said(capsys)

    def test_needs_the_text(self, toy_run):
        """Another text is not run in its place."""
        run = toy_run(digests={"toy": "sha256:of something else"})

        with pytest.raises(GraderError, match="cannot be run again: what was graded"):
            explain(run, "ann", "1.1", Wishes(rerun=True))

    @pytest.mark.parametrize(
        ("before", "again", "same"),
        [
            ((Outcome.FAILED, "numbers"), (Outcome.FAILED, "numbers"), True),
            ((Outcome.FAILED, "numbers"), (Outcome.FAILED, "shape"), False),
            ((Outcome.FAILED, "slow"), (Outcome.PASSED, ""), False),
            ((Outcome.PASSED, ""), (Outcome.PASSED, ""), True),
        ],
    )
    def test_compares_outcome_and_cause(self, before, again, same):
        """Numbers of a race may differ, what it found may not."""
        assert is_same(verdict(*before), verdict(*again)) is same

    def test_knows_what_was_blocked(self):
        """Alone, a check fails for the reason for which, among others, it was blocked."""
        reason = Cause("numbers")
        blocked = Cause("needs_wrong", because=reason)
        before = Verdict(Check("toy", "test_it", "It is."), Outcome.BLOCKED, cause=blocked)

        assert is_same(before, verdict(Outcome.FAILED, "numbers"))
        assert not is_same(before, verdict(Outcome.PASSED, ""))


def verdict(outcome, kind):
    return Verdict(Check("toy", "test_it", "It is."), outcome, cause=Cause(kind) if kind else None)
