"""Hidden checks of ``multi_head_attention``."""

from __future__ import annotations

from itertools import chain

import pytest
import torch

from grader.check import (
    autocast,
    demand_random_start,
    on_one_device,
    pairs,
    refuses,
    usable,
    work_of,
)

NAMES = ("w_q", "w_k", "w_v", "w_o")
BIASES = ("b_q", "b_k", "b_v", "b_o")


@pytest.mark.core("multi_head_attention: the heads")
@pytest.mark.public
@pytest.mark.kept("the page's own example, for a first answer")
@pytest.mark.rests_on(
    ">>> multi_head_attention(torch.ones(1, 1, 2), key, value, one, one, one, swap, num_heads=2) "
    "tensor([[[15., 5.]]])"
)
def test_example(compare, device):
    """Two heads of width 1 find 5 and 15, and w_o exchanges the two."""
    key = torch.tensor([[[1.0, 1.0], [3.0, 1.0]]], device=device).log()
    value = torch.tensor([[[8.0, 10.0], [4.0, 20.0]]], device=device)
    query, one = torch.ones(1, 1, 2, device=device), torch.eye(2, device=device)
    compare.multi_head_attention(query, key, value, one, one, one, one.flip(0), num_heads=2)


# The function -------------------------------------------------------------------------------------


@pytest.mark.core("multi_head_attention: the heads")
@pytest.mark.points(2)
@pytest.mark.kept("the definition itself, for points of its own")
@pytest.mark.rests_on(
    "Head h works on the columns h*d to (h+1)*d - 1",
    "The heads' answers are put side by side, head 0 first, and projected by w_o",
)
def test_heads_side_by_side(compare, draw):
    """Each head attends with its own columns, scaled by its own width; w_o mixes the answers."""
    x, weights = draw.normal(2, 5, 12), _matrices(draw)
    wrt = [x, *weights]
    compare.multi_head_attention(x, x, x, *weights, 3, wrt=wrt)
    compare(_each(lambda f, heads: f(x, x, x, *weights, heads), (4, 1, 12)), wrt=wrt)


@pytest.mark.points(2)
@pytest.mark.kept("two sentences are half of the idea, and worth points of their own")
@pytest.mark.rests_on("All widths may differ, and so may the lengths Tq and Tk")
def test_queries_from_one_sentence_keys_from_another(compare, draw):
    """The queries may come from another sentence, of another length, than keys and values."""
    weights = _matrices(draw)
    sides = [[draw.normal(2, length, 12) for length in (tq, tk, tk)] for tq, tk in ((5, 6), (7, 4))]
    compare(_each(lambda f, three: f(*three, *weights, 3), sides), wrt=[*chain(*sides), *weights])


@pytest.mark.points(2)
@pytest.mark.asked_once("other checks ask again, with biases and without")
@pytest.mark.rests_on("All widths may differ, and so may the lengths Tq and Tk")
def test_all_widths_may_differ(compare, draw):
    """Queries, keys, values, the heads' two widths and the result may all be of other widths."""
    inputs = [draw.normal(2, 5, 10), draw.normal(2, 5, 9), draw.normal(2, 5, 8)]
    for value_width, out in ((12, 12), (21, 11)):
        weights = _matrices(draw, 10, 9, 8, width=12, value_width=value_width, out=out)
        wrt, widths = [*inputs, *weights], (12, 12, value_width, out)
        biases = dict(zip(BIASES, map(draw.normal, widths), strict=True))
        both = _each(lambda f, given: f(*wrt, 3, **given), ({}, biases))
        compare(both, wrt=[*wrt, *biases.values()])


@pytest.mark.points(2)
@pytest.mark.kept("each bias by itself, for points of its own")
@pytest.mark.rests_on("any of them may be None, whatever the others are")
def test_biases(compare, draw):
    """Every bias is added by its own projection, whether the others are given or not."""
    x, weights = draw.normal(2, 5, 12), _matrices(draw)
    biases = {f"b_{name}": draw.normal(12, scale=2.0) for name in "qkvo"}
    wrt, alone = [x, *weights, *biases.values()], [{name: b} for name, b in biases.items()]
    compare.multi_head_attention(x, x, x, *weights, 3, **biases, wrt=wrt)
    compare(_each(lambda f, given: f(x, x, x, *weights, 3, **given), alone), wrt=wrt)


@pytest.mark.kept("the example has axes of size 1 as well, but everybody sees the example")
@pytest.mark.rests_on("Axes of size 1 are ordinary axes: one sentence, one token, one head")
def test_axes_of_size_one(compare, draw):
    """One sentence, one query, one key: the axis of size 1 stays where it is."""
    weights, sizes = _matrices(draw), ((1, 5, 6), (2, 1, 6), (2, 5, 1), (1, 1, 1))
    sides = [[draw.normal(b, n, 12) for n in (tq, tk, tk)] for b, tq, tk in sizes]
    compare(_each(lambda f, three: f(*three, *weights, 3), sides), wrt=[*chain(*sides)])


@pytest.mark.core("multi_head_attention: masks")
@pytest.mark.points(2)
@pytest.mark.kept("masks of every shape by themselves, for points of their own")
@pytest.mark.rests_on(
    "True = may attend. Two axes, (Tq, Tk), for all sentences and heads; or four",
    "Any axis may have size 1 and then stands for all",
)
def test_masks(compare, draw):
    """One mask for all, one per sentence or per head: True = may attend, size 1 is for all."""
    query, source, weights = draw.normal(2, 5, 12), draw.normal(2, 6, 12), _matrices(draw)
    wrt = [query, source, *weights]
    some = ((2, 1, 1, 6), (1, 3, 5, 6), (2, 1, 5, 6), (2, 3, 1, 6), (1, 3, 1, 6), (1, 1, 5, 6))
    for shape in ((5, 6), (2, 3, 5, 6)):
        mask = _mask(draw, *shape)
        compare.multi_head_attention(query, source, source, *weights, 3, mask=mask, wrt=wrt)
    masks = [_mask(draw, *shape) for shape in (*some, (1, 6))]
    compare(_each(lambda f, m: f(query, source, source, *weights, 3, mask=m), masks), wrt=wrt)


