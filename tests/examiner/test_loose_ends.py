"""What in a learner's function leads nowhere is told, and nothing that may lead somewhere."""

from __future__ import annotations

import textwrap
import time

import pytest

from grader.course.course import find_course
from grader.examiner.loose_ends import loose_ends
from grader.examiner.surroundings import Surroundings
from grader.report.loose_ends import loose_words
from grader.report.words import in_file

CALL = {"name": "f", "of": "f", "args": (), "kwargs": {}}


def found(body, of="f", call=CALL, module="page", head="def f(x):"):
    text = f"{head}\n{textwrap.indent(textwrap.dedent(body), '    ')}"
    around = Surroundings(find_course(), {module: text}, module)
    return [(end["kind"], end["line"], end["name"]) for end in loose_ends(around, of, call)]


class TestThrownAway:
    @pytest.mark.parametrize(
        "line",
        [
            "x.masked_fill(m, 0)",
            "torch.relu(x)",
            "F.dropout(x, 0.1, True)",
            "x.T.contiguous()",
            "x.mul(f(2))",
        ],
    )
    def test_is_what_only_returns(self, line):
        """A method of tensors, a function of torch's."""
        assert [kind for kind, _, _ in found(f"{line}\nreturn x\n")] == ["thrown"]

    @pytest.mark.parametrize(
        "line",
        [
            "x.masked_fill_(m, 0)",
            "out.append(x)",
            "seen.update(x)",
            "torch.manual_seed(0)",
            "loss.backward()",
            "self.reset()",
            "model.to(d)",
            "print(x)",
            "x = x.relu()",
            "x.sum().backward()",
            "return -x.sum()",
            "assert -x.sum()",
            "torch.sum(x).backward(retain_graph=(1 > 0))",
            "y = f(\n    x.relu()\n)\nprint(y)",
            "# x.relu()",
            "'''x.relu()'''",
            "nn.init.normal_(x)",
            "logging.log(x)",
        ],
    )
    def test_is_nothing_that_may_change_something(self, line):
        """In place, in a list, on self, in a comment."""
        assert found(f"{line}\nreturn x\n") == []

    @pytest.mark.parametrize(
        "line", ["x & y", "~x | y", "x[0] + f(y)", "x == y", "x.sum() / (y + 1)", "x @ y.T * 2"]
    )
    def test_is_what_is_reckoned(self, line):
        """An operator between two things, and no name for what it gives."""
        assert found(f"y = x\n{line}\nreturn y\n") == [("reckoned", 3, line)]

    @pytest.mark.parametrize(
        "lines",
        [
            "y = (\n    x\n    * x\n    @ x\n)",
            "y = f(\n    x,\n    x + x\n)",
            "y = x \\\n    + x",
            "y = [\n    x & x\n    for x in z\n]",
            "y = x\ny &= x",
            "y = x\ny[0] = x + 1",
            "assert x == x\ny = x",
            "y = x if x > 0 else -x",
            "y = x\nx << y.T if False else print()",
            'y = """\nx + x\n"""',
        ],
    )
    def test_is_nothing_that_goes_on(self, lines):
        """In brackets, on the next line, under a word of Python."""
        assert found(f"{lines}\nreturn y\n") == []

    def test_is_nothing_that_the_page_gave(self):
        """Whoever has not touched a function is to find out what is wrong with it."""
        page = find_course().stub("clinic").read_text()
        text = page.replace("hidden = F.dropout(hidden, p)", "hidden = F.dropout(hidden, p=p)")

        def ends(text):
            around = Surroundings(find_course(), {"clinic": text}, "clinic")
            return [end["kind"] for end in loose_ends(around, "feed_forward", CALL)]

        assert text != page
        assert (ends(page), ends(text)) == ([], ["always_drops"])

    def test_is_a_module_that_was_called(self):
        """One that is set on self; a method is none."""
        text = """
        def __init__(self):
            self.drop = nn.Dropout(0.1)
        def forward(self, x):
            self.drop(x)
            self.note(x)
            return x
        """
        assert found(text, "Layer", head="class Layer:") == [("thrown", 6, "self.drop")]

    def test_is_a_function_of_the_page_that_takes_a_tensor(self):
        """Here that of another page: its own is asked for."""
        body = "softmax(x)\nhelper(x)\nreturn x\n"

        assert found(body, module="softmax", of="softmax", head="def softmax(x):") == [
            ("thrown", 2, "softmax")
        ]


