"""A small matrix in a terminal, beside what was expected."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from grader.pictures.blocks import block_rows
from grader.pictures.panels import Axis, Panel, PanelKind
from grader.pictures.seen import Seen

MASK = Panel(
    "a mask", PanelKind.MASK, lambda impl, props: None,
    Axis("key", ticks=("a", "dog")), Axis("query", ticks=("a", "dog")),
)  # fmt: skip
RIGHT = [[1, 0], [1, 1]]


def shown(panel, yours, expected=RIGHT, width=80):
    seen = Seen(panel, np.array(expected, float), "a", np.array(yours, float), "a")
    return block_rows(seen, width)


class TestBlocks:
    def test_stand_side_by_side(self):
        """Yours, expected, and where they differ; rows that do are marked."""
        rows = shown(MASK, [[1, 1], [1, 1]])

        assert [row.text for row in rows] == [
            "         yours        expected     wrong here",
            "           a dog        a dog        a dog",
            "a        ███ ███      ███   ·        ·   ✗",
            "dog      ███ ███      ███ ███        ·   ·",
            "█ True   · False",
        ]
        assert [row.wrong for row in rows] == [False, False, True, False, False]

    def test_stand_below_one_another_where_it_is_narrow(self):
        """As wide as the terminal, and no wider."""
        rows = shown(MASK, [[1, 1], [1, 1]], width=30)

        assert sum("expected" in row.text for row in rows) == 1
        assert all(len(row.text) <= 30 for row in rows[:-1])
        assert len(rows) == 13

    @pytest.mark.parametrize(
        ("value", "sign"),
        [(0.0, "·"), (0.2, "░"), (0.3, "▒"), (0.6, "▓"), (1.0, "█"), (5.0, "█"), (-0.6, "-▓"),
         (np.nan, "nan"), (-np.inf, "∞")],
    )  # fmt: skip
    def test_are_the_darker_the_larger_a_number_is(self, value, sign):
        """By quarters of the largest that is expected; a sign says what is below zero."""
        panel = replace(MASK, kind=PanelKind.SHARES, x=Axis("k"), y=Axis("q"))
        rows = shown(panel, [[value, 1.0]], [[1.0, 1.0]])

        assert rows[2].text.split()[1] == sign

    def test_numbers_are_written(self):
        """What moved is best told by what it is."""
        panel = replace(MASK, kind=PanelKind.NUMBERS)
        rows = shown(panel, [[10, 2], [3, -4.5]], [[10, 3], [2, 4]])

        assert rows[3].text.split() == ["dog", "3", "−4.5", "2", "4", "✗", "✗"]

    def test_groups_are_told_apart(self):
        """Heads beside one another have a line between them."""
        panel = replace(MASK, x=Axis("key", ticks=("0", "1"), every=1, group="head"))

        assert "█ │ █" in shown(panel, [[1, 1], [1, 1]])[2].text

    @pytest.mark.parametrize(
        ("panel", "yours"),
        [
            (replace(MASK, kind=PanelKind.CURVES, x=Axis("x", values=(0, 1))), RIGHT),
            (replace(MASK, free=True), RIGHT),
            (replace(MASK, x=Axis("k"), y=Axis("q")), np.ones((30, 2))),
            (replace(MASK, x=Axis("k"), y=Axis("q")), np.ones((2, 60))),
        ],
        ids=["curves", "free", "tall", "wide"],
    )
    def test_are_none_where_a_terminal_is_too_small(self, panel, yours):
        """Nor of curves, nor of what has no one right answer."""
        assert shown(panel, yours, np.zeros_like(yours)) == []
