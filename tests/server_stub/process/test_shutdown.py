"""A server that is stopped completes running requests."""

import signal
import socket
from pathlib import Path

import httpx

from tests.server_stub.command import running

CALL = "session/authenticate"
# The system would take the whole response for a client that does not read.
SMALL_BUFFER = ((socket.SOL_SOCKET, socket.SO_RCVBUF, 65_536),)


def _until_nobody_is_let_in(base: str) -> None:
    try:
        while True:
            httpx.get(f"{base}/api/v1/settings")
    except httpx.TransportError:
        return


def test_a_call_that_runs_is_finished(tmp_path: Path) -> None:
    """After SIGTERM a large CSV response is completed, then the server exits with 0."""
    file = str(tmp_path / "a.sqlite")
    with (
        running("--database", file, "--demo", "--demo-events", "2000") as (child, base),
        httpx.Client(transport=httpx.HTTPTransport(socket_options=SMALL_BUFFER)) as client,
    ):
        token = client.get(f"{base}/api/v1/session").json()["token"]
        params = {"token": token}
        client.post(f"{base}/api/v1/{CALL}", params=params, data={"login": "root", "password": "admin"})
        info = {"text": "x" * 30_000}
        for _ in range(300):
            sent = client.post(f"{base}/api/v1/event", params=params, json={"type": "SEARCH", "info": info})
            assert sent.status_code == 200
        asked = params | {"format": "csv", "csv_max_length": "0", "type": "SEARCH", "limit": "300"}
        with client.stream("GET", f"{base}/api/v1/event/list", params=asked) as answer:
            parts = answer.iter_bytes(65_536)
            first = next(parts)
            child.send_signal(signal.SIGTERM)
            _until_nobody_is_let_in(base)
            assert child.poll() is None
            body = first + b"".join(parts)
        assert len(body) == int(answer.headers["content-length"]) > 9_000_000
        assert body.count(b"x" * 30_000) == 300
        assert child.wait(30) == 0
