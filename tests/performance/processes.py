"""Starts the programs for measurements and measures single calls."""

import http.client
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from urllib.parse import urlencode, urlsplit

import msgspec

_PATIENCE = 600  # seconds


def milliseconds(act: Callable[[], object]) -> float:
    """The duration of one call."""
    before = time.perf_counter()
    act()
    return (time.perf_counter() - before) * 1000


def medians(repeats: int, *acts: Callable[[], object]) -> list[float]:
    """Median milliseconds of each function, called in turns so that all run under the same conditions."""
    for act in acts:
        act()
    times = [[milliseconds(act) for act in acts] for _ in range(repeats)]
    return [median(column) for column in zip(*times, strict=True)]


def python_environment(folder: Path) -> dict[str, str]:
    """This environment with every user folder below `folder`, offscreen; compiled modules are cached as in an
    installation.
    """
    places = {
        name: str(folder / name.lower()) for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME")
    }
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return kept | places | {"HOME": str(folder), "QT_QPA_PLATFORM": "offscreen"}


@contextmanager
def server_process(folder: Path, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """A reference server on a free port, not yet listening."""
    command = [sys.executable, "-m", "server_stub", "--port", "0", "--exit-with-stdin", *arguments]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=python_environment(folder),
    ) as child:
        assert child.stdin is not None
        try:
            yield child
        finally:
            child.stdin.close()
            child.wait(20)


def announced(child: subprocess.Popen[str]) -> str:
    """The base URL of a server, after it has started listening."""
    assert child.stdout is not None
    return child.stdout.readline().removeprefix("Listening on ").strip()


@contextmanager
def server(folder: Path, *arguments: str) -> Iterator[str]:
    """The base URL of a reference server as a process on a free port."""
    with server_process(folder, *arguments) as child:
        yield announced(child)


class Wire:
    """One persistent connection to a server with `http.client`."""

    def __init__(self, base_url: str, login: str, password: str) -> None:
        self._connection = http.client.HTTPConnection(urlsplit(base_url).netloc)
        self.token = ""
        self.token = msgspec.json.decode(self.call("GET", "session"))["token"]
        self.call("POST", "session/authenticate", login=login, password=password)

    def call(self, method: str, path: str, **parameters: object) -> bytes:
        """The body of a response; raises AssertionError if its status is not 200."""
        query = parameters | {"pretty": 0} | ({"token": self.token} if self.token else {})
        self._connection.request(method, f"/api/v1/{path}?{urlencode(query)}")
        answer = self._connection.getresponse()
        body = answer.read()
        assert answer.status == 200, body
        return body


def finished(command: Sequence[str], folder: Path, **variables: str) -> str:
    """The output of a program that must exit with 0; ``variables`` are added to its environment."""
    environment = python_environment(folder) | variables
    done = subprocess.run(
        command, check=True, capture_output=True, text=True, env=environment, timeout=_PATIENCE
    )
    return done.stdout
