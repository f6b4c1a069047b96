"""Wrong answers to ``residual``: its page with a slip, and what the author is told."""

from __future__ import annotations

from grader.check import Bank

wrong = Bank()

LAYER, INIT = "SublayerConnection", "SublayerConnection.__init__"
FORWARD = "SublayerConnection.forward"

DROPOUT = "nn.Dropout(dropout)"
BRANCH = "self.dropout(sublayer(self.norm(x)))"
PRE_NORM = f"x + {BRANCH}"
BRANCH_OF_X = "self.dropout(sublayer(x))"  # as in post-norm
SUM = f"x + {BRANCH_OF_X}"
POST_NORM = f"self.norm({SUM})"

LUCK = "every_number_has_its_own_luck"
IN_TRAINING = "nn.functional.dropout(h, dropout, self.training)"

# How far it may be written ------------------------------------------------------------------------

PRE_ONLY = ("if self.norm_first:", "if True:")

wrong.up_to(f"{FORWARD}: pre-norm", FORWARD, *PRE_ONLY)
wrong.up_to(f"{FORWARD}: pre-norm", FORWARD, *PRE_ONLY, "self.dropout(", "(")
wrong.up_to(f"{FORWARD}: post-norm", FORWARD, "self.dropout(", "(", "self.dropout(", "(")

# The formula --------------------------------------------------------------------------------------

wrong(FORWARD, "residual_from_the_normalised", "pre_norm straight_way",
    """You add the branch to norm(x). The straight way must carry x itself: it is
    x + sublayer(norm(x)), and x is not overwritten on the way.""",
    "return x", "x = self.norm(x)\n            return x", "sublayer(self.norm(x))", "sublayer(x)")

wrong(FORWARD, "residual_from_the_normalised_in_both", "pre_norm post_norm straight_way",
    """In both modes norm(x) takes the place of x, on the straight way as well: there x itself goes
    on. It is x + sublayer(norm(x)) in pre-norm, and norm(x + sublayer(x)) in post-norm.""",
    "if self", "x = self.norm(x)\n        if self", "sublayer(self.norm(x))", "sublayer(x)")

wrong(FORWARD, "pre_norm_from_the_normalised_in_post_norm", "post_norm straight_way",
    """In post-norm you normalise x at first, and use that alone, for the branch and for the sum,
    which is not normalised any more: the norm comes last, norm(x + sublayer(x)).""",
    "return self.norm(x +", "x = self.norm(x)\n        return (x +")

wrong(FORWARD, "no_residual", "pre_norm post_norm straight_way",
    "You return the branch alone: add x to it. That is what makes it a residual connection.",
    "x + ", "", "x + ", "")

wrong(FORWARD, "sublayer_never_called", "pre_norm straight_way",
    """You never call the sub-layer: what is added to x is sublayer(norm(x)).""",
    "sublayer(self.norm(x))", "self.norm(x)")

wrong(FORWARD, "post_norm_around_the_branch", "post_norm",
    """In post-norm you normalise the branch and add it to x: the norm stands around the sum,
    norm(x + sublayer(x)).""",
    POST_NORM, f"x + self.norm({BRANCH_OF_X})")

wrong(FORWARD, "post_norm_on_both_ends_of_the_branch", "post_norm calls_the_sublayer_once",
    """In post-norm you normalise what the sub-layer is given and what it returns, and x is added to
    that: there is one norm, around the sum, norm(x + sublayer(x)).""",
    POST_NORM, "x + self.norm(self.dropout(sublayer(self.norm(x))))")

wrong(FORWARD, "post_norm_of_each_part", "post_norm",
    """In post-norm you normalise x and the branch apart, and then add them: add first, and
    normalise the sum, once, norm(x + sublayer(x)).""",
    POST_NORM, f"self.norm(x) + self.norm({BRANCH_OF_X})")

wrong(FORWARD, "post_norm_without_the_sum", "post_norm straight_way",
    """In post-norm you normalise the branch alone: add x to it first, norm(x + sublayer(x)).""",
    SUM, BRANCH_OF_X)

wrong(FORWARD, "residual_twice", "pre_norm post_norm straight_way",
    "You add x twice: the sub-layer returns the branch without x, so once is enough.",
    "x + ", "x + x + ", "(x + ", "(x + x + ")

