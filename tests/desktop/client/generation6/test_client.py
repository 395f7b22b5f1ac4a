"""Tests of the client with a service of generation 6: detection, tokens, filters, deletion, errors."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable
from contextlib import nullcontext
from dataclasses import replace
from datetime import UTC, date, datetime
from types import SimpleNamespace
from urllib.parse import parse_qs

import pytest
import pytest_asyncio

from cdb_desktop.client import (
    Client,
    EventFilter,
    MissingRightError,
    NotFoundError,
    NotReadyError,
    ServerError,
    ServiceError,
    SessionLostError,
    UserError,
    VersionMismatchError,
)
from cdb_desktop.client.errors import SignInError
from cdb_desktop.client.generation6 import token_lifecycle
from cdb_desktop.client.generation6.calls import Generation6
from cdb_desktop.client.request import Request, Response
from cdb_desktop.client.responses import failure
from tests.desktop.client.canned_service import SESSION, SETTINGS_6, SIGNED_IN, Canned, CannedService
from tests.desktop.patience import until
from tests.server import both_generations

TOKEN, EVENT, WHO = "POST /api/oauth2/token", "GET /api/v1/event/1", "GET /api/v1/user/session"
REFUSED = Canned({"code": "UserRequired", "error": "Sign in", "realm": "api", "parameters": {}}, 401)
FOUND = Canned({"_basetype": "event", "event": {"_id": 1, "type": "SEARCH"}})


def tokens(number: int) -> Canned:
    """The answer of a token call."""
    names = {"access_token": f"access-{number}", "refresh_token": f"refresh-{number}"}
    return Canned({**names, "token_type": "bearer", "expires_in": 86400})


@pytest.fixture
def service(service: CannedService) -> CannedService:
    """A canned service of generation 6."""
    service.reset(6)
    service.prepare(TOKEN, tokens(1), tokens(2), tokens(3))
    return service


@pytest_asyncio.fixture
async def client(service: CannedService) -> AsyncIterator[Client]:
    """A client that is signed in there."""
    async with Client(service.url, timeout=5.0) as client:
        await client.authenticate("ann", "swordfish")
        service.requests.clear()
        yield client


def used(service: CannedService) -> list[str]:
    """The refresh tokens that were sent."""
    forms = [parse_qs(one.body.decode()) for one in service.requests if one.path.endswith("/token")]
    return [form["refresh_token"][0] for form in forms if "refresh_token" in form]


async def test_the_generation_is_detected_before_the_password_is_sent(service: CannedService) -> None:
    """The token is sent in a header of each call, and nowhere else."""
    async with Client(service.url) as client:
        session = await client.authenticate("ann", "swordfish")
        service.prepare(EVENT, FOUND)
        await client.event(1)
        assert (client.generation, session.instance.name, session.user and session.user.login) == (
            6,
            "Museum",
            "root",
        )
        assert client.capabilities.id_ranges
    assert service.requests[0].path == "/api/v1/settings"
    last = service.requests[-1]
    assert (last.authorization, last.query) == ("Bearer access-1", ())
    assert not any("access-1" in one.address or "swordfish" in one.address for one in service.requests)


async def test_one_renewal_serves_all_waiting_calls(client: Client, service: CannedService) -> None:
    """A refresh token is used once: a service takes the second use for a theft."""
    kept: list[str] = []
    client.tokens_with(lambda found: kept.append(found.refresh if found else ""))
    service.prepare(EVENT, replace(REFUSED, delay=0.1), *[REFUSED] * 4, FOUND)
    service.prepare(TOKEN, replace(tokens(2), delay=0.2), tokens(3))
    found = await asyncio.gather(*(client.event(1) for _ in range(5)))
    assert [one.id for one in found] == [1] * 5
    assert (used(service), kept) == (["refresh-1"], ["refresh-2"])
    assert service.requests[-1].authorization == "Bearer access-2"
    assert client.session is not None
    assert client.session.token == "access-2"


async def test_a_refresh_token_that_another_window_has_replaced_is_not_used(
    client: Client, service: CannedService
) -> None:
    """Windows that share a sign-in look up the token that is stored, since a second use would end it."""
    client.tokens_with(lambda _found: None, lambda: nullcontext("refresh-of-another"))
    service.prepare(EVENT, REFUSED, FOUND)
    service.prepare(TOKEN, tokens(2))
    assert (await client.event(1)).id == 1
    assert used(service) == ["refresh-of-another"]


async def test_a_token_is_renewed_before_it_expires(
    client: Client, service: CannedService, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The call itself is not refused, and a failure of the renewal does not concern it."""
    service.prepare(TOKEN, Canned(status=500), tokens(2))
    service.prepare(EVENT, FOUND)
    ahead = time.monotonic() + 86400 - 30
    monkeypatch.setattr(token_lifecycle, "time", SimpleNamespace(monotonic=lambda: ahead))
    assert (await client.event(1)).id == 1
    assert (await client.event(1)).id == 1
    sent = [one.authorization for one in service.requests if one.path.endswith("/1")]
    assert sent == ["Bearer access-1", "Bearer access-2"]


