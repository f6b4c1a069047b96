"""Wrong answers to ``circuits``: its page with a slip, and what the author is told."""

from __future__ import annotations

from grader.check import Bank

wrong = Bank()

STREAM, MAPS, RESULTS, LENS = "stream", "maps", "results_of_heads", "lens"
SHARES, SUM = "shares_of_parts", "shares_add_up"
PREVIOUS, INDUCTION = "previous_token_score", "induction_score"
REFUSES = "refuses_what_has_no_answer"
ZERO, MEAN, PATCH = "ablate_zero", "ablate_mean", "patch"
RESTORES, KNOWN = "patch_restores_what_depends_on_it", "scores_of_known_heads"
CIRCUIT, LEAVES = "the_circuit_needs_both_heads", "leaves_the_model_as_it_was"
HISTORY, AS_IT_IS = "results_have_no_history", "reads_the_model_as_it_is"

EMBEDDED = "model.token_embedding(idx) + model.position_embedding.weight[: idx.shape[1]]"
APPENDED = "stream.append(block(stream[-1]))"
NO_MAP = """if maps.shape[-1] < 2:
        raise ValueError("a text of one token has no previous one")
"""
NO_HALF = """if maps.shape[-1] != 2 * period:
        raise ValueError(f"{maps.shape[-1]} places are not twice {period}")
"""
LOWER = "maps[..., period:, :].diagonal(1, -2, -1).mean(-1)"
READS = "block.attention(block.residual1.norm(x), is_causal=True, need_weights=True)"
VALUES = "block.attention.w_v(block.residual1.norm(x))"
COLUMNS = "block.attention.w_o.weight.unflatten(-1, (weights.shape[1], -1))"
ROWS = COLUMNS, COLUMNS.replace("w_o.weight.", "w_o.weight.mT.")
FOUND = 'torch.einsum("bhtd,nhd->hbtn", found, columns)'
ALL_LENSES = "model.head(model.norm(stream))"
CENTRED = "direction = direction - direction.mean()  # instead of the mean of every part"
SCALE = "(stream[-1].var(-1, unbiased=False) + EPS).sqrt()"
SHARED = "{name: part @ direction / scale for name, part in parts.items()}"
ITS_OWN = "(part.var(-1, unbiased=False) + EPS).sqrt()"
EACH_BY_ITSELF = SHARED.replace("scale", ITS_OWN)
BIAS_APART = SHARED.replace("scale", f'(1.0 if name == "bias" else {ITS_OWN})')
EACH_BIAS_BY_ITSELF = (
    "bias = bias + block.attention.w_o.bias",
    """own = block.attention.w_o.bias
                bias = bias + own / (own.var(unbiased=False) + EPS).sqrt()""",
)
ONE_TEXT_FOR_ALL = "positions.expand_as(stream[0])", "positions"
NORM_BIAS = "if model.norm.bias is not None:"
NETWORK = "block.feed_forward(block.residual2.norm(attended))"
W_O_BIAS = "if block.attention.w_o.bias is not None:"
NO_HOW = "if how not in (\"zero\", \"mean\"):"
BLOCK = "block, x = model.blocks[layer], residual_stream(model, idx)[layer]"
WITHOUT = "x = x + _attended(block, x)[0] - gone + instead"
THE_REST = "_finished(model, x, layer + 1)"
COPIED = "x = residual_stream(model, corrupted)[layer].clone()"
PUT = "x[:, position] = residual_stream(model, clean)[layer][:, position]"

# Whoever sums up heads meets a wrong one again: in the attribution, in ablate, or in both.
BIAS = "(0 if block.attention.w_o.bias is None else block.attention.w_o.bias)"
SUM_OF_HEADS = f"head_results(model, idx, layer).sum(0) + {BIAS}"
SUMMED = {
    "in_the_attribution": ("_attended(block, stream[layer])[0]", SUM_OF_HEADS),
    "in_ablate": ("_attended(block, x)[0]", SUM_OF_HEADS),
}

# The stream ---------------------------------------------------------------------------------------

wrong("residual_stream", "without_x_0", STREAM,
    """Your stream begins after the first block: x_0, the sum of token vectors and position vectors,
    is its first entry.""",
    "return torch.stack(stream)", "return torch.stack(stream[1:])")

wrong("residual_stream", "without_x_L", STREAM,
    """Your stream ends before the last block: x_L, what that block gives, is its last entry. Does a
    `return` stand inside of the loop, or is x kept before the block is called?""",
    "return torch.stack(stream)", "return torch.stack(stream[:-1])")

wrong("residual_stream", "no_positions_in_the_stream", STREAM,
    "x_0 has the token vectors only: the position vectors are added to them.",
    EMBEDDED, "model.token_embedding(idx)")

wrong("residual_stream", "the_norm_in_the_stream", STREAM,
    """You normalise the last entry: the last norm is not part of the stream, it only reads it.""",
    "return torch.stack(stream)",
    "return torch.stack([*stream[:-1], model.norm(stream[-1]).detach()])")

wrong("residual_stream", "every_entry_normalised", STREAM,
    """You normalise every x_l: the stream is what the parts add up to, and norms only read it.""",
    "return torch.stack(stream)", "return model.norm(torch.stack(stream)).detach()")

wrong("residual_stream", "only_what_is_added", STREAM,
    """You return what each block adds: the stream is the sum of all that was added so far.""",
    "return torch.stack(stream)",
    "return torch.cat([stream[0][None], torch.stack(stream).diff(dim=0)])")

wrong("residual_stream", "the_first_block_again_and_again", STREAM,
    "Every block reads x_0: block l reads what the block before it gave, x_l.",
    APPENDED, "stream.append(block(stream[0]))")

wrong("residual_stream", "half_a_block", STREAM,
    """After every block its attention is in x, but not its network: x_(l+1) has both.""",
    APPENDED, "stream.append(block.residual1(stream[-1], lambda y, b=block: b.attention(y, "
    "is_causal=True)))")

wrong("residual_stream", "the_stream_with_texts_first", STREAM,
    "The axes are in another order: the blocks come first, then texts and places.",
    "torch.stack(stream)", "torch.stack(stream, dim=1)")

wrong("residual_stream", "a_list_of_entries", STREAM,
    "You return a list: torch.stack makes one tensor of it, (L + 1, B, T, n_embd).",
    "return torch.stack(stream)", "return stream")

wrong("residual_stream", "what_is_added_is_added_to_x_once_more", STREAM,
    """You add what a block returns to x: a block returns x with all that its parts add, so
    x = block(x).""",
    APPENDED, "stream.append(stream[-1] + block(stream[-1]))")

wrong("residual_stream", "every_entry_is_the_same_tensor", STREAM,
    """All your entries are the last one: += changes the tensor that is in the list already. Make a
    new one, x = x + y or x = block(x).""",
    "return torch.stack(stream)", "return stream[-1].expand(len(stream), *stream[-1].shape)")

wrong("residual_stream", "joined_along_the_texts", STREAM,
    """You join the entries along the axis of the texts, as torch.cat does: torch.stack makes a new
    axis for them, (L + 1, B, T, n_embd).""",
    "torch.stack(stream)", "torch.cat(stream)")

wrong("residual_stream", "places_counted_from_1", STREAM,
    "Your places are counted from 1: the first token stands at place 0.",
    "weight[: idx.shape[1]]", "weight.roll(-1, 0)[: idx.shape[1]]")

wrong("residual_stream", "all_rows_of_positions", STREAM,
    """You add all rows of the position table: a text of T tokens takes its first T rows.""",
    "weight[: idx.shape[1]]", "weight")

wrong("residual_stream", "token_vectors_scaled", STREAM,
    """You multiply the token vectors by sqrt(n_embd): the first Transformer does so, a GPT adds
    them as they are.""",
    "model.token_embedding(idx)", "model.token_embedding(idx) * "
    "model.token_embedding.weight.shape[1] ** 0.5")

# Maps ---------------------------------------------------------------------------------------------

wrong("attention_maps", "maps_of_what_is_not_normalised", MAPS,
    """Your maps are of x_l itself: attention reads norm_1(x_l), so block.residual1.norm comes
    first.""",
    READS, READS.replace("block.residual1.norm(x)", "x"))

wrong("attention_maps", "maps_with_the_second_norm", MAPS,
    "Your maps are made with the norm of the network: that of the attention is residual1.norm.",
    READS, READS.replace("residual1", "residual2"))

wrong("attention_maps", "maps_that_see_the_future", MAPS,
    "Your maps look ahead: in a GPT attention is causal, also when it is looked at.",
    READS, READS.replace("is_causal=True", "is_causal=False"))

