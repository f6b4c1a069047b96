"""Jobs on several machines: the workers of a Dask scheduler.

Source: Dask distributed, ``Client.get_executor``, https://distributed.dask.org/en/stable/api.html.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from concurrent.futures import CancelledError
from typing import Any

from grader import DISTRIBUTION
from grader.backends.in_flight import Place
from grader.errors import GraderError

CONNECT_SECONDS = 10


@contextlib.contextmanager
def scheduled(address: str) -> Iterator[Place]:
    """The workers of the scheduler at ``address``, however many there are from time to time.

    The jobs of a worker that dies are done by another one; one that was with several that died, as
    the scheduler's setting ``allowed-failures`` has it, is lost. What is still running when the
    block is left is not waited for. Raises ``GraderError`` where distributed is not installed, or
    no scheduler is there any more.
    """
    client, killed = _connected(address)
    # without `pure`, the same job asked twice is done twice, and its arguments are not hashed
    executor = client.get_executor(pure=False)
    try:
        yield Place(executor, lambda: sum(client.nthreads().values()), (killed,))
    except CancelledError:
        raise GraderError(f"The scheduler at {address} has gone, or has cancelled this.") from None
    finally:
        executor.shutdown(wait=False)
        client.close()


def _connected(address: str) -> tuple[Any, type[Exception]]:
    try:
        from distributed import Client
        from distributed.scheduler import KilledWorker
    except ImportError:
        raise GraderError(
            "--scheduler needs Dask distributed, here and on every worker: "
            f"pip install '{DISTRIBUTION}[distributed]'."
        ) from None
    try:
        client = Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        raise GraderError(f"No scheduler answers at {address}: {error}") from None
    return client, KilledWorker
