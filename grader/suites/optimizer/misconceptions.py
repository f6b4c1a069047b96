"""Wrong answers to ``optimizer``: its page with a slip, and what the author is told."""

from __future__ import annotations

from grader.check import Bank

wrong = Bank()

NOAM, NOAM_ENDS = "noam", "noam_at_its_ends"
COSINE, COSINE_ENDS = "cosine", "cosine_at_its_ends"
CLIP, SHORT = "clipping", "short_gradients_stay"
NONE, ITERATOR = "clipping_without_some_gradients", "clipping_out_of_an_iterator"
AVERAGES, CORRECTION, DECAY = "running_averages", "bias_correction", "weight_decay"
SIZE, ZEROS, DEFAULTS = "the_size_of_gradients_cancels", "gradients_of_zero", "defaults"
ABSENT, FORGETS, STAY = "without_a_gradient", "zero_grad", "gradients_stay"
ONCE, GROUPS, RATE = "out_of_an_iterator", "groups", "a_schedule_changes_the_rate"
STATE, OPTIONS, SOME = "goes_on_from_a_state", "goes_on_with_the_options", "state_of_some"
KINDS, TIED, MOVES = "parameter_groups", "tied_and_frozen", "groups_for_the_optimizer"
WORK = "a_tensor_at_once"

LINES = """norm = math.sqrt(sum(float((g.double() ** 2).sum()) for g in gradients))
    if norm > max_norm:
        for g in gradients:
            g.mul_(max_norm / norm)
"""
UPDATE = 'update = m_hat / (v_hat.sqrt() + group["eps"])\n'
MOVE = 'p -= group["lr"] * (update + group["weight_decay"] * p)'
FIRST = "beta_1, beta_2 = group[\"betas\"]\n"
HAS_ONE = "if p.grad is not None:\n                    self._move(p, p.grad, group)"

# How far it may be written ------------------------------------------------------------------------

CORRECTED = (' / (1 - beta_1 ** state["t"])', "", ' / (1 - beta_2 ** state["t"])', "")
DECAYED = ('group["weight_decay"] * p', "0 * p")

wrong.up_to("AdamW: running averages", "AdamW._move", *CORRECTED, *DECAYED)
wrong.up_to("AdamW: bias correction", "AdamW._move", *DECAYED)

# Noam ---------------------------------------------------------------------------------------------

wrong("noam_lr", "max_for_min", NOAM,
    """You take the larger of the two sides: the rate then falls first and rises for ever. The
    smaller one counts, so take the min.""",
    "min(step**-0.5", "max(step**-0.5")

wrong("noam_lr", "no_width", NOAM,
    "You leave out d_model^-0.5: wider models get a smaller learning rate.",
    " * d_model**-0.5", "")

wrong("noam_lr", "width_upside_down", NOAM,
    "You multiply by the root of d_model: divide by it, for wider models take smaller steps.",
    "d_model**-0.5", "d_model**0.5")

wrong("noam_lr", "rises_with_the_root_of_the_warmup", NOAM,
    """You divide the rising side by the root of warmup: its exponent is -1.5, so that both sides
    meet at step warmup.""",
    "warmup**-1.5", "warmup**-0.5")

wrong("noam_lr", "never_rises", NOAM,
    """Your rate has no warm-up: it is largest in step 1 and falls from there. Is the side of the
    warm-up there, step * warmup^-1.5, with a negative power?""",
    "min(step**-0.5, step * warmup**-1.5)", "step**-0.5")

wrong("noam_lr", "never_falls", f"{NOAM} {NOAM_ENDS}",
    """Your rate never falls: after step warmup it goes on rising. The other side of the minimum,
    step^-0.5, is the smaller one there.""",
    "min(step**-0.5, step * warmup**-1.5)", "(step * warmup**-1.5)")

wrong("noam_lr", "falls_in_a_line", NOAM,
    "You let it fall with 1 / step: after the warm-up it falls with the root of the step.",
    "min(step**-0.5", "min(warmup**0.5 / step")

wrong("noam_lr", "noam_counts_from_zero", NOAM,
    "You count one step too many: the page counts from 1, so step 1 is the first one.",
    "step = max(step, 1)", "step = step + 1")

wrong("noam_lr", "no_factor", NOAM,
    "You do not use factor.",
    "return factor * ", "return ")

wrong("noam_lr", "step_zero_divides", NOAM_ENDS,
    "At step 0 you divide by 0: step 0 counts as step 1.",
    "step = max(step, 1)", "pass")

wrong("noam_lr", "step_zero_is_zero", NOAM_ENDS,
    "At step 0 your rate is 0, so that step is lost: step 0 counts as step 1.",
    "step = max(step, 1)", "if step == 0:\n        return 0.0")

# Cosine -------------------------------------------------------------------------------------------

wrong("cosine_lr", "first_step_is_lost", COSINE,
    """Your rate is 0 in step 0, so the first step does nothing: in the warm-up it is peak * (step +
    1) / warmup.""",
    "return peak * (step + 1) / warmup", "return peak * step / warmup")

wrong("cosine_lr", "still_warming_up_in_step_warmup", COSINE,
    """In step warmup itself you still go up, to more than the peak: steps are counted from 0, so
    the warm-up lasts while step is less than warmup, and the wave begins in step warmup.""",
    "if step < warmup:", "if step <= warmup:")

wrong("cosine_lr", "warm_up_of_one_more", COSINE,
    """You divide the warm-up by warmup + 1, so its last step does not reach the peak: in step 0 the
    rate is peak / warmup.""",
    "return peak * (step + 1) / warmup", "return peak * (step + 1) / (warmup + 1)")

wrong("cosine_lr", "wave_of_one_less", COSINE,
    """Your wave is over one step too early: it goes from step warmup to step total, total - warmup
    steps, and is on the floor in step total.""",
    "(step - warmup) / (total - warmup))\n", "(step - warmup) / max(1, total - warmup - 1))\n",
    "step >= total", "step >= max(warmup + 1, total - 1)")

wrong("cosine_lr", "wave_counted_from_one", COSINE,
    """Your wave has gone one step already in step warmup: there it is at the peak, where step -
    warmup is 0.""",
    "math.pi * (step - warmup)", "math.pi * (step + 1 - warmup)")

wrong("cosine_lr", "wave_counted_from_zero", COSINE,
    """You count the wave from step 0: it begins when the warm-up is over, so subtract warmup from
    the step, and from the total.""",
    "math.pi * (step - warmup) / (total - warmup))\n", "math.pi * step / total)\n")

wrong("cosine_lr", "warmup_subtracted_below_only", COSINE,
    """You subtract warmup in the lower part of the fraction only, so the wave has gone some way
    already when the warm-up is over: above stands step - warmup, which is 0 there.""",
    "math.pi * (step - warmup)", "math.pi * step")

wrong("cosine_lr", "wave_too_long", COSINE,
    """You divide by total: the wave has total - warmup steps, or it has not come down when the
    training ends.""",
    "(total - warmup))\n", "total)\n")

