"""Right answers to ``layer_norm`` that are written differently."""

from __future__ import annotations

import torch
from torch import nn

from grader.check import variant


@variant(of="layer_norm")
def from_two_moments(x, weight, bias, eps):
    """In float64 the difference of the moments is exact enough for a mean of 1000."""
    wide = x.double()
    mean, mean_square = wide.mean(-1, keepdim=True), wide.square().mean(-1, keepdim=True)
    variance = (mean_square - mean.square()).clamp_min(0)
    y = (wide - mean) * torch.rsqrt(variance + eps) * weight
    return (y if bias is None else y + bias).to(x.dtype)


@variant(of="layer_norm")
def from_var_mean(x, weight, bias, eps):
    variance, mean = torch.var_mean(x.float(), dim=-1, correction=0, keepdim=True)
    y = (x.float() - mean) * torch.rsqrt(variance + eps)
    y = y * weight.float()
    if bias is not None:
        y += bias.float()
    return y.type_as(x)


@variant(of="layer_norm")
def from_the_biased_std(x, weight, bias, eps):
    z = x.float()
    std = z.std(dim=-1, keepdim=True, unbiased=False)
    y = (z - z.mean(dim=-1, keepdim=True)) / torch.sqrt(std**2 + eps) * weight
    return (y + (0 if bias is None else bias)).to(x.dtype)


@variant(of="layer_norm")
def in_float64(x, weight, bias, eps):
    wide = x.double()
    centred = wide - wide.mean(-1, True)
    y = centred * (centred.pow(2).mean(-1, True) + eps) ** -0.5 * weight.double()
    return (y if bias is None else y + bias.double()).to(x.dtype)


@variant(of="layer_norm")
def cast_before_the_weight(x, weight, bias, eps):
    wide = x.float()
    variance, mean = torch.var_mean(wide, -1, correction=0, keepdim=True)
    y = weight * ((wide - mean) / torch.sqrt(variance + eps)).to(x.dtype)
    return (y if bias is None else y + bias).type_as(x)


@variant(of="layer_norm")
def statistics_without_keepdim(x, weight, bias, eps):
    wide = x.float()
    width = x.size(-1)
    mean = wide.sum(-1) / width
    centred = wide - mean[..., None]
    variance = torch.einsum("...i,...i->...", centred, centred) / width
    y = torch.addcmul(torch.zeros_like(wide), centred, 1 / (variance + eps).sqrt()[..., None])
    y = y.mul(weight)
    return (y if bias is None else y.add(bias)).to(x.dtype)


@variant(of="layer_norm")
def welford(x, weight, bias, eps):
    wide = x.float()
    mean = torch.zeros_like(wide[..., 0])
    squares = torch.zeros_like(mean)
    for count, column in enumerate(wide.unbind(-1), start=1):
        delta = column - mean
        mean = mean + delta / count
        squares = squares + delta * (column - mean)
    deviation = (squares / wide.shape[-1] + eps).sqrt()
    y = (wide - mean.unsqueeze(-1)) / deviation.unsqueeze(-1) * weight
    return (y if bias is None else y + bias).to(x.dtype)


@variant(of="layer_norm")
def tokens_as_columns(x, weight, bias, eps):
    columns = x.reshape(-1, x.shape[-1]).float().T
    variance, mean = torch.var_mean(columns, 0, correction=0)
    y = weight[:, None] * (columns - mean) / torch.sqrt(variance + eps)
    y = y if bias is None else y + bias[:, None]
    return y.T.reshape(x.shape).to(x.dtype)


@variant(of="layer_norm")
def centred_by_a_matrix(x, weight, bias, eps):
    wide = x.double()
    width = x.shape[-1]
    eye = torch.eye(width, dtype=wide.dtype, device=x.device)
    centred = wide @ (eye - 1 / width)
    y = centred / torch.sqrt((centred * centred).mean(-1, keepdim=True) + eps) * weight
    return (y if bias is None else y + bias).to(x.dtype)