# The same where only the maps are asked for so, and where what the heads add is made of these maps;
# whoever adds up what attention adds asks the block itself.
OF_BLOCKS, OF_BLOCK = "_attended(b, x)[1] for", "weights = _attended(block, x)[1]"
FUTURE = "{0}.attention({0}.residual1.norm(x), need_weights=True)[1]"
NO_NORM = "{0}.attention(x, is_causal=True, need_weights=True)[1]"

wrong("attention_maps", "maps_alone_see_the_future", MAPS,
    """Your maps look ahead. A GPT's attention is causal, and is told so in every call: hand over
    is_causal=True where you ask for its weights.""",
    OF_BLOCKS, FUTURE.format("b") + " for")

wrong("attention_maps", "maps_and_heads_see_the_future", MAPS,
    """Your maps look ahead, and so do the heads that are made of them: where you ask for the
    weights, is_causal=True is to be handed over, as the block does it.""",
    OF_BLOCKS, FUTURE.format("b") + " for", OF_BLOCK, "weights = " + FUTURE.format("block"))

wrong("attention_maps", "maps_alone_without_the_norm", MAPS,
    """Your maps are of x_l itself, and what a block's attention reads is norm_1(x_l): ask for its
    weights with block.residual1.norm(x).""",
    OF_BLOCKS, NO_NORM.format("b") + " for")

wrong("attention_maps", "maps_and_heads_without_the_norm", MAPS,
    """Your maps are of x_l itself, and so are the heads that are made of them: what a block's
    attention reads is norm_1(x_l), block.residual1.norm(x).""",
    OF_BLOCKS, NO_NORM.format("b") + " for", OF_BLOCK, "weights = " + NO_NORM.format("block"))

wrong("attention_maps", "maps_and_sums_of_heads_without_the_norm", MAPS,
    """Your maps are of x_l itself, and what a block's attention reads is norm_1(x_l): ask for its
    weights with block.residual1.norm(x). All that is made of your maps is wrong with them.""",
    OF_BLOCKS, NO_NORM.format("b") + " for", OF_BLOCK, "weights = " + NO_NORM.format("block"),
    *sum(SUMMED.values(), ()))

wrong("attention_maps", "the_mean_of_all_heads", MAPS,
    "You return the mean of all heads: each head has a map of its own.",
    "_attended(b, x)[1] for", "_attended(b, x)[1].mean(1) for")

wrong("attention_maps", "maps_of_the_next_stream", MAPS,
    "Block l is given x_(l+1), what it makes itself: it reads x_l.",
    "zip(model.blocks, stream, strict=False)", "zip(model.blocks, stream[1:], strict=False)")

wrong("attention_maps", "keys_in_rows", MAPS,
    "Rows and columns are exchanged: row i says where place i looks, and sums to 1.",
    "_attended(b, x)[1] for", "_attended(b, x)[1].mT for")

wrong("attention_maps", "results_for_maps", MAPS,
    "You return what attention adds: the weights are the second of the pair that it returns.",
    "_attended(b, x)[1] for", "_attended(b, x)[0] for")

wrong("attention_maps", "weights_not_asked_for", MAPS,
    """What you take apart has another number of parts than names stand there: attention returns a
    pair, with its weights, only if need_weights=True is handed over, and otherwise just what it
    adds to x; and x has three axes.""",
    "return torch.stack([_attended(b, x)[1] for b, x in zip(model.blocks, stream, strict=False)])",
    """maps = []
        for block, x in zip(model.blocks, stream, strict=False):
            _, weights = block.attention(block.residual1.norm(x), is_causal=True)
            maps.append(weights)
    return torch.stack(maps)""")

wrong("attention_maps", "the_second_text_for_weights", MAPS,
    """Your [1] takes the second text of what attention adds: there is a pair to take the weights
    from only if need_weights=True is handed over.""",
    "_attended(b, x)[1] for", "b.attention(b.residual1.norm(x), is_causal=True)[1] for")

wrong("attention_maps", "maps_joined_along_the_texts", MAPS,
    """torch.cat joins the maps along the axis of the texts: each block has an entry of its own, on
    a new first axis. torch.stack makes one.""",
    "return torch.stack([_attended(b, x)[1]", "return torch.cat([_attended(b, x)[1]")

wrong("attention_maps", "maps_with_texts_first", MAPS,
    "The axes are in another order: the blocks come first, then the texts.",
    "return torch.stack([_attended(b, x)[1] for b, x in zip(model.blocks, stream, strict=False)])",
    "return torch.stack([_attended(b, x)[1] for b, x in zip(model.blocks, stream, strict=False)], "
    "dim=1)")

wrong("attention_maps", "maps_with_the_last_norm", MAPS,
    """Your maps are made with model.norm, which comes after the last block: before the attention of
    a block stands its own, block.residual1.norm.""",
    READS, READS.replace("block.residual1.norm(x)", "model.norm(x)"),
    "def _attended(block: nn.Module, x: Tensor)",
    "def _attended(block: nn.Module, x: Tensor, model=None)",
    "_attended(b, x)[1] for", "_attended(b, x, model)[1] for")

wrong("attention_maps", "every_block_reads_x_0", MAPS,
    "Every block looks at x_0: block l reads what the block before it gave, x_l.",
    "zip(model.blocks, stream, strict=False)", "((b, stream[0]) for b in model.blocks)")

wrong("attention_maps", "maps_of_the_first_block_only", MAPS,
    """You return the maps of block 0 only: does a `return` stand inside of the loop, or an index
    behind the stack?""",
    "strict=False)])", "strict=False)][:1])")

wrong("attention_maps", "scores_for_weights", MAPS,
    """Your rows do not sum to 1: weights are what the softmax makes of the scores, over all places
    that may be looked at.""",
    "_attended(b, x)[1] for", "_scores(b, x) for",
    "def _attended(", """def _scores(block, x):
    heads = _attended(block, x)[1].shape[1]
    y, a = block.residual1.norm(x), block.attention
    q, k = (m(y).unflatten(-1, (heads, -1)).transpose(1, 2) for m in (a.w_q, a.w_k))
    return q @ k.mT / q.shape[-1] ** 0.5


def _attended(""")

wrong("attention_maps", "maps_without_the_root_of_d", MAPS,
    """Your scores are not divided by sqrt(d), the width of one head: need_weights=True gives the
    weights that the model itself uses.""",
    "_attended(b, x)[1] for", "_scores(b, x) for",
    "def _attended(", """def _scores(block, x):
    heads = _attended(block, x)[1].shape[1]
    y, a = block.residual1.norm(x), block.attention
    q, k = (m(y).unflatten(-1, (heads, -1)).transpose(1, 2) for m in (a.w_q, a.w_k))
    s = q @ k.mT
    future = torch.ones(s.shape[-2:], device=s.device).triu(1).bool()
    return s.masked_fill(future, -torch.inf).softmax(-1)


def _attended(""")

wrong("attention_maps", "maps_by_the_root_of_n_embd", MAPS,
    """You divide the scores by sqrt(n_embd): it is sqrt(d), with the width of one head.
    need_weights=True gives the weights that the model itself uses.""",
    "_attended(b, x)[1] for", "_scores(b, x) for",
    "def _attended(", """def _scores(block, x):
    heads = _attended(block, x)[1].shape[1]
    y, a = block.residual1.norm(x), block.attention
    q, k = (m(y).unflatten(-1, (heads, -1)).transpose(1, 2) for m in (a.w_q, a.w_k))
    s = q @ k.mT / y.shape[-1] ** 0.5
    future = torch.ones(s.shape[-2:], device=s.device).triu(1).bool()
    return s.masked_fill(future, -torch.inf).softmax(-1)


def _attended(""")

wrong("attention_maps", "weights_of_a_block", MAPS,
    """A block has no weights to return: ask its attention, block.attention(...), and give it what
    the first norm makes of x.""",
    READS, "block(x, need_weights=True)")

# Results of heads ---------------------------------------------------------------------------------

wrong("head_results", "heads_joined_along_the_texts", RESULTS,
    """You join the heads' results along the axis of the texts: each head has an entry of its own on
    a new first axis, (H, B, T, n_embd). torch.stack makes it, torch.cat does not.""",
    FOUND, FOUND + ".flatten(0, 1)")

wrong("head_results", "rows_of_w_o_for_its_columns", RESULTS,
    """You give each head rows of w_o.weight: rows belong to what comes out. Head h is read by the
    columns h d to (h + 1) d - 1.""",
    *ROWS)

