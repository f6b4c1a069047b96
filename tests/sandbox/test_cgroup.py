"""A worker's control group, in a folder that looks like the kernel's."""

from __future__ import annotations

import os
import shutil

import pytest

from grader.errors import SandboxError
from grader.sandbox import cgroup
from grader.sandbox.cgroup import Group, Groups, Limits

LIMITS = Limits(memory_mib=100, processes=1, cores=2)
FILES = {
    "cgroup.procs": "",
    "cgroup.type": "domain",
    "cgroup.kill": "",
    "cgroup.controllers": "cpu memory pids",
    "cgroup.subtree_control": "",
    "memory.max": "max",
    "memory.swap.max": "max",
    "memory.oom.group": "0",
    "memory.events": "low 0\nhigh 0\nmax 3\noom 1\noom_kill 0\noom_group_kill 0\n",
    "pids.max": "max",
    "cpu.max": "max 100000",
}


def fill(folder, without=()):
    """What the kernel does for a new group."""
    folder.mkdir()
    for name, text in FILES.items():
        if name not in without:
            (folder / name).write_text(text)


@pytest.fixture
def kernel(monkeypatch):
    """The kernel's part; ``kernel.busy`` are groups in which a process still ends."""

    class Kernel:
        without, busy = (), set()

    def take_away(folder):
        if folder.name in Kernel.busy:
            raise OSError("busy")
        shutil.rmtree(folder)

    monkeypatch.setattr(cgroup, "_make", lambda folder: fill(folder, Kernel.without))
    monkeypatch.setattr(cgroup, "_take_away", take_away)
    return Kernel


@pytest.fixture
def tree(tmp_path, kernel):
    """A mount, and this process alone in its group there."""
    mount, told = tmp_path / "mount", tmp_path / "told"
    fill(mount, without={"cgroup.type"})
    fill(mount / "own")
    (mount / "own" / "cgroup.procs").write_text(f"{os.getpid()}\n")
    told.write_text("3:cpuset:/elsewhere\n0::/own\n")
    return mount, told


@pytest.fixture
def group(tmp_path, kernel):
    return Group.create(tmp_path, "one", LIMITS)


def read(folder):
    return {path.name: path.read_text() for path in folder.iterdir() if path.is_file()}


class TestGroup:
    def test_has_the_limits(self, tmp_path, group):
        """Memory in bytes and no swap, processes, and processor time in each tenth of a second."""
        expected = {
            "memory.max": str(100 << 20),
            "memory.swap.max": "0",
            "memory.oom.group": "1",
            "pids.max": "1",
            "cpu.max": "200000 100000",
        }

        assert read(tmp_path / "one") == FILES | expected

    def test_leaves_unlimited_what_is_not_limited(self, tmp_path, kernel):
        """Memory and cores, for a GPU's driver."""
        Group.create(tmp_path, "one", Limits(None, 9, None))

        assert read(tmp_path / "one") == FILES | {"pids.max": "9", "memory.oom.group": "1"}

    def test_takes_a_process(self, tmp_path, group):
        """By its number."""
        group.add(1234)

        assert (tmp_path / "one" / "cgroup.procs").read_text() == "1234"

    def test_tells_who_was_killed_for_memory(self, tmp_path, group):
        """By the kernel's count, and not by how often the limit was met; also when it is gone."""
        before = group.oom_killed()
        events = FILES["memory.events"].replace("oom_kill 0", "oom_kill 1")
        (tmp_path / "one" / "memory.events").write_text(events)
        group.remove()

        assert (before, group.oom_killed()) == (False, True)

    def test_ends_what_is_in_it(self, tmp_path, group, kernel):
        """And goes, as soon as that has ended."""
        kernel.busy = {"one"}
        first = group.remove()
        told = (tmp_path / "one" / "cgroup.kill").read_text()
        kernel.busy = set()

        assert (first, told, group.remove()) == (False, "1", True)
        assert not (tmp_path / "one").exists()

    @pytest.mark.parametrize("file", ["memory.swap.max", "cpu.max", "memory.oom.group"])
    def test_does_without_what_a_kernel_lacks(self, tmp_path, kernel, file):
        """No swap is no loss, and cores are limited by the scheduler anyway."""
        kernel.without = {file}
        Group.create(tmp_path, "one", LIMITS)

        assert (tmp_path / "one" / "pids.max").read_text() == "1"

    @pytest.mark.parametrize("file", ["memory.max", "pids.max"])
    def test_is_not_made_without_what_it_is_for(self, tmp_path, kernel, file):
        """Nothing is left behind."""
        kernel.without = {file}
        with pytest.raises(FileNotFoundError):
            Group.create(tmp_path, "one", LIMITS)

        assert not (tmp_path / "one").exists()


