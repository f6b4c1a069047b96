"""Wrong answers to ``encoder``: its page with a slip, and what the author is told.

The first entry that fits is the one named, so a special mistake comes before the general one that
looks like it.
"""

from __future__ import annotations

from grader.check import Bank

wrong = Bank()

LAYER, STACK = "EncoderLayer", "Encoder"
MAKING, FORWARD = "EncoderLayer.__init__", "EncoderLayer.forward"
BOTH, STACKS = "post_norm pre_norm", "stack_with_a_norm stack_without_a_norm"

PRE_1, PRE_2 = "x + self._attention(self.norm1(x), mask)", "x + self._feed_forward(self.norm2(x))"
SUM_1, SUM_2 = "x + self._attention(x, mask)", "x + self._feed_forward(x)"
POST_1, POST_2 = f"self.norm1({SUM_1})", f"self.norm2({SUM_2})"
BRANCHES_WHOLE = "self.dropout(attend", "(attend", "self.dropout(self.linear2", "(self.linear2"
INNER, OUTER = "self.activation(self.linear1(x))", "self.linear2(inner)"
CHOICE = 'nn.functional.gelu if activation == "gelu" else torch.relu'

FOR, STEP = "for layer in self.layers:", "x = layer(x, mask)"
LOOP, RESULT = f"{FOR}\n            {STEP}", "x if self.norm is None else self.norm(x)"
EVERY = "[x := layer(x, mask) for layer in self.layers]"

def alike(part):
    """Dropout that draws once for all numbers beside those of ``part``."""
    drawn = f"nn.Dropout.forward(self, torch.ones_like({part}))"
    return f'type("Alike", (nn.Dropout,), {{"forward": lambda self, x: x * {drawn}}})(dropout)'


# The stack's mask, before the layer's, which looks the same from outside --------------------------

wrong(STACK, "mask_for_the_first_layer_only", "every_layer_gets_the_mask",
    "Only your first layer gets the mask: from the second on, tokens see the padding again.",
    STEP, "x, mask = layer(x, mask), None")

wrong(STACK, "mask_not_handed_on", "every_layer_gets_the_mask",
    "Your stack keeps the mask to itself: hand it to every layer.",
    STEP, "x = layer(x)")

# The wiring ---------------------------------------------------------------------------------------

wrong(LAYER, "residual_from_the_normalised", "pre_norm straight_way",
    """In pre-norm you write x = norm1(x) and add the branch to that: the straight way must carry x
    as it came. Give norm1(x) no name, or another one.""",
    f"x = {PRE_1}", "x = self.norm1(x); x = x + self._attention(x, mask)",
    f"return {PRE_2}", "x = self.norm2(x); return x + self._feed_forward(x)")

wrong(LAYER, "no_residuals", f"{BOTH} straight_way",
    """Nothing runs past your sub-layers: add x to what attention returns, and again to what the
    feed-forward network returns.""",
    *("x + self._", "self._") * 4)

wrong(LAYER, "no_residual_around_the_network", f"{BOTH} straight_way",
    """Only the attention has a residual: the feed-forward network's result must be added to its
    input as well.""",
    *("x + self._feed_forward", "self._feed_forward") * 2)

wrong(LAYER, "residual_twice", f"{BOTH} straight_way",
    """The feed-forward branch adds its input itself and your layer adds it again: one residual for
    each branch.""",
    OUTER, f"x + {OUTER}")

wrong(LAYER, "residual_and_norm_twice", BOTH,
    """The feed-forward branch comes back added and normalised, and your layer adds and normalises
    again. Either the branch does it or the layer, not both.""",
    OUTER, f"self.norm2(x + {OUTER})")

wrong(FORWARD, "second_residual_from_the_input", BOTH,
    """You add the feed-forward branch to the layer's input x: its straight way begins at the result
    of the attention sub-layer, or that result is lost.""",
    "x = x + self._attention", "h = x + self._attention", "norm2(x)", "norm2(h)",
    "x = self.norm1", "h = self.norm1", "_feed_forward(x)", "_feed_forward(h)")