HERE_TOO = {
    "in_the_attribution": "direct_logit_attribution",
    "in_ablate": "ablate",
    "in_both_sums": "direct_logit_attribution and ablate",
}
for where, who in HERE_TOO.items():
    wrong("head_results", f"rows_of_w_o_{where}", RESULTS,
        f"""You give each head rows of w_o.weight: rows belong to what comes out, and head h is read
        by the columns h d to (h + 1) d - 1. That makes {who} wrong as well, by
        calling it or by the same rows.""",
        *ROWS, *SUMMED.get(where, sum(SUMMED.values(), ())))

wrong("head_results", "columns_of_another_head", RESULTS,
    """A head is read by the columns of w_o that belong to another one: heads of the values and of
    the columns have the same number.""",
    COLUMNS, COLUMNS + ".flip(1)")

wrong("head_results", "every_dth_column", RESULTS,
    """You deal the columns out one by one: head h owns d columns side by side, from h d on.""",
    COLUMNS, "block.attention.w_o.weight.unflatten(-1, (-1, weights.shape[1])).mT")

wrong("head_results", "no_value_bias", RESULTS,
    """The bias of the values is missing: b_v belongs to the heads. Use w_v as a layer, or add its
    bias.""",
    VALUES, "block.residual1.norm(x) @ block.attention.w_v.weight.T")

wrong("head_results", "one_number_of_the_value_bias", RESULTS,
    """You add one number of w_v.bias to a head, bias[h]: a head owns d of them, h d to
    (h + 1) d - 1.""",
    VALUES, """block.attention.w_v(block.residual1.norm(x))
        if (b_v := block.attention.w_v.bias) is not None:
            heads = weights.shape[1]
            values = values - b_v + b_v[:heads].repeat_interleave(len(b_v) // heads)""")

wrong("head_results", "a_share_of_the_output_bias", RESULTS,
    "You give each head a share of w_o.bias: it belongs to no head.",
    FOUND, FOUND + " + (0 if block.attention.w_o.bias is None else block.attention.w_o.bias / "
    "weights.shape[1])")

wrong("head_results", "values_of_what_is_not_normalised", RESULTS,
    "The values are made of x itself: attention reads norm_1(x) for them as well.",
    VALUES, "block.attention.w_v(x)")

wrong("head_results", "before_the_output_projection", RESULTS,
    """You return what the heads found, before w_o: what is added to x has gone through the columns
    of w_o.""",
    FOUND, "found.transpose(0, 1)")

wrong("head_results", "all_heads_added_up", RESULTS,
    "You return the sum over the heads: each has a result of its own, along the first axis.",
    FOUND, 'torch.einsum("bhtd,nhd->btn", found, columns)')

wrong("head_results", "values_of_the_place_itself", RESULTS,
    "You do not use the weights: each place finds the values of the places it looks at.",
    "weights @ values.unflatten(-1, (weights.shape[1], -1)).transpose(1, 2)",
    "values.unflatten(-1, (weights.shape[1], -1)).transpose(1, 2)")

wrong("head_results", "texts_before_heads", RESULTS,
    "The axes are in another order: the heads come first, then texts and places.",
    "nhd->hbtn", "nhd->bhtn")

wrong("head_results", "always_the_first_block", RESULTS,
    "You always look at block 0: `layer` says at which one.",
    "block, x = model.blocks[layer], residual_stream(model, idx)[layer]",
    "block, x = model.blocks[0], residual_stream(model, idx)[0]")

wrong("head_results", "all_of_the_output_bias_in_each", RESULTS,
    "You add w_o.bias to every head: it belongs to no head, and would be counted H times.",
    FOUND, FOUND + " + (0 if block.attention.w_o.bias is None else block.attention.w_o.bias)")

wrong("head_results", "values_by_columns_of_w_v", RESULTS,
    """You give each head columns of w_v.weight: its values are what comes out of w_v, so rows h d
    to (h + 1) d - 1 belong to it.""",
    VALUES, "block.residual1.norm(x) @ block.attention.w_v.weight + (0 if "
    "block.attention.w_v.bias is None else block.attention.w_v.bias)")

wrong("head_results", "columns_of_w_v_and_no_bias", RESULTS,
    """You give each head columns of w_v.weight: its values are what comes out of w_v, so rows h d
    to (h + 1) d - 1 belong to it, and the same numbers of w_v.bias. w_v(y)[..., h d : (h + 1) d] is
    both.""",
    VALUES, "block.residual1.norm(x) @ block.attention.w_v.weight")

wrong("head_results", "heads_dealt_out_one_by_one", RESULTS,
    """You deal values and columns out one by one, as h::H does: head h owns d of them side by side,
    h d to (h + 1) d - 1.""",
    "values.unflatten(-1, (weights.shape[1], -1)).transpose(1, 2)",
    "values.unflatten(-1, (-1, weights.shape[1])).permute(0, 3, 1, 2)",
    COLUMNS, "block.attention.w_o.weight.unflatten(-1, (-1, weights.shape[1])).mT")

wrong("head_results", "places_and_heads_mixed_by_view", RESULTS,
    """Your values are cut into heads by a reshape to (B, H, T, d): it mixes places and heads. Cut
    the last axis into (H, d) first, then transpose.""",
    "values.unflatten(-1, (weights.shape[1], -1)).transpose(1, 2)",
    "values.reshape(len(values), weights.shape[1], values.shape[1], -1)")

wrong("head_results", "results_of_the_next_stream", RESULTS,
    "The values are made of x_(layer + 1), what the block gives: it reads x_layer.",
    "residual_stream(model, idx)[layer]\n", "residual_stream(model, idx)[layer]\n    "
    "after = residual_stream(model, idx)[layer + 1]\n",
    VALUES, "block.attention.w_v(block.residual1.norm(after))")

wrong("head_results", "looked_at_by_what_it_looks_at", RESULTS,
    """The weights are transposed: row i of A_h says where place i looks, so A_h stands left of the
    values, as it is.""",
    "found = weights @", "found = weights.mT @")

wrong("head_results", "weights_of_the_first_block", RESULTS,
    "You use the weights of block 0: those of block `layer` belong to its values.",
    "weights = _attended(block, x)[1]",
    "weights = _attended(model.blocks[0], residual_stream(model, idx)[0])[1]")

wrong("head_results", "heads_one_number_wide", RESULTS,
    """You use one column of each head: d is n_embd / H, and n_embd is the size of the last axis of
    x.""",
    "found = weights @", "values = values[..., : weights.shape[1]]\n        found = weights @",
    COLUMNS, COLUMNS.replace("w_o.weight", "w_o.weight[:, : weights.shape[1]]"))

# The lens -----------------------------------------------------------------------------------------

wrong("logit_lens", "a_lens_without_the_last_norm", LENS,
    """Your lens leaves out the last norm: the matrix was trained on what the norm gives, and x has
    another size in every block.""",
    ALL_LENSES, "model.head(stream)")

wrong("logit_lens", "only_the_end_normalised", LENS,
    "You normalise the last entry only: the lens asks what the model would say if it ended here.",
    ALL_LENSES, "model.head(torch.cat([stream[:-1], model.norm(stream[-1:])]))")

wrong("logit_lens", "a_norm_without_its_weight", LENS,
    """You normalise x, but without what the last norm has learned: it multiplies by norm.weight and
    adds norm.bias. Call model.norm.""",
    ALL_LENSES, "model.head(nn.functional.layer_norm(stream, stream.shape[-1:]))")

wrong("logit_lens", "a_lens_that_normalises_twice", LENS,
    "You apply the last norm twice: once is what the model does.",
    ALL_LENSES, "model.head(model.norm(model.norm(stream)))")

wrong("logit_lens", "probabilities_in_the_lens", LENS,
    "You return probabilities: logits are what comes before the softmax.",
    ALL_LENSES, "model.head(model.norm(stream)).softmax(-1)")

wrong("logit_lens", "a_lens_without_the_beginning", LENS,
    "x_0 is missing: the first entry is what the model would say without any block.",
    ALL_LENSES, "model.head(model.norm(stream[1:]))")

wrong("logit_lens", "the_norm_of_a_block", LENS,
    "You use the norm of a block: the one before the last matrix is model.norm.",
    ALL_LENSES, "model.head(model.blocks[-1].residual2.norm(stream))")

wrong("logit_lens", "the_token_table_for_the_last_matrix", LENS,
    """You always make logits with token_embedding.weight: where the weights are not tied, the last
    matrix is head.weight.""",
    ALL_LENSES, "model.norm(stream) @ model.token_embedding.weight.T")

