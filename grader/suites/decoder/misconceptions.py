"""Wrong answers to ``decoder``: its page with a slip, and what the author is told.

The first entry that fits is the one named, so a special mistake comes before the general one that
looks like it.
"""

from __future__ import annotations

from grader.check import Bank

wrong = Bank()

LAYER, STACK = "DecoderLayer", "Decoder"
MAKING, FORWARD = "DecoderLayer.__init__", "DecoderLayer.forward"
BOTH, STACKS = "post_norm pre_norm", "stack_with_a_norm stack_without_a_norm"

PRE_1 = "x + self._self_attention(self.norm1(x), tgt_mask)"
PRE_2 = "x + self._cross_attention(self.norm2(x), memory, memory_mask)"
PRE_3 = "x + self._feed_forward(self.norm3(x))"
SUM_1 = "x + self._self_attention(x, tgt_mask)"
SUM_2 = "x + self._cross_attention(x, memory, memory_mask)"
SUM_3 = "x + self._feed_forward(x)"
POST_1, POST_2, POST_3 = f"self.norm1({SUM_1})", f"self.norm2({SUM_2})", f"self.norm3({SUM_3})"
INNER, OUTER = "self.activation(self.linear1(x))", "self.linear2(inner)"
LOOK, READ = "self.self_attn, x, x, mask", "self.multihead_attn, x, memory, mask"
PAST = "x.new_ones(x.shape[1], x.shape[1]).tril().bool()"
OF_HEAD_0 = "mask if mask is None or mask.ndim == 2 else mask[:, :1]"

STEP = "x = layer(x, memory, tgt_mask, memory_mask)"
RESULT = "x if self.norm is None else self.norm(x)"

def alike(part):
    """Dropout that draws once for all numbers beside those of ``part``."""
    drawn = f"nn.Dropout.forward(self, torch.ones_like({part}))"
    return f'type("Alike", (nn.Dropout,), {{"forward": lambda self, x: x * {drawn}}})(dropout)'


# The stack's masks, before the layer's, which look the same from outside --------------------------

wrong(STACK, "target_mask_for_the_first_layer_only", "every_layer_gets_both_masks no_look_ahead",
    "Only your first layer gets the causal mask: from the second on, tokens look ahead.",
    STEP, "x, tgt_mask = layer(x, memory, tgt_mask, memory_mask), None")

wrong(STACK, "memory_mask_for_the_first_layer_only", "every_layer_gets_both_masks",
    "Only your first layer gets memory_mask: from the second on, the source's padding is read.",
    STEP, "x, memory_mask = layer(x, memory, tgt_mask, memory_mask), None")

wrong(STACK, "masks_not_handed_on", "every_layer_gets_both_masks no_look_ahead",
    "Your stack keeps both masks to itself: hand them to every layer.",
    STEP, "x = layer(x, memory)")

wrong(STACK, "memory_mask_not_handed_on", "every_layer_gets_both_masks",
    "Your stack keeps memory_mask to itself: hand it to every layer, beside tgt_mask.",
    STEP, "x = layer(x, memory, tgt_mask)")

wrong(STACK, "masks_handed_on_exchanged", "every_layer_gets_both_masks",
    "Your stack hands the masks on in the wrong order: a layer takes tgt_mask first.",
    STEP, "x = layer(x, memory, memory_mask, tgt_mask)")

# The wiring ---------------------------------------------------------------------------------------

wrong(LAYER, "residual_from_the_normalised", "pre_norm straight_way",
    """In pre-norm you write x = norm1(x) and add the branch to that: the straight way must carry x
    as it came, in all three sub-layers. Give norm1(x) no name, or another one.""",
    f"x = {PRE_1}", f"x = self.norm1(x); x = {SUM_1}",
    f"x = {PRE_2}", f"x = self.norm2(x); x = {SUM_2}",
    f"return {PRE_3}", f"x = self.norm3(x); return {SUM_3}")

wrong(LAYER, "no_residuals", f"{BOTH} straight_way",
    "Nothing runs past your sub-layers: each of the three is added to what it was given.",
    *("x + self._", "self._") * 6)

wrong(LAYER, "no_residual_around_the_reading", f"{BOTH} straight_way",
    """Your cross-attention has no residual: what it finds in the memory replaces the target,
    instead of being added to it.""",
    *("x + self._cross_attention", "self._cross_attention") * 2)

