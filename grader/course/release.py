"""Solutions -> exercises: everything under ``exercises/`` but the catalog is generated here, and
so are the sample submissions ``perfect`` and ``untouched``.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from grader.course.catalog import load_catalog
from grader.course.house import House
from grader.course.markers import stub_text, without_markers
from grader.course.suite_text import suite_points
from grader.model import Exercise

# What never leaves the house: neither in a wheel nor in a student's bundle.
SECRET = ("solutions", "grader/suites", "tests")


def generated_files(house: House) -> dict[Path, str]:
    """The text of every generated file, by path; the same bytes from the same solutions."""
    catalog = load_catalog(house)
    files = {house.stub(name): untouched(house, name) for name in catalog}
    files[house.exercises / "README.md"] = _map(house, catalog)
    return files | _samples(house, catalog)


def untouched(house: House, name: str) -> str:
    """An exercise's stub as it is given out, whatever has become of the file in ``exercises/``."""
    return stub_text(house.solution(name).read_text(encoding="utf-8"), name)


def _samples(house: House, catalog: Mapping[str, Exercise]) -> dict[Path, str]:
    """The two sample submissions that follow from the solutions."""
    folder = house.root / "tests" / "submissions"
    samples = {}
    for name in catalog:
        solution = house.solution(name).read_text(encoding="utf-8")
        samples[folder / "perfect" / f"{name}.py"] = without_markers(solution)
        samples[folder / "untouched" / f"{name}.py"] = untouched(house, name)
    return samples


def write_stubs(house: House) -> list[Path]:
    """Bring ``exercises/`` up to date; returns the files that changed."""
    stale = stale_files(house)
    texts = generated_files(house)
    for path in stale:
        if path in texts:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(texts[path].encode())
        else:
            path.unlink()
    return stale


def stale_files(house: House) -> list[Path]:
    """Generated files that are missing, differ, or have no solution any more."""
    texts = generated_files(house)
    wrong = [p for p, t in texts.items() if not p.exists() or p.read_bytes() != t.encode()]
    return wrong + [path for path in sorted(house.exercises.glob("*.py")) if path not in texts]


def _map(house: House, catalog: Mapping[str, Exercise]) -> str:
    rows = [
        f"| {number} | [`{e.name}`]({e.name}.py) | {e.title} | {e.source} | "
        f"{', '.join(e.needs) or '-'} | {suite_points(house, e.name):g} |"
        for number, e in enumerate(catalog.values(), start=1)
    ]
    return _MAP_HEAD + "\n".join(rows) + "\n"


_MAP_HEAD = """\
# The exercises

Open a file, read it like a page, replace each `TODO`, and ask `grader check NAME` what it thinks.
The order below is a good one; the column "needs" says what to have understood before.

A mask is a boolean tensor throughout, and True means "may attend".

| # | file | what you build | source | needs | points |
|---|---|---|---|---|---|
"""
