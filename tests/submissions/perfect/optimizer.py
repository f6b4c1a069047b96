"""The optimizer: from gradients to better parameters.

Idea
----

A gradient says of every parameter in which direction the loss grows. So move each parameter a
little the other way. How far? One number for all parameters, the *learning rate*, is not enough:
some gradients are a thousand times larger than others, and each batch of text gives other ones.

*Adam* remembers two running averages for every number: of its gradient, and of the square of its
gradient. The first divided by the root of the second is about 1 where all gradients agree, and near
0 where they contradict each other, however large or small they are. *AdamW* also pulls every
parameter a little towards 0, which is called *weight decay*. Almost every language model is trained
with it.

Two more things belong to a training: a *schedule*, which says how large the learning rate is at
which step, and *clipping*, which makes a gradient shorter that is far too long.

Formula
-------

For each parameter theta with its gradient g, in its own step t = 1, 2, ...; m and v begin with 0:

    m = beta_1 * m + (1 - beta_1) * g
    v = beta_2 * v + (1 - beta_2) * g^2
    m_hat = m / (1 - beta_1^t)
    v_hat = v / (1 - beta_2^t)
    theta = theta - lr * m_hat / (sqrt(v_hat) + eps) - lr * weight_decay * theta

lr is the learning rate. m and v are averages in which older gradients count less and less. They
begin with 0, so at first they are too small: in step 1, m is (1 - beta_1) * g. The third and the
fourth line divide by just this part, which is the *bias correction*. All of this is done for each
number of a tensor by itself.

Worked example
--------------

One number theta = 1 and the gradient 0.5, with lr = 0.1, the betas 0.8 and 0.9, eps and weight
decay 0. The averages m and v, and both corrected:

>>> m, v = 0.2 * 0.5, 0.1 * 0.5**2
>>> round(m, 4), round(v, 4), round(m / (1 - 0.8), 4), round(v / (1 - 0.9), 4)
(0.1, 0.025, 0.5, 0.25)

The step is 0.1 * 0.5 / sqrt(0.25) = 0.1: in the first step it is lr, whatever the gradient was. So
theta is 0.9 now. Then comes the gradient -0.5, which contradicts the first one:

>>> m, v = 0.8 * 0.1 + 0.2 * -0.5, 0.9 * 0.025 + 0.1 * 0.25
>>> m_hat, v_hat = m / (1 - 0.8**2), v / (1 - 0.9**2)
>>> round(m, 4), round(v, 4), round(m_hat, 4), round(v_hat, 4)
(-0.02, 0.0475, -0.0556, 0.25)

The step is 0.1 * -0.0556 / sqrt(0.25) = -0.0111, and theta is 0.9111. Where gradients disagree, the
steps become small.

[Figure steps: two rows of gradients and the steps that AdamW makes of them, with betas 0.8 and 0.9.
Above, six gradients of 0.5, all alike: every step is 0.10 long. Below, 0.5 and -0.5 in turn: the
first step is 0.10 long, the next ones 0.01 to 0.03, up and down in turn.]

What is graded
--------------

The functions and the class below, in the order of this file. ``Slopes``, ``OnePass`` and
``TinyModel``, at the end of the file, are given: the checks try your optimizer with them.
Parameters are float32 or float64, of any shape, also a single number; m and v have the dtype and
the device of their parameter. A tensor is done at once: the number of torch operations does not
depend on how many numbers it holds.

Write it yourself: ``torch.optim.Adam``, ``torch.optim.AdamW`` and ``nn.utils.clip_grad_norm_`` are
not available here, under any name.

Your ``AdamW`` may be a class of its own, or a subclass of ``torch.optim.Optimizer``. Whether the
decay is taken from theta before the other part of the step or after it is left to you: the results
differ by lr * lr * weight_decay, which is next to nothing.

Why it is like this
-------------------

Why divide by the root of v? A step is measured in units of the parameter, a gradient in loss per
unit. m divided by sqrt(v) has no unit at all, so lr alone says how far a step leads. Multiply the
loss by 1000 and nothing changes. eps keeps the fraction finite where all gradients are 0. It stands
outside of the root: inside, a small eps would act as its root, which is much larger.

Why not add weight_decay * theta to the gradient? This is what *L2 regularisation* does, and for
plain gradient descent it is the same as weight decay. In Adam that term would be divided by sqrt(v)
as well: parameters with large gradients would hardly decay. Loshchilov and Hutter took the decay
out of the fraction; this is the W of AdamW.

Why warm up? In the first steps v is an average of very few gradients, and so a bad measure of how
large they are. Large steps at that time can spoil a model for good. So the learning rate begins
small and rises. Later it falls, because near a minimum large steps lead to and fro across it.

Why clip? Once in a while a batch has a gradient ten or a hundred times longer than usual, and one
such step can undo many good ones. All gradients are multiplied by one factor, so that the direction
stays as it was; if each tensor had a factor of its own, it would be another direction.

Why not decay everything? Decay keeps matrices small, so that no feature counts for too much. A
weight of a norm begins with 1, where it changes nothing, and nothing is gained by pulling it to 0.
The same holds for a bias. So those who built GPT left both out. It is easy to tell them from
matrices: they have one axis.

Why a ``state_dict``? A training takes days, and machines fail. Who saves the parameters and forgets
m, v and t begins again with averages of 0 and t = 1, and the loss jumps. Saved are plain values and
tensors only, which every version of a program can read. A parameter is known by its place, for
after a restart it is another object.

Look further
------------

Kingma, Ba 2015, "Adam: A Method for Stochastic Optimization"; Loshchilov, Hutter 2019, "Decoupled
Weight Decay Regularization" (AdamW); Loshchilov, Hutter 2017, "SGDR: Stochastic Gradient Descent
with Warm Restarts" (cosine); Vaswani et al. 2017, section 5.3, whose schedule is called by the name
of its author Noam Shazeer; Pascanu, Mikolov, Bengio 2013, "On the difficulty of training recurrent
neural networks" (clipping). Then look into torch's own ``torch/optim/adamw.py``.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor, nn


def noam_lr(step: int, d_model: int, warmup: int = 4000, factor: float = 1.0) -> float:
    """The learning rate of the first Transformer: it rises for ``warmup`` steps, then it falls.

        lr = factor * d_model^-0.5 * min(step^-0.5, step * warmup^-1.5)

    Steps are counted from 1; step 0 counts as step 1. ``warmup`` is 1 or more. Both sides of the
    minimum are equal at step ``warmup``, which is the peak.

    Source: Vaswani et al. 2017, eq. (3).

    >>> [round(noam_lr(step, d_model=4, warmup=4), 4) for step in (1, 2, 4, 9, 16)]
    [0.0625, 0.125, 0.25, 0.1667, 0.125]
    >>> f"{noam_lr(4000, 512):.4e}"
    '6.9877e-04'
    """
    step = max(step, 1)
    return factor * d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)


def cosine_lr(step: int, peak: float, warmup: int, total: int, floor: float = 0.0) -> float:
    """A line up to ``peak``, then half a wave of a cosine down to ``floor``.

    Steps are counted from 0. While ``step`` is less than ``warmup``:

        lr = peak * (step + 1) / warmup

    so that step 0 is not lost with a learning rate of 0. From step ``warmup`` on:

        lr = floor + (peak - floor) * (1 + cos(pi * (step - warmup) / (total - warmup))) / 2

    and from step ``total`` on it is ``floor``, also if ``total`` equals ``warmup``. ``warmup`` may
    be 0: then it begins at the peak.

    Source: Loshchilov, Hutter 2017, eq. (5), without restarts.

    [Figure schedules: the learning rate against the step, from 0 to 100, two curves with 20 steps
    of warm-up that both rise in a straight line to the same peak. The Noam schedule then falls at
    once, ever more slowly, and is still at 0.45 of the peak in step 100. The cosine falls slowly at
    first, fastest in the middle, and is 0 in step 100.]

    >>> [round(cosine_lr(step, peak=1.0, warmup=2, total=6), 4) for step in range(8)]
    [0.5, 1.0, 1.0, 0.8536, 0.5, 0.1464, 0.0, 0.0]
    """
    if step < warmup:
        return peak * (step + 1) / warmup
    if step >= total:
        return floor
    wave = 1 + math.cos(math.pi * (step - warmup) / (total - warmup))
    return floor + (peak - floor) * wave / 2


def clip_grad_norm(params: Iterable[nn.Parameter], max_norm: float) -> float:
    """Makes the gradient of all ``params`` together no longer than ``max_norm``.

        norm = sqrt(sum of the squares of all numbers of all gradients)
        g = g * max_norm / norm     for every gradient, if norm > max_norm

    Returns the norm as it was before, as a number (a tensor without axes will do). If it is not
    more than ``max_norm``, the gradients stay as they are, bit for bit. A ``grad`` that is None
    stays None and counts for nothing; if all are None, the norm is 0. A tiny number, such as 1e-6,
    may be added to the norm below the fraction; a norm as near as that to ``max_norm`` may count as
    longer. The parameters themselves do not change. ``params`` may be an iterator, as
    ``model.parameters()`` is, which can be gone through once.

    Source: Pascanu et al. 2013, section 3.2, algorithm 1.

    Gradients (3, 0) and 4 are together 5 long, for 9 + 16 = 25:

    >>> model = Slopes((2,), ())
    >>> model.push(torch.tensor([3.0, 0.0]), torch.tensor(4.0))
    >>> clip_grad_norm(model.parameters(), 1.0), model.gradients()
    (5.0, [tensor([0.6000, 0.0000]), tensor(0.8000)])
    """
    gradients = [p.grad for p in params if p.grad is not None]
    norm = math.sqrt(sum(float((g.double() ** 2).sum()) for g in gradients))
    if norm > max_norm:
        for g in gradients:
            g.mul_(max_norm / norm)
    return norm


class AdamW:
    """Moves parameters against their gradients, by the formula at the top of this page.

    ``param_groups`` is a list of dictionaries. Each has ``params``, a list of parameters, and the
    options ``lr``, ``betas``, ``eps`` and ``weight_decay``. ``step`` looks up the options there
    each time, so a schedule may change them between steps, as ``Slopes.change`` does.

    Source: Loshchilov, Hutter 2019, algorithm 2; Kingma, Ba 2015, algorithm 1.

    The worked example:

    >>> model = Slopes(())
    >>> adam = AdamW(model.parameters(), lr=0.1, betas=(0.8, 0.9), weight_decay=0.0)
    >>> model.learn(adam, torch.tensor([0.5]))
    >>> model.p0.item()
    0.8999999761581421
    >>> model.learn(adam, torch.tensor([-0.5]))
    >>> round(model.p0.item(), 4)
    0.9111
    """

    def __init__(
        self,
        params: Iterable[nn.Parameter] | Iterable[dict[str, Any]],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.01,
    ) -> None:
        """``params`` are parameters, which make one group, or dictionaries, one for each group. A
        dictionary has ``params`` and perhaps options of its own, which win over the arguments; for
        all others of a group the arguments stand. ``params``, here and in a dictionary, may be an
        iterator, also one that gives dictionaries.

        Left out, lr is 1e-3, the betas are 0.9 and 0.999, eps is 1e-8 and the weight decay 0.01.
        """
        groups: list[Any] = list(params)
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        options = {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay}
        self.param_groups = [options | g | {"params": list(g["params"])} for g in groups]
        self.state: dict[nn.Parameter, dict[str, Any]] = {}

    def step(self) -> None:
        """One step of every parameter that has a gradient.

        One whose ``grad`` is None stays as it is: it does not move, it does not decay, and its own
        t, m and v wait. A gradient of 0 is one: with it a parameter does all that. Parameters are
        changed in place, and not recorded by autograd. Gradients stay as they are.
        """
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    self._move(p, p.grad, group)

    @torch.no_grad()
    def _move(self, p: nn.Parameter, g: Tensor, group: dict[str, Any]) -> None:
        zero = torch.zeros_like(p)
        state = self.state.setdefault(p, {"t": 0, "m": zero, "v": zero})
        beta_1, beta_2 = group["betas"]
        state["t"] += 1
        state["m"] = beta_1 * state["m"] + (1 - beta_1) * g
        state["v"] = beta_2 * state["v"] + (1 - beta_2) * g**2
        m_hat = state["m"] / (1 - beta_1 ** state["t"])
        v_hat = state["v"] / (1 - beta_2 ** state["t"])
        update = m_hat / (v_hat.sqrt() + group["eps"])
        p -= group["lr"] * (update + group["weight_decay"] * p)

    def zero_grad(self) -> None:
        """Forgets the gradients of all its parameters: ``grad`` is None afterwards.

        Without this, ``backward`` would add the next gradient to the old one.
        """
        for group in self.param_groups:
            for p in group["params"]:
                p.grad = None

    def state_dict(self) -> dict[str, Any]:
        """All that is needed to go on later: t, m and v of every parameter that has some, and the
        options of every group.

        What is in it is up to you, but it is made of dictionaries, lists, tuples, numbers, strings,
        None and tensors only. The keys of dictionaries are numbers or strings. It holds no
        parameters, and speaks of a parameter by its place, not by its ``id``. It may hold your own
        m and v and no copies of them, as torch's does: whoever keeps a state writes it to disk, or
        copies it, before the next step.
        """
        params = [p for group in self.param_groups for p in group["params"]]
        states = {i: dict(self.state[p]) for i, p in enumerate(params) if p in self.state}
        options = [{k: v for k, v in g.items() if k != "params"} for g in self.param_groups]
        return {"state": states, "param_groups": options}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Takes over what another optimizer's ``state_dict`` returned, and goes on as that one
        would: with its t, m and v, and with its options in place of one's own.

        The other one had as many groups, and parameters of the same shapes in the same order. They
        may be parameters of another model. Write it together with ``state_dict``: one is tried with
        the other.
        """
        params = [p for group in self.param_groups for p in group["params"]]
        self.state = {params[i]: dict(saved) for i, saved in state["state"].items()}
        for group, options in zip(self.param_groups, state["param_groups"], strict=True):
            group.update(options)


