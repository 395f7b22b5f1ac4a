"""§5.2, the permissions of §4 and wire §2: every kind of caller with every call."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import httpx
import pytest

from server_stub.http.calls import Services
from tests.contract.builders import Store, event
from tests.contract.caller import Caller, assert_error

GET, DELETE = "system.api.event.get", "system.api.event.delete"
CURRENT, DEVELOPMENT, COMMIT = (f"system.datamodel.{level}" for level in ("current", "development", "commit"))
EVERYBODY = {"root", "support", "steward", "modeller", "releaser", "viewer"}


@dataclass(frozen=True)
class Permission:
    """A call, its required right (§4, §5.2), the users who have it, and the status of refusals."""

    name: str
    call: Callable[[Caller], httpx.Response]
    right: str | None
    allowed: set[str]
    refusal: int = 400

    def __str__(self) -> str:
        return self.name


CALLS = (
    Permission("§4.1 retrieve", lambda c: c.get("event/1"), GET, {"root", "support", "steward"}),
    Permission("§4.2 poll", lambda c: c.get("event/poll"), None, EVERYBODY),
    Permission("§4.3 list", lambda c: c.get("event/list"), GET, {"root", "support", "steward"}),
    Permission("§4.4 insert", lambda c: c.post("event", {"type": "SEARCH"}), None, EVERYBODY),
    Permission("§4.5 delete by filter", lambda c: c.delete("event", type="X"), DELETE, {"root", "steward"}),
    Permission("§4.5 delete by ids", lambda c: c.delete("event", [999]), DELETE, {"root", "steward"}),
    Permission("§4.6 schema", lambda c: c.get("schema/user/HEAD", format="json"), None, EVERYBODY, 403),
    # Commit includes development includes current (wire §2).
    Permission(
        "§4.7 update",
        lambda c: c.post("schema/user/HEAD", {"version": 1, "type": "user", "tables": []}),
        DEVELOPMENT,
        {"root", "modeller", "releaser"},
        403,
    ),
    Permission("§4.8 commit", lambda c: c.post("schema/commit"), COMMIT, {"root", "releaser"}, 403),
)


@pytest.mark.parametrize("permission", CALLS, ids=str)
def test_each_call_requires_its_right(caller: Caller, store: Store, permission: Permission) -> None:
    """The call succeeds, or fails with no_system_right and the right, or with not_authenticated."""
    assert store(event()) == [1]
    head = caller.signed_in("root").post("schema/user/HEAD", {"version": 1, "type": "user", "tables": []})
    assert head.status_code == 200, head.text
    for login in sorted(EVERYBODY):
        answer = permission.call(caller.signed_in(login))
        if login in permission.allowed:
            assert answer.status_code == 200, (login, answer.text)
        else:
            assert permission.right is not None
            assert_error(answer, "error.user.no_system_right", permission.refusal, right=permission.right)
    assert_error(permission.call(caller), "error.user.not_authenticated", permission.refusal)
    started = permission.call(caller.with_session())
    if permission.name == "§4.2 poll":
        assert (started.status_code, started.json()) == (200, [])
    else:
        assert_error(started, "error.user.not_authenticated", permission.refusal)


@pytest.mark.parametrize(
    ("right", "call"),
    [(GET, CALLS[0]), (GET, CALLS[2]), (DELETE, CALLS[4]), (DEVELOPMENT, CALLS[7]), (COMMIT, CALLS[8])],
    ids=str,
)
def test_one_right_is_enough(
    caller: Caller, services: Services, store: Store, right: str, call: Permission
) -> None:
    """Each right of §5.2 alone allows its call, and no other right does."""
    store(event())
    caller.signed_in("root").post("schema/user/HEAD", {"version": 1, "type": "user", "tables": []})
    with services.database.write() as connection:
        services.users.add(connection, "one", "one", displayname="One", rights=[right])
        services.users.add(connection, "none", "none", displayname="None", rights=[CURRENT])
    assert call.call(caller.signed_in("one")).status_code == 200
    assert_error(call.call(caller.signed_in("none")), "error.user.no_system_right", call.refusal)


def test_order_of_checks(caller: Caller) -> None:
    """Token, right, parameters and body are checked in this order (wire §1)."""
    viewer, root = caller.signed_in("viewer"), caller.signed_in("root")
    for method, path, more, status, wrong in (
        ("GET", "event/abc", {}, 400, "invalid_value"),
        ("GET", "event/list", {"params": {"nonsense": "1"}}, 400, "attribute_not_accepted"),
        ("GET", "event/list", {"params": {"limit": "x"}}, 400, "invalid_value"),
        ("DELETE", "event", {"params": {"type": ""}}, 400, "invalid_value"),
        ("DELETE", "event", {"json": {"no": "list"}}, 400, "type_mismatch"),
        ("POST", "schema/user/HEAD", {"json": ["no object"]}, 403, "type_mismatch"),
    ):
        assert_error(caller(method, path, **more), "error.user.not_authenticated", status)
        assert_error(viewer(method, path, **more), "error.user.no_system_right", status)
        assert_error(root(method, path, **more), f"error.api.{wrong}")
