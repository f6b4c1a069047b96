"""Wrong answers to ``transformer``: its page with a slip, and what the author is told."""

from __future__ import annotations

from grader.check import Bank

wrong = Bank()

MAKING, FORWARD = "Transformer.__init__", "Transformer.forward"
ENCODE, DECODE = "Transformer.encode", "Transformer.decode"

ENCODED, DECODED = "self.encode(src, src_mask)", "self.decode(tgt, memory, src_mask, tgt_mask)"
LOGITS = f"self.generator({DECODED})"
SRC_PADS, TGT_PADS = "padding_mask(src, self.pad_id)", "padding_mask(tgt, self.pad_id)"
BOTH_MASKS = f"combine_masks(future, {TGT_PADS})"
DECODER = "self.decoder(x, memory, tgt_mask, src_mask)"

SRC_TOKENS, TGT_TOKENS = "self.src_embedding(src)", "self.tgt_embedding(tgt)"
SRC_PLACED, TGT_PLACED = f"self.positions({SRC_TOKENS})", f"self.positions({TGT_TOKENS})"
TOKENS_UNSCALED = ("vocab, d_model)", "vocab, d_model, scale=False)") * 2
ROOT = "self.generator.in_features ** 0.5"
SRC_VOCAB = "self.src_embedding.embedding.num_embeddings"
PLACES = "PositionalEncoding(d_model, dropout, max_len)"

NORM = "LayerNorm(d_model) if norm_first else None"
TABLE = "self.src_embedding.embedding.weight"
TIED_TARGET = f"self.tgt_embedding.embedding.weight = {TABLE}"
TIED_GENERATOR = f"self.generator.weight = {TABLE}"
GENERATOR = "self.generator = nn.Linear"
DRAWN = "nn.init.xavier_uniform_(weights)"

# Nothing is tied, for that is told after the steps; then nothing is masked either.
UNTIED = "bias=not tie_weights", "bias=True", "if tie_weights:\n", "if False:\n"
for step in (f"{MAKING}: the parts", ENCODE, DECODE, f"{FORWARD}: the masks"):
    wrong.up_to(step, MAKING, *UNTIED)
wrong.up_to(f"{FORWARD}: the logits", MAKING, *UNTIED, "self.encode(src, src_mask)",
    "self.encode(src, None)", "self.decode(tgt, memory, src_mask, tgt_mask)",
    "self.decode(tgt, memory, None, None)")

# What comes out -----------------------------------------------------------------------------------

wrong(FORWARD, "returns_probabilities", "logits",
    """Your model returns probabilities. Return the logits as they are: cross-entropy applies
    softmax itself, and twice is once too often.""",
    LOGITS, f"{LOGITS}.softmax(-1)")

wrong(FORWARD, "returns_log_probabilities", "logits",
    """Your model returns the logarithms of probabilities, as the Annotated Transformer's generator
    does. Here the scores before any softmax are asked for.""",
    LOGITS, f"{LOGITS}.log_softmax(-1)")

wrong(FORWARD, "returns_tokens", "logits",
    """Your model returns the most probable tokens. Return all scores: which token to take is
    decided later, and argmax has no gradient.""",
    LOGITS, f"{LOGITS}.argmax(-1)")

wrong(FORWARD, "generator_forgotten", "logits",
    """Your model returns what the decoder found, without the generator: it is as wide as the model
    and not as the vocabulary.""",
    LOGITS, DECODED)

wrong(FORWARD, "last_position_only", "pads_in_the_source",
    """Your model returns the logits of the last position only. While the model learns, every
    position of the target predicts its successor.""",
    DECODED, f"{DECODED}[:, -1:]")

wrong(FORWARD, "last_position_in_eval", "pads_in_the_source nothing_is_dropped_in_eval",
    """In eval mode your model returns the logits of the last position only, as nanoGPT does. All
    positions are asked for, in both modes.""",
    DECODED, f"({DECODED} if self.training else {DECODED}[:, -1:])")

wrong(DECODE, "decode_returns_logits", "decode",
    """Your decode returns logits. It returns what the decoder found, and forward puts the generator
    behind it: then decoding step by step need only score the last position.""",
    DECODER, f"self.generator({DECODER})", LOGITS, DECODED)

wrong(FORWARD, "shifts_the_target", "logits",
    """Your model cuts the last token off the target before it decodes. Nothing is shifted here:
    there are logits for every token of the target.""",
    "future =", "tgt = tgt[:, :-1]; future =")

# Which goes where ---------------------------------------------------------------------------------

wrong(FORWARD, "target_into_encoder", "who_sees_whom logits",
    """Your encoder reads the target instead of the source. Nothing hides the future there, so the
    answer leaks through the memory, and the source is never read.""",
    "src_mask =", f"src = tgt % {SRC_VOCAB}; src_mask =")

wrong(FORWARD, "source_into_decoder", "logits who_sees_whom",
    """Your decoder reads the source instead of the target: the model cannot know what it has
    written so far.""",
    "future =", "tgt = src; future =")

wrong(FORWARD, "memory_without_encoder", "logits forward_is_encode_and_decode",
    """What your decoder attends to is the embedded source, not what the encoder made of it: the
    encoder works for nothing.""",
    ENCODED, SRC_PLACED)

wrong(FORWARD, "memory_of_bare_tokens", "logits forward_is_encode_and_decode",
    """What your decoder attends to are the source's embeddings, without positions and without the
    encoder: the memory is what encode returns.""",
    ENCODED, SRC_TOKENS)

wrong(FORWARD, "memory_from_the_target", "logits who_sees_whom",
    """Your decoder attends to itself in place of the memory: the source has no say. Hand the
    encoder's result to decode.""",
    ENCODED, TGT_PLACED, SRC_PADS, TGT_PADS)

