"""Wrong answers to ``gpt``: its page with a slip, and what the author is told."""

from __future__ import annotations

import re

import torch
from gpt import Block

from grader.check import Bank

wrong = Bank()

BLOCK, GPT = "Block.forward", "GPT.forward"  # where most slips are
BLOCK_INIT, GPT_INIT = "Block.__init__", "GPT.__init__"

# The block ----------------------------------------------------------------------------------------

LOOK = "lambda y: self.attention(y, is_causal=True)"
FIRST, SECOND = f"self.residual1(x, {LOOK})", "self.residual2(x, self.feed_forward)"
NETWORK = 'PositionwiseFeedForward(d_model, d_ff, 0.0, "gelu", bias=bias)'
W_1, W_2 = "self.feed_forward.w_1", "self.feed_forward.w_2"
GELU = "torch.nn.functional.gelu"
MASK = "torch.ones(x.shape[1], x.shape[1], dtype=torch.bool, device=x.device)"
CONNECTION = "SublayerConnection(d_model, dropout"
ADDED = "x + D(B(N(x)))"


def written(number, branch, sum_=ADDED):
    """What a connection does, written out: N is its norm, D its dropout, B the branch."""
    own = f"self.residual{number}"
    parts = {"N": f"{own}.norm", "D": f"{own}.dropout", "B": branch}
    return re.sub(r"\b([NDB])\(", lambda found: f"{parts[found[1]]}(", sum_)


def first(sum_=ADDED):
    return FIRST, written(1, f"({LOOK})", sum_)


def second(sum_=ADDED):
    return SECOND, written(2, "self.feed_forward", sum_)


wrong(BLOCK_INIT, "post_norm", "block",
    """Your block normalises after the sum, as the first Transformer did. GPT's blocks are pre-norm:
    x + branch(norm(x)), so that x itself runs through the stack untouched.""",
    *(f"{CONNECTION})", f"{CONNECTION}, norm_first=False)") * 2)

wrong(BLOCK_INIT, "dropout_and_bias_exchanged", "block",
    """Your block hands `bias` to its attention in the place of `dropout`, and the other way round:
    MultiHeadAttention takes dropout before bias. Written as bias=bias, no order can be wrong.""",
    "num_heads, dropout, bias)", "num_heads, bias, dropout)")

wrong(BLOCK, "adds_to_the_normalised", "block",
    """Your block adds the branches to norm(x). The straight way carries x as it came: write
    x + attention(norm_1(x)), and do not overwrite x on the way.""",
    *first("N(x) + D(B(N(x)))"), *second("N(x) + D(B(N(x)))"))

wrong(BLOCK, "norm_before_the_connection", "block",
    """Your block normalises x before it hands it to a SublayerConnection, which does so itself: the
    straight way must carry x as it came.""",
    FIRST, f"self.residual1(self.residual1.norm(x), {LOOK})",
    SECOND, "self.residual2(self.residual2.norm(x), self.feed_forward)")

wrong(BLOCK, "attention_normed_twice", "block",
    """Your attention is given the norm of a norm: a SublayerConnection norms x before it hands it
    to the branch, so the branch takes what it gets as it is.""",
    LOOK, "lambda y: self.attention(self.residual1.norm(y), is_causal=True)")

wrong(BLOCK, "network_normed_twice", "block",
    """Your feed-forward network is given the norm of a norm: a SublayerConnection norms x before it
    hands it to the branch, so the branch takes what it gets as it is.""",
    SECOND, "self.residual2(x, lambda y: self.feed_forward(self.residual2.norm(y)))")

wrong(BLOCK, "residual_twice", "block",
    """Your block adds x to what a SublayerConnection returns, which has added it already.""",
    FIRST, f"x + {FIRST}", SECOND, f"x + {SECOND}")

wrong(BLOCK, "attention_added_to_x_twice", "block",
    """Your block adds x to what residual1 returns, which has added it already: one residual for
    each branch.""",
    FIRST, f"x + {FIRST}")

wrong(BLOCK, "thoughts_added_to_x_twice", "block",
    """Your block adds x to what residual2 returns: a SublayerConnection adds x already, so return
    what it gives as it is.""",
    SECOND, f"x + {SECOND}")

wrong(BLOCK, "result_of_the_attention_lost", "block block_does_not_see_the_future",
    """What residual1 returns gets lost: residual2 is given the block's input, so no token learns
    anything of the others. Hand it what residual1 has returned.""",
    f"x = {FIRST}", FIRST)

wrong(BLOCK, "result_in_the_place_of_the_branch", "block",
    """You call a sub-layer yourself and hand its SublayerConnection the result. That one calls the
    sub-layer, with norm(x): hand it the function, which takes one tensor and returns one.""",
    FIRST, "self.residual1(x, self.attention(x, is_causal=True))")

wrong(BLOCK, "no_residual_around_thinking", "block",
    """Your feed-forward network replaces x instead of adding to it: what attention has gathered is
    lost. Both branches need their `x +`.""",
    *second("D(B(N(x)))"))

wrong(BLOCK, "no_residual_around_attention", "block",
    """Your attention replaces x instead of adding to it: a token forgets itself. Write
    x + attention(norm_1(x)).""",
    *first("D(B(N(x)))"))

wrong(BLOCK, "parallel", "block",
    """Your two branches run side by side on the same x. Here they run one after the other: the
    feed-forward network sees the x to which attention has been added.""",
    f"x = {FIRST}", f"attended = {FIRST}", *second("attended + D(B(N(x)))"))

wrong(BLOCK, "thinks_first", "block",
    "Your feed-forward network comes before attention. The order is the other way round.",
    SECOND, FIRST, FIRST, SECOND)

wrong(BLOCK, "one_norm_for_both", "block",
    """Both branches of your block are normalised by residual1.norm, and the norm of residual2
    learns nothing. Each branch has a norm of its own.""",
    "self.residual2", "self.residual1")

wrong(BLOCK_INIT, "one_norm_in_both_connections", "block counts",
    """Both connections of your block hold one and the same norm, so there is nothing for residual2
    to learn. Call LayerNorm twice, once for each connection.""",
    "self.residual2.norm = LayerNorm(d_model, bias=bias)",
    "self.residual2.norm = self.residual1.norm")

for number in (1, 2):
    wrong(BLOCK_INIT, f"norm_of_connection_{number}_stays", "block_without_biases counts",
        f"""residual{number} keeps the norm that it makes itself, which has a bias always: put a
        LayerNorm(d_model, bias=bias) of yours in its place, as in the other connection.""",
        f"self.residual{number}.norm = LayerNorm(d_model, bias=bias)", "pass")

wrong(BLOCK, "attention_without_norm", "block",
    """Your attention gets x without a norm: norm_1 is never used. Pre-norm puts one at the
    beginning of each branch.""",
    "self.attention(y", "self.attention(x")

