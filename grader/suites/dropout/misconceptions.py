"""Wrong answers to ``dropout``, and what their authors are told."""

from __future__ import annotations

import random

import torch
import torch.nn.functional as F
from torch import nn

from grader.programs.bank import misconception


def _keep(x, p, generator=None):
    return torch.rand(x.shape, generator=generator, device=x.device) >= p


def _check(p):
    if not 0.0 <= p <= 1.0:
        raise ValueError(f"p must lie between 0 and 1, found {p}")


def _right(x, p, training, generator=None):
    _check(p)
    if not training:
        return x
    factor = 1.0 / (1.0 - p) if p < 1.0 else 0.0
    return x * _keep(x, p, generator) * factor


@misconception(
    of="dropout",
    sentence="You drop, but the survivors keep their value, so everything shrinks on average: "
    "multiply them by 1 / (1 - p).",
    caught_by=("test_survivors_are_divided_by_the_chance_to_survive", "test_keeps_the_dtype"),
)
def not_scaled(x, p, training, generator=None):
    _check(p)
    return x * _keep(x, p, generator) if training else x


@misconception(
    of="dropout",
    sentence="You multiply by 1 - p in evaluation instead of dividing by it in training. That is "
    "the first published form; here evaluation leaves the values as they are.",
    caught_by=("test_evaluation_changes_nothing",),
)
def shrinks_in_evaluation(x, p, training, generator=None):
    _check(p)
    return x * _keep(x, p, generator) if training else x * (1.0 - p)


@misconception(
    of="dropout",
    sentence="You multiply the survivors by 1 / p. A share of 1 - p survives, so the factor is "
    "1 / (1 - p); at p = 0.5 both are the same.",
    caught_by=("test_survivors_are_divided_by_the_chance_to_survive",),
)
def scales_by_one_over_p(x, p, training, generator=None):
    _check(p)
    if not training or p == 0.0:
        return x
    return x * _keep(x, p, generator) / p


@misconception(
    of="dropout",
    sentence="You multiply the survivors by 1 - p where you should divide by it: they must grow.",
    caught_by=("test_survivors_are_divided_by_the_chance_to_survive",),
)
def multiplies_by_one_minus_p(x, p, training, generator=None):
    _check(p)
    return x * _keep(x, p, generator) * (1.0 - p) if training else x


@misconception(
    of="dropout",
    sentence="You multiply the survivors by p itself: the factor is 1 / (1 - p).",
    caught_by=("test_survivors_are_divided_by_the_chance_to_survive",),
)
def multiplies_by_p(x, p, training, generator=None):
    _check(p)
    if not training or p == 0.0:
        return x
    return x * _keep(x, p, generator) * p


@misconception(
    of="dropout",
    sentence="You always double the survivors. That is right for p = 0.5 only: divide by 1 - p.",
    caught_by=("test_survivors_are_divided_by_the_chance_to_survive",),
)
def always_doubles(x, p, training, generator=None):
    _check(p)
    if not training or p == 0.0:
        return x
    return x * _keep(x, p, generator) * 2.0


@misconception(
    of="dropout",
    sentence="You divide by the square root of 1 - p, which would keep the variance of inputs "
    "around zero: dropout keeps the average, so divide by 1 - p.",
    caught_by=("test_survivors_are_divided_by_the_chance_to_survive",),
)
def scales_by_the_square_root(x, p, training, generator=None):
    _check(p)
    if not training:
        return x
    return x * _keep(x, p, generator) * ((1.0 - p) ** -0.5 if p < 1.0 else 0.0)


@misconception(
    of="dropout",
    sentence="You scale a mask that F.dropout or your first line has already scaled: the survivors "
    "grow twice.",
    caught_by=("test_survivors_are_divided_by_the_chance_to_survive",),
)
def scales_twice(x, p, training, generator=None):
    _check(p)
    if not training:
        return x
    return _right(x, p, True, generator) / (1.0 - p) if p < 1.0 else x * 0.0


