"""§4.2 and wire §3: polling, its cursor and its limits."""

from __future__ import annotations

from tests.contract.builders import SUPPORT, Store, by, event, ids
from tests.contract.caller import Caller, assert_error

SHORT_KEYS = {"_id", "timestamp", "type"}


def test_answers_what_is_new_by_ascending_id(caller: Caller, store: Store) -> None:
    """A poll returns an array of short records above the cursor, `[]` if there are none."""
    store(event(pollable=True))
    viewer = caller.signed_in("viewer")
    assert viewer.get("event/poll").json() == []
    first, second = store(event("SEARCH", by(SUPPORT), pollable=True), event(pollable=True))
    records = viewer.get("event/poll").json()
    assert ids(records) == [first, second]
    assert records[1]["event"].keys() == SHORT_KEYS
    assert ids(viewer.get(f"event/poll/{first}").json()) == [second]
    assert viewer.get(f"event/poll/{second}").json() == []
    assert viewer.get(f"event/poll/{second + 1000}").json() == []


def test_lower_bound_of_the_cursor(caller: Caller, store: Store) -> None:
    """last_max_id is at least session.current_max_event_id and defaults to it (§4.2, §8)."""
    store(event(pollable=True))
    viewer = caller.signed_in("viewer")
    lowest = viewer.get("session").json()["current_max_event_id"]
    (new,) = store(event(pollable=True))
    assert ids(viewer.get("event/poll").json()) == [new]
    assert ids(viewer.get(f"event/poll/{lowest}").json()) == [new]
    assert_error(viewer.get(f"event/poll/{lowest - 1}"), "error.api.invalid_value")
    assert_error(viewer.get("event/poll/0"), "error.api.invalid_value")
    assert_error(viewer.get("event/poll/-1"), "error.api.invalid_value")


def test_the_lower_bound_does_not_move_with_the_log(caller: Caller, store: Store) -> None:
    """current_max_event_id is set by signing in and includes the USER_LOGIN (wire §2)."""
    viewer = caller.signed_in("viewer")
    lowest = viewer.get("session").json()["current_max_event_id"]
    assert viewer.get("event/poll").json() == []
    new = store(*[event(pollable=True)] * 3)
    assert viewer.get("session").json()["current_max_event_id"] == lowest
    assert ids(viewer.get("event/poll").json()) == new


# §4.2 and §8: limit as given → events returned, where 1004 are new and visible.
LIMITS = {None: 25, "1": 1, "3": 3, "25": 25, "0": 1000, "999": 999, "1000": 1000, "1001": 1000, "9999": 1000}


def test_limit(caller: Caller, store: Store) -> None:
    """A poll returns the oldest new events, up to the limit."""
    viewer = caller.signed_in("viewer")
    new = store(*[event(pollable=True)] * 1004)
    for limit, returned in LIMITS.items():
        answer = viewer.get("event/poll", **({} if limit is None else {"limit": limit}))
        assert ids(answer.json()) == new[:returned], f"limit={limit}"


def test_limit_counts_what_is_returned(caller: Caller, store: Store) -> None:
    """Events that are not visible to the session do not count towards the limit."""
    viewer = caller.signed_in("viewer")
    *_, seen = store(*[event(pollable=False)] * 30, event(pollable=True))
    assert ids(viewer.get("event/poll", limit="1").json()) == [seen]


def test_refuses_a_bad_limit(caller: Caller) -> None:
    """A malformed or negative limit is a 400 API error (wire §3)."""
    viewer = caller.signed_in("viewer")
    for limit in ("-1", "", "many", "1.5"):
        assert_error(viewer.get("event/poll", limit=limit), "error.api.invalid_value")


def test_refuses_a_bad_cursor(caller: Caller) -> None:
    """A cursor that is not an integer is a 400 API error."""
    answer = caller.signed_in("viewer").get("event/poll/latest")
    assert (answer.status_code, answer.json()["realm"]) == (400, "api")


def test_needs_a_signed_in_session(caller: Caller, store: Store) -> None:
    """A session that is not signed in gets no events; without a token: not_authenticated (§4.2, wire §2)."""
    started = caller.with_session()
    store(*[event(pollable=True)] * 2)
    for path in ("event/poll", "event/poll/0", "event/poll/1"):
        assert (started.get(path).status_code, started.get(path).json()) == (200, [])
    assert_error(caller.get("event/poll"), "error.user.not_authenticated")
