"""Wrong answers to ``write_the_tests``: its page with a slip, and what the author is told."""

from __future__ import annotations

from grader.check import Bank

wrong = Bank()

MASK, SCORES, ROWS = "check_causal_mask", "check_softmax", "check_layer_norm"
ATTENTION, HEADS = "check_attention", "check_multi_head_attention"
MASKS, SOFTMAXES, NORMS = "hidden_causal_masks", "hidden_softmaxes", "hidden_layer_norms"
ATTENTIONS, MANY = "hidden_attentions", "hidden_multi_head_attentions"
ERRORS, SAME = "assertion_errors_and_nothing_else", "the_same_answer_every_time"

EQUAL = "assert torch.equal(mask, wanted), f\"wrong for {sizes}\""
SIZES = "for sizes in _SIZES:"
DTYPES = "_DTYPES = (torch.float32, torch.float64, torch.bfloat16)"
FEW = "(5,), (3,), (3, 7), (3, 9), (4, 4), (1,), (1, 6), (6, None), (300,)"

# What a test says ---------------------------------------------------------------------------------

wrong(MASK, "returns_false", "causal_mask",
    """You return False where the function is wrong. A test that returns has found no fault: raise
    an AssertionError, as assert does.""",
    EQUAL, "if not torch.equal(mask, wanted):\n            return False")

wrong(MASK, "rejects_everything", "causal_mask",
    """Your test rejects every function, right ones too. It would find every mistake, and is of no
    use: nothing could ever pass it.""",
    SIZES, f"raise AssertionError('wrong')\n    {SIZES}")

wrong(MASK, "asserts_nothing", "causal_mask",
    """You call the function and look at nothing that comes back. Such a test finds functions that
    raise, and no others.""",
    EQUAL, "str(wanted)")

wrong(MASK, "other_exceptions_come_out", f"{ERRORS} {MASKS}",
    """When the function raises a TypeError, so does your test. Catch Exception around the call, and
    raise an AssertionError from it.""",
    "raise AssertionError(f\"it raises {error!r}\") from error", "raise")

wrong(MASK, "catches_two_kinds_of_errors", ERRORS,
    """You catch ValueError and TypeError only. A wrong function may raise anything: catch
    Exception.""",
    "except Exception as error", "except (ValueError, TypeError) as error")

wrong(MASK, "asks_a_mask_for_its_dtype_at_once", ERRORS,
    """You ask what comes back for its dtype before you know that it is a tensor: None has none, and
    your test ends with an AttributeError.""",
    "isinstance(mask, Tensor) and mask.dtype", "mask.dtype")

wrong("_close", "asks_a_result_for_its_dtype_at_once", ERRORS,
    """You ask results for their dtype before you know that they are tensors: a number has none, and
    your test ends with an AttributeError.""",
    "isinstance(actual, Tensor) and actual.dtype", "actual.dtype")

wrong(MASK, "keeps_something_between_calls", SAME,
    """Your test keeps something between its own calls, so it says another thing the second time:
    begin with nothing every time.""",
    SIZES, "_SIZES.append((2,))\n    for sizes in _SIZES if len(_SIZES) % 2 else []:")

wrong(SCORES, "seeds_torch", "softmax",
    """You call torch.manual_seed, which changes the random numbers of everybody else: take a
    torch.Generator of your own, as noise does.""",
    "for x, dim in _SCORES:", "torch.manual_seed(0)\n    for x, dim in _SCORES:")

wrong(HEADS, "too_many_calls", "multi_head_attention",
    """You call the function more than 50 times. Choose inputs that show several mistakes at once,
    and leave out those that show none.""",
    "for inputs, options in _HEADS:", "for inputs, options in _HEADS * 3:")

wrong(HEADS, "inputs_too_large", "multi_head_attention",
    """Your inputs are larger than the page allows. A mistake that 40 tokens show, 4 tokens show as
    well.""",
    "(1, 1, heads)", "(1, 1, 40 * heads)")

