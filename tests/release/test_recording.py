"""What a check asks becomes data: calls, what is computed with answers, and what is refused."""

from __future__ import annotations

import pytest
import torch

from grader.examiner.sealed.script import Compared, Given, Input, Refusals, Step
from grader.release.recorder import Unrecordable


def does(steps):
    return [(step.does, step.name) for step in steps]


class TestAComparison:
    def test_is_its_calls_and_what_they_gave(self, recording_of):
        """An input passed is one input, and the answer is what the call gave."""
        (script,) = recording_of('''
def test_doubles(compare, draw):
    """It is doubled."""
    x = draw.normal(2, 3)
    compare(lambda impl: impl.double(x), wrt=[x])
''').comparisons

        assert does(script.steps) == [("call", "double")]
        assert script.steps[0].args == (Input(0),)
        assert script.value == Given(0)
        assert script.wrt == (0,)

    def test_holds_what_is_computed_with_answers(self, recording_of):
        """An answer that torch changes before it is handed on is changed again; so is a number."""
        (script,) = recording_of('''
def test_doubles(compare, draw):
    """It is doubled."""
    x = draw.normal(2, 3)
    compare(lambda impl: [impl.double(impl.double(x)[0] + 1), 2 * float(impl.double(x).sum())])
''').comparisons

        assert does(script.steps) == [
            ("call", "double"),
            ("torch", "torch.Tensor.__getitem__"),
            ("torch", "torch.Tensor.add"),
            ("call", "double"),
            ("call", "double"),
            ("torch", "torch.Tensor.sum"),
            ("number", "float"),
            ("number", "mul"),
        ]

    def test_holds_arrays_made_of_answers(self, recording_of):
        """Which a check compares where the dtype is left open."""
        (script,) = recording_of('''
def test_doubles(compare, draw):
    """It is doubled."""
    x = draw.normal(2, 3)
    compare(lambda impl: impl.double(x).unflatten(0, (1, 2)).numpy())
''').comparisons

        assert [name for _, name in does(script.steps)][1:] == [
            "torch.Tensor.unflatten",
            "torch.Tensor.numpy",
        ]
        assert script.value == Given(2)

    LISTS = '''
"""Lists."""

def found(x):
    """Texts with their scores, and whether they are all."""
    # BEGIN SOLUTION
    return [([1, 2], 0.5), ([3], 0.25)], True
    # END SOLUTION
'''

    def test_holds_a_list_as_a_whole(self, recording_of):
        """So it is judged how long it is; a list that the probe made is judged by its parts."""
        whole, parts = recording_of(
            '''
def test_finds(compare, draw):
    """It is found."""
    x = draw.normal(3)
    compare(lambda impl: impl.found(x))
    compare(lambda impl: [list(found) for found in impl.found(x)[0]])
''',
            self.LISTS,
        ).comparisons

        assert whole.value == Given(0)
        assert parts.value[0] == [Given(0, (0, 0, 0)), Given(0, (0, 0, 1))]

    def test_keeps_inputs_as_they_were(self, recording_of):
        """What the check does to its inputs afterwards changes no input of the script."""
        (script,) = recording_of('''
def test_doubles(compare, draw):
    """It is doubled."""
    x = draw.normal(2, 3) * 0 + 1
    compare(lambda impl: impl.double(x))
    x.zero_()
''').comparisons

        assert script.inputs[0].tolist() == [[1.0] * 3] * 2

    def test_stands_where_it_is_made(self, recording_of):
        """Among what is asked outside of comparisons."""
        recording = recording_of('''
def test_doubles(compare, submission, draw):
    """It is doubled."""
    x = draw.normal(3)
    compare.double(x)
    assert submission.double(x).equal(2 * x), "not doubled"
''')

        assert recording.path.items[0] == Compared(0)
        assert len(recording.path.items) > 1

    def test_is_made_after_a_wrong_decision_too(self, recording_of):
        """After those that a right program meets as well."""
        recording = recording_of('''
def test_doubles(compare, submission, draw):
    """It is doubled."""
    x, y = draw.normal(3), draw.normal(4)
    if not submission.double(x).equal(2 * x):
        compare.double(y)
        raise AssertionError("not doubled")
    compare.double(x)
''')
        decision, last = recording.path.items[-2:]

        assert [script.inputs[0].numel() for script in recording.comparisons] == [3, 4]
        assert decision.otherwise.items == (Compared(1),)
        assert decision.otherwise.said == "not doubled"
        assert last == Compared(0)

    def test_has_inputs_as_fine_as_float32_is(self, recording_of):
        """Of float64 too, which then take half the room."""
        (script,) = recording_of('''
import torch

def test_doubles(compare):
    """It is doubled."""
    x = torch.arange(5, dtype=torch.float64) / 3
    compare(lambda impl: impl.double(x))
''').comparisons
        (x,) = script.inputs

        assert x.dtype is torch.float64
        assert x.equal(x.float().double())


class TestWhatIsAskedOutsideOfComparisons:
    CHECK = '''
def test_doubles(submission, reference, draw):
    """It is doubled."""
    x = draw.normal(4)
    y = submission.double(x)
    assert (y - 2 * x).abs().max().item() * 3 < 1e-6, f"off by {y[0].item() - 2 * x[0].item():.1f}"
    assert reference.double(y) is not None, "the reference has no answer"
'''

    def test_is_steps_and_decisions(self, recording_of):
        """And what the check says where they fall otherwise, with holes for what was computed."""
        path = recording_of(self.CHECK).path
        *_, decision = path.items

        assert ("call", "double") in does(item for item in path.items if isinstance(item, Step))
        assert decision.usual
        assert decision.otherwise.said.startswith("off by \ue000")

    def test_holds_nothing_of_how_the_reference_computes(self, recording_of):
        """Whatever it is asked: the toy's page adds, and the check does not."""
        path = recording_of(self.CHECK).path
        names = [item.name for item in path.items if isinstance(item, Step)]

        assert "torch.Tensor.sub" in names
        assert not [name for name in names if "add" in name]


class TestARefusal:
    PAGE = '''
def double(x):
    """Twice ``x``."""
    # BEGIN SOLUTION
    if x.ndim != 1:
        raise ValueError("one axis")
    return x + x
    # END SOLUTION
'''

    def test_is_what_is_asked_until_it_is_refused(self, recording_of):
        """With the words that say what must not be accepted."""
        (refusals,) = recording_of(
            '''
from grader.check import refuses
def test_refuses(submission, draw):
    """Two axes are refused."""
    refuses(lambda: submission.double(draw.normal(2, 3)), "a matrix")
''',
            self.PAGE,
        ).path.items
        (attempt,) = refusals.attempts

        assert type(refusals) is Refusals
        assert attempt.what == "a matrix"
        assert does(attempt.steps) == [("call", "double")]


class TestWhatIsNoData:
    @pytest.mark.parametrize(
        ("check", "why"),
        [
            ("compare(lambda impl: impl.double(x).numpy().sum() + 1)", "no data"),
            ("assert x is not submission", "asks nothing"),
        ],
    )
    def test_is_said(self, recording_of, check, why):
        """A check that does not become data says why."""
        with pytest.raises(Unrecordable, match=why):
            recording_of(f'''
def test_it(compare, submission, draw):
    """It is doubled."""
    x = draw.normal(3)
    {check}
''')