@misconception(
    of="dropout",
    sentence="You divide by the share that happened to survive this time. The factor is fixed, "
    "1 / (1 - p): otherwise the elements are not independent of one another.",
    caught_by=("test_survivors_are_divided_by_the_chance_to_survive",),
)
def scales_by_the_actual_share(x, p, training, generator=None):
    _check(p)
    if not training:
        return x
    keep = _keep(x, p, generator).to(x.dtype)
    return x * keep / keep.mean().clamp_min(1e-6)


@misconception(
    of="dropout",
    sentence="You bring each row back to the sum it had before: the factor is 1 / (1 - p) for "
    "every survivor, and only the average over many masks stays.",
    caught_by=("test_survivors_are_divided_by_the_chance_to_survive",),
)
def restores_the_sum(x, p, training, generator=None):
    _check(p)
    if not training:
        return x
    if p == 1.0:
        return x * 0.0
    y = x * _keep(x, p, generator)
    total = y.sum(-1, keepdim=True)
    return y * torch.where(total == 0, 0.0, x.sum(-1, keepdim=True) / total)


@misconception(
    of="dropout",
    sentence="You keep with probability p and drop with 1 - p. Here p is the probability of being "
    "dropped.",
    caught_by=("test_p_is_the_probability_of_being_dropped",),
)
def keeps_with_probability_p(x, p, training, generator=None):
    _check(p)
    if not training:
        return x
    keep = torch.rand(x.shape, generator=generator, device=x.device) < p
    return x * keep * (1.0 / (1.0 - p) if p < 1.0 else 0.0)


@misconception(
    of="dropout",
    sentence="You take p for the probability of being kept, in the mask and in the factor: that "
    "is dropout with 1 - p.",
    caught_by=("test_p_is_the_probability_of_being_dropped", "test_p_one_drops_everything"),
)
def p_means_keep_throughout(x, p, training, generator=None):
    _check(p)
    return _right(x, 1.0 - p, training, generator)


@misconception(
    of="dropout",
    sentence="`p or 0.5` takes p = 0 for `not given`: 0 is a value like any other.",
    caught_by=("test_p_zero_keeps_everything",),
)
def zero_taken_for_missing(x, p, training, generator=None):
    return _right(x, p or 0.5, training, generator)


@misconception(
    of="dropout",
    sentence="You compare p with normal random numbers (randn): they lie anywhere. Uniform ones "
    "between 0 and 1 (rand) are below p with probability p.",
    caught_by=("test_p_is_the_probability_of_being_dropped",),
)
def normal_random_numbers(x, p, training, generator=None):
    _check(p)
    if not training:
        return x
    keep = torch.randn(x.shape, generator=generator, device=x.device) > p
    return x * keep * (1.0 / (1.0 - p) if p < 1.0 else 0.0)


@misconception(
    of="dropout",
    sentence="Your mask drops half of the elements whatever p is: compare the random numbers "
    "with p.",
    caught_by=("test_p_is_the_probability_of_being_dropped",),
)
def always_drops_half(x, p, training, generator=None):
    _check(p)
    if not training or p == 0.0:
        return x
    return x * _keep(x, 0.5, generator) * (1.0 / (1.0 - p) if p < 1.0 else 0.0)


@misconception(
    of="dropout",
    sentence="Two masks are laid over each other, so a share of 1 - (1 - p)^2 is lost: draw one.",
    caught_by=("test_p_is_the_probability_of_being_dropped",),
)
def drops_twice(x, p, training, generator=None):
    return _right(_right(x, p, training, generator), p, training, generator)


@misconception(
    of="dropout",
    sentence="You never drop anything: in training, elements become zero with probability p.",
    caught_by=("test_p_is_the_probability_of_being_dropped", "test_every_call_draws_a_fresh_mask"),
)
def never_drops(x, p, training, generator=None):
    _check(p)
    return x


@misconception(
    of="dropout",
    sentence="`training` is turned round: you drop in evaluation and not in training.",
    caught_by=("test_evaluation_changes_nothing", "test_p_is_the_probability_of_being_dropped"),
)
def training_reversed(x, p, training, generator=None):
    return _right(x, p, not training, generator)


