"""Wrong answers to ``training``: its page with a slip, and what the author is told."""

from __future__ import annotations

from grader.check import Bank

wrong = Bank()

AHEAD, ANYWHERE = "targets_are_one_further", "pieces_begin_anywhere"
GENERATOR, SHORTEST = "the_generator_decides", "the_shortest_streams"
FORCING = "teacher_forcing"
ONE, ANEW, AS_ONE = "one_step", "every_step_begins_anew", "batches_count_as_one"
NOTHING, CLIPS = "no_target_counts", "clips_the_whole_gradient"
SHORT = "clips_nothing_that_is_short"
FROZEN, MODE = "frozen_parameters", "a_step_leaves_the_mode_alone"
EDGES, STAYS = "clips_at_the_edges", "what_has_no_gradient_stays"
ONCE = "evaluate_goes_through_once"
VERY_WRONG = "fit_from_very_wrong_to_right"
EVALUATE, LOOKS, MODES = "evaluate", "evaluate_only_looks", "evaluate_restores_every_mode"
LOOP, DRAWS = "fit_is_step_after_step", "fit_draws_a_batch_for_every_step"
TRAINS = "fit_trains_in_train_mode"
NOISE, AAB, COPY = "noise_cannot_be_learned", "learns_aab", "learns_to_copy"

RANDINT = "torch.randint(places, (batch, 1), generator=generator, device=generator.device)"
TOO_SHORT = """if places < 1:
        raise ValueError(f"{len(data)} tokens hold no piece of {tokens} tokens and its targets")
"""
PIECES = "return pieces[:, :-1], pieces[:, 1:]"
FORCED = "return tgt[:, :-1], targets.masked_fill(targets == pad_id, -100)"
WEIGHTED = "model(idx, targets)[1] * (count / total)"
CLIP = "nn.utils.clip_grad_norm_(model.parameters(), max_norm)"
CLIPPING = f"if max_norm is not None:\n        {CLIP}\n"
BACKWARD = "loss.backward()\n"
RETURNED = "return sum(losses).item()"
MODES_KEPT = "modes = {part: part.training for part in model.modules()}\n"
PUT_BACK = "for part, mode in modes.items():\n        part.training = mode\n"
ADDED = "total += float(model(idx, targets)[1]) * here"
MEAN = "return total / max(count, 1)"
ADAMW = "optimizer = torch.optim.AdamW(model.parameters(), lr)"
STEP = "losses.append(train_step(model, [pair], optimizer))"

# Nothing is clipped, or of several batches the first is taken; and the mean of no targets is not
# thought of.
ONE_BATCH = "sum(counts)", "counts[0]", "(batches, counts,", "(batches[:1], counts[:1],"
for fewer in ((), (".clamp(min=1)", "")):
    wrong.up_to("train_step: one batch", "train_step", f"{CLIPPING}    ", "", *ONE_BATCH, *fewer)
    wrong.up_to("train_step: several batches", "train_step", f"{CLIPPING}    ", "", *fewer)

# Batches ------------------------------------------------------------------------------------------

wrong("next_token_batch", "targets_equal_inputs", f"{AHEAD} {SHORTEST} {NOISE}",
    """Your targets are the inputs themselves. The model only has to copy them: the loss goes to 0,
    also on random tokens, and nothing is learned. The target is the token one place further.""",
    PIECES, "return pieces[:, :-1], pieces[:, :-1]")

wrong("next_token_batch", "two_further", f"{AHEAD} {AAB}",
    """Your targets are two places ahead, so the model learns to leave out a token. They are moved
    by one place, and the model moves nothing.""",
    "places = len(data) - tokens", "places = len(data) - tokens - 1",
    "torch.arange(tokens + 1, device=data.device)", "torch.arange(tokens + 2, device=data.device)",
    PIECES, "return pieces[:, :-2], pieces[:, 2:]")

wrong("next_token_batch", "one_before", f"{AHEAD} {SHORTEST} {NOISE}",
    """Your targets are one place behind the inputs: the model is asked for what it has just
    read. They are one place ahead.""",
    PIECES, "return pieces[:, 1:], pieces[:, :-1]")

wrong("next_token_batch", "moved_in_a_circle", f"{AHEAD} {SHORTEST}",
    """You make the targets by rolling the inputs: the last target of each piece is its first token,
    which does not come next. Take T + 1 tokens of the stream, and both from these.""",
    PIECES, "inputs = pieces[:, :-1]\n    return inputs, inputs.roll(-1, 1)")

wrong("next_token_batch", "the_last_has_no_target", f"{AHEAD} {SHORTEST}",
    """You mark the last target of each piece with -100: the stream goes on after the piece, so this
    position has a target as well.""",
    PIECES,
    """targets = pieces[:, 1:].clone()
    targets[:, -1] = -100
    return pieces[:, :-1], targets""")

wrong("next_token_batch", "only_the_last_target", f"{AHEAD} {SHORTEST}",
    """You return the one token after each piece. Every position of the piece has a target, which
    gives T lessons at the price of one.""",
    PIECES, "return pieces[:, :-1], pieces[:, -1]")

wrong("next_token_batch", "targets_one_short", f"{AHEAD} {SHORTEST}",
    """Your targets have one token less than the inputs: the last input has a target as well. Of a
    piece that begins at s they are data[s + 1 : s + T + 1].""",
    PIECES, "return pieces[:, :-1], pieces[:, 1:-1]")

wrong("next_token_batch", "inputs_one_short", f"{AHEAD} {SHORTEST}",
    """Your inputs have one token less than the targets: of a piece that begins at s they are
    data[s : s + T], and the targets data[s + 1 : s + T + 1].""",
    PIECES, "return pieces[:, :-2], pieces[:, 1:]")

