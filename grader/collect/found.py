"""What was found in a place, all of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import overload

from grader.collect.modules import Ignored, Modules, Note
from grader.collect.shapes import Whose
from grader.model import Submission


@dataclass(frozen=True)
class Collected(Sequence[Submission]):
    """The submissions, sorted by name; beside them whatever is not graded, and what is graded
    although it was found under another name or place. ``absent`` are those of a roster who handed
    in nothing. ``claims`` are what packs say of themselves, by the path of the submission: nothing
    that is graded comes from there.
    """

    submissions: tuple[Submission, ...]
    ignored: tuple[Ignored, ...] = ()
    notes: tuple[Note, ...] = ()
    absent: tuple[str, ...] = ()
    claims: Mapping[str, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.submissions)

    @overload
    def __getitem__(self, index: int) -> Submission: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Submission, ...]: ...
    def __getitem__(self, index: int | slice) -> Submission | tuple[Submission, ...]:
        return self.submissions[index]


def only(modules: Modules, whose: Whose) -> Collected:
    """Where all there is, is one submission."""
    submission = modules.submission(whose)
    ignored, notes = tuple(modules.ignored), tuple(modules.notes)
    return Collected((submission,), ignored, notes, claims=modules.claims_by_path)
