"""What an instructor learns about a class."""

from __future__ import annotations

import json

from grader.exports.class_report import Look, class_report, to_json
from grader.model import Cause, Measured, Outcome
from grader.runs.reading import Run, read_run


def report_on(*reports, problems=()):
    return class_report(Run(tuple(reports), tuple(problems)))


class TestTotals:
    def test_are_in_percent_and_in_tenths(self, report, verdict):
        """The best are in the last tenth; the quartiles take in half of the class."""
        checks = {n: [verdict(points=n), verdict(Outcome.FAILED, 100 - n)] for n in (0, 9, 10, 55)}
        checks[100] = [verdict(points=100)]
        found = report_on(*(report(str(n), softmax=c) for n, c in checks.items())).distribution

        assert found.bins == (2, 1, 0, 0, 0, 1, 0, 0, 0, 1)
        assert (found.marks, found.mean, found.median) == (5, 34.8, 10)
        assert found.quartiles == (9, 55)

    def test_leave_out_who_has_no_mark(self, report, verdict):
        """What is not known is no zero."""
        whole = report("ann", softmax=[verdict()])
        part = report("ben", softmax=[verdict(), verdict(Outcome.INTERNAL)])
        found = report_on(whole, part)

        assert (found.submissions, found.distribution.marks) == (2, 1)
        assert found.distribution.mean == 100

    def test_of_nobody_are_none(self):
        """And no division by zero."""
        found = report_on()

        assert (found.distribution.mean, found.distribution.quartiles) == (None, None)
        assert json.loads(json.dumps(to_json(found)))["submissions"] == 0


def test_exercises_are_those_handed_in(report, verdict):
    """Their mean is of those who did."""
    absent = verdict(Outcome.ERROR, cause=Cause("absent", {"module": "masks"}))
    ann = report("ann", softmax=[verdict()], masks=[absent])
    ben = report("ben", softmax=[verdict(Outcome.FAILED)], masks=[verdict()])
    rows = report_on(ann, ben).exercises

    assert [(row.name, row.handed_in, row.mean) for row in rows] == [
        ("softmax", 2, 50), ("masks", 1, 100),
    ]  # fmt: skip


class TestMisconceptions:
    def test_are_counted_by_submission(self, report, verdict):
        """Once each, however many checks it fails; the most frequent first."""

        def wrong(name):
            return verdict(Outcome.FAILED, misconception=name, lesson=f"You {name}.")

        ann = report("ann", softmax=[wrong("square"), wrong("square"), wrong("round")])
        ben = report("ben", softmax=[wrong("round")])
        held = report_on(ann, ben).misconceptions

        assert [(one.misconception, one.sentence, one.submissions) for one in held] == [
            ("round", "You round.", ("ann", "ben")),
            ("square", "You square.", ("ann",)),
        ]


class TestChecks:
    def test_that_nobody_or_everybody_fails_stand_out(self, report, verdict):
        """Neither tells anybody from anybody."""
        rows = [(1, 0, 0), (1, 0, 1)]
        outcomes = {1: Outcome.PASSED, 0: Outcome.FAILED}
        checks = [
            [verdict(outcomes[x], name=f"test_{place}") for place, x in enumerate(row)]
            for row in rows
        ]
        found = report_on(*(report(str(n), softmax=those) for n, those in enumerate(checks)))

        assert [item.name for item in found.everybody_passes] == ["test_0"]
        assert [item.name for item in found.nobody_passes] == ["test_1"]


class TestWhatAPersonMustSee:
    def test_is_collected(self, report, verdict):
        """What could not be read, has no verdict, was refused, or is too fast; but not what a
        debugger tries when it starts.
        """
        fast = Measured("time", 0.04, 0.04, 0.04, 1.5, suspicious=True)
        ann = report("ann", softmax=[verdict(Outcome.INTERNAL), verdict(measured=fast)])
        started = verdict(Outcome.ERROR, cause=Cause("debugger", {}), refused=("os.openpty()",))
        ben = report("ben", softmax=[verdict(refused=("os.fork()", "os.kill(1, 9)")), started])
        found = report_on(ann, ben, problems=["reports/x.json: no"]).to_look_at

        assert found == (
            Look("unread", "", ("reports/x.json: no",)),
            Look("no_verdict", "ann", ("softmax: test_it",)),
            Look("refused", "ben", ("os.fork()", "os.kill(1, 9)")),
            Look("suspicious", "ann", ("softmax: 0.04 times the reference's time",)),
        )


def test_a_real_class_becomes_json(graded):
    """There and back, with every check and its difficulty."""
    out, _ = graded
    form = json.loads(json.dumps(to_json(class_report(read_run(out))), allow_nan=False))
    refused = {look["submission"] for look in form["to_look_at"] if look["kind"] == "refused"}

    assert form["schema"] == "class-report/v1"
    assert form["submissions"] == sum(form["distribution"]["bins"]) == 6
    assert {"reads_the_solutions", "writes_a_file"} <= refused
    assert [one["misconception"] for one in form["misconceptions"]] == ["ignores_dim"]
    assert all(0 <= check["difficulty"] <= 1 for check in form["checks"])
