"""A probe is stated once and asked again; a learner reads in which way it went wrong."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from grader.errors import SubmissionRaised
from grader.examiner.compare import Compare
from grader.examiner.expected import Readings
from grader.examiner.rounds import Rounds
from grader.model import Exercise
from grader.programs.again import FIRST, Repeated
from grader.programs.draw import Draw
from grader.programs.failure import CheckFailed
from grader.programs.kinds import call_of, kinds_in
from grader.programs.program import LocalProgram, Opening

DTYPES = ("float64", "bfloat16")
EXERCISE = Exercise("page", "A page", "nowhere", ("f", "Layer"))


def double(x):
    return x * 2


class Layer(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return x * self.weight


@pytest.fixture
def how_it_fails(x, whose):
    """``how_it_fails(names)``: in which ways a program is wrong when asked again; ``turn`` is what
    the rounds begin with, and ``repeated`` are the kinds of calls that were asked again before.
    """

    def how_it_fails(names, turn=0, without=(), new=("f", "Layer")):
        right = {"f": double, "Layer": Layer}
        opening = Opening(EXERCISE)
        programs = [LocalProgram(right, torch.float64), LocalProgram(right)]
        nudged = tuple(
            LocalProgram(right, torch.float64, nudge=way).open(opening) for way in (1, 2)
        )
        references = Readings(*(program.open(opening) for program in programs), nudged)
        program = LocalProgram(right | names).open(opening)
        kinds = kinds_in(call_of("f", [x], {})) | kinds_in(call_of("", [x], {}, "Layer"))
        rounds = Rounds(kinds, frozenset(new), DTYPES, frozenset(without), turn)
        compare = Compare(program, references, 1, {}, rounds)
        weights = {"weight": Draw(5).normal(6)}

        def layer(impl):
            made = impl.Layer(6)
            made.load(weights)
            return made(x)

        try:
            compare(layer if "Layer" in names else lambda impl: impl.f(x), wrt=[x])
        except CheckFailed as failure:
            whose.append(failure.cause.facts["call"]["of"])
            return failure.asked_again
        except SubmissionRaised as failure:
            return failure.asked_again
        return None

    return how_it_fails


@pytest.fixture
def whose():
    """Of whose calls failures were told, one after the other."""
    return []


def layers(**methods):
    """A layer with other methods."""
    return {"Layer": type("Layer", (Layer,), methods)}


def right_first(change):
    """A function whose later answers are changed."""
    calls = []

    def f(x):
        calls.append(x)
        return double(x) if len(calls) == 1 else change(x)

    return {"f": f}


class TestARightProgram:
    @pytest.mark.parametrize("turn", [0, 1])
    @pytest.mark.parametrize("names", [{"f": double}, {"Layer": Layer}], ids=list)
    def test_passes_every_round(self, how_it_fails, names, turn):
        """Whatever it is asked in."""
        assert how_it_fails(names, turn) is None


class TestAFunction:
    def test_that_keeps_its_first_answer(self, how_it_fails):
        """By the shape of its input, say."""
        kept = {}
        wrong = {
            "f": lambda x: (
                kept.setdefault(tuple(x.shape), double(x).detach()) + x * 2 - x.detach() * 2
            )
        }

        assert how_it_fails(wrong) == ("others",)

    @pytest.mark.parametrize("turn", [0, 1])
    def test_that_keeps_its_first_answer_in_each_dtype(self, how_it_fails, turn):
        """In whichever dtype it is asked as well: other values come in the first one's."""
        kept = {}
        wrong = {
            "f": lambda x: (
                kept.setdefault((tuple(x.shape), x.dtype), double(x).detach())
                + x * 2
                - x.detach() * 2
            )
        }

        assert how_it_fails(wrong, turn) == ("others",)

    def test_that_takes_memory_for_values(self, how_it_fails):
        """Rows of an input that is not contiguous lie elsewhere."""

        def f(x):
            return double(x.as_strided(x.shape, (x.shape[-1], 1)))

        assert how_it_fails({"f": f}) == ("layout",)

    @pytest.mark.parametrize("turn", [0, 1])
    @pytest.mark.parametrize("dtype", DTYPES)
    def test_that_changes_the_dtype(self, how_it_fails, turn, dtype):
        """A function is asked in every one of the exercise's dtypes."""
        narrow = getattr(torch, dtype)
        wrong = {"f": lambda x: double(x).float() if x.dtype == narrow else double(x)}

        assert how_it_fails(wrong, turn) == (dtype,)

    def test_that_raises_later(self, how_it_fails):
        """An exception is marked like a wrong answer."""

        def f(x):
            if x.dtype == torch.float64:
                raise TypeError
            return double(x)

        assert how_it_fails({"f": f}) == ("float64",)


