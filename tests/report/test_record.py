"""A report is kept in a file, whole, and comes back as it was."""

from __future__ import annotations

import json
import os
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.errors import ReportError
from grader.model import (
    Cause,
    Check,
    Conditions,
    ExerciseReport,
    Measured,
    Outcome,
    Place,
    Report,
    Verdict,
)
from grader.report.feedback import exercise_lines
from grader.report.record import SCHEMA, from_json, read_report, to_json, write_report
from grader.report.words import said

CONDITIONS = Conditions(7, "full", ("process", "limits"), ("cpu",), {"grader": "1"})

# What a report may hold ---------------------------------------------------------------------------

words = st.text(max_size=20)
numbers = st.floats(0, 1e6, allow_nan=False)
shapes = st.lists(st.integers(0, 99), max_size=3).map(tuple)
arguments = st.one_of(st.tuples(st.just("tensor"), shapes), st.tuples(st.just("plain"), words))
calls = st.fixed_dictionaries(
    {
        "name": words,
        "args": st.lists(arguments, max_size=3).map(tuple),
        "kwargs": st.dictionaries(words, arguments, max_size=2),
    }
)
places = st.builds(Place, words, st.integers(1, 9999), words)
causes = st.one_of(
    st.builds(said, words, words, words, words),
    st.builds(lambda name: Cause("absent", {"module": name}), words),
    st.builds(
        lambda call, got: Cause("shape", {"call": call, "at": (), "got": got, "wanted": ""}),
        calls,
        words,
    ),
    st.builds(
        lambda place, text: Cause("raised", {"module": "m", "said": text}, place), places, words
    ),
)
WRONG = {"module": "m", "other": "o", "failing": 1, "checks": 2}
causes |= st.builds(
    lambda inner: Cause("needs_wrong", WRONG, because=inner),
    causes,
)
verdicts = st.builds(
    Verdict,
    check=st.builds(Check, st.just("softmax"), words, words, numbers, st.booleans(), words),
    outcome=st.sampled_from(Outcome),
    seconds=numbers,
    misconception=st.none() | words,
    lesson=words,
    cause=st.none() | causes,
    output=words,
    refused=st.lists(words, max_size=2).map(tuple),
    settled=st.booleans(),
    measured=st.none()
    | st.builds(Measured, words, numbers, numbers, numbers, numbers, st.booleans()),
    advice=st.none() | causes,
)
reports = st.builds(
    Report,
    submission=words,
    student=words,
    graded_at=words,
    conditions=st.builds(
        Conditions,
        st.integers(0, 1 << 128),
        words,
        st.lists(words, max_size=3).map(tuple),
        st.lists(words, max_size=2).map(tuple),
        st.dictionaries(words, words, max_size=3),
    ),
    exercises=st.lists(
        st.builds(ExerciseReport, st.just("softmax"), st.lists(verdicts, max_size=4).map(tuple)),
        max_size=3,
    ).map(tuple),
    path=words,
    digests=st.dictionaries(words, words, max_size=3),
    student_id=words,
    late=st.booleans(),
    handed_in=words,
)


def verdict(outcome=Outcome.PASSED, points=1.0, **fields):
    return Verdict(Check("softmax", "test_it", "It is.", points), outcome, **fields)


def report(name="ann", *verdicts, **fields):
    exercises = (ExerciseReport("softmax", verdicts),)
    return Report(name, name, "2026-01-01T00:00:00Z", CONDITIONS, exercises, **fields)


class TestRoundTrip:
    @given(reports)
    def test_gives_the_same_report(self, report):
        """Through JSON's own text, whatever the report holds."""
        text = json.dumps(to_json(report), ensure_ascii=False, allow_nan=False)

        assert from_json(json.loads(text)) == report

    @given(reports)
    def test_gives_the_same_words(self, report):
        """What a student is told can be made again from the file alone."""
        again = from_json(json.loads(json.dumps(to_json(report))))

        assert [exercise_lines(e) for e in again.exercises] == [
            exercise_lines(e) for e in report.exercises
        ]


class TestDamage:
    @pytest.mark.parametrize(
        "form",
        [
            None,
            [],
            {},
            {"schema": "report/v9"},
            {"schema": SCHEMA},
            to_json(report("ann", verdict())) | {"exercises": 3},
            to_json(report("ann", verdict())) | {"exercises": [{"name": "softmax", "checks": [1]}]},
        ],
    )
    def test_is_one_kind_of_error(self, form):
        """Whatever is wrong with it, it is no report."""
        with pytest.raises(ReportError):
            from_json(form)

    @pytest.mark.parametrize("text", ["", "{", "3"])
    def test_names_the_file(self, tmp_path, text):
        """A file that is none is named."""
        path = tmp_path / "ann.json"
        path.write_text(text)

        with pytest.raises(ReportError):
            read_report(path)

    def test_of_a_missing_file_is_said(self, tmp_path):
        with pytest.raises(ReportError, match=r"ann\.json"):
            read_report(tmp_path / "ann.json")


