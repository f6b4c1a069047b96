"""The proofs hold whatever inputs are drawn: a second seed in every run, more with ``--seeds``."""

from __future__ import annotations

import pytest

from grader.course.catalog import load_catalog
from grader.course.course import find_course
from grader.proof import prove_seed

COURSE = find_course()
CATALOG = load_catalog(COURSE)
VARIANTS = COURSE.root / "tests" / "variants"


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    metafunc.parametrize("seed", range(1, metafunc.config.getoption("--seeds") + 1))


@pytest.mark.parametrize("name", CATALOG)
def test_the_seeds_agree(name, seed):
    """Reference and variants pass, misconceptions fail where claimed."""
    findings = prove_seed(COURSE, CATALOG[name], VARIANTS / f"{name}.py", seed)

    assert findings == []