wrong(FORWARD, "side_by_side", BOTH,
    """Attention and feed-forward network work side by side on x. They come one after the other: the
    network gets what attention has made of x.""",
    "x = x + self._attention", "h = x + self._attention", "return x +", "return h +",
    "x = self.norm1", "h = self.norm1", "norm2(x +", "norm2(h +")

wrong(LAYER, "network_first", BOTH,
    "Your feed-forward network comes before the attention: it is the other way round.",
    PRE_2, PRE_1, PRE_1, PRE_2, POST_2, POST_1, POST_1, POST_2)

wrong(LAYER, "network_forgotten", BOTH,
    "Your feed-forward network is never called: linear1 and linear2 get no gradient.",
    PRE_2, "x", SUM_2, "x")

wrong(LAYER, "attention_forgotten", BOTH,
    "Your attention is never called: no token learns anything of the others.",
    PRE_1, "x", SUM_1, "x")

# The norms ----------------------------------------------------------------------------------------

wrong(LAYER, "one_norm_for_both", BOTH,
    "norm1 and norm2 are one and the same module, so their weights are tied: make two.",
    "self.norm2 = nn.LayerNorm(d_model)", "self.norm2 = self.norm1")

wrong(FORWARD, "first_norm_twice", BOTH,
    "You use norm1 for both sub-layers, and norm2 gets no gradient: each sub-layer has its own.",
    *("norm2", "norm1") * 2)

wrong(LAYER, "norms_exchanged", BOTH,
    "norm1 and norm2 have changed places: norm1 belongs to the attention.",
    "attention(self.norm1", "attention(self.norm2", "forward(self.norm2", "forward(self.norm1",
    "x = self.norm1", "x = self.norm2", "return self.norm2", "return self.norm1")

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
    PRE_1, "x + self.norm1(self._attention(x, mask))",
    PRE_2, "x + self.norm2(self._feed_forward(x))", "if self.norm_first", "if True")

wrong(LAYER, "norms_at_both_places", "pre_norm straight_way",
    """In pre-norm you normalise after the sums as well: the straight way then is no longer
    straight. norm_first chooses one place, not both.""",
    PRE_1, f"self.norm1({PRE_1})", PRE_2, f"self.norm2({PRE_2})")

wrong(LAYER, "network_gets_the_unnormalised", "pre_norm",
    """In pre-norm only your attention's branch begins with a norm: the feed-forward network must
    get norm2(x), not x.""",
    PRE_2, SUM_2)

wrong(LAYER, "keys_from_the_unnormalised", "pre_norm",
    """In pre-norm only your queries are normalised: keys and values come from norm1(x) just as
    well.""",
    PRE_1, "x + self.dropout(attend(self.self_attn, self.norm1(x), x, mask))")

wrong(LAYER, "first_norm_forgotten", "post_norm straight_way",
    """In post-norm your layer normalises only once, at the very end: the sum of x and the attention
    is normalised too.""",
    POST_1, SUM_1)

wrong(MAKING, "smaller_eps", "norms_have_the_usual_eps",
    "Your norms have eps = 1e-6: the page asks for 1e-5, which tokens of small numbers feel.",
    *("nn.LayerNorm(d_model)", "nn.LayerNorm(d_model, 1e-6)") * 2)

# The feed-forward network -------------------------------------------------------------------------

wrong(LAYER, "no_activation", BOTH,
    "There is no activation between linear1 and linear2: two linear layers in a row are only one.",
    INNER, "self.linear1(x)")

wrong(LAYER, "activation_at_the_end", BOTH,
    """Your activation comes after linear2: it belongs between the two linear layers, and what the
    branch adds may be negative.""",
    INNER, "self.linear1(x)", OUTER, f"self.activation({OUTER})")

wrong(LAYER, "activation_twice", BOTH,
    """A second activation after linear2 cuts off all that is negative: there is only the one
    between the linear layers.""",
    OUTER, f"self.activation({OUTER})")

wrong(LAYER, "relu_always", "options",
    'Your layer always uses relu: activation="gelu" asks for GELU.',
    CHOICE, "torch.relu")

