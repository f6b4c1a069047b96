"""Both sides are asked, and what they computed stands side by side, as numbers and words."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import torch

from grader.course.catalog import load_catalog
from grader.course.course import Course
from grader.errors import GraderError, SuiteError
from grader.examiner.causes import explain
from grader.examiner.sealed.codec import read, written
from grader.model import Cause, Exercise, Outcome
from grader.pictures import words
from grader.pictures.panels import Axis, Panel, PanelKind, Props, Scene, other_shape
from grader.programs.failure import CheckFailed
from grader.programs.kinds import kind_of
from grader.programs.page import load_by_path
from grader.programs.program import LocalProgram, Opening, Program
from grader.programs.proxy import Implementation
from grader.report.words import Spot, in_file, told
from grader.sandbox.protocol import printable

SECONDS = 5.0  # for one panel; the right answers take milliseconds
_SEED = 20170612


@dataclass(frozen=True)
class Seen:
    """One panel as both computed it.

    Without ``yours``, ``why`` says why there is nothing; ``endless`` is whether it was still not
    done when its time was up.
    """

    panel: Panel
    expected: np.ndarray
    form: str
    yours: np.ndarray | None = None
    your_form: str = ""
    why: str = ""
    endless: bool = False

    @cached_property
    def difference(self) -> np.ndarray | None:
        """Yours minus expected; what is infinite on both sides alike does not differ."""
        if self.yours is None or self.panel.free:
            return None
        same = (self.yours == self.expected) | (np.isnan(self.yours) & np.isnan(self.expected))
        with np.errstate(invalid="ignore"):
            return np.where(same, 0.0, self.yours - self.expected)

    @property
    def negligible(self) -> float:
        """Up to here, a difference is rounding."""
        largest = np.abs(self.expected[np.isfinite(self.expected)]).max(initial=1e-30)
        return float(largest * self.panel.tolerance)

    @property
    def differs(self) -> bool:
        """Whether there is anything to mend that this panel can show."""
        if self.yours is None:
            return True
        wrong = (
            self.difference is not None and not (np.abs(self.difference) <= self.negligible).all()
        )
        return wrong or self.form != self.your_form

    @property
    def right(self) -> bool:
        """Whether there is nothing to look at: it is as expected."""
        return not (self.differs or self.panel.free)

    @property
    def sign(self) -> str:
        """The verdict at a glance."""
        return "✗" if self.differs else "·" if self.panel.free else "✓"

    @property
    def verdict(self) -> str:
        """What there is to see, in a sentence."""
        if self.yours is None:
            return self.why
        if self.difference is not None:
            wrong = ~(np.abs(self.difference) <= self.negligible)
            if wrong.any() and self.panel.verb:
                return _chosen(self.panel, self.yours, self.expected, wrong)
            if wrong.any():
                return _where(self.panel, self.difference, wrong)
        if self.form != self.your_form:
            return words.OTHER_FORM.format(got=self.your_form, wanted=self.form)
        return words.FREE if self.panel.free else words.AS_EXPECTED


def look(
    course: Course,
    exercise: Exercise,
    scene: Scene,
    program: Program,
    spot: Spot = in_file,
    only: Sequence[Panel] = (),
) -> list[Seen]:
    """Ask the reference here and the subject where it lives, panel by panel: all of the scene, or
    ``only`` these, by their titles.
    """
    titles = {panel.title for panel in only}
    known = load_catalog(course)
    try:
        found: list[Seen] = []
        with torch.random.fork_rng(devices=[]):
            for panel, right, props in rights(course, exercise, scene, titles):
                asked = None if found and found[-1].endless else program
                expected = Seen(panel, right.numbers, right.form)
                found.append(_seen(expected, exercise, props, asked, known, spot))
        return found
    finally:
        program.close()


@dataclass(frozen=True)
class Right:
    """What the reference answers to a panel: the ``numbers``, of which ``form``, and the
    ``weights`` that modules were given.
    """

    numbers: np.ndarray
    form: str
    weights: Mapping[str, dict[str, torch.Tensor]]


def rights(
    course: Course, exercise: Exercise, scene: Scene, titles: Collection[str] = ()
) -> Iterator[tuple[Panel, Right, Props]]:
    """What is right, panel by panel (those of these ``titles``, or all), and the props that the
    learner's module gets as well: asked of the reference, or read where the course was given away
    without one.
    """
    wanted = [panel for panel in scene.panels if not titles or panel.title in titles]
    names = dict(vars(load_by_path(course.page(exercise.name))))
    if course.is_released:
        kept = read(scene_file(course, exercise.name).read_bytes())
        for panel, right in zip(scene.panels, (Right(**one) for one in kept), strict=True):
            if panel in wanted:
                yield panel, right, Props(names, right.weights)
        return
    for panel in wanted:
        props = Props(names)
        client = LocalProgram(names).open(Opening(exercise, seed=_SEED))
        value = panel.ask(Implementation(client), props)
        yield panel, Right(_matrix(value), _form(value), props.weights), props


def sealed_scene(course: Course, exercise: Exercise, scene: Scene) -> bytes:
    """The file of what is right in an exercise's picture."""
    with torch.random.fork_rng(devices=[]):
        return written([vars(right) for _, right, _ in rights(course, exercise, scene)])


