"""Hidden checks of ``feed_forward``."""

from __future__ import annotations

import math
from functools import partial

import pytest
import torch
import torch.nn.functional as F

from grader.check import demand_random_start, gradient, refuses, usable, work_of

D_MODEL, D_FF = 6, 10
LEADING = (), (5,), (1, 1), (2, 3, 4)  # axes before the last


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
    return loaded(impl.PositionwiseFeedForward(D_MODEL, D_FF, *args, **options), weights)


def gated(impl, weights):
    return loaded(impl.SwiGLU(D_MODEL, D_FF), weights)


def loaded(layer, weights):
    layer.load(weights)
    return layer


def far_from_zero(draw, low, high):
    """Numbers of either sign and of a size between ``low`` and ``high``."""
    return draw.uniform(4, 7, low=low, high=high) * (2.0 * draw.booleans(4, 7) - 1.0)


class Probe:
    """Weights under which the output shows each inner unit, dropped or not.

    The first columns of the output are the inner units plus a bias, the others the first two of
    them once more.
    """

    inner, width, tokens = 5, 7, 900

    def __init__(self, draw):
        self.bias = draw.uniform(self.width, low=2.0, high=3.0)
        self.weights = {
            "w_1.weight": draw.normal(self.inner, self.width, scale=0.5),
            "w_1.bias": draw.normal(self.inner),
            "w_2.weight": torch.eye(self.inner).repeat(2, 1)[: self.width],
            "w_2.bias": self.bias,
        }
        self.x = draw.normal(3, 12, self.width).repeat(1, self.tokens // 36, 1)
        self.before = F.linear(self.x, self.weights["w_1.weight"], self.weights["w_1.bias"])

    def layer_of(self, impl, *args, **options):
        layer = impl.PositionwiseFeedForward(self.width, self.inner, *args, **options)
        layer.load(self.weights)
        return layer

    def without_dropout(self, impl, **options):
        """Compared first: a wrong formula is then called that, not wrong dropout."""
        return self.layer_of(impl, dropout=0.0, **options)(self.x)

    def output_of(self, layer):
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
        more = self.width - self.inner
        again = near((y - self.bias)[..., self.inner :], inner[..., :more]).all()
        assert again, "The output is not w_2 of the inner units, plus its bias."
        assert share > 0 or not shows(right), "Nothing is dropped in train mode."
        if not shows(right * factor):
            early = shows(activation(self.before * factor))
            assert not early, "You drop before the activation, not after it."
            assert not shows(right), "Surviving inner units do not grow by 1 / (1 - p)."
            assert not shows(right * factor**2), "Inner units are dropped twice over."
            self.look_for_factor(inner, right, kept, factor, "Surviving inner units")
            assert share > p / 2, "Inner units change without becoming zero."
            raise AssertionError("Surviving inner units are not activation(w_1(x)) / (1 - p).")
        for axis, name in ((0, "sentences"), (1, "tokens"), (2, "inner units")):
            assert not self.alike(zero, clear, axis), f"All {name} lose the same to dropout."
        room = 6 * math.sqrt(p * (1 - p) / clear.sum().item())
        assert abs(share - p) <= room, "Another share of the inner units is dropped than p."

    @staticmethod
    def look_for_factor(found, right, kept, factor, name):
        """Asserts that what is kept does not grow by another factor, and says by which."""
        ratio = (found / right)[kept]
        other = ratio.median().item()
        assert not near(found, right * other)[kept].all(), (
            f"{name} are multiplied by {other:.3g}, not by 1 / (1 - p) = {factor:.3g}."
        )

    def look_at_output(self, y, activation, p):
        """Asserts that ``y`` shows the output of w_2 dropped, and says what it shows instead."""
        plain = F.linear(activation(self.before), self.weights["w_2.weight"], self.bias)
        clear, zero, factor = plain.abs() > 0.02, y == 0, 1 / (1 - p)
        share = (zero & clear).sum().item() / clear.sum().item()
        if not zero.any():
            assert not near(y, plain).all(), "Nothing is dropped in train mode."
            gone, more = near(y, self.bias), self.width - self.inner
            units = torch.equal(gone[..., self.inner :], gone[..., :more])
            assert not units, "You drop inner units, not the output of w_2."
            raise AssertionError("No number of the output is 0: it is not what is dropped.")
        kept = clear & ~zero
        if not near(y, plain * factor)[kept].all():
            assert not near(y, plain)[kept].all(), "What survives does not grow by 1 / (1 - p)."
            twice = near(y, plain * factor**2)[kept].all()
            assert not twice, "The output is dropped twice over."
            self.look_for_factor(y, plain, kept, factor, "Surviving numbers of the output")
            raise AssertionError("What survives is no multiple of the output without dropout.")
        for axis, name in ((0, "sentences"), (1, "tokens"), (2, "numbers of a token")):
            assert not self.alike(zero, clear, axis), f"All {name} lose the same to dropout."
        room = 6 * math.sqrt(p * (1 - p) / clear.sum().item())
        assert abs(share - p) <= room, "Another share of the output is dropped than p."

    @staticmethod
    def alike(zero, clear, axis):
        """Do neighbours along an axis go together? By chance 52 to 82 in 100 do, for p > 0.08."""
        both = clear & clear.roll(1, axis)
        return (zero == zero.roll(1, axis))[both].double().mean() > 0.95


def near(one, other):
    return (one - other).abs() <= 3e-3


# The activations ----------------------------------------------------------------------------------


@pytest.mark.core("silu")
@pytest.mark.public
@pytest.mark.kept("the page's own example, for a first answer")
@pytest.mark.rests_on(
    ">>> gelu(torch.tensor([-1.0, 0.0, 1.0, 3.0])) tensor([-0.1587, 0.0000, 0.8413, 2.9960])",
    ">>> silu(torch.tensor([-1.0, 0.0, 1.0, 3.0])) tensor([-0.2689, 0.0000, 0.7311, 2.8577])",
)
def test_example(compare):
    """The examples of gelu and silu come out as printed."""
    x = torch.tensor([-1.0, 0.0, 1.0, 3.0])
    compare.gelu(x, approximate="none")
    compare.silu(x)


@pytest.mark.core("gelu")
@pytest.mark.points(2)
@pytest.mark.rests_on('"none": gelu(x) = x * P(N < x) = x / 2 * (1 + erf(x / sqrt(2)))')
def test_gelu_is_exact_unless_told_otherwise(compare, draw):
    """gelu(x) is x times the normal distribution function, not its approximation."""
    for shape in ((3, 4, 5), (7,), ()):
        x = draw.normal(*shape, scale=2.0)
        compare.gelu(x, approximate="none", wrt=[x])
        compare.gelu(x, wrt=[x])


@pytest.mark.points(2)
@pytest.mark.rests_on('"tanh": gelu(x) = x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)))')
def test_gelu_by_tanh(compare, draw):
    """With approximate="tanh" the formula with tanh and 0.044715 x^3 is used."""
    x = draw.normal(3, 4, 5, scale=2.0)
    compare.gelu(x, approximate="tanh", wrt=[x])
    compare.gelu(x, "tanh", wrt=[x])


@pytest.mark.asked_once("other checks ask again, in both forms")
@pytest.mark.rests_on(
    "Values are right for x of any size, gradients as far as the dtype holds the cube of x"
)
def test_gelu_of_large_numbers(compare, draw):
    """Far from zero gelu is x or 0 and its slope 1 or 0, in both forms."""
    for size in (20.0, 300.0, 1e4):
        x = far_from_zero(draw, size / 2, size)
        compare(lambda impl: (impl.gelu(x), impl.gelu(x, approximate="tanh")), wrt=[x])
        # By themselves: beside large numbers, what is left of a small one is no error.
        below = -x.abs()
        compare(lambda impl: (impl.gelu(below), impl.gelu(below, approximate="tanh")))
    vast = -draw.uniform(4, 7, low=1e29, high=1e30)
    compare(lambda impl: (impl.gelu(vast), impl.gelu(vast, approximate="tanh")))


@pytest.mark.core("silu")
@pytest.mark.points(2)
@pytest.mark.rests_on("silu(x) = x * sigmoid(x) = x / (1 + exp(-x))")
def test_silu_is_x_times_its_sigmoid(compare, draw):
    """silu(x) = x * sigmoid(x), and its gradient is that of the whole product."""
    for shape in ((3, 4, 5), ()):
        x = draw.normal(*shape, scale=2.0)
        compare.silu(x, wrt=[x])


@pytest.mark.rests_on("right for x of any size: float32's exp overflows from 89 on")
def test_silu_of_large_numbers(compare, draw):
    """Far from zero silu is x or 0 and its slope 1 or 0: nothing overflows."""
    for low, high in ((60.0, 110.0), (110.0, 1000.0), (1e4, 2e4)):
        x = far_from_zero(draw, low, high)
        compare.silu(x, wrt=[x])
    # By themselves: beside large numbers, what is left of a small one is no error.
    vast = -draw.uniform(4, 7, low=1e29, high=1e30)
    compare.silu(vast, wrt=[vast])


@pytest.mark.points(2)
@pytest.mark.kept("float16, and every form in every dtype: elsewhere each is asked in one of two")
@pytest.mark.rests_on("the result keeps the dtype of x, and x stays as it was")
def test_activations_in_every_dtype(compare, draw):
    """Each form keeps bfloat16, float16 and float64, and x stays as it was."""
    for dtype in (torch.float64, torch.bfloat16, torch.float16):
        x = far_from_zero(draw, 5.0, 6.5).to(dtype)
        compare.gelu(x)
        compare.gelu(x, approximate="tanh")
        compare.silu(x)


# PositionwiseFeedForward --------------------------------------------------------------------------


@pytest.mark.core("PositionwiseFeedForward")
@pytest.mark.points(3)
@pytest.mark.kept("the rule itself; other checks only brush it")
@pytest.mark.rests_on("Two linear layers with an activation between them, the same for every token")
def test_network_with_relu(compare, draw):
    """w_2(relu(w_1(x))) with both biases: values, and gradients of x and of all four parameters."""
    weights, x = network_weights(draw), draw.normal(2, 5, D_MODEL, scale=4.0)
    compare(lambda impl: network(impl, weights, 0.0, "relu")(x), wrt=[x])


@pytest.mark.core("PositionwiseFeedForward")
@pytest.mark.points(2)
@pytest.mark.kept("the definition itself; counting the work asks for it once more")
@pytest.mark.rests_on('activation is "relu" or "gelu" (the exact one)')
def test_network_with_gelu(compare, draw):
    """activation="gelu" puts the exact GELU between the layers."""
    weights, x = network_weights(draw), draw.normal(2, 5, D_MODEL)
    compare(lambda impl: network(impl, weights, dropout=0.0, activation="gelu")(x), wrt=[x])


@pytest.mark.rests_on('"relu" or "gelu" (the exact one); without it, the network uses ReLU')
def test_network_uses_relu_by_default(compare, draw):
    """Without `activation` the network uses ReLU."""
    weights, x = network_weights(draw), draw.normal(2, 5, D_MODEL)
    compare(lambda impl: network(impl, weights, dropout=0.0)(x))


@pytest.mark.rests_on("With bias=False neither layer has a bias")
def test_network_without_biases(compare, draw):
    """bias=False makes a network without any bias, with either activation."""
    weights, x = network_weights(draw), draw.normal(2, 5, D_MODEL)
    matrices = {name: w for name, w in weights.items() if w.ndim > 1}
    for word in ("relu", "gelu"):
        compare(lambda impl: network(impl, matrices, 0.0, word, bias=False)(x), wrt=[x])


@pytest.mark.asked_once("the mode is asked for here, and other checks ask the network again")
@pytest.mark.rests_on("In eval mode nothing is dropped")
def test_network_does_not_drop_in_evaluation(compare, submission, draw):
    """After eval() nothing is dropped and nothing is scaled."""
    weights, x = network_weights(draw), draw.normal(2, 5, D_MODEL)

    def evaluated(impl, activation, dropout, drop_output):
        options = {"dropout": dropout, "drop_output": drop_output}
        layer = network(impl, weights, activation=activation, **options)
        layer.eval()
        return layer(x), layer(x)

    for options in (("gelu", 0.6, False), ("relu", 0.25, True)):
        first, second = evaluated(submission, *options)
        usable(submission, first, x.shape)
        said = " with drop_output" if options[-1] else ""
        assert torch.equal(first, second), (
            f"The network{said} drops after eval() as well: two calls give different outputs."
        )
        compare(lambda impl: evaluated(impl, *options), wrt=[x])


@pytest.mark.rests_on("x may have any number of axes before the last")
def test_network_takes_any_leading_axes(compare, draw):
    """One token, a sequence, a batch and a batch of batches work alike, and so do equal sizes."""
    weights = network_weights(draw)
    inputs = [draw.normal(*shape, D_MODEL) for shape in LEADING]

    def probe(impl):
        layer = network(impl, weights, 0.0, "relu")
        return [layer(x) for x in inputs]

    compare(probe, wrt=inputs)
    square = {name: w[:5, :5] if w.ndim > 1 else w[:5] for name, w in weights.items()}
    x = draw.normal(5, 5, 5)
    compare(lambda impl: loaded(impl.PositionwiseFeedForward(5, 5, 0.0, "relu"), square)(x))


@pytest.mark.points(2)
@pytest.mark.rests_on("each of them on its own, anew in every call")
def test_network_drops_its_activations(compare, submission, reference, draw):
    """Dropout comes after the activation and before w_2, with the probability asked for."""
    probe = Probe(draw)
    for word, activation, p in (("gelu", reference.gelu, 0.6), ("relu", F.relu, 0.25)):
        compare(lambda impl: probe.without_dropout(impl, activation=word))
        layers = [probe.layer_of(submission, activation=word, dropout=p) for _ in range(2)]
        submission.PositionwiseFeedForward(4, 6, drop_output=True)  # options of its own
        first, again, other = (probe.output_of(layers[n]) for n in (0, 0, 1))
        probe.look_at(first, activation, p)
        assert not torch.equal(first, again), "A second call drops the very same inner units."
        assert not torch.equal(first, other), "Another network drops the very same inner units."
        x = probe.x.clone().requires_grad_()
        answer = layers[0](x)
        found = gradient(submission, answer, draw.normal(*answer.shape), x)
        assert found is not None and found.any(), "In train mode no gradient reaches x."


@pytest.mark.rests_on("the numbers of the output are dropped in the same way, and no activation is")
def test_network_drops_its_output_where_asked_to(compare, submission, reference, draw):
    """With drop_output dropout comes after w_2, and not before it."""
    probe, activations = Probe(draw), {"gelu": reference.gelu, "relu": F.relu}
    for word, p in (("gelu", 0.6), ("relu", 0.25)):
        compare(lambda impl: probe.without_dropout(impl, activation=word, drop_output=True))
        options = {"activation": word, "dropout": p, "drop_output": True}
        layers = [probe.layer_of(submission, **options) for _ in range(2)]
        submission.PositionwiseFeedForward(4, 6)  # another layer, with options of its own
        first, again, other = (probe.output_of(layers[n]) for n in (0, 0, 1))
        probe.look_at_output(first, activations[word], p)
        assert not torch.equal(first, again), "A second call drops the very same numbers."
        assert not torch.equal(first, other), "Another network drops the very same numbers."


@pytest.mark.rests_on("set to 0 with the probability dropout, 0.1 unless given")
def test_network_drops_a_tenth_by_default(compare, submission, draw):
    """Without `dropout` one inner unit in ten is dropped."""
    probe = Probe(draw)
    compare(lambda impl: probe.without_dropout(impl, activation="relu"))
    layer = probe.layer_of(submission, activation="relu")
    probe.look_at(probe.output_of(layer), F.relu, 0.1)


@pytest.mark.rests_on("activation is another word (when the layer is made, or at the latest when")
def test_network_refuses_an_unknown_activation(submission, draw):
    """An activation of another name raises ValueError."""
    x, refusals = draw.normal(2, 3, D_MODEL), []
    for word in ("nonsense", "tanh", "silu", "gelu_tanh", "relu6"):
        make = partial(submission.PositionwiseFeedForward, D_MODEL, D_FF, activation=word)
        refusals += [lambda make=make: make()(x), f"activation={word!r}"]
    refuses(*refusals)


# SwiGLU -------------------------------------------------------------------------------------------


@pytest.mark.core("SwiGLU")
@pytest.mark.points(3)
@pytest.mark.kept("the rule itself; other checks only brush it")
@pytest.mark.rests_on("SwiGLU(x) = w2(silu(w1(x)) * w3(x))")
def test_swiglu_opens_with_a_gate(compare, draw):
    """w2(silu(w1(x)) * w3(x)) without biases: values, and gradients of x and of the parameters."""
    weights, x = gated_weights(draw), draw.normal(2, 5, D_MODEL, scale=2.0)
    compare(lambda impl: gated(impl, weights)(x), wrt=[x])


@pytest.mark.rests_on(
    "x may have any number of axes before the last",
    "right for x of any size: float32's exp overflows from 89 on",
)
def test_swiglu_takes_any_leading_axes(compare, draw):
    """One token, a sequence, a batch and a batch of batches work alike, and so do equal sizes and
    gates far from zero."""
    weights = gated_weights(draw)
    inputs = [draw.normal(*shape, D_MODEL) for shape in LEADING]

    def probe(impl):
        layer = gated(impl, weights)
        return [layer(x) for x in inputs]

    compare(probe, wrt=inputs)
    square = {name: w[:5, :5] for name, w in weights.items()}
    x = draw.normal(5, 5, 5)
    compare(lambda impl: loaded(impl.SwiGLU(5, 5), square)(x))
    far = draw.normal(2, 5, D_MODEL, scale=300.0)
    compare(lambda impl: gated(impl, weights)(far), wrt=[far])


# Both layers --------------------------------------------------------------------------------------


@pytest.mark.asked_once("other objects and other weights are asked for here")
@pytest.mark.rests_on("A layer follows its own options, and its weights as they are now")
def test_layers_side_by_side(compare, draw):
    """A layer does what it was told when it was made, whatever other layers were told later; and
    where its weights are changed, the next call uses the new ones."""
    x, old, new = draw.normal(2, 5, D_MODEL), network_weights(draw), network_weights(draw)
    gates, others = gated_weights(draw), gated_weights(draw)

    def probe(impl):
        made = [network(impl, old, p, word) for p, word in ((0.0, "gelu"), (0.0, "relu"))]
        layers = [*made, gated(impl, gates)]
        impl.PositionwiseFeedForward(D_MODEL, D_FF, 0.5, "gelu")
        for layer in layers:
            layer.requires_grad_(False)  # values are the question here
        before = [layer(x) for layer in layers]
        for layer, weights in zip(layers, (new, new, others), strict=True):
            layer.load(weights)
        return before, [layer(x) for layer in layers]

    compare(probe)


@pytest.mark.rests_on(
    "Matrices start at random", "between 0.05 / sqrt(n) and 2 / sqrt(n)", "two new layers differ"
)
def test_layers_start_at_random(submission):
    """Every matrix starts with numbers of its own around 0, neither tiny nor large."""
    other = {"activation": "gelu", "bias": False, "drop_output": True}
    for make, inputs in (
        (
            lambda: submission.PositionwiseFeedForward(24, 120),
            {"w_1.weight": 24, "w_2.weight": 120},
        ),
        (
            lambda: submission.PositionwiseFeedForward(24, 120, **other),
            {"w_1.weight": 24, "w_2.weight": 120},
        ),
        (lambda: submission.SwiGLU(24, 120), {"w1.weight": 24, "w2.weight": 120, "w3.weight": 24}),
    ):
        demand_random_start("layer", [make().parameters() for _ in range(3)], inputs)


# Work ---------------------------------------------------------------------------------------------

PRODUCTS = ("mm", "addmm", "bmm", "baddbmm", "mv", "addmv", "dot", "linear", "matmul")
LAYERS = (
    ("PositionwiseFeedForward", (D_MODEL, D_FF, 0.0, "relu"), 2),
    ("PositionwiseFeedForward", (D_MODEL, D_FF, 0.0, "gelu"), 2),
    ("SwiGLU", (D_MODEL, D_FF), 3),
)


@pytest.mark.asked_once("work is the question, and other checks ask the layers again")
@pytest.mark.rests_on("no Python loop runs over tokens")
def test_all_tokens_at_once(compare, submission, draw):
    """No Python loop over tokens: each torch operation has a price of its own, and a linear layer
    takes 32 tokens in one, as it takes 8."""
    few, many = draw.normal(2, 8, D_MODEL), draw.normal(2, 32, D_MODEL)
    _demand_right(compare, draw, few)
    for name, args, _ in LAYERS:
        first, second = (_work(submission, name, args, x) for x in (few, many))
        grown = second.operations - first.operations
        assert grown < 24, f"{name}: a torch operation or more for every token"


@pytest.mark.asked_once("work is the question, and other checks ask the layers again")
@pytest.mark.rests_on("so each product with one is done once")
def test_each_product_is_done_once(compare, submission, draw):
    """Two matrix products in the network and three in SwiGLU: whoever writes w1(x) twice computes
    it twice, and these products are the largest of a block."""
    x = draw.normal(1, 1, D_MODEL)  # one token: who runs through tokens is told so elsewhere
    _demand_right(compare, draw, draw.normal(1, 2, D_MODEL))
    for name, args, most in LAYERS:
        work = _work(submission, name, args, x)
        products = work.of(*PRODUCTS)
        assert products <= most, f"{name} {args[3:]} does more than {most} matrix products"


def _demand_right(compare, draw, x):
    """Right first, then fast."""
    weights, gates = network_weights(draw), gated_weights(draw)

    def answers(impl):
        networks = [network(impl, weights, 0.0, word)(x) for word in ("relu", "gelu")]
        return *networks, gated(impl, gates)(x)

    compare(answers)


def _work(submission, name, args, x):
    return work_of(
        submission, lambda impl: usable(impl, getattr(impl, name)(*args)(x), x.shape, unlike=[x])
    )