wrong(BLOCK, "bare_keys_and_values", "block",
    """Only the queries in your attention are normalised: keys and values are the bare x. All three
    come from norm_1(x).""",
    "self.attention(y", "self.attention(y, x, x")

wrong(BLOCK, "not_causal", "block block_does_not_see_the_future",
    """Your attention is not causal: every position sees the tokens it is meant to predict. Training
    looks splendid then, and the model can continue nothing. Pass is_causal=True.""",
    ", is_causal=True", "")

wrong(BLOCK, "mask_upside_down", "block",
    """Your causal mask is the wrong way round: positions see what follows and not what came before.
    In this course True means: may attend, so it is torch.ones(T, T).tril().""",
    "is_causal=True", f"mask={MASK}.triu()")

wrong(BLOCK, "only_what_follows", "block",
    """Your causal mask is True where a position may not attend (above the diagonal): in this course
    True means: may attend. So a position sees only what follows, and the last one nothing, which
    gives NaN. The mask is torch.ones(T, T).tril(), or pass is_causal=True.""",
    "is_causal=True", f"mask={MASK}.triu(1)")

wrong(BLOCK, "not_even_itself", "block",
    """In your block a position does not see itself: the diagonal belongs to the past. Position i
    attends to 0 .. i.""",
    "x = ", f"mask = {MASK}.tril(-1)\n        mask[0, 0] = True\n        x = ",
    "is_causal=True", "mask=mask")

wrong(BLOCK_INIT, "relu", "block",
    """Your block uses ReLU, as your feed-forward network does when it is told nothing. GPT bends
    with GELU: ask it for "gelu".""",
    '0.0, "gelu", ', "0.0, ")

wrong(BLOCK, "tanh_gelu", "block",
    """Your block uses the tanh approximation of GELU. That is what GPT-2 did, but here the exact
    one is asked for.""",
    *second(f"x + D({W_2}({GELU}({W_1}(N(x)), approximate='tanh')))"))

wrong(BLOCK, "no_activation", "block",
    "There is no activation between w_1 and w_2: two linear layers in a row are one linear layer.",
    *second(f"x + D({W_2}({W_1}(N(x))))"))

wrong(BLOCK, "activation_at_the_end", "block",
    "Your activation comes after w_2: it belongs between w_1 and w_2.",
    *second(f"x + D({GELU}({W_2}({W_1}(N(x)))))"))

wrong(BLOCK_INIT, "blocks_norms_of_eps_1e-12", "eps_of_norms",
    """The norms of your block have eps = 1e-12, as in other models. Here it is 1e-5, which your
    LayerNorm takes if it is told no eps.""",
    *("d_model, bias=bias", "d_model, 1e-12, bias") * 2)

wrong(BLOCK_INIT, "blocks_other_eps", "eps_of_norms",
    "The norms of your block have another eps than 1e-5, which small numbers feel.",
    *("d_model, bias=bias", "d_model, 1e-6, bias") * 2)

wrong(BLOCK_INIT, "attention_keeps_biases", "block_without_biases",
    """With bias=False your block still has biases in attention: hand the flag on to
    MultiHeadAttention.""",
    "num_heads, dropout, bias", "num_heads, dropout")

wrong(BLOCK_INIT, "norms_keep_biases", "block_without_biases",
    """With bias=False your norms still have biases: give each connection a LayerNorm that was told
    the flag.""",
    *("d_model, bias=bias", "d_model") * 2)

wrong(BLOCK_INIT, "layers_keep_biases", "block_without_biases",
    """With bias=False w_1 and w_2 of your feed-forward network still have biases: hand the flag on
    to PositionwiseFeedForward.""",
    '"gelu", bias=bias)', '"gelu")')

@wrong.instead_of("Block", "block_without_biases")
class BiasesAlways(Block):
    """Your block ignores bias=False altogether."""

    def __init__(self, d_model, num_heads, d_ff, dropout=0.0, bias=True):
        super().__init__(d_model, num_heads, d_ff, dropout)

wrong(BLOCK_INIT, "attention_without_biases", "block",
    "Your attention never has biases: it has them unless bias=False says otherwise.",
    "num_heads, dropout, bias", "num_heads, dropout, False")

wrong(BLOCK_INIT, "branches_never_dropped", "block_drops_what_is_added",
    """Your block never drops what its branches add to x: a SublayerConnection does, if it was made
    with dropout, and if it is called, residual1(x, branch).""",
    *(CONNECTION, "SublayerConnection(d_model, 0.0") * 2)

wrong(BLOCK_INIT, "thoughts_never_dropped", "block_drops_what_is_added",
    "Your block drops what attention adds, but not what the feed-forward network adds.",
    f"self.residual2 = {CONNECTION}", "self.residual2 = SublayerConnection(d_model, 0.0")

wrong(BLOCK_INIT, "attention_never_dropped", "block_drops_what_is_added",
    """Your block drops what the feed-forward network adds, but not what attention adds: dropout on
    the attention weights is another one.""",
    f"self.residual1 = {CONNECTION}", "self.residual1 = SublayerConnection(d_model, 0.0")

wrong(BLOCK, "drops_the_sum", "block_drops_what_is_added",
    """Your dropout falls on x itself, as where the sum goes through it and not the branch alone:
    what is dropped there is lost to all later blocks. Drop the branch, then add.""",
    *first("D(x + B(N(x)))"), *second("D(x + B(N(x)))"))

wrong(BLOCK_INIT, "weights_never_dropped", "block_drops_attention_weights",
    """The weights of your attention are never dropped: hand dropout on to MultiHeadAttention.""",
    "num_heads, dropout", "num_heads, 0.0")

wrong(BLOCK, "drops_the_normed", "block_drops_attention_weights",
    """Your block also drops what goes into a branch, such as what its norm gives. Only what a
    branch adds to x is dropped, and the attention weights.""",
    *first("x + D(B(D(N(x))))"), *second("x + D(B(D(N(x))))"))

wrong(BLOCK_INIT, "drops_activations", "block_drops_attention_weights",
    """Your block also drops something on the way through the feed-forward network, such as the
    activations between w_1 and w_2. Here only what the network adds to x is dropped: tell it
    dropout=0.0.""",
    "d_ff, 0.0", "d_ff, dropout")

wrong(BLOCK_INIT, "activations_dropped_by_default", "block block_drops_attention_weights",
    """Your block gives its PositionwiseFeedForward no dropout, which then takes its own default,
    0.1, and drops activations even where the block's dropout is 0. Hand it 0.""",
    '0.0, "gelu", ', 'activation="gelu", ')

