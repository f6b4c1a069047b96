"""Whatever stops a check becomes an outcome and a sentence that a student can use."""

from __future__ import annotations

import pytest

from grader.errors import (
    DeadlinePassed,
    OutputFlood,
    OwnLine,
    ProtocolViolation,
    Raised,
    SandboxError,
    SubmissionRaised,
    SuiteError,
    TooMuchReturned,
    WorkerDied,
    WorkerLost,
)
from grader.examiner.causes import explain
from grader.examiner.surroundings import Surroundings
from grader.model import Cause, Outcome, Place
from grader.programs.failure import CheckFailed, Evidence, NotHandedIn, finding
from grader.report.told import Told
from grader.report.words import told

KNOWN = ("softmax", "masks", "attention")


def explained(error, *, importing=False):
    """Outcome and cause, in words."""
    error.importing = importing
    outcome, cause = explain(error, "attention", 5.0, KNOWN)
    return outcome, told(cause)


def died(*ended):
    error = WorkerDied("gone")
    error.ended = ended
    return error


def raised(type_name, message="", file="attention.py", line=7, text="y = f(x)", memory=False):
    lines = (OwnLine(file, line, text),) if file else ()
    return SubmissionRaised(Raised(type_name, message, lines, memory))


class TestFindings:
    def test_of_a_comparison_are_passed_on(self):
        """What the comparison said is what the student reads."""
        found = explained(finding("It differs.", "1", "2", "Look there."))

        assert found == (Outcome.FAILED, Told("It differs.", "1", "2", "Look there."))

    def test_of_an_assertion_are_its_message(self):
        """A property that does not hold is said in the check's words."""
        outcome, cause = explained(AssertionError("rows sum to 2, not to 1"))

        assert (outcome, cause) == (Outcome.FAILED, Told("rows sum to 2, not to 1"))

    def test_of_nothing_are_an_error(self):
        """A module that is not there is asked for."""
        outcome, cause = explained(NotHandedIn(Cause("absent", {"module": "attention"})))

        assert outcome is Outcome.ERROR
        assert cause.rationale == "attention.py is not in the submission."
        assert cause.help == "Add the file."


class TestExceptions:
    @pytest.mark.parametrize(
        ("error", "outcome", "rationale"),
        [
            (
                raised(
                    "NotImplementedError",
                    "attention: replace this line",
                    text="raise NotImplementedError",
                ),
                Outcome.FAILED,
                "Not written yet: attention.py, line 7 still holds `raise NotImplementedError`.",
            ),
            (
                raised("NotImplementedError", "no meta data", text="ids.tolist()"),
                Outcome.ERROR,
                "The call raised NotImplementedError: no meta data (attention.py, line 7).",
            ),
            (
                raised("ValueError", "no"),
                Outcome.ERROR,
                "The call raised ValueError: no (attention.py, line 7).",
            ),
            (
                raised("ValueError", "", line=0, text=""),
                Outcome.ERROR,
                "The call raised ValueError (attention.py).",
            ),
            (
                raised("SyntaxError", "'(' was never closed", text="f("),
                Outcome.ERROR,
                "Python cannot read attention.py, line 7: '(' was never closed.",
            ),
            (
                raised("IndentationError", "unexpected indent"),
                Outcome.ERROR,
                "Python cannot read attention.py, line 7: unexpected indent.",
            ),
            (
                raised("SystemExit", "sys.exit(0)"),
                Outcome.ERROR,
                "attention.py, line 7 ends the program with sys.exit(0).",
            ),
            (
                raised("RuntimeError", "can't allocate memory", memory=True),
                Outcome.MEMORY,
                "attention.py, line 7 asks for more memory than there is for a submission (1 GiB).",
            ),
            (
                raised("NotAllowedHere", "softmax does this exercise for you"),
                Outcome.FAILED,
                "attention.py, line 7: softmax does this exercise for you.",
            ),
        ],
        ids=lambda value: value.raised.type_name if isinstance(value, SubmissionRaised) else "",
    )
    def test_are_told_with_their_place(self, error, outcome, rationale):
        """Which line, what it did, and what that means."""
        found, cause = explained(error)

        assert (found, cause.rationale) == (outcome, rationale)

    def test_while_importing_are_told_as_such(self):
        """A module that cannot even be loaded is told apart from a call that fails."""
        _, cause = explained(raised("ValueError", "no"), importing=True)

        assert (
            cause.rationale
            == "Importing attention.py raised ValueError: no (attention.py, line 7)."
        )

    def test_in_another_exercise_block(self):
        """A check cannot pass while an exercise it is built on does not work."""
        outcome, cause = explained(raised("NotImplementedError", "no", file="masks.py"))

        assert outcome is Outcome.BLOCKED
        assert cause.rationale.startswith("This uses your `masks`, which is not ready: masks.py, l")
        assert cause.help == "Do masks first."

    def test_in_a_helper_do_not_block(self):
        """A helper of the student's own is part of the exercise."""
        outcome, cause = explained(raised("ValueError", "no", file="helper.py"))

        assert outcome is Outcome.ERROR
        assert "(helper.py, line 7)" in cause.rationale

    def test_of_a_missing_exercise_block(self):
        """An import of an exercise that was not handed in is told as that."""
        error = raised("ModuleNotFoundError", "No module named 'masks'")
        outcome, cause = explained(error, importing=True)

        assert outcome is Outcome.BLOCKED
        assert cause.rationale == (
            "attention.py imports your `masks`, which is not in the submission."
        )
        assert cause.help == "Add masks.py, in the folder of attention.py."

    @pytest.mark.parametrize("message", ["No module named 'pandas'", "", "No module named '"])
    def test_of_other_missing_modules_are_errors(self, message):
        """A library that is not there is no exercise."""
        outcome, _ = explained(raised("ModuleNotFoundError", message))

        assert outcome is Outcome.ERROR