def parameter_groups(model: nn.Module, weight_decay: float) -> list[dict[str, Any]]:
    """Two groups for ``AdamW``: of what decays, and then of what does not.

    The first has the parameters with two or more axes, which are matrices and embeddings, and
    ``weight_decay``. The second has all others, which are biases and weights of norms, and the
    weight decay 0. Each is a dictionary with the keys ``params``, a list of parameters in any
    order, and ``weight_decay``. Every parameter is in one group, once, also if the model has it
    under two names (*tied* weights). One that is frozen, which means that ``requires_grad`` is
    False, is in none.

    Source: Loshchilov, Hutter 2019, for the decay; Radford et al. 2018, section 4.1, who decay all
    weights but biases and gains of norms.

    >>> groups = parameter_groups(TinyModel(tied=True), weight_decay=0.1)
    >>> [[tuple(p.shape) for p in group["params"]] for group in groups]
    [[(5, 3), (2, 3), (2, 3, 4)], [(), (3,), (3,), (2,)]]
    >>> [group["weight_decay"] for group in groups]
    [0.1, 0.0]
    """
    learning = [p for p in model.parameters() if p.requires_grad]
    matrices = [p for p in learning if p.ndim >= 2]
    others = [p for p in learning if p.ndim < 2]
    return [
        {"params": matrices, "weight_decay": weight_decay},
        {"params": others, "weight_decay": 0.0},
    ]


