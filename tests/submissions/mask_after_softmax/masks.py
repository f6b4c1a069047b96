import torch


def causal_mask(q_len, k_len=None, *, device=None):
    k_len = q_len if k_len is None else k_len
    return torch.ones(q_len, k_len, dtype=torch.bool, device=device).tril(k_len - q_len)


def padding_mask(ids, pad_id):
    return (ids != pad_id)[:, None, None, :]


def combine_masks(*masks):
    result = masks[0]
    for mask in masks[1:]:
        result = result & mask
    return result


def to_additive(mask, dtype):
    return torch.zeros(mask.shape, dtype=dtype, device=mask.device).masked_fill(~mask, -torch.inf)


def to_mha_mask(mask):
    return ~mask


def masked_softmax(scores, mask, dim=-1):
    return torch.softmax(scores, dim) * mask