@misconception(
    of="dropout",
    sentence="You drop in evaluation too: look at `training` (F.dropout drops unless told).",
    caught_by=("test_evaluation_changes_nothing",),
)
def drops_in_evaluation(x, p, training, generator=None):
    return _right(x, p, True, generator)


@misconception(
    of="dropout",
    sentence="You answer p = 1 with zeros before you look at `training`: out of training nothing "
    "changes, whatever p is.",
    caught_by=("test_evaluation_changes_nothing",),
)
def zeros_in_evaluation_at_one(x, p, training, generator=None):
    _check(p)
    return torch.zeros_like(x) if p == 1.0 else _right(x, p, training, generator)


@misconception(
    of="dropout",
    sentence="Out of training your result has left the graph: return x itself, or a clone that is "
    "not detached.",
    caught_by=("test_evaluation_changes_nothing",),
)
def detached_in_evaluation(x, p, training, generator=None):
    return _right(x, p, True, generator) if training else x.detach().clone()


@misconception(
    of="dropout",
    sentence="Your function returns nothing out of training: `return x` is missing there.",
    caught_by=("test_example", "test_evaluation_changes_nothing"),
)
def nothing_returned_in_evaluation(x, p, training, generator=None):
    if training:
        return _right(x, p, True, generator)


@misconception(
    of="dropout",
    sentence="You return the mask beside the result: one tensor was asked for.",
    caught_by=("test_every_call_draws_a_fresh_mask",),
)
def returns_the_mask_too(x, p, training, generator=None):
    if not training:
        return x
    _check(p)
    keep = _keep(x, p, generator)
    return x * keep / max(1.0 - p, 1e-6), keep


@misconception(
    of="dropout",
    sentence="You return the mask: multiply x by it.",
    caught_by=("test_survivors_are_divided_by_the_chance_to_survive",),
)
def returns_only_the_mask(x, p, training, generator=None):
    return _right(torch.ones_like(x), p, True, generator) if training else x


@misconception(
    of="dropout",
    sentence="You drop whole rows: one random number decides for the entire last axis. Draw one "
    "for every element.",
    caught_by=("test_elements_are_dropped_independently",),
)
def drops_whole_rows(x, p, training, generator=None):
    _check(p)
    if not training:
        return x
    keep = _keep(x[..., :1], p, generator)
    return x * keep * (1.0 / (1.0 - p) if p < 1.0 else 0.0)


@misconception(
    of="dropout",
    sentence="Your mask has the size of the last axis and is used for every row alike: draw one of "
    "the shape of x.",
    caught_by=("test_elements_are_dropped_independently",),
)
def drops_whole_features(x, p, training, generator=None):
    _check(p)
    if not training:
        return x
    keep = torch.rand(x.shape[-1], generator=generator, device=x.device) >= p
    return x * keep * (1.0 / (1.0 - p) if p < 1.0 else 0.0)


@misconception(
    of="dropout",
    sentence="Your mask has the size of the last two axes, so all entries of a batch share it: "
    "draw one of the shape of x.",
    caught_by=("test_elements_are_dropped_independently",),
)
def one_mask_for_the_batch(x, p, training, generator=None):
    _check(p)
    if not training:
        return x
    keep = torch.rand(x.shape[-2:], generator=generator, device=x.device) >= p
    return x * keep * (1.0 / (1.0 - p) if p < 1.0 else 0.0)


@misconception(
    of="dropout",
    sentence="One coin decides about the whole tensor: every element needs a coin of its own.",
    caught_by=("test_elements_are_dropped_independently",),
)
def one_coin_for_everything(x, p, training, generator=None):
    _check(p)
    if not training:
        return x
    keep = torch.rand((), generator=generator, device=x.device) >= p
    return x * keep * (1.0 / (1.0 - p) if p < 1.0 else 0.0)


