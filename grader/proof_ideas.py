"""Do the ideas of an exercise say what all of its points are for?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from grader.course.fault import Fault, idea_of_no_check, in_two_ideas, without_idea
from grader.course.ideas import bare
from grader.examiner.suite import Suite
from grader.model import total


def idea_faults(suite: Suite) -> Iterator[Fault]:
    """Every check is in exactly one idea, and nothing else is; a course need not have any."""
    if not suite.exercise.ideas:
        return
    checks = dict.fromkeys(bare(collected.check.name) for collected in suite.checks)
    named = Counter(check for idea in suite.exercise.ideas for check in idea.checks)
    yield from (without_idea(check) for check in checks if not named[check])
    yield from (in_two_ideas(check) for check, count in named.items() if count > 1)
    yield from (idea_of_no_check(check) for check in named if check not in checks)


def points_of_ideas(suite: Suite) -> dict[str, float]:
    """How many points each idea has, in the catalog's order."""
    checks = [collected.check for collected in suite.checks]
    return {
        idea.words: total(check.max_points for check in checks if bare(check.name) in idea.checks)
        for idea in suite.exercise.ideas
    }