wrong(FORWARD, "memory_detached", "logits",
    "Your memory is detached, so the encoder learns nothing. Hand it on as it is.",
    ENCODED, f"{ENCODED}.detach()")

wrong(DECODE, "memory_of_one_token", "logits decode",
    """Your decode attends to one vector of the memory only, the last: the decoder looks at the
    whole memory.""",
    "(x, memory", "(x, memory[:, -1:].expand_as(memory)")

# Masks --------------------------------------------------------------------------------------------

wrong(FORWARD, "no_causal_mask", "pads_in_the_source who_sees_whom",
    """Your decoder sees the future: the mask of the target hides pads, but no token from those
    before it. Combine it with the causal mask.""",
    BOTH_MASKS, TGT_PADS)

wrong(FORWARD, "causal_upside_down", "pads_in_the_source who_sees_whom",
    """Your causal mask is the wrong way round: a token sees what follows and not what came before.
    In this course True means: may attend.""",
    "device=tgt.device)", "device=tgt.device).mT")

wrong(FORWARD, "either_mask_allows", "pads_in_the_source",
    """The mask of your target allows what either the causal mask or the padding mask allows. Both
    must allow: combine with `and`.""",
    BOTH_MASKS, f"future | {TGT_PADS}")

wrong(FORWARD, "causal_encoder", "logits forward_is_encode_and_decode",
    """Your encoder has a causal mask. The source is known from the start, so encoders look both
    ways.""",
    ENCODED, "self.encode(src, src_mask & causal_mask(src.shape[1], device=src.device))")

wrong(FORWARD, "causal_memory", "logits forward_is_encode_and_decode",
    """Your decoder looks at the memory through a causal mask: token i sees the first source tokens
    only. All of the source may be seen at any time.""",
    "memory, src_mask", "memory, src_mask & src_mask.new_ones(tgt.shape[1], src.shape[1]).tril()")

wrong(FORWARD, "memory_mask_from_the_target", "pads_in_the_source",
    """The mask of the memory is made from the target's pads. The keys are the source's tokens
    there, so the mask must come from the source: it fails as soon as lengths differ.""",
    "memory, src_mask", f"memory, {TGT_PADS}")

wrong(FORWARD, "memory_not_masked", "pads_in_the_source",
    """Your decoder attends to the pads of the source: hand the source's mask to decode as well, not
    only to encode.""",
    "memory, src_mask", "memory, None")

wrong(FORWARD, "encoder_not_masked", "pads_in_the_source",
    """Your encoder attends to pads: the real tokens' vectors depend on how many pads were put
    behind them. Hand the source's mask to encode as well.""",
    ENCODED, "self.encode(src)")

wrong(FORWARD, "source_not_masked", "pads_in_the_source",
    """Your model has no padding mask for the source at all, neither in the encoder nor on the
    memory: the logits depend on how many pads stand there.""",
    SRC_PADS, "None")

wrong(FORWARD, "target_pads_seen", "pads_in_the_target",
    """The mask of your target is causal only: tokens behind a pad, and pads themselves, attend to
    pads. Combine it with the padding mask of the target.""",
    BOTH_MASKS, "future")

wrong(FORWARD, "pads_of_the_target_ask_nobody", "pads_in_the_target",
    """You hide the pads of the target as queries, too: if nothing is left to a pad, its softmax is
    NaN. A mask says what may be seen, so only keys are hidden: causal_mask and padding_mask,
    without its transpose.""",
    BOTH_MASKS, f"combine_masks({BOTH_MASKS}, {TGT_PADS}.mT)")

wrong(FORWARD, "pads_of_the_target_lie_across", "pads_in_the_target",
    """Your padding mask of the target lies across: it hides pads as queries, and as keys they are
    seen. The last axis counts keys, and padding_mask is made for it: take it as it comes.""",
    BOTH_MASKS, f"combine_masks(future, {TGT_PADS}.mT)")

wrong(FORWARD, "pads_ask_nobody", "pads_in_the_source pads_in_the_target",
    """You hide pads as queries, too, in the source and in the target: a row of a mask in which
    nothing is left becomes NaN. A pad attends to others like any token, and only keys are hidden:
    padding_mask alone, without its transpose.""",
    f"src_mask = {SRC_PADS}", f"src_mask = combine_masks({SRC_PADS}, {SRC_PADS}.mT)",
    BOTH_MASKS, f"combine_masks({BOTH_MASKS}, {TGT_PADS}.mT)",
    DECODED, f"self.decode(tgt, memory, {SRC_PADS}, tgt_mask)")

wrong(FORWARD, "pads_are_zero", "pads_in_the_source pads_in_the_target",
    "Your padding masks look for token 0, whatever pad_id is: use self.pad_id.",
    *("self.pad_id)", "0)") * 2)

wrong(FORWARD, "source_pads_are_zero", "pads_in_the_source",
    """Your mask of the source takes 0 for the pad, whatever `pad_id` is. That of the target is
    right.""",
    SRC_PADS, "padding_mask(src, 0)")

wrong(FORWARD, "target_pads_are_zero", "pads_in_the_target",
    """Your mask of the target takes 0 for the pad, whatever `pad_id` is. That of the source is
    right.""",
    TGT_PADS, "padding_mask(tgt, 0)")

wrong(FORWARD, "pads_of_all_sentences_taken_out", "pads_in_the_source",
    """You take out of the source what is a pad in every sentence, and the tokens behind it move to
    other positions: a pad keeps its place, and the mask hides it.""",
    ENCODED, "self.encode(src[:, keep], src_mask[..., keep])",
    f"src_mask = {SRC_PADS}", f"src_mask = {SRC_PADS}\n"
    "        keep = (src != self.pad_id).any(0)\n",
    DECODED, "self.decode(tgt, memory, src_mask[..., keep], tgt_mask)")

