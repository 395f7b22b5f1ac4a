"""§5 and wire §2: the session object, both spellings of rights, and expiry."""

import pytest

from server_stub.http.services import Services
from tests.contract.builders import SUPPORT, Store, event
from tests.contract.caller import Caller, Clock, assert_error

ALWAYS = {"token", "instance", "frontend_language", "frontend_locale", "authentication_methods", "config"}
SIGNED_IN = {"authenticated", "pending_tasks", "current_max_event_id", "system_rights", "user", "groups"}
TIMEOUT = 3600


def test_once_authenticated(caller: Caller) -> None:
    """authenticate and later reads return the user and the lower bound of polling."""
    started = caller.with_session()
    session = started.post("session/authenticate", login="support", password="support").json()
    assert session.keys() == ALWAYS | SIGNED_IN
    assert session["token"] == started.token
    assert session["authenticated"] == {"method": "easydb", "timestamp": "2025-06-15T15:06:40+00:00"}
    user = session["user"]["user"]
    expected = {"_id": SUPPORT, "login": "support", "type": "easydb", "_generated_displayname": "Support"}
    assert expected.items() <= user.items()
    assert isinstance(session["pending_tasks"], list)
    assert isinstance(session["current_max_event_id"], int)
    assert started.get("session").json() == session


def test_groups(caller: Caller, services: Services) -> None:
    """`groups` lists the groups of the user."""
    with services.database.write() as connection:
        inside = services.users.add_group(connection, "editors", "Editors", [SUPPORT])
        services.users.add_group(connection, "others", "Others", [1])
    groups = caller.signed_in("support").get("session").json()["groups"]
    assert [group["group"]["_id"] for group in groups] == [inside]


# wire §2: login → dotted names, and the base name with its parameter; a level includes those before it.
CURRENT, DEVELOPMENT, COMMIT = (f"system.datamodel.{level}" for level in ("current", "development", "commit"))
GET, DELETE = "system.api.event.get", "system.api.event.delete"
RIGHTS: dict[str, tuple[set[str], str | None]] = {
    "root": ({GET, DELETE, CURRENT, DEVELOPMENT, COMMIT, "system.root"}, "commit"),
    "support": ({GET}, None),
    "steward": ({GET, DELETE}, None),
    "modeller": ({CURRENT, DEVELOPMENT}, "development"),
    "releaser": ({CURRENT, DEVELOPMENT, COMMIT}, "commit"),
    "viewer": (set(), None),
}


def test_system_rights(caller: Caller) -> None:
    """Rights map to their parameters, with both spellings of the data model's (wire §2, §8)."""
    for login, (dotted, level) in RIGHTS.items():
        rights = caller.signed_in(login).get("session").json()["system_rights"]
        expected: dict[str, dict[str, str]] = {right: {} for right in dotted}
        if level is not None:
            expected["system.datamodel"] = {"level": level}
        assert rights == expected, login


def test_the_hint_for_the_schema(caller: Caller, services: Services) -> None:
    """system.datamodel.current is always included as a hint to frontends (§5.2)."""
    with services.database.write() as connection:
        services.users.add(connection, "reader", "reader", displayname="Reader", rights=[CURRENT])
    rights = caller.signed_in("reader").get("session").json()["system_rights"]
    assert rights == {CURRENT: {}, "system.datamodel": {"level": "current"}}


def _short_life(services: Services) -> None:
    with services.database.write() as connection:
        services.configuration.change(connection, {"session.timeout": TIMEOUT})


def test_expires(caller: Caller, services: Services, clock: Clock) -> None:
    """An unused session expires after session.timeout seconds: 403 on schema calls, else 400."""
    _short_life(services)
    root = caller.signed_in("root")
    clock.second += TIMEOUT - 1
    assert root.get("event/list").status_code == 200
    clock.second += TIMEOUT + 1
    for path in ("event/list", "event/poll", "event/1", "session"):
        assert_error(root.get(path), "error.user.session_invalid")
    assert_error(root.get("schema/user/HEAD"), "error.user.session_invalid", 403)
    assert_error(root.post("schema/commit"), "error.user.session_invalid", 403)


@pytest.mark.parametrize("timeout", [60, TIMEOUT])
def test_slides_with_use(caller: Caller, services: Services, clock: Clock, timeout: int) -> None:
    """Every call except for polling extends the session (wire §2)."""
    with services.database.write() as connection:
        services.configuration.change(connection, {"session.timeout": timeout})
    root = caller.signed_in("root")
    for step in (timeout // 3, timeout - 1, timeout // 3, timeout - 1):
        clock.second += step
        assert root.get("event/list").status_code == 200


@pytest.mark.parametrize("found", [0, 3])
def test_polling_all_the_time_does_not_extend(
    caller: Caller, services: Services, clock: Clock, store: Store, found: int
) -> None:
    """No poll extends the session, with or without results, at either address."""
    _short_life(services)
    viewer = caller.signed_in("viewer")
    before = _last_uses(services)
    for step in range(TIMEOUT // 30):
        clock.second += 30
        store(*[event(pollable=True)] * found)
        prefix = "v1/" if step % 2 else ""
        polled = viewer.client.get(f"/api/{prefix}event/poll", params={"token": viewer.token, "limit": "0"})
        assert (polled.status_code, len(polled.json())) == (200, found * (step + 1))
    assert _last_uses(services) == before
    clock.second += 1 + TIMEOUT % 30
    assert_error(viewer.get("event/poll"), "error.user.session_invalid")


def _last_uses(services: Services) -> list[tuple[int]]:
    with services.database.read() as connection:
        return [tuple(row) for row in connection.exec_driver_sql("SELECT last_used FROM _session")]