wrong("logit_lens", "the_token_table_is_looked_up", LENS,
    """You look x up in the table of token vectors, as model(x) does too, and that takes whole
    numbers: x is to be multiplied by the last matrix. What does your GPT.forward do with x after
    the last norm?""",
    ALL_LENSES, "model.token_embedding(model.norm(stream))")

wrong("logit_lens", "the_last_matrix_not_transposed", LENS,
    """You multiply by head.weight as it is, (V, n_embd): a linear layer computes x weight^T. Let
    model.head do it.""",
    ALL_LENSES, "model.norm(stream) @ model.head.weight")

wrong("logit_lens", "lenses_joined_along_the_texts", LENS,
    """Your entries for the layers are joined along the axis of the texts, as torch.cat does: they
    need an axis of their own, (L + 1, B, T, V), which torch.stack makes.""",
    ALL_LENSES, "torch.cat([model.head(model.norm(x)) for x in stream])")

wrong("logit_lens", "the_last_entry_without_norm", LENS,
    """The last norm is missing in the last entry: x_L has not been through it, for the norm is not
    part of the stream.""",
    ALL_LENSES, "model.head(torch.cat([model.norm(stream[:-1]), stream[-1:]]))")

wrong("logit_lens", "each_block_with_its_own_norm", LENS,
    """You take the first norm of each block for its entry: before the last matrix stands
    model.norm, for every x_l.""",
    ALL_LENSES, "torch.stack([model.head(norm(x)) for norm, x in zip([*(b.residual1.norm for b in "
    "model.blocks), model.norm], stream)])")

wrong("logit_lens", "a_lens_without_the_end", LENS,
    """x_L is missing, what the last block gives: there are L + 1 entries, one more than blocks.
    Does zip end too early?""",
    ALL_LENSES, "model.head(model.norm(stream[:-1]))")

# Shares -------------------------------------------------------------------------------------------

wrong("direct_logit_attribution", "each_part_normalised_by_itself", SHARES,
    """You normalise each part by itself, so small parts count as much as large ones, and the shares
    do not add up. The scale is that of the whole x_L, for every part.""",
    SHARED, EACH_BY_ITSELF)

wrong("direct_logit_attribution", "each_bias_normalised_by_itself", f"{SHARES} {SUM}",
    """You divide every part by a scale of its own, the bias of each block as well. The scale is
    frozen: sqrt(var(x_L) + eps) of the whole x_L, one number for each place, divides all parts.""",
    SHARED, BIAS_APART, *EACH_BIAS_BY_ITSELF)

wrong("direct_logit_attribution", "each_part_normalised_and_one_text_for_all", f"{SHARES} {SUM}",
    """You normalise each part by itself. The scale is frozen: sqrt(var(x_L) + eps) of the whole
    x_L, one number for each place, divides all parts. And every share has the shape (B, T), that of
    the positions too.""",
    SHARED, EACH_BY_ITSELF, *ONE_TEXT_FOR_ALL)

wrong("direct_logit_attribution", "each_bias_normalised_and_one_text_for_all", f"{SHARES} {SUM}",
    """You normalise each part by itself, the bias of each block as well. The scale is frozen:
    sqrt(var(x_L) + eps) of the whole x_L, one number for each place, divides all parts. And every
    share has the shape (B, T), that of the positions too.""",
    SHARED, BIAS_APART, *EACH_BIAS_BY_ITSELF, *ONE_TEXT_FOR_ALL)

wrong("direct_logit_attribution", "no_norm_in_the_shares", f"{SHARES} {SUM}",
    """You leave out the last norm: with its scale frozen it divides every part by sqrt(var(x_L) +
    eps), and multiplies by its weight.""",
    "direction = row * model.norm.weight", "direction = row", CENTRED, "pass", SCALE, "1.0")

wrong("direct_logit_attribution", "no_scale", f"{SHARES} {SUM}",
    "You do not divide by the scale of the last norm, sqrt(var(x_L) + eps).",
    "part @ direction / scale", "part @ direction")

wrong("direct_logit_attribution", "divided_by_the_variance", f"{SHARES} {SUM}",
    "You divide by the variance: the norm divides by its root.",
    SCALE, "(stream[-1].var(-1, unbiased=False) + EPS)")

wrong("direct_logit_attribution", "variance_by_d_minus_1", f"{SHARES} {SUM}",
    """Your variance is divided by n_embd - 1, as torch's var does by itself: that of a norm is
    divided by n_embd.""",
    "var(-1, unbiased=False)", "var(-1)")

wrong("direct_logit_attribution", "the_mean_stays_in_the_parts", f"{SHARES} {SUM}",
    """You do not subtract the mean of a part: the norm takes the mean of x away, and that is the
    sum of the means of all parts.""",
    CENTRED, "pass")

wrong("direct_logit_attribution", "the_mean_shared_out_evenly", SHARES,
    """You take the same number away from every part, the mean of x_L divided by how many parts
    there are: the sum is right then, but each part c loses its own mean, c - mean(c).""",
    CENTRED, """parts = {name: part - stream[-1].mean(-1, keepdim=True) / len(parts)
                 for name, part in parts.items()}""")

wrong("direct_logit_attribution", "no_norm_weight", f"{SHARES} {SUM}",
    "norm.weight is missing: the norm multiplies by it, column by column.",
    "row * model.norm.weight", "row * 1.0")

wrong("direct_logit_attribution", "the_mean_after_the_last_matrix", f"{SHARES} {SUM}",
    """You take the mean of the token's row before norm.weight is multiplied: the mean is taken of
    the product of the two.""",
    "direction = row * model.norm.weight", "direction = (row - row.mean()) * model.norm.weight",
    CENTRED, "pass")

wrong("direct_logit_attribution", "the_scale_of_the_beginning", f"{SHARES} {SUM}",
    "Your scale is that of x_0: the last norm reads x_L.",
    SCALE, SCALE.replace("stream[-1]", "stream[0]"))

wrong("direct_logit_attribution", "one_scale_for_all_places", f"{SHARES} {SUM}",
    "You take one scale for all places: each token is normalised by itself.",
    "stream[-1].var(-1, unbiased=False)", "stream[-1].var(unbiased=False)")

wrong("direct_logit_attribution", "no_bias_of_the_last_norm", f"{SHARES} {SUM}",
    """The bias of the last norm is missing: norm.bias times the row of the token is part of
    "bias".""",
    'shares["bias"] = shares["bias"] + row @ model.norm.bias', "pass")

wrong("direct_logit_attribution", "the_norm_bias_scaled", f"{SHARES} {SUM}",
    """You divide norm.bias by the scale as well: it is added after the norm has divided.""",
    "+ row @ model.norm.bias", "+ row @ model.norm.bias / scale")

wrong("direct_logit_attribution", "no_output_biases", f"{SHARES} {SUM}",
    "The biases of w_o are missing: they belong to no head, and are added to x in every block.",
    "bias = bias + block.attention.w_o.bias", "pass")

wrong("direct_logit_attribution", "the_output_bias_of_the_last_block", f"{SHARES} {SUM}",
    "Only the last block's w_o.bias is counted: every block has one.",
    "bias = bias + block.attention.w_o.bias", "bias = torch.zeros_like(bias) + "
    "block.attention.w_o.bias")

wrong("direct_logit_attribution", "the_network_reads_what_the_block_read", f"{SHARES} {SUM}",
    """Your networks read x_l: the network of a block reads x_l plus what attention has added.""",
    NETWORK, NETWORK.replace("attended", "stream[layer]"))

wrong("direct_logit_attribution", "the_network_without_its_norm", f"{SHARES} {SUM}",
    "Your networks read x without the norm before them: residual2.norm.",
    NETWORK, "block.feed_forward(attended)")

wrong("direct_logit_attribution", "the_network_with_the_first_norm", f"{SHARES} {SUM}",
    "Your networks read x by the norm of the attention: that of the network is residual2.norm.",
    NETWORK, NETWORK.replace("residual2", "residual1"))

wrong("direct_logit_attribution", "the_block_for_its_network", f"{SHARES} {SUM}",
    """What you call a network is all that the block adds, its heads included: they are counted
    twice.""",
    NETWORK, "stream[layer + 1] - stream[layer]")

wrong("direct_logit_attribution", "the_stream_for_the_embedding", f"{SHARES} {SUM}",
    "Your embedding holds the positions too: they have a share of their own.",
    '"embedding": model.token_embedding(idx).detach()', '"embedding": stream[0]')

