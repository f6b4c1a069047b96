"""`grader export`: files for other programs, from reports alone."""

from __future__ import annotations

import csv
import json
import zipfile
from dataclasses import replace

import pytest

from grader.cli import exporting
from grader.cli.exporting import Column, export, report
from grader.errors import GraderError
from grader.model import Check, Conditions, ExerciseReport, Outcome, Report, Verdict
from grader.report.record import write_report

CONDITIONS = Conditions(7, "full", (), ("cpu",), {})


@pytest.fixture
def run(tmp_path):
    """A run of two, who passed."""
    for name in ("ann", "zoë"):
        write_report(graded(name, Outcome.PASSED), tmp_path / "run")
    return tmp_path / "run"


def graded(name, outcome):
    verdict = Verdict(Check("softmax", "test_it", "It is.", 2.0), outcome)
    when = "2026-01-01T00:00:00Z"
    return Report(name, name, when, CONDITIONS, (ExerciseReport("softmax", (verdict,)),))


class TestATable:
    def test_goes_to_standard_output(self, run, capfdbinary):
        """In UTF-8, and nothing else with it."""
        status = export("csv", run, None, Column())
        table = capfdbinary.readouterr().out.decode()

        assert status == 0
        assert [row[0] for row in csv.reader(table.splitlines())] == ["submission", "ann", "zoë"]

    def test_or_to_a_file(self, run, tmp_path, capfd):
        """The same text."""
        export("junit", run, tmp_path / "junit.xml", Column())

        assert (tmp_path / "junit.xml").read_text(encoding="utf-8").startswith("<?xml")
        assert capfd.readouterr().out == ""

    def test_says_what_is_missing(self, run, capfd):
        """On standard error, and by its exit status, which is that of `grader grade`."""
        (run / "reports" / "ann.json").write_text("{")
        write_report(graded("ben", Outcome.INTERNAL), run)
        status = export("csv", run, None, Column())
        said = capfd.readouterr()

        assert status == exporting.UNFINISHED
        assert "! reports/ann.json: it holds no report" in said.err
        assert "! ben: no verdict: softmax: test_it" in said.err
        assert '"ben","ben","","","","2"' in said.out


class TestPages:
    def test_are_a_file_for_each_submission(self, run, tmp_path):
        """Under the names that are prescribed, in folders of their own."""
        export("gradescope", run, tmp_path / "pages", Column())
        found = sorted(p.relative_to(tmp_path / "pages").as_posix() for p in
                       (tmp_path / "pages").rglob("*.json"))  # fmt: skip
        text = (tmp_path / "pages" / "ann" / "results.json").read_text(encoding="utf-8")

        assert found == ["ann/results.json", "zoë/results.json"]
        assert json.loads(text)["score"] == 2.0

    def test_that_cannot_be_made_are_named(self, run, tmp_path, monkeypatch, capfd):
        """Classroom 50 has no form for what has no mark."""
        monkeypatch.setenv("CLASSROOM", "nlp")
        monkeypatch.setenv("ASSIGNMENT", "ps1")
        write_report(graded("ben", Outcome.INTERNAL), run)
        status = export("classroom50", run, tmp_path / "pages", Column())

        assert status == exporting.UNFINISHED
        assert sorted(p.name for p in (tmp_path / "pages").iterdir()) == ["ann", "zoë"]
        assert "! ben: nothing was written, for it has no mark" in capfd.readouterr().err

    def test_are_not_mixed_with_others(self, run, tmp_path):
        """Somebody who is no longer there would still have one."""
        export("markdown", run, tmp_path / "pages", Column())

        with pytest.raises(GraderError, match="is not empty"):
            export("markdown", run, tmp_path / "pages", Column())


class TestAnArchive:
    def test_holds_the_pages(self, run, tmp_path):
        """All that a folder would, in one file to hand back; a second time the same bytes."""
        out, again = tmp_path / "pages.zip", tmp_path / "again.zip"
        status = [export("html", run, path, Column(appeal="Ask Bo.")) for path in (out, again)]
        with zipfile.ZipFile(out) as archive:
            pages = {name: archive.read(name).decode() for name in archive.namelist()}

        assert status == [0, 0]
        assert sorted(pages) == ["ann.html", "zoë.html"]
        assert all("Ask Bo." in page for page in pages.values())
        assert out.read_bytes() == again.read_bytes()

    def test_in_moodles_shape(self, run, tmp_path, capfd):
        """Who has no participant's number is named, and no archive is a folder."""
        write_report(replace(graded("cem", Outcome.PASSED), student_id="77"), run)
        status = export("moodle-pages", run, tmp_path / "pages.zip", Column())
        with zipfile.ZipFile(tmp_path / "pages.zip") as archive:
            names = archive.namelist()

        assert names == ["cem_77_assignsubmission_file_/feedback.html"]
        assert status == 3
        assert "zoë: not in the archive: no participant's number" in capfd.readouterr().err
        with pytest.raises(GraderError, match="one archive: say where"):
            export("moodle-pages", run, tmp_path / "folder", Column())


class TestARoster:
    def test_comes_back_filled(self, run, tmp_path, capfd):
        """And who is missing is named."""
        (tmp_path / "roster.csv").write_text(
            "Student,ID,Section,PS 1 (4)\n    Points Possible,,,2\nAnn,1,A,\nBen,2,A,\n"
        )
        column = Column(tmp_path / "roster.csv", "PS 1")
        status = export("canvas", run, tmp_path / "filled.csv", column)
        rows = list(csv.reader((tmp_path / "filled.csv").read_text().splitlines()))
        said = capfd.readouterr().err

        assert status == exporting.UNFINISHED
        assert [row[3] for row in rows] == ["PS 1 (4)", "2", "2", ""]
        assert "! zoë: is not in the roster" in said
        assert "! Ben: in the roster, but not in the run" in said


class TestTheClassReport:
    def test_is_a_page(self, run, tmp_path):
        """In a file of its own."""
        status = report(run, tmp_path / "class.html", as_json=False)

        assert status == 0
        assert "<title>Class report</title>" in (tmp_path / "class.html").read_text("utf-8")

    def test_or_json(self, run, capfd):
        """For programs; what could not be read is in it, and on standard error."""
        (run / "reports" / "ann.json").write_text("{")
        status = report(run, None, as_json=True)
        said = capfd.readouterr()

        assert status == exporting.UNFINISHED
        assert json.loads(said.out)["submissions"] == 1
        assert "! reports/ann.json" in said.err

    def test_says_where_it_wants_to_go(self, run):
        """HTML on a terminal helps nobody."""
        with pytest.raises(GraderError, match="with --out"):
            report(run, None, as_json=False)


@pytest.mark.parametrize(
    ("name", "column", "why"),
    [
        ("excel", Column(), "There is no format 'excel'"),
        ("gradescope", Column(), "with --out"),
        ("moodle", Column(), "needs --roster"),
        ("canvas", Column(), "needs --roster"),
    ],
)
def test_halves_are_refused_in_a_sentence(run, name, column, why):
    """Before anything is read for nothing."""
    with pytest.raises(GraderError, match=why):
        export(name, run, None, column)


def test_the_command_is_there(run, grader):
    """As a person types it."""
    done = grader("export", "csv", run)

    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[1] == '"ann","ann","2","0","2","2","2","2"'


def test_so_is_the_report(run, grader):
    """As a person types it; compared with another run where one is named."""
    done = grader("report", run, "--json", "--earlier", run)
    form = json.loads(done.stdout)

    assert done.returncode == 0, done.stderr
    assert form["distribution"]["mean"] == 100.0
    assert form["moves"]["compared"] == 2