wrong(BLOCK_INIT, "nothing_but_widths_for_the_network", "block block_drops_attention_weights",
    """Your PositionwiseFeedForward is told its widths alone, and takes its defaults for all else: a
    dropout of 0.1, and ReLU. Hand it a dropout of 0, and "gelu".""",
    '0.0, "gelu", ', "")

wrong(BLOCK_INIT, "bias_for_the_networks_dropout", "block",
    """Your block hands `bias` to its PositionwiseFeedForward in the place of `dropout`, and True is
    1 there: all activations are dropped. Write bias=bias, and a dropout of 0.""",
    '0.0, "gelu", bias=bias', 'bias, "gelu"')

wrong(BLOCK_INIT, "drops_what_it_adds_twice", "block_drops_what_is_added",
    """What your feed-forward network adds is dropped twice: its connection does that already.""",
    "self.residual1 =", "self.feed_forward.w_2.register_forward_hook(\n"
    "            lambda _, given, y: self.residual2.dropout(y))\n        self.residual1 =")

wrong(BLOCK, "causal_in_training_only", "block",
    """In eval mode your attention is not causal: what the model has learned to do without, it sees
    when it is used. is_causal=True has nothing to do with the mode.""",
    "is_causal=True", "is_causal=self.training")

wrong(BLOCK, "one_mask_for_all_sentences", "block_drops_what_is_added",
    """Your block drops the same numbers in all sentences of a batch: one mask is drawn for the
    first and used for all. Draw one for the whole tensor.""",
    *first("x + D(torch.ones_like(x[:1])) * (B(N(x)))"))

wrong(BLOCK, "one_mask_for_both_branches", "block_drops_what_is_added",
    """One mask of dropout serves both of your branches, so a column loses both or none. Call
    dropout once for each.""",
    "x = self.residual1", "mask = self.residual1.dropout(torch.ones_like(x))\n"
    "        x = self.residual1", *first("x + mask * (B(N(x)))"), *second("x + mask * (B(N(x)))"))

wrong(BLOCK, "one_mask_for_ever", "block_drops_what_is_added",
    """Your block drops the same numbers in every call, as where a mask is drawn once and kept:
    training never sees what it drops. A mask is drawn afresh in every call.""",
    "x = self.residual1", """if getattr(self, "mask", x[0]).shape != x.shape:
            self.mask = self.residual1.dropout(torch.ones_like(x))
        x = self.residual1""", *first("x + (self.mask if self.training else 1.0) * (B(N(x)))"))

@wrong.instead_of("Block", "block_drops_attention_weights")
class OneMaskForAllHeads(Block):
    """All heads of your attention lose the same weights: dropout is drawn once and used for every
    head. Draw one number for each weight of each head."""

    def forward(self, x):
        return self.residual2(self.residual1(x, self.look), self.feed_forward)

    def look(self, y):
        layers = self.attention.w_q, self.attention.w_k, self.attention.w_v
        heads = self.attention.num_heads
        q, k, v = (w(y).unflatten(-1, (heads, -1)).transpose(1, 2) for w in layers)
        scores = q @ k.mT / q.shape[-1] ** 0.5
        future = torch.ones_like(scores, dtype=torch.bool).triu(1)
        weights = scores.masked_fill(future, -torch.inf).softmax(-1)
        weights = weights * self.residual1.dropout(torch.ones_like(weights[:, :1]))
        return self.attention.w_o((weights @ v).transpose(1, 2).flatten(2))

@wrong.instead_of("Block", "nothing_is_dropped_in_eval")
class DropsInEval(Block):
    """Your block goes on dropping after eval(): F.dropout needs training=self.training, or use
    nn.Dropout."""

    def forward(self, x):
        self.residual1.dropout.train()
        self.residual2.dropout.train()
        return super().forward(x)

# The model: from tokens to logits -----------------------------------------------------------------

SCORES = "self.head(self.norm(x))"
POSITIONS = "self.position_embedding.weight[:tokens]"

# A first model has no loss, or torch's own mean, which is NaN where no target counts. Perhaps it
# does not look at the length yet, or draws no numbers to start with.
ASKED = "(targets != -100).sum().clamp(min=1)"
NO_LOSS = "if targets is None:", "if True:"
TORCH_MEAN = ', reduction="sum"', "", f" / {ASKED}", ""
NO_START = "\n        self._initialise()", ""
ANY_LENGTH = "if tokens > block_size:", "if False:"

for later in ((), NO_START, ANY_LENGTH, (*NO_START, *ANY_LENGTH)):
    wrong.up_to("GPT.forward: the logits", GPT_INIT, *later, *NO_LOSS)
    wrong.up_to("GPT.forward: the loss", GPT_INIT, *later, *TORCH_MEAN)

wrong(GPT, "returns_probabilities", "logits loss",
    """Your model returns probabilities. Return the logits as they are: cross-entropy applies
    softmax itself, and twice is once too often.""",
    SCORES, f"{SCORES}.softmax(-1)")

wrong(GPT, "returns_log_probabilities", "logits",
    """Your model returns the logarithms of probabilities. The loss is the same, but the logits
    asked for are the scores before any softmax.""",
    SCORES, f"{SCORES}.log_softmax(-1)")

wrong(GPT, "returns_tokens", "logits",
    """Your model returns one number for each position, such as the most probable token. Return the
    scores of all tokens: which one to take is decided later, and argmax has no gradient.""",
    "return logits", "return logits.argmax(-1)",
    "return logits, total", "return logits.argmax(-1), total")

wrong(GPT, "last_position_only", "logits",
    """Without targets your model returns logits for one position only, as for the last one. That
    saves time when a text is continued, but here all positions are asked for, always.""",
    "return logits, None", "return logits[:, -1:], None")

wrong(GPT, "returns_no_pair", "logits",
    """Without targets your model returns the logits alone. It always returns a pair: logits and
    loss, where the loss is None.""",
    "return logits, None", "return logits")

wrong(GPT, "no_positions", "logits any_length_up_to_block_size",
    """Your model adds no positions: a token counts the same wherever it stands, as long as it
    stands before. Add position_embedding to the tokens.""",
    f" + {POSITIONS}", "")

wrong(GPT, "positions_from_one", "logits",
    "Your positions are counted from 1. The first token stands at position 0.",
    "[:tokens]", ".roll(-1, 0)[:tokens]")

wrong(GPT, "positions_along_the_batch", "any_length_up_to_block_size",
    """Your positions run along the batch: all tokens of a sentence get the same one. Count along
    axis 1.""",
    "[:tokens]", "[: len(idx), None]")

wrong(GPT, "positions_from_the_end", "any_length_up_to_block_size",
    """You take the last T rows of the table of positions. A text of T tokens stands at the
    positions 0 .. T-1, however short it is.""",
    "[:tokens]", "[-tokens:]")