@variant(of="layer_norm")
def length_over_the_root_of_the_width(x, weight, bias, eps):
    wide = x.float()
    centred = wide - wide.mean(dim=-1, keepdim=True)
    std = torch.linalg.vector_norm(centred, dim=-1, keepdim=True) / x.shape[-1] ** 0.5
    y = centred / torch.hypot(std, torch.full_like(std, eps**0.5))
    return scaled_and_shifted(y, weight, bias).to(x.dtype)


def scaled_and_shifted(y, weight, bias):
    return torch.mul(y, weight) if bias is None else torch.addcmul(bias.to(y), y, weight.to(y))


@variant(of="layer_norm")
def through_rms_norm(x, weight, bias, eps):
    wide = x.to(torch.promote_types(x.dtype, torch.float32))
    centred = wide - wide.mean(-1, keepdim=True)
    y = _over_its_root_mean_square(centred, eps) * weight.to(centred)
    return (y if bias is None else y + bias).to(x.dtype)


def _over_its_root_mean_square(x, eps):
    return x / torch.sqrt(torch.linalg.vecdot(x, x)[..., None] / x.shape[-1] + eps)


@variant(of="rms_norm")
def rms_from_a_dot_product(x, weight, eps):
    wide = x.to(torch.promote_types(x.dtype, torch.float32))
    return (_over_its_root_mean_square(wide, eps) * weight).to(x.dtype)


@variant(of="rms_norm")
def rms_cast_before_the_weight(x, weight, eps):
    wide = x.float()
    normed = (wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + eps)).type_as(x)
    return normed * weight.type_as(x)


@variant(of="rms_norm")
def rms_cast_at_the_end(x, weight, eps):
    wide = x.float()
    mean_square = torch.sum(wide * wide, dim=-1, keepdim=True) / x.shape[-1]
    return (weight * wide / torch.sqrt(mean_square + eps)).to(x.dtype)


@variant(of="rms_norm")
def rms_from_the_length(x, weight, eps):
    wide = x.double()
    length = wide.norm(dim=-1, keepdim=True)
    return (wide * (length**2 / x.shape[-1] + eps).pow(-0.5) * weight).to(x.dtype)


@variant(of="layer_norm_backward")
def through_autograd(grad, x, weight, eps):
    leaves = [t.detach().clone().requires_grad_() for t in (x, weight, torch.zeros_like(weight))]
    wide = leaves[0].to(torch.promote_types(x.dtype, torch.float32))
    variance, mean = torch.var_mean(wide, -1, correction=0, keepdim=True)
    y = (wide - mean) / (variance + eps).sqrt() * leaves[1] + leaves[2]
    return torch.autograd.grad(y.to(x.dtype), leaves, grad)


@variant(of="layer_norm_backward")
def projected_onto_what_the_row_may_do(grad, x, weight, eps):
    """Minus the part along the ones, minus the part along z."""
    wide, g = (t.to(torch.promote_types(t.dtype, torch.float32)) for t in (x, grad))
    variance, mean = torch.var_mean(wide, -1, correction=0, keepdim=True)
    z, h = (wide - mean) * (variance + eps).rsqrt(), g * weight
    along_z = torch.linalg.vecdot(h, z)[..., None] / x.shape[-1]
    grad_x = (h - h.mean(-1, keepdim=True) - along_z * z) * (variance + eps).rsqrt()
    grad_weight, grad_bias = (t.flatten(0, -2).sum(0) if t.ndim > 1 else t for t in (g * z, g))
    return tuple(t.to(x.dtype) for t in (grad_x, grad_weight, grad_bias))


