"""Wrong answers to ``decoder``: its page with a slip, and what the author is told.

The first entry that fits is the one named, so a special mistake comes before the general one that
looks like it.
"""

from __future__ import annotations

import re

from grader.check import Bank

wrong = Bank()

LAYER, STACK = "DecoderLayer", "Decoder"
MAKING, FORWARD = "DecoderLayer.__init__", "DecoderLayer.forward"
BOTH, STACKS = "post_norm pre_norm", "stack_with_a_norm stack_without_a_norm"

FIRST, SECOND = "self.residual1(tgt, look)", "self.residual2(x, read)"
THIRD = "self.residual3(x, self.feed_forward)"
PRE, POST = "x + D(B(N(x)))", "N(x + D(B(x)))"
LOOK, READ = "self.self_attn(y, mask=tgt_mask", "self.multihead_attn(y, memory, mask=memory_mask"
WEIGHTS = "(x, maps[0], maps[1]) if need_weights else x"
NETWORK = "PositionwiseFeedForward(d_model, d_ff, "
CONNECTION = "SublayerConnection(d_model, dropout"
MADE = f"self.residual3 = {CONNECTION}, norm_first)"
PAST = "y.new_ones(y.shape[1], y.shape[1]).tril().bool()"

STEP = "x, own, cross = layer(x, memory, tgt_mask, memory_mask, need_weights=True)"
LOOP = f"""for layer in self.layers:
            {STEP}
            if need_weights:  # maps are large: none is kept that nobody asked for
                self_maps.append(own)
                cross_maps.append(cross)"""
RESULT = "x if self.norm is None else self.norm(x)"
RETURN = "(x, self_maps, cross_maps) if need_weights else x"
NORMED = f"x = {RESULT}\n        return"
SHOWN = "layer_returns_its_weights stack_returns_all_maps"

# Layers that pass no mask on, and then those that return no weights.
for step in ("post-norm", "pre-norm"):
    wrong.up_to(f"{FORWARD}: {step}", FORWARD, "mask=tgt_mask, ", "", "mask=memory_mask, ", "",
        WEIGHTS, "x")
wrong.up_to(f"{FORWARD}: with masks", FORWARD, WEIGHTS, "x")
STACKED = (LOOP, """for layer in self.layers:
            x = layer(x, memory, tgt_mask, memory_mask)""", RETURN, "x")
wrong.up_to("Decoder", FORWARD, WEIGHTS, "x", *STACKED)
wrong.up_to("Decoder", STACK, *STACKED)


def written(number, branch, pre=PRE, post=POST):
    """What a connection does, written out: N is its norm, D its dropout, B the branch."""
    own = f"self.residual{number}"
    parts = {"N": f"{own}.norm", "D": f"{own}.dropout", "B": branch}
    text = f"({pre} if self.residual1.norm_first else {post})"
    return re.sub(r"\b([NDB])\(", lambda found: f"{parts[found[1]]}(", text)


def first(pre=PRE, post=POST):
    return FIRST, re.sub(r"\bx\b", "tgt", written(1, "look", pre, post))


def second(pre=PRE, post=POST):
    return SECOND, written(2, "read", pre, post)


def third(pre=PRE, post=POST):
    return THIRD, written(3, "self.feed_forward", pre, post)


def each(pre=PRE, post=POST):
    return *first(pre, post), *second(pre, post), *third(pre, post)


def masked(asked, old, new):
    """What is asked with a mask that is changed where there is one."""
    return asked, asked.replace(f"mask={old}", f"mask={old} if {old} is None else {new}")


# The stack's masks, before the layer's, which look the same from outside --------------------------

wrong(STACK, "target_mask_for_the_first_layer_only", "every_layer_gets_both_masks no_look_ahead",
    "Only your first layer gets the causal mask: from the second on, tokens look ahead.",
    STEP, f"{STEP}; tgt_mask = None")

wrong(STACK, "memory_mask_for_the_first_layer_only", "every_layer_gets_both_masks",
    "Only your first layer gets memory_mask: from the second on, the source's padding is read.",
    STEP, f"{STEP}; memory_mask = None")

wrong(STACK, "masks_not_handed_on", "every_layer_gets_both_masks no_look_ahead",
    "Your stack keeps both masks to itself: hand them to every layer.",
    "memory, tgt_mask, memory_mask, need", "memory, need")

wrong(STACK, "memory_mask_not_handed_on", "every_layer_gets_both_masks",
    "Your stack keeps memory_mask to itself: hand it to every layer, beside tgt_mask.",
    "tgt_mask, memory_mask, need", "tgt_mask, need")

wrong(STACK, "masks_handed_on_exchanged", "every_layer_gets_both_masks",
    "Your stack hands the masks on in the wrong order: a layer takes tgt_mask first.",
    "tgt_mask, memory_mask, need", "memory_mask, tgt_mask, need")

wrong(STACK, "masks_for_the_maps_only", "every_layer_gets_both_masks no_look_ahead",
    """Your stack hands the masks on where need_weights is asked for. Without it, every layer needs
    both of them too.""",
    "memory, tgt_mask, memory_mask, need",
    "memory, *((tgt_mask, memory_mask) if need_weights else ()), need")

wrong(STACK, "memory_mask_for_the_maps_only", "every_layer_gets_both_masks",
    """Without need_weights your stack hands on tgt_mask alone, and keeps memory_mask to itself: its
    layers get both, whatever is returned.""",
    "memory_mask, need", "memory_mask if need_weights else None, need")

for owner, look, its in (
    ("tgt_mask", LOOK, "self-attention"), ("memory_mask", READ, "cross-attention"),
):
    wrong(LAYER, f"no_{owner}_for_the_weights", "maps_with_other_options",
        f"""With need_weights your layer does not hand {owner} to its {its}, so that result and
        weights are those without it: it needs the mask in both cases.""",
        look, look.replace(owner, f"None if need_weights else {owner}"))

# The wiring ---------------------------------------------------------------------------------------

wrong(LAYER, "residual_from_the_normalised", "pre_norm straight_way",
    """In pre-norm you write x = norm1(x) and add the branch to that: the straight way must carry x
    as it came, in all three sub-layers. Give norm1(x) no name, or another one.""",
    *each(pre="N(x) + D(B(N(x)))"))

wrong(LAYER, "no_residuals", f"{BOTH} straight_way",
    "Nothing runs past your sub-layers: each of the three is added to what it was given.",
    *each("D(B(N(x)))", "N(D(B(x)))"))

wrong(LAYER, "no_residual_around_the_reading", f"{BOTH} straight_way",
    """Your cross-attention has no residual: what it finds in the memory replaces the target,
    instead of being added to it.""",
    *second("D(B(N(x)))", "N(D(B(x)))"))

wrong(LAYER, "no_residual_around_the_network", f"{BOTH} straight_way",
    """Your feed-forward network has no residual: what it says replaces x, instead of being added to
    it.""",
    *third("D(B(N(x)))", "N(D(B(x)))"))

wrong(LAYER, "no_residual_around_the_self_attention", f"{BOTH} straight_way",
    """Your self-attention has no residual: what it says replaces the target, instead of being added
    to it.""",
    *first("D(B(N(x)))", "N(D(B(x)))"))

wrong(FORWARD, "network_past_its_dropout_and_residual", f"{BOTH} straight_way",
    """Your feed-forward network is called on norm(x), and nothing is added to what it says: x is
    lost. residual3(x, self.feed_forward) normalises, calls it, drops and adds.""",
    THIRD, "self.feed_forward(self.residual3.norm(x))")

wrong(LAYER, "residual_twice", f"{BOTH} straight_way",
    """Your layer adds x to what a SublayerConnection returns, which has added it already: one
    residual for each branch.""",
    FIRST, f"tgt + {FIRST}", SECOND, f"x + {SECOND}", THIRD, f"x + {THIRD}")