async def test_a_revoked_family_leads_to_a_new_sign_in(client: Client, service: CannedService) -> None:
    """The tokens are forgotten, and the renewal that a program has for lost sessions signs in."""
    kept: list[object] = []
    client.tokens_with(kept.append)
    service.prepare(EVENT, REFUSED)
    service.prepare(TOKEN, Canned({"error": "invalid_grant"}, 400))
    with pytest.raises(SessionLostError):
        await client.event(1)
    assert kept == [None]

    async def renew() -> None:
        service.prepare(TOKEN, tokens(7))
        await client.authenticate("ann", "swordfish")

    client.renew_with(renew)
    service.prepare(EVENT, REFUSED, FOUND)
    assert (await client.event(1)).id == 1
    assert service.requests[-1].authorization == "Bearer access-7"


async def test_a_renewal_outlives_its_call(client: Client, service: CannedService) -> None:
    """The service has replaced the old tokens, so a sign-out meanwhile has to end the new ones."""
    service.prepare(EVENT, REFUSED)
    service.prepare(TOKEN, replace(tokens(2), delay=0.2))
    call = asyncio.create_task(client.event(1))
    await until(lambda: used(service) == ["refresh-1"])
    call.cancel()
    await client.deauthenticate()
    revoked = [parse_qs(one.body.decode())["token"] for one in service.requests[-2:]]
    assert revoked == [["refresh-2"], ["access-2"]]
    assert client.tokens is None


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("temporarily_unavailable", ServerError),
        ("server_error", ServerError),
        ("invalid_client", SessionLostError),
    ],
)
async def test_only_a_refused_token_is_forgotten(
    client: Client, service: CannedService, code: str, kind: type[ServiceError]
) -> None:
    """A service that fails is asked again, and other refusals may be the program's own fault."""
    service.prepare(EVENT, REFUSED, REFUSED, FOUND)
    service.prepare(TOKEN, Canned({"error": code}, 400), tokens(2))
    with pytest.raises(kind):
        await client.event(1)
    assert (await client.event(1)).id == 1
    assert used(service) == ["refresh-1", "refresh-1"]


async def test_a_refused_password_is_sent_once(service: CannedService) -> None:
    """The session stays as it was."""
    service.prepare(TOKEN, Canned({"error": "invalid_grant", "error_description": "no"}, 400))
    async with Client(service.url) as client:
        with pytest.raises(SignInError):
            await client.authenticate("ann", "wrong")
        assert client.session is None
    assert [one.path for one in service.requests].count("/api/oauth2/token") == 1


async def test_a_service_that_was_replaced_is_detected(service: CannedService, client: Client) -> None:
    """In either direction; the token of one generation is never sent to the other."""

    async def renew() -> None:
        await client.authenticate("ann", "swordfish")

    client.renew_with(renew)
    service.prepare("GET /api/v1/settings", Canned({"api": "1"}))
    service.prepare(EVENT, Canned({"realm": "user", "code": "error.user.session_not_found"}, 400), FOUND)
    service.prepare("GET /api/v1/session", Canned(SESSION))
    service.prepare("POST /api/v1/session/authenticate", Canned({**SIGNED_IN, "token": "old-1"}))
    assert (await client.event(1)).id == 1
    assert (client.generation, client.tokens) == (5, None)
    assert (service.requests[-1].authorization, service.requests[-1].parameters) == ("", {})
    assert dict(service.requests[-1].query)["token"] == "old-1"
    service.prepare("GET /api/v1/settings", Canned(SETTINGS_6))
    service.prepare(EVENT, REFUSED, FOUND)
    service.prepare(TOKEN, tokens(1))
    assert (await client.event(1)).id == 1
    assert service.requests[-1].authorization == "Bearer access-1"
    assert not any("old-1" in one.address for one in service.requests[-3:])


