"""Right answers to ``optimizer`` that are written differently."""

from __future__ import annotations

import copy
import itertools
import math
from collections import defaultdict

import torch

from grader.check import variant


@variant(of="noam_lr")
def in_two_cases(step, d_model, warmup=4000, factor=1.0):
    """Below warmup a line, then a root; no minimum is taken."""
    step = step or 1
    scale = factor / math.sqrt(d_model)
    if step < warmup:
        return scale * step / (warmup * math.sqrt(warmup))
    return scale / math.sqrt(step)


@variant(of="noam_lr")
def by_tensors(step, d_model, warmup=4000, factor=1.0):
    """A tensor without axes is a number as well."""
    t = torch.tensor(float(max(step, 1)), dtype=torch.float64)
    return factor * d_model**-0.5 * torch.minimum(t.rsqrt(), t * warmup**-1.5)


@variant(of="cosine_lr")
def clamped_progress(step, peak, warmup, total, floor=0.0):
    """How much of the way down is done, cut off at its end."""
    if step < warmup:
        return (step + 1) * peak / warmup
    progress = min(1.0, (step - warmup) / max(total - warmup, 1)) if step < total else 1.0
    share = 0.5 + 0.5 * math.cos(progress * math.pi)
    return share * peak + (1 - share) * floor


@variant(of="cosine_lr")
def by_half_angles(step, peak, warmup, total, floor=0.0):
    """(1 + cos a) / 2 is the square of cos(a / 2)."""
    if step >= max(total, warmup):
        return floor
    if step < warmup:
        return peak / warmup * (step + 1)
    return floor + (peak - floor) * math.cos(math.pi / 2 * (step - warmup) / (total - warmup)) ** 2


@variant(of="clip_grad_norm")
def as_torch_does(params, max_norm):
    """The norm of the norms, 1e-6 below the fraction, a factor of at most 1; the norm a tensor."""
    gradients = [p.grad for p in params if p.grad is not None]
    if not gradients:
        return torch.tensor(0.0)
    total = torch.stack([torch.linalg.vector_norm(g) for g in gradients]).norm()
    factor = torch.clamp(max_norm / (total + 1e-6), max=1.0)
    for g in gradients:
        g.mul_(factor)
    return total


@variant(of="clip_grad_norm")
def new_gradients(params, max_norm):
    """Gradients are replaced, and not changed in place."""
    params = [p for p in params if p.grad is not None]
    flat = [p.grad.reshape(-1) for p in params]
    norm = torch.cat(flat).square().sum().sqrt().item() if flat else 0.0
    if norm > max_norm:
        for p in params:
            p.grad = p.grad * (max_norm / norm)
    return norm


@variant(of="clip_grad_norm")
def by_hypot(params, max_norm):
    """Tensor after tensor, with what is known so far."""
    params, norm = tuple(params), 0.0
    for p in params:
        if p.grad is not None:
            norm = math.hypot(norm, float(p.grad.norm()))
    if norm <= max_norm:
        return norm
    for p in params:
        if p.grad is not None:
            p.grad.div_(norm / max_norm)
    return norm


class _Plain:
    """What several of the optimizers below have in common: groups, and a place for memories."""

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.01):
        params = list(params)
        groups = params if isinstance(params[0], dict) else [{"params": params}]
        self.param_groups = []
        for group in groups:
            own = dict(group)
            own["params"] = list(own["params"])
            own.setdefault("lr", lr)
            own.setdefault("betas", betas)
            own.setdefault("eps", eps)
            own.setdefault("weight_decay", weight_decay)
            self.param_groups.append(own)

    def _all(self):
        return itertools.chain.from_iterable(group["params"] for group in self.param_groups)

    def zero_grad(self):
        for p in self._all():
            p.grad = None


