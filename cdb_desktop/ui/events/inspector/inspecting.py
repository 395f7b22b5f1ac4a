"""Fetches the whole record of the chosen event; the newest choice wins."""

from __future__ import annotations

import asyncio
from collections import OrderedDict

from PySide6.QtCore import QObject, QTimer

from cdb_desktop.client import Event, NotFoundError, Record, Unreadable
from cdb_desktop.events.record import Details, details
from cdb_desktop.ui.events.browser.means import Means

_WORK = "events.record"
_REST = 80  # milliseconds that a choice must last: whoever runs through the rows asks for none of them
_KEPT = 64
_LARGE = 20_000  # bytes of info from which on taking it apart would hold the window up


class Inspecting(QObject):
    """What the row has is shown at once, the whole record as soon as it is here."""

    def __init__(self, means: Means) -> None:
        super().__init__(means.view)
        self._view, self._client = means.view, means.client
        self._tasks, self._words = means.tasks, means.words
        self._kept: OrderedDict[int, Details] = OrderedDict()
        self._chosen: Event | None = None
        self._rest = QTimer(self, singleShot=True, interval=_REST)
        self._rest.timeout.connect(self._ask)
        self._view.record_chosen.connect(self._choose)
        self._view.table.rows_selected.connect(self._leave_outside)

    def _choose(self, record: Record | None) -> None:
        has_row = self._view.table.currentIndex().isValid()
        if record is None and not has_row and self._view.outside is not None:
            return  # no row is chosen, because the event that is shown is in none of them
        self._tasks.cancel(_WORK)
        self._rest.stop()
        self._chosen = record if isinstance(record, Event) else None
        inspector = self._view.inspector
        if record is None:
            inspector.show_nothing()
        elif isinstance(record, Unreadable):
            # All that there is of it has come with the rows: nobody can ask for a record without an id.
            inspector.show_unreadable(record)
        elif record.id in self._kept:
            inspector.show_details(self._kept[record.id])
        else:
            inspector.show_details(details(record, is_whole=False))
            self._rest.start()

    def _leave_outside(self, rows: int) -> None:
        """Rows are selected, as by Ctrl+A: these are meant from now on."""
        if rows and self._view.outside is not None:
            self._view.inspector.show_nothing()

    def _ask(self) -> None:
        if self._chosen is not None:
            self._tasks.start(_WORK, self._fetch(self._chosen.id), on_error=self._failed)

    async def _fetch(self, event_id: int) -> None:
        event = await self._client.event(event_id)
        if len(event.info or b"") > _LARGE:
            whole = await asyncio.to_thread(details, event, is_whole=True)
        else:
            whole = details(event, is_whole=True)
        self._kept[event_id] = whole
        while len(self._kept) > _KEPT:
            self._kept.popitem(last=False)
        self._view.inspector.show_details(whole)

    def _failed(self, error: Exception) -> None:
        if isinstance(error, NotFoundError):
            self._view.inspector.show_gone()
        else:
            self._view.inspector.show_trouble(self._words(error))
