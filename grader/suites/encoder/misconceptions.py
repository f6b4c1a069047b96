"""Wrong answers to ``encoder``: its page with a slip, and what the author is told.

The first entry that fits is the one named, so a special mistake comes before the general one that
looks like it.
"""

from __future__ import annotations

import re

from grader.check import Bank

wrong = Bank()

LAYER, STACK = "EncoderLayer", "Encoder"
MAKING, FORWARD = "EncoderLayer.__init__", "EncoderLayer.forward"
BOTH, STACKS = "post_norm pre_norm", "stack_with_a_norm stack_without_a_norm"

FIRST, SECOND = "self.residual1(x, attention)", "self.residual2(x, self.feed_forward)"
PRE, POST = "x + D(B(N(x)))", "N(x + D(B(x)))"
ASKED = "self.self_attn(y, mask=mask"
WEIGHTS = "(x, maps[0]) if need_weights else x"
NETWORK = "PositionwiseFeedForward(d_model, d_ff, "
CONNECTION = "SublayerConnection(d_model, dropout"
MADE = f"self.residual2 = {CONNECTION}, norm_first)"

FOR, STEP = "for layer in self.layers:", "x, weights = layer(x, mask, need_weights=True)"
KEPT = "if need_weights:  # maps are large: none is kept that nobody asked for"
LOOP = f"{FOR}\n            {STEP}\n            {KEPT}\n                maps.append(weights)"
RESULT, RETURN = "x if self.norm is None else self.norm(x)", "(x, maps) if need_weights else x"
NORMED = f"x = {RESULT}\n        return"
EVERY = "[x := layer(x, mask) for layer in self.layers]"

# Layers that pass no mask on, and then those that return no weights.
for step in ("post-norm", "pre-norm"):
    wrong.up_to(f"{FORWARD}: {step}", FORWARD, "mask=mask, ", "", WEIGHTS, "x")
wrong.up_to(f"{FORWARD}: with a mask", FORWARD, WEIGHTS, "x")
STACKED = LOOP, f"{FOR}\n            x = layer(x, mask)", RETURN, "x"
wrong.up_to("Encoder", FORWARD, WEIGHTS, "x", *STACKED)
wrong.up_to(f"{FORWARD}: its attention weights", STACK, *STACKED)


def written(number, branch, pre=PRE, post=POST):
    """What a connection does, written out: N is its norm, D its dropout, B the branch."""
    own = f"self.residual{number}"
    parts = {"N": f"{own}.norm", "D": f"{own}.dropout", "B": branch}
    text = f"({pre} if self.residual1.norm_first else {post})"
    return re.sub(r"\b([NDB])\(", lambda found: f"{parts[found[1]]}(", text)


def first(pre=PRE, post=POST):
    return FIRST, written(1, "attention", pre, post)


def second(pre=PRE, post=POST):
    return SECOND, written(2, "self.feed_forward", pre, post)


def both(pre=PRE, post=POST):
    return *first(pre, post), *second(pre, post)


# The stack's mask, before the layer's, which looks the same from outside --------------------------

wrong(STACK, "mask_for_the_first_layer_only", "every_layer_gets_the_mask",
    "Only your first layer gets the mask: from the second on, tokens see the padding again.",
    STEP, f"{STEP}; mask = None")

wrong(STACK, "mask_not_handed_on", "every_layer_gets_the_mask",
    "Your stack keeps the mask to itself: hand it to every layer.",
    "layer(x, mask", "layer(x")

wrong(STACK, "mask_for_the_maps_only", "every_layer_gets_the_mask maps_with_other_options",
    "Your stack hands the mask on where need_weights is asked for. Without it, every layer needs "
    "the mask too.",
    "layer(x, mask", "layer(x, mask if need_weights else None")

# The wiring ---------------------------------------------------------------------------------------

wrong(LAYER, "residual_from_the_normalised", "pre_norm straight_way",
    """In pre-norm your branches are added to norm1(x) and norm2(x): the straight way must carry x
    as it came. Norm only what a branch is given, and keep the name x for what is not normed.""",
    *both(pre="N(x) + D(B(N(x)))"))

wrong(LAYER, "no_residuals", f"{BOTH} straight_way",
    """Nothing runs past your sub-layers: add x to what attention returns, and again to what the
    feed-forward network returns.""",
    *both("D(B(N(x)))", "N(D(B(x)))"))

wrong(LAYER, "no_residual_around_the_network", f"{BOTH} straight_way",
    """Only the attention has a residual: the feed-forward network's result must be added to its
    input as well.""",
    *second("D(B(N(x)))", "N(D(B(x)))"))

wrong(LAYER, "residual_twice", f"{BOTH} straight_way",
    """Your layer adds x to what a SublayerConnection returns, which has added it already: one
    residual for each branch.""",
    FIRST, f"x + {FIRST}", SECOND, f"x + {SECOND}")

wrong(LAYER, "branch_adds_what_it_is_given", f"{BOTH} straight_way",
    """What you hand residual1 returns its own input added to the attention's result, and the
    connection adds x once more: return the attention's result alone.""",
    "return found", "return y + found")

wrong(LAYER, "both_branches_add_what_they_are_given", f"{BOTH} straight_way",
    """What you hand your connections returns its own input added to the sub-layer's result, and the
    connection adds x once more: let it return the sub-layer's result alone.""",
    "return found", "return y + found",
    "residual2(x, self.feed_forward)", "residual2(x, lambda y: y + self.feed_forward(y))")

wrong(FORWARD, "network_branch_adds_what_it_is_given", f"{BOTH} straight_way",
    """What you hand residual2 returns its own input added to the network's result, and the
    connection adds x once more: hand it the network itself.""",
    "residual2(x, self.feed_forward)", "residual2(x, lambda y: y + self.feed_forward(y))")

wrong(FORWARD, "attention_added_to_x_twice", f"{BOTH} straight_way",
    """Your layer adds x to what residual1 returns, which has added it already: one residual for
    each branch.""",
    FIRST, f"x + {FIRST}")

wrong(FORWARD, "network_added_to_x_twice", f"{BOTH} straight_way",
    """Your layer adds x to what residual2 returns, which has added it already: one residual for
    each branch.""",
    SECOND, f"x + {SECOND}")