wrong(FORWARD, "branch_from_the_unnormalised", "pre_norm calls_the_sublayer_once",
    "In pre-norm you give the sub-layer x itself: give it norm(x).",
    "sublayer(self.norm(x))", "sublayer(x)")

wrong(FORWARD, "post_norm_always", "pre_norm calls_the_sublayer_once",
    """Where norm_first asks for pre-norm, x + sublayer(norm(x)), your connection is post-norm:
    norm(x + sublayer(x)).""",
    f"if self.norm_first:\n            return {PRE_NORM}\n        ", "")

wrong(FORWARD, "pre_norm_overwritten", "pre_norm calls_the_sublayer_once",
    """In pre-norm you go through both forms, and what you return is that of post-norm: put
    post-norm under else, or return the result of pre-norm at once.""",
    f"return {PRE_NORM}", f"out = {PRE_NORM}")

wrong(FORWARD, "post_norm_on_the_straight_way_only", "post_norm straight_way",
    """In post-norm you normalise x alone, and add the branch to that: the norm comes last, around
    the whole sum, norm(x + sublayer(x)).""",
    POST_NORM, f"self.norm(x) + {BRANCH_OF_X}")

wrong(FORWARD, "branch_from_the_normalised_in_post_norm", "post_norm calls_the_sublayer_once",
    "In post-norm you give the sub-layer norm(x): give it x itself, the norm comes after the sum.",
    "sublayer(x)", "sublayer(self.norm(x))")

wrong(FORWARD, "sum_not_normalised", "post_norm straight_way",
    "In post-norm you leave the norm out: it comes after the sum.",
    POST_NORM, SUM)

wrong(FORWARD, "pre_norm_always", "post_norm calls_the_sublayer_once",
    """Where norm_first=False asks for post-norm, norm(x + sublayer(x)), your connection is
    pre-norm: x + sublayer(norm(x)).""",
    POST_NORM, PRE_NORM)

wrong(INIT, "post_norm_by_default", "example",
    "Without norm_first your connection is post-norm: the default is norm_first=True.",
    "norm_first: bool = True", "norm_first: bool = False")

wrong(FORWARD, "modes_swapped", "pre_norm post_norm calls_the_sublayer_once",
    """You have the two modes the wrong way round: norm_first=True is pre-norm, with the norm at the
    beginning of the branch.""",
    "if self.norm_first", "if not self.norm_first")

wrong(FORWARD, "norm_forgotten", "pre_norm post_norm",
    """You never use the norm: it belongs at the beginning of the branch in pre-norm, and after the
    sum in post-norm.""",
    PRE_NORM, SUM, POST_NORM, SUM)

PLAIN = "nn.functional.layer_norm({0}, {0}.shape[-1:])"  # its norm without weights

wrong(FORWARD, "norm_without_its_weights", "pre_norm post_norm",
    """You normalise without self.norm: its weight and bias are never used, and learn nothing. Call
    self.norm, which holds them.""",
    "self.norm(x)", PLAIN.format("x"),
    "return self.norm(x + ", "y = (x + ", "sublayer(x)))", "sublayer(x)))\n        return "
    + PLAIN.format("y"))

wrong(FORWARD, "pre_norm_without_its_weights", "pre_norm",
    """In pre-norm you normalise without self.norm: its weight and bias are never used, and learn
    nothing. Call self.norm, which holds them.""",
    "self.norm(x)", PLAIN.format("x"))

wrong(FORWARD, "post_norm_without_its_weights", "post_norm",
    """In post-norm you normalise without self.norm: its weight and bias are never used, and learn
    nothing. Call self.norm on the sum.""",
    "return self.norm(x + ", "y = (x + ", "sublayer(x)))", "sublayer(x)))\n        return "
    + PLAIN.format("y"))

wrong(FORWARD, "norm_between_branch_and_sum", "pre_norm post_norm straight_way",
    """You normalise what the sub-layer returns, before it is added to x: the norm stands before the
    sub-layer or after the sum, never between.""",
    PRE_NORM, f"x + self.norm({BRANCH_OF_X})", POST_NORM, f"x + self.norm({BRANCH_OF_X})")

wrong(FORWARD, "pre_norm_after_the_sublayer", "pre_norm straight_way",
    """In pre-norm you normalise what the sub-layer returns: the norm comes before the sub-layer,
    which is given norm(x), x + sublayer(norm(x)).""",
    PRE_NORM, "x + self.dropout(self.norm(sublayer(x)))")

