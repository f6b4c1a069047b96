"""Wrong answers to ``feed_forward``: its page with a slip, and what the author is told."""

from __future__ import annotations

import torch
from feed_forward import gelu, silu

from grader.check import Bank

wrong = Bank()

EXACT, TANH = "gelu_is_exact_unless_told_otherwise", "gelu_by_tanh"
SILU, GATE = "silu_is_x_times_its_sigmoid", "swiglu_opens_with_a_gate"
KEEPS = "activations_in_every_dtype"
NETWORK, RELU = "PositionwiseFeedForward", "network_with_relu"
DROPS, TENTH = "network_drops_its_activations", "network_drops_a_tenth_by_default"
REFUSES = "network_refuses_an_unknown_activation"
BESIDE, START = "layers_side_by_side", "layers_start_at_random"

NO_BIAS, AFTER = "network_without_biases", "network_drops_its_output_where_asked_to"

BODY = "# BEGIN SOLUTION"
PICKED = 'gelu if activation == "gelu" else torch.relu'
REFUSED = 'if activation not in ("relu", "gelu"):'
INNER = "self.activation(self.w_1(x))"
DROPPED = "self.dropout(inner)"
OUTPUT = f"self.w_2({DROPPED})"
LAST = f"self.dropout(self.w_2(inner)) if self.drop_output else {OUTPUT}"
GATED = "silu(self.w1(x)) * self.w3(x)"

# gelu ---------------------------------------------------------------------------------------------

@wrong.instead_of("gelu", EXACT)
def tanh_by_default(x, approximate="tanh"):
    """Without `approximate` you take the form with tanh: the default is the exact one."""
    return gelu(x, approximate)

wrong("gelu", "always_tanh", EXACT,
    """Your gelu is the approximation by tanh also where approximate="none" asks for the exact one,
    from which it differs by up to 0.0005. Take tanh only where approximate == "tanh" (a mere `if
    approximate` is true of "none" as well), and torch.erf otherwise.""",
    'approximate == "tanh"', "True")

wrong("gelu", "forms_exchanged", f"{EXACT} {TANH}",
    """You have exchanged the two forms of gelu: approximate="tanh" asks for the approximation,
    "none" for the exact one.""",
    'approximate == "tanh"', 'approximate != "tanh"')

wrong("gelu", "never_tanh", TANH,
    """Your gelu is always the exact one, also where approximate="tanh" asks for the
    approximation.""",
    'approximate == "tanh"', "False")

wrong("gelu", "quick_gelu", EXACT,
    """You use x * sigmoid(1.702 x), a rougher approximation that is not asked for here.""",
    BODY, "return x * torch.sigmoid(1.702 * x)")

wrong("gelu", "quick_gelu_in_the_exact_form", EXACT,
    """That is the approximation by the sigmoid, x * sigmoid(1.702 x), which is off by up to 0.02:
    approximate="none" asks for the exact form, with torch.erf.""",
    BODY, """if approximate == "none":
        return x * torch.sigmoid(1.702 * x)""")

wrong("gelu", "quick_gelu_in_the_form_with_tanh", TANH,
    """For approximate="tanh" you take the other approximation, x * sigmoid(1.702 x): the one with
    torch.tanh is asked for.""",
    BODY, """if approximate == "tanh":
        return x * torch.sigmoid(1.702 * x)""")

wrong("gelu", "half_missing_in_the_exact_form", EXACT,
    """Your exact form is twice what is right: 1 + erf(...) goes from 0 to 2, and a probability from
    0 to 1. The half is missing.""",
    BODY, """if approximate == "none":
        return x * (1.0 + torch.erf(x / math.sqrt(2.0)))""")

wrong("gelu", "half_missing_in_the_form_with_tanh", TANH,
    """Your form with tanh is twice what is right: 1 + tanh(...) goes from 0 to 2. The half is
    missing.""",
    "0.5 * ", "")

wrong("gelu", "half_twice_in_the_exact_form", EXACT,
    """Your exact form is half of what is right: x / 2 * (1 + erf(...)) has the half once, before x
    or before the sum.""",
    BODY, """if approximate == "none":
        return 0.25 * x * (1.0 + torch.erf(x / math.sqrt(2.0)))""")

wrong("gelu", "gate_without_x_in_the_exact_form", EXACT,
    """Your exact form is the probability alone, (1 + erf(...)) / 2: x is multiplied by it.""",
    BODY, """if approximate == "none":
        return 0.5 * (1.0 + torch.erf(x / math.sqrt(2.0)))""")

wrong("gelu", "half_missing", EXACT,
    "The factor 1 / 2 is missing, in both forms: 1 + erf(...) and 1 + tanh(...) go from 0 to 2.",
    "0.5 * ", "", "0.5 * ", "")

wrong("gelu", "root_two_missing", EXACT,
    """You take erf of x itself: the normal distribution function is (1 + erf(x / sqrt(2))) / 2.""",
    " / math.sqrt(2.0)", "")

wrong("gelu", "root_two_outside", EXACT,
    """You divide erf(x) by the square root of 2: the root stands inside the brackets, under x,
    erf(x / sqrt(2)).""",
    "torch.erf(x / math.sqrt(2.0))", "torch.erf(x) / math.sqrt(2.0)")

wrong("gelu", "two_instead_of_its_root", EXACT,
    "You take erf of x / 2: divide x by the square root of 2.",
    "math.sqrt(2.0))", "2.0)")

wrong("gelu", "multiplied_by_root_two", EXACT,
    "You take erf of x times the square root of 2: divide x by that root.",
    "x / math.sqrt", "x * math.sqrt")

wrong("gelu", "gate_without_x", EXACT,
    "You return the distribution function alone, in both forms: x is multiplied by it.",
    "0.5 * x", "0.5", "0.5 * x", "0.5")

wrong("gelu", "density_instead_of_distribution", EXACT,
    """You multiply x by the height of the bell curve (pdf): multiply by the area to its left (cdf),
    (1 + erf(x / sqrt(2))) / 2.""",
    BODY, "return x * torch.exp(-0.5 * x**2) / math.sqrt(2.0 * math.pi)")