wrong(MAKING, "default_pad_is_one", "defaults",
    "Without pad_id your model takes 1 for the pad, as some libraries do. Here it is 0.",
    "pad_id: int = 0", "pad_id: int = 1")

wrong(FORWARD, "no_padding_masks", "pads_in_the_source pads_in_the_target",
    "Your model has no padding masks at all: neither in the source nor in the target.",
    SRC_PADS, "None", BOTH_MASKS, "future")

wrong(FORWARD, "padding_upside_down", "logits",
    """Your padding masks are the wrong way round: only pads may be attended to. In this course True
    means: may attend, so True = no pad.""",
    *(" padding_mask(", " ~padding_mask(") * 2)

wrong(FORWARD, "source_padding_upside_down", "logits",
    """Your padding mask of the source is the wrong way round: only its pads may be attended to. In
    this course True means: may attend, so True = no pad.""",
    SRC_PADS, f"~{SRC_PADS}")

wrong(FORWARD, "target_padding_upside_down", "logits",
    """Your padding mask of the target is the wrong way round: only its pads may be attended to. In
    this course True means: may attend, so True = no pad.""",
    TGT_PADS, f"~{TGT_PADS}")

wrong(FORWARD, "source_pads_from_the_target", "pads_in_the_source",
    """Your padding mask of the source is made from the target's ids: its last axis must be as long
    as the source.""",
    SRC_PADS, TGT_PADS)

wrong(FORWARD, "masks_handed_to_decode_in_the_other_order", "logits",
    """Your forward hands decode the target's mask where it takes the source's: the order of decode
    is (tgt, memory, src_mask, tgt_mask), and not that of Decoder.""",
    DECODED, "self.decode(tgt, memory, tgt_mask, src_mask)")

wrong(FORWARD, "source_under_a_causal_mask", "example pads_in_the_source",
    """You hide a part of the source by a causal mask. The source is known as a whole: nothing but
    its pads is hidden from the target. (Where a row hides all there is, its softmax is NaN.)""",
    DECODED, """self.decode(
            tgt, memory,
            combine_masks(src_mask, causal_mask(tgt.shape[1], src.shape[1], device=src.device)),
            tgt_mask)""")

wrong(FORWARD, "causal_mask_as_long_as_the_source", "logits",
    """Your causal mask is as long as the source. It says who may look at whom within the target, so
    it is made for tgt.shape[1] tokens.""",
    "causal_mask(tgt.shape[1]", "causal_mask(src.shape[1]")

wrong(FORWARD, "causal_mask_for_the_sentences", "logits",
    """Your causal mask has a row for each sentence: axis 0 are the sentences, axis 1 the tokens.
    It is made for tgt.shape[1] tokens.""",
    "causal_mask(tgt.shape[1]", "causal_mask(tgt.shape[0]")

wrong(FORWARD, "pads_ask_nothing", "pads_in_the_source",
    """Your padding mask of the source hides what pads ask and not the pads themselves: the last
    axis of a mask runs over the keys.""",
    SRC_PADS, f"{SRC_PADS}.mT", "memory, src_mask", "memory, None")

wrong(FORWARD, "target_pads_from_the_source", "logits",
    "Your padding mask of the target is made from the source's ids.",
    TGT_PADS, SRC_PADS)

wrong(FORWARD, "small_numbers_are_pads", "logits",
    """Your padding masks take every number up to pad_id for a pad. Only pad_id itself is one:
    compare with !=.""",
    SRC_PADS, "(src > self.pad_id)[:, None, None]", TGT_PADS, "(tgt > self.pad_id)[:, None, None]")

wrong(DECODE, "masks_swapped", "decode logits",
    """Your decode hands its two masks to the decoder in the wrong order: the target's mask belongs
    to self-attention, the source's to the memory.""",
    DECODER, "self.decoder(x, memory, src_mask, tgt_mask)")

wrong(DECODE, "decode_adds_causal", "decode",
    """Your decode hides the future by itself. It uses the masks it is given and no others: None
    hides nothing.""",
    "return", """future = causal_mask(tgt.shape[1], device=tgt.device)
        tgt_mask = future if tgt_mask is None else future & tgt_mask
        return""")

wrong(DECODE, "causal_unless_told_otherwise", "decode",
    """Without a mask of the target your decode makes a causal one. None hides nothing: forward
    makes the masks.""",
    DECODER, "self.decoder(x, memory, causal_mask(tgt.shape[1], device=tgt.device) "
    "if tgt_mask is None else tgt_mask, src_mask)")

wrong(DECODE, "decode_ignores_the_targets_mask", "decode who_sees_whom",
    "Your decode forgets the mask of the target: hand it to the decoder as tgt_mask.",
    DECODER, "self.decoder(x, memory, None, src_mask)")

wrong(ENCODE, "encode_makes_masks", "encode",
    """Your encode makes a mask of its own. It uses the mask it is given, and None hides nothing:
    the masks are made in forward.""",
    "(src)), src_mask", f"(src)), {SRC_PADS} if src_mask is None else src_mask")

wrong(ENCODE, "encode_ignores_its_mask", "encode pads_in_the_source",
    "Your encode forgets the mask it is given: hand it to the encoder.",
    "(src)), src_mask", "(src))")

wrong(DECODE, "pads_of_the_memory_set_to_zero", "decode",
    """You set pads in the memory to 0 in place of hiding them: zeros are keys too, and get weights.
    Hand src_mask on to the decoder, as the mask of the memory.""",
    "return self.decoder(x, memory, tgt_mask, src_mask)",
    """if src_mask is not None:
            memory = memory.masked_fill(~src_mask[:, 0, 0, :, None], 0.0)
        return self.decoder(x, memory, tgt_mask)""")

wrong(DECODE, "decode_ignores_the_sources_mask", "decode pads_in_the_source",
    "Your decode forgets the mask of the source: hand it to the decoder as memory_mask.",
    DECODER, "self.decoder(x, memory, tgt_mask)")

