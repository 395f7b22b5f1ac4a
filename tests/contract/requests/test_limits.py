"""wire §1: how much of a request is read before token and right are checked; limits of size and time."""

import json
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import product
from typing import Any

import pytest

from server_stub.http.application import HostNames, create_app
from server_stub.http.services import Services
from server_stub.process import connection_limits
from tests.contract.builders import Store, event
from tests.contract.caller import Caller, assert_error
from tests.contract.documents import museum
from tests.contract.transports import Stage

JSON = {"content-type": "application/json"}
FORM = {"content-type": "application/x-www-form-urlencoded"}
MEGABYTE = 1 << 20
# The greatest body of each call; one of those that take none, whose bodies are ignored up to there.
LIMITS: tuple[tuple[str, str, dict[str, str], int], ...] = (
    ("POST", "event", JSON, MEGABYTE),
    ("GET", "event/list", JSON, MEGABYTE),
    ("POST", "schema/user/HEAD", JSON, 64 * MEGABYTE),
    ("POST", "session/authenticate", FORM, 64 << 10),
)
_NAMES = [f"{method} {path} {headers['content-type']}" for method, path, headers, _ in LIMITS]


@contextmanager
def connected(stage: Stage) -> Iterator[socket.socket]:
    """Connects to the server; requests are sent as bytes."""
    host, port = stage.base_url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=30) as connection:
        yield connection


def received(connection: socket.socket) -> tuple[int, dict[str, Any]]:
    """Status and error object of the only response, after which the server closes the connection."""
    read = b""
    while part := connection.recv(65_536):
        read += part
    head, _, body = read.partition(b"\r\n\r\n")
    assert b"connection: close" in head.lower()
    return int(head.split()[1]), json.loads(body)


def head_of(method: str, path: str, token: str | None, **headers: object) -> bytes:
    """The head of a request."""
    lines = {"Host": "localhost", **headers}
    header = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in lines.items())
    query = "" if token is None else f"&token={token}"
    return f"{method} /api/v1/{path}?pretty=0{query} HTTP/1.1\r\n{header}\r\n".encode()


def chunked(size: int) -> Iterator[bytes]:
    """The given number of bytes in chunked encoding."""
    piece = b"x" * MEGABYTE
    for start in range(0, size, len(piece)):
        part = piece[: size - start]
        yield b"%x\r\n%b\r\n" % (len(part), part)
    yield b"0\r\n\r\n"


@pytest.mark.parametrize(("method", "path", "headers", "most"), LIMITS, ids=_NAMES)
def test_a_body_is_refused_by_its_announced_length(
    services: Services, stage: Stage, method: str, path: str, headers: dict[str, str], most: int
) -> None:
    """A body that is one byte too large is refused before any of it is sent."""
    with stage.showing(create_app(services)) as client, connected(stage) as connection:
        token = Caller(client).signed_in("root").token
        connection.sendall(
            head_of(method, path, token, Content_Length=most + 1, Content_Type=headers["content-type"])
        )
        status, error = received(connection)
        assert (status, error["code"]) == (400, "error.api.invalid_content")
        assert str(most) in error["description"]


@pytest.mark.parametrize(("method", "path", "headers", "most"), LIMITS, ids=_NAMES)
def test_a_body_of_unknown_length_is_refused(
    services: Services, stage: Stage, method: str, path: str, headers: dict[str, str], most: int
) -> None:
    """A chunked body is refused at the limit; a client that keeps sending can read the response."""
    with stage.showing(create_app(services)) as client, connected(stage) as connection:
        token = Caller(client).signed_in("root").token
        content_type = headers["content-type"]
        connection.sendall(
            head_of(method, path, token, Transfer_Encoding="chunked", Content_Type=content_type)
        )
        for part in chunked(most + 2 * MEGABYTE):
            connection.sendall(part)
        assert received(connection)[1]["code"] == "error.api.invalid_content"


def test_a_body_as_large_as_it_may_be(caller: Caller) -> None:
    """A body of the maximum size is read and checked."""
    root = caller.signed_in("root")
    search = b'{"type":"SEARCH"}'
    answer = root("POST", "event", content=search.rjust(MEGABYTE), headers=JSON)
    assert answer.status_code == 200, answer.text
    document = json.dumps(museum()).encode().rjust(5 * MEGABYTE)
    assert root("POST", "schema/user/HEAD", content=document, headers=JSON).status_code == 200
    form = b"login=root&password=root&token=%b&padding=" % str(root.token).encode()
    form = form.ljust(64 << 10, b"x")
    answer = caller("POST", "session/authenticate", content=form, headers=FORM)
    assert answer.status_code == 200, answer.text


