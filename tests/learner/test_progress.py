"""The progress file: what it remembers, and what it survives."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from filelock import FileLock

from grader.course.course import find_course
from grader.errors import LearnerError
from grader.learner.progress import Progress, ProgressFile, Standing, total
from grader.model import Check, ExerciseReport, Outcome, Verdict


def report(outcome=Outcome.PASSED, name="toy"):
    return ExerciseReport(name, (Verdict(Check(name, "test_a", "A.", 2.0), outcome),))


class TestAttempts:
    def test_the_same_text_is_one_attempt(self):
        """Checking twice what was not changed in between counts once."""
        progress = Progress()
        for text in ("one", "one", "two"):
            progress = progress.checked(report(Outcome.FAILED), text, "2026-01-01T00:00:00Z")

        assert progress.of("toy").attempts == 2

    def test_the_first_pass_is_remembered(self):
        """Breaking it later takes the points, not the day of the first pass."""
        progress = Progress().checked(report(), "one", "day one")
        progress = progress.checked(report(Outcome.FAILED), "two", "day two")
        progress = progress.checked(report(), "three", "day three")

        assert progress.of("toy").passed_at == "day one"
        assert progress.of("toy").done

    def test_starting_again_keeps_what_was_tried_and_shown(self):
        """Attempts and hints stay, points go."""
        progress = Progress().hinted("toy", 1).checked(report(), "one", "now").reset("toy")

        assert progress.of("toy") == Standing(
            attempts=1, points=0.0, max_points=2.0, hints=(1,), done=False, passed_at="now"
        )

    def test_hints_are_kept_by_their_numbers(self, tmp_path):
        """In the order in which they were shown; at first only how many there were was kept."""
        file = ProgressFile(tmp_path)
        file.save(Progress().hinted("toy", 3).hinted("toy", 1))
        kept = file.load().of("toy").hints
        form = json.loads(file.path.read_text())
        form["standings"]["toy"]["hints"] = 2
        file.path.write_text(json.dumps(form))

        assert (kept, file.load().of("toy").hints) == ((3, 1), (1, 2))
        assert file.notices == []

    def test_no_verdict_is_no_number(self, tmp_path):
        """Neither 0 nor what was earned before, and it is remembered as what it is."""
        progress = Progress().checked(report(), "one", "day one")
        progress = progress.checked(report(Outcome.INTERNAL), "two", "day two")
        file = ProgressFile(tmp_path)
        file.save(progress)

        assert progress.of("toy").points is None
        assert not progress.of("toy").done
        assert file.load() == progress
        assert file.notices == []

    def test_the_total_is_known_when_every_part_is(self):
        """A sum with a part missing would look like a mark."""
        assert total([Standing(points=1.0), Standing(points=2.0)]) == 3.0
        assert total([Standing(points=1.0), Standing(points=None)]) is None

    def test_the_core_may_be_right_alone(self, verdict, of_the_core):
        """And is forgotten where one starts again."""
        verdicts = (of_the_core(verdict()), verdict(Outcome.FAILED))
        progress = Progress().checked(ExerciseReport("toy", verdicts), "one", "now")

        assert (progress.of("toy").core, progress.of("toy").done) == (True, False)
        assert not progress.reset("toy").of("toy").core


class TestFile:
    def test_what_is_saved_is_loaded(self, tmp_path):
        """Names in any script survive, too."""
        file = ProgressFile(tmp_path)
        progress = Progress("λ").checked(report(name="λ"), "text", "now")
        file.save(progress)

        assert ProgressFile(tmp_path).load() == progress

    @pytest.mark.parametrize(
        "damage",
        ["", "{", "[]", "null", '{"schema": "progress/v9"}', "\x00" * 40, "[" * 100_000],
    )
    def test_a_damaged_file_is_set_aside_and_its_backup_used(self, tmp_path, damage):
        """Nothing is thrown away, and it is said."""
        file = ProgressFile(tmp_path)
        file.save(Progress("first"))
        file.save(Progress("second"))
        file.path.write_text(damage)

        assert file.load() == Progress("first")
        assert (tmp_path / ".grader.json.damaged-1").read_text() == damage
        assert "damaged" in file.notices[0]
        assert "exercises are not affected" in file.notices[0]

    def test_of_a_version_without_cores_is_read(self, tmp_path):
        """What was done then had its core right, too."""
        file = ProgressFile(tmp_path)
        file.save(Progress("toy", {"toy": Standing(done=True), "other": Standing()}))
        form = json.loads(file.path.read_text())
        for standing in form["standings"].values():
            del standing["core"]
        file.path.write_text(json.dumps(form))

        assert {name: s.core for name, s in file.load().standings.items()} == {
            "toy": True,
            "other": False,
        }
        assert file.notices == []

    def test_wrong_types_are_damage(self, tmp_path):
        """A text where a number belongs would break everything later."""
        file = ProgressFile(tmp_path)
        file.save(Progress().hinted("toy", 3))
        form = json.loads(file.path.read_text())
        form["standings"]["toy"]["hints"] = ["many"]
        file.path.write_text(json.dumps(form))

        assert file.load() == Progress()
        assert "starts afresh" in file.notices[0]

    def test_bytes_that_are_no_text_are_damage(self, tmp_path):
        """Also then it goes on."""
        file = ProgressFile(tmp_path)
        file.path.write_bytes(b"\xff\xfe\xfa")

        assert file.load() == Progress()

    def test_an_accident_between_the_two_steps_of_saving_loses_nothing(self, tmp_path):
        """When the file is gone, its backup is what there is."""
        file = ProgressFile(tmp_path)
        file.save(Progress("first"))
        os.replace(file.path, file.backup)

        assert file.load() == Progress("first")

    def test_a_folder_that_takes_no_files_is_said(self, tmp_path):
        """In a sentence that also says that the exercises are safe."""
        file = ProgressFile(tmp_path / "absent")

        with pytest.raises(LearnerError, match="exercises are not affected"):
            file.save(Progress("first"))

    def test_nothing_new_is_not_written(self, tmp_path):
        """A check that changes nothing leaves no trace."""
        file = ProgressFile(tmp_path)
        file.change(lambda progress: progress)

        assert list(tmp_path.iterdir()) == []

    def test_whoever_looks_while_it_is_saved_finds_it(self, tmp_path, monkeypatch):
        """The file is replaced, never away: by it a folder is known as a learner's."""
        file, seen = ProgressFile(tmp_path), []
        file.save(Progress("first"))

        def replace(*paths, real=os.replace):
            real(*paths)
            seen.append(file.path.exists())

        monkeypatch.setattr("grader.learner.progress.os.replace", replace)
        file.save(Progress("second"))

        assert seen == [True, True]
        assert file.load() == Progress("second")