wrong(LAYER, "residual_twice", f"{BOTH} straight_way",
    """Your feed-forward branch adds its input itself and your layer adds it again: one residual for
    each branch.""",
    OUTER, f"x + {OUTER}")

wrong(LAYER, "residual_and_norm_twice", BOTH,
    """Your feed-forward branch comes back added and normalised, and your layer adds and normalises
    again. Either the branch does it or the layer, not both.""",
    OUTER, f"self.norm3(x + {OUTER})")

wrong(LAYER, "residuals_from_the_input", BOTH,
    """You add all branches to the layer's input tgt: each straight way begins at the result of the
    sub-layer before, or that result is lost.""",
    *("x + self._cross_attention", "tgt + self._cross_attention") * 2,
    *("x + self._feed_forward", "tgt + self._feed_forward") * 2)

wrong(LAYER, "attentions_side_by_side", BOTH,
    """Your two attentions work side by side on tgt. They come one after the other: the queries for
    the memory are made of what the self-attention sub-layer returns.""",
    "self.norm2(x), memory", "self.norm2(tgt), memory",
    "attention(x, memory", "attention(tgt, memory")

wrong(LAYER, "reads_first", BOTH,
    """Your layer reads the memory before the target's tokens have looked at one another:
    self-attention comes first.""",
    PRE_2, PRE_1, PRE_1, PRE_2, POST_2, POST_1, POST_1, POST_2)

wrong(LAYER, "network_in_the_middle", BOTH,
    "Your feed-forward network comes before the cross-attention: it is the last of the three.",
    PRE_3, PRE_2, PRE_2, PRE_3, POST_3, POST_2, POST_2, POST_3)

wrong(LAYER, "network_forgotten", BOTH,
    "Your feed-forward network is never called: linear1 and linear2 get no gradient.",
    PRE_3, "x", SUM_3, "x")

wrong(LAYER, "self_attention_forgotten", f"{BOTH} target_mask",
    "Your self-attention is never called: no target token learns anything of the others.",
    PRE_1, "x", SUM_1, "x")

wrong(LAYER, "memory_forgotten", f"{BOTH} example",
    """Your cross-attention is never called: the layer would say the same whatever the source
    sentence is.""",
    PRE_2, "x", SUM_2, "x")

# Queries, keys and values -------------------------------------------------------------------------

wrong(LAYER, "reads_the_target", f"{BOTH} example",
    """In your cross-attention keys and values come from the target: it is a second self-attention.
    They come from the memory.""",
    READ, "self.multihead_attn, x, x, None")

wrong(LAYER, "memory_asks", f"{BOTH} masks_do_not_mix",
    """In your cross-attention the sides are exchanged: the memory asks and the target answers.
    Queries come from the target, so there are as many results as target tokens.""",
    READ, "self.multihead_attn, memory, x, mask")

wrong("attend", "values_from_the_target", f"{BOTH} masks_do_not_mix",
    """Your cross-attention takes only its keys from the memory and its values from the target: both
    come from the memory.""",
    "key_value, key_value", "key_value, query")

wrong("attend", "keys_from_the_target", f"{BOTH} masks_do_not_mix",
    """Your cross-attention takes only its values from the memory and its keys from the target: both
    come from the memory.""",
    "key_value, key_value", "query, key_value")

wrong(LAYER, "memory_cut_to_the_target", f"{BOTH} example",
    """Your cross-attention cuts the memory to the length of the target: the two may differ, and
    every memory token may be read.""",
    READ, "self.multihead_attn, x, memory[:, : x.shape[1]], mask")

wrong(LAYER, "self_attn_twice", BOTH,
    """You use self_attn for both attentions, and multihead_attn gets no gradient: it is the one
    that reads the memory.""",
    READ, "self.self_attn, x, memory, mask")

wrong(MAKING, "one_attention_for_both", BOTH,
    """self_attn and multihead_attn are one and the same module, so their weights are tied: make
    two.""",
    "nn.MultiheadAttention(d_model, num_heads, dropout, batch_first=True)\n        self.linear1",
    "self.self_attn\n        self.linear1")

wrong(LAYER, "attentions_exchanged", BOTH,
    "self_attn and multihead_attn have changed places: multihead_attn reads the memory.",
    LOOK, "self.multihead_attn, x, x, mask", READ, "self.self_attn, x, memory, mask")