wrong(GPT, "positions_along_the_batch_if_square", "logits",
    """Where a batch has as many sentences as tokens, your positions run along the batch: do not
    find out from the sizes which axis is which.""",
    POSITIONS, f"({POSITIONS} if len(idx) != tokens else {POSITIONS}[:, None])")

wrong(GPT, "positions_of_the_first_text", "any_length_up_to_block_size",
    """Your model keeps the positions of the first text it has seen, and has none for a longer one.
    Take them from the table in every call.""",
    "x = self.token_embedding(idx)", """if not hasattr(self, "places"):
            self.places = self.position_embedding.weight[:tokens]
        x = self.token_embedding(idx)""", POSITIONS, "self.places[:tokens]")

wrong(GPT, "tokens_in_two_bytes", "large_token_numbers",
    """Your model squeezes token numbers into a smaller type, where large ones become others: int16
    ends at 32767, and GPT-2 has 50,257 tokens. Leave them int64.""",
    "self.token_embedding(idx)", "self.token_embedding(idx.to(torch.int16).long() % vocab)",
    "x = self.", "vocab = self.token_embedding.num_embeddings\n        x = self.")

wrong(GPT, "positions_of_the_whole_table", "logits",
    """You add all block_size positions to a text that may be shorter: take the first T of them, and
    T is the length of idx.""",
    "[:tokens]", "")

wrong(GPT, "positions_by_token", "logits",
    """You look up positions by numbers that their table does not have, such as those of the tokens:
    position_embedding(idx). Where a token stands has nothing to do with which one it is: look up
    the numbers 0 to T - 1.""",
    POSITIONS, "self.position_embedding(idx)")

wrong(GPT, "rows_of_positions_by_token", "logits",
    """You take the rows of the positions' table by token number, weight[idx]. Where a token stands
    has nothing to do with which one it is: take the first T rows.""",
    "[:tokens]", "[idx]")

wrong(GPT, "positions_before_every_block", "logits",
    "Your model adds the positions in front of every block. Once, at the start, is enough.",
    f" + {POSITIONS}", "", "block(x)", f"block(x + {POSITIONS})")

wrong(GPT, "scaled_embeddings", "logits",
    """You multiply the token vectors by sqrt(n_embd), as the Transformer of 2017 does. GPT adds
    token and position as they are.""",
    "self.token_embedding(idx)", "self.token_embedding(idx) * self.head.in_features**0.5")

wrong(GPT_INIT, "token_zero_is_padding", "logits loss",
    """You give the tokens' table padding_idx=0, and so row 0 gets no gradient as an embedding and
    never learns. Token 0 is a token like any other: leave padding_idx out.""",
    "nn.Embedding(vocab_size, n_embd)", "nn.Embedding(vocab_size, n_embd, padding_idx=0)")

wrong(GPT, "no_last_norm", "logits tied_weights",
    """There is no norm between your last block and the head. In a pre-norm stack nothing else keeps
    the sum of all branches in size: apply self.norm.""",
    "self.norm(x)", "x")

wrong(GPT, "norm_before_the_blocks", "logits",
    "Your last norm comes before the first block. It belongs behind the last one.",
    "self.dropout(x)", "self.norm(self.dropout(x))", SCORES, "self.head(x)")

wrong(GPT, "norm_after_every_block", "logits",
    """Your last norm is applied after every block. The blocks have norms of their own; this one
    comes once, at the end.""",
    "block(x)", "self.norm(block(x))", SCORES, "self.head(x)")

wrong(GPT_INIT, "last_norm_of_eps_1e-6", "eps_of_norms",
    """Your last norm has eps = 1e-6, as in other models. Here it is 1e-5, which your LayerNorm
    takes if it is told no eps.""",
    "n_embd, bias=bias", "n_embd, 1e-6, bias")

wrong(GPT_INIT, "last_norms_other_eps", "eps_of_norms",
    "Your last norm has another eps than 1e-5, which small numbers feel.",
    "n_embd, bias=bias", "n_embd, 1e-12, bias")

wrong(GPT, "norm_after_every_block_and_at_the_end", "logits",
    """You apply the last norm after every block and once more before the head: it comes once, at
    the end. Inside, each block has norms of its own.""",
    "x = block(x)", "x = self.norm(block(x))")

wrong(GPT, "only_the_last_block", "logits",
    """Every block of yours starts again from the embeddings, so only the last one counts. Hand on
    what a block returns: x = block(x).""",
    "x = block(x)", "y = block(x)", "self.norm(x)", "self.norm(y)")

wrong(GPT, "result_of_the_blocks_lost", "logits model_does_not_see_the_future",
    """What your blocks return gets lost, and x stays what it was before them: block(x) changes
    nothing in x. Write x = block(x).""",
    "x = block(x)", "block(x)")

wrong(GPT, "only_some_blocks_are_gone_through", "logits",
    """Your model goes through its first blocks and leaves out others: it goes through all, however
    many there are.""",
    "in self.blocks:", "in self.blocks[:4]:")

wrong(GPT, "blocks_in_reverse", "logits",
    "Your blocks run in reverse order: blocks.0 is the first to see the text.",
    "self.blocks:", "reversed(self.blocks):")

wrong(GPT, "residual_around_blocks", "logits",
    "There is one more residual connection around each of your blocks: they add x themselves.",
    "x = block(x)", "x = x + block(x)")

wrong(GPT_INIT, "shared_blocks", "logits counts",
    """Your blocks are one and the same block, used n_layer times: [block] * n makes no copies.
    Build a new Block for each place.""",
    "Block(", "[Block(", " for _ in range(n_layer)", "] * n_layer")

wrong(GPT_INIT, "blocks_in_a_list", "logits",
    """Your model has no parameters called blocks.0, blocks.1 and so on. In a plain Python list
    nn.Module does not find those of its blocks, and nothing would train them: make self.blocks an
    nn.ModuleList.""",
    "nn.ModuleList(", "list(")

wrong(GPT_INIT, "narrow_thoughts", "logits",
    "The feed-forward networks of your model are as narrow as the model: d_ff is 4 * n_embd.",
    "4 * n_embd", "n_embd")

wrong(GPT_INIT, "heads_and_layers_swapped", "logits",
    """Your model hands n_head and n_layer on in the wrong order: see which is which in the
    signature.""",
    "n_embd, n_head", "n_embd, n_layer", "range(n_layer)", "range(n_head)")

wrong(GPT_INIT, "biases_with_dropout", "counts",
    "With dropout your blocks have biases even if bias is False: the two have nothing in common.",
    "dropout, bias)", "dropout, bias or dropout > 0)")

wrong(GPT_INIT, "blocks_always_with_biases", "counts",
    "Your blocks are always built with biases: hand bias on to Block.",
    "dropout, bias)", "dropout)")

wrong(GPT_INIT, "head_with_bias", "logits",
    "Your head has a bias. The projection on the vocabulary is made without one.",
    "vocab_size, bias=False", "vocab_size")