class TestTheLastRound:
    LOOP = "for h in heads:\n    {}\nreturn out\n"

    def test_is_all_that_is_returned_of_a_name_that_is_set_anew(self):
        """Whatever it was before the loop."""
        body = "out = torch.zeros(3)\n" + self.LOOP.format("y = h @ w\n    out = y.softmax(-1)")

        assert found(body) == [("last_round", 5, "out")]

    @pytest.mark.parametrize(
        "line",
        [
            "out = out + h",
            "out += h",
            "out[h] = h",
            "out = h\n    kept.append(out)",
            "out = h\n    if h:\n        break",
            "if h > 1:\n        out = h",
            "out = f(\n        out\n    )",
        ],
    )
    def test_is_not_what_goes_on_or_may_be_a_choice(self, line):
        """It is used in the loop, or not set in every round, or the loop is left."""
        assert "last_round" not in [kind for kind, _, _ in found(self.LOOP.format(line))]

    def test_is_not_that_of_a_while(self):
        """Which may go on until the last one is right."""
        body = "while far(h):\n    out = f(h)\n    h = g(h)\nreturn out\n"

        assert found(body) == []


class TestSwallowed:
    def test_is_an_assert_that_is_caught_where_it_stands(self):
        """By what catches everything."""
        body = "try:\n    y = f(x)\n    assert y > 0\nexcept Exception:\n    return None\n"

        assert found(body) == [("swallowed", 5, "except Exception")]

    @pytest.mark.parametrize(
        "body",
        [
            "try:\n    assert x\nexcept Exception:\n    raise AssertionError from None\n",
            "try:\n    assert x\nexcept ValueError:\n    pass\n",
            "try:\n    y = f(x)\nexcept Exception:\n    y = 0\nassert y\n",
            "try:\n    f(x)\nexcept Exception:\n    assert False\n",
        ],
    )
    def test_is_not_what_goes_on_or_stands_outside(self, body):
        """It is raised again, or another exception is caught, or it is in no try."""
        assert found(body) == []


class TestATuple:
    def test_that_is_asserted_is_true(self):
        """The condition and its message in one pair of brackets."""
        assert found('assert (x.max() < 1, "too large")\nreturn x\n') == [
            ("assert_of_a_tuple", 2, "assert (...)")
        ]

    @pytest.mark.parametrize("line", ["(x - y).max() < f(1, 2)", "(x < y), 'no'", "(f(x, y) < 1)"])
    def test_is_not_every_bracket(self, line):
        """That of a product, of the condition alone, of a call."""
        assert found(f"assert {line}\nreturn x\n") == []


class TestHalves:
    @pytest.mark.parametrize("power", ["d_k ** 1 / 2", "k.shape[-1]**1/2"])
    def test_are_divisions(self, power):
        """A power binds closer."""
        ((kind, line, name),) = found(f"return x / {power}\n")

        assert (kind, line) == ("halves", 2)
        assert power.endswith(name)

    @pytest.mark.parametrize("power", ["d_k ** (1 / 2)", "d_k ** 0.5", "x ** 12 / 2", "x * 1 / 2"])
    def test_are_no_other_powers(self, power):
        """In brackets, as a decimal number; another exponent; a product."""
        assert found(f"return x / {power}\n") == []


class TestTheFirstRound:
    def test_is_the_last_where_return_stands_in_the_loop(self):
        """At the loop's own depth."""
        assert found("for y in x:\n    x = x + y\n    return x\n") == [
            ("first_round", 4, "return x")
        ]

    @pytest.mark.parametrize(
        "body",
        [
            "for y in x:\n    if y:\n        return y\n",
            "for y in x:\n    if y: continue\n    return y\n",
            "for y in x:\n    y\nreturn y\n",
            "for y in x:\n    y\nelse:\n    return y\n",
            "with x:\n    return x\n",
        ],
    )
    def test_may_be_followed_by_others(self, body):
        """Under a condition, or where a round is left before."""
        assert found(body) == []


class TestOneListTwice:
    @pytest.mark.parametrize("line", ["a = b = []", "a = b = {}", "a = b = list()"])
    def test_is_told_with_both_names(self, line):
        """What is put into one is in the other as well."""
        assert found(f"{line}\nreturn a, b\n") == [("one_list_twice", 2, "a` and `b")]

    def test_is_a_list_of_one_list(self):
        """Multiplied, it holds the very same one several times."""
        assert found("a = [[]] * 3\nreturn a\n") == [("one_list_often", 2, "[[]] *")]

    @pytest.mark.parametrize(
        "line", ["a = b = 0", "a = b = x.sum()", "a, b = [], []", "a = [0] * 3"]
    )
    def test_is_nothing_else(self, line):
        """Numbers and tensors are seldom changed where they are."""
        assert found(f"{line}\nb = a\nreturn a, b\n") == []


