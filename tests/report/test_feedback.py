"""A student reads the rule, what went wrong, and what to do, and nothing of the hidden check."""

from __future__ import annotations

from dataclasses import replace

import pytest

from grader.model import (
    Cause,
    Check,
    Conditions,
    ExerciseReport,
    Outcome,
    Place,
    Report,
    Verdict,
)
from grader.report.feedback import (
    SIGNS,
    attempts,
    exercise_lines,
    summary,
    verdict_lines,
    words_on,
)
from grader.report.words import said

CALLED = {
    "call": {"name": "f", "of": "f", "args": (), "kwargs": {}},
    "at": (),
    "wanted": "1",
    "got": "2",
}
CAUSE = said("It differs.", "1 2", "1 3", "Look there.")


def verdict(outcome=Outcome.FAILED, cause=CAUSE, *, sentence="It is.", device="cpu", **fields):
    check = Check("softmax", "test_secret_name", sentence, 2.0, device=device)
    return Verdict(check, outcome, cause=cause, **fields)


def report(*verdicts):
    exercises = (ExerciseReport("softmax", verdicts),)
    return Report("ann", "ann", "now", Conditions(1, "full", (), ("cpu",), {}), exercises)


FAILURE = verdict(Outcome.INTERNAL, Cause("internal", {"said": "SandboxError: gone"}))


class TestOneCheck:
    def test_that_passed_is_its_sentence(self):
        """Nothing needs to be said about what is right."""
        lines = verdict_lines(verdict(Outcome.PASSED, None, output="debugging"))

        assert lines == ["✓ It is."]

    def test_that_failed_says_what_and_what_to_do(self):
        """The rule, the difference, both sides of it, and advice."""
        assert verdict_lines(verdict()) == [
            "✗ It is.",
            "    It differs.",
            "    expected  1 2",
            "    got       1 3",
            "    → Look there.",
        ]

    @pytest.mark.parametrize(
        ("cause", "said"),
        [
            (said("Why."), ["    Why."]),
            (said("Why.", actual="`x`"), ["    Why.", "    `x`"]),
            (said("Why.", expected="1"), ["    Why."]),
            (said("Why.", advice="Do."), ["    Why.", "    → Do."]),
        ],
    )
    def test_says_only_what_there_is(self, cause, said):
        """No empty headings."""
        assert verdict_lines(verdict(cause=cause))[1:] == said

    @pytest.mark.parametrize("outcome", [*Outcome][2:])
    def test_names_every_other_outcome(self, outcome):
        """Neither right nor wrong is said to be what it is."""
        called = "no verdict" if outcome is Outcome.INTERNAL else outcome.value

        assert verdict_lines(verdict(outcome))[0] == f"{SIGNS[outcome]} It is. ({called})"

    def test_names_a_device_that_is_not_the_usual_one(self):
        """On a GPU something may be wrong that is right on the CPU."""
        assert verdict_lines(verdict(device="cuda"))[0] == "✗ It is. [cuda]"

    def test_shows_what_was_printed(self):
        """The first lines of one's own printing help to find the place."""
        lines = verdict_lines(verdict(output="\n".join(map(str, range(20))) + "\n"))

        assert lines[5:] == ["    it printed:", *(f"    | {n}" for n in range(8))]

    def test_shows_no_more_than_a_thousand_characters(self):
        """Whoever prints hidden inputs does not get them all back."""
        lines = verdict_lines(verdict(output="x" * 5000))

        assert lines[6] == f"    | {'x' * 999}…"

    def test_never_names_the_hidden_check(self):
        """The test's own name and the points stay with the instructor."""
        assert "test_secret_name" not in "\n".join(verdict_lines(verdict(output="x")))


