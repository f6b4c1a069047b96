"""Solutions -> exercises: everything under ``exercises/`` but the catalog is generated here, and
so are the sample submissions ``perfect`` and ``untouched``.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from grader.course.catalog import listed, load_catalog
from grader.course.course import Course
from grader.course.markers import stub_text, without_markers
from grader.course.suite_text import suite_points
from grader.model import Exercise

# What never leaves the house: neither in a wheel nor in a student's bundle.
SECRET = ("solutions", "grader/suites", "tests")


def generated_files(course: Course) -> dict[Path, str]:
    """The text of every generated file, by path; the same bytes from the same solutions."""
    catalog = load_catalog(course)
    if course.is_released:
        readme = course.exercises / "README.md"
        pages = {course.stub(name): untouched(course, name) for name in catalog}
        return pages | {readme: readme.read_text(encoding="utf-8")}
    files = {course.stub(name): untouched(course, name) for name in catalog}
    files[course.exercises / "README.md"] = _map(course, catalog)
    return files | _samples(course, catalog)


def untouched(course: Course, name: str) -> str:
    """An exercise's stub as it is given out, whatever has become of the file in ``exercises/``."""
    text = course.page(name).read_text(encoding="utf-8")
    if course.is_released:
        return text
    return stub_text(text, name, listed(course)[name].get("steps", ()))


def _samples(course: Course, catalog: Mapping[str, Exercise]) -> dict[Path, str]:
    """The two sample submissions that follow from the solutions."""
    folder = course.root / "tests" / "submissions"
    samples = {}
    for name in catalog:
        solution = course.solution(name).read_text(encoding="utf-8")
        samples[folder / "perfect" / f"{name}.py"] = without_markers(solution)
        samples[folder / "untouched" / f"{name}.py"] = untouched(course, name)
    return samples


def write_stubs(course: Course) -> list[Path]:
    """Bring ``exercises/`` up to date; returns the files that changed."""
    stale = stale_files(course)
    texts = generated_files(course)
    for path in stale:
        if path in texts:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(texts[path].encode())
        else:
            path.unlink()
    return stale


def stale_files(course: Course) -> list[Path]:
    """Generated files that are missing, differ, or have no solution any more."""
    texts = generated_files(course)
    wrong = [p for p, t in texts.items() if not p.exists() or p.read_bytes() != t.encode()]
    return wrong + [path for path in sorted(course.exercises.glob("*.py")) if path not in texts]


def _map(course: Course, catalog: Mapping[str, Exercise]) -> str:
    return map_text(course, catalog, {name: suite_points(course, name) for name in catalog})


def map_text(course: Course, catalog: Mapping[str, Exercise], points: Mapping[str, float]) -> str:
    """The map of these exercises, and what each is worth."""
    rows = [
        f"| {number} | [`{e.name}`]({e.name}.py) | {e.title} | {e.source} | "
        f"{', '.join(e.needs) or '-'} | {points[e.name]:g} |"
        for number, e in enumerate(catalog.values(), start=1)
    ]
    prefaces = [one.about.preface.strip() for one in course.line]
    preface = "".join(f"{text}\n\n" for text in reversed(prefaces) if text)
    return _MAP_BEGINNING + preface + _MAP_RULES + "\n".join(rows) + "\n"


_MAP_BEGINNING = """\
# The exercises

Open a file, read it like a page, replace each `TODO`, and ask `grader check NAME` what it thinks.
The order below is a good one; the column "needs" says what to have understood before.

"""

_MAP_RULES = """\
## What you may use

- Python's standard library, torch, numpy, and what else is installed where your work is checked
  (matplotlib, einops, ...): importing something that you do not use costs nothing. Your own
  exercises can be imported where the column "needs" names them.
- `print`, `assert`, `logging` and a look at your values (`assert x.isfinite().all()`) cost
  nothing.
- There is a temporary folder, private, empty and bounded (64 MiB in 1,000 files): `tempfile` finds
  it. No other file can be written, and none but Python's own read; there is no network, no thread
  and no other process.
- `torch.compile` does nothing there: what you give to it is run as it is.

Where a page says that something is refused with a ValueError, raise ValueError; an AssertionError
(an `assert`) or a TypeError counts as well.

What holds for all pages: functions remember nothing between calls, and an object nothing of
another one. What works for some values works for others of the same shape, for views (transposed,
sliced, expanded), in a deep copy, in a second object that loads the state_dict, and in eval mode as
in train mode, but for dropout. Nobody seeds torch's random generator but who runs the program.

## The map

| # | file | what you build | source | needs | points |
|---|---|---|---|---|---|
"""
