"""The exceptions of torch's and numpy's that learners meet, by type and message.

Those of Python's own stand in ``python_exception_table``; what each means, and what to try, is
worded in ``report.exceptions``.
"""

from __future__ import annotations

from grader.examiner.known_exception import (
    ANY,
    ATTRIBUTE,
    FUNCTION,
    INDEX,
    OPERAND,
    RUNTIME,
    TYPE,
    VALUE,
    known,
)

_TUPLE = r"(?P<got>tuple|list)"
_OF_NUMBERS = "Tensor|Parameter|int|float"
_CLASS = r"(?!Tensor\b|Parameter\b)[A-Z]\w+"

# The first that applies is told. Groups with a name become facts.
OF_TENSORS = (
    # A module that torch does not know yet.
    known(
        "no_super_init",
        ATTRIBUTE,
        r"cannot assign (?:modules?|parameters?|buffers?) before Module\.__init__\(\) call",
        r"'(?P<owner>\w+)' object has no attribute "
        r"'(?:training|_(?:parameters|buffers|modules|non_persistent_buffers_set"
        r"|(?:forward|backward|state_dict|load_state_dict)\w*_hooks?\w*))'",
    ),
    known(
        "no_parameter",
        TYPE,
        r"cannot assign '.*' as parameter '(?P<name>\w+)' \(torch\.nn\.Parameter or None",
    ),
    known("state_dict", "RuntimeError KeyError", r"Error\(s\) in loading state_dict for (\w+)"),
    # Several values where one is meant.
    known("named_pair", ANY, r"torch\.return_types\.(?P<name>\w+)"),
    known("array_for_tensor", TYPE, r"must be Tensor, not (?:numpy\.)?ndarray"),
    known("array_for_tensor", ATTRIBUTE, r"'numpy\.ndarray' object has no attribute"),
    known(
        "array_for_tensor", TYPE, r"^Concatenation operation is not implemented for NumPy arrays"
    ),
    known("array_for_tensor", TYPE, OPERAND + r"(?=.*'Tensor')(?=.*'numpy\.ndarray')"),
    known(
        "array_for_tensor",
        TYPE,
        r"^_?(?:a?max|a?min|sum|mean|prod|std|var|arg(?:max|min)|all|any|cumsum)\(\) "
        r"got an unexpected keyword argument '(?:axis|dim|keepdims?)'$",
        r"received an invalid combination of arguments - got \([^)]*(?:keepdims=|axis=)",
    ),
    known("pair_for_tensor", TYPE, r"must be Tensor, not " + _TUPLE),
    known("pair_for_tensor", ATTRIBUTE, rf"'{_TUPLE}' object has no attribute"),
    known("pair_for_tensor", TYPE, rf"^{_TUPLE} indices must be integers or slices, not tuple"),
    known("pair_for_tensor", TYPE, OPERAND + r".*'(?P<got>tuple)'"),
    known("pair_for_tensor", TYPE, r"can only concatenate (?P<got>tuple|list) \(not \"Tensor\""),
    known("pair_for_tensor", TYPE, r"can't multiply sequence by non-int of type"),
    known(
        "pair_for_tensor",
        TYPE,
        rf"expected Tensor as element \d+ in argument \d+, but got {_TUPLE}",
    ),
    known("unpacked", VALUE, r"(?:too many|not enough) values to unpack \(expected (?:\w| )+"),
    # None.
    known(
        "none",
        ANY,
        r"'NoneType'|(?:not|non-iterable|but got) NoneType\b|got \((?:\w+, )*NoneType\b",
    ),
    # What stands where its result, one of its sizes or its power is meant.
    known("exponent", ANY, r"\"bitwise_xor\w*\" not implemented for", r"for \^: "),
    known(
        "layer_for_tensor",
        TYPE,
        OPERAND + rf"'(?:{_OF_NUMBERS})' and '(?P<got>{_CLASS})'$",
        OPERAND + rf"'(?P<left>{_CLASS})' and '(?:{_OF_NUMBERS})'$",
        rf"must be Tensor, not (?P<handed>{_CLASS})$",
    ),
    known(
        "shape_for_size",
        TYPE,
        r"must be real number, not torch\.Size",
        OPERAND + r".*'torch\.Size'",
    ),
    known("not_called", ATTRIBUTE, rf"^'{FUNCTION}' object has no attribute '(?!__)"),
    known(
        "product_with_number",
        "TypeError RuntimeError ValueError",
        r"for @: '(?:int|float)' and|for @: '\S+' and '(?:int|float)'",
        r"both arguments to matmul need to be at least 1D",
        r"matmul: Input operand \d does not have enough dimensions",
    ),
    known("dot_of_matrices", RUNTIME, r"1D tensors expected, but got \dD and \dD tensors"),
    known("parts_not_listed", TYPE, r"must be tuple of Tensors, not (?P<got>\w+)"),
    known(
        "text_for_number",
        TYPE,
        r"received an invalid combination of arguments - got \([^)]*(?<!=)\bstr\b",
    ),
    known("name_before_equals", TYPE, r"some of the keywords were incorrect: \w"),
    # Sizes that do not fit.
    known("two_sizes_left_open", RUNTIME, r"only one dimension can be inferred"),
    known(
        "matmul_row_left",
        RUNTIME,
        r"^size mismatch, got input \((\d+)\), mat \(\1x\d+\), vec \(\1\)",
    ),
    known(
        "matmul",
        RUNTIME,
        r"mat1 and mat2 shapes cannot be multiplied "
        r"\((?P<rows>\d+)x(?P<inner>\d+) and (?P<outer>\d+)x(?P<columns>\d+)\)",
    ),
    known(
        "matmul",
        RUNTIME,
        r"first two dimensions of batch2 tensor to be: \[\d+, (?P<inner>\d+)\]"
        r" but got: \[\d+, (?P<outer>\d+)\]",
        r"size mismatch, got input \(\d+\), mat \(\d+x(\d+)\), vec \((\d+)\)",
        r"inconsistent tensor size, expected tensor \[(\d+)\] and src \[(\d+)\]",
        r"subscript \w has size (\d+) for operand \d+ which does not broadcast .* size (\d+)",
    ),
    known("matmul", VALUE, r"matmul: .* mismatch .*size (?P<outer>\d+).* from (?P<inner>\d+)\)"),
    known(
        "broadcast",
        RUNTIME,
        r"size of tensor a \((?P<a>\d+)\) must match the size of tensor b \((?P<b>\d+)\)",
    ),
    known(
        "grows_in_place",
        RUNTIME,
        r"output with shape \[(?P<shape>[\d, ]*)\] doesn't match the broadcast shape"
        r" \[(?P<target>[\d, ]*)\]",
    ),
    known("broadcast_shapes", VALUE, r"could not be broadcast together with .*shapes"),
    known(
        "written_shape",
        VALUE,
        r"could not broadcast input array from shape \((?P<shape>[\d,]*)\)"
        r" into shape \((?P<target>[\d,]*)\)",
    ),
    known(
        "written_rows",
        RUNTIME,
        r"shape mismatch: value tensor of shape \[(?P<shape>[\d, ]*)\] cannot be broadcast to "
        r"indexing result of shape \[(?P<target>[\d, ]*)\]",
    ),
    known("broadcast_shapes", RUNTIME, r"shape mismatch: objects cannot be broadcast"),
    known(
        "view_size",
        "RuntimeError ValueError",
        r"shape '\[(?P<shape>[-\d, ]+)\]' is invalid for input of size (?P<numbers>\d+)",
        r"cannot reshape array of size (\d+) into shape \(([-\d,]+)\)",
        r"Provided sizes \[.*\] don't multiply up to the size of dim",
    ),
    known("view_stride", RUNTIME, r"view size is not compatible with input tensor's size"),
    known(
        "expand",
        RUNTIME,
        r"expanded size of the tensor \((?P<a>\d+)\) must match the existing size \((?P<b>\d+)\)"
        r".*Target sizes: \[(?P<target>[-\d, ]+)\]\.\s+Tensor sizes: \[(?P<shape>[\d, ]+)\]",
    ),
    known("expand_axes", RUNTIME, r"number of sizes provided \(\d+\) must be greater or equal"),
    known(
        "joined_axes",
        "RuntimeError",
        r"Tensors must have same number of dimensions: got (?P<a>\d+) and (?P<b>\d+)",
    ),
    known(
        "stacked",
        "RuntimeError",
        r"stack expects each tensor to be equal size, but got (?P<a>\[[\d, ]*\]) at entry \d+ and "
        r"(?P<b>\[[\d, ]*\])",
    ),
    known(
        "joined",
        "RuntimeError ValueError",
        r"Sizes of tensors must match except in dimension (?P<dim>-?\d+)",
        r"all (?:the )?input array\w*.* must (?:have|match)",
    ),
    known("split", RUNTIME, r"split_with_sizes expects split_sizes to sum exactly"),
    known(
        "norm_shape",
        RUNTIME,
        r"Given normalized_shape=\[(?P<wanted>[\d, ]+)\], expected input with shape \[\*",
        r"Expected (?:weight|bias) to be of same shape as normalized_shape",
    ),
    known(
        "mask_of_torch",
        "AssertionError RuntimeError",
        r"(?:expected|shape of the \dD) `?(?:attn_mask|key_padding_mask)`?",
    ),
    known("mask_shape", INDEX, r"shape of the mask .* does not match the shape of the indexed"),
    known("heads_width", "AssertionError", r"embed_dim must be divisible by num_heads"),
    known("negative_size", RUNTIME, r"create tensor with negative dimension (?P<size>-\d+)"),
    # Axes.
    known(
        "dimension",
        INDEX,
        r"Dimension out of range \(expected to be in range of "
        r"\[(?P<first>-\d+), (?P<last>\d+)\], but got (?P<dim>-?\d+)\)",
    ),
    known(
        "few_axes",
        INDEX,
        r"too many indices for (?:tensor|array)|invalid index (?:of a 0-dim|to scalar)",
    ),
    known("axis_twice", RUNTIME, r"duplicate dims are not allowed|appears multiple times"),
    known("few_axes", "AxisError", r"is out of bounds for array of dimension"),
    known(
        "few_axes",
        "RuntimeError ValueError",
        r"number of dimensions in the tensor input does not match the length of the desired",
        r"axes don't match array",
        r"only supported on matrices or batches",
        r"expects a tensor with <= 2 dimensions",
        r"must have at least 2 dimensions|must be a matrix",
        r"(?<!batch1 )(?<!batch2 )must be a 3D tensor",
        r"Number of dimensions of repeat dims can not be smaller",
    ),
    known("gather_axes", RUNTIME, r"Index tensor must have the same number of dimensions as"),
    known("topk_range", RUNTIME, r"selected index k out of range"),
    known("multinomial_negative", RUNTIME, r"probability tensor contains either `inf`, `nan`"),
    known("multinomial_axes", RUNTIME, r"prob_dist must be 1 or 2 dim"),
    known(
        "tensor_for_sizes",
        TYPE,
        r"^(?P<name>rand|randn|zeros|ones|empty|full)\(\): argument 'size' \(position 1\) must be "
        r"tuple of ints, not Tensor",
        r"^(rand|randn|zeros|ones|empty)\(\) received an invalid combination of arguments - got "
        r"\(Tensor\b",
    ),
    known("number_for_tensor", TYPE, r"must be Tensor, not (?P<got>int|float)\b"),
    known(
        "index",
        "IndexError RuntimeError",
        r"index out of range in self|Class values must be smaller than num_classes",
    ),
    known("class_below_zero", RUNTIME, r"^Class values must be non-negative"),
    known("batch_norm_of_one", VALUE, r"^Expected more than 1 value per channel when training"),
    known(
        "written_into_view",
        RUNTIME,
        r"more than one element of the written-to tensor refers to a single memory location",
    ),
    known(
        "index_below_zero",
        "IndexError RuntimeError",
        r"index (?P<index>-\d+) is out of bounds for (?:dimension|axis) \d+"
        r" with size (?P<size>\d+)",
    ),
    known("indices_paired", INDEX, r"shape mismatch: indexing (?:tensors|arrays) could not be"),
    known(
        "index_of_axis",
        "IndexError RuntimeError",
        r"index (?P<index>-?\d+) is out of bounds for (?:dimension|axis) \d+"
        r" with size (?P<size>\d+)",
    ),
    known("index_of_list", INDEX, r"^(?P<got>list|tuple|string) index out of range"),
    # Cross-entropy.
    known(
        "loss_axes",
        "RuntimeError ValueError",
        r"Expected target size \[(?P<wanted>[\d, ]+)\], got \[(?P<got>[\d, ]+)\]",
        r"Expected input batch_size \((\d+)\) to match target batch_size \((\d+)\)",
        r"only batches of spatial targets supported",
    ),
    known("loss_target", INDEX, r"^Target (?P<target>-?\d+) is out of bounds"),
    known(
        "loss_dtype",
        RUNTIME,
        r"expected target dtype to be Long|nll_loss\w* .*not implemented for",
        r"expected scalar type Long but found (?:Float|Int)",
    ),
    # Numpy and the graph.
    known("numpy_of_graph", RUNTIME, r"Can't call numpy\(\) on Tensor that requires grad"),
    known("numpy_of_device", TYPE, r"can't convert \S+ device type tensor to numpy"),
    known("generator_of_device", RUNTIME, r"META device type not an accelerator"),
    known("no_graph", RUNTIME, r"element \d+ of tensors does not require grad"),
    known(
        "changed_in_place",
        RUNTIME,
        r"needed for gradient computation has been modified by an inplace operation",
    ),
    known("view_in_place", RUNTIME, r"is a view and is being modified inplace"),
    known("leaf_in_place", RUNTIME, r"a (?:view of a )?leaf Variable that requires grad is being"),
    known("backward_twice", RUNTIME, r"backward through the graph a second time"),
    # Dtypes and devices.
    known(
        "two_dtypes",
        RUNTIME,
        r"(?:must|to) have (?:the )?same (?:dtypes?|scalar type)",
        r"requires the source and destination dtypes match",
        r"Expected self\.dtype to be equal to src\.dtype",
        r"expected dtype \w+ for `\w+` but got dtype",
        r"expected scalar type (?P<wanted>\w+) but found (?P<got>\w+)",
        r"result type \w+ can't be cast to the desired output type",
    ),
    known("overflow", RUNTIME, r"value cannot be converted to type (?P<type>\S+) without overflow"),
    known(
        "index_dtype",
        "RuntimeError IndexError",
        r"argument #1 'indices' to have one of the following scalar types",
        r"one_hot is only applicable to index tensor",
        r"are valid indices \(got float\)|tensors used as indices must be",
        r"Expected dtype int(?:32/int)?64 for index",
    ),
    known(
        "integers",
        "RuntimeError NotImplementedError",
        r"not implemented for '(?:Long|Int|Bool|Byte)'",
        r"could not infer output dtype|[Oo]nly Tensors of floating point .* can require gradients",
        r"only supports floating-point dtypes for input",
    ),
    known("mask_minus", RUNTIME, r"(?:Subtraction|Negation), the `-` operator, (?:with|on) .*bool"),
    known(
        "no_mask",
        "RuntimeError TypeError NotImplementedError",
        r"only supports boolean masks|expected condition to be a boolean tensor",
        r"~ \(operator\.invert\) is only implemented|\"bitwise_\w+\" not implemented for",
    ),
    known("two_devices", RUNTIME, r"Expected all tensors to be on the same device"),
)