# (login, method, path, code, status) of calls without the right, refused with any body.
NOT_ALLOWED = (
    (None, "POST", "event", "not_authenticated", 400),
    (None, "DELETE", "event", "not_authenticated", 400),
    (None, "POST", "schema/user/HEAD", "not_authenticated", 403),
    ("viewer", "DELETE", "event", "no_system_right", 400),
    ("viewer", "POST", "schema/user/HEAD", "no_system_right", 403),
    ("viewer", "POST", "l10n/user/HEAD", "no_system_right", 403),
)


def test_token_and_right_come_first(services: Services, stage: Stage) -> None:
    """A missing right is reported before the body is sent, whatever its size."""
    with stage.showing(create_app(services)) as client:
        for (login, method, path, code, status), size in product(NOT_ALLOWED, (200_000, 1 << 40)):
            token = Caller(client).signed_in(login).token if login else None
            media = {"Content_Length": size, "Content_Type": "application/json"}
            with connected(stage) as connection:
                connection.sendall(head_of(method, path, token, **media))
                answered, error = received(connection)
            assert (answered, error["code"]) == (status, f"error.user.{code}"), (login, method, path)


def test_an_unknown_token_is_refused_before_the_body(services: Services, stage: Stage) -> None:
    """An unknown token is reported before the body, even if the body is an endless chunk."""
    with stage.showing(create_app(services)), connected(stage) as connection:
        connection.sendall(head_of("POST", "event", "nobodys", Transfer_Encoding="chunked"))
        connection.sendall(b"fffffff\r\n" + b"x" * 200_000)
        assert received(connection)[1]["code"] == "error.user.session_not_found"


def test_a_client_that_sends_the_whole_body_reads_the_response(services: Services, stage: Stage) -> None:
    """The server reads the rest of a refused body, so that the connection is not reset."""
    with stage.showing(create_app(services)), connected(stage) as connection:
        connection.sendall(head_of("POST", "event", None, Content_Length=40 * MEGABYTE))
        connection.sendall(b"x" * (40 * MEGABYTE))
        assert received(connection)[1]["code"] == "error.user.not_authenticated"


def test_expect_continue_gets_the_refusal(services: Services, stage: Stage) -> None:
    """`Expect: 100-continue` is answered by the refusal."""
    with stage.showing(create_app(services)), connected(stage) as connection:
        connection.sendall(head_of("POST", "event", None, Content_Length=MEGABYTE, Expect="100-continue"))
        assert received(connection)[0] == 400


def test_a_small_refused_body_keeps_the_connection(services: Services, stage: Stage) -> None:
    """After a refused call with a small body the connection can be reused."""
    with stage.showing(create_app(services)), connected(stage) as connection:
        body = b'{"type":"SEARCH"}'
        for _ in range(3):
            connection.sendall(head_of("POST", "event", None, Content_Length=len(body)) + body)
            assert b"error.user.not_authenticated" in connection.recv(65_536)


# Heads that no client sends, with the repeated part.
LARGE_HEADS: dict[str, tuple[bytes, bytes]] = {
    "many headers": (b"GET /api/v1/settings HTTP/1.1\r\nHost: localhost\r\n", b"a: b\r\n" * 101 + b"\r\n"),
    "a long header": (
        b"GET /api/v1/settings HTTP/1.1\r\nHost: localhost\r\n",
        b"a: " + b"x" * 65_536 + b"\r\n\r\n",
    ),
    "a long query": (
        b"GET /api/v1/event/list?type=",
        b"x" * 70_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
    ),
    "a header that never ends": (b"GET /api/v1/settings HTTP/1.1\r\nHost: localhost\r\na: ", b"x" * 400_000),
    "headers that never end": (b"GET /api/v1/settings HTTP/1.1\r\nHost: localhost\r\n", b"a: b\r\n" * 90_000),
    "a path that never ends": (b"GET /api/v1/", b"x" * 400_000),
    "a name that never ends": (b"GET /api/v1/settings HTTP/1.1\r\n", b"x" * 400_000),
    "lines before a request": (b"", b"\r\n" * 200_000),
    "a trailer that never ends": (
        head_of("POST", "event", None, Transfer_Encoding="chunked") + b"1\r\nx\r\n0\r\na: ",
        b"x" * 400_000,
    ),
    "an extension of a chunk that never ends": (
        head_of("POST", "event", None, Transfer_Encoding="chunked") + b"1;a=",
        b"x" * 400_000,
    ),
}