wrong("next_token_batch", "targets_one_long", f"{AHEAD} {SHORTEST}",
    """Your targets have one token more than the inputs, all T + 1 of the piece: the first one is
    an input only. The targets are the other T.""",
    PIECES, "return pieces[:, :-1], pieces")

wrong("next_token_batch", "a_token_too_many", f"{AHEAD} {SHORTEST}",
    "Your pieces have T + 1 tokens: the inputs are the first T of these, the targets the last T.",
    PIECES, "return pieces, pieces.roll(-1, 1)")

wrong("next_token_batch", "a_token_too_few", f"{AHEAD} {SHORTEST}",
    """Your pieces have T - 1 tokens: of T tokens of the stream the last one has no target among
    them. Take T + 1.""",
    "torch.arange(tokens + 1, device=data.device)", "torch.arange(tokens, device=data.device)")

wrong("next_token_batch", "always_at_a_line", ANYWHERE,
    """Your pieces begin at multiples of T only, as if the text were cut into lines. What a model
    knows of place 0 is then only right there, and it writes nonsense after T tokens.""",
    "starts = " + RANDINT,
    "starts = torch.randint(-(-places // tokens), (batch, 1), generator=generator, "
    "device=generator.device) * tokens")

wrong("next_token_batch", "never_the_last_place", ANYWHERE,
    """Your pieces never begin at the last possible place, N - T - 1, so the last token is never
    a target. torch.randint leaves out its upper end by itself.""",
    "torch.randint(places,", "torch.randint(max(places - 1, 1),")

wrong("next_token_batch", "upper_end_taken_for_the_last", f"{ANYWHERE} {SHORTEST}",
    """randint(high, ...) draws from 0 to high - 1: its upper end is never drawn. You subtract one
    from it, so no piece begins at the last place, and where there is one place only there is
    none.""",
    "torch.randint(places,", "torch.randint(places - 1,")

wrong("next_token_batch", "one_place_too_many", f"{ANYWHERE} {SHORTEST}",
    """Your pieces may begin at N - T, where the last target is behind the end of the stream. That
    is a rare error, long after the training has begun. Draw from N - T places: torch.randint(high,
    ...) gives 0 to high - 1.""",
    "torch.randint(places,", "torch.randint(places + 1,")

wrong("next_token_batch", "slices_beyond_the_end", ANYWHERE,
    """Some of your pieces begin too near to the end of the stream: a slice of inputs or targets
    then reaches beyond it, and is shorter than the others. A piece begins at one of N - T places, 0
    to N - T - 1, each drawn by itself; torch.randint(high, ...) gives 0 to high - 1.""",
    "torch.randint(places,", "torch.randint(places + 1,",
    "pieces = data[starts.to(data.device) + steps]",
    """begin = starts[:, 0].tolist()
    inputs = torch.stack([data[s : s + tokens] for s in begin])
    targets = torch.stack([data[s + 1 : s + tokens + 1] for s in begin])""",
    PIECES, "return inputs, targets")

wrong("next_token_batch", "begins_in_any_place", f"{AHEAD} {ANYWHERE} {SHORTEST}",
    """Your pieces may begin at any token, so the last ones do not fit: a piece of T tokens and its
    targets needs T + 1 of them. There are N - T places to begin at.""",
    "torch.randint(places,", "torch.randint(len(data),")

wrong("next_token_batch", "never_the_first_place", ANYWHERE,
    "Your pieces never begin at place 0: the first number that is drawn is 0.",
    "starts = " + RANDINT,
    "starts = torch.randint(min(1, places - 1), places, (batch, 1), generator=generator, "
    "device=generator.device)")

wrong("next_token_batch", "rather_in_the_middle", ANYWHERE,
    """Your pieces begin at some places more often than at others, as where a fraction is rounded:
    the first and the last place then come half as often. Use torch.randint, and its numbers as they
    are.""",
    RANDINT,
    "(torch.rand(batch, 1, generator=generator, device=generator.device) * (places - 1))"
    ".round().long()")

wrong("next_token_batch", "no_piece_twice", f"{ANYWHERE} {GENERATOR} {SHORTEST}",
    """Your batch has no more pieces than there are places, for none comes twice: draw each one
    independently, so that the same may come again.""",
    RANDINT,
    "torch.randperm(places, generator=generator, device=generator.device)[:batch, None]")

wrong("next_token_batch", "one_place_for_all", f"{ANYWHERE} {GENERATOR}",
    """All pieces of your batch begin at the same place, so they are the same: draw a place for each
    piece.""",
    RANDINT,
    "torch.randint(places, (1, 1), generator=generator, device=generator.device).expand(batch, 1)")

wrong("next_token_batch", "one_after_another", GENERATOR,
    """Where a piece of yours begins depends on the pieces before it: they follow each other in the
    stream, or none comes twice. Draw each place by itself, from all places.""",
    RANDINT,
    "(torch.randint(places, (1, 1), generator=generator, device=generator.device)"
    " + torch.arange(batch, device=generator.device)[:, None]) % places")

wrong("next_token_batch", "drawn_without_replacement", GENERATOR,
    """Your pieces depend on each other, as those of torch.randperm or of a sorted list do. Draw
    each one anew, with torch.randint: the same piece may come twice.""",
    RANDINT, """torch.cat([
        torch.randperm(places, generator=generator, device=generator.device)
        for _ in range(-(-batch // places))
    ])[:batch, None]""")

wrong("next_token_batch", "not_from_the_generator", GENERATOR,
    """Your pieces do not come from the generator that you are given: hand it on to torch.randint,
    or nobody can repeat your training.""",
    RANDINT, "torch.randint(places, (batch, 1))")