wrong("cosine_lr", "twice_as_high", COSINE,
    """1 + cos goes from 2 to 0: half of it is the share of peak - floor that is left. Yours is not
    halved, so in step warmup the rate is far above the peak.""",
    "return floor + (peak - floor) * wave / 2", "return floor + (peak - floor) * wave")

wrong("cosine_lr", "sine_for_cosine", COSINE,
    """Your wave begins at half of the peak. Half of 1 + cos begins with 1: is it the cosine and not
    the sine, is the 1 there, and is it halved once?""",
    "1 + math.cos(math.pi", "1 + math.sin(math.pi")

wrong("cosine_lr", "wave_upside_down", COSINE,
    """In step warmup your rate is on the floor, where it should be at the peak: it is 1 + cos,
    which begins with 2 and ends with 0.""",
    "wave = 1 + math.cos", "wave = 1 - math.cos")

wrong("cosine_lr", "pi_forgotten", COSINE,
    "You forget pi: the angle goes from 0 to pi, half a wave, and yours goes from 0 to 1.",
    "wave = 1 + math.cos(math.pi * ", "wave = 1 + math.cos(")

wrong("cosine_lr", "a_whole_wave", COSINE,
    "You go through a whole wave, down and up again: half of it, up to pi, leads down.",
    "math.pi * (step", "2 * math.pi * (step")

wrong("cosine_lr", "a_quarter_of_a_wave", COSINE,
    "You go through a quarter of a wave: up to pi / 2 the cosine falls to 0, and the page's to -1.",
    "wave = 1 + math.cos(math.pi * (step", "wave = 2 * math.cos(math.pi / 2 * (step")

wrong("cosine_lr", "degrees", COSINE,
    "You take the angle in degrees: math.cos wants radians, where half a circle is pi.",
    "math.pi * (step", "180 * (step")

wrong("cosine_lr", "floor_added_on_top", COSINE,
    """You add the floor to the whole wave, so the peak is floor too high: what falls is peak -
    floor.""",
    "(peak - floor) * wave", "peak * wave")

wrong("cosine_lr", "floor_cuts", COSINE,
    """Your wave falls to 0 and not to the floor, even if it is cut off there: spread it between the
    two, floor + (peak - floor) * (1 + cos(...)) / 2.""",
    "return floor + (peak - floor) * wave / 2", "return max(floor, peak * wave / 2)")

wrong("cosine_lr", "never_asks_for_the_end", COSINE,
    """You never ask whether step has reached total: after it your rate follows the cosine up again,
    and where total equals warmup you divide by 0. From step total on the rate is floor, and that
    case comes before the wave.""",
    "if step >= total:\n        return floor\n    wave", "wave",
    "math.pi * (step - warmup) / (total - warmup))",
    "math.pi * ((step - warmup) / (total - warmup)))")

wrong("cosine_lr", "goes_on_after_the_end", COSINE,
    """After total your rate follows the cosine up again: from step total on it stays on the
    floor.""",
    "if step >= total:\n        return floor\n", "if total <= warmup:\n        return floor\n")

wrong("cosine_lr", "ends_at_zero", COSINE,
    "After total your rate is 0: it is floor.",
    "return floor\n", "return 0.0\n")

wrong("cosine_lr", "a_straight_line_down", COSINE,
    "Your rate falls in a straight line: it follows half a wave of a cosine.",
    "wave = 1 + math.cos(math.pi * (step - warmup) / (total - warmup))",
    "wave = 2 - 2 * (step - warmup) / (total - warmup)")

wrong("cosine_lr", "no_warm_up", COSINE,
    """In step 0 your rate is at the peak already: before step warmup it is
    peak * (step + 1) / warmup.""",
    "if step < warmup:\n        return peak * (step + 1) / warmup\n", "step = max(step, warmup)\n")

wrong("cosine_lr", "warm_up_from_the_floor", COSINE,
    "You let the warm-up begin at the floor: it is a line through 0, peak * (step + 1) / warmup.",
    "return peak * (step + 1) / warmup", "return floor + (peak - floor) * (step + 1) / warmup")

wrong("cosine_lr", "nothing_to_fall_through", COSINE_ENDS,
    """You divide by 0 where total equals warmup, or where warmup is 0: ask first whether step is
    less than warmup, and then whether it has reached total.""",
    "if step >= total:", "if step > total:")

# Clipping -----------------------------------------------------------------------------------------

wrong("clip_grad_norm", "norm_of_each_tensor", CLIP,
    """You shorten every tensor by its own norm, which turns the direction of the step: there is one
    norm of all gradients together, and one factor.""",
    "g.mul_(max_norm / norm)", "g.mul_(min(1.0, max_norm / float(g.norm())))")

wrong("clip_grad_norm", "each_tensor_as_long_as_allowed", CLIP,
    """You compute the norm of all gradients together, but divide each gradient by its own, so each
    is made max_norm long, and all together are longer. All get the same factor.""",
    "g.mul_(max_norm / norm)", "g.mul_(max_norm / g.norm())")

wrong("clip_grad_norm", "norm_of_the_last_tensor", CLIP,
    """You clip each tensor by its own norm, and return the one of the last: all gradients together
    have one norm, and are shortened by one factor.""",
    LINES, """norm = 0.0
    for g in gradients:
        norm = float(g.norm())
        if norm > max_norm:
            g.mul_(max_norm / norm)
""")

wrong("clip_grad_norm", "stretches_short_ones", f"{SHORT}",
    "You make short gradients longer: only if the norm is more than max_norm, they are changed.",
    "if norm > max_norm:", "if norm > 0:")

wrong("clip_grad_norm", "condition_turned_round", f"{CLIP} {SHORT}",
    """You change the gradients where their norm is less than max_norm, and leave longer ones as
    they are: it is the long ones that are shortened, if norm > max_norm.""",
    "if norm > max_norm:", "if 0 < norm < max_norm:")

wrong("clip_grad_norm", "norm_after_clipping", CLIP,
    "You return the norm after clipping: wanted is the norm as it was before.",
    "return norm", "return min(norm, max_norm)")

wrong("clip_grad_norm", "sum_of_norms", CLIP,
    """You add up the norms of the tensors: add up their squares, and take the root at last.""",
    "math.sqrt(sum(float((g.double() ** 2).sum()) for g in gradients))",
    "sum(float(g.double().norm()) for g in gradients)")

wrong("clip_grad_norm", "root_of_the_sum_of_norms", CLIP,
    """You add up the norms of the tensors and take a root of that: it is their squares that are
    added up, (g ** 2).sum().""",
    "float((g.double() ** 2).sum())", "float(g.double().norm())")

wrong("clip_grad_norm", "no_root", CLIP,
    "You forget the root: the norm is the root of the sum of the squares.",
    "math.sqrt(sum(float((g.double() ** 2).sum()) for g in gradients))",
    "sum(float((g.double() ** 2).sum()) for g in gradients)")

wrong("clip_grad_norm", "mean_of_squares", CLIP,
    "You take the mean of the squares of a tensor: take their sum.",
    "(g.double() ** 2).sum()", "(g.double() ** 2).mean()")

