"""What is said of a pattern in the failures of one function; ``examiner.pattern`` finds it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

# Between braces stand the pattern's facts.
PATTERNS: Mapping[str, str] = {
    "left_to_chance": "Asked the same twice, it gives two answers, so chance plays a part where it "
    "should play none. Is one of the parts with dropout not told how much (then it takes its own "
    "default), or are numbers drawn at random where known ones should stay? What __init__ makes "
    "out of weights keeps those of the beginning, which are random: make it in forward.",
    "only_gradient": "The values are right, but not the gradient for {leaves}. Is there a "
    "detach(), a torch.no_grad() or a .data on the way?",
    "gradient_gone": "The values are right, but no gradient flows back. Is there a detach(), a "
    ".data, an .item() or a torch.no_grad() on the way, or is a weight a plain tensor, and no "
    "nn.Parameter?",
    "gradient_missing": "The values are right, but no gradient arrives at {leaves}. Is there a "
    "detach(), a .data or a torch.no_grad() on the way, is it frozen (requires_grad=False), or not "
    "used at all?",
    "made_in_another_shape": "It was made in another shape than the page says: look where it is "
    "made, and at every size there, also those that are 1.",
    "gradient_factor": "The values are right, and the gradient is the right one times {factor}.",
    "only_dtype": "Here only the dtype of the result differs. Which step changes it? Of two dtypes "
    "that meet the wider one stays, so that of a weight may show through. y.to(x.dtype) has that "
    "of x.",
    "wants_bool": "A mask, or any other answer of yes and no, is a tensor of True and False: "
    "compare (==, <=, !=), or make it with dtype=torch.bool.",
    "always_float32": "What torch makes without a dtype is float32 (torch.zeros, torch.ones, "
    "torch.tensor of numbers), and .float() or astype makes it so. Give what you make "
    "dtype=x.dtype; and what is computed in float32 on purpose goes back with .to(x.dtype).",
    "fixed_values": "The first numbers may have come out right by luck: for which numbers is it "
    "right? Or is something fixed that should follow the arguments, such as a constant, or what "
    "was kept from an earlier call?",
    "float32_in_module": "The module was turned into {wanted}, and float32 is left in it. Is a "
    "tensor kept as a plain attribute (self.x = tensor)? It stays as it is: register_buffer makes "
    "it follow the module. And what forward makes itself (torch.zeros, torch.arange) needs "
    "dtype=x.dtype.",
    "tensor_for_list": "Several things are asked for, each by itself: return a list or tuple of "
    "them, and no tensor.",
    "other_logarithm": "Your number is the one that {name} gives: a logarithm without a base is "
    "the natural one, torch.log or math.log.",
    "gradient_of_nan": "The values are right and the gradient is NaN: somewhere on the way stands "
    "0 / 0, inf - inf, a sqrt or log of 0, or an exp that overflows. torch.where and a product "
    "with 0 do not keep it out, for what is not chosen is differentiated as well: make the input "
    "harmless before, for example with masked_fill.",
    "several_numbers": "One number is asked for, and here are several: is a sum missing, or is "
    "one of them to be chosen?",
    "list_of_one": "One tensor is asked for, and here it stands in a list or tuple: return that "
    "one itself.",
    "nearly": "Your numbers are nearly the right ones. Is a small term, such as eps, left out or "
    "in another place? Or is accuracy lost on the way, as where two large numbers are subtracted "
    "that are nearly the same?",
    "other_axis_gone": "Of the tensor of shape {of} the axis of size {right} should go, and the "
    "one of size {size} went: a sum, mean, maximum or index along the other axis.",
    "shape_of_input": "This is the shape of one of the inputs. Is the result made like it "
    "(zeros_like), is it returned as it came, or was another axis summed away?",
    "list_for_tensor": "A list of tensors is no tensor: torch.stack makes one of them, with a new "
    "axis, torch.cat joins them along one that is there; both keep the graph.",
    "list_for_array": "A list is no array: np.array makes one of numbers, np.stack of rows. (For "
    "tensors it is torch.stack, which keeps their graph.)",
    "several_for_one": "Return the one thing that the page asks for. (A comma at the end of a line "
    "makes a tuple as well; and a call may give several, to be taken apart: one, other = ...)",
    "array_for_tensor": "A numpy array has no graph, so no gradient would flow back. Look for np., "
    ".numpy() and .tolist() on the way: torch's own functions make tensors.",
    "tensor_for_array": "Whoever gives an array wants an array back: numpy's own functions make "
    "them.",
    "number_for_tensor": "A number has no graph, so no gradient would flow back. Leave .item(), "
    "float() and int() out: a tensor of one number is a tensor.",
    "text_for_bytes": "'no' is a text, and b'no' are bytes: text.encode(\"utf-8\") makes them of "
    "it, and bytes([n]) makes one of a number.",
    "text_for_plain": "The value itself is asked for: quotation marks, str() or an f-string make a "
    "text of it.",
    "no_dict": "A dict has a name for each value: {{name: value, ...}}, with the names that the "
    "page lists.",
    "flattened": "All numbers stand in one row: torch.cat joins rows end to end, where torch.stack "
    "lays them below one another; flatten() and reshape(-1) make one row as well.",
    "axis_split": "There are as many numbers as there should be, on one axis more: torch.stack "
    "makes a new axis, where torch.cat joins along one that is there. flatten and reshape make one "
    "of two; where there may be more axes in front, count from the end: flatten(-2).",
    "one_axis_too_many": "An axis of size 1 is too many. sum, mean and amax keep theirs with "
    "keepdim=True; squeeze(dim) takes away the one at `dim`, and no other.",
    "one_axis_missing": "An axis of size 1 is missing. sum, mean and amax keep theirs with "
    "keepdim=True; unsqueeze(dim) adds one.",
    "axis_gone": "The axis of size {size} is gone. Which sum, mean, maximum or index took it away?",
    "axis_paired": "Of two axes of size {size} one is gone. Which sum, mean, maximum or index took "
    "it away? Two index tensors of equal shape are paired, place by place: with one of them as a "
    "column, i[:, None], they make a table.",
    "axis_too_many": "An axis of size {size} is left over. Should it be summed over, or is one "
    "place of it to be chosen?",
    "axes_in_another_order": "The sizes are the right ones, in another order. Which transpose is "
    "missing, or one too many? Or does an axis that was added stand in another place?",
    "factor": "Every number is the right one times {factor}. Which factor is missing, or one too "
    "many?",
    "factors": "Every number is the right one times a factor, which is not the same everywhere: so "
    "it follows what is asked for. Which size or count is missing, or stands in the place of "
    "another one?",
    "times": "It is the right number times {count}. Is a factor one too many, or is something "
    "counted that does not belong to it?",
    "divided": "It is the right number divided by {count}. Is a factor missing, or a part of a "
    "sum?",
    "sign": "Every number is the right one with the other sign.",
    "offset": "Every number differs from the right one by the same amount, {offset}.",
    "rounded": "Your numbers are the right ones, rounded to {digits} decimals: return them as they "
    "are. A page rounds only to print them.",
    "zeros": "In the end every number is 0. Is something multiplied by 0, or divided by what has "
    "become infinite, or is nothing written into what began as zeros?",
    "constant": "Every number is the same one, and they should differ.",
    "transposed": "The numbers are right, but rows and columns are exchanged: it is the transpose.",
    "moved": "The numbers are the right ones, but they stand in other places.",
    "turned": "0 stands exactly where there should be another number, and the other way round: "
    "is the sense of a mask turned round?",
    "nan_for_zero": "NaN stands exactly in the rows that should be 0. Is there nothing to choose "
    "from in them? Then a division makes 0 / 0.",
    "beyond": "An input is as far from 0 as {largest} here. Is exp taken of it? In {dtype} exp(x) "
    "is infinite from x = {limit} on, and 0 far below 0. So the largest number of a row is "
    "subtracted first, which changes no share; torch's softmax, log_softmax and logsumexp do it by "
    "themselves. (But a share may become 0, and then log(softmax(x)) is -inf: log_softmax gives "
    "the logarithm in one.)",
    "beyond_log": "An input is as far from 0 as {largest} here. Is the logarithm of a softmax "
    "taken? A share below the smallest number of {dtype} is 0, and its logarithm -inf, however the "
    "softmax is made: log_softmax, or x - logsumexp(x), gives the logarithm in one. And exp(x) is "
    "infinite from x = {limit} on: where you take it, the largest number of a row is subtracted "
    "first.",
    "not_a_number": "NaN is made by 0 * inf, inf - inf, inf / inf and 0 / 0, which the mean of no "
    "numbers is, and by log or sqrt of what is below 0: in which line can one of these happen?",
    "not_a_number_of_masks": "Is all of a row -inf before the softmax, because the mask is the "
    "wrong way round, or forbids everything? Does -inf meet a product (with 0, with dropout) "
    "instead of masked_fill or torch.where? NaN is made by 0 * inf, inf - inf and 0 / 0.",
    "not_a_number_in_one": "Is a sum divided by how many there are, and are there none here? 0 / 0 "
    "is NaN, as is the mean of nothing. Otherwise 0 * inf or inf - inf makes it.",
    "not_a_number_of_a_mean": "Is a mean taken here of no numbers? Then it is 0 / 0, which is NaN: "
    "take the sum, and divide it by how many there are, but at least by 1. Otherwise 0 * inf or "
    "inf - inf makes it.",
    "from_second": "Along axis {axis} the first one is right, and all others are wrong.",
    "only_last": "Along axis {axis} only the last one is wrong.",
    "only_first": "Along axis {axis} only the first one is wrong.",
}


def pattern_words(pattern: Any) -> str:
    """What failures of one function have in common; empty if there is no pattern."""
    if not pattern:
        return ""
    kind = pattern["kind"]
    if kind == "factor" and math.isclose(pattern["factor"], -1.0, rel_tol=1e-2):
        kind = "sign"
    facts = {key: word(pattern[key]) for key, word in _IN_PATTERNS.items() if key in pattern}
    return PATTERNS[kind].format_map(facts)


def leaf_words(leaf: Any) -> str:
    """An input by its place, or a parameter by its name."""
    kind, name = leaf
    return f"{kind} {name}"


def _leaves(leaves: Any) -> str:
    return " and ".join(map(leaf_words, leaves))


_IN_PATTERNS: Mapping[str, Callable[[Any], str]] = {
    "leaves": _leaves,
    "factor": "{:.3g}".format,
    "offset": "{:.3g}".format,
    "axis": str,
    "wanted": str,
    "digits": "{:.0f}".format,
    "size": str,
    "right": str,
    "of": lambda shape: str(tuple(shape)),
    "name": str,
    "count": "{:,}".format,
    "largest": "{:.4g}".format,
    "limit": "{:.3g}".format,
    "dtype": str,
}