@variant(of="layer_norm_backward")
def with_sums_over_the_width(grad, x, weight, eps):
    width = x.shape[-1]
    rows, g = x.float().reshape(-1, width), grad.float().reshape(-1, width)
    variance, mean = torch.var_mean(rows, dim=1, correction=0, keepdim=True)
    rstd = torch.rsqrt(variance + eps)
    z = (rows - mean) * rstd
    h = g * weight
    sums = h.sum(1, keepdim=True), (h * z).sum(1, keepdim=True)
    grad_x = rstd / width * (width * h - sums[0] - z * sums[1])
    grad_weight, grad_bias = torch.einsum("ni,ni->i", g, z), g.sum(dim=0)
    return [
        grad_x.reshape(x.shape).to(x.dtype),
        grad_weight.to(weight.dtype),
        grad_bias.to(weight.dtype),
    ]


@variant(of="layer_norm_backward")
def term_by_term(grad, x, weight, eps):
    wide, g = x.double(), grad.double()
    width = x.shape[-1]
    mu = wide.mean(-1, keepdim=True)
    centred = wide - mu
    variance = centred.pow(2).mean(-1, keepdim=True) + eps
    h = g * weight
    grad_variance = (h * centred * -0.5 * variance**-1.5).sum(-1, keepdim=True)
    grad_mean = -(h / variance.sqrt()).sum(-1, keepdim=True)
    grad_x = h / variance.sqrt() + (2 * grad_variance * centred + grad_mean) / width
    z = centred / variance.sqrt()
    axes = list(range(x.dim() - 1))
    grad_weight = (g * z).sum(axes) if axes else g * z
    grad_bias = g.sum(axes) if axes else g
    return grad_x.to(x.dtype), grad_weight.to(weight.dtype), grad_bias.to(weight.dtype)


@variant(of="LayerNorm")
class NormalisedThenAffine(nn.Module):
    def __init__(self, d_model, eps=1e-5, bias=True):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model)) if bias else None
        self.eps = eps

    def forward(self, x):
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        centred = wide - wide.mean(dim=-1, keepdim=True)
        y = _over_its_root_mean_square(centred, self.eps)
        return scaled_and_shifted(y, self.weight, self.bias).to(x.dtype)


@variant(of="LayerNorm")
class RegistersItsBias(nn.Module):
    def __init__(self, d_model, eps=1e-5, bias=True):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(d_model))
        if bias:
            self.bias = nn.Parameter(torch.empty(d_model))
        else:
            self.register_parameter("bias", None)
        self.register_buffer("eps", torch.tensor(eps, dtype=torch.float64), persistent=False)
        self.reset_parameters()

    def reset_parameters(self):
        nn.init.constant_(self.weight, 1.0)
        if self.bias is not None:
            nn.init.zeros_(self.bias)

    def forward(self, x):
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        std, mean = torch.std_mean(wide, -1, correction=0, keepdim=True)
        y = (wide - mean) / torch.hypot(std, self.eps.sqrt().to(wide))
        return scaled_and_shifted(y, self.weight, self.bias).to(x.dtype)


@variant(of="RMSNorm")
class FilledWithOnes(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(d_model))
        nn.init.ones_(self.weight)
        self.eps = eps

    def forward(self, x):
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        return _over_its_root_mean_square(wide, self.eps).mul(self.weight).to(x.dtype)


@variant(of="RMSNorm")
class RmsNormInTwoSteps(nn.Module):
    def __init__(self, dim, eps=1e-6):
        super().__init__()
        self.eps, self.weight = eps, nn.Parameter(torch.ones(dim))

    def _norm(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps)

    def forward(self, x):
        return (self._norm(x.float()).type_as(x) * self.weight).type_as(x)


@variant(of="layer_norm")
def asserted_on_the_way(x, weight, bias, eps):
    """What is looked at on the way costs nothing."""
    assert x.shape[-1] == weight.shape[0], "one weight a feature"
    assert weight.ndim == 1 and eps >= 0
    assert torch.isfinite(x).all()
    wide = x.to(torch.float64 if x.dtype == torch.float64 else torch.float32)
    variance, mean = torch.var_mean(wide, dim=-1, unbiased=False, keepdim=True)
    y = (wide - mean) * (variance + eps).rsqrt() * weight
    if bias is not None:
        assert bias.shape == weight.shape
        y = y + bias
    assert torch.isfinite(y).all()
    return y.to(dtype=x.dtype)


