"""What each key does, on the main screen and on every page."""

from __future__ import annotations

from grader.learner.events import SUSPEND, TICK

RIGHT = "def double(x):\n    return 2 * x\n"
SQUARES = "def double(x):\n    return x * x\n"


class TestKeys:
    def test_next_waits_for_a_pass(self, sit):
        """It says how to go elsewhere."""
        *_, last = sit("n")

        assert "n goes on once toy passes" in last

    def test_hints_come_one_by_one(self, sit, workspace):
        """The last is said to be the last."""
        _, first, last = sit("h", "h")

        assert "→ Hint 1 of 1: Twice x is x + x." in first
        assert "That was the last hint." in last
        assert workspace.progress.load().of("toy").hints == (1,)

    def test_reset_asks(self, sit, save, workspace):
        """Any key but y leaves everything as it is."""
        *_, asked, last = sit(save(SQUARES), "x", "q")

        assert "Yours is kept beside it. y/n" in asked
        assert "Nothing was changed." in last
        assert workspace.text("toy") == SQUARES

    def test_reset_keeps_the_old_page(self, sit, save, workspace):
        """And checks the fresh one."""
        *_, last = sit(save(SQUARES), "x", "y")

        assert "kept as toy.py.old-1" in " ".join(last.split())
        assert "Not written yet" in last
        assert (workspace.folder / "toy.py.old-1").read_text() == SQUARES

    def test_the_solution_is_shown_after_a_pass(self, sit, save):
        """Not before; then beside one's own."""
        _, refused, _, shown = sit("s", save(RIGHT), "s")

        assert "can be seen once yours has passed" in refused
        assert any("return 2 * x" in line and "return x + x" in line for line in shown.split("\n"))

    def test_the_list_leads_elsewhere(self, sit):
        """Enter goes to the exercise under the mark, q goes back."""
        _, shown, back, *_ = sit("l", "q", "l", "enter")

        assert "> " in shown and "0/2" in shown
        assert back.startswith("toy · A toy")

    def test_check_all_needs_something_to_check(self, sit, save):
        """Afterwards every exercise has a line."""
        _, nothing, _, shown = sit("c", save(RIGHT), "c")

        assert "nothing to check" in nothing
        assert "1 of 1 exercises pass." in shown

    def test_all_of_it_can_be_read(self, sit, save):
        """m unfolds every check."""
        *_, last = sit(save(SQUARES), "m")

        assert "Every number is doubled" in last
        assert "The input is as it was" in last

    def test_finishing_is_celebrated(self, sit, save):
        """After everything was checked once more."""
        *_, last = sit(save(RIGHT), "n")

        assert any("once more" in picture for picture in sit.pictures)
        assert "You did it: all 1 exercises, checked again" in last

    def test_what_broke_meanwhile_is_found_at_the_end(self, sit, save, workspace):
        """No celebration then."""

        def breaks():
            workspace.page("toy").write_text(SQUARES)
            return "n"

        *_, last = sit(save(RIGHT), breaks)

        assert "✗ toy" in last and "it passed before" in last

    def test_after_an_absence_the_same_is_shown(self, sit, save):
        """Also a page that was open; nothing is checked that is known."""
        _, _, before, after = sit(save(SQUARES), "m", SUSPEND)

        assert before == after
        assert sum("Checking" in picture for picture in sit.pictures) == 2

    def test_unknown_keys_do_nothing(self, sit):
        """Nothing breaks, nothing moves."""
        before, after, *_ = sit("z", "escape", TICK)

        assert before == after
