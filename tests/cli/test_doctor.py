"""`grader doctor`: what protects this machine, and what to do about the rest."""

from __future__ import annotations

import os
import re

import pytest

from grader.cli import doctor
from grader.sandbox import bubblewrap, cgroup, container, landlock

ALL = ("process", "limits", "cgroup", "landlock", "seccomp", "bubblewrap")


@pytest.fixture(scope="module")
def examined(grader):
    return grader("doctor")


class TestDoctor:
    def test_says_of_every_layer_whether_it_holds(self, examined, sandbox):
        """As the sandbox itself reports them."""
        said = dict(re.findall(r"^(\w+) +(yes|no) ", examined.stdout, re.M))

        assert said == {name: "yes" if name in sandbox.layers else "no" for name in ALL}

    def test_succeeds_where_marks_may_be_given(self, examined, sandbox):
        """A script can ask it before it grades."""
        assert examined.returncode == (0 if sandbox.isolation == "full" else 1)
        assert examined.stderr == ""

    def test_measures_a_worker(self, examined):
        """In milliseconds, and it takes less than a second."""
        (found,) = re.findall(r"answers in ([\d.]+) ms", examined.stdout)

        assert 0 < float(found) < 1000

    def test_fits_the_terminal(self, examined):
        """80 columns."""
        assert max(map(len, examined.stdout.splitlines())) <= 80

    def test_fails_without_full_isolation(self, monkeypatch, capsys):
        """And says what that means for marks."""

        class Portable:
            isolation, layers = "process", ("process",)

            def close(self):
                pass

        monkeypatch.setattr(doctor, "open_sandbox", Portable)
        monkeypatch.setattr(doctor, "worker_milliseconds", lambda sandbox: 1.0)

        assert doctor.doctor() == 1
        assert "--isolation process" in capsys.readouterr().out

    def test_names_what_bubblewrap_lacks(self, grader, tmp_path, monkeypatch):
        """Here it cannot be found."""
        for folder in os.environ["PATH"].split(os.pathsep):
            for tool in os.listdir(folder) if os.path.isdir(folder) else ():
                if tool != "bwrap" and not (tmp_path / tool).is_symlink():
                    (tmp_path / tool).symlink_to(os.path.join(folder, tool))
        monkeypatch.setenv("PATH", str(tmp_path))
        done = grader("doctor")

        assert "bubblewrap: it is not installed" in done.stdout


class TestAdvice:
    """One piece for each layer that is missing."""

    @pytest.fixture(autouse=True)
    def _on_linux(self, monkeypatch):
        monkeypatch.setattr(doctor.sys, "platform", "linux")
        monkeypatch.setattr(landlock, "version", lambda: 7)
        monkeypatch.setattr(container, "kind", lambda: "")

    def test_is_silent_where_all_is_well(self):
        """Nothing to do."""
        assert list(doctor.advice(ALL)) == []

    @pytest.mark.parametrize("layer", ["cgroup", "landlock", "seccomp", "bubblewrap"])
    def test_is_about_what_is_missing(self, layer):
        """And about nothing else."""
        (said,) = doctor.advice([name for name in ALL if name != layer])

        assert said.startswith(f"{layer}: ")

    def test_knows_which_kernels_do_more(self, monkeypatch):
        """An older Landlock holds files, and not yet signals."""
        monkeypatch.setattr(landlock, "version", lambda: 3)
        (said,) = doctor.advice(ALL)

        assert "version 3" in said

    @pytest.mark.parametrize(
        ("why", "what"),
        [("is not installed", "Install"), ("does not start: no", "user.max_user_namespaces")],
    )
    def test_tells_a_missing_program_from_a_forbidden_one(self, monkeypatch, why, what):
        """The one is installed, the other allowed."""
        monkeypatch.setattr(bubblewrap, "why_not", lambda: why)
        (said,) = doctor.advice([name for name in ALL if name != "bubblewrap"])

        assert why in said
        assert what in said

    @pytest.mark.parametrize("layer", ["landlock", "bubblewrap"])
    def test_knows_containers(self, monkeypatch, layer):
        """There the kernel is somebody else's, and so are the calls that it lets through."""
        monkeypatch.setattr(container, "kind", lambda: "Docker")
        monkeypatch.setattr(container, "may_administer", lambda: False)
        (said,) = doctor.advice([name for name in ALL if name != layer])

        assert "container" in said
        assert "sysctl" not in said

    def test_says_why_there_is_no_landlock(self, monkeypatch):
        """In the kernel's own way: an old one has none, a filter refuses it."""
        monkeypatch.setattr(landlock, "why_not", lambda: "somebody's filter refuses it")
        (said,) = doctor.advice([name for name in ALL if name != "landlock"])

        assert said.startswith("landlock: somebody's filter refuses it. ")

    def test_says_why_there_is_no_control_group(self, monkeypatch):
        """In the probe's own words."""
        monkeypatch.setattr(cgroup, "why_not", lambda: "version 2 is not mounted")
        (said,) = doctor.advice([name for name in ALL if name != "cgroup"])

        assert said.startswith("cgroup: version 2 is not mounted. ")

    def test_sends_others_to_a_virtual_machine(self, monkeypatch):
        """No layer of the kernel's is to be had elsewhere."""
        monkeypatch.setattr(doctor.sys, "platform", "darwin")
        (said,) = doctor.advice(["process"])

        assert "virtual machine" in said


class TestTheMachine:
    def test_is_said_to_be_a_container(self, monkeypatch):
        """By whom, and what is left in it."""
        monkeypatch.setattr(container, "kind", lambda: "Docker")
        monkeypatch.setattr(container, "filters_calls", lambda: True)
        monkeypatch.setattr(container, "may_administer", lambda: False)
        (said,) = [line for line in doctor.machine() if "container" in line]

        assert said == (
            "In a container (Docker), on its host's kernel. System calls are filtered by whoever "
            "started it; it lacks CAP_SYS_ADMIN."
        )

    def test_is_not_said_to_be_one_where_it_is_none(self, monkeypatch):
        """Nothing about containers then."""
        monkeypatch.setattr(container, "kind", lambda: "")

        assert [line for line in doctor.machine() if "container" in line] == []
