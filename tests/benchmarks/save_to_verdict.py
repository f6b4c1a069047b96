"""How long after a save does a learner see the verdict? Over all exercises, median and worst.

    python tests/benchmarks/save_to_verdict.py [--isolation process]

Each page is saved as its stub, then right, then right once more; some also wrong, twice. The clock
starts before the file is written and stops when the verdict has been handed to the screen. "Core"
is when the screen said how the core is, which is asked first. CPU is the time that all
processes together were busy meanwhile: where others use the machine it says more than the clock.
"""

from __future__ import annotations

import argparse
import gc
import os
import re
import statistics
import tempfile
import threading
import time
from contextlib import closing, suppress
from pathlib import Path

from grader.course.catalog import load_catalog
from grader.course.course import find_course
from grader.learner.events import END, Events, Files
from grader.learner.lines import Size
from grader.learner.workspace import start
from grader.sandbox.launch import open_sandbox

WRONG = {
    "softmax": "wrong_axis",
    "attention": "no_scaling",
    "dropout": "dropout_not_scaled",
    "masks": "mask_after_softmax",
}


TOOK = re.compile(r"\(\d+\.\d\d s\)")  # a verdict says at its head how long it took


class Watched:
    """A screen that knows when a verdict was shown."""

    size = Size(80, 24)

    def __init__(self):
        self.verdicts = 0
        self.shown = threading.Condition()
        self.at = 0.0

    def show(self, lines):
        text = "\n".join(line.text for line in lines)
        if "Checking" not in text and TOOK.search(text):
            with self.shown:
                self.verdicts, self.at = self.verdicts + 1, time.perf_counter()
                self.shown.notify()

    def wait(self, since):
        with self.shown:
            assert self.shown.wait_for(lambda: self.verdicts > since, 60), "no verdict"
            return self.at


def cpu_seconds():
    """Of this process and of all that it started, those that have ended included (proc(5), stat);
    nothing where there is no such file.
    """
    parents, busy = {}, {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            fields = path.read_text().rpartition(")")[2].split()
            number = int(path.parent.name)
            parents[number], busy[number] = int(fields[1]), sum(map(int, fields[11:15]))
    own = {os.getpid()}
    while more := {n for n, parent in parents.items() if parent in own} - own:
        own |= more
    return sum(busy.get(n, 0) for n in own) / os.sysconf("SC_CLK_TCK")


class CoreFirst:
    """Notes when the last check of an exercise's core was done."""

    def __init__(self, suites):
        self.count = {
            name: sum(one.check.core for one in suites.of(exercise).checks)
            for name, exercise in suites.catalog.items()
        }
        self.at = 0.0

    def heeding(self, is_enough):
        """What is asked before every check, with an eye on the clock."""

        def heeded(found):
            enough = is_enough(found)
            if found and len(found) == self.count[found[0].check.exercise]:
                self.at = time.perf_counter()
            return enough

        return heeded


def drive(workspace, screen, events, core, rows):
    samples = workspace.course.root / "tests" / "submissions"
    screen.wait(0)
    for name in workspace.catalog:
        right = (samples / "perfect" / f"{name}.py").read_text(encoding="utf-8")
        texts = {"unwritten": workspace.text(name) + "\n# seen\n"}
        if name in WRONG:
            wrong = (samples / WRONG[name] / f"{name}.py").read_text(encoding="utf-8")
            texts |= {"wrong": wrong, "wrong again": wrong + "\n"}
        texts |= {"right": right, "right again": right + "\n"}
        for kind, text in texts.items():
            time.sleep(1.5)
            before, busy, began = screen.verdicts, cpu_seconds(), time.perf_counter()
            workspace.page(name).write_text(text, encoding="utf-8")
            ended = screen.wait(before)
            rows.append((name, kind, core.at - began, ended - began, cpu_seconds() - busy))
        time.sleep(0.3)
        before = screen.verdicts
        events.put("n")
        if name != list(workspace.catalog)[-1]:
            screen.wait(before)
    events.put(END)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--isolation")
    isolation = parser.parse_args().isolation
    gc.disable()
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    import grader.pipeline  # noqa: F401

    rows = []
    with (
        closing(open_sandbox(isolation, fork=True)) as sandbox,
        closing(open_sandbox(isolation, fork=True)) as other,
        tempfile.TemporaryDirectory() as t,
    ):
        from grader.learner.watch import Watch

        course = find_course()
        workspace = start(course, load_catalog(course), Path(t) / "own")
        screen, events = Watched(), Events()
        files = Files(workspace.folder, events)
        watch = Watch(workspace, sandbox, 20170612, events, files, screen, other)
        gc.freeze()  # as `grader watch` does
        core = CoreFirst(watch._state.suites)
        watch._state._is_enough = core.heeding(watch._state._is_enough)
        thread = threading.Thread(target=drive, args=(workspace, screen, events, core, rows))
        thread.start()
        watch.run()
        thread.join()
    told(rows)


def told(rows):
    print(f"{'':<38}{'core':>8}{'verdict':>8}{'CPU':>8}  ms")
    for name, kind, *found in rows:
        print(f"{name:<24}{kind:<14}" + "".join(f"{seconds * 1000:8.0f}" for seconds in found))
    for kind in [*dict.fromkeys(kind for _, kind, *_ in rows), "all"]:
        columns = zip(*([*found] for _, k, *found in rows if kind in (k, "all")), strict=True)
        for what, found in zip(("core", "verdict", "CPU"), columns, strict=True):
            middle, worst = statistics.median(found) * 1000, max(found) * 1000
            print(f"{kind}, {what}: median {middle:.0f} ms, worst {worst:.0f} ms")


if __name__ == "__main__":
    main()
