"""Wrong answers to ``decoder``, and what their authors are told."""

from __future__ import annotations

import copy

import torch
import torch.nn.functional as F
from torch import nn

from grader.programs.bank import misconception

BOTH = ("test_post_norm", "test_pre_norm")
STACKS = ("test_stack_with_a_norm", "test_stack_without_a_norm")


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

    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=False, activation="relu"):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(d_model, num_heads, dropout, batch_first=True)
        self.multihead_attn = nn.MultiheadAttention(d_model, num_heads, dropout, batch_first=True)
        self.linear1, self.linear2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.norm3 = nn.LayerNorm(d_model)
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

    def read(self, x, memory, mask):
        return attend(self.multihead_attn, x, memory, mask)

    def think(self, x):
        return self.linear2(self.drop(self.activation(self.linear1(x))))

    def first(self, x, mask):
        return self.drop(self.look(x, mask))

    def second(self, x, memory, mask):
        return self.drop(self.read(x, memory, mask))

    def third(self, x):
        return self.drop(self.think(x))

    def pre(self, x, memory, tgt_mask, memory_mask):
        x = x + self.first(self.norm1(x), tgt_mask)
        x = x + self.second(self.norm2(x), memory, memory_mask)
        return x + self.third(self.norm3(x))

    def post(self, x, memory, tgt_mask, memory_mask):
        x = self.norm1(x + self.first(x, tgt_mask))
        x = self.norm2(x + self.second(x, memory, memory_mask))
        return self.norm3(x + self.third(x))

    def forward(self, tgt, memory, tgt_mask=None, memory_mask=None):
        order = self.pre if self.norm_first else self.post
        return order(tgt, memory, tgt_mask, memory_mask)


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

    def forward(self, tgt, memory, tgt_mask=None, memory_mask=None):
        for layer in self.layers:
            tgt = layer(tgt, memory, tgt_mask, memory_mask)
        return self.last(tgt)


# The stack's masks, before the layer's, which look the same from outside --------------------------


@misconception(
    of="Decoder",
    sentence="Only your first layer gets the causal mask: from the second on, tokens look ahead.",
    caught_by=("test_every_layer_gets_both_masks", "test_no_look_ahead"),
)
class TargetMaskForTheFirstLayerOnly(Stack):
    def forward(self, tgt, memory, tgt_mask=None, memory_mask=None):
        for layer in self.layers:
            tgt, tgt_mask = layer(tgt, memory, tgt_mask, memory_mask), None
        return self.last(tgt)


@misconception(
    of="Decoder",
    sentence="Only your first layer gets memory_mask: from the second on, the source's padding is "
    "read.",
    caught_by=("test_every_layer_gets_both_masks",),
)
class MemoryMaskForTheFirstLayerOnly(Stack):
    def forward(self, tgt, memory, tgt_mask=None, memory_mask=None):
        for layer in self.layers:
            tgt, memory_mask = layer(tgt, memory, tgt_mask, memory_mask), None
        return self.last(tgt)


@misconception(
    of="Decoder",
    sentence="Your stack keeps both masks to itself: hand them to every layer.",
    caught_by=("test_every_layer_gets_both_masks", "test_no_look_ahead"),
)
class MasksNotHandedOn(Stack):
    def forward(self, tgt, memory, tgt_mask=None, memory_mask=None):
        return super().forward(tgt, memory)


@misconception(
    of="Decoder",
    sentence="Your stack keeps memory_mask to itself: hand it to every layer, beside tgt_mask.",
    caught_by=("test_every_layer_gets_both_masks",),
)
class MemoryMaskNotHandedOn(Stack):
    def forward(self, tgt, memory, tgt_mask=None, memory_mask=None):
        return super().forward(tgt, memory, tgt_mask)


@misconception(
    of="Decoder",
    sentence="Your stack hands the masks on in the wrong order: a layer takes tgt_mask first.",
    caught_by=("test_every_layer_gets_both_masks",),
)
class MasksHandedOnExchanged(Stack):
    def forward(self, tgt, memory, tgt_mask=None, memory_mask=None):
        return super().forward(tgt, memory, memory_mask, tgt_mask)


# The wiring ---------------------------------------------------------------------------------------


@misconception(
    of="DecoderLayer",
    sentence="In pre-norm you write x = norm1(x) and add the branch to that: the straight way must "
    "carry x as it came, in all three sub-layers. Give norm1(x) no name, or another one.",
    caught_by=("test_pre_norm", "test_straight_way"),
)
class ResidualFromTheNormalised(Layer):
    def pre(self, x, memory, tgt_mask, memory_mask):
        x = self.norm1(x)
        x = x + self.first(x, tgt_mask)
        x = self.norm2(x)
        x = x + self.second(x, memory, memory_mask)
        x = self.norm3(x)
        return x + self.third(x)


@misconception(
    of="DecoderLayer",
    sentence="Nothing runs past your sub-layers: each of the three is added to what it was given.",
    caught_by=(*BOTH, "test_straight_way"),
)
class NoResiduals(Layer):
    def pre(self, x, memory, tgt_mask, memory_mask):
        x = self.first(self.norm1(x), tgt_mask)
        return self.third(self.norm3(self.second(self.norm2(x), memory, memory_mask)))

    def post(self, x, memory, tgt_mask, memory_mask):
        x = self.norm1(self.first(x, tgt_mask))
        return self.norm3(self.third(self.norm2(self.second(x, memory, memory_mask))))