wrong(FORWARD, "masks_in_training_only", "pads_in_the_target",
    """In eval mode your model has no padding masks: whatever a model hides while it learns, it must
    hide when it is used.""",
    SRC_PADS, f"{SRC_PADS} if self.training else None",
    BOTH_MASKS, f"{BOTH_MASKS} if self.training else future")

wrong(FORWARD, "causal_in_training_only", "pads_in_the_source",
    """In eval mode your decoder sees the future. The causal mask has nothing to do with the
    mode.""",
    BOTH_MASKS, f"{BOTH_MASKS} if self.training else {TGT_PADS}")

wrong(FORWARD, "mask_kept_by_shape", "pads_in_the_source",
    """Your model keeps the mask of the first batch and uses it for all others of the same shape.
    Where the pads stand is another matter in every batch.""",
    f"src_mask = {SRC_PADS}", f"""masks = self.__dict__.setdefault("masks", {{}})
        src_mask = masks.setdefault(src.shape, {SRC_PADS})""")

wrong(MAKING, "pad_of_the_last_model_made", "models_side_by_side",
    """Your models keep pad_id in their class, so the last model made decides for all: put what
    belongs to one model into self.""",
    "self.pad_id =", "Transformer.pad_id =")

wrong(FORWARD, "pads_in_one_byte", "large_token_numbers",
    """Your masks compare token numbers in a smaller type, where a large number becomes another one:
    a byte cannot tell 80 from 50256. Compare them as they are.""",
    "src_mask = ", "byte = torch.uint8; src_mask = ",
    SRC_PADS, "padding_mask(src.to(byte), self.pad_id % 256)",
    TGT_PADS, "padding_mask(tgt.to(byte), self.pad_id % 256)")

wrong(FORWARD, "asking_pads_see_all", "pads_in_the_target",
    """Where the target has a pad, your mask of the memory hides nothing, not even pads. Pads ask
    under the same mask as all others.""",
    "memory, src_mask", "memory, src_mask | (tgt == self.pad_id)[:, None, :, None]")

wrong(FORWARD, "answers_of_pads_erased", "pads_in_the_target",
    """Your model sets the logits of pads to 0. Nobody asked: the loss leaves them out later.""",
    LOGITS, f"{LOGITS} * (tgt != self.pad_id)[..., None]")

wrong(FORWARD, "everything_after_a_pad_hidden", "pads_in_the_source pads_in_the_target",
    """Your masks hide all that follows the first pad. A pad may stand anywhere, and hides itself
    alone.""",
    SRC_PADS, f"{SRC_PADS}.cummin(-1).values", TGT_PADS, f"{TGT_PADS}.cummin(-1).values")

wrong(MAKING, "no_pads_if_tied", "options_together",
    "Your model forgets its pads when the weights are tied: every option works with every other.",
    "self.pad_id = pad_id", "self.pad_id = -1 if tie_weights else pad_id")

wrong(MAKING, "post_norm_if_tied", "options_together",
    "With tied weights your layers are post-norm, whatever norm_first is.",
    "d_ff, dropout, norm_first", "d_ff, dropout, norm_first and not tie_weights")

wrong(DECODE, "mask_of_two_axes_lost", "decode",
    """Your decode forgets a mask of the target that has two axes, (T, T). It broadcasts like one of
    four.""",
    DECODER, "self.decoder(x, memory, tgt_mask if tgt_mask is None or tgt_mask.ndim > 2 else None,"
    " src_mask)")

wrong(FORWARD, "mask_up_to_a_length", "longest_sentences",
    """Your causal mask is cut from one of a fixed size, and longer targets find none. Make it as
    long as the target is.""",
    "causal_mask(tgt.shape[1], device=tgt.device)",
    "causal_mask(256, device=tgt.device)[: tgt.shape[1], : tgt.shape[1]]")

wrong(MAKING, "mask_as_long_as_max_len", "longest_sentences",
    """Your causal mask is cut from one for max_len tokens, and does not fit a longer target, which
    fails there by chance. Make it for tgt.shape[1] tokens in forward: then decode refuses the
    target with a ValueError.""",
    "self.pad_id = pad_id", "self.pad_id, self.future = pad_id, causal_mask(max_len)",
    "causal_mask(tgt.shape[1], device=tgt.device)",
    "self.future.to(tgt.device)[: tgt.shape[1], : tgt.shape[1]]")


# Embeddings and positions -------------------------------------------------------------------------

wrong(ENCODE, "source_without_positions", "encode logits",
    "Your source has no positions: to the encoder it is a bag of words.",
    SRC_PLACED, SRC_TOKENS)

wrong(DECODE, "target_without_positions", "decode logits",
    "Your target has no positions. Both sides need them.",
    TGT_PLACED, TGT_TOKENS)

wrong(ENCODE, "no_positions", "encode decode",
    "Your model knows no positions at all, on neither side.",
    SRC_PLACED, SRC_TOKENS, TGT_PLACED, TGT_TOKENS)

wrong(ENCODE, "positions_twice", "encode",
    "Your model adds the positions twice: on each side they are added once, to the embeddings.",
    SRC_PLACED, f"self.positions({SRC_PLACED})", TGT_PLACED, f"self.positions({TGT_PLACED})")

wrong(MAKING, "positions_scaled", "encode",
    """Your positions are multiplied by sqrt(d_model) along with the tokens. Scale first, then add
    the positions.""",
    *TOKENS_UNSCALED, SRC_PLACED, f"{SRC_PLACED} * {ROOT}", TGT_PLACED, f"{TGT_PLACED} * {ROOT}")

wrong(MAKING, "not_scaled", "encode",
    """Your embeddings are not multiplied by sqrt(d_model), so positions drown them: TokenEmbedding
    does it if scale is True.""",
    *TOKENS_UNSCALED)

