"""Wrong answers to ``dropout``: its page with a slip, and what the author is told."""

from __future__ import annotations

import torch
from dropout import Dropout, dropout

from grader.check import Bank

wrong = Bank()

GROWN = "survivors_are_divided_by_the_chance_to_survive"
CHANCE, ONE = "p_is_the_probability_of_being_dropped", "p_one_drops_everything"
REFUSES = "refuses_what_is_no_probability"
GENERATOR, GRADIENTS = "the_generator_decides_the_mask", "gradients_pass_through_the_same_mask"
NEIGHBOURS, EVALUATION = "elements_are_dropped_independently", "evaluation_changes_nothing"
MODES, OWN_P = "layer_follows_train_and_eval", "layer_drops_with_its_p"
ALL = "layer_does_all_that_the_function_does"

RAND = "torch.rand(x.shape, generator=generator, device=x.device)"
FACTOR = "1.0 / (1.0 - p) if p < 1.0 else 0.0"
NOT_P = "not 0.0 <= p <= 1.0"
REFUSAL = 'raise ValueError(f"p is a probability, 0 <= p <= 1, not {p}")'
NO_TRAINING = "if not training:\n        return x\n"
TORCH_WITHOUT_GENERATOR = """if not training or generator is None:
        return nn.functional.dropout(x, p, training)
"""
LAYER = "return dropout(x, self.p, self.training)"
TORCHS_LAYER = "return dropout", "return nn.functional.dropout"

# Whoever has not come to the ends of the range divides by 1 - p, whatever p is.
wrong.up_to("dropout", "dropout", "* factor", "/ (1.0 - p)")

# The factor ---------------------------------------------------------------------------------------

wrong("dropout", "not_scaled", f"{GROWN} keeps_the_dtype",
    """You drop, but the survivors keep their value, so everything shrinks on average: multiply them
    by 1 / (1 - p).""",
    " * factor", "")

wrong("dropout", "shrinks_in_evaluation", EVALUATION,
    """You multiply by 1 - p in evaluation instead of dividing by it in training. That is the first
    published form; here evaluation leaves the values as they are.""",
    "return x\n", "return x * (1.0 - p)\n", " * factor", "")

wrong("dropout", "shrinks_in_evaluation_too", EVALUATION,
    """Out of training you multiply by 1 - p, although the survivors are divided by it in training:
    one of the two makes up for what is dropped, and here it is the division. Return x out of
    training.""",
    "return x\n", "return x * (1.0 - p)\n")

wrong("dropout", "scales_by_one_over_p", GROWN,
    """You multiply the survivors by 1 / p. A share of 1 - p survives, so the factor is 1 / (1 - p);
    at p = 0.5 both are the same.""",
    FACTOR, "1.0 / p if p > 0.0 else 1.0")

wrong("dropout", "multiplies_by_one_minus_p", GROWN,
    "You multiply the survivors by 1 - p where you should divide by it: they must grow.",
    FACTOR, "1.0 - p")

wrong("dropout", "multiplies_by_p", GROWN,
    "You multiply the survivors by p itself: the factor is 1 / (1 - p).",
    FACTOR, "p")

wrong("dropout", "always_doubles", GROWN,
    "You always double the survivors. That is right for p = 0.5 only: divide by 1 - p.",
    FACTOR, "2.0")

wrong("dropout", "divided_before_the_difference", f"example {GROWN}",
    """`x / 1 - p` is (x / 1) - p, for a division comes before a difference: put 1 - p in brackets,
    x / (1 - p).""",
    "x * keep * factor", "(x / 1.0 - p) * keep")

wrong("dropout", "p_subtracted_from_every_number", f"example {GROWN}",
    """Where an element is dropped, something else than 0 stands in your result, also where x is 0.
    (`x / 1 - p` would do that: Python divides first, and then subtracts p from every number.) A
    dropped element is 0, and the others are x / (1 - p), with brackets.""",
    "x * keep * factor", "x * keep / 1.0 - p")

wrong("dropout", "scales_by_the_square_root", GROWN,
    """You divide by the square root of 1 - p, which would keep the variance of inputs around zero:
    dropout keeps the average, so divide by 1 - p.""",
    "1.0 / (1.0 - p)", "(1.0 - p) ** -0.5")

