"""Ties what is done at the parts of the event browser to what its page asks for. Asks nobody itself."""

from __future__ import annotations

from PySide6.QtCore import QObject, QPoint

from cdb_desktop.client import Event, Record
from cdb_desktop.events.query import NEWEST_FIRST, sorted_by
from cdb_desktop.ui.events.browser.row_menu import offer_more, offer_searches, row_menu
from cdb_desktop.ui.events.page import EventsPage
from cdb_desktop.ui.widgets.input_handling import on_key


class Ties(QObject):
    """The way from a click or a key to a signal of the page."""

    def __init__(self, page: EventsPage) -> None:
        super().__init__(page)
        self._page = page
        self._tie_commands()
        self._tie_table()
        self._tie_inspector()
        page.editing.query_requested.connect(page.query_requested)
        page.pictures.again_requested.connect(page.again_requested)
        page.pictures.clear_requested.connect(page.editing.clear)
        page.newer.clicked.connect(self._show_newer)

    def _tie_commands(self) -> None:
        page, commands = self._page, self._page.commands
        commands.history_requested.connect(page.history_requested)
        commands.export_requested.connect(page.export_requested)
        commands.jump_requested.connect(page.jump_requested)
        commands.inspector_toggled.connect(self._show_current)

    def _tie_table(self) -> None:
        page, table = self._page, self._page.table
        table.rows_shown.connect(page.rows_shown)
        table.copy_requested.connect(page.copy_requested)
        table.menu_requested.connect(self._open_menu)
        table.rows_selected.connect(page.count.show_selected)
        table.record_chosen.connect(self._choose)
        table.sort_requested.connect(
            lambda field, also: page.query_requested.emit(sorted_by(page.editing.query, field, also=also))
        )

    def _tie_inspector(self) -> None:
        page, table, inspector = self._page, self._page.table, self._page.inspector
        inspector.links.schema_requested.connect(page.schema_requested)
        inspector.links.object_requested.connect(page.lead_to_object)
        inspector.previous_requested.connect(lambda: table.step(-1))
        inspector.next_requested.connect(lambda: table.step(1))
        on_key("Alt+Up", page, lambda: table.step(-1), inside=True)
        on_key("Alt+Down", page, lambda: table.step(1), inside=True)

    def _open_menu(self, record: Record, place: QPoint) -> None:
        page = self._page
        menu = row_menu(page, record, page.editing.query, page.query_requested.emit, page.copy_requested.emit)
        if isinstance(record, Event):
            offer_searches(menu, record, page.columns.shown, page.search_everything)
            lead = page.schema_requested.emit, page.lead_to_object
            offer_more(menu, record, page.actions_by_name, *lead)
        menu.popup(place)

    def _choose(self, record: Record | None) -> None:
        if self._page.has_inspector:
            self._page.record_chosen.emit(record)

    def _show_current(self) -> None:
        self._choose(self._page.table.current_record)

    def _show_newer(self) -> None:
        first = self._page.editing.query.order[0]
        if first.descending and first.field in (NEWEST_FIRST.field, "timestamp"):
            self._page.table.scrollToTop()
        self._page.again_requested.emit()
