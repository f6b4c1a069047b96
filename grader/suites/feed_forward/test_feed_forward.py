"""Hidden checks of ``feed_forward``."""

from __future__ import annotations

import math

import pytest
import torch
import torch.nn.functional as F

from grader.check import refuses, usable, work_of

D_MODEL, D_FF = 6, 10


def network_weights(draw):
    """Weights of a PositionwiseFeedForward."""
    return {
        "w_1.weight": draw.normal(D_FF, D_MODEL, scale=0.6),
        "w_1.bias": draw.normal(D_FF),
        "w_2.weight": draw.normal(D_MODEL, D_FF, scale=0.6),
        "w_2.bias": draw.normal(D_MODEL),
    }


def gated_weights(draw):
    """Weights of a SwiGLU."""
    return {
        "w1.weight": draw.normal(D_FF, D_MODEL, scale=0.6),
        "w2.weight": draw.normal(D_MODEL, D_FF, scale=0.6),
        "w3.weight": draw.normal(D_FF, D_MODEL, scale=0.6),
    }


def network(impl, weights, *args, **options):
    layer = impl.PositionwiseFeedForward(D_MODEL, D_FF, *args, **options)
    layer.load(weights)
    return layer


def gated(impl, weights):
    layer = impl.SwiGLU(D_MODEL, D_FF)
    layer.load(weights)
    return layer


def far_from_zero(draw, low, high):
    """Numbers of either sign and of a size between ``low`` and ``high``."""
    return draw.uniform(4, 7, low=low, high=high) * (2.0 * draw.booleans(4, 7) - 1.0)