@misconception(
    of="dropout",
    sentence="You drop exactly p times n elements. Then the elements are not independent: decide "
    "about each by a random number of its own.",
    caught_by=("test_the_number_of_dropped_elements_varies",),
)
def drops_an_exact_number(x, p, training, generator=None):
    _check(p)
    if not training:
        return x
    order = torch.rand(x.numel(), generator=generator, device=x.device).argsort().argsort()
    keep = (order >= round(p * x.numel())).view(x.shape)
    return x * keep * (1.0 / (1.0 - p) if p < 1.0 else 0.0)


@misconception(
    of="dropout",
    sentence="Without a generator you make a new torch.Generator(), which starts from the same "
    "seed every time: pass None on, and torch's global generator is used.",
    caught_by=("test_every_call_draws_a_fresh_mask",),
)
def new_generator_in_every_call(x, p, training, generator=None):
    return _right(x, p, training, generator or torch.Generator())


@misconception(
    of="dropout",
    sentence="You accept a generator but do not use it: hand it to torch.rand.",
    caught_by=("test_the_generator_decides_the_mask",),
)
def ignores_the_generator(x, p, training, generator=None):
    return _right(x, p, training)


@misconception(
    of="dropout",
    sentence="You start the generator again in every call, so it always gives the same numbers: "
    "use it as it is.",
    caught_by=("test_the_generator_decides_the_mask",),
)
def restarts_the_generator(x, p, training, generator=None):
    if generator is not None:
        generator.manual_seed(generator.initial_seed())
    return _right(x, p, training, generator)


@misconception(
    of="dropout",
    sentence="With a generator you fall back to a seed of your own: the caller's seed must decide.",
    caught_by=("test_the_generator_decides_the_mask",),
)
def own_seed_instead_of_the_generators(x, p, training, generator=None):
    if generator is not None and generator.initial_seed() != 0:
        generator.manual_seed(0)
    return _right(x, p, training, generator)


@misconception(
    of="dropout",
    sentence="A generator makes you drop even out of training: it says where the mask comes from, "
    "`training` says whether there is one.",
    caught_by=("test_evaluation_changes_nothing",),
)
def a_generator_means_training(x, p, training, generator=None):
    return _right(x, p, training or generator is not None, generator)


@misconception(
    of="dropout",
    sentence="With a generator, your own mask is not followed by the factor that F.dropout applies "
    "for you without one: divide by 1 - p there, too.",
    caught_by=("test_the_generator_decides_the_mask",),
)
def not_scaled_with_a_generator(x, p, training, generator=None):
    _check(p)
    if not training or generator is None:
        return F.dropout(x, p, training)
    return x * _keep(x, p, generator)


@misconception(
    of="dropout",
    sentence="With a generator, your own mask is divided by 1 - p even where p = 1, which is NaN.",
    caught_by=("test_p_one_drops_everything",),
)
def zero_over_zero_with_a_generator(x, p, training, generator=None):
    _check(p)
    if not training or generator is None:
        return F.dropout(x, p, training)
    return x * _keep(x, p, generator) / (1.0 - p)


@misconception(
    of="dropout",
    sentence="With a generator, your own mask is float32, and so is your result: use x.dtype.",
    caught_by=("test_keeps_the_dtype",),
)
def float32_mask_with_a_generator(x, p, training, generator=None):
    _check(p)
    if not training or generator is None:
        return F.dropout(x, p, training)
    mask = torch.full(x.shape, 1.0 - p).bernoulli(generator=generator)
    return x * mask.to(x.device) / max(1.0 - p, 1e-9)


@misconception(
    of="dropout",
    sentence="F.dropout looks at p for you, but with a generator nobody does: raise ValueError at "
    "the top.",
    caught_by=("test_refuses_what_is_no_probability",),
)
def accepts_any_p_with_a_generator(x, p, training, generator=None):
    if not training or generator is None:
        return F.dropout(x, p, training)
    return _right(x, min(max(p, 0.0), 1.0), True, generator)


@misconception(
    of="dropout",
    sentence="You seed torch's global generator from the one you are given: that disturbs "
    "everybody else who draws. Hand the generator to torch.rand.",
    caught_by=("test_a_generator_leaves_the_global_one_alone",),
)
def seeds_the_global_generator(x, p, training, generator=None):
    if generator is not None:
        torch.manual_seed(int(torch.randint(2**31, (), generator=generator)))
    return _right(x, p, training)