for name, what, place in (
    ("self_attention", "self-attention", first), ("reading", "cross-attention", second),
    ("network", "feed-forward network", third), ("every_branch", "every sub-layer", each),
):
    wrong(LAYER, f"{name}_added_to_its_own_input", BOTH,
        f"""To what {"" if place is each else "your "}{what} says you add what it was given, and the
        SublayerConnection adds x to that once more. A branch returns what its attention or network
        says, and nothing else: the connection does the adding.""",
        *place("x + D(N(x) + B(N(x)))", "N(x + D(x + B(x)))"))

wrong(FORWARD, "result_of_the_self_attention_lost", BOTH,
    """Nothing of the self-attention arrives, so no target token learns anything of the others: it
    is never called, or what residual1 returns gets lost, as where residual2 is given tgt, the
    layer's input. Hand residual2 the x that residual1 has returned.""",
    "x = self.residual2(x, read)", "x = self.residual2(tgt, read)")

wrong(FORWARD, "result_of_the_reading_lost", BOTH,
    """Nothing of the memory arrives: the cross-attention is never called, or what residual2 returns
    gets lost, as where residual3 is given what residual1 has returned. Hand residual3 the x that
    residual2 has returned.""",
    "x = self.residual2(x, read)", "self.residual2(x, read)")

wrong(FORWARD, "results_in_the_place_of_the_branches", BOTH,
    """You call a sub-layer yourself and hand its SublayerConnection the result. That one calls the
    sub-layer, in pre-norm with norm(x): hand it the function, which takes one tensor and returns
    one.""",
    FIRST, "self.residual1(tgt, look(tgt))", SECOND, "self.residual2(x, read(x))")

wrong(LAYER, "norm_before_the_connection", BOTH,
    """Your layer normalises x before it hands it to a SublayerConnection, which has a norm of its
    own: in pre-norm the straight way is no longer straight, in post-norm there is a norm too
    many.""",
    FIRST, "self.residual1(self.residual1.norm(tgt), look)",
    SECOND, "self.residual2(self.residual2.norm(x), read)",
    THIRD, "self.residual3(self.residual3.norm(x), self.feed_forward)")

wrong(LAYER, "residuals_from_the_input", BOTH,
    """You add all branches to the layer's input tgt: each straight way begins at the result of the
    sub-layer before, or that result is lost.""",
    *second("tgt + D(B(N(x)))", "N(tgt + D(B(x)))"), *third("tgt + D(B(N(x)))", "N(tgt + D(B(x)))"))

wrong(LAYER, "attentions_side_by_side", BOTH,
    """Your two attentions work side by side on tgt. They come one after the other: the queries for
    the memory are made of what the self-attention sub-layer returns.""",
    *second("x + D(B(N(tgt)))", "N(x + D(B(tgt)))"))

wrong(LAYER, "reading_and_network_side_by_side", BOTH,
    """Your cross-attention and your feed-forward network work side by side, on what residual1
    returns. They come one after the other: residual3 is given what residual2 returns, and its
    result is the layer's.""",
    f"x = {SECOND}\n        x = {THIRD}", f"x = {SECOND} + {THIRD} - x")

wrong(LAYER, "reads_first", BOTH,
    """Your layer reads the memory before the target's tokens have looked at one another:
    self-attention comes first.""",
    FIRST, "self.residual2(tgt, read)", SECOND, "self.residual1(x, look)",
    WEIGHTS, "(x, maps[1], maps[0]) if need_weights else x")

wrong(LAYER, "reads_first_through_the_first_connection", BOTH,
    """Your residual1 reads the memory, and residual2 is for the self-attention: it is the other way
    round, the target's tokens look at one another first.""",
    FIRST, "self.residual1(tgt, read)", SECOND, "self.residual2(x, look)")

wrong(LAYER, "first_sentence_for_all", BOTH,
    """You take what an attention returns for a pair (by [0], or by two names on the left of the =),
    and without need_weights it is one tensor: its first part is then the first sentence, which is
    added to all of them.""",
    *(part for asked in (LOOK, READ) for part in (
        f"{asked}, need_weights=True)\n            maps.append(weights)\n            return found",
        f"{asked}, need_weights=True)\n            maps.append(weights)\n            "
        f"return {asked})[0]")))

wrong(LAYER, "first_sentence_of_the_reading", BOTH,
    """You take what the cross-attention returns for a pair (by [0], or by two names on the left of
    the =), and without need_weights it is one tensor: its first part is then the first sentence,
    which is added to all of them.""",
    f"{READ}, need_weights=True)\n            maps.append(weights)\n            return found",
    f"{READ}, need_weights=True)\n            maps.append(weights)\n            "
    f"return {READ})[0]")

wrong(LAYER, "pair_out_of_an_attention", BOTH,
    """A function that you hand to a SublayerConnection returns the pair (result, weights), as an
    attention does under need_weights. One tensor is to be added: take the pair apart, keep the
    weights, and return the result.""",
    f"{READ}, need_weights=True)\n            maps.append(weights)\n            return found",
    f"{READ}, need_weights=True)\n            maps.append(weights)\n            "
    "return found, weights")

wrong(LAYER, "network_in_the_middle", BOTH,
    "Your feed-forward network comes before the cross-attention: it is the last of the three.",
    THIRD, SECOND, SECOND, THIRD)

wrong(LAYER, "network_through_the_second_connection", BOTH,
    """Your residual2 is for the feed-forward network, and residual3 reads the memory: it is the
    other way round, the network is the last of the three.""",
    SECOND, "self.residual2(x, self.feed_forward)", THIRD, "self.residual3(x, read)")

wrong(LAYER, "network_forgotten", BOTH,
    """Your feed-forward network is never called, or what residual3 returns gets lost: its matrices
    get no gradient. Give the result a name, and return that.""",
    THIRD, "x")

wrong(LAYER, "self_attention_forgotten", f"{BOTH} target_mask",
    "Your self-attention is never called: no target token learns anything of the others.",
    FIRST, "tgt", WEIGHTS, "(x, maps[0], maps[0]) if need_weights else x")

wrong(LAYER, "memory_forgotten", f"{BOTH} example",
    """Your cross-attention is never called: the layer would say the same whatever the source
    sentence is.""",
    SECOND, "x", WEIGHTS, "(x, maps[0], maps[0]) if need_weights else x")

# Queries, keys and values -------------------------------------------------------------------------

wrong(LAYER, "reads_the_target", f"{BOTH} example",
    """In your cross-attention keys and values come from the target: it is a second self-attention.
    They come from the memory.""",
    READ, "self.multihead_attn(y")

wrong(LAYER, "reads_the_target_under_the_memorys_mask", f"{BOTH} example",
    """In your cross-attention only the mask is the memory's, and keys and values come from the
    target, for nobody says otherwise: hand the memory over after the query.""",
    READ, "self.multihead_attn(y, mask=memory_mask")

wrong(FORWARD, "memory_on_the_straight_way", BOTH,
    """You hand residual2 the memory, which is then added to and asks: what it is given first is the
    straight way, the target as the first sub-layer left it. The memory is for the keys and values
    alone.""",
    SECOND, "self.residual2(memory, read)")

wrong(LAYER, "memory_asks", f"{BOTH} masks_do_not_mix",
    """In your cross-attention the sides are exchanged: the memory asks and the target answers.
    Queries come from the target, so there are as many results as target tokens.""",
    READ, "self.multihead_attn(memory, y, mask=memory_mask")

wrong(LAYER, "values_from_the_target", f"{BOTH} masks_do_not_mix",
    """Your cross-attention takes only its keys from the memory and its values from the target: both
    come from the memory.""",
    READ, "self.multihead_attn(y, memory, y, mask=memory_mask")

wrong(LAYER, "keys_from_the_target", f"{BOTH} masks_do_not_mix",
    """Your cross-attention takes only its values from the memory and its keys from the target: both
    come from the memory.""",
    READ, "self.multihead_attn(y, y, memory, mask=memory_mask")