class Probe:
    """Weights under which the output shows each inner unit, dropped or not.

    The first columns of the output are the inner units plus a bias, the others the bias alone.
    """

    inner, width, tokens = 5, 7, 900

    def __init__(self, draw):
        self.bias = draw.uniform(self.width, low=2.0, high=3.0)
        self.weights = {
            "w_1.weight": draw.normal(self.inner, self.width, scale=0.5),
            "w_1.bias": draw.normal(self.inner),
            "w_2.weight": torch.eye(self.width, self.inner),
            "w_2.bias": self.bias,
        }
        self.x = draw.normal(3, self.tokens // 3, self.width)
        self.before = F.linear(self.x, self.weights["w_1.weight"], self.weights["w_1.bias"])

    def output_of(self, impl, *args, **options):
        layer = impl.PositionwiseFeedForward(self.width, self.inner, *args, **options)
        layer.load(self.weights)
        return usable(layer, layer(self.x), self.x.shape)

    def look_at(self, y, activation, p):
        """Asserts that ``y`` shows dropout(activation(w_1(x))), and says what it shows instead."""
        right, factor = activation(self.before), 1 / (1 - p)
        clear = right.abs() > 0.02
        inner = (y - self.bias)[..., : self.inner]
        zero = near(inner, 0 * right) & clear
        share = zero.sum().item() / clear.sum().item()
        kept = clear & ~zero

        def shows(values):
            return bool(near(inner, values)[kept].all())

        if (y == 0).any():
            emptied = near(inner, self.bias[: self.inner] * (factor - 1)) & clear
            assert not emptied.any(), "You drop inner units and, once more, the output."
            raise AssertionError("You drop the output of w_2, not the activations before it.")
        plain = near(y, self.bias)[..., self.inner :].all()
        assert plain, "The output is not w_2 of the inner units, plus its bias."
        assert share > 0 or not shows(right), "Nothing is dropped in train mode."
        if not shows(right * factor):
            early = shows(activation(self.before * factor))
            assert not early, "You drop before the activation, not after it."
            assert not shows(right), "Surviving inner units do not grow by 1 / (1 - p)."
            assert not shows(right * factor**2), "Inner units are dropped twice over."
            known = shows(right / 0.9) or shows(right * 2.0)
            assert not known, "The probability of dropout is not the one asked for."
            assert share > p / 2, "Inner units change without becoming zero: you drop before w_1."
            raise AssertionError("Surviving inner units are not activation(w_1(x)) / (1 - p).")
        mixed = (zero.any(dim=-1) & kept.any(dim=-1)).any()
        assert mixed, "All inner units of a token are dropped or kept together."
        room = 6 * math.sqrt(p * (1 - p) / clear.sum().item())
        assert abs(share - p) <= room, "Another share of the inner units is dropped than p."


def near(one, other):
    return (one - other).abs() <= 3e-3


@pytest.mark.public
@pytest.mark.kept("the page's own example, for a first answer")
def test_example(compare):
    """The examples of gelu and silu come out as printed."""
    x = torch.tensor([-1.0, 0.0, 1.0, 3.0])
    compare.gelu(x, approximate="none")
    compare.silu(x)


@pytest.mark.points(2)
def test_gelu_is_exact_unless_told_otherwise(compare, draw):
    """gelu(x) is x times the normal distribution function, not its approximation."""
    x = draw.normal(3, 4, 5, scale=2.0)
    compare.gelu(x, approximate="none", wrt=[x])
    compare.gelu(x, wrt=[x])


@pytest.mark.points(2)
def test_gelu_by_tanh(compare, draw):
    """With approximate="tanh" the formula with tanh and 0.044715 x^3 is used."""
    x = draw.normal(3, 4, 5, scale=2.0)
    compare.gelu(x, approximate="tanh", wrt=[x])


def test_gelu_of_large_numbers(compare, draw):
    """Far from zero gelu is x or 0 and its slope 1 or 0, in both forms."""
    for size in (20.0, 300.0, 1e4):
        x = far_from_zero(draw, size / 2, size)
        compare.gelu(x, wrt=[x])
        compare.gelu(x, approximate="tanh", wrt=[x])


@pytest.mark.points(2)
def test_silu_is_x_times_its_sigmoid(compare, draw):
    """silu(x) = x * sigmoid(x), and its gradient is that of the whole product."""
    x = draw.normal(3, 4, 5, scale=2.0)
    compare.silu(x, wrt=[x])


@pytest.mark.points(2)
def test_silu_of_large_numbers(compare, draw):
    """Far from zero silu is x or 0 and its slope 1 or 0: nothing overflows."""
    for low, high in ((60.0, 110.0), (110.0, 1000.0), (1e4, 2e4)):
        x = far_from_zero(draw, low, high)
        compare.silu(x, wrt=[x])


@pytest.mark.points(2)
def test_activations_keep_dtype_and_input(compare, draw):
    """bfloat16 in gives bfloat16 out, float64 in gives float64 out, and x stays as it was."""
    for dtype in (torch.float32, torch.float64, torch.bfloat16, torch.float16):
        x = far_from_zero(draw, 5.0, 6.5).to(dtype)
        compare.gelu(x)
        compare.gelu(x, approximate="tanh")
        compare.silu(x)


@pytest.mark.points(3)
@pytest.mark.kept("the rule itself; other checks only brush it")
def test_network_with_relu(compare, draw):
    """w_2(relu(w_1(x))) with both biases: values, and gradients of x and of all four parameters."""
    weights, x = network_weights(draw), draw.normal(2, 5, D_MODEL, scale=4.0)
    compare(lambda impl: network(impl, weights, 0.0, "relu")(x), wrt=[x])


@pytest.mark.points(2)
@pytest.mark.kept("the definition itself; counting the work asks for it once more")
def test_network_with_gelu(compare, draw):
    """activation="gelu" puts the exact GELU between the layers."""
    weights, x = network_weights(draw), draw.normal(2, 5, D_MODEL)
    compare(lambda impl: network(impl, weights, dropout=0.0, activation="gelu")(x), wrt=[x])


def test_network_uses_relu_by_default(compare, draw):
    """Without `activation` the network uses ReLU."""
    weights, x = network_weights(draw), draw.normal(2, 5, D_MODEL)
    compare(lambda impl: network(impl, weights, dropout=0.0)(x))


def test_network_does_not_drop_in_evaluation(compare, submission, draw):
    """After eval() nothing is dropped and nothing is scaled."""
    weights, x = network_weights(draw), draw.normal(2, 5, D_MODEL)

    def evaluated(impl):
        layer = network(impl, weights, dropout=0.6, activation="relu")
        layer.eval()
        return layer(x), layer(x)

    first, second = evaluated(submission)
    usable(submission, first, x.shape)
    assert torch.equal(first, second), (
        "The network drops after eval() as well: two calls give different outputs."
    )
    compare(evaluated, wrt=[x])


def test_network_takes_any_leading_axes(compare, draw):
    """One token, a sequence, a batch, a batch of batches and transposed inputs work alike."""
    weights = network_weights(draw)
    shapes = [(D_MODEL,), (5, D_MODEL), (1, 1, D_MODEL), (2, 3, 4, D_MODEL)]
    transposed = draw.normal(4, 3, D_MODEL).transpose(0, 1)
    for x in [*(draw.normal(*shape) for shape in shapes), transposed]:
        compare(lambda impl: network(impl, weights, 0.0, "relu")(x), wrt=[x])


@pytest.mark.points(2)
def test_network_drops_its_activations(submission, reference, draw):
    """Dropout comes after the activation and before w_2, with the probability asked for."""
    probe = Probe(draw)
    for p in (0.6, 0.25):
        y = probe.output_of(submission, dropout=p, activation="gelu")
        probe.look_at(y, reference.gelu, p)


def test_network_drops_a_tenth_by_default(submission, draw):
    """Without `dropout` one inner unit in ten is dropped."""
    probe = Probe(draw)
    probe.look_at(probe.output_of(submission, activation="relu"), F.relu, 0.1)


def test_network_refuses_an_unknown_activation(submission, draw):
    """An activation of another name raises ValueError."""
    x, word = draw.normal(2, 3, D_MODEL), "nonsense"
    refuses(
        lambda: submission.PositionwiseFeedForward(D_MODEL, D_FF, activation=word)(x),
        f"activation={word!r}",
    )


@pytest.mark.points(3)
@pytest.mark.kept("the rule itself; other checks only brush it")
def test_swiglu_opens_with_a_gate(compare, draw):
    """w2(silu(w1(x)) * w3(x)) without biases: values, and gradients of x and of the parameters."""
    weights, x = gated_weights(draw), draw.normal(2, 5, D_MODEL, scale=2.0)
    compare(lambda impl: gated(impl, weights)(x), wrt=[x])


def test_swiglu_takes_any_leading_axes(compare, draw):
    """One token, a sequence, a batch and a batch of batches work alike."""
    weights = gated_weights(draw)
    transposed = draw.normal(4, 3, D_MODEL).transpose(0, 1)
    shapes = [(D_MODEL,), (5, D_MODEL), (1, 1, D_MODEL), (2, 3, 4, D_MODEL)]
    for x in [*(draw.normal(*shape) for shape in shapes), transposed]:
        compare(lambda impl: gated(impl, weights)(x), wrt=[x])


def test_layers_keep_the_dtype(compare, draw, device):
    """Layers turned into bfloat16 or float64 work, and answer in that dtype."""
    small, large = network_weights(draw), gated_weights(draw)

    def turned(layer, dtype):
        layer.to(device, dtype)
        return layer

    for dtype, word in (
        (torch.bfloat16, "relu"),
        (torch.bfloat16, "gelu"),
        (torch.float64, "relu"),
    ):
        x = draw.normal(2, 3, D_MODEL, dtype=dtype)
        compare(lambda impl: turned(network(impl, small, 0.0, word), dtype)(x))
        compare(lambda impl: turned(gated(impl, large), dtype)(x))


# Work ---------------------------------------------------------------------------------------------

PRODUCTS = ("mm", "addmm", "bmm", "baddbmm", "mv", "addmv", "dot", "linear", "matmul")
LAYERS = (
    ("PositionwiseFeedForward", (D_MODEL, D_FF, 0.0, "relu"), 2),
    ("PositionwiseFeedForward", (D_MODEL, D_FF, 0.0, "gelu"), 2),
    ("SwiGLU", (D_MODEL, D_FF), 3),
)


def test_all_tokens_at_once(compare, submission, draw):
    """No Python loop over tokens: each torch operation has a price of its own, and a linear layer
    takes 32 tokens in one, as it takes 8."""
    few, many = draw.normal(2, 8, D_MODEL), draw.normal(2, 32, D_MODEL)
    _demand_right(compare, draw, few)
    for name, args, _ in LAYERS:
        first, second = (_work(submission, name, args, x) for x in (few, many))
        grown = second.operations - first.operations
        assert grown < 24, f"{name}: a torch operation or more for every token"


def test_each_product_is_done_once(compare, submission, draw):
    """Two matrix products in the network and three in SwiGLU: whoever writes w1(x) twice computes
    it twice, and two thirds of a block's weights are in these products."""
    x = draw.normal(1, 1, D_MODEL)  # one token: who runs through tokens is told so elsewhere
    _demand_right(compare, draw, draw.normal(1, 2, D_MODEL))
    for name, args, most in LAYERS:
        work = _work(submission, name, args, x)
        products = sum(work.by_name.get(product, 0) for product in PRODUCTS)
        assert products <= most, f"{name} {args[3:]} does more than {most} matrix products"


def _demand_right(compare, draw, x):
    """Right first, then fast."""
    relu, gelu, gates = network_weights(draw), network_weights(draw), gated_weights(draw)
    compare(lambda impl: network(impl, relu, 0.0, "relu")(x))
    compare(lambda impl: network(impl, gelu, 0.0, "gelu")(x))
    compare(lambda impl: gated(impl, gates)(x))


def _work(submission, name, args, x):
    return work_of(
        submission, lambda impl: usable(impl, getattr(impl, name)(*args)(x), x.shape, unlike=[x])
    )
