"""§5.2, §4: each right alone allows its call. The table has the refusals of all calls."""

from typing import Any

import pytest

from server_stub.http.services import Services
from tests.contract.builders import Store, event
from tests.contract.caller import Caller, assert_error

CURRENT, DEVELOPMENT, COMMIT = (f"system.datamodel.{level}" for level in ("current", "development", "commit"))
EMPTY = {"version": 1, "type": "user", "tables": []}
CALLS: tuple[tuple[str, str, str, Any, int], ...] = (
    ("system.api.event.get", "GET", "event/1", None, 400),
    ("system.api.event.get", "GET", "event/list", None, 400),
    ("system.api.event.delete", "DELETE", "event?type=X", None, 400),
    ("system.api.event.delete", "DELETE", "event", [999], 400),
    (DEVELOPMENT, "POST", "schema/user/HEAD", EMPTY, 403),
    (COMMIT, "POST", "schema/user/HEAD", EMPTY, 403),
    (COMMIT, "POST", "schema/commit", None, 403),
)


@pytest.mark.parametrize("call", CALLS, ids=str)
def test_one_right_is_enough(
    caller: Caller, services: Services, store: Store, call: tuple[str, str, str, Any, int]
) -> None:
    """Each right alone allows its call, a level of the data model those below it, and no other right does."""
    right, method, path, body, refusal = call
    store(event())
    caller.signed_in("root").post("schema/user/HEAD", EMPTY)
    with services.database.write() as connection:
        services.users.add(connection, "one", "one", displayname="One", rights=[right])
        services.users.add(connection, "none", "none", displayname="None", rights=[CURRENT])
    more = {} if body is None else {"json": body}
    assert caller.signed_in("one")(method, path, **more).status_code == 200
    assert_error(caller.signed_in("none")(method, path, **more), "error.user.no_system_right", refusal)