wrong(ENCODE, "source_not_scaled", "encode logits",
    """The embeddings of your source are not multiplied by sqrt(d_model): TokenEmbedding does that
    when it is called, unless scale=False; its table alone does not.""",
    SRC_TOKENS, "self.src_embedding.embedding(src)")

wrong(DECODE, "target_not_scaled", "decode logits",
    """The embeddings of your target are not multiplied by sqrt(d_model): TokenEmbedding does that
    when it is called, unless scale=False; its table alone does not.""",
    TGT_TOKENS, "self.tgt_embedding.embedding(tgt)")

wrong(ENCODE, "scaled_twice", "encode",
    "Your embeddings are multiplied by sqrt(d_model) twice: TokenEmbedding has done it.",
    SRC_TOKENS, f"{SRC_TOKENS} * {ROOT}", TGT_TOKENS, f"{TGT_TOKENS} * {ROOT}")

wrong(ENCODE, "source_scaled_twice", "encode",
    "Your source's embeddings are multiplied by sqrt(d_model) twice: TokenEmbedding has done it.",
    SRC_TOKENS, f"{SRC_TOKENS} * {ROOT}")

wrong(DECODE, "target_scaled_twice", "decode",
    "Your target's embeddings are multiplied by sqrt(d_model) twice: TokenEmbedding has done it.",
    TGT_TOKENS, f"{TGT_TOKENS} * {ROOT}")

wrong(DECODE, "sources_table_for_the_target", "logits decode",
    """Your target is embedded with the table of the source: tgt_embedding is never used, and where
    the target's vocabulary is larger, tokens find no row.""",
    TGT_TOKENS, "self.src_embedding(tgt)")

wrong(ENCODE, "tables_swapped", "logits",
    "Your source is embedded with the table of the target and the target with that of the source.",
    SRC_TOKENS, "self.tgt_embedding(src)", TGT_TOKENS, f"self.src_embedding(tgt % {SRC_VOCAB})")

wrong(MAKING, "tied_if_possible", "counts",
    """Your model ties its embeddings whenever the vocabularies have the same size, asked or not:
    only tie_weights decides.""",
    "if tie_weights:", "if src_vocab == tgt_vocab:")

wrong(MAKING, "tied_if_nobody_says_otherwise", "size_of_the_paper",
    """Without tie_weights your model ties them where both vocabularies have one size. The default
    is False, whatever the sizes.""",
    "tie_weights: bool = False,", "tie_weights: bool | None = None,",
    "if tie_weights and src_vocab", "tie_weights = src_vocab == tgt_vocab if tie_weights is None "
    "else tie_weights\n        if tie_weights and src_vocab")

wrong(DECODE, "one_table_for_both", "logits decode",
    """Your target is embedded with the table of the source, and tgt_embedding is never used. The
    two vocabularies have nothing to do with each other.""",
    TGT_TOKENS, f"self.src_embedding(tgt % {SRC_VOCAB})")

# Stacks -------------------------------------------------------------------------------------------

wrong(MAKING, "pads_embedded_apart", "pads_in_the_target",
    """Your embeddings keep the pad's vector out of training (padding_idx). No token is special in a
    TokenEmbedding: pads are hidden by masks.""",
    GENERATOR, f"""for side in (self.src_embedding, self.tgt_embedding):
            side.embedding.padding_idx = pad_id
        {GENERATOR}""")

wrong(MAKING, "numbers_of_layers_swapped", "logits",
    "You have swapped the numbers of layers: num_encoder_layers comes first.",
    "num_decoder_layers, norms", "num_encoder_layers, norms",
    "num_encoder_layers, norms", "num_decoder_layers, norms")

wrong(MAKING, "same_number_of_layers", "logits",
    "Your decoder has as many layers as the encoder: it has num_decoder_layers of them.",
    "num_decoder_layers, norms", "num_encoder_layers, norms")

wrong(MAKING, "norms_always", "logits counts",
    """Your post-norm stacks end with one more norm: their last layer has ended with one already.
    Only pre-norm stacks need it.""",
    NORM, "LayerNorm(d_model)")

wrong(MAKING, "norms_never", "pre_norm counts",
    """Your pre-norm stacks end without a norm: nothing has normalised their last sum. Hand a
    LayerNorm to Encoder and Decoder if norm_first is True.""",
    NORM, "None")

wrong(MAKING, "norm_for_the_decoder_only", "pre_norm counts",
    """Only your decoder ends with a norm. In pre-norm the encoder needs one too, or the memory is a
    sum that nothing has normalised.""",
    ", norms[0]", "")

wrong(MAKING, "norm_for_the_encoder_only", "pre_norm counts",
    "Only your encoder ends with a norm. In pre-norm the decoder needs one too.",
    ", norms[1]", "")

wrong(MAKING, "norm_for_the_encoder_always", "parts",
    """Your encoder ends with a norm in post-norm as well: there its last layer has ended with one.
    """,
    "num_encoder_layers, norms[0])", "num_encoder_layers, norms[0] or LayerNorm(d_model))")

wrong(MAKING, "norm_for_the_decoder_always", "parts",
    """Your decoder ends with a norm in post-norm as well: there its last layer has ended with one.
    """,
    "num_decoder_layers, norms[1])", "num_decoder_layers, norms[1] or LayerNorm(d_model))")

wrong(MAKING, "one_norm_for_both", "pre_norm counts",
    "Encoder and decoder end with one and the same norm: make two, one for each.",
    "norms[1]", "norms[0]")

wrong(MAKING, "always_post_norm", "pre_norm",
    """Your layers are post-norm even if norm_first is True: hand the flag on to both kinds of
    layers.""",
    "d_ff, dropout, norm_first", "d_ff, dropout")