wrong("next_token_batch", "seeded_again", f"{GENERATOR} {DRAWS}",
    """Every call of yours begins again at the seed, so every step of a training gets the same
    batch: draw from `generator` itself, as it stands. Set no seed, and make no new generator.""",
    "starts = ", "generator.manual_seed(generator.initial_seed())\n    starts = ")

wrong("next_token_batch", "a_new_generator_of_the_seed", f"{GENERATOR} {DRAWS}",
    """Every call of yours draws the same pieces, as a new generator with the seed of the one given
    does: draw from that one itself, and let it go on.""",
    RANDINT, """(torch.rand(
        batch, 1, generator=torch.Generator(generator.device).manual_seed(generator.initial_seed())
    ) * places).long()""")

wrong("next_token_batch", "takes_too_short_streams", SHORTEST,
    """A stream of T tokens holds no piece with its targets: say so with a ValueError. What torch
    says of it later helps nobody.""",
    TOO_SHORT, "places = max(places, 1)\n")

wrong("next_token_batch", "takes_tokens_for_neighbours", SHORTEST,
    """You take it that the tokens of the stream lie side by side in memory. A view, such as a
    column of a matrix, has others in between: use indexing, or data.stride().""",
    "data[starts.to(data.device) + steps]",
    "data.as_strided((places, tokens + 1), (1, 1))[starts[:, 0].to(data.device)]")

# Sentences ----------------------------------------------------------------------------------------

wrong("teacher_forcing", "targets_not_moved", f"{FORCING} {COPY}",
    """Your targets are the inputs: the decoder is asked for the token that it has just been given.
    Leave out the first token.""",
    "targets = tgt[:, 1:]", "targets = tgt[:, :-1]")

wrong("teacher_forcing", "the_other_way_round", f"{FORCING} {COPY}",
    """You return the targets first, so the model learns which token came before. The loss is
    excellent, for the answer stands in its inputs; but nothing can be written with it. The inputs
    come first.""",
    FORCED, "return targets.masked_fill(targets == pad_id, -100), tgt[:, :-1]")

wrong("teacher_forcing", "two_places_ahead", f"{FORCING} {COPY}",
    """Your targets are two places ahead of the inputs, and the model learns to leave out every
    token that comes next: one place is what the decoder is asked for.""",
    "targets = tgt[:, 1:]", "targets = tgt[:, 2:]", "return tgt[:, :-1],", "return tgt[:, :-2],")

wrong("teacher_forcing", "padding_as_target", FORCING,
    """Padding stays among your targets, so most of the loss may be about it, and the model learns
    to write padding. Put -100 there.""",
    FORCED, "return tgt[:, :-1], targets")

wrong("teacher_forcing", "padding_taken_out_of_both", FORCING,
    """You write -100 into the inputs as well: no token has this number, and an embedding fails on
    it. The inputs keep their padding.""",
    FORCED, """inputs = tgt[:, :-1]
    return (inputs.masked_fill(inputs == pad_id, -100),
            targets.masked_fill(targets == pad_id, -100))""")

wrong("teacher_forcing", "marked_by_the_input", FORCING,
    """You mark places whose *input* is padding. It is about the target: after the last token of a
    sentence comes padding already.""",
    "targets == pad_id", "tgt[:, :-1] == pad_id")

wrong("teacher_forcing", "first_padding_is_a_target", FORCING,
    """You leave the first padding of a row among the targets: wherever pad_id would be the target,
    it is -100.""",
    "targets == pad_id", "(targets == pad_id) & ((targets == pad_id).cumsum(1) > 1)")

wrong("teacher_forcing", "zero_is_padding", FORCING,
    "You look for the token 0: which token fills sentences up is said by pad_id.",
    "targets == pad_id", "targets == 0")

wrong("teacher_forcing", "minus_one_as_mark", FORCING,
    "You mark padding with -1: the mark for a target that does not count is -100.",
    "-100)", "-1)")

wrong("teacher_forcing", "cut_to_the_longest", FORCING,
    """You cut off columns at the end, as if no row had a token there. All rows stay as long as they
    came: where padding is the target, -100 is enough.""",
    "targets = tgt[:, 1:]",
    "tgt = tgt[:, : int((tgt != pad_id).sum(1).max())]\n    targets = tgt[:, 1:]")

wrong("teacher_forcing", "pad_id_as_mark", FORCING,
    "You mark padding with 0: the mark for a target that does not count is -100.",
    "-100)", "0)")

wrong("teacher_forcing", "writes_into_the_sentences", FORCING,
    """You write -100 into the caller's sentences: a slice is a view. masked_fill makes a new
    tensor, masked_fill_ and targets[...] = -100 do not.""",
    "targets.masked_fill(", "targets.masked_fill_(")

wrong("teacher_forcing", "inputs_keep_all", f"{FORCING} {COPY}",
    "Your inputs keep the last token, which has no target: they are one longer than the targets.",
    "return tgt[:, :-1],", "return tgt,")

wrong("teacher_forcing", "everything_after_the_end", FORCING,
    """You mark everything from the first padding target on and the token before it too: the token
    that ends a sentence is to be learned.""",
    "targets == pad_id", "torch.cat([targets[:, 1:], targets[:, -1:]], 1) == pad_id")

# One step -----------------------------------------------------------------------------------------

wrong("train_step", "no_zero_grad", ANEW,
    """You never clear the gradients. backward() adds to .grad, so every step also repeats all
    steps before it: call optimizer.zero_grad() before the first backward().""",
    "optimizer.zero_grad()", "pass")

wrong("train_step", "cleared_at_the_end_only", ANEW,
    """You clear the gradients after the step only. What was left in .grad by others, such as a step
    with an optimizer of other parameters, is added to your first one: clear them before the
    first backward().""",
    "optimizer.zero_grad()", "pass",
    "optimizer.step()", "optimizer.step()\n    optimizer.zero_grad()")

