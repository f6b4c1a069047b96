"""Wrong answers to ``encoder``, and what their authors are told."""

from __future__ import annotations

import copy

import torch
import torch.nn.functional as F
from torch import nn

from grader.programs.bank import misconception

BOTH = ("test_post_norm", "test_pre_norm")


def attend(attention, query, key_value, mask):
    if mask is not None:
        batch, heads = query.shape[0], attention.num_heads
        mask = mask.expand(batch, heads, query.shape[1], key_value.shape[1])
        mask = mask.logical_not().flatten(0, 1)
    return attention(query, key_value, key_value, attn_mask=mask, need_weights=False)[0]


class Layer(nn.Module):
    """A right layer in steps; most wrong ones below replace a single step.

    The first entry that fits is the one named, so a special mistake comes before the general one
    that looks like it.
    """

    eps, kept = 1e-5, True

    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=False, activation="relu"):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(d_model, num_heads, dropout, batch_first=True)
        self.linear1, self.linear2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model, eps=self.eps)
        self.norm2 = nn.LayerNorm(d_model, eps=self.eps)
        self.p, self.norm_first = dropout, norm_first
        self.activation = self.chosen(activation)

    def chosen(self, activation):
        if activation not in ("relu", "gelu"):
            raise ValueError("relu or gelu")
        return F.gelu if activation == "gelu" else torch.relu

    def drop(self, h):
        return F.dropout(h, self.p, self.training)

    def look(self, x, mask):
        return attend(self.self_attn, x, x, mask)

    def think(self, x):
        return self.linear2(self.drop(self.activation(self.linear1(x))))

    def attention(self, x, mask):
        return self.drop(self.look(x, mask))

    def network(self, x):
        return self.drop(self.think(x))

    def pre(self, x, mask):
        x = x + self.attention(self.norm1(x), mask)
        return x + self.network(self.norm2(x))

    def post(self, x, mask):
        x = self.norm1(x + self.attention(x, mask))
        return self.norm2(x + self.network(x))

    def forward(self, x, mask=None):
        return self.pre(x, mask) if self.norm_first else self.post(x, mask)


class Stack(nn.Module):
    """A right stack in steps."""

    def __init__(self, layer, num_layers, norm=None):
        super().__init__()
        self.layers = self.copies(layer, num_layers)
        self.norm = norm

    def copies(self, layer, num_layers):
        return nn.ModuleList(copy.deepcopy(layer) for _ in range(num_layers))

    def last(self, x):
        return x if self.norm is None else self.norm(x)

    def forward(self, x, mask=None):
        for layer in self.layers:
            x = layer(x, mask)
        return self.last(x)


# The stack's mask, before the layer's, which looks the same from outside -------------------------


@misconception(
    of="Encoder",
    sentence="Only your first layer gets the mask: from the second on, tokens see the padding "
    "again.",
    caught_by=("test_every_layer_gets_the_mask",),
)
class MaskForTheFirstLayerOnly(Stack):
    def forward(self, x, mask=None):
        for layer in self.layers:
            x, mask = layer(x, mask), None
        return self.last(x)


@misconception(
    of="Encoder",
    sentence="Your stack keeps the mask to itself: hand it to every layer.",
    caught_by=("test_every_layer_gets_the_mask",),
)
class MaskNotHandedOn(Stack):
    def forward(self, x, mask=None):
        for layer in self.layers:
            x = layer(x)
        return self.last(x)


# The wiring ---------------------------------------------------------------------------------------


@misconception(
    of="EncoderLayer",
    sentence="In pre-norm you write x = norm1(x) and add the branch to that: the straight way must "
    "carry x as it came. Give norm1(x) no name, or another one.",
    caught_by=("test_pre_norm", "test_straight_way"),
)
class ResidualFromTheNormalised(Layer):
    def pre(self, x, mask):
        x = self.norm1(x)
        x = x + self.attention(x, mask)
        x = self.norm2(x)
        return x + self.network(x)


