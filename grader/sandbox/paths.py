"""Where Python's own code lies: all that a worker may read, and how one is started with it."""

from __future__ import annotations

import importlib.util
import os
import site
import sys
import sysconfig
from pathlib import Path

CODE = Path(__file__).resolve().parents[2]
QUIET_ENVIRONMENT = {
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "OMP_THREAD_LIMIT": "1",  # whatever a submission asks for
    "LC_ALL": "C.UTF-8",
    "PYTHONHASHSEED": "0",  # a set has the same order in every worker of every run
}
# glibc asks the kernel for pages of 2 MiB where there are such: a fork copies one entry, not 512,
# and a worker's large tensors are there after a few faults. Whether there are says the folder.
LARGE_PAGES = "glibc.malloc.hugetlb=1"
LARGE_PAGES_FOLDER = "/sys/kernel/mm/transparent_hugepage"
_SYSTEM_LIBRARIES = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache")
_PACKAGES = ("torch", "numpy", "jaxtyping")


def library_folders() -> list[str]:
    """Where Python and its packages live: all that a worker may read."""
    stdlib = sysconfig.get_path("stdlib")
    folders = [stdlib, sysconfig.get_path("purelib"), sysconfig.get_path("platlib")]
    endings = ("site-packages", "dist-packages", "lib-dynload")
    folders += [path for path in sys.path if path.endswith(endings)]
    folders += [site.getusersitepackages()]
    for package in _PACKAGES:
        spec = importlib.util.find_spec(package)
        if spec is not None and spec.origin is not None:
            folders.append(str(Path(spec.origin).parents[1]))
    unique = dict.fromkeys(os.path.abspath(folder) for folder in folders)
    return [f for f in unique if os.path.isdir(f) and not _holds_secrets(f)]


def _holds_secrets(folder: str) -> bool:
    """A folder above a checkout's suites must never be readable to a worker."""
    suites = CODE / "grader" / "suites"
    return suites.exists() and Path(folder).resolve() in [CODE, *suites.resolve().parents]


def readable_paths() -> list[str]:
    """Libraries of Python and of the system."""
    base = os.path.join(sys.base_prefix, "lib")
    paths = [*library_folders(), base, *_SYSTEM_LIBRARIES]
    return [path for path in paths if os.path.exists(path) and not _holds_secrets(path)]


def gpu_nodes() -> list[str]:
    """The device nodes that CUDA computes with, what its driver reads, and where its libraries may
    lie outside the system's folders.
    """
    kinds = ("nvidia[0-9]*", "nvidiactl", "nvidia-uvm", "nvidia-caps")
    nodes = sorted(str(path) for kind in kinds for path in Path("/dev").glob(kind))
    told = ["driver", "devices", "modules", "meminfo", "cpuinfo", "sys/vm/mmap_min_addr"]
    libraries = ["/usr/local/nvidia", "/usr/local/cuda"]
    libraries += os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep)
    found = [path for path in libraries if os.path.isdir(path)]
    return [*nodes, "/sys", *(f"/proc/{name}" for name in told), *found]


def python_command(entry: str, *arguments: object) -> list[str]:
    """A command that runs ``grader.sandbox.<entry>.main(*arguments)`` with our import path, and
    heeds no variable of Python's but those of ``QUIET_ENVIRONMENT``: its caller hands on no others.
    """
    path = [*library_folders(), str(CODE)]
    program = (
        f"import sys; sys.path[:] = {path!r}; "
        f"from grader.sandbox.{entry} import main; main(*{arguments!r})"
    )
    return [os.path.realpath(sys.executable), "-s", "-P", "-S", "-B", "-c", program]
