"""The exceptions of torch's, numpy's and Python's that learners meet, by type and message.

Known by words that have stood in the message since torch 2.6 and Python 3.11 at least; what each
means, and what to try, is worded in ``report.exceptions``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from grader.errors import Raised

_RUNTIME, _TYPE, _VALUE = "RuntimeError", "TypeError", "ValueError"
_ATTRIBUTE, _INDEX = "AttributeError", "IndexError"
_ANY = ""

# What a message speaks of that has no line: a function that is called, an object of a class.
CALLED = re.compile(r"([\w.]+)\(\) ")
OWNER = re.compile(r"'(\w+)' object has no attribute")
TAKES_NOTHING = re.compile(r"takes 1 positional argument but|got an unexpected keyword argument")


@dataclass(frozen=True)
class Known:
    """One sort of exception: ``types`` by name, separated by spaces; without any, every one."""

    kind: str
    types: str
    pattern: re.Pattern[str]

    def match(self, raised: Raised) -> re.Match[str] | None:
        if self.types and raised.type_name not in self.types.split():
            return None
        return self.pattern.search(raised.message)


def _known(kind: str, types: str, *patterns: str) -> Known:
    return Known(kind, types, re.compile("|".join(patterns)))


_TUPLE = r"(?P<got>tuple|list)"
_FUNCTION = r"(?P<got>function|method|builtin_function_or_method|type)"
_OPERAND = r"unsupported operand type\(s\) for \S+: "
_OF_NUMBERS = "Tensor|Parameter|int|float"
_CLASS = r"(?!Tensor\b|Parameter\b)[A-Z]\w+"

# The first that applies is told. Groups with a name become facts.
TABLE = (
    # A module that torch does not know yet.
    _known(
        "no_super_init",
        _ATTRIBUTE,
        r"cannot assign (?:modules?|parameters?|buffers?) before Module\.__init__\(\) call",
        r"'(?P<owner>\w+)' object has no attribute "
        r"'(?:training|_(?:parameters|buffers|modules|non_persistent_buffers_set"
        r"|(?:forward|backward|state_dict|load_state_dict)\w*_hooks?\w*))'",
    ),
    _known(
        "no_parameter",
        _TYPE,
        r"cannot assign '.*' as parameter '(?P<name>\w+)' \(torch\.nn\.Parameter or None",
    ),
    _known("state_dict", "RuntimeError KeyError", r"Error\(s\) in loading state_dict for (\w+)"),
    # Several values where one is meant.
    _known("named_pair", _ANY, r"torch\.return_types\.(?P<name>\w+)"),
    _known("array_for_tensor", _TYPE, r"must be Tensor, not (?:numpy\.)?ndarray"),
    _known("array_for_tensor", _ATTRIBUTE, r"'numpy\.ndarray' object has no attribute"),
    _known("array_for_tensor", _TYPE, _OPERAND + r"(?=.*'Tensor')(?=.*'numpy\.ndarray')"),
    _known(
        "array_for_tensor",
        _TYPE,
        r"^_?(?:a?max|a?min|sum|mean|prod|std|var|arg(?:max|min)|all|any|cumsum)\(\) "
        r"got an unexpected keyword argument '(?:axis|dim|keepdims?)'$",
        r"received an invalid combination of arguments - got \([^)]*(?:keepdims=|axis=)",
    ),
    _known("pair_for_tensor", _TYPE, r"must be Tensor, not " + _TUPLE),
    _known("pair_for_tensor", _ATTRIBUTE, rf"'{_TUPLE}' object has no attribute"),
    _known("pair_for_tensor", _TYPE, rf"^{_TUPLE} indices must be integers or slices, not tuple"),
    _known("pair_for_tensor", _TYPE, _OPERAND + r".*'(?P<got>tuple)'"),
    _known("pair_for_tensor", _TYPE, r"can only concatenate (?P<got>tuple|list) \(not \"Tensor\""),
    _known("pair_for_tensor", _TYPE, r"can't multiply sequence by non-int of type"),
    _known(
        "pair_for_tensor",
        _TYPE,
        rf"expected Tensor as element \d+ in argument \d+, but got {_TUPLE}",
    ),
    _known("unpacked", _VALUE, r"(?:too many|not enough) values to unpack \(expected (?:\w| )+"),
    # None.
    _known(
        "none",
        _ANY,
        r"'NoneType'|(?:not|non-iterable|but got) NoneType\b|got \((?:\w+, )*NoneType\b",
    ),
    # What stands where its result, one of its sizes or its power is meant.
    _known("exponent", _ANY, r"\"bitwise_xor\w*\" not implemented for", r"for \^: "),
    _known(
        "layer_for_tensor",
        _TYPE,
        _OPERAND + rf"'(?:{_OF_NUMBERS})' and '(?P<got>{_CLASS})'$",
        _OPERAND + rf"'(?P<left>{_CLASS})' and '(?:{_OF_NUMBERS})'$",
        rf"must be Tensor, not (?P<handed>{_CLASS})$",
    ),
    _known(
        "shape_for_size",
        _TYPE,
        r"must be real number, not torch\.Size",
        _OPERAND + r".*'torch\.Size'",
    ),
    _known("not_called", _ATTRIBUTE, rf"^'{_FUNCTION}' object has no attribute '(?!__)"),
    _known(
        "product_with_number",
        "TypeError RuntimeError ValueError",
        r"for @: '(?:int|float)' and|for @: '\S+' and '(?:int|float)'",
        r"both arguments to matmul need to be at least 1D",
        r"matmul: Input operand \d does not have enough dimensions",
    ),
    _known("dot_of_matrices", _RUNTIME, r"1D tensors expected, but got \dD and \dD tensors"),
    _known("parts_not_listed", _TYPE, r"must be tuple of Tensors, not (?P<got>\w+)"),
    _known("text_for_number", _TYPE, r"received an invalid combination of .*(?<!=)\bstr\b"),
    _known("name_before_equals", _TYPE, r"some of the keywords were incorrect: \w"),
    # Sizes that do not fit.
    _known("two_sizes_left_open", _RUNTIME, r"only one dimension can be inferred"),
    _known(
        "matmul",
        _RUNTIME,
        r"mat1 and mat2 shapes cannot be multiplied "
        r"\((?P<rows>\d+)x(?P<inner>\d+) and (?P<outer>\d+)x(?P<columns>\d+)\)",
    ),
    _known(
        "matmul",
        _RUNTIME,
        r"first two dimensions of batch2 tensor to be: \[\d+, (?P<inner>\d+)\]"
        r" but got: \[\d+, (?P<outer>\d+)\]",
        r"size mismatch, got input \(\d+\), mat \(\d+x(\d+)\), vec \((\d+)\)",
        r"inconsistent tensor size, expected tensor \[(\d+)\] and src \[(\d+)\]",
        r"subscript \w has size (\d+) for operand \d+ which does not broadcast .* size (\d+)",
    ),
    _known("matmul", _VALUE, r"matmul: .* mismatch .*size (?P<outer>\d+).* from (?P<inner>\d+)\)"),
    _known(
        "broadcast",
        _RUNTIME,
        r"size of tensor a \((?P<a>\d+)\) must match the size of tensor b \((?P<b>\d+)\)",
    ),
    _known(
        "grows_in_place",
        _RUNTIME,
        r"output with shape \[(?P<shape>[\d, ]*)\] doesn't match the broadcast shape"
        r" \[(?P<target>[\d, ]*)\]",
    ),
    _known("broadcast_shapes", _VALUE, r"could not be broadcast together with .*shapes"),
    _known(
        "written_shape",
        _VALUE,
        r"could not broadcast input array from shape \((?P<shape>[\d,]*)\)"
        r" into shape \((?P<target>[\d,]*)\)",
    ),
    _known("broadcast_shapes", _RUNTIME, r"shape mismatch: objects cannot be broadcast"),
    _known(
        "view_size",
        "RuntimeError ValueError",
        r"shape '\[(?P<shape>[-\d, ]+)\]' is invalid for input of size (?P<numbers>\d+)",
        r"cannot reshape array of size (\d+) into shape \(([-\d,]+)\)",
        r"Provided sizes \[.*\] don't multiply up to the size of dim",
    ),
    _known("view_stride", _RUNTIME, r"view size is not compatible with input tensor's size"),
    _known(
        "expand",
        _RUNTIME,
        r"expanded size of the tensor \((?P<a>\d+)\) must match the existing size \((?P<b>\d+)\)"
        r".*Target sizes: \[(?P<target>[-\d, ]+)\]\.\s+Tensor sizes: \[(?P<shape>[\d, ]+)\]",
    ),
    _known("expand_axes", _RUNTIME, r"number of sizes provided \(\d+\) must be greater or equal"),
    _known(
        "joined_axes",
        "RuntimeError",
        r"Tensors must have same number of dimensions: got (?P<a>\d+) and (?P<b>\d+)",
    ),
    _known(
        "stacked",
        "RuntimeError",
        r"stack expects each tensor to be equal size, but got (?P<a>\[[\d, ]*\]) at entry \d+ and "
        r"(?P<b>\[[\d, ]*\])",
    ),
    _known(
        "joined",
        "RuntimeError ValueError",
        r"Sizes of tensors must match except in dimension (?P<dim>-?\d+)",
        r"all (?:the )?input array\w*.* must (?:have|match)",
    ),
    _known("split", _RUNTIME, r"split_with_sizes expects split_sizes to sum exactly"),
    _known(
        "norm_shape",
        _RUNTIME,
        r"Given normalized_shape=\[(?P<wanted>[\d, ]+)\], expected input with shape \[\*",
        r"Expected (?:weight|bias) to be of same shape as normalized_shape",
    ),
    _known(
        "mask_of_torch",
        "AssertionError RuntimeError",
        r"(?:expected|shape of the \dD) `?(?:attn_mask|key_padding_mask)`?",
    ),
    _known("mask_shape", _INDEX, r"shape of the mask .* does not match the shape of the indexed"),
    _known("heads_width", "AssertionError", r"embed_dim must be divisible by num_heads"),
    _known("negative_size", _RUNTIME, r"create tensor with negative dimension (?P<size>-\d+)"),
    # Axes.
    _known(
        "dimension",
        _INDEX,
        r"Dimension out of range \(expected to be in range of "
        r"\[(?P<first>-\d+), (?P<last>\d+)\], but got (?P<dim>-?\d+)\)",
    ),
    _known("few_axes", _INDEX, r"too many indices for (?:tensor|array)|invalid index of a 0-dim"),
    _known("few_axes", "AxisError", r"is out of bounds for array of dimension"),
    _known(
        "few_axes",
        "RuntimeError ValueError",
        r"number of dimensions in the tensor input does not match the length of the desired",
        r"axes don't match array",
        r"only supported on matrices or batches",
        r"expects a tensor with <= 2 dimensions",
        r"must have at least 2 dimensions|must be a matrix|must be a 3D tensor",
        r"Number of dimensions of repeat dims can not be smaller",
    ),
    _known("gather_axes", _RUNTIME, r"Index tensor must have the same number of dimensions as"),
    _known("topk_range", _RUNTIME, r"selected index k out of range"),
    _known("multinomial_negative", _RUNTIME, r"probability tensor contains either `inf`, `nan`"),
    _known("multinomial_axes", _RUNTIME, r"prob_dist must be 1 or 2 dim"),
    _known(
        "tensor_for_sizes",
        _TYPE,
        r"^(?P<name>rand|randn|zeros|ones|empty|full)\(\): argument 'size' \(position 1\) must be "
        r"tuple of ints, not Tensor",
        r"^(rand|randn)\(\) received an invalid combination of arguments - got \(Tensor\b",
    ),
    _known("number_for_tensor", _TYPE, r"must be Tensor, not (?P<got>int|float)\b"),
    _known("index", "IndexError RuntimeError", r"index out of range in self"),
    _known(
        "index_below_zero",
        "IndexError RuntimeError",
        r"index (?P<index>-\d+) is out of bounds for (?:dimension|axis) \d+"
        r" with size (?P<size>\d+)",
    ),
    _known("indices_paired", _INDEX, r"shape mismatch: indexing (?:tensors|arrays) could not be"),
    _known(
        "index_of_axis",
        "IndexError RuntimeError",
        r"index (?P<index>-?\d+) is out of bounds for (?:dimension|axis) \d+"
        r" with size (?P<size>\d+)",
    ),
    _known("index_of_list", _INDEX, r"^(?P<got>list|tuple|string) index out of range"),
    # Cross-entropy.
    _known(
        "loss_axes",
        "RuntimeError ValueError",
        r"Expected target size \[(?P<wanted>[\d, ]+)\], got \[(?P<got>[\d, ]+)\]",
        r"Expected input batch_size \((\d+)\) to match target batch_size \((\d+)\)",
        r"only batches of spatial targets supported",
    ),
    _known("loss_target", _INDEX, r"^Target (?P<target>-?\d+) is out of bounds"),
    _known(
        "loss_dtype",
        _RUNTIME,
        r"expected target dtype to be Long|nll_loss\w* .*not implemented for",
        r"expected scalar type Long but found (?:Float|Int)",
    ),
    # Numpy and the graph.
    _known("numpy_of_graph", _RUNTIME, r"Can't call numpy\(\) on Tensor that requires grad"),
    _known("numpy_of_device", _TYPE, r"can't convert \S+ device type tensor to numpy"),
    _known("no_graph", _RUNTIME, r"element \d+ of tensors does not require grad"),
    _known(
        "changed_in_place",
        _RUNTIME,
        r"needed for gradient computation has been modified by an inplace operation",
        r"is a view and is being modified inplace",
    ),
    _known(
        "leaf_in_place", _RUNTIME, r"a (?:view of a )?leaf Variable that requires grad is being"
    ),
    _known("backward_twice", _RUNTIME, r"backward through the graph a second time"),
    # Dtypes and devices.
    _known(
        "two_dtypes",
        _RUNTIME,
        r"(?:must|to) have (?:the )?same dtype",
        r"expected scalar type (?P<wanted>\w+) but found (?P<got>\w+)",
        r"result type \w+ can't be cast to the desired output type",
    ),
    _known(
        "overflow", _RUNTIME, r"value cannot be converted to type (?P<type>\S+) without overflow"
    ),
    _known(
        "index_dtype",
        "RuntimeError IndexError",
        r"argument #1 'indices' to have one of the following scalar types",
        r"tensors used as indices must be|Expected dtype int(?:32/int)?64 for index",
    ),
    _known(
        "integers",
        "RuntimeError NotImplementedError",
        r"not implemented for '(?:Long|Int|Bool|Byte)'",
        r"could not infer output dtype|Only Tensors of floating point .* can require gradients",
    ),
    _known(
        "mask_minus", _RUNTIME, r"(?:Subtraction|Negation), the `-` operator, (?:with|on) .*bool"
    ),
    _known(
        "no_mask",
        "RuntimeError TypeError NotImplementedError",
        r"only supports boolean masks|expected condition to be a boolean tensor",
        r"~ \(operator\.invert\) is only implemented|\"bitwise_\w+\" not implemented for",
    ),
    _known("two_devices", _RUNTIME, r"Expected all tensors to be on the same device"),
    # Tensors where Python wants one truth, one number or a function.
    _known(
        "truth_of_many",
        "RuntimeError ValueError",
        r"Boolean value of Tensor with (?:more than one|no) values? is ambiguous",
        r"truth value of an array with more than one element is ambiguous",
    ),
    _known(
        "number_of_many",
        "RuntimeError ValueError TypeError",
        r"with \d+ elements cannot be converted to Scalar",
        r"only (?:one element tensors|\S+ arrays) can be converted to Python scalars",
    ),
    _known("not_callable", _TYPE, r"'(?P<got>[\w.]+)' object is not callable"),
    _known(
        "not_called",
        _TYPE,
        rf"'{_FUNCTION}' object (?:is not iterable|does not support the context)",
    ),
    _known("not_subscriptable", _TYPE, r"'(?P<got>[\w.]+)' object is not subscriptable"),
    _known("not_iterable", _TYPE, r"'(?P<got>[\w.]+)' object is not iterable"),
    _known(
        "whole_number",
        _TYPE,
        r"slice indices must be integers|indices must be integers or slices, not float",
        r"'float' object cannot be interpreted as an integer",
        r"must be tuple of ints, ?(?:but found element of type|but got|not) float",
    ),
    # Python.
    _known(
        "arguments",
        _TYPE,
        r"^(?P<name>[\w.]+?)(?:\.__init__)?\(\) (?:missing \d+ required|takes (?:from )?\d+ |"
        r"takes no|got an unexpected keyword|got multiple values|got some positional-only)",
    ),
    _known(
        "attribute",
        _ATTRIBUTE,
        r"^(?:'(?P<owner>[\w.]+)' object|module '(?P<library>[\w.]+)')"
        r" has no attribute '(?P<name>\w+)'(?:\. Did you mean: '(?P<near>\w+)'\?)?",
    ),
    _known(
        "init_returns",
        _TYPE,
        r"__init__\(\) should return None, not '(?P<got>\w*(?:Error|Exception))'",
    ),
    _known("reduce_order", _TYPE, r"^reduce\(\) arg 2 must support iteration"),
    _known("unbound", "UnboundLocalError", r"local variable '(?P<name>\w+)'"),
    _known("no_self", "NameError", r"name 'self' is not defined"),
    _known("undefined_name", "NameError", r"name '(?P<name>\w+)' is not defined"),
    _known("key", "KeyError", r"^(?P<name>.{1,80})$"),
    _known("recursion", "RecursionError", r""),
    _known("zero_division", "ZeroDivisionError", r""),
    _known("not_installed", "ModuleNotFoundError", r"No module named '(?P<name>[\w.]+)'"),
    _known(
        "not_in_module", "ImportError", r"cannot import name '(?P<name>\w+)' from '(?P<owner>\w+)'"
    ),
    _known("debugger", "BdbQuit", r""),
    _known("keyboard", "EOFError", r""),
    _known("own_assertion", "AssertionError", r""),
    _known("own_refusal", "ValueError TypeError", r""),
    _known("files", "PermissionError", r"not allowed in an exercise: open\("),
)
