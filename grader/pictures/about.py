"""Which functions of the page a panel asks: read from its code, nothing is run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import CodeType, FunctionType
from typing import Any

from grader.pictures.panels import Panel, Scene


def panels_about(scene: Scene, name: str) -> tuple[Panel, ...]:
    """The panels that ask ``name`` of the page, a function or a class."""
    return tuple(panel for panel in scene.panels if name in set(_names(panel.ask, set())))


def _names(function: Callable[..., Any], seen: set[object]) -> Iterator[str]:
    """Every attribute, and every text in a closure, that a function and those it calls use."""
    if not isinstance(function, FunctionType) or function in seen:
        return
    seen.add(function)
    for code in _codes(function.__code__):
        yield from code.co_names
        for name in code.co_names:
            yield from _names(function.__globals__.get(name), seen)  # type: ignore[arg-type]
    for cell in function.__closure__ or ():
        held = cell.cell_contents
        if isinstance(held, str):
            yield held
        yield from _names(held, seen)


def _codes(code: CodeType) -> Iterator[CodeType]:
    """A function's own code, and that of functions within it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)
