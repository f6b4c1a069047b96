"""``grader train``, ``talk`` and ``look``, on a number that learns: the engine knows no model."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.cli import finale
from grader.cli.finale import Wish
from grader.course.catalog import load_catalog
from grader.errors import LearnerError
from grader.finale import there
from grader.finale.pages import PagesFinder
from grader.learner import workspace
from grader.release.folder import Wanted, release


@pytest.fixture
def grader(course, python_m):
    """``grader(toy, folder, "train")``: the command, in processes of its own."""

    def grader(toy, folder, *arguments):
        settings = {"COLUMNS": "80", "NO_COLOR": "1", "PYTHONPATH": str(course.root)}
        env = os.environ | settings | {"GRADER_COURSE": str(toy.root)}
        return python_m("grader", *arguments, cwd=folder, env=env)

    return grader


@pytest.fixture
def own(ending, tmp_path, monkeypatch) -> Iterator[Path]:
    """``own(body)``: a learner's folder, in which we are, whose only page has this body. What runs
    there in a process of its own runs in this one; what was touched counts as right.
    """

    sys.modules.pop("toy", None)

    def own(body="", instead=None):
        toy = ending(instead)
        folder = tmp_path / "own"
        workspace.start(toy, load_catalog(toy), folder)
        if body:
            (folder / "toy.py").write_text(f"def double(x):\n    {body}\n")
        monkeypatch.chdir(folder)
        monkeypatch.setenv("GRADER_COURSE", str(toy.root))
        return toy

    def told(order, folder, printed):
        events = []
        there._do(order, events.append)
        yield from events

    monkeypatch.setattr(finale, "told", told)
    monkeypatch.setattr(finale, "_looked", lambda desk, names, _: dict.fromkeys(names, True))
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(there, "_STOP", [])
    monkeypatch.setattr(there.signal, "signal", lambda *_: None)
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield own
    sys.meta_path[:] = [one for one in sys.meta_path if not isinstance(one, PagesFinder)]
    sys.modules.pop("toy", None)


RIGHT = "return 2 * x"


class TestTrain:
    def test_is_run_in_processes_of_its_own(self, grader, own, tmp_path):
        """A part that is right in its core is the learner's, and is not checked twice."""
        toy = own(RIGHT)
        said = grader(toy, tmp_path / "own", "train", "both")
        again = grader(toy, tmp_path / "own", "talk", "both", "--prompt", "x", "--letters", "4")

        assert said.returncode == 0, said.stderr
        assert "1 of 1 parts are yours" in said.stdout
        assert "✓ doubling: yours (toy.py)" in said.stdout
        assert "64 it is" in said.stdout
        assert "Checking which parts are ready: toy" in said.stderr
        assert again.stdout == "xxxxx\n"
        assert "Checking" not in again.stderr

    def test_what_was_found_of_a_page_holds_for_that_text(self, own, monkeypatch):
        """Another one is looked at, and so is any where nothing can be read of what was found."""
        own(RIGHT)
        looked = []
        monkeypatch.setattr(finale, "_looked", lambda _, names, __: looked.append(names) or {})
        finale.train(Wish())
        page = Path("toy.py")
        monkeypatch.setattr(
            finale, "_looked", lambda _, n, __: looked.append(n) or dict.fromkeys(n, True)
        )
        for text in (page.read_text(), page.read_text() + "# more", None, None):
            if text is None:
                Path("trained", "ready.json").write_text("[1]" if len(looked) == 3 else "{}")
            else:
                page.write_text(text)
            finale.train(Wish())
            finale.train(Wish())

        assert looked == [["toy"]] * 5

    def test_a_page_that_fails_is_told(self, grader, own, tmp_path):
        """With the line; what it prints is passed on."""
        body = "print('hello')\n    return x + x if hasattr(x, 'shape') else [][x]"
        done = grader(own(body), tmp_path / "own", "train")

        assert done.returncode == 2
        assert "hello" in done.stderr
        assert "Your files stopped it: TypeError" in done.stderr
        assert "(toy.py, line 3)" in done.stderr

    def test_the_course_helps_out(self, own, capsys):
        """Where nothing was written yet."""
        own()
        finale.train(Wish())
        said = capsys.readouterr().out

        assert "0 of 1 parts are yours" in said
        assert "doubling: the course's, until your toy.py is right" in said
        assert "64 it is" in said

    def test_shows_the_end_and_keeps_it(self, own, capsys):
        """In words, as blocks, as a picture and as a checkpoint."""
        own(RIGHT)
        finale.train(Wish())
        said = capsys.readouterr().out
        picture = Path("trained", "grow.svg").read_text(encoding="utf-8")

        assert "step    6 of 6" in said
        assert "grow: loss" in said
        assert "a ██  " in said
        assert "The loss over 6 steps, from 0.50 to 0.016. Below it: who." in picture
        assert Path("trained", "grow.pt").is_file()

    def test_goes_on(self, own, capsys):
        """After the last step, with as many again."""
        own(RIGHT)
        finale.train(Wish(steps=3))
        finale.train(Wish(goes_on=True))
        said = capsys.readouterr().out

        assert "Goes on after step 3" in said
        assert "64 it is" in said

    def test_breaks_one_part_beside_the_whole(self, own, capsys):
        """In the task that shows it best, and says why."""
        own(RIGHT)
        finale.train(Wish(broken="all"))
        said = capsys.readouterr().out

        assert "both: a number grows more" in said
        assert "Broken: nothing learns." in said
        assert "[all broken] step" in said
        assert "It was to be expected." in said
        assert "both_without_all.svg" in said

    def test_says_when_nothing_broke(self, own, capsys):
        """A model may go another way than the pages say."""
        own()
        finale.train(Wish(broken="nothing"))

        assert "! Nothing of your model changed" in capsys.readouterr().out

    def test_takes_any_text(self, own, capsys):
        """From a file, unless it is too short."""
        own(RIGHT)
        Path("long.txt").write_text("x" * 300)
        Path("short.txt").write_text("x")
        finale.train(Wish("long.txt"))

        assert "2400 it is" in capsys.readouterr().out
        assert Path("trained", "text_long.pt").is_file()
        with pytest.raises(LearnerError, match="too few to learn from"):
            finale.train(Wish("short.txt"))

    @pytest.mark.parametrize(
        ("wish", "says"),
        [
            (Wish("grwo"), "Did you mean 'grow'"),
            (Wish(broken="al"), "Did you mean 'all'"),
            (Wish(broken="all", goes_on=True), "leave out --go-on"),
            (Wish(goes_on=True), "Nothing has been trained here yet"),
            (Wish(device="abacus"), "no device 'abacus'"),
        ],
    )
    def test_says_what_cannot_be(self, own, wish, says):
        """In a sentence."""
        own()
        with pytest.raises(LearnerError, match=says):
            finale.train(wish)

    def test_another_models_checkpoint_is_told(self, own):
        """And how to make a new one."""
        own()
        Path("trained").mkdir()
        Path("trained", "grow.pt").write_text("no checkpoint")
        with pytest.raises(LearnerError, match="`grader train grow` makes a new one"):
            finale.train(Wish(goes_on=True))

    def test_lists_what_there_is(self, own, capsys):
        """Tasks and breaks."""
        own()
        finale.list_tasks(None)
        said = capsys.readouterr().out

        assert "  grow       a number grows\n" in said
        assert "  --break all        nothing learns\n" in said

    def test_a_course_need_not_end_so(self, toy, tmp_path, monkeypatch):
        """Then it says so."""
        monkeypatch.setenv("GRADER_COURSE", str(toy.root))
        workspace.start(toy, load_catalog(toy), tmp_path / "own")
        with pytest.raises(LearnerError, match="nothing to train"):
            finale.train(Wish(folder=tmp_path / "own"))