wrong(FORWARD, "result_of_the_attention_lost", BOTH,
    """residual2 is given the layer's input, so no token learns anything of the others. Either the
    attention is never called, or what residual1 returns gets lost: hand that to residual2.""",
    f"x = {FIRST}", FIRST)

wrong(FORWARD, "results_side_by_side", BOTH,
    """Both sub-layers work on the layer's input, side by side, and you add their results: the
    network comes after the attention. Hand residual2 what residual1 has returned, and return what
    residual2 returns.""",
    f"x = {FIRST}", f"attended = {FIRST}", f"x = {SECOND}", f"x = attended + {SECOND}")

wrong(FORWARD, "branches_side_by_side", BOTH,
    """Both sub-layers work on the layer's input, side by side, and x is added once: the network
    comes after the attention. Hand residual2 what residual1 has returned.""",
    f"x = {FIRST}", f"attended = {FIRST}", f"x = {SECOND}", f"x = attended + {SECOND} - x")

wrong(FORWARD, "result_in_the_place_of_the_branch", BOTH,
    """You call a sub-layer yourself and hand its SublayerConnection the result. That one calls the
    sub-layer, in pre-norm with norm(x): hand it the function, which takes one tensor and returns
    one.""",
    FIRST, "self.residual1(x, attention(x))")

wrong(LAYER, "norm_before_the_connection", BOTH,
    """Your layer normalises x before it hands it to a SublayerConnection, which has a norm of its
    own: in pre-norm the straight way is no longer straight, in post-norm there is a norm too
    many.""",
    FIRST, "self.residual1(self.residual1.norm(x), attention)",
    SECOND, "self.residual2(self.residual2.norm(x), self.feed_forward)")

wrong(FORWARD, "norm_before_the_second_connection", BOTH,
    """Your layer normalises x once more before it hands it to residual2, which has a norm of its
    own: hand it x as residual1 returned it.""",
    SECOND, "self.residual2(self.residual2.norm(x), self.feed_forward)")

wrong(FORWARD, "norm_before_the_first_connection", BOTH,
    """Your layer normalises x once more before it hands it to residual1, which has a norm of its
    own: hand it x as it came.""",
    FIRST, "self.residual1(self.residual1.norm(x), attention)")

wrong(FORWARD, "norm_at_the_end_of_the_layer", BOTH,
    """Your layer normalises its result once more: its two connections have done all that is to be
    normalised. A last norm belongs behind the whole stack.""",
    SECOND, f"self.residual2.norm({SECOND})")

wrong(FORWARD, "network_without_its_connection", f"{BOTH} straight_way",
    """Your feed-forward network is called on x itself, without residual2: x is lost, and nothing is
    normalised. Both sub-layers go through a SublayerConnection.""",
    SECOND, "self.feed_forward(x)")

wrong(FORWARD, "attention_without_its_connection", f"{BOTH} straight_way",
    """Your attention is called on x itself, without residual1: x is lost, and nothing is
    normalised. Both sub-layers go through a SublayerConnection.""",
    FIRST, "attention(x)")

wrong(FORWARD, "sublayers_without_their_connections", f"{BOTH} straight_way",
    """Your attention and your feed-forward network are called on x themselves, past residual1 and
    residual2: nothing is added to x, and nothing is normalised. Hand each of them to its
    SublayerConnection, which calls it.""",
    FIRST, "attention(x)", SECOND, "self.feed_forward(x)")

wrong(FORWARD, "second_residual_from_the_input", BOTH,
    """You add the feed-forward branch to the layer's input x: its straight way begins at the result
    of the attention sub-layer, or that result is lost.""",
    f"x = {FIRST}", f"h = {FIRST}", *second("x + D(B(N(h)))", "N(x + D(B(h)))"))

wrong(FORWARD, "side_by_side", BOTH,
    """Attention and feed-forward network work side by side on x. They come one after the other: the
    network gets what attention has made of x.""",
    f"x = {FIRST}", f"h = {FIRST}", *second("h + D(B(N(x)))", "N(h + D(B(x)))"))

wrong(LAYER, "network_first", BOTH,
    "Your feed-forward network comes before the attention: it is the other way round.",
    SECOND, FIRST, FIRST, SECOND)

wrong(LAYER, "network_forgotten", BOTH,
    """Your feed-forward network is never called, or what residual2 returns gets lost: its matrices
    get no gradient. Give the result a name, and return that.""",
    SECOND, "x")

wrong(LAYER, "attention_forgotten", BOTH,
    "Your attention is never called: no token learns anything of the others.",
    FIRST, "x", WEIGHTS, "(x, x) if need_weights else x")

# The norms, which the connections hold ------------------------------------------------------------

wrong(LAYER, "one_norm_for_both", BOTH,
    """residual1 and residual2 are one and the same module, so the weights of their norms are tied:
    make two.""",
    MADE, "self.residual2 = self.residual1")

wrong(FORWARD, "first_norm_twice", BOTH,
    """The norm of residual1 serves both sub-layers, and that of residual2 neither: each sub-layer
    has its own.""",
    "self.residual2", "self.residual1")

wrong(LAYER, "first_norm_twice_in_post_norm", "post_norm straight_way",
    """In post-norm the norm of residual1 stands behind both sums: behind the second one it is that
    of residual2.""",
    *second(post="self.residual1.norm(x + D(B(x)))"))

wrong(LAYER, "norms_exchanged", BOTH,
    "residual1 and residual2 have changed places: residual1 belongs to the attention.",
    FIRST, "self.residual2(x, attention)", SECOND, "self.residual1(x, self.feed_forward)")

wrong(MAKING, "order_of_norms_turned_round", f"{BOTH} straight_way",
    """Your layer has the two orders the wrong way round: pre-norm where norm_first is False, and
    post-norm where it is True. Exchange them: norm_first=True is pre-norm, for your
    SublayerConnection too.""",
    *("dropout, norm_first)", "dropout, not norm_first)") * 2)

wrong(LAYER, "post_norm_always", "pre_norm straight_way",
    """Where norm_first asks for pre-norm, your layer is post-norm. Hand norm_first to both
    connections when they are made, and let each of them call its sub-layer: then they choose the
    order. Whoever writes the sums out needs both formulas.""",
    *("dropout, norm_first)", "dropout, False)") * 2)

