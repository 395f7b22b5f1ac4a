"""The reference server as a separate process."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.server_process import ServerProcess

_READY = "Listening on "
both_generations = pytest.mark.parametrize("generation", [5, 6])


@contextmanager
def started(database: Path | str, *options: str) -> Iterator[tuple[ServerProcess, str]]:
    """A server on a database with its address; it is killed at the end of the block."""
    with start(database, *options) as process:
        try:
            yield process, address(process)
        finally:
            process.kill()


@contextmanager
def serving(database: Path | str, *options: str) -> Iterator[str]:
    """The address of a server on a database; it ends cleanly with the block."""
    with started(database, *options) as (process, url):
        yield url
        process.stdin.close()
        assert process.wait(60) == 0


def start(database: Path | str, *options: str) -> ServerProcess:
    """Starts a server on a database, which may not listen yet; the caller must end it."""
    # The last option has precedence, so that callers may choose a port.
    return ServerProcess(["--port", "0", "--database", str(database), "--exit-with-stdin", *options])


def address(process: ServerProcess) -> str:
    """The address of a server after it has started listening; an empty string if it has ended."""
    return process.stdout.readline().removeprefix(_READY).strip()
