"""What stands in a folder is not made again, what is replaced is kept, and a kill loses nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from grader.model import Cause, Conditions, Outcome, Submission
from grader.report.export import write_feedback
from grader.report.record import read_report, write_report
from grader.runs import store as store_module
from grader.runs.kept import completed
from grader.runs.reading import read_run
from grader.runs.settings import Settings
from grader.runs.store import Store
from grader.runs.terms import Terms
from grader.runs.texts import digests_of, folder_of

ANN = Submission("ann", "Ann", {"softmax": "x = 1"}, path="/class/ann")
UNREAD = {"masks": Cause("several", {"module": "masks", "places": ("a/masks.py", "b/masks.py")})}


@pytest.fixture
def about(report, verdict):
    """``about(submission)``: a report on it, with one check that has this outcome."""

    def about(one, outcome=Outcome.PASSED, **changes):
        told = report(one.name, one.student, one.path, softmax=[verdict(outcome)])
        return replace(told, digests=digests_of(one), **changes)

    return about


@pytest.fixture
def under():
    """``under(report)``: the settings it was made under."""
    return lambda report: Settings(report.conditions, ("softmax",))


def stands(run, submission, told, settings):
    """As a later command sees it."""
    return Store(run).left_of(submission, told, settings) is None


class TestWhatStands:
    def test_is_what_would_be_found_again(self, tmp_path, about, under):
        """The same work under the same settings; also where a module cannot be read."""
        for one in (ANN, replace(ANN, problems=UNREAD)):
            told = about(one)
            Store(tmp_path).keep(one, told)

            assert stands(tmp_path, one, read_report(tmp_path / "reports/ann.json"), under(told))

    @pytest.mark.parametrize(
        "other",
        [
            replace(ANN, files={"softmax": "x = 2"}),
            replace(ANN, files={}),
            replace(ANN, files={"softmax": "x = 1", "masks": ""}),
            replace(ANN, problems=UNREAD),
            replace(ANN, student="Anne"),
        ],
    )
    def test_is_no_other_work(self, tmp_path, about, under, other):
        """One that differs in its text, in what can be read, or whose inputs are drawn anew."""
        told = about(ANN)
        Store(tmp_path).keep(ANN, told)

        assert not stands(tmp_path, other, told, under(told))

    @pytest.mark.parametrize(
        "changes",
        [
            {"seed": 1},
            {"isolation": "process"},
            {"devices": ("cuda",)},
            {"versions": {"torch": "3"}},
            {"limits": {"exercise_seconds": 5}},
            {"suites": {"softmax": "another"}},
            {"suites": {}},
        ],
    )
    def test_is_nothing_made_otherwise(self, tmp_path, about, under, changes):
        """A suite was mended, or torch is another one."""
        told = about(ANN)
        Store(tmp_path).keep(ANN, told)
        today = Settings(replace(told.conditions, **changes), ("softmax",))

        assert not stands(tmp_path, ANN, told, today)

    def test_has_a_verdict_on_everything(self, tmp_path, about, under):
        """What failed for our own reasons is tried again every time."""
        told = about(ANN, Outcome.INTERNAL)
        Store(tmp_path).keep(ANN, told)

        assert not stands(tmp_path, ANN, told, under(told))

    def test_is_brought_up_to_date(self, tmp_path, about, under):
        """Places and times are not graded."""
        told = about(ANN)
        Store(tmp_path).keep(ANN, told)
        moved = replace(ANN, path="/new/ann", late=True, handed_in="2026-01-02")

        assert stands(tmp_path, moved, told, under(told))
        Store(tmp_path).bring_up(moved, told)
        (found,) = read_run(tmp_path).reports
        assert (found.path, found.late, found.handed_in) == ("/new/ann", True, "2026-01-02")
        assert not (tmp_path / "earlier").exists()

    def test_does_not_under_another_id(self, tmp_path, about, under):
        """Some inputs are drawn for each student."""
        told = about(ANN)
        Store(tmp_path).keep(ANN, told)

        assert not stands(tmp_path, replace(ANN, student_id="7"), told, under(told))

    def test_has_its_text(self, tmp_path, about):
        """It was deleted, or the run was killed between the two."""
        told = about(ANN)
        Store(tmp_path).keep(ANN, told)
        path = folder_of(tmp_path, "ann") / "softmax.py"
        path.write_text("changed")
        Store(tmp_path).bring_up(ANN, told)

        assert path.read_text() == "x = 1"


TWO = Submission("ann", "Ann", {"softmax": "x = 1", "masks": "from softmax import x"})


@pytest.fixture
def on_two(report, verdict):
    """``on_two(softmax=..., masks=...)``: a report on ``TWO``, whose verdicts are these."""

    def on_two(softmax=None, masks=None):
        found = {"softmax": [softmax or verdict()], "masks": [masks or verdict()]}
        return replace(report("ann", "Ann", **found), digests=digests_of(TWO))

    return on_two


def left(run, told, exercises=("softmax", "masks"), **suites):
    """What a later command grades, to which these suites are others."""
    Store(run).keep(TWO, told)
    conditions = replace(told.conditions, suites={**told.conditions.suites, **suites})
    return Store(run).left_of(TWO, told, Settings(conditions, exercises))


class TestWhatIsLeft:
    def test_is_the_exercise_whose_suite_was_mended(self, tmp_path, on_two):
        """And no other."""
        assert left(tmp_path, on_two(), masks="mended") == ("masks",)

    def test_are_those_that_import_its_module(self, tmp_path, on_two):
        """What a wrong module breaks is not held against them, and whether it is wrong may be
        another answer now.
        """
        assert left(tmp_path, on_two(), softmax="mended") == ("softmax", "masks")

    def test_are_those_that_blame_its_module(self, tmp_path, on_two, verdict):
        """However they came to it."""
        facts = {"module": "softmax", "other": "attention", "failing": 1, "checks": 2}
        because = Cause("needs_wrong", facts)
        blocked = verdict(Outcome.BLOCKED, cause=because)

        assert left(tmp_path, on_two(softmax=blocked), attention="mended")[0] == "softmax"
        assert left(tmp_path, on_two(), attention="mended") is None

    def test_is_what_has_no_verdict(self, tmp_path, on_two, verdict):
        """The others are known."""
        told = on_two(masks=verdict(Outcome.INTERNAL, cause=Cause("grading_ended")))

        assert left(tmp_path, told) == ("masks",)

    @pytest.mark.parametrize("kind", ["budget", "budget_of_bytes"])
    def test_is_everything_where_a_budget_was_spent(self, tmp_path, on_two, verdict, kind):
        """What one exercise takes, the others lack; but nobody is graded again for that alone."""
        spent = {"what": "exercise", "seconds": 60, "gib": 2}
        told = on_two(softmax=verdict(Outcome.TIMEOUT, cause=Cause(kind, spent)))

        assert left(tmp_path, told, masks="mended") == ("softmax", "masks")
        assert left(tmp_path, told) is None

    def test_is_an_exercise_that_is_new(self, tmp_path, on_two):
        """Of the others the report says enough; too much, where one is asked for no more."""
        told = on_two()

        assert left(tmp_path, told, ("softmax", "masks", "toy")) == ("toy",)
        assert left(tmp_path, told, ("masks",)) == ()

    def test_completes_what_stays(self, tmp_path, on_two, verdict):
        """In the order of the run, under today's conditions."""
        before, fresh = on_two(), on_two(masks=verdict(Outcome.FAILED))
        today = replace(fresh.conditions, suites={"masks": "mended"})
        fresh = replace(fresh, exercises=fresh.exercises[1:], conditions=today)
        whole = completed(fresh, before, Settings(today, ("softmax", "masks")))

        assert whole.exercises == (before.exercises[0], fresh.exercises[0])
        assert whole.conditions == today


