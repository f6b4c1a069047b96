"""A notebook that is not there, and the one beside it that was perhaps meant."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from grader.collect.near import SUFFIX, Likeness, meant


def found_instead(folder: Path, names: Collection[str]) -> dict[str, str]:
    """``{"attention": "attention (1).ipynb"}`` for each exercise whose notebook has another name
    only; the nearest name where there are several.
    """
    best: dict[str, tuple[Likeness, str]] = {}
    for path in sorted(folder.glob("*.[iI][pP][yY][nN][bB]")):
        near = meant(path.stem + SUFFIX, names)
        if near is not None and not (folder / f"{near[0]}.ipynb").exists():
            best[near[0]] = max(best.get(near[0], (near[1], path.name)), (near[1], path.name))
    return {name: found for name, (_, found) in best.items()}