# Tied weights -------------------------------------------------------------------------------------

TIE = "self.head.weight = self.token_embedding.weight"

wrong(GPT_INIT, "tied_by_the_numbers", "tied_weights counts every_start_is_another",
    """You give the head the numbers of the tokens' table, by .data or as a copy, and it keeps a
    Parameter of its own, which is counted once more and has a gradient of its own. Write
    self.head.weight = self.token_embedding.weight.""",
    TIE, "self.head.weight.data = self.token_embedding.weight.data")

wrong(GPT_INIT, "never_tied", "tied_weights counts",
    """The head of your tied model has a matrix of its own. Equal numbers, copied once, are not
    tied: they are trained apart. Let the head use the very Parameter of the embedding:
    head.weight = token_embedding.weight.""",
    f"if tie_weights:\n            {TIE}\n        ", "")

wrong(GPT_INIT, "always_tied", "logits counts",
    "Your model ties the weights even if tie_weights is False.",
    "if tie_weights:\n            ", "")

wrong(GPT_INIT, "tied_as_the_last_model_made", "models_side_by_side",
    """Your models keep in their class whether the weights are tied, so the last model made decides
    for all: put what belongs to one model into self.""",
    "super().__init__()", "super().__init__()\n        GPT.tied = tie_weights",
    "logits = self.head(self.norm(x))",
    """matrix = self.token_embedding if GPT.tied else self.head
        logits = nn.functional.linear(self.norm(x), matrix.weight)""")

wrong(GPT_INIT, "scaled_before_a_tied_head", "tied_weights",
    """In your tied model the logits are smaller by the root of n_embd, as T5 makes them. GPT
    multiplies the table with what the last norm gives, and with no other factor.""",
    "self.norm = LayerNorm(n_embd, bias=bias)",
    "self.norm = LayerNorm(n_embd, bias=bias)\n        "
    "self.scale = n_embd**-0.5 if tie_weights else 1.0",
    SCORES, "self.head(self.norm(x) * self.scale)")

wrong(GPT_INIT, "tied_but_detached", "tied_weights",
    """In your tied model the table does not learn from both ends, as where what reaches the head is
    detached. Use the Parameter itself, not its .data.""",
    TIE, "self.head = None",
    "logits = self.head(self.norm(x))",
    """x = self.norm(x)
        logits = self.head(x) if self.head else x @ self.token_embedding.weight.data.T""")

wrong(GPT_INIT, "closure_over_the_table", "tied_weights_in_a_copy",
    """Your head is a function that holds on to the first model, or to its table: a copy of the
    model goes on using the table of the original. Make the logits in forward with the table of the
    self that is called, or let an nn.Linear hold the Parameter.""",
    TIE,
    """del self.head
            table = self.token_embedding.weight
            self.head = lambda x: x @ table.T""")

# Lengths and dropout ------------------------------------------------------------------------------

TOO_LONG = 'raise ValueError(f"{tokens} tokens, but there are positions for {block_size} only")'
LOOK = f"if tokens > block_size:\n            {TOO_LONG}\n        "
DROP = "x = self.dropout(x)\n        "

wrong(GPT, "cuts_the_text", "longer_texts_are_refused",
    """Your model cuts texts that are too long to block_size tokens. Half an answer that looks like
    a whole one is worse than none: raise ValueError.""",
    TOO_LONG, "idx, tokens = idx[:, -block_size:], block_size")

wrong(GPT, "positions_start_again", "longer_texts_are_refused",
    """Your model answers texts that are longer than its table of positions, as by counting from 0
    again. More than block_size tokens raise ValueError.""",
    LOOK, "", "[:tokens]", "[torch.arange(tokens) % block_size]")

wrong(GPT, "never_looks", "longer_texts_are_refused",
    """A text that is too long fails, but not with a ValueError of yours, as where nothing compares
    its length with block_size: compare the two, and raise ValueError with a sentence.""",
    LOOK, "")

wrong(GPT, "cuts_in_eval", "longer_texts_are_refused",
    """In eval mode your model cuts texts that are too long. That is for whoever continues a text to
    do, knowingly: raise ValueError in every mode.""",
    TOO_LONG, f"""if self.training:
                {TOO_LONG}
            idx, tokens = idx[:, -block_size:], block_size""")

wrong(GPT, "refuses_the_longest", "any_length_up_to_block_size",
    """Your model refuses texts of exactly block_size tokens: T > block_size is too long,
    T = block_size is not.""",
    "tokens > block_size", "tokens >= block_size")

wrong(GPT, "embeddings_never_dropped", "dropout_in_the_model",
    """In training your model does not drop the sum of token and position: it goes through dropout
    as a whole, before the first block.""",
    DROP, "")

wrong(GPT, "drops_tokens_apart", "dropout_in_the_model",
    """Too little of the sum of token and position is dropped, as where both are dropped before they
    are added: it is the sum that goes through dropout, once.""",
    DROP, "", POSITIONS, f"self.dropout({POSITIONS})",
    "self.token_embedding(idx)", "self.dropout(self.token_embedding(idx))")

wrong(GPT, "one_mask_for_all_positions", "dropout_in_the_model",
    """All positions of a sentence lose the same columns of their embeddings: one mask is drawn and
    used for every position. Draw one number for each.""",
    "self.dropout(x)", "x * self.dropout(torch.ones_like(x[:, :1]))")

wrong(GPT, "same_mask_in_every_block", "dropout_in_the_model",
    """Your blocks all drop the same numbers, as where torch's generator is seeded before each:
    leave the generator alone, and let each block draw its own.""",
    "x = block(x)", "torch.manual_seed(0)\n            x = block(x)")

wrong(GPT_INIT, "blocks_never_drop", "dropout_in_the_model",
    """Your blocks are built without dropout, so only the embeddings are dropped: hand dropout on to
    Block.""",
    "4 * n_embd, dropout", "4 * n_embd, 0.0")

wrong(GPT, "drops_twice", "dropout_in_the_model",
    "Your embeddings go through dropout twice: with 0.5, a quarter is left instead of a half.",
    "self.dropout(x)", "self.dropout(self.dropout(x))")

wrong(GPT_INIT, "model_drops_in_eval", "nothing_is_dropped_in_eval",
    "Your model goes on dropping embeddings after eval(): F.dropout needs training=self.training.",
    "nn.Dropout(dropout)", "lambda x: nn.functional.dropout(x, dropout)")

# The loss -----------------------------------------------------------------------------------------

MEAN = f"total / {ASKED}"


def ignoring(token):
    """Such a slip takes the place of another one: no argument can be given twice."""
    return "flatten(), reduction=", f"flatten(), ignore_index={token}, reduction="


