"""Jobs for an executor, handed out a few at a time, and what became of them as it is done."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import dataclass
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Place:
    """Where jobs are done: ``width()`` of them at a time. Any of ``lost`` says of a job that the
    process it was in has ended, more than once.
    """

    executor: Executor
    width: Callable[[], int]
    lost: tuple[type[BaseException], ...]


def as_done(
    place: Place, job: Callable[[Item], Result], items: Iterable[Item]
) -> Iterator[tuple[Item, Future[Result]]]:
    """Each item with its job's future, in the order in which they are done.

    Twice as many items are taken as can be done at a time, so that nobody there waits for the
    caller; those after them are not asked for before. What is still in flight when the iterator is
    closed is cancelled.
    """
    coming, in_flight = iter(items), dict[Future[Result], Item]()
    try:
        while True:
            for item in _some(coming, 2 * max(place.width(), 1) - len(in_flight)):
                in_flight[place.executor.submit(job, item)] = item
            if not in_flight:
                return
            done, _ = wait(in_flight, return_when=FIRST_COMPLETED)
            for future in [known for known in in_flight if known in done]:
                yield in_flight.pop(future), future
    finally:
        for future in in_flight:
            future.cancel()


def _some(items: Iterator[Item], number: int) -> Iterator[Item]:
    for _, item in zip(range(number), items, strict=False):
        yield item
