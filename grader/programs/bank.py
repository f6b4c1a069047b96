"""Banks of programs: misconceptions, which must be rejected, and variants, which must not.

A bank is a Python file. Whatever it holds is a whole program: the reference's names with some of
them replaced, or those of the exercise's own page with a slip in its text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields
from functools import cache, cached_property
from pathlib import Path
from types import CodeType
from typing import Any, TypeVar

from grader.errors import SuiteError
from grader.programs.page import TEXT, Page, load_by_path

_Program = TypeVar("_Program", bound=Callable[..., Any])
_MARK = "__bank_entry__"


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A program of a bank. Variants have no sentence and are caught by nothing. ``of`` is the
    function or class that is wrong, where it is one.
    """

    name: str
    of: str = ""
    sentence: str = ""
    caught_by: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """What its answers are known by: no other program has it."""
        return self.name

    @property
    def is_as_given(self) -> bool:
        """Whether it is what a page gives to be mended."""
        return self.name.endswith("_as_given")

    def applied_to(self, reference: Mapping[str, Any]) -> dict[str, Any]:
        """The whole program's names, made afresh, given the reference's."""
        raise NotImplementedError


@dataclass(frozen=True, kw_only=True)
class Replacement(Entry):
    """The reference with another function or class in the place of ``of``."""

    of: str
    program: Callable[..., Any]

    def applied_to(self, reference: Mapping[str, Any]) -> dict[str, Any]:
        return {**reference, self.of: self.program}


@dataclass(frozen=True, kw_only=True)
class Slip(Entry):
    """The page with a slip in it, in the first place after the beginning of ``of``."""

    of: str
    page: Page
    slips: tuple[tuple[str, str], ...]

    @cached_property
    def text(self) -> str:
        """The wrong page; raises ``SuiteError`` when the right one has no place for the slip."""
        with self._named():
            return self.page.with_slips(self.of, self.slips)

    def together_with(self, other: Slip) -> str:
        """The page with both; raises ``SuiteError`` unless they are in different places of it."""
        text, turned = other._added_to(self.text), self._added_to(other.text)
        if text != turned:
            raise SuiteError(f"{self.name} and {other.name} are in one place")
        return text

    def _added_to(self, text: str) -> str:
        with self._named():
            return self.page.with_slips(self.of, self.slips, text)

    def applied_to(self, reference: Mapping[str, Any]) -> dict[str, Any]:
        code = self._code
        with self._named():
            return self.page.program(code) | {TEXT: self.text}

    @cached_property
    def _code(self) -> CodeType:
        text = self.text
        with self._named():
            return self.page.compiled(text)

    @contextmanager
    def _named(self) -> Iterator[None]:
        """A slip that cannot be made says whose and which it is."""
        try:
            yield
        except Exception as error:  # whatever an import may raise
            raise SuiteError(f"{self.page.path.stem}, {self.name}: {error}") from error


@dataclass(frozen=True)
class Stage:
    """A page as it stands when its steps are written up to ``step``, and none after it: ``slips``
    take out of it what comes later.
    """

    step: str
    of: str
    slips: tuple[tuple[str, str], ...]

    def bare(self, page: Page) -> Unfinished:
        """The page at this stage, right as far as it goes."""
        return Unfinished(name="", of=self.of, page=page, slips=(), stage=self)

    def unfinished(self, entries: Iterable[Entry]) -> list[Entry]:
        """Those misconceptions that leave a place for it, made at this stage."""
        made = [_unfinished(entry, self) for entry in entries if isinstance(entry, Slip)]
        return [entry for entry in made if entry is not None]


@dataclass(frozen=True, kw_only=True)
class Unfinished(Slip):
    """A misconception on a page that is not written to its end: it has its name and sentence."""

    stage: Stage

    @property
    def key(self) -> str:
        return f"{self.name} at {self.stage}"

    @cached_property
    def text(self) -> str:
        with self._named():
            text = self.page.with_slips(self.of, self.slips)
            return self.page.with_slips(self.stage.of, self.stage.slips, text)


@cache
def _unfinished(entry: Slip, stage: Stage) -> Unfinished | None:
    """None if the slip has taken the place of what the stage would take out, or what is left is no
    program.
    """
    own = {field.name: getattr(entry, field.name) for field in fields(entry)}
    made = Unfinished(**own, stage=stage)
    try:
        return made if made._code else None
    except SuiteError:
        return None


