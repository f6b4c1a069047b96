"""Wrong answers to ``self_attention``, and what their authors are told."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import nn

from grader.programs.bank import misconception

# The right programs in steps; most wrong ones below replace a single step.


class _V1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, d_out))
        self.W_value = nn.Parameter(torch.rand(d_in, d_out))

    def project(self, x):
        return x @ self.W_query, x @ self.W_key, x @ self.W_value

    def score(self, q, k):
        return q @ k.mT / math.sqrt(k.shape[-1])

    def weigh(self, scores):
        return scores.softmax(-1)

    def forward(self, x):
        q, k, v = self.project(x)
        return self.weigh(self.score(q, k)) @ v


class _V2(_V1):
    def __init__(self, d_in, d_out, qkv_bias=False):
        nn.Module.__init__(self)
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)

    def project(self, x):
        return self.W_query(x), self.W_key(x), self.W_value(x)


class _Causal(_V2):
    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__(d_in, d_out, qkv_bias)
        self.dropout = nn.Dropout(dropout)
        past = torch.ones(context_length, context_length, dtype=torch.bool).tril()
        self.register_buffer("mask", past)

    def check(self, x):
        if x.shape[1] > len(self.mask):
            raise ValueError("the sequence is too long")

    def past(self, scores):
        length = scores.shape[-1]
        return self.mask[:length, :length]

    def weigh(self, scores):
        return scores.masked_fill(~self.past(scores), -torch.inf).softmax(-1)

    def drop(self, weights):
        return self.dropout(weights)

    def forward(self, x):
        self.check(x)
        q, k, v = self.project(x)
        return self.drop(self.weigh(self.score(q, k))) @ v


# Right, but slow ----------------------------------------------------------------------------------

SLOW, CAUSAL_SLOW = (
    ("test_v1_and_v2_take_all_tokens_at_once",),
    ("test_causal_takes_all_tokens_at_once",),
)


@misconception(
    of="SelfAttention_v1",
    sentence="Your answers are right, but v1 lets one token after the other ask in a Python loop: "
    "x @ W_query is all queries, and queries @ keys.mT all of their scores.",
    caught_by=SLOW,
)
class V1TokenByToken(_V1):
    def forward(self, x):
        keys, values = x @ self.W_key, x @ self.W_value
        answers = []
        for token in x.unbind(-2):
            query = token @ self.W_query
            scores = (keys @ query.unsqueeze(-1)).squeeze(-1)
            weights = torch.softmax(scores / keys.shape[-1] ** 0.5, dim=-1)
            answers.append((weights.unsqueeze(-1) * values).sum(-2))
        return torch.stack(answers, dim=-2)


@misconception(
    of="SelfAttention_v1",
    sentence="Your answers are right, but v1 computes each score by itself, in two nested Python "
    "loops, as if by hand: queries @ keys.mT is all of them.",
    caught_by=SLOW,
)
class V1ScoreByScore(_V1):
    def score(self, q, k):
        rows = [
            torch.stack([(one * other).sum(-1) for other in k.unbind(-2)], dim=-1)
            for one in q.unbind(-2)
        ]
        return torch.stack(rows, dim=-2) / math.sqrt(k.shape[-1])


@misconception(
    of="SelfAttention_v2",
    sentence="Your answers are right, but v2 hands its linear layers one token after the other: "
    "nn.Linear works on the last axis of all tokens at once.",
    caught_by=SLOW,
)
class V2TokenByToken(_V2):
    def project(self, x):
        layers = (self.W_query, self.W_key, self.W_value)
        return tuple(
            torch.stack([layer(token) for token in x.unbind(-2)], dim=-2) for layer in layers
        )


@misconception(
    of="CausalAttention",
    sentence="Your answers are right, but in every call a Python loop hides the future row by row: "
    "one masked_fill with the triangle hides it in all rows.",
    caught_by=CAUSAL_SLOW,
)
class CausalRowByRow(_Causal):
    def weigh(self, scores):
        scores = scores.clone()
        for i in range(scores.shape[-2]):
            scores[..., i, i + 1 :] = -torch.inf
        return scores.softmax(-1)


@misconception(
    of="CausalAttention",
    sentence="Your answers are right, but in every call two nested Python loops hide one later "
    "token at a time: masked_fill takes the whole triangle, torch.ones(T, T).triu(1).",
    caught_by=CAUSAL_SLOW,
)
class CausalNumberByNumber(_Causal):
    def weigh(self, scores):
        scores = scores.clone()
        for i in range(scores.shape[-2]):
            for j in range(i + 1, scores.shape[-1]):
                scores[..., i, j] = -torch.inf
        return scores.softmax(-1)


# SelfAttention_v1 ---------------------------------------------------------------------------------


@misconception(
    of="SelfAttention_v1",
    sentence="Your v1 equals self-attention without the division by sqrt(d_out): divide the "
    "scores before the softmax.",
    caught_by=("test_v1_on_one_sequence",),
)
class V1NoScaling(_V1):
    def score(self, q, k):
        return q @ k.mT


@misconception(
    of="SelfAttention_v1",
    sentence="Your v1 divides the scores by d_out: divide by its square root.",
    caught_by=("test_v1_on_one_sequence",),
)
class V1DividesByWidth(_V1):
    def score(self, q, k):
        return q @ k.mT / k.shape[-1]


@misconception(
    of="SelfAttention_v1",
    sentence="Your v1 divides by sqrt(d_in), the width of x: queries and keys have the width "
    "d_out.",
    caught_by=("test_v1_on_one_sequence",),
)
class V1RootOfInputWidth(_V1):
    def score(self, q, k):
        return q @ k.mT / math.sqrt(len(self.W_query))


@misconception(
    of="SelfAttention_v1",
    sentence="Your v1 divides by the root of the number of tokens: d_out is the last axis of the "
    "keys.",
    caught_by=("test_v1_on_one_sequence",),
)
class V1RootOfLength(_V1):
    def score(self, q, k):
        return q @ k.mT / math.sqrt(k.shape[-2])


@misconception(
    of="SelfAttention_v1",
    sentence="Your v1 uses keys.T, which turns all axes around: with a batch in front, swap the "
    "last two only, keys.transpose(-2, -1).",
    caught_by=("test_v1_on_batches",),
)
class V1TransposesEveryAxis(_V1):
    def score(self, q, k):
        return q @ k.permute(*range(k.ndim)[::-1]) / math.sqrt(k.shape[-1])


@misconception(
    of="SelfAttention_v1",
    sentence="Your v1 normalises over axis 1, which holds the keys only as long as there is no "
    "batch: softmax takes dim=-1.",
    caught_by=("test_v1_on_batches",),
)
class V1SoftmaxOverAxisOne(_V1):
    def weigh(self, scores):
        return scores.softmax(1)


@misconception(
    of="SelfAttention_v1",
    sentence="Your v1 normalises over the queries: each token shares its weight among the keys, "
    "so softmax takes dim=-1.",
    caught_by=("test_v1_on_one_sequence",),
)
class V1SoftmaxOverQueries(_V1):
    def weigh(self, scores):
        return scores.softmax(-2)


@misconception(
    of="SelfAttention_v1",
    sentence="Your v1 has queries and keys swapped: row i must hold the scores of query i.",
    caught_by=("test_v1_on_one_sequence",),
)
class V1KeysAskQueries(_V1):
    def score(self, q, k):
        return super().score(k, q)


@misconception(
    of="SelfAttention_v1",
    sentence="Your v1 averages the keys: they only decide the weights, the values are averaged.",
    caught_by=("test_v1_on_one_sequence",),
)
class V1AveragesKeys(_V1):
    def project(self, x):
        q, k, _ = super().project(x)
        return q, k, k


@misconception(
    of="SelfAttention_v1",
    sentence="Your v1 averages the tokens themselves: average their values, x @ W_value.",
    caught_by=("test_v1_on_one_sequence",),
)
class V1AveragesTokens(_V1):
    def project(self, x):
        q, k, _ = super().project(x)
        return q, k, x


@misconception(
    of="SelfAttention_v1",
    sentence="Your v1 scores the tokens with each other, not their queries with their keys: "
    "W_query and W_key are never used.",
    caught_by=("test_v1_on_one_sequence",),
)
class V1ScoresTokens(_V1):
    def project(self, x):
        return x, x, x @ self.W_value


@misconception(
    of="SelfAttention_v1",
    sentence="Your v1 averages with the raw scores: softmax must turn them into weights first.",
    caught_by=("test_v1_on_one_sequence",),
)
class V1NoSoftmax(_V1):
    def weigh(self, scores):
        return scores


@misconception(
    of="SelfAttention_v1",
    sentence="Your v1 divides the scores by their sum: scores may be negative, weights must not "
    "be. Use softmax.",
    caught_by=("test_v1_on_one_sequence",),
)
class V1PlainSum(_V1):
    def weigh(self, scores):
        return scores / scores.sum(-1, keepdim=True)


@misconception(
    of="SelfAttention_v1",
    sentence="Your v1 scales after the softmax, so the weights no longer sum to one: scale the "
    "scores.",
    caught_by=("test_v1_on_one_sequence",),
)
class V1ScalesAfterSoftmax(_V1):
    def score(self, q, k):
        return q @ k.mT

    def weigh(self, scores):
        return scores.softmax(-1) / math.sqrt(self.W_key.shape[-1])


@misconception(
    of="SelfAttention_v1",
    sentence="Your v1 takes exponentials of the scores as they are, and they overflow from 89 on: "
    "use torch.softmax, which subtracts the row's maximum.",
    caught_by=("test_v1_large_scores",),
)
class V1UnstableSoftmax(_V1):
    def weigh(self, scores):
        exponentials = scores.exp()
        return exponentials / exponentials.sum(-1, keepdim=True)


@misconception(
    of="SelfAttention_v1",
    sentence="Your v1 hides later tokens: only CausalAttention does, here everybody sees "
    "everybody.",
    caught_by=("test_v1_on_one_sequence",),
)
class V1Causal(_V1):
    def weigh(self, scores):
        later = torch.ones_like(scores, dtype=torch.bool).triu(1)
        return scores.masked_fill(later, -torch.inf).softmax(-1)


@misconception(
    of="SelfAttention_v1",
    sentence="Your v1 keeps its matrices as (d_out, d_in): bare matrices are (d_in, d_out) here, "
    "and q = x @ W_query. Only nn.Linear keeps them the other way round.",
    caught_by=("test_v1_on_one_sequence",),
)
class V1MatricesTransposed(_V1):
    def __init__(self, d_in, d_out):
        super().__init__(d_out, d_in)

    def project(self, x):
        return x @ self.W_query.T, x @ self.W_key.T, x @ self.W_value.T


@misconception(
    of="SelfAttention_v1",
    sentence="Your v1 holds plain tensors, which no optimiser will ever see: wrap them in "
    "nn.Parameter.",
    caught_by=("test_v1_on_one_sequence",),
)
class V1PlainTensors(_V1):
    def __init__(self, d_in, d_out):
        nn.Module.__init__(self)
        self.W_query, self.W_key, self.W_value = (torch.rand(d_in, d_out) for _ in range(3))


@misconception(
    of="SelfAttention_v1",
    sentence="Your v1 holds frozen parameters, requires_grad=False, which never learn: leave that "
    "out.",
    caught_by=("test_v1_on_one_sequence",),
)
class V1Frozen(_V1):
    def __init__(self, d_in, d_out):
        super().__init__(d_in, d_out)
        self.requires_grad_(False)


@misconception(
    of="SelfAttention_v1",
    sentence="Your v1 uses nn.Linear: that is v2. Here W_query, W_key and W_value are bare "
    "parameters.",
    caught_by=("test_v1_on_one_sequence",),
)
class V1IsV2(_V2):
    pass


@misconception(
    of="SelfAttention_v1",
    sentence="Your v1 has one matrix under three names: queries, keys and values need one each.",
    caught_by=("test_v1_on_one_sequence",),
)
class V1OneMatrix(_V1):
    def __init__(self, d_in, d_out):
        super().__init__(d_in, d_out)
        self.W_key = self.W_value = self.W_query


@misconception(
    of="SelfAttention_v1",
    sentence="Your v1 starts with zeros: then all scores are equal and all answers 0. Start "
    "random.",
    caught_by=("test_v1_starts_random",),
)
class V1StartsAtZero(_V1):
    def __init__(self, d_in, d_out):
        super().__init__(d_in, d_out)
        for matrix in (self.W_query, self.W_key, self.W_value):
            nn.init.zeros_(matrix)


@misconception(
    of="SelfAttention_v1",
    sentence="Your v1 starts with three copies of one matrix: draw each on its own.",
    caught_by=("test_v1_starts_random",),
)
class V1StartsWithCopies(_V1):
    def __init__(self, d_in, d_out):
        super().__init__(d_in, d_out)
        self.W_key = nn.Parameter(self.W_query.detach().clone())
        self.W_value = nn.Parameter(self.W_query.detach().clone())


@misconception(
    of="SelfAttention_v1",
    sentence="Your v1 seeds the random numbers when it is made, so all layers start out the same: "
    "leave the seed to the caller.",
    caught_by=("test_v1_starts_random",),
)
class V1Seeds(_V1):
    def __init__(self, d_in, d_out):
        torch.manual_seed(123)
        super().__init__(d_in, d_out)


@misconception(
    of="SelfAttention_v1",
    sentence="Your v1 leaves the graph, so its matrices never learn: no detach, .data or no_grad.",
    caught_by=("test_v1_on_one_sequence",),
)
class V1Detached(_V1):
    def project(self, x):
        return tuple(part.detach() for part in super().project(x))


@misconception(
    of="SelfAttention_v1",
    sentence="Your v1 computes in float32 and stays there: the dtype out must be the dtype in.",
    caught_by=("test_v1_and_v2_keep_the_dtype",),
)
class V1AlwaysFloat32(_V1):
    def project(self, x):
        return tuple(part.float() for part in super().project(x))


@misconception(
    of="SelfAttention_v1",
    sentence="Your v1 returns the weights as well: return the answers alone.",
    caught_by=("test_v1_on_one_sequence",),
)
class V1ReturnsWeightsToo(_V1):
    def forward(self, x):
        q, k, v = self.project(x)
        weights = self.weigh(self.score(q, k))
        return weights @ v, weights


# SelfAttention_v2 ---------------------------------------------------------------------------------


@misconception(
    of="SelfAttention_v2",
    sentence="Your v2 equals self-attention without the division by sqrt(d_out): divide the "
    "scores before the softmax.",
    caught_by=("test_v2_on_one_sequence",),
)
class V2NoScaling(_V2):
    def score(self, q, k):
        return q @ k.mT


@misconception(
    of="SelfAttention_v2",
    sentence="Your v2 divides by sqrt(d_in), the width of x: queries and keys have the width "
    "d_out.",
    caught_by=("test_v2_on_one_sequence",),
)
class V2RootOfInputWidth(_V2):
    def score(self, q, k):
        return q @ k.mT / math.sqrt(self.W_query.in_features)


@misconception(
    of="SelfAttention_v2",
    sentence="Your v2 uses keys.T, which turns all axes around: with a batch in front, swap the "
    "last two only, keys.transpose(-2, -1).",
    caught_by=("test_v2_on_batches",),
)
class V2TransposesEveryAxis(_V2):
    def score(self, q, k):
        return q @ k.permute(*range(k.ndim)[::-1]) / math.sqrt(k.shape[-1])


@misconception(
    of="SelfAttention_v2",
    sentence="Your v2 normalises over axis 1, which holds the keys only as long as there is no "
    "batch: softmax takes dim=-1.",
    caught_by=("test_v2_on_batches",),
)
class V2SoftmaxOverAxisOne(_V2):
    def weigh(self, scores):
        return scores.softmax(1)


@misconception(
    of="SelfAttention_v2",
    sentence="Your v2 normalises over the queries: each token shares its weight among the keys, "
    "so softmax takes dim=-1.",
    caught_by=("test_v2_on_one_sequence",),
)
class V2SoftmaxOverQueries(_V2):
    def weigh(self, scores):
        return scores.softmax(-2)


@misconception(
    of="SelfAttention_v2",
    sentence="Your v2 averages the keys: they only decide the weights, the values are averaged.",
    caught_by=("test_v2_on_one_sequence",),
)
class V2AveragesKeys(_V2):
    def project(self, x):
        q, k, _ = super().project(x)
        return q, k, k


@misconception(
    of="SelfAttention_v2",
    sentence="Your v2 has queries and keys swapped: row i must hold the scores of query i.",
    caught_by=("test_v2_on_one_sequence",),
)
class V2KeysAskQueries(_V2):
    def score(self, q, k):
        return super().score(k, q)


@misconception(
    of="SelfAttention_v2",
    sentence="Your v2 takes exponentials of the scores as they are, and they overflow from 89 on: "
    "use torch.softmax, which subtracts the row's maximum.",
    caught_by=("test_v2_large_scores",),
)
class V2UnstableSoftmax(_V2):
    def weigh(self, scores):
        exponentials = scores.exp()
        return exponentials / exponentials.sum(-1, keepdim=True)


@misconception(
    of="SelfAttention_v2",
    sentence="Your v2 has no biases even with qkv_bias=True: pass it on, bias=qkv_bias.",
    caught_by=("test_v2_biases",),
)
class V2NeverBiased(_V2):
    def __init__(self, d_in, d_out, qkv_bias=False):
        super().__init__(d_in, d_out)


@misconception(
    of="SelfAttention_v2",
    sentence="Your v2 always has biases: nn.Linear has one unless told otherwise. Pass "
    "bias=qkv_bias.",
    caught_by=("test_v2_on_one_sequence",),
)
class V2AlwaysBiased(_V2):
    def __init__(self, d_in, d_out, qkv_bias=False):
        super().__init__(d_in, d_out, True)


@misconception(
    of="SelfAttention_v2",
    sentence="With qkv_bias=True only some of v2's layers have a bias: all three do, the keys too.",
    caught_by=("test_v2_biases",),
)
class V2KeysUnbiased(_V2):
    def __init__(self, d_in, d_out, qkv_bias=False):
        super().__init__(d_in, d_out, qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=False)


@misconception(
    of="SelfAttention_v2",
    sentence="Your v2 multiplies by the weights alone and forgets the biases: call the layers, "
    "self.W_query(x).",
    caught_by=("test_v2_biases",),
)
class V2BiasesUnused(_V2):
    def project(self, x):
        return x @ self.W_query.weight.T, x @ self.W_key.weight.T, x @ self.W_value.weight.T


@misconception(
    of="SelfAttention_v2",
    sentence="Your v2 has an output projection: that comes with several heads, not here.",
    caught_by=("test_v2_on_one_sequence",),
)
class V2WithOutputProjection(_V2):
    def __init__(self, d_in, d_out, qkv_bias=False):
        super().__init__(d_in, d_out, qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)

    def forward(self, x):
        return self.out_proj(super().forward(x))


# CausalAttention: the mask ------------------------------------------------------------------------


@misconception(
    of="CausalAttention",
    sentence="Your causal attention hides nothing: token i must not see the tokens after i.",
    caught_by=("test_causal",),
)
class CausalSeesEverything(_Causal):
    def weigh(self, scores):
        return scores.softmax(-1)


@misconception(
    of="CausalAttention",
    sentence="Your causal mask is upside down: every token sees itself and the future. What must "
    "be hidden is above the diagonal.",
    caught_by=("test_causal",),
)
class CausalSeesTheFuture(_Causal):
    def past(self, scores):
        return super().past(scores).T


@misconception(
    of="CausalAttention",
    sentence="Your causal mask hides every token from itself, and leaves the first one nothing: "
    "triu needs diagonal=1.",
    caught_by=("test_causal",),
)
class CausalHidesItself(_Causal):
    def past(self, scores):
        return super().past(scores).int().tril(-1).bool()


@misconception(
    of="CausalAttention",
    sentence="Your causal mask is one too generous: token i also sees token i + 1, the one it is "
    "to predict.",
    caught_by=("test_causal",),
)
class CausalSeesOneAhead(_Causal):
    def past(self, scores):
        return torch.ones_like(super().past(scores).int()).tril(1).bool()


@misconception(
    of="CausalAttention",
    sentence="You multiply the scores by the triangle: a score of 0 is not hidden, since e^0 = 1. "
    "The future must have the score -inf.",
    caught_by=("test_causal",),
)
class CausalZeroScores(_Causal):
    def weigh(self, scores):
        return (scores * self.past(scores)).softmax(-1)


@misconception(
    of="CausalAttention",
    sentence="You mask after the softmax, so the rows no longer sum to one: hide the future "
    "before the softmax, with -inf.",
    caught_by=("test_causal",),
)
class CausalMaskAfterSoftmax(_Causal):
    def weigh(self, scores):
        return scores.softmax(-1) * self.past(scores)


@misconception(
    of="CausalAttention",
    sentence="You mask after the softmax and normalise again: right on paper, but where a later "
    "token dominates, the visible weights have already underflowed to 0. Mask before the softmax.",
    caught_by=("test_causal_future_that_dominates",),
)
class CausalRenormalised(_Causal):
    def weigh(self, scores):
        weights = scores.softmax(-1) * self.past(scores)
        return weights / weights.sum(-1, keepdim=True)


@misconception(
    of="CausalAttention",
    sentence="You give the future the score -20, which a large score elsewhere still loses to: "
    "use -inf.",
    caught_by=("test_causal_future_that_dominates",),
)
class CausalMinusTwenty(_Causal):
    def weigh(self, scores):
        return scores.masked_fill(~self.past(scores), -20.0).softmax(-1)


@misconception(
    of="CausalAttention",
    sentence="Your causal attention takes exponentials of the scores as they are, and they "
    "overflow from 89 on: use torch.softmax.",
    caught_by=("test_causal_future_that_dominates",),
)
class CausalUnstableSoftmax(_Causal):
    def weigh(self, scores):
        exponentials = scores.exp() * self.past(scores)
        return exponentials / exponentials.sum(-1, keepdim=True)


@misconception(
    of="CausalAttention",
    sentence="Your mask always has the size of the context: cut it to the sequence, mask[:T, :T], "
    "or make it for T.",
    caught_by=("test_causal_shorter_sequences",),
)
class CausalMaskNotCut(_Causal):
    def past(self, scores):
        return self.mask


@misconception(
    of="CausalAttention",
    sentence="For a shorter sequence you take the last rows of the mask, which allow too much: "
    "take the first rows and columns, mask[:T, :T].",
    caught_by=("test_causal_shorter_sequences",),
)
class CausalMaskCutFromTheEnd(_Causal):
    def past(self, scores):
        length = scores.shape[-1]
        return self.mask[-length:, :length]


@misconception(
    of="CausalAttention",
    sentence="Your layer keeps the mask it cut for a short sequence, and a longer one no longer "
    "fits: cut it into a variable, not into self.mask.",
    caught_by=("test_causal_shorter_sequences",),
)
class CausalMaskShrinks(_Causal):
    def past(self, scores):
        self.mask = super().past(scores)
        return self.mask


@misconception(
    of="CausalAttention",
    sentence="You never look at the length of the sequence: one longer than context_length must "
    "raise ValueError.",
    caught_by=("test_causal_refuses_longer_sequences",),
)
class CausalAnyLength(_Causal):
    def check(self, x):
        pass

    def past(self, scores):
        return torch.ones_like(scores, dtype=torch.bool).tril()


@misconception(
    of="CausalAttention",
    sentence="You leave it to the mask to fail on longer sequences, with a message about sizes: "
    "compare the length with context_length and raise ValueError.",
    caught_by=("test_causal_refuses_longer_sequences",),
)
class CausalLengthUnchecked(_Causal):
    def check(self, x):
        pass


@misconception(
    of="CausalAttention",
    sentence="You cut longer sequences off without a word: raise ValueError.",
    caught_by=("test_causal_refuses_longer_sequences",),
)
class CausalCutsSequences(_Causal):
    def forward(self, x):
        return super().forward(x[:, : len(self.mask)])


@misconception(
    of="CausalAttention",
    sentence="You refuse a sequence exactly as long as the context: it still fits. Use > instead "
    "of >=.",
    caught_by=("test_causal",),
)
class CausalRefusesTheFullLength(_Causal):
    def check(self, x):
        if x.shape[1] >= len(self.mask):
            raise ValueError("the sequence is too long")


@misconception(
    of="CausalAttention",
    sentence="Your mask is an nn.Parameter, which optimisers and parameter counts will see: use "
    "register_buffer.",
    caught_by=("test_causal",),
)
class CausalMaskIsParameter(_Causal):
    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__(d_in, d_out, context_length, dropout, qkv_bias)
        past = self.mask.float()
        del self.mask
        self.mask = nn.Parameter(past, requires_grad=False)

    def past(self, scores):
        return super().past(scores).bool()


@misconception(
    of="CausalAttention",
    sentence="Your mask is a plain attribute, which stays behind when the layer moves to a GPU: "
    "use register_buffer.",
    caught_by=("test_causal_mask_moves_with_the_layer",),
)
class CausalMaskIsAttribute(_Causal):
    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__(d_in, d_out, context_length, dropout, qkv_bias)
        past = self.mask
        del self.mask
        self.mask = past


@misconception(
    of="CausalAttention",
    sentence="Your mask is made on the CPU in every call: pass device=x.device.",
    caught_by=("test_causal_mask_moves_with_the_layer",),
)
class CausalMaskOnTheCpu(_Causal):
    def past(self, scores):
        length = scores.shape[-1]
        return torch.ones(length, length, dtype=torch.bool, device="cpu").tril()


@misconception(
    of="CausalAttention",
    sentence="You add a float32 triangle of -inf, which turns bfloat16 scores into float32: give "
    "it the dtype of the scores, or use a boolean mask.",
    caught_by=("test_causal_keeps_the_dtype",),
)
class CausalFloat32Mask(_Causal):
    def weigh(self, scores):
        length = scores.shape[-1]
        later = torch.full((length, length), -torch.inf, device=scores.device).triu(1)
        return (scores + later).softmax(-1)


@misconception(
    of="CausalAttention",
    sentence="Your causal attention computes in float32 and stays there: the dtype out must be "
    "the dtype in.",
    caught_by=("test_causal_keeps_the_dtype",),
)
class CausalAlwaysFloat32(_Causal):
    def project(self, x):
        return tuple(part.float() for part in super().project(x))


# CausalAttention: the rest ------------------------------------------------------------------------


@misconception(
    of="CausalAttention",
    sentence="Your causal attention lacks the division by sqrt(d_out): divide the scores before "
    "the softmax.",
    caught_by=("test_causal",),
)
class CausalNoScaling(_Causal):
    def score(self, q, k):
        return q @ k.mT


@misconception(
    of="CausalAttention",
    sentence="Your causal attention divides by sqrt(d_in): queries and keys have the width d_out.",
    caught_by=("test_causal",),
)
class CausalRootOfInputWidth(_Causal):
    def score(self, q, k):
        return q @ k.mT / math.sqrt(self.W_query.in_features)


@misconception(
    of="CausalAttention",
    sentence="Your causal attention divides by the root of the context length: d_out is what "
    "counts.",
    caught_by=("test_causal",),
)
class CausalRootOfContext(_Causal):
    def score(self, q, k):
        return q @ k.mT / math.sqrt(len(self.mask))


@misconception(
    of="CausalAttention",
    sentence="Your causal attention uses keys.T, which turns the batch around as well: use "
    "keys.transpose(1, 2).",
    caught_by=("test_causal",),
)
class CausalTransposesEveryAxis(_Causal):
    def score(self, q, k):
        return q @ k.permute(*range(k.ndim)[::-1]) / math.sqrt(k.shape[-1])


@misconception(
    of="CausalAttention",
    sentence="Your causal attention normalises over the queries: dim=1 of (B, T, T). The keys are "
    "the last axis, dim=-1.",
    caught_by=("test_causal",),
)
class CausalSoftmaxOverQueries(_Causal):
    def weigh(self, scores):
        return scores.masked_fill(~self.past(scores), -torch.inf).softmax(1)


@misconception(
    of="CausalAttention",
    sentence="Your causal attention normalises across the batch: sequences must not know of each "
    "other. Use dim=-1.",
    caught_by=("test_causal",),
)
class CausalSoftmaxOverTheBatch(_Causal):
    def weigh(self, scores):
        return scores.masked_fill(~self.past(scores), -1e9).softmax(0)


@misconception(
    of="CausalAttention",
    sentence="Your causal attention has queries and keys swapped: row i must hold the scores of "
    "query i.",
    caught_by=("test_causal",),
)
class CausalKeysAskQueries(_Causal):
    def score(self, q, k):
        return super().score(k, q)


@misconception(
    of="CausalAttention",
    sentence="Your causal attention has no biases even with qkv_bias=True: pass bias=qkv_bias.",
    caught_by=("test_causal_biases",),
)
class CausalNeverBiased(_Causal):
    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__(d_in, d_out, context_length, dropout)


@misconception(
    of="CausalAttention",
    sentence="Your causal attention always has biases: only if qkv_bias is True.",
    caught_by=("test_causal",),
)
class CausalAlwaysBiased(_Causal):
    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__(d_in, d_out, context_length, dropout, True)


@misconception(
    of="CausalAttention",
    sentence="squeeze() takes away the axis of a batch of one: leave it out.",
    caught_by=("test_causal_each_sequence_on_its_own",),
)
class CausalSqueezes(_Causal):
    def forward(self, x):
        return super().forward(x).squeeze(0)


@misconception(
    of="CausalAttention",
    sentence="Your causal attention leaves the graph in training, behind the dropped weights: "
    "drop without detach or no_grad.",
    caught_by=("test_causal_gradients_pass_the_dropped_weights",),
)
class CausalDroppedDetached(_Causal):
    def drop(self, weights):
        return self.dropout(weights.detach()) if self.training and self.dropout.p else weights


@misconception(
    of="CausalAttention",
    sentence="Your causal attention leaves the graph: no detach, .data or no_grad.",
    caught_by=("test_causal",),
)
class CausalDetached(_Causal):
    def project(self, x):
        return tuple(part.detach() for part in super().project(x))


# CausalAttention: dropout -------------------------------------------------------------------------


@misconception(
    of="CausalAttention",
    sentence="Your causal attention drops nothing: pass the weights through nn.Dropout(dropout).",
    caught_by=("test_causal_dropout_acts_on_the_weights",),
)
class CausalIgnoresDropout(_Causal):
    def drop(self, weights):
        return weights


@misconception(
    of="CausalAttention",
    sentence="Your dropout acts after eval() too: F.dropout has training=True unless told "
    "otherwise. Pass training=self.training, or use nn.Dropout.",
    caught_by=("test_causal_no_dropout_in_eval",),
)
class CausalDropsInEval(_Causal):
    def drop(self, weights):
        return F.dropout(weights, self.dropout.p)


@misconception(
    of="CausalAttention",
    sentence="You do not rescale what dropout keeps: divide it by 1 - dropout, so that the mean "
    "stays the same.",
    caught_by=("test_causal_dropout_acts_on_the_weights",),
)
class CausalDropoutNotRescaled(_Causal):
    def drop(self, weights):
        return weights * (torch.rand_like(weights) >= self.dropout.p) if self.training else weights


@misconception(
    of="CausalAttention",
    sentence="You multiply by 1 - dropout after eval(): the rescaling belongs into training, then "
    "nothing is left to do.",
    caught_by=("test_causal_no_dropout_in_eval",),
)
class CausalShrinksInEval(_Causal):
    def drop(self, weights):
        kept = weights * (torch.rand_like(weights) >= self.dropout.p)
        return kept if self.training else weights * (1 - self.dropout.p)


@misconception(
    of="CausalAttention",
    sentence="You keep a share `dropout` of the weights: that is the share to drop.",
    caught_by=("test_causal_dropout_acts_on_the_weights",),
)
class CausalKeepsAShareDropout(_Causal):
    def drop(self, weights):
        return F.dropout(weights, 1 - self.dropout.p if self.dropout.p else 0.0, self.training)


@misconception(
    of="CausalAttention",
    sentence="You drop twice, and too much is gone: dropout acts once, on the weights.",
    caught_by=("test_causal_dropout_acts_on_the_weights",),
)
class CausalDropsTwice(_Causal):
    def drop(self, weights):
        return self.dropout(self.dropout(weights))


@misconception(
    of="CausalAttention",
    sentence="You normalise the weights again after dropout, and a row that lost them all becomes "
    "0 / 0: dividing by 1 - dropout is enough.",
    caught_by=("test_causal_dropout_acts_on_the_weights",),
)
class CausalRenormalisesAfterDropout(_Causal):
    def drop(self, weights):
        kept = self.dropout(weights)
        return kept / kept.sum(-1, keepdim=True)


@misconception(
    of="CausalAttention",
    sentence="You drop numbers of the output: dropout acts on the attention weights, before the "
    "values are averaged.",
    caught_by=("test_causal_dropout_acts_on_the_weights",),
)
class CausalDropsTheOutput(_Causal):
    def drop(self, weights):
        return weights

    def forward(self, x):
        return self.dropout(super().forward(x))


@misconception(
    of="CausalAttention",
    sentence="You drop numbers of the values: dropout acts on the attention weights, of which "
    "every query has its own.",
    caught_by=("test_causal_dropout_falls_on_each_weight_alone",),
)
class CausalDropsTheValues(_Causal):
    def drop(self, weights):
        return weights

    def project(self, x):
        q, k, v = super().project(x)
        return q, k, self.dropout(v)


@misconception(
    of="CausalAttention",
    sentence="You drop scores before the softmax: a score of 0 still gets weight. Drop the "
    "weights.",
    caught_by=("test_causal_dropout_falls_on_each_weight_alone",),
)
class CausalDropsScores(_Causal):
    def drop(self, weights):
        return weights

    def score(self, q, k):
        return self.dropout(super().score(q, k))


@misconception(
    of="CausalAttention",
    sentence="You drop numbers of x: dropout acts on the attention weights.",
    caught_by=("test_causal_dropout_acts_on_the_weights",),
)
class CausalDropsTheInput(_Causal):
    def drop(self, weights):
        return weights

    def forward(self, x):
        return super().forward(self.dropout(x))


@misconception(
    of="CausalAttention",
    sentence="You drop whole rows of weights, so that a token hears nothing at all: every weight "
    "is dropped on its own (nn.Dropout, not nn.Dropout1d).",
    caught_by=("test_causal_dropout_falls_on_each_weight_alone",),
)
class CausalDropsWholeQueries(_Causal):
    def drop(self, weights):
        return F.dropout1d(weights, self.dropout.p, self.training)


@misconception(
    of="CausalAttention",
    sentence="All sequences of a batch share one dropout mask: draw one number for every weight.",
    caught_by=("test_causal_dropout_falls_on_each_weight_alone",),
)
class CausalSameDropoutForTheBatch(_Causal):
    def drop(self, weights):
        return weights * self.dropout(torch.ones_like(weights[0]))


@misconception(
    of="CausalAttention",
    sentence="You seed the random numbers in forward, so the same weights are dropped in every "
    "call.",
    caught_by=("test_causal_dropout_acts_on_the_weights",),
)
class CausalSeedsEveryCall(_Causal):
    def drop(self, weights):
        torch.manual_seed(0)
        return self.dropout(weights)