@misconception(
    of="dropout",
    sentence="p = 0 fails: you divide by p or refuse it. It is an ordinary value that keeps "
    "everything.",
    caught_by=("test_p_zero_keeps_everything",),
)
def refuses_zero(x, p, training, generator=None):
    if not 0.0 < p <= 1.0:
        raise ValueError(f"p must lie between 0 and 1, found {p}")
    return _right(x, p, training, generator)


@misconception(
    of="dropout",
    sentence="At p = 1 you divide 0 by 0, which is NaN: treat p = 1 by itself.",
    caught_by=("test_p_one_drops_everything",),
)
def zero_over_zero(x, p, training, generator=None):
    _check(p)
    return x * _keep(x, p, generator) / (1.0 - p) if training else x


@misconception(
    of="dropout",
    sentence="At p = 1 you compute x / 0 and then choose 0 with torch.where. The values are right, "
    "but the gradient of the branch not taken is 0 * inf = NaN: treat p = 1 by itself.",
    caught_by=("test_p_one_drops_everything",),
)
def infinite_branch(x, p, training, generator=None):
    _check(p)
    if not training:
        return x
    return torch.where(_keep(x, p, generator), x / (1.0 - p), 0.0).to(x.dtype)


@misconception(
    of="dropout",
    sentence="At p = 1 Python's 1 / (1 - p) raises ZeroDivisionError: treat p = 1 by itself.",
    caught_by=("test_p_one_drops_everything",),
)
def one_over_zero(x, p, training, generator=None):
    _check(p)
    return x * _keep(x, p, generator) * (1.0 / (1.0 - p)) if training else x


@misconception(
    of="dropout",
    sentence="You refuse p = 1, which is allowed: it drops everything.",
    caught_by=("test_p_one_drops_everything",),
)
def refuses_one(x, p, training, generator=None):
    if not 0.0 <= p < 1.0:
        raise ValueError(f"p must be at least 0 and below 1, found {p}")
    return _right(x, p, training, generator)


@misconception(
    of="dropout",
    sentence="You shorten p = 1 to something below 1 so that 1 / (1 - p) exists: then some "
    "elements survive, and grow enormously.",
    caught_by=("test_p_one_drops_everything",),
)
def one_made_smaller(x, p, training, generator=None):
    _check(p)
    return _right(x, min(p, 0.99), training, generator)


@misconception(
    of="dropout",
    sentence="Your result has left the graph: without detach, .data, no_grad or numpy, gradients "
    "flow back to x.",
    caught_by=("test_gradients_pass_through_the_same_mask",),
)
def detached(x, p, training, generator=None):
    return _right(x.detach(), p, True, generator) if training else x


@misconception(
    of="dropout",
    sentence="You pass the gradient on as if nothing had been dropped. An element that was dropped "
    "had no influence, so its gradient is 0.",
    caught_by=("test_gradients_pass_through_the_same_mask",),
)
def gradient_ignores_the_mask(x, p, training, generator=None):
    if not training:
        return x
    return x + (_right(x, p, True, generator) - x).detach()


class _FreshMaskInBackward(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, p):
        ctx.p = p
        return _right(x, p, True)

    @staticmethod
    def backward(ctx, grad_out):
        return _right(grad_out, ctx.p, True), None


@misconception(
    of="dropout",
    sentence="Your backward draws a new mask: save the forward's mask (ctx.save_for_backward).",
    caught_by=("test_gradients_pass_through_the_same_mask",),
)
def another_mask_in_backward(x, p, training, generator=None):
    _check(p)
    if not training or generator is not None:
        return _right(x, p, training, generator)
    return _FreshMaskInBackward.apply(x, p)


