"""Submissions that attack the grader gain nothing, and the next worker is as good as new."""

from __future__ import annotations

from contextlib import closing

import pytest
import torch

from grader.course.catalog import load_catalog
from grader.model import Submission
from grader.pipeline import grade_all
from grader.sandbox import bubblewrap
from grader.sandbox.protocol import Leaf
from grader.sandbox.zygote_sandbox import ZygoteSandbox


@pytest.fixture(scope="module")
def walls(request):
    return getattr(request, "param", "all of them")


@pytest.fixture(scope="module")
def sandbox(sandbox, walls):
    """The sandbox that all tests share, or one that bubblewrap does not enclose, whose walls may be
    those that let CUDA's driver through.
    """
    if walls == "all of them":
        yield sandbox
    elif walls == "all but bubblewrap" and not bubblewrap.starts():
        pytest.skip("these are all of them here")
    else:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(bubblewrap, "starts", lambda: False)
            unwrapped = ZygoteSandbox(gpu=walls == "those for a GPU")
        with closing(unwrapped):
            yield unwrapped


@pytest.fixture(autouse=True)
def _the_next_worker_is_healthy(sandbox, load):
    if sandbox.isolation != "full":
        pytest.skip("this kernel has no Landlock or no seccomp")
    yield
    session = load("import torch\ndef f(x): return x.softmax(-1)")
    actual = _softmax_of_zeros(session)

    assert actual.tolist() == [0.25] * 4
    assert session.refused == []


@pytest.fixture
def graded(toy, sandbox):
    """``graded(source)`` is the report on the toy's page with this text, after ``import torch``;
    other modules of the submission are given by name.
    """
    exercises = list(load_catalog(toy).values())

    def graded(source, who="bribe", **others):
        submission = Submission(who, who, {"toy": "import torch\n" + source, **others})
        (report,) = grade_all(toy, exercises, [submission], sandbox, seed=5)
        return report

    return graded


@pytest.fixture
def secret(tmp_path):
    """A file of the grader's, which must neither be read nor touched."""
    path = tmp_path / "secret.txt"
    path.write_text("the expected values")
    path.chmod(0o640)
    yield path

    assert path.read_text() == "the expected values"
    assert path.stat().st_mode & 0o777 == 0o640
    assert [path] == list(tmp_path.iterdir())


def _softmax_of_zeros(session):
    request = {"op": "call", "name": "f", "args": [Leaf(0, torch.zeros(4))], "kwargs": {}}
    return session.perform(request)["value"]
