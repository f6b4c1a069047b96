"""Pictures: what is computed for them, and that they are pictures. How they look, people judge."""

from __future__ import annotations

import struct
import zlib
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from grader.collect import collect
from grader.course.catalog import load_catalog
from grader.course.course import find_course
from grader.errors import GraderError
from grader.model import (
    Check,
    Conditions,
    ExerciseReport,
    Outcome,
    Report,
    Submission,
    Verdict,
)
from grader.pictures import NO_PICTURE, SCENES, drawn, look, picture, picture_of
from grader.pipeline import grade_all
from grader.programs.bank import load_bank
from grader.programs.page import load_by_path
from grader.programs.program import LocalProgram, SubmissionProgram

COURSE = find_course()
CATALOG = load_catalog(COURSE)
SAMPLES = COURSE.root / "tests" / "submissions"
REPORT = Report("m", "m", "now", Conditions(1, "full", (), ("cpu",), {}), ())


def sample(name: str) -> Submission:
    return collect(SAMPLES / name, CATALOG)[0]


def seen_of(exercise, submission, sandbox):
    program = SubmissionProgram(submission, sandbox)
    return look(COURSE, CATALOG[exercise], SCENES[exercise], program)


def with_misconception(exercise, name):
    """What there is to see of a known misconception, which is ours and runs here."""
    bank = {
        e.name: e for e in load_bank(COURSE.misconceptions(exercise), COURSE.solution(exercise))
    }
    reference = dict(vars(load_by_path(COURSE.solution(exercise))))
    program = LocalProgram(bank[name].applied_to(reference))
    return look(COURSE, CATALOG[exercise], SCENES[exercise], program)


@pytest.fixture(scope="module")
def perfect(sandbox):
    """What there is to see of the perfect sample, each exercise looked at once."""
    return cache(lambda exercise: seen_of(exercise, sample("perfect"), sandbox))


def chunks(image: bytes):
    """The chunks of a PNG; a wrong checksum fails."""
    at = 8
    while at < len(image):
        (length,) = struct.unpack(">I", image[at : at + 4])
        kind, data = image[at + 4 : at + 8], image[at + 8 : at + 8 + length]
        assert zlib.crc32(kind + data) == struct.unpack(">I", image[at + 8 + length :][:4])[0]
        yield kind, data
        at += 12 + length


class TestScenes:
    def test_every_exercise_has_one_or_says_why_not(self):
        """In the catalog's words, without overlap."""
        assert set(SCENES) | set(NO_PICTURE) == set(CATALOG)
        assert not set(SCENES) & set(NO_PICTURE)

    @pytest.mark.parametrize("exercise", SCENES)
    def test_a_right_answer_is_as_expected(self, exercise, perfect):
        """The perfect sample differs nowhere, and nothing expected is NaN or infinite."""
        seen = perfect(exercise)

        assert [(one.panel.title, one.verdict) for one in seen if one.differs] == []
        assert all(np.isfinite(one.expected).all() for one in seen)

    @pytest.mark.parametrize("exercise", SCENES)
    def test_a_stub_shows_what_is_expected_and_says_what_to_do(self, exercise, sandbox):
        """There is nothing of the learner's yet, but words."""
        seen = seen_of(exercise, sample("untouched"), sandbox)

        assert all(one.yours is None and one.difference is None for one in seen)
        assert all(one.differs for one in seen)
        assert all("Replace that line" in one.verdict for one in seen) or all(
            "not ready" in one.verdict for one in seen
        ), [one.verdict for one in seen]

    @pytest.mark.parametrize("exercise", SCENES)
    def test_axes_fit_what_is_drawn(self, exercise, perfect):
        """As many names and points as there are rows and columns."""
        for one in perfect(exercise):
            rows, columns = one.expected.shape
            panel = one.panel

            assert len(panel.lines) in (0, rows), panel.title
            assert len(panel.y.ticks) in (0, rows), panel.title
            assert len(panel.x.ticks) in (0, columns), panel.title
            assert len(panel.x.values) in (0, columns), panel.title


