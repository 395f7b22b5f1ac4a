"""Looks at one row of a result, here or at the service. Shows nothing."""

from __future__ import annotations

from cdb_desktop.client import Client, Event
from cdb_desktop.events.result import PAGE_SIZE, QueryResult

_FEW = 20  # records that are looked at where the first of them cannot be read


async def event_in(client: Client, result: QueryResult, row: int) -> tuple[int, Event] | None:
    """The event in ``row`` and that row, or the next ones where it cannot be read; None beyond the end.

    Raises ClientError.
    """
    here = result.event(row)
    if here is not None:
        return row, here
    asked = result.resolved_query
    for limit in (1, _FEW, PAGE_SIZE):
        page = await client.list_events(
            asked.filter, sort=asked.sort, limit=limit, offset=row, skip_count=True
        )
        for place, one in enumerate(page.records):
            if isinstance(one, Event):
                return row + place, one
        if len(page.records) < limit:
            return None
    return None
