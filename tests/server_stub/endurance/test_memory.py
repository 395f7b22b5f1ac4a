"""Large requests and responses take little memory and do not delay other calls."""

import json
import socket
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from tests.server import started
from tests.server_process import ServerProcess

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")

MEGABYTE = 1 << 20
_CONNECTIONS = 8


class _Server:
    """A server with a session of root."""

    def __init__(self, process: ServerProcess, url: str) -> None:
        self.process = process
        self.host, self.port = url.removeprefix("http://").split(":")
        self.client = httpx.Client(base_url=f"{url}/api/v1", timeout=60)
        token = self.client.get("session").json()["token"]
        self.client.params = httpx.QueryParams(token=token, pretty="0")
        signed_in = self.client.post("session/authenticate", data={"login": "root", "password": "admin"})
        assert signed_in.status_code == 200, signed_in.text
        self.token = token

    def memory(self) -> float:
        """Megabytes of private memory, without the mapped database."""
        lines = Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
        return int(next(line for line in lines if line.startswith("RssAnon")).split()[1]) / 1024


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[_Server]:
    """The server shared by all tests of this module."""
    file = tmp_path_factory.mktemp("memory") / "demo.sqlite"
    with started(file, "--demo", "--demo-events", "200") as (process, url):
        server = _Server(process, url)
        yield server
        server.client.close()


@contextmanager
def polling(server: _Server) -> Iterator[list[float]]:
    """Polls continuously in another client; collects the memory of the server after each poll."""
    memory: list[float] = []
    end = threading.Event()

    def poll() -> None:
        while not end.wait(0.002):
            assert server.client.get("event/poll").status_code == 200
            memory.append(server.memory())

    with ThreadPoolExecutor(1) as pool:
        done = pool.submit(poll)
        try:
            yield memory
        finally:
            end.set()
            done.result(60)


def _send(server: _Server, head: bytes, size: int, *, chunked: bool) -> bytes:
    """Sends a large body; returns the response, even if the server closes the connection early."""
    piece = b"x" * MEGABYTE
    written = b"%x\r\n%b\r\n" % (len(piece), piece) if chunked else piece
    with socket.create_connection((server.host, int(server.port)), timeout=60) as connection:
        try:
            connection.sendall(head)
            for _ in range(size):
                connection.sendall(written)
        except ConnectionError:
            pass
        try:
            return connection.recv(65_536)
        except ConnectionError:
            return b""


@pytest.mark.parametrize("megabytes", [32, pytest.param(256, marks=pytest.mark.long)])
@pytest.mark.parametrize("way", ["an event", "a document"])
def test_large_bodies(server: _Server, way: str, megabytes: int) -> None:
    """Eight large bodies at a time do not increase the memory much, whatever length they announce."""
    path, chunked = {
        "an event": ("event", True),
        "a document": ("schema/user/HEAD", False),
    }[way]
    length = "Transfer-Encoding: chunked" if chunked else f"Content-Length: {max(megabytes, 65) * MEGABYTE}"
    head = (
        f"POST /api/v1/{path}?token={server.token} HTTP/1.1\r\nHost: localhost\r\n{length}\r\n"
        "Content-Type: application/json\r\n\r\n"
    ).encode()
    before = server.memory()
    with polling(server) as memory, ThreadPoolExecutor(_CONNECTIONS) as pool:
        sent = [pool.submit(_send, server, head, megabytes, chunked=chunked) for _ in range(_CONNECTIONS)]
        answers = [each.result(120) for each in sent]
    assert max(memory) - before < 40
    assert {answer.split()[1] for answer in answers if answer} <= {b"400", b"403"}
    # Up to this size the server reads the rest, so that clients can read the response.
    assert all(answers) or megabytes > 128


@pytest.mark.long
def test_large_lists(server: _Server) -> None:
    """Pages of the largest events arrive completely, in every format and to several clients at a time."""
    info = json.dumps({"a": ["ä" * 100] * 155}, ensure_ascii=False, separators=(",", ":"))
    assert 31_000 < len(info.encode()) < 32 << 10
    for _ in range(1000):
        stored = server.client.post("event", content=b'{"type":"SEARCH","info":%b}' % info.encode())
        assert stored.status_code == 200, stored.text
    before = server.memory()
    asked = {"type": "SEARCH", "limit": "1000", "skip_count": "true"}
    forms: dict[str, dict[str, str]] = {
        "full": asked | {"format": "json_full"},
        "indented": asked | {"format": "json_full", "pretty": "1"},
        "sheet": asked | {"format": "csv", "csv_max_length": "0"},
        "exploded": asked | {"format": "csv", "csv_max_length": "0", "csv_explode": "true"},
    }
    with polling(server) as memory:
        for form, params in forms.items():
            with ThreadPoolExecutor(3) as pool:
                sizes = set(pool.map(lambda given: _size(server, given), [params] * 3))
            assert min(sizes) > 31_000_000, form
            assert len(sizes) == 1, form
    # Three answers of 32 MB at a time.
    assert max(memory) - before < 60


def _size(server: _Server, params: dict[str, str]) -> int:
    with server.client.stream("GET", "event/list", params=params) as answer:
        assert answer.status_code == 200
        size = sum(len(part) for part in answer.iter_raw())
    assert size == int(answer.headers["content-length"])
    return size