@misconception(
    of="EncoderLayer",
    sentence="Nothing runs past your sub-layers: add x to what attention returns, and again to "
    "what the feed-forward network returns.",
    caught_by=(*BOTH, "test_straight_way"),
)
class NoResiduals(Layer):
    def pre(self, x, mask):
        return self.network(self.norm2(self.attention(self.norm1(x), mask)))

    def post(self, x, mask):
        return self.norm2(self.network(self.norm1(self.attention(x, mask))))


@misconception(
    of="EncoderLayer",
    sentence="Only the attention has a residual: the feed-forward network's result must be added "
    "to its input as well.",
    caught_by=(*BOTH, "test_straight_way"),
)
class NoResidualAroundTheNetwork(Layer):
    def pre(self, x, mask):
        x = x + self.attention(self.norm1(x), mask)
        return self.network(self.norm2(x))

    def post(self, x, mask):
        x = self.norm1(x + self.attention(x, mask))
        return self.norm2(self.network(x))


@misconception(
    of="EncoderLayer",
    sentence="The feed-forward branch adds its input itself and your layer adds it again: one "
    "residual for each branch.",
    caught_by=(*BOTH, "test_straight_way"),
)
class ResidualTwice(Layer):
    def think(self, x):
        return x + super().think(x)


@misconception(
    of="EncoderLayer",
    sentence="The feed-forward branch comes back added and normalised, and your layer adds and "
    "normalises again. Either the branch does it or the layer, not both.",
    caught_by=(*BOTH,),
)
class ResidualAndNormTwice(Layer):
    def think(self, x):
        return self.norm2(x + super().think(x))


@misconception(
    of="EncoderLayer",
    sentence="You add the feed-forward branch to the layer's input x: its straight way begins at "
    "the result of the attention sub-layer, or that result is lost.",
    caught_by=BOTH,
)
class SecondResidualFromTheInput(Layer):
    def pre(self, x, mask):
        h = x + self.attention(self.norm1(x), mask)
        return x + self.network(self.norm2(h))

    def post(self, x, mask):
        h = self.norm1(x + self.attention(x, mask))
        return self.norm2(x + self.network(h))


@misconception(
    of="EncoderLayer",
    sentence="Attention and feed-forward network work side by side on x. They come one after the "
    "other: the network gets what attention has made of x.",
    caught_by=BOTH,
)
class SideBySide(Layer):
    def pre(self, x, mask):
        return x + self.attention(self.norm1(x), mask) + self.network(self.norm2(x))

    def post(self, x, mask):
        return self.norm2(self.norm1(x + self.attention(x, mask)) + self.network(x))


@misconception(
    of="EncoderLayer",
    sentence="Your feed-forward network comes before the attention: it is the other way round.",
    caught_by=BOTH,
)
class NetworkFirst(Layer):
    def pre(self, x, mask):
        x = x + self.network(self.norm2(x))
        return x + self.attention(self.norm1(x), mask)

    def post(self, x, mask):
        x = self.norm2(x + self.network(x))
        return self.norm1(x + self.attention(x, mask))


@misconception(
    of="EncoderLayer",
    sentence="Your feed-forward network is never called: linear1 and linear2 get no gradient.",
    caught_by=BOTH,
)
class NetworkForgotten(Layer):
    def pre(self, x, mask):
        return x + self.attention(self.norm1(x), mask)

    def post(self, x, mask):
        return self.norm2(self.norm1(x + self.attention(x, mask)))


@misconception(
    of="EncoderLayer",
    sentence="Your attention is never called: no token learns anything of the others.",
    caught_by=BOTH,
)
class AttentionForgotten(Layer):
    def attention(self, x, mask):
        return torch.zeros_like(x)


# The norms ----------------------------------------------------------------------------------------


@misconception(
    of="EncoderLayer",
    sentence="norm1 and norm2 are one and the same module, so their weights are tied: make two.",
    caught_by=BOTH,
)
class OneNormForBoth(Layer):
    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self.norm2 = self.norm1


@misconception(
    of="EncoderLayer",
    sentence="You use norm1 for both sub-layers, and norm2 gets no gradient: each sub-layer has "
    "its own.",
    caught_by=BOTH,
)
class FirstNormTwice(Layer):
    def pre(self, x, mask):
        x = x + self.attention(self.norm1(x), mask)
        return x + self.network(self.norm1(x))

    def post(self, x, mask):
        x = self.norm1(x + self.attention(x, mask))
        return self.norm1(x + self.network(x))