wrong(LAYER, "memory_detached", BOTH,
    """You detach the memory: no gradient flows back through it, and the encoder never learns what
    the decoder needs.""",
    READ, "self.multihead_attn, x, memory.detach(), mask")

# The norms ----------------------------------------------------------------------------------------

wrong(LAYER, "memory_normalised", "pre_norm",
    """In pre-norm your norm2 falls on the memory too: it belongs to the target. The memory is read
    as the encoder has left it.""",
    "self.norm2(x), memory", "self.norm2(x), self.norm2(memory)")

wrong(LAYER, "only_the_memory_normalised", "pre_norm",
    """In pre-norm norm2 falls on the memory instead of on the target: normalise what asks, not what
    is read.""",
    "self.norm2(x), memory", "x, self.norm2(memory)")

wrong(LAYER, "asks_with_the_unnormalised", "pre_norm",
    "In pre-norm your cross-attention is asked with x itself: ask with norm2(x).",
    PRE_2, SUM_2)

wrong(LAYER, "one_norm_for_all", BOTH,
    "norm1, norm2 and norm3 are one and the same module, so their weights are tied: make three.",
    "self.norm2 = nn.LayerNorm(d_model)", "self.norm2 = self.norm1",
    "self.norm3 = nn.LayerNorm(d_model)", "self.norm3 = self.norm1")

wrong(FORWARD, "first_norm_thrice", BOTH,
    """You use norm1 for all three sub-layers, and norm2 and norm3 get no gradient: each sub-layer
    has its own.""",
    *("norm2", "norm1") * 2, *("norm3", "norm1") * 2)

wrong(LAYER, "norms_exchanged", BOTH,
    "norm2 and norm3 have changed places: norm2 belongs to the cross-attention.",
    "attention(self.norm2", "attention(self.norm3", "forward(self.norm3", "forward(self.norm2",
    "x = self.norm2", "x = self.norm3", "return self.norm3", "return self.norm2")

wrong(LAYER, "post_norm_always", "pre_norm straight_way",
    """Your layer is post-norm also where norm_first asks for pre-norm: there the norms stand at the
    beginning of the branches.""",
    "self.norm_first = norm_first", "self.norm_first = False")

wrong(LAYER, "pre_norm_always", "post_norm straight_way",
    "Your layer is pre-norm also where norm_first is False: there the norms stand after the sums.",
    "self.norm_first = norm_first", "self.norm_first = True")

wrong(MAKING, "pre_norm_by_default", "post_norm",
    """Without norm_first your layer is pre-norm: the default is norm_first=False, the order of the
    first Transformer.""",
    "norm_first: bool = False", "norm_first: bool = True")

wrong(LAYER, "norms_between_branch_and_sum", BOTH,
    """You normalise each branch before it is added: a norm stands before the branch (pre-norm) or
    after the sum (post-norm), never between.""",
    PRE_1, "x + self.norm1(self._self_attention(x, tgt_mask))",
    PRE_2, "x + self.norm2(self._cross_attention(x, memory, memory_mask))",
    PRE_3, "x + self.norm3(self._feed_forward(x))", "if self.norm_first", "if True")

wrong(LAYER, "second_norm_forgotten", "post_norm straight_way",
    """In post-norm the sum of the target and what was read in the memory is not normalised: norm2
    comes after it.""",
    POST_2, SUM_2)

wrong(LAYER, "third_norm_forgotten", "post_norm straight_way",
    "In post-norm your last sum is not normalised: norm3 comes after it.",
    POST_3, SUM_3)

# The feed-forward network -------------------------------------------------------------------------

wrong(LAYER, "no_activation", BOTH,
    "There is no activation between linear1 and linear2: two linear layers in a row are only one.",
    INNER, "self.linear1(x)")

wrong(LAYER, "activation_at_the_end", BOTH,
    """Your activation comes after linear2: it belongs between the two linear layers, and what the
    branch adds may be negative.""",
    INNER, "self.linear1(x)", OUTER, f"self.activation({OUTER})")

wrong(LAYER, "relu_always", "options",
    'Your layer always uses relu: activation="gelu" asks for GELU.',
    'nn.functional.gelu if activation == "gelu" else torch.relu', "torch.relu")

wrong(LAYER, "gelu_by_tanh", "options",
    """Your GELU is the approximation with tanh: the exact one is asked for, which is what torch's
    gelu does when it is told nothing.""",
    "nn.functional.gelu if", 'nn.GELU("tanh") if')

