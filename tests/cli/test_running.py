"""One's own file is run by Python itself, without a check and without a wall."""

from __future__ import annotations

import pytest


@pytest.fixture
def toy(own):
    """A folder whose softmax says what it does."""
    text = "print('imported')\n\n\ndef softmax(x, dim=-1):\n    breakpoint()\n    return x + x\n"
    (own / "softmax.py").write_text(text)
    return own


class TestRun:
    def test_is_what_python_does(self, grader, toy):
        """Nothing is called that the file does not call."""
        done = grader("run", "softmax", cwd=toy)

        assert (done.returncode, done.stdout, done.stderr) == (0, "imported\n", "")

    def test_computes_an_expression(self, grader, toy):
        """With torch and all names of the file; where it says so, the debugger waits."""
        (toy / "softmax.py").write_text("def softmax(x):\n    return x + x\n")
        done = grader("run", "softmax", "softmax(torch.ones(2))", cwd=toy)

        assert (done.returncode, done.stdout) == (0, "tensor([2., 2.])\n")

    def test_stops_at_a_breakpoint(self, grader, toy):
        """Nobody types anything here, which ends it."""
        done = grader("run", "softmax.py", "softmax(1)", cwd=toy)

        assert done.returncode == 1
        assert "-> return x + x" in done.stdout

    def test_needs_the_file(self, grader, toy):
        """And says how to get one."""
        (toy / "softmax.py").unlink()
        done = grader("run", "softmax", cwd=toy)

        assert done.returncode == 2
        assert "`grader reset softmax`" in done.stderr


class TestWhatIsMeant:
    def test_an_exercise_is_checked(self, grader, own):
        """As by ``grader check``; here there is only the stub."""
        assert grader("softmax", cwd=own).stdout == grader("check", "softmax", cwd=own).stdout

    def test_a_near_miss_is_asked_about(self, grader, own):
        """It may be a command or an exercise."""
        said = grader("sofmax", cwd=own).stderr

        assert "Did you mean 'softmax'?" in said
        assert "Did you mean 'check'?" in grader("chek", cwd=own).stderr

    def test_without_exercises_there_is_no_progress(self, grader, tmp_path):
        """A list full of zeros would say that it is lost."""
        done = grader("list", cwd=tmp_path)

        assert done.returncode == 0
        assert "This folder holds no exercises" in done.stdout
