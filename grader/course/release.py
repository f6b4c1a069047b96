"""Solutions -> exercises: everything under ``exercises/`` but the catalog is generated here, and
so are the sample submissions ``perfect`` and ``untouched``.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from grader.course.catalog import listed, load_catalog
from grader.course.course import Course
from grader.course.figures import drawn_figures
from grader.course.markers import stub_text, without_markers
from grader.course.suite_text import suite_points
from grader.model import Exercise

# What never leaves the house: neither in a wheel nor in a student's bundle.
SECRET = ("solutions", "grader/suites", "tests")


def generated_files(course: Course) -> dict[Path, str]:
    """The text of every generated file, by path; the same bytes from the same solutions."""
    catalog = load_catalog(course)
    if course.is_released:
        given = [course.exercises / "README.md", *course.exercises.glob("figures/*.svg")]
        pages = {course.stub(name): untouched(course, name) for name in catalog}
        return pages | {path: path.read_text(encoding="utf-8") for path in given}
    files = {course.stub(name): untouched(course, name) for name in catalog}
    files[course.exercises / "README.md"] = _map(course, catalog)
    for name in catalog:
        files |= drawn_figures(course, name) if course.home(name) == course else {}
    return files | _samples(course, catalog)


def untouched(course: Course, name: str) -> str:
    """An exercise's stub as it is given out, whatever has become of the file in ``exercises/``."""
    text = course.page(name).read_text(encoding="utf-8")
    if course.is_released:
        return text
    return stub_text(text, name, tuple(listed(course)[name].get("steps", ())))


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
    there = [*course.exercises.glob("*.py"), *course.exercises.glob("figures/*.svg")]
    return wrong + [path for path in sorted(there) if path not in texts]


def _map(course: Course, catalog: Mapping[str, Exercise]) -> str:
    return map_text(course, catalog, {name: suite_points(course, name) for name in catalog})


def map_text(course: Course, catalog: Mapping[str, Exercise], points: Mapping[str, float]) -> str:
    """The map of these exercises, what each is worth, and what it takes and gives."""
    exercises = list(catalog.values())
    timed = any(e.level or e.minutes for e in exercises)
    rows = [_row(number, e, points[e.name], timed) for number, e in enumerate(exercises, start=1)]
    heads = ["#", "file", "what you build", "source", *(["level", "minutes"] if timed else [])]
    table = [_cells(*heads, "needs", "points"), "|---" * (len(heads) + 2) + "|", *rows]
    prefaces = [one.about.preface.strip() for one in course.line]
    preface = "".join(f"{text}\n\n" for text in reversed(prefaces) if text)
    legend = _LEGEND if timed else ""
    gains = "".join(_gain(e) for e in exercises if e.before or e.afterwards)
    told = f"\n## What it takes and gives\n\n{gains}" if gains else ""
    return _MAP_BEGINNING + preface + _MAP_RULES + legend + "\n".join(table) + "\n" + told


def _row(number: int, e: Exercise, points: float, timed: bool) -> str:
    minutes = f"{e.minutes} in {e.sittings} sittings" if e.sittings > 1 else f"{e.minutes or '-'}"
    costs = [f"{e.level or '-'}", minutes] if timed else []
    needs = ", ".join(e.needs) or "-"
    return _cells(
        str(number), f"[`{e.name}`]({e.name}.py)", e.title, e.source, *costs, needs, f"{points:g}"
    )


def _cells(*texts: str) -> str:
    return f"| {' | '.join(texts)} |"


def _gain(e: Exercise) -> str:
    """One entry of a list: what to know before, what one can do afterwards."""
    lines = [f"- **{e.title}** ([`{e.name}`]({e.name}.py))"]
    if e.before:
        lines.append(f"  Before: {'; '.join(e.before)}.")
    if e.afterwards:
        lines.append(f"  Afterwards you can {'; '.join(e.afterwards)}.")
    return "\n".join(lines) + "\n"


_MAP_BEGINNING = """\
# The exercises

Open a file, read it like a page, replace each `TODO`, and ask `grader check NAME` what it thinks.
`grader page NAME` shows the page in your browser, with its figures.
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

"""

_LEGEND = """\
Levels run from 1 (one idea, a few lines) to 5 (a design of your own). Minutes are those of somebody
who knows Python and a little PyTorch, reading included: take breaks where a page has sittings.

"""
