"""§1: malformed requests are answered by an error object as well, and disconnected clients are harmless."""

import json
import logging
import socket
from typing import Any

import pytest
from sqlalchemy import func, select

from server_stub.database.tables import session
from server_stub.http.application import create_app
from server_stub.http.services import Services
from tests.contract.builders import Store, event, listed
from tests.contract.caller import Caller, assert_error
from tests.contract.transports import Stage

HEAD = b" HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n"


def _exchange(stage: Stage, sent: bytes) -> bytes:
    """What the server sends in response to these bytes until it closes the connection."""
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
    b"/api/v1/mask%0A",
    b"/api/v1/l10n/user%0A",
)


def test_odd_targets(services: Services, stage: Stage) -> None:
    """A malformed request target is error.api.invalid_api."""
    with stage.showing(create_app(services)):
        for target in TARGETS:
            status, error = _answer(_exchange(stage, b"GET " + target + HEAD))
            assert (status, error["code"]) == (400, "error.api.invalid_api"), target


# What no parser of HTTP takes for a request, by the code of the answer.
NO_HTTP = {
    "invalid_request_method": (
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",  # TLS
        b"BREW /api/v1/settings" + HEAD,
        b"get /api/v1/settings" + HEAD,
    ),
    "generic": (
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"GET /api/v1/sett ings" + HEAD,
        b"GET /api/v1/\xc3\xa4" + HEAD,
        b"GET /api/v1/settings HTTP/1.1\r\nHo st: here\r\n\r\n",
        b"POST /api/v1/event HTTP/1.1\r\nHost: here\r\nContent-Length: -1\r\n\r\n",
    ),
}


def test_no_http(services: Services, stage: Stage) -> None:
    """Unknown methods and bytes that are not HTTP get an error object, and other requests are served."""
    with stage.showing(create_app(services)) as client:
        for code, every in NO_HTTP.items():
            for sent in every:
                received = _exchange(stage, sent)
                status, error = _answer(received)
                assert (status, error["code"]) == (400, f"error.api.{code}"), sent
                assert b"connection: close" in received.lower(), sent
        endless = b"POST /api/v1/event HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\nno length"
        assert _answer(_exchange(stage, endless))[0] == 400
        assert client.get("/api/v1/settings").status_code == 200


HEADED = ("event/list", "event/poll", "settings", "openapi.json", "session", "event/999")


def test_head(caller: Caller) -> None:
    """HEAD is answered like GET, without a body."""
    root = caller.signed_in("root")
    for path in HEADED:
        get, head = (root(method, path, params={"pretty": "0"}) for method in ("GET", "HEAD"))
        assert (get.status_code, str(len(get.content))) == (head.status_code, head.headers["content-length"])
        assert head.headers["content-type"] == "application/json; charset=utf-8"
        assert head.content == b"", path


def test_head_of_a_call_that_takes_no_get(caller: Caller) -> None:
    """HEAD is refused like GET; the response has only the status."""
    answer = caller.signed_in("root")("HEAD", "session/authenticate")
    assert (answer.status_code, answer.content) == (400, b"")


def test_head_starts_no_session(caller: Caller, services: Services) -> None:
    """HEAD session does not start a session."""

    def sessions() -> int:
        with services.database.read() as connection:
            return int(connection.execute(select(func.count()).select_from(session)).scalar_one())

    before = sessions()
    answer = caller("HEAD", "session")
    assert (answer.status_code, answer.content) == (200, b"")
    assert int(answer.headers["content-length"]) == len(caller("GET", "session").content)
    assert sessions() == before + 1


def test_half_an_escape_in_the_query(caller: Caller) -> None:
    """An incomplete escape is an ordinary text that matches nothing."""
    root = caller.signed_in("root")
    answer = root.client.get(f"/api/v1/event/list?type=%&token={root.token}")
    assert (answer.status_code, answer.json().get("count")) == (200, 0), answer.text


def test_very_long_lists(caller: Caller, store: Store) -> None:
    """A list may have as many entries as fit into a call; a repeated sort field has no effect."""
    first, second = store(event("SEARCH"), event("SEARCH"))
    root = caller.signed_in("root")
    assert listed(root.get("event/list", type="SEARCH", sort=",".join(["_id"] * 3000))) == [first, second]
    repeated = root.get("event/list", type="SEARCH", sort="_id.DESC,_id.ASC")
    assert listed(repeated) == [second, first]
    many = ",".join(str(number) for number in range(5000))
    assert root.get("event/list", user_id=many).status_code == 200
    types = ",".join(["SEARCH"] + [f"T{number}" for number in range(1500)])
    assert listed(root.get("event/list", type=types)) == [second, first]


def test_a_damaged_name_in_a_call_that_fails(caller: Caller, services: Services) -> None:
    """The details of a fault are stored even if parameter names are not UTF-8."""
    root = caller.signed_in("root")
    with services.database.write() as connection:
        connection.exec_driver_sql("DROP TABLE _membership")
    answer = root.client.get(f"/api/v1/session?%ff%fe=1&token={root.token}")
    assert_error(answer, "error.server.database", 500)
    assert root.get("server/error", uuid=answer.json()["uuid"]).status_code == 200


def test_a_caller_who_hangs_up(services: Services, stage: Stage, caplog: pytest.LogCaptureFixture) -> None:
    """A disconnect within the body stores nothing, logs no fault, and other requests are served."""
    begun = b"POST /api/v1/event HTTP/1.1\r\nHost: here\r\nContent-Length: 1000\r\n\r\n{"
    with caplog.at_level(logging.DEBUG), stage.showing(create_app(services)) as client:
        address = stage.base_url.removeprefix("http://").split(":")
        with socket.create_connection((address[0], int(address[1])), timeout=10) as connection:
            connection.sendall(begun)
            assert client.get("/api/v1/settings").status_code == 200
        assert client.get("/api/v1/settings").status_code == 200
    assert [record.message for record in caplog.records if record.levelno >= logging.WARNING] == []
