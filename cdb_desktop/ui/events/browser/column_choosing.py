"""Opens the sheet of columns, and looks in the events for the keys of info that can be columns."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice

from PySide6.QtCore import QObject

from cdb_desktop.client import Event
from cdb_desktop.events.event_details import EventDetails
from cdb_desktop.events.known_values import InfoKeys
from cdb_desktop.events.query import Query
from cdb_desktop.events.result import QueryResult
from cdb_desktop.ui.events.browser.columns_popup import ColumnsPopup
from cdb_desktop.ui.events.browser.context import BrowserContext
from cdb_desktop.ui.events.browser.full_pages import whole_events

_WORK = "events.columns.keys"
_INSPECTED = 64  # events whose info is remembered
_SAMPLE = 100  # events that are fetched where the rows have come without info
_FEW = 12  # where that takes a call for each of them
_MOST_ROWS = 1_000
_AT_ONCE = 5  # events between two breaths of the window; some have 100 kB of info
_OFFERED = 200


class ColumnChoosing(QObject):
    """What the rows and the inspector have shown of info is offered; short rows have a sample fetched."""

    def __init__(self, context: BrowserContext) -> None:
        super().__init__(context.view)
        self._context = context
        self._keys = InfoKeys()
        self._inspected: deque[Event] = deque(maxlen=_INSPECTED)
        self._sampled: Query | None = None

    def open(self) -> None:
        """Opens the sheet; keys come into it as they are found."""
        view = self._context.view
        popup = ColumnsPopup(view.appearance, view.columns, view)
        popup.offer_keys(self._keys.most_frequent(_OFFERED), self._keys.events, looks=True)
        popup.accepted.connect(lambda: self._take(popup))
        popup.closed.connect(self._stop)
        popup.open_below(view.views_button)
        self._context.tasks.start(_WORK, self._look(popup), on_error=partial(self._failed, popup))

    def _take(self, popup: ColumnsPopup) -> None:
        columns = self._context.view.columns
        if popup.is_usual:
            columns.show_usual()
        else:
            columns.show(popup.names, popup.pinned)

    def remember(self, details: EventDetails) -> None:
        """Takes in the keys of a record that the inspector has shown."""
        if details.is_whole:
            self._inspected.append(details.event)

    def _stop(self) -> None:
        self._context.tasks.cancel(_WORK)

    async def _look(self, popup: ColumnsPopup) -> None:
        result, query = self._context.rows.result, self._context.view.query
        here = [] if result is None else list(islice(_with_info(result), _MOST_ROWS))
        await self._learn([*self._inspected, *here])
        if result is not None and not here and self._sampled != query:
            await self._learn(await self._sample(result))
            self._sampled = query
        popup.offer_keys(self._keys.most_frequent(_OFFERED), self._keys.events)

    async def _learn(self, events: Sequence[Event]) -> None:
        for first in range(0, len(events), _AT_ONCE):
            self._keys.add(events[first : first + _AT_ONCE])
            await asyncio.sleep(0)

    async def _sample(self, result: QueryResult) -> Sequence[Event]:
        """Some whole events of those that are listed. Raises ClientError."""
        client = self._context.client
        if client.features.full_list:
            chosen = result.resolved_query.filter
            return (await client.list_events(chosen, limit=_SAMPLE, full=True, skip_count=True)).events
        # A service before 5.140 lists short records only (§9 rule 2).
        found = (result.event(row) for row in range(_FEW))
        return await whole_events(client, [event.id for event in found if event is not None])

    def _failed(self, popup: ColumnsPopup, error: Exception) -> None:
        popup.tell_keys(self.tr("Not looked up: %1").replace("%1", self._context.words(error).title))


def _with_info(result: QueryResult) -> Iterator[Event]:
    return (event for page in result.loaded_events() for event in page if event.info is not None)
