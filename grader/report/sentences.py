"""What is said of every kind of cause: what happened, what was expected, what came, what to do.

Between braces stand the cause's facts, as ``words`` words them, and ``place``, a line or at least a
file of the submission's; ``code``, what stands there; and ``because``, the failure behind this one.
"""

from __future__ import annotations

from collections.abc import Mapping

from grader.report.exceptions import OF_EXCEPTIONS
from grader.report.told import Told
from grader.report.workers import OF_WORKERS

_ADD_THE_FILE = ("a readable {module}.py", "", "Add the file.")

_SENTENCES: Mapping[str, Told] = {
    # A suite's own words, and those of version 1 of the report.
    "said": Told("{text}", "{expected}", "{actual}", "{advice}"),
    # What a comparison finds.
    "kind": Told(
        "{call} returned {got_kind} where {wanted_kind} was expected{at}.",
        "{wanted_kind}",
        "{got_kind}",
    ),
    "keys": Told(
        "{call} returned a dict with other keys{at}: {keys}.",
        "{wanted} keys",
        "{got} keys",
        "Compare them letter by letter with those that the page lists.",
    ),
    "returns_nothing": Told(
        "{call} returned None{at}: `{name}`, which begins in {place}, never returns a value.",
        actual="{code}",
        help="End `{name}` with return and the value that the page asks for.",
    ),
    "returns_none": Told(
        "{call} returned None{at} where {wanted_kind} was expected: on one of its ways `{name}`, "
        "which begins in {place}, returns no value.",
        actual="{code}",
        help="Follow this call through every if: each way ends with a return.",
    ),
    "none_among": Told(
        "{call} returned None{at} where {wanted_kind} was expected.",
        "{wanted_kind}",
        "None",
        "Follow that part back to the line that sets it: does every way through the page set it?",
    ),
    "none_set_inside": Told(
        "{call} returned None{at} where {wanted_kind} was expected.",
        "{wanted_kind}",
        "None",
        "Follow that part back to the line that sets it. A name that is set in an inner function "
        "is that function's own, and the one outside stays what it was: say `nonlocal`, or append "
        "to a list.",
    ),
    "returns_none_for_word": Told(
        "{call} returned None{at} where {wanted_kind} was expected: no branch of `{name}`, which "
        "begins in {place}, is for '{word}'.",
        actual="{code}",
        help="'{near}' stands there: compare the two letter by letter.",
    ),
    "value": Told("{call} returned another value{at}.", "{wanted}", "{got}"),
    "shape": Told("{call} returned shape {got}, not {wanted}{at}.", "{wanted}", "{got}"),
    "dtype": Told("{call} returned dtype {got}, not {wanted}{at}.", "{wanted}", "{got}"),
    "device": Told("{call} returned a tensor on {got}, not on {wanted}{at}.", "{wanted}", "{got}"),
    "numbers": Told("{call} returned other values{at}: {difference}.", "{wanted}", "{got}"),
    "nan": Told("{call} returned NaN{at}: {difference}.", "{wanted}", "{got}"),
    # What a property cannot be asked of.
    "not_finite": Told("{call} returned {got} among its numbers.", "finite numbers", "{got}"),
    "one_number": Told(
        "{call} returned the same number everywhere.", "numbers that differ", "{got}"
    ),
    "seen_before": Told(
        "{call} returned what it was given, unchanged.",
        "numbers of its own",
    ),
    "input_changed": Told(
        "{call} changed its input ({names}) in place.",
        "inputs as they were",
        "{names} changed",
        "Whoever calls still needs it. Make a new tensor: masked_fill in place of masked_fill_ or "
        "x[...] = ..., and x = x + y in place of x += y.",
    ),
    "seeds": Told(
        "{call} seeds torch's random generator, which belongs to whoever calls: what is drawn "
        "afterwards no longer follows from the caller's own seed.",
        help="Take torch.manual_seed (or torch.seed) out: what must be the same every time is "
        "drawn from a torch.Generator, the one you were handed or one that you seed yourself.",
    ),
    "left_on_cpu": Told(
        "{name} makes a tensor on the CPU although its input is on another device. torch says "
        "'{said}'."
    ),
    "detached": Told(
        "{call} returned a tensor through which no gradient flows back: it has left the graph, or "
        "none of what should get a gradient has a part in it.",
        "a gradient",
        "none (detached)",
    ),
    "no_gradient": Told("{call} has no gradient for {leaf}.", "a tensor", "{got_kind}"),
    "gradient_shape": Told(
        "{call} has right values, but {leaf} has shape {got}, and so its gradient, not {wanted}.",
        "{wanted}",
        "{got}",
    ),
    "gradient": Told(
        "{call} has right values, but{together} another gradient for {leaf}: {difference}.",
        "{wanted}",
        "{got}",
    ),
    "refused": Told(
        "{call} returned {refused}, which is not accepted here.",
        "a torch.Tensor, a numpy array or plain values",
        "{refused}",
        "Return the plain tensor itself.",
    ),
    "refused_key": Told(
        "{call} returned {refused}, which is not accepted here.",
        "texts or whole numbers as keys",
        "{refused}",
        "A parameter is named by its name, or by its place.",
    ),
    "exception": Told(
        "{call} returned {refused}, where it should be raised.",
        "an exception that stops the call",
        "{refused}, as if it were the answer",
        "Write `raise` in place of `return`: only then does the caller notice.",
    ),
    # What the page says is refused.
    "not_refused": Told(
        "{cases} must be refused, not accepted.",
        "a ValueError",
        "{got}",
        "Ask for that before anything is returned, with what is true at this moment, and raise "
        "ValueError.",
    ),
    "returned_by_init": Told(
        "{cases} must be refused; your __init__ returns something instead, and Python says {said}.",
        "an exception that you raise",
        "{said}",
        "Write `raise` in place of `return`.",
    ),
    "asked_in_vain": Told(
        "{cases} must be refused; `{condition}` in line {set_at} lets it through, and then another "
        "operation happens to fail, with {error}{at_place}.",
        "a ValueError that you raise",
        "{said}",
        "Is that the right question, and is what it compares with still true at this moment? "
        "Whoever changes a size must change the number that is kept of it.",
    ),
    "refused_with_another": Told(
        "{cases} must be refused with a ValueError; you raise {error}{at_place}.",
        "a ValueError that you raise",
        "{said}",
        "Raise a ValueError in its place.",
    ),
    "refused_by_accident": Told(
        "{cases} must be refused by a decision of your own; here it is another operation that "
        "happens to fail, with {error}{at_place}.",
        "a ValueError that you raise",
        "{said}",
        "Ask for that at the beginning, and raise a ValueError that says what is wrong.",
    ),
    "too_much": Told(
        "{call} returned more than there may be in an answer: {mib} MiB of numbers, and beside "
        "them {values} values or 1 MiB of text.",
        "at most {mib} MiB",
        "more than that",
        "Look for a tensor that is far larger than the inputs.",
    ),
    "undefined": Told("{module}.py defines no `{name}`.", help="Define `{name}`."),
    "parameters": Told(
        "The parameters of {type_name}{made_with} do not have the documented names and shapes: "
        "{complaints}.",
        "{wanted_parameters}",
        "{got_parameters}",
        "{remedies} Names and shapes stand in the class's docstring.",
    ),
    "unusable": Told(
        "What came back cannot be used here ({said}).", help="Check its type and shape."
    ),
    "in_parts": Told(
        "What came back cannot be used here: a tensor stands where several values should be.",
        help="Return as many values as the page says.",
    ),
    # Time and memory.
    "slow": Told(
        "It takes {about} times as long as the reference; up to {limit} times would do.",
        "at most {limit} times",
        "{ratio} times (half of the calls between {low} and {high})",
    ),
    "large": Told(
        "It needs {about} times as much memory as the reference; up to {limit} times would do.",
        "at most {limit} times",
        "{ratio} times (half of the calls between {low} and {high})",
    ),
    "wrong_when_timed": Told(
        "While it was measured it gave another answer than the reference.",
        help="Right first, then fast and lean: answer every call with its own result.",
    ),
    "works_between_calls": Told(
        "Your code goes on working between two calls: what it was asked for must be done when it "
        "returns.",
        help="Take out the thread that works in the background.",
    ),
    # What was not handed in, or cannot be read.
    "absent": Told("{module}.py is not in the submission.", *_ADD_THE_FILE),
    "other_name": Told(
        "{module}.ipynb is not in the submission, but {name} is, which was not graded.",
        help="A notebook must keep its name: rename it and hand it in again.",
    ),
    "too_large": Told("{name} is larger than {mib} MiB.", *_ADD_THE_FILE),
    "not_utf8": Told("{name} is not UTF-8 text (byte {byte}).", *_ADD_THE_FILE),
    "too_large_together": Told(
        "All files together are larger than {mib} MiB; {name} was not read.", *_ADD_THE_FILE
    ),
    "several": Told(
        "{module}.py was handed in more than once: {places}.",
        "one {module}.py",
        "",
        "Hand in the one that counts.",
    ),
    "a_link": Told("{name} is a link; links are not followed.", *_ADD_THE_FILE),
    "unreadable": Told("{name} cannot be read: {said}.", *_ADD_THE_FILE),
    "not_unpacked": Told("{name} cannot be unpacked: {said}.", *_ADD_THE_FILE),
    "loud_notebook": Told("{name} is larger than {mib} MiB: clear its outputs.", *_ADD_THE_FILE),
    "crowded_notebook": Told(
        "{name} has too many outputs or cells to be read: clear its outputs.", *_ADD_THE_FILE
    ),
    "no_json": Told("{name} is not a notebook: no JSON ({said}).", *_ADD_THE_FILE),
    "no_notebook": Told("{name} is not a notebook ({said}).", *_ADD_THE_FILE),
    "no_cells": Told("{name} is not a notebook of format 4: it has no cells.", *_ADD_THE_FILE),
    "much_code": Told("The code in {name} is larger than {mib} MiB.", *_ADD_THE_FILE),
    # Another module of the submission's.
    "needs_missing": Told(
        "{module}.py imports your `{other}`, which is not in the submission.",
        help="Add {other}.py, in the folder of {module}.py.",
    ),
    "needs_unready": Told(
        "This uses your `{other}`, which is not ready: {place} raises {said}.",
        help="Do {other} first.",
    ),
    "callers": Told(
        "Your call in {place} hands your `{other}` something that it cannot use. {because} "
        "{other}.py itself passes its checks.",
        actual="{code}",
        help="Compare what you hand over, and in which order, with what it takes: {signature}.",
    ),
    "callers_of_own": Told(
        "Your call in {place} hands your `{other}` something that it cannot use. {because} "
        "{other}.py itself passes its checks.",
        actual="{code}",
        help="Compare what you hand over, and in which order, with what it takes.",
    ),
    "callers_within": Told(
        "Your call in {place} hands your `{other}` something that it cannot use. {because} "
        "`{other}` itself passes its checks.",
        actual="{code}{held}",
        help="Compare what you hand over, and in which order, with what it takes: {signature}.",
    ),
    "pair_handed_over": Told(
        "{because} Your call in {place} hands your `{other}` several things in one, a tuple or a "
        "list, where it takes a tensor.",
        actual="{code}{held}",
        help="Which call made it, and what does that return? Of several things take the first with "
        "[0], or give each a name: y, weights = f(...).",
    ),
    "pair_returned": Told(
        "{because} Your call in {place} hands your `{other}` a function that returns several "
        "things in one, a tuple or a list, where it is to return a tensor.",
        actual="{code}{held}",
        help="Let that function return one of them: the first with [0], or give each a name, "
        "y, weights = f(...), and return y.",
    ),
    "needs_wrong": Told(
        "{module}.py uses your `{other}`, which fails {failing} of its {checks} checks: the "
        "mistake may not be in {module}.",
        "{because_expected}",
        "{because}",
        "Mend {other} first.",
    ),
    "follows_below": Told(
        "{module}.py is not to blame: this fails only because of your {others}.",
        help="Mend your {others} first.",
    ),
    # What was raised.
    "unwritten": Told(
        "Not written yet: {place} still holds {code}.",
        help="Replace that line with your solution.",
    ),
    "syntax": Told(
        "Python cannot read {place}: {message}.", actual="{code}", help="Mend that line."
    ),
    "exits": Told(
        "{place} ends the program with {message}.",
        actual="{code}",
        help="Functions return values; take the call out.",
    ),
    "killed_for_memory": Told(
        "More memory was taken in {importing} than there is for a submission ({gib} GiB).",
        help="Look for a tensor that is far larger than the inputs.",
    ),
    "memory": Told(
        "{place} asks for more memory than there is for a submission ({gib} GiB).",
        actual="{code_or_said}",
        help="Look for a tensor that is far larger than the inputs.",
    ),
    "forbidden": Told("{place}: {message}.", actual="{code}"),
    "raised": Told("The call raised {said} ({place}{inside}).", actual="{code}{held}"),
    "refused_there": Told("It refuses what it is given: {raised}.", actual="{code}{held}"),
    "refused_by_given": Told(
        "`{given}`, which the page gives, refuses what this line hands over: {said} ({place}).",
        actual="{code}{held}",
        help="Compare what you hand over with what its docstring says. Does one thing no longer "
        "belong to the other, because it was chosen, sorted or made longer meanwhile?",
    ),
    "raised_on_import": Told(
        "Importing {module}.py raised {said} ({place}{inside}).", actual="{code}"
    ),
    # Advice.
    "slow_import": Told(
        "Importing this module takes {seconds} s.",
        help="Compute in functions, not at the top of the file.",
    ),
    "uncompiled": Told(
        "There is no compiler here: what you gave to torch.compile was run as it is. That costs "
        "nothing, and says nothing about the compiled one."
    ),
    "gpu_numpy": Told(
        "Would fail on a GPU: {whose} makes a numpy array of a tensor, which only one on the CPU "
        "can become. Stay with torch's operations."
    ),
    "gpu_two_devices": Told(
        "Would fail on a GPU: {said}{at_place}. {made_there} Make it on "
        "the device of the inputs, device=x.device; draw it where its generator is, and move it, "
        ".to(x.device); or keep it as a buffer, if it belongs to a module."
    ),
    "gpu_leaves": Told(
        "{whose} takes a tensor's values to the CPU. On a GPU that waits for all work before it, "
        "and what follows is slow: stay with torch's operations, on the tensor's device. What it "
        "is written into is to be there too: in a module that is a buffer, which moves with it."
    ),
    "gpu_stays": Told("Would return a tensor on the CPU although its inputs are on a GPU."),
    # What a picture shows.
    "other_shape": Told("What came back has the shape {got}, and not {wanted}."),
    "no_tensor": Told("What came back is {got_kind}, and not a tensor."),
    "no_tensor_of_shape": Told("What came back is {got_kind}, and not a tensor of shape {wanted}."),
    "no_tuple": Told("What came back is {got_kind}, and not the tuple ({wanted})."),
    "no_dict": Told("A dict of arrays is expected, not {got_kind}."),
    "no_picture": Told("What came back cannot be drawn ({said})."),
    "no_way_back": Told("No gradient leads from the result back to the input."),
    # The examples of a page, in a notebook.
    "example_differs": Told("{source} gave something else.", "{wanted}", "{got}"),
    "example_unwritten": Told("Not written yet: {name}."),
    "example_raises": Told("{source} raised an error.", actual="{said}"),
}

SENTENCES: Mapping[str, Told] = {**_SENTENCES, **OF_EXCEPTIONS, **OF_WORKERS}