wrong(LAYER, "gelu_by_tanh", "options",
    """Your GELU is the approximation with tanh: the exact one is asked for, which is what torch's
    gelu does when it is told nothing.""",
    "nn.functional.gelu if", 'nn.GELU("tanh") if')

wrong(LAYER, "any_word_will_do", "refuses_an_unknown_activation",
    """Your layer takes any activation it does not know for relu: a word that is neither "relu" nor
    "gelu" must raise ValueError, or a slip of the pen goes unnoticed.""",
    "raise ValueError", "ValueError")

wrong(LAYER, "key_error_instead", "refuses_an_unknown_activation",
    """An unknown activation raises KeyError out of your dictionary: look whether the word is there
    and raise ValueError.""",
    "raise ValueError", "ValueError",
    CHOICE, '{"relu": torch.relu, "gelu": nn.functional.gelu}[activation]')

# Masks and sizes ----------------------------------------------------------------------------------

wrong("attend", "mask_the_wrong_way_round", "masks every_layer_gets_the_mask",
    """Your mask is the wrong way round: ours says True = may attend, torch's attention wants True =
    may not.""",
    ".logical_not()", "")

wrong(LAYER, "mask_ignored", "masks padding_is_not_seen",
    "Your layer takes no notice of the mask: hand it to the attention.",
    "x, x, mask", "x, x, None")

wrong(LAYER, "causal_always", BOTH,
    """Your tokens cannot look ahead: a causal mask belongs in the decoder. In the encoder everybody
    sees everybody, unless the caller's mask says otherwise.""",
    "x, x, mask", "x, x, x.new_ones(x.shape[1], x.shape[1]).tril().bool()")

wrong("attend", "mask_transposed", "masks padding_is_not_seen",
    """Your mask hides queries instead of keys: its last axis are the keys, the tokens that are
    looked at.""",
    "mask.expand", "mask.mT.expand")

wrong("attend", "mask_of_the_first_sentence", "masks every_layer_gets_the_mask",
    "You use the mask of the first sentence for all: every sentence has its own.",
    "mask.logical_not()", "mask[:1].expand_as(mask).logical_not()")

wrong("attend", "mask_of_the_first_head", "masks",
    "You use the mask of head 0 for all heads: a mask (B, H, T, T) has one for each.",
    "mask.logical_not()", "mask[:, :1].expand_as(mask).logical_not()")

wrong("attend", "sentences_and_heads_mixed_up", "masks every_layer_gets_the_mask",
    """Your (B * H, T, T) mask counts sentences first and heads second: torch wants all heads of
    sentence 0, then those of sentence 1, so repeat_interleave, not repeat.""",
    ".flatten(0, 1)", ".transpose(0, 1).flatten(0, 1)")

wrong("attend", "subtracts_a_hundred", "padding_is_not_seen",
    """You only subtract 100 from the scores of forbidden tokens: a large score survives that. Hand
    over a boolean mask, or subtract infinity.""",
    ".flatten(0, 1)", ".flatten(0, 1).to(query.dtype) * -100")

wrong("attend", "mask_turned_in_place", "masks",
    """You turn the caller's mask round in place: the next layer gets it the wrong way round. ~mask
    makes a new one.""",
    "mask.expand", "mask.logical_not_().expand", ".logical_not()", "")

wrong("attend", "two_axes_taken_for_padding", "any_size",
    """Where there are as many sentences as tokens you take a mask of two axes for one row a
    sentence: it is (T, T), who may look at whom, for every sentence.""",
    "mask.expand", "(mask[:, None, None] if mask.shape == query.shape[:2] else mask).expand")

wrong(LAYER, "remembers_the_mask", "any_size",
    "Your layer keeps the first mask it sees and uses it ever after: every call has its own.",
    "x, x, mask", 'x, x, vars(self).setdefault("mask", mask)')

wrong("attend", "mask_on_the_cpu", "other_devices",
    "You make a mask on the CPU, wherever x is: pass device=x.device.",
    "mask.expand", "mask.logical_and(torch.ones(mask.shape)).expand")

wrong(FORWARD, "everything_in_float32", "post_norm",
    "You turn x into float32: the layer is to work, and to answer, in the dtype of x.",
    "if self", "x = x.float()\n        if self")