class Killed(BaseException):
    """The end, wherever it comes."""


STEPS = ["write_texts", "write_report", "note_written"]


class TestAKill:
    @pytest.mark.parametrize("step", STEPS)
    @pytest.mark.parametrize("after", [False, True])
    def test_at_any_step_leaves_work_to_be_done_again(
        self, tmp_path, about, under, monkeypatch, step, after
    ):
        """Never a report that is taken for another attempt's, and the earlier one is there."""
        first, second = about(ANN), replace(ANN, files={"softmax": "x = 2"})
        Store(tmp_path).keep(ANN, first)
        new = about(second, Outcome.FAILED, graded_at="2026-02-02T00:00:00Z")
        real = getattr(store_module, step)

        def killed(*arguments):
            if after:
                real(*arguments)
            raise Killed

        with monkeypatch.context() as patch:
            patch.setattr(store_module, step, killed)
            with pytest.raises(Killed):
                Store(tmp_path).keep(second, new)
        (there,) = read_run(tmp_path).reports
        kept = [read_run(place).reports[0] for place in (tmp_path / "earlier").iterdir()]

        assert stands(tmp_path, second, there, under(new)) == (step == STEPS[-1] and after)
        assert kept == [first]
        Store(tmp_path).keep(second, new)
        assert read_run(tmp_path).reports == (new,)
        assert stands(tmp_path, second, new, under(new))

    def test_is_not_outlived_by_an_old_entry(self, tmp_path, about, under):
        """The journal knows the first report, and the second was written without it."""
        Store(tmp_path).keep(ANN, about(ANN))
        new = about(ANN, graded_at="2026-02-02T00:00:00Z")
        write_report(new, tmp_path)

        assert not stands(tmp_path, ANN, new, under(new))


