"""Torch's own version of an exercise earns nothing, by whatever name it is called."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from grader.course.catalog import load_catalog, select
from grader.course.course import find_course
from grader.model import Submission
from grader.pipeline import grade_all
from grader.programs.page import load_by_path
from grader.report.feedback import words_of
from grader.sandbox.protocol import Leaf

COURSE = find_course()
CATALOG = load_catalog(COURSE)
IMPORTS = (
    "import importlib, math, sys, torch\nimport torch.nn.functional as F\nfrom torch import nn\n"
)
TEACHES = "does this exercise for you: write it yourself here"
ALIASES = load_by_path(Path(__file__).with_name("aliases.py")).ALIASES
HELPERS = """
import linecache

ON_CPU = torch._C.DispatchKeySet(torch._C.DispatchKey.CPU)
BETAS = {"beta1": 0.9, "beta2": 0.99}
ADAM = {"amsgrad": False, "lr": 0.1, "weight_decay": 0.1, "eps": 1e-8, "maximize": False} | BETAS
IN, OUT = (torch.ones(12, 4), torch.ones(12)), (torch.eye(4), torch.ones(4))

def in_inference(call):
    with torch.inference_mode():
        return call()

def compiled(expression):
    text = f"def scripted(x: torch.Tensor): return {expression}\\n"
    linecache.cache["<text>"] = len(text), None, [text], "<text>"
    names = {"torch": torch, "__name__": "text"}
    exec(compile(text, "<text>", "exec"), names)
    return torch.jit.script(names["scripted"])

def lent(kind, method):
    borrower = type("Own", (nn.Module,), {method: vars(kind)[method]})
    return borrower()
"""


@pytest.fixture
def answers(load):
    """``answers(exercise)``: what a worker replies to each alias, by alias, without and with a
    gradient asked for.
    """

    def answers(exercise):
        aliases = ALIASES[exercise].strip().splitlines()
        functions = [f"def f{i}(x): return {alias}" for i, alias in enumerate(aliases)]
        source = "\n".join([IMPORTS, HELPERS, *functions])
        session = load(source, 60, forbids=CATALOG[exercise].forbids)
        x = torch.arange(12.0).reshape(3, 4)
        calls = [(f"f{i}", graph) for i in range(len(aliases)) for graph in (False, True)]
        return {
            (aliases[int(name[1:])], graph): session.perform(
                {"op": "call", "name": name, "args": [Leaf(0, x, graph)], "kwargs": {}}
                | {"fresh": "all"}
            )
            for name, graph in calls
        }

    return answers


class TestAliases:
    @pytest.mark.parametrize("exercise", ALIASES)
    def test_are_refused_with_the_sentence_that_teaches(self, answers, exercise):
        """However torch's own version is called, it says to write it oneself, gradient or not."""
        said = {call: reply.get("raised", {}) for call, reply in answers(exercise).items()}

        assert [
            (call, raised)
            for call, raised in said.items()
            if raised.get("type_name") != "NotAllowedHere" or TEACHES not in raised["message"]
        ] == []

    def test_are_of_every_exercise_that_forbids_something(self):
        """Nothing is forbidden in the catalog that is not attacked here."""
        assert {name for name in CATALOG if CATALOG[name].forbids} == set(ALIASES)


WAYS_BACK = {
    "saved originals": "sys.modules['grader.sandbox.worker']._REPLACED[-1]",
    "its own list": "sys.modules['grader.sandbox.forbidden']._for_good.clear()",
    "kept libraries": "[o.reset() for o in everything() if 'DispatchModule' in type(o).__name__]",
    "open blocks": "[o.__exit__(None, None, None) for o in everything() if hasattr(o, 'gen')]",
    "kept kernels": "[o.close() for o in everything() if type(o).__name__ == 'generator']",
    "a new import": "[sys.modules.pop(n) for n in list(sys.modules) if n == 'torch.nn.functional']",
}
TRIES = """
import gc

def everything():
    return [o for o in gc.get_objects() if not isinstance(o, type)]

def try_it():
    try:
        {way}
    except Exception:
        pass

def f(x):
    try_it()
    return torch.softmax(x, -1)
"""


class TestWaysBack:
    @pytest.mark.parametrize("way", WAYS_BACK.values(), ids=WAYS_BACK)
    def test_to_what_was_forbidden_are_none(self, load, way):
        """What is taken away is kept nowhere, and an import brings back the same."""
        session = load(IMPORTS + TRIES.format(way=way), forbids=["torch.softmax"])
        request = {"op": "call", "name": "f", "args": [Leaf(0, torch.ones(3))], "kwargs": {}}
        raised = session.perform(request)["raised"]

        assert TEACHES in raised["message"]


