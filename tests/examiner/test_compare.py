"""Every way in which an answer can differ from the right one is found, named and placed."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from grader.errors import ProtocolViolation, SubmissionRaised, SuiteError
from grader.examiner.compare import Compare
from grader.examiner.difference import Tensors, describe_values, where_they_differ
from grader.examiner.expected import Readings, tensors_of
from grader.examiner.judge import wrong_elements
from grader.model import Cause, Exercise
from grader.programs.client import Client
from grader.programs.draw import Draw
from grader.programs.failure import CheckFailed
from grader.programs.kinds import kind_name
from grader.programs.program import LocalProgram, Opening
from grader.programs.proxy import Implementation
from grader.report.words import told

EXERCISE = Exercise("page", "A page", "nowhere", ("f",))


def opened(f, dtype=None, **options):
    return LocalProgram({"f": f}, dtype, **options).open(Opening(EXERCISE))


def compare_with(reference, client):
    """The fixture ``compare`` for a caller, measured against ``reference``."""
    high = torch.float64
    nudged = tuple(opened(reference, high, nudge=way) for way in (1, 2))
    readings = Readings(opened(reference, high), opened(reference), nudged)
    return Compare(client, readings, 1, {})


def cause_of(reference, answer, *inputs, wrt=()):
    """Why ``answer`` is not the right one; None when it is."""
    compare = compare_with(reference, opened(answer))
    try:
        compare(lambda impl: impl.f(*inputs), wrt=wrt)
    except CheckFailed as failure:
        return failure.evidence.kind, told(failure.cause)
    return None


@pytest.fixture
def x():
    return Draw(3).normal(4, 6)


def double(x):
    return x * 2


class TestKinds:
    @pytest.mark.parametrize(
        ("reference", "answer", "said"),
        [
            (double, lambda x: None, "returned None (is a `return` missing?) where a tensor was"),
            (double, lambda x: (x * 2, x), "returned a tuple of 2 values where a tensor was"),
            (double, lambda x: (x * 2).tolist(), "returned a list of 4 values where a tensor was"),
            (double, lambda x: (x * 2).numpy(), "returned a numpy array where a tensor was"),
            (double, lambda x: 3, "returned a value of type int where a tensor was"),
            (lambda x: (x, x), double, "returned a tensor where 2 values was expected"),
            (lambda x: (x, x), lambda x: (x, x, x), "returned a tuple of 3 values where 2 values"),
            (lambda x: (x, x), lambda x: (x, None), "(is a `return` missing?) where a tensor was"),
            (lambda x: {"a": x}, lambda x: {"b": x}, "where a dict with the keys ['a'] was"),
            (lambda x: {"a": x}, lambda x: [x], "where a dict with the keys ['a'] was"),
            (lambda x: 0.5, lambda x: "0.5", "returned a value of type str where a number was"),
            (lambda x: 0.5, lambda x: x, "returned a tensor where a number was expected"),
            (lambda x: 3, lambda x: torch.tensor([3]), "where a value of type int was expected"),
            (lambda x: 3, lambda x: np.empty(0), "where a value of type int was expected"),
            (lambda x: None, lambda x: np.empty(0), "where a value of type NoneType was expected"),
            (lambda x: np.ones(2), lambda x: torch.ones(2), "where a numpy array was expected"),
        ],
    )
    def test_are_told_apart(self, x, reference, answer, said):
        """A value of another kind is named for what it is, and for what was expected."""
        kind, cause = cause_of(reference, answer, x)

        assert kind == "kind"
        assert said in cause.rationale
        assert cause.expected
        assert cause.actual in cause.rationale

    @pytest.mark.parametrize(
        ("reference", "answer"),
        [
            (lambda x: (x, x), lambda x: [x, x]),
            (lambda x: 0.5, lambda x: torch.tensor(0.5)),
            (lambda x: 0.5, lambda x: np.float64(0.5)),
            (lambda x: 3, lambda x: torch.tensor(3)),
            (lambda x: 2.0, lambda x: 2),
            (lambda x: None, lambda x: None),
            (lambda x: torch.float32, lambda x: torch.float32),
            (lambda x: {"a": [x, 1]}, lambda x: {"a": (x, 1)}),
        ],
    )
    def test_may_differ_where_nobody_minds(self, x, reference, answer):
        """A list for a tuple, a tensor without axes for a number: right is right."""
        assert cause_of(reference, answer, x) is None

    @pytest.mark.parametrize(
        ("reference", "answer"),
        [(lambda x: 3, lambda x: 4), (lambda x: "a", lambda x: "b"), (lambda x: True, lambda x: 0)],
    )
    def test_of_plain_values_are_compared_exactly(self, x, reference, answer):
        """A whole number or a word is right or wrong."""
        kind, cause = cause_of(reference, answer, x)

        assert (kind, cause.expected) == ("value", repr(reference(x)))

    def test_are_told_where_they_are(self, x):
        """In a nested answer the place of the difference is said."""
        right, wrong = (lambda x: {"a": (x, [x])}), (lambda x: {"a": (x, [x + 1])})
        _, cause = cause_of(right, wrong, x)

        assert "returned other values in item 0 in item 1 at key 'a': all 24" in cause.rationale


class TestTensors:
    @pytest.mark.parametrize(
        ("answer", "kind", "said", "expected", "actual"),
        [
            (lambda x: x.T * 2, "shape", "shape (6, 4), not (4, 6)", "(4, 6)", "(6, 4)"),
            (lambda x: x[None] * 2, "shape", "shape (1, 4, 6)", "(4, 6)", "(1, 4, 6)"),
            (lambda x: x.sum() * 2, "shape", "shape (), not", "(4, 6)", "()"),
            (lambda x: x.double() * 2, "dtype", "dtype float64, not", "float32", "float64"),
            (lambda x: x.to(torch.bfloat16), "dtype", "dtype bfloat16", "float32", "bfloat16"),
            (lambda x: x.int(), "dtype", "dtype int32, not float32", "float32", "int32"),
            (lambda x: x.to("meta"), "device", "on meta, not on cpu", "cpu", "meta"),
        ],
    )
    def test_differ_in_form(self, x, answer, kind, said, expected, actual):
        """Shape, dtype and device are compared before values, in this order."""
        found, cause = cause_of(double, answer, x)

        assert found == kind
        assert said in cause.rationale
        assert (cause.expected, cause.actual) == (expected, actual)

    def test_differ_in_values(self, x):
        """How many, where, and the first few of them."""

        def answer(x):
            y = x * 2
            y[1, 2] = 77.0
            return y

        kind, cause = cause_of(double, answer, x)

        assert kind == "numbers"
        assert cause.rationale == (
            "f(tensor (4, 6)) returned other values: 1 of 24 values differ, "
            "only at 1 along axis 0 and 2 along the last axis; first at [1, 2]."
        )
        assert cause.actual.startswith("[1]: ")
        assert cause.actual.split()[3] == "77"

    @pytest.mark.parametrize("bad", [torch.nan, torch.inf, -torch.inf])
    def test_differ_where_they_are_not_finite(self, x, bad):
        """One NaN or infinity is enough, and NaN is called by its name."""

        def answer(x):
            y = x * 2
            y[3, 5] = bad
            return y

        kind, cause = cause_of(double, answer, x)

        assert kind == ("nan" if bad != bad else "numbers")
        assert "1 of 24 values" in cause.rationale

    @pytest.mark.parametrize(
        ("given", "accepted"),
        [
            (torch.inf, True),
            (-torch.inf, False),
            (torch.nan, False),
            (3e38, False),
        ],
    )
    def test_may_be_infinite_where_the_reference_is(self, given, accepted):
        """An infinity is right where it is expected, and nothing else is."""
        wanted = torch.tensor([1.0, torch.inf])
        answer = torch.tensor([1.0, given])
        cause = cause_of(lambda: wanted.clone(), lambda: answer.clone())

        assert (cause is None) is accepted

    @pytest.mark.parametrize("dtype", [torch.int64, torch.bool, torch.uint8])
    def test_of_whole_numbers_are_compared_exactly(self, dtype):
        """There is no tolerance where there is no rounding."""
        wanted = torch.tensor([0, 1, 1]).to(dtype)
        right = cause_of(lambda: wanted.clone(), lambda: wanted.clone())
        kind, cause = cause_of(lambda: wanted.clone(), lambda: wanted.flip(0))

        assert right is None
        assert (kind, "2 of 3 values" in cause.rationale) == ("numbers", True)

    def test_without_numbers_are_compared_by_form(self):
        """A meta tensor is right when its shape and dtype are."""
        x = torch.empty(2, 3, device="meta")

        assert cause_of(double, double, x) is None
        assert cause_of(double, lambda x: x.T * 2, x)[0] == "shape"

    @pytest.mark.parametrize("shape", [(), (0,), (3, 0), (1,), (2, 1, 3)])
    def test_of_any_shape_are_compared(self, shape):
        """No axis, empty axes and axes of size one are nothing special."""
        x = Draw(1).normal(*shape)

        assert cause_of(double, double, x, wrt=[x]) is None
        assert (cause_of(double, lambda x: x * 3, x) is None) == (x.numel() == 0)

    def test_of_numpy_are_compared_too(self):
        """Arrays are held to shape, dtype and values like tensors."""
        x = Draw(1).array(3, 2)

        assert cause_of(double, double, x) is None
        assert cause_of(double, lambda x: x.T * 2, x)[0] == "shape"
        assert cause_of(double, lambda x: (x * 2).astype(np.float32), x)[0] == "dtype"
        assert cause_of(double, lambda x: x * 3, x)[0] == "numbers"


class TestTolerance:
    DTYPES = (torch.float64, torch.float32, torch.float16, torch.bfloat16)

    @pytest.mark.parametrize("dtype", DTYPES)
    def test_has_room_for_rounding(self, dtype):
        """The same sum in another order, or by way of float32, is the same answer."""
        x = Draw(5).normal(8, 50, dtype=dtype)

        def backwards(x):
            total = x[:, -1:].clone()
            for column in range(2, 51):
                total = total + x[:, -column : 51 - column]
            return total[:, 0]

        def through_float32(x):
            return x.float().sum(1).to(x.dtype)

        assert cause_of(lambda x: x.sum(1), backwards, x) is None
        assert cause_of(lambda x: x.sum(1), through_float32, x, wrt=[x]) is None

    @pytest.mark.parametrize(
        ("dtype", "slip"), [*zip(DTYPES, (1e-3, 1e-3, 1e-2, 0.1), strict=True)]
    )
    def test_has_no_room_for_mistakes(self, dtype, slip):
        """An answer that is off by far more than rounding is wrong."""
        x = Draw(5).normal(8, 50, dtype=dtype)
        kind, _ = cause_of(lambda x: x.sigmoid(), lambda x: x.sigmoid() * (1 + slip), x)

        assert kind == "numbers"

    def test_grows_where_nobody_can_do_better(self):
        """Where one rounding error of the input moves the answer far, so far may an answer lie."""
        x = 1e4 + Draw(5).normal(20)
        one, other = (lambda x: (x * 1000).sin()), (lambda x: (x * 999 + x).sin())

        assert (one(x) - other(x)).abs().max() > 0.1
        assert cause_of(one, other, x) is None
        assert cause_of(one, other, x / 1e4) is None

    def test_is_the_same_for_tiny_and_middling_numbers(self):
        """Below 1 the floor is absolute: 1e-5 for float32."""
        exact = torch.zeros(3, dtype=torch.float64)
        readings = Readings(exact, exact.float(), (exact,))
        wrong = wrong_elements(readings, torch.tensor([0.9e-5, -0.9e-5, 1.1e-5]))

        assert wrong.tolist() == [False, False, True]


class TestGradients:
    def test_are_compared(self, x):
        """Right values with another gradient are told from wrong values."""

        def answer(x):
            return x + x.detach()

        kind, cause = cause_of(double, answer, x, wrt=[x])

        assert kind == "gradient"
        assert "has right values, but another gradient for input 1: all 24" in cause.rationale

    def test_are_compared_per_input(self, x):
        """The input whose gradient is wrong is named by its number."""
        w = Draw(8).normal(4, 6)
        kind, cause = cause_of(lambda x, w: x * w, lambda x, w: x * w.detach(), x, w, wrt=[x, w])

        assert kind == "gradient"
        assert "another gradient for input 2" in cause.rationale

    def test_need_a_graph(self, x):
        """A tensor that was detached is told from one with a wrong gradient."""
        kind, cause = cause_of(double, lambda x: (x * 2).detach(), x, wrt=[x])

        assert kind == "detached"
        assert "has left the graph" in cause.rationale
        assert cause.actual == "none (detached)"

    def test_are_asked_for_only_where_there_are_any(self, x):
        """Whole numbers have no gradient, nor do inputs nobody asks about."""
        assert cause_of(lambda x: x.argmax(-1), lambda x: x.argmax(-1), x, wrt=[x]) is None
        assert cause_of(double, lambda x: (x * 2).detach(), x) is None

    def test_that_are_zero_may_be_absent(self, x):
        """An input that does not matter has the gradient zero, said or unsaid."""
        w = Draw(8).normal(4, 6)

        assert cause_of(lambda x, w: x * 2, lambda x, w: x * 2 + w * 0, x, w, wrt=[x, w]) is None
        assert cause_of(lambda x, w: x * 2 + w * 0, lambda x, w: x * 2, x, w, wrt=[x, w]) is None

    def test_that_should_not_be_there_are_found(self, x):
        """An input that must not matter has no gradient but zero."""
        w = Draw(8).normal(4, 6)
        kind, cause = cause_of(
            lambda x, w: x * 2, lambda x, w: x * 2 + (w - w.detach()), x, w, wrt=[x, w]
        )

        assert (kind, "input 2" in cause.rationale) == ("gradient", True)

    def test_flow_through_a_chain_of_calls(self, x):
        """What one call returned may be handed to the next; it is one graph."""
        reference, right, wrong = (
            (lambda x: x.sin()),
            torch.sin,
            (lambda x: x.detach().sin() + 0 * x),
        )
        for answer, expected in ((right, None), (wrong, "gradient")):
            compare = compare_with(reference, opened(answer))
            try:
                compare(lambda impl: impl.f(impl.f(x)), wrt=[x])
                found = None
            except CheckFailed as failure:
                found = failure.evidence.kind

            assert found == expected

    def test_of_parameters_are_always_compared(self, x):
        """A module's parameters need not be listed, and are called by their names."""

        class Right(torch.nn.Linear):
            def forward(self, x):
                return super().forward(x)

        class Wrong(torch.nn.Linear):
            def forward(self, x):
                return torch.nn.functional.linear(x, self.weight, self.bias.detach())

        def probe(impl):
            layer = impl.f(6, 2)
            layer.load({"weight": torch.ones(2, 6), "bias": torch.zeros(2)})
            return layer(x)

        compare_with(Right, opened(Right))(probe)
        with pytest.raises(CheckFailed) as caught:
            compare_with(Right, opened(Wrong))(probe)

        assert "another gradient for parameter bias" in told(caught.value.cause).rationale