wrong("clip_grad_norm", "largest_of_the_norms", CLIP,
    "You take the largest norm of a tensor: there is one norm of all gradients together.",
    "math.sqrt(sum(float((g.double() ** 2).sum()) for g in gradients))",
    "max((float(g.double().norm()) for g in gradients), default=0.0)")

wrong("clip_grad_norm", "sum_of_magnitudes", CLIP,
    "You add up magnitudes: the norm is the root of the sum of squares.",
    "math.sqrt(sum(float((g.double() ** 2).sum()) for g in gradients))",
    "sum(float(g.double().abs().sum()) for g in gradients)")

wrong("clip_grad_norm", "each_number_is_clipped", CLIP,
    """You cut every number off at max_norm: that turns the direction. Multiply all gradients by one
    factor.""",
    "g.mul_(max_norm / norm)", "g.clamp_(-max_norm, max_norm)")

wrong("clip_grad_norm", "norm_of_parameters", CLIP,
    "You take the norm of the parameters: it is that of their gradients.",
    "gradients = [p.grad for p in params if p.grad is not None]",
    "params = [p for p in params if p.grad is not None]\n    gradients = [p.grad for p in params]",
    "(g.double() ** 2).sum()) for g in gradients", "(g.double() ** 2).sum()) for g in params")

wrong("clip_grad_norm", "clips_parameters", CLIP,
    "You shorten the parameters themselves: it is their gradients that are too long.",
    "gradients = [p.grad for p in params if p.grad is not None]",
    "params = [p for p in params if p.grad is not None]\n    gradients = [p.grad for p in params]",
    "for g in gradients:\n            g.mul_", "for p in params:\n            p.data.mul_")

wrong("clip_grad_norm", "makes_new_gradients_only", CLIP,
    """Your gradients stay as long as they were: put the shorter ones into p.grad, or change it in
    place with mul_. mul, and g = g * ..., only make another tensor.""",
    "g.mul_(max_norm / norm)", "g = g * max_norm / norm")

wrong("clip_grad_norm", "divides_by_max_norm_only", CLIP,
    "You divide by the norm and forget max_norm: the new length would be 1.",
    "g.mul_(max_norm / norm)", "g.mul_(1 / norm)")

wrong("clip_grad_norm", "a_missing_gradient_is_asked", NONE,
    "You take grad of a parameter that has none: leave out where it is None.",
    " if p.grad is not None]", "]")

wrong("clip_grad_norm", "zeros_for_missing_gradients", NONE,
    """You make gradients of 0 where there were none: a None stays None, or the optimizer would
    decay a parameter that had no part in the loss.""",
    "gradients = [p.grad for p in params if p.grad is not None]",
    """params = list(params)
    for p in params:
        p.grad = torch.zeros_like(p) if p.grad is None else p.grad
    gradients = [p.grad for p in params]""")

wrong("clip_grad_norm", "zero_divided_by_zero", NONE,
    """Where all gradients are 0 you divide by their norm, and get NaN: only a norm that is more
    than max_norm divides.""",
    "if norm > max_norm:\n        for g in gradients:\n            g.mul_(max_norm / norm)",
    """for g in gradients:
        g.mul_((torch.tensor(max_norm) / norm).clamp(max=1.0) if norm else torch.nan)""")

wrong("clip_grad_norm", "iterator_is_spent", ITERATOR,
    """You go through params twice: model.parameters() is an iterator, and empty the second time.
    Make a list first.""",
    LINES,
    """norm = math.sqrt(sum(float((g.double() ** 2).sum()) for g in gradients))
    if norm > max_norm:
        for p in params if iter(params) is params else [*params]:
            if p.grad is not None:
                p.grad.mul_(max_norm / norm)
""")

wrong("clip_grad_norm", "a_hair_too_short", SHORT,
    """You change short gradients a little, as by a factor of nearly 1: they have to stay as they
    are, bit for bit. Ask whether the norm is more than max_norm.""",
    "if norm > max_norm:\n        for g in gradients:\n            g.mul_(max_norm / norm)",
    """for g in gradients:
        g.mul_(min(1 - 2e-7, max_norm / (norm + 1e-6)))""")

# Averages -----------------------------------------------------------------------------------------

wrong("AdamW._move", "no_root_of_v", AVERAGES,
    "You divide by v and not by its root: then a gradient ten times as large makes a smaller step.",
    "v_hat.sqrt()", "v_hat")

wrong("AdamW._move", "gradient_for_its_square", AVERAGES,
    """You put the gradient itself into v: it is the running average of its square, or else its root
    does not exist where the gradient is below 0.""",
    "(1 - beta_2) * g**2", "(1 - beta_2) * g")

wrong("AdamW._move", "nothing_is_kept", f"{AVERAGES} {CORRECTION}",
    """Your m, v and t begin anew in every step: keep them in the optimizer, for each parameter,
    from one call of step to the next.""",
    'self.state.setdefault(p, {"t": 0, "m": zero, "v": zero})',
    'self.state[p] = {"t": 0, "m": zero, "v": zero}')

wrong("AdamW._move", "averages_not_put_back", f"{AVERAGES} {CORRECTION}",
    """Your m and v begin with 0 in every step, while t goes on. Zeros are made in the first step
    alone, and new averages that are bound to local names are put back into the state.""",
    'state["m"] = beta_1 * state["m"]', 'm = beta_1 * state["m"]',
    'state["v"] = beta_2 * state["v"]', 'v = beta_2 * state["v"]',
    'state["m"] / (1', "m / (1", 'state["v"] / (1', "v / (1")

wrong("AdamW._move", "m_not_put_back", f"{AVERAGES} {CORRECTION}",
    """Your m begins with 0 in every step, while v is kept as it should: a new m that is bound to a
    local name is to be put back into the state.""",
    'state["m"] = beta_1 * state["m"]', 'm = beta_1 * state["m"]', 'state["m"] / (1', "m / (1")

wrong("AdamW._move", "v_not_put_back", f"{AVERAGES} {CORRECTION}",
    """Your v begins with 0 in every step, while m is kept as it should: a new v that is bound to a
    local name is to be put back into the state.""",
    'state["v"] = beta_2 * state["v"]', 'v = beta_2 * state["v"]', 'state["v"] / (1', "v / (1")

wrong("AdamW._move", "m_and_v_are_one_tensor", f"{AVERAGES} {CORRECTION}",
    """Your m and v are one tensor, for both were given the same zeros: what is written into one in
    place stands in the other as well. Call torch.zeros_like(p) for each of them.""",
    'state["m"] = beta_1 * state["m"] + (1 - beta_1) * g',
    'state["m"].mul_(beta_1).add_(g, alpha=1 - beta_1)',
    'state["v"] = beta_2 * state["v"] + (1 - beta_2) * g**2',
    'state["v"].mul_(beta_2).addcmul_(g, g, value=1 - beta_2)')

wrong("AdamW._move", "v_never_falls", f"{AVERAGES} {CORRECTION}",
    """Your v never falls, for you take the larger one of it and the new average, as AMSGrad does:
    beta_2 * v + (1 - beta_2) * g^2 falls where gradients become smaller.""",
    'state["v"] = beta_2 * state["v"] + (1 - beta_2) * g**2',
    'state["v"] = torch.maximum(state["v"], beta_2 * state["v"] + (1 - beta_2) * g**2)')

