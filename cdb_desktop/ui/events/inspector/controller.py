"""Fetches the complete record of the current event for the inspector, and follows a commit to its schema."""

import asyncio
from collections import OrderedDict
from functools import partial

from msgspec.structs import replace
from PySide6.QtCore import QObject, QPoint, QTimer, Signal
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import QMenu

from cdb_desktop.client import Event, NotFoundError, Record, Unreadable
from cdb_desktop.events.event_details import EventDetails, RecordLine, event_details
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.events.browser.context import BrowserContext
from cdb_desktop.ui.events.browser.row_menu import filters_by, filters_with
from cdb_desktop.ui.events.inspector.inspector import Inspector
from cdb_desktop.ui.widgets.menus import context_menu, entry_text
from cdb_desktop.vocabulary.error_messages import error_message
from cdb_desktop.vocabulary.event_types import committed_version, is_commit

_RECORD, _VERSION = "events.record", "events.lead"
_SCHEMA_ACTION = "event_schema"
_DELAY = 80  # milliseconds before a record is fetched, so that moving through the rows fetches none
_MAX_RECORDS = 64  # complete records in the cache
_SHARE_ACTIONS = ("share_event", "share_ticket")
_LARGE = 20_000  # bytes of info that are decoded in a thread


class InspectorController(QObject):
    """Shows the fields of the row at once and the complete record when it has been fetched."""

    def __init__(self, context: BrowserContext, inspector: Inspector) -> None:
        super().__init__(context.view)
        self._view, self._client = context.view, context.client
        self._tasks = context.tasks
        self._kept: OrderedDict[int, EventDetails] = OrderedDict()
        self._chosen: Event | None = None
        self._timer = QTimer(self, singleShot=True, interval=_DELAY)
        self._timer.timeout.connect(self._ask)
        self._inspector = inspector
        self._view.table.record_chosen.connect(self._choose)
        # A bound method of an object: actions outlive the page, and Qt disconnects it.
        action = self._view.actions_by_name["inspector"]
        action.toggled.connect(self._show_current)
        action.triggered.connect(self._choose_any)
        self._view.table.rows_selected.connect(self._leave_outside)
        inspector.menu_requested.connect(self._open_menu)
        inspector.share_requested.connect(self._open_share_menu)

    def _show_current(self) -> None:
        self._choose(self._view.table.current_record)

    def _choose_any(self, opened: bool) -> None:
        """Selects the first visible row when the user opens the inspector without a selection."""
        table = self._view.table
        if opened and self._inspector.is_empty and table.model().rowCount():
            table.go_to(table.visible_rows()[0])

    def _choose(self, record: Record | None) -> None:
        if not self._view.has_inspector:
            return
        self._tasks.cancel(_RECORD)
        self._timer.stop()
        has_row = self._view.table.currentIndex().isValid()
        if record is None and not has_row and self._view.outside is not None:
            return  # the event is shown outside the rows
        self._chosen = record if isinstance(record, Event) else None
        inspector = self._inspector
        if record is None and has_row:
            inspector.show_waiting()
        elif record is None:
            inspector.show_nothing()
        elif isinstance(record, Unreadable):
            # It cannot be fetched: it has no id.
            inspector.show_unreadable(record)
        elif record.id in self._kept:
            inspector.show_details(self._kept[record.id])
        else:
            self._show(self._view.model.details.whole(record))

    def _show(self, event: Event) -> None:
        """Shows what is there of an event, and fetches or decodes the rest a moment later."""
        self._chosen, is_large = event, len(event.info or b"") > _LARGE
        shown = replace(event, info=None) if is_large else event
        self._inspector.show_details(event_details(shown, is_whole=shown.is_whole))
        if not shown.is_whole:
            self._timer.start()

    def _leave_outside(self, rows: int) -> None:
        """Stops showing an event outside the rows when rows are selected, for example by Ctrl+A."""
        if rows and self._view.outside is not None:
            self._inspector.show_nothing()

    def _ask(self) -> None:
        if self._chosen is not None:
            self._tasks.start(_RECORD, self._fetch(self._chosen), on_error=self._failed)

    async def _fetch(self, chosen: Event) -> None:
        event = chosen if chosen.is_whole else await self._client.event(chosen.id)
        if len(event.info or b"") > _LARGE:
            whole = await asyncio.to_thread(event_details, event, is_whole=True)
        else:
            whole = event_details(event, is_whole=True)
        self._kept[event.id] = whole
        while len(self._kept) > _MAX_RECORDS:
            self._kept.popitem(last=False)
        self._inspector.show_details(whole)

    def _failed(self, error: Exception) -> None:
        if isinstance(error, NotFoundError):
            self._inspector.show_gone()
        else:
            self._inspector.show_trouble(error_message(error))

    def _open_menu(self, line: RecordLine | None, place: QPoint) -> None:
        inspector = self._inspector
        menu = context_menu(inspector, "events.inspector.menu")
        copies = menu
        if line is not None:
            details = inspector.details
            if details is not None:
                self._offer_event(menu, line, details.event)
            copies = _offer_copies(menu, line)
        whole = copies.addAction(tr("Copy the &record as JSON"))
        whole.setEnabled(inspector.has_record)
        whole.triggered.connect(inspector.copy_json)
        if inspector.details is not None:
            copies.addActions(self._share_actions)
        menu.popup(place)

    def _open_share_menu(self, place: QPoint) -> None:
        menu = context_menu(self._inspector, "events.inspector.share")
        menu.addActions(self._share_actions)
        menu.popup(place)

    @property
    def _share_actions(self) -> list[QAction]:
        return [self._view.actions_by_name[name] for name in _SHARE_ACTIONS]

    def _offer_event(self, menu: QMenu, line: RecordLine, event: Event) -> None:
        view = self._view
        filters = filters_by(line.path, event, view.query)
        # A filter of the service is faster than a condition.
        conditions = filters_with(line.search, view.query) if line.search else []
        for one in [*filters, *(conditions[1:] if filters else conditions)]:
            menu.addAction(entry_text(one.text)).triggered.connect(
                partial(view.query_requested.emit, one.query)
            )
        if line.column and line.column not in view.columns.shown:
            column = menu.addAction(tr("As &column"))
            column.triggered.connect(partial(self._show_column, line.column))
        menu.addSeparator()

    def _show_column(self, name: str) -> None:
        """Adds the column as the last one and scrolls to it."""
        columns = self._view.columns
        columns.show((*columns.shown, name), columns.pinned)
        self._view.table.scroll_to_last_column()