wrong("dropout", "scales_twice", GROWN,
    """The survivors are divided by 1 - p twice, so they grow too much: look for the other place
    where it is done (x, the mask, the result), and divide once.""",
    " * factor", " * factor * factor")

wrong("dropout", "scales_by_the_actual_share", GROWN,
    """You divide by the share that happened to survive this time. The factor is fixed, 1 / (1 - p):
    otherwise the elements are not independent of one another.""",
    " * factor", " / keep.to(x.dtype).mean().clamp_min(1e-6)")

wrong("dropout", "restores_the_sum", GROWN,
    """Your factor depends on what happened to survive, as if each row had to keep its sum: it is
    1 / (1 - p) for every survivor, and only the average over many masks stays.""",
    "factor = 1.0 / (1.0 - p)", """total = (x * keep).sum(-1, keepdim=True)
    factor = torch.where(total == 0, 0.0, x.sum(-1, keepdim=True) / total)""")

# The chance ---------------------------------------------------------------------------------------

wrong("dropout", "keeps_with_probability_p", CHANCE,
    "You keep with probability p and drop with 1 - p. Here p is the probability of being dropped.",
    ">= p", "< p")

wrong("dropout", "p_means_keep_throughout", f"{CHANCE} {ONE}",
    """You take p for the probability of being kept, in the mask and in the factor: that is dropout
    with 1 - p.""",
    ">= p", "< p", FACTOR, "1.0 / p if p > 0.0 else 0.0")

wrong("dropout", "zero_taken_for_missing", "p_zero_keeps_everything",
    """At p = 0 your function drops something, as where `p or 0.5` takes 0 for `not given`: 0 is a
    value like any other.""",
    "if not 0.0", "p = p or 0.5\n    if not 0.0", *TORCHS_LAYER)

wrong("dropout", "bernoulli_of_one_number", CHANCE,
    """torch.bernoulli takes a tensor of probabilities and draws one number for each of them: a
    number alone has no shape. Give 1 - p the shape of x first, as torch.full_like does.""",
    "keep =", "if p == 1.0:\n        return x * 0.0\n    keep =",
    f"{RAND} >= p", "torch.bernoulli(1.0 - p, generator=generator)")

wrong("dropout", "random_numbers_made_of_x", CHANCE,
    """torch.rand takes a shape and not a tensor: hand it x.shape.""",
    "rand(x.shape", "rand(x")

wrong("dropout", "normal_random_numbers", CHANCE,
    """You compare p with normal random numbers (randn): they lie anywhere. Uniform ones between 0
    and 1 (rand) are below p with probability p.""",
    "torch.rand(", "torch.randn(")

wrong("dropout", "p_in_hundredths", CHANCE,
    """A p as small as 0.004 drops nothing: you take it for 0, or round it, as randint(0, 100)
    against 100 * p does. Compare p itself with numbers from torch.rand.""",
    ">= p", ">= int(100 * p) / 100")

wrong("dropout", "always_drops_half", CHANCE,
    "Your mask drops half of the elements whatever p is: compare the random numbers with p.",
    ">= p", ">= 0.5")

wrong("dropout", "drops_twice", CHANCE,
    """A share of 1 - (1 - p)^2 is lost, as where two masks are laid over each other: draw one, and
    drop with probability p.""",
    " * factor", f" * factor * ({RAND} >= p) * factor")

wrong("dropout", "never_drops", f"{CHANCE} every_call_draws_a_fresh_mask",
    "You never drop anything: in training, elements become zero with probability p.",
    "x * keep * factor", "x")

# Training and evaluation --------------------------------------------------------------------------

wrong("dropout", "training_reversed", f"{EVALUATION} {CHANCE}",
    "`training` is turned round: you drop in evaluation and not in training.",
    "not training", "training")

wrong("dropout", "divides_in_evaluation", EVALUATION,
    """You divide by 1 - p in both modes. The factor makes up for what was dropped, and out of
    training nothing is: return x there.""",
    "return x\n", "return x / (1.0 - p)\n")

wrong("dropout", "drops_in_evaluation", EVALUATION,
    "You drop in evaluation too: look at `training` (F.dropout drops unless told).",
    f"    {NO_TRAINING}", "")