wrong(LAYER, "any_word_will_do", "refuses_an_unknown_activation",
    """Your layer takes any activation it does not know for relu: a word that is neither "relu" nor
    "gelu" must raise ValueError, or a slip of the pen goes unnoticed.""",
    "raise ValueError", "ValueError")

# Masks and sizes ----------------------------------------------------------------------------------

wrong(LAYER, "target_mask_ignored", "target_mask no_look_ahead",
    """Your layer takes no notice of tgt_mask: with a causal mask a token would still read the
    answer it is to predict.""",
    LOOK, "self.self_attn, x, x, None")

wrong(LAYER, "memory_mask_ignored", "memory_mask padding_of_the_memory_is_not_seen",
    "Your layer takes no notice of memory_mask: the source's padding is read.",
    READ, "self.multihead_attn, x, memory, None")

wrong(FORWARD, "masks_exchanged", "masks_do_not_mix",
    """Your masks have changed places: tgt_mask is the self-attention's, memory_mask the
    cross-attention's.""",
    "x = tgt", "x, tgt_mask, memory_mask = tgt, memory_mask, tgt_mask")

wrong(FORWARD, "target_mask_on_the_memory_too", "masks_do_not_mix",
    """Your tgt_mask rules the cross-attention as well: a target token may read the whole memory,
    whatever its place in the target.""",
    "x = tgt", "x, memory_mask = tgt, tgt_mask if memory_mask is None else memory_mask")

wrong(FORWARD, "target_mask_on_both", "masks_do_not_mix",
    """Your cross-attention obeys tgt_mask and forgets memory_mask: hand the one to self_attn and
    the other to multihead_attn.""",
    *("memory, memory_mask", "memory, tgt_mask") * 2)

wrong(FORWARD, "masks_combined", "masks_do_not_mix",
    """Where both masks are given you combine them into one for both attentions: each attention has
    its own.""",
    "x = tgt", """x = tgt
        if tgt_mask is not None and memory_mask is not None:
            tgt_mask = memory_mask = tgt_mask & memory_mask""")

wrong("attend", "masks_the_wrong_way_round", "target_mask memory_mask",
    """Your masks are the wrong way round: ours say True = may attend, torch's attention wants True
    = may not.""",
    ".logical_not()", "")

wrong(LAYER, "causal_by_itself", BOTH,
    """Your layer is causal by itself: without a tgt_mask every target token may look at every
    other. The causal mask is the caller's.""",
    LOOK, f"self.self_attn, x, x, {PAST} if mask is None else mask")

wrong(LAYER, "causal_as_well", "target_mask",
    """Your layer always adds a causal mask to the one it is given: a tgt_mask that lets a token
    look ahead is the caller's wish.""",
    LOOK, f"self.self_attn, x, x, None if mask is None else mask & {PAST}")

wrong("attend", "masks_of_the_first_sentence", "target_mask memory_mask",
    "You use the masks of the first sentence for all: every sentence has its own.",
    "mask.logical_not()", "mask[:1].expand_as(mask).logical_not()")

wrong(LAYER, "target_mask_of_the_first_head", "target_mask",
    "You use the tgt_mask of head 0 for all heads: a mask (B, H, T, T) has one for each.",
    LOOK, f"self.self_attn, x, x, {OF_HEAD_0}")

wrong(LAYER, "memory_mask_of_the_first_head", "memory_mask",
    "You use the memory_mask of head 0 for all heads: a mask (B, H, T, S) has one for each.",
    READ, f"self.multihead_attn, x, memory, {OF_HEAD_0}")

wrong("attend", "soft_target_mask", "no_look_ahead",
    """You only subtract 100 from the scores of later tokens: a large score survives that. Hand over
    a boolean mask, or subtract infinity.""",
    "flatten(0, 1)",
    "flatten(0, 1)\n        if query is key_value: mask = mask.to(query.dtype) * -100")

wrong("attend", "soft_memory_mask", "padding_of_the_memory_is_not_seen",
    """You only subtract 100 from the scores of the memory's padding: a large score survives that.
    Hand over a boolean mask, or subtract infinity.""",
    "flatten(0, 1)",
    "flatten(0, 1)\n        if query is not key_value: mask = mask.to(query.dtype) * -100")

