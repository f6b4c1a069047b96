"""What is known of an exception beside its message: another kind, or more facts, by its line."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from grader.errors import Raised
from grader.examiner.surroundings import Surroundings
from grader.model import Fact

Facts: TypeAlias = dict[str, Fact]
Recognised: TypeAlias = tuple[str, Facts] | None
Refine: TypeAlias = Callable[[str, Facts, Raised, Surroundings], Recognised]