wrong("AdamW._move", "largest_v_that_was", f"{AVERAGES} {CORRECTION}",
    """You divide by the root of the largest v that there has been, as AMSGrad does: it is that of
    the v of this step.""",
    'v_hat = state["v"] /',
    'state["most"] = torch.maximum(state.get("most", zero), state["v"])\n'
    '        v_hat = state["most"] /')

wrong("AdamW._move", "share_by_the_other_beta", AVERAGES,
    """You weigh the gradient in m with 1 - beta_2: its share is 1 - beta_1, so that both shares sum
    to 1.""",
    "(1 - beta_1) * g", "(1 - beta_2) * g")

wrong("AdamW._move", "square_of_the_average", AVERAGES,
    "Your v is made of m: it is the average of the squares, not the square of the average.",
    "g**2", 'state["m"]**2')

wrong("AdamW._move", "v_of_magnitudes", AVERAGES,
    "You average the magnitudes: v is the average of the squares.",
    "g**2", "g.abs()")

wrong("AdamW._move", "betas_exchanged", f"{AVERAGES} {CORRECTION}",
    "You exchange the betas: the first is for m, the second for v.",
    "beta_1, beta_2 = group", "beta_2, beta_1 = group")

wrong("AdamW._move", "one_beta_for_both", AVERAGES,
    "You use the first beta for v as well: v has the second one.",
    "beta_2 * state[\"v\"] + (1 - beta_2)", "beta_1 * state[\"v\"] + (1 - beta_1)",
    "1 - beta_2 **", "1 - beta_1 **")

wrong("AdamW._move", "new_gradient_not_weighted", AVERAGES,
    "You add the whole gradient to m: its share in the average is 1 - beta_1.",
    "(1 - beta_1) * g", "g")

wrong("AdamW._move", "square_not_weighted", AVERAGES,
    "You add the whole square to v: its share in the average is 1 - beta_2.",
    "(1 - beta_2) * g**2", "g**2")

wrong("AdamW._move", "weights_exchanged", AVERAGES,
    """You give the new gradient the share beta_1, and the old average what is left: it is the other
    way round.""",
    "beta_1 * state[\"m\"] + (1 - beta_1) * g", "(1 - beta_1) * state[\"m\"] + beta_1 * g")

wrong("AdamW._move", "no_memory", AVERAGES,
    "You do not use m: the last gradient alone decides the direction of the step.",
    'm_hat = state["m"] / (1 - beta_1 ** state["t"])', "m_hat = g")

wrong("AdamW._move", "no_division", AVERAGES,
    "You do not divide by the root of v: this is gradient descent with momentum.",
    UPDATE, "update = m_hat\n")

wrong("AdamW.step", "steps_are_recorded", AVERAGES,
    """You change a parameter in place while autograd records, and it refuses that: a step is no
    part of the loss. Change parameters within torch.no_grad(), as a block or above the method,
    @torch.no_grad().""",
    "@torch.no_grad()\n    def _move", "def _move")

wrong("AdamW._move", "climbs", AVERAGES,
    "You move with the gradient: it shows where the loss grows, so subtract.",
    MOVE, 'p -= group["lr"] * (group["weight_decay"] * p - update)')

wrong("AdamW._move", "eps_inside_the_root", f"{AVERAGES} {CORRECTION}",
    """You add eps inside of the root, where it acts as its own root: add it after the root is
    taken.""",
    '(v_hat.sqrt() + group["eps"])', '(v_hat + group["eps"]).sqrt()')

wrong("AdamW._move", "no_eps", f"{AVERAGES} {ZEROS}",
    "You leave out eps: where all gradients are 0 you divide 0 by 0.",
    ' + group["eps"])', ")")

wrong("AdamW._move", "eps_as_a_limit", AVERAGES,
    "You take the larger of the root and eps: they are added.",
    '(v_hat.sqrt() + group["eps"])', 'v_hat.sqrt().clamp(min=group["eps"])')

wrong("AdamW._move", "one_size_for_a_tensor", f"{AVERAGES} {CORRECTION}",
    "You use one v for a whole tensor: every number has its own.",
    "g**2", "(g**2).mean()")

wrong("AdamW._move", "clips_gradients_by_itself", SIZE,
    """You cut gradients off before they are used: the division by the root of v takes care of their
    size.""",
    FIRST, FIRST + "        g = g.clamp(-100.0, 100.0)\n")

wrong("AdamW._move", "root_kept_away_from_zero", SIZE,
    "You keep the root of v away from 0 by a number of your own: eps alone is added to it.",
    UPDATE, 'update = m_hat / (v_hat.sqrt().clamp(min=1e-4) + group["eps"])\n')

# Bias correction ----------------------------------------------------------------------------------

wrong("AdamW._move", "no_bias_correction", CORRECTION,
    """You leave out the bias correction: m and v begin with 0, so at first they are too small.
    Divide them by 1 - beta^t.""",
    'state["m"] / (1 - beta_1 ** state["t"])', 'state["m"]',
    'state["v"] / (1 - beta_2 ** state["t"])', 'state["v"]')

wrong("AdamW._move", "only_m_is_corrected", CORRECTION,
    "You correct m and forget v: both begin with 0.",
    'state["v"] / (1 - beta_2 ** state["t"])', 'state["v"]')

wrong("AdamW._move", "v_corrected_behind_the_root", CORRECTION,
    """You divide the root of v by 1 - beta_2^t: it is v that is divided, and the root is taken of
    the corrected v.""",
    "v_hat.sqrt()", '(state["v"].sqrt() / (1 - beta_2 ** state["t"]))')

wrong("AdamW._move", "m_corrected_as_in_step_1", CORRECTION,
    """You divide m by 1 - beta_1 in every step: that is right in the first one alone. It is
    1 - beta_1^t, with the number of the step as exponent.""",
    '(1 - beta_1 ** state["t"])', "(1 - beta_1)")

wrong("AdamW._move", "v_corrected_as_in_step_1", CORRECTION,
    """You divide v by 1 - beta_2 in every step: that is right in the first one alone. It is
    1 - beta_2^t, with the number of the step as exponent.""",
    '(1 - beta_2 ** state["t"])', "(1 - beta_2)")

wrong("AdamW._move", "corrected_by_beta_1_alone", CORRECTION,
    """You correct v with beta_1: v is made with beta_2, and is divided by 1 - beta_2^t.""",
    "1 - beta_2 ** state", "1 - beta_1 ** state")

wrong("AdamW._move", "corrections_exchanged", CORRECTION,
    """You have exchanged the two corrections: m is divided by 1 - beta_1^t, v by
    1 - beta_2^t.""",
    "1 - beta_1 ** state", "1 - beta_2 ** state", "v_hat = state[\"v\"] / (1 - beta_2",
    "v_hat = state[\"v\"] / (1 - beta_1")

wrong("AdamW.__init__", "one_dictionary_for_all_groups", GROUPS,
    """All your param_groups are one and the same dictionary, so each has the options and parameters
    of the last: make a new one for every group.""",
    'self.param_groups = [options | g | {"params": list(g["params"])} for g in groups]',
    """self.param_groups = []
        for g in groups:
            options.update(g)
            options["params"] = list(g["params"])
            self.param_groups.append(options)""")