wrong("attend", "two_axes_taken_for_padding", "any_size",
    """Where there are as many sentences as tokens you take a tgt_mask of two axes for one row a
    sentence: it is (T, T), who may look at whom, for every sentence.""",
    "mask.expand", "(mask[:, None, None] if mask.shape == query.shape[:2] else mask).expand")

wrong("attend", "masks_turned_in_place", "target_mask memory_mask",
    """You turn the caller's masks round in place: the next layer gets them the wrong way round.
    ~mask makes a new one.""",
    "mask.expand", "mask.logical_not_().expand", ".logical_not()", "")

wrong("attend", "mask_on_the_cpu", "other_devices",
    "You make a mask on the CPU, wherever tgt is: pass device=tgt.device.",
    "mask.expand", "mask.logical_and(torch.ones(mask.shape)).expand")

wrong(LAYER, "memory_in_float32", BOTH,
    "You turn the memory into float32: the layer is to work in the dtype it is given.",
    READ, "self.multihead_attn, x, memory.float(), mask")

wrong(LAYER, "target_mask_left_out_in_eval", "target_mask",
    """After eval() your layer takes no notice of tgt_mask: a mask holds in both modes, only dropout
    does not.""",
    LOOK, "self.self_attn, x, x, mask if self.training else None")

wrong(LAYER, "memory_mask_left_out_in_eval", "memory_mask",
    """After eval() your layer takes no notice of memory_mask: a mask holds in both modes, only
    dropout does not.""",
    READ, "self.multihead_attn, x, memory, mask if self.training else None")

wrong(FORWARD, "masks_exchanged_in_pre_norm", "target_mask memory_mask masks_do_not_mix",
    """In pre-norm your masks have changed places: tgt_mask is the self-attention's, memory_mask the
    cross-attention's.""",
    "self.norm1(x), tgt_mask", "self.norm1(x), memory_mask",
    "memory, memory_mask", "memory, tgt_mask")

wrong(LAYER, "memory_mask_kept_by_its_shape", "memory_mask",
    """You keep memory_mask by its shape: another mask of the same shape is another one. Take the
    one that is given in every call.""",
    READ, "self.multihead_attn, x, memory, mask if mask is None else "
    "vars(attend).setdefault(mask.shape, mask)")

wrong("attend", "target_mask_repeated", "target_mask",
    """You repeat a tgt_mask of two axes for sentences and heads, but not along an axis of size 1:
    (1, T) stands for all queries. expand does all of it.""",
    "mask = mask.expand", "mask = mask.repeat(batch, heads, 1, 1) "
    "if mask.ndim == 2 and query is key_value else mask.expand")

wrong("attend", "memory_mask_repeated", "memory_mask",
    """You repeat a memory_mask of two axes for sentences and heads, but not along an axis of size
    1: (1, S) stands for all queries. expand does all of it.""",
    "mask = mask.expand", "mask = mask.repeat(batch, heads, 1, 1) "
    "if mask.ndim == 2 and query is not key_value else mask.expand")

wrong(LAYER, "long_memories_cut", "any_size",
    """You read the first 32 tokens of the memory and no more: a source sentence may be of any
    length.""",
    READ, "self.multihead_attn, x, memory[:, :32], mask if mask is None else mask[..., :32]")

wrong(LAYER, "same_lengths_taken_for_self_attention", "equal_sizes",
    """Where memory and target have one shape you read the target: whether there is a memory is not
    told by its shape.""",
    READ, "self.multihead_attn, x, x if len(set(x.shape) | set(memory.shape)) == 1 else memory, "
    "mask")

wrong(LAYER, "memory_kept_in_eval", "no_dropout_in_evaluation",
    """After eval() your layer keeps the first memory it reads, as for generating: every call brings
    its own.""",
    READ, "self.multihead_attn, x, memory if self.training else "
    'vars(self).setdefault("memory", memory), mask')

wrong(LAYER, "one_token_squeezed", "any_size example",
    """Where there is but one target token your layer throws its axis away: squeeze has no place
    here.""",
    PRE_3, f"({PRE_3}).squeeze(1)", POST_3, f"{POST_3}.squeeze(1)")

wrong(LAYER, "remembers_the_memory", "any_size",
    """Your layer keeps the first memory it reads and reads it ever after: every call brings its
    own.""",
    READ, 'self.multihead_attn, x, vars(self).setdefault("memory", memory), mask')

