"""What to predict about residual connections before writing it."""

from __future__ import annotations

import torch

from grader.check import Answer, Predictions

predict = Predictions()


@predict(width=(4, 6, 8))
def pre_norm_that_adds_nothing(page, width):
    """A sub-layer returns zeros. With pre-norm, does the connection return x unchanged?"""
    x = torch.arange(float(width))
    out = page.SublayerConnection(width, dropout=0.0)(x, torch.zeros_like)
    return Answer(
        torch.allclose(out, x),
        "x + 0: the norm stands inside the branch, before the sub-layer, and not on x's own way.",
        {False: "Pre-norm normalises what goes into the sub-layer. x itself is added as it is."},
    )


@predict(width=(4, 6, 8))
def post_norm_that_adds_nothing(page, width):
    """The same with post-norm: does it return x unchanged?"""
    x = torch.arange(float(width))
    out = page.SublayerConnection(width, dropout=0.0, norm_first=False)(x, torch.zeros_like)
    return Answer(
        torch.allclose(out, x),
        "norm(x + 0): the norm stands on x's own way, and every layer rescales it. That is why "
        "deep post-norm stacks are hard to train.",
        {True: "Post-norm normalises the sum, so x itself is normalised in every layer."},
    )


@predict(layers=(3, 5, 10), slope=(0.1, 0.5))
def gradient(page, layers, slope):
    """{layers} layers follow one another, each with the derivative {slope}. Each is put into a
    residual connection, x + layer(x). What is the derivative of the whole?"""
    x = torch.tensor(1.0, requires_grad=True)
    y = x
    for _ in range(layers):
        y = y + slope * y
    y.backward()
    return Answer(
        float(x.grad),
        f"(1 + {slope})^{layers}: the straight way adds a 1 to each factor, and none is small.",
        {
            slope**layers: f"So small it is without the residual connections: {slope}^{layers}.",
            1 + slope**layers: "Every layer has its own straight way, so every factor gets a 1.",
            1 + slope * layers: "Derivatives of layers that follow one another are multiplied.",
        },
    )


@predict(width=(8, 16))
def another_width(page, width):
    """A sub-layer makes {width} numbers of 4. Can it be put into a residual connection as it is?"""
    return Answer(
        page.SublayerConnection(4, dropout=0.0)(torch.ones(3, 4), lambda x: x).shape[-1] == width,
        "x and what is added to it must be equally wide. So all of a Transformer has one d_model.",
        {True: f"A sum x + sublayer(x) of 4 and of {width} numbers has no meaning."},
    )