wrong(LAYER, "memory_cut_to_the_target", f"{BOTH} example",
    """Your cross-attention cuts the memory to the length of the target: the two may differ, and
    every memory token may be read.""",
    READ, "self.multihead_attn(y, memory[:, : y.shape[1]], mask=memory_mask")

wrong(LAYER, "self_attn_twice", BOTH,
    """You use self_attn for both attentions, and multihead_attn gets no gradient: it is the one
    that reads the memory.""",
    "self.multihead_attn(y", "self.self_attn(y")

wrong(MAKING, "one_attention_for_both", BOTH,
    """self_attn and multihead_attn are one and the same module, so their weights are tied: make
    two.""",
    "self.multihead_attn = MultiHeadAttention(d_model, num_heads, dropout)",
    "self.multihead_attn = self.self_attn")

wrong(LAYER, "attentions_exchanged", BOTH,
    "self_attn and multihead_attn have changed places: multihead_attn reads the memory.",
    "self.self_attn(y", "self.multihead_attn(y",
    "self.multihead_attn(y, mem", "self.self_attn(y, mem")

wrong(LAYER, "memory_detached", BOTH,
    """You detach the memory: no gradient flows back through it, and the encoder never learns what
    the decoder needs.""",
    READ, "self.multihead_attn(y, memory.detach(), mask=memory_mask")

# The norms, which the connections hold ------------------------------------------------------------

wrong(LAYER, "memory_normalised", "pre_norm",
    """In pre-norm your norm2 falls on the memory too: it belongs to the target. The memory is read
    as the encoder has left it.""",
    READ, "self.multihead_attn(y, "
    "self.residual2.norm(memory) if self.residual1.norm_first else memory, mask=memory_mask")

wrong(LAYER, "memory_normalised_always", BOTH,
    """Your norm2 falls on the memory too: it belongs to the target. The memory is read as the
    encoder has left it, in both orders.""",
    READ, "self.multihead_attn(y, self.residual2.norm(memory), mask=memory_mask")

wrong(LAYER, "only_the_memory_normalised", "pre_norm",
    """In pre-norm norm2 falls on the memory instead of on the target: normalise what asks, not what
    is read.""",
    READ, "self.multihead_attn(y, "
    "self.residual2.norm(memory) if self.residual1.norm_first else memory, mask=memory_mask",
    *second(pre="x + D(B(x))"))

wrong(LAYER, "attends_to_the_unnormalised", "pre_norm",
    """In pre-norm your self-attention works on tgt itself: it is to work on norm1(tgt), which the
    SublayerConnection hands to your function.""",
    LOOK, "self.self_attn(tgt, mask=tgt_mask")

wrong(LAYER, "asks_with_the_unnormalised", "pre_norm",
    """In pre-norm your cross-attention is asked with x itself: it is to be asked with norm2(x),
    which the SublayerConnection hands to your function.""",
    *second(pre="x + D(B(x))"))

wrong(LAYER, "attentions_on_the_unnormalised", "pre_norm",
    """In pre-norm both of your attentions work on x itself, as where they are called beside their
    SublayerConnection, which is handed a function that only gives back the finished result. They
    are to work on norm(x): hand over a function that calls the attention with what it is given.""",
    *first(pre="x + D(B(x))"), *second(pre="x + D(B(x))"))

wrong(LAYER, "network_on_the_unnormalised", "pre_norm",
    """In pre-norm your feed-forward network works on x itself: it is to work on norm3(x), which the
    SublayerConnection hands to what it is given. Hand it self.feed_forward.""",
    *third(pre="x + D(B(x))"))

wrong(LAYER, "every_branch_on_the_unnormalised", "pre_norm",
    """In pre-norm none of your three branches works on norm(x): each is given x itself. Hand each
    SublayerConnection a function, and call attention and network with what that function is
    given.""",
    *each(pre="x + D(B(x))"))

wrong(LAYER, "one_norm_for_all", BOTH,
    """residual1, residual2 and residual3 are one and the same module, so the weights of their norms
    are tied: make three.""",
    f"self.residual2 = {CONNECTION}, norm_first)", "self.residual2 = self.residual1",
    MADE, "self.residual3 = self.residual1")

wrong(FORWARD, "first_norm_thrice", BOTH,
    """You use residual1 for all three sub-layers, and the norms of the others get no gradient: each
    sub-layer has its own.""",
    "self.residual2", "self.residual1", "self.residual3", "self.residual1")

wrong(FORWARD, "first_connection_for_the_reading", BOTH,
    """You use residual1 for the cross-attention as well, and residual2 for nothing: each sub-layer
    has its own connection, with its own norm.""",
    SECOND, "self.residual1(x, read)")

wrong(FORWARD, "second_connection_for_the_network", BOTH,
    """You use residual2 for the feed-forward network as well, and residual3 for nothing: each
    sub-layer has its own connection, with its own norm.""",
    THIRD, "self.residual2(x, self.feed_forward)")

wrong(LAYER, "third_connection_is_the_first", BOTH,
    """Your residual1 and residual3 have one and the same norm, for they are one module or a shallow
    copy (copy.copy) of it: make a new SublayerConnection for each sub-layer.""",
    MADE, "self.residual3 = self.residual1")

wrong(LAYER, "third_connection_is_the_second", BOTH,
    """Your residual2 and residual3 have one and the same norm, for they are one module or a shallow
    copy (copy.copy) of it: make a new SublayerConnection for each sub-layer.""",
    MADE, "self.residual3 = self.residual2")

wrong(LAYER, "the_input_reads", BOTH,
    """Your cross-attention is asked with the layer's input, as if there had been no
    self-attention: ask with what the connection hands to the branch.""",
    READ, "self.multihead_attn(tgt, memory, mask=memory_mask")

wrong(FORWARD, "first_connection_for_the_network", BOTH,
    """You use residual1 for the feed-forward network as well, and residual3 for nothing: each
    sub-layer has its own connection, with its own norm.""",
    THIRD, "self.residual1(x, self.feed_forward)")

wrong(FORWARD, "first_two_connections_exchanged", BOTH,
    "residual1 and residual2 have changed places: residual1 belongs to the self-attention.",
    FIRST, "self.residual2(tgt, look)", SECOND, "self.residual1(x, read)")

wrong(FORWARD, "reading_without_its_connection", f"{BOTH} straight_way",
    """Your cross-attention is called on x itself, without residual2: x is lost, and nothing is
    normalised. Each sub-layer goes through a SublayerConnection.""",
    SECOND, "read(x)")

wrong(FORWARD, "sublayers_without_their_connections", f"{BOTH} straight_way",
    """Your attentions and your feed-forward network are called themselves, past the connections:
    nothing is added to what they are given, and nothing is normalised. Hand each of the three to
    its SublayerConnection, which calls it.""",
    FIRST, "look(tgt)", SECOND, "read(x)", THIRD, "self.feed_forward(x)")

wrong(FORWARD, "network_without_its_connection", f"{BOTH} straight_way",
    """Your feed-forward network is called on x itself, without residual3: x is lost, and nothing is
    normalised. Each sub-layer goes through a SublayerConnection.""",
    THIRD, "self.feed_forward(x)")

wrong(LAYER, "norms_exchanged", BOTH,
    "residual2 and residual3 have changed places: residual2 belongs to the cross-attention.",
    SECOND, "self.residual3(x, read)", THIRD, "self.residual2(x, self.feed_forward)")

wrong(MAKING, "order_of_norms_turned_round", f"{BOTH} straight_way",
    """Your layer has the two orders the wrong way round: pre-norm where norm_first is False, and
    post-norm where it is True. Hand norm_first on as it is, without `not`.""",
    *("dropout, norm_first)", "dropout, not norm_first)") * 3)

wrong(MAKING, "options_of_the_connections_exchanged", "pre_norm",
    """You hand norm_first and dropout to a SublayerConnection in the wrong order: it takes d_model,
    dropout, norm_first. Write norm_first=norm_first.""",
    *("dropout, norm_first)", "norm_first, dropout)") * 3)

