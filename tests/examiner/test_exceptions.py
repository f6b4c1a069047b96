"""What learners' programs raise is told in plain words, with their own line and the page's terms.

Each program is a solution with a slip in it, examined in a real worker.
"""

from __future__ import annotations

import pytest

from grader.course.catalog import load_catalog
from grader.course.course import find_course
from grader.course.markers import without_markers
from grader.errors import OwnLine, Raised, SubmissionRaised
from grader.examiner.assembled import Examination
from grader.examiner.causes import explain
from grader.examiner.collection import Suites
from grader.examiner.exceptions import recognised
from grader.examiner.surroundings import NOWHERE, Surroundings
from grader.model import Cause, Outcome, Submission
from grader.programs.program import SubmissionProgram
from grader.report.feedback import words_of
from grader.report.words import told

COURSE = find_course()
CATALOG = load_catalog(COURSE)
PAGES = {name: without_markers(text) for name, text in COURSE.solution_texts.items()}

MAX = "x - x.amax(dim, keepdim=True)"
ATTENDED = "x = x + self.self_attn(x, mask=mask, need_weights=True)"
COPIED = "self.k.copy_(self.k[rows])\n        self.v = self.v[rows]"
PICKED = """places = known.squeeze(-1)
    picked = logits[..., places]
    losses = total.unsqueeze(-1) - picked"""

# Exercise, what is written, what is written instead; the cause; what is said.
SLIPS = {
    "max_without_values": (
        ("softmax", MAX, "x - x.max(dim, keepdim=True)"),
        "named_pair",
        ("max() along an axis returns two tensors", "amax(dim, keepdim=True)"),
    ),
    "helper_without_return": (
        ("softmax", "return total if keepdim", "total if keepdim"),
        "no_return",
        ("your `logsumexp` never returns", "End `logsumexp` with return"),
    ),
    "without_return": (
        ("softmax", "return y * (grad_out", "y * (grad_out"),
        "returns_nothing",
        ("`softmax_backward`", "never returns a value"),
    ),
    "return_on_one_way_only": (
        ("softmax", "return y * (grad_out", "if dim == -1: return y * (grad_out"),
        "returns_none",
        ("on one of its ways `softmax_backward`", "through every if"),
    ),
    "without_return_beside_a_lambda": (
        ("softmax", "return y * (grad_out", "one = lambda: 1\n    y * (grad_out"),
        "returns_nothing",
        ("`softmax_backward`", "never returns a value"),
    ),
    "mistyped_name": (
        ("softmax", "shifted.exp()", "shfted.exp()"),
        "undefined_near",
        ("Do you mean `shifted`?",),
    ),
    "no_such_name": (
        ("softmax", "shifted.exp()", "jnp.exp(shifted)"),
        "undefined_name",
        ("no `jnp` here",),
    ),
    "other_signature": (
        ("softmax", "keepdim: bool = False) ", "keep: bool = False) "),
        "arguments_by_page",
        ("On the page it is logsumexp(x, dim=-1, keepdim=False)",),
    ),
    "debugger": (
        ("softmax", f"shifted = {MAX}", f"breakpoint(); shifted = {MAX}"),
        "debugger",
        ("grader run softmax",),
    ),
    "keyboard": (
        ("softmax", f"shifted = {MAX}", f"input(); shifted = {MAX}"),
        "keyboard",
        ("input() waits for a keyboard",),
    ),
    "recursion": (
        ("softmax", "return x - logsumexp(", "return log_softmax("),
        "arguments_by_page",
        ("On the page it is log_softmax(x, dim=-1)",),
    ),
    "truth_of_a_tensor": (
        ("softmax", f"shifted = {MAX}", f"assert x < 1\n    shifted = {MAX}"),
        "truth_of_many",
        ("one yes or no", ".all() or .any()"),
    ),
    "no_super_init": (
        ("dropout", "super().__init__()\n        if", "if"),
        "no_super_init",
        ("Begin __init__ with super().__init__()", "`def __init__(self, p: float) -> None:`"),
    ),
    "numpy_of_graph": (
        ("attention_by_hand", "library.exp(scores", "np.exp(scores"),
        "numpy_of_graph_with_helper",
        ("The page gives you `_library`", "Do not detach"),
    ),
    "numpy_product": (
        ("attention_by_hand", "return x @ x.T", "return np.dot(x, x.T)"),
        "numpy_product",
        ("`np.dot`", "with @", "Do not detach"),
    ),
    "one_pass": (
        ("optimizer", "groups: list[Any] = list(params)", "groups: Any = params"),
        "one_pass",
        ("OnePass", "Make a list of it first"),
    ),
    "weight_without_T": (
        ("self_attention", "self.W_query(x), self", "x @ self.W_query.weight, self"),
        "matmul_of_linear",
        ("Here d_out is 2 and d_in is 3", ".T", "(out, in)"),
    ),
    "matrix_with_T": (
        ("self_attention", "x @ self.W_query, ", "x @ self.W_query.T, "),
        "matmul_turned",
        ("Here d_out is 2 and d_in is 3", "transposed here"),
    ),
    "logarithm_of_a_logarithm": (
        ("beam_search", "float(log_probs[0, last])", "__import__('math').log(log_probs[0, last])"),
        "log_of_log",
        ("no logarithm of a number below 0", "`log_probs` holds logarithms already"),
    ),
    "class_called_as_a_layer": (
        ("residual", "nn.LayerNorm(d_model, eps=1e-5)", "nn.LayerNorm"),
        "class_for_layer",
        ("`LayerNorm` stands for the class here", "with LayerNorm() it keeps a layer"),
    ),
    "argument_by_its_beginning": (
        (
            "tokenizer",
            "for part in split_special(text, special_tokens):\n        if part",
            "n_special = 0\n    for part in split_special(text, specials):\n        if part",
        ),
        "undefined_near",
        ("There is no `specials` here", "Do you mean `special_tokens`?"),
    ),
    "model_is_clipped": (
        ("training", "clip_grad_norm_(model.parameters(), max", "clip_grad_norm_(model, max"),
        "optimizer_of_model",
        ("parameters are wanted here", "Give it model.parameters()"),
    ),
    "tuple_not_unpacked": (
        ("encoder", "x = self.residual1(x, attention)", ATTENDED),
        "pair_for_tensor",
        ("used here as if it were one tensor", "nn.MultiheadAttention returns its output"),
    ),
    "loss_not_flattened": (
        ("gpt", "logits.flatten(0, 1), targets.flatten(), ", "logits, targets, "),
        "loss_axes",
        ("logits.flatten(0, 1)", "T is 3 and vocab_size is 10"),
    ),
    "copied_into_what_was_there": (
        ("kv_cache", "self.k, self.v = self.k[rows], self.v[rows]", COPIED),
        "broadcast_copied",
        ("copied into `self.k` has another shape", "`self.k = ...`"),
    ),
    "all_places_for_every_row": (
        ("loss", "losses = total - logits.gather(-1, known).squeeze(-1)", PICKED),
        "broadcast_picked_all",
        ("`picked = logits[..., places]`, which takes all of `places`", "logits.gather(-1, places"),
    ),
    "mistyped_attribute": (
        ("feed_forward", "self.dropout(inner)", "self.droput(inner)"),
        "attribute_near",
        ("`PositionwiseFeedForward` has no `droput`. Do you mean `dropout`?",),
    ),
}