class TestWorkers:
    @pytest.mark.parametrize(
        ("error", "outcome", "rationale"),
        [
            (DeadlinePassed("late"), Outcome.TIMEOUT, "No answer within 5 s for this check."),
            (
                OutputFlood("more than 1 MiB printed"),
                Outcome.ERROR,
                "Printing without end in this check: more than 1 MiB printed.",
            ),
            (
                TooMuchReturned("more than 128 MiB"),
                Outcome.ERROR,
                "What came back in this check is too much in all: more than 128 MiB.",
            ),
            (
                died("signal", "SIGSEGV"),
                Outcome.ERROR,
                "Your code ended its own process during this check: "
                "its process was ended by the signal SIGSEGV.",
            ),
            (
                ProtocolViolation("not JSON"),
                Outcome.ERROR,
                "What came back in this check is not an answer: not JSON.",
            ),
        ],
    )
    def test_that_fail_are_the_submissions_failure(self, error, outcome, rationale):
        """A worker that does not answer as agreed costs its own check."""
        found, cause = explained(error)

        assert (found, cause.rationale) == (outcome, rationale)
        assert cause.help

    def test_that_fail_while_importing_are_told_as_such(self):
        """The whole module is at fault then, not one check."""
        _, cause = explained(DeadlinePassed("late"), importing=True)

        assert cause.rationale == "No answer within 5 s for importing attention.py."

    def test_that_left_no_trace_have_ended(self):
        """Where nothing more is known, no more is said."""
        _, cause = explained(WorkerDied("gone"))

        assert cause.rationale.endswith("during this check: its process ended.")

    def test_that_left_the_channel_are_told_as_such(self):
        """Whoever closes it has not been killed, by whatever signal it ended afterwards."""
        _, cause = explained(died("hung_up", ""))

        assert cause.rationale.endswith("during this check: it left the grader's channel.")


class TestOurs:
    def test_is_what_was_lost(self):
        """A process that somebody else ended, stopped or starved is no verdict."""
        outcome, cause = explained(WorkerLost("the worker's process was stopped"))

        assert outcome is Outcome.INTERNAL
        assert "not shown to be your fault" in cause.rationale
        assert cause.actual == "the worker's process was stopped"

    @pytest.mark.parametrize(
        "error", [SuiteError("broken"), SandboxError("no worker"), KeyError("x"), RuntimeError()]
    )
    def test_failures_are_never_the_students(self, error):
        """What is none of the above is our failure, and said to be."""
        outcome, cause = explained(error)

        assert outcome is Outcome.INTERNAL
        assert "not your fault" in cause.rationale
        assert cause.actual.startswith(type(error).__name__)

    def test_failures_are_told_in_short(self):
        """An endless message is cut."""
        _, cause = explained(RuntimeError("x" * 10_000))

        assert len(cause.actual) <= 500


class TestWithTheTextAtHand:
    TEXT = (
        "def attention(q):\n"
        "    if q > 3:\n"
        "        raise ValueError(q)\n"
        "    if q:\n"
        "        return table[q], weights\n"
        "def other(q):\n"
        "    return table[q]\n"
    )

    def found(self, cause, text=TEXT):
        error = CheckFailed(cause, Evidence(cause.kind, 0, ""))
        around = Surroundings(files={"attention": text}, module="attention")
        return explain(error, "attention", 5.0, KNOWN, around)[1]

    @pytest.mark.parametrize(
        ("line", "kind", "condition"),
        [(5, "asked_in_vain", "if q > 3:"), (7, "refused_by_accident", None)],
    )
    def test_a_condition_that_lets_through_is_told(self, line, kind, condition):
        """The one of the same function, above the line that happens to fail."""
        facts = {"cases": ("q = 3",), "error": "IndexError", "said": "IndexError: 3"}
        found = self.found(Cause("refused_by_accident", facts, Place("attention.py", line, "")))

        assert (found.kind, found.facts.get("condition")) == (kind, condition)

    @pytest.mark.parametrize(
        ("end", "kind"),
        [
            ("", "returns_none"),
            ("    else:\n        q = 1\n", "returns_none"),
            ("    return q, w\n", "none_among"),
            ("    else:\n        return q\n", "none_among"),
            ("    def inner():\n        q = 1\n    return q\n", "none_set_inside"),
        ],
    )
    def test_none_where_the_function_returns_is_no_missing_return(self, end, kind):
        """On all of its ways: then one part of what it returns is None."""
        call = {"name": "attention", "of": "attention", "args": (), "kwargs": {}}
        facts = {
            "call": call,
            "at": (("item", 1),),
            "wanted_kind": ("tensor",),
            "got_kind": ("nothing",),
        }
        text = self.TEXT.replace("def other", f"{end}def other")

        assert self.found(Cause("kind", facts), text).kind == kind
