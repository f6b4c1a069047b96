"""A check, run by the reference, becomes data: what it asks is written down.

What a check asks goes through a client, so a client is where it is recorded; what it computes with
answers goes through torch, which tells of every function that is called, and through numbers that
tell it themselves (``traced.py``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from grader.examiner.check_run import CheckCase, CheckRun
from grader.examiner.sealed.drawn import Law
from grader.examiner.sealed.playing import sums_of
from grader.examiner.sealed.script import Compared, Refusals, Script
from grader.programs.again import FIRST, Probe, Repeated
from grader.programs.client import Client, client_of
from grader.programs.draw import Draw
from grader.programs.failure import CheckFailed, finding
from grader.programs.gradients import Gradients
from grader.programs.observe import work_of
from grader.programs.program import LocalProgram, Opening, worker_seed
from grader.programs.proxy import Implementation, ModuleProxy, TorchModule
from grader.programs.random_numbers import RandomNumbers
from grader.programs.refusal import refuses
from grader.programs.usable import usable
from grader.programs.work import Work
from grader.release.practice_draw import PracticeDraw
from grader.release.recorder import Recorder
from grader.release.traced import TracedWork, converting, plain
from grader.sandbox.engine import Engine

_CONVERTED = (float, int)


class Taken:
    """One run of a check by a ``right`` program, written down: what it asks outside of comparisons
    in ``recorder``, its ``comparisons`` by their number, what was ``drawn``, and what stopped it.
    """

    def __init__(
        self, case: CheckCase, right: Mapping[str, Any], forced: Mapping[int, int] | None = None
    ) -> None:
        self.recorder = self._at = Recorder(forced, is_strict=True)
        self.comparisons: dict[int, Script] = {}
        self._compared = 0
        self.drawn: dict[Law, int] = {}
        with _Listener(self), self._noting(case.collected.function):
            self.error = _Recording(case, self, right).run()

    @property
    def at(self) -> Recorder:
        """Where what is asked now is written down."""
        return self._at

    def compare(self, client: Client, probe: Probe, wrt: Sequence[torch.Tensor]) -> None:
        """A comparison is written down apart, and once: not before the last forced decision."""
        number, self._compared = self._compared, self._compared + 1
        self.recorder.items.append(Compared(number))
        if not self.recorder.is_beyond:
            client.begin(wrt)
            return
        self._at = Recorder()
        try:
            value = Repeated(client, probe, wrt).ask(FIRST)
            self.comparisons[number] = self._at.script(value, wrt)
        finally:
            self._at = self.recorder

    @contextmanager
    def _noting(self, function: Callable[..., None]) -> Iterator[None]:
        """Within the block what the check's file calls by these names is written down."""
        known = {
            refuses: self._refuses,
            work_of: self._work_of,
            usable: self._usable,
            finding: self._finding,
        }
        names = function.__globals__
        theirs = {n: v for n, v in names.items() if callable(v) and _hashable(v) and v in known}
        names.update({name: known[value] for name, value in theirs.items()})
        names.update({one.__name__: converting(one, lambda: self._at) for one in _CONVERTED})
        try:
            yield
        finally:
            names.update(theirs)
            for one in _CONVERTED:
                del names[one.__name__]

    def _refuses(self, call: Callable[[], Any], what: str, *more: Any) -> None:
        pairs = [(call, what), *zip(more[::2], more[1::2], strict=True)]
        attempts = tuple(self._at.attempt(one, said) for one, said in pairs)
        self._at.items.append(Refusals(attempts))

    def _work_of(self, impl: Implementation, probe: Callable[[Implementation], Any]) -> Any:
        client = client_of(impl)
        self._at.note(None, "count")
        client.begin(forget="given")
        client.work = Work({}, 0)
        try:
            probe(impl)
            work = client.work
        finally:
            client.work = None
        return TracedWork(self._at, self._at.note(sums_of(work), "counted"))

    def _usable(
        self,
        impl: Implementation | ModuleProxy,
        value: Any,
        shape: Sequence[int],
        dtype: torch.dtype = torch.float32,
        *,
        varied: bool = True,
        unlike: Sequence[torch.Tensor] = (),
    ) -> Any:
        at = self._at
        with at.own_work():
            usable(impl, plain(value), shape, dtype, varied=varied, unlike=unlike)
        args = at.form(value), tuple(shape), dtype
        at.note(None, "usable", "", *args, kwargs={"varied": varied, "unlike": at.form(unlike)})
        return value

    def _finding(self, *said: str, earned: float = 0.0, **more: Any) -> CheckFailed:
        self._at.note(None, "finding", "", *map(self._at.form, said), kwargs=self._at.form(more))
        return _Told()


class _Told(CheckFailed):
    """What a check found is written down already."""

    def __init__(self) -> None:
        Exception.__init__(self)


def _hashable(value: Any) -> bool:
    return getattr(type(value), "__hash__", None) is not None