@pytest.mark.core("multi_head_attention: masks")
@pytest.mark.points(2)
@pytest.mark.kept("causal heads alone, for points of their own")
@pytest.mark.rests_on("position i may attend to the positions 0..i only")
def test_causal(compare, draw):
    """With is_causal, position i attends to the positions 0 to i and to none after it."""
    weights = _matrices(draw)
    for length in (5, 7, 300):
        x = draw.normal(2, length, 12)
        compare.multi_head_attention(x, x, x, *weights, 3, is_causal=True, wrt=[x, *weights])


@pytest.mark.points(2)
@pytest.mark.asked_once("other checks ask again what is given alone")
@pytest.mark.rests_on(
    "Given together with a mask, both must allow",
    "any of them may be None, whatever the others are",
    "leaves the inputs as they were",
)
def test_options_in_pairs(compare, draw):
    """With is_causal and a mask a key must be allowed by both, and biases are added with either;
    the mask given stays as it is."""
    options = {name: (None, draw.normal(9)) for name in BIASES}
    masks = None, _mask(draw, 3, 3), _mask(draw, 3, 1, 1, 3), _mask(draw, 3, 3, 3, 3)
    weights, inputs = _matrices(draw, 9, 9, 9, width=9, value_width=9, out=9), draw.normal(3, 3, 9)
    rows = pairs(mask=masks, is_causal=(False, True), **options)
    same = _each(lambda f, given: f(*3 * [inputs], *weights, 3, **given), rows)
    compare(same, wrt=[inputs, *weights])
    masks = None, _mask(draw, 5, 6), _mask(draw, 2, 1, 1, 6), _mask(draw, 2, 3, 1, 6)
    options = {name: (None, draw.normal(12)) for name in BIASES}
    query, source, weights = draw.normal(2, 5, 10), draw.normal(2, 6, 9), _matrices(draw, 10, 9, 9)
    three, rows = (query, source, source), pairs(mask=masks, **options)
    compare(_each(lambda f, given: f(*three, *weights, 3, **given), rows), wrt=[query])


@pytest.mark.points(2)
@pytest.mark.rests_on(
    "A key that may not be attended to gets no weight, however large its score",
    "Scores of several hundred must not overflow",
)
def test_forbidden_keys_that_dominate(compare, draw):
    """A forbidden key gets no weight even if its score is some hundreds above all others, and rows
    of scores near 400 and near -400 come out finite side by side."""
    query, source, weights = _dominated(draw, [40.0] * 5)
    query[:, 1:3] *= -1  # of these queries, all scores are near -400
    compare.multi_head_attention(query, source, source, *weights, 2)
    query, source, weights = _dominated(draw, [-40.0, 30.0, -40.0, 30.0, -40.0])
    mask = torch.ones(5, 5, dtype=torch.bool, device=query.device)
    mask[:3, 1] = mask[:3, 3] = False
    for given in (mask, mask.expand(2, 1, 5, 5)):
        compare.multi_head_attention(query, source, source, *weights, 2, mask=given)
    query, source, weights = _dominated(draw, [-60.0, -45.0, -30.0, -15.0, 0.0])
    compare.multi_head_attention(query, source, source, *weights, 2, is_causal=True)


@pytest.mark.kept("float16, and every option in it: elsewhere each is asked in one of two dtypes")
@pytest.mark.asked_once("the dtype is the question, and other checks ask the options again")
@pytest.mark.rests_on(
    "Everything keeps the dtype and the device of its inputs",
    "float16 ends at 65504 and has no -1e9",
)
def test_masks_in_half_precision(compare, draw):
    """Masks and is_causal work in float16 and in bfloat16, alone and together."""
    masks = None, _mask(draw, 5, 5), _mask(draw, 2, 1, 1, 5)
    rows = pairs(mask=masks, is_causal=(True, False))
    for dtype in (torch.float16, torch.bfloat16):
        x, weights = draw.normal(2, 5, 12, dtype=dtype), [w.to(dtype) for w in _matrices(draw)]
        compare(_each(lambda f, given: f(x, x, x, *weights, 3, **given), rows))


@pytest.mark.rests_on("Everything keeps the dtype and the device of its inputs")
def test_works_where_its_inputs_are(compare, draw):
    """What you make yourself, the causal mask for one, is made on the device of the inputs."""
    x, weights = draw.normal(2, 5, 12).to("meta"), [w.to("meta") for w in _matrices(draw)]
    with on_one_device("multi_head_attention"):
        compare.multi_head_attention(x, x, x, *weights, 3, is_causal=True)


# The layer ----------------------------------------------------------------------------------------


@pytest.mark.core("MultiHeadAttention")
@pytest.mark.points(2)
@pytest.mark.kept("the definition itself, for points of its own")
@pytest.mark.rests_on(
    "with weights to learn, and dropout on the attention weights",
    "Without a key, the keys are the query",
)
def test_layer(compare, draw):
    """A layer called with one sentence attends to that sentence, for any number of heads."""
    x, weights = draw.normal(2, 5, 12), _named(draw)
    compare(lambda impl: _layer(impl, weights, 12, 3)(x), wrt=[x])
    compare(lambda impl: [_layer(impl, weights, 12, heads)(x) for heads in (4, 1)], wrt=[x])


@pytest.mark.points(2)
@pytest.mark.rests_on(
    "Without a key, the keys are the query; without a value, the values are the keys"
)
def test_layer_with_keys_and_values(compare, draw):
    """Keys and values may come from elsewhere; values default to the keys, keys to the query."""
    query, key, value = draw.normal(2, 5, 12), draw.normal(2, 6, 12), draw.normal(2, 6, 12)
    weights = _named(draw)

    def probe(impl):
        layer = _layer(impl, weights, 12, 3)
        return layer(query, key), layer(query, key, value), layer(key, value=value)

    compare(probe, wrt=[query, key, value])