@misconception(
    of="EncoderLayer",
    sentence="norm1 and norm2 have changed places: norm1 belongs to the attention.",
    caught_by=BOTH,
)
class NormsExchanged(Layer):
    def pre(self, x, mask):
        x = x + self.attention(self.norm2(x), mask)
        return x + self.network(self.norm1(x))

    def post(self, x, mask):
        x = self.norm2(x + self.attention(x, mask))
        return self.norm1(x + self.network(x))


@misconception(
    of="EncoderLayer",
    sentence="Your layer is post-norm also where norm_first asks for pre-norm: there the norms "
    "stand at the beginning of the branches.",
    caught_by=("test_pre_norm", "test_straight_way"),
)
class PostNormAlways(Layer):
    def forward(self, x, mask=None):
        return self.post(x, mask)


@misconception(
    of="EncoderLayer",
    sentence="Your layer is pre-norm also where norm_first is False: there the norms stand after "
    "the sums.",
    caught_by=("test_post_norm", "test_straight_way"),
)
class PreNormAlways(Layer):
    def forward(self, x, mask=None):
        return self.pre(x, mask)


@misconception(
    of="EncoderLayer",
    sentence="Without norm_first your layer is pre-norm: the default is norm_first=False, the "
    "order of the first Transformer.",
    caught_by=("test_post_norm",),
)
class PreNormByDefault(Layer):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=True, activation="relu"):
        super().__init__(d_model, num_heads, d_ff, dropout, norm_first, activation)


@misconception(
    of="EncoderLayer",
    sentence="You normalise each branch before it is added: a norm stands before the branch "
    "(pre-norm) or after the sum (post-norm), never between.",
    caught_by=(*BOTH,),
)
class NormsBetweenBranchAndSum(Layer):
    def pre(self, x, mask):
        x = x + self.norm1(self.attention(x, mask))
        return x + self.norm2(self.network(x))

    post = pre


@misconception(
    of="EncoderLayer",
    sentence="In pre-norm you normalise after the sums as well: the straight way then is no longer "
    "straight. norm_first chooses one place, not both.",
    caught_by=("test_pre_norm", "test_straight_way"),
)
class NormsAtBothPlaces(Layer):
    def pre(self, x, mask):
        x = self.norm1(x + self.attention(self.norm1(x), mask))
        return self.norm2(x + self.network(self.norm2(x)))


@misconception(
    of="EncoderLayer",
    sentence="In pre-norm only your attention's branch begins with a norm: the feed-forward "
    "network must get norm2(x), not x.",
    caught_by=("test_pre_norm",),
)
class NetworkGetsTheUnnormalised(Layer):
    def pre(self, x, mask):
        x = x + self.attention(self.norm1(x), mask)
        return x + self.network(x)


@misconception(
    of="EncoderLayer",
    sentence="In pre-norm only your queries are normalised: keys and values come from norm1(x) "
    "just as well.",
    caught_by=("test_pre_norm",),
)
class KeysFromTheUnnormalised(Layer):
    def pre(self, x, mask):
        x = x + self.drop(attend(self.self_attn, self.norm1(x), x, mask))
        return x + self.network(self.norm2(x))


@misconception(
    of="EncoderLayer",
    sentence="In post-norm your layer normalises only once, at the very end: the sum of x and the "
    "attention is normalised too.",
    caught_by=("test_post_norm", "test_straight_way"),
)
class FirstNormForgotten(Layer):
    def post(self, x, mask):
        x = x + self.attention(x, mask)
        return self.norm2(x + self.network(x))


@misconception(
    of="EncoderLayer",
    sentence="Your norms have eps = 1e-6: the page asks for 1e-5, which tokens of small numbers "
    "feel.",
    caught_by=("test_norms_have_the_usual_eps",),
)
class SmallerEps(Layer):
    eps = 1e-6


# The feed-forward network -------------------------------------------------------------------------