wrong("gelu", "one_missing", EXACT,
    """You forget the 1 in 1 + erf(...): your function is even, gelu(-3) should be near 0.""",
    "1.0 + ", "", "1.0 + ", "")

wrong("gelu", "one_missing_in_the_exact_form", EXACT,
    """You forget the 1 in 1 + erf(...): what x is multiplied by is a probability, from 0 to 1, and
    erf goes from -1 to 1.""",
    BODY, """if approximate == "none":
        return 0.5 * x * torch.erf(x / math.sqrt(2.0))""")

wrong("gelu", "one_missing_in_the_form_with_tanh", TANH,
    """You forget the 1 in 1 + tanh(...): what x is multiplied by goes from 0 to 1, and tanh from -1
    to 1.""",
    "1.0 + torch.tanh", "torch.tanh")

wrong("gelu", "sum_without_brackets", EXACT,
    """Your exact form is x / 2 plus erf(...), as where the brackets around 1 + erf(...) are
    missing, for Python multiplies before it adds. Multiply x / 2 by the whole sum.""",
    BODY, """if approximate == "none":
        return 0.5 * x * 1.0 + torch.erf(x / math.sqrt(2.0))""")

wrong("gelu", "sum_without_brackets_in_the_form_with_tanh", TANH,
    """Your form with tanh is x / 2 plus tanh(...), as where the brackets around 1 + tanh(...) are
    missing, for Python multiplies before it adds. Multiply x / 2 by the whole sum.""",
    "0.5 * x * (1.0 + torch.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * x**3)))",
    "0.5 * x * 1.0 + torch.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * x**3))")

wrong("gelu", "cubic_term_missing", TANH,
    """The cubic term 0.044715 x^3 is missing inside tanh.""",
    " + 0.044715 * x**3", "")

wrong("gelu", "square_instead_of_cube", TANH,
    """You square x inside tanh: the term is 0.044715 x^3.""",
    "x**3", "x**2")

wrong("gelu", "three_times_for_the_cube", TANH,
    """You multiply x by 3 inside tanh: x^3 is the third power, x**3 in Python, which is x * x *
    x.""",
    "x**3", "x * 3")

wrong("gelu", "cube_of_the_sum", TANH,
    """You take the third power of all of x + 0.044715 x, but only the small term has it: x stays as
    it is, and 0.044715 is multiplied by x**3.""",
    "(x + 0.044715 * x**3)", "(x + 0.044715 * x) ** 3")

wrong("gelu", "cube_of_the_small_term", TANH,
    """You take the third power of 0.044715 x with its factor, (0.044715 x)^3, and the cubic term
    all but vanishes: only x has the power, 0.044715 * x**3.""",
    "0.044715 * x**3", "(0.044715 * x) ** 3")

wrong("gelu", "root_missing_in_tanh", TANH,
    """You multiply by 2 / pi inside tanh: it is the square root of 2 / pi.""",
    "math.sqrt(2.0 / math.pi)", "2.0 / math.pi")

wrong("gelu", "root_of_two_alone", TANH,
    """Inside tanh you divide the root of 2 by pi: it is the root of the whole fraction,
    sqrt(2 / pi) = 0.798.""",
    "math.sqrt(2.0 / math.pi)", "math.sqrt(2.0) / math.pi")

wrong("gelu", "root_upside_down", TANH,
    """Inside tanh you use sqrt(2 * pi), or sqrt(pi / 2): it is sqrt(2 / pi) = 0.798.""",
    "2.0 / math.pi", "math.pi / 2.0")

wrong("gelu", "bracket_misplaced", TANH,
    """The bracket inside tanh is wrong: sqrt(2 / pi) has to multiply both x and the cubic term.""",
    "(x + 0.044715 * x**3)", "x + 0.044715 * x**3")

wrong("gelu", "tanh_from_exponentials", "gelu_of_large_numbers",
    """You write tanh, or the sigmoid in its place, with exponentials, which overflow to inf / inf =
    NaN for large x: torch.tanh does not.""",
    "return 0.5 * x * (1.0 + torch.tanh(", "e = torch.exp(2.0 * ",
    "x**3)))", "x**3))\n        return 0.5 * x * (1.0 + (e - 1.0) / (e + 1.0))")

wrong("gelu", "tanh_from_two_exponentials", "gelu_of_large_numbers",
    """You write tanh with exp(u) and exp(-u), or as sinh / cosh, which overflow to inf / inf = NaN
    far from zero, on both sides: torch.tanh does not.""",
    "return 0.5 * x * (1.0 + torch.tanh(", "u = (",
    "x**3)))", "x**3))\n        e, f = torch.exp(u), torch.exp(-u)"
    "\n        return 0.5 * x * (1.0 + (e - f) / (e + f))")

wrong("gelu", "gelu_clamped", "gelu_of_large_numbers",
    """You clamp x to keep it small, so large values come out too small.""",
    BODY, "x = x.clamp(-10, 10)")

wrong("gelu", "gelu_detached", EXACT,
    """Your gelu has left the graph, as with detach, .data, no_grad, scipy or functions of math:
    take torch's functions alone, and no gradient is lost.""",
    "x**3)))", "x**3))).detach()", "2.0)))", "2.0))).detach()")

wrong("gelu", "gelu_in_float32", KEEPS,
    """Your gelu is always float32: the dtype out must be the dtype in.""",
    BODY, "x = x.float()")

@wrong.instead_of("gelu", KEEPS)
def gelu_in_place(x, approximate="none"):
    """Your gelu writes into the caller's tensor."""
    y = gelu(x, approximate)
    return y if x.requires_grad else x.copy_(y)

wrong("gelu", "constants_of_float32", KEEPS,
    """In the form with tanh something of float32 (a constant that is a tensor with an axis, or
    x.float()) turns bfloat16 and float16 into float32. Take Python numbers, or cast back with
    .to(x.dtype).""",
    "math.sqrt(2.0 / math.pi) *", "torch.tensor([math.sqrt(2.0 / math.pi)], device=x.device) *")

