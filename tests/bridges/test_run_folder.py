"""One seed for an assignment, drawn when it is first graded."""

from __future__ import annotations

import pytest

from grader.bridges.run_folder import kept_seed, run_folder
from grader.errors import GraderError


class TestTheSeed:
    def test_is_drawn_once(self, tmp_path):
        """Whoever is graded later is asked the same; another assignment is asked something else."""
        first, second = (run_folder(tmp_path, name) for name in ("ps1", "ps2"))
        seed = kept_seed(first)

        assert kept_seed(first) == seed
        assert kept_seed(second) != seed

    def test_may_be_written_by_hand(self, tmp_path):
        """To ask what an earlier report was asked."""
        (tmp_path / "seed").write_text("7\n")

        assert kept_seed(tmp_path) == 7

    @pytest.mark.parametrize("text", ["", "seven", "-1", "²"])
    def test_is_never_guessed(self, tmp_path, text):
        """A damaged file is named; grading on with another seed would not be noticed."""
        (tmp_path / "seed").write_text(text, encoding="utf-8")

        with pytest.raises(GraderError, match="holds no seed"):
            kept_seed(tmp_path)
