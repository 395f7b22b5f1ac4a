"""The stream of new events: who may open it, what it brings, and when it ends."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from server_stub.http.application import HostNames, create_app
from server_stub.http.routes import GENERATION_6
from server_stub.http.services import Services
from server_stub.process import connection_limits
from server_stub.process.connection_limits import StalledClients
from tests.contract.builders import VIEWER, Store, by, event
from tests.contract.caller import Caller
from tests.contract.events.test_poll_rules import RULES, drafts
from tests.contract.transports import Stage, in_process

Open = Callable[..., AbstractContextManager[ClientConnection]]
_PATH = "/api/v1/event/stream"


@pytest.fixture(scope="module")
def streaming() -> Iterator[Stage]:
    """An HTTP server that takes WebSockets."""
    with Stage(streams=True).opened() as opened:
        yield opened


@pytest.fixture
def signed_in(services: Services) -> Iterator[Caller]:
    """A session of the viewer, whose token every generation takes."""
    with in_process(create_app(services)) as client:
        yield Caller(client).signed_in("viewer")


@pytest.fixture
def opened(services: Services, streaming: Stage, signed_in: Caller) -> Iterator[Open]:
    """Opens a stream, by default with a valid token."""

    @contextmanager
    def open_stream(
        path: str = _PATH, headers: dict[str, str] | None = None, **more: Any
    ) -> Iterator[ClientConnection]:
        given = {"Authorization": f"Bearer {signed_in.token}"} if headers is None else headers
        url = streaming.base_url.replace("http", "ws", 1) + path
        with connect(url, additional_headers=given, proxy=None, compression=None, **more) as stream:
            yield stream

    with streaming.showing(create_app(services, HostNames(), GENERATION_6)):
        yield open_stream


def test_a_stream_brings_what_a_poll_brings(opened: Open, signed_in: Caller, store: Store) -> None:
    """New pollable events only, in the order of their ids, each once, as whole records."""
    own = signed_in.post("event", {"type": "SEARCH"}).json()["_session"]["token"]
    store(event("BEFORE", pollable=True))
    with opened() as stream, opened() as other:
        stream.send("what a client says is dropped")
        first = store(*drafts(VIEWER, own))
        expected = [one for one, rule in zip(first, RULES, strict=True) if rule.pollable]
        expected += store(event("LAST", pollable=True))
        for one in (stream, other):
            assert [_received(one)["_id"] for _ in expected] == expected
        last = store(event("LATER", pollable=True, info='{"a": 1}'))
        assert [(found["_id"], found["info"]) for found in map(_received, (stream, other))] == 2 * [
            (last[0], {"a": 1})
        ]


def test_a_long_log_streams_in_parts(opened: Open, store: Store) -> None:
    """More events at once than are read at a time, most of which are not for the stream."""
    with opened() as stream:
        every = store(*(event("MANY", pollable=number % 3 == 0) for number in range(1000)))
        assert [_received(stream)["_id"] for _ in every[::3]] == every[::3]


# Path and headers of a request, the status and the code by which it is refused.
REFUSED: tuple[tuple[str, dict[str, str] | None, int, str], ...] = (
    (_PATH, {}, 401, "UserRequired"),
    (_PATH, {"Authorization": "Bearer unknown"}, 401, "UserRequired"),
    (_PATH, {"Authorization": "Basic TOKEN"}, 401, "UserRequired"),
    (f"{_PATH}?token=TOKEN&access_token=TOKEN", {}, 401, "UserRequired"),
    ("/api/v1/event/list", None, 400, "UnknownEndpointMethod"),
)


def test_a_stream_is_refused_like_a_call(opened: Open, signed_in: Caller) -> None:
    """Only the header signs in, and only one path is a stream."""
    token = signed_in.token or ""
    for path, headers, status, code in REFUSED:
        given = headers and {name: value.replace("TOKEN", token) for name, value in headers.items()}
        with pytest.raises(InvalidStatus) as refused, opened(path.replace("TOKEN", token), given):
            pass
        response = refused.value.response
        assert (response.status_code, json.loads(response.body or b"")["code"]) == (status, code)


def test_a_stream_ends_with_its_session(opened: Open, signed_in: Caller) -> None:
    """The next event, which may be the sign-out itself, finds no session."""
    with opened() as stream:
        signed_in.post("session/deauthenticate")
        with pytest.raises(ConnectionClosed) as ended:
            stream.recv(30)
    assert ended.value.rcvd is not None
    assert ended.value.rcvd.code == 1008


def test_a_reader_that_takes_nothing_is_cut_off(
    opened: Open, streaming: Stage, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it does not take stays in the database, not in the memory of the server."""
    unsent: list[int] = []
    watch = StalledClients._watch

    def noting(self: StalledClients, before: int | None = None) -> None:
        unsent.append(self.transport.get_write_buffer_size())
        watch(self, before)

    monkeypatch.setattr(StalledClients, "_watch", noting)
    monkeypatch.setattr(connection_limits, "_STALLED_SECONDS", 0.2)
    # The library reads ahead until its queue is full, so that the names are long.
    with opened(max_queue=1, close_timeout=0):
        store(*(event("LONG", by(VIEWER, name="x" * 30_000), pollable=True) for _ in range(300)))
        until = time.monotonic() + 30
        while streaming.connections() and time.monotonic() < until:
            time.sleep(0.02)
        assert not streaming.connections()
    assert 0 < max(unsent) < 2**20


def _received(stream: ClientConnection) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(stream.recv(30))["event"]
    return found
