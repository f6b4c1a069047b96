"""The published sizes of whole models, and agreement with torch's own, from our solutions."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
import torch

from grader.examiner.bank import load_by_path

SOLUTIONS = Path(__file__).parents[1] / "solutions"


def count(model):
    return sum(p.numel() for p in model.parameters())


@pytest.fixture(scope="module")
def gpt():
    return load_by_path(SOLUTIONS / "gpt.py")


class TestGpt:
    """Exercise ``gpt``."""

    @pytest.mark.parametrize(
        ("layers", "heads", "width", "published"),
        [
            (12, 12, 768, 124_439_808),
            (24, 16, 1024, 354_823_168),
            (36, 20, 1280, 774_030_080),
            (48, 25, 1600, 1_557_611_200),
        ],
    )
    def test_sizes_of_gpt2(self, gpt, layers, heads, width, published):
        """Small, medium, large and XL, built without memory."""
        with torch.device("meta"):
            model = gpt.GPT(50257, 1024, layers, heads, width)

        assert model.get_num_params() == count(model) == published
        assert model.get_num_params(non_embedding=True) == published - 1024 * width

    def test_size_by_formula(self, gpt):
        """Tables, two norms a block and one at the end, 12 width^2 and 9 width a block."""
        vocab, longest, layers, width = 50257, 1024, 12, 768
        block = 12 * width**2 + 9 * width + 2 * 2 * width

        total = (vocab + longest) * width + layers * block + 2 * width

        assert total == 124_439_808

    def test_loss_at_the_start_is_that_of_guessing(self, gpt):
        torch.manual_seed(1)
        model = gpt.GPT(500, 32, 4, 4, 64)
        idx, targets = torch.randint(0, 500, (2, 4, 32))

        _, loss = model(idx, targets)

        assert abs(loss.item() - math.log(500)) < 0.05

    def test_what_runs_through_the_stack_keeps_its_size_at_the_start(self, gpt):
        """The smaller start of matrices that lead into x: 24 layers add about what 3 do."""
        torch.manual_seed(1)
        added = []
        for layers in (3, 24):
            model, x = gpt.GPT(50, 16, layers, 4, 64), torch.randn(4, 16, 64)
            y = x
            for block in model.blocks:
                y = block(y)
            added.append((y - x).std().item())

        assert 0.5 < added[1] / added[0] < 2

    def test_a_batch_that_asks_nothing_leaves_torch_with_nan(self, gpt):
        """The reason for our rule: torch's mean over no targets is 0 / 0."""
        logits = torch.randn(5, 7)
        nothing = torch.full((5,), -100)

        assert torch.nn.functional.cross_entropy(logits, nothing).isnan()
        _, loss = gpt.GPT(7, 5, 1, 2, 4)(torch.zeros(1, 5, dtype=torch.long), nothing[None])
        assert loss.item() == 0
