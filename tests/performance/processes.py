"""Starts the programs for measurements and times single things; knows no goal."""

from __future__ import annotations

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


def milliseconds(act: Callable[[], object]) -> float:
    """How long one call takes."""
    before = time.perf_counter()
    act()
    return (time.perf_counter() - before) * 1000


def medians(repeats: int, *acts: Callable[[], object]) -> list[float]:
    """Median milliseconds of each, called in turns so that all meet the same weather."""
    for act in acts:
        act()
    times = [[milliseconds(act) for act in acts] for _ in range(repeats)]
    return [median(column) for column in zip(*times, strict=True)]


def python_environment(folder: Path) -> dict[str, str]:
    """This environment with every user folder below `folder`, offscreen."""
    places = {
        name: str(folder / name.lower()) for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME")
    }
    return os.environ | places | {"HOME": str(folder), "QT_QPA_PLATFORM": "offscreen"}


@contextmanager
def server(folder: Path, *arguments: str) -> Iterator[str]:
    """The base URL of a reference server as a process on a free port."""
    command = [sys.executable, "-m", "server_stub", "--port", "0", "--exit-with-stdin", *arguments]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=python_environment(folder),
    ) as child:
        assert child.stdout is not None
        assert child.stdin is not None
        try:
            yield child.stdout.readline().removeprefix("Listening on ").strip()
        finally:
            child.stdin.close()
            child.wait(20)


class Wire:
    """One kept connection to a server, as thin as the standard library allows."""

    def __init__(self, base_url: str, login: str, password: str) -> None:
        self._connection = http.client.HTTPConnection(urlsplit(base_url).netloc)
        self._token = msgspec.json.decode(self.call("GET", "session"))["token"]
        self.call("POST", "session/authenticate", login=login, password=password)

    def call(self, method: str, path: str, **parameters: object) -> bytes:
        """The body of an answer; AssertionError when it is none of 200."""
        token = getattr(self, "_token", None)
        query = parameters | {"pretty": 0} | ({"token": token} if token else {})
        self._connection.request(method, f"/api/v1/{path}?{urlencode(query)}")
        answer = self._connection.getresponse()
        body = answer.read()
        assert answer.status == 200, body
        return body


def finished(command: Sequence[str], folder: Path) -> str:
    """The standard output of a program that must end well."""
    done = subprocess.run(
        command, check=True, capture_output=True, text=True, env=python_environment(folder), timeout=120
    )
    return done.stdout
