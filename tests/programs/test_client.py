"""What a client is answered is an answer, a failure in words, or a violation of the protocol."""

from __future__ import annotations

import pytest
import torch

from grader.errors import ProtocolViolation, SuiteError
from grader.examiner.compare import Compare
from grader.examiner.expected import Readings
from grader.model import Exercise
from grader.programs.client import Client
from grader.programs.draw import Draw
from grader.programs.failure import CheckFailed
from grader.programs.program import LocalProgram, Opening
from grader.programs.proxy import Implementation
from grader.report.words import told

EXERCISE = Exercise("page", "A page", "nowhere", ("f",))


def opened(f, dtype=None):
    return LocalProgram({"f": f}, dtype).open(Opening(EXERCISE))


def compare_with(reference, client):
    """The fixture ``compare`` for a caller, measured against ``reference``."""
    readings = Readings(opened(reference, torch.float64), opened(reference))
    return Compare(client, readings, 1, {})


@pytest.fixture
def x():
    return Draw(3).normal(4, 6)


def double(x):
    return x * 2


class TestImplementations:
    def test_without_the_function_are_told_so(self, x):
        """A name that is not there is asked for by its name."""
        compare = compare_with(double, LocalProgram({"g": double}).open(Opening(EXERCISE)))
        with pytest.raises(CheckFailed) as caught:
            compare(lambda impl: impl.f(x))

        assert told(caught.value.cause).rationale == "page.py defines no `f`."

    def test_that_seed_are_told_so(self, x):
        """Every draw afterwards would be the same. Who puts the state back has seeded nobody."""

        def seeds(x):
            torch.manual_seed(7)
            return x * 2

        def puts_it_back(x):
            with torch.random.fork_rng():
                return seeds(x)

        compare_with(double, opened(puts_it_back))(lambda impl: impl.f(x))
        with pytest.raises(CheckFailed, match="seeds torch's random generator"):
            compare_with(double, opened(seeds))(lambda impl: impl.f(x))

    def test_that_return_odd_types_are_told_so(self, x):
        """A tensor subclass is not accepted, and named."""
        odd = opened(lambda x: x.as_subclass(type("Odd", (torch.Tensor,), {})))
        with pytest.raises(CheckFailed) as caught:
            compare_with(double, odd)(lambda impl: impl.f(x))

        assert caught.value.evidence.kind == "refused"
        assert "returned a value of type Odd, which is not accepted here" in str(caught.value)

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
            {"call": {"number": 0, "value": 1, "changed": [], "containers": None}},
            {"call": {"number": 0, "value": 1, "changed": [], "containers": [7]}},
            {"call": {"number": 0, "value": 1, "changed": [], "containers": [[0]]}},
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

        assert caught.value.evidence.kind in ("gradient", "no_gradient", "gradient_shape")