class TestOneExercise:
    def test_begins_with_its_score(self):
        """Points without needless digits."""
        exercise = ExerciseReport("softmax", (verdict(Outcome.PASSED, None), verdict()))

        assert exercise_lines(exercise)[:2] == ["softmax  2 / 4", "  ✓ It is."]

    def test_has_no_number_without_a_verdict(self):
        """What is not known is not 0, and nobody reads that it was their fault."""
        lines = exercise_lines(ExerciseReport("softmax", (verdict(Outcome.PASSED, None), FAILURE)))

        assert lines[0] == "softmax  – / 4"
        assert lines[2] == "  ! It is. (no verdict)"
        assert "This is not your fault, and your instructor will repeat it." in lines[3]

    @pytest.mark.parametrize(
        ("times", "said"), [(2, "stops 1 more check."), (4, "stops 3 more checks.")]
    )
    def test_tells_one_reason_once(self, times, said):
        """Ten checks stopped by one syntax error are told as one."""
        broken = [verdict(Outcome.ERROR, sentence=f"Rule {n}.") for n in range(times)]
        lines = exercise_lines(ExerciseReport("softmax", tuple(broken)))

        assert [line for line in lines if "Rule" in line] == ["  ✗ Rule 0. (error)"]
        assert lines[-1] == f"      The same {said}"

    def test_tells_what_is_wrong_before_what_is_not_used_yet(self):
        """An argument of a later step waits, as what is not written does; alone it is told."""
        ends = ({"kind": "unused_argument", "file": "f.py", "line": 3, "name": "mask", "of": "f"},)
        waits = verdict(cause=Cause("one_number", {**CALLED, "loose_ends": ends}), sentence="Two.")
        waits = replace(waits, check=replace(waits.check, core=True, step="f: with a mask"))
        wrong = verdict(sentence="One.")
        first = replace(wrong, check=replace(wrong.check, core=True, step="f: without"))
        both = exercise_lines(ExerciseReport("softmax", (waits, first)))

        assert [line for line in both if "Two." in line] == []
        assert both[1].strip() == "✗ One."
        assert both[-1].strip() == (
            "· 1 check fails as where a later step is not written yet, and waits. "
            "Never used: `mask`."
        )
        assert "  ✗ Two." in exercise_lines(ExerciseReport("softmax", (waits,)))
        robust = replace(waits, check=replace(waits.check, core=False, step=""))
        last = replace(first, check=replace(first.check, step="f: with a mask"))
        known = replace(last, misconception="this", lesson="That.")
        done = replace(first, outcome=Outcome.PASSED)
        assert "  ✗ Two." not in exercise_lines(ExerciseReport("softmax", (done, last, robust)))
        assert "  ✗ Two." in exercise_lines(ExerciseReport("softmax", (done, known, robust)))

    def test_what_fails_in_a_function_without_its_last_step_waits(self):
        """Unless it is known why it does, or the function is written to its end."""

        def lines(*, later, **fields):
            first = replace(wrong, check=replace(wrong.check, step="f: first", core=True))
            last = replace(later, check=replace(later.check, step="f: last", core=True))
            robust = replace(verdict(cause=counted, sentence="Robust."), **fields)
            verdicts = (replace(first, outcome=Outcome.PASSED), last, robust)
            return exercise_lines(ExerciseReport("softmax", verdicts))

        other = said("It varies.")
        counted = replace(other, facts={**other.facts, "of": "f"})
        wrong = verdict(sentence="First.")
        unwritten = verdict(cause=Cause("unwritten", {"said": "", "module": "f"}), sentence="Last.")

        assert "  ✗ Robust." not in lines(later=unwritten)
        assert "  ✗ Robust." in lines(later=wrong)
        assert "  ✗ Robust." in lines(later=unwritten, misconception="this", lesson="That.")
        compared = Cause("one_number", {**CALLED, "of": "f"})
        assert "  ✗ Robust." in lines(later=unwritten, cause=compared)

    def test_what_is_given_wrong_and_was_not_touched_waits(self):
        """The first is told, and the others with it counted."""
        given = Cause("one_number", {**CALLED, "as_given": True})
        found = [verdict(cause=given, sentence=f"{n}.") for n in ("One", "Two", "Three")]
        lines = exercise_lines(ExerciseReport("clinic", tuple(found)))

        assert [line for line in lines if line.startswith("  ✗")] == ["  ✗ One."]

    def test_an_argument_of_what_is_written_at_once_does_not_wait(self):
        """Its turn has come; what is not written yet is told after it."""
        ends = ({"kind": "unused_argument", "file": "f.py", "line": 3, "name": "p", "of": "f"},)
        wrong = verdict(cause=Cause("one_number", {**CALLED, "loose_ends": ends}), sentence="Two.")
        later = verdict(cause=Cause("unwritten", {"said": "", "module": "f"}), sentence="One.")
        later = replace(later, check=replace(later.check, core=True, step="g"))
        lines = exercise_lines(ExerciseReport("softmax", (later, wrong)))

        assert "  ✗ Two." in lines
        assert "  ✗ One." not in lines

    def test_tells_different_reasons_apart(self):
        """Every reason is told, in the order of the suite, and whatever passed in between."""
        verdicts = (
            verdict(sentence="One."),
            verdict(Outcome.PASSED, None, sentence="Two."),
            verdict(cause=said("Else."), sentence="Three."),
            verdict(Outcome.PASSED, None, sentence="Four."),
        )
        lines = exercise_lines(ExerciseReport("softmax", verdicts))
        rules = [line for line in lines if line.endswith(".") and line[2] in "✓✗"]

        assert rules == ["  ✗ One.", "  ✓ Two.", "  ✗ Three.", "  ✓ Four."]


