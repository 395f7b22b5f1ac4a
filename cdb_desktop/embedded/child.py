"""The server as a child process. Threads read its output: the address, and lines for its log."""

import logging
import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from concurrent.futures import Future
from contextlib import suppress
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import IO, Any

from cdb_desktop.foundation.bundle import NO_CONSOLE, neighbour_command

_READY = "Listening on "
_LOG_SIZE, _LOGS_KEPT = 500_000, 1
_NICENESS = 5
_WITHHELD = frozenset({"CDB_PASSWORD"})  # the desktop's own password for another service
_GRACE = 5.0  # seconds to exit after its input is closed, and again after terminate()


def server_program() -> tuple[str, ...]:
    """The command that runs the server's program, without its arguments."""
    return neighbour_command("cdb-server", "server_stub")


def environment() -> dict[str, str]:
    """The environment of the server's program."""
    return {name: value for name, value in os.environ.items() if name not in _WITHHELD}


def failure_text(errors: bytes, code: int | None) -> str:
    """Why the server's program has failed: the last line of its stderr, or its exit code."""
    lines = errors.decode("utf-8", "replace").strip().splitlines() or [str(code)]
    return lines[-1].removeprefix("cdb-server: ")


class Child:
    """A started server.

    The result of ``url`` is its address, or None if it ends before it listens; that of ``ended`` is its exit
    code.
    """

    def __init__(self, command: Sequence[str], log: Path, first_line: bytes = b"") -> None:
        """Starts the process and writes ``first_line`` to its standard input.

        Raises OSError if it cannot be started.
        """
        self.url: Future[str | None] = _uncancellable_future()
        self.ended: Future[int] = _uncancellable_future()
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            close_fds=True,
            creationflags=NO_CONSOLE,
            env=environment(),
        )
        # A process that has ended is reported by its exit code.
        with suppress(BrokenPipeError):
            entry = _pipe(self._process.stdin)
            entry.write(first_line)
            entry.flush()
        if sys.platform != "win32":
            # Both start at the same time, and the window matters more. No user may raise a priority again.
            niceness = max(_NICENESS, os.getpriority(os.PRIO_PROCESS, 0))
            os.setpriority(os.PRIO_PROCESS, self._process.pid, niceness)
        self._threads = [
            threading.Thread(target=self._read_address, name="server-stdout", daemon=True),
            threading.Thread(target=self._keep_log, args=(log,), name="server-stderr", daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    def stop(self) -> None:
        """Ends the process and waits: closes its input, then terminates it, then kills it."""
        _pipe(self._process.stdin).close()
        for insist in (self._process.terminate, self._process.kill):
            try:
                self._process.wait(_GRACE)
                break
            except subprocess.TimeoutExpired:
                insist()
        for thread in self._threads:
            thread.join(_GRACE)

    def _read_address(self) -> None:
        with _pipe(self._process.stdout) as lines:
            for line in lines:
                text = line.decode("utf-8", "replace").strip()
                if text.startswith(_READY) and not self.url.done():
                    self.url.set_result(text.removeprefix(_READY))
        if not self.url.done():
            self.url.set_result(None)
        self.ended.set_result(self._process.wait())

    def _keep_log(self, path: Path) -> None:
        file = RotatingFileHandler(path, maxBytes=_LOG_SIZE, backupCount=_LOGS_KEPT, encoding="utf-8")
        try:
            with _pipe(self._process.stderr) as lines:
                for line in lines:
                    text = line.decode("utf-8", "replace").rstrip()
                    file.handle(logging.makeLogRecord({"msg": text}))
        finally:
            file.close()


def _pipe(end: IO[bytes] | None) -> IO[bytes]:
    if end is None:
        raise ValueError("the process was started without this pipe")
    return end


def _uncancellable_future() -> Future[Any]:
    """A future that cannot be cancelled, since a thread sets its result."""
    future: Future[Any] = Future()
    future.set_running_or_notify_cancel()
    return future