wrong(LAYER, "post_norm_always", "pre_norm straight_way",
    """Where norm_first asks for pre-norm, your layer is post-norm: hand norm_first to all three
    connections.""",
    *("dropout, norm_first)", "dropout, False)") * 3)

wrong(LAYER, "pre_norm_always", "post_norm straight_way",
    """Where norm_first is False, your layer is pre-norm: a SublayerConnection that is told nothing
    is pre-norm, so hand norm_first to all three.""",
    *("dropout, norm_first)", "dropout)") * 3)

wrong(LAYER, "first_always_pre_norm", "post_norm straight_way",
    "Your first connection is pre-norm whatever norm_first says: hand norm_first to all three.",
    f"self.residual1 = {CONNECTION}, norm_first)", f"self.residual1 = {CONNECTION})")

wrong(LAYER, "second_always_pre_norm", "post_norm straight_way",
    "Your second connection is pre-norm whatever norm_first says: hand norm_first to all three.",
    f"self.residual2 = {CONNECTION}, norm_first)", f"self.residual2 = {CONNECTION})")

wrong(LAYER, "third_always_pre_norm", "post_norm straight_way",
    "Your third connection is pre-norm whatever norm_first says: hand norm_first to all three.",
    MADE, f"self.residual3 = {CONNECTION})")

wrong(MAKING, "pre_norm_by_default", "post_norm",
    """Without norm_first your layer is pre-norm: the default is norm_first=False, the order of the
    first Transformer.""",
    "norm_first: bool = False", "norm_first: bool = True")

wrong(LAYER, "norms_between_branch_and_sum", BOTH,
    """You normalise each branch before it is added: a norm stands before the branch (pre-norm) or
    after the sum (post-norm), never between.""",
    *each(*["x + N(D(B(x)))"] * 2))

wrong(LAYER, "second_norm_forgotten", "post_norm straight_way",
    """In post-norm the sum of the target and what was read in the memory is not normalised: norm2
    comes after it.""",
    *second(post="x + D(B(x))"))

wrong(LAYER, "third_norm_forgotten", "post_norm straight_way",
    "In post-norm your last sum is not normalised: norm3 comes after it.",
    *third(post="x + D(B(x))"))

# The options of the parts -------------------------------------------------------------------------

wrong(LAYER, "relu_always", "options",
    "Your layer always uses relu: hand `activation` to the feed-forward network.",
    "dropout, activation)", "dropout)")

wrong(LAYER, "relu_whatever_is_asked_for", "options",
    """You look whether you know the activation, and then do not hand it on: your feed-forward
    network uses relu whatever it is.""",
    "dropout, activation)", 'dropout, "relu" if activation == "gelu" else activation)')

wrong(LAYER, "any_word_will_do", "refuses_an_unknown_activation",
    """Your layer takes any activation, also one that it does not know: a word that is neither
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
    *each(pre=f"({PRE} if self.training else {POST})"))

# Masks and sizes ----------------------------------------------------------------------------------

wrong(LAYER, "memory_mask_with_one_axis_more", "memory_mask",
    """You give memory_mask one axis more before the cross-attention gets it. Your
    MultiHeadAttention takes masks of two axes and of four as they are: hand it on.""",
    *masked(READ, "memory_mask", "memory_mask.unsqueeze(1)"))

wrong(LAYER, "target_mask_with_one_axis_more", "target_mask",
    """You give tgt_mask one axis more before the self-attention gets it. Your MultiHeadAttention
    takes masks of two axes and of four as they are: hand it on.""",
    *masked(LOOK, "tgt_mask", "tgt_mask.unsqueeze(1)"))

wrong(LAYER, "target_mask_ignored", "target_mask no_look_ahead",
    """Your layer takes no notice of tgt_mask: with a causal mask a token would still read the
    answer it is to predict.""",
    LOOK, "self.self_attn(y")

wrong(LAYER, "memory_mask_ignored", "memory_mask padding_of_the_memory_is_not_seen",
    "Your layer takes no notice of memory_mask: the source's padding is read.",
    READ, "self.multihead_attn(y, memory")

wrong(LAYER, "memory_mask_of_two_axes_lost", "memory_mask",
    """A memory_mask of two axes, (T, S), never reaches your cross-attention: one of four axes does,
    and your MultiHeadAttention takes both, so hand on every mask that is given.""",
    *masked(READ, "memory_mask", "memory_mask if memory_mask.ndim == 4 else None"))

wrong(LAYER, "target_mask_of_two_axes_lost", "target_mask no_look_ahead",
    """A tgt_mask of two axes, (T, T), never reaches your self-attention: one of four axes does, and
    your MultiHeadAttention takes both, so hand on every mask that is given.""",
    *masked(LOOK, "tgt_mask", "tgt_mask if tgt_mask.ndim == 4 else None"))

wrong(FORWARD, "masks_exchanged", "masks_do_not_mix",
    """Your masks have changed places: tgt_mask is the self-attention's, memory_mask the
    cross-attention's.""",
    "mask=tgt_mask", "mask=memory_mask", "memory, mask=memory_mask", "memory, mask=tgt_mask")

wrong(FORWARD, "target_mask_on_the_memory_too", "masks_do_not_mix",
    """Your tgt_mask rules the cross-attention as well: a target token may read the whole memory,
    whatever its place in the target.""",
    "mask=memory_mask", "mask=tgt_mask if memory_mask is None else memory_mask")

wrong(FORWARD, "target_mask_on_both", "masks_do_not_mix",
    """Your cross-attention obeys tgt_mask and forgets memory_mask: hand the one to self_attn and
    the other to multihead_attn.""",
    "mask=memory_mask", "mask=tgt_mask")

wrong(FORWARD, "masks_combined", "masks_do_not_mix",
    """Where both masks are given you combine them into one for both attentions: each attention has
    its own.""",
    "maps: list", """if tgt_mask is not None and memory_mask is not None:
            tgt_mask = memory_mask = tgt_mask & memory_mask
        maps: list""")

wrong(LAYER, "target_mask_the_wrong_way_round", "target_mask",
    """Your tgt_mask is the wrong way round when the self-attention gets it: True = may attend,
    there as here, so hand it on without ~. A causal mask turned round hides from a token itself and
    all that came before it.""",
    *masked(LOOK, "tgt_mask", "~tgt_mask"))

wrong(LAYER, "memory_mask_the_wrong_way_round", "memory_mask",
    """Your memory_mask is the wrong way round when the cross-attention gets it: True = may attend,
    there as here, so hand it on without ~, or the padding alone is read.""",
    *masked(READ, "memory_mask", "~memory_mask"))

wrong(LAYER, "masks_the_wrong_way_round", "target_mask memory_mask",
    """Your masks are the wrong way round: your MultiHeadAttention takes True = may attend, as this
    layer does. Only nn.MultiheadAttention wants True = may not.""",
    *masked(LOOK, "tgt_mask", "~tgt_mask"), *masked(READ, "memory_mask", "~memory_mask"))

wrong(LAYER, "mask_in_the_place_of_the_value", "memory_mask",
    """You hand memory_mask to the cross-attention by its place alone, and behind the key stands the
    value: write mask=memory_mask.""",
    READ, "self.multihead_attn(y, memory, memory_mask")

wrong(LAYER, "rows_of_the_memory_mask_taken_for_sentences", "memory_mask equal_sizes",
    """You take a memory_mask of two axes for (B, S), one row for each sentence: it is (T, S), one
    row for each target token, and holds for every sentence. Hand it on as it is.""",
    *masked(READ, "memory_mask",
            "memory_mask[:, None, None] if memory_mask.ndim == 2 else memory_mask"))

wrong(LAYER, "mask_in_the_place_of_the_key", "target_mask",
    """You hand tgt_mask to the attention by its place alone, and there stands the key, and behind
    it the value: write mask=tgt_mask.""",
    LOOK, "self.self_attn(y, tgt_mask")

