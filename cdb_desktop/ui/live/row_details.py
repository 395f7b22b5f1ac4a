"""Fetches the whole records of the visible rows of all feeds: polls bring short ones (§4.2)."""

from __future__ import annotations

from collections.abc import Iterable

from cdb_desktop.client import Client, Event, EventFilter, NotFoundError, Session
from cdb_desktop.live.event_lookup import LIST_RIGHT
from cdb_desktop.ui.live.view import LiveView
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.ui.widgets.event_table.row_details import RowDetails, Rows

_WORK = "live.details"
_PAUSE = 1.0  # seconds from one call to the next
_MOST = 200  # events of a call
_SPARE = 2  # times as many events as rows: others may have happened at the same time


class FeedDetails(RowDetails):
    """Details of a session that may read the list; ``session`` changes with each sign-in."""

    def __init__(self, view: LiveView, client: Client, session: Session, tasks: Tasks) -> None:
        super().__init__(view, tasks, _WORK, _PAUSE)
        self._view, self._client = view, client
        self.session = session
        view.signals.changed.connect(self.check)
        view.ticked.connect(self.check)  # for rows that become visible without a change of a feed

    def lacking_rows(self) -> Rows:
        """The visible rows of all feeds by id; only expanded ones if the service lists short records only."""
        if not self._view.isVisible() or not self.session.allows(LIST_RIGHT):
            return {}
        is_listed, found = self._client.features.full_list, dict[int, Event]()
        for pane in self._view.panes:
            first, last = pane.table.visible_rows()
            for event in map(pane.model.record_at, range(first, last + 1)):
                if is_listed or pane.table.expanded.is_open(event):
                    found[event.id] = event
        return found

    async def whole_events(self, rows: Rows) -> Iterable[Event]:
        """One page of the time of the rows; single records if it is full, or before 5.140 (§9 rule 2)."""
        if not self._client.features.full_list:
            return await self._records(rows)
        times = [event.timestamp for event in rows.values() if event.timestamp is not None]
        if not times:
            return ()
        chosen = EventFilter(
            pollable=True,
            type=tuple(sorted({event.type for event in rows.values()})),
            date_from=min(times),
            date_to=max(times),
        )
        limit = min(_SPARE * len(rows), _MOST)
        page = await self._client.list_events(chosen, limit=limit, full=True, skip_count=True)
        found = [event for event in page.events if event.id in rows]
        if len(page.events) == limit:
            found += await self._records(rows.keys() - {event.id for event in found})
        return found

    def show_details(self, events: Iterable[Event], _rows: Rows) -> None:
        """Shows the whole records in all feeds."""
        for pane in self._view.panes:
            pane.model.show_details(events)

    async def _records(self, ids: Iterable[int]) -> list[Event]:
        return [event for one in ids if (event := await self._whole(one)) is not None]

    async def _whole(self, number: int) -> Event | None:
        try:
            return await self._client.event(number)
        except NotFoundError:
            return None
