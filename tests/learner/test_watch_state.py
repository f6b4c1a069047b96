"""A page is checked on every save, and what is shown and remembered follows from the verdicts."""

from __future__ import annotations

from contextlib import closing

from grader.learner.events import SAVE
from grader.learner.lines import Size
from grader.sandbox.launch import open_sandbox

RIGHT = "def double(x):\n    return 2 * x\n"
SQUARES = "def double(x):\n    return x * x\n"
ON_THE_CPU = "import torch\n\n\ndef double(x):\n    return x * torch.full((1,), 2.0)\n"
ONE_TOO_MANY = "def double(x):\n    return x + x + x\n"
FOREVER = "def double(x):\n    while True:\n        pass\n"


class TestVerdicts:
    def test_the_stub_is_checked_at_once(self, sit):
        """What to open stands above, the keys below, and no key that would not help."""
        (first,) = sit()

        assert first.splitlines()[0].startswith("toy · A toy")
        assert "Open " in first and "toy.py:7" in first
        assert "Not written yet" in first
        assert "q quit" in first.splitlines()[-1]
        assert "n next" not in first and "s solution" not in first

    def test_checking_is_said_before_the_verdict(self, sit, save):
        """The picture before the last one says so."""
        sit(save(RIGHT))

        assert "Checking toy.py …" in sit.pictures[-2]

    def test_the_core_is_told_while_the_rest_is_checked(self, sit, save, workspace):
        """Whoever has the idea need not wait for what makes it robust."""
        suite = workspace.course.suite("toy")
        marked = suite.read_text().replace("def test_", "@pytest.mark.core\ndef test_", 1)
        suite.write_text(f"import pytest\n\n{marked}")
        sit(save(SQUARES), save(RIGHT))
        checking = [picture.splitlines()[-2] for picture in sit.pictures]
        told = [line for line in checking if "now what makes it robust" in line]

        assert [line.partition("core ")[2][:6] for line in told] == ["0 of 1", "0 of 1", "1 of 1"]

    def test_a_misconception_is_told_on_save(self, sit, save):
        """The first failure is told in full."""
        *_, last = sit(save(SQUARES))

        assert "→ You square." in last
        assert "expected" in last

    def test_where_one_change_is_enough_is_told_after_the_verdict(self, sit, save):
        """Who waits sees the failure first; it is tried meanwhile where one change mends it."""
        *_, last = sit(save(ONE_TOO_MANY))

        assert "Tried out: one change in toy.py, line 2 is enough" in " ".join(last.split())
        assert "Tried out" not in sit.pictures[-2] and "✗" in sit.pictures[-2]

    def test_a_right_answer_offers_the_next_key(self, sit, save, workspace):
        """And is remembered."""
        *_, last = sit(save(RIGHT))

        assert "✓ All 2 checks pass: 2 points." in last
        assert "n next" in last
        assert workspace.progress.load().of("toy").done

    def test_what_could_be_better_still_is_advised(self, sit, save):
        """In words, beside a right answer."""
        *_, last = sit(save(ON_THE_CPU))

        assert "✓ All 2 checks pass: 2 points." in last
        assert "→ Would fail on a GPU: " in last

    def test_a_loop_that_never_ends_is_reported_once(self, sit, save):
        """The other checks would take as long: they are left out."""
        *_, last = sit(save(FOREVER))

        assert "Look for a loop that never ends, or one that takes" in last
        assert "left out" in last
        assert "0 of 2 checks pass, 0 of 2 points" in last
        assert "toy.py:1" in last

    def test_a_page_that_is_gone_is_said(self, sit, workspace):
        """With the key that brings it back."""
        *_, last = sit(lambda: workspace.page("toy").unlink() or SAVE)

        assert "toy.py is not in this folder. x puts a fresh one there." in last

    def test_a_small_terminal_is_enough(self, sit, save):
        """The screen itself asserts that nothing is wider or taller."""
        *_, last = sit(save(SQUARES), "h", "m", "k", "l", "x", size=Size(40, 12))

        assert "y/n" in last

    def test_without_fork_it_is_the_same(self, sit, save):
        """Ordinary processes do it, too."""
        with closing(open_sandbox("process")) as portable:
            seen = sit(save(SQUARES), save(RIGHT), sandbox=portable)

        assert "You square." in seen[1]
        assert "All 2 checks pass" in seen[2]


class TestProgress:
    def test_it_goes_on_where_it_was(self, sit, save):
        """Hints and attempts are there in the next sitting."""
        sit(save(SQUARES), "h")
        first, listed = sit("l")

        assert "→ Hint 1 of 1" in first
        assert "0/2      1" in listed

    def test_a_damaged_file_is_said(self, sit, workspace):
        """And the sitting goes on."""
        workspace.progress.path.write_text("{")
        (first,) = sit()

        assert "Your progress file was damaged" in first

    def test_a_folder_that_takes_no_files_stops_nobody(self, sit, save, workspace, monkeypatch):
        """It is said, and the verdict is shown all the same."""
        monkeypatch.setattr("grader.learner.progress.os.replace", _full)
        *_, last = sit(save(RIGHT))

        assert "All 2 checks pass" in last
        assert "could not be kept" in last


def _full(*_):
    raise OSError(28, "No space left on device")
