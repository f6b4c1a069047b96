"""Wrong answers to ``residual``, and what their authors are told."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn

from grader.programs.bank import misconception

FORMULAS = ("test_pre_norm", "test_post_norm")


class Connection(nn.Module):
    """A right connection in steps; most wrong ones below replace a single step.

    The first entry that fits is the one named, so a special mistake comes before the general one
    that looks like it.
    """

    def __init__(self, d_model, dropout, norm_first=True):
        super().__init__()
        self.norm = nn.LayerNorm(d_model)
        self.p, self.norm_first = dropout, norm_first

    def drop(self, h):
        return F.dropout(h, self.p, self.training)

    def pre(self, x, sublayer):
        return x + self.drop(sublayer(self.norm(x)))

    def post(self, x, sublayer):
        return self.norm(x + self.drop(sublayer(x)))

    def forward(self, x, sublayer):
        return self.pre(x, sublayer) if self.norm_first else self.post(x, sublayer)


# The formula --------------------------------------------------------------------------------------


@misconception(
    of="SublayerConnection",
    sentence="You add the branch to norm(x): x = norm(x) has overwritten x. The straight way must "
    "carry x itself, so give norm(x) another name.",
    caught_by=("test_pre_norm", "test_straight_way"),
)
class ResidualFromTheNormalised(Connection):
    def pre(self, x, sublayer):
        x = self.norm(x)
        return x + self.drop(sublayer(x))


@misconception(
    of="SublayerConnection",
    sentence="You return the branch alone: add x to it. That is what makes it a residual "
    "connection.",
    caught_by=(*FORMULAS, "test_straight_way"),
)
class NoResidual(Connection):
    def pre(self, x, sublayer):
        return self.drop(sublayer(self.norm(x)))

    def post(self, x, sublayer):
        return self.norm(self.drop(sublayer(x)))


@misconception(
    of="SublayerConnection",
    sentence="You add x twice: the sub-layer returns the branch without x, so once is enough.",
    caught_by=(*FORMULAS, "test_straight_way"),
)
class ResidualTwice(Connection):
    def pre(self, x, sublayer):
        return x + super().pre(x, sublayer)

    def post(self, x, sublayer):
        return self.norm(x + (x + self.drop(sublayer(x))))


@misconception(
    of="SublayerConnection",
    sentence="In pre-norm you give the sub-layer x itself: give it norm(x).",
    caught_by=("test_pre_norm", "test_calls_the_sublayer_once"),
)
class BranchFromTheUnnormalised(Connection):
    def pre(self, x, sublayer):
        return x + self.drop(sublayer(x))


@misconception(
    of="SublayerConnection",
    sentence="Your connection is post-norm, norm(x + sublayer(x)), also where norm_first asks for "
    "pre-norm, x + sublayer(norm(x)).",
    caught_by=("test_pre_norm", "test_calls_the_sublayer_once"),
)
class PostNormAlways(Connection):
    def forward(self, x, sublayer):
        return self.post(x, sublayer)


@misconception(
    of="SublayerConnection",
    sentence="In post-norm you give the sub-layer norm(x): give it x itself, the norm comes after "
    "the sum.",
    caught_by=("test_post_norm", "test_calls_the_sublayer_once"),
)
class BranchFromTheNormalisedInPostNorm(Connection):
    def post(self, x, sublayer):
        return self.norm(x + self.drop(sublayer(self.norm(x))))


@misconception(
    of="SublayerConnection",
    sentence="In post-norm you leave the norm out: it comes after the sum.",
    caught_by=("test_post_norm", "test_straight_way"),
)
class SumNotNormalised(Connection):
    def post(self, x, sublayer):
        return x + self.drop(sublayer(x))


@misconception(
    of="SublayerConnection",
    sentence="Your connection is pre-norm, x + sublayer(norm(x)), also where norm_first=False asks "
    "for post-norm, norm(x + sublayer(x)).",
    caught_by=("test_post_norm", "test_calls_the_sublayer_once"),
)
class PreNormAlways(Connection):
    def forward(self, x, sublayer):
        return self.pre(x, sublayer)


@misconception(
    of="SublayerConnection",
    sentence="Without norm_first your connection is post-norm: the default is norm_first=True.",
    caught_by=("test_example",),
)
class PostNormByDefault(Connection):
    def __init__(self, d_model, dropout, norm_first=False):
        super().__init__(d_model, dropout, norm_first)


@misconception(
    of="SublayerConnection",
    sentence="You have the two modes the wrong way round: norm_first=True is pre-norm, with the "
    "norm at the beginning of the branch.",
    caught_by=(*FORMULAS, "test_calls_the_sublayer_once"),
)
class ModesSwapped(Connection):
    def forward(self, x, sublayer):
        return self.post(x, sublayer) if self.norm_first else self.pre(x, sublayer)


@misconception(
    of="SublayerConnection",
    sentence="You never use the norm: it belongs at the beginning of the branch in pre-norm, and "
    "after the sum in post-norm.",
    caught_by=(*FORMULAS,),
)
class NormForgotten(Connection):
    def forward(self, x, sublayer):
        return x + self.drop(sublayer(x))


@misconception(
    of="SublayerConnection",
    sentence="You normalise what the sub-layer returns, before it is added to x: the norm stands "
    "before the sub-layer or after the sum, never between.",
    caught_by=(*FORMULAS, "test_straight_way"),
)
class NormBetweenBranchAndSum(Connection):
    def forward(self, x, sublayer):
        return x + self.norm(self.drop(sublayer(x)))


@misconception(
    of="SublayerConnection",
    sentence="You normalise twice, before the sub-layer and after the sum: norm_first chooses one "
    "of the two places.",
    caught_by=(*FORMULAS, "test_straight_way"),
)
class NormTwice(Connection):
    def forward(self, x, sublayer):
        return self.norm(x + self.drop(sublayer(self.norm(x))))


@misconception(
    of="SublayerConnection",
    sentence="In pre-norm you normalise x for the straight way and for the branch alike, after "
    "the sub-layer has had it: only the branch begins with the norm.",
    caught_by=("test_pre_norm", "test_straight_way"),
)
class NormOnTheStraightWayOnly(Connection):
    def pre(self, x, sublayer):
        return self.norm(x) + self.drop(sublayer(x))


@misconception(
    of="SublayerConnection",
    sentence="You take the average of x and the branch: add them.",
    caught_by=("test_pre_norm", "test_straight_way"),
)
class AveragesTheTwo(Connection):
    def pre(self, x, sublayer):
        return 0.5 * super().pre(x, sublayer)

    def post(self, x, sublayer):
        return self.norm(0.5 * (x + self.drop(sublayer(x))))


@misconception(
    of="SublayerConnection",
    sentence="You multiply x by the branch: add them.",
    caught_by=(*FORMULAS, "test_straight_way"),
)
class MultipliesTheTwo(Connection):
    def pre(self, x, sublayer):
        return x * self.drop(sublayer(self.norm(x)))

    def post(self, x, sublayer):
        return self.norm(x * self.drop(sublayer(x)))


@misconception(
    of="SublayerConnection",
    sentence="You normalise each feature over the tokens, which is batch normalisation: Add & Norm "
    "means layer normalisation, each token over its features.",
    caught_by=(*FORMULAS, "test_straight_way"),
)
class BatchNormalisation(Connection):
    def __init__(self, d_model, dropout, norm_first=True):
        super().__init__(d_model, dropout, norm_first)
        self.norm = nn.BatchNorm1d(d_model)

    def normed(self, x):
        return self.norm(x.reshape(-1, x.shape[-1])).reshape(x.shape)

    def pre(self, x, sublayer):
        return x + self.drop(sublayer(self.normed(x)))

    def post(self, x, sublayer):
        return self.normed(x + self.drop(sublayer(x)))


# How the sub-layer is used, and gradients ---------------------------------------------------------


@misconception(
    of="SublayerConnection",
    sentence="You call the sub-layer twice: call it once and keep what it returns. Twice the work, "
    "and with dropout inside two different answers.",
    caught_by=("test_calls_the_sublayer_once",),
)
class CallsTheSublayerTwice(Connection):
    def forward(self, x, sublayer):
        given = self.norm(x) if self.norm_first else x
        if sublayer(given).shape != x.shape:
            raise ValueError("the sub-layer must keep the shape of x")
        return super().forward(x, sublayer)


@misconception(
    of="SublayerConnection",
    sentence="You keep the first sub-layer you were handed: use the one of the present call.",
    caught_by=("test_calls_the_sublayer_once",),
)
class KeepsTheFirstSublayer(Connection):
    def forward(self, x, sublayer):
        self.kept = getattr(self, "kept", sublayer)
        return super().forward(x, self.kept)


@misconception(
    of="SublayerConnection",
    sentence="You add to x in place: x += branch changes the caller's tensor. Write x + branch.",
    caught_by=("test_pre_norm", "test_leaves_what_it_was_given_alone"),
)
class AddsToTheInputInPlace(Connection):
    def pre(self, x, sublayer):
        x += self.drop(sublayer(self.norm(x)))
        return x


@misconception(
    of="SublayerConnection",
    sentence="In pre-norm you add x in place to what the sub-layer returned, which it may keep for "
    "its gradient: write x + branch.",
    caught_by=("test_leaves_what_it_was_given_alone",),
)
class AddsToTheBranchInPlace(Connection):
    def pre(self, x, sublayer):
        h = self.drop(sublayer(self.norm(x)))
        h += x
        return h


@misconception(
    of="SublayerConnection",
    sentence="In post-norm you add x in place to what the sub-layer returned. An identity returns "
    "x itself, and then you change the caller's tensor: write x + branch.",
    caught_by=("test_leaves_what_it_was_given_alone",),
)
class AddsToTheBranchInPlaceInPostNorm(Connection):
    def post(self, x, sublayer):
        h = self.drop(sublayer(x))
        h += x
        return self.norm(h)


@misconception(
    of="SublayerConnection",
    sentence="Your dropout works in place and changes what the sub-layer returned, which it may "
    "need for its gradient: leave inplace=True out.",
    caught_by=("test_dropout_leaves_the_branch_alone",),
)
class DropsInPlace(Connection):
    def drop(self, h):
        return F.dropout(h, self.p, self.training, inplace=True)


@misconception(
    of="SublayerConnection",
    sentence="Your values are right, but no gradient passes along the straight way: do not detach "
    "x.",
    caught_by=("test_gradients",),
)
class StraightWayDetached(Connection):
    def pre(self, x, sublayer):
        return x.detach() + self.drop(sublayer(self.norm(x)))

    def post(self, x, sublayer):
        return self.norm(x.detach() + self.drop(sublayer(x)))


@misconception(
    of="SublayerConnection",
    sentence="Your values are right, but no gradient passes through the branch, so the sub-layer "
    "never learns: do not detach it.",
    caught_by=(*FORMULAS, "test_gradients"),
)
class BranchDetached(Connection):
    def drop(self, h):
        return super().drop(h.detach())


@misconception(
    of="SublayerConnection",
    sentence="Your values are right, but the norm is computed under no_grad: its weights never "
    "learn, and the gradient for x lacks the way through it.",
    caught_by=("test_pre_norm", "test_gradients"),
)
class NormWithoutGradient(Connection):
    def pre(self, x, sublayer):
        with torch.no_grad():
            normed = self.norm(x)
        return x + self.drop(sublayer(normed))


@misconception(
    of="SublayerConnection",
    sentence="Your connection needs exactly three axes: the norm takes the last one, however many "
    "come before it.",
    caught_by=("test_any_number_of_axes",),
)
class NeedsThreeAxes(Connection):
    def forward(self, x, sublayer):
        if x.ndim == 2:
            return super().forward(x.unsqueeze(0), sublayer).squeeze(0)
        batch, tokens, width = x.shape
        return super().forward(x, sublayer)


# Dropout ------------------------------------------------------------------------------------------


@misconception(
    of="SublayerConnection",
    sentence="Your connection never drops anything: in training, dropout falls on what the "
    "sub-layer returned.",
    caught_by=("test_dropout_falls_on_the_branch", "test_whole_branch_dropped"),
)
class NoDropout(Connection):
    def drop(self, h):
        return h


@misconception(
    of="SublayerConnection",
    sentence="Your dropout also works in evaluation: F.dropout does unless you pass "
    "training=self.training. nn.Dropout knows the mode by itself.",
    caught_by=("test_no_dropout_in_evaluation",),
)
class DropsInEvaluation(Connection):
    def drop(self, h):
        return F.dropout(h, self.p)


@misconception(
    of="SublayerConnection",
    sentence="In pre-norm your dropout falls on the sum, and so on x: drop numbers of the branch "
    "alone, then add x.",
    caught_by=("test_dropout_falls_on_the_branch", "test_whole_branch_dropped"),
)
class DropsTheSum(Connection):
    def pre(self, x, sublayer):
        return self.drop(x + sublayer(self.norm(x)))


@misconception(
    of="SublayerConnection",
    sentence="In post-norm your dropout falls on the sum before it is normalised, and so on x too: "
    "drop numbers of the branch alone.",
    caught_by=("test_whole_branch_dropped",),
)
class DropsTheSumInPostNorm(Connection):
    def post(self, x, sublayer):
        return self.norm(self.drop(x + sublayer(x)))


@misconception(
    of="SublayerConnection",
    sentence="Your post-norm connection never drops anything: dropout falls on the branch in both "
    "modes.",
    caught_by=("test_whole_branch_dropped", "test_fresh_dropout_at_every_call"),
)
class NoDropoutInPostNorm(Connection):
    def post(self, x, sublayer):
        return self.norm(x + sublayer(x))


@misconception(
    of="SublayerConnection",
    sentence="In post-norm your dropout falls on the normalised result: drop numbers of the branch "
    "alone, before the sum.",
    caught_by=("test_whole_branch_dropped",),
)
class DropsTheResultInPostNorm(Connection):
    def post(self, x, sublayer):
        return self.drop(self.norm(x + sublayer(x)))


@misconception(
    of="SublayerConnection",
    sentence="In post-norm your dropout falls on x: the straight way carries all of x, and dropout "
    "falls on the branch.",
    caught_by=("test_whole_branch_dropped",),
)
class DropsTheInputInPostNorm(Connection):
    def post(self, x, sublayer):
        return self.norm(self.drop(x) + sublayer(x))


@misconception(
    of="SublayerConnection",
    sentence="Your dropout falls on x instead of the branch: the straight way carries all of x.",
    caught_by=("test_dropout_falls_on_the_branch", "test_whole_branch_dropped"),
)
class DropsTheStraightWay(Connection):
    def pre(self, x, sublayer):
        return self.drop(x) + sublayer(self.norm(x))


@misconception(
    of="SublayerConnection",
    sentence="Your dropout falls on x and on the branch: the straight way carries all of x.",
    caught_by=("test_dropout_falls_on_the_branch", "test_whole_branch_dropped"),
)
class DropsBoth(Connection):
    def pre(self, x, sublayer):
        return self.drop(x) + self.drop(sublayer(self.norm(x)))

    def post(self, x, sublayer):
        return self.norm(self.drop(x) + self.drop(sublayer(x)))


@misconception(
    of="SublayerConnection",
    sentence="Your dropout falls on what the sub-layer is given: it falls on what the sub-layer "
    "returns.",
    caught_by=("test_dropout_falls_on_the_branch", "test_whole_branch_dropped"),
)
class DropsWhatTheSublayerGets(Connection):
    def pre(self, x, sublayer):
        return x + sublayer(self.drop(self.norm(x)))

    def post(self, x, sublayer):
        return self.norm(x + sublayer(self.drop(x)))


@misconception(
    of="SublayerConnection",
    sentence="You drop numbers of the branch but do not divide the others by 1 - p, so the branch "
    "is weaker in training than in evaluation.",
    caught_by=("test_dropout_falls_on_the_branch",),
)
class DroppedButNotRescaled(Connection):
    def drop(self, h):
        return h * (torch.rand_like(h) >= self.p) if self.training else h


@misconception(
    of="SublayerConnection",
    sentence="You ignore the `dropout` you were given and drop another share.",
    caught_by=("test_dropout_falls_on_the_branch", "test_whole_branch_dropped"),
)
class DropsAnotherShare(Connection):
    def drop(self, h):
        return F.dropout(h, 0.1, self.training and self.p > 0)


@misconception(
    of="SublayerConnection",
    sentence="You drop whole tokens of the branch: every number is dropped on its own.",
    caught_by=("test_dropout_falls_on_the_branch",),
)
class DropsWholeTokens(Connection):
    def drop(self, h):
        return h * F.dropout(torch.ones_like(h[..., :1]), self.p, self.training)


@misconception(
    of="SublayerConnection",
    sentence="You drop the same features of every token: your mask has no number for each token.",
    caught_by=("test_dropout_falls_on_the_branch",),
)
class DropsWholeFeatures(Connection):
    def drop(self, h):
        return h * F.dropout(h.new_ones(h.shape[-1]), self.p, self.training)


@misconception(
    of="SublayerConnection",
    sentence="You drop the same numbers in every sequence of the batch: draw a mask for all of h.",
    caught_by=("test_dropout_falls_on_the_branch",),
)
class DropsAlikeInEverySequence(Connection):
    def drop(self, h):
        return h * F.dropout(h.new_ones(h.shape[1:]), self.p, self.training)


@misconception(
    of="SublayerConnection",
    sentence="Your own dropout divides 0 by 1 - p = 0 when everything is dropped, and gives NaN: "
    "treat p = 1 by itself, or use nn.Dropout.",
    caught_by=("test_whole_branch_dropped",),
)
class DividesZeroByZero(Connection):
    def drop(self, h):
        return (
            h * (torch.rand_like(h) >= self.p) / (1 - torch.tensor(self.p)) if self.training else h
        )


@misconception(
    of="SublayerConnection",
    sentence="You drop the same numbers at every call: draw a new mask each time, and do not seed.",
    caught_by=("test_fresh_dropout_at_every_call",),
)
class SameMaskEveryCall(Connection):
    def drop(self, h):
        if not self.training or self.p in (0, 1):
            return super().drop(h)
        generator = torch.Generator(h.device).manual_seed(0)
        keep = torch.rand(h.shape, generator=generator, device=h.device) >= self.p
        return h * keep / (1 - self.p)


# The norm -----------------------------------------------------------------------------------------


@misconception(
    of="SublayerConnection",
    sentence="Your norm has another name: call it self.norm, so that its parameters are "
    "norm.weight and norm.bias.",
    caught_by=(*FORMULAS, "test_norm_starts_neutral"),
)
class NormOfAnotherName(nn.Module):
    def __init__(self, d_model, dropout, norm_first=True):
        super().__init__()
        self.layer_norm = nn.LayerNorm(d_model)
        self.dropout, self.norm_first = nn.Dropout(dropout), norm_first

    def forward(self, x, sublayer):
        if self.norm_first:
            return x + self.dropout(sublayer(self.layer_norm(x)))
        return self.layer_norm(x + self.dropout(sublayer(x)))


@misconception(
    of="SublayerConnection",
    sentence="You keep one norm for each mode: one connection has one norm, wherever it stands.",
    caught_by=(*FORMULAS, "test_norm_starts_neutral"),
)
class TwoNorms(Connection):
    def __init__(self, d_model, dropout, norm_first=True):
        super().__init__(d_model, dropout, norm_first)
        self.norm_after = nn.LayerNorm(d_model)

    def post(self, x, sublayer):
        return self.norm_after(x + self.drop(sublayer(x)))


@misconception(
    of="SublayerConnection",
    sentence="Your norm has nothing to learn: it needs its weight and its bias. Make it once, in "
    "__init__.",
    caught_by=(*FORMULAS, "test_norm_starts_neutral"),
)
class NormWithoutParameters(Connection):
    def __init__(self, d_model, dropout, norm_first=True):
        super().__init__(d_model, dropout, norm_first)
        self.norm = nn.LayerNorm(d_model, elementwise_affine=False)


@misconception(
    of="SublayerConnection",
    sentence="Your norm is an RMSNorm, which has no bias and leaves the mean: use a LayerNorm.",
    caught_by=(*FORMULAS, "test_norm_starts_neutral"),
)
class RootMeanSquareNorm(Connection):
    def __init__(self, d_model, dropout, norm_first=True):
        super().__init__(d_model, dropout, norm_first)
        self.norm = nn.RMSNorm(d_model)


@misconception(
    of="SublayerConnection",
    sentence="Your norm's weight starts at zeros, so the sub-layer sees only zeros: start it at "
    "ones.",
    caught_by=("test_norm_starts_neutral", "test_example"),
)
class NormOfZeros(Connection):
    def __init__(self, d_model, dropout, norm_first=True):
        super().__init__(d_model, dropout, norm_first)
        nn.init.zeros_(self.norm.weight)


@misconception(
    of="SublayerConnection",
    sentence="Your norm has another eps than 1e-5, which rows of small numbers feel.",
    caught_by=("test_eps_of_the_norm",),
)
class NormWithSmallerEps(Connection):
    def __init__(self, d_model, dropout, norm_first=True):
        super().__init__(d_model, dropout, norm_first)
        self.norm = nn.LayerNorm(d_model, eps=1e-6)


_SHARED: dict[int, nn.LayerNorm] = {}


@misconception(
    of="SublayerConnection",
    sentence="All your connections share one norm: make a new one in every __init__.",
    caught_by=("test_every_connection_has_its_own_norm",),
)
class OneNormForAll(Connection):
    def __init__(self, d_model, dropout, norm_first=True):
        super().__init__(d_model, dropout, norm_first)
        self.norm = _SHARED.setdefault(d_model, self.norm).float()
        self.norm.reset_parameters()


@misconception(
    of="SublayerConnection",
    sentence="Your norm computes in float32 and never casts back, so the result is float32 too.",
    caught_by=("test_keeps_the_dtype",),
)
class NormInFloat32(Connection):
    def __init__(self, d_model, dropout, norm_first=True):
        super().__init__(d_model, dropout, norm_first)
        self.norm = Float32Norm(d_model)


class Float32Norm(nn.LayerNorm):
    def forward(self, x):
        shape, weight, bias = self.normalized_shape, self.weight.float(), self.bias.float()
        return F.layer_norm(x.float(), shape, weight, bias, self.eps)