class TestUnused:
    def test_are_names_that_nothing_reads(self):
        """Not those of arguments in calls, and none that is read anywhere."""
        assert found("dropped = g(x, dropped=1)\nkept = x\nreturn kept\n") == [
            ("unused_name", 2, "dropped")
        ]

    @pytest.mark.parametrize("text", ["f'({one})'", 'rf"{one!r:>{two}}"', "f\"{x['one']}{one}\""])
    def test_are_none_that_a_text_is_made_of(self, text):
        """What stands in the braces of an f-string is read."""
        assert found(f"one = x\nreturn {text}\n") == []
        assert found("one = x\nreturn '{one}'\n") == [("unused_name", 2, "one")]

    def test_are_no_arguments_on_lines_of_their_own(self):
        """As long calls are written: within brackets nothing is made."""
        body = "return letters(\n    A=x,\n    B=f(\n        dim=-1,\n    ),\n)\n"

        assert found(body) == []
        assert found("y = x + \\\n    z\nreturn y\n") == []

    def test_are_arguments_that_were_given(self):
        """Those of the page, by place or by name; of others nothing is said."""
        call = {"name": "softmax", "of": "softmax", "args": (("tensor", (2,)),), "kwargs": {}}
        body = "return torch.softmax(x, dim=-1)\n"
        where = {"of": "softmax", "module": "softmax", "head": "def softmax(x, dim=-1):"}
        named = call | {"kwargs": {"dim": ("plain", "0")}}

        assert found(body, call=named, **where) == [("unused_argument", 1, "dim")]
        assert found(body, call=call, **where) == []

    def test_are_no_arguments_that_might_as_well_be_left_out(self):
        """None and False, which a check may say for the sake of clearness."""
        head = "def causal_mask(q_len, k_len=None):"
        plain = [("plain", "3"), ("plain", "None")]
        for value, kinds in ((plain[0], ["unused_argument"]), (plain[1], [])):
            call = {"name": "causal_mask", "of": "causal_mask"}
            call |= {"args": (plain[0],), "kwargs": {"k_len": value}}
            ends = found("return torch.ones(q_len)\n", "causal_mask", call, "masks", head)

            assert [kind for kind, _, _ in ends] == kinds

    def test_nothing_is_said_of_what_is_not_written(self):
        """A stub uses nothing."""
        assert found("y = x\nraise NotImplementedError\n") == []


class TestDropout:
    @pytest.mark.parametrize(
        ("line", "kinds"),
        [
            ("F.dropout(x, 0.1)", ["always_drops"]),
            ("nn.functional.dropout(f(x, y), p=p)", ["always_drops"]),
            ("F.dropout(x, p, self.training)", []),
            ("F.dropout(x, p, training=train)", []),
            ("self.dropout(x)", []),
        ],
    )
    def test_of_torch_is_to_be_told_the_mode(self, line, kinds):
        """Its third argument, by place or by name."""
        assert [kind for kind, _, _ in found(f"return {line}\n")] == kinds

    @pytest.mark.parametrize(
        ("line", "kinds"),
        [
            ("self.residual(x, lambda y: self.attend(x, mask))", ["deaf"]),
            ("self.residual(x, lambda y: self.attend(y, mask))", []),
            ("self.residual(x, lambda y: mask)", []),
            ("self.residual(x, lambda _: self.attend(x))", []),
            ("max(x, key=lambda pair: (counts[pair], pair))", []),
        ],
    )
    def test_a_branch_is_to_use_what_it_is_given(self, line, kinds):
        """A constant says that it is meant so, and so does a name of no letters."""
        assert [kind for kind, _, _ in found(f"return {line}\n")] == kinds

    @pytest.mark.parametrize(
        ("line", "name"),
        [
            ("return nn.Dropout(self.p)(x)", "nn.Dropout"),
            ("return torch.nn.LayerNorm(4)(x)", "nn.LayerNorm"),
            ("return nn.ReLU()(x)", None),
            ("return nn.LayerNorm(4, elementwise_affine=False)(x)", None),
            ("return nn.Dropout(self.p)(x) if self.training else x", None),
        ],
    )
    def test_and_layers_are_to_be_made_once(self, line, name):
        """What is made in forward begins in train mode, with new weights; some have neither."""
        page = f"class A(nn.Module):\n    def forward(self, x):\n        {line}\n"
        around = Surroundings(files={"attention": page}, module="attention")
        told = [end["name"] for end in loose_ends(around, "A", CALL) if end["kind"] == "made_anew"]

        assert told == [name] * (name is not None)

    @pytest.mark.parametrize(
        "body",
        [
            "if training:\n    x = F.dropout(x, p)\nreturn x\n",
            "if not self.training:\n    return x\nreturn F.dropout(x, p)\n",
            "return F.dropout(x, p) if self.training else x\n",
        ],
    )
    def test_of_torch_may_stand_under_a_condition(self, body):
        """Then it drops only when it should."""
        assert found(body) == []


