"""Inputs come out of the run's seed and the check's name, and out of nothing else."""

from __future__ import annotations

import json

import numpy as np
import pytest
import torch

from grader.programs.draw import Draw, derive_seed, new_seed

DRAWS = {
    "normal": lambda draw: draw.normal(3, 4),
    "uniform": lambda draw: draw.uniform(3, 4),
    "integers": lambda draw: draw.integers(0, 1000, (5,)),
    "booleans": lambda draw: draw.booleans(40),
    "permutation": lambda draw: draw.permutation(30),
    "array": lambda draw: torch.from_numpy(draw.array(3, 4)),
    "generator": lambda draw: torch.tensor(draw.generator().seed, device="cpu"),
}


class TestSeeds:
    def test_follow_from_their_parts(self):
        """The same parts give the same seed, other parts or another order another."""
        seeds = {derive_seed(1, "a", "b"), derive_seed(1, "b", "a"), derive_seed(2, "a", "b")}
        seeds |= {derive_seed(1, "ab"), derive_seed("1a", "b"), derive_seed(1, "a", "b")}

        assert len(seeds) == 5

    def test_suit_every_generator(self):
        """A seed is a whole number that torch takes."""
        seeds = [derive_seed("check", n) for n in range(200)]

        assert all(0 <= seed < 2**63 for seed in seeds)
        assert len(set(seeds)) == 200

    def test_of_runs_cannot_be_searched_for(self):
        """128 bits, of which every one is drawn; JSON holds them exactly."""
        seeds = [new_seed() for _ in range(64)]
        seen = [sum(seed >> bit & 1 for seed in seeds) for bit in range(128)]

        assert max(seeds) < 2**128
        assert 0 < min(seen) <= max(seen) < 64
        assert json.loads(json.dumps(seeds)) == seeds

    @pytest.mark.parametrize("bit", [0, 31, 32, 63, 64, 127])
    def test_follow_from_every_bit(self, bit):
        """No part of a run's seed is cut off before it is mixed."""
        assert derive_seed(1 << 100, "check") != derive_seed(1 << 100 ^ 1 << bit, "check")

    @pytest.mark.parametrize("name", DRAWS)
    def test_decide_what_is_drawn(self, name):
        """One seed gives one input, another seed another."""
        one, same, other = (DRAWS[name](Draw(seed)) for seed in (1, 1, 2))

        assert one.equal(same)
        assert not one.equal(other)

    @pytest.mark.parametrize("name", DRAWS)
    def test_give_more_than_one_input(self, name):
        """Two draws in one check differ."""
        draw = Draw(1)

        assert not DRAWS[name](draw).equal(DRAWS[name](draw))

    @pytest.mark.parametrize("name", DRAWS)
    def test_are_not_torchs_own(self, name):
        """Torch's global generator neither decides nor is disturbed."""
        torch.manual_seed(5)
        expected = DRAWS[name](Draw(1))
        state = torch.get_rng_state()
        torch.manual_seed(6)
        actual = DRAWS[name](Draw(1))
        torch.manual_seed(5)

        assert expected.equal(actual)
        assert state.equal(torch.get_rng_state())


class TestNumbers:
    def test_are_normal(self):
        """Scale and offset do what they say."""
        x = Draw(1).normal(100, 100, scale=3.0, offset=10.0)

        assert abs(x.mean() - 10) < 0.2
        assert abs(x.std() - 3) < 0.2

    @pytest.mark.parametrize("dtype", [torch.float64, torch.float16, torch.bfloat16])
    def test_have_the_dtype_asked_for(self, dtype):
        """The same numbers come in any precision; float32 if none is asked for."""
        x, plain = Draw(1).normal(3, dtype=dtype), Draw(1).normal(3)

        assert (x.dtype, plain.dtype) == (dtype, torch.float32)
        assert x.equal(plain.to(dtype))

    def test_ask_for_gradients_when_told_to(self):
        """An input is a leaf, with a gradient only on demand."""
        x, plain = Draw(1).normal(3, dtype=torch.float64, grad=True), Draw(1).normal(3)

        assert (x.requires_grad, x.is_leaf, plain.requires_grad) == (True, True, False)

    def test_are_uniform_in_their_bounds(self):
        """The lower bound belongs to it, the upper does not."""
        x = Draw(1).uniform(1000, low=-2.0, high=3.0)

        assert -2.0 <= x.min() < -1.9
        assert 2.9 < x.max() < 3.0

    def test_are_whole_where_asked_for(self):
        """All numbers from low up to, not including, high."""
        x = Draw(1).integers(3, 6, (4, 100))

        assert (x.dtype, tuple(x.shape)) == (torch.int64, (4, 100))
        assert sorted(set(x.flatten().tolist())) == [3, 4, 5]

    def test_are_true_as_often_as_asked_for(self):
        """True with this probability; never for 0, always for 1."""
        draw = Draw(1)

        assert 0.15 < draw.booleans(2000, true=0.2).float().mean() < 0.25
        assert not draw.booleans(100, true=0.0).any()
        assert draw.booleans(100, true=1.0).all()

    def test_of_numpy_are_float64(self):
        """An array has numpy's own precision."""
        x = Draw(1).array(4, 100, scale=2.0)

        assert (type(x), x.dtype, x.shape) == (np.ndarray, np.float64, (4, 100))
        assert 1.7 < x.std() < 2.3

    @pytest.mark.parametrize("draw", DRAWS.values(), ids=DRAWS)
    def test_are_made_on_the_cpu_whatever_the_default(self, draw):
        """A default device does not change what is drawn."""
        expected = draw(Draw(1))
        with torch.device("meta"):
            actual = draw(Draw(1))

        assert expected.equal(actual)


class TestPermutations:
    @pytest.mark.parametrize("n", [0, 1, 2, 3, 7])
    def test_move_something(self, n):
        """Every number once, and for more than one number never in order."""
        for seed in range(60):
            order = Draw(seed).permutation(n)

            assert sorted(order.tolist()) == list(range(n))
            assert n < 2 or order.tolist() != list(range(n))
