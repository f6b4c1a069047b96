"""What a check asks becomes data: calls, what is computed with answers, and what is refused."""

from __future__ import annotations

import pytest

from grader.examiner.sealed.script import Given, Input, Refusals
from grader.release.recording import Unrecordable


def does(script):
    return [(step.does, step.name) for step in script.steps]


class TestAComparison:
    def test_is_its_calls_and_what_they_gave(self, events_of):
        """An input passed is one input, and the answer is what the call gave."""
        (event,) = events_of('''
def test_doubles(compare, draw):
    """It is doubled."""
    x = draw.normal(2, 3)
    compare(lambda impl: impl.double(x), wrt=[x])
''')
        script = event.script

        assert does(script) == [("call", "double")]
        assert script.steps[0].args == (Input(0),)
        assert script.value == Given(0)
        assert script.wrt == (0,)

    def test_holds_what_is_computed_with_answers(self, events_of):
        """An answer that torch changes before it is handed on is changed again."""
        (event,) = events_of('''
def test_doubles(compare, draw):
    """It is doubled."""
    x = draw.normal(2, 3)
    compare(lambda impl: impl.double(impl.double(x)[0] + 1))
''')

        assert does(event.script) == [
            ("call", "double"),
            ("torch", "torch.Tensor.__getitem__"),
            ("torch", "torch.Tensor.add"),
            ("call", "double"),
        ]

    def test_keeps_inputs_as_they_were(self, events_of):
        """What the check does to its inputs afterwards changes no input of the script."""
        (event,) = events_of('''
def test_doubles(compare, draw):
    """It is doubled."""
    x = draw.normal(2, 3) * 0 + 1
    compare(lambda impl: impl.double(x))
    x.zero_()
''')

        assert event.script.inputs[0].tolist() == [[1.0] * 3] * 2


class TestWhatIsAskedOutsideOfComparisons:
    CHECK = '''
def test_doubles(submission, draw):
    """It is doubled."""
    x = draw.normal(4)
    y = submission.double(x)
    assert (y - 2 * x).abs().max() < 1e-6, "not doubled"
'''

    def test_is_one_script_of_all_answers(self, events_of):
        """All that was answered is judged, and the check's own assertions are left out."""
        (event,) = events_of(self.CHECK)

        assert event.is_loose
        assert does(event.script) == [("call", "double")]
        assert event.script.value == (Given(0),)


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

    def test_is_what_is_asked_until_it_is_refused(self, events_of):
        """With the words that say what must not be accepted."""
        (event,) = events_of(
            '''
from grader.check import refuses
def test_refuses(submission, draw):
    """Two axes are refused."""
    refuses(lambda: submission.double(draw.normal(2, 3)), "a matrix")
''',
            self.PAGE,
        )
        (attempt,) = event.attempts

        assert type(event) is Refusals
        assert attempt.what == "a matrix"
        assert (attempt.before, does(attempt.script)) == (0, [("call", "double")])


class TestWhatIsNoData:
    @pytest.mark.parametrize(
        ("check", "why"),
        [
            ("compare(lambda impl: float(impl.double(x).sum()) + 1)", "computed of the answers"),
            ("assert work_of(submission, lambda impl: impl.double(x))", "counts work"),
            ("assert x is not submission", "asks nothing"),
        ],
    )
    def test_is_said(self, events_of, check, why):
        """A check that does not become data says why."""
        with pytest.raises(Unrecordable, match=why):
            events_of(f'''
from grader.check import work_of
def test_it(compare, submission, draw):
    """It is doubled."""
    x = draw.normal(3)
    {check}
''')