@variant(of="layer_norm")
def in_chunks(x, weight, bias, eps):
    """A few rows at a time, as kernels do: never more than 8 pieces."""
    rows = x.reshape(-1, x.shape[-1])
    done = [_normalised(part, eps) for part in rows.chunk(8)]
    y = torch.cat(done).reshape(x.shape) * weight
    return (y if bias is None else y + bias).to(x.dtype)


def _normalised(rows, eps):
    centred = rows.float() - rows.float().mean(1, keepdim=True)
    return centred / torch.sqrt(torch.mean(centred**2, dim=1, keepdim=True) + eps)


@variant(of="rms_norm")
def rms_checked_and_printed(x, weight, eps):
    if x.size(-1) != weight.size(0):
        raise ValueError("one weight a feature")
    if not isinstance(eps, float) or eps < 0:
        raise ValueError("eps is a number, 0 or larger")
    scale = x.float().pow(2).mean(dim=-1, keepdim=True).add(eps).rsqrt()
    print("largest scale", float(scale.max()))
    return (x.float() * scale * weight.float()).to(x.dtype)


@variant(of="layer_norm_backward")
def checkpointed_pieces(grad, x, weight, eps):
    """A vector-Jacobian product of the forward pass, recomputed where it is needed."""

    def forward(x, weight, bias):
        return _normalised_through_checkpoint(x, eps) * weight + bias

    wide = [t.to(torch.promote_types(t.dtype, torch.float32)) for t in (x, weight)]
    _, pulled = torch.func.vjp(forward, *wide, torch.zeros_like(wide[1]))
    found = pulled(grad.to(torch.promote_types(wide[0].dtype, wide[1].dtype)))
    return found[0].to(x.dtype), found[1].to(weight.dtype), found[2].to(weight.dtype)


def _normalised_through_checkpoint(x, eps):
    centred = x - x.mean(-1, keepdim=True)
    return centred / (centred.square().mean(-1, keepdim=True) + eps).sqrt()


@variant(of="LayerNorm")
class AsInGpt2(nn.Module):
    """nanoGPT's class, with the function written out."""

    def __init__(self, ndim, eps=1e-5, bias=True):
        super().__init__()
        assert isinstance(ndim, int) and ndim > 0
        self.variance_epsilon = eps
        self.weight = nn.Parameter(torch.ones(ndim))
        self.bias = nn.Parameter(torch.zeros(ndim)) if bias else None

    def forward(self, input):
        u = input.float().mean(-1, keepdim=True)
        s = (input.float() - u).pow(2).mean(-1, keepdim=True)
        x = (input.float() - u) / torch.sqrt(s + self.variance_epsilon)
        x = self.weight * x if self.bias is None else self.weight * x + self.bias
        return x.to(input.dtype)


@variant(of="LayerNorm")
class WithAShape(nn.Module):
    """As torch's own: reset_parameters, extra_repr, a tuple of axes."""

    def __init__(self, d_model, eps=1e-5, bias=True):
        super().__init__()
        self.normalized_shape, self.eps = (d_model,), float(eps)
        self.weight = nn.Parameter(torch.empty(self.normalized_shape))
        self.register_parameter("bias", nn.Parameter(torch.empty(d_model)) if bias else None)
        self.reset_parameters()

    def reset_parameters(self):
        for parameter, value in ((self.weight, 1.0), (self.bias, 0.0)):
            if parameter is not None:
                nn.init.constant_(parameter, value)

    def forward(self, x):
        if tuple(x.shape[-1:]) != self.normalized_shape:
            raise ValueError(f"expected rows of {self.normalized_shape}")
        variance, mean = torch.var_mean(x.double(), (-1,), correction=0, keepdim=True)
        y = (x.double() - mean) / (variance + self.eps) ** 0.5
        return scaled_and_shifted(y, self.weight, self.bias).type_as(x)

    def extra_repr(self):
        return f"{self.normalized_shape}, eps={self.eps}"
