"""What commonly goes wrong with parameters is told as that, and else each thing by itself."""

from __future__ import annotations

import pytest

from grader.report.complaints import complaints_words, remedies


def complaints(**names):
    return [
        {"what": what, "name": name, "shape": (2, 3)}
        for what, found in names.items()
        for name in found.split()
    ]


@pytest.mark.parametrize(
    ("found", "words"),
    [
        ({"turned": "table.weight", "extra": "table.bias"}, "`table` is an nn.Linear"),
        ({"turned": "table.weight"}, "Exchange the two sizes"),
        ({"missing": "weight", "extra": "weight.weight"}, "`weight` is a layer"),
        ({"missing": "layers.0.w.weight layers.0.w.bias layers.1.w.weight"}, "nn.ModuleList"),
        ({"missing": "layers.0.w.bias layers.1.w.bias"}, "another option"),
        ({"missing": "attention.w_q.bias"}, "`attention.w_q` is there"),
        ({"missing": "layers.0.w.weight norm.weight"}, "Make in __init__ what is missing"),
        ({"extra": "norm.bias"}, "`norm` is made with a bias"),
        ({"extra": "norm.bias", "shape": "weight"}, "Take out what is too much"),
        ({"missing": "weight", "extra": "w"}, "Take out what is too much"),
        ({"plain": "weight"}, "Wrap it in nn.Parameter"),
        ({"shape": "weight"}, "Look at the sizes"),
    ],
)
def test_a_remedy_is_for_what_is_wrong(found, words):
    """One that fits all of it, where there is one."""
    assert words in remedies(complaints(**found), {}, {})


@pytest.mark.parametrize(
    ("missing", "extra", "words"),
    [
        (
            "heads.0.w heads.1.w",
            "attentions.0.w attentions.1.w",
            "calls `heads` what is called `atte",
        ),
        ("w_q.weight w_k.weight", "query.weight key.weight", "Use the page's: `w_q` `w_k`."),
        ("w_q.weight w_k.weight", "w_q.bias w_k.bias", "Take out what is too much"),
        ("w_q.weight w_k.weight", "query.weight", "Take out what is too much"),
    ],
)
def test_what_is_there_under_another_name_is_told_as_that(missing, extra, words):
    """As many are missing as are too many, and their shapes are the same."""
    shapes = dict.fromkeys((missing + " " + extra).split(), (2, 3))
    found = complaints(missing=missing, extra=extra)

    others = dict.fromkeys(shapes, (4, 3))

    assert words in remedies(found, shapes, {}, shapes)
    assert "Take out what is too much" in remedies(found, shapes, {}, others)


def test_of_very_many_the_first_are_named():
    """Of one more than that all are."""
    names = [f"layers.{n}.weight" for n in range(9)]

    assert complaints_words(complaints(missing=" ".join(names))).endswith("and so on, 3 more")
    assert "so on" not in complaints_words(complaints(missing=" ".join(names[:7])))


@pytest.mark.parametrize(
    ("wanted", "sizes", "words"),
    [
        ((2, 5), {"3": "n_embd", "5": "block_size"}, "is n_embd, 3, and should be block_size, 5"),
        ((2, 5), {"5": "block_size"}, "is 3, and should be block_size, 5"),
        ((2, 28), {"3": "rows", "7": "n_embd"}, "is rows, 3, and should be 4 * n_embd, 28"),
        ((2, 12), {"3": "rows", "6": "n_embd"}, "Look at the sizes"),  # 4 * 3 or 2 * 6
        ((2, 5), {"3": "n_embd"}, "Look at the sizes"),
        ((4, 5), {"4": "n_head", "5": "block_size"}, "Look at the sizes"),
        ((2, 3, 5), {"5": "block_size"}, "Look at the sizes"),
    ],
)
def test_a_wrong_size_is_told_by_the_page_s_names(wanted, sizes, words):
    """Where they leave no doubt."""
    said = remedies(complaints(shape="table.weight"), {"table.weight": wanted}, sizes)

    assert words in said