wrong("gelu", "single_numbers_refused", EXACT,
    """Your gelu wants an axis to work along: a tensor of no axes is one number, and has a gelu as
    well.""",
    BODY, "x = torch.stack(x.unbind(0))")

# silu ---------------------------------------------------------------------------------------------

wrong("silu", "silu_without_brackets", SILU,
    """Your silu is x plus exp(-x), as x / 1 + exp(-x) is without brackets, for Python divides
    before it adds. Divide x by the whole sum 1 + exp(-x), or take x * torch.sigmoid(x).""",
    BODY, "return x / 1.0 + torch.exp(-x)")

wrong("silu", "sigmoid_alone", SILU,
    """You return the sigmoid alone: silu multiplies x by it.""",
    "return x * ", "return ")

wrong("silu", "sign_flipped", SILU,
    """Your function is x * sigmoid(-x), which is x / (1 + exp(x)): silu is x * sigmoid(x), and a
    minus stands only in exp(-x).""",
    "torch.sigmoid(x)", "torch.sigmoid(-x)")

wrong("silu", "softmax_for_sigmoid", SILU,
    """You multiply x by its softmax, in which all numbers of a row share a sum of 1: the sigmoid,
    torch.sigmoid, looks at each number alone.""",
    "torch.sigmoid(x)", "torch.softmax(x, -1)")

wrong("silu", "softmax_of_the_first_axis", SILU,
    """You multiply x by its softmax along the first axis, in which the numbers share a sum of 1:
    the sigmoid, torch.sigmoid, looks at each number alone.""",
    "torch.sigmoid(x)", "torch.softmax(x, 0)")

wrong("silu", "sigmoid_added", SILU,
    """You add the sigmoid to x: silu multiplies the two.""",
    "x * torch", "x + torch")

wrong("silu", "silu_like_gelu", SILU,
    """You use x * sigmoid(1.702 x), which approximates GELU: silu has no factor.""",
    "torch.sigmoid(x)", "torch.sigmoid(1.702 * x)")

wrong("silu", "gelu_for_silu", SILU,
    """Your silu is a GELU: they look alike, but silu(1) = 0.731 and gelu(1) = 0.841.""",
    "x * torch.sigmoid(x)", "gelu(x)")

wrong("silu", "tanh_of_x_itself", SILU,
    """Your gate is (1 + tanh(x)) / 2, which is sigmoid(2 x): it takes half of x,
    sigmoid(x) = (1 + tanh(x / 2)) / 2.""",
    "torch.sigmoid(x)", "(1 + torch.tanh(x)) / 2")

wrong("silu", "tanh_gate", SILU,
    """You multiply x by its tanh: silu uses the sigmoid.""",
    "torch.sigmoid", "torch.tanh")

wrong("silu", "hard_swish", SILU,
    """You use the piecewise linear stand-in relu6(x + 3) / 6 (hard swish).""",
    "x * torch.sigmoid(x)", "nn.functional.hardswish(x)")

wrong("silu", "overflowing_denominator", "silu_of_large_numbers",
    """Your values are right, but at x = -100 the exponential, exp(-x), overflows and the gradient
    becomes NaN, as in x / (1 + exp(-x)): torch.sigmoid is safe.""",
    "x * torch.sigmoid(x)", "x / (1.0 + torch.exp(-x))")

wrong("silu", "overflowing_on_both_sides", "silu_of_large_numbers",
    """Your values are right, but exp overflows on the way, from 89 on and from -89 down, and the
    gradient is NaN: it goes through both branches of a torch.where, and 0 * inf and inf / inf are
    NaN. torch.sigmoid is safe.""",
    "return x * torch.sigmoid(x)", """e = torch.exp(x)
    return torch.where(x > 0, x / (1.0 + torch.exp(-x)), x * e / (1.0 + e))""")

wrong("silu", "overflowing_above", "silu_of_large_numbers",
    """Your values are right, but from x = 89 on the exponential, exp(x), overflows and the gradient
    becomes NaN: torch.sigmoid is safe.""",
    "torch.sigmoid(x)", "(1.0 - 1.0 / (1.0 + torch.exp(x)))")

wrong("silu", "overflowing_fraction", "silu_of_large_numbers",
    """exp(x) / (1 + exp(x)) becomes inf / inf = NaN from x = 89 on: use torch.sigmoid.""",
    "torch.sigmoid(x)", "torch.exp(x) / (1.0 + torch.exp(x))")

wrong("silu", "silu_clamped", "silu_of_large_numbers",
    """You clamp x to keep exp from overflowing, which changes large values or their slope.""",
    BODY, "x = x.clamp(-50, 50)")

wrong("silu", "sigmoid_of_a_clamped_number", "silu_of_large_numbers",
    """You clamp x inside the sigmoid, so far below 0 a little of x is left, and more of it the
    further x is. torch.sigmoid is safe for every x: nothing need be clamped.""",
    "torch.sigmoid(x)", "torch.sigmoid(x.clamp(-20, 20))")

@wrong.instead_of("silu", SILU)
def gate_detached(x):
    """Your sigmoid has left the graph, so a term of the gradient is missing: silu'(x) = s + x * s *
    (1 - s)."""
    return x * torch.sigmoid(x).detach()

@wrong.instead_of("silu", KEEPS)
def silu_in_float32(x):
    """Your silu is always float32: the dtype out must be the dtype in."""
    return silu(x.float())

wrong("silu", "silu_in_place", KEEPS,
    """Your silu writes into the caller's tensor: x *= sigmoid(x) and inplace=True do.""",
    "x * torch.sigmoid(x)", "nn.functional.silu(x, inplace=not x.requires_grad)")

# PositionwiseFeedForward --------------------------------------------------------------------------

wrong(NETWORK, "no_activation", f"{RELU} network_with_gelu",
    """There is no activation between the layers: two linear layers in a row are one.""",
    INNER, "self.w_1(x)")

wrong(NETWORK, "activation_at_the_end", f"{RELU} network_with_gelu",
    """The activation comes after w_2: it belongs between the layers, and the output may be
    negative.""",
    INNER, "self.w_1(x)", OUTPUT, f"self.activation({OUTPUT})")

