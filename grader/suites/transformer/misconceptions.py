"""Wrong answers to ``transformer``, and what their authors are told."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from decoder import Decoder, DecoderLayer
from encoder import Encoder, EncoderLayer
from masks import causal_mask, padding_mask
from positional_encoding import PositionalEncoding, TokenEmbedding
from torch import nn

from grader.programs.bank import misconception


class Model(nn.Module):
    """A right model in steps; most wrong ones below replace a single step."""

    def __init__(
        self,
        src_vocab,
        tgt_vocab,
        d_model=512,
        num_heads=8,
        num_encoder_layers=6,
        num_decoder_layers=6,
        d_ff=2048,
        dropout=0.1,
        max_len=5000,
        pad_id=0,
        tie_weights=False,
        norm_first=False,
    ):
        super().__init__()
        self.look(src_vocab, tgt_vocab, tie_weights)
        self.pad_id, self.d_model, self.tied = pad_id, d_model, tie_weights
        self.src_embedding = self.table(src_vocab, d_model)
        self.tgt_embedding = self.table(tgt_vocab, d_model)
        self.positions = self.places(d_model, dropout, max_len)
        sizes = d_model, num_heads, d_ff, dropout, norm_first
        stacks = self.stacks(sizes, num_encoder_layers, num_decoder_layers, norm_first)
        self.encoder, self.decoder = stacks
        self.generator = nn.Linear(d_model, tgt_vocab, bias=self.has_bias(tie_weights))
        if tie_weights:
            self.tie()
        self.start()

    def look(self, src_vocab, tgt_vocab, tie_weights):
        if tie_weights and src_vocab != tgt_vocab:
            raise ValueError("two vocabularies")

    def table(self, vocab, d_model):
        return TokenEmbedding(vocab, d_model)

    def places(self, d_model, dropout, max_len):
        return PositionalEncoding(d_model, dropout, max_len)

    def stacks(self, sizes, encoders, decoders, norm_first):
        one, two = self.norms(sizes[0], norm_first)
        return (
            Encoder(self.encoder_layer(*sizes), encoders, one),
            Decoder(self.decoder_layer(*sizes), decoders, two),
        )

    def encoder_layer(self, *sizes):
        return EncoderLayer(*sizes)

    def decoder_layer(self, *sizes):
        return DecoderLayer(*sizes)

    def norms(self, d_model, norm_first):
        return [nn.LayerNorm(d_model) if norm_first else None for _ in range(2)]

    def has_bias(self, tie_weights):
        return not tie_weights

    def tie(self):
        self.tgt_embedding.embedding.weight = self.src_embedding.embedding.weight
        self.generator.weight = self.src_embedding.embedding.weight

    def start(self):
        for weights in self.parameters():
            if weights.ndim == 2:
                self.draw(weights)

    def draw(self, weights):
        nn.init.xavier_uniform_(weights)

    def embed_src(self, src):
        return self.place(self.src_embedding(src))

    def embed_tgt(self, tgt):
        return self.place(self.tgt_embedding(tgt))

    def place(self, x):
        return self.positions(x)

    def encode(self, src, src_mask=None):
        return self.encoder(self.embed_src(src), src_mask)

    def decode(self, tgt, memory, src_mask=None, tgt_mask=None):
        return self.decoder(self.embed_tgt(tgt), memory, tgt_mask, src_mask)

    def pads(self, ids):
        return padding_mask(ids, self.pad_id)

    def future(self, tgt):
        return causal_mask(tgt.shape[1], device=tgt.device)

    def src_mask(self, src, tgt):
        """For the encoder."""
        return self.pads(src)

    def memory_mask(self, src, tgt):
        return self.pads(src)

    def tgt_mask(self, src, tgt):
        return self.future(tgt) & self.pads(tgt)

    def score(self, hidden):
        return self.generator(hidden)

    def forward(self, src, tgt):
        memory = self.encode(src, self.src_mask(src, tgt))
        hidden = self.decode(tgt, memory, self.memory_mask(src, tgt), self.tgt_mask(src, tgt))
        return self.score(hidden)


# What comes out -----------------------------------------------------------------------------------


@misconception(
    of="Transformer",
    sentence="Your model returns probabilities. Return the logits as they are: cross-entropy "
    "applies softmax itself, and twice is once too often.",
    caught_by=("test_logits",),
)
class ReturnsProbabilities(Model):
    def score(self, hidden):
        return super().score(hidden).softmax(-1)


@misconception(
    of="Transformer",
    sentence="Your model returns the logarithms of probabilities, as the Annotated Transformer's "
    "generator does. Here the scores before any softmax are asked for.",
    caught_by=("test_logits",),
)
class ReturnsLogProbabilities(Model):
    def score(self, hidden):
        return super().score(hidden).log_softmax(-1)


@misconception(
    of="Transformer",
    sentence="Your model returns the most probable tokens. Return all scores: which token to take "
    "is decided later, and argmax has no gradient.",
    caught_by=("test_logits",),
)
class ReturnsTokens(Model):
    def score(self, hidden):
        return super().score(hidden).argmax(-1)


@misconception(
    of="Transformer",
    sentence="Your model returns what the decoder found, without the generator: it is as wide as "
    "the model and not as the vocabulary.",
    caught_by=("test_logits",),
)
class GeneratorForgotten(Model):
    def score(self, hidden):
        return hidden


@misconception(
    of="Transformer",
    sentence="Your model returns the logits of the last position only. While the model learns, "
    "every position of the target predicts its successor.",
    caught_by=("test_logits",),
)
class LastPositionOnly(Model):
    def score(self, hidden):
        return super().score(hidden[:, -1:])


@misconception(
    of="Transformer",
    sentence="Your decode returns logits. It returns what the decoder found, and forward puts the "
    "generator behind it: then decoding step by step need only score the last position.",
    caught_by=("test_decode",),
)
class DecodeReturnsLogits(Model):
    def decode(self, *args, **options):
        return self.generator(super().decode(*args, **options))

    def score(self, hidden):
        return hidden


@misconception(
    of="Transformer",
    sentence="Your model cuts the last token off the target before it decodes. Nothing is shifted "
    "here: there are logits for every token of the target.",
    caught_by=("test_logits",),
)
class ShiftsTheTarget(Model):
    def forward(self, src, tgt):
        return super().forward(src, tgt[:, :-1])


# Which goes where ---------------------------------------------------------------------------------


@misconception(
    of="Transformer",
    sentence="Your encoder reads the target instead of the source. Nothing hides the future there, "
    "so the answer leaks through the memory, and the source is never read.",
    caught_by=("test_who_sees_whom", "test_logits"),
)
class TargetIntoEncoder(Model):
    def forward(self, src, tgt):
        return super().forward(tgt % self.src_embedding.embedding.num_embeddings, tgt)


@misconception(
    of="Transformer",
    sentence="Your decoder reads the source instead of the target: the model cannot know what it "
    "has written so far.",
    caught_by=("test_logits", "test_who_sees_whom"),
)
class SourceIntoDecoder(Model):
    def forward(self, src, tgt):
        return super().forward(src, src)


@misconception(
    of="Transformer",
    sentence="What your decoder attends to is the embedded source, not what the encoder made of "
    "it: the encoder works for nothing.",
    caught_by=("test_logits", "test_forward_is_encode_and_decode"),
)
class MemoryWithoutEncoder(Model):
    def forward(self, src, tgt):
        masks = self.memory_mask(src, tgt), self.tgt_mask(src, tgt)
        return self.score(self.decode(tgt, self.embed_src(src), *masks))


@misconception(
    of="Transformer",
    sentence="Your decoder attends to itself in place of the memory: the source has no say. Hand "
    "the encoder's result to decode.",
    caught_by=("test_logits", "test_who_sees_whom"),
)
class MemoryFromTheTarget(Model):
    def forward(self, src, tgt):
        hidden = self.decode(tgt, self.embed_tgt(tgt), self.pads(tgt), self.tgt_mask(src, tgt))
        return self.score(hidden)


@misconception(
    of="Transformer",
    sentence="Your memory is detached, so the encoder learns nothing. Hand it on as it is.",
    caught_by=("test_logits",),
)
class MemoryDetached(Model):
    def forward(self, src, tgt):
        memory = self.encode(src, self.src_mask(src, tgt)).detach()
        return self.score(
            self.decode(tgt, memory, self.memory_mask(src, tgt), self.tgt_mask(src, tgt))
        )


@misconception(
    of="Transformer",
    sentence="Your decode attends to one vector of the memory only, the last: the decoder looks at "
    "the whole memory.",
    caught_by=("test_logits", "test_decode"),
)
class MemoryOfOneToken(Model):
    def decode(self, tgt, memory, src_mask=None, tgt_mask=None):
        return super().decode(tgt, memory[:, -1:].expand_as(memory), src_mask, tgt_mask)


# Masks --------------------------------------------------------------------------------------------


@misconception(
    of="Transformer",
    sentence="Your decoder sees the future: the mask of the target hides pads, but no token from "
    "those before it. Combine it with the causal mask.",
    caught_by=("test_logits", "test_who_sees_whom"),
)
class NoCausalMask(Model):
    def tgt_mask(self, src, tgt):
        return self.pads(tgt)


@misconception(
    of="Transformer",
    sentence="Your causal mask is the wrong way round: a token sees what follows and not what came "
    "before. In this course True means: may attend.",
    caught_by=("test_logits", "test_who_sees_whom"),
)
class CausalUpsideDown(Model):
    def future(self, tgt):
        return super().future(tgt).mT


@misconception(
    of="Transformer",
    sentence="The mask of your target allows what either the causal mask or the padding mask "
    "allows. Both must allow: combine with `and`.",
    caught_by=("test_logits",),
)
class EitherMaskAllows(Model):
    def tgt_mask(self, src, tgt):
        return self.future(tgt) | self.pads(tgt)


@misconception(
    of="Transformer",
    sentence="Your encoder has a causal mask. The source is known from the start, so encoders look "
    "both ways.",
    caught_by=("test_logits", "test_forward_is_encode_and_decode"),
)
class CausalEncoder(Model):
    def src_mask(self, src, tgt):
        return self.pads(src) & self.future(src)


@misconception(
    of="Transformer",
    sentence="Your decoder looks at the memory through a causal mask: token i sees the first "
    "source tokens only. All of the source may be seen at any time.",
    caught_by=("test_logits", "test_forward_is_encode_and_decode"),
)
class CausalMemory(Model):
    def memory_mask(self, src, tgt):
        seen = torch.ones(tgt.shape[1], src.shape[1], dtype=torch.bool, device=src.device).tril()
        return self.pads(src) & seen


@misconception(
    of="Transformer",
    sentence="The mask of the memory is made from the target's pads. The keys are the source's "
    "tokens there, so the mask must come from the source: it fails as soon as lengths differ.",
    caught_by=("test_logits", "test_pads_in_the_source"),
)
class MemoryMaskFromTheTarget(Model):
    def memory_mask(self, src, tgt):
        return self.pads(tgt)


@misconception(
    of="Transformer",
    sentence="Your decoder attends to the pads of the source: hand the source's mask to decode as "
    "well, not only to encode.",
    caught_by=("test_pads_in_the_source",),
)
class MemoryNotMasked(Model):
    def memory_mask(self, src, tgt):
        return None


@misconception(
    of="Transformer",
    sentence="Your encoder attends to pads: the real tokens' vectors depend on how many pads were "
    "put behind them. Hand the source's mask to encode as well.",
    caught_by=("test_pads_in_the_source",),
)
class EncoderNotMasked(Model):
    def src_mask(self, src, tgt):
        return None


@misconception(
    of="Transformer",
    sentence="Your model has no padding mask for the source at all, neither in the encoder nor on "
    "the memory: the logits depend on how many pads stand there.",
    caught_by=("test_pads_in_the_source",),
)
class SourceNotMasked(Model):
    def src_mask(self, src, tgt):
        return None

    def memory_mask(self, src, tgt):
        return None


@misconception(
    of="Transformer",
    sentence="The mask of your target is causal only: tokens behind a pad, and pads themselves, "
    "attend to pads. Combine it with the padding mask of the target.",
    caught_by=("test_pads_in_the_target",),
)
class TargetPadsSeen(Model):
    def tgt_mask(self, src, tgt):
        return self.future(tgt)


@misconception(
    of="Transformer",
    sentence="Your padding masks look for token 0, whatever pad_id is: use self.pad_id.",
    caught_by=("test_pads_in_the_source", "test_pads_in_the_target"),
)
class PadsAreZero(Model):
    def pads(self, ids):
        return padding_mask(ids, 0)


@misconception(
    of="Transformer",
    sentence="Without pad_id your model takes 1 for the pad, as some libraries do. Here it is 0.",
    caught_by=("test_default_pad_is_zero",),
)
class DefaultPadIsOne(Model):
    def __init__(self, *args, pad_id=1, **options):
        super().__init__(*args, pad_id=pad_id, **options)


@misconception(
    of="Transformer",
    sentence="Your model has no padding masks at all: neither in the source nor in the target.",
    caught_by=("test_pads_in_the_source", "test_pads_in_the_target"),
)
class NoPaddingMasks(Model):
    def pads(self, ids):
        return torch.ones_like(ids, dtype=torch.bool)[:, None, None]


@misconception(
    of="Transformer",
    sentence="Your padding masks are the wrong way round: only pads may be attended to. In this "
    "course True means: may attend, so True = no pad.",
    caught_by=("test_logits",),
)
class PaddingUpsideDown(Model):
    def pads(self, ids):
        return (ids == self.pad_id)[:, None, None]


@misconception(
    of="Transformer",
    sentence="Your padding mask of the source hides what pads ask and not the pads themselves: the "
    "last axis of a mask runs over the keys.",
    caught_by=("test_pads_in_the_source",),
)
class PadsAskNothing(Model):
    def src_mask(self, src, tgt):
        return self.pads(src).mT

    def memory_mask(self, src, tgt):
        return None


@misconception(
    of="Transformer",
    sentence="Your padding mask of the target is made from the source's ids.",
    caught_by=("test_logits",),
)
class TargetPadsFromTheSource(Model):
    def tgt_mask(self, src, tgt):
        return self.future(tgt) & self.pads(src)


@misconception(
    of="Transformer",
    sentence="Your padding masks take every number up to pad_id for a pad. Only pad_id itself is "
    "one: compare with !=.",
    caught_by=("test_logits",),
)
class SmallNumbersArePads(Model):
    def pads(self, ids):
        mask = ids > self.pad_id
        mask[:, 0] = True
        return mask[:, None, None]


@misconception(
    of="Transformer",
    sentence="Your decode hands its two masks to the decoder in the wrong order: the target's mask "
    "belongs to self-attention, the source's to the memory.",
    caught_by=("test_decode", "test_logits"),
)
class MasksSwapped(Model):
    def decode(self, tgt, memory, src_mask=None, tgt_mask=None):
        return self.decoder(self.embed_tgt(tgt), memory, src_mask, tgt_mask)


@misconception(
    of="Transformer",
    sentence="Your decode hides the future by itself. It uses the masks it is given and no others: "
    "None hides nothing.",
    caught_by=("test_decode",),
)
class DecodeAddsCausal(Model):
    def decode(self, tgt, memory, src_mask=None, tgt_mask=None):
        future = self.future(tgt)
        both = future if tgt_mask is None else future & tgt_mask
        return super().decode(tgt, memory, src_mask, both)


@misconception(
    of="Transformer",
    sentence="Your decode forgets the mask of the target: hand it to the decoder as tgt_mask.",
    caught_by=("test_decode", "test_who_sees_whom"),
)
class DecodeIgnoresTheTargetsMask(Model):
    def decode(self, tgt, memory, src_mask=None, tgt_mask=None):
        return super().decode(tgt, memory, src_mask)


@misconception(
    of="Transformer",
    sentence="Your encode makes a mask of its own. It uses the mask it is given, and None hides "
    "nothing: the masks are made in forward.",
    caught_by=("test_encode",),
)
class EncodeMakesMasks(Model):
    def encode(self, src, src_mask=None):
        return super().encode(src, self.pads(src) if src_mask is None else src_mask)


@misconception(
    of="Transformer",
    sentence="Your encode forgets the mask it is given: hand it to the encoder.",
    caught_by=("test_encode", "test_pads_in_the_source"),
)
class EncodeIgnoresItsMask(Model):
    def encode(self, src, src_mask=None):
        return super().encode(src)


@misconception(
    of="Transformer",
    sentence="Your decode forgets the mask of the source: hand it to the decoder as memory_mask.",
    caught_by=("test_decode", "test_pads_in_the_source"),
)
class DecodeIgnoresTheSourcesMask(Model):
    def decode(self, tgt, memory, src_mask=None, tgt_mask=None):
        return super().decode(tgt, memory, None, tgt_mask)


# Embeddings and positions -------------------------------------------------------------------------


@misconception(
    of="Transformer",
    sentence="Your source has no positions: to the encoder it is a bag of words.",
    caught_by=("test_encode", "test_logits"),
)
class SourceWithoutPositions(Model):
    def embed_src(self, src):
        return self.src_embedding(src)


@misconception(
    of="Transformer",
    sentence="Your target has no positions. Both sides need them.",
    caught_by=("test_decode", "test_logits"),
)
class TargetWithoutPositions(Model):
    def embed_tgt(self, tgt):
        return self.tgt_embedding(tgt)


@misconception(
    of="Transformer",
    sentence="Your model knows no positions at all, on neither side.",
    caught_by=("test_encode", "test_decode"),
)
class NoPositions(Model):
    def place(self, x):
        return x


@misconception(
    of="Transformer",
    sentence="Your model adds the positions twice.",
    caught_by=("test_encode",),
)
class PositionsTwice(Model):
    def place(self, x):
        return self.positions(self.positions(x))


@misconception(
    of="Transformer",
    sentence="Your positions are multiplied by sqrt(d_model) along with the tokens. Scale first, "
    "then add the positions.",
    caught_by=("test_encode",),
)
class PositionsScaled(Model):
    def place(self, x):
        factor = math.sqrt(self.d_model)
        return self.positions(x / factor) * factor


@misconception(
    of="Transformer",
    sentence="Your embeddings are not multiplied by sqrt(d_model), so positions drown them: "
    "TokenEmbedding does it if scale is True.",
    caught_by=("test_encode",),
)
class NotScaled(Model):
    def table(self, vocab, d_model):
        return TokenEmbedding(vocab, d_model, scale=False)


@misconception(
    of="Transformer",
    sentence="Your embeddings are multiplied by sqrt(d_model) twice: TokenEmbedding has done it.",
    caught_by=("test_encode",),
)
class ScaledTwice(Model):
    def place(self, x):
        return self.positions(x * math.sqrt(self.d_model))


@misconception(
    of="Transformer",
    sentence="Your source is embedded with the table of the target and the target with that of "
    "the source.",
    caught_by=("test_logits",),
)
class TablesSwapped(Model):
    def embed_src(self, src):
        return self.place(self.tgt_embedding(src))

    def embed_tgt(self, tgt):
        return self.place(self.src_embedding(tgt % self.src_embedding.embedding.num_embeddings))


@misconception(
    of="Transformer",
    sentence="Your model ties its embeddings whenever the vocabularies have the same size, asked "
    "or not: only tie_weights decides.",
    caught_by=("test_untied_with_equal_vocabularies",),
)
class TiedIfPossible(Model):
    def __init__(self, src_vocab, tgt_vocab, *args, **options):
        super().__init__(src_vocab, tgt_vocab, *args, **options)
        if src_vocab == tgt_vocab:
            self.tgt_embedding.embedding.weight = self.src_embedding.embedding.weight


@misconception(
    of="Transformer",
    sentence="Your target is embedded with the table of the source, and tgt_embedding is never "
    "used. The two vocabularies have nothing to do with each other.",
    caught_by=("test_logits", "test_decode"),
)
class OneTableForBoth(Model):
    def embed_tgt(self, tgt):
        return self.place(self.src_embedding(tgt % self.src_embedding.embedding.num_embeddings))


# Stacks -------------------------------------------------------------------------------------------


@misconception(
    of="Transformer",
    sentence="Your embeddings keep the pad's vector out of training (padding_idx). No token is "
    "special in a TokenEmbedding: pads are hidden by masks.",
    caught_by=("test_pads_in_the_target",),
)
class PadsEmbeddedApart(Model):
    def __init__(self, *args, pad_id=0, **options):
        super().__init__(*args, pad_id=pad_id, **options)
        for side in (self.src_embedding, self.tgt_embedding):
            side.embedding.padding_idx = pad_id


@misconception(
    of="Transformer",
    sentence="You have swapped the numbers of layers: num_encoder_layers comes first.",
    caught_by=("test_logits",),
)
class NumbersOfLayersSwapped(Model):
    def stacks(self, sizes, encoders, decoders, norm_first):
        return super().stacks(sizes, decoders, encoders, norm_first)


@misconception(
    of="Transformer",
    sentence="Your decoder has as many layers as the encoder: num_decoder_layers is never used.",
    caught_by=("test_logits",),
)
class SameNumberOfLayers(Model):
    def stacks(self, sizes, encoders, decoders, norm_first):
        return super().stacks(sizes, encoders, encoders, norm_first)


@misconception(
    of="Transformer",
    sentence="Your post-norm stacks end with one more norm: their last layer has ended with one "
    "already. Only pre-norm stacks need it.",
    caught_by=("test_logits", "test_counts"),
)
class NormsAlways(Model):
    def norms(self, d_model, norm_first):
        return [nn.LayerNorm(d_model) for _ in range(2)]


@misconception(
    of="Transformer",
    sentence="Your pre-norm stacks end without a norm: nothing has normalised their last sum. Hand "
    "a LayerNorm to Encoder and Decoder if norm_first is True.",
    caught_by=("test_pre_norm", "test_counts"),
)
class NormsNever(Model):
    def norms(self, d_model, norm_first):
        return [None, None]


@misconception(
    of="Transformer",
    sentence="Only your decoder ends with a norm. In pre-norm the encoder needs one too, or the "
    "memory is a sum that nothing has normalised.",
    caught_by=("test_pre_norm", "test_counts"),
)
class NormForTheDecoderOnly(Model):
    def norms(self, d_model, norm_first):
        return [None, super().norms(d_model, norm_first)[1]]


@misconception(
    of="Transformer",
    sentence="Only your encoder ends with a norm. In pre-norm the decoder needs one too.",
    caught_by=("test_pre_norm", "test_counts"),
)
class NormForTheEncoderOnly(Model):
    def norms(self, d_model, norm_first):
        return [super().norms(d_model, norm_first)[0], None]


@misconception(
    of="Transformer",
    sentence="Encoder and decoder end with one and the same norm. Each has its own.",
    caught_by=("test_pre_norm", "test_counts"),
)
class OneNormForBoth(Model):
    def norms(self, d_model, norm_first):
        return [super().norms(d_model, norm_first)[0]] * 2


@misconception(
    of="Transformer",
    sentence="Your layers are post-norm even if norm_first is True: hand the flag on to both kinds "
    "of layers.",
    caught_by=("test_pre_norm",),
)
class AlwaysPostNorm(Model):
    def encoder_layer(self, *sizes):
        return EncoderLayer(*sizes[:4])

    def decoder_layer(self, *sizes):
        return DecoderLayer(*sizes[:4])


@misconception(
    of="Transformer",
    sentence="Your decoder's layers do not know of norm_first: only the encoder's do.",
    caught_by=("test_pre_norm",),
)
class DecoderAlwaysPostNorm(Model):
    def decoder_layer(self, *sizes):
        return DecoderLayer(*sizes[:4])


@misconception(
    of="Transformer",
    sentence="Your encoder's layers do not know of norm_first: only the decoder's do.",
    caught_by=("test_pre_norm",),
)
class EncoderAlwaysPostNorm(Model):
    def encoder_layer(self, *sizes):
        return EncoderLayer(*sizes[:4])


@misconception(
    of="Transformer",
    sentence="The layer that Encoder copies is kept in your model as well, as a module that learns "
    "nothing. Hand it over without giving it a name in self.",
    caught_by=("test_logits", "test_counts"),
)
class KeepsTheFirstLayer(Model):
    def encoder_layer(self, *sizes):
        self.layer = super().encoder_layer(*sizes)
        return self.layer


@misconception(
    of="Transformer",
    sentence="Your layers use GELU. The Transformer's layers use ReLU, their default.",
    caught_by=("test_logits",),
)
class GeluLayers(Model):
    def encoder_layer(self, *sizes):
        return EncoderLayer(*sizes, activation="gelu")

    def decoder_layer(self, *sizes):
        return DecoderLayer(*sizes, activation="gelu")


@misconception(
    of="Transformer",
    sentence="Your layers have one head each, whatever num_heads is.",
    caught_by=("test_logits",),
)
class OneHead(Model):
    def encoder_layer(self, d_model, num_heads, *sizes):
        return EncoderLayer(d_model, 1, *sizes)

    def decoder_layer(self, d_model, num_heads, *sizes):
        return DecoderLayer(d_model, 1, *sizes)


@misconception(
    of="Transformer",
    sentence="Your layers' feed-forward networks are 4 d_model wide, whatever d_ff is.",
    caught_by=("test_logits",),
)
class FourTimesAsWide(Model):
    def encoder_layer(self, d_model, num_heads, d_ff, *sizes):
        return EncoderLayer(d_model, num_heads, 4 * d_model, *sizes)

    def decoder_layer(self, d_model, num_heads, d_ff, *sizes):
        return DecoderLayer(d_model, num_heads, 4 * d_model, *sizes)


class Loop(nn.Module):
    """A stack that is one layer, used several times."""

    def __init__(self, layer, number):
        super().__init__()
        self.layers, self.norm = nn.ModuleList([layer] * number), None

    def forward(self, x, *args):
        for layer in self.layers:
            x = layer(x, *args)
        return x if self.norm is None else self.norm(x)


@misconception(
    of="Transformer",
    sentence="All layers of your decoder are one and the same: [layer] * n makes no copies.",
    caught_by=("test_logits", "test_counts"),
)
class OneLayerManyTimes(Model):
    def stacks(self, sizes, encoders, decoders, norm_first):
        one, two = self.norms(sizes[0], norm_first)
        decoder = Loop(DecoderLayer(*sizes), decoders)
        decoder.norm = two
        return Encoder(EncoderLayer(*sizes), encoders, one), decoder


# Tied weights and the generator -------------------------------------------------------------------


@misconception(
    of="Transformer",
    sentence="Your generator has no bias. It has one unless the weights are tied.",
    caught_by=("test_logits", "test_counts"),
)
class NeverABias(Model):
    def has_bias(self, tie_weights):
        return False


@misconception(
    of="Transformer",
    sentence="Your generator keeps its bias when the weights are tied. The published count, "
    "63,082,496, has none.",
    caught_by=("test_tied_weights", "test_counts"),
)
class AlwaysABias(Model):
    def has_bias(self, tie_weights):
        return True


@misconception(
    of="Transformer",
    sentence="tie_weights does nothing in your model, or copies numbers: there are three tables "
    "that are trained apart. Assign one Parameter to all three.",
    caught_by=("test_tied_weights", "test_counts"),
)
class NothingTied(Model):
    def tie(self):
        pass


@misconception(
    of="Transformer",
    sentence="You tie the two embeddings, but not the generator.",
    caught_by=("test_tied_weights", "test_counts"),
)
class GeneratorNotTied(Model):
    def tie(self):
        self.tgt_embedding.embedding.weight = self.src_embedding.embedding.weight


@misconception(
    of="Transformer",
    sentence="You tie the generator to the source's embedding, but leave the target's table alone: "
    "all three are one.",
    caught_by=("test_tied_weights", "test_counts"),
)
class TargetNotTied(Model):
    def tie(self):
        self.generator.weight = self.src_embedding.embedding.weight


class Detached(nn.Module):
    """A projection that does not learn."""

    def __init__(self, embedding):
        super().__init__()
        self.weight = embedding.weight

    def forward(self, x):
        return F.linear(x, self.weight.detach())


@misconception(
    of="Transformer",
    sentence="In your tied model the generator uses a detached table, which learns as an embedding "
    "only. Use the Parameter, not its .data.",
    caught_by=("test_tied_weights",),
)
class GeneratorDetached(Model):
    def tie(self):
        super().tie()
        self.generator = Detached(self.src_embedding.embedding)


@misconception(
    of="Transformer",
    sentence="In your tied model the generator multiplies by sqrt(d_model) as the embedding does. "
    "The weights are shared, the factor belongs to the embedding alone.",
    caught_by=("test_tied_weights",),
)
class GeneratorScaled(Model):
    def score(self, hidden):
        return super().score(hidden) * (math.sqrt(self.d_model) if self.tied else 1.0)


@misconception(
    of="Transformer",
    sentence="Your generator is a function that remembers the table of the first model: a copy of "
    "the model goes on using the original's. Look the weights up in self at each call.",
    caught_by=("test_tied_weights_in_a_copy",),
)
class GeneratorIsAClosure(Model):
    def tie(self):
        super().tie()
        table = self.src_embedding.embedding.weight
        del self.generator
        self.generator = lambda hidden: F.linear(hidden, table)


@misconception(
    of="Transformer",
    sentence="Your model takes tie_weights with vocabularies of two sizes, and then uses the wrong "
    "table for one of them. Raise ValueError.",
    caught_by=("test_two_vocabularies_cannot_be_tied",),
)
class TiesAnything(Model):
    def look(self, src_vocab, tgt_vocab, tie_weights):
        pass


# The start ----------------------------------------------------------------------------------------


@misconception(
    of="Transformer",
    sentence="Your model starts with torch's own distributions: tables of N(0, 1), times "
    "sqrt(d_model), are far too large. Draw all matrices from xavier_uniform_.",
    caught_by=("test_start",),
)
class TorchStart(Model):
    def start(self):
        pass


@misconception(
    of="Transformer",
    sentence="Your matrices are drawn from a normal distribution: the page asks for "
    "xavier_uniform_, which keeps within its bound.",
    caught_by=("test_start",),
)
class XavierNormal(Model):
    def draw(self, weights):
        nn.init.xavier_normal_(weights)


@misconception(
    of="Transformer",
    sentence="Your matrices are drawn from kaiming_uniform_, which looks at one width only. "
    "xavier_uniform_ looks at both.",
    caught_by=("test_start",),
)
class Kaiming(Model):
    def draw(self, weights):
        nn.init.kaiming_uniform_(weights)


@misconception(
    of="Transformer",
    sentence="You leave the tables of the embeddings as torch makes them. They are matrices, and "
    "are drawn like the others.",
    caught_by=("test_start",),
)
class TablesNotDrawn(Model):
    def start(self):
        for name, weights in self.named_parameters():
            if weights.ndim == 2 and "embedding" not in name:
                self.draw(weights)


@misconception(
    of="Transformer",
    sentence="All layers of a stack start with the same numbers: they are copies of one that was "
    "drawn before. Draw after the stacks have been built.",
    caught_by=("test_start",),
)
class DrawsBeforeCopying(Model):
    def stacks(self, sizes, encoders, decoders, norm_first):
        self.one, self.two = EncoderLayer(*sizes), DecoderLayer(*sizes)
        super().start()
        stacks = super().stacks(sizes, encoders, decoders, norm_first)
        del self.one, self.two
        return stacks

    def encoder_layer(self, *sizes):
        return self.one

    def decoder_layer(self, *sizes):
        return self.two

    def start(self):
        self.draw(self.generator.weight)


# Dropout, lengths, places -------------------------------------------------------------------------


@misconception(
    of="Transformer",
    sentence="Your embeddings are never dropped: hand dropout on to PositionalEncoding.",
    caught_by=("test_dropout_is_handed_on",),
)
class EmbeddingsNeverDropped(Model):
    def places(self, d_model, dropout, max_len):
        return PositionalEncoding(d_model, 0.0, max_len)


@misconception(
    of="Transformer",
    sentence="Your embeddings go through dropout twice: PositionalEncoding has done it.",
    caught_by=("test_dropout_is_handed_on",),
)
class DropsTwice(Model):
    def __init__(self, *args, dropout=0.1, **options):
        super().__init__(*args, dropout=dropout, **options)
        self.dropout = nn.Dropout(dropout)

    def place(self, x):
        return self.dropout(self.positions(x))


@misconception(
    of="Transformer",
    sentence="Your model drops what the decoder found before the generator sees it. The paper has "
    "no dropout there.",
    caught_by=("test_dropout_is_handed_on",),
)
class DropsBeforeTheGenerator(Model):
    def __init__(self, *args, dropout=0.1, **options):
        super().__init__(*args, dropout=dropout, **options)
        self.dropout = nn.Dropout(dropout)

    def score(self, hidden):
        return super().score(self.dropout(hidden))


@misconception(
    of="Transformer",
    sentence="The layers of your encoder are built without your dropout, and have their own "
    "default: hand it on to EncoderLayer.",
    caught_by=("test_dropout_is_handed_on",),
)
class EncoderKeepsItsDropout(Model):
    def encoder_layer(self, d_model, num_heads, d_ff, dropout, norm_first):
        return EncoderLayer(d_model, num_heads, d_ff, norm_first=norm_first)


@misconception(
    of="Transformer",
    sentence="The layers of your decoder are built without your dropout, and have their own "
    "default: hand it on to DecoderLayer.",
    caught_by=("test_dropout_is_handed_on",),
)
class DecoderKeepsItsDropout(Model):
    def decoder_layer(self, d_model, num_heads, d_ff, dropout, norm_first):
        return DecoderLayer(d_model, num_heads, d_ff, norm_first=norm_first)


@misconception(
    of="Transformer",
    sentence="Your layers never drop: hand dropout on to both kinds of layers.",
    caught_by=("test_dropout_is_handed_on",),
)
class LayersNeverDrop(Model):
    def encoder_layer(self, d_model, num_heads, d_ff, dropout, norm_first):
        return EncoderLayer(d_model, num_heads, d_ff, 0.0, norm_first)

    def decoder_layer(self, d_model, num_heads, d_ff, dropout, norm_first):
        return DecoderLayer(d_model, num_heads, d_ff, 0.0, norm_first)


@misconception(
    of="Transformer",
    sentence="Your PositionalEncoding is built without your dropout, and has its own default.",
    caught_by=("test_dropout_is_handed_on",),
)
class PositionsKeepTheirDropout(Model):
    def places(self, d_model, dropout, max_len):
        return PositionalEncoding(d_model, max_len=max_len)


@misconception(
    of="Transformer",
    sentence="Your model goes on dropping after eval(): F.dropout needs training=self.training.",
    caught_by=("test_nothing_is_dropped_in_eval",),
)
class DropsInEval(Model):
    def __init__(self, *args, dropout=0.1, **options):
        super().__init__(*args, dropout=dropout, **options)
        self.positions = PositionalEncoding(self.d_model, 0.0, options.get("max_len", 5000))
        self.p = dropout

    def place(self, x):
        return F.dropout(self.positions(x), self.p)


@misconception(
    of="Transformer",
    sentence="Your model does not know max_len: hand it on to PositionalEncoding, which refuses "
    "what is longer.",
    caught_by=("test_longest_sentences",),
)
class LengthsUnlimited(Model):
    def places(self, d_model, dropout, max_len):
        return PositionalEncoding(d_model, dropout)


@misconception(
    of="Transformer",
    sentence="Your model cuts sentences that are too long to max_len tokens instead of refusing "
    "them with ValueError.",
    caught_by=("test_longest_sentences",),
)
class CutsSentences(Model):
    def __init__(self, *args, max_len=5000, **options):
        super().__init__(*args, max_len=max_len, **options)
        self.max_len = max_len

    def forward(self, src, tgt):
        return super().forward(src[:, : self.max_len], tgt[:, : self.max_len])


@misconception(
    of="Transformer",
    sentence="Your causal mask is made on the CPU whatever device the model has been moved to: "
    "causal_mask takes device=tgt.device.",
    caught_by=("test_in_other_dtypes_and_places",),
)
class MaskOnTheCpu(Model):
    def future(self, tgt):
        return causal_mask(tgt.shape[1], device="cpu")


@misconception(
    of="Transformer",
    sentence="Your logits are always float32: they have the dtype of the model.",
    caught_by=("test_in_other_dtypes_and_places",),
)
class AlwaysFloat32(Model):
    def score(self, hidden):
        return super().score(hidden).float()