wrong(FORWARD, "norm_twice", "pre_norm post_norm straight_way",
    """You normalise twice, before the sub-layer and after the sum: norm_first chooses one of the
    two places.""",
    PRE_NORM, f"self.norm({PRE_NORM})", POST_NORM, f"self.norm({PRE_NORM})")

wrong(FORWARD, "norm_after_the_sum_in_pre_norm_too", "pre_norm straight_way",
    """In pre-norm you normalise twice, before the sub-layer and after the sum: there the sum stays
    as it is, x + sublayer(norm(x)).""",
    PRE_NORM, f"self.norm({PRE_NORM})")

wrong(FORWARD, "branch_normalised_at_both_ends", "pre_norm",
    """In pre-norm you normalise before the sub-layer, and then what it returns: what is added to x
    is that itself, x + sublayer(norm(x)).""",
    PRE_NORM, "x + self.dropout(self.norm(sublayer(self.norm(x))))")

wrong(FORWARD, "norm_on_the_straight_way_only", "pre_norm straight_way",
    """In pre-norm the norm stands on your straight way, and the sub-layer gets x itself: it is the
    other way round, x + sublayer(norm(x)).""",
    PRE_NORM, f"self.norm(x) + {BRANCH_OF_X}")

wrong(FORWARD, "averages_the_two", "pre_norm straight_way",
    "You take the average of x and the branch: add them.",
    PRE_NORM, f"({PRE_NORM}) / 2", POST_NORM, f"self.norm(({SUM}) / 2)")

wrong(FORWARD, "sum_divided_by_root_two", "pre_norm straight_way",
    """In pre-norm you divide the sum by sqrt(2), as is sometimes done to keep its variance: here
    the sum stays as it is, x + sublayer(norm(x)).""",
    PRE_NORM, f"({PRE_NORM}) / 2**0.5")

wrong(FORWARD, "sums_divided_by_root_two", "pre_norm straight_way eps_of_the_norm",
    """You divide the sum by sqrt(2), in pre-norm and in post-norm, as is sometimes done to keep its
    variance: here the sum stays as it is.""",
    PRE_NORM, f"({PRE_NORM}) / 2**0.5", POST_NORM, f"self.norm(({SUM}) / 2**0.5)")

wrong(FORWARD, "subtracts_the_branch", "pre_norm post_norm straight_way",
    """You subtract the branch from x: it is added to x, in pre-norm and in post-norm.""",
    "x + ", "x - ", "x + ", "x - ")

wrong(FORWARD, "subtracts_x", "pre_norm post_norm straight_way",
    """You subtract x from the branch: the two are added.""",
    PRE_NORM, f"{BRANCH} - x", SUM, f"{BRANCH_OF_X} - x")

wrong(FORWARD, "subtracts_in_post_norm", "post_norm straight_way",
    """In post-norm you subtract the branch from x: the norm is of their sum.""",
    SUM, f"x - {BRANCH_OF_X}")

wrong(FORWARD, "multiplies_the_two", "pre_norm post_norm straight_way",
    "You multiply x by the branch: add them.",
    "x + ", "x * ", "x + ", "x * ")

wrong(LAYER, "batch_normalisation", "pre_norm post_norm straight_way",
    """You normalise each feature over the tokens, which is batch normalisation: Add & Norm means
    layer normalisation, each token over its features.""",
    "nn.LayerNorm(d_model, eps=1e-5)", "nn.BatchNorm1d(d_model)",
    "self.norm(x)", "self.norm(x.flatten(0, -2)).view_as(x)",
    POST_NORM, f"self.norm(({SUM}).flatten(0, -2)).view_as(x)")

# How the sub-layer is used, and gradients ---------------------------------------------------------

wrong(FORWARD, "calls_the_sublayer_twice", "calls_the_sublayer_once",
    """You call the sub-layer twice: call it once and keep what it returns. Twice the work, and with
    dropout inside two different answers.""",
    "if self",
    "assert sublayer(self.norm(x) if self.norm_first else x).shape == x.shape\n        if self")

wrong(FORWARD, "keeps_the_first_sublayer", "calls_the_sublayer_once",
    "You keep the first sub-layer you were handed: use the one of the present call.",
    "if self", "sublayer = self.kept = getattr(self, 'kept', sublayer)\n        if self")