@misconception(
    of="DecoderLayer",
    sentence="Your cross-attention has no residual: what it finds in the memory replaces the "
    "target, instead of being added to it.",
    caught_by=(*BOTH, "test_straight_way"),
)
class NoResidualAroundTheReading(Layer):
    def pre(self, x, memory, tgt_mask, memory_mask):
        x = x + self.first(self.norm1(x), tgt_mask)
        x = self.second(self.norm2(x), memory, memory_mask)
        return x + self.third(self.norm3(x))

    def post(self, x, memory, tgt_mask, memory_mask):
        x = self.norm1(x + self.first(x, tgt_mask))
        x = self.norm2(self.second(x, memory, memory_mask))
        return self.norm3(x + self.third(x))


@misconception(
    of="DecoderLayer",
    sentence="Your feed-forward branch adds its input itself and your layer adds it again: one "
    "residual for each branch.",
    caught_by=(*BOTH, "test_straight_way"),
)
class ResidualTwice(Layer):
    def think(self, x):
        return x + super().think(x)


@misconception(
    of="DecoderLayer",
    sentence="Your feed-forward branch comes back added and normalised, and your layer adds and "
    "normalises again. Either the branch does it or the layer, not both.",
    caught_by=BOTH,
)
class ResidualAndNormTwice(Layer):
    def think(self, x):
        return self.norm3(x + super().think(x))


@misconception(
    of="DecoderLayer",
    sentence="You add all branches to the layer's input tgt: each straight way begins at the "
    "result of the sub-layer before, or that result is lost.",
    caught_by=BOTH,
)
class ResidualsFromTheInput(Layer):
    def pre(self, x, memory, tgt_mask, memory_mask):
        h = x + self.first(self.norm1(x), tgt_mask)
        h = x + self.second(self.norm2(h), memory, memory_mask)
        return x + self.third(self.norm3(h))

    def post(self, x, memory, tgt_mask, memory_mask):
        h = self.norm1(x + self.first(x, tgt_mask))
        h = self.norm2(x + self.second(h, memory, memory_mask))
        return self.norm3(x + self.third(h))


@misconception(
    of="DecoderLayer",
    sentence="Your two attentions work side by side on tgt. They come one after the other: the "
    "queries for the memory are made of what the self-attention sub-layer returns.",
    caught_by=BOTH,
)
class AttentionsSideBySide(Layer):
    def pre(self, x, memory, tgt_mask, memory_mask):
        read = self.second(self.norm2(x), memory, memory_mask)
        x = x + self.first(self.norm1(x), tgt_mask) + read
        return x + self.third(self.norm3(x))

    def post(self, x, memory, tgt_mask, memory_mask):
        read = self.second(x, memory, memory_mask)
        x = self.norm2(self.norm1(x + self.first(x, tgt_mask)) + read)
        return self.norm3(x + self.third(x))


@misconception(
    of="DecoderLayer",
    sentence="Your layer reads the memory before the target's tokens have looked at one another: "
    "self-attention comes first.",
    caught_by=BOTH,
)
class ReadsFirst(Layer):
    def pre(self, x, memory, tgt_mask, memory_mask):
        x = x + self.second(self.norm2(x), memory, memory_mask)
        x = x + self.first(self.norm1(x), tgt_mask)
        return x + self.third(self.norm3(x))

    def post(self, x, memory, tgt_mask, memory_mask):
        x = self.norm2(x + self.second(x, memory, memory_mask))
        x = self.norm1(x + self.first(x, tgt_mask))
        return self.norm3(x + self.third(x))


@misconception(
    of="DecoderLayer",
    sentence="Your feed-forward network comes before the cross-attention: it is the last of the "
    "three.",
    caught_by=BOTH,
)
class NetworkInTheMiddle(Layer):
    def pre(self, x, memory, tgt_mask, memory_mask):
        x = x + self.first(self.norm1(x), tgt_mask)
        x = x + self.third(self.norm3(x))
        return x + self.second(self.norm2(x), memory, memory_mask)

    def post(self, x, memory, tgt_mask, memory_mask):
        x = self.norm1(x + self.first(x, tgt_mask))
        x = self.norm3(x + self.third(x))
        return self.norm2(x + self.second(x, memory, memory_mask))


@misconception(
    of="DecoderLayer",
    sentence="Your feed-forward network is never called: linear1 and linear2 get no gradient.",
    caught_by=BOTH,
)
class NetworkForgotten(Layer):
    def third(self, x):
        return torch.zeros_like(x)


@misconception(
    of="DecoderLayer",
    sentence="Your self-attention is never called: no target token learns anything of the others.",
    caught_by=(*BOTH, "test_target_mask"),
)
class SelfAttentionForgotten(Layer):
    def first(self, x, mask):
        return torch.zeros_like(x)


@misconception(
    of="DecoderLayer",
    sentence="Your cross-attention is never called: the layer would say the same whatever the "
    "source sentence is.",
    caught_by=(*BOTH, "test_example"),
)
class MemoryForgotten(Layer):
    def second(self, x, memory, mask):
        return torch.zeros_like(x)


# Queries, keys and values -------------------------------------------------------------------------