wrong("direct_logit_attribution", "positions_forgotten", f"{SHARES} {SUM}",
    "The share of the positions is 0: position vectors are added to x_0, too.",
    "positions.expand_as(stream[0])", "torch.zeros_like(stream[0])")

wrong("direct_logit_attribution", "shares_of_token_0", f"{SHARES} {SUM}",
    "You always ask for token 0: `token` says which row of the last matrix is wanted.",
    "model.head.weight[token]", "model.head.weight[0]")

wrong("direct_logit_attribution", "shares_by_the_token_table", f"{SHARES} {SUM}",
    """You take the row of the token table: where the weights are not tied, the logits are made with
    head.weight.""",
    "model.head.weight[token]", "model.token_embedding.weight[token]")

wrong("direct_logit_attribution", "heads_with_a_dash", SHARES,
    'Your names of heads are others: "head l.h" is wanted, such as "head 1.0".',
    'f"head {layer}.{head}"', 'f"head {layer}-{head}"')

wrong("direct_logit_attribution", "heads_added_up_in_a_layer", SHARES,
    "All heads of a block have one share together: each head has its own.",
    'parts[f"head {layer}.{head}"] = found',
    'parts[f"head {layer}.0"] = found + parts.get(f"head {layer}.0", 0)')

wrong("direct_logit_attribution", "no_bias_without_biases", SHARES,
    """"bias" is missing where the model has none: it is there always, and 0 then.""",
    "return shares", "return shares if model.norm.bias is not None else "
    '{name: share for name, share in shares.items() if name != "bias"}')

wrong("direct_logit_attribution", "the_last_norm_for_each_part", f"{SHARES} {SUM}",
    """You send each part through model.norm: it divides by the part's own size, and adds its bias
    once for every part. Write the norm as the page does, with the scale of the whole x_L.""",
    SHARED, "{name: model.norm(part) @ row for name, part in parts.items()}")

wrong("direct_logit_attribution", "no_row_of_the_last_matrix", f"{SHARES} {SUM}",
    "The token's row of W_U is missing: u is this row times norm.weight.",
    "direction = row * model.norm.weight", "direction = model.norm.weight * 1.0")

wrong("direct_logit_attribution", "a_column_of_the_last_matrix", SHARES,
    """You take a column of the last matrix: it has a row for each token, head.weight[token].""",
    "model.head.weight[token]", "model.head.weight[:, token]")

wrong("direct_logit_attribution", "eps_after_the_root", SUM,
    "You add eps after the root: the norm takes the root of var(x_L) + eps.",
    SCALE, "(stream[-1].var(-1, unbiased=False).sqrt() + EPS)")

wrong("direct_logit_attribution", "no_eps", SUM,
    "eps is missing: the norm divides by sqrt(var(x_L) + eps).",
    SCALE, "stream[-1].var(-1, unbiased=False).sqrt()")

wrong("direct_logit_attribution", "one_mean_for_all_places", f"{SHARES} {SUM}",
    """You subtract one mean of all texts and places: each place has its own, over its n_embd
    numbers.""",
    CENTRED, "parts = {name: part - part.mean() for name, part in parts.items()}")

wrong("direct_logit_attribution", "the_network_reads_what_it_gives", f"{SHARES} {SUM}",
    """Your networks read x_(l+1), which they are part of: they read x_l plus what attention has
    added.""",
    NETWORK, NETWORK.replace("attended", "stream[layer + 1]"))

wrong("direct_logit_attribution", "the_network_reads_heads_without_bias", f"{SHARES} {SUM}",
    "Your networks read x_l plus the heads, and w_o.bias is missing: attention adds it as well.",
    NETWORK, NETWORK.replace("attended", "attended - (0 if block.attention.w_o.bias is None else "
    "block.attention.w_o.bias)"))

wrong("direct_logit_attribution", "the_output_bias_in_the_network", f"{SHARES} {SUM}",
    """Your network share holds w_o.bias too: what a block adds is heads, w_o.bias and network, and
    w_o.bias is counted in "bias" already.""",
    f'parts[f"network {{layer}}"] = {NETWORK}', f'parts[f"network {{layer}}"] = {NETWORK} + '
    "(0 if block.attention.w_o.bias is None else block.attention.w_o.bias)")

wrong("direct_logit_attribution", "the_output_bias_in_the_network_alone", SHARES,
    """You count w_o.bias in the shares of the networks, and "bias" lacks it. All together add up
    all the same: take from a network's share what it did not make.""",
    f'parts[f"network {{layer}}"] = {NETWORK}', f'parts[f"network {{layer}}"] = {NETWORK} + '
    "(0 if block.attention.w_o.bias is None else block.attention.w_o.bias)",
    "bias = bias + block.attention.w_o.bias", "pass")

wrong("direct_logit_attribution", "the_norm_bias_times_the_weight", f"{SHARES} {SUM}",
    """You multiply norm.bias by norm.weight: the norm adds its bias last, so it meets the token's
    row alone.""",
    "row @ model.norm.bias", "(row * model.norm.weight) @ model.norm.bias")

wrong("direct_logit_attribution", "the_norm_bias_as_a_part", f"{SHARES} {SUM}",
    """You treat norm.bias as a part that the norm reads: it is added after the norm, so its share
    is norm.bias times the token's row.""",
    "+ row @ model.norm.bias", "+ model.norm.bias @ direction / scale")

wrong("direct_logit_attribution", "the_scale_of_every_block", f"{SHARES} {SUM}",
    """The parts of each block are divided by the scale of its own x: the last norm reads x_L, and
    its scale is the one for all parts.""",
    SHARED, """{
            name: part @ direction / (scale if name in ("embedding", "position", "bias") else
            (stream[int(name.split()[1].split(".")[0]) + 1].var(-1, unbiased=False) + EPS).sqrt())
            for name, part in parts.items()
        }""")

wrong("direct_logit_attribution", "heads_with_an_underscore", SHARES,
    'Your names of heads are others: "head l.h" is wanted with a space, such as "head 1.0".',
    'f"head {layer}.{head}"', 'f"head_{layer}.{head}"')

wrong("direct_logit_attribution", "heads_before_layers", SHARES,
    """Your names of heads have the head first: "head 1.0" is head 0 of block 1, the block comes
    first.""",
    'f"head {layer}.{head}"', 'f"head {head}.{layer}"')

# Scores -------------------------------------------------------------------------------------------

wrong("previous_token_score", "a_mean_over_all_rows", f"{PREVIOUS} {KNOWN}",
    """You divide by T: place 0 has no place before it, so T - 1 places count.""",
    "maps.diagonal(-1, -2, -1).mean(-1)", "maps.diagonal(-1, -2, -1).sum(-1) / maps.shape[-1]")

wrong("previous_token_score", "the_place_itself", f"{PREVIOUS} {KNOWN}",
    "You take the weight that a place gives to itself: one place back is maps[i, i - 1].",
    "diagonal(-1, ", "diagonal(0, ")

wrong("previous_token_score", "one_place_ahead", f"{PREVIOUS} {KNOWN}",
    """You look one place ahead, maps[i, i + 1]: rows are queries, columns are keys, and the
    previous one is to the left.""",
    "diagonal(-1, ", "diagonal(1, ")

wrong("previous_token_score", "around_the_corner", PREVIOUS,
    """Place 0 counts with you, as if the last place stood before it, as where i - 1 is -1 or the
    map is rolled: nothing stands before place 0, so begin with i = 1.""",
    "return maps.diagonal(-1, -2, -1).mean(-1)",
    "T = maps.shape[-1]\n    return sum(maps[..., i, i - 1] for i in range(T)) / T")

wrong("previous_token_score", "one_number_for_all_heads", f"{PREVIOUS} {KNOWN}",
    "You take the mean over all maps: each map has a score of its own.",
    ".mean(-1)", ".mean()")

wrong("previous_token_score", "one_number_and_the_first_two_axes", PREVIOUS,
    """Two things about axes: torch.diagonal takes the first two unless told otherwise, and queries
    and keys are the last two, -2 and -1. And your mean is over all that is left: .mean(-1) leaves
    one number for each map.""",
    "maps.diagonal(-1, -2, -1).mean(-1)", "maps.diagonal(-1).mean()")

wrong("previous_token_score", "the_first_two_axes", PREVIOUS,
    """The diagonal is of the first two axes, as torch does by itself: queries and keys are the last
    two.""",
    "maps.diagonal(-1, -2, -1).mean(-1)", "maps.diagonal(-1).mean(-1)")