@pytest.mark.rests_on("the widths of key and value; None means d_model")
def test_layer_with_widths_for_keys_and_values(compare, draw):
    """kdim and vdim are the widths of key and value; what is not given is d_model wide."""
    for widths in ({"kdim": 7, "vdim": 10}, {"kdim": 7}, {"vdim": 10}):
        kdim, vdim = widths.get("kdim", 12), widths.get("vdim", 12)
        inputs = [draw.normal(2, 5, 12), draw.normal(2, 6, kdim), draw.normal(2, 6, vdim)]
        weights = _named(draw, kdim=kdim, vdim=vdim)
        compare(lambda impl: _layer(impl, weights, 12, 3, **widths)(*inputs), wrt=inputs)


@pytest.mark.points(2)
@pytest.mark.rests_on(
    "the width of all heads together; None means d_model",
    "the width of the result; None means d_model, whatever d_inner is",
    "each head is d_inner / num_heads wide",
)
def test_layer_with_widths_of_its_own(compare, draw):
    """d_inner is what the heads share, d_out what comes out; what is not given is d_model wide."""
    inputs = [draw.normal(2, length, 12) for length in (5, 6, 6)]
    for widths in ({"d_inner": 15, "d_out": 7}, {"d_inner": 24}, {"d_out": 10}):
        weights = _named(draw, **widths)

        def probe(impl):
            layer = _layer(impl, weights, d_model=12, num_heads=3, **widths)
            return layer(*inputs, need_weights=True)

        compare(probe, wrt=inputs)


@pytest.mark.rests_on("num_heads: H, a divisor of d_inner")
def test_layer_whose_heads_share_the_inner_width(compare, draw):
    """Three heads fit where d_inner is 12, though the tokens are 10 wide."""
    x, weights = draw.normal(2, 5, 10), _named(draw, d_model=10, d_inner=12)
    compare(lambda impl: _layer(impl, weights, 10, 3, d_inner=12)(x), wrt=[x])


@pytest.mark.kept("bias=False alone; the count, and out_bias, each ask for a part of it")
@pytest.mark.rests_on("False makes all four projections without biases")
def test_layer_without_biases(compare, draw):
    """bias=False makes a layer without any bias."""
    x, weights = draw.normal(2, 5, 12), _named(draw, bias=False)
    compare(lambda impl: _layer(impl, weights, 12, 3, bias=False)(x), wrt=[x])


@pytest.mark.rests_on("whether w_o has a bias, whatever bias says; None: it has if the others have")
def test_layer_with_a_bias_at_the_end_alone(compare, draw):
    """out_bias is about w_o alone, bias about the other three; the book's layer has only w_o's."""
    x = draw.normal(2, 5, 12)
    for bias in (False, True):
        options = {"bias": bias, "out_bias": not bias}
        weights = _named(draw, **options)
        compare(lambda impl: _layer(impl, weights, 12, 3, **options)(x), wrt=[x])


@pytest.mark.points(2)
@pytest.mark.kept("the rule itself, for points of its own")
@pytest.mark.rests_on("mask and is_causal mean what they mean in multi_head_attention")
def test_layer_with_masks(compare, draw):
    """The layer's mask and is_causal are those of the function, alone and together; and they are
    those of this very call."""
    x, weights = draw.normal(2, 5, 12), _named(draw)
    masks = None, *(_mask(draw, *shape) for shape in SQUARE)
    rows = pairs(is_causal=(True, False), mask=masks, need_weights=(False, True))

    def probe(impl, rows):
        layer = _layer(impl, weights, 12, 3)
        return [layer(x, **given) for given in rows]

    alike = [{"mask": _mask(draw, 2, 3, 5, 5)} for _ in range(2)]
    compare(lambda impl: probe(impl, [*alike, {"is_causal": True}]), wrt=[x])
    in_order = x, x, x, masks[2], True, True
    compare(lambda impl: _layer(impl, weights, 12, 3)(*in_order), wrt=[x])
    compare(lambda impl: probe(impl, rows), wrt=[x])


@pytest.mark.rests_on(
    "A key that may not be attended to gets no weight, however large its score",
    "mask and is_causal mean what they mean in multi_head_attention",
)
def test_layer_where_forbidden_keys_dominate(compare, draw):
    """In the layer, too, a forbidden key gets no weight even if its score is some hundreds above
    all others, in either mode."""
    query, source, matrices = _dominated(draw, [-40.0, 30.0, -40.0, 30.0, -40.0])
    weights = {f"{name}.weight": matrix for name, matrix in zip(NAMES, matrices, strict=True)}
    mask = torch.ones(5, 5, dtype=torch.bool, device=query.device)
    mask[:3, 1] = mask[:3, 3] = False
    later = _dominated(draw, [-60.0, -45.0, -30.0, -15.0, 0.0])[1]

    def probe(impl):
        layer = _layer(impl, weights, 8, 2, bias=False)
        return layer(query, source, mask=mask), layer(query, later, is_causal=True)

    compare(probe, wrt=[query])


@pytest.mark.asked_once("1,100 tokens take long; other checks ask the layer again")
@pytest.mark.rests_on("The lengths may differ from call to call, and there is no longest one")
def test_layer_takes_any_length(compare, draw):
    """One layer serves sentences of any length, one after the other."""
    weights, inputs = _named(draw), [draw.normal(1, length, 12) for length in (5, 1, 70, 1100)]

    def probe(impl):
        layer = _layer(impl, weights, 12, 3)
        layer.requires_grad_(False)
        return [layer(x, is_causal=True) for x in inputs]

    compare(probe)