class TestAModule:
    def test_that_is_wrong_in_eval(self, how_it_fails):
        """The mode changes nothing where nothing is dropped."""
        wrong = layers(forward=lambda self, x: x * self.weight if self.training else x)

        assert how_it_fails(wrong) == ("eval",)

    def test_that_is_kept_is_still_of_its_class(self, how_it_fails, whose):
        """A diagnosis holds failures of one class together, in whichever way it was asked."""

        def remembers(self, x):
            return vars(self).setdefault("x", x) * self.weight

        how_it_fails(layers(forward=remembers), new=())

        assert whose == ["Layer"]

    def test_that_remembers_its_first_input(self, how_it_fails):
        """A second call of the same object has a value of its own."""

        def forward(self, x):
            self.first = getattr(self, "first", x.detach())
            return x * self.weight + self.first - x.detach()

        assert how_it_fails(layers(forward=forward)) == ("same_object", "flipped")

    def test_that_works_once(self, how_it_fails):
        """Though it is called with the very same input."""

        def forward(self, x):
            self.calls = getattr(self, "calls", 0) + 1
            return x * self.weight * self.calls

        assert how_it_fails(layers(forward=forward)) == ("same_object",)

    def test_that_shares_with_its_class(self, how_it_fails):
        """The object made last is not the only one."""
        newest = []

        def init(self, width):
            Layer.__init__(self, width)
            newest[:] = [self.weight]

        wrong = layers(__init__=init, forward=lambda self, x: x * newest[0])

        assert how_it_fails(wrong, without=["copied", "restored"]) == ("beside", "same_object")

    def test_that_does_not_survive_a_copy(self, how_it_fails):
        """A deep copy has weights of its own, and uses them."""

        def deepcopy(self, memo):
            return Layer(len(self.weight))

        assert how_it_fails(layers(__deepcopy__=deepcopy)) == ("copied",)

    def test_that_is_not_in_its_state_dict(self, how_it_fails):
        """What another object loads is all that there is of the first."""

        def load_state_dict(self, state):
            pass

        assert how_it_fails(layers(load_state_dict=load_state_dict), turn=1) == ("restored",)

    def test_that_is_wrong_only_in_several_ways_at_once(self, how_it_fails):
        """Then all ways of the round are told."""

        def forward(self, x):
            wrong = not self.training and x.dtype == torch.float64
            return x if wrong else x * self.weight

        found = how_it_fails(layers(forward=forward))

        assert {"eval", "float64"} <= set(found)


class TestWhatIsNotNew:
    """A function or class that an earlier probe has called, with other arguments."""

    def test_is_asked_once_more_in_several_ways(self, how_it_fails):
        """A mistake is told by the way in which it shows."""
        in_eval = layers(forward=lambda self, x: x * self.weight if self.training else x)
        kept = {}
        by_shape = {"f": lambda x: x * 0 + kept.setdefault(tuple(x.shape), double(x))}

        assert how_it_fails(in_eval, new=()) == ("eval",)
        assert how_it_fails(by_shape, new=()) == ("others",)

    def test_is_loaded_with_other_weights(self, how_it_fails):
        """An object that keeps its first weights is right until then."""

        def forward(self, x):
            self.first = getattr(self, "first", self.weight.detach().clone())
            return x * (self.first + self.weight - self.weight.detach())

        assert how_it_fails(layers(forward=forward), new=()) == ("same_object", "others")

    @pytest.mark.parametrize("turn", [0, 1])
    def test_is_asked_in_one_dtype_in_turn(self, how_it_fails, turn):
        """Which one depends on the place of the check and the probe."""
        narrow = getattr(torch, DTYPES[turn])
        wrong = {"f": lambda x: double(x).half() if x.dtype == narrow else double(x)}

        assert how_it_fails(wrong, turn, new=()) == (DTYPES[turn],)
        assert how_it_fails(wrong, 1 - turn, new=()) is None


class TestACopyThatAProbeMakes:
    def test_has_the_weights_that_are_loaded_into_it(self, x):
        """In every way of asking; its original keeps its own."""
        weights = {"weight": Draw(5).normal(6)}

        def probe(impl):
            made = impl.Layer(6)
            copy = made.deepcopy()
            copy.load(weights)
            return made(x), copy(x)

        asked = Repeated(LocalProgram({"Layer": Layer}).open(Opening(EXERCISE)), probe, [])
        answers = [asked.ask(how) for how in (FIRST, ("same_object",), ("eval",))]

        for original, copy in answers:
            assert torch.equal(original, x)
            assert torch.equal(copy, x * weights["weight"])


class TestACheck:
    def test_may_leave_a_way_out(self, how_it_fails):
        """A check says in which ways its probes are not asked again."""
        wrong = layers(forward=lambda self, x: x * self.weight if self.training else x)

        assert how_it_fails(wrong, without=["eval"]) is None
