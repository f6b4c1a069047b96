"""What is said of exceptions of Python's own; see ``exceptions``."""

from __future__ import annotations

from collections.abc import Mapping

OF_PYTHON: Mapping[str, tuple[str, str]] = {
    # Where Python wants one truth, one number or a function.
    "truth_of_many": (
        "`if`, `and`, `or`, `not` and `while` want one yes or no, and here they get a tensor of "
        "many.",
        "Ask `x is not None`, or .all() or .any(); to decide number by number, use torch.where, "
        "masked_fill or &, | and ~.",
    ),
    "truth_not": (
        "`not` wants one yes or no, and here it gets a tensor of many.",
        "~ turns each of a boolean tensor's values round: ~mask.",
    ),
    "truth_joined": (
        "`{name}` wants one yes or no on each side, and here it gets a tensor of many.",
        "Of boolean tensors & is `and`, and | is `or`, value by value; comparisons beside them go "
        "in round brackets: (a > 0) & (b > 0).",
    ),
    "truth_by_python": (
        "`{name}(...)` is Python's own, which wants one yes or no of every item, and here the "
        "items are tensors of many.",
        "Tensors have their own, which work value by value: & and |, torch.maximum, "
        "x.amax(dim=...). Of several tensors take two at a time, one after another.",
    ),
    "number_of_many": (
        "One number is wanted, and here is a tensor of several.",
        "Stay with tensors, or sum or choose first.",
    ),
    "number_of_argmax": (
        "One number is wanted, and {name} along axis 0 leaves one for each place of all others.",
        "Along which axis is to be chosen? The last one is -1.",
    ),
    "tensor_of_tensors": (
        "torch.tensor makes a tensor of numbers, and here it is handed tensors.",
        "torch.stack makes one tensor of a list of tensors of one shape, with a new axis in front; "
        "torch.cat joins them along an axis that is there. Both keep the graph.",
    ),
    "math_of_tensor": (
        "math.{name} is for one number, and here is a tensor of several.",
        "Is one number meant, such as a width? That is in a shape: x.shape[-1]. For every number "
        "of a tensor take torch.{name}.",
    ),
    "not_callable": (
        "A value of type {got} is called like a function.",
        "Look for a name that is used twice (for a value and for a function or layer), and for "
        "round brackets where [ ] or * is meant.",
    ),
    "method_hidden": (
        "`{set}` in line {set_at} hides the method {name}() that every module of torch has.",
        "Give it another name. Whether a module is trained is in self.training, which train() and "
        "eval() set.",
    ),
    "word_called": (
        "`self.{name}` is a text, and is called like a function.",
        "It is the word that says which function is meant: ask which it is, self.{name} == ..., "
        "and call that function.",
    ),
    "number_called": (
        "`self.{name}` is a number, and is called like a function.",
        "Is a layer to be made of it? Then __init__ makes and keeps that layer, such as "
        "nn.Dropout(p). Or does a * lack before the bracket?",
    ),
    "parameter_called": (
        "`self.{name}` is a Parameter, a matrix of numbers, and is called like a layer.",
        "A layer is called, nn.Linear for instance; by a matrix one multiplies: x @ self.{name}.",
    ),
    "module_called": (
        "`{name}` is a part of torch that holds functions, and no function itself.",
        "Call one of its functions, or the one of nearly this name: torch.rand, torch.randn.",
    ),
    "tensor_called": (
        "`{name}` is a tensor, and is called like a function.",
        "A place in it stands in [ ]; a product is * or @. Or does a function have the same name?",
    ),
    "not_called": (
        "A function or class stands here where what it returns is wanted: it was not called.",
        "Call it, with round brackets and what it takes: f(x).",
    ),
    "not_subscriptable": (
        "Square brackets follow a value of type {got}, which holds nothing that they could choose "
        "from.",
        "A function or a layer is called with round brackets: f(x). A number has no places: should "
        "a tensor or a list stand here?",
    ),
    "not_iterable": (
        "A value of type {got} stands where several values are wanted, to go through or to unpack.",
        "To count to n, write range(n). To go through the parts of a thing, name the thing itself "
        "and not its length.",
    ),
    "whole_number": (
        "A whole number is wanted here, and this is a float.",
        "/ gives a float always, also where nothing is left over: n // h is a whole number.",
    ),
    "number_in_slice": (
        "A place, a slice or a count wants one whole number, and here it gets a tensor that is "
        "none.",
        "One number of a tensor of ids is int(lengths[i]). For all rows at once compare places "
        "with lengths: torch.arange(n) < lengths[:, None].",
    ),
    "length_of_number": (
        "A single number has no length, and cannot be gone through.",
        "len(x) is the size of the first axis; x.ndim says how many axes there are, x.numel() how "
        "many numbers.",
    ),
    "generator": (
        "A generator hands its values out one by one: it has no length and no places.",
        "Make a list of it first, list(...), or go through it with for or sum(... for p in ...).",
    ),
    "one_pass": (
        "Square brackets follow a value of type {got}, which hands its values out one by one, "
        "once: it has no places.",
        "Make a list of it first, list(...), and take that from there on.",
    ),
    "no_iterator": (
        "next() wants an iterator, and this is a value of type {got}.",
        "Write next(iter(...)), once, before the loop.",
    ),
    "one_for_several": (
        "Several names stand left of =, and one value of type {got} is to be shared among them.",
        "How many values does the right side return? Take as many names.",
    ),
    # What does not go together.
    "bytes_and_text": (
        "Bytes and texts do not go together.",
        'A text becomes bytes with text.encode("utf-8"), bytes become a text with '
        'data.decode("utf-8"); b"..." writes bytes.',
    ),
    "texts_joined": (
        "join puts texts together, and here it meets a value of type {got}.",
        'Make texts first, str(n); bytes are joined by bytes: b"".join(...).',
    ),
    "no_letter": (
        "ord() wants one letter.",
        "Go through the text letter by letter. Bytes are numbers already: data[0].",
    ),
    "no_byte": (
        "A byte is a number from 0 to 255, and this one is larger, or below 0.",
        "Is an id of a merged token taken for a byte? Look its bytes up in the vocabulary.",
    ),
    "no_whole_text": (
        "These bytes are no whole text: one letter can take several bytes, and some are missing.",
        'Join all bytes first, then decode once. decode("utf-8", errors="replace") writes a sign '
        "for what is not whole.",
    ),
    "sizes_joined": (
        "A shape is put together with something that is no tuple.",
        "(*x.shape[:-1], n) makes a shape of the old one and a new size.",
    ),
    "joined_kinds": (
        "+ joins a {got} with another {got} only, and here is something else.",
        "A single value is put in brackets first: [n] for a list, (n,) for a tuple; a number "
        "becomes a text with str(n).",
    ),
    "lists_reckoned": (
        "Lists and tuples do not reckon number by number.",
        "Make a tensor of it first, torch.tensor(...) or torch.stack(...), or go through it with a "
        "loop.",
    ),
    "text_reckoned": (
        "A text stands here where a number is meant.",
        "Leave the quotation marks out, or make a number of it: int(text), float(text).",
    ),
    "no_number": (
        "This text cannot be read as a number.",
        "Print it just before this line.",
    ),
    "text_index": (
        "The places of a {got} are numbers, and here a text is given.",
        "Names belong to a dict. Is it what you think it is? Print it just before this line.",
    ),
    "unhashable": (
        "A {got} can be no key of a dict and no member of a set, for it may change.",
        "Make a tuple of it: tuple(...).",
    ),
    "fixed": (
        "What is in a {got} cannot be changed.",
        "Make a list of it first, list(...), or put a new one together.",
    ),
    "nothing_in_it": (
        "There is nothing in it.",
        "Ask first whether it is empty: `if values:`. When may it be, and what is right then?",
    ),
    "nothing_left": (
        "next() finds nothing more.",
        "Has it been gone through before? A generator can be only once. next(x, None) returns None "
        "at the end.",
    ),
    "not_in_list": (
        "What is looked for is not in it.",
        "Ask first: `if value in values:`.",
    ),
    "zeros_looked_for": (
        "What is looked for is a row of zero bytes, and is not in it.",
        "bytes(n) are n zeros: one byte of the number n is bytes([n]).",
    ),
    "out_of_range": (
        "This has no answer for that number: no logarithm of 0, no root below 0, no exp above 709.",
        "Print the number just before this line.",
    ),
    "log_of_zero": (
        "There is no logarithm of 0, and `{name}` is 0 here.",
        "A product of many numbers below 1 ends at 0, for floats are not endlessly small: add "
        "their logarithms in place of multiplying them.",
    ),
    "log_of_log": (
        "There is no logarithm of a number below 0.",
        "By its name, `{name}` holds logarithms already: those of probabilities are 0 or less. Add "
        "them as they are.",
    ),
    "format": (
        "A format such as :.2f is for one number, and this is a value of type {got}.",
        "Take .item() of a tensor of one number, or print it without a format.",
    ),
    "of_class": (
        "A method is called on a class, and not on an object of it.",
        "Write values.append(x) with the list itself in front, not list.append(x).",
    ),
    "attribute_of_class": (
        "The class {owner} has no `{name}`.",
        "What __init__ sets on self belongs to an object: make one first, {owner}(...), or write "
        "self.{name}.",
    ),
    "not_raisable": (
        "Only exceptions can be raised.",
        'Write raise ValueError("...") with the text in its brackets.',
    ),
    "base_takes_nothing": (
        "super().__init__ hands something on, and this class has no base that takes it.",
        "Write super().__init__(); a layer is a class X(nn.Module).",
    ),
    "super_outside": (
        "super() works only within a method of a class.",
        "Does the line stand in __init__, and is its first argument self?",
    ),
    "no_file": (
        "There is no such file.",
        "No exercise needs a file: values come as arguments.",
    ),
    # Python: names and calls.
    "arguments_of_page": (
        "`{name}` does not take the arguments that the page says.",
        "On the page it is {signature}: keep the names, the order and the defaults.",
    ),
    "arguments_by_page": (
        "`{name}` is called here with other arguments than it takes.",
        "On the page it is {signature}.",
    ),
    "arguments": (
        "`{name}` is called with other arguments than it takes.",
        "Compare the call with the line in which it is defined. A method's first argument is self.",
    ),
    "method_of_torch_replaced": (
        "`{name}` stands in the place of the method of that name which every nn.Module has, and "
        "torch calls it with other arguments than yours takes.",
        "Take it out: nn.Module has it already, and self.training says which mode it is. A module "
        "around this one calls train(mode) of all its parts, from its own train() and eval(). So "
        "if one of yours is meant, it is def train(self, mode=True), ending with return "
        "super().train(mode).",
    ),
    "arguments_of_library": (
        "`{name}` is called with other arguments than it takes.",
        "It is not one of your functions: the message says what is missing or too much, and its "
        "documentation what it takes, in which order.",
    ),
    "method_misnamed": (
        "In line {set_at} of the file `{owner}` has a method `{name}`; Python looks for `{near}`, "
        "letter by letter.",
        "Call it {near}.",
    ),
    "keyword_near": (
        "`{name}` has no argument `{keyword}`. Do you mean `{near}`?",
        "Write {near}= there.",
    ),
    "keyword_unknown": (
        "`{name}` has no argument `{keyword}`.",
        "It is not one of your functions: its documentation says which arguments it takes, and how "
        "they are called.",
    ),
    "register_buffer": (
        "register_buffer is called with other arguments than it takes.",
        'The name comes first, and is a text: self.register_buffer("mask", tensor), which is then '
        "self.mask.",
    ),
    "arguments_of_super": (
        "super().__init__ is called with arguments, and that of nn.Module takes none.",
        "Write super().__init__(), and set on self what the class needs.",
    ),
    "attribute_near": (
        "`{owner}` has no `{name}`. Do you mean `{near}`?",
        "Correct the name, or set self.{name} in __init__.",
    ),
    "attribute_of_bool": (
        "A plain True or False stands here where a tensor is meant.",
        "A tensor compared with None, or with a thing of another kind, is the plain False. May one "
        "side be None here? Ask for that first.",
    ),
    "identity": (
        "`{name}` is one plain True or False: it asks whether both are one and the same object.",
        "Compare values, number by number: == and !=.",
    ),
    "attribute_nearly": (
        "{owner} has no `{name}`. Do you mean `{near}`?",
        "Correct the name.",
    ),
    "attribute_of_other_page": (
        "Your `{owner}` has no `{name}`. It has {names}.",
        "Take one of these. A size that no name holds is in the shape of a weight or of a result.",
    ),
    "attribute_is_argument": (
        "`{owner}` has no `{name}`, but the method where this line stands has an argument of that "
        "name.",
        "Write {name}, without self.",
    ),
    "text_already": (
        "`{name}` is asked of {owner}, which is what it would make.",
        "Leave .{name}(...) out here.",
    ),
    "attribute_is_function": (
        "`{owner}` has no `{name}`, but there is a function of this name.",
        "A function is called without self: {name}(...).",
    ),
    "attribute_of_own": (
        "`{owner}` has no `{name}`: nothing has set it.",
        "Set self.{name} in __init__.",
    ),
    "attribute_elsewhere": (
        "{owner} has no `{name}`.",
        "Write {instead}.",
    ),
    "attribute_of_library": (
        "{library} has no `{name}`.",
        "Look for a typing mistake; numpy, torch and torch.nn.functional have functions of "
        "different names.",
    ),
    "attribute_forward": (
        "A value of type {owner} has no `forward`: it is a plain function.",
        "Call it itself, with round brackets and without .forward. That is right for a layer too: "
        "its forward is run by the call.",
    ),
    "attribute": (
        "A value of type {owner} has no `{name}`.",
        "Print the value just before this line: is it what you think it is?",
    ),
    "init_returns": (
        "`__init__` returns the exception {got} instead of raising it.",
        "Write `raise` in place of `return`.",
    ),
    "unbound": (
        "`{name}` is used before it has a value on every way through the function.",
        "If it is set only within an if or a loop, set it before as well.",
    ),
    "no_self": (
        "There is no `self` in a function: it is the first argument of a class's methods.",
        "Take self. away: arguments of a function are called by their names alone.",
    ),
    "undefined_near": (
        "There is no `{name}` here. Do you mean `{near}`?",
        "Correct the name.",
    ),
    "undefined_of_math": (
        "There is no `{name}` here: it stands in a library.",
        "Write math.{name} for a number, or torch.{name} for a tensor; inf, nan and pi stand in "
        "both.",
    ),
    "undefined_module": (
        "There is no `{name}` here: this file does not import it.",
        "Write `{imported}` at the top of the file.",
    ),
    "undefined_name": (
        "There is no `{name}` here.",
        "Correct the name, define it first, or import it at the top of the file.",
    ),
    "undefined_in_class": (
        "There is no `{name}` here.",
        "Correct the name, define it first, or import it at the top of the file. Attributes are "
        "called self.{name}.",
    ),
    "reduce_order": (
        "functools.reduce takes the function first, and then what it goes through.",
        "Exchange the two: functools.reduce(function, values).",
    ),
    "key": (
        "The dictionary has no key {name}.",
        "Is it certain to hold whatever is asked for? Otherwise ask first, `key in table`, or take "
        "table.get(key). If it should be there, print its keys just before this line.",
    ),
    "key_near": (
        "The dictionary has no key {name}. Your file writes '{near}'.",
        "Write both alike, letter by letter, as the page does.",
    ),
    "recursion": (
        "A function calls itself without end.",
        "Look for a name that is defined twice: a function that was to call torch's of the same "
        "name calls itself. A method is called by self.name, a function by its name.",
    ),
    "zero_division": ("Something is divided by 0.", "Print the divisor just before this line."),
    "not_installed": (
        "`{name}` is not installed where your code runs.",
        "Do without it, or correct its name.",
    ),
    "not_in_module": (
        "Your {owner}.py has no `{name}`.",
        "Define `{name}` there, or correct the name.",
    ),
    "debugger": (
        "A debugger needs a keyboard, and the checks have none.",
        "Take breakpoint() out. What you print is shown with a check that fails; to step through "
        "your code, run it outside the checks: grader run {module}.",
    ),
    "keyboard": (
        "input() waits for a keyboard, and the checks have none.",
        "Take input() out: values come as arguments. To try something: grader run {module}.",
    ),
    "own_refusal_if": (
        "Your own line refuses what the page allows: {call}. It does so where `{condition}` holds.",
        "Does that condition ask about the right thing, and on which side of it are the ends? If "
        "it is right, what was stored or handed over before may be wrong.",
    ),
    "own_refusal": (
        "Your own line refuses what the page allows: {call}.",
        "Look at the condition that leads to this line: does it ask about the right thing, and on "
        "which side of it are the ends? If it is right, what was stored or handed over before may "
        "be wrong.",
    ),
    "own_assertion": (
        "An assertion of your own does not hold.",
        "Print what it compares. The inputs may be larger, or have more axes, than you assume.",
    ),
    "files": (
        "No exercise needs a file, so none but Python's own can be opened.",
        "Take out the call that opens it.",
    ),
}
