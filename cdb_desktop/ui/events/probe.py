"""Looks at one row of a result, here or at the service. Shows nothing."""

from __future__ import annotations

from cdb_desktop.client import Client, Event
from cdb_desktop.events.pages import Result


async def event_in(client: Client, result: Result, row: int) -> Event | None:
    """The event in ``row``, None beyond the end. Raises ClientError."""
    here = result.event(row)
    if here is not None:
        return here
    asked = result.listing
    page = await client.list_events(asked.filter, sort=asked.sort, limit=1, offset=row, skip_count=True)
    return page.events[0] if page.events else None