class _Listener(TorchFunctionMode):
    def __init__(self, taken: Taken) -> None:
        super().__init__()
        self._taken = taken

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        value = func(*args, **(kwargs or {}))
        return self._taken.at.computed(func, args, kwargs or {}, value)


class _Client(Client):
    """Tells a recorder what it is asked."""

    taken: Taken

    def call(
        self, name: str, args: Sequence[Any], kwargs: Mapping[str, Any], device: str = ""
    ) -> Any:
        asked, more = self._formed(args, kwargs)
        return self._noted(
            lambda: super(_Client, self).call(name, plain(args), plain(dict(kwargs)), device),
            "call", name, *asked, kwargs=more, device=device, autocast=self.autocast,
        )  # fmt: skip

    def call_object(
        self, number: int, name: str, args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> Any:
        asked, more = self._formed(args, kwargs)
        of = self.taken.at.object(number)
        return self._noted(
            lambda: super(_Client, self).call_object(
                number, name, plain(args), plain(dict(kwargs))
            ),
            "method", name, *asked, kwargs=more, of=of, autocast=self.autocast,
        )  # fmt: skip

    def ask(self, op: str, **request: Any) -> Any:
        at = self.taken.at
        weights = (at.form(request["weights"]),) if op == "load" else ()
        of = at.object(request["number"])
        if op == "load":
            self._noted(lambda: None, op, "", *weights, of=of)
            with at.own_work():
                return super().ask(op, **request)
        return self._noted(lambda: super(_Client, self).ask(op, **request), op, of=of)

    def gradients(
        self,
        outputs: Sequence[torch.Tensor],
        cotangents: Sequence[torch.Tensor],
        wrt: Sequence[torch.Tensor],
        *,
        of_parameters: bool = True,
    ) -> Gradients:
        at = self.taken.at
        asked = at.form((list(outputs), list(cotangents), list(wrt)))
        with at.own_work():
            found = super().gradients(outputs, cotangents, wrt, of_parameters=of_parameters)
        at.note_gradients(found, asked, of_parameters=of_parameters)
        return found

    def copy(self, number: int) -> Any:
        of = self.taken.at.object(number)
        return self._noted(lambda: super(_Client, self).copy(number), "copy", of=of)

    def seen(self, module: TorchModule) -> Any:
        form = self.taken.at.form(module)
        return self._noted(lambda: super(_Client, self).seen(module), "seen", "", form)

    def _formed(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[Any, Any]:
        return self.taken.at.form(tuple(args)), self.taken.at.form(dict(kwargs))

    def _noted(self, act: Callable[[], Any], does: str, *said: Any, **more: Any) -> Any:
        value, at = None, self.taken.at
        try:
            with at.own_work():
                value = act()
        finally:  # also what raises was asked
            value = at.note(value, does, *said, **more)
        return value


class _Program(LocalProgram):
    """A right program, with a recorder beside it."""

    def __init__(self, names: Mapping[str, Any], taken: Taken) -> None:
        super().__init__(names)
        self._own, self._taken = names, taken

    def open(self, opening: Opening) -> Client:
        RandomNumbers(worker_seed(opening.seed)).go_on()
        engine = Engine(self._own)
        client = _Client(engine.perform, opening.exercise.name, list(self._own), opening.device)
        client.taken = self._taken
        return client


class _Recording(CheckRun):
    """A run in which nothing is judged but by the check itself."""

    def __init__(self, case: CheckCase, taken: Taken, right: Mapping[str, Any]) -> None:
        super().__init__(case, _Program(right, taken))
        self._taken = taken

    @cached_property
    def compare(self) -> _Noted:  # type: ignore[override]
        return _Noted(self.opened, self._taken)

    @property
    def draw(self) -> Draw:
        draw = PracticeDraw(self._case.seed, self._case.device)
        self._taken.drawn = draw.drawn
        return draw

    @property
    def reference(self) -> Implementation:
        return _Unheard(super().reference, self._taken)


class _Noted:
    """Stands for ``compare``: every comparison becomes a script."""

    def __init__(self, client: Client, taken: Taken) -> None:
        self._client, self._taken = client, taken

    def __call__(self, probe: Probe, wrt: Sequence[torch.Tensor] = ()) -> None:
        self._taken.compare(self._client, probe, wrt)

    def __getattr__(self, name: str) -> Callable[..., None]:
        def compared(*args: Any, wrt: Sequence[torch.Tensor] = (), **kwargs: Any) -> None:
            self(lambda impl: getattr(impl, name)(*args, **kwargs), wrt)

        return compared


class _Unheard(Implementation):
    """The reference that a check asks for: how it computes is nobody's business."""

    def __init__(self, reference: Implementation, taken: Taken) -> None:
        super().__init__(client_of(reference))
        self._reference, self._taken = reference, taken

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def called(*args: Any, **kwargs: Any) -> Any:
            with self._taken.at.own_work():
                return getattr(self._reference, name)(*plain(args), **plain(kwargs))

        return called