@pytest.fixture(scope="module")
def examined(sandbox):
    """``examined(exercise, right, slip)``: what became of the checks that did not pass."""
    suites = Suites(COURSE)
    done = {}

    def examined(name, right, slip):
        if (name, slip) not in done:
            assert right in PAGES[name]
            files = PAGES | {name: PAGES[name].replace(right, slip, 1)}
            program = SubmissionProgram(Submission("ada", "ada", files), sandbox)
            found = Examination(suites, program, 7).report_on(CATALOG[name])
            done[name, slip] = [v for v in found.verdicts if not v.points]
        return done[name, slip]

    return examined


@pytest.mark.parametrize("slip", SLIPS)
def test_common_exceptions_are_taught(examined, slip):
    """The kind is recognised, and what it means and what to try are said. What is shown stands in
    the page that was handed in, in that very line.
    """
    (name, right, wrong), kind, says = SLIPS[slip]
    found = examined(name, right, wrong)
    told = [v for v in found if v.cause.kind == kind]
    words = " ".join(f"{w.rationale} {w.actual} {w.help}" for w in map(words_of, told))

    assert told, [v.cause for v in found]
    assert [text for text in says if text not in words] == []
    if slip == "without_return":  # there is no line that does it
        return
    lines = PAGES[name].replace(right, wrong, 1).splitlines()
    places = [verdict.cause.place for verdict in told]
    assert {place.file for place in places} == {f"{name}.py"}
    assert all(lines[place.line - 1].strip() == place.text for place in places)


def test_a_given_line_is_not_the_learners(examined):
    """What the page gave, and nobody changed, is not shown as the place of the mistake."""
    without = "queries = _linear(None, inner, bias)"
    found = examined("parameter_counts", "queries = _linear(d_model, inner, bias)", without)
    words = [words_of(verdict) for verdict in found]

    assert without in words[0].actual
    assert "inside `_linear`, which was given" in words[0].rationale


class TestAnotherModule:
    SHORT = ("transformer", "x, memory, tgt_mask, src_mask", "x, memory, tgt_mask, tgt_mask")

    def test_that_is_right_is_not_blamed(self, examined):
        """The exception is the caller's, with the caller's own line."""
        found = [v for v in examined(*self.SHORT) if v.cause.kind == "callers"]
        words = [words_of(verdict) for verdict in found]

        assert found
        assert {verdict.outcome for verdict in found} == {Outcome.ERROR}
        assert all(w.rationale.startswith("Your call in transformer.py, line ") for w in words)
        assert {w.actual for w in words} == {"`return self.decoder(x, memory, tgt_mask, tgt_mask)`"}
        assert "Mend" not in " ".join(w.help for w in words)

    def test_is_told_with_its_signature(self, examined):
        """What it takes, and in which order, stands on its page."""
        right, wrong = "(d_model, dropout, max_len)\n", "(d_model, 1 + max_len, 60)\n"
        found = examined("transformer", right, wrong)
        helps = {words_of(verdict).help for verdict in found if verdict.cause.kind == "callers"}

        assert any("PositionalEncoding(d_model, dropout=0.1, max_len=5000)" in h for h in helps)


def test_a_class_of_the_page_that_is_right_is_not_blamed(examined):
    """Also where what it hands on stops another module, whose caller is the right class."""
    right = "x, weights = layer(x, mask, need_weights=True)"
    wrong = "x = weights = layer(x, mask, need_weights=True)"
    found = [v for v in examined("encoder", right, wrong) if v.outcome is Outcome.ERROR]
    words = [words_of(verdict) for verdict in found if verdict.cause.kind == "pair_handed_over"]

    assert words
    assert all("`EncoderLayer`" in one.rationale for one in words)
    assert all("y, weights = f(...)" in one.help for one in words)