wrong(LAYER, "pre_norm_always", "post_norm straight_way",
    """Where norm_first is False, your layer is pre-norm. A SublayerConnection that is told nothing
    is pre-norm: hand norm_first to both. Whoever writes the sums out needs both formulas.""",
    *("dropout, norm_first)", "dropout)") * 2)

wrong(LAYER, "first_always_pre_norm", "post_norm straight_way",
    """Your first connection is pre-norm whatever norm_first says: hand norm_first to both.""",
    f"self.residual1 = {CONNECTION}, norm_first)", f"self.residual1 = {CONNECTION})")

wrong(LAYER, "second_always_pre_norm", "post_norm straight_way",
    """Your second connection is pre-norm whatever norm_first says: hand norm_first to both.""",
    MADE, f"self.residual2 = {CONNECTION})")

wrong(MAKING, "pre_norm_by_default", "post_norm",
    """Without norm_first your layer is pre-norm: the default is norm_first=False, the order of the
    first Transformer.""",
    "norm_first: bool = False", "norm_first: bool = True")

wrong(LAYER, "norms_between_branch_and_sum", BOTH,
    """You normalise each branch before it is added: a norm stands before the branch (pre-norm) or
    after the sum (post-norm), never between.""",
    *both(*["x + N(D(B(x)))"] * 2))

wrong(LAYER, "norms_at_both_places", "pre_norm straight_way",
    """In pre-norm you normalise after the sums as well: the straight way then is no longer
    straight. norm_first chooses one place, not both.""",
    *both(pre="N(x + D(B(N(x))))"))

wrong(LAYER, "network_gets_the_unnormalised", "pre_norm",
    """In pre-norm only your attention's branch begins with a norm: the feed-forward network must
    get norm2(x), not x.""",
    *second(pre="x + D(B(x))"))

wrong(LAYER, "attention_gets_the_unnormalised", "pre_norm",
    """In pre-norm your attention works on x itself: it must get what the connection hands to it,
    norm1(x).""",
    ASKED, "self.self_attn(x, mask=mask")

wrong(LAYER, "keys_from_the_unnormalised", "pre_norm",
    """In pre-norm only your queries are normalised: keys and values come from norm1(x) just as
    well.""",
    ASKED, "self.self_attn(y, x, mask=mask")

wrong(LAYER, "values_from_the_unnormalised", "pre_norm",
    """In pre-norm only your queries and keys are normalised: values come from norm1(x) just as
    well.""",
    ASKED, "self.self_attn(y, y, x, mask=mask")

wrong(LAYER, "first_norm_forgotten", "post_norm straight_way",
    """In post-norm your layer normalises only once, at the very end: the sum of x and the attention
    is normalised too.""",
    *first(post="x + D(B(x))"))

# The options of the parts -------------------------------------------------------------------------

wrong(LAYER, "relu_always", "options",
    """Your layer always uses relu: hand `activation` to the feed-forward network.""",
    "dropout, activation)", "dropout)")

wrong(LAYER, "relu_whatever_is_asked_for", "options",
    """You look whether you know the activation, and then do not hand it on: your feed-forward
    network uses relu whatever it is.""",
    "dropout, activation)", 'dropout, "relu" if activation == "gelu" else activation)')

wrong(LAYER, "any_word_will_do", "refuses_an_unknown_activation",
    """Your layer takes an activation that it does not know, and goes on: a word that is neither
    "relu" nor "gelu" must raise ValueError, or a slip of the pen goes unnoticed. Hand it on as
    given.""",
    "dropout, activation)", 'dropout, "gelu" if activation == "gelu" else "relu")')

wrong(MAKING, "torchs_order_of_arguments", "options",
    """Your arguments come in the order of torch's own layer, activation before norm_first: here it
    is the other way round.""",
    'norm_first: bool = False,\n        activation: str = "relu",',
    'activation: str = "relu",\n        norm_first: bool = False,')

wrong(LAYER, "gelu_only_in_post_norm", "options",
    "In pre-norm your layer uses relu whatever `activation` says: the two have nothing to do with "
    "one another.",
    "dropout, activation)", 'dropout, "relu" if norm_first else activation)')

wrong(LAYER, "post_norm_in_eval", "pre_norm",
    "After eval() your layer is post-norm, whatever norm_first says: the order is the same in both "
    "modes.",
    *both(pre=f"({PRE} if self.training else {POST})"))

# Masks and sizes ----------------------------------------------------------------------------------

wrong(LAYER, "mask_the_wrong_way_round", "masks every_layer_gets_the_mask",
    """Your mask is the wrong way round: your MultiHeadAttention takes True = may attend, as this
    layer does. Only nn.MultiheadAttention wants True = may not.""",
    ASKED, "self.self_attn(y, mask=mask if mask is None else ~mask")

wrong(LAYER, "mask_with_one_axis_more", "masks",
    """You give the mask one axis more before the attention gets it. Your MultiHeadAttention takes
    masks of two axes and of four as they are: hand it on.""",
    ASKED, "self.self_attn(y, mask=mask if mask is None else mask.unsqueeze(1)")

wrong(LAYER, "mask_ignored", "masks padding_is_not_seen",
    "Your layer takes no notice of the mask: hand it to the attention.",
    ASKED, "self.self_attn(y")

wrong(LAYER, "mask_for_the_weights_only", "masks padding_is_not_seen maps_with_other_options",
    """Your layer hands the mask on where need_weights is asked for. Without it, the attention needs
    the mask too.""",
    ASKED, "self.self_attn(y, mask=mask if need_weights else None")

wrong(LAYER, "mask_for_the_result_only", "maps_with_other_options",
    """With need_weights your layer does not hand the mask on, so that result and weights are those
    without it: the attention needs the mask in both cases.""",
    ASKED, "self.self_attn(y, mask=None if need_weights else mask")

wrong(LAYER, "padding_hidden_as_query", "masks",
    """You join the mask with its transpose, to hide padding as a query too: then a token of the
    padding may attend to nobody, and softmax of nothing but -inf is NaN. A mask says what may be
    seen: hand it on as it is.""",
    ASKED, "self.self_attn(y, mask=mask if mask is None else mask & mask.mT")

