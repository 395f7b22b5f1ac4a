"""Tests of the exchanges that a client reports to its observer, and of requests as text."""

import asyncio
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime

import msgspec
import pytest

from cdb_desktop.client import Client, ClientError, EventFilter, Exchange, RequestForm, Sort
from cdb_desktop.client.exchange import request_text
from cdb_desktop.client.request import Request
from tests.desktop.client.canned_service import PASSWORD, TOKEN, Canned, CannedService
from tests.server import both_generations

LIST = "GET /api/v1/event/list"
CONFIG = "GET /api/v1/config/list"


@pytest.fixture
def exchanges(client: Client) -> list[Exchange]:
    """Every exchange that the client reports from now on."""
    found: list[Exchange] = []
    client.watch_with(found.append)
    return found


async def test_an_answer_is_reported(
    service: CannedService, client: Client, exchanges: list[Exchange]
) -> None:
    """The exchange has the address, parameters, status, rows, bytes and duration."""
    objects = [{"event": {"_id": number, "type": "SEARCH"}} for number in (7, 8)]
    service.prepare(LIST, Canned({"count": 2, "objects": objects}, delay=0.05))
    await client.list_events(limit=2)
    (one,) = exchanges
    assert (one.method, one.path, one.status, one.rows, one.failure) == (
        "GET",
        "/api/v1/event/list",
        200,
        2,
        "",
    )
    assert ("limit", "2") in one.parameters
    assert one.size > 60
    assert one.seconds >= 0.05


async def test_failures_are_reported(
    service: CannedService, client: Client, exchanges: list[Exchange]
) -> None:
    """Service errors, unreadable answers, missing answers and cancelled calls are reported."""
    refused = {"realm": "user", "code": "error.user.no_system_right", "parameters": {"right": "r"}}
    service.prepare(CONFIG, Canned(refused, 403), Canned(b"<html>", content_type="text/html"))
    for _ in range(2):
        with suppress(ClientError):
            await client.config()
    service.prepare(CONFIG, Canned({}, delay=5.0))
    asking = asyncio.ensure_future(client.config())
    await asyncio.sleep(0.1)
    asking.cancel()
    with suppress(asyncio.CancelledError):
        await asking
    assert [(one.status, one.failure) for one in exchanges] == [
        (403, "error.user.no_system_right"),
        (200, "answer"),
        (0, "cancelled"),
    ]


async def test_an_unreachable_service_is_reported() -> None:
    """The reason is reported, and the error is raised nevertheless."""
    found: list[Exchange] = []
    async with Client("http://127.0.0.1:9") as client:
        client.watch_with(found.append)
        with pytest.raises(ClientError):
            await client.settings()
    assert [(one.status, one.failure) for one in found] == [(0, "unreachable.refused")]


async def test_no_secret_is_reported(
    service: CannedService, client: Client, exchanges: list[Exchange]
) -> None:
    """Token and password are masked; the copied form of signing in has a variable in their place."""
    await client.authenticate("root", PASSWORD)
    service.prepare("DELETE /api/v1/event", Canned({"count": 2}))
    await client.delete_events([1, 2])
    spoken = (
        repr(exchanges)
        + "".join(one.text(form, client.address) for one in exchanges for form in RequestForm)
        + "".join(str(one.request.body) for one in exchanges)
    )
    assert TOKEN not in spoken
    assert "swordfish" not in spoken
    assert exchanges[0].withheld
    assert '"$BODY"' in exchanges[0].text(RequestForm.CURL, client.address)
    assert exchanges[1].request.body == b"[1,2]"


async def test_large_bodies_are_not_kept(client: Client, exchanges: list[Exchange]) -> None:
    """A schema may be a megabyte, and many are saved."""
    with suppress(ClientError):
        await client.update_schema({"tables": ["x" * 20_000]})
    assert exchanges[0].withheld
    assert exchanges[0].request.body is None