class SchemaLinkController(QObject):
    """Goes from the event of a commit to the version of the schema that it has created.

    Signals: ``schema_requested`` with the number of a version.
    """

    schema_requested = Signal(int)

    def __init__(self, context: BrowserContext) -> None:
        super().__init__(context.view)
        self._context = context
        view = context.view
        view.table.event_chosen.connect(self._update_action)
        view.actions_by_name[_SCHEMA_ACTION].triggered.connect(self._open_current)
        view.actions_by_name["inspector"].toggled.connect(self._update_action)
        self._update_action()

    def open_schema(self, event: Event) -> None:
        """Goes to the committed version; if the event has no info its record is fetched for it."""
        version = committed_version(event)
        if version is not None:
            self.schema_requested.emit(version)
        else:
            title = tr("Searching for the version of a commit")
            self._context.tasks.start(_VERSION, self._ask(event.id), title=title, on_error=self._failed)

    async def _ask(self, number: int) -> None:
        version = committed_version(await self._context.client.event(number))
        self._context.view.end_trouble(_VERSION)
        if version is None:
            text = tr("The record of this commit does not contain a version.")
            self._context.view.notice.show_notice("warning", "", text)
        else:
            self.schema_requested.emit(version)

    def _failed(self, error: Exception) -> None:
        self._context.view.show_trouble(_VERSION, error)

    def _open_current(self) -> None:
        event = self._context.view.named_event
        if event is not None and is_commit(event):
            self.open_schema(event)

    def _update_action(self, _event: Event | None = None) -> None:
        event = self._context.view.named_event
        possible, why = (
            event is not None and is_commit(event),
            tr("Choose a commit of the schema in the rows first."),
        )
        self._context.view.actions_by_name.set_possible(_SCHEMA_ACTION, possible, why)


def _offer_copies(menu: QMenu, line: RecordLine) -> QMenu:
    """Offers to copy the value, and returns the submenu of other copies."""
    copy = QGuiApplication.clipboard().setText
    menu.addAction(tr("Copy &value")).triggered.connect(partial(copy, line.text))
    copies = menu.addMenu(tr("&Copy"))
    for label, text in ((tr("Copy &path"), line.path), (tr("Copy &line as JSON"), line.json)):
        copies.addAction(label).triggered.connect(partial(copy, text))
    return copies