wrong(MAKING, "decoder_always_post_norm", "pre_norm",
    "Your decoder's layers do not know of norm_first: only the encoder's do.",
    "DecoderLayer(*sizes)", "DecoderLayer(*sizes[:4])")

wrong(MAKING, "encoder_always_post_norm", "pre_norm",
    "Your encoder's layers do not know of norm_first: only the decoder's do.",
    "EncoderLayer(*sizes)", "EncoderLayer(*sizes[:4])")

wrong(MAKING, "keeps_the_first_layer", "logits counts",
    """The layer that Encoder copies is kept in your model as well, as a module that learns nothing.
    Hand it over without giving it a name in self.""",
    "self.encoder = Encoder(EncoderLayer(*sizes)",
    "self.layer = EncoderLayer(*sizes)\n        self.encoder = Encoder(self.layer")

wrong(MAKING, "gelu_layers", "logits",
    "Your layers use GELU. The Transformer's layers use ReLU, their default.",
    *("Layer(*sizes)", 'Layer(*sizes, activation="gelu")') * 2)

wrong(MAKING, "gelu_in_the_encoder", "encode logits",
    """The layers of your encoder use GELU. Those of this model use ReLU, in both stacks.""",
    "EncoderLayer(*sizes)", 'EncoderLayer(*sizes, activation="gelu")')

wrong(MAKING, "gelu_in_the_decoder", "decode logits",
    """The layers of your decoder use GELU. Those of this model use ReLU, in both stacks.""",
    "DecoderLayer(*sizes)", 'DecoderLayer(*sizes, activation="gelu")')

wrong(MAKING, "one_head", "logits",
    "Your layers have one head each, whatever num_heads is.",
    "d_model, num_heads", "d_model, 1")

wrong(MAKING, "four_times_as_wide", "logits",
    "Your layers' feed-forward networks are 4 d_model wide, whatever d_ff is.",
    "num_heads, d_ff", "num_heads, 4 * d_model")

wrong(MAKING, "four_times_as_wide_by_default", "size_of_the_paper",
    """Without d_ff your networks are four times as wide as the model. The default is 2048, whatever
    d_model is.""",
    "d_ff: int = 2048,", "d_ff: int | None = None,",
    "sizes = d_model, num_heads, d_ff,", "sizes = d_model, num_heads, d_ff or 4 * d_model,")

wrong(MAKING, "one_layer_many_times", "logits counts",
    """All layers of your decoder are one and the same, as [layer] * n makes no copies: each is a
    layer of its own, which Decoder takes care of.""",
    GENERATOR,
    f"""self.decoder.layers = nn.ModuleList([self.decoder.layers[0]] * num_decoder_layers)
        {GENERATOR}""")

# Tied weights and the generator -------------------------------------------------------------------

wrong(MAKING, "never_a_bias", "logits counts",
    "Your generator has no bias. It has one unless the weights are tied.",
    "bias=not tie_weights", "bias=False")

wrong(MAKING, "always_a_bias", "tied_weights counts",
    """Your generator keeps its bias when the weights are tied. The published count, 63,082,496, has
    none.""",
    "bias=not tie_weights", "bias=True")

wrong(MAKING, "nothing_tied", "tied_weights counts",
    """With tie_weights there are still three Parameters: nothing is tied, or only their numbers or
    their .data are the same. Assign one Parameter to all three places, as in b.weight =
    a.weight.""",
    "if tie_weights:", "if False:")

wrong(MAKING, "nothing_tied_and_a_bias", "tied_weights counts",
    """tie_weights changes nothing in your model: with it one Parameter is the weight of both
    embeddings and of the generator, which then has no bias.""",
    "bias=not tie_weights", "bias=True", "if tie_weights:\n", "if False:\n")

wrong(MAKING, "generator_not_tied", "tied_weights counts",
    """The two embeddings are one Parameter, and the generator's weight is another: have all three
    be the very same object, generator.weight = embedding.weight. (`.data = ...` shares the numbers
    and leaves two Parameters, and nn.Parameter(...) makes another one.)""",
    TIED_GENERATOR, "pass")

wrong(MAKING, "target_not_tied", "tied_weights counts",
    """You tie the generator to the source's embedding, and the target's table is a parameter of
    its own, even if it has the same numbers: all three are one nn.Parameter.""",
    TIED_TARGET, "pass")

wrong(MAKING, "source_not_tied", "tied_weights",
    """Your source has a table of its own with tie_weights: all three have one Parameter.""",
    f"{TIED_TARGET}\n            {TIED_GENERATOR}",
    "self.generator.weight = self.tgt_embedding.embedding.weight")

wrong(MAKING, "generator_detached", "tied_weights",
    """In your tied model the generator uses a detached table, which learns as an embedding only.
    Use the Parameter, not its .data.""",
    GENERATOR, """class Detached(nn.Linear):
            def forward(self, x):
                return nn.functional.linear(x, self.weight.detach())
        self.generator = (Detached if tie_weights else nn.Linear)""")

wrong(FORWARD, "generator_scaled", "tied_weights",
    """In your tied model the generator multiplies by sqrt(d_model) as the embedding does. The
    weights are shared, the factor belongs to the embedding alone.""",
    LOGITS, f"{LOGITS} * ({ROOT} if self.generator.bias is None else 1.0)")

wrong(FORWARD, "generator_scaled_down", "tied_weights options_together",
    """In your tied model what goes into the generator is divided by sqrt(d_model), as in T5. The
    weights are shared, and nothing else changes: no factor belongs there.""",
    LOGITS, f"{LOGITS} / ({ROOT} if self.generator.bias is None else 1.0)")

wrong(MAKING, "generator_is_a_closure", "tied_weights_in_a_copy",
    """Your generator is a function that remembers the table of the first model: a copy of the model
    goes on using the original's. Look the weights up in self at each call.""",
    TIED_GENERATOR, f"""table = {TABLE}
            del self.generator
            self.generator = lambda hidden: nn.functional.linear(hidden, table)""")