wrong(LAYER, "causal_whatever_is_given", f"{BOTH} target_mask",
    """Your self-attention is always causal, with a tgt_mask and without one. Whether a token may
    look ahead says the caller, by tgt_mask: hand that on alone, without is_causal and without a
    triangle of your own.""",
    LOOK, f"{LOOK}, is_causal=True")

wrong(LAYER, "causal_by_itself", BOTH,
    """Your layer is causal by itself: without a tgt_mask every target token may look at every
    other. The causal mask is the caller's.""",
    LOOK, f"self.self_attn(y, mask={PAST} if tgt_mask is None else tgt_mask")

wrong(LAYER, "causal_as_well", "target_mask",
    """Your layer always adds a causal mask to the one it is given: a tgt_mask that lets a token
    look ahead is the caller's wish.""",
    LOOK, f"{LOOK}, is_causal=tgt_mask is not None")

wrong(LAYER, "masks_of_the_first_sentence", "target_mask memory_mask",
    "You use the masks of the first sentence for all: every sentence has its own.",
    *masked(LOOK, "tgt_mask", "tgt_mask[:1] if tgt_mask.ndim == 4 else tgt_mask"),
    *masked(READ, "memory_mask", "memory_mask[:1] if memory_mask.ndim == 4 else memory_mask"))

wrong(LAYER, "target_mask_of_the_first_head", "target_mask",
    "You use the tgt_mask of head 0 for all heads: a mask (B, H, T, T) has one for each.",
    *masked(LOOK, "tgt_mask", "tgt_mask[:, :1] if tgt_mask.ndim == 4 else tgt_mask"))

wrong(LAYER, "memory_mask_of_the_first_head", "memory_mask",
    "You use the memory_mask of head 0 for all heads: a mask (B, H, T, S) has one for each.",
    *masked(READ, "memory_mask", "memory_mask[:, :1] if memory_mask.ndim == 4 else memory_mask"))

wrong(FORWARD, "two_axes_taken_for_padding", "any_size",
    """Where there are as many sentences as tokens you take a tgt_mask of two axes for one row a
    sentence: it is (T, T), who may look at whom, for every sentence.""",
    "maps: list", "if tgt_mask is not None and tgt_mask.shape == tgt.shape[:2]:\n"
    "            tgt_mask = tgt_mask[:, None, None]\n        maps: list")

wrong(FORWARD, "target_mask_changed_in_place", "target_mask",
    """You change the caller's tgt_mask in place: the next layer gets another one. ~mask or a & b
    make a new one.""",
    "maps: list",
    "tgt_mask is None or tgt_mask.ndim < 4 or tgt_mask.logical_or_(tgt_mask[:1])\n"
    "        maps: list")

wrong(LAYER, "mask_on_the_cpu", "other_devices",
    "You make a tensor on the CPU, such as a mask, wherever tgt is: pass device=tgt.device.",
    *masked(LOOK, "tgt_mask", "torch.ones(tgt.shape[1], tgt.shape[1]).bool() & tgt_mask"))

wrong(LAYER, "memory_in_float32", BOTH,
    """You turn what an attention is given into float32, the memory or the target: the layer is to
    work in the dtype it is given.""",
    READ, "self.multihead_attn(y, memory.float(), mask=memory_mask")

wrong(LAYER, "target_mask_left_out_in_eval", "target_mask",
    """After eval() your layer takes no notice of tgt_mask: a mask holds in both modes, only dropout
    does not.""",
    LOOK, f"{LOOK} if self.training else None")

wrong(LAYER, "memory_mask_left_out_in_eval", "memory_mask",
    """After eval() your layer takes no notice of memory_mask: a mask holds in both modes, only
    dropout does not.""",
    READ, f"{READ} if self.training else None")

wrong(FORWARD, "masks_exchanged_in_pre_norm", "target_mask memory_mask masks_do_not_mix",
    """In pre-norm your masks have changed places: tgt_mask is the self-attention's, memory_mask the
    cross-attention's.""",
    "maps: list", "if self.residual1.norm_first:\n"
    "            tgt_mask, memory_mask = memory_mask, tgt_mask\n        maps: list")

wrong(LAYER, "memory_mask_kept_by_its_shape", "memory_mask",
    """You keep memory_mask by its shape: another mask of the same shape is another one. Take the
    one that is given in every call.""",
    *masked(READ, "memory_mask",
            "vars(DecoderLayer.__init__).setdefault(memory_mask.shape, memory_mask)"))

wrong(LAYER, "long_memories_cut", "any_size",
    """You read the first 32 tokens of the memory and no more: a source sentence may be of any
    length.""",
    READ, "self.multihead_attn(y, memory[:, :32], "
    "mask=memory_mask if memory_mask is None else memory_mask[..., :32]")

wrong(LAYER, "same_lengths_taken_for_self_attention", "equal_sizes",
    """Where memory and target have one shape you read the target: whether there is a memory is not
    told by its shape.""",
    READ, "self.multihead_attn(y, y if len(set(y.shape) | set(memory.shape)) == 1 else memory, "
    "mask=memory_mask")

wrong(LAYER, "memory_kept_in_eval", "no_dropout_in_evaluation",
    """After eval() your layer keeps the first memory it reads, as for generating: every call brings
    its own.""",
    READ, "self.multihead_attn(y, memory if self.training else "
    'vars(self).setdefault("memory", memory), mask=memory_mask')

wrong(LAYER, "one_token_squeezed", "any_size example",
    """Where there is but one target token your layer throws its axis away: squeeze has no place
    here.""",
    THIRD, f"{THIRD}.squeeze(1)")

wrong(LAYER, "remembers_the_memory", "any_size",
    """Your layer keeps the first memory it reads and reads it ever after: every call brings its
    own.""",
    READ, 'self.multihead_attn(y, vars(self).setdefault("memory", memory), mask=memory_mask')

wrong(LAYER, "sum_in_place", "pre_norm",
    "You write tgt += ..., which changes the caller's own tgt: write x = tgt + ...",
    *each(pre="x.add_(D(B(N(x))))"))

# Dropout ------------------------------------------------------------------------------------------

wrong(LAYER, "drops_after_eval", "no_dropout_in_evaluation",
    """Your dropout acts after eval() as well: F.dropout must be told training=self.training, as
    must whoever is handed a probability; nn.Dropout knows by itself.""",
    *each("x + nn.functional.dropout(B(N(x)), self.self_attn.dropout.p)",
          "N(x + nn.functional.dropout(B(x), self.self_attn.dropout.p))"))

wrong(MAKING, "a_tenth_always", "no_dropout_in_evaluation",
    "Your layer always drops one number in ten: the argument `dropout` says how many.",
    "super().__init__()", "super().__init__(); dropout = 0.1")

wrong(LAYER, "drops_after_the_connection", "straight_way",
    """Dropout falls on the target itself, as where what a SublayerConnection returns is dropped
    once more: the connection has dropped from the branch already, and nothing else may be
    missing.""",
    FIRST, f"self.residual1.dropout({FIRST})", SECOND, f"self.residual2.dropout({SECOND})",
    THIRD, f"self.residual3.dropout({THIRD})")

wrong(LAYER, "drops_the_given", "dropout_in_training",
    """Dropout falls on what your branches are given: norm results and memory go in whole, and what
    is added at the end is dropped.""",
    *each("x + D(B(D(N(x))))", "N(x + D(B(D(x))))"))

wrong(LAYER, "drops_the_memory", "dropout_in_training",
    "Dropout falls on the memory: it is read whole, and what was read is dropped.",
    READ, "self.multihead_attn(y, self.residual2.dropout(memory), mask=memory_mask")

wrong(LAYER, "both_attentions_dropped_twice", "dropout_in_training",
    """You drop what both attentions return, and the connection drops it once more: it is the
    connection that does so. A layer has no dropout of its own.""",
    "found, weights = self.self_attn(y, mask=tgt_mask, need_weights=True)",
    "found, weights = self.self_attn(y, mask=tgt_mask, need_weights=True)\n"
    "            found = self.residual1.dropout(found)",
    "found, weights = self.multihead_attn(y, memory, mask=memory_mask, need_weights=True)",
    "found, weights = self.multihead_attn(y, memory, mask=memory_mask, need_weights=True)\n"
    "            found = self.residual2.dropout(found)")