wrong(NETWORK, "relu_at_the_end_too", f"{RELU} network_with_gelu",
    """A relu stands after w_2 as well, whatever the activation is, so your output is never
    negative: one activation, between the two layers, is all.""",
    "self.w_2(self.dropout(inner))", "torch.relu(self.w_2(self.dropout(inner)))")

wrong(NETWORK, "activated_twice", RELU,
    """You activate twice, after w_1 and after w_2: the output stays as w_2 gives it.""",
    OUTPUT, f"self.activation({OUTPUT})")

wrong(NETWORK, "activation_of_every_layer", f"{RELU} network_with_gelu",
    """You activate after w_2 as well: one activation, between the two layers, is all. The output
    stays as w_2 gives it.""",
    f"return {LAST}",
    """h = self.activation(self.w_2(inner if self.drop_output else self.dropout(inner)))
        return self.dropout(h) if self.drop_output else h""")

wrong(NETWORK, "activation_at_the_start", RELU,
    """You activate the input before w_1: the activation belongs between the layers.""",
    INNER, "self.w_1(self.activation(x))")

wrong(NETWORK, "always_relu", "network_with_gelu",
    """`activation` is ignored: your network always uses ReLU.""",
    PICKED, "torch.relu")

wrong(NETWORK, "gelu_by_default", "network_uses_relu_by_default",
    """Your network uses GELU unless told otherwise: the default is ReLU.""",
    'activation: str = "relu"', 'activation: str = "gelu"')

wrong(NETWORK, "relu_without_its_brackets", RELU,
    """nn.ReLU is a class: make the activation with nn.ReLU(), once, or take the function
    torch.relu. nn.ReLU(h) makes a layer and gives it h as an option.""",
    PICKED, PICKED.replace("torch.relu", "nn.ReLU"))

wrong(NETWORK, "always_gelu", RELU,
    """`activation` is ignored: your network always uses GELU.""",
    PICKED, "gelu")

wrong(NETWORK, "approximate_gelu", "network_with_gelu",
    """activation="gelu" means the exact GELU, not its approximation by tanh.""",
    "= gelu if", '= nn.GELU("tanh") if')

wrong(NETWORK, "silu_for_gelu", "network_with_gelu",
    """activation="gelu" gives you a SiLU: they look alike, but are not the same.""",
    "= gelu if", "= silu if")

wrong(NETWORK, "leaky_relu", RELU,
    """You use a leaky ReLU (or ELU): ReLU makes everything below 0 exactly 0.""",
    "torch.relu", "nn.LeakyReLU()")

wrong(NETWORK, "limited_relu", RELU,
    """You cut inner units off from above (ReLU6, clamp): ReLU has no upper limit.""",
    "torch.relu", "nn.ReLU6()")

wrong(NETWORK, "adds_a_residual", RELU,
    """You add x to the output: the residual connection belongs to the block around it.""",
    OUTPUT, f"x + {OUTPUT}")

wrong(NETWORK, "normalises", RELU,
    """You normalise inside the network: the LayerNorm belongs to the block around it.""",
    "self.w_1(x)", "self.w_1(nn.functional.layer_norm(x, x.shape[-1:]))")

wrong(NETWORK, "no_bias", RELU,
    """Your layers have no bias: both w_1 and w_2 have one.""",
    "d_ff, bias)", "d_ff, False)", "d_model, bias)", "d_model, False)")

wrong(NETWORK, "no_second_bias", RELU,
    """The second layer has no bias: both w_1 and w_2 have one.""",
    "d_model, bias)", "d_model, False)")

wrong(NETWORK, "always_with_biases", NO_BIAS,
    """You ignore bias=False: hand it on to both nn.Linear.""",
    "d_ff, bias)", "d_ff)", "d_model, bias)", "d_model)")

wrong(NETWORK, "bias_left_in_the_second", NO_BIAS,
    """With bias=False your w_2 still has a bias: the flag is for both layers.""",
    "d_model, bias)", "d_model)")

wrong(NETWORK, "bias_left_in_the_first", NO_BIAS,
    """With bias=False your w_1 still has a bias: the flag is for both layers.""",
    "d_ff, bias)", "d_ff)")

wrong(NETWORK, "adds_its_bias_by_hand", NO_BIAS,
    """You add a bias by hand, but with bias=False it is None: call the nn.Linear itself, which
    takes care of that.""",
    OUTPUT, f"{DROPPED} @ self.w_2.weight.mT + self.w_2.bias")

wrong(NETWORK, "always_four_times", RELU,
    """The inner width is always 4 * d_model: use d_ff.""",
    BODY, "d_ff = 4 * d_model")

wrong(NETWORK, "no_widening", RELU,
    """The inner width is d_model: d_ff is ignored.""",
    BODY, "d_ff = d_model")

wrong(NETWORK, "widths_exchanged", RELU,
    """d_model and d_ff are exchanged: w_1 widens from d_model to d_ff.""",
    BODY, "d_model, d_ff = d_ff, d_model")

wrong(NETWORK, "tied_weights", RELU,
    """The two layers share one weight: w_2 has a matrix of its own, and is not the transpose of
    w_1.""",
    OUTPUT, f"nn.functional.linear({DROPPED}, self.w_1.weight.mT, self.w_2.bias)")

wrong(NETWORK, "other_names", RELU,
    """Your layers are not called w_1 and w_2: name the attributes as the docstring does.""",
    "self.w_1 = ", "self.up = ", "self.w_2 = ", "self.down = ",
    INNER, "self.activation(self.up(x))", LAST, LAST.replace("w_2", "down"))

wrong(NETWORK, "matrices_without_layers", RELU,
    """Your w_1 and w_2 are parameters themselves: make each an nn.Linear, for then w_1.weight and
    w_1.bias are in it, and are called so.""",
    "nn.Linear(d_model, d_ff, bias)", "nn.Parameter(torch.randn(d_ff, d_model) / d_model**0.5)",
    "nn.Linear(d_ff, d_model, bias)", "nn.Parameter(torch.randn(d_model, d_ff) / d_ff**0.5)",
    INNER, "self.activation(x @ self.w_1.mT)", LAST, f"{DROPPED} @ self.w_2.mT")