class TestGroups:
    def test_are_made_below_ones_own(self, tree):
        """This process moves beside them: a group that is divided holds none itself."""
        mount, told = tree
        groups = Groups.here(LIMITS, mount, told)
        own = mount / "own"
        groups.of(77)
        (made,) = [path for path in own.iterdir() if path.name.startswith("grader-")]

        assert (own / "cgroup.subtree_control").read_text() == "+memory +pids +cpu"
        assert (own / "grader" / "cgroup.procs").read_text() == str(os.getpid())
        assert (made / "cgroup.procs").read_text() == "77"

    def test_are_made_again_by_one_that_has_moved(self, tree):
        """A second sandbox, or a process that this one started."""
        mount, told = tree
        Groups.here(LIMITS, mount, told)
        (mount / "own" / "cgroup.subtree_control").write_text("cpu memory pids")
        told.write_text("0::/own/grader\n")
        again = Groups.here(LIMITS, mount, told)
        again.of(78)

        assert any(
            (p / "cgroup.procs").read_text() == "78" for p in (mount / "own").glob("grader-*")
        )

    def test_are_made_at_the_root_without_moving(self, tree):
        """The root alone may hold processes and be divided."""
        mount, told = tree
        told.write_text("0::/\n")
        Groups.here(LIMITS, mount, told).of(79)

        assert not (mount / "grader").exists()

    def test_go_later_when_they_are_busy(self, tree, kernel):
        """With the next one, or in the end."""
        mount, told = tree
        groups = Groups.here(LIMITS, mount, told)
        group = groups.of(77)
        (made,) = (mount / "own").glob("grader-*")
        kernel.busy = {made.name}
        groups.remove(group)
        still = made.exists()
        kernel.busy = set()
        groups.close()

        assert (still, made.exists()) == (True, False)

    def test_say_when_the_kernel_refuses_a_process(self, tree, kernel):
        """It has ended meanwhile, perhaps."""
        mount, told = tree
        groups = Groups.here(LIMITS, mount, told)
        kernel.without = {"cgroup.procs"}
        with pytest.raises(SandboxError, match="could not be put into a control group"):
            groups.of(77)


class TestWhereTheyMayNotBeMade:
    """Then there are none, and `grader doctor` says why."""

    def test_version_1(self, tree):
        """Other controllers are mounted, or none."""
        mount, told = tree
        (mount / "cgroup.controllers").unlink()
        self.none_are_made(tree, f"version 2 is not mounted at {mount}")

    def test_no_controllers(self, tree):
        """They belong to version 1, or were not handed down."""
        mount, told = tree
        (mount / "own" / "cgroup.controllers").write_text("cpu\n")
        self.none_are_made(tree, "its group has no memory and no pids controller")

    def test_no_group(self, tree):
        """This process is in groups of version 1 only."""
        tree[1].write_text("4:memory:/a\n")
        self.none_are_made(tree, "this process has no group of version 2")

    def test_a_group_with_others(self, tree):
        """A login session: other people's processes are not moved."""
        mount, told = tree
        (mount / "own" / "cgroup.procs").write_text(f"1\n{os.getpid()}\n")
        self.none_are_made(tree, "other processes are in its group")

    @pytest.mark.skipif(os.getuid() == 0, reason="everything is root's")
    def test_a_group_of_somebody_else(self, tree):
        """Not delegated."""
        mount, told = tree
        (mount / "own" / "cgroup.procs").chmod(0o444)
        self.none_are_made(tree, "its group belongs to somebody else")

    def none_are_made(self, tree, why):
        mount, told = tree

        assert cgroup.why_not(mount, told) == why
        assert Groups.here(LIMITS, mount, told) is None
        assert not (mount / "own" / "grader").exists()


def test_this_machine_is_probed(sandbox):
    """What is said to be in force is what the probe finds."""
    if cgroup.why_not():
        assert "cgroup" not in sandbox.layers