class Slopes(nn.Module):
    """Parameters to try an optimizer with, complete as it is: p0, p1, ... of these shapes, all 1.

    There is no loss here. Gradients are handed in, and come to be as with ``loss.backward()``.

    >>> model = Slopes((2,), ())
    >>> model.push(torch.tensor([3.0, 0.0]), None)
    >>> model.gradients()
    [tensor([3., 0.]), None]
    """

    def __init__(self, *shapes: tuple[int, ...]) -> None:
        super().__init__()
        for number, shape in enumerate(shapes):
            self.register_parameter(f"p{number}", nn.Parameter(torch.ones(shape)))

    def weights(self) -> list[nn.Parameter]:
        """The parameters, in a list."""
        return list(self.parameters())

    def gradients(self) -> list[Tensor | None]:
        """Their gradients."""
        return [p.grad for p in self.parameters()]

    def push(self, *gradients: Tensor | None) -> None:
        """Add these to the gradients; None is for a parameter that no loss depends on."""
        for p, g in zip(self.parameters(), gradients, strict=True):
            if g is not None:
                (p * g).sum().backward()

    def learn(self, optimizer: Any, *gradients: Tensor) -> None:
        """One step for each row of these gradients, which have an axis more, of steps."""
        for row in zip(*gradients, strict=True):
            optimizer.zero_grad()
            self.push(*row)
            optimizer.step()

    def change(self, optimizer: Any, **options: Any) -> None:
        """What a schedule does before a step: of the learning rate, or of any other option."""
        for group in optimizer.param_groups:
            group.update(options)