wrong(FORWARD, "adds_to_the_input_in_place", "pre_norm leaves_what_it_was_given_alone",
    "In pre-norm you add to x in place: x += branch changes the caller's tensor. Write x + branch.",
    f"return {PRE_NORM}", f"x += {BRANCH}\n            return x")

wrong(FORWARD, "adds_to_the_input_in_place_in_both", "leaves_what_it_was_given_alone",
    "You add to x in place: x += branch changes the caller's tensor. Write x + branch.",
    f"return {PRE_NORM}", f"x += {BRANCH}\n            return x",
    f"return {POST_NORM}", f"x += {BRANCH_OF_X}\n        return self.norm(x)")

wrong(FORWARD, "adds_to_the_branch_in_place", "leaves_what_it_was_given_alone",
    """In pre-norm you change in place what the sub-layer returned, as += and add_ do, and it may
    keep that for its gradient: write x + branch.""",
    PRE_NORM, f"{BRANCH}.add_(x)")

wrong(FORWARD, "adds_to_the_branch_in_place_in_post_norm", "leaves_what_it_was_given_alone",
    """In post-norm you change in place what the sub-layer returned, as += and add_ do. An identity
    returns x itself, and then you change the caller's tensor: write x + branch.""",
    SUM, f"{BRANCH_OF_X}.add_(x)")

wrong(INIT, "drops_in_place", "dropout_leaves_the_branch_alone",
    """Your dropout works in place and changes what the sub-layer returned, which it may need for
    its gradient: no inplace=True, no *= and no h[mask] = 0.""",
    DROPOUT, "nn.Dropout(dropout, inplace=True)")

wrong(FORWARD, "straight_way_detached", "gradients",
    "Your values are right, but no gradient passes along the straight way: do not detach x.",
    "x + ", "x.detach() + ", "(x + ", "(x.detach() + ")

wrong(FORWARD, "branch_detached", "pre_norm post_norm gradients",
    """Your values are right, but no gradient passes through the branch, so the sub-layer never
    learns: do not detach it.""",
    "sublayer(self.norm(x))", "sublayer(self.norm(x)).detach()",
    "sublayer(x)", "sublayer(x).detach()")

wrong(FORWARD, "norm_without_gradient", "pre_norm gradients",
    """Your values are right, but the norm is computed under no_grad: its weights never learn, and
    the gradient for x lacks the way through it.""",
    "return", "with torch.no_grad():\n                normed = self.norm(x)\n            return",
    "sublayer(self.norm(x))", "sublayer(normed)")

wrong(FORWARD, "no_single_rows", "any_number_of_axes",
    """Your connection cannot do a single row of shape (d,): the norm takes the last axis, and
    nothing else needs to know how many come before it.""",
    "if self", "tokens, width = x.shape[-2:]\n        if self")

wrong(FORWARD, "needs_three_axes", "any_number_of_axes",
    """You ask x for three sizes, and it may have fewer axes, or more: the norm takes the last one,
    however many come before it.""",
    "if self", "if x.ndim != 2:\n            batch, tokens, width = x.shape\n        if self")

# Dropout ------------------------------------------------------------------------------------------

wrong(INIT, "no_dropout", "dropout_falls_on_the_branch whole_branch_dropped",
    """In training nothing of the branch is dropped, in pre-norm at least: dropout falls on what the
    sub-layer returned, in either order.""",
    DROPOUT, "nn.Dropout(0.0)")

wrong(INIT, "drops_in_evaluation", "no_dropout_in_evaluation",
    """Your dropout also works in evaluation: F.dropout does unless you pass training=self.training.
    An nn.Dropout that is made in __init__, and kept in self, knows the mode by itself.""",
    DROPOUT, "lambda h: nn.functional.dropout(h, dropout)")

wrong(FORWARD, "drops_the_sum", "dropout_falls_on_the_branch whole_branch_dropped",
    """In pre-norm your dropout falls on the sum, and so on x: drop numbers of the branch alone,
    then add x.""",
    PRE_NORM, "self.dropout(x + sublayer(self.norm(x)))")

wrong(FORWARD, "drops_the_sum_in_post_norm", "whole_branch_dropped",
    """In post-norm your dropout falls on x too, as it does where it falls on the sum: drop numbers
    of the branch alone.""",
    SUM, "self.dropout(x + sublayer(x))")

