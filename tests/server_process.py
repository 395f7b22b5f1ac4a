"""`cdb-server` as a child process with preloaded modules.

Loading modules takes most of the start, and tests start the server some two hundred times, so it is forked
off a process that has loaded them. Starts of real processes are tested with
`tests.server_stub.command.refused`, in `tests/desktop/embedded`, and by tests of the whole desktop.
"""

import multiprocessing
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from multiprocessing.connection import wait
from multiprocessing.reduction import DupFd
from pathlib import Path
from threading import Lock, Thread
from types import TracebackType
from typing import IO, Any, Self

from server_stub.__main__ import main
from tests.demo_files import create_demo_of

_SPAWNING = multiprocessing.get_context("forkserver")
# The others are only loaded by a server that starts serving, commits a schema, or uses PostgreSQL.
_SPAWNING.set_forkserver_preload(
    ["tests.server_process", "server_stub.database.engine", "alembic.migration", "psycopg"]
)


class _Passed:
    """A file descriptor that is passed to the child."""

    def __init__(self, number: int) -> None:
        self._number = number

    def __reduce__(self) -> tuple[Any, ...]:
        return _number_of, (DupFd(self._number),)


def _number_of(passed: Any) -> int:
    return int(passed.detach())


def _run(arguments: list[str], environment: dict[str, str], folder: str, ends: list[int | None]) -> None:
    """Runs the program in the child, as a shell would start it."""
    for standard, end in enumerate(ends):
        if end is not None:
            os.dup2(end, standard)
            os.close(end)
    sys.stdin, sys.stdout, sys.stderr = os.fdopen(0), os.fdopen(1, "w"), os.fdopen(2, "w")
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.argv = ["cdb-server", *arguments]
    sys.exit(main())


class ServerProcess:
    """A subset of `subprocess.Popen` for ``cdb-server``, with pipes for text, or for bytes in ``mode`` "b".

    The demo with some number of events is a copy of one that was created before.
    ``errors`` is the target of stderr: a pipe, a file, or by default that of the tests.
    """

    # An exit code can be read once; starting a process reads those of all that have ended.
    _reading = Lock()

    def __init__(
        self,
        arguments: Sequence[str],
        errors: IO[str] | int | None = None,
        environment: Mapping[str, str] = os.environ,
        mode: str = "",
    ) -> None:
        create_demo_of(arguments)
        theirs_in, ours_in = os.pipe()
        ours_out, theirs_out = os.pipe()
        ours_err, theirs_err = os.pipe() if errors == subprocess.PIPE else (None, _number(errors))
        theirs = [theirs_in, theirs_out, theirs_err]
        self.stdin: IO[str] = os.fdopen(ours_in, f"w{mode}")
        self.stdout: IO[str] = os.fdopen(ours_out, f"r{mode}")
        self.stderr: IO[str] | None = None if ours_err is None else os.fdopen(ours_err, f"r{mode}")
        ends = [None if end is None else _Passed(end) for end in theirs]
        given = (list(arguments), dict(environment), str(Path.cwd()), ends)
        self._process = _SPAWNING.Process(target=_run, args=given, name="cdb-server")
        with self._reading:
            self._process.start()
        for end in (theirs_in, theirs_out, *([theirs_err] if self.stderr else [])):
            assert end is not None
            os.close(end)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()
        self.wait()

    @property
    def pid(self) -> int:
        """The process id."""
        assert self._process.pid is not None
        return self._process.pid

    @property
    def returncode(self) -> int | None:
        """The exit code, negative after a signal; None while it runs."""
        with self._reading:
            return self._process.exitcode

    def poll(self) -> int | None:
        """Returns `returncode`."""
        return self.returncode

    def send_signal(self, number: signal.Signals) -> None:
        """Sends a signal, unless the process has ended."""
        if self.returncode is None:
            # The process that forked it may notice its end earlier than this one.
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def kill(self) -> None:
        """Kills the process with SIGKILL."""
        self.send_signal(signal.SIGKILL)

    def terminate(self) -> None:
        """Ends the process with SIGTERM."""
        self.send_signal(signal.SIGTERM)

    def wait(self, timeout: float | None = None) -> int:
        """Returns the exit code. Raises subprocess.TimeoutExpired after ``timeout`` seconds."""
        if not wait([self._process.sentinel], timeout):
            raise subprocess.TimeoutExpired("cdb-server", timeout or 0)
        code = self.returncode
        assert code is not None
        return code

    def communicate(self, timeout: float | None = None) -> tuple[str, str]:
        """Closes standard input and waits; returns stdout and stderr. Raises like `wait`."""
        self.stdin.close()
        output = {"out": "", "errors": ""}

        def read(name: str, stream: IO[str]) -> None:
            output[name] = stream.read()

        streams = {"out": self.stdout, "errors": self.stderr}
        readers = [Thread(target=read, args=one, daemon=True) for one in streams.items() if one[1]]
        for reader in readers:
            reader.start()
        self.wait(timeout)
        for reader in readers:
            reader.join()
        self._close()
        return output["out"], output["errors"]

    def _close(self) -> None:
        for stream in (self.stdin, self.stdout, self.stderr):
            if stream is not None:
                stream.close()


def _number(errors: IO[str] | int | None) -> int | None:
    return errors if errors is None or isinstance(errors, int) else errors.fileno()