class Bank:
    """The wrong answers to one exercise.

    Most are the exercise's own page with one slip in it: the first ``old`` after ``def softmax``
    becomes ``new``. What is written anew stands in for a function or class of the page, and its
    docstring is the sentence::

        wrong = Bank()

        wrong("softmax", "not_divided", "rows_sum_to_one", "You do not divide.", " / total", "")

        @wrong.instead_of("softmax", "any_axis")
        def over_rows(x, dim=-1):
            '''Your softmax always runs over the rows.'''
            return torch.softmax(x, 0)

    Checks that catch it are named without their ``test_``, with spaces between them. A slip called
    ``softmax_as_given`` is what the page gives where that is wrong: nobody has begun with it.
    """

    def __init__(self) -> None:
        self._makers: list[Callable[[Page], Entry]] = []
        self.stages: list[Stage] = []

    def __call__(
        self, of: str, name: str, caught_by: str, sentence: str, old: str, new: str, *more: str
    ) -> None:
        """Add the page with a slip; further pairs of old and new words make further slips.

        ``of`` is a function, a class or ``Class.method``, from where on ``old`` is sought.
        """
        words = (old, new, *more)
        slips = tuple(zip(words[::2], words[1::2], strict=True))
        told, checks = _one_line(sentence), _checks(caught_by)

        def make(page: Page) -> Entry:
            return Slip(name=name, sentence=told, caught_by=checks, of=of, page=page, slips=slips)

        self._makers.append(make)

    def up_to(self, step: str, of: str, old: str, new: str, *more: str) -> None:
        """Say how the page stands when it is written up to a ``step`` of the catalog's, where what
        comes later raises nothing but is ignored, or is not robust yet: misconceptions are then
        recognised there too.
        """
        words = (old, new, *more)
        slips = tuple(zip(words[::2], words[1::2], strict=True))
        self.stages.append(Stage(step, of, slips))

    def instead_of(self, of: str, caught_by: str) -> Callable[[_Program], _Program]:
        """Add what stands in for the function or class ``of``; its docstring is the sentence."""

        def add(program: _Program) -> _Program:
            entry = Replacement(
                name=_snake_case(program.__name__),
                sentence=_one_line(program.__doc__ or ""),
                caught_by=_checks(caught_by),
                of=of,
                program=program,
            )
            self._makers.append(lambda page: entry)
            return program

        return add

    def entries(self, page: Page) -> list[Entry]:
        """In the order of the file; raises ``SuiteError`` for a slip without a place."""
        entries = [make(page) for make in self._makers]
        for entry in entries:
            if isinstance(entry, Slip):
                assert entry.text
        return entries


def variant(*, of: str) -> Callable[[_Program], _Program]:
    """Mark a right program that is written differently from the reference."""

    def mark(program: _Program) -> _Program:
        name = _snake_case(program.__name__)
        setattr(program, _MARK, Replacement(name=name, of=of, program=program))
        return program

    return mark


def load_bank(path: Path, page: Path) -> list[Entry]:
    """The entries of a bank, in the order of the file, over the exercise's ``page``.

    A bank of misconceptions may hold a variant too, a right program in steps that some of the wrong
    ones are made from: it is proved right like any other.
    """
    values = vars(load_by_path(path, page.parent)).values()
    own = Page(page)
    entries: list[Entry] = []
    for value in values:
        if isinstance(value, Bank):
            entries += _placed(value, own, path)
        elif _MARK in getattr(value, "__dict__", {}):
            entries.append(vars(value)[_MARK])
    for entry in entries:
        if isinstance(entry, Replacement) and not isinstance(entry.program, type):
            entry.program.__name__ = entry.of
    return entries


def load_stages(path: Path, page: Path) -> list[Stage]:
    """How far a page may be written, as its bank of misconceptions says; raises ``SuiteError`` when
    there is no place for what one takes out.
    """
    values = vars(load_by_path(path, page.parent)).values()
    stages = [stage for value in values if isinstance(value, Bank) for stage in value.stages]
    own = Page(page)
    for stage in stages:
        own.with_slips(stage.of, stage.slips)
    return stages


def _placed(bank: Bank, page: Page, path: Path) -> list[Entry]:
    try:
        return bank.entries(page)
    except SuiteError as error:
        raise SuiteError(f"{path.parent.name}/{path.name}: {error}") from error


def _one_line(sentence: str) -> str:
    return " ".join(sentence.split())


def _checks(names: str) -> tuple[str, ...]:
    return tuple(f"test_{name}" for name in names.split())


def _snake_case(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
