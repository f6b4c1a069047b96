"""The proofs hold whatever inputs are drawn. A normal run has two seeds, one for what is wrong and
one for what is right (``test_suites.py``); ``--seeds`` gives both so many others.
"""

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