@variant(of="AdamW")
class in_place_throughout(_Plain):
    """As in torch: averages in place, decay first, the correction of v under the root; memories by
    number."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.memory = {}

    @torch.no_grad()
    def step(self):
        numbers = itertools.count()
        for group in self.param_groups:
            b1, b2 = group["betas"]
            for p in group["params"]:
                number = next(numbers)
                if p.grad is None:
                    continue
                p.mul_(1 - group["lr"] * group["weight_decay"])
                t, m, v = self.memory.get(number) or (0, torch.zeros_like(p), torch.zeros_like(p))
                t += 1
                m.lerp_(p.grad, 1 - b1)
                v.mul_(b2).addcmul_(p.grad, p.grad, value=1 - b2)
                denominator = (v.sqrt() / math.sqrt(1 - b2**t)).add_(group["eps"])
                p.addcdiv_(m, denominator, value=-group["lr"] / (1 - b1**t))
                self.memory[number] = (t, m, v)

    def state_dict(self):
        options = [{**group, "params": None} for group in self.param_groups]
        return {"memory": copy.deepcopy(self.memory), "options": options}

    def load_state_dict(self, state):
        self.memory = copy.deepcopy(state["memory"])
        for group, options in zip(self.param_groups, state["options"], strict=True):
            group.update({k: v for k, v in options.items() if k != "params"})


@variant(of="AdamW")
class decay_last(_Plain):
    """The parameter decays after the other part of the step; p.data is replaced; memories lie in
    lists, beside the parameters."""

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.01):
        super().__init__(params, lr, betas, eps, weight_decay)
        self.params = list(self._all())
        self.t = [0] * len(self.params)
        self.m = [torch.zeros_like(p) for p in self.params]
        self.v = [torch.zeros_like(p) for p in self.params]

    def step(self):
        at = 0
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    self._one(p, at, **{k: v for k, v in group.items() if k != "params"})
                at += 1

    def _one(self, p, at, lr, betas, eps, weight_decay):
        g = p.grad.detach()
        self.t[at] += 1
        self.m[at] = self.m[at] + (1 - betas[0]) * (g - self.m[at])
        self.v[at] = self.v[at] + (1 - betas[1]) * (g * g - self.v[at])
        m_hat = self.m[at] / (1 - betas[0] ** self.t[at])
        v_hat = self.v[at] / (1 - betas[1] ** self.t[at])
        p.data = p.data - lr * m_hat / (torch.sqrt(v_hat) + eps)
        p.data = p.data - lr * weight_decay * p.data

    def state_dict(self):
        groups = [
            [group[key] for key in ("lr", "betas", "eps", "weight_decay")]
            for group in self.param_groups
        ]
        return {"t": list(self.t), "m": list(self.m), "v": list(self.v), "groups": groups}

    def load_state_dict(self, state):
        self.t, self.m, self.v = (list(state[key]) for key in "tmv")
        for group, saved in zip(self.param_groups, state["groups"], strict=True):
            group.update(zip(("lr", "betas", "eps", "weight_decay"), saved, strict=True))


@variant(of="AdamW")
class subclass_of_torchs_optimizer(torch.optim.Optimizer):
    """The class that all of torch's optimizers begin with: groups, zero_grad and state_dict are its
    own."""

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.01):
        super().__init__(
            params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay}
        )

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            b1, b2 = group["betas"]
            for p in filter(lambda p: p.grad is not None, group["params"]):
                state = self.state[p]
                if not state:
                    state.update(
                        step=0, exp_avg=torch.zeros_like(p), exp_avg_sq=torch.zeros_like(p)
                    )
                state["step"] += 1
                state["exp_avg"].mul_(b1).add_(p.grad, alpha=1 - b1)
                state["exp_avg_sq"].mul_(b2).addcmul_(p.grad, p.grad, value=1 - b2)
                m_hat = state["exp_avg"] / (1 - b1 ** state["step"])
                v_hat = state["exp_avg_sq"] / (1 - b2 ** state["step"])
                update = m_hat / (v_hat.sqrt() + group["eps"])
                p.sub_(group["lr"] * (update + group["weight_decay"] * p))


@variant(of="AdamW")
class all_of_a_group_at_once(_Plain):
    """torch._foreach: one operation for all tensors that have been moved equally often."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.seen = defaultdict(dict)

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            by_t = defaultdict(list)
            for p in group["params"]:
                if p.grad is not None:
                    entry = self.seen[id(p)]
                    entry.setdefault("m", torch.zeros_like(p))
                    entry.setdefault("v", torch.zeros_like(p))
                    entry["t"] = entry.get("t", 0) + 1
                    by_t[entry["t"]].append(p)
            for t, ps in by_t.items():
                self._together(t, ps, group)

    def _together(self, t, ps, group):
        (b1, b2), gs = group["betas"], [p.grad for p in ps]
        m, v = ([self.seen[id(p)][key] for p in ps] for key in "mv")
        torch._foreach_mul_(m, b1)
        torch._foreach_add_(m, gs, alpha=1 - b1)
        torch._foreach_mul_(v, b2)
        torch._foreach_addcmul_(v, gs, gs, 1 - b2)
        roots = torch._foreach_sqrt(torch._foreach_div(v, 1 - b2**t))
        torch._foreach_add_(roots, group["eps"])
        torch._foreach_mul_(ps, 1 - group["lr"] * group["weight_decay"])
        steps = torch._foreach_div(torch._foreach_div(m, 1 - b1**t), roots)
        torch._foreach_sub_(ps, torch._foreach_mul(steps, group["lr"]))

    def state_dict(self):
        places = [
            [place, self.seen[id(p)]] for place, p in enumerate(self._all()) if id(p) in self.seen
        ]
        return {
            "seen": [[place, dict(entry)] for place, entry in places],
            "groups": [{k: g[k] for k in g if k != "params"} for g in self.param_groups],
        }

    def load_state_dict(self, state):
        params = list(self._all())
        self.seen.clear()
        for place, entry in state["seen"]:
            self.seen[id(params[place])] = {k: copy.deepcopy(value) for k, value in entry.items()}
        for group, options in zip(self.param_groups, state["groups"], strict=True):
            group |= options


