import math

from softmax import softmax


def scaled_dot_product_attention(
    q, k, v, mask=None, *, dropout_p=0.0, is_causal=False, scale=None, training=False
):
    scores = q @ k.mT * (1 / math.sqrt(q.shape[-1]) if scale is None else scale)
    weights = softmax(scores, dim=-1)
    return weights @ v, weights