class TestInputs:
    @pytest.mark.parametrize("change", ["mul_(2)", "zero_()", "t_()", "relu_()"])
    def test_must_stay_as_they_were(self, x, change):
        """An answer that is right but spoils its input is not accepted."""

        def answer(x):
            y = x * 2
            eval(f"x.{change}")
            return y

        kind, cause = cause_of(double, answer, x)

        assert kind == "input_changed"
        assert "changed its input (argument 1) in place" in cause.rationale

    def test_are_called_by_their_place_or_name(self, x):
        """The input that was changed is named as the caller names it."""

        def answer(x, other):
            other.zero_()
            return x * 2

        compare = compare_with(lambda x, other: x * 2, opened(answer))
        with pytest.raises(CheckFailed, match=r"changed its input \(other\) in place"):
            compare(lambda impl: impl.f(x, other=torch.ones(2)))

    def test_may_hold_nan(self):
        """A NaN in an input is not a change of it."""
        x = torch.tensor([torch.nan, 1.0])

        assert cause_of(lambda x: x.nan_to_num() * 2, lambda x: x.nan_to_num() * 2, x) is None

    def test_are_the_checks_own_again_for_the_next(self, x):
        """What an answer did to its copy of an input is unknown to the check."""
        before = x.clone()
        cause_of(double, lambda x: x.zero_(), x)

        assert before.equal(x)


