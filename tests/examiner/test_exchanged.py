"""Arguments in each other's places are told, and none that are where they belong."""

from __future__ import annotations

import pytest

from grader.course.course import find_course
from grader.errors import OwnLine, Raised
from grader.examiner.causes import explain
from grader.examiner.exchanged import exchanged, exchanging
from grader.examiner.functions_in import arguments
from grader.examiner.loose_ends import loose_ends
from grader.examiner.surroundings import Surroundings
from grader.report.loose_ends import loose_words
from grader.report.words import in_file
from grader.sandbox.session import SubmissionRaised

# ``layer_norm(x, weight, bias, eps)``, ``LayerNorm(d_model, eps=1e-5, bias=True)`` and
# ``Transformer.decode(tgt, memory, src_mask=None, tgt_mask=None)`` are on pages.
HEAD = "from layer_norm import LayerNorm, layer_norm\n"


def told(line, module="gpt", within="f", text=HEAD):
    around = Surroundings(find_course(), {module: text}, module)
    return [(one.name, one.takes) for one in exchanged([(3, line)], within, around)]


@pytest.mark.parametrize(
    ("line", "pairs"),
    [
        ("y = layer_norm(x, self.weight, self.eps, self.bias)", [("eps", "bias")]),
        ("y = layer_norm(x, weight, eps, bias)", [("eps", "bias")]),
        ("self.norm = LayerNorm(d_model, bias)", [("bias", "eps")]),
        ("self.norm = LayerNorm(d_model, bias, 1e-5)", [("bias", "eps")]),
        ("y = layer_norm(x, weight, bias, eps)", []),
        ("y = layer_norm(h, w, b, 1e-5)", []),
        ("self.norm = LayerNorm(d_model, bias=bias)", []),
        ("self.norm = LayerNorm(d_model, eps, bias=bias)", []),
        ("self.norm = LayerNorm(bias)", []),
        ("y = unknown(x, eps, bias)", []),
        ("y = layer_norm(x, weight,", []),
        ("def layer_norm(x, weight, eps, bias):", []),
        ("y = torch.layer_norm(x, weight, eps, bias)", []),
    ],
)
def test_is_a_name_of_the_page_in_the_place_of_another(line, pairs):
    """Of functions and classes that are imported; who names an argument may give it anywhere."""
    assert told(line) == pairs


def test_one_thing_may_stand_in_two_places():
    """As in attention of a tensor to itself, or to a memory."""
    line = "y = scaled_dot_product_attention(key, key, value)"
    text = "from attention import scaled_dot_product_attention\n"
    assert told(line, text=text) == []


def test_methods_of_the_same_class_are_known():
    """By the class in which the line stands."""
    line = "hidden = self.decode(tgt, memory, tgt_mask, src_mask)"

    assert told(line, "transformer", "Transformer.forward", "") == [("tgt_mask", "src_mask")]
    assert told(line, "transformer", "Decoder.forward", "") == []
    assert told("self.decode(tgt, memory, src_mask, tgt_mask)", "transformer") == []


PARTS = """from decoder import Decoder
class Transformer(nn.Module):
    def __init__(self):
        self.decoder = Decoder(DecoderLayer(4, 2, 8), 2)
        self.either = Decoder(1) if self.decoder else None
        self.either = Encoder(1)
"""


@pytest.mark.parametrize(
    ("line", "pairs"),
    [
        ("self.decoder(x, memory, src_mask, tgt_mask)", [("tgt_mask", "memory_mask")]),
        ("self.decoder(x, memory, memory_mask, tgt_mask)", [("memory_mask", "tgt_mask")]),
        ("self.decoder(x, memory, tgt_mask, src_mask)", []),
        ("self.decoder(x, memory, one, tgt_mask)", []),
        ("self.decoder(x, memory, tgt_mask=src_mask, memory_mask=tgt_mask)", []),
        ("self.either(x, memory, src_mask, tgt_mask)", []),
        ("self.unknown(x, memory, src_mask, tgt_mask)", []),
    ],
)
def test_a_part_is_known_by_what_it_is_made_of(line, pairs):
    """Of two masks one may have another name here than there."""
    assert told(line, "transformer", "Transformer.decode", PARTS) == pairs


def test_what_a_class_extends_is_known():
    """``super().__init__`` takes what the class above takes."""
    text = f"{HEAD}class Norm(LayerNorm):\n    pass\n"

    assert told("super().__init__(d_model, bias)", within="Norm.__init__", text=text) == [
        ("bias", "eps")
    ]
    assert told("super().__init__(d_model, eps, bias)", within="Norm.__init__", text=text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x, y)", ["x", "y"]),
        ("f(a, b), (1, 2)) + g(z)", ["f(a, b)", "(1, 2)"]),
        (")", [""]),
        ("x, y", None),
    ],
)
def test_arguments_are_taken_apart_by_their_brackets(text, expected):
    """Those of a call that goes on in the next line are not known."""
    assert arguments(text) == expected


def test_it_is_told_beside_a_failure():
    """With the line, and whose signature it is."""
    text = f"{HEAD}def f(x):\n    return layer_norm(x, weight, eps, bias)\n"
    around = Surroundings(find_course(), {"gpt": text}, "gpt")
    (end,) = loose_ends(around, "f", None)

    assert (end["kind"], end["line"]) == ("exchanged", 3)
    assert "`eps` stands where `layer_norm(x, weight, bias, eps)` takes `bias`" in loose_words(
        (end,), in_file
    )


def test_it_does_not_explain_what_is_not_written():
    """A page below that is a stub is told as that."""
    line = OwnLine("transformer.py", 9, "self.decode(tgt, memory, tgt_mask, src_mask)", "T.forward")
    stub = OwnLine("attention.py", 4, "raise NotImplementedError", "f")
    raised = Raised("NotImplementedError", "f: replace this line", (line, stub))
    around = Surroundings(find_course(), {"transformer": ""}, "transformer")

    assert raised.from_a_stub
    assert exchanging(raised, around) is None


def test_it_explains_whatever_is_raised_behind_it():
    """Also in another module, which is not blamed; and the line is the one that exchanges."""
    line = "hidden = self.decode(tgt, memory, tgt_mask, src_mask)"
    lines = (
        OwnLine("transformer.py", 9, line, "Transformer.forward"),
        OwnLine("attention.py", 4, "scores + mask", "f"),
    )
    raised = Raised("RuntimeError", "the size of tensor a (3) must match", lines)
    around = Surroundings(find_course(), {"transformer": "", "attention": ""}, "transformer")
    outcome, cause = explain(
        SubmissionRaised(raised), "transformer", 5.0, {"transformer", "attention"}, around
    )

    assert exchanging(raised, around)[0] is lines[0]
    assert (outcome.name, cause.kind, cause.place.line) == ("ERROR", "arguments_exchanged", 9)