@misconception(
    of="dropout",
    sentence="The factor 1 / (1 - p) is missing in the gradient: forward and backward multiply by "
    "the same thing.",
    caught_by=("test_gradients_pass_through_the_same_mask",),
)
def gradient_without_the_factor(x, p, training, generator=None):
    _check(p)
    if not training:
        return x
    kept = x * _keep(x, p, generator)
    return kept + kept.detach() * (1.0 / (1.0 - p) - 1.0 if p < 1.0 else 0.0)


@misconception(
    of="dropout",
    sentence="Your result is always float32: give the mask the dtype of x.",
    caught_by=("test_keeps_the_dtype",),
)
def float32_mask(x, p, training, generator=None):
    _check(p)
    if not training:
        return x
    return x * _keep(x, p, generator).float() * (1.0 / (1.0 - p) if p < 1.0 else 0.0)


@misconception(
    of="dropout",
    sentence="Your function handles matrices only: draw a mask of x.shape, whatever that is.",
    caught_by=("test_any_layout_and_number_of_axes",),
)
def matrices_only(x, p, training, generator=None):
    rows, columns = x.shape if x.ndim != 3 else (1, 1)
    return _right(x, p, training, generator)


@misconception(
    of="dropout",
    sentence="You flatten x with view, which a transposed tensor does not allow: no flattening is "
    "needed, torch.rand takes a shape.",
    caught_by=("test_any_layout_and_number_of_axes",),
)
def views_the_input(x, p, training, generator=None):
    return _right(x.view(-1), p, training, generator).view(x.shape)


@misconception(
    of="dropout",
    sentence="You change the caller's tensor: x *= mask, x[mask] = 0 and inplace=True write into "
    "it. Make a new tensor.",
    caught_by=("test_leaves_its_input_alone",),
)
def drops_in_place(x, p, training, generator=None):
    if not training:
        return x
    y = _right(x, p, True, generator)
    with torch.no_grad():
        x.copy_(y)
    return y


@misconception(
    of="dropout",
    sentence="Any number passes for p: raise ValueError unless 0 <= p <= 1.",
    caught_by=("test_refuses_what_is_no_probability",),
)
def accepts_any_p(x, p, training, generator=None):
    if not training:
        return x
    return x * _keep(x, p, generator) * (1.0 / (1.0 - p) if p != 1.0 else 0.0)


@misconception(
    of="dropout",
    sentence="You refuse p above 1, but not below 0.",
    caught_by=("test_refuses_what_is_no_probability",),
)
def accepts_negative_p(x, p, training, generator=None):
    if p > 1.0:
        raise ValueError(f"p must be at most 1, found {p}")
    return _right(x, max(p, 0.0), training, generator)


@misconception(
    of="dropout",
    sentence="You refuse p below 0, but not above 1.",
    caught_by=("test_refuses_what_is_no_probability",),
)
def accepts_p_above_one(x, p, training, generator=None):
    if p < 0.0:
        raise ValueError(f"p must not be negative, found {p}")
    return _right(x, min(p, 1.0), training, generator)


@misconception(
    of="dropout",
    sentence="You leave it to torch to stumble over p (RuntimeError): look at p first and raise "
    "ValueError.",
    caught_by=("test_refuses_what_is_no_probability",),
)
def leaves_it_to_bernoulli(x, p, training, generator=None):
    if not training:
        return x
    keep = torch.empty_like(x).bernoulli_(1.0 - p, generator=generator)
    return x * keep * (1.0 / (1.0 - p) if p < 1.0 else 0.0)


@misconception(
    of="dropout",
    sentence="You add noise or replace dropped elements by the mean: a dropped element is 0.",
    caught_by=("test_survivors_are_divided_by_the_chance_to_survive",),
)
def mean_instead_of_zero(x, p, training, generator=None):
    _check(p)
    if not training:
        return x
    return torch.where(_keep(x, p, generator), x, x.mean())


@misconception(
    of="Dropout",
    sentence="Your layer drops in evaluation as well: hand self.training on.",
    caught_by=("test_layer_follows_train_and_eval",),
)
class LayerDropsInEvaluation(nn.Module):
    def __init__(self, p):
        super().__init__()
        _check(p)
        self.p = p

    def forward(self, x):
        return _right(x, self.p, True)