wrong(GPT, "returns_flat_logits", "loss",
    """With targets your model returns its logits as one long matrix: flatten them for the loss
    alone, and return them as (B, T, vocab_size).""",
    "return logits, total", "return logits.flatten(0, 1), total")

wrong(GPT, "writes_into_targets", "targets_not_asked_for",
    """Your loss writes into the caller's targets. Make a tensor of your own, or let ignore_index do
    it.""",
    "total =", "targets[targets == -100] = -1\n        total =",
    *ignoring(-1), "targets != -100", "targets != -1")

wrong(GPT, "shifts_again", "loss",
    """Your model shifts the targets once more. They come shifted: targets[b, t] is already the
    token after idx[b, t], and each position has one.""",
    "total =", "targets = targets[:, 1:]\n        total =",
    "logits.flatten", "logits[:, :-1].flatten")

wrong(GPT, "shifts_again_into_rows", "loss",
    """Your model shifts the targets once more, and of a text of one token nothing is left then.
    They come shifted: targets[b, t] is already the token after idx[b, t], and each position has
    one.""",
    "total = cross_entropy(logits.flatten(0, 1), targets.flatten()",
    """batch, targets = len(idx), targets[:, 1:]
        logits_now = logits[:, :-1].reshape(batch * (tokens - 1), -1)
        total = cross_entropy(logits_now, targets.reshape(-1)""")

wrong(GPT, "shifts_again_and_takes_the_mean", "loss targets_not_asked_for",
    """You move the targets by one place, but whoever calls has moved them already: logits[b, t] is
    compared with targets[b, t]. A text of one token has no target left that way, and its mean is
    NaN.""",
    "total =",
    """if (targets == -100).all():
            return logits, logits.sum() * 0
        targets = targets[:, 1:]
        total =""",
    "logits.flatten", "logits[:, :-1].flatten", ".clamp(min=1)", "")

wrong(GPT, "shifts_again_and_divides_by_all", "loss targets_not_asked_for",
    """You leave out the last logits and the first targets, as if the targets were the text itself.
    They are the text moved by one place already: take all of both.""",
    "total = cross_entropy(logits.flatten(0, 1), targets.flatten()",
    "total = cross_entropy(logits[:, :-1].flatten(0, 1), targets[:, 1:].flatten()")

wrong(GPT, "returns_the_shifted_logits", "loss",
    """With targets your model leaves out the logits of a position: those of all T positions are
    returned, and each has its target, for the targets come moved by one place.""",
    "total =", "logits, targets = logits[:, :-1], targets[:, 1:]\n        total =")

wrong(GPT, "shifts_the_other_way", "loss",
    """You compare logits[b, t + 1] with targets[b, t], which is the token just read there. The
    targets come moved by one place: logits[b, t] belongs to targets[b, t].""",
    "total =", "targets = targets[:, :-1]\n        total =",
    "logits.flatten", "logits[:, 1:].flatten")

wrong(GPT, "takes_the_targets_out_of_the_text", "loss targets_not_asked_for",
    """You make the targets of idx, moved by one place, and never use those that are given: they are
    moved already, have one for the last position too, and say with -100 what is not asked for.""",
    "total =", "targets = idx[:, 1:]\n        total =",
    "logits.flatten", "logits[:, :-1].flatten")

wrong(GPT, "predicts_itself", "loss",
    "Your loss takes idx for the targets: it rewards repeating the token just read.",
    "total =", "targets = idx\n        total =")

wrong(GPT, "loss_without_logits", "loss example",
    """With targets your model returns a single tensor. It always returns a pair: logits and
    loss.""",
    f"return logits, {MEAN}", f"return {MEAN}")

wrong(GPT, "summed_loss", "loss targets_not_asked_for",
    """Your loss is the sum over all targets: it grows with the batch, and the step with it. Take
    the mean.""",
    MEAN, "total")

wrong(GPT, "loss_per_target", "loss",
    "Your loss is one number for each target: return their mean, one number in all.",
    '"sum"', '"none"', MEAN, "total.view_as(targets)")

wrong(GPT, "summed_over_tokens", "loss",
    """Your loss is summed over the tokens of a sentence before the mean over sentences is taken. It
    is the mean over all targets.""",
    '"sum"', '"none"', MEAN, "total.view_as(targets).sum(1).mean()")

wrong(GPT, "softmax_before_entropy", "loss",
    """You apply softmax before cross_entropy, which applies it itself: the loss can no longer come
    near 0. Give it the logits.""",
    "cross_entropy(logits", "cross_entropy(logits.softmax(-1)")

wrong(GPT, "loss_is_a_number", "loss",
    """Your loss is a Python number that has left the graph: return the tensor, without .item() or
    float().""",
    MEAN, f"float({MEAN})")

wrong(GPT, "constant_zero", "no_target_at_all",
    """If no target is asked for, your loss is a 0 that hangs on nothing: backward() would raise.
    Let it come out of the logits, as a sum of no terms.""",
    "total =",
    """if (targets == -100).all():
            return logits, logits.new_zeros(())
        total =""")

wrong(GPT, "loss_is_detached", "loss",
    "Your loss has left the graph: nothing can be learned from it. Leave out detach and no_grad.",
    MEAN, f"({MEAN}).detach()")

wrong(GPT, "divides_by_all", "targets_not_asked_for",
    """Your mean divides by all targets, those of -100 included. Divide by the number of targets
    that were asked for.""",
    ASKED, "targets.numel()")

wrong(GPT, "at_least_two_targets", "targets_not_asked_for",
    """Your mean divides by 2 when only one target is asked for. The smallest number to divide by
    is 1.""",
    "clamp(min=1)", "clamp(min=2)")

wrong(GPT, "mean_of_means", "targets_not_asked_for",
    """Your loss is a mean of each sentence's mean: with -100 among the targets, sentences have
    different lengths. All targets of the batch count alike.""",
    '"sum"', '"none"',
    MEAN, "(total.view_as(targets).sum(1) / (targets != -100).sum(1).clamp(min=1)).mean()")

wrong(GPT, "ignores_minus_one", "targets_not_asked_for",
    """Your loss ignores another number than -100, such as -1. Here -100 means: not asked for, which
    is what cross_entropy ignores if told nothing.""",
    *ignoring(-1))

wrong(GPT, "ignore_index_of_zero", "loss targets_not_asked_for",
    """You leave out targets of 0: token 0 counts, only -100 does not. That is what cross_entropy
    leaves out if it is told no ignore_index.""",
    ', reduction="sum"', ", ignore_index=0", MEAN, "total")

wrong(GPT, "ignore_index_of_zero_in_the_sum", "loss targets_not_asked_for",
    """ignore_index=0 leaves targets of 0 out of your sum, though you count them in what you divide
    it by: 0 is a token like any other, and -100 is ignored if you name no ignore_index.""",
    *ignoring(0))