wrong(LAYER, "mask_in_the_place_of_the_key", "masks",
    """You hand the mask to the attention by its place alone: behind the query come key and value,
    and the mask lands in one of these. Write mask=mask.""",
    ASKED, "self.self_attn(y, mask")

wrong(LAYER, "causal_always", BOTH,
    """Your tokens cannot look ahead: is_causal, or a mask that you make yourself, belongs in a
    decoder. In the encoder everybody sees everybody, unless the caller's mask says otherwise.""",
    ASKED, f"{ASKED}, is_causal=True")

wrong(LAYER, "mask_transposed", "masks padding_is_not_seen",
    """Your mask hides queries instead of keys: its last axis are the keys, the tokens that are
    looked at.""",
    ASKED, "self.self_attn(y, mask=mask if mask is None else mask.mT")

wrong(LAYER, "mask_of_the_first_sentence", "masks every_layer_gets_the_mask",
    "You use the mask of the first sentence for all: every sentence has its own.",
    ASKED, "self.self_attn(y, mask=mask if mask is None or mask.ndim == 2 else mask[:1]")

wrong(LAYER, "mask_of_the_first_head", "masks",
    "You use the mask of head 0 for all heads: a mask (B, H, T, T) has one for each.",
    ASKED, "self.self_attn(y, mask=mask if mask is None or mask.ndim == 2 else mask[:, :1]")

wrong(FORWARD, "mask_turned_in_place", "masks",
    """You change the caller's mask in place: the next layer gets another one. ~mask or a & b make a
    new one.""",
    "maps: list", "mask is None or mask.ndim < 4 or mask.logical_or_(mask[:1])\n        maps: list")

wrong(FORWARD, "two_axes_taken_for_padding", "any_size",
    """Where there are as many sentences as tokens you take a mask of two axes for one row a
    sentence: it is (T, T), who may look at whom, for every sentence.""",
    "maps: list", "if mask is not None and mask.shape == x.shape[:2]:\n"
    "            mask = mask[:, None, None]\n        maps: list")

wrong(FORWARD, "any_two_axes_taken_for_padding", "masks every_layer_gets_the_mask any_size",
    """You take a mask of two axes for padding, with a row for every sentence, and give it axes in
    between: it is (T, T), with a row for every query. Hand it on as it is.""",
    "maps: list", "if mask is not None and mask.ndim == 2:\n"
    "            mask = mask[:, None, None]\n        maps: list")

wrong(FORWARD, "padding_learns_nothing", "masks every_layer_gets_the_mask",
    """What the attention gives to hidden tokens becomes 0 in your layer: a mask says who may be
    looked at, and as a query a hidden token still attends.""",
    "return found", """if mask is not None and mask.ndim == 4 and mask.shape[2] == 1:
                found = found * mask[:, 0, 0, :, None]
            return found""")

wrong(FORWARD, "padding_set_to_zero", "masks every_layer_gets_the_mask",
    """The results of hidden tokens become 0 in your layer: a mask says who may be looked at, and
    hidden tokens have results like all others.""",
    f"x = {SECOND}", f"""x = {SECOND}
        if mask is not None and mask.ndim == 4 and mask.shape[2] == 1:
            x = x * mask[:, 0, 0, :, None]""")

wrong(FORWARD, "padding_is_given_as_zeros", "masks every_layer_gets_the_mask",
    """Your layer sets hidden tokens to 0 before its sub-layers: a mask says who may be looked at,
    and as a query a hidden token still attends, with the numbers that it has.""",
    "maps: list", """if mask is not None and mask.ndim == 4 and mask.shape[2] == 1:
            x = x * mask[:, 0, 0, :, None]
        maps: list""")

wrong(STACK, "padding_begins_as_zeros", "every_layer_gets_the_mask",
    """Your stack sets hidden tokens to 0 before its layers: a mask says who may be looked at, and
    as a query a hidden token still attends, with the numbers that it has.""",
    FOR, f"""if mask is not None and mask.ndim == 4 and mask.shape[2] == 1:
            x = x * mask[:, 0, 0, :, None]
        {FOR}""")

wrong(LAYER, "remembers_the_mask", "any_size",
    "Your layer keeps the first mask it sees and uses it ever after: every call has its own.",
    ASKED, 'self.self_attn(y, mask=vars(self).setdefault("mask", mask)')

wrong(LAYER, "mask_on_the_cpu", "other_devices",
    """Something that you make yourself, such as a mask, is on the CPU wherever x is: pass
    device=x.device.""",
    ASKED, "self.self_attn(y, mask=mask if mask is None else "
    "torch.ones(x.shape[1], x.shape[1]).bool() & mask")

wrong(FORWARD, "everything_in_float32", "post_norm",
    "You turn x into float32: the layer is to work, and to answer, in the dtype of x.",
    "maps: list", "x = x.float()\n        maps: list")

wrong(LAYER, "mask_left_out_in_eval", "masks",
    """After eval() your layer takes no notice of the mask: a mask holds in both modes, only dropout
    does not.""",
    ASKED, f"{ASKED} if self.training else None")

wrong(LAYER, "mask_only_in_post_norm", "masks",
    "In pre-norm your layer takes no notice of the mask: hand it to the attention in both orders.",
    ASKED, "self.self_attn(y, mask=None if self.residual1.norm_first else mask")

wrong(LAYER, "mask_kept_by_its_shape", "masks",
    """You keep masks by their shape: another mask of the same shape is another one. Take the one
    that is given in every call.""",
    ASKED, "self.self_attn(y, mask=mask if mask is None else "
    "vars(EncoderLayer.__init__).setdefault(mask.shape, mask)")

wrong(LAYER, "sentences_taken_for_tokens", "equal_sizes",
    """Where there are as many sentences as tokens you exchange these axes: your attention takes
    (B, T, d) as it is.""",
    ASKED, "self.self_attn(y.transpose(0, 1) if len(set(y.shape)) == 1 else y, mask=mask")

wrong(LAYER, "one_token_squeezed", "any_size",
    "Where there is but one token your layer throws its axis away: squeeze has no place here.",
    SECOND, f"{SECOND}.squeeze(1)")