@misconception(
    of="EncoderLayer",
    sentence="There is no activation between linear1 and linear2: two linear layers in a row are "
    "only one.",
    caught_by=BOTH,
)
class NoActivation(Layer):
    def think(self, x):
        return self.linear2(self.drop(self.linear1(x)))


@misconception(
    of="EncoderLayer",
    sentence="Your activation comes after linear2: it belongs between the two linear layers, and "
    "what the branch adds may be negative.",
    caught_by=BOTH,
)
class ActivationAtTheEnd(Layer):
    def think(self, x):
        return self.activation(self.linear2(self.drop(self.linear1(x))))


@misconception(
    of="EncoderLayer",
    sentence="A second activation after linear2 cuts off all that is negative: there is only the "
    "one between the linear layers.",
    caught_by=BOTH,
)
class ActivationTwice(Layer):
    def think(self, x):
        return self.activation(super().think(x))


@misconception(
    of="EncoderLayer",
    sentence='Your layer always uses relu: activation="gelu" asks for GELU.',
    caught_by=("test_gelu",),
)
class ReluAlways(Layer):
    def chosen(self, activation):
        super().chosen(activation)
        return torch.relu


@misconception(
    of="EncoderLayer",
    sentence="Your GELU is the approximation with tanh: the exact one is asked for, which is what "
    "torch's gelu does when it is told nothing.",
    caught_by=("test_gelu",),
)
class GeluByTanh(Layer):
    def chosen(self, activation):
        right = super().chosen(activation)
        return right if activation == "relu" else lambda h: F.gelu(h, approximate="tanh")


@misconception(
    of="EncoderLayer",
    sentence="Your layer takes any activation it does not know for relu: a word that is neither "
    '"relu" nor "gelu" must raise ValueError, or a slip of the pen goes unnoticed.',
    caught_by=("test_refuses_an_unknown_activation",),
)
class AnyWordWillDo(Layer):
    def chosen(self, activation):
        return F.gelu if activation == "gelu" else torch.relu


@misconception(
    of="EncoderLayer",
    sentence="An unknown activation raises KeyError out of your dictionary: look whether the word "
    "is there and raise ValueError.",
    caught_by=("test_refuses_an_unknown_activation",),
)
class KeyErrorInstead(Layer):
    def chosen(self, activation):
        return {"relu": torch.relu, "gelu": F.gelu}[activation]


# Masks and sizes ----------------------------------------------------------------------------------


@misconception(
    of="EncoderLayer",
    sentence="Your mask is the wrong way round: ours says True = may attend, torch's attention "
    "wants True = may not.",
    caught_by=("test_masks", "test_every_layer_gets_the_mask"),
)
class MaskTheWrongWayRound(Layer):
    def look(self, x, mask):
        if mask is not None:
            full = mask.expand(len(x), self.self_attn.num_heads, x.shape[1], x.shape[1])
            nothing = ~full.any(-1, keepdim=True)  # or there would be NaN
            mask = ~full | nothing
        return super().look(x, mask)


@misconception(
    of="EncoderLayer",
    sentence="Your layer takes no notice of the mask: hand it to the attention.",
    caught_by=("test_masks", "test_padding_is_not_seen"),
)
class MaskIgnored(Layer):
    def look(self, x, mask):
        return super().look(x, None)


@misconception(
    of="EncoderLayer",
    sentence="Your tokens cannot look ahead: a causal mask belongs in the decoder. In the encoder "
    "everybody sees everybody, unless the caller's mask says otherwise.",
    caught_by=(*BOTH, "test_order_does_not_matter"),
)
class CausalAlways(Layer):
    def look(self, x, mask):
        past = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool, device=x.device).tril()
        return super().look(x, past)


@misconception(
    of="EncoderLayer",
    sentence="Your mask hides queries instead of keys: its last axis are the keys, the tokens that "
    "are looked at.",
    caught_by=("test_masks", "test_padding_is_not_seen"),
)
class MaskTransposed(Layer):
    def look(self, x, mask):
        if mask is not None:
            mask = mask.mT
            mask = mask | ~mask.any(-1, keepdim=True)
        return super().look(x, mask)


