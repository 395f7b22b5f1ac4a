"""Leads from the event of a commit to the version that it has made, whatever of its record is here."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Signal

from cdb_desktop.client import Event
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.events.browser.context import BrowserContext
from cdb_desktop.vocabulary.event_text import committed_version, is_commit

_WORK = "events.lead"
_ACTION = "event_schema"


class Leading(QObject):
    """The way out of the browser.

    Signals: ``schema_requested`` with the number of a version.
    """

    schema_requested = Signal(int)

    def __init__(self, context: BrowserContext) -> None:
        super().__init__(context.view)
        self._context = context
        self._offered: bool | None = None
        view = context.view
        view.table.event_chosen.connect(self._offer)
        view.actions_by_name[_ACTION].triggered.connect(self._lead)
        view.actions_by_name["inspector"].toggled.connect(self._offer)
        self._offer()

    def to_schema(self, event: Event) -> None:
        """Goes to the version that was committed; rows have no info, so it may have to be asked for."""
        version = committed_version(event)
        if version is not None:
            self.schema_requested.emit(version)
        else:
            title = tr("Searching for the version of a commit")
            self._context.tasks.start(_WORK, self._ask(event.id), title=title, on_error=self._failed)

    async def _ask(self, number: int) -> None:
        version = committed_version(await self._context.client.event(number))
        self._context.view.end_trouble(_WORK)
        if version is None:
            told = tr("The record of this commit does not contain a version.")
            self._context.view.notice.show_notice("warning", "", told)
        else:
            self.schema_requested.emit(version)

    def _failed(self, error: Exception) -> None:
        self._context.view.show_trouble(_WORK, partial(self._context.words, error))

    def _lead(self) -> None:
        event = self._context.view.named_event
        if event is not None and is_commit(event):
            self.to_schema(event)

    def _offer(self, _event: Event | None = None) -> None:
        event = self._context.view.named_event
        # The table of actions settles all of them at every change, and rows change with every key.
        possible = event is not None and is_commit(event)
        if possible is not self._offered:
            self._offered = possible
            why = tr("Choose a SCHEMA_COMMIT in the rows first.")
            self._context.view.actions_by_name.set_possible(_ACTION, possible, why)