wrong(FORWARD, "no_dropout_in_post_norm", "whole_branch_dropped fresh_dropout_at_every_call",
    "Your post-norm connection never drops anything: dropout falls on the branch in both modes.",
    BRANCH_OF_X, "sublayer(x)")

wrong(FORWARD, "drops_the_result_in_post_norm", "whole_branch_dropped",
    """In post-norm your dropout falls on the normalised result: drop numbers of the branch alone,
    before the sum.""",
    POST_NORM, "self.dropout(self.norm(x + sublayer(x)))")

wrong(FORWARD, "drops_the_input_in_post_norm", "whole_branch_dropped",
    """In post-norm your dropout falls on x: the straight way carries all of x, and dropout falls on
    the branch.""",
    SUM, "self.dropout(x) + sublayer(x)")

wrong(FORWARD, "drops_the_straight_way", "dropout_falls_on_the_branch whole_branch_dropped",
    "Your dropout falls on x instead of the branch: the straight way carries all of x.",
    PRE_NORM, "self.dropout(x) + sublayer(self.norm(x))")

wrong(FORWARD, "drops_both", "dropout_falls_on_the_branch whole_branch_dropped",
    "Your dropout falls on x and on the branch: the straight way carries all of x.",
    "x + ", "self.dropout(x) + ", "(x + ", "(self.dropout(x) + ")

wrong(FORWARD, "drops_what_the_sublayer_gets", "dropout_falls_on_the_branch whole_branch_dropped",
    """Your dropout falls on what the sub-layer is given: it must fall on what the sub-layer
    returns.""",
    BRANCH, "sublayer(self.dropout(self.norm(x)))", BRANCH_OF_X, "sublayer(self.dropout(x))")

wrong(INIT, "dropped_but_not_rescaled", "dropout_falls_on_the_branch",
    """You drop numbers of the branch but do not divide the others by 1 - p, so the branch is weaker
    in training than in evaluation.""",
    DROPOUT, "lambda h: h * (torch.rand_like(h) >= dropout) if self.training else h")

wrong(INIT, "rescaled_by_another_number", f"dropout_falls_on_the_branch {LUCK}",
    """What your dropout keeps is divided by another number than 1 - p. That is the share that is
    kept: p, by which nothing is divided, is the share that is dropped.""",
    DROPOUT,
    "lambda h: h * (torch.rand_like(h) >= dropout) / (dropout or 1.0) if self.training else h")

wrong(INIT, "rescaled_in_eval", f"dropout_falls_on_the_branch no_dropout_in_evaluation {LUCK}",
    """What your dropout keeps is not divided by 1 - p in training, and in evaluation the branch is
    changed instead: divide in training, and let dropout do nothing in evaluation.""",
    DROPOUT,
    "lambda h: h * (torch.rand_like(h) >= dropout) if self.training else h * (1 - dropout)")

wrong(INIT, "keeps_with_the_probability_to_drop", "dropout_falls_on_the_branch",
    """With dropout=0.0 nothing of your branch is left, as if `dropout` were the chance to keep a
    number: it is the chance to drop it, and nn.Dropout takes just that.""",
    DROPOUT, "nn.Dropout(1 - dropout)")

wrong(INIT, "drops_another_share", "dropout_falls_on_the_branch whole_branch_dropped",
    """You drop another share than the `dropout` that you were given: hand it to nn.Dropout as it
    is.""",
    DROPOUT, "nn.Dropout(0.1 if dropout else 0.0)")

wrong(INIT, "drops_whole_tokens", LUCK,
    """You drop numbers of a token together, or the whole token: every number of the branch must
    have a random number of its own.""",
    DROPOUT,
    "lambda h: h * nn.functional.dropout(torch.ones_like(h[..., :1]), dropout, self.training)")

wrong(INIT, "drops_the_whole_branch", LUCK,
    """You drop the branch as a whole, of one sentence or of all, or nothing of it (that is called
    stochastic depth, or DropPath): here every number is dropped on its own.""",
    DROPOUT, "lambda h: h * nn.functional.dropout(h.new_ones(()), dropout, self.training)")

wrong(INIT, "drops_whole_features", LUCK,
    "You drop the same features of every token: your mask has no number for each token.",
    DROPOUT,
    "lambda h: h * nn.functional.dropout(h.new_ones(h.shape[-1]), dropout, self.training)")

