"""`cdb-server` as a child process whose modules are loaded already.

Loading them is nearly all that a start costs, and the tests start it some two hundred times: it is forked
off a process that has done nothing but that. What only a program started from nothing shows is for
`tests.server_stub.command.refused` and the desktop's own starts.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from multiprocessing.reduction import DupFd
from pathlib import Path
from threading import Thread
from types import TracebackType
from typing import IO, Any, Self

from server_stub.__main__ import main

_SPAWNING = multiprocessing.get_context("forkserver")
# The second is what only a server that begins to serve loads.
_SPAWNING.set_forkserver_preload(["tests.server_process", "server_stub.database.engine"])


class _Passed:
    """A file descriptor on its way to the child."""

    def __init__(self, number: int) -> None:
        self._number = number

    def __reduce__(self) -> tuple[Any, ...]:
        return _number_of, (DupFd(self._number),)


def _number_of(passed: Any) -> int:
    return int(passed.detach())


def _run(arguments: list[str], environment: dict[str, str], folder: str, ends: list[int | None]) -> None:
    """In the child: becomes the program that a shell would have started."""
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
    """As far as tests need one, a `subprocess.Popen` of ``cdb-server``, with pipes that speak text.

    ``errors`` is where its stderr goes: a pipe, a file, or that of the tests.
    """

    def __init__(self, arguments: Sequence[str], errors: IO[str] | int | None = None) -> None:
        theirs_in, ours_in = os.pipe()
        ours_out, theirs_out = os.pipe()
        ours_err, theirs_err = os.pipe() if errors == subprocess.PIPE else (None, _number(errors))
        theirs = [theirs_in, theirs_out, theirs_err]
        self.stdin = os.fdopen(ours_in, "w")
        self.stdout = os.fdopen(ours_out)
        self.stderr = None if ours_err is None else os.fdopen(ours_err)
        ends = [None if end is None else _Passed(end) for end in theirs]
        given = (list(arguments), dict(os.environ), str(Path.cwd()), ends)
        self._process = _SPAWNING.Process(target=_run, args=given, name="cdb-server")
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
        """Its number at the system."""
        assert self._process.pid is not None
        return self._process.pid

    @property
    def returncode(self) -> int | None:
        """None while it runs; less than 0 where a signal ended it."""
        return self._process.exitcode

    def poll(self) -> int | None:
        """`returncode` of now."""
        return self.returncode

    def send_signal(self, number: signal.Signals) -> None:
        """Nothing happens where it has ended."""
        if self.returncode is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """Ends it as a failing machine would."""
        self.send_signal(signal.SIGKILL)

    def wait(self, timeout: float | None = None) -> int:
        """Its exit code. Raises subprocess.TimeoutExpired after ``timeout`` seconds."""
        self._process.join(timeout)
        if self.returncode is None:
            assert timeout is not None
            raise subprocess.TimeoutExpired("cdb-server", timeout)
        return self.returncode

    def communicate(self, timeout: float | None = None) -> tuple[str, str]:
        """Closes its input and waits; what it has said to stdout and stderr. Raises like `wait`."""
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