@misconception(
    of="EncoderLayer",
    sentence="You use the mask of the first sentence for all: every sentence has its own.",
    caught_by=("test_masks", "test_every_layer_gets_the_mask"),
)
class MaskOfTheFirstSentence(Layer):
    def look(self, x, mask):
        return super().look(x, mask if mask is None or mask.ndim == 2 else mask[:1])


@misconception(
    of="EncoderLayer",
    sentence="You use the mask of head 0 for all heads: a mask (B, H, T, T) has one for each.",
    caught_by=("test_masks",),
)
class MaskOfTheFirstHead(Layer):
    def look(self, x, mask):
        return super().look(x, mask if mask is None or mask.ndim == 2 else mask[:, :1])


@misconception(
    of="EncoderLayer",
    sentence="Your (B * H, T, T) mask counts sentences first and heads second: torch wants all "
    "heads of sentence 0, then those of sentence 1, so repeat_interleave, not repeat.",
    caught_by=("test_masks", "test_every_layer_gets_the_mask"),
)
class SentencesAndHeadsMixedUp(Layer):
    def look(self, x, mask):
        if mask is not None:
            heads, length = self.self_attn.num_heads, x.shape[1]
            mask = mask.expand(len(x), heads, length, length)
            mask = mask.transpose(0, 1).reshape(len(x), heads, length, length)
        return super().look(x, mask)


@misconception(
    of="EncoderLayer",
    sentence="You only subtract 100 from the scores of forbidden tokens: a large score survives "
    "that. Hand over a boolean mask, or subtract infinity.",
    caught_by=("test_padding_is_not_seen",),
)
class SubtractsAHundred(Layer):
    def look(self, x, mask):
        if mask is not None:
            heads, length = self.self_attn.num_heads, x.shape[1]
            mask = mask.expand(len(x), heads, length, length).flatten(0, 1)
            mask = (~mask).to(x.dtype) * -100.0
        return self.self_attn(x, x, x, attn_mask=mask, need_weights=False)[0]


@misconception(
    of="EncoderLayer",
    sentence="You turn the caller's mask round in place: the next layer gets it the wrong way "
    "round. ~mask makes a new one.",
    caught_by=("test_masks",),
)
class MaskTurnedInPlace(Layer):
    def look(self, x, mask):
        y = super().look(x, mask)
        if mask is not None:
            mask.logical_not_()
        return y


@misconception(
    of="EncoderLayer",
    sentence="Where there are as many sentences as tokens you take a mask of two axes for one row "
    "a sentence: it is (T, T), who may look at whom, for every sentence.",
    caught_by=("test_any_size",),
)
class TwoAxesTakenForPadding(Layer):
    def look(self, x, mask):
        if mask is not None and tuple(mask.shape) == tuple(x.shape[:2]):
            mask = mask[:, None, None]
        return super().look(x, mask)


@misconception(
    of="EncoderLayer",
    sentence="Your layer keeps the first mask it sees and uses it ever after: every call has its "
    "own.",
    caught_by=("test_any_size",),
)
class RemembersTheMask(Layer):
    remembered = None

    def look(self, x, mask):
        if mask is not None:
            if self.remembered is None or self.remembered.shape[-1] != x.shape[1]:
                self.remembered = mask
            mask = self.remembered
        return super().look(x, self.remembered if mask is None else mask)


@misconception(
    of="EncoderLayer",
    sentence="You make a mask on the CPU, wherever x is: pass device=x.device.",
    caught_by=("test_other_dtypes_and_devices",),
)
class MaskOnTheCpu(Layer):
    def look(self, x, mask):
        if mask is not None:
            everybody = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool, device="cpu")
            mask = mask & everybody
        return super().look(x, mask)


@misconception(
    of="EncoderLayer",
    sentence="You turn x into float32: the layer is to work, and to answer, in the dtype of x.",
    caught_by=("test_other_dtypes_and_devices",),
)
class EverythingInFloat32(Layer):
    def forward(self, x, mask=None):
        return super().forward(x.float(), mask)