wrong(LAYER, "sum_in_place", "pre_norm",
    """You change the caller's own x, as x += ... does: write x = x + ...""",
    *both(pre="x.add_(D(B(N(x))))"))

# Dropout ------------------------------------------------------------------------------------------

wrong(LAYER, "drops_after_eval", "no_dropout_in_evaluation",
    """Your dropout acts after eval() as well: F.dropout must be told training=self.training, as
    must whoever is handed a probability; nn.Dropout knows by itself.""",
    *both("x + nn.functional.dropout(B(N(x)), self.self_attn.dropout.p)",
          "N(x + nn.functional.dropout(B(x), self.self_attn.dropout.p))"))

wrong(LAYER, "drops_after_the_connection", "straight_way",
    """Dropout falls on what a SublayerConnection returns, and so on x: the connection has dropped
    from the branch already, and nothing else may be missing.""",
    FIRST, f"self.residual1.dropout({FIRST})", SECOND, f"self.residual2.dropout({SECOND})")

wrong(LAYER, "branches_not_dropped", "dropout_in_training",
    """Your branches are added whole: dropout falls on what each branch adds, not only on what is
    inside. Hand `dropout` to both connections, and let them call the sub-layers and add.""",
    *(f"{CONNECTION}", "SublayerConnection(d_model, 0.0") * 2)

wrong(MAKING, "attention_weights_not_dropped", "dropout_in_training",
    "No attention weight is ever dropped: hand `dropout` to your MultiHeadAttention.",
    "num_heads, dropout", "num_heads")

wrong(LAYER, "activations_not_dropped", "dropout_in_training",
    "No activation is ever dropped: hand `dropout` to the feed-forward network.",
    f"{NETWORK}dropout", f"{NETWORK}0.0")

wrong(LAYER, "activations_dropped_by_a_tenth", f"{BOTH} no_dropout_in_evaluation",
    """Your feed-forward network drops one activation in ten whatever `dropout` says, for that is
    what it does when it is told nothing: hand `dropout` to it.""",
    f"{NETWORK}dropout, activation", f"{NETWORK}activation=activation")

wrong(LAYER, "drops_the_given", "dropout_in_training",
    """Dropout falls on what your branches are given: the norm's result goes in whole, and what is
    added at the end is dropped.""",
    *both("x + D(B(D(N(x))))", "N(x + D(B(D(x))))"))

wrong(LAYER, "network_dropped_twice", "dropout_in_training",
    """What your feed-forward branch adds is dropped twice: the connection does it, and once is
    enough.""",
    *second("x + D(D(B(N(x))))", "N(x + D(D(B(x))))"))

wrong(MAKING, "network_told_to_drop_its_output", "dropout_in_training",
    """What the feed-forward network returns is dropped twice, by drop_output=True or by a dropout
    of your own, and then by the connection; no activation is dropped. Hand the network `dropout`,
    and no drop_output: it then drops its activations, and the connection drops what it returns.""",
    f"{NETWORK}dropout, activation)", f"{NETWORK}dropout, activation, drop_output=True)")

wrong(MAKING, "no_dropout_by_default", "dropout_in_training",
    """Where `dropout` is not given, your layer does not drop one number in ten: its default is
    0.1.""",
    "dropout: float = 0.1", "dropout: float = 0.0")

wrong(MAKING, "a_tenth_always", "no_dropout_in_evaluation",
    "Your layer always drops one number in ten: the argument `dropout` says how many.",
    "super().__init__()", "super().__init__(); dropout = 0.1")

wrong(FORWARD, "attention_weights_dropped_in_eval", "no_dropout_in_evaluation",
    """Your attention weights are dropped after eval() as well: what is handed a probability, like
    scaled_dot_product_attention, gets 0 unless self.training.""",
    "maps: list", "self.self_attn.train(); maps: list")

wrong(LAYER, "branches_shrunk_in_eval", "no_dropout_in_evaluation",
    """Your branches grow in training and shrink after eval() as well: the one is there to spare the
    other.""",
    "return found", "return found if self.training else found * (1 - self.self_attn.dropout.p)")

wrong(LAYER, "no_dropout_in_post_norm", "dropout_with_other_options",
    """In post-norm nothing is dropped from your branches: dropout falls at the same places in both
    orders.""",
    *both(post="N(x + B(x))"))

wrong(LAYER, "gelus_not_dropped", "dropout_with_other_options",
    """With activation="gelu" no activation is dropped: dropout does not depend on the
    activation.""",
    f"{NETWORK}dropout", f'{NETWORK}dropout if activation == "relu" else 0.0')

wrong(LAYER, "attention_not_dropped_under_a_mask", "dropout_with_other_options",
    """With a mask your attention's branch is not dropped: dropout falls with a mask and
    without.""",
    *first("x + (D(B(N(x))) if mask is None else B(N(x)))",
           "N(x + (D(B(x)) if mask is None else B(x)))"))

wrong(LAYER, "same_dropout_in_both_branches", "dropout_is_drawn_anew",
    """What is dropped from the attention's branch is dropped from the network's too: draw anew for
    every branch.""",
    "x = self.residual1", "kept = self.residual1.dropout(torch.ones_like(x))\n"
    "        x = self.residual1", *both("x + kept * (B(N(x)))", "N(x + kept * (B(x)))"))

wrong(FORWARD, "same_dropout_in_every_call", "dropout_is_drawn_anew",
    """Every call drops the same numbers, as when torch's generator is seeded in forward: leave the
    generator alone, and draw anew in every call.""",
    "maps: list", "torch.manual_seed(0)\n        maps: list")

wrong(STACK, "same_dropout_in_every_layer", "dropout_is_drawn_anew",
    """All layers of your stack drop the same numbers, as when each begins with the same state of
    torch's generator: every layer draws anew.""",
    FOR, f"state = torch.get_rng_state()\n        {FOR}\n            torch.set_rng_state(state)")

# How a layer begins -------------------------------------------------------------------------------

wrong(MAKING, "seeds_the_generator", "fresh_weights",
    """Every layer begins with the same weights, as when torch's generator is seeded where one is
    made: leave that to whoever trains.""",
    "super().__init__()", "super().__init__(); torch.manual_seed(0)")