class TestReferences:
    @pytest.mark.parametrize(
        "reference",
        [lambda x: x.nope, lambda x: x * torch.nan, lambda x: 1 / 0, lambda x: set()],
        ids=["raises", "nan", "divides", "refused"],
    )
    def test_that_cannot_answer_are_our_failure(self, x, reference):
        """A reference that raises or answers NaN is a fault of the suite."""
        with pytest.raises(SuiteError, match="the reference"):
            cause_of(reference, double, x)

    def test_are_asked_once(self, x):
        """What is expected is remembered from one submission to the next; the nudged reference is
        asked only when an answer would otherwise be rejected."""
        calls = []

        def reference(x):
            calls.append(x.dtype)
            return x * 2

        exact, native, nudged = (
            opened(reference, dtype) for dtype in (torch.float64, None, torch.float64)
        )
        readings = Readings(exact, native, (nudged,))
        known = {}
        for _ in range(3):
            Compare(opened(double), readings, 1, known)(lambda impl: impl.f(x))

        assert calls == [torch.float64, torch.float32]

        for _ in range(2):
            with pytest.raises(CheckFailed):
                Compare(opened(lambda x: x * 3), readings, 1, known)(lambda impl: impl.f(x))

        assert calls == [torch.float64, torch.float32] * 2 + [torch.float64]