wrong("previous_token_score", "a_score_of_one_place", REFUSES,
    "You give a text of one token a score: there is nothing to take a mean of. Raise ValueError.",
    NO_MAP, "if maps.shape[-1] < 2:\n        return maps[..., 0, 0] * 0\n")

wrong("previous_token_score", "how_often_it_is_the_most", f"{PREVIOUS} {KNOWN}",
    """You count how often the place before has the largest weight: the score is the mean of the
    weights themselves.""",
    "return maps.diagonal(-1, -2, -1).mean(-1)",
    "best = maps.argmax(-1)[..., 1:]\n    "
    "return (best == torch.arange(best.shape[-1], device=maps.device)).to(maps.dtype).mean(-1)")

wrong("induction_score", "the_same_token_instead_of_the_next", f"{INDUCTION} {KNOWN}",
    """You look at the same token's first place, i - P: an induction head looks at what followed it,
    i - P + 1.""",
    "diagonal(1, ", "diagonal(0, ")

wrong("induction_score", "one_place_too_far", f"{INDUCTION} {KNOWN}",
    "You look at i - P + 2: what followed the same token stands at i - P + 1.",
    "return " + LOWER, "return maps.roll(1, -1)[..., period:, :].diagonal(3, -2, -1).mean(-1)"
    " if period > 2 else maps[..., 0, 0]")

wrong("induction_score", "before_the_same_token", f"{INDUCTION} {KNOWN}",
    "You look at i - P - 1, what came before the same token: wanted is what followed, i - P + 1.",
    "return " + LOWER, "return maps.roll(1, -1)[..., period:, :].diagonal(0, -2, -1).mean(-1)")

wrong("induction_score", "the_first_half_too", f"{INDUCTION} {KNOWN}",
    """You divide by the whole text: in the first half nothing repeats, so only P places count.""",
    ".diagonal(1, -2, -1).mean(-1)", ".diagonal(1, -2, -1).sum(-1) / (2 * period)")

wrong("induction_score", "divided_by_all_places_but_one", f"{INDUCTION} {KNOWN}",
    """You divide by 2 P - 1, as many as the previous-token score has in this text: here P places
    are added up, those of the second half.""",
    ".diagonal(1, -2, -1).mean(-1)", ".diagonal(1, -2, -1).sum(-1) / (2 * period - 1)")

wrong("induction_score", "all_of_the_diagonal", f"{INDUCTION} {KNOWN}",
    """In your mean i = P - 1 counts as well, which lies on the same diagonal of the map: the mean
    begins with i = P.""",
    LOWER, "maps.diagonal(1 - period, -2, -1).mean(-1)")

wrong("induction_score", "the_last_row_is_missing", INDUCTION,
    "The last place is missing: i goes from P up to 2 P - 1.",
    "return " + LOWER, "seen = maps[..., period:, :].diagonal(1, -2, -1)\n    "
    "return seen[..., :-1].mean(-1) if period > 1 else seen.mean(-1)")

wrong("induction_score", "one_score_for_all", f"{INDUCTION} {KNOWN}",
    "You take the mean over all heads: each of them has a score.",
    ".mean(-1)", ".mean()")

wrong("induction_score", "any_period", REFUSES,
    """You accept a period that is not half of the text: then no second half repeats the first.
    Raise ValueError.""",
    NO_HALF, "period = maps.shape[-1] // 2\n")

wrong("induction_score", "columns_for_rows", f"{INDUCTION} {KNOWN}",
    """You look at maps[i - P + 1, i], with rows and columns exchanged: the first index is the place
    that looks.""",
    "return " + LOWER, "return maps.mT[..., period:, :].diagonal(1, -2, -1).mean(-1)")

wrong("induction_score", "places_on_the_first_axes", INDUCTION,
    """You use the two places as the first axes: there may be others before them, so write
    maps[..., i, j].""",
    "return " + LOWER, "return sum(maps[i, i - period + 1] for i in range(period, 2 * period)) "
    "/ period")

ANY_HOW = 'gone.mean((0, 1)) if how == "mean" else torch.zeros_like(gone)'
wrong.up_to("ablate", "ablate", ANY_HOW, "torch.zeros_like(gone)")
wrong.up_to("ablate", "ablate", ANY_HOW, "torch.zeros_like(gone)", NO_HOW, "if False:")

# Ablation -----------------------------------------------------------------------------------------

wrong("ablate", "the_head_after_it", f"{ZERO} {CIRCUIT}",
    "You remove another head: they are counted from 0, so head h is at place h.",
    "[head]\n", "[head - 1]\n")

wrong("ablate", "only_that_head_stays", f"{ZERO} {CIRCUIT}",
    "You keep the head and remove all others: it is the other way round.",
    WITHOUT, "x = x + gone + instead")

wrong("ablate", "the_whole_attention_is_gone", f"{ZERO} {CIRCUIT}",
    "You remove the whole attention of the block: one head is to go, and the others stay.",
    WITHOUT, "x = x + instead")

wrong("ablate", "x_is_gone_with_it", f"{ZERO} {CIRCUIT}",
    "x is lost: what attention adds is added to x, with one head less.",
    WITHOUT, "x = _attended(block, x)[0] - gone + instead")

wrong("ablate", "subtracted_at_the_end", ZERO,
    """You subtract the head's result from the last x: the blocks in between have read it by then.
    All that comes after the head must read the new x.""",
    WITHOUT + "\n        x = x + block.feed_forward(block.residual2.norm(x))\n    return "
    + THE_REST,
    "return model.head(model.norm(residual_stream(model, idx)[-1] - gone + instead))")

wrong("ablate", "the_network_reads_the_old_x", ZERO,
    """The network of the same block still reads x with the head in it: it comes after the head, and
    reads the new x.""",
    WITHOUT + "\n        x = x + block.feed_forward(block.residual2.norm(x))",
    "y = x + _attended(block, x)[0]\n        "
    "x = y - gone + instead + block.feed_forward(block.residual2.norm(y))")

wrong("ablate", "no_network_afterwards", ZERO,
    "The network of the block is missing: only one head is to go.",
    "x = x + block.feed_forward(block.residual2.norm(x))", "pass")

wrong("ablate", "the_rest_of_the_blocks_is_missing", ZERO,
    "The blocks after this one are missing: x goes through all of them before the last norm.",
    THE_REST, "_finished(model, x, len(model.blocks))")

wrong("ablate", "this_block_twice", ZERO,
    "x goes through this block once more: it goes on with the block after it.",
    THE_REST, "_finished(model, x, layer)")

wrong("ablate", "the_bias_is_gone_too", ZERO,
    "w_o.bias is removed with the head: it belongs to no head, and stays.",
    "- gone + instead",
    "- gone + instead - (0 if block.attention.w_o.bias is None else block.attention.w_o.bias)")

wrong("ablate", "the_row_of_another_head", f"{ZERO} {CIRCUIT}",
    """You remove the head with this number in another block: `layer` says in which one.""",
    "gone = head_results(model, idx, layer)[head]",
    "gone = head_results(model, idx, len(model.blocks) - 1 - layer)[head]")

wrong("ablate", "the_mean_of_each_place", MEAN,
    "You take the mean over the texts at each place: it is over places and texts together.",
    "gone.mean((0, 1))", "gone.mean(0)")

wrong("ablate", "the_mean_of_each_text", MEAN,
    "You take the mean over the places of each text: it is over places and texts together.",
    "gone.mean((0, 1))", "gone.mean(1, keepdim=True)")

wrong("ablate", "the_mean_of_all_heads_instead", MEAN,
    "The head is replaced by the mean over the heads: it is its own mean that stands instead.",
    "gone.mean((0, 1))", "head_results(model, idx, layer).mean((0, 1, 2))")

wrong("ablate", "mean_is_zero", MEAN,
    """With "mean" your head adds nothing, or the same number in every column, which the norms take
    away again: it adds the mean of its results, column by column.""",
    'if how == "mean"', 'if how == "average"')

wrong("ablate", "any_word_is_zero", REFUSES,
    """You take every other word for "zero", or for "mean": a word that was mistyped would give a
    wrong answer without a sign. Raise ValueError.""",
    NO_HOW, 'if how == "":')

wrong("ablate", "columns_of_what_attention_adds", f"{ZERO} {CIRCUIT}",
    """You replace columns of what attention adds: after w_o all heads are mixed in every column.
    What a head adds is head_results(...)[head], and that is taken away.""",
    "gone = head_results(model, idx, layer)[head]",
    """y = _attended(block, x)[0].detach()
    width = y.shape[-1] // head_results(model, idx, layer).shape[0]
    gone = torch.zeros_like(y)
    columns = slice(head * width, (head + 1) * width)
    gone[..., columns] = y[..., columns]""")

