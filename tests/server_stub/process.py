"""Starts `cdb-server` as a child process; knows no call."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

COMMAND = [sys.executable, "-m", "server_stub"]


@contextmanager
def running(*arguments: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A server on a free port and its base URL; killed if the test left it running."""
    with subprocess.Popen(
        [*COMMAND, "--port", "0", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as child:
        assert child.stdout is not None
        try:
            yield child, child.stdout.readline().removeprefix("Listening on ").strip()
        finally:
            child.kill()


def refused(*arguments: str) -> subprocess.CompletedProcess[str]:
    """A server that must not start."""
    return subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, check=False, timeout=30)


def signal_end(child: subprocess.Popen[str]) -> str:
    """Ends a server as an administrator does; answers what it wrote to stderr meanwhile."""
    child.send_signal(signal.SIGTERM)
    _, errors = child.communicate(timeout=60)
    assert child.returncode == 0, errors
    return errors