class TestDifferences:
    @pytest.mark.parametrize(
        ("exercise", "misconception"),
        [
            ("softmax", "no_maximum"),
            ("layer_norm", "only_centred"),
            ("masks", "itself_forbidden"),
            ("attention", "no_scaling"),
            ("encoder", "mask_not_handed_on"),
            ("gpt", "not_causal"),
        ],
    )
    def test_a_misconception_is_seen(self, exercise, misconception):
        """Some panel of its exercise differs."""
        assert any(one.differs for one in with_misconception(exercise, misconception))

    def test_scaling_forgotten(self, sandbox):
        """Weights that are too sharp: the difference is large, and the verdict names its place."""
        weights, *_, out = seen_of("attention", sample("no_scaling"), sandbox)

        assert weights.difference is not None
        assert np.abs(weights.difference).max() > 0.2
        assert np.allclose(weights.difference.sum(axis=-1), 0, atol=1e-5)
        assert "Differs by up to 0.29, most at query “man”, key “the”." in weights.verdict
        assert out.differs

    def test_what_the_mask_leaves_over(self, sandbox):
        """Masked after the softmax, rows no longer sum to one; the masks themselves are right."""
        *masks, weights = seen_of("masks", sample("mask_after_softmax"), sandbox)

        assert not any(one.differs for one in masks)
        assert weights.differs

    def test_dropout_is_told_by_what_does_not_depend_on_chance(self, sandbox):
        """Survivors that have not grown are seen; which ones survive is not compared."""
        mask, becomes, evaluation = seen_of("dropout", sample("dropout_not_scaled"), sandbox)

        assert mask.difference is None
        assert not mask.differs
        assert becomes.differs
        assert not evaluation.differs

    def test_the_right_numbers_in_another_form(self, sandbox):
        """Ones and zeros are no mask, though they look like one."""
        text = sample("perfect").files["masks"] + (
            "\n\nright = causal_mask\n\n\n"
            "def causal_mask(*args, **kwargs):\n    return right(*args, **kwargs).long()\n"
        )
        first, *_ = seen_of("masks", Submission("m", "m", {"masks": text}), sandbox)

        assert first.differs
        assert first.verdict == (
            "The right numbers, but as a tensor of int64 and not as a tensor of bool."
        )

    def test_too_small_to_matter(self):
        """Rounding is no difference."""
        (seen, *_) = with_misconception("attention", "no_scaling")
        rounded = replace(seen, yours=seen.expected * (1 + 1e-6), your_form=seen.form)

        assert not rounded.differs
        assert rounded.verdict == "As expected."


class TestMishaps:
    @pytest.mark.parametrize(
        ("body", "said"),
        [
            ("return None", "is None (is a `return` missing?), and not a tensor of shape (81,)."),
            ("return x[:3]", "has the shape (3,), and not (81,)"),
            ("return x / 0 * 0", "NaN or infinity in 81 of 81 places."),
            ("raise ValueError('oh')", "The call raised ValueError: oh (feed_forward.py, line 2)."),
            ("while True: pass", "No answer within"),
            ("import os; os._exit(3)", "ended its own process"),
        ],
    )
    def test_is_told_in_words(self, body, said, sandbox, monkeypatch):
        """And costs only its own panel; a picture is drawn all the same."""
        monkeypatch.setattr("grader.pictures.seen.SECONDS", 1.0)
        text = f"def silu(x):\n    {body}\n"
        seen = seen_of("feed_forward", Submission("m", "m", {"feed_forward": text}), sandbox)

        assert said in seen[1].verdict
        assert "defines no `gelu`" in seen[0].verdict

    def test_weights_that_are_none(self, sandbox):
        """What is given a model must be a dict."""
        text = "def previous_token_head():\n    return [1.0]\n"
        seen = seen_of("hand_weights", Submission("m", "m", {"hand_weights": text}), sandbox)

        assert "A dict of arrays is expected, not a list of 1 value." in [s.verdict for s in seen]

    def test_a_file_that_is_not_there(self, sandbox):
        """Is spoken of as everywhere."""
        seen = seen_of("softmax", Submission("m", "m", {}), sandbox)

        assert seen[0].verdict.startswith("softmax.py is not in the submission.")

    def test_no_picture(self, sandbox):
        """Where no picture teaches anything, a sentence says so."""
        with pytest.raises(GraderError, match=r"^There is no picture of 'questions': its answers"):
            picture(COURSE, "questions", sample("perfect"), sandbox)


def graded(submission, sandbox, *exercises):
    """The report on a submission in these exercises."""
    chosen = [CATALOG[name] for name in exercises]
    return next(grade_all(COURSE, chosen, [submission], sandbox, seed=1))


def pictures_of(report, submission, sandbox, *more):
    found = {e.name: picture_of(COURSE, e, submission, sandbox, *more) for e in report.exercises}
    return {name: picture for name, picture in found.items() if picture is not None}


