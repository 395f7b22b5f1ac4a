"""Tests of the log of the last requests."""

from datetime import UTC, datetime

from cdb_desktop.client import Exchange
from cdb_desktop.client.request import Request
from cdb_desktop.events.request_log import MAX_POLLS, MAX_REQUESTS, RequestLog


def exchange(path: str) -> Exchange:
    """A successful exchange."""
    return Exchange(Request("GET", path), False, datetime.now(UTC), 0.01, 200, 10, None, "")


def test_the_newest_are_first_and_polls_are_separate() -> None:
    """Frequent polls do not displace other requests."""
    log = RequestLog()
    for number in range(MAX_REQUESTS + 50):
        log.add(exchange(f"api/v1/event/{number}"))
        log.add(exchange(f"api/v1/event/poll/{number}"))
    calls = [one.path for one in log.entries(polls=False)]
    assert len(calls) == MAX_REQUESTS
    assert calls[0] == f"/api/v1/event/{MAX_REQUESTS + 49}"
    everything = [one.path for one in log.entries(polls=True)]
    assert len(everything) == MAX_REQUESTS + MAX_POLLS
    assert everything[:2] == [f"/api/v1/event/poll/{MAX_REQUESTS + 49}", f"/api/v1/event/{MAX_REQUESTS + 49}"]
    log.clear()
    assert log.entries(polls=True) == []