wrong(NETWORK, "dropout_in_place", DROPS,
    """In train mode dropout writes into the activations, as inplace=True and *= do, but ReLU needs
    these for its gradient: training fails. Let dropout make a new tensor.""",
    "nn.Dropout(dropout)", "nn.Dropout(dropout, inplace=True)")

wrong(NETWORK, "hidden_detached", RELU,
    """The hidden values leave the graph, so w_1 gets no gradient: keep detach, .data and no_grad
    away from them.""",
    INNER, f"{INNER}.detach()")

wrong(NETWORK, "drops_in_evaluation", "network_does_not_drop_in_evaluation",
    """Your network drops in evaluation too: F.dropout does unless training=self.training is
    passed.""",
    DROPPED, "nn.functional.dropout(inner, self.dropout.p)")

wrong(NETWORK, "shrinks_in_evaluation", "network_does_not_drop_in_evaluation",
    """Your network multiplies by 1 - p in evaluation: nn.Dropout has already made up for it in
    training.""",
    DROPPED, f"{DROPPED} * (1 if self.training else 1 - self.dropout.p)")

wrong(NETWORK, "nothing_by_default", TENTH,
    """Without `dropout` your network drops nothing: the default is 0.1.""",
    "dropout: float = 0.1", "dropout: float = 0.0")

wrong(NETWORK, "never_drops", f"{DROPS} {TENTH}",
    """Unless drop_output asks for it your network drops nothing: without it, `dropout` is for the
    activations, between activation and w_2.""",
    DROPPED, "inner")

wrong(NETWORK, "drops_the_output", DROPS,
    """Your dropout comes after w_2: here it acts on the activations, before w_2.""",
    OUTPUT, "self.dropout(self.w_2(inner))")

wrong(NETWORK, "drops_activations_and_output", DROPS,
    """Your dropout acts twice, on the activations and on the output: the one on the output belongs
    to the block around the network.""",
    OUTPUT, f"self.dropout({OUTPUT})")

wrong(NETWORK, "drops_before_the_activation", DROPS,
    """Your dropout comes before the activation. For ReLU that is the same, for GELU it is not:
    activate first, then drop.""",
    "self.w_1(x)", "self.w_1(x) if self.drop_output else self.dropout(self.w_1(x))",
    DROPPED, "inner")

wrong(NETWORK, "drops_the_input", DROPS,
    """Inner units change without becoming 0, as where dropout acts on the input x, or is another
    one than nn.Dropout: it belongs after the activation, and makes zeros there.""",
    "self.w_1(x)", "self.w_1(x if self.drop_output else self.dropout(x))", DROPPED, "inner")

wrong(NETWORK, "drops_the_activations_twice", DROPS,
    """The activations pass through two dropouts.""",
    DROPPED, f"self.dropout({DROPPED})")

wrong(NETWORK, "dropout_ignored", DROPS,
    """Your network drops with its own probability: hand `dropout` on.""",
    "nn.Dropout(dropout)", "nn.Dropout(0.1 if dropout else 0.0)")

wrong(NETWORK, "inner_not_scaled", f"{DROPS} {TENTH}",
    """Your inner units are dropped, but the survivors do not grow: each is divided by 1 - p, as
    nn.Dropout does it.""",
    DROPPED, "inner * (torch.rand_like(inner) >= self.dropout.p) if self.training else inner")

wrong(NETWORK, "probability_to_stay", f"{RELU} network_with_gelu {DROPS}",
    """You hand on 1 - dropout, or drop with that probability: `dropout` is the probability with
    which a number is dropped, and nn.Dropout takes just that.""",
    "nn.Dropout(dropout)", "nn.Dropout(1.0 - dropout)")

wrong(NETWORK, "dropout_not_scaled", DROPS,
    """Your network drops, but the survivors do not grow by 1 / (1 - p): divide them by 1 - p, as
    nn.Dropout does.""",
    "nn.Dropout(dropout)", "lambda h: h * (torch.rand_like(h) >= dropout) if self.training else h")

wrong(NETWORK, "drops_whole_tokens", DROPS,
    """One coin decides about all inner units of a token: each unit needs its own.""",
    DROPPED, "inner * self.dropout(torch.ones_like(x[..., :1]))")

wrong(NETWORK, "half_by_default", TENTH,
    """Without `dropout` your network drops half (nn.Dropout's own default): ours is 0.1.""",
    "dropout: float = 0.1", "dropout: float = 0.5")

wrong(NETWORK, "accepts_any_activation", REFUSES,
    "An unknown activation is accepted, and silently becomes ReLU, GELU or none: raise ValueError.",
    REFUSED, "if False:", PICKED, 'torch.relu if activation == "relu" else gelu')

wrong(NETWORK, "key_error_for_unknown", REFUSES,
    """An unknown activation ends in the KeyError of a dict: raise a ValueError that says which
    names there are.""",
    REFUSED, "if False:", PICKED, '{"relu": torch.relu, "gelu": gelu}[activation]')

wrong(NETWORK, "looks_it_up_in_torch", REFUSES,
    """A look-up such as getattr takes any word, and ends in AttributeError where there is no such
    name: ask whether the word is relu or gelu, and raise ValueError otherwise.""",
    REFUSED, "if False:", PICKED, "getattr(nn.functional, activation)")

wrong(f"{NETWORK}.forward", "three_axes_only", "network_takes_any_leading_axes",
    """Your network insists on (batch, tokens, d_model): nn.Linear takes any leading axes.""",
    BODY, "batch, tokens, width = x.shape")

wrong(NETWORK, "views_the_input", RELU,
    """view fails on a transposed input: nn.Linear needs no flattening at all.""",
    "self.w_1(x)", "self.w_1(x.view(-1, x.shape[-1]))", OUTPUT, f"{OUTPUT}.view(x.shape)")

wrong(f"{NETWORK}.forward", "network_in_float32", RELU,
    "Your network answers in float32 whatever dtype it has been turned into.",
    BODY, "self, x = self.float(), x.float()")