wrong("ablate", "the_value_bias_stays", ZERO,
    """The head still adds its bias: zero rows of w_v.weight leave b_v, which goes through w_o as
    well.""",
    "gone = head_results(model, idx, layer)[head]",
    """attention, gone = block.attention, head_results(model, idx, layer)[head]
    if attention.w_v.bias is not None:
        width = x.shape[-1] // len(head_results(model, idx, layer))
        own = slice(head * width, (head + 1) * width)
        gone = gone - (attention.w_v.bias[own] @ attention.w_o.weight[:, own].T).detach()""")

wrong("ablate", "a_head_that_looks_everywhere", f"{ZERO} {CIRCUIT}",
    """Your head looks at all places alike and adds what it finds there: without queries its weights
    are even, and not 0.""",
    "gone = head_results(model, idx, layer)[head]",
    """gone = head_results(model, idx, layer)[head]
    width = x.shape[-1] // len(head_results(model, idx, layer))
    own = slice(head * width, (head + 1) * width)
    with undisturbed(model):
        values = block.attention.w_v(block.residual1.norm(x))[..., own]
        seen = torch.ones(x.shape[1], x.shape[1], dtype=x.dtype, device=x.device).tril()
        even = seen / seen.sum(-1, keepdim=True) @ values @ block.attention.w_o.weight[:, own].T
    gone = gone - even""")

wrong("ablate", "the_mean_of_the_heads_of_each_place", MEAN,
    """The head is replaced by the mean over the heads at each place: it is its own mean, over all
    places and texts, that stands instead.""",
    "gone.mean((0, 1))", "head_results(model, idx, layer).mean(0)")

wrong("ablate", "x_is_handed_to_the_model", f"{ZERO} {CIRCUIT}",
    """You hand x to the model, which takes token ids and begins anew: go on from where x is.
    The network of this block comes next, then the other blocks, the last norm, the last matrix.""",
    THE_REST, "model(x)[0]")

wrong("ablate", "later_blocks_see_the_future", ZERO,
    "The blocks after this one look ahead: their attention is causal as well, is_causal=True.",
    THE_REST, """_ahead(model, x, layer + 1)


def _ahead(model, x, layer):
    with undisturbed(model):
        for block in model.blocks[layer:]:
            x = x + block.attention(block.residual1.norm(x))
            x = x + block.feed_forward(block.residual2.norm(x))
        return model.head(model.norm(x))""")

wrong("ablate", "no_last_norm_after_it", f"{ZERO} {MEAN}",
    "The last norm is missing: after the blocks x goes through model.norm, then to the matrix.",
    THE_REST, "_unnormed(model, x, layer + 1)\n\n\ndef _unnormed(model, x, layer):\n    "
    "with undisturbed(model):\n        for block in model.blocks[layer:]:\n            "
    "x = block(x)\n        return model.head(x)")

wrong("ablate", "no_network_in_any_block", ZERO,
    "The networks of the blocks are missing: every block adds its attention, then its network.",
    "x = x + block.feed_forward(block.residual2.norm(x))", "pass",
    THE_REST, """_unfed(model, x, layer + 1)


def _unfed(model, x, layer):
    with undisturbed(model):
        for block in model.blocks[layer:]:
            x = block.residual1(x, lambda y, b=block: b.attention(y, is_causal=True))
        return model.head(model.norm(x))""")

wrong("ablate", "layer_and_head_exchanged", f"{ZERO} {CIRCUIT}",
    "You exchange layer and head: first the number of the block, then that of the head.",
    NO_HOW, "layer, head = head % len(model.blocks), layer\n    " + NO_HOW)

wrong("ablate", "the_head_is_still_there", f"{ZERO} {CIRCUIT}",
    "The head's result is still in x: it is taken away before something else stands instead.",
    WITHOUT, "x = x + _attended(block, x)[0] + instead")

wrong("ablate", "the_head_twice", f"{ZERO} {CIRCUIT}",
    "You add the head's result once more: it is to be taken away, so its sign is minus.",
    WITHOUT, "x = x + _attended(block, x)[0] + gone - instead")

wrong("ablate", "zero_is_the_mean", ZERO,
    """With "zero" your head adds its mean: there it adds nothing. Compare how with the words as
    they are written on the page.""",
    'if how == "mean"', "if True")

wrong("ablate", "the_first_blocks_twice", ZERO,
    """x_layer goes through the blocks before `layer` once more: they are in it already, so go on
    with block `layer`.""",
    "residual_stream(model, idx)[layer]\n", "residual_stream(model, idx)[layer]\n    "
    "for earlier in model.blocks[:layer]:\n        with undisturbed(model):\n            "
    "x = earlier(x)\n")

wrong("ablate", "taken_away_in_every_block", ZERO,
    "You take the head's result away in every block from `layer` on: it is added once, in its own.",
    THE_REST, """_less(model, x, layer + 1, gone - instead)


def _less(model, x, layer, gone):
    with undisturbed(model):
        for block in model.blocks[layer:]:
            x = x + _attended(block, x)[0] - gone
            x = x + block.feed_forward(block.residual2.norm(x))
        return model.head(model.norm(x))""")

wrong("ablate", "a_hook_that_stays", f"{ZERO} {LEAVES}",
    """The second call gives another answer: your hook stays in the model, and takes the head away
    again in every later call. Keep its handle, and call handle.remove() in `finally`.""",
    "return _finished(model, x, layer + 1)",
    "block.attention.w_o.register_forward_hook(lambda m, given, y: y - gone + instead)\n    "
    "return _finished(model, x, layer + 1)")

# Patches ------------------------------------------------------------------------------------------

wrong("patch", "corrupted_into_clean", PATCH,
    """You put x of the corrupted text into the clean one: the model reads `corrupted`, and one x
    comes from `clean`.""",
    COPIED, "clean, corrupted = corrupted, clean\n    " + COPIED)

wrong("patch", "the_whole_layer", f"{PATCH} {RESTORES}",
    "You exchange x at all places: at one place only, or nothing says where the answer was.",
    PUT, "x[:] = residual_stream(model, clean)[layer]")

wrong("patch", "nothing_is_put_in", f"{PATCH} {RESTORES}",
    """Your exchange has no effect on the logits: it is made in a copy that nobody reads, or in a
    stack of all x, whose later entries are there already. Exchange x[:, position] of x_layer, and
    then run the blocks from `layer` on.""",
    PUT, "x[:, position].clone()[:] = residual_stream(model, clean)[layer][:, position]")

wrong("patch", "from_here_to_the_end", f"{PATCH} {RESTORES}",
    "You exchange x at this place and all places behind it: one place is asked for.",
    PUT, "x[:, position:] = residual_stream(model, clean)[layer][:, position:]")

wrong("patch", "up_to_here", f"{PATCH} {RESTORES}",
    "You exchange x at this place and all places before it: one place is asked for.",
    PUT, "x[:, : position + 1] = residual_stream(model, clean)[layer][:, : position + 1]")

wrong("patch", "added_to_x", f"{PATCH} {RESTORES}",
    "You add x of the clean text: it replaces what is there.",
    PUT, PUT.replace("] = ", "] += "))

wrong("patch", "one_layer_too_late", f"{PATCH} {RESTORES}",
    "You exchange what block `layer` gives: x_layer is what it reads.",
    "return _finished(model, x, layer)", "return _finished(model, x, layer + 1)",
    COPIED, "L = len(model.blocks)\n    x = residual_stream(model, corrupted)[min(layer + 1, L)]"
    ".clone()",
    PUT, "x[:, position] = residual_stream(model, clean)[min(layer + 1, L)][:, position]")

wrong("patch", "x_of_the_layer_behind", f"{PATCH} {RESTORES}",
    """You take x of the clean text one block too late: what is put into x_layer is the x_layer of
    the clean text.""",
    PUT, PUT.replace("clean)[layer]", "clean)[layer + 1]"))

wrong("patch", "x_of_the_layer_in_front", f"{PATCH} {RESTORES}",
    """You take x of the clean text one block too early (and [-1] is the last entry): both x have
    the number `layer`, and x_0 stands at place 0 of the stream.""",
    PUT, PUT.replace("clean)[layer]", "clean)[layer - 1]"))

