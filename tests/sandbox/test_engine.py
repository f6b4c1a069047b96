"""An engine answers calls and takes gradients, and says what cannot leave it."""

from __future__ import annotations

import pytest
import torch

from grader.sandbox.engine import Engine
from grader.sandbox.protocol import Generator, Leaf, Object, Refused, Result


def call(session, name, *args, **kwargs):
    """The worker's whole reply to a call."""
    return session.perform({"op": "call", "name": name, "args": list(args), "kwargs": kwargs})


def value(session, name, *args, **kwargs):
    """What a call returned."""
    return call(session, name, *args, **kwargs)["value"]


def test_what_a_gpu_gave_up_over_is_raised_in_the_place_of_what_came_after(monkeypatch):
    """It is only known to who waits for it."""
    late = RuntimeError("CUDA error: device-side assert triggered")
    engine = Engine({"f": lambda: 1 / 0, "g": lambda: 1})
    before = call(engine, "f")["raised"]["type_name"]
    monkeypatch.setattr("grader.sandbox.engine.given_up_over", lambda: late)

    assert before == "ZeroDivisionError"
    assert call(engine, "f")["raised"]["message"] == str(late)
    assert value(engine, "g") == 1


class TestCalling:
    def test_hands_values_over(self, load):
        """Arguments go in and values come back, by position and by name."""
        session = load("def f(a, b=2, *, c): return [a, (b, c)]")
        actual = value(session, "f", 1, c={"x": None})

        assert actual == [1, (2, {"x": None})]

    def test_sends_an_input_once(self, load):
        """A tensor that was sent is afterwards known by its number, and is the same tensor."""
        session = load("def f(a, b): return a is b")
        actual = value(session, "f", Leaf(0, torch.ones(2)), Leaf(0))

        assert actual is True

    def test_hands_generators_in(self, load):
        """A generator is made over there from its seed, and goes on where it stood."""
        session = load("import torch\ndef f(g): return torch.rand(2, generator=g)")
        first, second = (value(session, "f", Generator(0, 9)) for _ in range(2))
        here = torch.Generator().manual_seed(9)

        assert torch.rand(2, generator=here).equal(first)
        assert torch.rand(2, generator=here).equal(second)

    def test_keeps_modules_over_there(self, load):
        """A module stays in the worker; its parameters can be asked for, its methods called."""
        session = load("import torch\nclass C(torch.nn.Linear): pass")
        made = value(session, "C", 2, 3)
        weights = {"weight": torch.ones(3, 2), "bias": torch.zeros(3)}
        session.perform({"op": "load", "number": 0, "weights": weights})
        named = session.perform({"op": "parameters", "number": 0})["value"]
        request = {"op": "call_object", "number": 0, "name": "__call__", "kwargs": {}}
        output = session.perform(request | {"args": [Leaf(0, torch.ones(2))]})["value"]

        assert Object(0, "C") == made
        assert list(named) == ["weight", "bias"]
        assert output.tolist() == [2.0, 2.0, 2.0]

    def test_loads_weights_in_their_order(self, load):
        """What one parameter is given under several names is the last of it, in every process."""
        session = load(
            "import torch\n"
            "def stack(n):\n"
            "    return torch.nn.ModuleList([torch.nn.Linear(1, 1, bias=False)] * n)"
        )
        names = [f"{number}.weight" for number in range(12)]
        for number, order in enumerate([names, names[::-1]]):
            value(session, "stack", 12)
            weights = {name: torch.full((1, 1), float(n)) for n, name in enumerate(order)}
            session.perform({"op": "load", "number": number, "weights": weights})
            found = session.perform({"op": "parameters", "number": number})["value"]

            assert [float(weight) for weight in found.values()] == [11.0]

    def test_keeps_objects_of_own_classes_over_there(self, load):
        """An optimizer, say, is no module: it can be handed on and used, and is the same object
        every time; asked for a copy, or for another mode, it stays what it is.
        """
        session = load(
            "import torch\nclass Own:\n    def __init__(self): self.n = 0\n"
            "    def step(self): self.n += 1\ndef use(own): own.step(); return own.n, own"
        )
        made = value(session, "Own")
        again = session.perform({"op": "deepcopy", "number": 0})["value"]
        asked = {"source": 0, "evaluates": True, "dtype": torch.float64}
        session.perform({"op": "make_ready", "number": 0} | asked)

        assert [Object(0, "Own")] * 2 == [made, again]
        assert value(session, "use", made) == (1, made)
        assert value(session, "use", again) == (2, made)

    def test_keeps_objects_of_its_own_classes(self, load):
        """What is no module stays as well, if a class of the submission's made it: an optimizer.
        Handed back, it is the same one.
        """
        session = load(
            "class C:\n    def add(self, n):\n        self.n = getattr(self, 'n', 0) + n\n"
            "        return self.n\n"
            "def made(): return C()\ndef kind(c): return type(c) is C and c.n"
        )
        first, second = value(session, "C"), value(session, "made")
        request = {"op": "call_object", "number": 1, "name": "add", "args": [3], "kwargs": {}}
        added = [session.perform(request)["value"] for _ in range(2)]

        assert [Object(0, "C"), Object(1, "C")] == [first, second]
        assert added == [3, 6]
        assert value(session, "kind", Object(1, "C")) == 6

    def test_an_object_may_complete_what_it_is_made_of(self, load):
        """Torch's optimizers write the options into the dicts of the groups they are given, and so
        may any class; of a function it is told.
        """
        session = load(
            "import torch\nclass Theirs(torch.optim.Optimizer):\n"
            "    def __init__(self, groups): super().__init__(groups, {'lr': 0.5})\n"
            "class Own:\n    def __init__(self, groups): groups[0]['lr'] = 0.5\n"
            "def own(groups): groups[0]['lr'] = 0.5\n"
        )
        weight = torch.zeros(2, requires_grad=True)
        theirs, own, function = (
            session.perform(
                {"op": "call", "name": name, "args": [[{"params": [weight]}]], "kwargs": {}}
            )
            for name in ("Theirs", "Own", "own")
        )

        assert "containers" not in theirs
        assert "containers" not in own
        assert function["containers"] == [0]

    def test_makes_objects_ready_that_are_no_modules(self, load):
        """They load another one's state, and have neither a mode nor a dtype."""
        session = load(
            "class C:\n    def __init__(self, n): self.n = n\n"
            "    def state_dict(self): return {'n': self.n}\n"
            "    def load_state_dict(self, state): self.n = state['n']\n"
            "def n(c): return c.n"
        )
        value(session, "C", 7), value(session, "C", 2)
        asked = {"op": "make_ready", "number": 1, "source": 0, "evaluates": True}
        session.perform(asked | {"dtype": torch.float64})

        assert value(session, "n", Object(1, "C")) == 7

    def test_describes_what_was_raised(self, load):
        """An exception comes back as words, with the submission's own lines, the last one last."""
        session = load(
            "import torch\ndef g(x):\n    return torch.ones(2) @ x\ndef f(x): return g(x)"
        )
        raised = call(session, "f", Leaf(0, torch.ones(3)))["raised"]

        assert raised["type_name"] == "RuntimeError"
        assert [(own.line, own.text, own.within) for own in raised["lines"]] == [
            (4, "def f(x): return g(x)", ""),
            (3, "return torch.ones(2) @ x", "g"),
        ]

    def test_goes_on_after_an_exception(self, load):
        """A call that raised leaves the worker as good as before."""
        session = load("def f(x): return 1 / x")
        raised, actual = call(session, "f", 0), value(session, "f", 2)

        assert raised["raised"]["type_name"] == "ZeroDivisionError"
        assert actual == 0.5

    @pytest.mark.parametrize(
        ("expression", "type_name"),
        [
            ("lambda: 0", "function"),
            ("(i for i in [])", "generator"),
            ("torch.ones(2).as_subclass(type('Odd', (torch.Tensor,), {}))", "Odd"),
            ("object()", "object"),
            ("ValueError('no')", "the exception ValueError"),
            ("ValueError", "the exception ValueError"),
        ],
    )
    def test_refuses_what_cannot_cross(self, load, expression, type_name):
        """What has no plain form comes back as the name of its type."""
        session = load(f"import torch\ndef f(): return {expression}")
        actual = value(session, "f")

        assert Refused(type_name) == actual

    @pytest.mark.parametrize(
        ("expression", "said"),
        [
            ("10**5000", "raised"),
            ("(l := []) or l.append(l) or l", "raised"),
            ("'x' * (2 << 20)", "too_large"),
            ("torch.zeros(50 << 20)", "too_large"),
        ],
        ids=["digits", "cycle", "text", "tensor"],
    )
    def test_survives_answers_that_cannot_be_sent(self, load, expression, said):
        """An impossible value is told of, and the worker goes on."""
        session = load(f"import torch\ndef f(): return {expression}\ndef g(): return 1")
        reply = call(session, "f")

        assert said in reply
        assert value(session, "g") == 1


