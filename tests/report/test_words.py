"""Whatever kind of cause there is, it can be said, and to the end."""

from __future__ import annotations

import string
from dataclasses import fields

import pytest

from grader.model import Cause, Check, Outcome, Place, Verdict
from grader.programs.mends.kinds import RANK
from grader.report.advice import what_to_do
from grader.report.exceptions import MEANINGS
from grader.report.mends import CHANGES, mend_words
from grader.report.sentences import SENTENCES
from grader.report.told import Told
from grader.report.words import in_file, said, told

PLACE = Place("softmax.py", 7, "y = f(x)")
CALL = {
    "name": "softmax",
    "args": (("tensor", (2, 3)), ("bool", (3,)), ("generator",), ("module", "Linear")),
    "kwargs": {"dim": ("plain", "-1"), "sizes": ("items", 9), "weights": ("dict", 2)},
}
DIFFERENCE = {
    "count": 3,
    "total": 12,
    "first": (0, 1),
    "axes": (
        {"axis": 0, "last": False, "stretch": (), "indices": (0, 2), "more": True},
        {"axis": 1, "last": True, "stretch": (1, 4), "indices": (1, 2, 3, 4), "more": False},
    ),
}
COMPLAINTS = (
    {"what": "missing", "name": "weight", "shape": ()},
    {"what": "extra", "name": "w", "shape": ()},
    {"what": "shape", "name": "bias", "shape": (3, 1)},
)
IN_A_MESSAGE = {
    **dict.fromkeys(
        "inner outer a b shape target wanted dim first last index size axis".split(), "6"
    ),
    **dict.fromkeys("name owner library near signature got whole left right helper".split(), "f"),
    "call": CALL,
    "sizes": {"6": "d_model", "4": "T"},
    "names": ("head", "norm"),
}
AT = (("item", 1), ("key", "'a'"))
LEAF = ("parameter", "weight")
TENSOR, LIST = ("tensor",), ("sequence", "list", 2)


def compared(**facts):
    return {"call": CALL, "at": AT, "wanted": "1 2", "got": "1 3", **facts}


def raised(**facts):
    """What is kept of an exception."""
    known = {
        "module": "softmax",
        "said": "ValueError: no",
        "message": "no",
        "gib": 4,
        "next": "i + 1",
        "imported": "import math",
        "index": "1",
        "argument": "dim",
        "instead": "x.clone()",
        "slot": "buffer",
        "columns": "4",
        "takes": "eps",
        "condition": "if not p:",
        "set": "self.k = 0",
        "set_at": 7,
        "set_line": "i = n // 2",
        "called": "f",
        "asked": "logits",
        "picks": "targets",
        "keyword": "keep_dim",
    }
    return known | facts


def worker(**facts):
    return {"importing": "softmax", "said": "it is gone", **facts}


def unread(**facts):
    return {"module": "softmax", "name": "softmax.py", **facts}


def timed():
    return {"about": 3.21, "ratio": 3.21, "limit": 1.5, "low": 3.0, "high": 3.5}