@pytest.mark.parametrize(
    ("line", "kinds"),
    [
        ("return x if self.eval else y", ["method_as_flag"]),
        ("if self.train:\n    return y\nreturn x", ["method_as_flag"]),
        ("return x if self.training else self.train()", []),
        ("return self.evaluate(x)", []),
        ("return x is pad", ["identity"]),
        ("return x is not pad", ["identity"]),
        ("return all(x is not p for p in pads)", []),
        ("return x if m is not None else y", []),
        ("return x if m is True else y", []),
        ("return x if d is torch.float32 else y", []),
        ("return x  # this is a mask", []),
    ],
)
def test_what_stands_for_a_truth_and_is_none_is_told(line, kinds):
    """A method as a mode, identity for equality."""
    assert [kind for kind, _, _ in found(f"{line}\n")] == kinds


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("m = x.detach()\nreturn m", True),
        ("with torch.no_grad():\n    return x", True),
        ("return torch.tensor(x)", True),
        ("return x.data * 2", True),
        ("return float(x) * y", True),
        ("return x.float() * y", False),
        ("return x.masked_fill(m, float('-inf'))", False),
        ('return torch.tensor(float("-inf")) + x', False),
        ("return x * torch.tensor([[0.5, 1e-3]])", False),
        ("return x / torch.tensor(math.sqrt(2))", False),
        ("return x - x.amax(-1, keepdim=True).detach()", False),
        ("return x - torch.max(x, dim=-1)[0].detach()", False),
        ("top = x.detach().max(-1).values\nreturn x - top", False),
        ("print(float(x.sum()))\nreturn x", False),
        ("return x.detach() - x.max()", True),
        ("return x - torch.tensor(x.tolist())", True),
        ("return x.data_ptr()", False),
        ("return x * 2", False),
    ],
)
def test_what_cuts_a_gradient_is_told_of_gradients(line, told):
    """And of nothing else."""
    text = f"def f(x):\n{textwrap.indent(line, '    ')}\n"
    around = Surroundings(find_course(), {"page": text}, "page")
    kinds = [end["kind"] for end in loose_ends(around, "f", CALL, graph=True)]

    assert kinds == ["cut"] * told
    assert loose_ends(around, "f", CALL) == ()


@pytest.mark.parametrize(
    ("made", "told"),
    [
        ("EncoderLayer(d, 2, 4 * d, norm_first=True)", True),
        ("EncoderLayer(\n            d, 2, 4 * d)", True),
        ("EncoderLayer(d, 2, 4 * d, dropout)", False),
        ("EncoderLayer(d, 2, 4 * d, 0.0)", False),
        ("EncoderLayer(d, 2, 4 * d, dropout=dropout)", False),
        ("EncoderLayer(d, *sizes)", False),
        ("LayerNorm(d)", False),
        ("Unknown(d)", False),
    ],
)
def test_a_part_that_drops_as_much_as_it_likes_is_told(made, told):
    """Where whoever makes it is told how much."""
    head = (
        "from encoder import Encoder, EncoderLayer\nfrom layer_norm import LayerNorm\n"
        "class Transformer(nn.Module):"
    )
    body = f"def __init__(self, d, sizes, dropout=0.1):\n    self.layers = Encoder({made}, 2)\n"
    ends = found(body, "Transformer", head=head, module="transformer")

    assert [name for kind, _, name in ends if kind == "own_share"] == ["EncoderLayer"] * told


def test_one_layer_under_two_names_is_told():
    """But not one number, nor what an option asks for."""
    text = """
    def __init__(self, d, is_tied):
        self.a = nn.Linear(d, d)
        self.b = self.a
        if is_tied:
            self.c = self.a
        self.d = d
        self.e = self.d
    """
    assert found(text, "Layer", head="class Layer:") == [
        ("one_layer_twice", 5, "self.b` and `self.a")
    ]


def test_every_kind_has_words():
    """With the place, as whoever tells it speaks of places."""
    ends = loose_ends(
        Surroundings(files={"page": "def f(x):\n    x.relu()\n    return x\n"}, module="page"),
        "f",
        CALL,
    )

    assert loose_words(ends, in_file).startswith("In page.py, line 2 nothing takes what `x.relu(")
    assert loose_words(ends, in_file, ("unused_name",)) == ""


