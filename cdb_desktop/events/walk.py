"""Goes through a whole result by id, page by page, so that no event is missed or met twice. Knows no service.

Pages go by offset (§4.3), so what others delete meanwhile shifts those that follow. Every page therefore
begins with the last record of the one before; one that does not is asked for again further up.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence

from cdb_desktop.client import Event, Record
from cdb_desktop.events.ahead import Ahead
from cdb_desktop.events.pages import PAGE
from cdb_desktop.events.seam import Pace, Seam

Fetch = Callable[[int], Awaitable[Sequence[Record]]]


async def walk(
    fetch: Fetch, *, descending: bool = False, up_to: int | None = None
) -> AsyncGenerator[Sequence[Record], None]:
    """The records page by page; raises what ``fetch`` raises, AnswerError if it gives the same for ever.

    ``fetch`` gives at most 1000 records from an offset on, by id in the order that ``descending`` tells.
    Those with an id above ``up_to`` are left out: times are whole seconds (wire §1), so what has come since
    in the second of the newest event cannot be told apart by its date.
    """
    ahead = Ahead(fetch)
    offset = 0
    seam, pace = Seam(), Pace()
    try:
        while True:
            page = await ahead.page(offset)
            fresh = _fresh(page, seam, descending=descending)
            pace.check(offset, len(page), len(fresh))
            if offset > 0 and len(fresh) == len(page):
                # Rows before this place are gone, and what followed them has moved up.
                offset = max(0, offset - PAGE)
                continue
            wanted = [one for one in fresh if up_to is None or not isinstance(one, Event) or one.id <= up_to]
            # A page that is not full may have been cut short on its way: the end is where nothing follows.
            ends = (len(page) < PAGE and not fresh) or (len(wanted) < len(fresh) and not descending)
            offset = max(0, offset + len(page) - 1)
            if not ends:
                ahead.expect(offset)
            if wanted:
                yield wanted
            seam = seam.then(fresh)
            if ends:
                return
    finally:
        ahead.cancel()


def _fresh(page: Sequence[Record], seam: Seam, *, descending: bool) -> list[Record]:
    known, last = seam.known(page, descending=descending), seam.last
    if last is None:
        return list(page[known:])
    return [
        one
        for one in page[known:]
        if not isinstance(one, Event) or (one.id < last if descending else one.id > last)
    ]
