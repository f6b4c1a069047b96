"""An assignment is read strictly: what it says is done, and what cannot be done is refused."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest

from grader.course.assignment import (
    Amount,
    LateRule,
    read_assignment,
    read_for,
    require_known,
)
from grader.course.catalog import load_catalog
from grader.errors import AssignmentError

WHOLE = """\
due = 2026-11-20T23:59:00+01:00
seed = 1234
devices = ["cuda", "cpu"]
core_percent = 60
marks = "strict"

[weights]
softmax = 10
masks = 2.5

[checks]
drop = ["softmax.test_a"]

[checks.points]
softmax.test_b = 3
"masks.test_c" = 0.125

[extensions]
"4711" = 2026-11-27T23:59:00+01:00

[late]
percent_per_day = 10
at_most_points = 4
grace_minutes = 15
not_after_days = 7

[limits]
exercise_seconds = 120
memory_mib = 2048
"""
DUE = "due = 2026-11-20T23:59:00+01:00"
KNOWN = {"softmax": {"test_a": 2.0, "test_b": 1.0}, "masks": {"test_c": 1.0}, "heads": {}}


class TestReading:
    def test_gives_all_that_the_file_says(self, assignment):
        """Checks may be named in quotes or without; devices are in the usual order."""
        found = assignment(WHOLE)

        assert (found.title, found.exercises) == ("Problem set 1", ("softmax", "masks"))
        assert (found.seed, found.devices) == (1234, ("cpu", "cuda"))
        assert found.due == datetime(2026, 11, 20, 22, 59, tzinfo=UTC)
        assert found.weights == {"softmax": 10, "masks": 2.5}
        assert found.dropped == {"softmax.test_a"}
        assert found.points == {"softmax.test_b": 3, "masks.test_c": 0.125}
        assert found.extensions["4711"] - found.due == timedelta(days=7)
        assert found.late == LateRule(
            Amount(10, is_percent=True), Amount(4, is_percent=False), 15, 7
        )
        assert found.limits == {"exercise_seconds": 120, "memory_mib": 2048}
        assert (found.core_percent, found.marks) == (60, "strict")

    def test_says_nothing_of_what_the_file_leaves_out(self, assignment):
        """A title and exercises are enough."""
        found = assignment()

        assert (found.due, found.late, found.seed, found.devices) == (None, None, None, ())
        assert not (found.weights or found.dropped or found.points or found.limits)

    def test_keeps_the_text(self, assignment, tmp_path):
        """It is copied into the run as it is."""
        found = assignment("# mine\r\n", DUE)

        assert found.text.encode() == (tmp_path / "assignment.toml").read_bytes()


class TestExtensions:
    def test_are_found_by_id_and_by_name(self, assignment):
        """However they are spelled: capitals, composed letters and spaces."""
        later = ['"José  Díaz" = 2026-11-27T12:00:00Z', "4711 = 2026-11-28T12:00:00Z"]
        found = assignment(DUE, "[extensions]", *later)

        assert found.due_for("", "jose\u0301 di\u0301az") == datetime(2026, 11, 27, 12, tzinfo=UTC)
        assert found.due_for("4711", "José Díaz").day == 28
        assert found.due_for("", "Ann") == found.due

    def test_of_one_name_twice_are_refused(self, assignment):
        """One of the two would be forgotten."""
        with pytest.raises(AssignmentError, match="'ANN' and 'ann' are one name"):
            assignment(
                DUE, "[extensions]", "ann = 2026-11-27T12:00:00Z", "ANN = 2026-11-28T12:00:00Z"
            )

    def test_come_after_the_due_date(self, assignment):
        """An earlier one is a slip, and would cost marks."""
        with pytest.raises(AssignmentError, match=r"'ann' has time until .* which is before 'due'"):
            assignment(DUE, "[extensions]", "ann = 2025-11-27T12:00:00Z")


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ('exercise = ["softmax"]', r"the key 'exercise' is unknown. Did you mean 'exercises'\?"),
        ("core = 1", "the key 'core' is unknown. There are title, exercises, weights"),
        ("seed = true", "'seed' must be a whole number, 0 or more, not true"),
        ("seed = -3", "'seed' must be a whole number, 0 or more, not -3"),
        ("seed = 1.5", "'seed' must be a whole number, 0 or more, not 1.5"),
        ('devices = "cpu"', "'devices' must be a list of names, .* not the text 'cpu'"),
        ("devices = []", "'devices' must be a list of names, .* not an empty list"),
        ('devices = ["gpu"]', r"'gpu' is no device. Did you mean 'cpu'\?"),
        ('devices = ["cpu", "cpu"]', "'cpu' stands in the list twice"),
        ("weights = 3", r"\[weights\] must be a table, not 3"),
        ("[weights]\nsoftmax = -1", "'softmax' must be a number, 0 or more, not -1"),
        ("[weights]\nsoftmax = nan", "'softmax' must be a number, 0 or more, not nan"),
        ("[weights]\nsoftmax = 0.0001", "with 3 decimals at most, not 0.0001"),
        ('[weights]\nsoftmax = "3"', "must be a number, 0 or more, not the text '3'"),
        ("[weights]\nsofmax = 1", r"\[weights\]: 'sofmax' is not one of 'exercises'. Did you mean"),
        ("[weights]\nheads = 1", "'heads' is not one of 'exercises'. Add it there, or take it out"),
        ("[weights]\nmasks = 1\nmasks = 2", "assignment.toml is not TOML: Cannot overwrite"),
        ("[checks]\ndrop = 'x'", "'drop' must be a list of names"),
        ("[checks]\ndrops = []", r"the key 'drops' is unknown. Did you mean 'drop'\?"),
        ("[checks]\ndrop = ['test_a']", "'test_a' names no check. Write exercise.test_name"),
        ("[checks]\ndrop = ['heads.test_a']", "'heads' is not one of 'exercises'"),
        (
            "[checks]\ndrop = ['masks.test_c']\npoints = { masks.test_c = 1 }",
            "'masks.test_c' stands there twice",
        ),
        (
            "[checks.points]\nmasks.test_c = 1\n'masks.test_c' = 2",
            "'masks.test_c' stands there twice",
        ),
        ("[checks.points]\nmasks.test_c = -1", "'masks.test_c' must be a number, 0 or more"),
        ("due = 2026-11-20", "'due' must be a date and time with its zone, .* 2026-11-20 alone"),
        ("due = 2026-11-20T23:59:00", "not 2026-11-20 23:59:00, a time without its zone"),
        ('due = "tomorrow"', "not the text 'tomorrow'"),
        ("[late]\npercent_per_day = 10", "nothing is late without 'due'"),
        (f"{DUE}\n[late]\nper_day = 1", "the key 'per_day' is unknown"),
        (f"{DUE}\n[late]\ngrace_minutes = 5", "takes nothing off: add percent_per_day"),
        (f"{DUE}\n[late]\nat_most_points = 5\nnot_after_days = 1", "a most and nothing per day"),
        (f"{DUE}\n[late]\npercent_per_day = 101", "a number, from 0 to 100, not 101"),
        (f"{DUE}\n[late]\npercent_per_day = 1\npoints_per_day = 1", "has both percent_per_day and"),
        (f"{DUE}\n[late]\nnot_after_days = 1.5", "'not_after_days' must be a whole number"),
        (f"{DUE}\n[extensions]\nann = 2026-12-01", "'ann' must be a date and time with its zone"),
        (f"{DUE}\n[extensions]\n'' = 2026-12-01T00:00:00Z", "a name must be a text in quotes"),
        ("core_percent = 101", "'core_percent' must be"),
        ('marks = "strictly"', "'strictly' is no way to count. Did you mean 'strict'"),
        ('marks = ""', "'marks' must be a text"),
        ("[limits]\nprocesses = 5", "the key 'processes' is unknown. There are exercise_seconds"),
        ("[limits]\nmemory_mb = 5", "'memory_mb' is unknown. Did you mean 'memory_mib'"),
        ("[limits]\nmemory_mib = 127", "a whole number, from 128 to 1048576, not 127"),
        ("[limits]\nmemory_mib = 1073741824", "from 128 to 1048576, not 1073741824"),
        ("[limits]\nmemory_mib = 1.5", "'memory_mib' must be a whole number"),
        ("[limits]\nmemory_mib = '2 GiB'", "not the text '2 GiB'"),
        ("[limits]\nexercise_seconds = 0", "'exercise_seconds' must be a number above 0, not 0"),
    ],
)  # fmt: skip
def test_every_slip_is_one_sentence(assignment, lines, said):
    """Which file, what was expected, what was found."""
    with pytest.raises(AssignmentError, match=said) as caught:
        assignment(lines)

    assert "assignment.toml" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("start", "said"),
    [
        ("", "'title' is missing. Add it."),
        ('title = ""\nexercises = ["softmax"]', "'title' must be a text in quotes, not the text"),
        ('title = "One"', "'exercises' is missing"),
        ('title = "One"\nexercises = [3]', "a name in the list must be a text in quotes, not 3"),
        ('title = "One"\nexercises = ["a", "a"]', "'a' stands in the list twice"),
        ("title = [", "is not TOML"),
    ],
)
def test_title_and_exercises_are_needed(assignment, start, said):
    """Nothing can be graded without."""
    with pytest.raises(AssignmentError, match=said):
        assignment(start=start)


class TestFiles:
    def test_must_be_there(self, tmp_path):
        """Neither a folder nor nothing."""
        for path in (tmp_path, tmp_path / "no.toml"):
            with pytest.raises(AssignmentError, match="is no file"):
                read_assignment(path)

    def test_are_utf_8(self, tmp_path):
        """As TOML is."""
        path = tmp_path / "a.toml"
        path.write_bytes('title = "Übung"'.encode("latin-1"))
        with pytest.raises(AssignmentError, match="is not UTF-8"):
            read_assignment(path)

    def test_may_begin_with_the_mark_of_windows(self, tmp_path):
        """Its editors write one."""
        path = tmp_path / "a.toml"
        path.write_text('title = "Übung"\nexercises = ["softmax"]', encoding="utf-8-sig")

        assert read_assignment(path).title == "Übung"


class TestNames:
    @pytest.mark.parametrize(
        ("lines", "said"),
        [
            ("[checks]\ndrop = ['softmax.test_aa']", r"Did you mean 'test_a'\?"),
            ("[checks]\ndrop = ['softmax.test_xyz']", "There are test_a, test_b."),
            ("[checks.points]\nmasks.test_a = 3", "'masks.test_a' is not a check of 'masks'"),
            ("[checks]\ndrop = ['masks.test_c']", "all checks of 'masks' are dropped"),
            ("weights = {masks = 3}\nchecks = {points = {masks.test_c = 0}}", "all its checks 0"),
        ],
    )
    def test_of_checks_must_exist(self, assignment, lines, said):
        """And something of an exercise must be left."""
        with pytest.raises(AssignmentError, match=said):
            require_known(assignment(lines), KNOWN)

    def test_of_exercises_must_exist(self, assignment):
        """The near one is named."""
        start = 'title = "One"\nexercises = ["softmx"]\n'
        with pytest.raises(AssignmentError, match=r"'softmx' is not an exercise. Did you mean 's"):
            require_known(assignment(start=start), KNOWN)

    def test_that_exist_are_taken(self, assignment):
        """A check worth nothing among others, and an exercise worth nothing, are meant."""
        require_known(
            assignment("weights = {masks = 0}", "[checks.points]", "softmax.test_b = 0"), KNOWN
        )

    def test_are_those_of_the_course(self, toy, tmp_path):
        """Its catalog and its suites, which are read and not run."""
        path = tmp_path / "assignment.toml"
        text = 'title = "One"\nexercises = ["toy"]\n[checks]\ndrop = ["toy.{}"]\n'
        path.write_text(text.format("test_doubles"))

        assert read_for(toy, ["toy"], path).dropped == {"toy.test_doubles"}
        path.write_text(text.format("test_double"))
        with pytest.raises(AssignmentError, match="Did you mean 'test_doubles'"):
            read_for(toy, ["toy"], path)


def test_the_example_of_the_readme_can_be_used(course, tmp_path):
    """All of its keys, exercises and checks exist."""
    readme = (course.root / "README.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```toml\n(.*?)```", readme, re.S)
    path = tmp_path / "assignment.toml"
    path.write_text(example, encoding="utf-8")
    found = read_for(course, load_catalog(course), path)

    assert found.late and found.extensions and found.dropped and found.points and found.limits
