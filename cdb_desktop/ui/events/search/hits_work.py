"""What can be done with hits beyond going to them: the menu of one, copies, comparison, deletion, export."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, QPoint, Signal

from cdb_desktop.client import Event
from cdb_desktop.events.copy_formats import CopyFormat
from cdb_desktop.foundation.i18n import number_text
from cdb_desktop.ui.events.browser.context import BrowserContext
from cdb_desktop.ui.events.browser.copying import Copying
from cdb_desktop.ui.events.browser.row_menu import offer_more, row_menu
from cdb_desktop.ui.events.search.search_panel import SearchPanel
from cdb_desktop.vocabulary.pattern import Hit

_TWO = 2


class HitsWork(QObject):
    """Commands for the hits, which are meant while their table has the focus.

    Signals: ``compare_requested`` and ``deletion_requested`` with a list of events.
    """

    compare_requested = Signal(object)
    deletion_requested = Signal(object)

    def __init__(
        self,
        context: BrowserContext,
        panel: SearchPanel,
        copying: Copying,
        export: Callable[[Sequence[Hit]], None],
    ) -> None:
        super().__init__(context.view)
        self._view = context.view
        self._panel = panel
        self._table = panel.table
        self._copying = copying
        self._export = export
        panel.export_requested.connect(self._export_hits)
        self._table.menu_requested.connect(self._open_menu)
        self._table.copy_requested.connect(self._copy)

    @property
    def has_focus(self) -> bool:
        """Whether the hits have the focus, so that commands for rows mean them."""
        return self._table.hasFocus()

    def go_to_next(self) -> None:
        """Goes to the next hit."""
        self._panel.step(1)

    def go_to_previous(self) -> None:
        """Goes to the previous hit."""
        self._panel.step(-1)

    def compare(self) -> None:
        """Compares the two selected hits, or the selected one with the one below it."""
        chosen = self._table.selected_rows
        if len(chosen) == 1 and chosen[0] + 1 < self._panel.model.rowCount():
            chosen = [chosen[0], chosen[0] + 1]
        if len(chosen) == _TWO:
            self.compare_requested.emit([self._panel.model.hits[row].event for row in chosen])
        else:
            self._view.count.tell(self.tr("Select two hits to compare."))

    def delete_selected(self) -> None:
        """Asks for the deletion of the events of the selected hits."""
        self.deletion_requested.emit(self._table.selected_events)

    def _copy(self, form: CopyFormat) -> None:
        if form is CopyFormat.JSON:
            self._copying.copy_whole(self._table.selected_events)
        elif copied := self._table.copy_selected(form):
            self._view.count.tell(self.tr("Copied hits: %1").replace("%1", number_text(copied)))

    def _export_hits(self) -> None:
        self._export(tuple(self._panel.model.hits))

    def _open_menu(self, event: Event, place: QPoint) -> None:
        view = self._view
        ask, copy = view.query_requested.emit, self._table.copy_requested.emit
        menu = row_menu(view, event, view.query, ask, copy)
        offer_more(menu, event, view.actions_by_name, view.schema_requested.emit, view.search_object)
        menu.addSeparator()
        menu.addAction(self.tr("Export the hits…")).triggered.connect(self._export_hits)
        menu.popup(place)