def test_a_function_handed_over_that_returns_several_things_is_told_as_that(examined):
    """It is not the call that hands them over."""
    wrong = "self.residual1(x, lambda y: self.self_attn(y, mask=mask, need_weights=True))"
    found = examined("encoder", "self.residual1(x, attention)", wrong)
    words = [words_of(verdict) for verdict in found if verdict.cause.kind == "pair_returned"]

    assert words
    assert all("a function that returns several things" in one.rationale for one in words)


def test_a_function_of_the_page_that_is_right_is_not_blamed(examined):
    """What it cannot use is the doing of the line that hands it over, and told with that line."""
    right, wrong = "attention_scores(x, w_query, w_key)\n", "attention_scores(x, w_key.T, w_key)\n"
    found = [v for v in examined("projections_by_hand", right, wrong) if v.outcome is Outcome.ERROR]
    words = [words_of(verdict) for verdict in found]

    assert found
    assert {verdict.cause.kind for verdict in found} == {"callers_within"}
    assert all("`attention_scores` itself passes its checks" in w.rationale for w in words)
    assert all("attention_scores(x, w_key.T, w_key)" in w.actual for w in words)
    assert all(w.help.endswith("attention_scores(x, w_query, w_key).") for w in words)


def test_a_refusal_that_is_right_is_not_doubted(examined):
    """Who calls the class once too often meets its own line, which refuses what it should."""
    wrong = "    if max_new_tokens:\n        model(new, caches)\n    return text\n"
    found = examined("kv_cache", "    return text\n", wrong)
    words = [words_of(v) for v in found if v.cause.kind == "callers_within"]

    assert words
    assert all("It refuses what it is given" in one.rationale for one in words)


def test_none_that_is_returned_on_purpose_is_told_from_a_forgotten_return():
    """A pair with None in it lacks a value, and no return."""
    text = "def pair(x):\n    return x, None\n\n\ndef none(x):\n    x + 1\n"
    around = Surroundings(files={"page": text}, module="page")

    assert around.returns_none(around.line_of("pair"))
    assert not around.returns_none(around.line_of("none"))


class TestANameThatAClassOfAnotherPageLacks:
    FILES = {
        "gpt": "class GPT(Module):\n    def __init__(self):\n        self.norm = 1\n"
        "        self.head: int = 2\n        self.size == 3\n\n\nclass Other:\n    self.x = 1\n",
        "page": 'from gpt import GPT\n\nEPS = 1\n\n\ndef f():\n    """With norms and eps_."""\n',
    }
    AROUND = Surroundings(files=FILES, module="page")

    @pytest.mark.parametrize(
        ("name", "said"),
        [
            ("lm_heads", "Your `GPT` has no `lm_heads`. It has norm, head."),
            ("norms", "GPT has no `norms`. Do you mean `norm`?"),
            ("n_head", "Your `GPT` has no `n_head`. It has norm, head."),
        ],
    )
    def test_is_held_against_what_it_has(self, name, said):
        """Not against the words of the page at hand; and a number of heads is no head."""
        raised = Raised("AttributeError", f"'GPT' object has no attribute '{name}'")
        kind, facts = recognised(raised, self.AROUND)

        assert told(Cause(kind, {"said": "", **facts})).rationale.startswith(said)

    @pytest.mark.parametrize(
        ("name", "said"),
        [
            ("tok", "Your `Mine` has no `tok`. It has norm, head."),
            ("heads", "Mine has no `heads`. Do you mean `head`?"),
            ("cachd", "`Mine` has no `cachd`. Do you mean `cache`?"),
        ],
    )
    def test_so_is_one_that_an_own_class_made_from_it_lacks(self, name, said):
        """What torch's own modules have is no answer."""
        page = "class Mine(GPT):\n    def __init__(self):\n        self.cache = 1\n"
        around = Surroundings(files={**self.FILES, "page": page}, module="page")
        message = f"'Mine' object has no attribute '{name}'. Did you mean: 'to'?"
        kind, facts = recognised(Raised("AttributeError", message), around)

        assert said in told(Cause(kind, {"said": "", **facts})).rationale

    def test_a_name_is_sought_in_code_whatever_its_case(self):
        """What only the page's words hold is no name."""
        raised = Raised("NameError", "name 'eps' is not defined")

        assert recognised(raised, self.AROUND)[1]["near"] == "EPS"


@pytest.mark.parametrize(
    ("name", "kind"), [("mask", "attribute_is_argument"), ("width", "attribute_of_own")]
)
def test_an_argument_is_no_attribute(name, kind):
    """`self.mask` in a forward(x, mask) that nothing has put on the object."""
    text = (
        "class Layer:\n    def __init__(self, width):\n        pass\n\n"
        f"    def forward(\n        self, x, mask=None\n    ):\n        return x + self.{name}\n"
    )
    line = OwnLine("page.py", 8, f"return x + self.{name}", "Layer.forward")
    raised = Raised("AttributeError", f"'Layer' object has no attribute '{name}'", (line,))
    found, facts = recognised(raised, Surroundings(files={"page": text}, module="page"))

    assert found == kind
    assert told(Cause(found, {"said": "", **facts})).help


@pytest.mark.parametrize(("line", "kind"), [("raise ValueError", "own_refusal"), ("f(x)", None)])
def test_what_an_own_line_refuses_is_told_as_that(line, kind):
    """Torch's own ValueError is left as it is."""
    raised = Raised("ValueError", "not square", (OwnLine("page.py", 3, line, "f"),))
    found = recognised(raised, Surroundings(files={"page": ""}, module="page"))

    assert (found and found[0]) == kind