wrong("AdamW.step", "the_first_group_alone", GROUPS,
    "You move the parameters of the first group alone: go through all param_groups.",
    "for group in self.param_groups:", "for group in self.param_groups[:1]:")

wrong("AdamW._move", "m_begins_with_the_gradient", CORRECTION,
    """Your m begins with the gradient itself: it begins with 0, as v does, and that is what the
    correction is for.""",
    '"m": zero', '"m": g.clone()')

wrong("AdamW._move", "both_averages_add_all", AVERAGES,
    """Neither m nor v is an average of yours: you add the whole gradient and its whole square.
    Their shares are 1 - beta_1 and 1 - beta_2.""",
    "(1 - beta_1) * g", "g", "(1 - beta_2) * g**2", "g**2")

wrong("AdamW._move", "decay_of_the_default", DECAY,
    "Your weights always decay by 0.01: each group says by how much, group[\"weight_decay\"].",
    'group["weight_decay"] * p', "0.01 * p")

wrong("AdamW._move", "power_of_one_minus_beta", CORRECTION,
    """You divide by the t-th power of 1 - beta. It is beta alone that is raised to the power t, and
    that is taken from 1: 1 - beta ** t, without brackets around 1 - beta.""",
    '1 - beta_1 ** state["t"]', '(1 - beta_1) ** state["t"]',
    '1 - beta_2 ** state["t"]', '(1 - beta_2) ** state["t"]')

wrong("AdamW._move", "multiplies_by_the_correction", CORRECTION,
    """You multiply m by 1 - beta_1^t, which makes it smaller still: divide by it.""",
    'state["m"] / (1', 'state["m"] * (1')

wrong("AdamW._move", "m_corrected_for_good", CORRECTION,
    """You keep the corrected m as the average of the next step, where it is corrected once more:
    m_hat is for this step alone.""",
    'm_hat = state["m"] /', 'm_hat = state["m"] = state["m"] /')

wrong("AdamW._move", "only_v_is_corrected", CORRECTION,
    "You correct v and forget m: both begin with 0.",
    'state["m"] / (1 - beta_1 ** state["t"])', 'state["m"]')

wrong("AdamW._move", "correction_of_the_first_step_for_ever", f"{AVERAGES} {CORRECTION}",
    "You always divide by 1 - beta: the power t is missing, or your t stays 1.",
    ' ** state["t"])', ")",
    ' ** state["t"])', ")")

wrong("AdamW._move", "t_begins_with_zero", CORRECTION,
    "Your t is 0 in the first step, and 1 - beta^0 is 0: count it up before it is used.",
    'state["t"] += 1\n', "pass\n",
    'update = m_hat', 'state["t"] += 1\n        update = m_hat')

wrong("AdamW._move", "t_one_ahead", CORRECTION,
    "Your t is 2 in the first step: it is 1.",
    '{"t": 0,', '{"t": 1,')

wrong("AdamW._move", "correction_accumulates", CORRECTION,
    """You keep the corrected m and v for the next step: kept are m and v as they are, and the
    correction is made anew each time.""",
    UPDATE, UPDATE + '        state["m"], state["v"] = m_hat, v_hat\n')

wrong("AdamW._move", "eps_before_the_correction", CORRECTION,
    """You add eps to the root of v before you correct it, so eps is corrected as well: correct v
    first, then take the root, then add eps.""",
    '(v_hat.sqrt() + group["eps"])',
    '((state["v"].sqrt() + group["eps"]) / (1 - beta_2 ** state["t"]) ** 0.5)')

wrong("AdamW._move", "averages_begin_with_the_gradient", CORRECTION,
    """You begin with m = g and v = g squared and correct them all the same: the correction is made
    for averages that begin with 0.""",
    '"m": zero, "v": zero}', '"m": g.clone(), "v": g**2}')

# Weight decay -------------------------------------------------------------------------------------

wrong("AdamW._move", "decay_in_the_gradient", DECAY,
    """You add weight_decay * theta to the gradient, which is Adam with L2 regularisation: there the
    decay is divided by the root of v too. In AdamW it is taken from theta by itself.""",
    FIRST, FIRST + '        g = g + group["weight_decay"] * p\n',
    ' + group["weight_decay"] * p)', ")")

wrong("AdamW._move", "no_decay", DECAY,
    "You leave the weight decay out.",
    ' + group["weight_decay"] * p)', ")")

wrong("AdamW._move", "decay_without_the_rate", DECAY,
    """You take weight_decay * theta away: it is lr * weight_decay * theta, so that a schedule rules
    the decay as well.""",
    MOVE, 'p -= group["lr"] * update + group["weight_decay"] * p')

wrong("AdamW._move", "grows_instead", DECAY,
    "Your parameters grow by the weight decay: it pulls them towards 0.",
    'update + group["weight_decay"]', 'update - group["weight_decay"]')

wrong("AdamW._move", "decay_by_the_root_of_v", DECAY,
    """You divide the decay by the root of v: only m is divided, and the decay stands outside of the
    fraction.""",
    UPDATE + "        " + MOVE,
    """root = v_hat.sqrt() + group["eps"]
        p -= group["lr"] * (m_hat + group["weight_decay"] * p) / root""")

wrong("AdamW._move", "decay_by_the_sign", DECAY,
    "You take the same away from every parameter: the decay is proportional to the parameter.",
    'group["weight_decay"] * p)', 'group["weight_decay"] * p.sign())')

# Defaults -----------------------------------------------------------------------------------------

wrong("AdamW", "default_beta_of_momentum", DEFAULTS,
    "Left out, your second beta is 0.99: it is 0.999.",
    "(0.9, 0.999)", "(0.9, 0.99)")

wrong("AdamW", "default_eps_too_large", DEFAULTS,
    "Left out, your eps is 1e-6: it is 1e-8.",
    "eps: float = 1e-8", "eps: float = 1e-6")

wrong("AdamW", "default_without_decay", DEFAULTS,
    "Left out, your weight decay is 0: it is 0.01, as in torch's AdamW. (That of Adam is 0.)",
    "weight_decay: float = 0.01", "weight_decay: float = 0.0")

wrong("AdamW", "default_rate", DEFAULTS,
    "Left out, your learning rate is 3e-4: it is 1e-3.",
    "lr: float = 1e-3", "lr: float = 3e-4")

# Who takes part -----------------------------------------------------------------------------------

wrong("AdamW.step", "zeros_for_a_missing_gradient", ABSENT,
    """You take a gradient of 0 where there is none: the parameter moves on by its old m, and
    decays. Leave it out.""",
    HAS_ONE, "self._move(p, torch.zeros_like(p) if p.grad is None else p.grad, group)")

wrong("AdamW.step", "stops_at_a_missing_gradient", ABSENT,
    "At the first parameter without a gradient you leave the loop: go on with the next one.",
    HAS_ONE,
    "if p.grad is None:\n                    break\n                self._move(p, p.grad, group)")

