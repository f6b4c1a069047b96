"""`grader dev`: what authors are told."""

from __future__ import annotations


class TestStubs:
    def test_are_as_generated(self, grader):
        """`grader dev stubs --check` finds nothing in a fresh checkout."""
        done = grader("dev", "stubs", "--check")

        assert done.returncode == 0, done.stdout


class TestACourseElsewhere:
    def test_is_named_before_or_behind_any_command(self, grader, toy, tmp_path):
        """Or by its variable, or it is the one that one stands in."""
        outside = [
            grader("--course", toy.root, "list", cwd=tmp_path),
            grader("list", "--course", toy.root, cwd=tmp_path),
            grader("list", f"--course={toy.root}", cwd=tmp_path),
            grader("list", cwd=toy.solutions),
        ]

        assert {done.returncode for done in outside} == {0}
        assert {done.stdout for done in outside} == {outside[0].stdout}
        assert "0 of 1 done, 0 of 2 points." in outside[0].stdout

    def test_is_noted_where_a_learner_starts(self, grader, toy, tmp_path):
        """So that the next command knows it."""
        started = grader("start", "desk", "--course", toy.root, cwd=tmp_path)
        done = grader("hint", cwd=tmp_path / "desk")

        assert (started.returncode, done.returncode) == (0, 0), started.stderr + done.stderr
        assert "Twice x is x + x." in done.stdout


class TestAnAuthor:
    def test_is_told_what_to_do_about_a_finding(self, grader, toy):
        """Below it, once for all findings of a kind."""
        done = grader("dev", "check", cwd=toy.root)

        assert done.returncode == 1
        assert "✗ exercises/toy.py is not as generated" in done.stdout
        assert done.stdout.count("`grader dev stubs` writes it anew") == 1