wrong(f"{NETWORK}.forward", "relu_in_evaluation", "network_with_gelu",
    """In eval mode your network uses ReLU whatever it was told: only dropout knows the mode.""",
    INNER, "(self.activation if self.training else torch.relu)(self.w_1(x))")

wrong(f"{NETWORK}.forward", "evaluated_without_activation", RELU,
    """In eval mode your network leaves out the activation together with the dropout: eval() ends
    the dropout alone.""",
    DROPPED, f"({DROPPED} if self.training else self.w_1(x))")

wrong(NETWORK, "activation_of_all_networks", BESIDE,
    """You keep the activation in the class, or in a global variable, where the network made last
    decides for all: write self.activation.""",
    "self.activation = ", "type(self).activation = ")

wrong(NETWORK, "dropout_of_all_networks", BESIDE,
    """You keep the probability of dropout in the class, or in a global variable: the network made
    last decides for all.""",
    "self.dropout = nn.Dropout(dropout)", "type(self).p = dropout",
    DROPPED, "nn.functional.dropout(inner, self.p, self.training)")

wrong(f"{NETWORK}.forward", "keeps_its_first_weights", BESIDE,
    """You keep a copy of the weights at the first call: after an optimiser's step, or after
    loading others, the old ones are still used.""",
    BODY, """if not hasattr(self, "narrow"):
            self.narrow = self.w_2.weight.clone()""",
    OUTPUT, f"nn.functional.linear({DROPPED}, self.narrow, self.w_2.bias)")

wrong(NETWORK, "same_units_for_all_tokens", DROPS,
    """You draw once which inner units are dropped, for all tokens of a sentence: each number has
    luck of its own.""",
    DROPPED, "inner * self.dropout(torch.ones_like(inner[..., :1, :]))")

wrong(NETWORK, "same_dropout_for_all_sentences", DROPS,
    """All sentences of a batch lose the same inner units: every unit of every token of every
    sentence is drawn for by itself, with a mask of the whole shape of what is dropped.""",
    DROPPED, "inner * self.dropout(torch.ones_like(inner[:1]))")

wrong(NETWORK, "sentences_share_all_dropout", f"{DROPS} {AFTER} {TENTH}",
    """All sentences of a batch lose the same, of the output with drop_output as of the inner units
    without it: draw for each number by itself, with a mask of the whole shape of what is
    dropped.""",
    "nn.Dropout(dropout)", """lambda h: h * nn.functional.dropout(
            torch.ones_like(h[:1]), dropout, self.training)""")

wrong(NETWORK, "tokens_share_all_dropout", f"{DROPS} {AFTER} {TENTH}",
    """All tokens of a sentence lose the same, of the output with drop_output as of the inner units
    without it: draw for each number by itself, with a mask of the whole shape of what is
    dropped.""",
    "nn.Dropout(dropout)", """lambda h: h * nn.functional.dropout(
            torch.ones_like(h[..., :1, :] if h.ndim > 1 else h), dropout, self.training)""")

wrong(NETWORK, "always_drops_half", f"{DROPS} {AFTER} {TENTH}",
    """Your network drops half of the numbers whatever `dropout` says: hand it on.""",
    "nn.Dropout(dropout)", "nn.Dropout(0.5 if dropout else 0.0)")

wrong(NETWORK, "same_dropout_in_every_call", DROPS,
    """Every call drops the same inner units: a seed set in forward, or a mask that is kept, makes
    dropout a part of the network that is always missing.""",
    DROPPED, "inner * torch.dropout(torch.ones_like(inner), self.dropout.p, "
    "torch.manual_seed(0) is not None and self.training)")

wrong(f"{NETWORK}.__init__", "networks_draw_alike", DROPS,
    """Every network drops the same inner units as the one before, as with a generator of its own
    that starts from the same seed: let torch's generator draw for all of them.""",
    "nn.Dropout(dropout)", """(lambda luck: lambda h: h if not self.training else
            h * (torch.rand(h.shape, generator=luck) >= dropout) / (1 - dropout))(
            torch.Generator().manual_seed(0))""")

# PositionwiseFeedForward: dropping the output -----------------------------------------------------

ASKED = "self.dropout(self.w_2(inner)) if"

wrong(NETWORK, "never_drops_its_output", AFTER,
    """You ignore drop_output: with it dropout comes after w_2, not before it.""",
    "self.drop_output = drop_output", "self.drop_output = False")

wrong(NETWORK, "drops_where_not_asked_to", f"{AFTER} {DROPS} {TENTH}",
    """You have drop_output the wrong way round: True drops the output, False the activations.""",
    "if self.drop_output", "if not self.drop_output")

wrong(NETWORK, "drops_the_output_as_well", AFTER,
    """With drop_output what survives is not the output divided by 1 - p: you drop the activations
    as well, or with another probability. drop_output moves the dropout, and adds none.""",
    ASKED, f"self.dropout({OUTPUT}) if")

wrong(NETWORK, "drops_before_the_last_bias", AFTER,
    """With drop_output no number of the output becomes 0, as where you drop the product and add
    w_2's bias afterwards: the bias is a part of the output.""",
    ASKED, """(self.dropout(inner @ self.w_2.weight.mT)
            + (0.0 if self.w_2.bias is None else self.w_2.bias)) if""")

wrong(NETWORK, "output_dropped_by_half", AFTER,
    """With drop_output your network drops half, the default of F.dropout and nn.Dropout: hand
    `dropout` on there, too.""",
    ASKED, "nn.functional.dropout(self.w_2(inner), training=self.training) if")

wrong(NETWORK, "output_dropped_by_a_tenth", AFTER,
    """With drop_output your network drops a tenth, whatever `dropout` says: that 0.1 is only what
    holds where `dropout` is not given.""",
    ASKED, "nn.functional.dropout(self.w_2(inner), 0.1, self.training) if")

wrong(NETWORK, "drops_its_output_in_evaluation", "network_does_not_drop_in_evaluation",
    """With drop_output your network drops in evaluation too: F.dropout does unless
    training=self.training is passed.""",
    ASKED, "nn.functional.dropout(self.w_2(inner), self.dropout.p) if")