@pytest.mark.points(2)
@pytest.mark.kept("weights without dropout, for points of their own")
@pytest.mark.rests_on(
    "The weights returned are those of every head, before dropout",
    "Axes of size 1 are ordinary axes: one sentence, one token, one head",
)
def test_layer_shows_the_weights_of_every_head(compare, draw):
    """need_weights returns (out, weights), with the weights of every head apart: four axes, be
    there one sentence, one query, one key or one head."""
    query, source, weights = draw.normal(2, 5, 12), draw.normal(2, 6, 12), _named(draw)
    masks, inputs = (None, _mask(draw, 5, 6)), (query, source, source)

    def probe(impl):
        layer = _layer(impl, weights, 12, 3)
        return [layer(*inputs, mask=mask, need_weights=True) for mask in masks]

    compare(probe, wrt=[query, source])
    sizes = (3, 1, 5, 6), (3, 2, 1, 6), (3, 2, 5, 1), (1, 2, 5, 6), (1, 1, 1, 1)
    few = [(heads, draw.normal(b, tq, 12), draw.normal(b, tk, 12)) for heads, b, tq, tk in sizes]
    compare(
        lambda impl: [
            _layer(impl, weights, 12, heads)(x, y, need_weights=True) for heads, x, y in few
        ]
    )


@pytest.mark.kept("the count is the lesson; the names are checked by every other check")
@pytest.mark.rests_on(
    "4 d_model^2 + 4 d_model numbers, or 4 d_model^2 without biases, whatever the number of heads"
)
def test_number_of_parameters(submission):
    """A layer has 4 d^2 + 4 d parameters, or 4 d^2 without biases, for any number of heads; twice
    as wide inside, it has 8 d^2 + 7 d."""
    counts = {
        bias: [_count(submission.MultiHeadAttention(12, heads, bias=bias)) for heads in (1, 4)]
        for bias in (True, False)
    }
    for bias, wanted in ((True, 4 * 12**2 + 4 * 12), (False, 4 * 12**2)):
        found = counts[bias]
        assert any(found), "the layer has no parameters: they are not where nn.Module finds them"
        assert len(set(found)) == 1, (
            f"with 1 and 4 heads a layer of width 12 has {found} parameters: "
            "the number must not depend on the heads"
        )
        without = "" if bias else "out biases"
        assert found[0] == wanted, (
            f"a layer of width 12 with{without or ' biases'} has {found[0]} parameters, "
            f"not {wanted}"
        )
    wide, wanted = _count(submission.MultiHeadAttention(12, 4, d_inner=24)), 8 * 12**2 + 7 * 12
    assert wide == wanted, (
        f"a layer of width 12 with d_inner=24 has {wide} parameters, not {wanted}"
    )


@pytest.mark.rests_on("num_heads does not divide d_inner (when the layer is made)")
def test_layer_refuses_heads_that_cannot_share(submission, draw):
    """10 columns cannot be shared by 3 heads: making such a layer raises ValueError."""
    for width, heads, inner in ((10, 3, {}), (12, 5, {}), (12, 3, {"d_inner": 10})):
        said = "".join(f", {name}={size}" for name, size in inner.items())
        x, made = draw.normal(2, 4, width), f"MultiHeadAttention({width}, {heads}{said})"
        refuses(lambda: submission.MultiHeadAttention(width, heads, **inner)(x), f"{made}(x)")
        refuses(lambda: submission.MultiHeadAttention(width, heads, **inner), f"making {made}")


@pytest.mark.rests_on("Everything keeps the dtype and the device of its inputs")
def test_layer_in_other_places(compare, submission, draw):
    """After .to(...) the layer works on another device and in another dtype, masks, dropout and
    all."""
    far, weights = draw.normal(2, 5, 12).to("meta"), _named(draw)

    def moved(impl, dropout):
        layer = _layer(impl, weights, 12, 3, dropout)
        layer.requires_grad_(False)  # values are the question here
        layer.to("meta")
        return layer(far, is_causal=True)

    with on_one_device("MultiHeadAttention"):
        for dropout in (0.0, P):
            compare(lambda impl: moved(impl, dropout))
    layer = submission.MultiHeadAttention(12, 3, P)
    layer.to(torch.bfloat16)
    y = layer(draw.normal(2, 5, 12, dtype=torch.bfloat16), is_causal=True)
    usable(layer, y, (2, 5, 12), torch.bfloat16)


@pytest.mark.rests_on(
    "Under torch.autocast projections and scores are bfloat16 or float16 while the query is float32"
)
def test_layer_under_autocast(compare, draw):
    """Under torch.autocast scores are bfloat16 or float16 and the query is not: the layer works
    even so, with every mask."""
    x, weights = draw.normal(2, 5, 12), _named(draw)
    rows = pairs(is_causal=(True, False), mask=(None, _mask(draw, 2, 1, 1, 5)))

    def mixed(impl, dtype, given):
        layer = _layer(impl, weights, 12, 3)
        layer.requires_grad_(False)  # values are the question here
        with autocast(impl, dtype):
            y = layer(x, **given)
        return y.double().cpu().numpy()  # its dtype is left open

    for dtype in (torch.bfloat16, torch.float16):
        for given in rows:  # one by one, so that the call shown is the one that differs
            compare(lambda impl: mixed(impl, dtype, given))


# Dropout ------------------------------------------------------------------------------------------

P, MOST = 0.25, 0.6
KEYS = 16
SQUARE = (5, 5), (2, 1, 1, 5), (2, 3, 5, 5), (1, 5), (1, 3, 1, 5)  # 2 sentences, 5 tokens, 3 heads
WIDTH = 3 * (KEYS + 4)


@pytest.mark.points(2)
@pytest.mark.asked_once("the mode is asked for here, and other checks ask the layer again")
@pytest.mark.rests_on("Nothing else is dropped, and in eval mode nothing is")
def test_layer_drops_nothing_in_eval(compare, submission, draw):
    """In eval mode dropout changes nothing, and dropout=0.0 changes nothing in train mode."""
    x, weights = draw.normal(2, 5, 12), _named(draw)
    masks = None, *(_mask(draw, *shape) for shape in SQUARE)
    rows = pairs(need_weights=(False, True), is_causal=(False, True), mask=masks)

    def evaluated(impl, rows):
        layer = _layer(impl, weights, 12, 3, 0.4)
        layer.eval()
        return [layer(x, **given) for given in rows]

    first, second = (usable(submission, y, x.shape) for y in evaluated(submission, ({}, {})))
    assert _close(first, second), "in eval mode two calls differ: dropout still acts"
    compare(lambda impl: evaluated(impl, rows), wrt=[x])
    compare(lambda impl: _layer(impl, weights, 12, 3, dropout=0.0)(x), wrt=[x])