class TestWhatTheOwnLineTellsBesideTheMessage:
    """One message has several reasons, and the line says which."""

    TAKES_ONE = "Layer.__init__() takes 1 positional argument but 3 were given"
    UNFIT = (
        "The size of tensor a (3) must match the size of tensor b (2) at non-singleton dimension 1"
    )
    SEVERAL = "a Tensor with 5 elements cannot be converted to Scalar"
    STRETCHED = "expand: the number of sizes provided (3) must be greater or equal to 4"
    SCALAR = "only one element tensors can be converted to Python scalars"
    NO_MODE = "Near.train() takes 1 positional argument but 2 were given"
    NO_NAME = "Module.register_buffer() missing 1 required positional argument: 'tensor'"
    NO_DIM = 'softmax() missing 1 required positional arguments: "dim"'
    KEYWORD = "{}() got an unexpected keyword argument '{}'"
    NO_PLACE = "tuple index out of range"
    FEW = "not enough values to unpack (expected 3, got 2)"
    NO_ROW = "index {} is out of bounds for dimension 1 with size 4"

    @pytest.mark.parametrize(
        ("type_name", "message", "line", "kind"),
        [
            ("TypeError", TAKES_ONE, "super().__init__(d_in, d_out)", "arguments_of_super"),
            ("TypeError", TAKES_ONE, "self.layer = Layer(d_in, d_out)", "arguments"),
            ("TypeError", "softmax() missing 1 required", "softmax(x)", "arguments_of_library"),
            ("RuntimeError", UNFIT, "q = x * self.W_query", "broadcast_by_star"),
            ("RuntimeError", UNFIT, "y = x * 2 @ w", "broadcast_in_product"),
            ("RuntimeError", UNFIT, "s = s.masked_fill(mask, -torch.inf)", "broadcast_mask"),
            ("RuntimeError", UNFIT, "z = z.masked_fill(z < kth, -inf)", "broadcast"),
            ("RuntimeError", UNFIT, "s = q @ k.T", "broadcast_transposed"),
            ("RuntimeError", UNFIT, "s = q @ k.transpose(0, 1)", "broadcast_transposed"),
            ("RuntimeError", UNFIT, "s = q @ k.transpose(-2, -1)", "broadcast_in_product"),
            ("RuntimeError", UNFIT, "loss = logsumexp(z, -1) - z_y", "broadcast"),
            ("RuntimeError", UNFIT, "y = f(*x) + w**2", "broadcast"),
            ("ValueError", SCALAR, "state = math.tanh(x)", "math_of_tensor"),
            ("ValueError", SCALAR, "state = float(x)", "number_of_many"),
            ("RuntimeError", SEVERAL, "y = p.argmax(dim=0).item()", "number_of_argmax"),
            ("RuntimeError", SEVERAL, "y = p.argmax(-1).item()", "number_of_many"),
            ("RuntimeError", STRETCHED, "self.k[:, :, n] = k", "place_axes"),
            ("RuntimeError", STRETCHED, "y = x.expand(2)", "expand_axes"),
            ("ValueError", SCALAR, "return torch.tensor(states)", "tensor_of_tensors"),
            (
                "AttributeError",
                "'int' object has no attribute 'detach'",
                "self.w = nn.Parameter(d_in, d_out)",
                "parameter_of_number",
            ),
            ("AttributeError", "'int' object has no attribute 'detach'", "n.detach()", "attribute"),
            ("IndexError", NO_PLACE, "if (w[i], w[i + 1]) == pair:", "index_behind_the_last"),
            ("IndexError", NO_PLACE, "pairs[w[i]] += w[1 + i]", "index_of_list"),
            ("IndexError", NO_ROW.format(4), "y = x[:, j+1]", "index_behind_the_last"),
            ("IndexError", NO_ROW.format(7), "y = x[:, j+1]", "index_of_axis"),
            ("KeyError", "'self-attention'", "f[layer]", "key_near"),
            ("KeyError", "'other'", "f[layer]", "key"),
            ("NameError", "name 'inf' is not defined", "x = -inf", "undefined_of_math"),
            ("NameError", "name 'F' is not defined", "x = F.dropout(x)", "undefined_module"),
            ("NameError", "name 'other' is not defined", "x = other", "undefined_name"),
            ("TypeError", NO_NAME, "self.register_buffer(torch.ones(2))", "register_buffer"),
            ("TypeError", NO_DIM, "p = torch.softmax(x)", "arguments_of_library"),
            ("TypeError", NO_DIM, "p = torch.softmax(x, dims=0)", "keyword_near"),
            ("TypeError", NO_DIM, "p = softmax(x, dims=0)", "arguments_of_library"),
            ("TypeError", KEYWORD.format("amax", "keep_dim"), "x.amax(keep_dim=1)", "keyword_near"),
            ("TypeError", KEYWORD.format("f", "dims"), "f(x.sum(keep_dim=1))", "arguments"),
            ("TypeError", KEYWORD.format("tril", "zz"), "torch.tril(x, zz=1)", "keyword_unknown"),
            (
                "TypeError",
                KEYWORD.format("softmax", "axis"),
                "F.softmax(x, axis=1)",
                "keyword_near",
            ),
            ("TypeError", TAKES_ONE.replace("Layer", "Near"), "Near(3, 4)", "method_misnamed"),
            ("TypeError", NO_MODE, "def train(self):", "method_of_torch_replaced"),
            ("ValueError", FEW, "b, t, d = x.shape", "unpacked_shape"),
            ("ValueError", FEW, "b, t, d = f(x)", "unpacked_call"),
            ("ValueError", FEW, "x, own, cross = self.layers[i](x, y)", "unpacked_call"),
            ("ValueError", FEW, "b, t, d = torch.split(x, 3)", "unpacked"),
            ("ValueError", FEW, "b, t, d = x.split(3)", "unpacked"),
            ("IndexError", NO_PLACE, "for t in range(x.shape[1]):", "shape_too_short"),
            ("TypeError", "'Layer' object is not iterable", "o = AdamW(m)", "optimizer_of_model"),
            ("TypeError", "'Layer' object is not iterable", "for p in m:", "not_iterable"),
            ("IndexError", NO_ROW.format(7), "z = logits[:, targets]", "index_for_each_row"),
        ],
    )
    def test_is_told_apart(self, type_name, message, line, kind):
        """The kind has words of its own."""
        raised = Raised(type_name, message, (OwnLine("page.py", 3, line, "f"),))
        text = 'class Layer:\n    names = {"self_attention": 1}\n\ndef f(): pass\n'
        text += "class Near:\n    def _init_(self):\n        pass\n"
        text += "    def train(self):\n        pass\n"
        around = Surroundings(files={"page": text}, module="page")
        found, facts = recognised(raised, around)

        assert found == kind
        assert told(Cause(kind, {"module": "page", "said": message, **facts})).help

    @pytest.mark.parametrize(
        ("line", "kind"),
        [("y = y + x @ w[j]", "broadcast"), ("y = y + x @ w", "broadcast_in_product")],
    )
    def test_of_a_sum_is_no_matter_of_the_product_of_matrices(self, line, kind):
        """An index takes an axis away: what is left has no axis in which a product could fail."""
        held = (("y", (2, 4)), ("x", (4, 3)), ("w", (5, 3, 4)))
        raised = Raised("RuntimeError", self.UNFIT, (OwnLine("page.py", 3, line, "f", held),))
        around = Surroundings(files={"page": "def f(): pass\n"}, module="page")

        assert recognised(raised, around)[0] == kind

    @pytest.mark.parametrize(
        ("made", "kind"),
        [
            ("mask = mask.unsqueeze(1)", "broadcast_mask_of_other_axes"),
            ("mask = mask[:, None]", "broadcast_mask_of_other_axes"),
            ("mask = mask.bool()", "broadcast_mask"),
        ],
    )
    def test_a_mask_is_told_with_the_line_that_gave_it_other_axes(self, made, kind):
        """Where one did."""
        text = f"def f(scores, mask):\n    {made}\n    y = scores.masked_fill(~mask, 0)\n"
        raised = Raised(
            "RuntimeError",
            "The size of tensor a (3) must match the size of tensor b (2) at non-singleton "
            "dimension 0",
            (OwnLine("page.py", 3, "y = scores.masked_fill(~mask, 0)", "f"),),
        )
        found, facts = recognised(raised, Surroundings(files={"page": text}, module="page"))

        assert found == kind
        assert (made in told(Cause(kind, {"module": "page", "said": "", **facts})).rationale) == (
            kind != "broadcast_mask"
        )

    @pytest.mark.parametrize(
        ("made", "kind"),
        [
            ("parent = place // 3", "index_of_list_reckoned"),
            ("parent, token = divmod(place, 3)", "index_of_list_reckoned"),
            ("other = parent == 3", "index_of_list"),
            ("for parent in range(9):", "index_of_list"),
        ],
    )
    def test_a_place_is_told_with_the_line_that_reckoned_it(self, made, kind):
        """Not with one that only speaks of it, nor of a loop."""
        text = f"def g():\n    parent = 0\ndef f():\n    {made}\n    y = texts[parent]\n"
        raised = Raised(
            "IndexError",
            "list index out of range",
            (OwnLine("page.py", 5, "y = texts[parent]", "f"),),
        )
        found, facts = recognised(raised, Surroundings(files={"page": text}, module="page"))

        assert found == kind
        assert (made in told(Cause(kind, {"module": "page", "said": "", **facts})).rationale) == (
            kind != "index_of_list"
        )

    @pytest.mark.parametrize(
        ("made", "kind"),
        [
            ("totals = s.sum(axis=-1)", "few_axes_of_sum"),
            ("totals = s.sum(axis=-1, keepdims=True)", "few_axes"),
            ("totals = logsumexp(s)", "few_axes_of_call"),
            ("totals = abs(s)", "few_axes"),
        ],
    )
    @pytest.mark.parametrize(
        "said",
        ["too many indices for tensor of dimension 0", "invalid index to scalar variable."],
    )
    def test_what_lacks_an_axis_is_told_with_the_line_that_took_it(self, made, kind, said):
        """A sum that keeps none, or a function of the page's own."""
        text = f"def f(s):\n    {made}\n    return s / totals[:, None]\n"
        held = (("s", (6,)), ("totals", ()))
        line = OwnLine("softmax.py", 3, "return s / totals[:, None]", "f", held)
        around = Surroundings(COURSE, {"softmax": text}, "softmax")
        found, facts = recognised(Raised("IndexError", said, (line,)), around)

        assert found == kind
        assert (made in told(Cause(kind, {"module": "page", "said": "", **facts})).rationale) == (
            kind != "few_axes"
        )

    @pytest.mark.parametrize(
        ("line", "kind"),
        [("self.train = True", "method_hidden"), ("self.training = True", "not_callable")],
    )
    def test_a_method_of_torch_s_that_is_hidden_is_told_with_its_line(self, line, kind):
        """Torch calls it, and no line of the page's own does."""
        around = Surroundings(files={"page": f"def __init__(self):\n    {line}\n"}, module="page")
        found, _ = recognised(Raised("TypeError", "'bool' object is not callable", ()), around)

        assert found == kind

    @pytest.mark.parametrize(("held", "kind"), [(0, "log_of_zero"), (-2, "out_of_range")])
    def test_a_logarithm_of_zero_is_told_from_others(self, held, kind):
        line = OwnLine("page.py", 2, "return math.log(p)", "f", (("p", held),))
        found, _ = recognised(Raised("ValueError", "math domain error", (line,)), NOWHERE)

        assert found == kind

    @pytest.mark.parametrize(
        ("target", "kind"), [("2, 0, 4", "written_nowhere"), ("2, 5, 4", "written_slice")]
    )
    def test_a_slice_that_is_empty_is_told_as_that(self, target, kind):
        """Where something is written to it."""
        size = target.split(", ")[1]
        said = (
            f"The expanded size of the tensor ({size}) must match the existing size (3) at "
            f"non-singleton dimension 1.  Target sizes: [{target}].  Tensor sizes: [2, 3, 4]"
        )
        line = OwnLine("page.py", 2, "k[:, n:t] = new", "f", (("k", (2, 9, 4)),))
        found, _ = recognised(Raised("RuntimeError", said, (line,)), NOWHERE)

        assert found == kind

    def test_no_word_of_python_is_taken_for_a_name(self):
        """`rise` resembles `raise`, and is no name."""
        around = Surroundings(files={"page": "if x:\n    raise ValueError\n"}, module="page")

        assert around.resembling("rise") == ""


