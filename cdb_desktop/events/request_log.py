"""The last requests to the service and their answers, for the request panel and problem reports."""

from __future__ import annotations

from collections import deque

from cdb_desktop.client import Exchange

MAX_REQUESTS, MAX_POLLS = 200, 100
_POLL_PATH = "/event/poll"


def is_poll(exchange: Exchange) -> bool:
    """Whether it is a poll for new events (§4.2), which the live feed sends every few seconds."""
    return _POLL_PATH in exchange.path


class RequestLog:
    """A bounded log; polls are limited separately, as they would soon displace all other requests."""

    def __init__(self) -> None:
        self._number = 0
        self._calls: deque[tuple[int, Exchange]] = deque(maxlen=MAX_REQUESTS)
        self._polls: deque[tuple[int, Exchange]] = deque(maxlen=MAX_POLLS)

    def add(self, exchange: Exchange) -> None:
        """Adds the newest request; the oldest is dropped if the log is full."""
        self._number += 1
        (self._polls if is_poll(exchange) else self._calls).append((self._number, exchange))

    def clear(self) -> None:
        """Removes all requests."""
        self._calls.clear()
        self._polls.clear()

    def entries(self, *, polls: bool) -> list[Exchange]:
        """All requests, the newest first, with or without the polls."""
        found = sorted((*self._calls, *(self._polls if polls else ())), key=lambda one: -one[0])
        return [exchange for _number, exchange in found]