wrong("dropout", "zeros_in_evaluation_at_one", EVALUATION,
    """You answer p = 1 with zeros out of training too. Look at `training` first: without it nothing
    changes, whatever p is.""",
    "if not training", "if p == 1.0:\n        return torch.zeros_like(x)\n    if not training")

wrong("dropout", "detached_in_evaluation", EVALUATION,
    """Out of training your result has left the graph: return x itself, or a clone that is not
    detached.""",
    "return x\n", "return x.detach().clone()\n")

wrong("dropout", "nothing_returned_in_evaluation", f"example {EVALUATION}",
    "Your function returns nothing out of training: `return x` is missing there.",
    "return x\n", "return\n")

# The mask -----------------------------------------------------------------------------------------

wrong("dropout", "returns_the_mask_too", "every_call_draws_a_fresh_mask",
    "You return the mask beside the result: one tensor was asked for.",
    "* factor", "* factor, keep")

wrong("dropout", "takes_the_survivors_out", f"{GROWN} {CHANCE}",
    """You pick the survivors out (x[keep]), so the result is shorter than x. A dropped element
    stays in its place and is 0: multiply x by the mask, or take torch.where.""",
    "x * keep * factor", "x[keep] * factor")

wrong("dropout", "returns_only_the_mask", GROWN,
    "You return the mask: multiply x by it.",
    "x * keep", "keep")

wrong("dropout", "drops_whole_rows", NEIGHBOURS,
    """You drop whole rows: one random number decides for the entire last axis. Draw one for every
    element.""",
    "rand(x.shape", "rand(x[..., :1].shape")

wrong("dropout", "drops_whole_features", NEIGHBOURS,
    """Your mask has the size of the last axis and is used for every row alike: draw one of the
    shape of x.""",
    "rand(x.shape", "rand(x.shape[-1]")

wrong("dropout", "one_mask_for_the_batch", NEIGHBOURS,
    """Your mask has the size of the last two axes, so all entries of a batch share it: draw one of
    the shape of x.""",
    "rand(x.shape", "rand(x.shape[-2:]", *TORCHS_LAYER)

wrong("dropout", "one_coin_for_everything", NEIGHBOURS,
    "One coin decides about the whole tensor: every element needs a coin of its own.",
    "rand(x.shape", "rand(()")

wrong("dropout", "one_mask_for_all_heads", NEIGHBOURS,
    """With four axes your mask is the same along the second one, so all heads of a sentence lose
    the same weights: draw one of the shape of x.""",
    "rand(x.shape", "rand(x[:, :1].shape if x.ndim == 4 else x.shape")

wrong("dropout", "one_mask_for_two_halves", NEIGHBOURS,
    """With a generator, elements are dropped together or in turn, as where the random numbers for
    one half of x are used for the other half again: every element needs a number of its own.""",
    "keep =", """if generator is not None and len(x) % 2 == 0:
        half = torch.rand(len(x) // 2, *x.shape[1:], generator=generator, device=x.device) >= p
        return x * torch.cat([half, half]) / (1.0 - min(p, 1.0 - 1e-9))
    keep =""")

wrong("dropout", "spares_the_first_row", NEIGHBOURS,
    """With three axes, some places along the first one are dropped more often than others, as where
    the first row is spared for a start token: every element has the same chance.""",
    "factor =", "keep = keep | (torch.arange(x.shape[0], device=x.device) == 0).view(\n        -1,"
    " *[1] * (x.ndim - 1)) if x.ndim > 2 else keep\n    factor =")

wrong("dropout", "mask_kept_for_its_shape", "every_call_draws_a_fresh_mask",
    """Without a generator, an input of the same shape gets the same mask again (kept from an
    earlier call, or drawn from a seed made of the shape): draw a new one in every call.""",
    "def dropout(", "MASKS = {}\n\n\ndef dropout(",
    "keep =", """if generator is None and (x.shape, p) in MASKS:
        return x * MASKS[x.shape, p].to(x)
    keep =""",
    "factor =", "MASKS[x.shape, p] = keep / (1.0 - p) if p < 1.0 else 0.0 * keep\n    factor =")

wrong("dropout", "drops_only_where_gradients_are", CHANCE,
    """You drop only if x asks for a gradient: what decides is `training`, and nothing else.""",
    "not training", "not training or not x.requires_grad")