wrong("AdamW.step", "a_missing_gradient_is_used", ABSENT,
    "You compute with a grad that is None: leave that parameter out.",
    HAS_ONE, "self._move(p, p.grad, group)")

wrong("AdamW.step", "decays_without_a_gradient", ABSENT,
    "You let parameters decay that have no gradient: in that step they stay as they are.",
    HAS_ONE,
    """if p.grad is None:
                    p.data.mul_(1 - group["lr"] * group["weight_decay"])
                else:
                    self._move(p, p.grad, group)""")

wrong("AdamW.step", "zero_taken_for_none", ZEROS,
    """You leave out gradients of 0 as if they were None: with 0, averages go on and parameters
    decay.""",
    "if p.grad is not None:", "if p.grad is not None and p.grad.abs().max() > 0:")

wrong("AdamW", "one_t_for_all", f"{ABSENT} {STATE}",
    """Your t counts on for a parameter that has no gradient, as one for the whole optimizer does:
    let every parameter count its own, in its state and nowhere else. Then it waits with it, and is
    saved and loaded with it.""",
    "# BEGIN SOLUTION\n        groups", "# BEGIN SOLUTION\n        self.t = 0\n        groups",
    "# BEGIN SOLUTION\n        for group in self.param_groups:",
    "# BEGIN SOLUTION\n        self.t += 1\n        for group in self.param_groups:",
    'state["t"] += 1', 'state["t"] = self.t')

wrong("AdamW", "one_t_for_all_that_is_saved", f"{ABSENT} {SOME}",
    """Your t counts on for a parameter that has no gradient, as one for the whole optimizer does:
    every parameter has a t of its own, kept beside its m and v, which waits.""",
    "# BEGIN SOLUTION\n        groups", "# BEGIN SOLUTION\n        self.t = 0\n        groups",
    "# BEGIN SOLUTION\n        for group in self.param_groups:",
    "# BEGIN SOLUTION\n        self.t += 1\n        for group in self.param_groups:",
    'state["t"] += 1', 'state["t"] = self.t',
    'return {"state": states,', 'return {"t": self.t, "state": states,',
    "for group, options in zip", 'self.t = state["t"]\n        for group, options in zip')

wrong("AdamW", "one_t_for_all_saved_with_each", f"{ABSENT} {SOME}",
    """You have one t for the whole optimizer, which counts on for a parameter that has no gradient,
    and keep it beside each m and v as well: let every parameter count its own there, and leave the
    common one out. Then it waits with it.""",
    "# BEGIN SOLUTION\n        groups", "# BEGIN SOLUTION\n        self.t = 0\n        groups",
    "# BEGIN SOLUTION\n        for group in self.param_groups:",
    "# BEGIN SOLUTION\n        self.t += 1\n        for group in self.param_groups:",
    'state["t"] += 1', 'state["t"] = self.t',
    "for group, options in zip", """for saved in self.state.values():
            self.t = saved["t"]
        for group, options in zip""")

wrong("AdamW", "t_counts_parameters", CORRECTION,
    """You count one t for all, and count it up at each parameter: the second parameter has t = 2 in
    the first step already. Every parameter has a t of its own, kept beside its m and v.""",
    "# BEGIN SOLUTION\n        groups", "# BEGIN SOLUTION\n        self.t = 0\n        groups",
    'state["t"] += 1', 'self.t += 1\n        state["t"] = self.t')

wrong("AdamW.zero_grad", "gradients_of_zero_remain", FORGETS,
    """You set gradients to 0: set them to None. A parameter with a gradient of 0 would move on by
    its m, and decay.""",
    "p.grad = None", "p.grad = None if p.grad is None else torch.zeros_like(p)")

wrong("AdamW.zero_grad", "nothing_is_forgotten", f"{FORGETS} {CORRECTION}",
    """Your zero_grad leaves the gradients as they are, and the next ones are added to them: set
    p.grad itself to None, and not another name for it.""",
    "p.grad = None", "g = p.grad\n                g = None")

wrong("AdamW.zero_grad", "forgets_the_first_group_only", FORGETS,
    "You forget the gradients of the first group only: go through all groups.",
    "for group in self.param_groups:", "for group in self.param_groups[:1]:")

wrong("AdamW.step", "forgets_by_itself", STAY,
    """Your step forgets the gradients: whoever wants that calls zero_grad. Others look at them
    after a step.""",
    "self._move(p, p.grad, group)",
    "self._move(p, p.grad, group)\n                    p.grad = None")

wrong("AdamW._move", "decay_written_into_the_gradient", f"{STAY} {DECAY}",
    """You add the decay to p.grad itself: the gradient stays as it is, and the decay is taken from
    theta by itself.""",
    FIRST, FIRST + '        g.add_(group["weight_decay"] * p)\n',
    ' + group["weight_decay"] * p)', ")")

wrong("AdamW._move", "parameters_are_not_changed", AVERAGES,
    """Your step leaves the parameters as they are. p = p - ... only gives the name p to another
    tensor: change p in place, p -= ... or p.sub_(...). If you do, what you subtract is 0: with
    betas of (0, 0) m is the gradient, for it is beta_1 * m + (1 - beta_1) * g.""",
    MOVE, 'p = p - group["lr"] * (update + group["weight_decay"] * p)')

wrong("AdamW", "only_the_first_parameter", AVERAGES,
    "You move the first parameter only: go through all of them.",
    'for p in group["params"]:\n                if',
    'for p in group["params"][:1]:\n                if')

wrong("AdamW", "iterator_is_empty", ONCE,
    """You keep params as they came, or look for dictionaries in a list only. An iterator, such as
    model.parameters(), is empty after the first pass, and may give dictionaries as well: make a
    list of it first of all.""",
    "groups: list[Any] = list(params)\n",
    """groups: list[Any] = [{"params": params}] if iter(params) is params else list(params)
""",
    'options | g | {"params": list(g["params"])}', "options | g")

wrong("AdamW", "averages_of_all_optimizers", "two_optimizers",
    """Your optimizers share what they remember: it lies in the class or outside of it, where there
    is one for all. Make it in __init__.""",
    "self.state: dict[nn.Parameter, dict[str, Any]] = {}",
    """if "averages" not in vars(type(self)):
            type(self).averages = {}
        self.state = type(self).averages""",
    "self.state.setdefault(p,",
    'self.state.setdefault([q for g in self.param_groups for q in g["params"]].index(p),')

# Groups -------------------------------------------------------------------------------------------

wrong("AdamW", "groups_are_ignored", GROUPS,
    """What a group says for itself does not count with you, or not all of it: its own lr, betas,
    eps and weight_decay win over the arguments, each of them.""",
    "options | g |", "g | options |")

wrong("AdamW", "one_rate_for_all_groups", f"{GROUPS}",
    "You take the learning rate of the first group for all: every group has its own.",
    'p -= group["lr"]', 'p -= self.param_groups[0]["lr"]')

wrong("AdamW", "one_decay_for_all_groups", f"{GROUPS} {MOVES}",
    "You take the weight decay of the first group for all: every group has its own.",
    'update + group["weight_decay"]', 'update + self.param_groups[0]["weight_decay"]')