class TestSummary:
    def test_of_a_perfect_report_is_empty(self):
        """Nothing is to be mended, whether or not a GPU was there."""
        passed, skipped = verdict(Outcome.PASSED, None), verdict(Outcome.SKIPPED)

        assert summary(report(passed, skipped)) == ""

    def test_names_the_first_thing_to_mend(self):
        """The first failure, with its outcome where it is not a wrong answer."""
        late = verdict(Outcome.TIMEOUT, said("No answer."))

        assert summary(report(verdict(), late)) == "softmax: It differs."
        assert summary(report(late, verdict())) == "softmax: timeout: No answer."

    def test_prefers_a_known_misconception(self):
        """A mistake that has a name comes before one that has none."""
        known = verdict(misconception="ignores_dim")

        assert summary(report(verdict(), known)) == "softmax: ignores_dim"

    def test_puts_what_was_not_handed_in_last(self):
        """What was tried comes before what was not."""
        absent = verdict(Outcome.ERROR, Cause("absent", {"module": "softmax"}))

        assert summary(report(absent, verdict())) == "softmax: It differs."
        assert summary(report(absent)) == "softmax: error: softmax.py is not in the submission."

    def test_puts_what_has_no_verdict_last_of_all(self):
        """There is nothing to mend."""
        assert summary(report(FAILURE, verdict())) == "softmax: It differs."
        assert summary(report(FAILURE)) == "softmax: no verdict"


def test_every_outcome_has_a_sign():
    """No outcome is forgotten."""
    assert set(SIGNS) == set(Outcome)


class TestExceptions:
    def raised(self, rows, line=3):
        said = f"RuntimeError: mat1 and mat2 shapes cannot be multiplied ({rows}x2 and 3x4)"
        facts = {"module": "softmax", "said": said, "inner": "2", "outer": "3", "sizes": {}}
        return verdict(
            Outcome.ERROR, Cause("matmul", facts, Place("softmax.py", line, "y = x @ w"))
        )

    def test_of_one_line_are_told_once(self):
        """The sizes in the message differ from check to check; the mistake is one."""
        found = ExerciseReport("softmax", (self.raised(5), self.raised(6), self.raised(7, line=4)))

        assert [words.more for words in words_on(found)] == [1, 0]

    def test_of_one_call_of_another_module_are_told_once(self):
        """Of which the call is the mistake, whatever the sizes that the other module speaks of."""

        def of_the_call(rows, line=9):
            because, place = self.raised(rows).cause, Place("encoder.py", line, "y = softmax(x)")
            facts = {"other": "softmax", "module": "encoder", "signature": "softmax(x)"}
            return verdict(Outcome.ERROR, Cause("callers", facts, place, because))

        found = ExerciseReport("encoder", (of_the_call(5), of_the_call(6), of_the_call(7, line=8)))

        assert [words.more for words in words_on(found)] == [1, 0]

    def test_of_a_debugger_accuse_nobody(self):
        """It looks for files and traces when it starts; anybody else's attempts are told."""
        debugger = Cause("debugger", {"module": "softmax", "said": "BdbQuit"})
        started = verdict(Outcome.ERROR, debugger, refused=("open('~/.pdbrc')",))

        assert attempts([started]) == []
        assert attempts([started, verdict(refused=("os.fork()",))]) == ["os.fork()"]
