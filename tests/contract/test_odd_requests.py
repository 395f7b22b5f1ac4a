"""§1: what hardly is a request is answered by an error object too, or by nothing where nobody listens."""

from __future__ import annotations

import json
import logging
import socket
from typing import Any

import pytest

import server_stub.api.handling
import server_stub.app
from server_stub.api import Rooms
from server_stub.app import create_app
from tests.contract.caller import Caller, assert_error
from tests.contract.transports import Stage

HEAD = b" HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n"


def _exchange(stage: Stage, sent: bytes) -> bytes:
    """What the server answers to these bytes until it hangs up."""
    address = stage.base_url.removeprefix("http://").split(":")
    with socket.create_connection((address[0], int(address[1])), timeout=10) as connection:
        connection.sendall(sent)
        received = b""
        while part := connection.recv(65_536):
            received += part
    return received


def _answer(received: bytes) -> tuple[int, dict[str, Any]]:
    head, _, body = received.partition(b"\r\n\r\n")
    return int(head.split()[1]), json.loads(body)


TARGETS = (
    b"*",
    b"/",
    b"//api/v1/settings",
    b"/api/v1/settings/",
    b"/api/v1/%ff%fe",
)


@pytest.mark.parametrize("target", TARGETS, ids=repr)
def test_odd_targets(rooms: Rooms, stage: Stage, target: bytes) -> None:
    """error.api.invalid_api, whatever stands where a path should."""
    with stage.showing(create_app(rooms)):
        status, told = _answer(_exchange(stage, b"GET " + target + HEAD))
    assert (status, told["code"]) == (400, "error.api.invalid_api")


def test_odd_texts_in_the_query(caller: Caller) -> None:
    """Zeros and half escapes are texts like any other: none is found by them."""
    root = caller.signed_in("root")
    for odd in ("%00", "%"):
        answer = root.client.get(f"/api/v1/event/list?type={odd}&token={root.token}")
        assert (answer.status_code, answer.json().get("count")) == (200, 0), answer.text


@pytest.mark.parametrize("damaged", ["%ff%fe", "%ed%a0%80", "a%c3"])
def test_damaged_texts_in_the_query(caller: Caller, damaged: str) -> None:
    """Bytes that are no UTF-8 are refused, naming the parameter; as a token they are an unknown one."""
    root = caller.signed_in("root")
    for name in ("type", "csv_delimiter"):
        answer = root.client.get(f"/api/v1/event/list?{name}={damaged}&format=csv&token={root.token}")
        assert_error(answer, "error.api.invalid_value")
        assert name in answer.json()["description"]
    unknown = root.client.get(f"/api/v1/event/list?token={damaged}")
    assert_error(unknown, "error.user.session_not_found")


def test_a_body_too_large(caller: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is refused without being read to its end; the limit is lowered, for the real one takes memory."""
    for module in (server_stub.app, server_stub.api.handling):
        monkeypatch.setattr(module, "MOST_BYTES", 100_000)
    root = caller.signed_in("root")
    body = {"type": "SEARCH", "info": {"text": "x" * 200_000}}
    assert_error(root.post("event", body), "error.api.invalid_content")
    body["info"] = {"text": "x" * 50_000}
    assert root.post("event", body).status_code == 200


def test_a_caller_who_hangs_up(rooms: Rooms, stage: Stage, caplog: pytest.LogCaptureFixture) -> None:
    """In the middle of the body: nothing is stored, nothing is told as a fault, others are served."""
    begun = b"POST /api/v1/event HTTP/1.1\r\nHost: here\r\nContent-Length: 1000\r\n\r\n{"
    with caplog.at_level(logging.DEBUG), stage.showing(create_app(rooms)) as client:
        address = stage.base_url.removeprefix("http://").split(":")
        with socket.create_connection((address[0], int(address[1])), timeout=10) as connection:
            connection.sendall(begun)
            assert client.get("/api/v1/settings").status_code == 200
        assert client.get("/api/v1/settings").status_code == 200
    assert [record.message for record in caplog.records if record.levelno >= logging.WARNING] == []