def test_the_same_in_another_line_is_told_by_its_place():
    """Not in the same words once more."""
    end = {"kind": "always_drops", "name": "F.dropout", "file": "page.py"}
    said = loose_words([end | {"line": 2}, end | {"line": 5}], in_file)

    assert said.count("hand it training=") == 1
    assert said.endswith("The same stands in page.py, line 5.")


@pytest.mark.parametrize(
    "line", ["return x", "x.relu()", "y = x", '"""', "'", "(", "if x:", "self.k = self.k"]
)
def test_a_text_made_to_be_slow_is_not(line):
    """However often a line stands there; it is the grader's own time."""
    lines = "".join(f"    {line}\n" for _ in range(5_000))
    began = time.process_time()
    found(f"for y in x:\n{lines}")

    assert time.process_time() - began < 200 * quick()


def quick():
    """How long as many lines take to be taken apart, on this machine."""
    began = time.process_time()
    [line.split("(") for line in ("x = f(y)\n" * 5_000).splitlines()]
    return time.process_time() - began


class TestAStrangeWord:
    """A text that an argument is compared with, where the page lists the words there are."""

    HEAD = "def sequential_operations(layer, tokens):"

    def found(self, line):
        name = "sequential_operations"
        text = f"{self.HEAD}\n    {line}\n        return tokens\n    return 1\n"
        around = Surroundings(find_course(), {"before_attention": text}, "before_attention")
        return [(e["kind"], e.get("word")) for e in loose_ends(around, name, CALL)]

    @pytest.mark.parametrize("line", ["if layer == 'recurent':", 'if layer != "Recurrent":'])
    def test_is_none_of_the_pages(self, line):
        """Whatever it looks like."""
        assert [kind for kind, _ in self.found(line)] == ["strange_word"]

    @pytest.mark.parametrize(
        "line",
        [
            'if layer == "recurrent":',
            "if layer == 'self-attention':",
            "if tokens == 3:",
            "if layer.kind == 'rnn':",
            "if kind == 'rnn':",
            "if layer:  # layer == 'rnn'",
        ],
    )
    def test_is_no_word_that_the_page_has(self, line):
        """Nor what is no argument of the page's, nor a comment."""
        assert self.found(line) == []


class TestWhatALoopHandsOut:
    """Modules that a list on self holds are called in a loop."""

    CLASS = """class GPT(nn.Module):
    def __init__(self):
        self.blocks = nn.ModuleList([])

    def forward(self, x):
        for {head}:
            {line}
        return x
"""

    def found(self, head, line):
        text = self.CLASS.format(head=head, line=line)
        around = Surroundings(find_course(), {"page": text}, "page")
        return [(end["kind"], end["name"]) for end in loose_ends(around, "GPT", CALL)]

    @pytest.mark.parametrize("head", ["block in self.blocks", "n, block in enumerate(self.blocks)"])
    def test_returns_something(self, head):
        """That nothing takes."""
        assert self.found(head, "block(x)") == [("thrown", "block")]

    @pytest.mark.parametrize(
        ("head", "line"),
        [
            ("block in self.blocks", "x = block(x)"),
            ("hook in self.others", "hook(x)"),
            ("hook in blocks", "hook(x)"),
        ],
    )
    def test_is_no_other_name(self, head, line):
        """What is taken, and what is no module's."""
        assert self.found(head, line) == []


class TestOneNormForTwo:
    @pytest.mark.parametrize(
        ("line", "kinds"),
        [
            ("self.residual2.norm = self.residual1.norm", ["one_layer_twice"]),
            ("self.head.weight = self.embedding.weight", []),
            ("self.width = self.block.d_model", []),
        ],
    )
    def test_is_shared(self, line, kinds):
        """A weight may be, and a number is none."""
        found = [kind for kind, _, _ in found_in(line)]
        assert found == kinds


def found_in(line):
    text = f"class Block(nn.Module):\n    def __init__(self):\n        {line}\n"
    around = Surroundings(find_course(), {"page": text}, "page")
    return [(end["kind"], end["line"], end["name"]) for end in loose_ends(around, "Block", CALL)]


def test_what_a_lesson_says_by_itself_is_told_by_its_place():
    """Whatever else it says, the line is told in full."""
    end = {"kind": "always_drops", "name": "F.dropout", "file": "page.py", "line": 2}
    said = loose_words([end], in_file, lesson="F.dropout needs training=self.training.")

    assert said == "In page.py, line 2:"
    assert "drops whether" in loose_words([end], in_file, lesson="Drop each number.")