class TestImplementations:
    def test_without_the_function_are_told_so(self, x):
        """A name that is not there is asked for by its name."""
        compare = compare_with(double, LocalProgram({"g": double}).open(Opening(EXERCISE)))
        with pytest.raises(CheckFailed) as caught:
            compare(lambda impl: impl.f(x))

        assert told(caught.value.cause).rationale == "page.py defines no `f`."

    def test_that_raise_are_described(self, x):
        """An exception in the answer is the answer's, not the check's."""
        with pytest.raises(SubmissionRaised, match="ZeroDivisionError"):
            cause_of(double, lambda x: 1 / 0, x)

    def test_that_return_odd_types_are_told_so(self, x):
        """A tensor subclass is not accepted, and named."""
        kind, cause = cause_of(double, lambda x: x.as_subclass(type("Odd", (torch.Tensor,), {})), x)

        assert kind == "refused"
        assert "returned a value of type Odd, which is not accepted here" in cause.rationale

    def test_with_other_parameters_are_told_so(self, x):
        """Parameters must have the documented names and shapes."""

        def probe(impl):
            impl.f().load({"weight": torch.ones(2, 3), "bias": torch.ones(3)})

        def made():
            module = torch.nn.Module()
            module.weight = torch.nn.Parameter(torch.ones(3, 2))
            module.register_parameter("\x1b[2J", torch.nn.Parameter(torch.ones(1)))
            return module

        compare = compare_with(lambda: torch.nn.Linear(2, 3), opened(made))
        with pytest.raises(SuiteError):
            compare(probe)
        with pytest.raises(CheckFailed) as caught:
            probe(Implementation(opened(made)))

        assert "there is no parameter bias" in told(caught.value.cause).rationale
        assert "weight has shape (3, 2)" in told(caught.value.cause).rationale
        assert "\x1b" not in told(caught.value.cause).rationale

    def test_in_workers_are_compared_alike(self, load, x):
        """It makes no difference where an answer comes from."""
        right = load("def f(x): return x + x")
        wrong = load("def f(x): return x * x")
        compare_with(double, Client(right.perform, "m", ["f"]))(lambda impl: impl.f(x), wrt=[x])
        with pytest.raises(CheckFailed, match="returned other values: all 24 values differ"):
            compare_with(double, Client(wrong.perform, "m", ["f"]))(lambda impl: impl.f(x))