class TestWhatTheShapesInTheLineTell:
    """Beside the message: whose axis is gone, and whether a product can be meant."""

    UNFIT = (
        "The size of tensor a (5) must match the size of tensor b (4) at non-singleton dimension 2"
    )
    NO_ROW = "index 5 is out of bounds for dimension 1 with size 5"

    def found(self, message, line, **held):
        own = OwnLine("page.py", 3, line, "f", tuple(held.items()))
        kind = "IndexError" if message is self.NO_ROW else "RuntimeError"
        return recognised(Raised(kind, message, (own,)), Surroundings())

    def test_a_sum_that_lost_its_axis(self):
        """Whichever it was, but the first, which comes back by itself."""
        kind, facts = self.found(self.UNFIT, "y * (g - s)", y=(3, 4, 5), g=(3, 4, 5), s=(3, 4))

        assert kind == "broadcast_axis_lost"
        assert (facts["name"], facts["whole"]) == ("s", "y")

    @pytest.mark.parametrize("shape", [(4, 5), (3, 6), (4,), (3, 4, 6)])
    def test_other_shapes_have_lost_none(self, shape):
        """Which no axis of the other makes of it, or which broadcasting makes fit."""
        kind, _ = self.found(self.UNFIT, "y * (g - s)", y=(3, 4, 5), g=(3, 4, 5), s=shape)

        assert kind == "broadcast"

    @pytest.mark.parametrize(
        ("line", "shapes", "kind"),
        [
            ("y += x @ w", {"x": (3, 4), "w": (4, 5)}, "broadcast"),
            ("y += x @ w", {"x": (2, 3, 4), "w": (4, 5)}, "broadcast_in_product"),
            ("y += x @ self.w", {"x": (3, 4)}, "broadcast_in_product"),
            ("y += x @ w", {}, "broadcast_in_product"),
        ],
    )
    def test_a_product_of_matrices_has_no_axes_in_front_that_could_not_fit(
        self, line, shapes, kind
    ):
        """Then it is a sum beside it in which they do not."""
        assert self.found(self.UNFIT, line, **shapes)[0] == kind

    @pytest.mark.parametrize(
        ("line", "kind"),
        [("y[j:] += x[: T - j] @ w", "broadcast_empty"), ("y = y + x", "broadcast")],
    )
    def test_a_part_that_is_empty(self, line, kind):
        """Which only a part of something is by a mistake in the line itself."""
        empty = self.UNFIT.replace("(5)", "(0)")
        assert self.found(empty, line, y=(3, 4), x=(3, 3), w=(3, 4))[0] == kind

    def test_no_product_is_suggested_where_none_is_possible(self):
        """And it is where sizes meet, or where nothing is known."""
        possible = self.found(self.UNFIT, "x * w", x=(2, 4), w=(4, 5))[0]
        impossible = self.found(self.UNFIT, "x * w", x=(2, 4), w=(6, 5))[0]
        unknown = self.found(self.UNFIT, "x * self.w", x=(2, 4))[0]

        assert (possible, impossible, unknown) == (
            "broadcast_by_star",
            "broadcast",
            "broadcast_by_star",
        )

    @pytest.mark.parametrize(
        ("line", "kind"),
        [
            ("return x[rows, cols]", "index_from_the_front"),
            ("return x[rows[:, None], cols + f(1, 2)]", "index_from_the_front"),
            ("return x[..., rows[:, None], cols]", "index_of_axis"),
            ("return x[..., rows, cols]", "index_of_axis"),
            ("return x[i, rows, cols]", "index_of_axis"),
            ("return f(x)[rows, cols]", "index_of_axis"),
            ("return x[rows]", "index_of_axis"),
        ],
    )
    def test_an_index_of_the_first_axes(self, line, kind):
        """Where fewer are named than there are, and no ellipsis stands for the others."""
        assert self.found(self.NO_ROW, line, x=(3, 5, 9), rows=(5, 1), cols=(5, 5))[0] == kind

    @pytest.mark.parametrize(
        ("index", "told"),
        [
            ("mask[:, h]", True),
            ("mask[:, :, h]", True),
            ("mask[:, h, 0]", True),
            ("mask[h]", False),
            ("mask[..., h]", False),
            ("mask[:, :, :, h]", False),
            ("x[:, h]", False),
        ],
    )
    def test_an_axis_that_stands_for_all(self, index, told):
        """Of which one place after another is taken."""
        message = "index 1 is out of bounds for dimension 1 with size 1"
        kind, _ = self.found(message, f"y = {index}", mask=(2, 1, 1, 6), h=(), x=(2, 3, 5))

        assert (kind == "index_of_one_for_all") is told

    def test_is_told_beside_the_line(self):
        """Those alike together; what is not known is not told."""
        raised = Raised(
            "KeyError",
            "'a'",
            (OwnLine("page.py", 3, "x + y + z + i", "f", (("x", (2,)), ("y", None), ("z", (2,)))),),
        )
        _, cause = explain(SubmissionRaised(raised), "page", 5, ())

        assert told(cause).actual == "`x + y + z + i`, where x and z are (2,) and y is None"