@misconception(
    of="Dropout",
    sentence="Your layer never drops: it passes training=False, or returns x in both modes.",
    caught_by=("test_layer_follows_train_and_eval",),
)
class LayerNeverDrops(nn.Module):
    def __init__(self, p):
        super().__init__()
        _check(p)
        self.p = p

    def forward(self, x):
        return _right(x, self.p, False)


@misconception(
    of="Dropout",
    sentence="Your layer asks for evaluation once, when it is made: self.training changes with "
    "train() and eval(), so read it in forward.",
    caught_by=("test_layer_follows_train_and_eval",),
)
class LayerKeepsItsFirstMode(nn.Module):
    def __init__(self, p):
        super().__init__()
        _check(p)
        self.p = p
        self.active = True

    def eval(self):
        self.active = False
        return super().eval()

    def forward(self, x):
        return _right(x, self.p, self.active)


@misconception(
    of="Dropout",
    sentence="Your layer shrinks by 1 - p in evaluation although training has already made up for "
    "it: return x.",
    caught_by=("test_layer_follows_train_and_eval",),
)
class LayerShrinksInEvaluation(nn.Module):
    def __init__(self, p):
        super().__init__()
        _check(p)
        self.p = p

    def forward(self, x):
        return _right(x, self.p, True) if self.training else x * (1.0 - self.p)


@misconception(
    of="Dropout",
    sentence="Your layer answers p = 1 with zeros in evaluation too: look at the mode first.",
    caught_by=("test_layer_follows_train_and_eval",),
)
class LayerZerosInEvaluation(nn.Module):
    def __init__(self, p):
        super().__init__()
        _check(p)
        self.p = p

    def forward(self, x):
        return x * 0.0 if self.p == 1.0 else _right(x, self.p, self.training)


@misconception(
    of="Dropout",
    sentence="Your layer drops half whatever p it was made with: store p and use it.",
    caught_by=("test_layer_drops_with_its_p",),
)
class LayerIgnoresP(nn.Module):
    def __init__(self, p=0.5):
        super().__init__()
        _check(p)
        self.drop = nn.Dropout()

    def forward(self, x):
        return self.drop(x)


@misconception(
    of="Dropout",
    sentence="Your layer keeps with probability p: p is the probability of being dropped.",
    caught_by=("test_layer_drops_with_its_p",),
)
class LayerKeepsWithP(nn.Module):
    def __init__(self, p):
        super().__init__()
        _check(p)
        self.p = 1.0 - p

    def forward(self, x):
        return _right(x, self.p, self.training)


@misconception(
    of="Dropout",
    sentence="Your layer drops but does not make the survivors grow: divide by 1 - p.",
    caught_by=("test_layer_drops_with_its_p",),
)
class LayerNotScaled(nn.Module):
    def __init__(self, p):
        super().__init__()
        _check(p)
        self.p = p

    def forward(self, x):
        return x * _keep(x, self.p) if self.training else x


@misconception(
    of="Dropout",
    sentence="Your layer divides by 1 - p without a word for p = 1: it gives NaN or "
    "ZeroDivisionError there.",
    caught_by=("test_layer_drops_with_its_p",),
)
class LayerDividesByZero(nn.Module):
    def __init__(self, p):
        super().__init__()
        _check(p)
        self.p = p
        self.factor = 1.0 / (1.0 - p)

    def forward(self, x):
        return x * _keep(x, self.p) * self.factor if self.training else x


@misconception(
    of="Dropout",
    sentence="Your layer drops whole channels, as nn.Dropout1d and nn.Dropout2d do: every element "
    "has its own chance.",
    caught_by=("test_layer_does_all_that_the_function_does",),
)
class LayerDropsChannels(nn.Module):
    def __init__(self, p):
        super().__init__()
        _check(p)
        self.p = p

    def forward(self, x):
        return (
            F.dropout1d(x, self.p, self.training)
            if x.ndim == 3
            else _right(x, self.p, self.training)
        )


