"""Goes through a whole result by id, page by page, so that no event is missed or met twice. Knows no service.

Pages go by offset (§4.3), so what others delete meanwhile shifts those that follow. Every page therefore
begins with the last event of the one before; one that does not is asked for again further up.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

from cdb_desktop.client import Event
from cdb_desktop.events.ahead import Ahead
from cdb_desktop.events.pages import PAGE

Fetch = Callable[[int], Awaitable[Sequence[Event]]]


async def walk(
    fetch: Fetch, *, descending: bool = False, up_to: int | None = None
) -> AsyncIterator[Sequence[Event]]:
    """The events page by page; raises what ``fetch`` raises.

    ``fetch`` gives at most 1000 events from an offset on, by id in the order that ``descending`` tells. Those
    with an id above ``up_to`` are left out: times are whole seconds (wire §1), so what has come since in the
    second of the newest event cannot be told apart by its date.
    """
    ahead = Ahead(fetch)
    offset = 0
    last: int | None = None
    try:
        while True:
            page = await ahead.page(offset)
            fresh = [event for event in page if _is_beyond(event.id, last, descending)]
            if offset > 0 and len(fresh) == len(page):
                # Rows before this place are gone, and what followed them has moved up.
                offset = max(0, offset - PAGE)
                continue
            wanted = [event for event in fresh if up_to is None or event.id <= up_to]
            ends = len(page) < PAGE or (len(wanted) < len(fresh) and not descending)
            offset += len(page) - 1
            if not ends:
                ahead.expect(offset)
            if wanted:
                yield wanted
            if fresh:
                last = fresh[-1].id
            if ends:
                return
    finally:
        ahead.cancel()


def _is_beyond(number: int, last: int | None, descending: bool) -> bool:
    if last is None:
        return True
    return number < last if descending else number > last
