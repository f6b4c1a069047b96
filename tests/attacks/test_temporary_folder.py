"""A temporary folder is private and bounded, and no way out of it leads anywhere."""

from __future__ import annotations

import errno
import os

import pytest

from grader.errors import WorkerDied
from grader.sandbox import temporary
from tests.attacks.test_walls import NATIVE, REFUSALS, ask

FILL = """
import os, tempfile
def f():
    folder, made, kept = tempfile.gettempdir(), 0, []
    try:
        while made < 3000:
            {step}
            made += 1
    except OSError as error:
        return made, error.errno
    return made, 0
"""


@pytest.mark.parametrize(
    "walls", ["all of them", "all but bubblewrap", "those for a GPU"], indirect=True
)
class TestATemporaryFolder:
    """Of a worker with a mount of its own, with bubblewrap and without."""

    @pytest.fixture(autouse=True)
    def _mounted(self, sandbox):
        if sandbox._zygote._folder:
            pytest.skip("this kernel lets nobody have mounts of their own: the folder is watched")

    def test_is_there_for_ordinary_use(self, load):
        """Files, folders and temporary ones, without a note."""
        session = load(
            "import os, shutil, tempfile\n"
            "def f():\n"
            " with tempfile.TemporaryDirectory() as t:\n"
            "  open(t + '/a', 'w').write('b')\n"
            "  os.makedirs(t + '/b/c')\n"
            "  os.rename(t + '/a', t + '/d')\n"
            "  shutil.copyfile(t + '/d', t + '/e')\n"
            "  found = sorted(os.listdir(t))\n"
            " with tempfile.TemporaryFile() as file: file.write(b'x')\n"
            " with tempfile.NamedTemporaryFile() as file: file.write(b'x')\n"
            " return found, os.listdir(tempfile.gettempdir())"
        )

        assert ask(session, "f")["value"] == (["b", "d", "e"], [])
        assert session.refused == []

    @pytest.mark.parametrize(
        "step",
        [
            "open(f'{folder}/{made}', 'w').close()",
            "os.mkdir(f'{folder}/{made}')",
            "kept.append(os.open(f'{folder}/{made % 50}', os.O_CREAT | os.O_WRONLY));"
            " os.write(kept[-1], bytes(2 << 20)); os.remove(f'{folder}/{made % 50}')",
            "open(f'{folder}/{made}', 'wb').write(bytes(1 << 20))",
        ],
        ids=["files", "folders", "deleted and open", "bytes"],
    )
    def test_is_bounded(self, load, step):
        """No space is left after 64 MiB or 1,000 files, deleted ones that are open included."""
        made, code = ask(load(FILL.format(step=step)), "f")["value"]

        assert code == errno.ENOSPC
        assert made <= temporary.MAX_FILES

    def test_is_empty_for_the_next_one(self, load):
        """Also where somebody else has filled his at the same time."""
        step = "open(f'{folder}/{made}', 'w').close()"
        full = load(FILL.format(step=step))
        ask(full, "f")
        session = load("import os, tempfile\ndef f(): return os.listdir(tempfile.gettempdir())")

        assert ask(session, "f")["value"] == []
        assert not os.path.exists(f"{temporary.MOUNT_POINT}/1")

    @pytest.mark.parametrize(
        "expression",
        [
            "libc.symlink(b'/etc/passwd', b'{own}/mine')",
            "libc.link(b'{secret}', b'{own}/mine')",
            "libc.link(b'{own}/a', b'{own}/b')",
            "libc.mkfifo(b'{own}/mine', 0o600)",
            "libc.mknod(b'{own}/mine', 0o20666, 0x103)",
            "libc.rename(b'{secret}', b'{own}/mine')",
            "libc.rename(b'{own}/a', b'{folder}/mine')",
            "libc.open(b'{own}/../../etc/passwd', os.O_RDONLY)",
            "libc.open(b'{own}/../note', os.O_CREAT | os.O_WRONLY, 0o600)",
            "libc.mkdir(b'{own}/../mine', 0o700)",
            "libc.chmod(b'{own}/a', 0o777)",
            "libc.execv(b'{own}/a', (ctypes.c_char_p * 2)(b'a', None))",
            "libc.mount(b'none', b'{own}', b'tmpfs', 0, None)",
            "libc.umount2(b'{own}', 2)",
            "libc.unshare(0x10020000)",
            "libc.mkdirat(os.open('{own}', os.O_RDONLY), b'mine', 0o700)",
            "libc.openat(os.open('{own}', os.O_RDONLY), b'../..', os.O_RDONLY)",
        ],
    )
    def test_leads_nowhere(self, load, secret, expression):
        """No link, pipe, device, program or mount, and no way up."""
        places = {"own": temporary.MOUNT_POINT, "secret": secret, "folder": secret.parent}
        code = NATIVE.format(expression=expression.format(**places))
        session = load(
            code.replace("def f():", f"open({places['own'] + '/a'!r}, 'w').close()\ndef f():")
        )
        result, code = ask(session, "f")["value"]

        assert result == -1
        assert code in REFUSALS | {errno.EXDEV}, errno.errorcode.get(code, code)


class TestAWatchedFolder:
    """Where no worker can have a mount of its own: here one ordinary folder is looked at."""

    def test_is_overfull_by_files(self, tmp_path):
        """Folders count, in whichever folder they lie."""
        for number in range(temporary.MAX_FILES):
            (tmp_path / str(number)).mkdir()

        assert not temporary.is_overfull(str(tmp_path))

        (tmp_path / "0" / "one more").touch()

        assert temporary.is_overfull(str(tmp_path))

    def test_is_overfull_by_bytes(self, tmp_path):
        """In all files together; holes count as they look."""
        for name in "ab":
            (tmp_path / name).touch()
            os.truncate(tmp_path / name, temporary.MAX_BYTES // 2)

        assert not temporary.is_overfull(str(tmp_path))

        (tmp_path / "c").write_text("1")

        assert temporary.is_overfull(str(tmp_path))

    def test_is_removed_however_deep(self, tmp_path):
        """Deeper than Python recurses, up to the longest path there is."""
        top = path = str(tmp_path / "top")
        while len(path) < 4000:
            os.mkdir(path)
            open(f"{path}/file", "x").close()
            path += "/d"
        temporary.remove(top)

        assert not os.path.exists(top)

    def test_ends_who_puts_too_much_into_it(self):
        """With a status of its own, and without a trace; the next worker's is empty."""
        from grader.sandbox.process_sandbox import ProcessSandbox

        sandbox = ProcessSandbox()
        session = sandbox.open()
        session.allow_seconds(60)
        step = "open(f'{folder}/{made}', 'w').close()"
        text = FILL.format(step=step).replace("return made, 0", "import time; time.sleep(60)")
        session.load({"m": text + "\ndef g(): return tempfile.gettempdir()"}, "m")
        folder = ask(session, "g")["value"]
        with pytest.raises(WorkerDied):
            ask(session, "f")
        sandbox.close()

        assert session.how_it_ended() == ("exit", str(temporary.OVERFULL))
        assert not os.path.exists(folder)