class TestTalk:
    def test_needs_a_model(self, own):
        """And says how to get one."""
        own()
        with pytest.raises(LearnerError, match="`grader train grow` first"):
            finale.talk(Wish(), "x", 4, 0.0)


class TestLook:
    def test_is_told_and_drawn(self, own, capsys):
        """By the tools of the page that the task names, beside the checkpoint."""
        own(RIGHT)
        finale.train(Wish())
        finale.look(Wish(), "ab")
        said = capsys.readouterr().out

        assert "✓ doubling: yours (toy.py)" in said
        assert "ab at 64\ntwice two is 4\nKept: trained/grow_look.svg\n" in said
        assert "Below it: who." in Path("trained", "grow_look.svg").read_text(encoding="utf-8")

    def test_a_task_may_have_nothing_to_look_into(self, own):
        """Then that is said."""
        own(RIGHT)
        with pytest.raises(LearnerError, match="no way to look into both"):
            finale.look(Wish("both"), "ab")


class TestReleased:
    @pytest.fixture
    def given(self, tmp_path, monkeypatch):
        """``given(course)``: the folder that students get of it, in which we are."""

        def given(toy):
            folder = tmp_path / "given"
            wanted = Wanted(list(load_catalog(toy).values()), "A toy")
            assert all(one.practice for one in release(toy, wanted, folder))
            monkeypatch.chdir(folder / "exercises")
            monkeypatch.setenv("GRADER_COURSE", str(folder))
            return folder

        return given

    def test_without_a_solution_others_stand_in(self, own, given, capsys):
        """Where there is something in torch, or in Python, that does it."""
        folder = given(own(instead={"double": "math:ceil"}))
        finale.train(Wish())
        said = capsys.readouterr().out

        assert not (folder / "solutions").exists()
        assert "0 of 1 parts are yours" in said
        assert "1 it is" in said

    def test_what_nothing_stands_in_for_comes_first(self, own, given, capsys):
        """The student's own will do."""
        folder = given(own())
        with pytest.raises(LearnerError, match=r"Finish first: toy\."):
            finale.train(Wish())
        (folder / "exercises" / "toy.py").write_text("def double(x):\n    return 2 * x\n")
        finale.train(Wish())

        assert "64 it is" in capsys.readouterr().out
