"""How many rows have got in above a result since it was made; knows neither pages nor the view."""

from __future__ import annotations

import time

from cdb_desktop.client import Client
from cdb_desktop.events.result import PAGE_SIZE, QueryResult

_USUAL = 50  # as many in a second are seldom more
_OVER = 2.0  # seconds, until which a service may still write into the second with which a result ends


class LateRows:
    """Newest first, a result ends with the second of its newest event (§4.3), in which more may happen.

    They would shift all later pages, which go by offset.
    """

    def __init__(self, client: Client) -> None:
        self._client = client
        self._result: QueryResult | None = None
        self._begun = 0.0
        self._number: int | None = None

    async def above(self, result: QueryResult) -> int:
        """By how many rows the service's list is longer at its top. Raises ClientError."""
        if result.newest is None or result.resolved_query.sort:
            return 0
        if result is not self._result:
            self._result, self._begun, self._number = result, time.monotonic(), None
        if self._number is not None:
            return self._number
        is_over = time.monotonic() - self._begun > _OVER
        number = await self._count(result, result.newest)
        if is_over and result is self._result:
            self._number = number
        return number

    async def _count(self, result: QueryResult, newest: int) -> int:
        number = 0
        for limit in (_USUAL, PAGE_SIZE):
            page = await self._client.list_events(result.resolved_query.filter, limit=limit, skip_count=True)
            number = sum(event.id > newest for event in page.events)
            if number < limit:
                break
        return number