wrong(MAKING, "batch_first_forgotten", BOTH,
    """Your attention takes axis 0 for the tokens and so lets sentences look at one another: make it
    with batch_first=True.""",
    ", batch_first=True", "")

wrong(LAYER, "mask_left_out_in_eval", "masks",
    """After eval() your layer takes no notice of the mask: a mask holds in both modes, only dropout
    does not.""",
    "x, x, mask", "x, x, mask if self.training else None")

wrong(LAYER, "mask_only_in_post_norm", "masks",
    "In pre-norm your layer takes no notice of the mask: hand it to the attention in both orders.",
    "self.norm1(x), mask", "self.norm1(x), None")

wrong("attend", "mask_kept_by_its_shape", "masks",
    """You keep masks by their shape: another mask of the same shape is another one. Work it out in
    every call.""",
    "mask.logical_not()", "vars(attend).setdefault(mask.shape, mask).logical_not()")

wrong("attend", "two_axes_repeated", "masks",
    """You repeat a mask of two axes for sentences and heads, but not along an axis of size 1: (1,
    T) stands for all queries. expand does all of it.""",
    "mask = mask.expand",
    "mask = mask.repeat(batch, heads, 1, 1) if mask.ndim == 2 else mask.expand")

wrong("attend", "sentences_taken_for_tokens", "equal_sizes",
    """Where there are as many sentences as tokens you exchange these axes: nn.MultiheadAttention is
    made with batch_first=True and takes (B, T, d) as it is.""",
    "if mask is not None:", "if query.shape[0] == query.shape[1] == query.shape[2]:\n"
    "        query = key_value = query.transpose(0, 1)\n    if mask is not None:")

wrong(LAYER, "one_token_squeezed", "any_size",
    "Where there is but one token your layer throws its axis away: squeeze has no place here.",
    PRE_2, f"({PRE_2}).squeeze(1)", POST_2, f"{POST_2}.squeeze(1)")

wrong(LAYER, "sum_in_place", "pre_norm",
    "You write x += ..., which changes the caller's own x: write x = x + ...",
    "x = x + self", "x += self")

# Dropout ------------------------------------------------------------------------------------------

wrong(LAYER, "drops_after_eval", "no_dropout_in_evaluation",
    """Your dropout acts after eval() as well: F.dropout must be told training=self.training, as
    must whoever is handed a probability; nn.Dropout knows by itself.""",
    "nn.Dropout(dropout)", "lambda x: nn.functional.dropout(x, dropout)")

wrong(LAYER, "drops_the_sum", "straight_way",
    "Dropout falls on the sum, and so on x: drop from the branch, before it is added.",
    *BRANCHES_WHOLE, PRE_1, f"self.dropout({PRE_1})", PRE_2, f"self.dropout({PRE_2})",
    SUM_1, f"self.dropout({SUM_1})", SUM_2, f"self.dropout({SUM_2})")

wrong(LAYER, "drops_after_the_norm", "straight_way",
    """In post-norm dropout falls on what the norm returns: nothing may be missing there. Drop from
    the branch, before it is added.""",
    POST_1, "self.dropout(self.norm1(x + attend(self.self_attn, x, x, mask)))",
    POST_2, f"self.dropout(self.norm2(x + self.linear2(self.dropout({INNER}))))")

wrong(LAYER, "branches_not_dropped", "dropout_in_training",
    """Your branches are added whole: dropout falls on what each of them adds, not only on what is
    inside them.""",
    *BRANCHES_WHOLE)

wrong(MAKING, "attention_weights_not_dropped", "dropout_in_training",
    "No attention weight is ever dropped: hand `dropout` to nn.MultiheadAttention.",
    "num_heads, dropout", "num_heads")

wrong(LAYER, "activations_not_dropped", "dropout_in_training",
    "No activation is ever dropped: between activation and linear2 there is dropout too.",
    f"self.dropout({INNER})", INNER)

