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
        tables = {done.stdout.partition("This folder")[0] for done in outside}
        assert len(tables) == 1
        assert tables.pop().endswith("0 of 1 done, 0 of 2 points.\n")

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

    def test_is_told_of_a_slip_that_the_page_has_no_place_for(self, grader, toy):
        """By its file, and beside everything else that is found; the stub is proved as it would be
        generated, whatever stands there.
        """
        toy.stub("toy").parent.mkdir(exist_ok=True)
        toy.stub("toy").write_text("def double(x): return 2 * x\n")
        bank = toy.misconceptions("toy")
        right = bank.read_text()
        bank.write_text(right.replace('"x + x"', '"x - x"'))
        slip = grader("dev", "check", cwd=toy.root)
        bank.write_text(right)
        stale = grader("dev", "check", cwd=toy.root)

        assert (slip.returncode, stale.returncode) == (1, 1), slip.stderr + stale.stderr
        assert "✗ toy/misconceptions.py: toy, squares: after the beginning" in slip.stdout
        assert slip.stdout.count("after the beginning") == 1
        assert "exercises/toy.py is not as generated" in slip.stdout
        assert "the stub earns" not in stale.stdout

    def test_is_told_of_a_mark_that_cannot_be_read(self, grader, toy):
        """By the proofs as a finding among the others, once; where stubs are written, in a sentence
        and nothing else.
        """
        suite = toy.suite("toy")
        marked = suite.read_text().replace("def test_", "@pytest.mark.core(STEP)\ndef test_", 1)
        suite.write_text(f'STEP = "double"\n{marked}')
        toy.stub("toy").parent.mkdir(exist_ok=True)
        toy.stub("toy").write_text("def double(x): ...\n")
        done, stubs = grader("dev", "check", cwd=toy.root), grader("dev", "stubs", cwd=toy.root)

        assert (done.returncode, stubs.returncode) == (1, 2), done.stderr + stubs.stderr
        assert " ".join(done.stdout.split()).count("holds 'STEP', whose value") == 1
        assert "✗ toy" in done.stdout
        assert "holds 'STEP', whose value" in " ".join(stubs.stderr.split())
        assert "Traceback" not in done.stderr + stubs.stderr
