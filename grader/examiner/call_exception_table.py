"""What torch's functions and modules refuse to be given, by type and message.

See ``exception_table``.
"""

from __future__ import annotations

from grader.examiner.known_exception import RUNTIME, TYPE, VALUE, known

OF_CALLS = (
    # One argument that is of another kind.
    known(
        "text_for_number",
        TYPE,
        r"invalid data type 'str'|can't assign a str to a|must be real number, not str",
    ),
    known("list_for_tensor", TYPE, r"can't assign a (?P<got>list|tuple) to a"),
    known(
        "not_a_tensor_among",
        TYPE,
        r"expected Tensor as element (?P<index>\d+) in argument \d+, but got (?P<got>\w+)",
    ),
    known(
        "sizes_in_brackets",
        TYPE,
        r"^(?P<name>\w+)\(\): argument '(?P<argument>\w+)' .*must be tuple of ints, not int",
    ),
    known(
        "truth_for_number",
        TYPE,
        r"^(?P<name>\w+)\(\): argument '(?P<argument>\w+)' .*must be bool, not (?:float|int)",
    ),
    known("no_source_of_chance", RUNTIME, r"Unable to open /dev/urandom"),
    known(
        "bmm_axes",
        RUNTIME,
        r"^batch[12] must be a 3D tensor",
    ),
    known(
        "finfo_of_others",
        TYPE,
        r"torch\.finfo\(\) requires a floating point input type",
    ),
    known(
        "super_without_brackets",
        TYPE,
        r"descriptor '\w+' of 'super' object needs an argument",
        r"type object 'super' has no attribute",
    ),
    known(
        "argument_of_kind",
        TYPE,
        r"^(?P<name>\w+)\(\): argument '(?P<argument>\w+)' .*?must be (?P<wanted>[\w ]+?), "
        r"?(?:but found element of type|but got|not) (?!float)(?P<got>[\w.]+)",
    ),
    known(
        "argument_of_kind",
        TYPE,
        r"^(?P<name>\w+)\(\): argument '(?P<argument>\w+)' .*type must be (?P<wanted>[\w ]+?), "
        r"?but got (?!float)(?P<got>[\w.]+)",
    ),
    known(
        "probability",
        "ValueError RuntimeError",
        r"dropout probability has to be between 0 and 1|Expected p_in >= 0 && p_in <= 1",
    ),
    known("step_backwards", VALUE, r"^step must be greater than zero"),
    known(
        "arange_ends",
        RUNTIME,
        r"upper bound and (?:larger|lower) bound inconsistent|^step must be nonzero",
    ),
    known("masked_fill_value", RUNTIME, r"masked_fill_? only supports a 0-dimensional value"),
    known("multinomial_draws", RUNTIME, r"cannot sample n_sample > prob_dist"),
    known("nothing_to_join", "RuntimeError ValueError", r"expects? a? ?\(?non-empty"),
    known("nothing_to_join", "RuntimeError ValueError", r"expected a non-empty list of Tensors"),
    known(
        "vectors_only",
        "RuntimeError IndexError",
        r"Expected 1-D argument|Supports 1D or 2D tensors|Index is supposed to be a vector",
    ),
    known(
        "ragged",
        VALUE,
        r"expected sequence of length \d+ at dim \d+ \(got \d+\)",
        r"setting an array element with a sequence",
    ),
    known("makes_no_tensor", RUNTIME, r"Could not infer dtype of (?P<got>\w+)"),
    known(
        "einsum",
        RUNTIME,
        r"^einsum\(\): (?:the number of subscripts|.*subscript|more operands|fewer operands)",
    ),
    known("fans", VALUE, r"Fan in and fan out can not be computed"),
    known(
        "asks_for_gpu",
        "AssertionError RuntimeError",
        r"not compiled with CUDA|Found no NVIDIA driver|No CUDA GPUs are available",
        r"Cannot access accelerator",
    ),
    known(
        "gpu_gave_up", "AcceleratorError RuntimeError", r"^CUDA error: device-side assert triggered"
    ),
    # Modules and what they hold.
    known(
        "modules_called",
        "NotImplementedError",
        r"Module \[(?P<owner>ModuleList|ModuleDict)\] is missing the required",
    ),
    known(
        "no_forward",
        "NotImplementedError",
        r"Module \[(?P<owner>\w+)\] is missing the required \"forward\" function",
    ),
    known(
        "modules_listed",
        TYPE,
        r"Module(?:List|Dict)\.\w+ should be called with an iterable",
        r"is not a Module subclass",
    ),
    known(
        "place_of_module",
        TYPE,
        r"cannot assign '.*' (?:object )?(?:to|as) (?P<slot>buffer|parameter|child module) "
        r"'(?P<name>\w+)'",
    ),
    known("taken_name", "KeyError", r"attribute '(?P<name>\w+)' already exists"),
    known("optimizer_of_nothing", VALUE, r"optimizer got an empty parameter list"),
    known("optimizer_of_model", TYPE, r"params argument given to the optimizer should be"),
    known("not_a_state", TYPE, r"Expected state_dict to be dict-like"),
    # All the rest that is not called as torch wants it.
    known(
        "combination_of_nothing",
        TYPE,
        r"^(?P<name>\w+)\(\) received an invalid combination of arguments - got \(\)",
    ),
    known(
        "combination",
        TYPE,
        r"^(?P<name>\w+)\(\) received an invalid combination of arguments - got "
        r"\((?P<got>[^)]{1,100})\)",
    ),
)