wrong(LAYER, "sum_in_place", "pre_norm",
    "You write tgt += ..., which changes the caller's own tgt: write x = tgt + ...",
    "x = x + self", "x += self")

# Dropout ------------------------------------------------------------------------------------------

wrong(LAYER, "drops_after_eval", "no_dropout_in_evaluation",
    """Your dropout acts after eval() as well: F.dropout must be told training=self.training, as
    must whoever is handed a probability; nn.Dropout knows by itself.""",
    "nn.Dropout(dropout)", "lambda x: nn.functional.dropout(x, dropout)")

wrong(MAKING, "a_tenth_always", "no_dropout_in_evaluation",
    "Your layer always drops one number in ten: the argument `dropout` says how many.",
    *("num_heads, dropout", "num_heads, 0.1") * 2, "nn.Dropout(dropout)", "nn.Dropout(0.1)")

wrong(LAYER, "drops_the_sum", "straight_way",
    "Dropout falls on the sum, and so on the target: drop from the branch, before it is added.",
    *("self.dropout(attend", "(attend") * 2, f"self.dropout({OUTER})", OUTER,
    PRE_1, f"self.dropout({PRE_1})", PRE_2, f"self.dropout({PRE_2})",
    PRE_3, f"self.dropout({PRE_3})", SUM_1, f"self.dropout({SUM_1})",
    SUM_2, f"self.dropout({SUM_2})", SUM_3, f"self.dropout({SUM_3})")

wrong("DecoderLayer._self_attention", "drops_the_given", "dropout_in_training",
    """Dropout falls on what your branches are given: norm results and memory go in whole, and what
    is added at the end is dropped.""",
    "return", "x = self.dropout(x); return", "inner =", "x = self.dropout(x); inner =")

wrong(LAYER, "drops_the_memory", "dropout_in_training",
    "Dropout falls on the memory: it is read whole, and what was read is dropped.",
    READ, "self.multihead_attn, x, self.dropout(memory), mask")

wrong(LAYER, "self_attention_not_dropped", "dropout_in_training",
    "What the self-attention adds is never dropped: dropout falls on all three branches.",
    "self.dropout(attend(self.self_attn", "(attend(self.self_attn")

wrong(LAYER, "cross_attention_not_dropped", "dropout_in_training",
    "What the cross-attention adds is never dropped: dropout falls on all three branches.",
    "self.dropout(attend(self.multihead_attn", "(attend(self.multihead_attn")

wrong(LAYER, "network_not_dropped", "dropout_in_training",
    "What the feed-forward network adds is never dropped: dropout falls on all three branches.",
    f"self.dropout({OUTER})", OUTER)

wrong(LAYER, "cross_attention_weights_not_dropped", "dropout_in_training",
    """No weight of your cross-attention is ever dropped: hand `dropout` to that
    nn.MultiheadAttention too.""",
    "multihead_attn = nn.MultiheadAttention(d_model, num_heads, dropout",
    "multihead_attn = nn.MultiheadAttention(d_model, num_heads")

wrong(MAKING, "attention_weights_not_dropped", "dropout_in_training",
    "No weight of your attentions is ever dropped: hand `dropout` to both nn.MultiheadAttention.",
    *("num_heads, dropout", "num_heads") * 2)

wrong(LAYER, "activations_not_dropped", "dropout_in_training",
    "No activation is ever dropped: between activation and linear2 there is dropout too.",
    f"self.dropout({INNER})", INNER)

wrong(MAKING, "no_dropout_by_default", "dropout_in_training",
    "Nothing is dropped unless `dropout` is given: its default is 0.1.",
    "dropout: float = 0.1", "dropout: float = 0.0")

wrong(LAYER, "attention_weights_dropped_in_eval", "no_dropout_in_evaluation",
    """Weights of your cross-attention are dropped after eval() as well: what is handed a
    probability, like scaled_dot_product_attention, gets 0 unless self.training.""",
    "return self.dropout(attend(self.multihead_attn",
    "self.multihead_attn.train(); return self.dropout(attend(self.multihead_attn")

wrong(LAYER, "branches_shrunk_in_eval", "no_dropout_in_evaluation",
    """Your branches grow in training and shrink after eval() as well: the one is there to spare the
    other.""",
    f"return self.dropout({OUTER})", f"y = self.dropout({OUTER})\n"
    "        return y if self.training else y * (1 - self.dropout.p)")