@misconception(
    of="DecoderLayer",
    sentence="In your cross-attention keys and values come from the target: it is a second "
    "self-attention. They come from the memory.",
    caught_by=(*BOTH, "test_example"),
)
class ReadsTheTarget(Layer):
    def read(self, x, memory, mask):
        return attend(self.multihead_attn, x, x, None)


@misconception(
    of="DecoderLayer",
    sentence="In your cross-attention the sides are exchanged: the memory asks and the target "
    "answers. Queries come from the target, so there are as many results as target tokens.",
    caught_by=(*BOTH, "test_masks_do_not_mix"),
)
class MemoryAsks(Layer):
    def read(self, x, memory, mask):
        found = attend(self.multihead_attn, memory, x, None if mask is None else mask.mT)
        return found[:, : x.shape[1]]


@misconception(
    of="DecoderLayer",
    sentence="Your cross-attention takes only its keys from the memory and its values from the "
    "target: both come from the memory.",
    caught_by=(*BOTH, "test_masks_do_not_mix"),
)
class ValuesFromTheTarget(Layer):
    def read(self, x, memory, mask):
        if mask is not None:
            mask = ~mask.expand(len(x), self.multihead_attn.num_heads, x.shape[1], -1).flatten(0, 1)
        return self.multihead_attn(x, memory, x, attn_mask=mask, need_weights=False)[0]


@misconception(
    of="DecoderLayer",
    sentence="Your cross-attention takes only its values from the memory and its keys from the "
    "target: both come from the memory.",
    caught_by=(*BOTH, "test_masks_do_not_mix"),
)
class KeysFromTheTarget(Layer):
    def read(self, x, memory, mask):
        if mask is not None:
            mask = ~mask.expand(len(x), self.multihead_attn.num_heads, x.shape[1], -1).flatten(0, 1)
        return self.multihead_attn(x, x, memory, attn_mask=mask, need_weights=False)[0]


@misconception(
    of="DecoderLayer",
    sentence="Your cross-attention cuts the memory to the length of the target: the two may "
    "differ, and every memory token may be read.",
    caught_by=(*BOTH, "test_example"),
)
class MemoryCutToTheTarget(Layer):
    def read(self, x, memory, mask):
        length = x.shape[1]
        return super().read(x, memory[:, :length], None if mask is None else mask[..., :length])


@misconception(
    of="DecoderLayer",
    sentence="You use self_attn for both attentions, and multihead_attn gets no gradient: it is "
    "the one that reads the memory.",
    caught_by=BOTH,
)
class SelfAttnTwice(Layer):
    def read(self, x, memory, mask):
        return attend(self.self_attn, x, memory, mask)


@misconception(
    of="DecoderLayer",
    sentence="self_attn and multihead_attn are one and the same module, so their weights are tied: "
    "make two.",
    caught_by=BOTH,
)
class OneAttentionForBoth(Layer):
    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self.multihead_attn = self.self_attn


@misconception(
    of="DecoderLayer",
    sentence="self_attn and multihead_attn have changed places: multihead_attn reads the memory.",
    caught_by=BOTH,
)
class AttentionsExchanged(Layer):
    def look(self, x, mask):
        return attend(self.multihead_attn, x, x, mask)

    def read(self, x, memory, mask):
        return attend(self.self_attn, x, memory, mask)


@misconception(
    of="DecoderLayer",
    sentence="You detach the memory: no gradient flows back through it, and the encoder never "
    "learns what the decoder needs.",
    caught_by=BOTH,
)
class MemoryDetached(Layer):
    def read(self, x, memory, mask):
        return super().read(x, memory.detach(), mask)


# The norms ----------------------------------------------------------------------------------------


@misconception(
    of="DecoderLayer",
    sentence="In pre-norm your norm2 falls on the memory too: it belongs to the target. The memory "
    "is read as the encoder has left it.",
    caught_by=("test_pre_norm",),
)
class MemoryNormalised(Layer):
    def pre(self, x, memory, tgt_mask, memory_mask):
        x = x + self.first(self.norm1(x), tgt_mask)
        x = x + self.second(self.norm2(x), self.norm2(memory), memory_mask)
        return x + self.third(self.norm3(x))


@misconception(
    of="DecoderLayer",
    sentence="In pre-norm norm2 falls on the memory instead of on the target: normalise what asks, "
    "not what is read.",
    caught_by=("test_pre_norm",),
)
class OnlyTheMemoryNormalised(Layer):
    def pre(self, x, memory, tgt_mask, memory_mask):
        x = x + self.first(self.norm1(x), tgt_mask)
        x = x + self.second(x, self.norm2(memory), memory_mask)
        return x + self.third(self.norm3(x))


@misconception(
    of="DecoderLayer",
    sentence="In pre-norm your cross-attention is asked with x itself: ask with norm2(x).",
    caught_by=("test_pre_norm",),
)
class AsksWithTheUnnormalised(Layer):
    def pre(self, x, memory, tgt_mask, memory_mask):
        x = x + self.first(self.norm1(x), tgt_mask)
        x = x + self.second(x, memory, memory_mask)
        return x + self.third(self.norm3(x))


@misconception(
    of="DecoderLayer",
    sentence="norm1, norm2 and norm3 are one and the same module, so their weights are tied: make "
    "three.",
    caught_by=BOTH,
)
class OneNormForAll(Layer):
    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self.norm1 = self.norm2 = self.norm3


