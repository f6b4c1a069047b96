import torch


def scaled_dot_product_attention(
    q, k, v, mask=None, *, dropout_p=0.0, is_causal=False, scale=None, training=False
):
    scores = q @ k.transpose(-2, -1)
    if scale is not None:
        scores = scores * scale
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf) if mask.dtype == torch.bool else scores + mask
    if is_causal:
        keep = torch.ones(q.shape[-2], k.shape[-2], dtype=torch.bool, device=q.device).tril()
        scores = scores.masked_fill(~keep, -torch.inf)
    weights = scores.softmax(dim=-1)
    dropped = torch.nn.functional.dropout(weights, dropout_p, training)
    return dropped @ v, weights