CHOSEN = EventFilter(
    type=("SEARCH", "DETAIL_VIEW"), date_from=datetime(2020, 1, 1, tzinfo=UTC), user_type=("a'b \"$HOME",)
)
SORT = (Sort("type"), Sort("_id", descending=True))


def output_of(command: list[str], token: str) -> str:
    """The output of a command that has the token in its environment."""
    given = {**os.environ, "TOKEN": token}
    return subprocess.run(command, env=given, check=True, capture_output=True, text=True, timeout=60).stdout


async def listed(url: str, form: RequestForm) -> tuple[str, str, list[int]]:
    """The text of a call, the token of the session, and the ids that the client lists."""
    chosen = msgspec.structs.replace(CHOSEN, user_type=())
    async with Client(url) as client:
        session = await client.authenticate("root", "admin")
        page = await client.list_events(chosen, sort=SORT, limit=7)
        text = client.listing_text(form, chosen, SORT, limit=7)
    return text, session.token, [event.id for event in page.events]


def ids(answer: str) -> list[int]:
    """The ids in a listing."""
    return [record["event"]["_id"] for record in msgspec.json.decode(answer)["objects"]]


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not there")
@both_generations
@pytest.mark.parametrize("form", [RequestForm.CURL, RequestForm.URL])
async def test_a_shell_lists_the_same(
    reference_servers: Callable[[int], str], form: RequestForm, generation: int
) -> None:
    """The line works unchanged, and the URL between double quotes, with the token in a variable."""
    text, token, found = await listed(reference_servers(generation), form)
    # An address has no place for a token that belongs into a header.
    header = "" if generation == 5 else '-H "authorization: Bearer $TOKEN"'
    line = f'curl {header} "{text}"' if form is RequestForm.URL else text
    assert token not in text
    assert ids(output_of(["sh", "-c", line], token)) == found
    assert len(found) == 7


@both_generations
async def test_python_lists_the_same(reference_servers: Callable[[int], str], generation: int) -> None:
    """The lines work unchanged."""
    text, token, found = await listed(reference_servers(generation), RequestForm.HTTPX)
    assert ids(output_of([sys.executable, "-c", text], token)) == found


def test_filter_values_are_quoted_for_a_shell() -> None:
    """Quotes and dollar signs in values are literal."""
    text = Client("http://host/it's").listing_text(RequestForm.CURL, CHOSEN)
    command, value = output_of(["sh", "-c", f'set -- {text}; echo $#; echo "$2"'], "t0ken").splitlines()
    assert command == "2"
    assert value.startswith(
        "http://host/it's/api/v1/event/list?type=SEARCH%2CDETAIL_VIEW&user_type=a%27b%20%22"
    )
    assert value.endswith("&token=t0ken")


def test_a_body_is_included() -> None:
    """The body is included unchanged, or as a variable if it is withheld."""
    request = Request("DELETE", "api/v1/event", body=b"[1, 2]", content_type="application/json")
    line = request_text(RequestForm.CURL, "http://host", request)
    assert line == (
        "curl -X DELETE -H 'content-type: application/json' --data-raw '[1, 2]' "
        "'http://host/api/v1/event?token='\"$TOKEN\""
    )
    assert "    content=b'[1, 2]',\n" in request_text(RequestForm.HTTPX, "http://host", request)
    secret = request_text(RequestForm.CURL, "http://host", request, withheld=True)
    assert '--data-raw "$BODY"' in secret
    assert "[1, 2]" not in secret


def test_a_request_without_a_session_needs_no_token() -> None:
    """Starting a session is such a request."""
    request = Request("GET", "api/v1/settings", signed=False)
    assert request_text(RequestForm.URL, "http://host", request) == "http://host/api/v1/settings"
    assert request_text(RequestForm.CURL, "http://host", request) == "curl http://host/api/v1/settings"
    assert "TOKEN" not in request_text(RequestForm.HTTPX, "http://host", request)
