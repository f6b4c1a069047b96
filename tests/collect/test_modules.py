"""What one submission may hold."""

from __future__ import annotations

import pytest

from grader.collect import MAX_SOURCE_BYTES, MAX_SUBMISSION_BYTES, Ignored, collect
from grader.collect.modules import MAX_IGNORED, Modules
from grader.collect.near import patient_of
from grader.collect.shapes import Whose
from grader.report.words import told

KNOWN = ("softmax", "attention")
MIB = b"#" * MAX_SOURCE_BYTES


class TestTheWhole:
    def test_has_a_limit(self):
        """A hundred files of the largest size would take all memory, once for every worker."""
        modules = Modules("ann", KNOWN)
        for number in range(6):
            modules.add(f"m{number}", MIB)
        submission = modules.submission(Whose("ann"))

        assert sum(map(len, submission.files.values())) == MAX_SUBMISSION_BYTES
        assert told(submission.problems["m4"]).rationale == (
            "All files together are larger than 4 MiB; m4.py was not read."
        )
        assert set(submission.problems) == {"m4", "m5"}

    def test_reads_the_exercises_first(self, tmp_path):
        """A helper of many megabytes does not cost a mark."""
        for name in ("a", "b", "c", "d", "e"):
            (tmp_path / f"{name}.py").write_bytes(MIB)
        (tmp_path / "softmax.py").write_text("s")
        (submission,) = collect(tmp_path, KNOWN)

        assert submission.files["softmax"] == "s"
        assert set(submission.problems) == {"d", "e"}

    @pytest.mark.parametrize("size", [10, MAX_SOURCE_BYTES])
    def test_counts_a_file_once(self, tmp_path, size):
        """One that stands for every exercise is no more bytes for that."""
        known = [f"exercise_{number}" for number in range(19)]
        (tmp_path / "ann.py").write_bytes(b"#" * size)
        (submission,) = collect(tmp_path / "ann.py", known)

        assert set(submission.files) == set(known)
        assert submission.problems == {}

    def test_names_helpers_that_were_not_read(self, tmp_path):
        """No check of their own says so, and an exercise that needs one could not be understood."""
        (tmp_path / "softmax.py").write_text("import plots")
        (tmp_path / "plots.py").write_bytes(MIB + b"#")
        found = collect(tmp_path, KNOWN)

        assert found.ignored == (Ignored(f"{tmp_path}/plots.py", "it is larger than 1 MiB"),)

    def test_names_no_endless_list(self):
        """Of thousands of files beside the modules the first are named, and the rest counted."""
        modules = Modules("ann", KNOWN)
        for number in range(MAX_IGNORED + 7):
            modules.ignore(f"{number}.png", "it is no Python file")

        assert len(modules.ignored) == MAX_IGNORED + 1
        assert modules.ignored[-1].reason == "and 7 more files and folders in it"


class TestWhatTheClinicWrote:
    @pytest.mark.parametrize("others", [{}, {"softmax.py": "s"}])
    def test_is_named_and_stands_for_no_exercise(self, tmp_path, others):
        """Mended it is the right program: as `softmax.py` it would earn all points."""
        for name, text in {**others, "attention.py": "a", "clinic_softmax.py": "p"}.items():
            (tmp_path / name).write_text(text)
        found = collect(tmp_path, KNOWN)
        ((ignored,), (submission,)) = found.ignored, found

        assert submission.files.get("softmax") == others.get("softmax.py")
        assert ignored.path.endswith("/clinic_softmax.py")
        assert "`grader patients softmax DOWNLOAD` shows" in ignored.reason

    @pytest.mark.parametrize(("name", "known"), [("clinic_x", KNOWN), ("softmax", KNOWN)])
    def test_is_told_by_its_name(self, name, known):
        """Of an exercise of the course alone, and never an exercise itself."""
        assert patient_of(f"clinic_{name}", known) == (name if name in known else "")
        assert patient_of(name, known) == ""
        assert patient_of(f"clinic_{name}", [*known, f"clinic_{name}"]) == ""