@pytest.mark.points(2)
@pytest.mark.asked_once("other checks ask the layer again, with every mask")
@pytest.mark.rests_on(
    "In train mode each attention weight on its own is set to 0 with this probability",
    "every sentence has random numbers of its own, with and without masks",
)
def test_layer_drops_weights(compare, submission, reference, draw):
    """In train mode each attention weight on its own is 0 or divided by 1 - dropout."""
    weights, (query, *others), mix = _showing_layer(draw)
    masks = None, _mask(draw, 2, 1, 1, KEYS), _mask(draw, KEYS, KEYS)
    rows, inputs = pairs(mask=masks, is_causal=(False, True)), (query[:, :KEYS], *others)

    def undropped(impl):
        layer = _layer(impl, weights, WIDTH, 3)
        layer.requires_grad_(False)  # values are the question here
        return [layer(*inputs, **given) for given in rows]

    compare(undropped)
    layer, other, most = (_layer(submission, weights, WIDTH, 3, p) for p in (P, P, MOST))
    one, another = (_shown(each(*inputs))[0] == 0 for each in (layer, other))
    for given, plain in zip(rows, undropped(reference), strict=True):
        first, second = (_shown(layer(*inputs, **given)) for _ in range(2))
        _judge_dropout(first, second, _shown(plain)[0], mix, _said(given))
    assert not (one == another).all(), "another layer drops the very same weights"
    first, second = (_shown(most(*inputs)) for _ in range(2))
    plain, _ = _shown(_layer(reference, weights, WIDTH, 3)(*inputs))
    _judge_dropout(first, second, plain, mix, p=MOST)


@pytest.mark.asked_once("other checks ask again for the weights of every head")
@pytest.mark.rests_on("The weights returned are those of every head, before dropout")
def test_layer_shows_weights_before_dropout(compare, submission, reference, draw):
    """The weights returned are the ones before dropout: nothing is missing, rows sum to one."""
    weights, inputs, _ = _showing_layer(draw)
    compare(lambda impl: _layer(impl, weights, WIDTH, 3)(*inputs, need_weights=True))
    _, plain = _layer(reference, weights, WIDTH, 3)(*inputs, need_weights=True)
    layer = _layer(submission, weights, WIDTH, 3, P)
    out, found = layer(*inputs, need_weights=True)
    assert found.shape == plain.shape, "with dropout the weights returned have another shape"
    assert (found != 0).all(), "the weights returned hold zeros: they were taken after dropout"
    assert _close(found, plain), "with dropout the weights returned are others than without"
    assert (_shown(layer(*inputs))[0] == 0).any(), "in train mode no weight is 0"
    assert (_shown(out)[0] == 0).any(), "in train mode no weight is 0 if need_weights is True"


# The wrapper --------------------------------------------------------------------------------------


@pytest.mark.core("MultiHeadAttentionWrapper")
@pytest.mark.points(2)
@pytest.mark.kept("the definition itself, for points of its own")
@pytest.mark.rests_on(
    "The results are put side by side, head 0 first. There is no output projection"
)
def test_wrapper_puts_causal_heads_side_by_side(compare, draw):
    """The wrapper's result holds head 0's columns first, then head 1's, all causal."""
    x = draw.normal(2, 5, 7)
    x[1, 2] = 0.0  # a token that scores 0 with all is none of the future
    for heads, width in ((3, 4), (1, 6), (4, 1)):
        weights = _head_weights(draw, 7, width, heads)
        compare(lambda impl: _wrapper(impl, weights, 7, width, 5, 0.0, heads)(x), wrt=[x])


@pytest.mark.kept("a mask that is never cut fails the count of operations as well")
@pytest.mark.rests_on(
    "the longest sentence that is taken; shorter ones are taken too",
    "Axes of size 1 are ordinary axes: one sentence, one token, one head",
)
def test_wrapper_takes_shorter_sentences(compare, draw):
    """Sentences shorter than context_length are as welcome, down to a single token, and so is one
    sentence alone."""
    weights, sizes = _head_weights(draw, 7, 4, 3), ((2, 5), (2, 1), (1, 5), (1, 1))
    inputs = [draw.normal(*size, 7) for size in sizes]

    def probe(impl):
        wrapper = _wrapper(impl, weights, 7, 4, 9, 0.0, 3)
        return [wrapper(x) for x in inputs]

    compare(probe, wrt=inputs)


@pytest.mark.rests_on(
    "A key that may not be attended to gets no weight, however large its score",
    "float16 ends at 65504 and has no -1e9",
)
def test_wrapper_where_later_tokens_dominate(compare, draw):
    """In the wrapper, too, a later token gets no weight even if its score is some hundreds above
    all others; and in float16 it works as well."""
    x, weights = draw.normal(2, 5, 7), _head_weights(draw, 7, 4, 3)
    x[..., 0] = 20.0
    x[..., 1] = torch.tensor([-60.0, -45.0, -30.0, -15.0, 0.0], device=x.device)
    for head in range(3):
        query, key = (weights[f"heads.{head}.W_{name}.weight"] for name in ("query", "key"))
        query[0], key[0] = torch.eye(7, device=x.device)[:2]  # scores are 10 times these
    compare(lambda impl: _wrapper(impl, weights, 7, 4, 5, 0.0, 3)(x))
    half, weights = draw.normal(2, 5, 7, dtype=torch.float16), _head_weights(draw, 7, 4, 3)

    def in_half(impl):
        wrapper = _wrapper(impl, weights, 7, 4, 5, 0.0, 3)
        wrapper.to(torch.float16)
        return wrapper(half)

    compare(in_half)


@pytest.mark.rests_on("forward is given a sentence longer than context_length")
def test_wrapper_refuses_longer_sentences(submission, draw):
    """A sentence longer than context_length raises ValueError."""
    wrapper, evaluated = (submission.MultiHeadAttentionWrapper(7, 4, 5, 0.0, 3) for _ in range(2))
    evaluated.eval()
    x, said = draw.normal(2, 6, 7), "6 tokens with context_length=5"
    refuses(lambda: wrapper(x), said, lambda: evaluated(x), f"{said}, in eval mode,")