EXAMPLES = [
    said("It differs.", "1", "2", "Look there."),
    Cause("other_name", {"module": "softmax", "name": "softmax (1).ipynb"}),
    Cause("kind", compared(wanted_kind=TENSOR, got_kind=LIST)),
    Cause("keys", compared(wanted=2, got=2, keys={"missing": ("'a'",), "surplus": ("'b'", "'c'")})),
    Cause("value", compared()),
    Cause("shape", compared(wanted="(2, 3)", got="(3,)")),
    Cause("dtype", compared(wanted="float32", got="int64")),
    Cause("device", compared(wanted="cuda:0", got="cpu")),
    Cause("numbers", compared(difference=DIFFERENCE)),
    Cause("nan", compared(difference={**DIFFERENCE, "count": 12, "axes": ()})),
    Cause("not_finite", compared(got="nan")),
    Cause("one_number", compared(got="1")),
    Cause("seen_before", {"call": CALL, "at": ()}),
    Cause("exception", {"call": CALL, "refused": "the exception ValueError"}),
    Cause("input_changed", {"call": CALL, "names": ("x", "mask")}),
    Cause("detached", {"call": CALL}),
    Cause("gradient_shape", {"call": CALL, "leaf": LEAF, "wanted": "(4,)", "got": "(1, 4)"}),
    Cause("no_gradient", {"call": CALL, "leaf": ("input", 1), "got_kind": ("plain", "int")}),
    Cause("gradient", compared(leaf=LEAF, difference=DIFFERENCE)),
    Cause("refused", {"call": CALL, "refused": "Sneaky"}),
    Cause("refused_key", {"call": CALL, "refused": "a dict with a key of type Sneaky"}),
    Cause("too_much", {"call": CALL, "mib": 64, "values": 1000}),
    Cause("not_refused", {"cases": ("p = -1", "p = 2"), "got": "shape (2, 3)"}),
    Cause(
        "refused_with_another",
        {"cases": ("p = 2",), "error": "KeyError", "said": "KeyError: p"},
        PLACE,
    ),
    Cause(
        "refused_by_accident",
        {"cases": ("p = 2",), "error": "RuntimeError", "said": "RuntimeError: p"},
        PLACE,
    ),
    Cause(
        "asked_in_vain",
        {
            "cases": ("p = 2",),
            "error": "IndexError",
            "said": "IndexError: p",
            "condition": "if p > self.most:",
            "set_at": 7,
        },
        PLACE,
    ),
    Cause("none_among", compared(wanted_kind=TENSOR, got_kind=("nothing",))),
    Cause("none_set_inside", compared(wanted_kind=TENSOR, got_kind=("nothing",))),
    Cause("returned_by_init", {"cases": ("p = 2",), "said": "TypeError: no"}),
    Cause("undefined", {"module": "softmax", "name": "log_softmax"}),
    Cause(
        "parameters",
        {
            "type_name": "Linear",
            "complaints": COMPLAINTS,
            "wanted_parameters": {"weight": (2, 3), "bias": (3,)},
            "got_parameters": {"w": (2, 3), "bias": (3, 1)},
        },
    ),
    Cause("seeds", {"call": CALL}),
    Cause("left_on_cpu", {"name": "the model", "said": "cpu and meta"}),
    Cause("unusable", {"said": "TypeError: no len"}),
    Cause("in_parts"),
    Cause("slow", timed()),
    Cause("large", timed()),
    Cause("wrong_when_timed"),
    Cause("works_between_calls"),
    Cause("absent", {"module": "softmax"}),
    Cause("too_large", unread(mib=1)),
    Cause("not_utf8", unread(byte=12)),
    Cause("too_large_together", unread(mib=8)),
    Cause("several", unread(places=("a/softmax.py", "b/softmax.py"))),
    Cause("a_link", unread()),
    Cause("unreadable", unread(said="Permission denied")),
    Cause("not_unpacked", unread(said="not a .zip")),
    Cause("loud_notebook", unread(mib=32)),
    Cause("crowded_notebook", unread()),
    Cause("no_json", unread(said="Expecting value, line 3")),
    Cause("no_notebook", unread(said="RecursionError")),
    Cause("no_cells", unread()),
    Cause("much_code", unread(mib=1)),
    Cause("needs_missing", {"module": "attention", "other": "softmax"}),
    Cause("needs_unready", raised(module="attention", other="softmax"), PLACE),
    Cause(
        "needs_wrong",
        {"module": "attention", "other": "softmax", "failing": 2, "checks": 9},
        because=Cause("numbers", compared(difference=DIFFERENCE)),
    ),
    Cause("follows_below", {"module": "encoder", "others": ("residual",)}),
    Cause("unwritten", raised(), PLACE),
    Cause("syntax", raised(), PLACE),
    Cause("exits", raised(), PLACE),
    Cause("killed_for_memory", worker(gib=4)),
    Cause("memory", raised(), PLACE),
    Cause("forbidden", raised(), PLACE),
    Cause("callers", raised(other="masks", signature="f(x)"), PLACE, Cause("no_way_back")),
    Cause("callers_of_own", raised(other="masks"), PLACE, Cause("no_way_back")),
    Cause("pair_handed_over", raised(other="f"), PLACE, Cause("no_way_back")),
    Cause("pair_returned", raised(other="f"), PLACE, Cause("no_way_back")),
    Cause("callers_within", raised(other="f", signature="f(x)"), PLACE, Cause("no_way_back")),
    Cause("refused_there", raised(), PLACE),
    Cause("refused_by_given", raised(given="f"), PLACE),
    Cause("returns_nothing", {"call": CALL, "at": AT, "name": "f"}, PLACE),
    Cause("returns_none", {"call": CALL, "at": AT, "name": "f", "wanted_kind": TENSOR}, PLACE),
    Cause(
        "returns_none_for_word",
        {"call": CALL, "at": AT, "name": "f", "wanted_kind": TENSOR, "word": "ab", "near": "a"},
        PLACE,
    ),
    *(Cause(kind, raised(**IN_A_MESSAGE), PLACE) for kind in MEANINGS),
    Cause("raised", raised(), PLACE),
    Cause("raised_on_import", raised(), PLACE),
    Cause("timeout", worker(importing="", seconds=5.0)),
    Cause("hung_before", {"name": "softmax", "times": 2}, PLACE),
    Cause("grading_ended"),
    Cause("budget", {"what": "exercise", "seconds": 60.0}),
    Cause("budget_of_bytes", {"gib": 2}),
    Cause("flood", worker()),
    Cause("too_much_in_all", worker()),
    Cause("died", worker(ended=("signal", "SIGSEGV"))),
    Cause("violation", worker()),
    Cause("internal", {"said": "SandboxError: gone"}),
    Cause("lost", worker()),
    Cause("no_gpu"),
    Cause("no_clock"),
    Cause("memory_unknown"),
    Cause("peak_unknown"),
    Cause("slow_import", {"seconds": 2.5}),
    Cause("gpu_numpy", {"said": "TypeError: no"}, PLACE),
    Cause("gpu_two_devices", {"said": "RuntimeError: two devices"}, PLACE),
    Cause("gpu_leaves", {"said": "NotImplementedError: no"}, PLACE),
    Cause("uncompiled"),
    Cause("overfull", {"importing": "", "said": "gone", "mib": 64, "files": 1000}),
    Cause("gpu_stays"),
    Cause("other_shape", {"got": "(3,)", "wanted": "(2, 3)"}),
    Cause("no_tensor", {"got_kind": ("array",)}),
    Cause("no_tensor_of_shape", {"got_kind": ("values", 1), "wanted": "(2, 3)"}),
    Cause("no_tuple", {"got_kind": ("number",), "wanted": "y, weights"}),
    Cause("no_dict", {"got_kind": ("dict", ("'a'", "'b'"))}),
    Cause("no_picture", {"said": "TypeError: complex"}),
    Cause("no_way_back"),
    Cause("example_differs", {"source": "double(1)", "wanted": "2", "got": "1"}),
    Cause("example_unwritten", {"name": "double"}),
    Cause("example_raises", {"source": "double(1)", "said": "ValueError: no"}),
]
OF_NONE = {
    "none_among",
    "none_set_inside",
    "returns_nothing",
    "returns_none",
    "no_return",
    "none",
    "truth_of_many",
    "attribute_of_bool",
    "none_as_gradient",
    "none_given",
    "none_on_self",
    "broadcast_two_rows",
    "returns_none_for_word",
    "vectors_only",
    "number_in_slice",
    "nothing_left",
}
LACKING_PLACE = ["memory", "exits", "raised", "raised_on_import", "syntax", "forbidden"]