wrong("patch", "patched_x_is_handed_to_the_model", f"{PATCH} {RESTORES}",
    """You hand the patched x to the model, which takes token ids: let the blocks from `layer` on,
    the last norm and the last matrix work on it.""",
    "return _finished(model, x, layer)", "return model(x)[0]")

wrong("patch", "without_the_blocks_after_it", f"{PATCH} {RESTORES}",
    """After the exchange no block is run: those from `layer` on read the new x, or nothing can come
    of it elsewhere.""",
    "return _finished(model, x, layer)", "return _finished(model, x, len(model.blocks))")

wrong("patch", "the_first_text_only", PATCH,
    "You exchange x in the first text of the batch only: all of them are patched.",
    PUT, "x[0, position] = residual_stream(model, clean)[layer][0, position]")

wrong("patch", "the_logits_are_patched", f"{PATCH} {RESTORES}",
    """You exchange logits: what is exchanged is x at a layer, and what the blocks make of it is the
    question.""",
    COPIED, "found = logit_lens(model, corrupted)[-1]\n    "
    "found[:, position] = logit_lens(model, clean)[-1][:, position]\n    return found\n    "
    + COPIED)

wrong("patch", "skips_the_block_of_its_layer", f"{PATCH} {RESTORES}",
    "Block `layer` is left out: x_layer is what it reads, so it is the first one to run.",
    "return _finished(model, x, layer)", "return _finished(model, x, layer + 1)")

wrong("patch", "the_first_blocks_once_more", PATCH,
    """x goes through the blocks before `layer` once more: they are in x_layer already, so go on
    with block `layer`.""",
    "return _finished(model, x, layer)", "return _finished(model, x, 0)")

wrong("patch", "one_text_instead_of_one_place", f"{PATCH} {RESTORES}",
    """x[position] is a whole text: the first axis are the texts of the batch, the second the
    places. Write x[:, position].""",
    PUT, "x[position % len(x)] = residual_stream(model, clean)[layer][position % len(x)]")

wrong("patch", "one_column_instead_of_one_place", f"{PATCH} {RESTORES}",
    """x[..., position] is a column, one of the n_embd numbers at all places: places are the axis
    before it, x[:, position].""",
    PUT, "x[..., position] = residual_stream(model, clean)[layer][..., position]")

wrong("patch", "patched_without_the_last_norm", PATCH,
    "After the patch the last norm is missing: the blocks go on, then model.norm, then the matrix.",
    "return _finished(model, x, layer)", "return _bare(model, x, layer)\n\n\n"
    "def _bare(model, x, layer):\n    with undisturbed(model):\n        "
    "for block in model.blocks[layer:]:\n            x = block(x)\n        return model.head(x)")

wrong("patch", "patched_in_every_later_layer", f"{PATCH} {RESTORES}",
    """You exchange x at this place after every later block too: once, at x_layer, and the blocks go
    on with it by themselves.""",
    "return _finished(model, x, layer)", """with undisturbed(model):
        for number, block in enumerate(model.blocks[layer:], layer + 1):
            x = block(x)
            x[:, position] = residual_stream(model, clean)[number][:, position]
    return _finished(model, x, len(model.blocks))""")

wrong("patch", "nothing_after_the_last_block", f"{PATCH} {RESTORES}",
    """For layer L nothing is exchanged: a loop over the blocks ends at L - 1, and x_L is what comes
    after the last one.""",
    PUT, f"if layer < len(model.blocks):\n        {PUT}")

wrong("patch", "the_place_before", f"{PATCH} {RESTORES}",
    "You exchange x at the place before: places are counted from 0, so it is x[:, position].",
    PUT, PUT.replace("position]", "position - 1]"))

wrong("patch", "what_the_block_gives", PATCH,
    """You exchange after block `layer` has run, and with x_layer: it is what this block reads, so
    the exchange comes first.""",
    "return _finished(model, x, layer)", "return _finished(model, x, layer + 1)",
    PUT, "with undisturbed(model):\n        x = x if layer == len(model.blocks) else "
    "model.blocks[layer](x)\n    " + PUT)

# Whoever looks must not disturb -------------------------------------------------------------------

wrong("residual_stream", "left_in_eval_mode", LEAVES,
    """Afterwards the model is in eval mode, whatever it was in: whoever looks at it in the midst of
    a training would train without dropout from then on.""",
    "with undisturbed(model):", "model.eval()\n    with torch.no_grad():")

wrong("residual_stream", "left_in_train_mode", LEAVES,
    """After a look at the stream the next call of the model gives something else, as where it is
    left in train mode: leave it in the mode in which it came, and its weights as they are.""",
    "return torch.stack(stream)", "model.train()\n    return torch.stack(stream)")

wrong("residual_stream", "the_weights_stop_learning", LEAVES,
    """Afterwards the model can no longer be trained, as where requires_grad, or all recording of
    gradients, is turned off and stays so. To keep no history of this one look, `with
    torch.no_grad():` is enough, and `undisturbed` has it.""",
    "with undisturbed(model):", "model.requires_grad_(False)\n    with undisturbed(model):")

wrong("residual_stream", "remembers_the_stream", AS_IT_IS,
    """You keep the stream of a model and a text, to have it at once when it is asked for again. By
    then the model may have learned: the same model and the same text give other numbers. Compute it
    anew in each call.""",
    "return torch.stack(stream)",
    """seen = vars(residual_stream)
    return seen.setdefault(f"{id(model)} {idx.tolist()}", torch.stack(stream))""")

wrong("attention_maps", "remembers_the_maps", AS_IT_IS,
    """The maps of a model are kept, and returned again: since then it may have learned. Ask it anew
    in each call.""",
    "return torch.stack([_attended(b, x)[1] for b, x in zip(model.blocks, stream, strict=False)])",
    """if not hasattr(model, "_maps"):
            maps = [_attended(b, x)[1] for b, x in zip(model.blocks, stream, strict=False)]
            model._maps = torch.stack(maps)
        return model._maps""")

wrong("attention_maps", "read_with_dropout", LEAVES,
    """You read the model in train mode: dropout makes other numbers in every call. Read it in eval
    mode, and restore its mode afterwards.""",
    "stream = residual_stream(model, idx)\n    with undisturbed(model):",
    "stream = [model.token_embedding(idx) + model.position_embedding.weight[: idx.shape[1]]]\n    "
    "with torch.no_grad():\n        for block in model.blocks:\n            "
    "stream.append(block(stream[-1]))")

wrong("logit_lens", "a_lens_with_history", HISTORY,
    """Your results keep the history of a backward pass that never comes, and all that it needs in
    memory: compute under torch.no_grad(), as `undisturbed` does.""",
    "with undisturbed(model):", "if True:")

wrong("ablate", "ablated_with_history", HISTORY,
    "What you return still has a history: no backward pass will need it.",
    "return _finished(model, x, layer + 1)",
    "table = model.token_embedding.weight\n    "
    "return _finished(model, x, layer + 1) + (table - table.detach()).sum()")

wrong("direct_logit_attribution", "shares_with_history", HISTORY,
    "Your shares still lead back to the weights: they are read, and nothing is learned from them.",
    "row = model.head.weight[token]", "torch.set_grad_enabled(True)\n        "
    "row = model.head.weight[token]")

wrong("ablate", "the_weights_are_zeroed", LEAVES,
    """After an ablation the model itself is another one, as where columns of w_o.weight stay 0, a
    hook stays, or the mode: from then on everybody has that model. Work with a copy, or put back
    what you change.""",
    "return _finished(model, x, layer + 1)",
    "model.blocks[layer].attention.w_o.weight.data[:, 0] *= 0\n    "
    "return _finished(model, x, layer + 1)")

wrong("patch", "a_hook_is_left", LEAVES,
    """A hook stays in the model after the call, and works in every later one: remove it, best by
    `with`.""",
    COPIED, "model.blocks[-1].register_forward_hook(lambda block, given, y: y * 1.0)\n    "
    + COPIED)

wrong("patch", "a_hook_that_goes_on_patching", LEAVES,
    """After a patch the next call of the model gives something else, as where a hook goes on
    patching: remove the hook after the call, and put back all else that you change.""",
    PUT, PUT + "\n    model.norm.register_forward_hook(lambda norm, given, y: y.roll(1, 0))")

wrong("residual_stream", "a_hook_that_only_reads", LEAVES,
    """A hook stays behind. It changes nothing, and still it works in every later call, and one more
    stands there after each look: call handle.remove() in `finally`.""",
    "with undisturbed(model):",
    "model.norm.register_forward_hook(lambda norm, given, x: None)\n    with undisturbed(model):")
