"""A run's settings outlive whatever ends it: above all its seed, which nobody else knows."""

from __future__ import annotations

from dataclasses import replace

import pytest

from grader.errors import GraderError, ReportError
from grader.model import Conditions
from grader.runs.settings import FILE, Settings, read_settings, seed_of, write_settings

SUITES = {"softmax": "sha256:a", "masks": "sha256:b", "heads": "sha256:c"}
CONDITIONS = Conditions(
    1 << 127, "full", ("seccomp",), ("cpu", "cuda"), {"torch": "2"}, SUITES, {"memory_mib": 1024}
)
SETTINGS = Settings(CONDITIONS, ("softmax", "masks"))


def with_conditions(**changes):
    return Settings(replace(CONDITIONS, **changes), SETTINGS.exercises)


class TestSettings:
    def test_come_back_as_they_were(self, tmp_path):
        """A seed of 128 bits to the last of them."""
        write_settings(SETTINGS, tmp_path / "new")

        assert read_settings(tmp_path / "new") == SETTINGS

    def test_need_not_be_there(self, tmp_path):
        """In a new folder."""
        assert read_settings(tmp_path) is None

    @pytest.mark.parametrize("text", ["", "{", "[]", '{"schema": "settings/v1"}', '{"seed": 1}'])
    def test_that_are_damaged_are_told(self, tmp_path, text):
        """A new seed drawn in silence would split the class."""
        (tmp_path / FILE).write_text(text)

        with pytest.raises(ReportError, match="It holds the seed of this run"):
            read_settings(tmp_path)

    def test_with_a_seed_that_is_none_are_told(self, tmp_path):
        """A text would be taken for another seed than the number."""
        write_settings(with_conditions(seed="7"), tmp_path)

        with pytest.raises(ReportError, match="It holds the seed of this run"):
            read_settings(tmp_path)


class TestTwo:
    @pytest.mark.parametrize(
        ("other", "what"),
        [
            (with_conditions(seed=1), "seed"),
            (with_conditions(isolation="process"), "isolation"),
            (with_conditions(devices=("cpu",)), "devices"),
            (with_conditions(suites=SUITES | {"masks": "sha256:d"}), "suites (masks)"),
            (with_conditions(suites={}), "suites (softmax, masks)"),
            (with_conditions(versions={"torch": "3"}), "versions"),
            (with_conditions(limits={"memory_mib": 2048}), "limits"),
            (Settings(CONDITIONS, ("softmax",)), "exercises"),
        ],
    )
    def test_differ_in_what_a_mark_may_depend_on(self, other, what):
        """And say in what."""
        assert SETTINGS.differ_from(other) == (what,)

    def test_may_have_other_suites_elsewhere(self):
        """That of an exercise which neither has."""
        assert SETTINGS.differ_from(with_conditions(suites=SUITES | {"heads": "new"})) == ()

    def test_may_have_other_layers(self):
        """Bubblewrap was installed meanwhile: no mark depends on it."""
        assert SETTINGS.differ_from(with_conditions(layers=("seccomp", "bubblewrap"))) == ()


class TestTheSeed:
    def test_is_the_run_s(self):
        """Also where it is said once more."""
        assert seed_of(SETTINGS, None) == seed_of(SETTINGS, 1 << 127) == 1 << 127

    def test_is_never_exchanged(self):
        """What to do is said, and the seed itself is not."""
        with pytest.raises(GraderError, match="Leave --seed out") as raised:
            seed_of(SETTINGS, 5)

        assert str(1 << 127) not in str(raised.value)

    def test_of_a_new_run_is_the_one_asked_for(self):
        """Zero is one as well."""
        assert seed_of(None, 0) == 0

    def test_of_a_new_run_is_drawn(self):
        """Each time another one."""
        assert seed_of(None, None) != seed_of(None, None)