wrong(LAYER, "network_dropped_twice", "dropout_in_training",
    """You drop what the feed-forward network returns, and the connection drops it once more: leave
    that to the connection. A layer has no dropout of its own.""",
    THIRD, "self.residual3(x, lambda y: self.residual3.dropout(self.feed_forward(y)))")

wrong(LAYER, "no_branch_dropped", "dropout_in_training",
    "Nothing of what your three branches add is dropped: hand `dropout` to all three connections.",
    *("dropout, norm_first)", "0.0, norm_first)") * 3)

wrong(LAYER, "self_attention_not_dropped", "dropout_in_training",
    "What the self-attention adds is never dropped: dropout falls on all three branches.",
    f"self.residual1 = {CONNECTION}", "self.residual1 = SublayerConnection(d_model, 0.0")

wrong(LAYER, "cross_attention_not_dropped", "dropout_in_training",
    "What the cross-attention adds is never dropped: dropout falls on all three branches.",
    f"self.residual2 = {CONNECTION}", "self.residual2 = SublayerConnection(d_model, 0.0")

wrong(LAYER, "network_not_dropped", "dropout_in_training",
    "What the feed-forward network adds is never dropped: dropout falls on all three branches.",
    f"self.residual3 = {CONNECTION}", "self.residual3 = SublayerConnection(d_model, 0.0")

wrong(LAYER, "self_attention_weights_not_dropped", "dropout_in_training",
    "No weight of your self-attention is ever dropped: hand `dropout` to that attention too.",
    "self_attn = MultiHeadAttention(d_model, num_heads, dropout",
    "self_attn = MultiHeadAttention(d_model, num_heads")

wrong(LAYER, "cross_attention_weights_not_dropped", "dropout_in_training",
    "No weight of your cross-attention is ever dropped: hand `dropout` to that attention too.",
    "multihead_attn = MultiHeadAttention(d_model, num_heads, dropout",
    "multihead_attn = MultiHeadAttention(d_model, num_heads")

wrong(MAKING, "attention_weights_not_dropped", "dropout_in_training",
    "No weight of your attentions is ever dropped: hand `dropout` to both.",
    *("num_heads, dropout", "num_heads") * 2)

wrong(LAYER, "activations_not_dropped", "dropout_in_training",
    "No activation is ever dropped: hand `dropout` to the feed-forward network.",
    f"{NETWORK}dropout", f"{NETWORK}0.0")

wrong(LAYER, "activations_dropped_as_by_default", BOTH,
    """Your feed-forward network is not told `dropout` and takes its own default: hand it on.""",
    f"{NETWORK}dropout, activation)", f"{NETWORK}activation=activation)")

wrong(MAKING, "network_told_to_drop_its_output", "dropout_in_training",
    """You make the feed-forward network with drop_output=True: it then drops its output, which the
    connection drops already, and no activation. Leave drop_output out.""",
    f"{NETWORK}dropout, activation)", f"{NETWORK}dropout, activation, drop_output=True)")

wrong(MAKING, "no_dropout_by_default", "dropout_in_training",
    """Without `dropout` it is not one number in ten that is dropped: its default is 0.1, not 0.0 or
    another.""",
    "dropout: float = 0.1", "dropout: float = 0.0")

wrong(FORWARD, "attention_weights_dropped_in_eval", "no_dropout_in_evaluation",
    """Weights of your cross-attention are dropped after eval() as well: what is handed a
    probability, like scaled_dot_product_attention, gets 0 unless self.training.""",
    "maps: list", "self.multihead_attn.train(); maps: list")

wrong(LAYER, "branches_shrunk_in_eval", "no_dropout_in_evaluation",
    """Your branches grow in training and shrink after eval() as well: the one is there to spare the
    other.""",
    "return found", "return found if self.training else found * (1 - self.self_attn.dropout.p)")

wrong(LAYER, "no_dropout_in_post_norm", "dropout_with_other_options",
    """In post-norm what you read in the memory is not dropped: dropout falls at the same places in
    both orders.""",
    *second(post="N(x + B(x))"))

wrong(LAYER, "gelus_not_dropped", "dropout_with_other_options",
    """With activation="gelu" no activation is dropped: dropout does not depend on the
    activation.""",
    f"{NETWORK}dropout", f'{NETWORK}dropout if activation == "relu" else 0.0')

wrong(LAYER, "reading_not_dropped_under_a_mask", "dropout_with_other_options",
    """With memory_mask what you read in the memory is not dropped: dropout falls with a mask and
    without.""",
    *second("x + (D(B(N(x))) if memory_mask is None else B(N(x)))",
            "N(x + (D(B(x)) if memory_mask is None else B(x)))"))

wrong(LAYER, "same_dropout_in_both_attentions", "dropout_is_drawn_anew",
    """What is dropped from one branch is dropped from another too, as where one mask is drawn for
    both attentions: draw anew for every branch.""",
    "x = self.residual1", "kept = self.residual1.dropout(torch.ones_like(tgt))\n"
    "        x = self.residual1", *first("x + kept * (B(N(x)))", "N(x + kept * (B(x)))"),
    *second("x + kept * (B(N(x)))", "N(x + kept * (B(x)))"))

wrong(FORWARD, "same_dropout_in_every_call", "dropout_is_drawn_anew",
    """Every call drops the same numbers, as where a layer seeds torch's generator in forward: leave
    the generator alone, and draw anew in every call.""",
    "maps: list", "torch.manual_seed(0)\n        maps: list")

wrong(STACK, "same_dropout_in_every_layer", "dropout_is_drawn_anew",
    """All layers of your stack drop the same numbers, as where each begins with the same state of a
    generator: every layer draws anew.""",
    "x = tgt", "x = tgt; state = torch.get_rng_state()",
    STEP, f"torch.set_rng_state(state)\n            {STEP}")

# How a layer begins -------------------------------------------------------------------------------

wrong(MAKING, "seeds_the_generator", "fresh_weights",
    """Every layer begins with the same weights, as where torch's generator is seeded when one is
    made: leave that to whoever trains, and draw anew for every layer.""",
    "super().__init__()", "super().__init__(); torch.manual_seed(0)")

wrong(LAYER, "begins_with_zeros", "fresh_weights",
    """A matrix begins with zeros, with one number everywhere or with far too small ones: then all
    neurons of a layer learn the same, or hardly anything. Leave it as your parts begin.""",
    MADE, f"{MADE}\n"
    "        for weights in self.parameters():\n"
    "            weights.dim() > 1 and nn.init.zeros_(weights)")

wrong(LAYER, "norms_begin_with_zeros", "parameters",
    """The weights of a norm do not begin with ones: with zeros, for example, nothing of a branch
    gets through. Leave them as your parts begin.""",
    MADE, f"{MADE}\n"
    "        for weights in self.parameters():\n"
    "            weights.dim() == 1 and nn.init.zeros_(weights)")

wrong(LAYER, "attentions_begin_alike", "fresh_weights",
    """Your two attentions begin with the same weights, as a copy does: each is drawn on its
    own.""",
    MADE, f"{MADE}; self.multihead_attn.load_state_dict(self.self_attn.state_dict())")

# The stack ----------------------------------------------------------------------------------------

wrong(STACK, "memory_replaced", "stack_with_a_norm",
    """Your memory changes from layer to layer, as if it went through the stack as well: every layer
    reads what the encoder has left.""",
    STEP, f"{STEP}; memory = x")

wrong(STACK, "memory_replaced_without_the_maps", "stack_with_a_norm",
    """Without need_weights your memory changes from layer to layer, as if it went through the stack
    as well: every layer reads what the encoder has left, whatever is returned.""",
    STEP, f"{STEP}; memory = memory if need_weights else x")

