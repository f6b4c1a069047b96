"""Who returned a value, of several calls in one probe."""

from __future__ import annotations

import torch

from grader.programs.givers import Givers

ONE, OTHER = {"name": "one"}, {"name": "other"}
X = torch.ones(2)


def noted(*pairs):
    givers = Givers()
    for value, call in pairs:
        givers.note(value, call, ())
    return givers


def test_a_tensor_is_known_in_any_nest():
    """Its own place in the probe's answer is no place in what the call returned."""
    givers, y = noted((X, ONE), (0.5, OTHER)), X

    assert givers.of([1, (y,)], (("item", 1), ("item", 0))) == (ONE, ())


def test_a_number_is_known_by_its_identity():
    """Two calls may return equal ones."""
    one, other = float("0.5"), float("0.5")
    givers = noted((one, ONE), (other, OTHER))

    assert givers.of((other, one), (("item", 0),)) == (OTHER, ())
    assert givers.of((other, one), (("item", 1),)) == (ONE, ())


def test_a_part_is_told_by_its_place_in_the_result():
    """A whole list came out of one call, and a dict of another."""
    losses, sizes = [1, 2, 3], {"a": [4, 5]}
    givers = noted((losses, ONE), (sizes, OTHER))
    whole = (X, losses, sizes)

    assert givers.of(whole, (("item", 1), ("item", 2))) == (ONE, (("item", 2),))
    at = (("item", 2), ("key", "'a'"), ("item", 0))
    assert givers.of(whole, at) == (OTHER, (("key", "'a'"), ("item", 0)))


def test_a_part_knows_better_than_the_whole():
    """A list that a call returned may hold what another one made."""
    whole = [X]
    givers = noted((whole, ONE), (X, OTHER))

    assert givers.of(whole, (("item", 0),)) == (OTHER, ())


def test_a_plain_result_is_known_while_it_is_the_only_one():
    """7 is the same object, whoever returned it."""
    assert noted((7, ONE), (8, OTHER)).of((8, 7), (("item", 1),)) == (ONE, ())
    assert noted((7, ONE), (7, OTHER)).of((7, 7), (("item", 1),)) is None
    assert noted((1, ONE)).of((True,), (("item", 0),)) is None


def test_nothing_is_known_of_what_the_probe_made():
    """Nor of what was forgotten."""
    givers = noted((X, ONE))

    assert givers.of((X * 2,), (("item", 0),)) is None
    assert givers.of(None) is None
    givers.clear()
    assert givers.of(X) is None