def test_a_large_head(services: Services, stage: Stage) -> None:
    """A head that is too large gets an error object, and other requests are served."""
    with stage.showing(create_app(services)) as client:
        for name, (head, rest) in LARGE_HEADS.items():
            with connected(stage) as connection:
                for piece in (head, *(rest[at : at + 9000] for at in range(0, len(rest), 9000))):
                    connection.sendall(piece)
                status, error = received(connection)
                assert (status, error["code"]) == (400, "error.api.generic"), name
            assert client.get("/api/v1/settings").status_code == 200


def test_a_head_as_large_as_it_may_be(services: Services, stage: Stage) -> None:
    """A head with a hundred headers and nearly 64 KB is accepted."""
    many = {f"x{number}": "y" for number in range(99)}
    with stage.showing(create_app(services)):
        for headers in (many, {"x": "y" * 64_000}):
            with connected(stage) as connection:
                connection.sendall(head_of("GET", "settings", None, **headers))
                assert connection.recv(65_536).startswith(b"HTTP/1.1 200")


# The part of a request that is sent before the client stops.
HALF_SENT: tuple[bytes, ...] = (
    b"GET /api/v1/sett",
    b"GET /api/v1/settings HTTP/1.1\r\nHost: localhost\r\n",
    head_of("POST", "session/authenticate", None, Content_Length=10),
    head_of("POST", "session/authenticate", None, Content_Length=10) + b"login",
    head_of("POST", "session/authenticate", None, Transfer_Encoding="chunked") + b"5\r\nlog",
    b"\r\n\r\n",
    head_of("GET", "settings", None) + b"GET /api",
)


