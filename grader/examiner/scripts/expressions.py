"""Values of a transcript -> expressions of a script; what they need is written before them."""

from __future__ import annotations

import itertools
import keyword
import re
from collections.abc import Callable, Collection
from typing import Any

import numpy as np
import torch

from grader.examiner.scripts import parts
from grader.examiner.scripts.literals import literal
from grader.sandbox.protocol import Built, Generator, Leaf, Object, Result


class Expressions:
    """The ``lines`` so far, and the names in them of what an engine holds: see ``Store``. ``used``
    are the parts that they need; ``taken`` names are not given to anything. With ``keep_inputs``
    every input is copied before anybody can change it.
    """

    def __init__(self, taken: Collection[str], *, keep_inputs: bool = False) -> None:
        self.lines: list[str] = []
        self.used: set[str] = set()
        self.results: dict[int, str] = {}
        self.objects: dict[int, str] = {}
        self._leaves: dict[int, str] = {}
        self._built: dict[int, str] = {}
        self._kept: list[str] = []
        self._keep_inputs = keep_inputs
        self._taken = {"torch", "copy", "inf", "nan", *vars(parts), *taken}

    def value(self, value: Any, hint: str) -> str:
        """The value as an expression; what it needs is written before."""
        match value:
            case Leaf():
                return self._leaf(value, hint)
            case Result():
                return self.results[value.number] + "".join(f"[{key!r}]" for key in value.path)
            case Object():
                return self.objects[value.number]
            case Generator():
                made = f"torch.Generator({value.device!r}).manual_seed({value.seed})"
                return self._known(self._leaves, -1 - value.number, "generator", lambda: made)
            case Built():
                return self._known(self._built, value.number, "built", lambda: self._made(value))
            case list() | tuple():
                inner = ", ".join(self.value(item, hint) for item in value)
                comma = "," if len(value) == 1 else ""
                return f"[{inner}]" if isinstance(value, list) else f"({inner}{comma})"
            case dict():
                pairs = (f"{key!r}: {self.value(item, str(key))}" for key, item in value.items())
                return f"{{{', '.join(pairs)}}}"
            case torch.Tensor() | np.ndarray():
                variable = self.name(hint)
                self.lines.append(f"{variable} = {literal(value)}")
                return variable
        return literal(value)

    def _leaf(self, leaf: Leaf, hint: str) -> str:
        grad = ".requires_grad_()" if leaf.requires_grad else ""
        known = leaf.number in self._leaves
        name = self._known(self._leaves, leaf.number, hint, lambda: f"{literal(leaf.value)}{grad}")
        if not known and self._keep_inputs and isinstance(leaf.value, (torch.Tensor, np.ndarray)):
            self._kept.append(name)
            copied = "copy()" if isinstance(leaf.value, np.ndarray) else "detach().clone()"
            self.lines.append(f"{name}_before = {name}.{copied}")
        return name

    def _made(self, built: Built) -> str:
        self.used.add("Recorder")
        args = ", ".join(map(literal, built.args))
        weights = self.value(dict(built.weights), "weights")
        return f"Recorder(torch.nn.{built.type_name}({args}), {weights}).to({built.device!r})"

    def _known(self, known: dict[int, str], number: int, hint: str, made: Callable[[], str]) -> str:
        if number not in known:
            text = made()
            known[number] = self.name(hint)
            self.lines.append(f"{known[number]} = {text}")
        return known[number]

    def parameter(self, name: str) -> str:
        """The parameter that a gradient's name, ``0.weight``, speaks of."""
        number, _, key = name.partition(".")
        owner = self.objects.get(int(number)) or self._built[int(number)]
        return f"dict({owner}.named_parameters())[{key!r}]"

    def name(self, hint: str) -> str:
        """A name that is not taken yet."""
        bare = re.sub(r"\W", "_", hint).strip("_") or "x"
        bare = f"{bare}_" if keyword.iskeyword(bare) or bare[0].isdigit() else bare
        names = itertools.chain([bare], (f"{bare}_{n}" for n in itertools.count(2)))
        free = next(name for name in names if name not in self._taken)
        self._taken.add(free)
        return free

    def forget(self, what: str) -> None:
        """As an engine does: see ``Store.forget``."""
        if what:
            self._leaves = {}
        if what in ("inputs", "given", "all"):
            self.results = {}
        if what in ("given", "all"):
            self._built = {}
        if what == "all":
            self.objects = {}

    def hold_inputs(self) -> None:
        """Every input is what it was."""
        for name in self._kept:
            what = f"{name} was changed in place"
            self.lines.append(f"assert bool(({name} == {name}_before).all()), {what!r}")