class TestFiles:
    def test_keep_a_seed_to_the_last_bit(self, tmp_path):
        """A run is repeated with the seed of its report."""
        seed = 2**128 - 3
        told = replace(report("ann", verdict()), conditions=replace(CONDITIONS, seed=seed))

        assert read_report(write_report(told, tmp_path)).conditions.seed == seed

    def test_hold_everything(self, tmp_path):
        """A report on disk says all there is to know."""
        cause, place = Cause("raised", {"said": "ValueError: no"}, Place("softmax.py", 3, "f(")), 3
        failed = verdict(Outcome.FAILED, 2.0, cause=cause, lesson="Look.", seconds=0.1235)
        told = report("ann", verdict(), failed, path="in/ann", digests={"softmax": "sha256:1"})
        path = write_report(told, tmp_path)
        found = json.loads(path.read_text(encoding="utf-8"))

        assert path == tmp_path / "reports" / "ann.json"
        assert (found["schema"], found["submission"], found["seed"]) == (SCHEMA, "ann", 7)
        assert (found["path"], found["digests"]) == ("in/ann", {"softmax": "sha256:1"})
        assert (found["score"], found["max_score"]) == (1.0, 3.0)
        assert (found["isolation"], found["layers"]) == ("full", ["process", "limits"])
        assert found["exercises"][0]["checks"][1] == {
            "name": "test_it",
            "sentence": "It is.",
            "outcome": "failed",
            "points": 0.0,
            "max_points": 2.0,
            "worth": 2.0,
            "carried": 0.0,
            "device": "cpu",
            "seconds": 0.1235,
            "public": False,
            "core": False,
            "step": "",
            "idea": "",
            "misconception": None,
            "lesson": "Look.",
            "cause": {
                "kind": "raised",
                "facts": {"said": "ValueError: no"},
                "place": {"file": "softmax.py", "line": place, "text": "f("},
                "because": None,
                "rationale": "The call raised ValueError: no (softmax.py, line 3).",
                "expected": "",
                "actual": "`f(`",
                "help": "A general hint: Look.",
            },
            "right_at_first": False,
            "settled": False,
            "measured": None,
            "advice": None,
            "output": "",
            "refused": [],
        }

    def test_count_what_was_refused_once(self, tmp_path):
        """An attempt made in every check is one attempt."""
        tried = [verdict(refused=("open('/x')", "os.fork()")), verdict(refused=("open('/x')",))]
        found = json.loads(write_report(report("ann", *tried), tmp_path).read_text("utf-8"))

        assert found["refused"] == ["open('/x')", "os.fork()"]

    def test_count_a_skipped_check_as_absent(self, tmp_path):
        """Where there was no GPU, nothing is lost, and what the check is worth is not forgotten."""
        path = write_report(report("ann", verdict(), verdict(Outcome.SKIPPED, 9.0)), tmp_path)

        assert read_report(path).max_score == 1.0
        assert read_report(path).verdicts[1].check.max_points == 9.0

    def test_have_no_number_without_a_verdict(self, tmp_path):
        """Neither the exercise nor the whole has a score; what both are worth is known."""
        path = write_report(report("ann", verdict(), verdict(Outcome.INTERNAL, 9.0)), tmp_path)
        found = json.loads(path.read_text("utf-8"))

        assert (found["score"], found["exercises"][0]["score"]) == (None, None)
        assert (found["max_score"], found["exercises"][0]["max_score"]) == (10.0, 10.0)
        assert (read_report(path).score, read_report(path).earned) == (None, 1.0)

    def test_speak_any_language(self, tmp_path):
        """Names are written as they are."""
        path = write_report(report("Zoë ☃"), tmp_path)

        assert path.name == "Zoë ☃.json"
        assert "Zoë ☃" in path.read_text(encoding="utf-8")

    def test_replace_earlier_ones(self, tmp_path):
        """A second run leaves one report, not two."""
        write_report(report("ann", verdict(Outcome.FAILED)), tmp_path)
        path = write_report(report("ann", verdict()), tmp_path)

        assert read_report(path).score == 1.0
        assert list(path.parent.iterdir()) == [path]

    def test_are_written_whole_or_not_at_all(self, tmp_path, monkeypatch):
        """When writing fails, the earlier report is as it was, and nothing lies beside it."""
        path = write_report(report("ann", verdict()), tmp_path)
        before = path.read_bytes()

        def fail(*names):
            raise OSError("disk full")

        monkeypatch.setattr(os, "replace", fail)
        with pytest.raises(OSError, match="disk full"):
            write_report(report("ann", verdict(Outcome.FAILED)), tmp_path)

        assert path.read_bytes() == before
        assert list(path.parent.iterdir()) == [path]

    def test_refuse_what_json_has_no_number_for(self, tmp_path):
        """A report that other programs could not read is not written."""
        with pytest.raises(ValueError, match="JSON"):
            write_report(report("ann", verdict(seconds=float("nan"))), tmp_path)
