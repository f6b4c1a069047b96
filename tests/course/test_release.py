"""What students get is generated from the solutions, byte for byte, and kept up to date."""

from __future__ import annotations

import pytest

from grader.course.markers import stub_text
from grader.course.release import generated_files, stale_files, write_stubs


class TestGeneratedFiles:
    def test_are_stubs_samples_and_the_map(self, toy):
        """Every exercise has a stub and a place in the map; two samples follow from it."""
        names = {path.relative_to(toy.root).as_posix() for path in generated_files(toy)}

        assert names == {
            "exercises/toy.py",
            "exercises/README.md",
            "tests/submissions/perfect/toy.py",
            "tests/submissions/untouched/toy.py",
        }

    def test_are_the_same_every_time(self, toy):
        """The same solutions give the same bytes."""
        assert generated_files(toy) == generated_files(toy)

    def test_say_what_an_exercise_is_worth(self, toy):
        """The map names title, source, needs and points."""
        toy_map = generated_files(toy)[toy.exercises / "README.md"]

        assert "| 1 | [`toy`](toy.py) | A toy | nowhere | - | 2 |" in toy_map

    def test_say_what_an_exercise_takes_and_gives(self, toy):
        """Level, minutes and sittings in the table; below it what to know, and what for."""
        told = 'level = 2\nminutes = 40\nsittings = 3\nbefore = ["sums"]\nafterwards = ["add"]\n'
        head, name, entry = toy.catalog.read_text().partition("[toy]\n")
        toy.catalog.write_text(head + name + told + entry)
        toy_map = generated_files(toy)[toy.exercises / "README.md"]

        assert "| A toy | nowhere | 2 | 40 in 3 sittings | - | 2 |" in toy_map
        assert "  Before: sums.\n  Afterwards you can add.\n" in toy_map

    def test_hold_no_solution(self, toy):
        """What stands between the markers is in no stub."""
        files = generated_files(toy)

        assert "x + x" not in files[toy.stub("toy")]
        assert "x + x" in files[toy.root / "tests/submissions/perfect/toy.py"]


class TestThisCheckout:
    def test_has_a_stub_for_softmax_byte_for_byte(self, course):
        """The stub in the repository is the one that its solution gives."""
        solution = course.solution("softmax").read_text(encoding="utf-8")

        assert course.stub("softmax").read_bytes() == stub_text(solution, "softmax").encode()


class TestStaleFiles:
    @pytest.fixture
    def written(self, toy):
        write_stubs(toy)
        return toy

    def test_are_all_at_first(self, toy):
        """What does not exist is stale; writing it brings everything up to date."""
        before = set(stale_files(toy))
        written = set(write_stubs(toy))

        assert before == written == set(generated_files(toy))
        assert stale_files(toy) == []

    def test_are_those_that_were_edited(self, written):
        """An edited stub is found and put right."""
        original = written.stub("toy").read_bytes()
        written.stub("toy").write_bytes(original + b"# mine\n")
        found = write_stubs(written)

        assert found == [written.stub("toy")]
        assert written.stub("toy").read_bytes() == original

    def test_are_those_with_other_line_ends(self, written):
        """Byte for byte means line ends too."""
        original = written.stub("toy").read_bytes()
        written.stub("toy").write_bytes(original.replace(b"\n", b"\r\n"))

        assert stale_files(written) == [written.stub("toy")]

    def test_are_those_whose_solution_changed(self, written):
        """A changed solution makes everything stale that follows from it."""
        solution = written.solution("toy")
        solution.write_text(solution.read_text().replace("Twice", "Double"))
        names = [path.relative_to(written.root).as_posix() for path in stale_files(written)]

        assert names == [
            "exercises/toy.py",
            "tests/submissions/perfect/toy.py",
            "tests/submissions/untouched/toy.py",
        ]

    def test_are_those_without_a_solution(self, written):
        """A stub whose exercise is gone is removed; the catalog and others' files stay."""
        (written.exercises / "old.py").write_text("")
        (written.exercises / "data.txt").write_text("")
        found = write_stubs(written)

        assert found == [written.exercises / "old.py"]
        assert not (written.exercises / "old.py").exists()
        assert (written.exercises / "data.txt").exists()
