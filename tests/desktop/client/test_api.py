"""Tests of the client's methods: the requests that they send and the results that they return."""

import json
from collections.abc import Awaitable, Callable

import pytest

from cdb_desktop.client import Client, CsvOptions, EventFilter, NotFoundError, Sort
from tests.desktop.client.canned_service import TOKEN, Canned, CannedService

EVENT = {"event": {"_id": 5, "type": "SEARCH", "info": {"a": 1}, "pollable": False}}
LISTED = {"limit": "1000", "offset": "0", "format": "json"}
SELECTED = EventFilter(type=("SEARCH",), user_id=(1, 2))


@pytest.mark.parametrize(
    ("call", "sent", "parameters"),
    [
        (lambda client: client.event(5), "GET event/5", {}),
        (lambda client: client.poll(), "GET event/poll", {"limit": "1000"}),
        (lambda client: client.poll(46, limit=10), "GET event/poll/46", {"limit": "10"}),
        (lambda client: client.list_events(), "GET event/list", LISTED),
        (
            lambda client: client.list_events(
                SELECTED, sort=(Sort("_id"),), limit=10, offset=20, full=True, skip_count=True
            ),
            "GET event/list",
            {
                "type": "SEARCH",
                "user_id": "1,2",
                "sort": "_id.ASC",
                "limit": "10",
                "offset": "20",
                "format": "json_full",
                "skip_count": "true",
            },
        ),
        (
            lambda client: client.list_csv(SELECTED, CsvOptions(delimiter="\t", max_length=0), limit=1),
            "GET event/list",
            {
                "type": "SEARCH",
                "user_id": "1,2",
                "limit": "1",
                "offset": "0",
                "format": "csv",
                "csv_delimiter": "\t",
                "csv_max_length": "0",
            },
        ),
        (lambda client: client.delete_events([3, 4]), "DELETE event", {}),
        (lambda client: client.schema(), "GET schema/user/HEAD", {"format": "json"}),
        (lambda client: client.schema(3), "GET schema/user/3", {"format": "json"}),
        (lambda client: client.schema_file("CURRENT", "svg"), "GET schema/user/CURRENT", {"format": "svg"}),
        (lambda client: client.update_schema({"version": 1}), "POST schema/user/HEAD", {}),
        (lambda client: client.commit_schema(), "POST schema/commit", {}),
        (
            lambda client: client.commit_schema(reindex_generate_events=True),
            "POST schema/commit",
            {"reindex_generate_events": "1"},
        ),
        (lambda client: client.config(), "GET config/list", {}),
        (lambda client: client.l10n("a/b"), "GET l10n/user/a/b", {}),
        (lambda client: client.update_l10n({"k": {"en-US": "x"}}), "POST l10n/user/HEAD", {}),
        (lambda client: client.read_session(), "GET session", {}),
        (lambda client: client.deauthenticate(), "POST session/deauthenticate", {}),
    ],
)
async def test_requests_are_sent(
    client: Client,
    service: CannedService,
    call: Callable[[Client], Awaitable[object]],
    sent: str,
    parameters: dict[str, str],
) -> None:
    """Each call has the contract's method, path and parameters, and carries the token and pretty=0."""
    service.answers.clear()
    with pytest.raises(NotFoundError):
        await call(client)
    request, *_asked_again = service.requests
    assert f"{request.method} {request.path}" == sent.replace(" ", " /api/v1/", 1)
    assert request.parameters == parameters
    assert {("token", TOKEN), ("pretty", "0")} <= set(request.query)


async def test_insert_event(client: Client, service: CannedService) -> None:
    """Only given values are sent, and the new event is returned (§4.4)."""
    service.prepare("POST /api/v1/event", Canned(EVENT))
    assert (await client.insert_event("SEARCH", info={"a": 1}, object_id=3)).id == 5
    (request,) = service.requests
    assert json.loads(request.body) == {"type": "SEARCH", "info": {"a": 1}, "object_id": 3}
    assert request.content_type == "application/json"


async def test_deleting_no_events_sends_no_request(client: Client, service: CannedService) -> None:
    """An empty list could be taken for an empty filter, which deletes everything."""
    assert await client.delete_events([]) == 0
    assert service.requests == []


async def test_schema(client: Client, service: CannedService) -> None:
    """Documents are sent and returned unchanged, and files are returned as bytes (§4.6, §4.7)."""
    document = {"version": 2, "tables": [{"name": "a", "odd": 1.50}]}
    drawing = Canned(b"<svg/>", content_type="image/svg+xml")
    service.prepare("GET /api/v1/schema/user/HEAD", Canned(document), drawing)
    service.prepare("POST /api/v1/schema/user/HEAD", Canned(document))
    assert await client.schema() == document
    assert await client.schema_file("HEAD", "svg") == b"<svg/>"
    assert await client.update_schema(document, '"a tag"') == document
    assert service.requests[-1].if_match == '"a tag"'
    assert json.loads(service.requests[-1].body) == document


async def test_settings_carry_no_token(client: Client, service: CannedService) -> None:
    """A call that needs no session is sent without a token (wire §6)."""
    service.prepare("GET /api/v1/settings", Canned({"name": "cdb", "server_version": "5.141"}))
    assert (await client.settings()).name == "cdb"
    assert "token" not in dict(service.requests[0].query)


@pytest.mark.parametrize(
    "unknown",
    [
        Canned(status=404),
        Canned(b"<html>", 404, "text/html"),
        Canned({"code": "error.api.invalid_api"}, 400),
    ],
)
async def test_server_error_at_the_vendors_address(
    client: Client, service: CannedService, unknown: Canned
) -> None:
    """If a service does not have the contract's address, the vendor's address is used (wire §8)."""
    service.prepare("GET /api/server/error", unknown)
    service.prepare("GET /api/v1/plugin/base/server/error/u-1", Canned({"code": "error.server.generic"}))
    assert (await client.server_error("u-1")).code == "error.server.generic"
    assert service.requests[0].parameters == {"uuid": "u-1"}


async def test_unknown_server_error(client: Client, service: CannedService) -> None:
    """An unknown uuid is an answer, so the other address is not tried (wire §4)."""
    service.prepare("GET /api/server/error", Canned({"code": "error.user.error_not_found"}, 400))
    with pytest.raises(NotFoundError):
        await client.server_error("u-1")
    assert len(service.requests) == 1
