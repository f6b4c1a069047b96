"""Modules handed in as notebooks: what students would have typed into the cells."""

from __future__ import annotations

import ast
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

Notebook = dict[str, Any]


def hand_in(course: Path, assignment: str, student: str, modules: dict[str, str]) -> Path:
    """The released notebooks, with the modules' texts in their solution cells."""
    folder = course / "submitted" / student / assignment
    shutil.copytree(course / "release" / assignment, folder)
    for path in sorted(folder.glob("*.ipynb")):
        if path.stem in modules:
            edit(path, lambda notebook, text=modules[path.stem]: typed_in(notebook, text))
        else:
            path.unlink()
    return folder


def edit(path: Path, change: Callable[[Notebook], object]) -> None:
    notebook = json.loads(path.read_text(encoding="utf-8"))
    change(notebook)
    path.write_text(json.dumps(notebook), encoding="utf-8")


def cell(notebook: Notebook, name: str) -> dict[str, Any]:
    (found,) = [c for c in notebook["cells"] if grade_id(c) == name]
    return found


def grade_id(one: dict[str, Any]) -> str:
    return one["metadata"].get("nbgrader", {}).get("grade_id", "")


def typed_in(notebook: Notebook, module: str) -> None:
    """Every definition goes to the cell of its name; what else there is, above the next one."""
    solutions = [c for c in notebook["cells"] if c["metadata"].get("nbgrader", {}).get("solution")]
    names = [grade_id(c) for c in solutions]
    given = {grade_id(c): "".join(c["source"]) for c in notebook["cells"]}
    texts = dict.fromkeys(names, "")
    for name, text in _pieces(module, names):
        if not any(text and text in other for key, other in given.items() if "given" in key):
            texts[name] += f"{text}\n"
    for one, name in zip(solutions, names, strict=True):
        one["source"] = texts[name].strip("\n")


def _pieces(module: str, names: list[str]) -> list[tuple[str, str]]:
    """(cell, text) for every top-level statement; all in the first cell if it is no Python."""
    try:
        nodes = ast.parse(module).body
    except SyntaxError:
        return [(names[0], module)]
    lines = module.split("\n")
    ends = [node.end_lineno or node.lineno for node in nodes]
    texts = ["\n".join(lines[a:b]).strip("\n") for a, b in zip([0, *ends], ends, strict=False)]
    own = [getattr(node, "name", "") for node in nodes]
    places = []
    for index in range(len(nodes)):
        later = [name for name in own[index:] if name in names]
        places.append(later[0] if later else names[-1])
    return list(zip(places, texts, strict=True))
