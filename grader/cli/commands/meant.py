"""What is meant by a word that is no command: an exercise is checked, a near miss asked about."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from typer.core import TyperGroup

from grader.learner import words
from grader.spelling import did_you_mean


class Program(TyperGroup):
    """All commands; ``grader softmax`` is ``grader check softmax``."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Ends with what was meant, perhaps, for what is neither a command nor an exercise."""
        word, commands = args[0], self.list_commands(ctx)
        if word in commands or word.startswith("-"):
            return super().resolve_command(ctx, args)
        exercises = _exercises()
        if Path(word).name.removesuffix(".py") in exercises:
            return super().resolve_command(ctx, ["check", *args])
        near = did_you_mean(word, [*commands, *exercises])
        ctx.fail(words.NEITHER.format(word=word, near=near))


def _exercises() -> list[str]:
    """None where there is no course: whatever is typed then, a command will say so."""
    from grader.course.catalog import load_catalog
    from grader.course.course import find_course
    from grader.errors import GraderError

    try:
        return list(load_catalog(find_course()))
    except GraderError:
        return []
