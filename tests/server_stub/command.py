"""Runs `cdb-server` as a child process, or in this process if the command ends by itself."""

import logging
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from io import BytesIO, StringIO, TextIOWrapper

from server_stub.__main__ import main
from tests.server_process import ServerProcess

COMMAND = [sys.executable, "-m", "server_stub"]


@contextmanager
def running(*arguments: str) -> Iterator[tuple[ServerProcess, str]]:
    """A server on a free port and its base URL; it is killed if it still runs at the end."""
    with ServerProcess(["--port", "0", *arguments], subprocess.PIPE) as child:
        try:
            yield child, child.stdout.readline().removeprefix("Listening on ").strip()
        finally:
            child.kill()


def refused(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs a server that must not start."""
    return subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, check=False, timeout=30)


def called(*arguments: str, typed: str = "") -> subprocess.CompletedProcess[str]:
    """The exit code and output of a command that starts no server.

    It runs in this process, where its libraries are already loaded. `refused` checks that a process exits
    with the result of its main function.
    """
    out, errors = StringIO(), StringIO()
    with _standard_input(typed), _own_logging(), redirect_stdout(out), redirect_stderr(errors):
        try:
            code = main(list(arguments))
        except SystemExit as end:
            code = int(str(end.code))
    return subprocess.CompletedProcess([*arguments], code, out.getvalue(), errors.getvalue())


@contextmanager
def _standard_input(text: str) -> Iterator[None]:
    before, sys.stdin = sys.stdin, TextIOWrapper(BytesIO(text.encode()))
    try:
        yield
    finally:
        sys.stdin = before


@contextmanager
def _own_logging() -> Iterator[None]:
    """Restores pytest's logging after the command has set up its own."""
    root = logging.getLogger()
    level, handlers = root.level, root.handlers[:]
    root.handlers.clear()
    try:
        yield
    finally:
        root.setLevel(level)
        root.handlers[:] = handlers


def signal_end(child: ServerProcess) -> str:
    """Ends a server with a signal; returns what it wrote to stderr."""
    child.send_signal(signal.SIGTERM)
    _, errors = child.communicate(timeout=60)
    assert child.returncode == 0, errors
    return errors