wrong(LAYER, "no_dropout_in_post_norm", "dropout_with_other_options",
    """In post-norm what you read in the memory is not dropped: dropout falls at the same places in
    both orders.""",
    POST_2, "self.norm2(x + attend(self.multihead_attn, x, memory, memory_mask))")

wrong(LAYER, "activations_not_dropped_in_post_norm", "dropout_with_other_options",
    """In post-norm no activation is dropped: between activation and linear2 there is dropout in
    both orders.""",
    f"self.dropout({INNER})", f"self.dropout({INNER}) if self.norm_first else {INNER}")

wrong(LAYER, "gelus_not_dropped", "dropout_with_other_options",
    """With activation="gelu" no activation is dropped: dropout does not depend on the
    activation.""",
    f"self.dropout({INNER})",
    f"{INNER} if self.activation is nn.functional.gelu else self.dropout({INNER})")

wrong(LAYER, "reading_not_dropped_under_a_mask", "dropout_with_other_options",
    """With memory_mask what you read in the memory is not dropped: dropout falls with a mask and
    without.""",
    f"return self.dropout(attend({READ}))",
    f"y = attend({READ})\n        return self.dropout(y) if mask is None else y")

wrong(LAYER, "same_dropout_for_all_sentences", "dropout_is_drawn_anew dropout_in_training",
    """In all sentences of a batch you drop the same numbers: each number of the batch is dropped on
    its own.""",
    "nn.Dropout(dropout)", alike("x[:1]"))

wrong(LAYER, "same_dropout_for_all_tokens", "dropout_is_drawn_anew dropout_in_training",
    """You drop the same features of all tokens: each number is dropped on its own.""",
    "nn.Dropout(dropout)", alike("x[:, :1]"))

wrong(LAYER, "whole_tokens_dropped", "dropout_in_training",
    """Your branches are dropped by whole tokens, as nn.Dropout1d does: each number is dropped on
    its own.""",
    "nn.Dropout(dropout)", alike("x[..., :1]"))

wrong(LAYER, "same_dropout_in_both_attentions", "dropout_is_drawn_anew",
    """What is dropped from the self-attention's branch is dropped from the cross-attention's too:
    draw anew for every branch.""",
    f"return self.dropout(attend({LOOK}))",
    f"self.kept = self.dropout(torch.ones_like(x)); return self.kept * attend({LOOK})",
    f"return self.dropout(attend({READ}))", f"return self.kept * attend({READ})")

wrong(FORWARD, "same_dropout_in_every_call", "dropout_is_drawn_anew",
    """Every call drops the same numbers, for your layer seeds torch's generator in forward: leave
    the generator alone.""",
    "x = tgt", "torch.manual_seed(0)\n        x = tgt")

wrong(STACK, "same_dropout_in_every_layer", "dropout_is_drawn_anew",
    """All layers of your stack drop the same numbers, for each begins with the same state of
    torch's generator: every layer draws anew.""",
    "x = tgt", "x = tgt; state = torch.get_rng_state()",
    STEP, f"torch.set_rng_state(state)\n            {STEP}")

# How a layer begins -------------------------------------------------------------------------------

wrong(MAKING, "settings_of_the_last_one_made", "options",
    """You keep norm_first at the class, so the layer that was made last decides for all: write
    self.norm_first.""",
    "self.norm_first", "DecoderLayer.norm_first")

wrong(MAKING, "torchs_order_of_arguments", "options",
    """Your arguments come in the order of torch's own layer, activation before norm_first: here it
    is the other way round.""",
    'norm_first: bool = False,\n        activation: str = "relu",',
    'activation: str = "relu",\n        norm_first: bool = False,')

wrong(LAYER, "gelu_only_in_post_norm", "options",
    "In pre-norm your layer uses relu whatever `activation` says: the two have nothing to do with "
    "one another.",
    'activation == "gelu"', 'activation == "gelu" and not norm_first')

wrong(LAYER, "post_norm_in_eval", "pre_norm",
    "After eval() your layer is post-norm, whatever norm_first says: the order is the same in both "
    "modes.",
    "if self.norm_first:", "if self.norm_first and self.training:")

wrong(MAKING, "seeds_the_generator", "fresh_weights",
    """Every layer begins with the same weights, for you seed torch's generator when one is made:
    leave that to whoever trains.""",
    "super().__init__()", "super().__init__(); torch.manual_seed(0)")

