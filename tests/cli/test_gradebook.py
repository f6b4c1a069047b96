"""The gradebook as a person uses it."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from grader.cli import gradebook
from grader.cli.app import app
from grader.cli.gradebook import FILE, UNFINISHED, look
from grader.errors import GraderError
from grader.gradebook.book import About
from grader.model import Outcome
from grader.report.record import read_report, write_report

ROOT = Path(__file__).parents[2]
PLAIN = look(csv=False, as_json=False, anonymous=False, pairing=False)


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """A folder of one's own, and nothing said elsewhere about a database."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv(gradebook.VARIABLE, raising=False)


@pytest.fixture
def class_run(run, report, verdict):
    """The folder of a run of two; one of them has a check without a verdict."""
    internal = verdict(Outcome.INTERNAL, 2.0)
    ann = replace(report("ann", "Ann Lee", softmax=[verdict(points=2.0)]), student_id="7")
    return run(ann, report("ben", softmax=[internal, verdict()]))


@pytest.fixture
def kept(class_run, capfd):
    """A gradebook in this folder, with that run in it."""
    gradebook.add(class_run, "ps1", None, "head", None)
    capfd.readouterr()


class TestAdd:
    def test_says_what_came(self, class_run, capfd):
        """And where it was written."""
        status = gradebook.add(class_run, "ps1", None, None, None)
        again = gradebook.add(class_run, "ps1", None, None, None)

        assert (status, again) == (0, 0)
        assert capfd.readouterr().out.splitlines() == [
            f"ps1: 2 new, 0 there already. Written: {FILE}",
            f"ps1: 0 new, 2 there already. Written: {FILE}",
        ]

    def test_says_what_cannot_be_read(self, class_run, capfd):
        """The others are taken in; the exit status is that of `grader grade`."""
        (class_run / "reports" / "ann.json").write_text("{")
        status = gradebook.add(class_run, "ps1", None, None, None)
        said = capfd.readouterr().out

        assert status == UNFINISHED
        assert "not taken in  reports/ann.json: it holds no report" in said
        assert "ps1: 1 new" in said

    def test_knows_the_assignment_s_name(self, class_run, capfd):
        """From the assignment's file; without one it is the folder's."""
        gradebook.add(class_run, None, None, None, None)
        text = 'title = "Softmax, one"\nexercises = ["softmax"]'
        (class_run / "assignment.toml").write_text(text, encoding="utf-8")
        gradebook.add(class_run, None, None, None, None)

        said = capfd.readouterr().out

        assert said.startswith("run: 2 new")
        assert "Softmax, one: 2 new" in said

    def test_writes_where_it_is_told(self, class_run, tmp_path, monkeypatch):
        """An option stands above the environment, and that above this folder."""
        monkeypatch.setenv(gradebook.VARIABLE, str(tmp_path / "variable.sqlite"))
        gradebook.add(class_run, "ps1", None, None, None)
        gradebook.add(class_run, "ps1", None, None, str(tmp_path / "option.sqlite"))

        found = sorted(path.stem for path in tmp_path.glob("*.sqlite"))

        assert found == ["option", "variable"]


class TestShow:
    def test_is_a_table(self, kept, capfd):
        """Without a verdict there is no number."""
        gradebook.show(None, PLAIN, None)
        lines = [line.split() for line in capfd.readouterr().out.splitlines()]

        assert lines[1:] == [
            ["Ann", "Lee", "(id", "7)", "ps1", "2/2", "2"],
            ["ben", "ps1", "–/3", "–", "no", "verdict"],
        ]

    def test_has_a_column_for_being_late(self, class_run, tmp_path, capfd):
        """The points that were earned stay beside it; who is on the roster has a row."""
        terms = (
            'title = "ps2"\nexercises = ["softmax"]\ndue = 2026-01-01T00:00:00Z\n'
            "late = { points_per_day = 0.5 }\n"
        )
        ann = read_report(class_run / "reports" / "ann.json")
        write_report(replace(ann, handed_in="2026-01-01T12:00:00Z"), class_run)
        (class_run / "assignment.toml").write_text(terms)
        (tmp_path / "roster.csv").write_text("id,name\n7,Ann Lee\n8,Cyd Ma\n,ben\n")
        status = gradebook.add(class_run, None, None, "head", None, tmp_path / "roster.csv")
        said = capfd.readouterr().out
        gradebook.show(None, PLAIN, None)
        lines = [line.split() for line in capfd.readouterr().out.splitlines()]

        assert status == 0
        assert "ps2: 2 new, 0 there already, 1 who handed in nothing." in said
        assert lines[1] == ["Ann", "Lee", "(id", "7)", "ps2", "2/2", "-0.5", "1.5"]
        assert lines[3] == [
            "Cyd", "Ma", "(id", "8)", "ps2", "0/3", "0", "nothing", "handed", "in",
        ]  # fmt: skip

    def test_is_csv(self, kept, capfd):
        """In UTF-8, for spreadsheets."""
        gradebook.show("ps1", look(True, False, False, False), None)
        rows = list(csv.DictReader(capfd.readouterr().out.splitlines()))

        assert [(row["student"], row["mark"]) for row in rows] == [("Ann Lee", "2"), ("ben", "")]

    def test_is_json(self, kept, capfd):
        """For programs: null without a verdict."""
        gradebook.show(None, look(False, True, False, False), None)
        forms = json.loads(capfd.readouterr().out)

        assert [(form["student"], form["mark"]) for form in forms] == [
            ("Ann Lee", 2.0),
            ("ben", None),
        ]

    def test_is_anonymous(self, kept, capfd):
        """Until the pairing is asked for."""
        gradebook.show(None, look(False, False, True, False), None)
        anonymous = capfd.readouterr().out
        gradebook.show(None, look(False, False, False, True), None)
        pairs = [line.split()[:2] for line in capfd.readouterr().out.splitlines()[1:]]

        assert not any(name in anonymous for name in ("Ann", "ben", "7)"))
        assert [name for _, name in pairs] == ["Ann", "ben"]
        assert all(drawn in anonymous for drawn, _ in pairs)

    @pytest.mark.parametrize("both", [(True, True, False, False), (False, False, True, True)])
    def test_is_not_two_things(self, both):
        """CSV or JSON, with names or without."""
        with pytest.raises(GraderError, match="one of the two"):
            look(*both)