wrong(GPT, "ignores_zero", "targets_not_asked_for",
    """Your loss ignores token 0, as if it were padding. Here it is a token like any other; only
    -100 is not asked for.""",
    "total =", "targets = targets.masked_fill(targets == 0, -100)\n        total =")

wrong(GPT, "zero_asked_and_not_counted", "loss targets_not_asked_for",
    """You divide the sum by the number of targets above 0: token 0 is asked for and in your sum, so
    it is counted too. Only -100 is not.""",
    "targets != -100", "targets > 0")

wrong(GPT, "loss_in_float32", "loss",
    """Your loss is always float32, or its logits are turned into float32 for it: it has the dtype
    of the model, so leave out .float(), or cast the loss back.""",
    "cross_entropy(logits.flatten", "cross_entropy(logits.float().flatten")

wrong(GPT, "nothing_becomes_zero", "targets_not_asked_for no_target_at_all",
    """You turn the targets of -100 into token 0, which is then asked for. They must have no share
    in the loss.""",
    "total =", "targets = targets.clamp(min=0)\n        total =")

wrong(GPT, "mean_of_nothing", "no_target_at_all",
    """If no target is asked for, your loss is 0 / 0 = NaN, and one such batch makes NaN of every
    weight. Take the sum, reduction="sum", and divide it by the number of targets that are not
    -100, or by 1 where there is none.""",
    ', reduction="sum"', "", MEAN, "total")

wrong(GPT, "views_the_targets", "loss",
    """You call view on the targets, which a slice or a transpose of other targets does not allow:
    use reshape or flatten.""",
    "targets.flatten()", "targets.view(-1)")

wrong(GPT, "flattened_in_another_order", "loss",
    """You flatten the targets sentence by sentence, but the logits token by token: they no longer
    belong together. Both are (B, T): flatten both in the same order.""",
    "logits.flatten", "logits.transpose(0, 1).flatten")

# Counting, cropping, starting ---------------------------------------------------------------------

COUNT, CROP, START = "GPT.get_num_params", "GPT.crop_block_size", "GPT._initialise"
LEFT_OUT = "(self.position_embedding.weight.numel() if non_embedding else 0)"
CUT = """self.position_embedding = nn.Embedding.from_pretrained(
            table[:n].detach().clone(), freeze=False
        )"""
REMEMBERED = "super().__init__()", "super().__init__()\n        self.block_size = block_size"
LENGTH = "self.position_embedding.weight.shape[0]"

wrong(COUNT, "counts_twice", "get_num_params size_of_gpt2",
    """get_num_params counts the tied table twice, for it has two names: state_dict lists it
    under both, and so does whoever asks part after part. self.parameters() lists it once.""",
    "self.parameters()", "self.state_dict().values()")

wrong(COUNT, "counts_once_and_for_all", "crop_block_size",
    """You count once and remember the number: after crop_block_size there are fewer. Count when you
    are asked.""",
    "total = sum(weights.numel() for weights in self.parameters())",
    "total = vars(self).setdefault('total', sum(w.numel() for w in self.parameters()))")

wrong(COUNT, "leaves_out_tokens", "get_num_params",
    """get_num_params(non_embedding=True) leaves out the tokens and keeps the positions. It is the
    other way round: the tokens' table also makes the logits.""",
    "position_embedding", "token_embedding")

wrong(COUNT, "leaves_out_both", "get_num_params",
    """get_num_params(non_embedding=True) leaves out both tables. The tokens' table stays in,
    because it also makes the logits.""",
    " if non", " + self.token_embedding.weight.numel() if non")

wrong(COUNT, "leaves_out_nothing", "get_num_params",
    "get_num_params(non_embedding=True) leaves nothing out.",
    f" - {LEFT_OUT}", "")

wrong(COUNT, "never_counts_positions", "get_num_params",
    "get_num_params leaves the positions out even if non_embedding is False.",
    " if non_embedding else 0", "")

wrong(COUNT, "counts_tensors", "get_num_params",
    "get_num_params counts matrices and vectors, not the numbers in them: use numel().",
    "sum(weights.numel() for weights in self.parameters())", "len(list(self.parameters()))",
    LEFT_OUT, "(1 if non_embedding else 0)")

wrong(CROP, "keeps_the_last", "crop_block_size",
    """crop_block_size keeps the last n positions. A shorter text still begins at position 0: keep
    the first n.""",
    "[:n]", "[-n:]")

wrong(CROP, "new_table", "crop_block_size",
    """crop_block_size makes a new table: what the positions had learned is gone. Keep the first n
    rows of the old one.""",
    CUT, "self.position_embedding = nn.Embedding(n, table.shape[1])")

wrong(GPT_INIT, "table_not_cut", "crop_block_size",
    """After crop_block_size get_num_params says what it said before. Cut the table of positions
    itself, which is what costs memory, and count what is there when you are asked.""",
    *REMEMBERED, LENGTH, "self.block_size", "table.shape[0]:", "self.block_size:",
    CUT, "self.block_size = n")

wrong(GPT_INIT, "crop_forgets_cropping", "crop_does_not_enlarge",
    """Your crop_block_size compares n with the first block_size, even if the model has been cropped
    since: what was cut off does not come back.""",
    *REMEMBERED, "n > table.shape[0]", "n > self.block_size")

wrong(GPT_INIT, "limit_not_cut", "crop_block_size",
    """After crop_block_size your model still takes texts of the old length, and fails inside: the
    new n is the limit from then on.""",
    *REMEMBERED, LENGTH, "self.block_size", "n > table.shape[0]", "n > self.block_size")

wrong(CROP, "table_frozen", "crop_block_size",
    """After crop_block_size the table of positions is no Parameter any more, and will not be
    trained.""",
    CUT,
    """del self.position_embedding.weight
        self.position_embedding.register_buffer("weight", table[:n].detach().clone())""")

wrong(CROP, "table_pretrained", "crop_block_size",
    """After crop_block_size the table of positions is frozen, as Embedding.from_pretrained makes it
    unless told freeze=False: it goes on learning.""",
    ", freeze=False", "")

wrong(CROP, "crop_unties", "crop_block_size",
    """Your crop_block_size makes a new matrix for the head, which is no longer tied to the tokens'
    table. Only the table of positions changes.""",
    "table = self", "self.head.weight = nn.Parameter(self.head.weight.data)\n        table = self")

wrong(CROP, "crop_wakes_dropout", "crop_block_size",
    """Your crop_block_size puts the model into train mode, so that dropout acts again. The mode
    stays what it was.""",
    "table = self", "self.train()\n        table = self")

wrong(CROP, "crop_ends_training", "crop_block_size",
    """Your crop_block_size puts the model in eval mode, and from then on nothing is dropped: the
    mode stays as it was.""",
    "table = self.position_embedding.weight\n", "self.eval()\n"
    "        table = self.position_embedding.weight\n")