wrong(INIT, "drops_alike_in_every_sequence", LUCK,
    "Sequences of a batch lose the same numbers: draw a mask of the branch's whole shape.",
    DROPOUT,
    "lambda h: h * nn.functional.dropout(h.new_ones(h.shape[1:]), dropout, self.training)")

wrong(INIT, "divides_zero_by_zero", "whole_branch_dropped",
    """Your own dropout divides 0 by 1 - p = 0 when everything is dropped, and gives NaN: treat
    p = 1 by itself, or use nn.Dropout.""",
    DROPOUT,
    "lambda h: h * (torch.rand_like(h) >= dropout) / (1 - dropout) if self.training else h")

wrong(FORWARD, "same_mask_every_call", "fresh_dropout_at_every_call",
    "You drop the same numbers at every call: draw a new mask each time, and do not seed.",
    "if self", "torch.manual_seed(0)\n        if self")

wrong(INIT, "a_mask_for_two_calls", "fresh_dropout_at_every_call",
    """Some of your calls drop the very same numbers: keep no mask for another call, draw a new one
    each time, as nn.Dropout does.""",
    DROPOUT, """lambda h, kept=[]: h if not self.training else h * (
            kept.pop() if kept and kept[0].shape == h.shape else (
                kept.clear(), kept.append(nn.functional.dropout(torch.ones_like(h), dropout)),
                kept[0])[-1])""")

wrong(INIT, "whole_tokens_in_post_norm", LUCK,
    """In post-norm you drop numbers of a token together, or the whole token: every number of the
    branch must have a random number of its own.""",
    DROPOUT,
    f"""lambda h: {IN_TRAINING} if self.norm_first else h * nn.functional.dropout(
            torch.ones_like(h[..., :1]), dropout, self.training)""")

wrong(INIT, "not_rescaled_in_post_norm", LUCK,
    """In post-norm you drop numbers of the branch but do not divide the others by 1 - p: the branch
    is weaker in training than in evaluation.""",
    DROPOUT,
    f"""lambda h: {IN_TRAINING} if self.norm_first or not self.training else (
            h * (torch.rand_like(h) >= dropout))""")

wrong(INIT, "another_share_in_post_norm", LUCK,
    """In post-norm your dropout is another one than in pre-norm: there, too, each number of the
    branch is 0 or divided by 1 - p, with the `dropout` that you were given for p.""",
    DROPOUT,
    """lambda h: nn.functional.dropout(
            h, dropout if self.norm_first or dropout == 1 else 0.1, self.training)""")

wrong(INIT, "one_mask_for_all_heads", LUCK,
    """With four axes you drop the same numbers along the second one: draw a mask of the branch's
    own shape, however many axes it has.""",
    DROPOUT,
    """lambda h: h * nn.functional.dropout(
            torch.ones_like(h[:, :1] if h.ndim > 3 else h), dropout, self.training)""")

wrong(FORWARD, "drops_what_the_sublayer_gets_in_post_norm", LUCK,
    """In post-norm your dropout falls on what the sub-layer is given as well: it falls on what the
    sub-layer returns, and on nothing else.""",
    BRANCH_OF_X, "self.dropout(sublayer(self.dropout(x) if x.ndim > 3 else x))")

wrong(FORWARD, "drops_twice_in_post_norm", LUCK,
    "In post-norm your dropout falls on the branch twice: once is enough.",
    BRANCH_OF_X, f"self.dropout({BRANCH_OF_X})")

wrong(INIT, "seeds_when_it_is_made", "fresh_dropout_at_every_call",
    """Making a connection seeds torch's generator, or one of its own, so luck starts again with
    every one you make: nothing here needs a seed.""",
    "self.norm_first =", "torch.manual_seed(0)\n        self.norm_first =")

wrong(FORWARD, "whole_branch_dropped_in_evaluation", "no_dropout_in_evaluation",
    """After eval() your branch is another one than without dropout, with dropout=1.0 at least:
    dropout acts in training mode only.""",
    "if self", """if self.dropout.p == 1:
            return x if self.norm_first else self.norm(x)
        if self""")

