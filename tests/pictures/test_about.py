"""Which panels ask a function of the page is read from their code."""

from __future__ import annotations

from grader.course.course import find_course
from grader.pictures import scene_of
from grader.pictures.about import panels_about

COURSE = find_course()


class TestPanels:
    def titles(self, exercise, name):
        return [panel.title for panel in panels_about(scene_of(COURSE, exercise), name)]

    def test_that_ask_a_function_themselves(self):
        """And no others."""
        assert self.titles("masks", "combine_masks") == [
            "combine_masks: no future, and nobody sees “a”"
        ]

    def test_that_ask_it_through_another_function(self):
        """All the way down."""
        assert len(self.titles("attention", "scaled_dot_product_attention")) == 4

    def test_that_ask_it_by_its_name(self):
        """Where a text in a closure says which."""
        assert len(self.titles("hand_weights", "induction_head")) == 2

    def test_are_none_for_what_no_panel_asks(self):
        """Not the whole picture, then."""
        assert self.titles("masks", "to_additive") == []