async def test_the_generation_is_seen_by_an_error_where_the_settings_are_not_to_be_had(
    service: CannedService,
) -> None:
    """Something before the service may hide them."""
    service.prepare("GET /api/v1/settings", Canned(status=403))
    service.prepare(
        "GET /api/v1/session", Canned({"code": "UnknownEndpointMethod", "error": "?", "realm": "api"}, 400)
    )
    async with Client(service.url) as client:
        assert (await client.authenticate("ann", "swordfish")).token == "access-1"
        assert client.generation == 6


@pytest.mark.parametrize(
    ("settings", "headers", "generation"),
    [
        ({"api": "1", "version": "5.140"}, {}, 5),
        ({"version": "6.35.0", "version_full": "6.35.0 x"}, {}, 6),
        ({"version": "6.35.0"}, {}, 6),
        ({}, {"x-fylr-status": "reindex"}, 6),
        ({"version": "nightly"}, {}, 5),
    ],
)
async def test_settings_tell_the_generation(
    service: CannedService, settings: dict[str, str], headers: dict[str, str], generation: int
) -> None:
    """By what one generation has and the other has not."""
    service.prepare("GET /api/v1/settings", Canned(settings, headers=headers))
    async with Client(service.url) as client:
        found = await client.detect()
        assert (found.generation, client.generation) == (generation, generation)
        assert found.state == headers.get("x-fylr-status", "")


async def test_an_unknown_call_is_reported_although_the_settings_cannot_be_read(
    client: Client, service: CannedService
) -> None:
    """They are read to see whether the generation has changed; why that failed is not what was asked."""
    service.prepare("GET /api/v1/settings", Canned(status=502))
    with pytest.raises(NotFoundError):
        await client.event(1)
    assert client.generation == 6


async def test_signing_out_revokes_both_tokens(client: Client, service: CannedService) -> None:
    """Otherwise the refresh token would sign in again."""
    await client.deauthenticate()
    revoked = [parse_qs(one.body.decode())["token"] for one in service.requests]
    assert sorted(revoked) == [["access-1"], ["refresh-1"]]
    assert client.tokens is None