wrong("train_step", "nothing_to_step_with", f"{ONE} {ANEW} {AS_ONE} {AAB} {COPY}",
    """No parameter moves, as where optimizer.step() is missing, or finds no gradients, since they
    were cleared between backward() and step(). Clear them before the first backward().""",
    "optimizer.step()", "optimizer.zero_grad()\n    optimizer.step()")

wrong("train_step", "cleared_for_each_batch", AS_ONE,
    """Only the gradient of the last batch counts, as where gradients are cleared before every
    batch, or backward() is called behind the loop: clear once, before the first, and call
    backward() for each.""",
    "optimizer.zero_grad()", "pass",
    "loss = model", "optimizer.zero_grad()\n        loss = model")

wrong("train_step", "step_before_backward", f"{ONE} {ANEW}",
    """You make the step before backward(): it uses the gradients of the call before, and in the
    first one there are none.""",
    "optimizer.zero_grad()\n", "optimizer.step()\n    optimizer.zero_grad()\n",
    "optimizer.step()\n    return", "return")

wrong("train_step", "a_step_for_each_batch", AS_ONE,
    """You make a step after every batch. Together they count as one batch: collect the gradients of
    all of them, then make one step.""",
    BACKWARD, BACKWARD + "        optimizer.step()\n        optimizer.zero_grad()\n",
    "optimizer.step()\n    return", "return")

wrong("train_step", "a_step_too_many", AS_ONE,
    """You make a step after every batch, and one more at the end. Collect the gradients of all
    batches, then make one step: optimizer.step() stands once, after the loop.""",
    BACKWARD, BACKWARD + "        optimizer.step()\n")

wrong("train_step", "a_step_for_each_sum_so_far", AS_ONE,
    """You make a step after every batch, each with the gradients of the batches before as well. All
    batches count as one: only collect gradients in the loop, and call optimizer.step() once, after
    it.""",
    BACKWARD, BACKWARD + "        optimizer.step()\n",
    "optimizer.step()\n    return", "return")

wrong("train_step", "a_clipped_step_for_each_batch", f"{AS_ONE} {CLIPS}",
    """You clip and make a step within the loop, after every batch. All batches count as one: the
    loop only collects gradients, and clipping and optimizer.step() come once, after it.""",
    BACKWARD, BACKWARD + f"        if max_norm is not None:\n            {CLIP}\n"
    "        optimizer.step()\n        optimizer.zero_grad()\n",
    CLIPPING, "pass\n",
    "optimizer.step()\n    return", "return")

wrong("train_step", "mean_of_the_means", f"{AS_ONE} {NOTHING}",
    """You take the mean of the batches' losses, each with the same weight. A batch of 2 targets
    then counts as much as one of 9: weight each with its share of all targets.""",
    "(count / total)", "(1 / len(batches))")

wrong("train_step", "sum_of_the_means", AS_ONE,
    """You add up the gradients of all batches and divide by nothing: with k batches the step is k
    times too long. Weight each loss with its share of all targets.""",
    " * (count / total)", "")

wrong("train_step", "weighted_after_backward", AS_ONE,
    """What you return is weighted, but backward() was called on the loss before: the gradients are
    not. Multiply the loss by its weight first, then call backward() on the product.""",
    WEIGHTED, "model(idx, targets)[1]",
    "loss.detach()", "loss.detach() * (count / total)")

wrong("train_step", "gradients_weighted_alone", AS_ONE,
    """You weight each loss for backward(), and return the sum of the losses without their weights:
    what is returned is the loss whose gradients these are.""",
    f"loss = {WEIGHTED}",
    "plain = model(idx, targets)[1]\n        loss = plain * (count / total)",
    "loss.detach()", "plain.detach()")

wrong("train_step", "returns_the_mean_of_the_means", AS_ONE,
    """Your gradients are those of the mean over all targets, and what you return is the mean of the
    batches' losses, each with the same weight: return the loss that you have called backward()
    on.""",
    f"loss = {WEIGHTED}",
    "plain = model(idx, targets)[1]\n        loss = plain * (count / total)",
    "loss.detach()", "plain.detach() / len(batches)")

wrong("train_step", "gradient_of_the_mean_of_the_means", AS_ONE,
    """What you return is weighted by the targets, but backward() was called on each loss divided by
    the number of batches: its weight is its share of all targets there too.""",
    "(count / total)", "(1 / len(batches))",
    "loss.detach()", "loss.detach() * len(batches) * (count / total)")

wrong("train_step", "weighted_by_all_places", AS_ONE,
    """You weight each batch by its number of tokens, those of -100 included: only targets that
    count have a share in the mean.""",
    "(targets != -100).sum() for", "torch.tensor(targets.numel()) for")

wrong("train_step", "weighted_by_sentences", AS_ONE,
    "You weight each batch by its number of rows: rows may be long or short, count their targets.",
    "(targets != -100).sum() for", "torch.tensor(len(targets)) for")

wrong("train_step", "only_the_first_batch", AS_ONE,
    "You use the first batch alone: the gradients of all batches make the step.",
    "optimizer.zero_grad()", "optimizer.zero_grad()\n    batches, counts = batches[:1], counts[:1]")

wrong("train_step", "divides_by_zero_targets", NOTHING,
    """If no target counts you divide by 0: the loss is NaN, and so is every parameter after the
    step. Divide by 1 at least.""",
    ".clamp(min=1)", "")

wrong("train_step", "loss_after_the_step", f"{ONE} {ANEW} {AS_ONE} {LOOP}",
    """You return the loss after the step, which costs a second pass through the model. Wanted is
    the one before it, that is known already.""",
    RETURNED, """with torch.no_grad():
        return sum(model(i, t)[1] * (n / total) for (i, t), n in zip(batches, counts)).item()""")