class TestLies:
    """A worker that answers in the agreed form, but not what it was asked."""

    def lying(self, **lies):
        """A right implementation some of whose replies are replaced."""
        honest = opened(double)._perform
        return Client(lambda request: lies.get(request["op"]) or honest(request), "page", ["f"])

    @pytest.mark.parametrize(
        "lies",
        [
            {"call": {"passed": True}},
            {"call": {"number": "0", "value": 1, "changed": []}},
            {"call": {"number": True, "value": 1, "changed": []}},
            {"call": {"number": 0, "value": 1, "changed": None}},
            {"call": {"number": 0, "value": 1, "changed": ["0"]}},
            {"call": {"raised": "AssertionError"}},
            {"differentiate": {"passed": True}},
            {"differentiate": {"attached": True, "leaves": [], "parameters": {}, "aliases": {}}},
            {"differentiate": {"attached": [], "leaves": [], "parameters": {}, "aliases": {}}},
            {"differentiate": {"attached": [True], "leaves": [], "parameters": {}, "aliases": {}}},
            {
                "differentiate": {
                    "attached": [True],
                    "leaves": [None],
                    "parameters": [],
                    "aliases": {},
                }
            },
            {"differentiate": {"attached": [True], "leaves": [None], "parameters": {}}},
        ],
        ids=str,
    )
    def test_in_form_are_violations(self, x, lies):
        """A reply that does not answer the question is no answer."""
        with pytest.raises(ProtocolViolation):
            compare_with(double, self.lying(**lies))(lambda impl: impl.f(x), wrt=[x])

    @pytest.mark.parametrize(
        "gradient",
        [None, torch.ones(4, 6), torch.ones(6, 4), 1.0, "right", torch.empty(4, 6, device="meta")],
        ids=["none", "ones", "shape", "number", "text", "meta"],
    )
    def test_about_gradients_are_wrong_gradients(self, x, gradient):
        """A gradient that is no gradient fails the comparison."""
        lie = {"attached": [True], "leaves": [gradient], "parameters": {}, "aliases": {}}
        with pytest.raises(CheckFailed) as caught:
            compare_with(double, self.lying(differentiate=lie))(lambda impl: impl.f(x), wrt=[x])

        assert caught.value.evidence.kind in ("gradient", "no_gradient")


