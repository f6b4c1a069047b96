"""Torch's own versions of what exercises ask for, under every name that was thought of."""

from __future__ import annotations

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
_LOSS = """
F.cross_entropy(x, torch.tensor([0, 1, 2]))
F.cross_entropy(x, torch.softmax(x, -1))
F.nll_loss(x, torch.tensor([0, 1, 2]))
F.nll_loss(x.mT[None], torch.zeros(1, 3, dtype=torch.long))
F.kl_div(x, x.exp())
torch.kl_div(x, x.exp())
torch._C._nn.cross_entropy_loss(x, torch.tensor([0, 1, 2]))
torch._C._nn.nll_loss(x, torch.tensor([0, 1, 2]))
torch.ops.aten.cross_entropy_loss(x, torch.tensor([0, 1, 2]))
torch.ops.aten.nll_loss_forward(x, torch.tensor([0, 1, 2]), None, 1, -100)
torch.ops.aten.kl_div(x, x.exp())
nn.CrossEntropyLoss(label_smoothing=0.1)(x, torch.tensor([0, 1, 2]))
nn.NLLLoss()(x, torch.tensor([0, 1, 2]))
nn.KLDivLoss(reduction="batchmean")(x, x.exp())
importlib.reload(torch.nn.modules.loss).CrossEntropyLoss()(x, torch.tensor([0, 1, 2]))
"""
_OPTIMIZER = """
torch.optim.AdamW([nn.Parameter(x)], lr=0.1)
torch.optim.Adam([nn.Parameter(x)], lr=0.1)
type("AdamW", (torch.optim.AdamW,), {})([nn.Parameter(x)], lr=0.1)
type("Own", (torch.optim.Adam,), {})([nn.Parameter(x)], decoupled_weight_decay=True)
importlib.reload(sys.modules["torch.optim.adamw"]).AdamW([nn.Parameter(x)], lr=0.1)
torch.optim.Adam.step(torch.optim.SGD([nn.Parameter(x)], lr=0.1))
sys.modules["torch.optim.adamw"].adamw(*[[x]] * 4, [], [torch.ones(())], **ADAM)
sys.modules["torch.optim.adam"].adam(*[[x]] * 4, [], [torch.ones(())], **ADAM)
torch.optim._functional.adamw(*[[x]] * 4, [], [torch.ones(())], **ADAM)
sys.modules["torch.optim.adam"]._single_tensor_adam(*[[x]] * 4, [], [torch.ones(())], **ADAM)
torch._fused_adamw_(*[[x.clone()]] * 4, [], [torch.ones(())], **ADAM)
torch.ops.aten._fused_adam_(*[[x.clone()]] * 4, [], [torch.ones(())], **ADAM)
torch.nn.utils.clip_grad_norm_([nn.Parameter(x)], 1.0)
torch.nn.utils.clip_grad.clip_grad_norm_([nn.Parameter(x)], 1.0)
torch.nn.utils.clip_grads_with_norm_([nn.Parameter(x)], 1.0, torch.ones(()))
torch.nn.utils.get_total_norm([x])
"""
ALIASES = {
    "softmax": _SOFTMAX,
    "attention_by_hand": _ATTENTION,
    "projections_by_hand": _ATTENTION,
    "attention": _ATTENTION,
    "self_attention": _ATTENTION,
    "multi_head_attention": _ATTENTION,
    "dropout": _DROPOUT,
    "layer_norm": _NORM,
    "feed_forward": _ACTIVATION,
    "encoder": _ENCODER,
    "decoder": _DECODER,
    "loss": _LOSS,
    "optimizer": _OPTIMIZER,
}
