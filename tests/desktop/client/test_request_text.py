"""Tests of requests as text: copied requests work in other programs, and contain no token."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from datetime import UTC, datetime

import msgspec
import pytest

from cdb_desktop.client import Client, EventFilter, RequestForm, Sort, listing_text
from cdb_desktop.client.exchange import request_text
from cdb_desktop.client.request import Request

CHOSEN = EventFilter(
    type=("SEARCH", "DETAIL_VIEW"), date_from=datetime(2020, 1, 1, tzinfo=UTC), user_type=("a'b \"$HOME",)
)
SORT = (Sort("type"), Sort("_id", descending=True))


def output_of(command: list[str], token: str) -> str:
    """The output of a command that has the token in its environment."""
    given = {**os.environ, "TOKEN": token}
    return subprocess.run(command, env=given, check=True, capture_output=True, text=True, timeout=60).stdout


async def list_ids(url: str, chosen: EventFilter) -> tuple[str, list[int]]:
    """A session's token, and the ids that this client lists."""
    async with Client(url) as client:
        session = await client.authenticate("root", "admin")
        page = await client.list_events(chosen, sort=SORT, limit=7)
    return session.token, [event.id for event in page.events]


def ids(answer: str) -> list[int]:
    """The ids in a listing."""
    return [record["event"]["_id"] for record in msgspec.json.decode(answer)["objects"]]


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not there")
@pytest.mark.parametrize("form", [RequestForm.CURL, RequestForm.URL])
async def test_a_shell_lists_the_same(reference_server: str, form: RequestForm) -> None:
    """The line works unchanged, and the URL between double quotes, with the token in a variable."""
    chosen = msgspec.structs.replace(CHOSEN, user_type=())
    token, found = await list_ids(reference_server, chosen)
    text = listing_text(form, reference_server, chosen, SORT, limit=7)
    line = f'curl "{text}"' if form is RequestForm.URL else text
    assert token not in text
    assert ids(output_of(["sh", "-c", line], token)) == found
    assert len(found) == 7


async def test_python_lists_the_same(reference_server: str) -> None:
    """The lines work unchanged."""
    chosen = msgspec.structs.replace(CHOSEN, user_type=())
    token, found = await list_ids(reference_server, chosen)
    text = listing_text(RequestForm.HTTPX, reference_server, chosen, SORT, limit=7)
    assert ids(output_of([sys.executable, "-c", text], token)) == found


def test_filter_values_are_quoted_for_a_shell() -> None:
    """Quotes and dollar signs in values are literal."""
    text = listing_text(RequestForm.CURL, "http://host/it's", CHOSEN)
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