@variant(of="AdamW")
class products_of_betas(_Plain):
    """1 - beta^t as a running product, tensors of float64 for it, and checks on the way."""

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.01):
        super().__init__(params, lr=lr, betas=betas, eps=eps, weight_decay=weight_decay)
        assert all(0 <= beta < 1 for group in self.param_groups for beta in group["betas"])
        self.of = {}

    def step(self):
        with torch.no_grad():
            for group in self.param_groups:
                for p in group["params"]:
                    if p.grad is None:
                        continue
                    assert p.grad.shape == p.shape
                    p.copy_(self._moved(p, p.grad, group))
                    assert p.isfinite().all()

    def _moved(self, p, g, group):
        b1, b2 = group["betas"]
        m, v, left_1, left_2 = self.of.get(p, (0.0, 0.0, 1.0, 1.0))
        m, v = b1 * m + (1 - b1) * g, b2 * v + (1 - b2) * g.square()
        left_1, left_2 = left_1 * b1, left_2 * b2
        self.of[p] = (m, v, left_1, left_2)
        ratio = (m / (1 - left_1)) / ((v / (1 - left_2)) ** 0.5 + group["eps"])
        return p - group["lr"] * ratio - group["lr"] * group["weight_decay"] * p

    def state_dict(self):
        of = {str(i): list(self.of[p]) for i, p in enumerate(self._all()) if p in self.of}
        rest = [{**g, "params": len(g["params"])} for g in self.param_groups]
        return {"of": of, "groups": rest}

    def load_state_dict(self, state):
        params = list(self._all())
        self.of = {params[int(i)]: tuple(kept) for i, kept in state["of"].items()}
        for group, rest in zip(self.param_groups, state["groups"], strict=True):
            assert rest["params"] == len(group["params"])
            group.update({**rest, "params": group["params"]})


@variant(of="AdamW")
class completes_what_it_is_given:
    """The caller's dicts become its groups, as in torch; t is a tensor, and so its powers are."""

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.01):
        groups = list(params)
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            group["params"] = list(group["params"])
            for name, value in dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay).items():
                group.setdefault(name, value)
        self.param_groups = groups
        self.averages = {}

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    self._move(p, group)

    def _move(self, p, group):
        if p not in self.averages:
            self.averages[p] = torch.zeros(()), torch.zeros_like(p), torch.zeros_like(p)
        t, m, v = self.averages[p]
        t += 1
        for average, new, beta in zip((m, v), (p.grad, p.grad**2), group["betas"], strict=True):
            average.lerp_(new, 1 - beta)
        m_hat, v_hat = (a / (1 - b**t) for a, b in zip((m, v), group["betas"], strict=True))
        p.mul_(1 - group["lr"] * group["weight_decay"])
        p.sub_(group["lr"] * m_hat / (v_hat.sqrt() + group["eps"]))

    def zero_grad(self):
        for group in self.param_groups:
            for p in group["params"]:
                p.grad = None

    def _all(self):
        return [p for group in self.param_groups for p in group["params"]]

    def state_dict(self):
        known = [self.averages.get(p) for p in self._all()]
        options = [{k: v for k, v in g.items() if k != "params"} for g in self.param_groups]
        return copy.deepcopy({"averages": known, "options": options})

    def load_state_dict(self, state):
        state = copy.deepcopy(state)
        known = zip(self._all(), state["averages"], strict=True)
        self.averages = {p: tuple(one) for p, one in known if one is not None}
        for group, options in zip(self.param_groups, state["options"], strict=True):
            group |= options


@variant(of="parameter_groups")
def by_modules(model, weight_decay):
    """Module by module, with a set of what is in already; tuples where there may be any order."""
    seen, matrices, others = set(), [], []
    for module in model.modules():
        for p in module.parameters(recurse=False):
            if p.requires_grad and id(p) not in seen:
                seen.add(id(p))
                (matrices if p.dim() > 1 else others).append(p)
    return [
        {"weight_decay": weight_decay, "params": matrices[::-1]},
        {"weight_decay": 0.0, "params": others},
    ]


@variant(of="parameter_groups")
def by_names(model, weight_decay):
    """As in nanoGPT: a dictionary of names, then two lists."""
    named = {n: p for n, p in model.named_parameters() if p.requires_grad}
    decay = [p for p in named.values() if len(p.shape) >= 2]
    rest = [p for p in named.values() if len(p.shape) < 2]
    return [
        {"params": decay, "weight_decay": weight_decay},
        {"params": rest, "weight_decay": 0},
    ]
