"""The limits of connections, in one process and in workers; the contract suite tests most of their values."""

import json
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from itertools import cycle, islice
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from tests.server_stub.command import running, signal_end


def test_a_large_head(tmp_path: Path) -> None:
    """A head that is too large gets an error object of the dialect in workers, too."""
    options = ("--database", str(tmp_path / "a.sqlite"), "--workers", "2", "--generation", "6")
    with running(*options) as (child, base):
        place = urlsplit(base)
        with socket.create_connection((place.hostname, place.port), timeout=30) as connection:
            connection.sendall(b"GET /api/v1/settings HTTP/1.1\r\n" + b"a: b\r\n" * 101 + b"\r\n")
            received = b"".join(iter(lambda: connection.recv(65_536), b""))
        signal_end(child)
    head, _, body = received.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 400 Bad Request\r\n")
    assert b"x-fylr-status: ready\r\n" in head
    assert b"x-easydb" not in head
    assert json.loads(body)["code"] == "ServerGeneric"


HALF_OPEN = (
    b"",
    b"GET /api/v1/settings HTTP/1.1\r\nHost: localhost\r\nX-",
    b"POST /api/v1/event HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{",
    b"GET /api/v1/settings HTTP/1.1\r\nHost: localhost\r\n\r\n",
)
# Runs the server with as many files as a shell with `ulimit -Sn` and `ulimit -Hn` would permit.
LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_NOFILE, (int(sys.argv.pop(1)), int(sys.argv.pop(1))))
from server_stub.__main__ import main
sys.exit(main())
"""


@contextmanager
def few_files(file: Path, soft: int, hard: int) -> Iterator[str]:
    """The address of a server that may open so many files; it ends cleanly with the block."""
    command = [sys.executable, "-c", LIMITED, str(soft), str(hard), "--port", "0", "--database", str(file)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        try:
            assert child.stdout is not None
            yield child.stdout.readline().removeprefix("Listening on ").strip()
            child.send_signal(signal.SIGTERM)
            assert child.wait(30) == 0
        finally:
            child.kill()


@contextmanager
def many_connections(base: str, count: int, *sent: bytes) -> Iterator[list[socket.socket]]:
    """``count`` connections that have sent one of ``sent`` each and nothing else."""
    place, opened = urlsplit(base), []
    try:
        for each in islice(cycle(sent), count):
            with suppress(ConnectionError):
                opened.append(socket.create_connection((place.hostname, place.port), timeout=10))
                opened[-1].sendall(each)
        yield opened
    finally:
        for connection in opened:
            connection.close()


@pytest.fixture(scope="module")
def limited(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server that may open 256 files."""
    with few_files(tmp_path_factory.mktemp("limited") / "a.sqlite", 256, 256) as base:
        yield base


@pytest.mark.skipif(sys.platform == "win32", reason="there is no limit to the number of files")
def test_idle_connections_do_not_exclude_other_clients(limited: str) -> None:
    """300 of them, more than a server with 256 files can have: each other client is answered."""
    with many_connections(limited, 300, *HALF_OPEN):
        for _ in range(3):
            with httpx.Client(base_url=f"{limited}/api/v1", timeout=5) as client:
                assert client.get("settings").status_code == 200
                token = client.get("session").json()["token"]
                answer = client.get("event/list", params={"token": token})
                assert answer.json()["code"] == "error.user.not_authenticated"


@pytest.mark.skipif(sys.platform == "win32", reason="there is no limit to the number of files")
def test_a_low_limit_is_raised(tmp_path: Path) -> None:
    """Where the system permits more files than the shell, all connections stay open."""
    with (
        few_files(tmp_path / "a.sqlite", 100, 2048) as base,
        many_connections(base, 300, HALF_OPEN[1]) as opened,
    ):
        assert httpx.get(f"{base}/api/v1/settings", timeout=5).status_code == 200
        for each in opened:
            each.sendall(b"A: b\r\n\r\n")
            assert each.recv(100).startswith(b"HTTP/1.1 200 OK\r\n")


@pytest.mark.skipif(sys.platform == "win32", reason="there is no limit to the number of files")
def test_a_client_that_calls_keeps_its_connection(limited: str) -> None:
    """The connections that have waited longest are closed, not those that are used."""
    with httpx.Client(base_url=f"{limited}/api/v1", timeout=5) as client:
        ports = set()
        with ExitStack() as held:
            for _ in range(5):
                held.enter_context(many_connections(limited, 30, b""))
                answer = client.get("settings")
                ports.add(answer.extensions["network_stream"].get_extra_info("client_addr"))
        assert len(ports) == 1