# What is compared, and with what ------------------------------------------------------------------

wrong(MASK, "mask_compared_with_itself", "causal_mask",
    """You compare the mask with a second call of the same function: every function agrees with
    itself. The truth comes from somewhere else.""",
    "torch.equal(mask, wanted)", "torch.equal(mask, causal_mask(*sizes))")

wrong("_compare", "compared_with_itself", "softmax attention multi_head_attention",
    """The function is called too often. If it is called for the truth as well: whatever formula it
    has, it agrees with itself, and the truth must come from somewhere else. If not, a loop calls it
    more often than is needed.""",
    "truths = truth(*exact, **options)", "truths = function(*exact, **options)")

wrong(MASK, "only_the_shape", "causal_mask",
    "You look at the shape of the mask only: its values decide who sees whom.",
    "torch.equal(mask, wanted)", "mask.shape == wanted.shape")

wrong(MASK, "memory_in_order", MASKS,
    """You demand a mask that lies in memory in order. A view is as right: only values, shape and
    dtype are promised.""",
    "torch.equal(mask, wanted)", "torch.equal(mask, wanted) and mask.is_contiguous()")

wrong("_close", "nan_passes", "softmax",
    """You ask whether the difference is too large, and NaN is not larger than anything: so NaN
    passes. Ask whether it is small enough.""",
    "assert bool(far <= _TOLERANCES[dtype])", "assert not bool(far > _TOLERANCES[dtype])")

wrong("_close", "signs_cancel", SOFTMAXES,
    """You take the mean of the differences with their signs: too much in one place and too little
    in another cancel. Take the largest absolute value.""",
    "(actual - wanted).abs().max()", "(actual - wanted).mean().abs()")

wrong("_close", "tolerance_of_a_half", f"{SOFTMAXES} {NORMS}",
    """Your tolerance is so wide that nearly nothing fails. It has a reason: what right functions
    differ by, which is rounding.""",
    "torch.float32: 2e-5", "torch.float32: 0.5", "torch.float64: 2e-5", "torch.float64: 0.5")

wrong("_close", "exact_equality", "softmax layer_norm attention multi_head_attention",
    """Every right function is rejected, as by a test that allows nearly no difference: right ones
    add up in another order and round differently, so in float32 allow some 1e-5. If yours allows
    that, it expects something else than the page promises: print what comes back, and how many
    things that is, just before the line that says no.""",
    "torch.float32: 2e-5", "torch.float32: 1e-9")

wrong("_close", "bfloat16_like_float32", "softmax layer_norm attention multi_head_attention",
    """You hold bfloat16 to the tolerance of float32. It has 8 bits: two right results may be one
    percent apart.""",
    "torch.bfloat16: 3e-2", "torch.bfloat16: 2e-5")

wrong("_compare", "no_gradients", f"{SOFTMAXES} {NORMS}",
    """You compare values only. A function may compute the right numbers, and hand on a gradient
    that is wrong: then a model never learns.""",
    "_close(gradient, other.grad, x.dtype)", "pass")

wrong("_compare", "sum_before_backward", SOFTMAXES,
    """You go backward from the plain sum. Weights of a softmax always sum to one, so that gradient
    is zero for right and wrong ones alike: weight the sum with random numbers.""",
    "(result * weights).sum()", "result.sum()", "(wanted * weights).sum()", "wanted.sum()")

wrong("_compare", "demands_a_tuple", ATTENTIONS,
    """You demand a tuple. The page allows a list of the two as well: a test demands no more than
    the page says.""",
    "isinstance(results, tuple | list)", "isinstance(results, tuple)")

wrong("_compare", "demands_a_gradient_that_is_zero", "multi_head_attention",
    """You demand a gradient of b_k, which is zero: it shifts all scores of a query alike. Who
    leaves b_k out is right, and its gradient is None.""",
    "torch.zeros_like(x) if same.grad is None else same.grad", "same.grad")