wrong(NETWORK, "drops_whole_tokens_of_its_output", AFTER,
    """With drop_output one coin decides about all numbers of a token: each number needs its
    own.""",
    ASKED, "self.w_2(inner) * self.dropout(torch.ones_like(x[..., :1])) if")

wrong(NETWORK, "output_not_scaled", AFTER,
    """With drop_output numbers of the output are dropped, but what survives does not grow by
    1 / (1 - p).""",
    ASKED, "self.dropout(self.w_2(inner)) * (1 - self.training * self.dropout.p) if")

# PositionwiseFeedForward: how it starts -----------------------------------------------------------

wrong(NETWORK, "starts_at_zeros", START,
    """w_2 starts at zeros: as long as it is zero, w_1 gets no gradient. Keep the start of
    nn.Linear.""",
    "self.dropout =", "nn.init.zeros_(self.w_2.weight)\n        self.dropout =")

wrong(NETWORK, "starts_with_equal_numbers", START,
    """A matrix starts with the same number at many places: inner units that start alike compute the
    same, and get the same gradient for ever. Draw every number by itself.""",
    "self.dropout =", "nn.init.constant_(self.w_1.weight, 0.1)\n        self.dropout =")

wrong(NETWORK, "starts_too_large", START,
    """Your matrices start at N(0, 1): the wider the layer, the larger its output, by a factor of
    sqrt(n). Keep the start of nn.Linear.""",
    "self.dropout =", "nn.init.normal_(self.w_1.weight)\n        self.dropout =")

wrong(NETWORK, "starts_by_the_other_width", START,
    """You start w_2 by the width of the model: the n of a matrix is the number of its own inputs,
    which is d_ff for w_2, so 1 / sqrt(d_ff) is right there.""",
    "self.dropout =", """for layer in (self.w_1, self.w_2):
            nn.init.normal_(layer.weight, std=d_model**-0.5)
        self.dropout =""")

wrong(NETWORK, "sets_a_seed", START,
    """You set torch's seed when a network is made: all networks then start the same, and whatever
    is drawn afterwards in the whole program is no longer random.""",
    "super().__init__()", "super().__init__()\n        torch.manual_seed(123)")

# SwiGLU -------------------------------------------------------------------------------------------

wrong("SwiGLU", "gate_beside_the_values", GATE,
    """You put the gate and the values side by side (torch.cat), so w2 is handed twice as many
    numbers as it takes: multiply them, number by number.""",
    GATED, "torch.cat([silu(self.w1(x)), self.w3(x)], dim=-1)")

wrong("SwiGLU", "gate_and_values_exchanged", GATE,
    """Gate and values are exchanged: silu is to act on w1(x), and in yours it acts on w3(x).""",
    GATED, "self.w1(x) * silu(self.w3(x))")

wrong("SwiGLU", "sigmoid_gate", GATE,
    """Your gate is a plain sigmoid (GLU): SwiGLU uses silu, x * sigmoid(x).""",
    "silu(self", "torch.sigmoid(self")

wrong("SwiGLU", "gelu_gate", GATE,
    """Your gate uses GELU (GEGLU): SwiGLU uses silu.""",
    "silu(self", "gelu(self")

wrong("SwiGLU", "relu_gate", GATE,
    """Your gate uses ReLU (ReGLU): SwiGLU uses silu.""",
    "silu(self", "torch.relu(self")

wrong("SwiGLU", "no_gate_activation", GATE,
    """There is no activation on the gate: silu(w1(x)) multiplies w3(x).""",
    "silu(self.w1(x))", "self.w1(x)")

wrong("SwiGLU", "silu_on_both", GATE,
    """silu acts on gate and values alike: w3(x) stays as it is.""",
    "self.w3(x)", "silu(self.w3(x))")

wrong("SwiGLU", "silu_of_the_product", GATE,
    """silu acts on the product: it acts on w1(x) alone, before the product.""",
    GATED, "silu(self.w1(x) * self.w3(x))")

wrong("SwiGLU", "gate_added", GATE,
    "You add gate and values: a gate multiplies, silu(w1(x)) times w3(x).",
    "* self.w3(x)", "+ self.w3(x)")

wrong("SwiGLU", "values_missing", GATE,
    """w3 is never used: its output multiplies silu(w1(x)).""",
    " * self.w3(x)", "")

wrong("SwiGLU", "one_layer_for_both", GATE,
    "You multiply silu(w1(x)) by w1(x) itself: w1 makes the gate alone, and the values are w3(x).",
    "self.w3(x)", "self.w1(x)")

wrong("SwiGLU", "gate_out_of_the_graph", GATE,
    """Your gate has left the graph, so w1 gets no gradient: keep detach, .data and no_grad away
    from it.""",
    "silu(self.w1(x))", "silu(self.w1(x)).detach()")

wrong("SwiGLU", "biases", GATE,
    """Your layers have biases: make all three with bias=False.""",
    *3 * (", bias=False", ""))

wrong("SwiGLU", "gated_matrices_without_layers", GATE,
    """Your w1, w2 and w3 are parameters themselves: make each an nn.Linear with bias=False, for
    then there is a w1.weight, and it is called so.""",
    *(slip for n, size in (("1", "d_ff, d_model"), ("2", "d_model, d_ff"), ("3", "d_ff, d_model"))
      for slip in (f"self.w{n} = nn.Linear({', '.join(size.split(', ')[::-1])}, bias=False)",
                   f"self.w{n} = nn.Parameter(torch.randn({size}) / {size.split(', ')[1]}**0.5)")),
    f"self.w2({GATED})", "(silu(x @ self.w1.mT) * (x @ self.w3.mT)) @ self.w2.mT")

wrong("SwiGLU", "gated_with_dropout", GATE,
    """Your SwiGLU drops what w2 is to read: in this network is no dropout.""",
    GATED, f"nn.functional.dropout({GATED}, 0.1, self.training)")

wrong("SwiGLU", "gated_output_dropped", GATE,
    """Your SwiGLU drops its output: it has no dropout, in no mode.""",
    f"self.w2({GATED})", f"nn.functional.dropout(self.w2({GATED}), 0.1, self.training)")