@misconception(
    of="EncoderLayer",
    sentence="Your attention takes axis 0 for the tokens and so lets sentences look at one "
    "another: make it with batch_first=True.",
    caught_by=BOTH,
)
class BatchFirstForgotten(Layer):
    def look(self, x, mask):
        self.self_attn.batch_first = False
        if mask is not None and mask.ndim == 4:
            mask = mask[:1]
        full = None if mask is None else ~mask[..., :1, :1].expand(len(x), len(x))
        return self.self_attn(x, x, x, attn_mask=full, need_weights=False)[0]


@misconception(
    of="EncoderLayer",
    sentence="Where there is but one token your layer throws its axis away: squeeze has no place "
    "here.",
    caught_by=("test_any_size",),
)
class OneTokenSqueezed(Layer):
    def forward(self, x, mask=None):
        return super().forward(x, mask).squeeze(1)


@misconception(
    of="EncoderLayer",
    sentence="You write x += ..., which changes the caller's own x: write x = x + ...",
    caught_by=("test_pre_norm",),
)
class SumInPlace(Layer):
    def pre(self, x, mask):
        x += self.attention(self.norm1(x), mask)
        return x + self.network(self.norm2(x))


# Dropout ------------------------------------------------------------------------------------------


@misconception(
    of="EncoderLayer",
    sentence="Your dropout acts after eval() as well: F.dropout must be told training="
    "self.training, as must whoever is handed a probability; nn.Dropout knows by itself.",
    caught_by=("test_no_dropout_in_evaluation",),
)
class DropsAfterEval(Layer):
    def drop(self, h):
        return F.dropout(h, self.p)


@misconception(
    of="EncoderLayer",
    sentence="Dropout falls on the sum, and so on x: drop from the branch, before it is added.",
    caught_by=("test_straight_way",),
)
class DropsTheSum(Layer):
    def pre(self, x, mask):
        x = self.drop(x + self.look(self.norm1(x), mask))
        return self.drop(x + self.think(self.norm2(x)))

    def post(self, x, mask):
        x = self.norm1(self.drop(x + self.look(x, mask)))
        return self.norm2(self.drop(x + self.think(x)))


@misconception(
    of="EncoderLayer",
    sentence="In post-norm dropout falls on what the norm returns: nothing may be missing there. "
    "Drop from the branch, before it is added.",
    caught_by=("test_straight_way",),
)
class DropsAfterTheNorm(Layer):
    def post(self, x, mask):
        x = self.drop(self.norm1(x + self.look(x, mask)))
        return self.drop(self.norm2(x + self.think(x)))


@misconception(
    of="EncoderLayer",
    sentence="Your branches are added whole: dropout falls on what each of them adds, not only on "
    "what is inside them.",
    caught_by=("test_dropout_in_training",),
)
class BranchesNotDropped(Layer):
    attention, network = Layer.look, Layer.think


@misconception(
    of="EncoderLayer",
    sentence="No attention weight is ever dropped: hand `dropout` to nn.MultiheadAttention.",
    caught_by=("test_dropout_in_training",),
)
class AttentionWeightsNotDropped(Layer):
    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self.self_attn.dropout = 0.0


@misconception(
    of="EncoderLayer",
    sentence="No activation is ever dropped: between activation and linear2 there is dropout too.",
    caught_by=("test_dropout_in_training",),
)
class ActivationsNotDropped(Layer):
    def think(self, x):
        return self.linear2(self.activation(self.linear1(x)))


@misconception(
    of="EncoderLayer",
    sentence="Dropout falls on what your branches are given: the norm's result goes in whole, "
    "and what is added at the end is dropped.",
    caught_by=("test_dropout_in_training",),
)
class DropsTheGiven(Layer):
    def attention(self, x, mask):
        return super().attention(self.drop(x), mask)

    def network(self, x):
        return super().network(self.drop(x))


@misconception(
    of="EncoderLayer",
    sentence="What your feed-forward branch adds is dropped twice: once is enough.",
    caught_by=("test_dropout_in_training",),
)
class NetworkDroppedTwice(Layer):
    def network(self, x):
        return self.drop(super().network(x))