def test_an_incomplete_request_times_out(
    services: Services, stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The connection is closed after the timeout, which is ten seconds outside of the test."""
    monkeypatch.setattr(connection_limits, "_REQUEST_SECONDS", 0.2)
    with stage.showing(create_app(services)):
        for sent in HALF_SENT:
            with connected(stage) as connection:
                connection.sendall(sent)
                assert _ends(connection), sent


@pytest.mark.parametrize("piece", [b"x", b"1\r\nx\r\n"], ids=["of a header", "of a body"])
def test_single_bytes_do_not_extend_the_timeout(
    services: Services, stage: Stage, monkeypatch: pytest.MonkeyPatch, piece: bytes
) -> None:
    """The timeout applies to the whole request, even if single bytes keep arriving."""
    monkeypatch.setattr(connection_limits, "_REQUEST_SECONDS", 0.3)
    head = head_of("POST", "session/authenticate", None, Transfer_Encoding="chunked")
    with stage.showing(create_app(services)), connected(stage) as connection:
        connection.sendall(head[:-2] + b"a: " if piece == b"x" else head)
        with pytest.raises(OSError, match=r"reset|pipe|aborted"):
            _drip(connection, piece)


def _drip(connection: socket.socket, piece: bytes) -> None:
    for _ in range(3000):
        connection.sendall(piece)
        time.sleep(0.01)


def test_a_large_body_gets_the_time_that_it_needs(
    services: Services, stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A large body may take longer than a small one if its transfer rate is sufficient."""
    monkeypatch.setattr(connection_limits, "_REQUEST_SECONDS", 0.1)
    monkeypatch.setattr(connection_limits, "_MIN_BYTES_A_SECOND", 100_000)
    with stage.showing(create_app(services)) as client, connected(stage) as connection:
        token = Caller(client).signed_in("root").token
        body = json.dumps(museum()).encode().rjust(100_000)
        connection.sendall(head_of("POST", "schema/user/HEAD", token, Content_Length=len(body)))
        for at in range(0, len(body), 10_000):
            connection.sendall(body[at : at + 10_000])
            time.sleep(0.05)
        assert connection.recv(65_536).startswith(b"HTTP/1.1 200")


def _ends(connection: socket.socket) -> bool:
    """Whether the server closes the connection."""
    try:
        while connection.recv(65_536):
            pass
    except ConnectionResetError:
        return True
    except TimeoutError:
        return False
    return True


@pytest.mark.parametrize("before", [b"", head_of("GET", "settings", None)], ids=["never used", "used"])
def test_a_silent_connection_is_closed(services: Services, before: bytes) -> None:
    """An idle connection is closed after the timeout, which is a minute outside of the test."""
    quick = Stage(silent_seconds=1)
    with quick.opened(), quick.showing(create_app(services)), connected(quick) as connection:
        connection.sendall(before)
        assert _ends(connection)


def test_idle_timeout_after_a_refused_body(services: Services) -> None:
    """After a refused call with a small body the idle timeout applies."""
    quick = Stage(silent_seconds=1)
    app = create_app(services, HostNames())
    with quick.opened(), quick.showing(app), connected(quick) as connection:
        connection.sendall(head_of("POST", "event", None, Content_Length=10, Host="evil.example") + b"x" * 5)
        assert b"error.api.generic" in connection.recv(65_536)
        connection.sendall(b"x" * 5 + head_of("GET", "settings", None))
        assert connection.recv(65_536).startswith(b"HTTP/1.1 200")
        connection.sendall(head_of("POST", "event", None, Content_Length=10, Host="evil.example") + b"x" * 5)
        assert b"error.api.generic" in connection.recv(65_536)
        connection.sendall(b"x" * 5)
        assert _ends(connection)


def test_a_client_that_reads_nothing_is_disconnected(
    services: Services, stage: Stage, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A client that does not read a response of many megabytes is disconnected."""
    monkeypatch.setattr(connection_limits, "_STALLED_SECONDS", 0.2)
    store(*(event("SEARCH", info=json.dumps({"a": "x" * 30_000})) for _ in range(700)))
    with stage.showing(create_app(services)) as client, connected(stage) as connection:
        token = Caller(client).signed_in("root").token
        connection.sendall(head_of("GET", "event/list", token).replace(b"?", b"?format=json_full&"))
        until = time.monotonic() + 30
        while stage.connections() > 1 and time.monotonic() < until:  # The client's own one stays.
            time.sleep(0.02)
        assert stage.connections() == 1


# Names in `Host`, and whether the server takes them on a loopback address.
HOSTS = {
    "localhost": True,
    "LOCALHOST.": True,
    "localhost:8040": True,
    "a.b.localhost": True,
    "127.0.0.1": True,
    "127.0.0.1:8040": True,
    "127.254.1.9": True,
    "[::1]": True,
    "[::1]:8040": True,
    "given.example": True,
    "Given.Example.:80": True,
    "evil.example": False,
    "evil.example:8040": False,
    "given.example.evil.example": False,
    "localhost.evil.example": False,
    "127.0.0.1.evil.example": False,
    "evillocalhost": False,
    "0.0.0.0": False,  # noqa: S104 - nothing is bound to it
    "192.168.0.1": False,
    "[::]": False,
    "::1": False,
    "2130706433": False,
    "127.1": False,
    "localhost:80:80": False,
    "localhost@evil.example": False,
    "": False,
}


def test_the_name_that_is_called(services: Services, stage: Stage) -> None:
    """A foreign host name is refused on a loopback address; the error explains how to allow it."""
    app = create_app(services, HostNames(["Given.example"]))
    with stage.showing(app) as client:
        for name, taken in HOSTS.items():
            answer = client.get("/api/v1/session", headers={"host": name})
            if taken:
                assert answer.status_code == 200, name
            else:
                assert_error(answer, "error.api.generic")
                assert "--allow-host" in answer.json()["description"], name


def test_odd_numbers_of_names(services: Services, stage: Stage) -> None:
    """Two `Host` headers are refused, and so is none, except in HTTP/1.0."""
    one = b"Host: localhost\r\n"
    requests: dict[bytes, bytes] = {
        b"GET /api/v1/settings HTTP/1.1\r\nConnection: close\r\n" + one + one + b"\r\n": b"400",
        b"GET /api/v1/settings HTTP/1.1\r\nConnection: close\r\n\r\n": b"400",
        b"GET /api/v1/settings HTTP/1.0\r\n\r\n": b"200",
        b"GET /api/v1/settings HTTP/1.0\r\nHost: evil.example\r\n\r\n": b"400",
    }
    with stage.showing(create_app(services, HostNames())):
        for sent, status in requests.items():
            with connected(stage) as connection:
                connection.sendall(sent)
                assert connection.recv(65_536).split()[1] == status, sent


def test_an_unknown_host_name_is_refused(services: Services, stage: Stage) -> None:
    """A call with a foreign host name is refused with and without a token, and is not logged."""
    with stage.showing(create_app(services)) as client:
        root = Caller(client).signed_in("root")
        before = root.get("event/list").json()
    with stage.showing(create_app(services, HostNames())) as client:
        headers = {"host": "evil.example", "content-type": "application/json"}
        for method, path in (("POST", "event"), ("DELETE", "event"), ("GET", "session"), ("GET", "nothing")):
            answer = client.request(method, f"/api/v1/{path}?token={root.token}", headers=headers)
            assert_error(answer, "error.api.generic")
    with stage.showing(create_app(services)) as client:
        assert Caller(client, root.token).get("event/list").json() == before


LONGEST = 255


@pytest.mark.parametrize("in_form", [False, True])
def test_a_long_log_in_name(caller: Caller, in_form: bool) -> None:
    """A long login is refused with the name of the parameter and is not stored in an event."""
    root, stranger = caller.signed_in("root"), caller.with_session()

    def sign_in(login: str) -> Any:
        given = {"login": login, "password": "x"}
        more = {"data": given} if in_form else {"params": given}
        return stranger("POST", "session/authenticate", **more)

    assert_error(sign_in("ä" * LONGEST), "error.user.login_failed")
    refused = sign_in("ä" * (LONGEST + 1))
    assert_error(refused, "error.api.invalid_value")
    assert "login" in refused.json()["description"]
    failed = root.get("event/list", type="LOGIN_FAILED", format="json_full").json()["objects"]
    assert [len(record["event"]["info"]["login"]) for record in failed] == [LONGEST]


def test_a_form_of_many_fields(caller: Caller) -> None:
    """A form of a hundred thousand fields is refused."""
    stranger = caller.with_session()
    form = b"login=root&password=root" + b"&a=" * 10_000
    answer = stranger("POST", "session/authenticate", content=form, headers=FORM)
    assert_error(answer, "error.api.invalid_content")


def test_the_address_of_an_event_is_that_of_the_connection(services: Services, stage: Stage) -> None:
    """Forwarding headers do not change the address of an event."""
    with stage.showing(create_app(services)) as client:
        client.headers["x-forwarded-for"] = '1","info":{"a'
        root = Caller(client).signed_in("root")
        stored = root.post("event", {"type": "SEARCH"}).json()
        assert stored["event"]["ipv4_address"] == "127.0.0.1"


@pytest.fixture
def large(store: Store) -> Callable[[], list[int]]:
    """Stores more data than is joined in memory, with UTF-8 texts of various lengths."""
    infos = [json.dumps({"n": n, "a": {"b": "ä€😀" * 900}}, ensure_ascii=False) for n in range(300)]
    return lambda: store(*(event("SEARCH", info=info) for info in infos))


def test_large_lists_are_whole(caller: Caller, large: Callable[[], list[int]]) -> None:
    """A large list contains every record in order, with the count, indented or not."""
    root, stored = caller.signed_in("root"), large()
    asked: dict[str, str | int | None] = {"type": "SEARCH", "format": "json_full", "limit": 290}
    short = root("GET", "event/list", params=asked)
    assert int(short.headers["content-length"]) == len(short.content) > 2_000_000
    page = short.json()
    assert (page["count"], page["limit"], page["offset"]) == (300, 290, 0)
    assert [record["event"]["_id"] for record in page["objects"]] == stored[:9:-1]
    assert {record["event"]["info"]["a"]["b"] for record in page["objects"]} == {"ä€😀" * 900}
    indented = root.client.get("/api/v1/event/list", params=asked | {"token": root.token})
    assert indented.text == json.dumps(page, indent=1, ensure_ascii=False)
    few = root.client.get("/api/v1/event/list", params=asked | {"token": root.token, "limit": 3})
    assert few.text == json.dumps(few.json(), indent=1, ensure_ascii=False)
    none = root.client.get("/api/v1/event/list", params={"type": "NONE", "token": root.token})
    assert none.text == json.dumps(none.json(), indent=1, ensure_ascii=False)


@pytest.mark.parametrize("explode", ["true", "false"])
def test_large_csv_is_complete(caller: Caller, large: Callable[[], list[int]], explode: str) -> None:
    """A large CSV contains a row for every event, and no cell is cut."""
    root, stored = caller.signed_in("root"), large()
    options = {"format": "csv", "csv_explode": explode, "csv_max_length": "0", "csv_use_bom": "true"}
    sheet = root.get("event/list", type="SEARCH", sort="_id", **options)
    assert int(sheet.headers["content-length"]) == len(sheet.content) > 2_000_000
    lines = sheet.content.decode("utf-8-sig").splitlines()
    assert [int(line.partition(",")[0]) for line in lines[1:]] == stored
    assert lines[0].endswith("info.a.b,info.n" if explode == "true" else ",info")
    assert all("ä€😀" * 900 in line for line in lines[1:])


def test_csv_with_too_many_columns_is_refused(caller: Caller, store: Store) -> None:
    """A CSV with too many columns is refused; fewer events can be listed."""
    store(*(event("SEARCH", info=json.dumps({f"k{n}_{m}": m for m in range(50)})) for n in range(50)))
    root = caller.signed_in("root")
    asked = {"type": "SEARCH", "format": "csv", "csv_explode": "true"}
    refused = root.get("event/list", **asked)
    assert_error(refused, "error.api.invalid_value")
    assert "csv_explode" in refused.json()["description"]
    assert root.get("event/list", **asked, limit=40).status_code == 200