wrong("AdamW", "missing_options_are_torchs", GROUPS,
    """For what a group does not say you take the usual values: take the arguments of __init__.""",
    'options = {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay}',
    """options = {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay}
        if "params" in list(groups)[0] and len(groups) > 1:
            options = {"lr": 1e-3, "betas": (0.9, 0.999), "eps": 1e-8, "weight_decay": 0.01}""")

wrong("AdamW", "rate_of_the_beginning", RATE,
    """You look up the learning rate once, at the beginning: a schedule changes it in param_groups,
    so look it up there in every step.""",
    "self.state: dict",
    "for g in self.param_groups:\n            g['rate'] = g['lr']\n        self.state: dict",
    'p -= group["lr"] *', 'p -= group["rate"] *')

wrong("AdamW", "decay_of_the_beginning", RATE,
    """You look up the weight decay once, at the beginning: it too may be changed between steps, so
    look it up in param_groups in every step.""",
    "self.state: dict",
    "for g in self.param_groups:\n            g['decay'] = g['weight_decay']\n        "
    "self.state: dict",
    'group["weight_decay"] * p', 'group["decay"] * p')

wrong("AdamW", "eps_of_the_beginning", RATE,
    """You look up eps once, at the beginning: every option of a group may be changed between steps,
    so look all of them up in param_groups in every step.""",
    "self.state: dict",
    "for g in self.param_groups:\n            g['room'] = g['eps']\n        self.state: dict",
    'group["eps"])', 'group["room"])')

wrong("AdamW", "rate_of_the_arguments", f"{RATE} {GROUPS}",
    """You use the lr that __init__ was given: that of the group counts, which a schedule changes
    between steps.""",
    "self.state: dict", "self.lr = lr\n        self.state: dict",
    'p -= group["lr"] *', "p -= self.lr *")

# Saving -------------------------------------------------------------------------------------------

wrong("AdamW.load_state_dict", "begins_anew", STATE,
    "You do not take over m, v and t: the optimizer begins again with averages of 0.",
    'self.state = {params[i]: dict(saved) for i, saved in state["state"].items()}', "pass")

wrong("AdamW.state_dict", "t_is_not_saved", STATE,
    """Your t begins anew after loading, so the bias correction is that of the first step, and the
    next step far too long: save t, and take it over.""",
    "dict(self.state[p])", "{**self.state[p], \"t\": 0}")

wrong("AdamW.state_dict", "v_is_not_saved", STATE,
    "Your v begins with 0 again after loading: save it, and take it over.",
    "dict(self.state[p])", "{**self.state[p], \"v\": torch.zeros_like(p)}")

wrong("AdamW.state_dict", "m_is_not_saved", STATE,
    "Your m begins with 0 again after loading: save it, and take it over.",
    "dict(self.state[p])", "{**self.state[p], \"m\": torch.zeros_like(p)}")

wrong("AdamW.state_dict", "without_places", SOME,
    """You save t, m and v of those parameters that have some, one after the other, and deal them
    out from the first parameter on: what belongs to one then comes to another. Save with each its
    place among all parameters.""",
    "{i: dict(self.state[p]) for i, p in enumerate(params) if p in self.state}",
    "[dict(self.state[p]) for p in params if p in self.state]",
    'params[i]: dict(saved) for i, saved in state["state"].items()',
    'params[i]: dict(saved) for i, saved in enumerate(state["state"])')

wrong("AdamW.state_dict", "parameters_as_keys", STATE,
    """Your state has parameters as keys: nobody else's parameters are these. Number them, in the
    order of the groups.""",
    "{i: dict(self.state[p]) for i, p", "{p: dict(self.state[p]) for i, p",
    "params[i]: dict(saved)", "i: dict(saved)")

wrong("AdamW.state_dict", "known_by_id", STATE,
    """Your state knows parameters by their id, which another model's do not have, and the same
    model's not after a restart: number them, in the order of the groups.""",
    "{i: dict(self.state[p]) for i, p", "{id(p): dict(self.state[p]) for i, p",
    "self.state = {params[i]: dict(saved)",
    "by_id = {id(p): p for p in params}\n        self.state = {by_id[i]: dict(saved)",
    'state["state"].items()}', 'state["state"].items() if i in by_id}')

wrong("AdamW.state_dict", "places_begin_anew_in_each_group", OPTIONS,
    """In state_dict you count from 0 again in every group, so what a second group saves is written
    over what the first one saved: one count goes through all groups.""",
    "for i, p in enumerate(params) if p in self.state}",
    "for g in self.param_groups for i, p in enumerate(g[\"params\"]) if p in self.state}")

wrong("AdamW.load_state_dict", "loaded_by_places_within_a_group", OPTIONS,
    """In load_state_dict you count from 0 again in every group: number i was saved for the i-th of
    all parameters, through all groups.""",
    'self.state = {params[i]: dict(saved) for i, saved in state["state"].items()}',
    """self.state = {
            p: dict(state["state"][i])
            for g in self.param_groups for i, p in enumerate(g["params"]) if i in state["state"]
        }""")

wrong("AdamW.state_dict", "options_are_not_saved", OPTIONS,
    """After loading, the options of the groups, or the learning rate alone, are those of the new
    optimizer, and not what a schedule had come to: state_dict saves all of them, and
    load_state_dict takes them over.""",
    "options = [{k: v for k, v in g.items() if k != \"params\"} for g in self.param_groups]",
    "options = [{} for g in self.param_groups]")

wrong("AdamW.load_state_dict", "betas_are_not_taken_over", OPTIONS,
    """After loading, a group has the betas or the eps of the new optimizer: save and take over all
    four options, lr, betas, eps and weight_decay.""",
    "group.update(options)",
    "group.update({k: v for k, v in options.items() if k != 'betas'})")

wrong("AdamW.load_state_dict", "decay_is_not_taken_over", OPTIONS,
    """After loading, a group has the weight_decay of the new optimizer: save and take over all four
    options, lr, betas, eps and weight_decay.""",
    "group.update(options)",
    "group.update({k: v for k, v in options.items() if k != 'weight_decay'})")

wrong("AdamW.load_state_dict", "options_of_the_first_group", OPTIONS,
    "You give every group the options of the first one: each group has its own.",
    "group.update(options)", 'group.update(state["param_groups"][0])')

wrong("AdamW.state_dict", "a_state_for_everybody", f"{SOME}",
    """You look for m and v of a parameter that never had a gradient: it has none yet, so leave it
    out.""",
    " for i, p in enumerate(params) if p in self.state}", " for i, p in enumerate(params)}")

wrong("AdamW.load_state_dict", "what_was_there_stays", SOME,
    """You add what was saved to the states that are there: a parameter that had none when it was
    saved goes on with an old m and v. What was there is forgotten.""",
    "self.state = {params[i]: dict(saved) for i, saved in state[\"state\"].items()}",
    "self.state |= {params[i]: dict(saved) for i, saved in state[\"state\"].items()}")

wrong("AdamW.state_dict", "parameters_are_saved_with_the_options", OPTIONS,
    """Your state holds the parameters of the groups, and loading them takes the new optimizer's own
    ones away: leave params out.""",
    ' if k != "params"}', "}")

