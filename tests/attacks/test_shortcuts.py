"""Torch's own version of an exercise earns nothing, by whatever name it is called."""

from __future__ import annotations

import pytest
import torch

from grader.course.catalog import load_catalog, select
from grader.course.course import find_course
from grader.model import Submission
from grader.pipeline import grade_all
from grader.report.feedback import words_of
from grader.sandbox.protocol import Leaf

COURSE = find_course()
CATALOG = load_catalog(COURSE)
IMPORTS = (
    "import importlib, math, sys, torch\nimport torch.nn.functional as F\nfrom torch import nn\n"
)
TEACHES = "does this exercise for you: write it yourself here"

# One call each that has the answer from torch: f(x) for a matrix x.
_SOFTMAX = """
torch.softmax(x, -1)
x.softmax(-1)
F.softmax(x, -1)
F.softmin(-x, -1)
F.gumbel_softmax(x)
nn.Softmax(-1)(x)
nn.Softmax.forward(nn.Identity(), x)
torch.special.softmax(x, -1)
torch._C._special.special_softmax(x, -1)
torch._C._VariableFunctions.softmax(x, -1)
torch._VF.softmax(x, -1)
torch._softmax(x, -1, False)
torch._safe_softmax(x, -1)
torch._masked_softmax(x, x > 99)
torch.masked.softmax(x, -1)
torch.sparse.softmax(x.to_sparse(), -1).to_dense()
torch.softmax(x, -1, out=torch.empty_like(x))
torch.softmax(x.to_mkldnn(), -1).to_dense()
torch.ops.aten.softmax(x, -1)
torch.ops.aten.softmax.int(x, -1)
torch.ops.aten.softmax.int.decompose(x, -1)
torch.ops.aten._softmax.default(x, -1, False)
torch.ops.aten._softmax.default.redispatch(ON_CPU, x, -1, False)
torch._refs.softmax(x, -1)
torch._decomp.decompositions._softmax(x, -1, False)
torch.distributions.Categorical(logits=x).probs
torch.vmap(lambda row: row.softmax(-1))(x)
torch.func.jvp(lambda y: y.softmax(-1), (x,), (x,))
torch.jit.trace(lambda y: y.softmax(-1), x, check_trace=False)(x)
in_inference(lambda: x.softmax(-1))
x.logsumexp(-1)
torch.special.logsumexp(x, -1)
torch.logcumsumexp(x, -1)
x.log_softmax(-1)
F.cross_entropy(x, torch.zeros(len(x), dtype=torch.long))
torch._softmax_backward_data(x, x, -1, x.dtype)
F.scaled_dot_product_attention(*[x[None, None]] * 3)
importlib.reload(torch.nn.modules.activation).Softmax(-1)(x)
compiled("x.softmax(-1)")(x)
compiled("torch.softmax(x, dim=-1)")(x)
compiled("torch.nn.functional.softmax(x, dim=-1)")(x)
"""
_ATTENTION = """
F.scaled_dot_product_attention(x, x, x)
F.scaled_dot_product_attention(*[x[None, None]] * 3)
torch._C._nn.scaled_dot_product_attention(x, x, x)
torch.ops.aten.scaled_dot_product_attention(x, x, x)
torch._scaled_dot_product_attention_math(*[x[None, None]] * 3)
torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(*[x[None, None]] * 3)
compiled("torch.nn.functional.scaled_dot_product_attention(x, x, x)")(x)
nn.MultiheadAttention(4, 1)(x, x, x)
importlib.reload(torch.nn.modules.activation).MultiheadAttention(4, 1)(x, x, x)
F.multi_head_attention_forward(*[x[:, None]] * 3, 4, 1, *IN, *[None] * 2, False, 0.0, *OUT)
torch._native_multi_head_attention(*[x[None]] * 3, 4, 1, *IN, *OUT)
"""
_DROPOUT = """
F.dropout(x, 0.5)
F.dropout(x, 0.5, training=False)
F.dropout(x, 2.0)
F.dropout1d(x, 0.5)
F.alpha_dropout(x, 0.5, training=True)
torch.dropout(x, 0.5, True)
torch.dropout_(x.clone(), 0.5, True)
torch.native_dropout(x, 0.5, True)
torch._C._VariableFunctions.dropout(x, 0.5, True)
torch.ops.aten.dropout(x, 0.5, True)
torch.ops.aten.dropout.default.decompose(x, 0.5, True)
torch._refs.nn.functional.dropout(x, 0.5)
nn.Dropout(0.5)(x)
importlib.reload(torch.nn.modules.dropout).Dropout(0.5)(x)
compiled("torch.nn.functional.dropout(x, 0.5, True)")(x)
"""
_NORM = """
F.layer_norm(x, (4,))
F.rms_norm(x, (4,))
F.group_norm(x, 1)
F.instance_norm(x[None])
F.batch_norm(x.T, None, None, training=True)
torch.layer_norm(x, (4,))
torch.rms_norm(x, (4,))
torch.native_layer_norm(x, (4,), None, None, 1e-5)
torch._fused_rms_norm(x, (4,), torch.ones(4), 1e-5)
torch.ops.aten.native_layer_norm_backward(x, x, (4,), x, x, None, None, [True, False, False])
torch._refs.nn.functional.layer_norm(x, (4,))
nn.LayerNorm(4)(x)
nn.RMSNorm(4)(x)
nn.GroupNorm(1, 4)(x)
importlib.reload(torch.nn.modules.normalization).LayerNorm(4)(x)
compiled("torch.nn.functional.layer_norm(x, [4])")(x)
"""
_ACTIVATION = """
F.gelu(x)
F.gelu(x, approximate="tanh")
F.silu(x)
F.silu(x.clone(), inplace=True)
torch._C._nn.gelu(x)
torch._C._nn.silu(x)
torch.ops.aten.gelu(x)
torch.ops.aten.silu_backward(x, x)
torch._refs.nn.functional.gelu(x)
torch._addmm_activation(torch.zeros(4), x, torch.eye(4), use_gelu=True)
nn.GELU()(x)
nn.SiLU()(x)
compiled("torch.nn.functional.gelu(x)")(x)
"""
_ENCODER = """
nn.TransformerEncoderLayer(4, 1, 4)(x)
lent(nn.TransformerEncoderLayer, "forward")(x)
importlib.reload(torch.nn.modules.transformer).TransformerEncoderLayer(4, 1, 4)(x)
nn.TransformerEncoder(nn.Identity(), 2, enable_nested_tensor=False)(x)
"""
_DECODER = _ENCODER.replace("Encoder", "Decoder").replace(", enable_nested_tensor=False", "")
ALIASES = {
    "softmax": _SOFTMAX,
    "attention_by_hand": _ATTENTION,
    "attention": _ATTENTION,
    "self_attention": _ATTENTION,
    "multi_head_attention": _ATTENTION,
    "dropout": _DROPOUT,
    "layer_norm": _NORM,
    "feed_forward": _ACTIVATION,
    "encoder": _ENCODER,
    "decoder": _DECODER,
}
HELPERS = """
import linecache

ON_CPU = torch._C.DispatchKeySet(torch._C.DispatchKey.CPU)
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
