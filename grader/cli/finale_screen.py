"""A model that learns, in a terminal: the loss as a line, what it writes, and the end."""

from __future__ import annotations

import contextlib
import textwrap
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.cells import cell_len
from rich.columns import Columns
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from grader.errors import LearnerError
from grader.finale import words
from grader.finale.curve import curve
from grader.finale.drawn import picture
from grader.finale.order import Order
from grader.finale.plan import Finale, Map, Task
from grader.learner.workspace import write_whole

_HEIGHT, _WIDEST = 8, 68
_TONES = ("cyan", "yellow")
_BLOCKS = " ░▒▓█"


@dataclass
class Side:
    """What is known of one model."""

    costs: list[float] = field(default_factory=list)
    text: str = ""
    step: int = 0
    end: dict[str, Any] = field(default_factory=dict)


class Screen:
    """Takes what is told, and shows it; without a terminal, a line now and then."""

    def __init__(self, finale: Finale, task: Task, order: Order) -> None:
        self._finale, self._task, self._order = finale, task, order
        self._console = Console(highlight=False, soft_wrap=False)
        self._sides: dict[str, Side] = {"": Side()}
        if order.broken:
            self._sides[order.broken] = Side()
        self._about: dict[str, Any] = {}
        self._done: dict[str, Any] = {}
        self._began = time.monotonic()
        self._before = 0  # steps of an earlier run
        self._live: Live | None = None
        self._drawn_at = 0.0

    @contextlib.contextmanager
    def live(self) -> Iterator[None]:
        """While it learns."""
        if not self._console.is_terminal:
            yield
            return
        with Live(console=self._console, auto_refresh=False, transient=True) as live:
            self._live = live
            try:
                yield
            finally:
                self._live = None

    def printed(self, line: str) -> None:
        """A line that the learner's files print."""
        console = self._live.console if self._live else Console(stderr=True)
        console.print(Text(line))

    def take(self, what: dict[str, Any]) -> None:
        """One thing that is told."""
        getattr(self, f"_{what['kind']}")(what)
        if self._live is not None and time.monotonic() - self._drawn_at > 0.12:
            self._live.update(self._view(), refresh=True)
            self._drawn_at = time.monotonic()

    def _on(self, what: dict[str, Any]) -> None:
        self._sides[""].costs = list(what["costs"])
        self._before = what["step"]
        self._say(words.GOES_ON.format(step=what["step"], path=what["path"]))

    def _start(self, what: dict[str, Any]) -> None:
        self._about = what
        self._began = time.monotonic()
        self._say(words.TITLE.format(task=self._task.name, says=self._task.says))
        self._say(what["facts"])
        if self._order.broken:
            broken = self._finale.broken(self._order.broken)
            self._say(words.BREAKS_THIS.format(says=broken.says))

    def _step(self, what: dict[str, Any]) -> None:
        self._sides[what["run"]].costs.append(what["cost"])

    def _text(self, what: dict[str, Any]) -> None:
        side = self._sides[what["run"]]
        side.text, side.step = what["text"], what["step"]
        if self._live is None:
            self._say(f"{self._name(what['run'])}{self._plain(side)}")

    def _end(self, what: dict[str, Any]) -> None:
        self._sides[what["run"]].end = what

    def _finished(self, what: dict[str, Any]) -> None:
        self._done = what

    @property
    def finished(self) -> bool:
        """Whether there is an end to be told; there is none after a second Ctrl-C."""
        return bool(self._done)

    def _say(self, text: str) -> None:
        self._console.print(Text(text), soft_wrap=not self._console.is_terminal)

    # While it learns ------------------------------------------------------------------------------

    @property
    def _seconds(self) -> float:
        return time.monotonic() - self._began

    def _name(self, run: str) -> str:
        if not self._order.broken:
            return ""
        return f"[{words.BROKEN.format(name=run) if run else words.WHOLE}] "

    def _plain(self, side: Side) -> str:
        text = " / ".join(side.text.splitlines())
        steps, seconds = self._about["steps"], self._seconds
        return words.PLAIN.format(
            step=side.step, steps=steps, seconds=seconds, cost=side.costs[-1], text=text
        )

    def _view(self) -> RenderableType:
        if not self._about or not self._sides[""].costs:
            return Text("")
        top = max(max(side.costs[:20] or [0.0]) for side in self._sides.values())
        wide = min(self._console.width - 2, _WIDEST)
        two = len(self._sides) > 1
        each = (wide - 4) // 2 if two else wide
        parts = [
            self._panel(run, side, tone, each, top)
            for tone, (run, side) in zip(_TONES, self._sides.items(), strict=False)
        ]
        table = Table.grid(padding=(0, 4 if two else 0))
        table.add_row(*parts)
        return Group(Text(self._progress()), table)

    def _progress(self) -> str:
        whole = self._sides[""]
        steps, done = self._about["steps"], len(whole.costs)
        here = done - self._before
        left = self._seconds / here * (steps - done) if here else 0.0
        device = self._about["device"]
        return words.STEP.format(
            step=done,
            steps=steps,
            seconds=self._seconds,
            left=words.LEFT.format(seconds=left) if here > 4 and left > 1 else "",
            cost=whole.costs[-1] if whole.costs else 0.0,
            device="" if device == "cpu" else words.ON.format(device=device),
        )

    def _panel(self, run: str, side: Side, tone: str, wide: int, top: float) -> RenderableType:
        head = self._name(run).strip("[] ")
        cost = f"{side.costs[-1]:.3f}" if side.costs else ""
        lines = curve(side.costs, self._about["steps"], wide - 5, _HEIGHT, top)
        body = Text()
        if head:
            body.append(f"{head}: {cost}\n", style=f"bold {tone}")
        for place, line in enumerate(lines):
            label = (
                f"{top:4.1f}" if place == 0 else f"{0.0:4.1f}" if place == len(lines) - 1 else ""
            )
            body.append(f"{label:>4}▏", style="dim")
            body.append(f"{line}\n", style=tone)
        if side.text:
            body.append(words.WROTE.format(step=side.step) + "\n", style="dim")
            body.append(_fitting(side.text, wide, 7))
        return body

    # At the end -----------------------------------------------------------------------------------

    def end(self) -> None:
        """What came of it, in words; pictures beside the checkpoint."""
        whole = self._sides[""]
        self._say(
            words.ENDED.format(
                steps=len(whole.costs) - self._before,
                seconds=self._seconds,
                cpu=self._done["cpu"],
                first=whole.costs[self._before],
                last=_last(whole.costs),
            )
        )
        self._say_both() if self._order.broken else self._say_one(whole)
        paths = [path for path in (self._done["path"], self._draw()) if path]
        self._say(words.KEPT.format(paths=", ".join(map(_short, paths))))
        self._say_what_next()

    def _say_one(self, side: Side) -> None:
        self._say(words.SCORE.format(**_scored(side, self._task.name)))
        self._console.print(Text(words.WRITES, style="dim"))
        self._console.print(Text(_indented(side.end["text"])))
        self._console.print(Columns([Text(_in_blocks(Map(**one))) for one in side.end["maps"][:4]]))

    def _say_both(self) -> None:
        table = Table.grid(padding=(0, 3), expand=False)
        wide = min((self._console.width - 6) // 2, 50)
        table.add_column(width=wide)
        table.add_column(width=wide)
        texts = []
        for tone, (run, side) in zip(_TONES, self._sides.items(), strict=False):
            name = words.BROKEN.format(name=run) if run else words.WHOLE
            text = Text(words.SCORE.format(**_scored(side, name)) + "\n", style=tone)
            text.append(words.WRITES + "\n", style="dim")
            text.append(side.end["text"], style="default")
            texts.append(text)
        table.add_row(*texts)
        self._console.print(table)
        if self._about["unbroken"]:
            self._say(words.UNBROKEN)
        self._say(self._finale.broken(self._order.broken).why)

    def _draw(self) -> str:
        """The pictures as a file; where it lies."""
        costs = {self._name(run).strip("[] "): side.costs for run, side in self._sides.items()}
        maps = [Map(**one) for one in self._sides[self._order.broken].end["maps"]]
        stem = self._order.stem
        stem += f"_without_{self._order.broken}" if self._order.broken else ""
        path = Path(self._order.out) / f"{stem}.svg"
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, picture(costs, maps))
        except OSError as error:
            said = words.NOT_KEPT.format(path=path, said=error.strerror)
            raise LearnerError(said) from error
        return str(path)

    def _say_what_next(self) -> None:
        if self._order.broken:
            return
        name = self._order.text_name or self._task.name
        if not self._done["whole"]:
            step = len(self._sides[""].costs)
            self._say(words.STOPPED.format(step=step, task=name))
            return
        after = "" if self._task is self._finale.tasks[0] else f" {name}"
        self._say(words.NEXT.format(task=after))
        if self._about["device"] != "cpu":
            self._say(words.NOT_REPEATED.format(device=self._about["device"]))