wrong("train_step", "loss_of_the_last_batch", AS_ONE,
    "You return the loss of the last batch: wanted is the loss of all of them together.",
    RETURNED, "return (loss / (count / total)).item()")

wrong("train_step", "sum_over_the_targets", f"{ONE} {AS_ONE} {LOOP}",
    """You make the step with the sum of all losses and not with their mean: its length then depends
    on how much text a batch holds.""",
    "(count / total)", "count")

wrong("train_step", "returns_a_tensor_with_its_graph", f"{MODE} {DRAWS}",
    """You return the loss as a tensor: return loss.item(). A list of losses that have their graphs
    keeps the graph of every step, and the memory fills up.""",
    "losses.append(loss.detach())", "losses.append(loss)", RETURNED, "return sum(losses)")

wrong("train_step", "ignores_max_norm", CLIPS,
    """Gradients that are too long go into the step as they are: max_norm is not used, or too late,
    or what was made shorter is not put into .grad. Between the last backward() and step() they are
    made shorter, in place.""",
    CLIPPING, "pass\n")

wrong("train_step", "clips_each_batch", CLIPS,
    """You clip after every backward(): then the batches before are made smaller again and again.
    Clip once, when the gradients of all batches are together.""",
    CLIPPING, "pass\n",
    BACKWARD, BACKWARD + f"        if max_norm is not None:\n            {CLIP}\n")

wrong("train_step", "clips_each_parameter", CLIPS,
    """You clip every parameter by itself, which changes the direction of the step. There is one
    norm, of all parameters together, and one factor for all of them.""",
    CLIP,
    "for weight in model.parameters():\n            nn.utils.clip_grad_norm_([weight], max_norm)")

wrong("train_step", "clips_each_number", CLIPS,
    """You cut every number of the gradient at max_norm: that changes its direction. The gradient as
    a whole is made shorter.""",
    CLIP, "nn.utils.clip_grad_value_(model.parameters(), max_norm)")

wrong("train_step", "makes_short_gradients_longer", SHORT,
    """A gradient shorter than max_norm is made longer: the factor max_norm / norm is for longer
    ones alone, so it is 1 at most.""",
    CLIP, """grads = [w.grad for w in model.parameters() if w.grad is not None]
        norm = torch.stack([g.norm() for g in grads]).norm()
        for g in grads:
            g *= max_norm / norm.clamp(min=1e-9)""")

wrong("train_step", "clips_by_the_square", CLIPS,
    "You compare the sum of the squares with max_norm: the norm is its root.",
    CLIP, """grads = [w.grad for w in model.parameters() if w.grad is not None]
        norm = sum((g * g).sum() for g in grads)
        for g in grads:
            g *= (max_norm / norm).clamp(max=1)""")

wrong("train_step", "clips_by_the_largest_number", CLIPS,
    """You take the largest number of the gradient for its norm: the norm is the root of the sum of
    the squares of all its numbers.""",
    "(model.parameters(), max_norm)", "(model.parameters(), max_norm, torch.inf)")

wrong("train_step", "adds_the_norms", CLIPS,
    """You add up the norms of the parameters: it is their squares that are added, and the root is
    taken once, of the whole sum.""",
    CLIP, """grads = [w.grad for w in model.parameters() if w.grad is not None]
        norm = sum(g.norm() for g in grads)
        for g in grads:
            g *= (max_norm / norm.clamp(min=1e-9)).clamp(max=1)""")

wrong("train_step", "clips_by_the_norm_of_the_weights", CLIPS,
    """You take the norm of the weights: what is clipped is the gradient, so its norm decides, that
    of all weight.grad together.""",
    CLIP, """grads = [w.grad for w in model.parameters() if w.grad is not None]
        norm = torch.stack([w.detach().norm() for w in model.parameters()]).norm()
        for g in grads:
            g *= (max_norm / norm.clamp(min=1e-9)).clamp(max=1)""")

wrong("train_step", "clips_by_the_mean_of_the_norms", CLIPS,
    """You take the mean of the parameters' norms for that of the gradient: their squares are added
    up, and the root of that sum is the norm.""",
    CLIP, """grads = [w.grad for w in model.parameters() if w.grad is not None]
        norm = torch.stack([g.norm() for g in grads]).mean()
        for g in grads:
            g *= (max_norm / norm.clamp(min=1e-9)).clamp(max=1)""")

wrong("train_step", "clips_by_the_largest_of_the_norms", CLIPS,
    """You take the largest of the parameters' norms for that of the gradient: their squares are
    added up, and the root of that sum is the norm.""",
    CLIP, """grads = [w.grad for w in model.parameters() if w.grad is not None]
        norm = torch.stack([g.norm() for g in grads]).max()
        for g in grads:
            g *= (max_norm / norm.clamp(min=1e-9)).clamp(max=1)""")

wrong("train_step", "clips_by_the_factor_turned_round", CLIPS,
    """A gradient that is too long becomes longer: you multiply it by norm / max_norm. Multiplied by
    max_norm / norm it has the length max_norm.""",
    CLIP, """grads = [w.grad for w in model.parameters() if w.grad is not None]
        norm = torch.stack([g.norm() for g in grads]).norm()
        for g in grads:
            g *= (norm / max_norm).clamp(min=1)""")

wrong("train_step", "clips_to_one", CLIPS,
    """You divide a gradient that is too long by its norm alone, so it is 1 long: multiplied by
    max_norm / norm it has the length max_norm.""",
    CLIP, """grads = [w.grad for w in model.parameters() if w.grad is not None]
        norm = torch.stack([g.norm() for g in grads]).norm()
        for g in grads:
            g /= norm if norm > max_norm else 1""")