@misconception(
    of="DecoderLayer",
    sentence="You use norm1 for all three sub-layers, and norm2 and norm3 get no gradient: each "
    "sub-layer has its own.",
    caught_by=BOTH,
)
class FirstNormThrice(Layer):
    def pre(self, x, memory, tgt_mask, memory_mask):
        x = x + self.first(self.norm1(x), tgt_mask)
        x = x + self.second(self.norm1(x), memory, memory_mask)
        return x + self.third(self.norm1(x))

    def post(self, x, memory, tgt_mask, memory_mask):
        x = self.norm1(x + self.first(x, tgt_mask))
        x = self.norm1(x + self.second(x, memory, memory_mask))
        return self.norm1(x + self.third(x))


@misconception(
    of="DecoderLayer",
    sentence="norm2 and norm3 have changed places: norm2 belongs to the cross-attention.",
    caught_by=BOTH,
)
class NormsExchanged(Layer):
    def pre(self, x, memory, tgt_mask, memory_mask):
        x = x + self.first(self.norm1(x), tgt_mask)
        x = x + self.second(self.norm3(x), memory, memory_mask)
        return x + self.third(self.norm2(x))

    def post(self, x, memory, tgt_mask, memory_mask):
        x = self.norm1(x + self.first(x, tgt_mask))
        x = self.norm3(x + self.second(x, memory, memory_mask))
        return self.norm2(x + self.third(x))


@misconception(
    of="DecoderLayer",
    sentence="Your layer is post-norm also where norm_first asks for pre-norm: there the norms "
    "stand at the beginning of the branches.",
    caught_by=("test_pre_norm", "test_straight_way"),
)
class PostNormAlways(Layer):
    pre = Layer.post


@misconception(
    of="DecoderLayer",
    sentence="Your layer is pre-norm also where norm_first is False: there the norms stand after "
    "the sums.",
    caught_by=("test_post_norm", "test_straight_way"),
)
class PreNormAlways(Layer):
    post = Layer.pre


@misconception(
    of="DecoderLayer",
    sentence="Without norm_first your layer is pre-norm: the default is norm_first=False, the "
    "order of the first Transformer.",
    caught_by=("test_post_norm",),
)
class PreNormByDefault(Layer):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=True, activation="relu"):
        super().__init__(d_model, num_heads, d_ff, dropout, norm_first, activation)


@misconception(
    of="DecoderLayer",
    sentence="You normalise each branch before it is added: a norm stands before the branch "
    "(pre-norm) or after the sum (post-norm), never between.",
    caught_by=BOTH,
)
class NormsBetweenBranchAndSum(Layer):
    def pre(self, x, memory, tgt_mask, memory_mask):
        x = x + self.norm1(self.first(x, tgt_mask))
        x = x + self.norm2(self.second(x, memory, memory_mask))
        return x + self.norm3(self.third(x))

    post = pre


@misconception(
    of="DecoderLayer",
    sentence="In post-norm the sum of the target and what was read in the memory is not "
    "normalised: norm2 comes after it.",
    caught_by=("test_post_norm", "test_straight_way"),
)
class SecondNormForgotten(Layer):
    def post(self, x, memory, tgt_mask, memory_mask):
        x = self.norm1(x + self.first(x, tgt_mask))
        x = x + self.second(x, memory, memory_mask)
        return self.norm3(x + self.third(x))


@misconception(
    of="DecoderLayer",
    sentence="In post-norm your last sum is not normalised: norm3 comes after it.",
    caught_by=("test_post_norm", "test_straight_way"),
)
class ThirdNormForgotten(Layer):
    def post(self, x, memory, tgt_mask, memory_mask):
        x = self.norm1(x + self.first(x, tgt_mask))
        x = self.norm2(x + self.second(x, memory, memory_mask))
        return x + self.third(x)


# The feed-forward network -------------------------------------------------------------------------


@misconception(
    of="DecoderLayer",
    sentence="There is no activation between linear1 and linear2: two linear layers in a row are "
    "only one.",
    caught_by=BOTH,
)
class NoActivation(Layer):
    def think(self, x):
        return self.linear2(self.drop(self.linear1(x)))


@misconception(
    of="DecoderLayer",
    sentence="Your activation comes after linear2: it belongs between the two linear layers, and "
    "what the branch adds may be negative.",
    caught_by=BOTH,
)
class ActivationAtTheEnd(Layer):
    def think(self, x):
        return self.activation(self.linear2(self.drop(self.linear1(x))))


@misconception(
    of="DecoderLayer",
    sentence='Your layer always uses relu: activation="gelu" asks for GELU.',
    caught_by=("test_gelu",),
)
class ReluAlways(Layer):
    def chosen(self, activation):
        super().chosen(activation)
        return torch.relu


@misconception(
    of="DecoderLayer",
    sentence="Your GELU is the approximation with tanh: the exact one is asked for, which is what "
    "torch's gelu does when it is told nothing.",
    caught_by=("test_gelu",),
)
class GeluByTanh(Layer):
    def chosen(self, activation):
        right = super().chosen(activation)
        return right if activation == "relu" else lambda h: F.gelu(h, approximate="tanh")


