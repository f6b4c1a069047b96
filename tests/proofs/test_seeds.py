"""The proofs hold whatever inputs are drawn."""

from __future__ import annotations

import pytest

from grader.course.catalog import load_catalog
from grader.course.course import find_course
from grader.programs.bank import load_bank
from grader.programs.page import load_by_path
from grader.proof import examine_programs, names_of

COURSE = find_course()
CATALOG = load_catalog(COURSE)
VARIANTS = COURSE.root / "tests" / "variants"
SEEDS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10)


@pytest.mark.parametrize("name", CATALOG)
@pytest.mark.parametrize("seed", SEEDS)
def test_ten_seeds_agree(name, seed):
    """Whatever inputs are drawn: reference and variants pass, misconceptions fail where claimed.

    Variants, which take every check, are tried with every second seed.
    """
    reference = names_of(load_by_path(COURSE.solution(name)))
    wrong = load_bank(COURSE.misconceptions(name), COURSE.solution(name))
    right = load_bank(VARIANTS / f"{name}.py", COURSE.solution(name))[seed % 2 :: 2]
    programs = {"reference": reference}
    programs |= {f"right:{e.name}": e.applied_to(reference) for e in right}
    programs |= {f"wrong:{e.name}": e.applied_to(reference) for e in wrong}
    claimed = {f"wrong:{e.name}": e.caught_by for e in wrong}
    verdicts = examine_programs(
        COURSE, CATALOG[name], programs, seed, diagnosed=False, only=claimed
    )
    failed = {who: {v.check.name for v in found if not v.points} for who, found in verdicts.items()}
    rejected = {who: f for who, f in failed.items() if f and not who.startswith("wrong:")}
    missed = {e.name: set(e.caught_by) - failed[f"wrong:{e.name}"] for e in wrong}

    assert rejected == {}
    assert {who: checks for who, checks in missed.items() if checks} == {}