def test_who_seeds_is_told_also_after_an_exception(load):
    session = load(
        "import torch\n"
        "def draws(): torch.rand(2)\n"
        "def seeds():\n"
        "    torch.manual_seed(7)\n"
        "    raise ValueError\n"
    )

    assert call(session, "draws")["seeds"] is False
    assert "raised" in call(session, "seeds")
    assert call(session, "draws")["seeds"] is True


class TestGraphsSwitchedOff:
    SOURCE = """
import torch
def off(): torch.set_grad_enabled(False)
def on(): return torch.is_grad_enabled()
@torch.no_grad()
def looks(): return torch.is_grad_enabled()
"""

    def test_stay_so_for_the_next_call(self, load):
        """Whoever switches graphs off and not on again has the next call without them, as in a
        program of one piece."""
        session = load(self.SOURCE)
        before = value(session, "on")
        value(session, "off")

        assert (before, value(session, "on")) == (True, False)

    def test_are_on_again_in_the_next_probe(self, load):
        session = load(self.SOURCE)
        value(session, "off")
        request = {"op": "call", "name": "on", "args": [], "kwargs": {}, "fresh": "all"}

        assert session.perform(request)["value"] is True

    def test_that_a_function_switches_them_back_is_enough(self, load):
        session = load(self.SOURCE)

        assert (value(session, "looks"), value(session, "on")) == (False, True)