class TestWords:
    @pytest.mark.parametrize(
        ("shape", "places", "said"),
        [
            ((), [()], "the value differs"),
            ((3,), [(0,), (1,), (2,)], "all 3 values differ; first at [0]"),
            ((6,), [(1,), (2,), (3,)], "3 of 6 values differ, only at 1 to 3 along axis 0"),
            ((2, 9), [(0, 1), (1, 3)], "only at 1, 3 along the last axis; first at [0, 1]"),
            ((20,), [(n,) for n in range(0, 20, 2)], "0, 2, 4, 6, 8, 10 ... along axis 0"),
            ((3, 2), [(1, 0), (1, 1)], "2 of 6 values differ, only at 1 along axis 0; first at"),
        ],
    )
    def test_say_where(self, shape, places, said):
        """The rows and columns that differ are listed, or their range."""
        wrong = torch.zeros(shape, dtype=torch.bool)
        for place in places:
            wrong[place] = True
        zeros = torch.zeros(shape)

        found = where_they_differ(Tensors(zeros, zeros, wrong))
        facts = {"call": None, "at": (), "difference": found, "wanted": "", "got": ""}

        assert said in told(Cause("numbers", facts)).rationale

    def test_show_the_numbers_around_the_first_difference(self):
        """At most six numbers of one row, with dots where there are more."""
        expected, wrong = torch.arange(20.0).reshape(1, 20), torch.zeros(1, 20, dtype=torch.bool)
        wrong[0, 10] = True
        told = describe_values(Tensors(expected, expected + 1, wrong))

        assert told == ("[0]: ... 5 6 7 8 9 10 ...", "[0]: ... 6 7 8 9 10 11 ...")

    def test_find_tensors_wherever_they_are(self):
        """Tensors are found through tuples, lists and dicts, in order."""
        a, b, c = (torch.tensor(n) for n in range(3))
        found = tensors_of([a, {"x": (b, "text"), "y": None}, [[c]]])

        assert [t.item() for t in found] == [0, 1, 2]

    def test_name_kinds_as_a_student_would(self):
        """Nobody needs to know what a NoneType is."""
        values = (None, torch.ones(1), np.ones(1), (1, 2), 0.5)
        names = [kind_name(value) for value in values]

        assert names == [
            "None (is a `return` missing?)",
            "a tensor",
            "a numpy array",
            "a tuple of 2 values",
            "a value of type float",
        ]