def parts(told):
    return [getattr(told, field.name) for field in fields(Told)]


def fields_of(template):
    """What stands between braces, in any part."""
    return {name for part in parts(template) for _, name, _, _ in string.Formatter().parse(part)}


def is_whole(text):
    """Nothing stands for something else, and nothing that was missing is told."""
    return not set("{}") & set(text) and "None" not in text and text == text.strip()


class TestEveryKind:
    def test_has_one_example_here(self):
        """A new kind is not forgotten, nor is one told of that is gone."""
        assert sorted(cause.kind for cause in EXAMPLES) == sorted(SENTENCES)

    @pytest.mark.parametrize("cause", EXAMPLES, ids=lambda cause: cause.kind)
    def test_can_be_said(self, cause):
        """No brace is left of the template, and nothing is said of what is not there."""
        words = parts(told(cause))

        bare = [text.replace("None", "") for text in words] if cause.kind in OF_NONE else words
        assert [text for text in bare if not is_whole(text)] == []
        assert words[0]

    @pytest.mark.parametrize("cause", EXAMPLES, ids=lambda cause: cause.kind)
    def test_says_what_stands_between_its_braces(self, cause):
        """Other facts than those of the example give other words."""
        own = fields_of(SENTENCES[cause.kind]) & {
            n for n, v in cause.facts.items() if type(v) is str
        }
        for name in own:
            other = Cause(cause.kind, {**cause.facts, name: "zebra"}, cause.place, cause.because)

            assert "zebra" in " ".join(parts(told(other))), name

    @pytest.mark.parametrize("cause", EXAMPLES, ids=lambda cause: cause.kind)
    def test_says_whole_sentences(self, cause):
        """What happened, and what to do, begin and end as sentences do."""
        if cause.kind in ("forbidden", "said"):  # its own words are somebody else's
            return
        template = SENTENCES[cause.kind]

        assert template.rationale.endswith(".")
        assert not template.help or template.help.endswith((".", "?", ".)"))


