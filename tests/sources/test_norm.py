"""The numbers that the sources print about norms and residuals come out of our solutions."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from grader.programs.bank import load_bank
from grader.programs.page import load_by_path

ROOT = Path(__file__).parents[2]
WIDTHS = (4, 8, 16, 64, 512)


@pytest.fixture(scope="module")
def page():
    return load_by_path(ROOT / "solutions" / "layer_norm.py")


@pytest.fixture(scope="module")
def wrong():
    """The wrong programs by name: the departures that the sources print themselves."""
    return wrong_programs("layer_norm", "layer_norm")


def wrong_programs(name, function):
    """What the bank of the exercise ``name`` puts in the place of one of its functions."""
    page = ROOT / "solutions" / f"{name}.py"
    bank = load_bank(ROOT / "grader" / "suites" / name / "misconceptions.py", page)
    reference = vars(load_by_path(page))
    return {entry.name: entry.applied_to(reference)[function] for entry in bank}


def rows(width, count=8, **options):
    return torch.randn(count, width, generator=torch.Generator().manual_seed(1), **options)


def plain(width, **options):
    """The weight and the bias of a fresh layer."""
    return torch.ones(width, **options), torch.zeros(width, **options)


class TestLayerNorm:
    """Exercise ``layer_norm``."""

    @pytest.mark.parametrize("width", WIDTHS)
    @pytest.mark.parametrize("eps", [1e-12, 1e-5, 0.1])
    def test_equals_torchs_own(self, page, width, eps):
        """Values and gradients, at every width the sources mention."""
        x, grad = rows(width, dtype=torch.float64).requires_grad_(), rows(width).double().flip(0)
        weight, bias = rows(width, 2, dtype=torch.float64).unbind()

        expected = F.layer_norm(x, (width,), weight, bias, eps)
        actual = page.layer_norm(x, weight, bias, eps)
        assert torch.allclose(expected, actual, rtol=0, atol=1e-12)

        (expected,) = torch.autograd.grad(expected, x, grad)
        actual = page.layer_norm_backward(grad, x.detach(), weight, eps)[0]
        assert torch.allclose(expected, actual, rtol=1e-9, atol=1e-9)

    @pytest.mark.parametrize(
        ("width", "printed"), [(4, 0.23), (8, 0.15), (16, 0.08), (64, 0.023), (512, 0.004)]
    )
    def test_size_of_the_unbiased_departure(self, page, wrong, width, printed):
        """std with d - 1 and eps outside the root: off by .23 at width 4, by .004 at 512."""
        x = rows(width)
        right = page.layer_norm(x, *plain(width), 1e-5)
        off = (wrong["unbiased_and_eps_outside"](x, *plain(width), 1e-6) - right).abs().max()

        assert printed == pytest.approx(off.item(), rel=0.2)
        assert right.abs().max() * (1 - (1 - 1 / width) ** 0.5) == pytest.approx(
            off.item(), rel=0.01
        )

    def test_unbiased_departure_at_width_one(self, page, wrong):
        """A single number over d - 1 = 0 is NaN; the definition gives the bias."""
        x, weight, bias = torch.tensor([[3.0], [5.0]]), torch.tensor([2.0]), torch.tensor([7.0])

        with pytest.warns(UserWarning, match="degrees of freedom"):
            assert wrong["unbiased_variance"](x, weight, bias, 1e-5).isnan().all()
        assert page.layer_norm(x, weight, bias, 1e-5).tolist() == [[7.0], [7.0]]

    @pytest.mark.parametrize(("scale", "printed"), [(1.0, 9e-6), (1e-3, 1.25)])
    def test_size_of_the_eps_departure(self, page, wrong, scale, printed):
        """eps outside the root: 9e-6 for rows of ordinary size, 1.25 for rows of size 0.001."""
        some = rows(16, 200, dtype=torch.float64)
        some = (some - some.mean(-1, keepdim=True)) / some.std(-1, correction=0, keepdim=True)
        row = some[(some.abs().amax(-1) - 1.81).abs().argmin()]  # a row like the one printed
        weights = plain(16, dtype=torch.float64)

        right = page.layer_norm(row * scale, *weights, 1e-5)
        off = (wrong["eps_outside_the_root"](row * scale, *weights, 1e-5) - right).abs().max()
        assert printed == pytest.approx(off.item(), rel=0.05)

    def test_variance_by_difference_around_1000(self, page, wrong):
        """In float32 mean(x^2) - mean(x)^2 moves in steps of 1/16: .94 where .87 is true."""
        x = 1000 + rows(8, 50)
        by_difference = x.square().mean(-1) - x.mean(-1).square()
        true = x.double().var(-1, correction=0)

        assert (by_difference * 16 == (by_difference * 16).round()).all()
        assert (by_difference - true).abs().max() > 0.94 - 0.87
        expected = page.layer_norm(x.double(), *plain(8, dtype=torch.float64), 1e-5)
        assert (page.layer_norm(x, *plain(8), 1e-5) - expected).abs().max() < 1e-3
        assert (wrong["variance_by_difference"](x, *plain(8), 1e-5) - expected).abs().max() > 0.1

    def test_sum_has_no_gradient(self, page):
        """The sum of a normalised row is 0 whatever x is: a gradient of 1e-16 tests nothing."""
        x = rows(8, dtype=torch.float64)
        weight = torch.ones(8, dtype=torch.float64)

        assert page.layer_norm_backward(torch.ones_like(x), x, weight, 1e-5)[0].abs().max() < 1e-14
        assert page.layer_norm_backward(x.flip(0), x, weight, 1e-5)[0].abs().max() > 0.1


class TestResidual:
    """Exercise ``residual``."""

    def test_residual_from_the_normalised(self):
        """A zeroed sub-layer leaves x alone; x = norm(x) before the sum does not (.895 there)."""
        page = load_by_path(ROOT / "solutions" / "residual.py")
        wrong = wrong_programs("residual", "SublayerConnection")
        x = rows(16)
        zeroed = nn.Linear(16, 16)
        for parameter in zeroed.parameters():
            nn.init.zeros_(parameter)

        assert torch.equal(page.SublayerConnection(16, 0.0)(x, zeroed), x)
        off = wrong["residual_from_the_normalised"](16, 0.0)(x, zeroed) - x
        assert off.abs().max() > 0.5