wrong("dropout", "mask_on_the_cpu", "stays_on_the_device",
    """You make a tensor on the CPU wherever x is (random numbers, a mask or zeros), which fails on
    a GPU: pass device=x.device.""",
    ", device=x.device", "")

wrong("dropout", "drops_an_exact_number", "the_number_of_dropped_elements_varies",
    """You drop the same number of elements every time. Then the elements are not independent:
    decide about each by a random number of its own.""",
    "rand(x.shape", "rand(x.numel()",
    ">= p", ".argsort().argsort().view(x.shape) >= round(p * x.numel())")

# The generator ------------------------------------------------------------------------------------

wrong("dropout", "new_generator_in_every_call", "every_call_draws_a_fresh_mask",
    """Your random numbers start at the same place in every call: after a seed (torch.manual_seed),
    from a new torch.Generator(), or since the old state is set back afterwards (fork_rng,
    set_rng_state). Seed nothing, set nothing back, and pass `generator` on as it is: with None,
    torch's global generator is used.""",
    "generator=generator", "generator=generator or torch.Generator()", *TORCHS_LAYER)

wrong("dropout", "ignores_the_generator", GENERATOR,
    """You accept a generator, but your mask does not come from it, or not from it alone: hand it to
    whatever draws your mask, as generator=generator.""",
    "generator=generator, ", "")

wrong("dropout", "restarts_the_generator", GENERATOR,
    """A generator gives you the same numbers in every call: you start it again, set it back, or
    take only its seed or a copy of it. Hand it to torch.rand as it is, which moves it on.""",
    "=generator,", "=generator and generator.manual_seed(generator.initial_seed()),")

wrong("dropout", "own_seed_instead_of_the_generators", GENERATOR,
    """With a generator, your numbers do not depend on its seed: the caller's seed must decide. Hand
    the generator on as it is.""",
    "keep =", """if generator is not None and generator.initial_seed() != 0:
        generator.manual_seed(0)
    keep =""")

wrong("dropout", "a_generator_means_training", EVALUATION,
    """A generator makes you drop even out of training: it says where the mask comes from,
    `training` says whether there is one.""",
    "not training", "not training and generator is None")

wrong("dropout", "not_scaled_with_a_generator", GENERATOR,
    """With a generator, the survivors keep their value, while they grow without one: divide by 1 -
    p there, too.""",
    NO_TRAINING, TORCH_WITHOUT_GENERATOR, " * factor", "")

wrong("dropout", "zero_over_zero_with_a_generator", ONE,
    """With a generator you divide by 1 - p even where p = 1, and the result is NaN: treat p = 1 by
    itself there, too.""",
    NO_TRAINING, TORCH_WITHOUT_GENERATOR, "* factor", "/ (1.0 - p)")

wrong("dropout", "accepts_any_p_with_a_generator", REFUSES,
    """With a generator nobody looks at p in your function: raise ValueError at the top, before you
    look for a generator.""",
    REFUSAL, "pass", NO_TRAINING, TORCH_WITHOUT_GENERATOR)

wrong("dropout", "seeds_the_global_generator", "a_generator_leaves_the_global_one_alone",
    """You seed torch's global generator (or set its state) when you are given another: that
    disturbs everybody else who draws. Hand the one that is given to torch.rand.""",
    "keep =", """if generator is not None:
        torch.manual_seed(int(torch.randint(2**31, (), generator=generator)))
    keep =""", "generator=generator, ", "")

wrong("dropout", "seeds_the_global_generator_below_one", "a_generator_leaves_the_global_one_alone",
    """Where p is below 1 you seed torch's global generator, although you are given another: that
    disturbs everybody else who draws. Hand the one that is given to torch.rand.""",
    "keep =", """if generator is not None and p < 1:
        torch.manual_seed(int(torch.randint(2**31, (), generator=generator)))
    keep =""", "generator=generator, ", "")

wrong("dropout", "seeds_out_of_training", "a_generator_leaves_the_global_one_alone",
    """You seed torch's global generator (or set its state) where no chance is needed, as out of
    training: the next training step then repeats the numbers of an earlier one. Seed nothing.""",
    "return x\n", "torch.manual_seed(0)\n        return x\n")

# The ends of the range ----------------------------------------------------------------------------