def test_a_function_handed_on_that_never_returns_is_named():
    """Whoever calls it: here a module below, which is right."""
    texts = {
        "below": "def add(x, f):\n    return x + f(x)\n",
        "page": "from below import add\ndef f(x):\n    def branch(y):\n        y * 2\n"
        "    return add(x, branch)\n",
    }
    lines = (
        OwnLine("page.py", 5, "return add(x, branch)", "f"),
        OwnLine("below.py", 2, "return x + f(x)", "add", (("x", (2, 3)),)),
    )
    raised = Raised("TypeError", "unsupported operand: 'Tensor' and 'NoneType'", lines)
    around = Surroundings(files=texts, module="page")
    _, cause = explain(SubmissionRaised(raised), "page", 5, ("page", "below"), around)

    assert cause.because.kind == "no_return"
    assert cause.because.facts["name"] == "branch"
    assert cause.because.place.line == 5


def test_who_is_still_at_work_is_not_said_to_return_nothing():
    """A function in the traceback has not come to its end."""
    text = "def procedure(x):\n    x + None\ndef f(x):\n    procedure(x)\n"
    lines = (
        OwnLine("page.py", 4, "procedure(x)", "f"),
        OwnLine("page.py", 2, "x + None", "procedure"),
    )
    raised = Raised("TypeError", "unsupported operand: 'Tensor' and 'NoneType'", lines)
    kind, _ = recognised(raised, Surroundings(files={"page": text}, module="page"))

    assert kind == "none"


