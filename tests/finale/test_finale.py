"""What this course ends with: each task learns, each break is seen, a seed repeats it."""

from __future__ import annotations

import pytest

from grader.course.course import find_course
from grader.errors import LearnerError
from grader.finale.pages import load_finale
from grader.finale.ready import Cast, whose
from grader.release.proof import leaks

COURSE = find_course()

LEARNING = """\
import json, sys
import torch
from pathlib import Path
from grader.course.course import find_course
from grader.finale.learns import Run, Checkpoint, kept, loaded
from grader.finale.pages import load_finale, taken
from grader.finale.plan import Setting

torch.set_num_threads(1)
course = find_course()
finale = load_finale(course.finale)
paths = {page.stem: str(page) for page in course.solutions.glob("*.py")}


def pages_of(task):
    return taken(finale, task, paths)


def learned(name, steps, broken="", seed=0, planned=0):
    task = finale.task(name)
    run = Run.begun(task, Setting(pages_of(task), planned or steps, seed, broken=broken))
    for _ in range(steps):
        run.step()
    return run


def last(run):
    return sum(run.costs[-20:]) / 20

"""

BREAKS = """
found = {}
for name, steps, breaks in (
    ("reverse", 176, ["", "causal", "positions", "residual", "scale"]),
    ("poem", 64, ["", "norm"]),
):
    for broken in breaks:
        run = learned(name, steps, broken)
        found[f"{name} {broken}".strip()] = (last(run), run.learning.score()[0])
print(json.dumps(found))
"""

AABS = """
import tempfile
path = Path(sys.argv[1])
runs = [learned("aab", 500), learned("aab", 40, seed=1), learned("aab", 40, seed=1)]
other = learned("aab", 40, seed=2)
half = learned("aab", 20, seed=1, planned=40)
Checkpoint(path, {}).keep(half)
half.learning.sample(5)
fresh = learned("aab", 0, seed=7, planned=40)
loaded(fresh, kept(path, "aab")["run"], path, "aab")
for _ in range(20):
    fresh.step()
hand, trained = {}, runs[0].learning.maps()
print(json.dumps({
    "score": runs[0].learning.score()[0],
    "text": runs[0].learning.sample(0),
    "talked": "".join(p for _, p in zip(range(9), runs[0].learning.letters("ab!", 0.0, 0))),
    "maps": [(one.title, one.shares) for one in trained],
    "same": [runs[1].costs, runs[2].costs],
    "other": other.costs,
    "gone on": fresh.costs,
}))
"""


@pytest.fixture(scope="module")
def broken(in_a_process):
    """By task and break: the loss at the end, and the share that is right."""
    return in_a_process(LEARNING + BREAKS)


@pytest.fixture(scope="module")
def aab(in_a_process, tmp_path_factory):
    """What was seen of aab."""
    return in_a_process(LEARNING + AABS, tmp_path_factory.mktemp("aab") / "aab.pt")


class TestAab:
    def test_is_learned_in_a_second(self, aab):
        """Every next letter, and no other."""
        assert aab["score"] == 1.0
        assert aab["text"] == "aab" * 10

    def test_is_talked_to(self, aab):
        """A letter that it has never seen is left out of what it continues."""
        assert aab["talked"] == "aabaabaab"

    def test_is_shown_beside_the_one_made_by_hand(self, aab):
        """Of which half of the weight lies on each of two letters."""
        (one, trained), (other, by_hand) = aab["maps"]

        assert (one, other) == ("trained", "by hand")
        assert by_hand[3] == [0, 0, 0.5, 0.5, 0]
        assert [round(sum(row), 2) for row in trained] == [1, 1, 1, 1, 1]

    def test_is_repeated_by_its_seed(self, aab):
        """To the last bit."""
        first, second = aab["same"]

        assert first == second != aab["other"]

    def test_goes_on_as_if_it_had_never_stopped(self, aab):
        """From the checkpoint in the middle, whatever was written meanwhile."""
        assert aab["gone on"] == aab["same"][0]


class TestBreaks:
    @pytest.mark.parametrize(
        ("task", "name"),
        [("reverse", "positions"), ("reverse", "residual"), ("reverse", "scale"), ("poem", "norm")],
    )
    def test_is_worse(self, broken, task, name):
        """In the same number of steps, from the same seed, on the same batches."""
        (whole, right), (cost, wrong) = broken[task], broken[f"{task} {name}"]

        assert cost > 1.3 * whole
        assert wrong < 0.6 * right

    def test_a_future_that_is_seen_looks_excellent(self, broken):
        """And is good for nothing when words are to be written."""
        (whole, right), (cost, wrong) = broken["reverse"], broken["reverse causal"]

        assert cost < 0.2 * whole
        assert wrong < 0.1 * right

    def test_each_names_a_task_that_there_is(self):
        """The one that shows it best."""
        finale = load_finale(COURSE.finale)

        assert {one.seen_in for one in finale.breaks} <= {task.name for task in finale.tasks}


class TestWhatStudentsGet:
    def test_holds_no_line_that_stays_at_home(self):
        """Neither of a solution, nor of a bank or a suite."""
        assert leaks(COURSE, COURSE.finale) == []

    def test_other_pages_may_be_missing(self):
        """Where only some exercises were released; it says which would be needed."""
        finale = load_finale(COURSE.finale)
        with pytest.raises(LearnerError, match="not among the exercises here: multi_head"):
            list(whose(finale, finale.task("poem"), Cast({}, {}), {"softmax"}))


class TestThePoem:
    def test_is_the_poem(self):
        """Seven stanzas, of which the last is the first."""
        text = (COURSE.finale / "jabberwocky.txt").read_text(encoding="utf-8")
        stanzas = text.strip().split("\n\n")

        assert (len(text), len(set(text))) == (934, 46)
        assert len(stanzas) == 7
        assert stanzas[0] == stanzas[-1]
