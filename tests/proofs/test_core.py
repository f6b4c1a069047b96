"""The core asks for the idea and no more: whoever has it, and nothing else, is green there."""

from __future__ import annotations

import contextlib
import math
from functools import partial

import pytest
import torch
from torch import nn

from grader.course.catalog import load_catalog
from grader.course.course import find_course
from grader.course.suite_text import read_suite
from grader.examiner.collection import collected
from grader.examiner.examination import examine
from grader.examiner.on_the_way import bare
from grader.model import ExerciseReport
from grader.programs.program import StandIn
from grader.report.parts import has_the_core, is_right
from tests.proofs import naive_models as naive

COURSE = find_course()
CATALOG = load_catalog(COURSE)


def softmax(x, dim=-1):
    e = x.exp()
    return e / e.sum(dim, keepdim=True)


def logsumexp(x, dim=-1, keepdim=False):
    return x.exp().sum(dim, keepdim=keepdim).log()


def log_softmax(x, dim=-1):
    return softmax(x, dim).log()


def softmax_backward(grad_out, y, dim=-1):
    return y * (grad_out - (grad_out * y).sum(dim, keepdim=True))


def causal_mask(q_len, k_len=None, device=None):
    return torch.ones(q_len, q_len).tril().bool()


def padding_mask(ids, pad_id):
    return (ids != pad_id)[:, None, None, :]


def to_additive(mask, dtype=torch.float32):
    return torch.zeros(mask.shape).masked_fill(~mask, -math.inf)


def masked_softmax(scores, mask, dim=-1):
    return scores.masked_fill(~mask, -math.inf).softmax(dim)


def attention(
    q, k, v, mask=None, *, dropout_p=0.0, is_causal=False, scale=None, training=False
):  # fmt: skip
    scores = q @ k.mT / math.sqrt(q.shape[-1])
    if is_causal:
        mask = torch.ones(q.shape[-2], k.shape[-2]).tril().bool()
    if mask is not None and mask.dtype is torch.bool:
        scores = scores.masked_fill(~mask, -math.inf)
    elif mask is not None:
        scores = scores + mask
    weights = scores.softmax(-1)
    if training:
        kept = torch.rand(weights.shape) >= dropout_p
        return (weights * kept / (1 - dropout_p)) @ v, weights
    return weights @ v, weights


def dropout(x, p, training, generator=None):
    if not training:
        return x
    return x * (torch.rand(x.shape) >= p) / (1 - p)


class Dropout(nn.Module):
    def __init__(self, p=0.5):
        super().__init__()
        self.p = p

    def forward(self, x):
        return dropout(x, self.p, self.training)


def layer_norm(x, weight, bias=None, eps=1e-5):
    mean, variance = x.mean(-1, keepdim=True), x.var(-1, keepdim=True, unbiased=False)
    return (x - mean) / (variance + eps).sqrt() * weight + bias


def rms_norm(x, weight, eps=1e-6):
    return x / (x.square().mean(-1, keepdim=True) + eps).sqrt() * weight


def sinusoidal_encoding(max_len, d_model):
    position = torch.arange(max_len)[:, None]
    angles = position / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    table = torch.zeros(max_len, d_model)
    table[:, 0::2], table[:, 1::2] = angles.sin(), angles.cos()
    return table


IDEAS = {
    "softmax": [softmax, logsumexp, log_softmax, softmax_backward],
    "masks": [causal_mask, padding_mask, to_additive, masked_softmax],
    "attention": [attention],
    "dropout": [dropout, Dropout],
    "layer_norm": [layer_norm, rms_norm],
    "positional_encoding": [sinusoidal_encoding],
    "encoder": [naive.EncoderLayer, naive.Encoder],
    "decoder": [naive.DecoderLayer, naive.Decoder],
    "transformer": [naive.Transformer],
    "gpt": [naive.Block, naive.GPT],
}
NAMES = {attention: "scaled_dot_product_attention"}


@pytest.mark.parametrize("name", IDEAS)
def test_the_idea_alone_is_green(name):
    """Large scores, other dtypes, odd widths, rows without a key: all of that is asked elsewhere,
    and there it is noticed."""
    suite = collected(COURSE, [CATALOG[name]]).of(CATALOG[name])
    own = {NAMES.get(one, one.__name__): one for one in IDEAS[name]}
    clocked = {collected.check.name for collected in suite.checks if collected.clocked}
    only = [c.check.name for c in suite.checks if c.check.name not in clocked]
    program = StandIn(suite.reference | own)
    with contextlib.redirect_stdout(None):
        found = examine(suite, program, 5, only=only, diagnosed=False)

    assert [v.check.name for v in found if v.check.core and not is_right(v)] == []
    assert has_the_core(ExerciseReport(name, tuple(found)))
    assert [v for v in found if not v.points]


@pytest.mark.parametrize("name", CATALOG)
def test_the_core_is_small(name):
    """Three to eight checks, and a step at least for every function that has one."""
    core = [check for check in read_suite(COURSE, name) if check.core]

    assert 3 <= len(core) <= 8
    assert CATALOG[name].steps


# A page that is written otherwise than up to a step: without the mean.
OTHERWISE = {("loss", "cross_entropy: every target counts")}


@pytest.mark.parametrize("name", CATALOG)
def test_a_page_that_is_written_up_to_a_step_is_right_up_to_it(name):
    """What the bank takes out of a page comes later than the checks of its core so far."""
    suite, steps = collected(COURSE).of(CATALOG[name]), CATALOG[name].steps
    for stage in suite.stages:
        done = steps[: steps.index(stage.step) + ((name, stage.step) not in OTHERWISE)]
        only = [c.check.name for c in suite.checks if c.check.core and c.check.step in done]
        page = partial(bare(suite, stage).applied_to, suite.reference)
        found = examine(suite, StandIn(page), 5, only=only, diagnosed=False, advised=False)

        assert [v.check.name for v in found if not v.points] == [], stage