def scene_file(course: Course, name: str) -> Path:
    """Where that lies in a released folder; raises ``SuiteError`` if it is not there."""
    path = course.practice / f"{name}.scene"
    if not path.is_file():
        raise SuiteError(f"practice/{path.name} is missing: unpack what you were given once more.")
    return path


def _seen(
    expected: Seen,
    exercise: Exercise,
    props: Props,
    program: Program | None,
    known: dict[str, Exercise],
    spot: Spot,
) -> Seen:
    """One panel; without a subject, one that is left out because the last one never ended."""
    if program is None:
        return replace(expected, why=words.LEFT_OUT, endless=True)
    try:
        value = _asked(expected.panel, exercise, props, program)
        yours = _matrix(value)
        if yours.shape != expected.expected.shape:
            raise CheckFailed(other_shape(yours.shape, expected.expected.shape))
    except GraderError as error:
        outcome, cause = explain(error, exercise.name, SECONDS, known)
        if outcome is Outcome.INTERNAL:
            raise
        said = told(cause, spot)
        why = f"{said.rationale} {said.help}".strip()
        return replace(expected, why=why, endless=outcome is Outcome.TIMEOUT)
    return replace(expected, yours=yours, your_form=_form(value))


def _asked(panel: Panel, exercise: Exercise, props: Props, program: Program) -> Any:
    """The learner's answer.

    The reference's went the same way before, so what cannot be used is the learner's doing.
    """
    impl = Implementation(program.open(Opening(exercise, SECONDS, _SEED)))
    try:
        value = panel.ask(impl, props)
        _matrix(value)
    except GraderError:
        raise
    except Exception as error:
        said = f"{type(error).__name__}: {printable(str(error), 120)}"
        raise CheckFailed(Cause("no_picture", {"said": said})) from error
    return value


def _matrix(value: Any) -> np.ndarray:
    if not isinstance(value, (torch.Tensor, np.ndarray)):
        raise CheckFailed(Cause("no_tensor", {"got_kind": kind_of(value)}))
    tensor = torch.as_tensor(value).detach()
    if tensor.is_complex():
        raise TypeError(words.COMPLEX)
    matrix: np.ndarray = tensor.to("cpu", torch.float64).numpy()
    return matrix


def _form(value: torch.Tensor | np.ndarray) -> str:
    form = words.TENSOR if isinstance(value, torch.Tensor) else words.ARRAY
    return form.format(dtype=str(value.dtype).removeprefix("torch."))


def _where(panel: Panel, difference: np.ndarray, wrong: np.ndarray) -> str:
    """How much differs, and where most."""
    places = np.abs(np.where(wrong, difference, 0.0))
    if not np.isfinite(places).all():
        return words.NOT_FINITE.format(wrong=int((~np.isfinite(places)).sum()), total=places.size)
    row, column = (int(n) for n in np.unravel_index(places.argmax(), places.shape))
    if panel.kind is PanelKind.MASK:
        return words.TURNED_ROUND.format(wrong=int(wrong.sum()), total=wrong.size)
    line = panel.lines[row] if panel.lines else _place(panel.y, row)
    if panel.kind is PanelKind.CURVES:
        x, value = panel.x.label, panel.x.values[column]
        where = words.IN_A_CURVE.format(line=line, x=x, value=value)
    else:
        named = f"{_labelled(panel.x, column)} {_place(panel.x, column)}"
        where = words.IN_A_CELL.format(row=f"{panel.y.label} {line}".strip(), column=named)
    return words.DIFFERS.format(most=places[row, column], where=where)


def _chosen(panel: Panel, yours: np.ndarray, expected: np.ndarray, wrong: np.ndarray) -> str:
    """What the first row that is wrong chooses, and what it should."""
    rows = [bool(row.any()) for row in wrong]
    row = rows.index(True)
    got, wanted = (_choice(panel.x, part[row]) for part in (yours, expected))
    named = f"{panel.y.label} {_place(panel.y, row)}".strip()
    return words.CHOSEN_WRONG.format(
        wrong=sum(rows), total=len(rows), row=named, verb=panel.verb, got=got, wanted=wanted
    )


def _choice(axis: Axis, row: np.ndarray) -> str:
    chosen = [_place(axis, int(column)) for column in np.flatnonzero(row)]
    return ", ".join(chosen) or words.CHOOSES_NOTHING


def _labelled(axis: Axis, index: int) -> str:
    """What a column is called, and in which group it stands."""
    if not axis.group:
        return axis.label
    number = index // axis.every
    return words.IN_A_GROUP.format(group=axis.group, number=number, label=axis.label)


def _place(axis: Axis, index: int) -> str:
    """A column or row by its name; without one it is counted, in its group where it has one."""
    if axis.ticks and axis.ticks[index]:
        return f"“{axis.ticks[index]}”"
    return str(index % axis.every if axis.every else index)