wrong(MAKING, "ties_anything", "two_vocabularies_cannot_be_tied",
    """Your model takes tie_weights with vocabularies of two sizes, though one table cannot be that
    of both. Raise ValueError.""",
    "raise ValueError", "ValueError")

# The start ----------------------------------------------------------------------------------------

wrong(MAKING, "torch_start", "start",
    """Your model starts with torch's own distributions: tables of N(0, 1), times sqrt(d_model), are
    far too large. Draw all matrices from xavier_uniform_.""",
    DRAWN, "pass")

wrong(MAKING, "xavier_normal", "start",
    """Your matrices are drawn from a normal distribution: the page asks for xavier_uniform_, which
    keeps within its bound.""",
    DRAWN, "nn.init.xavier_normal_(weights)")

wrong(MAKING, "queries_drawn_as_one_matrix", "start",
    """You draw the matrices of queries, keys and values with a gain of 1 / sqrt(2), as if they were
    one matrix: each is drawn from xavier_uniform_ on its own, without a gain.""",
    "for weights in self.parameters()", "for name, weights in self.named_parameters()",
    DRAWN, 'nn.init.xavier_uniform_(weights, 0.5**0.5 if name[-8] in "qkv" else 1.0)')

wrong(MAKING, "kaiming", "start",
    """Your matrices are drawn from kaiming_uniform_, which looks at one width only. xavier_uniform_
    looks at both.""",
    DRAWN, "nn.init.kaiming_uniform_(weights)")

wrong(MAKING, "tables_of_torch", "parts",
    """Your embeddings are torch's nn.Embedding: take your own TokenEmbedding, which holds such a
    table as its `embedding` and multiplies by sqrt(d_model).""",
    "self.src_embedding = TokenEmbedding(", "self.src_embedding = nn.Embedding(",
    "self.tgt_embedding = TokenEmbedding(", "self.tgt_embedding = nn.Embedding(")

wrong(MAKING, "tied_tables_of_torch", "parts",
    """Your embeddings are nn.Embedding and not your own TokenEmbedding: that one holds such a table
    as `embedding`, so the weight is src_embedding.embedding.weight, and it multiplies by
    sqrt(d_model).""",
    "self.src_embedding = TokenEmbedding(", "self.src_embedding = nn.Embedding(",
    "self.tgt_embedding = TokenEmbedding(", "self.tgt_embedding = nn.Embedding(",
    TIED_TARGET, "self.tgt_embedding.weight = self.src_embedding.weight",
    TIED_GENERATOR, "self.generator.weight = self.src_embedding.weight")

wrong(MAKING, "tables_not_drawn", "start",
    """You leave the tables of the embeddings as torch makes them. They are matrices, and are drawn
    like the others.""",
    "for weights in self.parameters()", "for name, weights in self.named_parameters()",
    "weights.ndim == 2", 'weights.ndim == 2 and "embedding" not in name')

wrong(MAKING, "generator_not_drawn", "start",
    """Your generator's matrix is left as nn.Linear makes it: draw when all parts are made, the
    generator too, and go over self.parameters(), which are those of the whole model.""",
    "for weights in self.parameters()", "for name, weights in self.named_parameters()",
    "weights.ndim == 2", 'weights.ndim == 2 and "generator" not in name')

wrong(MAKING, "only_what_was_there_is_drawn", "start every_start_is_another",
    """You draw before the stacks and the generator are made: the layers of a stack are then copies
    that start alike, and the generator is left as nn.Linear makes it. Draw at the end of __init__,
    over all of self.parameters().""",
    "norms = [", """drawn = EncoderLayer(*sizes), DecoderLayer(*sizes)
        for part in (*drawn, self.src_embedding, self.tgt_embedding):
            for matrix in part.parameters():
                if matrix.ndim == 2:
                    nn.init.xavier_uniform_(matrix)
        norms = [""",
    "Encoder(EncoderLayer(*sizes)", "Encoder(drawn[0]",
    "Decoder(DecoderLayer(*sizes)", "Decoder(drawn[1]", DRAWN, "pass")

wrong(MAKING, "draws_before_copying", "every_start_is_another",
    """All layers of a stack start with the same numbers: they are copies of one that was drawn
    before. Draw after the stacks have been built.""",
    DRAWN, f"""{DRAWN}
        self.encoder = Encoder(self.encoder.layers[0], num_encoder_layers, norms[0])
        self.decoder = Decoder(self.decoder.layers[0], num_decoder_layers, norms[1])""")

wrong(MAKING, "seeds_itself", "every_start_is_another",
    """Your constructor seeds torch's random generator: all models start alike, and whatever the
    program draws afterwards is the same each time. Who wants that seeds it outside.""",
    "super().__init__()", "super().__init__()\n        torch.manual_seed(0)")

wrong(MAKING, "decoder_starts_as_the_encoder", "every_start_is_another",
    """The layers of your decoder start with the numbers of the encoder's. Draw every matrix on its
    own.""",
    DRAWN, f"""{DRAWN}
        for one, other in zip(self.encoder.layers, self.decoder.layers):
            other.self_attn.load_state_dict(one.self_attn.state_dict())""")

wrong(MAKING, "pads_start_at_zero", "every_start_is_another",
    "The vector of your pad starts at 0. No token is special: pads are hidden by masks.",
    DRAWN, f"""{DRAWN}
        nn.init.zeros_(self.src_embedding.embedding.weight[pad_id])""")

wrong(MAKING, "vectors_drawn", "start",
    "You draw vectors too, or set them to 0. They stay as your parts make them.",
    DRAWN, f"""{DRAWN}
            else:
                nn.init.zeros_(weights)""")

