"""The published sizes of whole models, and agreement with torch's own, from our solutions."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
import torch
from torch import nn

from grader.programs.page import load_by_path
from tests.sources.torchs_names import in_our_names

SOLUTIONS = Path(__file__).parents[2] / "solutions"


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


@pytest.fixture(scope="module")
def transformer():
    return load_by_path(SOLUTIONS / "transformer.py")


def redrawn(model):
    """Weights large enough for every slip to show."""
    generator = torch.Generator().manual_seed(2)
    for weights in model.parameters():
        nn.init.normal_(weights, std=0.3, generator=generator)
    return model


class TestTransformer:
    """Exercise ``transformer``."""

    def test_size_of_the_paper(self, transformer):
        """Six and six layers hold 44,138,496 numbers, and a table of 37,000 tokens the rest."""
        with torch.device("meta"):
            model = transformer.Transformer(37000, 37000, tie_weights=True)

        assert count(model.encoder) == 6 * 3_152_384
        assert count(model.decoder) == 6 * 4_204_032
        assert count(model.encoder) + count(model.decoder) == 44_138_496
        assert count(model) == 44_138_496 + 37_000 * 512 == 63_082_496

    def test_torch_has_two_norms_more(self):
        """nn.Transformer ends its post-norm stacks with a norm, which the paper does not."""
        with torch.device("meta"):
            assert count(nn.Transformer(batch_first=True)) == 44_140_544 == 44_138_496 + 2 * 2 * 512

    def test_untied_model_has_three_tables(self, transformer):
        with torch.device("meta"):
            model = transformer.Transformer(30000, 37000)

        assert count(model) == 44_138_496 + (30_000 + 37_000) * 512 + 37_000 * 512 + 37_000

    @pytest.mark.parametrize("norm_first", [False, True])
    def test_stacks_of_torch_with_the_same_weights(self, transformer, norm_first):
        """torch's encoder and decoder under padding and causal masks, values and gradients."""
        torch.manual_seed(1)
        model = redrawn(
            transformer.Transformer(11, 13, 8, 2, 1, 2, 12, 0.0, pad_id=3, norm_first=norm_first)
        ).double()
        options = {"batch_first": True, "norm_first": norm_first, "dropout": 0.0}
        layers = (
            nn.TransformerEncoderLayer(8, 2, 12, **options),
            nn.TransformerDecoderLayer(8, 2, 12, **options),
        )
        norms = [nn.LayerNorm(8) if norm_first else None for _ in range(2)]
        encoder = nn.TransformerEncoder(layers[0], 1, norms[0], enable_nested_tensor=False)
        decoder = nn.TransformerDecoder(layers[1], 2, norms[1])
        encoder.double(), decoder.double()
        model.encoder.load_state_dict(in_our_names(redrawn(encoder).state_dict()))
        model.decoder.load_state_dict(in_our_names(redrawn(decoder).state_dict()))
        src = torch.tensor([[5, 9, 2, 3, 3], [1, 3, 7, 8, 10]])
        tgt = torch.tensor([[1, 12, 4, 3], [7, 3, 0, 9]])
        future = torch.ones(4, 4, dtype=torch.bool).triu(1)

        x, y = model.src_embedding(src), model.tgt_embedding(tgt)
        memory = encoder(model.positions(x), src_key_padding_mask=src == 3)
        hidden = decoder(
            model.positions(y),
            memory,
            tgt_mask=future,
            tgt_key_padding_mask=tgt == 3,
            memory_key_padding_mask=src == 3,
        )
        expected = hidden @ model.generator.weight.T + model.generator.bias

        torch.testing.assert_close(model(src, tgt), expected)
        table = model.src_embedding.embedding.weight
        cotangent = torch.randn(2, 4, 13, dtype=torch.float64)
        ours, theirs = (
            torch.autograd.grad((out * cotangent).sum(), table)[0]
            for out in (model(src, tgt), expected)
        )
        torch.testing.assert_close(ours, theirs)

    def test_a_table_trained_from_three_sides(self, transformer):
        """The gradient of a tied table is the sum of those of three tables with equal numbers."""
        tied = redrawn(transformer.Transformer(11, 11, 8, 2, 1, 1, 12, 0.0, tie_weights=True))
        apart = transformer.Transformer(11, 11, 8, 2, 1, 1, 12, 0.0)
        apart.load_state_dict(tied.state_dict() | {"generator.bias": torch.zeros(11)})
        src, tgt = torch.tensor([[5, 9, 2, 7]]), torch.tensor([[1, 4, 10]])

        for model in (tied, apart):
            (model(src, tgt) * torch.linspace(-1, 1, 33).view(3, 11)).sum().backward()

        assert torch.equal(tied(src, tgt), apart(src, tgt))
        tables = apart.src_embedding.embedding, apart.tgt_embedding.embedding, apart.generator
        total = sum(table.weight.grad for table in tables)
        torch.testing.assert_close(tied.generator.weight.grad, total)