class TestGradients:
    SOURCE = "def f(x, w): return (x * w).sum(), w * 2, w.detach()"

    def differentiate(self, session, outputs):
        request = {"op": "differentiate", "outputs": outputs, "wrt": [Leaf(0), Leaf(1)]}
        return session.perform(request | {"cotangents": [torch.ones(()), torch.ones(2)]})

    def test_come_back_per_input(self, load):
        """Backward through several outputs adds up, and an input nobody wanted has none."""
        session = load(self.SOURCE)
        x, w = torch.tensor([3.0, 5.0]), torch.tensor([1.0, 1.0])
        call(session, "f", Leaf(0, x, True), Leaf(1, w, True))
        reply = self.differentiate(session, [Result(0, (0,)), Result(0, (1,))])

        assert reply["attached"] == [True, True]
        assert [g.tolist() for g in reply["leaves"]] == [[1.0, 1.0], [5.0, 7.0]]

    def test_tell_what_has_left_the_graph(self, load):
        """An output that was detached is said to be, and contributes nothing."""
        session = load(self.SOURCE)
        call(session, "f", Leaf(0, torch.ones(2), True), Leaf(1, torch.ones(2), True))
        reply = self.differentiate(session, [Result(0, (0,)), Result(0, (2,))])

        assert reply["attached"] == [True, False]

    def test_of_what_is_frozen_are_none(self, load):
        """A parameter that requires no gradient is no accident, and the others have theirs."""
        layer = "import torch\nlayer = torch.nn.Linear(1, 2)\nlayer.bias.requires_grad_(False)"
        session = load(f"{layer}\ndef f(): return layer\ndef g(x): return layer(x)")
        call(session, "f")
        call(session, "g", Leaf(0, torch.ones(1, 1), True))
        request = {"op": "differentiate", "outputs": [Result(1)], "wrt": [Leaf(0)]}
        reply = session.perform(request | {"cotangents": [torch.ones(1, 2)]})
        weight, bias = reply["parameters"].values()

        assert weight.tolist() == [[1.0], [1.0]]
        assert bias is None

    def test_are_there_although_the_submission_turns_them_off(self, load):
        """Gradients are switched on for every call, whatever was done while importing."""
        session = load("import torch\ntorch.set_grad_enabled(False)\ndef f(x): return x * 2")
        call(session, "f", Leaf(0, torch.ones(2), True))
        request = {"op": "differentiate", "outputs": [Result(0)], "wrt": [Leaf(0)]}
        reply = session.perform(request | {"cotangents": [torch.ones(2)]})

        assert reply["leaves"][0].tolist() == [2.0, 2.0]

    @pytest.mark.parametrize(
        ("body", "expected"),
        [("x.add_(1)", [0]), ("x[0] = 9", [0]), ("x.t_()", [0]), ("x + 1", []), ("x.view(-1)", [])],
    )
    def test_inputs_that_were_changed_are_named(self, load, body, expected):
        """A change in place is told with the answer."""
        session = load(f"def f(x): {body}")
        actual = call(session, "f", Leaf(0, torch.arange(6.0).reshape(2, 3)))["changed"]

        assert expected == actual

    @pytest.mark.parametrize(
        ("body", "expected"),
        [
            ("a.pop('x')", [0]),
            ("a.update(z=1)", [0]),
            ("a['x'] = a['x'].clone()", [0]),
            ("a['y'].append(3)", [0]),
            ("b.sort()", ["b"]),
            ("b.clear(); a.clear()", [0, "b"]),
            ("a = dict(a); b = sorted(b); a.clear(), b.clear()", []),
            ("a.update(x=a.pop('x'))", []),
        ],
    )
    def test_so_are_containers_that_hold_something_else(self, load, body, expected):
        """Dicts and lists, however deep, are told by the argument's place or name."""
        session = load(f"def f(a, b): {body}")
        given = {"x": Leaf(0, torch.ones(2)), "y": [1, 2]}
        request = {"op": "call", "name": "f", "args": [given], "kwargs": {"b": [3, 1, 2]}}

        assert expected == session.perform(request).get("containers", [])

    @pytest.mark.parametrize(
        ("expression", "said"),
        [
            ("x.summ()", "Did you mean: 'sum'?"),
            ("torch.expp(x)", "Did you mean: 'exp'?"),
            ("x.nothing_like_it_at_all", ""),
            ("type('Odd', (), {'__dir__': lambda self: 1 / 0})().summ", ""),
        ],
    )
    def test_the_nearest_name_is_told_beside_an_attribute_that_is_missing(
        self, load, expression, said
    ):
        """As Python does where it prints a traceback itself."""
        session = load(f"import torch\ndef f(x): return {expression}")
        message = call(session, "f", Leaf(0, torch.ones(2)))["raised"]["message"]

        assert said == message.partition("'. ")[2]
