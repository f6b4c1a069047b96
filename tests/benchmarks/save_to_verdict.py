"""How long after a save does a learner see the verdict? Over all exercises, median and worst.

    python tests/benchmarks/save_to_verdict.py [--isolation process]

Each page is saved as its stub, then right, then right once more; some also wrong, twice. The clock
starts before the file is written and stops when the verdict has been handed to the screen.
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
from contextlib import closing
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
        if TOOK.search(text):
            with self.shown:
                self.verdicts, self.at = self.verdicts + 1, time.perf_counter()
                self.shown.notify()

    def wait(self, since):
        with self.shown:
            assert self.shown.wait_for(lambda: self.verdicts > since, 60), "no verdict"
            return self.at


def drive(workspace, screen, events, rows):
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
            before, began = screen.verdicts, time.perf_counter()
            workspace.page(name).write_text(text, encoding="utf-8")
            rows.append((name, kind, screen.wait(before) - began))
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
        tempfile.TemporaryDirectory() as t,
    ):
        from grader.learner.watch import Watch

        course = find_course()
        workspace = start(course, load_catalog(course), Path(t) / "own")
        screen, events = Watched(), Events()
        thread = threading.Thread(target=drive, args=(workspace, screen, events, rows))
        thread.start()
        Watch(workspace, sandbox, 20170612, events, Files(workspace.folder, events), screen).run()
        thread.join()
    for name, kind, seconds in rows:
        print(f"{name:<24}{kind:<14}{seconds * 1000:7.0f} ms")
    for kind in dict.fromkeys(kind for _, kind, _ in rows):
        found = [seconds for _, k, seconds in rows if k == kind]
        below = sum(seconds < 0.3 for seconds in found)
        print(
            f"{kind}: median {statistics.median(found) * 1000:.0f} ms, worst "
            f"{max(found) * 1000:.0f} ms, {below} of {len(found)} below 300 ms"
        )


if __name__ == "__main__":
    main()