wrong("dropout", "refuses_zero", "p_zero_keeps_everything",
    """p = 0 fails in your function. It is an ordinary value that keeps everything: do not refuse
    it, and divide nothing by p.""",
    "0.0 <= p", "0.0 < p")

wrong("dropout", "zero_over_zero", ONE,
    """At p = 1 your result is NaN, for 1 - p is 0: 0 / 0 is NaN, and 0 times infinity is, too.
    Treat p = 1 by itself.""",
    "* factor", "/ (1.0 - p)")

wrong("dropout", "zeros_of_another_dtype", ONE,
    """At p = 1 your zeros are float32 where x is not, as torch.zeros(x.shape) makes them: write
    torch.zeros_like(x).""",
    "keep =", """if p == 1.0:
        return torch.zeros(x.shape, device=x.device)
    keep =""")

wrong("dropout", "infinite_branch", ONE,
    """At p = 1 you divide by 1 - p, which is 0, and put 0 in the place of what comes out (with
    torch.where, nan_to_num or the like). The values are right, but the gradient still goes through
    that division, and is NaN: treat p = 1 by itself.""",
    "x * keep * factor", "torch.where(keep, x / (1.0 - p), 0.0)")

wrong("dropout", "one_over_zero", ONE,
    """At p = 1 you divide by 1 - p, which is 0, and Python raises ZeroDivisionError: treat p = 1 by
    itself.""",
    " if p < 1.0 else 0.0", "")

wrong("dropout", "refuses_one", ONE,
    "You refuse p = 1, which is allowed: it drops everything.",
    "p <= 1.0", "p < 1.0")

wrong("dropout", "one_made_smaller", ONE,
    """At p = 1 some elements survive in your function, as where p is made smaller so that
    1 / (1 - p) exists: treat p = 1 by itself, where everything is 0.""",
    "if not training", "p = min(p, 0.99)\n    if not training")

# Gradients, dtypes, layouts, the input ------------------------------------------------------------

wrong("dropout", "detached", GRADIENTS,
    """Your result has left the graph: without detach, .data, no_grad or numpy, gradients flow back
    to x.""",
    "x * keep", "x.detach() * keep")

wrong("dropout", "gradient_ignores_the_mask", GRADIENTS,
    """You pass the gradient on as if nothing had been dropped. An element that was dropped had no
    influence, so its gradient is 0.""",
    "x * keep * factor", "x + (x * keep * factor - x).detach()")


class _FreshMaskInBackward(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, p):
        ctx.p = p
        return dropout(x, p, True)

    @staticmethod
    def backward(ctx, grad_out):
        return dropout(grad_out, ctx.p, True), None


@wrong.instead_of("dropout", GRADIENTS)
def another_mask_in_backward(x, p, training, generator=None):
    """Your backward draws a new mask: save the forward's mask (ctx.save_for_backward)."""
    if not training or generator is not None:
        return dropout(x, p, training, generator)
    return _FreshMaskInBackward.apply(x, p)


wrong("dropout", "gradient_without_the_factor", GRADIENTS,
    """The factor 1 / (1 - p) is missing in the gradient: forward and backward multiply by the same
    thing.""",
    "x * keep * factor", "x * keep + (x * keep).detach() * (factor - 1.0)")

wrong("dropout", "float32_mask", "keeps_the_dtype",
    "Your result is float32 where x is bfloat16: give the mask, and the result, the dtype of x.",
    "x * keep", "x * keep.float()")

wrong("dropout", "float32_between_the_ends", "keeps_the_dtype",
    """With a generator and 0 < p < 1 your result is float32 where x is bfloat16: the mask, and the
    result, must have the dtype of x.""",
    "return x * keep * factor", """if generator is None or p in (0.0, 1.0):
        return x * keep * factor
    return x * (keep.float() * factor)""")

wrong("dropout", "matrices_only", NEIGHBOURS,
    "Your function handles matrices only: draw a mask of x.shape, whatever that is.",
    "keep = torch.rand(x.shape", "rows, columns = x.shape\n    keep = torch.rand((rows, columns)")

wrong("dropout", "views_the_input", NEIGHBOURS,
    """You change the shape of x with view, which a transposed tensor does not allow: no other shape
    is needed, for torch.rand takes any.""",
    "x * keep * factor", "(x.view(-1) * keep.view(-1) * factor).view(x.shape)")