@pytest.mark.rests_on("A mask that a head keeps must follow .to(...) and is no parameter")
def test_wrapper_in_other_places(compare, submission, draw):
    """After .to(...) the wrapper works on another device and in another dtype: masks follow, and so
    does dropout."""
    far, weights = draw.normal(2, 5, 7).to("meta"), _head_weights(draw, 7, 4, 3)

    def moved(impl, dropout):
        wrapper = _wrapper(impl, weights, 7, 4, 5, dropout, 3)
        wrapper.requires_grad_(False)  # values are the question here
        wrapper.to("meta")
        return wrapper(far)

    with on_one_device("MultiHeadAttentionWrapper"):
        for dropout in (0.0, P):
            compare(lambda impl: moved(impl, dropout))
    wrapper = submission.MultiHeadAttentionWrapper(7, 4, 5, P, 3)
    wrapper.to(torch.bfloat16)
    usable(wrapper, wrapper(draw.normal(2, 5, 7, dtype=torch.bfloat16)), (2, 5, 12), torch.bfloat16)


@pytest.mark.asked_once("the mode is asked for here, and other checks ask the wrapper again")
@pytest.mark.rests_on("attention weights as in MultiHeadAttention, in train mode only")
def test_wrapper_drops_nothing_in_eval(compare, submission, draw):
    """In eval mode the wrapper's dropout changes nothing."""
    x, weights = draw.normal(2, 5, 7), _head_weights(draw, 7, 4, 3)

    def evaluated(impl):
        wrapper = _wrapper(impl, weights, 7, 4, 5, 0.4, 3)
        wrapper.eval()
        return wrapper(x), wrapper(x)

    first, second = (usable(submission, y, (2, 5, 12)) for y in evaluated(submission))
    assert _close(first, second), "in eval mode two calls differ: heads still drop"
    compare(evaluated, wrt=[x])


@pytest.mark.rests_on(
    "on each head's attention weights as in MultiHeadAttention",
    "every head, every query and every sentence has random numbers of its own",
)
def test_wrapper_drops_weights(compare, submission, reference, draw):
    """In train mode each weight of each of the wrapper's heads is 0 or grows by 1 / (1 - p)."""
    mix, x = draw.normal(3, 4, KEYS), draw.normal(6, KEYS, KEYS + 8)
    x[..., :KEYS] = torch.eye(KEYS, device=x.device)
    weights = {}
    for head in range(3):
        for name in ("W_query", "W_key"):
            weights[f"heads.{head}.{name}.weight"] = draw.normal(KEYS + 4, KEYS + 8, scale=0.3)
        weights[f"heads.{head}.W_value.weight"] = _copying(mix[head], KEYS + 8)
    sizes = KEYS + 8, KEYS + 4, KEYS
    compare(lambda impl: _wrapper(impl, weights, *sizes, 0.0, 3)(x))
    plain, _ = _shown(_wrapper(reference, weights, *sizes, 0.0, 3)(x))
    wrapper, other = (_wrapper(submission, weights, *sizes, P, 3) for _ in range(2))
    first, second, third = (_shown(each(x)) for each in (wrapper, wrapper, other))
    _judge_dropout(first, second, plain, mix)
    same = ((first[0] == 0) == (third[0] == 0)).all()
    assert not same, "another wrapper drops the very same weights"
    most = _wrapper(submission, weights, *sizes, MOST, 3)
    _judge_dropout(_shown(most(x)), _shown(most(x)), plain, mix, p=MOST)


# All layers ---------------------------------------------------------------------------------------


@pytest.mark.asked_once("other objects and other weights are asked for here")
@pytest.mark.rests_on(
    "A layer follows its own options, the mask of this very call, and its weights as they are now"
)
def test_layers_side_by_side(compare, draw):
    """A layer does what it was told when it was made, whatever other layers were told later; and
    where its weights are changed, the next call uses the new ones, in eval mode as well."""
    x, old, new = draw.normal(2, 5, 12), _named(draw), _named(draw)
    heads, others = (_head_weights(draw, 12, 4, 3) for _ in range(2))

    def probe(impl):
        layers = [_layer(impl, old, 12, 3), _wrapper(impl, heads, 12, 4, 5, 0.0, 3)]
        impl.MultiHeadAttention(12, 6, 0.4)
        impl.MultiHeadAttentionWrapper(12, 6, 2, 0.4, 2)
        for layer in layers:
            layer.requires_grad_(False)  # values are the question here
        before = [layer(x) for layer in layers]
        for layer, weights in zip(layers, (new, others), strict=True):
            layer.load(weights)
        after = [layer(x) for layer in layers]
        for layer in layers:
            layer.eval()
        evaluated = [layer(x) for layer in layers]
        for layer, weights in zip(layers, (old, heads), strict=True):
            layer.load(weights)
        return before, after, evaluated, [layer(x) for layer in layers]

    compare(probe)


@pytest.mark.rests_on(
    "Matrices start at random, every number drawn on its own, each projection and each head apart",
    "between 0.05 / sqrt(n) and 2 / sqrt(n) in a matrix with n inputs",
)
def test_layers_start_at_random(submission):
    """Every matrix starts with numbers of its own around 0, neither tiny nor large."""
    layers = [submission.MultiHeadAttention(24, 3, kdim=32, vdim=40) for _ in range(3)]
    inputs = dict(zip((f"{name}.weight" for name in NAMES), (24, 32, 40, 24), strict=True))
    demand_random_start("MultiHeadAttention", [layer.parameters() for layer in layers], inputs)
    square = [submission.MultiHeadAttention(24, 3).parameters() for _ in range(3)]
    demand_random_start("MultiHeadAttention", square, dict.fromkeys(inputs, 24))
    wrappers = [submission.MultiHeadAttentionWrapper(24, 16, 5, 0.1, 3) for _ in range(3)]
    names = [f"heads.{h}.W_{name}.weight" for h in range(3) for name in ("query", "key", "value")]
    started = [wrapper.parameters() for wrapper in wrappers]
    demand_random_start("MultiHeadAttentionWrapper", started, dict.fromkeys(names, 24))