wrong("train_step", "token_zero_does_not_count", AS_ONE,
    """You do not count targets that are the token 0: it is a token like any other. Only -100 does
    not count.""",
    "(targets != -100).sum() for", "(targets > 0).sum() for")

wrong("train_step", "clips_what_is_none", FROZEN,
    """You ask for the gradient of every parameter. One that is frozen has none (None): leave it out
    of the norm.""",
    CLIP, """grads = [w.grad for w in model.parameters()]
        norm = torch.stack([g.norm() for g in grads]).norm()
        for g in grads:
            g *= (max_norm / norm).clamp(max=1)""")

wrong("train_step", "zero_is_no_limit", EDGES,
    """With max_norm = 0 you clip nothing, as `if max_norm:` does, for 0 is not true: everything
    should be clipped then. Ask whether it is None.""",
    "if max_norm is not None:", "if max_norm:")

wrong("train_step", "divides_by_a_norm_of_zero", EDGES,
    """You divide max_norm by the norm of a gradient of zeros, which Python refuses. Divide only if
    the norm is larger than max_norm.""",
    CLIP, """grads = [w.grad for w in model.parameters() if w.grad is not None]
        factor = min(1.0, max_norm / float(torch.stack([g.norm() for g in grads]).norm()))
        for g in grads:
            g *= factor""")

wrong("train_step", "a_shared_table_counts_twice", EDGES,
    """You count a parameter that stands in the model twice two times in the norm. It has one
    gradient: model.parameters() gives it once.""",
    CLIP, """grads = [w.grad for _, w in model.named_parameters(remove_duplicate=False)]
        norm = sum((g ** 2).sum() for g in grads if g is not None) ** 0.5
        if norm > max_norm:
            for weight in model.parameters():
                if weight.grad is not None:
                    weight.grad *= max_norm / norm""")

wrong("train_step", "clips_matrices_only", EDGES,
    """You clip the gradients of matrices only: biases and other vectors are a part of the gradient
    as well, and of its norm.""",
    "(model.parameters(), max_norm)", "([w for w in model.parameters() if w.ndim > 1], max_norm)")

wrong("train_step", "a_gradient_for_everyone", STAYS,
    """You give every parameter without a gradient one of zeros. AdamW then makes it smaller in each
    step, though it is frozen or had no part in the loss: leave it None.""",
    "if max_norm is not None:", """for weight in model.parameters():
        if weight.grad is None:
            weight.grad = torch.zeros_like(weight)
    if max_norm is not None:""")

wrong("train_step", "switches_to_train_mode", MODE,
    """You put the model into train mode. train_step leaves the mode as it is: fit sets it, and
    whoever has switched a part off wants it to stay so.""",
    "optimizer.zero_grad()", "model.train()\n    optimizer.zero_grad()")

wrong("train_step", "switches_to_eval_mode", f"{MODE} {TRAINS}",
    """Nothing is dropped in the pass whose loss you return, as in eval mode: leave the mode as it
    is.""",
    "optimizer.zero_grad()", "model.eval()\n    optimizer.zero_grad()")

# The loss without a step --------------------------------------------------------------------------

wrong("evaluate", "evaluates_in_train_mode", EVALUATE,
    """You evaluate in train mode: dropout leaves out random parts of the model, and the loss is
    worse than it is. model.eval() first; without its brackets nothing is called.""",
    "model.eval()", "pass")

wrong("evaluate", "stays_in_eval_mode", MODES,
    """You leave the model in eval mode, so everything that is trained after the first evaluation is
    trained without dropout. Put the modes back.""",
    PUT_BACK, "pass\n")

wrong("evaluate", "always_back_to_train", MODES,
    """You put the model into train mode afterwards, however it came. Keep the mode in which it
    came, and go back to that.""",
    PUT_BACK, "model.train()\n")

wrong("evaluate", "one_mode_for_all_parts", MODES,
    """You put the whole model back into one mode. A part that was in eval mode by itself, as a
    frozen one may be, is in train mode now: keep the mode of every part.""",
    MODES_KEPT, "mode = model.training\n", PUT_BACK, "model.train(mode)\n")

wrong("evaluate", "only_the_parts_at_the_top", MODES,
    """You put back the modes of the model and of its children. These may have parts of their own:
    model.modules() gives all of them.""",
    PUT_BACK, """model.train(modes[model])
    for part in model.children():
        part.train(modes[part])
""")

wrong("evaluate", "put_back_by_train", MODES,
    """You put the modes back by part.train(...), which also sets all parts below. One that stands
    in the model twice is set again by the second place: set part.training of each.""",
    "part.training = mode", "part.train(mode)")

wrong("evaluate", "freezes_and_unfreezes", LOOKS,
    """You freeze all parameters for the evaluation, and unfreeze all of them: one that came frozen
    is trained from then on. torch.no_grad() keeps no graph, and leaves parameters alone.""",
    "model.eval()", "model.eval()\n    model.requires_grad_(False)",
    "with torch.no_grad():", "if True:", MEAN, f"model.requires_grad_(True)\n    {MEAN}")

wrong("evaluate", "only_dropout_in_eval_mode", MODES,
    """You put the dropouts into eval mode, and nothing else. Other parts know the two modes as
    well: model.eval() is for all of them.""",
    "model.eval()", """for part in model.modules():
        if isinstance(part, nn.Dropout):
            part.eval()""")

wrong("evaluate", "no_graphs_from_then_on", LOOKS,
    """After your evaluation nothing can be trained: graphs are switched off, or parameters frozen,
    and stay so. `with torch.no_grad():` switches graphs back on at its end.""",
    "with torch.no_grad():", "torch.set_grad_enabled(mode=False)\n        if True:")