@misconception(
    of="DecoderLayer",
    sentence="Your layer takes any activation it does not know for relu: a word that is neither "
    '"relu" nor "gelu" must raise ValueError, or a slip of the pen goes unnoticed.',
    caught_by=("test_refuses_an_unknown_activation",),
)
class AnyWordWillDo(Layer):
    def chosen(self, activation):
        return F.gelu if activation == "gelu" else torch.relu


# Masks and sizes ----------------------------------------------------------------------------------


@misconception(
    of="DecoderLayer",
    sentence="Your layer takes no notice of tgt_mask: with a causal mask a token would still read "
    "the answer it is to predict.",
    caught_by=("test_target_mask", "test_no_look_ahead"),
)
class TargetMaskIgnored(Layer):
    def look(self, x, mask):
        return super().look(x, None)


@misconception(
    of="DecoderLayer",
    sentence="Your layer takes no notice of memory_mask: the source's padding is read.",
    caught_by=("test_memory_mask", "test_padding_of_the_memory_is_not_seen"),
)
class MemoryMaskIgnored(Layer):
    def read(self, x, memory, mask):
        return super().read(x, memory, None)


@misconception(
    of="DecoderLayer",
    sentence="Your masks have changed places: tgt_mask is the self-attention's, memory_mask the "
    "cross-attention's.",
    caught_by=("test_masks_do_not_mix",),
)
class MasksExchanged(Layer):
    def forward(self, tgt, memory, tgt_mask=None, memory_mask=None):
        return super().forward(tgt, memory, memory_mask, tgt_mask)


@misconception(
    of="DecoderLayer",
    sentence="Your tgt_mask rules the cross-attention as well: a target token may read the whole "
    "memory, whatever its place in the target.",
    caught_by=("test_masks_do_not_mix",),
)
class TargetMaskOnTheMemoryToo(Layer):
    def forward(self, tgt, memory, tgt_mask=None, memory_mask=None):
        if memory_mask is None:
            memory_mask = tgt_mask
        return super().forward(tgt, memory, tgt_mask, memory_mask)


@misconception(
    of="DecoderLayer",
    sentence="Your cross-attention obeys tgt_mask and forgets memory_mask: hand the one to "
    "self_attn and the other to multihead_attn.",
    caught_by=("test_masks_do_not_mix",),
)
class TargetMaskOnBoth(Layer):
    def forward(self, tgt, memory, tgt_mask=None, memory_mask=None):
        return super().forward(tgt, memory, tgt_mask, tgt_mask)


@misconception(
    of="DecoderLayer",
    sentence="Where both masks are given you combine them into one for both attentions: each "
    "attention has its own.",
    caught_by=("test_masks_do_not_mix",),
)
class MasksCombined(Layer):
    def forward(self, tgt, memory, tgt_mask=None, memory_mask=None):
        same = tgt.shape[1] == memory.shape[1]
        if same and tgt_mask is not None and memory_mask is not None:
            both = tgt_mask & memory_mask
            tgt_mask = memory_mask = both | ~both.any(-1, keepdim=True)
        return super().forward(tgt, memory, tgt_mask, memory_mask)


@misconception(
    of="DecoderLayer",
    sentence="Your masks are the wrong way round: ours say True = may attend, torch's attention "
    "wants True = may not.",
    caught_by=("test_target_mask", "test_memory_mask"),
)
class MasksTheWrongWayRound(Layer):
    def turned(self, mask, x, of):
        if mask is not None:
            mask = mask.expand(len(x), self.self_attn.num_heads, x.shape[1], of.shape[1])
            mask = ~mask | mask.all(-1, keepdim=True)  # or there would be NaN
        return mask

    def look(self, x, mask):
        return super().look(x, self.turned(mask, x, x))

    def read(self, x, memory, mask):
        return super().read(x, memory, self.turned(mask, x, memory))


@misconception(
    of="DecoderLayer",
    sentence="Your layer is causal by itself: without a tgt_mask every target token may look at "
    "every other. The causal mask is the caller's.",
    caught_by=BOTH,
)
class CausalByItself(Layer):
    def look(self, x, mask):
        past = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool, device=x.device).tril()
        return super().look(x, past if mask is None else mask)


@misconception(
    of="DecoderLayer",
    sentence="Your layer always adds a causal mask to the one it is given: a tgt_mask that lets a "
    "token look ahead is the caller's wish.",
    caught_by=("test_target_mask",),
)
class CausalAsWell(Layer):
    def look(self, x, mask):
        if mask is not None:
            past = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool, device=x.device).tril()
            mask = mask & past
            mask = mask | ~mask.any(-1, keepdim=True)
        return super().look(x, mask)


@misconception(
    of="DecoderLayer",
    sentence="You use the masks of the first sentence for all: every sentence has its own.",
    caught_by=("test_target_mask", "test_memory_mask"),
)
class MasksOfTheFirstSentence(Layer):
    def forward(self, tgt, memory, tgt_mask=None, memory_mask=None):
        masks = (tgt_mask, memory_mask)
        masks = [m if m is None or m.ndim == 2 else m[:1] for m in masks]
        return super().forward(tgt, memory, *masks)


@misconception(
    of="DecoderLayer",
    sentence="You use the tgt_mask of head 0 for all heads: a mask (B, H, T, T) has one for each.",
    caught_by=("test_target_mask",),
)
class TargetMaskOfTheFirstHead(Layer):
    def look(self, x, mask):
        return super().look(x, mask if mask is None or mask.ndim == 2 else mask[:, :1])