wrong("EncoderLayer._attention", "drops_the_given", "dropout_in_training",
    """Dropout falls on what your branches are given: the norm's result goes in whole, and what is
    added at the end is dropped.""",
    "return", "x = self.dropout(x); return", "inner =", "x = self.dropout(x); inner =")

wrong(LAYER, "network_dropped_twice", "dropout_in_training",
    "What your feed-forward branch adds is dropped twice: once is enough.",
    OUTER, f"self.dropout({OUTER})")

wrong(MAKING, "no_dropout_by_default", "dropout_in_training",
    "Nothing is dropped unless `dropout` is given: its default is 0.1.",
    "dropout: float = 0.1", "dropout: float = 0.0")

wrong(MAKING, "a_tenth_always", "no_dropout_in_evaluation",
    "Your layer always drops one number in ten: the argument `dropout` says how many.",
    "num_heads, dropout", "num_heads, 0.1", "nn.Dropout(dropout)", "nn.Dropout(0.1)")

wrong(LAYER, "attention_weights_dropped_in_eval", "no_dropout_in_evaluation",
    """Your attention weights are dropped after eval() as well: what is handed a probability, like
    scaled_dot_product_attention, gets 0 unless self.training.""",
    "return self.dropout(attend", "self.self_attn.train(); return self.dropout(attend")

wrong(LAYER, "branches_shrunk_in_eval", "no_dropout_in_evaluation",
    """Your branches grow in training and shrink after eval() as well: the one is there to spare the
    other.""",
    "return self.dropout(attend(self.self_attn, x, x, mask))",
    "y = self.dropout(attend(self.self_attn, x, x, mask))\n"
    "        return y if self.training else y * (1 - self.dropout.p)")

wrong(LAYER, "no_dropout_in_post_norm", "dropout_with_other_options",
    """In post-norm nothing is dropped from your branches: dropout falls at the same places in both
    orders.""",
    POST_1, "self.norm1(x + attend(self.self_attn, x, x, mask))",
    POST_2, f"self.norm2(x + self.linear2({INNER}))")

wrong(LAYER, "activations_not_dropped_in_post_norm", "dropout_with_other_options",
    """In post-norm no activation is dropped: between activation and linear2 there is dropout in
    both orders.""",
    f"self.dropout({INNER})", f"self.dropout({INNER}) if self.norm_first else {INNER}")

wrong(LAYER, "gelus_not_dropped", "dropout_with_other_options",
    """With activation="gelu" no activation is dropped: dropout does not depend on the
    activation.""",
    f"self.dropout({INNER})",
    f"{INNER} if self.activation is nn.functional.gelu else self.dropout({INNER})")

wrong(LAYER, "attention_not_dropped_under_a_mask", "dropout_with_other_options",
    """With a mask your attention's branch is not dropped: dropout falls with a mask and
    without.""",
    "return self.dropout(attend(self.self_attn, x, x, mask))",
    "y = attend(self.self_attn, x, x, mask)\n"
    "        return self.dropout(y) if mask is None else y")

wrong(LAYER, "same_dropout_for_all_sentences", "dropout_is_drawn_anew dropout_in_training",
    """In all sentences of a batch you drop the same numbers: each number of the batch is dropped on
    its own.""",
    "nn.Dropout(dropout)", alike("x[:1]"))

wrong(LAYER, "same_dropout_for_all_tokens", "dropout_is_drawn_anew dropout_in_training",
    """You drop the same features of all tokens, as nn.Dropout1d does over another axis: each number
    is dropped on its own.""",
    "nn.Dropout(dropout)", alike("x[:, :1]"))

wrong(LAYER, "whole_tokens_dropped", "dropout_in_training",
    """Your branches are dropped by whole tokens, as nn.Dropout1d does: each number is dropped on
    its own.""",
    "nn.Dropout(dropout)", alike("x[..., :1]"))

wrong(LAYER, "same_dropout_in_both_branches", "dropout_is_drawn_anew",
    """What is dropped from the attention's branch is dropped from the network's too: draw anew for
    every branch.""",
    "return self.dropout(attend", "self.kept = self.dropout(torch.ones_like(x))\n"
    "        return self.kept * (attend",
    "return self.dropout(self.linear2", "return self.kept * (self.linear2")

