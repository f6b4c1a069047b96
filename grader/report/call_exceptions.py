"""What is said of exceptions of torch's functions and modules; see ``exceptions``."""

from __future__ import annotations

from collections.abc import Mapping

OF_CALLS: Mapping[str, tuple[str, str]] = {
    # One argument that is of another kind.
    "list_for_tensor": (
        "A {got} of Python's is written into a tensor.",
        "Make a tensor of it first: torch.tensor(...) of numbers, torch.stack(...) of tensors.",
    ),
    "not_a_tensor_among": (
        "cat and stack join tensors, and what stands at place {index} of the list is of type "
        "{got}.",
        "Look at what is put into the list: a tensor each time, and no number, pair or function?",
    ),
    "sizes_in_brackets": (
        "`{name}` takes its sizes together, in brackets, and `{argument}` is one number here.",
        "One size is written (n,), several (a, b). Are the arguments in the right order?",
    ),
    "arguments_exchanged": (
        "`{name}` stands where `{signature}` takes `{takes}`.",
        "Put the arguments in that order, or give each by its name: name=value.",
    ),
    "no_source_of_chance": (
        "A generator is seeded from the operating system here, and what is checked cannot ask it.",
        "Nobody could repeat such numbers. Use the generator that is given; where none is, torch's "
        "own functions draw from the global one without being told.",
    ),
    "bmm_axes": (
        "torch.bmm multiplies matrices of exactly three axes, and here are more, or fewer.",
        "@ (torch.matmul) takes any number of axes before the last two.",
    ),
    "finfo_of_others": (
        "torch.finfo knows the floating dtypes, and here it is asked for another, such as bool.",
        "Ask for the dtype of what the number is put into, torch.finfo(dtype), not for a mask's.",
    ),
    "super_without_brackets": (
        "`super` is called, and then its method: the brackets are missing.",
        "Write super().__init__().",
    ),
    "truth_for_number": (
        "`{name}` wants True or False for `{argument}`, and is given a number.",
        "Are two arguments exchanged? In F.dropout(x, p, training) the share comes first.",
    ),
    "argument_of_kind": (
        "`{name}` wants {wanted} for `{argument}`, and is given a value of type {got}.",
        "Are the arguments in the order of its documentation? A size is x.shape[-1] (not x); one "
        "number out of a tensor is int(x) or x.item().",
    ),
    "probability": (
        "A share of what is dropped or drawn lies between 0 and 1, and this one does not.",
        "Are the arguments in the right order? Is it in percent, or a size in the share's place?",
    ),
    "step_backwards": (
        "A tensor cannot be gone through backwards by a step of -1.",
        "x.flip(-1) turns the last axis round. A list can: values[::-1].",
    ),
    "arange_ends": (
        "torch.arange goes from its first number to just before its second, and here the second "
        "cannot be reached.",
        "Print both, and the step. Downwards, the step is negative: torch.arange(n, 0, -1).",
    ),
    "masked_fill_value": (
        "masked_fill writes one number, and is given a tensor of several.",
        "To choose between two tensors place by place: torch.where(mask, a, b).",
    ),
    "multinomial_draws": (
        "More is drawn from a row than it holds, without putting back.",
        "How many are drawn each time: num_samples=1? A row of shares is as long as the "
        "vocabulary. What was drawn is put back with replacement=True.",
    ),
    "nothing_to_join": (
        "The list whose tensors are to be joined is empty.",
        "Is it filled before this line? Print its length: a loop may not have run, or a `return` "
        "may stand too far to the right.",
    ),
    "vectors_only": (
        "This is done with vectors, and the tensor has more axes.",
        "x[:, None] * y[None, :] multiplies everything with everything; table[ids] takes ids of "
        "any shape.",
    ),
    "ragged": (
        "Rows of different lengths make no tensor.",
        "Fill the short ones up to one length first, or keep a list.",
    ),
    "makes_no_tensor": (
        "torch makes tensors of numbers, and here a value of type {got} is among them.",
        "Print what stands in the brackets: numbers, or lists of numbers?",
    ),
    "einsum": (
        "The letters of this einsum do not fit its tensors.",
        "One letter for each axis, a comma between two tensors, and behind -> only letters that "
        "stand before it. ... stands for any axes in front.",
    ),
    "fans": (
        "This way to set weights at random is for matrices, and here it is given a vector.",
        "Leave out biases and gains: those begin as zeros and ones.",
    ),
    "asks_for_gpu": (
        "A GPU is asked for, and torch has none here.",
        "Take the device of what comes in: x.device.",
    ),
    "gpu_gave_up": (
        "The GPU gave up: most often an index points beyond what it is to index.",
        "It does not say where. On the CPU the same call names the line and the index.",
    ),
    # Modules and what they hold.
    "modules_called": (
        "nn.{owner} holds modules and cannot be called itself.",
        "Go through it: for layer in self.layers: x = layer(x).",
    ),
    "no_forward": (
        "A `{owner}` is called, and it has no `forward`.",
        "Is the name spelt `forward`? Does it stand in the class, as far to the right as __init__?",
    ),
    "modules_listed": (
        "A container of modules is given something that is no module.",
        "nn.ModuleList takes one list, nn.Sequential the modules themselves (of a list: "
        "nn.Sequential(*layers)). A module is made with brackets: nn.ReLU(), not nn.ReLU or "
        "F.relu.",
    ),
    "place_of_module": (
        "`{name}` is a {slot} of the module, and something else is put in its place.",
        "Give what is new another name. Values of a parameter or a buffer are changed with "
        ".copy_(...), of a parameter within torch.no_grad().",
    ),
    "taken_name": (
        "The module has a `{name}` already, and a buffer or a parameter is to get the same name.",
        "Register it once, under a name of its own, and do not set self.{name} before.",
    ),
    "optimizer_of_nothing": (
        "The optimizer is given no parameters.",
        "model.parameters() lists what is wrapped in nn.Parameter, or lies in modules that are "
        "set on self or in an nn.ModuleList; a plain list hides them. A generator that was gone "
        "through before is empty.",
    ),
    "optimizer_of_model": (
        "The parameters are wanted here, and it is given the model itself or something else.",
        "Give it model.parameters().",
    ),
    "not_a_state": (
        "load_state_dict wants a dict of names and tensors.",
        "Give it what .state_dict() returned: with its round brackets.",
    ),
    # All the rest that is not called as torch wants it.
    "combination_of_nothing": (
        "`{name}` is called with nothing in its brackets.",
        "The message lists, behind `expected one of`, what it takes.",
    ),
    "combination": (
        "`{name}` cannot be called with these: {got}.",
        "The message lists, behind `expected one of`, what it takes: compare number, order and "
        "kind.",
    ),
}
