"""Fetches the whole record of the chosen event; the newest choice wins."""

from __future__ import annotations

import asyncio
from collections import OrderedDict

from PySide6.QtCore import QObject, QTimer

from cdb_desktop.client import Event, NotFoundError, Record, Unreadable
from cdb_desktop.events.event_details import EventDetails, event_details
from cdb_desktop.ui.events.browser.context import BrowserContext
from cdb_desktop.ui.events.inspector.inspector import Inspector

_WORK = "events.record"
_REST = 80  # milliseconds that a choice must last: whoever runs through the rows asks for none of them
_KEPT = 64
_LARGE = 20_000  # bytes of info from which on taking it apart would hold the window up


class Inspecting(QObject):
    """What the row has is shown at once, the whole record as soon as it is here."""

    def __init__(self, context: BrowserContext, inspector: Inspector) -> None:
        super().__init__(context.view)
        self._view, self._client = context.view, context.client
        self._tasks, self._words = context.tasks, context.words
        self._kept: OrderedDict[int, EventDetails] = OrderedDict()
        self._chosen: Event | None = None
        self._rest = QTimer(self, singleShot=True, interval=_REST)
        self._rest.timeout.connect(self._ask)
        self._inspector = inspector
        self._view.table.record_chosen.connect(self._choose)
        # A bound method of an object: actions outlive the page, and Qt disconnects it.
        self._view.actions_by_name["inspector"].toggled.connect(self._show_current)
        self._view.table.rows_selected.connect(self._leave_outside)

    def _show_current(self) -> None:
        self._choose(self._view.table.current_record)

    def _choose(self, record: Record | None) -> None:
        if not self._view.has_inspector:
            return
        self._tasks.cancel(_WORK)
        self._rest.stop()
        has_row = self._view.table.currentIndex().isValid()
        if record is None and not has_row and self._view.outside is not None:
            return  # no row is chosen, because the event that is shown is in none of them
        self._chosen = record if isinstance(record, Event) else None
        inspector = self._inspector
        if record is None:
            inspector.show_nothing()
        elif isinstance(record, Unreadable):
            # All that there is of it has come with the rows: nobody can ask for a record without an id.
            inspector.show_unreadable(record)
        elif record.id in self._kept:
            inspector.show_details(self._kept[record.id])
        else:
            inspector.show_details(event_details(record, is_whole=False))
            self._rest.start()

    def _leave_outside(self, rows: int) -> None:
        """Rows are selected, as by Ctrl+A: these are meant from now on."""
        if rows and self._view.outside is not None:
            self._inspector.show_nothing()

    def _ask(self) -> None:
        if self._chosen is not None:
            self._tasks.start(_WORK, self._fetch(self._chosen.id), on_error=self._failed)

    async def _fetch(self, event_id: int) -> None:
        event = await self._client.event(event_id)
        if len(event.info or b"") > _LARGE:
            whole = await asyncio.to_thread(event_details, event, is_whole=True)
        else:
            whole = event_details(event, is_whole=True)
        self._kept[event_id] = whole
        while len(self._kept) > _KEPT:
            self._kept.popitem(last=False)
        self._inspector.show_details(whole)

    def _failed(self, error: Exception) -> None:
        if isinstance(error, NotFoundError):
            self._inspector.show_gone()
        else:
            self._inspector.show_trouble(self._words(error))
