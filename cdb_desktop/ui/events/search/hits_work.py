"""What can be done with hits beyond going to them: the menu of one, copies, comparison, deletion, export."""

from __future__ import annotations

from PySide6.QtCore import QObject, QPoint

from cdb_desktop.client import Event
from cdb_desktop.events.query import Query
from cdb_desktop.ui.events.browser.means import Means
from cdb_desktop.ui.events.browser.row_menu import offer_more, row_menu
from cdb_desktop.ui.events.compare.comparing import Comparing
from cdb_desktop.ui.events.deletion.deleting import Deleting
from cdb_desktop.ui.events.export.hits_export import HitsExport

_TWO = 2


class HitsWork(QObject):
    """The way of hits to what is done with rows elsewhere; what has the focus is meant."""

    def __init__(self, means: Means, comparing: Comparing, deleting: Deleting) -> None:
        super().__init__(means.view)
        self._view = means.view
        self._panel = means.view.around.search
        self._table = self._panel.table
        self._comparing, self._deleting = comparing, deleting
        self._export = HitsExport(means)
        self._panel.export_requested.connect(self._export.ask)
        self._table.menu_requested.connect(self._open_menu)
        deleting.gone.connect(self._panel.model.drop)

    @property
    def is_meant(self) -> bool:
        """Whether the keys are at the hits, so that what is done to rows is done to theirs."""
        return self._table.hasFocus()

    def compare(self) -> None:
        """Compares the two selected hits, or the chosen one with the one below it."""
        chosen = self._table.selected_rows
        if len(chosen) == 1 and chosen[0] + 1 < self._panel.model.rowCount():
            chosen = [chosen[0], chosen[0] + 1]
        if len(chosen) == _TWO:
            self._comparing.compare_events([self._panel.model.hits[row].event for row in chosen])
        else:
            self._view.count.tell(self.tr("Select two hits to compare."))

    def delete_selected(self) -> None:
        """Asks whether the events of the selected hits shall go."""
        self._deleting.delete_events(self._table.selected_events)

    def _open_menu(self, event: Event, place: QPoint) -> None:
        view, copy = self._view, self._table.copy_requested.emit
        menu = row_menu(view, event, view.editing.query, self._ask, copy)
        offer_more(menu, event, view.actions_by_name, view.schema_requested.emit, view.lead_to_object)
        menu.addSeparator()
        menu.addAction(self.tr("Export the hits…")).triggered.connect(self._export.ask)
        menu.popup(place)

    def _ask(self, query: Query) -> None:
        self._view.query_requested.emit(query)