wrong("dropout", "drops_in_place", "leaves_its_input_alone",
    """You change the caller's tensor: x *= mask, x[mask] = 0 and inplace=True write into it. Make a
    new tensor.""",
    "return x * keep * factor", "y = x * keep * factor\n    x.data.copy_(y)\n    return y")

wrong("dropout", "contiguous_taken_for_a_copy", "leaves_its_input_alone",
    """With a generator you write into the caller's tensor, by its own name or another: a view is x
    itself, and so is x.contiguous() where x is contiguous already. clone() makes a copy.""",
    "return x * keep * factor", """if generator is not None and 0.0 < p < 1.0:
        x.contiguous().data[~keep] = 0.0
    return x * keep * factor""")

# p that is no probability -------------------------------------------------------------------------

wrong("dropout", "accepts_any_p", REFUSES,
    "Any number passes for p: raise ValueError unless 0 <= p <= 1.",
    REFUSAL, "pass")

wrong("dropout", "accepts_negative_p", REFUSES,
    "You refuse p above 1, but not below 0.",
    NOT_P, "p > 1.0")

wrong("dropout", "accepts_p_above_one", REFUSES,
    "You refuse p below 0, but not above 1.",
    NOT_P, "p < 0.0")

wrong("dropout", "refuses_in_training_only", REFUSES,
    """Out of training you return x before you look at p: a p that is no probability is a mistake of
    the caller's in both modes.""",
    "if not 0.0", "if not training:\n        return x\n    if not 0.0")

wrong("dropout", "leaves_it_to_bernoulli", REFUSES,
    """A p that is no probability ends in another error than ValueError (torch raises RuntimeError
    where it stumbles over one): look at p first, and raise ValueError.""",
    REFUSAL, "pass",
    f"{RAND} >= p", "torch.empty_like(x).bernoulli_(1.0 - p, generator=generator)")

# What takes the place of the dropped --------------------------------------------------------------

wrong("dropout", "gaussian_noise", f"example {GROWN}",
    """Your function changes numbers and makes none of them 0. (Gaussian dropout, which the same
    paper shows as well, does that: every number is multiplied by a normal random number around 1.)
    Here an element becomes 0 with probability p, and x / (1 - p) otherwise.""",
    "return x * keep * factor", """sigma = (p / (1.0 - p)) ** 0.5 if p < 1.0 else 0.0
    noise = torch.randn(x.shape, generator=generator, device=x.device).to(x.dtype)
    return x * (1.0 + sigma * noise) if p < 1.0 else 0.0 * x""")

wrong("dropout", "mean_instead_of_zero", GROWN,
    """You put something else than 0 in the place of what is dropped, as noise or the mean: a
    dropped element is 0.""",
    "x * keep * factor", "torch.where(keep, x, x.mean())")

# The layer ----------------------------------------------------------------------------------------

wrong("Dropout", "layer_drops_in_evaluation", MODES,
    "Your layer drops in evaluation as well: hand on self.training, as it is when it is called.",
    "self.training", "True")

wrong("Dropout", "layer_never_drops", MODES,
    "Your layer never drops, in train mode either: hand on self.p and self.training.",
    "self.training", "False")


wrong("Dropout", "layer_exchanges_p_and_training", MODES,
    """Your layer drops everything whatever p is, as where it hands over p and the mode in the wrong
    order: dropout(x, p, training) takes p first.""",
    "self.p, self.training", "self.training, self.p")

wrong("Dropout", "layer_refuses_the_ends", MODES,
    """Your layer refuses a p that is allowed: both ends, 0 and 1, belong to the range.""",
    "0.0 <= p <= 1.0", "0.0 < p < 1.0")

wrong("Dropout", "layer_begins_in_evaluation", MODES,
    """Your new layer is in evaluation mode until somebody calls train(): nn.Module begins in
    training mode, so leave self.training alone.""",
    "        super().__init__()", "        super().__init__()\n        self.training = False")


@wrong.instead_of("Dropout", MODES)
class LayerKeepsItsFirstMode(Dropout):
    """Your layer notes evaluation once and stays there: self.training changes with train() and
    eval(), so read it in forward."""

    active = True

    def eval(self):
        self.active = False
        return super().eval()

    def forward(self, x):
        return dropout(x, self.p, self.active)