# Exercise -> a page that has its answers from torch.
SHORTCUTS = {
    "softmax": """
def softmax(x, dim=-1): return torch.softmax(x, dim)
def logsumexp(x, dim=-1, keepdim=False): return torch.logsumexp(x, dim, keepdim)
def log_softmax(x, dim=-1): return F.log_softmax(x, dim)
def softmax_backward(grad_out, y, dim=-1):
    return torch._softmax_backward_data(grad_out, y, dim, y.dtype)
""",
    "attention_by_hand": """
def context_vectors(x):
    t = torch.as_tensor(x)[None, None]
    found = F.scaled_dot_product_attention(t, t, t, scale=1.0)[0, 0]
    return found if isinstance(x, torch.Tensor) else found.numpy()
""",
    "projections_by_hand": """
def context_vectors(x, w_query, w_key, w_value):
    q, k, v = x @ w_query, x @ w_key, x @ w_value
    return F.scaled_dot_product_attention(q[None], k[None], v[None])[0]
""",
    "attention": """
def scaled_dot_product_attention(
    q, k, v, mask=None, *, dropout_p=0.0, is_causal=False, scale=None, training=False
):
    def attention(v, p):
        attend = torch._C._nn.scaled_dot_product_attention
        return attend(q, k, v, mask, p, is_causal, scale=scale)
    eye = torch.eye(k.shape[-2], dtype=v.dtype).expand(*k.shape[:-1], -1)
    return attention(v, dropout_p if training else 0.0), attention(eye, 0.0)
""",
    "dropout": """
def dropout(x, p, training, generator=None): return F.dropout(x, p, training)
Dropout = nn.Dropout
""",
    "self_attention": """
class SelfAttention_v1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        for name in ("W_query", "W_key", "W_value"):
            setattr(self, name, nn.Parameter(torch.rand(d_in, d_out)))
    def forward(self, x):
        q, k, v = x @ self.W_query, x @ self.W_key, x @ self.W_value
        return F.scaled_dot_product_attention(q, k, v)
""",
    "multi_head_attention": """
def multi_head_attention(
    query, key, value, w_q, w_k, w_v, w_o, num_heads,
    b_q=None, b_k=None, b_v=None, b_o=None, mask=None, is_causal=False,
):
    q, k, v = (
        F.linear(x, w, b).unflatten(-1, (num_heads, -1)).transpose(1, 2)
        for x, w, b in ((query, w_q, b_q), (key, w_k, b_k), (value, w_v, b_v))
    )
    out = F.scaled_dot_product_attention(q, k, v, mask, is_causal=is_causal)
    return F.linear(out.transpose(1, 2).flatten(2), w_o, b_o)
""",
    "layer_norm": """
def layer_norm(x, weight, bias, eps): return F.layer_norm(x, weight.shape, weight, bias, eps)
def rms_norm(x, weight, eps): return F.rms_norm(x, weight.shape, weight, eps)
def layer_norm_backward(grad, x, weight, eps):
    with torch.enable_grad():
        leaves = [t.detach().clone().requires_grad_() for t in (x, weight, weight * 0)]
        return torch.autograd.grad(layer_norm(*leaves, eps), leaves, grad)
LayerNorm, RMSNorm = nn.LayerNorm, nn.RMSNorm
""",
    "feed_forward": """
def gelu(x, approximate="none"): return F.gelu(x, approximate=approximate)
silu = F.silu
class SwiGLU(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.w1, self.w3 = (nn.Linear(d_model, d_ff, bias=False) for _ in range(2))
        self.w2, self.act = nn.Linear(d_ff, d_model, bias=False), nn.SiLU()
    def forward(self, x): return self.w2(self.act(self.w1(x)) * self.w3(x))
""",
    "encoder": """
class EncoderLayer(nn.TransformerEncoderLayer):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=False, activation="relu"):
        super().__init__(d_model, num_heads, d_ff, dropout, activation, 1e-5, True, norm_first)
class Encoder(nn.TransformerEncoder):
    pass
""",
    "decoder": """
class DecoderLayer(nn.TransformerDecoderLayer):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=False, activation="relu"):
        super().__init__(d_model, num_heads, d_ff, dropout, activation, 1e-5, True, norm_first)
class Decoder(nn.TransformerDecoder):
    pass
""",
}


# Drawing one's matrices at random is no answer of torch's.
OWN_WORK = {"self_attention": ["test_v1_starts_random"]}


@pytest.fixture(scope="module")
def graded(sandbox):
    """``graded(exercise)``: the verdicts on a page that has its answers from torch."""

    def graded(exercise):
        page = {exercise: IMPORTS + SHORTCUTS[exercise]}
        submission = Submission("shortcut", "shortcut", page)
        (report,) = grade_all(COURSE, select(CATALOG, [exercise]), [submission], sandbox, seed=3)
        return report.verdicts

    return graded


class TestWholesaleShortcuts:
    @pytest.mark.parametrize("exercise", SHORTCUTS)
    def test_earn_nothing_and_teach(self, graded, exercise):
        """Every check of a function that torch answers fails and says what to do; what the page
        does not define is said to be missing.
        """
        verdicts = graded(exercise)
        said = [words_of(verdict).rationale for verdict in verdicts if not verdict.points]
        reasons = TEACHES, "NotAllowedHere", "defines no `"

        assert [v.check.name for v in verdicts if v.points] == OWN_WORK.get(exercise, [])
        assert [text for text in said if not any(reason in text for reason in reasons)] == []
        assert any(TEACHES in text for text in said)
