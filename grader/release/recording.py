"""A check, run once by the reference, becomes data: what it asks is written down as scripts.

What a check asks goes through a client, so a client is where it is recorded; what it computes with
answers before it hands them on goes through torch, which tells of every function that is called.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any

import torch

from grader.examiner.check_run import CheckCase, CheckRun
from grader.examiner.sealed.script import (
    Comparison,
    Event,
    Refusals,
    Step,
)
from grader.programs.again import FIRST, Probe, Repeated
from grader.programs.client import Client
from grader.programs.gradients import Gradients
from grader.programs.program import LocalProgram, Opening
from grader.programs.proxy import Implementation, TorchModule
from grader.programs.refusal import refuses
from grader.release import words
from grader.release.recorder import Recorder, Unrecordable
from grader.sandbox.engine import Engine


def recorded(case: CheckCase, right: Mapping[str, Any] | None = None) -> tuple[Event, ...]:
    """What a check asks, in order, of the reference or of another ``right`` program; raises
    ``Unrecordable`` with the reason for one that measures, or asks nothing.
    """
    if case.collected.measures:
        raise Unrecordable(words.CLOCKED)
    recorder = Recorder()
    run = _Recording(case, recorder, case.suite.reference if right is None else right)
    with recorder.listening(), _noting_refusals(case.collected.function, recorder):
        error = run.run()
    if error is not None:
        raise error if isinstance(error, Unrecordable) else Unrecordable(str(error))
    recorder.start()
    if not recorder.events:
        raise Unrecordable(words.NOTHING_ASKED)
    return tuple(recorder.events)


def with_longer_attempts(events: Sequence[Event], other: Sequence[Event]) -> tuple[Event, ...]:
    """The events, with those attempts of another right program that went further before they were
    refused: one refuses when an object is made, another when it is used.
    """
    if [type(event) for event in events] != [type(event) for event in other]:
        return tuple(events)
    return tuple(map(_longer, events, other))


def _longer(event: Event, other: Event) -> Event:
    if not isinstance(event, Refusals) or not isinstance(other, Refusals):
        return event
    pairs = zip(event.attempts, other.attempts, strict=False)
    longest = [max(pair, key=lambda one: len(one.script.steps)) for pair in pairs]
    return Refusals(tuple(longest)) if len(longest) == len(event.attempts) else event


class _Client(Client):
    """Tells a recorder what it is asked."""

    recorder: Recorder

    def call(
        self, name: str, args: Sequence[Any], kwargs: Mapping[str, Any], device: str = ""
    ) -> Any:
        self._require_plain_calls()
        form = self.recorder.form
        step = Step(
            "call", name, form(tuple(args)), form(dict(kwargs)), None, device, self.autocast
        )
        return self._noted(step, lambda: super(_Client, self).call(name, args, kwargs, device))

    def call_object(
        self, number: int, name: str, args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> Any:
        self._require_plain_calls()
        form, of = self.recorder.form, self.recorder.object(number)
        step = Step("method", name, form(tuple(args)), form(dict(kwargs)), of, "", self.autocast)
        return self._noted(
            step, lambda: super(_Client, self).call_object(number, name, args, kwargs)
        )

    def ask(self, op: str, **request: Any) -> Any:
        of = self.recorder.object(request["number"])
        weights = (self.recorder.form(request["weights"]),) if op == "load" else ()
        return self._noted(
            Step(op, args=weights, of=of), lambda: super(_Client, self).ask(op, **request)
        )

    def gradients(
        self,
        outputs: Sequence[torch.Tensor],
        cotangents: Sequence[torch.Tensor],
        wrt: Sequence[torch.Tensor],
        *,
        of_parameters: bool = True,
    ) -> Gradients:
        asked = self.recorder.form((list(outputs), list(cotangents), list(wrt)))
        with self.recorder.own_work():
            found = super().gradients(outputs, cotangents, wrt, of_parameters=of_parameters)
        step = Step("gradients", args=asked, kwargs={"of_parameters": of_parameters})
        self.recorder.note(step, {"leaves": found.leaves, "parameters": found.parameters})
        return found

    def copy(self, number: int) -> Any:
        step = Step("copy", of=self.recorder.object(number))
        return self._noted(step, lambda: super(_Client, self).copy(number))

    def seen(self, module: TorchModule) -> Any:
        step = Step("seen", args=(self.recorder.form(module),))
        return self._noted(step, lambda: super(_Client, self).seen(module))

    def _noted(self, step: Step, act: Callable[[], Any]) -> Any:
        value = None
        try:
            with self.recorder.own_work():
                value = act()
        finally:  # also what raises was asked
            self.recorder.note(step, value)
        return value

    def _require_plain_calls(self) -> None:
        if self.work is not None:
            raise Unrecordable(words.COUNTED)


class _Program(LocalProgram):
    """The reference, with a recorder beside it."""

    def __init__(self, names: Mapping[str, Any], recorder: Recorder) -> None:
        super().__init__(names)
        self._own, self._recorder = names, recorder

    def open(self, opening: Opening) -> Client:
        engine = Engine(self._own)
        client = _Client(engine.perform, opening.exercise.name, list(self._own), opening.device)
        client.recorder = self._recorder
        return client


class _Recording(CheckRun):
    """A run by the reference in which nothing is judged but by the check itself."""

    def __init__(self, case: CheckCase, recorder: Recorder, right: Mapping[str, Any]) -> None:
        super().__init__(case, _Program(right, recorder))
        self._recorder = recorder

    @cached_property
    def compare(self) -> _Noted:  # type: ignore[override]
        return _Noted(self.opened, self._recorder)

    @property
    def submission(self) -> Implementation:
        self._recorder.start()
        return super().submission


class _Noted:
    """Stands for ``compare``: every comparison becomes a script."""

    def __init__(self, client: Client, recorder: Recorder) -> None:
        self._client, self._recorder = client, recorder

    def __call__(self, probe: Probe, wrt: Sequence[torch.Tensor] = ()) -> None:
        self._recorder.start()
        value = Repeated(self._client, probe, wrt).ask(FIRST)
        script = self._recorder.finish(value, wrt)
        self._recorder.events.append(Comparison(script))

    def __getattr__(self, name: str) -> Callable[..., None]:
        def compared(*args: Any, wrt: Sequence[torch.Tensor] = (), **kwargs: Any) -> None:
            self(lambda impl: getattr(impl, name)(*args, **kwargs), wrt)

        return compared


@contextmanager
def _noting_refusals(function: Callable[..., None], recorder: Recorder) -> Iterator[None]:
    """Within the block what the check's file calls ``refuses`` is written down."""

    def noted(call: Callable[[], Any], what: str, *more: Any) -> None:
        pairs = [(call, what), *zip(more[::2], more[1::2], strict=True)]
        attempts = tuple(recorder.attempt(one, said) for one, said in pairs)
        recorder.events.append(Refusals(attempts))

    names = function.__globals__
    if names.get("refuses") is not refuses:
        yield
        return
    names["refuses"] = noted
    try:
        yield
    finally:
        names["refuses"] = refuses