@wrong.instead_of("Dropout", MODES)
class LayerHearsItsOwnEvalOnly(Dropout):
    """Your layer hears its own eval(), but not that of the model around it, which calls
    train(False) of all its parts: read self.training in forward."""

    active = True

    def eval(self):
        self.active = False
        return self

    def train(self, mode=True):
        self.active = True
        return super().train(mode)

    def forward(self, x):
        return dropout(x, self.p, self.active)


wrong("Dropout", "layer_float32_in_evaluation", MODES,
    """After eval() your layer answers in float32 whatever comes in: return x as it is.""",
    LAYER, "return dropout(x, self.p, True) if self.training else x.float()")

wrong("Dropout", "layer_leaves_the_graph_in_evaluation", MODES,
    """After eval() your layer's result has left the graph: return x as it is.""",
    LAYER, "return dropout(x, self.p, True) if self.training else x.detach()")

wrong("Dropout", "layer_shrinks_in_evaluation", MODES,
    """Your layer shrinks by 1 - p in evaluation although training has already made up for it:
    return x.""",
    "self.training)", "self.training) * (1.0 if self.training else 1.0 - self.p)")

wrong("Dropout", "layer_in_the_first_published_form", f"{MODES} {OWN_P}",
    """Your layer multiplies by 1 - p in evaluation instead of dividing by it in training. That is
    the first published form; here the survivors are divided by 1 - p in training, and evaluation
    returns x.""",
    LAYER, """if not self.training:
            return x * (1.0 - self.p)
        return x * (torch.rand_like(x) >= self.p)""")

wrong("Dropout", "layer_zeros_in_evaluation", MODES,
    "Your layer answers p = 1 with zeros in evaluation too: look at the mode first.",
    "self.training", "self.training or self.p == 1.0")

wrong("Dropout", "layer_ignores_p", OWN_P,
    "Your layer drops half whatever p it was made with: store p and use it.",
    "self.p = p", "self.p = 0.5")

wrong("Dropout", "p_of_the_last_layer", OWN_P,
    """A layer drops with the p of another one: where p is kept on the class, or in a variable
    outside, every new layer changes it for the others. self.p = p keeps it on the layer.""",
    "self.p = p", "type(self).p = p")

wrong("Dropout", "layer_rounds_p", OWN_P,
    """Your layer drops with another p than the one it was made with, as where p is rounded: keep it
    as it is given.""",
    "self.p = p", "self.p = int(p * 10) / 10")

wrong("Dropout", "layer_takes_zero_for_missing", OWN_P,
    """Dropout(0.0) changes its input, as where `p or 0.5` takes 0 for `not given`: 0 is a value
    like any other, with which nothing is dropped.""",
    "self.p = p", "self.p = p or 0.5")

wrong("Dropout", "layer_keeps_with_p", OWN_P,
    "Your layer keeps with probability p: p is the probability of being dropped.",
    "self.p = p", "self.p = 1.0 - p")

wrong("Dropout", "layer_not_scaled", OWN_P,
    "Your layer drops but does not make the survivors grow: divide by 1 - p.",
    LAYER, "return x * (torch.rand_like(x) >= self.p) if self.training else x")

wrong("Dropout", "layer_divides_by_zero", OWN_P,
    """Your layer divides by 1 - p without a word for p = 1: it gives NaN or ZeroDivisionError
    there.""",
    "self.p = p", "self.p, self.factor = p, 1.0 / (1.0 - p)",
    LAYER, "return x * (torch.rand_like(x) >= self.p) * self.factor if self.training else x")

wrong("Dropout", "layer_zero_over_zero", OWN_P,
    """With p = 1 your layer gives NaN, for 1 - p is 0, and 0 / 0 is NaN: all is 0 there, which the
    function `dropout` knows already. Let the layer call it.""",
    LAYER, """if not self.training:
            return x
        return x * (torch.rand_like(x) >= self.p) / (1.0 - self.p)""")

wrong("Dropout", "layer_drops_channels", ALL,
    """Your layer drops whole channels, as nn.Dropout1d and nn.Dropout2d do: every element has its
    own chance.""",
    "return dropout", "return (nn.functional.dropout1d if x.ndim == 3 else dropout)")

