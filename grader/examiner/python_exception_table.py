"""The exceptions of Python's own that learners meet, by type and message.

See ``exception_table``.
"""

from __future__ import annotations

from grader.examiner.known_exception import (
    ATTRIBUTE,
    FUNCTION,
    OPERAND,
    RUNTIME,
    TYPE,
    VALUE,
    known,
)

OF_PYTHON = (
    # Tensors where Python wants one truth, one number or a function.
    known(
        "truth_of_many",
        "RuntimeError ValueError",
        r"Boolean value of Tensor with (?:more than one|no) values? is ambiguous",
        r"truth value of an array with more than one element is ambiguous",
    ),
    known(
        "number_of_many",
        "RuntimeError ValueError TypeError",
        r"with \d+ elements cannot be converted to Scalar",
        r"only (?:one element tensors|\S+ arrays) can be converted to Python scalars",
    ),
    known("number_in_slice", TYPE, r"only integer tensors of a single element can be converted to"),
    known("length_of_number", TYPE, r"len\(\) of a 0-d tensor|iteration over a 0-d tensor"),
    known("length_of_number", TYPE, r"object of type '(?:int|float|bool)' has no len\(\)"),
    known("generator", TYPE, r"object of type 'generator' has no len\(\)"),
    known("generator", TYPE, r"'generator' object is not subscriptable"),
    known("generator", ATTRIBUTE, r"'generator' object has no attribute"),
    known("no_iterator", TYPE, r"'(?P<got>[\w.]+)' object is not an iterator"),
    known("one_for_several", TYPE, r"cannot unpack non-iterable (?P<got>\w+) object"),
    known("not_callable", TYPE, r"'(?P<got>[\w.]+)' object is not callable"),
    known(
        "not_called",
        TYPE,
        rf"'{FUNCTION}' object (?:is not iterable|does not support the context)",
        r"argument after \* must be an iterable, not \w*(?:method|function)",
        OPERAND + r".*'(?:function|method|builtin_function_or_method)'",
    ),
    known("not_subscriptable", TYPE, r"'(?P<got>[\w.]+)' object is not subscriptable"),
    known("not_iterable", TYPE, r"'(?P<got>[\w.]+)' object is not iterable"),
    known(
        "whole_number",
        TYPE,
        r"slice indices must be integers|indices must be integers.*not '?float",
        r"'float' object cannot be interpreted as an integer",
        r"must be tuple of ints, ?(?:but found element of type|but got|not) float",
    ),
    # Python: what does not go together.
    known(
        "bytes_and_text",
        TYPE,
        r"can't concat str to bytes|bytes-like object is required, not 'str'",
        r"\(not \"bytes\"\) to str|string argument without an encoding",
        r"expected (?:str instance, bytes|a bytes-like object, str) found",
    ),
    known("texts_joined", TYPE, r"sequence item \d+: expected str instance, (?P<got>\w+) found"),
    known("no_letter", TYPE, r"^ord\(\) expected a character"),
    known("no_byte", VALUE, r"bytes must be in range\(0, 256\)"),
    known("no_whole_text", "UnicodeDecodeError", r""),
    known("sizes_joined", TYPE, r"can only concatenate tuple \(not .* to torch\.Size"),
    known("joined_kinds", TYPE, r"can only concatenate (?P<got>str|list|tuple) \(not"),
    known(
        "lists_reckoned",
        TYPE,
        OPERAND + r"(?=.*'(?P<got>list|tuple)')",
        r"bad operand type for [^:]+: '(?:list|tuple)'",
        r"not supported between instances of (?=.*'(?:list|tuple)')",
    ),
    known(
        "text_reckoned",
        TYPE,
        OPERAND + r"(?=.*'str')",
        r"bad operand type for [^:]+: 'str'|type str doesn't define",
        r"not supported between instances of (?=.*'str')",
        r"'str' object cannot be interpreted as an integer",
    ),
    known("no_number", VALUE, r"invalid literal for int\(\)|could not convert string to float"),
    known(
        "text_index", TYPE, r"^(?P<got>list|tuple|string) indices must be integers.*(?:not )'?str"
    ),
    known("unhashable", TYPE, r"unhashable type: '(?P<got>\w+)'"),
    known("fixed", TYPE, r"'(?P<got>tuple|str|torch\.Size|bytes)' object does not support item"),
    known(
        "nothing_in_it",
        "ValueError IndexError KeyError",
        r"arg is an empty sequence|iterable argument is empty|pop from empty",
        r"^index out of range$",
    ),
    known("nothing_left", "StopIteration", r""),
    known("zeros_looked_for", VALUE, r"^b'(?:\\x00){3}"),
    known("not_in_list", VALUE, r"is not in list|x not in (?:list|tuple)"),
    known("out_of_range", "ValueError OverflowError", r"math (?:domain|range) error"),
    known(
        "out_of_range", "ValueError OverflowError", r"expected a positive input|too large to conv"
    ),
    known("format", TYPE, r"unsupported format string passed to (?P<got>[\w.]+)\.__format__"),
    known("format", VALUE, r"Unknown format code '\w' for object of type '(?P<got>\w+)'"),
    known("of_class", TYPE, r"^descriptor '\w+' for|^unbound method "),
    known(
        "attribute_of_class",
        ATTRIBUTE,
        r"type object '(?P<owner>\w+)' has no attribute '(?P<name>\w+)'",
    ),
    known("not_raisable", TYPE, r"exceptions must derive from BaseException"),
    known("base_takes_nothing", TYPE, r"^object\.__init__\(\) takes exactly one argument"),
    known("super_outside", RUNTIME, r"^super\(\): "),
    known("no_file", "FileNotFoundError", r""),
    # Python: names and calls.
    known(
        "arguments",
        TYPE,
        r"^(?P<name>[\w.]+?)(?:\.__init__)?\(\) (?:missing \d+ required|takes (?:from )?\d+ |"
        r"takes no|got an unexpected keyword|got multiple values|got some positional-only)",
    ),
    known(
        "arguments",
        TYPE,
        r"^(?P<name>\w+)(?:\(\))? (?:expected|must have) (?:at (?:least|most) )?\w+ arguments?",
    ),
    known(
        "attribute",
        ATTRIBUTE,
        r"^(?:'(?P<owner>[\w.]+)' object|module '(?P<library>[\w.]+)')"
        r" has no attribute '(?P<name>\w+)'(?:\. Did you mean: '(?P<near>\w+)'\?)?",
    ),
    known(
        "init_returns",
        TYPE,
        r"__init__\(\) should return None, not '(?P<got>\w*(?:Error|Exception))'",
    ),
    known("reduce_order", TYPE, r"^reduce\(\) arg 2 must support iteration"),
    known("unbound", "UnboundLocalError", r"local variable '(?P<name>\w+)'"),
    known("no_self", "NameError", r"name 'self' is not defined"),
    known("undefined_name", "NameError", r"name '(?P<name>\w+)' is not defined"),
    known("key", "KeyError", r"^(?P<name>.{1,80})$"),
    known("recursion", "RecursionError", r""),
    known("zero_division", "ZeroDivisionError", r""),
    known("not_installed", "ModuleNotFoundError", r"No module named '(?P<name>[\w.]+)'"),
    known(
        "not_in_module", "ImportError", r"cannot import name '(?P<name>\w+)' from '(?P<owner>\w+)'"
    ),
    known("debugger", "BdbQuit", r""),
    known("keyboard", "EOFError", r""),
    known("own_assertion", "AssertionError", r""),
    known("own_refusal", "ValueError TypeError", r""),
    known("files", "PermissionError", r"not allowed in an exercise: open\("),
)