wrong(LAYER, "begins_with_zeros", "fresh_weights",
    """Your weights begin with zeros, or with far smaller numbers than those of your parts: leave
    them as your parts begin.""",
    MADE, f"{MADE}\n"
    "        for weights in self.parameters():\n"
    "            weights.dim() > 1 and nn.init.zeros_(weights)")

wrong(LAYER, "begins_too_large", "fresh_weights",
    """Your weights begin far larger than those of your parts, as with a spread of 1 whatever the
    width: sums of many of them are huge. Leave them as your parts begin.""",
    MADE, f"{MADE}\n"
    "        for weights in self.parameters():\n"
    "            weights.dim() > 1 and nn.init.normal_(weights)")

wrong(LAYER, "norms_begin_with_zeros", "parameters",
    """Your norms do not begin with ones as weights and zeros as biases: with zeros as weights
    nothing of a branch gets through. Leave them as your parts begin.""",
    MADE, f"{MADE}\n"
    "        for weights in self.parameters():\n"
    "            weights.dim() == 1 and nn.init.zeros_(weights)")

# The stack ----------------------------------------------------------------------------------------

wrong(STACK, "one_layer_many_times", "stack_with_a_norm layers_share_nothing",
    """Your N layers are the layer itself N times, as [layer] * N or copy.copy make it: one set of
    weights. Make a deep copy for each place.""",
    "copy.deepcopy(layer)", "layer")

wrong(STACK, "one_copy_many_times", "stack_with_a_norm",
    "One module stands at all N places, so all share its weights: make a deep copy for each.",
    "copy.deepcopy(layer) for _ in range(num_layers)", "[copy.deepcopy(layer)] * num_layers")

wrong(STACK, "the_layer_itself_first", "layers_share_nothing",
    """The first place of your stack holds the layer itself, so training the stack trains that too:
    a copy at every place.""",
    "copy.deepcopy(layer) for _", "copy.deepcopy(layer) if i else layer for i")

wrong(STACK, "one_layer_too_few", STACKS,
    """Your stack has one layer fewer than num_layers: range(n) counts from 0 to n - 1, which are n
    numbers already.""",
    "range(num_layers)", "range(num_layers - 1)")

wrong(STACK, "plain_list", STACKS,
    """Your stack has no parameters to train, to move or to save, as when a Python list hides its
    layers: use nn.ModuleList.""",
    "nn.ModuleList(", "list(")

wrong(STACK, "keeps_the_layer_too", STACKS,
    """Your stack keeps the layer it was made from beside its copies: parameters that are saved and
    never used.""",
    "self.norm = norm", "self.norm, self.layer = norm, layer")

wrong(STACK, "fresh_weights", "layers_begin_as_copies",
    """Your stack's layers begin with weights of their own, made anew, or given a new start after
    they were copied: they begin with those of the layer given, as copy.deepcopy leaves them.""",
    "self.norm = norm",
    "self.norm = norm; [nn.init.normal_(weights) for weights in self.layers.parameters()]")

wrong(STACK, "one_layer_more", STACKS,
    "Your stack has one layer more than num_layers says.",
    "range(num_layers)", "range(num_layers + 1)")

wrong(STACK, "only_the_last_counts", STACKS,
    """Every layer of your stack gets the first input, so only the last one counts: hand on what the
    one before returned.""",
    "x, weights = layer", "y, weights = layer",
    RESULT, "y if self.norm is None else self.norm(y)")

wrong(STACK, "only_the_last_counts_and_no_norm", STACKS,
    """What a layer returns gets a name that nothing after it uses: each layer gets the stack's
    input, and so does the norm, whose result is lost. One name, such as x, goes through all.""",
    "x, weights = layer", "y, weights = layer", RETURN, "(y, maps) if need_weights else y")

wrong(STACK, "results_unheard", STACKS,
    """Your stack calls its layers, but what they return gets lost: it hands back its own input.
    Give the result of each layer the name that the next one is called with.""",
    "x, weights = layer", "_, weights = layer")

wrong(STACK, "sentences_for_a_pair", STACKS,
    """Your loop puts what a layer returns under two names, without asking it for the weights. Then
    it returns one tensor, and the names get its first and its second sentence, if there are just
    two: a pair comes with need_weights=True alone.""",
    STEP, "x, weights = layer(x, mask)")

wrong(STACK, "backwards", STACKS,
    "Your stack goes through its layers from the last to the first.",
    "in self.layers", "in reversed(self.layers)")

wrong(STACK, "only_the_first_counts", STACKS,
    "Your stack uses its first layer only: a return inside the loop?",
    "in self.layers", "in self.layers[:1]")

wrong(STACK, "only_some_layers_are_gone_through", "stack_without_a_norm",
    """Your stack goes through its first layers and leaves out others: it goes through all, however
    many there are.""",
    "in self.layers", "in self.layers[:4]")

wrong(STACK, "residual_around_the_stack", STACKS,
    "You add the stack's input to its result: the residuals are inside the layers.",
    FOR, f"begun = x\n        {FOR}", "return (x", "x = x + begun\n        return (x")

wrong(STACK, "sum_of_all_layers", STACKS,
    "You add up what all layers return: the result is the last layer's.",
    LOOP, f"x = sum({EVERY})")

wrong(STACK, "returns_all_results", STACKS,
    "You return the results of all layers: only the last one's is asked for.",
    LOOP, f"results = {EVERY}", NORMED, f"x = [{RESULT} for x in results]\n        return")

wrong(STACK, "final_norm_forgotten", "stack_with_a_norm",
    """The norm you are given is never used: it comes after the last layer. In pre-norm nothing else
    normalises the last sum.""",
    RESULT, "x")

wrong(STACK, "final_norm_after_every_layer", "stack_with_a_norm",
    "You apply the last norm after every layer: it comes once, at the end.",
    STEP, f"{STEP}\n            x = {RESULT}", NORMED, "return")

wrong(STACK, "final_norm_once_too_often", "stack_with_a_norm",
    "You apply the last norm after every layer and once more at the end: it comes once.",
    STEP, f"{STEP}\n            x = {RESULT}")

wrong(STACK, "final_norm_at_the_beginning", "stack_with_a_norm",
    "You apply the norm before the first layer: it comes after the last.",
    FOR, f"x = {RESULT}\n        {FOR}", NORMED, "return")