# Which parameters decay ---------------------------------------------------------------------------

wrong("parameter_groups", "groups_in_another_order", KINDS,
    """Your groups stand in another order: first those that decay, then the others.""",
    "learning if p.ndim >= 2]", "learning if p.ndim < 2]",
    "learning if p.ndim < 2]\n", "learning if p.ndim >= 2]\n",
    '"weight_decay": weight_decay', '"weight_decay": 0.0',
    'others, "weight_decay": 0.0', 'others, "weight_decay": weight_decay')

wrong("parameter_groups", "everything_decays", KINDS,
    "You let all parameters decay: biases and weights of norms have one axis, and are left out.",
    "p.ndim >= 2", "p.ndim >= 0", "p.ndim < 2", "p.ndim < 0")

wrong("parameter_groups", "matrices_only", KINDS,
    """What has three axes, as the filters of a convolution, does not decay with you, though
    matrices do: two axes or more it says.""",
    "p.ndim >= 2", "p.ndim == 2", "p.ndim < 2", "p.ndim != 2")

wrong("parameter_groups", "first_group_of_matrices_only", KINDS,
    """What has three axes, as the filters of a convolution, is in neither of your groups, and is
    never learned. The first group has all with two axes or more.""",
    "p.ndim >= 2", "p.ndim == 2")

wrong("parameter_groups", "groups_exchanged", KINDS,
    "You exchange the groups: what has two axes or more decays.",
    "matrices = [p for p in learning if p.ndim >= 2]",
    "matrices = [p for p in learning if not p.ndim >= 2]",
    "others = [p for p in learning if p.ndim < 2]",
    "others = [p for p in learning if not p.ndim < 2]")

wrong("parameter_groups", "one_axis_decays", KINDS,
    "You let parameters with one axis decay: from two axes on.",
    "p.ndim >= 2", "p.ndim >= 1", "p.ndim < 2", "p.ndim < 1")

wrong("parameter_groups", "linear_layers_only", KINDS,
    """Only weights of nn.Linear decay with you: embeddings have two axes and filters of a
    convolution three, and they decay too. Ask each parameter for its number of axes, p.ndim, and
    not which module it belongs to.""",
    "learning = [p for p in model.parameters() if p.requires_grad]",
    """learning = [p for p in model.parameters() if p.requires_grad]
    layers = {id(m.weight) for m in model.modules() if isinstance(m, nn.Linear)}""",
    "if p.ndim >= 2", "if id(p) in layers", "if p.ndim < 2", "if id(p) not in layers")

wrong("parameter_groups", "by_the_word_bias", KINDS,
    """You tell by the name what decays: all but what is called bias. The weight of a norm has one
    axis too, and another number may have none: ask for p.ndim >= 2, whatever the names are.""",
    "learning = [p for p in model.parameters() if p.requires_grad]",
    """named = [(n, p) for n, p in model.named_parameters() if p.requires_grad]
    learning = []""",
    "[p for p in learning if p.ndim >= 2]", "[p for n, p in named if not n.endswith('bias')]",
    "[p for p in learning if p.ndim < 2]", "[p for n, p in named if n.endswith('bias')]")

wrong("parameter_groups", "by_the_words_bias_and_norm", KINDS,
    """A parameter without any axis decays with you. What counts is how many axes it has, and not
    its name or its module: with one, or without any, it does not decay.""",
    "learning = [p for p in model.parameters() if p.requires_grad]",
    """named = [(n, p) for n, p in model.named_parameters() if p.requires_grad]
    small = [n for n, _ in named if "bias" in n or "norm" in n]
    learning = []""",
    "[p for p in learning if p.ndim >= 2]", "[p for n, p in named if n not in small]",
    "[p for p in learning if p.ndim < 2]", "[p for n, p in named if n in small]")

wrong("parameter_groups", "by_the_word_weight", KINDS,
    """You let decay what is called weight: the weight of a norm has one axis, and does not decay.
    Ask each parameter for its number of axes.""",
    "learning = [p for p in model.parameters() if p.requires_grad]",
    """named = [(n, p) for n, p in model.named_parameters() if p.requires_grad]
    learning = []""",
    "[p for p in learning if p.ndim >= 2]", "[p for n, p in named if n.endswith('weight')]",
    "[p for p in learning if p.ndim < 2]", "[p for n, p in named if not n.endswith('weight')]")

wrong("parameter_groups", "the_rest_is_forgotten", KINDS,
    """You leave biases and weights of norms out of both groups: then they are never learned. They
    stand in the second group, with a weight decay of 0.""",
    "others = [p for p in learning if p.ndim < 2]", "others: list[nn.Parameter] = []")

wrong("parameter_groups", "embeddings_do_not_decay", KINDS,
    "You leave the embeddings out of the first group: they have two axes, and decay.",
    "learning = [p for p in model.parameters() if p.requires_grad]",
    """tables = {id(m.weight) for m in model.modules() if isinstance(m, nn.Embedding)}
    learning = [p for p in model.parameters() if p.requires_grad]""",
    "if p.ndim >= 2]", "if p.ndim >= 2 and id(p) not in tables]",
    "if p.ndim < 2]", "if p.ndim < 2 or id(p) in tables]")

wrong("parameter_groups", "the_others_decay_too", KINDS,
    "Your second group has the weight decay as well: it is 0 there.",
    '"weight_decay": 0.0}', '"weight_decay": weight_decay}')

wrong("parameter_groups", "tied_twice", f"{TIED} {MOVES}",
    """You list a tied parameter under both of its names, so it makes two steps at once:
    model.parameters() gives each parameter once.""",
    "for p in model.parameters() if",
    "for _, p in model.named_parameters(remove_duplicate=False) if")

wrong("parameter_groups", "frozen_ones_are_in", TIED,
    "You list frozen parameters too: leave out what requires no gradient.",
    " if p.requires_grad]", "]")

wrong("parameter_groups", "copies_of_parameters", MOVES,
    """Your groups hold other tensors than the parameters, such as copies of them, and the model
    never learns. List the parameters themselves.""",
    "[p for p in model.parameters() if p.requires_grad]",
    "[nn.Parameter(p.detach().clone()) for p in model.parameters() if p.requires_grad]")

wrong("parameter_groups", "own_modules_only", KINDS,
    "You take the parameters of the model itself, without those of its parts: take all.",
    "model.parameters()", "model.parameters(recurse=False)")

# Work ---------------------------------------------------------------------------------------------

wrong("AdamW._move", "number_by_number", WORK,
    """You go through a tensor in Python, number by number or row by row: compute with the whole
    tensor at once.""",
    MOVE,
    """flat, update = p.view(-1), update.reshape(-1)
        for i in range(len(flat)):
            flat[i] -= group["lr"] * (update[i] + group["weight_decay"] * flat[i])""")

wrong("clip_grad_norm", "squares_number_by_number", WORK,
    """You add up the squares in Python, number by number or row by row: (g ** 2).sum() does all of
    them at once.""",
    "float((g.double() ** 2).sum()) for g in gradients",
    "float(x) ** 2 for g in gradients for x in g.flatten()")