@pytest.mark.parametrize(
    ("line", "held", "kind", "names"),
    [
        (
            "row @ w + s @ u",
            {"row": (3,), "w": (2, 2), "s": (2,), "u": (3, 2)},
            "matmul_other",
            ("row", "w", "u"),
        ),
        (
            "row @ w + s @ u",
            {"row": (3,), "w": (3, 2), "s": (3,), "u": (2, 2)},
            "matmul_of_names",
            ("s", "u"),
        ),
        (
            "tanh(row @ w_state)",
            {"row": (3,), "w_state": (2, 2), "w_in": (3, 2)},
            "matmul_of_names",
            ("row", "w_state"),
        ),
        ("row @ w.T + v", {"row": (3,), "w": (2, 2), "v": (2,)}, "matmul", ()),
    ],
)
def test_a_product_whose_sides_are_names(line, held, kind, names):
    """They are told; and with them another name that stands in the line, if that is the only one
    that would fit, and its own product would fit as well.
    """
    message = "mat1 and mat2 shapes cannot be multiplied (1x3 and 2x2)"
    own = OwnLine("page.py", 3, line, "f", tuple((n, s) for n, s in held.items() if n in line))
    found, facts = recognised(Raised("RuntimeError", message, (own,)), Surroundings())

    assert found == kind
    assert tuple(facts[key] for key in ("left", "right", "name") if key in facts) == names


NONE_HAS_NO = "'NoneType' object has no attribute 'zero_'"
MANY = "Boolean value of Tensor with more than one value is ambiguous"
OUT_OF_RANGE = "index out of range in self"
NEGATIVE = "Class values must be non-negative."