class TestWhatIsReplaced:
    def test_is_kept_with_its_text_and_page(self, tmp_path, about):
        """In the form of a run: it can be read, exported and graded again."""
        first, second = about(ANN), replace(ANN, files={"softmax": "x = 2"})
        store = Store(tmp_path)
        store.keep(ANN, first)
        write_feedback(first, {}, tmp_path)
        Store(tmp_path).keep(second, about(second))
        (place,) = (tmp_path / "earlier").iterdir()

        assert read_run(place).reports == (first,)
        assert (folder_of(place, "ann") / "softmax.py").read_text() == "x = 1"
        assert (place / "feedback" / "ann.html").exists()
        assert not (tmp_path / "feedback" / "ann.html").exists()

    def test_is_never_overwritten(self, tmp_path, about):
        """Three attempts within one second are three."""
        texts = ["x = 1", "x = 2", "x = 3"]
        for text in texts:
            one = replace(ANN, files={"softmax": text})
            Store(tmp_path).keep(one, about(one))
        kept = {path.read_text() for path in (tmp_path / "earlier").rglob("softmax.py")}

        assert kept == {"x = 1", "x = 2"}

    def test_may_be_damaged(self, tmp_path, about):
        """It is kept byte for byte."""
        (tmp_path / "reports").mkdir()
        (tmp_path / "reports" / "ann.json").write_bytes(b'{"half": \xff')
        Store(tmp_path).keep(ANN, about(ANN))
        (kept,) = (tmp_path / "earlier").rglob("ann.json")

        assert kept.read_bytes() == b'{"half": \xff'
        assert len(read_run(tmp_path).reports) == 1


class TestPages:
    def test_are_made_once(self, tmp_path, about):
        """And once more when pictures are asked for."""
        told, store = about(ANN), Store(tmp_path)
        store.keep(ANN, told)
        assert not store.has_page(told, False, Terms())
        write_feedback(told, {}, tmp_path)
        store.note_page(told, False, Terms())

        assert Store(tmp_path).has_page(told, False, Terms())
        assert not Store(tmp_path).has_page(told, True, Terms())
        store.note_page(told, True, Terms())
        assert Store(tmp_path).has_page(told, False, Terms())

    @pytest.mark.parametrize("other", [Terms("title = 'Two'"), Terms(appeal="Write to us.")])
    def test_are_made_anew_by_other_terms(self, tmp_path, about, other):
        """They would show other marks, or tell another way to complain."""
        told, store = about(ANN), Store(tmp_path)
        store.keep(ANN, told)
        write_feedback(told, {}, tmp_path)
        store.note_page(told, False, Terms("title = 'One'"))

        assert Store(tmp_path).has_page(told, False, Terms("title = 'One'"))
        assert not Store(tmp_path).has_page(told, False, other)

    def test_change_nothing_about_the_report(self, tmp_path, about, under):
        """Why a module could not be read is still known."""
        one = replace(ANN, problems=UNREAD)
        told, store = about(one), Store(tmp_path)
        store.keep(one, told)
        Store(tmp_path).note_page(told, False, Terms())

        assert stands(tmp_path, one, told, under(told))


class TestTheJournal:
    @pytest.mark.parametrize(
        "entry", [{}, {"submission": "ann"}, {"submission": "ann", "problems": 5}]
    )
    def test_that_was_edited_says_nothing(self, tmp_path, about, under, entry):
        """What it does not know is graded again."""
        told = about(ANN)
        write_report(told, tmp_path)
        Store(tmp_path).journal.add("written", **entry)

        assert not stands(tmp_path, ANN, told, under(told))

    def test_says_under_what_was_graded(self, tmp_path):
        """And in what that differs from the time before."""
        conditions = Conditions(5, "full", (), ("cpu",), {}, {"softmax": "a", "masks": "b"})
        first = Settings(conditions, ("softmax",))
        Store(tmp_path).begin(first, "grading")
        changed = Store(tmp_path).begin(replace(first, exercises=("masks",)), "grading")

        assert changed == ("exercises",)
        assert [entry["changed"] for entry in Store(tmp_path).journal.entries()] == [
            [],
            ["exercises"],
        ]
        assert Store(tmp_path).begun.exercises == ("masks",)