class TestOfAReport:
    @pytest.fixture(autouse=True)
    def _needs_matplotlib(self):
        pytest.importorskip("matplotlib")

    def test_what_lost_points_is_drawn(self, sandbox):
        """Not what is right, not what was not handed in, and nothing that has no picture."""
        right = sample("perfect").files
        files = {"softmax": sample("wrong_axis").files["softmax"], "residual": right["residual"]}
        files["parameter_counts"] = "def linear_layer():\n    return 0\n"
        submission = Submission("m", "m", files)
        report = graded(submission, sandbox, "softmax", "residual", "masks", "parameter_counts")
        pictures = pictures_of(report, submission, sandbox)

        assert [e.name for e in report.exercises if e.score < e.max_score] == [
            "softmax", "masks", "parameter_counts",
        ]  # fmt: skip
        assert list(pictures) == ["softmax"]
        assert b"IEND" in dict(chunks(pictures["softmax"].png))

    def test_a_picture_that_fails_costs_only_itself(self, sandbox, monkeypatch):
        """It is missing, the others are there, and it is said why."""

        def fails(title, *rest):
            if title == CATALOG["softmax"].title:
                raise OverflowError("too much ink")
            return b"PNG"

        monkeypatch.setattr("grader.pictures.draw", fails)
        untouched, told = sample("untouched"), []
        report = graded(untouched, sandbox, "softmax", "residual")
        pictures = pictures_of(report, untouched, sandbox, lambda *said: told.append(said))

        assert list(pictures) == ["residual"]
        assert told == [("softmax", "OverflowError: too much ink")]

    def test_what_hangs_and_crashes_is_drawn_as_words(self, sandbox, monkeypatch):
        """One that never ends is waited for once; who comes next is drawn as always."""
        monkeypatch.setattr("grader.pictures.seen.SECONDS", 0.5)
        text = "import os\ndef softmax(*args):\n    os._exit(0)\n"
        text += "def log_softmax(*args):\n    while True: pass\n"
        bad = Submission("bad", "bad", {"softmax": text})
        verdicts = (Verdict(Check("softmax", "t", "It is."), Outcome.TIMEOUT),)
        report = replace(REPORT, exercises=(ExerciseReport("softmax", verdicts),))
        words = " ".join(pictures_of(report, bad, sandbox)["softmax"].lines)
        after = pictures_of(report, sample("wrong_axis"), sandbox)["softmax"]

        assert words.count("ended its own process") == 2
        assert words.count("No answer within") == 1
        assert words.count("Left out: mend the one that never ends first.") == 2
        assert any("Differs by up to" in line for line in after.lines)


class TestDrawing:
    @pytest.fixture(autouse=True)
    def _needs_matplotlib(self):
        pytest.importorskip("matplotlib")

    @pytest.mark.parametrize("exercise", SCENES)
    def test_is_a_png(self, exercise, perfect):
        """Whole, and 980 pixels wide: 80 mm at 311 dots per inch."""
        image = drawn(CATALOG[exercise], SCENES[exercise], perfect(exercise))
        kinds = dict(chunks(image))
        width, height = struct.unpack(">II", kinds[b"IHDR"][:8])

        assert image.startswith(b"\x89PNG\r\n\x1a\n")
        assert b"IEND" in kinds
        assert width == 980
        assert 400 < height < 2500

    @pytest.mark.parametrize("exercise", ["feed_forward", "hand_weights"])
    def test_of_a_stub_is_one_too(self, exercise, sandbox):
        """The same function, start to end, for curves and for maps."""
        image = picture(COURSE, exercise, sample("untouched"), sandbox).png

        assert b"IEND" in dict(chunks(image))

    def test_says_the_same_in_words(self, sandbox):
        """For each panel its title with a sign, and its verdict; lines can be spoken of otherwise,
        and then stand in the picture as well.
        """
        untouched = sample("untouched")
        plain = picture(COURSE, "softmax", untouched, sandbox)
        other = picture(COURSE, "softmax", untouched, sandbox, lambda place: "cell 3")

        assert [title[:2] for title, _ in plain.panels] == ["✗ "] * len(SCENES["softmax"].panels)
        assert "softmax.py, line" in plain.lines[1]
        assert "softmax.py" not in other.lines[1]
        assert "cell 3 still holds" in other.lines[1]
        assert plain.png != other.png

    def test_is_the_same_every_time(self, sandbox):
        """Nothing in it is random, and no date is kept."""
        first, second = (picture(COURSE, "dropout", sample("perfect"), sandbox) for _ in range(2))

        assert first == second

    @pytest.mark.parametrize("huge", [1e9, float("nan"), float("inf"), -5.0])
    def test_bears_any_numbers(self, huge, perfect):
        """NaN, infinity, far too large and negative ones."""
        for exercise in ("softmax", "masks", "heads"):
            wild = [replace(o, yours=np.full_like(o.expected, huge)) for o in perfect(exercise)]

            assert drawn(CATALOG[exercise], SCENES[exercise], wild)

    def test_words_are_drawn_as_they_are(self, perfect):
        """Neither mathematics between dollar signs nor letters that the font lacks stop it."""
        words = "$\\frac{ 漢字 \x07" + "x" * 500
        odd = [replace(one, yours=None, why=words) for one in perfect("dropout")]

        assert drawn(CATALOG["dropout"], SCENES["dropout"], odd)


def test_hidden_inputs_are_not_drawn():
    """Scenes know nothing of the suites."""
    folder = Path(COURSE.root) / "grader" / "pictures"
    texts = [path.read_text(encoding="utf-8") for path in folder.rglob("*.py")]

    assert not any("suites" in text for text in texts)