wrong(MASK, "no_second_dtype", f"{SOFTMAXES} {ATTENTIONS} {MANY}",
    """All your inputs are float32. A function that always computes in float32, or fails in
    bfloat16, passes.""",
    DTYPES, "_DTYPES = (torch.float32, torch.float32, torch.float32)")

# Which inputs: masks ------------------------------------------------------------------------------

wrong(MASK, "square_masks_only", MASKS,
    """You never ask for more keys than queries. In a square nobody sees whether the mask is aligned
    at its first or at its last token.""",
    FEW, "(5,), (3,), (4, 4), (1,), (6, None), (300,)")

wrong(MASK, "each_number_of_queries_once", MASKS,
    """You ask for each number of queries once. A function that remembers a mask by q_len gives the
    old one for another k_len: ask twice.""",
    FEW, "(5,), (2, 7), (3, 9), (4, 4), (1, 6), (6, None), (300,)")

wrong(MASK, "short_masks_only", MASKS,
    """You ask for a few tokens only. Positions that are counted in eight bits go wrong after 127:
    one longer mask shows it.""",
    ", (300,)", "")

# Which inputs: softmax ----------------------------------------------------------------------------

wrong(SCORES, "one_small_matrix", f"softmax {SOFTMAXES}",
    """You try one small matrix. Overflow, other axes and other dtypes are not seen there.""",
    "for x, dim in _SCORES:", "for x, dim in [(noise(3, 3), 1)]:", "[last]", "[noise(3, 3)]")

wrong(SCORES, "last_axis_only", SOFTMAXES,
    "You only try the last axis: a function that ignores dim passes.",
    "_compare(softmax, torch.softmax, [x], dim=dim)",
    "_compare(softmax, torch.softmax, [x.movedim(dim, -1)], dim=-1)")

wrong(SCORES, "dim_always_given", SOFTMAXES,
    "You never leave dim out: a function whose default is another axis passes.",
    "_compare(softmax, lambda x: torch.softmax(x, -1), [last])",
    "_compare(softmax, torch.softmax, [last], dim=-1)")

wrong(SCORES, "small_scores_only", f"softmax {SOFTMAXES}",
    """Your scores are small. exp overflows from 89 on, and rows that lie far apart show who takes
    one maximum for all.""",
    "(300 * noise(3, 4), 1), (_ROWS + noise(3, 4), 1), ", "")

# Which inputs: layer norm -------------------------------------------------------------------------

wrong(ROWS, "bias_always_given", NORMS,
    "You never leave the bias out: None is allowed, and a function may fail there.",
    "for bias in (_BIAS, None)", "for bias in (_BIAS,)")

wrong(ROWS, "an_eps_that_nobody_feels", NORMS,
    """You always take eps = 1e-5 with rows of variance 1, where nobody feels it: take a large eps,
    0, and rows as small as eps.""",
    "(noise(3, 4), 0.0), (noise(4), 0.1), (noise(4, 4), 0.1), (noise(2, 3, 2, 4), 0.1)",
    "(noise(3, 4), _EPS), (noise(4), _EPS), (noise(4, 4), _EPS), (noise(2, 3, 2, 4), _EPS)",
    "(1e-4 * noise(3, 4), 1e-9), ", "",
    "(noise(2, 1, 4), 0.1), (noise(3, 2, 4).transpose(0, 1), 0.1)",
    "(noise(2, 1, 4), _EPS), (noise(3, 2, 4).transpose(0, 1), _EPS)",
    "_BIAS)], 0.1)", "_BIAS)], _EPS)")

wrong(ROWS, "no_rows_far_from_zero", NORMS,
    """None of your rows is far from zero. mean(x^2) - mean(x)^2 is as good as the variance there,
    and useless around 1000.""",
    "for x in _FAR:", "for x in ():")

# Which inputs: attention --------------------------------------------------------------------------