wrong(LAYER, "dropout_of_the_last_one_made", "fresh_dropout_at_every_call",
    """You keep the dropout's probability where the next connection overwrites it, in the class or
    in the module: write self.p, not SublayerConnection.p.""",
    "self.norm_first =", "SublayerConnection.p = dropout\n        self.norm_first =",
    "self.dropout(", "nn.functional.dropout(training=self.training, p=self.p, input=",
    "self.dropout(", "nn.functional.dropout(training=self.training, p=self.p, input=")

# Evaluation ---------------------------------------------------------------------------------------

wrong(FORWARD, "no_norm_in_evaluation", "no_dropout_in_evaluation",
    """Your values are right in training, but in evaluation you leave the norm out: only dropout
    depends on the mode.""",
    "if self", "if not self.training:\n            return x + sublayer(x)\n        if self")

wrong(FORWARD, "pre_norm_in_evaluation", "no_dropout_in_evaluation",
    """In evaluation your post-norm connection becomes a pre-norm one: the place of the norm does
    not depend on the mode.""",
    "if self.norm_first", "if self.norm_first or not self.training")

wrong(FORWARD, "calls_it_twice_in_evaluation", "calls_the_sublayer_once",
    "In evaluation you call the sub-layer twice: call it once and keep what it returns.",
    "if self", """if not self.training:
            sublayer(self.norm(x) if self.norm_first else x)
        if self""")

# The norm -----------------------------------------------------------------------------------------

wrong(FORWARD, "only_modules_will_do", "calls_the_sublayer_once",
    """You call sublayer.train, which only a module has: anything that can be called with a tensor
    may be handed in, a function as well.""",
    "if self.norm_first:", "sublayer.train(self.training)\n        if self.norm_first:")

wrong(LAYER, "norm_of_another_name", "pre_norm post_norm norm_starts_neutral",
    """Your norm has another name: call it self.norm, so that its parameters are norm.weight and
    norm.bias.""",
    "self.norm =", "self.layer_norm =",
    "self.norm(x)", "self.layer_norm(x)", "self.norm(x", "self.layer_norm(x")

wrong(LAYER, "two_norms", "pre_norm post_norm norm_starts_neutral",
    "You keep one norm for each mode: one connection has one norm, wherever it stands.",
    "self.norm =", "self.norm_after = nn.LayerNorm(d_model)\n        self.norm =",
    "self.norm(x +", "self.norm_after(x +")

wrong(LAYER, "two_norms_the_other_way", "pre_norm post_norm norm_starts_neutral",
    """You keep a norm for pre-norm beside the one for post-norm: a connection has a single norm,
    self.norm, wherever it stands.""",
    "self.norm =", "self.norm_before = nn.LayerNorm(d_model)\n        self.norm =",
    "self.norm(x)", "self.norm_before(x)")

wrong(INIT, "norm_of_two_axes", "pre_norm post_norm norm_starts_neutral",
    """Your norm is made for two axes, (1, d_model), and so are its weight and its bias: it is over
    the last axis alone, so hand nn.LayerNorm the number d_model.""",
    "nn.LayerNorm(d_model,", "nn.LayerNorm((1, d_model),")

wrong(FORWARD, "norm_of_all_tokens_together", "pre_norm post_norm",
    """Your own norm takes one mean and one variance for all tokens: each token has its own, over
    the last axis. nn.LayerNorm(d_model) does just that.""",
    "if self.norm_first:", """def norm(h):
            spread = (h.var(unbiased=False) + self.norm.eps).sqrt()
            return (h - h.mean()) / spread * self.norm.weight + self.norm.bias

        if self.norm_first:""",
    "self.norm(x)", "norm(x)", "self.norm(x +", "norm(x +")

wrong(FORWARD, "norm_by_d_minus_1", "example pre_norm post_norm",
    """Your own norm divides the sum of the squared distances by d - 1, as var(-1) and std(-1) do of
    themselves: a layer norm divides by d, unbiased=False. nn.LayerNorm(d_model) does it by
    itself.""",
    "if self.norm_first:", """def norm(h):
            spread = (h.var(-1, keepdim=True) + self.norm.eps).sqrt()
            return (h - h.mean(-1, keepdim=True)) / spread * self.norm.weight + self.norm.bias

        if self.norm_first:""",
    "self.norm(x)", "norm(x)", "self.norm(x +", "norm(x +")

