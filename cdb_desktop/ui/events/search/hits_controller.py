"""Commands for the hits of a search: menu, copies, comparison, deletion and export."""

from __future__ import annotations

from PySide6.QtCore import QObject, QPoint, Signal

from cdb_desktop.client import Event
from cdb_desktop.events.copy_formats import CopyFormat
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.events.browser.context import BrowserContext
from cdb_desktop.ui.events.browser.copy import CopyController
from cdb_desktop.ui.events.browser.row_menu import offer_more, row_menu
from cdb_desktop.ui.events.search.panel import SearchPanel


class HitsController(QObject):
    """Applies the actions on rows to hits, while the table of hits has the focus.

    Signals: ``compare_requested`` and ``deletion_requested`` with a list of events ·
    ``export_requested`` with a list of hits.
    """

    compare_requested = Signal(object)
    deletion_requested = Signal(object)
    export_requested = Signal(object)

    def __init__(self, context: BrowserContext, panel: SearchPanel, copying: CopyController) -> None:
        super().__init__(context.view)
        self._view = context.view
        self._panel, self._table = panel, panel.table
        self._copying = copying
        panel.export_requested.connect(self._request_export)
        self._table.menu_requested.connect(self._open_menu)
        self._table.copy_requested.connect(self._copy)

    @property
    def has_focus(self) -> bool:
        """Whether actions on rows apply to the hits."""
        return self._table.hasFocus()

    def go_to_next(self) -> None:
        """Goes to the next hit."""
        self._panel.step(1)

    def go_to_previous(self) -> None:
        """Goes to the previous hit."""
        self._panel.step(-1)

    def compare(self) -> None:
        """Compares the two selected hits, or the selected hit with the next one."""
        rows = self._table.selected_rows
        if len(rows) == 1 and rows[0] + 1 < self._panel.model.rowCount():
            rows = [rows[0], rows[0] + 1]
        if len(rows) == 2:
            self.compare_requested.emit([self._panel.model.hits[row].event for row in rows])
        else:
            self._view.count.show_message(tr("Select two hits to compare."))

    def delete_selected(self) -> None:
        """Asks whether to delete the events of the selected hits."""
        self.deletion_requested.emit(self._table.selected_events)

    def _request_export(self) -> None:
        self.export_requested.emit(list(self._panel.model.hits))

    def _open_menu(self, event: Event, place: QPoint) -> None:
        view, copy = self._view, self._table.copy_requested.emit
        menu = row_menu(view, event, view.query, view.query_requested.emit, copy)
        to_schema, to_history = view.schema_requested.emit, view.history_requested.emit
        offer_more(menu, event, view.actions_by_name, to_schema, to_history, view.search_object)
        menu.addSeparator()
        menu.addAction(tr("Export the hits…")).triggered.connect(self._request_export)
        menu.popup(place)

    def _copy(self, form: CopyFormat) -> None:
        if form is CopyFormat.JSON:
            self._copying.copy_whole(self._table.selected_events)
        elif copied := self._table.copy_selected(form):
            self._view.count.show_message(tr("Copied hits: {count}", count=copied))
