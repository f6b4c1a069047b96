"""Every file that is missing, stale or astray is found by the proof of the house."""

from __future__ import annotations

import pytest

from grader.course.release import write_stubs
from grader.errors import GraderError
from grader.proof import prove_house


@pytest.fixture
def in_order(toy):
    """The toy course, with all that is generated."""
    write_stubs(toy)
    return toy


class TestAHouse:
    def test_in_order_has_no_findings(self, in_order):
        """Otherwise every other finding here would say nothing."""
        assert prove_house(in_order) == []

    def test_without_misconceptions_is_found(self, in_order):
        """An exercise without wrong answers has a suite that nothing proves."""
        in_order.misconceptions("toy").unlink()

        assert prove_house(in_order) == ["grader/suites/toy/misconceptions.py is missing"]

    @pytest.mark.parametrize("which", ["suite", "solution"])
    def test_without_a_file_is_found(self, in_order, which):
        """Findings are returned, so that one does not hide the others."""
        path = getattr(in_order, which)("toy")
        path.unlink()

        assert f"{path.relative_to(in_order.root)} is missing" in prove_house(in_order)

    @pytest.mark.parametrize("which", ["suite", "solution"])
    def test_without_a_file_is_never_in_order(self, in_order, which):
        """Whether it is returned or raised, the file is named."""
        path = getattr(in_order, which)("toy")
        path.unlink()
        try:
            said = " ".join(prove_house(in_order))
        except GraderError as error:
            said = str(error)

        assert path.relative_to(in_order.root).as_posix() in said

    @pytest.mark.parametrize("which", ["suite", "solution"])
    def test_with_a_stray_file_is_found(self, in_order, which):
        """What the catalog does not know is shown to nobody."""
        path = getattr(in_order, which)("stray")
        path.parent.mkdir(exist_ok=True)
        path.write_text("")

        assert prove_house(in_order) == ["stray is not in the catalog"]

    @pytest.mark.parametrize(
        "name",
        [
            "exercises/toy.py",
            "exercises/README.md",
            "tests/submissions/perfect/toy.py",
            "tests/submissions/untouched/toy.py",
        ],
    )
    @pytest.mark.parametrize("fault", ["edited", "gone"])
    def test_with_a_stale_file_is_found(self, in_order, name, fault):
        """What is generated is as it would be generated now, to the byte."""
        path = in_order.root / name
        path.write_bytes(path.read_bytes() + b"\n") if fault == "edited" else path.unlink()

        assert prove_house(in_order) == [f"{name} is not as generated"]

    def test_with_a_stub_without_a_solution_is_found(self, in_order):
        """It was left behind."""
        in_order.stub("stray").write_text("")

        assert prove_house(in_order) == ["exercises/stray.py is not as generated"]

    def test_whose_page_does_not_say_what_is_forbidden_is_found(self, in_order):
        """Learners read the page, workers the catalog."""
        in_order.catalog.write_text(in_order.catalog.read_text() + 'forbids = ["torch.add"]\n')
        (finding,) = prove_house(in_order)

        assert finding.startswith("solutions/toy.py says [] of torch at its top, the catalog [")
        assert "torch.add" in finding
