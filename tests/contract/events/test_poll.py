"""§4.2 and wire §3: polling, its cursor and its limits."""

from __future__ import annotations

from tests.contract.builders import SUPPORT, Store, by, event, ids
from tests.contract.caller import Caller

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


def test_limit_counts_what_is_returned(caller: Caller, store: Store) -> None:
    """Events that are not visible to the session do not count towards the limit."""
    viewer = caller.signed_in("viewer")
    *_, seen = store(*[event(pollable=False)] * 30, event(pollable=True))
    assert ids(viewer.get("event/poll", limit="1").json()) == [seen]
