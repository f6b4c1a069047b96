"""What surrounds a right answer costs it nothing: an import for plots, a look at the values."""

from __future__ import annotations

import functools
import importlib.util
from types import FunctionType

import pytest
import torch

from grader.course.catalog import load_catalog
from grader.course.course import find_course
from grader.course.markers import without_markers
from grader.examiner.collection import collected
from grader.model import Outcome, Submission
from grader.pipeline import grade_all
from grader.programs.bank import load_bank
from grader.proof import examine_programs
from grader.sandbox.forbidden import forbidden

COURSE = find_course()
CATALOG = load_catalog(COURSE)
LOOKED_AT = ("projections_by_hand", "masks", "attention", "layer_norm", "loss", "clinic")
PLOTTED = ["softmax", "dropout", "gpt"]  # a normal run takes these, the others on demand


def tensors(value):
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from tensors(item)


def has_nan(values):
    return any(bool(t.isnan().any()) for t in tensors(values) if t.is_floating_point())


def looking(function):
    """The same function with an assertion on what it is given and what it returns."""

    @functools.wraps(function)
    def looked(*args, **kwargs):
        given = has_nan([*args, *kwargs.values()])
        result = function(*args, **kwargs)
        assert given or not has_nan([result]), "NaN out of numbers"
        return result

    return looked


def all_looking(names):
    """A program whose public functions, and whose modules' ``forward``, look at their values."""
    seen = dict(names)
    for name, thing in names.items():
        if name.startswith("_"):
            continue
        if type(thing) is FunctionType:
            seen[name] = looking(thing)
        elif isinstance(thing, type) and "forward" in vars(thing):
            seen[name] = type(thing.__name__, (thing,), {"forward": looking(thing.forward)})
    return seen


@pytest.mark.parametrize("name", list(CATALOG))
def test_looking_at_values_costs_nothing(name, request):
    """Every variant with assertions on inputs and outputs passes every check, and none is told
    anything; a normal run takes one in 32, of a few exercises.
    """
    if name not in LOOKED_AT and not request.config.getoption("--all-variants"):
        pytest.skip("left to --all-variants")
    exercise = CATALOG[name]
    suite = collected(COURSE, [exercise]).of(exercise)
    share = 1 if request.config.getoption("--all-variants") else 32
    path = COURSE.root / "tests" / "variants" / f"{name}.py"
    bank = load_bank(path, COURSE.solution(name))[::share]
    programs = {entry.name: all_looking(entry.applied_to(suite.reference)) for entry in bank}
    programs["reference"] = all_looking(suite.reference)
    with forbidden(exercise.forbids):
        verdicts = examine_programs(suite, programs, 5, diagnosed=False, advised=True)
    lost = [
        (who, verdict.check.name, verdict.cause or verdict.advice)
        for who, found in verdicts.items()
        for verdict in found
        if verdict.outcome not in (Outcome.PASSED, Outcome.SKIPPED) or verdict.advice
    ]

    assert lost == []


@pytest.mark.parametrize("name", list(CATALOG))
def test_an_import_for_plots_costs_nothing(name, request, sandbox):
    """In a worker: every point, nothing refused, and no advice."""
    if importlib.util.find_spec("matplotlib") is None:
        pytest.skip("matplotlib is not installed")
    if name not in PLOTTED and not request.config.getoption("--all-variants"):
        pytest.skip("with --all-variants")
    texts = {page: without_markers(text) for page, text in COURSE.solution_texts.items()}
    head, future, rest = texts[name].partition("from __future__ import annotations\n")
    top = "import matplotlib.pyplot as plt\n"
    texts[name] = head + future + top + rest if future else top + head
    submission = Submission("ada", "ada", texts)
    (report,) = grade_all(COURSE, [CATALOG[name]], [submission], sandbox, seed=5)

    assert report.score == report.max_score
    assert report.refused == ()
    assert [v.advice for v in report.verdicts if v.advice] == []