wrong(FORWARD, "norm_with_eps_outside_the_root", "eps_of_the_norm",
    """Your own norm adds eps to the root: it stands under it, (var + eps).sqrt(), which rows of
    small numbers feel. nn.LayerNorm(d_model) does it by itself.""",
    "if self.norm_first:", """def norm(h):
            spread = h.var(-1, unbiased=False, keepdim=True).sqrt() + self.norm.eps
            return (h - h.mean(-1, keepdim=True)) / spread * self.norm.weight + self.norm.bias

        if self.norm_first:""",
    "self.norm(x)", "norm(x)", "self.norm(x +", "norm(x +")

wrong(FORWARD, "norm_by_d_minus_1_with_eps_outside", "example pre_norm post_norm",
    """Your own norm is that of the Annotated Transformer: it divides the squared distances by d -
    1, as std(-1) does of itself, and its eps stands outside of the root. A layer norm divides by d,
    unbiased=False, and takes the root of var + eps: nn.LayerNorm(d_model).""",
    "if self.norm_first:", """def norm(h):
            spread = h.std(-1, keepdim=True) + self.norm.eps
            return (h - h.mean(-1, keepdim=True)) / spread * self.norm.weight + self.norm.bias

        if self.norm_first:""",
    "self.norm(x)", "norm(x)", "self.norm(x +", "norm(x +")

wrong(INIT, "norm_without_parameters", "pre_norm post_norm norm_starts_neutral",
    """Your norm has nothing to learn: it needs its weight and its bias, which nn.LayerNorm has
    unless it is told otherwise.""",
    "eps=1e-5", "eps=1e-5, elementwise_affine=False")

wrong(INIT, "root_mean_square_norm", "pre_norm post_norm norm_starts_neutral",
    "Your norm is an RMSNorm, which has no bias and leaves the mean: use a LayerNorm.",
    "nn.LayerNorm", "nn.RMSNorm")

wrong(INIT, "norm_without_bias", "pre_norm post_norm norm_starts_neutral",
    """Your norm has no bias: it learns a weight and a bias, which nn.LayerNorm has unless it is
    told bias=False.""",
    "eps=1e-5", "eps=1e-5, bias=False")

wrong(FORWARD, "keeps_the_first_sublayer_as_its_own", "norm_starts_neutral",
    """You keep the sub-layer of the first call as an attribute, and use it in every later one: each
    call uses the one that it is handed. Its parameters become the connection's own as well.""",
    "if self", "self.first = sublayer = getattr(self, 'first', sublayer)\n        if self")

wrong(FORWARD, "keeps_the_sublayer_as_its_own", "norm_starts_neutral",
    """You keep the sub-layer as an attribute, so its parameters become the connection's own: it is
    handed to each call, use it and let it go.""",
    "if self", "self.sublayer = sublayer\n        if self")

wrong(INIT, "norm_of_zeros", "norm_starts_neutral example",
    "Your norm's weight starts at zeros, so the sub-layer sees only zeros: start it at ones.",
    "self.dropout =", "nn.init.zeros_(self.norm.weight)\n        self.dropout =")

wrong(INIT, "norm_with_smaller_eps", "eps_of_the_norm",
    "Your norm has another eps than 1e-5, which rows of small numbers feel.",
    "1e-5", "1e-6")

wrong(INIT, "one_norm_for_all", "every_connection_has_its_own_norm",
    "All your connections share one norm: make a new one in every __init__.",
    "norm_first: bool = True", "norm_first: bool = True, norms={}",
    "nn.LayerNorm(d_model, eps=1e-5)", "norms.setdefault(d_model, nn.LayerNorm(d_model)).float()",
    "self.dropout =", "self.norm.reset_parameters()\n        self.dropout =")

wrong(INIT, "one_norm_for_all_as_it_is", "example every_connection_has_its_own_norm",
    """All your connections share one norm, with the dtype and the weights that it was last given:
    make a new one in every __init__.""",
    "norm_first: bool = True", "norm_first: bool = True, norms={}",
    "nn.LayerNorm(d_model, eps=1e-5)", "norms.setdefault(d_model, nn.LayerNorm(d_model))")

wrong(FORWARD, "norm_in_float32", "example leaves_what_it_was_given_alone",
    """Your result is float32 whatever comes in, and must have the dtype of x: what is computed in
    float32, as a norm may be, is to be cast back.""",
    "self.norm(x)", "self.norm.float()(x.float())",
    POST_NORM, f"self.norm.float()(({SUM}).float())")
