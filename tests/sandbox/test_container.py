"""Whether this is a container, and what is left to us in it."""

from __future__ import annotations

import pytest

from grader.sandbox.container import filters_calls, kind, may_administer

DISK = "22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda1 rw\n"
LAYERS = "700 600 0:50 / / rw,relatime master:1 - overlay overlay rw,lowerdir=/a:/b\n"
LAYERS_ELSEWHERE = "31 22 0:60 / /mnt/x rw - overlay overlay rw,lowerdir=/a:/b\n"


@pytest.fixture
def machine(tmp_path):
    """``machine({path: text})``: a root with these files."""

    def machine(**files):
        for name, text in files.items():
            path = tmp_path / name.replace("__", "/")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return tmp_path

    return machine


class TestTheKind:
    def test_is_none_on_a_machine(self, machine):
        """A disk of its own, also where others have mounted layers."""
        root = machine(proc__self__mountinfo=DISK + LAYERS_ELSEWHERE)

        assert kind(root, {}) == ""

    @pytest.mark.parametrize(
        ("file", "maker"), [(".dockerenv", "Docker"), ("run/.containerenv", "Podman")]
    )
    def test_is_known_by_what_its_maker_leaves(self, tmp_path, file, maker):
        """Each leaves a file of its own."""
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).touch()

        assert kind(tmp_path, {}) == maker

    @pytest.mark.parametrize(
        ("environment", "maker"),
        [({"container": "lxc"}, "lxc"), ({"KUBERNETES_SERVICE_HOST": "10.0.0.1"}, "Kubernetes")],
    )
    def test_is_known_by_what_it_is_told(self, tmp_path, environment, maker):
        """In its environment."""
        assert kind(tmp_path, environment) == maker

    def test_may_be_unknown(self, machine):
        """Layers as the root: an image, whoever unpacked it."""
        assert kind(machine(proc__self__mountinfo=LAYERS), {}) == "unknown"

    def test_is_none_where_nothing_can_be_read(self, tmp_path):
        """As on a system without /proc."""
        assert kind(tmp_path, {}) == ""


class TestWhatIsLeft:
    @pytest.mark.parametrize(("mode", "filtered"), [("0", False), ("2", True)])
    def test_a_filter_is_seen(self, machine, mode, filtered):
        """Mode 2: a program decides over every call."""
        root = machine(proc__self__status=f"Name:\tx\nSeccomp:\t{mode}\n")

        assert filters_calls(root) == filtered

    @pytest.mark.parametrize(
        ("powers", "may"),
        [("000001ffffffffff", True), ("00000000a80425fb", False), ("", False)],
        ids=["all", "Docker's", "not told"],
    )
    def test_powers_are_seen(self, machine, powers, may):
        """CAP_SYS_ADMIN is number 21; Docker gives 14 others."""
        assert may_administer(machine(proc__self__status=f"CapEff:\t{powers}\n")) == may
