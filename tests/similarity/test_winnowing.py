"""Fingerprints: what two texts share shows, wherever it stands."""

from __future__ import annotations

import random

from grader.similarity.tokens import Token
from grader.similarity.winnowing import K, W, grams, winnowed


def text(words):
    return [Token(word, 1, 1) for word in words]


def drawn(count, seed):
    rng = random.Random(seed)
    return [str(rng.randrange(1000)) for _ in range(count)]


def prints(words):
    return winnowed(grams(text(words)))


def test_the_example_of_the_paper():
    """Hashes and windows of 4 as in figure 2 of Schleimer et al. 2003; its fingerprints."""
    hashes = [77, 74, 42, 17, 98, 50, 17, 98, 8, 88, 67, 39, 77, 74, 42, 17, 98]

    assert winnowed(hashes) == {17, 8, 39}


def test_what_is_shared_for_long_enough_is_found():
    """The guarantee: K + W - 1 tokens in a row, whatever is around them."""
    for seed in range(200):
        shared = drawn(K + W - 1, seed)
        one = drawn(30, seed + 1000) + shared + drawn(7, seed + 2000)
        other = drawn(3, seed + 3000) + shared + drawn(50, seed + 4000)

        assert prints(one) & prints(other)


def test_what_is_shared_for_less_than_a_run_is_not():
    """However often."""
    shared = drawn(K - 1, 1)
    one, other = ([w for n in range(20) for w in [*shared, f"{side}{n}"]] for side in "ab")

    assert not prints(one) & prints(other)


def test_short_texts_have_few():
    """Fewer tokens than a run have none, and a single run has one."""
    assert [len(prints(drawn(count, 1))) for count in (0, K - 1, K, K + 1)] == [0, 0, 1, 1]