wrong("evaluate", "gone_through_twice", ONCE,
    """You go through the batches twice. A generator gives each of them once, and the second time
    there is nothing left: count the targets in the same loop.""",
    "total, count = 0.0, 0\n",
    "total, count = 0.0, sum(int((t != -100).sum()) for _, t in batches)\n",
    "        count += here\n", "")

wrong("evaluate", "asks_for_the_number_of_batches", ONCE,
    """You ask for len(batches), or for a place in it. What gives batches one by one, as a
    generator, has neither: only go through it.""",
    "model.eval()", "if len(batches) == 0:\n        return 0.0\n    model.eval()")

wrong("evaluate", "evaluates_with_a_graph", LOOKS,
    """You call the model outside of `with torch.no_grad():`. It keeps what backward() would need,
    for nothing: evaluation takes several times the memory. (torch.no_grad() on a line of its own,
    without `with`, does nothing.)""",
    "with torch.no_grad():", "if True:")

wrong("evaluate", "sum_of_means_over_all_targets", f"{EVALUATE} {NOTHING}",
    """You add the mean losses of the batches, and divide by the number of targets: a mean has been
    divided already. Multiply each by the number of its targets first.""",
    "total += float(model(idx, targets)[1]) * here", "total += float(model(idx, targets)[1])")

wrong("evaluate", "mean_of_batch_means", f"{EVALUATE} {NOTHING}",
    """You take the mean of the batches' losses. Their numbers of targets differ: weight each loss
    with its own.""",
    ADDED, "total += float(model(idx, targets)[1])", "count += here", "count += 1")

wrong("evaluate", "counts_what_does_not_count", EVALUATE,
    """You weight with all places of a batch, also those of -100, which have no share in its
    loss.""",
    "int((targets != -100).sum())", "targets.numel()")

wrong("evaluate", "counts_the_rows", f"{EVALUATE} {NOTHING}",
    """You weight each batch with its number of rows, len(targets): count its targets that are not
    -100, for the rows may hold many or few of them.""",
    "int((targets != -100).sum())", "len(targets)")

wrong("evaluate", "returns_the_sum", f"{EVALUATE} {NOTHING}",
    "You return the sum of all losses: divide by how many targets there are.",
    MEAN, "return total")

wrong("evaluate", "returns_the_perplexity", EVALUATE,
    "You return the perplexity, exp of the loss: wanted is the loss itself.",
    MEAN, "return float(torch.tensor(total / max(count, 1)).exp())")

wrong("evaluate", "the_last_batch_only", EVALUATE,
    "You return the loss of the last batch: wanted is the mean over the targets of all.",
    "total +=", "total =", "count +=", "count =")

wrong("evaluate", "nothing_to_divide_by", NOTHING,
    "If no target counts you divide by 0: the loss is 0 then.",
    "max(count, 1)", "count")

wrong("evaluate", "trains_on_what_it_evaluates", LOOKS,
    """You make steps while you evaluate. What a model is judged by it must never be trained on:
    its loss would say nothing about other texts.""",
    "with torch.no_grad():", """torch.autograd.backward(model(idx, targets)[1])
        for weight in model.parameters():
            weight.data -= 0.1 * weight.grad
        with torch.no_grad():""")

wrong("evaluate", "evaluate_returns_a_tensor", f"{MODES} {LOOKS}",
    "You return a tensor: a Python float is wanted, which .item() gives.",
    MEAN, "return torch.tensor(total / max(count, 1))")

# Training -----------------------------------------------------------------------------------------

wrong("fit", "a_new_optimizer_in_every_step", LOOP,
    """You make a new optimizer in every step. AdamW has then forgotten the gradients of all steps
    before, and every step is as long as the first: make it once, before the loop.""",
    STEP, ADAMW + "\n        " + STEP)

wrong("fit", "plain_gradient_descent", LOOP,
    "You train with SGD: the page names AdamW, which gives every number a step of its own length.",
    ADAMW, ADAMW.replace("AdamW", "SGD"))

wrong("fit", "adam_without_decay", LOOP,
    """Nothing makes your parameters a little smaller in each step: AdamW does so (its weight_decay
    is 0.01 if nothing else is said), Adam and weight_decay=0.0 don't.""",
    ADAMW, ADAMW.replace("AdamW", "Adam"))

wrong("fit", "adam_with_decay_in_the_gradients", LOOP,
    """Your optimizer adds the decay to the gradients, as Adam does with a weight_decay: there it is
    divided by their size. AdamW takes it from the parameters themselves.""",
    ADAMW, ADAMW.replace("AdamW", "Adam").replace("lr)", "lr, weight_decay=0.01)"))

wrong("fit", "its_own_learning_rate", LOOP,
    "You do not use lr: hand it on to the optimizer.",
    ADAMW, ADAMW.replace(", lr", ""))

wrong("fit", "a_single_piece", DRAWS,
    """Your steps do not have `batch` pieces, or one piece is there several times: draw as many,
    each from a place of its own.""",
    "pair = next_token_batch(data, batch,", "pair = next_token_batch(data, 1,")

wrong("fit", "one_batch_for_all_steps", DRAWS,
    """Every step of yours has the same batch: the model learns it by heart. Draw inside the loop,
    and set no seed there.""",
    "losses = []\n", "losses = []\n    pair = next_token_batch(data, batch, tokens, generator)\n",
    "        pair = next_token_batch(data, batch, tokens, generator)\n", "")

wrong("fit", "all_batches_in_every_step", DRAWS,
    """Each of your steps trains on the batches of all steps together, so it is the same large batch
    every time. Draw one batch in each step, and hand train_step that one alone, [pair].""",
    "losses = []\n", """losses = []
    pairs = [next_token_batch(data, batch, tokens, generator) for _ in range(steps)]
""",
    "        pair = next_token_batch(data, batch, tokens, generator)\n", "", "[pair]", "pairs")

