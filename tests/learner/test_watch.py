"""One sitting before a pretended screen: every key, every kind of page, on both sandboxes."""

from __future__ import annotations

import threading
import time
from contextlib import closing

import pytest

from grader.course.catalog import load_catalog
from grader.learner.events import END, SAVE, SUSPEND, TICK, Event, Events, Files
from grader.learner.lines import Size
from grader.learner.watch import Watch
from grader.learner.workspace import start
from grader.sandbox.launch import open_sandbox

RIGHT = "def double(x):\n    return 2 * x\n"
SQUARES = "def double(x):\n    return x * x\n"
LARGE = Size(80, 24)
ON_THE_CPU = "import torch\n\n\ndef double(x):\n    return x * torch.full((1,), 2.0)\n"
FOREVER = "def double(x):\n    while True:\n        pass\n"


class Screen:
    """Keeps every picture as one text."""

    def __init__(self, size=LARGE):
        self.size = size
        self.pictures = []
        self.while_away = lambda: None

    def suspend(self):
        self.pictures.append("away")
        self.while_away()

    def show(self, lines):
        assert max(len(line.text) for line in lines) <= self.size.columns
        assert len(lines) <= self.size.rows
        self.pictures.append("\n".join(line.text for line in lines))


class Script(Events):
    """Steps in the place of a person: each is a key, or does something and says what it caused."""

    def __init__(self, steps, screen):
        super().__init__()
        self.steps, self.screen = list(steps), screen
        self.seen = []

    def next(self):
        self.seen.append(self.screen.pictures[-1])
        step = self.steps.pop(0) if self.steps else END
        return Event(step() if callable(step) else step, time.monotonic())


class Still(Files):
    """Saves are announced by the script."""

    def start(self):
        pass


@pytest.fixture
def workspace(toy, tmp_path):
    return start(toy, load_catalog(toy), tmp_path / "mein Heft λ")


@pytest.fixture
def sit(workspace, sandbox):
    """``sit(step, ...)`` returns what was on the screen before every step, and at the end."""

    def sit(*steps, sandbox=sandbox, size=LARGE):
        screen = Screen(size)
        events = Script(steps, screen)
        Watch(workspace, sandbox, 5, events, Still(workspace.folder, events), screen).run()
        sit.pictures = screen.pictures
        return events.seen

    return sit


@pytest.fixture
def save(workspace):
    """``save(text)`` is a step: the page is saved with it."""

    def save(text):
        def step():
            workspace.page("toy").write_text(text, encoding="utf-8")
            return SAVE

        return step

    return save


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

    def test_a_misconception_is_told_on_save(self, sit, save):
        """The first failure is told in full."""
        *_, last = sit(save(SQUARES))

        assert "→ You square." in last
        assert "expected" in last

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
        started = time.monotonic()
        *_, last = sit(save(FOREVER))

        assert "Look for a loop that never ends." in last
        assert "left out" in last
        assert time.monotonic() - started < 9

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
        assert workspace.progress.load().of("toy").hints == 1

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
        assert "You built the Transformer: all 1 exercises, checked again" in last

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


class TestRealEvents:
    """Threads and file events as they are."""

    @pytest.mark.parametrize("poll", [False, True])
    def test_a_save_during_an_endless_check_restarts_it(self, workspace, sandbox, poll):
        """The verdict on the second save comes long before the first one's time is up."""
        screen, events = Screen(), Events()
        files = Files(workspace.folder, events, poll=poll)
        took = []

        def person():
            try:
                _until(screen, "Not written yet")
                workspace.page("toy").write_text(FOREVER)
                _until(screen, "Checking toy.py", since=len(screen.pictures))
                time.sleep(0.3)
                started = time.monotonic()
                workspace.page("toy").write_text(RIGHT)
                _until(screen, "All 2 checks pass")
                took.append(time.monotonic() - started)
            finally:
                events.put("q")

        thread = threading.Thread(target=person)
        thread.start()
        Watch(workspace, sandbox, 5, events, files, screen).run()
        thread.join()

        assert took and took[0] < 4

    def test_a_check_that_suspending_left_off_is_begun_again(self, workspace, sandbox):
        """Nothing runs while the learner is away, and no time passes for the page."""
        screen, events = Screen(), Events()
        workspace.page("toy").write_text(FOREVER)
        screen.while_away = lambda: took.append(time.monotonic() - started)
        took = []

        def person():
            nonlocal started
            _until(screen, "Checking toy.py")
            time.sleep(0.3)
            started = time.monotonic()
            events.put(SUSPEND)
            _until(screen, "away")
            _until(screen, "Checking toy.py", since=screen.pictures.index("away"))
            events.put("q")

        started = 0.0
        thread = threading.Thread(target=person)
        thread.start()
        Watch(workspace, sandbox, 5, events, Files(workspace.folder, events), screen).run()
        thread.join()

        assert took[0] < 4
        assert not any("never ends" in picture for picture in screen.pictures)

    def test_what_was_saved_while_away_is_checked(self, workspace, sandbox):
        """And the page that was shown before is not needed any more."""
        screen, events = Screen(), Events()
        screen.while_away = lambda: workspace.page("toy").write_text(RIGHT)

        def person():
            _until(screen, "Not written yet")
            events.put("l")
            _until(screen, "> ")
            events.put(SUSPEND)
            _until(screen, "All 2 checks pass")
            events.put("q")

        thread = threading.Thread(target=person)
        thread.start()
        Watch(workspace, sandbox, 5, events, Still(workspace.folder, events), screen).run()
        thread.join()

        assert "All 2 checks pass" in screen.pictures[-1]

    def test_quitting_does_not_wait_for_an_endless_check(self, workspace, sandbox):
        """q ends it."""
        screen, events = Screen(), Events()
        workspace.page("toy").write_text(FOREVER)

        def person():
            _until(screen, "Checking toy.py")
            time.sleep(0.3)
            events.put("q")

        thread = threading.Thread(target=person)
        thread.start()
        started = time.monotonic()
        Watch(workspace, sandbox, 5, events, Files(workspace.folder, events), screen).run()
        thread.join()

        assert time.monotonic() - started < 4


def _until(screen, text, since=0):
    deadline = time.monotonic() + 20
    while not any(text in picture for picture in screen.pictures[since:]):
        assert time.monotonic() < deadline, screen.pictures[-1]
        time.sleep(0.01)
