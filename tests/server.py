"""The reference server as a process of its own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_READY = "Listening on "


@contextmanager
def started(file: Path, *options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A server on a database file with its address; it is killed at the end of the block."""
    # The last option counts, so that somebody may ask for a port.
    place = ("--port", "0", "--database", str(file), "--exit-with-stdin")
    command = (sys.executable, "-m", "server_stub", *place, *options)
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process, process.stdout.readline().removeprefix(_READY).strip()
        finally:
            process.kill()


@contextmanager
def serving(file: Path, *options: str) -> Iterator[str]:
    """The address of a server on a database file; it ends cleanly with the block."""
    with started(file, *options) as (process, url):
        yield url
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(20) == 0
