"""Writes an event for trying out into the log, and leads to it."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from cdb_desktop.client import Event
from cdb_desktop.events.insertion import EventDraft
from cdb_desktop.foundation.i18n import number_text
from cdb_desktop.ui.events.browser.context import BrowserContext
from cdb_desktop.ui.events.browser.insert_sheet import InsertSheet

_WORK = "events.insert"


class Inserting(QObject):
    """The way from a draft to an event.

    Signals: ``written_requested`` with the Event that somebody wants to see.
    """

    written_requested = Signal(object)

    def __init__(self, context: BrowserContext) -> None:
        super().__init__(context.view)
        self._context = context
        self._sheet: InsertSheet | None = None

    def open(self) -> None:
        """Opens the sheet."""
        view, session = self._context.view, self._context.client.session
        leads = session is not None and session.allows("system.api.event.get")
        sheet = InsertSheet(view.appearance, view, leads=leads)
        sheet.agreed.connect(self._write)
        sheet.event_requested.connect(self.written_requested)
        sheet.explain_requested.connect(view.notice.explain_requested)
        sheet.finished.connect(self._forget)
        self._sheet = sheet
        sheet.open()

    def _forget(self) -> None:
        self._sheet = None

    def _write(self, draft: EventDraft) -> None:
        if self._sheet is not None:
            self._sheet.show_writing()
        self._context.tasks.start(_WORK, self._ask(draft), on_error=self._failed)

    async def _ask(self, draft: EventDraft) -> None:
        event = await self._context.client.insert_event(**draft.attributes)  # type: ignore[arg-type]
        self._tell(event)

    def _tell(self, event: Event) -> None:
        if self._sheet is not None:
            self._sheet.show_written(event)
            return
        told = self.tr("Event %1 is written").replace("%1", number_text(event.id))
        self._context.view.count.tell(told)

    def _failed(self, error: Exception) -> None:
        said = self._context.words(error)
        if self._sheet is None:
            self._context.view.notice.show_failure(said)
        else:
            self._sheet.show_failure(said)
            self._sheet.accept_button.setEnabled(True)
