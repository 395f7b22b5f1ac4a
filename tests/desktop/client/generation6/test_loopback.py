"""Tests of the loopback address of a sign-in: real requests to its port, wanted and hostile ones."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import parse_qs, urlencode, urlsplit

import httpx
import pytest

from cdb_desktop.client.errors import SignInError
from cdb_desktop.client.generation6.loopback import Authorization, BrowserTexts, authorization, parse_redirect
from cdb_desktop.client.generation6.sign_in import Endpoints, OAuthClient

PAGES = BrowserTexts("CDB", "signed <in>", "failed", "not for you")
ENDPOINTS = Endpoints("http://service.example/api/oauth2/auth", issuer="http://service.example")
NAVIGATION = {"sec-fetch-mode": "navigate", "sec-fetch-dest": "document", "sec-fetch-site": "cross-site"}


@asynccontextmanager
async def _browser(redirect: str = "") -> AsyncIterator[tuple[Authorization, httpx.AsyncClient, str]]:
    client = OAuthClient(redirect=redirect)
    async with authorization(ENDPOINTS, client, PAGES) as waiting, httpx.AsyncClient() as http:
        yield waiting, http, parse_qs(urlsplit(waiting.url).query)["state"][0]


def _address(waiting: Authorization, **values: object) -> str:
    return f"{waiting.redirect}?{urlencode(values, doseq=True)}"


@pytest.mark.parametrize(
    "redirect", ["", "http://localhost", "http://localhost/back", "http://127.0.0.1:0/a/b"]
)
async def test_the_browser_brings_the_code(redirect: str) -> None:
    """The page tells the user to go on; nothing of the address is in it, and it leads nowhere."""
    async with _browser(redirect) as (waiting, http, state):
        answer = await http.get(_address(waiting, code="c0de-1", state=state), headers=NAVIGATION)
        assert (answer.status_code, await waiting.code()) == (200, "c0de-1")
        # Services compare it with what is registered.
        assert urlsplit(waiting.redirect).path == urlsplit(redirect or "/").path
        assert "signed &lt;in&gt;" in answer.text
        assert "c0de-1" not in answer.text
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert "c0de-1" not in repr(waiting)
        assert state not in repr(waiting)


async def test_attacks_are_refused_and_the_sign_in_goes_on() -> None:
    """None of them ends the waiting, and the code that comes afterwards is the one that counts."""
    async with _browser() as (waiting, http, state):
        good = _address(waiting, code="evil", state=state)
        refusals = [
            await http.get(_address(waiting, code="evil", state="guessed-1234")),
            await http.get(_address(waiting, code="evil")),
            await http.get(_address(waiting, code=["evil", "evil2"], state=state)),
            await http.get(_address(waiting, code="evil", state=[state, "x"])),
            await http.get(_address(waiting, code="evil", error="access_denied", state=state)),
            await http.get(_address(waiting, code="evil", state=state, iss="https://evil.example")),
            await http.get(good, headers={"origin": "https://evil.example"}),
            await http.get(good, headers={"sec-fetch-mode": "no-cors", "sec-fetch-dest": "image"}),
            await http.get(good, headers={"sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe"}),
            await http.get(good, headers={"host": "evil.example"}),
            await http.post(good),
            await http.get(good.replace("/?", "/other?")),
            await http.get(good.replace("/?", "//evil.example/?")),
        ]
        statuses = [answer.status_code for answer in refusals]
        assert statuses == [400] * 6 + [403] * 4 + [405, 404, 404]
        assert all("location" not in answer.headers for answer in refusals)
        first, second = [
            await http.get(_address(waiting, code=code, state=state)) for code in ("mine", "injected")
        ]
        assert (first.status_code, second.status_code, await waiting.code()) == (200, 409, "mine")


async def test_an_error_of_the_service_ends_the_sign_in() -> None:
    """The browser shows that it failed, the program why."""
    async with _browser() as (waiting, http, state):
        answer = await http.get(_address(waiting, error="access_denied", state=state))
        assert "failed" in answer.text
        with pytest.raises(SignInError) as caught:
            await waiting.code()
        assert caught.value.problem == "denied"


async def test_idle_and_broken_connections_do_not_disturb() -> None:
    """A connection that sends nothing or too much is closed with the listener, and others are served."""
    async with _browser() as (waiting, http, state):
        port = urlsplit(waiting.redirect).port
        opened = [await asyncio.open_connection("127.0.0.1", port) for _ in range(3)]
        opened[1][1].write(b"\xff\x00 nonsense\r\n\r\n")
        opened[2][1].write(b"GET /?" + b"a" * 100_000)
        assert b"405" in await opened[1][0].read()
        assert (await http.get(_address(waiting, code="c", state=state))).status_code == 200
    assert await opened[0][0].read() == b""
    for _reader, writer in opened:
        writer.close()


async def test_a_taken_port_is_reported() -> None:
    """Another sign-in, or another program, listens there."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(SignInError) as caught:
            async with _browser(f"http://127.0.0.1:{port}/"):
                pass
    assert (caught.value.problem, caught.value.parameters["value"]) == ("port_taken", str(port))


@pytest.mark.parametrize(
    "address",
    [
        "https://127.0.0.1/",
        "http://example.org/",
        "http://127.0.0.1@example.org/",
        "http://127.0.0.1:70000/",
        "http://127.0.0.1/?a=b",
        "http://127.0.0.1/#a",
        "http://x:y@127.0.0.1/",
        "nonsense",
    ],
)
def test_only_loopback_addresses_are_accepted(address: str) -> None:
    """A code must not leave this computer."""
    assert parse_redirect(address) is None
