"""Tests of opening and ending connections, against a service with prepared answers."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs

import pytest

from cdb_desktop.app import watch
from cdb_desktop.app.connection.connect import (
    BrowserAccess,
    NetworkAccess,
    probe,
    service_connection,
    sign_out,
)
from cdb_desktop.app.connection.passwords import PasswordStore, Secrets
from cdb_desktop.app.connection.store import ConnectionFile, ConnectionStore
from cdb_desktop.app.folders import UserFolders
from cdb_desktop.app.options import WatchOptions
from cdb_desktop.client import Client, OAuthClient, Session
from cdb_desktop.ui.connection.profile import ConnectionProfile, SignInSettings
from tests.desktop.app.services import MemoryKeyring
from tests.desktop.client.canned_service import SIGNED_IN, Canned, CannedService, running_service


@pytest.fixture(scope="module")
def running() -> Iterator[CannedService]:
    """A service with prepared answers."""
    with running_service() as started:
        yield started


@pytest.fixture
def service(running: CannedService) -> CannedService:
    """The service of generation 6."""
    running.reset(6)
    return running


def _paths(service: CannedService) -> list[str]:
    return [one.path for one in service.requests]


async def test_a_password_of_the_environment_keeps_client_and_scope(
    service: CannedService, tmp_path: Path, keys: MemoryKeyring
) -> None:
    """A service with a client of its own would refuse the usual one."""
    sign_in = SignInSettings("browser", client="museum", scope="offline more")
    profile = ConnectionProfile(service.url, "root", sign_in=sign_in)
    store = ConnectionStore(ConnectionFile(tmp_path / "connections.json"), PasswordStore())
    options = WatchOptions((), password="swordfish")
    folders = UserFolders(tmp_path, tmp_path, tmp_path, tmp_path)
    async with watch._connection(options, store, profile, folders) as opened:
        assert opened.session.user is not None
    (form,) = (parse_qs(one.body.decode()) for one in service.requests if one.path.endswith("/token"))
    assert (form["grant_type"], form["client_id"], form["scope"]) == (
        ["password"],
        ["museum"],
        ["offline more"],
    )
    assert keys.passwords == {}


async def test_a_kept_token_is_ended_without_using_it(service: CannedService) -> None:
    """Signing in first would take longer than the program waits, and the token stays valid meanwhile."""
    profile = ConnectionProfile(service.url, "root", sign_in=SignInSettings("browser"))
    await sign_out(profile, Secrets(refresh="kept"), NetworkAccess())
    (revoked,) = (one for one in service.requests if one.path.endswith("/revoke"))
    assert parse_qs(revoked.body.decode())["token"] == ["kept"]
    assert not {"/api/oauth2/token", "/api/v1/user/session", "/api/v1/event/list"} & set(_paths(service))


async def test_a_user_without_a_log_in_is_known_by_the_number(
    service: CannedService, tmp_path: Path, keys: MemoryKeyring
) -> None:
    """Single sign-on may give none; the token would be stored where nothing looks for it."""
    service.prepare("GET /api/v1/user/session", Canned({**SIGNED_IN, "user": {"user": {"_id": 9}}}))
    profile = ConnectionProfile(service.url, sign_in=SignInSettings("browser"))
    store = ConnectionStore(ConnectionFile(tmp_path / "connections.json"), PasswordStore())

    async def browser(client: Client, _oauth: OAuthClient) -> Session:
        return await client.authenticate("", "swordfish")

    async def remembered() -> Secrets:
        return Secrets()

    access = BrowserAccess(browser, store)
    async with service_connection(profile, Secrets(), remembered, NetworkAccess(), access) as connection:
        assert connection.profile.login == "9"
    await store.passwords.written()
    assert list(keys.passwords.values()) == ["refresh"]
    async with store.kept_token(connection.profile) as kept:
        assert kept == "refresh"


@pytest.mark.parametrize("status", [403, 404])
async def test_a_service_is_tried_that_does_not_show_its_settings(
    service: CannedService, status: int
) -> None:
    """As connecting does; log-in and password decide."""
    service.reset()
    service.prepare("GET /api/v1/settings", Canned(status=status))
    service.prepare("POST /api/v1/session/deauthenticate", Canned({"token": "t"}))
    profile = ConnectionProfile(service.url, "root")
    _, session = await probe(profile, Secrets("swordfish"), NetworkAccess())
    assert session.user is not None
