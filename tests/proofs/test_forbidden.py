"""The proofs see what of torch an exercise forbids."""

from __future__ import annotations

from grader.course.catalog import load_catalog
from grader.course.course import find_course
from grader.proof import prove_house, prove_variants

COURSE = find_course()

SHORTCUT = """
import torch
from grader.check import variant

@variant(of="log_softmax")
def by_torch(x, dim=-1):
    return torch.log_softmax(x, dim)
"""


class TestProofs:
    def test_find_a_variant_that_has_its_answer_from_torch(self, tmp_path):
        """A right variant must be right for a submission, which is without what is forbidden."""
        path = tmp_path / "softmax.py"
        path.write_text(SHORTCUT)
        findings = prove_variants(COURSE, load_catalog(COURSE)["softmax"], path)

        assert findings
        assert all(f"variant by_torch in {tmp_path.name}/softmax.py fails" in f for f in findings)
        assert all("torch.log_softmax does this exercise" in finding for finding in findings)

    def test_find_a_page_that_does_not_say_what_is_forbidden(self, toy):
        """Nobody is refused what the page has not said."""
        text = toy.catalog.read_text(encoding="utf-8")
        toy.catalog.write_text(f'{text}forbids = ["torch.add"]\n', encoding="utf-8")
        said = "Write it yourself: ``torch.add`` is not available here, under any name."

        assert (
            f"solutions/toy.py says [] of torch at its top, the catalog [{said!r}]"
            in prove_house(toy)
        )