WRITER = """
import sys
from pathlib import Path
from grader.learner.progress import ProgressFile

folder, own = Path(sys.argv[1]), sys.argv[2]
print("ready", flush=True)
sys.stdin.readline()
for _ in range(100):
    file = ProgressFile(folder)
    file.change(lambda progress: progress.hinted("shared", 1).hinted(own, 1))
    assert not file.notices, file.notices
"""


class TestTwoGraders:
    """A `watch` in one window, a `hint` or a `check` in another."""

    def test_no_change_of_either_is_lost(self, tmp_path):
        """Two processes count to a hundred each, in the same file at the same time."""
        writers = [
            subprocess.Popen(
                [sys.executable, "-c", WRITER, tmp_path, name],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                env=os.environ | {"PYTHONPATH": str(find_course().root)},
            )
            for name in ("one", "two")
        ]  # fmt: skip
        for writer in writers:
            assert writer.stdout.readline() == "ready\n"
        for writer in writers:
            writer.stdin.write("go\n")
            writer.stdin.flush()
        for writer in writers:
            writer.communicate(timeout=60)
        progress = ProgressFile(tmp_path).load()

        assert [writer.returncode for writer in writers] == [0, 0]
        assert {name: len(progress.of(name).hints) for name in ("shared", "one", "two")} == {
            "shared": 200, "one": 100, "two": 100,
        }  # fmt: skip

    def test_one_that_never_lets_go_is_said(self, tmp_path, monkeypatch):
        """Nobody waits forever for a grader that hangs."""
        monkeypatch.setattr("grader.learner.progress.LOCK_SECONDS", 0.1)
        file = ProgressFile(tmp_path)
        with FileLock(f"{file.path}.lock"), pytest.raises(LearnerError, match="Another grader"):
            file.save(Progress("first"))

        file.save(Progress("first"))
        assert file.load() == Progress("first")

    @pytest.mark.parametrize("trouble", [OSError(37, "No locks"), NotImplementedError()])
    def test_where_there_are_no_locks_it_works_without(self, tmp_path, monkeypatch, trouble):
        """Some network drives have none."""

        def refuse(self, *_, **__):
            raise trouble

        monkeypatch.setattr("filelock.FileLock.acquire", refuse)
        file = ProgressFile(tmp_path)
        file.change(lambda progress: progress.hinted("toy", 3))

        assert file.load().of("toy").hints == (3,)
