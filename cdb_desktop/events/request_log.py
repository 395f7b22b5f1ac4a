"""The last exchanges with the service, newest first and never more than a few hundred. No I/O."""

from __future__ import annotations

from collections import deque

from cdb_desktop.client import Exchange

MAX_REQUESTS, MAX_POLLS = 200, 100
_POLL = "/event/poll"


def is_poll(exchange: Exchange) -> bool:
    """Whether it only asks for what is new (§4.2), as the live feed does every few seconds."""
    return _POLL in exchange.path


class RequestLog:
    """What has been asked; polls have room of their own, as they would soon push out everything else."""

    def __init__(self) -> None:
        self._number = 0
        self._calls: deque[tuple[int, Exchange]] = deque(maxlen=MAX_REQUESTS)
        self._polls: deque[tuple[int, Exchange]] = deque(maxlen=MAX_POLLS)

    def add(self, exchange: Exchange) -> None:
        """Takes in the newest; the oldest goes where there is no room."""
        self._number += 1
        (self._polls if is_poll(exchange) else self._calls).append((self._number, exchange))

    def clear(self) -> None:
        """Forgets them all."""
        self._calls.clear()
        self._polls.clear()

    def listed(self, *, polls: bool) -> list[Exchange]:
        """All of them, newest first, with or without the polls."""
        found = sorted((*self._calls, *(self._polls if polls else ())), key=lambda one: -one[0])
        return [exchange for _number, exchange in found]
