"""Wrong answers to ``gpt``, and what their authors are told."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from feed_forward import gelu
from layer_norm import LayerNorm
from multi_head_attention import MultiHeadAttention
from torch import nn

from grader.programs.bank import misconception


class Layer(nn.Module):
    """A right block in steps; most wrong ones below replace a single step."""

    norms_bias = attention_bias = linear_bias = None
    attention_dropout, eps = True, 1e-5

    def __init__(self, d_model, num_heads, d_ff, dropout=0.0, bias=True):
        super().__init__()
        norms, attention, linear = (
            bias if own is None else own
            for own in (self.norms_bias, self.attention_bias, self.linear_bias)
        )
        self.norm_1 = LayerNorm(d_model, self.eps, norms)
        on_weights = dropout if self.attention_dropout else 0.0
        self.attention = MultiHeadAttention(d_model, num_heads, on_weights, attention)
        self.norm_2 = LayerNorm(d_model, self.eps, norms)
        self.w_1 = nn.Linear(d_model, d_ff, linear)
        self.w_2 = nn.Linear(d_ff, d_model, linear)
        self.p = dropout

    def drop(self, h):
        return F.dropout(h, self.p, self.training)

    def attend(self, x):
        return self.attention(x, is_causal=True)

    def bend(self, h):
        return gelu(h)

    def think(self, x):
        return self.w_2(self.bend(self.w_1(x)))

    def forward(self, x):
        x = x + self.drop(self.attend(self.norm_1(x)))
        return x + self.drop(self.think(self.norm_2(x)))


class Model(nn.Module):
    """A right model in steps; most wrong ones below replace a single step."""

    layer, head_bias, eps = Layer, False, 1e-5

    def __init__(
        self,
        vocab_size,
        block_size,
        n_layer,
        n_head,
        n_embd,
        dropout=0.0,
        bias=True,
        tie_weights=True,
    ):
        super().__init__()
        self.p, self.n_layer = dropout, n_layer
        self.token_embedding = nn.Embedding(vocab_size, n_embd)
        self.position_embedding = nn.Embedding(block_size, n_embd)
        self.blocks = self.stack(
            n_layer, lambda: self.layer(n_embd, n_head, self.inner(n_embd), dropout, bias)
        )
        self.norm = LayerNorm(n_embd, self.eps, bias)
        self.head = nn.Linear(n_embd, vocab_size, bias=self.head_bias)
        self.start()
        if tie_weights:
            self.tie()

    def inner(self, n_embd):
        return 4 * n_embd

    def stack(self, n, layer):
        return nn.ModuleList(layer() for _ in range(n))

    def tie(self):
        self.head.weight = self.token_embedding.weight

    def start(self):
        for name, weights in self.named_parameters():
            if name.endswith("bias"):
                self.start_bias(weights)
            elif weights.ndim == 2:
                nn.init.normal_(weights, std=self.spread(name))

    def start_bias(self, bias):
        nn.init.zeros_(bias)

    def spread(self, name):
        return 0.02 / (math.sqrt(2 * self.n_layer) if self.is_last(name) else 1.0)

    def is_last(self, name):
        return name.endswith(("w_o.weight", "w_2.weight"))

    def longest(self):
        return self.position_embedding.weight.shape[0]

    def drop(self, x):
        return F.dropout(x, self.p, self.training)

    def check(self, idx):
        if idx.shape[1] > self.longest():
            raise ValueError("too long")
        return idx

    def tokens(self, idx):
        return self.token_embedding(idx)

    def positions(self, idx):
        return self.position_embedding.weight[: idx.shape[1]]

    def embed(self, idx):
        return self.drop(self.tokens(idx) + self.positions(idx))

    def run(self, x):
        for block in self.blocks:
            x = block(x)
        return x

    def last_norm(self, x):
        return self.norm(x)

    def score(self, x):
        return self.head(x)

    def entropies(self, logits, targets):
        """One per target, 0 where none is asked for."""
        return F.cross_entropy(logits.flatten(0, 1), targets.flatten(), reduction="none")

    def loss(self, logits, targets):
        total = self.entropies(logits, targets).sum()
        return total / (targets != -100).sum().clamp(min=1)

    def answer(self, logits, targets):
        return logits, None if targets is None else self.loss(logits, targets)

    def forward(self, idx, targets=None):
        x = self.run(self.embed(self.check(idx)))
        return self.answer(self.score(self.last_norm(x)), targets)

    def get_num_params(self, non_embedding=False):
        total = sum(p.numel() for p in self.parameters())
        return total - (self.position_embedding.weight.numel() if non_embedding else 0)

    def crop_block_size(self, n):
        if n > self.longest():
            raise ValueError("cannot grow")
        self.keep(n)

    def keep(self, n):
        kept = self.position_embedding.weight.detach()[:n].clone()
        self.position_embedding.weight = nn.Parameter(kept)


# The block ----------------------------------------------------------------------------------------


@misconception(
    of="Block",
    sentence="Your block normalises after the sum, as the first Transformer did. GPT's blocks are "
    "pre-norm: x + branch(norm(x)), so that x itself runs through the stack untouched.",
    caught_by=("test_block",),
)
class PostNorm(Layer):
    def forward(self, x):
        x = self.norm_1(x + self.drop(self.attend(x)))
        return self.norm_2(x + self.drop(self.think(x)))


@misconception(
    of="Block",
    sentence="Your block adds the branches to norm(x), because x = norm(x) has overwritten x. The "
    "straight way carries x as it came: write x + attention(norm_1(x)).",
    caught_by=("test_block",),
)
class AddsToTheNormalised(Layer):
    def forward(self, x):
        x = self.norm_1(x)
        x = x + self.drop(self.attend(x))
        x = self.norm_2(x)
        return x + self.drop(self.think(x))


@misconception(
    of="Block",
    sentence="Your feed-forward network replaces x instead of adding to it: what attention has "
    "gathered is lost. Both branches need their `x +`.",
    caught_by=("test_block",),
)
class NoResidualAroundThinking(Layer):
    def forward(self, x):
        x = x + self.drop(self.attend(self.norm_1(x)))
        return self.drop(self.think(self.norm_2(x)))


@misconception(
    of="Block",
    sentence="Your attention replaces x instead of adding to it: a token forgets itself. Write "
    "x + attention(norm_1(x)).",
    caught_by=("test_block",),
)
class NoResidualAroundAttention(Layer):
    def forward(self, x):
        x = self.drop(self.attend(self.norm_1(x)))
        return x + self.drop(self.think(self.norm_2(x)))


@misconception(
    of="Block",
    sentence="Your two branches run side by side on the same x. Here they run one after the "
    "other: the feed-forward network sees the x to which attention has been added.",
    caught_by=("test_block",),
)
class Parallel(Layer):
    def forward(self, x):
        attended = self.drop(self.attend(self.norm_1(x)))
        return x + attended + self.drop(self.think(self.norm_2(x)))


@misconception(
    of="Block",
    sentence="Your feed-forward network comes before attention. The order is the other way round.",
    caught_by=("test_block",),
)
class ThinksFirst(Layer):
    def forward(self, x):
        x = x + self.drop(self.think(self.norm_2(x)))
        return x + self.drop(self.attend(self.norm_1(x)))


@misconception(
    of="Block",
    sentence="Your block uses norm_1 for both branches, and norm_2 learns nothing. Each branch "
    "has a norm of its own.",
    caught_by=("test_block",),
)
class OneNormForBoth(Layer):
    def forward(self, x):
        x = x + self.drop(self.attend(self.norm_1(x)))
        return x + self.drop(self.think(self.norm_1(x)))


@misconception(
    of="Block",
    sentence="Your attention gets x without a norm: norm_1 is never used. Pre-norm puts one at "
    "the beginning of each branch.",
    caught_by=("test_block",),
)
class AttentionWithoutNorm(Layer):
    def forward(self, x):
        x = x + self.drop(self.attend(x))
        return x + self.drop(self.think(self.norm_2(x)))


@misconception(
    of="Block",
    sentence="Only the queries in your attention are normalised: keys and values are the bare x. "
    "All three come from norm_1(x).",
    caught_by=("test_block",),
)
class BareKeysAndValues(Layer):
    def forward(self, x):
        x = x + self.drop(self.attention(self.norm_1(x), x, x, is_causal=True))
        return x + self.drop(self.think(self.norm_2(x)))


@misconception(
    of="Block",
    sentence="Your attention is not causal: every position sees the tokens it is meant to "
    "predict. Training looks splendid then, and the model can continue nothing. Pass "
    "is_causal=True.",
    caught_by=("test_block", "test_block_does_not_see_the_future"),
)
class NotCausal(Layer):
    def attend(self, x):
        return self.attention(x)


@misconception(
    of="Block",
    sentence="Your causal mask is the wrong way round: positions see what follows and not what "
    "came before. In this course True means: may attend, so it is torch.ones(T, T).tril().",
    caught_by=("test_block",),
)
class MaskUpsideDown(Layer):
    def attend(self, x):
        everything = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool, device=x.device)
        return self.attention(x, mask=everything.triu())


@misconception(
    of="Block",
    sentence="In your block a position does not see itself: the diagonal belongs to the past. "
    "Position i attends to 0 .. i.",
    caught_by=("test_block",),
)
class NotEvenItself(Layer):
    def attend(self, x):
        mask = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool, device=x.device).tril(-1)
        mask[0, 0] = True
        return self.attention(x, mask=mask)


@misconception(
    of="Block",
    sentence="Your block uses ReLU. GPT bends with GELU: use the gelu you have written.",
    caught_by=("test_block",),
)
class Relu(Layer):
    def bend(self, h):
        return h.relu()


@misconception(
    of="Block",
    sentence="Your block uses the tanh approximation of GELU. That is what GPT-2 did, but here "
    "the exact one is asked for: gelu(x) without an argument.",
    caught_by=("test_block",),
)
class TanhGelu(Layer):
    def bend(self, h):
        return gelu(h, approximate="tanh")


@misconception(
    of="Block",
    sentence="There is no activation between w_1 and w_2: two linear layers in a row are one "
    "linear layer.",
    caught_by=("test_block",),
)
class NoActivation(Layer):
    def bend(self, h):
        return h


@misconception(
    of="Block",
    sentence="Your activation comes after w_2: it belongs between w_1 and w_2.",
    caught_by=("test_block",),
)
class ActivationAtTheEnd(Layer):
    def think(self, x):
        return gelu(self.w_2(self.w_1(x)))


@misconception(
    of="Block",
    sentence="The norms of your block have another eps than 1e-5, which small numbers feel.",
    caught_by=("test_eps_of_norms",),
)
class BlocksOtherEps(Layer):
    eps = 1e-6


@misconception(
    of="Block",
    sentence="With bias=False your block still has biases in attention: hand the flag on to "
    "MultiHeadAttention.",
    caught_by=("test_block_without_biases",),
)
class AttentionKeepsBiases(Layer):
    attention_bias = True


@misconception(
    of="Block",
    sentence="With bias=False your norms still have biases: hand the flag on to LayerNorm.",
    caught_by=("test_block_without_biases",),
)
class NormsKeepBiases(Layer):
    norms_bias = True


@misconception(
    of="Block",
    sentence="With bias=False your w_1 and w_2 still have biases: hand the flag on to nn.Linear.",
    caught_by=("test_block_without_biases",),
)
class LayersKeepBiases(Layer):
    linear_bias = True


@misconception(
    of="Block",
    sentence="Your block ignores bias=False altogether.",
    caught_by=("test_block_without_biases",),
)
class BiasesAlways(Layer):
    norms_bias = attention_bias = linear_bias = True


@misconception(
    of="Block",
    sentence="Your attention never has biases: it has them unless bias=False says otherwise.",
    caught_by=("test_block",),
)
class AttentionWithoutBiases(Layer):
    attention_bias = False


@misconception(
    of="Block",
    sentence="Your block never drops what its branches add to x. Both sums are x + dropout(...).",
    caught_by=("test_block_drops_what_is_added",),
)
class BranchesNeverDropped(Layer):
    def drop(self, h):
        return h


@misconception(
    of="Block",
    sentence="Your block drops what attention adds, but not what the feed-forward network adds.",
    caught_by=("test_block_drops_what_is_added",),
)
class ThoughtsNeverDropped(Layer):
    def forward(self, x):
        x = x + self.drop(self.attend(self.norm_1(x)))
        return x + self.think(self.norm_2(x))


@misconception(
    of="Block",
    sentence="Your block drops what the feed-forward network adds, but not what attention adds: "
    "dropout on the attention weights is another one.",
    caught_by=("test_block_drops_what_is_added",),
)
class AttentionNeverDropped(Layer):
    def forward(self, x):
        x = x + self.attend(self.norm_1(x))
        return x + self.drop(self.think(self.norm_2(x)))


@misconception(
    of="Block",
    sentence="Your dropout falls on the sum, and so on x itself: what is dropped there is lost to "
    "all later blocks. Drop the branch, then add.",
    caught_by=("test_block_drops_what_is_added",),
)
class DropsTheSum(Layer):
    def forward(self, x):
        x = self.drop(x + self.attend(self.norm_1(x)))
        return self.drop(x + self.think(self.norm_2(x)))


@misconception(
    of="Block",
    sentence="Your attention is built without dropout, so that its weights are never dropped: "
    "hand dropout on to MultiHeadAttention.",
    caught_by=("test_block_drops_attention_weights",),
)
class WeightsNeverDropped(Layer):
    attention_dropout = False


@misconception(
    of="Block",
    sentence="Your block drops what the norms give before the branches see it. Only what a branch "
    "adds to x is dropped, and the attention weights.",
    caught_by=("test_block_drops_attention_weights",),
)
class DropsTheNormed(Layer):
    def forward(self, x):
        x = x + self.drop(self.attend(self.drop(self.norm_1(x))))
        return x + self.drop(self.think(self.drop(self.norm_2(x))))


@misconception(
    of="Block",
    sentence="Your block also drops the activations between w_1 and w_2. Here only what the "
    "network adds to x is dropped.",
    caught_by=("test_block_drops_attention_weights",),
)
class DropsActivations(Layer):
    def bend(self, h):
        return self.drop(gelu(h))


@misconception(
    of="Block",
    sentence="Your block goes on dropping after eval(): F.dropout needs training=self.training, "
    "or use nn.Dropout.",
    caught_by=("test_nothing_is_dropped_in_eval",),
)
class DropsInEval(Layer):
    def drop(self, h):
        return F.dropout(h, self.p)


# The model: from tokens to logits -----------------------------------------------------------------


@misconception(
    of="GPT",
    sentence="Your model returns probabilities. Return the logits as they are: cross-entropy "
    "applies softmax itself, and twice is once too often.",
    caught_by=("test_logits", "test_loss"),
)
class ReturnsProbabilities(Model):
    def answer(self, logits, targets):
        return super().answer(logits.softmax(-1), targets)


@misconception(
    of="GPT",
    sentence="Your model returns the logarithms of probabilities. The loss is the same, but the "
    "logits asked for are the scores before any softmax.",
    caught_by=("test_logits",),
)
class ReturnsLogProbabilities(Model):
    def answer(self, logits, targets):
        return super().answer(logits.log_softmax(-1), targets)


@misconception(
    of="GPT",
    sentence="Your model returns the most probable tokens. Return all scores: which token to take "
    "is decided later, and argmax has no gradient.",
    caught_by=("test_logits",),
)
class ReturnsTokens(Model):
    def answer(self, logits, targets):
        return logits.argmax(-1), super().answer(logits, targets)[1]


@misconception(
    of="GPT",
    sentence="Without targets your model returns the logits of the last position only. That saves "
    "time when a text is continued, but here all positions are asked for, always.",
    caught_by=("test_logits",),
)
class LastPositionOnly(Model):
    def answer(self, logits, targets):
        return super().answer(logits[:, -1:] if targets is None else logits, targets)


@misconception(
    of="GPT",
    sentence="Without targets your model returns the logits alone. It always returns a pair: "
    "logits and loss, where the loss is None.",
    caught_by=("test_logits",),
)
class ReturnsNoPair(Model):
    def answer(self, logits, targets):
        return logits if targets is None else super().answer(logits, targets)


@misconception(
    of="GPT",
    sentence="Your model adds no positions: a token counts the same wherever it stands, as long "
    "as it stands before. Add position_embedding to the tokens.",
    caught_by=("test_logits", "test_any_length_up_to_block_size"),
)
class NoPositions(Model):
    def positions(self, idx):
        return 0.0


@misconception(
    of="GPT",
    sentence="Your positions are counted from 1. The first token stands at position 0.",
    caught_by=("test_logits",),
)
class PositionsFromOne(Model):
    def positions(self, idx):
        table = self.position_embedding.weight
        return table.roll(-1, 0)[: idx.shape[1]]


@misconception(
    of="GPT",
    sentence="Your positions run along the batch: all tokens of a sentence get the same one. "
    "Count along axis 1.",
    caught_by=("test_any_length_up_to_block_size",),
)
class PositionsAlongTheBatch(Model):
    def positions(self, idx):
        rows = torch.arange(idx.shape[0], device=idx.device) % self.longest()
        return self.position_embedding(rows)[:, None]


@misconception(
    of="GPT",
    sentence="You take the last T rows of the table of positions. A text of T tokens stands at "
    "the positions 0 .. T-1, however short it is.",
    caught_by=("test_any_length_up_to_block_size",),
)
class PositionsFromTheEnd(Model):
    def positions(self, idx):
        return self.position_embedding.weight[-idx.shape[1] :]


@misconception(
    of="GPT",
    sentence="You look up positions by token number: position_embedding(idx). Where a token "
    "stands has nothing to do with which one it is.",
    caught_by=("test_logits",),
)
class PositionsByToken(Model):
    def positions(self, idx):
        return self.position_embedding(idx % self.longest())


@misconception(
    of="GPT",
    sentence="Your model adds the positions in front of every block. Once, at the start, is "
    "enough.",
    caught_by=("test_logits",),
)
class PositionsBeforeEveryBlock(Model):
    def run(self, x):
        for number, block in enumerate(self.blocks):
            x = block(x + self.positions(x) if number else x)
        return x


@misconception(
    of="GPT",
    sentence="You multiply the token vectors by sqrt(n_embd), as the Transformer of 2017 does. GPT "
    "adds token and position as they are.",
    caught_by=("test_logits",),
)
class ScaledEmbeddings(Model):
    def tokens(self, idx):
        return self.token_embedding(idx) * math.sqrt(self.token_embedding.weight.shape[1])


@misconception(
    of="GPT",
    sentence="There is no norm between your last block and the head. In a pre-norm stack nothing "
    "else keeps the sum of all branches in size: apply self.norm.",
    caught_by=("test_logits", "test_tied_weights"),
)
class NoLastNorm(Model):
    def last_norm(self, x):
        return x


@misconception(
    of="GPT",
    sentence="Your last norm comes before the first block. It belongs behind the last one.",
    caught_by=("test_logits",),
)
class NormBeforeTheBlocks(Model):
    def run(self, x):
        return super().run(self.norm(x))

    def last_norm(self, x):
        return x


@misconception(
    of="GPT",
    sentence="Your last norm is applied after every block. The blocks have norms of their own; "
    "this one comes once, at the end.",
    caught_by=("test_logits",),
)
class NormAfterEveryBlock(Model):
    def run(self, x):
        for block in self.blocks:
            x = self.norm(block(x))
        return x

    def last_norm(self, x):
        return x


@misconception(
    of="GPT",
    sentence="Your last norm has another eps than 1e-5, which small numbers feel.",
    caught_by=("test_eps_of_norms",),
)
class LastNormsOtherEps(Model):
    eps = 1e-12


@misconception(
    of="GPT",
    sentence="Every block of yours starts again from the embeddings, so only the last one counts. "
    "Hand on what a block returns: x = block(x).",
    caught_by=("test_logits",),
)
class OnlyTheLastBlock(Model):
    def run(self, x):
        return [block(x) for block in self.blocks][-1]


@misconception(
    of="GPT",
    sentence="Your blocks run in reverse order: blocks.0 is the first to see the text.",
    caught_by=("test_logits",),
)
class BlocksInReverse(Model):
    def run(self, x):
        for block in reversed(self.blocks):
            x = block(x)
        return x


@misconception(
    of="GPT",
    sentence="There is one more residual connection around each of your blocks: they add x "
    "themselves.",
    caught_by=("test_logits",),
)
class ResidualAroundBlocks(Model):
    def run(self, x):
        for block in self.blocks:
            x = x + block(x)
        return x


@misconception(
    of="GPT",
    sentence="Your blocks are one and the same block, used n_layer times: [block] * n makes no "
    "copies. Build a new Block for each place.",
    caught_by=("test_logits", "test_counts"),
)
class SharedBlocks(Model):
    def stack(self, n, layer):
        return nn.ModuleList([layer()] * n)


@misconception(
    of="GPT",
    sentence="Your blocks are kept in a plain Python list, where nn.Module does not find their "
    "parameters: nothing would train them. Use nn.ModuleList.",
    caught_by=("test_logits",),
)
class BlocksInAList(Model):
    def stack(self, n, layer):
        return [layer() for _ in range(n)]


@misconception(
    of="GPT",
    sentence="The feed-forward networks of your model are as narrow as the model: d_ff is "
    "4 * n_embd.",
    caught_by=("test_logits",),
)
class NarrowThoughts(Model):
    def inner(self, n_embd):
        return n_embd


@misconception(
    of="GPT",
    sentence="Your model hands n_head and n_layer on in the wrong order: see which is which in "
    "the signature.",
    caught_by=("test_logits",),
)
class HeadsAndLayersSwapped(Model):
    def __init__(self, vocab_size, block_size, n_head, n_layer, n_embd, *args, **options):
        super().__init__(vocab_size, block_size, n_layer, n_head, n_embd, *args, **options)


@misconception(
    of="GPT",
    sentence="Your blocks are always built with biases: hand bias on to Block.",
    caught_by=("test_counts",),
)
class BlocksAlwaysWithBiases(Model):
    @staticmethod
    def layer(d_model, num_heads, d_ff, dropout, bias):
        return Layer(d_model, num_heads, d_ff, dropout)


@misconception(
    of="GPT",
    sentence="Your head has a bias. The projection on the vocabulary is made without one.",
    caught_by=("test_logits",),
)
class HeadWithBias(Model):
    head_bias = True


# Tied weights -------------------------------------------------------------------------------------


@misconception(
    of="GPT",
    sentence="The head of your tied model has a matrix of its own. Equal numbers, copied once, are "
    "not tied: they are trained apart. Let the head use the very Parameter of the embedding: "
    "head.weight = token_embedding.weight.",
    caught_by=("test_tied_weights", "test_counts"),
)
class NeverTied(Model):
    def tie(self):
        pass


@misconception(
    of="GPT",
    sentence="Your model ties the weights even if tie_weights is False.",
    caught_by=("test_logits", "test_counts"),
)
class AlwaysTied(Model):
    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self.tie()


@misconception(
    of="GPT",
    sentence="In your tied model the table learns as an embedding only: what reaches the head is "
    "detached. Use the Parameter, not its .data.",
    caught_by=("test_tied_weights",),
)
class TiedButDetached(Model):
    def tie(self):
        self.head = None

    def score(self, x):
        if self.head is not None:
            return self.head(x)
        return F.linear(x, self.token_embedding.weight.detach())


@misconception(
    of="GPT",
    sentence="Your head is a function that remembers the embedding of the first model: a copy of "
    "the model goes on using the table of the original. Look the weights up in self at each call.",
    caught_by=("test_tied_weights_in_a_copy",),
)
class ClosureOverTheTable(Model):
    def tie(self):
        del self.head
        table = self.token_embedding.weight
        self.head = lambda x: F.linear(x, table)


# Lengths and dropout ------------------------------------------------------------------------------


@misconception(
    of="GPT",
    sentence="Your model cuts texts that are too long to block_size tokens. Half an answer that "
    "looks like a whole one is worse than none: raise ValueError.",
    caught_by=("test_longer_texts_are_refused",),
)
class CutsTheText(Model):
    def check(self, idx):
        return idx[:, -self.longest() :]


@misconception(
    of="GPT",
    sentence="Your model goes on counting from 0 when it runs out of positions. More than "
    "block_size tokens raise ValueError.",
    caught_by=("test_longer_texts_are_refused",),
)
class PositionsStartAgain(Model):
    def check(self, idx):
        return idx

    def positions(self, idx):
        rows = torch.arange(idx.shape[1], device=idx.device) % self.longest()
        return self.position_embedding(rows)


@misconception(
    of="GPT",
    sentence="Your model does not look whether there are positions enough, and fails somewhere "
    "inside. Compare the length with block_size, and raise ValueError with a sentence.",
    caught_by=("test_longer_texts_are_refused",),
)
class NeverLooks(Model):
    def check(self, idx):
        return idx

    def positions(self, idx):
        return self.position_embedding(torch.arange(idx.shape[1], device=idx.device))


@misconception(
    of="GPT",
    sentence="Your model refuses texts of exactly block_size tokens: T > block_size is too long, "
    "T = block_size is not.",
    caught_by=("test_any_length_up_to_block_size",),
)
class RefusesTheLongest(Model):
    def check(self, idx):
        if idx.shape[1] >= self.longest():
            raise ValueError("too long")
        return idx


@misconception(
    of="GPT",
    sentence="Your model never drops the embeddings: in training the sum of token and position "
    "goes through dropout before the first block.",
    caught_by=("test_dropout_in_the_model",),
)
class EmbeddingsNeverDropped(Model):
    def drop(self, x):
        return x


@misconception(
    of="GPT",
    sentence="Your model drops the token vectors before the positions are added: the sum is what "
    "goes through dropout.",
    caught_by=("test_dropout_in_the_model",),
)
class DropsTokensApart(Model):
    def embed(self, idx):
        return self.drop(self.tokens(idx)) + self.drop(
            self.positions(idx).expand(*idx.shape, self.token_embedding.weight.shape[1])
        )


@misconception(
    of="GPT",
    sentence="Your blocks are built without dropout, so only the embeddings are dropped: hand "
    "dropout on to Block.",
    caught_by=("test_dropout_in_the_model",),
)
class BlocksNeverDrop(Model):
    @staticmethod
    def layer(d_model, num_heads, d_ff, dropout, bias):
        return Layer(d_model, num_heads, d_ff, 0.0, bias)


@misconception(
    of="GPT",
    sentence="Your embeddings go through dropout twice: with 0.5, a quarter is left instead of a "
    "half.",
    caught_by=("test_dropout_in_the_model",),
)
class DropsTwice(Model):
    def drop(self, x):
        return F.dropout(super().drop(x), self.p, self.training)


@misconception(
    of="GPT",
    sentence="Your model goes on dropping embeddings after eval(): F.dropout needs "
    "training=self.training.",
    caught_by=("test_nothing_is_dropped_in_eval",),
)
class ModelDropsInEval(Model):
    def drop(self, x):
        return F.dropout(x, self.p)


# The loss -----------------------------------------------------------------------------------------


@misconception(
    of="GPT",
    sentence="With targets your model returns its logits as one long matrix: flatten them for the "
    "loss alone, and return them as (B, T, vocab_size).",
    caught_by=("test_loss",),
)
class ReturnsFlatLogits(Model):
    def answer(self, logits, targets):
        found, loss = super().answer(logits, targets)
        return found if targets is None else found.flatten(0, 1), loss


@misconception(
    of="GPT",
    sentence="Your loss writes into the caller's targets. Make a tensor of your own, or let "
    "ignore_index do it.",
    caught_by=("test_targets_not_asked_for",),
)
class WritesIntoTargets(Model):
    def loss(self, logits, targets):
        asked = targets != -100
        targets[~asked] = 0
        losses = self.entropies(logits, targets) * asked.flatten()
        return losses.sum() / asked.sum().clamp(min=1)


@misconception(
    of="GPT",
    sentence="Your model shifts the targets once more. They come shifted: targets[b, t] is already "
    "the token after idx[b, t], and each position has one.",
    caught_by=("test_loss",),
)
class ShiftsAgain(Model):
    def loss(self, logits, targets):
        return super().loss(logits[:, :-1], targets[:, 1:])


@misconception(
    of="GPT",
    sentence="Your loss takes idx for the targets: it rewards repeating the token just read.",
    caught_by=("test_loss",),
)
class PredictsItself(Model):
    def forward(self, idx, targets=None):
        return super().forward(idx, None if targets is None else idx)


@misconception(
    of="GPT",
    sentence="Your loss is the sum over all targets: it grows with the batch, and the step with "
    "it. Take the mean.",
    caught_by=("test_loss", "test_targets_not_asked_for"),
)
class SummedLoss(Model):
    def loss(self, logits, targets):
        return self.entropies(logits, targets).sum()


@misconception(
    of="GPT",
    sentence="Your loss is one number for each target: return their mean, one number in all.",
    caught_by=("test_loss",),
)
class LossPerTarget(Model):
    def loss(self, logits, targets):
        return self.entropies(logits, targets).view_as(targets)


@misconception(
    of="GPT",
    sentence="Your loss is summed over the tokens of a sentence before the mean over sentences is "
    "taken. It is the mean over all targets.",
    caught_by=("test_loss",),
)
class SummedOverTokens(Model):
    def loss(self, logits, targets):
        return self.entropies(logits, targets).view_as(targets).sum(1).mean()


@misconception(
    of="GPT",
    sentence="You apply softmax before cross_entropy, which applies it itself: the loss can no "
    "longer come near 0. Give it the logits.",
    caught_by=("test_loss",),
)
class SoftmaxBeforeEntropy(Model):
    def loss(self, logits, targets):
        return super().loss(logits.softmax(-1), targets)


@misconception(
    of="GPT",
    sentence="Your loss is a Python number that has left the graph: return the tensor, without "
    ".item() or float().",
    caught_by=("test_loss",),
)
class LossIsANumber(Model):
    def loss(self, logits, targets):
        return float(super().loss(logits, targets))


@misconception(
    of="GPT",
    sentence="If no target is asked for, your loss is a 0 that hangs on nothing: backward() would "
    "raise. Let it come out of the logits, as a sum of no terms.",
    caught_by=("test_no_target_at_all",),
)
class ConstantZero(Model):
    def loss(self, logits, targets):
        if bool((targets == -100).all()):
            return torch.zeros((), dtype=logits.dtype, device=logits.device)
        return super().loss(logits, targets)


@misconception(
    of="GPT",
    sentence="Your loss has left the graph: nothing can be learned from it. Leave out detach and "
    "no_grad.",
    caught_by=("test_loss",),
)
class LossIsDetached(Model):
    def loss(self, logits, targets):
        return super().loss(logits, targets).detach()


@misconception(
    of="GPT",
    sentence="Your mean divides by all targets, those of -100 included. Divide by the number of "
    "targets that were asked for.",
    caught_by=("test_targets_not_asked_for",),
)
class DividesByAll(Model):
    def loss(self, logits, targets):
        return self.entropies(logits, targets).sum() / targets.numel()


@misconception(
    of="GPT",
    sentence="Your loss is a mean of each sentence's mean: with -100 among the targets, sentences "
    "have different lengths. All targets of the batch count alike.",
    caught_by=("test_targets_not_asked_for",),
)
class MeanOfMeans(Model):
    def loss(self, logits, targets):
        asked = (targets != -100).sum(1).clamp(min=1)
        return (self.entropies(logits, targets).view_as(targets).sum(1) / asked).mean()


@misconception(
    of="GPT",
    sentence="Your loss ignores targets of -1. Here -100 means: not asked for, which is what "
    "cross_entropy ignores if told nothing.",
    caught_by=("test_targets_not_asked_for",),
)
class IgnoresMinusOne(Model):
    def entropies(self, logits, targets):
        flat = targets.flatten()
        return F.cross_entropy(logits.flatten(0, 1), flat, ignore_index=-1, reduction="none")


@misconception(
    of="GPT",
    sentence="Your loss ignores token 0, as if it were padding. Here it is a token like any other; "
    "only -100 is not asked for.",
    caught_by=("test_targets_not_asked_for",),
)
class IgnoresZero(Model):
    def loss(self, logits, targets):
        return super().loss(logits, targets.masked_fill(targets == 0, -100))


@misconception(
    of="GPT",
    sentence="You turn the targets of -100 into token 0, which is then asked for. They must have "
    "no share in the loss.",
    caught_by=("test_targets_not_asked_for", "test_no_target_at_all"),
)
class NothingBecomesZero(Model):
    def loss(self, logits, targets):
        return super().loss(logits, targets.clamp(min=0))


@misconception(
    of="GPT",
    sentence="If no target is asked for, your loss is 0 / 0 = NaN, and one such batch makes NaN of "
    "every weight. Divide the sum by max(number of targets, 1).",
    caught_by=("test_no_target_at_all",),
)
class MeanOfNothing(Model):
    def loss(self, logits, targets):
        return F.cross_entropy(logits.flatten(0, 1), targets.flatten())


@misconception(
    of="GPT",
    sentence="You call view on the targets, which a slice or a transpose of other targets does not "
    "allow: use reshape or flatten.",
    caught_by=("test_any_layout",),
)
class ViewsTheTargets(Model):
    def entropies(self, logits, targets):
        return super().entropies(logits, targets.view(-1))


@misconception(
    of="GPT",
    sentence="You flatten the targets sentence by sentence, but the logits token by token: they no "
    "longer belong together. Both are (B, T): flatten both in the same order.",
    caught_by=("test_loss",),
)
class FlattenedInAnotherOrder(Model):
    def loss(self, logits, targets):
        return super().loss(logits.transpose(0, 1), targets)


# Counting, cropping, starting ---------------------------------------------------------------------


@misconception(
    of="GPT",
    sentence="get_num_params counts the tied table twice: state_dict lists it under both its "
    "names. parameters() lists it once.",
    caught_by=("test_get_num_params", "test_size_of_gpt2"),
)
class CountsTwice(Model):
    def get_num_params(self, non_embedding=False):
        total = sum(p.numel() for p in self.state_dict().values())
        return total - (self.position_embedding.weight.numel() if non_embedding else 0)


@misconception(
    of="GPT",
    sentence="get_num_params(non_embedding=True) leaves out the tokens and keeps the positions. It "
    "is the other way round: the tokens' table also makes the logits.",
    caught_by=("test_get_num_params",),
)
class LeavesOutTokens(Model):
    def get_num_params(self, non_embedding=False):
        total = super().get_num_params()
        return total - (self.token_embedding.weight.numel() if non_embedding else 0)


@misconception(
    of="GPT",
    sentence="get_num_params(non_embedding=True) leaves out both tables. The tokens' table stays "
    "in, because it also makes the logits.",
    caught_by=("test_get_num_params",),
)
class LeavesOutBoth(Model):
    def get_num_params(self, non_embedding=False):
        tables = self.token_embedding.weight.numel() + self.position_embedding.weight.numel()
        return super().get_num_params() - (tables if non_embedding else 0)


@misconception(
    of="GPT",
    sentence="get_num_params(non_embedding=True) leaves nothing out.",
    caught_by=("test_get_num_params",),
)
class LeavesOutNothing(Model):
    def get_num_params(self, non_embedding=False):
        return super().get_num_params()


@misconception(
    of="GPT",
    sentence="get_num_params leaves the positions out even if non_embedding is False.",
    caught_by=("test_get_num_params",),
)
class NeverCountsPositions(Model):
    def get_num_params(self, non_embedding=False):
        return super().get_num_params(True)


@misconception(
    of="GPT",
    sentence="get_num_params counts matrices and vectors, not the numbers in them: use numel().",
    caught_by=("test_get_num_params",),
)
class CountsTensors(Model):
    def get_num_params(self, non_embedding=False):
        return len(list(self.parameters())) - (1 if non_embedding else 0)


@misconception(
    of="GPT",
    sentence="crop_block_size keeps the last n positions. A shorter text still begins at position "
    "0: keep the first n.",
    caught_by=("test_crop_block_size",),
)
class KeepsTheLast(Model):
    def keep(self, n):
        kept = self.position_embedding.weight.detach()[-n:].clone()
        self.position_embedding.weight = nn.Parameter(kept)


@misconception(
    of="GPT",
    sentence="crop_block_size makes a new table: what the positions had learned is gone. Keep the "
    "first n rows of the old one.",
    caught_by=("test_crop_block_size",),
)
class NewTable(Model):
    def keep(self, n):
        width = self.position_embedding.weight.shape[1]
        self.position_embedding = nn.Embedding(n, width, dtype=self.norm.weight.dtype)


@misconception(
    of="GPT",
    sentence="crop_block_size remembers the new length but leaves the table as long as it was: cut "
    "the table, which is what costs memory.",
    caught_by=("test_crop_block_size",),
)
class TableNotCut(Model):
    kept = None

    def longest(self):
        return self.kept or super().longest()

    def keep(self, n):
        self.kept = n


@misconception(
    of="GPT",
    sentence="Your crop_block_size compares n with the first block_size, even if the model has "
    "been cropped since: what was cut off does not come back.",
    caught_by=("test_crop_does_not_enlarge",),
)
class CropForgetsCropping(Model):
    def __init__(self, vocab_size, block_size, *args, **options):
        super().__init__(vocab_size, block_size, *args, **options)
        self.block_size = block_size

    def crop_block_size(self, n):
        if n > self.block_size:
            raise ValueError("cannot grow")
        self.keep(n)


@misconception(
    of="GPT",
    sentence="After crop_block_size your model still takes texts of the old length, and fails "
    "inside: the new n is the limit from then on.",
    caught_by=("test_crop_block_size",),
)
class LimitNotCut(Model):
    def __init__(self, vocab_size, block_size, *args, **options):
        self.block_size = block_size
        super().__init__(vocab_size, block_size, *args, **options)

    def longest(self):
        return self.block_size


@misconception(
    of="GPT",
    sentence="After crop_block_size the table of positions is no Parameter any more, and will not "
    "be trained.",
    caught_by=("test_crop_block_size",),
)
class TableFrozen(Model):
    def keep(self, n):
        kept = self.position_embedding.weight.detach()[:n].clone()
        del self.position_embedding.weight
        self.position_embedding.register_buffer("weight", kept)


@misconception(
    of="GPT",
    sentence="After crop_block_size the table of positions is frozen: Embedding.from_pretrained "
    "freezes unless told freeze=False.",
    caught_by=("test_crop_block_size",),
)
class TablePretrained(Model):
    def keep(self, n):
        kept = self.position_embedding.weight.detach()[:n].clone()
        self.position_embedding = nn.Embedding.from_pretrained(kept)


@misconception(
    of="GPT",
    sentence="Your crop_block_size refuses to keep all positions: n = block_size is not more than "
    "block_size.",
    caught_by=("test_crop_does_not_enlarge",),
)
class CropMustShorten(Model):
    def crop_block_size(self, n):
        if n >= self.longest():
            raise ValueError("nothing to crop")
        self.keep(n)


@misconception(
    of="GPT",
    sentence="crop_block_size takes an n above block_size without a word. There are no such "
    "positions: raise ValueError.",
    caught_by=("test_crop_does_not_enlarge",),
)
class CropTakesAnything(Model):
    def crop_block_size(self, n):
        self.keep(n)


@misconception(
    of="GPT",
    sentence="Your model starts with torch's own distributions: embeddings of N(0, 1) make the "
    "first logits far too large. All matrices and tables start at N(0, 0.02).",
    caught_by=("test_start",),
)
class TorchStart(Model):
    def start(self):
        pass


@misconception(
    of="GPT",
    sentence="The matrices that lead back into x start like all others: with 2 n_layer branches "
    "added up, x grows with the depth. Divide their 0.02 by sqrt(2 n_layer).",
    caught_by=("test_start",),
)
class NoSmallerStart(Model):
    def is_last(self, name):
        return False


@misconception(
    of="GPT",
    sentence="You divide by sqrt(n_layer), but each block adds two branches: sqrt(2 n_layer).",
    caught_by=("test_start",),
)
class OneBranchPerBlock(Model):
    def spread(self, name):
        return 0.02 / (math.sqrt(self.n_layer) if self.is_last(name) else 1.0)


@misconception(
    of="GPT",
    sentence="You divide 0.02 by 2 n_layer: variances add up, so it is divided by the root.",
    caught_by=("test_start",),
)
class RootForgotten(Model):
    def spread(self, name):
        return 0.02 / (2 * self.n_layer if self.is_last(name) else 1.0)


@misconception(
    of="GPT",
    sentence="Only attention's way back into x starts smaller: w_2 leads into x too.",
    caught_by=("test_start",),
)
class OnlyAttentionSmaller(Model):
    def is_last(self, name):
        return name.endswith("w_o.weight")


@misconception(
    of="GPT",
    sentence="Your numbers have the right spread at the start, but are spread evenly: draw them "
    "with normal_, not uniform_.",
    caught_by=("test_start",),
)
class DrawsEvenly(Model):
    def start(self):
        super().start()
        for weights in self.parameters():
            if weights.ndim == 2:
                bound = weights.detach().std().item() * 3**0.5
                nn.init.uniform_(weights, -bound, bound)


@misconception(
    of="GPT",
    sentence="Your tables start at N(0, 1), as torch makes them: they are drawn like the matrices, "
    "from N(0, 0.02).",
    caught_by=("test_start",),
)
class TablesAsTorchMakesThem(Model):
    def spread(self, name):
        return 1.0 if "embedding" in name else super().spread(name)


@misconception(
    of="GPT",
    sentence="Your biases start at random. They all start at 0.",
    caught_by=("test_start",),
)
class BiasesDrawn(Model):
    def start_bias(self, bias):
        nn.init.normal_(bias, std=0.02)


@misconception(
    of="GPT",
    sentence="Your initialisation draws the weights of norms too. They start at 1.",
    caught_by=("test_start",),
)
class NormsDrawn(Model):
    def start(self):
        super().start()
        for name, weights in self.named_parameters():
            if "norm" in name and name.endswith("weight"):
                nn.init.normal_(weights, std=0.02)


@misconception(
    of="Block",
    sentence="Your block makes a mask on the CPU whatever device it has been moved to: make it "
    "with device=x.device, or pass is_causal=True.",
    caught_by=("test_in_other_dtypes_and_places",),
)
class MaskOnTheCpu(Layer):
    def attend(self, x):
        mask = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool, device="cpu").tril()
        return self.attention(x, mask=mask)


@misconception(
    of="GPT",
    sentence="Your model makes tensors on the CPU whatever device it has been moved to: make them "
    "with device=idx.device.",
    caught_by=("test_in_other_dtypes_and_places",),
)
class MadeOnTheCpu(Model):
    def embed(self, idx):
        width = self.token_embedding.weight.shape[1]
        return torch.zeros(*idx.shape, width, device="cpu") + super().embed(idx)


@misconception(
    of="GPT",
    sentence="Your logits are always float32: they have the dtype of the model.",
    caught_by=("test_in_other_dtypes_and_places",),
)
class AlwaysFloat32(Model):
    def score(self, x):
        return super().score(x).float()