wrong(STACK, "stack_reads_itself", "stack_with_a_norm",
    """Your stack hands every layer x in the place of the memory, so the source is never read: the
    second argument is the memory, the same for all layers.""",
    "layer(x, memory,", "layer(x, x,")

wrong(STACK, "stack_normalises_the_memory", "stack_with_a_norm",
    """Your stack normalises the memory before it is read: the norm belongs to the result of the
    last layer.""",
    "x = tgt", "x, memory = tgt, memory if self.norm is None else self.norm(memory)")

wrong(STACK, "one_layer_many_times", "stack_with_a_norm layers_share_nothing",
    """Your N layers are the layer itself N times, as [layer] * N or copy.copy make it: one set of
    weights. Make a deep copy for each place.""",
    "copy.deepcopy(layer)", "layer")

wrong(STACK, "one_copy_many_times", "stack_with_a_norm",
    "One deep copy stands at all N places, so all share its weights: copy anew for each.",
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
    """A Python list, tuple or dict hides your layers: the stack has no parameters to train, to move
    or to save. Use nn.ModuleList.""",
    "nn.ModuleList(", "list(")

wrong(STACK, "keeps_the_layer_too", STACKS,
    """Your stack keeps the layer it was made from beside its copies: parameters that are saved and
    never used.""",
    "self.norm = norm", "self.norm, self.layer = norm, layer")

wrong(STACK, "fresh_weights", "layers_begin_as_copies",
    """Your stack's layers begin with fresh random weights: they are copies of the layer given, so
    they begin with its weights.""",
    "self.norm = norm",
    "self.norm = norm; [nn.init.normal_(weights) for weights in self.layers.parameters()]")

wrong(STACK, "only_the_last_counts", STACKS,
    """Every layer of your stack gets the first target, so only the last one counts: hand on what
    the one before returned.""",
    "x, own, cross = layer(", "y, own, cross = layer(",
    RESULT, "y if self.norm is None else self.norm(y)")

wrong(STACK, "results_unheard", STACKS,
    """Your stack hands back the target that it was given: what its layers return gets lost, or gets
    another name than the target's. Give it the name that the next layer is called with first.""",
    "x, own, cross = layer(", "_, own, cross = layer(")

wrong(STACK, "sides_exchanged", STACKS,
    """Your stack hands its layers the memory as their target and the target as their memory: the
    target comes first.""",
    "layer(x, memory,", "layer(memory, x,")

wrong(STACK, "backwards", STACKS,
    "Your stack goes through its layers from the last to the first.",
    "in self.layers", "in reversed(self.layers)")

wrong(STACK, "only_the_first_counts", STACKS,
    "Your stack uses its first layer only: a return inside the loop?",
    "in self.layers", "in self.layers[:1]")

wrong(STACK, "returns_all_results", STACKS,
    "You return the results of all layers: only the last one's is asked for.",
    LOOP, "results = [x := layer(x, memory, tgt_mask, memory_mask) for layer in self.layers]",
    NORMED, f"x = [{RESULT} for x in results]\n        return")

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

wrong(STACK, "norm_before_the_first_layer", "stack_with_a_norm",
    """Your stack applies its norm to the target before the first layer: it comes once, on the
    result of the last one.""",
    "x = tgt\n", "x = tgt if self.norm is None else self.norm(tgt)\n", NORMED, "return")

wrong(STACK, "target_added_at_the_end", STACKS,
    """You add the target once more to the result of the last layer: every connection inside the
    layers has added its own already.""",
    f"x = {RESULT}", f"x = x + tgt\n        x = {RESULT}")

wrong(STACK, "only_some_layers_are_gone_through", "stack_without_a_norm",
    """Your stack goes through its first layers and leaves out others: it goes through all, however
    many there are.""",
    "in self.layers:", "in self.layers[:4]:")

wrong(STACK, "later_layers_begin_anew", "layers_begin_as_copies",
    """You give the copies new weights to start with: they begin with those of the layer that the
    stack is made from.""",
    "self.norm = norm", "self.norm = norm\n        for w in self.layers[1:].parameters():\n"
    "            nn.init.normal_(w)")

wrong(STACK, "matrices_drawn_anew", "layers_begin_as_copies",
    """Your stack draws its matrices anew, by nn.init, as a whole model does: its layers begin with
    the weights of the layer given.""",
    "self.norm = norm", "self.norm = norm\n        for w in self.parameters():\n"
    "            w.dim() > 1 and nn.init.xavier_uniform_(w)")

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

wrong(STACK, "norm_demanded", "stack_without_a_norm",
    "Your stack cannot do without a norm: where it is None, return the last layer's result.",
    RESULT, "self.norm(x)")

wrong(STACK, "final_norm_only_in_training", "stack_with_a_norm",
    "After eval() your stack leaves its norm out: it is used in both modes.",
    "self.norm is None", "self.norm is None or not self.training")

wrong(STACK, "masks_only_in_training", "every_layer_gets_both_masks",
    "After eval() your stack keeps the masks to itself: hand them to every layer in both modes.",
    STEP, f"{STEP} if self.training else layer(x, memory, need_weights=True)")

wrong(STACK, "memory_mask_only_in_training", "every_layer_gets_both_masks",
    "After eval() your stack keeps memory_mask to itself: hand it to every layer in both modes.",
    "tgt_mask, memory_mask, need", "tgt_mask, memory_mask if self.training else None, need")

wrong(STACK, "takes_the_norm_for_a_layer_norm", "stack_with_a_norm",
    """You take the norm's weights and normalise yourself: call the module that you were given,
    whatever it is.""",
    "self.norm(x)", "nn.functional.layer_norm(x, x.shape[-1:], *self.norm.parameters())")

wrong(STACK, "norm_begun_anew", "layers_begin_as_copies",
    """You set the norm that you were given back to ones and zeros: it is used as it is.""",
    "self.norm = norm", "self.norm = norm; norm is None or [nn.init.ones_(w) for w in "
    "norm.parameters()]")

wrong(STACK, "norms_shared", "layers_share_nothing",
    """Your layers share a norm with the layer they were copied from: a deep copy of all of it
    shares nothing.""",
    "copy.deepcopy(layer)",
    "copy.deepcopy(layer, {id(layer.residual1.norm): layer.residual1.norm})")

# The attention weights ----------------------------------------------------------------------------

wrong(LAYER, "self_and_cross_exchanged", SHOWN,
    """Your layer returns the weights of the cross-attention before those of the self-attention:
    (result, self_weights, cross_weights) is the order.""",
    "maps[0], maps[1])", "maps[1], maps[0])")

wrong(LAYER, "self_weights_twice", SHOWN,
    """Your layer returns the weights of its self-attention twice: the last ones are those of the
    cross-attention, (B, H, T, S).""",
    "maps[0], maps[1])", "maps[0], maps[0])")

wrong(LAYER, "weights_in_a_pair_of_their_own", "layer_returns_its_weights",
    """With need_weights your layer returns (result, (self_weights, cross_weights)): return three
    things side by side, without the inner brackets.""",
    "(x, maps[0], maps[1])", "(x, (maps[0], maps[1]))")

wrong(LAYER, "weights_averaged_over_heads", SHOWN,
    """The attention weights you return are averaged over the heads, as nn.MultiheadAttention does
    it: return those of every head.""",
    "maps[0], maps[1])", "maps[0].mean(1), maps[1].mean(1))")

wrong(LAYER, "one_map_for_all_heads", SHOWN,
    """You return the mean of all heads, on an axis of size 1: return the weights of every head, as
    the attention gives them.""",
    "maps[0], maps[1])", "maps[0].mean(1, keepdim=True), maps[1].mean(1, keepdim=True))")

wrong(LAYER, "cross_weights_transposed", SHOWN,
    """The weights of your cross-attention are turned round: a row is what one target token takes
    from the memory, so they are (B, H, T, S).""",
    "maps[1])", "maps[1].mT)")