wrong("fit", "batch_and_tokens_exchanged", f"{DRAWS} {LOOP}",
    "You have exchanged batch and tokens: so many pieces, each of so many tokens.",
    "pair = next_token_batch(data, batch, tokens,", "pair = next_token_batch(data, tokens, batch,")

wrong("fit", "shifted_once_more", f"{DRAWS} {AAB}",
    """You move the targets of a batch by one place again: next_token_batch has done that, so the
    model learns to leave out a token.""",
    STEP, "pair = pair[0][:, :-1], pair[1][:, 1:]\n        " + STEP)

wrong("fit", "trains_on_its_inputs", f"{DRAWS} {NOISE} {AAB} {LOOP}",
    """You use the inputs as targets: the loss goes to 0 on any text, and the model only repeats
    what it reads.""",
    "[pair]", "[(pair[0], pair[0])]")

wrong("fit", "a_falling_learning_rate", LOOP,
    "You make lr smaller from step to step, as a schedule does: here it stays as it is given.",
    STEP, """optimizer.param_groups[0]["lr"] = lr * (1 - len(losses) / steps)
        """ + STEP)

wrong("fit", "betas_of_its_own", LOOP,
    "You give AdamW betas of your own: all but lr is as torch.optim.AdamW has it.",
    ADAMW, ADAMW.replace("lr)", "lr, betas=(0.9, 0.95))"))

wrong("fit", "decay_of_its_own", LOOP,
    "You give AdamW a weight_decay of 0.1: all but lr is as torch.optim.AdamW has it.",
    ADAMW, ADAMW.replace("lr)", "lr, weight_decay=0.1)"))

wrong("fit", "options_of_a_large_model", LOOP,
    """You give AdamW betas=(0.9, 0.95) and weight_decay=0.1, as large models are trained: this page
    has all but lr as in torch.optim.AdamW.""",
    ADAMW, ADAMW.replace("lr)", "lr, betas=(0.9, 0.95), weight_decay=0.1)"))

wrong("fit", "never_clears_the_gradients", LOOP,
    """Your loop never clears the gradients, so those of the earlier steps are added to each new
    one: use train_step, or optimizer.zero_grad() before backward().""",
    STEP, """loss = model(*pair)[1]
        loss.backward()
        optimizer.step()
        losses.append(loss.item())""")

wrong("fit", "losses_after_the_steps", LOOP,
    "You return the loss after each step: wanted is the one before it, which train_step returns.",
    STEP, "train_step(model, [pair], optimizer)\n        losses.append(evaluate(model, [pair]))")

wrong("fit", "a_step_too_few", f"{LOOP} {DRAWS}",
    """You return one loss less than there are steps: range(steps) has as many numbers as there are
    steps, and each step has a loss.""",
    "range(steps)", "range(1, steps)")

wrong("fit", "returns_the_last_loss", f"{LOOP} {DRAWS}",
    "You return a single loss: wanted is a list with that of every step.",
    "return losses", "return losses[-1]")

wrong("fit", "mean_so_far", f"{LOOP} {DRAWS}",
    "You return the mean of all losses so far: each entry is the loss of its own step.",
    "return losses", "return [sum(losses[:n]) / n for n in range(1, len(losses) + 1)]")

wrong("fit", "clips_without_being_asked", LOOP,
    "You clip the gradient. It is often done, and this page says: without clipping.",
    "[pair], optimizer)", "[pair], optimizer, 0.01)")

wrong("fit", "clips_at_one", VERY_WRONG,
    """You clip the gradient at 1, as is often done. This page says: without clipping.""",
    "[pair], optimizer)", "[pair], optimizer, 1.0)")

wrong("fit", "no_decay_for_vectors", VERY_WRONG,
    """You leave biases and other vectors out of weight decay, as GPT-2's training does. This page
    has AdamW as it is, for all parameters.""",
    ADAMW, """vectors = [w for w in model.parameters() if w.ndim < 2]
    matrices = [w for w in model.parameters() if w.ndim > 1]
    groups = [{"params": matrices}] + [{"params": vectors, "weight_decay": 0.0}] * bool(vectors)
    optimizer = torch.optim.AdamW(groups, lr)""")

wrong("fit", "stops_when_it_is_good", f"{VERY_WRONG}",
    "You stop when the loss is small: as many steps are made as were asked for.",
    STEP, STEP + """
        if losses[-1] < 0.01:
            break""")

wrong("fit", "draws_one_ahead", DRAWS,
    """After your steps the generator does not stand where one batch for each step leaves it. Maybe
    you draw more than that, or set its seed: draw inside of the loop only, and seed nothing.""",
    "return losses", "next_token_batch(data, batch, tokens, generator)\n    return losses")

wrong("fit", "keeps_the_end_for_itself", DRAWS,
    """You train on the first part of the stream only. Whoever calls fit has put aside what is for
    evaluation: hand data on as it is.""",
    "pair = next_token_batch(data,",
    "pair = next_token_batch(data[: max(tokens + 1, len(data) * 9 // 10)],")

wrong("fit", "trains_in_the_mode_it_came_in", TRAINS,
    """No dropout acts while you train: a model that was just evaluated or written with comes in
    eval mode, so call model.train() first; without its brackets nothing is called.""",
    "model.train()\n", "pass\n")

wrong("fit", "back_to_eval", TRAINS,
    """Your model is not in train mode at the end: the page says that it stays in it, whatever it
    came in.""",
    "return losses", "model.eval()\n    return losses")

wrong("fit", "a_generator_of_its_own", DRAWS,
    """You do not draw with the generator that is given: whoever calls fit decides with it what is
    drawn.""",
    "losses = []\n", "losses = []\n    generator = torch.Generator(data.device).manual_seed(0)\n")