@pytest.mark.parametrize(
    ("type_name", "message", "line", "held", "kind"),
    [
        ("RuntimeError", OUT_OF_RANGE, "p = self.position(idx)", (), "index_of_positions"),
        ("RuntimeError", OUT_OF_RANGE, "p = self.token(idx)", (), "index"),
        (
            "IndexError",
            "index 28 is out of bounds for dimension 0 with size 2",
            "out[best] = logits[best]",
            (("out", (2, 7)), ("best", ())),
            "index_of_the_whole",
        ),
        (
            "RuntimeError",
            TestWhatTheOwnLineTellsBesideTheMessage.UNFIT,
            "angles = pos / rates",
            (("pos", (3,)), ("rates", (2,))),
            "broadcast_two_rows",
        ),
        (
            "RuntimeError",
            "size mismatch, got input (2), mat (2x4), vec (2)",
            "y = w @ x",
            (),
            "matmul_row_left",
        ),
        ("RuntimeError", MANY, "return not mask", (), "truth_not"),
        ("RuntimeError", MANY, "a and b", (), "truth_joined"),
        ("RuntimeError", MANY, "return all(masks)", (), "truth_by_python"),
        ("RuntimeError", MANY, "return x.all(y)", (), "truth_of_many"),
        ("RuntimeError", MANY, "if a and b:", (), "truth_of_many"),
        ("TypeError", "'str' object is not callable", "h = self.activation(h)", (), "word_called"),
        ("TypeError", "'float' object is not callable", "h = self.drop(h)", (), "number_called"),
        ("TypeError", "'str' object is not callable", "h = name(h)", (), "not_callable"),
        ("AttributeError", NONE_HAS_NO, "p.grad.zero_()", (("p", (2,)),), "none_as_gradient"),
        ("AttributeError", NONE_HAS_NO, "p.graded.zero_()", (("p", (2,)),), "none"),
        ("TypeError", "'Parameter' object is not callable", "self.w(x)", (), "parameter_called"),
        ("TypeError", "'module' object is not callable", "torch.random(3)", (), "module_called"),
        ("TypeError", "'module' object is not callable", "y = softmax(x)", (), "not_callable"),
        ("TypeError", "'Tensor' object is not callable", "x(0)", (("x", (2,)),), "tensor_called"),
        ("TypeError", "'Tensor' object is not callable", "f(0)", (), "not_callable"),
        (
            "AttributeError",
            "'function' object has no attribute 'forward'",
            "y = sublayer.forward(x)",
            (),
            "attribute_forward",
        ),
        (
            "AttributeError",
            "'Callable' object has no attribute 'forward'",
            "y = sublayer.forward(x)",
            (),
            "attribute_forward",
        ),
        (
            "RuntimeError",
            "mat1 and mat2 shapes cannot be multiplied (10x20 and 10x6)",
            "return self.w2(torch.cat(parts, dim=-1))",
            (),
            "matmul_in_layer",
        ),
        (
            "RuntimeError",
            "mat1 and mat2 shapes cannot be multiplied (4x5 and 4x5)",
            "return y * (g - g @ y)",
            (("y", (4, 5)), ("g", (4, 5))),
            "matmul_alike",
        ),
        (
            "AttributeError",
            "'bytes' object has no attribute 'encode'",
            "t.encode()",
            (),
            "text_already",
        ),
        (
            "AttributeError",
            "'str' object has no attribute 'decode'",
            "t.decode()",
            (),
            "text_already",
        ),
        (
            "AttributeError",
            "'bool' object has no attribute 'any'",
            "(x == eos).any()",
            (),
            "attribute_of_bool",
        ),
        ("RuntimeError", NEGATIVE, "one_hot(t)", (), "class_below_zero"),
    ],
)  # fmt: skip
def test_what_beginners_meet_has_words_of_its_own(type_name, message, line, held, kind):
    """Rather than a list of all that such a message may mean."""
    own = OwnLine("page.py", 3, line, "f", held)
    found, _ = recognised(Raised(type_name, message, (own,)), Surroundings())

    assert found == kind


def test_a_number_that_is_called_is_told_among_others():
    """Which of the called ones it is says what the line held."""
    line = "return self.w_2(self.dropout(h))"
    own = OwnLine("page.py", 3, line, "f", (("h", (2, 3)), ("self.dropout", 0.1)))
    raised = Raised("TypeError", "'float' object is not callable", (own,))

    assert recognised(raised, Surroundings())[1]["name"] == "dropout"


@pytest.mark.parametrize(
    ("set_at", "kind"),
    [
        ("self.act = nn.ReLU", "class_for_layer"),
        ('self.act = nn.ReLU if kind == "relu" else gelu', "class_for_layer"),
        ("self.act = choose(nn.ReLU)", "class_for_layer"),
        ("self.act = nn.ReLU()", "layer_for_tensor"),
        ("d = 2, ReLU as activation", "layer_for_tensor"),
    ],
)
def test_a_class_that_is_kept_is_no_layer(set_at, kind):
    """It is told with the line that lacks brackets."""
    text = f"class Net:\n    def __init__(self):\n        {set_at}\n"
    own = OwnLine("page.py", 9, "return self.w_2(self.drop(h))", "Net.forward")
    message = "dropout(): argument 'input' (position 1) must be Tensor, not ReLU"
    around = Surroundings(files={"page": text}, module="page")
    found, facts = recognised(Raised("TypeError", message, (own,)), around)

    assert found == kind
    assert facts.get("set_at") == (3 if kind == "class_for_layer" else None)


class TestNone:
    TEXT = (
        "class Cache:\n    def __init__(self):\n        self.k = None\n"
        "    def reset(self):\n        self.k = None\n"
        "    def add(self, x, mask=None):\n        return self.k.shape, ~mask\n"
    )

    def found(self, line, **held):
        message = "'NoneType' object has no attribute 'shape'"
        names = tuple((name.replace("_of_", "."), None) for name in held)
        own = OwnLine("page.py", 7, line, "Cache.add", names)
        around = Surroundings(files={"page": self.TEXT}, module="page")
        return recognised(Raised("AttributeError", message, (own,)), around)

    def test_is_told_with_the_argument_that_it_is(self):
        """One that may be left out."""
        kind, facts = self.found("return ~mask", mask=None)

        assert (kind, facts["name"]) == ("none_given", "mask")

    def test_is_told_with_the_line_that_set_it(self):
        """Another than the one in which everything begins."""
        kind, facts = self.found("return self.k.shape", self_of_k=None)

        assert (kind, facts["name"], facts["set_at"]) == ("none_on_self", "self.k", 5)

    def test_is_told_in_general_where_it_may_be_either(self):
        """Two names, or none that is known."""
        assert self.found("return self.k.shape, ~mask", self_of_k=None, mask=None)[0] == "none"
        assert self.found("return y")[0] == "none"


def test_a_refusal_is_told_with_its_condition():
    """The one right above it, and what was asked."""
    text = "def f(p):\n    if not 0 < p < 1:\n        raise ValueError(p)\n"
    own = OwnLine("page.py", 3, "raise ValueError(p)", "f", (("p", 1.0),))
    around = Surroundings(files={"page": text}, module="page")
    _, cause = explain(SubmissionRaised(Raised("ValueError", "1.0", (own,))), "page", 5, (), around)

    assert cause.kind == "own_refusal_if"
    assert "where `if not 0 < p < 1:` holds" in told(cause).rationale
    assert told(cause).actual.endswith("where p is 1")