wrong(ATTENTION, "no_masks", ATTENTIONS,
    "You try hardly any masks: of every form one, and together with the other options.",
    "_ATTENTIONS += [([30 * _LARGE, *_OTHERS, mask], options) for mask, options in _MASKS]", "")

wrong(ATTENTION, "small_scores_behind_masks", ATTENTIONS,
    """Your scores are small where there are masks: then -20 forbids as well as -inf. Make them
    large, so that a forbidden key would win.""",
    "30 * _LARGE", "_LARGE")

wrong(ATTENTION, "queries_without_any_key", "attention",
    """You test a query that may attend to no key. NaN and zeros are both right there, the page
    says: leave it out.""",
    "(some_keys(4, 4), {\"scale\": 0.7})", "(some_keys(4, 4) & False, {\"scale\": 0.7})")

wrong(ATTENTION, "scale_of_zero_with_a_mask", ATTENTIONS,
    """You test a scale of 0.0 together with a mask. -inf * 0 is NaN, so whoever masks first and
    multiplies by the scale then returns NaN, and is right: leave it out, as the page says.""",
    "(some_keys(4, 4), {\"scale\": 0.7})", "(some_keys(4, 4), {\"scale\": 0.0})")

wrong(ATTENTION, "no_dropout", ATTENTIONS,
    "You never turn dropout on: whatever it does while training, you accept.",
    "for p, front, options in _DROPOUTS:", "for p, front, options in ():")

wrong(ATTENTION, "dropout_by_its_share", ATTENTIONS,
    """You count how many weights are dropped, and not which: all heads may share one draw, or two
    calls. Compare neighbours.""",
    "for axis in range(kept.ndim):", "for axis in ():")

wrong(ATTENTION, "three_axes_only", ATTENTIONS,
    "All your inputs have three axes: there may be two, four or more.",
    "for _front in [(), (2, 3), (2, 1, 2)]:", "for _front in [(2,)]:")

wrong(ATTENTION, "all_sizes_equal", ATTENTIONS,
    """Your sizes are all 4: sqrt(d_v) is sqrt(d_k) there, and a transposed matrix has the right
    shape. Take 3, 5, 7.""",
    "sizes=(5, 5, 7, 4)", "sizes=(5, 5, 5, 5)", "sizes=(3, 5, 7, 4)", "sizes=(4, 4, 4, 4)",
    "sizes=(4, 4, 3, 2)", "sizes=(4, 4, 4, 4)", "sizes=(4, 4, 7, 5)", "sizes=(4, 4, 4, 4)")

wrong(ATTENTION, "never_equal_sizes", ATTENTIONS,
    """Your sizes are never equal. A function that takes its mask for another one where two sizes
    coincide passes: have one input with equal sizes.""",
    "for _mask in (some_keys(4, 4), some_keys(4)):", "for _mask in ():")

# Which inputs: multi-head attention ---------------------------------------------------------------

wrong(HEADS, "all_biases_at_once", MANY,
    """You give all four biases or none. Each may be given alone: try them one by one.""",
    "(\"\", \"qvo\", \"k\", \"q\", \"v\", \"o\")", "(\"\", \"qkvo\")")

wrong(HEADS, "masks_of_two_axes", MANY,
    """Your masks have two axes only. With four, each sentence and each head may have its own.""",
    "some_keys(2, 1, 1, 5), some_keys(2, 2, 3, 5), ", "",
    "(some_keys(4, 4), some_keys(4, 1, 1, 4))", "(some_keys(4, 4),)",
    "some_keys(2, 3, 4, 4))", ")")

wrong(HEADS, "never_causal", MANY,
    "You never set is_causal, or never together with a mask: both must allow.",
    "{\"is_causal\": True})\n    for mask in (None, some_keys(4, 4), some_keys(2, 3, 4, 4))",
    "{})\n    for mask in (None, some_keys(4, 4), some_keys(2, 3, 4, 4))")