@misconception(
    of="EncoderLayer",
    sentence="Nothing is dropped unless `dropout` is given: its default is 0.1.",
    caught_by=("test_dropout_in_training",),
)
class NoDropoutByDefault(Layer):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.0, norm_first=False, activation="relu"):
        super().__init__(d_model, num_heads, d_ff, dropout, norm_first, activation)


@misconception(
    of="EncoderLayer",
    sentence="Your layer always drops one number in ten: the argument `dropout` says how many.",
    caught_by=("test_no_dropout_in_evaluation",),
)
class ATenthAlways(Layer):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=False, activation="relu"):
        super().__init__(d_model, num_heads, d_ff, 0.1, norm_first, activation)


# The stack ----------------------------------------------------------------------------------------


@misconception(
    of="Encoder",
    sentence="Your N layers are the layer itself N times, as [layer] * N or copy.copy make it: one "
    "set of weights. Make a deep copy for each place.",
    caught_by=("test_stack_with_a_norm", "test_layers_share_nothing"),
)
class OneLayerManyTimes(Stack):
    def copies(self, layer, num_layers):
        return nn.ModuleList([layer] * num_layers)


@misconception(
    of="Encoder",
    sentence="One deep copy stands at all N places, so all share its weights: copy anew for each.",
    caught_by=("test_stack_with_a_norm",),
)
class OneCopyManyTimes(Stack):
    def copies(self, layer, num_layers):
        return nn.ModuleList([copy.deepcopy(layer)] * num_layers)


@misconception(
    of="Encoder",
    sentence="The first place of your stack holds the layer itself, so training the stack trains "
    "that too: a copy at every place.",
    caught_by=("test_layers_share_nothing",),
)
class TheLayerItselfFirst(Stack):
    def copies(self, layer, num_layers):
        return nn.ModuleList([layer] + [copy.deepcopy(layer) for _ in range(num_layers - 1)])


@misconception(
    of="Encoder",
    sentence="A Python list hides your layers: the stack has no parameters to train, to move or to "
    "save. Use nn.ModuleList.",
    caught_by=("test_stack_with_a_norm", "test_stack_without_a_norm"),
)
class PlainList(Stack):
    def copies(self, layer, num_layers):
        return list(super().copies(layer, num_layers))


@misconception(
    of="Encoder",
    sentence="Your stack keeps the layer it was made from beside its copies: parameters that are "
    "saved and never used.",
    caught_by=("test_stack_with_a_norm", "test_stack_without_a_norm"),
)
class KeepsTheLayerToo(Stack):
    def __init__(self, layer, num_layers, norm=None):
        super().__init__(layer, num_layers, norm)
        self.layer = layer


@misconception(
    of="Encoder",
    sentence="Your stack's layers begin with fresh random weights: they are copies of the layer "
    "given, so they begin with its weights.",
    caught_by=("test_layers_begin_as_copies",),
)
class FreshWeights(Stack):
    def copies(self, layer, num_layers):
        layers = super().copies(layer, num_layers)
        for weights in layers.parameters():
            nn.init.normal_(weights)
        return layers


@misconception(
    of="Encoder",
    sentence="Your stack has one layer more than num_layers says.",
    caught_by=("test_stack_with_a_norm", "test_stack_without_a_norm"),
)
class OneLayerMore(Stack):
    def copies(self, layer, num_layers):
        return super().copies(layer, num_layers + 1)


@misconception(
    of="Encoder",
    sentence="Every layer of your stack gets the first input, so only the last one counts: hand on "
    "what the one before returned.",
    caught_by=("test_stack_with_a_norm", "test_stack_without_a_norm"),
)
class OnlyTheLastCounts(Stack):
    def forward(self, x, mask=None):
        for layer in self.layers:
            y = layer(x, mask)
        return self.last(y)


@misconception(
    of="Encoder",
    sentence="Your stack goes through its layers from the last to the first.",
    caught_by=("test_stack_with_a_norm", "test_stack_without_a_norm"),
)
class Backwards(Stack):
    def forward(self, x, mask=None):
        for layer in reversed(self.layers):
            x = layer(x, mask)
        return self.last(x)


