"""A course of one exercise whose end is a number that learns, and a child that learns for real."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

FINALE = '''\
"""A number that is doubled until it is large."""

from grader.finale import Break, Finale, Look, Map, Part, Task


class Doubling:
    facts = "one number"

    def __init__(self, setting):
        self.pages, self.number, self.broken = setting.pages, 1.0, setting.broken
        self.unbroken = setting.broken == "nothing"

    def step(self):
        self.number = self.pages["toy"].double(self.number)
        return 0.5 if self.broken == "all" else 1 / self.number

    def sample(self, seed):
        return f"{self.number:g}"

    def score(self):
        return 1.0, f"{self.number:g} it is"

    def maps(self):
        return [Map("who", "ab", "cd", [[1.0, 0.0], [0.5, 0.5]], "look")]

    def letters(self, prompt, temperature, seed):
        while True:
            yield prompt[:1]

    def look(self, prompt):
        doubled = self.pages["toy"].double(2)
        return Look([f"{prompt} at {self.number:g}", f"twice two is {doubled}"], self.maps())

    def state(self):
        return {"number": self.number}

    def load(self, state):
        self.number = state["number"]


class Reading(Doubling):
    def __init__(self, setting):
        super().__init__(setting)
        self.number = float(len(setting.text))


FINALE = Finale(
    (
        Part("toy", "doubling", INSTEAD),
        Part("sum", "summing", {"add": "operator:add"}, "Python's +"),
    ),
    (
        Task("grow", "a number grows", ("toy",), 6, Doubling, looks_with="toy"),
        Task("both", "a number grows more", ("toy", "sum"), 6, Doubling),
        Task("text", "a text is counted", ("toy",), 3, Reading, takes_text=True),
    ),
    (
        Break("all", "nothing learns", "It was to be expected.", "both"),
        Break("nothing", "nothing is broken", "There is no reason.", "grow"),
    ),
)
'''


@pytest.fixture
def ending(toy):
    """``ending(instead)``: the course of one exercise, with such an end."""

    def ending(instead=None):
        place = toy.root / "solutions" / "finale" / "__init__.py"
        place.parent.mkdir()
        place.write_text(FINALE.replace("INSTEAD", f"{instead!r}"), encoding="utf-8")
        return toy

    return ending


@pytest.fixture(scope="session")
def in_a_process():
    """``in_a_process(code)``: what it prints as JSON; pages are imported there by their names."""

    def in_a_process(code, *arguments):
        command = [sys.executable, "-c", code, *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return in_a_process
