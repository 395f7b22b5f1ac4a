"""A clock that is set back a day: ids order events, and their times are those of the clock."""

from tests.contract.builders import listed
from tests.contract.caller import Caller, Clock


def test_events_after_the_clock_was_set_back(caller: Caller, clock: Clock) -> None:
    """Lists and polls are in the order in which events were stored, in the same session as before."""
    root = caller.signed_in("root")
    ids, polled = [root.post("event", {"type": "SEARCH"}).json()["event"]["_id"]], []
    cursor = root.get("session").json()["current_max_event_id"]
    for _ in range(2):
        clock.second -= 86_400
        ids.append(root.post("event", {"type": "SEARCH"}).json()["event"]["_id"])
        caller.signed_in("support")
        found = [record["event"]["_id"] for record in root.get(f"event/poll/{cursor}").json()]
        polled += found
        cursor = found[-1]
    assert ids == sorted(ids)
    assert polled == sorted(polled)
    assert len(polled) == 2
    assert listed(root.get("event/list", type="SEARCH")) == ids[::-1]
    assert listed(root.get("event/list", type="SEARCH", sort="_id")) == ids
    # Whoever sorts or filters by time gets the times that the records show.
    assert listed(root.get("event/list", type="SEARCH", sort="timestamp")) == ids[::-1]
    assert listed(root.get("event/list", type="SEARCH", date_to="2025-06-14")) == ids[:0:-1]