wrong(FORWARD, "same_dropout_in_every_call", "dropout_is_drawn_anew",
    """Every call drops the same numbers, for your layer seeds torch's generator in forward: leave
    the generator alone.""",
    "if self.norm_first:", "torch.manual_seed(0)\n        if self.norm_first:")

wrong(STACK, "same_dropout_in_every_layer", "dropout_is_drawn_anew",
    """All layers of your stack drop the same numbers, for each begins with the same state of
    torch's generator: every layer draws anew.""",
    FOR, f"state = torch.get_rng_state()\n        {FOR}\n            torch.set_rng_state(state)")

# How a layer begins -------------------------------------------------------------------------------

wrong(MAKING, "settings_of_the_last_one_made", "options",
    """You keep norm_first at the class, so the layer that was made last decides for all: write
    self.norm_first.""",
    "self.norm_first", "EncoderLayer.norm_first")

wrong(MAKING, "activation_of_the_last_one_made", "options",
    """You keep the activation at the class, so the layer that was made last decides for all: write
    self.activation.""",
    f"self.activation = {CHOICE}", f"EncoderLayer.activation = staticmethod({CHOICE})")

wrong(MAKING, "torchs_order_of_arguments", "options",
    """Your arguments come in the order of torch's own layer, activation before norm_first: here it
    is the other way round.""",
    'norm_first: bool = False,\n        activation: str = "relu",',
    'activation: str = "relu",\n        norm_first: bool = False,')

wrong(LAYER, "gelu_only_in_post_norm", "options",
    "In pre-norm your layer uses relu whatever `activation` says: the two have nothing to do with "
    "one another.",
    CHOICE, CHOICE.replace('"gelu"', '"gelu" and not norm_first'))

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

wrong(LAYER, "begins_too_large", "fresh_weights",
    """Your weights begin with a spread of 1, whatever the width: sums of many of them are huge.
    Leave them as torch's parts begin.""",
    "self.norm_first = norm_first", "self.norm_first = norm_first\n"
    "        for weights in self.parameters():\n"
    "            weights.dim() > 1 and nn.init.normal_(weights)")

# The stack ----------------------------------------------------------------------------------------

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

wrong(STACK, "one_layer_more", STACKS,
    "Your stack has one layer more than num_layers says.",
    "range(num_layers)", "range(num_layers + 1)")

wrong(STACK, "only_the_last_counts", STACKS,
    """Every layer of your stack gets the first input, so only the last one counts: hand on what the
    one before returned.""",
    STEP, "y = layer(x, mask)", RESULT, "y if self.norm is None else self.norm(y)")

wrong(STACK, "backwards", STACKS,
    "Your stack goes through its layers from the last to the first.",
    "in self.layers", "in reversed(self.layers)")

wrong(STACK, "only_the_first_counts", STACKS,
    "Your stack uses its first layer only: a return inside the loop?",
    "in self.layers", "in self.layers[:1]")

wrong(STACK, "residual_around_the_stack", STACKS,
    "You add the stack's input to its result: the residuals are inside the layers.",
    FOR, f"first = x\n        {FOR}", "return", "x = x + first\n        return")

wrong(STACK, "sum_of_all_layers", STACKS,
    "You add up what all layers return: the result is the last layer's.",
    LOOP, f"x = sum({EVERY})")

wrong(STACK, "returns_all_results", STACKS,
    "You return the results of all layers: only the last one's is asked for.",
    LOOP, f"results = {EVERY}", RESULT, f"[{RESULT} for x in results]")

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

wrong(STACK, "final_norm_at_the_beginning", "stack_with_a_norm",
    "You apply the norm before the first layer: it comes after the last.",
    FOR, f"x = {RESULT}\n        {FOR}", f"return {RESULT}", "return x")

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

wrong(STACK, "mask_only_in_training", "every_layer_gets_the_mask",
    "After eval() your stack keeps the mask to itself: hand it to every layer in both modes.",
    STEP, "x = layer(x, mask if self.training else None)")

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
    "copy.deepcopy(layer)", "copy.deepcopy(layer, {id(layer.norm1): layer.norm1})")