wrong(MAKING, "drawn_above_zero", "start",
    "Your matrices start with positive numbers only: draw them around 0.",
    DRAWN, f"{DRAWN}.data.abs_()")

wrong(MAKING, "other_default_dropout", "defaults",
    "Without dropout your model takes another probability than 0.1.",
    "dropout: float = 0.1", "dropout: float = 0.2")

wrong(MAKING, "other_default_heads", "defaults",
    "Without num_heads your model has another number of heads than 8.",
    "num_heads: int = 8", "num_heads: int = 4")

wrong(MAKING, "other_default_length", "defaults",
    "Without max_len your model has room for another length than 5000.",
    "max_len: int = 5000", "max_len: int = 512")

# Dropout, lengths, places -------------------------------------------------------------------------

wrong(MAKING, "embeddings_never_dropped", "dropout_is_handed_on",
    "Your embeddings are never dropped: hand dropout on to PositionalEncoding.",
    PLACES, "PositionalEncoding(d_model, 0.0, max_len)")

wrong(MAKING, "drops_twice", "dropout_is_handed_on",
    "Your embeddings go through dropout twice: PositionalEncoding has done it.",
    PLACES, f"nn.Sequential({PLACES}, nn.Dropout(dropout))")

wrong(ENCODE, "one_mask_for_all_sentences", "dropout_is_handed_on",
    """All sentences of a batch lose the same columns of their embeddings: one mask is drawn and
    used for all of them. Draw one number for each.""",
    SRC_PLACED, "self._embedded(self.src_embedding(src))",
    " def decode(", """ def _embedded(self, x):
        p = self.positions.dropout.p if self.training else 0.0
        self.positions.dropout.p, kept = 0.0, self.positions.dropout.p
        y, self.positions.dropout.p = self.positions(x), kept
        return y * nn.functional.dropout(torch.ones_like(y[:1]), p)

    def decode(""")

wrong(DECODE, "same_mask_in_every_call", "dropout_is_handed_on",
    """Every call drops the same numbers, as where decode sets a seed or a mask is kept: leave
    torch's generator alone, and let every call draw its own.""",
    "x = self.pos", "torch.manual_seed(0)\n        x = self.pos")

wrong(FORWARD, "memory_dropped", "dropout_is_handed_on",
    """Your model drops the memory on its way to the decoder. The paper has no dropout there.""",
    f"memory = {ENCODED}", f"memory = self.positions.dropout({ENCODED})")

wrong(MAKING, "pre_norm_alone_drops", "dropout_is_handed_on",
    "Your post-norm layers never drop: dropout has nothing to do with norm_first.",
    "d_ff, dropout, norm_first", "d_ff, dropout if norm_first else 0.0, norm_first")

wrong(MAKING, "drops_before_the_generator", "dropout_is_handed_on",
    """Your model drops what the decoder found before the generator sees it. The paper has no
    dropout there.""",
    GENERATOR, f"self.dropout = nn.Dropout(dropout)\n        {GENERATOR}",
    LOGITS, f"self.generator(self.dropout({DECODED}))")

wrong(MAKING, "encoder_keeps_its_dropout", "dropout_is_handed_on",
    """The layers of your encoder are built without your dropout, and have their own default: hand
    it on to EncoderLayer.""",
    "EncoderLayer(*sizes)", "EncoderLayer(*sizes[:3], norm_first=norm_first)")

wrong(MAKING, "decoder_keeps_its_dropout", "dropout_is_handed_on",
    """The layers of your decoder are built without your dropout, and have their own default: hand
    it on to DecoderLayer.""",
    "DecoderLayer(*sizes)", "DecoderLayer(*sizes[:3], norm_first=norm_first)")

wrong(MAKING, "layers_never_drop", "dropout_is_handed_on",
    "Your layers never drop: hand dropout on to both kinds of layers.",
    "d_ff, dropout, norm_first", "d_ff, 0.0, norm_first")

wrong(MAKING, "positions_keep_their_dropout", "dropout_is_handed_on",
    "Your PositionalEncoding is built without your dropout, and has its own default: hand it on.",
    PLACES, "PositionalEncoding(d_model, max_len=max_len)")

wrong(MAKING, "drops_in_eval", "nothing_is_dropped_in_eval",
    """Your model goes on dropping after eval(): F.dropout needs training=self.training, and an
    nn.Dropout is made in __init__, not in forward.""",
    f"self.positions = {PLACES}", """self.places = PositionalEncoding(d_model, 0.0, max_len)
        self.positions = lambda x: nn.functional.dropout(self.places(x), dropout)""")

wrong(MAKING, "lengths_unlimited", "longest_sentences",
    """Your model does not know max_len: hand it on to PositionalEncoding, which refuses what is
    longer.""",
    PLACES, "PositionalEncoding(d_model, dropout)")

wrong(MAKING, "cuts_sentences", "longest_sentences",
    """Your model cuts sentences that are too long to max_len tokens instead of refusing them with
    ValueError.""",
    "self.pad_id =", "self.max_len = max_len; self.pad_id =",
    "src_mask =", "src, tgt = src[:, : self.max_len], tgt[:, : self.max_len]; src_mask =")

wrong(FORWARD, "cuts_in_eval", "longest_sentences",
    """In eval mode your model cuts targets that are too long: refuse them with ValueError in every
    mode.""",
    "src_mask =", """tgt = tgt if self.training else tgt[:, : self.positions.table.shape[0]]
        src_mask =""")

wrong(FORWARD, "mask_on_the_cpu", "on_another_device",
    """Your causal mask is made on the CPU whatever device the model has been moved to: make it with
    device=tgt.device, which causal_mask takes.""",
    ", device=tgt.device", "")

wrong(FORWARD, "always_float32", "logits",
    "Your logits are always float32: they have the dtype of the model.",
    LOGITS, f"{LOGITS}.float()")
