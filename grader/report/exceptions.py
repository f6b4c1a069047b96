"""What is said of common exceptions: what it means and what to try, by kind of cause.

``{sizes}`` is what the page calls the sizes in the message, ``{raised}`` where it was raised and in
which words. Beside it stands the learner's own line.
"""

from __future__ import annotations

from collections.abc import Mapping

from grader.report.call_exceptions import OF_CALLS
from grader.report.python_exceptions import OF_PYTHON
from grader.report.told import Told

# Kind: what it means, what to try.
_OF_TENSORS: Mapping[str, tuple[str, str]] = {
    # A module that torch does not know yet.
    "no_super_init": (
        "nn.Module has not been set up: its own __init__ was never called.",
        "Begin __init__ with super().__init__(), before anything is set on self.",
    ),
    "no_parameter": (
        "`{name}` is a parameter, and a plain tensor was put in its place.",
        "Wrap it: self.{name} = nn.Parameter(...). What nobody learns begins as a buffer instead, "
        "with register_buffer.",
    ),
    "state_dict": (
        "The names or shapes of the weights are not those that the module has.",
        "Compare the names in the message with those that the class's docstring lists.",
    ),
    # Several values where one is meant.
    "named_pair": (
        "{name}() along an axis returns two tensors, `.values` and `.indices`; here the pair is "
        "used as if it were one tensor.",
        "Take .values (or [0]) of it. For a maximum alone, amax(dim, keepdim=True) returns one "
        "tensor.",
    ),
    "named_pair_with_helper": (
        "{name}() along an axis returns two tensors, `.values` and `.indices`; here the pair is "
        "used as if it were one tensor.",
        "Here tensors and arrays come, and amax does the same for both: `{helper}(x).amax(x, "
        "axis=-1, keepdims=True)`, with x what it is taken of.",
    ),
    "pair_for_tensor": (
        "A tuple or list is used here as if it were one tensor.",
        "If a call in this line, or the one that made the value, returns several things, take the "
        "first with [0] or unpack them: y, weights = f(...). nn.MultiheadAttention returns its "
        "output and its weights; max and sort along an axis return values and indices.",
    ),
    "unpacked": (
        "On the left stand more or fewer names than there are values on the right.",
        "Print what stands on the right: the .shape of a tensor (2, 3, 4) holds three sizes.",
    ),
    "shape_too_short": (
        "The tensor has fewer axes than this line asks for.",
        "May it have any number of axes before the last ones? Then count from the end, "
        "x.shape[-1], and let operations work on all axes before it at once.",
    ),
    "unpacked_call": (
        "The call on the right gives back more or fewer things than there are names on the left.",
        "What does it return when it is called like this? Some things come only with an option, "
        "such as need_weights=True, and a tensor under several names is taken apart into its rows.",
    ),
    "unpacked_shape": (
        "The names on the left are more or fewer than the tensor has axes.",
        "May it have any number of axes before the last ones? Then `*lead, T, d = x.shape` takes "
        "them all, x.shape[-1] is the last, and axes are counted from the end, -1 and -2.",
    ),
    # What stands where its result, one of its sizes or its power is meant.
    "exponent": (
        "^ is no power in Python: it compares bits, or truth values.",
        "A power is written **, as in x ** 2 or n ** 0.5.",
    ),
    "layer_for_tensor": (
        "A layer, or another object, stands here where a tensor is meant.",
        "A layer is called, with round brackets: layer(x) is its result. Its matrix alone is "
        "layer.weight.",
    ),
    "class_for_layer": (
        "`{name}` stands for the class here, and calling a class makes a layer: what comes back is "
        "no tensor.",
        "Line {set_at}, `{set}`, lacks a pair of brackets: with {name}() it keeps a layer, which "
        "can then be called with a tensor.",
    ),
    "shape_for_size": (
        "A shape, which is several numbers, stands here where one number is meant.",
        "Choose one of them: x.shape[-1] is the size of the last axis.",
    ),
    "product_with_number": (
        "One side of this product is a single number, and @ multiplies rows and matrices.",
        "Should a row stand here? Then look at how it begins, or at what took its axis away. "
        "By a single number multiply with *.",
    ),
    "dot_of_matrices": (
        "torch.dot multiplies one row with another, and here are tensors with more axes.",
        "@ (torch.matmul) is the product of matrices.",
    ),
    "parts_not_listed": (
        "torch wants the parts in a list or tuple, and gets something else ({got}).",
        "Put square brackets around them: torch.cat([f(x) for x in parts], dim=-1).",
    ),
    "text_for_number": (
        "A text stands among the arguments where torch wants a number or a tensor.",
        'Leave the quotation marks out; minus infinity is -torch.inf, or float("-inf").',
    ),
    "name_before_equals": (
        "A name before = in this call is none that torch's function knows.",
        "Compare each of them with what the message lists behind `expected one of`.",
    ),
    "two_sizes_left_open": (
        "More than one of the new sizes is -1, and torch can find out only one of them.",
        "Write the others as numbers, taken from the shape of the tensor that is reshaped.",
    ),
    "parameter_of_number": (
        "nn.Parameter is given a number, and it takes the tensor that it begins with.",
        "Make that tensor first, of the shape that the page says: nn.Parameter(torch.rand(2, 3)).",
    ),
    # None.
    "no_return": (
        "Something in this line is None: your `{name}` never returns a value.",
        "End `{name}` with return.",
    ),
    "none": (
        "Something in this line is None.",
        "If it comes from a function of yours, look for a `return` that is missing; if it is an "
        "argument that may be None, such as a mask, ask `if mask is not None` first.",
    ),
    "none_as_gradient": (
        "`.grad` is None here: so it is before the first backward(), and of whatever took no part "
        "in it.",
        "Ask `if p.grad is not None` before you use it. To empty it, set it to None; zero_() needs "
        "a tensor.",
    ),
    "none_given": (
        "`{name}` is None here.",
        "It is an argument that may be left out: ask `if {name} is not None` before you use it.",
    ),
    "none_on_self": (
        "`{name}` is None here, as `{set}` in line {set_at} makes it.",
        "What uses it wants what it was before. Is it to be made anew there, or left as it is?",
    ),
    # Sizes that do not fit.
    "matmul_transposed": (
        "The two sides of this product do not fit: the left has {inner} columns, the right "
        "{outer} rows, and the two numbers must be the same.{sizes}",
        "Are both sides those that the page's formula names? If so, a transpose is missing: the "
        "right side would fit with {turned}.",
    ),
    "matmul_turned": (
        "The two sides of this product do not fit: the left has {inner} columns, the right "
        "{outer} rows, and the two numbers must be the same.{sizes}",
        "The right side is transposed here, and without that it would fit. The weight of an "
        "nn.Linear, stored as (out, in), wants a transpose; a matrix (in, out) wants none.",
    ),
    "matmul_of_linear": (
        "The two sides of this product do not fit: the left has {inner} columns, the right "
        "{outer} rows, and the two numbers must be the same.{sizes}",
        "The weight of an nn.Linear is stored as (out, in): the layer computes x @ weight.T + "
        "bias.",
    ),
    "matmul_other": (
        "The two sides of this product do not fit: `{left}` has {inner} columns, `{right}` {outer} "
        "rows, and the two numbers must be the same.{sizes}",
        "With `{name}` in the place of `{right}` the sizes would fit: are the two exchanged?",
    ),
    "matmul_of_names": (
        "The two sides of this product do not fit: `{left}` has {inner} columns, `{right}` {outer} "
        "rows, and the two numbers must be the same.{sizes}",
        "Compare both shapes with those on the page. One that is another was made with a wrong "
        "size: look where it is made first. If both are right, a transpose is missing ({turned}), "
        "or the sides are in the wrong order.",
    ),
    "matmul_in_layer": (
        "A layer is handed {inner} features, and was made for {outer}: its weight turns {outer} "
        "into {columns}.{sizes}",
        "Which layer in this line is that? Either what it is handed has another last axis than is "
        "meant, or __init__ made it with other sizes: nn.Linear(in, out).",
    ),
    "matmul_alike": (
        "The two sides of this product do not fit: `{left}` and `{right}` are of one shape.{sizes}",
        "Is every element to be multiplied with the one at its place? That is `{left} * {right}`; "
        "@ is the product of matrices, and for it one side is to be transposed: {turned}.",
    ),
    "matmul_left": (
        "The two sides of this product do not fit: the left has {inner} columns, the right "
        "{outer} rows, and the two numbers must be the same.{sizes}",
        "Are the two sides in the wrong order? Turned round they fit: the order of a product "
        "matters. Or is a transpose missing on the left?",
    ),
    "matmul": (
        "The two sides of this product do not fit: the last axis of the left has {inner}, the last "
        "but one of the right {outer}, and the two numbers must be the same.{sizes}",
        "Write down the shapes of both sides: (…, n, k) @ (…, k, m) is (…, n, m). Look for a "
        "missing transpose ({turned}), two sides in the wrong order, or a layer that was made with "
        "other sizes.",
    ),
    "matmul_unsized": (
        "The two sides of this product do not fit: the axis that is summed over must have one "
        "size on both sides.{sizes}",
        "Write down the shapes of both sides, axis by axis.",
    ),
    "broadcast": (
        "Two tensors meet whose shapes do not fit: in one place one has {a}, the other {b}.{sizes}",
        "Compare both shapes from the last axis backwards: sizes must be "
        "equal, or one of them 1. A sum, mean or maximum keeps its axis with keepdim=True, gather "
        "keeps that of its index; unsqueeze adds one of size 1, squeeze(dim) takes it away.",
    ),
    "broadcast_axis_lost": (
        "`{name}` has an axis less than `{whole}`, and they do not fit: in one place one has {a}, "
        "the other {b}.{sizes}",
        "Where `{name}` is made, keep the axis that goes: sum, mean, amax, any and their kin do so "
        "with keepdim=True, and [:, :1] does in place of [:, 0]. unsqueeze(dim) puts it back.",
    ),
    "broadcast_two_rows": (
        "`{left}` and `{right}` are rows of different lengths, which cannot be taken pair by "
        "pair.{sizes}",
        "Is each of the one to meet each of the other? Then one of them stands as a column, "
        "`{left}`[:, None], and the result is a table. Otherwise one of them has a wrong length.",
    ),
    "broadcast_keepdim_of_own": (
        "Two tensors meet whose shapes do not fit: in one place one has {a}, the other {b}.{sizes}",
        "`{name}` takes keepdim=True: what it returns then keeps its axis, with size 1, and fits "
        "what it was made from.",
    ),
    "broadcast_copied": (
        "What is copied into `{name}` has another shape: in one place one has {a}, the other {b}."
        "{sizes}",
        "copy_ writes into what is there, and its size stays. Where the new one is larger or "
        "smaller, let the name stand for that: `{name} = ...`.",
    ),
    "broadcast_picked_all": (
        "Two tensors meet whose shapes do not fit: in one place one has {a}, the other {b}.{sizes} "
        "`{name}` comes from line {set_at}, `{set_line}`, which takes all of `{picks}` for every "
        "row of `{asked}`.",
        "One number for each row, at its own place, is {asked}.gather(-1, "
        "{picks}.unsqueeze(-1)).squeeze(-1).",
    ),
    "broadcast_in_product": (
        "Two tensors meet whose shapes do not fit: in one place one has {a}, the other {b}.{sizes}",
        "Write down both shapes: with @ the axes before the last two must be equal, or one of them "
        "1. unsqueeze adds one; .T turns all axes round, .transpose(-2, -1) only the last two.",
    ),
    "broadcast_empty": (
        "Two tensors meet whose shapes do not fit: in one place one has {a}, the other {b}.{sizes}",
        "A part with 0 of them is empty, for it begins at or behind the end. An end below 0 counts "
        "from the back, so `x[:-1]` is not empty: all but the last. Which part is meant here, and "
        "is there something to be done at all?",
    ),
    "broadcast_mask": (
        "The mask has another shape than what it is used on: in one place one has {a}, the other "
        "{b}.{sizes}",
        "Compare both shapes. A mask's last two axes are (queries, keys): it is cut to these "
        "lengths, or made for them, and they are taken from the right axes of the input.",
    ),
    "broadcast_mask_of_other_axes": (
        "The mask has another shape than what it is used on: in one place one has {a}, the other "
        "{b}.{sizes} Line {set_at}, `{set_line}`, gives `{name}` other axes than it came with.",
        "Are these axes in their right places? A mask broadcasts as it comes: its last two axes "
        "are (queries, keys), and the axes in front of them are counted from the back.",
    ),
    "broadcast_transposed": (
        "Two tensors meet whose shapes do not fit: in one place one has {a}, the other {b}.{sizes}",
        "Which axes does the transpose in this line exchange? In a product of batches only the "
        "last two are, .transpose(-2, -1); .T and transpose(0, 1) move the batch as well.",
    ),
    "broadcast_by_star": (
        "Two tensors meet whose shapes do not fit: in one place one has {a}, the other {b}.{sizes}",
        "* multiplies number by number. Is the product of matrices meant? That is @. Otherwise "
        "compare both shapes from the last axis backwards: sizes must be equal, or one of them 1.",
    ),
    "broadcast_shapes_by_star": (
        "Two arrays are multiplied number by number, and their shapes do not fit.{sizes}",
        "Is the product of matrices meant? That is @. Otherwise compare the shapes from the last "
        "axis backwards: sizes must be equal, or one of them 1.",
    ),
    "written_shape": (
        "An array of shape ({shape}) is written into a place of shape ({target}).",
        "What stands on the left, and what is written there, must have the same shape: look at the "
        "slice, and at the sizes that the array was made with.",
    ),
    "written_rows": (
        "A tensor of shape ({shape}) is written into rows of shape ({target}).{sizes}",
        "x[rows] = y writes y into these rows; y = x[rows] takes them. Which of the two is meant?",
    ),
    "grows_in_place": (
        "A tensor that is changed in place would become larger, which it cannot.{sizes}",
        "Compare both shapes. Do the two belong together? If so, make a new tensor: x = x + y in "
        "place of x += y, x.add(y) in place of x.add_(y).",
    ),
    "broadcast_shapes": (
        "Two arrays are combined number by number, and their shapes do not fit.{sizes}",
        "Compare the shapes from the last axis backwards: sizes must be equal, or one of them 1. A "
        "sum or maximum keeps its axis with keepdims=True.",
    ),
    "view_size": (
        "The new shape holds another number of elements than the tensor has.{sizes}",
        "Multiply the new sizes: the product must be the number of elements. To split an axis of "
        "size d_model into heads, its two new sizes multiply to d_model. Is each size taken from "
        "the tensor that is reshaped? Values may be of another width than queries.",
    ),
    "view_stride": (
        "The axes were moved (transpose, permute), and .view cannot merge axes that do not lie "
        "beside each other in memory.",
        "Use .reshape(...), or .contiguous() before .view(...). Check that you mean to merge these "
        "two axes.",
    ),
    "expand": (
        "A tensor of shape ({shape}) cannot be stretched to ({target}): only an axis of size 1 can "
        "be.{sizes}",
        "Compare the two shapes from the last axis backwards. In `x[...] = y` the right side is "
        "stretched to the left one: which of the two has the wrong size? If it is a mask, is it "
        "the one that is meant here, and are query and key (or the two lengths) in the right "
        "order?",
    ),
    "written_slice": (
        "What is written here has the shape ({shape}), and its place in `{name}`, which is "
        "{whole}, the shape ({target}).{sizes}",
        "Look at the line in which `{name}` is made: are its sizes, and their order, those of what "
        "it is to hold? If they are, the slice takes another part of it.",
    ),
    "written_nowhere": (
        "What is written here has the shape ({shape}), and its place in `{name}`, which is "
        "{whole}, the shape ({target}): no place at all.{sizes}",
        "A slice is empty that does not end behind its beginning. Its end is a place, and no "
        "count: of n numbers from a on it is a:a + n.",
    ),
    "expand_axes": (
        "A tensor is stretched to a shape with fewer axes than it has.",
        "Give a size for every axis; -1 leaves one as it is.",
    ),
    "place_axes": (
        "What is written has more axes than the place that it is written to.",
        "A single number in brackets takes its axis away and holds one: for several write "
        "start:end, which keeps the axis.",
    ),
    "joined": (
        "Tensors that are joined must have the same sizes along all other axes.{sizes}",
        "Compare the shapes of all parts. cat joins along an axis that is there, stack makes a new "
        "one.",
    ),
    "joined_axes": (
        "Tensors that are joined must have as many axes: here one has {a}, the other {b}.{sizes}",
        "unsqueeze(dim) adds an axis of size 1 where one is missing.",
    ),
    "stacked": (
        "Tensors that are stacked must have the same shape: here one has {a}, another {b}.{sizes}",
        "Compare all their shapes. A slice that reaches beyond the end is shorter than the others.",
    ),
    "split": (
        "The sizes of the parts do not sum to the size of the axis.{sizes}",
        "The parts must sum to the size of the axis, and `dim` must name that axis.",
    ),
    "tensor_for_sizes": (
        "This function of torch wants the sizes of a new tensor; here it was given a tensor.",
        "Hand over the shape: x.shape and not x.",
    ),
    "norm_shape": (
        "The norm was made for another width than that of the tensor it is given.{sizes}",
        "nn.LayerNorm(d) acts on a last axis of size d: look at where it was made, and at what is "
        "handed to it.",
    ),
    "mask_shape": (
        "The mask has another shape than what it is used on.{sizes}",
        "Indexing with a mask does not broadcast it: masked_fill and torch.where do, so one mask "
        "may stand for many rows. If its own sizes are wrong: its last two axes are (queries, "
        "keys).",
    ),
    "mask_of_torch": (
        "nn.MultiheadAttention takes masks of other shapes, (Tq, Tk) or (B * H, Tq, Tk), and in "
        "the other sense: True = may not attend.",
        "Turn the mask round (~mask) and bring it into one of these shapes.",
    ),
    "heads_width": (
        "The width cannot be split evenly into so many heads.",
        "Are d_model and the number of heads in the right order?",
    ),
    "negative_size": (
        "A size came out negative ({size}).",
        "Print the sizes it is computed from.",
    ),
    # Axes.
    "dimension": (
        "There is no axis {dim}: this tensor has the axes {first} to {last}.",
        "Count from the end (-1 is the last axis), then further axes in front do no harm. Has an "
        "axis been lost before, by a sum without keepdim or by an index?",
    ),
    "few_axes": (
        "This is done along more axes, or others, than the tensor has.",
        "Look at its shape. Within [ ], a comma goes on to the next axis, and "
        "a piece of one axis is from:to. -1 and -2 are the last two axes, however many there are.",
    ),
    "few_axes_of_sum": (
        "This is done along more axes than `{name}` has. It comes from line {set_at}, "
        "`{set_line}`, which takes an axis away.",
        "Keep that axis, with size 1: keepdim=True, in numpy keepdims=True. Then it fits however "
        "many axes there are, and none is put in by hand.",
    ),
    "few_axes_of_call": (
        "This is done along more axes than `{name}` has. It comes from line {set_at}, "
        "`{set_line}`.",
        "Which shape is `{called}` to return there by its page, and which does it return? It is "
        "to be mended where an axis is lost.",
    ),
    "axis_twice": (
        "The same axis is named twice.",
        "permute names every axis once: (0, 2, 1, 3) exchanges the two in the middle.",
    ),
    "index": (
        "An embedding (or index_select, gather) was asked for a row that it does not have.",
        "Rows are counted from 0 to one less than how many there are. Where do the numbers come "
        "from, and is it the right table that is asked? (Of embeddings: vocab_size rows for "
        "tokens, block_size rows for positions.)",
    ),
    "topk_range": (
        "topk is asked for more values than the axis has.",
        "Take the smaller of the two numbers, k and the size of the axis of the very tensor that "
        "topk is given: of a flattened one that is numel().",
    ),
    "multinomial_negative": (
        "torch.multinomial draws by shares: finite numbers, none of them below 0.",
        "Logits become shares by a softmax along the last axis. If it is taken already: is "
        "everything -inf in a row?",
    ),
    "multinomial_axes": (
        "torch.multinomial takes one row, or a matrix of rows, and this tensor has more axes.",
        "Reshape to (-1, V) before, and its result to the shape that is wanted.",
    ),
    "number_for_tensor": (
        "A Python number stands where torch wants a tensor.",
        "math.sqrt, math.exp and so on are for numbers. A sum over an empty list is a number too: "
        "the 0 that sum begins with.",
    ),
    "class_below_zero": (
        "one_hot makes a row for each class from 0 on, and here is a number below 0.",
        "Does this number stand for 'nothing here', as -100 does? Then put a valid place there "
        "first (masked_fill, clamp), and leave out afterwards what came of it.",
    ),
    "batch_norm_of_one": (
        "nn.BatchNorm takes mean and variance over all tokens of a batch, and here is one token.",
        "A norm of each token by itself is nn.LayerNorm.",
    ),
    "written_into_view": (
        "This line writes into a tensor of the caller's, of which several places are one and the "
        "same number.",
        "Leave inputs as they are: make a new tensor, x = x * y in place of x *= y, masked_fill or "
        "torch.where in place of x[...] = y.",
    ),
    "index_of_positions": (
        "A table of positions was asked for a row that it does not have.",
        "Here it is asked with the tokens' numbers. Positions are 0 to T - 1, whatever the tokens "
        "are: torch.arange(T, device=...), with T the number of tokens.",
    ),
    "index_of_the_whole": (
        "There is no place {index} on an axis of size {size}: `{name}` is one number for the whole "
        "tensor.",
        "argmax and argmin without dim count through all numbers. With dim=-1 they give one place "
        "for each row.",
    ),
    "matmul_row_left": (
        "The two sides of this product do not fit: on the right stands one row.{sizes}",
        "A row times a matrix is row @ matrix: the row stands on the left.",
    ),
    "index_below_zero": (
        "There is no place {index} on an axis of size {size}.{sizes}",
        "Does this number stand for 'nothing here', as -100 does? Then put a valid place there "
        "first (masked_fill, clamp), and leave out afterwards what came of it.",
    ),
    "indices_paired": (
        "Indices that stand side by side, as in x[i, j], are taken in pairs, and these do not fit.",
        "Compare the shapes of both: they must be equal, or broadcast. One place of every row, "
        "however many axes come before it, is read by gather(-1, places.unsqueeze(-1)), and "
        "changed by scatter or scatter_add.",
    ),
    "index_of_axis": (
        "There is no place {index} on an axis of size {size}: places are counted from 0.{sizes}",
        "Follow the index back to where it is made: from the size of which axis is it counted, and "
        "is it this one?",
    ),
    "index_of_one_for_all": (
        "Axis {axis} of `{name}` has size 1 here, so it has no place {index}.{sizes}",
        "An axis of size 1 stands for all there are, as in a mask that is the same for every head. "
        "Broadcasting takes care of that; who takes one place after another takes place 0 each "
        "time, or gives the axis its full size first: `{name}.expand(...)`.",
    ),
    "index_from_the_front": (
        "There is no place {index} on an axis of size {size}: `{name}` has more axes than stand "
        "between [ ], so these are its first ones.{sizes}",
        "For the last axes write ... before the comma: `{name}[..., i, j]` takes all axes before "
        "them, however many there are.",
    ),
    "index_for_each_row": (
        "There is no place {index} on an axis of size {size}: `x[:, places]` takes all these "
        "places from every row.{sizes}",
        "To take one place of each row, whatever axes come before it, use x.gather(-1, "
        "places.unsqueeze(-1)).squeeze(-1).",
    ),
    "gather_axes": (
        "gather wants an index of as many axes as the tensor that it takes from.",
        "For one place of each row give it an axis of size 1, places.unsqueeze(-1), and squeeze "
        "that axis afterwards. For the same places in all sentences expand it to the axes in "
        "front; or index, x[..., rows, columns], which needs neither.",
    ),
    "index_of_list": (
        "There is no such place in the {got}: places are counted from 0.",
        "Print the length of the {got} and the index just before this line.",
    ),
    "index_of_list_reckoned": (
        "There is no such place in the {got}: places are counted from 0. `{name}` comes from line "
        "{set_at}, `{set_line}`.",
        "Is what is reckoned there the place that is meant? Print it, and the length of the {got}.",
    ),
    "index_behind_the_last": (
        "At the last place there is no {next}: places are counted from 0, and the last one is the "
        "length minus 1.",
        "Ask whether {next} is smaller than the length before you look there, or let the loop end "
        "one place earlier.",
    ),
    # Cross-entropy.
    "loss_axes": (
        "F.cross_entropy takes the classes on axis 1, or one row of scores for every target: here "
        "the axes of the scores and of the targets do not fit.{sizes}",
        "Flatten both: F.cross_entropy(logits.flatten(0, 1), targets.flatten()) has scores "
        "(B * T, V) and targets (B * T,).",
    ),
    "loss_target": (
        "A target is {target}, and there is no score for that.",
        "Targets are ids from 0 to V - 1, or the ignore_index. Were scores and targets flattened "
        "in the same way?",
    ),
    "loss_dtype": (
        "The targets of a cross-entropy are ids, of dtype int64, or shares, one for every class.",
        "Check the order, F.cross_entropy(scores, targets), and the dtype of the targets.",
    ),
    # Numpy and the graph.
    "numpy_of_graph": (
        "A numpy function is given a tensor that needs gradients, and numpy knows none.",
        "Use torch's function of the same name. Do not detach, as the message advises: that cuts "
        "the graph, and no gradient flows back.",
    ),
    "numpy_of_graph_with_helper": (
        "A numpy function is given a tensor that needs gradients, and numpy knows none.",
        "The page gives you `{name}`: {name}(x).exp is torch's exp for tensors and numpy's for "
        "arrays. Do not detach, as the message advises: that cuts the graph, and no gradient flows "
        "back.",
    ),
    "numpy_joins": (
        "numpy is to join tensors here, and knows no gradients.",
        "torch.stack joins a list of tensors. Or is no loop needed: does one product of matrices "
        "make all rows at once?",
    ),
    "numpy_joins_with_helper": (
        "numpy is to join tensors here, and knows no gradients.",
        "`{name}(x).stack` joins a list of tensors or of arrays. Or is no loop needed: does one "
        "product of matrices make all rows at once?",
    ),
    "numpy_product": (
        "A product of numpy's, `{name}`, is given a tensor, and numpy knows none.",
        "Write the product with @, which multiplies arrays and tensors alike: a @ b. Do not "
        "detach: that cuts the graph, and no gradient flows back.",
    ),
    "array_for_tensor": (
        "A numpy array is used where a tensor is meant, or a tensor where an array is.",
        "Stay with torch for tensors and with numpy for arrays: numpy says axis and keepdims, "
        "torch dim and keepdim.",
    ),
    "array_for_tensor_with_helper": (
        "A numpy array is used where a tensor is meant, or a tensor where an array is.",
        "The page gives you `{name}`: {name}(x) is torch for tensors and numpy for arrays. Methods "
        "with axis=... and keepdims=True work for both.",
    ),
    "numpy_of_device": (
        "Only a tensor on the CPU can become a numpy array.",
        "Stay with torch's functions.",
    ),
    "generator_of_device": (
        "A torch.Generator is made here for the device of the input, and not every device has one.",
        "Hand on the generator that is given, and make no other: without one torch draws where the "
        "tensor is.",
    ),
    "no_graph": (
        "Nothing leads back from here to a tensor that needs gradients: the graph was cut.",
        "Look for detach, .data, .item, torch.no_grad or torch.tensor(...) on the way, and for "
        "parameters that are not wrapped in nn.Parameter.",
    ),
    "changed_in_place": (
        "A value that the backward pass needs was changed after it had been used.",
        "Look for functions that end in _ and for +=, *= and x[...] = on tensors, and make a new "
        "tensor instead: x = x + y.",
    ),
    "view_in_place": (
        "What another function or module returned is changed in place, and its memory is not its "
        "own.",
        "Look for +=, *=, x[...] = and functions that end in _, and make a new tensor instead: "
        "x = x + y.",
    ),
    "leaf_in_place": (
        "An input or a parameter that needs gradients is changed in place.",
        "Make a new tensor, instead of +=, *=, x[...] = or a function that ends in _. Only where "
        "weights are changed on purpose (by an optimizer, or set at the start) do it within "
        "torch.no_grad().",
    ),
    "backward_twice": (
        "A part of the graph is shared between two calls, and the first backward has freed it.",
        "Compute in forward what depends on parameters, and keep no result for the next call.",
    ),
    # Dtypes and devices.
    "two_dtypes": (
        "Two tensors with different dtypes meet here.",
        "Make what you make yourself in the dtype of the input: dtype=x.dtype, or .to(x.dtype). "
        "Is one of them a result of .float(), or made without a dtype?",
    ),
    "overflow": (
        "A number is too large for the dtype of the tensor that it is written into: float16 ends "
        "at 65504, float32 at 3.4e38.",
        'Write float("-inf") instead of a number such as -1e9, or take torch.finfo of that very '
        "tensor's dtype: torch.zeros and torch.full without a dtype make float32.",
    ),
    "index_dtype": (
        "Ids and indices are whole numbers, and here other numbers are used as such.",
        "Look at the dtype with which they were made: torch.arange without one gives whole "
        "numbers, .long() makes them. Or are two arguments in the wrong order?",
    ),
    "integers": (
        "This is not defined for whole numbers or booleans.",
        "Is a mask or an id used where numbers are meant? Otherwise make floats of it, .float().",
    ),
    "mask_minus": (
        "Boolean tensors cannot be subtracted.",
        "~mask turns a boolean mask round.",
    ),
    "no_mask": (
        "A boolean mask is expected here, and this tensor holds numbers.",
        "There are two kinds of masks: a boolean one is filled in, one that holds numbers is added "
        "to the scores. Which one is this, and which does the page allow here? A comparison such "
        "as x > 0 makes a boolean tensor.",
    ),
    "two_devices": (
        "Two tensors lie on different devices.",
        "Make what you make yourself with device=x.device, or keep it as a buffer if it belongs to "
        "a module.",
    ),
}

MEANINGS: Mapping[str, tuple[str, str]] = {**_OF_TENSORS, **OF_CALLS, **OF_PYTHON}

# What it means, where it was raised and in which words; the learner's own line; what to try.
OF_EXCEPTIONS = {
    kind: Told(f"{meaning} {{raised}}.", "", "{code}{held}", advice)
    for kind, (meaning, advice) in MEANINGS.items()
}