class TestGroups:
    def test_are_said_and_seen(self, kept, class_run, capfd):
        """Which assignments, how many are left out, and in the totals which."""
        gradebook.set_mark(About("ben", "ps1"), 1.5, "by eye", "ta1", None)
        gradebook.add(class_run, "ps2", None, "head", None)
        gradebook.set_mark(About("ben", "ps2"), 3, "by eye", "ta1", None)
        gradebook.group("homework", ["ps1", "ps2"], 1, None)
        gradebook.group("", [], None, None)
        said = capfd.readouterr().out
        gradebook.totals(PLAIN, None)
        lines = [line.split() for line in capfd.readouterr().out.splitlines()]

        assert "homework: ps1, ps2. Left out of each student's: the worst 1." in said
        assert "In no group: none." in said
        assert lines[2] == ["ben", "3", "3", "100.0", "dropped:", "ps1"]


class TestSaying:
    def test_a_mark_is_confirmed(self, kept, capfd):
        """With the name of who was found, and with whoever says it."""
        gradebook.set_mark(About("7", "ps1", "softmax"), 1.5, "by eye", "ta1", None)

        assert capfd.readouterr().out == "Ann Lee (id 7), ps1, softmax: 1.5 (e1, by ta1).\n"

    def test_a_drawn_id_is_answered_with_it(self, kept, capfd):
        """Who grades without names is told none."""
        gradebook.show(None, look(False, True, False, True), None)
        drawn = json.loads(capfd.readouterr().out)[0]["drawn_id"]
        gradebook.set_mark(About(drawn.lower(), "ps1"), 1, "by eye", "ta1", None)
        gradebook.comment(About(drawn, "ps1"), "Good", "ta1", None)
        gradebook.history(drawn, PLAIN, None)
        said = capfd.readouterr().out

        assert said.startswith(f"{drawn}, ps1: 1 (e1, by ta1).\n{drawn}, ps1: comment (e2, by ta1)")
        assert "ann" not in said.casefold()

    def test_what_may_be_a_slip_is_told(self, kept, capfd):
        """More than all points, and a mark for an exercise beneath one for the whole."""
        gradebook.set_mark(About("ann", "ps1"), 20, "oral exam", "ta1", None)
        gradebook.set_mark(About("ann", "ps1", "softmax"), 1, "by eye", "ta1", None)
        said = capfd.readouterr().out

        assert "more than the 2 points it is worth" in said
        assert "has a manual mark, e1, which counts" in said

    def test_the_author_is_whoever_is_at_work(self, kept, capfd, monkeypatch):
        """And somebody it is."""
        monkeypatch.setattr(gradebook.getpass, "getuser", lambda: "lin")
        gradebook.comment(About("ann", "ps1"), "Good", None, None)
        gradebook.withdraw(["e1"], "not she", None, None)

        assert capfd.readouterr().out.splitlines() == [
            "Ann Lee (id 7), ps1: comment (e1, by lin).",
            "e1 is withdrawn (e2, by lin).",
        ]
        with pytest.raises(GraderError, match="with --by"):
            gradebook.author_or_login(" ")

    def test_the_author_is_asked_for_where_nobody_is_known(self, monkeypatch):
        """In a container without names."""

        def nobody():
            raise KeyError("getpwuid(): uid not found: 4711")

        monkeypatch.setattr(gradebook.getpass, "getuser", nobody)
        with pytest.raises(GraderError, match="with --by"):
            gradebook.author_or_login(None)