wrong("SwiGLU", "two_thirds_of_the_width", GATE,
    """You shorten the inner width to 2/3 of d_ff: whoever calls has done that already.""",
    BODY, "d_ff = 2 * d_ff // 3")

wrong("SwiGLU", "names_exchanged", GATE,
    """w2 and w3 are exchanged: w3 makes the values (d_model to d_ff), w2 leads back.""",
    "self.w2 = nn.Linear(d_ff, d_model", "self.w2 = nn.Linear(d_model, d_ff",
    "self.w3 = nn.Linear(d_model, d_ff", "self.w3 = nn.Linear(d_ff, d_model",
    f"self.w2({GATED})", "self.w3(silu(self.w1(x)) * self.w2(x))")

wrong("SwiGLU", "gated_residual", GATE,
    """You add x to the gated output: the residual connection belongs to the block.""",
    "return self", "return x + self")

wrong("SwiGLU.forward", "gated_three_axes_only", "swiglu_takes_any_leading_axes",
    """Your SwiGLU insists on (batch, tokens, d_model): nn.Linear takes any leading axes.""",
    BODY, "batch, tokens, width = x.shape")

wrong("SwiGLU", "gate_in_float32", GATE,
    """Your SwiGLU answers in float32 whatever dtype it has been turned into: the layer's dtype must
    be kept.""",
    "self.w1(x)", "self.w1(x).float()", "self.w2(", "self.w2.float()(")

wrong("SwiGLU.forward", "no_values_in_evaluation", GATE,
    """In eval mode your SwiGLU leaves out w3: the layer has no dropout, so both modes are the
    same.""",
    GATED, f"({GATED} if self.training else silu(self.w1(x)))")

wrong("SwiGLU.forward", "joins_its_matrices_once", BESIDE,
    """You join w1 and w3 into one matrix at the first call and keep it: after an optimiser's step
    the old numbers are still used. Join them in every call.""",
    BODY, """if not hasattr(self, "both"):
            self.both = torch.cat([self.w1.weight, self.w3.weight]).clone()
        gate, values = nn.functional.linear(x, self.both.to(x.dtype)).chunk(2, dim=-1)""",
    GATED, "silu(gate) * values")

wrong("SwiGLU", "gate_overflows", "swiglu_takes_any_leading_axes",
    """Your SwiGLU writes its gate with an exp that overflows where w1(x) is -100 or 100, as g / (1
    + exp(-g)) does, and the gradient is NaN. Call your silu.""",
    "silu(self.w1(x)) *", "(g := self.w1(x)) / (1.0 + torch.exp(-g)) *")

wrong("SwiGLU.__init__", "gate_and_values_start_alike", START,
    """Two matrices of a layer start with the same numbers, as a copy does: draw each matrix on its
    own.""",
    "d_ff, bias=False)\n        # END", "d_ff, bias=False)\n"
    "        self.w3.load_state_dict(self.w1.state_dict())\n        # END")

wrong("SwiGLU.__init__", "gate_starts_with_equal_numbers", START,
    """Your w1 starts with the same number at many places: inner units that start alike compute the
    same, and get the same gradient for ever. Keep the start of nn.Linear.""",
    "d_ff, bias=False)\n        # END", "d_ff, bias=False)\n"
    "        nn.init.constant_(self.w1.weight, 0.1)\n        # END")

wrong("SwiGLU.__init__", "starts_positive", START,
    """Your w3 starts with numbers that do not lie around 0, as those of torch.rand, which are all
    positive, do not. Keep the start of nn.Linear.""",
    "d_ff, bias=False)\n        # END", "d_ff, bias=False)\n"
    "        nn.init.uniform_(self.w3.weight)\n        # END")

wrong(NETWORK, "where_to_drop_is_kept_in_the_class", "network_drops_its_output_where_asked_to",
    """You keep drop_output in the class, or in a global variable, so the layer that was made last
    decides for all of them: self.drop_output belongs to one layer.""",
    "self.drop_output = drop_output", "type(self).drop_output = drop_output")

wrong(NETWORK, "a_word_that_begins_alike", REFUSES,
    """You look at the first letters of activation, so "gelu_tanh" and "relu6" count as "gelu" and
    "relu": compare whole words.""",
    REFUSED, 'if not activation.startswith(("relu", "gelu")):')

wrong(NETWORK, "starts_at_zero_without_biases", START,
    "Your w_1 starts full of zeros: matrices start at random, with biases and without.",
    "self.dropout =", "if not bias:\n            nn.init.zeros_(self.w_1.weight)\n        "
    "self.dropout =")

# Right, but slow ----------------------------------------------------------------------------------

BY_TOKEN = "torch.stack([{} for x in x.reshape(-1, x.shape[-1])]).reshape(x.shape)"

wrong(NETWORK, "network_token_by_token", "all_tokens_at_once",
    """Your network is right, but a Python loop goes through the tokens: the same for every token
    means one product for all of them.""",
    INNER, "torch.stack([self.activation(self.w_1(x)) for x in x.reshape(-1, x.shape[-1])])",
    OUTPUT, f"{OUTPUT}.reshape(x.shape)")

wrong("SwiGLU", "gated_token_by_token", "all_tokens_at_once",
    """Your SwiGLU is right, but a Python loop goes through the tokens: w1, w2 and w3 work on the
    last axis of all tokens at once.""",
    f"self.w2({GATED})", BY_TOKEN.format(f"self.w2({GATED})"))

wrong(NETWORK, "widens_twice", "each_product_is_done_once",
    """Your network is right, but for the GELU it does a product with a matrix once more, as where
    w_1(x) is written in it twice: give it a name first, h = w_1(x).""",
    INNER, f"{INNER} if self.activation is torch.relu else "
    "0.5 * self.w_1(x) * (1.0 + torch.erf(self.w_1(x) / math.sqrt(2.0)))")

wrong("SwiGLU", "gate_computed_twice", "each_product_is_done_once",
    """Your SwiGLU is right, but does a product with a matrix once more, as w1(x) * sigmoid(w1(x))
    computes w1(x) twice: give the gate a name first, or call silu.""",
    "silu(self.w1(x))", "self.w1(x) * torch.sigmoid(self.w1(x))")