@misconception(
    of="DecoderLayer",
    sentence="You use the memory_mask of head 0 for all heads: a mask (B, H, T, S) has one for "
    "each.",
    caught_by=("test_memory_mask",),
)
class MemoryMaskOfTheFirstHead(Layer):
    def read(self, x, memory, mask):
        mask = mask if mask is None or mask.ndim == 2 else mask[:, :1]
        return super().read(x, memory, mask)


class SubtractsAHundred(Layer):
    def softly(self, attention, x, of, mask):
        mask = mask.expand(len(x), attention.num_heads, x.shape[1], of.shape[1]).flatten(0, 1)
        mask = (~mask).to(x.dtype) * -100.0
        return attention(x, of, of, attn_mask=mask, need_weights=False)[0]


@misconception(
    of="DecoderLayer",
    sentence="You only subtract 100 from the scores of later tokens: a large score survives that. "
    "Hand over a boolean mask, or subtract infinity.",
    caught_by=("test_no_look_ahead",),
)
class SoftTargetMask(SubtractsAHundred):
    def look(self, x, mask):
        return super().look(x, mask) if mask is None else self.softly(self.self_attn, x, x, mask)


@misconception(
    of="DecoderLayer",
    sentence="You only subtract 100 from the scores of the memory's padding: a large score "
    "survives that. Hand over a boolean mask, or subtract infinity.",
    caught_by=("test_padding_of_the_memory_is_not_seen",),
)
class SoftMemoryMask(SubtractsAHundred):
    def read(self, x, memory, mask):
        if mask is None:
            return super().read(x, memory, mask)
        return self.softly(self.multihead_attn, x, memory, mask)


@misconception(
    of="DecoderLayer",
    sentence="Where there are as many sentences as tokens you take a tgt_mask of two axes for one "
    "row a sentence: it is (T, T), who may look at whom, for every sentence.",
    caught_by=("test_any_size",),
)
class TwoAxesTakenForPadding(Layer):
    def look(self, x, mask):
        if mask is not None and tuple(mask.shape) == tuple(x.shape[:2]):
            mask = mask[:, None, None]
        return super().look(x, mask)


@misconception(
    of="DecoderLayer",
    sentence="You turn the caller's masks round in place: the next layer gets them the wrong way "
    "round. ~mask makes a new one.",
    caught_by=("test_target_mask", "test_memory_mask"),
)
class MasksTurnedInPlace(Layer):
    def forward(self, tgt, memory, tgt_mask=None, memory_mask=None):
        y = super().forward(tgt, memory, tgt_mask, memory_mask)
        for mask in (tgt_mask, memory_mask):
            if mask is not None:
                mask.logical_not_()
        return y


@misconception(
    of="DecoderLayer",
    sentence="You make a mask on the CPU, wherever tgt is: pass device=tgt.device.",
    caught_by=("test_other_dtypes_and_devices",),
)
class MaskOnTheCpu(Layer):
    def look(self, x, mask):
        if mask is not None:
            mask = mask & torch.ones(x.shape[1], x.shape[1], dtype=torch.bool, device="cpu")
        return super().look(x, mask)


@misconception(
    of="DecoderLayer",
    sentence="You turn the memory into float32: the layer is to work in the dtype it is given.",
    caught_by=("test_other_dtypes_and_devices",),
)
class MemoryInFloat32(Layer):
    def read(self, x, memory, mask):
        return super().read(x, memory.float(), mask)


@misconception(
    of="DecoderLayer",
    sentence="Where there is but one target token your layer throws its axis away: squeeze has no "
    "place here.",
    caught_by=("test_any_size", "test_example"),
)
class OneTokenSqueezed(Layer):
    def forward(self, tgt, memory, tgt_mask=None, memory_mask=None):
        return super().forward(tgt, memory, tgt_mask, memory_mask).squeeze(1)


@misconception(
    of="DecoderLayer",
    sentence="Your layer keeps the first memory it reads and reads it ever after: every call "
    "brings its own.",
    caught_by=("test_any_size",),
)
class RemembersTheMemory(Layer):
    remembered = None

    def read(self, x, memory, mask):
        if self.remembered is None or self.remembered.shape != memory.shape:
            self.remembered = memory
        return super().read(x, self.remembered, mask)


@misconception(
    of="DecoderLayer",
    sentence="You write tgt += ..., which changes the caller's own tgt: write x = tgt + ...",
    caught_by=("test_pre_norm",),
)
class SumInPlace(Layer):
    def pre(self, x, memory, tgt_mask, memory_mask):
        x += self.first(self.norm1(x), tgt_mask)
        x = x + self.second(self.norm2(x), memory, memory_mask)
        return x + self.third(self.norm3(x))


# Dropout ------------------------------------------------------------------------------------------


@misconception(
    of="DecoderLayer",
    sentence="Your dropout acts after eval() as well: F.dropout must be told training="
    "self.training, as must whoever is handed a probability; nn.Dropout knows by itself.",
    caught_by=("test_no_dropout_in_evaluation",),
)
class DropsAfterEval(Layer):
    def drop(self, h):
        return F.dropout(h, self.p)


