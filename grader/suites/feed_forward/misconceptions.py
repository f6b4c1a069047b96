"""Wrong answers to ``feed_forward``, and what their authors are told."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import nn

from grader.programs.bank import misconception

GELU = ("test_gelu_is_exact_unless_told_otherwise",)
TANH = ("test_gelu_by_tanh",)
SILU = ("test_silu_is_x_times_its_sigmoid",)
GATE = ("test_swiglu_opens_with_a_gate",)


def _gelu(x, approximate="none"):
    return F.gelu(x, approximate=approximate)


def _tanh_gelu(x, power=3, factor=math.sqrt(2 / math.pi), weight=0.044715):
    return 0.5 * x * (1 + torch.tanh(factor * (x + weight * x**power)))


@misconception(
    of="gelu",
    sentence="Without `approximate` you take the form with tanh: the default is the exact one.",
    caught_by=GELU,
)
def tanh_by_default(x, approximate="tanh"):
    return F.gelu(x, approximate=approximate)


@misconception(
    of="gelu",
    sentence="Your gelu is always the approximation by tanh. It differs by up to 0.0005 from the "
    'exact one, which approximate="none" asks for: use torch.erf.',
    caught_by=GELU,
)
def always_tanh(x, approximate="none"):
    return F.gelu(x, approximate="tanh")


@misconception(
    of="gelu",
    sentence='Your gelu is always the exact one, also where approximate="tanh" asks for the '
    "approximation.",
    caught_by=TANH,
)
def never_tanh(x, approximate="none"):
    return F.gelu(x)


@misconception(
    of="gelu",
    sentence="You use x * sigmoid(1.702 x), a rougher approximation that is not asked for here.",
    caught_by=GELU,
)
def quick_gelu(x, approximate="none"):
    return x * torch.sigmoid(1.702 * x)


@misconception(
    of="gelu",
    sentence="The factor 1 / 2 is missing: 1 + erf(...) runs from 0 to 2.",
    caught_by=GELU,
)
def half_missing(x, approximate="none"):
    return 2 * _gelu(x, approximate)


@misconception(
    of="gelu",
    sentence="You take erf of x itself: the normal distribution function is "
    "(1 + erf(x / sqrt(2))) / 2.",
    caught_by=GELU,
)
def root_two_missing(x, approximate="none"):
    if approximate == "tanh":
        return _gelu(x, approximate)
    return 0.5 * x * (1 + torch.erf(x))


@misconception(
    of="gelu",
    sentence="You divide by 2 inside erf; it is the square root of 2.",
    caught_by=GELU,
)
def two_instead_of_its_root(x, approximate="none"):
    if approximate == "tanh":
        return _gelu(x, approximate)
    return 0.5 * x * (1 + torch.erf(x / 2))


@misconception(
    of="gelu",
    sentence="You multiply by the square root of 2 inside erf instead of dividing by it.",
    caught_by=GELU,
)
def multiplied_by_root_two(x, approximate="none"):
    if approximate == "tanh":
        return _gelu(x, approximate)
    return 0.5 * x * (1 + torch.erf(x * math.sqrt(2)))


@misconception(
    of="gelu",
    sentence="You return the distribution function without multiplying x by it.",
    caught_by=GELU,
)
def gate_without_x(x, approximate="none"):
    return 0.5 * (1 + torch.erf(x / math.sqrt(2)))


@misconception(
    of="gelu",
    sentence="You multiply by the height of the bell curve (pdf), not by the area to its left "
    "(cdf).",
    caught_by=GELU,
)
def density_instead_of_distribution(x, approximate="none"):
    return x * torch.exp(-0.5 * x**2) / math.sqrt(2 * math.pi)


@misconception(
    of="gelu",
    sentence="You forget the 1 in 1 + erf(...): your function is even, gelu(-3) should be near 0.",
    caught_by=GELU,
)
def one_missing(x, approximate="none"):
    return 0.5 * x * torch.erf(x / math.sqrt(2))


@misconception(
    of="gelu",
    sentence="The cubic term 0.044715 x^3 is missing inside tanh.",
    caught_by=TANH,
)
def cubic_term_missing(x, approximate="none"):
    return _tanh_gelu(x, weight=0.0) if approximate == "tanh" else _gelu(x)


@misconception(
    of="gelu",
    sentence="You square x inside tanh: the term is 0.044715 x^3.",
    caught_by=TANH,
)
def square_instead_of_cube(x, approximate="none"):
    return _tanh_gelu(x, power=2) if approximate == "tanh" else _gelu(x)


@misconception(
    of="gelu",
    sentence="You multiply by 2 / pi inside tanh: it is the square root of 2 / pi.",
    caught_by=TANH,
)
def root_missing_in_tanh(x, approximate="none"):
    return _tanh_gelu(x, factor=2 / math.pi) if approximate == "tanh" else _gelu(x)


@misconception(
    of="gelu",
    sentence="Inside tanh you use sqrt(2 * pi), or sqrt(pi / 2): it is sqrt(2 / pi) = 0.798.",
    caught_by=TANH,
)
def root_upside_down(x, approximate="none"):
    return _tanh_gelu(x, factor=math.sqrt(math.pi / 2)) if approximate == "tanh" else _gelu(x)


@misconception(
    of="gelu",
    sentence="The bracket inside tanh is wrong: sqrt(2 / pi) multiplies both x and the cubic term.",
    caught_by=TANH,
)
def bracket_misplaced(x, approximate="none"):
    if approximate != "tanh":
        return _gelu(x)
    return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * x + 0.044715 * x**3))


@misconception(
    of="gelu",
    sentence="You write tanh with exponentials, which overflow to inf / inf = NaN for large x: "
    "torch.tanh does not.",
    caught_by=("test_gelu_of_large_numbers",),
)
def tanh_from_exponentials(x, approximate="none"):
    if approximate != "tanh":
        return _gelu(x)
    e = torch.exp(2 * math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))
    return 0.5 * x * (1 + (e - 1) / (e + 1))


@misconception(
    of="gelu",
    sentence="You clamp x to keep it small, so large values come out too small.",
    caught_by=("test_gelu_of_large_numbers",),
)
def gelu_clamped(x, approximate="none"):
    return _gelu(x.clamp(-10, 10), approximate)


@misconception(
    of="gelu",
    sentence="Your gelu has left the graph: no detach, .data, no_grad, scipy or math functions.",
    caught_by=GELU,
)
def gelu_detached(x, approximate="none"):
    return x * (_gelu(x, approximate) / x).detach()


@misconception(
    of="gelu",
    sentence="Your gelu is always float32: the dtype out must be the dtype in.",
    caught_by=("test_activations_keep_dtype_and_input",),
)
def gelu_in_float32(x, approximate="none"):
    return _gelu(x.float(), approximate)


@misconception(
    of="gelu",
    sentence="Your gelu writes into the caller's tensor.",
    caught_by=("test_activations_keep_dtype_and_input",),
)
def gelu_in_place(x, approximate="none"):
    y = _gelu(x, approximate)
    if not x.requires_grad:
        x.copy_(y)
    return y


@misconception(
    of="silu",
    sentence="You return the sigmoid alone: silu multiplies x by it.",
    caught_by=SILU,
)
def sigmoid_alone(x):
    return torch.sigmoid(x)


@misconception(
    of="silu",
    sentence="The sign in the exponent is wrong: your function is x * sigmoid(-x).",
    caught_by=SILU,
)
def sign_flipped(x):
    return x * torch.sigmoid(-x)


@misconception(
    of="silu",
    sentence="You use x * sigmoid(1.702 x), which approximates GELU: silu has no factor.",
    caught_by=SILU,
)
def silu_like_gelu(x):
    return x * torch.sigmoid(1.702 * x)


@misconception(
    of="silu",
    sentence="Your silu is a GELU: they look alike, but silu(1) = 0.731 and gelu(1) = 0.841.",
    caught_by=SILU,
)
def gelu_for_silu(x):
    return F.gelu(x)


@misconception(
    of="silu",
    sentence="You multiply x by its tanh: silu uses the sigmoid.",
    caught_by=SILU,
)
def tanh_gate(x):
    return x * torch.tanh(x)


@misconception(
    of="silu",
    sentence="You use the piecewise linear stand-in relu6(x + 3) / 6 (hard swish).",
    caught_by=SILU,
)
def hard_swish(x):
    return F.hardswish(x)


@misconception(
    of="silu",
    sentence="x / (1 + exp(-x)) has the right values, but at x = -100 the exponential overflows "
    "and the gradient becomes NaN: torch.sigmoid is safe.",
    caught_by=("test_silu_of_large_numbers",),
)
def overflowing_denominator(x):
    return x / (1 + torch.exp(-x))


@misconception(
    of="silu",
    sentence="exp(x) / (1 + exp(x)) becomes inf / inf = NaN from x = 89 on: use torch.sigmoid.",
    caught_by=("test_silu_of_large_numbers",),
)
def overflowing_fraction(x):
    e = torch.exp(x)
    return x * e / (1 + e)


@misconception(
    of="silu",
    sentence="You clamp x to keep exp from overflowing, which changes large values or their slope.",
    caught_by=("test_silu_of_large_numbers",),
)
def silu_clamped(x):
    x = x.clamp(-50, 50)
    return x * torch.sigmoid(x)


@misconception(
    of="silu",
    sentence="Your sigmoid has left the graph, so a term of the gradient is missing: "
    "silu'(x) = s + x * s * (1 - s).",
    caught_by=SILU,
)
def gate_detached(x):
    return x * torch.sigmoid(x).detach()


@misconception(
    of="silu",
    sentence="Your silu is always float32: the dtype out must be the dtype in.",
    caught_by=("test_activations_keep_dtype_and_input",),
)
def silu_in_float32(x):
    return F.silu(x.float())


@misconception(
    of="silu",
    sentence="Your silu writes into the caller's tensor: x *= sigmoid(x) and inplace=True do.",
    caught_by=("test_activations_keep_dtype_and_input",),
)
def silu_in_place(x):
    return F.silu(x, inplace=not x.requires_grad)


class _Network(nn.Module):
    """A right network in parts, so that each wrong one differs in one of them."""

    def __init__(self, d_model, d_ff, dropout=0.1, activation="relu"):
        super().__init__()
        if activation not in ("relu", "gelu"):
            raise ValueError(f"unknown activation {activation!r}")
        self.w_1 = nn.Linear(d_model, d_ff)
        self.w_2 = nn.Linear(d_ff, d_model)
        self.p = dropout
        self.word = activation

    def activate(self, x):
        return F.relu(x) if self.word == "relu" else F.gelu(x)

    def drop(self, x):
        return F.dropout(x, self.p, self.training)

    def forward(self, x):
        return self.w_2(self.drop(self.activate(self.w_1(x))))


@misconception(
    of="PositionwiseFeedForward",
    sentence="There is no activation between the layers: two linear layers in a row are one.",
    caught_by=("test_network_with_relu", "test_network_with_gelu"),
)
class NoActivation(_Network):
    def activate(self, x):
        return x


@misconception(
    of="PositionwiseFeedForward",
    sentence="The activation comes after w_2: it belongs between the layers, and the output may be "
    "negative.",
    caught_by=("test_network_with_relu", "test_network_with_gelu"),
)
class ActivationAtTheEnd(_Network):
    def forward(self, x):
        return self.activate(self.w_2(self.drop(self.w_1(x))))


@misconception(
    of="PositionwiseFeedForward",
    sentence="You activate twice, after w_1 and after w_2: the output stays as w_2 gives it.",
    caught_by=("test_network_with_relu",),
)
class ActivatedTwice(_Network):
    def forward(self, x):
        return self.activate(super().forward(x))


@misconception(
    of="PositionwiseFeedForward",
    sentence="You activate the input before w_1: the activation belongs between the layers.",
    caught_by=("test_network_with_relu",),
)
class ActivationAtTheStart(_Network):
    def forward(self, x):
        return self.w_2(self.drop(self.w_1(self.activate(x))))


@misconception(
    of="PositionwiseFeedForward",
    sentence="`activation` is ignored: your network always uses ReLU.",
    caught_by=("test_network_with_gelu",),
)
class AlwaysRelu(_Network):
    def activate(self, x):
        return F.relu(x)


@misconception(
    of="PositionwiseFeedForward",
    sentence="Your network uses GELU unless told otherwise: the default is ReLU.",
    caught_by=("test_network_uses_relu_by_default",),
)
class GeluByDefault(_Network):
    def __init__(self, d_model, d_ff, dropout=0.1, activation="gelu"):
        super().__init__(d_model, d_ff, dropout, activation)


@misconception(
    of="PositionwiseFeedForward",
    sentence="`activation` is ignored: your network always uses GELU.",
    caught_by=("test_network_with_relu",),
)
class AlwaysGelu(_Network):
    def activate(self, x):
        return F.gelu(x)


@misconception(
    of="PositionwiseFeedForward",
    sentence='activation="gelu" means the exact GELU, not its approximation by tanh.',
    caught_by=("test_network_with_gelu",),
)
class ApproximateGelu(_Network):
    def activate(self, x):
        return F.relu(x) if self.word == "relu" else F.gelu(x, approximate="tanh")


@misconception(
    of="PositionwiseFeedForward",
    sentence='activation="gelu" gives you a SiLU: they look alike, but are not the same.',
    caught_by=("test_network_with_gelu",),
)
class SiluForGelu(_Network):
    def activate(self, x):
        return F.relu(x) if self.word == "relu" else F.silu(x)


@misconception(
    of="PositionwiseFeedForward",
    sentence="You use a leaky ReLU (or ELU): ReLU makes everything below 0 exactly 0.",
    caught_by=("test_network_with_relu",),
)
class LeakyRelu(_Network):
    def activate(self, x):
        return F.leaky_relu(x) if self.word == "relu" else F.gelu(x)


@misconception(
    of="PositionwiseFeedForward",
    sentence="You cut inner units off from above (ReLU6, clamp): ReLU has no upper limit.",
    caught_by=("test_network_with_relu",),
)
class LimitedRelu(_Network):
    def activate(self, x):
        return F.relu6(x) if self.word == "relu" else F.gelu(x)


@misconception(
    of="PositionwiseFeedForward",
    sentence="You add x to the output: the residual connection belongs to the block around it.",
    caught_by=("test_network_with_relu",),
)
class AddsAResidual(_Network):
    def forward(self, x):
        return x + super().forward(x)


@misconception(
    of="PositionwiseFeedForward",
    sentence="You normalise inside the network: the LayerNorm belongs to the block around it.",
    caught_by=("test_network_with_relu",),
)
class Normalises(_Network):
    def forward(self, x):
        return super().forward(F.layer_norm(x, x.shape[-1:]))


@misconception(
    of="PositionwiseFeedForward",
    sentence="Your layers have no bias: both w_1 and w_2 have one.",
    caught_by=("test_network_with_relu",),
)
class NoBias(_Network):
    def __init__(self, d_model, d_ff, dropout=0.1, activation="relu"):
        super().__init__(d_model, d_ff, dropout, activation)
        self.w_1 = nn.Linear(d_model, d_ff, bias=False)
        self.w_2 = nn.Linear(d_ff, d_model, bias=False)


@misconception(
    of="PositionwiseFeedForward",
    sentence="The second layer has no bias: both w_1 and w_2 have one.",
    caught_by=("test_network_with_relu",),
)
class NoSecondBias(_Network):
    def __init__(self, d_model, d_ff, dropout=0.1, activation="relu"):
        super().__init__(d_model, d_ff, dropout, activation)
        self.w_2 = nn.Linear(d_ff, d_model, bias=False)


@misconception(
    of="PositionwiseFeedForward",
    sentence="The inner width is always 4 * d_model: use d_ff.",
    caught_by=("test_network_with_relu",),
)
class AlwaysFourTimes(_Network):
    def __init__(self, d_model, d_ff, dropout=0.1, activation="relu"):
        super().__init__(d_model, 4 * d_model, dropout, activation)


@misconception(
    of="PositionwiseFeedForward",
    sentence="The inner width is d_model: d_ff is ignored.",
    caught_by=("test_network_with_relu",),
)
class NoWidening(_Network):
    def __init__(self, d_model, d_ff, dropout=0.1, activation="relu"):
        super().__init__(d_model, d_model, dropout, activation)


@misconception(
    of="PositionwiseFeedForward",
    sentence="d_model and d_ff are exchanged: w_1 widens from d_model to d_ff.",
    caught_by=("test_network_with_relu",),
)
class WidthsExchanged(_Network):
    def __init__(self, d_model, d_ff, dropout=0.1, activation="relu"):
        super().__init__(d_ff, d_model, dropout, activation)


@misconception(
    of="PositionwiseFeedForward",
    sentence="The two layers share one weight: w_2 is not the transpose of w_1.",
    caught_by=("test_network_with_relu",),
)
class TiedWeights(_Network):
    def forward(self, x):
        h = self.drop(self.activate(self.w_1(x)))
        return F.linear(h, self.w_1.weight.mT, self.w_2.bias)


@misconception(
    of="PositionwiseFeedForward",
    sentence="Your layers are not called w_1 and w_2: name the attributes as the docstring does.",
    caught_by=("test_network_with_relu",),
)
class OtherNames(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.1, activation="relu"):
        super().__init__()
        if activation not in ("relu", "gelu"):
            raise ValueError(f"unknown activation {activation!r}")
        act = nn.ReLU() if activation == "relu" else nn.GELU()
        self.net = nn.Sequential(
            nn.Linear(d_model, d_ff), act, nn.Dropout(dropout), nn.Linear(d_ff, d_model)
        )

    def forward(self, x):
        return self.net(x)


@misconception(
    of="PositionwiseFeedForward",
    sentence="The hidden values leave the graph, so w_1 gets no gradient.",
    caught_by=("test_network_with_relu",),
)
class HiddenDetached(_Network):
    def forward(self, x):
        return self.w_2(self.drop(self.activate(self.w_1(x)).detach()))


@misconception(
    of="PositionwiseFeedForward",
    sentence="Your network drops in evaluation too: F.dropout does unless training=self.training "
    "is passed.",
    caught_by=("test_network_does_not_drop_in_evaluation",),
)
class DropsInEvaluation(_Network):
    def drop(self, x):
        return F.dropout(x, self.p)


@misconception(
    of="PositionwiseFeedForward",
    sentence="Your network multiplies by 1 - p in evaluation: nn.Dropout has already made up for "
    "it in training.",
    caught_by=("test_network_does_not_drop_in_evaluation",),
)
class ShrinksInEvaluation(_Network):
    def drop(self, x):
        return super().drop(x) if self.training else x * (1 - self.p)


@misconception(
    of="PositionwiseFeedForward",
    sentence="Without `dropout` your network drops nothing: the default is 0.1.",
    caught_by=("test_network_drops_a_tenth_by_default",),
)
class NothingByDefault(_Network):
    def __init__(self, d_model, d_ff, dropout=0.0, activation="relu"):
        super().__init__(d_model, d_ff, dropout, activation)


@misconception(
    of="PositionwiseFeedForward",
    sentence="Your network never drops anything: call the dropout between activation and w_2.",
    caught_by=("test_network_drops_its_activations", "test_network_drops_a_tenth_by_default"),
)
class NeverDrops(_Network):
    def drop(self, x):
        return x


@misconception(
    of="PositionwiseFeedForward",
    sentence="Your dropout comes after w_2: here it acts on the activations, before w_2.",
    caught_by=("test_network_drops_its_activations",),
)
class DropsTheOutput(_Network):
    def forward(self, x):
        return self.drop(self.w_2(self.activate(self.w_1(x))))


@misconception(
    of="PositionwiseFeedForward",
    sentence="Your dropout acts twice, on the activations and on the output: the one on the output "
    "belongs to the block around the network.",
    caught_by=("test_network_drops_its_activations",),
)
class DropsActivationsAndOutput(_Network):
    def forward(self, x):
        return self.drop(super().forward(x))


@misconception(
    of="PositionwiseFeedForward",
    sentence="Your dropout comes before the activation. For ReLU that is the same, for GELU it is "
    "not.",
    caught_by=("test_network_drops_its_activations",),
)
class DropsBeforeTheActivation(_Network):
    def forward(self, x):
        return self.w_2(self.activate(self.drop(self.w_1(x))))


@misconception(
    of="PositionwiseFeedForward",
    sentence="Your dropout acts on the input x: it belongs after the activation.",
    caught_by=("test_network_drops_its_activations",),
)
class DropsTheInput(_Network):
    def forward(self, x):
        return self.w_2(self.activate(self.w_1(self.drop(x))))


@misconception(
    of="PositionwiseFeedForward",
    sentence="The activations pass through two dropouts.",
    caught_by=("test_network_drops_its_activations",),
)
class DropsTheActivationsTwice(_Network):
    def drop(self, x):
        return super().drop(super().drop(x))


@misconception(
    of="PositionwiseFeedForward",
    sentence="Your network drops with its own probability: hand `dropout` on.",
    caught_by=("test_network_drops_its_activations",),
)
class DropoutIgnored(_Network):
    def drop(self, x):
        return F.dropout(x, 0.1 if self.p else 0.0, self.training)


@misconception(
    of="PositionwiseFeedForward",
    sentence="Your inner units are dropped, but the survivors do not grow by 1 / (1 - p).",
    caught_by=("test_network_drops_its_activations",),
)
class DropoutNotScaled(_Network):
    def drop(self, x):
        return x * (torch.rand_like(x) >= self.p) if self.training else x


@misconception(
    of="PositionwiseFeedForward",
    sentence="One coin decides about all inner units of a token: each unit needs its own.",
    caught_by=("test_network_drops_its_activations",),
)
class DropsWholeTokens(_Network):
    def drop(self, x):
        return x * super().drop(torch.ones_like(x[..., :1]))


@misconception(
    of="PositionwiseFeedForward",
    sentence="Without `dropout` your network drops half (nn.Dropout's own default): ours is 0.1.",
    caught_by=("test_network_drops_a_tenth_by_default",),
)
class HalfByDefault(_Network):
    def __init__(self, d_model, d_ff, dropout=0.5, activation="relu"):
        super().__init__(d_model, d_ff, dropout, activation)


@misconception(
    of="PositionwiseFeedForward",
    sentence="An unknown activation silently becomes GELU (or none): raise ValueError.",
    caught_by=("test_network_refuses_an_unknown_activation",),
)
class AcceptsAnyActivation(_Network):
    def __init__(self, d_model, d_ff, dropout=0.1, activation="relu"):
        super().__init__(d_model, d_ff, dropout, "relu" if activation == "relu" else "gelu")


@misconception(
    of="PositionwiseFeedForward",
    sentence="An unknown activation ends in the KeyError of a dict: raise a ValueError that says "
    "which names there are.",
    caught_by=("test_network_refuses_an_unknown_activation",),
)
class KeyErrorForUnknown(_Network):
    def __init__(self, d_model, d_ff, dropout=0.1, activation="relu"):
        word = {"relu": "relu", "gelu": "gelu"}[activation]
        super().__init__(d_model, d_ff, dropout, word)


@misconception(
    of="PositionwiseFeedForward",
    sentence="getattr(F, activation) takes any word and ends in AttributeError: look whether it is "
    "relu or gelu, and raise ValueError otherwise.",
    caught_by=("test_network_refuses_an_unknown_activation",),
)
class LooksItUpInTorch(_Network):
    def __init__(self, d_model, d_ff, dropout=0.1, activation="relu"):
        super().__init__(d_model, d_ff, dropout)
        self.activate = getattr(F, activation)


@misconception(
    of="PositionwiseFeedForward",
    sentence="Your network insists on (batch, tokens, d_model): nn.Linear takes any leading axes.",
    caught_by=("test_network_takes_any_leading_axes",),
)
class ThreeAxesOnly(_Network):
    def forward(self, x):
        batch, tokens, width = x.shape
        return super().forward(x)


@misconception(
    of="PositionwiseFeedForward",
    sentence="view fails on a transposed input: nn.Linear needs no flattening at all.",
    caught_by=("test_network_takes_any_leading_axes",),
)
class ViewsTheInput(_Network):
    def forward(self, x):
        return super().forward(x.view(-1, x.shape[-1])).view(x.shape)


@misconception(
    of="PositionwiseFeedForward",
    sentence="Your network computes in float32 whatever dtype it has been turned into.",
    caught_by=("test_layers_keep_the_dtype",),
)
class NetworkInFloat32(_Network):
    def forward(self, x):
        h = F.linear(x.float(), self.w_1.weight.float(), self.w_1.bias.float())
        h = self.drop(self.activate(h))
        return F.linear(h, self.w_2.weight.float(), self.w_2.bias.float())


class _Gated(nn.Module):
    """A right SwiGLU in parts."""

    bias = False

    def __init__(self, d_model, d_ff):
        super().__init__()
        self.w1 = nn.Linear(d_model, d_ff, bias=self.bias)
        self.w2 = nn.Linear(d_ff, d_model, bias=self.bias)
        self.w3 = nn.Linear(d_model, d_ff, bias=self.bias)

    def inner(self, gate, up):
        return F.silu(gate) * up

    def forward(self, x):
        return self.w2(self.inner(self.w1(x), self.w3(x)))


@misconception(
    of="SwiGLU",
    sentence="Gate and values are exchanged: silu acts on w1(x), not on w3(x).",
    caught_by=GATE,
)
class GateAndValuesExchanged(_Gated):
    def inner(self, gate, up):
        return gate * F.silu(up)


@misconception(
    of="SwiGLU",
    sentence="Your gate is a plain sigmoid (GLU): SwiGLU uses silu, x * sigmoid(x).",
    caught_by=GATE,
)
class SigmoidGate(_Gated):
    def inner(self, gate, up):
        return torch.sigmoid(gate) * up


@misconception(
    of="SwiGLU",
    sentence="Your gate uses GELU (GEGLU): SwiGLU uses silu.",
    caught_by=GATE,
)
class GeluGate(_Gated):
    def inner(self, gate, up):
        return F.gelu(gate) * up


@misconception(
    of="SwiGLU",
    sentence="Your gate uses ReLU (ReGLU): SwiGLU uses silu.",
    caught_by=GATE,
)
class ReluGate(_Gated):
    def inner(self, gate, up):
        return F.relu(gate) * up


@misconception(
    of="SwiGLU",
    sentence="There is no activation on the gate: silu(w1(x)) multiplies w3(x).",
    caught_by=GATE,
)
class NoGateActivation(_Gated):
    def inner(self, gate, up):
        return gate * up


@misconception(
    of="SwiGLU",
    sentence="silu acts on gate and values alike: w3(x) stays as it is.",
    caught_by=GATE,
)
class SiluOnBoth(_Gated):
    def inner(self, gate, up):
        return F.silu(gate) * F.silu(up)


@misconception(
    of="SwiGLU",
    sentence="silu acts on the product: it acts on w1(x) alone, before the product.",
    caught_by=GATE,
)
class SiluOfTheProduct(_Gated):
    def inner(self, gate, up):
        return F.silu(gate * up)


@misconception(
    of="SwiGLU",
    sentence="You add gate and values: a gate multiplies.",
    caught_by=GATE,
)
class GateAdded(_Gated):
    def inner(self, gate, up):
        return F.silu(gate) + up


@misconception(
    of="SwiGLU",
    sentence="w3 is never used: its output multiplies silu(w1(x)).",
    caught_by=GATE,
)
class ValuesMissing(_Gated):
    def inner(self, gate, up):
        return F.silu(gate)


@misconception(
    of="SwiGLU",
    sentence="The gate is multiplied by itself: w1 makes the gate, w3 the values.",
    caught_by=GATE,
)
class OneLayerForBoth(_Gated):
    def forward(self, x):
        return self.w2(self.inner(self.w1(x), self.w1(x)))


@misconception(
    of="SwiGLU",
    sentence="Your gate has left the graph, so w1 gets no gradient.",
    caught_by=GATE,
)
class GateOutOfTheGraph(_Gated):
    def inner(self, gate, up):
        return F.silu(gate).detach() * up


@misconception(
    of="SwiGLU",
    sentence="Your layers have biases: all three are made with bias=False.",
    caught_by=GATE,
)
class Biases(_Gated):
    bias = True


@misconception(
    of="SwiGLU",
    sentence="You shorten the inner width to 2/3 of d_ff: whoever calls has done that already.",
    caught_by=GATE,
)
class TwoThirdsOfTheWidth(_Gated):
    def __init__(self, d_model, d_ff):
        super().__init__(d_model, 2 * d_ff // 3)


@misconception(
    of="SwiGLU",
    sentence="w2 and w3 are exchanged: w3 makes the values (d_model to d_ff), w2 leads back.",
    caught_by=GATE,
)
class NamesExchanged(_Gated):
    def __init__(self, d_model, d_ff):
        super().__init__(d_model, d_ff)
        self.w2, self.w3 = self.w3, self.w2

    def forward(self, x):
        return self.w3(self.inner(self.w1(x), self.w2(x)))


@misconception(
    of="SwiGLU",
    sentence="You add x to the gated output: the residual connection belongs to the block.",
    caught_by=GATE,
)
class GatedResidual(_Gated):
    def forward(self, x):
        return x + super().forward(x)


@misconception(
    of="SwiGLU",
    sentence="Your SwiGLU insists on (batch, tokens, d_model): nn.Linear takes any leading axes.",
    caught_by=("test_swiglu_takes_any_leading_axes",),
)
class GatedThreeAxesOnly(_Gated):
    def forward(self, x):
        batch, tokens, width = x.shape
        return super().forward(x)


@misconception(
    of="SwiGLU",
    sentence="You write silu with exponentials in a fixed dtype: the layer's dtype must be kept.",
    caught_by=("test_layers_keep_the_dtype",),
)
class GateInFloat32(_Gated):
    def forward(self, x):
        gate = F.silu(F.linear(x.float(), self.w1.weight.float()))
        return F.linear(gate * self.w3(x).float(), self.w2.weight.float())


# Right, but slow ----------------------------------------------------------------------------------


def _by_token(layer, x):
    """``layer`` of one token after the other."""
    return torch.stack([layer(row) for row in x.reshape(-1, x.shape[-1])]).reshape(x.shape)


@misconception(
    of="PositionwiseFeedForward",
    sentence="Your network is right, but a Python loop hands it one token at a time: the same for "
    "every token means one product for all of them.",
    caught_by=("test_all_tokens_at_once",),
)
class NetworkTokenByToken(_Network):
    def forward(self, x):
        return _by_token(super().forward, x)


@misconception(
    of="SwiGLU",
    sentence="Your SwiGLU is right, but a Python loop hands it one token at a time: w1, w2 and w3 "
    "work on the last axis of all tokens at once.",
    caught_by=("test_all_tokens_at_once",),
)
class GatedTokenByToken(_Gated):
    def forward(self, x):
        return _by_token(super().forward, x)


@misconception(
    of="PositionwiseFeedForward",
    sentence="Your network is right, but the GELU is written out with w_1(x) in it twice, which "
    "computes that product twice: give it a name first, h = w_1(x).",
    caught_by=("test_each_product_is_done_once",),
)
class WidensTwice(_Network):
    def forward(self, x):
        if self.word == "relu":
            return super().forward(x)
        h = 0.5 * self.w_1(x) * (1 + torch.erf(self.w_1(x) / math.sqrt(2)))
        return self.w_2(self.drop(h))


@misconception(
    of="SwiGLU",
    sentence="Your SwiGLU is right, but w1(x) * sigmoid(w1(x)) computes w1(x) twice: give the gate "
    "a name first, or call silu.",
    caught_by=("test_each_product_is_done_once",),
)
class GateComputedTwice(_Gated):
    def forward(self, x):
        return self.w2(self.w1(x) * torch.sigmoid(self.w1(x)) * self.w3(x))
