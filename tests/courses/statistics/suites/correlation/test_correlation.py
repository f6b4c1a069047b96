"""Hidden checks of ``correlation``."""

from __future__ import annotations

import pytest


@pytest.mark.points(2)
@pytest.mark.rests_on("returns r of all that was given until then")
def test_all_parts_count(compare, draw):
    """The second answer is about both parts."""
    parts = [draw.normal(5) for _ in range(4)]

    def twice(impl):
        r = impl.Correlation()
        return r(parts[0], parts[1]), r(parts[2], parts[3])

    compare(twice)


@pytest.mark.core
@pytest.mark.rests_on("-1 where one falls as the other rises")
def test_the_sign_is_told(compare, draw):
    """r is near -1 where one falls as the other rises."""
    x = draw.normal(9)
    y = 0.1 * draw.normal(9) - x
    compare(lambda impl: impl.Correlation()(x, y))