@misconception(
    of="DecoderLayer",
    sentence="Your layer always drops one number in ten: the argument `dropout` says how many.",
    caught_by=("test_no_dropout_in_evaluation",),
)
class ATenthAlways(Layer):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=False, activation="relu"):
        super().__init__(d_model, num_heads, d_ff, 0.1, norm_first, activation)


@misconception(
    of="DecoderLayer",
    sentence="Dropout falls on the sum, and so on the target: drop from the branch, before it is "
    "added.",
    caught_by=("test_straight_way",),
)
class DropsTheSum(Layer):
    first, second, third = Layer.look, Layer.read, Layer.think

    def pre(self, x, memory, tgt_mask, memory_mask):
        x = self.drop(x + self.first(self.norm1(x), tgt_mask))
        x = self.drop(x + self.second(self.norm2(x), memory, memory_mask))
        return self.drop(x + self.third(self.norm3(x)))

    def post(self, x, memory, tgt_mask, memory_mask):
        x = self.norm1(self.drop(x + self.first(x, tgt_mask)))
        x = self.norm2(self.drop(x + self.second(x, memory, memory_mask)))
        return self.norm3(self.drop(x + self.third(x)))


@misconception(
    of="DecoderLayer",
    sentence="Dropout falls on what your branches are given: norm results and memory go in whole, "
    "and what is added at the end is dropped.",
    caught_by=("test_dropout_in_training",),
)
class DropsTheGiven(Layer):
    def first(self, x, mask):
        return super().first(self.drop(x), mask)

    def third(self, x):
        return super().third(self.drop(x))


@misconception(
    of="DecoderLayer",
    sentence="Dropout falls on the memory: it is read whole, and what was read is dropped.",
    caught_by=("test_dropout_in_training",),
)
class DropsTheMemory(Layer):
    def second(self, x, memory, mask):
        return self.drop(super().second(x, self.drop(memory), mask))


@misconception(
    of="DecoderLayer",
    sentence="What the self-attention adds is never dropped: dropout falls on all three branches.",
    caught_by=("test_dropout_in_training",),
)
class SelfAttentionNotDropped(Layer):
    first = Layer.look


@misconception(
    of="DecoderLayer",
    sentence="What the cross-attention adds is never dropped: dropout falls on all three branches.",
    caught_by=("test_dropout_in_training",),
)
class CrossAttentionNotDropped(Layer):
    second = Layer.read


@misconception(
    of="DecoderLayer",
    sentence="What the feed-forward network adds is never dropped: dropout falls on all three "
    "branches.",
    caught_by=("test_dropout_in_training",),
)
class NetworkNotDropped(Layer):
    third = Layer.think


@misconception(
    of="DecoderLayer",
    sentence="No weight of your cross-attention is ever dropped: hand `dropout` to that "
    "nn.MultiheadAttention too.",
    caught_by=("test_dropout_in_training",),
)
class CrossAttentionWeightsNotDropped(Layer):
    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self.multihead_attn.dropout = 0.0


@misconception(
    of="DecoderLayer",
    sentence="No weight of your attentions is ever dropped: hand `dropout` to both "
    "nn.MultiheadAttention.",
    caught_by=("test_dropout_in_training",),
)
class AttentionWeightsNotDropped(CrossAttentionWeightsNotDropped):
    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self.self_attn.dropout = 0.0


@misconception(
    of="DecoderLayer",
    sentence="No activation is ever dropped: between activation and linear2 there is dropout too.",
    caught_by=("test_dropout_in_training",),
)
class ActivationsNotDropped(Layer):
    def think(self, x):
        return self.linear2(self.activation(self.linear1(x)))


@misconception(
    of="DecoderLayer",
    sentence="Nothing is dropped unless `dropout` is given: its default is 0.1.",
    caught_by=("test_dropout_in_training",),
)
class NoDropoutByDefault(Layer):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.0, norm_first=False, activation="relu"):
        super().__init__(d_model, num_heads, d_ff, dropout, norm_first, activation)


# The stack ----------------------------------------------------------------------------------------


@misconception(
    of="Decoder",
    sentence="Your memory changes from layer to layer, as if it went through the stack as well: "
    "every layer reads what the encoder has left.",
    caught_by=STACKS[:1],
)
class MemoryReplaced(Stack):
    def forward(self, tgt, memory, tgt_mask=None, memory_mask=None):
        for layer in self.layers:
            tgt = layer(tgt, memory, tgt_mask, memory_mask)
            memory, memory_mask = tgt, None
        return self.last(tgt)


@misconception(
    of="Decoder",
    sentence="Your stack normalises the memory before it is read: the norm belongs to the result "
    "of the last layer.",
    caught_by=STACKS[:1],
)
class StackNormalisesTheMemory(Stack):
    def forward(self, tgt, memory, tgt_mask=None, memory_mask=None):
        return super().forward(tgt, self.last(memory), tgt_mask, memory_mask)


@misconception(
    of="Decoder",
    sentence="Your N layers are the layer itself N times, as [layer] * N or copy.copy make it: one "
    "set of weights. Make a deep copy for each place.",
    caught_by=("test_stack_with_a_norm", "test_layers_share_nothing"),
)
class OneLayerManyTimes(Stack):
    def copies(self, layer, num_layers):
        return nn.ModuleList([layer] * num_layers)