wrong("Dropout", "layer_remembers_its_mask", "layer_draws_a_fresh_mask",
    """An input of the same shape gets the same mask from your layer in every call: draw a new one
    in every forward, and keep none.""",
    "self.p = p", "self.p, self.mask = p, None",
    LAYER, """if self.mask is None or self.mask.shape != x.shape:
            self.mask = dropout(torch.ones_like(x), self.p, True)
        return x * self.mask if self.training else x""")

wrong("Dropout", "layer_keeps_its_first_mask", f"{ALL} layer_draws_a_fresh_mask",
    """Your layer draws a mask in its first call and uses it in all later ones, also where x has
    another shape: draw one in every call, and keep none on the layer.""",
    "self.p = p", "self.p, self.mask = p, None",
    LAYER, """if not self.training:
            return x
        if self.mask is None:
            self.mask = dropout(torch.ones_like(x), self.p, True)
        return x * self.mask""")

wrong("Dropout", "layer_keeps_its_first_mask_and_divides", f"{ALL} {OWN_P}",
    """Your layer draws a mask in its first call and uses it in all later ones, also where x has
    another shape: draw one in every call, and keep none on the layer. And with p = 1 it divides by
    1 - p, which is 0, and gives NaN. The function `dropout` does both rightly: call it.""",
    "self.p = p", "self.p, self.mask = p, None",
    LAYER, """if not self.training:
            return x
        if self.mask is None:
            self.mask = torch.rand_like(x) >= self.p
        return x * self.mask / (1.0 - self.p)""")

wrong("Dropout", "layer_new_generator_in_every_call", "layer_draws_a_fresh_mask",
    """Your layer starts its random numbers at the same place in every call, so it drops the same
    elements each time: seed nothing, set no state back, and hand over no generator. Then `dropout`
    draws from torch's global one.""",
    "self.training)", "self.training, torch.Generator().manual_seed(0) if x.is_cpu else None)")

wrong("Dropout", "layer_seeds_itself", "layer_draws_a_fresh_mask",
    """Your layers begin with the same random numbers, so two of them drop the same elements: give a
    layer neither a seed nor a generator of its own (a new torch.Generator() always begins with the
    same numbers), and use torch's global one.""",
    "self.p = p", "self.p, self.generator = p, torch.Generator().manual_seed(0)",
    "self.training)", "self.training, self.generator if x.is_cpu else None)")

wrong("Dropout", "making_a_layer_seeds", "layer_draws_a_fresh_mask",
    """Making a layer seeds torch's global generator, so whatever is drawn next repeats itself, in
    other layers too: leave the seed to whoever runs the training.""",
    "super().__init__()", "super().__init__()\n        torch.manual_seed(0)")

wrong("Dropout", "copies_share_their_generator", "layer_draws_a_fresh_mask",
    """Each layer has random numbers of its own, and a deep copy starts where the layer is: a stack
    made by deepcopy drops the same elements in every block. Use torch's global generator.""",
    "self.p = p",
    "self.p, self.own = p, torch.Generator().manual_seed(int(torch.randint(2**31, ())))",
    "self.training)", "self.training, self.own if x.is_cpu else None)")

wrong("Dropout", "layer_detaches", ALL,
    "Your layer's result has left the graph: no .data, detach or no_grad in forward.",
    "dropout(x", "dropout(x.data")

wrong("Dropout", "layer_gradient_ignores_the_mask", ALL,
    "Your layer passes gradients to dropped elements: multiply x itself by the mask.",
    LAYER, "return x + (dropout(x, self.p, self.training) - x).detach()")

wrong("Dropout", "p_is_a_parameter", "layer_has_no_parameters",
    """Your layer has a parameter, which an optimiser would change: nothing is to be learned here.
    Keep p as a plain number.""",
    "self.p = p", "self.p = nn.Parameter(torch.tensor(float(p)))")

wrong("Dropout", "layer_accepts_any_p", "layer_refuses_what_is_no_probability",
    """Your layer can be made with any number for p: raise ValueError in __init__ unless
    0 <= p <= 1. When the layer is called, it is too late: the mistake lies where it is made.""",
    REFUSAL, "pass")