@misconception(
    of="Encoder",
    sentence="Your stack uses its first layer only: a return inside the loop?",
    caught_by=("test_stack_with_a_norm", "test_stack_without_a_norm"),
)
class OnlyTheFirstCounts(Stack):
    def forward(self, x, mask=None):
        return self.last(self.layers[0](x, mask))


@misconception(
    of="Encoder",
    sentence="You add the stack's input to its result: the residuals are inside the layers.",
    caught_by=("test_stack_with_a_norm", "test_stack_without_a_norm"),
)
class ResidualAroundTheStack(Stack):
    def last(self, x):
        return super().last(x + self.first)

    def forward(self, x, mask=None):
        self.first = x
        return super().forward(x, mask)


@misconception(
    of="Encoder",
    sentence="You add up what all layers return: the result is the last layer's.",
    caught_by=("test_stack_with_a_norm", "test_stack_without_a_norm"),
)
class SumOfAllLayers(Stack):
    def forward(self, x, mask=None):
        results = []
        for layer in self.layers:
            x = layer(x, mask)
            results.append(x)
        return self.last(sum(results))


@misconception(
    of="Encoder",
    sentence="You return the results of all layers: only the last one's is asked for.",
    caught_by=("test_stack_with_a_norm", "test_stack_without_a_norm"),
)
class ReturnsAllResults(Stack):
    def forward(self, x, mask=None):
        results = []
        for layer in self.layers:
            x = layer(x, mask)
            results.append(x)
        return [self.last(x) for x in results]


@misconception(
    of="Encoder",
    sentence="The norm you are given is never used: it comes after the last layer. In pre-norm "
    "nothing else normalises the last sum.",
    caught_by=("test_stack_with_a_norm",),
)
class FinalNormForgotten(Stack):
    def last(self, x):
        return x


@misconception(
    of="Encoder",
    sentence="You apply the last norm after every layer: it comes once, at the end.",
    caught_by=("test_stack_with_a_norm",),
)
class FinalNormAfterEveryLayer(Stack):
    def forward(self, x, mask=None):
        for layer in self.layers:
            x = self.last(layer(x, mask))
        return x


@misconception(
    of="Encoder",
    sentence="You apply the last norm after every layer and once more at the end: it comes once.",
    caught_by=("test_stack_with_a_norm",),
)
class FinalNormOnceTooOften(Stack):
    def forward(self, x, mask=None):
        for layer in self.layers:
            x = self.last(layer(x, mask))
        return self.last(x)


@misconception(
    of="Encoder",
    sentence="You apply the norm before the first layer: it comes after the last.",
    caught_by=("test_stack_with_a_norm",),
)
class FinalNormAtTheBeginning(Stack):
    def forward(self, x, mask=None):
        x = self.last(x)
        for layer in self.layers:
            x = layer(x, mask)
        return x


@misconception(
    of="Encoder",
    sentence="Your stack uses a copy of the norm, so the norm that its maker holds is never "
    "trained: layers are copied, the norm is not.",
    caught_by=("test_stack_with_a_norm",),
)
class NormCopied(Stack):
    def __init__(self, layer, num_layers, norm=None):
        super().__init__(layer, num_layers, copy.deepcopy(norm))


@misconception(
    of="Encoder",
    sentence="Your stack uses its norm only over pre-norm layers: if one is given, it is used, "
    "whatever the layers are.",
    caught_by=("test_stack_with_a_norm",),
)
class FinalNormOnlyInPreNorm(Stack):
    def last(self, x):
        return super().last(x) if self.layers[0].norm_first else x


@misconception(
    of="Encoder",
    sentence="Your stack normalises its result although norm is None: then the last layer's "
    "result is returned as it is.",
    caught_by=("test_stack_without_a_norm",),
)
class NormThoughNoneWasGiven(Stack):
    def last(self, x):
        return F.layer_norm(x, x.shape[-1:]) if self.norm is None else self.norm(x)


@misconception(
    of="Encoder",
    sentence="Your stack cannot do without a norm: where it is None, return the last layer's "
    "result.",
    caught_by=("test_stack_without_a_norm",),
)
class NormDemanded(Stack):
    def last(self, x):
        return self.norm(x)