@misconception(
    of="Decoder",
    sentence="One deep copy stands at all N places, so all share its weights: copy anew for each.",
    caught_by=("test_stack_with_a_norm",),
)
class OneCopyManyTimes(Stack):
    def copies(self, layer, num_layers):
        return nn.ModuleList([copy.deepcopy(layer)] * num_layers)


@misconception(
    of="Decoder",
    sentence="The first place of your stack holds the layer itself, so training the stack trains "
    "that too: a copy at every place.",
    caught_by=("test_layers_share_nothing",),
)
class TheLayerItselfFirst(Stack):
    def copies(self, layer, num_layers):
        return nn.ModuleList([layer] + [copy.deepcopy(layer) for _ in range(num_layers - 1)])


@misconception(
    of="Decoder",
    sentence="A Python list hides your layers: the stack has no parameters to train, to move or to "
    "save. Use nn.ModuleList.",
    caught_by=STACKS,
)
class PlainList(Stack):
    def copies(self, layer, num_layers):
        return list(super().copies(layer, num_layers))


@misconception(
    of="Decoder",
    sentence="Your stack keeps the layer it was made from beside its copies: parameters that are "
    "saved and never used.",
    caught_by=STACKS,
)
class KeepsTheLayerToo(Stack):
    def __init__(self, layer, num_layers, norm=None):
        super().__init__(layer, num_layers, norm)
        self.layer = layer


@misconception(
    of="Decoder",
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
    of="Decoder",
    sentence="Every layer of your stack gets the first target, so only the last one counts: hand "
    "on what the one before returned.",
    caught_by=STACKS,
)
class OnlyTheLastCounts(Stack):
    def forward(self, tgt, memory, tgt_mask=None, memory_mask=None):
        for layer in self.layers:
            y = layer(tgt, memory, tgt_mask, memory_mask)
        return self.last(y)


@misconception(
    of="Decoder",
    sentence="Your stack goes through its layers from the last to the first.",
    caught_by=STACKS,
)
class Backwards(Stack):
    def forward(self, tgt, memory, tgt_mask=None, memory_mask=None):
        for layer in reversed(self.layers):
            tgt = layer(tgt, memory, tgt_mask, memory_mask)
        return self.last(tgt)


@misconception(
    of="Decoder",
    sentence="Your stack uses its first layer only: a return inside the loop?",
    caught_by=STACKS,
)
class OnlyTheFirstCounts(Stack):
    def forward(self, tgt, memory, tgt_mask=None, memory_mask=None):
        return self.last(self.layers[0](tgt, memory, tgt_mask, memory_mask))


@misconception(
    of="Decoder",
    sentence="You return the results of all layers: only the last one's is asked for.",
    caught_by=STACKS,
)
class ReturnsAllResults(Stack):
    def forward(self, tgt, memory, tgt_mask=None, memory_mask=None):
        results = []
        for layer in self.layers:
            tgt = layer(tgt, memory, tgt_mask, memory_mask)
            results.append(tgt)
        return [self.last(x) for x in results]


@misconception(
    of="Decoder",
    sentence="The norm you are given is never used: it comes after the last layer. In pre-norm "
    "nothing else normalises the last sum.",
    caught_by=STACKS[:1],
)
class FinalNormForgotten(Stack):
    def last(self, x):
        return x


@misconception(
    of="Decoder",
    sentence="You apply the last norm after every layer: it comes once, at the end.",
    caught_by=STACKS[:1],
)
class FinalNormAfterEveryLayer(Stack):
    def forward(self, tgt, memory, tgt_mask=None, memory_mask=None):
        for layer in self.layers:
            tgt = self.last(layer(tgt, memory, tgt_mask, memory_mask))
        return tgt


@misconception(
    of="Decoder",
    sentence="You apply the last norm after every layer and once more at the end: it comes once.",
    caught_by=STACKS[:1],
)
class FinalNormOnceTooOften(FinalNormAfterEveryLayer):
    def forward(self, tgt, memory, tgt_mask=None, memory_mask=None):
        return self.last(super().forward(tgt, memory, tgt_mask, memory_mask))


@misconception(
    of="Decoder",
    sentence="Your stack uses a copy of the norm, so the norm that its maker holds is never "
    "trained: layers are copied, the norm is not.",
    caught_by=STACKS[:1],
)
class NormCopied(Stack):
    def __init__(self, layer, num_layers, norm=None):
        super().__init__(layer, num_layers, copy.deepcopy(norm))


@misconception(
    of="Decoder",
    sentence="Your stack uses its norm only over pre-norm layers: if one is given, it is used, "
    "whatever the layers are.",
    caught_by=STACKS[:1],
)
class FinalNormOnlyInPreNorm(Stack):
    def last(self, x):
        return super().last(x) if self.layers[0].norm_first else x


@misconception(
    of="Decoder",
    sentence="Your stack normalises its result although norm is None: then the last layer's "
    "result is returned as it is.",
    caught_by=STACKS[1:],
)
class NormThoughNoneWasGiven(Stack):
    def last(self, x):
        return F.layer_norm(x, x.shape[-1:]) if self.norm is None else self.norm(x)


@misconception(
    of="Decoder",
    sentence="Your stack cannot do without a norm: where it is None, return the last layer's "
    "result.",
    caught_by=STACKS[1:],
)
class NormDemanded(Stack):
    def last(self, x):
        return self.norm(x)