class OnePass:
    """Parameters that can be gone through once, as ``model.parameters()`` can; complete as it is.

    >>> params = OnePass([1, 2])
    >>> list(params), list(params)
    ([1, 2], [])
    """

    def __init__(self, params: Iterable[Any]) -> None:
        self._left = iter(params)

    def __iter__(self) -> OnePass:
        return self

    def __next__(self) -> Any:
        return next(self._left)


class TinyModel(nn.Module):
    """Parameters of many kinds, complete as it is, for ``parameter_groups``; it computes nothing.

    With ``tied``, ``head.weight`` is the very parameter ``tokens.weight``. The one that ``frozen``
    names requires no gradient.
    """

    def __init__(self, tied: bool = False, frozen: str = "") -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.ones(()))
        self.tokens = nn.Embedding(5, 3)
        self.norm = nn.LayerNorm(3)
        self.hidden = nn.Linear(3, 2)
        self.filters = nn.Conv1d(3, 2, 4, bias=False)
        self.head = nn.Linear(3, 5, bias=False)
        if tied:
            self.head.weight = self.tokens.weight
        if frozen:
            self.get_parameter(frozen).requires_grad_(False)

    def weights(self) -> list[nn.Parameter]:
        """The parameters, in a list."""
        return list(self.parameters())

    def step_with(self, optimizer: Any) -> None:
        """One step, in which every number of every parameter has the gradient 1."""
        for p in self.parameters():
            p.grad = torch.ones_like(p) if p.requires_grad else None
        optimizer.step()