# Work ---------------------------------------------------------------------------------------------

ONE_EACH = 24  # operations, for 32 instead of 8


@pytest.mark.rests_on("No Python loop runs over sentences, queries or keys")
def test_function_takes_all_tokens_at_once(compare, submission, draw):
    """No Python loop over sentences, queries or keys: 32 of them take as many torch operations as
    8, each on more numbers. (A loop over heads is fine.)"""
    weights, x = _matrices(draw), draw.normal(2, 5, 12)
    compare.multi_head_attention(x, x, x, *weights, 3)  # right first

    def operations(batch, queries, keys, is_causal):
        query, key = draw.normal(batch, queries, 12), draw.normal(batch, keys, 12)

        def attend(impl):
            y = impl.multi_head_attention(query, key, key, *weights, 3, is_causal=is_causal)
            return usable(impl, y, (batch, queries, 12))

        return work_of(submission, attend).operations

    _demand_no_growth("multi_head_attention", operations)


@pytest.mark.rests_on("No Python loop runs over sentences, queries or keys")
def test_layer_takes_all_tokens_at_once(compare, submission, draw):
    """No Python loop over sentences, queries or keys in the layer either."""
    weights, x = _named(draw), draw.normal(2, 5, 12)
    compare(lambda impl: _layer(impl, weights, 12, 3)(x))  # right first

    def operations(batch, queries, keys, is_causal):
        query, key = draw.normal(batch, queries, 12), draw.normal(batch, keys, 12)

        def attend(impl):
            y = impl.MultiHeadAttention(12, 3)(query, key, is_causal=is_causal)
            return usable(impl, y, (batch, queries, 12))

        return work_of(submission, attend).operations

    _demand_no_growth("MultiHeadAttention", operations)


@pytest.mark.rests_on("No Python loop runs over sentences, queries or keys")
def test_wrapper_takes_all_tokens_at_once(compare, submission, draw):
    """The wrapper has a loop over its heads, and none over sentences or tokens."""
    weights, right = _head_weights(draw, 7, 4, 3), draw.normal(2, 5, 7)
    compare(lambda impl: _wrapper(impl, weights, 7, 4, 32, 0.0, 3)(right))  # right first

    def operations(batch, tokens):
        x = draw.normal(batch, tokens, 7)

        def attend(impl):
            y = impl.MultiHeadAttentionWrapper(7, 4, 32, 0.0, 3)(x)
            return usable(impl, y, (batch, tokens, 12))

        return work_of(submission, attend).operations

    few = operations(8, 8)
    for what, many in (("sentences", operations(32, 8)), ("tokens", operations(8, 32))):
        assert many - few < ONE_EACH, f"MultiHeadAttentionWrapper: more operations for more {what}"


@pytest.mark.rests_on(
    "no tensor on the way is larger than a few times the attention weights and the inputs"
)
def test_no_tensor_for_every_query_key_and_feature(compare, submission, draw):
    """No tensor of shape (B, H, Tq, Tk, d) on the way: a head of width 64 would need 64 times the
    memory of its scores, which a matrix product never needs."""
    query, key = draw.normal(2, 36, 48), draw.normal(2, 40, 48)
    weights = _matrices(draw, 48, 48, 48, width=48, value_width=48, out=48)
    named = {f"{name}.weight": w for name, w in zip(NAMES, weights, strict=True)}
    named |= {f"{name}.bias": draw.normal(48) for name in NAMES}
    compare.multi_head_attention(query, key, key, *weights, 3)  # right first
    compare(lambda impl: _layer(impl, named, 48, 3)(query, key))
    layer = _layer(submission, named, 48, 3)  # what it keeps from the start is not on the way
    for name, probe in (
        (
            "multi_head_attention",
            lambda impl: impl.multi_head_attention(query, key, key, *weights, 3),
        ),
        (
            "MultiHeadAttention",
            lambda impl: layer(query, key),
        ),
    ):
        largest = work_of(submission, probe).largest
        assert largest <= 6 * (2 * 3 * 36 * 40), f"{name}: a tensor of (B, H, Tq, Tk, d) is made"


def _demand_no_growth(name, operations):
    few = operations(8, 8, 8, False)
    grown = [
        what
        for what, sizes in (
            ("sentences", (32, 8, 8)),
            ("queries", (8, 32, 8)),
            ("keys", (8, 8, 32)),
        )
        if operations(*sizes, False) - few >= ONE_EACH
    ]
    assert not grown, f"{name}: more torch operations for more {' and '.join(grown)}"
    causal = operations(8, 32, 32, True) - operations(8, 8, 8, True)
    assert causal < ONE_EACH, f"{name}: with is_causal, more torch operations for more tokens"


# What the checks share ----------------------------------------------------------------------------


def _each(call, choices):
    """The function's answers to several choices, as one probe."""
    return lambda impl: [call(impl.multi_head_attention, choice) for choice in choices]


def _matrices(draw, *inputs, width=12, value_width=12, out=12):
    """w_q, w_k, w_v and w_o, large enough to make heads choose."""
    query, key, value = inputs or (12, 12, 12)
    shapes = (width, query), (width, key), (value_width, value), (out, value_width)
    return [draw.normal(*shape, scale=1.5 / shape[1] ** 0.5) for shape in shapes]


def _mask(draw, *shape):
    """Random, but every query may attend to the first and the last key and not to the second,
    and the first sentence (or query) differs from the second.
    """
    mask = draw.booleans(*shape)
    keys = mask if shape[-1] > 1 else mask.mT
    keys[..., 0], keys[..., 1], keys[..., -1] = True, False, True
    if shape[0] > 1:
        keys[0, ..., 2], keys[1, ..., 2] = True, False
    return mask


def _dominated(draw, offsets):
    """Two heads of width 4: in both, all queries have scores of 10 times ``offsets``."""
    query, source = draw.normal(2, 5, 8), draw.normal(2, 5, 8)
    query[..., ::4] = 20.0
    source[..., ::4] = torch.tensor(offsets, device=source.device)[:, None]
    identity = torch.eye(8, device=query.device)
    return query, source, [identity, identity, identity, draw.normal(8, 8)]