@misconception(
    of="Dropout",
    sentence="Your layer draws its mask once and keeps it: draw in every forward.",
    caught_by=("test_layer_draws_a_fresh_mask",),
)
class LayerRemembersItsMask(nn.Module):
    def __init__(self, p):
        super().__init__()
        _check(p)
        self.p, self.mask = p, None

    def forward(self, x):
        if not self.training:
            return x
        if self.mask is None or self.mask.shape != x.shape:
            self.mask = _keep(x, self.p)
        return (x * self.mask * (1.0 / (1.0 - self.p) if self.p < 1.0 else 0.0)).to(x.dtype)


@misconception(
    of="Dropout",
    sentence="Every layer starts a generator from the same seed, so all layers drop the same "
    "elements: use torch's global generator.",
    caught_by=("test_layer_draws_a_fresh_mask",),
)
class LayerSeedsItself(nn.Module):
    def __init__(self, p):
        super().__init__()
        _check(p)
        self.p, self.generator = p, torch.Generator().manual_seed(0)

    def forward(self, x):
        generator = self.generator if x.device.type == "cpu" else None
        return _right(x, self.p, self.training, generator)


@misconception(
    of="Dropout",
    sentence="Your layer's result has left the graph: no .data, detach or no_grad in forward.",
    caught_by=("test_layer_does_all_that_the_function_does",),
)
class LayerDetaches(nn.Module):
    def __init__(self, p):
        super().__init__()
        _check(p)
        self.p = p

    def forward(self, x):
        return _right(x.data, self.p, True) if self.training else x


@misconception(
    of="Dropout",
    sentence="Your layer passes gradients to dropped elements: multiply x itself by the mask.",
    caught_by=("test_layer_does_all_that_the_function_does",),
)
class LayerGradientIgnoresTheMask(nn.Module):
    def __init__(self, p):
        super().__init__()
        _check(p)
        self.p = p

    def forward(self, x):
        return x + (_right(x, self.p, True) - x).detach() if self.training else x


@misconception(
    of="Dropout",
    sentence="p has become a parameter: an optimiser would change it. Keep it as a plain number.",
    caught_by=("test_layer_has_no_parameters",),
)
class PIsAParameter(nn.Module):
    def __init__(self, p):
        super().__init__()
        _check(p)
        self.p = nn.Parameter(torch.tensor(float(p)))

    def forward(self, x):
        return _right(x, self.p.item(), self.training)


@misconception(
    of="Dropout",
    sentence="Your layer accepts any number for p: raise ValueError unless 0 <= p <= 1.",
    caught_by=("test_layer_refuses_what_is_no_probability",),
)
class LayerAcceptsAnyP(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.p = min(max(p, 0.0), 1.0)

    def forward(self, x):
        return _right(x, self.p, self.training)


@misconception(
    of="Dropout",
    sentence="Your layer writes into its input (inplace=True, or *=): the caller still needs it.",
    caught_by=("test_leaves_its_input_alone",),
)
class LayerDropsInPlace(nn.Module):
    def __init__(self, p):
        super().__init__()
        _check(p)
        self.p = p

    def forward(self, x):
        y = _right(x, self.p, self.training)
        if self.training:
            x.data.copy_(y)
        return y


@misconception(
    of="Dropout",
    sentence="Your layer answers in float32 whatever comes in: give the mask the dtype of x.",
    caught_by=("test_layer_does_all_that_the_function_does",),
)
class LayerFloat32(nn.Module):
    def __init__(self, p):
        super().__init__()
        _check(p)
        self.p = p

    def forward(self, x):
        return _right(x.float(), self.p, True) if self.training else x


@misconception(
    of="Dropout",
    sentence="Your layer tosses one coin for the whole input: every element needs its own.",
    caught_by=("test_layer_does_all_that_the_function_does",),
)
class LayerTossesOneCoin(nn.Module):
    def __init__(self, p):
        super().__init__()
        _check(p)
        self.p = p

    def forward(self, x):
        if not self.training:
            return x
        return x * 0.0 if random.random() < self.p else x * (1.0 / (1.0 - self.p))
