"""What to predict about the optimizer before writing it."""

from __future__ import annotations

import torch

from grader.check import Answer, Predictions

predict = Predictions()


@predict(gradient=(0.001, 5.0, 400.0), lr=(0.1, 0.02))
def first_step(page, gradient, lr):
    """In its very first step AdamW gets the gradient {gradient} for a parameter, with lr = {lr}, an
    eps of nearly 0 and no weight decay. How far does the parameter move?"""
    model = page.Slopes(())
    adam = page.AdamW(model.parameters(), lr=lr, eps=1e-12, weight_decay=0.0)
    model.learn(adam, torch.tensor([gradient]))
    return Answer(
        round(1 - model.p0.item(), 4),
        "m_hat is g and v_hat is g squared, so the step is lr * g / |g|: the size of the gradient "
        "cancels.",
        {
            lr * gradient: "This is plain gradient descent. AdamW divides by the root of v, which "
            "is as large as the gradient here.",
            lr * 0.1: "So it would be if m alone were divided by the root of the corrected v: m is "
            "0.1 * g at first, and the bias correction makes g of it.",
        },
    )


@predict(steps=(2, 4), gradient=(0.5, 3.0))
def agreeing_gradients(page, steps, gradient):
    """{steps} times in a row a parameter has the gradient {gradient}; lr is 0.1, eps is nearly 0,
    there is no weight decay. How far has it moved altogether?"""
    model = page.Slopes(())
    adam = page.AdamW(model.parameters(), lr=0.1, eps=1e-12, weight_decay=0.0)
    model.learn(adam, torch.full((steps,), gradient))
    return Answer(
        round(1 - model.p0.item(), 4),
        "Where all gradients are alike, m_hat is that gradient and the root of v_hat too: each "
        "step is lr long.",
        {
            0.1 * gradient * steps: "The size of the gradients cancels: every step is lr long.",
            0.1: "That is one step. Every one of them is that long.",
        },
    )


@predict(large=(6, 12), limit=(1, 2))
def one_long_gradient(page, large, limit):
    """Two parameters have the gradients {large} and 0.1, and both are clipped to the norm {limit}.
    Roughly, what becomes of the 0.1?"""
    model = page.Slopes((), ())
    model.push(torch.tensor(float(large)), torch.tensor(0.1))
    page.clip_grad_norm(model.parameters(), limit)
    return Answer(
        round(model.p1.grad.item(), 5),
        f"There is one norm, about {large}, and so one factor for all: {limit} / {large}. The "
        "small one shrinks as well, so that the direction stays.",
        {
            0.1: "It is short enough by itself, but there is one norm of all gradients, and one "
            "factor: or the direction would change.",
            float(limit): "Clipping makes nothing longer.",
        },
    )


@predict(lr=(0.1, 0.01), decay=(0.5, 0.1))
def decay_alone(page, lr, decay):
    """A parameter is 2, its gradient is 0 (not None), lr = {lr} and weight_decay = {decay}. What is
    it after one step?"""
    model = page.Slopes(())
    torch.nn.init.constant_(model.p0, 2.0)
    model.learn(page.AdamW(model.parameters(), lr=lr, weight_decay=decay), torch.zeros(1))
    return Answer(
        round(model.p0.item(), 4),
        "lr * weight_decay * theta is taken away, and the fraction is 0.",
        {
            2.0: "A gradient of 0 is a gradient: the parameter decays. Only with None it stays.",
            2 - decay * 2: "The decay is multiplied by the learning rate, too.",
            2
            - lr: "That is what L2 regularisation in Adam would do: the decay, divided by its own "
            "size, is a whole step. In AdamW it stands outside of the fraction.",
        },
    )


@predict(warmup=(100, 400), times=(4, 9))
def noam_after_the_peak(page, warmup, times):
    """The Noam schedule has its peak at step {warmup}. By which part of the peak is the learning
    rate left at step {warmup} * {times}?"""
    here, there = (page.noam_lr(step, 64, warmup) for step in (warmup, warmup * times))
    return Answer(
        round(there / here, 4),
        f"It falls with the root of the step: 1 / sqrt({times}).",
        {
            1 / times: "It falls with the root of the step, and so more slowly than that.",
            0.0: "It never reaches 0; only the cosine has an end.",
        },
    )