class TestACause:
    @pytest.mark.parametrize("kind", LACKING_PLACE)
    def test_without_a_line_is_said_of_the_file(self, kind):
        """Some errors have no line."""
        (cause,) = (cause for cause in EXAMPLES if cause.kind == kind)
        words = told(Cause(kind, cause.facts))

        assert "softmax.py" in words.rationale
        assert [text for text in parts(words) if not is_whole(text)] == []

    @pytest.mark.parametrize("kind", ["numbers", "gradient", "too_much", "kind", "detached"])
    def test_without_a_call_is_said_of_the_check(self, kind):
        """A check may compare what it made itself."""
        (cause,) = (cause for cause in EXAMPLES if cause.kind == kind)
        words = told(Cause(kind, {**cause.facts, "call": None}))

        assert words.rationale.startswith("The check ")
        assert [text for text in parts(words) if not is_whole(text)] == []

    @pytest.mark.parametrize("kind", ["gpu_numpy", "gpu_leaves", "gpu_two_devices"])
    def test_of_advice_without_a_line_is_said_of_the_code(self, kind):
        """Not of a file that nobody knows."""
        words = told(Cause(kind, {"said": "RuntimeError: no"}))

        assert ".py" not in words.rationale
        assert [text for text in parts(words) if not is_whole(text)] == []

    def test_is_said_of_a_cell_where_lines_are_cells(self):
        """A notebook speaks of lines in its own way."""
        words = told(Cause("raised", raised(), PLACE), lambda place: f"cell 3, line {place.line}")

        assert words.rationale == "The call raised ValueError: no (cell 3, line 7)."


class TestACall:
    def test_with_very_many_arguments_is_cut_in_the_middle(self):
        """The first and the last are told: options stand at the end."""
        args = (("tensor", (2, 3)),) * 60
        call = {**CALL, "args": args, "kwargs": {"is_causal": ("plain", "True")}}
        words = told(Cause("numbers", compared(call=call, difference=DIFFERENCE)))

        assert words.rationale.startswith("softmax(tensor (2, 3), tensor (2, 3), ")
        assert ", ..., " in words.rationale
        assert "is_causal=True) returned" in words.rationale
        assert len(words.rationale) < 500

    def test_with_a_very_long_argument_is_cut_in_it(self):
        """Such as a text."""
        call = {**CALL, "args": (("plain", repr("x" * 900)),), "kwargs": {}}
        words = told(Cause("one_number", {"call": call, "at": (), "got": "0"}))

        assert len(words.rationale) < 150

    def test_with_tensors_in_a_list_does_not_print_their_numbers(self):
        """A list of numbers is shown."""
        call = {**CALL, "args": (("sequence", "list", "tensor"), ("plain", "[1, 2]")), "kwargs": {}}
        words = told(Cause("one_number", {"call": call, "at": (), "got": "0"}))

        assert words.rationale.startswith("softmax(a list of tensors, [1, 2]) returned")


def test_every_kind_of_mend_has_words():
    """And no words are left over."""
    assert set(CHANGES) == set(RANK)
    for kind in CHANGES:
        said = mend_words({"kind": kind, "file": "a.py", "line": 3, "name": "x"}, in_file)

        assert "a.py, line 3" in said and said[-1] in ".?"


def test_a_mend_says_which_of_several_is_meant():
    """Where the same stands in the line more than once."""
    mend = {"kind": "number", "file": "a.py", "line": 3, "name": "2` in `2 * y", "before": 1}

    assert mend_words(mend, in_file).endswith("Of those in this line it is the second.")


def test_a_named_mistake_that_changes_its_inputs_is_told_first():
    """And that they are needed still."""
    cause = Cause("numbers", {"also_changed": ("argument 1",)})
    check = Check("attention", "test_it", "It holds.")
    verdict = Verdict(check, Outcome.FAILED, cause=cause, misconception="m", lesson="You do so.")

    assert what_to_do(verdict, "", in_file).startswith("You do so. Whoever calls still needs it.")


def test_a_mend_of_a_product_leaves_no_guess():
    """What may be wrong with it is settled then; other advice for the same line is said as well."""
    mend = {"kind": "transposed", "file": "a.py", "line": 3, "name": "x"}
    check = Check("attention", "test_it", "It holds.")
    for kind, is_said in (("matmul", False), ("none", True)):
        cause = Cause(kind, {"mend": mend, "type": "TypeError", "said": "no"})
        verdict = Verdict(check, Outcome.FAILED, cause=cause)
        advice = what_to_do(verdict, "Look there.", in_file)

        assert advice.startswith("Tried out: one change in a.py, line 3 is enough")
        assert ("Look there." in advice) == is_said


@pytest.mark.parametrize(
    ("form", "is_said"), [({}, True), ({"form": "sign", "factor": -1.0}, False)]
)
def test_a_pattern_of_the_result_is_not_said_of_a_value_on_the_way(form, is_said):
    """How that one differs is told by itself."""
    found = {"kind": "leaves", "file": "a.py", "line": 3, "name": "x", **form}
    cause = Cause("numbers", {"first_wrong": found, "pattern": {"kind": "transposed"}})
    verdict = Verdict(Check("attention", "test_it", "It holds."), Outcome.FAILED, cause=cause)

    assert ("it is the transpose" in what_to_do(verdict, "", in_file)) == is_said
