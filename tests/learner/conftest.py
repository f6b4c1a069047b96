"""A sitting before a pretended screen: steps in the place of a person, pictures in their order."""

from __future__ import annotations

import time

import pytest

from grader.course.catalog import load_catalog
from grader.learner.events import END, SAVE, Event, Events, Files
from grader.learner.lines import Size
from grader.learner.watch import Watch
from grader.learner.workspace import start

LARGE = Size(80, 24)


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
def screen():
    return Screen()


@pytest.fixture
def still(workspace):
    """``still(events)`` are files whose saves nobody notices."""
    return lambda events: Still(workspace.folder, events)


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