class TestHistory:
    def test_is_read_from_top_to_bottom(self, kept, capfd):
        """A number for everything that can be withdrawn."""
        gradebook.set_mark(About("ann", "ps1"), 1, "by eye\n[red]no markup", "ta1", None)
        capfd.readouterr()
        gradebook.history("ann", PLAIN, None)
        text = " ".join(capfd.readouterr().out.split())

        assert text.startswith("Ann Lee (id 7) a1 ")
        assert text.index(" head ps1: attempt: 2/2; ") < text.index(
            " ta1 ps1: mark 1: by eye⏎[red]no"
        )
        assert text.endswith("[counts]")

    def test_is_json(self, kept, capfd):
        """For programs."""
        gradebook.history("ann", look(False, True, False, False), None)
        form = json.loads(capfd.readouterr().out)

        assert form["student"] == "Ann Lee"
        assert [event["number"] for event in form["history"]] == ["a1"]


class TestTotals:
    def test_are_a_table(self, kept, class_run, capfd):
        """Who has no total is named, and the exit status says it."""
        status = gradebook.totals(PLAIN, None)
        said = capfd.readouterr()
        lines = [line.split() for line in said.out.splitlines()]

        assert status == UNFINISHED
        assert lines[1:] == [["Ann", "Lee", "(id", "7)", "2", "2", "100.0"], ["ben", "–", "3", "–"]]
        assert said.err == "! ben: no verdict, and so no total: ps1\n"

    def test_are_finished_with_all_verdicts(self, kept, class_run, report, verdict):
        """Whoever had none was graded again."""
        again = report("ben", softmax=[verdict(points=2.0), verdict()])
        write_report(replace(again, graded_at="2026-02-02T00:00:00Z"), class_run)
        gradebook.add(class_run, "ps1", None, None, None)

        assert gradebook.totals(PLAIN, None) == 0

    def test_are_csv_or_json(self, kept, capfd):
        """The same for programs, empty and null."""
        gradebook.totals(look(True, False, False, False), None)
        rows = list(csv.DictReader(capfd.readouterr().out.splitlines()))
        gradebook.totals(look(False, True, False, False), None)
        forms = json.loads(capfd.readouterr().out)

        assert [(row["points"], row["percent"]) for row in rows] == [("2", "100"), ("", "")]
        assert [(form["points"], form["percent"]) for form in forms] == [(2.0, 100.0), (None, None)]


def test_what_was_upgraded_is_told(kept, capfd, monkeypatch):
    """Where the copy is."""
    monkeypatch.setattr("grader.gradebook.book.brought_up_to_date", lambda *a: Path("the copy"))
    gradebook.show(None, PLAIN, None)

    assert "what it was before is in the copy." in capfd.readouterr().err


class TestTheCommands:
    def test_are_there(self, kept):
        """As a person types them; a mark is not given without a reason."""
        several = [
            "set ann ps1 1.5",
            "set ann ps1 1.5 --exercise softmax --reason by-eye --by ta1",
            "comment ann ps1 Good --by ta1",
            "withdraw e1 e2 --reason no",
            "show ps1 --csv --pairing",
            "history ann --anonymous --json",
            "totals --csv --anonymous",
        ]
        found = [CliRunner().invoke(app, ["gradebook", *line.split()]) for line in several]

        assert [one.exit_code for one in found] == [2, 0, 0, 0, 0, 0, UNFINISHED]
        assert "--reason" in found[0].output
        assert "e2 is withdrawn" in found[3].output

    def test_are_programs(self, class_run, grader, tmp_path):
        """In a process of their own."""
        added = grader("gradebook", "add", class_run, "--counts", "best", cwd=tmp_path)
        refused = grader("gradebook", "show", "ps7", cwd=tmp_path)

        assert (added.returncode, refused.returncode) == (0, 2), added.stderr
        assert added.stdout.startswith("run: 2 new")
        assert refused.stderr == "grader: There is no assignment 'ps7'. There are: run.\n"

    def test_break_long_names(self, run, report, verdict, capfd):
        """A table is as wide as the terminal."""
        long = "García-Fernández de la Vega y Montesinos " * 3
        gradebook.add(run(report(long, softmax=[verdict()])), None, None, None, None)
        gradebook.show(None, PLAIN, None)
        gradebook.totals(PLAIN, None)
        text = capfd.readouterr().out

        assert " 1/1 " in text
        assert " 100.0 " in text


def test_nobody_else_waits_for_the_database():
    """`grader --help` and `grader check` import nothing of it."""
    program = (
        "import sys, grader.cli.app, grader.cli.student, grader.cli.learn, grader.cli.instructor\n"
        "print([name for name in ('sqlalchemy', 'alembic', 'psycopg') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )

    assert done.stdout == "[]\n"