wrong(LAYER, "begins_with_zeros", "fresh_weights",
    """Your weights begin with zeros: then all neurons of a layer learn the same. Leave them as
    torch's parts begin.""",
    "self.norm_first = norm_first", "self.norm_first = norm_first\n"
    "        for weights in self.parameters():\n"
    "            weights.dim() > 1 and nn.init.zeros_(weights)")

wrong(LAYER, "attentions_begin_alike", "fresh_weights",
    """Your two attentions begin with the same weights, as a copy does: each is drawn on its
    own.""",
    "self.norm_first = norm_first", "self.norm_first = norm_first; "
    "self.multihead_attn.load_state_dict(self.self_attn.state_dict())")

# The stack ----------------------------------------------------------------------------------------

wrong(STACK, "memory_replaced", "stack_with_a_norm",
    """Your memory changes from layer to layer, as if it went through the stack as well: every layer
    reads what the encoder has left.""",
    "x = layer(", "x = memory = layer(")

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

wrong(STACK, "plain_list", STACKS,
    """A Python list hides your layers: the stack has no parameters to train, to move or to save.
    Use nn.ModuleList.""",
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
    "x = layer(x", "y = layer(x", RESULT, "y if self.norm is None else self.norm(y)")

wrong(STACK, "backwards", STACKS,
    "Your stack goes through its layers from the last to the first.",
    "in self.layers", "in reversed(self.layers)")

wrong(STACK, "only_the_first_counts", STACKS,
    "Your stack uses its first layer only: a return inside the loop?",
    "in self.layers", "in self.layers[:1]")

wrong(STACK, "returns_all_results", STACKS,
    "You return the results of all layers: only the last one's is asked for.",
    f"for layer in self.layers:\n            {STEP}",
    "results = [x := layer(x, memory, tgt_mask, memory_mask) for layer in self.layers]",
    RESULT, f"[{RESULT} for x in results]")

wrong(STACK, "final_norm_forgotten", "stack_with_a_norm",
    """The norm you are given is never used: it comes after the last layer. In pre-norm nothing else
    normalises the last sum.""",
    RESULT, "x")

wrong(STACK, "final_norm_after_every_layer", "stack_with_a_norm",
    "You apply the last norm after every layer: it comes once, at the end.",
    STEP, f"{STEP}\n            x = {RESULT}", f"return {RESULT}", "return x")

wrong(STACK, "final_norm_once_too_often", "stack_with_a_norm",
    "You apply the last norm after every layer and once more at the end: it comes once.",
    STEP, f"{STEP}\n            x = {RESULT}")

wrong(STACK, "norm_copied", "stack_with_a_norm",
    """Your stack uses a copy of the norm, so the norm that its maker holds is never trained: layers
    are copied, the norm is not.""",
    "self.norm = norm", "self.norm = copy.deepcopy(norm)")

wrong(STACK, "final_norm_only_in_pre_norm", "stack_with_a_norm",
    """Your stack uses its norm only over pre-norm layers: if one is given, it is used, whatever the
    layers are.""",
    "self.norm is None", "self.norm is None or not self.layers[0].norm_first")

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
    STEP, f"{STEP} if self.training else layer(x, memory)")

wrong(STACK, "memory_mask_only_in_training", "every_layer_gets_both_masks",
    "After eval() your stack keeps memory_mask to itself: hand it to every layer in both modes.",
    STEP, f"{STEP} if self.training else layer(x, memory, tgt_mask)")

wrong(STACK, "takes_the_norm_for_a_layer_norm", "stack_with_a_norm",
    """You take the norm's weights and normalise yourself: call the module that you were given,
    whatever it is.""",
    "self.norm(x)", "nn.functional.layer_norm(x, x.shape[-1:], *self.norm.parameters())")

wrong(STACK, "norm_begun_anew", "layers_begin_as_copies",
    """You set the norm that you were given back to ones and zeros: it is used as it is.""",
    "self.norm = norm", "self.norm = norm; norm is None or [nn.init.ones_(w) for w in "
    "norm.parameters()]")

wrong(STACK, "norms_shared", "layers_share_nothing",
    """Your layers share norm1 with the layer they were copied from: a deep copy of all of it shares
    nothing.""",
    "copy.deepcopy(layer)", "copy.deepcopy(layer, {id(layer.norm1): layer.norm1})")