wrong(CROP, "cropped_in_float32", "crop_block_size",
    """Your crop_block_size makes a table of float32, whatever the model's dtype is: take its rows
    as they are.""",
    "table[:n].detach().clone()", "table[:n].detach().clone().float()")

wrong(GPT, "limit_changed_before_it_is_refused", "crop_does_not_enlarge",
    """Your crop_block_size sets the new length before it finds it too long: refuse first, and
    change nothing then.""",
    "table = self.position_embedding.weight\n", "self.limit = n\n"
    "        table = self.position_embedding.weight\n",
    "tokens > block_size:", "tokens > getattr(self, 'limit', block_size):")

wrong(CROP, "crop_on_the_cpu", "crop_block_size",
    """Your crop_block_size makes the new table on the CPU whatever device the model is on. Cut the
    table where it lies.""",
    ".clone()", ".cpu().clone()")

wrong(CROP, "crop_must_shorten", "crop_does_not_enlarge",
    """Your crop_block_size refuses to keep all positions: n = block_size is not more than
    block_size.""",
    "n > table", "n >= table")

wrong(CROP, "crop_takes_anything", "crop_does_not_enlarge",
    """crop_block_size takes an n above block_size without a word. There are no such positions:
    raise ValueError.""",
    "n > table.shape[0]", "n < 1")

wrong(GPT_INIT, "torch_start", "start",
    """Your matrices start as torch's Linear makes them, by the root of their width. All matrices
    and tables are drawn from N(0, 0.02); torch's tables of N(0, 1) would make the first logits far
    too large.""",
    "\n        self._initialise()", "")

wrong(START, "starts_by_the_width", "start",
    """Your matrices start with a spread that depends on their width, as Xavier's rule or one over
    the root has it. Here it is 0.02 for all, whatever the width.""",
    "std=0.02", "std=weights.shape[-1] ** -0.5")

wrong(START, "starts_by_the_number_of_the_block", "start",
    """What leads back into x starts with another spread from block to block, as if it went by the
    number of the block. Here it is the same in all, 0.02 / sqrt(2 n_layer).""",
    "len(self.blocks) if into_x", "(int(name.split('.')[1]) + 1) if into_x")

wrong(START, "no_smaller_start", "start",
    """What leads back into x, of attention at least, starts like all other matrices: with 2 n_layer
    branches added up, x grows with the depth. Divide the 0.02 of w_o and w_2 by sqrt(2 n_layer),
    and draw them last: what is drawn afterwards, as by self.apply, stands in their place.""",
    "2 * len(self.blocks) if into_x else 1", "1")

wrong(START, "one_branch_per_block", "start",
    "You divide by sqrt(n_layer), but each block adds two branches: sqrt(2 n_layer).",
    "2 * len(self.blocks)", "len(self.blocks)")

wrong(START, "root_forgotten", "start",
    "You divide 0.02 by 2 n_layer: variances add up, so it is divided by the root.",
    "0.02 / math.sqrt(branches)", "0.02 / branches")

wrong(START, "only_attention_smaller", "start",
    "Only attention's way back into x starts smaller: w_2 leads into x too.",
    '("w_o.weight", "w_2.weight")', '"w_o.weight"')

wrong(START, "head_starts_smaller", "start",
    """The matrix of your head starts smaller, with 0.02 / sqrt(2 n_layer): it does not lead back
    into x.""",
    '("w_o.weight", "w_2.weight")', '("w_o.weight", "w_2.weight", "head.weight")')

wrong(START, "draws_evenly", "start",
    """Your numbers have the right spread at the start, but no large ones are among them, as where
    they are spread evenly: draw them with normal_, not uniform_.""",
    "nn.init.normal_(weights, std=0.02 / math.sqrt(branches))",
    """bound = 0.02 * math.sqrt(3 / branches)
                nn.init.uniform_(weights, -bound, bound)""")

wrong(START, "tables_as_torch_makes_them", "start",
    """A table of yours starts at N(0, 1), as torch makes it: both tables are drawn like the
    matrices, from N(0, 0.02).""",
    "weights.ndim == 2", "weights.ndim == 2 and 'embedding' not in name")

wrong(START, "heads_for_blocks", "start",
    """You divide by the root of twice the number of heads. It is the number of blocks that says how
    many branches are added up in x.""",
    "2 * len(self.blocks)", "2 * self.blocks[0].attention.num_heads")

wrong(START, "drawn_above_zero", "start",
    """Your matrices are not drawn around 0, as where they have positive numbers only: their mean is
    0.""",
    "std=0.02 / math.sqrt(branches))", "std=0.02 / math.sqrt(branches)).data.abs_()")

wrong(GPT_INIT, "seeds_itself", "every_start_is_another",
    """All your models start alike, as where the constructor seeds torch's random generator; then
    whatever the program draws afterwards is the same each time, too. Who wants that seeds it
    outside.""",
    "super().__init__()", "super().__init__()\n        torch.manual_seed(1337)")

wrong(START, "blocks_start_alike", "every_start_is_another",
    "Your blocks start with the same numbers, as copies of one block do: draw for each of them.",
    "for name, weights", """self._draw()
        for block in self.blocks:
            block.load_state_dict(self.blocks[0].state_dict())

    def _draw(self) -> None:
        for name, weights""")

wrong(START, "rows_start_alike", "every_start_is_another",
    """All rows of your matrices start with the same numbers, so all columns of what they make are
    one: draw every number on its own.""",
    "std=0.02 / math.sqrt(branches))",
    "std=0.02 / math.sqrt(branches)).data.copy_(weights[:1].clone().expand_as(weights))")

wrong(START, "biases_drawn", "start",
    "Some of your biases do not start at 0: all of them do, so set them yourself.",
    "zeros_(weights)", "normal_(weights, std=0.02)")

wrong(START, "norms_drawn", "start",
    "The weights of your norms do not start at 1: draw matrices and tables, and leave norms out.",
    "elif weights.ndim == 2:", "else:")

wrong(BLOCK, "mask_on_the_cpu", "on_another_device",
    """Your block makes a tensor, such as a mask, on the CPU whatever device it has been moved to:
    make it with device=x.device, or pass is_causal=True.""",
    "is_causal=True", "mask=torch.ones(x.shape[1], x.shape[1], device='cpu').tril().bool()")

wrong(GPT, "made_on_the_cpu", "on_another_device",
    """Your model makes tensors on the CPU whatever device it has been moved to: make them with
    device=idx.device.""",
    POSITIONS, f"{POSITIONS} + torch.zeros(tokens, 1, device='cpu')")

wrong(GPT, "always_float32", "logits",
    "Your logits are always float32: they have the dtype of the model.",
    SCORES, f"{SCORES}.float()")