wrong(STACK, "norm_copied", "stack_with_a_norm",
    """Your stack uses a copy of the norm, so the norm that its maker holds is never trained: layers
    are copied, the norm is not.""",
    "self.norm = norm", "self.norm = copy.deepcopy(norm)")

wrong(STACK, "final_norm_only_in_pre_norm", "stack_with_a_norm",
    """Your stack uses its norm only over pre-norm layers: if one is given, it is used, whatever the
    layers are.""",
    "self.norm is None", "self.norm is None or not self.layers[0].residual1.norm_first")

wrong(STACK, "norm_though_none_was_given", "stack_without_a_norm",
    """Your stack normalises its result although norm is None: then the last layer's result is
    returned as it is.""",
    "x if", "nn.functional.layer_norm(x, x.shape[-1:]) if")

wrong(STACK, "norm_made_where_none_was_given", "stack_without_a_norm",
    """Where norm is None, your stack makes a norm of its own, with parameters that nobody asked
    for: keep the None, and return the last layer's result as it is.""",
    "self.norm = norm",
    "self.norm = nn.LayerNorm(layer.residual1.norm.weight.numel()) if norm is None else norm")

wrong(STACK, "norm_demanded", "stack_without_a_norm",
    "Your stack cannot do without a norm: where it is None, return the last layer's result.",
    RESULT, "self.norm(x)")

wrong(STACK, "final_norm_only_in_training", "stack_with_a_norm",
    "After eval() your stack leaves its norm out: it is used in both modes.",
    "self.norm is None", "self.norm is None or not self.training")

wrong(STACK, "mask_only_in_training", "every_layer_gets_the_mask",
    "After eval() your stack keeps the mask to itself: hand it to every layer in both modes.",
    "layer(x, mask", "layer(x, mask if self.training else None")

wrong(STACK, "takes_the_norm_for_a_layer_norm", "stack_with_a_norm",
    """You take the norm's weights and normalise yourself: call the module that you were given,
    whatever it is.""",
    "self.norm(x)", "nn.functional.layer_norm(x, x.shape[-1:], *self.norm.parameters())")

wrong(STACK, "norm_begun_anew", "layers_begin_as_copies",
    """You set the norm that you were given back to ones and zeros: it is used as it is.""",
    "self.norm = norm", "self.norm = norm; norm is None or [nn.init.ones_(w) for w in "
    "norm.parameters()]")

wrong(STACK, "norms_shared", "layers_share_nothing",
    """Your layers share the norms of the layer they were copied from: a deep copy of all of it
    shares nothing.""",
    "copy.deepcopy(layer)",
    "copy.deepcopy(layer, {id(layer.residual1.norm): layer.residual1.norm})")

# The attention weights ----------------------------------------------------------------------------

wrong(LAYER, "weights_of_another_call", "layer_returns_its_weights stack_returns_all_maps",
    """Your weights are those of another call: you ask the attention once more, about x after the
    first sum. Keep those of the call whose result is added.""",
    "x = self.residual2(", """later = self.self_attn(x, mask=mask, need_weights=True)[1]
        x = self.residual2(""", WEIGHTS, "(x, later) if need_weights else x")

wrong(STACK, "maps_of_the_result", "stack_returns_all_maps",
    """Each of your maps is of what the layer has returned: you call the layer once more, when x is
    the new one already. Keep the weights of the call that gave the result.""",
    "maps.append(weights)", "maps.append(layer(x, mask, need_weights=True)[1])")

wrong(LAYER, "weights_kept_as_an_attribute", "layers_begin_as_copies",
    """Your layer keeps a tensor of a call as an attribute, such as the attention weights, and with
    it the graph of that call, which copy.deepcopy refuses: keep it in a variable of the call.""",
    "maps.append(weights)\n            return found",
    "maps.append(weights)\n            self.seen = weights\n            return found")

wrong(LAYER, "weights_averaged_over_heads", "layer_returns_its_weights stack_returns_all_maps",
    """The attention weights you return are averaged over the heads, as nn.MultiheadAttention does
    it: return those of every head, (B, H, T, T).""",
    "maps[0])", "maps[0].mean(1))")

wrong(LAYER, "one_map_for_all_heads", "layer_returns_its_weights stack_returns_all_maps",
    """You return the mean of all heads, on an axis of size 1: return the weights of every head,
    (B, H, T, T).""",
    "maps[0])", "maps[0].mean(1, keepdim=True))")

wrong(LAYER, "mean_over_heads_for_every_head", "layer_returns_its_weights stack_returns_all_maps",
    """All heads have the same map in what you return, the mean over them: return for each head the
    weights that it used.""",
    "maps[0])", "maps[0].mean(1, keepdim=True).expand_as(maps[0]))")

wrong(LAYER, "weights_of_the_first_head", "layer_returns_its_weights stack_returns_all_maps",
    "You return the attention weights of head 0 only: return those of all heads, (B, H, T, T).",
    "maps[0])", "maps[0][:, 0])")

wrong(LAYER, "weights_transposed", "layer_returns_its_weights stack_returns_all_maps",
    """The attention weights you return are turned round: a row is what one token takes from all
    others, so rows sum to one, not columns.""",
    "maps[0])", "maps[0].mT)")

wrong(LAYER, "weights_of_the_unnormalised", "layer_returns_its_weights",
    """In pre-norm you return the attention weights of x itself. The attention works on norm1(x):
    return the weights that it used.""",
    "x = self.residual1", "maps.append(self.self_attn(x, mask=mask, need_weights=True)[1])\n"
    "        x = self.residual1")

wrong(LAYER, "weights_of_the_result", "layer_returns_its_weights",
    """You ask the attention once more, with the layer's result, and return those weights: return
    the ones with which the result was made.""",
    "maps[0])", "self.self_attn(x, mask=mask, need_weights=True)[1])")

wrong(LAYER, "pair_out_of_the_branch", BOTH,
    """Your function hands residual1 the pair (result, weights) that the attention returns under
    need_weights. A SublayerConnection adds one tensor: take the pair apart, keep the weights, and
    return the result.""",
    "return found", "return found, weights")

