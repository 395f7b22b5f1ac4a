"""The limits of connections apply in one process and in workers; cases of the contract test their values."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.server_stub.command import running, signal_end


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_large_head(tmp_path: Path, workers: str) -> None:
    """A head that is too large gets an error object, in one process and in workers."""
    with running("--database", str(tmp_path / "a.sqlite"), "--workers", workers) as (child, base):
        place = urlsplit(base)
        with socket.create_connection((place.hostname, place.port), timeout=30) as connection:
            connection.sendall(b"GET /api/v1/settings HTTP/1.1\r\n" + b"a: b\r\n" * 101 + b"\r\n")
            received = b"".join(iter(lambda: connection.recv(65_536), b""))
        signal_end(child)
    head, _, body = received.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 400 Bad Request\r\n")
    assert json.loads(body)["code"] == "error.api.invalid_api"