wrong(LAYER, "self_weights_transposed", SHOWN,
    """The weights of your self-attention are turned round: a row is what one token takes from all
    others, so rows sum to one, not columns.""",
    "maps[0],", "maps[0].mT,")

wrong(LAYER, "cross_weights_of_the_unnormalised", "layer_returns_its_weights",
    """In pre-norm the cross-attention's weights that you return are those of x itself. It is asked
    with norm2(x): return the weights that it used.""",
    SECOND, "(h := x, self.residual2(x, read))[1]",
    "maps[1])", "self.multihead_attn(h, memory, mask=memory_mask, need_weights=True)[1])")

wrong(LAYER, "cross_weights_of_the_target_itself", "layer_returns_its_weights",
    """You ask the cross-attention once more, with the layer's input, and return those weights:
    return the ones with which the result was made.""",
    "maps[1])", "self.multihead_attn(tgt, memory, mask=memory_mask, need_weights=True)[1])")

wrong(LAYER, "weights_always", BOTH,
    """Your layer returns its attention weights also when nobody asked for them: without
    need_weights the result alone is returned.""",
    f"return {WEIGHTS}", "return x, maps[0], maps[1]")

wrong(LAYER, "weights_detached", "maps_with_other_options",
    """The attention weights you return are detached: gradients flow back through them too. Whoever
    only looks at them can detach them.""",
    "maps[0], maps[1])", "maps[0].detach(), maps[1].detach())")

wrong(LAYER, "only_cross_weights_detached", SHOWN,
    """The weights of your cross-attention are detached: gradients flow back through them too.""",
    "maps[1])", "maps[1].detach())")

wrong(LAYER, "no_memory_mask_for_the_weights", "maps_with_other_options",
    """The cross-attention's weights that you return are those without memory_mask: a forbidden
    token has no weight.""",
    READ, "self.multihead_attn(y, memory, mask=memory_mask)\n"
    "            _, weights = self.multihead_attn(y, memory",
    "found, weights = self.multihead_attn(", "found = self.multihead_attn(")

wrong(LAYER, "weights_of_another_call", SHOWN,
    """The attention weights you return are not those of the call that gave the result: you ask the
    attentions once more, with other inputs. Keep them where the branch calls its attention.""",
    WEIGHTS, "(x, self.self_attn(tgt, mask=tgt_mask, need_weights=True)[1], self.multihead_attn("
    "x, memory, mask=memory_mask, need_weights=True)[1]) if need_weights else x")

wrong(LAYER, "weights_asked_beside_the_branch", "maps_with_other_options",
    """The attention weights you return come from a second call, beside the branch: in pre-norm that
    one lacks the norm of the tokens. Keep them where the branch calls its attention.""",
    "x = self.residual2(x, read)", "asking = x\n        x = self.residual2(x, read)",
    WEIGHTS, "(x, self.self_attn(tgt, mask=tgt_mask, need_weights=True)[1], self.multihead_attn("
    "asking, memory, mask=memory_mask, need_weights=True)[1]) if need_weights else x")

wrong(LAYER, "cross_weights_of_another_call", SHOWN,
    """The weights of your cross-attention are those of a second call, with other queries than those
    that gave the result. Keep them where the branch calls its attention.""",
    WEIGHTS, "(x, maps[0], self.multihead_attn(x, memory, mask=memory_mask, need_weights=True)[1]) "
    "if need_weights else x")

wrong(LAYER, "weights_after_dropout", "maps_in_training",
    """The attention weights you return are the ones after dropout, with zeros in them: return what
    your MultiHeadAttention gives you, which is from before.""",
    "maps[0], maps[1])", "*map(self.self_attn.dropout, maps))")

wrong(LAYER, "weights_of_the_first_call", "layer_returns_its_weights",
    """Your layer keeps the attention weights of its first call and returns them ever after: return
    those of this very call.""",
    "maps: list[Tensor] = []", 'maps = vars(self).setdefault("maps", [])')

wrong(STACK, "no_maps_at_all", "stack_returns_all_maps",
    """With need_weights your stack returns the result alone, and not the maps beside it: collect
    those of every layer in two lists, and return (result, self_maps, cross_maps).""",
    RETURN, "x")

wrong(STACK, "maps_of_the_last_layer_only", "stack_returns_all_maps",
    """Your stack returns the attention weights of its last layer only: keep those of every layer,
    in two lists.""",
    RETURN, "(x, own, cross) if need_weights else x")

wrong(STACK, "lists_with_the_last_maps", "stack_returns_all_maps",
    """Your lists of maps hold the last layer's alone: make the lists before the loop, and append to
    them in the loop.""",
    "self_maps.append(own)", "self_maps = [own]",
    "cross_maps.append(cross)", "cross_maps = [cross]")

wrong(STACK, "last_layers_maps_first", "stack_returns_all_maps",
    "Your lists of maps begin with the last layer's: the first layer's come first.",
    "self_maps.append(own)", "self_maps.insert(0, own)",
    "cross_maps.append(cross)", "cross_maps.insert(0, cross)")

wrong(STACK, "maps_sentence_by_sentence", "stack_returns_all_maps",
    """Your lists hold one map for each sentence of each layer, for += and extend take a tensor
    apart along its first axis: append it, as one map for each layer.""",
    "self_maps.append(own)", "self_maps += own", "cross_maps.append(cross)", "cross_maps += cross")

wrong(STACK, "lists_exchanged", "stack_returns_all_maps",
    """Your stack returns the cross-attention's maps before the self-attention's: (result,
    self_maps, cross_maps) is the order.""",
    "(x, self_maps, cross_maps)", "(x, cross_maps, self_maps)")

wrong(STACK, "all_maps_in_one_list", "stack_returns_all_maps",
    """Your stack returns one list with the maps of both attentions: return two, the
    self-attention's first.""",
    "(x, self_maps, cross_maps)", "(x, self_maps + cross_maps)")

wrong(STACK, "a_pair_for_each_layer", "stack_returns_all_maps",
    """Your stack returns one list with a pair of maps for each layer: return two lists, one for
    each kind of attention.""",
    "(x, self_maps, cross_maps)", "(x, list(zip(self_maps, cross_maps)))")

wrong(STACK, "maps_averaged_over_layers", "stack_returns_all_maps",
    """Your stack returns the mean of its layers' attention weights: return them all, in lists with
    one entry for each layer.""",
    "(x, self_maps, cross_maps)",
    "(x, *(sum(maps) / len(maps) for maps in (self_maps, cross_maps)))")

wrong(STACK, "no_norm_with_the_maps", "stack_returns_all_maps",
    """With need_weights your stack leaves out its norm: the result is the same with the maps and
    without.""",
    RESULT, "x if need_weights or self.norm is None else self.norm(x)")

wrong(STACK, "returns_inside_the_loop_with_maps", "stack_returns_all_maps",
    """With need_weights your stack returns from within the loop, after its first layer: return
    once, when all layers and the norm are done.""",
    "cross_maps.append(cross)",
    "cross_maps.append(cross)\n                return x, self_maps, cross_maps")

wrong(STACK, "no_masks_with_the_maps", "maps_with_other_options",
    """With need_weights your stack keeps the masks to itself: hand them to every layer, whatever is
    returned.""",
    "for layer in", "tgt_mask, memory_mask = (None, None) if need_weights else "
    "(tgt_mask, memory_mask)\n        for layer in")

wrong(STACK, "no_memory_mask_with_the_maps", "maps_with_other_options",
    """With need_weights your stack hands on tgt_mask alone, and keeps memory_mask to itself: its
    layers get both, whatever is returned.""",
    "for layer in", "memory_mask = None if need_weights else memory_mask\n        for layer in")

wrong(STACK, "maps_grow_from_call_to_call", "maps_with_other_options",
    """Your stack keeps its lists of maps from call to call, so they grow: begin new lists in every
    call.""",
    "self_maps: list[Tensor] = []", 'self_maps = vars(self).setdefault("own", [])',
    "cross_maps: list[Tensor] = []", 'cross_maps = vars(self).setdefault("cross", [])')