wrong(LAYER, "pair_out_of_the_branch_with_the_weights",
    "layer_returns_its_weights stack_returns_all_maps",
    """With need_weights your function hands residual1 the pair (result, weights) that the attention
    then returns. A SublayerConnection adds one tensor: take the pair apart, keep the weights, and
    return the result.""",
    "return found", f"return {ASKED}, need_weights=need_weights)", WEIGHTS, "x")

wrong(LAYER, "first_sentence_for_all", BOTH,
    """You take what the attention returns for a pair (by [0], or by two names on the left of the
    =), and without need_weights it is one tensor: its first part is then the first sentence, which
    is added to all of them.""",
    "return found", f"return {ASKED})[0]")

wrong(LAYER, "weights_before_the_result", "layer_returns_its_weights stack_returns_all_maps",
    "Your layer returns (weights, result): it is the other way round.",
    "(x, maps[0])", "(maps[0], x)")

wrong(LAYER, "weights_always", BOTH,
    """Your layer returns its attention weights also when nobody asked for them: without
    need_weights the result alone is returned.""",
    f"return {WEIGHTS}", "return x, maps[0]")

wrong(LAYER, "result_of_the_attention", "layer_returns_its_weights stack_returns_all_maps",
    """With need_weights you return what the attention returned, and not what the layer makes of it:
    the result is the same with the weights and without.""",
    "(x, maps[0])", "self.self_attn(x, mask=mask, need_weights=True)")

wrong(LAYER, "weights_detached", "maps_with_other_options",
    """The attention weights you return are detached: gradients flow back through them too. Whoever
    only looks at them can detach them.""",
    "maps[0])", "maps[0].detach())")

wrong(LAYER, "no_mask_for_the_weights", "maps_with_other_options",
    """The attention weights you return are those without the mask: a forbidden token has no
    weight.""",
    "maps.append(weights)", "maps.append(self.self_attn(y, need_weights=True)[1])")

wrong(LAYER, "weights_after_dropout", "maps_in_training",
    """The attention weights you return are the ones after dropout, with zeros in them: return what
    your MultiHeadAttention gives you, which is from before.""",
    "maps[0])", "self.self_attn.dropout(maps[0]))")

wrong(LAYER, "weights_of_the_first_call", "stack_returns_all_maps maps_with_other_options",
    """Your layer keeps the attention weights of its first call and returns them ever after: return
    those of this very call.""",
    "maps: list[Tensor] = []", 'maps = vars(self).setdefault("maps", [])')

wrong(FORWARD, "nothing_dropped_for_the_weights", "maps_in_training",
    """With need_weights your layer drops nothing, as in eval mode: only the weights returned are
    from before dropout.""",
    "maps: list", "need_weights and self.eval()\n        maps: list")

wrong(STACK, "no_maps_at_all", "stack_returns_all_maps",
    """With need_weights your stack returns the result alone: return (result, maps).""",
    RETURN, "x")

wrong(STACK, "map_of_the_last_layer_only", "stack_returns_all_maps",
    """Your stack returns the attention weights of its last layer only: keep those of every layer,
    in a list.""",
    RETURN, "(x, weights) if need_weights else x")

wrong(STACK, "list_with_the_last_map", "stack_returns_all_maps",
    """Your list of maps holds the last layer's alone: make the list before the loop, and append to
    it in the loop.""",
    "maps.append(weights)", "maps = [weights]")

wrong(STACK, "map_of_the_first_layer_only", "stack_returns_all_maps",
    """Your stack returns the attention weights of its first layer only: keep those of every
    layer.""",
    RETURN, "(x, maps[:1]) if need_weights else x")

wrong(STACK, "last_layers_map_first", "stack_returns_all_maps",
    "Your list of maps begins with the last layer's: the first layer's comes first.",
    "maps.append(weights)", "maps.insert(0, weights)")

wrong(STACK, "maps_averaged_over_layers", "stack_returns_all_maps",
    """Your stack returns the mean of its layers' attention weights: return them all, in a list with
    one entry for each layer.""",
    RETURN, "(x, sum(maps) / len(maps)) if need_weights else x")

wrong(STACK, "maps_multiplied", "stack_returns_all_maps",
    """Your stack multiplies its layers' attention weights (which is called attention rollout):
    return them as they are, in a list with one entry for each layer.""",
    RETURN, "(x, [maps[0], *(b @ a for a, b in zip(maps, maps[1:]))]) if need_weights else x")

wrong(STACK, "maps_in_one_tensor", "stack_returns_all_maps",
    """Your stack puts all maps into one tensor: return a list with one tensor for each layer.""",
    RETURN, "(x, torch.stack(maps)) if need_weights else x")

wrong(STACK, "maps_without_the_result", "stack_returns_all_maps",
    "With need_weights your stack returns the maps alone: return (result, maps).",
    RETURN, "maps if need_weights else x")

wrong(STACK, "returns_inside_the_loop_with_maps", "stack_returns_all_maps",
    """With need_weights your stack returns from within the loop, after its first layer: return
    once, when all layers and the norm are done.""",
    "maps.append(weights)", "maps.append(weights)\n                return x, maps")

wrong(STACK, "no_norm_with_the_maps", "stack_returns_all_maps",
    """With need_weights your stack leaves out its norm: the result is the same with the maps and
    without.""",
    RESULT, "x if need_weights or self.norm is None else self.norm(x)")

wrong(STACK, "maps_of_what_is_not_normalised", "maps_with_other_options",
    """Your stack makes the maps by a call of its own, of what the layer is given. In pre-norm the
    attention works on norm1(x): ask the layer for the weights that it used.""",
    STEP, "weights = layer.self_attn(x, mask=mask, need_weights=True)[1]; x = layer(x, mask)")

wrong(STACK, "no_mask_with_the_maps", "maps_with_other_options",
    """With need_weights your stack keeps the mask to itself: hand it to every layer, whatever is
    returned.""",
    "layer(x, mask", "layer(x, None if need_weights else mask")

wrong(STACK, "maps_grow_from_call_to_call", "maps_with_other_options",
    """Your stack keeps its list of maps from call to call, so it grows: begin a new list in every
    call.""",
    "maps: list[Tensor] = []", 'maps = vars(self).setdefault("maps", [])')