def _named(draw, bias=True, out_bias=None, d_model=12, **widths):
    """The parameters of a layer, by name; a width that is not given is d_model."""
    kdim, vdim, inner, out = (
        widths.get(name, d_model) for name in ("kdim", "vdim", "d_inner", "d_out")
    )
    matrices = _matrices(draw, d_model, kdim, vdim, width=inner, value_width=inner, out=out)
    weights = {f"{name}.weight": w for name, w in zip(NAMES, matrices, strict=True)}
    last = bias if out_bias is None else out_bias
    biased = zip(NAMES, matrices, (bias, bias, bias, last), strict=True)
    return weights | {f"{name}.bias": draw.normal(len(w)) for name, w, has in biased if has}


def _layer(impl, weights, *args, **options):
    layer = impl.MultiHeadAttention(*args, **options)
    layer.load(weights)
    return layer


def _head_weights(draw, d_in, d_out, heads):
    return {
        f"heads.{head}.{name}.weight": draw.normal(d_out, d_in, scale=1.5 / d_in**0.5)
        for head in range(heads)
        for name in ("W_query", "W_key", "W_value")
    }


def _wrapper(impl, weights, *args):
    wrapper = impl.MultiHeadAttentionWrapper(*args)
    wrapper.load(weights)
    return wrapper


def _count(layer):
    return sum(p.numel() for p in layer.parameters().values())


def _showing_layer(draw):
    """A layer's weights, and inputs, that let the result show the weights used; and ``mix``.

    The values are one-hot, and each of three heads copies them into its first columns: there the
    result holds the weights that the values met. Its other columns are ``mix`` times those.
    """
    mix, weights = draw.normal(3, 4, KEYS), {}
    for name in ("w_q", "w_k"):
        weights[f"{name}.weight"] = draw.normal(WIDTH, WIDTH, scale=WIDTH**-0.5)
    weights["w_v.weight"] = torch.cat([_copying(m, WIDTH) for m in mix])
    weights["w_o.weight"] = torch.eye(WIDTH, device=mix.device)
    weights |= {f"{name}.bias": mix.new_zeros(WIDTH) for name in NAMES}
    value = torch.eye(KEYS, WIDTH, device=mix.device).expand(2, KEYS, WIDTH)
    return weights, (draw.normal(2, 24, WIDTH), draw.normal(2, KEYS, WIDTH), value), mix


def _copying(mix, width):
    """A projection that keeps the first KEYS columns and adds ``mix`` times them."""
    keep = torch.eye(KEYS, width, device=mix.device)
    return torch.cat([keep, mix @ keep])


def _shown(out):
    """The weights that the values met, (B, Tq, H, Tk), and the columns that must agree."""
    right = isinstance(out, torch.Tensor) and out.ndim == 3 and out.shape[-1] == WIDTH
    assert right, "the result must be a tensor of shape (B, Tq, width)"
    out = out.unflatten(-1, (3, KEYS + 4))
    return out[..., :KEYS], out[..., KEYS:]


def _said(given):
    return "".join(
        f", given {name}"
        for name, value in given.items()
        if value is not None and value is not False
    )


def _judge_dropout(first, second, plain, mix, given="", p=P):
    """Dropout fell on each weight alone, and on nothing else."""
    used, rest = first
    there = plain != 0
    dropped = there & (used == 0)
    if not dropped.any():
        assert not _close(used, plain), f"in train mode nothing is dropped{given}"
        summed = _close(used.sum(-1), 1)
        assert not summed, "dropout acts before the softmax: weights change, but none is 0"
        raise AssertionError("in train mode the weights change, but none is 0")
    mixed = torch.einsum("bihj,hcj->bihc", used, mix)
    if not _close(mixed, rest):
        exact = torch.einsum("bihj,hcj->bihc", plain, mix) / (1 - p)
        scaled = torch.where(used == 0, 0.0, plain / (1 - p))
        on_out = _close(rest, torch.where(rest == 0, 0.0, exact)) and _close(used, scaled)
        assert not on_out, (
            "dropout acts on the result, or on the heads' answers before w_o: single numbers of "
            "them are 0"
        )
        by_key = (dropped == dropped[:, -1:])[there].all()
        assert not by_key, "dropout acts on the values: a number is gone for all queries"
        raise AssertionError("dropout acts on something besides the weights")
    assert dropped[there].double().mean() < 0.99, "everything is dropped"
    for along, name in ((-1, "keys"), (-2, "heads"), (-3, "queries"), (-4, "sentences")):
        assert not _alike(dropped, there, along), f"{name} lose the same weights to dropout"
    again = there & (second[0] == 0)
    assert (dropped != again).any(), "a second call drops the very same weights"
    share = dropped[there].double().mean().item()
    room = 6 * (p * (1 - p) / there.sum().item()) ** 0.5  # of chance: six standard deviations
    assert abs(share - (1 - p)) > room, "a share 1 - dropout of the weights is dropped"
    assert abs(share - p) < room, "the share of weights dropped is not dropout"
    factor = (used / plain)[there & ~dropped]
    assert not _close(used.sum(-1), 1), "the rows sum to one again after dropout"
    assert not _close(factor, 1), "the weights that are kept are not divided by 1 - dropout"
    assert _close(factor, 1 / (1 - p)), "what is kept is not the weights over 1 - dropout"


def _alike(dropped, there, along):
    """Are two neighbours along an axis dropped together? By chance they agree at 5 of 8 places."""
    for n in range(dropped.shape[along] - 1):
        one, other = (dropped.narrow(along, n + i, 1) for i in range(2))
        both = there.narrow(along, n, 1) & there.narrow(along, n + 1, 1)
        if both.sum() > 40 and (one == other)[both].all():
            return True
    return False


def _close(actual, expected):
    expected = torch.as_tensor(expected).to(actual).double()
    return torch.allclose(actual.double(), expected, rtol=1e-4, atol=1e-4)