def _last(costs: list[float]) -> float:
    """The mean of the last few: one batch alone is a matter of luck."""
    part = costs[-20:]
    return sum(part) / len(part)


def _scored(side: Side, name: str) -> dict[str, Any]:
    return {"name": name, "cost": _last(side.costs), "says": side.end["says"]}


def _short(path: str) -> str:
    here = Path.cwd()
    place = Path(path)
    return str(place.relative_to(here)) if place.is_relative_to(here) else path


def _fitting(text: str, wide: int, rows: int) -> str:
    """The first lines of a text, each cut to what there is room for."""
    lines = [
        line if cell_len(line) <= wide else f"{line[: wide - 1]}…" for line in text.split("\n")
    ]
    return "\n".join(lines[:rows])


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.split("\n"))


def _in_blocks(one: Map) -> str:
    """A map with two blocks for each share: so wide is a letter and the space after it."""
    lines = [one.title, "  " + "".join(f"{letter} " for letter in one.columns)]
    for letter, row in zip(one.rows, one.shares, strict=True):
        lines.append(f"{letter} " + "".join(2 * _block(share) for share in row))
    return "\n".join([*lines, *textwrap.wrap(one.under, 34)])


def _block(share: float) -> str:
    return _BLOCKS[min(len(_BLOCKS) - 1, round(share * (len(_BLOCKS) - 1)))]