@pytest.mark.parametrize("newest", [0, 1, 2, 7, 1000, 123_457])
async def test_without_the_right_to_list_the_newest_id_is_searched(
    service: CannedService, newest: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A poll from 0 would read the whole log."""
    service.prepare(WHO, Canned({"user": {"user": {"_id": 1}}}))
    async with Client(service.url) as client:
        asked: list[int] = []
        deliver = client._deliver

        async def answer(request: Request) -> Response:
            if "/poll/" not in request.path:
                return await deliver(request)
            asked.append(int(request.path.rpartition("/")[2]))
            events = [{"event": {"_id": asked[-1] + 1}}] if asked[-1] < newest else []
            return Response(200, {}, json.dumps(events).encode())

        monkeypatch.setattr(client, "_deliver", answer)
        assert (await client.authenticate("ann", "x")).current_max_event_id == newest
        assert len(asked) < 50


async def test_filters_are_those_of_the_service(client: Client, service: CannedService) -> None:
    """Ids are ranges, dates have a time and an offset, and records are always whole."""
    service.prepare("GET /api/v1/event/list", Canned({"objects": [], "count": 0}))
    chosen = EventFilter(
        ids=((1, 1), (3, 7)),
        base_type=("user",),
        objecttype=("book",),
        object_id=(5,),
        date_from=datetime(2024, 5, 1, 12, tzinfo=UTC),
        date_to=date(2024, 5, 2),
    )
    await client.list_events(chosen, limit=10, skip_count=True)
    found = service.requests[-1].parameters
    assert (found["id"], found["basetype"], found["objecttype"], found["object_id"]) == (
        "1,3-7",
        "user",
        "book",
        "5",
    )
    assert found["date_from"] == "2024-05-01T12:00:00+00:00"
    assert datetime.fromisoformat(found["date_to"]).astimezone().date() == date(2024, 5, 2)
    assert datetime.fromisoformat(found["date_to"]).tzinfo is not None
    assert found["format"] == "json"
    assert "skip_count" not in found


async def test_events_are_deleted_by_ranges_of_exactly_their_ids(
    client: Client, service: CannedService
) -> None:
    """The service does not say how many there were, so they are counted before."""
    service.prepare("GET /api/v1/event/list", Canned({"objects": [], "count": 3}))
    service.prepare("DELETE /api/v1/event/list", Canned({"status": {"acknowledged": "ok"}}))
    assert await client.delete_events([7, 3, 1, 2]) == 3
    assert service.requests[-1].parameters == {"id": "1-3,7"}
    service.requests.clear()
    assert await client.delete_events([]) == 0
    assert service.requests == []
    with pytest.raises(ValueError, match="no ids"):
        Generation6().delete_events([])


@pytest.mark.parametrize(
    ("code", "status", "kind"),
    [
        ("UserRequired", 401, SessionLostError),
        ("InvalidToken", 400, SessionLostError),
        ("SystemRightRequired", 403, MissingRightError),
        ("ObjectInsufficientRights", 403, MissingRightError),
        ("EventNotFound", 404, NotFoundError),
        ("DatamodelVersionNotFound", 400, NotFoundError),
        ("VersionMismatch", 400, VersionMismatchError),
        ("ReadOnlyMode", 400, UserError),
        ("SomethingNew", 400, UserError),
    ],
)
def test_codes(code: str, status: int, kind: type[ServiceError]) -> None:
    """The same exceptions as in generation 5, with the code and the text that came."""
    body = b'{"code": "%b", "error": "Words", "realm": "api", "parameters": {"rights": ["a.b", "c"]}}'
    error = failure(Response(status, {}, body % code.encode()))
    assert isinstance(error, kind)
    assert (error.code, error.realm, error.description, error.status) == (code, "api", "Words", status)
    if isinstance(error, MissingRightError):
        assert error.right == "a.b, c"


@pytest.mark.parametrize("state", ["startup", "busy", "purge"])
async def test_a_service_that_is_not_ready_says_so(
    client: Client, service: CannedService, state: str
) -> None:
    """It is no gateway that fails."""
    service.prepare(EVENT, Canned({}, 503, headers={"x-fylr-status": state, "retry-after": "7"}))
    with pytest.raises(NotReadyError) as caught:
        await client.event(1)
    assert (caught.value.state, caught.value.retry_after) == (state, 7.0)


@both_generations
async def test_the_reference_server(reference_servers: Callable[[int], str], generation: int) -> None:
    """The same calls have the same results in both generations."""
    async with Client(reference_servers(generation)) as client:
        session = await client.authenticate("root", "admin")
        assert session.allows("system.root")
        page = await client.list_events(limit=5)
        newest = page.events[0].id
        assert (client.generation, len(page.events)) == (generation, 5)
        written = await client.insert_event("SEARCH", info={"a": 1}, pollable=True)
        assert [one.id for one in (await client.poll(newest)).events] == [written.id]
        assert (await client.event(written.id)).info_value == {"a": 1}
        assert (await client.list_csv(limit=1)).startswith(b"_id")
        assert await client.delete_events([written.id, 10**9]) == 1
        with pytest.raises(NotFoundError):
            await client.event(written.id)
        assert (await client.schema("CURRENT"))["tables"]
        await client.deauthenticate()
        with pytest.raises(SessionLostError):
            await client.list_events()
    async with Client(reference_servers(generation)) as client:
        session = await client.authenticate("viewer", "viewer")
        assert session.current_max_event_id
        with pytest.raises(MissingRightError) as caught:
            await client.list_events()
        assert "system.api.event.get" in caught.value.right
